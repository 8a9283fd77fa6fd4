"""Gambit's extensive form: what is read, what is refused and where, and that Gambit reads what we write."""

# ruff: noqa: E501 (tables of texts)

import math
import os
import random
import warnings
from fractions import Fraction
from pathlib import Path

import pytest

from efg_texts import HEAD, JUDGED_BY_GAMBIT, TOLERATED, random_game
from gambit import Gambit, catalog, catalog_files, written_back
from tremble.errors import FormatError, GameError, PlayersError, SpecError, TooLargeError, TrembleWarning
from tremble.formats.chance_repair import last_digit, mend_probabilities, simplest_fraction
from tremble.formats.efg import format_efg, read_efg, write_efg
from tremble.formats.gambit_labels import distinct_labels, quote, unquote
from tremble.formats.gambit_text import format_number
from tremble.formats.tolerance import TOLERANCE
from tremble.game.tree import GameTree
from tremble.game.tree_builder import TreeBuilder
from tremble.numbers import parse_number


def quietly(text: str) -> GameTree:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrembleWarning)
        return read_efg(text)


# -- numbers and labels --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e3", 1000),
        (".5", Fraction(1, 2)),
        ("1.", 1),
        ("1/3", Fraction(1, 3)),
        ("+5", 5),
        ("-1/2", Fraction(-1, 2)),
        ("-.5E+1", -5),
        ("007", 7),
        ("-0", 0),
        ("1e999", 10**999),
        ("1e4300", 10**4300),
        ("2E-4300", Fraction(2, 10**4300)),
        ("1e0000000000000000000000000003", 1000),
        ("9" * 4300, 10**4300 - 1),
        ("4/6", Fraction(2, 3)),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else "",
)
def test_numbers_are_exact(text: str, value: Fraction) -> None:
    assert parse_number(text) == value
    assert read_efg(f'{HEAD}t "" 1 "" {{ {text} 0 }}').payoff_at(0) == (value, 0)


@pytest.mark.parametrize(
    "text",
    [
        "1/0",
        "1/-2",
        "1 /2",
        "1/ 2",
        "--1",
        "- 1",
        "1e",
        "1e+",
        "e5",
        ".",
        "-",
        "0x10",
        "1_0",
        "٣",
        "inf",
        "nan",
        "1/2/3",
        "1.2.3",
        "1e1.5",
        '"1"',
        "5abc",
        "1e9999999",
        "1e4301",
        "1e-4301",
        "9" * 4301,
        "1/" + "3" * 4301,
        "1-2",
        "0.5/2",
        "1/0.5",
    ],
    ids=lambda text: text[:20],
)
def test_malformed_numbers_are_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"<text>:3:1[3-9]"):
        read_efg(f'{HEAD}t "" 1 "" {{ {text} 0 }}')


def test_numbers_as_written() -> None:
    assert [format_number(v) for v in (3, Fraction(-1, 3), Fraction(-3, 2**33))] == [
        "3",
        "-1/3",
        "-0.00000000034924596548080444335937" + "5",
    ]
    for value in (Fraction(7**50, 5**40), Fraction(10**50, 3), Fraction(1, 3**40), Fraction(-1, 10**400)):
        assert parse_number(format_number(value)) == value
    with pytest.raises(GameError, match="json"):
        format_number(10**4301)


@pytest.mark.parametrize(
    "label",
    ["", "plain", 'a "b"', "\\", "a\\b", "a\\\\b", '\\"', " x ", "a  b   c", "é→\n\t\0", "&#38;", "&#", "R&D", "😀"],
)
def test_labels_survive(label: str, gambit: Gambit) -> None:
    assert unquote(quote(label)) == label
    if label:
        tree = read_efg(f'{HEAD}p "" 1 1 {quote(label)} {{ {quote(label)} "other" }} 0 t "" 0 t "" 0')
        assert tree.actions[0][0][0] == tree.infoset_labels[0][0] == label
        assert read_efg(format_efg(tree)).actions == tree.actions
        assert quietly(gambit.ask(written_back, format_efg(tree))).actions == tree.actions


