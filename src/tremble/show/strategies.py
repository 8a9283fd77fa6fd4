"""Strategies and beliefs in a terminal, information set by information set, the first of them if they are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from sys import maxsize

from rich.console import RenderableType
from rich.text import Text

from tremble.model.printable import printable
from tremble.model.rules import UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.show.numbers import Number, probability_text, short_text
from tremble.show.tables import Block, fill, indented, more, table
from tremble.show.theme import FAINT, OFF_PATH
from tremble.show.view import InfosetRow, strategy_rows
from tremble.solution.claim import BeliefRow

__all__ = ["MAX_ROWS", "beliefs_view", "strategy_view"]

MAX_ROWS = 40  # of a strategy, about, that are shown per player


def strategy_view(
    strategy: BehaviorStrategy | UnbuiltStrategy, max_rows: int, *, pure: bool = False
) -> Iterator[RenderableType]:
    """Make a table of one player's strategy, and say how to see what it leaves out."""
    if isinstance(strategy, UnbuiltStrategy):
        rows = table("knows", "action", "probability", "decimal", right=("probability",))
        shortest = sorted(strategy_rows(strategy), key=lambda row: (len(row.label), row.label))
        sets, all_sets = fill(rows, map(_known_block, shortest[:max_rows]), maxsize), len(shortest)
    else:
        label = "label" if pure or any(strategy.infoset_labels) else ""
        rows = table(
            "set", label, "action", *([] if pure else ["probability", "decimal"]), right=("set", "probability")
        )
        blocks = (_set_block(row, pure=pure) for row in strategy_rows(strategy))
        sets, all_sets = fill(rows, blocks, max_rows, " actions"), strategy.num_infosets
        if not all_sets:
            yield Text("never moves", style=FAINT)
    if sets:
        yield indented(rows)
    where = "csv or json" if pure and isinstance(strategy, BehaviorStrategy) else "csv or -o FILE"
    yield from more(all_sets - sets, f" information sets; --format {where} gives all", "  ")
    if isinstance(strategy, BehaviorStrategy) and not pure and any(strategy.off_path[:sets]):
        yield Text("  * off the path of the player's own strategy: it never comes there", style=FAINT)


def beliefs_view(beliefs: Sequence[BeliefRow], max_rows: int) -> Iterator[RenderableType]:
    """Make a table of what one player believes where more than one node is possible."""
    open_sets = [row for row in beliefs if len(row.nodes) != 1]
    if not open_sets:
        return
    yield Text("  beliefs, at information sets of more than one node", style=FAINT)
    rows = table("set", "after", "probability", "decimal", right=("set", "probability"))
    sets = fill(rows, map(_belief_block, open_sets), max_rows, " nodes")
    yield indented(rows)
    yield from more(len(open_sets) - sets, " information sets; -o FILE gives all", "  ")


def _set_block(row: InfosetRow, *, pure: bool) -> Block:
    style = OFF_PATH if row.off_path else ""
    if pure:
        return (str(row.number), printable(row.label)), [((printable(row.chosen),), style)]
    head = f"{row.number}{'*' if row.off_path else ''}", printable(row.label)
    return head, [(_move(action, p), style or (FAINT if p == 0 else "")) for action, p in row.moves]


def _known_block(row: InfosetRow) -> Block:
    return (printable(row.label) or "(nothing yet)",), [(_move(action, p), "") for action, p in row.moves if p]


def _belief_block(row: BeliefRow) -> Block:
    lines = [(_move(", ".join(path) or "(the root)", p), FAINT if p == 0 else "") for path, p in row.nodes]
    return (str(row.infoset),), lines or [((Text("chance never comes here", style=FAINT),), "")]


def _move(what: str, p: Number | None) -> tuple[str, str, str]:
    """An action, or the moves to a node, and its probability, exact and decimal."""
    assert p is not None
    return printable(what), short_text(p), probability_text(p)
