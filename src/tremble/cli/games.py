"""``tremble games``: the built-in games."""

from __future__ import annotations

import click

from tremble.cli.console import present
from tremble.cli.options import common
from tremble.games import names, parameters, rules_class
from tremble.show import terminal

__all__ = ["games"]


@click.command()
@common("table", "json")
def games(form: str, quiet: bool) -> int:
    """List the built-in games, their parameters and defaults.

    \b
    JSON: a list of {"name", "description", "parameters": [{"name", "default", "allowed"}]}.
    """  # noqa: D301 (click reads the backspace)
    listed = []
    for name in names():
        rules = rules_class(name)
        about = (rules.__doc__ or "").strip().partition("\n")[0]
        settings = [{"name": p.name, "default": p.default, "allowed": p.allowed} for p in parameters(rules)]
        listed.append({"name": name, "description": about, "parameters": settings})
    present(form, json=lambda: listed, table=lambda: terminal.games_view(listed))
    return 0
