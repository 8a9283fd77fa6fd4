"""The command line of tremble.

Each command is in its own file, which is imported only when the command is called. Thus ``tremble --version`` is fast.
Standard output contains only the result. Progress, timings, warnings and errors go to standard error.
"""

from tremble.cli.console import COMMANDS, main

__all__ = ["COMMANDS", "main"]
