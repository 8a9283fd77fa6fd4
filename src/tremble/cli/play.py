"""``tremble play``: hands against a strategy, in the terminal."""

from __future__ import annotations

import secrets
import sys
from contextlib import suppress
from itertools import count

import click

from tremble.cli.command import Call, command
from tremble.cli.console import show
from tremble.errors import TooLargeError
from tremble.judging.play import playable
from tremble.judging.play.choice import chosen, is_numbered
from tremble.judging.play.hand import Decision, Hand, Move, play_hand, suspicions
from tremble.judging.play.playable import Playable
from tremble.model.printable import printable
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.show import hands as views
from tremble.show import records
from tremble.show.view import headline
from tremble.solution.claim import Profile
from tremble.solution.strategies import of_rules
from tremble.solvers.solve import solve

__all__ = ["play"]

_SMALL = 5_000  # nodes of a tree that is solved on the way: some seconds
_INTERRUPTED = 130
_SEEDS = 1_000_000


@command("table", "json")
@click.argument("solution_file", metavar="[SOLUTION]", required=False)
@click.option("--seat", type=click.Choice(["1", "2"]), help="Whom you play; unless given, both in turns.")
@click.option("--hands", "most", type=click.IntRange(min=1), metavar="N", help="Stop after N hands; no pauses between.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Of what is dealt and of the opponent's draws.")
@click.option("--why", is_flag=True, help="Show the strategy behind the opponent's moves after each hand.")
def play(call: Call, solution_file: str | None, seat: str | None, most: int | None, seed: int | None, why: bool) -> int:
    """Play GAME against the strategies in SOLUTION, which are for both seats.

    SOLUTION is a solution file, any JSON file with "strategies", or one with a line NE,p,p,... as Gambit
    prints it. Without it, a game of a few thousand nodes is solved first.

    Moves are read from standard input, a terminal or not: the number of an action, its name or how it begins. "?"
    shows what the solution would do, "why" the strategy behind the opponent's moves, "q" (or the end of the
    input) ends. After each hand all cards are shown, with what each of your moves cost: what it earns less than the
    best action against the opponent's strategy, exactly, if best play follows.

    \b
    Example: tremble play kuhn mine.json --seat 2
    JSON: {"game": {"spec", "title", "digest"}, "against", "seed", "ended", "hands": [{"hand", "seat",
           "moves": [{"player", "label", "action", "probabilities", "losses", "loss", "solution_loss"}, ...],
           "payoffs", "loss"}, ...], "unfinished", "earned", "lost", "not_computed"} (numbers also as *_float);
          what is played and asked goes to standard error then
    """  # noqa: D301 (click reads the backspace)
    if "-" in (call.game, solution_file):
        raise click.UsageError("moves are read from standard input: give GAME and SOLUTION by name")
    with call:
        played, profile, against = _loaded(call, solution_file)
        hands = playable(played, profile)
    seed = secrets.randbelow(_SEEDS) if seed is None else seed
    sitting = _Sitting(call, hands, None if seat is None else int(seat) - 1, seed, why)
    show(views.opening_view(hands, printable(against), seed), err=sitting.err)
    ended = sitting.play(most)
    unfinished = None if sitting.decision is None else sitting.decision.hand
    call.present(
        json=lambda: records.sitting_record(played, against, seed, ended, sitting.hands, unfinished),
        table=lambda: views.running_view(sitting.hands, unfinished, end=True),
    )
    return _INTERRUPTED if ended == "interrupted" else 0


def _loaded(call: Call, solution_file: str | None) -> tuple[GameTree | UnbuiltGame, Profile, str]:
    """Load the game, the strategies of both players, and what they are called."""
    if solution_file is None:
        game = call.tree_or_rules()
        if isinstance(game, UnbuiltGame) or game.num_nodes > _SMALL:
            raise TooLargeError(
                f"{game.title or call.game} is too large to be solved on the way; solve it first: tremble solve "
                f"{call.game} -o solution.json, then tremble play {call.game} solution.json"
            )
        solution = solve(game, "quasi-perfect", progress=call.progress.step)
        return game, solution.strategies, f"a solution computed just now ({headline(solution)})"
    stated = call.profile(solution_file, rules=True)
    against = solution_file if stated.solution is None else f"{solution_file} ({headline(stated.solution)})"
    if stated.ordered is not None:
        return *call.ordered(stated), against
    played = call.game_of(stated)
    profile: Profile | None = stated.fitted(played)[0] if isinstance(played, GameTree) else of_rules(stated)
    assert profile is not None
    return played, profile, against


