"""The command ``tremble draw``: draw a tree, a solution on a tree, or the play of hands in an ordered game."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from tremble.cli.command import Call
from tremble.cli.options import command, output
from tremble.cli.outputs import Output, by_ending, ending
from tremble.cli.profiles import profile_in
from tremble.formats.given_profile import GivenProfile, given_profile
from tremble.formats.profile import StatedProfile
from tremble.game.hands import hands_kind
from tremble.game.places import find_place_in_words
from tremble.game.tree import GameTree
from tremble.judge.audit import audit as run
from tremble.show.draw import ComparedPicture, HandsPicture, Picture, TreePicture
from tremble.show.ordered_profile import ordered_profile
from tremble.show.scene import nodes_of
from tremble.solution.audit import Audit
from tremble.text.captions import statement

__all__ = ["draw"]

_Theme = Literal["light", "dark"] | None


@command("table", "json", writes=True)
@click.argument("solution_file", metavar="[SOLUTION]", required=False)
@output("The file for the picture: .svg, .html, .pdf, .png or .tex.", required=True)
@click.option(
    "--root",
    metavar="PLACE",
    help="The first place to draw: the label or number of an information set, or moves such as K / bet.",
)
@click.option("--player", type=click.IntRange(1, 2), help="The player of the information set in --root.")
@click.option("--depth", type=click.IntRange(min=1), metavar="N", help="Number of levels to draw.")
@click.option("--audit", is_flag=True, help="Mark the blunders of SOLUTION and their losses.")
@click.option("--against", metavar="SOLUTION", help="A second solution to compare with the first.")
@click.option("--explorer", is_flag=True, help="Write a page for exploring SOLUTION and playing hands against it.")
@click.option(
    "--theme",
    type=click.Choice(["light", "dark"]),
    help="Colors of the picture. By default, .svg and .html follow the reader's system.",
)
@click.option("--board", metavar="CARDS", help='For an ordered game: the public cards or signals, such as "Ah 7d".')
@click.option("--line", metavar="MOVES", help="For an ordered game: the moves of the rounds so far, such as cc:b.")
def draw(
    call: Call, solution_file: str | None, root: str | None, player: int | None, depth: int | None, audit: bool,
    against: str | None, explorer: bool, theme: _Theme, board: str | None, line: str | None,
) -> None:  # fmt: skip
    """Draw the tree of GAME, or the tree with SOLUTION on it, as .svg, .html page, .pdf, .png or .tex (TikZ).

    .pdf and .png need optional packages: pip install 'tremble[pictures]'.

    SOLUTION is a solution file, any JSON file with "strategies", or a file with a line NE,p,p,... in the format of
    Gambit.

    Readers can move and zoom the .html page, and see exact numbers under the pointer. The page is an explorer if a tree
    with a solution has more than a hundred nodes, or if --against or --explorer is given. An explorer shows values,
    beliefs and losses at every information set, and two solutions side by side. Readers can also search, and play
    hands. With --against, a .svg, .pdf, .png or .tex file contains the picture that tremble compare draws.

    If a tree has more than 3,000 nodes, only its first levels are drawn. To draw another part, use --root and --depth.
    PLACE, the value of --root, is an information set or a node. Name an information set by its label or its number
    from 1. The set is drawn with the paths to its nodes. Name a node by the moves from the root, such as "KQ / check".

    An ordered game that is not built, such as rhode_island, needs a SOLUTION. The picture shows which hands bet, call,
    raise and fold, from the weakest hand to the strongest. By default, it shows the first round. To show a later part
    of play, use --board and --line. The moves have the format of the labels of information sets: "cc:b" is a check and
    a call, and then a bet in the second round.

    \b
    Examples: tremble draw kuhn kuhn.json -o kuhn.html --explorer
              tremble draw leduc leduc.json --root "K:bc:Q:" --depth 2 -o part.svg
              tremble draw rhode_island rhode.json --board 7d --line cc -o flop.svg
    JSON: {"file", "nodes", "drawn"}; for an ordered game {"file", "round", "board", "line", "decisions"}
    """  # noqa: D301 (click reads the backspace)
    # Check the options, then read the solutions.
    assert call.output is not None
    file = by_ending(call.output, dict.fromkeys(TreePicture.forms, call.output), "the picture")
    call.require_files({"SOLUTION": solution_file, "--against": against}, Output.of_its_ending(file))
    if against is not None and (solution_file is None or audit or ending(file) == ".tex"):
        raise click.UsageError(
            "--against compares two solutions: give SOLUTION, omit --audit, and choose another format than .tex"
        )
    if against is not None and (root is not None or depth is not None):
        raise click.UsageError("--against compares two solutions on the whole tree: omit --root and --depth")
    if explorer and (solution_file is None or audit or root is not None or depth is not None):
        raise click.UsageError(
            "--explorer shows SOLUTION in the whole tree: give SOLUTION, and omit --audit, --root and --depth"
        )
    if explorer and ending(file) != ".html":
        raise click.UsageError("--explorer writes a page: give -o a file name that ends in .html")
    if player is not None and root is None:
        raise click.UsageError("--player is the player of the information set in --root: give --root as well")
    if audit and solution_file is None:
        raise click.UsageError("--audit marks the blunders of SOLUTION: give SOLUTION")
    stated = None if solution_file is None else profile_in(call, solution_file, ordered=True)
    other = None if against is None else profile_in(call, against, ordered=True)
    # A solution of an ordered game is drawn by hands, not as a tree.
    if stated is not None and stated.ordered is not None:
        if root is not None or depth is not None or audit:
            raise click.UsageError(
                "--root, --depth and --audit are for trees: for an ordered game, use --board and --line"
            )
        _draw_hands(call, stated, other, file, board, line, theme)
        return
    if board is not None or line is not None:
        raise click.UsageError("--board and --line need a SOLUTION of an ordered game: for a tree, use --root")
    # Draw the tree and report the file.
    with call:
        tree = call.tree()
        start = (0,) if root is None else _start(tree, root, player)
        profile: GivenProfile | Audit | None = None
        if stated is not None:
            profile = run(tree, stated, progress=call.progress.step) if audit else given_profile(tree, stated)
        call.progress.step("drawing")
        picture: Picture
        if isinstance(profile, GivenProfile) and other is not None:
            picture = ComparedPicture(tree, profile, given_profile(tree, other), _names(solution_file, against))
            drawn = tree.num_nodes
        else:
            picture = TreePicture(tree, profile, start, depth, explorer)
            drawn = picture.drawn(ending(file))
        written = call.save(file, lambda path: picture.save(path, theme), "the picture")
    part = f"{drawn:,} of " if drawn < tree.num_nodes else ""
    call.present(
        json=lambda: {"file": written, "nodes": tree.num_nodes, "drawn": drawn},
        table=lambda: f"{written or 'not written'}: {part}{tree.num_nodes:,} nodes{_size(written)}\n",
    )
    call.finish()


def _names(file1: str | None, file2: str | None) -> tuple[str, str]:
    """Return names for two profiles: the names of their files without extensions.

    If these names are equal, return the full paths of the files.
    """
    names = [Path(file or "").stem for file in (file1, file2)]
    return (names[0], names[1]) if names[0] != names[1] else (file1 or "first", file2 or "second")


def _size(file: str | None) -> str:
    """Return the size of ``file`` in megabytes as text if it is a web page, and an empty string otherwise."""
    return f", {Path(file).stat().st_size / 1e6:.1f} MB" if file is not None and ending(file) == ".html" else ""


def _start(tree: GameTree, root: str, player: int | None) -> tuple[int, ...]:
    place = find_place_in_words(tree, root, None if player is None else player - 1)
    return (place,) if isinstance(place, int) else nodes_of(tree, *place)


def _draw_hands(
    call: Call,
    stated: StatedProfile,
    other: StatedProfile | None,
    file: str,
    board: str | None,
    line: str | None,
    theme: _Theme,
) -> None:
    """Draw the strategies of an ordered game, save the picture and report the file."""
    by_ending(file, HandsPicture.forms, "the picture of an ordered game")
    with call:
        played, profile = ordered_profile(call, stated)
        somewhere = board is not None or line is not None
        place = hands_kind(played).place(board, line) if somewhere or ending(file) != ".html" else None
        call.progress.step("drawing")
        beside = None if other is None else ordered_profile(call, other)[1]
        names = _names(stated.name, None if other is None else other.name)
        about = statement(stated.solution), statement(None if other is None else other.solution)
        picture = HandsPicture(played, profile, place, beside, names, about)
        written = call.save(file, lambda path: picture.save(path, theme), "the picture")
        spot = picture.spot()
    rules: Any = played.rules
    cards = " ".join(rules.signals[signal] for signal in spot.public)
    moves = [list(moves) for moves in spot.lines]
    record = {"file": written, "round": spot.round + 1, "board": cards, "line": moves, "decisions": len(spot.panels)}
    where = f"round {spot.round + 1}{cards and ', '}{cards}, {len(spot.panels):,} decisions"
    call.present(
        json=lambda: record,
        table=lambda: f"{written or 'not written'}: {'all rounds' if place is None else where}{_size(written)}\n",
    )
    call.finish()
