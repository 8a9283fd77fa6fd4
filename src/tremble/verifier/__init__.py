"""The checker: proves a solution again from the game alone.

It reads the tree and the solution and shares no algorithm with any solver: sequences, perfect recall, the
weights of chance and of strategies, values and best responses are computed here, in :mod:`.profiles.tree` (in
:mod:`.profiles.rules` and :mod:`.profiles.ordered` for rules that are never built), with exact integers. Each concept
has a file that says what its certificate proves and one row in :mod:`.concepts.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tremble.clock import limited, required_time_limit
from tremble.errors import CertificateError, ImperfectRecallError
from tremble.model.ordered.game import OrderedGame
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
from tremble.model.table import StrategyTable
from tremble.model.tree import GameTree
from tremble.solution.claim import Beliefs, Profile
from tremble.solution.heading import Status
from tremble.solution.stated import SOLUTION, StatedSolution
from tremble.solution.strategies import pair_of, rows_of
from tremble.solution.verification import Verification
from tremble.verifier.budget import Budget, Listener, TooCostly, spending
from tremble.verifier.concepts.nash import check_equilibrium
from tremble.verifier.concepts.table import CONCEPTS, Concept
from tremble.verifier.context import CheckContext, OutcomeContext, Problems, StatedContext, Statement, place, unequal
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
        except TooCostly as found:
            problems.add(str(found))
            return _judged(solution, None, problems)
        _check_digest(game.digest, solution, problems)
        stated = Statement(
            solution.concept, solution.rows, solution.certificate, solution.beliefs,
            solution.status == Status.CERTIFIED, solution.values, solution.bounds,
        )  # fmt: skip
        passes = _passes(game, problems)
        concept = passes.concepts.get(solution.concept)
        outcome = passes.evaluate(stated, concept)
        _check_values(outcome, solution, problems)
        if concept is None:
            problems.add(f"concept: {passes.others.format(solution.concept[:80])}")
        _check_named(solution, problems)
        if concept is not None and outcome is not None and solution.status != Status.LIMIT_REACHED:
            passes.check(concept, stated, outcome)
        return _judged(solution, outcome, problems, passes.notes(outcome))


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
    claim = Statement("nash", rows_of(strategies), certificate or {}, beliefs)
    passes = _passes(game, problems)
    row = CONCEPTS["nash" if certificate is None else concept]
    with spending(Budget.of(_nodes(game), Listener(None, progress))):
        outcome = passes.evaluate(claim, row)
        if outcome is not None:
            claim = replace(claim, concept=row.name, values=outcome.values, bounds=outcome.certified_bounds)
            if certificate is not None:
                passes.check(row, claim, outcome)
            elif isinstance(outcome, Outcome):
                check_equilibrium(passes.context(claim, outcome))
    proven: str | None = None
    status = Status.LIMIT_REACHED
    if not problems:
        proven, status = row.name, Status.CERTIFIED
    elif outcome is not None and outcome.nash_conv == 0:
        proven, status = "nash", Status.CERTIFIED
    elif outcome is not None and outcome.bounds is not None:
        proven, status = "bounds", Status.BOUNDED
    return _verification(row.name, status, proven, outcome, problems)


def _verification(
    concept: str,
    status: Status,
    proven: str | None,
    outcome: Outcome | Guarantee | None,
    problems: Problems,
    notes: tuple[str, ...] = (),
) -> Verification:
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
    )


# -- what every solution states ------------------------------------------------------------------


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


def _judged(
    solution: StatedSolution, outcome: Outcome | Guarantee | None, problems: Problems, notes: tuple[str, ...] = ()
) -> Verification:
    """What is proven of a solution."""
    if solution.status == Status.LIMIT_REACHED:
        problems.add("status: 'limit-reached' states neither an equilibrium nor bounds, so there is nothing to prove")
    stated = {Status.CERTIFIED: solution.concept, Status.BOUNDED: "bounds"}.get(solution.status)
    return _verification(solution.concept, solution.status, None if problems else stated, outcome, problems, notes)


# -- the passes, by the kind of the game and of the strategies ---------------------------------------


class _TreePasses:
    """The passes over a tree, which can check all concepts."""

    def __init__(self, tree: GameTree, problems: Problems) -> None:
        self.tree, self.problems = tree, problems
        self.concepts: Mapping[str, Concept] = CONCEPTS
        self.others = f"this version cannot check {{0!r}}; it checks {', '.join(map(repr, CONCEPTS))}"

    def evaluate(self, stated: Statement, concept: Concept | None) -> Outcome | Guarantee | None:
        """What strategies earn; None and problems if they do not fit, if a player forgets, or if it costs too much."""
        tables = pair_of(StrategyTable, stated.strategies)
        if tables is None:
            self.problems.add("strategies: they are of a game that is not built, but here its tree is given")
            return None
        before = len(self.problems)
        for player, table in enumerate(tables):
            wrong = f"strategies[{player}]: here stands a strategy of player {table.player + 1}"
            for fault in table.faults(self.tree) if table.player == player else (wrong,):
                self.problems.add(fault)
        if len(self.problems) > before:
            return None
        try:
            if concept is not None and concept.evaluate is not None:
                return concept.evaluate(StatedContext(stated, self.problems, self.tree))
            return evaluate(self.tree, tables)
        except TooCostly as found:
            self.problems.add(str(found))
        except NoPerfectRecall as found:
            self.problems.add(
                f"{place(self.tree, found.player, found.infoset)}: the player forgets what it did before "
                "(no perfect recall), so best responses are not proven"
            )
        return None

    def check(self, concept: Concept, stated: Statement, outcome: Outcome | Guarantee) -> None:
        """Have a concept's check look at what is stated."""
        try:
            if concept.check_stated is not None:
                concept.check_stated(StatedContext(stated, self.problems, self.tree, outcome))
            elif concept.check is not None and isinstance(outcome, Evaluation):
                concept.check(CheckContext(stated, outcome, self.problems, self.tree))
        except TooCostly as found:
            self.problems.add(str(found))

    def context(self, stated: Statement, outcome: Outcome) -> OutcomeContext:
        """What a check of values and bounds looks at."""
        assert isinstance(outcome, Evaluation)
        return CheckContext(stated, outcome, self.problems, self.tree)

    def notes(self, outcome: Outcome | Guarantee | None) -> tuple[str, ...]:
        """What is to be said beside what is proven."""
        return ()


