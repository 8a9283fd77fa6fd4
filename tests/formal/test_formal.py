"""The verified checker builds, accepts our solutions, and agrees with the kernel on changed solutions."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
from changes import changed
from verified_checker import (
    FORMAL,
    Checker,
    copy_sources,
    document_of,
    expected,
    make,
    missing,
    text_of,
)

import tremble
from command import run
from honest_files import honest_files
from hostile_games import hostile_game
from tremble import GameTree
from tremble.check import subgames_with_gains
from tremble.results import StatedSolution
from tremble.solution.claims import claim_of
from tremble.solvers import backward_induction

pytestmark = [pytest.mark.formal, pytest.mark.skipif(bool(missing()), reason=missing())]

CONCEPTS = ("nash", "subgame-perfect", "quasi-perfect", "sequential", "normal-form-perfect")


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


def test_a_long_chain_of_moves(checker: Checker) -> None:
    """Each of 4,000 moves begins a subgame, and the checker visits each node a few times (0.1 s)."""
    game = tremble.load("centipede:length=4000")
    for concept, kind in (("quasi-perfect", "backward-induction"), ("sequential", "consistent-trembles")):
        document = document_of(game, concept)
        assert document["certificate"]["kind"] == kind
        start = os.times().children_user
        assert checker.verdict(game, document) == expected(concept)
        assert os.times().children_user - start < 5
    text = text_of(game, document_of(game, "subgame-perfect"), "subgame-perfect")
    start = os.times().children_user
    assert checker.verdicts([text]) == ["proven subgame-perfect"]
    assert os.times().children_user - start < 5
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
            text = text_of(each.game, each.document)
        except tremble.CertificateError:
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
    text = text_of(game, document_of(game, concept), concept)
    for content, accepted in ((text, True), (text.replace("values -1/18", "values -1/17"), False)):
        (tmp_path / "kuhn.txt").write_text(content, "utf-8")
        command = [sys.executable, str(FORMAL / "in_coq.py"), str(tmp_path / "kuhn.txt")]
        source = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        (tmp_path / "Claim.v").write_text(source, "utf-8")
        command = ["coqc", "-q", "-Q", str(built), "Tremble", "Claim.v"]
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
        assert (result.returncode == 0) == accepted, result.stderr
        assert (result.stdout == "Closed under the global context\n") == accepted


def test_no_text_adds_commands_to_the_coq_file(tmp_path: Path) -> None:
    """A word with a quote could end the definition of the text, and define everything else again."""
    file = tmp_path / "text.txt"
    for first, line, reason in (
        ("claim nash", 'leaf 1 x"]].(*', "neither a word nor a number"),
        ("claim nash", "leaf 1 \u0661", "'ascii' codec"),
        ("claim nash", "leaf\v1 0", "neither a word nor a number"),
        ("claim maxmin", "leaf 1 0", "must begin with a claim"),
        ("", "", "must begin with a claim"),
    ):
        file.write_text(f"{first}\n{line}\n", "utf-8")
        found = subprocess.run(
            [sys.executable, FORMAL / "in_coq.py", file], capture_output=True, text=True, check=False
        )
        assert (found.returncode, found.stdout) == (1, "")
        assert reason in found.stderr
        assert "Traceback" not in found.stderr


# -- changed solutions -------------------------------------------------------------------------------------------------


def kernel_accepts(game: GameTree, document: dict[str, Any]) -> bool:
    return tremble.verify(game, StatedSolution.from_text(json.dumps(document))).ok


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
        texts.append(text_of(game, other))
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
            texts.append(text_of(game, other))
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
        texts += [text_of(game, other, claim) for claim in ("nash", "subgame-perfect")]
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
    lines = text_of(game, document_of(game, "sequential")).splitlines()
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


# -- the commands ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("concept", CONCEPTS)
def test_verify_asks_the_program(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, concept: str) -> None:
    monkeypatch.setenv("TREMBLE_FORMAL_CHECKER", str(built / "checker"))
    solution, text = tmp_path / "kuhn.json", tmp_path / "kuhn.txt"
    assert run("solve", "kuhn", "--concept", concept, "-o", solution).exit_code == 0
    result = run("verify", "kuhn", solution, "--formal", "--export", text, "--claim", concept)
    assert result.exit_code == 0, result.output
    assert f"\nOK  the verified program says: {expected(concept)}\n" in result.stdout
    command = [built / "checker", text]
    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"{text}: {expected(concept)}\n"
    )
    solution.write_text(solution.read_text("utf-8").replace('"-1/18"', '"-1/17"'), "utf-8")
    result = run("verify", "kuhn", solution, "--formal", "--claim", concept)
    assert result.exit_code == 1
    assert "\nFAILED  the verified program says: not proven\n" in result.stdout


def test_a_game_alone_is_no_document(built: Path, tmp_path: Path) -> None:
    text = tmp_path / "kuhn.game.txt"
    assert run("convert", "kuhn", text).exit_code == 0
    found = subprocess.run([built / "checker", text], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (1, f"{text}: unreadable (a game without a claim)\n")


def test_files_that_the_program_cannot_read(built: Path, tmp_path: Path) -> None:
    """The program judges the files after them."""
    (tmp_path / "good").write_text("claim nash\nvalues 1 1\nleaf 1 1\n", "utf-8")
    (tmp_path / "deep").write_text("claim nash\nvalues 1 1\n" + "chance 1\n" * 400_000 + "leaf 1 1\n", "utf-8")
    (tmp_path / "folder").mkdir()
    verdicts = {
        "missing": "unreadable (No such file or directory)",
        "deep": "unreadable (the stack is too small, run `ulimit -s unlimited` first)",
        "folder": "unreadable (Is a directory)",
        "good": "proven nash",
    }
    files = [*verdicts, *verdicts]
    command = ["sh", "-c", 'ulimit -s 8192; exec "$0" "$@"', str(built / "checker"), *files]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.stdout.splitlines() == [f"{file}: {verdicts[file]}" for file in files]
    assert (found.returncode, found.stderr) == (1, "")


def test_the_commands_that_compare_games(built: Path, tmp_path: Path) -> None:
    """The commands of the page find a text about another game, and the program refuses further nodes."""
    page = (FORMAL.parent / "docs" / "explanation" / "formal.md").read_text("utf-8")
    (compare,) = re.findall(r"^tail .* cmp .*$", page, re.MULTILINE)
    for name in ("kuhn", "kuhn:cards=4"):
        assert run("solve", name, "-o", tmp_path / "solution.json").exit_code == 0
        assert run("verify", name, tmp_path / "solution.json", "--export", tmp_path / "kuhn.txt").exit_code == 0
        assert run("convert", "kuhn", tmp_path / "kuhn.game.txt").exit_code == 0
        found = subprocess.run(compare, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert found.stdout.endswith("same game\n") == (name == "kuhn")
    game = (tmp_path / "kuhn.game.txt").read_text("utf-8")
    (tmp_path / "kuhn.txt").write_text(f"claim nash\nvalues 0 0\n{game}{game}", "utf-8")
    found = subprocess.run([built / "checker", "kuhn.txt"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.stdout == "kuhn.txt: unreadable\n"


LONG = "1" + 50_000 * "0"
UNUSUAL = [
    ("", "unreadable"),
    ("\n \n", "unreadable"),
    ("claim nash\0\nvalues 1 1\nleaf 1 1\n", "unreadable"),
    ("claim nash\nvalues 1\t1\nleaf 1 1\n", "unreadable"),
    ("\ufeffclaim nash\nvalues 1 1\nleaf 1 1\n", "unreadable"),
    ("claim nash\r\nvalues 1 1\r\nleaf 1 1\r\n", "proven nash"),
    (f"claim nash\nvalues {LONG} 1\nleaf {LONG} 1\n", "proven nash"),
    (f"claim nash\nvalues {LONG} 1\nleaf {LONG[:-1]}1 1\n", "not proven"),
    ("claim nash\nvalues 0 0\nmove 2/2 3/3 4/4\nleaf 0/7 -0\nplay 1 1 2/2\n", "proven nash"),
    (f"claim nash\nvalues 0 0\nmove 1 {10**30} 1\nleaf 0 0\nplay 1 {10**30} 1\n", "proven nash"),
    (f"claim nash\nvalues 0 0\nmove 1 1 {10**30}\nleaf 0 0\nplay 1 1 1\n", "unreadable"),
    ("claim nash\nvalues 0 0\nmove 1 1 -1\nleaf 0 0\nplay 1 1 1\n", "unreadable"),
    ("claim nash\nvalues 0 0\nmove 1 0 1\nleaf 0 0\nplay 1 0 1\n", "unreadable"),
    ("claim nash\nvalues 0 0\nmove 3 1 1\nleaf 0 0\nplay 3 1 1\n", "unreadable"),
    ("claim nash\nvalues 0 0\nmove 1 1 0\nplay 1 1\n", "not proven"),
    ("claim nash\nvalues 0 0\nmove 1 1 2\nleaf 0 0\nleaf 0 0\nplay 1 1 2 -1\n", "not proven"),
    ("claim nash\nvalues 0 0\nchance\n", "not proven"),
    ("claim nash\nvalues 1 1\nchance 2 -1\nleaf 1 1\nleaf 1 1\n", "not proven"),
    ("claim quasi-perfect\nvalues 0 0\nleaf 0 0\nroot 1 0\nroot 2 1\n", "not proven"),
    ("claim quasi-perfect\nvalues 0 0\nleaf 0 0\nroot 1 1\nroot 2 1\n", "proven quasi-perfect"),
    ("claim sequential\nvalues 0 0\nleaf 0 0\n", "proven sequential"),
    ("claim perfect\nvalues 0 0\nleaf 0 0\n", "proven perfect"),
    ("claim normal-form-perfect\nvalues 0 0\nleaf 0 0\n", "not proven"),
    ("claim quasi-perfect\nvalues 0 0\nmove 1 1 1\nleaf 0 0\nplay 1 1 1\n", "not proven"),
    ("claim quasi-perfect\nvalues 0 0\nmove 1 1 1\nleaf 0 0\nplay 1 1 1\nmistake 1 1 0\n", "proven quasi-perfect"),
    ("claim quasi-perfect\nvalues 0 0\nmove 1 1 1\nleaf 0 0\nplay 1 1 1\nroot 1 1\nmistake 1 1 0\n", "unreadable"),
    ("claim nash\nvalues 1 1\nleaf 1 1\nclaim nash\nvalues 1 1\nleaf 1 1\n", "unreadable"),
]


def test_unusual_texts(checker: Checker) -> None:
    texts, verdicts = zip(*UNUSUAL, strict=True)
    assert checker.verdicts(texts) == list(verdicts)
