"""The command ``tremble report``: how a decision is played on each of many boards of Texas Hold'em."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tremble.cli.command import Call
from tremble.cli.options import command, output
from tremble.cli.outputs import Output, by_ending
from tremble.errors import FormatError, SpecError
from tremble.games.loading import load_rules
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.report import report_rows
from tremble.poker.report_views import actions_of, report_csv, report_picture, report_view
from tremble.run.alarm import interrupts_held_back
from tremble.run.text_file import read_text
from tremble.solution.claims import verdict
from tremble.solution.equilibria import EQUILIBRIA
from tremble.solution.reading import read_stated
from tremble.solution.stated import StatedSolution

__all__ = ["report"]

_ENDINGS = (".svg", ".pdf", ".png")


@command("table", "json", "csv", game=False, writes=True)
@click.argument("solutions", metavar="SOLUTION...", nargs=-1, required=True)
@output("The file for the picture: .svg, .pdf or .png.")
@click.option("--line", default="", metavar="LINE", help="The moves before the decision, such as 'check, bet 50'.")
@click.option("--title", default="", metavar="TEXT", help="Title above the picture.")
def report(call: Call, solutions: tuple[str, ...], line: str, title: str) -> None:
    """Show how a decision is played on average, on each board of the SOLUTION files of flops, turns and rivers.

    A SOLUTION may also be a folder, such as that of tremble batch. All solutions are proven again. If the decision is
    on the river of a turn, and LINE names no river card, there is a row for each river card.

    The picture needs the extra plot: pip install 'tremble[plot]'.

    \b
    Examples: tremble report rivers/ -o rivers.svg
              tremble report turn.json --line "check, check"
    JSON: {"file", "line", "boards": [{"board", "player", "reached_float", "equity_float", "ev_float", "ev_pot_float",
           "actions": [{"action", "probability_float"}, ...]}, ...]}
    CSV:  board,player,reached,equity,ev,ev %, and a column for each action
    """  # noqa: D301 (click reads the backspace)
    file = call.output and by_ending(call.output, dict.fromkeys(_ENDINGS, call.output), "the picture")
    if file is not None:
        call.require_files({}, Output.of_its_ending(file))
    rows: list[dict[str, Any]] = []
    with call:
        for path in _files(solutions):
            call.progress.step(f"reading and proving {path}")
            rows += _rows(path, line)
        if file is not None:
            with interrupts_held_back():
                file = call.save(file, lambda path: report_picture(rows, path, title), "the picture")
    call.present(
        json=lambda: {"file": file, "line": line, "boards": [_record(row) for row in rows]},
        csv=lambda: report_csv(rows),
        table=lambda: report_view(rows),
    )
    call.finish()


def _files(given: tuple[str, ...]) -> list[str]:
    """Return the given files, and the solutions in the given folders."""
    found: list[str] = []
    for path in given:
        inside = [path]
        if Path(path).is_dir():
            files = sorted(map(str, Path(path).glob("*.json")))
            inside = [file for file in files if '"tremble/solution@' in read_text(file).text]
        if not inside:
            raise FormatError("the folder has no solution file that ends in .json", file=path)
        found += inside
    return found


def _rows(path: str, line: str) -> list[dict[str, Any]]:
    """Read a solution, prove it, and return its rows."""
    stated = read_stated(path, StatedSolution, EQUILIBRIA)
    if not isinstance(stated, StatedSolution) or stated.ordered is None:
        raise SpecError(f"{path}: expected a solution of holdem_river or holdem_turn")
    if stated.game.spec is None:
        raise SpecError(
            f"{path}: the file names no spec, because the game was made in Python; use board_report in Python"
        )
    game = load_rules(stated.game.spec)
    if not isinstance(game.rules, HoldemGame):
        raise SpecError(f"{path}: expected a solution of holdem_river or holdem_turn, not of {stated.game.spec:.80}")
    found = verdict(game, stated)
    if not found.ok:
        raise SpecError(f"{path}: the solution is not proven: {found.problems[0]:.300}")
    try:
        return list(report_rows(game.rules, stated.ordered, line))
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from None


def _record(row: dict[str, Any]) -> dict[str, Any]:
    facts = {"board": row["board"], "player": row["player"]}
    facts |= {f"{key}_float": row[key] for key in ("reached", "equity", "ev")} | {"ev_pot_float": row["ev %"]}
    actions = [{"action": key, "probability_float": row[key]} for key in actions_of([row])]
    return facts | {"actions": actions}
