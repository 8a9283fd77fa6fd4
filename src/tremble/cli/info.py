"""The command ``tremble info``: show the sizes, the payoffs and the recall of a game."""

from __future__ import annotations

from tremble.cli.command import Call
from tremble.cli.options import command
from tremble.text import games
from tremble.text import info as sizes

__all__ = ["info"]


@command("table", "json")
def info(call: Call) -> None:
    """Show the payoffs and recall of GAME, and its sizes before and after merging alike information sets.

    If the tree has more than --max-nodes nodes, the command shows the numbers that it can count from the rules. The
    other values are unknown (null).

    \b
    Example: tremble info leduc --format json
    JSON: {"title", "players", "zero_sum", "constant_sum", "nodes": {"chance", "player", "terminal"},
           "information_sets", "sequences", "recall", "recall_witness", "max_depth", "digest",
           "merged": {"rows", "columns", "entries", "information_sets": [per player]}, each [before, after];
           "facts": {name: text}, only for games of cards}
    """  # noqa: D301 (click reads the backspace)
    with call:
        record = sizes.info(call.tree_or_rules())
    call.present(json=lambda: record, table=lambda: games.info_view(record))
