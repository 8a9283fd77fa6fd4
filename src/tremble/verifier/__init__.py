"""The checker: proves a solution again from the game alone.

It reads the tree and the solution and shares no algorithm with any solver: sequences, perfect recall, the
weights of chance and of strategies, values and best responses are computed here, in :mod:`.profiles.tree` (in
:mod:`.profiles.rules` for rules that are never built), with exact integers. Each concept has a file that says what
its certificate proves and one row in ``CONCEPTS``.
"""

from __future__ import annotations

from collections.abc import Callable

from tremble.clock import limited, require_time_limit
from tremble.errors import CertificateError, ImperfectRecallError
from tremble.model.game import Game
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.solution.solution import Solution, Status
from tremble.solution.well_formed import require_well_formed
from tremble.verifier.budget import Budget, Listener, TooCostly, spending
from tremble.verifier.concepts.nash import check_nash, check_stated
from tremble.verifier.concepts.perfect import check_perfect
from tremble.verifier.concepts.quasi_perfect import check_quasi_perfect
from tremble.verifier.concepts.sequential import check_sequential
from tremble.verifier.profiles.outcome import Outcome
from tremble.verifier.profiles.rows import row_faults
from tremble.verifier.profiles.rules import RulesOutcome, evaluate_rules
from tremble.verifier.profiles.tree import Evaluation, NoPerfectRecall, evaluate
from tremble.verifier.verification import CheckContext, OutcomeContext, Problems, Verification, place, unequal

__all__ = ["CONCEPTS", "Verification", "verify"]

CONCEPTS: dict[str, Callable[[CheckContext], None]] = {
    "nash": check_nash,
    "quasi-perfect": check_quasi_perfect,
    "perfect": check_perfect,
    "sequential": check_sequential,
}
"""Concept -> what checks it, once digest, strategies, recall and values have been looked at."""

_STOP = 0.1  # seconds


