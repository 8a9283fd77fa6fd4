"""What is alike in a tree: sequences and information sets that no sum of payoffs tells apart.

Where the payoffs sum to a constant, these are the classes of the linear program that the method lp merges before it
solves (:mod:`tremble.solvers.sequence_programs`); of other payoffs, those of the complementarity problem that
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
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.exact.colours import Classes, refined
from tremble.exact.program import Program
from tremble.game.requirements import require_tree
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.solution.trembles import Trembles
from tremble.solvers.run import nobody_listens
from tremble.solvers.sequence_programs import NashProgram, SequenceClasses
from tremble.tabular import Tabular
from tremble.value import Value

__all__ = ["AlikeSets", "MergedSizes", "Merging"]

_Like = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False, repr=False)
class MergedSizes(Value):
    """Sizes of a tree's linear program, or complementarity problem, and how much the players tell apart in it.

    Attributes
    ----------
    information_sets, sequences : pair of int
        Of the players; the empty sequence counted.
    rows, columns, nonzeros : int

    Examples
    --------
    >>> import tremble
    >>> tremble.shrink(tremble.load("matching_pennies")).sizes
    <MergedSizes: information_sets (1, 1), sequences (2, 2), rows 4, columns 4, nonzeros 6>
    """

    information_sets: tuple[int, int]
    sequences: tuple[int, int]
    rows: int
    columns: int
    nonzeros: int


@dataclass(frozen=True, eq=False, repr=False)
class AlikeSets(Value):
    """Information sets of a player that are alike; or one, some of whose actions are.

    Attributes
    ----------
    player : int
        0 or 1.
    infosets : tuple of int
        Their indices, from 0, in ascending order.
    labels : tuple of str
        What they are called.
    actions : tuple of tuple of str
        Of each set.
    like_actions : tuple of tuple of str
        Of each set: the actions of the first set that its actions are like.

    Examples
    --------
    >>> import tremble
    >>> found = tremble.shrink(tremble.load("matching_pennies")).classes[0]
    >>> found.labels, found.actions, found.like_actions
    (('penny of player 1',), (('heads', 'tails'),), (('heads', 'heads'),))
    """

    player: int
    infosets: tuple[int, ...]
    labels: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    like_actions: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Merging(Tabular, Value):
    """What is alike in a tree, and the sizes of its problem before and after that is merged.

    The problem is a linear program where the payoffs sum to a constant, else a complementarity problem, whose columns
    are its rows and one more.

    Attributes
    ----------
    game : GameTree
    sequences : pair of int64[S]
        The class of each sequence of each player, the empty one first; numbered in the order of their first members.
    raw, sizes : MergedSizes
        Of the problem as it is, and of what is left.
    players_alike : bool or None
        Whether the players are interchangeable; None where the payoffs sum to a constant, as each player's sequences
        are rows or columns of the linear program then.
    rounds : int or None
        Of refinement; None where it was given up: in deep games it may take as many rounds as there are moves in a row,
        and then nothing is merged.
    seconds : float

    Examples
    --------
    Heads are as good as tails:

    >>> import tremble
    >>> found = tremble.shrink(tremble.load("matching_pennies"))
    >>> found.raw.sequences, found.sizes.sequences
    ((3, 3), (2, 2))
    >>> [(row["action"], row["like_action"]) for row in found.to_rows()][:2]
    [('heads', 'heads'), ('tails', 'heads')]
    """

    columns: ClassVar[tuple[str, ...]] = ("player", "infoset", "label", "action", "like_infoset", "like_action")

    game: GameTree
    sequences: tuple[Classes, Classes]
    raw: MergedSizes
    sizes: MergedSizes
    players_alike: bool | None
    rounds: int | None
    seconds: float = field(compare=False)

    @classmethod
    def of(cls, tree: GameTree, check: Callable[[], None] = nobody_listens) -> Merging:
        """Find what is alike.

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
        return cls(tree, classes, *sizes, players_alike, rounds, time.perf_counter() - began)

    @cached_property
    def like(self) -> tuple[_Like, _Like]:
        """Of each player: the first set that each information set is like, int64[J], and that action, int64[A].

        Actions are those of all sets, laid end to end as :attr:`tremble.GameTree.slot_start` says; each is the number
        of one among the actions of its set.
        """
        return pair(_like(self.game, player, classes) for player, classes in enumerate(self.sequences))

    @cached_property
    def classes(self) -> tuple[AlikeSets, ...]:
        """Information sets that are alike, and those with actions that are; the most sets first."""
        found = []
        for player, (like, like_action) in enumerate(self.like):
            actions, labels = self.game.actions[player], self.game.infoset_labels[player]
            start = self.game.slot_start[player]
            order = np.argsort(like, kind="stable")
            for sets in np.split(order, np.flatnonzero(np.diff(like[order])) + 1) if len(order) else []:
                first = actions[sets[0]]
                moves = tuple(tuple(first[a] for a in like_action[start[k] : start[k + 1]].tolist()) for k in sets)
                if len(sets) > 1 or len(set(moves[0])) < len(first):
                    of_sets = tuple(labels[k] for k in sets), tuple(actions[k] for k in sets)
                    found.append(AlikeSets(player, tuple(sets.tolist()), *of_sets, moves))
        return tuple(sorted(found, key=lambda each: -len(each.infosets)))

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each action of each information set, and the first one that it is like, itself if it is alone."""
        rows = []
        for player, (like, like_action) in enumerate(self.like):
            actions, labels = self.game.actions[player], self.game.infoset_labels[player]
            likes = iter(like_action.tolist())
            for k, (first, moves) in enumerate(zip(like.tolist(), actions, strict=True)):
                for action in moves:
                    told = player + 1, k + 1, labels[k], action, first + 1, actions[first][next(likes)]
                    rows.append(dict(zip(self.columns, told, strict=True)))
        return rows


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


def _like(tree: GameTree, player: int, classes: Classes) -> _Like:
    """The first sets and actions of a player that its sets and actions are like, by the classes of its sequences.

    The first sequence of a class is one of the first set of its class: an action of each set of that class is in it.
    """
    start = tree.slot_start[player]
    first = np.unique(classes, return_index=True)[1][classes][1:] - 1
    set_of = np.repeat(np.arange(len(start) - 1), np.diff(start))[first]
    return set_of[start[:-1]], first - start[set_of]


def _sizes(tree: GameTree, classes: tuple[Classes, Classes], program: Program) -> MergedSizes:
    one, two = (len(np.unique(_like(tree, player, classes[player])[0])) for player in (0, 1))
    one_too, two_too = (int(of.max()) + 1 for of in classes)
    nonzeros = sum(len(matrix.value) for matrix in program.matrices)
    return MergedSizes((one, two), (one_too, two_too), program.num_rows, program.num_columns, nonzeros)
