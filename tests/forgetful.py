"""Players who forget: cells, plays and guarantees by brute force, and naive certificates of them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction as F
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

import tremble
from hand_made import profile
from tremble import CHANCE, BehaviorStrategy, GameTree, TreeBuilder
from tremble.recall.certificates import BranchingCertificate, BranchingLeaf
from tremble.results import StatedSolution
from tremble.solution.claim import MethodReference
from tremble.solution.claims import GameReference
from tremble.status import Status

Vertex = list[F]


Cell = list[list[Vertex]]  # [information set][vertex][action]


def lines(tree: GameTree) -> list[tuple[F, list[tuple[int, int, int]], tuple[F, F]]]:
    """Of each leaf: the probability of chance, the moves (player, set, action) on the way, the payoffs."""
    found = []
    for row, leaf in enumerate(tree.leaves.tolist()):
        chance, moves, node = F(1), [], leaf
        while node:
            above, action = int(tree.parent[node]), int(tree.action[node])
            mover, k = int(tree.player[above]), int(tree.infoset[above])
            if mover == CHANCE:
                chance *= tree.chance_tables[k].probabilities[action]
            else:
                moves.append((mover, k, action))
            node = above
        found.append((chance, moves[::-1], tree.payoff_at(row)))
    return found


def plays(tree: GameTree, player: int, strategy: Sequence[Vertex], moves: list[tuple[int, int, int]]) -> F:
    product = F(1)
    for mover, k, action in moves:
        if mover == player:
            product *= strategy[k][action]
    return product


def pure(tree: GameTree, player: int) -> Iterator[list[Vertex]]:
    widths = [len(row) for row in tree.actions[player]]
    for choice in itertools.product(*map(range, widths)):
        yield [[F(a == c) for a in range(n)] for n, c in zip(widths, choice, strict=True)]


def expected(tree: GameTree, one: Sequence[Vertex], two: Sequence[Vertex]) -> tuple[F, F]:
    total = [F(0), F(0)]
    for chance, moves, payoff in lines(tree):
        weight = chance * plays(tree, 0, one, moves) * plays(tree, 1, two, moves)
        total = [t + weight * u for t, u in zip(total, payoff, strict=True)]
    return total[0], total[1]


def guarantee(tree: GameTree, player: int, x: Sequence[Vertex]) -> F:
    pairs = ((x, y) if player == 0 else (y, x) for y in pure(tree, 1 - player))
    return min(expected(tree, *pair)[player] for pair in pairs)


def grown(rng: random.Random, depth: int, scale: int) -> GameTree:
    """A random game whose players forget, but never come to a set twice."""
    builder, constant = TreeBuilder(title="forgetting"), rng.choice((0, 0, F(1, 3)))

    def grow(left: int, used: frozenset[tuple[int, int, int]]) -> None:
        mover = rng.choice((0, 0, 1, 1, CHANCE))
        n = rng.choice((1, 2, 2, 2, 3))
        free = [(mover, n, c) for c in range(2) if (mover, n, c) not in used]
        if left == 0 or (mover != CHANCE and not free) or (left < depth and rng.random() < 0.1):
            u = F(rng.randint(-scale, scale), rng.choice((1, 1, 2)))
            builder.leaf(u, constant - u)
            return
        labels = [f"a{i}" for i in range(n)]
        if mover == CHANCE:
            weights = [rng.randint(1, 3) for _ in range(n)]
            builder.chance(labels, [F(w, sum(weights)) for w in weights])
        else:
            key = rng.choice(free)
            builder.decision(mover, key, labels, str(key))
            used |= {key}
        for _ in range(n):
            grow(left - 1, used)

    grow(depth, frozenset())
    return builder.finish()


def forgetting(seed: int, depth: int = 4, *, scale: int = 6, most: int = 32) -> GameTree:
    """Such a game with at most so many pure strategies of each player."""
    rng = random.Random(seed)
    while True:
        tree = grown(rng, depth, scale)
        sizes = [sum(1 for _ in pure(tree, player)) for player in (0, 1)]
        if min(sizes) > 1 and max(sizes) <= most:
            return tree


def cells_of(splits: Sequence[Sequence[int]], widths: Sequence[int]) -> list[Cell]:
    """The cells that splits leave, by recursion."""
    left = iter(splits)

    def visit(cell: Cell) -> list[Cell]:
        split = next(left)
        if not split:
            return [cell]
        number, i, j, numerator, bits = split
        t, parts = F(numerator, 2**bits), []
        point = [t * a + (1 - t) * b for a, b in zip(cell[number - 1][i], cell[number - 1][j], strict=True)]
        for v in (i, j):
            child = deepcopy(cell)
            child[number - 1][v] = point
            parts += visit(child)
        return parts

    return visit([[[F(a == v) for a in range(n)] for v in range(n)] for n in widths])


def rows_of(strategy: BehaviorStrategy) -> list[Vertex]:
    return [[F(strategy.probability(k, a)) for a in range(len(labels))] for k, labels in enumerate(strategy.actions)]


def everywhere(strategies: tuple[BehaviorStrategy, BehaviorStrategy]) -> tuple[BehaviorStrategy, BehaviorStrategy]:
    """The same without marks."""
    one, two = (replace(s, off_path=np.zeros_like(s.off_path)) for s in strategies)
    return one, two


def stated(
    tree: GameTree,
    strategies: tuple[BehaviorStrategy, BehaviorStrategy],
    certificate: BranchingCertificate,
    status: Status = Status.CERTIFIED,
) -> StatedSolution:
    bounds = certificate.lower, certificate.upper
    if certificate.player:
        constant = tree.constant_sum
        assert constant is not None
        bounds = constant - certificate.upper, constant - certificate.lower
    one, two = map(rows_of, strategies)
    return StatedSolution(
        game=GameReference.of(tree), concept="maxmin", requested="maxmin", method=MethodReference("by hand", {}),
        status=status, values=expected(tree, one, two), bounds=bounds, strategies=strategies,
        certificate=certificate.plain(), stats={},
    )  # fmt: skip


Game = tuple[GameTree, tuple[BehaviorStrategy, BehaviorStrategy], BranchingCertificate]


def a_loss(x: int = 3) -> Game:
    """Whoever does not mix at the start wins 0 or loses 1; the opponent leads every strategy there."""
    tree = tremble.load(f"a_loss_counterexample:x={x}")
    certificate = BranchingCertificate(
        player=0, epsilon=F(0), lower=F(-1), upper=F(-1), response=[0], replies=[[0, 1]], splits=[()],
        leaves=[BranchingLeaf([(0, 1)], [0])],
    )  # fmt: skip
    return tree, everywhere(profile(tree, [[1, 0], [0, 1]], [[F(1, 2), F(1, 2)], [0, 1]])), certificate


# -- the matrix of all pure strategies ------------------------------------------------------------------


@cache
def matrix(tree: GameTree) -> tuple[list[list[F]], list[list[F]]]:
    """What both earn, by pure strategy of each."""
    leaves = lines(tree)
    comes = [
        np.array([[int(plays(tree, player, x, moves)) for _, moves, _ in leaves] for x in pure(tree, player)], object)
        for player in (0, 1)
    ]
    one, two = (
        ((comes[0] * np.array([chance * earned[player] for chance, _, earned in leaves])) @ comes[1].T).tolist()
        for player in (0, 1)
    )
    return one, two


def own_matrix(tree: GameTree, player: int) -> list[list[F]]:
    """The player's payoffs, its own strategies by rows."""
    payoff = matrix(tree)[player]
    return payoff if player == 0 else [list(column) for column in zip(*payoff, strict=True)]


