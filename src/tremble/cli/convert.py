"""``tremble convert``: a game as a file of another format."""

from __future__ import annotations

import click

from tremble.cli.command import Call, command
from tremble.cli.outputs import Output, by_ending
from tremble.io.formats import FORMATS

__all__ = ["convert"]


@command("table", "json", writes=True)
@click.argument("file")
def convert(call: Call, file: str) -> None:
    """Write GAME to FILE: .efg (Gambit), .nfg (one-shot games) or .json, by its ending.

    \b
    Example: tremble convert openspiel:kuhn_poker kuhn.efg
    JSON: {"file", "nodes", "digest"}
    """  # noqa: D301 (click reads the backspace)
    chosen = by_ending(file, FORMATS, "it")
    call.require_files({}, Output.of_its_ending(file))
    with call:
        tree = call.tree()
        call.progress.step("writing")
        chosen.write(tree, file)
    call.present(
        json=lambda: {"file": file, "nodes": tree.num_nodes, "digest": tree.digest},
        table=lambda: f"{file}: {tree.num_nodes:,} nodes, {tree.digest}\n",
    )
