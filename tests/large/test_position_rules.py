"""Games written as positions: what is derived from positions, compared with games written as histories."""

from __future__ import annotations

import random
from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import tremble
from rules_of_trees import TABULATED
from tremble.errors import GameError
from tremble.large import DoubleOracleRun, Move, PositionRules, RulesOracle
from tremble.strategies import DefaultRule

WORDS = ("", "", "a", "+", ":", "(a)", "a b", "\\", "-")
LABELS = ("a", "+", "a+", "a b", "(a)", "b\\", ":")


class Drawn(PositionRules):
    """A random game. A position is a round and a number; positions of a round have few successors, so they merge."""

    def __init__(self, seed: int, *, sum_zero: bool = True) -> None:
        rng = random.Random(seed)
        rounds, width = rng.randint(2, 5), rng.randint(1, 3)
        labels = [rng.sample(LABELS, rng.randint(1, 3)) for _ in (0, 1)]
        self.movers = [rng.choice((0, 1, 0, 1, tremble.CHANCE)) for _ in range(rounds)]
        self.table: dict[tuple[int, int], list[Move]] = {}
        self.paid: dict[tuple[int, int], tuple[int, int]] = {}
        for round_, mover in enumerate(self.movers):
            for number in range(width):
                names = labels[mover] if mover >= 0 else rng.sample(LABELS, rng.randint(1, 3))
                weights = [rng.randint(1, 4) for _ in names]
                self.table[round_, number] = [
                    Move(
                        name, (round_ + 1, rng.randrange(width)), (rng.choice(WORDS), rng.choice(WORDS)),
                        Fraction(weight, sum(weights)),
                    )
                    for name, weight in zip(names, weights, strict=True)
                ]  # fmt: skip
        for number in range(width):
            one, two = rng.randint(-2, 2), rng.randint(-2, 2)
            self.paid[rounds, number] = (one, -one if sum_zero else two)

    def start(self) -> tuple[int, int]:
        return 0, 0

    def mover(self, position: tuple[int, int]) -> int:
        return tremble.TERMINAL if position in self.paid else self.movers[position[0]]

    def moves(self, position: tuple[int, int]) -> list[Move]:
        return self.table[position]

    def result(self, position: tuple[int, int]) -> tuple[int, int]:
        return self.paid[position]


class Told:
    """The same game written as histories: the position, and the list of what each player has done and heard."""

    def __init__(self, game: PositionRules) -> None:
        self.game = game

    def root(self) -> Any:
        return self.game.start(), (), ()

    def player(self, h: Any) -> int:
        return self.game.mover(h[0])

    def actions(self, h: Any) -> tuple[str, ...]:
        return tuple(move.label for move in self.game.moves(h[0]))

    def chance(self, h: Any) -> list[Fraction | int]:
        return [move.probability for move in self.game.moves(h[0])]

    def child(self, h: Any, i: int) -> Any:
        mover, move = self.player(h), self.game.moves(h[0])[i]
        known = list(h[1:])
        for player in (0, 1):
            if player == mover:
                known[player] += (("did", move.label, move.words[player]),)
            elif move.words[player]:
                known[player] += (("heard", move.words[player]),)
        return move.then, *known

    def infoset(self, h: Any) -> Hashable:
        known: Hashable = h[1 + self.player(h)]
        return known

    def payoff(self, h: Any) -> Any:
        return self.game.result(h[0])


@pytest.mark.sample(60)
@pytest.mark.parametrize("seed", range(1_000))
def test_derived_histories_are_those_of_lists(seed: int) -> None:
    game = Drawn(seed, sum_zero=False)
    derived, told = tremble.build(game), tremble.build(Told(game))
    assert (derived.num_nodes, derived.num_infosets) == (told.num_nodes, told.num_infosets)
    assert (derived.parent == told.parent).all()
    assert (derived.infoset == told.infoset).all()
    assert tremble.info(derived)["recall"] == ["perfect", "perfect"]


@pytest.mark.sample(60)
@pytest.mark.parametrize("seed", range(1_000))
def test_the_value_is_that_of_the_tree(seed: int) -> None:
    game = Drawn(seed)
    value = tremble.solve(tremble.build(Told(game))).value
    solution = tremble.solve(game, method="double-oracle")
    assert solution.status == "certified"
    assert solution.bounds == (value, value)
    first = DefaultRule("first")
    oracle = RulesOracle(game, (first, first), lambda: None, TABULATED)
    assert DoubleOracleRun(oracle, 2.0).run()[1] == value


def test_equal_state_keys_go_on_alike() -> None:
    for seed in range(30):
        game, known = Drawn(seed), {}
        waiting = [game.root()]
        while waiting:
            h = waiting.pop()
            ends = game.player(h) == tremble.TERMINAL
            after = () if ends else tuple(game.state_key(game.child(h, i)) for i in range(len(game.actions(h))))
            facts = game.player(h), game.payoff(h) if ends else game.actions(h), after
            assert known.setdefault(game.state_key(h), facts) == facts
            waiting += [] if ends else [game.child(h, i) for i in range(len(game.actions(h)))]


class Script(PositionRules):
    """Player 1 makes given moves and hears given words; the game ends after them."""

    def __init__(self, parts: tuple[tuple[str, str], ...]) -> None:
        self.parts = parts

    def start(self) -> int:
        return 0

    def mover(self, position: int) -> int:
        return 0 if position == len(self.parts) or self.parts[position][0] else 1

    def moves(self, position: int) -> list[Move]:
        label, word = self.parts[position]
        return [Move(label or "silent", position + 1, (word, ""))]

    def result(self, position: int) -> tuple[int, int]:
        return position, 0


def test_a_text_can_be_read_in_only_one_way() -> None:
    own = [(label, word) for label in LABELS for word in {*WORDS}]
    heard = [("", word) for word in {*WORDS} - {""}]
    met: dict[str, Any] = {}
    for length in (0, 1, 2):
        for parts in product(own + heard, repeat=length):
            game = Script(parts)
            h = game.root()
            for _ in parts:
                h = game.child(h, 0)
            assert met.setdefault(game.infoset(h), parts) == parts


@pytest.mark.parametrize(("label", "word"), [("", "a"), (3, "a"), ("a", 3), ("a", None)])
def test_labels_and_words_are_text(label: Any, word: Any) -> None:
    class Wrong(Script):
        def moves(self, position: int) -> list[Move]:
            return [Move(label, position + 1, (word, ""))]

    with pytest.raises(GameError, match="objects of the class Move"):
        Wrong((("a", ""),)).child(Wrong((("a", ""),)).root(), 0)
