"""The command line: one file per command, loaded when it is called, so that ``tremble --version`` answers at once.

Standard output carries the result; progress, timings, warnings and errors go to standard error.
"""

from tremble.cli.console import COMMANDS, main

__all__ = ["COMMANDS", "main"]
