"""A check that an argument is a game tree."""

from __future__ import annotations

import numpy as np

from tremble.errors import GameError
from tremble.game.tree import GameTree

__all__ = ["require_tree"]


def require_tree(game: object) -> None:
    """Raise ``GameError`` unless this is a game tree; the rules of a game too large to build are not one."""
    if not isinstance(game, GameTree):
        raise GameError(
            f"{_advice(game)}; a game that is too large for that is played from its rules, by tremble.solve, "
            "tremble.verify and tremble.strategies.evaluate"
        )


def _advice(game: object) -> str:
    """Name the kind of an argument that is not a game tree, and the function that makes a tree of it."""
    kind = type(game).__name__
    if isinstance(game, type):
        return f"the class {game.__name__} is not a game tree: tremble.build({game.__name__}(...)) builds one"
    if isinstance(game, str):
        return f"a text is not a game tree: tremble.load({game!r:.80}) loads the game of that name"
    if isinstance(game, list | tuple | np.ndarray):
        return f"a {kind} is not a game tree: tremble.matrix_game(A, B) makes one of matrices of payoffs"
    if hasattr(game, "to_json"):
        return f"a {kind} is not a game tree: its to_json(file) writes it to a file"
    return (
        f"a {kind} is not a game tree: tremble.build(game) builds the tree of rules, of pyspiel.Game and pygambit.Game"
    )
