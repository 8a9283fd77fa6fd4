"""Head of a solution: references to its game and its method, and its status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.status import Status
from tremble.value import Value
from tremble.words import for_reader

__all__ = ["GameReference", "MethodReference", "Status", "explained"]


def explained(status: Status) -> str:
    """Return the meaning of a status, in a sentence."""
    if status is Status.CERTIFIED:
        verify = for_reader("tremble.verify", "tremble verify")
        return f"Proven exactly, in rational arithmetic; `{verify}` proves it again from the game alone."
    return "Exact bounds enclose the value." if status is Status.BOUNDED else "Nothing is proven yet."


@dataclass(frozen=True, repr=False)
class GameReference(Value):
    """Reference to the game that a solution belongs to.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.solve(tremble.load("kuhn")).game
    >>> game.spec, game.title, game.digest[:12]
    ('kuhn', 'Kuhn poker', 'sha256:c41a5')
    """

    spec: str | None  # argument of tremble.load
    title: str
    digest: str | None  # None for rules that define no digest

    @classmethod
    def of(cls, game: GameTree | UnbuiltGame) -> GameReference:
        """Return the reference to a tree, or to rules that are not built."""
        return cls(game.spec, game.title, game.digest)


@dataclass(frozen=True, eq=False, repr=False)
class MethodReference(Value):
    """Reference to the method that made a solution, with its options (plain data).

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), method="lp").method.name
    'lp'
    """

    name: str
    options: Mapping[str, Any]
