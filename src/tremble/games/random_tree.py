"""Random games with perfect recall, reproducible from a seed.

The tree is full: every interior node has ``branching`` actions and every leaf lies ``depth`` plies deep.
Players 1 and 2 take turns, player 1 first; with ``chance`` the plies go round chance, player 1, player 2.
After each move the next player to move sees an observation of its node, uniform in 0, ...,
``observations`` - 1. An information set is what its mover has done and seen: own actions and observations
in turns.

One ``random.Random(seed)`` is asked, and nodes are visited breadth-first (level by level, in action order
within a level). At each interior node, in this order:

1. at a chance node, ``branching`` weights ``randint(1, 5)``; probabilities are proportional to them;
2. for each action in order: with ``utilities="walk"`` a step ``randint(-3, 3)`` for player 1 and, with
   ``sum="general"``, another for player 2; with ``utilities="iid"`` the same draws from
   ``randint(-3 * depth, 3 * depth)``, but only where the action ends the game; then, where a player moves
   next, its observation ``randrange(observations)``.

A payoff is the sum of the steps on the path (walk), or what was drawn at the leaf (iid). With
``sum="zero"`` player 2 gets the negative of player 1's payoff.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple

from tremble.errors import TooLargeError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games.parameters import Bounds, Rules

__all__ = ["FullTree", "History", "RandomTree"]

MOST_NODES = 50_000_000
"""Larger trees are not drawn at all."""

History = tuple[int, int]
"""Level and position within the level: child i of node k is node k * branching + i of the next level."""


class FullTree(NamedTuple):
    """What was drawn: lists by level, and by position within a level."""

    observation: list[list[int]]  # what the mover sees there; empty lists at chance levels and at the root
    weights: list[list[tuple[int, ...]]]  # of chance moves; empty lists at other levels
    payoff: list[tuple[int, int]]  # of the leaves
    state: tuple[Any, ...]  # of the generator, after all of these


@dataclass(frozen=True)
class RandomTree(Rules):
    """A random game with perfect recall and integers as payoffs; the module's docstring has the procedure.

    Parameters
    ----------
    seed : int
    depth : int
        Number of moves, chance included, in every play.
    branching : int
        Number of actions everywhere.
    observations : int
        Number of different observations; 1 lets the players see nothing but their own moves.
    chance_ : bool
        Whether every third ply, the first included, is chance, with weights 1 to 5; ``chance`` in a spec
        (``chance`` itself is a method of the rules).
    sum : {"zero", "general"}
    utilities : {"walk", "iid"}

    Examples
    --------
    >>> import tremble
    >>> tremble.build(RandomTree(seed=1, depth=4)).num_nodes
    121

    References
    ----------
    B. Bošanský, J. Čermák, K. Horák and M. Pěchouček, "Computing maxmin strategies in extensive-form
    zero-sum games with imperfect recall", ICAART 2017. Section 5.1 has full trees whose information sets are made by
    observations; how many of these there are and how payoffs are drawn is not said there, and is our own.
    """

    seed: Annotated[int, Bounds(0, 10**12 - 1)] = 0
    depth: Annotated[int, Bounds(1, 1000)] = 6
    branching: Annotated[int, Bounds(1, 1000)] = 3
    observations: Annotated[int, Bounds(1, 1000)] = 2
    chance_: bool = False
    sum: Literal["zero", "general"] = "zero"
    utilities: Literal["walk", "iid"] = "walk"

    @property
    def title(self) -> str:
        """What the game is called."""
        kind = ("general-sum " if self.sum == "general" else "") + "game" + (" with chance" if self.chance_ else "")
        return f"Random {kind}, seed {self.seed}, depth {self.depth}, branching {self.branching}"

    @cached_property
    def _movers(self) -> tuple[int, ...]:
        """By level: 0, 1 or CHANCE."""
        return tuple((CHANCE, 0, 1)[t % 3] if self.chance_ else t % 2 for t in range(self.depth))

    @cached_property
    def drawn(self) -> FullTree:
        """Draw a tree as the module's docstring says."""
        if sum(self.branching**t for t in range(self.depth + 1)) > MOST_NODES:
            raise TooLargeError(
                f"a random tree of depth {self.depth} and branching {self.branching} has more than {MOST_NODES:,} nodes"
            )
        rng, walk, zero_sum = random.Random(self.seed), self.utilities == "walk", self.sum == "zero"
        reach = 3 if walk else 3 * self.depth
        observation: list[list[int]] = [[]]
        weights: list[list[tuple[int, ...]]] = []
        sums = [(0, 0)]
        for t, mover in enumerate(self._movers):
            last = t == self.depth - 1
            seen = not last and self._movers[t + 1] != CHANCE
            below: list[tuple[int, int]] = []
            views: list[int] = []
            lots: list[tuple[int, ...]] = []
            for one, two in sums:
                if mover == CHANCE:
                    lots.append(tuple(rng.randint(1, 5) for _ in range(self.branching)))
                for _ in range(self.branching):
                    step = other = 0
                    if walk or last:
                        step = rng.randint(-reach, reach)
                        other = -step if zero_sum else rng.randint(-reach, reach)
                    below.append((one + step, two + other))
                    if seen:
                        views.append(rng.randrange(self.observations))
            sums = below
            observation.append(views)
            weights.append(lots)
        return FullTree(observation, weights, sums, rng.getstate())

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        return tuple(f"a{i}" for i in range(self.branching))

    def root(self) -> History:
        """Top of the tree."""
        return 0, 0

    def player(self, h: History) -> int:
        """Whose ply it is."""
        return self._movers[h[0]] if h[0] < self.depth else TERMINAL

    def actions(self, h: History) -> tuple[str, ...]:
        """Labels ``a0``, ``a1``, ..."""
        return self._labels

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Weights of the node over their sum."""
        weights = self.drawn.weights[h[0]][h[1]]
        total = sum(weights)
        return tuple(Fraction(weight, total) for weight in weights)

    def child(self, h: History, i: int) -> History:
        """One level down."""
        return h[0] + 1, h[1] * self.branching + i

    def infoset(self, h: History) -> str:
        """Observations (o) and actions (a) of the mover, such as ``"o1 a2 o0"``; ``"start"`` if nothing."""
        tree, (level, position) = self.drawn, h
        mover = self._movers[level]
        known = [f"o{tree.observation[level][position]}"] if tree.observation[level] else []
        for t in range(level - 1, -1, -1):
            position, action = divmod(position, self.branching)
            if self._movers[t] == mover:
                known.append(f"a{action}")
                if tree.observation[t]:
                    known.append(f"o{tree.observation[t][position]}")
        return " ".join(reversed(known)) or "start"

    def payoff(self, h: History) -> tuple[int, int]:
        """Payoffs as drawn."""
        return self.drawn.payoff[h[1]]

    def counts(self) -> dict[str, Any]:
        """What ``tremble info`` says, as far as it is known without building the tree: nodes, recall and depth."""
        plies = dict.fromkeys((CHANCE, 0, 1), 0)
        for t, mover in enumerate(self._movers):
            plies[mover] += self.branching**t
        return {
            "nodes": {"chance": plies[CHANCE], "player": [plies[0], plies[1]], "terminal": self.branching**self.depth},
            "information_sets": [None, None],
            "sequences": [None, None],
            "recall": ["perfect", "perfect"],
            "max_depth": self.depth,
        }
