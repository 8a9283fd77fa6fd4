r"""The best response as it was published: a depth-first search through histories (sections 4.2.1 and 4.2.2).

At histories of the opponent and of chance, actions are searched in descending probability, and the search ends
where even the greatest payoff on all that is left cannot reach what is needed (the bound :math:`\lambda`). At an
information set of the responder all its histories are searched together, most probable first; an action is not
searched any more once it cannot catch up with the best one, the values under the best action are stored, and the
search ends where even that is less than what is needed. At a *temporary leaf* of the opponent the search goes no
further: it takes what the restricted game pays there. So no sequence that begins beyond one is brought.

It is written for any :class:`Histories`: :class:`TreeHistories` are those of a tree, and :class:`RulesHistories` are
made as far as the search comes.

Figure 5 leaves open what an action is worth that line 19 skips: here it is given up for good (:math:`v_a = -\infty`),
as section 4.2.2 says of a cut-off below. Histories that the opponent's plan excludes are left out. Where all payoffs
are above 0, the least payoff counts as 0, without which line 17 of Figure 5 would give up too much.

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
from tremble.game.sequence_form import chance_reach
from tremble.game.tree import GameTree
from tremble.large.positions import Positions
from tremble.large.search import UNEQUAL
from tremble.large.sequences import KnownSequences, Plan, Trie
from tremble.large.settings import require_shallow

__all__ = ["Histories", "Nodes", "RulesHistories", "TreeHistories", "depth_first_response"]

_SLACK = 1e-12  # relative to the greatest payoff
_FAILS = float("-inf")


class Histories(Protocol):
    """Histories of a game under one plan of the opponent, by number; 0 is the root."""

    bounds: tuple[float, float]  # least and greatest payoff of the responder

    def worth(self, h: int) -> float | None:
        """At the end, and at temporary leaves of the opponent: the responder's payoff times the reach."""

    def infoset(self, h: int) -> int:
        """The responder's information set; -1 where it does not move."""

    def reach(self, h: int) -> float:
        """The probability of chance's and the opponent's moves."""

    def below(self, h: int) -> Sequence[int]:
        """What follows where the responder does not move."""

    def played(self, h: int, action: int) -> int:
        """What follows an action of the responder."""

    def members(self, infoset: int) -> tuple[Sequence[int], int]:
        """The histories of an information set that the opponent's plan lets happen, and the number of actions there."""


def depth_first_response(histories: Histories, check: Callable[[], None]) -> tuple[float, dict[int, int]]:
    """Search.

    Returns
    -------
    value : float
        What the responder earns, at most.
    choice : dict
        Information set -> position of the best action, where the search came.

    Raises
    ------
    TooLargeError
        The game is too deep for a search that calls itself.
    """
    worth, infoset, reach, below = histories.worth, histories.infoset, histories.reach, histories.below
    least, greatest = min(0.0, histories.bounds[0]), histories.bounds[1]
    slack = _SLACK * max(abs(least), abs(greatest))
    stored: dict[int, float] = {}
    choice: dict[int, int] = {}
    visited = 0

    def value(h: int, need: float, depth: int) -> float:
        nonlocal visited
        visited += 1
        if visited % 4096 == 0:
            check()
        require_shallow(depth)
        ends = worth(h)
        if ends is not None:
            return ends
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
                wanted = share * least
                if best >= 0:
                    wanted = totals[best] + left * least - (totals[a] + (left - share) * greatest)
                gained = _FAILS
                if wanted <= share * greatest + slack:
                    gained = values[a][node] = value(histories.played(node, a), wanted, depth + 1)
                totals[a] += gained
            best = max(range(count), key=totals.__getitem__)
            left -= share
            if node == h and max(earned.get(h, _FAILS) for earned in values) < need - slack:
                return _FAILS
        choice[k] = best
        stored.update(values[best])
        return stored[h]

    return value(0, least, 0), choice


# -- on a tree -----------------------------------------------------------------------------------------


