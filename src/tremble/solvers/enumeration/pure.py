r"""All pure Nash equilibria of a tree, as pairs of pure realization plans.

A pure plan says what a player does at the information sets that its own plan reaches. A pair (x, y) of them is an
equilibrium iff neither player's best reply earns more than the pair does. Three ways lead to all of them:

* *One-shot games* are tables: a cell that is the greatest of its column to player 1 and of its row to player 2.
* *Constant sum.* Equilibria are the pairs of optimal plans. An optimal plan holds the other player down to the value,
  and is a best reply to every optimal plan of the other: the actions that lose against one that a linear program finds
  are left out. A value that no pair of pure plans can earn, by its denominator, ends it. Else both sides are found
  apart (:mod:`.deterrents`), and every pair goes together.
* *Any sum.* What both play *on the path*, at the information sets that both let happen with positive probability,
  decides what they earn. With that fixed, what x does elsewhere changes only what player 2 could earn by deviating, and
  y only what player 1 could. So the equilibria with one path are a product again: all completions x against which no
  reply earns more than player 2 does on the path, times all such y.

Paths are found by deciding one information set that is reached after the other, each path once. A partial path is left
as soon as a deviation pays whatever the rest: from one set that the path reaches, to an action, and on by a fixed plan
x'. The most that x can gain over x', where the rest of x and y is chosen to suit x, is bounded from above in one pass
over the tree: what both have decided is respected, and the rest chosen node by node, as if nothing were hidden. Each
node holds the most that x earns there alone (H), the most of minus what x' does (L), and the most of the difference
where both come (B). Where x and x' do alike the difference cancels, so that a bad choice in one corner of the game
ends the search there, whatever the other corners hold. Deviations come from paths that no completion deters.
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

_MOST_DEVIATIONS = 64  # of each player, that partial paths are tried by
_MOST_ENTRIES = 10_000_000  # of their tables

Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""Of both players: something of each sequence, bool[S_i]."""


def pure_equilibria(
    tree: GameTree, optimal: Callable[[], tuple[RealizationPlan, RealizationPlan]], check: Callable[[], None]
) -> Iterator[Masks]:
    """The sequences that each pair plays; no pair twice.

    Parameters
    ----------
    tree : GameTree
        With perfect recall.
    optimal : callable
        Finds optimal plans of both players; asked where the payoffs have a constant sum.
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
    """All pairs; of the first side nothing is looked for where the second one is empty."""
    known = list(islice(second, 1))
    if not known:
        return
    for x in first:
        for y in known:
            yield x, y
        for y in second:  # all of them beside the first x; then there are no more
            known.append(y)
            yield x, y


def _sure(own: Sequences, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The sequences that every plan of a domain plays, bool[S]."""
    options = np.bincount(own.set_of[1:], allowed[1:], minlength=own.num_infosets)
    return own.weights(allowed & np.concatenate(([True], options[own.set_of[1:]] == 1)))


# -- paths -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Deviation:
    """From one information set on, another plan of its player; elsewhere whatever the player does."""

    follows: NDArray[np.bool_]  # [N]: own moves, to each node, that are its own
    free: NDArray[np.bool_]  # [N]: own moves at sets where it does what the player does


@dataclass(frozen=True, eq=False)
class _Paths:
    """A tree, and what is known of where its paths are left.

    Shapes: N nodes, L leaves. A move is called by the node to which it leads.
    """

    tree: GameTree
    form: SequenceForm
    mover: NDArray[np.int64]  # [N]: whose move; -2 of the root
    sequence: NDArray[np.int64]  # [N]: the mover's sequence that ends with the move
    possible: NDArray[np.bool_]  # [N]: moves of players, and those of chance that have a positive probability
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
        # Bounds add up all of it twice; what is out of the question is further down.
        if 8 * tree.num_nodes * max(map(largest, earns)) >= INT64_SAFE:
            earns = pair(side.astype(object) for side in earns)
        levels = []  # from the leaves up: the moves, where those of each node begin, whose they are, nodes, movers
        for first, end in zip(tree.level[-2:0:-1].tolist(), tree.level[:1:-1].tolist(), strict=True):
            moves = slice(first, end)
            opens = tree.action[moves] == 0
            begin = np.flatnonzero(opens)
            levels.append((moves, begin, np.cumsum(opens) - 1, tree.parent[moves][begin], mover[moves][begin]))
        return cls(tree, form, mover, sequence, possible, earns, tuple(levels))

    def _of_moves(self, masks: Masks, chance: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """What sequences of both players, and moves of chance, say of each move, bool[N]."""
        by_player = [masks[i][np.where(self.mover == i, self.sequence, 0)] for i in (0, 1)]
        return np.where(self.mover == 0, by_player[0], np.where(self.mover == 1, by_player[1], chance))

    def reached(self, sure: Masks) -> NDArray[np.bool_]:
        """The nodes where play comes with a positive probability, bool[N]."""
        reached = self._of_moves(sure, self.possible)
        for first, end in pairwise(self.tree.level[1:].tolist()):
            reached[first:end] &= reached[self.tree.parent[first:end]]
        return reached

    def first_open(self, allowed: Masks, sure: Masks, reached: NDArray[np.bool_]) -> tuple[int, list[int]] | None:
        """The deepest set that is reached and not decided: its player, and the sequences that are allowed."""
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
        """What both players earn on a path that is decided, in units of the form's payoffs."""
        return pair(int(side[reached[self.tree.leaves]].sum()) for side in self.earns)

    # -- where they are left -------------------------------------------------------------------------

    def refuted(self, allowed: Masks) -> bool:
        """Whether a deviation pays whatever both players do within their domains."""
        for player, known in enumerate(self.deviations):
            pays = np.flatnonzero(self._surplus(player, allowed, known) < 0).tolist() if known else []
            if pays:
                known.append(known.pop(pays[0]))  # those of use lately stay
                return True
        return False

    def learn(self, player: int, reply: NDArray[np.bool_], sure: Masks, allowed: Masks) -> None:
        """Take over where a reply leaves what the player surely does, and pays whatever the rest."""
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
        """To play a sequence, and to go on as the reply does."""
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
        """A bound on what the player gains over each deviation, if all that is not decided is chosen for that: [C]."""
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
