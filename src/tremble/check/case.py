"""A case: the game, the claim, the numbers that the kernel has computed, and the problems it has found.

A claim is proven exactly if the checks have run to the end and have found no problem. Each check adds to `problems`;
no check removes anything. A part that is malformed raises `Wrong`, which ends the case with a problem.
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

    game: Any  # a game tree: frozen arrays
    claim: Claim  # its strategies have no faults
    form: SequenceForm  # of trees in which the kernel has computed best responses; else None, and nobody reads it
    outcome: Outcome
    limits: Limits
    problems: Problems = field(default_factory=Problems)
    checked: set[str] = field(default_factory=set)  # names of stated fields that a check has compared with the game

    def place(self, player: int, k: int) -> str:
        """Name information set k, which users count from 1."""
        return place(self.game, player, k)

    def action(self, player: int, k: int, q: int) -> str:
        """Name the action of sequence q at information set k."""
        return f"{self.game.actions[player][k][q - self.form.sequences[player].sets[k][2]]!r:.60}"

    def add(self, player: int, k: int, text: str, part: str = "") -> None:
        """Record a problem at information set k, found in a part of the claim."""
        self.problems.add(f"{part}{': ' if part else ''}{self.place(player, k)}: {text}")

    def compare(self, where: str, stated: Fraction, true: Fraction) -> None:
        """Record a problem unless a stated number is the true one."""
        if stated != true:
            self.problems.add(f"{where}: {unequal(stated, true)}")
