"""``tremble info``: show sizes and class of a game."""

from __future__ import annotations

from tremble.cli.command import Call, command
from tremble.text import games
from tremble.text import info as sizes

__all__ = ["info"]


@command("table", "json")
def info(call: Call) -> None:
    """Show sizes and class of GAME: nodes, information sets, sequences, recall, kind of payoffs, sizes after merging.

    For rules whose tree is larger than --max-nodes, the numbers that the rules can count are shown; the others are
    unknown (null).

    \b
    Example: tremble info leduc --format json
    JSON: {"title", "players", "zero_sum", "constant_sum", "nodes": {"chance", "player", "terminal"},
           "information_sets", "sequences", "recall", "recall_witness", "max_depth", "digest",
           "merged": {"rows", "columns", "entries", "information_sets": [per player]}, each [game, left]}
    """  # noqa: D301 (click reads the backspace)
    with call:
        record = sizes.info(call.tree_or_rules())
    call.present(json=lambda: record, table=lambda: games.info_view(record))
