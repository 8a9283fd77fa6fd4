"""The checker: proves a solution again from the game alone.

It reads the tree and the solution and shares no algorithm with any solver: sequences, perfect recall, the
weights of chance and of strategies, values and best responses are computed here, in :mod:`.profiles.tree` (in
:mod:`.profiles.rules` and :mod:`.profiles.ordered` for rules that are never built), with exact integers. Each concept
has a file that says what its certificate proves and one row in :mod:`.concepts.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tremble.errors import CertificateError, ImperfectRecallError
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy
from tremble.run.clock import limited, required_time_limit
from tremble.solution.claim import Beliefs, Profile
from tremble.solution.heading import GameReference, Status
from tremble.solution.stated import SOLUTION, StatedSolution
from tremble.solution.strategies import pair_of, rows_of
from tremble.solution.verification import Verification
from tremble.verifier.budget import Budget, Listener, TooCostly, spending
from tremble.verifier.certificates.best_response import BestResponseCertificate
from tremble.verifier.concepts.nash import check_bounds, check_equilibrium, check_off_path
from tremble.verifier.concepts.refutation import check_refutation
from tremble.verifier.concepts.table import CONCEPTS, Concept
from tremble.verifier.context import CheckContext, Problems, Statement, unequal
from tremble.verifier.profiles.ordered import evaluate_ordered
from tremble.verifier.profiles.outcome import Earnings, Guarantee, Outcome
from tremble.verifier.profiles.refined import Absentminded, refined_sequences
from tremble.verifier.profiles.rows import row_faults
from tremble.verifier.profiles.rules import RulesOutcome, evaluate_rules, expected_rules
from tremble.verifier.profiles.tree import evaluate, expected
from tremble.verifier.several import check_list, common_concept, common_player

__all__ = [
    "CONCEPTS",
    "JudgedProfile",
    "allowance",
    "check_list",
    "common_concept",
    "common_player",
    "join",
    "judge",
    "judge_values",
    "other_game",
    "prove",
    "verify",
]

Proof = tuple[Mapping[str, Any], Mapping[str, Any] | None]
"""The stated certificate, and the stated refutation or None."""

_STOP = 0.1  # seconds
_SHOWN = 23  # characters of a digest: what tells digests apart, and 16 digits


def verify(
    game: GameTree | UnbuiltGame,
    solution: StatedSolution,
    *,
    time_limit: float | None = None,
    progress: Callable[[str], None] | None = None,
    allowed: Budget | None = None,
) -> Verification:
    """Prove what a solution states: see :func:`tremble.verify`; several of one file spend what is allowed for it."""
    if not isinstance(solution, StatedSolution):
        raise CertificateError(
            f"expected a Solution, found a {type(solution).__name__}: strategies alone state nothing that could be "
            "proven; tremble.nash_conv(game, strategies) tells how far they are from an equilibrium"
        )
    time_limit = required_time_limit(time_limit)
    listener = Listener(time_limit, progress)
    # What does not listen, such as rules that never end, is stopped a little later, wherever it is.
    return limited(
        None if time_limit is None else time_limit + _STOP, lambda: _verify(game, solution, listener, allowed)
    )


def allowance(game: GameTree | UnbuiltGame) -> Budget:
    """What the verification of a file may cost, however many solutions stand in it."""
    return Budget.of(_nodes(game))


def _nodes(game: GameTree | UnbuiltGame) -> int:
    """How many nodes there are to look at, as far as that is known."""
    return game.num_nodes if isinstance(game, GameTree) else 0


def _verify(
    game: GameTree | UnbuiltGame, solution: StatedSolution, listener: Listener, allowed: Budget | None
) -> Verification:
    SOLUTION.require(solution)
    problems = Problems()
    with spending((allowed or allowance(game)).heard_by(listener)) as costs:
        try:  # before anything is looked at
            costs.again(_nodes(game) or 1)
        except TooCostly as error:
            problems.add(str(error))
            return _judged(solution, None, problems)
        other = other_game(game, solution.game, pair_of(StrategyTable, solution.rows) is not None)
        if other is not None:  # nothing else that may be wrong with it matters
            problems.add(other)
            return _verification(solution.concept, solution.status, None, None, problems)
        stated = Statement(
            solution.concept, solution.rows, solution.certificate, solution.beliefs,
            solution.status == Status.CERTIFIED, solution.bounds,
        )  # fmt: skip
        context, row = CheckContext(game, stated, problems), _able(game).get(solution.concept)
        try:
            outcome = _evaluated(context, row)
        except ImperfectRecallError as error:  # in rules that are not built; for a tree it is a problem already
            problems.add(str(error))
            outcome = None
        _check_values(outcome, solution, problems)
        if row is None:
            problems.add(f"concept: {_cannot_check(game, solution.concept[:80])}")
        _check_named(solution, problems)
        context = replace(context, earned=outcome)
        if row is not None and outcome is not None and solution.status != Status.LIMIT_REACHED:
            _check(row, context)
        disproven = _disproven(context, solution.refutation)
        _check_rest(context, solution)
        return _judged(solution, outcome, problems, tuple(_notes(game, outcome)), disproven)


def prove(
    game: GameTree | UnbuiltGame,
    strategies: Profile,
    *,
    concept: str = "nash",
    certificate: Mapping[str, Any] | None = None,
    beliefs: Beliefs | None = None,
    refutation: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """What can be proven of strategies: their values, bounds, that they are an equilibrium, or a refinement of one.

    Parameters
    ----------
    strategies : pair of BehaviorStrategy, of UnbuiltStrategy or of OrderedStrategy
        Exact ones.
    concept : str
        What is claimed.
    certificate : mapping, optional
        How that is to be proven, if it is more than a Nash equilibrium; plain data.
    refutation : mapping, optional
        How it is to be proven that they are not of the concept that this names; plain data.
    progress : callable, optional
        Called with a text now and then; may raise to stop.

    Returns
    -------
    Verification
        ``status`` is what the strategies deserve; ``proven`` the concept that is claimed, else ``"nash"``,
        ``"bounds"`` or None.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = tuple(tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1))
    >>> verification = prove(kuhn, uniform)
    >>> verification.proven, verification.values, verification.bounds
    ('bounds', (Fraction(1, 8), Fraction(-1, 8)), (Fraction(-5, 12), Fraction(1, 2)))
    """
    problems = Problems()
    disproven: str | None = None
    row = CONCEPTS["nash" if certificate is None else concept]
    claim = Statement(row.name, rows_of(strategies), certificate or {}, beliefs)
    with spending(Budget.of(_nodes(game), Listener(None, progress))):
        outcome = _evaluated(CheckContext(game, claim, problems), row)
        if outcome is not None:
            claim = replace(claim, bounds=outcome.certified_bounds)
            context = CheckContext(game, claim, problems, outcome)
            if certificate is not None:
                _check(row, context)
            else:
                check_equilibrium(context)
            disproven = _disproven(context, refutation)
    return _found(row.name, outcome, problems, disproven, (claim.certificate, refutation))


def _found(
    concept: str,
    outcome: Outcome | Guarantee | None,
    problems: Problems,
    disproven: str | None = None,
    proof: Proof = ({}, None),
) -> Verification:
    """Return the verdict on a claim; its status is the one that the strategies deserve."""
    proven: str | None = None
    status = Status.LIMIT_REACHED
    if not problems:
        proven, status = concept, Status.CERTIFIED
    elif outcome is not None and outcome.nash_conv == 0:
        proven, status = "nash", Status.CERTIFIED
    elif outcome is not None and outcome.bounds is not None:
        proven, status = "bounds", Status.BOUNDED
    return _verification(concept, status, proven, outcome, problems, disproven=disproven, proof=proof)


# -- profiles with their verdicts ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class JudgedProfile:
    """A profile and the checker's verdict on it. Only the checker makes one."""

    strategies: Profile
    verification: Verification
    digest: str | None  # of the game; None for a user's own rules


