"""``tremble draw``: a picture of a tree, or of a solution on it."""

from __future__ import annotations

import click

from tremble.cli.console import present
from tremble.cli.inputs import GameArgument, require_one_standard_input
from tremble.cli.options import common, reads_a_game, writes_a_file
from tremble.cli.outputs import Output, by_ending, ending, require_outputs
from tremble.cli.progress import Progress
from tremble.show.html import draw_html
from tremble.show.layout import excerpt
from tremble.show.svg import draw_svg
from tremble.text_file import write_text

__all__ = ["draw"]

_PICTURES = {".svg": draw_svg, ".html": draw_html}


@click.command()
@click.argument("game")
@click.argument("solution_file", metavar="[SOLUTION]", required=False)
@click.option("--output", "-o", metavar="FILE", required=True, help="The picture: .svg or .html.")
@writes_a_file
@reads_a_game
@common("table", "json")
def draw(game: GameArgument, solution_file: str | None, output: str, force: bool, form: str, quiet: bool) -> int:
    """Draw the tree of GAME, or the tree with SOLUTION on it, as .svg or as an .html page.

    SOLUTION is a solution file, any JSON file with "strategies", or one with a line NE,p,p,... as
    Gambit prints it.

    The page can be moved and zoomed and shows exact numbers under the pointer. Of a tree beyond 3,000 nodes
    the first levels are drawn.

    \b
    Example: tremble draw kuhn kuhn.json -o kuhn.html
    JSON: {"file", "nodes", "drawn"}
    """  # noqa: D301 (click reads the backspace)
    picture = by_ending(output, _PICTURES, "the picture")
    require_one_standard_input(game.text, solution_file)
    require_outputs({"GAME": game.file, "SOLUTION": solution_file}, Output(output, output, ending(output)), force=force)
    stated = None if solution_file is None else game.profile(solution_file)
    with Progress(quiet=quiet) as progress:
        tree = game.tree(progress)
        progress.step("drawing")
        write_text(output, picture(tree, None if stated is None else stated.on(tree)))
        drawn = excerpt(tree).num_nodes
    part = f"the first {drawn:,} of " if drawn < tree.num_nodes else ""
    present(
        form,
        json=lambda: {"file": output, "nodes": tree.num_nodes, "drawn": drawn},
        table=lambda: f"{output}: {part}{tree.num_nodes:,} nodes\n",
    )
    return 0
