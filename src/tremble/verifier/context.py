"""What a concept's check looks at, and how problems are put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.exact_numbers import approximate, shorten
from tremble.model.table import StrategyTable
from tremble.model.tree import GameTree
from tremble.solution.claim import Beliefs, Profile
from tremble.solution.strategies import Rows
from tremble.verifier.profiles.outcome import Guarantee, Outcome
from tremble.verifier.profiles.tree import Evaluation

__all__ = [
    "MAX_PROBLEMS",
    "CheckContext",
    "OutcomeContext",
    "Problems",
    "StatedContext",
    "Statement",
    "place",
    "unequal",
]

MAX_PROBLEMS = 20


class Problems:
    """Collects problems; keeps the first 20 and counts the rest."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._count = 0

    def add(self, problem: str) -> None:
        """Note a problem."""
        self._count += 1
        if self._count <= MAX_PROBLEMS:
            self._kept.append(problem)

    @property
    def full(self) -> bool:
        """Whether further problems are only counted."""
        return self._count >= MAX_PROBLEMS

    def __bool__(self) -> bool:
        return self._count > 0

    def __len__(self) -> int:
        return self._count

    def listed(self) -> tuple[str, ...]:
        """The problems, with a last line that counts those left out."""
        left_out = self._count - len(self._kept)
        return (*self._kept, f"and {left_out} more") if left_out else tuple(self._kept)


@dataclass(frozen=True, eq=False)
class Statement:
    """What is to be proven of strategies, whether a solution states it or a claim would."""

    concept: str
    strategies: Profile | Rows
    certificate: Mapping[str, Any]
    beliefs: Beliefs | None = None
    certified: bool = True  # whether the concept is stated; else no more than the bounds
    values: tuple[Fraction, Fraction] | None = None
    bounds: tuple[Fraction, Fraction] | None = None

    @property
    def tables(self) -> tuple[StrategyTable, StrategyTable]:
        """The strategies, where they are rows by number of the information set."""
        one, two = self.strategies
        assert isinstance(one, StrategyTable)
        assert isinstance(two, StrategyTable)
        return one, two


@dataclass(frozen=True, eq=False)
class StatedContext:
    """What a check looks at that does without best responses."""

    solution: Statement  # its strategies fit the game
    problems: Problems  # where the check puts what it finds
    tree: GameTree
    found: Outcome | Guarantee | None = None  # what the strategies earn and prove, as far as that is known


@dataclass(frozen=True, eq=False)
class OutcomeContext:
    """What a check of values and bounds looks at, whether or not the game is built."""

    solution: Statement  # its strategies fit the game
    evaluation: Outcome  # what they earn, recomputed
    problems: Problems  # where the check puts what it finds

    def worst_deviation(self, player: int) -> str:
        """Where a player who can gain loses the most, in words; empty if that was not found out."""
        return ""


@dataclass(frozen=True, eq=False)
class CheckContext(OutcomeContext):
    """What a concept's check looks at in a game tree."""

    evaluation: Evaluation
    tree: GameTree

    def worst_deviation(self, player: int) -> str:
        """Where a player who can gain loses the most, in words."""
        worst = self.evaluation.players[player].worst_deviation
        if worst is None:
            return ""
        labels = self.tree.actions[player][worst.infoset]
        return (
            f"; most is lost at {self.place(player, worst.infoset)}: {labels[worst.played]!r} is "
            f"played with probability {shorten(worst.probability)}, {labels[worst.better]!r} is better, "
            f"which costs {shorten(worst.cost)}"
        )

    def place(self, player: int, infoset: int) -> str:
        """Name an information set, given by its index from 0."""
        return place(self.tree, player, infoset)

    def label(self, player: int, infoset: int, action: int) -> str:
        """Name an action at an information set, both by their index from 0."""
        return repr(self.tree.actions[player][infoset][action])


def place(tree: GameTree, player: int, infoset: int) -> str:
    """Name an information set, given by its index from 0, as users know it.

    Examples
    --------
    >>> import tremble
    >>> place(tremble.load("kuhn"), 0, 0).startswith("player 1, information set 1")
    True
    """
    return f"player {player + 1}, {tree.set_name(player, infoset)}"


def unequal(stated: Fraction, true: Fraction) -> str:
    """Put a wrong number beside the right one.

    Examples
    --------
    >>> unequal(Fraction(1, 2), Fraction(1, 3))
    'stated as 1/2, but it is 1/3 (off by about 0.166667)'
    """
    return f"stated as {shorten(stated)}, but it is {shorten(true)} (off by {approximate(abs(stated - true))})"