def judge(
    game: GameTree | UnbuiltGame,
    strategies: Profile,
    *,
    concept: str = "nash",
    certificate: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
) -> JudgedProfile:
    """Prove what can be proven about a profile, as :func:`prove` does, and bind the verdict to the profile."""
    found = prove(game, strategies, concept=concept, certificate=certificate, progress=progress)
    return JudgedProfile(strategies, found, _digest_of_rules(game))


def judge_values(
    game: GameTree | UnbuiltGame, strategies: Profile, *, progress: Callable[[str], None] | None = None
) -> JudgedProfile:
    """Compute the expected payoffs of a profile, and nothing else: best responses may take much longer.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = tuple(tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1))
    >>> found = judge_values(kuhn, uniform).verification
    >>> found.values, found.ok, found.proven, found.problems
    ((Fraction(1, 8), Fraction(-1, 8)), False, None, ('best responses: not computed, so nothing is proven',))
    """
    problems = Problems()
    with spending(Budget.of(_nodes(game), Listener(None, progress))):
        values = _values(game, strategies, problems)
    problems.add("best responses: not computed, so nothing is proven")
    found = Verification(False, "nash", Status.LIMIT_REACHED, None, None, problems.listed(), values)
    return JudgedProfile(strategies, found, _digest_of_rules(game))


