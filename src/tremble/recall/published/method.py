"""The methods ``milp`` and ``bnb-digits``, for comparisons. They are never chosen by default.

Their upper bounds come from a float solver and are not proven. Two numbers are proven:

* the guarantee of the strategy
* a usually weak upper bound from the first relaxation: the most that a player with perfect recall can earn
  against a certain mixture of the opponent's replies. The multipliers of the relaxation determine this mixture.

So the proven gap is usually larger than the target gap, even if the claimed gap reaches the target. Most runs are
therefore not certified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from tremble.errors import GameError, LimitReached
from tremble.game.forgetting import classify_recall
from tremble.game.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solvers.method import Method, Run, Takes, forgetful, require_choice
from tremble.words import require_hooks

if TYPE_CHECKING:
    from tremble.recall.published.bilinear_program import BilinearProgram, Search
    from tremble.recall.published.digits import Relaxed

__all__ = ["BnbDigits", "Milp", "PublishedMaxmin"]


@dataclass(frozen=True)
class PublishedMaxmin(Method):
    """The common base class of the methods by Bošanský, Čermák, Horák & Pěchouček (2017) for maxmin strategies."""

    published: ClassVar[bool] = True

    takes: ClassVar[Takes] = {"tree": {"maxmin": forgetful}}
    approximate: ClassVar[bool] = True

    def run(self, game: GameTree, concept: str, run: Run) -> Claim:
        """Search until the claimed gap is at most the target. The opponent must have perfect or A-loss recall."""
        import numpy as np

        from tremble.game.scale import Scale
        from tremble.recall.bilinear_form import BilinearForm
        from tremble.recall.branching.cells import Replies
        from tremble.recall.branching.claims import branching_claim
        from tremble.recall.branching.mixtures import pure_parts
        from tremble.recall.published.bilinear_program import BilinearProgram, Search
        from tremble.recall.published.digits import first_multipliers

        if classify_recall(game, 1 - run.player) not in ("perfect", "a-loss"):
            raise GameError(
                f"{self.name} needs an opponent with perfect or A-loss recall, which player {2 - run.player} does not "
                "have: use branch-and-bound"
            )
        assert run.gap is not None
        scale = Scale.of(game, run.player)
        epsilon, form = run.gap / scale.unit, BilinearForm.of(scale.scaled(game, run.player), run.player)
        program = BilinearProgram(form)
        multipliers = first_multipliers(program, run.clock.check)
        replies = Replies(form)
        whole = replies.whole(*pure_parts(form.other, multipliers))
        facts: dict[str, Any] = {}

        def claim() -> Claim:
            lower, upper = search.bounds
            gap = upper - lower
            claimed = {} if np.isinf(gap) else {"claimed_upper_float": upper, "claimed_gap_float": gap}
            counted = {"iterations": search.iteration, "cutoffs": list(search.cutoffs)}
            diagnostics = claimed | counted | facts
            return branching_claim(replies, scale, search.behavior, whole, epsilon, diagnostics)

        search = Search(program, float(epsilon), run, lambda: run.offer_claim(claim), (game, scale))
        try:
            facts |= self._search(program, epsilon, search, run)
        except LimitReached as limit:
            search.cut_off(str(limit))
            search.log()
            raise
        return claim()

    def _search(self, program: BilinearProgram, epsilon: Fraction, search: Search, run: Run) -> dict[str, Any]:
        """Run the algorithm, and return its statistics."""
        raise NotImplementedError


@dataclass(frozen=True)
class Milp(PublishedMaxmin):
    """Multiparametric disaggregation, which finds the decimal digits of probabilities by integer programs.

    Attributes
    ----------
    scheme : str
        With ``"iterative"``, the first program uses no digits. After each program, the product of probabilities that
        adds most to the gap gets one more digit. ``"theorem-1"`` solves one program with all digits of Theorem 1.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load("a_loss_counterexample")
    >>> tremble.solve(game, concept="maxmin", method=tremble.methods.Milp()).bounds
    (Fraction(-1, 1), Fraction(-1, 1))
    """

    name: ClassVar[str] = "milp"
    summary: ClassVar[str] = "maxmin by digits and integer programs: its upper bound is not proven"

    scheme: str = field(
        default="iterative",
        metadata={
            "help": "For milp: iterative (add a digit to the worst term each time) or theorem-1 (all digits at once).",
            "metavar": "S",
        },
    )

    def __post_init__(self) -> None:
        require_choice("scheme", self.scheme, ("iterative", "theorem-1"))

    def _search(self, program: BilinearProgram, epsilon: Fraction, search: Search, run: Run) -> dict[str, Any]:
        from tremble.recall.published.milp import disaggregate

        return {"digits": disaggregate(program, epsilon, self.scheme, search, run.clock)}


@dataclass(frozen=True)
class BnbDigits(PublishedMaxmin):
    """Branch and bound on digits, best first, which is algorithm 1 of the paper.

    Attributes
    ----------
    children : str
        The rule for splitting a node. ``"printed"`` gives two halves and a middle child, as in the paper.
        ``"partition"`` is taken from the authors' code and gives fewer nodes.
    reconstruct : callable, optional
        A function from the solved relaxation to a float64 array: the probability of each *slot*. A slot is an action at
        a set whose nodes follow different own moves. The default averages the action's probability over these moves.
    select : callable, optional
        A function that is called with the solved relaxation. It returns the index of the slot to split, one of the open
        slots (``Relaxed.open``). By default, this is the open slot that contributes most to the gap.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load("a_loss_counterexample")
    >>> tremble.solve(game, concept="maxmin", method=tremble.methods.BnbDigits()).bounds
    (Fraction(-1, 1), Fraction(-1, 1))
    """

    name: ClassVar[str] = "bnb-digits"
    summary: ClassVar[str] = "maxmin by branch and bound on digits: its upper bound is not proven"

    children: str = field(
        default="printed",
        metadata={"help": "For bnb-digits: rule for splitting a node, printed or partition.", "metavar": "KIND"},
    )
    reconstruct: Callable[[Relaxed], Any] | None = None
    select: Callable[[Relaxed], int] | None = None

    def __post_init__(self) -> None:
        require_choice("children", self.children, ("partition", "printed"))
        require_hooks(reconstruct=self.reconstruct, select=self.select)

    def _search(self, program: BilinearProgram, epsilon: Fraction, search: Search, run: Run) -> dict[str, Any]:
        from tremble.recall.published.digits import branch_on_digits, greatest_contribution, mean_behavior

        nodes = branch_on_digits(
            program, epsilon, search, run.clock, children=self.children,
            reconstruct=self.reconstruct or mean_behavior, select=self.select or greatest_contribution,
        )  # fmt: skip
        return {"nodes": nodes}
