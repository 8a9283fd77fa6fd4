"""Contestants on one task after the other, in alternating runs, so that a noisy machine is noisy for all of them."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from benchmarks.contestant import Contestant, Failure, Job, Process, Trial
from benchmarks.report import Row, notes
from tremble.run.progress import Progress

__all__ = ["Outcome", "race", "rows_of", "tournament"]

_WARM_UP = 2.0  # seconds; a first run longer than this, in which nothing was used for the first time, counts
_COLD_RUNS = 3  # that a contestant may make beyond those that count
_WILD = 3.0  # times the least is the greatest of a list of measurements that one number may stand for
_AGAIN = 10.0  # seconds for who has failed at a smaller game: enough to show if a larger one suits it better


@dataclass
class Outcome:
    """What became of one contestant on one task."""

    contestant: Contestant
    status: str = "done"
    trials: dict[int, Trial] = field(default_factory=dict)  # by round
    peak_mib: float | None = None
    box: float | None = None  # seconds after which a run was given up

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
        """Median over the common rounds of seconds by the other's seconds; None if the rounds disagree wildly."""
        if self.box is None:
            common = sorted(self.times.keys() & other.times.keys())
            if common:
                ratios = [self.times[i] / other.times[i] for i in common]
                return None if _wild(ratios) else median(ratios)
        mine, theirs = self.seconds, other.seconds
        return None if mine is None or theirs is None else mine / theirs


def _wild(measured: Collection[float]) -> bool:
    """Whether measurements of one thing are so far apart that their median means little."""
    return max(measured) > _WILD * min(measured)


def race(
    contestants: Sequence[Contestant],
    job: Job,
    *,
    repeat: int,
    time_box: float,
    progress: Progress,
    grace: float = 0.0,
    again: Collection[str] = (),
) -> list[Outcome]:
    """Let contestants run in turn, ``repeat`` timed rounds; outcomes are in their order.

    A run in which something was compiled, read from a cache or imported never counts; a quick first run is a
    warm-up. A contestant whose counted runs have taken half the time box together, or that says itself that its time
    was over, is not asked again; one that does not finish within the time box is killed.

    The time box is seconds for loading, and seconds for a run. ``grace`` is left after it to contestants that stop by
    themselves; those in ``again`` have failed at a smaller game, and get ten seconds.
    """
    outcomes = [Outcome(contestant) for contestant in contestants]
    boxes = [min(_AGAIN, time_box) if contestant.name in again else time_box for contestant in contestants]
    running: dict[int, Process] = {}
    with ExitStack() as stack:
        for i, (contestant, outcome) in enumerate(zip(contestants, outcomes, strict=True)):
            if not contestant.installed:
                outcome.status = "not installed"
                continue
            progress(f"{job.game}: preparing {contestant.name}", None)
            process = stack.enter_context(Process(contestant, job))
            try:
                process.ready(boxes[i] + grace)
                running[i] = process
            except Failure as failure:
                outcome.status = failure.status
            outcome.peak_mib = process.peak_mib
        for number in range(repeat + _COLD_RUNS):
            for i in list(running):
                outcome, process, box = outcomes[i], running[i], boxes[i]
                progress(f"{job.game}: {outcome.contestant.name}, run {number + 1}", min(1.0, number / (repeat + 1)))
                try:
                    trial = process.run(box + grace)
                except Failure as failure:
                    outcome.status = failure.status
                    outcome.box = box + grace if failure.box else None
                    outcome.trials.clear()
                    outcome.peak_mib = process.peak_mib
                    del running[i]
                    continue
                outcome.status, outcome.peak_mib = trial.status, process.peak_mib
                gave_up = trial.status.startswith("over")
                if gave_up or (trial.warm and (number or trial.seconds > _WARM_UP)):
                    outcome.trials[number] = trial
                if gave_up or sum(outcome.times.values()) > box / 2 or len(outcome.trials) >= repeat:
                    process.close()
                    del running[i]
    for i in running:
        if outcomes[i].failed:
            outcomes[i].status = "failed: used something for the first time in every run"
    return outcomes


def rows_of(task: str, outcomes: Sequence[Outcome], subject: int = 0) -> list[Row]:
    """The rows of a table; ratios are to the outcome at position ``subject``."""
    rows = []
    for outcome in outcomes:
        values = {trial.value for trial in outcome.trials.values()}
        said = [trial.note for trial in outcome.trials.values()][-1:]
        ratio = outcome.ratio_to(outcomes[subject])
        if outcome.trials and _wild(times := outcome.times.values()):
            said.append(f"runs took {min(times):.2g} to {max(times):.2g} s")
        if ratio is None and not outcome.failed and not outcomes[subject].failed:
            said.append("no ratio: the rounds disagree")
        rows.append(
            Row(
                task=task,
                program=outcome.contestant.name,
                status=outcome.status,
                seconds=outcome.seconds,
                ratio=ratio,
                runs=len(outcome.trials),
                peak_mib=outcome.peak_mib,
                value=next(iter(values)) if values else None,
                note=notes(*said),
            )
        )
    return rows


def tournament(
    contestants: Sequence[Contestant],
    games: Sequence[str],
    repeat: int,
    time_box: float,
    progress: Progress,
    *,
    patient: Collection[str] = (),
) -> Iterator[list[Row]]:
    """The rows of one game after the other, from few sequences to many; see :func:`race`.

    Everybody is tried on every game; who has failed at one gets ten seconds on the next, and its row says so, unless it
    is in ``patient``. Ratios are to the first contestant, whose row says how many nodes there are. Each game is also
    written as an .efg file.
    """
    import tremble
    from tremble.game.tree_builder import DEFAULT_MAX_NODES

    beaten: dict[str, str] = {}  # contestant -> game that was too much for it
    with tempfile.TemporaryDirectory(prefix="tremble-bench-") as folder:
        jobs: list[Job] = []
        for i, game in enumerate(games):
            progress(f"{game}: writing the file", None)
            job = Job.of(game, folder, max_nodes=DEFAULT_MAX_NODES)
            jobs.append(replace(job, file=str(Path(folder, f"{i}.efg"))))
            tremble.write_efg(job.tree(), jobs[-1].file)
        for job in sorted(jobs, key=lambda job: (sum(job.sequences or ()), job.nodes or 0)):  # as linear programs grow
            outcomes = race(contestants, job, repeat=repeat, time_box=time_box, progress=progress, again=beaten)
            rows = rows_of(job.game, outcomes)
            rows[0] = replace(rows[0], note=notes(f"{job.nodes:,} nodes", rows[0].note))
            for i, outcome in enumerate(outcomes):
                name = outcome.contestant.name
                if outcome.failed and outcome.status != "not installed" and name not in patient:
                    if name in beaten:
                        rows[i] = replace(rows[i], note=f"tried for {_AGAIN:g} s: it failed at {beaten[name]}")
                    beaten.setdefault(name, job.game)
            yield rows
