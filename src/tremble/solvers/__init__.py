"""The one door to all methods: :func:`solve` chooses, runs, verifies and only then says what is proven.

A method returns a claim: strategies and a certificate. The independent checker of :mod:`tremble.verifier`
then proves it again on the original tree, and the status of the solution says what that proved. Whatever
goes wrong inside a method, a wrong result cannot leave here as ``certified``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tremble import __version__
from tremble.errors import GameError, LimitReached, NotZeroSumError, SolverError, SpecError
from tremble.recall import require_perfect_recall
from tremble.sequence_form import SequenceForm
from tremble.solution import (
    Claim,
    GameReference,
    Method,
    Solution,
    Status,
    basis_certificate,
    best_response_certificate,
    polynomials_certificate,
)
from tremble.clock import Clock
from tremble.strategy import BehaviorStrategy, RealizationPlan, TremblingPlan
from tremble.tree import GameTree
from tremble.trembles import Trembles
from tremble.verifier import verify

if TYPE_CHECKING:
    from tremble.solvers.nash import NashEquilibrium
    from tremble.solvers.perfect import PerfectEquilibrium

__all__ = ["CONCEPTS", "METHODS", "PUBLISHED_METHODS", "Progress", "choose", "solve"]

_UNIFORM_DEPTH = 500

Progress = Callable[[str, float | None], None]
"""Called with the name of a step and, where known, the fraction of it that is done."""

Profile = tuple[BehaviorStrategy, BehaviorStrategy]
Keep = Callable[[Callable[[], Profile]], None]
"""Called with what makes the best profile so far, for the case that a limit is reached."""


@dataclass(frozen=True)
class _Task:
    """What a method is given."""

    tree: GameTree
    concept: str
    trembles: Trembles
    clock: Clock
    progress: Progress
    keep: Keep


@dataclass(frozen=True)
class _Entry:
    """A row of the table of methods: for each concept, the function that computes a claim and player 1's value."""

    concepts: Mapping[str, Callable[[_Task], tuple[Claim, Fraction]]]
    accepts: Callable[[GameTree], None]


def _accept_constant_sum(tree: GameTree) -> None:
    if tree.constant_sum is None:
        raise NotZeroSumError(
            "the payoffs do not sum to a constant; general-sum games cannot be solved yet "
            "(info, respond and verify accept them)"
        )
    require_perfect_recall(tree)


def _nash_equilibrium(task: _Task) -> NashEquilibrium:
    """The exact Nash equilibrium, kept for the case that a refinement of it is stopped."""
    from tremble.solvers.nash import solve_nash

    equilibrium = solve_nash(task.tree, SequenceForm.of(task.tree), task.clock, task.progress, task.keep)
    task.keep(lambda: _behavior(task.tree, equilibrium.plans))
    return equilibrium


def _behavior(tree: GameTree, plans: tuple[RealizationPlan, RealizationPlan]) -> Profile:
    return plans[0].to_behavior(tree), plans[1].to_behavior(tree)


def _run_nash(task: _Task) -> tuple[Claim, Fraction]:
    equilibrium = _nash_equilibrium(task)
    assert task.tree.constant_sum is not None
    values = (equilibrium.value, task.tree.constant_sum - equilibrium.value)
    certificate = best_response_certificate(values, values)
    return Claim(_behavior(task.tree, equilibrium.plans), certificate, equilibrium.stats), equilibrium.value


def _run_quasi_perfect(task: _Task) -> tuple[Claim, Fraction]:
    from tremble.solvers.quasi_perfect import solve_quasi_perfect

    nash = _nash_equilibrium(task)
    refined = solve_quasi_perfect(nash.program, nash.vertex, task.trembles, task.clock, task.progress)
    return _trembling_claim(task, nash, refined.plans, refined.stats)


def _published(algorithm: str) -> Mapping[str, Callable[[_Task], tuple[Claim, Fraction]]]:
    """The concepts that a published algorithm computes."""

    def run(task: _Task) -> tuple[Claim, Fraction]:
        from tremble.solvers.baselines import solve_quasi_perfect

        nash = _nash_equilibrium(task)
        refined = solve_quasi_perfect(algorithm, nash.program, nash.vertex, task.trembles, task.clock, task.progress)
        return _trembling_claim(task, nash, refined.plans, refined.stats)

    def run_perfect(task: _Task) -> tuple[Claim, Fraction]:
        from tremble.solvers.baselines import stable_basis
        from tremble.formulation import PerfectProgram
        from tremble.solvers.perfect import documented, examined

        nash = _nash_equilibrium(task)
        perfect = PerfectProgram.of(nash.program, task.trembles.weight)
        basis, stability, stats = stable_basis(
            algorithm, perfect.program, perfect.basis_of(nash.vertex), task.clock.check, task.progress
        )
        stability = examined(perfect, basis, task.clock, task.progress) or stability
        return _perfect_claim(task, nash, documented(perfect, basis, stability, stats, task.clock, task.progress))

    concepts = {"quasi-perfect": run, "sequential": run}
    return concepts if algorithm == "symbolic-simplex" else {**concepts, "perfect": run_perfect}


