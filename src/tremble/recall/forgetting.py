r"""Imperfect-recall abstraction: one player forgets what it once knew, and what that costs in the game itself.

Information sets of a player P with perfect recall are merged, which gives a game G' that differs from the original G in
nothing else. A behavior strategy of P in G' is one in G that plays alike at the sets that were merged (it is *lifted*).
The other player's information is the same in both games, so that its best responses earn the same: the lifted strategy
guarantees P exactly what it guarantees in G'. Let v be what P can guarantee in G, g what a strategy of G' guarantees,
and U at least the most that any strategy of G' guarantees. Then

.. math::  v - U \le \text{loss of every strategy that forgets}, \qquad v - g = \text{loss of the lifted one} .

Both ends are certified: v by an equilibrium of G, g by a best response to the lifted strategy in G, and U by the
certificate of a maxmin solution of G'.

A merge by which some path of play visits a set twice is refused: a player who does not know whether it has been there
before is *absentminded*, and the maxmin problem changes its nature. Nor can a player forget which actions it has.

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

from tremble.errors import CertificateError, GameError, ImperfectRecallError, SpecError, TrembleError
from tremble.game.forgetting import RecallWitness as RecallWitness
from tremble.game.forgetting import classify_recall
from tremble.game.forgetting import recall_witness as recall_witness
from tremble.game.origin import require_constant_sum
from tremble.game.recall import Recall, first_revisit, required_parent_sequence
from tremble.game.requirements import require_tree
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree, path_in_words, require_player, starts
from tremble.recall.groups import read_groups
from tremble.recall.last_moves import last_moves
from tremble.recall.regrouping import regrouped
from tremble.solution.claim import Claim
from tremble.solution.claims import verdict
from tremble.solution.heading import MethodReference
from tremble.solution.proof import proven_solution
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.value import Value
from tremble.words import raised

__all__ = ["Forgetting", "InfosetView", "Loss", "forget"]

_NAMES_IN_A_LABEL = 3


@dataclass(frozen=True, eq=False, repr=False)
class InfosetView(Value):
    """An information set, as a function that says what its player remembers there is shown it.

    Attributes
    ----------
    infoset : int
        Its index, from 0.
    label : str
    actions : tuple of str
    moves : tuple of pairs of str
        The player's own moves before it, in the order of play: label of the information set, and action.

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
        """The own moves before it, computed when they are asked for."""
        return self._past(self.infoset)


@dataclass(frozen=True, eq=False, repr=False)
class Loss(Value):
    """What forgetting costs, in the game itself; all numbers are payoffs of the player who forgets.

    Attributes
    ----------
    player : int
    value : pair of Fraction
        Proven bounds on what the player guarantees itself if it forgets nothing; equal where that is known exactly.
    guarantee : Fraction
        What the lifted strategy guarantees, whatever the other player does.
    most : Fraction
        No strategy that forgets guarantees more.
    solution : Solution
        Of the original game: the lifted strategy, and the other player's that was given. Its bounds are what these
        two prove, so that its NashConv is at least ``at_most``, and equal to it where the value is exact.

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
        """The lifted strategy loses no more: Fraction, exact if the value is."""
        return self.value[1] - self.guarantee

    @property
    def at_least(self) -> Fraction:
        """Every strategy that forgets loses as much."""
        return max(Fraction(0), self.value[0] - self.most)


@dataclass(frozen=True, eq=False, repr=False)
class Forgetting(Value):
    """A game, and the same game in which one player tells fewer of its information sets apart.

    :func:`forget` makes one.

    Attributes
    ----------
    original : GameTree
    player : int
        Who forgets.
    tree : GameTree
        The game with merged information sets; labels say what was merged. If nothing was, the original itself.
    set_of : int64[J]
        Index of the set of ``tree`` that each information set of the player has become.
    rule : str
        What is remembered, in words.

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
        """Indices of the information sets of the original that make up each one of ``tree``."""
        members: list[list[int]] = [[] for _ in range(self.tree.num_infosets[self.player])]
        for old, new in enumerate(self.set_of.tolist()):
            members[new].append(old)
        return tuple(map(tuple, members))

    @property
    def information_sets(self) -> tuple[int, int]:
        """Of the player who forgets: how many in the original, and how many are left."""
        return self.original.num_infosets[self.player], self.tree.num_infosets[self.player]

    @property
    def sequences(self) -> tuple[int, int]:
        """Likewise (information set, action) pairs and one more, as :func:`tremble.info` counts them."""
        return self.original.num_slots[self.player] + 1, self.tree.num_slots[self.player] + 1

    @cached_property
    def recall(self) -> Recall:
        """How much the player remembers: see :func:`tremble.classify_recall`."""
        return classify_recall(self.tree, self.player)

    def lift(self, strategy: BehaviorStrategy) -> BehaviorStrategy:
        """A strategy of ``tree`` as one of the original: each information set plays as the merged one does.

        Parameters
        ----------
        strategy : BehaviorStrategy
            Of either player; that of the other player stays what it is.

        Raises
        ------
        GameError
            It is not of this tree.
        """
        if not isinstance(strategy, BehaviorStrategy) or strategy.actions != self.tree.actions[strategy.player]:
            raise GameError(f"this is no strategy of {self.tree.title!r:.80}")
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
        """What the strategy of a solution loses in the original game, and what every strategy that forgets loses.

        Parameters
        ----------
        solution : Solution
            Of ``tree``, with bounds on what the player can guarantee: ``tremble.solve(tree, "maxmin", player=...)``.
        original : Solution
            Of the original, with bounds on its value: ``tremble.solve(original)``, which is exact.

        Returns
        -------
        Loss

        Raises
        ------
        GameError
            A solution is not of its game, the payoffs have no constant sum, or the original has no bounds.
        ImperfectRecallError
            The other player forgets, so that its best responses are not computed.
        CertificateError
            What a solution from a file states is not true.

        Examples
        --------
        >>> import tremble
        >>> kuhn = tremble.load("kuhn")
        >>> forgetting = tremble.recall.forget(kuhn, 0, last=1)
        >>> exact = tremble.solve(kuhn)
        >>> forgetting.certify_loss(exact, exact).at_most  # nothing is forgotten, nothing lost
        Fraction(0, 1)
        """
        require_constant_sum(self.original, "what forgetting costs is certified for payoffs that sum to a constant")
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
        """Bounds on player 1's value, as bounds on what the player who forgets earns."""
        if self.player == 0:
            return bounds
        total = self.original.constant_sum
        assert total is not None
        return total - bounds[1], total - bounds[0]