@pytest.mark.parametrize(
    "labels",
    [["a", "a", "b"], ["a", "a", "a_1"], ["", "", "_2"], ["x", "", "b"], ["a", "", "a", "a_1", "", "a_1", "_1"]],
)
def test_labels_are_renamed_as_gambit_does(labels: list[str], gambit: Gambit) -> None:
    text = f'{HEAD}p "" 1 1 "S" {{ {" ".join(map(quote, labels))} }} 0\n' + 't "" 0\n' * len(labels)
    with pytest.warns(TrembleWarning, match=r"renamed at 1 information set.*3:14"):
        ours = read_efg(text)
    theirs = read_efg(gambit.ask(written_back, text))
    assert ours.actions[0][0] == distinct_labels(labels) == theirs.actions[0][0]


# -- reading -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", JUDGED_BY_GAMBIT.values(), ids=JUDGED_BY_GAMBIT.keys())
def test_gambit_understands_the_same(body: str, gambit: Gambit) -> None:
    ours, theirs = quietly(HEAD + body), quietly(gambit.ask(written_back, HEAD + body))
    assert ours.digest == theirs.digest
    assert quietly(gambit.ask(written_back, format_efg(ours))).digest == ours.digest


def test_inner_payoffs_are_added_along_the_path() -> None:
    tree = quietly(HEAD + JUDGED_BY_GAMBIT["payoffs at inner nodes"])
    found = {tree.path(int(leaf)): tree.payoff_at(row) for row, leaf in enumerate(tree.leaves)}
    third = Fraction(1, 3)
    assert found == {
        ("a",): (2, 4),
        ("b", "c"): (Fraction(3, 2), 2 - third),
        ("b", "d"): (Fraction(203, 2), 6 - third),
    }


@pytest.mark.parametrize(("loose", "strict"), TOLERATED.values(), ids=TOLERATED.keys())
def test_one_sensible_meaning_is_read(loose: str, strict: str, gambit: Gambit) -> None:
    assert quietly(HEAD + loose).digest == quietly(gambit.ask(written_back, HEAD + strict)).digest


def test_byte_order_mark_line_ends_prologue_and_comment(tmp_path: Path) -> None:
    plain = HEAD + 'p "" 1 1 "S" {"a" "b"} 0\nt "" 0\nt "" 0\n'
    path = tmp_path / "EFG 2.efg"
    for text in (
        "\ufeff" + plain,
        plain.replace("\n", "\r\n"),
        "\n \t" + plain,
        plain.replace('""\n', "", 1),
        plain.replace('""\n', '"a comment,\nof two \\"lines\\""\n', 1),
        plain.replace("EFG 2 R", "EFG 2 D"),
        plain.replace('EFG 2 R "t" ', 'EFG 2R"t"'),
        plain.replace('"A" "B"', '"A", "B",'),
    ):
        assert read_efg(text).digest == read_efg(plain).digest
        path.write_bytes(text.encode())
        assert read_efg(path).digest == read_efg(plain).digest
    assert read_efg(plain).title == "t"
    assert read_efg(plain).players == ("A", "B")


def test_warnings_are_one_per_kind_and_say_where() -> None:
    body = "".join(f'p "" 1 {k} "S{k}" {{ "a" "a" }} 0\nt "" 0\n' for k in range(50)) + 't "" 0 rest of it "'
    with pytest.warns(TrembleWarning) as record:
        read_efg(HEAD + body)
    messages = sorted(str(w.message) for w in record)
    assert len(messages) == 2
    assert "renamed at 50 information set(s)" in messages[0]
    assert "from 103:8 on" in messages[1]
    assert all(w.filename == __file__ for w in record)
    with pytest.warns(TrembleWarning, match="'T' for 'S' at 3:40"):
        read_efg(
            HEAD
            + 'p "" 1 1 "S" {"a" "b"} 0 t "" 0 p "" 1 1 "T" {"a" "b"} 0 t "" 0 t "" 0'.replace(
                ' p "" 1 1 "T"', '\np "" 1 1 "T"'
            ).replace("\n", " ")
        )


