"""The checker: proves a solution again from the game alone.

It reads the tree and the solution and shares no algorithm with any solver: sequences, perfect recall, the
weights of chance and of strategies, values and best responses are computed here, in :mod:`.tree`, with
exact integers. Each concept has a file that says what its certificate proves and one row in ``CONCEPTS``.
"""

from __future__ import annotations

from collections.abc import Callable

from tremble.solution import Solution, Status
from tremble.tree import GameTree
from tremble.verifier.nash import check_nash
from tremble.verifier.perfect import check_perfect
from tremble.verifier.quasi_perfect import check_quasi_perfect
from tremble.verifier.sequential import check_sequential
from tremble.verifier.tree import Evaluation, Forgetful, evaluate
from tremble.verifier.verification import Case, Problems, Verification, place, unequal

__all__ = ["CONCEPTS", "Verification", "verify"]

CONCEPTS: dict[str, Callable[[Case], None]] = {
    "nash": check_nash,
    "quasi-perfect": check_quasi_perfect,
    "perfect": check_perfect,
    "sequential": check_sequential,
}
"""Concept -> what checks it, once digest, strategies, recall and values have been looked at."""


def verify(tree: GameTree, solution: Solution) -> Verification:
    """Prove a solution again, from the game alone, in exact arithmetic.

    Always proven: the solution belongs to this game (digest), its strategies are complete and proper, the
    game is of a kind in which best responses can be computed (perfect recall), the stated values are the
    expected payoffs. Further:

    * status ``certified``, concept ``nash``: neither player can gain anything by deviating; the bounds (of
      a constant-sum game) equal the value; the certificate states the true numbers; sets are marked
      ``off_path`` exactly where the player's own strategy never comes;
    * status ``certified``, concept ``quasi-perfect``: the same, and the strategies are the limits of the
      certificate's perturbed plans, in which at every information set, reached or not, whatever is played
      beyond its tremble is a best reply to the trembling other (:mod:`.quasi_perfect`);
    * status ``certified``, concept ``perfect``: an equilibrium, and the strategies are the limits of
      equilibria of the games in which every action must be played with at least a small probability
      (:mod:`.perfect`, which also says what is decided at random);
    * status ``certified``, concept ``sequential``: all that is said of ``quasi-perfect``, the beliefs are
      the limits of those that follow from the perturbed plans, and at every set, given the belief, no played
      action can be bettered (:mod:`.sequential`);
    * status ``bounded``: the stated bounds on player 1's value follow from the two strategies;
    * status ``limit-reached`` states nothing that could be proven, and does not pass.

    Names (title, spec, labels of information sets), ``method`` and ``stats`` play no part.

    Parameters
    ----------
    tree : GameTree
    solution : Solution

    Returns
    -------
    Verification
        ``ok``, or ``problems`` that say what is wrong and where.

    Examples
    --------
    >>> import tremble
    >>> from dataclasses import replace
    >>> from tremble.solution import GameReference, Method, best_response_certificate
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
    problems = Problems()
    if solution.game.digest != tree.digest:
        stated = "no digest" if solution.game.digest is None else repr(solution.game.digest[:80])
        problems.add(f"game.digest: the solution belongs to another game: it states {stated}, not {tree.digest}")
    evaluation = _evaluate(tree, solution, problems)
    if evaluation is not None:
        for i, (stated_value, value) in enumerate(zip(solution.values, evaluation.values, strict=True)):
            if stated_value != value:
                problems.add(f"values[{i}]: the expected payoff of player {i + 1} is {unequal(stated_value, value)}")
    check = CONCEPTS.get(solution.concept)
    if check is None:
        known = ", ".join(map(repr, CONCEPTS))
        problems.add(f"concept: this version cannot check {solution.concept[:80]!r}; it checks {known}")
    if solution.requested not in CONCEPTS:
        problems.add(f"requested: {solution.requested[:80]!r} is no concept")
    if check is not None and evaluation is not None and solution.status != Status.LIMIT_REACHED:
        check(Case(tree, solution, evaluation, problems))
    if solution.status == Status.LIMIT_REACHED:
        problems.add("status: 'limit-reached' states neither an equilibrium nor bounds, so there is nothing to prove")
    return Verification(
        ok=not problems,
        concept=solution.concept,
        nash_conv=None if evaluation is None else evaluation.nash_conv,
        problems=problems.listed(),
        values=None if evaluation is None else evaluation.values,
        best_response_values=None if evaluation is None else evaluation.best_response_values,
        bounds=None if evaluation is None else evaluation.bounds,
    )


def _evaluate(tree: GameTree, solution: Solution, problems: Problems) -> Evaluation | None:
    """What the strategies earn, or None and a problem if they do not fit the game or a player forgets."""
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
    except Forgetful as found:
        problems.add(
            f"{place(tree, found.player, found.infoset)}: the player forgets what it did before "
            "(no perfect recall), so best responses are not proven"
        )
        return None