def _trembling_claim(
    task: _Task, nash: NashEquilibrium, plans: tuple[TremblingPlan, TremblingPlan], stats: Mapping[str, Any]
) -> tuple[Claim, Fraction]:
    """The limits of trembling plans, with the plans as their certificate, and beliefs where the concept has them."""
    one, two = plans
    beliefs = None
    if task.concept == "sequential":
        from tremble.beliefs import limit_beliefs

        task.progress("beliefs", None)
        beliefs = limit_beliefs(task.tree, plans)
    stats = {**nash.stats, **{f"refinement_{key}": value for key, value in stats.items()}}
    certificate = polynomials_certificate(plans, task.trembles.rows())
    return Claim((one.limit(task.tree), two.limit(task.tree)), certificate, stats, beliefs), nash.value


PUBLISHED_METHODS = ("halving", "symbolic-simplex", "npp")
"""Algorithms of others, as baselines; never chosen by default."""


def _run_perfect(task: _Task) -> tuple[Claim, Fraction]:
    from tremble.solvers.perfect import solve_perfect

    nash = _nash_equilibrium(task)
    refined = solve_perfect(nash.program, nash.vertex, task.trembles, task.clock, task.progress)
    return _perfect_claim(task, nash, refined)


def _perfect_claim(task: _Task, nash: NashEquilibrium, refined: PerfectEquilibrium) -> tuple[Claim, Fraction]:
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
        trembles=task.trembles.rows(),
        error_bits=refined.stability.error_bits,
    )
    stats = {**nash.stats, **{f"refinement_{key}": value for key, value in refined.stats.items()}}
    return Claim((one.limit(task.tree), two.limit(task.tree)), certificate, stats), nash.value


METHODS: dict[str, _Entry] = {
    "lp": _Entry(
        {
            "nash": _run_nash,
            "quasi-perfect": _run_quasi_perfect,
            "sequential": _run_quasi_perfect,
            "perfect": _run_perfect,
        },
        _accept_constant_sum,
    ),
    **{name: _Entry(_published(name), _accept_constant_sum) for name in PUBLISHED_METHODS},
}
"""Method -> how to compute each concept that it delivers, and the games it accepts."""

CONCEPTS: tuple[str, ...] = tuple(dict.fromkeys(concept for entry in METHODS.values() for concept in entry.concepts))
"""What can be asked for."""


def choose(tree: GameTree, concept: str = "nash") -> tuple[str, str]:
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
    if concept == "nash":
        return "lp", "one sparse linear program in sequence form, made exact"
    return "lp", "one trembling linear program for both players, its basis proven stable"


def solve(
    tree: GameTree,
    concept: str = "nash",
    method: str = "auto",
    *,
    time_limit: float | None = None,
    gap: Fraction | float | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
    trembles: Trembles | None = None,
) -> Solution:
    """Solve a game, and prove the answer.

    Parameters
    ----------
    tree : GameTree
        See :func:`tremble.load`, :func:`tremble.build`, :func:`tremble.read_efg`.
    concept : str
        ``"nash"``, ``"quasi-perfect"``, ``"sequential"`` or ``"perfect"`` (extensive-form perfect).
    method : str
        ``"auto"`` or a name from ``METHODS``.
    time_limit : float, optional
        Seconds.
    gap : Fraction or float, optional
        Accept any solution whose bounds on player 1's value lie at most this far apart. A method that is
        exact anyway does not look at it, but what a limit leaves may then be enough.
    progress : callable, optional
        Called with (name of the step, fraction done or None).
    seed : int, optional
        For methods that draw at random; ``lp`` does not.
    trembles : Trembles, optional
        Weights of the actions, for refinements; all equal by default.

    Returns
    -------
    Solution
        ``status`` is ``certified`` when the checker has proven the concept, ``bounded`` when only bounds.

    Raises
    ------
    SpecError
        Unknown concept or method.
    GameError
        The game is outside the method's class: ``NotZeroSumError``, ``ImperfectRecallError``.
    LimitReached
        The time limit, or Ctrl-C; its ``best`` is the best solution so far: of a refinement, an exact Nash
        equilibrium if there was time for one; else a profile with proven bounds.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"))
    >>> solution.value, str(solution.status)
    (Fraction(-1, 18), 'certified')
    """
    if time_limit is not None and not time_limit > 0:
        raise SpecError(f"the time limit must be positive, not {time_limit}")
    name, reason = choose(tree, concept)
    if method not in ("auto", *METHODS):
        raise SpecError(f"unknown method {method!r}; built so far: auto, {', '.join(METHODS)}")
    if method != "auto":
        name, reason = method, "asked for"
    entry = METHODS[name]
    if concept not in entry.concepts:
        raise GameError(f"method {name} computes {', '.join(entry.concepts)}, not {concept}")
    if trembles is not None and concept == "nash":
        raise SpecError("trembles are for refinements: ask for quasi-perfect, sequential or perfect, not nash")
    report: Progress = progress if progress is not None else _silent
    clock = Clock(time_limit)
    described = Method(name, {"reason": reason} if method == "auto" else {})
    kept: list[Callable[[], Profile]] = []
    try:
        entry.accepts(tree)
        weights = Trembles.uniform(tree) if trembles is None else trembles
        claim, value = entry.concepts[concept](_Task(tree, concept, weights, clock, report, kept.append))
        report("verification", None)
        began = clock.elapsed
        solution = _proven(tree, concept, described, claim, value)
    except (LimitReached, KeyboardInterrupt) as stop:
        interrupted = isinstance(stop, KeyboardInterrupt)
        best = _best_so_far(tree, concept, described, clock, kept)
        enough = best is not None and (
            best.status == Status.CERTIFIED or (not interrupted and _narrow_enough(best, gap))
        )
        if best is not None and enough and best.concept == concept:
            return best
        message = "interrupted" if interrupted else str(stop)
        if best is not None and best.concept != concept:
            message += f"; what is proven is a Nash equilibrium, not that it is {concept}"
        raise LimitReached(message, best=best, interrupted=interrupted) from None
    stats = {**solution.stats, "verify_seconds_float": clock.elapsed - began, "total_seconds_float": clock.elapsed}
    return dataclasses.replace(solution, stats=stats)


