"""A case: the game, the claim, the numbers that the kernel has computed, and the problems that it has found.

A claim is proven exactly if all checks have run to the end without finding a problem. Checks add problems, and never
remove any. If a part of the claim is malformed, a check raises `Wrong`. This ends all checks, and adds a problem.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tremble.check.best_response import Outcome
from tremble.check.claim import Claim, Problems, place, unequal
from tremble.check.limits import Limits
from tremble.check.tree import SequenceForm


@dataclass(frozen=True)
class Case:
    """The input of every check."""

    game: Any  # a game tree (read-only arrays), or a game of another kind
    claim: Claim  # its strategies have passed the function `faults`
    form: SequenceForm  # None, and never read, if the game is no tree or the proof needs no best responses
    outcome: Outcome
    limits: Limits
    problems: Problems = field(default_factory=Problems)
    checked: set[str] = field(default_factory=set)  # the claim's fields that a check has compared with the game

    def place(self, player: int, k: int) -> str:
        """Return the name of information set k for a message; k counts from 0, but messages count from 1."""
        return place(self.game, player, k)

    def action(self, player: int, k: int, q: int) -> str:
        """Return the label of an action at information set k for a message: the last action of sequence q."""
        return f"{self.game.actions[player][k][q - self.form.sequences[player].sets[k][2]]!r:.60}"

    def add(self, player: int, k: int, text: str, part: str = "") -> None:
        """Record a problem at information set k; `part` names the field of the claim that has the problem."""
        self.problems.add(f"{part}{': ' if part else ''}{self.place(player, k)}: {text}")

    def compare(self, where: str, stated: Fraction, true: Fraction) -> None:
        """Record a problem if the stated number differs from the true number."""
        if stated != true:
            self.problems.add(f"{where}: {unequal(stated, true)}")
