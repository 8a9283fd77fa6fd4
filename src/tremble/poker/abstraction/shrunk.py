"""Exact Nash equilibria of ordered games, computed by shrinking a game without loss and solving a linear program.

The method eliminates the dominated actions of the shrunk game, solves the remaining game, and lifts the equilibrium to
strategies of the original game. The tree of the original game is not built. Refinements depend on dominated actions, so
for refinements tremble instead builds the original game's tree and merges equivalent sequences in a linear program.
"""

from __future__ import annotations

from dataclasses import replace

from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.dominance import undominated
from tremble.poker.abstraction.lifting import complete
from tremble.solution.claim import Claim, Profile
from tremble.solvers.method import Run
from tremble.solvers.zero_sum import LpSettings, solve_nash

__all__ = ["shrunk_nash_claim"]


def shrunk_nash_claim(abstraction: Abstraction, run: Run, settings: LpSettings) -> Claim:
    """Compute an exact Nash equilibrium of an ordered game without building its tree.

    Raises
    ------
    TooLargeError
        The shrunk game's tree is too large to be built.
    """
    run.progress("dominated actions", None)
    left = undominated(abstraction.filtered, progress=lambda _done: run.clock.check())
    run.progress("building the shrunk game", None)
    tree = left.apply(progress=lambda _nodes: run.clock.check())

    def lifted(profile: Profile) -> Profile:
        return left.lift(complete(profile))

    claim = solve_nash(tree, replace(run, offer=lambda make: run.offer(lambda: lifted(make()))), settings).claim()
    sizes = {
        "shrunk_nodes": tree.num_nodes,
        "shrunk_rows": abstraction.sizes.rows,
        "eliminated_sequences": list(left.eliminated),
    }
    return Claim(lifted(claim.strategies), {**claim.diagnostics, **sizes})
