"""The work that commands share: load the game, enforce the time limit, report progress, write and show the result."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial, wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self, TypeVar

import click

from tremble.cli.console import DEBUG, began, present, say
from tremble.cli.outputs import Output, require_outputs
from tremble.errors import FormatError, TrembleError, TrembleWarning
from tremble.formats.tolerance import repair_limit
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.games import loading
from tremble.games.named import is_named, load_tree
from tremble.games.parameters import is_built_in, parameters, rules_class
from tremble.numbers import parse_number
from tremble.run.alarm import interrupts_held_back
from tremble.run.compiling import compiled_seconds
from tremble.run.deadline import Deadline
from tremble.run.rescue import write_or_rescue
from tremble.solution.reading import file_of
from tremble.words import printable

if TYPE_CHECKING:  # at run time, only the methods that need these modules import them, because loading takes time
    from tremble.solution.equilibria import Equilibria
    from tremble.solution.solution import Solution
    from tremble.solution.trembles import Trembles

__all__ = ["Call", "Progress", "exact_number", "gap_number", "on_debug", "with_call"]

_Result = TypeVar("_Result")

_NO_LOCK = "--lock is for built-in games with the parameter 'lock', such as holdem_river"


@dataclass
class Call:
    """One run of a command, with the values of the options that all commands share.

    In a ``with`` block, the call reports progress. If a step does not stop at the time limit, the call ends the
    process a short time later (:class:`tremble.run.deadline.Deadline`).
    """

    form: str  # the format of standard output, from --format
    quiet: bool
    game: str = ""  # the argument GAME, as the user typed it
    lock: str | None = None  # the file of --lock
    max_nodes: int | None = None  # greatest number of nodes of the tree; None for the default
    repair: bool = False
    repair_tolerance: Fraction | None = None
    force: bool = False
    output: str | None = None
    trembles: str | None = None
    log: str | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        if self.lock is not None and self.game:
            if not is_built_in(self.game):
                raise click.UsageError(_NO_LOCK)
            self.game = _with_lock(self.game, self.lock)
        self.progress = Progress(quiet=self.quiet, log=self.log, began=began())
        self.deadline = Deadline(self.time_limit, began())
        self.failure: TrembleError | None = None  # the error of a file that could not be written to its path
        self.lost = False  # True if the result could not be written to any file
        repairs = self.repair or self.repair_tolerance is not None
        self.repair_limit = repair_limit(self.repair, self.repair_tolerance) if repairs else None
        self._entered = ExitStack()

    def __enter__(self) -> Self:
        self._entered.enter_context(self.progress)
        self._entered.enter_context(self.deadline)
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.close()

    # -- reading ---------------------------------------------------------------------------------------

    def tree(self) -> GameTree:
        """Load the argument GAME as a tree."""
        return self._load(load_tree)

    def tree_or_rules(self, *, from_rules: bool = False) -> GameTree | UnbuiltGame:
        """Load the argument GAME as a tree, or as rules if the tree is too large or ``from_rules`` is true."""
        return self._load(partial(loading.load_any, from_rules=from_rules))

    def _load(self, load: Callable[..., _Result]) -> _Result:
        self.progress.step("loading the game")
        limit = DEFAULT_MAX_NODES if self.max_nodes is None else self.max_nodes
        return load(self.game, repair=self.repair_limit, max_nodes=limit, progress=self.progress.nodes)

    def locked(self, games: Sequence[str]) -> list[str]:
        """Return a list of games, with the file of ``--lock`` in the specs of those that have the parameter."""
        if self.lock is None:
            return list(games)
        known = {game: parameters(rules_class(game.partition(":")[0])) for game in games if is_built_in(game)}
        able = {game for game, listed in known.items() if any(parameter.name == "lock" for parameter in listed)}
        if not able:
            raise click.UsageError(_NO_LOCK)
        return [_with_lock(game, self.lock) if game in able else game for game in games]

    def weights(self, tree: GameTree) -> Trembles | None:
        """Read the trembles in the file of ``--trembles``. Return None if the user does not give this option."""
        if self.trembles is None:
            return None
        from tremble.solution.trembles import Trembles

        return Trembles.read(self.trembles, tree)

    # -- writing ---------------------------------------------------------------------------------------

    def require_files(self, inputs: Mapping[str, str | None], *outputs: Output) -> None:
        """Check the input and output files of a command before the command does any work.

        Raise an error if two inputs are standard input, if an output cannot be written, or if an output would overwrite
        an input.

        ``inputs`` maps the names of all inputs except GAME to their paths. Messages use these names.
        """
        if [self.game, *inputs.values()].count("-") > 1:
            raise click.UsageError("only one argument can be - (standard input)")
        written = [output for output in outputs if output.path is not None]
        if not written:
            return
        game = None if is_named(self.game) else self.game
        inputs = {**inputs, "--lock": self.lock}
        files = {name: None if path is None else file_of(path) for name, path in inputs.items()}
        require_outputs({"GAME": game, **files}, *written, force=self.force)

    def write(self, result: Solution | Equilibria | None) -> None:
        """Write a result to the file of ``-o``, if given.

        If this fails, write the result to another file and store the error in ``failure``.
        """
        if result is None or self.output is None:
            return
        from tremble.solution.equilibria import Equilibria

        what = "the list of equilibria" if isinstance(result, Equilibria) else "the solution"
        try:
            with interrupts_held_back():
                self.lost = self.save(self.output, result.to_json, what, ".json") is None
        except TrembleError as failure:
            self.failure, self.lost = failure, True

    def save(self, path: str, write: Callable[[Path], object], what: str, ending: str | None = None) -> str | None:
        """Write a file to ``path`` or, if this fails, to another path. Return the path used, or None if both fail.

        An error is stored in ``failure``, and :meth:`finish` raises it after the result is shown. ``write`` writes the
        content to a path, and ``what`` names the content in messages.

        Raises
        ------
        TrembleError
            The content of the file could not be made.
        """
        done = write_or_rescue(path, write, ending)
        error = done.error(what)
        if error is not None and not isinstance(error, FormatError):
            raise error
        if error is not None and self.failure is not None:
            say(f"error: {self.failure}")
        self.failure = error or self.failure
        return path if error is None else None if done.file is None else str(done.file)

    def finish(self) -> None:
        """Raise the error in ``failure`` if a file could not be written to the requested path."""
        if self.failure is not None:
            raise self.failure

    def present(self, **makers: Callable[[], Any]) -> None:
        """Print a result in the format of ``--format`` (see :func:`tremble.cli.console.present`)."""
        present(self.form, **makers)


def _with_lock(game: str, file: str) -> str:
    return f'{game}{"," if ":" in game else ":"}lock="{file}"'


def with_call(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Wrap ``function``: collect the shared options of the command in a ``Call``, and pass it as the first argument."""

    @wraps(function)
    def run(**given: Any) -> int | None:
        common = {field.name: given.pop(field.name) for field in fields(Call) if field.name in given}
        return function(Call(**common), **given)

    return run