# Text, and the beginning of what has to be said about it.
REFUSED = {
    'EFG 1 R "t" { "A" "B" } t "" 0': "1:5: expected 2 (the version",
    'EFG 2 X "t" { "A" "B" } t "" 0': "1:7: expected R or D",
    "EFG 2 R t": "1:9: expected the title of the game in double quotes, found t",
    "EFG": "1:4: expected 2",
    'EFG 2 R "t" { "A" B }': "1:19: expected the name of a player",
    'EFG 2 R "t" { "A" "B': "1:19: the string that begins here is not closed",
    HEAD: "3:1: expected a node (p, c or t; the tree lacks at least 1 more), found the end of the file",
    HEAD + 'p "" 1 1 "S" {"a" "b"} 0\nt "" 0': "4:7: expected a node (p, c or t; the tree lacks at least 1 more), found the end",
    HEAD + 'T "" 0': "3:1: expected a node",
    HEAD + "t 0": "3:3: expected the label of the node in double quotes, found 0",
    HEAD + 't "': "3:3: the string that begins here is not closed",
    HEAD + 't "" 7': "3:7: expected { and the payoffs, because outcome 7 is not yet defined, found the end",
    HEAD + 't "" 1.5 {1 2}': "3:6: expected the number of an outcome (an integer), found 1.5",
    HEAD + 't "" 1 "" { 1 }': "3:15: expected a payoff",
    HEAD + 't "" 1 "" { 1 2 3 }': "3:17: expected } after two payoffs, found 3",
    HEAD + 't "" 0 "" { 1 2 }': "3:6: outcome 0 has payoffs 1 2 here, but outcome 0 pays nothing",
    HEAD + 'p "" 1 1 "" {"a" "b"} 0 t "" 7 "" {1 2}\nt "" 7 "" {1/2 3}': "4:6: outcome 7 has payoffs 1/2 3 here, but it was defined with 1 2",
    HEAD + 'p "" 1 1 0 t "" 0': "3:10: expected { and the actions, because information set 1 of player 1 is not",
    HEAD + 'p "" 3 1 "S" {"a"} 0 t "" 0': "3:6: expected player 1 or 2, found 3",
    HEAD + 'p "" 1 1 "S" {} 0': "3:15: expected an action label in double quotes, found }",
    HEAD + 'p "" 1 1 "S" {"a"} t "" 0': "3:20: expected the number of an outcome (an integer), found t",
    HEAD + 'p "" 1 99999999999999999999 "S" {"a"} 0 t "" 0': "3:8: expected the number of the information set",
    HEAD + 'p "" 1 1 "S" {"a" "b"} 0 t "" 0\np "" 1 1 "S" {"a" "b" "c"} 0': "4:14: information set 1 of player 1 has actions { 'a' 'b' 'c' } here, but { 'a' 'b' }",
    HEAD + 'p "" 1 1 "S" {"a" "b"} 0 t "" 0 p "" 1 1 "S" {"b" "a"} 0 t "" 0 t "" 0': "3:46: information set 1 of player 1 has",
    HEAD + 'c "" 1 "S" {"a" 2 "b" -1} 0 t "" 0 t "" 0': "3:23: the probability -1 is negative",
    HEAD + 'c "" 1 "S" {"a" .33 "b" .33} 0 t "" 0 t "" 0': "3:12: the probabilities sum to 33/50, not to one",
    HEAD + 'c "" 1 "S" {} 0': "3:13: expected a chance action label in double quotes, found }",
    HEAD + 'c "" 1 0 t "" 0': "3:8: expected { and actions with probabilities, because chance set 1 is not",
    HEAD + 'c "" 1 "" {"a" 1/2 "b" 1/2} 0 t "" 0 c "" 1 "" {"a" 1/3 "b" 2/3} 0': "3:48: chance information set 1 has other actions",
    HEAD + "// comment": "3:1: expected a node (p, c or t; the tree lacks at least 1 more), found /",
    HEAD + '""t "" 0': '3:1: expected a node (p, c or t; the tree lacks at least 1 more), found ""',
    HEAD + 'p "" 1 1 "S" {"a" "b"} 0 t "" 0 junk t "" 0': "3:33: expected a node (p, c or t), found junk",
    HEAD + 'p "" 1 1 "S" {"a" "b"} 0 0 t "" 0 t "" 0': "3:26: expected a node (p, c or t), found 0",
    HEAD + 't "\0" 0': "3:4: a NUL",
    HEAD + 't "\ud800" 0': "3:4: a lone surrogate",
    HEAD + 't\u00a0"" 0': "3:2: expected the label of the node",
    "no file\nbut a text": "1:1: expected a file name, or a text that begins with EFG 2 R",
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_is_malformed_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_efg(text, name="a.efg")
    assert str(caught.value).startswith(f"a.efg:{message}")


@pytest.mark.parametrize(("names", "count"), [('"A"', "1 player;"), ('"A" "B" "C"', "3 players"), ("", "0 players")])
def test_two_players(names: str, count: str, tmp_path: Path) -> None:
    path = tmp_path / "alone.efg"
    path.write_text(f'EFG 2 R "t" {{ {names} }}\nt "" 0')
    with pytest.raises(PlayersError, match=rf"alone\.efg: the game has {count}"):
        read_efg(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"none\.efg: no such file"):
        read_efg(tmp_path / "none.efg")
    with pytest.raises(FormatError, match="no such file"):
        read_efg("")
    with pytest.raises(FormatError, match="directory"):
        read_efg(tmp_path)
    with pytest.raises(FormatError, match="cannot be read"):
        read_efg("x" * 10_000)
    path = tmp_path / "a.efg"
    for content, message in (
        (HEAD.encode() + b't "\xff" 0', r"a\.efg:3:4: the byte 0xff is not UTF-8"),
        (("é\n" + HEAD).encode("utf-16"), r"a\.efg:1:1: .*UTF-8|NUL"),
        (b"EFG 2 R\n\0", r"a\.efg:2:1: a NUL byte"),
        (b"", r"a\.efg:1:1: expected EFG"),
    ):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=message):
            read_efg(path)
    if os.path.exists("/dev/zero"):
        with pytest.raises(FormatError, match="NUL"):
            read_efg("/dev/zero")


