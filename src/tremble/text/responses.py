"""Show the best responses to a profile and the gains of these responses (NashConv, exploitability) on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.text.solutions import rows_view
from tremble.text.theme import HEADING, NOTE
from tremble.text.view import (
    MAX_ROWS,
    Number,
    add,
    exact_and_decimal,
    facts_table,
    heading,
    numbered_name,
    of_the_pot,
    table,
)
from tremble.words import printable

if TYPE_CHECKING:
    from tremble.game.adapter import Responses

__all__ = ["responses_view"]


def responses_view(game: GameTree | UnbuiltGame, responses: Responses, max_rows: int = MAX_ROWS) -> RenderableType:
    """Show a profile's payoffs, the best responses to the profile, and each player's gain from its best response."""

    def known(value: Number | None, width: int = 60) -> str:
        return "?" if value is None else exact_and_decimal(value, width)

    rows = table("", "earns", "best response earns", "gain")
    for i in (0, 1):
        numbers = (responses.values[i], responses.best_values[i], responses.gains[i])
        add(rows, numbered_name(game, i), *(known(v, 30) for v in numbers))
    conv = Text(known(responses.nash_conv), style=HEADING)
    half = known(responses.exploitability) + of_the_pot(game, responses.exploitability)
    if isinstance(game, GameTree) and game.constant_sum is None:
        half += "  (half of NashConv: without a constant sum the game has no value)"
    sums = facts_table([("NashConv", conv), ("exploitability", half)])
    parts: list[RenderableType] = [heading(game.title), rows, sums]
    parts += [Text(f"? {printable(reason)}", style=NOTE) for reason in responses.reasons if reason is not None]
    for i in (0, 1):
        gain, best = responses.gains[i], responses.best[i]
        if best is not None and gain is not None and gain > 0:
            parts += [Text(), Text(f"Best response of p{numbered_name(game, i)[1:]}", style=HEADING)]
            parts += rows_view(best, max_rows, pure=True)
    return Group(*parts)
