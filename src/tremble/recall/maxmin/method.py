"""The method ``branch-and-bound`` for maxmin strategies."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from numbers import Integral
from typing import ClassVar

from tremble.errors import SpecError
from tremble.game.tree import GameTree
from tremble.numbers import required_flag
from tremble.run.executors import require_executor
from tremble.solution.claim import Claim
from tremble.solvers.method import Method, Reasons, Run, Takes, forgetful

__all__ = ["BranchAndBound"]


@dataclass(frozen=True)
class BranchAndBound(Method):
    """Branch and bound for maxmin behavior strategies of a player without perfect recall. Both bounds are proven.

    Attributes
    ----------
    jobs : int
        The number of workers, or 0 for the number of processors. The result does not depend on this number.
    processes : bool
        If True, the workers are processes. If False, they are threads.
    executor : Executor, optional
        An executor to use instead of new workers: threads, processes, or a cluster, such as
        ``client.get_executor()`` of a Dask client.

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
    summary: ClassVar[str] = "maxmin strategies without perfect recall, with proven bounds"
    takes: ClassVar[Takes] = {"tree": {"maxmin": forgetful}}
    reasons: ClassVar[Reasons] = {"tree": "a player may forget: branch and bound over its behavior strategies"}
    resumable: ClassVar[bool] = True
    unrecorded: ClassVar[Sequence[str]] = ("jobs", "processes")

    jobs: int = field(
        default=0,
        metadata={"help": "Branch and bound: number of workers [number of processors].", "metavar": "N"},
    )
    processes: bool = field(
        default=False,
        metadata={"help": "Branch and bound: use processes, not threads.", "is_flag": True, "default": None},
    )
    executor: Executor | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.jobs, Integral) or isinstance(self.jobs, bool) or self.jobs < 0:
            raise SpecError(f"'jobs' must be the number of workers, 0 or more, not {self.jobs!r:.80}")
        required_flag(self.processes, "processes")
        require_executor(self.executor)

    def run(self, game: GameTree, concept: str, run: Run) -> Claim:
        """Split sets of strategies (cells) until the gap between the bounds is at most the target ``run.gap``."""
        from tremble.recall.maxmin.solve import solve_maxmin

        return solve_maxmin(game, run, jobs=int(self.jobs), processes=self.processes, executor=self.executor)