class Nodes(NamedTuple):
    """What the search reads of a tree, node by node, beside the arrays of the tree itself."""

    tree: GameTree
    last: tuple[NDArray[np.int64], NDArray[np.int64]]  # each player's sequence
    chance: NDArray[np.float64]  # probability of chance's moves
    bounds: tuple[float, float]  # least and greatest payoff of player 1
    members: tuple[list[list[int]], list[list[int]]]  # the nodes of each information set

    @classmethod
    def of(cls, tree: GameTree, last: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Self:
        """Of a tree, with each player's last sequence at each node."""
        reach = chance_reach(tree, np.arange(tree.num_nodes))
        chance = np.array([p / reach.denominator for p in reach.numerator.tolist()])
        payoff = tree.payoff_float[:, 0]
        bounds = float(payoff.min()), float(payoff.max())
        return cls(tree, last, chance, bounds, (_members(tree, 0), _members(tree, 1)))


def _view(values: Any) -> Any:
    """The same numbers, which are read faster than from an array, one by one."""
    return memoryview(values)


def _members(tree: GameTree, player: int) -> list[list[int]]:
    mine = np.flatnonzero(tree.player == player)
    order = mine[np.argsort(tree.infoset[mine], kind="stable")]
    cuts = np.cumsum(np.bincount(tree.infoset[mine], minlength=tree.num_infosets[player]))
    return [nodes.tolist() for nodes in np.split(order, cuts[:-1])] if len(order) else []


class TreeHistories:
    """The nodes of a tree under a plan.

    Parameters
    ----------
    own, opponent : KnownSequences
        Of the responder and of the opponent.
    weight : float64[S]
        Of the plan in the whole game.
    at_temporary : callable
        What the responder gets at a node that is a temporary leaf of the opponent, times chance.
    """

    def __init__(
        self,
        nodes: Nodes,
        own: KnownSequences,
        opponent: KnownSequences,
        plan: Plan,
        weight: NDArray[np.float64],
        at_temporary: Callable[[int], float],
    ) -> None:
        tree, player = nodes.tree, own.player
        self._player, self._members, self._at_temporary = player, nodes.members[player], at_temporary
        self._sign = 1 if player == 0 else -1
        self._mover, self._set = _view(tree.player), _view(tree.infoset)
        self._first, self._count = _view(tree.first_child), _view(tree.num_children)
        self._chance, self._payoff = _view(nodes.chance), _view(tree.payoff_float[:, 0])
        self._own, self._others = _view(nodes.last[player]), _view(nodes.last[1 - player])
        self._allowed, self._weight = own.allowed.tolist(), weight.tolist()
        self._decided, self._set_of = plan.decided.tolist(), _view(opponent.set_of)
        self._begun = any(self._decided) or any(self._allowed[1:])
        least, greatest = nodes.bounds
        self.bounds = (least, greatest) if player == 0 else (-greatest, -least)

    def worth(self, h: int) -> float | None:
        """At the end, and at temporary leaves of the opponent: the payoff times the reach."""
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
        """The responder's information set, or -1."""
        k: int = self._set[h] if self._mover[h] == self._player else -1
        return k

    def reach(self, h: int) -> float:
        """The probability of chance's and the opponent's moves."""
        p: float = self._chance[h] * self._weight[self._others[h]]
        return p

    def below(self, h: int) -> Sequence[int]:
        """What follows where the responder does not move."""
        first = self._first[h]
        return range(first, first + self._count[h])

    def played(self, h: int, action: int) -> int:
        """What follows an action of the responder."""
        child: int = self._first[h] + action
        return child

    def members(self, infoset: int) -> tuple[Sequence[int], int]:
        """Histories of an information set that can happen, and its number of actions."""
        nodes = self._members[infoset]
        return [h for h in nodes if self.reach(h) > 0.0], self._count[nodes[0]]


# -- on rules ------------------------------------------------------------------------------------------


class RulesHistories:
    """Histories of rules under a plan, made when the search comes near them.

    The histories of an information set are all known as soon as one of them is: an action is played at all histories of
    the set above, and from there the opponent's plan and chance move on until the responder moves again.

    Parameters
    ----------
    own, opponent : Trie
        Of the responder and of the opponent.
    at_temporary : callable
        What the responder gets at a position that is a temporary leaf of the opponent.
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
        # Of each history:
        self._position: list[int] = []
        self._reach: list[float] = []
        self._mine: list[int] = []  # the responder's sequence, -1 if it is not allowed
        self._others: list[int] = []  # the opponent's, -1 if it has fallen back to its default
        self._set: list[int] = []
        self._below: list[list[int]] = []
        # Of each information set:
        self._members: list[list[int]] = []
        self._above: list[tuple[int, int]] = []  # the set above, and the action there
        self._actions: list[dict[int, dict[int, int]]] = []  # action -> history -> what follows
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
        """Move the opponent and chance on until the responder moves."""
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
        """Whether the plan says what the opponent does at a history of its."""
        k = self._tries[1].find(self._others[h], self._positions.view[self._position[h]])
        return 0 <= k < len(self._decided) and self._decided[k]

    def _enter(self, h: int, above: tuple[int, int], count: int) -> None:
        """Put a history into its information set."""
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

    def worth(self, h: int) -> float | None:
        """At the end, and at temporary leaves of the opponent: the payoff times the reach."""
        position = self._position[h]
        mover = self._positions.mover[position]
        if mover == TERMINAL:
            return float(self._positions.payoff[position]) * self._sign * self._reach[h]
        if mover == self._tries[1].player and self._begun and self._mine[h] >= 0 <= self._others[h]:
            return None if self._decides(h) else self._at_temporary(position) * self._reach[h]
        return None

    def infoset(self, h: int) -> int:
        """The responder's information set, or -1."""
        return self._set[h]

    def reach(self, h: int) -> float:
        """The probability of chance's and the opponent's moves."""
        return self._reach[h]

    def below(self, h: int) -> Sequence[int]:
        """What follows where the responder does not move."""
        return self._below[h]

    def played(self, h: int, action: int) -> int:
        """What follows an action of the responder."""
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
        """Histories of an information set that can happen, and its number of actions."""
        nodes = self._members[infoset]
        return nodes, len(self._positions.expand(self._position[nodes[0]], self._check))

    def learnt(self, choice: dict[int, int]) -> NDArray[np.int64]:
        """The sequences of a pure response at the information sets that it reaches, made known."""
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
