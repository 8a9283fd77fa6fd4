"""Leduc poker with any number of ranks and raises. The two suits are not distinguished."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Annotated, Any

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games.cards import draw, showdown
from tremble.games.counting import zero_sum_counts
from tremble.games.kuhn import deal_label, rank_names
from tremble.games.parameters import Bounds, Rules
from tremble.games.poker import betting_round

__all__ = ["Leduc"]

History = tuple[int, int, str, int, str]
"""A history: ranks of players 1 and 2, betting in round 1, public rank, betting in round 2. Undealt ranks are -1."""

BETS = (2, 4)


@cache
def _actions_after(line: str, raises: int) -> tuple[str, ...]:
    """Return the actions after a line of betting: fold, check or call, bet or raise."""
    may_raise = line.count("r") < raises
    if line.endswith("r"):
        return ("fold", "call", "raise") if may_raise else ("fold", "call")
    return ("check", "bet") if may_raise else ("check",)


_LETTER = {"fold": "f", "check": "c", "call": "c", "bet": "r", "raise": "r"}


@cache
def _round_is_over(line: str) -> bool:
    return line.endswith("f") or (len(line) >= 2 and line.endswith("c"))


@dataclass(frozen=True)
class Leduc(Rules):
    """Leduc poker: one card for each player, a round of betting, a public card, and another round of betting.

    The deck has two suits. Suits never matter, so chance deals one rank to each player. Both players ante 1. Bets and
    raises are 2 in round 1 and 4 in round 2. Player 1 acts first in both rounds. The actions are in this order: fold
    (after a bet), check or call, bet or raise (if allowed). A pair with the public card wins. Without a pair, the
    higher rank wins. In the label of an information set, such as ``"Q:crc K:r"``, c is check or call, and r is bet or
    raise.

    Parameters
    ----------
    ranks : int
        Number of ranks. The deck has two cards of each rank.
    raises : int
        Largest number of bets and raises per round.

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
        """Title of the game."""
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
        """Return the history before the deal."""
        return (-1, -1, "", -1, "")

    def player(self, h: History) -> int:
        """Return the player to move: chance before each round, and then players 1 and 2 in turns."""
        a, _, first, public, second = h
        if a < 0:
            return CHANCE
        if public >= 0:
            return TERMINAL if _round_is_over(second) else len(second) % 2
        if not _round_is_over(first):
            return len(first) % 2
        return TERMINAL if first.endswith("f") else CHANCE

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the ranks that can be dealt, or the actions in the betting."""
        a, b, first, public, second = h
        if a < 0:
            return self._deal_labels
        if public >= 0:
            return _actions_after(second, self.raises)
        return draw(self.ranks, 2, (a, b))[1] if _round_is_over(first) else _actions_after(first, self.raises)

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Return the probabilities of the deals if no card is dealt yet, else the probabilities of the public ranks."""
        return self._deal_probabilities if h[0] < 0 else draw(self.ranks, 2, h[:2])[2]

    def child(self, h: History, i: int) -> History:
        """Return the history after action i. Actions deal cards or the public rank, or add a letter to the betting."""
        a, b, first, public, second = h
        if a < 0:
            return (*divmod(i, self.ranks), "", -1, "")
        if public >= 0:
            return (a, b, first, public, second + _LETTER[_actions_after(second, self.raises)[i]])
        if _round_is_over(first):
            return (a, b, first, draw(self.ranks, 2, (a, b))[0][i], "")
        return (a, b, first + _LETTER[_actions_after(first, self.raises)[i]], -1, "")

    def infoset(self, h: History) -> str:
        """Return the rank of the mover, the betting and the public rank, such as ``"Q:crc K:r"``."""
        a, b, first, public, second = h
        if public >= 0:
            return f"{self._names[b if len(second) % 2 else a]}:{first} {self._names[public]}:{second}"
        return f"{self._names[b if len(first) % 2 else a]}:{first}"

    def payoff(self, h: History) -> tuple[int, int]:
        """Return the payoffs: the winner gets the ante and the bets that the loser has paid."""
        a, b, first, public, second = h
        stake = 1 + BETS[0] * first.count("r") + BETS[1] * second.count("r")
        last = second if public >= 0 else first
        if last.endswith("f"):
            stake -= BETS[public >= 0]  # the player who folded did not pay the last bet
            return (stake, -stake) if len(last) % 2 == 0 else (-stake, stake)
        return showdown(a, b, public, stake)

    def utility_bounds(self) -> tuple[int, int]:
        """Return bounds for player 1's payoff: plus and minus the sum of the ante and all bets in both rounds."""
        most = 1 + self.raises * sum(BETS)
        return -most, most

    def counts(self) -> dict[str, Any]:
        """Compute the sizes of the game without building the tree. The command ``tremble info`` prints them."""
        n, betting = self.ranks, betting_round(1, self.raises - 1)
        rounds = n * n + betting.goes_on * n * (n - 1) * (n + 1)  # number of betting rounds in the tree
        leaves = n * n * betting.folds + (rounds - n * n) * (betting.folds + betting.goes_on)
        seen = n * (1 + betting.goes_on * n)  # number of betting rounds that a player can distinguish
        return zero_sum_counts(
            chance=1 + n * n * betting.goes_on,
            player=[rounds * decisions for decisions in betting.decisions],
            terminal=leaves,
            information_sets=[seen * decisions for decisions in betting.decisions],
            sequences=[1 + seen * actions for actions in betting.actions],
            max_depth=2 + 2 * betting.longest,
        )
