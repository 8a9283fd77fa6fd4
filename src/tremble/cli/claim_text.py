"""The options --export, --formal and --claim of ``tremble verify``: the claim of a solution as a text."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
from rich.console import Group, RenderableType

from tremble.cli.command import Call
from tremble.errors import LimitReached, TrembleError
from tremble.judge.formal import Formal, built_program, judged
from tremble.judge.formal_text import format_claim_text, required_claim
from tremble.run.deadline import limited
from tremble.run.whole_file import write_text
from tremble.text.theme import NOTE, OK, WRONG
from tremble.text.verifications import marked, verdict

__all__ = ["ClaimText"]


class ClaimText:
    """The text of a claim, the file for it, and the verdict of the verified program.

    Parameters
    ----------
    call : Call
        The call of the command.
    file : str, optional
        The file for the text.
    claim : str, optional
        The concept to claim. The default is the concept of the solution.
    ask : bool
        True to run the verified program.
    """

    def __init__(self, call: Call, file: str | None, claim: str | None, ask: bool) -> None:
        if file is None and not ask:
            raise click.UsageError("--claim needs --export or --formal")
        required_claim(claim)
        self.call, self.file, self.claim = call, file, claim
        self.program = built_program() if ask else None
        self.formal: Formal | None = None

    @property
    def accepted(self) -> bool:
        """False if the verified program refuses the claim."""
        return self.formal is None or self.formal.proven

    def judge(self, game: object, solution: object) -> None:
        """Write the text, and ask the program. Store errors in ``call.failure``.

        The command still shows the verdict of the kernel after such an error.
        """
        try:
            text = limited(self.call.deadline.left, lambda: self._judged(game, solution))
        except LimitReached:
            raise
        except TrembleError as failure:
            self.call.failure = failure
            return
        if self.file is not None:
            self.call.save(self.file, lambda path: write_text(path, text), "the text")

    def _judged(self, game: object, solution: object) -> str:
        text = format_claim_text(game, solution, self.claim)
        if self.program is not None:
            self.call.progress.step("verified program")
            self.formal = judged(self.program, text, self.call.deadline.left)
        return text

    def record(self) -> dict[str, Any]:
        """Return the field of the JSON record; it is empty if the program is not asked."""
        return {} if self.program is None else {"formal": self.formal and asdict(self.formal)}

    def shown(self, kernel: RenderableType) -> RenderableType:
        """Return the view of the kernel's verdict, and below it the verdict of the program."""
        if self.formal is None:
            return kernel
        word, style = ("OK", OK) if self.formal.proven else ("FAILED", WRONG)
        head = verdict(word, style, f"the verified program says: {self.formal.verdict}")
        whose = (
            f"This line is the word of {self.formal.program}, which is proven in Coq if `make -C formal` built it. "
            "The lines above are the word of tremble's kernel."
        )
        return Group(kernel, head, *marked("!", [whose], NOTE))
