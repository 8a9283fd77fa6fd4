r"""Explain the choices of single hands in Hold'em: reach, belief, and exact payoffs of actions.

The class has the methods of :class:`tremble.solution.assessment.Assessment`, which explains strategies of trees. An
information set is a player's decision with a hand. It has a node for each hand of the opponent. The moves that follow
an action are too many to list one by one. So a reply is a node of the betting tree at which the opponent moves next.
Its probabilities are means over the opponent's hands and the river cards, with the player's beliefs as weights.

Let x(n) be the player's weight of a node n after the decision, divided by the weight at the decision, and let
:math:`y_j(n)` be the same for the opponent with the hand j. If a strategy never leads to a decision, it plays all
actions there with equal probability; a locked hand plays its frequencies. Then the payoff against the hand j is the sum
of :math:`x(n)\, y_j(n)\, u_j(n)` over the leaves n and the river cards, divided by the number of river cards that are
left, where u is the payoff.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import required_integer
from tremble.errors import GameError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import require_player
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.check import Plan
from tremble.poker.holdem.decisions import Against, Profile
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.lines import At, at, label_of, split
from tremble.poker.holdem.moves import moves_before
from tremble.poker.holdem.tables import mixed_weights, shares_of
from tremble.solution.explanation import ActionWorth, Explanation, Explanations, NodeBelief, Reply
from tremble.words import called

__all__ = ["HandAssessment"]

_Objects = NDArray[np.object_]

_NOT_DEALT = 2  # in place of a sign: a hand with the river card


class HandAssessment:
    """Explanations of the choices in a profile of a Hold'em game.

    Examples
    --------
    >>> import tremble
    >>> from tremble.poker import HoldemRiver
    >>> game = HoldemRiver("Kh9d7s4c2h", pot=20, stack=20, bets="100", range1="AA,QQ", range2="KK,JJ")
    >>> solution = tremble.solve(game, method="lp")
    >>> known = HandAssessment(solution.played, solution.strategies)
    >>> known.explained(*known.place("AhAd")).actions[0].value
    Fraction(0, 1)
    """

    def __init__(self, game: UnbuiltGame, profile: Profile) -> None:
        assert isinstance(game.rules, HoldemGame)
        self._rules, self._game, self._profile = game.rules, game, profile
        self._nodes = self._rules.tree.nodes

    def place(self, infoset: Any, player: int | None = None) -> tuple[int, At]:
        """Return the player and the decision that a text such as ``"AhKd check, bet 75"`` names.

        A pair of a hand and moves is also accepted.

        Raises
        ------
        GameError, SpecError
            The hand is not in the range, or no decision follows the moves.
        """
        if player is not None:
            require_player(player)
        if not isinstance(infoset, str) and not (isinstance(infoset, tuple) and len(infoset) == 2):
            raise GameError(
                f"{infoset!r:.60} is no decision of a Hold'em game; expected a hand and moves, such as "
                "'AhKd check, bet 75'"
            )
        hand, line = split(infoset) if isinstance(infoset, str) else infoset
        return at(self._rules, hand, line, player)

    def most_at_stake(self, most: int, player: int | None = None) -> Explanations:
        """Explain the decisions of hands that play reaches, by descending :attr:`Explanation.stake`.

        Stop after ``most`` decisions.
        """
        if required_integer(most, "'most', the number of information sets,") < 1:
            raise GameError(f"'most', the number of information sets, must be at least 1, not {most}")
        if player is not None:
            require_player(player)
        if self._rules.streets > 2:
            raise GameError(
                "the decisions of a flop are too many to rank; name a hand and moves, such as 'AhKd check, bet 75', or "
                "list all hands at one decision"
            )
        found = [each for i in (0, 1) if player in (None, i) for each in self._stakes(i, most)]
        return Explanations(self.explained(i, place) for *_, i, place in sorted(found)[:most])

    def _stakes(self, player: int, most: int) -> list[tuple[float, float, int, At]]:
        """Return the decisions with the greatest stakes: minus the stake, minus the reach, the player, the place."""
        against = Against(self._rules, self._profile, player)
        kept: list[tuple[float, float, int, At]] = []
        for each in against.decisions():
            plan, locked = each.plan.astype(np.float64) * against.own.weights, against.locked(each.node, each.state)
            gap = (each.best.max(axis=1) - each.best.min(axis=1)).astype(np.float64)
            reach, stake = plan * each.reach.astype(np.float64), plan * gap / against.unit
            kept += [
                (-stake[hand], -reach[hand], player, At(each.node, each.state, hand))
                for hand in np.argsort(-stake, kind="stable")[:most].tolist()
                if reach[hand] > 0 and not locked[hand]
            ]
            kept = sorted(kept)[:most]
        return kept

    def explained(self, player: int, place: At, *, replies: bool = True) -> Explanation:
        """Explain the choice of a hand at a decision. Include replies (slow) only if ``replies`` is true."""
        rules, (node, state, hand) = self._rules, place
        against = Against(rules, self._profile, player, [hand])
        decision, lookahead = against.at(node, state), _Lookahead(rules, against, place)
        other, dealt, reach, whole = self._profile[1 - player], lookahead.hands, int(decision.reach[0]), against.whole
        own_weight = int(rules.deal.weights[player][hand])
        plan = Fraction(int(decision.plan[0]), self._profile[player].denominator)
        arrival = Fraction(own_weight * reach, whole * other.denominator)
        belief = [Fraction(int(y) * lookahead.times, reach) if reach else None for y in lookahead.arrived]
        if len(dealt) == 1:
            belief = [Fraction(1)]
        shares = shares_of(mixed_weights(rules, self._profile[player], node, state)[hand].tolist())
        after = [lookahead.payoffs(child) for child in self._nodes[node].child]
        if lookahead.believed:
            worth: list[Fraction | None] = [_mean(belief, found[player]) for found in after]
        else:
            worth = [found[player][0] if len(set(found[player])) == 1 else None for found in after]
        best: Sequence[Fraction | None] = against.payoffs(decision) or [None] * len(shares)
        measure = best if reach else worth
        known = [value for value in measure if value is not None]
        most = max(known) if len(known) == len(measure) else None
        actions = tuple(
            ActionWorth(
                label, shares[a], worth[a], best[a],
                None if most is None else most - known[a], (min(after[a][player]), max(after[a][player])),
                *(lookahead.replies(self._nodes[node].child[a], reach) if replies else (None, ())),
            )
            for a, label in enumerate(self._nodes[node].actions)
        )  # fmt: skip
        nodes = tuple(
            NodeBelief(
                self._path(player, hand, int(j), node, state),
                plan * Fraction(own_weight * int(y) * lookahead.times, whole * other.denominator),
                belief[k],
                (_mean(shares, [found[0][k] for found in after]), _mean(shares, [found[1][k] for found in after])),
            )
            for k, (j, y) in enumerate(zip(dealt, lookahead.arrived, strict=True))
        )  # fmt: skip
        played = [a for a, p in enumerate(shares) if p]
        most_against = [max(found[player][k] for found in after) for k in range(len(dealt))]
        return Explanation(
            player=player, infoset=None, label=label_of(rules, player, place),
            names=(called(self._game, 0), called(self._game, 1)),
            reach=plan * arrival, own_reach=plan, other_reach=arrival, dealt=True,
            ground="single node" if len(dealt) == 1 else "Bayes" if reach else None, nodes=nodes, actions=actions,
            revisited=False, locked=rules.drawn(player, hand, node, state) is not None,
            any_belief=all(after[a][player][k] == top for k, top in enumerate(most_against) for a in played),
        )  # fmt: skip

    def _path(self, player: int, hand: int, other: int, node: int, state: int) -> tuple[str, ...]:
        hands = (hand, other) if player == 0 else (other, hand)
        names = (self._rules.name_of(i, number) for i, number in enumerate(hands))
        return (*names, *moves_before(self._rules.tree, self._rules.deal, node, state))


def _mean(weights: Sequence[Fraction | None], values: Sequence[Fraction]) -> Fraction:
    return sum((p * value for p, value in zip(weights, values, strict=True) if p), Fraction(0))


class _Lookahead:
    """The continuation of play after a decision of a hand, against each hand of the opponent that can be dealt.

    Attributes
    ----------
    hands : list of int
        The numbers of the opponent's hands that can be dealt.
    arrived : list of int
        For each of these hands, its weight times the opponent's plan at the decision.
    times : int
        The number of deals of the missing cards after the decision.
    """

    def __init__(self, rules: HoldemGame, against: Against, place: At) -> None:
        self._rules, self._against, self._hand, self._nodes = rules, against, place.hand, rules.tree.nodes
        player, other, deal = against.player, 1 - against.player, rules.deal
        apart = (deal.apart if player == 0 else deal.apart.T)[place.hand]
        self.hands = np.flatnonzero(apart & deal.free(other, place.state))
        y = against.other.plan([place.node], place.state)[0] * against.other.weights
        self.arrived = [int(y[j]) for j in self.hands]
        self._street = self._nodes[place.node].street
        self.times = deal.run_outs(self._street)
        # For each street from the decision on: the states that can follow, and the sign of player 1's advantage over
        # each hand of the opponent (0 before the river).
        self._states: list[dict[int, NDArray[np.int64]]] = [{} for _ in range(rules.streets)]
        for street in range(self._street, rules.streets):
            for state in deal.states(street, place.state):
                if deal.free(player, state)[place.hand]:
                    signs = np.zeros(len(self.hands), dtype=np.int64)
                    if street == rules.streets - 1:
                        mine, theirs = deal.strength(player, state)[place.hand], deal.strength(other, state)[self.hands]
                        signs = np.sign(mine - theirs) * (1 if player == 0 else -1)
                    self._states[street][state] = np.where(deal.free(other, state)[self.hands], signs, _NOT_DEALT)

    def _below(self, top: int) -> list[int]:
        found = [top]
        for node in found:  # the list grows during the loop
            found += self._nodes[node].child
        return found

    def _plan(self, plan: Plan, nodes: list[int], top: int, state: int) -> tuple[_Objects, _Objects]:
        """Return a player's weights at nodes from ``top`` on, and the weights at ``top``: [nodes, hands], [hands]."""
        weights, start = plan.plan([*nodes, top], state)[:-1].astype(object), plan.plan([top], state)[0].astype(object)
        idle = np.flatnonzero(start == 0)
        if len(idle):  # below, the player plays all actions with equal probability, except where the hand is locked
            unit = lcm(*(self._common(plan.player, node, top) for node in self._below(top)))
            some = plan.hands[idle if self._rules.lock else idle[:1]]  # without locks, all hands have equal weights
            for k, node in enumerate(nodes):
                weights[k, idle] = [int(p * unit) for p in self._unplayed(plan.player, some, node, top, state)]
            start[idle] = unit
        return weights, start

    def _above(self, player: int, node: int, top: int) -> Iterator[tuple[int, int]]:
        """Yield the nodes from ``top`` to a node at which a player moves, each with the position of the move."""
        while node != top:
            child, node = node, self._nodes[node].parent
            if self._nodes[node].kind == player:
                yield node, self._nodes[node].child.index(child)

    def _unplayed(self, player: int, hands: NDArray[np.int64], node: int, top: int, state: int) -> _Objects:
        """Return the probability of a player's moves from ``top`` to a node, for hands that never get to ``top``."""
        share: _Objects = np.full(len(hands), Fraction(1), dtype=object)
        for n, move in self._above(player, node, top):
            even, street, deal = Fraction(1, len(self._nodes[n].actions)), self._nodes[n].street, self._rules.deal
            fixed = self._rules.locks.at(n, deal.before(state, len(deal.cards_of(state)) - street))
            given = [-1] * len(hands) if fixed is None else fixed[hands, move].tolist()
            share = share * [even if each < 0 else Fraction(each, self._rules.locks.units[n]) for each in given]
        return share

    def _common(self, player: int, node: int, top: int) -> int:
        """Return a common denominator of :meth:`_unplayed`, for all hands and states."""
        units = self._rules.locks.units
        return prod(len(self._nodes[n].actions) * units.get(n, 1) for n, _ in self._above(player, node, top))

    def payoffs(self, top: int) -> tuple[list[Fraction], list[Fraction]]:
        """Return the payoffs of both players from a node on, against each hand of the opponent."""
        nodes, below = self._nodes, self._below(top)
        total = [np.zeros(len(self.hands), dtype=object) for _ in (0, 1)]
        whole = np.ones(len(self.hands), dtype=object)
        for street, states in enumerate(self._states):
            leaves = [n for n in below if nodes[n].kind == End.FOLD and nodes[n].street == street]
            if street == self._rules.streets - 1:
                leaves += [n for n in below if nodes[n].kind in (End.SHOWDOWN, End.RUN_OUT)]
            for state, signs in states.items() if leaves else ():
                whole = self._add(total, leaves, top, state, signs, self._rules.deal.run_outs(street))
        unit = self._against.unit * self.times
        one, two = ([Fraction(v, w * unit) for v, w in zip(sums, whole, strict=True)] for sums in total)
        return one, two

    def _add(
        self, total: list[_Objects], leaves: list[int], top: int, state: int, signs: NDArray[np.int64], times: int
    ) -> _Objects:  # fmt: skip
        """Add payoffs at leaves, times their weights and ``times``, to ``total``; return the weights at ``top``."""
        (own, start1), (other, start2) = (
            self._plan(plan, leaves, top, state) for plan in (self._against.own, self._against.other)
        )
        other = other[:, self.hands]
        for sign in (-1, 0, 1):
            some = np.flatnonzero(signs == sign)
            gains = [self._rules.gains(leaf, sign) for leaf in leaves] if len(some) else []
            for i in (0, 1) if gains else ():
                worth = [int(pays[i] * self._against.unit) * times for pays in gains]
                total[i][some] += (own[:, 0] * np.array(worth, dtype=object)) @ other[:, some]
        whole: _Objects = start1[0] * start2[self.hands]
        return whole

    def replies(self, top: int, reach: int) -> tuple[Fraction | None, tuple[Reply, ...]]:
        """Return the probability that the opponent moves no more from a node on, and where the opponent moves next.

        ``reach`` is the sum of the weights of the opponent's hands at the decision, over all deals of cards. If it is
        0, the mixtures of actions are means over the range of the opponent.
        """
        nodes, against, player = self._nodes, self._against, self._against.player
        met, ahead = [], [top]
        for node in ahead:  # the list grows during the loop
            if nodes[node].kind == 1 - player:
                met.append(node)
            else:
                ahead += nodes[node].child
        found, ends = [], Fraction(1)
        for node in met:
            street = nodes[node].street
            mass = [Fraction(0)] * len(nodes[node].actions)
            for state, signs in self._states[street].items():
                weights, start = self._plan(against.own, [node], top, state)
                share = Fraction(weights[0, 0], start[0]) / (self.times // self._rules.deal.run_outs(street))
                some = self.hands[signs != _NOT_DEALT]
                if reach:
                    y = against.other.plan(nodes[node].child, state)[:, some] * against.other.weights[some]
                    shares = [Fraction(int(arrived) * self.times, reach) for arrived in y.astype(object).sum(axis=1)]
                else:
                    shares = self._mean(node, top, state, some)
                mass = [each + share * p for each, p in zip(mass, shares, strict=True)]
            p = sum(mass, Fraction(0))
            ends -= p
            if p:
                words: list[str] = []
                for k, line in enumerate(self._rules.tree.lines[node]):
                    words += [("turn", "river")[k - self._rules.streets]] if k else []
                    words += line
                mixture = zip(nodes[node].actions, (each / p for each in mass), strict=True)
                found.append(Reply(None, ", ".join(words), p if self.believed else None, tuple(mixture)))
        return ends if self.believed else None, tuple(found)

    @property
    def believed(self) -> bool:
        """True if the player has a belief: the opponent can hold only one hand, or its strategy leads here."""
        return len(self.hands) == 1 or any(self.arrived)

    def _mean(self, node: int, top: int, state: int, some: NDArray[np.int64]) -> list[Fraction]:
        """Return the opponent's mean probability of each action at a node, with the weights of the range."""
        weights, start = self._plan(self._against.other, list(self._nodes[node].child), top, state)
        whole = int(self._against.other.weights[self.hands].sum())
        return [
            sum((Fraction(row[j] * int(self._against.other.weights[j]), start[j] * whole) for j in some), Fraction(0))
            for row in weights
        ]
