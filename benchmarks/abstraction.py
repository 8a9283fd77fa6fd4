"""Abstraction: what it takes to shrink a game, against the sizes of its signal tree and of its game tree.

The paper says of its algorithm that it takes about quadratic time in the signal tree, and that this tends to be
sublinear in the game tree. Two ladders measure that: more ranks make both trees larger, more raises the game tree
alone. What is timed is :func:`tremble.shrink` from the rules, the deals included, in processor seconds; the goals have
the exponents e of a fit seconds = c * size**e to the larger half of the rungs. The literal reading is run on small
games alone.

References
----------
A. Gilpin and T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006, section 4.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from math import log
from statistics import linear_regression, median

from benchmarks.report import Goal, Report, Row, environment
from tremble.errors import LimitReached, TooLargeError
from tremble.game.tree_size import total_nodes
from tremble.games.loading import load_rules
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.shrink import ladder, ordered_game, shrink_ordered
from tremble.poker.deals import signal_tree_size
from tremble.poker.game import OrderedGame
from tremble.run.deadline import limited
from tremble.run.progress import Progress

__all__ = ["GAMES", "run"]

_RANKS = tuple(f"rhode_island:ranks={ranks}" for ranks in (*range(3, 13), 14, 16))
_RAISES = tuple(f"rhode_island:raises={raises},ranks=6" for raises in (1, 2, 4, 5, 6))

GAMES = (*_RANKS[:10], "rhode_island", *_RANKS[10:], *_RAISES, "rhode_island:ranks=3,suits=2")

_PROGRAMS: dict[str, Callable[[OrderedGame], Abstraction]] = {
    "lossless": lambda game: shrink_ordered(game),
    "published": lambda game: shrink_ordered(game, "published"),
    "threshold, ten rungs": lambda game: list(ladder(game, [k / 10 for k in range(1, 11)]))[-1],
    "literal": lambda game: shrink_ordered(game, "literal"),
}


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    rows: list[Row] = []
    sizes: dict[str, tuple[int, int]] = {}
    for name in games:
        game = ordered_game(load_rules(name))
        sizes[name] = signal_tree_size(game), total_nodes(game.counts())
        for program in _PROGRAMS:
            progress(f"{name}: {program}", None)
            row = _row(name, program, sizes[name], repeat, time_box)
            rows += [] if row is None else [row]
    return Report("abstraction", tuple(rows), tuple(_goals(rows, sizes)), environment())


def _row(name: str, program: str, sizes: tuple[int, int], repeat: int, time_box: float) -> Row | None:
    """Time a program on a game, whose rules are read anew for each run; None where it takes smaller games only."""
    note = f"signal tree {sizes[0]:,}, game tree {sizes[1]:,}"
    taken = []
    left = ""
    for number in range(-1, repeat):
        game = ordered_game(load_rules(name))
        began = time.process_time()
        try:
            found = limited(time_box, lambda game=game: _PROGRAMS[program](game))  # type: ignore[misc]
        except LimitReached:
            return Row(name, program, f"over {time_box:g} s", time_box, note=note)
        except TooLargeError:
            return None
        if number >= 0:
            taken.append(time.process_time() - began)
        left = f"{' / '.join(map(str, found.sizes.classes[0]))} classes, {found.sizes.rows:,} rows"
        del game, found
    return Row(name, program, "done", median(taken), runs=repeat, note=f"{note}; {left}")


def _goals(rows: Sequence[Row], sizes: dict[str, tuple[int, int]]) -> Iterator[Goal]:
    for row in rows:
        if row.task == "rhode_island" and row.program in ("lossless", "published"):
            yield Goal(f"Rhode Island Hold'em, {row.program}: seconds", row.seconds, 1.0)
    by_ranks = (*_RANKS, "rhode_island")
    ladders = (
        ("signal tree, by ranks", by_ranks, 0, 2.0),
        ("game tree, by ranks", by_ranks, 1, 1.0),
        ("game tree, by raises alone", _RAISES, 1, 1.2),  # payoffs are read line by line
    )
    for what, names, which, limit in ladders:
        for program in _PROGRAMS:
            points = [
                (sizes[row.task][which], row.seconds)
                for row in rows
                if row.program == program and row.task in names and row.status == "done" and row.seconds is not None
            ]
            points = sorted(points)[len(points) // 2 :]
            if len(points) > 2:
                slope = linear_regression([log(size) for size, _ in points], [log(s) for _, s in points]).slope
                yield Goal(f"{program}: exponent in the {what}", slope, limit)
