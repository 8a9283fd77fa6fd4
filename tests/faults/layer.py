"""A layer between a command and the operating system: calls for writing fail, end the process, or memory runs out.

The layer replaces ``open``, the functions of ``os`` that write, and the functions of NumPy that make arrays. It knows
nothing of tremble. It counts only calls on files below one folder.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import resource
import signal
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["install"]

_WRITING = os.O_WRONLY | os.O_RDWR
_ON_PATHS = ("replace", "rename", "mkdir", "chmod")
_MAKERS = ("empty", "zeros", "ones", "full", "arange", "array", "asarray", "concatenate", "repeat")


class _Layer:
    """Count the calls, report each of them to a pipe, and let the fault happen at its call."""

    def __init__(self, folder: str, fault: dict[str, Any], trace: int) -> None:
        self.folder, self.fault, self.trace = os.path.realpath(folder), fault, trace
        self.count = 0
        self.descriptors: set[int] = set()
        self.write = os.write

    def inside(self, path: Any) -> bool:
        if not isinstance(path, str | os.PathLike):
            return False
        return os.path.realpath(os.fspath(path)).startswith(self.folder)

    def call(self, kind: str, work: Callable[[], Any], half: Callable[[], Any] | None = None) -> Any:
        """Do the work, unless this is the call at which the fault is due. ``half`` does a part of the work."""
        self.count += 1
        self.write(self.trace, f"{kind}\n".encode())
        fault, due = self.fault, self.count == self.fault.get("at")
        if fault["kind"] == "error" and (due or (fault["lasting"] and self.count > fault["at"])):
            if kind == "close":
                work()  # the system frees the descriptor of a file whose closing fails
            elif half is not None:
                half()
            raise OSError(fault["errno"], os.strerror(fault["errno"]))
        if fault["kind"] == "kill" and due:
            if fault["when"] == "after":
                work()
            elif fault["when"] == "half" and half is not None:
                half()
            os.kill(os.getpid(), signal.SIGKILL)
        return work()


def install(folder: str, fault: dict[str, Any], trace: int) -> None:
    """Install the layer in this process. ``trace`` is the descriptor of a pipe for the names of the calls."""
    layer = _Layer(folder, fault, trace)
    _over_files(layer)
    if fault["kind"] == "size":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault["bytes"], fault["bytes"]))
    elif fault["kind"] == "memory":
        _over_arrays(layer)
    elif fault["kind"] == "address space":
        with open("/proc/self/statm") as stream:
            pages = int(stream.read().split()[0])
        most = pages * resource.getpagesize() + fault["bytes"]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _over_files(layer: _Layer) -> None:
    """Replace ``open`` and the functions of ``os`` that write."""
    real_open, real_os_open = io.open, os.open

    class Raw(io.FileIO):
        def __init__(self, file: Any, mode: str, opener: Any) -> None:
            layer.call("open", lambda: super(Raw, self).__init__(file, mode, opener=opener))

        def write(self, data: Any) -> int:  # type: ignore[override]
            some = memoryview(data).cast("B")
            whole = super().write
            return layer.call("write", lambda: whole(some), lambda: whole(some[: len(some) // 2]))

        def close(self) -> None:
            if self.closed:
                return
            layer.call("close", super().close)

    def opened(
        file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None, newline: Any = None,
        closefd: bool = True, opener: Any = None,
    ) -> Any:  # fmt: skip
        if not set(mode) & set("wax+") or not layer.inside(file):
            return real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        raw = Raw(file, mode.replace("b", "").replace("t", ""), opener)
        if buffering == 0:
            return raw
        buffered: Any = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

    def os_opened(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if not flags & _WRITING or not layer.inside(path):
            return real_os_open(path, flags, *more, **named)
        descriptor: int = layer.call("open", lambda: real_os_open(path, flags, *more, **named))
        return descriptor

    def on_path(kind: str, real: Callable[..., Any], path: Any, *more: Any, **named: Any) -> Any:
        if not layer.inside(path):
            return real(path, *more, **named)
        return layer.call(kind, lambda: real(path, *more, **named))

    def on_descriptor(kind: str, real: Callable[..., Any], descriptor: Any, *more: Any) -> Any:
        try:
            path = os.readlink(f"/proc/self/fd/{descriptor}")
            ours = path.startswith("/") and layer.inside(path)
        except (OSError, TypeError):
            ours = False
        return layer.call(kind, lambda: real(descriptor, *more)) if ours else real(descriptor, *more)

    builtins.open = io.open = opened  # type: ignore[assignment]
    os.open = os_opened
    for name in _ON_PATHS:
        setattr(os, name, functools.partial(on_path, name, getattr(os, name)))
    for name in ("fsync", "write"):
        setattr(os, name, functools.partial(on_descriptor, name, getattr(os, name)))


def _over_arrays(layer: _Layer) -> None:
    """Let the n-th call that makes a large array fail, with the error that NumPy itself raises."""
    fault, count = layer.fault, 0

    def made(real: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        nonlocal count
        array = real(*arguments, **named)
        if array.nbytes >= fault["above"]:
            count += 1
            os.write(layer.trace, b"array\n")
            if count == fault["at"] or (fault["lasting"] and count > fault["at"]):
                empty(1 << 56)  # more bytes than any machine has
        return array

    empty = np.empty
    for name in _MAKERS:
        setattr(np, name, functools.partial(made, getattr(np, name)))
