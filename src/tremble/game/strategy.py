r"""Behavior strategies, realization plans and the maps between them.

A behavior strategy assigns to each information set a distribution over its actions. A realization plan assigns to each
sequence the probability that the player plays it (see :mod:`tremble.game.sequence_form`):

.. math::  x_{(k,a)} = x_{parent(k)} \, \beta_k(a) .

If :math:`x_{parent(k)} = 0`, the plan does not determine :math:`\beta_k`. A conversion from a plan must then choose
:math:`\beta_k`.

These classes identify information sets and actions by label, or by index from 0. Error messages number sets from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import require_lists, required_index
from tremble.errors import GameError
from tremble.game.labels import is_whole
from tremble.game.requirements import require_tree, required_parent_sequence
from tremble.game.strategy_rows import Number, StrategyRows, integer_rows
from tremble.game.tree import GameTree, require_player
from tremble.game.tree_arrays import integer_array
from tremble.numbers import NumberLike, exact_numbers, format_fraction, require_floats
from tremble.value import Value, in_lowest_terms, same

__all__ = [
    "BehaviorStrategy",
    "Distribution",
    "Number",
    "Profile",
    "RealizationPlan",
    "StatesProfile",
    "StatesStrategy",
    "action_index",
]


@dataclass(frozen=True, eq=False)
class BehaviorStrategy(StrategyRows):
    """A distribution over actions at every information set of one player.

    Two strategies are equal if they have the same player, labels, actions and probabilities. The comparison ignores the
    marks ``off_path``, which follow from these fields. An exact strategy never equals a float strategy.

    Shapes: J information sets, and one entry per slot (information set, action).

    Attributes
    ----------
    player : int
        0 or 1.
    actions : tuple of tuples of str
        Action labels of each information set.
    infoset_labels : tuple of str
    numerator : int64[slots] or object[slots] or float64[slots]
        In an exact strategy, the probabilities times the set's denominator; in a float strategy, the probabilities.
    denominator : int64[J] or object[J], or None
        The denominator of each set's probabilities; None for a float strategy.
    off_path : bool[J]
        True for sets that the player's own strategy excludes. The realization plan does not determine their rows.
    parent : int64[J] or None
        Sequence that leads to each set; None if the player lacks perfect recall, or if the strategy comes from a file.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> strategy = tremble.BehaviorStrategy.uniform(kuhn, player=0)
    >>> strategy["J:"]
    {'check': Fraction(1, 2), 'bet': Fraction(1, 2)}
    >>> strategy["Q:cb"]["call"], strategy.probability("Q:cb", "call"), strategy.probability(3, "call")
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2))
    """

    # -- constructors ----------------------------------------------------------------------------

    @classmethod
    def uniform(cls, tree: GameTree, player: int) -> BehaviorStrategy:
        """Return the strategy that plays each action with equal probability."""
        require_tree(tree)
        require_player(player)
        width = np.diff(tree.slot_start[player])
        return cls._of(tree, player, np.ones(tree.num_slots[player], dtype=np.int64), width).marked()

    @classmethod
    def pure(cls, tree: GameTree, player: int, choice: Sequence[int]) -> BehaviorStrategy:
        """Return the strategy that plays the action with the position ``choice[k]`` (from 0) at each set k.

        Raises
        ------
        GameError
            ``choice`` does not have one position for each information set, or a set does not have the action.
        """
        require_tree(tree)
        require_player(player)
        start, sets = tree.slot_start[player], tree.num_infosets[player]
        require_lists(choice, 1, "positions of actions")
        position = choice if isinstance(choice, np.ndarray) else np.array([*choice, None], dtype=object)[:-1]
        whole = np.issubdtype(position.dtype, np.integer) or all(map(is_whole, position))
        if position.shape != (sets,) or not whole:
            raise GameError(
                f"player {player + 1} has {sets} information sets; a pure strategy lists the position of an action "
                f"(from 0) for each set, so {sets} integers, not {choice!r:.200}"
            )
        wrong = np.flatnonzero((position < 0) | (position >= np.diff(start)))
        if len(wrong):
            k = int(wrong[0])
            action_index(player, k, tree.actions[player][k], int(position[k]))  # raises the error
        numerator = np.zeros(tree.num_slots[player], dtype=np.int64)
        numerator[start[:-1] + position.astype(np.int64)] = 1
        return cls._of(tree, player, numerator, np.ones(sets, dtype=np.int64)).marked()

    @classmethod
    def from_rows(
        cls,
        tree: GameTree,
        player: int,
        rows: Sequence[Sequence[NumberLike]],
        *,
        floats: Literal["decimal"] | None = None,
    ) -> BehaviorStrategy:
        """Make a strategy from exact probabilities, one row per information set.

        Parameters
        ----------
        tree : GameTree
        player : int
            0 or 1.
        rows : sequence of sequences of exact numbers
            Integers, ``Fraction``, ``Decimal``, or text such as ``"1/2"`` and ``"0.5"``.
        floats : "decimal", optional
            Read a float as the shortest decimal that prints the same: 0.1 is 1/10. By default, floats are refused.

        Raises
        ------
        GameError
            A row is missing or has the wrong length, a probability is negative, or a row does not sum to exactly one.
        """
        require_tree(tree)
        require_player(player)
        require_floats(floats)
        require_lists(rows, 2, "rows of probabilities")
        if len(rows) != tree.num_infosets[player]:
            raise GameError(
                f"player {player + 1} has {tree.num_infosets[player]} information sets, but {len(rows)} rows are given"
            )
        table = []
        for k, row in enumerate(rows):
            if len(row) != len(tree.actions[player][k]):
                raise GameError(
                    f"information set {k + 1} of player {player + 1} has {len(tree.actions[player][k])} actions, "
                    f"but {len(row)} probabilities are given"
                )
            where = f"information set {k + 1} of player {player + 1} (for floats, use from_floats): probability"
            exact = exact_numbers(row, where, floats)
            if min(exact) < 0 or sum(exact) != 1:
                raise GameError(
                    f"the probabilities at information set {k + 1} of player {player + 1} "
                    f"{'include a negative one' if min(exact) < 0 else f'sum to {format_fraction(sum(exact))}, not 1'}"
                )
            table.append(exact)
        return cls._of(tree, player, *integer_rows(table)).marked()

    @classmethod
    def from_floats(cls, tree: GameTree, player: int, probabilities: NDArray[np.float64]) -> BehaviorStrategy:
        """Make a strategy from one float per action. The floats of each information set must sum to one within 1e-9.

        Raises
        ------
        GameError
        """
        require_tree(tree)
        require_player(player)
        require_lists(probabilities, 1, "probabilities of all actions")
        try:
            vector = np.asarray(probabilities, dtype=np.float64)
        except (OverflowError, TypeError, ValueError):
            raise GameError(f"'probabilities' must be floats, one per action, not {probabilities!r:.80}") from None
        if vector.shape != (tree.num_slots[player],):
            raise GameError(f"player {player + 1} needs {tree.num_slots[player]} floats; the shape is {vector.shape}")
        start = tree.slot_start[player]
        total = np.add.reduceat(vector, start[:-1]) if len(start) > 1 else np.zeros(0)
        wrong = np.flatnonzero(~(np.abs(total - 1) <= 1e-9))
        if len(wrong) or not (vector >= 0).all():
            where = int(wrong[0]) if len(wrong) else int(np.searchsorted(start, np.argmin(vector), side="right")) - 1
            raise GameError(
                f"the floats at information set {where + 1} of player {player + 1} are negative or do not sum to 1"
            )
        return cls._of(tree, player, vector, None).marked()

    # -- access to probabilities -----------------------------------------------------------------

    def probability(self, infoset: str | int, action: str | int) -> Fraction | float:
        """Return the probability of an action.

        Parameters
        ----------
        infoset : str or int
            Label of the information set, or its index from 0.
        action : str or int
            Label of the action, or its position from 0.

        Raises
        ------
        GameError
            No set or action has the label or index, or multiple sets have the label. The message lists possible
            values.
        """
        k = self.index(infoset)
        slot = int(self.start[k]) + action_index(self.player, k, self.actions[k], action)
        if self.denominator is None:
            return float(self.numerator[slot])
        return Fraction(int(self.numerator[slot]), int(self.denominator[k]))

    def __getitem__(self, infoset: str | int) -> Distribution:
        """Return a mapping from actions to probabilities at an information set, given by label or index from 0."""
        k = self.index(infoset)
        return Distribution(self.player, k, zip(self.actions[k], self.row(k), strict=True))

    def __len__(self) -> int:
        return self.num_infosets

    def to_realization_plan(self, tree: GameTree | None = None) -> RealizationPlan:
        """Return the realization plan of this strategy.

        Parameters
        ----------
        tree : GameTree, optional
            Needed for a strategy without ``parent``, such as one that was read from a file.

        Raises
        ------
        ImperfectRecallError
        """
        if tree is not None:
            require_tree(tree)
        if tree is not None and tree.actions[self.player] != self.actions:
            raise GameError(f"this strategy of player {self.player + 1} belongs to another game than {tree.title}")
        # Prefer the tree to `parent`, which may come from another game with the same sets.
        parent = self.parent if tree is None else required_parent_sequence(tree, self.player)
        if parent is None:
            raise GameError("this strategy does not contain its sequences; call to_realization_plan(tree)")
        bounds = list(zip(parent.tolist(), self.start[:-1].tolist(), self.start[1:].tolist(), strict=True))
        if self.denominator is None:
            flow = np.ones(len(self.numerator) + 1)
            for before, first, end in bounds:
                flow[first + 1 : end + 1] = flow[before] * self.numerator[first:end]
            return RealizationPlan(self.player, flow, None)
        # Reduced (numerator, denominator) pairs; exact and cheaper than Fraction objects.
        top, bottom = [1] * (len(self.numerator) + 1), [1] * (len(self.numerator) + 1)
        share = self.numerator.tolist()
        for (before, first, end), whole in zip(bounds, self.denominator.tolist(), strict=True):
            p, q = top[before], bottom[before] * whole
            for slot in range(first, end):
                n = p * share[slot]
                common = gcd(n, q)
                top[slot + 1], bottom[slot + 1] = n // common, q // common
        denominator = lcm(*set(bottom))
        weight = integer_array([p * (denominator // q) for p, q in zip(top, bottom, strict=True)])
        return RealizationPlan(self.player, weight, denominator)

    # -- comparison ------------------------------------------------------------------------------

    @cached_property
    def _content(self) -> tuple[NDArray[Any], NDArray[Any] | None]:
        if self.denominator is None:
            return self.numerator, None
        return in_lowest_terms(self.start, self.numerator, self.denominator)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BehaviorStrategy):
            return NotImplemented
        return self is other or (
            (self.player, self.actions, self.infoset_labels) == (other.player, other.actions, other.infoset_labels)
            and same(self._content, other._content)
        )

    def __hash__(self) -> int:
        return hash((self.player, self.actions, *self._content[0].tolist()))

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float"
        return f"<BehaviorStrategy of player {self.player + 1}: {self.num_infosets} information sets, {kind}>"


@dataclass(frozen=True, eq=False, repr=False)
class RealizationPlan(Value):
    """A realization plan: the probability that a player plays each of its sequences.

    Two plans are equal if they have the same player and the same probabilities.

    Attributes
    ----------
    player : int
    weight : int64[S] or object[S] or float64[S]
        In an exact plan, integers over ``denominator``. ``weight[0]`` belongs to the empty sequence.
    denominator : int or None
        None for a float plan.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> plan = tremble.BehaviorStrategy.uniform(kuhn, player=0).to_realization_plan()
    >>> plan.probability(0), plan.probability(1)
    (Fraction(1, 1), Fraction(1, 2))
    >>> plan.to_behavior(kuhn)["J:"]["bet"]
    Fraction(1, 2)
    """

    player: int
    weight: NDArray[Any]
    denominator: int | None

    @cached_property
    def _content(self) -> tuple[NDArray[Any], Any]:
        if self.denominator is None:
            return self.weight, None
        weight, whole = self.weight, integer_array([self.denominator])
        return in_lowest_terms(np.array([0, len(weight)]), weight, whole)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RealizationPlan):
            return NotImplemented
        return self is other or (self.player == other.player and same(self._content, other._content))

    def __hash__(self) -> int:
        return hash((self.player, *self._content[0].tolist()))

    def probability(self, sequence: int) -> Fraction | float:
        """Return the probability of the sequence with number ``sequence``; number 0 is the empty sequence."""
        weight = self.weight[required_index(sequence, len(self.weight), "sequence")]
        return float(weight) if self.denominator is None else Fraction(int(weight), self.denominator)

    def to_behavior(self, tree: GameTree) -> BehaviorStrategy:
        """Return the behavior strategy of an exact plan.

        At sets that the plan never reaches, the strategy plays uniformly, and ``off_path`` is True.
        """
        if self.denominator is None:
            raise GameError("to_behavior needs an exact realization plan, but this plan has floats")
        parent = required_parent_sequence(tree, self.player)
        start = tree.slot_start[self.player]
        reached = np.asarray(self.weight[parent] != 0, dtype=np.bool_)
        weight, before, bounds = self.weight.tolist(), parent.tolist(), start.tolist()
        numerator: list[int] = [1] * bounds[-1]
        denominator: list[int] = np.diff(start).tolist()
        for k in np.flatnonzero(reached).tolist():
            first, end = bounds[k], bounds[k + 1]
            shares = weight[first + 1 : end + 1]
            common = gcd(weight[before[k]], *shares)
            denominator[k] = weight[before[k]] // common
            numerator[first:end] = [share // common for share in shares]
        return BehaviorStrategy._of(
            tree, self.player, integer_array(numerator), integer_array(denominator), off_path=~reached
        )


@runtime_checkable
class StatesProfile(Protocol):
    """An object that contains the strategies of both players, such as a :class:`tremble.Solution`."""

    def profile(self, tree: GameTree) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """Return the strategies of both players; raise ``TrembleError`` if a strategy does not fit ``tree``."""


@runtime_checkable
class StatesStrategy(Protocol):
    """An object that can be converted to a strategy, such as the rows of a file."""

    def strategy(self, tree: GameTree) -> BehaviorStrategy:
        """Return the strategy; raise ``CertificateError`` unless it is a strategy for ``tree``."""


Profile = tuple[BehaviorStrategy, BehaviorStrategy]
"""The strategies of players 1 and 2."""


def action_index(player: int, k: int | None, labels: Sequence[str], action: Any) -> int:
    """Return the position of ``action``, a label or a position; raise ``GameError`` if there is no such action."""
    if isinstance(action, str) and action in labels:
        return labels.index(action)
    if is_whole(action) and 0 <= action < len(labels):
        return int(action)
    place = f"a decision of player {player + 1}" if k is None else f"information set {k + 1} of player {player + 1}"
    raise GameError(
        f"{place} has the actions {', '.join(map(repr, labels))} at positions "
        f"0 to {len(labels) - 1}, not {action!r:.80}"
    )


class Distribution(dict[str, Fraction | float]):
    """A dict from action labels to probabilities at one information set, such as ``strategy["Q:cb"]``.

    An unknown label raises ``GameError`` with a list of the actions. ``k`` is the index of the set, or None in a game
    that is not built, whose sets have no numbers.

    Examples
    --------
    >>> import tremble
    >>> strategy = tremble.solve(tremble.load("kuhn")).strategies[1]
    >>> strategy["Q:b"]["call"], max(strategy["Q:b"].values())
    (Fraction(1, 3), Fraction(2, 3))
    """

    def __init__(self, player: int, k: int | None, rows: Iterable[tuple[str, Fraction | float]]) -> None:
        super().__init__(rows)
        self._place = player, k

    def __missing__(self, action: object) -> Fraction | float:
        return [*self.values()][action_index(*self._place, list(self), action)]

    def __reduce__(self) -> tuple[object, ...]:
        return Distribution, (*self._place, list(self.items()))
