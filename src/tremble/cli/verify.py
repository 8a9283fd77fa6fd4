"""``tremble verify``: a solution proven again, from the game alone."""

from __future__ import annotations

import click

from tremble.cli.console import NOT_PROVEN, began, present
from tremble.cli.deadline import Deadline
from tremble.cli.inputs import GameArgument, require_one_standard_input
from tremble.cli.options import common, reads_a_game
from tremble.cli.progress import Progress
from tremble.clock import limited
from tremble.errors import LimitReached
from tremble.judging import verify as checker
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.show import records, terminal
from tremble.solution.equilibria import Equilibria, read_stated
from tremble.solution.stated import StatedSolution
from tremble.solution.verification import Verification

__all__ = ["verify"]


@click.command()
@click.argument("game")
@click.argument("solution_file", metavar="SOLUTION")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then, with nothing proven (exit code 5).")
@reads_a_game
@common("table", "json")
def verify(game: GameArgument, solution_file: str, time_limit: float | None, form: str, quiet: bool) -> int:
    """Prove SOLUTION again from GAME alone, with code that no solver uses.

    Exit code 0 if everything the file states is proven, 1 if not; every problem is listed. A file of a game that
    was not built is verified from the rules: exactly, by a search for best responses without shortcuts. What a
    file can cost is bounded; numbers that would cost more are refused as too large to check. Of a file of several
    equilibria each is proven, and of what it states of them together "fields" says what is proven and what believed.

    \b
    Example: tremble verify kuhn kuhn.json
    JSON: {"ok", "status", "proven", "concept", "nash_conv", "values", "best_response_values", "bounds",
           "problems", "notes", "fields"}; "proven" is a concept, "bounds" or null
    """  # noqa: D301 (click reads the backspace)
    require_one_standard_input(game.text, solution_file)
    deadline = Deadline(time_limit)

    def work() -> tuple[GameTree | UnbuiltGame, StatedSolution | Equilibria, Verification]:
        solution = read_stated(solution_file)
        played: GameTree | UnbuiltGame
        members = solution.solutions if isinstance(solution, Equilibria) else (solution,)
        of_rules = (solution.game.digest or "").startswith("rules:")
        if of_rules or any(member.not_built for member in members):  # then do not build it
            played = game.tree_or_rules(progress, from_rules=True)
        else:
            played = game.tree(progress)
        progress.step("verification")
        return played, solution, checker.verify(played, solution, progress=progress.step)

    with Progress(quiet=quiet, began=began()) as progress, deadline:
        try:
            played, solution, verification = limited(deadline.left, work)
        except LimitReached as limit:
            raise LimitReached(f"{limit}; nothing is proven", interrupted=limit.interrupted) from limit
    present(
        form,
        json=lambda: records.verification_record(verification),
        table=lambda: (
            terminal.equilibria_verification_view(played, solution, verification)
            if isinstance(solution, Equilibria)
            else terminal.verification_view(played, solution, verification)
        ),
    )
    return 0 if verification.ok else NOT_PROVEN