def join(
    game: GameTree | UnbuiltGame,
    judged1: JudgedProfile,
    judged2: JudgedProfile,
    *,
    progress: Callable[[str], None] | None = None,
) -> JudgedProfile:
    r"""Judge player 1's strategy of one judged profile together with player 2's of another.

    In a tree and in an ordered game the joined profile is proven like any other. In other rules the searches for best
    responses may take minutes, and both have been made: the one for player 1 depends on the strategy of player 2 alone,
    and was made for ``judged2``; the one for player 2 was made for ``judged1``. Both are taken from there. The expected
    payoffs of the joined profile are computed.

    The payoffs have one sum :math:`c_1` wherever the strategy of player 1 lets play come, and one sum :math:`c_2`
    wherever that of player 2 does, as the two verdicts say. The joined profile has a play that both allow, so that
    :math:`c_1 = c_2`.

    Parameters
    ----------
    judged1, judged2 : JudgedProfile
        Of profiles of this game. A user's own rules have no digest, so that the caller vouches for them.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = tuple(tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1))
    >>> good = tremble.solve(kuhn).strategies
    >>> one, two = judge(kuhn, (good[0], uniform[1])), judge(kuhn, (uniform[0], good[1]))
    >>> one.verification.proven, two.verification.proven, join(kuhn, one, two).verification.proven
    ('bounds', 'bounds', 'nash')
    """
    pair = judged1.strategies[0], judged2.strategies[1]
    found1, found2 = judged1.verification, judged2.verification
    searched = isinstance(pair[0], UnbuiltStrategy) and judged1.digest == judged2.digest == _digest_of_rules(game)
    best1, best2 = found1.best_response_values, found2.best_response_values
    if not searched or best1 is None or best2 is None:
        return judge(game, pair, progress=progress)
    problems = Problems()
    outcome: Outcome | None = None
    with spending(Budget.of(0, Listener(None, progress))):
        values = _values(game, pair, problems)
        if values is not None and (best2[0] < values[0] or best1[1] < values[1]):
            # No strategy earns more than a best response, so the verdicts are not about these strategies and rules.
            return judge(game, pair, progress=progress)
        if values is not None:
            constant_sum = None if found1.bounds is None or found2.bounds is None else sum(values, Fraction(0))
            outcome = Outcome((Earnings(values[0], best2[0]), Earnings(values[1], best1[1])), constant_sum)
            claim = Statement("nash", rows_of(pair), {})
            check_equilibrium(CheckContext(game, claim, problems, outcome))
    return JudgedProfile(pair, _found("nash", outcome, problems), judged1.digest)


