"""Texas Hold'em from the turn or the river on: two players, any ranges, no-limit betting, and a rake if wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from tremble.errors import SpecError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games.parameters import Bounds, Rules
from tremble.numbers import exact_number
from tremble.poker.games.hand_ranges import DECK, cards_of, range_weights
from tremble.poker.games.poker_hands import hand_scores
from tremble.poker.holdem.betting import Betting, BettingTree, End
from tremble.poker.holdem.deal import Deal
from tremble.poker.holdem.sizes import by_street
from tremble.value import Value

__all__ = ["History", "HoldemGame", "HoldemRiver", "HoldemTurn"]


class History(NamedTuple):
    """The hand of each player (its number, or -1 before the deal), the number of the river card (or -1), and a node."""

    hand1: int
    hand2: int
    river: int
    node: int


class HoldemGame(Rules, Value):
    """The rules that all Hold'em games have in common. Subclasses are dataclasses with the parameters as fields."""

    board: str
    pot: float
    stack: float
    bets: str
    raise_sizes: str
    raises: int
    bets1: str
    bets2: str
    raise_sizes1: str
    raise_sizes2: str
    donk: str
    add_all_in: float
    force_all_in: float
    range1: str
    range2: str
    rake: float
    cap: float

    streets = 1
    """The number of streets with betting."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "board", "".join(self.board.replace(",", " ").split()))
        if len(cards_of(self.board, "board")) != 6 - self.streets:
            count, example = ("four", "Qs9h7s4d") if self.streets == 2 else ("five", "Qs9h7s4d2s")
            raise SpecError(f"board={self.board:.40} is not allowed; expected {count} cards, such as {example}")
        self.betting  # noqa: B018 (read the sizes and ranges now, so that their errors are raised here)
        if not self.deal.mass:
            raise SpecError("range1 and range2 have no two hands that can be dealt together")

    @cached_property
    def betting(self) -> Betting:
        """The rules of the betting."""

        def amount(name: str) -> Fraction:
            return Fraction(exact_number(getattr(self, name), name, "decimal"))

        streets = self.streets
        bets = tuple(by_street(own or self.bets, streets, "bets") for own in (self.bets1, self.bets2))
        raises = tuple(
            by_street(own or self.raise_sizes, streets, "raise_sizes") if own or self.raise_sizes else side
            for own, side in zip((self.raise_sizes1, self.raise_sizes2), bets, strict=True)
        )
        donks = by_street(self.donk, streets, "donk") if self.donk else (None,) * streets
        pot, stack = amount("pot"), amount("stack")
        chip = Fraction(1)
        while pot % chip or stack % chip:
            chip /= 10
        percent = Fraction(1, 100)
        return Betting(
            streets, pot, stack, chip, bets, raises, donks, self.raises,
            amount("add_all_in") * percent, amount("force_all_in") * percent,
        )  # fmt: skip

    @cached_property
    def tree(self) -> BettingTree:
        """All lines of moves."""
        return BettingTree(self.betting)

    @cached_property
    def deal(self) -> Deal:
        """The hands of both players and the possible final boards."""
        board = cards_of(self.board, "board")
        return Deal.of(board, [range_weights(text, board, f"range{k}") for k, text in enumerate((self.range1, self.range2), 1)])

    @property
    def title(self) -> str:
        """The title of the game."""
        street = ("river", "turn")[self.streets - 1]
        ranges = ", given ranges" if self.range1.strip() or self.range2.strip() else ""
        betting = self.betting
        return f"Hold'em {street} {self.board}, pot {_plain(betting.pot)}, stacks {_plain(betting.stack)}{ranges}"

    def raked(self, paid: Fraction) -> Fraction:
        """Return the rake of a pot to which each player has added ``paid`` chips."""
        rake, cap = (Fraction(exact_number(value, "rake", "decimal")) for value in (self.rake, self.cap))
        whole = rake / 100 * (self.betting.pot + 2 * paid)
        return min(whole, cap) if cap else whole

    def hand_text(self, player: int, hand: int) -> str:
        """Return the two cards of a hand, with the higher card first."""
        low, high = self.deal.cards[player][hand].tolist()
        return DECK[high] + DECK[low]

    # -- tremble.Game --------------------------------------------------------------------------------

    def root(self) -> History:
        """Return the history before the deal."""
        return History(-1, -1, -1, 0)

    def player(self, h: History) -> int:
        """Return the player to move, ``CHANCE`` or ``TERMINAL``."""
        kind = self.tree.nodes[h.node].kind
        if h.hand2 < 0 or (h.river < 0 and kind in (End.DEAL, End.RUN_OUT)):
            return CHANCE
        return TERMINAL if kind >= End.FOLD else kind

    def actions(self, h: History) -> Sequence[str]:
        """Return the labels of the actions, or the names of the cards that can be dealt."""
        if self.player(h) != CHANCE:
            return self.tree.nodes[h.node].actions
        if h.hand2 >= 0:
            return [DECK[card] for _, card in self._cards_left(h)]
        side = 0 if h.hand1 < 0 else 1
        return [self.hand_text(side, hand) for hand, _ in self._hands_left(h)]

    def chance(self, h: History) -> Sequence[Fraction]:
        """Return the probabilities of the cards that can be dealt."""
        if h.hand2 >= 0:
            return [Fraction(1, 44)] * 44
        weights = [weight for _, weight in self._hands_left(h)]
        return [Fraction(weight, sum(weights)) for weight in weights]

    def _hands_left(self, h: History) -> list[tuple[int, int]]:
        """Return the hands that can be dealt next, each with its weight."""
        (cards1, cards2), (weights1, weights2) = self.deal.cards, self.deal.weights
        if h.hand1 < 0:
            mass = [int(weights2[(cards2[:, :, None] != pair).all(axis=(1, 2))].sum()) for pair in cards1]
            return [(k, int(w) * m) for k, (w, m) in enumerate(zip(weights1, mass, strict=True)) if m]
        free = (cards2[:, :, None] != cards1[h.hand1]).all(axis=(1, 2))
        return [(k, int(weights2[k])) for k in free.nonzero()[0].tolist()]

    def _cards_left(self, h: History) -> list[tuple[int, int]]:
        used = {*self.deal.cards[0][h.hand1].tolist(), *self.deal.cards[1][h.hand2].tolist()}
        return [(k, card) for k, card in enumerate(self.deal.rivers.tolist()) if card not in used]

    def child(self, h: History, i: int) -> History:
        """Return the history after an action or a deal."""
        if self.player(h) != CHANCE:
            return h._replace(node=self.tree.nodes[h.node].child[i])
        if h.hand1 < 0:
            return h._replace(hand1=self._hands_left(h)[i][0])
        if h.hand2 < 0:
            return h._replace(hand2=self._hands_left(h)[i][0])
        node = self.tree.nodes[h.node]
        return h._replace(river=self._cards_left(h)[i][0], node=node.child[0] if node.kind == End.DEAL else h.node)

    def infoset(self, h: History) -> str:
        """Return the hand of the player to move, the river card and the moves."""
        player = self.player(h)
        words = [self.hand_text(player, h[player])]
        lines = self.tree.lines[h.node]
        for street, line in enumerate(lines):
            if street:
                words.append(DECK[self.deal.rivers[h.river]])
            words.extend(line)
        return " ".join(words)

    def payoff(self, h: History) -> tuple[Fraction, Fraction]:
        """Return each player's gain in chips. Each player has paid half of the pot before."""
        node = self.tree.nodes[h.node]
        paid = min(node.paid)
        lost, rake = self.betting.pot / 2 + paid, self.raked(paid)
        if node.kind == End.FOLD:
            winner = 1 - self.tree.nodes[node.parent].kind
        else:
            known = [DECK.index(card) for card in cards_of(self.board, "board")]
            known += [card for card in self.deal.rivers[[max(h.river, 0)]].tolist() if card >= 0]
            cards = [[*self.deal.cards[player][h[player]].tolist(), *known] for player in (0, 1)]
            score1, score2 = hand_scores(np.array(cards)).tolist()
            if score1 == score2:
                return -rake / 2, -rake / 2
            winner = 0 if score1 > score2 else 1
        won = lost - rake
        return (won, -lost) if winner == 0 else (-lost, won)


