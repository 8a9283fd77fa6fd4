r"""Any profile in, a proof out: or the reason against it.

A profile alone proves a Nash equilibrium: best responses are computed exactly. A refinement asks for completely mixed
strategies that approach the profile, which somebody has to name. Tried are, in this order,

1. the certificate of the solution file that the profile comes from, if it has one for the concept;
2. one *direction* (:mod:`tremble.judging.certify.direction`): that of the perturbed plans in the file's certificate,
   then the weights that are given, or equal ones. Of a direction,

   * ``sequential``: with the beliefs that follow from it the profile is a consistent assessment; whether it is rational
     with these beliefs is decided exactly;
   * ``quasi-perfect``: the plans that tremble so, with what the profile never plays kept to its least, either satisfy
     the definition or not.

   ``perfect`` has no such short proof: only its certificate will do.

What comes out is put before the checker, which alone says ``proven``. If nothing is proven, the opposite is looked for:
who gains in the game disproves every concept; who gains in a subgame, or plays what is wrong whatever the other plays
(:mod:`tremble.judging.audit`), every refinement; who plays what is dominated from there on, quasi-perfection. What
remains is *undecided*: these trembles do not support the profile, others might.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from tremble.clock import Clock, limited, required_time_limit
from tremble.errors import CertificateError, GameError, LimitReached, NotProvenError, SpecError, TooLargeError
from tremble.exact_numbers import shorten
from tremble.io.chance_repair import last_digit, repair_limit
from tremble.io.foreign import game_of
from tremble.io.foreign_profile import given_profile
from tremble.io.profile import NotStated, StatedProfile, read_profile
from tremble.judging.audit import Blunder, audit
from tremble.judging.audit.player import PlayerAudit
from tremble.judging.certify.direction import Direction, perturbed_plan, stated_plans
from tremble.judging.certify.subgames import SubgameGain, subgame_gains
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.progress import Progress
from tremble.model.recall import parent_sequence, require_perfect_recall
from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import Profile as BehaviorProfile
from tremble.model.tree import GameTree
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.certificates import PolynomialsCertificate
from tremble.solution.claim import Beliefs, Claim, Profile
from tremble.solution.heading import GameReference, MethodReference
from tremble.solution.solution import Solution
from tremble.solution.stated import NOT_BUILT, StatedSolution, pair_of
from tremble.solution.trembles import Trembles
from tremble.solution.verification import Verification
from tremble.solution.well_formed import require_strategies
from tremble.solvers.run import nobody_listens, require_hooks
from tremble.verifier import prove
from tremble.verifier.concepts.table import CONCEPTS

__all__ = ["Certification", "Verdict", "certification", "certify", "judged"]

_REFUTES: Mapping[str, tuple[str, ...]] = {
    "quasi-perfect": ("regret", "unsupported", "dominated"),
    "sequential": ("regret", "unsupported"),
    "perfect": ("regret", "unsupported"),
}
"""Concept -> kinds of blunders that no profile of it has."""

_WHEN = {"regret": "given how the other plays", "unsupported": "whatever the other plays"}


class Verdict(StrEnum):
    """Whether a profile is of a concept."""

    PROVEN = "proven"
    DISPROVEN = "disproven"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class Certification:
    """What was found out about a profile.

    Attributes
    ----------
    verdict : Verdict
        On the concept that was asked for.
    solution : Solution
        The profile, with what is proven of it.
    grounds : str
        What proves it, in words; empty unless it is proven.
    reasons : tuple of str
        Why it is not, or not known to be; empty if it is proven.
    blunders : tuple of Blunder
        Where a better action exists. If the profile is no equilibrium, on the path: times both reaches, the amounts sum
        to what each player can gain. Else what disproves the refinement.
    subgames : tuple of SubgameGain, or None
        Where the profile is no equilibrium of a subgame; empty if it is subgame perfect; None if nobody looked.
    not_stated : pair of tuples of int
        Numbers of the information sets that the profile leaves open, which were completed uniformly.
    """

    verdict: Verdict
    solution: Solution
    grounds: str = ""
    reasons: tuple[str, ...] = ()
    blunders: tuple[Blunder, ...] = ()
    subgames: tuple[SubgameGain, ...] | None = None
    not_stated: NotStated = ((), ())

    @property
    def gains(self) -> tuple[Fraction, Fraction]:
        """What each player gains by deviating."""
        found = self.solution.verification
        assert found.best_response_values is not None
        one, two = (best - value for best, value in zip(found.best_response_values, self.solution.values, strict=True))
        return one, two

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        words = CONCEPTS[self.solution.requested].words
        if self.within is not None:
            low, high = map(shorten, self.solution.bounds or ())
            return f"this is no exact {words}, but within NashConv {shorten(self.within)}, bounds {low} and {high}"
        positive = f"this is {'an' if words[0] in 'aeiou' else 'a'} {words}"
        if self.verdict is Verdict.DISPROVEN:
            return f"this is no {words}"
        return positive if self.verdict is Verdict.PROVEN else f"it is undecided whether {positive}"

    @property
    def within(self) -> Fraction | None:
        """NashConv of strategies of a game that is not built, if they prove bounds: methods only come near there."""
        gain = sum(self.gains, Fraction(0))
        return gain if gain and self.solution.not_built and self.solution.bounds is not None else None

    @property
    def subgame_perfect(self) -> bool | None:
        """Whether the profile is an equilibrium of every subgame; None if that was not looked at."""
        return None if self.subgames is None else not self.subgames


def certify(
    game: object,
    profile: Any,
    concept: str = "nash",
    *,
    trembles: Trembles | None = None,
    repair_tolerance: Fraction | int | str | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Prove that a profile from anywhere is an equilibrium.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
        Any payoffs; both players remember what they did.
    profile : object
        A pair of strategies; a solution; the path or the text of a file that :func:`tremble.read_profile` reads, such
        as ``"NE,1/2,1/2,..."``; a mixed profile of pygambit; a policy of OpenSpiel, or a pair of them. Floats become
        simple fractions nearby, see :func:`tremble.from_openspiel_policy`.
    concept : str
        ``"nash"``, which is always decided; ``"quasi-perfect"``, ``"sequential"`` or ``"perfect"``, of which the
        certificate of a solution, or one direction of trembles, is tried.
    trembles : Trembles, optional
        Weights of the mistakes, for refinements; all equal by default.
    repair_tolerance : number, optional
        How far probabilities may be moved that do not sum to one.
    time_limit : float, optional
        Seconds.
    progress : callable, optional
        Called with (name of the step, fraction done or None).

    Returns
    -------
    Solution
        ``certified``, with the concept.

    Raises
    ------
    NotProvenError
        The profile is not of the concept, or that is undecided; the message says why, and ``best`` is the profile with
        what is proven of it: its values, the gains of both players, bounds where the payoffs have a constant sum.
    LimitReached
        The time limit; ``best`` as above, if there was time for it.
    GameError, CertificateError, FormatError
        A player forgets; the profile is not of this game; a file is not of its format.

    See Also
    --------
    tremble.judging.certify.certification : all that was found out, without an exception.

    Examples
    --------
    >>> import tremble
    >>> pennies = tremble.load("matching_pennies")
    >>> tremble.certify(pennies, "NE,1/2,1/2,1/2,1/2").status
    <Status.CERTIFIED: 'certified'>
    >>> tremble.certify(pennies, "NE,1/2,1/2,1/4,3/4")
    Traceback (most recent call last):
    tremble.errors.NotProvenError: this is no Nash equilibrium: player 1 can gain 1/2 by deviating: ...
    """
    found = certification(
        game, profile, concept, trembles=trembles, repair_tolerance=repair_tolerance, time_limit=time_limit,
        progress=progress,
    )  # fmt: skip
    if found.verdict is Verdict.PROVEN:
        return found.solution
    raise NotProvenError(f"{found.sentence}: {found.reasons[0]}", best=found.solution)