def test_gambits_own_catalog_is_read(gambit: Gambit) -> None:
    """The files themselves if there are any, and otherwise as Gambit writes them."""
    texts = [path.read_text("utf-8") for path in catalog_files()] if gambit.live else gambit.ask(catalog)
    read = 0
    for text in texts:
        if not text.startswith("EFG"):
            continue
        try:
            tree = quietly(text)
        except PlayersError:
            continue
        read += 1
        assert quietly(gambit.ask(written_back, format_efg(tree))).digest == tree.digest, text
        assert not gambit.live or quietly(written_back(text)).digest == tree.digest, text
    assert read >= 20


# -- repairing -----------------------------------------------------------------------------------------


def test_rounded_chance_is_repaired_on_request() -> None:
    thirds = (
        HEAD + 'c "" 1 "" { "a" 0.3333333333333333 "b" 0.3333333333333333 "c" 0.3333333333333333 } 0' + ' t "" 0' * 3
    )
    with pytest.raises(FormatError, match=r"3:11: the probabilities sum to 9999999999999999/10000000000000000"):
        read_efg(thirds)
    with pytest.warns(TrembleWarning, match="repaired in 1 list.*'1/3' '1/3' '1/3'"):
        tree = read_efg(thirds, repair=True)
    assert tree.chance_tables[0].probabilities == (Fraction(1, 3),) * 3
    assert read_efg(HEAD + 'c "" 1 "" {"a" 0.25 "b" 0.75} 0 t "" 0 t "" 0', repair=True).num_leaves == 2
    for body in ('"a" 0.3 "b" 0.3', '"a" 0 "b" 0', '"a" 1/3 "b" 1/3', '"a" 1 "b" 1', '"a" 0.499 "b" 0.489'):
        with pytest.raises(FormatError, match=r"does not explain this|no repair is possible$"):
            read_efg(f'{HEAD}c "" 1 "" {{ {body} }} 0 t "" 0 t "" 0', repair=True)


