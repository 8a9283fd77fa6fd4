r"""Iterated elimination of conditionally dominated actions in the last round of a filtered game.

This module eliminates actions that are never better than another choice. For example, a player whose hand beats every
other hand never needs to fold.

An information set of the last round is a class of hands together with the moves so far. A *plan* at an information set
chooses the player's actions from this information set on. Let :math:`u(\alpha, y, d)` be the payoff of plan
:math:`\alpha` if the opponent has the class d and then plays the actions y. Plan :math:`\beta` *dominates*
plan :math:`\alpha` if two conditions hold. Against every class d, the least payoff of :math:`\beta` is at least the
greatest payoff of :math:`\alpha`. Against some class d, the greatest payoff of :math:`\beta` is more than the least
payoff of :math:`\alpha`:

.. math::

   \min_y u(\beta, y, d) \ge \max_y u(\alpha, y, d) \ \text{ for all classes } d, \qquad
   \max_y u(\beta, y, d) > \min_y u(\alpha, y, d) \ \text{ for some } d.

The minimum and the maximum are taken over the opponent's actions that have not been eliminated. The conditions ignore
classes of the opponent that can no longer reach the information set. An action is eliminated if every plan that begins
with the action is dominated. The program repeats this check for both players until no action can be eliminated. The
program does not search for dominance by mixed plans.

**Equilibria of the remaining game are equilibria of the whole game.** Dominance is transitive and has no cycles, so
every eliminated plan is dominated by a remaining plan. If a player gains by deviating to an eliminated action, some
remaining action gains at least as much. So an equilibrium of the remaining game is also an equilibrium of the whole
game. This conclusion requires that players never choose eliminated actions, even at information sets that are not
reached. The converse is false because dominance may be weak: the remaining game lacks some equilibria of the whole
game. Refinements may select exactly these equilibria. So actions may be eliminated to compute Nash equilibria, but not
to compute refinements.

References
----------
M. Shimoji, J. Watson: Conditional dominance, rationalizability, and game forms, Journal of Economic Theory 83, 1998.
A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006, section 1.3.
Section 1.3 reports sizes after iterated elimination of dominated strategies, but does not name these strategies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import require_callable
from tremble.errors import GameError, SpecError
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.game.tree_builder import DEFAULT_MAX_NODES, build
from tremble.poker.abstraction.lifting import ordered_strategy
from tremble.poker.filtered import FilteredGame, FilteredRound
from tremble.poker.filtered_rules import FilteredRules
from tremble.poker.stage import StageTree
from tremble.poker.strategy import OrderedStrategy

__all__ = ["Dominance", "dominance_report", "undominated"]

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Plan = dict[int, int]
"""A plan: the position of the chosen action for each node of the stage where the player moves."""

_MOST_PLANS = 64  # limit for one information set; at a set with more plans, no action is eliminated
# The number of pairs of classes that are processed together, so that their data fits into the processor's cache. A
# single public state with more pairs is not split.
_PAIRS = 2**15


@dataclass(frozen=True, eq=False)
class Dominance:
    """A filtered game without the dominated actions of its last round.

    The *stage* is the tree of moves of the last round. In the shapes below, C is the number of a player's classes. S
    and J are the numbers of the player's sequences and information sets in the stage. H is the number of histories of
    moves in the earlier rounds.

    Attributes
    ----------
    filtered : FilteredGame
        The game before elimination.
    kept : pair of bool arrays [C, S - 1, H]
        For each player, True for the sequences of the last round that were not eliminated.
    reached : pair of bool arrays [C, J, H]
        For each player, True for the information sets of the last round that can still be reached.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> from tremble.poker.abstraction.lossless import lossless_filter
    >>> game = RhodeIsland(ranks=3)
    >>> left = undominated(FilteredGame.of(game, lossless_filter(game)))
    >>> left.filtered.sizes.sequences, left.sequences
    ((34891, 34891), (29746, 28717))
    """

    concepts: ClassVar[tuple[str, ...]] = ("nash",)
    """The solution concepts for which dominated actions may be eliminated."""

    filtered: FilteredGame
    kept: tuple[BoolArray, BoolArray]
    reached: tuple[BoolArray, BoolArray]

    @property
    def rules(self) -> FilteredRules:
        """The rules of the game without the eliminated actions."""
        return FilteredRules(self.filtered, self.kept)

    @cached_property
    def sequences(self) -> tuple[int, int]:
        """Each player's number of remaining sequences, including the empty sequence."""
        whole = self.filtered.sizes.sequences
        return pair(whole[player] - self.kept[player].size + self._left(player) for player in (0, 1))

    @property
    def eliminated(self) -> tuple[int, int]:
        """Each player's number of eliminated sequences."""
        whole, left = self.filtered.sizes.sequences, self.sequences
        return whole[0] - left[0], whole[1] - left[1]

    @cached_property
    def information_sets(self) -> tuple[int, int]:
        """The number of information sets that each player can still reach."""
        whole = self.filtered.sizes.information_sets
        return pair(whole[i] - self.reached[i].size + int(self.reached[i].sum()) for i in (0, 1))

    @property
    def rows(self) -> int:
        """The number of rows of player 1's linear program; see :class:`tremble.poker.filtered.Sizes`."""
        return self.sequences[1] + self.information_sets[0] + 1

    @property
    def columns(self) -> int:
        """The number of columns of player 1's linear program."""
        return self.sequences[0] + self.information_sets[1] + 1

    def accepts(self, concept: str) -> None:
        """Raise ``SpecError`` if a solution concept does not allow the elimination of dominated actions."""
        if concept not in self.concepts:
            raise SpecError(
                f"dominated actions can be eliminated only for the concept nash, not for {concept}: elimination may "
                "delete the equilibria that refinements select; solve the game without elimination"
            )

    def apply(
        self,
        concept: str = "nash",
        *,
        max_nodes: int = DEFAULT_MAX_NODES,
        progress: Callable[[int], None] | None = None,
    ) -> GameTree:
        """Build the game's tree without eliminated actions. Use it only for Nash equilibria; see :meth:`accepts`."""
        self.accepts(concept)
        title = f"{self.rules.title}, without dominated actions"
        return build(self.rules, title=title, max_nodes=max_nodes, progress=progress)

    def lift(self, strategies: tuple[BehaviorStrategy, BehaviorStrategy]) -> tuple[OrderedStrategy, OrderedStrategy]:
        """Lift strategies of the remaining game to the original game: give each hand the strategy of its class.

        The lifted strategies never play an eliminated action. At an information set that can no longer be reached, the
        player chooses the first action that was not eliminated.

        Parameters
        ----------
        strategies : pair of BehaviorStrategy
            Exact strategies of the tree that :meth:`apply` returns.

        Raises
        ------
        GameError
            The strategies do not belong to the remaining game.
        """
        return pair(ordered_strategy(self.rules, strategy) for strategy in strategies)

    def _left(self, player: int) -> int:
        """Count a player's remaining sequences in the last round."""
        side = self.filtered.rounds[-1].stage.side(player)
        width = np.diff(side.start)
        return int((self.kept[player] & np.repeat(self.reached[player], width, axis=1)).sum())


