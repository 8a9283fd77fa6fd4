"""Everything that tremble raises on purpose.

::

    TrembleError
    ├── GameError (also ValueError)     the game is outside the class that was asked for
    │   ├── ImperfectRecallError
    │   ├── NotZeroSumError
    │   ├── PlayersError
    │   └── TooLargeError
    ├── FormatError (also ValueError)   a file or text is not of its format
    ├── SpecError (also ValueError)     an unknown built-in game, parameter, concept or method
    ├── SolverError                     an algorithm could not deliver
    │   ├── LimitReached                a time limit or an interrupt; carries the best result so far
    │   └── NotProvenError              what came out is not proven to be what was asked for; carries it all the same
    └── CertificateError (also ValueError)  a solution does not fit the game it claims to solve
"""

from __future__ import annotations

import copyreg
import os
from fractions import Fraction
from typing import Protocol

__all__ = [
    "CertificateError",
    "FormatError",
    "GameError",
    "ImperfectRecallError",
    "LimitReached",
    "NotProvenError",
    "NotZeroSumError",
    "PlayersError",
    "SolverError",
    "SpecError",
    "TooLargeError",
    "TrembleError",
    "TrembleWarning",
]

_LONGEST_NAME = 300  # characters of the name of a file, in a message


class TrembleWarning(UserWarning):
    """Something in the input was mended or ignored; the result is still exact for what was read."""


class TrembleError(Exception):
    """Base class of every error that tremble raises on purpose.

    Errors pickle and copy with all their attributes, so that they cross from one process to another.
    """

    def __reduce__(self) -> tuple[object, ...]:
        # An exception would be made anew from its text alone, without what else its class was told.
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class GameError(TrembleError, ValueError):
    """The game is malformed or outside the class that was asked for."""


class ImperfectRecallError(GameError):
    """A player forgets, and the method needs perfect recall."""


class NotZeroSumError(GameError):
    """The payoffs of the two players do not sum to a constant, and the method needs that."""


class PlayersError(GameError):
    """The game does not have two players."""

    @classmethod
    def of(cls, players: int, game: str = "the game") -> PlayersError:
        """The error of a game with so many players, which says what to do with it.

        Examples
        --------
        >>> str(PlayersError.of(3))
        'the game has 3 players; tremble solves games of two: for more, use Gambit (https://www.gambit-project.org)'
        """
        advice = (
            "for more, use Gambit (https://www.gambit-project.org)"
            if players > 2
            else "let there be another one who never moves"
        )
        count = f"{players} player{'' if players == 1 else 's'}"
        return cls(f"{game} has {count}; tremble solves games of two: {advice}")

    @classmethod
    def at(cls, place: str, mover: object) -> PlayersError:
        """The error of a node, or what stands for one, whose mover is neither a player nor chance."""
        more = "; of games with three players, see Gambit (https://www.gambit-project.org)"
        several = more if isinstance(mover, int) and mover >= 2 else ""
        return cls(f"{place} belongs to player index {mover!r:.80}; only 0 and 1 (and CHANCE) can move{several}")


class TooLargeError(GameError):
    """The game has more nodes than were allowed to be built."""


class FormatError(TrembleError, ValueError):
    """A file or text is not of its format.

    Parameters
    ----------
    message : str
        What is wrong and what was expected.
    file : str
        Name of the file as the user gave it.
    line, column : int or None
        1-based position of the first character that does not fit.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str = "<text>",
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        name = file.replace("\n", "\\n").encode("utf-8", "backslashreplace").decode()  # of bytes that are no text, too
        parts = (name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}...", line, column)
        where = ":".join(str(part) for part in parts if part is not None)
        super().__init__(f"{where}: {message}")


class SpecError(TrembleError, ValueError):
    """An unknown built-in game, parameter, concept, method or file ending; the message names the allowed ones."""


class SolverError(TrembleError):
    """An algorithm could not deliver what was asked."""


class Result(Protocol):
    """The best result so far: what can be asked of any :class:`tremble.Solution`."""

    @property
    def concept(self) -> str:
        """What is proven, if the status is certified."""

    @property
    def requested(self) -> str:
        """What was asked for."""

    @property
    def status(self) -> str:
        """How much is proven."""

    @property
    def value(self) -> Fraction:
        """Expected payoff of player 1."""

    @property
    def values(self) -> tuple[Fraction, Fraction]:
        """Expected payoffs of both players."""

    @property
    def bounds(self) -> tuple[Fraction, Fraction] | None:
        """Proven bounds on player 1's value."""

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the solution file."""


class LimitReached(SolverError):  # noqa: N818 (a limit is not an error; the name is public)
    """A time limit or an interrupt ended the work; ``best`` holds the best result so far."""

    def __init__(self, message: str, *, best: Result | None = None, interrupted: bool = False) -> None:
        super().__init__(message)
        self.best = best
        self.interrupted = interrupted


class NotProvenError(SolverError):
    """What was asked for is not proven; ``best`` holds what came out, with what is proven of it."""

    def __init__(self, message: str, *, best: Result) -> None:
        super().__init__(message)
        self.best = best


class CertificateError(TrembleError, ValueError):
    """A solution does not fit the game it claims to solve, or its certificate is malformed."""
