"""Generic poker: one private card for each player, one public card, and multiple sizes of bets and raises."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, NamedTuple

from tremble.errors import SpecError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games.cards import draw, showdown
from tremble.games.counting import zero_sum_counts
from tremble.games.kuhn import rank_names
from tremble.games.parameters import Bounds, Rules

__all__ = ["BettingRound", "Poker", "betting_round"]


class BettingRound(NamedTuple):
    """Counts of betting lines in one round. A betting line is a list of actions from the start of the round."""

    decisions: tuple[int, int]  # for each player, number of lines after which the player moves
    actions: tuple[int, int]  # for each player, total number of actions after these lines
    goes_on: int  # number of lines that end the round without a fold
    folds: int  # number of lines that end with a fold
    longest: int  # number of moves in the longest line: a check, a bet, all raises, a call


def betting_round(sizes: int, raises: int) -> BettingRound:
    """Count the betting lines with ``sizes`` bet sizes and at most ``raises`` raises.

    Examples
    --------
    In Leduc poker with one bet and one raise, a round without a fold is cc, crc, crrc, rc or rrc:

    >>> betting_round(1, 1)
    BettingRound(decisions=(3, 3), actions=(7, 7), goes_on=5, folds=4, longest=4)
    """
    decisions, actions = [1, 1], [sizes + 1, sizes + 1]  # the lines without a bet: the empty line and a check
    goes_on, folds = 1, 0
    for opener in (0, 1):
        for k in range(raises + 1):
            mover, lines = (opener + 1 + k) % 2, sizes ** (k + 1)  # number of lines that end with a bet, k raises
            decisions[mover] += lines
            actions[mover] += lines * (2 + (sizes if k < raises else 0))
            goes_on += lines
            folds += lines
    return BettingRound((decisions[0], decisions[1]), (actions[0], actions[1]), goes_on, folds, raises + 3)


class History(NamedTuple):
    """A history: the cards, the betting, and numbers derived from the betting."""

    mover: int  # 0, 1, CHANCE or TERMINAL
    private: tuple[int, ...]  # types of the private cards dealt so far
    public: int  # type of the public card; -1 before the deal
    text: str  # the betting, such as "b2r2c K:b4"
    paid: tuple[int, int]  # chips that players 1 and 2 have paid, including antes
    owed: int  # chips that the mover must pay to call; 0 if there is no bet
    raises: int  # number of raises in this round
    opened: bool  # True if a player has acted in this round


@dataclass(frozen=True)
class Poker(Rules):
    """Generic poker: a private card for each player, a round of betting, a public card, and another round of betting.

    The deck has ``types * each`` cards. Both players ante 1 and have unlimited chips. The sizes of bets and raises are
    2, 4, ..., 2*bets in round 1, and twice these numbers in round 2. A player who raises by v pays v more than a call
    costs. Player 1 acts first in both rounds. Before a bet, the actions are the bets in ascending order, then check.
    After a bet, the actions are call, the raises in ascending order (if a raise is left), and fold. A pair with the
    public card wins. Without a pair, the higher card wins. Equal cards tie. One chance node deals a type of card to
    player 1, and a second chance node deals a type to player 2.

    Parameters
    ----------
    types : int
        Number of types of cards.
    each : int
        Number of cards of each type.
    bets : int
        Number of sizes of bets and raises.
    raises : int
        Largest number of raises in a round, not counting the bet.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(Poker()).num_nodes
    1939

    References
    ----------
    B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček, "An exact double-oracle algorithm for zero-sum
    extensive-form games with imperfect information", JAIR 51, 2014.
    """

    types: Annotated[int, Bounds(2, 1000)] = 3
    each: Annotated[int, Bounds(1, 1000)] = 2
    bets: Annotated[int, Bounds(1, 1000)] = 1
    raises: Annotated[int, Bounds(0, 100)] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.types * self.each < 3:
            raise SpecError(f"types={self.types} and each={self.each} is not allowed; expected at least 3 cards in all")

    @property
    def title(self) -> str:
        """Title of the game."""
        sizes = "1 bet size" if self.bets == 1 else f"{self.bets} bet sizes"
        raises = "1 raise" if self.raises == 1 else f"{self.raises} raises"
        return f"Poker, {self.types} types of {self.each} cards, {sizes}, {raises} a round"

    @cached_property
    def _sizes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Sizes of bets and raises in round 1 and in round 2."""
        return tuple(range(2, 2 * self.bets + 1, 2)), tuple(range(4, 4 * self.bets + 1, 4))

    @cached_property
    def _actions_by_situation(self) -> dict[tuple[bool, bool, bool], tuple[str, ...]]:
        """A dict of the legal actions. The keys are three bools: second round, a bet was made, a raise is left."""
        menus = {}
        for later in (False, True):
            sizes = self._sizes[later]
            opening = (*(f"bet {v}" for v in sizes), "check")
            menus[later, False, False] = menus[later, False, True] = opening
            menus[later, True, False] = ("call", "fold")
            menus[later, True, True] = ("call", *(f"raise {v}" for v in sizes), "fold")
        return menus

    def root(self) -> History:
        """Return the history after the antes and before the deal."""
        return History(CHANCE, (), -1, "", (1, 1), 0, 0, False)

    def player(self, h: History) -> int:
        """Return the player to move."""
        return h.mover

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the labels of the possible deals if chance moves, or else the actions of the mover in the betting."""
        if h.mover == CHANCE:
            return draw(self.types, self.each, h.private)[1]
        return self._actions_by_situation[h.public >= 0, h.owed > 0, h.raises < self.raises]

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Return the probabilities of the card types that can be dealt: their shares of the remaining cards."""
        return draw(self.types, self.each, h.private)[2]

    def child(self, h: History, i: int) -> History:
        """Return the history after action i, which adds a card or a move of a player."""
        mover, private, public, text, paid, owed, raises, opened = h
        if mover == CHANCE:
            card = draw(self.types, self.each, private)[0][i]
            if len(private) < 2:
                private = (*private, card)
                return History(CHANCE if len(private) < 2 else 0, private, -1, "", paid, 0, 0, False)
            return History(0, private, card, f"{text} {rank_names(self.types)[card]}:", paid, 0, 0, False)
        sizes = self._sizes[public >= 0]
        if owed == 0 and i == len(sizes):  # check
            if opened:
                return self._round_over(h, f"{text}k", paid)
            return History(1 - mover, private, public, f"{text}k", paid, 0, raises, True)
        if owed == 0:
            by = sizes[i]
            text = f"{text}b{by}"
        elif i == 0:  # call
            return self._round_over(h, f"{text}c", self._pay(paid, mover, owed))
        elif raises < self.raises and i <= len(sizes):
            by = sizes[i - 1]
            text = f"{text}r{by}"
            raises += 1
        else:
            return History(TERMINAL, private, public, f"{text}f", paid, owed, raises, True)
        return History(1 - mover, private, public, text, self._pay(paid, mover, owed + by), by, raises, True)

    @staticmethod
    def _pay(paid: tuple[int, int], mover: int, amount: int) -> tuple[int, int]:
        return (paid[0] + amount, paid[1]) if mover == 0 else (paid[0], paid[1] + amount)

    @staticmethod
    def _round_over(h: History, text: str, paid: tuple[int, int]) -> History:
        return History(CHANCE if h.public < 0 else TERMINAL, h.private, h.public, text, paid, 0, 0, False)

    def infoset(self, h: History) -> str:
        """Return the card of the mover, the betting and the public card, such as ``"J:b2r2c K:kb4"``; k is a check."""
        return f"{rank_names(self.types)[h.private[h.mover]]}:{h.text}"

    def payoff(self, h: History) -> tuple[int, int]:
        """Return the payoffs: the winner gets the chips that the loser has paid."""
        player1, player2 = h.paid
        if player1 != player2:  # the player who has paid less has folded
            return (player2, -player2) if player2 < player1 else (-player1, player1)
        a, b = h.private
        return showdown(a, b, h.public, player1)

    def utility_bounds(self) -> tuple[int, int]:
        """Return bounds -u and u on player 1's payoff. u is the most that a player can pay: ante, bets and raises."""
        most = 1 + (1 + self.raises) * sum(sizes[-1] for sizes in self._sizes)
        return -most, most

    def counts(self) -> dict[str, Any]:
        """Compute the sizes of the game for ``tremble info``, without building the tree."""
        m, betting = self.types, betting_round(self.bets, self.raises)
        pairs = m * m if self.each > 1 else m * (m - 1)  # deals to both players, or of (own card, public card)
        boards = {1: pairs * (m - 2), 2: m * (m - 1) * (m + 1)}.get(self.each, m**3)  # deals of three cards
        later = betting.goes_on * boards
        seen = m + betting.goes_on * pairs
        return zero_sum_counts(
            chance=1 + m + pairs * betting.goes_on,
            player=[(pairs + later) * decisions for decisions in betting.decisions],
            terminal=pairs * betting.folds + later * (betting.folds + betting.goes_on),
            information_sets=[seen * decisions for decisions in betting.decisions],
            sequences=[1 + seen * actions for actions in betting.actions],
            max_depth=3 + 2 * betting.longest,
        )
