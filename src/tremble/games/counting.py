"""Count nodes, information sets and sequences of a game without building its tree.

The functions merge histories with equal futures into states.
"""

from __future__ import annotations

from collections.abc import Hashable
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from tremble.game.protocol import CHANCE, TERMINAL, Game

__all__ = ["GameOfStates", "counts", "zero_sum_counts"]


def zero_sum_counts(
    *, chance: int, player: list[int], terminal: int, information_sets: list[int], sequences: list[int], max_depth: int
) -> dict[str, Any]:
    """Return sizes of a zero-sum game with perfect recall as a dict in the form that ``tremble info`` prints."""
    return {
        "zero_sum": True,
        "constant_sum": True,
        "recall": ["perfect", "perfect"],
        "nodes": {"chance": chance, "player": player, "terminal": terminal},
        "information_sets": information_sets,
        "sequences": sequences,
        "max_depth": max_depth,
    }


class GameOfStates(Game, Protocol):
    """Rules with ``observation`` and ``state_key``; :class:`tremble.game.rules.UnbuiltGame` describes both methods."""

    def __hash__(self) -> int: ...

    def observation(self, h: Any, player: int) -> Hashable:
        """Return the observation of the player to move."""

    def state_key(self, h: Any) -> Hashable:
        """Return the key of a history. Histories with equal keys have equal futures."""


@dataclass
class _States:
    """All states, numbered from the root. A state is a set of histories with equal length and equal key."""

    mover: list[int] = field(default_factory=list)
    children: list[tuple[int, ...]] = field(
        default_factory=list
    )  # for each state, the state after each action; its number is greater than the number of the state
    observation: list[Hashable] = field(default_factory=list)  # observation of the mover
    histories: list[int] = field(default_factory=lambda: [1])  # number of histories that lead to the state
    payoff_sums: set[Fraction | int] = field(default_factory=set)
    max_depth: int = -1


def counts(rules: GameOfStates) -> dict[str, Any]:
    """Count nodes, information sets and sequences of a game with perfect recall, in the form of ``tremble info``.

    The observations and actions of a player so far determine its information set. A belief is a set of states that a
    player cannot distinguish. The running time grows with the numbers of states and beliefs, not with the number of
    nodes. Results for equal rules are cached.

    Examples
    --------
    Both players secretly call heads or tails three times. The payoff is the number of equal calls:

    >>> class Calls:
    ...     def root(self): return ()
    ...     def player(self, h): return TERMINAL if len(h) == 6 else len(h) % 2
    ...     def actions(self, h): return ("heads", "tails")
    ...     def chance(self, h): raise LookupError
    ...     def child(self, h, i): return (*h, i)
    ...     def infoset(self, h): return h[len(h) % 2 :: 2]
    ...     def payoff(self, h): return (sum(a == b for a, b in zip(h[::2], h[1::2])), 0)
    ...     def observation(self, h, player): return None
    ...     def state_key(self, h): return sum(a == b for a, b in zip(h[::2], h[1::2])), h[-1:] * (len(h) % 2)
    >>> found = counts(Calls())
    >>> found["nodes"], found["information_sets"], found["sequences"]
    ({'chance': 0, 'player': [21, 42], 'terminal': 64}, [7, 7], [15, 15])
    """
    return deepcopy(_counts(rules))


@lru_cache(maxsize=32)
def _counts(rules: GameOfStates) -> dict[str, Any]:
    states = _explore(rules)
    nodes = {CHANCE: 0, TERMINAL: 0, 0: 0, 1: 0}
    for mover, histories in zip(states.mover, states.histories, strict=True):
        nodes[mover] += histories
    (sets1, sequences1), (sets2, sequences2) = _count_own(states, 0), _count_own(states, 1)
    return {
        "zero_sum": states.payoff_sums == {0},
        "constant_sum": len(states.payoff_sums) == 1,
        "nodes": {"chance": nodes[CHANCE], "player": [nodes[0], nodes[1]], "terminal": nodes[TERMINAL]},
        "information_sets": [sets1, sets2],
        "sequences": [sequences1, sequences2],
        "recall": ["perfect", "perfect"],  # a player remembers all its observations and actions
        "max_depth": states.max_depth,
    }


def _explore(rules: GameOfStates) -> _States:
    """Find all states, move by move, and count the histories that lead to each state."""
    child, player, actions = rules.child, rules.player, rules.actions
    state_key, observe, payoff = rules.state_key, rules.observation, rules.payoff
    states = _States()
    histories = states.histories
    layer = [rules.root()]  # one history for each state
    while layer:
        first = len(histories)
        number_of: dict[Hashable, int] = {}
        after: list[Any] = []
        for h in layer:
            ways = histories[len(states.mover)]
            mover = player(h)
            states.mover.append(mover)
            states.observation.append(observe(h, mover) if mover in (0, 1) else None)
            if mover == TERMINAL:
                states.payoff_sums.add(sum(payoff(h)))
                states.children.append(())
                continue
            row = []
            for i in range(len(actions(h))):
                then = child(h, i)
                key = state_key(then)
                number = number_of.get(key)
                if number is None:
                    number = number_of[key] = first + len(after)
                    after.append(then)
                    histories.append(0)
                histories[number] += ways
                row.append(number)
            states.children.append(tuple(row))
        states.max_depth += 1
        layer = after
    return states


def _count_own(states: _States, player: int) -> tuple[int, int]:
    """Count the information sets and the sequences of a player.

    An *own history* is the list of a player's observations and actions so far. The future after an own history depends
    only on the last observation and the belief, which is the set of states that the player cannot distinguish. So own
    histories with equal last observation and belief are counted together.
    """
    # A belief is a bit set with one bit for each state that has the observation.
    indistinct: dict[Hashable, list[int]] = {}
    # For each state, map observations at the player's next move to beliefs, over all moves of others before this move.
    upcoming: list[dict[Hashable, int]] = [{}] * len(states.mover)
    for state in range(len(states.mover) - 1, -1, -1):
        if states.mover[state] == player:
            members = indistinct.setdefault(states.observation[state], [])
            upcoming[state] = {states.observation[state]: 1 << len(members)}
            members.append(state)
        else:
            upcoming[state] = _union([upcoming[child] for child in states.children[state]])
    # Count forward from the player's first moves. `reached` maps (observation, belief) to the number of own histories.
    information_sets, sequences = 0, 1
    reached = dict.fromkeys(upcoming[0].items(), 1)
    while reached:
        after: dict[tuple[Hashable, int], int] = {}
        for (observation, belief), own_histories in reached.items():
            members = indistinct[observation]
            rows = []
            while belief:
                lowest = belief & -belief
                rows.append(states.children[members[lowest.bit_length() - 1]])
                belief ^= lowest
            information_sets += own_histories
            sequences += own_histories * len(rows[0])
            for children in zip(*rows, strict=True):  # the states that one action leads to
                for then in _union([upcoming[child] for child in children]).items():
                    after[then] = after.get(then, 0) + own_histories
        reached = after
    return information_sets, sequences


def _union(parts: list[dict[Hashable, int]]) -> dict[Hashable, int]:
    """Map each observation to the union of its beliefs (bit masks) in all ``parts``. Do not change ``parts``."""
    if len(parts) == 1:
        return parts[0]
    union: dict[Hashable, int] = {}
    for part in parts:
        for observation, belief in part.items():
            union[observation] = union.get(observation, 0) | belief
    return union
