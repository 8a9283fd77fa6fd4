"""A restricted game in sequence form: only allowed sequences, the default where a player has none.

What can be reached is the *compatible* part of the allowed sequences; :meth:`.oracle.Oracle.restricted` collects it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact_integers import safe_to_add
from tremble.linear.highs import FloatSolution
from tremble.linear.lexicographic import BasicSolution
from tremble.model.sequence_form import SequenceForm
from tremble.solvers.double_oracle.sequences import Plan, Sequences, segments
from tremble.solvers.shared.sequence_programs import NashProgram

__all__ = ["Basis", "Leaves", "RestrictedGame"]


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of a restricted game, L of them, in the numbering of all known sequences."""

    sequence: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[L]: own sequence of each player
    weight: NDArray[Any]  # int64[L] or object[L]: chance times player 1's payoff, in integers over denominator
    denominator: int
    temporary: int  # how many of them are temporary
    reached: tuple[NDArray[np.int64], NDArray[np.int64]]  # the information sets with a compatible decision, ascending


@dataclass(frozen=True, eq=False)
class Basis:
    """Which columns and rows of a restricted game's program were basic, by the numbers that outlive it."""

    columns: NDArray[np.int64]  # sequences of player 1
    values: NDArray[np.int64]  # information sets of player 2, -1 for the value of the game
    flow_rows: NDArray[np.int64]  # information sets of player 1, -1 for the empty sequence's
    sequence_rows: NDArray[np.int64]  # sequences of player 2
    known_flow_rows: NDArray[np.int64]
    known_sequence_rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RestrictedGame:
    """A restricted game in sequence form."""

    nash: NashProgram
    players: tuple[Sequences, Sequences]
    # The compatible sequences, by their numbers among all known ones.
    sequences: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[S']
    infosets: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[J']
    leaves: Leaves

    @classmethod
    def of(cls, players: tuple[Sequences, Sequences], leaves: Leaves) -> RestrictedGame:
        """Number what is compatible, and write the program down."""
        sides = [_compatible(known, sets) for known, sets in zip(players, leaves.reached, strict=True)]
        (parent1, start1, kept1, number1), (parent2, start2, kept2, number2) = sides
        width = len(kept2)
        cell = number1[leaves.sequence[0]] * width + number2[leaves.sequence[1]]
        order = np.argsort(cell, kind="stable")
        cell, weight = cell[order], leaves.weight[order]
        begin = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
        cell, weight = cell[begin], np.add.reduceat(safe_to_add(weight), begin)
        kept = np.flatnonzero(weight != 0)
        form = SequenceForm(
            parent=(parent1, parent2),
            start=(start1, start2),
            row=cell[kept] // width,
            column=cell[kept] % width,
            payoff=weight[kept],
            denominator=leaves.denominator,
        )
        return cls(NashProgram.of(form), players, (kept1, kept2), leaves.reached, leaves)

    # -- plans -----------------------------------------------------------------------------------

    def value(self, found: FloatSolution) -> float:
        """The value of the restricted game to player 1 in a float solution of the program."""
        return float(found.value[self.nash.game_value]) * self.nash.float_unit

    def plans(self, found: FloatSolution, threshold: float) -> tuple[Plan, Plan]:
        """Both players' plans in a float solution of the program."""
        raw = self.nash.raw_plans(found.value, found.multiplier)
        one, two = (
            known.normalised(self._plan(player, weight / max(weight[0], 1e-300)), threshold)
            for player, (known, weight) in enumerate(zip(self.players, raw, strict=True))
        )
        return one, two

    def thinned(self, player: int, weight: NDArray[np.float64], least: float) -> Plan:
        """A plan of the restricted game without the actions that it plays with less than a least probability."""
        form = self.nash.form
        above = np.repeat(form.parent[player], np.diff(form.start[player]))
        kept = weight.copy()
        kept[1:][weight[1:] < least * weight[above]] = 0.0
        return self.players[player].normalised(self._plan(player, kept), 0.0)

    def exact_plans(self, vertex: BasicSolution) -> tuple[Plan, Plan]:
        """Both players' plans at an exact optimum."""
        one, two = (
            self._plan(plan.player, plan.weight.astype(object), plan.denominator) for plan in self.nash.plans(vertex)
        )
        return one, two

    def _plan(self, player: int, weight: NDArray[Any], denominator: int | None = None) -> Plan:
        known = self.players[player]
        full = np.zeros(known.num_sequences, dtype=weight.dtype)
        full[self.sequences[player]] = weight
        decided = np.zeros(known.num_infosets, dtype=np.bool_)
        decided[self.infosets[player]] = True
        return Plan(player, full, denominator, decided)

    # -- bases -----------------------------------------------------------------------------------

    def start(self, basis: Basis | None) -> NDArray[np.int64] | None:
        """A basis to start from: the previous one; what is new is basic if a row, nonbasic if a column."""
        if basis is None:
            return None
        program, sequences = self.nash.program, self.sequences
        values, flow = (np.concatenate(([-1], self.infosets[i])) for i in (1, 0))
        basic = np.zeros(program.num_columns + program.num_rows, dtype=np.bool_)
        basic[program.columns["plan of player 1"]] = np.isin(sequences[0], basis.columns)
        basic[program.columns["values of player 2"]] = np.isin(values, basis.values)
        basic[program.logicals["flow of player 1"]] = np.isin(flow, basis.flow_rows) | ~np.isin(
            flow, basis.known_flow_rows
        )
        basic[program.logicals["plan of player 2"]] = np.isin(sequences[1], basis.sequence_rows) | ~np.isin(
            sequences[1], basis.known_sequence_rows
        )
        chosen = np.flatnonzero(basic)
        return chosen if len(chosen) == program.num_rows else None

    def remembered(self, basis: NDArray[np.int64]) -> Basis:
        """A basis of the program in numbers that outlive it."""
        program, basic = self.nash.program, self.nash.program.basic(basis)
        values = np.concatenate(([-1], self.infosets[1]))
        flow_rows = np.concatenate(([-1], self.infosets[0]))
        return Basis(
            columns=self.sequences[0][basic[program.columns["plan of player 1"]]],
            values=values[basic[program.columns["values of player 2"]]],
            flow_rows=flow_rows[basic[program.logicals["flow of player 1"]]],
            sequence_rows=self.sequences[1][basic[program.logicals["plan of player 2"]]],
            known_flow_rows=flow_rows,
            known_sequence_rows=self.sequences[1],
        )


def _compatible(
    known: Sequences, sets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Parents and starts of the restricted numbering, its sequences, and the new number of each sequence."""
    count = known.count[sets]
    options = segments(known.first[sets], count)
    allowed = known.allowed[options]
    kept = np.concatenate(([0], options[allowed]))
    offset = np.cumsum(count) - count
    width = np.add.reduceat(allowed.astype(np.int64), offset) if len(sets) else np.zeros(0, dtype=np.int64)
    number = np.full(known.num_sequences, -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    start = np.concatenate(([1], 1 + np.cumsum(width))).astype(np.int64)
    return number[known.parent[sets]], start, kept, number
