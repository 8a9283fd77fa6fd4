"""Files of strangers: what they cost is bounded, and whatever is no solution is refused in words."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction as F
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from long_numbers import odd
from tremble import CertificateError, FormatError, LimitReached, Solution, TreeBuilder, load_rules, verify
from tremble.check import limits
from tremble.check.limits import Limits
from tremble.game.table import StrategyTable
from tremble.solution.claim import BeliefRow
from tremble.status import Status

Document = dict[str, Any]
Change = Callable[[Document], None]


@pytest.fixture(scope="module")
def leduc() -> tremble.GameTree:
    return tremble.load("leduc")


@pytest.fixture(scope="module")
def honest(leduc: tremble.GameTree) -> dict[str, Document]:
    return {concept: json.loads(tremble.solve(leduc, concept).to_text()) for concept in ("perfect", "quasi-perfect")}


# -- numbers that would grow ------------------------------------------------------------------------


def long_tremble(document: Document) -> None:
    """One weight with a denominator of 100,000 bits, which a proof of perfection has to raise to powers."""
    weights = [[["1" for _ in row["actions"]] for row in side] for side in document["strategies"]]
    weights[0][0][0] = "1/" + hex(odd(100_000, random.Random(1)))
    document["certificate"]["trembles"] = weights


def coprime_trembles(document: Document) -> None:
    draw = random.Random(2)
    document["certificate"]["trembles"] = [
        [[f"1/{odd(2000, draw)}" for _ in row["actions"]] for row in side] for side in document["strategies"]
    ]


def long_epsilon(document: Document) -> None:
    document["certificate"]["epsilon"]["value"] = "1/" + hex(1 << 300_000)


def coprime_rows(document: Document) -> None:
    """Every row is a distribution, over denominators that have nothing in common."""
    draw = random.Random(3)
    for row in (row for side in document["strategies"] for row in side):
        whole = odd(10_000, draw)
        cut = sorted(draw.randrange(1, whole) for _ in row["actions"][1:])
        shares = [F(b - a, whole) for a, b in zip([0, *cut], [*cut, whole], strict=True)]
        row["actions"] = [[label, str(p)] for (label, _), p in zip(row["actions"], shares, strict=True)]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("concept", "change", "where"),
    [
        ("perfect", long_tremble, "certificate.trembles"),
        ("perfect", coprime_trembles, "certificate.trembles"),
        ("perfect", long_epsilon, "certificate.epsilon"),
        ("perfect", coprime_rows, r"strategies\[0\]"),
        ("quasi-perfect", coprime_rows, r"strategies\[0\]"),
    ],
)
def test_numbers_that_would_grow_are_not_formed(
    leduc: tremble.GameTree,
    honest: dict[str, Document],
    concept: str,
    change: Change,
    where: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a small part of what is allowed otherwise, which is still more than the honest file takes."""
    monkeypatch.setattr(limits, "STEPS", limits.STEPS // 20)
    monkeypatch.setattr(limits, "STEPS_PER_NODE", 0)
    assert verify(leduc, Solution.from_text(json.dumps(honest[concept]))).ok
    document = deepcopy(honest[concept])
    change(document)
    found = verify(leduc, Solution.from_text(json.dumps(document)))
    assert not found.ok
    assert any(re.search(rf"^{where}: too large to check: ", problem) for problem in found.problems), found.problems


def test_an_honest_proof_takes_a_small_part_of_what_is_allowed(
    leduc: tremble.GameTree, honest: dict[str, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Limits] = []
    for_game = Limits.for_game
    monkeypatch.setattr(Limits, "for_game", lambda *a: given.append(for_game(*a)) or given[-1])  # type: ignore[func-returns-value]
    assert verify(leduc, Solution.from_text(json.dumps(honest["perfect"]))).ok
    (steps, bits), left = given[0].allowed, given[0]
    assert 0.9 * steps < left.steps < steps
    assert 0.9 * bits < left.bits < bits


def test_one_player_without_moves_cannot_fill_the_memory_by_degrees() -> None:
    """A degree of a player who never moves is one number in the file, but one for each sequence of the other here."""
    builder = TreeBuilder()
    builder.decision(0, "many", tuple(map(str, range(2000))))
    for payoff in range(2000):
        builder.leaf(payoff, -payoff)
    tree = builder.finish()
    document = json.loads(tremble.solve(tree, "quasi-perfect").to_text())
    document["certificate"]["Y"] += [["0"]] * 100_000
    found = verify(tree, Solution.from_text(json.dumps(document)))
    assert found.problems[0].startswith(
        "certificate.Y: too large to check: the numbers that the check computes would take"
    )


@pytest.mark.parametrize("unbuilt", [False, True])
def test_a_row_over_a_denominator_longer_than_its_numbers_is_not_read(unbuilt: bool) -> None:
    draw = random.Random(5)
    shares = [["a", f"1/{odd(1500, draw)}"] for _ in range(200)]
    rows: Any = [{"infoset": 1, "label": "", "actions": shares}]
    if unbuilt:
        rows = {"default": {"rule": "first", "parameters": {}}, "rows": [{"key": "k", "actions": shares}]}
    document = json.loads(tremble.solve(tremble.load("matching_pennies")).to_text())
    document["strategies"] = [rows, rows]
    with pytest.raises(FormatError, match=r"actions: the common denominator of these probabilities is too long"):
        Solution.from_text(json.dumps(document))


# -- time -------------------------------------------------------------------------------------------


def test_a_time_limit_is_kept_and_nothing_is_proven(
    leduc: tremble.GameTree, honest: dict[str, Document], tmp_path: Any
) -> None:
    document = deepcopy(honest["perfect"])
    long_tremble(document)
    with pytest.raises(LimitReached, match="stopped by the time limit"):
        verify(leduc, Solution.from_text(json.dumps(document)), time_limit=0.2)
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    result = run("verify", "leduc", path, "--time-limit", "0.5", "--format", "json")
    assert (result.exit_code, result.stdout) == (5, "")
    assert result.stderr == "stopped by the time limit; nothing is proven\n"
    assert run("verify", "leduc", path, "--time-limit", "0").exit_code == 2


CONCEPTS = ["nash", "quasi-perfect", "sequential", "perfect"]


def ticks_while(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object], stop: float = inf) -> list[float]:
    """Return when the limits tick, in seconds of this thread; the tick with a given number raises."""
    calls = [time.thread_time()]

    def tick() -> None:
        calls.append(time.thread_time())
        if len(calls) > stop:
            raise LimitReached("heard")

    def limits_of(game: Any, *_: object) -> Limits:
        return Limits.for_game(getattr(game, "num_nodes", 0), tick)

    with monkeypatch.context() as patch:
        patch.setattr("tremble.solution.claims.limits_of", limits_of)
        work()
    return [*calls, time.thread_time()]


@pytest.mark.parametrize("concept", [*CONCEPTS, "rules"])
def test_a_tick_ends_the_work_wherever_it_is(concept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = (tremble.load_rules if concept == "rules" else tremble.load)("leduc")
    solution = tremble.solve(game, "nash" if concept == "rules" else concept)
    count = len(ticks_while(monkeypatch, lambda: verify(game, solution))) - 2
    assert count > 20
    for call in {1, count, *range(2, count, 1 + count // 20)}:
        with pytest.raises(LimitReached, match="heard"):
            ticks_while(monkeypatch, lambda: verify(game, solution), stop=call)


@pytest.mark.parametrize("concept", ["perfect", "rules"])
def test_a_limit_is_heard_in_every_thread(concept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without anything that stops the work from outside."""
    game = (tremble.load_rules if concept == "rules" else tremble.load)("leduc")
    solution = tremble.solve(game, "nash" if concept == "rules" else concept)
    monkeypatch.setattr("tremble.judge.verify.limited", lambda _seconds, work: work())
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(LimitReached, match="stopped by the time limit"):
            pool.submit(verify, game, solution, time_limit=0.001).result()
        assert pool.submit(verify, game, solution, time_limit=600).result().ok


@pytest.mark.slow
@pytest.mark.parametrize("concept", CONCEPTS)
def test_limits_tick_often_in_large_proofs(concept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tremble.load("leduc:ranks=9")
    solution = tremble.solve(tree, concept)
    calls = ticks_while(monkeypatch, lambda: verify(tree, solution))
    assert max(after - before for before, after in pairwise(calls)) < 0.5


# -- what is no solution ----------------------------------------------------------------------------

JUNK: list[Any] = [
    *(None, True, False, 0, -1, 3, 10**30, 1.5, float("nan"), float("inf"), 1j, object(), int, b"x", set(), F(1, 3)),
    *("", "1", "-1/2", "1/0", "nan", "certified", "\ud800", Status.BOUNDED, np.int64(3), np.float64(2), np.zeros(3)),
    *([], [1], ["1"], ["1", "1"], [["1"]], [None], [[[None]]], [0, 1, 2], (), (F(1),), (F(1), F(2)), {}, {"a": 1}),
    *({1: 2}, {"kind": "basis"}, {"kind": "polynomials"}, np.array(["a"], dtype=object)),
]


def mutated(value: Any, draw: random.Random, depth: int = 0) -> Any:
    """The value with one thing in it replaced, left out or doubled, at any depth."""
    if depth and (draw.random() < 0.2 or depth > 12):
        return draw.choice(JUNK)
    kind = draw.random()
    if isinstance(value, list | tuple) and value:
        items = list(value)
        i = draw.randrange(len(items))
        if kind < 0.1:
            del items[i]
        elif kind < 0.2:
            items.insert(i, draw.choice([items[i], *JUNK]))
        else:
            items[i] = mutated(items[i], draw, depth + 1)
        return tuple(items) if isinstance(value, tuple) or kind > 0.95 else items
    if isinstance(value, dict) and value:
        copy = dict(value)
        key = draw.choice(list(copy))
        if kind < 0.1:
            del copy[key]
        elif kind < 0.2:
            copy[draw.choice(["a", 1, None, "kind"])] = draw.choice(JUNK)
        else:
            copy[key] = mutated(copy[key], draw, depth + 1)
        return copy
    if isinstance(value, np.ndarray) and len(value):
        if kind < 0.5:
            wide = value.astype(object)
            wide[draw.randrange(len(wide))] = draw.choice([item for item in JUNK if not isinstance(item, np.ndarray)])
            return wide
        return draw.choice([value[:-1], value.tolist(), value.reshape(1, -1), np.concatenate((value, value))])
    if is_dataclass(value) and not isinstance(value, type) and fields(value):
        # The game that a solution knows is not stated.
        name = draw.choice([part.name for part in fields(value) if part.init and part.name != "played"])
        if isinstance(value, Solution):
            name = draw.choice([name, name, "certificate"])
            if name == "strategies":
                given = value.unbuilt or draw.choice([value.tables, value.strategies])
                return replace(value, strategies=mutated(given, draw, depth + 1))
        return replace(value, **{name: mutated(getattr(value, name), draw, depth + 1)})
    return draw.choice(JUNK)


def test_whatever_is_no_solution_is_a_certificate_error_or_a_problem() -> None:
    """Never another exception, and no verdict that everything is proven unless nothing that counts was changed."""

    games = [("kuhn", "nash"), ("kuhn", "perfect"), ("kuhn", "sequential"), ("guess_the_ace", "sequential")]
    cases: list[tuple[Any, Solution]] = [(t := tremble.load(g), tremble.solve(t, concept)) for g, concept in games]
    rules = load_rules("kuhn")
    cases.append((rules, tremble.solve(rules)))
    refused = problems = 0
    for seed in range(4000):
        draw = random.Random(seed)
        game, solution = draw.choice(cases)
        try:
            found = verify(game, mutated(solution, draw))
        except CertificateError:
            refused += 1
        else:
            problems += not found.ok
    assert refused > 1000
    assert problems > 300


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("values", (0.5, -0.5), r"^values\[0\]: expected a Fraction or an int, found the float 0\.5$"),
        ("values", (True, F(0)), r"^values\[0\]: expected a Fraction or an int, found the bool True$"),
        ("values", None, r"^values: expected a tuple, found NoneType$"),
        ("bounds", (F(0),), r"^bounds: expected one for each of the two players, found 1$"),
        ("status", "certified", r"^status: expected a Status, found the str 'certified'$"),
        ("certificate", None, r"^certificate: expected a mapping, found NoneType$"),
        ("certificate", {"kind": {1: 2}}, r"^certificate\.kind: a field: expected text as its name, found the int 1$"),
        (
            "beliefs",
            [[BeliefRow("1", ())], []],
            r"^beliefs\[0\]\[0\]\.infoset: expected an integer, found the str '1'$",
        ),
        ("game", None, r"^game: expected a GameReference, found NoneType$"),
    ],
)
def test_what_is_wrong_is_named(field: str, value: Any, message: str) -> None:
    kuhn = tremble.load("kuhn")
    solution = replace(tremble.solve(kuhn), **{field: value})
    with pytest.raises(CertificateError, match=message):
        verify(kuhn, solution)


def test_strategies_are_refused_where_they_are_given() -> None:
    kuhn = tremble.load("kuhn")
    solution = tremble.solve(kuhn)
    one, two = solution.tables
    for wrong in (None, (one,), (one, "two"), (one, solution.strategies[1])):
        with pytest.raises(CertificateError, match=r"^strategies: expected"):
            replace(solution, strategies=wrong)
    with pytest.raises(
        CertificateError, match=r"^the table of player 1 does not have an exact numerator for each action$"
    ):
        replace(one, numerator=one.numerator[:-1])
    with pytest.raises(CertificateError, match=r"^the table of player 1 does not have a positive denominator"):
        replace(one, denominator=0 * one.denominator)
    with pytest.raises(CertificateError, match="must have the player index 0 or 1"):
        replace(two, player=2)
    with pytest.raises(CertificateError, match="expected a Solution"):
        verify(kuhn, "kuhn.json")  # type: ignore[arg-type]
    assert isinstance(one, StrategyTable)


def test_chance_tables_refuse_repeated_labels() -> None:
    with pytest.raises(tremble.GameError, match=r"^a chance node repeats an action label: "):
        TreeBuilder().chance(("heads", "heads"), (F(1, 2), F(1, 2)))


def _labels_of_chance(tree: tremble.GameTree) -> Iterator[tuple[str, ...]]:
    return (table.labels for table in tree.chance_tables)


def test_repeated_chance_labels_in_files_become_different(tmp_path: Any) -> None:
    """As Gambit does it, for both; what is written as JSON by hand is refused."""
    text = 'EFG 2 R "" { "" "" } ""\nc "" 1 "" { "a" 1/2 "a" 1/2 } 0\nt "" 1 "" { 1 -1 }\nt "" 2 "" { 2 -2 }\n'
    with pytest.warns(tremble.errors.TrembleWarning, match="repeated"):
        tree = tremble.read_efg(text)
    assert all(len(set(labels)) == len(labels) for labels in _labels_of_chance(tree))


@pytest.mark.parametrize("field", ["game", "concept", "method", "values", "bounds", "beliefs", "certificate", "stats"])
def test_malformed_solutions_are_not_written_either(field: str) -> None:
    kuhn = tremble.load("kuhn")
    wrong = replace(tremble.solve(kuhn, "sequential"), **{field: 0})  # type: ignore[arg-type]
    for use in (wrong.to_text, lambda: tremble.nash_conv(kuhn, wrong), lambda: tremble.verify(kuhn, wrong)):
        with pytest.raises(tremble.CertificateError, match=f"^{field}"):
            use()
    assert repr(wrong)
