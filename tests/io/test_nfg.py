"""Gambit's strategic form: both payoff forms, what is refused, and that Gambit and OpenSpiel read what we write."""

from pathlib import Path

import pytest

import tremble
from efg_texts import one_shot_game
from gambit import Gambit, catalog, catalog_files, written_back
from tremble.errors import FormatError, GameError, PlayersError, TooLargeError, TrembleWarning
from tremble.formats.efg import read_efg
from tremble.formats.nfg import format_nfg, read_nfg, write_nfg
from tremble.strategies import reduced_normal_form

HEAD = 'NFG 1 R "t" { "A" "B" } '


@pytest.mark.parametrize("seed", range(60))
def test_round_trip_through_gambit(seed: int, gambit: Gambit) -> None:
    tree = one_shot_game(seed)
    text = format_nfg(tree)
    again = read_nfg(text)
    assert again.digest == tree.digest
    assert (again.title, again.players) == (tree.title, tree.players)
    assert read_nfg(gambit.ask(written_back, text)).digest == tree.digest


def test_openspiel_reads_counted_strategies() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    tree = read_nfg(HEAD + "{ 2 3 } 1 2 3 4 5 6 7 8 9 10 11 1/2")
    game = pyspiel.load_nfg_game(format_nfg(tree))
    assert game.player_utility(0, 1, 0) == 3
    assert game.player_utility(1, 1, 2) == 0.5


def test_strategies_that_are_called_by_another_number(gambit: Gambit) -> None:
    tree = read_nfg(HEAD + '{ { "2" "1" "10" } { "3" "x" "2" } } 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9')
    text = format_nfg(tree)
    assert read_nfg(gambit.ask(written_back, text)).digest == read_nfg(text).digest == tree.digest


# Texts that Gambit reads too, and that have to mean the same.
@pytest.mark.parametrize(
    "body",
    [
        "{ 2 2 }\n\n1 2 3 4 5 6 7 8",
        '{ {"a" "b"} {"c" "d"} }\n"a comment" 1 2 3 4 5 6 7 8',
        '{ 2 2 } { {"" 1 2} {"x" 3,4} } 1 2 0 1',
        '{ { "a" "b" } { "c" } } 1/2 0.5 1e2 -.3',
        "{ 2 2 } { } 0 0 0 0",
        "{ 1 1 } 1 2",
    ],
)
def test_gambit_understands_the_same(body: str, gambit: Gambit) -> None:
    assert read_nfg(HEAD + body).digest == read_nfg(gambit.ask(written_back, HEAD + body)).digest


def test_cells_are_where_they_belong() -> None:
    tree = read_nfg(HEAD + '{ { "top" "bottom" } { "left" "middle" "right" } } 1 10 2 20 3 30 4 40 5 50 6 60')
    found = {tree.path(int(leaf)): tree.payoff_at(row) for row, leaf in enumerate(tree.leaves)}
    assert found == {
        ("top", "left"): (1, 10),
        ("bottom", "left"): (2, 20),
        ("top", "middle"): (3, 30),
        ("bottom", "middle"): (4, 40),
        ("top", "right"): (5, 50),
        ("bottom", "right"): (6, 60),
    }
    assert tree.num_infosets == (1, 1)


def test_tolerated() -> None:
    plain = read_nfg(HEAD + "{ 2 2 } 1 2 3 4 5 6 7 8").digest
    for body in (
        "{2,2}1,2,3,4,5,6,7,8",
        "\r\n{ 2 2 }\r\n+1 2. 3.0 4e0 10/2 6 7 8",
        '{ 2 2 } "" { {1 2}, {"x" 3,4,}, {"" 5 6} {"" 7 8} } 1,2,3,4',
    ):
        assert read_nfg(HEAD + body).digest == plain
    assert read_nfg("\ufeff" + HEAD.replace("1 R", "1 D") + "{ 2 2 } 1 2 3 4 5 6 7 8").digest == plain
    with pytest.warns(TrembleWarning, match=r"renamed for 2 player.*'a' 'a' .* at 1:27"):
        tree = read_nfg(HEAD + '{ {"a" "a"} {"" "b"} } 1 2 3 4 5 6 7 8')
    assert tree.actions == ((("a_1", "a_2"),), (("_1", "b"),))


