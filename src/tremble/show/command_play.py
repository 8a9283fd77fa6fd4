"""The command ``tremble play``: play hands against a strategy in the terminal."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from tremble.cli.command import Call
from tremble.cli.console import show
from tremble.cli.options import command
from tremble.cli.profiles import game_of, profile_in
from tremble.formats.given_profile import ProfileLike
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.show import hands as views
from tremble.show.ordered_profile import ordered_profile
from tremble.show.playable import Playable, playable_game
from tremble.show.playing import Decision, Move
from tremble.show.sitting import Sitting, quick_solution
from tremble.solution.claims import OfRules
from tremble.text.captions import headline
from tremble.words import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["play"]

_INTERRUPTED = 130


@command("table", "json")
@click.argument("solution_file", metavar="[SOLUTION]", required=False)
@click.option("--seat", type=click.Choice(["1", "2"]), help="Your player. By default, you play both players in turn.")
@click.option("--hands", "most", type=click.IntRange(min=1), metavar="N", help="Stop after N hands, without pauses.")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="Seed of the deals and of the opponent's random choices."
)
@click.option("--why", is_flag=True, help="Show the strategy behind the opponent's moves after each hand.")
def play(call: Call, solution_file: str | None, seat: str | None, most: int | None, seed: int | None, why: bool) -> int:
    """Play GAME against the strategies in SOLUTION, which must have a strategy for each player.

    SOLUTION is a solution file, any JSON file with "strategies", or a file with a line NE,p,p,... in the format of
    Gambit. Without SOLUTION, a game of up to a few thousand nodes is solved first.

    Moves are read from standard input, which need not be a terminal. Answer with the number of an action, its name,
    or the beginning of its name. "?" shows the solution's strategy for your move, and "why" shows the strategy behind
    the opponent's moves. "q" or the end of the input ends play. After each hand you see all cards and the exact cost
    of each of your moves. To compute the cost, the command assumes that you play best afterwards. The cost is the
    payoff that a best action earns against the opponent's strategy, minus the payoff that your move earns.

    \b
    Example: tremble play kuhn mine.json --seat 2
    JSON: {"game": {"spec", "title", "digest"}, "against", "seed", "ended", "hands": [{"hand", "seat",
           "moves": [{"player", "label", "action", "probabilities", "losses", "loss", "solution_loss"}, ...],
           "payoffs", "loss"}, ...], "unfinished", "earned", "lost", "not_computed"} (numbers also as *_float).
          With JSON, the hands and the questions are written to standard error.
    """  # noqa: D301 (click reads the backspace)
    if "-" in (call.game, solution_file):
        raise click.UsageError("moves are read from standard input: give the names of GAME and SOLUTION, not -")
    with call:
        game, profile, against = _loaded(call, solution_file)
        sitting = _Terminal(call, playable_game(game, profile), None if seat is None else int(seat) - 1, seed, why)
    ended = sitting.play(most, against)
    unfinished = None if sitting.decision is None else sitting.decision.hand
    call.present(
        json=lambda: views.sitting_record(game, against, sitting.seed, ended, sitting.hands, unfinished),
        table=lambda: views.running_view(sitting.hands, unfinished, end=True),
    )
    return _INTERRUPTED if ended == "interrupted" else 0


def _loaded(call: Call, solution_file: str | None) -> tuple[GameTree | UnbuiltGame, ProfileLike | OfRules, str]:
    """Return the game, the strategies of both players, and a description of the strategies for the user."""
    if solution_file is None:
        game = call.tree_or_rules()
        advice = f"tremble solve {call.game} -o solution.json, then tremble play {call.game} solution.json"
        solution = quick_solution(game, advice, progress=call.progress.step)
        return game, solution.strategies, f"a solution computed just now ({headline(solution)})"
    stated = profile_in(call, solution_file, rules=True)
    against = solution_file if stated.solution is None else f"{solution_file} ({headline(stated.solution)})"
    if stated.ordered is not None:
        return *ordered_profile(call, stated), against
    game = game_of(call, stated)
    return game, stated.fitted(game)[0] if isinstance(game, GameTree) else stated, against


class _Terminal(Sitting):
    """A loop that plays hands in the terminal and reads the user's answers from standard input.

    Hands are shown on standard output, or on standard error if the output format is JSON.
    """

    def __init__(self, call: Call, game: Playable, seat: int | None, seed: int | None, why: bool) -> None:
        super().__init__(game, seat, seed, why)
        self._call, self._err = call, call.form == "json"
        with suppress(AttributeError, OSError, ValueError):
            sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]

    def show(self, view: RenderableType) -> None:
        show(view, err=self._err)

    def write(self, text: str) -> None:
        click.echo(text, nl=False, err=self._err)

    def read(self, prompt: str) -> str | None:
        """Read a line. If standard input is not a terminal, echo the line, so that the output is a full transcript."""
        self.write(prompt)
        line = "" if sys.stdin is None else sys.stdin.readline()
        if not line:
            self.write("\n")
            return None
        text = line.strip()
        if not sys.stdin.isatty():
            self.write(f"{printable(text[:200])}\n")
        return text

    def options(self, decision: Decision) -> Move:
        with self._call:
            self._call.progress.step("computing the costs of the moves")
            return decision.options
