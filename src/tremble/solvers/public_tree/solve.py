"""Regret minimisation on an ordered game as a method: iterate until the average plans prove the value up to a gap.

The game is shrunk first, without loss unless something else is asked for. Bounds of the game that is left are bounds
of the game itself if nothing was lost; what is proven of the strategies that come out, lossless or not, is what the
checker finds at the level of single signals.
"""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from fractions import Fraction

from tremble.clock import interrupts_held_back
from tremble.errors import SpecError
from tremble.model.ordered.game import OrderedGame
from tremble.model.rules import UnbuiltGame
from tremble.reductions.shrink import shrink
from tremble.solution.claim import Claim, Profile
from tremble.solvers.public_tree.checkpoint import Checkpoint
from tremble.solvers.public_tree.layout import PublicTree
from tremble.solvers.public_tree.plans import exact_strategy, short_bits
from tremble.solvers.public_tree.regret import PublicTreeMinimizer
from tremble.solvers.regret.variants import Variant
from tremble.solvers.run import Run, processors

__all__ = ["solve_public_tree"]

_GAMMA = 4.0  # of DCFR: on poker a fifth better than the published 2
_ROUNDING = 1e-10  # of the payoffs is what rounding the plans may cost
_LARGEST = Fraction(10**300)  # that a float holds
_NOISE = 1e-14  # of the payoffs: bounds in floats that are this close may be equal
_THREADS_FROM = 100_000  # sequences: below, threads cost more than they bring


def solve_public_tree(
    variant: Variant, game: UnbuiltGame, abstraction: str, run: Run, executor: ThreadPoolExecutor | None = None
) -> Claim:
    """Minimise regrets until the average plans prove the value of the shrunk game up to ``run.gap``.

    Returns
    -------
    Claim
        The average plans, rounded to multiples of a power of two; exact.

    Raises
    ------
    LimitReached
    """
    assert run.gap is not None
    rules = game.rules
    assert isinstance(rules, OrderedGame)
    clock = run.clock
    mode, threshold = _asked(abstraction)
    run.progress(f"shrinking the game ({abstraction})", None)
    began = clock.elapsed
    shrunk = shrink(rules, mode, threshold)
    tree = PublicTree.of(shrunk.filtered)
    clock.check()
    if variant.name == "DCFR":
        variant = dataclasses.replace(variant, gamma=_GAMMA)
    own = None
    if executor is None and sum(tree.num_sequences) >= _THREADS_FROM:
        executor = own = ThreadPoolExecutor(processors(), "tremble")
    minimizer = PublicTreeMinimizer(tree, variant, executor)
    bits = short_bits(rules)
    checkpoint = None
    if run.checkpoint is not None:
        checkpoint = Checkpoint(run.checkpoint, f"{game.digest or game.title} {abstraction}", clock)
        checkpoint.restore(minimizer)
    shrink_seconds = clock.elapsed - began

    def profile() -> Profile:
        one, two = (exact_strategy(tree, player, minimizer.total[player], bits) for player in (0, 1))
        return one, two

    run.offer(profile)
    gap = float(min(run.gap, _LARGEST))
    goal = max(gap - min(_ROUNDING * tree.unit, gap / 2), _NOISE * tree.unit)
    first, target = minimizer.iterations, minimizer.iterations + 1
    evaluations = 0
    try:
        while True:
            while minimizer.iterations < target:
                clock.check()
                # Half an iteration would be none to go on from; the first one may have to wait for a compiler.
                with interrupts_held_back() if minimizer.iterations > first else nullcontext():
                    minimizer.run(1)
                    if checkpoint is not None:
                        checkpoint.save(minimizer)
            lower, upper = minimizer.bounds()
            evaluations += 1
            gap = upper - lower
            run.log(
                {
                    "iteration": minimizer.iterations,
                    "solve_seconds_float": clock.elapsed,
                    "lower_float": lower,
                    "upper_float": upper,
                }
            )
            run.progress(f"{variant.name}, iteration {minimizer.iterations:,}: gap {gap:.3g}", None)
            run.offer(profile)
            if gap <= goal:
                break
            target = minimizer.iterations + max(1, minimizer.iterations // 10)
    finally:
        if checkpoint is not None and minimizer.iterations > first:
            with interrupts_held_back():
                checkpoint.save(minimizer, always=True)
        if own is not None:
            own.shutdown()
    stats = {
        "iterations": minimizer.iterations,
        "gap_float": gap,
        "evaluations": evaluations,
        "classes": [list(count) for count in shrunk.sizes.classes],
        "sequences": list(shrunk.sizes.sequences),
        "rows": shrunk.sizes.rows,
        "shrink_seconds_float": shrink_seconds,
        "regret_seconds_float": clock.elapsed - began - shrink_seconds,
    }
    return Claim(profile(), stats)


def _asked(abstraction: str) -> tuple[str, Fraction | None]:
    """The mode of shrinking and its threshold; ``SpecError`` if the text is neither a mode nor ``threshold:T``."""
    mode, colon, threshold = abstraction.partition(":")
    if not colon:
        return mode, None
    try:
        return mode, Fraction(threshold)
    except (ValueError, ZeroDivisionError):
        raise SpecError(f"abstraction {abstraction!r:.60}: expected a number after the colon") from None
