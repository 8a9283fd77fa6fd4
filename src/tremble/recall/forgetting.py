r"""Imperfect-recall abstraction: let one player forget some of its information, and measure its loss.

This module merges information sets of a player P with perfect recall. The result is a game G' that is otherwise equal
to the original game G. A behavior strategy of P in G' defines a strategy in G that plays the same mixed action at all
members of a merged set. This is the *lifted* strategy. The other player has the same information in both games, so its
best responses earn the same payoffs. The lifted strategy therefore guarantees the same payoff in G as in G'.

Let v be the largest payoff that P can guarantee in G, and let g be the guarantee of a strategy of G'. Let U be an upper
bound on the guarantees of all strategies of G'. Then

.. math::  v - U \le \text{loss of every strategy of } G', \qquad v - g = \text{loss of the lifted strategy} .

All three numbers are certified: v by an equilibrium of G, g by a best response in G to the lifted strategy, and U by
the certificate of a maxmin solution of G'.

A merge is refused in two cases:

- Some path of play would visit a merged set twice. The player would then not know whether it has been at the
  set before. Such a player is *absentminded*, and its maxmin problem is of another type.
- The merged sets have different actions. A player always knows its available actions.

References
----------
K. Waugh, M. Zinkevich, M. Johanson, M. Kan, D. Schnizlein and M. Bowling, "A practical use of imperfect recall",
SARA 2009.

J. Čermák, B. Bošanský and V. Lisý, "An algorithm for constructing and solving imperfect recall abstractions of large
extensive-form games", IJCAI 2017.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import raised
from tremble.errors import CertificateError, GameError, ImperfectRecallError, SpecError, TrembleError
from tremble.game.absentminded import first_revisit
from tremble.game.forgetting import RecallWitness as RecallWitness
from tremble.game.forgetting import classify_recall
from tremble.game.forgetting import recall_witness as recall_witness
from tremble.game.requirements import Recall, require_constant_sum, require_tree, required_parent_sequence
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree, path_in_words, require_player
from tremble.game.tree_arrays import starts
from tremble.recall.groups import read_groups
from tremble.recall.last_moves import last_moves
from tremble.recall.regrouping import regrouped
from tremble.solution.claim import Claim, MethodReference
from tremble.solution.claims import verdict
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.solvers.recorder import proven_solution
from tremble.value import Value

__all__ = ["Forgetting", "InfosetView", "Loss", "forget"]

_NAMES_IN_A_LABEL = 3


@dataclass(frozen=True, eq=False, repr=False)
class InfosetView(Value):
    """An information set of the original game, as :func:`forget` passes it to the function ``key``.

    Attributes
    ----------
    infoset : int
        The index of the set, from 0.
    label : str
        The label of the set.
    actions : tuple of str
        The labels of the actions at the set.
    moves : tuple of pairs of str
        The player's own moves before the set, in the order of play. A pair contains the label of an information set and
        the label of the action there.

    Examples
    --------
    >>> import tremble
    >>> shown = []
    >>> forgetting = tremble.recall.forget(tremble.load("kuhn"), 0, key=lambda view: shown.append(view) or view.infoset)
    >>> shown[1].infoset, shown[1].label, shown[1].actions, shown[1].moves
    (1, 'J:cb', ('fold', 'call'), (('J:', 'check'),))
    """

    infoset: int
    label: str
    actions: tuple[str, ...]
    _past: Callable[[int], tuple[tuple[str, str], ...]] = field(repr=False)

    @cached_property
    def moves(self) -> tuple[tuple[str, str], ...]:
        """The player's own moves before the set, computed on first use."""
        return self._past(self.infoset)


