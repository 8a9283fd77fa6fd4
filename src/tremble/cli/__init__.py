"""The command line: one file per command, loaded when it is called, so that ``tremble --version`` answers at once.

Standard output carries the result; progress, timings, warnings and errors go to standard error.
"""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

import tremble
from tremble.capabilities import missing_for, registered
from tremble.cli.console import Console
from tremble.lazy import at
from tremble.spelling import did_you_mean

__all__ = ["COMMANDS", "main"]

_OF_THE_CORE = {
    "audit": "Where a profile blunders, and how much it loses.",
    "certify": "Prove that a profile from anywhere is an equilibrium, or say why not.",
    "compare": "Where two solutions differ, and what each earns against errors.",
    "convert": "Write a game as .efg, .nfg, .json or .tex.",
    "explain": "Why a player plays so: belief, what every action is worth, what comes after.",
    "games": "List the built-in games.",
    "info": "Show sizes and class of a game.",
    "respond": "Best responses and exploitability of any strategies.",
    "shrink": "Merge what the players need not distinguish, and show what is left.",
    "solve": "Compute an exact equilibrium and prove it.",
    "verify": "Prove a solution again, from the game alone.",
}
"""Name of a command, of its file in this folder and of the function there -> what it does, in one line."""

_ELSEWHERE = {name: row for capability in registered() for name, row in capability.commands.items()}
"""Name of a command of a capability -> its place and what it does."""

COMMANDS = dict(sorted({**_OF_THE_CORE, **{name: about for name, (_, about) in _ELSEWHERE.items()}}.items()))
"""Name of a command -> what it does, in one line."""


class Commands(Console):
    """The commands, each in the file of its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of all commands."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown word, suggest what may be meant."""
        word = args[0]
        if word not in COMMANDS and not word.startswith("-"):
            from tremble.formats.formats import FORMATS
            from tremble.games import is_built_in

            if (missing := missing_for(word)) is not None:
                ctx.fail(f"{word} needs tremble.{missing}, which is not installed")
            if is_built_in(word) or Path(word).suffix.lower() in FORMATS:
                advice = f"it is a game: tremble solve {word}"
            else:
                advice = did_you_mean(word, COMMANDS) or f"the commands are {', '.join(COMMANDS)}"
            ctx.fail(f"No such command {word!r:.80}; {advice}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Complete the name of a command, or click's options."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name, help=about) for name, about in COMMANDS.items() if name.startswith(incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the file of a command."""
        if cmd_name not in COMMANDS:
            return None
        place, _ = _ELSEWHERE.get(cmd_name, (f"tremble.cli.{cmd_name}:{cmd_name}", None))
        command = at(place)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line about each command, without loading it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 proven, 1 not proven or wrong, 2 bad usage, 3 bad file, 4 game outside the class, "
    "5 limit reached, 130 interrupted.",
)
@click.version_option(tremble.__version__, prog_name="tremble", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Exact, certified equilibria of two-player games with hidden information.

    GAME is a built-in game (kuhn, leduc:ranks=5), a file (.efg, .nfg, .json), a game of OpenSpiel
    (openspiel:kuhn_poker), or - for an .efg on standard input.

    \b
    tremble games                        what is built in
    tremble solve kuhn                   an exact equilibrium, proven
    tremble solve my.efg -o my.json      the same, into a file
    tremble verify my.efg my.json        prove it again, from the game alone
    tremble draw kuhn my.json -o k.svg   a picture
    """  # noqa: D301 (click reads the backspace)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
