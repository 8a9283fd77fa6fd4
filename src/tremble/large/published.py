r"""The best response of the double oracle as published: a depth-first search through histories.

This is the search of sections 4.2.1 and 4.2.2 of the paper below. It is here for comparisons. The search in
:mod:`.search` is faster.

For each history, the search returns its value only if this value is at least the *needed value*, which is the bound
:math:`\lambda` in the paper. The search distinguishes three cases:

- At a history where the opponent or chance moves, the search tries actions in descending order of probability. It stops
  if the needed value cannot be reached even with the largest payoff after all remaining actions.
- At an information set of the responder, the search evaluates all histories of the set together, the most probable
  first. It drops an action as soon as this action cannot become better than the best action. For the best action, it
  stores the value of each history. It stops if the best action gives less than the needed value.
- At a *temporary leaf* of the opponent, the search uses the payoff of the restricted game and does not continue. So it
  finds no sequences that begin below a temporary leaf.

The search works on any :class:`Histories`. :class:`TreeHistories` are the nodes of a tree. :class:`RulesHistories` are
created from rules when the search reaches them.

The paper leaves some choices open, and this module makes the following ones:

- Figure 5 does not define the value of an action that line 19 skips. Here the action is dropped
  (:math:`v_a = -\infty`). Section 4.2.2 does the same if the search after an action is cut off.
- Histories that the opponent's plan excludes are left out.
- If all payoffs are positive, the search uses 0 as the least payoff. With a positive least payoff, line 17 of Figure 5
  would drop actions that can still be best.

References
----------
B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček: An exact double-oracle algorithm for zero-sum
extensive-form games with imperfect information, Journal of Artificial Intelligence Research 51, 2014, Figures 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.requirements import last_sequence
from tremble.game.sequence_form import SequenceForm, chance_reach
from tremble.game.tree import GameTree
from tremble.large.oracle import Response
from tremble.large.positions import LARGEST_PAYOFF, Positions
from tremble.large.rules import RulesOracle
from tremble.large.search import UNEQUAL
from tremble.large.sequences import KnownSequences, Plan, Trie
from tremble.large.settings import require_shallow
from tremble.large.tree import TreeOracle

__all__ = [
    "Histories",
    "PublishedRulesOracle",
    "PublishedTreeOracle",
    "RulesHistories",
    "TreeHistories",
    "TreeTables",
    "depth_first_response",
]

_SLACK = 1e-12  # relative to the greatest payoff; smaller differences between payoffs are ignored
_FAILS = float("-inf")  # returned for a history whose value is less than the needed value


class Histories(Protocol):
    """The histories of a game against an opponent with a given plan. Each history is an integer; the root is 0."""

    bounds: tuple[float, float]  # least and largest payoff of the responder

    def leaf_value(self, h: int) -> float | None:
        """Return the responder's payoff times ``reach(h)`` if h is a leaf or a temporary leaf, else None."""

    def infoset(self, h: int) -> int:
        """Return the responder's information set at h, or -1 if the responder does not move at h."""

    def reach(self, h: int) -> float:
        """Return the probability that chance and the opponent make all their moves on the path to h."""

    def below(self, h: int) -> Sequence[int]:
        """Return the histories that follow h directly. Chance or the opponent must move at h."""

    def played(self, h: int, action: int) -> int:
        """Return the history that follows h if the responder plays ``action``."""

    def members(self, infoset: int) -> tuple[Sequence[int], int]:
        """Return the histories h of an information set with ``reach(h)`` > 0, and the number of actions at the set."""


