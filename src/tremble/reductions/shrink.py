"""Abstraction of ordered games from their rules: GameShrink and its modes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from tremble.errors import GameError, SpecError
from tremble.model.ordered.filter import Filter
from tremble.model.ordered.game import OrderedGame
from tremble.model.rules import UnbuiltGame
from tremble.reductions.abstraction import Abstraction
from tremble.reductions.lossless import lossless_filter
from tremble.reductions.outcome_counts import published_filter

__all__ = ["MODES", "ladder", "ordered_game", "shrink"]


def _literal(game: OrderedGame) -> Filter:
    from tremble.reductions.literal import literal_filter  # needs SciPy's graphs

    return literal_filter(game)


_FILTERS: Mapping[str, Callable[[OrderedGame], Filter]] = {
    "lossless": lossless_filter,
    "published": published_filter,
    "literal": _literal,
    "full": Filter.full,
}

MODES: Mapping[str, str] = {
    "lossless": "the coarsest equitable classes: no equilibrium is lost",
    "published": "the rule that reproduces the published sizes; lossy",
    "literal": "one reading of Algorithms 1 and 2 of the paper, for small games; lossy",
    "threshold": "hands that differ by at most a threshold are merged; lossy above 0",
    "full": "all hands are told apart: nothing is merged",
}
"""Mode -> what it does."""


def shrink(game: object, mode: str = "lossless", threshold: Fraction | float | None = None) -> Abstraction:
    """Merge hands of an ordered game that its players need not tell apart; the tree is never built.

    Parameters
    ----------
    game : OrderedGame, UnbuiltGame or rules
        With the rules of an ordered game of two players; or rules whose method ``ordered()`` returns one.
    mode : str
        ``"lossless"`` merges what can be merged without losing an equilibrium. All others may lose, and serve to
        compare: ``"published"`` reproduces the published sizes, ``"literal"`` is one reading of the published
        algorithm, for small games, ``"threshold"`` merges hands that differ by at most ``threshold``. ``"full"`` merges
        nothing.
    threshold : Fraction or float, optional
        For that mode alone: by how much two hands of a class may differ, as a share of what the outcome is worth; in
        poker k wins more of n count k/n. 0 is lossless, 1 or more ignores all signals.

    Returns
    -------
    Abstraction

    Raises
    ------
    SpecError
        An unknown mode; a threshold that is negative or not asked for.
    GameError
        The game is not an ordered game, or its signals, weights or payoffs are not those of one; names the signals.
        ``PlayersError`` where it has not two players.
    TooLargeError
        The deals do not fit into memory; the literal mode takes small games only.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("rhode_island")
    >>> tremble.shrink(game).sizes.rows
    5498768
    >>> tremble.shrink(game, "published").sizes.rows, tremble.shrink(game, "threshold", 1).sizes.rows
    (1237238, 800)

    References
    ----------
    A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006.
    """
    if not isinstance(mode, str) or mode not in MODES:
        raise SpecError(f"unknown mode {mode!r:.80}; choose from: {', '.join(MODES)}")
    if mode == "threshold":
        if threshold is None:
            raise SpecError("mode threshold needs a threshold, a number from 0 (lossless) to 1 (all signals ignored)")
        return next(ladder(game, [threshold]))
    if threshold is not None:
        raise SpecError(f"a threshold belongs to mode threshold, not to {mode}")
    ordered = ordered_game(game)
    return Abstraction(ordered, _FILTERS[mode](ordered), mode)


def ladder(game: object, thresholds: Iterable[Fraction | float]) -> Iterator[Abstraction]:
    """The abstractions of several thresholds, from coarse to fine; costs are computed once.

    Each refines those before it.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("rhode_island:ranks=3")
    >>> [rung.sizes.rows for rung in ladder(game, [0, 0.1, 0.5, 1])]
    [800, 1486, 13666, 48848]
    """
    from tremble.reductions.threshold import Clustering  # needs SciPy's clusters

    if isinstance(thresholds, str) or not isinstance(thresholds, Iterable) or getattr(thresholds, "ndim", 1) == 0:
        raise SpecError(f"thresholds are numbers of at least 0, such as [0, 0.1], not {thresholds!r:.80}")
    wanted = sorted(map(_threshold, thresholds), reverse=True)
    ordered = ordered_game(game)
    clustering = Clustering.of(ordered)
    for threshold in wanted:
        yield Abstraction(ordered, clustering.cut(threshold), "threshold", threshold)


def ordered_game(game: object) -> OrderedGame:
    """The ordered game that rules are, or say that they are.

    Raises
    ------
    GameError
        They are none.
    """
    rules: Any = game.rules if isinstance(game, UnbuiltGame) else game
    if not isinstance(rules, OrderedGame) and callable(getattr(rules, "ordered", None)):
        rules = rules.ordered()
    if isinstance(rules, OrderedGame):
        return rules
    raise GameError(
        "abstraction needs the rules of an ordered game: signals dealt in rounds, and moves that everybody sees and "
        "that do not depend on the signals (tremble.poker.OrderedGame); this is not written as one"
    )


def _threshold(value: Fraction | float) -> float:
    """A threshold; all that ignore every signal are 1."""
    try:
        threshold = float(min(value, 1))
    except (OverflowError, TypeError, ValueError):
        threshold = -1.0
    if not threshold >= 0:
        raise SpecError(f"a threshold is a number of at least 0, not {value!s:.80}")
    return min(threshold, 1.0)