def chance_file(*numbers: str) -> str:
    outcomes = " ".join(f'"{i}" {number}' for i, number in enumerate(numbers))
    return f'{HEAD}c "" 1 "" {{ {outcomes} }} 0' + ' t "" 0' * len(numbers)


def test_what_was_found_is_quoted_on_one_line() -> None:
    for text, found in (
        (HEAD + 'p "" 1 "a\n\tlabel\x1b" 3', r': 3:8: expected the number of the information set (an integer), found "a\n\tlabel\x1b"'),
        (HEAD + 'c "" 1 { "a" \x07 } 0', r":3:14: expected a probability (a number such as 3, 0.25, 1e-3 or -1/18), found \x07"),
        ("\nhello\x1b,\nwho are you?", r':1:1: expected a file name, or a text that begins with EFG 2 R ", found the end of the line'),
        ("hello\x1b,\nwho are you?", r'begins with EFG 2 R ", found hello\x1b,'),
    ):  # fmt: skip
        with pytest.raises(FormatError) as caught:
            read_efg(text, name="a.efg")
        assert str(caught.value).endswith(found.removeprefix(": "))
        assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("numbers", "mended"),
    [
        (["0.333333"] * 3, ["1/3"] * 3),  # rounded
        (["0.3"] * 3, ["1/3"] * 3),
        (["0.16666667"] * 6, ["1/6"] * 6),
        (["0.16666666"] * 6, ["1/6"] * 6),  # cut off
        (["0.66", "0.33"], ["2/3", "1/3"]),
        (["3.333e-1", "0.3333", ".3333"], ["1/3"] * 3),
        (["1/3", "0.33", "1/3"], ["1/3"] * 3),  # fractions are exact
        (["0.02"] * 52, ["1/52"] * 52),  # the simplest fractions do not sum to one
        (["0.30000000000000004", "0.7"], ["3/10", "7/10"]),
        (["1.0", "1e-30"], [f"{10**30 - 1}/{10**30}", f"1/{10**30}"]),
        (["0.999999", "0.000000"], ["1", "0"]),
    ],
)
def test_numbers_move_within_their_last_printed_digit(numbers: list[str], mended: list[str]) -> None:
    with pytest.raises(FormatError, match="repair=True repairs"):
        read_efg(chance_file(*numbers))
    with pytest.warns(TrembleWarning, match="repaired in 1 list"):
        found = read_efg(chance_file(*numbers), repair=True).chance_tables[0].probabilities
    assert found == tuple(map(Fraction, mended))


@pytest.mark.parametrize("numbers", [["0.25", "0.25", "0.25"], ["1/3", "1/3"], ["0.9", "0.9", "0"], ["1", "1/100"]])
def test_a_repair_is_recommended_only_where_it_works(numbers: list[str]) -> None:
    for repair in (False, True):
        with pytest.raises(FormatError, match="repair_tolerance=") as caught:
            read_efg(chance_file(*numbers), repair=repair)
        assert "repair=True" not in str(caught.value)
    advised = str(caught.value).rpartition("repair_tolerance=")[2].strip('")')
    with pytest.warns(TrembleWarning, match="repaired"):
        tree = read_efg(chance_file(*numbers), repair_tolerance=advised)
    found = tree.chance_tables[0].probabilities
    moved = [abs(p - Fraction(number)) for p, number in zip(found, numbers, strict=True)]
    assert 0 < max(moved) <= Fraction(advised)
    assert [p > 0 for p in found] == [Fraction(number) > 0 for number in numbers]
    for numbers_of_no_use in (["0", "0"], ["0.0", "0.00"]):
        with pytest.raises(FormatError, match=r"no repair is possible$"):
            read_efg(chance_file(*numbers_of_no_use), repair_tolerance=1)


