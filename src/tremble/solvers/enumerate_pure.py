r"""Find all pure Nash equilibria of a tree as pairs of plans, and all complete pure profiles that are subgame perfect.

*Pure Nash equilibria* are listed as pairs of pure realization plans. A pure plan contains an action of the player for
each information set that this plan reaches. A pair (x, y) is an equilibrium if and only if neither player has a reply
that earns more. The search treats three kinds of games differently:

* *One-shot games* are tables. An equilibrium is a cell in which player 1's payoff is the greatest of its column and
  player 2's payoff is the greatest of its row.
* *Constant sum.* The equilibria are the pairs of optimal plans. Against an optimal plan, the other player earns at most
  the value. An optimal plan is also a best reply to every optimal plan of the other player. So a linear program finds
  one optimal plan of each player, and the search excludes actions that lose against the other player's optimal plan.
  The list is empty if the denominator of the value shows that no pair of pure plans earns the value. Otherwise the
  search lists the deterrents of each player separately, and all pairs are equilibria.
* *Any sum.* The actions *on the path* are the actions at information sets that both players reach with positive
  probability. These actions decide the payoffs. If the path is fixed, the rest of x only changes the payoffs of player
  2's deviations, and the rest of y only changes the payoffs of player 1's deviations. So the equilibria with a given
  path are all pairs from two lists. One list has all x against which no reply earns more than player 2 earns on the
  path. The other list has all y against which no reply earns more than player 1 earns on the path.

*Paths.* The search decides one reached information set after the other, so it visits each path once. It leaves a
partial path as soon as some deviation pays against every completion. A deviation starts with an action at an
information set that the path reaches, and continues with a fixed plan x'. The surplus is the payoff
of x minus the payoff of x'. One pass over the tree bounds the surplus from above. It keeps all decided actions, and
chooses every other action in favor of x, as if the game had perfect information. Each node has three bounds:

* H, the payoff of x, if only x reaches the node;
* L, minus the payoff of x', if only x' reaches the node;
* B, the difference of the payoffs, if both reach the node.

If x and x' choose the same actions in one part of the game, this part adds 0 to the surplus. So a bad choice in another
part suffices to leave the partial path. Deviations that exclude one path are also tried on later paths.

*Deterrents* are the pure plans of a player against which the other player earns at most a bound. A *domain* allows at
least one action at each information set. Let U be the payoffs of the other player and b the bound. The search lists all
pure plans x of a domain with :math:`\max_y x^T U y \le b`. It branches over the actions of one information set at a
time. This is the set at which the plans from fictitious play (see *Cuts*) differ most. Mixtures of these plans keep the
other player's payoff low. A fixed action at this set usually raises this payoff, so that a cut can exclude the branch.
If only one plan is left, a best reply to this plan decides.

*Cuts* exclude domains early. For a fixed reply y, :math:`x^T U y` is linear in x. A backward loop over the information
sets computes the least value over the domain. If this value exceeds b, the domain has no deterrent. In the same way, a
sum of k replies excludes the domain if the least value exceeds k b. If no known cut excludes the domain, fictitious
play searches for new cuts. It alternates between the best reply to the last plan, and the plan of the domain that is
best against the sum of all replies so far. In the long run these sums exclude every domain that a mixture of replies
excludes. A few rounds exclude most domains early.

*Subgame perfect profiles* have an action at every information set. A *subgame* begins at a node if every information
set has all or none of its nodes at or below the node. Every chance move before the node must have a positive
probability. The *cut subgame* ends at the nodes where smaller subgames begin. These nodes become leaves with the
payoffs of the profile in the smaller subgame.

The search visits the subgames from the last subgame to the whole game. The profile is already chosen in all smaller
subgames, so the payoffs of the cut subgame are known. The search branches over all pure Nash equilibria of the cut
subgame. A branch consists of a pair of pure plans, and a choice at each information set that the player's own plan
never reaches. If the cut subgame has one decision node, each action that earns the mover the most is a branch.

*Why the list is complete.* Let s be a pure profile that is a Nash equilibrium of every subgame [1]_. Then s is also an
equilibrium of every cut subgame, because a gain in a cut subgame is a gain in the subgame if play after the cut follows
s. So at every step, one of the branches has the choices of s in the cut subgame, and the search reaches s. Each branch
decides only the information sets of its cut subgame, and the branches of a step differ. So no profile appears twice.

*Why each member is correct.* Suppose that the profile is a Nash equilibrium of every cut subgame. By induction, from
the smallest subgame up, no deviation pays in any subgame, because a deviation inside a smaller subgame earns no more
than the leaf that replaces this subgame. The checker also proves each member.

*Dead ends.* A cut subgame may have no pure equilibrium. The search then tries other branches of the smaller subgames
inside it. If all of these branches fail, the subgame has no pure equilibrium, and the list is empty.

References
----------
.. [1] R. Selten: Reexamination of the perfectness concept for equilibrium points in extensive games, International
   Journal of Game Theory 4, 1975.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import islice, pairwise, product
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tremble.game.normal_form import is_one_shot
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.requirements import last_sequence
from tremble.game.sequence_form import SequenceForm, Sequences, chance_reach
from tremble.game.strategy import RealizationPlan
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.game.tree_builder import TreeBuilder
from tremble.integers import INT64_SAFE, exact_product, largest, safe_to_add

__all__ = ["Choices", "complete_equilibria", "complete_subgame_perfect", "pure_equilibria", "reached_subgames"]

_ROUNDS = 12  # rounds of fictitious play in one domain
_MOST_CUTS = 24  # cuts that are stored for later domains; cuts that excluded a domain recently are first
_MOST_DEVIATIONS = 64  # deviations that are stored for each player
_MOST_ENTRIES = 10_000_000  # greatest size of the tables of the stored deviations
_MOST_FAILURES = 100_000  # a cut subgame stores at most this many payoffs without an equilibrium


Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""A pair of masks over the sequences of each player, bool[S_i]."""


