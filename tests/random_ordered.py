"""Small random ordered games: decks with equal cards, weights, ranges, stage trees and payoffs of all kinds."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from tremble.poker.game import Number, OrderedGame, Round, Signals
from tremble.poker.stage import GO_ON, OVER, Leaf, Line, Move, StageTree


class RandomOrdered(OrderedGame):
    """All that is random depends on the seed and on what it is asked about, not on the order of the questions."""

    def __init__(self, seed: int, *, sum_: str = "zero", depth: int = 2) -> None:
        self._seed, self._sum, self._depth = seed, sum_, depth
        draw = random.Random(f"{seed} deck")
        self.title = f"random ordered game {seed}"
        # Public and private signals of each round.
        deals = draw.choice(
            [[(0, 1)], [(1, 1)], [(0, 1), (1, 0)], [(0, 1), (1, 0)], [(0, 1), (0, 1)], [(1, 1), (1, 0)]]
        )
        needed = sum(public + 2 * private for public, private in deals)
        self._ranks = sorted(draw.randrange(3) for _ in range(max(needed, draw.randint(4, 5))))
        self._dealt = deals
        self.compares = draw.random() < 0.7
        kind = draw.random()
        if kind < 0.2:
            parts = [draw.choice((1, 1, 2)) for _ in self._ranks]
            self.weights = [Fraction(part, sum(parts)) for part in parts]
        elif kind < 0.5:
            hands = list(combinations(range(len(self._ranks)), deals[0][1]))
            self.ranges = [{hand: draw.choice((0, 1, 1, 2)) for hand in hands} for _ in range(2)]
            for range_ in self.ranges:
                range_[hands[0]] = range_[hands[-1]] = 1

    @cached_property
    def signals(self) -> tuple[str, ...]:
        return tuple(f"{'JQK'[rank]}{number}" for number, rank in enumerate(self._ranks))

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        return tuple(
            Round(StageTree.grow(lambda line, number=number: self._after(number, line)), public, private)
            for number, (public, private) in enumerate(self._dealt)
        )

    def _after(self, number: int, line: Line) -> Move | Leaf:
        draw = random.Random(f"{self._seed} {number} {line}")
        always = all(label == "a" for label in line)  # the line that goes on in any case
        if len(line) < self._depth and (not line or draw.random() < 0.6):
            return Move(draw.randrange(2), tuple("abc")[: draw.choice((2, 2, 3))])
        return GO_ON if always or draw.random() < 0.5 else OVER

    def strength(self, public: Signals, private: Signals) -> int:
        seen = [sorted(self._ranks[signal] for signal in signals) for signals in (public, private)]
        return random.Random(f"{self._seed} {seen}").randrange(4)

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[Number, Number]:
        own = ranks[0] - ranks[1] if self.compares else ranks[0]
        one = self._rising(f"{lines} one", own)
        if self._sum == "general":
            return one, self._rising(f"{lines} two", -own if self.compares else ranks[1])
        if not self.compares:
            one -= self._rising(f"{lines} two", ranks[1])
        return one, -one

    def _rising(self, what: str, at: int) -> Fraction:
        """A function that never falls: of -1, 0 and 1, or of 0 to 3."""
        draw = random.Random(f"{self._seed} {what}")
        steps = [Fraction(draw.choice((0, 0, 1, 2, 3)), draw.choice((1, 1, 2))) for _ in range(5)]
        return Fraction(draw.randint(-3, 3)) + sum(steps[: at + 1])