@pytest.mark.parametrize("tolerance", [-1, 0.25, "x", "1/0"])
def test_tolerances_are_exact(tolerance: object) -> None:
    with pytest.raises(SpecError, match="repair_tolerance"):
        read_efg(chance_file("1"), repair_tolerance=tolerance)  # type: ignore[arg-type]


def test_repair_respects_every_last_digit() -> None:
    rng = random.Random(3)
    for _ in range(300):
        weights = [rng.choice([1, 2, rng.randint(1, 50)]) for _ in range(rng.randint(2, 12))]
        given = [f"{w / sum(weights):.{rng.randint(1, 8)}f}" for w in weights]
        values, units = [Fraction(text) for text in given], [last_digit(text) for text in given]
        mended = mend_probabilities(values, units)
        if min(values) > 0:
            assert mended is not None, given
            assert sum(mended) == 1
            near = zip(mended, values, units, strict=True)
            assert all(m > 0 and abs(m - p) <= max(unit, TOLERANCE) for m, p, unit in near)


def test_repair_moves_nothing_far() -> None:
    rng = random.Random(1)
    for _ in range(300):
        weights = [rng.choice([0, 1, rng.randint(1, 50), rng.randint(1, 10**12)]) for _ in range(rng.randint(1, 12))]
        weights.append(max(weights) or 1)  # the last one takes the rest
        digits = rng.randint(11, 17)
        given = [Fraction(f"{w / sum(weights):.{digits}f}") for w in weights]
        mended = mend_probabilities(given)
        assert mended is not None
        assert sum(mended) == 1
        assert all(abs(m - g) <= Fraction(1, 10**9) and (m > 0) == (g > 0) for m, g in zip(mended, given, strict=True))


def test_simplest_fraction_is_the_simplest() -> None:
    rng = random.Random(2)
    for _ in range(300):
        value, tolerance = Fraction(rng.randint(1, 10**4), 10**4), Fraction(1, rng.randint(10, 10**4))
        found = simplest_fraction(value, tolerance)
        assert abs(found - value) <= tolerance
        for bottom in range(1, found.denominator):
            top = max(math.ceil((value - tolerance) * bottom), 1)
            assert top > (value + tolerance) * bottom


# -- writing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(150))
def test_round_trip_through_gambit(seed: int, gambit: Gambit) -> None:
    tree = random_game(seed)
    text = format_efg(tree)
    assert text.isascii()
    again = read_efg(text)
    assert again.digest == tree.digest
    assert (again.title, again.players) == (tree.title, tree.players)
    assert format_efg(again) == text
    assert read_efg(gambit.ask(written_back, text)).digest == tree.digest