def _digest_of_rules(game: GameTree | UnbuiltGame) -> str | None:
    """Return the digest of rules; that of a tree takes a pass over its nodes, and is not asked for."""
    return game.digest if isinstance(game, UnbuiltGame) else None


def _values(game: GameTree | UnbuiltGame, strategies: Profile, problems: Problems) -> tuple[Fraction, Fraction] | None:
    """Compute the expected payoffs of a profile; return None after recording a problem."""
    context = CheckContext(game, Statement("nash", rows_of(strategies), {}), problems)
    try:
        values = _values_in_tree(context) if isinstance(game, GameTree) else _values_by_rules(context)
    except (CertificateError, TooCostly) as error:
        values = [str(error)]
    if not isinstance(values, list):
        return values
    for fault in values:
        problems.add(fault)
    return None


def _values_in_tree(context: CheckContext) -> tuple[Fraction, Fraction] | list[str]:
    tables = context.solution.tables
    faults = _faults(tables, lambda table: table.faults(context.tree))
    if faults:
        return faults
    try:
        own = refined_sequences(context.tree, 0), refined_sequences(context.tree, 1)
    except Absentminded as again:
        return [f"{context.place(again.player, again.infoset)}: a play passes this set twice"]
    return expected(context.tree, own, tables)


def _values_by_rules(context: CheckContext) -> tuple[Fraction, Fraction] | list[str]:
    rows = pair_of(UnbuiltStrategy, context.solution.strategies)
    if rows is None:
        outcome = _by_rules(context)
        return outcome if isinstance(outcome, list) else outcome.values
    assert isinstance(context.game, UnbuiltGame)
    return _faults(rows, row_faults) or expected_rules(context.game, rows)


def _verification(
    concept: str,
    status: Status,
    proven: str | None,
    outcome: Outcome | Guarantee | None,
    problems: Problems,
    notes: tuple[str, ...] = (),
    disproven: str | None = None,
    proof: Proof = ({}, None),
) -> Verification:
    """Make the verification."""
    certificate, refutation = proof
    row = CONCEPTS.get(concept if proven == "bounds" else proven or "")
    refuted = None if disproven is None or refutation is None else CONCEPTS[disproven].disproven_player(refutation)
    return Verification(
        ok=not problems,
        concept=concept,
        status=status,
        proven=proven,
        nash_conv=None if outcome is None else outcome.nash_conv,
        problems=problems.listed(),
        values=None if outcome is None else outcome.values,
        best_response_values=None if outcome is None else outcome.best_response_values,
        bounds=None if outcome is None else outcome.bounds,
        notes=notes,
        disproven=disproven,
        proven_player=None if row is None else row.proven_player(certificate),
        disproven_player=refuted,
    )


# -- what every solution states ------------------------------------------------------------------


def other_game(game: GameTree | UnbuiltGame, stated: GameReference, of_tree: bool) -> str | None:
    """If a solution (``of_tree``, or of rules) belongs to another game: which it names, which this is, what to do."""
    if stated.digest == game.digest:
        return None
    named, given = stated.spec or stated.title, game.spec or game.title
    advice = "give the game that the solution names, or solve this one"
    if of_tree != isinstance(game, GameTree):
        advice = "its strategies are of a game that is not built, but here its tree is given"
        if of_tree:
            advice = "its strategies number the information sets of a tree, but this game is not built"
    elif named == given:
        advice = "the game has changed since it was solved: solve it again"
    old, new = ("states no digest" if d is None else f"{d[:_SHOWN]}..." for d in (stated.digest, game.digest))
    names = f"it names {named!r:.200} ({old}), but this is {given!r:.200} ({new})"
    return f"game.digest: the solution belongs to another game: {names}; {advice}"


def _check_values(outcome: Outcome | Guarantee | None, solution: StatedSolution, problems: Problems) -> None:
    if outcome is None:
        return
    for i, (stated, value) in enumerate(zip(solution.values, outcome.values, strict=True)):
        if stated != value:
            problems.add(f"values[{i}]: the expected payoff of player {i + 1} is {unequal(stated, value)}")


