"""Branch and bound, as a method."""

from __future__ import annotations

from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from numbers import Integral
from typing import ClassVar

from tremble.errors import SpecError
from tremble.model.tree import GameTree
from tremble.solution.claim import Claim
from tremble.solvers.method import Method, Reasons, Takes, forgetful
from tremble.solvers.run import Run

__all__ = ["BranchAndBound"]


@dataclass(frozen=True)
class BranchAndBound(Method):
    """Maxmin behavior strategies of a player that may forget, with proven bounds on what no strategy exceeds.

    Attributes
    ----------
    jobs : int
        How many cells are worked on at a time: 0, as many as there are processors. The bounds are the same.
    executor : Executor, optional
        Of threads, which work on them instead; the kernels run without Python's lock.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load("a_loss_counterexample")
    >>> solution = tremble.solve(game, concept="maxmin", method=tremble.methods.BranchAndBound())
    >>> solution.bounds
    (Fraction(-1, 1), Fraction(-1, 1))
    """

    name: ClassVar[str] = "branch-and-bound"
    aliases: ClassVar[tuple[str, ...]] = ("bnb",)
    summary: ClassVar[str] = "maxmin of a player that forgets, by cells of strategies"
    takes: ClassVar[Takes] = {"tree": {"maxmin": forgetful}}
    reasons: ClassVar[Reasons] = {"tree": "a player may forget: branch and bound over its behavior strategies"}
    resumable: ClassVar[bool] = True

    jobs: int = field(
        default=0,
        metadata={"help": "Branch and bound: cells worked on at a time [as many as processors].", "metavar": "N"},
    )
    executor: Executor | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.jobs, Integral) or isinstance(self.jobs, bool) or self.jobs < 0:
            raise SpecError(f"jobs is how many cells are worked on at a time, 0 or more, not {self.jobs!r:.80}")
        if self.executor is None:
            return
        if not isinstance(self.executor, Executor) or isinstance(self.executor, ProcessPoolExecutor):
            raise SpecError(f"executor is a concurrent.futures.Executor of threads, not {self.executor!r:.80}")

    def run(self, game: GameTree, concept: str, run: Run) -> Claim:
        """Split cells until the bounds are close enough."""
        from tremble.solvers.maxmin.solve import solve_maxmin

        return solve_maxmin(game, run, jobs=int(self.jobs), executor=self.executor)
