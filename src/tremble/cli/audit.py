"""The command ``tremble audit``: find the blunders of a profile, which are actions that lose payoff."""

from __future__ import annotations

import click

from tremble.cli.command import Call
from tremble.cli.options import command, time_limit
from tremble.cli.profiles import game_of, profile_in
from tremble.formats.profile import NotStated
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.judge.audit import audit as run
from tremble.run.deadline import LOADING, SOLVING
from tremble.solution.audit import Audit
from tremble.text import checks, records

__all__ = ["audit"]


@command("table", "json", "csv")
@click.argument("solution_file", metavar="SOLUTION")
@time_limit("Stop after this time, and show the findings so far.")
def audit(call: Call, solution_file: str) -> None:
    """Show the blunders of the strategies in SOLUTION, on and off the path of play, and their losses.

    SOLUTION is a solution file, any JSON file with "strategies", or a file with a line NE,p,p,... as Gambit prints it.
    The payoffs need not sum to a constant. If the game is not built as a tree, only flops, turns and rivers of Texas
    Hold'em are supported. For them, the command searches "regret" actions only, and lists the 10,000 largest.

    A "regret" is an action that loses against the strategy of the other player. An "unsupported" action loses at least
    the shown amount against every strategy of the other player. A "dominated" action is never better than its
    replacement; the loss is measured against uniform play. Beliefs in a solution file are checked too. The exit code is
    0, with or without blunders. Without --time-limit, the search for unsupported and dominated actions stops after a
    minute of processor time, and the findings so far are shown (exit code 5).

    \b
    Example: tremble audit kuhn mine.json
    JSON: {"values", "gains", "off_path" (each also as *_float), "blunders": [{"player", "infoset", "label",
           "kind", "action", "probability", "better", "loss", "amount", "amount_float", "own_reach",
           "other_reach", "on_path", "stated"}, ...], "beliefs": [{"player", "infoset", "label", "nodes"}, ...],
           "information_sets", "never_dealt", "unexamined", "undecided", "unlisted", "complete"}
    CSV:  player,infoset,label,kind,action,probability,better,loss,amount,amount_float,on_path
    """  # noqa: D301 (click reads the backspace)
    call.require_files({"SOLUTION": solution_file})
    stated = call.deadline.allow(LOADING, lambda: profile_in(call, solution_file, ordered=True))

    def work() -> tuple[GameTree | UnbuiltGame, Audit, NotStated]:
        game = game_of(call, stated)
        profile, not_stated = stated.fitted(game) if isinstance(game, GameTree) else (stated, ((), ()))
        limit, step = call.deadline.left, call.progress.step
        return game, run(game, profile, beliefs=stated.beliefs, time_limit=limit, progress=step), not_stated

    with call:
        game, blunders, not_stated = call.deadline.allow(SOLVING, work)
    call.present(
        json=lambda: records.audit_record(blunders, not_stated),
        csv=lambda: records.table_csv(blunders),
        table=lambda: checks.audit_view(game, blunders, not_stated),
    )
    if blunders.stopped is not None:
        raise blunders.stopped
