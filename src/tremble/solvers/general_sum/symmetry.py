r"""What a symmetric equilibrium treats alike: classes of sequences and of information sets of both players.

The classes are the coarsest *equitable* ones (:mod:`tremble.exact.colours`) of what both players lose at pairs of
sequences, of how likely chance leads there, and of which sequence leads to which set. Sequences of one class have
equally many moves and equal trembles, of one order, and what they are expected to lose against the prior is equal too;
so do sets of one class have actions of the same classes behind sequences of one class. Classes are of both players
where these are *interchangeable*: where even their empty sequences are in one class. As losses are integers without a
common divisor, counted from the most that a player can be paid, it does not matter in what units the players are paid.

*Each symmetry of the game, of the trembles and of the prior* maps sequences to others of their class: relabelled
actions, copies of subtrees under moves of chance, players who change places. For the orbits of its symmetries are
equitable classes, and the coarsest ones are unions of these. So a solution that is equal on the classes is one that
every symmetry leaves as it is. The converse fails: as in colour refinement of graphs, there are classes that no
symmetry explains, and what is found treats them alike, too.

*Such a solution exists, and is found.* Let P be the problem of :mod:`.formulation` or of :mod:`.perfect`, and
:math:`P^Q` its quotient: one variable for each class, and the row of any of its members. As all rows of a class say the
same of variables that are equal on classes, :math:`(z, w)` solves :math:`P^Q` if and only if :math:`z_j = z_{[j]}` and
:math:`w_j = w_{[j]}` solve P, whatever the sizes of the classes: rows and columns are of the same classes, so that
products :math:`z_j w_j` are products of the quotient. The same holds of the points that Lemke's method visits, as its
covering vector is equal on classes, and of a ray of them: lifted, it is a ray of P with all that the proof in
:mod:`.formulation` rests on, signs and products. It is the one where the method began, or there is none. So is it in
the quotient, and the path there, which never returns, ends in a solution. (With D the sizes of the classes,
:math:`D M^Q` is the form of P on points that are equal on classes: copositive where that of P is.)

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
    """The class of each sequence and of each information set of both players; the numbers mean the same for both."""

    sequence: tuple[Classes, Classes]  # pair of int64[S]
    infoset: tuple[Classes, Classes]  # pair of int64[J]
    rounds: int

    @classmethod
    def of(cls, tree: GameTree, trembles: Trembles, prior: Trembles, check: Callable[[], None]) -> Symmetry:
        """The coarsest classes; sets that chance never comes to are told apart from others."""
        form = SequenceForm.of(tree)
        sides = pair(ReachedSide.of(form, player, trembles) for player in (0, 1))
        blocks = Blocks.of(
            {f"sequences of player {i + 1}": form.num_sequences[i] for i in (0, 1)}
            | {f"sets of player {i + 1}": form.num_infosets[i] for i in (0, 1)}
        )
        entries: tuple[list[Any], list[Any]] = [], []  # what is lost, and which sets follow which; how likely it is
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
            raise SolverError("different sums met in one number with every modulus: what is alike is not known")
        sequence1, sequence2, infoset1, infoset2 = (quotient.row[block] for block in blocks.slices.values())
        return cls((sequence1, sequence2), (infoset1, infoset2), quotient.rounds)

    @property
    def players_alike(self) -> bool:
        """Whether the players are interchangeable, so that both play alike."""
        return bool(self.sequence[0][0] == self.sequence[1][0])

    @property
    def merges(self) -> bool:
        """Whether any two sequences are alike."""
        sequences = np.concatenate(self.sequence)
        return len(np.unique(sequences)) < len(sequences)

    def of_player(self, player: int) -> tuple[Classes, Classes]:
        """Of a player's sequences, and of its sets."""
        return numbered(self.sequence[player]), numbered(self.infoset[player])

    def among(self, sides: Sequence[ReachedSide]) -> tuple[Classes, Classes]:
        """Of the sequences that are kept, player 1's first, and of the sets."""
        sequence = [classes[side.sequences] for classes, side in zip(self.sequence, sides, strict=True)]
        infoset = [classes[side.sets] for classes, side in zip(self.infoset, sides, strict=True)]
        return numbered(np.concatenate(sequence)), numbered(np.concatenate(infoset))

    def shared(self, weights: Trembles) -> Trembles:
        """Weights of which every action has that of the first of its class."""
        _, first, of = np.unique(self._moves, return_index=True, return_inverse=True)
        weight = np.concatenate(weights.weight)[first][of]
        return replace(weights, weight=pair(np.split(weight // np.gcd.reduce(weight), [len(weights.weight[0])])))

    def plain(self) -> dict[str, Any]:
        """What there is to tell."""
        sizes = [len(self._moves), len(np.unique(self._moves))]
        return {"players_alike": self.players_alike, "sequences": sizes, "rounds": self.rounds}

    @property
    def _moves(self) -> Classes:
        """Of all sequences but the empty ones."""
        return np.concatenate([classes[1:] for classes in self.sequence])


def stacked(*parts: Classes) -> Classes:
    """Classes one after the other, those of one part apart from those of others."""
    sizes = [int(part.max(initial=-1)) + 1 for part in parts]
    return np.concatenate([part + first for part, first in zip(parts, np.cumsum([0, *sizes]).tolist(), strict=False)])


def _flow(side: ReachedSide) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Entries (set, sequence, value): 1 for the sequences of a set, -1 for the one that leads there."""
    own = side.own
    row = np.concatenate((own.set_of[1:], np.arange(own.num_infosets)))
    column = np.concatenate((np.arange(1, own.num_sequences), own.parent))
    return row, column, np.where(np.arange(len(row)) < own.num_sequences - 1, 1, -1)


def _facts(side: ReachedSide, cost: Losses, prior: Trembles) -> NDArray[Any]:
    """What sequences of one class have in common, object[5, S].

    The number of moves, the least weight and its order, the entry of the covering vector, and whether the sequence is
    in the problem.
    """
    covered = np.zeros(len(side.place), dtype=object)
    covered[side.sequences] = cost.expected(prior)
    kept = (side.place >= 0).astype(object)
    order = side.own.totals(side.trembles.order[side.own.player])
    return np.stack([side.own.length.astype(object), side.least.sum(axis=0), order.astype(object), covered, kept])


def _graph(blocks: Blocks, entries: Sequence[list[Any]], facts: NDArray[Any]) -> Program:
    """What is refined, as a program: only its matrices and its right-hand sides say something."""
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
    """1 for information sets, 0 for sequences."""
    return blocks.mask("sets of player 1", "sets of player 2").astype(np.int64)
