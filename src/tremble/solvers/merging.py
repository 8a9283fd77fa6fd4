"""What is alike in a tree: sequences and information sets that no sum of payoffs tells apart.

Where the payoffs sum to a constant, these are the classes of the linear program that the method lp merges before it
solves (:mod:`tremble.solvers.zero_sum`); of other payoffs, those of the complementarity problem that
the method lemke merges for a symmetric equilibrium (:mod:`tremble.solvers.general_sum.symmetry`). They are found by
colour refinement and checked exactly (:mod:`tremble.exact.colours`). What is left is no game: there is no tree of it,
but its problem is solved in place of the game's, and its solution is one of the game in which what is alike is played
alike.

Two information sets of a player are alike if their actions are, each with one of the other's, and what leads to them.
Two actions of one set may be alike, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from tremble.exact.colours import Classes, refined
from tremble.exact.program import Program
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree, require_tree
from tremble.pairs import pair
from tremble.solution.merging import MergedSizes, Merging, first_alike
from tremble.solution.trembles import Trembles
from tremble.solvers.run import nobody_listens
from tremble.solvers.zero_sum import NashProgram, SequenceClasses

__all__ = ["merging_of"]


def merging_of(tree: GameTree, check: Callable[[], None] = nobody_listens) -> Merging:
    """Find what is alike in a tree.

    Parameters
    ----------
    check : callable, optional
        Called in every round; may raise to stop.

    Raises
    ------
    ImperfectRecallError
        A player forgets.
    """
    require_tree(tree)
    began = time.perf_counter()
    alike = _in_complementarity_problem if tree.constant_sum is None else _in_linear_program
    classes, (whole, left), rounds, players_alike = alike(tree, check)
    apart = pair(np.arange(len(of)) for of in classes)
    sizes = _sizes(tree, apart, whole), _sizes(tree, classes, left)
    return Merging(tree, classes, *sizes, players_alike, rounds, time.perf_counter() - began)


_Found = tuple[tuple[Classes, Classes], tuple[Program, Program], int | None, bool | None]
"""Classes of sequences, the problem before and after, rounds, and whether the players are interchangeable."""


def _in_linear_program(tree: GameTree, check: Callable[[], None]) -> _Found:
    form = SequenceForm.of(tree)
    program = NashProgram.of(form).program
    quotient = refined(program, check)
    if quotient is None:
        return pair(map(np.arange, form.num_sequences)), (program, program), None, None
    return SequenceClasses.of_program(quotient).of, (program, quotient.program), quotient.rounds, None


def _in_complementarity_problem(tree: GameTree, check: Callable[[], None]) -> _Found:
    from tremble.solvers.general_sum.formulation import ComplementarityProgram
    from tremble.solvers.general_sum.symmetry import Symmetry

    equal = Trembles.uniform(tree)
    symmetry = Symmetry.of(tree, equal, equal, check)
    whole = ComplementarityProgram.of(tree, equal, equal)
    classes = pair(symmetry.of_player(player)[0] for player in (0, 1))
    return classes, (whole.program, whole.merged(symmetry).program), symmetry.rounds, symmetry.players_alike


def _sizes(tree: GameTree, classes: tuple[Classes, Classes], program: Program) -> MergedSizes:
    one, two = (len(np.unique(first_alike(tree, player, classes[player])[0])) for player in (0, 1))
    one_too, two_too = (int(of.max()) + 1 for of in classes)
    nonzeros = sum(len(matrix.value) for matrix in program.matrices)
    return MergedSizes((one, two), (one_too, two_too), program.num_rows, program.num_columns, nonzeros)
