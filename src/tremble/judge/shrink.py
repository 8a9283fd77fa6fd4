"""One door to what need not be told apart: hands of an ordered game, information sets of a tree."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import overload

from tremble.errors import SpecError
from tremble.formats.foreign import game_of
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.shrink import find_ordered, require_mode, shrink_ordered
from tremble.poker.game import OrderedGame
from tremble.solution.merging import Merging
from tremble.solvers.merging import merging_of
from tremble.solvers.run import nobody_listens

__all__ = ["merge", "shrink"]

_Threshold = Fraction | float | None


@overload
def shrink(game: GameTree, mode: str = "merged", threshold: None = None) -> Merging: ...


@overload
def shrink(game: OrderedGame | UnbuiltGame, mode: str = "lossless", threshold: _Threshold = None) -> Abstraction: ...


@overload
def shrink(game: object, mode: str = "lossless", threshold: _Threshold = None) -> Abstraction | Merging: ...


def shrink(game: object, mode: str = "lossless", threshold: _Threshold = None) -> Abstraction | Merging:
    """Merge what the players of a game need not tell apart: hands of an ordered game, information sets of a tree.

    Parameters
    ----------
    game : GameTree, OrderedGame, UnbuiltGame, rules, pyspiel.Game or pygambit.Game
        An ordered game of two players, or rules whose method ``ordered()`` returns one: its tree is never built. Or any
        tree whose players forget nothing: whatever no sum of payoffs tells apart is found, which is what
        :func:`tremble.solve` merges before it solves; unless the payoffs sum to a constant, if it is ``symmetric``.
    mode : str
        Of an ordered game: ``"lossless"`` merges what can be merged without losing an equilibrium. All others may lose,
        and serve to compare: ``"published"`` reproduces the published sizes, ``"literal"`` is one reading of the
        published algorithm, for small games, ``"threshold"`` merges hands that differ by at most ``threshold``.
        ``"full"`` merges nothing. Of a tree: ``"merged"``, which ``"lossless"`` is, too.
    threshold : Fraction or float, optional
        For that mode alone: by how much two hands of a class may differ, as a share of what the outcome is worth; in
        poker k wins more of n count k/n. 0 is lossless, 1 or more ignores all signals.

    Returns
    -------
    tremble.poker.Abstraction or tremble.results.Merging
        Of an ordered game, and of a tree.

    Raises
    ------
    SpecError
        An unknown mode, or one for other games; a threshold that is negative or not asked for.
    GameError
        The rules are not those of an ordered game, or its signals, weights or payoffs are not; names the signals.
        ``PlayersError`` where it has not two players; ``ImperfectRecallError`` of a tree.
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

    A tree: each bids one of three cards for the next prize.

    >>> found = tremble.shrink(tremble.load("goofspiel:cards=3"))
    >>> found.raw.rows, found.sizes.rows
    (608, 311)

    References
    ----------
    A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006.
    M. Grohe, K. Kersting, M. Mladenov, E. Selman: Dimension reduction via colour refinement, ESA 2014.
    """
    tree = game_of(game) if find_ordered(game) is None else None
    return merge(tree, mode, threshold) if isinstance(tree, GameTree) else shrink_ordered(game, mode, threshold)


def merge(
    tree: GameTree, mode: str, threshold: _Threshold = None, check: Callable[[], None] = nobody_listens
) -> Merging:
    """:func:`tremble.shrink` of a tree; ``check`` is called now and then, and may raise to stop."""
    require_mode(mode, threshold)
    if mode not in ("lossless", "merged"):
        raise SpecError(f"the mode {mode} is for rules of ordered games (tremble.load_rules); trees are merged")
    return merging_of(tree, check)
