"""Run the checker that is proven in Coq (folder ``formal`` of a clone) on a text of :mod:`tremble.judge.formal_text`.

The program gets the text on its standard input. So no file is left if this process is killed, and the program then
reads an incomplete text, which it refuses.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import tremble
from tremble.errors import LimitReached, SolverError, SpecError
from tremble.run.alarm import TIME_IS_UP

__all__ = ["VARIABLE", "Formal", "built_program", "judged"]

VARIABLE = "TREMBLE_FORMAL_CHECKER"
"""The environment variable with the path of the program."""


@dataclass(frozen=True)
class Formal:
    """The verdict of the verified program.

    Attributes
    ----------
    program : str
        The path of the program.
    claim : str
        The claim in the text, such as ``"sequential"`` or ``"one-sided-quasi-perfect 1"``.
    proven : bool
        True if the program accepts the claim.
    verdict : str
        The words of the program: ``"proven CLAIM"``, ``"not proven"``, ``"unreadable"`` or ``"unreadable (REASON)"``.
    """

    program: str
    claim: str
    proven: bool
    verdict: str


def built_program() -> str:
    """Return the path of the program: the value of the environment variable, else ``formal/checker`` of this clone.

    Raises
    ------
    SpecError
        There is no such program. The message tells how to build it.
    """
    named = os.environ.get(VARIABLE)
    path = named or str(Path(tremble.__file__).resolve().parents[2] / "formal" / "checker")
    if os.path.isfile(path) and os.access(path, os.X_OK):
        return os.path.abspath(path)
    reason = f"{VARIABLE} names {path!r:.200}, which is not a program" if named else "the verified program is not built"
    raise SpecError(
        f"{reason}; in a clone of tremble, build formal/checker with `make -C formal` (this needs Coq), "
        f"or set {VARIABLE} to the path of the program"
    )


def judged(program: str, text: str, time_limit: float | None = None) -> Formal:
    """Return the verdict of the program on a text. The program is killed if an exception interrupts the run.

    Raises
    ------
    LimitReached
        The program did not end within ``time_limit`` seconds.
    SolverError
        The program failed, so that it has no verdict.
    """
    claim = text.partition("\n")[0].removeprefix("claim ")
    try:
        done = subprocess.run(
            [program, "-"], input=text, capture_output=True, encoding="ascii", errors="replace", check=False,
            timeout=time_limit,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise LimitReached(TIME_IS_UP) from None
    except OSError as error:
        raise SolverError(f"the verified program {program} cannot be started: {error.strerror or error}") from None
    refused = re.fullmatch(r"-: (not proven|unreadable( \(.+\))?)\n", done.stdout)
    if (done.stdout, done.returncode) != (f"-: proven {claim}\n", 0) and not (refused and done.returncode == 1):
        words = " ".join((done.stderr or done.stdout).split())[:200]
        raise SolverError(f"the verified program {program} failed with exit code {done.returncode}: {words}")
    return Formal(program, claim, done.returncode == 0, done.stdout.removeprefix("-: ").rstrip())
