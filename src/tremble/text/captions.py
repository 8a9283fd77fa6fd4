"""Titles, captions and short numbers for pictures, pages and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import as_float
from tremble.solution.parts import InfosetRow
from tremble.text.view import Number, decimal_text, exact_text

if TYPE_CHECKING:
    from tremble.game.protocol import Game
    from tremble.game.strategy import BehaviorStrategy
    from tremble.solution.parts import GameReference
    from tremble.solution.stated import StatedSolution

__all__ = [
    "compact_text",
    "decimals_text",
    "headline",
    "nameless",
    "number_text",
    "share_text",
    "statement",
    "tree_rows",
]


def nameless(stated: GameReference | None = None) -> UnbuiltGame:
    """Return a stand-in, with the stated title if any, for the game of a value that does not hold its game."""
    nothing = cast("Game", None)
    if stated is None:
        return UnbuiltGame(nothing, "", None, None)
    return UnbuiltGame(nothing, stated.title, stated.spec, stated.digest)


def headline(solution: StatedSolution) -> str:
    """Return the stated concept and status of a solution in two words."""
    return f"{solution.concept}, {solution.status}"


def statement(solution: StatedSolution | None) -> str:
    """Summarize a stated solution in a line: concept, status and payoffs (player 1's if the sum is constant)."""
    from tremble.solution.concepts import CONCEPTS  # loads all certificates; `info` does not need it

    if solution is None:
        return ""
    if CONCEPTS[solution.concept].of_player:  # what bounds are of depends on whose strategy it is
        return headline(solution)
    one, two = map(compact_text, solution.values)
    low, high = solution.bounds or solution.values
    if solution.bounds is None:
        return f"{headline(solution)}, expected payoffs {one} and {two}"
    worth = f"value {one}" if low == high else f"value between {compact_text(low)} and {compact_text(high)}"
    return f"{headline(solution)}, {worth} to player 1"


def tree_rows(tree: GameTree, player: int, strategy: BehaviorStrategy | None) -> Iterator[InfosetRow]:
    """Yield the rows of a player's information sets, with or without a strategy."""
    for k, actions in enumerate(tree.actions[player]):
        shares: Sequence[Number | None] = [None] * len(actions) if strategy is None else strategy.row(k)
        off = strategy is not None and bool(strategy.off_path[k])
        yield InfosetRow(
            player + 1, k + 1, tree.infoset_labels[player][k], tuple(zip(actions, shares, strict=True)), off
        )


def compact_text(value: Number | None) -> str:
    """Write the exact number if it is short, else a decimal; write nothing for None."""
    if value is None:
        return ""
    text = exact_text(value)
    return text if len(text) <= 11 and not isinstance(value, float) else decimal_text(value, 6)


def decimals_text(value: Number | None) -> str:
    """Write a decimal with six digits, or an integer as it is; write nothing for None."""
    return "" if value is None else decimal_text(value, 6)


def number_text(value: Number, width: int = 6) -> str:
    """Write a short exact number, else a decimal, with a typographic minus: for pictures."""
    text = exact_text(value) if not isinstance(value, float) else decimal_text(value, 4)
    if len(text.lstrip("-")) > width:
        text = decimal_text(value, 4)
    return text.replace("-", "\N{MINUS SIGN}")


def share_text(value: Number) -> str:
    """Write a probability on a branch."""
    text = number_text(value)
    return f"{as_float(value):.4f}" if "/" not in text and 1e-4 <= value < 1 and len(text) > 6 else text
