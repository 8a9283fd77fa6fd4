"""Linear programs of ordered games by way of their lossless abstraction: shrink, solve exactly, lift.

A Nash equilibrium is found in what is left of the shrunk game without dominated actions, and lifted to strategies of
the original, which need not be built. Refinements are found in the whole shrunk game, as dominated actions matter to
them, and lifted to the tree of the original with their certificates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tremble.errors import SpecError
from tremble.model.ordered.game import OrderedGame
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.tree import GameTree
from tremble.reductions.abstraction import Abstraction
from tremble.reductions.dominance import undominated
from tremble.reductions.lifting import complete
from tremble.reductions.lossless import lossless_filter
from tremble.solution.claim import Claim
from tremble.solvers.lp.claims import refined_claim
from tremble.solvers.lp.nash import solve_nash
from tremble.solvers.lp.perfect import stable_basis
from tremble.solvers.lp.quasi_perfect import stable_vertex
from tremble.solvers.method import accept_constant_sum
from tremble.solvers.run import Run, nobody_listens

__all__ = ["shrunk_nash", "shrunk_refinement"]

Plans = tuple[OrderedStrategy, OrderedStrategy]
MakePlans = Callable[[], Plans]


def shrunk_nash(
    rules: OrderedGame, run: Run, offer: Callable[[MakePlans], None] = nobody_listens
) -> tuple[Plans, dict[str, Any]]:
    """An exact Nash equilibrium of an ordered game that is not built, and diagnostics.

    Parameters
    ----------
    offer : callable
        Called with what makes the best strategies so far, as ``run.offer`` is.

    Raises
    ------
    NotZeroSumError
        The payoffs have no constant sum.
    TooLargeError
        The shrunk game is too large to be built.
    """
    run.progress("lossless abstraction", None)
    abstraction = Abstraction(rules, lossless_filter(rules), "lossless")

    def listen(_done: int) -> None:
        run.clock.check()

    left = undominated(abstraction.filtered, progress=listen)
    run.progress("tree of the shrunk game", None)
    tree = left.apply(progress=listen)
    accept_constant_sum(tree)

    nash = solve_nash(tree, replace(run, offer=lambda make: offer(lambda: left.lift(complete(make())))))
    sizes = abstraction.sizes
    eliminated = [whole - some for whole, some in zip(sizes.sequences, left.sequences, strict=True)]
    stats = {"classes": [list(classes) for classes in sizes.classes], "eliminated_sequences": eliminated}
    return left.lift(complete(nash.strategies())), {**stats, **nash.stats}


def shrunk_refinement(rules: OrderedGame, tree: GameTree, concept: str, run: Run) -> Claim:
    """A quasi-perfect or sequential equilibrium of the tree of an ordered game, found in the shrunk game.

    Raises
    ------
    SpecError
        The concept is one whose certificate cannot be lifted, or the mistakes are weighted, hand by hand.
    """
    if concept not in ("quasi-perfect", "sequential"):
        raise SpecError(f"certificates of {concept} are not lifted from a shrunk game; solve the tree itself")
    if run.trembles is not None and not run.trembles.is_uniform:
        raise SpecError("weights of trembles tell hands apart that the shrunk game does not; solve the tree itself")
    run.progress("lossless abstraction", None)
    abstraction = Abstraction(rules, lossless_filter(rules), "lossless")
    small = abstraction.apply(progress=lambda _done: run.clock.check())
    accept_constant_sum(small)
    lifting = abstraction.lifting(tree, small)
    within = replace(run, trembles=None, offer=lambda make: run.offer(lambda: lifting.both(make())))
    return lifting.claim(refined_claim(small, concept, within, stable_vertex, stable_basis))
