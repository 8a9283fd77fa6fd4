"""Channels to workers: what is sent arrives, strangers are not heard, nobody waits for ever."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tremble.errors import SolverError
from tremble.run.channel import Channel, Crew, LostError
from tremble.run.executors import local_processes


def _echo(channel: Channel, shape: tuple[int, ...], factor: float) -> None:
    array = np.empty(shape)
    while channel.head(1) == b"+":
        channel.receive(array)
        channel.send(b"!", factor * array)


def _fail(_channel: Channel) -> None:
    raise RuntimeError("no such thing here")


def _mute(channel: Channel) -> None:
    channel.head(1)


def _patient(_seconds: float) -> None:
    pass


def test_arrays_travel_to_processes_and_back() -> None:
    with local_processes(2) as pool:
        for shape in ((3,), (300, 50, 7), (0, 4), ()):
            sent = np.random.default_rng(1).random(shape)
            with Crew(pool, _echo, [(shape, 2.0), (shape, 3.0)], _patient) as crew:
                for _ in range(2):
                    for channel in crew.channels:
                        channel.send(b"+", sent)
                    for factor, channel in zip((2.0, 3.0), crew.channels, strict=True):
                        assert channel.head(1) == b"!"
                        back = np.empty(shape)
                        channel.receive(back)
                        assert (back == factor * sent).all()
                assert [(c.sent, c.received) for c in crew.channels] == [(2 * (1 + sent.nbytes),) * 2] * 2
        assert pool.submit(abs, -1).result(timeout=20) == 1  # the workers are free again


def test_a_task_that_fails_says_why() -> None:
    with ThreadPoolExecutor(1) as threads, Crew(threads, _fail, [()], _patient) as crew:
        with pytest.raises(LostError, match="closed"):
            crew.channels[0].head(1)
        assert crew.cause(0) == "RuntimeError: no such thing here"


class Elsewhere(Executor):
    """Workers that find nobody."""

    def submit(self, *_args: Any, **_options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(SolverError("the worker on moon cannot reach the process that solves"))
        return future


def test_workers_that_cannot_come_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SolverError, match="worker 1 could not begin: SolverError: the worker on moon cannot reach"):
        Crew(Elsewhere(), _mute, [(), ()], _patient)
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    monkeypatch.setattr("tremble.run.channel._START_SECONDS", 0.5)
    with pytest.raises(SolverError, match="worker 1 could not begin: RuntimeError: cannot schedule"):
        Crew(ended, _mute, [()], _patient)
    with ThreadPoolExecutor(1) as threads, pytest.raises(SolverError, match="1 of 2 workers began within"):
        Crew(threads, _mute, [(), ()], _patient)


def test_strangers_are_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither those without the word nor those that say nothing keep a worker from coming."""
    doors: list[int] = []
    create = socket.create_server

    def created(*args: Any, **options: Any) -> socket.socket:
        server = create(*args, **options)
        port = server.getsockname()[1]
        doors.append(port)
        for said in (b"x" * 20, b"", b"hello"):
            stranger = socket.create_connection(("127.0.0.1", port))
            stranger.sendall(said)
            stranger.shutdown(socket.SHUT_WR)
            strangers.append(stranger)
        return server

    strangers: list[socket.socket] = []
    monkeypatch.setattr(socket, "create_server", created)
    with ThreadPoolExecutor(1) as threads, Crew(threads, _echo, [((2,), 1.0)], _patient) as crew:
        crew.channels[0].send(b"+", np.ones(2))
        assert crew.channels[0].head(1) == b"!"
    for stranger in strangers:
        assert stranger.recv(10) == b""
        stranger.close()


def test_waiting_heeds_what_it_is_told() -> None:
    def heed(silent: float) -> None:
        if silent > 0.3:
            raise TimeoutError("silent")

    with ThreadPoolExecutor(1) as threads, Crew(threads, _mute, [()], heed) as crew:
        with pytest.raises(LostError, match="silent") as lost:
            crew.channels[0].head(1)
        assert lost.value.number == 0


def test_a_closed_channel_ends_a_worker_that_waits() -> None:
    begun = threading.Event()

    def wait(channel: Channel) -> None:
        begun.set()
        channel.head(1)

    with ThreadPoolExecutor(1) as threads:
        with Crew(threads, wait, [()], _patient):
            assert begun.wait(10)
        assert threads.submit(abs, -1).result(timeout=20) == 1
