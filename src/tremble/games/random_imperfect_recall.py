"""Random zero-sum games in which players forget, reproducible from a seed.

The tree is that of ``random_tree`` with the same seed, depth, branching, observations and utilities, without chance and
with zero sum; then information sets are merged into groups, those of player 1 first, then those of player 2. The
``random.Random(seed)`` that has drawn the tree is asked on. For each player:

1. Its sets are taken level by level from the top; within a level in breadth-first order, then shuffled
   (``random.shuffle``).
2. A set is offered to the groups there are, the oldest first. It *may* join a group in which none of its own ancestors
   is (so nobody is absentminded) and, with recall ``a-loss``, if its own sequence and that of each member are equal, or
   have different actions of a common group. Own sequences are those after merging: groups and actions.
3. If it may join, ``random.random()`` is drawn, and it joins if that is less than ``merge``. A set that joins no group
   opens one.

With ``merge=0`` nothing is forgotten. With ``merge=1`` each level is one set; less makes more and smaller sets,
which is harder on solvers. A group is called what its first set in breadth-first order is called, with
the number of the others: ``"o1 a2 o0 and 3 more"``.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from tremble.games.parameters import Bounds, Rules
from tremble.games.random_tree import History, RandomTree

__all__ = ["RandomImperfectRecall"]

Moves = dict[int, int]
"""An own sequence after merging: group -> action."""


@dataclass(frozen=True)
class RandomImperfectRecall(Rules):
    """A random zero-sum game whose players forget; the module's docstring has the procedure.

    Parameters
    ----------
    seed : int
    depth : int
        Number of moves in every play; player 1 makes the first, and they take turns.
    branching : int
        Number of actions everywhere.
    merge : float
        Probability that a set of player 1 joins a group that it may join.
    recall : {"any", "a-loss"}
        What player 1 keeps at least.
    merge2, recall2
        The same of player 2.
    observations : int
        Number of different observations.
    utilities : {"walk", "iid"}

    Examples
    --------
    >>> import tremble
    >>> game = tremble.build(RandomImperfectRecall(seed=1))
    >>> game.num_infosets, [tremble.classify_recall(game, player) for player in (0, 1)]
    ((3, 86), ['a-loss', 'perfect'])

    References
    ----------
    B. Bošanský, J. Čermák, K. Horák and M. Pěchouček, "Computing maxmin strategies in extensive-form
    zero-sum games with imperfect recall", ICAART 2017. Section 5.1: depth 6, branching 3 and 4, sets of equally many
    actions merged at random unless that makes a player absentminded, and A-loss recall of the minimizing player. How
    often sets are merged is not said there; ``merge`` and ``merge2`` are our own.
    """

    seed: Annotated[int, Bounds(0, 10**12 - 1)] = 0
    depth: Annotated[int, Bounds(1, 1000)] = 6
    branching: Annotated[int, Bounds(1, 1000)] = 3
    merge: Annotated[float, Bounds(0, 1)] = 1.0
    recall: Literal["any", "a-loss"] = "any"
    merge2: Annotated[float, Bounds(0, 1)] = 0.0
    recall2: Literal["any", "a-loss"] = "a-loss"
    observations: Annotated[int, Bounds(1, 1000)] = 2
    utilities: Literal["walk", "iid"] = "walk"

    @property
    def title(self) -> str:
        """What the game is called."""
        return f"Random game with imperfect recall, seed {self.seed}, depth {self.depth}, branching {self.branching}"

    @cached_property
    def tree(self) -> RandomTree:
        """The game in which nothing is forgotten."""
        return RandomTree(self.seed, self.depth, self.branching, self.observations, utilities=self.utilities)

    @cached_property
    def _names(self) -> tuple[dict[str, str], dict[str, str]]:
        """By player and original set: what it is called after merging."""
        rng = random.Random()
        rng.setstate(self.tree.drawn.state)
        player1 = self._merged(0, rng, self.merge, a_loss=self.recall == "a-loss")
        return player1, self._merged(1, rng, self.merge2, a_loss=self.recall2 == "a-loss")

    def _merged(self, player: int, rng: random.Random, merge: float, *, a_loss: bool) -> dict[str, str]:
        """Merge the sets of a player as the module's docstring says."""
        b, original = self.branching, self.tree.infoset
        members: list[list[Moves]] = []  # by group: the different own sequences that lead to it
        past: dict[str, tuple[int, Moves]] = {}  # by set: its group, and its own sequence
        breadth_first: list[str] = []
        for level in range(player, self.depth, 2):
            first: dict[str, int] = {}
            for position in range(b**level):
                first.setdefault(original((level, position)), position)
            order = list(first)
            breadth_first += order
            rng.shuffle(order)
            for name in order:
                moves: Moves = {}
                if level > player:
                    above, before = past[original((level - 2, first[name] // b**2))]
                    moves = {**before, above: first[name] // b % b}
                for group, known in enumerate(members):
                    may = group not in moves and not (a_loss and any(_confused(moves, other) for other in known))
                    if may and rng.random() < merge:
                        break
                else:
                    group = len(members)
                    members.append([])
                if moves not in members[group]:
                    members[group].append(moves)
                past[name] = group, moves
        heads: dict[int, str] = {}
        for name in breadth_first:
            heads.setdefault(past[name][0], name)
        size = Counter(group for group, _ in past.values())
        called = [
            heads[group] + (f" and {size[group] - 1} more" if size[group] > 1 else "") for group in range(len(heads))
        ]
        return {name: called[group] for name, (group, _) in past.items()}

    def root(self) -> History:
        """Top of the tree."""
        return self.tree.root()

    def player(self, h: History) -> int:
        """Whose ply it is."""
        return self.tree.player(h)

    def actions(self, h: History) -> tuple[str, ...]:
        """Labels ``a0``, ``a1``, ..."""
        return self.tree.actions(h)

    def child(self, h: History, i: int) -> History:
        """One level down."""
        return self.tree.child(h, i)

    def infoset(self, h: History) -> str:
        """What the group of the mover's information is called."""
        return self._names[self.tree.player(h)][self.tree.infoset(h)]

    def payoff(self, h: History) -> tuple[int, int]:
        """Payoffs as drawn."""
        return self.tree.payoff(h)

    def counts(self) -> dict[str, Any]:
        """What ``tremble info`` says, as far as it is known without building the tree: nodes and depth."""
        counts = self.tree.counts()
        return {"nodes": counts["nodes"], "max_depth": counts["max_depth"]}


def _confused(one: Moves, two: Moves) -> bool:
    """Whether two own sequences differ, but not by different actions of a common group."""
    return one != two and all(two.get(group, action) == action for group, action in one.items())
