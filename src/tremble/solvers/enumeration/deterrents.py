r"""Find the pure plans of a player against which the other player earns at most a bound.

A *domain* allows at least one action at each information set. Let U be the payoffs of the other player and b the bound.
The search lists all pure plans x of a domain with :math:`\max_y x^T U y \le b`, the *deterrents*. It branches over the
actions at one information set after the other.

*Cuts.* For a fixed reply y, :math:`x^T U y` is linear in x. One loop back over the sets gives its least value over the
domain. If this value exceeds b, the domain has no deterrent. The same holds for a sum of k replies, with k b. If no
cut found so far excludes the domain, fictitious play looks for new ones: take a plan, its best reply, the best plan of
the domain against this reply, and so on. Each plan is best against the sum of all replies before it. In the long run
these sums exclude every domain that a mixture of replies excludes; a few rounds exclude most domains early.

*Branching.* Branch at the set where the tried plans differ most: an optimal mixture mixes there, so every action costs
something. When one plan is left, its best reply decides exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tremble.game.sequence_form import SequenceForm
from tremble.integers import exact_product, safe_to_add

__all__ = ["Deterrents"]

_ROUNDS = 12  # of fictitious play in one domain
_MOST_CUTS = 24  # kept for later domains; cuts that excluded a domain recently come first


@dataclass(frozen=True, eq=False)
class Deterrents:
    """The deterrents of a player, and the cuts found so far.

    Examples
    --------
    In matching pennies a best reply to any pure plan earns 1:

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
    """Each cut: the last reply, the losses of all sequences against a sum of replies, and their number."""

    def below(self, allowed: NDArray[np.bool_], bound: Fraction | int) -> Iterator[NDArray[np.bool_]]:
        """Generate the sequences of each deterrent, bool[S]; the bound is in units of the form's payoffs."""
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
        """Return the plans of the domain that fictitious play tried; empty if a cut excludes the domain."""
        # Try the known cuts; start with the best plan against the strongest one.
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
        # Fictitious play: stop with a deterrent, a cut, or after some rounds.
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
    """Return the least sum of amounts over the pure plans of a domain, and a plan with this sum."""
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
    """Return the allowed sequences of the set where the tried plans differ most; every plan reaches this set."""
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
