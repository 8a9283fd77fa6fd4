"""The verified checker builds, accepts our solutions, and agrees with the kernel on changed solutions."""

from __future__ import annotations

import copy
import json
import random
import re
import subprocess
import sys
import time
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
from verified_checker import FORMAL, Checker, copy_sources, make, missing

import tremble
from honest_files import honest_files
from hostile_games import hostile_game
from tremble import GameTree
from tremble.check import subgames_with_gains
from tremble.games.parameters import names
from tremble.results import StatedSolution
from tremble.solution.claims import claim_of
from tremble.solvers import backward_induction

pytestmark = [pytest.mark.formal, pytest.mark.skipif(bool(missing()), reason=missing())]

CONCEPTS = ("nash", "subgame-perfect", "quasi-perfect", "sequential", "normal-form-perfect")
MOST_NODES = 60_000


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build everything once."""
    folder = copy_sources(tmp_path_factory.mktemp("formal") / "sources")
    result = make(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture
def checker(built: Path, tmp_path: Path) -> Checker:
    return Checker(built / "checker", tmp_path)


def expected(claim: str) -> str:
    return f"proven {claim}"


def document_of(game: GameTree, concept: str) -> dict[str, Any]:
    """Solve the game, and return the solution file. A sequential equilibrium answers a request for subgame-perfect."""
    concept = "sequential" if concept == "subgame-perfect" else concept
    return json.loads(tremble.solve(game, concept).to_text())


# -- the proofs --------------------------------------------------------------------------------------------------------


def test_every_theorem_is_closed(built: Path) -> None:
    printed = (built / "assumptions.txt").read_text("utf-8").splitlines()
    asked = re.findall(r"^Print Assumptions (\w+)\.$", (FORMAL / "Assumptions.v").read_text("utf-8"), re.MULTILINE)
    assert printed == ["Closed under the global context"] * len(asked)
    assert {"checker_sound", "read_sound", "write_injective", "seq_sound", "spe_sound", "qp_sound"} <= set(asked)
    assert {"normal_form_sound", "induction_quasi_perfect", "induction_perfect", "single_sound"} <= set(asked)


@pytest.mark.parametrize("gap", ["admitted", "axiom"])
def test_a_gap_is_refused(built: Path, tmp_path: Path, gap: str) -> None:
    """The build fails if a proof is left out or an axiom is assumed, also if the forbidden words are hidden."""
    folder = tmp_path / "sources"
    copy_sources(folder)
    for file in built.glob("*.vo"):
        (folder / file.name).write_bytes(file.read_bytes())
    source = (folder / "Checker.v").read_text("utf-8")
    start = source.index("Theorem checker_sound text c :")
    end = source.index("Qed.", start) + len("Qed.")
    statement = source[start : source.index("Proof.", start)]
    if gap == "admitted":
        assumed, proof = "", "Proof. Admitted."
    else:
        assumed = statement.replace("Theorem checker_sound text c :", "Axiom gap : forall text c,")
        proof = "Proof. exact (gap text c). Qed."
    (folder / "Checker.v").write_text(source[:start] + assumed + statement + proof + source[end:], "utf-8")
    assert make(folder).returncode != 0
    rules = (folder / "Makefile").read_text("utf-8")
    assert rules.count("! grep -nwE") == 1
    (folder / "Makefile").write_text("\n".join(x for x in rules.splitlines() if "grep -nwE" not in x) + "\n", "utf-8")
    result = make(folder)
    assert result.returncode != 0
    assert "Axioms:" in result.stdout, result.stdout + result.stderr


# -- our solutions -----------------------------------------------------------------------------------------------------


def trees() -> list[str]:
    """Return the names of the built-in games that are small trees with perfect recall."""
    found = []
    for name in names():
        try:
            game = tremble.load(name, max_nodes=MOST_NODES)
            if tremble.classify_recall(game, 0) == tremble.classify_recall(game, 1) == "perfect":
                found.append(name)
        except tremble.TrembleError:
            continue
    return found


@pytest.mark.parametrize("concept", CONCEPTS)
def test_solutions_of_built_in_trees(checker: Checker, concept: str) -> None:
    games = trees()
    assert len(games) >= 15
    texts, unsupported = [], []
    for name in games:
        game = tremble.load(name, max_nodes=MOST_NODES)
        document = document_of(game, concept)
        claim = concept if concept in ("nash", "subgame-perfect") else None
        try:
            texts.append(checker.convert.text_of(game, document, claim))
        except checker.convert.UnsupportedError as error:
            unsupported.append((name, str(error)))
    assert not unsupported
    assert set(checker.verdicts(texts)) == {expected(concept)}


@pytest.mark.parametrize("name", ["leduc:ranks=9", "goofspiel:cards=4"])
def test_solutions_of_large_trees(checker: Checker, name: str) -> None:
    game = tremble.load(name)
    assert 50_000 < game.num_nodes <= MOST_NODES
    document = document_of(game, "sequential")
    for claim in ("nash", "subgame-perfect", "quasi-perfect", "sequential"):
        start = time.monotonic()
        assert checker.verdict(game, document, claim) == expected(claim)
        assert time.monotonic() - start < 30


def test_a_long_chain_of_moves(checker: Checker) -> None:
    """Each of 4,000 moves begins a subgame, and the checker visits each node a few times (0.1 s)."""
    game = tremble.load("centipede:length=4000")
    for concept, kind in (("quasi-perfect", "backward-induction"), ("sequential", "consistent-trembles")):
        document = document_of(game, concept)
        assert document["certificate"]["kind"] == kind
        start = time.monotonic()
        assert checker.verdict(game, document) == expected(concept)
        assert time.monotonic() - start < 15
    text = checker.convert.text_of(game, document_of(game, "subgame-perfect"), "subgame-perfect")
    start = time.monotonic()
    assert checker.verdicts([text]) == ["proven subgame-perfect"]
    assert time.monotonic() - start < 5
    *rest, last = [k for k, line in enumerate(text.splitlines()) if line.startswith("play")]
    lines = text.splitlines()
    lines[last] = " ".join(lines[last].split()[:3] + lines[last].split()[:2:-1])
    assert lines != text.splitlines()
    assert checker.verdicts(["\n".join(lines) + "\n"]) == ["not proven"]
    assert len(rest) > 3_900


def test_recorded_solutions(checker: Checker) -> None:
    """The checker accepts the files that the kernel accepts, with one known difference.

    The kernel ignores a subgame that chance never reaches. The verified definition does not ignore it.
    """
    texts, titles, claims = [], [], []
    for each in honest_files():
        if not isinstance(each.game, GameTree) or each.document.get("status") != "certified":
            continue
        if each.document.get("schema") != "tremble/solution@1":
            continue
        try:
            text = checker.convert.text_of(each.game, each.document)
        except checker.convert.UnsupportedError:
            continue
        texts.append(text)
        titles.append(each.name)
        claims.append(each.document["concept"])
    assert len(texts) > 100
    assert set(claims) == {*CONCEPTS, "one-sided-quasi-perfect", "perfect"}
    verdicts = checker.verdicts(texts)
    refused = [name for name, verdict in zip(titles, verdicts, strict=True) if not verdict.startswith("proven")]
    assert refused == ["never: certified subgame-perfect by best-response"]


def test_the_example_of_the_page(checker: Checker) -> None:
    page = (FORMAL.parent / "docs" / "explanation" / "formal.md").read_text("utf-8")
    (text,) = re.findall(r"^```text\n(claim .*?)^```", page, re.MULTILINE | re.DOTALL)
    assert checker.verdicts([text]) == ["proven subgame-perfect"]
    assert "play 2 1 1 0" in text
    threat = text.replace("play 2 1 1 0", "play 2 1 0 1").replace("play 1 1 0 1", "play 1 1 1 0")
    threat = threat.replace("values 2 1", "values 1 3")
    verdicts = checker.verdicts([threat, threat.replace("claim subgame-perfect", "claim nash")])
    assert verdicts == ["not proven", "proven nash"]


@pytest.mark.parametrize("concept", CONCEPTS)
def test_claims_inside_coq(built: Path, checker: Checker, tmp_path: Path, concept: str) -> None:
    """Coq itself computes the verdict, and refuses a wrong claim."""
    game = tremble.load("kuhn")
    text = checker.convert.text_of(game, document_of(game, concept), concept)
    for content, accepted in ((text, True), (text.replace("values -1/18", "values -1/17"), False)):
        (tmp_path / "kuhn.txt").write_text(content, "utf-8")
        command = [sys.executable, str(FORMAL / "in_coq.py"), str(tmp_path / "kuhn.txt")]
        source = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        (tmp_path / "Claim.v").write_text(source, "utf-8")
        command = ["coqc", "-q", "-Q", str(built), "Tremble", "Claim.v"]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
        assert (result.returncode == 0) == accepted, result.stderr
        assert (result.stdout == "Closed under the global context\n") == accepted


# -- changed solutions -------------------------------------------------------------------------------------------------


def kernel_accepts(game: GameTree, document: dict[str, Any]) -> bool:
    return tremble.verify(game, StatedSolution.from_text(json.dumps(document))).ok


def changed(rng: random.Random, document: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a changed copy of a solution with plans, and what was changed."""
    document = copy.deepcopy(document)
    what = rng.choice(["row", "swap", "value", "number", "shift", "shift", "scale", "belief"])
    if what == "belief" and "beliefs" not in document:
        what = "shift"
    if what in ("row", "swap"):
        row = rng.choice(rng.choice([rows for rows in document["strategies"] if rows]))
        labels, numbers = [a for a, _ in row["actions"]], [p for _, p in row["actions"]]
        if what == "swap":
            rng.shuffle(numbers)
        else:
            weights = [rng.choice([0, 0, 1, 2]) for _ in numbers]
            weights[rng.randrange(len(weights))] += 1
            numbers = [str(F(w, sum(weights))) for w in weights]
        row["actions"] = [list(pair) for pair in zip(labels, numbers, strict=True)]
    elif what == "value":
        player = rng.randrange(2)
        document["values"][player] = str(F(document["values"][player]) + rng.choice([-1, 0, F(1, 7)]))
    elif what == "belief":
        row = rng.choice(rng.choice([rows for rows in document["beliefs"] if rows]))
        numbers = [p for _, p in row["nodes"]]
        rng.shuffle(numbers)
        row["nodes"] = [[path, p] for (path, _), p in zip(row["nodes"], numbers, strict=True)]
    else:
        player = rng.randrange(2)
        plan = document["certificate"]["XY"[player]]
        if what == "number":
            degree = rng.choice(plan)
            at = rng.randrange(1, len(degree))
            degree[at] = str(int(degree[at]) + rng.choice([-2, -1, 1]))
        elif what == "scale":
            factor = rng.choice([2, 3])
            document["certificate"]["denominator"][player] = str(
                int(document["certificate"]["denominator"][player]) * factor
            )
            plan[:] = [[str(int(v) * factor) for v in degree] for degree in plan]
        else:  # move a little weight from an action to the next action, at a set that may have later sets below it
            if rng.random() < 0.7:
                plan.append(["0"] * len(plan[0]))
            degree = plan[-1]
            at, amount = rng.randrange(1, len(degree) - 1), rng.choice([-2, -1, 1, 2])
            degree[at] = str(int(degree[at]) + amount)
            degree[at + 1] = str(int(degree[at + 1]) - amount)
    return what, document


