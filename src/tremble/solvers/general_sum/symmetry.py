"""Find sequences and information sets that every symmetric equilibrium treats alike.

The classes are the coarsest *equitable* ones (:mod:`tremble.exact.colours`) of three matrices: the losses of both
players at pairs of sequences, the probability that chance leads to each pair, and the sequence before each set.
Sequences of one class have the same number of moves, the same trembles and orders, and the same expected loss against
the prior. Sets of one class have actions of the same classes, after sequences of one class. A class can contain
sequences of both players if the players are *interchangeable*, that is, if their empty sequences are in one class. The
losses are integers without a common divisor, counted from the greatest payoff of the player, so the units of the
payoffs do not matter.

*Each symmetry of the game, the trembles and the prior* maps sequences to sequences of the same class. Examples are
relabelled actions, copies of subtrees after moves of chance, and players who change places. The reason: the orbits of
the symmetries are equitable classes, and the coarsest classes are unions of orbits. So every symmetry leaves a solution
unchanged that is equal on the classes. The converse fails, as in colour refinement of graphs: no symmetry explains
some classes, and the solution treats their members alike too.

*Such a solution exists, and the method finds it.* Let P be the complementarity problem, and :math:`P^Q` its quotient:
one variable for each class, and the row of any of its members. All rows of a class are equal on variables that are
equal on classes. So :math:`(z, w)` solves :math:`P^Q` if and only if :math:`z_j = z_{[j]}` and :math:`w_j = w_{[j]}`
solve P, for classes of any sizes. Rows and columns have the same classes, so products :math:`z_j w_j` are products of
the quotient. The same holds for the points of Lemke's path, because the covering vector is equal on classes. A ray of
the quotient lifts to a ray of P with the signs and products that the proof above uses, so it is the initial ray. The
path in the quotient never returns, so it ends in a solution. (With D the sizes of the classes, :math:`D M^Q` is the
form of P on points that are equal on classes; it is copositive where that of P is.)

References
----------
J. Nash: Non-cooperative games, Annals of Mathematics 54, 1951, theorem 2: a finite game has a symmetric equilibrium.
M. Grohe, K. Kersting, M. Mladenov, E. Selman: Dimension reduction via colour refinement, ESA 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError
from tremble.exact.blocks import Blocks
from tremble.exact.colours import Classes, numbered, refined_alike
from tremble.exact.matrix import IntegerMatrix
from tremble.exact.program import Program
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.solution.trembles import Trembles
from tremble.solvers.general_sum.reached import Losses, ReachedSide

__all__ = ["Symmetry", "stacked"]


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The class of each sequence and information set; both players share one numbering of classes."""

    sequence: tuple[Classes, Classes]  # pair of int64[S]
    infoset: tuple[Classes, Classes]  # pair of int64[J]
    rounds: int

    @classmethod
    def of(cls, tree: GameTree, trembles: Trembles, prior: Trembles, check: Callable[[], None]) -> Symmetry:
        """Find the coarsest classes; sets that chance never reaches form classes without other sets."""
        form = SequenceForm.of(tree)
        sides = pair(ReachedSide.of(form, player, trembles) for player in (0, 1))
        blocks = Blocks.of(
            {f"sequences of player {i + 1}": form.num_sequences[i] for i in (0, 1)}
            | {f"sets of player {i + 1}": form.num_infosets[i] for i in (0, 1)}
        )
        entries: tuple[list[Any], list[Any]] = [], []  # losses and flow; probabilities of chance
        facts = np.zeros((5, len(blocks)), dtype=object)
        for player, (own, other) in enumerate((sides, sides[::-1])):
            sequences, others = f"sequences of player {player + 1}", f"sequences of player {2 - player}"
            cost = own.losses(tree, other)
            entries[0].append((sequences, others, cost.matrix.row_of_entry, cost.matrix.column, cost.matrix.value))
            entries[0].append((f"sets of player {player + 1}", sequences, *_flow(own)))
            entries[1].append((sequences, others, *(form.row, form.column)[:: 1 - 2 * player], form.mass))
            facts[:, blocks[sequences]] = _facts(own, cost, prior)
        quotient = refined_alike(_graph(blocks, entries, facts), _sets(blocks), check)
        if quotient is None:
            raise SolverError(
                "colour refinement failed: two different sums agreed with every modulus; solve without symmetric"
            )
        sequence1, sequence2, infoset1, infoset2 = (quotient.row[block] for block in blocks.slices.values())
        return cls((sequence1, sequence2), (infoset1, infoset2), quotient.rounds)

    @property
    def players_alike(self) -> bool:
        """True if the players are interchangeable, so that both play alike."""
        return bool(self.sequence[0][0] == self.sequence[1][0])

    @property
    def merges(self) -> bool:
        """True if any class has more than one sequence."""
        sequences = np.concatenate(self.sequence)
        return len(np.unique(sequences)) < len(sequences)

    def of_player(self, player: int) -> tuple[Classes, Classes]:
        """Return the classes of a player's sequences and of its sets, numbered from 0."""
        return numbered(self.sequence[player]), numbered(self.infoset[player])

    def among(self, sides: Sequence[ReachedSide]) -> tuple[Classes, Classes]:
        """Return the classes of the sequences and of the sets in the problem, first those of player 1."""
        sequence = [classes[side.sequences] for classes, side in zip(self.sequence, sides, strict=True)]
        infoset = [classes[side.sets] for classes, side in zip(self.infoset, sides, strict=True)]
        return numbered(np.concatenate(sequence)), numbered(np.concatenate(infoset))

    def shared(self, weights: Trembles) -> Trembles:
        """Give every action the weight of the first action in its class."""
        _, first, of = np.unique(self._moves, return_index=True, return_inverse=True)
        weight = np.concatenate(weights.weight)[first][of]
        return replace(weights, weight=pair(np.split(weight // np.gcd.reduce(weight), [len(weights.weight[0])])))

    def plain(self) -> dict[str, Any]:
        """Return the facts for the diagnostics."""
        sizes = [len(self._moves), len(np.unique(self._moves))]
        return {"players_alike": self.players_alike, "sequences": sizes, "rounds": self.rounds}

    @property
    def _moves(self) -> Classes:
        """Return the classes of all sequences except the empty ones."""
        return np.concatenate([classes[1:] for classes in self.sequence])


def stacked(*parts: Classes) -> Classes:
    """Concatenate classes; different parts have no class in common."""
    sizes = [int(part.max(initial=-1)) + 1 for part in parts]
    return np.concatenate([part + first for part, first in zip(parts, np.cumsum([0, *sizes]).tolist(), strict=False)])


def _flow(side: ReachedSide) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the entries (set, sequence, value) of E: 1 for the sequences of a set, -1 for the one before."""
    own = side.own
    row = np.concatenate((own.set_of[1:], np.arange(own.num_infosets)))
    column = np.concatenate((np.arange(1, own.num_sequences), own.parent))
    return row, column, np.where(np.arange(len(row)) < own.num_sequences - 1, 1, -1)


def _facts(side: ReachedSide, cost: Losses, prior: Trembles) -> NDArray[Any]:
    """Return five numbers of each sequence that are equal within a class, object[5, S].

    They are the number of moves, the least weight, its order, the entry of the covering vector, and 1 if the sequence
    is in the problem.
    """
    covered = np.zeros(len(side.place), dtype=object)
    covered[side.sequences] = cost.expected(prior)
    kept = (side.place >= 0).astype(object)
    order = side.own.totals(side.trembles.order[side.own.player])
    return np.stack([side.own.length.astype(object), side.least.sum(axis=0), order.astype(object), covered, kept])


def _graph(blocks: Blocks, entries: Sequence[list[Any]], facts: NDArray[Any]) -> Program:
    """Return the input of colour refinement as a program; only its matrices and right-hand sides carry data."""
    size = len(blocks)
    nothing = np.zeros(size, dtype=np.int64)
    return Program(
        matrices=tuple(IntegerMatrix.from_blocks(blocks, blocks, parts) for parts in entries),
        rhs=facts,
        cost=nothing[np.newaxis],
        equality=nothing.astype(np.bool_),
        free=nothing.astype(np.bool_),
        row_exponent=nothing,
        column_exponent=nothing,
    )


def _sets(blocks: Blocks) -> NDArray[np.int64]:
    """Return 1 for information sets and 0 for sequences."""
    return blocks.mask("sets of player 1", "sets of player 2").astype(np.int64)
