"""Random constant-sum games that look for trouble, and oracles that share no code with any solver."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F

from tremble import CHANCE, TERMINAL, GameTree, TreeBuilder

Payoff = F | int


@dataclass(frozen=True)
class Recipe:
    """What a family of random games is made of.

    ``movers``, ``widths``, ``payoffs`` and ``weights`` (of chance) are drawn from with equal probability;
    ``hidden`` is the probability that a move stays unseen by the other player, ``early`` that a node below the
    root ends the game. Every player remembers all it has done and seen.
    """

    movers: Sequence[int] = (0, 1)
    widths: Sequence[int] = (2, 2, 3)
    payoffs: Sequence[Payoff] = tuple(range(-5, 6))
    weights: Sequence[int] = (1, 2, 3)
    constants: Sequence[Payoff] = (0,)
    hidden: float = 0.5
    early: float = 0.15
    depth: int = 4


_MIXED = (1, -1, 2, F(1, 10**9), -F(1, 10**9), 10**12, -(10**12), 0)
_HUGE = (10**40, -(10**40), 10**40 + 1, F(1, 10**40), -F(3, 10**40), 0)

RECIPES: dict[str, Recipe] = {
    "plain": Recipe(),
    "chance": Recipe(movers=(0, 1, CHANCE)),
    "constant sum": Recipe(movers=(0, 1, CHANCE), constants=(7, F(-1, 3), 10**9)),
    "forced moves": Recipe(movers=(0, 1, CHANCE), widths=(1, 1, 2, 3), depth=6, early=0.1),
    "one player": Recipe(movers=(0, 0, CHANCE), constants=(0, 2)),
    "the other player": Recipe(movers=(1, 1, CHANCE), constants=(0, 2)),
    "chance alone": Recipe(movers=(CHANCE,), constants=(0, 2)),
    "perfect information": Recipe(movers=(0, 1, CHANCE), hidden=0.0, depth=5, early=0.3),
    "blind": Recipe(movers=(0, 1, CHANCE), hidden=1.0),
    "unequal depths": Recipe(movers=(0, 1, CHANCE), early=0.45, depth=7),
    "impossible chance": Recipe(movers=(0, 1, CHANCE, CHANCE), weights=(0, 0, 1, 2)),
    "rare chance": Recipe(movers=(0, 1, CHANCE), weights=(1, 1, 10**9)),
    "degenerate": Recipe(movers=(0, 1), payoffs=(0, 0, 0, 1, -1), depth=5, early=0.25),
    "nothing at stake": Recipe(movers=(0, 1, CHANCE), payoffs=(4,), constants=(4,)),
    "mixed payoffs": Recipe(movers=(0, 1, CHANCE), payoffs=_MIXED, weights=(1, 3, 10**9)),
    "huge payoffs": Recipe(movers=(0, 1, CHANCE), payoffs=_HUGE, constants=(0, F(1, 7))),
    "fractions": Recipe(payoffs=tuple(F(n, d) for n in (-3, -1, 2) for d in (7, 11, 13, 10**9 + 7))),
    "root ends": Recipe(depth=0, constants=(0, F(1, 7))),
}


def hostile_game(name: str, seed: int, *, most: int = 45, least: int = 4, **changes: object) -> GameTree:
    """A game of a family, with ``least`` to ``most`` nodes (unless the family's games are smaller anyway)."""
    recipe = replace(RECIPES[name], **changes)  # type: ignore[arg-type]
    attempt = 0
    while True:
        tree = _grow(recipe, f"{name} {seed} {attempt}", most)
        if tree is not None and (tree.num_nodes >= least or recipe.depth < 2):
            return tree
        attempt += 1


def _grow(recipe: Recipe, title: str, most: int) -> GameTree | None:
    rng = random.Random(title)
    constant = rng.choice(recipe.constants)
    builder = TreeBuilder(title=title)
    # (plies left, what each player has done and seen)
    pending: list[tuple[int, tuple[tuple[object, ...], ...]]] = [(recipe.depth, ((), ()))]
    while pending:
        left, seen = pending.pop()
        if builder.num_nodes + len(pending) >= most and recipe.depth:
            return None
        root = builder.num_nodes == 0
        if left == 0 or (not root and rng.random() < recipe.early):
            u = rng.choice(recipe.payoffs)
            builder.leaf(u, constant - u)
            continue
        mover = rng.choice(recipe.movers)
        if mover == CHANCE:
            weights = [rng.choice(recipe.weights) for _ in range(rng.choice(recipe.widths))]
            weights[rng.randrange(len(weights))] += not any(weights)
            n = len(weights)
            builder.chance([f"c{i}" for i in range(n)], [F(w, sum(weights)) for w in weights])
        else:
            n = random.Random(f"{title} {mover} {seen[mover]}").choice(recipe.widths)
            builder.decision(mover, seen[mover], [f"a{i}" for i in range(n)])
        shown = [rng.random() >= recipe.hidden for _ in (0, 1)]
        after = [
            (
                left - 1,
                tuple(
                    (*seen[p], ("I", i)) if p == mover else (*seen[p], (mover, i)) if shown[p] else (*seen[p], "?")
                    for p in (0, 1)
                ),
            )
            for i in range(n)
        ]
        pending.extend(reversed(after))
    return builder.finish()


def forgetful_game(seed: int, *, plies: int = 5, groups: int = 3) -> GameTree:
    """A random game of any recall: nodes of a player with equally many actions share sets at random."""
    rng = random.Random(f"forgetful {seed}")
    builder = TreeBuilder(title=f"forgetful {seed}")
    movers = rng.choice(((0, 1), (0, 0, 1), (0, 1, CHANCE)))
    by_depth = rng.random() < 0.6  # sets within a level only: no absentmindedness
    pending = [0]
    while pending:
        depth = pending.pop()
        if depth >= plies or (depth and rng.random() < 0.2) or builder.num_nodes > 60:
            builder.leaf(rng.randint(-3, 3), rng.randint(-3, 3))
            continue
        mover, n = rng.choice(movers), rng.choice((1, 2, 2, 3))
        if mover == CHANCE:
            builder.chance([str(i) for i in range(n)], [F(1, n)] * n)
        else:
            key = (n, rng.randrange(groups * 3), depth if by_depth else -1)
            builder.decision(mover, key, [str(i) for i in range(n)])
        pending.extend([depth + 1] * n)
    return builder.finish()


def centipede(length: int, *, growing: bool = True) -> GameTree:
    """Take or pass in turns: whoever takes wins the pot (which grows); zero-sum, and degenerate if it does not grow."""
    builder = TreeBuilder(title=f"centipede {length}")
    for i in range(length):
        builder.decision(i % 2, i, ("take", "pass"))
        pot = (i + 1 if growing else 1) * (1 if i % 2 == 0 else -1)
        builder.leaf(pot, -pot)
    builder.leaf(0, 0)
    return builder.finish()


# -- oracles -------------------------------------------------------------------------------------


def backward_induction(tree: GameTree) -> F:
    """Value for player 1 of a constant-sum game with perfect information, from the leaves up."""
    value: dict[int, F] = {}
    for node in reversed(range(tree.num_nodes)):
        mover = tree.player[node]
        if mover == TERMINAL:
            value[node] = tree.payoff_at(int(tree.infoset[node]))[0]
            continue
        below = [value[child] for child in tree.children(node)]
        if mover == CHANCE:
            table = tree.chance_tables[tree.infoset[node]]
            value[node] = sum((p * v for p, v in zip(table.probabilities, below, strict=True)), F(0))
        else:
            value[node] = max(below) if mover == 0 else min(below)
    return value[0]


def leaf_paths(tree: GameTree) -> Iterator[tuple[F, tuple[list[tuple[int, int]], list[tuple[int, int]]], int]]:
    """For every leaf: probability that chance goes there, the (set, action) pairs of both players, its payoff row."""
    for row, leaf in enumerate(tree.leaves.tolist()):
        probability = F(1)
        moves: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        node = leaf
        while node:
            above, action = int(tree.parent[node]), int(tree.action[node])
            mover, index = int(tree.player[above]), int(tree.infoset[above])
            if mover == CHANCE:
                probability *= tree.chance_tables[index].probabilities[action]
            else:
                moves[mover].append((index, action))
            node = above
        for own in moves:
            own.reverse()
        yield probability, moves, row


def float_value(tree: GameTree) -> float:
    """Value for player 1 by the sequence-form program in floats, written down here and solved by SciPy."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import lil_matrix

    sequences: tuple[dict[object, int], dict[object, int]] = ({(): 0}, {(): 0})
    parents: tuple[dict[int, int], dict[int, int]] = ({}, {})
    cells: dict[tuple[int, int], F] = {}
    for probability, moves, row in leaf_paths(tree):
        at = []
        for player in (0, 1):
            number = 0
            for index, action in moves[player]:
                parents[player][index] = number
                for a in range(len(tree.actions[player][index])):
                    sequences[player].setdefault((index, a), len(sequences[player]))
                number = sequences[player][index, action]
            at.append(number)
        cells[at[0], at[1]] = cells.get((at[0], at[1]), F(0)) + probability * tree.payoff_at(row)[0]
    flows = []
    for player in (0, 1):
        flow = lil_matrix((1 + len(parents[player]), len(sequences[player])))
        flow[0, 0] = 1
        for k, (index, before) in enumerate(parents[player].items(), start=1):
            flow[k, before] = -1
            for a in range(len(tree.actions[player][index])):
                flow[k, sequences[player][index, a]] = 1
        flows.append(flow)
    scale = max((abs(float(v)) for v in cells.values()), default=1.0) or 1.0
    payoff = lil_matrix((len(sequences[0]), len(sequences[1])))
    for (i, j), v in cells.items():
        payoff[i, j] = float(v) / scale
    # max v0 over x >= 0 and free v, with E x = e and F'v <= U'x
    from scipy.sparse import bmat

    (r1, s1), (r2, s2) = flows[0].shape, flows[1].shape
    upper = bmat([[-payoff.T, flows[1].T]]).tocsr()
    equal = bmat([[flows[0], lil_matrix((r1, r2))]]).tocsr()
    cost = np.zeros(s1 + r2)
    cost[s1] = -1
    start = np.zeros(r1)
    start[0] = 1
    bounds = [(0, None)] * s1 + [(None, None)] * r2
    found = linprog(cost, upper, np.zeros(s2), equal, start, bounds, method="highs")
    assert found.status == 0, found.message
    return -found.fun * scale
