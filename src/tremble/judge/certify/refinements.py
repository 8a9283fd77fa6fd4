"""Decide for ``certify`` if a profile satisfies a refinement: try multiple proofs, or find a refutation.

The table :data:`REFINEMENTS` contains the functions for each refinement. The checker judges every attempt at a proof.
A *mistake* is an action that a player's strategy never plays. A perturbed strategy plays mistakes with probabilities
that tend to 0. Mistakes *support* the opponent's strategy if this strategy is optimal against the perturbed strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import LimitReached, TooLargeError
from tremble.formats.profile import NotStated
from tremble.game.evaluation import expected_values
from tremble.game.requirements import required_parent_sequence
from tremble.game.sequence_form import SequenceForm, remembered
from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.judge.audit import audit
from tremble.judge.certify.direction import Direction, perturbed_plan, words_of
from tremble.judge.certify.mistakes import supporting_mistakes
from tremble.run.clock import Clock
from tremble.run.progress import Progress
from tremble.solution import certificates
from tremble.solution.audit import Blunder, Kind
from tremble.solution.basis_certificate import DominatedRefutation, MistakesRefutation, stated_plans
from tremble.solution.beliefs import limit_beliefs
from tremble.solution.certificates import ANY, NO_MISTAKES
from tremble.solution.certification import Certification, SubgameGain, Verdict
from tremble.solution.claim import Beliefs, Claim, MethodReference
from tremble.solution.concepts import CONCEPTS
from tremble.solution.judgements import prove, subgames_with_gains
from tremble.solution.trembles import Trembles
from tremble.solution.trembling_plan import TremblingPlan, polynomials
from tremble.solvers.backward_induction import tells
from tremble.solvers.method import Run
from tremble.solvers.recorder import proven_solution, stated_solution
from tremble.solvers.undominated import Judged
from tremble.value import shorten

__all__ = ["METHOD", "REFINEMENTS", "Case", "Refinement", "certify_refinement", "listener", "subgame_gains"]

_WHEN = {"regret": "given how the other plays", "unsupported": "whatever the other plays"}

METHOD = MethodReference("certify", {})


@dataclass(frozen=True, eq=False)
class Case:
    """A profile of a tree, the concept to prove for it, and the given trembles, beliefs and certificate."""

    tree: GameTree
    profile: Profile
    concept: str
    trembles: Trembles | None
    beliefs: Beliefs | None  # the beliefs that were given with the profile
    certificate: Mapping[str, Any]  # the certificate that was given with the profile, or {}
    not_stated: NotStated
    clock: Clock
    tell: Progress


# Greatest and least number of seconds for the audit, which finds reasons that are easier to read than a refutation.
_FOR_WORDS, _LEAST = 1.0, 0.01

Attempt = tuple[str, Mapping[str, Any], Beliefs | None]
"""An attempt to prove a refinement: a description, a certificate and beliefs."""

Mistakes = tuple[TremblingPlan, TremblingPlan]
"""For each player, a trembling plan that converges to the player's strategy and supports the opponent's strategy."""

Ranked = tuple[list[NDArray[Any]], list[NDArray[Any]]]
"""For each player, a list of plans. The opponent's strategy is a best response to each of these plans.

For every mistake, one plan in the list makes this mistake and no costlier mistake.
"""

Refutation = MistakesRefutation | DominatedRefutation


@dataclass(frozen=True)
class Refinement:
    """The functions that prove or disprove one refinement for a given equilibrium."""

    # Yields attempts that are cheap to find. For each attempt that is impossible, it appends a reason to the list.
    attempts: Callable[[Case, list[str]], Iterator[Attempt]]
    # Returns mistakes of a player (0 or 1) that support the opponent's strategy, or a Refutation.
    support: Callable[[Case, int, Run], Any]
    # Yields attempts that use the supporting mistakes of both players.
    proof: Callable[[Case, Any, list[str]], Iterator[Attempt]]
    refuted_by: tuple[Kind, ...]  # kinds of blunders that disprove the refinement
    moving_once: str | None = None  # another concept that is equivalent if no player moves twice on a path


def listener(tell: Progress) -> Callable[[str], None]:
    """Return a function that passes the name of the checker's current step to ``tell``."""
    return lambda step: tell(step, None)


