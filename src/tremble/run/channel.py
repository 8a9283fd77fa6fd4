"""Arrays that travel between this process and workers elsewhere, which keep what they have from one step to the next.

An executor places one task on each worker, for as long as the work takes; from there the task connects to this process.
A step is then a message and its answer, a tenth of a millisecond on one machine, where a task of its own is ten in some
engines. Only numbers travel, and their meaning is agreed: nothing that arrives is ever executed. Who does not
know the word that the tasks were given is not listened to.
"""

from __future__ import annotations

import hmac
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SolverError

__all__ = ["Channel", "Crew", "LostError"]

_LOOK_SECONDS = 0.25  # between two looks at what else there is to heed, while nothing comes
_START_SECONDS = 300.0  # for a worker to begin; libraries are loaded first, maybe over a network
_GREETING_SECONDS = 5.0
_END_SECONDS = 5.0  # for tasks to end after their channel
_IDLE_SECONDS, _PROBES = 20, 4  # after which the system asks whether the other machine is still there
_LOCAL = "127.0.0.1"
_WORD = 16  # bytes
_COME = b"come"


class LostError(Exception):
    """The other side, which has this number, has gone."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number = number


class Channel:
    """One side of a connection.

    Parameters
    ----------
    connection : socket
    number : int
        Of the worker.
    heed : callable, optional
        Called four times a second while this side waits, with the seconds since something moved. A ``TimeoutError`` of
        it says that nothing will.

    Attributes
    ----------
    sent, received : int
        Bytes so far.
    """

    def __init__(self, connection: socket.socket, number: int, heed: Callable[[float], None] | None = None) -> None:
        self._socket, self._number, self._heed = connection, number, heed
        self.sent = self.received = 0
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (
            ("TCP_KEEPIDLE", _IDLE_SECONDS),
            ("TCP_KEEPINTVL", _IDLE_SECONDS),
            ("TCP_KEEPCNT", _PROBES),
        ):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        connection.settimeout(None if heed is None else _LOOK_SECONDS)

    def send(self, head: bytes, *arrays: NDArray[Any]) -> None:
        """Send a head and the numbers of some arrays; ``LostError`` if nobody is there."""
        size = sum(array.nbytes for array in arrays)
        parts = [np.ascontiguousarray(array).data.cast("B") for array in arrays if array.size]
        if size <= 2**16:
            parts = [memoryview(b"".join((head, *parts)))]
        else:
            parts.insert(0, memoryview(head))
        for part in parts:
            self._move(part, self._socket.send)
        self.sent += len(head) + size

    def head(self, size: int) -> bytes:
        """The next so many bytes."""
        into = bytearray(size)
        self._move(memoryview(into), self._socket.recv_into)
        self.received += size
        return bytes(into)

    def receive(self, into: NDArray[Any]) -> None:
        """The numbers of a contiguous array, as many as it holds."""
        if into.size:
            self._move(into.data.cast("B"), self._socket.recv_into)
        self.received += into.nbytes

    def _move(self, part: memoryview, move: Callable[[memoryview], int]) -> None:
        """Move all of the bytes, however many go at once."""
        moved = time.monotonic()
        while len(part):
            try:
                try:
                    done = move(part)
                except TimeoutError:
                    if self._heed is None:  # what the system says of a machine that has gone
                        raise
                    self._heed(time.monotonic() - moved)
                    continue
            except OSError as error:
                raise LostError(self._number, str(error)) from None
            if done == 0:
                raise LostError(self._number, "its connection was closed")
            part, moved = part[done:], time.monotonic()

    def close(self) -> None:
        """End the connection, also for copies of this process."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@dataclass(frozen=True)
class _Door:
    """Where this process listens, and the word."""

    machine: str
    addresses: tuple[str, ...]
    port: int
    word: bytes


