r"""Exact quasi-perfect equilibria of two-player constant-sum games with perfect recall.

A player trembles while choosing a *plan*: every sequence q is played with probability at least
:math:`l_q(\varepsilon) = W_q \varepsilon^{d(q)}`, where d(q) counts the own actions in q and :math:`W_q` multiplies
their weights. A Nash equilibrium of the game with these constraints, for all small :math:`\varepsilon > 0`, has a
quasi-perfect equilibrium (van Damme 1984) as its limit: an action that is not best at its information set,
own future choices being made without mistakes, is played as rarely as allowed, and since
:math:`x_q \ge l_q` for the sequence before it, the ratio vanishes. Van Damme allows any vanishing mistakes, so this
reaches a part of the quasi-perfect equilibria; one is returned.

1. The program of :class:`~tremble.solvers.sequence_programs.TremblingNashProgram` has both players' plans in one
   basis; its matrix does not tremble.
2. Where most of the Nash vertex is degenerate, its basis says little: the program at one small number is
   solved in floating point from scratch.
3. From there float programs are solved degree by degree (:mod:`tremble.exact.lexicographic_float`): with
   K the greatest number of own actions in a play, at most :math:`(K + 1)^2` of them, those that the last basis does not
   solve already; by the simplex method, for whose pivots no polynomial bound is known.
4. The lexicographic oracle, and lexicographic pivots should it disagree
   (:func:`tremble.exact.lexicographic.optimize`): exact, and certain to end. The program is feasible for small
   :math:`\varepsilon` (all constraints on plans can be met) and bounded (by the greatest payoff).

References
----------
E. van Damme: A relation between perfect equilibria in extensive form games and proper equilibria in normal
form games, International Journal of Game Theory 13, 1984.
P. B. Miltersen, T. B. Sørensen: Computing a quasi-perfect equilibrium of a two-player game, Economic Theory
42, 2010; its extended abstract (SODA 2006) bounds the weights of information sets, not those of last actions.
G. Farina, N. Gatti, T. Sandholm: Practical exact algorithm for trembling-hand equilibrium refinements in
games, NeurIPS 2018, section 3.1, proposition 1, figure 1(a).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tremble.exact.highs import solve_float
from tremble.exact.lexicographic import BasicSolution, optimize
from tremble.exact.lexicographic_float import lexicographic_float_basis
from tremble.run.clock import attempted
from tremble.solvers.nash import mended
from tremble.solvers.run import Run
from tremble.solvers.sequence_programs import TremblingNashProgram, for_floats

__all__ = ["stable_vertex"]

_SMALL_BITS = 32  # the highest power of the small number that the float solver meets is 2^-32
_MOST_DEGREES = _SMALL_BITS // 2  # beyond, the number would be too large


def stable_vertex(
    trembling: TremblingNashProgram, nash: BasicSolution, run: Run
) -> tuple[BasicSolution, dict[str, Any]]:
    """A stable vertex of a program whose matrix does not tremble, and diagnostics, from the optimum at 0."""
    clock, progress = run.clock, run.progress
    program, closest = trembling.program, for_floats(trembling)[0].program
    began = clock.elapsed
    stats: dict[str, Any] = {}
    basis, iterations, programs = np.flatnonzero(nash.basic), 0, 0
    degree = max(len(program.rhs), len(program.cost)) - 1
    if nash.degenerate and degree <= _MOST_DEGREES:
        progress("refinement, floating point", None)
        at_a_number = closest.at(min(8, _SMALL_BITS // max(degree, 1)))
        start = attempted(partial(solve_float, at_a_number, clock.check, tolerance=1e-9))
        basis = basis if start is None else start.basis
    progress("refinement, degree by degree", 0.0)
    report = partial(progress, "refinement, degree by degree")
    by_degree = attempted(partial(lexicographic_float_basis, closest, basis, clock.check, report))
    if by_degree is not None:  # else the exact pivots do it all
        basis, iterations, programs = by_degree.basis, by_degree.iterations, by_degree.programs
    if trembling.closer is not None:  # and some payoffs are too far from others for tolerances
        basis = mended([near.program for near in for_floats(trembling)], basis, run)
    stats["linear_program_seconds_float"] = clock.elapsed - began
    progress("stability of the basis", None)
    stable, pivots = optimize(program, basis, clock.check)
    stats |= {
        "lexicographic_programs": programs,
        "lexicographic_iterations": iterations,
        "exact_pivots": pivots,
        "denominator_bits": max(d.bit_length() for d in (*stable.value_denominators, *stable.reduced_denominators)),
    }
    return stable, stats
