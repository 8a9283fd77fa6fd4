"""One game of a batch: the task that the batch sends to a worker process, and the function that the worker runs.

The main process reads all game files, so workers on other computers do not need them. A worker unpickles a task inside
a ``try`` block, so an error in the task affects only its game.
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
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from tremble.batch.results import BatchResult
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
from tremble.games.files import file_format, read_game
from tremble.games.loading import load_any
from tremble.games.named import is_named, load_tree
from tremble.games.parameters import is_built_in, parse_spec
from tremble.run.deadline import grace, limited
from tremble.run.text_file import SourceText, read_text
from tremble.solution.claims import GameReference
from tremble.solvers.door import solve
from tremble.solvers.table import needs_tree, wants_rules

__all__ = ["BatchOptions", "Task", "run_task", "task_of", "with_game"]

# Fractions of the grace period after a game's time limit: loading must end by the first, solving by the second.
_LOADED, _SOLVED = 0.3, 0.75
_NO_TIME = 1e-9

_Given = str | SourceText | GameTree | UnbuiltGame


@dataclass(frozen=True)
class BatchOptions:
    """The options that all games of a batch share.

    Attributes
    ----------
    solving : mapping
        Arguments of :func:`tremble.solve`, except the time limit.
    loading : mapping
        Arguments for loading a game from a text, such as ``repair`` and ``max_nodes``.
    """

    solving: Mapping[str, Any]
    loading: Mapping[str, Any]


@dataclass
class Task:
    """A game to solve in a batch.

    Attributes
    ----------
    game : str, SourceText, GameTree or UnbuiltGame
        The name of a built-in game, the text of a game file, or a game object.
    key : str or None
        A text that identifies the game, known without loading the game. None for a rules object without a digest.
    named : bool
        True if the name is unique in the batch.
    lost : int
        Number of worker processes that were lost while they solved this game.
    limit : float or None
        Time limit for this game, in seconds.
    """

    index: int
    name: str
    game: _Given
    key: str | None
    named: bool
    lost: int = 0
    limit: float | None = None

    def packed(self, options: BatchOptions, end: float | None = None) -> bytes:
        """Pickle the game and ``options`` for a worker. Raise ``SolverError`` if pickling fails.

        ``end`` is the time, as returned by ``time.time``, at which the worker must stop. Pass None if the clock of the
        worker may differ from the clock of this process.
        """
        try:
            return pickle.dumps((self.game, options, self.limit, end), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # the rules of a user may raise any exception
            raise SolverError(
                f"the rules cannot be sent to another process, because pickling them fails: {error!s:.200}; "
                "define the rules as a class in a module, or build the tree (tremble.build)"
            ) from error


def task_of(index: int, name: str | None, game: object) -> Task:
    """Return the task for ``game``. Raise ``TrembleError`` if ``game`` is not a game, or if its file cannot be read."""
    game = openspiel_name(game) or game
    if isinstance(game, str | os.PathLike):
        text = os.fspath(game)
        if text == "-":
            raise SpecError("a batch cannot read a game from standard input: give the name of a file")
        if is_named(text) and isinstance(game, str):
            spec = parse_spec(text)[0].identity() if is_built_in(text) else text
            # A game that OpenSpiel reads from a file gets no key, because the file may have changed in the next batch.
            key = None if "filename=" in text else _hashed("rules:", spec)
            return Task(index, name or text, text, key, named=True)
        file_format(text)  # raises FormatError if the format is unknown
        source = read_text(text)
        return Task(index, name or text, source, _hashed(f"{text.rpartition('.')[2]}:", source.text), named=True)
    known = game_of(game)
    if isinstance(known, UnbuiltGame):
        key = known.digest
    else:  # solutions contain the title, player names and labels, so the key must include them; the digest does not
        key = _hashed("tree:", repr((known.digest, known.title, known.players, known.infoset_labels)))
    return Task(index, name or known.spec or known.title, known, key, named=name is not None)


def _hashed(kind: str, text: str) -> str:
    return kind + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def with_game(result: BatchResult, game: _Given | None) -> BatchResult:
    """Return ``result`` with ``game`` attached to its solution, and to the best solution in its error, if any.

    If ``game`` is a text or None, the solutions get None as their game.
    """
    if result.solution is None:
        return result
    solution = replace(result.solution, played=game if isinstance(game, GameTree | UnbuiltGame) else None)
    if isinstance(result.error, LimitReached | NotProvenError):
        result.error.best = solution
    return replace(result, solution=solution)


# -- in the worker process ---------------------------------------------------------------------------


def run_task(index: int, name: str, _attempt: int, packed: bytes) -> bytes:
    """Solve a pickled task in the worker. Return a pickled pair: the result, and the texts of all warnings.

    ``_attempt`` counts the attempts, because Dask treats two calls with equal arguments as one task.
    """
    began = time.perf_counter()
    result = BatchResult(index, name, None, None, None, 0.0)
    # All threads share one list of recorded warnings, so warnings are recorded only in a main thread.
    main = threading.current_thread() is threading.main_thread()
    recording: Any = warnings.catch_warnings(record=True, action="always") if main else nullcontext()
    with recording as recorded:
        try:
            game, options, limit, end = pickle.loads(packed)
            if end is not None:  # the worker may have started late, so less time may be left
                limit = max(min(limit, end - time.time()), _NO_TIME)
            result = _solved(result, game, options, limit, began)
        except Exception as error:
            result = replace(result, error=_as_tremble_error(error))
    texts = [str(row.message) for row in recorded or () if issubclass(row.category, TrembleWarning)]
    result = replace(result, seconds=time.perf_counter() - began)
    try:
        answer = pickle.dumps((result, texts), pickle.HIGHEST_PROTOCOL)
        pickle.loads(answer)  # some exceptions of other libraries can be pickled but not unpickled
    except Exception as error:
        result = replace(result, solution=None, error=_as_tremble_error(error))
        return pickle.dumps((result, texts), pickle.HIGHEST_PROTOCOL)
    return answer


def _solved(
    result: BatchResult, given: _Given, options: BatchOptions, limit: float | None, began: float
) -> BatchResult:
    """Load and solve a game. Return ``result`` with the solution, the error, or both filled in."""

    def left(share: float) -> float | None:
        return None if limit is None else limit + share * grace(limit) - (time.perf_counter() - began)

    game = limited(left(_LOADED), lambda: _loaded(given, options))
    result = replace(result, game=GameReference.of(game))
    time_limit = None if limit is None else max(left(0.0) or 0.0, _NO_TIME)
    try:
        solution = limited(left(_SOLVED), lambda: solve(game, time_limit=time_limit, **options.solving))
        result = replace(result, solution=solution)
    except Exception as error:  # LimitReached and NotProvenError may contain the best solution so far
        result = replace(result, solution=getattr(error, "best", None), error=_as_tremble_error(error))
    return with_game(result, None)  # the main process has the game, and attaches it again


def _loaded(given: _Given, options: BatchOptions) -> GameTree | UnbuiltGame:
    """Load a game in the same way as ``tremble solve``."""
    if isinstance(given, SourceText):
        return read_game(given.name, FORMATS[Path(given.name).suffix.lower()], given, **options.loading)
    if not isinstance(given, str):
        return given
    method = options.solving["method"]
    method = method if isinstance(method, str) else method.name
    if needs_tree(options.solving["concept"], method, options.solving):
        return load_tree(given, progress=None, **options.loading)
    return load_any(given, from_rules=wants_rules(given, method), **options.loading)


def _as_tremble_error(error: Exception) -> TrembleError:
    if isinstance(error, TrembleError):
        return error
    if isinstance(error, MemoryError):
        return TooLargeError("not enough memory for this game")
    unexpected = SolverError(f"an unexpected {type(error).__name__}: {' '.join(str(error).split())[:200]}")
    unexpected.add_note("".join(traceback.format_exception(error)))
    return unexpected
