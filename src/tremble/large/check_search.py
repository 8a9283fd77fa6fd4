r"""Best responses in games that have rules but no tree, by a search that does not prune.

The weight of a history is the product of the probabilities of chance's and the other player's moves.

Theorem.  One player responds, and the strategy of the other player is fixed. Let the responding player have perfect
recall at all histories of positive weight. Then the search visits each information set that contains histories of
positive weight exactly once, and it finds all of these histories. The value that the search computes is the largest
payoff that the responding player can earn.

Proof.  Consider the histories of positive weight in an information set. By perfect recall, they all follow the same
action of the player at the same set. The search stores a list of these histories with their weights. For each action,
it follows all histories in the list until the player moves again or the game ends. Then it groups the new histories by
the player's information set. So each group contains all histories of positive weight in one set. If the search
reaches a set a second time, the player does not have perfect recall, and the search raises an error.

Sets are numbered in the order of the visits. A loop over the sets in reverse order therefore computes

.. math::  v(q) = \sum_{z \in q} w_z\,u(z) + \sum_{I \text{ after } q} \max_{a} v(I, a).

Here q is a sequence of the player, and I are the information sets that q leads to directly. Each z is a leaf at which q
is the player's last sequence, with weight :math:`w_z` and payoff u(z). This is the backward induction of
:mod:`tremble.check.best_response`. The search does not use bounds to skip histories.

Weights in a list are integers over a common denominator. An action that the other player plays with probability 1 does
not change the weight, so it needs no multiplication.

Source: B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček, An exact double-oracle algorithm for zero-sum
extensive-form games with imperfect information, JAIR 51 (2014), section 4.2. The search there uses pruning.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from tremble.check.limits import SHORT, Limits
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import OwnMove, no_perfect_recall, text_of_key
from tremble.large.check_nature import (
    WHERE,
    Nature,
    Sums,
    Visits,
    add,
    key_of,
    least_common_multiple,
    no_player,
    pay_quotients,
    shares,
    total,
)
from tremble.large.check_rows import Row, StatedPlay, require_labels, unlike

__all__ = ["best_response"]

_SHORT = 1024  # bits; fractions with longer denominators are not reduced, because reducing them takes too long


def best_response(
    rules: Any, own: StatedPlay, other: StatedPlay, nature: Nature, visits: Visits
) -> tuple[Fraction, dict[str, Row], int]:
    """Search for a best response of player ``own.player`` to the strategy ``other`` of the other player.

    Returns
    -------
    value : Fraction
        The largest payoff that the player can earn.
    rows : dict
        A pure best response, with a row at each information set that the response can reach.
    num_infosets : int
        The number of the player's information sets that chance and the other player's strategy do not exclude.

    Raises
    ------
    ImperfectRecallError
        The player does not have perfect recall.
    CertificateError
        A row or a default of one of the players does not fit the rules.
    GameError
        The rules contradict themselves.
    """
    search = _Search(rules, own, other, nature, visits)
    search.run()
    sets = search.sets
    best = sets.backward()
    sums = sets.others.get(0, {}).get(0, {})
    add(sums, sets.value[0], 1, visits.limits)
    return total(sums, visits.limits), sets.rows(best), len(sets.met)


_Waiting = list[tuple[Any, int, int]]  # histories to follow, each with the numerator and denominator of its weight
_Follow = Callable[[Any, int, int], tuple[int, Any]]


class _Search:
    """A search for a best response. :meth:`run` visits all information sets that the player can reach."""

    def __init__(self, rules: Any, own: StatedPlay, other: StatedPlay, nature: Nature, visits: Visits) -> None:
        self.sets = _Sets(visits.limits)
        self._rules, self._own, self._nature = rules, own, nature
        self._waiting: _Waiting = []
        self._visits, self._limits = visits, visits.limits
        self._unpaid = 0  # number of visited histories that have not been charged to the limits yet
        self._sound: set[tuple[str, ...]] = set()  # tuples of labels that have passed the check
        self._follow = _follower(rules, other, nature, self._waiting, visits.limits)

    def run(self) -> None:
        """Visit all sets that the player can reach, given chance and the other player's strategy."""
        root: Callable[[Any, int], Any] = lambda h, _: h  # noqa: E731 (the only action of set 0 leads to the root)
        stack: list[tuple[Hashable, _Group, int, int]] = []
        number, group, step = 0, _Group([(self._rules.root(), 1)], 1), root
        while True:
            first = self.sets.start[number]
            for i in range(len(self.sets.labels[number])):
                for key, met in self._play(step, i, group, number, first + i).items():
                    met.keep(len(met.histories) + 1, self._limits)
                    stack.append((key, met, first + i, number))
            if not stack:
                self._visits.pay(self._unpaid)
                return
            key, group, before, owner = stack.pop()
            group.keep(-len(group.histories) - 1, self._limits)
            number, step = self._enter(key, group, before, owner), self._rules.child

    def _play(
        self, step: Callable[[Any, int], Any], action: int, group: _Group, number: int, sequence: int
    ) -> dict[Hashable, _Group]:
        """Play an action at all histories of a set. Return the histories at the player's next moves, grouped by set."""
        # Verification spends most of its time in this loop. Local names make the function calls faster.
        me, follow, waiting = self._own.player, self._follow, self._waiting
        infoset, payoff, payoffs = self._rules.infoset, self._rules.payoff, self._nature.payoffs
        groups: dict[Hashable, _Group] = {}
        unit, earned = group.unit, 0
        unpaid, every = self._unpaid, Visits.every
        for h, w in group.histories:
            waiting.append((step(h, action), w, unit))
            while waiting:
                g, weight, d = waiting.pop()
                unpaid += 1
                if unpaid > every:
                    self._visits.pay(unpaid)
                    unpaid = 0
                mover, g = follow(g, weight, d)
                if mover == me:
                    key = infoset(g)
                    met = groups.get(key)
                    if met is None:
                        groups[key] = _Group([(g, weight)], d)
                    elif met.unit == d:
                        met.histories.append((g, weight))
                    else:
                        met.add(g, weight, d, self._limits)
                elif mover == TERMINAL:
                    pair = payoff(g)
                    try:
                        entry = payoffs[pair]
                    except (KeyError, TypeError):
                        entry = self._nature.payoff(pair)
                    top, bottom = entry[me]
                    if bottom != 1:
                        d *= bottom
                    if d == unit:
                        earned += weight * top
                    elif top:
                        self.sets.earn(number, sequence, weight * top, d)
                elif mover != CHANCE:
                    raise no_player(mover)
        self._unpaid = unpaid
        self.sets.value[sequence] = earned
        return groups

    def _enter(self, key: Hashable, group: _Group, before: int, owner: int) -> int:
        """Check a newly reached information set, store it, and return its number.

        All histories of the set must have the same actions, and the search must not have reached the set before.
        """
        me, actions = self._own.player, self._rules.actions
        number = len(self.sets.start)
        if self.sets.met.setdefault(key, number) != number:
            first = self.sets.met[key]
            one = self.sets.own_history(self.sets.before[first], self.sets.owner[first])
            raise no_perfect_recall(me, text_of_key(key), one, self.sets.own_history(before, owner))
        labels = tuple(actions(group.histories[0][0]))
        if labels not in self._sound:
            self._sound.add(require_labels(labels, me, key))
        if len(group.histories) > 1:
            for h, _ in group.histories:
                if (here := actions(h)) is not labels and tuple(here) != labels:
                    raise unlike(me, key, labels, here)
        if (key if type(key) is str else text_of_key(key)) in self._own.rows:
            self._own.row(key, labels)
        group.keep(len(labels) + 1, self._limits)
        return self.sets.meet(labels, before, owner, group.unit)


