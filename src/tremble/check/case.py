"""A case: the game, the claim, the numbers that the kernel has computed, and the problems it has found.

A claim is proven exactly if the checks have run to the end and have found no problem. Each check adds to `problems`;
no check removes anything. A part that is malformed raises `Wrong`, which ends the case with a problem.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tremble.check.best_response import Outcome
from tremble.check.claim import Claim
from tremble.check.limits import Limits
from tremble.check.tree import SequenceForm


class Problems(list[str]):
    """Descriptions of what is wrong: the first twenty, and a count of the rest."""

    MOST = 20
    left_out = 0

    def add(self, text: str) -> None:
        """Record a problem."""
        if len(self) < self.MOST:
            self.append(text)
        else:
            self.left_out += 1


@dataclass(frozen=True)
class Case:
    """What every check receives."""

    game: Any  # a game tree: frozen arrays
    claim: Claim  # its strategies have no faults
    form: SequenceForm
    outcome: Outcome
    limits: Limits
    problems: Problems = field(default_factory=Problems)

    def place(self, player: int, k: int) -> str:
        """Name information set k, which users count from 1."""
        label = self.game.infoset_labels[player][k]
        return f"player {player + 1}, information set {k + 1}" + (f" ({label!r:.60})" if label else "")

    def action(self, player: int, k: int, q: int) -> str:
        """Name the action of sequence q at information set k."""
        return f"{self.game.actions[player][k][q - self.form.sequences[player].sets[k][2]]!r:.60}"

    def compare(self, where: str, stated: Fraction, true: Fraction) -> None:
        """Record a problem unless a stated number is the true one."""
        if stated != true:
            self.problems.add(f"{where}: stated as {short(stated)}, but it is {short(true)}")


def short(number: Fraction) -> str:
    """Write a number for a message; long ones as floats, which Python can always format."""
    if number.numerator.bit_length() + number.denominator.bit_length() <= 200:
        return str(number)
    try:
        return f"about {float(number):.6g}"
    except OverflowError:
        return "a number too large to write"
