r"""The hands, final boards and strengths of a Hold'em game, as arrays.

*Suits that are alike.*  Two suits are alike if the board has the same ranks in both, and if exchanging the suits
changes no weight of a range. Exchanging two such suits maps the game to itself, so it maps an equilibrium to an
equilibrium, and the strategies of regret minimization, which begin symmetric, stay symmetric. River cards that differ
only by suits that are alike therefore need only one table: the strategy after the card c' is the strategy after the
*leading* card c, with the suits of c and c' exchanged in all hands.

*Hands that are alike.*  On a known river, two cards c and d are alike if the hands {c, e} and {d, e} have equal
strengths and equal weights in both ranges, for each other card e. Exchanging c and d maps the game to itself. A class
of hands consists of the hands whose two cards are in the same two classes of cards.

*States.*  A *state* is the sequence of the cards that are dealt after the known board. The state number -1 stands for
no card. If n cards can be dealt first, the state number s with the card number k after it is the state number
(s + 1) n + k. So on a turn, the number of the river card is also the number of the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.poker.games.hand_ranges import DECK
from tremble.poker.games.poker_hands import hand_scores

__all__ = ["Deal"]

IntArray = NDArray[np.int64]

_DECK, _BOARD, _HELD = 52, 5, 4  # cards in all, on a complete board, and in both players' hands


@dataclass(frozen=True, eq=False)
class Deal:
    """The hands of both players, and the final boards.

    Attributes
    ----------
    board : tuple of int
        The numbers of the three to five known public cards: the position in ``DECK``.
    cards : pair of int arrays [hands, 2]
        The cards of each hand with a positive weight, the lower number first. Hands are sorted by the
        higher card, then by the lower card.
    weights : pair of int arrays [hands]
        The weight of each hand, as a whole number.
    unit : pair of int
        The whole number that stands for the weight 1.
    merged : bool
        False if suits and hands must not count as alike, because a rule treats them differently.
    dealt : tuple of int
        Further public cards. Hands that contain one of them are listed, but nobody can hold them.
    """

    board: tuple[int, ...]
    cards: tuple[IntArray, IntArray]
    weights: tuple[IntArray, IntArray]
    unit: tuple[int, int]
    merged: bool = True
    dealt: tuple[int, ...] = ()

    @classmethod
    def of(cls, board: Sequence[str], ranges: Sequence[Mapping[str, Fraction]], *, merged: bool = True) -> Deal:
        """Return the deal of a board and two ranges, which map hands such as ``"AhKd"`` to weights."""
        number = {card: k for k, card in enumerate(DECK)}
        cards, weights, units = [], [], []
        for held in ranges:
            pairs = {hand: sorted((number[hand[:2]], number[hand[2:]])) for hand, weight in held.items() if weight}
            listed = sorted(pairs, key=lambda hand: pairs[hand][::-1])
            unit = lcm(*(held[hand].denominator for hand in listed))
            cards.append(np.array([pairs[hand] for hand in listed], dtype=np.int64).reshape(-1, 2))
            whole = [int(held[hand] * unit) for hand in listed]
            if sum(whole) >= 2**62:
                raise SpecError("the weights of a range have too many digits; round them to fewer digits")
            weights.append(np.array(whole, dtype=np.int64))
            units.append(unit)
        return cls(
            tuple(number[card] for card in board), (cards[0], cards[1]), (weights[0], weights[1]),
            (units[0], units[1]), merged,
        )  # fmt: skip

    @cached_property
    def num_hands(self) -> int:
        """The number of pairs of cards outside of the board."""
        left = 52 - len(self.board)
        return left * (left - 1) // 2

    @cached_property
    def numbers(self) -> tuple[IntArray, IntArray]:
        """The number of each hand of each player, among all pairs of cards outside of the board."""
        place = np.zeros(52, dtype=np.int64)
        rest = [card for card in range(52) if card not in self.board]
        place[rest] = np.arange(len(rest))
        found = [place[cards[:, 1]] * (place[cards[:, 1]] - 1) // 2 + place[cards[:, 0]] for cards in self.cards]
        return found[0], found[1]

    @property
    def known(self) -> tuple[int, ...]:
        """All public cards that are known."""
        return self.board + self.dealt

    @cached_property
    def rivers(self) -> IntArray:
        """The cards that can be dealt next: all cards that are not public, or -1 alone for a known river."""
        if len(self.known) == _BOARD:
            return np.array([-1])
        return np.array([card for card in range(_DECK) if card not in self.known])

    def run_outs(self, known: int = 0, most: int = _BOARD) -> int:
        """Return the number of sequences of cards that can complete the board, if both players' hands are known.

        Of these cards, ``known`` are known, too. With ``most``, the sequences complete a board of so many cards.
        """
        return prod(_DECK - _HELD - count for count in range(len(self.known) + known, most))

    def positions(self, state: int) -> list[int]:
        """Return the position in ``rivers`` of each card of a state."""
        found: list[int] = []
        while state >= 0:
            state, last = divmod(state, len(self.rivers))
            found.insert(0, last)
            state -= 1
        return found

    def cards_of(self, state: int) -> list[int]:
        """Return the cards of a state, in the order in which they are dealt."""
        return [card for card in self.rivers[self.positions(state)].tolist() if card >= 0]

    def place(self, state: int) -> int:
        """Return the position of a state in a list of all sequences of as many cards, with repetitions."""
        found = 0
        for position in self.positions(state):
            found = found * len(self.rivers) + position
        return found

    def before(self, state: int, count: int = 1) -> int:
        """Return the state without its last ``count`` cards."""
        for _ in range(count):
            state = state // len(self.rivers) - 1
        return state

    def with_cards(self, state: int, cards: Iterable[int]) -> int:
        """Return the state with more cards."""
        for card in cards:
            state = (state + 1) * len(self.rivers) + int(np.searchsorted(self.rivers, card))
        return state

    def states(self, count: int, first: int = -1) -> Iterator[int]:
        """Yield the numbers of all states with ``count`` cards that begin with the cards of the state ``first``."""
        if count == len(self.cards_of(first)):
            yield first
        else:
            for before in self.states(count - 1, first):
                yield from self.states_after(before)

    def states_after(self, state: int) -> Iterator[int]:
        """Yield the numbers of the states with one more card."""
        used = self.cards_of(state)
        yield from (self.with_cards(state, [card]) for card in self.rivers.tolist() if card not in used)

    def after(self, card: int) -> Deal:
        """Return the deal with one more public card."""
        if card not in self._after:
            self._after[card] = replace(self, dealt=(*self.dealt, card))
        return self._after[card]

    @cached_property
    def _after(self) -> dict[int, Deal]:
        return {}

    @cached_property
    def swap(self) -> IntArray:
        """The lowest suit that is alike, for each suit: [4]."""
        found = np.arange(4)
        if len(self.known) == _BOARD or not self.merged:
            return found
        for suit in range(4):
            for other in range(suit):
                if found[other] == other and self._alike(suit, other):
                    found[suit] = other
                    break
        return found

    def _alike(self, suit: int, other: int) -> bool:
        ranks = [{card // 4 for card in self.board if card % 4 == s} for s in (suit, other)]
        if ranks[0] != ranks[1] or any(card % 4 in (suit, other) for card in self.dealt):
            return False
        for player in (0, 1):
            image = self.exchanged(player, suit, other)
            if (image < 0).any() or (self.weights[player][image] != self.weights[player]).any():
                return False
        return True

    def exchanged(self, player: int, suit: int, other: int) -> IntArray:
        """Exchange two suits; return the number of each hand's new hand, or -1 if it is outside of the range."""
        names = np.arange(4)
        names[[suit, other]] = other, suit
        cards = self.cards[player]
        image = np.sort(cards // 4 * 4 + names[cards % 4], axis=1)
        return self.index_of(player, image)

    def index_of(self, player: int, cards: IntArray) -> IntArray:
        """Return the numbers of hands, given as sorted pairs of cards [n, 2]; -1 for hands outside of the range."""
        table = np.full(52 * 52, -1, dtype=np.int64)
        own = self.cards[player]
        table[own[:, 0] * 52 + own[:, 1]] = np.arange(len(own))
        found: IntArray = table[cards[:, 0] * 52 + cards[:, 1]]
        return found

    @cached_property
    def leading(self) -> IntArray:
        """The numbers (positions in ``rivers``) of the river cards that have tables."""
        if len(self.known) == _BOARD:
            return np.array([0])
        return np.flatnonzero(self.swap[self.rivers % 4] == self.rivers % 4)

    @cached_property
    def turns(self) -> list[Deal]:
        """The deals after the leading turn cards of a flop."""
        return [self.after(card) for card in self.rivers[self.leading].tolist()]

    def tables(self, count: int) -> list[int]:
        """Return the states with ``count`` cards that have separate tables, in the order of these tables."""
        if count < 2:
            return self.leading.tolist() if count else [-1]
        later = zip(self.leading.tolist(), self.turns, strict=True)
        return [self.with_cards(first, [card]) for first, turn in later for card in turn.rivers[turn.leading].tolist()]

    def sources(self, player: int, count: int) -> Iterator[tuple[int, int, IntArray]]:
        """Yield each state with ``count`` cards (1 or 2), the number of the table that it uses, and the hands there.

        The hand number h has the strategy of the hand ``hands[h]`` of the table; -1 if it contains a card of the state.
        """
        n, start = len(self.rivers), np.cumsum([0, *(len(turn.leading) for turn in self.turns if count > 1)])
        for k, lead in enumerate(self.leader.tolist()):
            source = np.where(self.free(player, k), self.source(player, k), -1)
            if count == 1:
                yield k, lead, source
                continue
            turn, suit = self.turns[lead], int(self.rivers[k]) % 4
            names = np.arange(4)
            names[[suit, self.swap[suit]]] = self.swap[suit], suit
            image = self.rivers // 4 * 4 + names[self.rivers % 4]
            for river in range(n):
                if river != k:
                    j = int(np.searchsorted(turn.rivers, image[river]))
                    then = np.where(turn.free(player, j), turn.source(player, j), -1)
                    found = np.where(source >= 0, then[source], -1)
                    yield (k + 1) * n + river, int(start[lead] + turn.leader[j]), found

    @cached_property
    def leader(self) -> IntArray:
        """The position in ``leading`` of the leading card of each river card."""
        if len(self.known) == _BOARD:
            return np.array([0])
        lead = self.rivers // 4 * 4 + self.swap[self.rivers % 4]
        found: IntArray = np.searchsorted(self.rivers[self.leading], lead)
        return found

    def source(self, player: int, river: int) -> IntArray:
        """Return the hand after the leading card that has the strategy of each hand after a river card."""
        card = int(self.rivers[river])
        if card < 0:
            return np.arange(len(self.cards[player]))
        return self.exchanged(player, card % 4, int(self.swap[card % 4]))

    def free(self, player: int, state: int) -> NDArray[np.bool_]:
        """Return True for the player's hands without a card of a state (or of ``dealt``)."""
        public = np.array([*self.dealt, *self.cards_of(state)], dtype=np.int64)
        found: NDArray[np.bool_] = (self.cards[player][:, :, None] != public).all(axis=(1, 2))
        return found

    def strength(self, player: int, state: int) -> IntArray:
        """Return the score of each hand on a final board; -1 for a hand that contains a public card."""
        cards, free = self.cards[player], self.free(player, state)
        known = [*self.known, *self.cards_of(state)]
        found = np.full(len(cards), -1, dtype=np.int64)
        whole = np.concatenate([cards[free], np.broadcast_to(np.array(known), (free.sum(), 5))], axis=1)
        found[free] = hand_scores(whole)
        return found

    @cached_property
    def strengths(self) -> tuple[IntArray, IntArray]:
        """The scores of each player's hands on each final board with one more card (or none): [boards, hands]."""
        rivers = range(len(self.rivers))
        one, two = (np.stack([self.strength(player, river) for river in rivers]) for player in (0, 1))
        return one, two

    @cached_property
    def mass(self) -> int:
        """The sum of the weights of all pairs of hands without a common card."""
        (cards1, _), (weights1, weights2) = self.cards, self.weights
        total = int(weights1.sum()) * int(weights2.sum())
        for card in range(52):
            one, two = (w[(c == card).any(axis=1)] for c, w in zip(self.cards, self.weights, strict=True))
            total -= int(one.sum()) * int(two.sum())
        same = self.index_of(1, cards1)  # pairs of equal hands have been subtracted twice
        return total + sum(int(w) * int(weights2[k]) for w, k in zip(weights1, same, strict=True) if k >= 0)

    @cached_property
    def apart(self) -> NDArray[np.bool_]:
        """True for the pairs of hands without a common card, [hands of player 1, hands of player 2]."""
        cards1, cards2 = self.cards
        found: NDArray[np.bool_] = (cards1[:, None, :, None] != cards2[None, :, None, :]).all(axis=(2, 3))
        return found

    @cached_property
    def won(self) -> IntArray:
        """The deals of the missing cards with which player 1 wins, minus those with which player 2 wins.

        The array has an entry for each pair of hands: [hands of player 1, hands of player 2].
        """
        if len(self.known) == _BOARD - 2:
            every: IntArray = np.sum([self.after(card).won for card in self.rivers.tolist()], axis=0)
            return every
        found = np.zeros((len(self.cards[0]), len(self.cards[1])), dtype=np.int64)
        for mine, theirs in zip(*(np.where(each < 0, np.nan, each) for each in self.strengths), strict=True):
            found += mine[:, None] > theirs  # no comparison with NaN is true
            found -= mine[:, None] < theirs
        return found * self.apart

    def advantage(self, state: int) -> IntArray:
        """Return `won` for the deals of the missing cards that begin with the cards of a state."""
        cards = self.cards_of(state)
        if len(self.known) + len(cards) < _BOARD:
            return self.after(cards[0]).won if cards else self.won
        mine, theirs = self.strength(0, state), self.strength(1, state)
        both = (mine >= 0)[:, None] & (theirs >= 0) & self.apart
        found: IntArray = np.sign(mine[:, None] - theirs) * both
        return found

    @cached_property
    def like(self) -> IntArray:
        """The lowest card that is alike, for each card: [52]. On turns, no cards are alike."""
        like = np.arange(52)
        if len(self.known) < _BOARD or not self.merged:
            return like
        facts = np.full((52, 52, 3), -1, dtype=np.int64)
        for player in (0, 1):
            a, b = self.cards[player].T
            facts[a, b, 0] = facts[b, a, 0] = self.strengths[player][0]
            facts[a, b, 1 + player] = facts[b, a, 1 + player] = self.weights[player]
        same = (facts[:, None] == facts).all(axis=3)  # [card, other card, third card]
        cards = np.arange(_DECK)
        same[cards, :, cards] = same[:, cards, cards] = True  # the two cards themselves do not count
        alike, held = same.all(axis=2), (facts >= 0).any(axis=(1, 2))
        for card in np.flatnonzero(held).tolist():
            if like[card] == card:
                like[(like == cards) & alike[card] & (cards > card)] = card
        return like

    @property
    def alike(self) -> tuple[IntArray, IntArray]:
        """The class of each hand that shares a column of the engine's tables. On turns, each hand has a column."""
        if len(self.board) < 5:
            return np.arange(len(self.cards[0])), np.arange(len(self.cards[1]))
        return self.class_of

    @cached_property
    def class_of(self) -> tuple[IntArray, IntArray]:
        """The number of the class of each hand. On turns, hands that differ by suits that are alike share a class."""
        if len(self.board) < 5:
            return self._orbits(0), self._orbits(1)
        pairs = [np.sort(self.like[cards], axis=1) for cards in self.cards]
        classes = [np.unique(pair[:, 0] * 52 + pair[:, 1], return_inverse=True)[1].reshape(-1) for pair in pairs]
        return classes[0], classes[1]

    def _orbits(self, player: int) -> IntArray:
        """Return the least hand that each hand on a turn becomes if suits that are alike are exchanged."""
        least = np.arange(len(self.cards[player]))
        swaps = [self.exchanged(player, s, int(self.swap[s])) for s in range(4) if self.swap[s] != s]
        while True:
            lower = np.minimum.reduce([least, *(least[image] for image in swaps)])
            if (lower == least).all():
                return least
            least = lower