def _follower(rules: Any, other: StatedPlay, nature: Nature, waiting: _Waiting, limits: Limits) -> _Follow:
    """Return a function that follows play from a history while the other player's moves have probability 1.

    The function stops in two cases:

    - If the responding player moves or the game ends, the function returns the mover and the last history.
    - If chance moves or the other player's strategy mixes, the function adds all next histories of positive weight to
      ``waiting``. It returns ``CHANCE`` and the last history.
    """
    player, actions, child, infoset = rules.player, rules.actions, rules.child, rules.infoset
    you, decisions, decide, default = other.player, other.decisions, other.decide, other.default
    odds = nature.odds

    def follow(g: Any, weight: int, unit: int) -> tuple[int, Any]:
        while True:
            mover = player(g)
            if mover != you:
                if mover == CHANCE:
                    waiting.extend([(child(g, j), n, m) for j, n, m in shares(odds(g), weight, unit, limits)])
                return mover, g
            key = infoset(g)
            decision = decisions.get(key)
            if decision is None:
                limits.tick()
                decision = decide(g, key)
            else:
                labels = actions(g)
                if labels is not decision[0] and tuple(labels) != decision[0]:
                    raise unlike(you, key, decision[0], labels)
                if decision[3] and default is not None and default(g) != decision[1]:
                    raise other.two_faced(key)
            if decision[1] < 0:
                waiting.extend([(child(g, j), n, m) for j, n, m in shares(decision[2], weight, unit, limits)])
                return CHANCE, g
            g = child(g, decision[1])

    return follow


