r"""Certify a profile from any source: prove that it is of a concept, or give the reason why it is not.

For a Nash equilibrium, the profile alone is enough: best responses are computed exactly. A refinement needs completely
mixed strategies that approach the profile. ``certify`` tries, in this order,

1. the certificate of the solution file that the profile comes from, if it has one for the concept;
2. a *direction* (:mod:`tremble.judge.certify.direction`): the direction of the perturbed plans in the file's
   certificate, then the direction of the given weights, or of equal ones:

   * ``sequential``: the direction determines beliefs, and with them the profile is a consistent assessment. The checker
     decides exactly if the profile is rational with these beliefs;
   * ``quasi-perfect``: the direction determines plans in which unplayed sequences have their least weights. The plans
     satisfy the definition or not.

3. all possible mistakes: linear programs find mistakes that support the profile, or a proof that no mistakes do
   (:mod:`tremble.judge.certify.mistakes`).

Only the checker says ``proven`` and ``disproven`` about the result. Where possible, :mod:`tremble.judge.audit` gives
the reasons in words: a player gains in a subgame, or plays an action that is wrong against every plan, or an action
that is dominated from there on.

``normal-form-perfect`` is a weaker condition: each strategy is a best response to some completely mixed strategy.
Separate linear programs (:mod:`tremble.solvers.undominated`) find that strategy, or a strategy that dominates. They
also prove or disprove that a strategy is ``proper``; without a constant sum that may stay undecided.

``perfect`` equals ``quasi-perfect`` if no player moves twice on a path. In other games it has no such short proof: only
its certificate proves it, and a profile that is not sequential is not perfect either. All other profiles are
*undecided*.

``one-sided-quasi-perfect`` needs mistakes of one player only, which the same linear program finds or refutes. That
player must also play a best response to the other wherever chance and the other player reach.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, overload

from tremble.check import Verification
from tremble.errors import CertificateError, GameError, LimitReached, NotProvenError
from tremble.formats.chance_repair import last_digit
from tremble.formats.foreign import game_of
from tremble.formats.given_profile import NOT_OF_RULES, given_profile
from tremble.formats.profile import NotStated, StatedProfile, read_profile
from tremble.formats.tolerance import repair_limit
from tremble.game.requirements import parent_sequence, require_perfect_recall
from tremble.game.rule_checks import pair
from tremble.game.rules import UnbuiltGame, not_built
from tremble.game.strategy import BehaviorStrategy
from tremble.game.strategy import Profile as BehaviorProfile
from tremble.game.tree import GameTree
from tremble.judge.audit.player import PlayerAudit
from tremble.judge.certify.refinements import METHOD, REFINEMENTS, Case, certify_refinement, listener
from tremble.run.clock import Clock, limited, required_time_limit
from tremble.run.progress import Progress
from tremble.solution.audit import Blunder
from tremble.solution.certificates import BEST_RESPONSE
from tremble.solution.certification import Certification, Verdict
from tremble.solution.claim import Claim, Profile
from tremble.solution.claims import prove
from tremble.solution.concepts import CONCEPTS
from tremble.solution.parts import OfRules, of_rules
from tremble.solution.solution import Solution
from tremble.solution.strategies import STRATEGIES
from tremble.solution.trembles import Trembles
from tremble.solvers.method import nobody_listens
from tremble.solvers.recorder import stated_solution
from tremble.solvers.table import concept_named, require_trembles_fit
from tremble.solvers.tremble_costs import require_affordable
from tremble.words import for_reader, require_hooks

__all__ = ["certification", "certify", "judged"]

_BY_BEST_RESPONSES = ("nash",)
"""The concepts that best responses decide."""


@overload
def certify(
    game: GameTree, profile: Any, concept: str = "nash", *, trembles: Trembles | None = None,
    repair_tolerance: Fraction | int | str | None = None, time_limit: float | None = None,
    progress: Progress | None = None,
) -> Solution[BehaviorStrategy]: ...  # fmt: skip
@overload
def certify(
    game: object, profile: Any, concept: str = "nash", *, trembles: Trembles | None = None,
    repair_tolerance: Fraction | int | str | None = None, time_limit: float | None = None,
    progress: Progress | None = None,
) -> Solution: ...  # fmt: skip
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
        A game with any payoffs, in which both players have perfect recall.
    profile : object
        A profile in any form: see :func:`tremble.nash_conv`. Floats are replaced by simple fractions nearby.
    concept : str
        ``"nash"``, ``"subgame-perfect"``, ``"quasi-perfect"``, ``"one-sided-quasi-perfect"``, ``"sequential"`` and
        ``"normal-form-perfect"`` (undominated) are always decided. ``"proper"`` is decided if the payoffs have a
        constant sum, and mostly in one-shot games; else it may stay undecided. ``"perfect"`` may stay undecided if a
        player moves twice on a path and the solution has no certificate for it.
    trembles : Trembles, optional
        Weights of the mistakes to try first, for ``"quasi-perfect"``, ``"sequential"`` and ``"perfect"``; all equal by
        default. ``"one-sided-quasi-perfect"`` needs them, to name the player who makes no mistakes.
    repair_tolerance : number, optional
        How far probabilities that do not sum to one may be moved.
    time_limit : float, optional
        Seconds.
    progress : callable, optional
        Called with (name of the step, fraction done or None).

    Returns
    -------
    Solution
        A solution with the status ``certified`` and the concept.

    Raises
    ------
    NotProvenError
        The profile is not of the concept, or that is undecided. The message says why. ``best`` is the profile with the
        facts that are proven: its values, the gains of both players, and bounds if the payoffs have a constant sum.
    LimitReached
        The time limit has passed; ``best`` as above, if there was time for it.
    GameError, CertificateError, FormatError
        A player lacks perfect recall, the profile belongs to another game, or a file has a wrong format.

    See Also
    --------
    tremble.results.certification : all findings, without an exception.

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
    certified = certification(
        game, profile, concept, trembles=trembles, repair_tolerance=repair_tolerance, time_limit=time_limit,
        progress=progress,
    )  # fmt: skip
    if certified.verdict is Verdict.PROVEN:
        return certified.solution
    raise NotProvenError(f"{certified.sentence}: {certified.reasons[0]}", best=certified.solution)


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
    """Return all findings about a profile; the arguments are those of :func:`tremble.certify`, which raises instead.

    Examples
    --------
    >>> import tremble
    >>> found = certification(tremble.matrix_game([[3, 0], [5, 1]], [[3, 5], [0, 1]]), "NE,1,0,1,0")
    >>> str(found.verdict), found.gains
    ('disproven', (Fraction(2, 1), Fraction(2, 1)))
    """
    time_limit = required_time_limit(time_limit)
    concept = concept_named(concept, judged())
    require_trembles_fit(trembles, concept, judged=True)
    require_hooks(progress=progress)
    clock, tell = Clock(time_limit), progress or nobody_listens
    if isinstance(profile, str | os.PathLike):
        profile = read_profile(profile, repair_tolerance=repair_tolerance)
    pair = of_rules(profile)
    played = game_of(game, from_rules=pair is not None)
    if not isinstance(played, GameTree):
        if pair is None:
            raise GameError(NOT_OF_RULES)
        return limited(clock.left, lambda: _of_rules(played, pair, concept, tell))
    if pair is not None:
        raise not_built()
    if trembles is not None:
        trembles.require_of(played)
        if time_limit is None:
            require_affordable(played, trembles, concept)
    tell("strategies", None)
    given = given_profile(played, profile, exact=True, repair_tolerance=repair_limit(False, repair_tolerance))
    require_perfect_recall(played)
    case = Case(
        played,
        _of_this_tree(played, given.strategies),
        concept,
        trembles,
        given.beliefs,
        given.certificate or {},
        given.not_stated,
        clock,
        tell,
    )
    nash = limited(clock.left, lambda: _of_tree(case, _hint(profile)))
    if nash.verdict is Verdict.DISPROVEN or concept not in REFINEMENTS:
        return nash
    try:
        return limited(clock.left, lambda: certify_refinement(case))
    except LimitReached as limit:
        raise LimitReached(
            f"{limit}; what is proven is a Nash equilibrium, not that it is {concept}",
            best=nash.solution,
            interrupted=limit.interrupted,
        ) from None


def judged() -> tuple[str, ...]:
    """Return the concepts by which a profile can be judged."""
    return tuple(name for name in CONCEPTS if name in _BY_BEST_RESPONSES or name in REFINEMENTS)


def _hint(profile: Any) -> str:
    """Return advice for a line of decimals that is no equilibrium; empty for other profiles."""
    if not isinstance(profile, StatedProfile) or profile.line is None or profile.repair is not None:
        return ""
    if not any(map(last_digit, profile.line)):
        return ""
    ask = for_reader("repair_tolerance=", "--repair")
    return f"decimals are read as exact numbers; {ask} takes the simplest fractions within their last digits"


def _of_this_tree(tree: GameTree, profile: BehaviorProfile) -> BehaviorProfile:
    """Return the strategies with the labels, parent sequences and marks of this tree."""
    return pair(
        replace(strategy, infoset_labels=tree.infoset_labels[player], parent=parent_sequence(tree, player)).marked()
        for player, strategy in enumerate(profile)
    )


def _of_rules(game: UnbuiltGame, profile: OfRules, concept: str, tell: Progress) -> Certification:
    """Judge a profile of rules by best responses, which decide about Nash; refinements need the tree."""
    if not CONCEPTS[concept].of_rules:
        able = " and ".join(repr(name) for name in judged() if CONCEPTS[name].of_rules)
        raise GameError(f"for a game that is not built, only {able} can be proven, not {concept!r}")
    STRATEGIES.plain(profile, "strategies")
    return _by_best_responses(game, profile, concept, prove(game, profile, progress=listener(tell)))


def _of_tree(case: Case, hint: str) -> Certification:
    """Judge if a profile of a tree is a Nash equilibrium, and if not, find better actions."""
    case.tell("best responses", None)
    verification = prove(case.tree, case.profile, progress=listener(case.tell))
    blunders: list[Blunder] = []
    refutation = None
    if verification.nash_conv:
        refutation = {"concept": case.concept, "kind": BEST_RESPONSE}
        verification = prove(case.tree, case.profile, refutation=refutation, progress=listener(case.tell))
        for player in (0, 1):
            examined = PlayerAudit(case.tree, player, case.profile)
            examined.regrets()
            blunders += [blunder for blunder in examined.blunders if blunder.on_path]
        blunders.sort(key=lambda b: (-b.gain, b.player, b.infoset))
    nash = _by_best_responses(
        case.tree, case.profile, case.concept, verification, case.not_stated, tuple(blunders), refutation
    )
    return replace(nash, reasons=(*nash.reasons, hint)) if nash.reasons and hint else nash


def _by_best_responses(
    game: GameTree | UnbuiltGame,
    profile: Profile,
    concept: str,
    verification: Verification,
    not_stated: NotStated = ((), ()),
    blunders: tuple[Blunder, ...] = (),
    refutation: Mapping[str, Any] | None = None,
) -> Certification:
    """Return the certification that follows from best responses."""
    if verification.values is None:
        raise CertificateError("; ".join(verification.problems))
    proven = verification.nash_conv == 0
    claim = Claim(profile, {} if proven else {"problems": list(verification.problems)}, refutation=refutation)
    solution = stated_solution(game, claim, concept, METHOD, verification)
    if proven:
        grounds = "best responses, computed exactly, gain nothing"
        return Certification(Verdict.PROVEN, solution, grounds=grounds, not_stated=not_stated)
    return Certification(
        Verdict.DISPROVEN, solution, reasons=verification.problems, blunders=blunders, not_stated=not_stated
    )
