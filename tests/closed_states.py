"""True refutations for tests: the linear programs of ``docs/explanation/deciding.md``, dense, in floats, made exact.

Only for tiny games. What the floats say is not trusted: :func:`holds` looks at a refutation exactly, by the definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from scipy.optimize import linprog

from forgetful import lines
from tremble import BehaviorStrategy, GameTree

Refutation = dict[str, Any]
Rows = list[tuple[int, int, int, int]]  # of each set: itself, the sequence before, its first, the end of its sequences


def sets_of(tree: GameTree, player: int) -> Rows:
    start, before = [1], dict[int, int]()
    for labels in tree.actions[player]:
        start.append(start[-1] + len(labels))
    for _, moves, _ in lines(tree):
        last = 0
        for mover, k, action in moves:
            if mover == player:
                before[k], last = last, start[k] + action
    return [(k, before[k], start[k], start[k + 1]) for k in range(len(start) - 1)]


@dataclass(frozen=True, eq=False)
class Judged:
    """What one player does, judged by the mistakes of the other."""

    tree: GameTree
    profile: tuple[BehaviorStrategy, BehaviorStrategy]
    player: int  # who errs

    @cached_property
    def own(self) -> Rows:
        return sets_of(self.tree, self.player)

    @cached_property
    def other(self) -> Rows:
        return sets_of(self.tree, 1 - self.player)

    def share(self, player: int) -> list[F]:
        return [F(1), *(F(p) for row in self.profile[player] for p in row)]

    @cached_property
    def leaves(self) -> list[tuple[int, int, F]]:
        """Sequence of the other, own sequence, chance times payoff of the other."""
        found = []
        for chance, moves, pays in lines(self.tree):
            last = [0, 0]
            for mover, k, action in moves:
                last[mover] = (self.own if mover == self.player else self.other)[k][2] + action
            found.append((last[1 - self.player], last[self.player], chance * pays[1 - self.player]))
        return found

    def reached(self, supported: set[int]) -> set[int]:
        """Sets of the other that chance comes to, after a supported sequence."""
        found = set()
        for chance, moves, _ in lines(self.tree):
            last = 0
            for mover, k, action in moves:
                if mover == self.player:
                    last = self.own[k][2] + action
                elif chance and last in supported:
                    found.add(k)
        return found

    def rows(self, blocked: set[int], tight: set[int], free: set[int]) -> Iterator[tuple[str, int, dict[Any, F]]]:
        """The conditions of the cone by kind, its number, and coefficients of ("y", sequence) and ("v", set)."""
        share, plays = self.share(self.player), self.share(1 - self.player)
        for k, prior, first, end in self.own:
            yield "flow", k, {("y", prior): F(1), **{("y", q): F(-1) for q in range(first, end)}}
            if prior in blocked:
                for q in range(first, end):
                    yield "ratio", q, {("y", q): F(1), ("y", prior): -share[q]}
        for k, _, first, end in self.other:
            for q in range(first, end):
                if k in free or not (plays[q] or q in tight):
                    continue
                row = {("v", k): F(1)}
                for later, prior, _, _ in self.other:
                    if prior == q:
                        row["v", later] = F(-1)
                for mine, yours, amount in self.leaves:
                    if mine == q:
                        row["y", yours] = row.get(("y", yours), F(0)) - amount
                yield "played" if plays[q] else "tight", q, row


def refute(tree: GameTree, profile: tuple[BehaviorStrategy, BehaviorStrategy], concept: str) -> Refutation | None:
    """A refutation of quasi-perfection, or of a sequential equilibrium; None if some mistakes support the profile."""
    for player in (0, 1):
        judged = Judged(tree, profile, player)
        found = _refute(judged, concept)
        if found is not None:
            assert holds(judged, found)
            return found
    return None


def _refute(judged: Judged, concept: str) -> Refutation | None:
    everywhere = concept == "quasi-perfect"
    plays = judged.share(1 - judged.player)
    blocked = set(range(len(judged.share(judged.player))))
    tight = {q for q, p in enumerate(plays) if not p}
    while blocked:
        free = set() if everywhere else judged.reached(set(range(len(judged.share(judged.player)))) - blocked)
        rows = list(judged.rows(blocked, tight, free))
        names = sorted({name for _, _, row in rows for name in row} | {("y", q) for q in blocked})
        column = {name: i for i, name in enumerate(names)}
        rising = [("y", q) for q in sorted(blocked)] + [("e", q) for q in sorted(tight) if everywhere]
        size = len(names) + len(rising)
        equal, least = [], []
        for kind, q, row in rows:
            line = np.zeros(size)
            for name, value in row.items():
                line[column[name]] += float(value)
            if kind != "tight":
                equal.append(line)
                continue
            if everywhere:
                line[len(names) + rising.index(("e", q))] = -1
            least.append(-line)
        for q in blocked:
            line = np.zeros(size)
            line[column["y", q]], line[len(names) + rising.index(("y", q))] = 1, -1
            least.append(-line)
        cost = np.concatenate((np.zeros(len(names)), -np.ones(len(rising))))
        result = linprog(
            cost, A_ub=np.array(least).reshape(-1, size), b_ub=np.zeros(len(least)),
            A_eq=np.array(equal).reshape(-1, size), b_eq=np.zeros(len(equal)),
            bounds=[(None, None)] * len(names) + [(0, 1)] * len(rising),
        )  # fmt: skip
        assert result.status == 0
        rises = {name for name, value in zip(rising, result.x[len(names) :], strict=True) if value > 0.5}
        if not rises:
            return _multipliers(judged, concept, rows, blocked, tight if everywhere else set())
        blocked -= {q for kind, q in rises if kind == "y"}
        tight -= {q for kind, q in rises if kind == "e"}
    return None


def _multipliers(
    judged: Judged, concept: str, rows: list[tuple[str, int, dict[Any, F]]], blocked: set[int], tight: set[int]
) -> Refutation:
    """Multipliers of the rows with: sum = -alpha, alpha >= 1 where blocked, 0 elsewhere; those of tight rows >= 1."""
    names = sorted({name for _, _, row in rows for name in row} | {("y", q) for q in blocked})
    matrix = np.array([[float(row.get(name, 0)) for _, _, row in rows] for name in names]).reshape(-1, len(rows))
    down = np.array([name[0] == "y" and name[1] in blocked for name in names])
    bounds = [(float(q in tight), None) if kind == "tight" else (None, None) for kind, q, _ in rows]
    result = linprog(
        np.zeros(len(rows)), A_ub=matrix[down], b_ub=-np.ones(down.sum()), A_eq=matrix[~down],
        b_eq=np.zeros((~down).sum()), bounds=bounds,
    )  # fmt: skip
    assert result.status == 0
    values = [F(float(value)).limit_denominator(10**4) for value in result.x]
    common = lcm(*(value.denominator for value in values))
    part: dict[str, list[Any]] = {"played": [], "tight": [], "flow": [], "ratio": []}
    for (kind, q, _), value in zip(rows, values, strict=True):
        if value:
            part[kind].append([q + (kind == "flow"), str(int(value * common))])
    return {
        "concept": concept, "kind": "mistakes", "player": judged.player + 1, "blocked": sorted(blocked),
        "tight": sorted(tight), "deviation": sorted(part["played"] + part["tight"]), "flow": sorted(part["flow"]),
        "ratio": sorted(part["ratio"]),
    }  # fmt: skip


def holds(judged: Judged, stated: Refutation) -> bool:
    """Whether the multipliers are a proof, by the dense rows themselves, exactly."""
    if stated["player"] != judged.player + 1 or not stated["blocked"]:
        return False
    blocked, tight = set(stated["blocked"]), set(stated["tight"])
    w, flow, ratio = ({q: F(value) for q, value in stated[name]} for name in ("deviation", "flow", "ratio"))
    everywhere = stated["concept"] == "quasi-perfect"
    supported = set(range(len(judged.share(judged.player)))) - blocked
    free = set() if everywhere else judged.reached(supported)
    plays = judged.share(1 - judged.player)
    unplayed = {q for q, p in enumerate(plays) if not p}
    rows = list(judged.rows(blocked, tight if everywhere else unplayed, free))
    given = {**{("w", q): v for q, v in w.items()}, **{("flow", k - 1): v for k, v in flow.items()}}
    given |= {("ratio", q): v for q, v in ratio.items()}
    known, total = set(), dict[Any, F]()
    for kind, q, row in rows:
        name = ("w" if kind in ("played", "tight") else kind, q)
        known.add(name)
        weight = given.get(name, F(0))
        if kind == "tight" and (weight < 0 or (everywhere and not weight)):
            return False
        for place, value in row.items():
            total[place] = total.get(place, F(0)) + weight * value
    if any(value and name not in known for name, value in given.items()):
        return False
    if tight - (unplayed if everywhere else set()):
        return False
    sums = {("y", q): F(0) for q in blocked} | total
    return all(value < 0 if name[0] == "y" and name[1] in blocked else value == 0 for name, value in sums.items())