def subgame_gains(tree: GameTree, profile: Profile, check: Callable[[], None]) -> tuple[SubgameGain, ...]:
    """Return the subgames in which a player gains by deviating, starting with the subgame nearest to the root.

    The result is empty if the profile is subgame perfect. Both players need perfect recall. The function calls
    ``check`` from time to time, and ``check`` may raise an exception to stop the work.
    """
    gains = subgames_with_gains(tree, profile, lambda _: check())
    return tuple(SubgameGain(tree.path(node), player, gain) for node, player, gain in gains)


def certify_refinement(case: Case) -> Certification:
    """Decide if a Nash equilibrium satisfies the requested refinement."""
    failures: list[str] = []
    for attempt in _attempts(case, failures):
        if (proven := _proven(case, attempt, failures)) is not None:
            return proven
    if CONCEPTS[case.concept].one_sided:
        return _one_sided(case, failures)
    row, run = _row(case), Run(case.clock)
    case.tell("subgames", None)
    subgames = None if CONCEPTS[case.concept].of_plans else subgame_gains(case.tree, case.profile, case.clock.check)
    if subgames:
        refutation = certificates.subgame(case.concept, subgames[0].path, subgames[0].player)
        return _unproven(case, subgames, refutation, [])
    mistakes = []
    for player in (0, 1):
        case.tell(f"mistakes of player {player + 1}", None)
        found = row.support(case, player, run)
        if isinstance(found, Refutation):
            return _unproven(case, subgames, found.plain(case.concept), [_against(case, found)])
        mistakes.append(found)
    for attempt in row.proof(case, tuple(mistakes), failures):
        if (proven := _proven(case, attempt, failures)) is not None:
            return proven
    return _unproven(case, subgames, None, failures)


def _one_sided(case: Case, failures: list[str]) -> Certification:
    """Decide a one-sided refinement, in which only one player makes mistakes.

    The player who makes mistakes must also play a best response to the opponent's strategy.
    """
    assert case.trembles is not None
    assert case.trembles.faultless is not None
    faultless, errs = case.trembles.faultless, 1 - case.trembles.faultless
    if (k := _wrong_reply(case, errs)) is not None:
        wrong = f"player {errs + 1} does not play best at {case.tree.set_name(errs, k)}, which chance and player"
        because = [f"{wrong} {faultless + 1}, who makes no mistakes, reach"]
        return _unproven(case, None, certificates.reply(case.concept, errs, k), because)
    case.tell(f"mistakes of player {errs + 1}", None)
    found = supporting_mistakes(case.tree, case.profile, errs, False, Run(case.clock))
    if isinstance(found, MistakesRefutation):
        return _unproven(case, None, found.plain(case.concept), [_on_mistakes(case, found)])
    own = case.profile[faultless].to_realization_plan()
    assert own.denominator is not None  # strategies are exact here
    constant = TremblingPlan(faultless, own.weight.astype(object)[np.newaxis], own.denominator)
    plans = (found, constant) if faultless else (constant, found)
    certificate = polynomials(plans, [NO_MISTAKES if p == faultless else ANY for p in (0, 1)])
    proven = _proven(case, (_FOUND, certificate, None), failures)
    return _unproven(case, None, None, failures) if proven is None else proven


def _wrong_reply(case: Case, player: int) -> int | None:
    """Return an information set at which the player plays an action that is not best against the opponent's strategy.

    Check only sets that chance and the opponent reach. Return None if the player plays only best actions at these sets.
    """
    side, other = SequenceForm.of(case.tree).side(player), case.profile[1 - player].to_realization_plan(case.tree)
    worth = side.best_values(side.gains(other.weight).tolist())
    for k, (_, first, end) in enumerate(side.steps()):
        best = max(worth[first:end])
        if any(p and w != best for p, w in zip(case.profile[player].row(k), worth[first:end], strict=True)):
            return k
    return None


