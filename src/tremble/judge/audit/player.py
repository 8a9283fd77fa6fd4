"""Audit one player: find the loss of each action at every information set, and then check whole continuations.

A *continuation* is a plan for the player's moves from an information set on. Two facts make it unnecessary to check
most information sets separately:

* If a continuation from a set I is not dominated, it is also not dominated from any set below I that it reaches.
* If a continuation is a best response to an opponent who trembles uniformly, it is not dominated.

At the remaining sets, the audit checks each action. It visits the sets from the last to the first, and assumes that the
player avoids mistakes that were found at later sets. It solves linear programs, except in subtrees of perfect
information (:mod:`tremble.judge.audit.perfect_information`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.judge.audit.outlook import Outlook
from tremble.judge.audit.perfect_information import PerfectInformation
from tremble.judge.audit.regret import Continuation, Regret, Subgame, best_case
from tremble.solution.audit import Blunder, Kind
from tremble.solvers.method import Run

__all__ = ["PlayerAudit"]

Rows = list[list[Fraction]]


@dataclass(frozen=True)
class _Unmeasured:
    """A *continuation* (a plan for a set and all later sets) that is dominated, but whose loss is unknown."""

    better: tuple[Fraction, ...]  # probabilities of the actions at the set in a better continuation


class PlayerAudit:
    """The audit of one player in an exact profile.

    Call :meth:`regrets` first, then :meth:`continuations`, and then :meth:`measurements`.

    Attributes
    ----------
    never_dealt : set of int
        Indices of the information sets that chance never reaches.
    unexamined : set of int
        Indices of the information sets that were checked only for regret.
    off_path, undecided
        See the fields of :class:`tremble.results.Audit` with these names.
    """

    def __init__(self, tree: GameTree, player: int, profile: tuple[BehaviorStrategy, BehaviorStrategy]) -> None:
        self.tree = tree
        self.player = player
        self.outlook = Outlook.of(tree, player)
        self.side = self.outlook.side
        self.rows: Rows = [[Fraction(p) for p in row] for row in profile[player]]
        self.own = profile[player].to_realization_plan(tree)
        self.opponent = profile[1 - player].to_realization_plan(tree)
        self.uniform = BehaviorStrategy.uniform(tree, 1 - player).to_realization_plan(tree).weight
        self.blunders: list[Blunder] = []
        self.losing: list[set[int]] = [set() for _ in self.rows]  # for each set: actions with a regret
        self.off_path = Fraction(0)
        self.undecided = 0
        self.never_dealt = {k for k, nodes in enumerate(self.outlook.arrival) if not any(nodes.values())}
        self.unexamined = set(range(len(self.rows))) - self.never_dealt
        self.value = self.side.best_values(self.side.gains(self.opponent.weight).tolist())
        self.reach = [self.outlook.reach(k, self.opponent.weight) for k in range(len(self.rows))]
        self.plain = PerfectInformation(tree, player)
        self._corrected_rows = [list(row) for row in self.rows]
        self._corrected = self.plain.continued(self._corrected_rows.__getitem__)
        self._unmeasured: dict[int, list[tuple[Kind, int | None, Fraction, int, list[Fraction]]]] = {}

    @property
    def best_value(self) -> Fraction:
        """The payoff of a best response."""
        return self._payoff(self.value[0])

    def _payoff(self, numerator: int) -> Fraction:
        """Convert a payoff to a fraction. ``numerator`` is the payoff in the units of ``self.value``."""
        return Fraction(numerator, (self.opponent.denominator or 1) * self.outlook.payoff_unit)

    def regrets(self) -> None:
        """Record each played action that earns less than another action against the opponent's strategy."""
        for k, row in enumerate(self.rows):
            if not self.reach[k]:
                continue
            options = [self.value[s] for s in self.side.sequences(k)]
            best = max(options)
            # Converts a loss in units of `value` to payoff units, for each time that chance and the opponent lead to k.
            unit = Fraction(self.outlook.chance_unit, self.outlook.payoff_unit * self.reach[k])
            for a, (p, value) in enumerate(zip(row, options, strict=True)):
                if p and value < best:
                    self.losing[k].add(a)
                    self._report(k, "regret", a, p, options.index(best), (best - value) * unit)
                    if not self.own.weight[self.side.parent[k]]:
                        self.off_path += p * self._payoff(best - value)

    def _report(self, k: int, kind: Kind, a: int | None, p: Fraction, better: int, loss: Fraction) -> None:
        labels = self.tree.actions[self.player][k]
        self.blunders.append(
            Blunder(
                player=self.player,
                infoset=k,
                label=self.tree.infoset_labels[self.player][k],
                kind=kind,
                action=None if a is None else labels[a],
                probability=p,
                better=labels[better],
                loss=loss,
                own_reach=Fraction(self.own.probability(int(self.side.parent[k]))),
                other_reach=Fraction(self.reach[k], (self.opponent.denominator or 1) * self.outlook.chance_unit),
            )
        )

    def _report_or_measure(
        self,
        k: int,
        kind: Kind,
        a: int | None,
        p: Fraction,
        better: int,
        row: list[Fraction],
        regret: Regret | _Unmeasured,
    ) -> None:
        """Report a blunder, or store it for later if its loss is unknown. For a mixture, ``a`` must be None."""
        if isinstance(regret, Regret):
            self._report(k, kind, a, p, better, regret.amount)
        else:
            self._unmeasured.setdefault(k, []).append((kind, a, p, better, row))

    # -- whole continuations ---------------------------------------------------------------------

    def continuations(self, run: Run) -> Iterator[None]:
        """Find dominated and unsupported actions, and add them to ``blunders``.

        The generator yields at every information set, first from the root down and then back up, so that the caller can
        report progress.
        """
        corrected = self._corrected_rows
        settled = self._best_against_uniform_trembles() | self.never_dealt
        self.unexamined -= settled
        pending = []
        given = self.plain.continued(self.rows.__getitem__)
        for k in range(len(self.rows)):
            run.clock.check()
            yield
            if k in settled:
                continue
            node = self.plain.nodes.get(k)
            if node is not None:
                if given.at(node).right is None:
                    pending.append(k)
                else:
                    self.unexamined.discard(k)
                continue
            below = Subgame(self.outlook, k)
            if self._dominated_by_support(below, self.rows, self.rows[k], run) is not None:
                pending.append(k)
            else:
                x = self._continuation(self.rows, k, self.rows[k])
                reached = {j for j in below.sets if j == k or self.side.parent[j] in x}
                settled |= reached
                self.unexamined -= reached
        for k in reversed(pending):
            run.clock.check()
            yield
            corrected[k] = self._corrected_row(k, corrected, run)
            if k not in self._unmeasured:
                self.unexamined.discard(k)

    def measurements(self, run: Run) -> Iterator[None]:
        """Compute each loss that :meth:`continuations` left unknown. Yield before each set, for progress reports."""
        for k, rows in self._unmeasured.items():
            yield
            for kind, a, p, better, row in rows:
                regret = self._dominated(Subgame(self.outlook, k), self._corrected_rows, row, run)
                assert regret is not None  # `continuations` has proven that the action is dominated
                self._report(k, kind, a, p, better, regret.amount)
            self.unexamined.discard(k)

    def _best_against_uniform_trembles(self) -> set[int]:
        """Return each set at and below which the strategy is a best response if the opponent trembles uniformly."""
        uniform = self.uniform.astype(object)
        large = 2 * sum(map(abs, (self.side.payoff.astype(object) * uniform[self.side.opponent]).tolist())) + 1
        gain = self.side.gains(large * self.opponent.weight.astype(object) + uniform)
        value = self.side.best_values(gain.tolist())
        best = [False] * len(self.rows)
        for k in range(len(self.rows) - 1, -1, -1):
            played = [s for s, p in zip(self.side.sequences(k), self.rows[k], strict=True) if p]
            most = max(value[s] for s in self.side.sequences(k))
            best[k] = all(value[s] == most and all(best[f] for f in self.outlook.followers[s]) for s in played)
        return {k for k, ok in enumerate(best) if ok}

    def _dominated_by_support(
        self, below: Subgame, rows: Rows, row: list[Fraction], run: Run
    ) -> tuple[Continuation, Regret] | None:
        """Check if a continuation is dominated. Return a dominated continuation and its regret, or None.

        Only the support (the set of played actions) decides if a continuation is dominated. The method checks and
        returns the uniform continuation with the same support, because its numbers are shorter. It returns None if the
        continuation is not dominated.
        """
        x = self._continuation({j: _uniform_row(rows[j]) for j in below.sets}, below.k, _uniform_row(row))
        regret = below.dominated(*below.worth(x), self.uniform, run)
        return (x, regret) if regret.amount else None

    def _dominated(self, below: Subgame, rows: Rows, row: list[Fraction], run: Run) -> Regret | None:
        """Return a dominated plan's regret, else None. The plan has ``row`` at ``below.k``, ``rows`` at later sets."""
        dominated = self._dominated_by_support(below, rows, row, run)
        if dominated is None:
            return None
        x = self._continuation(rows, below.k, row)
        return dominated[1] if x == dominated[0] else below.dominated(*below.worth(x), self.uniform, run)

    def _continuation(self, rows: dict[int, list[Fraction]] | Rows, k: int, row: list[Fraction]) -> dict[int, Fraction]:
        """Return the probability of each of the player's sequences from the set k on, given that play reaches k.

        ``row`` contains the probabilities of the actions at k. ``rows`` contains the probabilities at each set below k.
        """
        x: dict[int, Fraction] = {}
        pending = [(k, Fraction(1), row)]
        while pending:
            j, reach, played = pending.pop()
            for s, p in zip(self.side.sequences(j), played, strict=True):
                if p:
                    x[s] = reach * p
                    pending += [(f, x[s], rows[f]) for f in self.outlook.followers[s]]
        return x

    def _corrected_row(self, k: int, corrected: Rows, run: Run) -> list[Fraction]:
        """Record the blunders at set k. Return the player's probabilities at k without the blunders."""
        row = self.rows[k]
        below = cache(lambda: Subgame(self.outlook, k))
        right: list[int] = []
        better = max(range(len(row)), key=lambda a: self.value[int(self.side.start[k]) + a])
        for a, p in enumerate(row):
            if not p or a in self.losing[k]:
                continue
            kind: Kind = "dominated"
            regret = self._regret_of(k, below, corrected, _pure(a, len(row)), run)
            if regret is None:
                right.append(a)
                continue
            if not self.reach[k]:
                least = self._least_loss(k, below, a, corrected, run)
                self.undecided += least is None
                if least is not None and least.amount:
                    kind, regret = "unsupported", least
            better = _replacement(regret.better, a)
            self._report_or_measure(k, kind, a, p, better, _pure(a, len(row)), regret)
        if not right:
            return _pure(better, len(row))
        share = sum(row[a] for a in right)
        rest = [p / share if a in right else Fraction(0) for a, p in enumerate(row)]
        if len(right) == 1:
            return rest
        regret = self._regret_of(k, below, corrected, rest, run)
        if regret is None:
            return rest
        better = regret.better.index(max(regret.better))
        self._report_or_measure(k, "dominated", None, Fraction(share), better, rest, regret)
        return _pure(right[0], len(row))

    def _regret_of(
        self, k: int, below: Callable[[], Subgame], corrected: Rows, row: list[Fraction], run: Run
    ) -> Regret | _Unmeasured | None:
        """Return the loss of a continuation that starts at set k, and better probabilities at k.

        The continuation plays ``row`` at k and ``corrected`` at later sets. If it is undominated, return None.
        """
        node = self.plain.nodes.get(k)
        if node is not None:
            continued = self._corrected.playing(node, row)
            if continued.right is not None:
                return None
            if not self.plain.is_small(node):
                loss, a = self.plain.loss(node, continued)
                better = tuple(_pure(a, len(row)))
                return _Unmeasured(better) if loss is None else Regret(loss, better)
        return self._dominated(below(), corrected, row, run)

    def _least_loss(self, k: int, below: Callable[[], Subgame], a: int, corrected: Rows, run: Run) -> Regret | None:
        """Return an action's minimum loss over all plans of the opponent, or None if this takes too long."""
        node = self.plain.nodes.get(k)
        if node is not None and not self.plain.is_small(node):
            amount, better = self.plain.wrong_by(node, a)
            return Regret(amount, tuple(_pure(better, len(self.rows[k]))))
        x = self._continuation(corrected, k, _pure(a, len(self.rows[k])))
        return best_case(below(), int(self.side.start[k]) + a, x, run)


def _pure(a: int, count: int) -> list[Fraction]:
    return [Fraction(b == a) for b in range(count)]


def _uniform_row(row: list[Fraction]) -> list[Fraction]:
    """Return equal probabilities for the actions that have a positive probability in ``row``."""
    return _uniform_over(tuple([p.numerator != 0 for p in row]))


@cache
def _uniform_over(support: tuple[bool, ...]) -> list[Fraction]:
    return [Fraction(played, sum(support)) for played in support]


def _replacement(better: Sequence[Fraction], a: int) -> int:
    """Return the action other than ``a`` with the greatest probability in ``better``, or ``a`` if no other is played.

    ``better`` contains the action probabilities of a better continuation.
    """
    others = {b: p for b, p in enumerate(better) if p and b != a}
    return max(others, key=others.__getitem__) if others else a
