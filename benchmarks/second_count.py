"""Count and solve the trees of :mod:`benchmarks.generators`, without any code of tremble."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from benchmarks.generators import Chance, Leaf, Tree

__all__ = ["Counted", "Side", "best_responses", "count", "value_in_floats"]


class Side(NamedTuple):
    """The information sets of a player, numbered from 0 in the order in which a depth-first walk finds them."""

    number: dict[Any, int]  # key -> number
    start: list[int]  # number -> its first sequence; sequence 0 is empty
    before: list[int]  # number -> the last own sequence before the set
    labels: list[tuple[str, ...]]


class Counted(NamedTuple):
    """The numbers of a tree, in the words of ``docs/games.json``, and what a linear program needs."""

    numbers: dict[str, Any]
    sides: tuple[Side, Side]
    payoffs: dict[tuple[int, int], float]  # sequences of both players -> payoff of player 1 times chance, summed


def count(tree: Tree) -> Counted:
    """Walk a tree depth-first; count its nodes, hash them, and check the recall of both players."""
    sides = (Side({}, [], [], []), Side({}, [], [], []))
    following = [1, 1]  # the next free sequence of each player
    perfect = [True, True]
    kinds = {"leaves": 0, "chance_nodes": 0}
    moves = [0, 0]
    sums: set[Any] = set()
    payoffs: dict[tuple[int, int], float] = {}
    digest = hashlib.sha256()
    depth = 0
    texts: dict[tuple[str, ...], str] = {}
    stack: list[tuple[Any, int, tuple[int, int], float]] = [(tree.start, 0, (0, 0), 1.0)]
    while stack:
        state, level, last, weight = stack.pop()
        node = tree.node(state)
        depth = max(depth, level)
        if isinstance(node, Leaf):
            kinds["leaves"] += 1
            sums.add(node.one + node.two)
            payoffs[last] = payoffs.get(last, 0.0) + weight * float(node.one)
            digest.update(f"t {node.one} {node.two}\n".encode())
            continue
        if isinstance(node, Chance):
            kinds["chance_nodes"] += 1
            labels = tuple(label for label, _, _ in node.outcomes)
            shares = " ".join(str(p) for _, p, _ in node.outcomes)
            digest.update(f"c {json.dumps(labels, ensure_ascii=False)} {shares}\n".encode())
            stack += [(then, level + 1, last, weight * float(p)) for _, p, then in reversed(node.outcomes)]
            continue
        player = node.player
        side = sides[player]
        moves[player] += 1
        labels = tuple(label for label, _ in node.actions)
        k = side.number.setdefault(node.key, len(side.number))
        if k == len(side.start):
            side.start.append(following[player])
            side.before.append(last[player])
            side.labels.append(labels)
            following[player] += len(labels)
        elif side.labels[k] != labels:
            raise ValueError(f"the information set {node.key!r} has the actions {labels} and {side.labels[k]}")
        perfect[player] &= side.before[k] == last[player]
        text = texts.setdefault(labels, json.dumps(labels, ensure_ascii=False))
        digest.update(f"p{player + 1} {k + 1} {text}\n".encode())
        for i in reversed(range(len(labels))):
            q = side.start[k] + i
            stack.append((node.actions[i][1], level + 1, (q, last[1]) if player == 0 else (last[0], q), weight))
    constant: Fraction | None = Fraction(sums.pop()) if len(sums) == 1 else None
    numbers = {
        "nodes": sum(kinds.values()) + sum(moves),
        **kinds,
        "player_nodes": moves,
        "information_sets": [len(side.start) for side in sides],
        "actions": [q - 1 for q in following],
        "sequences": following,
        "depth": depth,
        "perfect_recall": perfect,
        "constant_sum": None if constant is None else str(constant),
        "digest": f"sha256:{digest.hexdigest()}",
    }
    return Counted(numbers, sides, payoffs)


def value_in_floats(counted: Counted) -> float:
    """Return player 1's value: the linear program of Koller, Megiddo and von Stengel (1996), solved by HiGHS in floats.

    The variables are player 1's realization plan x, and a number v for each information set of player 2, and for its
    start. The program maximizes the number of the start, subject to a row for each sequence q of player 2: v of the set
    of q is at most the sum of v over the sets that follow q, plus the payoffs of q against x.
    """
    one, two = counted.sides
    size1, size2 = counted.numbers["sequences"]
    upper: list[tuple[int, int, float]] = [(q, r, -u) for (r, q), u in counted.payoffs.items()]
    upper.append((0, size1, 1.0))
    for k, (start, before, labels) in enumerate(zip(two.start, two.before, two.labels, strict=True), 1):
        upper.append((before, size1 + k, -1.0))
        upper += [(start + i, size1 + k, 1.0) for i in range(len(labels))]
    equal: list[tuple[int, int, float]] = [(0, 0, 1.0)]
    for k, (start, before, labels) in enumerate(zip(one.start, one.before, one.labels, strict=True), 1):
        equal.append((k, before, -1.0))
        equal += [(k, start + i, 1.0) for i in range(len(labels))]
    width = size1 + 1 + len(two.start)
    goal = np.zeros(width)
    goal[size1] = -1.0
    first = np.zeros(1 + len(one.start))
    first[0] = 1.0
    solved = linprog(
        goal,
        A_ub=_matrix(upper, size2, width),
        b_ub=np.zeros(size2),
        A_eq=_matrix(equal, len(first), width),
        b_eq=first,
        bounds=[(0, None)] * size1 + [(None, None)] * (width - size1),
        method="highs-ipm",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if solved.status != 0 or solved.fun is None:
        raise ValueError(f"HiGHS: {solved.message}")
    return -float(solved.fun)


def _matrix(entries: list[tuple[int, int, float]], height: int, width: int) -> Any:
    rows, columns, values = zip(*entries, strict=True)
    return coo_array((values, (rows, columns)), shape=(height, width)).tocsr()


def best_responses(counted: Counted, behavior: tuple[Sequence[float], Sequence[float]]) -> tuple[float, float]:
    """Return bounds on player 1's value: the least that player 1's strategy earns, and the most against player 2's.

    ``behavior`` contains the probabilities of both players' actions, set by set, in the order of the sets' numbers.
    """
    payoffs = [(r, q, u) for (r, q), u in counted.payoffs.items()]
    one = _best(counted.sides[0], payoffs, _plan(counted.sides[1], behavior[1]))
    two = _best(counted.sides[1], [(q, r, -u) for r, q, u in payoffs], _plan(counted.sides[0], behavior[0]))
    return -two, one


def _plan(side: Side, behavior: Sequence[float]) -> list[float]:
    """Return the realization plan of a strategy."""
    plan = [1.0] * (1 + len(behavior))
    for start, before, labels in zip(side.start, side.before, side.labels, strict=True):
        for q in range(start, start + len(labels)):
            plan[q] = plan[before] * behavior[q - 1]
    return plan


def _best(side: Side, payoffs: list[tuple[int, int, float]], other: list[float]) -> float:
    """Return the payoff of a player's best response to a realization plan of the other player."""
    gain = [0.0] * (1 + sum(map(len, side.labels)))
    for own, theirs, payoff in payoffs:
        gain[own] += payoff * other[theirs]
    for k in reversed(range(len(side.start))):  # a set has a greater number than the sets before it
        start = side.start[k]
        gain[side.before[k]] += max(gain[start : start + len(side.labels[k])])
    return gain[0]