def undominated(filtered: FilteredGame, *, progress: Callable[[int], None] | None = None) -> Dominance:
    """Eliminate conditionally dominated actions of the last round until no dominated action remains.

    Parameters
    ----------
    filtered : FilteredGame
        The filtered game, such as the attribute ``filtered`` of an abstraction.
    progress : callable, optional
        A function that is called after each group of histories, with the number of groups done so far. All histories
        of a group lead to the same payoffs. The function may raise an exception to stop the elimination.

    Examples
    --------
    >>> import tremble
    >>> undominated(tremble.shrink(tremble.load_rules("jk_four_cards")).filtered).eliminated
    (1, 2)
    """
    if not isinstance(filtered, FilteredGame):
        raise GameError(f"expected a filtered game, such as tremble.shrink(game).filtered, not {filtered!r:.80}")
    if progress is not None:
        require_callable(progress, "progress")
    round_ = filtered.rounds[-1]
    coefficient = round_.payoffs.coefficient[:2]
    # Earlier histories that lead to the same payoffs form a group. Process each group once.
    flat = coefficient.transpose(1, 0, 2, 3).reshape(round_.num_histories, -1)
    _, first, group = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    sides = [round_.stage.side(i) for i in (0, 1)]
    shapes = [(round_.num_classes[i], sides[i].num_sequences - 1, len(first)) for i in (0, 1)]
    kept = [np.ones(shape, dtype=np.bool_) for shape in shapes]
    reached = [np.zeros((shapes[i][0], len(sides[i].nodes), len(first)), dtype=np.bool_) for i in (0, 1)]
    parts = list(_parts(round_))
    for done, lines in enumerate(first.tolist()):
        for part, classes in parts:
            elimination = _Elimination.of(part, coefficient[:, lines]).run()
            for i in (0, 1):
                kept[i][classes[i], :, done] = elimination.kept[i]
                reached[i][classes[i], :, done] = elimination.reached(i)
            if progress is not None:
                progress(done + 1)
    kept1, kept2, *sets = (part[:, :, group.reshape(-1)] for part in (*kept, *reached))
    return Dominance(filtered, (kept1, kept2), (sets[0], sets[1]))


