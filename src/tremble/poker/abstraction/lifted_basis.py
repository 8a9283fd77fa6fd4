r"""The certificate of an extensive-form perfect equilibrium of a filtered game, as one of the original.

It rests on a basis that is regular, and hands of one class have equal columns. So the lifted certificate states the
classes, and the system of its basis is that of the classes (:mod:`tremble.check.basis`), each row and
column named by its first member. Let payoffs be counted in units of u in the original and of U in the filtered game,
which adds up the deals. The row of a sequence (D, t) of player 2 there is :math:`|D|\,u/U` times the row of any (o, t)
here, if its values and slacks are counted in the same way: what follows a class of hands are as many hands as follow
all of its members. So the same pivots will do, and combinations of rows that vanish at 0 do so with factors of these
rows that are multiplied by that number.
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
    """The fields of a certificate that are of the basis, for the original.

    Parameters
    ----------
    tree : GameTree
        Of the original, in which player i has J_i sets and S_i sequences.
    set_of : pair of int64[J]
        The set of the filtered game that each one is lifted from.
    sequence_of : pair of int64[S]
        The same of the sequences.
    stated : mapping
        The certificate, of kind ``basis``, of the filtered game.
    """
    form = SequenceForm.of(tree)
    merged = stated.get("classes") or (None, None)
    classes = [numbered(of if own is None else np.array(own)[of]) for of, own in zip(sequence_of, merged, strict=True)]
    members = [
        (_of_small(sequence_of[player], _first(classes[player])),
         _of_small(set_of[player], _first_sets(form, player, classes[player])))
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
    """The system of one player's plan and what the other falls short of, whose payoffs these are."""
    first, second = players
    (sequences1, sets1), (sequences2, sets2) = members[first], members[second]
    s1, j1, j2 = form.num_sequences[first], form.num_infosets[first], form.num_infosets[second]
    row = np.concatenate(([0], 1 + sets1, j1 + sequences1[1:], j1 + s1 + sequences2)).tolist()
    column = np.concatenate((sequences1, [s1], s1 + 1 + sets2, s1 + j2 + sequences2[1:])).tolist()
    times = [Fraction(1)] * (len(row) - len(sequences2)) + _times(form, payoff, sequence_of, second)
    pivots = stated["pivots"]
    return {
        "pivots": None if pivots is None else [[row[r], column[c]] for r, c in pivots],
        "row_operations": [
            {"row": row[operation["row"]], "combination": _combined(operation["combination"], row, times)}
            for operation in stated["row_operations"]
        ],
    }


def _first(classes: IntArray) -> IntArray:
    """The first member of the class of each."""
    _, first, number = np.unique(classes, return_index=True, return_inverse=True)
    return first[number]


def _first_sets(form: SequenceForm, player: int, classes: IntArray) -> IntArray:
    """The first set of the class of each: whose sequences, and the one before, are of the same classes."""
    first: dict[Any, int] = {}
    of = classes.tolist()
    steps = enumerate(form.sequences[player].steps())
    return np.array(
        [first.setdefault((of[before], *sorted(of[begin:end])), k) for k, (before, begin, end) in steps],
        dtype=np.int64,
    )


def _of_small(of: IntArray, first: IntArray) -> IntArray:
    """For each one of the filtered game, the first member of the class of those that are lifted from it."""
    result = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
    result[of] = first
    return result


def _times(
    form: SequenceForm, payoff: NDArray[Any], sequence_of: tuple[IntArray, IntArray], player: int
) -> list[Fraction]:
    """For each sequence of a player of the filtered game: what its row is times one of the original's."""
    count = np.bincount(sequence_of[player])
    row, column = sequence_of[0][form.row], sequence_of[1][form.column]
    sums: dict[tuple[int, int], int] = {}
    for cell, value in zip(zip(row.tolist(), column.tolist(), strict=True), payoff.tolist(), strict=True):
        sums[cell] = sums.get(cell, 0) + value
    units = Fraction(gcd(*payoff.tolist()) or 1, gcd(*sums.values()) or 1)
    return [size * units for size in count.tolist()]


def _listed(sides: Sequence[Sequence[int]], sequence_of: tuple[IntArray, IntArray]) -> list[list[int]]:
    """The sequences that are lifted from those of each player that are listed."""
    return [np.flatnonzero(np.isin(of, list(side))).tolist() for side, of in zip(sides, sequence_of, strict=True)]


def _combined(combination: Sequence[Any], row: list[int], times: list[Fraction]) -> list[list[Any]]:
    """A combination of rows with factors that are integers again."""
    factors = [exact(factor, "combination") * times[r] for r, factor in combination]
    whole = lcm(*(factor.denominator for factor in factors))
    return [[row[r], factor * whole] for (r, _), factor in zip(combination, factors, strict=True)]
