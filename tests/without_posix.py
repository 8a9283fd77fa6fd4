"""A process in which the system has what Windows has: run first, before anything of tremble or multiprocessing.

What no standard library of Windows has is taken away, and what behaves otherwise there does so here. The name of the
system stays: the libraries that tremble uses look it up, and tremble does not.
"""

from __future__ import annotations

import builtins
import multiprocessing
import os
import select
import signal
import socket
import sys
from pathlib import Path
from typing import Any

__all__ = ["pretend"]

_MODULES = {"fcntl", "grp", "pwd", "pty", "readline", "resource", "syslog", "termios", "tty"}
_OF_OS = """O_DIRECTORY O_NOFOLLOW O_NONBLOCK chown fchmod fchown fork forkpty geteuid getgid getpgid getuid kill killpg
mkfifo nice pread pwrite register_at_fork sched_getaffinity sched_setaffinity set_blocking setsid statvfs sysconf uname
wait wait4 waitid"""
_OF_SIGNAL = """ITIMER_REAL ITIMER_VIRTUAL ITIMER_PROF SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP
SIGTSTP SIGUSR1 SIGUSR2 SIGWINCH alarm getitimer pause pthread_kill pthread_sigmask setitimer sigpending sigtimedwait
sigwait sigwaitinfo"""


def pretend() -> None:
    """Take POSIX away from this process."""
    import ctypes  # noqa: F401 - what libraries need of POSIX, they take while they are imported
    import random  # noqa: F401
    import subprocess  # noqa: F401
    import tempfile  # noqa: F401

    import flint  # noqa: F401
    import highspy  # noqa: F401
    import numba  # noqa: F401
    import scipy.sparse  # noqa: F401

    wake, set_blocking = signal.set_wakeup_fd, os.set_blocking

    def wake_by_any_pipe(pipe: int, **options: bool) -> int:
        set_blocking(pipe, False)  # which POSIX asks for
        return wake(pipe, **options)

    signal.set_wakeup_fd = wake_by_any_pipe  # type: ignore[assignment]
    for name in _MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  # an import of it fails
    for module, names in ((os, _OF_OS), (signal, _OF_SIGNAL)):
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    if hasattr(socket, "MSG_WAITALL"):
        del socket.MSG_WAITALL  # fails there, where there is a time limit
    multiprocessing.get_all_start_methods = lambda: ["spawn"]  # type: ignore[method-assign]
    select.select = _only_sockets
    _hide_proc()


def _only_sockets(*lists: Any) -> Any:
    raise OSError(10038, "an operation was attempted on something that is not a socket")


def _hide_proc() -> None:
    """No file of ``/proc`` or ``/sys`` opens."""
    opened = builtins.open

    def open_others(file: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(file, str | Path) and str(file).startswith(("/proc/", "/sys/")):
            raise FileNotFoundError(2, "No such file or directory", str(file))
        return opened(file, *arguments, **options)

    builtins.open = open_others
    Path.open = lambda self, *arguments, **options: open_others(self, *arguments, **options)  # type: ignore[method-assign]
