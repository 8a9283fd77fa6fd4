"""The games of the golden record, each by a name: built-in games, honest files' games, and games made here."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from fractions import Fraction as F
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import tremble
from tremble import CHANCE, GameTree, TreeBuilder

__all__ = ["HONEST", "battle_rules", "game_named", "honest_game", "honest_record", "random_game"]

HONEST = Path(__file__).parents[1] / "honest_files.json"


@cache
def game_named(name: str) -> Any:
    """Return a game by its name: ``SPEC``, ``rules SPEC``, ``honest K``, ``random SEED DEPTH zero|general``, ...

    Built-in games are named by their specification, and come as trees, or as rules after the word ``rules``.
    """
    kind, _, rest = name.partition(" ")
    if kind == "rules":
        return tremble.load_rules(rest)
    if kind == "honest":
        return honest_game(rest)
    if kind == "random":
        seed, depth, sum_ = rest.split()
        return random_game(int(seed), int(depth), zero_sum=sum_ == "zero")
    if kind == "matrix":
        return tremble.matrix_game(*json.loads(rest))
    if kind == "alike":
        return alike(int(rest))
    return tremble.load(name)


@cache
def honest_record() -> dict[str, Any]:
    """Return the honest files and their games, as recorded."""
    found = json.loads(HONEST.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


@cache
def honest_game(key: str) -> Any:
    """Return a game of the honest files."""
    described = honest_record()["games"][key]
    if "rules" in described:
        return tremble.load_rules(described["rules"])
    if "rules_of" in described:
        return battle_rules()
    return tremble.read_efg(described["efg"])


class _Battle:
    """The battle of the sexes with an outside option, as rules: the only game of an honest file that is no tree.

    A history is the place of a node in breadth-first order.
    """

    title = "Battle of the sexes with an outside option"
    _MOVER = (0, -2, 0, 1, 1, -2, -2, -2, -2)
    _FIRST: ClassVar = {0: 1, 2: 3, 3: 5, 4: 7}
    _SETS: ClassVar = {0: "1.1", 2: "1.2", 3: "2.1", 4: "2.1"}
    _PAID: ClassVar = {1: (2, 2), 5: (3, 1), 6: (0, 0), 7: (0, 0), 8: (1, 3)}

    def root(self) -> int:
        return 0

    def player(self, h: int) -> int:
        return tremble.TERMINAL if h in self._PAID else self._MOVER[h]

    def actions(self, h: int) -> Sequence[str]:
        return ("out", "in") if h == 0 else ("boxing", "ballet")

    def chance(self, h: int) -> Sequence[F]:
        raise AssertionError("nothing is drawn")

    def child(self, h: int, i: int) -> int:
        return self._FIRST[h] + i

    def infoset(self, h: int) -> str:
        return self._SETS[h]

    def payoff(self, h: int) -> tuple[F, F]:
        one, two = self._PAID[h]
        return F(one), F(two)


@cache
def battle_rules() -> _Battle:
    """Return the rules of the battle of the sexes with an outside option."""
    return _Battle()


def random_game(seed: int, depth: int, *, zero_sum: bool) -> GameTree:
    """Draw a game with perfect recall: chance, unequal depths, forced moves, payoffs with denominators."""
    rng = random.Random(seed)
    movers = rng.choice(((0, 1, CHANCE), (0, 1), (0, 1), (1, 0, CHANCE)))
    builder = TreeBuilder(title=f"golden random {seed}")
    constant = rng.choice((0, 0, 3, F(1, 7)))

    def grow(left: int, seen: tuple[tuple[object, ...], tuple[object, ...]]) -> None:
        if left == 0 or (left < depth and rng.random() < 0.15):
            u = F(rng.randint(-6, 6), rng.choice((1, 1, 2, 3, 5)))
            builder.leaf(u, constant - u if zero_sum else rng.randint(-6, 6))
            return
        mover = rng.choice(movers)
        if mover == CHANCE:
            weights = [rng.choice((1, 1, 2, 5)) for _ in range(rng.choice((1, 2, 3)))]
            n = len(weights)
            builder.chance([f"c{i}" for i in range(n)], [F(w, sum(weights)) for w in weights])
        else:
            n = random.Random(f"{seed} {mover} {seen[mover]}").choice((1, 2, 2, 3))
            builder.decision(mover, (mover, seen[mover]), [f"a{i}" for i in range(n)], f"set {len(seen[mover])}")
        visible = [rng.random() < 0.5, rng.random() < 0.5]
        for i in range(n):
            ahead = [(*seen[p], (mover, i)) if p == mover else (*seen[p], i if visible[p] else "?") for p in (0, 1)]
            grow(left - 1, (ahead[0], ahead[1]))

    grow(depth, ((), ()))
    return builder.finish()


def alike(copies: int) -> GameTree:
    """Return a game that consists of equal parts, which players cannot tell apart before chance chooses one."""
    builder = TreeBuilder(title=f"{copies} alike")
    builder.chance([f"part {i}" for i in range(copies)], [F(1, copies)] * copies)
    for part in range(copies):
        builder.decision(0, f"one {part}", ["up", "down"])
        for row in ((2, -1), (-3, 1)):
            builder.decision(1, f"two {part}", ["left", "right"])
            for payoff in row:
                builder.leaf(payoff, -payoff)
    return builder.finish()
