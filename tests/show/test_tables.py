"""Rows and frames of what functions return: the same cells as in CSV output."""

from __future__ import annotations

import csv
import importlib
import io
import sys
from collections.abc import Sequence
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

import tremble
from tremble import BehaviorStrategy, Solution
from tremble.show import strategy_table
from tremble.text import records
from tremble.value import Tabular

KUHN = tremble.load("kuhn")
UNIFORM = [BehaviorStrategy.uniform(KUHN, player) for player in (0, 1)]
WRONG_BELIEFS = tremble.solve(tremble.load("beer_quiche"), "sequential")

TABLES: dict[str, tuple[Tabular, Any]] = {
    "solution": (found := tremble.solve(KUHN), lambda: records.csv_text(found.strategies)),
    "of rules": (
        of_rules := tremble.solve(tremble.load_rules("kuhn"), method="double-oracle"),
        lambda: records.csv_text(of_rules.strategies),
    ),
    "read": (Solution.from_text(found.to_text()), lambda: records.csv_text(found.strategies)),
    "equilibria": (
        several := tremble.all_equilibria(tremble.matrix_game([[3, 0], [0, 2]], [[2, 0], [0, 3]])),
        lambda: records.table_csv(several),
    ),
    "audit": (audit := tremble.audit(KUHN, UNIFORM), lambda: records.table_csv(audit)),
    "comparison": (compared := tremble.compare(KUHN, found, UNIFORM), lambda: records.comparison_csv(compared)),
    "empty": (nothing := tremble.compare(KUHN, found, found), lambda: records.comparison_csv(nothing)),
}


def as_text(cell: Any, small: bool) -> str:
    if isinstance(cell, bool):
        return str(cell).lower() if small else str(cell)
    return "" if cell is None else str(cell)


@pytest.mark.parametrize("name", TABLES)
def test_rows_are_those_of_csv(name: str) -> None:
    table, text = TABLES[name]
    rows = table.to_rows()
    written = list(csv.reader(io.StringIO(text())))
    assert tuple(written[0]) == table.columns
    assert all(tuple(row) == table.columns for row in rows)
    small = name == "comparison"
    assert written[1:] == [[as_text(cell, small) for cell in row.values()] for row in rows]
    for row in rows:
        for column, cell in row.items():
            assert not isinstance(cell, float) or column.endswith("_float")
            if column.endswith("_float") and cell is not None:
                assert cell == float(row[column.removesuffix("_float")])
        assert row["player"] in (1, 2)
        assert row["infoset"] is None or row["infoset"] >= 1


def test_wrong_beliefs_are_rows_too() -> None:
    tree = tremble.load("beer_quiche")
    swapped = [
        [type(row)(row.infoset, tuple((path, 1 - p) for path, p in row.nodes)) for row in rows]
        for rows in WRONG_BELIEFS.beliefs
    ]
    audit = tremble.audit(tree, WRONG_BELIEFS.strategies, beliefs=tuple(map(tuple, swapped)))
    rows = [row for row in audit.to_rows() if row["kind"] == "belief"]
    assert rows
    assert all(row["loss"] is None and isinstance(row["probability"], F) for row in rows)
    assert list(csv.DictReader(io.StringIO(records.table_csv(audit))))[-1]["kind"] == "belief"


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", TABLES)
def test_frames(name: str, library: str) -> None:
    pytest.importorskip(library)
    table, _ = TABLES[name]
    rows, frame = table.to_rows(), table.to_frame(library)
    assert tuple(frame.columns) == table.columns
    assert len(frame) == len(rows)
    if name == "solution":
        assert frame["probability_float"].sum() == pytest.approx(12)
        exact = list(frame["probability"])
        assert exact == [row["probability"] if library == "pandas" else str(row["probability"]) for row in rows]


def test_without_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def importing(wanted: Sequence[str]) -> Any:
        def load(name: str) -> Any:
            if name in wanted:
                raise ImportError(name)
            return importlib.import_module(name)

        return load

    tabular = sys.modules["tremble.value"]
    monkeypatch.setattr(tabular, "import_module", importing(["pandas", "polars"]))
    with pytest.raises(tremble.TrembleError, match=r"neither pandas nor polars .* 'tremble\[frames\]'"):
        found.to_frame()
    with pytest.raises(tremble.TrembleError, match="polars is not installed"):
        found.to_frame("polars")
    with pytest.raises(tremble.errors.SpecError, match="'pandas' or 'polars', not 'arrow'"):
        found.to_frame("arrow")
    pytest.importorskip("polars")
    monkeypatch.setattr(tabular, "import_module", importing(["pandas"]))
    assert type(found.to_frame()).__module__.startswith("polars")


def test_rows_of_an_ordered_game(tmp_path: Path) -> None:
    game = tremble.load_rules("jk_four_cards")
    solved = tremble.solve(game, method="dcfr")
    rows = solved.to_rows()
    assert rows == strategy_table(solved.strategies, game)
    assert {row["player"] for row in rows} == {1, 2}
    assert all(row["infoset"] is None and isinstance(row["probability"], F) for row in rows)
    assert len(solved.to_frame("pandas")) == len(rows) == 16
    solved.to_json(tmp_path / "s.json")
    with pytest.raises(tremble.errors.GameError, match="strategy_table"):  # what is read knows no game
        Solution.from_json(tmp_path / "s.json").to_rows()


def test_rows_of_what_is_no_strategy_are_refused() -> None:
    broken = Solution.from_text(found.to_text().replace('"1/3"', '"1/4"'))
    with pytest.raises(tremble.errors.CertificateError):
        broken.to_rows()
