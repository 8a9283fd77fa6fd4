"""Progress while a command works: bars on a terminal, JSON lines in a log, silence elsewhere."""

from __future__ import annotations

import json
import sys
import time
import warnings
from contextlib import suppress
from typing import IO, Any, Self

from tremble.errors import TrembleWarning
from tremble.printable import printable
from tremble.run.compiling import compiled_seconds

__all__ = ["Progress"]


class Progress:
    """Reports of steps on standard error, unless ``quiet``, and in a log.

    The log has JSON lines, ``{"elapsed_seconds_float", "event", ...}``, one per step, node count or result. If it
    cannot be written, a ``TrembleWarning`` says so once, and the work continues without it. ``began`` is the start of
    the command in seconds of ``time.perf_counter``.
    """

    def __init__(self, *, quiet: bool = False, log: str | None = None, began: float | None = None) -> None:
        self._start = time.perf_counter() if began is None else began
        self._file = log
        self._log: IO[str] | None = None
        self._iterations_began: float | None = None  # in seconds, without the time in which Numba compiled
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
            with suppress(OSError):  # a warning has reported the lost log
                log.close()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    def log(self, event: str, **facts: Any) -> None:
        """Write a line to the log."""
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
        """Report that a step begins or continues; solvers call this."""
        self.log("step", step=name, fraction_float=fraction)
        if self._bars is not None:
            self._bars.update(
                self._task,
                description=printable(name),
                total=None if fraction is None else 1.0,
                completed=0 if fraction is None else fraction,
            )

    def nodes(self, count: int) -> None:
        """Report the number of nodes of a tree that are built."""
        self.log("nodes", nodes=count)
        if self._bars is not None:
            self._bars.update(self._task, description=f"building the tree: {count:,} nodes")
