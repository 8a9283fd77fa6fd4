"""``tremble draw``: a picture of a tree, of a solution on it, or of what hands do in an ordered game."""

from __future__ import annotations

import click

from tremble.cli.console import present
from tremble.cli.inputs import GameArgument, require_one_standard_input
from tremble.cli.options import common, reads_a_game, writes_a_file
from tremble.cli.outputs import Output, by_ending, ending, require_outputs
from tremble.cli.progress import Progress
from tremble.io.profile import StatedProfile
from tremble.model.ordered.game import OrderedGame
from tremble.show.html import draw_html
from tremble.show.layout import excerpt
from tremble.show.panels import Place, place_of, spot_of
from tremble.show.strategy_html import strategy_html
from tremble.show.strategy_svg import strategy_svg
from tremble.show.svg import draw_svg
from tremble.text_file import write_text

__all__ = ["draw"]

_PICTURES = {".svg": draw_svg, ".html": draw_html}
_OF_HANDS = {".svg": strategy_svg, ".html": strategy_html}


@click.command()
@click.argument("game")
@click.argument("solution_file", metavar="[SOLUTION]", required=False)
@click.option("--output", "-o", metavar="FILE", required=True, help="The picture: .svg or .html.")
@click.option("--board", metavar="CARDS", help='Of an ordered game: its public cards or signals, such as "Ah 7d".')
@click.option("--line", metavar="MOVES", help="Of an ordered game: the moves of its rounds so far, such as cc:b.")
@writes_a_file
@reads_a_game
@common("table", "json")
def draw(
    game: GameArgument,
    solution_file: str | None,
    output: str,
    board: str | None,
    line: str | None,
    force: bool,
    form: str,
    quiet: bool,
) -> int:
    """Draw the tree of GAME, or the tree with SOLUTION on it, as .svg or as an .html page.

    SOLUTION is a solution file, any JSON file with "strategies", or one with a line NE,p,p,... as
    Gambit prints it.

    The page can be moved and zoomed and shows exact numbers under the pointer. Of a tree beyond 3,000 nodes
    the first levels are drawn.

    With a solution of an ordered game that is not built, such as rhode_island, the picture shows which hands bet,
    call, raise and fold, from the weakest to the strongest: in the first round, or where --board and --line say. They
    are written as in the labels of information sets: "cc:b" is check, call, then a bet in the second round.

    \b
    Examples: tremble draw kuhn kuhn.json -o kuhn.html
              tremble draw rhode_island rhode.json --board 7d --line cc -o flop.svg
    JSON: {"file", "nodes", "drawn"}; of an ordered game {"file", "round", "board", "line", "decisions"}
    """  # noqa: D301 (click reads the backspace)
    picture = by_ending(output, _PICTURES, "the picture")
    require_one_standard_input(game.text, solution_file)
    require_outputs({"GAME": game.file, "SOLUTION": solution_file}, Output(output, output, ending(output)), force=force)
    stated = None if solution_file is None else game.profile(solution_file, ordered=True)
    if stated is not None and stated.ordered is not None:
        return _draw_hands(game, stated, output, board, line, form, quiet)
    if board is not None or line is not None:
        raise click.UsageError("--board and --line choose among pictures of a solution of an ordered game")
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


def _draw_hands(
    game: GameArgument, stated: StatedProfile, output: str, board: str | None, line: str | None, form: str, quiet: bool
) -> int:
    """Draw strategies of an ordered game."""
    with Progress(quiet=quiet) as progress:
        played, profile = game.ordered(stated, progress)
        assert isinstance(played.rules, OrderedGame)
        somewhere = board is not None or line is not None
        place = place_of(played.rules, board, line) if somewhere or ending(output) == ".svg" else None
        progress.step("drawing")
        write_text(output, _OF_HANDS[ending(output)](played, profile, place))
        spot = spot_of(played.rules, profile, place or Place(0, 0, None))
    cards = " ".join(played.rules.signals[signal] for signal in spot.public)
    moves = [list(moves) for moves in spot.lines]
    record = {"file": output, "round": spot.round + 1, "board": cards, "line": moves, "decisions": len(spot.panels)}
    where = "the first round and public states of later ones" if place is None else f"round {spot.round + 1}"
    present(
        form,
        json=lambda: record,
        table=lambda: f"{output}: {where}{cards and ', '}{cards}, {len(spot.panels):,} decisions\n",
    )
    return 0
