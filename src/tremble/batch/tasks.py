"""One game of a batch: the task that is sent to a worker, and the function that the worker runs.

The process that starts the batch reads all files, so workers on other machines do not need the files. A worker
unpickles a task inside a ``try`` block, so an error in the task affects only its game.
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
from tremble.run.clock import grace, limited
from tremble.run.text_file import SourceText, read_text
from tremble.solution.parts import GameReference
from tremble.solvers.door import solve
from tremble.solvers.table import needs_tree, wants_rules

__all__ = ["BatchOptions", "Task", "run_task", "task_of", "with_game"]

# Loading and solving end at these shares of the grace period after the time limit.
_LOADED, _SOLVED = 0.3, 0.75
_NO_TIME = 1e-9

_Given = str | SourceText | GameTree | UnbuiltGame


@dataclass(frozen=True)
class BatchOptions:
    """Options for every game of a batch.

    Attributes
    ----------
    solving : mapping
        Arguments of :func:`tremble.solve`, except the time limit.
    loading : mapping
        Arguments of the functions that load a game from a text: ``repair`` and ``max_nodes``.
    """

    solving: Mapping[str, Any]
    loading: Mapping[str, Any]


@dataclass
class Task:
    """A game of a batch.

    Attributes
    ----------
    game : str, SourceText, GameTree or UnbuiltGame
        The name of a built-in game, the text of the file ``name``, or a game object.
    key : str or None
        A text that identifies the game without loading it. None for rules without a digest.
    named : bool
        True if the name is unique in the batch.
    lost : int
        Number of workers that ended while they were solving this game.
    limit : float or None
        Seconds for this game.
    """

    index: int
    name: str
    game: _Given
    key: str | None
    named: bool
    lost: int = 0
    limit: float | None = None

    def packed(self, options: BatchOptions, end: float | None = None) -> bytes:
        """Pickle the game and its options. Raise ``SolverError`` if pickling fails.

        ``end`` is the value of ``time.time`` at which the worker must stop. It must be None if the clock of the worker
        may differ from the clock of this process.
        """
        try:
            return pickle.dumps((self.game, options, self.limit, end), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # the rules of a user may raise any exception
            raise SolverError(
                f"the rules cannot be sent to another process, because they do not pickle: {error!s:.200}; "
                "define the rules as a class in a module, or build the tree (tremble.build)"
            ) from error


def task_of(index: int, name: str | None, game: object) -> Task:
    """Return the task for a game. Raise ``TrembleError`` if it is not a game or if its file cannot be read."""
    game = openspiel_name(game) or game
    if isinstance(game, str | os.PathLike):
        text = os.fspath(game)
        if text == "-":
            raise SpecError("a batch cannot read a game from standard input: give the name of a file")
        if is_named(text) and isinstance(game, str):
            spec = parse_spec(text)[0].identity() if is_built_in(text) else text
            # If OpenSpiel reads the game from a file, the file may contain another game in the next batch.
            key = None if "filename=" in text else _hashed("rules:", spec)
            return Task(index, name or text, text, key, named=True)
        file_format(text)  # raises an error if the format is unknown
        source = read_text(text)
        return Task(index, name or text, source, _hashed(f"{text.rpartition('.')[2]}:", source.text), named=True)
    known = game_of(game)
    if isinstance(known, UnbuiltGame):
        key = known.digest
    else:  # a solution contains the title, the player names and the labels, which the digest does not include
        key = _hashed("tree:", repr((known.digest, known.title, known.players, known.infoset_labels)))
    return Task(index, name or known.spec or known.title, known, key, named=name is not None)


def _hashed(kind: str, text: str) -> str:
    return kind + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def with_game(result: BatchResult, game: _Given | None) -> BatchResult:
    """Attach a loaded game to the solution of a result and to the solution of its error.

    If ``game`` is a text or None, the solutions have no game.
    """
    if result.solution is None:
        return result
    solution = replace(result.solution, played=game if isinstance(game, GameTree | UnbuiltGame) else None)
    if isinstance(result.error, LimitReached | NotProvenError):
        result.error.best = solution
    return replace(result, solution=solution)


# -- at the worker -----------------------------------------------------------------------------------


def run_task(index: int, name: str, _attempt: int, packed: bytes) -> bytes:
    """Solve a pickled game. Return its result and the texts of the warnings, pickled.

    ``_attempt`` distinguishes a repeated task from the lost task, because Dask treats calls with equal arguments as one
    task.
    """
    began = time.perf_counter()
    result = BatchResult(index, name, None, None, None, 0.0)
    # All threads share the list of recorded warnings, so only a main thread can record warnings.
    main = threading.current_thread() is threading.main_thread()
    recording: Any = warnings.catch_warnings(record=True, action="always") if main else nullcontext()
    with recording as recorded:
        try:
            game, options, limit, end = pickle.loads(packed)
            if end is not None:  # the worker may have started late
                limit = max(min(limit, end - time.time()), _NO_TIME)
            result = _solved(result, game, options, limit, began)
        except Exception as error:
            result = replace(result, error=_as_tremble_error(error))
    texts = [str(row.message) for row in recorded or () if issubclass(row.category, TrembleWarning)]
    result = replace(result, seconds=time.perf_counter() - began)
    try:
        answer = pickle.dumps((result, texts), pickle.HIGHEST_PROTOCOL)
        pickle.loads(answer)  # fails for some exceptions of other libraries
    except Exception as error:
        result = replace(result, solution=None, error=_as_tremble_error(error))
        return pickle.dumps((result, texts), pickle.HIGHEST_PROTOCOL)
    return answer


def _solved(
    result: BatchResult, given: _Given, options: BatchOptions, limit: float | None, began: float
) -> BatchResult:
    """Load and solve a game. Return the result with the solution, the error, or both."""

    def left(share: float) -> float | None:
        return None if limit is None else limit + share * grace(limit) - (time.perf_counter() - began)

    game = limited(left(_LOADED), lambda: _loaded(given, options))
    result = replace(result, game=GameReference.of(game))
    time_limit = None if limit is None else max(left(0.0) or 0.0, _NO_TIME)
    try:
        solution = limited(left(_SOLVED), lambda: solve(game, time_limit=time_limit, **options.solving))
        result = replace(result, solution=solution)
    except Exception as error:  # LimitReached and NotProvenError contain the best solution
        result = replace(result, solution=getattr(error, "best", None), error=_as_tremble_error(error))
    return with_game(result, None)  # the process that sent the game attaches it again


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