def _proven(case: Case, attempt: Attempt, failures: list[str]) -> Certification | None:
    """Let the checker judge an attempt. If the attempt fails, append the reason to ``failures`` and return None."""
    grounds, certificate, beliefs = attempt
    case.tell("verification", None)
    strategies = case.profile
    if CONCEPTS[case.concept].defined_off_path:
        strategies = pair(replace(s, off_path=np.zeros_like(s.off_path)) for s in strategies)
    claim = Claim(strategies, {}, certificate, beliefs)
    solution = proven_solution(case.tree, claim, case.concept, METHOD, listener(case.tell))
    if solution.verification.proven == case.concept:
        return Certification(Verdict.PROVEN, solution, grounds=grounds, not_stated=case.not_stated)
    failures.append(f"{grounds}: {solution.verification.problems[0]}")
    return None


def _attempts(case: Case, failures: list[str]) -> Iterator[Attempt]:
    """Yield possible proofs that are cheap to compute. The first one is the given certificate, if it fits the case."""
    row = CONCEPTS[case.concept]
    kinds = (row.certificate, *row.other_certificates)
    if case.certificate.get("kind") in kinds and _of_same_player(case):
        beliefs = case.beliefs if row.beliefs else None
        if beliefs is not None or not row.beliefs:
            yield "the certificate in the file", case.certificate, beliefs
    yield from _row(case).attempts(case, failures)


def _of_same_player(case: Case) -> bool:
    """Check that a certificate for a one-sided concept exempts the same player from mistakes as ``case.trembles``."""
    if not CONCEPTS[case.concept].one_sided:
        return True
    assert case.trembles is not None
    assert case.trembles.faultless is not None
    trembles = case.certificate.get("trembles")
    return isinstance(trembles, list | tuple) and trembles[case.trembles.faultless] == NO_MISTAKES


def _row(case: Case) -> Refinement:
    """Return functions to decide a concept. If nobody moves twice on a path, they may decide an equivalent concept."""
    row = REFINEMENTS[case.concept]
    once = not any(required_parent_sequence(case.tree, player).any() for player in (0, 1))
    return REFINEMENTS[row.moving_once] if once and row.moving_once is not None else row


def _by_trembles(case: Case, failures: list[str]) -> Iterator[Attempt]:
    """Yield at most three attempts at a proof, each with different beliefs.

    The first uses the given beliefs. The second derives beliefs from the plans in the given certificate, and the third
    from the given trembles. If no trembles are given, the third assumes that all mistakes are equally likely.
    """
    if case.beliefs is not None:
        found = [
            supporting_mistakes(case.tree, case.profile, player, True, Run(case.clock), case.beliefs[1 - player])
            for player in (0, 1)
        ]
        given = tuple(plan for plan in found if isinstance(plan, TremblingPlan))
        direction = Direction.of_plans(case.tree, case.profile, given) if len(given) == 2 else None
        if direction is not None:
            yield (
                f"{_FOUND}, and the given beliefs",
                direction.certificate(case.tree),
                case.beliefs,
            )
    plans = stated_plans(case.tree, case.certificate)
    direction = None if plans is None else Direction.of_plans(case.tree, case.profile, plans)
    if direction is not None:
        yield from _assessments(case, direction, "mistakes as in the plans of the file's certificate", failures)
    yield from _assessments(case, Direction.of_trembles(case.tree, case.trembles), words_of(case.trembles), failures)


def _assessments(case: Case, direction: Direction, grounds: str, failures: list[str]) -> Iterator[Attempt]:
    """Yield an attempt at a proof, with the beliefs that the mistakes in ``direction`` imply."""
    case.tell("beliefs", None)
    try:
        beliefs = limit_beliefs(case.tree, direction.terms(case.tree, case.profile))
    except TooLargeError as error:
        failures.append(str(error))
    else:
        others = "" if case.beliefs is None else ", with other beliefs than those given"
        yield f"{grounds}{others}", direction.certificate(case.tree), beliefs


def _by_mistakes(case: Case, plans: Mistakes, failures: list[str]) -> Iterator[Attempt]:
    """Yield an attempt with the beliefs that follow from the mistakes in ``plans``."""
    direction = Direction.of_plans(case.tree, case.profile, plans)
    assert direction is not None  # the plans converge to the profile
    yield from _assessments(case, direction, _FOUND, failures)


