r"""Certify a profile from any source: prove that it satisfies an equilibrium concept, or explain why it does not.

To decide if a profile is a Nash equilibrium, ``certify`` computes exact best responses. To prove a refinement, it needs
completely mixed strategies that converge to the profile. It tries the following sources of such strategies in order:

1. The certificate of the solution file from which the profile was read, if the certificate is for the concept.
2. A *direction*: weights and orders of the mistakes (:mod:`tremble.judge.certify.direction`). The first direction comes
   from the perturbed plans in the file's certificate. The second comes from the given weights, or from equal weights.

   * ``sequential``: the direction determines beliefs. The profile and these beliefs are a consistent assessment. The
     checker decides exactly if the profile is rational given these beliefs.
   * ``quasi-perfect``: the direction determines plans in which each sequence that ends with an unplayed action has its
     least allowed weight. The checker decides if these plans satisfy the definition.

3. All possible mistakes. Linear programs find mistakes that *support* the profile (the profile is optimal against
   them), or a proof that no mistakes support it (:mod:`tremble.judge.certify.mistakes`).

Only the checker decides that the result is ``proven`` or ``disproven``. If the concept is not proven,
:mod:`tremble.judge.audit` may find reasons that are easier to read:

* a player can gain in a subgame;
* a player plays an action that is wrong against every plan;
* a player plays an action that is weakly dominated from its information set on.

Four concepts are decided in other ways:

* ``normal-form-perfect``: each strategy must be a best response to some completely mixed strategy. Linear programs in
  :mod:`tremble.solvers.undominated` find this mixed strategy, or a strategy that dominates the judged strategy.
* ``proper``: linear programs in the same module prove or disprove that the profile is proper. If the payoffs have no
  constant sum, the result may be undecided.
* ``perfect``: this concept is equivalent to ``quasi-perfect`` if no player moves twice on a path. In other games, only
  a certificate for ``perfect`` proves it. A profile that is not sequential is not perfect. All other profiles are
  *undecided*.
* ``one-sided-quasi-perfect``: only one player makes mistakes. The linear programs of step 3 find these mistakes, or
  prove that none exist. The erring player must also play a best response to the opponent's strategy at every set
  that chance and the opponent reach.
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
from tremble.game.rules import UnbuiltGame, not_built
from tremble.game.strategy import BehaviorStrategy
from tremble.game.strategy import Profile as BehaviorProfile
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.judge.audit.player import PlayerAudit
from tremble.judge.certify.refinements import METHOD, REFINEMENTS, Case, certify_refinement, listener
from tremble.run.clock import Clock
from tremble.run.deadline import limited, required_time_limit
from tremble.run.progress import Progress
from tremble.solution.audit import Blunder
from tremble.solution.certificates import BEST_RESPONSE
from tremble.solution.certification import Certification, Verdict
from tremble.solution.claim import Claim, Profile
from tremble.solution.claims import OfRules, of_rules
from tremble.solution.concepts import CONCEPTS
from tremble.solution.judgements import prove
from tremble.solution.reading import STRATEGIES
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers.method import nobody_listens
from tremble.solvers.recorder import stated_solution
from tremble.solvers.table import concept_named, require_trembles_fit
from tremble.solvers.tremble_costs import require_affordable
from tremble.words import for_reader, require_hooks

__all__ = ["certification", "certify", "judged"]

_BY_BEST_RESPONSES = ("nash",)
"""The concepts that best responses alone decide."""


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
    """Prove that a profile from any source satisfies an equilibrium concept.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
        A game with any payoffs, in which both players have perfect recall.
    profile : object
        A profile. :func:`tremble.nash_conv` lists the accepted forms. Floats are replaced by nearby simple fractions.
    concept : str
        The concept to prove. Some concepts may stay undecided:

        * ``"nash"``, ``"subgame-perfect"``, ``"quasi-perfect"``, ``"one-sided-quasi-perfect"``, ``"sequential"`` and
          ``"normal-form-perfect"`` (undominated) are always decided.
        * ``"proper"`` is always decided if the payoffs have a constant sum. Otherwise it may stay undecided; in
          one-shot games it is usually decided.
        * ``"perfect"`` may stay undecided if a player moves twice on a path and the solution has no certificate for
          this concept.
    trembles : Trembles, optional
        Weights of mistakes. For ``"quasi-perfect"``, ``"sequential"`` and ``"perfect"``, the function first tries
        mistakes with these weights. All weights are equal by default. ``"one-sided-quasi-perfect"`` needs trembles,
        because they name the player who makes no mistakes.
    repair_tolerance : number, optional
        The greatest allowed change of a probability if the probabilities do not sum to one.
    time_limit : float, optional
        Seconds.
    progress : callable, optional
        A function that is called with the name of the step and the fraction done, which may be None.

    Returns
    -------
    Solution
        A solution with the status ``certified`` and the requested concept.

    Raises
    ------
    NotProvenError
        The profile does not satisfy the concept, or the question is undecided. The message gives the reason. ``best``
        is a solution with the facts that are proven about the profile: its values, the gains of both players from
        deviating, and bounds on the value if the payoffs have a constant sum.
    LimitReached
        The time limit has passed. ``best`` contains the facts that were proven in time, if any.
    GameError, CertificateError, FormatError
        A player lacks perfect recall, the profile belongs to another game, or a file has a wrong format.

    See Also
    --------
    tremble.results.certification : return the verdict with all findings; a failed proof raises no exception.

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
    """Judge a profile by a concept, and return the verdict with all findings.

    :func:`tremble.certify` describes the parameters. It raises an exception if the concept is not proven, while
    ``certification`` returns a :class:`tremble.results.Certification` in all cases.

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
            f"{limit}; the result is proven to be a Nash equilibrium, but not to be {concept}",
            best=nash.solution,
            interrupted=limit.interrupted,
        ) from None


def judged() -> tuple[str, ...]:
    """Return the names of the concepts by which a profile can be judged."""
    return tuple(name for name in CONCEPTS if name in _BY_BEST_RESPONSES or name in REFINEMENTS)


def _hint(profile: Any) -> str:
    """Return advice for a profile that was read from decimals in Gambit's format; otherwise return an empty string."""
    if not isinstance(profile, StatedProfile) or profile.line is None or profile.repair is not None:
        return ""
    if not any(map(last_digit, profile.line)):
        return ""
    ask = for_reader("repair_tolerance=", "--repair")
    return f"decimals are read as exact numbers; {ask} replaces them by the simplest fractions within their last digits"


def _of_this_tree(tree: GameTree, profile: BehaviorProfile) -> BehaviorProfile:
    """Return a copy of the profile with the labels and parent sequences of the tree, and with ``off_path`` marks."""
    return pair(
        replace(strategy, infoset_labels=tree.infoset_labels[player], parent=parent_sequence(tree, player)).marked()
        for player, strategy in enumerate(profile)
    )


def _of_rules(game: UnbuiltGame, profile: OfRules, concept: str, tell: Progress) -> Certification:
    """Judge a profile of a game whose tree is not built. Only ``nash`` can be judged, by computing best responses."""
    if not CONCEPTS[concept].of_rules:
        able = " and ".join(repr(name) for name in judged() if CONCEPTS[name].of_rules)
        raise GameError(f"for a game whose tree is not built, only {able} can be proven, not {concept!r}")
    STRATEGIES.plain(profile, "strategies")
    return _by_best_responses(game, profile, concept, prove(game, profile, progress=listener(tell)))


def _of_tree(case: Case, hint: str) -> Certification:
    """Certify a profile of a tree as a Nash equilibrium, or list the blunders (actions that lose payoff)."""
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
    """Return the certification that follows from the computed best responses in ``verification``."""
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