Choices = tuple[list[int], list[int]]
"""The actions of players 1 and 2 at each of their information sets."""


Optimal = Callable[[GameTree], tuple[RealizationPlan, RealizationPlan]]
"""A function that returns optimal plans of both players in a game with a constant sum."""


_Earned = tuple[Fraction, Fraction]


_Move = tuple[int, int, int]
"""A player, an information set and an action."""


_Branch = tuple[list[_Move], _Earned]
"""An equilibrium of a cut subgame, and the payoffs of both players in the cut subgame."""


def pure_equilibria(
    tree: GameTree, optimal: Callable[[], tuple[RealizationPlan, RealizationPlan]], check: Callable[[], None]
) -> Iterator[Masks]:
    """Generate all pure equilibria, each once, as masks of the sequences that they play.

    Parameters
    ----------
    tree : GameTree
        A tree with perfect recall.
    optimal : callable
        Function that returns optimal plans of both players. It is called only if the payoffs have a constant sum.
    """
    if is_one_shot(tree):
        return _table_equilibria(tree)
    form = SequenceForm.of(tree)
    sides = Deterrents(form, 0, check), Deterrents(form, 1, check)
    if tree.constant_sum is not None:
        return _constant_sum_equilibria(form, sides, optimal())
    return _path_equilibria(_Paths.of(tree, form), sides, check)


def _table_equilibria(tree: GameTree) -> Iterator[Masks]:
    shape = len(tree.actions[0][0]), len(tree.actions[1][0])
    payoff = tree.payoff.reshape(*shape, 2)
    best = [payoff[..., k] == payoff[..., k].max(axis=k, keepdims=True) for k in (0, 1)]
    for cell in np.argwhere(best[0] & best[1]).tolist():
        plans = pair(np.zeros(actions + 1, dtype=np.bool_) for actions in shape)
        for plan, action in zip(plans, cell, strict=True):
            plan[[0, action + 1]] = True
        yield plans


