"""Contestants on one task after the other, in alternating runs, so that a noisy machine is noisy for all of them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from tremble.bench.contestant import Contestant, Failure, Job, Process, Trial
from tremble.bench.report import Row

__all__ = ["Outcome", "Progress", "race", "rows_of", "tournament"]

Progress = Callable[[str, float | None], None]

_WARM_UP = 2.0  # seconds; a first run longer than this needs no warm-up before it


@dataclass
class Outcome:
    """What became of one contestant on one task.

    Attributes
    ----------
    contestant : Contestant
    status : str
    trials : dict of int to Trial
        By round.
    peak_mib : float or None
    box : float or None
        Seconds after which a run was given up.
    """

    contestant: Contestant
    status: str = "done"
    trials: dict[int, Trial] = field(default_factory=dict)
    peak_mib: float | None = None
    box: float | None = None

    @property
    def seconds(self) -> float | None:
        """Median of the timed runs; the time box if it was hit."""
        return self.box if self.box is not None else median(self.times.values()) if self.trials else None

    @property
    def times(self) -> dict[int, float]:
        """Seconds by round."""
        return {number: trial.seconds for number, trial in self.trials.items()}

    @property
    def failed(self) -> bool:
        """Whether there is no result."""
        return not self.trials

    def ratio_to(self, other: Outcome) -> float | None:
        """Median over the common rounds of seconds by the other's seconds."""
        if self.box is None:
            common = sorted(self.times.keys() & other.times.keys())
            if common:
                return median(self.times[i] / other.times[i] for i in common)
        mine, theirs = self.seconds, other.seconds
        return None if mine is None or theirs is None else mine / theirs


def race(
    contestants: Sequence[Contestant],
    job: Job,
    *,
    repeat: int,
    time_box: float,
    progress: Progress,
    task: str,
    grace: float = 0.0,
) -> list[Outcome]:
    """Let contestants run in turn, ``repeat`` rounds.

    The first run of each is its warm-up, and counts only if it took long. A contestant whose runs have taken
    the time box together, or that says itself that its time was over, is not asked again; one that does not finish
    within it is killed.

    Parameters
    ----------
    contestants : sequence of Contestant
    job : Job
    repeat : int
        Timed runs of each.
    time_box : float
        Seconds for loading, and seconds for a run.
    progress : callable
    task : str
        For the progress.
    grace : float
        Seconds after the time box that are left to contestants that stop by themselves.

    Returns
    -------
    list of Outcome
        In the order of ``contestants``.
    """
    outcomes = [Outcome(contestant) for contestant in contestants]
    running: dict[int, Process] = {}
    with ExitStack() as stack:
        for i, (contestant, outcome) in enumerate(zip(contestants, outcomes, strict=True)):
            if not contestant.installed:
                outcome.status = "not installed"
                continue
            progress(f"{task}: preparing {contestant.name}", None)
            process = stack.enter_context(Process(contestant, job))
            try:
                process.ready(time_box + grace)
                running[i] = process
            except Failure as failure:
                outcome.status = failure.status
            outcome.peak_mib = process.peak_mib
        for number in range(-1, repeat):
            for i in list(running):
                outcome, process = outcomes[i], running[i]
                progress(f"{task}: {outcome.contestant.name}, run {number + 1}", (number + 1) / (repeat + 1))
                try:
                    trial = process.run(time_box + grace)
                except Failure as failure:
                    outcome.status = failure.status
                    outcome.box = time_box + grace if failure.box else None
                    outcome.trials.clear()
                    outcome.peak_mib = process.peak_mib
                    del running[i]
                    continue
                outcome.status, outcome.peak_mib = trial.status, process.peak_mib
                gave_up = trial.status.startswith("over")
                if number >= 0 or gave_up or trial.seconds > _WARM_UP:
                    outcome.trials[number] = trial
                if gave_up or sum(outcome.times.values()) > time_box or len(outcome.trials) >= repeat:
                    process.close()
                    del running[i]
    return outcomes


def rows_of(task: str, outcomes: Sequence[Outcome], subject: int = 0) -> list[Row]:
    """The rows of a table; ratios are to the outcome at position ``subject``."""
    rows = []
    for outcome in outcomes:
        values = {trial.value for trial in outcome.trials.values()}
        notes = [trial.note for trial in outcome.trials.values()]
        rows.append(
            Row(
                task=task,
                program=outcome.contestant.name,
                status=outcome.status,
                seconds=outcome.seconds,
                ratio=outcome.ratio_to(outcomes[subject]),
                runs=len(outcome.trials),
                peak_mib=outcome.peak_mib,
                value=next(iter(values)) if values else None,
                note=notes[-1] if notes else "",
            )
        )
    return rows


def tournament(
    contestants: Sequence[Contestant], games: Sequence[str], repeat: int, time_box: float, progress: Progress
) -> Iterator[list[Row]]:
    """The rows of one game after the other, from few sequences to many; who fails at one is not tried on the next.

    Ratios are to the first contestant, whose row says how many nodes there are. Each game is also written as an
    .efg file.

    Parameters
    ----------
    contestants : sequence of Contestant
    games : sequence of str
        See :func:`tremble.load`.
    repeat : int
        Timed runs of each.
    time_box : float
        Seconds for loading, and seconds for a run.
    progress : callable
    """
    import tremble

    beaten: dict[str, str] = {}  # contestant -> game that was too much for it
    with tempfile.TemporaryDirectory(prefix="tremble-bench-") as folder:
        files: dict[str, str] = {}
        sizes: dict[str, tuple[int, int]] = {}
        for i, game in enumerate(games):
            progress(f"{game}: writing the file", None)
            tree = tremble.load(game)
            files[game] = str(Path(folder, f"{i}.efg"))
            sizes[game] = (sum(tree.num_slots), tree.num_nodes)  # linear programs grow with the sequences
            tremble.write_efg(tree, files[game])
            del tree
        for game in sorted(games, key=sizes.__getitem__):
            fit = [c for c in contestants if c.name not in beaten]
            outcomes = race(fit, Job(game, files[game]), repeat=repeat, time_box=time_box, progress=progress, task=game)
            for outcome in outcomes:
                if outcome.failed and outcome.status != "not installed":
                    beaten[outcome.contestant.name] = game
            rows = rows_of(game, outcomes)
            rows[0] = replace(rows[0], note=f"{sizes[game][1]:,} nodes")
            yield rows + [
                Row(game, c.name, "not tried", note=f"too much for it: {beaten[c.name]}")
                for c in contestants
                if c not in fit
            ]
