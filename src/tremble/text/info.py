"""Sizes, payoffs and recall of a game, as ``tremble info`` shows them."""

from __future__ import annotations

from typing import Any

from tremble.errors import TooLargeError
from tremble.formats.foreign import game_of
from tremble.game.kinds import kind_of
from tremble.game.tree import GameTree

__all__ = ["info"]

_MOST_NODES = 1_000_000  # larger trees are not searched for alike sets, because the search may take seconds


def info(game: object) -> dict[str, Any]:
    """Return the sizes, payoffs and recall of a game, as ``tremble info --format json`` prints them.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
        The game. If it is given by rules, no tree is built, and only sizes that the rules can count are known.

    Returns
    -------
    dict
        The keys are ``title``, ``players``, ``zero_sum``, ``constant_sum``, ``nodes``, ``information_sets``,
        ``sequences``, ``recall``, ``recall_witness``, ``max_depth``, ``digest`` and ``merged``. An unknown value is
        None. ``recall_witness`` contains, for each player, the result of :func:`tremble.recall.recall_witness`, or None
        for perfect recall. ``merged`` describes how :func:`tremble.shrink` reduces the linear program by merging alike
        information sets. It is known only for constant-sum trees of perfect recall with up to a million nodes. It has
        the sizes ``rows``, ``columns``, ``entries`` and ``information_sets`` (of both players), each as a list
        ``[before, after]``. Games of cards have a further key ``facts``: a dict of texts, such as the memory that a
        solution needs.

    Raises
    ------
    GameError
        The argument is not a game.

    Examples
    --------
    >>> import tremble
    >>> found = info(tremble.load("kuhn"))
    >>> found["sequences"], found["recall"], found["max_depth"]
    ([13, 13], ['perfect', 'perfect'], 4)
    >>> info(tremble.load("goofspiel:cards=3"))["merged"]["rows"]
    [608, 311]
    >>> info(tremble.load_rules("phantom_ttt"))["max_depth"]
    17
    """
    played = game_of(game)
    told = kind_of(played).info()
    linear = told["constant_sum"] and told["recall"] == ["perfect", "perfect"]
    small = isinstance(played, GameTree) and played.num_nodes <= _MOST_NODES
    return told | {"merged": _merged(played) if isinstance(played, GameTree) and linear and small else None}


def _merged(tree: GameTree) -> dict[str, Any] | None:
    """Return the entry ``merged``: sizes before and after merging. None if the linear program is too large to build."""
    from tremble.solvers.merging import merging_of

    try:
        found = merging_of(tree)
    except TooLargeError:
        return None
    whole, left = found.raw, found.sizes
    return {
        "rows": [whole.rows, left.rows],
        "columns": [whole.columns, left.columns],
        "entries": [whole.nonzeros, left.nonzeros],
        "information_sets": [list(both) for both in zip(whole.information_sets, left.information_sets, strict=True)],
    }
