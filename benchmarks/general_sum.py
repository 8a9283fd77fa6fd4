"""Games of any sum: certified equilibria by complementary pivots beside Gambit's, on the same trees.

What is timed of each contestant, in a process of its own, warm, in alternating runs:

* ``tremble CONCEPT``: :func:`tremble.solve` of a loaded tree by the method ``lemke``, the proof by the independent
  checker included; its share is in the note, with rows and pivots. Ratios are to ``tremble nash``.
* ``Gambit lcp_solve, rational`` and ``float``: Lemke's algorithm on the sequence form, from a loaded game, without
  proof; it stops at one equilibrium.
* ``Gambit logit_solve, numeric``: as in :mod:`.refinements`.
* ``Gambit checks CONCEPT``: payoffs and the greatest regret of anybody in tremble's equilibrium, in Gambit's
  rationals; on more than 250 leaves, where this takes Gambit minutes and gigabytes, the greatest regret of a player who
  deviates at one information set only. To find the equilibrium is not timed.

What players could still gain in an equilibrium of Gambit's is computed here, exactly and untimed. A game may have many
equilibria: values need not agree.

The games are random trees, and the smallest of the classics. From some size on Gambit does not finish within the time
box, and the rows of tremble are a ladder alone: how seconds and pivots grow with the number of sequences. The rational
mode, to which the goals compare, has the whole time box everywhere. :data:`LARGEST` is left out of the default run.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from benchmarks.contestant import Contestant, Job, Trial, timed
from benchmarks.race import tournament
from benchmarks.refinements import gambit
from benchmarks.report import Goal, Report, Row, environment
from tremble.run.progress import Progress

__all__ = ["CONTESTANTS", "GAMES", "LARGE", "LARGEST", "MANY_LEAVES", "run"]

_TREE = "random_tree:seed=1,sum=general"
LARGE = f"{_TREE},depth=8,branching=3,chance=true,observations=5"
"""With 1,442 sequences and 6,561 leaves."""

MANY_LEAVES = (
    f"{_TREE},depth=9,branching=2,chance=true",  # 512
    f"{_TREE},depth=6,branching=3",  # 729
    f"{_TREE},depth=10,branching=2",  # 1,024
    LARGE,
)
GAMES = (
    "beer_quiche",
    f"{_TREE},depth=4,branching=3",  # 81 leaves
    f"{_TREE},depth=5,branching=3",  # 243
    *MANY_LEAVES,
    f"{_TREE},depth=11,branching=2",  # 2,280 sequences
)
LARGEST = f"{_TREE},depth=14,branching=2,chance=true,observations=3"
"""With 4,982 sequences and 16,384 leaves."""

_FEW_LEAVES = 250
_FASTER = 50.0
_SECONDS = 60.0
_RATIONAL = "Gambit lcp_solve, rational"


def _ours(job: Job, *, concept: str) -> Callable[[], Trial]:
    import tremble

    tree = job.tree()
    for small in ("beer_quiche", f"{_TREE},depth=6,branching=3"):  # the kernels for small systems, and for others
        tremble.solve(tremble.load(small), concept, "lemke")
    size = f"{tree.num_leaves:,} leaves, {sum(job.sequences or ()):,} sequences"

    def trial() -> Trial:
        seconds, solution = timed(lambda: tremble.solve(tree, concept, "lemke"))
        stats = solution.stats
        proof = stats["verify_seconds_float"] / seconds
        attempts = stats.get("float_attempts", stats.get("programs", 1))
        said = [size, f"{stats['pivots']:,} pivots on {stats['rows']:,} rows"]
        said += [f"{stats['exact_pivots']:,} of them exact"] if stats["exact_pivots"] else []
        said += [f"{attempts} attempts"] if attempts > 1 else []
        said += [f"{proof:.1%} of the time is verification"]
        return Trial(seconds, float(solution.value), str(solution.status), ", ".join(said))

    return trial


def _checks(job: Job, *, concept: str) -> Callable[[], Trial]:
    """Prepare Gambit to find out what anybody could still gain in an equilibrium of ours."""
    import pygambit

    import tremble

    warnings.simplefilter("ignore")
    tree = job.tree()
    solution = tremble.solve(tree, concept, "lemke")
    game = pygambit.read_efg(job.file)
    profile = game.mixed_behavior_profile(rational=True)
    for player, strategy in zip(game.players, solution.strategies, strict=True):
        for k, infoset in enumerate(player.infosets):
            for action, probability in zip(infoset.actions, strategy.row(k), strict=True):
                profile[action] = pygambit.Rational(*probability.as_integer_ratio())
    small = tree.num_leaves <= _FEW_LEAVES

    def check() -> tuple[list[Fraction], Fraction]:
        fresh = profile.copy()  # a profile keeps what was computed of it
        payoffs = [Fraction(fresh.payoff(player)) for player in game.players]
        return payoffs, Fraction(fresh.max_regret() if small else fresh.agent_max_regret())

    def trial() -> Trial:
        seconds, (payoffs, regret) = timed(check)
        same = payoffs == list(solution.values)
        said = f"greatest regret{'' if small else ' at one set'} {regret}, payoffs {'equal' if same else 'DIFFER'}"
        return Trial(seconds, float(payoffs[0]), "done" if same and regret == 0 else "REFUTED", said)

    return trial


_CONCEPTS = ("nash", "quasi-perfect", "perfect")

CONTESTANTS = (
    *(Contestant(f"tremble {concept}", partial(_ours, concept=concept)) for concept in _CONCEPTS),
    Contestant(_RATIONAL, partial(gambit, method="lcp_solve", rational=True), ("pygambit",)),
    Contestant("Gambit lcp_solve, float", partial(gambit, method="lcp_solve", rational=False), ("pygambit",)),
    Contestant("Gambit logit_solve, numeric", gambit, ("pygambit",)),
    *(
        Contestant(f"Gambit checks {concept}", partial(_checks, concept=concept), ("pygambit",))
        for concept in _CONCEPTS
    ),
)
"""Ours comes first; ratios are to it."""


def run(games: Sequence[str], repeat: int, time_box: float, progress: Progress) -> Report:
    """Run the suite; see :func:`benchmarks.run`."""
    tables = tournament(CONTESTANTS, games, repeat, time_box, progress, patient=(_RATIONAL,))
    rows = [row for table in tables for row in table]
    return Report("general-sum", tuple(rows), tuple(_goals(rows)), environment())


def _goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """What the suite is to show, of the games that were played."""
    by_name = {(row.task, row.program): row for row in rows}
    for game in MANY_LEAVES:
        row = by_name.get((game, _RATIONAL))
        if row is not None:
            bound = row.status.startswith("over")
            yield Goal(f"{game}: {_RATIONAL} / tremble nash", row.ratio, _FASTER, at_least=True, bound=bound)
    for concept in _CONCEPTS:
        ours = by_name.get((LARGE, f"tremble {concept}"))
        if ours is not None:
            yield Goal(f"{LARGE}: tremble {concept}, seconds", ours.seconds, _SECONDS)