def _parts(round_: FilteredRound) -> Iterator[tuple[FilteredRound, tuple[IntArray, IntArray]]]:
    """Split a round into parts. Yield each part with two arrays: the indices of each player's classes in the part.

    Each part consists of whole public states. Elimination in one part does not depend on the other parts.
    """
    state = round_.public_state[0][round_.pair[0]]
    order = state.argsort(kind="stable")
    ends = np.append(np.flatnonzero(np.diff(state[order])) + 1, len(order))
    start = 0
    while start < len(order):
        end = int(ends[max(np.searchsorted(ends, start + _PAIRS, "right") - 1, np.searchsorted(ends, start, "right"))])
        pairs = np.sort(order[start:end])
        (classes1, first), (classes2, second) = (np.unique(round_.pair[i][pairs], return_inverse=True) for i in (0, 1))
        yield (
            replace(
                round_,
                earlier=(round_.earlier[0][classes1], round_.earlier[1][classes2]),
                pair=(first, second),
                mass=round_.mass[pairs],
                weight=round_.weight[pairs],
            ),
            (classes1, classes2),
        )
        start = end


def dominance_report(filtered: FilteredGame) -> dict[str, Any]:
    """Return the sizes of a game before and after the elimination of dominated actions in the last round.

    Examples
    --------
    >>> import tremble
    >>> dominance_report(tremble.shrink(tremble.load_rules("jk_four_cards")).filtered)
    {'sequences': [9, 9], 'eliminated_sequences': [1, 2], 'rows': 12, 'columns': 13}
    """
    left = undominated(filtered)
    return {
        "sequences": list(filtered.sizes.sequences),
        "eliminated_sequences": list(left.eliminated),
        "rows": left.rows,
        "columns": left.columns,
    }


