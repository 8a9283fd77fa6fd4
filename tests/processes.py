"""Processes that hear Ctrl-C, even where the shell that began the tests ignores it (``nohup``, ``&``)."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

BEGIN = """
import tremble.__main__ as command
print("begun", flush=True)
command.run()
"""


def _hear_ctrl_c() -> None:
    """What is ignored stays so in children, unless they are told otherwise before they begin."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(command: list[str], **options: object) -> subprocess.Popen[str]:
    """A process, with Ctrl-C as a terminal gives it."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    hears = None if sys.platform == "win32" else _hear_ctrl_c
    return subprocess.Popen(command, **{**streams, **options}, preexec_fn=hears)  # type: ignore[call-overload, no-any-return]


def tremble_process(
    *args: object, begin: tuple[str, str] = ("-m", "tremble"), **options: object
) -> subprocess.Popen[str]:
    """The command, with these arguments."""
    return started([sys.executable, *begin, *map(str, args)], **options)


def wait_for(there: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