def _check_named(solution: StatedSolution, problems: Problems) -> None:
    """What was asked for is a concept, and a solution that is not certified names no refinement."""
    if solution.requested not in CONCEPTS:
        problems.add(f"requested: {solution.requested[:80]!r} is no concept")
    row = CONCEPTS.get(solution.concept)
    if row is None or solution.status == Status.CERTIFIED:
        return
    if not row.bounded or (solution.status == Status.LIMIT_REACHED and not row.equilibrium):
        problems.add(
            f"concept: {solution.concept!r} is not proven by a solution with status {str(solution.status)!r}, which "
            "states 'nash' and names under 'requested' what was asked for"
        )


_ALWAYS_CHECKED = frozenset(("game", "concept", "requested", "status", "strategies", "values"))
"""Fields that are checked in every solution, whatever its concept and its status."""

_REMARKS = frozenset(("tremble", "method", "stats"))
"""Fields that say how a solution was found. Nothing in them is about the game."""

_CHECK_OF_FIELD: dict[str, Callable[[CheckContext], None]] = {
    "bounds": check_bounds,
    "certificate": BestResponseCertificate.check,
    "off_path": lambda context: check_off_path(
        context, where_marked=not BestResponseCertificate.is_kind_of(context.solution.certificate)
    ),
}
"""Checks for fields that the check of the concept has not covered. They need best responses only."""


def _check_rest(context: CheckContext, solution: StatedSolution) -> None:
    """Check every stated field that the check of the concept has not covered. Refuse a field that has no check.

    So no status and no new field can bring an unchecked number into an accepted file.
    """
    if context.problems:  # the file is refused already; the check of the concept may have stopped early
        return
    stated = {name for name, value in SOLUTION.parts_of(solution).items() if value}
    if any(isinstance(strategy, StrategyTable) for strategy in solution.rows):
        stated.add("off_path")
    context = replace(context, solution=replace(context.solution, certified=False))  # only bounds are claimed
    for name in sorted(stated - context.checked - _ALWAYS_CHECKED - _REMARKS):
        if name in _CHECK_OF_FIELD and isinstance(context.earned, Outcome):
            _CHECK_OF_FIELD[name](context)
        else:
            context.problems.add(
                f"{name}: a solution with the concept {solution.concept!r:.80} and the status "
                f"{str(solution.status)!r} has nothing to state here"
            )


def _judged(
    solution: StatedSolution,
    outcome: Outcome | Guarantee | None,
    problems: Problems,
    notes: tuple[str, ...] = (),
    disproven: str | None = None,
) -> Verification:
    """What is proven of a solution."""
    if solution.status == Status.LIMIT_REACHED and disproven is None:
        problems.add("status: 'limit-reached' states neither an equilibrium nor bounds, so there is nothing to prove")
    stated = {Status.CERTIFIED: solution.concept, Status.BOUNDED: "bounds"}.get(solution.status)
    if problems:
        stated = disproven = None
    proof = solution.certificate, solution.refutation
    return _verification(solution.concept, solution.status, stated, outcome, problems, notes, disproven, proof)


# -- what strategies earn, by the kind of the game and of the strategies -----------------------------


def _evaluated(context: CheckContext, row: Concept | None) -> Outcome | Guarantee | None:
    """Compute what strategies earn; None and problems if they do not fit, if a player forgets, or if it costs too much.

    Raises
    ------
    ImperfectRecallError
        A player forgets, in rules that are not built: nothing can be proven about any strategies.
    """
    try:
        outcome = _in_tree(context, row) if isinstance(context.game, GameTree) else _by_rules(context)
    except (CertificateError, TooCostly) as error:
        outcome = [str(error)]
    if not isinstance(outcome, list):
        return outcome
    for fault in outcome:
        context.problems.add(fault)
    return None


