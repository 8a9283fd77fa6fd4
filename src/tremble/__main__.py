"""Run the command ``tremble``, also as ``python -m tremble``.

This module imports little, and handles Ctrl-C before the slow imports, so that Ctrl-C never shows a traceback.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

__all__ = ["run"]

_INTERRUPTED = 130
_START = time.perf_counter()  # a time limit includes the imports


def run() -> None:
    """Run the command line; replace closed standard streams by the null device."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open until the process ends)
    try:
        from tremble.run.signals import listen, unheard

        listen()
        code: object = _INTERRUPTED
        with suppress(KeyboardInterrupt):
            try:
                from tremble.cli import main

                main(obj=_START)
            except SystemExit as end:
                code = end.code
        with unheard():
            _end_process(code)
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)


def _end_process(code: object) -> None:
    """Flush the output and end the process without Python's shutdown.

    A float solver may still be running in its thread, and would crash during the shutdown. Freeing millions of objects
    would also take seconds, which a time limit does not allow.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else code is not None)


if __name__ == "__main__":
    run()
