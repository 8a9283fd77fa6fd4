"""The command ``tremble verify``: prove a solution again, from the game alone."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from tremble.check import Verification
from tremble.cli.command import Call
from tremble.cli.console import NOT_PROVEN
from tremble.cli.options import command, time_limit
from tremble.cli.outputs import Output
from tremble.errors import LimitReached, TrembleError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.run.deadline import limited
from tremble.run.whole_file import write_text
from tremble.solution.claims import of_rules, verdict
from tremble.solution.equilibria import EQUILIBRIA, Equilibria
from tremble.solution.list_claims import verdict_on_list
from tremble.solution.reading import read_stated
from tremble.solution.stated import StatedSolution
from tremble.text import records, verifications

if TYPE_CHECKING:  # at run time, only the options that need this module import it
    from tremble.judge.formal import Formal

__all__ = ["verify"]


@command("table", "json", writes=True)
@click.argument("solution_file", metavar="SOLUTION")
@click.option("--export", metavar="FILE", help="Write the game and the claim as a text for the program of --formal.")
@click.option(
    "--formal",
    "asks_formal",
    is_flag=True,
    help="Also ask formal/checker, a program that is proven correct in Coq. `make -C formal` builds it.",
)
@click.option("--claim", metavar="CONCEPT", help="For --export and --formal: claim this weaker concept.")
@time_limit("Stop after this time, with nothing proven (exit code 5).")
def verify(call: Call, solution_file: str, export: str | None, asks_formal: bool, claim: str | None) -> int:
    """Prove SOLUTION again from GAME alone, with code that no solver uses.

    The exit code is 0 if all claims of the file are proven, and 1 if not. Every problem is listed. If the game was not
    built as a tree, the file is verified from the rules: a complete search computes exact best responses.
    The work for a file is limited: numbers that are too long to check within the limit are refused. In a list of
    equilibria, each member is proven; "fields" shows which claims about the whole list are proven.
    With --formal, the exit code is 0 only if the verified program accepts the claim, too.

    \b
    Example: tremble verify kuhn kuhn.json
    JSON: {"ok", "status", "proven", "disproven", "concept", "nash_conv", "values", "best_response_values", "bounds",
           "problems", "notes", "fields", "proven_player", "disproven_player"}; "proven" is a concept, "bounds" or null;
           "disproven" is a concept or null; the players are 1, 2 or null;
           with --formal also "formal": {"program", "claim", "proven", "verdict"}
    """  # noqa: D301 (click reads the backspace)
    call.require_files({"SOLUTION": solution_file}, Output("--export", export, "formal"))
    program = None
    if claim is not None:
        if export is None and not asks_formal:
            raise click.UsageError("--claim needs --export or --formal")
        from tremble.formats.formal_text import required_claim

        required_claim(claim)
    if asks_formal:
        from tremble.judge.formal import built_program

        program = built_program()

    def work() -> tuple[GameTree | UnbuiltGame, StatedSolution | Equilibria, Verification]:
        stated = read_stated(solution_file, StatedSolution, EQUILIBRIA)
        members = stated.solutions if isinstance(stated, Equilibria) else (stated,)
        from_rules = (stated.game.digest or "").startswith("rules:") or any(map(of_rules, members))  # build no tree
        played = call.tree_or_rules(from_rules=True) if from_rules else call.tree()
        call.progress.step("verification")
        # Reading the file has checked all types, so call the checker directly, not `tremble.verify`.
        if isinstance(stated, Equilibria):
            return played, stated, verdict_on_list(played, stated, progress=call.progress.step)
        return played, stated, verdict(played, stated, progress=call.progress.step)

    with call:
        try:
            played, stated, verification = limited(call.deadline.left, work)
            text, formal = None, None
            if export is not None or asks_formal:
                text, formal = limited(call.deadline.left, lambda: _in_text_form(call, played, stated, claim, program))
        except LimitReached as limit:
            raise LimitReached(f"{limit}; nothing is proven", interrupted=limit.interrupted) from limit
        if export is not None and text is not None:
            call.save(export, lambda path: write_text(path, text), "the text")
    call.present(
        json=lambda: (
            records.verification_record(verification) | ({"formal": formal and asdict(formal)} if asks_formal else {})
        ),
        table=lambda: verifications.verification_view(
            played, stated, verification, None if formal is None else (formal.program, formal.verdict, formal.proven)
        ),
    )
    call.finish()
    return 0 if verification.ok and (formal is None or formal.proven) else NOT_PROVEN


def _in_text_form(
    call: Call, game: object, solution: object, claim: str | None, program: str | None
) -> tuple[str | None, Formal | None]:
    """Return the claim as a text, and the verdict of the verified program. Store errors in ``call.failure``.

    The command still shows the verdict of the kernel after such an error.
    """
    from tremble.formats.formal_text import format_claim_text
    from tremble.judge.formal import judged

    text, formal = None, None
    try:
        text = format_claim_text(game, solution, claim)
        if program is not None:
            call.progress.step("verified program")
            formal = judged(program, text, call.deadline.left)
    except LimitReached:
        raise
    except TrembleError as failure:
        call.failure = failure
    return text, formal