def _in_tree(context: CheckContext, row: Concept | None) -> Outcome | Guarantee | list[str] | None:
    tables = pair_of(StrategyTable, context.solution.strategies)
    if tables is None:
        return ["strategies: they are of a game that is not built, but here its tree is given"]
    faults = _faults(tables, lambda table: table.faults(context.tree))
    if faults:
        return faults
    try:
        return evaluate(context.tree, tables) if row is None or row.evaluate is None else row.evaluate(context)
    except ImperfectRecallError as error:
        return [str(error)]


def _by_rules(context: CheckContext) -> Outcome | list[str]:
    rules, stated = context.game, context.solution.strategies
    assert isinstance(rules, UnbuiltGame)
    if (by_classes := pair_of(OrderedStrategy, stated)) is not None:
        if not isinstance(rules.rules, OrderedGame):
            return ["strategies: they are of an ordered game, but these rules are none"]
        return _faults(by_classes, lambda _: ()) or evaluate_ordered(rules.rules, by_classes)
    if (by_rows := pair_of(UnbuiltStrategy, stated)) is not None:
        return _faults(by_rows, row_faults) or evaluate_rules(rules, by_rows)
    return ["strategies: they number the information sets of a tree, but this game is not built"]


def _faults(strategies: tuple[Any, Any], of: Callable[[Any], Iterable[str]]) -> list[str]:
    """What keeps strategies from being ones of the game; ``of`` tells it of one that stands in its place."""
    faults: list[str] = []
    for player, strategy in enumerate(strategies):
        wrong = f"strategies[{player}]: here stands a strategy of player {strategy.player + 1}"
        faults += of(strategy) if strategy.player == player else [wrong]
    return faults


# -- what a concept says of them -------------------------------------------------------------------


def _able(game: GameTree | UnbuiltGame) -> dict[str, Concept]:
    """The concepts that can be checked in a game."""
    return {name: row for name, row in CONCEPTS.items() if row.of_rules or isinstance(game, GameTree)}


def _check(row: Concept, context: CheckContext) -> None:
    """Have a concept's check look at what is stated."""
    try:
        row.check(context)
        context.checked.add("certificate")  # each concept checks its own kinds of certificate
        if context.solution.beliefs is not None and not row.beliefs:
            context.problems.add(f"beliefs: the concept {row.name!r} defines none")
    except TooCostly as error:
        context.problems.add(str(error))


def _disproven(context: CheckContext, refutation: Mapping[str, Any] | None) -> str | None:
    """The concept that a refutation disproves; None if there is none, and if it does not hold, which is a problem."""
    if refutation is None or context.earned is None:  # which is a problem already
        return None
    context.checked.add("refutation")
    try:
        return check_refutation(context, refutation)
    except TooCostly as error:
        context.problems.add(str(error))
        return None


def _cannot_check(game: GameTree | UnbuiltGame, concept: str) -> str:
    able = list(map(repr, _able(game)))
    if isinstance(game, GameTree):
        return f"this version cannot check {concept!r}; it checks {', '.join(able)}"
    return f"in a game that is not built only {' and '.join(able)} can be checked, not {concept!r}"


_OF_WHAT_IS_MET = (
    "bounds: that the payoffs have a constant sum is known only of the plays that either strategy allows, so that "
    "these are bounds on the most that player 1 can guarantee"
)
_TRUSTED = "the rules say nothing of what tells them from others, so that the solution is of this game is not proven"


def _notes(game: GameTree | UnbuiltGame, outcome: Outcome | Guarantee | None) -> Iterator[str]:
    """What is to be said beside what is proven."""
    if isinstance(game, UnbuiltGame) and game.digest is None:
        yield _TRUSTED
    if isinstance(outcome, RulesOutcome):
        if outcome.bounds is not None:
            yield _OF_WHAT_IS_MET
        for player, rows in enumerate(outcome.unmet_rows):
            if rows:
                yield f"strategies[{player}]: {rows:,} rows stand at keys that no play leads to, and prove nothing"
