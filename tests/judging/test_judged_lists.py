"""All equilibria of a game, each judged by a refinement, with proof or refutation."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

import tremble
from command import run
from tremble.errors import LimitReached, SpecError
from tremble.solution.equilibria import Equilibria


def test_beer_and_quiche() -> None:
    """All are sequential: the intuitive criterion, which tells them apart, is not decided here."""
    game = tremble.load("beer_quiche")
    nash, sequential = tremble.all_equilibria(game), tremble.all_equilibria(game, "sequential")
    assert len(nash) == len(sequential) == 4
    assert sequential.pairs == nash.pairs
    assert tremble.verify(game, sequential).ok
    again = Equilibria.from_text(sequential.to_text())
    assert tremble.verify(game, again).ok
    assert [solution.concept for solution in again] == ["sequential"] * 4


def test_the_empty_threat_is_told() -> None:
    game = tremble.load("entry_deterrence")
    found = tremble.all_equilibria(game, "sequential")
    said = run("solve", "entry_deterrence", "--all", "--concept", "sequential").stdout
    assert [solution.concept for solution in found] == ["nash", "nash", "sequential"]
    assert [line.split()[3] for line in said.splitlines() if line[:2] in ("1 ", "2 ", "3 ")] == [
        "disproven", "disproven", "proven",
    ]  # fmt: skip
    text = run("solve", "entry_deterrence", "--all", "--concept", "sequential", "--format", "csv").stdout
    rows = csv.DictReader(StringIO(text))
    assert {(row["equilibrium"], row["verdict"]) for row in rows} == {
        ("1", "disproven"), ("2", "disproven"), ("3", "proven"),
    }  # fmt: skip
    assert all((solution.refutation is None) == (solution.concept == "sequential") for solution in found)


@pytest.mark.parametrize("option", ["--all", "--pure"])
def test_subgame_perfection_is_judged_by_itself(option: str, tmp_path: Path) -> None:
    """The horse has no subgame: its equilibria are subgame perfect, but not all are sequential."""
    out = tmp_path / "horse.json"
    done = run("solve", "selten_horse_two", option, "--concept", "SPE", "-o", out)
    assert done.exit_code == 0
    assert "sequential" not in done.output
    found = Equilibria.from_json(out)
    assert {(each.concept, each.requested) for each in found} == {("subgame-perfect", "subgame-perfect")}
    assert done.stdout.count("proven   ") == len(found)
    pure = option == "--pure"  # such a list has no member that is disproven
    sequential = tremble.all_equilibria(tremble.load("selten_horse_two"), "sequential", pure=pure)
    assert sum(each.concept == "sequential" for each in sequential) < len(found)
    text = run("solve", "entry_deterrence", option, "--concept", "spe", "--format", "csv").stdout
    by_itself = tremble.all_equilibria(tremble.load("entry_deterrence"), "spe", pure=pure)
    assert [row["verdict"] for row in csv.DictReader(StringIO(text))] == [row["verdict"] for row in by_itself.to_rows()]
    assert {row["verdict"] for row in by_itself.to_rows()} == ({"proven"} if pure else {"proven", "disproven"})
    for concept, said in (("pbe", "ask for sequential"), ("osqpe", "who makes no mistakes:")):
        refused = run("solve", "kuhn", option, "--concept", concept)
        assert refused.exit_code == 2
        assert said in refused.stderr


def test_a_forged_refutation_in_a_list_is_refused() -> None:
    game = tremble.load("entry_deterrence")
    text = json.loads(tremble.all_equilibria(game, "sequential").to_text())
    refuted = next(member for member in text["equilibria"] if member.get("refutation"))
    proven = next(member for member in text["equilibria"] if member["concept"] == "sequential")
    forged = {**proven, "concept": "nash", "certificate": refuted["certificate"], "refutation": refuted["refutation"]}
    forged.pop("beliefs", None)
    text["equilibria"] = [forged if member is proven else member for member in text["equilibria"]]
    assert not tremble.verify(game, Equilibria.from_text(json.dumps(text))).ok


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "all.json"
    asked = run("solve", "beer_quiche", "--all", "--concept", "quasi-perfect", "-o", out)
    assert asked.exit_code == 0, asked.output
    assert "quasi-perfect" in asked.stdout
    assert run("verify", "beer_quiche", out).exit_code == 0
    refused = run("solve", "kuhn", "--all", "--concept", "maxmin")
    assert refused.exit_code == 2
    assert "judged" in refused.stderr
    assert run("solve", "kuhn", "--unique", "--concept", "sequential").exit_code == 2


def test_a_limit_leaves_the_list() -> None:
    game = tremble.load("beer_quiche")
    steps: list[str] = []

    def stop(step: str, _fraction: float | None) -> None:
        steps.append(step)
        if step == "refinements" and steps.count(step) == 3:
            raise LimitReached("stopped")

    with pytest.raises(LimitReached) as caught:
        tremble.all_equilibria(game, "sequential", progress=stop)
    best = caught.value.best
    assert best is None or len(best) == 4  # type: ignore[arg-type]
    with pytest.raises(SpecError):
        tremble.all_equilibria(game, "maxmin")