def on_debug(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Enable tracebacks and all warnings if the user gives ``--debug``. Click calls this function."""
    if value:
        ctx.find_root().meta[DEBUG] = True


def exact_number(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Fraction | None:
    """Convert an option's value, such as 1e-3, 0.001 or 1/1000, to an exact number of at least 0. Click calls this."""
    if value is None:
        return None
    try:
        number = Fraction(parse_number(value))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if number < 0:
        raise click.BadParameter("the number must not be negative")
    return number


def gap_number(ctx: click.Context, param: click.Parameter, value: str | None) -> Fraction | str | None:
    """Convert a gap to an exact number of at least 0; keep the text of a percentage. Click calls this."""
    percent = value is not None and value.rstrip().endswith("%")
    number = exact_number(ctx, param, value.rstrip()[:-1] if value is not None and percent else value)
    return value if percent else number


class Progress:
    """A reporter of a command's progress, on standard error and in a log file.

    If ``quiet`` is true, nothing is shown on standard error. ``log`` is the path of the log. Each line of the log is a
    JSON object ``{"elapsed_seconds_float", "event", ...}``. If the log cannot be written, the user gets one
    ``TrembleWarning``, and the command continues without a log. ``began`` is the start of the command, as a value of
    ``time.perf_counter``.
    """

    def __init__(self, *, quiet: bool = False, log: str | None = None, began: float | None = None) -> None:
        self._start = time.perf_counter() if began is None else began
        self._file = log
        self._log: IO[str] | None = None
        self._iterations_began: float | None = None  # seconds before the first iteration, without compilation by Numba
        self._bars: Any = None
        self._task: Any = None
        self._visible = not quiet and sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self._file is not None:
            try:
                self._log = open(self._file, "w", encoding="utf-8", newline="\n")
            except (OSError, ValueError) as error:
                self._lose_log(error, self._file)
        if self._visible:
            from rich.console import Console
            from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bars

            self._bars = Bars(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
                redirect_stdout=False,
            )
            self._bars.start()
            self._task = self._bars.add_task("", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None
        if self._log is not None:
            log, self._log = self._log, None
            with suppress(OSError):  # closing may fail like writing, and the user has been warned already
                log.close()

    @property
    def elapsed(self) -> float:
        """Seconds since the start of the command."""
        return time.perf_counter() - self._start

    def log(self, event: str, **facts: Any) -> None:
        """Write an event and its data to the log, as one line."""
        if self._log is not None:
            elapsed, worked = self.elapsed, self.elapsed - compiled_seconds()
            line = {"elapsed_seconds_float": round(elapsed, 6), "event": event, **facts}
            if event == "iteration" and "seconds_float" in facts:
                self._iterations_began = worked - facts["seconds_float"]
            elif event == "end" and self._iterations_began is not None:
                line["seconds_float"] = worked - self._iterations_began
            try:
                self._log.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._log.flush()
            except OSError as error:
                log, self._log = self._log, None
                self._lose_log(error, log.name)
                with suppress(OSError):
                    log.close()

    def _lose_log(self, error: Exception, name: str) -> None:
        reason = getattr(error, "strerror", None) or error
        warnings.warn(f"{name}: the log cannot be written: {reason}", TrembleWarning, stacklevel=3)

    def step(self, name: str, fraction: float | None = None) -> None:
        """Report that a step of the work begins or continues. Solvers call this method."""
        self.log("step", step=name, fraction_float=fraction)
        if self._bars is not None:
            self._bars.update(
                self._task,
                description=printable(name),
                total=None if fraction is None else 1.0,
                completed=0 if fraction is None else fraction,
            )

    def nodes(self, count: int) -> None:
        """Report ``count``, the number of nodes of the tree built so far."""
        self.log("nodes", nodes=count)
        if self._bars is not None:
            self._bars.update(self._task, description=f"building the tree: {count:,} nodes")
