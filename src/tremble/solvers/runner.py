"""Solve a game by any method: check the request, choose a method, run it, and prove its claim.

A method returns a claim. The independent checker of :mod:`tremble.check` judges the claim on the original game. Only
the verdict of the checker determines the status of the solution. So an error inside a method cannot make a wrong result
``certified``. If a run is stopped, the best result so far is returned or attached to the error.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from contextlib import nullcontext
from fractions import Fraction
from math import inf
from numbers import Integral
from typing import Any

from tremble.arguments import described
from tremble.errors import GameError, LimitReached, NotProvenError, SolverError, SpecError
from tremble.exact.draws import LARGEST_SEED, SEED, seeded
from tremble.formats.foreign import game_of
from tremble.game.kinds import kind_of
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree, require_player
from tremble.numbers import exact_number, format_fraction
from tremble.run.deadline import limited, required_time_limit
from tremble.run.progress import Progress
from tremble.run.signals import stopped_by
from tremble.run.whole_file import require_writable
from tremble.solution.claim import Claim, MethodReference
from tremble.solution.concepts import CONCEPTS
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers.anytime import Incumbent
from tremble.solvers.method import Log, Method, Request, Run, nobody_listens, recorded, run_method, tree_of
from tremble.solvers.recorder import Recorder
from tremble.solvers.stopped import what_is_missing
from tremble.solvers.table import (
    METHODS,
    choose,
    concept_named,
    method_named,
    method_of,
    require_method,
    require_trembles_fit,
)
from tremble.solvers.tremble_costs import require_affordable
from tremble.status import Status
from tremble.value import shorten
from tremble.words import require_hooks

__all__ = ["checked_gap", "checked_seed", "number_of", "payoff_gap", "solve_recording"]


Gap = Fraction | float | None

_STOP = 0.1  # a method that does not check the clock is interrupted this many seconds after its limit
_NO_MEMORY = "stopped because there was not enough memory"
_DEFAULT_GAP = Fraction(1, 1000)  # default gap of approximate methods, as a fraction of the range of the payoffs


def solve_recording(
    record: Callable[[Callable[[], Solution | None]], None],
    game: object,
    concept: str,
    method: str | Method,
    *,
    time_limit: float | None = None,
    gap: Fraction | float | str | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
    trembles: Trembles | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    report: Log | None = None,
    player: int | None = None,
    epsilon: Fraction | float | None = None,
    epsilon_abs: Fraction | float | None = None,
    **options: Any,
) -> Solution:
    """Solve a game as :func:`tremble.solve` does, and give the caller access to the best result so far.

    At the start, ``record`` is called once with a function that returns the best result so far. Another thread may call
    that function at any time, even during a step that cannot be interrupted.
    """
    require_hooks(progress=progress, report=report)
    concept = concept_named(concept)
    played = game if isinstance(game, GameTree | UnbuiltGame) else game_of(game)
    request = Request(
        time_limit=required_time_limit(time_limit),
        concept=concept,
        gap=payoff_gap(concept, player, epsilon, epsilon_abs, _in_payoff_units(gap, played)),
        epsilon=checked_gap(epsilon),
        seed=checked_seed(seed),
        game=played,
        progress=progress or nobody_listens,
        report=report or nobody_listens,
        trembles=trembles,
        checkpoint=checkpoint,
        player=player,
    )
    seed = request.seed or 0
    recorder = Recorder(request) if request.time_limit is None else Incumbent(request)
    claim: Claim | None = None
    try:
        record(lambda: recorder.recorded())
        recorder.begin()
        # Choosing a method may take time, because an ordered game is shrunk first.
        chosen, reason = limited(recorder.clock.left, lambda: _chosen(request, method, options))
        _require_fitting(request, chosen)
        if request.time_limit is None and chosen.anytime:
            recorder = Incumbent(request, recorder.clock)
        clock = recorder.clock
        recorder.method = _reference(request, chosen, reason)
        chosen.accepts(request.game, concept)
        if trembles is not None:
            tree = tree_of(request.game)
            trembles.require_of(tree)
            if request.time_limit is None:
                require_affordable(tree, trembles, concept)
        target = _target_gap(request, chosen)
        recorder.method = _reference(request, chosen, reason, target)
        run = Run(
            clock, request.progress, recorder.offer, recorder.hear, target, trembles, checkpoint,
            player=int(player or 0), offer_claim=recorder.offer_claim,
        )  # fmt: skip
        with nullcontext() if seed == SEED.get() else seeded(seed):
            stop = None if clock.left is None else clock.left + _STOP
            claimed = claim = limited(stop, lambda: run_method(chosen, request.game, concept, run))
        request.progress("verification", None)
        solution = limited(recorder.verification_left, lambda: recorder.proven(claimed))
    except (LimitReached, KeyboardInterrupt) as stopped:
        interrupted = isinstance(stopped, KeyboardInterrupt)
        message = stopped_by(stopped) if interrupted else str(stopped)
        best = recorder.best_so_far(message)
        if best is not None and _is_proven(best, None if interrupted else request.gap):
            return best
        raise LimitReached(message + what_is_missing(best), best=best, interrupted=interrupted) from None
    except MemoryError:  # like a limit, but only if there is a result
        best = recorder.best_so_far(_NO_MEMORY) if claim is None and recorder.offered else None
        if best is None:
            raise
        if _is_proven(best, request.gap):
            return best
        raise LimitReached(_NO_MEMORY + what_is_missing(best), best=best) from None
    except SolverError as failed:
        if claim is not None or not recorder.offered:  # the claim is wrong, or no earlier result exists
            raise
        best = recorder.best_so_far(f"stopped by an error: {failed}")
        if best is None or best.status == Status.LIMIT_REACHED:
            raise
        raise NotProvenError(f"the method {chosen.name} failed: {failed}", best=best) from failed
    finally:
        recorder.close()
    if _is_proven(solution, target):
        return solution
    if chosen.iterations is not None and target is None and solution.status == Status.BOUNDED:  # any gap is accepted
        return solution
    problems = solution.verification.problems
    solution = dataclasses.replace(solution, stats={**solution.stats, "problems": list(problems)})
    if solution.bounds is not None and solution.status == Status.BOUNDED and CONCEPTS[solution.concept].of_player:
        apart = shorten(solution.bounds[1] - solution.bounds[0])
        said = f"proved only bounds with a gap of {apart}, which is more than the target gap"
    else:
        problem = f" ({problems[0]})" if problems else ""
        said = f"found no proven solution{what_is_missing(solution)}{problem}"
    raise NotProvenError(f"the method {chosen.name} {said}", best=solution)


def _chosen(request: Request, method: str | Method, options: dict[str, Any]) -> tuple[Method, str | None]:
    """Return the method, and the reason if it was chosen automatically."""
    if isinstance(method, str):
        name, reason = method_named(method), None
        if name == "auto":
            name, reason = choose(request.game, request.concept, options)
        return method_of(name, options, ("concept", "method", *(solve_recording.__kwdefaults__ or ()))), reason
    require_method(method, options)
    return method, None


def _require_fitting(request: Request, method: Method) -> None:
    """Raise an error if the method cannot fulfill the request."""
    concept, checkpoint = request.concept, request.checkpoint
    if concept not in method.concepts():
        raise GameError(f"the method {method.name} computes {', '.join(method.concepts())}, not {concept}")
    if checkpoint is not None and not method.resumable:
        able = ", ".join(name for name, other in METHODS.items() if other.resumable)
        raise SpecError(f"'checkpoint' is an option of the methods {able}, not of {method.name}: use one of them")
    if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
        raise SpecError(f"'checkpoint' must be the path of a file, not {described(checkpoint)}")
    if checkpoint is not None:
        require_writable(os.fspath(checkpoint), again=True)
    require_trembles_fit(request.trembles, concept)
    if method.approximate and request.gap == 0 and request.time_limit is None and method.iterations is None:
        exact = " and ".join(name for name, m in METHODS.items() if not m.approximate and concept in m.concepts())
        raise SpecError(
            f"the method {method.name} is approximate and cannot reach a gap of 0: request a positive gap, or give a "
            f"time limit; {exact} are exact"
        )


def _target_gap(request: Request, method: Method) -> Fraction | None:
    """Return the gap at which the method stops: the requested gap, or a default if the method needs a gap, or None."""
    of_player, player = CONCEPTS[request.concept].of_player, int(request.player or 0)
    if request.gap is not None:
        gap = Fraction(request.gap)
        return (min(gap, kind_of(request.game).payoff_range(player)) or gap) if of_player else gap
    if not (of_player or (method.approximate and method.iterations is None)):
        return None
    part = _DEFAULT_GAP if request.epsilon is None else min(Fraction(request.epsilon), Fraction(1))
    return part * kind_of(request.game).payoff_range(player)


def _reference(request: Request, method: Method, reason: str | None, gap: Fraction | None = None) -> MethodReference:
    """Return the method's name and options, as in solution files. Add ``reason`` if the choice was automatic."""
    options: dict[str, Any] = {} if reason is None else {"reason": reason}
    options |= recorded(method)
    if request.player is not None:
        options["player"] = request.player + 1
    if request.seed is not None:
        options["seed"] = request.seed
    if gap is not None:
        options["gap"] = format_fraction(gap)
    return MethodReference(method.name, options)


