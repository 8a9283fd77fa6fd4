"""What the double oracle asks of a game, however it is held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tremble.solvers.double_oracle.plans import Plan, Sequences
from tremble.solvers.double_oracle.restricted import RestrictedGame

__all__ = ["Oracle", "Response"]


@dataclass(frozen=True, eq=False)
class Response:
    """A best response.

    Attributes
    ----------
    player : int
        Who responds.
    value : float or Fraction
        What it earns, in payoffs of a zero-sum game in which player 1 has its own.
    sequences : int64 array
        The sequences that it plays and the other's plan lets happen, without the empty one.
    """

    player: int
    value: float | Fraction
    sequences: NDArray[np.int64]


class Oracle(Protocol):
    """A game as the double oracle sees it: known sequences, restricted games, best responses.

    Player 2's payoffs are player 1's with the other sign, whatever constant they sum to.
    """

    @property
    def players(self) -> tuple[Sequences, Sequences]:
        """What is known of both players."""

    @property
    def total(self) -> Fraction | int:
        """What the payoffs of both players sum to."""

    def restricted(self) -> RestrictedGame:
        """The game of the allowed sequences."""

    def respond(self, player: int, plan: Plan, check: Callable[[], None]) -> Response:
        """The best response to the other's plan in the whole game, in floats."""

    def respond_exactly(self, player: int, plan: Plan, check: Callable[[], None]) -> Response:
        """The same in exact arithmetic, without pruning by floats."""

    def add(self, response: Response) -> int:
        """Allow the sequences of a response; how many of them are new."""

    def strategy(self, plan: Plan) -> Any:
        """An exact plan as a strategy of the whole game."""

    def known(self) -> Any:
        """What is known and allowed, as plain data."""

    def restore(self, known: Any) -> None:
        """Know and allow again what :meth:`known` has told of the same game; nothing must be known yet."""
