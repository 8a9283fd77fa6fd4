r"""Lifting of equilibria from a filtered game to the original game: every hand plays as its class does.

Let :math:`x_{(v,s)} = X_{(C,s)}` for every hand v of class C and every sequence s of the player's own moves. Let the
classes be *equitable*. That means: all hands v of a class have equal total weight of deals with each class D of the
opponent, payoff by payoff, and equally many children of each class in the next round. Let y be a plan of the opponent
that is lifted too; its weights are numbers or polynomials in an infinitesimal. The most that hand v can earn after its
sequence s is

.. math::

   u_{(v,s)} = \sum_{\text{leaves } (o, t)} c_{vo}\, u_{st}(v, o)\, y_{(o,t)}
               + \sum_{I' \text{ after } (v,s)} \max_{s'} u_{(I',s')},

where c is the chance of a deal. By induction from the last round, this value is the same for all hands of a class: in
the first sum the opponent's hands o are grouped by class and payoff, in the second the children of v by class. As the
filtered game adds up the deals of a pair of classes,

.. math::  U_{(C,s)} = \sum_{v \in C} u_{(v,s)} = |C|\, u_{(v,s)} .

So at every information set, reached or not, the same actions are best in both games, at every degree of the polynomials
(:math:`|C|` is a positive number). This gives, for each concept:

* **Nash**: best responses earn :math:`\sum_C \sum_{v \in C} u_v = \sum_C U_C`, as much as the profile earns.
* **quasi-perfect**: the certificate states perturbed plans :math:`X(\epsilon), Y(\epsilon)`. The checker
  (:mod:`tremble.check.quasi_perfect`) makes four checks. (1) They are plans. (2) Every sequence has at least the
  weight of its tremble: the product of the weights of its moves, times :math:`\epsilon` to their number. (3) Every
  sequence with more weight than its tremble is a best response to the opponent's perturbed plan. (4) The stated
  strategies are the limits of the plans. Checks 1, 2 and 4 involve only the moves of one hand. So they hold if each
  hand has the polynomials and the weights of its class. Check 3 holds because the same actions are best in both games.
  Hence the columns of the lifted certificate are columns of the given certificate.
* **sequential**: the plans are lifted in the same way. The beliefs are computed again from the lifted plans, because a
  belief about classes does not state the chance of each hand. Play is optimal given the beliefs, because the profile is
  quasi-perfect.
* **extensive-form perfect**: the same argument holds in the games where every action trembles. See
  :mod:`.lifted_basis` for its certificate.

The program does not rely on this argument: it proves a lifted solution on the original game, and only that proof gives
the status. If the classes are not equitable, the proof gives exact bounds, which show what the filter has cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.game.requirements import require_tree
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree, starts
from tremble.poker.abstraction.lifted_basis import lifted_basis
from tremble.poker.filtered_rules import ClassSet, FilteredRules
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.basis_certificate import stated_plans
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.certificates import BASIS, POLYNOMIALS
from tremble.solution.claim import Claim, Profile

__all__ = ["Lifting", "complete", "ordered_strategy"]

IntArray = NDArray[np.int64]
Pair = tuple[BehaviorStrategy, BehaviorStrategy]


@dataclass(frozen=True, eq=False)
class Lifting:
    """A map from the information sets and sequences of the original game to those of the filtered game.

    In the original game a player has J information sets and S sequences.
    """

    tree: GameTree  # the original game
    set_of: tuple[IntArray, IntArray]  # player -> [J] information set of the filtered game
    sequence_of: tuple[IntArray, IntArray]  # player -> [S] sequence of the filtered game

    @classmethod
    def of(cls, rules: FilteredRules, tree: GameTree, small: GameTree | Pair) -> Lifting:
        """Find the map between a tree of the original game and the filtered game.

        Parameters
        ----------
        rules : FilteredRules
            The rules of the filtered game.
        tree : GameTree
            The tree of the original game.
        small : GameTree or pair of BehaviorStrategy
            The tree of the filtered game, or a strategy of each player in it.

        Raises
        ------
        GameError
            ``tree`` is not a tree of the original game, or ``small`` does not belong to the filtered game.
        """
        require_tree(tree)
        if not isinstance(small, GameTree):
            small = strategies_of_both(small)
        sets, sequences = [], []
        for player in (0, 1):
            if isinstance(small, GameTree):
                known, actions = small.infoset_labels[player], small.actions[player]
            else:
                known, actions = small[player].infoset_labels, small[player].actions
            set_of = _sets_of(rules, tree, player, known, actions)
            start, begin = tree.slot_start[player], starts(actions)
            slots = np.repeat(begin[set_of] - start[:-1], np.diff(start)) + np.arange(start[-1])
            sets.append(set_of)
            sequences.append(np.concatenate(([0], slots + 1)))
        return cls(tree, (sets[0], sets[1]), (sequences[0], sequences[1]))

    def strategy(self, given: BehaviorStrategy) -> BehaviorStrategy:
        """Lift a strategy of the filtered game: each hand plays as its class does."""
        player, sets = given.player, self.set_of[given.player]
        return replace(
            BehaviorStrategy.uniform(self.tree, player),
            numerator=given.numerator[self.sequence_of[player][1:] - 1],
            denominator=None if given.denominator is None else given.denominator[sets],
            off_path=given.off_path[sets],
        )

    def claim(self, given: Claim) -> Claim:
        """Lift a claim from the filtered game to the original; leave out certificates that cannot be lifted."""
        strategies = self.both(given.strategies)
        stated = given.certificate or {}
        of_basis = stated.get("kind") == BASIS
        if not of_basis and stated.get("kind") != POLYNOMIALS:
            return Claim(strategies, given.diagnostics)
        certificate = {**stated}
        for name in ("trembles", "orders"):
            if isinstance(
                rows := stated.get(name), list
            ):  # a side can be a text, which applies to all sets of the player
                certificate[name] = [
                    side if isinstance(side, str) else [side[k] for k in sets.tolist()]
                    for side, sets in zip(rows, self.set_of, strict=True)
                ]
        for name, of in zip("XY", self.sequence_of, strict=True):
            certificate[name] = [[order[q] for q in of.tolist()] for order in stated[name]]
        if of_basis:
            certificate |= lifted_basis(self.tree, self.set_of, self.sequence_of, stated)
            return Claim(strategies, given.diagnostics, certificate)
        plans = None if given.beliefs is None else stated_plans(self.tree, certificate)
        beliefs = None if plans is None else limit_beliefs(self.tree, plans)
        return Claim(strategies, given.diagnostics, certificate, beliefs)

    def both(self, strategies: Profile) -> Pair:
        """Lift the strategies of both players."""
        strategy1, strategy2 = complete(strategies)
        return self.strategy(strategy1), self.strategy(strategy2)


def strategies_of_both(given: object) -> tuple[BehaviorStrategy, BehaviorStrategy]:
    """Return the strategies of both players; raise ``GameError`` for any other value."""
    match given:
        case [BehaviorStrategy(player=0) as one, BehaviorStrategy(player=1) as two]:
            return one, two
    raise GameError(f"expected a tree or a strategy of each player, not {given!r:.80}")


def _sets_of(
    rules: FilteredRules, tree: GameTree, player: int, known: tuple[str, ...], actions: tuple[tuple[str, ...], ...]
) -> IntArray:
    """Return, for each information set of the tree, the position in ``known`` of the set of its class, [J]."""
    who = f"player {player + 1}"
    position = {key: k for k, key in enumerate(known)}
    class_of = dict(rules.hands(player))
    sets = []
    for label, labels in zip(tree.infoset_labels[player], tree.actions[player], strict=True):
        if label not in class_of:
            raise GameError(f"{tree.title} is not the original game: in that {who} has no information set {label!r}")
        k = position.get(class_of[label])
        if k is None or actions[k] != labels:
            raise GameError(
                f"this tree or strategy does not belong to the filtered game: there {who} has {class_of[label]!r} "
                f"with the actions {', '.join(labels)}"
            )
        sets.append(k)
    return np.array(sets, dtype=np.int64)


def complete(strategies: Profile) -> Pair:
    """Return the strategies unchanged; raise ``GameError`` unless both are behavior strategies of a tree."""
    strategy1, strategy2 = strategies
    if not (isinstance(strategy1, BehaviorStrategy) and isinstance(strategy2, BehaviorStrategy)):
        raise GameError("only behavior strategies of the filtered game's tree can be lifted")
    return strategy1, strategy2


def ordered_strategy(rules: FilteredRules, strategy: BehaviorStrategy) -> OrderedStrategy:
    """Return a strategy of a filtered game's tree as weights of the sequences of each class.

    The strategy never plays an action that the rules eliminate. At an information set that the rules make unreachable,
    it plays the first action that is not eliminated.

    Raises
    ------
    GameError
        The strategy does not belong to the filtered game, or its probabilities are floats.
    """
    player, rounds = strategy.player, rules.filtered.rounds
    if not strategy.exact:
        raise GameError("only exact strategies can be lifted, and this one has float probabilities")
    sides = [round_.stage.side(player) for round_ in rounds]
    # For each sequence of a class, the sequence of the tree that has the same weight; -1 if it is never played.
    like = [
        np.full((round_.num_classes[player], side.num_sequences - 1, round_.num_histories), -1, dtype=np.int64)
        for round_, side in zip(rounds, sides, strict=True)
    ]

    def leading(place: ClassSet) -> int:
        """Return the sequence of the tree that leads to an information set."""
        number, class_, lines = place.round, place.class_, place.lines
        sequence = sides[number].parent[place.set]
        while not sequence and number:
            class_ = int(rounds[number].earlier[player][class_])
            number -= 1
            lines //= len(rounds[number].stage.going_on)
            sequence = sides[number].last[place.leaves[number]]
        return int(like[number][class_, sequence - 1, lines]) if sequence else 0

    known = {key: k for k, key in enumerate(strategy.infoset_labels)}
    parent = np.full(strategy.num_infosets, -1, dtype=np.int64)
    for key, place in rules.sets(player):
        k, allowed = known.get(key), rules.allowed(player, place)
        row = like[place.round][place.class_, :, place.lines]
        first = sides[place.round].start[place.set] - 1
        if k is not None and len(strategy.actions[k]) == len(allowed):
            parent[k] = leading(place)
            row[[first + i for i in allowed]] = range(int(strategy.start[k]) + 1, int(strategy.start[k + 1]) + 1)
        elif k is None and rules.kept is not None:
            row[first + allowed[0]] = leading(place)
        else:
            raise GameError(f"the strategy of player {player + 1} does not belong to the filtered game: see {key!r}")
    if (parent < 0).any():
        stranger = strategy.infoset_labels[int(np.argmin(parent))]
        raise GameError(f"the strategy of player {player + 1} does not belong to the filtered game: see {stranger!r}")
    plan = replace(strategy, parent=parent).to_realization_plan()
    weight = tuple(np.where(sequences < 0, 0, plan.weight[sequences]) for sequences in like)
    return OrderedStrategy(player, rules.filtered.filter.class_of[player], weight, plan.denominator or 1)