def depth_first_response(histories: Histories, check: Callable[[], None]) -> tuple[float, dict[int, int]]:
    """Search for a best response with the algorithm in Figures 4 and 5 of the paper (see the module's docstring).

    Returns
    -------
    value : float
        An upper bound on the responder's best payoff. It can exceed this payoff if the search uses temporary leaves.
    choice : dict
        Information set -> index of the best action, for all sets that the search has evaluated.

    Raises
    ------
    TooLargeError
        The game is too deep for a recursive search.
    """
    leaf_value, infoset, reach, below = histories.leaf_value, histories.infoset, histories.reach, histories.below
    least, greatest = min(0.0, histories.bounds[0]), histories.bounds[1]
    slack = _SLACK * max(abs(least), abs(greatest))
    stored: dict[int, float] = {}
    choice: dict[int, int] = {}
    visited = 0

    def value(h: int, need: float, depth: int) -> float:
        """Return the value of a history (Figure 4 of the paper), or ``_FAILS`` if the value is less than ``need``."""
        nonlocal visited
        visited += 1
        if visited % 4096 == 0:
            check()
        require_shallow(depth)
        ended = leaf_value(h)
        if ended is not None:
            return ended
        k = infoset(h)
        if k >= 0:
            return stored[h] if h in stored else choose(h, k, need, depth)
        children = below(h)
        left = sum(map(reach, children))
        total = 0.0
        for child in sorted(children, key=reach, reverse=True):
            share = reach(child)
            if share <= 0.0:
                break
            left -= share
            lacking = need - (total + left * greatest)
            if lacking > share * greatest + slack:
                return _FAILS
            gained = value(child, lacking, depth + 1)
            if gained == _FAILS:
                return _FAILS
            total += gained
        return total

    def choose(h: int, k: int, need: float, depth: int) -> float:
        """Choose the best action at information set k, and return the value of the set's history h (Figure 5)."""
        nodes, count = histories.members(k)
        left = sum(map(reach, nodes))
        totals = [0.0] * count
        values: list[dict[int, float]] = [{} for _ in range(count)]
        best = -1
        for node in sorted(nodes, key=reach, reverse=True):
            share = reach(node)
            for a in range(count):
                if totals[a] == _FAILS:
                    continue
                target = share * least
                if best >= 0:
                    target = totals[best] + left * least - (totals[a] + (left - share) * greatest)
                gained = _FAILS
                if target <= share * greatest + slack:
                    gained = values[a][node] = value(histories.played(node, a), target, depth + 1)
                totals[a] += gained
            best = max(range(count), key=totals.__getitem__)
            left -= share
            if node == h and max(earned.get(h, _FAILS) for earned in values) < need - slack:
                return _FAILS
        choice[k] = best
        stored.update(values[best])
        return stored[h]

    return value(0, least, 0), choice


# -- on trees -----------------------------------------------------------------------------------------


class TreeTables(NamedTuple):
    """A tree with additional data for the search. The arrays in ``last`` and ``chance`` are indexed by node."""

    tree: GameTree
    last: tuple[NDArray[np.int64], NDArray[np.int64]]  # for each player, its last sequence at each node
    chance: NDArray[np.float64]  # product of chance's probabilities before each node
    bounds: tuple[float, float]  # least and largest payoff of player 1
    members: tuple[list[list[int]], list[list[int]]]  # for each player, the nodes of each information set

    @classmethod
    def from_tree(cls, tree: GameTree) -> Self:
        """Compute the data that the search needs for a tree."""
        last = last_sequence(tree, 0), last_sequence(tree, 1)
        reach = chance_reach(tree, np.arange(tree.num_nodes))
        chance = np.array([p / reach.denominator for p in reach.numerator.tolist()])
        payoff = tree.payoff_float[:, 0]
        bounds = float(payoff.min()), float(payoff.max())
        return cls(tree, last, chance, bounds, (_members(tree, 0), _members(tree, 1)))


def _view(values: Any) -> Any:
    """Return a memory view of an array. Python reads single numbers from the view faster than from the array."""
    return memoryview(values)


def _members(tree: GameTree, player: int) -> list[list[int]]:
    mine = np.flatnonzero(tree.player == player)
    order = mine[np.argsort(tree.infoset[mine], kind="stable")]
    cuts = np.cumsum(np.bincount(tree.infoset[mine], minlength=tree.num_infosets[player]))
    return [nodes.tolist() for nodes in np.split(order, cuts[:-1])] if len(order) else []