def _constant_sum_equilibria(
    form: SequenceForm, sides: tuple[Deterrents, Deterrents], optimal: tuple[RealizationPlan, RealizationPlan]
) -> Iterator[Masks]:
    allowed, value = [], []
    for player in (0, 1):
        side, against = form.side(player), optimal[1 - player]
        worth = side.best_values(side.gains(against.weight).tolist())
        best = [max(worth[first:end]) for _, first, end in side.steps()]
        allowed.append(np.array([True, *(worth[q] == best[k] for q, k in enumerate(side.set_of[1:].tolist(), 1))]))
        value.append(Fraction(worth[0], against.denominator or 1))  # in the payoff units of the sequence form
    if value[0].denominator > 1:
        return iter(())  # in these units, pure plans earn integers
    return _products(*(side.below(allowed[i], value[1 - i]) for i, side in enumerate(sides)))


def _path_equilibria(paths: _Paths, sides: tuple[Deterrents, Deterrents], check: Callable[[], None]) -> Iterator[Masks]:
    everything = pair(np.ones(count, dtype=np.bool_) for count in paths.form.num_sequences)
    todo = [everything]
    while todo:
        check()
        allowed = todo.pop()
        if paths.refuted(allowed):
            continue
        sure = pair(_decided(own, allowed[own.player]) for own in paths.form.sequences)
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
    """Yield every pair (x, y) of items of the two iterators. Start ``first`` only if ``second`` is not empty."""
    known = list(islice(second, 1))
    if not known:
        return
    for x in first:
        for y in known:
            yield x, y
        for y in second:  # the first x exhausts this iterator; every later x uses the list
            known.append(y)
            yield x, y


