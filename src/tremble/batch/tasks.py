"""One game of a batch: how it travels to a worker, what is done there, and what comes back.

A task holds all that the worker needs; a file is read by whoever sends it, so that workers on other machines need no
file of ours. What arrives there is unpickled by our own function, within reach of its ``except``: what cannot be made
there, or cannot be sent back, is an error of that game and of no other.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
import traceback
import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from tremble.errors import (
    LimitReached,
    NotProvenError,
    SolverError,
    SpecError,
    TooLargeError,
    TrembleError,
    TrembleWarning,
)
from tremble.formats.foreign import game_of, openspiel_name
from tremble.formats.formats import FORMATS
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.games import is_built_in, parse_spec
from tremble.games.loading import file_format, is_named, load_any, load_tree, read_game
from tremble.run.clock import grace, limited
from tremble.run.text_file import SourceText, read_text
from tremble.solution.heading import GameReference
from tremble.solution.solution import Solution
from tremble.solvers.door import solve
from tremble.solvers.table import needs_tree, wants_rules

__all__ = ["Asked", "Outcome", "Task", "done_at_a_worker", "task_of"]

_LOADED, _SOLVED = 0.3, 0.75  # shares of the grace period after a limit until when a game is loaded, and solved
_NO_TIME = 1e-9


@dataclass(frozen=True)
class Asked:
    """What is asked for of every game.

    Attributes
    ----------
    solving : mapping
        Arguments of :func:`tremble.solve`.
    repair : Fraction or None
    max_nodes : int
        How texts are loaded.
    until : float or None
        When every game must have been stopped, in the seconds of ``time.time`` on this machine; None for a worker that
        may have another clock.
    """

    solving: Mapping[str, Any]
    repair: Fraction | None
    max_nodes: int
    until: float | None = None

    @property
    def time_limit(self) -> float | None:
        """Seconds for each game."""
        limit: float | None = self.solving["time_limit"]
        return limit

    def within(self, seconds: float, *, same_clock: bool) -> Asked:
        """Return the same with at most so many seconds for each game, starting now."""
        limit = seconds if self.time_limit is None else min(seconds, self.time_limit)
        until = time.time() + seconds if same_clock else None
        return replace(self, solving={**self.solving, "time_limit": limit}, until=until)


@dataclass
class Task:
    """A game, and how often it has lost its worker.

    Attributes
    ----------
    game : str, SourceText, GameTree or UnbuiltGame
        A text that names a game, or one that was read from the file ``name``.
    key : str or None
        What tells the game from others, without loading it; None of rules that do not say.
    named : bool
        Whether the name tells it from all others of the batch.
    """

    index: int
    name: str
    game: str | SourceText | GameTree | UnbuiltGame
    key: str | None
    named: bool
    lost: int = 0
    limit: float | None = None  # seconds that it was given

    def packed(self, asked: Asked) -> bytes:
        """The task, as it is sent; ``SolverError`` if it does not pickle."""
        try:
            return pickle.dumps((self.game, asked), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # whatever the methods of somebody's rules raise
            raise SolverError(
                f"the rules cannot be sent to another process, they do not pickle: {error!s:.200}; "
                "write them as a class of a module, or build the tree (tremble.build)"
            ) from error


@dataclass(frozen=True)
class Outcome:
    """What a worker found: a solution without its game, or an error, or both."""

    game: GameReference | None
    solution: Solution[Any] | None
    error: TrembleError | None
    seconds: float
    warnings: tuple[str, ...] = field(default=())


def task_of(index: int, name: str | None, game: object) -> Task:
    """What stands for a game, ready to be sent.

    Raises
    ------
    TrembleError
        It is no game, or its file cannot be read.
    """
    game = openspiel_name(game) or game
    if isinstance(game, str | os.PathLike):
        text = os.fspath(game)
        if text == "-":
            raise SpecError("a batch reads no game from the standard input: name a file")
        if is_named(text) and isinstance(game, str):
            said = parse_spec(text)[0].identity() if is_built_in(text) else text
            changes = "filename=" in text  # what OpenSpiel reads there may be another game next time
            return Task(index, name or text, text, None if changes else _hashed("rules:", said), named=True)
        file_format(text)  # or why there is none
        source = read_text(text)
        return Task(index, name or text, source, _hashed(f"{text.rpartition('.')[2]}:", source.text), named=True)
    played = game_of(game)
    return Task(index, name or played.spec or played.title, played, _key(played), named=name is not None)


def _key(game: GameTree | UnbuiltGame) -> str | None:
    """The digest; of a tree with what solutions are read by, too."""
    if isinstance(game, UnbuiltGame):
        return game.digest
    return _hashed("tree:", repr((game.digest, game.title, game.players, game.infoset_labels)))


def _hashed(kind: str, text: str) -> str:
    return kind + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# -- at the worker -----------------------------------------------------------------------------------


def done_at_a_worker(packed: bytes, _attempt: int) -> bytes:
    """What is found of a packed task, packed; whatever goes wrong with it is an outcome."""
    began = time.perf_counter()
    outcome = Outcome(None, None, None, 0.0)
    with _warnings_noted() as noted:
        try:
            game, asked = pickle.loads(packed)
            outcome = _solved(game, asked, began)
        except Exception as error:
            outcome = replace(outcome, error=_as_ours(error))
    texts = tuple(str(row.message) for row in noted or () if issubclass(row.category, TrembleWarning))
    outcome = replace(outcome, seconds=time.perf_counter() - began, warnings=texts)
    try:
        data = pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)
        pickle.loads(data)  # an error of somebody else may not come back from it
    except Exception as error:
        return pickle.dumps(replace(outcome, solution=None, error=_as_ours(error)), pickle.HIGHEST_PROTOCOL)
    return data


def _warnings_noted() -> Any:
    """Have warnings noted, to be told where somebody reads them; threads share what would note them."""
    if threading.current_thread() is threading.main_thread():
        return warnings.catch_warnings(record=True, action="always")
    return nullcontext()


def _as_ours(error: Exception) -> TrembleError:
    if isinstance(error, TrembleError):
        return error
    if isinstance(error, MemoryError):
        return TooLargeError("not enough memory for this game")
    ours = SolverError(f"an unexpected {type(error).__name__}: {' '.join(str(error).split())[:200]}")
    ours.add_note("".join(traceback.format_exception(error)))
    return ours


def _solved(given: str | SourceText | GameTree | UnbuiltGame, asked: Asked, began: float) -> Outcome:
    limit = asked.time_limit
    if limit is not None and asked.until is not None:  # the worker may have begun late
        limit = max(min(limit, asked.until - time.time()), _NO_TIME)

    def left(share: float) -> float | None:
        return None if limit is None else limit + share * grace(limit) - (time.perf_counter() - began)

    game = limited(left(_LOADED), lambda: _loaded(given, asked))
    reference = GameReference.of(game)
    solving = {**asked.solving, "time_limit": None if limit is None else max(left(0.0) or 0.0, _NO_TIME)}
    solution: Any = None
    error: LimitReached | NotProvenError | TrembleError | None = None
    try:
        solution = limited(left(_SOLVED), lambda: solve(game, **solving))
    except (LimitReached, NotProvenError) as less:
        solution, error = less.best, less
    except Exception as failed:
        error = _as_ours(failed)
    if isinstance(solution, Solution):
        solution = replace(solution, played=None)  # whoever asked has the game
    if isinstance(error, LimitReached | NotProvenError):
        error.best = solution
    return Outcome(reference, solution, error, 0.0)


def _loaded(given: str | SourceText | GameTree | UnbuiltGame, asked: Asked) -> GameTree | UnbuiltGame:
    """The game, as ``tremble solve`` would load it."""
    if isinstance(given, SourceText):
        chosen = FORMATS[Path(given.name).suffix.lower()]
        return read_game(given.name, chosen, given, repair=asked.repair, max_nodes=asked.max_nodes)
    if not isinstance(given, str):
        return given
    options: dict[str, Any] = {"repair": asked.repair, "max_nodes": asked.max_nodes}
    method = asked.solving["method"]
    method = method if isinstance(method, str) else method.name
    if needs_tree(asked.solving["concept"], method, asked.solving):
        return load_tree(given, progress=None, **options)
    return load_any(given, from_rules=wants_rules(given, method), **options)