class _Left(Exception):  # noqa: N818 (which is no error)
    """The player has had enough."""


class _Sitting:
    """Hand after hand, asked and shown: on standard error where the result is JSON."""

    def __init__(self, call: Call, game: Playable, seat: int | None, seed: int, why: bool) -> None:
        self.err = call.form == "json"
        self._call = call
        self.hands: list[Hand] = []
        self.decision: Decision | None = None  # that is open
        self._game = game
        self._seat = seat
        self._seed = seed
        self._why = why

    def play(self, most: int | None) -> str:
        """Play until somebody or something ends it; returns what did."""
        with suppress(AttributeError, OSError, ValueError):
            sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        try:
            for number in count(1) if most is None else range(1, most + 1):
                self._hand(number)
                if most is None:
                    self._pause()
        except _Left as left:
            return str(left)
        except KeyboardInterrupt:
            self._write("\n")
            return "interrupted"
        return "hands"

    def _hand(self, number: int) -> None:
        seat = (number - 1) % 2 if self._seat is None else self._seat
        going = play_hand(self._game, seat, number, self._seed)
        show(views.seat_view(self._game, Hand(number, seat, (), None)), err=self.err)
        try:
            self.decision = next(going)
            while True:
                self.decision = going.send(self._choice(self.decision))
        except StopIteration as end:
            self.decision = None
            self.hands.append(end.value)
        show(views.hand_view(self._game, self.hands[-1]), err=self.err)
        if self._why:
            show(views.why_view(self._game, self.hands[-1]), err=self.err)
        show(views.running_view(self.hands), err=self.err)

    def _choice(self, decision: Decision) -> int:
        """Ask until one action is meant."""
        actions = decision.actions
        show(views.decision_view(decision, is_numbered(actions)), err=self.err)
        while True:
            text = self._asked("  your move: ")
            meant = chosen(text, actions) if text else ()
            if text == "?" and text not in actions:
                show(views.hint_view(self._options(decision)), err=self.err)
            elif text == "why" and text not in actions:
                self._tell_why(decision)
            elif len(meant) == 1:
                self._options(decision)
                return meant[0]
            elif meant:
                self._write(
                    f"  {printable(text[:40])} may be {', '.join(printable(actions[i]) for i in meant[:10])}.\n"
                )
            else:
                self._write(f"  {views.HELP}\n")

    def _options(self, decision: Decision) -> Move:
        """What the actions cost, which may take a moment."""
        with self._call:
            self._call.progress.step("what moves cost")
            return decision.options

    def _tell_why(self, decision: Decision) -> None:
        suspected = suspicions(decision)
        if suspected or not self.hands:
            show(views.suspicions_view(self._game, decision.hand.seat, suspected), err=self.err)
        else:
            show(views.why_view(self._game, self.hands[-1]), err=self.err)

    def _pause(self) -> None:
        while text := self._asked("  Enter deals the next hand, why, q: "):
            if text == "why":
                show(views.why_view(self._game, self.hands[-1]), err=self.err)
            else:
                self._write("  An empty line deals the next hand; why shows the strategy behind the moves; q ends.\n")

    def _asked(self, prompt: str) -> str:
        """Read a line; what does not come from a terminal is shown, so that the transcript is whole."""
        self._write(prompt)
        line = "" if sys.stdin is None else sys.stdin.readline()
        if not line:
            self._write("\n")
            raise _Left("input")
        text = line.strip()
        if not sys.stdin.isatty():
            self._write(f"{printable(text[:200])}\n")
        if text in ("q", "quit") and not (self.decision and text in self.decision.actions):
            raise _Left("quit")
        return text

    def _write(self, text: str) -> None:
        click.echo(text, nl=False, err=self.err)
