"""Methods of regret minimization, which prove bounds within a target gap, but find no exact value."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tremble.arguments import described
from tremble.errors import SpecError
from tremble.solution.claim import Claim
from tremble.solvers.method import Method, Run, Takes, constant_sum

__all__ = ["Cfr", "CfrPlus", "Dcfr", "PcfrPlus"]


@dataclass(frozen=True)
class _RegretMinimization(Method):
    """Options of all variants of regret minimization.

    Attributes
    ----------
    abstraction : str
        How to shrink an ordered game that is not built: ``"lossless"``, ``"published"``, ``"threshold:T"``, or
        ``"full"`` for no reduction (see :func:`tremble.shrink`).
    iterations : int, optional
        Run exactly this many iterations, and return the bounds that they prove. If a ``gap`` is also given, stop
        earlier when the gap is reached. For maxmin, this is the greatest number of iterations.
    executor : concurrent.futures.ThreadPoolExecutor, optional
        Threads for the boards (public cards) of a large ordered game. The default is one thread for each processor. The
        number of threads does not change the result.
    """

    takes: ClassVar[Takes] = {"tree": {"nash": constant_sum}}
    approximate: ClassVar[bool] = True
    resumable: ClassVar[bool] = True

    abstraction: str = field(
        default="lossless",
        metadata={
            "help": "How to shrink an ordered game before solving it: lossless, full (no shrinking), and for regret "
            "minimization also published or threshold:T.",
            "metavar": "MODE",
        },
    )

    iterations: int | None = field(
        default=None,
        metadata={
            "help": "Run exactly N iterations of regret minimization [until the bounds reach the gap].",
            "metavar": "N",
            "type": int,
        },
    )

    executor: ThreadPoolExecutor | None = None

    def __post_init__(self) -> None:
        if self.iterations is not None and not (type(self.iterations) is int and self.iterations >= 1):
            raise SpecError(f"'iterations' must be a positive integer, not {self.iterations!r:.80}")
        if not isinstance(self.executor, ThreadPoolExecutor | None):
            raise SpecError(
                "'executor' must be a concurrent.futures.ThreadPoolExecutor, because only threads share memory; it is "
                f"{described(self.executor)}"
            )

    def run(self, game: Any, concept: str, run: Run) -> Claim:
        """Iterate until the average plans prove bounds within the target gap, or ``iterations`` iterations are done."""
        from tremble.solvers.regret import VARIANTS, solve_regret

        return solve_regret(VARIANTS[self.name], game, run, self.iterations)


@dataclass(frozen=True)
class Cfr(_RegretMinimization):
    """Counterfactual regret minimization (Zinkevich et al. 2007).

    Examples
    --------
    >>> import tremble
    >>> str(tremble.solve(tremble.load("kuhn"), method=tremble.methods.Cfr(), gap=0.1).status)
    'bounded'
    """

    name: ClassVar[str] = "cfr"
    summary: ClassVar[str] = "regret minimization, for bounds with a gap of at most --gap"


@dataclass(frozen=True)
class CfrPlus(_RegretMinimization):
    """CFR+ (Tammelin 2014), which sets negative regrets to 0 and gives later iterations more weight.

    Examples
    --------
    >>> import tremble
    >>> str(tremble.solve(tremble.load("kuhn"), method=tremble.methods.CfrPlus(), gap=0.1).status)
    'bounded'
    """

    name: ClassVar[str] = "cfr+"
    aliases: ClassVar[tuple[str, ...]] = ("cfr-plus",)
    summary: ClassVar[str] = "cfr with negative regrets set to 0"


@dataclass(frozen=True)
class Dcfr(_RegretMinimization):
    """Discounted CFR (Brown & Sandholm 2019).

    Attributes
    ----------
    client : distributed.Client, optional
        A Dask client. Its workers hold the tables after the turn cards of a flop of Texas Hold'em. The result does not
        depend on the number of workers.

    Examples
    --------
    >>> import tremble
    >>> str(tremble.solve(tremble.load("kuhn"), method=tremble.methods.Dcfr(), gap=0.1).status)
    'bounded'
    """

    name: ClassVar[str] = "dcfr"
    summary: ClassVar[str] = "cfr with discounted early regrets, also for poker too large to build"

    client: Any = None

    def run(self, game: Any, concept: str, run: Run) -> Claim:
        """Iterate on a tree, whose tables cannot be divided among the workers of a client."""
        if self.client is not None:
            raise SpecError("'client' divides the turn cards of a flop; give a flop of Texas Hold'em")
        return super().run(game, concept, run)


@dataclass(frozen=True)
class PcfrPlus(_RegretMinimization):
    """Predictive CFR+ (Farina, Kroer and Sandholm 2021), which expects the last gains to repeat in the next iteration.

    Examples
    --------
    >>> import tremble
    >>> str(tremble.solve(tremble.load("kuhn"), method=tremble.methods.PcfrPlus(), gap=0.1).status)
    'bounded'
    """

    name: ClassVar[str] = "pcfr+"
    aliases: ClassVar[tuple[str, ...]] = ("pcfr-plus",)
    summary: ClassVar[str] = "cfr+ that expects the last gains to repeat"
