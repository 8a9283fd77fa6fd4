"""``tremble audit``: where a profile blunders."""

from __future__ import annotations

import click

from tremble.cli.console import began, present
from tremble.cli.deadline import LOADING, SOLVING, Deadline
from tremble.cli.inputs import GameArgument, require_one_standard_input, warn_of_another_game
from tremble.cli.options import common, reads_a_game
from tremble.cli.progress import Progress
from tremble.io.profile import NotStated
from tremble.judging.audit import Audit
from tremble.judging.audit import audit as run
from tremble.model.tree import GameTree
from tremble.show import records, terminal

__all__ = ["audit"]


@click.command()
@click.argument("game")
@click.argument("solution_file", metavar="SOLUTION")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then, with what was found so far.")
@reads_a_game
@common("table", "json", "csv")
def audit(game: GameArgument, solution_file: str, time_limit: float | None, form: str, quiet: bool) -> int:
    """Show where the strategies in SOLUTION blunder in GAME, on and off the path, and what they lose there.

    SOLUTION is a solution file, any JSON file with "strategies", or one with a line NE,p,p,... as
    Gambit prints it; payoffs need not sum to a constant.

    "regret" loses against the other's strategy; "unsupported" against whatever the other plays
    (at least so much); "dominated" against a uniform opponent, and is never better than what replaces it.
    Beliefs in a solution file are checked too. Exit code 0 whatever is found. Without --time-limit at most a minute
    of the processor is spent beyond regrets; what is found by then is shown (exit code 5).

    \b
    Example: tremble audit kuhn mine.json
    JSON: {"values", "gains", "off_path" (each also as *_float), "blunders": [{"player", "infoset", "label",
           "kind", "action", "probability", "better", "loss", "amount", "amount_float", "own_reach",
           "other_reach", "on_path", "stated"}, ...], "beliefs": [{"player", "infoset", "label", "nodes"}, ...],
           "information_sets", "never_dealt", "unexamined", "undecided", "complete"}
    CSV:  player,infoset,label,kind,action,probability,better,loss,amount,amount_float,on_path
    """  # noqa: D301 (click reads the backspace)
    require_one_standard_input(game.text, solution_file)
    deadline = Deadline(time_limit)
    stated = deadline.allow(LOADING, lambda: game.profile(solution_file))
    with Progress(quiet=quiet, began=began()) as progress, deadline:

        def work() -> tuple[GameTree, Audit, NotStated]:
            tree = game.tree(progress)
            warn_of_another_game(tree, stated.game)
            profile, not_stated = stated.fitted(tree)
            found = run(tree, profile, beliefs=stated.beliefs, time_limit=deadline.left, progress=progress.step)
            return tree, found, not_stated

        tree, found, not_stated = deadline.allow(SOLVING, work)
    present(
        form,
        json=lambda: records.audit_record(found, not_stated),
        csv=lambda: records.audit_csv(found),
        table=lambda: terminal.audit_view(tree, found, not_stated),
    )
    if found.stopped is not None:
        raise found.stopped
    return 0
