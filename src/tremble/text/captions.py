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
    """Return a placeholder for the game of a value that does not store its game, with the title of ``stated``."""
    nothing = cast("Game", None)
    if stated is None:
        return UnbuiltGame(nothing, "", None, None)
    return UnbuiltGame(nothing, stated.title, stated.spec, stated.digest)


def headline(solution: StatedSolution) -> str:
    """Return the concept and the status of a solution, for example ``nash, certified``."""
    return f"{solution.concept}, {solution.status}"


def statement(solution: StatedSolution | None) -> str:
    """Summarize a solution in a line: concept, status and payoffs. If there are bounds, show only player 1's value."""
    from tremble.solution.concepts import CONCEPTS  # this loads all certificates, which `info` does not need

    if solution is None:
        return ""
    if CONCEPTS[solution.concept].of_player:  # the bounds are not about player 1 if player 2 has the strategy
        return headline(solution)
    one, two = map(compact_text, solution.values)
    low, high = solution.bounds or solution.values
    if solution.bounds is None:
        return f"{headline(solution)}, expected payoffs {one} and {two}"
    worth = f"value {one}" if low == high else f"value between {compact_text(low)} and {compact_text(high)}"
    return f"{headline(solution)}, {worth} to player 1"


def tree_rows(tree: GameTree, player: int, strategy: BehaviorStrategy | None) -> Iterator[InfosetRow]:
    """Yield a row for each information set of a player, with the probabilities of a strategy if it is given."""
    for k, actions in enumerate(tree.actions[player]):
        shares: Sequence[Number | None] = [None] * len(actions) if strategy is None else strategy.row(k)
        off = strategy is not None and bool(strategy.off_path[k])
        yield InfosetRow(
            player + 1, k + 1, tree.infoset_labels[player][k], tuple(zip(actions, shares, strict=True)), off
        )


def compact_text(value: Number | None) -> str:
    """Return the exact number if it is short, else a decimal. For None, return an empty text."""
    if value is None:
        return ""
    text = exact_text(value)
    return text if len(text) <= 11 and not isinstance(value, float) else decimal_text(value, 6)


def decimals_text(value: Number | None) -> str:
    """Return a decimal with six digits, or all digits of an integer. For None, return an empty text."""
    return "" if value is None else decimal_text(value, 6)


def number_text(value: Number, width: int = 6) -> str:
    """Return a short exact number, or else a decimal, for a picture. The minus sign is the typographic one."""
    text = exact_text(value) if not isinstance(value, float) else decimal_text(value, 4)
    if len(text.lstrip("-")) > width:
        text = decimal_text(value, 4)
    return text.replace("-", "\N{MINUS SIGN}")


def share_text(value: Number) -> str:
    """Return the text of a probability at a branch of a picture."""
    text = number_text(value)
    return f"{as_float(value):.4f}" if "/" not in text and 1e-4 <= value < 1 and len(text) > 6 else text
