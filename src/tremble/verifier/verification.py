"""What a concept's check looks at, what a verification returns, and how problems are put into words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tremble.fraction_text import approximate, shorten
from tremble.model.tree import GameTree
from tremble.solution.solution import Solution, Status
from tremble.verifier.profiles.outcome import Outcome
from tremble.verifier.profiles.tree import Evaluation

__all__ = ["MAX_PROBLEMS", "CheckContext", "OutcomeContext", "Problems", "Verification", "place", "unequal"]

MAX_PROBLEMS = 20


@dataclass(frozen=True)
class Verification:
    """The outcome of :func:`tremble.verify`.

    Attributes
    ----------
    ok : bool
        Whether everything that the solution states is proven.
    concept : str
        The concept that the solution states.
    status : Status
        The status that the solution states.
    proven : str or None
        What is proven: the concept if the solution is rightly ``certified``, ``"bounds"`` if it is rightly
        ``bounded``, else None.
    nash_conv : Fraction or None
        What both players together could gain by deviating; None if the strategies do not fit the game.
    problems : tuple of str
        What is wrong and where, at most 20 and a count of the rest; empty exactly if ``ok``.
    values : pair of Fraction, or None
        Recomputed expected payoffs of players 1 and 2.
    best_response_values : pair of Fraction, or None
        Recomputed: what each player earns at most against the other's strategy.
    bounds : pair of Fraction, or None
        What the two strategies prove about player 1's value; None unless the payoffs have a constant sum.
    notes : tuple of str
        What was taken on trust.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> verification = tremble.verify(kuhn, tremble.solve(kuhn))
    >>> verification.ok, verification.proven, verification.values, verification.problems
    (True, 'nash', (Fraction(-1, 18), Fraction(1, 18)), ())
    """

    ok: bool
    concept: str
    status: Status
    proven: str | None
    nash_conv: Fraction | None
    problems: tuple[str, ...]
    values: tuple[Fraction, Fraction] | None = None
    best_response_values: tuple[Fraction, Fraction] | None = None
    bounds: tuple[Fraction, Fraction] | None = None
    notes: tuple[str, ...] = ()


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
class OutcomeContext:
    """What a check of values and bounds looks at, whether or not the game is built.

    Attributes
    ----------
    solution : Solution
        Its strategies fit the game.
    evaluation : Outcome
        What they earn, recomputed.
    problems : Problems
        Where the check puts what it finds.
    """

    solution: Solution
    evaluation: Outcome
    problems: Problems

    def worst_deviation(self, player: int) -> str:
        """Where a player who can gain gives away the most, in words; empty if that was not found out."""
        return ""


@dataclass(frozen=True, eq=False)
class CheckContext(OutcomeContext):
    """What a concept's check looks at in a game tree.

    Attributes
    ----------
    evaluation : Evaluation
    tree : GameTree
    """

    evaluation: Evaluation
    tree: GameTree

    def worst_deviation(self, player: int) -> str:
        """Where a player who can gain gives away the most, in words."""
        worst = self.evaluation.players[player].worst_deviation
        if worst is None:
            return ""
        labels = self.tree.actions[player][worst.infoset]
        return (
            f"; most is given away at {self.place(player, worst.infoset)}: {labels[worst.played]!r} is "
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
