"""The command ``tremble plot``: plot the error of solver runs over time, or draw all equilibria of a small game."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from tremble.cli.command import Call
from tremble.cli.options import command, output, time_limit
from tremble.cli.outputs import Output, by_ending
from tremble.errors import SpecError
from tremble.run.alarm import interrupts_held_back
from tremble.show.equilibrium_sets import equilibrium_set
from tremble.show.plots import convergence, read_log
from tremble.show.replies import best_replies

__all__ = ["plot"]

_Across = Literal["seconds", "iterations"]
_ENDINGS = (".svg", ".pdf", ".png")


@command("table", "json", game=False, writes=True)
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@output("The file for the picture: .svg, .pdf or .png.", required=True)
@click.option(
    "--x",
    type=click.Choice(["seconds", "iterations"]),
    default="seconds",
    show_default=True,
    help="The horizontal axis. Seconds count from the start of the iterations.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="TEXT",
    help="Name of a log in the legend. Repeat the option for each log, in the same order.",
)
@click.option("--title", default="", metavar="TEXT", help="Title above the picture.")
@click.option("--best-replies", "replies", is_flag=True, help="For a GAME: draw best replies and all equilibria.")
@click.option("--equilibria", is_flag=True, help="For a GAME: draw the mixtures of both players in all equilibria.")
@time_limit("Stop after this time. Only with --best-replies and --equilibria.")
def plot(
    call: Call,
    logs: tuple[str, ...],
    x: _Across,
    names: tuple[str, ...],
    title: str,
    replies: bool,
    equilibria: bool,
) -> None:
    """Plot the gap between the bounds of solver runs over time, from logs that tremble solve --log FILE wrote.

    With --best-replies or --equilibria, give a small GAME in place of the logs. For --best-replies, one player must
    have two strategies. For --equilibria, each player may have at most three strategies.

    The command needs optional packages: pip install 'tremble[plot]'.

    \b
    Examples: tremble plot cfr.jsonl lp.jsonl -o error.svg
              tremble plot chicken.nfg --best-replies -o chicken.svg
    JSON: {"file", "logs": [{"name", "evaluations", "iterations", "seconds_float", "error_float", "exact"}]};
          for a GAME: {"file", "game"}
    """  # noqa: D301 (click reads the backspace)
    assert call.output is not None
    if replies or equilibria:
        if names:
            raise SpecError("--name is only for logs: omit --name for a GAME")
        _draw_game(call, logs, title, replies, equilibria)
        return
    if names and len(names) != len(logs):
        raise SpecError(
            f"--name is given {len(names)} times for {len(logs)} logs: give it once for each log, or omit it"
        )
    called = names or _stems(logs)
    if len(set(called)) < len(called):
        raise SpecError("two logs have the same name: give each log a different name with --name")
    file = by_ending(call.output, dict.fromkeys(_ENDINGS, call.output), "the picture")
    call.require_files(dict(zip(called, logs, strict=True)), Output.of_its_ending(file))
    with call:
        call.progress.step("drawing")
        curves = {name: read_log(log) for name, log in zip(called, logs, strict=True)}
        known = dict(zip(called, logs, strict=True))
        with interrupts_held_back():
            written = call.save(file, lambda path: convergence(known, path, x=x, title=title), "the picture")
    record = [
        {
            "name": name,
            "evaluations": len(curve.errors),
            "iterations": curve.iterations[-1] if curve.iterations else None,
            "seconds_float": curve.seconds[-1] if curve.seconds else None,
            "error_float": curve.errors[-1] if curve.errors else None,
            "exact": curve.exact,
        }
        for name, curve in curves.items()
    ]
    call.present(
        json=lambda: {"file": written, "logs": record},
        table=lambda: f"{written or 'not written'}: {', '.join(called)}\n",
    )
    call.finish()


def _draw_game(call: Call, games: tuple[str, ...], title: str, replies: bool, equilibria: bool) -> None:
    """Draw the best replies or the equilibria of a small game, save the picture and report the file."""
    assert call.output is not None
    if replies and equilibria:
        raise SpecError("--best-replies and --equilibria draw different pictures: give only one of them")
    if len(games) != 1:
        raise SpecError(f"{'--best-replies' if replies else '--equilibria'} draws one GAME, not {len(games)}")
    (call.game,) = games
    file = by_ending(call.output, dict.fromkeys(_ENDINGS, call.output), "the picture")
    call.require_files({}, Output.of_its_ending(file))
    with call:
        tree = call.tree()
        call.progress.step("all equilibria")
        draw = best_replies if replies else equilibrium_set
        written = call.save(
            file, lambda path: draw(tree, path, title=title, time_limit=call.deadline.left), "the picture"
        )
    call.present(
        json=lambda: {"file": written, "game": tree.title},
        table=lambda: f"{written or 'not written'}: {tree.title}\n",
    )
    call.finish()


def _stems(logs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the file names of ``logs`` without folders and extensions, or the full paths if two names are equal."""
    stems = tuple(Path(log).stem for log in logs)
    return stems if len(set(stems)) == len(stems) else logs