def _perturbed_plans(case: Case, failures: list[str]) -> Iterator[Attempt]:
    """Yield one attempt with both players' :func:`perturbed_plan`. If a plan is too large, try backward induction."""
    trembles = case.trembles or Trembles.uniform(case.tree)
    plan1, plan2 = (perturbed_plan(case.tree, strategy, trembles) for strategy in case.profile)
    if plan1 is not None and plan2 is not None:
        certificate = polynomials((plan1, plan2), trembles.rows(), trembles.orders())
        yield words_of(case.trembles), certificate, None
    else:
        failures.append("the trembling plans would have too many coefficients")
        yield from _by_backward_induction(case, failures)


def _by_backward_induction(case: Case, failures: list[str]) -> Iterator[Attempt]:
    """Yield an attempt by backward induction with the given trembles, if the game has perfect information."""
    trembles = case.trembles or Trembles.uniform(case.tree)
    if tells(case.tree, trembles):
        certificate = certificates.backward_induction(trembles.rows())
        yield f"backward induction, {words_of(case.trembles)}", certificate, None
    elif case.trembles is not None:
        failures.append(
            "these trembles were not tried: backward induction needs perfect information and trembles of order 1; to "
            "find a perfect equilibrium with these trembles, solve the game with them"
        )


def _unproven(
    case: Case, subgames: tuple[SubgameGain, ...] | None, refutation: Mapping[str, Any] | None, because: list[str]
) -> Certification:
    """Return the certification of an equilibrium whose concept is not proven. The certification has the reasons."""
    verification = prove(case.tree, case.profile, refutation=refutation, progress=listener(case.tell))
    blunders = _blunders(case)
    reasons = [*map(_on_subgame, subgames or ()), *(_on_blunder(case.tree, blunder) for blunder in blunders), *because]
    verdict = Verdict.DISPROVEN if verification.disproven == case.concept else Verdict.UNDECIDED
    if verdict is Verdict.UNDECIDED:
        reasons += verification.problems
    claim = Claim(case.profile, {"problems": reasons}, refutation=refutation)
    solution = stated_solution(case.tree, claim, case.concept, METHOD, verification)
    return Certification(
        verdict, solution, reasons=tuple(reasons), blunders=blunders, subgames=subgames, not_stated=case.not_stated
    )


def _blunders(case: Case) -> tuple[Blunder, ...]:
    """Return the blunders that a short audit finds. Blunders help to explain the verdict, but do not determine it."""
    refuted_by, left = REFINEMENTS[case.concept].refuted_by, case.clock.left
    if not refuted_by:
        return ()
    seconds = _FOR_WORDS if left is None else min(_FOR_WORDS, left / 2)
    try:
        audited = audit(case.tree, case.profile, time_limit=max(seconds, _LEAST), progress=case.tell)
    except LimitReached:
        return ()
    return tuple(blunder for blunder in audited.blunders if blunder.kind in refuted_by)


def _against(case: Case, found: Refutation) -> str:
    """Return a sentence that says what a refutation proves."""
    return _on_mistakes(case, found) if isinstance(found, MistakesRefutation) else _on_dominated(case, found)


def _on_mistakes(case: Case, none: MistakesRefutation) -> str:
    """Name the judged player's actions that are optimal only if some mistakes never occur, and name these mistakes."""
    tree, judged = case.tree, 1 - none.player
    weight: dict[int, int] = {}
    for q, amount in none.deviation.items():
        k = int(np.searchsorted(tree.slot_start[judged], q - 1, side="right")) - 1
        weight[k] = max(weight.get(k, 0), abs(amount))
    sets = sorted(weight, key=lambda k: (-weight[k], k))
    does = []
    for k in sets[:_MOST_NAMED]:
        played = zip(tree.actions[judged][k], case.profile[judged].row(k), strict=True)
        does.append(f"{' or '.join(repr(a) for a, p in played if p)} at {tree.set_name(judged, k)}")
    wrong = f"it is not best for player {judged + 1} to play {_listed(does, len(sets))}{' together' * (len(sets) > 1)}"
    if 0 in none.blocked:  # the empty sequence is blocked, so no plan of the player makes these actions best
        return f"whatever mistakes player {none.player + 1} makes, {wrong}"
    blocked, sequences = set(none.blocked), remembered(tree, none.player)[0]
    mistakes = []
    heads = [q for q in none.blocked if int(sequences.before[q]) not in blocked]
    for q in sorted(heads, key=lambda q: (int(sequences.length[q]), q))[:_MOST_NAMED]:
        k = int(sequences.set_of[q])
        action = tree.actions[none.player][k][q - int(sequences.start[k])]
        mistakes.append(f"{action!r} at {tree.set_name(none.player, k)}")
    return f"{wrong} unless player {none.player + 1} never makes the mistake {_listed(mistakes, len(heads), 'or')}"


