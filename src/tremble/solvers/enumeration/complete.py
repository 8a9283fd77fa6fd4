"""Find all pure profiles that are a Nash equilibrium of every subgame, with an action at every information set.

A *subgame* begins at a node that chance can reach if every information set has either all of its nodes or none of them
at or below that node. The *cut* subgame ends where smaller subgames begin. A leaf stands there, with the payoffs of the
profile in the smaller subgame.

*The search.* Visit the subgames from the last one to the whole game. The profile is already chosen in all smaller
subgames, so the payoffs of the cut subgame are known. Branch over all pure Nash equilibria of the cut subgame: over the
pairs of pure plans that :mod:`.pure` finds, and over every choice at the sets that the player's plan never reaches.
In a cut subgame of one decision node these are the actions that earn the mover the most. Ties give multiple branches.

*Why the list is complete.* Let s be a pure profile that is a Nash equilibrium of every subgame. It is also one of
every cut subgame: a gain in a cut subgame is a gain in the subgame, because play after the cut is that of s. So, at
every step of the search, the choices of s in the cut subgame are among the branches, and the search reaches s. Each
branch decides only the sets of its cut subgame, and the branches of a step differ, so no profile appears twice.

*Why each member is right.* Suppose that the profile is a Nash equilibrium of every cut subgame. By induction, from the
smallest subgame up, no deviation pays in any subgame: inside smaller subgames it earns no more than the cut pays. The
checker proves each member again.

*Dead ends.* A cut subgame may have no pure equilibrium. The search then tries other branches of the smaller subgames
inside it. If none of them helps, the subgame has no pure equilibrium, and the list is empty.

References
----------
R. Selten: Reexamination of the perfectness concept for equilibrium points in extensive games, International Journal of
Game Theory 4, 1975.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.strategy import RealizationPlan
from tremble.game.tree import GameTree
from tremble.game.tree_builder import TreeBuilder
from tremble.pairs import pair
from tremble.solvers.enumeration.pure import pure_equilibria

__all__ = ["Choices", "complete_equilibria", "complete_subgame_perfect", "reached_subgames"]

Choices = tuple[list[int], list[int]]
"""For players 1 and 2: the action at each information set."""

Optimal = Callable[[GameTree], tuple[RealizationPlan, RealizationPlan]]
"""Returns optimal plans of both players in a game with a constant sum."""

_Earned = tuple[Fraction, Fraction]
_Move = tuple[int, int, int]
"""A player, an information set and an action."""
_Branch = tuple[list[_Move], _Earned]
"""An equilibrium of a cut subgame, and what both players earn there."""

_MOST_FAILURES = 100_000  # limit for the payoffs without an equilibrium that a cut subgame stores


def complete_subgame_perfect(tree: GameTree, optimal: Optimal, check: Callable[[], None]) -> Iterator[Choices]:
    """Generate every pure profile that is a Nash equilibrium of every subgame, each once.

    Parameters
    ----------
    tree : GameTree
        With perfect recall.
    optimal : callable
        Returns optimal plans; called with a cut subgame whose payoffs have a constant sum.
    check : callable
        Called often; may raise to stop.

    Examples
    --------
    The second mover is indifferent, and either choice is part of an equilibrium:

    >>> import tremble
    >>> builder = tremble.TreeBuilder()
    >>> builder.decision(0, "first", ["out", "in"])
    >>> builder.leaf(1, 0)
    >>> builder.decision(1, "second", ["good", "bad"])
    >>> builder.leaf(2, 0)
    >>> builder.leaf(0, 0)
    >>> list(complete_subgame_perfect(builder.finish(), lambda _: None, lambda: None))
    [([1], [0]), ([0], [1])]
    """
    return _search(tree, reached_subgames(tree), optimal, check)


def complete_equilibria(tree: GameTree, optimal: Optimal, check: Callable[[], None]) -> Iterator[Choices]:
    """Generate every pure Nash equilibrium with every choice at sets off the own path, each profile once."""
    whole = np.zeros(tree.num_nodes, dtype=np.bool_)
    whole[0] = tree.player[0] != TERMINAL
    return _search(tree, whole, optimal, check)


def reached_subgames(tree: GameTree) -> NDArray[np.bool_]:
    """Mark the nodes where a subgame begins that chance can reach: bool[N]."""
    order, parent = tree.in_preorder.tolist(), tree.parent.tolist()
    # The last position, in preorder, of each node's descendants.
    last = tree.preorder.tolist()
    for node in reversed(order[1:]):
        last[parent[node]] = max(last[parent[node]], last[node])
    # The first and last positions of the nodes of each information set.
    sets: dict[tuple[int, int], tuple[int, int]] = {}
    for position, node in enumerate(order):
        key = int(tree.player[node]), int(tree.infoset[node])
        sets[key] = (sets.get(key, (position, position))[0], position)
    # The positions that the information sets at and below a node cover.
    low, high = list(range(tree.num_nodes)), list(range(tree.num_nodes))
    marked = np.zeros(tree.num_nodes, dtype=np.bool_)
    for position in range(tree.num_nodes - 1, -1, -1):
        node = order[position]
        player = int(tree.player[node])
        if player >= 0:
            first, end = sets[player, int(tree.infoset[node])]
            low[position], high[position] = min(low[position], first), max(high[position], end)
        marked[node] = player != TERMINAL and low[position] == position and high[position] <= last[node]
        if position:
            above = int(tree.preorder[parent[node]])
            low[above], high[above] = min(low[above], low[position]), max(high[above], high[position])
    return marked & _dealt(tree)


def _dealt(tree: GameTree) -> NDArray[np.bool_]:
    """Mark the nodes that chance can reach: bool[N]."""
    dealt = np.ones(tree.num_nodes, dtype=np.bool_)
    for node in range(1, tree.num_nodes):
        above = int(tree.parent[node])
        dealt[node] = dealt[above]
        if tree.player[above] == CHANCE:
            dealt[node] &= tree.chance_tables[tree.infoset[above]].probabilities[tree.action[node]] > 0
    return dealt


def _search(
    tree: GameTree, begins: NDArray[np.bool_], optimal: Optimal, check: Callable[[], None]
) -> Iterator[Choices]:
    """Decide one cut subgame after the other; go back if one has no equilibrium or no further branch."""
    choices: Choices = [0] * tree.num_infosets[0], [0] * tree.num_infosets[1]
    subgames = _cut_subgames(tree, begins)
    if not subgames:
        yield choices
        return
    # For each subgame, the position of the innermost one within it that is decided first.
    position = {subgame.root: k for k, subgame in enumerate(subgames)}
    innermost: list[int] = []
    for k, subgame in enumerate(subgames):
        innermost.append(min((innermost[position[node]] for node in subgame.smaller), default=k))

    earned: dict[int, _Earned] = {}
    solved, open_branches = 0, [subgames[0].branches(earned, optimal, check)]
    while open_branches:
        check()
        k = len(open_branches) - 1
        branch = next(open_branches[k], None)
        if branch is None:
            if solved < len(subgames) and k == innermost[solved]:
                return  # all branches inside were tried: the first unsolved subgame has no pure equilibrium
            open_branches.pop()
            continue
        moves, earned[subgames[k].root] = branch
        for player, infoset, action in moves:
            choices[player][infoset] = action
        solved = max(solved, k + 1)
        if k + 1 < len(subgames):
            open_branches.append(subgames[k + 1].branches(earned, optimal, check))
        else:
            yield choices[0].copy(), choices[1].copy()


def _cut_subgames(tree: GameTree, begins: NDArray[np.bool_]) -> list[_CutSubgame]:
    """List the cut subgames, each right after those within it: by descending preorder of their roots."""
    nodes: dict[int, list[int]] = {}
    smaller: dict[int, list[int]] = {}
    root = np.zeros(tree.num_nodes, dtype=np.int64)  # [N]: where the cut subgame of a node begins
    for node in tree.in_preorder.tolist():
        above = int(root[tree.parent[node]]) if node else 0
        root[node] = node if begins[node] else above
        if begins[node]:
            nodes[node], smaller[node] = [], []
            if node:
                smaller[above].append(node)
                nodes[above].append(node)
        if nodes:
            nodes[int(root[node])].append(node)
    return [_CutSubgame(tree, node, nodes[node], smaller[node]) for node in reversed(nodes)]


@dataclass(frozen=True, eq=False)
class _CutSubgame:
    """A subgame that ends where smaller ones begin."""

    tree: GameTree
    root: int
    nodes: list[int]  # in preorder, with the roots of smaller subgames as leaves
    smaller: list[int]  # the roots of smaller subgames
    failed: set[tuple[_Earned, ...]] = field(default_factory=set)  # payoffs of smaller ones without an equilibrium

    def branches(self, earned: Mapping[int, _Earned], optimal: Optimal, check: Callable[[], None]) -> Iterator[_Branch]:
        """Generate the pure equilibria, given the payoffs of the smaller subgames."""
        paid = tuple(earned[node] for node in self.smaller)
        if paid in self.failed:
            return
        pays = dict(zip(self.smaller, paid, strict=True))
        inner = [node for node in self.nodes if node not in pays and self.tree.player[node] != TERMINAL]
        found = False
        equilibria = self._of_one_move(pays) if len(inner) == 1 else self._of_many_moves(inner, pays, optimal, check)
        for moves in equilibria:
            found = True
            yield moves, self._earned(moves, pays)
        if not found and len(self.failed) < _MOST_FAILURES:
            self.failed.add(paid)

    def _of_one_move(self, pays: Mapping[int, _Earned]) -> Iterator[list[_Move]]:
        """Generate the best actions of the mover, or no move for chance."""
        player, infoset = int(self.tree.player[self.root]), int(self.tree.infoset[self.root])
        if player == CHANCE:
            yield []
            return
        worth = [self._paid(node, pays)[player] for node in self.tree.children(self.root)]
        for action, value in enumerate(worth):
            if value == max(worth):
                yield [(player, infoset, action)]

    def _of_many_moves(
        self, inner: Sequence[int], pays: Mapping[int, _Earned], optimal: Optimal, check: Callable[[], None]
    ) -> Iterator[list[_Move]]:
        """Generate the pure equilibria of a tree, with every choice off the own path."""
        if all(self.tree.player[node] == CHANCE for node in inner):
            yield []
            return
        tree, sets = self._as_tree(pays)
        for plans in pure_equilibria(tree, partial(optimal, tree), check):
            chosen: list[_Move] = []
            free: list[list[_Move]] = []
            for player, plan in enumerate(plans):
                for k, infoset in enumerate(sets[player]):
                    first, end = 1 + tree.slot_start[player][k : k + 2]
                    if plan[first:end].any():
                        chosen.append((player, infoset, int(np.argmax(plan[first:end]))))
                    else:
                        free.append([(player, infoset, action) for action in range(end - first)])
            for completion in product(*free):
                yield [*chosen, *completion]

    def _as_tree(self, pays: Mapping[int, _Earned]) -> tuple[GameTree, tuple[list[int], list[int]]]:
        """Build the cut subgame as a tree; return the information sets of the whole game in its order."""
        tree, builder = self.tree, TreeBuilder()
        for node in self.nodes:
            player, k = int(tree.player[node]), int(tree.infoset[node])
            if node in pays or player == TERMINAL:
                builder.leaf(*self._paid(node, pays))
            elif player == CHANCE:
                table = tree.chance_tables[k]
                builder.chance(table.labels, table.probabilities)
            else:
                builder.decision(player, k, tree.actions[player][k])
        sets = pair(cast("list[int]", keys) for keys in builder.set_keys)
        return builder.finish(), sets

    def _paid(self, node: int, pays: Mapping[int, _Earned]) -> _Earned:
        """Return the payoffs of both players at a leaf of the cut subgame."""
        if node in pays:
            return pays[node]
        one, two = self.tree.payoff_at(int(self.tree.infoset[node]))
        return Fraction(one), Fraction(two)

    def _earned(self, moves: Sequence[_Move], pays: Mapping[int, _Earned]) -> _Earned:
        """Return the expected payoffs of both players in the subgame."""
        tree, total = self.tree, [Fraction(0), Fraction(0)]
        action_at = {(player, infoset): action for player, infoset, action in moves}
        reach = {self.root: Fraction(1)}
        for node in self.nodes:
            odds, player, k = reach.get(node), int(tree.player[node]), int(tree.infoset[node])
            if odds is None:
                continue
            if node in pays or player == TERMINAL:
                total = [sum_ + odds * value for sum_, value in zip(total, self._paid(node, pays), strict=True)]
            elif player == CHANCE:
                shares = tree.chance_tables[k].probabilities
                reach |= {child: odds * p for child, p in zip(tree.children(node), shares, strict=True) if p}
            else:
                reach[tree.children(node)[action_at[player, k]]] = odds
        return total[0], total[1]