def _proven_bounds(tree: GameTree, solution: StatedSolution) -> tuple[Fraction, Fraction]:
    """The bounds of a solution, proven here unless it has been when it was made."""
    if not isinstance(solution, StatedSolution):
        raise GameError(f"expected a solution of {tree.title!r:.80}, not a {type(solution).__name__}")
    if solution.game.digest != tree.digest:
        raise GameError(f"the solution is of another game than {tree.title!r:.80}: the digests differ")
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
    """Merge information sets of a player: an imperfect-recall abstraction. Exactly one of the rules is given.

    Parameters
    ----------
    tree : GameTree
    player : int
        Who forgets: 0 or 1. It must have perfect recall.
    key : callable, optional
        What the player remembers at an :class:`InfosetView`, anything hashable: sets with equal keys are merged.
    last : int, optional
        The player remembers its last so many own moves, and what it saw since the one before them: with 0, what it saw
        since its last move. What it sees is what the others may have done, by the labels of their actions and of
        chance. It always knows which actions it has and how many own moves it has made, so it is never absentminded.
    file : str or path, optional
        Groups of information sets, one a line, by number or ``"label"``.

    Returns
    -------
    Forgetting
        Its ``tree`` is the merged game, its ``lift`` brings strategies back.

    Raises
    ------
    GameError
        Sets with different actions are to be merged, or the key cannot be computed or is not hashable.
    ImperfectRecallError
        The player would be absentminded: sets that are to be merged lie on one path of play; or it forgets already.
    FormatError
        The file is not of its format or does not fit the game.
    SpecError
        Not exactly one rule, or ``last`` is no number.

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
        raise SpecError("what is remembered is said by exactly one of key=, last= and file=")
    parent = required_parent_sequence(tree, player)
    if key is not None:
        return _merged(tree, player, _by_key(tree, player, parent, key), "what a key says")
    if last is not None:
        if not isinstance(last, int | np.integer) or isinstance(last, bool) or last < 0:
            raise SpecError(f"last is how many own moves are remembered, a number from 0, not {last!r:.80}")
        rule = (
            "what it saw since its last move"
            if last == 0
            else f"its last {last:,} moves"
            if last > 1
            else "its last move"
        )
        return _merged(tree, player, last_moves(tree, player, int(last)), rule)
    assert file is not None
    stated = read_groups(file, tree, player)
    group = np.arange(tree.num_infosets[player])
    for members in stated.members:
        group[list(members)] = members[0]
    return _merged(tree, player, group, f"what {stated.source.name} keeps apart", stated.error)


def _by_key(
    tree: GameTree, player: int, parent: NDArray[np.int64], key: Callable[[InfosetView], Hashable]
) -> NDArray[np.int64]:
    """The group of each information set: those with equal keys."""
    if not callable(key):
        raise SpecError(f"key is a function of an information set, not a {type(key).__name__}")
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
        except TrembleError:  # a limit, too
            raise
        except Exception as error:  # whatever a function of somebody raises
            where = f"{tree.set_name(player, k)} of player {player + 1}"
            raise GameError(f"{where}: there is no key ({raised(error)})") from error
    return np.array(group, dtype=np.int64)


def _merged(
    tree: GameTree,
    player: int,
    group: NDArray[np.int64],
    rule: str,
    error_at: Callable[[str, int], Exception] | None = None,
) -> Forgetting:
    """The forgetting that merges the sets of each group."""
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
    """By group: the labels of its sets, a few of them."""
    members: dict[int, list[int]] = {}
    for k, g in enumerate(group.tolist()):
        members.setdefault(g, []).append(k)
    return {g: _label(tree, player, sets) for g, sets in members.items()}


def _label(tree: GameTree, player: int, sets: list[int]) -> str:
    names = [tree.infoset_labels[player][k] or f"set {k + 1}" for k in sets[: _NAMES_IN_A_LABEL + 1]]
    if len(sets) == 1:
        return tree.infoset_labels[player][sets[0]]
    if len(sets) > _NAMES_IN_A_LABEL + 1:
        names[_NAMES_IN_A_LABEL:] = [f"... ({len(sets):,} sets)"]
    return " | ".join(names)


def _absentminded(tree: GameTree, player: int, group: NDArray[np.int64], above: int, below: int) -> str:
    """Why a merge is refused: the merged set, and a path to one of its nodes through another."""
    first, again = (tree.set_name(player, int(tree.infoset[node])) for node in (above, below))
    members = np.flatnonzero(group == group[tree.infoset[above]])
    number = ", ".join(str(k + 1) for k in members[:10].tolist()) + (", ..." if len(members) > 10 else "")
    return (
        f"player {player + 1} would be absentminded if its information sets {number} were one: the path "
        f"{path_in_words(tree.path(below))} visits {first} and then {again}, "
        "and the player could not tell whether it has been there before; keep them apart, for instance by the number "
        "of own moves so far"
    )
