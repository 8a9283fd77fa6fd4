r"""Lifting of equilibria from a filtered game to the original game: every hand uses the strategy of its class.

Let X be a realization plan of a player in the filtered game. The lifted plan is :math:`x_{(v,s)} = X_{(C,s)}` for every
hand v of a class C and every sequence s of the player's own moves. Let the classes be *equitable*, which means:

* Let D be a class of the opponent and p a payoff. Consider the deals in which hand v meets a hand of D and earns p.
  The total weight of these deals is equal for all hands v of a class.
* For each class E of the next round, all hands v of a class have the same number of children in E.

Let y be a lifted plan of the opponent. The weights of y are numbers or polynomials in an infinitesimal. The greatest
payoff that hand v can earn after its sequence s is

.. math::

   u_{(v,s)} = \sum_{\text{leaves } (o, t)} c_{vo}\, u_{st}(v, o)\, y_{(o,t)}
               + \sum_{I' \text{ after } (v,s)} \max_{s'} u_{(I',s')},

where c is the chance of a deal. This value is equal for all hands of a class. The proof is by induction from the last
round: group the opponent's hands o in the first sum by class and payoff, and group the children of v in the second sum
by class. The filtered game adds up the deals of a pair of classes, so

.. math::  U_{(C,s)} = \sum_{v \in C} u_{(v,s)} = |C|\, u_{(v,s)} .

The factor :math:`|C|` is a positive number. So at every information set, reached or not, the same actions are best in
both games. If the weights are polynomials, the same actions are best at every degree. This has consequences for each
solution concept:

* **Nash**: best responses earn :math:`\sum_C \sum_{v \in C} u_v = \sum_C U_C`, the same in both games. The profile's
  payoff is also the same in both games.
* **quasi-perfect**: the certificate contains perturbed plans :math:`X(\epsilon), Y(\epsilon)`. The checker
  (:mod:`tremble.check.quasi_perfect`) makes four checks:

  1. The perturbed plans are realization plans.
  2. Every sequence has at least the weight of its tremble. The tremble of a sequence is the product of the weights of
     its moves, multiplied by :math:`\epsilon` once for each move.
  3. Every sequence with more weight than its tremble is a best response to the opponent's perturbed plan.
  4. The given strategies are the limits of the perturbed plans.

  Checks 1, 2 and 4 concern only the moves of one hand. These checks succeed if each hand has the polynomials and the
  weights of its class. Check 3 succeeds because the same actions are best in both games. So the lifted certificate
  contains, for each hand, the entries of its class.
* **sequential**: the plans are lifted in the same way. The beliefs are computed again from the lifted plans, because a
  belief about classes does not contain the chance of each hand. Play is optimal given the beliefs because the profile
  is quasi-perfect.
* **extensive-form perfect**: the same argument applies to the games in which every action trembles.
  :mod:`.lifted_basis` describes the certificate.

The program does not rely on this argument. Instead, the program proves the lifted solution in the original game, and
only this proof determines the status. If the classes are not equitable, the proof gives exact bounds, which show the
loss that the filter has caused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.game.requirements import require_tree
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import starts
from tremble.poker.abstraction.lifted_basis import lifted_basis
from tremble.poker.filtered_rules import ClassSet, FilteredRules
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.basis_certificate import stated_plans
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.certificates import BASIS
from tremble.solution.claim import Claim, Profile
from tremble.solution.trembling_plan import POLYNOMIALS

__all__ = ["Lifting", "complete", "ordered_strategy"]

IntArray = NDArray[np.int64]
Pair = tuple[BehaviorStrategy, BehaviorStrategy]


@dataclass(frozen=True, eq=False)
class Lifting:
    """A map from the original game's information sets and sequences to those of the filtered game.

    In the original game a player has J information sets and S sequences.
    """

    tree: GameTree  # the original game
    set_of: tuple[IntArray, IntArray]  # player -> [J] the information set of the filtered game
    sequence_of: tuple[IntArray, IntArray]  # player -> [S] the sequence of the filtered game

    @classmethod
    def of(cls, rules: FilteredRules, tree: GameTree, small: GameTree | Pair) -> Lifting:
        """Compute the map from a tree of the original game to the filtered game.

        Parameters
        ----------
        rules : FilteredRules
            The rules of the filtered game.
        tree : GameTree
            The tree of the original game.
        small : GameTree or pair of BehaviorStrategy
            The tree of the filtered game, or a strategy of each player in this tree.

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
        """Lift a strategy of the filtered game: in the original game, each hand uses the strategy of its class."""
        player, sets = given.player, self.set_of[given.player]
        return replace(
            BehaviorStrategy.uniform(self.tree, player),
            numerator=given.numerator[self.sequence_of[player][1:] - 1],
            denominator=None if given.denominator is None else given.denominator[sets],
            off_path=given.off_path[sets],
        )

    def claim(self, given: Claim) -> Claim:
        """Lift a claim from the filtered game to the original game.

        If the certificate cannot be lifted, the lifted claim has no certificate.
        """
        strategies = self.both(given.strategies)
        stated = given.certificate or {}
        of_basis = stated.get("kind") == BASIS
        if not of_basis and stated.get("kind") != POLYNOMIALS:
            return Claim(strategies, given.diagnostics)
        certificate = {**stated}
        for name in ("trembles", "orders"):
            if isinstance(
                rows := stated.get(name), list
            ):  # a player's entry can be a string, which applies to all information sets of the player
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
    """Return the strategies of both players; raise ``GameError`` if the value is not a pair of strategies."""
    match given:
        case [BehaviorStrategy(player=0) as one, BehaviorStrategy(player=1) as two]:
            return one, two
    raise GameError(f"expected a tree or a strategy of each player, not {given!r:.80}")


