"""Shrink a game by merging hands of an ordered game or information sets of a tree.

Only the stub ``shrink.pyi`` declares the result types, because one of these types is in the optional part ``poker``.
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
        The game can be an ordered game of two players, or rules whose method ``ordered()`` returns an ordered game. The
        tree of an ordered game is never built. The game can also be any tree with perfect recall. In a tree, the
        function merges information sets and actions that the linear program of the tree treats alike.
        :func:`tremble.solve` merges them in the same way before it solves a tree. If the payoffs have no constant sum,
        :func:`tremble.solve` merges only with the option ``symmetric``.
    mode : str
        For a tree, ``"merged"`` and ``"lossless"`` have the same meaning. For an ordered game, the modes are:

        * ``"lossless"`` merges hands without losing an equilibrium.
        * ``"published"`` reproduces the sizes in the paper of Gilpin and Sandholm. It may lose equilibria.
        * ``"literal"`` is one reading of the algorithm in this paper, for small games. It may lose equilibria.
        * ``"threshold"`` merges hands that differ by at most ``threshold``. It may lose equilibria.
        * ``"full"`` merges nothing.
    threshold : Fraction or float, optional
        The greatest difference between two merged hands, on a scale from 0 (worst outcome) to 1 (best outcome).
        Only the mode ``"threshold"`` uses this number. In poker, the difference is k/n if one hand wins k more of n
        showdowns. The threshold 0 is lossless. A threshold of 1 or more ignores all signals.

    Returns
    -------
    tremble.poker.Abstraction or tremble.results.Merging
        An ``Abstraction`` for an ordered game, and a ``Merging`` for a tree.

    Raises
    ------
    SpecError
        The mode is unknown or does not support this kind of game. Or the threshold is negative, missing, or given for a
        mode that accepts none.
    GameError
        The rules are not the rules of an ordered game, or they contain wrong signals, weights or payoffs. The message
        names the signals. ``PlayersError`` is raised if the game does not have two players. ``ImperfectRecallError`` is
        raised for a tree in which a player lacks perfect recall.
    TooLargeError
        The possible deals do not fit into memory, or the game is too large for the mode ``"literal"``.

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
    """Merge alike information sets and actions of a tree, as :func:`tremble.shrink` does.

    The function calls ``check`` from time to time. ``check`` may raise an exception to stop the work.
    """
    require_mode(mode, threshold)
    if mode not in ("lossless", "merged"):
        raise SpecError(f"the mode '{mode}' is for rules of ordered games (tremble.load_rules); trees use 'merged'")
    return merging_of(tree, check)