class Crew:
    """Tasks on the workers of an executor, and the channels to them; at the end of its block, they end.

    Parameters
    ----------
    executor : Executor
    target : callable
        Called there with the channel and a task's arguments; of a module, as all of it travels.
    tasks : sequence of tuple
        The arguments, of a task for each worker.
    heed : callable
        Of the channels, and while workers begin.

    Raises
    ------
    SolverError
        Some worker does not begin.
    """

    def __init__(
        self,
        executor: Executor,
        target: Callable[..., None],
        tasks: Sequence[tuple[Any, ...]],
        heed: Callable[[float], None],
    ) -> None:
        local = isinstance(executor, ProcessPoolExecutor)
        word = secrets.token_bytes(_WORD)
        self._futures: list[Future[None]] = []
        found: dict[int, Channel] = {}
        with socket.create_server((_LOCAL if local else "", 0), backlog=len(tasks) + 8) as listener:
            addresses = (_LOCAL,) if local else _addresses()
            door = _Door(socket.gethostname(), addresses, listener.getsockname()[1], word)
            listener.settimeout(_LOOK_SECONDS)
            try:
                for number, arguments in enumerate(tasks):
                    try:
                        self._futures.append(executor.submit(_at_work, door, number, target, arguments))
                    except Exception as error:  # it has been shut down, or is broken
                        raise SolverError(_not_begun(number, _said(error))) from error
                began = time.monotonic()
                while len(found) < len(tasks):
                    self._require_alive(found, time.monotonic() - began)
                    heed(0.0)
                    with suppress(TimeoutError):
                        come = _greet(listener.accept()[0], word, len(tasks))
                        if come is not None:
                            found[come[0]] = Channel(come[1], come[0], heed)
            except BaseException:
                self.channels = list(found.values())
                self.__exit__()
                raise
        self.channels = [found[number] for number in range(len(tasks))]

    def _require_alive(self, found: dict[int, Channel], seconds: float) -> None:
        for number, future in enumerate(self._futures):
            if number not in found and future.done():
                raise SolverError(_not_begun(number, self.cause(number)))
        if seconds > _START_SECONDS:
            raise SolverError(
                f"{len(found)} of {len(self._futures)} workers began within {_START_SECONDS:.0f} seconds: "
                "the others are busy, or cannot reach this process over the network"
            )

    def cause(self, number: int, otherwise: str = "its task has ended") -> str:
        """Why a worker is no longer at work."""
        with suppress(BaseException):
            error = self._futures[number].exception(timeout=1.0)
            if error is not None:
                return _said(error)
        return otherwise

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_error: object) -> None:
        for channel in self.channels:
            channel.close()
        for future in self._futures:
            future.cancel()
        with suppress(Exception):
            wait(self._futures, timeout=_END_SECONDS)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def _not_begun(number: int, cause: str) -> str:
    return f"worker {number + 1} could not begin: {cause}"


def _addresses() -> tuple[str, ...]:
    """Where others may find this machine; most likely first."""
    found = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.255.255.255", 1))  # nothing is sent
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        found += [str(row[4][0]) for row in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return tuple(dict.fromkeys((*found, socket.gethostname())))


def _greet(connection: socket.socket, word: bytes, count: int) -> tuple[int, socket.socket] | None:
    """The number of the worker that has come; None of anybody else."""
    try:
        connection.settimeout(_GREETING_SECONDS)
        said = _received(connection, _WORD + 4)
        number = int.from_bytes(said[_WORD:], "little")
        if not hmac.compare_digest(said[:_WORD], word) or number >= count:
            raise OSError
        connection.sendall(_COME)
    except OSError:
        connection.close()
        return None
    return number, connection


def _received(connection: socket.socket, count: int) -> bytes:
    """So many bytes, each piece in time; Windows does not wait for all by itself where there is a time limit."""
    said = b""
    while len(said) < count:
        piece = connection.recv(count - len(said))
        if not piece:
            raise ConnectionError("the other side has gone")
        said += piece
    return said


def _at_work(door: _Door, number: int, target: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """The task of a worker: connect, then work until the other side has gone."""
    channel = Channel(_reach(door, number), number)
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None  # Ctrl-C is the other side's to hear
    try:
        with suppress(LostError):
            target(channel, *arguments)
    finally:
        channel.close()
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _reach(door: _Door, number: int) -> socket.socket:
    """A connection to the process that gave the task."""
    here = (_LOCAL,) if door.machine == socket.gethostname() else ()
    problems = []
    for address in dict.fromkeys((*here, *door.addresses)):
        try:
            connection = socket.create_connection((address, door.port), timeout=_GREETING_SECONDS)
            connection.sendall(door.word + number.to_bytes(4, "little"))
            if _received(connection, len(_COME)) == _COME:
                return connection
            problems.append(f"{address}: somebody else listens there")
        except OSError as error:
            problems.append(f"{address}: {error}")
    raise SolverError(
        f"the worker on {socket.gethostname()} cannot reach the process that solves, on {door.machine}, "
        f"port {door.port} ({'; '.join(problems)})"
    )
