r"""Pure plans of a player against which the other one earns no more than a bound.

With U the other player's payoffs, wanted are all pure plans x of a domain (some actions are allowed, at least one at
each information set) with :math:`\max_y x^T U y \le b`. Partial plans are extended set by set.

*Cuts.* :math:`x^T U y` is linear in x: its least value over the domain is one loop over the sets, back from the last,
and if that is more than b, no plan of the domain is wanted. The same holds of a sum of k replies y, with k b. A domain
that passes all cuts so far is looked at by fictitious play: a plan, its best reply, the best plan of the domain against
that, its best reply, and so on, each plan best against the sum of all replies before. The sums rule out whatever a
mixture of replies does, in the long run; a few rounds are enough to leave most domains early.

*Where to go on.* At the set where these plans differ most: there an optimal mixture mixes, so that every action costs
something. In the end one plan is left, and its best reply decides, exactly.
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

_ROUNDS = 12  # of replies, each to the best plan against those before: their sum may rule out what none of them does
_MOST_CUTS = 24  # the ones of use are asked first, the others go


@dataclass(frozen=True, eq=False)
class Deterrents:
    """The plans of a player that hold the other one down, and the replies that have ruled out plans so far.

    Examples
    --------
    In matching pennies every pure plan can be exploited for 1, and by no more:

    >>> import tremble
    >>> form = SequenceForm.of(tremble.load("matching_pennies"))
    >>> all_plans = Deterrents(form, 0, lambda: None)
    >>> [len(list(all_plans.below(np.ones(3, dtype=bool), bound))) for bound in (0, 1)]
    [0, 2]
    """

    form: SequenceForm
    player: int
    check: Callable[[], None]
    cuts: list[tuple[NDArray[np.bool_], list[int], int]] = field(default_factory=list)  # a reply; [S] sum of how many

    def below(self, allowed: NDArray[np.bool_], bound: Fraction | int) -> Iterator[NDArray[np.bool_]]:
        """Which sequences each wanted plan plays, bool[S]; the bound is in units of the form's payoffs."""
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
        """Plans of the domain, each the best one against the replies to those before; none if a cut leaves none."""
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
    """The least sum of amounts over the pure plans of a domain, and a plan that has it."""
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
    """The allowed sequences of a set that every plan of the domain reaches; of that where those tried differ most."""
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
