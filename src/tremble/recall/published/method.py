"""The published algorithms for maxmin strategies, as methods: for comparison, never chosen by default.

Their bounds from above are claims of a float solver. What is proven is what the strategy guarantees, and the weak bound
of the first relaxation: what a player that does not forget earns against the mixture of the opponent's replies that its
multipliers are. So a run that is content is seldom certified: most end with a strategy and bounds further apart.
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
from tremble.solvers.method import Method, Takes, forgetful, require_choice
from tremble.solvers.run import Run
from tremble.words import require_hooks

if TYPE_CHECKING:
    from tremble.recall.published.bilinear_program import BilinearProgram
    from tremble.recall.published.digits import Relaxed
    from tremble.recall.published.progress import Search

__all__ = ["BnbDigits", "Milp", "PublishedMaxmin"]


@dataclass(frozen=True)
class PublishedMaxmin(Method):
    """Bošanský, Čermák, Horák & Pěchouček (2017): maxmin strategies of a player who forgets."""

    published: ClassVar[bool] = True

    takes: ClassVar[Takes] = {"tree": {"maxmin": forgetful}}
    approximate: ClassVar[bool] = True

    def run(self, game: GameTree, concept: str, run: Run) -> Claim:
        """Search until the claimed bounds are close enough; ``GameError`` if the opponent forgets too much."""
        import numpy as np

        from tremble.game.scale import Scale
        from tremble.recall.bilinear_form import BilinearForm
        from tremble.recall.branching.cells import Replies
        from tremble.recall.branching.claims import branching_claim
        from tremble.recall.branching.mixtures import pure_parts
        from tremble.recall.published.bilinear_program import BilinearProgram
        from tremble.recall.published.digits import first_multipliers
        from tremble.recall.published.progress import Search

        if classify_recall(game, 1 - run.player) not in ("perfect", "a-loss"):
            raise GameError(
                f"player {2 - run.player} has neither perfect nor A-loss recall, and the program of the method "
                f"{self.name} needs that of the opponent; the method branch-and-bound does not"
            )
        assert run.gap is not None
        epsilon, form = run.gap, BilinearForm.of(game, run.player)
        scale = Scale.of(game, run.player)
        scaled = BilinearForm.of(scale.scaled(game, run.player), run.player)
        program = BilinearProgram(form)
        multipliers = first_multipliers(program, run.clock.check)
        replies = Replies(scaled)
        whole = replies.whole(*pure_parts(form.other, multipliers))
        facts: dict[str, Any] = {}

        def claim() -> Claim:
            upper, gap = search.upper, search.upper - search.lower
            claimed = {} if np.isinf(gap) else {"claimed_upper_float": upper, "claimed_gap_float": gap}
            counted = {"iterations": search.iteration, "cutoffs": list(search.cutoffs)}
            told = claimed | counted | facts
            return branching_claim(replies, scale, search.behavior, whole, epsilon / scale.unit, told)

        search = Search(program, float(epsilon), run, lambda: run.offer_claim(claim))
        try:
            facts |= self._search(program, epsilon, search, run)
        except LimitReached as limit:
            search.cut_off(str(limit))
            search.log()
            raise
        return claim()

    def _search(self, program: BilinearProgram, epsilon: Fraction, search: Search, run: Run) -> dict[str, Any]:
        """Do it, and tell what there was to count."""
        raise NotImplementedError


@dataclass(frozen=True)
class Milp(PublishedMaxmin):
    """Multiparametric disaggregation: probabilities in decimal digits, by programs with binary columns.

    Attributes
    ----------
    scheme : str
        ``"iterative"``: from 0 digits on, one digit more for the worst term each time; ``"theorem-1"``: one program
        with the digits that Theorem 1 asks for.

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
            "help": "For milp: one digit more for the worst term each time (iterative), or at once those of theorem-1.",
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
    """Algorithm 1: branch and bound on digits, best first.

    Attributes
    ----------
    children : str
        How nodes are split: ``"printed"``, in halves and with a middle child, or ``"partition"``, as the code
        of its authors does, with fewer nodes.
    reconstruct : callable, optional
        From what the relaxed program found to the probabilities of its slots, float64[F].
        Without one, the mean of what the plan does after the sequences of a set.
    select : callable, optional
        From the same to the open slot to split at. Without one, that which contributes the most to the gap.

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
        metadata={"help": "For bnb-digits: how nodes are split, printed or partition.", "metavar": "KIND"},
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
