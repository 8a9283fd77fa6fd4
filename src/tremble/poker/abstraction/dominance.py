r"""Iterated elimination of conditionally dominated actions in the last round of a filtered game.

A hand that beats every other never folds. An information set of the last round is a class of hands together with the
moves so far. A *plan* there states what the player does from this set on. Plan :math:`\beta` *dominates* plan
:math:`\alpha` if two conditions hold. Against every class d of the opponent, and every later action y of the opponent,
:math:`\beta` earns at least as much as :math:`\alpha`. Against some class it can earn more:

.. math::

   \min_y u(\beta, y, d) \ge \max_y u(\alpha, y, d) \ \text{ for all classes } d, \qquad
   \max_y u(\beta, y, d) > \min_y u(\alpha, y, d) \ \text{ for some } d.

Both extremes are taken over the opponent's remaining actions. Classes that can no longer reach the set do not count. An
action is eliminated when every plan that begins with it is dominated. Then the opponent's actions are checked again,
until no action can be eliminated. (Dominance by mixed plans is not searched for.)

**Equilibria of the remaining game are equilibria of the whole game.** Dominance is transitive and never circular, so
every eliminated plan is dominated by a remaining plan. If a player gains by deviating to an eliminated action, some
remaining action gains at least as much. So an equilibrium of the remaining game stays one in the whole game, if
eliminated actions are played nowhere, not even at information sets that are not reached. The converse fails, because
dominance may be weak: some equilibria are lost, among them those that refinements select. So only the computation of
Nash equilibria may eliminate actions first.

References
----------
M. Shimoji, J. Watson: Conditional dominance, rationalizability, and game forms, Journal of Economic Theory 83, 1998.
A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006, section 1.3
(sizes after iterated elimination of dominated strategies, with and without abstraction; the paper does not say which
strategies are eliminated).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, SpecError
from tremble.game.labels import pair, require_callable
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
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
"""Own node of the stage -> position of the action that is chosen there."""

_MOST_PLANS = 64  # at one information set; nothing is eliminated at a set with more plans
_PAIRS = 2**15  # pairs of classes handled together, unless a public state has more: they fit into a processor's cache


@dataclass(frozen=True, eq=False)
class Dominance:
    """A filtered game without its dominated actions of the last round.

    C counts a player's classes, S its sequences in the stage, J its information sets in the stage, and H the histories
    of moves in the rounds before.

    Attributes
    ----------
    filtered : FilteredGame
        The game before elimination.
    kept : pair of bool arrays [C, S - 1, H]
        For each player, the sequences of the last round that were not eliminated.
    reached : pair of bool arrays [C, J, H]
        For each player, the information sets of the last round that can still be reached.

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
    """The concepts for which actions may be eliminated first."""

    filtered: FilteredGame
    kept: tuple[BoolArray, BoolArray]
    reached: tuple[BoolArray, BoolArray]

    @property
    def rules(self) -> FilteredRules:
        """The remaining game as rules."""
        return FilteredRules(self.filtered, self.kept)

    @cached_property
    def sequences(self) -> tuple[int, int]:
        """The numbers of sequences that remain for each player, the empty sequence included."""
        whole = self.filtered.sizes.sequences
        return pair(whole[player] - self.kept[player].size + self._left(player) for player in (0, 1))

    @property
    def eliminated(self) -> tuple[int, int]:
        """The numbers of sequences that each player has lost."""
        whole, left = self.filtered.sizes.sequences, self.sequences
        return whole[0] - left[0], whole[1] - left[1]

    @cached_property
    def information_sets(self) -> tuple[int, int]:
        """The numbers of information sets that each player can still reach."""
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
        """Raise ``SpecError`` unless actions may be eliminated before equilibria of a concept are computed."""
        if concept not in self.concepts:
            raise SpecError(
                f"dominated actions are eliminated for nash alone, not for {concept}: weak domination deletes "
                "equilibria, among them those that refinements select; solve the game as it is"
            )

    def apply(
        self,
        concept: str = "nash",
        *,
        max_nodes: int = DEFAULT_MAX_NODES,
        progress: Callable[[int], None] | None = None,
    ) -> GameTree:
        """Build the tree of the remaining game, which serves Nash equilibria only; see :meth:`accepts`."""
        self.accepts(concept)
        title = f"{self.rules.title}, without dominated actions"
        return build(self.rules, title=title, max_nodes=max_nodes, progress=progress)

    def lift(self, strategies: tuple[BehaviorStrategy, BehaviorStrategy]) -> tuple[OrderedStrategy, OrderedStrategy]:
        """Lift strategies of the remaining game to the original game; they never play an eliminated action.

        At an information set that can no longer be reached, the player chooses the first action that was not
        eliminated.

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
    progress : callable, optional
        Called repeatedly with a number that grows: the group of earlier histories that is in work, from 1. It may raise
        an exception to stop the elimination.

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
    # Earlier histories that lead to the same payoffs form a group, and each group is handled once.
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
    """Cut a round into parts of whole public states, and yield each part with the classes that occur in it.

    Elimination in one part depends on no other part.
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
    """Count what remains after the elimination of dominated actions in the last round, as plain data.

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
    """The state of the elimination in the last round, after one history of the rounds before.

    P counts pairs of classes, C a player's classes, S its sequences in the stage, and J its information sets there.
    """

    stage: StageTree
    pair: tuple[IntArray, IntArray]  # player -> [P]
    order: tuple[IntArray, IntArray]  # player -> pairs sorted by its class
    first: tuple[IntArray, IntArray]  # player -> first position of each class in `order`
    payoff: tuple[
        dict[int, NDArray[Any]], dict[int, NDArray[Any]]
    ]  # player, leaf -> [P] payoffs, times the weights of the pairs
    least: int  # less than every payoff
    kept: tuple[BoolArray, BoolArray]  # [C, S - 1] sequences that remain; changed in place

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
        """Eliminate until no action is dominated."""
        changed = True
        while changed:
            changed = False
            for player in (0, 1):
                for k in reversed(range(len(self.stage.side(player).nodes))):
                    changed |= self._eliminate(player, k)
        return self

    def _reachable_by(self, player: int) -> BoolArray:
        """Mark the nodes that each class can still reach if only the player's own actions count, [C, nodes]."""
        may_come = np.ones((len(self.kept[player]), len(self.stage.mover)), dtype=np.bool_)
        sequence = self.stage.side(player).last
        for node, children in enumerate(self.stage.child):
            for child in children:
                may_come[:, child] = may_come[:, node]
                if self.stage.mover[node] == player:
                    may_come[:, child] &= self.kept[player][:, sequence[child] - 1]
        return may_come

    def _reaching_pairs(self, node: int) -> BoolArray:
        """Mark the pairs of classes that can still reach a node, [P]."""
        reaching: BoolArray = self._reachable_by(0)[self.pair[0], node] & self._reachable_by(1)[self.pair[1], node]
        return reaching

    def reached(self, player: int) -> BoolArray:
        """Mark the information sets that can still be reached, [C, J]."""
        nodes = self.stage.side(player).nodes
        columns = [self._any_pair(player, self._reaching_pairs(node)) for node in nodes]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self.kept[player]), 0), dtype=np.bool_)

    def _any_pair(self, player: int, marked: BoolArray) -> BoolArray:
        """Mark the classes that have at least one marked pair, [C]."""
        any_: BoolArray = np.logical_or.reduceat(marked[self.order[player]], self.first[player])
        return any_

    def _eliminate(self, player: int, k: int) -> bool:
        """Eliminate dominated actions at the k-th information set of the stage; return whether any were found."""
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
        # Compare two pairs of each class first: they usually suffice to refute dominance.
        _, probe = np.unique(own, return_index=True)
        probes = probe, np.concatenate((probe[1:], [len(own)])) - 1
        left = [alive.copy() for alive in available]  # classes for which the plan is not yet found to be dominated
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
        # Eliminate an action for every class for which all plans that begin with it are dominated.
        changed = False
        for i in range(side.start[k + 1] - side.start[k]):
            begins = [alive for plan, alive in zip(plans, left, strict=True) if plan[node] == i]
            gone = kept[:, side.start[k] - 1 + i] & ~np.logical_or.reduce(begins) & self._any_pair(player, reaching)
            kept[gone, side.start[k] - 1 + i] = False
            changed |= bool(gone.any())
        return changed

    def _available(self, player: int, plan: Plan) -> BoolArray:
        """Mark the classes for which a plan uses no eliminated action, [C]."""
        last = self.stage.side(player).last
        chosen = [last[self.stage.child[node][i]] - 1 for node, i in plan.items()]
        available: BoolArray = np.asarray(self.kept[player][:, chosen].all(axis=1))
        return available

    def _bounds(
        self, player: int, node: int, plan: Plan, pairs: IntArray, other: IntArray
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the least and the greatest payoff of a plan at some pairs, over the opponent's remaining actions."""
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
    """Yield the nodes that a player's plan may lead to, parents first."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        children = stage.child[here]
        stack.extend([children[plan[here]]] if stage.mover[here] == player else children)


def _plans(stage: StageTree, player: int, node: int) -> list[Plan] | None:
    """Return all plans of a player from one of its nodes on; None if their number exceeds ``_MOST_PLANS``."""
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
