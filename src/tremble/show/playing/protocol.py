"""All that a hand asks of a game and of the strategies for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from tremble.game.protocol import Game

__all__ = ["Event", "Line", "Playable", "own_moves"]


@dataclass(frozen=True)
class Line:
    """What has happened in a hand so far."""

    histories: tuple[Any, ...]  # from the root to the present one
    actions: tuple[int, ...] = ()  # positions of the actions between them

    @property
    def here(self) -> Any:
        """The present history."""
        return self.histories[-1]

    def then(self, action: int, history: Any) -> Line:
        """The line one action further."""
        return Line((*self.histories, history), (*self.actions, action))

    def until(self, number: int) -> Line:
        """The line that ends where action ``number`` is taken."""
        return Line(self.histories[: number + 1], self.actions[:number])


@dataclass(frozen=True)
class Event:
    """One thing that has happened, as a player knows of it."""

    player: int | None  # 0, 1 or CHANCE; None if even that is hidden
    action: str | None  # None if it is hidden


class Playable(Protocol):
    """A game and the strategies of both players. The lines that are asked about end where a player moves."""

    rules: Game  # histories, movers, actions, chance, payoffs
    title: str
    players: tuple[str, str]

    def label(self, line: Line) -> str:
        """What the mover's information set is called; may be empty."""

    def seen(self, line: Line) -> tuple[Event, ...]:
        """What the mover knows of what has happened, in order; what its label tells may be left out."""

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """What the mover's strategy plays."""

    def possible(self, line: Line) -> Sequence[tuple[Line, Fraction]] | None:
        """Lines that the mover cannot tell from this one, and how likely chance and the other's strategy make each.

        The likelihoods are positive and of any scale; the mover's own moves do not count. None if there are too many.
        """

    def overall(self, line: Line, number: int) -> Sequence[Fraction] | None:
        """What the other's strategy plays at history ``number`` of the line, on average over its information sets.

        They are weighted with what the mover at the end of the line knew then. None where that is not computed.
        """

    def losses(self, line: Line) -> tuple[Fraction, ...] | None:
        r"""What each action costs the mover, in its payoffs: exact, or None where that is not computed.

        The cost is :math:`\max_b Q(b) - Q(a)`, where Q is what the mover earns if a best response follows against the
        other's strategy, given all that the mover knows. Mistakes further down count where they are made.
        """


def own_moves(game: Playable, line: Line) -> tuple[Event, ...]:
    """What the mover at the end of a line has done itself."""
    rules, mover = game.rules, game.rules.player(line.here)
    before = zip(line.histories, line.actions, strict=False)
    return tuple(Event(mover, rules.actions(h)[action]) for h, action in before if rules.player(h) == mover)
