"""The one door to all methods: check, choose, run, prove, or hand out what there is when stopped.

A method returns a claim. The independent checker of :mod:`tremble.verifier` proves it on the original game, and that
alone gives the status of the solution. Whatever goes wrong inside a method, a wrong result cannot leave here as
``certified``.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from math import inf
from numbers import Integral
from typing import Any

from tremble.clock import INTERRUPTED, Clock, grace, interrupts_held_back, limited, required_time_limit
from tremble.errors import GameError, LimitReached, NotProvenError, SolverError, SpecError
from tremble.exact_numbers import exact_number, format_fraction, shorten
from tremble.io.foreign import game_of
from tremble.kinds import kind_of
from tremble.linear.draws import LARGEST_SEED, seeded
from tremble.model.progress import Progress
from tremble.model.recall import parent_sequence
from tremble.model.tree import GameTree, require_player
from tremble.solution.claim import Claim, Profile
from tremble.solution.heading import GameReference, MethodReference, Status
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solution.verification import Verification
from tremble.solvers.incumbent import Incumbent
from tremble.solvers.method import AnyGame, Method, accept_tree, recorded
from tremble.solvers.run import Log, Run, nobody_listens, require_hooks
from tremble.solvers.table import METHODS, choose, method_of, require_concept, require_trembles_fit
from tremble.system.whole_file import require_writable
from tremble.verifier import CONCEPTS, prove

__all__ = ["checked_seed", "proven_equilibrium", "solve"]

_GRACE_SECONDS = 60.0  # after Ctrl-C, for exact bounds if none are known, and for what the strategies earn
_FOR_BOUNDS = 0.8  # of that time is for the bounds
# Shares of the grace period after a time limit: until then a claim is verified, and exact bounds are looked for. The
# rest is for writing.
_VERIFICATION, _BOUNDS = 0.25, 0.55
_AT_LAST = 0.7  # the same for bounds where none are known
_LEAST = 0.3  # seconds for bounds, and for what is earned, however late it is
_STOP = 0.1  # seconds between the limit of a method and what stops it if it has not looked at the clock
_DEFAULT_GAP = Fraction(1, 1000)  # of the range of the payoffs, for methods that only ever come near


def solve(
    game: object,
    concept: str = "nash",
    method: str | Method = "auto",
    *,
    time_limit: float | None = None,
    gap: Fraction | float | None = None,
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
    """Solve a game, and prove the answer.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
        See :func:`tremble.load`, :func:`tremble.load_rules`, :func:`tremble.build`, :func:`tremble.read_efg`. Rules
        that are not built are accepted by the double oracle.
    concept : str
        ``"nash"``, ``"quasi-perfect"``, ``"sequential"`` or ``"perfect"`` (extensive-form perfect). One equilibrium is
        computed, of possibly many: a sequential one is the quasi-perfect one with its beliefs. Or ``"maxmin"``: a
        behavior strategy of one player, who may forget, that guarantees the most, and a best reply to it.
    method : str or method
        ``"auto"``, a name from ``METHODS``, or a value from :mod:`tremble.methods`, whose fields are its options.
    time_limit : float, optional
        Seconds.
    gap : Fraction or float, optional
        Accept any solution whose bounds on player 1's value lie at most this far apart. Methods that only ever come
        near have a default, a thousandth of the range of the payoffs. A method that is exact anyway does not look at
        it, but what a limit leaves may then be enough.
    progress : callable, optional
        Called with (name of the step, fraction done or None).
    seed : int, optional
        From 0 to 2147483647; 0 if not given. Linear programs are perturbed, pivots chosen in a stall, and priors drawn
        that are to be random: which of several equilibria is found may depend on the seed. What proofs draw at random
        does not.
    trembles : Trembles, optional
        Weights of the actions, for refinements; all equal by default, those of the prior with ``lemke``.
    checkpoint : str or path, optional
        For methods that can go on where they were stopped: from this file if it exists, which is kept up to date.
    report : callable, optional
        Called by iterative methods with plain data on each iteration.
    player : int, optional
        0 (if not given) or 1: for ``"maxmin"``, whose strategy.
    epsilon : Fraction or float, optional
        For ``"maxmin"``: how far apart the bounds on what the player can guarantee may be, as a part of the range of
        the payoffs; 1/1000 if not given.
    epsilon_abs : Fraction or float, optional
        The same in payoff units.
    **options
        Of a method given by name: ``solve(game, method="double-oracle", policy="worse")``.

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
        equilibrium if there was time for one; else a profile with proven bounds. Without a constant sum there is
        neither, and nothing is proven of it. With a time limit, that comes within :func:`tremble.clock.grace` seconds
        after it.
    NotProvenError
        What came out is not proven to be what was asked for; its ``best`` says what is proven of it.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"))
    >>> solution.value, str(solution.status)
    (Fraction(-1, 18), 'certified')
    """
    time_limit = required_time_limit(time_limit)
    gap = _closeness(concept, player, epsilon, epsilon_abs, gap)
    epsilon = _checked_gap(epsilon)
    seed = checked_seed(seed)
    game = game_of(game)
    require_hooks(progress=progress, report=report)
    tell: Progress = progress or nobody_listens
    clock = Clock(None if time_limit is None else time_limit - _reserve(game, time_limit))
    listen = _listening(tell)
    end = None if time_limit is None else time_limit + _FOR_BOUNDS * _BOUNDS * grace(time_limit)
    of_player = _FIRST.get(str(concept))
    first = None if of_player is None else partial(of_player, game, int(player or 0))
    incumbent = Incumbent(game, clock, partial(_bounds_of, game, concept), end=end, first=first)
    ending = _Ending(game, concept, MethodReference("auto", {}), clock, incumbent, tell, time_limit)
    claim: Claim | None = None
    try:
        # To choose, an ordered game is shrunk, which takes time.
        chosen, reason = limited(clock.left, lambda: _chosen(game, concept, method, options))
        _require_fitting(chosen, concept, gap, time_limit, trembles, checkpoint)
        ending.method = _reference(chosen, reason, seed, None)
        chosen.accepts(game, concept)
        if trembles is not None:
            trembles.require_of(accept_tree(game))
        wanted = _wanted_gap(game, chosen, concept, gap, epsilon)
        ending.method = _reference(chosen, reason, seed, wanted, player)

        def log(row: Mapping[str, Any]) -> None:
            incumbent.hear(row)
            if report is not None:
                report(row)

        run = Run(
            clock, tell, incumbent.offer, log, wanted, trembles, checkpoint,
            player=int(player or 0), offer_claim=incumbent.offer_claim,
        )  # fmt: skip
        with seeded(seed or 0):
            stop = None if clock.left is None else clock.left + _STOP
            found = claim = limited(stop, lambda: chosen.run(game, concept, run))
        tell("verification", None)
        solution = limited(ending.left(_VERIFICATION), lambda: ending.proven(found, listen))
    except (LimitReached, KeyboardInterrupt) as stopped:
        interrupted = isinstance(stopped, KeyboardInterrupt)
        message = INTERRUPTED if interrupted else str(stopped)
        best = ending.best_so_far(message)
        if best is not None and _is_proven(best, None if interrupted else gap):
            return best
        raise LimitReached(message + _what_is_missing(best), best=best, interrupted=interrupted) from None
    except (SolverError, MemoryError) as failed:
        if claim is not None or not incumbent.offered:  # what the method says is wrong, or it has nothing to say
            raise
        best = ending.best_so_far(f"stopped by an error: {failed}")
        if best is None or best.status == Status.LIMIT_REACHED:
            raise
        raise NotProvenError(f"the method {chosen.name} failed: {failed}", best=best) from failed
    finally:
        incumbent.close()
    if not _is_proven(solution, wanted):
        problems = solution.verification.problems
        problem = f" ({problems[0]})" if problems else ""
        solution = dataclasses.replace(solution, stats={**solution.stats, "problems": list(problems)})
        if solution.status == Status.BOUNDED and CONCEPTS[solution.concept].of_player:
            assert solution.bounds is not None
            apart = shorten(solution.bounds[1] - solution.bounds[0])
            raise NotProvenError(
                f"the method {chosen.name} ended with proven bounds that are {apart} apart, which is more than was "
                "asked for",
                best=solution,
            )
        raise NotProvenError(
            f"the method {chosen.name} found no proven solution{_what_is_missing(solution)}{problem}", best=solution
        )
    return solution


# -- check and choose ------------------------------------------------------------------------------


def _closeness(
    concept: str,
    player: int | None,
    epsilon: Fraction | float | None,
    epsilon_abs: Fraction | float | None,
    gap: Fraction | float | None,
) -> Fraction | float | None:
    """The gap that is asked for in payoff units; ``SpecError`` unless what says so fits together."""
    of_player = isinstance(concept, str) and concept in CONCEPTS and CONCEPTS[concept].of_player
    if not of_player and any(given is not None for given in (player, epsilon, epsilon_abs)):
        able = " or ".join(name for name, row in CONCEPTS.items() if row.of_player)
        raise SpecError(f"player, epsilon and epsilon_abs are for the concept {able}: ask for that")
    if player is not None:
        require_player(player)
    given = [value for value in (epsilon, epsilon_abs, gap) if value is not None]
    if len(given) > 1:
        raise SpecError("epsilon, epsilon_abs and gap say the same in two ways: give one of them")
    if given and not _checked_gap(given[0]):
        if epsilon is None and not of_player:
            return _checked_gap(gap)
        raise SpecError("epsilon must be positive: bounds that meet are out of reach where a player forgets")
    return _checked_gap(gap if epsilon_abs is None else epsilon_abs)


def _checked_gap(gap: Fraction | float | None) -> Fraction | float | None:
    if gap is not None and not isinstance(gap, float):
        gap = exact_number(gap, "gap")
    if gap is not None and not 0 <= gap < inf:
        raise SpecError(f"the gap must be a number and not negative, but it is {gap}")
    return gap


def checked_seed(seed: int | None) -> int | None:
    """The seed; ``SpecError`` unless it is one or None."""
    if seed is None:
        return None
    if not isinstance(seed, Integral) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED:
        raise SpecError(f"the seed must be an integer from 0 to {LARGEST_SEED}, not {seed!r:.40}")
    return int(seed)


def _chosen(game: AnyGame, concept: str, method: str | Method, options: dict[str, Any]) -> tuple[Method, str | None]:
    """The method, and why if it was not asked for."""
    if isinstance(method, str):
        name, reason = choose(game, concept) if method == "auto" else (method, None)
        return method_of(name, options), reason
    if isinstance(method, type) or not isinstance(method, tuple(METHODS.values())):
        raise SpecError(f"a method is a name or a value from tremble.methods, such as Lp(), not {method!r:.80}")
    if options:
        raise SpecError(f"{next(iter(options))}: the options of a method that is a value are its fields")
    return method, None


def _require_fitting(
    method: Method,
    concept: str,
    gap: Fraction | float | None,
    time_limit: float | None,
    trembles: Trembles | None,
    checkpoint: str | os.PathLike[str] | None,
) -> None:
    """Raise unless what is asked for goes together."""
    require_concept(concept)
    if concept not in method.concepts:
        raise GameError(f"method {method.name} computes {', '.join(method.concepts)}, not {concept}")
    if checkpoint is not None and not method.resumable:
        able = ", ".join(name for name, other in METHODS.items() if other.resumable)
        raise SpecError(f"checkpoint is an option of the method {able}, not of {method.name}: ask for that method")
    if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
        raise SpecError(f"checkpoint is the path of a file, not {checkpoint!r:.80}")
    if checkpoint is not None:
        require_writable(os.fspath(checkpoint), again=True)
    require_trembles_fit(trembles, concept)
    if method.approximate and gap == 0 and time_limit is None:
        exact = " and ".join(name for name, m in METHODS.items() if not m.approximate and concept in m.concepts)
        raise SpecError(
            f"a gap of 0 is out of reach of {method.name}, which only comes near: ask for a positive gap, or give a "
            f"time limit; {exact} are exact"
        )


def _wanted_gap(
    game: AnyGame, method: Method, concept: str, gap: Fraction | float | None, epsilon: Fraction | float | None
) -> Fraction | None:
    """The gap to stop at: what is asked for, or the default of methods and concepts that need one."""
    of_player = CONCEPTS[concept].of_player
    if of_player and gap is not None:
        return min(Fraction(gap), kind_of(game).payoff_range()) or Fraction(gap)
    if gap is not None or not (method.approximate or of_player):
        return None if gap is None else Fraction(gap)
    part = _DEFAULT_GAP if epsilon is None else min(Fraction(epsilon), Fraction(1))
    return part * kind_of(game).payoff_range()


def _reference(
    method: Method, reason: str | None, seed: int | None, gap: Fraction | None, player: int | None = None
) -> MethodReference:
    """The method as a solution file names it."""
    options: dict[str, Any] = {} if reason is None else {"reason": reason}
    options |= recorded(method)
    if player is not None:
        options["player"] = player + 1
    if seed is not None:
        options["seed"] = seed
    if gap is not None:
        options["gap"] = format_fraction(gap)
    return MethodReference(method.name, options)


# -- prove, or what to hand out when stopped ---------------------------------------------------------

Listener = Callable[[str], None]
"""Called by the checker now and then; may raise to stop it."""


def _listening(progress: Progress) -> Listener:
    return lambda step: progress(step, None)


def _bounds_of(game: AnyGame, concept: str, claim: Claim, listen: Listener) -> Verification:
    """What is proven of a claim; of one without a certificate, as of strategies that claim to be an equilibrium."""
    if claim.certificate is None:
        return prove(game, claim.strategies, progress=listen)
    return prove(game, claim.strategies, concept=concept, certificate=claim.certificate.plain(), progress=listen)


def _first_maxmin(game: AnyGame, player: int) -> Claim:
    """What is claimed of a maxmin strategy before any is looked for."""
    from tremble.model.bilinear_form import BilinearForm
    from tremble.solvers.shared.branching.claims import first_claim

    profile = kind_of(game).first_profile()
    if not isinstance(game, GameTree) or all(parent_sequence(game, i) is not None for i in (0, 1)):
        return Claim(profile, {})
    return first_claim(BilinearForm.of(game, player), profile, Fraction(0))


_FIRST: Mapping[str, Callable[[AnyGame, int], Claim]] = {"maxmin": _first_maxmin}
"""Concept -> what is claimed for a player before a method offers anything; of others a profile."""


@dataclasses.dataclass
class _Ending:
    """How a run ends: with what is proven of its claim, or of the best profile so far."""

    game: AnyGame
    requested: str
    method: MethodReference
    clock: Clock
    incumbent: Incumbent
    progress: Progress
    time_limit: float | None

    def left(self, share: float) -> float | None:
        """Seconds until this share of the grace period after the time limit has passed."""
        limit = self.time_limit
        return None if limit is None else limit + share * grace(limit) - self.clock.elapsed

    def proven(self, claim: Claim, listen: Listener) -> Solution:
        """A claim with what the checker finds of it."""
        began = self.clock.elapsed
        certificate = None if claim.certificate is None else claim.certificate.plain()
        found = prove(
            self.game, claim.strategies, concept=self.requested, certificate=certificate, beliefs=claim.beliefs,
            progress=listen,
        )  # fmt: skip
        elapsed = self.clock.elapsed
        seconds = {"verify_seconds_float": elapsed - began, "total_seconds_float": elapsed}
        claim = dataclasses.replace(claim, diagnostics={**claim.diagnostics, **seconds})
        return self._solution(claim, found, certificate)

    def best_so_far(self, stopped: str) -> Solution | None:
        """The best profile so far with exact bounds, or without; None if there is no time.

        A second Ctrl-C ends the search for bounds.
        """
        clock, incumbent = self.clock, self.incumbent
        stats: dict[str, Any] = {"total_seconds_float": clock.elapsed, "stopped": stopped}
        end = clock.elapsed + _GRACE_SECONDS
        if self.time_limit is not None:
            share = _BOUNDS if incumbent.known else _AT_LAST
            end = min(end, self.time_limit + share * grace(self.time_limit))
        listen = _listening(self.progress)
        try:
            self.progress("exact bounds of the best strategies so far (Ctrl-C: without them)", None)
            with suppress(LimitReached, KeyboardInterrupt):
                seconds = max(_FOR_BOUNDS * (end - clock.elapsed), _LEAST)
                incumbent.bounds(seconds, at_once=stopped == INTERRUPTED, listen=listen)

            def earned(profile: Profile) -> tuple[Fraction, Fraction]:
                left = max(end - clock.elapsed, _LEAST)
                return limited(left, lambda: kind_of(self.game).expected(profile, listen))

            if incumbent.known and clock.elapsed > end:  # whoever stops this now would lose what is known
                with interrupts_held_back():
                    return self._handed_out(*incumbent.closest(), stats)
            claim, seen = incumbent.best(earned)
            if seen is None:
                values = earned(claim.strategies)
                seen = Verification(False, "nash", Status.LIMIT_REACHED, None, None, (), values)
            return self._handed_out(claim, seen, stats)
        except (SolverError, KeyboardInterrupt):
            return None

    def _handed_out(self, claim: Claim, seen: Verification, stats: dict[str, Any]) -> Solution:
        certificate = None if claim.certificate is None else claim.certificate.plain()
        if self.incumbent.claimed is not None:
            stats = {**stats, "claimed_float": self.incumbent.claimed}
        claim = dataclasses.replace(claim, diagnostics={**claim.diagnostics, **stats})
        return self._solution(claim, seen, certificate)

    def _solution(self, claim: Claim, found: Verification, certificate: dict[str, Any] | None = None) -> Solution:
        game = GameReference.of(self.game)
        return Solution.proven(game, self.requested, self.method, claim, certificate or {}, found)


def _reserve(game: AnyGame, time_limit: float) -> float:
    """Seconds before a time limit that a large game needs, beside the grace period, for its values and for writing."""
    return min(max(kind_of(game).writing_seconds() - grace(time_limit) / 2, 0.0), time_limit / 2)


def _is_proven(solution: Solution, gap: Fraction | float | None) -> bool:
    """Whether a solution is what was asked for: the concept, or bounds that are close enough."""
    if solution.status == Status.CERTIFIED:
        return solution.concept == solution.requested
    row, bounds = CONCEPTS[solution.requested], solution.bounds
    return row.bounded and row.equilibrium and gap is not None and bounds is not None and bounds[1] - bounds[0] <= gap


def _what_is_missing(best: Solution | None) -> str:
    """What is not proven of the best solution, as the end of a sentence."""
    if best is None:
        return "; there is no result yet"
    if best.status == Status.CERTIFIED:
        return f"; what is proven is a Nash equilibrium, not that it is {best.requested}"
    if best.bounds is None:
        return "; nothing is proven of its strategies yet, `tremble respond` tells what they are worth"
    return ""


def proven_equilibrium(tree: GameTree, profile: Profile, method: str, check: Callable[[], None]) -> Solution:
    """An equilibrium that an exact method found, with its proof; ``SolverError`` if the checker does not agree."""
    found = prove(tree, profile, progress=lambda _step: check())
    if not found.ok:
        raise SolverError(f"{method} found what is no equilibrium, which is a fault of tremble: {found.problems[:1]}")
    reference = MethodReference(method, {})
    return Solution.proven(GameReference.of(tree), "nash", reference, Claim(profile, {}), {}, found)
