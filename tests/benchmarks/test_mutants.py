"""The mutation test of the kernel: which faults it makes, and which of them tests kill."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

MODULE = """
def largest(numbers: list[int], *, least: int | None = None) -> int:
    best = numbers[0]
    for number in numbers:
        if number > best:
            best = number
    while best < 3:
        best += 1
    if not numbers or best is None:
        raise ValueError(f"{best + 1} is wrong")
    return best
"""

TESTS = """
from module import largest

def test_nothing():
    pass

def test_largest():
    assert largest([3, 5, 4]) == 5
    assert largest([1]) == 3
"""

SCRIPT = """
import json, sys
from pathlib import Path
from benchmarks import mutants

mutants.GRACE = 0.5
path = Path(sys.argv[1])

def work(items):
    fates = {m.fault: mutants.fate(m, path, items, dict.fromkeys((item.nodeid for item in items), 0.0)) for m in every}
    Path(sys.argv[2]).write_text(json.dumps(fates))

every = mutants.mutants(path)
mutants.Session(work, [str(path.parent)])
"""

SURVIVES, KILLED, LOOPS = (
    ["survived", ""], ["killed", "test_module.py::test_largest"], ["timed out", "test_module.py::test_largest"],
)  # fmt: skip


@pytest.mark.extras
def test_tests_kill_planted_faults_and_equivalent_ones_survive(tmp_path: Path) -> None:
    pytest.importorskip("mutmut")
    (tmp_path / "module.py").write_text(MODULE)
    (tmp_path / "test_module.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    arguments = [sys.executable, "-c", SCRIPT, str(tmp_path / "module.py"), str(tmp_path / "fates.json")]
    subprocess.run(arguments, cwd=ROOT, check=True)
    fates = json.loads((tmp_path / "fates.json").read_text())
    assert fates == {
        "> best -> >= best": SURVIVES,  # both return the largest number
        "1 -> 2": SURVIVES,  # no test needs two steps
        "0 -> 1": KILLED,
        "drop for number in numbers:": KILLED,
        "number > best -> ((number > best) and False)": KILLED,
        "number > best -> ((number > best) or True)": KILLED,
        "best < 3 -> False": KILLED,
        "< 3 -> <= 3": KILLED,
        "3 -> 4": KILLED,
        "best += 1 -> best = 1": LOOPS,
        "best += 1 -> best -= 1": LOOPS,
        "not numbers or best is None -> ((not numbers or best is None) and False)": SURVIVES,
        "not numbers or best is None -> ((not numbers or best is None) or True)": KILLED,
        "not numbers or best is None -> not numbers": SURVIVES,
        "not numbers or best is None -> best is None": SURVIVES,
        "not numbers -> numbers": KILLED,
        "is -> is not": KILLED,
        "return best -> return None": KILLED,
    }


@pytest.mark.extras
def test_the_record_keeps_reasons_of_survivors_that_move(tmp_path: Path) -> None:
    pytest.importorskip("mutmut")
    from benchmarks import mutants

    def result(module: str, source: str, line: int, fate: str) -> dict[str, object]:
        return {"module": module, "function": "f", "source": source, "fault": "1 -> 2", "line": line, "fate": fate}

    file = tmp_path / "mutants.json"
    mutants.record([result("a.py", "x = 1", 4, "survived"), result("b.py", "x = 1", 5, "timed out")], file)
    document = json.loads(file.read_text())
    assert document["modules"]["b.py"] == {"mutants": 1, "killed": 0, "timed out": 1, "survived": 0}
    document["survivors"][0]["reason"] = "x is not used"
    file.write_text(json.dumps(document))
    mutants.record([result("a.py", "x = 1", 14, "survived"), result("a.py", "y = 1", 15, "survived")], file)
    document = json.loads(file.read_text())
    assert document["modules"]["a.py"]["mutants"] == 2
    assert document["modules"]["b.py"]["mutants"] == 1
    assert [(entry["source"], entry["reason"]) for entry in document["survivors"]] == [
        ("x = 1", "x is not used"), ("y = 1", ""),
    ]  # fmt: skip


@pytest.mark.parametrize("page", ["src/tremble/check/__init__.py", "docs/architecture.md"])
def test_texts_state_the_recorded_score(page: str) -> None:
    record = json.loads((ROOT / "benchmarks" / "results" / "mutants.json").read_text("utf-8"))
    total, survived = (sum(count[name] for count in record["modules"].values()) for name in ("mutants", "survived"))
    text = " ".join((ROOT / page).read_text("utf-8").split())
    assert f"{total:,} " in text
    assert f"find {total - survived:,}" in text
    assert f"other {survived} change" in text


def test_every_recorded_survivor_has_a_reason() -> None:
    record = json.loads((ROOT / "benchmarks" / "results" / "mutants.json").read_text("utf-8"))
    assert [entry for entry in record["survivors"] if not entry["reason"]] == []
