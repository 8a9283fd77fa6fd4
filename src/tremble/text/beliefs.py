"""Show beliefs on a terminal: the probability of each node of an information set, if play reaches the set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.solution.claim import BeliefRow
from tremble.text.theme import FAINT, HEADING
from tremble.text.view import DECIMAL, EXACT, MAX_ROWS, Block, fill, indented, more, move, table

__all__ = ["belief_view"]


def belief_view(row: BeliefRow) -> RenderableType:
    """Show a player's belief at one information set."""
    rows = table("after", EXACT, DECIMAL, right=(EXACT,))
    _, lines = _belief_block(row)
    fill(rows, [((), lines)], MAX_ROWS, " nodes")
    return Group(Text(f"Beliefs at information set {row.infoset + 1}", style=HEADING), indented(rows))


def beliefs_view(beliefs: Sequence[BeliefRow], max_rows: int) -> Iterator[RenderableType]:
    """Yield a table of one player's beliefs. Omit information sets with a single node, which has probability 1."""
    open_sets = [row for row in beliefs if len(row.nodes) != 1]
    if not open_sets:
        return
    yield Text("  beliefs at information sets with more than one node", style=FAINT)
    rows = table("set", "after", EXACT, DECIMAL, right=("set", EXACT))
    sets = fill(rows, map(_belief_block, open_sets), max_rows, " nodes")
    yield indented(rows)
    yield from more(len(open_sets) - sets, " information sets", "  ", full=(".beliefs", "-o FILE"))


def _belief_block(row: BeliefRow) -> Block:
    lines = [(move(", ".join(path) or "(the root)", p), FAINT if p == 0 else "") for path, p in row.nodes]
    return (str(row.infoset + 1),), lines or [((Text("chance never reaches this set", style=FAINT),), "")]