def _sets_of(
    rules: FilteredRules, tree: GameTree, player: int, known: tuple[str, ...], actions: tuple[tuple[str, ...], ...]
) -> IntArray:
    """Return int64[J]: for each set of ``tree``, the matching set in the filtered game, as an index in ``known``."""
    who = f"player {player + 1}"
    position = {key: k for k, key in enumerate(known)}
    class_of = dict(rules.hands(player))
    sets = []
    for label, labels in zip(tree.infoset_labels[player], tree.actions[player], strict=True):
        if label not in class_of:
            raise GameError(
                f"{tree.title} is not the original game: in the original game, {who} has no information set {label!r}"
            )
        k = position.get(class_of[label])
        if k is None or actions[k] != labels:
            raise GameError(
                f"this tree or strategy does not belong to the filtered game: in that game {who} has the information "
                f"set {class_of[label]!r} with the actions {', '.join(labels)}"
            )
        sets.append(k)
    return np.array(sets, dtype=np.int64)


def complete(strategies: Profile) -> Pair:
    """Return the strategies unchanged; raise ``GameError`` if a strategy is not a behavior strategy of a tree."""
    strategy1, strategy2 = strategies
    if not (isinstance(strategy1, BehaviorStrategy) and isinstance(strategy2, BehaviorStrategy)):
        raise GameError("only behavior strategies of the filtered game's tree can be lifted to the original game")
    return strategy1, strategy2


def ordered_strategy(rules: FilteredRules, strategy: BehaviorStrategy) -> OrderedStrategy:
    """Convert a behavior strategy of the filtered game to an ordered strategy: weights for each class's sequences.

    The resulting strategy never plays an action that the rules eliminate. At an information set that the rules make
    unreachable, the resulting strategy plays the first action that is not eliminated.

    Raises
    ------
    GameError
        The strategy does not belong to the filtered game, or its probabilities are floats.
    """
    player, rounds = strategy.player, rules.filtered.rounds
    if not strategy.exact:
        raise GameError("only exact strategies can be lifted, but the probabilities of this strategy are floats")
    sides = [round_.stage.side(player) for round_ in rounds]
    # For each sequence of a class: the sequence of the tree with the same weight, or -1 if the sequence is never
    # played.
    like = [
        np.full((round_.num_classes[player], side.num_sequences - 1, round_.num_histories), -1, dtype=np.int64)
        for round_, side in zip(rounds, sides, strict=True)
    ]

    def leading(place: ClassSet) -> int:
        """Return the index of the tree's sequence that leads to the information set ``place``."""
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
            raise GameError(
                f"the strategy of player {player + 1} does not belong to the filtered game: the information set "
                f"{key!r} is missing or has other actions"
            )
    if (parent < 0).any():
        stranger = strategy.infoset_labels[int(np.argmin(parent))]
        raise GameError(
            f"the strategy of player {player + 1} does not belong to the filtered game, which has no information set "
            f"{stranger!r}"
        )
    plan = replace(strategy, parent=parent).to_realization_plan()
    weight = tuple(np.where(sequences < 0, 0, plan.weight[sequences]) for sequences in like)
    return OrderedStrategy(player, rules.filtered.filter.class_of[player], weight, plan.denominator or 1)
