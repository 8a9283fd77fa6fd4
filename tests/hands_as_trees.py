"""Hands of ordered games beside those of the same game as a tree."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import tremble
from tremble import BehaviorStrategy, GameTree
from tremble.game.protocol import TERMINAL
from tremble.game.rules import UnbuiltGame
from tremble.poker.choices import probabilities
from tremble.poker.filter import Filter
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy
from tremble.show.playable import Line, PlayableOrdered, PlayableTree

OrderedProfile = tuple[OrderedStrategy, OrderedStrategy]


def random_strategy(game: OrderedGame, player: int, seed: int, denominator: int, often_zero: float) -> OrderedStrategy:
    """A plan over random classes, that goes without many actions."""
    draw = random.Random(f"{seed} {player}")
    filter_ = Filter.of(game, lambda public, private: (sum(private) + seed) % (2 + seed % 3))
    if seed % 2:
        filter_ = Filter.full(game)
    weights, before = [], []
    for number, round_ in enumerate(game.rounds):
        side = round_.stage.side(player)
        count, lines = filter_.num_classes(player)[number], 1
        for earlier in game.rounds[:number]:
            lines *= len(earlier.stage.going_on)
        whole = np.zeros((count, side.num_sequences, lines), dtype=object)
        whole[:, 0] = denominator
        if number:
            stage = game.rounds[number - 1].stage
            last = [stage.side(player).last[leaf] for leaf in stage.going_on]
            come = before[filter_.earlier[player][number]][:, last].transpose(0, 2, 1)
            whole[:, 0] = come.reshape(count, lines)
        for parent, first, end in zip(side.parent, side.start, side.start[1:], strict=False):
            for c in range(count):
                for line in range(lines):
                    left = int(whole[c, parent, line])
                    for s in range(first, end - 1):
                        whole[c, s, line] = 0 if draw.random() < often_zero else draw.randint(0, left)
                        left -= whole[c, s, line]
                    whole[c, end - 1, line] = left
        before = whole
        weights.append(whole[:, 1:] if denominator >> 62 else whole[:, 1:].astype(np.int64))
    return OrderedStrategy(player, filter_.class_of[player], tuple(weights), denominator)


def random_profile(game: OrderedGame, seed: int, denominator: int = 10**6, often_zero: float = 0.2) -> OrderedProfile:
    one, two = (random_strategy(game, player, seed, denominator, often_zero) for player in (0, 1))
    return one, two


def both(game: OrderedGame, profile: OrderedProfile) -> tuple[PlayableOrdered, PlayableTree, GameTree]:
    """The game with arrays, and the same built."""
    tree = tremble.build(game)
    rows: list[dict[int, list[Fraction]]] = [{}, {}]
    for line, node in lines(game, tree):
        h, mover = line.here, int(tree.player[node])
        if mover >= 0:
            row = probabilities(game, profile[mover], h.public, h.private[mover], h.nodes)
            rows[mover].setdefault(int(tree.infoset[node]), list(row))
    one, two = (
        BehaviorStrategy.from_rows(tree, player, [rows[player][k] for k in range(tree.num_infosets[player])])
        for player in (0, 1)
    )
    return PlayableOrdered(UnbuiltGame.of(game), profile), PlayableTree(tree, (one, two)), tree


def lines(game: OrderedGame, tree: GameTree) -> Iterator[tuple[Line, int]]:
    """All histories, and their nodes in the tree."""
    stack = [(Line((game.root(),)), 0)]
    while stack:
        line, node = stack.pop()
        yield line, node
        if game.player(line.here) != TERMINAL:
            first = int(tree.first_child[node])
            count = len(game.actions(line.here))
            stack += [(line.then(i, game.child(line.here, i)), first + i) for i in range(count)]
