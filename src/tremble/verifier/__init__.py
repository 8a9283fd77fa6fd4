"""The checker: proves a solution again from the game alone.

It reads the tree and the solution and shares no algorithm with any solver: sequences, perfect recall, the
weights of chance and of strategies, values and best responses are computed here, in :mod:`.profiles.tree` (in
:mod:`.profiles.rules` and :mod:`.profiles.ordered` for rules that are never built), with exact integers. Each concept
has a file that says what its certificate proves and one row in :mod:`.concepts.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tremble.clock import limited, required_time_limit
from tremble.errors import CertificateError, ImperfectRecallError
from tremble.model.ordered.game import OrderedGame
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.solution.claim import Beliefs, Profile
from tremble.solution.heading import GameReference, MethodReference, Status
from tremble.solution.stated import StatedSolution
from tremble.solution.verification import Verification
from tremble.solution.well_formed import require_well_formed
from tremble.verifier.budget import Budget, Listener, TooCostly, spending
from tremble.verifier.certificates.fields import brief
from tremble.verifier.concepts.nash import check_bounds, check_equilibrium, check_stated
from tremble.verifier.concepts.table import CONCEPTS, Concept
from tremble.verifier.context import CheckContext, OutcomeContext, Problems, StatedContext, place, unequal
from tremble.verifier.profiles.ordered import evaluate_ordered
from tremble.verifier.profiles.outcome import Guarantee, Outcome
from tremble.verifier.profiles.rows import row_faults
from tremble.verifier.profiles.rules import RulesOutcome, evaluate_rules
from tremble.verifier.profiles.tree import Evaluation, NoPerfectRecall, evaluate
from tremble.verifier.several import check_list, common_concept

__all__ = ["CONCEPTS", "allowance", "check_list", "common_concept", "prove", "verify"]

_STOP = 0.1  # seconds


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
    return Budget.of(game.num_nodes if isinstance(game, GameTree) else 0)


def _verify(
    game: GameTree | UnbuiltGame, solution: StatedSolution, listener: Listener, allowed: Budget | None
) -> Verification:
    require_well_formed(vars(solution))
    problems = Problems()
    with spending((allowed or allowance(game)).heard_by(listener)) as costs:
        try:  # before anything is looked at
            costs.again(game.num_nodes if isinstance(game, GameTree) else 1)
        except TooCostly as found:
            problems.add(str(found))
            return _verification(solution, None, problems)
        if isinstance(game, GameTree):
            return _verify_tree(game, solution, problems)
        return _verify_rules(game, solution, problems)


def prove(
    game: GameTree | UnbuiltGame,
    strategies: Profile,
    *,
    concept: str = "nash",
    certificate: Mapping[str, Any] | None = None,
    beliefs: Beliefs | None = None,
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
    >>> found = prove(kuhn, uniform)
    >>> found.proven, found.values, found.bounds
    ('bounds', (Fraction(1, 8), Fraction(-1, 8)), (Fraction(-5, 12), Fraction(1, 2)))
    """
    problems = Problems()
    zero = Fraction(0)
    draft = StatedSolution(
        game=GameReference.of(game), concept="nash", requested=concept, method=MethodReference("", {}),
        status=Status.CERTIFIED, values=(zero, zero), bounds=None, strategies=strategies, beliefs=beliefs,
        certificate=certificate or {}, stats={},
    )  # fmt: skip
    listener = Listener(None, progress)
    if not isinstance(game, GameTree):
        with spending(Budget.of(0, listener)):
            found = _evaluate_rules(game, draft, problems)
            if found is not None:
                check_equilibrium(OutcomeContext(draft, found, problems))
            return _found(found, "nash", problems)
    with spending(Budget.of(game.num_nodes, listener)):
        row = CONCEPTS["nash" if certificate is None else concept]
        fits = _fit(game, draft, problems)
        evaluation = _evaluate(game, draft, problems, row) if fits else None
        claim = replace(draft, concept=row.name)
        if evaluation is not None:
            claim = replace(claim, values=evaluation.values, bounds=evaluation.certified_bounds)
        if certificate is None and isinstance(evaluation, Evaluation):
            check_equilibrium(CheckContext(claim, evaluation, problems, game))
        elif certificate is not None and fits:
            _check(row, claim, evaluation, problems, game)
        return _found(evaluation, row.name, problems)


