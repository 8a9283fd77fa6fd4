"""Compare the kernel with the verifier that it replaces: the same verdict on honest, changed and random claims.

Run as a program, with ``tests`` on the path: ``python -m check.side_by_side [honest] [changed SHARE] [random COUNT]``.
"""

from __future__ import annotations

import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import tremble
from check.claims import claim_of
from hand_made import random_game, random_profile
from honest_files import honest_files
from mutations import damages, mutations
from tremble import TrembleError, check, verify
from tremble.results import certification
from tremble.solution.claims import prove
from tremble.solution.stated import StatedSolution

FIELDS = (
    "ok", "status", "proven", "disproven", "proven_player", "disproven_player", "values", "best_response_values",
    "nash_conv", "bounds",
)  # fmt: skip


# -- what capabilities will supply, from the old verifier ------------------------------------------------


def supply_rules(game: Any, claim: check.Claim, limits: check.Limits, values_only: bool) -> check.Outcome:
    from tremble.errors import CertificateError, ImperfectRecallError
    from tremble.poker.strategy import OrderedStrategy
    from tremble.verifier.budget import TooCostly
    from tremble.verifier.profiles.ordered import evaluate_ordered
    from tremble.verifier.profiles.rows import row_faults
    from tremble.verifier.profiles.rules import evaluate_rules

    try:
        if isinstance(claim.strategies[0], OrderedStrategy):
            found: Any = evaluate_ordered(game.rules, claim.strategies)
        else:
            wrong = [fault for strategy in claim.strategies for fault in row_faults(strategy)]
            if wrong:
                return check.Outcome(None, faults=tuple(wrong))
            found = evaluate_rules(game, claim.strategies)
    except (CertificateError, TooCostly, ImperfectRecallError) as error:
        return check.Outcome(None, faults=(str(error),))
    if isinstance(found, list):
        return check.Outcome(None, faults=tuple(found))
    most = None if values_only else found.best_response_values
    return check.Outcome(found.values, most, found.constant_sum, found.every_leaf)


def supply_maxmin(solution: StatedSolution) -> Any:
    from tremble.verifier.budget import Budget, spending
    from tremble.verifier.concepts.maxmin import evaluate_maxmin
    from tremble.verifier.context import CheckContext, Problems, Statement

    def supply(game: Any, claim: check.Claim, limits: check.Limits, values_only: bool) -> check.Outcome:
        problems = Problems()
        stated = Statement(claim.concept, solution.rows, claim.certificate, None, claim.certified, claim.bounds)
        with spending(Budget.of(game.num_nodes)):
            found: Any = evaluate_maxmin(CheckContext(game, stated, problems))
        if found is None:
            return check.Outcome(None, faults=problems.listed())
        return check.Outcome(found.values, bounds=found.bounds, epsilon=found.epsilon, faults=problems.listed())

    return supply


def extra_of(solution: StatedSolution) -> dict[str, Any]:
    return {"rules": supply_rules, "ordered": supply_rules, "maxmin": supply_maxmin(solution)}


# -- the comparison --------------------------------------------------------------------------------------


def known(solution: StatedSolution) -> bool:
    """Return whether the kernel has the checks that the solution needs."""
    kinds = (solution.certificate.get("kind"), (solution.refutation or {}).get("kind"))
    absent = {"backward-induction", "basis", "ranked-plans", "reply", "dominated"}
    return solution.concept in check.CONCEPTS and not absent.intersection(map(str, kinds))


