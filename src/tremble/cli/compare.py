"""The command ``tremble compare``: show the differences of two solutions."""

from __future__ import annotations

from os.path import basename, splitext

import click

from tremble.cli.command import Call
from tremble.cli.options import command, output
from tremble.cli.outputs import Output, by_ending, endings_of
from tremble.cli.profiles import game_of, is_line, profile_in
from tremble.judge.compare import compare as run
from tremble.run.whole_file import write_text
from tremble.text import records
from tremble.text.comparison import comparison_view

__all__ = ["compare"]


@command("table", "json", "csv", writes=True)
@click.argument("first_file", metavar="SOLUTION")
@click.argument("second_file", metavar="SOLUTION")
@output("Draw the comparison into FILE, which ends in .svg or .html.")
def compare(call: Call, first_file: str, second_file: str) -> None:
    """Show the differences of two solutions of GAME, and the payoffs of each solution against an opponent who errs.

    A SOLUTION is a solution file, any JSON file with "strategies", or a file with a line NE,p,p,... as Gambit prints
    it. The payoffs need not sum to a constant. If the game is not built as a tree, only rivers and turns of Texas
    Hold'em are supported. For them, payoffs are floats, and the second opponent is not examined.

    One opponent plays its strategy from either SOLUTION, but chooses uniformly with probability d at every information
    set. Another opponent plays the moves that lead to one particular mistake, and always makes this mistake.

    \b
    Example: tremble compare kuhn first.json second.json -o kuhn.svg
    JSON: {"names", "exact", "information_sets", "equal", "unlisted",
           "differences": [{"player", "infoset", "label", "actions": [[label, first, second], ...],
                            "distance", "own", "others", "on_path", "reach_float"}, ...],
           "earnings": [{"player", "opponent", "tremble", "first", "second", "difference", "best_response",
                         "gift", "shares_float"}, ...],
           "mistakes": [{"player", "opponent", "infoset", "label", "action", "first", "second", "difference",
                         "cost_float"}, ...]} (numbers also as *_float)
    CSV:  the differences: player,infoset,label,action,first,second,first_float,second_float,distance,
          distance_float,on_path_first,on_path_second
    """  # noqa: D301 (click reads the backspace)
    draw = None if call.output is None else by_ending(call.output, endings_of("compare"), "the picture")
    inputs = {"SOLUTION": first_file, "the second SOLUTION": second_file}
    call.require_files(inputs, *([] if call.output is None else [Output.of_its_ending(call.output)]))
    first, second = (profile_in(call, path, ordered=True) for path in (first_file, second_file))
    with call:
        game = game_of(call, first)
        call.progress.step("comparison")
        comparison = run(game, first, second, names=_names_of(first_file, second_file))
        if call.output is not None and draw is not None:
            page = draw(game, comparison)
            call.save(call.output, lambda path: write_text(path, page), "the picture")
    call.present(
        json=lambda: records.comparison_record(comparison),
        csv=lambda: records.comparison_csv(comparison),
        table=lambda: comparison_view(game, comparison),
    )
    call.finish()


def _names_of(first: str, second: str) -> tuple[str, str]:
    """Return two different names for two files: short names if these differ, else the full paths."""
    label1, label2 = (
        "standard input" if path == "-" else path if is_line(path) else splitext(basename(path))[0]
        for path in (first, second)
    )
    return (label1, label2) if label1 != label2 else (first, second)
