"""The command ``tremble shrink``: merge alike information sets of a tree, or alike hands of an ordered game.

In an *ordered game*, players hold hands of private signals and bet in rounds. ``tremble.poker`` merges hands.
"""

from __future__ import annotations

import math
from fractions import Fraction

import click

from tremble.capabilities import extensions
from tremble.cli.command import Call, exact_number
from tremble.cli.completion import words
from tremble.cli.console import say
from tremble.cli.options import command, time_limit
from tremble.cli.outputs import Output
from tremble.game.tree import GameTree
from tremble.judge.modes import MODES
from tremble.judge.shrink import merge
from tremble.run.clock import Clock
from tremble.run.deadline import LOADING, SOLVING
from tremble.text import records
from tremble.text.merging import merging_view

__all__ = ["shrink"]


def _threshold(ctx: click.Context, param: click.Parameter, value: str | None) -> Fraction | float | None:
    """Convert the value of an option to a number of at least 0, or to ``inf``. Click calls this function."""
    return math.inf if value == "inf" else exact_number(ctx, param, value)


def _thresholds(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[Fraction | float, ...] | None:
    """Convert the value of ``--ladder``, numbers separated by commas, to a tuple. Click calls this function."""
    if value is None:
        return None
    numbers = (_threshold(ctx, param, part.strip()) for part in value.split(","))
    return tuple(number for number in numbers if number is not None)


@command("table", "json", "csv")
@click.option(
    "--mode",
    shell_complete=words(MODES),
    metavar="MODE",
    help=f"{', '.join(MODES)}. The default is lossless for hands, and merged for a tree.",
)
@click.option(
    "--threshold",
    callback=_threshold,
    metavar="T",
    help="With --mode threshold: the largest difference between hands in one class, from 0 (lossless) to 1.",
)
@click.option(
    "--ladder", "rungs", callback=_thresholds, metavar="T,T,...", help="Use a list of thresholds, from coarse to fine."
)
@click.option(
    "--loss",
    callback=exact_number,
    metavar="G",
    help="Solve the merged game until its bounds have a gap of at most G (0: exactly, for games that can be built), "
    "and certify the loss of the strategies in GAME.",
)
@click.option("--dominance", is_flag=True, help="Also show the sizes without dominated actions of the last round.")
@time_limit("With --loss: the limit for each solution. For a tree: the limit for building and merging it.")
@click.option("--plot", metavar="FILE", help="With --ladder and --loss: plot the losses against the sizes.")
def shrink(
    call: Call,
    mode: str | None,
    threshold: Fraction | float | None,
    rungs: tuple[Fraction | float, ...] | None,
    loss: Fraction | None,
    dominance: bool,
    plot: str | None,
) -> None:
    """Merge hands, information sets or actions of GAME that are alike, and show the sizes.

    If GAME is a built-in game with the rules of an ordered game, such as rhode_island:ranks=5, hands are merged, and
    the tree is never built. The output contains the sizes of the sequence form. An exact check decides if the classes
    are equitable. If the output reports that they are, no equilibrium is lost. With --loss, optimal
    strategies of the merged game are lifted to GAME. Their loss is their exact NashConv in GAME, the sum of both
    players' gains by deviating.

    In any other game, information sets and actions are merged if the linear program of the game's tree treats them
    alike. tremble solve merges in the same way. If the payoffs have no constant sum, the linear program is replaced
    by the complementarity problem of tremble solve --symmetric. The classes are listed, the largest first.

    \b
    --mode lossless   the default: nothing is lost
    --mode published  the rule that reproduces the published sizes; lossy
    --mode literal    one reading of the published algorithm, for small games; lossy
    --mode threshold  hands that differ by at most --threshold T are merged; lossy above 0
    --mode full       nothing is merged
    --mode merged     for any game, using its tree: nothing is lost

    \b
    Examples: tremble shrink rhode_island
              tremble shrink game.efg --format csv
    JSON: {"title", "mode", "threshold_float", "signals", "signal_tree", "own_nodes": [per round],
           "classes": [[per round] per player], "sequences", "information_sets", "rows", "nonzeros",
           "raw": {"classes", "sequences", "information_sets", "rows"}, "lossless",
           "certified_loss", "certified_loss_float", "bounds" on the value,
           "dominance": {"sequences", "eliminated_sequences", "rows", "columns"}, "seconds": {step: seconds}}; with
           --ladder a list of such objects. For a tree {"title", "mode", "information_sets", "sequences", "rows",
           "columns", "nonzeros", "raw": {the same five sizes}, "lossless", "players_alike", "rounds", "seconds",
           "classes": [{"player", "infosets", "labels", "actions", "like_actions"}]}
    CSV:  a line for each abstraction: mode,threshold_float,classes_1,classes_2,sequences_1,sequences_2,
          information_sets_1,information_sets_2,rows,nonzeros,lossless,certified_loss,undominated_rows,
          undominated_columns. For a tree, a line for each action, with the first action that is like it:
          player,infoset,label,action,like_infoset,like_action
    """  # noqa: D301 (click reads the backspace)
    if plot is not None and (rungs is None or loss is None):
        raise click.UsageError("--plot needs --ladder and --loss: it plots the loss for each threshold of the ladder")
    if rungs is not None and (threshold is not None or mode not in (None, "lossless", "threshold")):
        raise click.UsageError(
            "--ladder contains all thresholds: omit --threshold, and omit --mode or use --mode threshold"
        )
    if rungs is not None and dominance:
        raise click.UsageError("--dominance is for a single merged game: it cannot be used with --ladder")
    call.require_files({}, Output("--plot", plot))
    with call.progress:
        game = call.deadline.allow(LOADING, lambda: call.tree_or_rules(from_rules=True), "while the game was loaded")
    of_hands = mode or "lossless", threshold, rungs, loss, dominance, plot
    if mode != "merged" and any(shrunk(call, game, *of_hands) for shrunk in extensions("shrink command")):
        return
    if rungs is not None or loss is not None or dominance:
        raise click.UsageError("--ladder, --loss and --dominance are for ordered games; trees support --mode merged")
    _shrink_tree(call, game if isinstance(game, GameTree) else None, mode or "merged", threshold)


def _shrink_tree(call: Call, tree: GameTree | None, mode: str, threshold: Fraction | float | None) -> None:
    """Merge information sets and actions that are alike, and show the sizes. If no ``tree`` is given, build a tree."""
    deadline = call.deadline
    with call:
        built = tree or deadline.allow(LOADING, call.tree, "while the tree was built")
        call.progress.step("finding alike actions")
        check = Clock(deadline.left).check
        merging = deadline.allow(SOLVING, lambda: merge(built, mode, threshold, check))
    call.present(
        json=lambda: records.merging_record(merging),
        csv=lambda: records.table_csv(merging),
        table=lambda: merging_view(merging),
    )
    if not call.quiet:
        say(f"merged in {merging.seconds:.2f} s, {merging.rounds or 'too many'} rounds")
