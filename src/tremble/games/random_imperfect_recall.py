"""Random zero-sum games with imperfect recall, reproducible from a seed.

``random_tree`` draws the tree from the same seed, depth, branching, observations and utilities, with zero-sum payoffs
and without chance moves. Then information sets are merged into groups, first for player 1 and then for player 2. One
generator, ``random.Random(seed)``, draws the tree and then the numbers for merging. The procedure for each player is:

1. Process the player's sets level by level from the top. List the sets of a level in breadth-first order, and then
   shuffle the list (``random.shuffle``).
2. For each set, try the existing groups, the oldest group first. The set *may* join a group that contains no ancestor
   of the set, so no player is absentminded. The *own sequence* of a set lists the player's groups before the set, with
   the actions at these groups. If ``recall`` is ``a-loss``, also compare the own sequence of the set with the own
   sequence of each set in the group. The two sequences must be equal, or contain different actions at a common group.
3. If the set may join the group, draw ``random.random()``. The set joins if the number is less than ``merge``. If a set
   joins no group, it starts a new group.

With ``merge=0``, no player forgets anything. With ``merge=1`` and ``recall=any``, each level is one group. Values
between 0 and 1 produce more and smaller groups than ``merge=1``. These games are harder for solvers. A group is
named after its first set in breadth-first order and the number of its other sets: ``"o1 a2 o0 and 3 more"``.
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
"""A player's own sequence after merging: a dict from groups to actions."""


@dataclass(frozen=True)
class RandomImperfectRecall(Rules):
    """A random zero-sum game with imperfect recall, drawn as the docstring of the module describes.

    Parameters
    ----------
    seed : int
    depth : int
        Number of moves in every play. Players take turns, and player 1 moves first.
    branching : int
        Number of actions at each node.
    merge : float
        Probability that a set of player 1 joins a group, if the rules in the module's docstring allow this.
    recall : {"any", "a-loss"}
        Restriction on the recall of player 1.
    merge2, recall2
        The parameters ``merge`` and ``recall`` for player 2.
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
    zero-sum games with imperfect recall", ICAART 2017. The games in section 5.1 have depth 6, branching 3 and 4, and a
    minimizing player with A-loss recall. Sets with equal numbers of actions are merged at random, unless a player would
    become absentminded. The paper does not give the frequency of merging, so tremble adds ``merge`` and ``merge2``.
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
        """Title of the game."""
        return f"Random game with imperfect recall, seed {self.seed}, depth {self.depth}, branching {self.branching}"

    @cached_property
    def tree(self) -> RandomTree:
        """The game before merging, in which both players have perfect recall."""
        return RandomTree(self.seed, self.depth, self.branching, self.observations, utilities=self.utilities)

    @cached_property
    def _names(self) -> tuple[dict[str, str], dict[str, str]]:
        """Two dicts, one for each player, that map the name of each original set to the name of its group."""
        rng = random.Random()
        rng.setstate(self.tree.drawn.state)
        player1 = self._merged(0, rng, self.merge, a_loss=self.recall == "a-loss")
        return player1, self._merged(1, rng, self.merge2, a_loss=self.recall2 == "a-loss")

    def _merged(self, player: int, rng: random.Random, merge: float, *, a_loss: bool) -> dict[str, str]:
        """Merge the sets of a player as the module describes; return a dict from set names to group names."""
        b, original = self.branching, self.tree.infoset
        members: list[list[Moves]] = []  # for each group, the different own sequences of its sets
        past: dict[str, tuple[int, Moves]] = {}  # from sets to (group, own sequence)
        breadth_first: list[str] = []
        # Find the group of each set, level by level.
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
                    allowed = group not in moves and not (
                        a_loss and any(_indistinguishable(moves, other) for other in known)
                    )
                    if allowed and rng.random() < merge:
                        break
                else:
                    group = len(members)
                    members.append([])
                if moves not in members[group]:
                    members[group].append(moves)
                past[name] = group, moves
        # Name each group.
        first_of: dict[int, str] = {}
        for name in breadth_first:
            first_of.setdefault(past[name][0], name)
        size = Counter(group for group, _ in past.values())
        group_names = [
            first_of[group] + (f" and {size[group] - 1} more" if size[group] > 1 else "")
            for group in range(len(first_of))
        ]
        return {name: group_names[group] for name, (group, _) in past.items()}

    def root(self) -> History:
        """Return the root."""
        return self.tree.root()

    def player(self, h: History) -> int:
        """Return the player to move."""
        return self.tree.player(h)

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the labels ``a0``, ``a1``, ..."""
        return self.tree.actions(h)

    def child(self, h: History, i: int) -> History:
        """Return the child after action i, one level down."""
        return self.tree.child(h, i)

    def infoset(self, h: History) -> str:
        """Return the name of the group to which the mover's information set belongs."""
        return self._names[self.tree.player(h)][self.tree.infoset(h)]

    def payoff(self, h: History) -> tuple[int, int]:
        """Return the randomly drawn payoffs of a leaf."""
        return self.tree.payoff(h)

    def counts(self) -> dict[str, Any]:
        """Return the number of nodes and the depth, in the form of ``tremble info``, without building the tree."""
        counts = self.tree.counts()
        return {"nodes": counts["nodes"], "max_depth": counts["max_depth"]}


def _indistinguishable(one: Moves, two: Moves) -> bool:
    """Return True if two own sequences differ, but contain the same action at every group that is in both."""
    return one != two and all(two.get(group, action) == action for group, action in one.items())
