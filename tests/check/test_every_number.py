"""Every number that a file states is checked: change one, and ``verify`` refuses the file, or the file is still true.

The honest files of ``honest_files.py`` have every status, concept, kind of certificate and kind of refutation. What
``verify`` accepts although it was changed is compared with the truth, found by enumeration; :data:`PROOFS` and
:data:`REMARKS` name the places where a change may leave a file true, and why.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import pytest

import tremble
from closed_states import Judged, holds
from forgetful import expected, guarantee, matrix, mixture, pure
from honest_files import Honest, honest_files, ordered_files
from mutations import Document, Path, damages, mutations
from tremble import GameTree, TrembleError, Verification, check, verify
from tremble.results import Equilibria, StatedSolution, certification
from tremble.solution import certificates
from tremble.solution.equilibria import verdict
from tremble.status import Status

PROOFS = {
    ("certificate", "X"), ("certificate", "Y"), ("certificate", "denominator"), ("certificate", "trembles"),
    ("certificate", "orders"), ("certificate", "basis"), ("certificate", "pivots"),
    ("certificate", "row_operations"), ("certificate", "systems"), ("certificate", "zeros"),
    ("certificate", "probabilistic"), ("certificate", "classes"), ("certificate", "response"),
    ("certificate", "replies"), ("certificate", "splits"), ("certificate", "leaves"), ("refutation", "player"),
    ("refutation", "path"), ("refutation", "infoset"), ("refutation", "blocked"), ("refutation", "tight"),
    ("refutation", "deviation"), ("refutation", "flow"), ("refutation", "ratio"), ("refutation", "cost"),
}  # fmt: skip
"""Parts of proofs. Some other numbers prove the same: the checker goes through the whole proof with those that stand
there. What the file claims by it is unchanged, and true."""

BELIEVED = ("complete", "unique", "unique_plans", "degenerate", "indices")
"""Fields of lists that take an enumeration. The verdict says of each that it is stated, not proven."""

REMARKS = ("requested",)
"""What was asked for is no statement about the game."""


def files(folder: FilePath) -> list[Honest]:
    return [*honest_files(), *ordered_files(folder)]


# -- the attack ------------------------------------------------------------------------------------


def attacked(honest: Honest, chosen: Any = lambda: True) -> Iterator[tuple[Path, Any, Document, Verification | None]]:
    """Yield changed files that ``verify`` accepts, and None in place of a verdict for each of the others."""
    for path, value, document in mutations(honest.document):
        if chosen():
            try:
                found = verify(honest.game, honest.read(document))
            except TrembleError:
                yield path, value, document, None
            else:
                yield path, value, document, found if found.ok else None


def test_honest_files_are_accepted(tmp_path: FilePath) -> None:
    for honest in files(tmp_path):
        found = verify(honest.game, honest.read())
        assert found.ok, (honest.name, found.problems)


def test_the_honest_files_have_every_form() -> None:
    forms = {
        (document["status"], document["certificate"].get("kind"), document.get("refutation", {}).get("kind"))
        for document in (honest.document for honest in honest_files())
        if "status" in document
    }
    refutations = {"best-response", "subgame", "dominated", "reply", "mistakes"}
    assert {kind for status, _, kind in forms if status == "limit-reached"} == refutations
    assert {kind for status, _, kind in forms if status == "bounded"} == {*refutations, None}
    assert {kind for status, _, kind in forms if status == "certified"} >= {*refutations - {"best-response"}, None}
    assert {kind for status, kind, _ in forms if status == "certified"} == {
        *("best-response", "polynomials", "consistent-trembles", "ranked-plans", "backward-induction", "basis"),
        *("branching", "guarantee"),
    }


@pytest.mark.parametrize("share", [0.03, pytest.param(1.0, marks=pytest.mark.slow)])
def test_no_changed_number_is_believed(tmp_path: FilePath, share: float) -> None:
    """A share of 1 is about 92,000 changes, of which the checker refuses 84,000."""
    draw, refused, believed = random.Random(34), 0, []
    for honest in files(tmp_path):
        for path, value, document, found in attacked(honest, lambda: draw.random() < share):
            refused += found is None
            if found is not None and not still_true(honest, path, document, found):
                believed.append((honest.name, path, value))
    assert not believed, believed[:20]
    assert refused > 80_000 * share


def still_true(honest: Honest, path: Path, document: Document, found: Verification) -> bool:
    """Return whether an accepted file, changed at this place, says nothing that is false."""
    if path[0] == "equilibria" and len(path) > 2 and isinstance(path[1], int):
        k, before = path[1], honest.document["equilibria"][path[1]]
        return _true(Honest(f"{honest.name} [{k}]", honest.game, before), path[2:], document["equilibria"][k], found)
    if "equilibria" in document:
        fields = {field.name.partition("[")[0]: field for field in found.fields}
        if path[0] == "complete" and not document["complete"]:
            return True  # which says less
        return path[0] in BELIEVED and fields[str(path[0])].believed is not None
    return _true(honest, path, document, found)


def _true(honest: Honest, path: Path, document: Document, found: Verification) -> bool:
    before, tree = honest.document, honest.game
    if path[0] in REMARKS:
        return _is_no_judgement(honest.read(document))
    if path[:2] in PROOFS:
        return _proves(tree, path, document)
    if path[0] == "bounds":
        low, high = exact_bounds(honest)
        return F(document["bounds"][0]) <= low <= high <= F(document["bounds"][1])
    if path[0] == "status":
        ranks = ("limit-reached", "bounded", "certified")
        if ranks.index(document["status"]) < ranks.index(before["status"]):
            return True
        if document["status"] == "certified":
            return document["concept"] == "nash" and is_equilibrium(honest)
        low, high = exact_bounds(honest)
        return F(document["bounds"][0]) <= low <= high <= F(document["bounds"][1])
    if path[0] == "concept":
        return _is_of(tree, honest.read(document), document)
    if path == ("refutation", "concept"):
        return _is_not_of(tree, honest, document)
    if path[:2] == ("certificate", "epsilon"):  # with a basis, plans at another value are equilibria there as well
        of_basis = isinstance(document["certificate"]["epsilon"], dict)
        return of_basis or document["status"] == "bounded" or _apart(document) <= F(document["certificate"]["epsilon"])
    if path == ("certificate", "player"):
        return _guarantees(honest, document["certificate"]["player"] - 1)
    if path[-1] == "key":
        return any("have no effect" in note for note in found.notes) and is_equilibrium(honest)
    if path[-1] == "off_path":  # no mark says nothing where best responses are not stated
        return document["status"] == "limit-reached" and not document["certificate"] and not _at(document, path)
    return False


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def _is_no_judgement(solution: StatedSolution | Equilibria) -> bool:
    """Lists say "proven" or "disproven" of what was asked for only where that stands in the file."""
    assert isinstance(solution, StatedSolution)
    judged = verdict(solution)
    refuted = (solution.refutation or {}).get("concept")
    return judged == "undecided" or (judged == "proven" and solution.concept == solution.requested) or (
        refuted == solution.requested
    )  # fmt: skip


# -- the truth ---------------------------------------------------------------------------------------


def _rows(document: Document) -> list[list[list[F]]]:
    return [[[F(p) for _, p in row["actions"]] for row in side] for side in document["strategies"]]


@cache
def _earned(tree: GameTree, one: tuple[F, ...], two: tuple[F, ...]) -> tuple[tuple[F, F], tuple[F, F]]:
    """Return what mixtures of pure strategies earn, and the most that each player can earn."""
    payoff = matrix(tree)
    against = [
        [sum((p * u for p, u in zip(two, row, strict=True)), F(0)) for row in payoff[0]],
        [sum((p * row[j] for p, row in zip(one, payoff[1], strict=True)), F(0)) for j in range(len(two))],
    ]
    values = [
        sum((p * u for p, u in zip(mix, earns, strict=True)), F(0))
        for mix, earns in zip((one, two), against, strict=True)
    ]
    return (values[0], values[1]), (max(against[0]), max(against[1]))


def earned(honest: Honest) -> tuple[tuple[F, F], tuple[F, F]]:
    """Return the values and the best-response values, of games that are not built as the honest file states them."""
    document = honest.document
    if not isinstance(honest.game, GameTree):
        values, best = document["values"], document["certificate"]["best_response_values"]
        return (F(values[0]), F(values[1])), (F(best[0]), F(best[1]))
    one, two = _rows(document)
    mixed = tuple(mixture(honest.game, 0, one)), tuple(mixture(honest.game, 1, two))
    return _earned(honest.game, *mixed)


def exact_bounds(honest: Honest) -> tuple[F, F]:
    values, best = earned(honest)
    return sum(values) - best[1], best[0]  # a constant sum is that of the values


def is_equilibrium(honest: Honest) -> bool:
    values, best = earned(honest)
    return values == best


def _guarantees(honest: Honest, player: int) -> bool:
    """Return whether the bounds hold for what this player can guarantee: by its strategy, and against the other one."""
    tree = honest.game
    low, high = guarantee(tree, player, _rows(honest.document)[player]), earned(honest)[1][player]
    if player == 1 and tree.constant_sum is not None:
        low, high = tree.constant_sum - high, tree.constant_sum - low
    return [low, high] == list(map(F, honest.document["bounds"]))


def _apart(document: Document) -> F:
    low, high = map(F, document["bounds"])
    return high - low


def _is_of(tree: Any, solution: Any, document: Document) -> bool:
    """Return whether the strategies are of another concept, as ``certify`` decides it."""
    concept = document["concept"]
    if concept == "maxmin":  # the sum is constant, and bounds of the value are bounds of what is guaranteed
        return tree.constant_sum is not None and document["bounds"] is not None
    return str(certification(tree, solution.strategies, concept).verdict) == "proven"


def _is_not_of(tree: Any, honest: Honest, document: Document) -> bool:
    refutation = document["refutation"]
    if refutation["kind"] == "best-response":
        return not is_equilibrium(honest)
    solution: Any = honest.read(document)
    trembles = None
    if refutation["concept"] == "one-sided-quasi-perfect":
        ones = [[[1] * len(labels) for labels in sets] for sets in tree.actions]
        faultless = 2 - refutation["player"]
        trembles = tremble.strategies.Trembles.from_rows(tree, ["none" if i == faultless else ones[i] for i in (0, 1)])
    found = certification(tree, solution.strategies, refutation["concept"], trembles=trembles)
    return str(found.verdict) == "disproven"


def _proves(tree: Any, path: Path, document: Document) -> bool:
    """Return whether what stands there is a proof, as far as a second checker for its kind stands in these tests."""
    refutation = document.get("refutation", {})
    certificate = document["certificate"]
    if path[0] == "refutation" and refutation["kind"] == "mistakes":
        profile = tuple(
            tremble.BehaviorStrategy.from_rows(tree, player, rows) for player, rows in enumerate(_rows(document))
        )
        return holds(Judged(tree, profile, refutation["player"] - 1), _strict(tree, refutation))  # type: ignore[arg-type]
    if path[0] == "certificate" and certificate["kind"] == "polynomials":
        return _plans_err(tree, certificate)
    return True


def _strict(tree: GameTree, refutation: Document) -> Document:
    """Return the refutation with the concept that tells the second checker where plans are compared."""
    concept = refutation["concept"]
    once = all(not any(above) for above in _before(tree))
    everywhere = concept in ("quasi-perfect", "one-sided-quasi-perfect") or (concept == "perfect" and once)
    return {**refutation, "concept": "quasi-perfect" if everywhere else "sequential"}


def _before(tree: GameTree) -> list[list[int]]:
    """Return for each player and information set the sequence before it, numbered as in files."""
    found: list[list[int]] = []
    for player in (0, 1):
        start = [1]
        for labels in tree.actions[player]:
            start.append(start[-1] + len(labels))
        above = [0] * tree.num_infosets[player]
        for node in range(1, tree.num_nodes):
            if tree.player[node] == player:
                up = node
                while up:
                    parent, action = int(tree.parent[up]), int(tree.action[up])
                    if tree.player[parent] == player:
                        above[int(tree.infoset[node])] = start[int(tree.infoset[parent])] + action
                        break
                    up = parent
        found.append(above)
    return found


def _plans_err(tree: GameTree, certificate: Document) -> bool:
    """Return whether these are plans at a tiny value of the infinitesimal, with no mistake rarer than is stated."""
    tiny = F(1, 10**30)
    trembles, orders = certificate["trembles"], certificate.get("orders")
    for player, above in enumerate(_before(tree)):
        plan = [
            sum((F(row[q]) * tiny**d for d, row in enumerate(certificate["XY"[player]])), F(0))
            / F(certificate["denominator"][player])
            for q in range(1 + tree.num_slots[player])
        ]
        weights = trembles if trembles in (None, "any") else trembles[player]
        powers = orders if orders is None else orders[player]
        least = {0: F(1)}  # by sequence
        first = [1, *(1 + sum(map(len, tree.actions[player][: k + 1])) for k in range(len(above)))]
        left = list(range(len(above)))
        while left:
            k = next(k for k in left if above[k] in least)
            left.remove(k)
            moves = range(first[k], first[k + 1])
            if sum(plan[q] for q in moves) != plan[above[k]]:
                return False
            for a, q in enumerate(moves):
                weight = F(weights[k][a]) if isinstance(weights, list) else F(1)
                least[q] = least[above[k]] * weight * tiny ** (powers[k][a] if isinstance(powers, list) else 1)
                rarest = least[q] if weights is None or isinstance(weights, list) else F(0)
                if plan[q] < rarest or (plan[q] == 0 and weights != "none"):
                    return False
        if plan[0] != 1:
            return False
    return True


# -- what a file with the status "limit-reached" may state ------------------------------------------------


def refuted() -> tuple[GameTree, StatedSolution]:
    """Return a file that proves only that its strategies are no equilibrium, and states all that it may."""
    tree = tremble.load("kuhn")
    uniform = [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    found = certification(tree, uniform, "quasi-perfect").solution
    assert found.bounds is not None
    assert found.refutation == {"concept": "quasi-perfect", "kind": "best-response"}
    return tree, replace(found, status=Status.LIMIT_REACHED)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"bounds": (F(5), F(6))}, "bounds"),
        ({"bounds": (F(-1), F(-1, 2))}, "bounds"),
        ({"certificate": {"kind": "best-response", "nash_conv": "0", "best_response_values": ["1/2", "5/12"]}},
         "certificate.nash_conv"),
        ({"certificate": {"kind": "best-response", "nash_conv": "11/12", "best_response_values": ["1/2", "1"]}},
         "certificate.best_response_values[1]"),
        ({"certificate": {"kind": "polynomials"}}, "certificate.kind"),
        ({"certificate": {"kind": "best-response"}}, "certificate.nash_conv"),
        ({"beliefs": ((), ())}, "beliefs"),
        ({"concept": "maxmin"}, "concept"),
    ],
)  # fmt: skip
def test_a_refutation_excuses_no_false_number(change: dict[str, Any], place: str) -> None:
    tree, solution = refuted()
    assert verify(tree, solution).disproven == "quasi-perfect"
    found = verify(tree, replace(solution, **change))
    assert not found.ok
    assert found.disproven is None
    assert found.problems[0].startswith(place)


def test_a_refutation_may_stand_alone() -> None:
    tree, solution = refuted()
    assert verify(tree, replace(solution, bounds=None)).ok
    assert verify(tree, replace(solution, bounds=None, certificate={})).ok
    alone = replace(solution, bounds=None, certificate={}, refutation=None)
    assert [problem.split(":")[0] for problem in verify(tree, alone).problems] == ["status"]
    false = replace(alone, bounds=(F(5), F(6)))
    assert [problem.split(":")[0] for problem in verify(tree, false).problems] == ["bounds", "status"]


def test_without_a_constant_sum_certify_writes_what_best_responses_earn() -> None:
    tree = tremble.load("battle_outside")
    uniform = [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    found = certification(tree, uniform, "sequential").solution
    assert (found.status, found.bounds, found.certificate["kind"]) == (Status.LIMIT_REACHED, None, "best-response")
    assert verify(tree, found).disproven == "sequential"
    values = [F(value) for value in found.certificate["best_response_values"]]
    assert (values[0], values[1]) == (max(expected(tree, x, _uniform(tree, 1))[0] for x in pure(tree, 0)),
                                      max(expected(tree, _uniform(tree, 0), y)[1] for y in pure(tree, 1)))  # fmt: skip
    assert not verify(tree, replace(found, bounds=(F(-9), F(9)))).ok  # there is no value to bound


def _uniform(tree: GameTree, player: int) -> Sequence[list[F]]:
    return [[F(1, len(labels))] * len(labels) for labels in tree.actions[player]]


def test_no_field_relies_on_the_check_of_its_concept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a concept that checks nothing lets no field pass: what has no check of its own is refused."""
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree, "sequential")
    monkeypatch.setitem(check.CONCEPTS, "sequential", lambda _case: None)
    assert [p.split(":")[0] for p in verify(tree, solution).problems] == ["beliefs", "certificate.kind"]
    certificate = certificates.best_response(solution.values, solution.values)
    marked = tuple(strategy.marked() for strategy in solution.strategies)
    without = replace(solution, beliefs=None, certificate=certificate, strategies=marked)
    assert verify(tree, without).ok
    low, high = without.bounds or (F(0), F(0))
    assert verify(tree, replace(without, bounds=(low - 1, high))).ok
    for bounds in ((low + 1, high + 1), (low - 1, high - 1)):
        assert [p.split(":")[0] for p in verify(tree, replace(without, bounds=bounds)).problems] == ["bounds"]


