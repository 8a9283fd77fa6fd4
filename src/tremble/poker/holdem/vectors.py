r"""Regret minimization with vectors of hands: what the engines for all games of this kind share.

The class :class:`VectorEngine` holds the regrets and the sums of plans, and runs the iterations. A subclass updates one
player, with the kernels for its game. With several threads, each thread learns on some of the *boards*, the last public
states, in separate working memory. The values of the boards are added in their order, so the number of threads changes
no result.

The average of all plans is computed on the way: in iteration t, the sums of plans are multiplied by
:math:`((t - 1) / t)^\gamma`, and the new plans are added. This gives the plan of iteration t the weight
:math:`t^\gamma` compared with the others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.solvers.regret import Variant, kept

__all__ = ["Floats", "VectorEngine"]

Floats = NDArray[np.floating[Any]]
Settings = tuple[Any, ...]
"""The least probability that counts, and the factors of an iteration: of positive regrets, of others, and of sums."""

# Smaller probabilities count as 0, because tiny floats are slow. Without positive regrets, each action has this weight.
# A power of two makes equal shares exact, so that regrets of equally good actions remain exactly 0.
_TINY = 2.0**-66


class VectorEngine(ABC):
    """The regrets and the sums of plans of both players.

    Attributes
    ----------
    iterations : int
        The number of iterations so far.
    whole : bool
        False during an iteration, and after an interrupted iteration.
    regret, guess, sums : list of lists of arrays
        A table for each player and street. ``guess`` is ``regret`` itself, or for predictive variants the regrets that
        are expected after the next iteration.
    """

    def __init__(
        self, variant: Variant, dtype: Any, shapes: Sequence[Sequence[tuple[int, ...]]], boards: int,
        executor: Executor | None, threads: int,
    ) -> None:  # fmt: skip
        self.variant, self.dtype, self.iterations, self.whole = variant, dtype, 0, True
        self._executor, self._cuts = executor, [0, boards]
        if executor is not None:
            self._cuts = np.linspace(0, boards, min(threads, boards) + 1).astype(int).tolist()
        self.regret, self.sums = (self._tables(shapes) for _ in range(2))
        self.guess = self._tables(shapes) if variant.predictive else self.regret
        # For simultaneous updates, player 1's table at the start of an iteration; otherwise empty arrays.
        self._before = [table[:0] if variant.alternating else np.zeros_like(table) for table in self.guess[0]]

    def _tables(self, shapes: Sequence[Sequence[tuple[int, ...]]]) -> list[list[Floats]]:
        return [[np.zeros(shape, self.dtype) for shape in own] for own in shapes]

    def run(self, count: int) -> None:
        """Run a number of iterations."""
        done = np.arange(self.iterations, self.iterations + count, dtype=np.float64)
        variant = self.variant
        schedule = np.stack(
            [kept(done, variant.alpha), kept(done, variant.beta), (done / (done + 1)) ** variant.gamma], axis=1
        ).astype(self.dtype)
        self.whole = False
        self._learn(schedule)
        self.iterations, self.whole = self.iterations + count, True

    def _learn(self, schedule: Floats) -> None:
        """Run an iteration for each row of ``schedule``, which contains the factors of the iteration."""
        for factors in schedule:
            self._remember()
            settings = self._tiny, *factors
            self._update(0, self.guess[1], settings, learning=True)
            self._update(1, self.guess[0] if self.variant.alternating else self._before, settings, learning=True)

    def _remember(self) -> None:
        """Copy player 1's table at the start of an iteration, if the players are updated at the same time."""
        for before, now in zip(self._before, self.guess[0], strict=True):
            before[...] = now if before.size else before

    @abstractmethod
    def _update(self, me: int, table: list[Floats], settings: Settings, *, learning: bool) -> Floats:
        """Update a player against the plan of the other player's ``table``, and return the values of the hands.

        If not ``learning``, only return the values of the hands if the player best responds.
        """

    @property
    def _tiny(self) -> Any:
        return self.dtype(_TINY)

    def _in_parts(self, part: Callable[[int], None]) -> None:
        """Call ``part`` with the number of each part of the boards, in the threads of the executor."""
        numbers = range(len(self._cuts) - 1)
        if self._executor is None or not self.iterations:  # Numba must not compile in several threads at a time
            for k in numbers:
                part(k)
        else:
            for done in [self._executor.submit(part, k) for k in numbers]:
                done.result()

    @abstractmethod
    def best_values(self) -> tuple[float, float]:
        """Return the value of each player's best response to the other player's average plan, in chips."""

    def bounds(self) -> tuple[float, float]:
        """Return what player 1's average plan guarantees, and what player 2's average plan concedes at most.

        With a rake, player 2's guarantee is not minus the second number: the sum of the payoffs is not constant.
        """
        best1, best2 = self.best_values()
        return -best2, best1

    def _best_values(self, me: int) -> Floats:
        """Return the values of a player's hands if the player best responds to the other player's average plan."""
        return self._update(me, self.sums[1 - me], (self._tiny,) * 4, learning=False)

    # -- checkpoints -----------------------------------------------------------------------------------

    def identity(self) -> dict[str, str]:
        """Return the type of the floats, which a resumed run must share."""
        return {"floats": np.dtype(self.dtype).name}

    def state(self) -> dict[str, Floats]:
        """Return the arrays that determine the next iteration."""
        kinds = {"regret": self.regret, "sums": self.sums}
        if self.variant.predictive:
            kinds["guess"] = self.guess
        return {
            f"{kind} {player + 1} {street}": table
            for kind, both in kinds.items()
            for player, tables in enumerate(both)
            for street, table in enumerate(tables, 1)
        }

    def resume(self, iterations: int) -> None:
        """Set the number of iterations that the arrays contain."""
        self.iterations = iterations

    def release(self) -> None:
        """Free the memory of all tables but the sums of plans."""
        self.regret, self.guess, self._before, self.whole = [], [], [], False