def _plain(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else str(float(number))


@dataclass(frozen=True, eq=False, repr=False)
class HoldemTurn(HoldemGame):
    """The last two rounds of Texas Hold'em on a known turn, with any ranges of hands.

    Parameters
    ----------
    board : str
        Four cards, such as ``"Qs9h7s4d"``.
    """

    board: str = "Qs9h7s4d"
    pot: Annotated[float, Bounds(0, 10**6)] = 100
    stack: Annotated[float, Bounds(0, 10**6)] = 300
    bets: str = "50,100"
    raise_sizes: str = ""
    raises: Annotated[int, Bounds(0, 10)] = 2
    bets1: str = ""
    bets2: str = ""
    raise_sizes1: str = ""
    raise_sizes2: str = ""
    donk: str = ""
    add_all_in: Annotated[float, Bounds(0, 10**6)] = 0
    force_all_in: Annotated[float, Bounds(0, 10**6)] = 0
    range1: str = ""
    range2: str = ""
    rake: Annotated[float, Bounds(0, 100)] = 0
    cap: Annotated[float, Bounds(0, 10**6)] = 0

    streets = 2


@dataclass(frozen=True, eq=False, repr=False)
class HoldemRiver(HoldemGame):
    """The last round of Texas Hold'em on a known river, with any ranges of hands."""

    board: str = "Qs9h7s4d2s"
    pot: Annotated[float, Bounds(0, 10**6)] = 100
    stack: Annotated[float, Bounds(0, 10**6)] = 300
    bets: str = "33,75,150"
    raise_sizes: str = ""
    raises: Annotated[int, Bounds(0, 10)] = 2
    bets1: str = ""
    bets2: str = ""
    raise_sizes1: str = ""
    raise_sizes2: str = ""
    donk: str = ""
    add_all_in: Annotated[float, Bounds(0, 10**6)] = 0
    force_all_in: Annotated[float, Bounds(0, 10**6)] = 0
    range1: str = ""
    range2: str = ""
    rake: Annotated[float, Bounds(0, 100)] = 0
    cap: Annotated[float, Bounds(0, 10**6)] = 0

    streets = 1
