"""Regret minimization along the public tree of an ordered game, without building the game tree.

The *public tree* contains only what both players see: the public states and the moves. :func:`solve_public_tree` first
shrinks the game. The default abstraction is lossless, and the caller can choose a lossy abstraction instead. Bounds on
the value of the shrunk game are valid for the original game only if the abstraction is lossless. With every
abstraction, the checker evaluates the resulting strategies in the original game, for all signals.
"""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from fractions import Fraction
from typing import Any

from tremble.errors import SpecError
from tremble.game.rules import UnbuiltGame
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.shrink import shrink_ordered
from tremble.poker.filtered_arrays import PublicTree, exact_strategy
from tremble.poker.regret.public_tree import PublicTreeMinimizer
from tremble.poker.regret.view import RegretView, target_of
from tremble.poker.rounding import short_bits
from tremble.run.executors import processors
from tremble.solution.claim import Claim, Profile
from tremble.solvers.method import Run
from tremble.solvers.regret import Variant

__all__ = ["solve_public_tree"]

_GAMMA = 4.0  # the exponent gamma of DCFR, which is a fifth better in poker games than the published value 2 (measured)
_ROUNDING = 1e-10  # an upper bound on the loss caused by rounding the plans, in units of the largest payoff
_NOISE = 1e-14  # a smaller gap of float bounds may be a rounding error; in units of the largest payoff
_THREADS_FROM = 100_000  # with fewer sequences, threads cost more time than they save


def solve_public_tree(
    variant: Variant, game: UnbuiltGame, abstraction: str, run: Run, threads: ThreadPoolExecutor | None = None,
    iterations: int | None = None,
) -> Claim:  # fmt: skip
    """Minimize regrets until the average plans bound the value of the shrunk game with a gap of at most ``run.gap``.

    If ``iterations`` is given, stop after that number of iterations at the latest.

    Returns
    -------
    Claim
        The average plans as exact strategies. Weights are rounded to multiples of a power of two.

    Raises
    ------
    LimitReached
        A limit or an operating-system signal has stopped the computation.
    """
    run.progress(f"shrinking the game ({abstraction})", None)
    began = run.clock.elapsed
    shrunk = shrink_ordered(game, *_mode(abstraction))
    tree = PublicTree.of(shrunk.filtered)
    run.clock.check()
    shrink_seconds = run.clock.elapsed - began
    if variant.name == "DCFR":
        variant = dataclasses.replace(variant, gamma=_GAMMA)
    with ExitStack() as opened:
        if threads is None and sum(tree.num_sequences) >= _THREADS_FROM:
            threads = opened.enter_context(ThreadPoolExecutor(processors(), "tremble"))
        minimizer = PublicTreeMinimizer(tree, variant, threads)
        view = _PublicTreeView(minimizer, shrunk, run, f"{game.digest or game.title} {abstraction}", shrink_seconds)
        return view.minimised(iterations)


class _PublicTreeView(RegretView):
    """The run on the public tree of a shrunk game."""

    def __init__(
        self, minimizer: PublicTreeMinimizer, shrunk: Abstraction, run: Run, name: str, shrink_seconds: float
    ) -> None:
        unit, gap = minimizer.tree.unit, target_of(run)
        if run.gap is not None:
            gap = max(gap - min(_ROUNDING * unit, gap / 2), _NOISE * unit)
        super().__init__(minimizer, run, name, gap)
        self._tree, self._totals, self._bits = minimizer.tree, minimizer.total, short_bits(shrunk.game)
        self._shrunk, self._shrink_seconds = shrunk, shrink_seconds

    def profile(self) -> Profile:
        one, two = (exact_strategy(self._tree, player, self._totals[player], self._bits) for player in (0, 1))
        return one, two

    def facts(self) -> dict[str, Any]:
        sizes = self._shrunk.sizes
        return {
            "classes": [list(count) for count in sizes.classes],
            "sequences": list(sizes.sequences),
            "rows": sizes.rows,
            "shrink_seconds_float": self._shrink_seconds,
        }


def _mode(abstraction: str) -> tuple[str, Fraction | None]:
    """Split the text of an abstraction into a mode and a threshold.

    Raises
    ------
    SpecError
        The threshold is not a number.
    """
    mode, colon, threshold = abstraction.partition(":")
    if not colon:
        return mode, None
    try:
        return mode, Fraction(threshold)
    except (ValueError, ZeroDivisionError):
        raise SpecError(f"abstraction {abstraction!r:.60}: expected a number after ':', as in threshold:0.1") from None
