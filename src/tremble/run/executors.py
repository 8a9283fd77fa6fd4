"""Run tasks on any executor of :mod:`concurrent.futures`: threads, processes, Dask or MPI.

A task is a module-level function with plain arguments. Its result must not depend on the worker or on the time. The
code that submits tasks must merge their results in a fixed order, so that the result is the same on every executor.
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
from functools import partial
from hashlib import sha256
from numbers import Integral
from typing import TYPE_CHECKING, Any

from tremble.arguments import described
from tremble.errors import SolverError, SpecError
from tremble.run.signals import end_with_parent
from tremble.words import on_command_line, set_on_command_line

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = [
    "MOST_PROCESSES",
    "WORKER",
    "InTurn",
    "Parcel",
    "local_processes",
    "processors",
    "require_executor",
    "required_processes",
    "workers_of",
]

MOST_PROCESSES = 4096
"""Maximum number of local processes. Current machines have fewer processors."""

WORKER = "SpawnProcess of tremble"
"""Name of each process of :func:`local_processes`. A process has its name before it imports the script."""

_MAX_HELD = 8  # greatest number of parcels that a worker keeps in memory


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require_executor(executor: object, name: str = "executor") -> None:
    """Raise ``SpecError`` if the argument is neither an executor nor None.

    Examples
    --------
    >>> require_executor(2)
    Traceback (most recent call last):
    tremble.errors.SpecError: 'executor' must be a concurrent.futures.Executor (for Dask: client.get_executor()), not 2
    """
    if executor is not None and not isinstance(executor, Executor):
        hint = "(for Dask: client.get_executor())"
        raise SpecError(f"'{name}' must be a concurrent.futures.Executor {hint}, not {described(executor)}")


def required_processes(processes: object) -> int | None:
    """Return the argument as an int, or None; raise ``SpecError`` if it is not an integer from 1 to 4,096.

    Examples
    --------
    >>> required_processes(10**36)
    Traceback (most recent call last):
    tremble.errors.SpecError: 'processes' must be an integer from 1 to 4,096, not 1000000000000000000000000000000000000
    """
    if processes is None:
        return None
    whole = isinstance(processes, Integral) and not isinstance(processes, bool)
    if whole and 1 <= int(processes) <= MOST_PROCESSES:  # type: ignore[call-overload]
        return int(processes)  # type: ignore[call-overload,no-any-return]
    raise SpecError(f"'processes' must be an integer from 1 to {MOST_PROCESSES:,}, not {described(processes)}")


def workers_of(executor: Executor) -> int:
    """Return the number of tasks that an executor runs at the same time; if unknown, the number of local processors.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> workers_of(ThreadPoolExecutor(3))
    3
    """
    threads = getattr(getattr(executor, "_client", None), "nthreads", None)
    if callable(threads):  # Dask: the number of threads of each worker
        return max(1, int(sum(threads().values())))
    for name in ("_max_workers", "num_workers"):  # the standard library, and mpi4py
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return processors()


class InTurn(Executor):
    """An executor that runs each task immediately in the thread that submits the task.

    Use this executor for tasks that take less time than the start of a process.

    Examples
    --------
    >>> InTurn().submit(pow, 2, 5).result()
    32
    """

    _max_workers = 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call ``fn`` and return a finished ``Future``. If Ctrl-C interrupts the call, raise the exception here."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


# -- processes of this machine ---------------------------------------------------------------------


@contextmanager
def local_processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start a pool of processes immediately, and yield the pool. An exception in the block kills the processes.

    The processes are spawned, because a forked process may wait forever for a lock that another thread held, such as
    a thread of HiGHS, Dask or a notebook. Spawned processes import the script, so the script must guard its code with
    ``if __name__ == "__main__"``. A terminal sends Ctrl-C to all processes, but only this process handles the signal.
    If this process ends for any reason, the workers end too.

    Raises
    ------
    SolverError
        No process can be started.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.context import SpawnContext

    context: Any = SpawnContext()
    context.Process = partial(context.Process, name=WORKER)
    with _failures_explained():
        pool = ProcessPoolExecutor(workers, context, _prepare_worker, (on_command_line(),))
    started = False  # without memory, the thread of the pool may not start, and then nobody can wait for it
    try:
        # The processes inherit the blocked signal.
        with _failures_explained(), _ctrl_c_blocked(), _main_can_be_spawned():
            for _ in range(workers):
                pool.submit(_do_nothing)  # each task starts a process
        started = True
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.kill()
        raise
    finally:
        pool.shutdown(wait=started, cancel_futures=True)


@contextmanager
def _failures_explained() -> Iterator[None]:
    """Convert an error of the operating system to an error that says that no process can be started."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        if isinstance(error, OSError):
            # A limit of less than 32 bytes on the size of files cuts off a semaphore, and the error number is then 0.
            reason = error.strerror if error.errno else "a semaphore cannot be created"
        elif "new thread" in str(error):
            reason = str(error)
        else:
            raise
        limits = "check the limits on files, memory and processes (ulimit -a)"
        raise SolverError(f"no worker process can be started: {reason}; {limits}") from error


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
def _main_can_be_spawned() -> Iterator[None]:
    """Hide the script of this process from new processes if the script has no file that they could open.

    The script has no file if it was read from standard input.
    """
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


def _prepare_worker(of_command: bool) -> None:
    set_on_command_line(of_command)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()


def _do_nothing() -> None:
    """Do nothing. Submitting this task starts a process."""


# -- data that are sent to each worker once --------------------------------------------------------


class Parcel:
    """Data that many tasks need, sent to each worker once.

    A task contains only the digest of the data. A worker that lacks the data returns a marker instead of a result. The
    caller must find the marker by :meth:`is_lacking`, and then submit the task again with the data. This happens once
    for each worker, including workers that join later. Threads of this process have the data from the start.

    Parameters
    ----------
    contents : any
        Data that can be pickled and that nobody changes later.

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
        """Submit ``function(data, *arguments)`` for the parcel's data. Send the data if ``with_contents`` is true."""
        return executor.submit(
            _run_with_contents, self.key, self._pickled if with_contents else None, function, arguments
        )

    @staticmethod
    def is_lacking(result: object) -> bool:
        """Return True if the worker lacks the parcel's data. If so, repeat ``submit`` with ``with_contents=True``."""
        return isinstance(result, _Lacking)


class _Lacking:
    """A marker that a worker returns instead of a result if it lacks the data that the task needs."""


_held: OrderedDict[str, object] = OrderedDict()
_lock = threading.Lock()


def _hold(key: str, contents: object) -> None:
    """Store the contents of the :class:`Parcel` named ``key``. A full store drops the least recently used contents."""
    with _lock:
        _held[key] = contents
        _held.move_to_end(key)
        while len(_held) > _MAX_HELD:
            _held.popitem(last=False)


def _run_with_contents(
    key: str, pickled: bytes | None, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    """Call ``function`` with the contents sent under ``key``, or return a marker if the worker lacks these contents."""
    with _lock:
        contents = _held.get(key)
    if contents is None:
        if pickled is None:
            return _Lacking()
        contents = pickle.loads(pickled)
    _hold(key, contents)
    return function(contents, *arguments)
