"""``python -m tremble`` is the command ``tremble``.

The command begins here, before anything that takes time to import, so that Ctrl-C is quiet from the start.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

__all__ = ["run"]

_INTERRUPTED = 130
_BEGAN = time.perf_counter()  # imports count towards a time limit


def run() -> None:
    """Run the command line; closed standard streams are taken for empty ones."""
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

                main(obj=_BEGAN)
            except SystemExit as end:
                code = end.code
        with unheard():
            _leave(code)
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)


def _leave(code: object) -> None:
    """End the process without ceremony.

    A float solver may not have heard yet that it is to stop, and would crash while Python shuts down; and to let go of
    millions of objects one by one would take seconds, beyond a time limit if there is one.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else code is not None)


if __name__ == "__main__":
    run()
