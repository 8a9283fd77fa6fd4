"""The known counts of docs/games.json: their form, both programs that computed them, and OpenSpiel's trees."""

from __future__ import annotations

import ast
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import tremble
from benchmarks import counts
from benchmarks.generators import GENERATORS, grow, split_spec
from benchmarks.second_count import best_responses, count, value_in_floats
from command import run
from known import COUNTS

ROOT = Path(__file__).parents[2]

FILE = json.loads(counts.PATH.read_text("utf-8"))
ENTRIES = {entry["spec"]: entry for entry in FILE["games"]}
SMALL = [spec for spec, entry in ENTRIES.items() if not entry["slow"]]
SLOW = [spec for spec, entry in ENTRIES.items() if entry["slow"]]
NO_TREE = {"holdem_flop", "phantom_ttt"}
"""Built-in games whose trees are too large at every size, or take long to build."""

_NATURAL = {"type": "integer", "minimum": 0}
_FRACTION = {"type": ["string", "null"], "pattern": r"^-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?$"}


def _pair(kind: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": kind, "minItems": 2, "maxItems": 2}


def _object(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    required = {"required": list(properties)}
    return {"type": "object", "properties": properties, "additionalProperties": False, **required, **more}


_KEYS = {"type": "array", "items": {"enum": list(counts.SOURCES)}, "minItems": 1, "uniqueItems": True}
_FOUND = [name for name in counts.FIELDS if name != "value"]
_NUMBERS = {
    **dict.fromkeys(("nodes", "leaves", "chance_nodes", "depth"), _NATURAL),
    **dict.fromkeys(("player_nodes", "information_sets", "actions", "sequences"), _pair(_NATURAL)),
    "perfect_recall": _pair({"type": "boolean"}),
    **dict.fromkeys(("constant_sum", "value"), _FRACTION),
    "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
}
_SOURCE = {
    "oneOf": [
        _object({"kind": {"const": "published"}, "reference": {"type": "string", "minLength": 20}}),
        _object(
            {
                "kind": {"const": "computed by two independent programs"},
                "programs": _pair({"type": "string", "minLength": 20}),
            }
        ),
    ]
}
SCHEMA = _object(
    {
        "schema": {"const": counts.SCHEMA},
        "written_by": {"const": "python -m benchmarks counts"},
        "sources": {"type": "object", "additionalProperties": _SOURCE},
        "games": {
            "type": "array",
            "items": _object(
                {
                    "spec": {"type": "string"},
                    "slow": {"type": "boolean"},
                    **_NUMBERS,
                    "sources": _object(dict.fromkeys(counts.FIELDS, _KEYS), required=_FOUND),
                }
            ),
        },
    }
)


# -- the form of the file ------------------------------------------------------------------------


def test_the_file_has_its_form() -> None:
    jsonschema.validate(FILE, SCHEMA)
    assert counts.PATH.read_text("utf-8") == counts.as_text(FILE["games"])
    specs = [entry["spec"] for entry in FILE["games"]]
    assert specs == sorted(set(specs)) == list(counts.GAMES)
    assert {spec for spec in specs if ENTRIES[spec]["slow"]} == set(counts.SLOW)
    used = {key for entry in FILE["games"] for keys in entry["sources"].values() for key in keys}
    assert used == set(FILE["sources"])
    assert FILE["sources"] == counts.SOURCES
    page = (ROOT / "docs/how-to/test-your-implementation.md").read_text("utf-8")
    assert f"The file contains {len(specs)} entries for {len(GENERATORS)} games" in page


def test_every_number_has_a_source_and_every_source_a_number() -> None:
    for spec, entry in ENTRIES.items():
        has_value = entry["constant_sum"] is not None and all(entry["perfect_recall"])
        assert (entry["value"] is not None) == has_value, spec
        assert ("value" in entry["sources"]) == has_value, spec
        for name, keys in entry["sources"].items():
            kinds = [FILE["sources"][key]["kind"] for key in keys]
            assert "computed by two independent programs" in kinds, (spec, name)
            for key in set(keys) - {"two-programs", "exact-and-floats", "exact-and-responses"}:
                assert entry[name] == dict(counts.PUBLISHED[spec])[key][name], (spec, name)


@pytest.mark.parametrize("fault", ["no source", "unknown source", "float", "no digest", "extra"])
def test_the_schema_refuses_faults(fault: str) -> None:
    broken = json.loads(json.dumps(FILE))
    entry = broken["games"][0]
    if fault == "no source":
        del entry["sources"]["nodes"]
    elif fault == "unknown source":
        entry["sources"]["nodes"] = ["hearsay"]
    elif fault == "float":
        entry["value"] = "-0.05"
    elif fault == "no digest":
        del entry["digest"]
    else:
        entry["players"] = 2
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA)


def test_every_game_with_a_tree_has_an_entry() -> None:
    listed = {line.split()[0] for line in run("games").stdout.splitlines() if line[:1].isalpha()} - {"Example:"}
    assert len(listed) > 25
    assert {split_spec(spec)[0] for spec in SMALL} == set(GENERATORS) == listed - NO_TREE


def test_published_counts_are_those_of_the_other_tests() -> None:
    """Two tables of the repository, typed from the same publications."""
    for spec, published in counts.PUBLISHED.items():
        for _, numbers in published:
            known = COUNTS.get("leduc:raises=1,ranks=2" if spec == "leduc:ranks=2,raises=1" else spec)
            if known is None or "leaves" not in numbers:
                continue
            assert numbers["chance_nodes"] == known.chance
            assert numbers["leaves"] == known.terminal
            assert numbers["player_nodes"] == [known.nodes1, known.nodes2]
            assert numbers["information_sets"] == [known.infosets1, known.infosets2]
            assert numbers["sequences"] == [known.sequences1, known.sequences2]


# -- tremble, and the second program -------------------------------------------------------------


def _agrees(found: dict[str, Any], entry: dict[str, Any]) -> None:
    differ = {name: (number, entry[name]) for name, number in found.items() if entry[name] != number}
    assert not differ


@pytest.mark.parametrize("spec", SMALL)
def test_tremble(spec: str) -> None:
    _agrees(counts.by_tremble(spec)[0], ENTRIES[spec])


def _second(spec: str) -> None:
    entry = ENTRIES[spec]
    counted = count(grow(spec))
    _agrees(counted.numbers, entry)
    if entry["value"] is not None:
        assert abs(value_in_floats(counted) - float(Fraction(entry["value"]))) <= counts.TOLERANCE


@pytest.mark.parametrize("spec", SMALL)
def test_the_second_program(spec: str) -> None:
    _second(spec)


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "border_patrol:depth=3", "holdem_river:range1=AA,range2=KK"])
def test_best_responses_bound_the_value(spec: str) -> None:
    numbers, behavior = counts.by_tremble(spec)
    counted = count(grow(spec))
    value = float(Fraction(numbers["value"]))
    assert best_responses(counted, behavior) == pytest.approx((value, value), abs=1e-9)
    uniform = tuple([1 / len(labels) for labels in side.labels for _ in labels] for side in counted.sides)
    least, most = best_responses(counted, (uniform[0], uniform[1]))
    assert least < value - 0.01 < value + 0.01 < most


