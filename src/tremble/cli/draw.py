"""``tremble draw``: a picture of a tree, of a solution on it, or of what hands do in an ordered game."""

from __future__ import annotations

import click

from tremble.base.text_file import write_text
from tremble.cli.command import Call, command, output
from tremble.cli.outputs import Output, by_ending, ending
from tremble.io.profile import StatedProfile
from tremble.kinds.ordered import OrderedKind
from tremble.show.html import draw_html
from tremble.show.latex import draw_tikz
from tremble.show.layout import excerpt
from tremble.show.panels import Place, place_of, spot_of
from tremble.show.strategy_html import strategy_html
from tremble.show.strategy_svg import strategy_svg
from tremble.show.svg import draw_svg

__all__ = ["draw"]

_PICTURES = {".svg": draw_svg, ".html": draw_html, ".tex": draw_tikz}
_MOST_NODES = {".tex": 300}  # on paper; elsewhere as many as there is room for
_OF_HANDS = {".svg": strategy_svg, ".html": strategy_html}


@command("table", "json", writes=True)
@click.argument("solution_file", metavar="[SOLUTION]", required=False)
@output("The picture: .svg, .html or .tex.", required=True)
@click.option("--board", metavar="CARDS", help='Of an ordered game: its public cards or signals, such as "Ah 7d".')
@click.option("--line", metavar="MOVES", help="Of an ordered game: the moves of its rounds so far, such as cc:b.")
def draw(call: Call, solution_file: str | None, board: str | None, line: str | None) -> None:
    """Draw the tree of GAME, or the tree with SOLUTION on it, as .svg, .html page or .tex (TikZ).

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
    assert call.output is not None
    file, picture = call.output, by_ending(call.output, _PICTURES, "the picture")
    call.require_files({"SOLUTION": solution_file}, Output.of_its_ending(file))
    stated = None if solution_file is None else call.profile(solution_file, ordered=True)
    if stated is not None and stated.ordered is not None:
        _draw_hands(call, stated, file, board, line)
        return
    if board is not None or line is not None:
        raise click.UsageError("--board and --line choose among pictures of a solution of an ordered game")
    with call:
        tree = call.tree()
        call.progress.step("drawing")
        write_text(file, picture(tree, None if stated is None else stated.on(tree)))
        drawn = excerpt(tree, _MOST_NODES.get(ending(file), 3000)).num_nodes
    part = f"the first {drawn:,} of " if drawn < tree.num_nodes else ""
    call.present(
        json=lambda: {"file": file, "nodes": tree.num_nodes, "drawn": drawn},
        table=lambda: f"{file}: {part}{tree.num_nodes:,} nodes\n",
    )


def _draw_hands(call: Call, stated: StatedProfile, file: str, board: str | None, line: str | None) -> None:
    """Draw strategies of an ordered game."""
    hands = by_ending(file, _OF_HANDS, "the picture of what hands do")
    with call:
        played, profile = call.ordered(stated)
        rules = OrderedKind(played).rules
        somewhere = board is not None or line is not None
        place = place_of(rules, board, line) if somewhere or ending(file) == ".svg" else None
        call.progress.step("drawing")
        write_text(file, hands(played, profile, place))
        spot = spot_of(rules, profile, place or Place(0, 0, None))
    cards = " ".join(rules.signals[signal] for signal in spot.public)
    moves = [list(moves) for moves in spot.lines]
    record = {"file": file, "round": spot.round + 1, "board": cards, "line": moves, "decisions": len(spot.panels)}
    where = "the first round and public states of later ones" if place is None else f"round {spot.round + 1}"
    call.present(
        json=lambda: record,
        table=lambda: f"{file}: {where}{cards and ', '}{cards}, {len(spot.panels):,} decisions\n",
    )