@pytest.mark.parametrize("seed", range(40))
def test_openspiel_reads_what_we_write(seed: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    tree = random_game(seed, plain=True)
    state = pyspiel.load_efg_game(format_efg(tree)).new_initial_state()
    nodes, stack = 0, [state]
    while stack:
        state = stack.pop()
        nodes += 1
        if not state.is_terminal():
            stack.extend(state.child(action) for action in state.legal_actions())
    assert nodes == tree.num_nodes


def test_what_the_format_cannot_hold() -> None:
    builder = TreeBuilder()
    builder.decision(0, 0, ("", "b"))
    builder.leaf(0, 0)
    builder.leaf(0, 0)
    with pytest.warns(TrembleWarning, match="renamed by all readers"):
        text = format_efg(builder.finish())
    assert quietly(text).actions[0] == (("_1", "b"),)
    builder = TreeBuilder()
    builder.leaf(10**5000, 0)
    with pytest.raises(GameError, match=r"x\.efg: .*4,300 digits"):
        write_efg(builder.finish(), "x.efg")


def test_information_sets_of_one_name_stay_apart_in_gambit(gambit: Gambit) -> None:
    text = HEAD + 'p "" 1 1 "S" {"a" "b"} 0 p "" 1 2 "S" {"a" "b"} 0 t "" 0 t "" 0 t "" 0'
    written = format_efg(read_efg(text))
    assert quietly(gambit.ask(written_back, written)).infoset_labels[0] == ("S_1", "S_2")


def test_files_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = random_game(1)
    path = tmp_path / "a.efg"
    path.write_text("before")
    path.chmod(0o640)

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        with pytest.raises(FormatError, match=r"a\.efg: the file cannot be written: No space left"):
            write_efg(tree, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    write_efg(tree, path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o640
    assert read_efg(path).digest == tree.digest
    with pytest.raises(FormatError, match="cannot be written"):
        write_efg(tree, tmp_path / "nowhere" / "a.efg")
    with pytest.raises(FormatError, match="cannot be written"):
        write_efg(tree, tmp_path)


# -- size ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_deep_trees(depth: int) -> None:
    text = HEAD + 'p "" 1 1 "S" { "on" "stop" } 1 "" { 1/2 1 }\n' * depth + 't "" 0\n' * (depth + 1)
    tree = read_efg(text)
    assert (tree.depth, tree.num_nodes) == (depth, 2 * depth + 1)
    assert tree.payoff_at(tree.num_leaves - 1) == (depth // 2, depth)
    assert read_efg(format_efg(tree)).num_nodes == tree.num_nodes


def test_a_thousand_actions() -> None:
    actions = " ".join(f'"a{k}" 1/1000' for k in range(1000))
    tree = read_efg(
        f'{HEAD}c "" 1 "" {{ {actions} }} 0\n' + "".join(f't "" {k} "" {{ {k} -{k} }}\n' for k in range(1, 1001))
    )
    assert tree.num_leaves == 1000


def test_limits_are_kept() -> None:
    with pytest.raises(TooLargeError, match="more than 3 nodes"):
        read_efg(HEAD + 'p "" 1 1 "S" {"a" "b"} 0 ' * 9, max_nodes=3)
    many = "".join(f't "" {k} "" {{ {k}e4300 {k}e-4300 }}\n' for k in range(1, 90_001))
    row = " ".join(f'"{k}"' for k in range(90_000))
    with pytest.raises(TooLargeError, match=r"MB|memory"):
        read_efg(f'{HEAD}p "" 1 1 "" {{ {row} }} 0\n{many}')
    many = "".join(f't "" {k} "" {{ 1/{k} 0 }}\n' for k in range(1, 90_001))
    with pytest.raises(TooLargeError, match="common denominator"):
        read_efg(f'{HEAD}p "" 1 1 "" {{ {row} }} 0\n{many}')
    deep = "".join(f'p "" 1 {k} "" {{ "a" "b" }} {k} "" {{ 1/{k} 0 }}\nt "" 0\n' for k in range(1, 50_001))
    with pytest.raises(TooLargeError, match=r"sums of payoffs|common denominator"):
        read_efg(HEAD + deep + 't "" 0')


@pytest.mark.slow
@pytest.mark.parametrize("alike", [True, False])
def test_a_million_nodes_load(alike: bool) -> None:
    lines = []
    for k in range(333_333):
        number = k % 1000 if alike else k
        lines.append(f'p "" {k % 2 + 1} {number * 2 + k % 2} "set {number}" {{ "a" "b" "c" }} 0')
        lines += [f't "" {7 * number + i} "o" {{ {number}.{i}, -{number}.{i} }}' for i in (1, 2)]
    text = HEAD + "\n".join([*lines, 't "" 0'])
    assert read_efg(text).num_nodes == 1_000_000
