"""Linear programs of ordered games by way of their lossless abstraction: shrink, solve exactly, lift.

A Nash equilibrium is found in what is left of the shrunk game without dominated actions, and lifted to strategies of
the original, which need not be built. Refinements are found in the whole shrunk game, as dominated actions matter to
them, and lifted to the tree of the original with their certificates.
"""

from __future__ import annotations

from dataclasses import replace

from tremble.errors import SpecError
from tremble.model.tree import GameTree
from tremble.reductions.abstraction import Abstraction
from tremble.reductions.dominance import undominated
from tremble.reductions.lifting import complete
from tremble.solution.claim import Claim, Profile
from tremble.solvers.lp.claims import STABLE
from tremble.solvers.run import Run
from tremble.solvers.shared.nash import solve_nash
from tremble.solvers.shared.refinement import refined_claim

__all__ = ["shrunk_nash_claim", "shrunk_refined_claim"]

_LIFTED = ("quasi-perfect", "sequential")
"""Concepts whose certificates are lifted."""


def shrunk_nash_claim(abstraction: Abstraction, run: Run) -> Claim:
    """An exact Nash equilibrium of an ordered game that is not built.

    Raises
    ------
    TooLargeError
        The shrunk game is too large to be built.
    """
    run.progress("dominated actions", None)
    left = undominated(abstraction.filtered, progress=lambda _done: run.clock.check())
    run.progress("building the shrunk game", None)
    tree = left.apply(progress=lambda _nodes: run.clock.check())

    def lifted(profile: Profile) -> Profile:
        return left.lift(complete(profile))

    claim = solve_nash(tree, replace(run, offer=lambda make: run.offer(lambda: lifted(make())))).claim()
    sizes = {
        "shrunk_nodes": tree.num_nodes,
        "shrunk_rows": abstraction.sizes.rows,
        "eliminated_sequences": list(left.eliminated),
    }
    return Claim(lifted(claim.strategies), {**claim.diagnostics, **sizes})


def shrunk_refined_claim(abstraction: Abstraction, tree: GameTree, concept: str, run: Run) -> Claim:
    """A quasi-perfect or sequential equilibrium of the tree of an ordered game, found in the shrunk game.

    Raises
    ------
    SpecError
        The concept is one whose certificate cannot be lifted, or the mistakes are weighted, hand by hand.
    """
    if concept not in _LIFTED:
        raise SpecError(f"certificates of {concept} are not lifted from a shrunk game; solve the tree itself")
    if run.trembles is not None and not run.trembles.is_uniform:
        raise SpecError("weights of trembles tell hands apart that the shrunk game does not; solve the tree itself")
    run.progress("building the shrunk game", None)
    small = abstraction.apply(progress=lambda _nodes: run.clock.check())
    lifting = abstraction.lifting(tree, small)
    within = replace(run, trembles=None, offer=lambda make: run.offer(lambda: lifting.both(make())))
    return lifting.claim(refined_claim(small, within, concept, STABLE))