def certification(
    game: object,
    profile: Any,
    concept: str = "nash",
    *,
    trembles: Trembles | None = None,
    repair_tolerance: Fraction | int | str | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Certification:
    """All that is found out about a profile; the arguments are those of :func:`certify`."""
    time_limit = required_time_limit(time_limit)
    if not isinstance(concept, str) or concept not in judged():
        raise SpecError(f"unknown concept {concept!r:.80}; choose from: {', '.join(judged())}")
    if trembles is not None and not isinstance(trembles, Trembles):
        raise SpecError(f"trembles are tremble.Trembles, not {trembles!r:.80}: Trembles.read(file, tree) reads them")
    if trembles is not None and concept == "nash":
        raise SpecError("trembles are for refinements: ask for quasi-perfect, sequential or perfect, not nash")
    require_hooks(progress=progress)
    clock, tell = Clock(time_limit), progress or nobody_listens
    if isinstance(profile, str | os.PathLike):
        profile = read_profile(profile, repair_tolerance=repair_tolerance)
    unbuilt = _unbuilt(profile)
    played = game_of(game, from_rules=unbuilt is not None)
    if unbuilt is not None or not isinstance(played, GameTree):
        if unbuilt is None or isinstance(played, GameTree):
            raise GameError(NOT_BUILT if unbuilt is not None else "a game that is not built takes strategies of such")
        return limited(clock.left, lambda: _of_rules(played, unbuilt, concept, tell))
    if trembles is not None:
        trembles.require_of(played)
    tell("strategies", None)
    given, not_stated, stated = given_profile(
        played, profile, game=None if played is game else game, repair_tolerance=repair_limit(False, repair_tolerance)
    )
    require_perfect_recall(played)
    hint = _hint(profile)
    case = _Case(played, _known(played, given), concept, trembles, stated, not_stated, clock, tell)
    nash = limited(clock.left, case.nash)
    if nash.reasons and hint:
        nash = replace(nash, reasons=(*nash.reasons, hint))
    if nash.verdict is Verdict.DISPROVEN or concept == "nash":
        return nash
    try:
        return limited(clock.left, lambda: case.refinement(nash.solution))
    except LimitReached as limit:
        raise LimitReached(
            f"{limit}; what is proven is a Nash equilibrium, not that it is {concept}",
            best=nash.solution,
            interrupted=limit.interrupted,
        ) from None


def judged() -> tuple[str, ...]:
    """The concepts that a profile may be judged by: Nash equilibrium and what refines it."""
    return tuple(name for name, row in CONCEPTS.items() if row.equilibrium)


_NotBuilt = tuple[UnbuiltStrategy, UnbuiltStrategy] | tuple[OrderedStrategy, OrderedStrategy]


def _hint(profile: Any) -> str:
    """What to try with a line of decimals that is no equilibrium."""
    if not isinstance(profile, StatedProfile) or profile.line is None or profile.repair is not None:
        return ""
    if not any(map(last_digit, profile.line)):
        return ""
    return "decimals are taken at their word; --repair takes the simplest fractions within their last digits"


def _unbuilt(profile: Any) -> _NotBuilt | None:
    """The strategies of a game that is not built, if these are some."""
    if isinstance(profile, StatedProfile | StatedSolution):
        return profile.ordered or profile.unbuilt
    if not isinstance(profile, Sequence) or isinstance(profile, str):
        return None
    return pair_of(OrderedStrategy, profile) or pair_of(UnbuiltStrategy, profile)


def _known(tree: GameTree, profile: BehaviorProfile) -> BehaviorProfile:
    """The strategies with the names of this tree; they know which of their moves lead where."""
    one, two = (
        replace(strategy, infoset_labels=tree.infoset_labels[player], parent=parent_sequence(tree, player)).marked()
        for player, strategy in enumerate(profile)
    )
    return one, two


def _of_rules(game: UnbuiltGame, profile: _NotBuilt, concept: str, tell: Progress) -> Certification:
    """Best responses from the rules decide about Nash; refinements need the tree."""
    if concept != "nash":
        raise GameError(f"of a game that is not built, only 'nash' can be proven, not {concept!r}")
    require_strategies(profile)
    found = prove(game, profile, progress=_listener(tell))
    return _on_nash(game, profile, concept, found, ((), ()), ())


def _listener(tell: Progress) -> Callable[[str], None]:
    return lambda step: tell(step, None)


def _on_nash(
    game: GameTree | UnbuiltGame,
    profile: Profile,
    concept: str,
    found: Verification,
    not_stated: NotStated,
    blunders: tuple[Blunder, ...],
) -> Certification:
    """The verdict that best responses give."""
    if found.values is None:
        raise CertificateError("; ".join(found.problems))
    proven = found.nash_conv == 0
    grounds = "best responses, computed exactly, gain nothing"
    stats: dict[str, Any] = {} if proven else {"problems": list(found.problems)}
    solution = _solution(game, concept, Claim(profile, stats), found, {})
    if proven:
        return Certification(Verdict.PROVEN, solution, grounds=grounds, not_stated=not_stated)
    return Certification(Verdict.DISPROVEN, solution, reasons=found.problems, blunders=blunders, not_stated=not_stated)


def _solution(
    game: GameTree | UnbuiltGame, concept: str, claim: Claim, found: Verification, certificate: Mapping[str, Any]
) -> Solution:
    return Solution.proven(GameReference.of(game), concept, MethodReference("certify", {}), claim, certificate, found)


@dataclass(frozen=True, eq=False)
class _Attempt:
    """What may prove a refinement."""

    grounds: str
    certificate: Mapping[str, Any]
    beliefs: Beliefs | None


@dataclass(frozen=True, eq=False)
class _Case:
    """A profile of a tree, and what is asked of it."""

    tree: GameTree
    profile: BehaviorProfile
    concept: str
    trembles: Trembles | None
    stated: StatedSolution | None  # that the profile comes from
    not_stated: NotStated
    clock: Clock
    tell: Progress

    def nash(self) -> Certification:
        """Whether it is an equilibrium, and if not, where better actions exist."""
        self.tell("best responses", None)
        found = prove(self.tree, self.profile, progress=_listener(self.tell))
        blunders: list[Blunder] = []
        if found.nash_conv:
            for player in (0, 1):
                examined = PlayerAudit(self.tree, player, self.profile)
                examined.regrets()
                blunders += [blunder for blunder in examined.found if blunder.on_path]
            blunders.sort(key=lambda b: (-b.amount * b.own_reach * b.other_reach, b.player, b.infoset))
        return _on_nash(self.tree, self.profile, self.concept, found, self.not_stated, tuple(blunders))

    def refinement(self, nash: Solution) -> Certification:
        """Whether an equilibrium is of the concept."""
        one, two = (replace(s, off_path=np.zeros_like(s.off_path)) for s in self.profile)
        failures: list[str] = []
        for attempt in self._attempts(failures):
            self.tell("verification", None)
            found = prove(
                self.tree, (one, two), concept=self.concept, certificate=attempt.certificate, beliefs=attempt.beliefs,
                progress=_listener(self.tell),
            )  # fmt: skip
            if found.proven == self.concept:
                claim = Claim((one, two), {}, beliefs=attempt.beliefs)
                solution = _solution(self.tree, self.concept, claim, found, attempt.certificate)
                return Certification(Verdict.PROVEN, solution, grounds=attempt.grounds, not_stated=self.not_stated)
            failures.append(f"{attempt.grounds}: {found.problems[0]}")
        return self._unproven(nash, failures)

    def _attempts(self, failures: list[str]) -> Iterator[_Attempt]:
        """What may prove it, the most promising first; notes what cannot be tried."""
        stated = self.stated
        row = CONCEPTS[self.concept]
        if stated is not None and stated.certificate.get("kind") in (row.certificate, *row.other_certificates):
            beliefs = stated.beliefs if self.concept == "sequential" else None
            if beliefs is not None or self.concept != "sequential":
                yield _Attempt("the certificate in the file", stated.certificate, beliefs)
        if self.concept == "sequential":
            for direction in self._directions():
                self.tell("beliefs", None)
                try:
                    beliefs = limit_beliefs(self.tree, direction.terms(self.tree, self.profile))
                except TooLargeError as error:
                    failures.append(str(error))
                    return
                yield _Attempt(direction.words, direction.certificate(self.tree).plain(), beliefs)
        if self.concept == "quasi-perfect":
            direction = Direction.of_trembles(self.tree, self.trembles)
            one, two = (perturbed_plan(self.tree, self.profile[i], direction.weights[i]) for i in (0, 1))
            if one is not None and two is not None:
                weights = None if self.trembles is None else self.trembles.rows()
                yield _Attempt(direction.words, PolynomialsCertificate((one, two), weights).plain(), None)
            else:
                failures.append("the plans that tremble would have too many coefficients")

    def _directions(self) -> Iterator[Direction]:
        if self.stated is not None:
            plans = stated_plans(self.tree, self.stated.certificate)
            direction = None if plans is None else Direction.of_plans(self.tree, self.profile, plans)
            if direction is not None:
                yield direction
        yield Direction.of_trembles(self.tree, self.trembles)

    def _unproven(self, nash: Solution, failures: list[str]) -> Certification:
        """Whether an equilibrium that nothing proves to be of the concept is disproven, and why not proven."""
        self.tell("subgames", None)
        subgames = subgame_gains(self.tree, self.profile, self.clock.check)
        reasons = [_on_subgame(gain) for gain in subgames]
        audited = audit(self.tree, self.profile, time_limit=self.clock.left, progress=self.tell)
        blunders = tuple(b for b in audited.blunders if b.kind in _REFUTES.get(self.concept, ()))
        reasons += [_on_blunder(self.tree, blunder) for blunder in blunders]
        verdict = Verdict.DISPROVEN if reasons else Verdict.UNDECIDED
        if not reasons:
            reasons = failures
            if self.concept == "perfect":
                reasons.append("the strategies alone do not tell; a certificate of kind 'basis' would prove it")
            else:
                reasons.append("the mistakes that were tried do not support the profile, others might")
        stats = {"problems": reasons}
        solution = replace(nash, stats=stats)
        return Certification(
            verdict, solution, reasons=tuple(reasons), blunders=blunders, subgames=subgames, not_stated=self.not_stated
        )


def _on_subgame(found: SubgameGain) -> str:
    shown = " / ".join(found.path[:10]) + (" / ..." if len(found.path) > 10 else "")
    where = f"in the subgame after {shown!r:.200}" if found.path else "in the whole game"
    return f"player {found.player + 1} can gain {shorten(found.gain)} {where}, so it is not subgame perfect"


def _on_blunder(tree: GameTree, found: Blunder) -> str:
    place = f"player {found.player + 1}, {tree.set_name(found.player, found.infoset - 1)}"
    played = "this mixture" if found.action is None else repr(found.action)
    if found.kind == "dominated":
        return f"{place}: {played} is weakly dominated from there on; a plan with {found.better!r} is better"
    least = "at least " if found.kind == "unsupported" else ""
    return (
        f"{place}: {played} is played with probability {shorten(found.probability)}, but {_WHEN[found.kind]} "
        f"{found.better!r} earns {least}{shorten(found.loss)} more"
    )