_OF_WHAT_IS_MET = (
    "bounds: that the payoffs have a constant sum is known only of the plays that either strategy allows, so that "
    "these are bounds on the most that player 1 can guarantee"
)
_TRUSTED = "the rules say nothing of what tells them from others, so that the solution is of this game is not proven"


class _RulesPasses:
    """The passes over rules that are never built, which can check a few concepts."""

    def __init__(self, game: UnbuiltGame, problems: Problems) -> None:
        self.game, self.problems = game, problems
        self.concepts: Mapping[str, Concept] = {k: row for k, row in CONCEPTS.items() if row.check_rules is not None}
        able = " and ".join(map(repr, self.concepts))
        self.others = f"in a game that is not built only {able} can be checked, not {{0!r}}"

    def evaluate(self, stated: Statement, concept: Concept | None) -> Outcome | None:
        """What strategies earn; None and problems if they do not fit, if a player forgets, or if it costs too much."""
        ordered, strategies = pair_of(OrderedStrategy, stated.strategies), pair_of(UnbuiltStrategy, stated.strategies)
        found: Outcome | Sequence[str] = [
            "strategies: they number the information sets of a tree, but this game is not built"
        ]
        try:
            if ordered is not None:
                found = self._by_classes(ordered)
            elif strategies is not None:
                found = list(self._faults(strategies)) or evaluate_rules(self.game, strategies)
        except (CertificateError, ImperfectRecallError, TooCostly) as error:
            found = [str(error)]
        if isinstance(found, Outcome):
            return found
        for fault in found:
            self.problems.add(fault)
        return None

    def _faults(self, strategies: tuple[UnbuiltStrategy, UnbuiltStrategy]) -> Iterator[str]:
        for player, strategy in enumerate(strategies):
            if strategy.player != player:
                yield f"strategies[{player}]: here stands a strategy of player {strategy.player + 1}"
            else:
                yield from row_faults(strategy)

    def _by_classes(self, strategies: tuple[OrderedStrategy, OrderedStrategy]) -> Outcome | Sequence[str]:
        if not isinstance(self.game.rules, OrderedGame):
            return ["strategies: they are of an ordered game, but these rules are none"]
        for player, strategy in enumerate(strategies):
            if strategy.player != player:
                return [f"strategies[{player}]: here stands a strategy of player {strategy.player + 1}"]
        return evaluate_ordered(self.game.rules, strategies)

    def check(self, concept: Concept, stated: Statement, outcome: Outcome | Guarantee) -> None:
        """Check what is stated."""
        assert isinstance(outcome, Outcome)
        assert concept.check_rules is not None
        concept.check_rules(self.context(stated, outcome))

    def context(self, stated: Statement, outcome: Outcome) -> OutcomeContext:
        """What a check of values and bounds looks at."""
        return OutcomeContext(stated, outcome, self.problems)

    def notes(self, outcome: Outcome | Guarantee | None) -> tuple[str, ...]:
        """What is to be said beside what is proven."""
        notes = [] if self.game.digest is not None else [_TRUSTED]
        if isinstance(outcome, RulesOutcome):
            if outcome.bounds is not None:
                notes.append(_OF_WHAT_IS_MET)
            for player, rows in enumerate(outcome.unmet_rows):
                if rows:
                    notes.append(
                        f"strategies[{player}]: {rows:,} rows stand at keys that no play leads to, and prove nothing"
                    )
        return tuple(notes)


def _passes(game: GameTree | UnbuiltGame, problems: Problems) -> _TreePasses | _RulesPasses:
    return _TreePasses(game, problems) if isinstance(game, GameTree) else _RulesPasses(game, problems)