@pytest.mark.slow
def test_the_command_writes_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All entries, the slow ones too, computed again by both programs."""
    before = counts.PATH.read_bytes()
    monkeypatch.setattr(counts, "PATH", tmp_path / "games.json")
    report = counts.run(counts.GAMES, 1, 60.0, lambda _step, _fraction: None)
    for found in json.loads(counts.PATH.read_text("utf-8"))["games"]:
        _agrees(found, ENTRIES[found["spec"]])
    assert counts.PATH.read_bytes() == before
    assert len(report.rows) == 2 * len(ENTRIES)


def test_the_command_on_some_games_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "PATH", tmp_path / "games.json")
    first, second = counts.run(["kuhn"], 1, 60.0, lambda _step, _fraction: None).rows
    assert (first.status, second.status) == ("done", "agrees")
    assert first.value == pytest.approx(-1 / 18)
    assert not counts.PATH.exists()


def test_a_disagreement_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "grow", lambda _spec: grow("kuhn:cards=4"))
    with pytest.raises(counts.CountError, match="nodes is 55 in tremble, and 109 in the second program"):
        counts.entry("kuhn")
    monkeypatch.setattr(counts, "grow", grow)
    monkeypatch.setattr(counts, "value_in_floats", lambda _counted: 0.0)
    with pytest.raises(counts.CountError, match=r"the value is -1/18 in tremble, and 0\.0 in floats"):
        counts.entry("kuhn")
    monkeypatch.setattr(counts, "value_in_floats", value_in_floats)
    monkeypatch.setattr(counts, "PUBLISHED", {"kuhn": (("kuhn-1950", {"depth": 5}),)})
    with pytest.raises(counts.CountError, match="depth is 4, but 5 in kuhn-1950"):
        counts.entry("kuhn")


def test_the_second_program_shares_no_code_with_tremble() -> None:
    allowed = {"__future__", "collections", "fractions", "functools", "hashlib", "itertools", "json", "numpy", "random"}
    allowed |= {"scipy"}
    for name in ("generators", "second_count"):
        text = (ROOT / "benchmarks" / f"{name}.py").read_text("utf-8")
        imported: set[str] = set()
        for part in ast.walk(ast.parse(text)):
            if isinstance(part, ast.Import):
                imported |= {alias.name for alias in part.names}
            elif isinstance(part, ast.ImportFrom):
                assert part.level == 0
                imported.add(str(part.module))
        roots = {path.partition(".")[0] for path in imported - {"benchmarks.generators"}}
        assert roots <= allowed | {"typing"}, name


# -- OpenSpiel, a third program ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("kuhn", "kuhn_poker"),
        ("liars_dice:faces=3", "liars_dice(dice_sides=3)"),
        ("liars_dice:dice=2,faces=2", "liars_dice(numdice=2,dice_sides=2)"),
    ],
)
def test_openspiel(spec: str, name: str) -> None:
    """OpenSpiel grows the same trees. In Kuhn poker it deals each card at its own node: three more chance nodes."""
    pyspiel = pytest.importorskip("pyspiel")
    leaves, chance = 0, 0
    moves, sets = [0, 0], [set(), set()]
    stack = [pyspiel.load_game(name).new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            leaves += 1
            continue
        player = state.current_player()
        if state.is_chance_node():
            chance += 1
        else:
            moves[player] += 1
            sets[player].add(state.information_state_string())
        stack += [state.child(action) for action in state.legal_actions()]
    entry = ENTRIES[spec]
    assert leaves == entry["leaves"]
    assert moves == entry["player_nodes"]
    assert [len(side) for side in sets] == entry["information_sets"]
    assert chance == entry["chance_nodes"] + 3 * (spec == "kuhn")


def test_every_spec_loads_as_it_is_written() -> None:
    for spec in (*SMALL, *SLOW):
        assert tremble.load_rules(spec).rules is not None
        assert split_spec(spec)[0] in GENERATORS