@dataclass(frozen=True, eq=False)
class _Elimination:
    """The last-round actions that are not eliminated yet, for one history of moves in the earlier rounds.

    In the shapes, P is the number of pairs of classes, and C is the number of a player's classes. S and J are the
    numbers of the player's sequences and information sets in the stage.
    """

    stage: StageTree
    pair: tuple[IntArray, IntArray]  # player -> [P] the player's class in each pair
    order: tuple[IntArray, IntArray]  # player -> [P] positions of the pairs, sorted by the player's class
    first: tuple[IntArray, IntArray]  # player -> [C] first position of each class in `order`
    payoff: tuple[
        dict[int, NDArray[Any]], dict[int, NDArray[Any]]
    ]  # player, leaf -> [P] the payoff of each pair times its weight
    least: int  # a number less than every payoff
    kept: tuple[BoolArray, BoolArray]  # player -> [C, S - 1] True for remaining sequences; changed in place

    @classmethod
    def of(cls, round_: FilteredRound, coefficient: IntArray) -> _Elimination:
        weight, most = (
            round_.weight,
            int(np.abs(round_.weight).max(initial=0)) * int(np.abs(coefficient).max(initial=0)),
        )
        if most * weight.shape[1] >= 2**62:
            weight = weight.astype(object)
        payoff = [
            {leaf: weight @ coefficient[player, e] for e, leaf in enumerate(round_.payoffs.leaves)} for player in (0, 1)
        ]
        order = round_.pair[0].argsort(kind="stable"), round_.pair[1].argsort(kind="stable")
        first = [np.searchsorted(round_.pair[i][order[i]], np.arange(round_.num_classes[i])) for i in (0, 1)]
        kept = [
            np.ones((round_.num_classes[i], round_.stage.side(i).num_sequences - 1), dtype=np.bool_) for i in (0, 1)
        ]
        return cls(
            round_.stage, round_.pair, order, (first[0], first[1]), (payoff[0], payoff[1]),
            -most * weight.shape[1] - 1, (kept[0], kept[1]),
        )  # fmt: skip

    def run(self) -> _Elimination:
        """Eliminate dominated actions until none remains, and return ``self``."""
        changed = True
        while changed:
            changed = False
            for player in (0, 1):
                for k in reversed(range(len(self.stage.side(player).nodes))):
                    changed |= self._eliminate(player, k)
        return self

    def _reachable_by(self, player: int) -> BoolArray:
        """Return a mask [C, nodes]: True if a class can reach a node without an eliminated action of the player.

        The method assumes that the opponent may also choose eliminated actions.
        """
        may_come = np.ones((len(self.kept[player]), len(self.stage.mover)), dtype=np.bool_)
        sequence = self.stage.side(player).last
        for node, children in enumerate(self.stage.child):
            for child in children:
                may_come[:, child] = may_come[:, node]
                if self.stage.mover[node] == player:
                    may_come[:, child] &= self.kept[player][:, sequence[child] - 1]
        return may_come

    def _reaching_pairs(self, node: int) -> BoolArray:
        """Return a mask, bool[P]: True for each pair of classes with which play can still reach the node."""
        reaching: BoolArray = self._reachable_by(0)[self.pair[0], node] & self._reachable_by(1)[self.pair[1], node]
        return reaching

    def reached(self, player: int) -> BoolArray:
        """Return a mask [C, J]: True for each class and information set of a player that play can still reach."""
        nodes = self.stage.side(player).nodes
        columns = [self._any_pair(player, self._reaching_pairs(node)) for node in nodes]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self.kept[player]), 0), dtype=np.bool_)

    def _any_pair(self, player: int, marked: BoolArray) -> BoolArray:
        """Return a mask of a player's C classes: True if ``marked`` marks a pair of the class and an opponent class."""
        any_: BoolArray = np.logical_or.reduceat(marked[self.order[player]], self.first[player])
        return any_

    def _eliminate(self, player: int, k: int) -> bool:
        """Eliminate dominated actions at the k-th information set of the stage; return True if any were eliminated."""
        side = self.stage.side(player)
        node = side.nodes[k]
        plans = _plans(self.stage, player, node)
        if plans is None:
            return False
        reaching = self._reaching_pairs(node)
        pairs = np.flatnonzero(reaching)
        if not len(pairs):
            return False
        own, other = self.pair[player][pairs], self.pair[1 - player][pairs]
        kept = self.kept[player]
        available = [self._available(player, plan) for plan in plans]
        bounds = [self._bounds(player, node, plan, pairs, other) for plan in plans]
        # Compare only two pairs of each class first, because two pairs usually suffice to refute dominance.
        _, probe = np.unique(own, return_index=True)
        probes = probe, np.concatenate((probe[1:], [len(own)])) - 1
        left = [alive.copy() for alive in available]  # True for classes where the plan is not yet known to be dominated
        for a, (low_a, high_a) in enumerate(bounds):
            for b, (low_b, high_b) in enumerate(bounds):
                if a == b:
                    continue
                may = left[a] & available[b]
                for some in probes:
                    may[own[some]] &= low_b[some] >= high_a[some]
                some = np.flatnonzero(may[own])
                if not len(some):
                    continue
                worse = np.zeros(len(kept), dtype=np.bool_)
                more = np.zeros(len(kept), dtype=np.bool_)
                worse[own[some][low_b[some] < high_a[some]]] = True
                more[own[some][high_b[some] > low_a[some]]] = True
                left[a] &= ~(may & more & ~worse)
        # For each class, eliminate an action if all plans that begin with the action are dominated.
        changed = False
        for i in range(side.start[k + 1] - side.start[k]):
            begins = [alive for plan, alive in zip(plans, left, strict=True) if plan[node] == i]
            gone = kept[:, side.start[k] - 1 + i] & ~np.logical_or.reduce(begins) & self._any_pair(player, reaching)
            kept[gone, side.start[k] - 1 + i] = False
            changed |= bool(gone.any())
        return changed

    def _available(self, player: int, plan: Plan) -> BoolArray:
        """Return a mask [C] of the classes for which a plan uses no eliminated action."""
        last = self.stage.side(player).last
        chosen = [last[self.stage.child[node][i]] - 1 for node, i in plan.items()]
        available: BoolArray = np.asarray(self.kept[player][:, chosen].all(axis=1))
        return available

    def _bounds(
        self, player: int, node: int, plan: Plan, pairs: IntArray, other: IntArray
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the least and the greatest payoff of ``player`` from ``node`` on if ``player`` follows ``plan``.

        Each array has an entry for each pair of classes in ``pairs``. The opponent may choose any remaining action.
        """
        last = self.stage.side(1 - player).last
        bounds: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
        for here in reversed(list(_below(self.stage, player, node, plan))):
            children = self.stage.child[here]
            if not children:
                bounds[here] = (self.payoff[player][here][pairs],) * 2
            elif self.stage.mover[here] == player:
                bounds[here] = bounds[children[plan[here]]]
            else:
                low: NDArray[Any] | None = None
                high: NDArray[Any] | None = None
                for child in children:
                    may = self.kept[1 - player][other, last[child] - 1]
                    least = np.where(may, bounds[child][0], -self.least)
                    most = np.where(may, bounds[child][1], self.least)
                    low = least if low is None else np.minimum(low, least)
                    high = most if high is None else np.maximum(high, most)
                assert low is not None
                assert high is not None
                bounds[here] = low, high
        return bounds[node]


def _below(stage: StageTree, player: int, node: int, plan: Plan) -> Iterator[int]:
    """Yield the nodes that play can reach if a player follows a plan; parents precede their children."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        children = stage.child[here]
        stack.extend([children[plan[here]]] if stage.mover[here] == player else children)


def _plans(stage: StageTree, player: int, node: int) -> list[Plan] | None:
    """Return all plans of a player from ``node`` on, or None if there are more than ``_MOST_PLANS``."""
    end = node + 1
    todo = [node]
    while todo:
        here = todo.pop()
        end = max(end, here + 1)
        todo.extend(stage.child[here])
    plans_from: dict[int, list[Plan]] = {}
    for here in reversed(range(node, end)):
        children = stage.child[here]
        if stage.mover[here] == player:
            plans = [{here: i, **plan} for i, child in enumerate(children) for plan in plans_from[child]]
        else:
            count = int(np.prod([float(len(plans_from[child])) for child in children]))
            if count > _MOST_PLANS:
                return None
            plans = [
                {key: i for plan in combined for key, i in plan.items()}
                for combined in product(*(plans_from[child] for child in children))
            ]
        if len(plans) > _MOST_PLANS:
            return None
        plans_from[here] = plans
    return plans_from[node]
