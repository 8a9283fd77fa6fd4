"""Sizes and class of a game, as ``tremble info`` tells them."""

from __future__ import annotations

from typing import Any

from tremble.errors import TooLargeError
from tremble.io.foreign import game_of
from tremble.model.forgetting import recall_witness
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree

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
        known. The witness of a player's recall is that of :func:`tremble.recall_witness`, None where it is perfect.

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
    game = game_of(game)
    return _of_tree(game) if isinstance(game, GameTree) else _of_rules(game)


def _of_tree(tree: GameTree) -> dict[str, Any]:
    chance, one, two, leaves = tree.nodes_by_kind.values()
    recalls, witnesses = zip(*(_recall(tree, player) for player in (0, 1)), strict=True)
    return {
        "title": tree.title,
        "players": list(tree.players),
        "zero_sum": tree.zero_sum,
        "constant_sum": tree.constant_sum is not None,
        "nodes": {"chance": chance, "player": [one, two], "terminal": leaves},
        "information_sets": list(tree.num_infosets),
        "sequences": [slots + 1 for slots in tree.num_slots],
        "recall": list(recalls),
        "recall_witness": list(witnesses),
        "max_depth": tree.depth,
        "digest": tree.digest,
    }


def _recall(tree: GameTree, player: int) -> tuple[str | None, dict[str, Any] | None]:
    """How much a player remembers, and what shows it; None where telling would take too long."""
    try:
        witness = recall_witness(tree, player)
    except TooLargeError:
        return None, None
    return ("perfect", None) if witness is None else (witness.recall, witness.plain())


def _of_rules(game: UnbuiltGame) -> dict[str, Any]:
    counts = getattr(game.rules, "counts", dict)
    known: dict[str, Any] = counts() or {}
    declared = getattr(game.rules, "declared_sum", None)
    if declared is not None:
        known = {"zero_sum": declared == 0, "constant_sum": True, **known}
    if known.get("recall") == ["perfect", "perfect"]:
        known = {**known, "recall_witness": [None, None]}
    sizes = ("nodes", "information_sets", "sequences", "recall", "recall_witness", "max_depth")
    named = {"title": game.title, "players": list(game.players)}
    return named | {key: known.get(key) for key in ("zero_sum", "constant_sum", *sizes)} | {"digest": game.digest}
