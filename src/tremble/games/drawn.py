"""Games small enough to be drawn on paper: nested moves with payoffs at the tips."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from tremble.games.parameters import Rules
from tremble.model.game import CHANCE, TERMINAL

__all__ = ["Drawing", "DrawnGame", "Lottery", "Move"]

Drawing: TypeAlias = "Move | Lottery | int | tuple[int, int]"
"""A move, a lottery, or the end: payoffs of players 1 and 2, or what player 1 wins and player 2 loses."""


@dataclass(frozen=True)
class Move:
    """A node where a player chooses; nodes of one player that know the same are one information set."""

    player: int
    knows: str
    choices: Mapping[str, Drawing]


@dataclass(frozen=True)
class Lottery:
    """A node where chance chooses: label -> (probability, what follows)."""

    outcomes: Mapping[str, tuple[Fraction, Drawing]]


class DrawnGame(Rules):
    """A game given by its drawing; a history is the tuple of the actions taken."""

    @property
    @abstractmethod
    def drawing(self) -> Drawing:
        """The whole game."""

    @cached_property
    def _nodes(self) -> dict[tuple[int, ...], Drawing]:
        nodes: dict[tuple[int, ...], Drawing] = {}
        stack: list[tuple[tuple[int, ...], Drawing]] = [((), self.drawing)]
        while stack:
            path, node = stack.pop()
            nodes[path] = node
            if isinstance(node, Move):
                stack.extend(((*path, i), below) for i, below in enumerate(node.choices.values()))
            elif isinstance(node, Lottery):
                stack.extend(((*path, i), below) for i, (_, below) in enumerate(node.outcomes.values()))
        return nodes

    def root(self) -> tuple[int, ...]:
        """Nothing has happened."""
        return ()

    def player(self, h: tuple[int, ...]) -> int:
        """Who moves, as drawn."""
        node = self._nodes[h]
        return node.player if isinstance(node, Move) else CHANCE if isinstance(node, Lottery) else TERMINAL

    def actions(self, h: tuple[int, ...]) -> tuple[str, ...]:
        """Labels, as drawn."""
        node = self._nodes[h]
        if isinstance(node, Move):
            return tuple(node.choices)
        return tuple(node.outcomes) if isinstance(node, Lottery) else ()

    def chance(self, h: tuple[int, ...]) -> tuple[Fraction, ...]:
        """Probabilities, as drawn."""
        node = self._nodes[h]
        return tuple(p for p, _ in node.outcomes.values()) if isinstance(node, Lottery) else ()

    def child(self, h: tuple[int, ...], i: int) -> tuple[int, ...]:
        """One more action."""
        return (*h, i)

    def infoset(self, h: tuple[int, ...]) -> str:
        """Knowledge of the mover, as drawn."""
        node = self._nodes[h]
        return node.knows if isinstance(node, Move) else ""

    def payoff(self, h: tuple[int, ...]) -> tuple[int, int]:
        """Payoffs, as drawn."""
        node = self._nodes[h]
        if isinstance(node, Move | Lottery):
            raise LookupError(f"the game is not over after {h}")
        return node if isinstance(node, tuple) else (node, -node)