def _on_dominated(case: Case, dominated: DominatedRefutation) -> str:
    """Name the actions that the dominating strategy plays more often or less often than the player's strategy."""
    player, start, tree = dominated.player, case.tree.slot_start[dominated.player], case.tree
    named: dict[bool, list[str]] = {True: [], False: []}
    for q, amount in dominated.deviation.items():
        k = int(np.searchsorted(start, q - 1, side="right")) - 1
        named[amount > 0].append(f"{tree.actions[player][k][q - 1 - int(start[k])]!r} at {tree.set_name(player, k)}")
    more, less = (_listed(names[:_MOST_NAMED], len(names)) for names in (named[True], named[False]))
    change = f"to play {more} more often{f', and {less} less,' if less else ''} never costs anything, and pays against"
    if dominated.cost is None:
        return f"the strategy of player {player + 1} is weakly dominated: {change} some strategy"
    most = f"mistakes that cost player {2 - player} at most {shorten(dominated.cost)} in all"
    faced = most if dominated.cost else f"best replies of player {2 - player}"
    return f"the strategy of player {player + 1} is weakly dominated against {faced}: {change} some of them"


def _listed(names: list[str], count: int, word: str = "and") -> str:
    """Join names for a sentence. If ``count`` is greater than the number of names, end with dots."""
    if count > len(names):
        return ", ".join((*names, "..."))
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _on_subgame(subgame: SubgameGain) -> str:
    shown = " / ".join(subgame.path[:10]) + (" / ..." if len(subgame.path) > 10 else "")
    where = f"in the subgame after {shown!r:.200}" if subgame.path else "in the whole game"
    return f"player {subgame.player + 1} can gain {shorten(subgame.gain)} {where}, so it is not subgame perfect"


def _on_blunder(tree: GameTree, blunder: Blunder) -> str:
    assert blunder.infoset is not None
    place = f"player {blunder.player + 1}, {tree.set_name(blunder.player, blunder.infoset)}"
    played = "this mixture" if blunder.action is None else repr(blunder.action)
    if blunder.kind == "dominated":
        return f"{place}: {played} is weakly dominated from there on; a plan with {blunder.better!r} is better"
    least = "at least " if blunder.kind == "unsupported" else ""
    return (
        f"{place}: {played} is played with probability {shorten(blunder.probability)}, but {_WHEN[blunder.kind]} "
        f"{blunder.better!r} earns {least}{shorten(blunder.loss)} more"
    )


def _mistakes(by_beliefs: bool) -> Callable[[Case, int, Run], Any]:
    """Return a function that finds a player's mistakes that support the opponent's strategy.

    If ``by_beliefs`` is True, the opponent's strategy must be optimal given the beliefs after these mistakes, as in a
    sequential equilibrium. Otherwise, it must be optimal against the plans with the mistakes.
    """
    return lambda case, player, run: supporting_mistakes(case.tree, case.profile, player, by_beliefs, run)


def _mixed(case: Case, player: int, run: Run) -> TremblingPlan | Refutation:
    """Find a completely mixed plan of the player to which the opponent's strategy is a best response."""
    found = Judged.of(case.tree, case.profile[1 - player]).supporting_plan(run)
    return found if isinstance(found, Refutation) else TremblingPlan(player, found[np.newaxis], int(found[0]))


def _ranked(case: Case, player: int, run: Run, rank: Sequence[int] = ()) -> list[NDArray[Any]] | Refutation:
    """Return a list with a plan for each possible cost of a mistake, or a refutation: see ``Judged.ranked_plans``."""
    return Judged.of(case.tree, case.profile[1 - player]).ranked_plans(run, rank)


def _by_plans(case: Case, plans: Mistakes, _failures: list[str]) -> Iterator[Attempt]:
    """Yield an attempt with the trembling plans that ``_mixed`` or ``_mistakes`` found."""
    yield (
        _MIXED if CONCEPTS[case.concept].of_plans else _FOUND,
        polynomials(plans, ANY),
        None,
    )


