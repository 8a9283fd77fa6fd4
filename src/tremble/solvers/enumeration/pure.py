"""Find all pure Nash equilibria of a tree, as pairs of pure realization plans.

A pure plan states the actions of a player at the information sets that this plan reaches. A pair (x, y) is an
equilibrium if and only if neither player has a reply that earns more. Three kinds of games are treated differently:

* *One-shot games* are tables. An equilibrium is a cell that is the greatest of its column for player 1 and of its row
  for player 2.
* *Constant sum.* The equilibria are the pairs of optimal plans. An optimal plan holds the other player down to the
  value, and it is a best reply to every optimal plan of the other player. A linear program finds one optimal plan of
  each player; actions that lose against it are excluded. The list is empty if the denominator of the value shows that
  no pair of pure plans earns it. Otherwise :mod:`.deterrents` lists both sides separately, and all pairs are
  equilibria.
* *Any sum.* The actions *on the path* are those at information sets that both players reach with positive probability.
  They decide the payoffs. With a fixed path, the rest of x only changes the payoffs of player 2's deviations, and the
  rest of y only those of player 1. So the equilibria with one path are a product again: all completions x against which
  no reply earns more than player 2 earns on the path, times all such y.

The search decides one reached information set after the other, so it visits each path once. It leaves a partial path
as soon as some deviation pays for every completion. A deviation starts at an action of a set that the path reaches, and
goes on by a fixed plan x'. One pass over the tree bounds the greatest surplus of x over x', where the rest of x and y
is chosen in favour of x. The bound respects all decisions of both players; it chooses the rest node by node, as if the
game had perfect information. Each node holds three bounds: the payoff of x if only x reaches it (H), minus the payoff
of x' if only x' does (L), and the difference if both do (B). Where x and x' choose the same action, the difference
cancels. So a bad choice in one corner of the game ends the search there, whatever the other corners hold. The
deviations come from paths that no completion deters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.normal_form import is_one_shot
from tremble.game.protocol import CHANCE
from tremble.game.recall import last_sequence
from tremble.game.sequence_form import SequenceForm, chance_reach
from tremble.game.sequences import Sequences
from tremble.game.strategy import RealizationPlan
from tremble.game.tree import GameTree
from tremble.integers import INT64_SAFE, exact_product, largest
from tremble.pairs import pair
from tremble.solvers.enumeration.deterrents import Deterrents

__all__ = ["pure_equilibria"]

_MOST_DEVIATIONS = 64  # stored for each player
_MOST_ENTRIES = 10_000_000  # limit for the tables of the stored deviations

Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""For both players: one bool for each sequence, bool[S_i]."""


def pure_equilibria(
    tree: GameTree, optimal: Callable[[], tuple[RealizationPlan, RealizationPlan]], check: Callable[[], None]
) -> Iterator[Masks]:
    """Generate the sequences that each equilibrium plays, each equilibrium once.

    Parameters
    ----------
    tree : GameTree
        With perfect recall.
    optimal : callable
        Returns optimal plans of both players; called if the payoffs have a constant sum.
    """
    if is_one_shot(tree):
        return _of_table(tree)
    form = SequenceForm.of(tree)
    sides = Deterrents(form, 0, check), Deterrents(form, 1, check)
    if tree.constant_sum is not None:
        return _of_constant_sum(form, sides, optimal())
    return _of_paths(_Paths.of(tree, form), sides, check)


def _of_table(tree: GameTree) -> Iterator[Masks]:
    shape = len(tree.actions[0][0]), len(tree.actions[1][0])
    payoff = tree.payoff.reshape(*shape, 2)
    best = [payoff[..., k] == payoff[..., k].max(axis=k, keepdims=True) for k in (0, 1)]
    for cell in np.argwhere(best[0] & best[1]).tolist():
        plans = pair(np.zeros(actions + 1, dtype=np.bool_) for actions in shape)
        for plan, action in zip(plans, cell, strict=True):
            plan[[0, action + 1]] = True
        yield plans


def _of_constant_sum(
    form: SequenceForm, sides: tuple[Deterrents, Deterrents], optimal: tuple[RealizationPlan, RealizationPlan]
) -> Iterator[Masks]:
    allowed, value = [], []
    for player in (0, 1):
        side, against = form.side(player), optimal[1 - player]
        worth = side.best_values(side.gains(against.weight).tolist())
        best = [max(worth[first:end]) for _, first, end in side.steps()]
        allowed.append(np.array([True, *(worth[q] == best[k] for q, k in enumerate(side.set_of[1:].tolist(), 1))]))
        value.append(Fraction(worth[0], against.denominator or 1))  # in units of the form's payoffs
    if value[0].denominator > 1:
        return iter(())  # pure plans earn integers
    return _products(*(side.below(allowed[i], value[1 - i]) for i, side in enumerate(sides)))