def payoff_gap(concept: str, player: int | None, epsilon: Gap, epsilon_abs: Gap, gap: Gap) -> Gap:
    """Return the requested gap in payoff units. Raise ``SpecError`` if the arguments contradict each other."""
    of_player = isinstance(concept, str) and concept in CONCEPTS and CONCEPTS[concept].of_player
    if not of_player and any(given is not None for given in (player, epsilon, epsilon_abs)):
        able = " or ".join(name for name, row in CONCEPTS.items() if row.of_player)
        raise SpecError(f"'player', 'epsilon' and 'epsilon_abs' are for the concept {able} only: request that concept")
    if player is not None:
        require_player(player)
    given = [value for value in (epsilon, epsilon_abs, gap) if value is not None]
    if len(given) > 1:
        raise SpecError("'epsilon', 'epsilon_abs' and 'gap' all set the target gap: give only one of them")
    if of_player and given and not checked_gap(given[0]):
        raise SpecError("the target gap must be positive: for a player without perfect recall, bounds may never meet")
    return checked_gap(gap if epsilon_abs is None else epsilon_abs)


def _in_payoff_units(gap: Gap | str, game: GameTree | UnbuiltGame) -> Gap:
    """Convert a percentage of the pot, such as ``"0.2%"``, to payoff units; return other gaps unchanged."""
    if not isinstance(gap, str) or not gap.rstrip().endswith("%"):
        return number_of(gap)
    pot = kind_of(game).pot()
    if pot is None:
        raise SpecError(f"the gap {gap:.40} is a part of the pot, but this game has no pot; give it in payoff units")
    return Fraction(checked_gap(number_of(gap)) or 0) * pot / 100


