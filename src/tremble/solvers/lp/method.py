"""Linear programs in sequence form, made exact: the method for trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from tremble.capabilities import method_extension
from tremble.errors import SpecError
from tremble.exact.program import FLOAT_SOLVERS
from tremble.game.kinds import kind_of
from tremble.game.origin import require_constant_sum
from tremble.game.recall import parent_sequence, require_perfect_recall
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import required_flag
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solvers.method import (
    NOT_ASKED_FOR,
    REFINED,
    Method,
    Takes,
    constant_sum,
    perfect_recall,
    require_choice,
)
from tremble.solvers.run import Run
from tremble.words import for_reader

if TYPE_CHECKING:
    from tremble.solvers.nash import LpSettings

__all__ = ["Lp"]


def _constant_sum_only(tree: GameTree, _concept: str) -> None:
    """Raise ``GameError`` for a concept that no method computes without a constant sum."""
    require_perfect_recall(tree)
    judges = for_reader("tremble.all_equilibria(game, 'proper')", "tremble solve --all --concept proper")
    advice = (
        f"proper equilibria are computed only where the sum is constant. In a small game, {judges} judges the extreme "
        "Nash equilibria; all of these may be disproven or undecided, since only a mixture of them may be proper"
    )
    require_constant_sum(tree, advice)


@dataclass(frozen=True)
class Lp(Method):
    """One sparse linear program for both players, merged, solved in floats and made exact.

    For refinements, a trembling linear program whose basis is proven stable. Ordered games that are not built are
    shrunk, and dominated actions left out.

    Attributes
    ----------
    abstraction : str
        ``"full"`` leaves out dominated actions of an ordered game that is not built without shrinking it;
        ``"lossless"`` shrinks it first, which is the default. A tree is merged whatever the abstraction.
    merge : bool
        Whether rows and columns of the program that no sum can tell apart are merged before it is solved.
        What is alike is played alike, then.
    lp_solver : str
        What solves a program from scratch in floating point: ``"simplex"``, ``"interior-point"``, or ``"race"``, both
        at a time, so that it depends on their speed which of several equilibria is found. ``"auto"`` goes by the
        size of the program and its entries in a row, and finds the same on every machine.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), method=tremble.methods.Lp()).value
    Fraction(-1, 18)
    """

    name: ClassVar[str] = "lp"
    aliases: ClassVar[tuple[str, ...]] = ("linear-program", "linear-programming")
    summary: ClassVar[str] = "one linear program, made exact"
    takes: ClassVar[Takes] = {
        "tree": {
            **dict.fromkeys(("nash", *REFINED), constant_sum),
            "proper": _constant_sum_only,
            "maxmin": perfect_recall,
        },
    }

    abstraction: str = field(
        default=NOT_ASKED_FOR,
        metadata={
            "help": "How to shrink an ordered game first: lossless or full (not at all), with regret minimisation "
            "published or threshold:T.",
            "metavar": "MODE",
        },
    )

    merge: bool = field(
        default=True,
        metadata={
            "help": "Linear programs: tell all sequences apart, also those that are alike.",
            "flag": "--no-merge", "is_flag": True, "flag_value": False, "default": None,
        },
    )  # fmt: skip

    lp_solver: str = field(
        default="auto",
        metadata={
            "help": "Linear programs in floating point: auto (by rows, and entries in each), simplex, interior-point, "
            "or race (both at a time).",
            "metavar": "SOLVER",
        },
    )

    def __post_init__(self) -> None:
        require_choice("lp_solver", self.lp_solver, list(FLOAT_SOLVERS))
        required_flag(self.merge, "merge")
        if not isinstance(self.abstraction, str) or self.abstraction not in (NOT_ASKED_FOR, "lossless", "full"):
            raise SpecError(
                f"abstraction {self.abstraction!r:.60}: the method lp knows none, lossless and full; others are for "
                "regret minimisation: ask for the method dcfr"
            )

    def recommended(self, game: GameTree | UnbuiltGame, concept: str) -> str | None:
        """For all trees with a constant sum, security strategies, and ordered games that are small once shrunk."""
        if not isinstance(game, GameTree):
            return super().recommended(game, concept)
        of_player = CONCEPTS[concept].of_player
        if game.constant_sum is None and not of_player:
            return None
        if of_player and any(parent_sequence(game, player) is None for player in (0, 1)):
            return None
        if CONCEPTS[concept].ranked:
            return "linear programs one after the other, for the least costs of mistakes, each made exact"
        if CONCEPTS[concept].refines:
            return "one trembling linear program for both players, its basis proven stable"
        return "one sparse linear program in sequence form, made exact"

    def accepts(self, game: GameTree | UnbuiltGame, concept: str) -> None:
        """Full abstraction is of ordered games alone."""
        if self.abstraction == "full" and method_extension(self.name, kind_of(game).name, concept) is None:
            raise SpecError("abstraction full is for Nash equilibria of ordered games that are not built")
        super().accepts(game, concept)

    def run(self, game: Any, concept: str, run: Run) -> Claim:
        """Find a Nash equilibrium; refinements start from there."""
        from tremble.solvers.lp.claims import CLAIMS

        return CLAIMS[concept](game, run, self.settings)

    @property
    def settings(self) -> LpSettings:
        """The settings of the linear programs."""
        from tremble.solvers.nash import LpSettings

        return LpSettings(merge=self.merge or self.abstraction == "lossless", solver=self.lp_solver)
