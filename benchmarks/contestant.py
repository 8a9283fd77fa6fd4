"""Programs that are measured: each in a process of its own, killed when its time is up.

A program is prepared (imports, loading, warm-up), which is not timed but boxed, and then asked for one run
after another. It times itself, so that handing over the task and the answer costs nothing. Its memory is
that of its process, in which are nobody else's trees, and of the largest process that it has started, such as the
checker that looks at a run's strategies meanwhile. Processor seconds count those processes too.

A run in which something is used for the first time (a module imported, a kernel compiled or read from a cache) is
marked, so that nobody counts it.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tremble.run.signals import end_with_parent

if TYPE_CHECKING:
    from tremble.game.tree import GameTree

__all__ = [
    "Contestant",
    "Failure",
    "Job",
    "Process",
    "Trial",
    "first_uses",
    "peak_memory",
    "processor_seconds",
    "timed",
]

_MEMORY = 8 << 30  # bytes of address space that a contestant may take
_MIB = 1 << 20
_MOST_NODES = 5_000_000  # larger trees are not built, unless asked for


@dataclass(frozen=True)
class Job:
    """A game that contestants work on."""

    game: str  # see tremble.load
    file: str = ""  # the same game as an .efg file, for those who read one
    tree_file: str | None = None  # its tree, pickled, so that nobody need build it again; None where it is not built
    nodes: int | None = None  # None where nobody knows
    sequences: tuple[int, int] | None = None  # of both players, with the empty ones
    rules: bool = True  # whether there are rules to play from, as of built-in games

    @classmethod
    def of(cls, game: str, folder: str | Path, *, unbuilt: bool = False, max_nodes: int | None = None) -> Job:
        """Build a game and put its tree into a folder, unless it is too large or the tree is not wanted."""
        from tremble.game.tree import GameTree
        from tremble.game.tree_size import total_nodes
        from tremble.games.loading import load_any
        from tremble.games.parameters import is_built_in

        loaded = load_any(game, from_rules=unbuilt, max_nodes=_MOST_NODES if max_nodes is None else max_nodes)
        if not isinstance(loaded, GameTree):
            if not hasattr(loaded.rules, "counts"):
                return cls(game)
            counts = loaded.rules.counts()
            one, two = counts["sequences"]
            return cls(game, nodes=total_nodes(counts), sequences=(one, two))
        assert loaded.digest  # names the game, belongs to loading it, and stays with the tree
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".tree", delete=False) as file:
            pickle.dump(loaded, file)
        one, two = loaded.num_slots
        return cls(game, "", file.name, loaded.num_nodes, (one + 1, two + 1), is_built_in(game))

    def tree(self) -> GameTree:
        """The tree, with the digest that names it."""
        import tremble

        if self.tree_file is None:
            tree: GameTree = tremble.load(self.game)
        else:
            tree = pickle.loads(Path(self.tree_file).read_bytes())
        assert tree.digest
        return tree


@dataclass(frozen=True)
class Trial:
    """One run: seconds, what came out, in what state, what else there is to say, and whether all was used before."""

    seconds: float
    value: float | None = None
    status: str = "done"
    note: str = ""
    warm: bool = True


@dataclass(frozen=True)
class Contestant:
    """A program that can be measured.

    To prepare it is a function of a module (it is sent to another process) that imports, loads, and returns what makes
    one run.
    """

    name: str
    prepare: Callable[[Job], Callable[[], Trial]]
    needs: tuple[str, ...] = ()  # modules without which it is not installed
    program: Callable[[], str | None] | None = None  # finds the file of one that is no module

    @property
    def installed(self) -> bool:
        """Whether all that it needs can be found."""
        there = self.program is None or self.program() is not None
        return there and all(find_spec(module) is not None for module in self.needs)


class Failure(Exception):  # noqa: N818 (an outcome, turned into a row)
    """A contestant did not finish. ``box`` says whether the time box was the reason."""

    def __init__(self, status: str, *, box: bool = False) -> None:
        super().__init__(status)
        self.status = status
        self.box = box


class Process:
    """A contestant at work in a process of its own."""

    def __init__(self, contestant: Contestant, job: Job) -> None:
        self.peak_mib: float | None = None
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, contestant.prepare, job))
        self._process.start()
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ready(self, time_box: float) -> None:
        """Wait until it is prepared; ``Failure`` if that does not come to pass within the time box."""
        self._answer(time_box, "to load")

    def run(self, time_box: float) -> Trial:
        """Make one run; ``Failure`` if it does not finish within the time box."""
        self._pipe.send("run")
        trial: Trial = self._answer(time_box, "")
        return trial

    def _answer(self, time_box: float, doing: str) -> Any:
        try:
            if not self._pipe.poll(time_box):
                self.peak_mib = peak_memory(self._process.pid)
                self.close()
                raise Failure(f"over {time_box:g} s {doing}".rstrip(), box=not doing)
            kind, content, self.peak_mib = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join(5)
            code = self._process.exitcode
            self.close()
            raise Failure("out of memory" if code in (-6, -9) else f"died (exit code {code})") from None
        if kind == "failed":
            self.close()
            raise Failure(content)
        return content

    def close(self) -> None:
        """End the process."""
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self._pipe.close()


def _serve(pipe: Connection, prepare: Callable[[Job], Callable[[], Trial]], job: Job) -> None:
    """Prepare, then make a run whenever asked, until the other side hangs up."""
    _limit_memory()
    threading.Thread(target=end_with_parent, daemon=True).start()
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # what libraries print is of no interest
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        make_run = prepare(job)
        pipe.send(("ready", None, peak_memory()))
        while True:
            pipe.recv()
            with first_uses() as used:
                trial = make_run()
            pipe.send(("trial", replace(trial, warm=not used), peak_memory()))
    except (EOFError, KeyboardInterrupt):
        return
    except MemoryError:
        pipe.send(("failed", "out of memory", peak_memory()))
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        status = "out of memory" if "bad_alloc" in first else f"failed: {type(error).__name__}: {first:.80}"
        pipe.send(("failed", status, peak_memory()))


@contextmanager
def first_uses() -> Iterator[list[str]]:
    """What is imported, compiled or read from a cache of compiled kernels meanwhile; not part of what is measured."""
    used: list[str] = []
    known = set(sys.modules)
    if "numba" not in known:
        yield used
    else:
        from numba.core.event import install_recorder

        with install_recorder("numba:compiler_lock") as recorder:  # taken by each first use of a kernel
            yield used
        used += [str(event) for _, event in recorder.buffer]
    used += sorted(sys.modules.keys() - known)


def _limit_memory() -> None:
    """Refuse a contestant more than its share, rather than have the machine swap."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        if sys.platform != "win32":
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            limit = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def peak_memory(pid: int | None = None) -> float | None:
    """Greatest resident memory of this process, or of another one, in MiB; None if the system does not tell.

    Of this process with that of the largest one that it has started and that has ended: what both share counts twice.
    Linux's own count is preferred to ``getrusage``, which lets a process inherit the peak of its parent.
    """
    own = None
    with suppress(OSError), open(f"/proc/{pid or 'self'}/status", encoding="ascii", errors="replace") as lines:
        own = next((int(line.split()[1]) * 1024 / _MIB for line in lines if line.startswith("VmHWM:")), None)
    if pid is not None or sys.platform == "win32":
        return own
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    mine, largest = (
        resource.getrusage(who).ru_maxrss * unit / _MIB for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return (mine if own is None else own) + largest


def processor_seconds() -> float:
    """Processor seconds of this process, and of those that it has started and that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds that an action takes, and what it returns."""
    began = time.perf_counter()
    result = action()
    return time.perf_counter() - began, result
