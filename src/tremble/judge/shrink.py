"""One door to what need not be told apart: hands of an ordered game, information sets of a tree.

The types of what it returns, one of which is a capability's, stand in ``shrink.pyi``.
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
from tremble.solvers.run import nobody_listens

__all__ = ["merge", "shrink"]

_Threshold = Fraction | float | None


def shrink(game: object, mode: str = "lossless", threshold: _Threshold = None) -> object:
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
    """:func:`tremble.shrink` of a tree; ``check`` is called now and then, and may raise to stop."""
    require_mode(mode, threshold)
    if mode not in ("lossless", "merged"):
        raise SpecError(f"the mode {mode} is for rules of ordered games (tremble.load_rules); trees are merged")
    return merging_of(tree, check)
