from __future__ import annotations

import io
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import tremble
from tremble import load
from tremble.errors import FormatError, ImperfectRecallError, NotZeroSumError, SpecError, TooLargeError
from tremble.formats.formats import FORMATS
from tremble.formats.game_json import write_json

EFG = """EFG 2 R "take it or leave it" { "Ann" "Bob" }
p "" 1 1 "" { "take" "leave" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { 0 0 }
"""

THIRDS = """EFG 2 R "thirds" { "Ann" "Bob" }
c "" 1 "" { "a" 0.33333333333 "b" 0.33333333333 "c" 0.33333333333 } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { 0 0 }
t "" 3 "" { 2 -2 }
"""


@pytest.fixture
def stdin(monkeypatch):
    def give(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("kuhn", "kuhn"),
        ("leduc:raises=2,ranks=2", "leduc:ranks=2"),
        ('goofspiel:order="increasing"', "goofspiel:order=increasing"),
        ("safe_or_risky", "safe_or_risky"),
    ],
)
def test_built_in(text, spec):
    tree = tremble.load(text)
    assert tree.spec == spec
    assert tremble.load(spec).digest == tree.digest
    assert tree.title


def test_file_by_text_and_by_path(tmp_path):
    file = tmp_path / "game.EFG"
    file.write_text(EFG)
    for source in (str(file), file):
        tree = tremble.load(source)
        assert tree.num_leaves == 2
        assert tree.spec == str(file)
        assert tree.title == "take it or leave it"


def test_a_built_in_goes_before_a_file_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("kuhn").write_text(EFG)
    assert tremble.load("kuhn").spec == "kuhn"
    with pytest.raises(SpecError, match="has no known file ending"):
        tremble.load(Path("kuhn"))


@pytest.mark.parametrize(("name", "advice"), [("game.py", "write_efg"), ("payoffs.csv", "tremble.matrix_game")])
def test_files_that_hold_a_game_in_another_way_are_told_how_it_becomes_one(name, advice, tmp_path):
    (tmp_path / name).write_text("1")
    with pytest.raises(SpecError, match=advice):
        tremble.load(tmp_path / name)


WORKBOOK = f"""<?xml version="1.0" encoding="UTF-8"?>
<gambit:document xmlns:gambit="http://gambit.sourceforge.net/" version="0.1">
<colors>
<player id="-1" red="154" green="205" blue="50" />
</colors>
<numbers decimals="4"/>
<game>
<efgfile>
<![CDATA[{EFG}]]>
</efgfile>
</game>
</gambit:document>
"""
EXPORT = "File > Export > Gambit .efg format"


@pytest.mark.parametrize("content", [WORKBOOK, "\ufeff" + WORKBOOK, WORKBOOK.partition("\n")[2]])
@pytest.mark.parametrize("ending", [".gbt", ".GBT", ".efg", ".nfg", ".json"])
def test_a_workbook_of_gambit_is_refused_with_the_menu_that_exports_it(ending, content, tmp_path):
    file = tmp_path / f"game{ending}"
    file.write_text(content, encoding="utf-8")
    for source in (str(file), file):
        with pytest.raises(FormatError, match=EXPORT) as caught:
            tremble.load(source)
        assert caught.value.file == str(file)


@pytest.mark.parametrize("read", [tremble.read_efg, tremble.read_nfg, tremble.io.read_json])
def test_readers_refuse_a_workbook_of_gambit_as_a_file_and_as_text(read, tmp_path):
    file = tmp_path / "game.gbt"
    file.write_text(WORKBOOK)
    for source in (file, str(file), WORKBOOK):
        with pytest.raises(FormatError, match=EXPORT):
            read(source)


def test_a_workbook_of_gambit_on_the_standard_input_is_refused(stdin):
    stdin(WORKBOOK.encode())
    with pytest.raises(FormatError, match=EXPORT) as caught:
        tremble.load("-")
    assert caught.value.file == "<standard input>"


def test_other_xml_is_not_taken_for_a_workbook_of_gambit(tmp_path):
    file = tmp_path / "game.efg"
    file.write_text('<?xml version="1.0"?><svg></svg>')
    with pytest.raises(FormatError, match="EFG") as caught:
        tremble.load(file)
    assert EXPORT not in str(caught.value)


