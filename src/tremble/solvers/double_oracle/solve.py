"""From a game to a run of the double oracle, and from its result to strategies."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tremble.clock import Clock
from tremble.errors import FormatError, GameError, LimitReached, TrembleWarning
from tremble.model.progress import Progress
from tremble.model.rules import DefaultRule, UnbuiltGame
from tremble.model.sequence_form import SequenceForm
from tremble.model.tree import GameTree
from tremble.solution.claim import Profile
from tremble.solvers.double_oracle.checkpoint import Checkpoint
from tremble.solvers.double_oracle.loop import DoubleOracle
from tremble.solvers.double_oracle.oracle import Oracle
from tremble.solvers.double_oracle.plans import Plan
from tremble.solvers.double_oracle.positions import LARGEST_PAYOFF
from tremble.solvers.double_oracle.settings import Settings

__all__ = ["Outcome", "solve_double_oracle"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a run found.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy or of UnbuiltStrategy
        Exact ones, of the whole game.
    values : pair of Fraction, or None
        The values of the game to both players; None if the run was content with bounds.
    stats : dict
    """

    strategies: Profile
    values: tuple[Fraction, Fraction] | None
    stats: dict[str, Any]


def solve_double_oracle(
    game: GameTree | UnbuiltGame,
    settings: Settings,
    clock: Clock,
    progress: Progress,
    keep: Callable[[Callable[[], Profile]], None],
    report: Callable[[Mapping[str, Any]], None],
    checkpoint: str | os.PathLike[str] | None = None,
) -> Outcome:
    """Solve a constant-sum game with perfect recall by the double oracle.

    Parameters
    ----------
    game : GameTree or UnbuiltGame
    settings : Settings
    clock : Clock
    progress : callable
        Called with the name of each step.
    keep : callable
        Called with what makes the best profile so far, after each iteration.
    report : callable
        Called with one mapping per iteration.
    checkpoint : str or path, optional
        Go on from this file if it exists, and keep it up to date. If it cannot be written, a ``TrembleWarning`` says
        so, once, and the work goes on.

    Raises
    ------
    LimitReached
    FormatError
        The checkpoint cannot be read, is damaged, or is of another game.
    """
    progress("double oracle, looking at the game", None)
    oracle, scale, identity, stats = _looked_at(game, clock)
    began = clock.elapsed
    file = None if checkpoint is None else Checkpoint(checkpoint, identity)

    def profile() -> Profile:
        plans = run.incumbents()
        assert plans is not None
        return _profile(oracle, plans)

    warned = False

    def save(*, always: bool = False) -> None:
        """A checkpoint that cannot be written costs nothing but itself."""
        nonlocal warned
        if file is None:
            return
        try:
            file.save(run, elapsed=lambda: clock.elapsed, always=always)
        except FormatError as error:
            if not warned:
                warnings.warn(f"no checkpoint, the work goes on without it: {error}", TrembleWarning, stacklevel=2)
            warned = True

    def after(run: DoubleOracle) -> None:
        if run.incumbents_known:
            keep(profile)
        save()

    run = DoubleOracle(oracle, scale, settings, clock, progress, report, after)
    if file is not None and file.exists():
        file.restore(run)
        after(run)
    try:
        plans, value = run.run()
    except (LimitReached, KeyboardInterrupt):
        if run.between_iterations:
            save(always=True)
        raise
    save(always=True)
    stats |= {
        "iterations": run.iteration,
        "restricted_sequences": [int(known.allowed.sum()) for known in oracle.players],
        "simplex_iterations": run.simplex_iterations,
        "preparation_seconds_float": began,
        **{f"{name}_seconds_float": seconds for name, seconds in run.seconds.items()},
    }
    values = None if value is None else (value, Fraction(oracle.total) - value)
    return Outcome(_profile(oracle, plans), values, stats)


def _looked_at(game: GameTree | UnbuiltGame, clock: Clock) -> tuple[Oracle, float, dict[str, Any], dict[str, Any]]:
    """The game as the double oracle sees it, its largest payoff, what tells it from others, and its sizes."""
    if isinstance(game, GameTree):
        from tremble.solvers.double_oracle.built import BuiltOracle

        largest = float(np.abs(game.payoff_float[:, 0]).max(initial=0))
        if not largest < LARGEST_PAYOFF:
            raise GameError("a payoff is beyond 10^150; the double oracle works with floats: use the method lp")
        form = SequenceForm.of(game)
        built = BuiltOracle(game, form)
        identity: dict[str, Any] = {"title": game.title, "digest": game.digest, "form": "tree"}
        stats: dict[str, Any] = {"form": "tree", "sequences": list(form.num_sequences)}
        return built, largest, identity, stats
    from tremble.solvers.double_oracle.unbuilt import UnbuiltOracle

    rule = DefaultRule.of(game.rules)
    unbuilt = UnbuiltOracle(game.rules, (rule, rule), clock.check)
    identity = {"title": game.title, "digest": game.digest, "form": "rules", "default": rule.rule}
    stats = {"form": "table" if unbuilt.compiled is not None else "rules", "positions": len(unbuilt.positions)}
    return unbuilt, unbuilt.scale, identity, stats


def _profile(oracle: Oracle, plans: tuple[Plan, Plan]) -> Profile:
    one, two = (oracle.strategy(plan) for plan in plans)
    return one, two
