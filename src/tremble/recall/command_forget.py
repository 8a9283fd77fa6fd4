"""The command ``tremble forget``: solve an imperfect-recall abstraction and certify its loss."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from tremble.cli.command import Call
from tremble.cli.console import say
from tremble.cli.options import LOG, command, output, time_limit
from tremble.cli.outputs import Output, by_ending, ending
from tremble.errors import LimitReached, NotProvenError
from tremble.formats.formats import FORMATS
from tremble.game.requirements import require_constant_sum
from tremble.numbers import exact_text
from tremble.recall.forgetting import Loss
from tremble.recall.forgetting import forget as forgetful
from tremble.recall.views import forgetting_record, forgetting_view
from tremble.run.alarm import interrupts_held_back
from tremble.run.deadline import LOADING, SOLVING
from tremble.solution.solution import Solution
from tremble.solvers.door import solve

__all__ = ["forget"]

_FORMS = {ending: FORMATS[ending] for ending in (".efg", ".json")}  # not .nfg: there, each player moves only once


@command("table", "json", writes=True)
@click.option("--player", type=click.IntRange(1, 2), required=True, help="The player that forgets.")
@click.option(
    "--last",
    type=click.IntRange(min=0),
    metavar="K",
    help="Let the player remember its last K moves, and what it saw since its move before these.",
)
@click.option("--groups", metavar="FILE", help="Merge information sets: one group in each line, by number or label.")
@click.option(
    "--epsilon",
    type=float,
    metavar="E",
    help="Accept bounds for the merged game with this gap, as a share of the range of the payoffs.",
)
@output("Write the strategy, converted to GAME, as a solution of GAME.")
@click.option("--save", metavar="FILE", help="Write the merged game: .efg or .json.")
@click.option("--proof", metavar="FILE", help="Write the solution of the merged game, with its certificate.")
@time_limit("Stop after this time, with the proven result so far.")
@LOG
def forget(
    call: Call,
    player: int,
    last: int | None,
    groups: str | None,
    epsilon: float | None,
    save: str | None,
    proof: str | None,
) -> None:
    """Find the best strategy of a player who remembers less, and certify the loss of this strategy in GAME.

    The command merges information sets that the player no longer distinguishes, and computes a maxmin strategy of the
    merged game. It converts this strategy to GAME: all members of a merged set get the mixed action of this set. The
    command prints four numbers, as payoffs of the player: its value of GAME, the guarantee of the strategy in GAME, the
    loss of this strategy, and the smallest possible loss of a strategy of the merged game.

    -o writes a solution of GAME, which consists of the strategy and an optimal strategy of the other player. verify can
    prove the loss of the strategy from this file. With the files of --proof and --save, verify can prove that no
    strategy of the merged game loses much less.

    \b
    Examples: tremble forget kuhn --player 1 --last 0
              tremble forget leduc --player 1 --groups alike.txt -o lifted.json
    JSON: {"title", "player", "remembers", "recall", "information_sets": [before, after], "sequences": [before, after],
           "value": [lower, upper], "guarantee", "most", "loss_at_most", "loss_at_least" (each of these four also as
           *_float), "digest" (of the merged game)}; null for results that were not reached in time
    """  # noqa: D301 (click reads the backspace)
    if (last is None) == (groups is None):
        raise click.UsageError("define what the player remembers by exactly one option: --last K, or --groups FILE")
    saved = None if save is None else by_ending(save, _FORMS, "--save")
    call.require_files(
        {"--groups": groups},
        Output("-o", call.output, "solution"),
        Output("--save", save, None if save is None else ending(save)),
        Output("--proof", proof, "solution"),
        Output("--log", call.log, "log", needed=False),
    )
    loss: Loss | None = None
    solution: Solution | None = None
    stop: LimitReached | NotProvenError | None = None
    deadline, progress = call.deadline, call.progress
    with call:
        tree = deadline.allow(LOADING, call.tree, "while the game was loaded")
        require_constant_sum(tree, "the loss can only be certified for payoffs that sum to a constant")
        progress.step("merging")
        forgetting = deadline.allow(
            LOADING, lambda: forgetful(tree, player - 1, last=last, file=groups), "while information sets were merged"
        )
        if saved is not None and save is not None:
            call.save(save, partial(saved.write, forgetting.tree), "the game")

        def maxmin() -> Solution:
            options: dict[str, Any] = {} if epsilon is None else {"epsilon": epsilon}
            return solve(
                forgetting.tree, "maxmin", player=player - 1, time_limit=deadline.left, progress=progress.step,
                report=lambda row: progress.log("iteration", **row), **options,
            )  # fmt: skip

        try:
            original = deadline.allow(
                SOLVING, lambda: solve(tree, time_limit=deadline.left, progress=progress.step), "for the game itself"
            )
            try:
                solution = deadline.allow(SOLVING, maxmin)
            except (LimitReached, NotProvenError) as less:
                if not isinstance(less.best, Solution):
                    raise
                solution, stop = less.best, less
            progress.step("certifying the loss")
            loss = forgetting.certify_loss(solution, original)
        except (LimitReached, NotProvenError) as less:
            stop = less
        for result, path in ((None if loss is None else loss.solution, call.output), (solution, proof)):
            if result is not None and path is not None:
                with interrupts_held_back():
                    call.save(path, result.to_json, "the solution", ".json")
        progress.log("end", loss=None if loss is None else [exact_text(loss.at_least), exact_text(loss.at_most)])
    call.present(
        json=lambda: forgetting_record(forgetting, loss),
        table=lambda: forgetting_view(forgetting, loss),
    )
    if not call.quiet:
        say(f"{'stopped after' if isinstance(stop, LimitReached) else 'done in'} {progress.elapsed:.2f} s")
    call.finish()
    if stop is not None:
        raise stop
