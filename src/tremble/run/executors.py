"""What all share who work on an executor of :mod:`concurrent.futures`: threads, processes, Dask's, those of MPI.

A task is a function of a module and plain arguments; its result must not depend on who computes it, nor when. Whoever
submits tasks merges what comes back in an order of his own, so that the result is the same on any executor.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from hashlib import sha256
from numbers import Integral
from typing import TYPE_CHECKING, Any

from tremble.errors import SpecError
from tremble.run.signals import end_with_parent
from tremble.words import described, on_command_line, set_on_command_line

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = [
    "MOST_PROCESSES",
    "InTurn",
    "Parcel",
    "local_processes",
    "processors",
    "require_executor",
    "required_processes",
    "workers_of",
]

MOST_PROCESSES = 4096
"""Local processes that may be asked for: more than any machine of today has processors."""

_KEPT = 8  # parcels that a worker keeps


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require_executor(executor: object, name: str = "executor") -> None:
    """Raise ``SpecError`` unless this is None or an executor.

    Examples
    --------
    >>> require_executor(2)
    Traceback (most recent call last):
    tremble.errors.SpecError: executor is a concurrent.futures.Executor (of a Dask client: client.get_executor()), not 2
    """
    if executor is not None and not isinstance(executor, Executor):
        a_client = "(of a Dask client: client.get_executor())"
        raise SpecError(f"{name} is a concurrent.futures.Executor {a_client}, not {described(executor)}")


def required_processes(processes: object) -> int | None:
    """Return a number of local processes, or None, as it is; ``SpecError`` unless it is from 1 to 4,096.

    Examples
    --------
    >>> required_processes(10**39)
    Traceback (most recent call last):
    tremble.errors.SpecError: processes is a whole number from 1 to 4,096, not 1000000000000000000000000000000000000000
    """
    if processes is None:
        return None
    whole = isinstance(processes, Integral) and not isinstance(processes, bool)
    if whole and 1 <= int(processes) <= MOST_PROCESSES:  # type: ignore[call-overload]
        return int(processes)  # type: ignore[call-overload,no-any-return]
    raise SpecError(f"processes is a whole number from 1 to {MOST_PROCESSES:,}, not {described(processes)}")


def workers_of(executor: Executor) -> int:
    """How many tasks an executor works on at a time, as far as it says; else as many as there are processors here.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> workers_of(ThreadPoolExecutor(3))
    3
    """
    threads = getattr(getattr(executor, "_client", None), "nthreads", None)
    if callable(threads):  # of each of Dask's workers
        return max(1, int(sum(threads().values())))
    for name in ("_max_workers", "num_workers"):  # of the standard library, and of mpi4py
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return processors()


class InTurn(Executor):
    """Does each task at once, in the thread that submits it: for tasks that take less time than a process to begin.

    Examples
    --------
    >>> InTurn().submit(pow, 2, 5).result()
    32
    """

    _max_workers = 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do a task; Ctrl-C, which is no result, ends whoever submits it."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


# -- processes of this machine ---------------------------------------------------------------------


@contextmanager
def local_processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes, started at once; when the block is left by an exception they end, whatever they do.

    They are spawned: a copy of a process with threads (HiGHS, Dask, a notebook's) may wait for locks for ever. So a
    script that gets here has to guard its beginning with ``if __name__ == "__main__"``. Ctrl-C, which a terminal
    signals to all, is for this process alone to hear; if it ends in any way, so do they.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (on_command_line(),))
    try:
        with _ctrl_c_blocked(), _main_that_can_be_run():  # in the processes to be, until they ignore it
            for _ in range(workers):
                pool.submit(_begun)
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _main_that_can_be_run() -> Iterator[None]:
    """Spare new processes the script that began this one, if it came by the standard input: they would not find it."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if file is None or os.path.exists(file):
        yield
        return
    del main.__file__
    try:
        yield
    finally:
        main.__file__ = file


def _begin(of_command: bool) -> None:
    set_on_command_line(of_command)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()


def _begun() -> None:
    """Nothing: whoever does this has begun."""


# -- data for each worker, once --------------------------------------------------------------------


class Parcel:
    """What many tasks need, sent to a worker once.

    A task carries the digest alone. A worker that does not hold the contents says so instead of doing the task, which
    is then submitted anew with them; that happens once for each worker, also for one that comes later. Threads of this
    process hold them from the start.

    Parameters
    ----------
    contents : any
        What pickles, and is never changed.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor() as threads:
    ...     done = Parcel([1, 2, 3]).submit(threads, list.count, 2)
    >>> Parcel.is_lacking(done.result()), done.result()
    (False, 1)
    """

    def __init__(self, contents: object) -> None:
        self._pickled = pickle.dumps(contents, pickle.HIGHEST_PROTOCOL)
        self.key = sha256(self._pickled).hexdigest()
        _hold(self.key, contents)

    def __len__(self) -> int:
        return len(self._pickled)

    def submit(
        self, executor: Executor, function: Callable[..., Any], *arguments: Any, with_contents: bool = False
    ) -> Future[Any]:
        """Have ``function(contents, *arguments)`` computed; the result may be that the contents are lacking."""
        return executor.submit(_opened, self.key, self._pickled if with_contents else None, function, arguments)

    @staticmethod
    def is_lacking(result: object) -> bool:
        """Whether a worker did nothing, for want of the contents: submit the task again, with them."""
        return isinstance(result, _Lacking)


class _Lacking:
    """What a worker says that does not hold the contents."""


_held: OrderedDict[str, object] = OrderedDict()
_lock = threading.Lock()


def _hold(key: str, contents: object) -> None:
    with _lock:
        _held[key] = contents
        _held.move_to_end(key)
        while len(_held) > _KEPT:
            _held.popitem(last=False)


def _opened(key: str, pickled: bytes | None, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    with _lock:
        contents = _held.get(key)
    if contents is None:
        if pickled is None:
            return _Lacking()
        contents = pickle.loads(pickled)
    _hold(key, contents)
    return function(contents, *arguments)
