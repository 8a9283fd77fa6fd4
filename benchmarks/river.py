"""Rivers of Texas Hold'em beside an open poker solver, on the same endgames, until both are as close to optimal.

*Exploitability* is what poker solvers call half of NashConv, here in percent of the pot: what a strategy pair loses to
best replies, on average over the seats. All stop at :data:`PERCENT` of the pot. What is timed of each contestant, in a
process of its own, in processor seconds (all use one thread):

* ``tremble DCFR``: :func:`tremble.solve` of the rules by the method ``dcfr``, from the lossless abstraction to what the
  independent checker proves of the strategies at the level of single hands. The note has its share.
* ``poker_solver DCFR`` and ``poker_solver CFR+``: the program ``river_solver_optimized`` of N. Brown's
  ``poker_solver`` [1]_ (C++, floats), as a whole. It computes its exploitability itself; nothing is proven. It looks
  after every tenth part more of iterations, as ours do.

That program is no package; its own documentation [1]_ says how to get it. Put it on the path, or its file name into the
environment variable :data:`PROGRAM`.

Both know the same rules where every size is at least half of the pot (smaller raises than the bet before, which the
peer has, are none in Hold'em). The peer counts a bet among its raises. Whether the trees have equally many nodes is
checked in each run. ``KsTh7s4d2s`` with a pot of 1,000 is the endgame that the peer solves when it is asked for none.

References
----------
.. [1] N. Brown: River Poker Solver, https://github.com/noambrown/poker_solver.
.. [2] N. Brown, T. Sandholm: Solving imperfect-information games via discounted regret minimization, AAAI 2019.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.contestant import Contestant, Job, Trial, processor_seconds
from benchmarks.programs import killed_after
from benchmarks.race import race, rows_of
from benchmarks.report import Goal, Report, Row, environment
from tremble.errors import SpecError
from tremble.run.progress import Progress

if TYPE_CHECKING:
    from tremble.poker.holdem.river import HoldemRiver

__all__ = ["GAMES", "PERCENT", "PROGRAM", "contestants", "peer_input", "run"]

PROGRAM = "TREMBLE_RIVER_SOLVER"
"""The environment variable that holds the file name of the peer."""

PERCENT = Fraction(1, 10)
"""Of the pot: the exploitability that all stop at."""

_SIZES = "bets=50,100,200"

GAMES = (
    f"holdem_river:{_SIZES}",  # three spades on the board
    f"holdem_river:board=Kh9d7s4c2h,{_SIZES}",  # no flush
    f"holdem_river:board=Js9s7s4s2h,{_SIZES}",  # four spades
    f"holdem_river:board=KhKd7s4c2h,{_SIZES}",  # a pair
    f"holdem_river:board=Kh9d7s4c2h,{_SIZES},range1=22+,A2s+,K9s+,QTs+,JTs,T9s,98s,ATo+,KJo+,range2=22+,A2s+,KTs+,"
    "QTs+,J9s+,T8s+,97s+,86s+,A8o+:0.5,KTo+,QJo",
    "holdem_river:board=KsTh7s4d2s,pot=1000,stack=9500,bets=50,100,99999,raises=10",  # the default of the peer
)

_OURS = "tremble DCFR"
_NAME = "river_solver_optimized"
_SECONDS = 60.0
_MOST_ITERATIONS = 100_000


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    rows: list[Row] = []
    for game in games:
        _rules(game)
        outcomes = race(
            contestants(time_box),
            Job(game),
            repeat=repeat,
            time_box=time_box,
            grace=killed_after(time_box) - time_box,
            progress=progress,
        )
        rows += rows_of(game, outcomes)
    return Report("river", tuple(rows), tuple(_goals(rows)), environment())


def contestants(time_box: float) -> tuple[Contestant, ...]:
    """Ours comes first; ratios are to it."""
    peers = (("DCFR", "dcfr"), ("CFR+", "cfr+"))
    return (
        Contestant(_OURS, partial(_ours, time_box=time_box)),
        *(
            Contestant(
                f"poker_solver {name}", partial(_peer, algorithm=algorithm, time_box=time_box), program=_peer_file
            )
            for name, algorithm in peers
        ),
    )


def peer_input(rules: HoldemRiver) -> dict[str, Any]:
    """The endgame as the peer reads it."""
    hands = list(combinations(range(len(rules.signals)), 2))
    players = []
    for player in (0, 1):
        weights = dict.fromkeys(hands, Fraction(1)) if rules.ranges is None else rules.ranges[player]
        named = {"".join(rules.signals[card] for card in hand): float(weight) for hand, weight in weights.items()}
        players.append({"hands": list(named), "weights": list(named.values())})
    return {
        "board": [rules.board[k : k + 2] for k in range(0, 10, 2)],
        "pot": rules.pot,
        "stack": rules.stack,
        "bet_sizes": [int(size) / 100 for size in rules.bets.split(",")],
        "include_all_in": False,
        "max_raises": rules.raises + 1,
        "players": players,
    }


def _rules(game: str) -> HoldemRiver:
    import tremble
    from tremble.poker.holdem.river import HoldemRiver

    rules = tremble.load_rules(game).rules
    if not isinstance(rules, HoldemRiver):
        raise SpecError(f"{game:.80} is no river; expected holdem_river, with parameters after a colon")
    return rules


def _ours(job: Job, *, time_box: float) -> Callable[[], Trial]:
    import tremble
    from tremble.errors import LimitReached

    rules = _rules(job.game)
    game = tremble.load_rules(job.game)
    gap = 2 * PERCENT / 100 * rules.pot

    def trial() -> Trial:
        began = processor_seconds()
        try:
            solution = tremble.solve(game, method="dcfr", gap=gap, time_limit=killed_after(time_box) / 2)
        except LimitReached:
            return Trial(processor_seconds() - began, status=f"over {time_box:g} s")
        seconds = processor_seconds() - began
        assert solution.bounds is not None
        lower, upper = solution.bounds
        stats = solution.stats
        said = (
            f"{float((upper - lower) / 2 / rules.pot):.4%} of the pot, proven; {stats['iterations']:,} iterations on "
            f"{stats['classes'][0][0]:,} and {stats['classes'][1][0]:,} classes; "
            f"{stats['verify_seconds_float'] / stats['total_seconds_float']:.0%} of the time is verification"
        )
        return Trial(seconds, float((lower + upper) / 2), str(solution.status), said)

    return trial


def _peer_file() -> str | None:
    """Where the peer is; None if nobody knows."""
    return shutil.which(os.environ.get(PROGRAM) or _NAME)


def _peer(job: Job, *, algorithm: str, time_box: float) -> Callable[[], Trial]:
    rules = _rules(job.game)
    sides = [rules.rounds[0].stage.side(player) for player in (0, 1)]
    nodes = 1 + sum(int(side.start[-1]) - 1 for side in sides)
    goal = float(PERCENT / 100 * rules.pot)
    looks = [10]
    while looks[-1] < _MOST_ITERATIONS:
        looks.append(looks[-1] + looks[-1] // 10)
    folder = tempfile.TemporaryDirectory(prefix="tremble-bench-")
    file = Path(folder.name, "endgame.json")
    file.write_text(json.dumps(peer_input(rules)), encoding="utf-8")
    program = _peer_file()
    assert program is not None
    command = [program, "--config", str(file), "--algo", algorithm, "--target-exp", str(goal)]
    command += ["--checkpoints", ",".join(map(str, looks))]

    def trial() -> Trial:
        assert folder.name  # stays as long as this may run
        began = processor_seconds()
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, timeout=killed_after(time_box) - 10.0
            )
        except subprocess.TimeoutExpired:
            return Trial(processor_seconds() - began, status=f"over {time_box:g} s")
        seconds = processor_seconds() - began
        return _trial_of(done.stdout, seconds, nodes)

    return trial


def _trial_of(said: str, seconds: float, nodes: int) -> Trial:
    """What the peer has printed."""
    total = re.search(r"total=(\d+)", said)
    steps = re.search(r"iters=([\d,]+)", said)
    reached = re.search(r"% of pot\):([^|]*)", said)
    if total is None or steps is None or reached is None:
        raise ValueError("the program has printed what is not understood")
    if int(total.group(1)) != nodes:
        return Trial(seconds, status="another game", note=f"{total.group(1)} nodes instead of {nodes}")
    iterations, percent = int(steps.group(1).split(",")[-1]), reached.group(1).split()[-1].rstrip("%")
    return Trial(seconds, note=f"{float(percent):.4f}% of the pot, as it says; {iterations:,} iterations on all hands")


def _goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """What the suite is to show: a tenth of a percent of the pot, proven, in under a minute."""
    for row in rows:
        if row.program == _OURS:
            yield Goal(f"{row.task}: seconds", row.seconds, _SECONDS)
