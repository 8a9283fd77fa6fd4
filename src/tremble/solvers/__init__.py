"""The one door to all methods: :func:`solve` chooses, runs, verifies and only then says what is proven.

A method returns a claim: strategies and a certificate. The independent checker of :mod:`tremble.verifier`
then proves it again on the original tree, and the status of the solution says what that proved. Whatever
goes wrong inside a method, a wrong result cannot leave here as ``certified``.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from tremble import __version__
from tremble.clock import INTERRUPTED, Clock, grace, limited, require_time_limit
from tremble.errors import (
    GameError,
    LimitReached,
    NotProvenError,
    SolverError,
    SpecError,
    TooLargeError,
)
from tremble.exact_number import exact_number
from tremble.fraction_text import format_fraction
from tremble.linear.draws import LARGEST_SEED, seeded
from tremble.model.evaluation import expected_values
from tremble.model.game import Game
from tremble.model.recall import require_perfect_recall
from tremble.model.rules import UnbuiltGame
from tremble.model.sequence_form import SequenceForm
from tremble.model.strategy import BehaviorStrategy, RealizationPlan, TremblingPlan
from tremble.model.tree import GameTree, require_constant_sum
from tremble.solution.certificates import basis_certificate, best_response_certificate, polynomials_certificate
from tremble.solution.solution import (
    Claim,
    GameReference,
    Method,
    Profile,
    Solution,
    Status,
)
from tremble.solution.trembles import Trembles
from tremble.solvers.double_oracle.settings import POLICIES, Policy, Settings
from tremble.solvers.incumbent import Incumbent
from tremble.verifier import Verification, verify
from tremble.verifier.implicit import expected_unbuilt

if TYPE_CHECKING:
    from tremble.solvers.lp.nash import NashEquilibrium
    from tremble.solvers.lp.perfect import PerfectEquilibrium

__all__ = ["CONCEPTS", "METHODS", "PUBLISHED_METHODS", "Progress", "choose", "solve"]

Progress = Callable[[str, float | None], None]
"""Called with the name of a step and, where known, the fraction of it that is done."""

Keep = Callable[[Callable[[], Profile]], None]
"""Called with what makes the best profile so far, for the case that a limit is reached."""

Report = Callable[[Mapping[str, Any]], None]
"""Called by iterative methods with plain data: at least the iteration, the seconds so far and both bounds."""

Values = tuple[Fraction, Fraction]

_GRACE_SECONDS = 60.0  # after Ctrl-C, for exact bounds if none are known, and for what the strategies earn
_FOR_BOUNDS = 0.8  # of that time is for the bounds
# Shares of the grace period after a time limit: until then a claim is verified, and exact bounds are looked for. The
# rest is for writing.
_VERIFICATION, _BOUNDS = 0.25, 0.55
_STOP = 0.1  # seconds between the limit of a method and what stops it if it has not looked at the clock
_DEFAULT_GAP = Fraction(1, 1000)  # of the range of the payoffs, for methods that only ever come near
_MARGIN = 1 - Fraction(1, 1000)  # of a gap is what is asked of floats, so that rounding cannot spoil it


@dataclass(frozen=True)
class _Task:
    """What a method is given."""

    game: GameTree | UnbuiltGame
    concept: str
    trembles: Trembles | None
    clock: Clock
    progress: Progress
    keep: Keep
    report: Report
    gap: Fraction | None
    settings: Settings
    checkpoint: str | os.PathLike[str] | None

    @property
    def tree(self) -> GameTree:
        """The game, for methods that accept trees only."""
        assert isinstance(self.game, GameTree)
        return self.game

    @property
    def weights(self) -> Trembles:
        """The weights of trembles."""
        return Trembles.uniform(self.tree) if self.trembles is None else self.trembles


@dataclass(frozen=True)
class _Entry:
    """A row of the table of methods.

    Attributes
    ----------
    concepts : mapping
        For each concept, the function that computes a claim, and both players' values where it knows them exactly.
    accepts : callable
        Raises ``GameError`` if the method is not for a game.
    approximate : bool
        Whether the method only ever comes near, so that it needs a gap to stop at.
    """

    concepts: Mapping[str, Callable[[_Task], tuple[Claim, Values | None]]]
    accepts: Callable[[GameTree | UnbuiltGame], None]
    approximate: bool = False


def _accept_trees(game: GameTree | UnbuiltGame) -> None:
    if isinstance(game, UnbuiltGame):
        raise TooLargeError(
            f"{game.title} is not built, and this method needs the tree: use the method double-oracle, or raise "
            "--max-nodes (tremble.build(rules) in Python)"
        )
    _accept_constant_sum(game)


def _accept_rules(game: GameTree | UnbuiltGame) -> None:
    if isinstance(game, GameTree):
        _accept_constant_sum(game)


def _accept_constant_sum(tree: GameTree) -> None:
    require_constant_sum(
        tree, "general-sum games cannot be solved yet (info, respond, audit, compare and verify accept them)"
    )
    require_perfect_recall(tree)


def _nash_equilibrium(task: _Task) -> NashEquilibrium:
    """The exact Nash equilibrium, kept for the case that a refinement of it is stopped."""
    from tremble.solvers.lp.nash import solve_nash

    equilibrium = solve_nash(task.tree, SequenceForm.of(task.tree), task.clock, task.progress, task.keep)
    task.keep(lambda: _behavior(task.tree, equilibrium.plans))
    return equilibrium


def _behavior(tree: GameTree, plans: tuple[RealizationPlan, RealizationPlan]) -> Profile:
    return plans[0].to_behavior(tree), plans[1].to_behavior(tree)


def _values(tree: GameTree, value: Fraction) -> Values:
    assert tree.constant_sum is not None
    return value, tree.constant_sum - value


def _run_nash(task: _Task) -> tuple[Claim, Values]:
    equilibrium = _nash_equilibrium(task)
    values = _values(task.tree, equilibrium.value)
    certificate = best_response_certificate(values, values)
    return Claim(_behavior(task.tree, equilibrium.plans), certificate, equilibrium.stats), values


def _run_double_oracle(task: _Task) -> tuple[Claim, Values | None]:
    from tremble.solvers.double_oracle.solve import solve_double_oracle

    found = solve_double_oracle(
        task.game, task.settings, task.clock, task.progress, task.keep, task.report, task.checkpoint
    )
    values = found.values
    certificate = {} if values is None else best_response_certificate(values, values)
    return Claim(found.strategies, certificate, found.stats), values


def _run_quasi_perfect(task: _Task) -> tuple[Claim, Values]:
    from tremble.solvers.lp.quasi_perfect import solve_quasi_perfect

    nash = _nash_equilibrium(task)
    refined = solve_quasi_perfect(nash.program, nash.vertex, task.weights, task.clock, task.progress)
    return _trembling_claim(task, nash, refined.plans, refined.stats)


def _published(algorithm: str) -> Mapping[str, Callable[[_Task], tuple[Claim, Values | None]]]:
    """The concepts that a published algorithm computes."""

    def run(task: _Task) -> tuple[Claim, Values]:
        from tremble.solvers.published import solve_quasi_perfect

        nash = _nash_equilibrium(task)
        refined = solve_quasi_perfect(algorithm, nash.program, nash.vertex, task.weights, task.clock, task.progress)
        return _trembling_claim(task, nash, refined.plans, refined.stats)

    def run_perfect(task: _Task) -> tuple[Claim, Values]:
        from tremble.solvers.lp.formulation import PerfectProgram
        from tremble.solvers.lp.perfect import stability_of, with_certificate
        from tremble.solvers.published import stable_basis

        nash = _nash_equilibrium(task)
        perfect = PerfectProgram.of(nash.program, task.weights.weight)
        basis, stability, stats = stable_basis(
            algorithm, perfect.program, perfect.basis_of(nash.vertex), task.clock.check, task.progress
        )
        stability = stability_of(perfect, basis, task.clock, task.progress) or stability
        return _perfect_claim(task, nash, with_certificate(perfect, basis, stability, stats, task.clock, task.progress))

    concepts = {"quasi-perfect": run, "sequential": run}
    return concepts if algorithm == "symbolic-simplex" else {**concepts, "perfect": run_perfect}


def _trembling_claim(
    task: _Task, nash: NashEquilibrium, plans: tuple[TremblingPlan, TremblingPlan], stats: Mapping[str, Any]
) -> tuple[Claim, Values]:
    """The limits of trembling plans, with the plans as their certificate, and beliefs where the concept has them."""
    one, two = plans
    beliefs = None
    if task.concept == "sequential":
        from tremble.solution.beliefs import limit_beliefs

        task.progress("beliefs", None)
        beliefs = limit_beliefs(task.tree, plans)
    stats = {**nash.stats, **{f"refinement_{key}": value for key, value in stats.items()}}
    certificate = polynomials_certificate(plans, task.weights.rows())
    claim = Claim((one.limit(task.tree), two.limit(task.tree)), certificate, stats, beliefs)
    return claim, _values(task.tree, nash.value)


def _regret(variant: str) -> Callable[[_Task], tuple[Claim, Values | None]]:
    """Regret minimisation: strategies with bounds, no exact value."""

    def run(task: _Task) -> tuple[Claim, Values | None]:
        from tremble.solvers.regret.method import solve_regret

        assert task.gap is not None
        form = SequenceForm.of(task.tree)
        found = solve_regret(variant, task.tree, form, task.clock, task.progress, task.keep, task.gap, task.report)
        return Claim(found.strategies, {}, found.stats), None

    return run


PUBLISHED_METHODS = ("halving", "symbolic-simplex", "npp")
"""Algorithms of others, as baselines; never chosen by default."""


def _run_perfect(task: _Task) -> tuple[Claim, Values]:
    from tremble.solvers.lp.perfect import solve_perfect

    nash = _nash_equilibrium(task)
    refined = solve_perfect(nash.program, nash.vertex, task.weights, task.clock, task.progress)
    return _perfect_claim(task, nash, refined)


def _perfect_claim(task: _Task, nash: NashEquilibrium, refined: PerfectEquilibrium) -> tuple[Claim, Values]:
    """The limits of the plans at a stable basis, with the basis as their certificate."""
    one, two = refined.plans
    pivots = refined.stability.pivots
    certificate = basis_certificate(
        high=[side.tolist() for side in refined.high],
        plans=refined.plans,
        epsilon=refined.epsilon,
        plans_there=refined.plans_there,
        pivots=None if pivots is None else list(zip(*(side.tolist() for side in pivots), strict=True)),
        null_vectors=[
            (operation.row, operation.rows.tolist(), operation.factor.tolist())
            for batch in refined.stability.operations[:1]
            for operation in batch
        ],
        zeros={name: [side.tolist() for side in sides] for name, sides in refined.zeros.items()},
        trembles=task.weights.rows(),
        error_bits=refined.stability.error_bits,
    )
    stats = {**nash.stats, **{f"refinement_{key}": value for key, value in refined.stats.items()}}
    claim = Claim((one.limit(task.tree), two.limit(task.tree)), certificate, stats)
    return claim, _values(task.tree, nash.value)


METHODS: dict[str, _Entry] = {
    "lp": _Entry(
        {
            "nash": _run_nash,
            "quasi-perfect": _run_quasi_perfect,
            "sequential": _run_quasi_perfect,
            "perfect": _run_perfect,
        },
        _accept_trees,
    ),
    "double-oracle": _Entry({"nash": _run_double_oracle}, _accept_rules),
    **{name: _Entry({"nash": _regret(name)}, _accept_trees, approximate=True) for name in ("cfr", "cfr+", "dcfr")},
    **{name: _Entry(_published(name), _accept_trees) for name in PUBLISHED_METHODS},
}
"""Method -> how to compute each concept that it delivers, and the games it accepts."""

CONCEPTS: tuple[str, ...] = tuple(dict.fromkeys(concept for entry in METHODS.values() for concept in entry.concepts))
"""What can be asked for."""


def choose(game: GameTree | UnbuiltGame, concept: str = "nash") -> tuple[str, str]:
    """The default method for a game and a concept, and why.

    Raises
    ------
    SpecError
        Unknown concept.

    Examples
    --------
    >>> import tremble
    >>> choose(tremble.load("kuhn"))[0]
    'lp'
    """
    if concept not in CONCEPTS:
        raise SpecError(f"unknown concept {concept!r}; built so far: {', '.join(CONCEPTS)}")
    if isinstance(game, UnbuiltGame):
        return "double-oracle", "the game is not built: best responses are searched for from its rules"
    if concept == "nash":
        return "lp", "one sparse linear program in sequence form, made exact"
    return "lp", "one trembling linear program for both players, its basis proven stable"


def solve(
    game: GameTree | UnbuiltGame | Game,
    concept: str = "nash",
    method: str = "auto",
    *,
    time_limit: float | None = None,
    gap: Fraction | float | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
    trembles: Trembles | None = None,
    policy: Policy | None = None,
    smoothing: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    report: Report | None = None,
) -> Solution:
    """Solve a game, and prove the answer.

    Parameters
    ----------
    game : GameTree, UnbuiltGame or Game
        See :func:`tremble.load`, :func:`tremble.build`, :func:`tremble.read_efg`. Rules that are not built are
        accepted by the double oracle.
    concept : str
        ``"nash"``, ``"quasi-perfect"``, ``"sequential"`` or ``"perfect"`` (extensive-form perfect). One equilibrium is
        computed, of possibly many: a sequential one is the quasi-perfect one with its beliefs.
    method : str
        ``"auto"`` or a name from ``METHODS``.
    time_limit : float, optional
        Seconds.
    gap : Fraction or float, optional
        Accept any solution whose bounds on player 1's value lie at most this far apart. Methods that only ever come
        near have a default, a thousandth of the range of the payoffs. A method that is exact anyway does not look at
        it, but what a limit leaves may then be enough.
    progress : callable, optional
        Called with (name of the step, fraction done or None).
    seed : int, optional
        From 0 to 2147483647; 0 if not given. Linear programs are perturbed, and pivots chosen in a stall, at random:
        which of several equilibria is found may depend on the seed. What proofs draw at random does not.
    trembles : Trembles, optional
        Weights of the actions, for refinements; all equal by default.
    policy : str, optional
        Who responds in an iteration of the double oracle: ``"both"`` (default), ``"alternating"`` or ``"worse"``.
    smoothing : float, optional
        From 0 to less than 1, for the double oracle: see :class:`tremble.solvers.double_oracle.settings.Settings`.
    checkpoint : str or path, optional
        For the double oracle: go on from this file if it exists, and keep it up to date.
    report : callable, optional
        Called by iterative methods with plain data on each iteration.

    Returns
    -------
    Solution
        ``status`` is ``certified`` when the checker has proven the concept, ``bounded`` when only bounds.

    Raises
    ------
    SpecError
        Unknown concept or method, an option of another method.
    GameError
        The game is outside the method's class: ``NotZeroSumError``, ``ImperfectRecallError``, ``TooLargeError``.
    LimitReached
        The time limit, or Ctrl-C; its ``best`` is the best solution so far: of a refinement, an exact Nash
        equilibrium if there was time for one; else a profile with proven bounds. With a time limit, that comes within
        :func:`tremble.clock.grace` seconds after it.
    NotProvenError
        What came out is not proven to be what was asked for; its ``best`` says what is proven of it.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"))
    >>> solution.value, str(solution.status)
    (Fraction(-1, 18), 'certified')
    """
    require_time_limit(time_limit)
    if gap is not None and not isinstance(gap, float):
        gap = exact_number(gap, "gap")
    if gap is not None and not 0 <= gap < inf:
        raise SpecError(f"the gap must be a number and not negative, but it is {gap}")
    if seed is not None:
        if not isinstance(seed, Integral) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED:
            raise SpecError(f"the seed must be an integer from 0 to {LARGEST_SEED}, not {seed!r:.40}")
        seed = int(seed)
    if not isinstance(game, GameTree | UnbuiltGame):
        game = UnbuiltGame.of(game)
    name, reason = choose(game, concept)
    if method not in ("auto", *METHODS):
        raise SpecError(f"unknown method {method!r}; built so far: auto, {', '.join(METHODS)}")
    if method != "auto":
        name, reason = method, "asked for"
    entry = METHODS[name]
    if concept not in entry.concepts and method == "auto":
        raise GameError(
            f"{concept} needs the tree of the game, and this game is not built; see tremble.build(rules), and "
            "--max-nodes on the command line"
        )
    if concept not in entry.concepts:
        raise GameError(f"method {name} computes {', '.join(entry.concepts)}, not {concept}")
    if trembles is not None and not isinstance(trembles, Trembles):
        raise SpecError(f"trembles are tremble.Trembles, not {trembles!r:.80}: Trembles.read(file, tree) reads them")
    if trembles is not None and concept == "nash":
        raise SpecError("trembles are for refinements: ask for quasi-perfect, sequential or perfect, not nash")
    if entry.approximate and gap == 0 and time_limit is None:
        raise SpecError(
            f"a gap of 0 is out of reach of {name}, which only comes near: ask for a positive gap, or give a time "
            "limit; lp and double-oracle are exact"
        )
    settings = _settings(name, policy, smoothing, checkpoint, gap)
    tell: Progress = progress if progress is not None else _silent
    clock = Clock(None if time_limit is None else time_limit - _reserve(game, time_limit))
    described = Method(name, {"reason": reason} if method == "auto" else {})
    incumbent = Incumbent(game, clock, partial(_examined, game), limited=time_limit is not None)

    def left(share: float) -> float | None:
        """Seconds until this share of the grace period after the time limit has passed."""
        return None if time_limit is None else time_limit + share * grace(time_limit) - clock.elapsed

    def left_for_method() -> float | None:
        return None if clock.left is None else clock.left + _STOP

    try:
        entry.accepts(game)
        wanted = _wanted_gap(game, entry, gap)
        if name == "double-oracle":
            described = _with_options(described, policy=settings.policy, smoothing=_decimal(settings.smoothing))
        if seed is not None:
            described = _with_options(described, seed=seed)
        if wanted is not None:
            described = _with_options(described, gap=format_fraction(wanted))
        task = _Task(
            game, concept, trembles, clock, tell, incumbent.offer, report or _unheard,
            wanted, settings, checkpoint,
        )  # fmt: skip
        with seeded(seed or 0):
            claim, values = limited(left_for_method(), lambda: entry.concepts[concept](task))
        tell("verification", None)
        began = clock.elapsed
        listen = _reporting(tell)
        solution = limited(
            left(_VERIFICATION),
            lambda: (
                _bounded(game, concept, described, claim, _examined(game, claim.strategies, listen))
                if values is None
                else _proven(game, concept, described, claim, values, listen)
            ),
        )
        stats = {**solution.stats, "verify_seconds_float": clock.elapsed - began, "total_seconds_float": clock.elapsed}
        solution = dataclasses.replace(solution, stats=stats)
    except (LimitReached, KeyboardInterrupt) as stop:
        interrupted = isinstance(stop, KeyboardInterrupt)
        message = INTERRUPTED if interrupted else str(stop)
        end = clock.elapsed + _GRACE_SECONDS
        if time_limit is not None:
            end = min(end, time_limit + _BOUNDS * grace(time_limit))
        best = _best_so_far(game, concept, described, clock, incumbent, tell, end, message)
        if best is not None and _is_proven(best, None if interrupted else gap):
            return best
        raise LimitReached(message + _what_is_missing(best), best=best, interrupted=interrupted) from None
    finally:
        incumbent.close()
    if not _is_proven(solution, wanted):
        problem = next(iter(solution.stats.get("problems", ())), "")
        raise NotProvenError(
            f"the method {name} found no proven solution{_what_is_missing(solution)}{problem and f' ({problem})'}",
            best=solution,
        )
    return solution


_SECONDS_PER_NODE, _SECONDS_PER_INFOSET = 2.5e-6, 2e-5  # to evaluate a profile, and to write it


def _reserve(game: GameTree | UnbuiltGame, time_limit: float) -> float:
    """Seconds before a time limit that a large tree needs, beside the grace period, for bounds and for writing."""
    if isinstance(game, UnbuiltGame):
        return 0.0
    needed = _SECONDS_PER_NODE * game.num_nodes + _SECONDS_PER_INFOSET * sum(game.num_infosets)
    return min(max(needed - grace(time_limit) / 2, 0.0), time_limit / 2)


def _is_proven(solution: Solution, gap: Fraction | float | None) -> bool:
    """Whether a solution is what was asked for: the concept, or bounds that are close enough."""
    if solution.status == Status.CERTIFIED:
        return solution.concept == solution.requested
    bounds = solution.bounds
    return solution.requested == "nash" and gap is not None and bounds is not None and bounds[1] - bounds[0] <= gap


def _what_is_missing(best: Solution | None) -> str:
    """What is not proven of the best solution, as the end of a sentence."""
    if best is None:
        return "; there is no result yet"
    if best.status == Status.CERTIFIED:
        return f"; what is proven is a Nash equilibrium, not that it is {best.requested}"
    if best.bounds is None:
        return "; nothing is proven of its strategies yet, `tremble respond` computes their bounds"
    return ""


def _settings(
    method: str,
    policy: Policy | None,
    smoothing: float | None,
    checkpoint: str | os.PathLike[str] | None,
    gap: Fraction | float | None,
) -> Settings:
    """The settings of the double oracle; ``SpecError`` if they are given to another method or are none."""
    given = {"policy": policy, "smoothing": smoothing, "checkpoint": checkpoint}
    named = [option for option, value in given.items() if value is not None]
    if named and method != "double-oracle":
        raise SpecError(f"{named[0]} is an option of the method double-oracle, not of {method}: ask for that method")
    if policy is not None and policy not in POLICIES:
        raise SpecError(f"unknown policy {policy!r:.80}; choose from: {', '.join(POLICIES)}")
    if smoothing is not None and not (isinstance(smoothing, Real) and 0 <= smoothing < 1):
        raise SpecError(f"smoothing must be at least 0 and less than 1, not {smoothing!r:.80}")
    chosen = Settings(gap=None if gap is None else Fraction(gap) * _MARGIN)
    if policy is not None:
        chosen = dataclasses.replace(chosen, policy=policy)
    return chosen if smoothing is None else dataclasses.replace(chosen, smoothing=smoothing)


def _wanted_gap(game: GameTree | UnbuiltGame, entry: _Entry, gap: Fraction | float | None) -> Fraction | None:
    """The gap to stop at: what is asked for, or the default of methods that need one."""
    if gap is not None or not entry.approximate:
        return None if gap is None else Fraction(gap)
    assert isinstance(game, GameTree)
    payoffs = game.payoff[:, 0]
    return _DEFAULT_GAP * Fraction(int(payoffs.max()) - int(payoffs.min()), game.payoff_denominator)


def _with_options(method: Method, **options: Any) -> Method:
    return Method(method.name, {**method.options, **options})


def _decimal(value: float) -> str:
    """A setting as plain data: exact numbers are text."""
    return format_fraction(Fraction(repr(value)))


def _unheard(_row: Mapping[str, Any]) -> None:
    """Log nothing."""


def _silent(_step: str, _fraction: float | None) -> None:
    """Report nothing."""


def _solution(
    game: GameTree | UnbuiltGame, requested: str, method: Method, claim: Claim, values: Values, **proven: Any
) -> Solution:
    """The strategies of a claim; without more, nothing is proven of them."""
    plain: dict[str, Any] = {"concept": "nash", "status": Status.LIMIT_REACHED, "bounds": None, "certificate": {}}
    return Solution(
        game=GameReference.of(game),
        requested=requested,
        method=method,
        values=values,
        strategies=claim.strategies,
        stats=claim.stats,
        version=__version__,
        **{**plain, **proven},
    )


Listener = Callable[[str], None]
"""Called by the checker now and then; may raise to stop it."""


def _reporting(progress: Progress) -> Listener:
    return lambda step: progress(step, None)


def _proven(
    game: GameTree | UnbuiltGame, concept: str, method: Method, claim: Claim, values: Values, listen: Listener
) -> Solution:
    """The claim as a solution, certified if the checker says so."""
    solution = _solution(
        game, concept, method, claim, values,
        concept=concept, status=Status.CERTIFIED, bounds=(values[0], values[0]),
        beliefs=claim.beliefs, certificate=claim.certificate,
    )  # fmt: skip
    verification = verify(game, solution, progress=listen)
    if verification.ok:
        return solution
    stats = {**claim.stats, "problems": list(verification.problems)}
    claim = dataclasses.replace(claim, stats=stats)
    return _bounded(game, concept, method, claim, _examined(game, claim.strategies, listen))


def _examined(game: GameTree | UnbuiltGame, profile: Profile, listen: Listener) -> Verification:
    """What the checker derives from strategies, whatever is claimed of them."""
    draft = _solution(game, "nash", Method("", {}), Claim(profile, {}, {}), (Fraction(0), Fraction(0)))
    return verify(game, draft, progress=listen)


def _bounded(
    game: GameTree | UnbuiltGame, requested: str, method: Method, claim: Claim, seen: Verification
) -> Solution:
    """The strategies of a claim with what the checker has found: at least bounds, at best a Nash equilibrium."""
    if seen.values is None or seen.best_response_values is None:
        raise SolverError(f"the strategies do not fit the game: {'; '.join(seen.problems)}")
    status = Status.LIMIT_REACHED if seen.bounds is None else Status.BOUNDED
    if seen.nash_conv == 0:  # whatever was stopped or failed, this profile is an exact equilibrium
        status = Status.CERTIFIED
    one, two = claim.strategies
    if isinstance(one, BehaviorStrategy) and isinstance(two, BehaviorStrategy):
        claim = dataclasses.replace(claim, strategies=(one.marked(), two.marked()))
    return _solution(
        game, requested, method, claim, seen.values,
        status=status, bounds=seen.bounds,
        certificate=best_response_certificate(seen.values, seen.best_response_values),
    )  # fmt: skip


def _best_so_far(
    game: GameTree | UnbuiltGame,
    requested: str,
    method: Method,
    clock: Clock,
    incumbent: Incumbent,
    progress: Progress,
    end: float,
    stopped: str,
) -> Solution | None:
    """What a stopped run hands out: its best profile with exact bounds, or without; None if there is no time.

    A second Ctrl-C ends the search for bounds.
    """
    stats = {"total_seconds_float": clock.elapsed, "stopped": stopped}
    try:
        progress("exact bounds of the best strategies so far (Ctrl-C: without them)", None)
        with suppress(LimitReached, KeyboardInterrupt):
            seconds = _FOR_BOUNDS * (end - clock.elapsed)
            incumbent.bounds(seconds, at_once=stopped == INTERRUPTED, listen=_reporting(progress))
        profile, seen = incumbent.best()
        claim = Claim(profile, {}, stats)
        if seen is not None:
            return _bounded(game, requested, method, claim, seen)
        values = limited(end - clock.elapsed, lambda: _expected_payoffs(game, profile, _reporting(progress)))
        return _solution(game, requested, method, claim, values)
    except (SolverError, KeyboardInterrupt):
        return None


def _expected_payoffs(game: GameTree | UnbuiltGame, profile: Profile, listen: Listener) -> tuple[Fraction, Fraction]:
    """What a profile earns; much less work than what best responses to it would."""
    strategies: Any = profile  # trees have strategies of one kind, games that are not built of the other
    if isinstance(game, UnbuiltGame):
        return expected_unbuilt(game, strategies, progress=listen)
    one, two = expected_values(game, strategies)
    return Fraction(one), Fraction(two)