def number_of(gap: Gap | str) -> Gap:
    """Return the number in a gap, without a percent sign. The number is not checked."""
    return exact_number(gap.rstrip().removesuffix("%"), "gap") if isinstance(gap, str) else gap


def checked_gap(gap: Gap) -> Gap:
    """Check that a gap is finite and nonnegative, and return it. Floats stay floats; other numbers become exact."""
    if gap is not None and not isinstance(gap, float):
        gap = exact_number(gap, "gap")
    if gap is not None and not 0 <= gap < inf:
        raise SpecError(f"the gap must be a finite nonnegative number, not {described(gap)}")
    return gap


def checked_seed(seed: int | None) -> int | None:
    """Return ``seed``. Raise ``SpecError`` unless ``seed`` is an integer from 0 to ``LARGEST_SEED`` or None."""
    if seed is None:
        return None
    if not isinstance(seed, Integral) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED:
        raise SpecError(f"the seed must be an integer from 0 to {LARGEST_SEED}, not {described(seed, 40)}")
    return int(seed)


def _is_proven(solution: Solution, gap: Fraction | float | None) -> bool:
    """Check that the requested concept is proven, or that bounds or gains of at most ``gap`` are proven."""
    if solution.status == Status.CERTIFIED:
        return solution.concept == solution.requested
    row, bounds = CONCEPTS[solution.requested], solution.bounds
    apart = solution.verification.nash_conv if bounds is None else bounds[1] - bounds[0]
    bounded = row.bounded and row.equilibrium and solution.status == Status.BOUNDED
    return bounded and gap is not None and apart is not None and apart <= gap
