"""Where to begin in games of perfect information: the basis of what backward induction plays.

A Nash equilibrium says nothing about what is not reached, so its basis is wrong at about every second move of a deep
game. Where every information set is one node and nothing is tied, backward induction finds the only profile that
refinements leave. It is a guess all the same, which is proven, or mended, like any other: ties are broken blindly.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.model.game import CHANCE
from tremble.model.tree import GameTree
from tremble.solvers.shared.sequence_programs import NashProgram

__all__ = ["induced_basis"]


def induced_basis(tree: GameTree, nash: NashProgram, check: Callable[[], None]) -> NDArray[np.bool_] | None:
    """The basic columns, bool[n + m]; None of a game without perfect information, or of a merged program."""
    if nash.classes is not None or sum(tree.num_infosets) != np.count_nonzero(tree.player >= 0):
        return None
    program = nash.program
    basic = np.zeros(len(program.fixed), dtype=np.bool_)
    replies = program.logicals["plan of player 2"]
    basic[program.columns["values of player 2"]] = True
    basic[replies] = True
    best = _best_actions(tree, check)
    for player, first, played in ((0, program.columns["plan of player 1"].start, True), (1, replies.start, False)):
        own = nash.form.sequences[player]
        basic[first] = basic[first + own.start[:-1] + best[player]] = (
            played  # a slack is basic where its sequence is not
        )
    return basic


def _best_actions(tree: GameTree, check: Callable[[], None]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By information set of each player, the first action that is best if everybody plays so from there on."""
    choice = np.zeros(tree.num_infosets[0], dtype=np.int64), np.zeros(tree.num_infosets[1], dtype=np.int64)
    worth: list[Any] = [0] * tree.num_nodes  # to player 1
    payoff, sets, movers = tree.payoff[:, 0].tolist(), tree.infoset.tolist(), tree.player.tolist()
    children = zip(tree.first_child.tolist(), tree.num_children.tolist(), strict=True)
    for node, (first, count) in reversed(list(enumerate(children))):
        if not node % 1000:
            check()
        options, k = worth[first : first + count], sets[node]
        if not count:
            worth[node] = payoff[k]
        elif movers[node] == CHANCE:
            pairs = zip(tree.chance_tables[k].probabilities, options, strict=True)
            worth[node] = sum((p * value for p, value in pairs), Fraction(0))
        else:
            worth[node] = min(options) if movers[node] else max(options)
            choice[movers[node]][k] = options.index(worth[node])
    return choice
