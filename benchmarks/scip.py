"""SCIP's global solver for bilinear programs, on the bilinear sequence form, as a contestant would model it.

The player's refined sequences have a plan r, its forgetful sets a distribution x, and :math:`r_{sa} = r_s x_a` there;
the opponent, which must have perfect or A-loss recall, has von Stengel's rows on its refined sets. See
:mod:`tremble.recall.bilinear_form`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.game.forgetting import classify_recall
from tremble.recall.bilinear_form import BilinearForm

__all__ = ["Bilinear", "Found"]

_INFINITE = 1e19
_PLAYED = 1e-7  # a sequence with less weight counts as not played
_SOLVED = ("optimal", "gaplimit")


@dataclass(frozen=True)
class Found:
    """What SCIP says, and the behavior of its best solution."""

    solved: bool
    lower: float | None  # None where there is none yet
    upper: float | None
    nodes: int
    behavior: NDArray[np.float64] | None  # [slots]


class Bilinear:
    """The program of a form, ready to be solved once, in one thread."""

    def __init__(self, form: BilinearForm, *, epsilon: float, time_limit: float) -> None:
        from pyscipopt import Model, quicksum

        if classify_recall(form.tree, 1 - form.player) not in ("perfect", "a-loss"):
            raise GameError("the opponent has neither perfect nor A-loss recall: its compact rows would be too strong")
        self._form = form
        model = Model()
        model.hideOutput()
        for name, setting in {
            "limits/time": time_limit,
            "limits/absgap": epsilon,
            "limits/gap": 0.0,
            "parallel/maxnthreads": 1,
        }.items():
            model.setParam(name, setting)
        own, other, tree = form.own, form.other, form.tree
        plan = [model.addVar(lb=float(s == 0), ub=1.0) for s in range(own.num_sequences)]
        slots = int(own.slot_start[-1])
        forgetful = np.repeat(own.forgetful, np.diff(own.slot_start))
        mixed = [model.addVar(lb=0.0, ub=1.0) if forgetful[i] else None for i in range(slots)]
        for i, (first, end) in enumerate(pairwise(own.slot_start.tolist())):
            if own.forgetful[i]:
                model.addCons(quicksum(mixed[first:end]) == 1)
        for k, (first, end) in enumerate(pairwise(own.start.tolist())):
            before = plan[own.parent[k]]
            model.addCons(quicksum(plan[first:end]) == before)
            for s in range(first, end) if own.forgetful[own.infoset[k]] else ():
                model.addCons(plan[s] == before * mixed[own.slot[s]])
        payoff = tree.payoff_float[:, form.player]
        least, most = min(0.0, float(payoff.min())), max(0.0, float(payoff.max()))  # plans and chance weigh at most 1
        value = [model.addVar(lb=least, ub=most) for _ in range(len(other.infoset) + 1)]
        behind: list[list[Any]] = [[] for _ in range(other.num_sequences)]
        for k, before in enumerate(other.parent.tolist()):
            behind[before].append(value[k + 1])
        for s, t, pay in zip(own.row.tolist(), own.opponent.tolist(), own.payoff_float.tolist(), strict=True):
            behind[t].append(pay * plan[s])
        for t, terms in enumerate(behind):
            model.addCons(value[other.set_of[t] + 1] <= quicksum(terms))
        model.setObjective(value[0], "maximize")
        self._model, self._plan, self._mixed = model, plan, mixed

    def solve(self) -> None:
        """Run until the bounds are close enough, or the time is up."""
        self._model.optimize()

    def found(self) -> Found:
        """What came out."""
        model = self._model
        lower, upper = (float(bound) for bound in (model.getPrimalbound(), model.getDualbound()))
        behavior = None
        if model.getNSols():
            best = model.getBestSol()
            plan = np.array([model.getSolVal(best, column) for column in self._plan])
            behavior = self._behavior(plan, [None if x is None else model.getSolVal(best, x) for x in self._mixed])
        return Found(
            model.getStatus() in _SOLVED,
            lower if abs(lower) < _INFINITE else None,
            upper if abs(upper) < _INFINITE else None,
            int(model.getNTotalNodes()),
            behavior,
        )

    def _behavior(self, plan: NDArray[np.float64], mixed: list[float | None]) -> NDArray[np.float64]:
        """Of its columns, with rows that sum to 1; uniform where nothing is known."""
        own, start = self._form.own, self._form.own.slot_start
        behavior = np.zeros(len(mixed))
        for k, (first, end) in enumerate(pairwise(own.start.tolist())):
            if plan[own.parent[k]] > _PLAYED:
                behavior[own.slot[first:end]] = np.maximum(plan[first:end], 0.0)
        for i, probability in enumerate(mixed):
            if probability is not None:
                behavior[i] = max(probability, 0.0)
        for first, end in pairwise(start.tolist()):
            total = behavior[first:end].sum()
            behavior[first:end] = behavior[first:end] / total if total > 0.0 else 1.0 / (end - first)
        return behavior