REFUSED = {
    "": "1:25: expected { and the strategies of the players, found the end of the file",
    "{ 2 }": "1:29: expected the number of strategies of player 2",
    "{ 0 2 } 1 2": "1:27: expected a positive number of strategies, found 0",
    "{ 2 2 }": "1:32: expected the payoff of player 1 in a cell",
    "{ 2 2 } 1 2 3 4 5 6 7": "1:46: expected the payoff of player 2 in a cell",
    "{ 2 2 } 1 2 3 4 5 6 7 8 9": "1:49: expected the end of the file after the payoffs of 2 x 2 cells, found 9",
    "{ 2 2 } 1 2 3 x": "1:39: expected the payoff of player 2 in a cell (a number",
    "{ 2 2 } 1 2 3 1/0": "1:39: 1/0 has a zero denominator",
    '{ {"a"} 2 } 1 2': "1:33: expected { and the strategies of player 2, found 2",
    '{ {"a"} {} } 1 2': "1:34: expected a strategy label",
    '{ {"a"} {"b"} {"c"} } 1 2': "1:39: expected } after the strategies of two players, found {",
    '{ 1 1 } { {"" 1} } 1': "1:40: expected a payoff",
    '{ 1 1 } { {"" 1 2} } 2': "1:46: expected an outcome from 0 to 1, found 2",
    '{ 1 1 } { {"" 1 2} } -1': "1:46: expected an outcome from 0 to 1, found -1",
    '{ 1 1 } { {"" 1 2} } 1 1': "1:48: expected the end of the file",
    '{ 1 1 } { {"" 1 2}': "1:43: expected { and an outcome, or } after the last one",
    '{ 1 1 } "not closed 1 2': "1:33: the string that begins here is not closed",
}


@pytest.mark.parametrize(("body", "message"), REFUSED.items())
def test_what_is_malformed_is_refused_with_its_place(body: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_nfg(HEAD + body, name="a.nfg")
    assert str(caught.value).startswith(f"a.nfg:{message}")


def test_players_and_size() -> None:
    with pytest.raises(PlayersError, match="3 players"):
        read_nfg('NFG 1 R "t" {"A" "B" "C"} {1 1 1} 1 2 3')
    for body in ("{ 1000000 1000000 } 1", "{ 30 30 } 1"):
        with pytest.raises(TooLargeError):
            read_nfg(HEAD + body, max_nodes=900)


def test_gambits_own_catalog_is_read(gambit: Gambit) -> None:
    """The files themselves if there are any, and otherwise as Gambit writes them."""
    texts = [path.read_text("utf-8") for path in catalog_files()] if gambit.live else gambit.ask(catalog)
    read = 0
    for text in texts:
        if not text.startswith("NFG"):
            continue
        try:
            tree = read_nfg(text)
        except PlayersError:
            continue
        read += 1
        assert read_nfg(gambit.ask(written_back, format_nfg(tree))).digest == tree.digest
    assert read >= 3


@pytest.mark.parametrize(
    "body",
    [
        't "" 0',
        'p "" 1 1 "" { "a" } 0 t "" 0',
        'p "" 2 1 "" { "a" } 0 p "" 1 1 "" { "b" } 0 t "" 0',
        'p "" 1 1 "" { "a" "b" } 0 p "" 2 1 "" { "c" } 0 t "" 0 t "" 0',
        'p "" 1 1 "" { "a" "b" } 0 p "" 2 1 "" { "c" } 0 t "" 0 p "" 2 2 "" { "c" } 0 t "" 0',
        'p "" 1 1 "" { "a" } 0 p "" 2 1 "" { "b" } 0 p "" 1 2 "" { "c" } 0 t "" 0',
        'c "" 1 "" { "a" 1 } 0 p "" 2 1 "" { "b" } 0 t "" 0',
    ],
)
def test_of_other_games_the_reduced_normal_form_is_written(body: str, tmp_path: Path) -> None:
    tree = read_efg(f'EFG 2 R "t" {{ "A" "B" }} {body}')
    write_nfg(tree, tmp_path / "a.nfg")
    assert read_nfg(tmp_path / "a.nfg") == reduced_normal_form(tree) != tree


def test_what_has_no_reduced_normal_form_is_not_written(tmp_path: Path) -> None:
    for spec, words in (("leduc", "strategies, more than 1,000,000 cells"), ("a_loss_counterexample", "forgets")):
        with pytest.raises(GameError, match=rf"a\.nfg: .*{words}"):
            write_nfg(tremble.load(spec), tmp_path / "a.nfg")
    assert not list(tmp_path.iterdir())


def test_files(tmp_path: Path) -> None:
    tree = one_shot_game(0)
    write_nfg(tree, tmp_path / "a.nfg")
    assert read_nfg(tmp_path / "a.nfg").digest == tree.digest
    with pytest.raises(FormatError, match=r"b\.nfg: no such file"):
        read_nfg(tmp_path / "b.nfg")
    (tmp_path / "c.nfg").write_text('EFG 2 R "t"')
    with pytest.raises(FormatError, match="1:1: expected NFG"):
        read_nfg(tmp_path / "c.nfg")
