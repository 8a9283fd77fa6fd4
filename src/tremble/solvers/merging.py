"""Find *alike* sequences and information sets of a tree, which color refinement of the payoffs cannot distinguish.

If payoffs have a constant sum, the result contains the classes that the method ``lp`` merges in its linear program
(:mod:`tremble.solvers.zero_sum`). Otherwise the result contains the classes that the method ``lemke`` merges in its
complementarity problem for a symmetric equilibrium (:mod:`tremble.solvers.general_sum`). Color refinement finds the
classes, and an exact check confirms them (:mod:`tremble.exact.colours`). The method solves the merged problem, to which
no game tree corresponds. The solution then gives alike sequences of the game equal weights.

Two information sets of a player are alike if the sequences that lead to them are alike, and their actions can be
paired so that the actions of each pair are alike. Two actions of one information set may also be alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from tremble.exact.colours import refined
from tremble.exact.program import Program
from tremble.exact.quotient import Classes
from tremble.game.requirements import require_tree
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.solution.merging import MergedSizes, Merging, first_alike
from tremble.solution.trembles import Trembles
from tremble.solvers.method import nobody_listens
from tremble.solvers.sequence_classes import SequenceClasses
from tremble.solvers.zero_sum import NashProgram

__all__ = ["merging_of"]


def merging_of(tree: GameTree, check: Callable[[], None] = nobody_listens) -> Merging:
    """Find the alike sequences and information sets of a tree.

    Parameters
    ----------
    check : callable, optional
        Function that is called in every round of color refinement. It may raise an exception to stop.

    Raises
    ------
    ImperfectRecallError
        A player lacks perfect recall.
    """
    require_tree(tree)
    began = time.perf_counter()
    alike = _in_complementarity_problem if tree.constant_sum is None else _in_linear_program
    classes, (whole, left), rounds, players_alike = alike(tree, check)
    apart = pair(np.arange(len(of)) for of in classes)
    sizes = _sizes(tree, apart, whole), _sizes(tree, classes, left)
    return Merging(tree, classes, *sizes, players_alike, rounds, time.perf_counter() - began)


_Found = tuple[tuple[Classes, Classes], tuple[Program, Program], int | None, bool | None]
"""Classes of sequences, the programs before and after merging, the number of rounds, and whether players are alike."""


def _in_linear_program(tree: GameTree, check: Callable[[], None]) -> _Found:
    form = SequenceForm.of(tree)
    program = NashProgram.of(form).program
    quotient = refined(program, check)
    if quotient is None:
        return pair(map(np.arange, form.num_sequences)), (program, program), None, None
    return SequenceClasses.of_program(quotient).of, (program, quotient.program), quotient.rounds, None


def _in_complementarity_problem(tree: GameTree, check: Callable[[], None]) -> _Found:
    from tremble.solvers.general_sum import ComplementarityProgram, Symmetry

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
