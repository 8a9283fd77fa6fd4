"""Where regrets are minimised: in this process, among its threads, or with boards on workers, while there are some."""

from __future__ import annotations

import time
import warnings
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack

from tremble.errors import SolverError, TrembleWarning
from tremble.poker.filtered_arrays import PublicTree
from tremble.poker.regret.boards import Boards, shared_boards
from tremble.poker.regret.public_tree import PublicTreeMinimizer
from tremble.run.executors import processors, workers_of
from tremble.solvers.regret import Variant
from tremble.solvers.run import Run

__all__ = ["Workplace"]

_THREADS_FROM = 100_000  # sequences: below, threads cost more than they bring
_REPLACED_SECONDS = 10.0  # in which a cluster may start another worker for one that is lost
_LOOK_SECONDS = 0.25


class Workplace:
    """Makes minimizers, one at a time, until the end of its block.

    Parameters
    ----------
    tree : PublicTree
    variant : Variant
    executor : Executor, optional
        Threads of this process, or workers that keep boards; threads for each processor by default, in large games.
    run : Run
    """

    def __init__(self, tree: PublicTree, variant: Variant, executor: Executor | None, run: Run) -> None:
        self._tree, self._variant, self._executor, self._run = tree, variant, executor, run
        self._workers = 0  # that there have been
        self._opened = ExitStack()

    def __enter__(self) -> Workplace:
        return self

    def __exit__(self, *_error: object) -> None:
        self._opened.close()

    def minimizer(self) -> PublicTreeMinimizer:
        """A minimizer that has not begun.

        Raises
        ------
        SolverError
            Workers do not begin.
        """
        if self._executor is None or isinstance(self._executor, ThreadPoolExecutor):
            return self._in_this_process()
        self._workers = workers_of(self._executor)
        shared = shared_boards(self._tree.sides, self._workers)
        if shared is None:
            return PublicTreeMinimizer(self._tree, self._variant)
        self._run.progress(f"waiting for {len(shared.spans)} workers", None)
        boards = Boards(self._executor, self._tree.sides, self._variant, shared, self._run.clock)
        return PublicTreeMinimizer(self._tree, self._variant, boards=self._opened.enter_context(boards))

    def another(self, lost: SolverError, *, alone: bool) -> PublicTreeMinimizer:
        """One in place of one whose worker was lost, with the workers that are left, or that have come for it.

        Where there are none, or if ``alone``, this process goes on alone, and a ``TrembleWarning`` says so.
        """
        self._opened.close()
        self._run.progress(f"{lost}: others go on", None)
        assert self._executor is not None
        end = time.monotonic() + _REPLACED_SECONDS
        while not alone and workers_of(self._executor) < self._workers and time.monotonic() < end:
            self._run.clock.check()
            time.sleep(_LOOK_SECONDS)
        try:
            if not alone:
                return self.minimizer()
        except SolverError as error:
            lost = error
        self._executor = None
        warnings.warn(f"{lost}: this process goes on alone", TrembleWarning, stacklevel=2)
        return self._in_this_process()

    def _in_this_process(self) -> PublicTreeMinimizer:
        threads = self._executor
        if threads is None and sum(self._tree.num_sequences) >= _THREADS_FROM:
            threads = self._opened.enter_context(ThreadPoolExecutor(processors(), "tremble"))
        assert threads is None or isinstance(threads, ThreadPoolExecutor)
        return PublicTreeMinimizer(self._tree, self._variant, threads)