def mixture(tree: GameTree, player: int, rows: Sequence[Sequence[F]]) -> list[F]:
    """How likely each pure strategy is."""
    chosen = ([(player, k, row.index(1)) for k, row in enumerate(x)] for x in pure(tree, player))
    return [plays(tree, player, rows, moves) for moves in chosen]  # type: ignore[arg-type]


def floats(matrix: list[list[F]]) -> NDArray[np.float64]:
    return np.array([[float(u) for u in row] for row in matrix])


def is_ready_for(payoff: list[list[F]], x: list[F], columns: list[int]) -> bool:
    """Whether no mixture earns as much as x against these columns and more against one of them."""
    earns = [sum(p * row[j] for p, row in zip(x, payoff, strict=True)) for j in columns]
    u = floats(payoff)[:, columns]
    found = linprog(
        -u.sum(axis=1), A_ub=-u.T, b_ub=-np.array(list(map(float, earns))) + 1e-12,
        A_eq=np.ones((1, len(x))), b_eq=[1.0],
    )  # fmt: skip
    assert found.status == 0
    return bool(-found.fun - float(sum(earns)) < 1e-7)


def is_ready(tree: GameTree, profile: Sequence[BehaviorStrategy], player: int) -> bool:
    """Whether that holds for all pure strategies of the other that cost at most t, for every t."""
    mine, yours = own_matrix(tree, player), own_matrix(tree, 1 - player)
    x = mixture(tree, player, rows_of(profile[player]))
    earned = [sum(p * u for p, u in zip(x, row, strict=True)) for row in yours]
    best = max(earned)
    levels = sorted({best - u for u in earned})
    return all(is_ready_for(mine, x, [j for j, u in enumerate(earned) if best - u <= t]) for t in levels)


def is_undominated(tree: GameTree, player: int, rows: Sequence[Sequence[F]]) -> bool:
    """No mixture earns as much against everything and more against something."""
    payoff = own_matrix(tree, player)
    return is_ready_for(payoff, mixture(tree, player, rows), [*range(len(payoff[0]))])
