"""Executors: what is one, how many work, what a worker is told once, and how processes end."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from processes import alive, started, wait_for
from tremble.errors import SolverError, SpecError
from tremble.run.executors import Parcel, local_processes, processors, require_executor, workers_of

SLEEPERS = """
import time
from tremble.run.executors import local_processes
if __name__ == "__main__":
    with local_processes(2) as pool:
        list(pool.map(abs, range(4)))
        sleeping = [pool.submit(time.sleep, 600) for _ in range(3)]
        print(*pool._processes, flush=True)
        sleeping[0].result()
"""


def test_what_an_executor_is() -> None:
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(2) as processes:
        for executor, workers in ((threads, 3), (processes, 2)):
            require_executor(executor)
            assert workers_of(executor) == workers
    require_executor(None)
    assert processors() >= 1
    for wrong in (2, "dask", ThreadPoolExecutor, object()):
        with pytest.raises(SpecError, match=r"'workers' must be a concurrent\.futures\.Executor"):
            require_executor(wrong, "workers")


def test_contents_are_sent_once() -> None:
    parcel = Parcel(list(range(100_000)))
    with local_processes(1) as pool:
        assert Parcel.is_lacking(parcel.submit(pool, list.count, 7).result())
        assert parcel.submit(pool, list.count, 7, with_contents=True).result() == 1
        assert parcel.submit(pool, list.count, 7).result() == 1
        for number in range(10):  # a worker does not keep all it ever had
            Parcel([number]).submit(pool, len, with_contents=True).result()
        assert Parcel.is_lacking(parcel.submit(pool, list.count, 7).result())
    assert len(parcel) > 100_000


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Limit the size of files to ``size`` bytes."""
    import resource

    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.skipif(sys.platform != "linux", reason="on Linux, a semaphore is a file of 32 bytes")
@pytest.mark.parametrize(("size", "reason"), [(0, "File too large"), (31, "a semaphore cannot be created")])
def test_processes_that_cannot_start(size: int, reason: str) -> None:
    message = rf"no worker process can be started: {reason}; check the limits"
    with pytest.raises(SolverError, match=message), largest_file(size), local_processes(1):
        pass


def test_a_pool_whose_thread_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(multiprocessing.active_children())

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with (
        pytest.raises(SolverError, match="no worker process can be started: can't start new thread"),
        local_processes(1),
    ):
        pass
    wait_for(lambda: set(multiprocessing.active_children()) <= before)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_stays_behind(how: signal.Signals) -> None:
    with started([sys.executable, "-c", SLEEPERS]) as running:
        assert running.stdout is not None
        children = list(map(int, running.stdout.readline().split()))
        assert len(children) == 2
        running.send_signal(how)
        running.communicate(timeout=30)
    wait_for(lambda: not any(map(alive, children)), 30.0)
