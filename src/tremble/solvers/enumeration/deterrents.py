r"""Pure plans of a player against which the other one earns no more than a bound.

With U the other player's payoffs, wanted are all pure plans x of a domain (some actions are allowed, at least one at
each information set) with :math:`\max_y x^T U y \le b`. Partial plans are extended set by set. Each reply y found so
far is a *cut*: :math:`x^T U y` is linear in x, so its least value over the domain is one loop over the sets, back from
the last, and if that is more than b, no plan of the domain is wanted. A domain that passes all cuts is asked for a plan,
whose best reply is the next cut where it earns more than b. At the end one plan is left, and its best reply is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.base.exact_integers import exact_product, safe_to_add
from tremble.model.sequence_form import SequenceForm

__all__ = ["Deterrents"]

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
    cuts: list[tuple[NDArray[np.bool_], list[int]]] = field(default_factory=list)  # replies; [S] what x earns them

    def below(self, allowed: NDArray[np.bool_], bound: Fraction | int) -> Iterator[NDArray[np.bool_]]:
        """Which sequences each wanted plan plays, bool[S]; the bound is in units of the form's payoffs."""
        steps = self.form.sequences[self.player].steps()
        todo = [allowed.tolist()]
        while todo:
            self.check()
            domain = todo.pop()
            plan = self._passing(steps, domain, bound)
            if plan is None:
                continue
            options = _first_open(steps, domain)
            if not options:
                yield np.array(plan, dtype=np.bool_)
            for chosen in reversed(options):
                narrower = domain.copy()
                for q in options:
                    narrower[q] = q == chosen
                todo.append(narrower)

    def _passing(
        self, steps: Sequence[tuple[int, int, int]], domain: list[bool], bound: Fraction | int
    ) -> list[bool] | None:
        """A plan of the domain, or None if a cut leaves none; that of the worst cut, which the next one complements."""
        worst: tuple[Any, list[bool]] | None = None
        for k, (_, coefficients) in enumerate(self.cuts):
            least = least_of(steps, coefficients, domain)
            if least[0] > bound:
                self.cuts.insert(0, self.cuts.pop(k))
                return None
            if worst is None or least[0] > worst[0]:
                worst = least
        plan = worst[1] if worst else least_of(steps, [0] * len(domain), domain)[1]
        threat = self.form.side(1 - self.player)
        losses = [-gain for gain in threat.gains(np.array(plan, dtype=np.int64)).tolist()]
        lost, reply = least_of(threat.steps(), losses, [True] * threat.num_sequences)
        if -lost > bound:
            played = np.array(reply, dtype=np.bool_)
            pays = safe_to_add(exact_product(threat.payoff, played[threat.row].astype(np.int64)))
            coefficients = np.zeros(len(domain), dtype=pays.dtype)
            np.add.at(coefficients, threat.opponent, pays)
            self.cuts.insert(0, (played, coefficients.tolist()))
            del self.cuts[_MOST_CUTS:]
            if least_of(steps, self.cuts[0][1], domain)[0] > bound:
                return None
        return plan


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


def _first_open(steps: Sequence[tuple[int, int, int]], domain: Sequence[bool]) -> list[int]:
    """The allowed sequences of the first set that every plan of the domain reaches, and where several are allowed."""
    sure = [False] * len(domain)
    sure[0] = True
    for before, first, end in steps:
        if sure[before]:
            options = [q for q in range(first, end) if domain[q]]
            if len(options) > 1:
                return options
            sure[options[0]] = True
    return []
