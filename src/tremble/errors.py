"""The exceptions that tremble raises on purpose.

::

    TrembleError
    ├── GameError (also ValueError)     the game is malformed or does not meet a requirement
    │   ├── ImperfectRecallError
    │   ├── NotZeroSumError
    │   ├── PlayersError
    │   └── TooLargeError
    ├── FormatError (also ValueError)   a file or text does not follow its format
    ├── SpecError (also ValueError)     an unknown built-in game, parameter, concept or method
    ├── SolverError                     an algorithm failed
    │   ├── LimitReached                a time limit or an interrupt; contains the best result so far
    │   └── NotProvenError              the requested property of the result is not proven; contains the result
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

_LONGEST_NAME = 300  # characters of a file name in a message


class TrembleWarning(UserWarning):
    """A warning: a part of the input was repaired or ignored. The result is exact for the input that tremble used."""


class TrembleError(Exception):
    """Base class of every error that tremble raises on purpose.

    Pickles and copies of an error keep all its attributes, so that processes can exchange errors.
    """

    def __reduce__(self) -> tuple[object, ...]:
        # By default, a copy or pickle would call the class with the message alone, without its other arguments.
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class GameError(TrembleError, ValueError):
    """The game is malformed, or does not meet a requirement of the method or function, such as perfect recall."""


class ImperfectRecallError(GameError):
    """A player lacks perfect recall, and the method needs perfect recall."""


class NotZeroSumError(GameError):
    """The payoffs of the two players do not sum to a constant, and the method needs a constant sum."""


class PlayersError(GameError):
    """The game does not have two players."""

    @classmethod
    def of(cls, players: int, game: str = "the game") -> PlayersError:
        """Return the error for a game that does not have two players. The message contains advice.

        Examples
        --------
        >>> str(PlayersError.of(3))
        'the game has 3 players; tremble solves two-player games: for more, use Gambit (https://www.gambit-project.org)'
        """
        advice = (
            "for more, use Gambit (https://www.gambit-project.org)" if players > 2 else "add a player who never moves"
        )
        count = f"{players} player{'' if players == 1 else 's'}"
        return cls(f"{game} has {count}; tremble solves two-player games: {advice}")

    @classmethod
    def at(cls, place: str, mover: object) -> PlayersError:
        """Return the error for a node whose mover is neither a player nor chance; ``place`` names the node."""
        hint = "; for games with three players, use Gambit (https://www.gambit-project.org)"
        advice = hint if isinstance(mover, int) and mover >= 2 else ""
        return cls(f"{place} belongs to player index {mover!r:.80}; only 0 and 1 (and CHANCE) can move{advice}")


class TooLargeError(GameError):
    """The game has more nodes than the limit, or numbers that are too long or too many to store."""


class FormatError(TrembleError, ValueError):
    """A file or text does not follow its format.

    Parameters
    ----------
    message : str
        The fault, and what was expected.
    file : str
        Name of the file as the user gave it.
    line, column : int or None
        Position of the first wrong character, from 1.
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
        # The name of a file may contain bytes that are not UTF-8.
        name = file.replace("\n", "\\n").encode("utf-8", "backslashreplace").decode()
        parts = (name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}...", line, column)
        where = ":".join(str(part) for part in parts if part is not None)
        super().__init__(f"{where}: {message}")


class SpecError(TrembleError, ValueError):
    """The error for an unknown game, parameter, concept, method or file ending. The message lists allowed choices."""


class SolverError(TrembleError):
    """An algorithm failed to compute the requested result."""


class Result(Protocol):
    """The best result so far, with the main attributes of :class:`tremble.Solution`."""

    @property
    def concept(self) -> str:
        """Name of the concept. If the status is certified, the result provably satisfies this concept."""

    @property
    def requested(self) -> str:
        """Name of the requested concept."""

    @property
    def status(self) -> str:
        """Status of the proof: certified, bounded or limit-reached."""

    @property
    def value(self) -> Fraction:
        """Expected payoff of player 1."""

    @property
    def values(self) -> tuple[Fraction, Fraction]:
        """Expected payoffs of both players."""

    @property
    def bounds(self) -> tuple[Fraction, Fraction] | None:
        """Proven lower and upper bound on the value of the game for player 1."""

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a solution file."""


class LimitReached(SolverError):  # noqa: N818 (a limit is not an error; the name is public)
    """A limit of time or memory, or an interrupt ended the work; ``best`` is the best result so far."""

    def __init__(self, message: str, *, best: Result | None = None, interrupted: bool = False) -> None:
        super().__init__(message)
        self.best = best
        self.interrupted = interrupted


class NotProvenError(SolverError):
    """The requested property is not proven; ``best`` is the result with the properties that are proven."""

    def __init__(self, message: str, *, best: Result) -> None:
        super().__init__(message)
        self.best = best


class CertificateError(TrembleError, ValueError):
    """A solution does not fit the game it claims to solve, or its certificate is malformed."""
