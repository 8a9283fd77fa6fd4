r"""Best responses under rules that are never built, without shortcuts.

Against a fixed strategy, all histories of an information set that the other player and chance let happen follow, by
perfect recall, after one and the same own action. So the search carries lists of histories with weights (of chance
times the other player): for each own action it follows them until the player moves again or the game ends, and
groups them by what the player then knows. Each such group *is* the information set, as far as the other player's
strategy ever comes there, and is met once; meeting a set a second time proves that the player forgets. Sets are
numbered as they are met, so a backward loop adds up

.. math::  v(q) = \sum_{z \in q} w_z\,u(z) + \sum_{I \text{ after } q} \max_{a} v(I, a) .

No bound cuts the search short: what is never looked at can only be what the other player never lets happen.
Weights are integers over the common denominator of their list, so that where the other player does not mix
there is nothing to multiply.

References
----------
B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček, "An exact double-oracle algorithm for zero-sum
extensive-form games with imperfect information", JAIR 51, 2014, section 4.2 (there with pruning).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any, ClassVar

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import OwnMove, no_perfect_recall, text_of_key
from tremble.numbers import key_of
from tremble.verifier.budget import SHORT, budget
from tremble.verifier.profiles.nature import Nature, Sums, add, no_player, shares, total
from tremble.verifier.profiles.rows import Row, StatedPlay, require_labels, unlike

__all__ = ["Reporter", "best_response"]

_SHORT = 1024  # bits of a denominator up to which looking for a common factor is cheap


class Reporter:
    """Tells the listener how far a pass over histories has come, and the budget how many there are."""

    every: ClassVar[int] = 1_000
    """Histories between two reports."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __call__(self, count: int, histories: int | None = None) -> None:
        """So many of what the pass counts have been met, and so many histories since the last report."""
        budget().meet(self.every if histories is None else histories)
        self.again(count)

    def again(self, count: int) -> None:
        """What has been met is looked at again."""
        budget().listen(f"{count:,} {self._what}")