def _decided(own: Sequences, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask, bool[S], of the sequences that belong to every plan in the domain ``allowed``."""
    options = np.bincount(own.set_of[1:], allowed[1:], minlength=own.num_infosets)
    return own.weights(allowed & np.concatenate(([True], options[own.set_of[1:]] == 1)))


# -- paths -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Deviation:
    """A deviation from a plan x: a fixed plan replaces x from one information set on. At other sets, x is unchanged."""

    follows: NDArray[np.bool_]  # [N]: moves that the deviation makes at the sets that it decides
    free: NDArray[np.bool_]  # [N]: moves of the player at the sets that the deviation does not decide


@dataclass(frozen=True, eq=False)
class _Paths:
    """A tree, and the deviations found so far. A path on which a deviation gains cannot be part of an equilibrium.

    Shapes: N nodes, L leaves. The index of a move is the index of the node after the move.
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
        # A bound may contain the sum of all payoffs twice, and the value of excluded moves is below that sum.
        if 8 * tree.num_nodes * max(map(largest, earns)) >= INT64_SAFE:
            earns = pair(side.astype(object) for side in earns)
        # For each level from the leaves up: moves, first move of each node, node number of each move, nodes and movers.
        levels = []
        for first, end in zip(tree.level[-2:0:-1].tolist(), tree.level[:1:-1].tolist(), strict=True):
            moves = slice(first, end)
            opens = tree.action[moves] == 0
            begin = np.flatnonzero(opens)
            levels.append((moves, begin, np.cumsum(opens) - 1, tree.parent[moves][begin], mover[moves][begin]))
        return cls(tree, form, mover, sequence, possible, earns, tuple(levels))

    def _of_moves(self, masks: Masks, chance: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask, bool[N], that combines ``masks`` for the players' moves and ``chance`` for moves of chance."""
        by_player = [masks[i][np.where(self.mover == i, self.sequence, 0)] for i in (0, 1)]
        return np.where(self.mover == 0, by_player[0], np.where(self.mover == 1, by_player[1], chance))

    def reached(self, sure: Masks) -> NDArray[np.bool_]:
        """Return a mask, bool[N]: True if every move on the path to the node is in ``sure`` or possible for chance."""
        reached = self._of_moves(sure, self.possible)
        for first, end in pairwise(self.tree.level[1:].tolist()):
            reached[first:end] &= reached[self.tree.parent[first:end]]
        return reached

    def first_open(self, allowed: Masks, sure: Masks, reached: NDArray[np.bool_]) -> tuple[int, list[int]] | None:
        """Find the deepest reached set where no sequence is sure. Return its player and allowed sequences, or None."""
        tree, last = self.tree, 0
        for player, own in enumerate(self.form.sequences):
            undecided = np.ones(own.num_infosets + 1, dtype=np.bool_)  # the last entry is for other nodes
            undecided[own.set_of[sure[player]]] = False
            undecided[-1] = False
            here = reached & (tree.player == player) & undecided[np.where(tree.player == player, tree.infoset, -1)]
            last = max(last, int(np.flatnonzero(here)[-1]) + 1 if here.any() else 0)
        if not last:
            return None
        player, k = int(tree.player[last - 1]), int(tree.infoset[last - 1])
        return player, [q for q in self.form.sequences[player].sequences(k) if allowed[player][q]]

    def earned(self, reached: NDArray[np.bool_]) -> tuple[int, int]:
        """Return the payoffs of both players from the reached leaves, in the payoff units of the sequence form."""
        return pair(int(side[reached[self.tree.leaves]].sum()) for side in self.earns)

    # -- deviations ----------------------------------------------------------------------------------

    def refuted(self, allowed: Masks) -> bool:
        """Return True if one and the same recorded deviation pays in every pair of plans that ``allowed`` permits."""
        for player, known in enumerate(self.deviations):
            pays = np.flatnonzero(self._surplus(player, allowed, known) < 0).tolist() if known else []
            if pays:
                known.append(known.pop(pays[0]))  # the list drops its first entries, so recently useful entries remain
                return True
        return False

    def learn(self, player: int, reply: NDArray[np.bool_], sure: Masks, allowed: Masks) -> None:
        """Record each deviation from a decided action to ``reply`` that pays for any choice of undecided actions."""
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
        """Return the deviation that plays the sequence ``begin`` and then continues like ``reply``."""
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
        """Return, for each deviation, an upper bound on its loss if both players use only ``allowed`` sequences."""
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


# -- deterrents --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Deterrents:
    """A search for *deterrents*: plans against which the other player earns at most a bound.

    Examples
    --------
    In matching pennies, a best reply to any pure plan earns 1:

    >>> import tremble
    >>> form = SequenceForm.of(tremble.load("matching_pennies"))
    >>> all_plans = Deterrents(form, 0, lambda: None)
    >>> [len(list(all_plans.below(np.ones(3, dtype=bool), bound))) for bound in (0, 1)]
    [0, 2]
    """

    form: SequenceForm
    player: int
    check: Callable[[], None]
    cuts: list[tuple[NDArray[np.bool_], list[int], int]] = field(default_factory=list)
    """For each cut: the last reply, the losses of all sequences against a sum of replies, and the number of replies."""

    def below(self, allowed: NDArray[np.bool_], bound: Fraction | int) -> Iterator[NDArray[np.bool_]]:
        """Yield the plans in ``allowed``, bool[S], against which the other player earns at most ``bound`` units."""
        steps = self.form.sequences[self.player].steps()
        todo = [allowed.tolist()]
        while todo:
            self.check()
            domain = todo.pop()
            tried = self._passing(steps, domain, bound)
            if not tried:
                continue
            options, plan = _open(steps, domain, tried), tried[-1]
            if not options:
                yield np.array(plan, dtype=np.bool_)
            for chosen in reversed(options):
                narrower = domain.copy()
                for q in options:
                    narrower[q] = q == chosen
                todo.append(narrower)

    def _passing(
        self, steps: Sequence[tuple[int, int, int]], domain: list[bool], bound: Fraction | int
    ) -> list[list[bool]]:
        """Return the plans in ``domain`` that fictitious play tried, or no plans if a cut excludes the whole domain."""
        # Try the known cuts. Fictitious play starts with the best plan against the strongest cut.
        plan, most = None, Fraction(0)
        for k, (_, coefficients, count) in enumerate(self.cuts):
            least, kept = least_of(steps, coefficients, domain)
            if least > count * bound:
                self.cuts.insert(0, self.cuts.pop(k))
                return []
            if plan is None or Fraction(least, count) > most:
                plan, most = kept, Fraction(least, count)
        if plan is None:
            plan = least_of(steps, [0] * len(domain), domain)[1]
        # Play until a deterrent or a cut is found, or until the greatest number of rounds.
        threat = self.form.side(1 - self.player)
        total, tried = [0] * len(domain), [plan]
        for count in range(1, _ROUNDS + 1):
            losses = [-gain for gain in threat.gains(np.array(plan, dtype=np.int64)).tolist()]
            lost, reply = least_of(threat.steps(), losses, [True] * threat.num_sequences)
            if -lost <= bound:
                return tried
            played = np.array(reply, dtype=np.bool_)
            pays = safe_to_add(exact_product(threat.payoff, played[threat.row].astype(np.int64)))
            earned = np.zeros(len(domain), dtype=pays.dtype)
            np.add.at(earned, threat.opponent, pays)
            total = [before + more for before, more in zip(total, earned.tolist(), strict=True)]
            least, plan = least_of(steps, total, domain)
            tried.append(plan)
            if least > count * bound:
                break
        self.cuts.insert(0, (played, total, count))
        del self.cuts[_MOST_CUTS:]
        return [] if least > count * bound else tried


def least_of(
    steps: Sequence[tuple[int, int, int]], amount: Sequence[int], domain: Sequence[bool]
) -> tuple[int, list[bool]]:
    """Find the pure plan in ``domain`` whose sequences have the least sum of ``amount``; return the sum and plan."""
    worth, chosen = list(amount), [0] * len(steps)
    for k in range(len(steps) - 1, -1, -1):
        before, first, end = steps[k]
        chosen[k] = min((q for q in range(first, end) if domain[q]), key=worth.__getitem__)
        worth[before] += worth[chosen[k]]
    plan = [False] * len(worth)
    plan[0] = True
    for (before, _, _), q in zip(steps, chosen, strict=True):
        plan[q] = plan[before]
    return worth[0], plan


def _open(steps: Sequence[tuple[int, int, int]], domain: Sequence[bool], tried: Sequence[Sequence[bool]]) -> list[int]:
    """Find the set that every plan reaches and where ``tried`` plans differ most. Return its allowed sequences."""
    sure, found, most = [False] * len(domain), list[int](), -1
    sure[0] = True
    for before, first, end in steps:
        if sure[before]:
            options = [q for q in range(first, end) if domain[q]]
            if len(options) == 1:
                sure[options[0]] = True
            elif (differ := len(tried) - max(sum(plan[q] for plan in tried) for q in options)) > most:
                found, most = options, differ
    return found


# -- subgame perfect profiles ------------------------------------------------------------------------


def complete_subgame_perfect(tree: GameTree, optimal: Optimal, check: Callable[[], None]) -> Iterator[Choices]:
    """Generate each pure profile that is a Nash equilibrium of every subgame, exactly once.

    Parameters
    ----------
    tree : GameTree
        A tree with perfect recall.
    optimal : callable
        Function that returns optimal plans for a constant-sum subgame in which leaves replace the smaller subgames.
    check : callable
        Function that is called often. It may raise an exception to stop.

    Examples
    --------
    The second mover is indifferent, so each of its choices is part of an equilibrium:

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
    """Generate all pure Nash equilibria. Each equilibrium has an action at every information set, reached or not."""
    whole = np.zeros(tree.num_nodes, dtype=np.bool_)
    whole[0] = tree.player[0] != TERMINAL
    return _search(tree, whole, optimal, check)


def reached_subgames(tree: GameTree) -> NDArray[np.bool_]:
    """Return a mask of nodes, bool[N]: True for roots of subgames, except after chance moves of probability 0."""
    order, parent = tree.in_preorder.tolist(), tree.parent.tolist()
    # Find the last position of each node's descendants in preorder.
    last = tree.preorder.tolist()
    for node in reversed(order[1:]):
        last[parent[node]] = max(last[parent[node]], last[node])
    # Find the first and last positions of the nodes of each information set.
    sets: dict[tuple[int, int], tuple[int, int]] = {}
    for position, node in enumerate(order):
        key = int(tree.player[node]), int(tree.infoset[node])
        sets[key] = (sets.get(key, (position, position))[0], position)
    # Find the range of positions of all information sets at and below each node.
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
    """Return a mask, bool[N], of the nodes that chance can reach."""
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
    """Yield all pure profiles that are equilibria of every subgame. Each subgame ends where a smaller one begins."""
    choices: Choices = [0] * tree.num_infosets[0], [0] * tree.num_infosets[1]
    subgames = _cut_subgames(tree, begins)
    if not subgames:
        yield choices
        return
    # For each subgame, find the first subgame in the order that lies inside it. It may be the subgame itself.
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
                return  # the first unsolved subgame has no pure equilibrium, because all branches inside were tried
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
    """List the subgames, each cut at its inner subgames, in reverse preorder of roots. Inner subgames come first."""
    nodes: dict[int, list[int]] = {}
    smaller: dict[int, list[int]] = {}
    root = np.zeros(tree.num_nodes, dtype=np.int64)  # [N]: root of the cut subgame that contains the node
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
    """A subgame that is cut off at the roots of the smaller subgames in it. These roots are its leaves."""

    tree: GameTree
    root: int
    nodes: list[int]  # in preorder, with the roots of smaller subgames as leaves
    smaller: list[int]  # the roots of smaller subgames
    failed: set[tuple[_Earned, ...]] = field(default_factory=set)  # payoffs of `smaller` that allow no equilibrium

    def branches(self, earned: Mapping[int, _Earned], optimal: Optimal, check: Callable[[], None]) -> Iterator[_Branch]:
        """Generate the pure equilibria of this subgame. The smaller subgames are leaves with the payoffs ``earned``."""
        paid = tuple(earned[node] for node in self.smaller)
        if paid in self.failed:
            return
        pays = dict(zip(self.smaller, paid, strict=True))
        inner = [node for node in self.nodes if node not in pays and self.tree.player[node] != TERMINAL]
        found = False
        equilibria = self._one_move(pays) if len(inner) == 1 else self._many_moves(inner, pays, optimal, check)
        for moves in equilibria:
            found = True
            yield moves, self._earned(moves, pays)
        if not found and len(self.failed) < _MOST_FAILURES:
            self.failed.add(paid)

    def _one_move(self, pays: Mapping[int, _Earned]) -> Iterator[list[_Move]]:
        """Generate, for each best action of the mover, the list [move]. If chance moves, generate one empty list."""
        player, infoset = int(self.tree.player[self.root]), int(self.tree.infoset[self.root])
        if player == CHANCE:
            yield []
            return
        worth = [self._paid(node, pays)[player] for node in self.tree.children(self.root)]
        for action, value in enumerate(worth):
            if value == max(worth):
                yield [(player, infoset, action)]

    def _many_moves(
        self, inner: Sequence[int], pays: Mapping[int, _Earned], optimal: Optimal, check: Callable[[], None]
    ) -> Iterator[list[_Move]]:
        """Generate all pure equilibria of the cut subgame, with any move at sets that the mover's own plan excludes."""
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
        """Return the subgame as a tree, cut at the nodes in ``pays``, and the indices of its sets in the whole game."""
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
        """Return both players' payoffs at ``node``: ``pays[node]`` if it exists, otherwise the payoffs of this leaf."""
        if node in pays:
            return pays[node]
        one, two = self.tree.payoff_at(int(self.tree.infoset[node]))
        return Fraction(one), Fraction(two)

    def _earned(self, moves: Sequence[_Move], pays: Mapping[int, _Earned]) -> _Earned:
        """Return both players' expected payoffs if they play ``moves`` and the smaller subgames pay ``pays``."""
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