class TreeHistories:
    """The nodes of a tree under a plan of the opponent. See :class:`Histories` for the methods.

    Parameters
    ----------
    own, opponent : KnownSequences
        The sequences of the responder and of the opponent.
    weight : float64[S]
        The opponent's plan, extended to the whole game by the opponent's default strategy.
    at_temporary : callable
        A function that maps the number of a temporary leaf to the responder's payoff times the probability of chance.
    """

    def __init__(
        self,
        tables: TreeTables,
        own: KnownSequences,
        opponent: KnownSequences,
        plan: Plan,
        weight: NDArray[np.float64],
        at_temporary: Callable[[int], float],
    ) -> None:
        tree, player = tables.tree, own.player
        self._player, self._members, self._at_temporary = player, tables.members[player], at_temporary
        self._sign = 1 if player == 0 else -1
        self._mover, self._set = _view(tree.player), _view(tree.infoset)
        self._first, self._count = _view(tree.first_child), _view(tree.num_children)
        self._chance, self._payoff = _view(tables.chance), _view(tree.payoff_float[:, 0])
        self._own, self._others = _view(tables.last[player]), _view(tables.last[1 - player])
        self._allowed, self._weight = own.allowed.tolist(), weight.tolist()
        self._decided, self._set_of = plan.decided.tolist(), _view(opponent.set_of)
        self._begun = any(self._decided) or any(self._allowed[1:])
        least, greatest = tables.bounds
        self.bounds = (least, greatest) if player == 0 else (-greatest, -least)

    def leaf_value(self, h: int) -> float | None:
        """Return the responder's payoff times ``reach(h)`` if h is a leaf or a temporary leaf, else None."""
        mover = self._mover[h]
        if mover == TERMINAL:
            payoff: float = self._payoff[self._set[h]] * self._sign
            return payoff * self.reach(h)
        if mover == 1 - self._player and self._begun and not self._decided[self._set[h]]:
            above = self._set_of[self._others[h]]
            if self._allowed[self._own[h]] and (above < 0 or self._decided[above]):
                share: float = self._weight[self._others[h]]
                return self._at_temporary(h) * share
        return None

    def infoset(self, h: int) -> int:
        """Return the responder's information set at h, or -1 if the responder does not move at h."""
        k: int = self._set[h] if self._mover[h] == self._player else -1
        return k

    def reach(self, h: int) -> float:
        """Return the probability that chance and the opponent make all their moves on the path to h."""
        p: float = self._chance[h] * self._weight[self._others[h]]
        return p

    def below(self, h: int) -> Sequence[int]:
        """Return the histories that follow h directly. Chance or the opponent must move at h."""
        first = self._first[h]
        return range(first, first + self._count[h])

    def played(self, h: int, action: int) -> int:
        """Return the history that follows h if the responder plays ``action``."""
        child: int = self._first[h] + action
        return child

    def members(self, infoset: int) -> tuple[Sequence[int], int]:
        """Return the histories h of an information set with ``reach(h)`` > 0, and the number of actions at the set."""
        nodes = self._members[infoset]
        return [h for h in nodes if self.reach(h) > 0.0], self._count[nodes[0]]


