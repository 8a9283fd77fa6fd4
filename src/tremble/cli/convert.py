"""The command ``tremble convert``: write a game in another file format."""

from __future__ import annotations

import os
from collections.abc import Callable

import click

from tremble.cli.command import Call
from tremble.cli.console import say
from tremble.cli.options import command
from tremble.cli.outputs import GAME_TEXT, Output, by_ending, ending, endings_of
from tremble.formats.formats import FORMATS
from tremble.game.normal_form import reduced_normal_form
from tremble.game.tree import GameTree

__all__ = ["convert"]


_MATRICES = (".nfg", ".tex")


@command("table", "json", writes=True)
@click.argument("file")
def convert(call: Call, file: str) -> None:
    """Write GAME to FILE, as .efg (Gambit), .nfg, .json, .tex or .game.txt. The ending of FILE determines the format.

    For a game that is not one-shot, .nfg (Gambit) and .tex (LaTeX) contain the reduced normal form, whose rows and
    columns are the players' plans. To write a tree for LaTeX, see tremble draw.
    The text .game.txt is the part about the game in a text of tremble verify --export.

    \b
    Example: tremble convert openspiel:kuhn_poker kuhn.efg
    JSON: {"file", "nodes", "digest"} of the game in FILE
    """  # noqa: D301 (click reads the backspace)
    writers: dict[str, Callable[[GameTree, str], None]] = {name: row.write for name, row in FORMATS.items()}
    write = by_ending(file, writers | endings_of("convert") | {GAME_TEXT: _write_game_text}, "it")
    call.require_files({}, Output.of_its_ending(file))
    with call:
        tree = given = call.tree()
        call.progress.step("writing")
        if ending(file) in _MATRICES:
            tree = reduced_normal_form(given)
        written = call.save(file, lambda path: write(tree, os.fspath(path)), "the game")
    if tree is not given and not call.quiet:
        rows, columns = (len(sets[0]) for sets in tree.actions)
        say(f"the file has the reduced normal form, {rows:,} by {columns:,} strategies, without the order of moves")
    call.present(
        json=lambda: {"file": written, "nodes": tree.num_nodes, "digest": tree.digest},
        table=lambda: f"{written or 'not written'}: {tree.num_nodes:,} nodes, {tree.digest}\n",
    )
    call.finish()


def _write_game_text(tree: GameTree, path: str) -> None:
    from tremble.judge.formal_text import write_game_text

    write_game_text(tree, path)
