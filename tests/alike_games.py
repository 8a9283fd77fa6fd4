"""Random games with something alike in them, of which it is known what is, and what is not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction as F

from hostile_games import RECIPES, hostile_game, leaf_paths
from tremble import CHANCE, TERMINAL, GameTree, TreeBuilder

NUDGE = F(1, 10**30)

Sequence = tuple[int, str, str]  # player, information set, action


@dataclass
class AlikeGame:
    """A game, pairs of its sequences that a renaming exchanges, and pairs that no renaming does."""

    tree: GameTree
    alike: list[tuple[Sequence, Sequence]] = field(default_factory=list)
    apart: list[tuple[Sequence, Sequence]] = field(default_factory=list)
    like: GameTree | None = None  # a game that has as many classes of sequences of each player


def copies(tree: GameTree, rng: random.Random, *, equal: bool = True, nudged: bool = False) -> AlikeGame:
    """Chance chooses one of two or three copies, and who sees which is random.

    The second copy is written backwards, as far as it can be. With
    ``nudged``, one payoff of the first of three copies is 10^-30 larger.
    """
    weights = [1] * (3 if nudged else rng.choice((2, 2, 3))) if equal else [1, 2]
    shown = [rng.random() < 0.7 for _ in (0, 1)]
    leaf = _leaf_that_chance_reaches(tree, rng) if nudged else None
    builder = TreeBuilder(title=f"copies of {tree.title}")
    builder.chance([f"copy {i}" for i in range(len(weights))], [F(w, sum(weights)) for w in weights])

    def name(copy: int, player: int, index: int) -> str:
        return f"copy {copy} set {index}" if shown[player] else f"set {index}"

    for copy in range(len(weights)):
        pending = [0]
        while pending:
            node = pending.pop()
            mover = int(tree.player[node])
            backwards = copy % 2 and (mover == CHANCE or shown[mover])
            children = list(tree.children(node))[:: -1 if backwards else 1]
            _place(builder, tree, node, children, lambda p, k, copy=copy: name(copy, p, k), leaf if copy == 0 else None)
            pending += reversed(children)
    # With a nudge, the copies after the first are alike, and what leads to the leaf is not what it is there.
    game = AlikeGame(builder.finish(), like=tree if equal and leaf is None else None)
    first = 0 if leaf is None else 1
    for player, index, action in _sequences(tree):
        if shown[player] and equal:
            one, *others = ((player, name(c, player, index), action) for c in range(first, len(weights)))
            game.alike += [(one, other) for other in others]
    if leaf is not None:
        for player, own in enumerate(_moves_to(tree, leaf)):
            if shown[player] and own:
                index, a = own[-1]
                action = tree.actions[player][index][a]
                game.apart += [((player, name(0, player, index), action), (player, name(1, player, index), action))]
    return game


def twins(tree: GameTree, rng: random.Random) -> AlikeGame:
    """Every action of one information set is there twice; its player remembers which, the other never sees it."""
    player, where, _ = rng.choice(list(_sequences(tree)) or [(0, -1, "")])
    builder = TreeBuilder(title=f"twins in {tree.title}")
    pending = [(0, "")]  # nodes, and which twin has been played
    after = set()
    while pending:
        node, twin = pending.pop()
        children = list(tree.children(node))
        mover, index = int(tree.player[node]), int(tree.infoset[node])
        if (mover, index) == (player, where):
            labels = tree.actions[player][where]
            builder.decision(player, (where, ""), [f"{a}{t}" for t in ("", "'") for a in labels], f"set {where}")
            pending += [(child, t) for t in ("'", "") for child in reversed(children)]
            continue
        if mover == player and twin:
            after.add(index)
        _place(builder, tree, node, children, lambda p, k, twin=twin: f"set {k}{twin if p == player else ''}")
        pending += [(child, twin) for child in reversed(children)]
    game = AlikeGame(builder.finish())
    for mover, index, action in _sequences(tree):
        if (mover, index) == (player, where):
            game.alike.append(((player, f"set {index}", action), (player, f"set {index}", f"{action}'")))
        elif mover == player and index in after:
            game.alike.append(((player, f"set {index}", action), (player, f"set {index}'", action)))
    return game


KINDS: dict[str, Callable[[GameTree, random.Random], AlikeGame]] = {
    "copies": copies,
    "copies dealt unequally": lambda tree, rng: copies(tree, rng, equal=False),
    "copies that differ by 10^-30": lambda tree, rng: copies(tree, rng, nudged=True),
    "twins": twins,
    "as it is": lambda tree, _: AlikeGame(tree),
}


def alike_game(number: int) -> AlikeGame:
    """A game of each recipe, of each kind, and on from there with others."""
    recipes, kinds = list(RECIPES), list(KINDS)
    base = hostile_game(recipes[number % len(recipes)], number, most=20)
    return KINDS[kinds[number % len(kinds)]](base, random.Random(f"alike {number}"))


def _place(
    builder: TreeBuilder,
    tree: GameTree,
    node: int,
    children: list[int],
    name: Callable[[int, int], str],
    nudged: int | None = None,
) -> None:
    """Add a node of a tree, its children in this order."""
    mover, index = int(tree.player[node]), int(tree.infoset[node])
    order = [int(tree.action[child]) for child in children]
    if mover == TERMINAL:
        one, two = tree.payoff_at(index)
        more = NUDGE if index == nudged else 0
        builder.leaf(one + more, two - more)
    elif mover == CHANCE:
        table = tree.chance_tables[index]
        builder.chance([table.labels[a] for a in order], [table.probabilities[a] for a in order])
    else:
        label = name(mover, index)
        builder.decision(mover, label, [tree.actions[mover][index][a] for a in order], label)


def _sequences(tree: GameTree) -> Iterator[tuple[int, int, str]]:
    """Player, information set and action of all but the empty ones."""
    for player in (0, 1):
        for index, actions in enumerate(tree.actions[player]):
            for action in actions:
                yield player, index, action


def _leaf_that_chance_reaches(tree: GameTree, rng: random.Random) -> int:
    """A row of the payoffs."""
    return rng.choice([row for probability, _, row in leaf_paths(tree) if probability])


def _moves_to(tree: GameTree, leaf: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Own (set, action) of both players on the way to a leaf."""
    return next(moves for _, moves, row in leaf_paths(tree) if row == leaf)
