"""Run the double oracle on a game, resume runs from checkpoints, and convert plans to strategies."""

from __future__ import annotations

from typing import Any

import numpy as np

from tremble.errors import GameError, LimitReached
from tremble.game.rules import DefaultRule, UnbuiltGame
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.large.checkpoint import Checkpoint
from tremble.large.loop import DoubleOracleRun
from tremble.large.oracle import Oracle
from tremble.large.positions import LARGEST_PAYOFF
from tremble.large.rules import RulesOracle
from tremble.large.settings import Settings
from tremble.large.tree import TreeOracle
from tremble.run.clock import Clock
from tremble.solution.claim import Claim, Profile
from tremble.solvers.method import Run

__all__ = ["solve_double_oracle"]


def solve_double_oracle(
    game: GameTree | UnbuiltGame, settings: Settings, run: Run, oracles: tuple[type[TreeOracle], type[RulesOracle]]
) -> Claim:
    """Solve a constant-sum game with perfect recall by the double oracle.

    If ``run.checkpoint`` names a file, the run writes its state to this file. If the file already exists, the run
    continues from the state in the file.

    Parameters
    ----------
    oracles : pair of types
        The class of oracle (see :mod:`.oracle`) for trees, and the class for rules.

    Raises
    ------
    LimitReached
        The time limit has been reached.
    FormatError
        The checkpoint cannot be read, is damaged, or belongs to another game.
    """
    clock = run.clock
    run.progress("double oracle, preparing the game", None)
    oracle, scale, identity, stats = _prepared(game, settings, clock, oracles)
    began = clock.elapsed
    file = None if run.checkpoint is None else Checkpoint(run.checkpoint, identity, clock)

    def profile() -> Profile:
        plans = loop.incumbents()
        assert plans is not None
        return pair(map(oracle.strategy, plans))

    def after(loop: DoubleOracleRun) -> None:
        if loop.incumbents_known:
            run.offer(profile)
        if file is not None:
            file.save(loop)

    loop = DoubleOracleRun(oracle, scale, settings, clock, run.progress, run.log, after)
    if file is not None and file.exists():
        file.restore(loop)
        after(loop)
    try:
        plans, _value = loop.run()
    except (LimitReached, KeyboardInterrupt):
        if file is not None and loop.between_iterations:
            file.save(loop, always=True)
        raise
    if file is not None:
        file.save(loop, always=True)
    stats |= {
        "iterations": loop.iteration,
        "restricted_sequences": loop.restricted_sequences,
        "simplex_iterations": loop.simplex_iterations,
        "preparation_seconds_float": began,
        **{f"{name}_seconds_float": seconds for name, seconds in loop.seconds.items()},
    }
    return Claim(pair(map(oracle.strategy, plans)), stats)


def _prepared(
    game: GameTree | UnbuiltGame, settings: Settings, clock: Clock, oracles: tuple[type[TreeOracle], type[RulesOracle]]
) -> tuple[Oracle, float, dict[str, Any], dict[str, Any]]:
    """Return a game's oracle, its largest absolute payoff, its identity in checkpoints, and its statistics."""
    if isinstance(game, GameTree):
        largest = float(np.abs(game.payoff_float[:, 0]).max(initial=0))
        if not largest < LARGEST_PAYOFF:
            raise GameError("a payoff of 10^150 or more is too large for the double oracle: use the method lp")
        form = SequenceForm.of(game)
        on_tree = oracles[0](game, form, check=clock.check)
        identity: dict[str, Any] = {"title": game.title, "digest": game.digest, "form": "tree"}
        stats: dict[str, Any] = {"form": "tree", "sequences": list(form.num_sequences)}
        return on_tree, largest, identity, stats
    rule = DefaultRule.of(game.rules)
    oracle = oracles[1](game.rules, (rule, rule), clock.check, settings.sizes)
    identity = {"title": game.title, "digest": game.digest, "form": "rules", "default": rule.rule}
    stats = {"form": "table" if oracle.compiled is not None else "rules", "positions": len(oracle.positions)}
    return oracle, oracle.scale, identity, stats
