"""The page that compares tremble with others says what the program recorded, and the packages still answer so."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest

from benchmarks.compared import PAGE, PEERS, QUESTIONS, RECORD, answers, on_the_page


@pytest.fixture
def record() -> dict[str, Any]:
    return json.loads(RECORD.read_text("utf-8"))


def test_the_page_holds_the_record(record: dict[str, Any]) -> None:
    text = PAGE.read_text("utf-8")
    assert on_the_page(text, record) == text


def test_every_cell_has_a_probe(record: dict[str, Any]) -> None:
    assert all(set(probes) == set(PEERS) for probes in QUESTIONS.values())
    assert {column: set(found) for column, found in record["answers"].items()} == {key: set(QUESTIONS) for key in PEERS}


@pytest.mark.parametrize(
    "column", ["tremble", *(pytest.param(name, marks=pytest.mark.slow) for name in PEERS if name != "tremble")]
)
def test_the_packages_answer_as_recorded(column: str, record: dict[str, Any]) -> None:
    for package in (PEERS[column], *(("nashpy",) if column == "OpenSpiel" else ())):  # whose solver it calls
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}")
    found, known = answers(column), record["answers"][column]
    assert {question for question in found if (found[question] == "no") != (known[question] == "no")} == set()
    if column == "tremble":
        assert found == known, "python -m benchmarks.compared --record asks anew"
