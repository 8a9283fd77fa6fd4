"""Random games with perfect recall, reproducible from a seed.

The tree is full: every interior node has ``branching`` actions, and every leaf has the depth ``depth``. Players 1 and 2
take turns, and player 1 moves first. If ``chance`` is true, the order is chance, player 1, player 2. After each move,
the player who moves next observes a random number from 0, ..., ``observations`` - 1. The observations and actions of a
player so far determine its information set.

One generator, ``random.Random(seed)``, draws all numbers. It visits the nodes breadth-first: level by level, and in the
order of actions within a level. At each interior node, it draws the following numbers in this order:

1. At a chance node, draw ``branching`` weights ``randint(1, 5)``. The probabilities are proportional to the weights.
2. For each action in order, draw a step for player 1. With ``utilities="walk"``, the step is ``randint(-3, 3)``. With
   ``utilities="iid"``, the step is ``randint(-3 * depth, 3 * depth)``, and only actions that end the game have a step.
   With ``sum="general"``, also draw a step for player 2. Then, if a player moves next, draw its observation
   ``randrange(observations)``.

With ``walk``, a payoff is the sum of the steps on the path. With ``iid``, a payoff is the step of the last action. With
``sum="zero"``, player 2 gets the negative of player 1's payoff.
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
"""The greatest number of nodes of a random tree."""

History = tuple[int, int]
"""Level and position within the level. Child i of the node at position k is at k * branching + i in the next level."""


class FullTree(NamedTuple):
    """The random numbers of a tree, indexed by level and position in the level; ``payoff`` is indexed by leaf."""

    observation: list[list[int]]  # observation of the mover; empty lists at chance levels and at the root
    weights: list[list[tuple[int, ...]]]  # weights of chance moves; empty lists at other levels
    payoff: list[tuple[int, int]]  # payoffs of the leaves
    state: tuple[Any, ...]  # state of the generator after all draws


@dataclass(frozen=True)
class RandomTree(Rules):
    """A random game with perfect recall and integer payoffs, drawn as the docstring of the module describes.

    Parameters
    ----------
    seed : int
    depth : int
        Number of moves in every play, including chance moves.
    branching : int
        Number of actions at each node.
    observations : int
        Number of different observations. If it is 1, players see only their own moves.
    chance_ : bool
        Chance makes the first move and every third move after it, with weights from 1 to 5. Specs call this parameter
        ``chance``. In Python, the name is ``chance_``, because the class has a method ``chance``.
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
    zero-sum games with imperfect recall", ICAART 2017. The games in section 5.1 are full trees with information sets
    from observations. The paper does not give the number of observations or the distribution of payoffs.
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
        """Title of the game."""
        kind = ("general-sum " if self.sum == "general" else "") + "game" + (" with chance" if self.chance_ else "")
        return f"Random {kind}, seed {self.seed}, depth {self.depth}, branching {self.branching}"

    @cached_property
    def _movers(self) -> tuple[int, ...]:
        """The player to move at each level: 0, 1 or CHANCE."""
        return tuple((CHANCE, 0, 1)[t % 3] if self.chance_ else t % 2 for t in range(self.depth))

    @cached_property
    def drawn(self) -> FullTree:
        """The tree, drawn as the docstring of the module describes."""
        if sum(self.branching**t for t in range(self.depth + 1)) > MOST_NODES:
            raise TooLargeError(
                f"a random tree of depth {self.depth} and branching {self.branching} has more than {MOST_NODES:,} nodes"
            )
        rng, walk, zero_sum = random.Random(self.seed), self.utilities == "walk", self.sum == "zero"
        reach = 3 if walk else 3 * self.depth
        observation: list[list[int]] = [[]]
        weights: list[list[tuple[int, ...]]] = []
        payoffs = [(0, 0)]
        for t, mover in enumerate(self._movers):
            last = t == self.depth - 1
            observed = not last and self._movers[t + 1] != CHANCE
            children: list[tuple[int, int]] = []
            observations: list[int] = []
            level_weights: list[tuple[int, ...]] = []
            for one, two in payoffs:
                if mover == CHANCE:
                    level_weights.append(tuple(rng.randint(1, 5) for _ in range(self.branching)))
                for _ in range(self.branching):
                    step = other = 0
                    if walk or last:
                        step = rng.randint(-reach, reach)
                        other = -step if zero_sum else rng.randint(-reach, reach)
                    children.append((one + step, two + other))
                    if observed:
                        observations.append(rng.randrange(self.observations))
            payoffs = children
            observation.append(observations)
            weights.append(level_weights)
        return FullTree(observation, weights, payoffs, rng.getstate())

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        return tuple(f"a{i}" for i in range(self.branching))

    def root(self) -> History:
        """Return the root: level 0, position 0."""
        return 0, 0

    def player(self, h: History) -> int:
        """Return the player to move, which depends on the level only."""
        return self._movers[h[0]] if h[0] < self.depth else TERMINAL

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the labels ``a0``, ``a1``, ..."""
        return self._labels

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Return the weights of the node, divided by their sum."""
        weights = self.drawn.weights[h[0]][h[1]]
        total = sum(weights)
        return tuple(Fraction(weight, total) for weight in weights)

    def child(self, h: History, i: int) -> History:
        """Return the child that follows ``h`` after action i."""
        return h[0] + 1, h[1] * self.branching + i

    def infoset(self, h: History) -> str:
        """Return the mover's observations (o) and actions (a), such as ``"o1 a2 o0"``, or ``"start"`` before any."""
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
        """Return the payoffs that were drawn for a leaf."""
        return self.drawn.payoff[h[1]]

    def counts(self) -> dict[str, Any]:
        """Return recall, depth and numbers of nodes, in the form of ``tremble info``, without building the tree."""
        nodes = dict.fromkeys((CHANCE, 0, 1), 0)
        for t, mover in enumerate(self._movers):
            nodes[mover] += self.branching**t
        return {
            "nodes": {"chance": nodes[CHANCE], "player": [nodes[0], nodes[1]], "terminal": self.branching**self.depth},
            "information_sets": [None, None],
            "sequences": [None, None],
            "recall": ["perfect", "perfect"],
            "max_depth": self.depth,
        }
