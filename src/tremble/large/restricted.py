"""A restricted game in sequence form, in which players may use only allowed sequences.

At an information set without allowed sequences, a player follows its default. :meth:`.oracle.Oracle.restricted`
collects the *compatible* sequences. These are the allowed sequences that can be reached if both players use only
allowed sequences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.highs import FloatSolution
from tremble.exact.lexicographic import BasicSolution
from tremble.game.sequence_form import SequenceForm, Sequences, segments
from tremble.game.tree_arrays import pair
from tremble.integers import safe_to_add
from tremble.large.sequences import KnownSequences, Plan
from tremble.solvers.zero_sum import NashProgram

__all__ = ["Basis", "Leaves", "RestrictedGame"]


@dataclass(frozen=True, eq=False)
class Leaves:
    """The L leaves of a restricted game. Sequences and information sets have the indices of `KnownSequences`."""

    sequence: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[L]: each player's last sequence
    # int64[L] or object[L]: the probability of chance's moves times player 1's payoff, as integers over `denominator`
    weight: NDArray[Any]
    denominator: int
    temporary: int  # number of temporary leaves
    reached: tuple[NDArray[np.int64], NDArray[np.int64]]  # information sets with compatible sequences, ascending


@dataclass(frozen=True, eq=False)
class Basis:
    """A basis of the linear program of a restricted game: its basic columns and its basic rows.

    Columns and rows are identified by sequences and sets, numbered as in `KnownSequences`. These numbers stay valid in
    later restricted games. The last two fields contain all rows of the program, basic or not.
    """

    columns: NDArray[np.int64]  # sequences of player 1
    values: NDArray[np.int64]  # information sets of player 2; -1 for the value of the game
    flow_rows: NDArray[np.int64]  # information sets of player 1; -1 for the empty sequence
    sequence_rows: NDArray[np.int64]  # sequences of player 2
    known_flow_rows: NDArray[np.int64]
    known_sequence_rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RestrictedGame:
    """A restricted game in sequence form, with the linear program that solves it."""

    nash: NashProgram
    players: tuple[KnownSequences, KnownSequences]
    # The compatible sequences and their information sets, numbered as in `players`.
    sequences: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[S']
    infosets: tuple[NDArray[np.int64], NDArray[np.int64]]  # pair of int64[J']
    leaves: Leaves

    @classmethod
    def of(cls, players: tuple[KnownSequences, KnownSequences], leaves: Leaves) -> RestrictedGame:
        """Index the compatible sequences, and build the linear program for an equilibrium of the restricted game."""
        sides = [_compatible(known, sets) for known, sets in zip(players, leaves.reached, strict=True)]
        (own1, kept1, number1), (own2, kept2, number2) = sides
        width = len(kept2)
        # Add the weights of all leaves with the same pair of sequences.
        cell = number1[leaves.sequence[0]] * width + number2[leaves.sequence[1]]
        order = np.argsort(cell, kind="stable")
        cell, weight = cell[order], leaves.weight[order]
        begin = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
        cell, weight = cell[begin], np.add.reduceat(safe_to_add(weight), begin)
        kept = np.flatnonzero(weight != 0)
        form = SequenceForm(
            sequences=(own1, own2),
            row=cell[kept] // width,
            column=cell[kept] % width,
            payoff=weight[kept],
            denominator=leaves.denominator,
        )
        return cls(NashProgram.of(form), players, (kept1, kept2), leaves.reached, leaves)

    # -- plans -----------------------------------------------------------------------------------

    def value(self, solution: FloatSolution) -> float:
        """Return player 1's value of the restricted game from a float solution of the program."""
        return float(solution.value[self.nash.game_value]) * self.nash.float_unit

    def plans(self, solution: FloatSolution, threshold: float) -> tuple[Plan, Plan]:
        """Return both players' plans from a float solution. Weights below ``threshold`` become 0."""
        raw = self.nash.raw_plans(solution.value, solution.multiplier)
        return pair(
            known.normalised(self._plan(player, weight / max(weight[0], 1e-300)), threshold)
            for player, (known, weight) in enumerate(zip(self.players, raw, strict=True))
        )

    def thinned(self, player: int, weight: NDArray[np.float64], least: float) -> Plan:
        """Return a player's plan after removing all actions whose probability is less than ``least``."""
        kept = weight.copy()
        kept[1:][weight[1:] < least * weight[self.nash.form.sequences[player].before[1:]]] = 0.0
        return self.players[player].normalised(self._plan(player, kept), 0.0)

    def exact_plans(self, vertex: BasicSolution) -> tuple[Plan, Plan]:
        """Return both players' plans from an exact optimal solution of the program."""
        return pair(
            self._plan(plan.player, plan.weight.astype(object), plan.denominator) for plan in self.nash.plans(vertex)
        )

    def _plan(self, player: int, weight: NDArray[Any], denominator: int | None = None) -> Plan:
        known = self.players[player]
        full = np.zeros(known.num_sequences, dtype=weight.dtype)
        full[self.sequences[player]] = weight
        decided = np.zeros(known.num_infosets, dtype=np.bool_)
        decided[self.infosets[player]] = True
        return Plan(player, full, denominator, decided)

    # -- bases -----------------------------------------------------------------------------------

    def start(self, basis: Basis | None) -> NDArray[np.int64] | None:
        """Extend the basis of an earlier program to this program. New rows are basic, and new columns are not.

        Return None if no basis is given, or if the extended basis has the wrong size.
        """
        if basis is None:
            return None
        program, blocks = self.nash.program, self._blocks()
        basic = np.zeros(program.num_columns + program.num_rows, dtype=np.bool_)
        size = 1 + max(known.num_sequences for known in self.players)
        kept = basis.columns, basis.values, basis.flow_rows, basis.sequence_rows
        for (block, numbers), previous in zip(blocks, kept, strict=True):
            basic[block] = _contained(numbers, previous, size)
        for (block, numbers), known in zip(blocks[2:], (basis.known_flow_rows, basis.known_sequence_rows), strict=True):
            basic[block] |= ~_contained(numbers, known, size)
        chosen = np.flatnonzero(basic)
        return chosen if len(chosen) == program.num_rows else None

    def remembered(self, basis: NDArray[np.int64]) -> Basis:
        """Describe a basis by indices of sequences and sets. The indices stay valid in later restricted games."""
        basic, blocks = self.nash.program.basic(basis), self._blocks()
        return Basis(*(numbers[basic[block]] for block, numbers in blocks), *(numbers for _, numbers in blocks[2:]))

    def _blocks(self) -> list[tuple[slice, NDArray[np.int64]]]:
        """Return (slice, indices) for each of four blocks of variables. The indices name sequences or sets."""
        program = self.nash.program
        values, flow = (np.concatenate(([-1], self.infosets[i])) for i in (1, 0))
        return [
            (program.columns["plan of player 1"], self.sequences[0]),
            (program.columns["values of player 2"], values),
            (program.logicals["flow of player 1"], flow),
            (program.logicals["plan of player 2"], self.sequences[1]),
        ]


def _contained(numbers: NDArray[np.int64], some: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    """Return a mask: True for entries of ``numbers`` that are in ``some``. All entries are from -1 to ``size`` - 2."""
    marked = np.zeros(size, dtype=np.bool_)
    marked[some] = True
    return marked[numbers]


def _compatible(
    known: KnownSequences, sets: NDArray[np.int64]
) -> tuple[Sequences, NDArray[np.int64], NDArray[np.int64]]:
    """Return the allowed sequences at ``sets``, their indices in ``known``, and the inverse map (-1: not allowed)."""
    count = known.width[sets]
    options = segments(known.first[sets], count)
    allowed = known.allowed[options]
    kept = np.concatenate(([0], options[allowed]))
    offset = np.cumsum(count) - count
    width = np.add.reduceat(allowed.astype(np.int64), offset) if len(sets) else np.zeros(0, dtype=np.int64)
    number = np.full(known.num_sequences, -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    start = np.concatenate(([1], 1 + np.cumsum(width))).astype(np.int64)
    own = Sequences(known.player, number[known.parent[sets]], start, np.arange(len(sets)))
    return own, kept, number