def _by_ranked_plans(case: Case, plans: Ranked, failures: list[str]) -> Iterator[Attempt]:
    """Yield attempts with the plans from ``_ranked``: one plan for each number that occurs as the cost of a mistake.

    In one-shot games, rank the mistakes by their payoffs against these plans, find plans for these ranks, and repeat.
    Stop when the ranks stay the same.
    """
    yield _RANKED, certificates.ranked_plans(plans), None
    ranks: list[list[int]] = []
    for _ in range(_MOST_RANKINGS if max(case.tree.num_infosets) <= 1 else 0):
        before, ranks = ranks, [_ranks(case, plans, player) for player in (0, 1)]
        found = [_ranked(case, player, Run(case.clock), ranks[player]) for player in (0, 1)]
        if ranks == before or isinstance(found[0], Refutation) or isinstance(found[1], Refutation):
            break  # a refutation for this ranking does not refute the concept
        plans = found[0], found[1]
        yield _RANKED, certificates.ranked_plans(plans), None
    failures[:] = [
        "each strategy is best against the likeliest mistakes; without a constant sum that is not enough, because the "
        "mistakes of each player must be ranked by their earnings against the mistakes of the other player"
    ]


def _ranks(case: Case, plans: Ranked, player: int) -> list[int]:
    """Rank the sequences of a player by their payoffs against the opponent's plans. The best sequence has rank 0."""
    other = case.profile[1 - player].to_realization_plan(case.tree).weight.astype(object)
    worth = SequenceForm.of(case.tree).side(player).gains(np.stack((other, *plans[1 - player])).T)
    earned = list(map(tuple, worth.tolist()))
    number = {amount: k for k, amount in enumerate(sorted(set(earned[1:]), reverse=True))}
    return [0, *(number[amount] for amount in earned[1:])]


def _nothing(_case: Case, _plans: Mistakes, failures: list[str]) -> Iterator[Attempt]:
    failures.append(
        "mistakes support this sequential equilibrium, but the strategies alone do not show that it is perfect; a "
        "certificate of kind 'basis' would prove it"
    )
    return iter(())


def _best_responses(case: Case, _failures: list[str]) -> Iterator[Attempt]:
    """Yield an attempt whose certificate states only values. The checker computes best responses in all subgames."""
    first, second = expected_values(case.tree, case.profile)
    values = Fraction(first), Fraction(second)
    grounds = "best responses in all subgames, computed exactly, gain nothing"
    yield grounds, certificates.best_response(values, values), None


_MIXED = "completely mixed strategies were found, to each of which the other player's strategy is a best reply"
_RANKED = "for each mistake, a strategy that makes it and none costlier was found; the opponent plays best against it"
_FOUND = "mistakes were found that support the profile"
_MOST_RANKINGS = 20  # greatest number of rankings of mistakes that are tried
_MOST_NAMED = 3  # greatest number of information sets that a reason names


def _none(*_: object) -> Iterator[Attempt]:
    return iter(())


REFINEMENTS: Mapping[str, Refinement] = {
    # Best responses in all subgames decide subgame perfection, so no further proof exists.
    "subgame-perfect": Refinement(_best_responses, _mistakes(True), _none, ()),
    "quasi-perfect": Refinement(_perturbed_plans, _mistakes(False), _by_plans, ("regret", "unsupported", "dominated")),
    "one-sided-quasi-perfect": Refinement(_perturbed_plans, _mistakes(False), _by_plans, ()),
    "sequential": Refinement(_by_trembles, _mistakes(True), _by_mistakes, ("regret", "unsupported")),
    "normal-form-perfect": Refinement(_none, _mixed, _by_plans, ()),
    "proper": Refinement(_none, _ranked, _by_ranked_plans, ()),
    # In a perfect equilibrium, a player expects its own later mistakes. Every perfect equilibrium is sequential.
    "perfect": Refinement(
        _by_backward_induction, _mistakes(True), _nothing, ("regret", "unsupported"), moving_once="quasi-perfect"
    ),
}
"""A dict from each refinement to the functions that decide it."""
