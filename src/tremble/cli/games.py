"""The command ``tremble games``: list the built-in games."""

from __future__ import annotations

from tremble.cli.command import Call
from tremble.cli.options import command
from tremble.games.parameters import names, parameters, rules_class
from tremble.text.games import games_view

__all__ = ["games"]


@command("table", "json", game=False)
def games(call: Call) -> None:
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
    call.present(json=lambda: listed, table=lambda: games_view(listed))