@dataclass(slots=True)
class _Group:
    """The histories of an information set, with their weights as integers over the common denominator ``unit``."""

    histories: list[tuple[Any, int]]
    unit: int

    def add(self, history: Any, weight: int, unit: int, limits: Limits) -> None:
        """Append a history of weight ``weight / unit``. Rescale all weights to the new denominator ``self.unit``."""
        length = self.unit.bit_length()
        pay_quotients(limits, length, unit.bit_length(), 4)
        whole = lcm(self.unit, unit)
        up = whole // self.unit
        pay_quotients(limits, length, up.bit_length(), len(self.histories))
        self.histories = [(h, w * up) for h, w in self.histories]
        self.histories.append((history, weight * (whole // unit)))
        self.unit = whole

    def keep(self, times: int, limits: Limits) -> None:
        """Charge the limits for the memory of numbers as long as the weights' denominator; ``times`` is their count.

        If ``times`` is negative, release this memory.
        """
        if (length := self.unit.bit_length()) > SHORT:
            limits.keep(WHERE, length * times)


@dataclass(slots=True)
class _Sets:
    """The visited information sets of the player that responds, and the payoffs of their sequences.

    Set 0 stands for the start of the game. Its single action leads to the root. Sequences are numbered set by set. The
    sequences of a set are numbered in the order of its actions. J is the number of sets, and S is the number of
    sequences.
    """

    limits: Limits
    met: dict[Hashable, int] = field(default_factory=dict)  # key of a set -> its number, from 1
    labels: list[tuple[str, ...]] = field(default_factory=lambda: [("",)])  # [J]: action labels
    before: array[int] = field(default_factory=lambda: array("q", [-1]))  # [J]: the sequence that leads to the set
    owner: array[int] = field(default_factory=lambda: array("q", [-1]))  # [J]: the set of that sequence
    start: array[int] = field(default_factory=lambda: array("q", [0]))  # [J]: the first sequence
    units: list[int] = field(default_factory=lambda: [1])  # [J]: denominator of the values
    value: list[int] = field(default_factory=lambda: [0])  # [S]: payoffs as integers over the denominator of the set
    # Set -> sequence -> payoffs with other denominators. The method backward() adds them to the values.
    others: dict[int, dict[int, Sums]] = field(default_factory=dict)

    def meet(self, labels: tuple[str, ...], before: int, owner: int, unit: int) -> int:
        """Store a new set and return its number. The sequence ``before``, of the set ``owner``, leads to this set."""
        self.labels.append(labels)
        self.before.append(before)
        self.owner.append(owner)
        self.start.append(len(self.value))
        self.units.append(unit)
        self.value.extend([0] * len(labels))
        return len(self.start) - 1

    def own_history(self, sequence: int, owner: int) -> list[OwnMove]:
        """Return the player's moves in a sequence whose last action is at the set ``owner``."""
        keys, moves = list(self.met), list[OwnMove]()
        while owner > 0:
            moves.append((text_of_key(keys[owner - 1]), self.labels[owner][sequence - self.start[owner]]))
            sequence, owner = self.before[owner], self.owner[owner]
        return moves[::-1]

    def earn(self, number: int, sequence: int, top: int, bottom: int) -> None:
        """Add ``top / bottom`` to the payoff of ``sequence``, whose last action is at information set ``number``."""
        add(self.others.setdefault(number, {}).setdefault(sequence, {}), top, bottom, self.limits)

    def backward(self) -> list[int]:
        """Return the best action at each set, by backward induction.

        The function adds the value of the best action to the value of the sequence that leads to the set.
        """
        best = [0] * len(self.start)
        end = len(self.value)
        for k in range(len(self.start) - 1, 0, -1):
            if k % Visits.every == 0:
                self.limits.tick()
            first, unit = self.start[k], self.units[k]
            options = self.value[first:end]
            if k in self.others:
                options, unit = self._over_one_denominator(options, unit, first, self.others.pop(k))
            most = max(options)
            best[k] = options.index(most)
            if unit == self.units[self.owner[k]]:
                self.value[self.before[k]] += most
            elif most:
                common = gcd(most, unit) if unit.bit_length() < _SHORT else 1
                self.earn(self.owner[k], self.before[k], most // common, unit // common)
            end = first
        return best

    def _over_one_denominator(
        self, options: list[int], unit: int, first: int, others: dict[int, Sums]
    ) -> tuple[list[int], int]:
        """Return the values of a set's sequences as integers over a common denominator, and this denominator."""
        parts = [others.get(first + i, {}) for i in range(len(options))]
        denominators = (unit, *(m for sums in parts for _, m in sums.values()))
        whole = least_common_multiple(denominators, self.limits)
        length = whole.bit_length()
        pay_quotients(self.limits, length, length, 1 + sum(map(len, parts)))
        up = {key_of(m): whole // m for m in denominators}
        earned = [
            v * up[key_of(unit)] + sum(n * up[key] for key, (n, _) in sums.items())
            for v, sums in zip(options, parts, strict=True)
        ]
        return earned, whole

    def rows(self, best: list[int]) -> dict[str, Row]:
        """Return rows for the sets that the best actions reach. A row plays the best action with probability 1."""
        reached = [True]
        chosen: dict[str, Row] = {}
        for key, k in self.met.items():
            above = self.owner[k]
            reached.append(reached[above] and self.before[k] == self.start[above] + best[above])
            if reached[k]:
                chosen[text_of_key(key)] = tuple(
                    (label, Fraction(int(i == best[k]))) for i, label in enumerate(self.labels[k])
                )
        return chosen