@pytest.mark.parametrize(
    ("name", "concept", "cases"),
    [
        ("kuhn", "quasi-perfect", 300),
        ("kuhn", "sequential", 300),
        ("battle_outside", "quasi-perfect", 100),
        ("beer_quiche", "sequential", 200),
        ("selten_horse_two", "sequential", 200),
        ("goofspiel", "quasi-perfect", 60),
        ("leduc", "sequential", 60),
        ("kuhn", "normal-form-perfect", 200),
        ("battle_outside", "normal-form-perfect", 100),
    ],
)
def test_changed_solutions_get_the_verdict_of_the_kernel(checker: Checker, name: str, concept: str, cases: int) -> None:
    """The certificates name no least weights, because the verified definitions have none."""
    game = tremble.load(name)
    document = document_of(game, concept)
    assert document["certificate"]["kind"] == "polynomials"
    document["certificate"]["trembles"] = "any"
    document["certificate"].pop("orders", None)
    assert kernel_accepts(game, document)
    rng = random.Random(f"{name} {concept}")
    texts, accepted, kinds = [], [], []
    for _ in range(cases):
        what, other = changed(rng, document)
        texts.append(checker.convert.text_of(game, other))
        accepted.append(kernel_accepts(game, other))
        kinds.append(what)
    verdicts = checker.verdicts(texts)
    differ = [
        (number, what, yes, verdict)
        for number, (what, yes, verdict) in enumerate(zip(kinds, accepted, verdicts, strict=True))
        if verdict != (expected(concept) if yes else "not proven")
    ]
    if concept == "sequential":  # the kernel also requires that the strategies are best replies to the plans
        differ = [each for each in differ if each[1] not in ("shift", "number") or each[2]]
    assert not differ
    assert {True, False} == set(accepted)


