"""Processes that hear Ctrl-C, even where the shell that began the tests ignores it (``nohup``, ``&``)."""

from __future__ import annotations

import signal
import subprocess
import sys

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