@pytest.mark.parametrize("ending", FORMATS)
def test_every_written_format_is_loaded_by_its_ending(ending, tmp_path):
    tree = tremble.load("matching_pennies")
    file = tmp_path / f"pennies{ending}"
    FORMATS[ending].write(tree, file)
    assert FORMATS[ending].begins.search(file.read_bytes())
    assert [other for other, row in FORMATS.items() if row.begins.search(file.read_bytes())] == [ending]
    for repair in (False, True):
        found = tremble.load(file, repair=repair)
        assert found.spec == str(file)
        assert (found.num_nodes, found.num_infosets) == (tree.num_nodes, tree.num_infosets)
        assert found.payoff.tolist() == tree.payoff.tolist()
    file.write_text("{")
    with pytest.raises(FormatError) as caught:
        tremble.load(file)
    assert caught.value.file == str(file)


def test_standard_input(stdin):
    stdin(b"\xef\xbb\xbf" + EFG.replace("\n", "\r\n").encode())
    tree = tremble.load("-")
    assert (tree.spec, tree.num_leaves) == ("-", 2)


@pytest.mark.parametrize("content", [b"", b"kuhn.efg", b"EFG", b"NFG 1 R", b"EFG 2 R \xff", b"\0"])
def test_bad_standard_input(stdin, content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("kuhn.efg").write_text(EFG)  # a line that names a file is no game either
    stdin(content)
    with pytest.raises(FormatError, match="<standard input>"):
        tremble.load("-")


def test_repair_is_passed_on(tmp_path, stdin):
    file = tmp_path / "thirds.efg"
    file.write_text(THIRDS)
    with pytest.raises(FormatError):
        tremble.load(file)
    with pytest.warns(tremble.errors.TrembleWarning):
        tree = tremble.load(file, repair=True)
    assert tree.chance_tables[0].probabilities[0].denominator == 3
    stdin(THIRDS.encode())
    with pytest.warns(tremble.errors.TrembleWarning):
        assert tremble.load("-", repair=True).digest == tree.digest
    stdin(THIRDS.replace("0.3", "0.1").encode())
    with pytest.raises(FormatError, match=r'repair_tolerance="0\.2'):
        tremble.load("-", repair=True)
    stdin(THIRDS.replace("0.3", "0.1").encode())
    with pytest.warns(tremble.errors.TrembleWarning):
        assert tremble.load("-", repair_tolerance="0.21").chance_tables[0].probabilities == (Fraction(1, 3),) * 3
    json_file = tmp_path / "thirds.json"
    write_json(tree, json_file)
    json_file.write_text(json_file.read_text().replace("1/3", "333333333/1000000000"))
    with pytest.raises(FormatError, match=r"chance\[0\].probabilities: the numbers sum to .*repair=True repairs"):
        tremble.load(json_file)
    with pytest.warns(tremble.errors.TrembleWarning, match=r"'1/3' .* at chance\[0\]"):
        assert tremble.load(json_file, repair=True).digest == tree.digest


@pytest.mark.parametrize("text", ["missing.efg", "folder/missing.nfg", "missing.JSON", "some/folder/game"])
def test_missing_files(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FormatError, match="no such file") as caught:
        tremble.load(text)
    assert caught.value.file == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kuhnn", "did you mean kuhn"),
        ("Leduc:ranks=3", "did you mean leduc"),
        ("goofspeil", "did you mean goofspiel"),
        ("completely_unknown", "built-in games: a_loss"),
        ("", "neither"),
        ("x" * 5000, "neither"),
        ("nul\0character", "neither"),
    ],
)
def test_unknown_names(text, words):
    with pytest.raises(SpecError, match=words):
        tremble.load(text)


def test_bad_parameters():
    with pytest.raises(SpecError, match="ranks, raises"):
        tremble.load("leduc:cards=3")


def test_folders_and_unknown_endings(tmp_path):
    with pytest.raises(FormatError, match="folder"):
        tremble.load(tmp_path)
    file = tmp_path / "game.txt"
    file.write_text(EFG)
    with pytest.raises(SpecError, match=r"\.efg, \.nfg, \.json"):  # an unknown ending is bad usage: exit code 2
        tremble.load(str(file))


