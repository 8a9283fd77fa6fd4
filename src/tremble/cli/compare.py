"""``tremble compare``: where two solutions differ."""

from __future__ import annotations

from os.path import basename, splitext

import click

from tremble.cli.console import present
from tremble.cli.inputs import GameArgument, require_one_standard_input
from tremble.cli.options import common, reads_a_game, writes_a_file
from tremble.cli.outputs import Output, by_ending, ending, require_outputs
from tremble.cli.progress import Progress
from tremble.judging.compare import compare as run
from tremble.show import records, terminal
from tremble.show.comparison_html import comparison_html
from tremble.show.comparison_svg import comparison_svg
from tremble.text_file import write_text

__all__ = ["compare"]

_PICTURES = {".svg": comparison_svg, ".html": comparison_html}


@click.command()
@click.argument("game")
@click.argument("first_file", metavar="SOLUTION")
@click.argument("second_file", metavar="SOLUTION")
@click.option("--output", "-o", metavar="FILE", help="Draw the comparison: .svg or .html.")
@writes_a_file
@reads_a_game
@common("table", "json", "csv")
def compare(
    game: GameArgument, first_file: str, second_file: str, output: str | None, force: bool, form: str, quiet: bool
) -> int:
    """Show where two solutions of GAME differ, and how much each earns against an opponent who errs.

    A SOLUTION is a solution file, any JSON file with "strategies", or one with a line NE,p,p,... as
    Gambit prints it; payoffs need not sum to a constant.

    The opponent plays its strategy of either file, but at every information set errs with
    probability d and then plays uniformly; or it makes straight for a single mistake. Payoffs are exact.

    \b
    Example: tremble compare kuhn first.json second.json -o kuhn.svg
    JSON: {"names", "exact", "information_sets", "equal",
           "differences": [{"player", "infoset", "label", "actions": [[label, first, second], ...],
                            "distance", "own", "others", "on_path", "reach_float"}, ...],
           "earnings": [{"player", "opponent", "tremble", "first", "second", "difference", "best_response",
                         "gift", "shares_float"}, ...],
           "mistakes": [{"player", "opponent", "infoset", "label", "action", "first", "second", "difference",
                         "cost_float"}, ...]} (numbers also as *_float)
    CSV:  the differences: player,infoset,label,action,first,second,first_float,second_float,distance,
          distance_float,on_path_first,on_path_second
    """  # noqa: D301 (click reads the backspace)
    picture = None if output is None else by_ending(output, _PICTURES, "the picture")
    require_one_standard_input(game.text, first_file, second_file)
    if output is not None:
        inputs = {"GAME": game.file, "SOLUTION": first_file, "the other one": second_file}
        require_outputs(inputs, Output(output, output, ending(output)), force=force)
    first, second = (game.profile(path) for path in (first_file, second_file))
    with Progress(quiet=quiet) as progress:
        tree = game.tree(progress)
        progress.step("comparison")
        found = run(tree, first, second, names=_names_of(first_file, second_file))
        if output is not None and picture is not None:
            write_text(output, picture(tree, found))
    present(
        form,
        json=lambda: records.comparison_record(found, tree),
        csv=lambda: records.comparison_csv(found),
        table=lambda: terminal.comparison_view(tree, found),
    )
    return 0


def _names_of(first: str, second: str) -> tuple[str, str]:
    """What two files are called beside each other."""
    one, two = ("standard input" if path == "-" else splitext(basename(path))[0] for path in (first, second))
    return (one, two) if one != two else (first, second)
