"""What a concept's check looks at, and how problems are put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from tremble.game.rules import UnbuiltGame
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.numbers import approximate, shorten
from tremble.solution.claim import Beliefs, Profile
from tremble.solution.strategies import Rows
from tremble.verifier.profiles.outcome import Guarantee, Outcome
from tremble.verifier.profiles.tree import Evaluation

__all__ = ["MAX_PROBLEMS", "CheckContext", "Problems", "Statement", "place", "unequal"]

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
    bounds: tuple[Fraction, Fraction] | None = None

    @property
    def tables(self) -> tuple[StrategyTable, StrategyTable]:
        """The strategies, where they are rows by number of the information set."""
        of_player1, of_player2 = self.strategies
        assert isinstance(of_player1, StrategyTable)
        assert isinstance(of_player2, StrategyTable)
        return of_player1, of_player2


@dataclass(frozen=True, eq=False)
class CheckContext:
    """What a concept's check looks at."""

    game: GameTree | UnbuiltGame
    solution: Statement  # its strategies fit the game
    problems: Problems  # where the check puts what it finds
    earned: Outcome | Guarantee | None = None  # what the strategies earn and prove, recomputed; None: not yet
    # Fields that a check has compared with the game. The verifier sees to those that are stated and not in here.
    checked: set[str] = field(default_factory=set)

    @property
    def tree(self) -> GameTree:
        """The game, of checks that are made in trees alone."""
        assert isinstance(self.game, GameTree)
        return self.game

    @property
    def outcome(self) -> Outcome:
        """What the strategies earn, and best responses."""
        assert isinstance(self.earned, Outcome)
        return self.earned

    @property
    def evaluation(self) -> Evaluation:
        """The same in a tree, with its sequences and payoffs."""
        assert isinstance(self.earned, Evaluation)
        return self.earned

    @property
    def move_once(self) -> bool:
        """Whether nobody moves twice on a path."""
        return not any(own.before.any() for own in self.evaluation.sequences)

    def worst_deviation(self, player: int) -> str:
        """Where a player who can gain loses the most, in words; empty if that was not found out."""
        worst = self.evaluation.players[player].worst_deviation if isinstance(self.earned, Evaluation) else None
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

    def move(self, player: int, sequence: int) -> str:
        """Name the last action of a sequence other than the empty one, and where it is taken."""
        start = self.evaluation.sequences[player].start
        infoset = int(np.searchsorted(start, sequence, side="right")) - 1
        return f"{self.place(player, infoset)}: {self.label(player, infoset, sequence - int(start[infoset]))}"


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
