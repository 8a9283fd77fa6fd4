"""Make captions, short numbers and rows of strategies for pictures, pages and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from tremble.game.rules import UnbuiltGame
from tremble.game.strategy_rows import InfosetRow
from tremble.game.tree import GameTree
from tremble.numbers import as_float, exact_text
from tremble.text.view import Number, decimal_text

if TYPE_CHECKING:
    from tremble.game.protocol import Game
    from tremble.game.strategy import BehaviorStrategy
    from tremble.solution.claims import GameReference
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
    """Return a placeholder for a game that is not loaded. ``stated`` can provide the title, spec and digest."""
    nothing = cast("Game", None)
    if stated is None:
        return UnbuiltGame(nothing, "", None, None)
    return UnbuiltGame(nothing, stated.title, stated.spec, stated.digest)


def headline(solution: StatedSolution) -> str:
    """Return the concept and the status of a solution, for example ``nash, certified``."""
    return f"{solution.concept}, {solution.status}"


def statement(solution: StatedSolution | None) -> str:
    """Return a line with a solution's concept, status and value. Without bounds, show both payoffs, not the value."""
    from tremble.solution.concepts import CONCEPTS  # imported late: loads all certificates, which `info` never uses

    if solution is None:
        return ""
    if CONCEPTS[solution.concept].of_player:  # for a maxmin strategy of player 2, the bounds are not about player 1
        return headline(solution)
    one, two = map(compact_text, solution.values)
    low, high = solution.bounds or solution.values
    if solution.bounds is None:
        return f"{headline(solution)}, expected payoffs {one} and {two}"
    worth = f"value {one}" if low == high else f"value between {compact_text(low)} and {compact_text(high)}"
    return f"{headline(solution)}, {worth} to player 1"


def tree_rows(tree: GameTree, player: int, strategy: BehaviorStrategy | None) -> Iterator[InfosetRow]:
    """Yield a row for each information set of a player. Without ``strategy``, the rows have no probabilities."""
    for k, actions in enumerate(tree.actions[player]):
        shares: Sequence[Number | None] = [None] * len(actions) if strategy is None else strategy.row(k)
        off = strategy is not None and bool(strategy.off_path[k])
        yield InfosetRow(
            player + 1, k + 1, tree.infoset_labels[player][k], tuple(zip(actions, shares, strict=True)), off
        )


def compact_text(value: Number | None) -> str:
    """Return ``value`` as an exact number if it is short, else as a decimal. For None, return an empty text."""
    if value is None:
        return ""
    text = exact_text(value)
    return text if len(text) <= 11 and not isinstance(value, float) else decimal_text(value, 6)


def decimals_text(value: Number | None) -> str:
    """Return ``value`` as a decimal with at most six significant digits. For None, return an empty text."""
    return "" if value is None else decimal_text(value, 6)


def number_text(value: Number, width: int = 6) -> str:
    """Return a number for a picture, with a typographic minus: exact if ``width`` characters suffice, else decimal."""
    text = exact_text(value) if not isinstance(value, float) else decimal_text(value, 4)
    if len(text.lstrip("-")) > width:
        text = decimal_text(value, 4)
    return text.replace("-", "\N{MINUS SIGN}")


def share_text(value: Number) -> str:
    """Return a probability as short text, for a branch of a drawn tree."""
    text = number_text(value)
    return f"{as_float(value):.4f}" if "/" not in text and 1e-4 <= value < 1 and len(text) > 6 else text