class Comparison:
    """Counts of agreement, and the first differences."""

    def __init__(self) -> None:
        self.counts: Counter[Any] = Counter()
        self.seconds = [0.0, 0.0]

    def compare(self, name: str, game: Any, solution: StatedSolution) -> None:
        if not known(solution):
            self.counts[name, "not in the kernel yet"] += 1
            return
        began = time.perf_counter()
        old = verify(game, solution)
        between = time.perf_counter()
        new = check.check(game, claim_of(solution), None, extra_of(solution))
        self.seconds[0] += between - began
        self.seconds[1] += time.perf_counter() - between
        assert new.ok == (not new.problems)
        differ = [field for field in FIELDS if getattr(old, field) != getattr(new, field)]
        self.counts[name, "accepted" if old.ok else "refused"] += 1
        if differ:
            self.counts["different", *differ] += 1
            if self.counts["different", *differ] <= 6:
                print(name, solution.concept, solution.status, solution.certificate.get("kind"), differ)
                print("   old", [getattr(old, field) for field in differ], old.problems[:3])
                print("   new", [getattr(new, field) for field in differ], new.problems[:3])

    def compare_judged(self, game: Any, solution: StatedSolution) -> None:
        """Compare what both say about strategies that claim the concept of a solution."""
        if not known(solution):
            return
        old = prove(
            game,
            solution.strategies,  # type: ignore[arg-type]
            concept=solution.concept,
            certificate=solution.certificate,
            beliefs=solution.beliefs,
            refutation=solution.refutation,
        )
        new = check.judge(game, replace(claim_of(solution), values=None), None, extra_of(solution)).verification
        differ = [field for field in FIELDS if getattr(old, field) != getattr(new, field)]
        self.counts["judged", str(old.proven), str(old.disproven)] += 1
        if differ:
            self.counts["judged differently", *differ] += 1
            print("judged", solution.concept, differ, old.problems[:3], new.problems[:3])


def honest(comparison: Comparison) -> None:
    for each in honest_files():
        solution = each.read()
        if isinstance(solution, StatedSolution):
            comparison.compare("honest", each.game, solution)


def changed(comparison: Comparison, share: float) -> None:
    draw = random.Random(1)
    for each in honest_files():
        if not isinstance(each.read(), StatedSolution):
            continue
        documents = [*((document, "mutated") for _, _, document in mutations(each.document))]
        documents += [(document, "damaged") for _, _, document in damages(each.document)]
        for document, name in documents:
            if draw.random() < share:
                try:
                    solution = each.read(document)
                except TrembleError:
                    continue
                if isinstance(solution, StatedSolution):
                    comparison.compare(name, each.game, solution)


def randomly(comparison: Comparison, count: int) -> None:
    draw = random.Random(2)
    for seed in range(count):
        game = random_game(seed, draw.choice([3, 4, 5]), zero_sum=seed % 3 == 0, big=seed % 7 == 0)
        if game.num_nodes > 400 or not min(game.num_infosets):
            continue
        for solution in _solutions(game, seed):
            comparison.compare("random", game, solution)
            comparison.compare_judged(game, solution)
            for _, _, document in _some(draw, list(mutations(_document(solution))), 12):
                try:
                    other = StatedSolution.from_text(_text(document))
                except tremble.FormatError:
                    continue
                comparison.compare("random, mutated", game, other)
                if not any(list(table.faults(game)) for table in other.tables):
                    comparison.compare_judged(game, other)


def _some(draw: random.Random, items: list[Any], most: int) -> list[Any]:
    return draw.sample(items, min(most, len(items)))


def _solutions(game: tremble.GameTree, seed: int) -> Iterator[StatedSolution]:
    for concept in ("nash", "quasi-perfect", "sequential"):
        try:
            yield tremble.solve(game, concept, time_limit=5)
        except TrembleError:
            continue
    for number in range(2):
        profile = random_profile(game, 10 * seed + number, limit=2)
        for concept in ("nash", "subgame-perfect", "quasi-perfect", "one-sided-quasi-perfect", "sequential"):
            try:
                found = certification(game, profile, concept).solution
            except TrembleError:
                continue
            if found is not None:
                yield found


def _text(document: Any) -> str:
    import json

    return json.dumps(document)


def _document(solution: StatedSolution) -> Any:
    import json

    return json.loads(solution.to_text())


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    comparison = Comparison()
    if "honest" in arguments:
        honest(comparison)
    if "changed" in arguments:
        changed(comparison, float(arguments[arguments.index("changed") + 1]))
    if "random" in arguments:
        randomly(comparison, int(arguments[arguments.index("random") + 1]))
    for key, count in sorted(comparison.counts.items(), key=str):
        print(count, *key)
    print("old {:.2f} s, new {:.2f} s".format(*comparison.seconds))


if __name__ == "__main__":
    main(sys.argv[1:])