# -- other statuses ------------------------------------------------------------------------------------------


def test_the_trembles_of_a_normal_form_perfect_solution_are_those_of_its_plans() -> None:
    tree = tremble.matrix_game([[1, 1], [1, 0]], [[1, 1], [1, 1]])
    solution = tremble.solve(tree, "quasi-perfect")
    perfect = replace(solution, concept="normal-form-perfect", requested="normal-form-perfect")
    assert verify(tree, perfect).proven == "normal-form-perfect"
    greater = {**perfect.certificate, "trembles": [[["1", "7"]], [["7", "7"]]]}
    problems = verify(tree, replace(perfect, certificate=greater)).problems
    assert problems
    assert "played less than its tremble" in problems[0]


def test_a_list_says_disproven_only_of_what_is_refuted() -> None:
    entry = tremble.load("entry_deterrence")
    judged = tremble.all_equilibria(entry, "sequential")
    threat = next(member for member in judged if member.refutation is not None)
    assert verdict(threat) in ("disproven", "not so completed")
    assert verdict(replace(threat, requested="proper")) == "undecided"


# -- damage ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.005, pytest.param(0.3, marks=pytest.mark.slow)])
def test_damaged_files_are_refused_in_words(tmp_path: FilePath, share: float) -> None:
    """Empty lists, missing fields and other types in any place: a verdict or a TrembleError, nothing else."""
    draw, tried = random.Random(35), 0
    for honest in files(tmp_path):
        for path, what, document in damages(honest.document):
            if draw.random() < share:
                tried += 1
                try:
                    verify(honest.game, honest.read(document), time_limit=20)
                except TrembleError:
                    continue
                except Exception as error:
                    raise AssertionError(f"{honest.name}: {path}: {what}") from error
    assert tried > 400_000 * share
