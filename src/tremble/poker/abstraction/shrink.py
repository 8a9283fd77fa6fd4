"""Abstraction of ordered games: the modes of :func:`tremble.shrink` that need the rules, but no tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from tremble.errors import GameError, SpecError
from tremble.game.rules import UnbuiltGame
from tremble.judge.modes import NOT_ORDERED, require_mode
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.abstraction.outcome_counts import published_filter
from tremble.poker.filter import Filter
from tremble.poker.game import OrderedGame
from tremble.poker.games.ordered_forms import ordered_form
from tremble.poker.holdem.game import HoldemGame, HoldemTurn

__all__ = ["find_ordered", "ladder", "ordered_game", "shrink_ordered", "shrunk_if_ordered"]


def _literal(game: OrderedGame) -> Filter:
    from tremble.poker.abstraction.literal import literal_filter  # imports SciPy's graph algorithms

    return literal_filter(game)


_FILTERS: Mapping[str, Callable[[OrderedGame], Filter]] = {
    "lossless": lossless_filter,
    "published": published_filter,
    "literal": _literal,
    "full": Filter.full,
}


def shrink_ordered(game: object, mode: str = "lossless", threshold: Fraction | float | None = None) -> Abstraction:
    """Merge hands of an ordered game; :func:`tremble.shrink` explains the arguments."""
    require_mode(mode, threshold)
    if mode == "merged":
        raise SpecError("the mode 'merged' is for trees; first build a tree with tremble.build(game)")
    if threshold is not None:
        return next(ladder(game, [threshold]))
    ordered = ordered_game(game)
    return Abstraction(ordered, _FILTERS[mode](ordered), mode)


def shrunk_if_ordered(game: object, mode: str, threshold: Fraction | float | None) -> Abstraction | None:
    """Shrink an ordered game, or rules that are equivalent to an ordered game; return None for any other game."""
    ordered = find_ordered(game)
    return None if ordered is None else shrink_ordered(ordered, mode, threshold)


def ladder(game: object, thresholds: Iterable[Fraction | float]) -> Iterator[Abstraction]:
    """Yield an abstraction for each threshold of a list, from the coarsest to the finest abstraction.

    Each abstraction refines the previous abstraction. The costs of merging hands are computed only once.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("rhode_island:ranks=3")
    >>> [rung.sizes.rows for rung in ladder(game, [0, 0.1, 0.5, 1])]
    [800, 1486, 13666, 48848]
    """
    from tremble.poker.abstraction.threshold import Clustering  # imports SciPy's clustering

    if isinstance(thresholds, str) or not isinstance(thresholds, Iterable) or getattr(thresholds, "ndim", 1) == 0:
        raise SpecError(f"'thresholds' must be numbers of at least 0, such as [0, 0.1], not {thresholds!r:.80}")
    descending = sorted(map(_threshold, thresholds), reverse=True)
    ordered = ordered_game(game)
    clustering = Clustering.of(ordered)
    for threshold in descending:
        yield Abstraction(ordered, clustering.cut(threshold), "threshold", threshold)


def ordered_game(game: object) -> OrderedGame:
    """Convert rules to an ordered game; return ordered games unchanged.

    Raises
    ------
    GameError
        The rules are not an ordered game, and no equivalent ordered game is known.
    """
    ordered = find_ordered(game)
    if ordered is None:
        raise GameError(NOT_ORDERED)
    return ordered


def find_ordered(game: object) -> OrderedGame | None:
    """Convert rules to an equivalent ordered game; return None if no such game is known."""
    rules: Any = game.rules if isinstance(game, UnbuiltGame) else game
    if isinstance(rules, HoldemGame) and rules.lock:
        raise GameError("a game with locked hands cannot be shrunk; use the method dcfr")
    if isinstance(rules, HoldemTurn):
        raise GameError(
            f"{rules.title} cannot be shrunk, because the possible bets depend on earlier bets; use the method dcfr, "
            "which merges suits that are alike"
        )
    rules = ordered_form(rules) or rules
    if not isinstance(rules, OrderedGame) and callable(getattr(rules, "ordered", None)):
        rules = rules.ordered()
    return rules if isinstance(rules, OrderedGame) else None


def _threshold(value: Fraction | float) -> float:
    """Check a threshold and convert it to a float. A threshold above 1 becomes 1, which merges all hands."""
    try:
        threshold = float(min(value, 1))
    except (OverflowError, TypeError, ValueError):
        threshold = -1.0
    if not threshold >= 0:
        raise SpecError(f"a threshold must be a number of at least 0, not {value!s:.80}")
    return min(threshold, 1.0)