def _of_paths(paths: _Paths, sides: tuple[Deterrents, Deterrents], check: Callable[[], None]) -> Iterator[Masks]:
    everything = pair(np.ones(count, dtype=np.bool_) for count in paths.form.num_sequences)
    todo = [everything]
    while todo:
        check()
        allowed = todo.pop()
        if paths.refuted(allowed):
            continue
        sure = pair(_sure(own, allowed[own.player]) for own in paths.form.sequences)
        reached = paths.reached(sure)
        undecided = paths.first_open(allowed, sure, reached)
        if undecided is not None:
            player, options = undecided
            for chosen in reversed(options):
                narrower = allowed[player].copy()
                narrower[options] = False
                narrower[chosen] = True
                todo.append((narrower, allowed[1]) if player == 0 else (allowed[0], narrower))
            continue
        earned = paths.earned(reached)
        found = False
        for found_pair in _products(*(side.below(allowed[i], earned[1 - i]) for i, side in enumerate(sides))):
            found = True
            yield found_pair
        if not found:
            for player in (0, 1):
                for reply, _, _ in sides[1 - player].cuts[:1]:
                    paths.learn(player, reply, sure, allowed)


def _products(first: Iterator[NDArray[np.bool_]], second: Iterator[NDArray[np.bool_]]) -> Iterator[Masks]:
    """Generate all pairs; start the first iterator only if the second one is not empty."""
    known = list(islice(second, 1))
    if not known:
        return
    for x in first:
        for y in known:
            yield x, y
        for y in second:  # exhausted beside the first x; later ones use the list
            known.append(y)
            yield x, y


