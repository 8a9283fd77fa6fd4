"""Merge hands of an ordered game, or information sets of a tree, that need not be distinguished.

``shrink.pyi`` has the types of the results, one of which belongs to a capability.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tremble.capabilities import extensions
from tremble.errors import GameError, SpecError
from tremble.formats.foreign import game_of
from tremble.game.tree import GameTree
from tremble.judge.modes import NOT_ORDERED, require_mode
from tremble.solution.merging import Merging
from tremble.solvers.merging import merging_of
from tremble.solvers.method import nobody_listens

__all__ = ["merge", "shrink"]

_Threshold = Fraction | float | None


def shrink(game: object, mode: str = "lossless", threshold: _Threshold = None) -> object:
    """Merge hands of an ordered game, or information sets of a tree, that need not be distinguished.

    Parameters
    ----------
    game : GameTree, OrderedGame, UnbuiltGame, rules, pyspiel.Game or pygambit.Game
        An ordered game of two players, or rules whose method ``ordered()`` returns one; its tree is never built. Or any
        tree with perfect recall. In a tree, sets and actions are merged if no sum of payoffs distinguishes them.
        :func:`tremble.solve` merges the same ones before it solves; if the payoffs have no constant sum, only with the
        option ``symmetric``.
    mode : str
        For an ordered game, ``"lossless"`` merges hands without losing an equilibrium. The other modes may lose
        equilibria and serve for comparison: ``"published"`` reproduces the published sizes, ``"literal"`` is one
        reading of the published algorithm, for small games, and ``"threshold"`` merges hands that differ by at most
        ``threshold``. ``"full"`` merges nothing. For a tree, ``"merged"`` and ``"lossless"`` mean the same.
    threshold : Fraction or float, optional
        Only for the mode ``"threshold"``: the greatest difference of two hands in a class, as a share of the value of
        the outcome. In poker, k more wins out of n count k/n. 0 is lossless; 1 or more ignores all signals.

    Returns
    -------
    tremble.poker.Abstraction or tremble.results.Merging
        The first for an ordered game, the second for a tree.

    Raises
    ------
    SpecError
        The mode is unknown or for other games, or the threshold is negative or does not belong to the mode.
    GameError
        The rules are not those of an ordered game, or their signals, weights or payoffs are wrong; the message names
        the signals. ``PlayersError`` if there are not two players; ``ImperfectRecallError`` for a tree without perfect
        recall.
    TooLargeError
        The deals do not fit into memory, or the game is too large for the literal mode.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("rhode_island")
    >>> tremble.shrink(game).sizes.rows
    5498768
    >>> tremble.shrink(game, "published").sizes.rows, tremble.shrink(game, "threshold", 1).sizes.rows
    (1237238, 800)

    In this tree, each player bids one of three cards for the next prize.

    >>> found = tremble.shrink(tremble.load("goofspiel:cards=3"))
    >>> found.raw.rows, found.sizes.rows
    (608, 311)

    References
    ----------
    A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006.
    M. Grohe, K. Kersting, M. Mladenov, E. Selman: Dimension reduction via colour refinement, ESA 2014.
    """
    for shrunk in extensions("shrink"):
        if (abstraction := shrunk(game, mode, threshold)) is not None:
            return abstraction
    tree = game_of(game)
    if isinstance(tree, GameTree):
        return merge(tree, mode, threshold)
    require_mode(mode, threshold)
    raise GameError(NOT_ORDERED)


def merge(
    tree: GameTree, mode: str, threshold: _Threshold = None, check: Callable[[], None] = nobody_listens
) -> Merging:
    """Merge a tree as :func:`tremble.shrink` does; ``check`` is called now and then, and may raise to stop."""
    require_mode(mode, threshold)
    if mode not in ("lossless", "merged"):
        raise SpecError(f"the mode {mode} is for rules of ordered games (tremble.load_rules); trees are merged")
    return merging_of(tree, check)
