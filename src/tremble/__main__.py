"""``python -m tremble`` is the command ``tremble``.

The command begins here, before anything that takes time to import, so that Ctrl-C is quiet from the start.
"""

from __future__ import annotations

import os
import sys

__all__ = ["run"]

_INTERRUPTED = 130


def run() -> None:
    """Run the command line; closed standard streams are taken for empty ones."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (open until the process ends)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    try:
        from tremble.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    run()
