"""Leduc poker with any number of ranks and raises, the two suits merged."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Annotated, Any

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games.cards import deal_label, draw, rank_names, showdown
from tremble.games.counting import zero_sum_counts
from tremble.games.parameters import Bounds, Rules
from tremble.games.poker import betting_round

__all__ = ["Leduc"]

History = tuple[int, int, str, int, str]
"""Ranks of players 1 and 2, betting of round 1, public rank, betting of round 2; -1 where not yet dealt."""

BETS = (2, 4)


@cache
def _menu(line: str, raises: int) -> tuple[str, ...]:
    """List what may be done after a line of betting: fold, check or call, bet or raise."""
    may_raise = line.count("r") < raises
    if line.endswith("r"):
        return ("fold", "call", "raise") if may_raise else ("fold", "call")
    return ("check", "bet") if may_raise else ("check",)


_LETTER = {"fold": "f", "check": "c", "call": "c", "bet": "r", "raise": "r"}


@cache
def _closed(line: str) -> bool:
    return line.endswith("f") or (len(line) >= 2 and line.endswith("c"))


@dataclass(frozen=True)
class Leduc(Rules):
    """Leduc poker: one card each, a round of betting, a public card, another round.

    The deck has two suits, which never matter: chance deals an ordered pair of ranks. Ante 1; bets and
    raises are 2 in round 1 and 4 in round 2; player 1 opens both rounds. Actions in order: fold if facing
    a bet, check or call, bet or raise if allowed. Who pairs the public card wins, else the higher rank.
    In the text of an information set, such as ``"Q:crc K:r"``, c is check or call and r is bet or raise.

    Parameters
    ----------
    ranks : int
        Number of ranks, two cards of each.
    raises : int
        At most this many bets and raises per round.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(Leduc()).num_infosets
    (144, 144)

    References
    ----------
    F. Southey et al., "Bayes' bluff: opponent modelling in poker", UAI 2005.
    """

    ranks: Annotated[int, Bounds(2, 1000)] = 3
    raises: Annotated[int, Bounds(1, 100)] = 2

    @property
    def title(self) -> str:
        """What the game is called."""
        return f"Leduc poker, {self.ranks} ranks, {self.raises} {'raise' if self.raises == 1 else 'raises'} a round"

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return rank_names(self.ranks)

    @cached_property
    def _deal_labels(self) -> tuple[str, ...]:
        return tuple(deal_label(a, b) for a in self._names for b in self._names)

    @cached_property
    def _deal_probabilities(self) -> tuple[Fraction, ...]:
        n = self.ranks
        same, other = (Fraction(m, 2 * n * (2 * n - 1)) for m in (2, 4))
        return tuple(same if a == b else other for a in range(n) for b in range(n))

    def root(self) -> History:
        """Nothing is dealt."""
        return (-1, -1, "", -1, "")

    def player(self, h: History) -> int:
        """Chance deals before each round; in a round the players take turns."""
        a, _, first, public, second = h
        if a < 0:
            return CHANCE
        if public >= 0:
            return TERMINAL if _closed(second) else len(second) % 2
        if not _closed(first):
            return len(first) % 2
        return TERMINAL if first.endswith("f") else CHANCE

    def actions(self, h: History) -> tuple[str, ...]:
        """Ranks dealt, or what the betting allows."""
        a, b, first, public, second = h
        if a < 0:
            return self._deal_labels
        if public >= 0:
            return _menu(second, self.raises)
        return draw(self.ranks, 2, (a, b))[1] if _closed(first) else _menu(first, self.raises)

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Probabilities of the deals, or of the public ranks."""
        return self._deal_probabilities if h[0] < 0 else draw(self.ranks, 2, h[:2])[2]

    def child(self, h: History, i: int) -> History:
        """Deal, show the public rank, or add one letter."""
        a, b, first, public, second = h
        if a < 0:
            return (*divmod(i, self.ranks), "", -1, "")
        if public >= 0:
            return (a, b, first, public, second + _LETTER[_menu(second, self.raises)[i]])
        if _closed(first):
            return (a, b, first, draw(self.ranks, 2, (a, b))[0][i], "")
        return (a, b, first + _LETTER[_menu(first, self.raises)[i]], -1, "")

    def infoset(self, h: History) -> str:
        """Rank of the mover, the betting and the public rank, such as ``"Q:crc K:r"``."""
        a, b, first, public, second = h
        if public >= 0:
            return f"{self._names[b if len(second) % 2 else a]}:{first} {self._names[public]}:{second}"
        return f"{self._names[b if len(first) % 2 else a]}:{first}"

    def payoff(self, h: History) -> tuple[int, int]:
        """Win or lose the loser's ante and bets."""
        a, b, first, public, second = h
        stake = 1 + BETS[0] * first.count("r") + BETS[1] * second.count("r")
        last = second if public >= 0 else first
        if last.endswith("f"):
            stake -= BETS[public >= 0]  # the last bet was not matched
            return (stake, -stake) if len(last) % 2 == 0 else (-stake, stake)
        return showdown(a, b, public, stake)

    def utility_bounds(self) -> tuple[int, int]:
        """Nobody can lose more than ante and all bets of both rounds."""
        most = 1 + self.raises * sum(BETS)
        return -most, most

    def counts(self) -> dict[str, Any]:
        """Sizes, in the form of ``tremble info``, without building the tree."""
        n, betting = self.ranks, betting_round(1, self.raises - 1)
        rounds = n * n + betting.goes_on * n * (n - 1) * (n + 1)  # how many betting rounds the tree has
        leaves = n * n * betting.folds + (rounds - n * n) * (betting.folds + betting.goes_on)
        seen = n * (1 + betting.goes_on * n)  # how many of them a player can tell apart
        return zero_sum_counts(
            chance=1 + n * n * betting.goes_on,
            player=[rounds * decisions for decisions in betting.decisions],
            terminal=leaves,
            information_sets=[seen * decisions for decisions in betting.decisions],
            sequences=[1 + seen * actions for actions in betting.actions],
            max_depth=2 + 2 * betting.longest,
        )
