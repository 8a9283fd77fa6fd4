"""Rules that are followed for long: play that never ends is reported, and what is deep is built in little memory."""

from __future__ import annotations

import re
from collections.abc import Hashable
from fractions import Fraction
from random import Random
from typing import Any, ClassVar

import pytest

import tremble
from command import run
from rules_of_trees import SEARCHED
from tremble import CHANCE, TERMINAL, TooLargeError, TreeBuilder
from tremble.game import endless, tree_builder
from tremble.large import positions


class Moves(tuple[int, ...]):
    """A history that counts how many of its kind are alive."""

    alive: ClassVar[int] = 0
    most: ClassVar[int] = 0

    def __new__(cls, moves: tuple[int, ...] = ()) -> Moves:
        cls.alive += 1
        cls.most = max(cls.most, cls.alive)
        return super().__new__(cls, moves)

    def __del__(self) -> None:
        Moves.alive -= 1


class Repeated:
    """The prisoner's dilemma, repeated without end; a history has all moves."""

    def __init__(self) -> None:
        Moves.alive = Moves.most = 0
        self.asked = self.children = 0

    def root(self) -> Moves:
        return Moves()

    def player(self, h: Moves) -> int:
        return len(h) % 2

    def actions(self, h: Moves) -> tuple[str, ...]:
        return "cooperate", "defect"

    def chance(self, h: Moves) -> tuple[Fraction, ...]:
        return Fraction(1, 2), Fraction(1, 2)

    def child(self, h: Moves, i: int) -> Moves:
        self.children += 1
        return Moves((*h, i))

    def infoset(self, h: Moves) -> Hashable:
        self.asked += 1
        return len(h)

    def payoff(self, h: Moves) -> tuple[int, int]:
        return len(h), -len(h)


class Bargaining(Repeated):
    """One action ends the game, the other goes on; after so many rounds, if any, the game ends."""

    def __init__(self, ends: int, rounds: int | None = None) -> None:
        super().__init__()
        self.ends, self.rounds = ends, rounds

    def player(self, h: Moves) -> int:
        return TERMINAL if h and (h[-1] == self.ends or len(h) == self.rounds) else len(h) % 2


class LateStart(Repeated):
    """What chance brings first ends after four moves, what it brings then never does."""

    def player(self, h: Moves) -> int:
        if not h:
            return CHANCE
        return TERMINAL if h[0] == 0 and len(h) == 4 else len(h) % 2


class SideBranches(Repeated):
    """Beside the moves that go on for ever, each node has one that goes on for three."""

    def player(self, h: Moves) -> int:
        aside = h.index(0) if 0 in h else len(h)
        return TERMINAL if len(h) - aside > 3 else len(h) % 2

    def actions(self, h: Moves) -> tuple[str, ...]:
        return ("aside",) if 0 in h else ("aside", "on")

    def infoset(self, h: Moves) -> Hashable:
        return len(h), 0 in h


ENDLESS = [Repeated, lambda: Bargaining(0), lambda: Bargaining(1), LateStart]


@pytest.mark.parametrize("rules_of", ENDLESS)
def test_play_that_never_ends_is_not_built(rules_of: Any) -> None:
    rules = rules_of()
    with pytest.raises(TooLargeError) as told:
        tremble.build(rules, max_nodes=20_000)
    match = re.fullmatch(
        r"play never ends: no leaf after ([0-9,]+) moves along one path; if the rules do end play later, "
        r"raise max_nodes=",
        str(told.value),
    )
    assert match
    assert 1_000 < int(match[1].replace(",", "")) <= 20_000
    assert rules.asked < 2_000  # a tenth of the tree
    assert Moves.most < 600


def test_play_that_never_ends_beside_play_that_does() -> None:
    """No walk sees it, but what is built has one very long path."""
    with pytest.raises(TooLargeError, match=r"play never ends: no leaf after [0-9,]+ moves along one path"):
        tremble.build(SideBranches(), max_nodes=10_000)


def test_a_wide_game_is_given_up_before_its_labels_fill_the_memory() -> None:
    """Each node has 1,000 children, so the tree is too large after 10 nodes: not after 256 moves along one path."""

    class Wide(Repeated):
        def actions(self, h: Moves) -> tuple[str, ...]:
            self.asked += 1
            return tuple(map(str, range(1_000)))

    rules = Wide()
    with pytest.raises(TooLargeError, match=r"the game has more than 10,000 nodes; raise max_nodes= to build it"):
        tremble.build(rules, max_nodes=10_000)
    assert rules.asked <= 20  # for the actions and for the information sets of 10 nodes


def test_histories_that_grow_are_not_followed_to_the_end_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the default of 20 million nodes, the moves of a path alone would fill 400 TB."""
    monkeypatch.setattr(endless, "_MOST_BYTES", 1 << 26)
    rules = Repeated()
    with pytest.raises(TooLargeError, match=r"no leaf after [2-6],[0-9]{3} moves .* a history contain only what later"):
        tremble.build(rules)
    assert Moves.most < 600


def test_only_what_a_history_does_not_share_with_the_one_before_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of pairs is long and cheap, and so is a number."""
    monkeypatch.setattr(endless, "_MOST_BYTES", 1 << 22)

    class Linked(Repeated):
        def __init__(self, rounds: int) -> None:
            super().__init__()
            self.rounds = rounds

        def root(self) -> Any:
            return (0, None)

        def player(self, h: Any) -> int:
            return TERMINAL if h[0] == self.rounds else 0

        def actions(self, h: Any) -> tuple[str, ...]:
            return ("on",)

        def child(self, h: Any, i: int) -> Any:
            return (h[0] + 1, h)

        def infoset(self, h: Any) -> Hashable:
            return h[0]

        def payoff(self, h: Any) -> tuple[int, int]:
            return 0, 0

    assert tremble.build(Linked(5_000)).depth == 5_000