class PublishedTreeOracle(TreeOracle):
    """A :class:`.tree.TreeOracle` that finds best responses by the search of the paper (see the module docstring)."""

    def __init__(
        self,
        tree: GameTree,
        form: SequenceForm,
        default: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
        *,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(tree, form, default, check=check)
        self._tables = TreeTables.from_tree(tree)

    def respond(self, player: int, plan: Plan) -> Response:
        """Return the best response to the opponent's plan, computed in floats by the published search."""
        known, opponent = self.players[player], self.players[1 - player]
        leaf, sign = self._temporary[1 - player], 1 if player == 0 else -1

        def at_temporary(node: int) -> float:
            return int(leaf[node]) / self._unit * sign

        weight = opponent.extended(plan)
        histories = TreeHistories(self._tables, known, opponent, plan, weight, at_temporary)
        value, choice = depth_first_response(histories, self._check)
        # The search chooses no action at sets that it has pruned, so the response contains no sequences of these sets.
        chosen, searched = known.default.copy(), np.zeros(known.num_infosets, dtype=np.bool_)
        for k, action in choice.items():
            chosen[k], searched[k] = known.first[k] + action, True
        return Response(player, value, self._reached(known, chosen, searched))


# -- on rules ------------------------------------------------------------------------------------------


class RulesHistories:
    """The histories of a game if the opponent follows a plan. The search creates each history when it is needed.

    The search needs all histories of an information set at the same time. So it plays an action at all histories of a
    set together. Then it follows the opponent's plan and chance until the responder moves again. See
    :class:`Histories` for the methods.

    Parameters
    ----------
    own, opponent : Trie
        The sequences of the responder and of the opponent.
    at_temporary : callable
        A function that returns the responder's payoff at a position that is a temporary leaf of the opponent.
    """

    def __init__(
        self,
        positions: Positions,
        own: Trie,
        opponent: Trie,
        plan: Plan,
        bounds: tuple[float, float],
        at_temporary: Callable[[int], float],
        check: Callable[[], None],
    ) -> None:
        self.bounds = bounds
        self._positions, self._tries, self._at_temporary, self._check = positions, (own, opponent), at_temporary, check
        self._sign = 1 if own.player == 0 else -1
        self._weight, self._decided = plan.weight.tolist(), plan.decided.tolist()
        self._begun = any(self._decided) or any(own.allowed[1:])
        # The index of these lists is a history:
        self._position: list[int] = []
        self._reach: list[float] = []
        self._mine: list[int] = []  # the responder's sequence; -1 if it is not allowed
        self._others: list[int] = []  # the opponent's sequence; -1 if the opponent plays its default
        self._set: list[int] = []
        self._below: list[list[int]] = []
        # The index of these lists is an information set:
        self._members: list[list[int]] = []
        self._above: list[tuple[int, int]] = []  # the previous information set of the responder, and its action there
        self._actions: list[dict[int, dict[int, int]]] = []  # action -> history -> next history
        self._number: dict[tuple[int, int, int], int] = {}
        self._unfold(self._new(0, 1.0, 0, 0), (-1, -1))

    def _new(self, position: int, reach: float, mine: int, others: int) -> int:
        self._position.append(position)
        self._reach.append(reach)
        self._mine.append(mine)
        self._others.append(others)
        self._set.append(-1)
        self._below.append([])
        return len(self._position) - 1

    def _unfold(self, h: int, above: tuple[int, int]) -> None:
        """Expand the tree below the history ``h``: follow the opponent's plan and chance until the responder moves."""
        positions, opponent = self._positions, self._tries[1]
        stack = [h]
        while stack:
            h = stack.pop()
            position, reach, q = self._position[h], self._reach[h], self._others[h]
            mover = positions.mover[position]
            if mover == TERMINAL:
                continue
            children = positions.expand(position, self._check)
            if mover == self._tries[0].player:
                self._enter(h, above, len(children))
                continue
            default = children[positions.default[position]] if mover != CHANCE else -1
            moves: list[tuple[int, float, int]] = [(default, reach, -1)]
            if mover == CHANCE:
                probabilities = positions.chance[position]
                moves = [(child, reach * float(p), q) for child, p in zip(children, probabilities, strict=True)]
            elif self._decides(h):
                k = opponent.find(q, positions.view[position])
                first, whole = opponent.first[k], self._weight[q]
                if opponent.count[k] != len(children):
                    raise GameError(UNEQUAL)
                moves = [(c, reach * self._weight[first + a] / whole, first + a) for a, c in enumerate(children)]
            for child, share, sequence in moves:
                if share > 0.0:
                    self._below[h].append(self._new(child, share, self._mine[h], sequence))
            stack.extend(self._below[h])

    def _decides(self, h: int) -> bool:
        """Return True if the plan chooses the action at an opponent's history, False if the default strategy does."""
        k = self._tries[1].find(self._others[h], self._positions.view[self._position[h]])
        return 0 <= k < len(self._decided) and self._decided[k]

    def _enter(self, h: int, above: tuple[int, int], count: int) -> None:
        """Add a history to its information set. Raise ``GameError`` unless the set has ``count`` actions."""
        key = (*above, self._positions.view[self._position[h]])
        k = self._number.setdefault(key, len(self._members))
        if k == len(self._members):
            self._members.append([])
            self._above.append(above)
            self._actions.append({})
        elif len(self._positions.expand(self._position[self._members[k][0]])) != count:
            raise GameError(UNEQUAL)
        self._members[k].append(h)
        self._set[h] = k

    def leaf_value(self, h: int) -> float | None:
        """Return the responder's payoff times ``reach(h)`` if h is a leaf or a temporary leaf, else None."""
        position = self._position[h]
        mover = self._positions.mover[position]
        if mover == TERMINAL:
            return float(self._positions.payoff[position]) * self._sign * self._reach[h]
        if mover == self._tries[1].player and self._begun and self._mine[h] >= 0 <= self._others[h]:
            return None if self._decides(h) else self._at_temporary(position) * self._reach[h]
        return None

    def infoset(self, h: int) -> int:
        """Return the responder's information set at h, or -1 if the responder does not move at h."""
        return self._set[h]

    def reach(self, h: int) -> float:
        """Return the probability that chance and the opponent make all their moves on the path to h."""
        return self._reach[h]

    def below(self, h: int) -> Sequence[int]:
        """Return the histories that follow h directly. Chance or the opponent must move at h."""
        return self._below[h]

    def played(self, h: int, action: int) -> int:
        """Return the history that follows h if the responder plays ``action``."""
        k, own = self._set[h], self._tries[0]
        following = self._actions[k].get(action)
        if following is None:
            following = self._actions[k][action] = {}
            mine = self._mine[h]
            known = own.find(mine, self._positions.view[self._position[h]])
            mine = own.first[known] + action if mine >= 0 and known >= 0 else -1
            mine = mine if mine >= 0 and own.allowed[mine] else -1
            for member in self._members[k]:
                child = self._positions.expand(self._position[member])[action]
                following[member] = self._new(child, self._reach[member], mine, self._others[member])
                self._unfold(following[member], (k, action))
        return following[h]

    def members(self, infoset: int) -> tuple[Sequence[int], int]:
        """Return the histories h of an information set with ``reach(h)`` > 0, and the number of actions at the set."""
        nodes = self._members[infoset]
        return nodes, len(self._positions.expand(self._position[nodes[0]], self._check))

    def learnt(self, choice: dict[int, int]) -> NDArray[np.int64]:
        """Add to the trie every information set that a pure response reaches. Return the response's sequences."""
        own, positions = self._tries[0], self._positions
        sequence = {-1: 0}
        for k in sorted(choice):
            above, action = self._above[k]
            if above < 0 or (above in sequence and choice[above] == action):
                position = self._position[self._members[k][0]]
                number = own.learn(
                    sequence[above], positions.view[position], len(positions.expand(position)),
                    positions.default[position],
                )  # fmt: skip
                sequence[k] = own.first[number] + choice[k]
        return np.array([q for k, q in sequence.items() if k >= 0], dtype=np.int64)


class PublishedRulesOracle(RulesOracle):
    """A :class:`.rules.RulesOracle` that finds best responses by the search of the published algorithm."""

    def respond(self, player: int, plan: Plan) -> Response:
        """Return the best response to the opponent's plan, computed in floats by the published search."""
        histories = RulesHistories(
            self.positions,
            self.tries[player],
            self.tries[1 - player],
            plan,
            self._payoff_range(player),
            lambda position: float(self.worth(position, player)),
            self._check,
        )
        value, choice = depth_first_response(histories, self._check)
        learnt = histories.learnt(choice)
        self._name_new(player)
        return Response(player, value, learnt)

    def _payoff_range(self, player: int) -> tuple[float, float]:
        """Return the least and the greatest payoff of a player.

        The numbers come from ``utility_bounds`` of the rules. If the rules do not have this function, they come from
        the payoffs of all positions. If some positions are unknown, the result is -10^150 and 10^150.
        """
        if self._utilities is not None:
            bounds = self._utilities
        elif self._complete:
            bounds = min(self.positions.payoff), max(self.positions.payoff)
        else:
            bounds = -LARGEST_PAYOFF, LARGEST_PAYOFF
        least, greatest = map(float, bounds)
        return (least, greatest) if player == 0 else (-greatest, -least)
