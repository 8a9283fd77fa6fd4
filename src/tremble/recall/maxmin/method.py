"""Branch and bound, as a method."""

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
from tremble.solvers.method import Method, Reasons, Takes, forgetful
from tremble.solvers.run import Run

__all__ = ["BranchAndBound"]


@dataclass(frozen=True)
class BranchAndBound(Method):
    """Maxmin behavior strategies of a player that may forget, with proven bounds on what no strategy exceeds.

    Attributes
    ----------
    jobs : int
        How many work on cells: 0, as many as there are processors. The result is the same.
    processes : bool
        Whether they are processes rather than threads.
    executor : Executor, optional
        What works on them instead: threads, processes, or a cluster (of a Dask client, ``client.get_executor()``).

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
    unrecorded: ClassVar[Sequence[str]] = ("jobs", "processes")

    jobs: int = field(
        default=0,
        metadata={"help": "Branch and bound: how many work on cells [as many as processors].", "metavar": "N"},
    )
    processes: bool = field(
        default=False,
        metadata={"help": "Branch and bound: by processes, not threads.", "is_flag": True, "default": None},
    )
    executor: Executor | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.jobs, Integral) or isinstance(self.jobs, bool) or self.jobs < 0:
            raise SpecError(f"jobs is how many work on cells, 0 or more, not {self.jobs!r:.80}")
        required_flag(self.processes, "processes")
        require_executor(self.executor)

    def run(self, game: GameTree, concept: str, run: Run) -> Claim:
        """Split cells until the bounds are close enough."""
        from tremble.recall.maxmin.solve import solve_maxmin

        return solve_maxmin(game, run, jobs=int(self.jobs), processes=self.processes, executor=self.executor)
