r"""From equilibria of a filtered game to those of the original: every hand plays as its class does.

Let :math:`x_{(v,s)} = X_{(C,s)}` for every hand v of class C and every line s of the player's own moves, and let
classes be *equitable*: each hand v of a class has, for every class D of the other player and every way to be paid,
deals of the same weight with the hands of D, and as many children of each class in the next round. For any plan y of
the other player that is lifted too, a number or a polynomial in an infinitesimal, what hand v can earn after its line
s,

.. math::

   u_{(v,s)} = \sum_{\text{leaves } (o, t)} c_{vo}\, u_{st}(v, o)\, y_{(o,t)}
               + \sum_{I' \text{ after } (v,s)} \max_{s'} u_{(I',s')},

weighted by the chance c of the deals, is then the same for all hands of a class, by induction from the last round: the
first sum groups the other's hands o by their class and by what is paid, the second the children of v by theirs. As the
filtered game adds up the deals of a pair of classes,

.. math::  U_{(C,s)} = \sum_{v \in C} u_{(v,s)} = |C|\, u_{(v,s)} .

So at every information set, reached or not, the same actions are best in both games, at every degree of the polynomials
(:math:`|C|` is a positive number). From that follows, concept by concept:

* **Nash**: best responses earn :math:`\sum_C \sum_{v \in C} u_v = \sum_C U_C`, which is what the profile earns.
* **quasi-perfect**: the certificate states perturbed plans :math:`X(\epsilon), Y(\epsilon)`, and the checker asks of
  them (:mod:`tremble.check.quasi_perfect`): that they are plans, that every sequence is played at least as
  much as its tremble, the product of the weights of its own moves times :math:`\epsilon` to their number, that whatever
  is played beyond its tremble is best against the other's perturbed plan, and that the stated strategies are their
  limits. The first two and the last involve a player's own line of moves only, so that they hold hand by hand if each
  hand has the polynomials and the weights of its class. The third is the sentence above. Hence the columns of the
  lifted certificate are columns of the given one.
* **sequential**: the plans are lifted likewise. The beliefs are computed anew from them: a belief of a class of hands
  over classes does not say how likely each hand is, the deals do. That play is best given the beliefs follows from
  quasi-perfection.
* **extensive-form perfect**: by the same argument on the games where every action trembles. How its certificate is
  lifted, :mod:`.lifted_basis` says.

Nothing of this is taken on trust: a lifted solution is proven on the original game, and that alone gives its status.
If classes are not equitable, what is proven are exact bounds: what the filter has cost.
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
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.certificates import BASIS, POLYNOMIALS, stated_plans
from tremble.solution.claim import Claim, Profile

__all__ = ["Lifting", "complete", "ordered_strategy"]

IntArray = NDArray[np.int64]
Pair = tuple[BehaviorStrategy, BehaviorStrategy]


@dataclass(frozen=True, eq=False)
class Lifting:
    """Which information set of the filtered game each one of the original is lifted from.

    Shapes: J sets and S sequences of a player in the original.
    """

    tree: GameTree  # of the original
    set_of: tuple[IntArray, IntArray]  # [J]
    sequence_of: tuple[IntArray, IntArray]  # [S]

    @classmethod
    def of(cls, rules: FilteredRules, tree: GameTree, small: GameTree | Pair) -> Lifting:
        """The lifting to the tree of the original.

        Parameters
        ----------
        small : GameTree or pair of BehaviorStrategy
            The tree of the filtered game, or strategies of it.

        Raises
        ------
        GameError
            The tree is not that of the original, or what is lifted not of the filtered game.
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
        """The strategy that does at each hand what is done at its class."""
        player, sets = given.player, self.set_of[given.player]
        return replace(
            BehaviorStrategy.uniform(self.tree, player),
            numerator=given.numerator[self.sequence_of[player][1:] - 1],
            denominator=None if given.denominator is None else given.denominator[sets],
            off_path=given.off_path[sets],
        )

    def claim(self, given: Claim) -> Claim:
        """A claim on the filtered game as one on the original; what cannot be lifted is left out."""
        strategies = self.both(given.strategies)
        stated = given.certificate or {}
        of_basis = stated.get("kind") == BASIS
        if not of_basis and stated.get("kind") != POLYNOMIALS:
            return Claim(strategies, given.diagnostics)
        certificate = {**stated}
        for name in ("trembles", "orders"):
            if isinstance(rows := stated.get(name), list):  # a word stands for all sets of a player
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
        """Those of both players."""
        strategy1, strategy2 = complete(strategies)
        return self.strategy(strategy1), self.strategy(strategy2)


def strategies_of_both(given: object) -> tuple[BehaviorStrategy, BehaviorStrategy]:
    """Return the strategies of both players; raise ``GameError`` for any other value."""
    match given:
        case [BehaviorStrategy(player=0) as one, BehaviorStrategy(player=1) as two]:
            return one, two
    raise GameError(f"what is lifted is a tree or a strategy of each player, not {given!r:.80}")


def _sets_of(
    rules: FilteredRules, tree: GameTree, player: int, known: tuple[str, ...], actions: tuple[tuple[str, ...], ...]
) -> IntArray:
    """The known information set of the filtered game from which each one of the tree is lifted, [J]."""
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
                f"what is lifted is not of the filtered game, where {who} has the information set {class_of[label]!r} "
                f"with the actions {', '.join(labels)}"
            )
        sets.append(k)
    return np.array(sets, dtype=np.int64)


def complete(strategies: Profile) -> Pair:
    """The same strategies; ``GameError`` unless they are those of a tree."""
    strategy1, strategy2 = strategies
    if not (isinstance(strategy1, BehaviorStrategy) and isinstance(strategy2, BehaviorStrategy)):
        raise GameError("only complete strategies are lifted, those of the tree of the filtered game")
    return strategy1, strategy2


def ordered_strategy(rules: FilteredRules, strategy: BehaviorStrategy) -> OrderedStrategy:
    """A strategy of the tree of a filtered game as weights of its sequences, which every hand of a class has.

    Actions that the rules leave out are never played. Where no play comes under them, the first action that is left is
    chosen.

    Raises
    ------
    GameError
        The strategy is not of the filtered game, or in floats.
    """
    player, rounds = strategy.player, rules.filtered.rounds
    if not strategy.exact:
        raise GameError("only an exact strategy has exact weights; this one is in floats")
    sides = [round_.stage.side(player) for round_ in rounds]
    # Of which sequence of the tree each sequence has the weight; -1: it is never played.
    like = [
        np.full((round_.num_classes[player], side.num_sequences - 1, round_.num_histories), -1, dtype=np.int64)
        for round_, side in zip(rounds, sides, strict=True)
    ]

    def leading(place: ClassSet) -> int:
        """The sequence of the tree that leads to an information set."""
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
            raise GameError(f"the strategy of player {player + 1} is not of the filtered game, as at {key!r}")
    if (parent < 0).any():
        stranger = strategy.infoset_labels[int(np.argmin(parent))]
        raise GameError(f"the strategy of player {player + 1} is not of the filtered game, as at {stranger!r}")
    plan = replace(strategy, parent=parent).to_realization_plan()
    weight = tuple(np.where(sequences < 0, 0, plan.weight[sequences]) for sequences in like)
    return OrderedStrategy(player, rules.filtered.filter.class_of[player], weight, plan.denominator or 1)