@dataclass(frozen=True, eq=False, repr=False)
class Loss(Value):
    """The loss that forgetting causes in the original game. All numbers are payoffs of the player that forgets.

    Attributes
    ----------
    player : int
        The player that forgets, 0 or 1.
    value : pair of Fraction
        Proven bounds on the player's value of the original game. The bounds are equal if the value is known exactly.
    guarantee : Fraction
        The payoff that the lifted strategy guarantees against every strategy of the other player.
    most : Fraction
        An upper bound on the guarantee of every strategy of the merged game.
    solution : Solution
        A solution of the original game. It contains the lifted strategy, and the other player's strategy from the
        argument ``original`` of :meth:`Forgetting.certify_loss`. These strategies prove the solution's bounds. If the
        value is known exactly, the NashConv equals the property ``at_most``. Otherwise, the NashConv may be greater.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> blind = tremble.recall.forget(kuhn, 0, key=lambda view: (view.label[1:], view.actions))  # its card is forgotten
    >>> blind.recall
    'perfect'
    >>> loss = blind.certify_loss(tremble.solve(blind.tree), tremble.solve(kuhn))
    >>> loss.value[0], loss.guarantee, loss.at_least, loss.at_most
    (Fraction(-1, 18), Fraction(-1, 3), Fraction(5, 18), Fraction(5, 18))
    """

    player: int
    value: tuple[Fraction, Fraction]
    guarantee: Fraction
    most: Fraction
    solution: Solution

    @property
    def at_most(self) -> Fraction:
        """An upper bound (Fraction) on the lifted strategy's loss. It is exact if the bounds in ``value`` are equal."""
        return self.value[1] - self.guarantee

    @property
    def at_least(self) -> Fraction:
        """A lower bound (Fraction) on the loss of every strategy of the merged game."""
        return max(Fraction(0), self.value[0] - self.most)