@pytest.mark.parametrize("ends", [0, 1])
@pytest.mark.parametrize("rounds", [6_000, pytest.param(30_000, marks=pytest.mark.slow)])
def test_deep_games_are_built_in_little_memory(ends: int, rounds: int) -> None:
    rules = Bargaining(ends, rounds)
    tree = tremble.build(rules)
    assert (tree.num_nodes, tree.depth) == (2 * rounds + 1, rounds)
    assert Moves.most < 1_024 + 6 * rounds**0.5  # not one for each move
    assert rules.children < 6 * rounds  # two of them for the tree itself


@pytest.mark.parametrize("max_nodes", [12_001, 15_000])
def test_a_game_that_fits_is_built_however_late_its_first_leaf(max_nodes: int) -> None:
    assert tremble.build(Bargaining(1, 6_000), max_nodes=max_nodes).num_nodes == 12_001
    with pytest.raises(TooLargeError, match="max_nodes="):
        tremble.build(Bargaining(1, 6_000), max_nodes=12_000)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kept", [0, 4, 1_024])
def test_histories_that_are_found_again_are_the_same(seed: int, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree is that of a walk that keeps all histories, whatever the widths and depths."""
    monkeypatch.setattr(tree_builder, "_ALL_KEPT", kept)
    rng = Random(seed)
    wide, deep, few = rng.choice([1, 2, 3]), rng.choice([60, 200, 500]), rng.choice([0.02, 0.2, 0.5])

    class Drawn(Repeated):
        def player(self, h: Moves) -> int:
            draw = Random(hash(tuple(h)))
            return TERMINAL if len(h) == deep or (h and draw.random() < few) else 0

        def actions(self, h: Moves) -> tuple[str, ...]:
            width = Random(hash((1, *h))).randint(1, wide)
            return tuple(f"{len(h)}.{k}" for k in range(width))

        def infoset(self, h: Moves) -> Hashable:
            return tuple(h)

    rules, most = Drawn(), 3_000
    builder, stack = TreeBuilder(max_nodes=most), [rules.root()]
    try:
        while stack:
            h = stack.pop()
            if rules.player(h) == TERMINAL:
                builder.leaf(*rules.payoff(h))
                continue
            labels = rules.actions(h)
            builder.decision(0, rules.infoset(h), labels)
            stack.extend(rules.child(h, i) for i in range(len(labels) - 1, -1, -1))
    except TooLargeError:
        with pytest.raises(TooLargeError):
            tremble.build(rules, max_nodes=most)
        return
    assert tremble.build(rules, max_nodes=most).digest == builder.finish().digest


@pytest.mark.parametrize("rules_of", [Repeated, lambda: Bargaining(1), LateStart])
def test_play_that_never_ends_is_not_solved(rules_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "DEFAULT_MAX_NODES", 20_000)
    with pytest.raises(TooLargeError, match=r"play never ends: no leaf after [0-9,]+ moves along one path"):
        tremble.solve(rules_of(), method=tremble.methods.DoubleOracle(sizes=SEARCHED))


def test_limits_hold_while_rules_are_followed() -> None:
    """``progress`` may stop a walk along a path, as it may stop what is built."""

    class Remembered(Repeated):
        """Both players remember all moves."""

        def infoset(self, h: Moves) -> Hashable:
            return h

    class StopError(Exception):
        pass

    def progress(nodes: int) -> None:
        raise StopError

    with pytest.raises(StopError):
        tremble.build(Repeated(), progress=progress)
    with pytest.raises(tremble.LimitReached):
        tremble.solve(Remembered(), method="double-oracle", time_limit=0.3)


def test_a_tree_that_fills_the_memory_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_builder, "nearly_full", lambda: True)
    with pytest.raises(TooLargeError, match=r"the memory is nearly full after 5,000 nodes"):
        tremble.build(Bargaining(0, 6_000))


def test_python_names_arguments_and_the_command_line_options(tmp_path: Any) -> None:
    tremble.write_efg(tremble.load("kuhn"), tmp_path / "kuhn.efg")
    for game in ("kuhn", str(tmp_path / "kuhn.efg")):
        with pytest.raises(TooLargeError, match="raise max_nodes= to build it") as told:
            tremble.load(game, max_nodes=20)
        assert "--max-nodes" not in str(told.value)
    for command in (("solve", game), ("batch", "kuhn", "-o", tmp_path / "all", "--jobs", "1")):
        said = run(*command, "--concept", "qpe", "--max-nodes", "20")
        assert said.exit_code == 4
        assert "raise --max-nodes to build it" in said.output
        assert "max_nodes=" not in said.output
