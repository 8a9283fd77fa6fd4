"""Sizes and class of a game, as ``tremble info`` tells them."""

from __future__ import annotations

from typing import Any

from tremble.io.foreign import game_of
from tremble.kinds import kind_of

__all__ = ["info"]


def info(game: object) -> dict[str, Any]:
    """Sizes and class of a game: what ``tremble info --format json`` prints.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
        Rules are not built: of their sizes, those are told that they can count.

    Returns
    -------
    dict
        With the keys ``title``, ``players``, ``zero_sum``, ``constant_sum``, ``nodes``, ``information_sets``,
        ``sequences``, ``recall``, ``recall_witness``, ``max_depth`` and ``digest``; None is the value of what is not
        known. The witness of a player's recall is that of :func:`tremble.recall.recall_witness`, None where it is
        perfect.

    Raises
    ------
    GameError
        It is no game.

    Examples
    --------
    >>> import tremble
    >>> found = info(tremble.load("kuhn"))
    >>> found["sequences"], found["recall"], found["max_depth"]
    ([13, 13], ['perfect', 'perfect'], 4)
    >>> info(tremble.load_rules("phantom_ttt"))["max_depth"]
    17
    """
    return kind_of(game_of(game)).info()