def verify(
    game: GameTree | UnbuiltGame | Game,
    solution: Solution,
    *,
    time_limit: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Prove a solution again, from the game alone, in exact arithmetic.

    Always proven: the solution belongs to this game (digest), its strategies are complete and proper, the
    game is of a kind in which best responses can be computed (perfect recall), the stated values are the
    expected payoffs. Further:

    * status ``certified``, concept ``nash``: neither player can gain anything by deviating; the bounds (of
      a constant-sum game) equal the value; the certificate states the true numbers; sets are marked
      ``off_path`` exactly where the player's own strategy never comes;
    * status ``certified``, concept ``quasi-perfect``: the same, and the strategies are the limits of the
      certificate's perturbed plans, in which at every information set, reached or not, whatever is played
      beyond its tremble is a best reply to the trembling other (:mod:`.concepts.quasi_perfect`);
    * status ``certified``, concept ``perfect``: an equilibrium, and the strategies are the limits of
      equilibria of the games in which every action must be played with at least a small probability, in the
      constant ratios of the stated weights (:mod:`.concepts.perfect`, which also says what is decided at random);
    * status ``certified``, concept ``sequential``: all that is said of ``quasi-perfect``, the beliefs are
      the limits of those that follow from the perturbed plans, and at every set, given the belief, no played
      action can be bettered (:mod:`.concepts.sequential`);
    * status ``bounded``, concept ``nash``: the stated bounds on player 1's value follow from the two strategies.
      Bounds prove nothing of a refinement, so a bounded solution that names one does not pass;
    * status ``limit-reached`` states nothing that could be proven, and does not pass.

    Names (title, spec, labels of information sets), ``method`` and ``stats`` play no part.

    The solution may come from anywhere: what checking its numbers would cost is bounded (:mod:`.budget`), and a
    solution that would cost more has the problem "too large to check".

    Of a game that is not built, ``certified`` and ``bounded`` Nash equilibria can be proven (:mod:`.profiles.rules`):
    the strategies are what their rows and defaults say wherever play can come, and nothing but the rules of play is
    used. Rows at information sets that the player's own strategy never lets happen are not looked for.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, or an object with the :class:`tremble.Game` protocol
    solution : Solution
    time_limit : float, optional
        Seconds after which nothing has been proven.
    progress : callable, optional
        Called with a text now and then, a few times a second; it may end the work by raising.

    Returns
    -------
    Verification
        ``ok``, or ``problems`` that say what is wrong and where.

    Raises
    ------
    CertificateError
        This is no solution: a field is of the wrong type.
    LimitReached
        The time limit has passed.
    GameError
        The rules of a game that is not built contradict themselves.

    Examples
    --------
    >>> import tremble
    >>> from dataclasses import replace
    >>> from tremble.solution.certificates import best_response_certificate
    >>> from tremble.solution.solution import GameReference, Method
    >>> pennies = tremble.load("matching_pennies")
    >>> uniform = tuple(tremble.BehaviorStrategy.uniform(pennies, player) for player in (0, 1))
    >>> solution = Solution(
    ...     game=GameReference.of(pennies), concept="nash", requested="nash", method=Method("by hand", {}),
    ...     status=Status.CERTIFIED, values=(0, 0), bounds=(0, 0), strategies=uniform,
    ...     certificate=best_response_certificate((0, 0), (0, 0)), stats={},
    ... )
    >>> verification = tremble.verify(pennies, solution)
    >>> verification.ok, verification.nash_conv
    (True, Fraction(0, 1))
    >>> for problem in tremble.verify(pennies, replace(solution, values=(1, -1))).problems[:1]:
    ...     print(problem)
    values[0]: the expected payoff of player 1 is stated as 1, but it is 0 (off by about 1)
    """
    if not isinstance(solution, Solution):
        raise CertificateError(
            f"expected a Solution, found a {type(solution).__name__}: strategies alone state nothing that could be "
            "proven; tremble.nash_conv(game, strategies) tells how far they are from an equilibrium"
        )
    require_time_limit(time_limit)
    listener = Listener(time_limit, progress)
    # What does not listen, such as rules that never end, is stopped a little later, wherever it is.
    return limited(None if time_limit is None else time_limit + _STOP, lambda: _verify(game, solution, listener))


def _verify(game: GameTree | UnbuiltGame | Game, solution: Solution, listener: Listener) -> Verification:
    require_well_formed(solution)
    if isinstance(game, GameTree):
        with spending(Budget.of(game.num_nodes, listener)):
            return _verify_tree(game, solution, Problems())
    rules = game if isinstance(game, UnbuiltGame) else UnbuiltGame.of(game)
    with spending(Budget.of(0, listener)):
        return _verify_rules(rules, solution, Problems())


def _verify_tree(game: GameTree, solution: Solution, problems: Problems) -> Verification:
    _check_digest(game.digest, solution, problems)
    evaluation = _evaluate(game, solution, problems)
    _check_values(evaluation, solution, problems)
    check = CONCEPTS.get(solution.concept)
    if check is None:
        known = ", ".join(map(repr, CONCEPTS))
        problems.add(f"concept: this version cannot check {solution.concept[:80]!r}; it checks {known}")
    _check_named(solution, problems)
    if check is not None and evaluation is not None and solution.status != Status.LIMIT_REACHED:
        try:
            check(CheckContext(solution, evaluation, problems, game))
        except TooCostly as found:
            problems.add(str(found))
    return _verification(solution, evaluation, problems)


def _check_digest(digest: str | None, solution: Solution, problems: Problems) -> None:
    stated = solution.game.digest
    if stated != digest:
        shown = "no digest" if stated is None else repr(stated[:80])
        problems.add(f"game.digest: the solution belongs to another game: it states {shown}, not {digest or 'none'}")


def _check_values(outcome: Outcome | None, solution: Solution, problems: Problems) -> None:
    if outcome is None:
        return
    for i, (stated, value) in enumerate(zip(solution.values, outcome.values, strict=True)):
        if stated != value:
            problems.add(f"values[{i}]: the expected payoff of player {i + 1} is {unequal(stated, value)}")


def _check_named(solution: Solution, problems: Problems) -> None:
    """What was asked for is a concept, and a solution that is not certified names no refinement."""
    if solution.requested not in CONCEPTS:
        problems.add(f"requested: {solution.requested[:80]!r} is no concept")
    if solution.status != Status.CERTIFIED and solution.concept != "nash" and solution.concept in CONCEPTS:
        problems.add(
            f"concept: {solution.concept!r} is not proven by a solution with status {str(solution.status)!r}, which "
            "states 'nash' and names under 'requested' what was asked for"
        )


def _verification(
    solution: Solution, outcome: Outcome | None, problems: Problems, notes: tuple[str, ...] = ()
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

_TRUSTED = "the rules say nothing of what tells them from others, so that the solution is of this game is not proven"


def _verify_rules(game: UnbuiltGame, solution: Solution, problems: Problems) -> Verification:
    _check_digest(game.digest, solution, problems)
    outcome = _evaluate_rules(game, solution, problems)
    _check_values(outcome, solution, problems)
    if solution.concept != "nash":
        problems.add(f"concept: in a game that is not built only 'nash' can be checked, not {solution.concept[:80]!r}")
    _check_named(solution, problems)
    if outcome is not None and solution.concept == "nash" and solution.status != Status.LIMIT_REACHED:
        check_stated(OutcomeContext(solution, outcome, problems))
    notes = [] if game.digest is not None else [_TRUSTED]
    for player, unmet in enumerate((0, 0) if outcome is None else outcome.unmet_rows):
        if unmet:
            notes.append(f"strategies[{player}]: {unmet:,} rows stand at keys that no play leads to, and prove nothing")
    return _verification(solution, outcome, problems, tuple(notes))


def _evaluate_rules(game: UnbuiltGame, solution: Solution, problems: Problems) -> RulesOutcome | None:
    """What the strategies earn, or None and a problem if they do not fit the game or a player forgets."""
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


# -- trees ---------------------------------------------------------------------------------------


def _evaluate(tree: GameTree, solution: Solution, problems: Problems) -> Evaluation | None:
    """What the strategies earn, or None and a problem if they do not fit the game or a player forgets."""
    if solution.unbuilt is not None:
        problems.add("strategies: they are of a game that is not built, but here its tree is given")
        return None
    fit = True
    for player, table in enumerate(solution.tables):
        if table.player != player:
            fit = False
            problems.add(f"strategies[{player}]: here stands a strategy of player {table.player + 1}")
            continue
        for fault in table.faults(tree):
            fit = False
            problems.add(fault)
    if not fit:
        return None
    try:
        return evaluate(tree, solution.tables)
    except TooCostly as found:
        problems.add(str(found))
        return None
    except NoPerfectRecall as found:
        problems.add(
            f"{place(tree, found.player, found.infoset)}: the player forgets what it did before "
            "(no perfect recall), so best responses are not proven"
        )
        return None