@dataclass(slots=True)
class _Group:
    """The histories of an information set, with their weights as integers over one denominator."""

    histories: list[tuple[Any, int]]
    unit: int

    def add(self, history: Any, weight: int, unit: int) -> None:
        """Add a history whose weight is over another denominator."""
        costs = budget()
        long = self.unit.bit_length()
        costs.quotient(long, unit.bit_length(), 4)
        whole = lcm(self.unit, unit)
        up = whole // self.unit
        costs.product(long, up.bit_length(), len(self.histories))
        self.histories = [(h, w * up) for h, w in self.histories]
        self.histories.append((history, weight * (whole // unit)))
        self.unit = whole

    def keep(self, times: int) -> None:
        """Tell the budget what so many numbers over the denominator take (free, if negative)."""
        if (long := self.unit.bit_length()) > SHORT:
            budget().keep(long * times)


@dataclass(slots=True)
class _Sets:
    """The own information sets as they are met, and what their sequences earn.

    Set 0 is no set: its one action leads to the root. Sequences are numbered by set and action.
    """

    met: dict[Hashable, int] = field(default_factory=dict)  # key of a set -> its number, from 1
    labels: list[tuple[str, ...]] = field(default_factory=lambda: [("",)])  # of the actions of each set
    # The sequence that leads to each set, and the set of that sequence.
    before: array[int] = field(default_factory=lambda: array("q", [-1]))
    owner: array[int] = field(default_factory=lambda: array("q", [-1]))
    start: array[int] = field(default_factory=lambda: array("q", [0]))  # the first sequence of each set
    units: list[int] = field(default_factory=lambda: [1])  # denominator of what the sequences of each set earn
    value: list[int] = field(default_factory=lambda: [0])  # of each sequence, over that denominator
    # Set -> sequence -> what it earns over other denominators.
    others: dict[int, dict[int, Sums]] = field(default_factory=dict)

    def meet(self, labels: tuple[str, ...], before: int, owner: int, unit: int) -> int:
        """Number one more set."""
        self.labels.append(labels)
        self.before.append(before)
        self.owner.append(owner)
        self.start.append(len(self.value))
        self.units.append(unit)
        self.value.extend([0] * len(labels))
        return len(self.start) - 1

    def own_history(self, sequence: int, owner: int) -> list[OwnMove]:
        """Return the own moves up to a sequence, which belongs to the set ``owner``."""
        keys, moves = list(self.met), list[OwnMove]()
        while owner > 0:
            moves.append((text_of_key(keys[owner - 1]), self.labels[owner][sequence - self.start[owner]]))
            sequence, owner = self.before[owner], self.owner[owner]
        return moves[::-1]

    def earn(self, number: int, sequence: int, top: int, bottom: int) -> None:
        """Add a fraction to what a sequence of a set earns."""
        add(self.others.setdefault(number, {}).setdefault(sequence, {}), top, bottom)

    def backward(self, report: Reporter) -> list[int]:
        """The best action at each set, the last first; what it earns is added to the sequence that leads there."""
        best = [0] * len(self.start)
        end = len(self.value)
        for k in range(len(self.start) - 1, 0, -1):
            if k % Reporter.every == 0:
                report.again(len(self.met))
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
        """What the sequences of a set earn, all parts together."""
        costs = budget()
        parts = [others.get(first + i, {}) for i in range(len(options))]
        denominators = (unit, *(m for sums in parts for _, m in sums.values()))
        whole = costs.common_denominator(denominators)
        long = whole.bit_length()
        costs.quotient(long, long, 1 + sum(map(len, parts)))
        up = {key_of(m): whole // m for m in denominators}
        earned = [
            v * up[key_of(unit)] + sum(n * up[key] for key, (n, _) in sums.items())
            for v, sums in zip(options, parts, strict=True)
        ]
        return earned, whole

    def rows(self, best: list[int]) -> dict[str, Row]:
        """The best actions, as rows, at the sets that they lead to."""
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


_Waiting = list[tuple[Any, int, int]]  # histories to be followed, numerators and denominators of their weights
_Follow = Callable[[Any, int, int], tuple[int, Any]]


def _follower(rules: Any, other: StatedPlay, nature: Nature, waiting: _Waiting, report: Callable[[], None]) -> _Follow:
    """What follows a history as long as the other player and chance have no choice.

    It returns who moves then, and where. Where the other player or chance mixes, all that may come goes to
    ``waiting``, and ``CHANCE`` is returned.
    """
    player, actions, child, infoset = rules.player, rules.actions, rules.child, rules.infoset
    you, decisions, decide, default = other.player, other.decisions, other.decide, other.default
    odds = nature.odds

    def follow(g: Any, weight: int, unit: int) -> tuple[int, Any]:
        while True:
            mover = player(g)
            if mover != you:
                if mover == CHANCE:
                    waiting.extend([(child(g, j), n, m) for j, n, m in shares(odds(g), weight, unit)])
                return mover, g
            key = infoset(g)
            decision = decisions.get(key)
            if decision is None:
                report()
                decision = decide(g, key)
            else:
                labels = actions(g)
                if labels is not decision[0] and tuple(labels) != decision[0]:
                    raise unlike(you, key, decision[0], labels)
                if decision[3] and default is not None and default(g) != decision[1]:
                    raise other.two_faced(key)
            if decision[1] < 0:
                waiting.extend([(child(g, j), n, m) for j, n, m in shares(decision[2], weight, unit)])
                return CHANCE, g
            g = child(g, decision[1])

    return follow


class _Search:
    """A search for a best response; :meth:`run` is what it does."""

    def __init__(self, rules: Any, own: StatedPlay, other: StatedPlay, nature: Nature) -> None:
        self.sets = _Sets()
        self._rules, self._own, self._nature = rules, own, nature
        self._waiting: _Waiting = []
        self.report = Reporter(f"information sets of player {own.player + 1}")
        self._unreported = 0  # histories since the last report
        self._sound: set[tuple[str, ...]] = set()  # lists of labels that have been looked at
        self._follow = _follower(rules, other, nature, self._waiting, lambda: self._report_sets(1))

    def run(self) -> None:
        """Meet all own information sets that the other player and chance let happen."""
        root: Callable[[Any, int], Any] = lambda h, _: h  # noqa: E731 (the child of set 0)
        stack: list[tuple[Hashable, _Group, int, int]] = []
        number, group, step = 0, _Group([(self._rules.root(), 1)], 1), root
        while True:
            first = self.sets.start[number]
            for i in range(len(self.sets.labels[number])):
                for key, met in self._play(step, i, group, number, first + i).items():
                    met.keep(len(met.histories) + 1)
                    stack.append((key, met, first + i, number))
            if not stack:
                return self._report_sets(self._unreported)
            key, group, before, owner = stack.pop()
            group.keep(-len(group.histories) - 1)
            number, step = self._enter(key, group, before, owner), self._rules.child

    def _report_sets(self, histories: int) -> None:
        self.report(len(self.sets.start), histories)

    def _play(
        self, step: Callable[[Any, int], Any], action: int, group: _Group, number: int, sequence: int
    ) -> dict[Hashable, _Group]:
        """Play an action at all histories of a set, and group by information set where the player moves again."""
        # This loop is what takes the time of a verification, so what it calls is kept in local names.
        me, follow, waiting = self._own.player, self._follow, self._waiting
        infoset, payoff, payoffs = self._rules.infoset, self._rules.payoff, self._nature.payoffs
        groups: dict[Hashable, _Group] = {}
        unit, earned = group.unit, 0
        unreported, every = self._unreported, Reporter.every
        for h, w in group.histories:
            waiting.append((step(h, action), w, unit))
            while waiting:
                g, weight, d = waiting.pop()
                unreported += 1
                if unreported > every:
                    self._report_sets(unreported)
                    unreported = 0
                mover, g = follow(g, weight, d)
                if mover == me:
                    key = infoset(g)
                    met = groups.get(key)
                    if met is None:
                        groups[key] = _Group([(g, weight)], d)
                    elif met.unit == d:
                        met.histories.append((g, weight))
                    else:
                        met.add(g, weight, d)
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
        self._unreported = unreported
        self.sets.value[sequence] = earned
        return groups

    def _enter(self, key: Hashable, group: _Group, before: int, owner: int) -> int:
        """Number an information set that is met; its histories must have the same actions."""
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
        group.keep(len(labels) + 1)
        return self.sets.meet(labels, before, owner, group.unit)


def best_response(
    rules: Any, own: StatedPlay, other: StatedPlay, nature: Nature
) -> tuple[Fraction, dict[str, Row], int]:
    """Value of a best response, its rows where it comes, and how many information sets were met."""
    budget().about = "strategies"
    search = _Search(rules, own, other, nature)
    search.run()
    sets = search.sets
    best = sets.backward(search.report)
    sums = sets.others.get(0, {}).get(0, {})
    add(sums, sets.value[0], 1)
    return total(sums), sets.rows(best), len(sets.met)
