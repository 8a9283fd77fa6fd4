r"""Lift a certificate of an extensive-form perfect equilibrium from a filtered game to the original game.

The certificate contains a basis of a linear program, and its basis matrix must be invertible. In the original game,
hands of one class have equal columns, so a basis with a column for each hand would be singular. For this reason the
lifted certificate also lists the classes, and its linear system has one row and one column for each class
(:mod:`tremble.check.basis`). The certificate uses the number of a class's first member for the row and the column of
this class.

The original game counts payoffs in units of u. The filtered game adds up the deals and counts payoffs in units of U.
Let D be a class of player 2's hands, o a hand of D, and t a sequence of moves. Count values and slacks in these units,
too. Then the row of (D, t) in the filtered game is :math:`|D|\,u/U` times the row of (o, t) in the original game. (If
class D' of the next round follows D, each hand of D has :math:`|D'|/|D|` children in D'.) So the pivots of the filtered
game are also valid in the original game. Take a combination of filtered rows that is 0 for :math:`\epsilon = 0`.
Multiply the coefficient of row (D, t) by :math:`|D|\,u/U`. With the new coefficients, the original rows add up to 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.check.claim import exact
from tremble.exact.colours import numbered
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree

__all__ = ["lifted_basis"]

IntArray = NDArray[np.int64]


def lifted_basis(
    tree: GameTree, set_of: tuple[IntArray, IntArray], sequence_of: tuple[IntArray, IntArray], stated: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the fields of the lifted certificate that describe the basis.

    Parameters
    ----------
    tree : GameTree
        The tree of the original game, in which a player has J information sets and S sequences.
    set_of : pair of int64[J]
        For each information set of a player, the corresponding information set of the filtered game.
    sequence_of : pair of int64[S]
        For each sequence of a player, the corresponding sequence of the filtered game.
    stated : mapping
        The certificate of the filtered game, of the kind ``basis``.
    """
    form = SequenceForm.of(tree)
    merged = stated.get("classes") or (None, None)
    classes = [numbered(of if own is None else np.array(own)[of]) for of, own in zip(sequence_of, merged, strict=True)]
    members = [
        (_members_by_source(sequence_of[player], _first_members(classes[player])),
         _members_by_source(set_of[player], _first_sets(form, player, classes[player])))
        for player in (0, 1)
    ]  # fmt: skip
    there = stated["epsilon"]
    plans = {name: [there[name][q] for q in of.tolist()] for name, of in zip("XY", sequence_of, strict=True)}
    lifted = {
        "classes": [side.tolist() for side in classes],
        "basis": _listed(stated["basis"], sequence_of),
        "zeros": {name: _listed(sides, sequence_of) for name, sides in stated["zeros"].items()},
        "epsilon": {**there, **plans},
    }
    if "systems" not in stated:
        return lifted | _system(form, (0, 1), form.payoff, sequence_of, members, stated)
    assert form.payoff2 is not None
    systems = [
        _system(form, players, payoff, sequence_of, members, system)
        for players, payoff, system in zip(
            ((0, 1), (1, 0)), (form.payoff2, form.payoff), stated["systems"], strict=True
        )
    ]
    return {**lifted, "systems": systems}


def _system(
    form: SequenceForm,
    players: tuple[int, int],
    payoff: NDArray[Any],
    sequence_of: tuple[IntArray, IntArray],
    members: Sequence[tuple[IntArray, IntArray]],
    stated: Mapping[str, Any],
) -> dict[str, Any]:
    """Convert the pivots and row operations of one linear system from the filtered to the original game.

    ``players`` contains two players (i, j). The unknowns of the system are the plan of player i and the slacks of
    player j. ``payoff`` contains the payoffs of player j.
    """
    first, second = players
    (sequences1, sets1), (sequences2, sets2) = members[first], members[second]
    s1, j1, j2 = form.num_sequences[first], form.num_infosets[first], form.num_infosets[second]
    row = np.concatenate(([0], 1 + sets1, j1 + sequences1[1:], j1 + s1 + sequences2)).tolist()
    column = np.concatenate((sequences1, [s1], s1 + 1 + sets2, s1 + j2 + sequences2[1:])).tolist()
    times = [Fraction(1)] * (len(row) - len(sequences2)) + _row_factors(form, payoff, sequence_of, second)
    pivots = stated["pivots"]
    return {
        "pivots": None if pivots is None else [[row[r], column[c]] for r, c in pivots],
        "row_operations": [
            {"row": row[operation["row"]], "combination": _combined(operation["combination"], row, times)}
            for operation in stated["row_operations"]
        ],
    }


def _first_members(classes: IntArray) -> IntArray:
    """Return, for each item, the first item of the same class. ``classes`` contains the class of each item."""
    _, first, number = np.unique(classes, return_index=True, return_inverse=True)
    return first[number]


def _first_sets(form: SequenceForm, player: int, classes: IntArray) -> IntArray:
    """Return, for each information set, the first information set of its class.

    Two information sets belong to one class if two conditions hold. First, the sequences that lead to the sets belong
    to one class. Second, the actions of the two sets can be paired such that the two sequences that end with the
    actions of a pair belong to one class.
    """
    first: dict[Any, int] = {}
    of = classes.tolist()
    steps = enumerate(form.sequences[player].steps())
    return np.array(
        [first.setdefault((of[before], *sorted(of[begin:end])), k) for k, (before, begin, end) in steps],
        dtype=np.int64,
    )


def _members_by_source(of: IntArray, first: IntArray) -> IntArray:
    """Return, for each item of the filtered game, its representative among the items of the original game.

    Items are sequences or information sets. ``of`` maps each original item to an item of the filtered game. ``first``
    contains, for each original item, the first member of its class. This first member is the representative.
    """
    result = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
    result[of] = first
    return result


def _row_factors(
    form: SequenceForm, payoff: NDArray[Any], sequence_of: tuple[IntArray, IntArray], player: int
) -> list[Fraction]:
    """Return, for each filtered sequence, its row divided by the row of any original sequence that maps to it.

    The module docstring derives this ratio.
    """
    count = np.bincount(sequence_of[player])
    row, column = sequence_of[0][form.row], sequence_of[1][form.column]
    sums: dict[tuple[int, int], int] = {}
    for cell, value in zip(zip(row.tolist(), column.tolist(), strict=True), payoff.tolist(), strict=True):
        sums[cell] = sums.get(cell, 0) + value
    units = Fraction(gcd(*payoff.tolist()) or 1, gcd(*sums.values()) or 1)
    return [size * units for size in count.tolist()]


def _listed(sides: Sequence[Sequence[int]], sequence_of: tuple[IntArray, IntArray]) -> list[list[int]]:
    """Return, for each player, all sequences of the original game that map to a sequence listed in ``sides``."""
    return [np.flatnonzero(np.isin(of, list(side))).tolist() for side, of in zip(sides, sequence_of, strict=True)]


def _combined(combination: Sequence[Any], row: list[int], times: list[Fraction]) -> list[list[Any]]:
    """Return a multiple of a linear combination, as pairs [row of the original game, factor] with integer factors."""
    factors = [exact(factor, "combination") * times[r] for r, factor in combination]
    whole = lcm(*(factor.denominator for factor in factors))
    return [[row[r], factor * whole] for (r, _), factor in zip(combination, factors, strict=True)]
