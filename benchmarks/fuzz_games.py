"""Draw the random games of :mod:`benchmarks.fuzz`, in a form that the reducer can change.

A game is a dict from paths to nodes. A path is the tuple of the numbers of the actions from the root, so the paths in
lexicographic order are the nodes in depth-first preorder. The generators are those of the tests. This module varies
their payoffs and information sets.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import tremble
from tremble import CHANCE, TERMINAL, GameTree, TreeBuilder

__all__ = [
    "FAMILIES",
    "Chance",
    "Decision",
    "FuzzGame",
    "Leaf",
    "Node",
    "Place",
    "constant_of",
    "drawn_game",
    "from_tree",
    "members",
    "of_tests",
    "to_tree",
]


def of_tests(module: str) -> Any:
    """Import a module that the tests share. The tests are not typed strictly, so the module has the type Any."""
    folder = str(Path(__file__).parents[1] / "tests")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(module)


_HOSTILE = of_tests("hostile_games")

Place = tuple[int, ...]


@dataclass(frozen=True)
class Chance:
    """A chance node. The probabilities are proportional to the weights."""

    weights: tuple[Fraction, ...]


@dataclass(frozen=True)
class Decision:
    """A node of a player, 0 or 1. All nodes of a set have the same player and the same number of actions."""

    player: int
    infoset: str
    width: int


@dataclass(frozen=True)
class Leaf:
    """The payoffs of both players at the end of a play."""

    payoffs: tuple[Fraction, Fraction]


Node = Chance | Decision | Leaf
FuzzGame = dict[Place, Node]


def from_tree(tree: GameTree) -> FuzzGame:
    """Return the nodes of a tree. Labels of actions are lost."""
    game: FuzzGame = {}
    pending: list[tuple[int, Place]] = [(0, ())]
    while pending:
        node, place = pending.pop()
        mover, index = int(tree.player[node]), int(tree.infoset[node])
        children = tree.children(node)
        if mover == TERMINAL:
            game[place] = Leaf(tree.payoff_at(index))
        elif mover == CHANCE:
            game[place] = Chance(tuple(tree.chance_tables[index].probabilities))
        else:
            game[place] = Decision(mover, f"set {index}", len(children))
        pending += [(child, (*place, k)) for k, child in enumerate(children)]
    return dict(sorted(game.items()))


def to_tree(game: Mapping[Place, Node], title: str = "fuzz") -> GameTree:
    """Build the tree of a game."""
    builder = TreeBuilder(title=title)
    for _, node in sorted(game.items(), key=lambda item: item[0]):
        if isinstance(node, Leaf):
            builder.leaf(*node.payoffs)
        elif isinstance(node, Chance):
            total = sum(node.weights)
            builder.chance([f"c{k}" for k in range(len(node.weights))], [w / total for w in node.weights])
        else:
            builder.decision(node.player, node.infoset, [f"a{k}" for k in range(node.width)], node.infoset)
    return builder.finish()


def members(game: Mapping[Place, Node]) -> dict[tuple[int, str], list[Place]]:
    """Return the nodes of each information set (player, name)."""
    sets: dict[tuple[int, str], list[Place]] = {}
    for place, node in game.items():
        if isinstance(node, Decision):
            sets.setdefault((node.player, node.infoset), []).append(place)
    return sets


def constant_of(game: Mapping[Place, Node]) -> Fraction | None:
    """Return the sum of the payoffs, or None if it is not the same at all leaves."""
    sums = {sum(node.payoffs, Fraction(0)) for node in game.values() if isinstance(node, Leaf)}
    return sums.pop() if len(sums) == 1 else None


# -- families ------------------------------------------------------------------------------------


def _hostile(rng: random.Random) -> GameTree:
    return cast(
        GameTree,
        _HOSTILE.hostile_game(rng.choice(list(_HOSTILE.RECIPES)), rng.randrange(10**9), most=rng.choice((15, 25, 35))),
    )


def _alike(rng: random.Random) -> GameTree:
    return cast(GameTree, of_tests("alike_games").alike_game(rng.randrange(10**9)).tree)


def _general(rng: random.Random) -> GameTree:
    """Return a hostile game in which the payoffs of player 2 are drawn again."""
    name = rng.choice(list(_HOSTILE.RECIPES))
    game = from_tree(_HOSTILE.hostile_game(name, rng.randrange(10**9), most=25))
    draw = _HOSTILE.RECIPES[name].payoffs
    return to_tree(
        {
            place: Leaf((node.payoffs[0], Fraction(rng.choice(draw)))) if isinstance(node, Leaf) else node
            for place, node in game.items()
        }
    )


def _hand_made(rng: random.Random) -> GameTree:
    seed, zero_sum, big = rng.randrange(10**9), rng.random() < 0.5, rng.random() < 0.3
    draw = of_tests("hand_made").random_game
    while (tree := draw(seed, 4, zero_sum=zero_sum, big=big)).num_nodes > 45:
        seed += 1
    return cast(GameTree, tree)


def _built_in(rng: random.Random) -> GameTree:
    options = f"seed={rng.randrange(10**6)},depth={rng.choice((2, 3, 4))},branching=2,observations={rng.choice((1, 2))}"
    if rng.random() < 0.3:
        return tremble.load(f"random_imperfect_recall:{options},recall={rng.choice(('any', 'a-loss'))}")
    chance, total = rng.choice(("true", "false")), rng.choice(("zero", "general"))
    return tremble.load(f"random_tree:{options},chance={chance},sum={total},utilities={rng.choice(('walk', 'iid'))}")


def _merged(rng: random.Random) -> GameTree:
    """Return a hostile game in which two information sets are one, so that a player may forget."""
    game = from_tree(_HOSTILE.hostile_game(rng.choice(list(_HOSTILE.RECIPES)), rng.randrange(10**9), most=25))
    sets = members(game)
    pairs = [
        (a, b) for a in sets for b in sets
        if a < b and a[0] == b[0] and _width(game, sets[a]) == _width(game, sets[b])
    ]  # fmt: skip
    if pairs:
        kept, gone = rng.choice(pairs)
        for place in sets[gone]:
            game[place] = Decision(kept[0], kept[1], _width(game, sets[gone]))
    return to_tree(game)


def _width(game: FuzzGame, places: list[Place]) -> int:
    node = game[places[0]]
    assert isinstance(node, Decision)
    return node.width


FAMILIES: dict[str, Callable[[random.Random], GameTree]] = {
    "hostile": _hostile,
    "alike": _alike,
    "general sum": _general,
    "hand-made": _hand_made,
    "built-in": _built_in,
    "merged sets": _merged,
    "forgets moves": lambda rng: of_tests("forgetful").forgetting(rng.randrange(10**9), 3, most=16),
    "any recall": lambda rng: _HOSTILE.forgetful_game(rng.randrange(10**9), plies=3, groups=2),
}
"""Name -> a function that draws a tree. The last two families are games in which players forget."""

_ORDER = ("hostile", "alike", "general sum", "hostile", "hand-made", "built-in", "merged sets", "general sum",
          "alike", "hand-made", "forgets moves", "any recall")  # fmt: skip


def drawn_game(seed: int, number: int) -> tuple[str, GameTree]:
    """Return the name of a family, and game ``number`` of the run with this seed."""
    rng = random.Random(f"fuzz {seed} {number}")
    family = _ORDER[number % len(_ORDER)]
    tree = FAMILIES[family](rng)
    game = from_tree(tree)
    change = rng.choice((None, None, None, *_CHANGES))
    if change is not None:
        constant = constant_of(game)
        for place, leaf in [(place, node) for place, node in game.items() if isinstance(node, Leaf)]:
            one, two = (change(u, rng) for u in leaf.payoffs)
            game[place] = replace(leaf, payoffs=(one, two if constant is None else change(constant, rng) - one))
        if constant is not None:  # a change draws random numbers, so the sums are made equal again
            game.update(_with_constant(game, constant))
    return family, to_tree(game, f"fuzz {seed} {number} ({family})")


def _with_constant(game: FuzzGame, constant: Fraction) -> Iterator[tuple[Place, Node]]:
    for place, node in game.items():
        if isinstance(node, Leaf):
            yield place, Leaf((node.payoffs[0], constant - node.payoffs[0]))


_CHANGES: tuple[Callable[[Fraction, random.Random], Fraction], ...] = (
    lambda u, _: Fraction((u > 0) - (u < 0)),  # many ties
    lambda u, _: u * 10**30,
    lambda u, _: u / (10**30 + 57),
    lambda u, rng: u + rng.choice((0, 0, Fraction(1, 10**20))),  # almost ties
)
