"""The solution method ``interior-point`` for ordered games. It iterates until the plans reach the target gap."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tremble.errors import GameError, SolverError, TooLargeError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.poker.methods import ordered_constant_sum
from tremble.run.executors import processors
from tremble.solution.claim import Claim, Profile
from tremble.solvers.iterations import log_bounds
from tremble.solvers.method import Method, Run, Takes, constant_sum

__all__ = ["InteriorPoint"]

# Exact weights are multiples of 2^-48. This unit is smaller than the error of the plans' floats, and the checker can
# use short integers for the weights.
_BITS = 48
_MOST_AT_A_BOARD = 5_000  # limit for a player's number of classes at a board times number of sequences of a stage
_LARGEST = Fraction(10**300)  # the largest gap that is converted to a float
_ROUNDING = 1e-12  # the loss caused by rounding the plans, in units of the largest payoff
_THREADS_FROM = 100_000  # with fewer sequences, threads cost more time than they save


@dataclass(frozen=True)
class InteriorPoint(Method):
    """A primal-dual interior-point method along the public tree of an ordered game, for high precision.

    The time of an iteration grows with the cube of the number of hands at a board. Rhode Island Hold'em with 6 ranks
    takes one or two minutes. With 13 ranks, it takes more than an hour and 3 GB of memory. For games with more hands at
    a board, use ``dcfr``. The method does not solve trees. For trees, use ``lp``, which is exact.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("jk_four_cards")
    >>> solution = tremble.solve(game, method=tremble.methods.InteriorPoint(), gap=1e-8)
    >>> solution.bounds[1] - solution.bounds[0] <= 1e-8
    True
    """

    name: ClassVar[str] = "interior-point"
    aliases: ClassVar[tuple[str, ...]] = ("ipm", "barrier")
    summary: ClassVar[str] = "for ordered games: a much smaller gap than regret minimization"
    takes: ClassVar[Takes] = {"ordered": {"nash": ordered_constant_sum}}
    approximate: ClassVar[bool] = True

    def refusal(self, game: GameTree | UnbuiltGame) -> GameError:
        """Return the error for a game that is not an ordered game.

        The returned error recommends ``lp`` for trees. For a tree that ``lp`` cannot solve, this function raises the
        error of ``lp`` instead.
        """
        if isinstance(game, GameTree):
            constant_sum(game, "nash")
        return GameError(
            "the method interior-point solves only ordered games that are not built, such as "
            'tremble.load_rules("rhode_island:ranks=4"); use lp for trees'
        )

    def run(self, game: Any, concept: str, run: Run) -> Claim:
        """Iterate until the gap reaches the target, or until rounding errors prevent progress."""
        from tremble.poker.abstraction.shrink import shrink_ordered
        from tremble.poker.filtered_arrays import PublicTree, exact_strategy
        from tremble.poker.interior_point.primal_dual import Iterate, interior_point

        assert run.gap is not None
        run.progress("shrinking the game (lossless)", None)
        shrunk = shrink_ordered(game)
        tree = PublicTree.of(shrunk.filtered)
        block = max(
            int(np.diff(side.state_start).max()) * (side.shape[1] - 1) for rounds in tree.sides for side in rounds
        )
        if block > _MOST_AT_A_BOARD:
            raise TooLargeError(
                f"at one board a player has {block:,} sequences, but the method interior-point supports at most "
                f"{_MOST_AT_A_BOARD:,}; use the method dcfr"
            )

        def profile(iterate: Iterate) -> Profile:
            return pair(exact_strategy(tree, player, iterate.plan(tree, player), _BITS) for player in (0, 1))

        began = run.clock.elapsed
        gap = float(min(run.gap, _LARGEST))
        target = gap - min(_ROUNDING * tree.unit, gap / 2)
        best: Iterate | None = None
        threads = processors() if sum(tree.num_sequences) >= _THREADS_FROM else 1
        run.clock.iterations_begin()
        for iterate in interior_point(shrunk.filtered, run.clock, target, threads):
            if best is None or iterate.gap < best.gap:
                best = iterate
                run.offer(partial(profile, iterate))
            log_bounds(run, iterate.number, iterate.lower, iterate.upper)
            run.progress(f"interior point, iteration {iterate.number}: gap {iterate.gap:.3g}", None)
        if best is None:
            raise SolverError("the interior-point method could not complete an iteration")
        stats = {
            "iterations": iterate.number,
            "gap_float": best.gap,
            "classes": [list(count) for count in shrunk.sizes.classes],
            "rows": shrunk.sizes.rows,
            "interior_point_seconds_float": run.clock.elapsed - began,
        }
        return Claim(profile(best), stats)
