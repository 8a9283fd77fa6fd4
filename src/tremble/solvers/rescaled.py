"""Repair a basis that a float solver found for a game with rescaled payoffs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tremble.exact.program import Program
from tremble.run.clock import attempted
from tremble.solvers.method import Run, nobody_listens

__all__ = ["repaired_basis"]


_MOST_PIVOTS = 100  # greatest number of float pivots without a tolerance in each program


def repaired_basis(programs: Sequence[Program], basis: NDArray[np.int64], run: Run) -> NDArray[np.int64]:
    """Make ``basis`` optimal for each program in turn, by float pivots without a tolerance. Stop at a failure."""
    from tremble.exact.asymptotic import InfinitesimalProgram, pivot_at_infinitesimal

    for program in programs:
        trembling = InfinitesimalProgram(program, max(len(program.rhs), len(program.cost)) - 1, run.clock.check)
        pivoted = attempted(partial(pivot_at_infinitesimal, trembling, basis, nobody_listens, max_pivots=_MOST_PIVOTS))
        if pivoted is None or pivoted[2]:  # payoffs differ too much in size for floats
            break
        basis = pivoted[0]
    return basis