def _sure(own: Sequences, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the sequences that every plan of a domain plays, bool[S]."""
    options = np.bincount(own.set_of[1:], allowed[1:], minlength=own.num_infosets)
    return own.weights(allowed & np.concatenate(([True], options[own.set_of[1:]] == 1)))


# -- paths -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Deviation:
    """A fixed plan of a player from one information set on; elsewhere the player's plan does not change."""

    follows: NDArray[np.bool_]  # [N]: moves that the deviation makes at the sets that it decides
    free: NDArray[np.bool_]  # [N]: moves of the player at sets that the deviation leaves unchanged


@dataclass(frozen=True, eq=False)
class _Paths:
    """A tree, with the deviations that have excluded partial paths.

    Shapes: N nodes, L leaves. A move has the number of the node to which it leads.
    """

    tree: GameTree
    form: SequenceForm
    mover: NDArray[np.int64]  # [N]: the player who makes the move; -2 for the root
    sequence: NDArray[np.int64]  # [N]: the mover's sequence that ends with the move
    possible: NDArray[np.bool_]  # [N]: moves of players, and moves of chance with a positive probability
    earns: tuple[NDArray[Any], NDArray[Any]]  # [L]: payoffs of both players times the probability of chance
    levels: tuple[tuple[slice, NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]], ...]
    deviations: tuple[list[_Deviation], list[_Deviation]] = field(default_factory=lambda: ([], []))

    @classmethod
    def of(cls, tree: GameTree, form: SequenceForm) -> _Paths:
        above = tree.parent[1:]
        mover = np.concatenate(([-2], tree.player[above])).astype(np.int64)
        at = last_sequence(tree, 0), last_sequence(tree, 1)
        sequence = np.where(mover == 1, at[1], np.where(mover == 0, at[0], 0))
        possible = np.ones(tree.num_nodes, dtype=np.bool_)
        for node in np.flatnonzero(mover == CHANCE).tolist():
            table = tree.chance_tables[tree.infoset[tree.parent[node]]]
            possible[node] = table.probabilities[tree.action[node]] > 0
        earns = pair(exact_product(chance_reach(tree).numerator, tree.payoff[:, player]) for player in (0, 1))
        # Bounds sum all payoffs up to twice, and excluded moves lie below that sum.
        if 8 * tree.num_nodes * max(map(largest, earns)) >= INT64_SAFE:
            earns = pair(side.astype(object) for side in earns)
        levels = []  # from the leaves up: moves, first move of each node, its group, the nodes, their movers
        for first, end in zip(tree.level[-2:0:-1].tolist(), tree.level[:1:-1].tolist(), strict=True):
            moves = slice(first, end)
            opens = tree.action[moves] == 0
            begin = np.flatnonzero(opens)
            levels.append((moves, begin, np.cumsum(opens) - 1, tree.parent[moves][begin], mover[moves][begin]))
        return cls(tree, form, mover, sequence, possible, earns, tuple(levels))

    def _of_moves(self, masks: Masks, chance: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the bool of each move: that of its player's sequence, or that of the move of chance, bool[N]."""
        by_player = [masks[i][np.where(self.mover == i, self.sequence, 0)] for i in (0, 1)]
        return np.where(self.mover == 0, by_player[0], np.where(self.mover == 1, by_player[1], chance))

    def reached(self, sure: Masks) -> NDArray[np.bool_]:
        """Mark the nodes that are reached with a positive probability, bool[N]."""
        reached = self._of_moves(sure, self.possible)
        for first, end in pairwise(self.tree.level[1:].tolist()):
            reached[first:end] &= reached[self.tree.parent[first:end]]
        return reached

    def first_open(self, allowed: Masks, sure: Masks, reached: NDArray[np.bool_]) -> tuple[int, list[int]] | None:
        """Return the deepest set that is reached and undecided: its player and its allowed sequences."""
        tree, last = self.tree, 0
        for player, own in enumerate(self.form.sequences):
            undecided = np.ones(own.num_infosets + 1, dtype=np.bool_)  # the last entry serves other nodes
            undecided[own.set_of[sure[player]]] = False
            undecided[-1] = False
            here = reached & (tree.player == player) & undecided[np.where(tree.player == player, tree.infoset, -1)]
            last = max(last, int(np.flatnonzero(here)[-1]) + 1 if here.any() else 0)
        if not last:
            return None
        player, k = int(tree.player[last - 1]), int(tree.infoset[last - 1])
        return player, [q for q in self.form.sequences[player].sequences(k) if allowed[player][q]]

    def earned(self, reached: NDArray[np.bool_]) -> tuple[int, int]:
        """Return the payoffs of both players on a decided path, in units of the form's payoffs."""
        return pair(int(side[reached[self.tree.leaves]].sum()) for side in self.earns)

    # -- deviations ----------------------------------------------------------------------------------

    def refuted(self, allowed: Masks) -> bool:
        """Return True if a known deviation pays for all plans in the domains of both players."""
        for player, known in enumerate(self.deviations):
            pays = np.flatnonzero(self._surplus(player, allowed, known) < 0).tolist() if known else []
            if pays:
                known.append(known.pop(pays[0]))  # the list drops its first entries, so recently useful ones stay
                return True
        return False

    def learn(self, player: int, reply: NDArray[np.bool_], sure: Masks, allowed: Masks) -> None:
        """Record the deviations of a reply from the decided actions that pay for all completions."""
        own = self.form.sequences[player]
        agrees, found = np.zeros(own.num_sequences, dtype=np.bool_), []
        agrees[0] = True
        for before, first, end in own.steps():
            if agrees[before] and sure[player][first:end].any():
                agrees[first:end] = sure[player][first:end] & reply[first:end]
                if not agrees[first:end].any():
                    found.append(self._deviation(player, first + int(np.argmax(reply[first:end])), reply))
        known = self.deviations[player]
        if found:
            pays = np.flatnonzero(self._surplus(player, allowed, found) < 0).tolist()
            known += [found[k] for k in pays]
            most = max(4, min(_MOST_DEVIATIONS, _MOST_ENTRIES // self.tree.num_nodes))
            del known[: max(0, len(known) - most)]

    def _deviation(self, player: int, begin: int, reply: NDArray[np.bool_]) -> _Deviation:
        """Return the deviation that plays a sequence and goes on as the reply does."""
        own = self.form.sequences[player]
        after = np.zeros(own.num_sequences, dtype=np.bool_)
        after[begin] = True
        decides = np.zeros(own.num_infosets, dtype=np.bool_)
        decides[own.set_of[begin]] = True
        for k, (before, first, end) in enumerate(own.steps()):
            if after[before]:
                decides[k] = True
                after[first:end] = reply[first:end]
        moves = self.mover == player
        sequence = self.sequence * moves
        at_decided = moves & decides[own.set_of[sequence]]
        return _Deviation(at_decided & after[sequence], moves & ~at_decided)

    def _surplus(self, player: int, allowed: Masks, deviations: list[_Deviation]) -> NDArray[Any]:
        """Bound the player's greatest surplus over each deviation, for all completions of the domains: [C]."""
        tree, earns, count = self.tree, self.earns[player], len(deviations)
        dead = -1 - 2 * int(np.abs(earns).sum())
        follows = np.array([each.follows for each in deviations])
        alike = np.array([each.follows | each.free for each in deviations]) | (self.mover != player)
        ok = self._of_moves(allowed, np.ones(tree.num_nodes, dtype=np.bool_))
        bounds = np.zeros((1 + 2 * count, tree.num_nodes), dtype=earns.dtype)
        alone, against, both = bounds[:1], bounds[1 : 1 + count], bounds[1 + count :]  # H, L and B
        alone[:, tree.leaves], against[:, tree.leaves] = earns, -earns
        for at, begin, group, above, mover in self.levels:
            replied = np.add.reduceat(np.where(follows[:, at], against[:, at], 0), begin, axis=1)
            both[:, at] = np.where(alike[:, at], both[:, at], alone[:, at] + replied[:, group])
            best = np.maximum.reduceat(np.where(ok[at], bounds[:, at], dead), begin, axis=1)
            chance = mover == CHANCE
            if chance.any():
                best = np.where(chance, np.add.reduceat(bounds[:, at], begin, axis=1), best)
            bounds[:, above] = best
            against[:, above] = np.where(mover == player, replied, against[:, above])
        return both[:, 0]
