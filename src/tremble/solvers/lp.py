"""The method ``lp``, which solves linear programs in sequence form exactly.

This file defines the options of the method and the games that it accepts. The algorithms are in
:mod:`tremble.solvers.zero_sum` (Nash and maxmin), :mod:`tremble.solvers.refine` (quasi-perfect and related concepts),
:mod:`tremble.solvers.perfect` and :mod:`tremble.solvers.proper`. Each module is imported when its algorithm runs, so
that listing the methods loads no solver.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, ClassVar

from tremble.capabilities import method_extension
from tremble.errors import SpecError
from tremble.exact.program import FLOAT_SOLVERS
from tremble.game.kinds import kind_of
from tremble.game.requirements import parent_sequence, require_constant_sum, require_perfect_recall
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import required_flag
from tremble.solution.claim import Claim
from tremble.solution.concepts import CONCEPTS
from tremble.solvers.method import (
    NOT_ASKED_FOR,
    REFINED,
    Method,
    Run,
    Takes,
    constant_sum,
    perfect_recall,
    require_choice,
)
from tremble.words import for_reader

if TYPE_CHECKING:
    from tremble.solvers.zero_sum import LpSettings

__all__ = ["Lp"]

_ALGORITHMS = {
    "nash": "tremble.solvers.zero_sum:nash_claim",
    "maxmin": "tremble.solvers.guarantee:maxmin_claim",
    **dict.fromkeys(REFINED, "tremble.solvers.refine:refined_claim"),
    "perfect": "tremble.solvers.perfect:perfect_claim",
    "proper": "tremble.solvers.proper:proper_claim",
}
"""Import path of the function that computes the claim for a tree, by concept."""


def _constant_sum_only(tree: GameTree, _concept: str) -> None:
    """Require perfect recall and a constant sum for proper equilibria. No method computes them in other games."""
    require_perfect_recall(tree)
    judges = for_reader("tremble.all_equilibria(game, 'proper')", "tremble solve --all --concept proper")
    advice = (
        f"proper equilibria are computed only if the sum is constant. In a small game, {judges} judges the extreme "
        "Nash equilibria. All of them may be disproven or undecided, because only a mixture of them may be proper"
    )
    require_constant_sum(tree, advice)


@dataclass(frozen=True)
class Lp(Method):
    """A method that solves one sparse linear program for both players, first in floats and then exactly.

    For refinements, the program contains trembles, and one basis is proven optimal for all small trembles. If an
    ordered game (such as poker) is not built, the method first shrinks the game and removes its dominated actions. For
    payoffs without a constant sum, use ``lemke``.

    Attributes
    ----------
    abstraction : str
        How to shrink an ordered game that is not built. ``"lossless"``, the default, shrinks the game and removes
        dominated actions. ``"full"`` only removes dominated actions. For a tree, ``"lossless"`` overrides
        ``merge=False``.
    merge : bool
        Merge alike rows and columns of the program before solving it. The solution then treats alike sequences alike.
    lp_solver : str
        Floating-point solver for programs that have no starting basis: ``"simplex"``, ``"interior-point"`` or
        ``"race"``. ``"race"`` runs both solvers and uses the first result, so timing decides which equilibrium
        is found. ``"auto"`` chooses by the size of the program and its entries per row. This choice is the same on
        every machine.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), method=tremble.methods.Lp()).value
    Fraction(-1, 18)
    """

    name: ClassVar[str] = "lp"
    aliases: ClassVar[tuple[str, ...]] = ("linear-program", "linear-programming")
    summary: ClassVar[str] = "one linear program, solved exactly"
    anytime: ClassVar[bool] = False
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
            "help": "How to shrink an ordered game before solving it: lossless, full (no shrinking), and for regret "
            "minimization also published or threshold:T.",
            "metavar": "MODE",
        },
    )

    merge: bool = field(
        default=True,
        metadata={
            "help": "Do not merge alike sequences in linear programs.",
            "flag": "--no-merge", "is_flag": True, "flag_value": False, "default": None,
        },
    )  # fmt: skip

    lp_solver: str = field(
        default="auto",
        metadata={
            "help": "Floating-point solver for linear programs: auto (chosen by rows and by entries per row), simplex, "
            "interior-point, or race (both in parallel).",
            "metavar": "SOLVER",
        },
    )

    def __post_init__(self) -> None:
        require_choice("lp_solver", self.lp_solver, list(FLOAT_SOLVERS))
        required_flag(self.merge, "merge")
        if not isinstance(self.abstraction, str) or self.abstraction not in (NOT_ASKED_FOR, "lossless", "full"):
            raise SpecError(
                f"abstraction {self.abstraction!r:.60}: the method lp accepts 'none', 'lossless' and 'full'. For other "
                "values, use regret minimization, such as the method dcfr"
            )

    def recommended(self, game: GameTree | UnbuiltGame, concept: str) -> str | None:
        """Return the reason why lp is the default for a game and a concept, or None if it is not the default."""
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
        """Raise an error if lp cannot solve the game. ``abstraction="full"`` needs an ordered game without a tree."""
        if self.abstraction == "full" and method_extension(self.name, kind_of(game).name, concept) is None:
            raise SpecError("the abstraction 'full' is only for Nash equilibria of ordered games that are not built")
        super().accepts(game, concept)

    def run(self, game: GameTree, concept: str, run: Run) -> Claim:
        """Run the algorithm for the concept. Every refinement starts from an exact Nash equilibrium."""
        claim: Claim = resolve_name(_ALGORITHMS[concept])(game, concept, run, self.settings)
        return claim

    @property
    def settings(self) -> LpSettings:
        """Options for the linear programs."""
        from tremble.solvers.zero_sum import LpSettings

        return LpSettings(merge=self.merge or self.abstraction == "lossless", solver=self.lp_solver)