def _silent(_step: str, _fraction: float | None) -> None:
    """Report nothing."""


def _stated(tree: GameTree, concept: str, method: Method, claim: Claim, value: Fraction) -> Solution:
    """A claim as a solution that states to be certified; nothing is proven yet."""
    constant_sum = tree.constant_sum
    assert constant_sum is not None
    return Solution(
        game=GameReference.of(tree),
        concept=concept,
        requested=concept,
        method=method,
        status=Status.CERTIFIED,
        values=(value, constant_sum - value),
        bounds=(value, value),
        strategies=claim.strategies,
        beliefs=claim.beliefs,
        certificate=claim.certificate,
        stats=claim.stats,
        version=__version__,
    )


def _proven(tree: GameTree, concept: str, method: Method, claim: Claim, value: Fraction) -> Solution:
    """The claim as a solution, certified if the checker says so."""
    solution = _stated(tree, concept, method, claim, value)
    verification = verify(tree, solution)
    if verification.ok:
        return solution
    stats = {**claim.stats, "problems": list(verification.problems)}
    return _bounded(tree, concept, method, dataclasses.replace(claim, stats=stats))


def _bounded(tree: GameTree, concept: str, method: Method, claim: Claim) -> Solution:
    """The strategies of a claim with what the checker derives from them, whatever the claim says they earn."""
    draft = dataclasses.replace(_stated(tree, concept, method, claim, Fraction(0)), status=Status.LIMIT_REACHED)
    seen = verify(tree, draft)
    if seen.values is None or seen.best_response_values is None:
        raise SolverError(f"the strategies do not fit the game: {'; '.join(seen.problems)}")
    status = Status.BOUNDED if seen.bounds is not None else Status.LIMIT_REACHED
    if seen.nash_conv == 0:  # whatever was stopped or failed, this profile is an exact equilibrium
        concept, status = "nash", Status.CERTIFIED
    one, two = (strategy.marked() for strategy in claim.strategies)
    return dataclasses.replace(
        draft,
        concept=concept,
        status=status,
        values=seen.values,
        bounds=seen.bounds,
        strategies=(one, two),
        beliefs=None,
        certificate=best_response_certificate(seen.values, seen.best_response_values),
    )


def _best_so_far(
    tree: GameTree, concept: str, method: Method, clock: Clock, kept: list[Callable[[], Profile]]
) -> Solution | None:
    """The last profile that a stopped method kept, else a simple one, with its exact bounds."""
    try:
        profile = kept[-1]() if kept else _simple_profile(tree)
        return _bounded(tree, concept, method, Claim(profile, {}, {"total_seconds_float": clock.elapsed}))
    except (SolverError, KeyboardInterrupt):
        return None


def _simple_profile(tree: GameTree) -> Profile:
    """Uniform play; in very deep trees, where that has astronomically small weights, always the first action."""
    if tree.depth <= _UNIFORM_DEPTH:
        return BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
    one, two = (
        BehaviorStrategy.from_rows(tree, player, [[int(a == 0) for a in range(len(labels))] for labels in sets])
        for player, sets in enumerate(tree.actions)
    )
    return one, two


def _narrow_enough(solution: Solution | None, gap: Fraction | float | None) -> bool:
    return (
        solution is not None
        and gap is not None
        and solution.bounds is not None
        and solution.bounds[1] - solution.bounds[0] <= gap
    )
