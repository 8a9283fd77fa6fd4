r"""Compute the reduced normal form (strategic form) of a tree: the bimatrix game of the players' pure plans.

A strategy of the normal form is a reduced pure strategy (:mod:`tremble.game.pure_plans`). A cell contains the payoffs
of both players, in expectation over the moves of chance:

.. math::  A = X_1 \, U_1 \, X_2^T, \qquad B = X_1 \, U_2 \, X_2^T ,

The rows of :math:`X_i` are the plans of player i, with a zero or a one for each sequence. :math:`U_i` is the payoff
matrix of player i in the sequence form. A mixture of plans is a realization plan. With perfect recall, each realization
plan is a mixture of pure plans (Kuhn 1953). So the tree and its normal form have the same values and the same Nash
equilibria, in terms of realization plans.
"""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.game.matrix_game import one_shot_tree
from tremble.game.protocol import TERMINAL
from tremble.game.pure_plans import num_pure_plans, pure_plans
from tremble.game.requirements import require_tree
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import IntArray, integer_array
from tremble.integers import exact_dot, exact_product, safe_to_add
from tremble.numbers import required_limit
from tremble.value import shorten

__all__ = ["is_one_shot", "ordered_plans", "reduced_normal_form"]

_CHUNK = 5_000_000  # entries of an array that are computed at a time
_LONG = 60  # characters; a longer name of a strategy is replaced by numbers


def reduced_normal_form(tree: GameTree, *, max_cells: int = 1_000_000) -> GameTree:
    """Make the one-shot game whose strategies are the reduced pure strategies of a tree.

    Parameters
    ----------
    tree : GameTree
        The payoffs may have any sum, but both players need perfect recall. A one-shot game is returned unchanged.
    max_cells : int
        The limit for the number of cells. A cell is a pair of strategies.

    Returns
    -------
    GameTree
        Player 1 chooses a row, player 2 a column. The label of a strategy joins its actions with hyphens. It omits the
        information sets that the strategy's own earlier moves exclude. If labels would be long or equal, each label
        lists the numbers of the actions instead, as in Gambit, with ``*`` at excluded sets.

    Raises
    ------
    TooLargeError
        There are more than ``max_cells`` cells. The message gives the number of strategies of each player.
    ImperfectRecallError

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> matrix = reduced_normal_form(kuhn)
    >>> [len(matrix.actions[player][0]) for player in (0, 1)]
    [27, 64]
    >>> tremble.solve(matrix).value == tremble.solve(kuhn).value
    True
    """
    require_tree(tree)
    most = required_limit(max_cells, "max_cells", "cells")
    if is_one_shot(tree):
        return tree
    form = SequenceForm.of(tree)
    m, n = (num_pure_plans(form, player) for player in (0, 1))
    if m * n > most:
        shown = [f"{count:,}" if count < 10**15 else shorten(count) for count in (m, n)]
        raise TooLargeError(
            f"the reduced normal form has {shown[0]} by {shown[1]} strategies, more than {most:,} cells; use the tree "
            "(.efg, .json) instead: it is smaller, and can be solved without the normal form"
        )
    # Enumerate the plans of both players and label them.
    choices, labels, plans = [], [], []
    for player in (0, 1):
        made, chosen = ordered_plans(form, player, max(m, n))
        plans.append(made)
        choices.append(chosen)
        labels.append(_labels(tree.actions[player], choices[player]))
    # Compute the expected payoffs of all cells, and divide all integers by their common divisor.
    payoff1 = _cells(form, form.payoff, plans)
    payoff2 = -payoff1 if form.payoff2 is None else _cells(form, form.payoff2, plans)
    values = [int(value) for pair in zip(payoff1.ravel(), payoff2.ravel(), strict=True) for value in pair]
    common = gcd(form.denominator, *values)
    payoff = integer_array([value // common for value in values]).reshape(-1, 2)
    both = labels[0], labels[1]
    return one_shot_tree(m, n, payoff, form.denominator // common, both, tree.title, tree.players)


def ordered_plans(form: SequenceForm, player: int, most: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return the reduced pure strategies, in normal-form order, as two arrays with one row for each strategy.

    The first array, bool[plans, S], marks the sequences that each strategy plays. The second array, int64[plans, J],
    contains the position of the chosen action at each set, counted from 1, or 0 if the strategy excludes the set.
    """
    made = pure_plans(form, player, most)
    chosen = _choices(form, player, made)
    order = np.lexsort(chosen.T[::-1]) if chosen.shape[1] else np.arange(len(made))
    return made[order], chosen[order]


def is_one_shot(tree: GameTree) -> bool:
    """Return True if player 1 moves once, then player 2 moves once in a single information set, and play ends."""
    last = tree.level[2] if tree.depth == 2 else 0
    return bool(
        tree.depth == 2
        and tree.player[0] == 0
        and np.all(tree.player[1:last] == 1)
        and np.all(tree.infoset[1:last] == 0)
        and np.all(tree.player[last:] == TERMINAL)
    )


def _choices(form: SequenceForm, player: int, plans: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return an int64[plans, J]: a plan's action (from 1) at each of the J sets, or 0 if the plan excludes the set."""
    own = form.sequences[player]
    chosen = np.zeros((len(plans), len(own.parent)), dtype=np.int64)
    for k, (first, end) in enumerate(zip(own.start[:-1].tolist(), own.start[1:].tolist(), strict=True)):
        chosen[:, k] = plans[:, first:end] @ np.arange(1, end - first + 1)
    return chosen


def _labels(actions: tuple[tuple[str, ...], ...], choices: NDArray[np.int64]) -> tuple[str, ...]:
    """Return a label for each strategy, from its choices (see :func:`reduced_normal_form`)."""
    if not choices.shape[1]:
        return ("1",)
    rows = choices.tolist()
    labels = ["-".join(actions[k][choice - 1] for k, choice in enumerate(row) if choice) for row in rows]
    if len(set(labels)) == len(labels) and all(0 < len(label) <= _LONG for label in labels):
        return tuple(labels)
    between = "" if choices.max() < 10 else "."
    return tuple(between.join(str(choice or "*") for choice in row) for row in rows)


def _cells(form: SequenceForm, payoff: IntArray, plans: list[NDArray[np.bool_]]) -> IntArray:
    """Return expected payoffs times ``form.denominator`` as an array [m, n], with an entry for each pair of plans."""
    order = np.argsort(form.column, kind="stable")
    row, column, payoff = form.row[order], form.column[order], payoff[order]
    begin = np.flatnonzero(np.concatenate(([True], column[1:] != column[:-1])))
    against = plans[1][:, column[begin]].T.astype(np.int64)
    parts = []
    for first in range(0, len(plans[0]), size := max(1, _CHUNK // len(row))):
        mine = plans[0][first : first + size][:, row].astype(np.int64)
        earned = np.add.reduceat(safe_to_add(exact_product(mine, payoff[np.newaxis])), begin, axis=1)
        parts.append(exact_dot(earned, against))
    return np.concatenate(parts)
