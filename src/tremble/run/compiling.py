"""Compile functions with Numba, delay Ctrl-C during compilation, and count the seconds of compilation."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tremble.run.alarm import ctrl_c_held_back, interrupts_held_back

__all__ = ["compiled", "compiled_seconds", "compiled_whole", "compiling", "held_back_in"]


class _Compiling:
    """A counter of the seconds spent in ``with`` blocks in which Numba compiles or loads. Nested blocks count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth, self._began = 0, 0.0

    def __enter__(self) -> None:
        if not self._depth:
            self._began = time.perf_counter()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            self.seconds += time.perf_counter() - self._began


compiling = _Compiling()


def compiled_seconds() -> float:
    """Return the seconds that Numba has spent in this process to compile and load kernels (compiled functions)."""
    return compiling.seconds


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function with Numba at its first call; cache it on disk if a cache folder is writable.

    Without Numba, return the function itself, which is slow. ``python -m tremble.check`` does not need Numba.
    """
    try:
        with interrupts_held_back():  # after an interrupted import, Numba could not be imported again
            import numba
    except ModuleNotFoundError:
        return function
    try:
        return compiled_whole(numba.njit(cache=True, **options)(function))
    except RuntimeError:  # there is no writable cache folder
        return compiled_whole(numba.njit(**options)(function))


def compiled_whole(kernel: Any) -> Any:
    """Return a Numba kernel whose compilation delays Ctrl-C.

    If Ctrl-C interrupted a callback of the compiler, later calls of the kernel would fail with an obscure error.
    """
    compile_for = getattr(kernel, "_compile_for_args", None)
    if compile_for is None:  # Numba's compilation is disabled
        return kernel

    def compile_whole(*values: Any, **named: Any) -> Any:
        with compiling, interrupts_held_back():  # Numba reads its registries only once, so do not interrupt it
            kernel.typingctx.refresh()
            kernel.targetctx.refresh()
        with compiling, ctrl_c_held_back():
            return compile_for(*values, **named)

    kernel._compile_for_args = compile_whole
    return kernel


def held_back_in(kernel: Any) -> AbstractContextManager[None]:
    """Return a context manager that delays Ctrl-C and time limits while a kernel runs.

    The first call of a kernel is not protected, because it compiles, which may take 20 s. A time limit can then
    interrupt the compiler.
    """
    return interrupts_held_back() if getattr(kernel, "signatures", True) else nullcontext()
