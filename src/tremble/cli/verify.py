"""The command ``tremble verify``: prove a solution again, from the game alone."""

from __future__ import annotations

import click
from rich.console import Group

from tremble.check import Verification
from tremble.cli.command import Call
from tremble.cli.console import NOT_PROVEN
from tremble.cli.options import command, time_limit
from tremble.cli.outputs import Output
from tremble.errors import LimitReached
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.run.deadline import limited
from tremble.solution.claims import of_rules, verdict
from tremble.solution.equilibria import EQUILIBRIA, Equilibria
from tremble.solution.list_claims import verdict_on_list
from tremble.solution.reading import read_stated
from tremble.solution.stated import StatedSolution
from tremble.text import records, verifications

__all__ = ["verify"]


@command("table", "json", writes=True)
@click.argument("solution_file", metavar="SOLUTION")
@click.option("--export", metavar="FILE", help="Write the game and the claim as a text for the program of --formal.")
@click.option("--formal", is_flag=True, help="Also ask formal/checker, which is proven in Coq (build: make -C formal).")
@click.option("--claim", metavar="CONCEPT", help="For --export and --formal: claim this weaker concept.")
@time_limit("Stop after this time, with nothing proven (exit code 5).")
def verify(call: Call, solution_file: str, export: str | None, formal: bool, claim: str | None) -> int:
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
    text = None
    if formal or export is not None or claim is not None:
        from tremble.cli.claim_text import ClaimText

        text = ClaimText(call, export, claim, formal)

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
            if text is not None:
                text.judge(played, stated)
        except LimitReached as limit:
            raise LimitReached(f"{limit}; nothing is proven", interrupted=limit.interrupted) from limit
    call.present(
        json=lambda: records.verification_record(verification) | (text.record() if text else {}),
        table=lambda: (text.shown if text else Group)(verifications.verification_view(played, stated, verification)),
    )
    call.finish()
    return 0 if verification.ok and (text is None or text.accepted) else NOT_PROVEN