def _found(outcome: Outcome | Guarantee | None, concept: str, problems: Problems) -> Verification:
    """What strategies deserve, whatever is claimed of them."""
    proven: str | None = None
    status = Status.LIMIT_REACHED
    if not problems:
        proven, status = concept, Status.CERTIFIED
    elif outcome is not None and outcome.nash_conv == 0:
        proven, status = "nash", Status.CERTIFIED
    elif outcome is not None and outcome.bounds is not None:
        proven, status = "bounds", Status.BOUNDED
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
    )


def _verify_tree(game: GameTree, solution: StatedSolution, problems: Problems) -> Verification:
    _check_digest(game.digest, solution, problems)
    concept = CONCEPTS.get(solution.concept)
    fits = _fit(game, solution, problems)
    evaluation = _evaluate(game, solution, problems, concept) if fits else None
    _check_values(evaluation, solution, problems)
    notes: tuple[str, ...] = ()
    if fits and concept is not None and concept.check is None and concept.evaluate is None:
        notes = _check_without_values(concept, evaluation, solution, problems, game)
    if concept is None:
        known = ", ".join(map(repr, CONCEPTS))
        problems.add(f"concept: this version cannot check {solution.concept[:80]!r}; it checks {known}")
    _check_named(solution, problems)
    if fits and concept is not None and solution.status != Status.LIMIT_REACHED:
        _check(concept, solution, evaluation, problems, game)
    return _verification(solution, evaluation, problems, notes)


def _check_without_values(
    concept: Concept,
    evaluation: Outcome | Guarantee | None,
    solution: StatedSolution,
    problems: Problems,
    tree: GameTree,
) -> tuple[str, ...]:
    """What is stated beside a concept that needs no values: proven where best responses are, else noted or refused."""
    kind = solution.certificate.get("kind")
    if kind != concept.certificate:
        problems.add(f"certificate.kind: {brief(kind)}, but {concept.name!r} is proven by {concept.certificate!r}")
    if isinstance(evaluation, Outcome):
        if solution.bounds is not None:
            check_bounds(OutcomeContext(replace(solution, status=Status.BOUNDED), evaluation, problems))
        return ()
    if solution.bounds is not None:
        problems.add("bounds: a player forgets, so that no best responses prove them")
    return ("the expected payoffs are stated, not proven: a player forgets what it did before",)


def _check_digest(digest: str | None, solution: StatedSolution, problems: Problems) -> None:
    stated = solution.game.digest
    if stated != digest:
        shown = "no digest" if stated is None else repr(stated[:80])
        problems.add(f"game.digest: the solution belongs to another game: it states {shown}, not {digest or 'none'}")


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
    if solution.status != Status.CERTIFIED and solution.concept in CONCEPTS and not CONCEPTS[solution.concept].bounded:
        problems.add(
            f"concept: {solution.concept!r} is not proven by a solution with status {str(solution.status)!r}, which "
            "states 'nash' and names under 'requested' what was asked for"
        )


def _verification(
    solution: StatedSolution, outcome: Outcome | Guarantee | None, problems: Problems, notes: tuple[str, ...] = ()
) -> Verification:
    """What was found."""
    if solution.status == Status.LIMIT_REACHED:
        problems.add("status: 'limit-reached' states neither an equilibrium nor bounds, so there is nothing to prove")
    stated = {Status.CERTIFIED: solution.concept, Status.BOUNDED: "bounds"}.get(solution.status)
    return Verification(
        ok=not problems,
        concept=solution.concept,
        status=solution.status,
        proven=None if problems else stated,
        nash_conv=None if outcome is None else outcome.nash_conv,
        problems=problems.listed(),
        values=None if outcome is None else outcome.values,
        best_response_values=None if outcome is None else outcome.best_response_values,
        bounds=None if outcome is None else outcome.bounds,
        notes=notes,
    )


# -- games that are not built --------------------------------------------------------------------

_OF_WHAT_IS_MET = (
    "bounds: that the payoffs have a constant sum is known only of the plays that either strategy allows, so that "
    "these are bounds on the most that player 1 can guarantee"
)
_TRUSTED = "the rules say nothing of what tells them from others, so that the solution is of this game is not proven"