def test_max_nodes(tmp_path):
    with pytest.raises(TooLargeError, match="850 nodes"):
        load("goofspiel", max_nodes=849)
    assert load("goofspiel", max_nodes=850).num_nodes == 850
    assert tremble.load("goofspiel", max_nodes=850).num_nodes == 850
    with pytest.raises(TooLargeError):
        load("kuhn", max_nodes=54)
    file = tmp_path / "game.efg"
    file.write_text(EFG)
    with pytest.raises(TooLargeError):
        tremble.load(file, max_nodes=2)
    assert tremble.load(file, max_nodes=3).num_nodes == 3


@pytest.mark.parametrize(
    "spec", ["poker:bets=50,raises=100", "goofspiel:cards=13", "liars_dice:dice=5", "random_tree:depth=1000"]
)
def test_hopeless_sizes_are_refused_at_once(spec):
    with pytest.raises(TooLargeError, match="more than 20,000,000"):
        load(spec)


def test_progress():
    seen = []
    tremble.load("goofspiel:cards=4", progress=seen.append)
    assert seen == [10_000, 20_000, 30_000, 40_000, 50_000]


# -- errors about the whole game name the place in the file ----------------------------------------

FORGETFUL = """EFG 2 R "which way?" { "Ann" "Bob" } ""
p "" 1 4 "start" { "left" "right" } 0
p "" 2 9 "gate" { "open" "shut" } 0
p "" 1 7 "crossing" { "up" "down" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { 0 0 }
t "" 2
p "" 1 7 "crossing" { "up" "down" } 0
t "" 2
  t "" 3 "" { 1 -1/2 }
"""


def test_a_forgetful_player_is_told_by_the_set_of_the_file(tmp_path):
    file = tmp_path / "ways.efg"
    file.write_text(FORGETFUL.replace("-1/2", "-1"))
    with pytest.raises(ImperfectRecallError) as caught:
        tremble.solve(tremble.load(file))
    said = "player 1 forgets: the nodes of information set 2 ('crossing', number 7 in the file)"
    assert str(caught.value).startswith(f"{file}: {said}")


@pytest.mark.parametrize("method", ["lp", "cfr+", "double-oracle"])
def test_a_varying_sum_is_told_by_the_first_leaf_that_breaks_it(method, tmp_path):
    file = tmp_path / "ways.efg"
    file.write_text(FORGETFUL.replace("1 7", "1 8", 1))  # nobody forgets
    with pytest.raises(NotZeroSumError) as caught:
        tremble.solve(tremble.load(file), method=method)
    said = f"the payoffs sum to 0 at the first leaf, but to 1/2 at {file}:10:3 (path: right / down)"
    assert str(caught.value).startswith(said)


def test_a_varying_sum_in_other_formats(tmp_path):
    nfg, json, text = tmp_path / "g.nfg", tmp_path / "g.json", "the payoffs sum to 0 at the first leaf, but to "
    nfg.write_text('NFG 1 R "" { "A" "B" } { 2 2 }\n1 -1 3 -1\n2 -2 0 5\n')  # player 1's strategy moves fastest
    with pytest.raises(NotZeroSumError, match=rf"{text}2 at .*g.nfg:2:6 \(path: 2 / 1\)"):
        tremble.solve(tremble.load(nfg), method="lp")
    nfg.write_text('NFG 1 R "" { "A" "B" } { 2 2 }\n{ { "" 1 -1 } { "" 1 0 } }\n1 1\n2 2\n')
    with pytest.raises(NotZeroSumError, match=rf"{text}1 at .*g.nfg:4:1 \(path: 1 / 2\)"):
        tremble.solve(tremble.load(nfg), method="lp")
    write_json(tremble.load(nfg), json)
    with pytest.raises(NotZeroSumError, match=rf"{text}1 at .*g.json: nodes\[3\] \(path: 1 / 2\)"):
        tremble.solve(tremble.load(json), method="lp")
    with pytest.raises(NotZeroSumError, match=f"{text}1 at the leaf a / x; .* the method lemke"):
        tremble.solve(_two_leaves(), method="lp")


def _two_leaves():
    builder = tremble.TreeBuilder()
    builder.decision(0, 0, "a")
    builder.decision(1, 0, "wx")
    builder.leaf(0, 0)
    builder.leaf(1, 0)
    return builder.finish()
