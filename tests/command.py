"""The command line, called in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from tremble.cli import main

__all__ = ["run"]


def run(*arguments: object, stdin: str | None = None) -> Result:
    """What a command prints, and its exit code."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