@dataclass(frozen=True, eq=False, repr=False)
class Forgetting(Value):
    """The result of :func:`forget`: a game, and the same game after information sets of one player were merged.

    Attributes
    ----------
    original : GameTree
        The game before the merge.
    player : int
        The player that forgets, 0 or 1.
    tree : GameTree
        The game after the merge. The label of a merged set contains the labels of its members. If no sets were merged,
        this is the original game.
    set_of : int64[J]
        For each information set of the player in the original, the index of its merged set in ``tree``.
    rule : str
        A description of what the player remembers.

    Examples
    --------
    >>> import tremble
    >>> forgetting = tremble.recall.forget(tremble.load("kuhn"), 0, last=0)
    >>> forgetting.groups
    ((0,), (1, 3, 5), (2,), (4,))
    >>> strategy = tremble.BehaviorStrategy.from_rows(forgetting.tree, 0, [(1, 0), (0, 1), (1, 0), (0, 1)])
    >>> forgetting.lift(strategy).row(5)
    [Fraction(0, 1), Fraction(1, 1)]
    """

    original: GameTree
    player: int
    tree: GameTree
    set_of: NDArray[np.int64]  # [J]
    rule: str

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the original sets in each of the player's sets in ``tree``: one tuple for each set of ``tree``."""
        members: list[list[int]] = [[] for _ in range(self.tree.num_infosets[self.player])]
        for old, new in enumerate(self.set_of.tolist()):
            members[new].append(old)
        return tuple(map(tuple, members))

    @property
    def information_sets(self) -> tuple[int, int]:
        """The player's number of information sets in the original game, and that number in the merged game ``tree``."""
        return self.original.num_infosets[self.player], self.tree.num_infosets[self.player]

    @property
    def sequences(self) -> tuple[int, int]:
        """The numbers of the player's sequences in the original game and in the merged game ``tree``.

        Sequences are counted as in :func:`tremble.info`: one for each pair of an information set and an action, and one
        for the empty sequence.
        """
        return self.original.num_slots[self.player] + 1, self.tree.num_slots[self.player] + 1

    @cached_property
    def recall(self) -> Recall:
        """The class of the player's recall in ``tree``. See :func:`tremble.classify_recall` for the classes."""
        return classify_recall(self.tree, self.player)

    def lift(self, strategy: BehaviorStrategy) -> BehaviorStrategy:
        """Convert a strategy of ``tree`` to one of ``original``. Members of a merged set get the set's mixed action.

        Parameters
        ----------
        strategy : BehaviorStrategy
            A strategy of either player. Only a strategy of the player that forgets is changed.

        Raises
        ------
        GameError
            The strategy does not belong to ``tree``.
        """
        if not isinstance(strategy, BehaviorStrategy) or strategy.actions != self.tree.actions[strategy.player]:
            raise GameError(f"the strategy does not belong to {self.tree.title!r:.80}")
        start, begin = self.original.slot_start[strategy.player], starts(strategy.actions)
        sets = self.set_of if strategy.player == self.player else np.arange(len(start) - 1)
        slots = np.repeat(begin[sets] - start[:-1], np.diff(start)) + np.arange(start[-1])
        lifted = replace(
            BehaviorStrategy.uniform(self.original, strategy.player),
            numerator=strategy.numerator[slots],
            denominator=None if strategy.denominator is None else strategy.denominator[sets],
        )
        return lifted.marked()

    def certify_loss(self, solution: StatedSolution, original: StatedSolution) -> Loss:
        """Certify the loss of a strategy of ``tree``, and a lower bound on the loss of every strategy of ``tree``.

        The strategies are lifted to the original game, and their losses are losses in this game.

        Parameters
        ----------
        solution : Solution
            A solution of ``tree`` with the strategy to certify and with bounds on the player's guarantee, for example
            ``tremble.solve(tree, "maxmin", player=...)``.
        original : Solution
            A solution of the original game with bounds on the value of this game. For example, ``tremble.solve(game)``
            returns such a solution, if ``game`` is the original game.

        Returns
        -------
        Loss

        Raises
        ------
        GameError
            A solution belongs to another game, the sum of the payoffs is not constant, or ``original`` has no bounds.
        ImperfectRecallError
            The other player does not have perfect recall, so its best responses cannot be computed.
        CertificateError
            A claim in a solution from a file is false.

        Examples
        --------
        >>> import tremble
        >>> kuhn = tremble.load("kuhn")
        >>> forgetting = tremble.recall.forget(kuhn, 0, last=1)
        >>> exact = tremble.solve(kuhn)
        >>> forgetting.certify_loss(exact, exact).at_most  # the player forgets nothing and loses nothing
        Fraction(0, 1)
        """
        require_constant_sum(self.original, "the loss can only be certified for payoffs that sum to a constant")
        lower, upper = self._own(_proven_bounds(self.original, original))
        bounds = _proven_bounds(self.tree, solution) if solution.bounds is not None else None
        most = upper if bounds is None else self._own(bounds)[1]
        lifted = self.lift(solution.profile(self.tree)[self.player])
        other = original.profile(self.original)[1 - self.player]
        profile = (lifted, other) if self.player == 0 else (other, lifted)
        method = MethodReference("forget", {"player": self.player + 1, "remembers": self.rule})
        lost = proven_solution(self.original, Claim(profile, {}), "nash", method)
        assert lost.verification.bounds is not None  # both players have perfect recall, and the sum is constant
        guarantee, least_upper = self._own(lost.verification.bounds)
        return Loss(self.player, (lower, min(upper, least_upper)), guarantee, most, lost)

    def _own(self, bounds: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
        """Convert bounds on player 1's value to bounds on the payoff of the player that forgets."""
        if self.player == 0:
            return bounds
        total = self.original.constant_sum
        assert total is not None
        return total - bounds[1], total - bounds[0]


def _proven_bounds(tree: GameTree, solution: StatedSolution) -> tuple[Fraction, Fraction]:
    """Return the bounds of a solution. If the solution comes from a file, verify it first."""
    if not isinstance(solution, StatedSolution):
        raise GameError(f"expected a solution of {tree.title!r:.80}, not an object of type {type(solution).__name__}")
    if solution.game.digest != tree.digest:
        raise GameError(f"the solution does not belong to the game {tree.title!r:.80}: the digests differ")
    if not isinstance(solution, Solution) and not (verification := verdict(tree, solution)).ok:
        raise CertificateError(f"the solution of {tree.title!r:.80} is not proven: {'; '.join(verification.problems)}")
    if solution.bounds is None:
        raise GameError(f"the solution of {tree.title!r:.80} has no bounds on the value")
    return solution.bounds


def forget(
    tree: GameTree,
    player: int,
    *,
    key: Callable[[InfosetView], Hashable] | None = None,
    last: int | None = None,
    file: str | os.PathLike[str] | None = None,
) -> Forgetting:
    """Merge information sets of a player. The result is an imperfect-recall abstraction of the game.

    Exactly one of ``key``, ``last`` and ``file`` must be given. This argument defines the sets to merge.

    Parameters
    ----------
    tree : GameTree
    player : int
        The player that forgets, 0 or 1. It must have perfect recall.
    key : callable, optional
        A function that is called with an :class:`InfosetView` for each information set of the player. It returns a
        hashable value, which represents what the player remembers at the set. Sets with equal values are merged.
    last : int, optional
        The number k of own moves that the player remembers.

        - The player also remembers what it saw after its previous own move, the one just before these k moves.
          For k = 0, the player remembers what it saw after its last own move.
        - At a set, the player sees all possible lists of moves by chance and the other player that lead there from the
          last own move. Moves with equal labels look equal.
        - The player always knows its available actions and the number of its moves. So it is never absentminded.
    file : str or path, optional
        A text file with groups of information sets, one group per line. Sets are numbers, or labels in double quotes.

    Returns
    -------
    Forgetting
        Its ``tree`` is the merged game. Its method ``lift`` converts strategies of the merged game to the original.

    Raises
    ------
    GameError
        Sets with different actions would be merged, ``key`` raises an error, or a value of ``key`` is not hashable.
    ImperfectRecallError
        The player does not have perfect recall before the merge. Or the merge would make the player absentminded,
        because the merged sets are on one path of play.
    FormatError
        The file has another format or does not fit the game.
    SpecError
        The number of given arguments among ``key``, ``last`` and ``file`` is not 1, or ``last`` is not a valid number.

    Examples
    --------
    >>> import tremble
    >>> forgetting = tremble.recall.forget(tremble.load("kuhn"), 0, last=0)
    >>> forgetting.tree.infoset_labels[0]
    ('J:', 'J:cb | Q:cb | K:cb', 'Q:', 'K:')
    >>> forgetting.recall, forgetting.information_sets
    ('imperfect', (6, 4))
    """
    require_tree(tree)
    require_player(player)
    if sum(rule is not None for rule in (key, last, file)) != 1:
        raise SpecError("define what the player remembers by exactly one of key=, last= and file=")
    parent = required_parent_sequence(tree, player)
    if key is not None:
        return _merged(tree, player, _by_key(tree, player, parent, key), "the values of key")
    if last is not None:
        if not isinstance(last, int | np.integer) or isinstance(last, bool) or last < 0:
            raise SpecError(f"'last' must be the number of remembered own moves, 0 or more, not {last!r:.80}")
        rule = (
            "what it saw since its last move"
            if last == 0
            else f"its last {last:,} moves"
            if last > 1
            else "its last move"
        )
        return _merged(tree, player, last_moves(tree, player, int(last)), rule)
    assert file is not None
    groups = read_groups(file, tree, player)
    group = np.arange(tree.num_infosets[player])
    for members in groups.members:
        group[list(members)] = members[0]
    return _merged(tree, player, group, f"the groups in {groups.source.name}", groups.error)


def _by_key(
    tree: GameTree, player: int, parent: NDArray[np.int64], key: Callable[[InfosetView], Hashable]
) -> NDArray[np.int64]:
    """Return a group number for each information set. Sets with equal values of ``key`` form a group."""
    if not callable(key):
        raise SpecError(f"'key' must be a function of an information set, not a {type(key).__name__}")
    start, labels, actions = tree.slot_start[player], tree.infoset_labels[player], tree.actions[player]
    set_of = np.repeat(np.arange(len(start) - 1), np.diff(start))

    def past(k: int) -> tuple[tuple[str, str], ...]:
        moves: list[tuple[str, str]] = []
        while sequence := int(parent[k]):
            k = int(set_of[sequence - 1])
            moves.append((labels[k], actions[k][sequence - 1 - int(start[k])]))
        return tuple(reversed(moves))

    numbers: dict[Hashable, int] = {}
    group = []
    for k in range(len(labels)):
        try:
            group.append(numbers.setdefault(key(InfosetView(k, labels[k], actions[k], past)), len(numbers)))
        except TrembleError:  # errors of tremble, including time limits
            raise
        except Exception as error:  # the user's function can raise any error
            where = f"{tree.set_name(player, k)} of player {player + 1}"
            raise GameError(f"{where}: the function key failed ({raised(error)})") from error
    return np.array(group, dtype=np.int64)


def _merged(
    tree: GameTree,
    player: int,
    group: NDArray[np.int64],
    rule: str,
    error_at: Callable[[str, int], Exception] | None = None,
) -> Forgetting:
    """Merge the sets of each group, and return the result with ``rule`` as its description.

    If the merge at set k is not allowed, raise ``error_at(message, k)``. Without ``error_at``, raise an
    ``ImperfectRecallError``.
    """
    if len(np.unique(group)) == len(group):
        return Forgetting(tree, player, tree, np.arange(len(group)), rule)
    own = np.flatnonzero(tree.player == player)
    title = f"{tree.title}, player {player + 1} forgets"
    merged = regrouped(tree, player, group[tree.infoset[own]], _labels(tree, player, group), title=title)
    twice = first_revisit(merged, player)
    if twice is not None:
        message = _absentminded(tree, player, group, *twice)
        raise ImperfectRecallError(message) if error_at is None else error_at(message, int(tree.infoset[twice[1]]))
    set_of = np.zeros(len(group), dtype=np.int64)
    set_of[tree.infoset[own]] = merged.infoset[own]
    set_of.setflags(write=False)
    return Forgetting(tree, player, merged, set_of, rule)


def _labels(tree: GameTree, player: int, group: NDArray[np.int64]) -> dict[int, str]:
    """Return one label for each group, made from the labels of the group's first sets."""
    known = tree.infoset_labels[player]
    members: dict[int, list[int]] = {}
    for k, g in enumerate(group.tolist()):
        members.setdefault(g, []).append(k)
    labels: dict[int, str] = {}
    for g, sets in members.items():
        names = [known[k] or f"set {k + 1}" for k in sets[: _NAMES_IN_A_LABEL + 1]]
        if len(sets) > _NAMES_IN_A_LABEL + 1:
            names[_NAMES_IN_A_LABEL:] = [f"... ({len(sets):,} sets)"]
        labels[g] = known[sets[0]] if len(sets) == 1 else " | ".join(names)
    return labels


def _absentminded(tree: GameTree, player: int, group: NDArray[np.int64], above: int, below: int) -> str:
    """Return the message for a refused merge, with a path that visits the merged set twice."""
    first, again = (tree.set_name(player, int(tree.infoset[node])) for node in (above, below))
    members = np.flatnonzero(group == group[tree.infoset[above]])
    number = ", ".join(str(k + 1) for k in members[:10].tolist()) + (", ..." if len(members) > 10 else "")
    return (
        f"player {player + 1} would be absentminded if its information sets {number} were one: the path "
        f"{path_in_words(tree.path(below))} visits {first} and then {again}, "
        "and the player would not know if it had been at the set before; merge fewer sets, for example only sets with "
        "the same number of own moves before them"
    )