@pytest.mark.parametrize("concept", ["quasi-perfect", "perfect", "sequential"])
def test_changed_moves_in_games_with_perfect_information(
    checker: Checker, concept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate is backward induction, or for a sequential equilibrium no certificate."""
    monkeypatch.setattr(backward_induction, "_MOST_COEFFICIENTS", 0)
    texts, accepted = [], []
    for seed in range(40):
        game = hostile_game("perfect information", seed)
        if concept == "sequential" and not all(p for table in game.chance_tables for p in table.probabilities):
            continue
        document, rng = document_of(game, concept), random.Random(seed)
        assert document["certificate"]["kind"] in ("backward-induction", "consistent-trembles")
        for number in range(15):
            other = copy.deepcopy(document)
            rows = [row for side in other["strategies"] for row in side if len(row["actions"]) > 1]
            for row in rng.sample(rows, min(len(rows), rng.choice((1, 1, 2)))) if number else []:
                numbers = [p for _, p in row["actions"]]
                rng.shuffle(numbers)
                row["actions"] = [[a, p] for (a, _), p in zip(row["actions"], numbers, strict=True)]
            if concept != "sequential" and number % 2:
                other["certificate"]["trembles"] = [
                    [[str(rng.choice((1, 2, F(1, 3)))) for _ in row["actions"]] for row in side]
                    for side in other["strategies"]
                ]
            profile = [
                tremble.BehaviorStrategy.from_rows(game, player, [[F(p) for _, p in row["actions"]] for row in side])
                for player, side in enumerate(other["strategies"])
            ]
            other["values"] = [str(v) for v in tremble.expected_values(game, profile)]
            texts.append(checker.convert.text_of(game, other))
            assert "weight" not in texts[-1]
            accepted.append(kernel_accepts(game, other))
    assert [verdict == expected(concept) for verdict in checker.verdicts(texts)] == accepted
    assert min(accepted.count(True), accepted.count(False)) > 100


@pytest.mark.parametrize("name", ["kuhn", "centipede:length=12", "battle_outside", "goofspiel", "entry_deterrence"])
def test_changed_strategies_of_subgames(checker: Checker, name: str) -> None:
    """The verdict equals that of the kernel's search for subgames in which a player gains."""
    game = tremble.load(name)
    document = document_of(game, "nash")
    rng = random.Random(name)
    texts, answers = [], []
    for number in range(60):
        other = copy.deepcopy(document)
        for rows in other["strategies"] if number else []:
            for row in rows:
                if rng.random() < 0.15:
                    numbers = [p for _, p in row["actions"]]
                    rng.shuffle(numbers)
                    row["actions"] = [[a, p] for (a, _), p in zip(row["actions"], numbers, strict=True)]
        profile = [
            tremble.BehaviorStrategy.from_rows(game, player, [[F(p) for _, p in row["actions"]] for row in rows])
            for player, rows in enumerate(other["strategies"])
        ]
        other["values"] = [str(v) for v in tremble.expected_values(game, profile)]
        texts += [checker.convert.text_of(game, other, claim) for claim in ("nash", "subgame-perfect")]
        answers.append(tremble.nash_conv(game, profile) == 0)
        answers.append(answers[-1] and not subgames_with_gains(game, claim_of(profile, "subgame-perfect")))
    verdicts = checker.verdicts(texts)
    assert [verdict.startswith("proven") for verdict in verdicts] == answers
    assert True in answers
    assert False in answers


# -- the text ----------------------------------------------------------------------------------------------------------


def test_unreadable_texts(checker: Checker) -> None:
    """The reader refuses every text that is not exactly the text of a document."""
    game = tremble.load("kuhn")
    lines = checker.convert.text_of(game, document_of(game, "sequential")).splitlines()
    first = {line.split()[0]: k for k, line in reversed(list(enumerate(lines)))}
    assert sorted(first, key=first.__getitem__) == [
        "claim", "values", "chance", "move", "leaf", "play", "belief", "root", "weight",
    ]  # fmt: skip
    spoiled = [[], lines[1:], [*lines, "leaf 0 0"], [*lines, "nonsense"], [*lines, lines[0]]]
    for k in first.values():
        words = lines[k].split()
        spoiled += [
            [*lines[:k], " ".join([*words, "word"]), *lines[k + 1 :]],
            [*lines[:k], " ".join([words[0] + "s", *words[1:]]), *lines[k + 1 :]],
        ]
        if words[0] != "claim":
            spoiled += [
                [*lines[:k], " ".join([words[0], "1/0", *words[2:]]), *lines[k + 1 :]],
                [*lines[:k], " ".join([words[0], "0.5", *words[2:]]), *lines[k + 1 :]],
            ]
        if words[0] in ("chance", "move", "leaf", "values"):
            spoiled.append(lines[:k] + lines[k + 1 :])
    assert set(checker.verdicts("\n".join(text) + "\n" for text in spoiled)) == {"unreadable"}
    spaced = "\n\n".join(line.replace(" ", "  ") for line in lines)
    assert checker.verdicts(["\n".join(lines), spaced]) == ["proven sequential"] * 2