def _verify_rules(game: UnbuiltGame, solution: StatedSolution, problems: Problems) -> Verification:
    _check_digest(game.digest, solution, problems)
    outcome = _evaluate_rules(game, solution, problems)
    _check_values(outcome, solution, problems)
    if solution.concept != "nash":
        problems.add(f"concept: in a game that is not built only 'nash' can be checked, not {solution.concept[:80]!r}")
    _check_named(solution, problems)
    if outcome is not None and solution.concept == "nash" and solution.status != Status.LIMIT_REACHED:
        check_stated(OutcomeContext(solution, outcome, problems))
    notes = [] if game.digest is not None else [_TRUSTED]
    if outcome is not None and outcome.bounds is not None and not outcome.every_leaf:
        notes.append(_OF_WHAT_IS_MET)
    for player, unmet in enumerate(outcome.unmet_rows if isinstance(outcome, RulesOutcome) else (0, 0)):
        if unmet:
            notes.append(f"strategies[{player}]: {unmet:,} rows stand at keys that no play leads to, and prove nothing")
    return _verification(solution, outcome, problems, tuple(notes))


def _evaluate_rules(game: UnbuiltGame, solution: StatedSolution, problems: Problems) -> Outcome | None:
    """What the strategies earn, or None and a problem if they do not fit the game or a player forgets."""
    if solution.ordered is not None:
        return _evaluate_ordered(game, solution.ordered, problems)
    strategies = solution.unbuilt
    if strategies is None:
        problems.add("strategies: they number the information sets of a tree, but this game is not built")
        return None
    before = len(problems)
    try:
        for player, strategy in enumerate(strategies):
            if strategy.player != player:
                problems.add(f"strategies[{player}]: here stands a strategy of player {strategy.player + 1}")
            else:
                for fault in row_faults(strategy):
                    problems.add(fault)
        if len(problems) > before:
            return None
        return evaluate_rules(game, strategies)
    except (CertificateError, ImperfectRecallError, TooCostly) as found:
        problems.add(str(found))
        return None


def _evaluate_ordered(
    game: UnbuiltGame, strategies: tuple[OrderedStrategy, OrderedStrategy], problems: Problems
) -> Outcome | None:
    """What strategies by classes earn, or None and a problem if they do not fit the game or a player forgets."""
    if not isinstance(game.rules, OrderedGame):
        problems.add("strategies: they are of an ordered game, but these rules are none")
        return None
    for player, strategy in enumerate(strategies):
        if strategy.player != player:
            problems.add(f"strategies[{player}]: here stands a strategy of player {strategy.player + 1}")
            return None
    try:
        found = evaluate_ordered(game.rules, strategies)
    except TooCostly as costly:
        found = [str(costly)]
    if isinstance(found, Outcome):
        return found
    for fault in found:
        problems.add(fault)
    return None


# -- trees ---------------------------------------------------------------------------------------


def _fit(tree: GameTree, solution: StatedSolution, problems: Problems) -> bool:
    """Whether the strategies fit the game; else there are problems."""
    if solution.not_built:
        problems.add("strategies: they are of a game that is not built, but here its tree is given")
        return False
    fit = True
    for player, table in enumerate(solution.tables):
        if table.player != player:
            fit = False
            problems.add(f"strategies[{player}]: here stands a strategy of player {table.player + 1}")
            continue
        for fault in table.faults(tree):
            fit = False
            problems.add(fault)
    return fit


def _evaluate(
    tree: GameTree, solution: StatedSolution, problems: Problems, concept: Concept | None
) -> Outcome | Guarantee | None:
    """What the strategies earn; None if a player forgets, and a problem unless the concept does without values."""
    try:
        if concept is not None and concept.evaluate is not None:
            return concept.evaluate(StatedContext(solution, problems, tree))
        return evaluate(tree, solution.tables)
    except TooCostly as found:
        problems.add(str(found))
        return None
    except NoPerfectRecall as found:
        if concept is not None and concept.check is None and concept.evaluate is None:
            return None
        problems.add(
            f"{place(tree, found.player, found.infoset)}: the player forgets what it did before "
            "(no perfect recall), so best responses are not proven"
        )
        return None


def _check(
    concept: Concept,
    solution: StatedSolution,
    evaluation: Outcome | Guarantee | None,
    problems: Problems,
    tree: GameTree,
) -> None:
    """Have a concept's check look at a solution whose strategies fit the game."""
    try:
        if concept.check_stated is not None:
            concept.check_stated(StatedContext(solution, problems, tree, evaluation))
        elif concept.check is not None and isinstance(evaluation, Evaluation):
            concept.check(CheckContext(solution, evaluation, problems, tree))
    except TooCostly as found:
        problems.add(str(found))
