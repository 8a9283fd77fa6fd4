r"""Examine a profile at each information set: the probability of reaching it, the belief, the values of actions.

Let I be an information set of player i. Let c(h), x(h) and y(h) be the probabilities that chance, player i and the
other player *play towards* a node h of I, that is, make all their moves on the path to h. With perfect recall, x has
the same value at all nodes of I. The belief by Bayes' rule is then

.. math::  \mu(h) = \frac{c(h)\, y(h)}{\sum_{h' \in I} c(h')\, y(h')}.

This belief is defined even if player i never plays towards I. For a player without perfect recall, the belief is
:math:`c\, x\, y` divided by the sum of these products over I. If the sum is 0, the strategies do not determine the
belief. The code then uses the belief in the solution. If the solution has none, the belief is *open*. A sequential
equilibrium states beliefs at all sets. At a set with a single node, the belief is 1.

Let :math:`V_i(h)` be the expected payoff of player i if play starts at h and both players follow the profile. Let
the action a lead from h to ha. As in Gambit, the value of a is :math:`\sum_h \mu(h)\, V_i(ha)`. If player i continues
with a best response, a earns :math:`Q(I, a) / \sum_h c(h)\, y(h)`. The numbers Q are the values of sequences from
:func:`tremble.game.evaluation.values_against`. The loss of a is the difference between the most that any action at I
earns and the earnings of a. Without perfect recall, or if :math:`\sum_h c(h)\, y(h) = 0`, values replace earnings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

from tremble.arguments import required_integer
from tremble.errors import GameError
from tremble.game.absentminded import first_revisit
from tremble.game.evaluation import move_probabilities, node_values, values_against
from tremble.game.places import find_set
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.requirements import parent_sequence
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree, require_player
from tremble.solution.claim import Beliefs
from tremble.solution.explanation import ActionWorth, Explanation, Explanations, Ground, NodeBelief, Reply
from tremble.words import for_reader, printable

__all__ = ["Assessment", "not_explained"]


def not_explained() -> GameError:
    """Return the error for a request to explain strategies of a game that is not built (has no tree in memory)."""
    build, play = for_reader("tremble.build(rules)", "--max-nodes"), for_reader("tremble.play", "tremble play")
    return GameError(
        "only strategies of a tree, and of flops, turns and rivers of Texas Hold'em, can be explained, but this game "
        "is not built: if it is small enough, build it "
        f"({build}) and solve the tree; {play} shows the cost of single moves without a tree"
    )


_ONE = Fraction(1)

_Found = TypeVar("_Found")


def _cached_for_last_set(find: Callable[[Assessment, int, int], _Found]) -> Callable[[Assessment, int, int], _Found]:
    """Make ``find`` cache its last result, because explaining an information set needs each result multiple times."""

    def found(self: Assessment, player: int, k: int) -> _Found:
        last: tuple[int, int, _Found] | None = self._last.get(find.__name__)
        if last is None or last[:2] != (player, k):
            last = self._last[find.__name__] = player, k, find(self, player, k)
        return last[2]

    return found


class Assessment:
    """A profile of a tree, with the beliefs of a solution. The methods explain the choices at information sets.

    Parameters
    ----------
    tree : GameTree
    profile : pair of BehaviorStrategy
        Floats are converted to fractions exactly.
    beliefs : pair of tuples of BeliefRow, optional
        Beliefs of the solution, used at the sets where the strategies do not determine the belief.
    rounded : bool
        True if the profile was given in floats or decimals.
    """

    def __init__(
        self,
        tree: GameTree,
        profile: tuple[BehaviorStrategy, BehaviorStrategy],
        beliefs: Beliefs | None = None,
        *,
        rounded: bool = False,
    ) -> None:
        self.tree, self.profile, self.rounded = tree, profile, rounded
        self._stated = [{row.infoset: row.nodes for row in rows} for rows in beliefs or ((), ())]
        self._rows = tuple([[Fraction(p) for p in row] for row in strategy] for strategy in profile)
        self._against: dict[int, tuple[list[Any], Fraction]] = {}
        self._absentminded: dict[int, bool] = {}
        self._last: dict[str, Any] = {}

    # -- passes over the tree --------------------------------------------------------------------

    @cached_property
    def _share(self) -> list[Fraction]:
        return move_probabilities(self.tree, self.profile)

    @cached_property
    def _values(self) -> tuple[list[Fraction], list[Fraction]]:
        one, two = (node_values(self.tree, player, self._share) for player in (0, 1))
        return one, two

    @cached_property
    def _towards(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """Triples, one for each node: the probabilities that chance, player 1 and player 2 play towards the node."""
        tree, share = self.tree, self._share
        towards = [(_ONE, _ONE, _ONE)] * tree.num_nodes
        movers, parent = tree.player.tolist(), tree.parent.tolist()
        for node in range(1, tree.num_nodes):
            chance, one, two = towards[parent[node]]
            mover, p = movers[parent[node]], share[node]
            if p != 1:
                towards[node] = (
                    (chance * p, one, two)
                    if mover == CHANCE
                    else (chance, one * p, two)
                    if mover == 0
                    else (chance, one, two * p)
                )
            else:
                towards[node] = chance, one, two
        return towards

    @cached_property
    def _nodes(self) -> tuple[list[list[int]], list[list[int]]]:
        """The nodes of each information set of both players, in depth-first order."""
        tree = self.tree
        own: tuple[list[list[int]], list[list[int]]] = ([], [])
        for player in (0, 1):
            own[player].extend([] for _ in range(tree.num_infosets[player]))
        for node in tree.in_preorder.tolist():
            if tree.player[node] >= 0:
                own[int(tree.player[node])][int(tree.infoset[node])].append(node)
        return own

    def _best(self, player: int) -> tuple[list[Any], Fraction]:
        """Return the best-response value of each sequence, as a multiple of a unit. Also return the unit."""
        if player not in self._against:
            values, unit = values_against(self.tree, self.profile[1 - player])
            self._against[player] = values, Fraction(unit)
        return self._against[player]

    def place(self, infoset: str | int, player: int | None = None) -> tuple[int, int]:
        """Return the player and the index of an information set: see :func:`~tremble.game.places.find_set`."""
        return find_set(self.tree, infoset, player)

    # -- explanations ----------------------------------------------------------------------------

    def most_at_stake(self, most: int, player: int | None = None) -> Explanations:
        """Explain the sets that play reaches, by descending :attr:`Explanation.stake`. Stop after ``most`` sets."""
        if required_integer(most, "'most', the number of information sets,") < 1:
            raise GameError(f"'most', the number of information sets, must be at least 1, not {most}")
        stakes = []
        if player is not None:
            require_player(player)
        for i in (0, 1) if player is None else (player,):
            for k in range(self.tree.num_infosets[i]):
                reach = self._reach(i, k)
                if reach:
                    losses = [a.loss for a in self._actions(i, k, replies=False) if a.loss is not None]
                    stakes.append((-reach * max(losses, default=Fraction(0)), -reach, i, k))
        return Explanations(self.explained(i, k) for *_, i, k in sorted(stakes)[:most])

    def every(self) -> Iterator[Explanation]:
        """Explain all sets, player 1's sets first. Leave out replies and paths, which are long in deep trees."""
        for player in (0, 1):
            for k in range(self.tree.num_infosets[player]):
                yield self.explained(player, k, replies=False, paths=False)

    @property
    def values(self) -> tuple[Fraction, Fraction]:
        """Expected payoffs of both players."""
        return self._values[0][0], self._values[1][0]

    def _reach(self, player: int, k: int) -> Fraction:
        return sum(map(self._reached, self._nodes[player][k]), Fraction(0))

    def _reached(self, node: int) -> Fraction:
        chance, one, two = self._towards[node]
        return chance * one * two

    def explained(self, player: int, k: int, *, replies: bool = True, paths: bool = True) -> Explanation:
        """Explain the set ``k`` of ``player``. Include replies (slow) and paths only if these arguments are true."""
        tree, (nodes, chance, own, other) = self.tree, self._arrivals(player, k)
        belief, ground = self._belief(player, k)
        actions, twice = self._actions(player, k, replies=replies), self._is_revisited(player, nodes)
        played = [a for a, action in enumerate(actions) if action.probability]
        reached = list(map(self._reached, nodes))
        worth = [[self._values[player][child] for child in tree.children(node)] for node in self._dealt(player, k)]
        return Explanation(
            player=player,
            infoset=k,
            label=tree.infoset_labels[player][k],
            names=(_player(tree, 0), _player(tree, 1)),
            reach=sum(reached, Fraction(0)),
            own_reach=own[0] if len(set(own)) == 1 else None,
            other_reach=sum((c * y for c, y in zip(chance, other, strict=True)), Fraction(0)),
            dealt=any(chance),
            ground=ground,
            nodes=tuple(
                NodeBelief(
                    tree.path(node) if paths else (),
                    reached[i],
                    None if belief is None else belief[i],
                    (self._values[0][node], self._values[1][node]),
                )
                for i, node in enumerate(nodes)
            ),
            actions=actions,
            revisited=twice,
            rounded=self.rounded,
            any_belief=not twice and all(row[a] == max(row) for row in worth for a in played),
        )

    def _arrivals(self, player: int, k: int) -> tuple[list[int], list[Fraction], list[Fraction], list[Fraction]]:
        """Return a set's nodes and, for each node, the reach probabilities of chance, the player and the opponent."""
        nodes = self._nodes[player][k]
        chance, own, other = ([self._towards[node][who] for node in nodes] for who in (0, 1 + player, 2 - player))
        return nodes, chance, own, other

    def _dealt(self, player: int, k: int) -> list[int]:
        """Return the nodes of a set that chance reaches with positive probability; without such nodes, return all."""
        nodes, chance, _, _ = self._arrivals(player, k)
        return [node for node, c in zip(nodes, chance, strict=True) if c] or nodes

    def _is_revisited(self, player: int, nodes: list[int]) -> bool:
        """Return True if a path passes through two of ``nodes``, the nodes of one information set."""
        if player not in self._absentminded:
            self._absentminded[player] = first_revisit(self.tree, player) is not None
        own = set(nodes)
        for node in nodes if self._absentminded[player] else ():
            while node:
                node = int(self.tree.parent[node])
                if node in own:
                    return True
        return False

    @_cached_for_last_set
    def _weights(self, player: int, k: int) -> list[Fraction]:
        """Return unnormalized beliefs: the nodes' reach probabilities, but without own moves if recall is perfect."""
        _, chance, own, other = self._arrivals(player, k)
        if parent_sequence(self.tree, player) is None:
            return [c * x * y for c, x, y in zip(chance, own, other, strict=True)]
        return [c * y for c, y in zip(chance, other, strict=True)]

    @_cached_for_last_set
    def _belief(self, player: int, k: int) -> tuple[list[Fraction] | None, Ground | None]:
        nodes = self._nodes[player][k]
        if self._is_revisited(player, nodes):
            return None, None
        if len(nodes) == 1:
            return [_ONE], "single node"
        weights = self._weights(player, k)
        whole = sum(weights)
        if whole:
            return [w / whole for w in weights], "Bayes"
        stated = dict(self._stated[player].get(k, ()))
        belief = [stated.get(self.tree.path(node), Fraction(0)) for node in nodes] if stated else []
        if len(stated) == len(nodes) and sum(belief) == 1 and min(belief) >= 0:
            return belief, "stated"
        return None, None

    @property
    def values_by_node(self) -> tuple[list[Fraction], list[Fraction]]:
        """Expected payoffs of both players if play starts at each node."""
        return self._values

    def beliefs_at(self, player: int, k: int) -> tuple[dict[int, Fraction], bool]:
        """Return a dict from nodes to beliefs (empty if unknown), and True if the solution states the beliefs."""
        belief, ground = self._belief(player, k)
        return dict(zip(self._nodes[player][k], belief or (), strict=False)), ground == "stated"

    def best_values_at(self, player: int, k: int) -> Sequence[Fraction] | None:
        """Return the player's payoff for each action at a set if the player continues with a best response.

        Return None if moves of chance and the other player exclude the set, or if the player lacks perfect recall.
        """
        if parent_sequence(self.tree, player) is None:
            return None
        arrival = sum(self._weights(player, k), Fraction(0))
        if not arrival:
            return None
        known, unit = self._best(player)
        first, end = (int(slot) + 1 for slot in self.tree.slot_start[player][k : k + 2])
        return [Fraction(value) * unit / arrival for value in known[first:end]]

    def _actions(self, player: int, k: int, *, replies: bool) -> tuple[ActionWorth, ...]:
        tree, values, row = self.tree, self._values[player], self._rows[player][k]
        nodes, (belief, _) = self._nodes[player][k], self._belief(player, k)
        twice, dealt = self._is_revisited(player, nodes), self._dealt(player, k)
        value: list[Fraction | None] = []
        between = []
        for a in range(len(row)):
            after = [values[tree.children(node)[a]] for node in dealt]
            between.append((min(after), max(after)))
            if belief is not None:
                mixed = (mu * values[tree.children(node)[a]] for node, mu in zip(nodes, belief, strict=True) if mu)
                value.append(sum(mixed, Fraction(0)))
            else:
                value.append(after[0] if len(set(after)) == 1 and not twice else None)
        known = self.best_values_at(player, k)
        best: Sequence[Fraction | None] = known or [None] * len(row)
        measure: Sequence[Fraction | None] = known or value
        most = None if None in measure else max(m for m in measure if m is not None)
        result = []
        for a, label in enumerate(tree.actions[player][k]):
            ends, after_it = self._replies(player, k, a, belief) if replies else (None, ())
            worth = measure[a]
            loss = None if most is None or worth is None else most - worth
            result.append(ActionWorth(label, row[a], value[a], best[a], loss, between[a], ends, after_it))
        return tuple(result)

    def _replies(
        self, player: int, k: int, a: int, belief: list[Fraction] | None
    ) -> tuple[Fraction | None, tuple[Reply, ...]]:
        """Return the probability that the other player has no move after ``a``, and the sets where it may move next."""
        tree, ends = self.tree, Fraction(0)
        next_sets: dict[int, Fraction] = {}
        nodes = self._dealt(player, k) if belief is None else self._nodes[player][k]
        weights = belief or [_ONE] * len(nodes)
        stack = [(tree.children(node)[a], mu) for node, mu in zip(nodes, weights, strict=True) if mu]
        while stack:
            node, p = stack.pop()
            mover = int(tree.player[node])
            if mover == TERMINAL:
                ends += p
            elif mover == 1 - player:
                met = int(tree.infoset[node])
                next_sets[met] = next_sets.get(met, Fraction(0)) + p
            else:
                stack += [(child, p * self._share[child]) for child in tree.children(node) if self._share[child]]
        there = tree.actions[1 - player]
        found = tuple(
            Reply(
                met,
                tree.infoset_labels[1 - player][met],
                None if belief is None else p,
                tuple(zip(there[met], self._rows[1 - player][met], strict=True)),
            )
            for met, p in sorted(next_sets.items())
        )
        return (None if belief is None else ends), found


def _player(tree: GameTree, player: int) -> str:
    """Return the name of a player for a sentence; ``player 1`` or ``player 2`` if the player has no name."""
    name = printable(tree.players[player])
    return f"player {player + 1}" if name in ("", str(player + 1), f"Player {player + 1}") else name
