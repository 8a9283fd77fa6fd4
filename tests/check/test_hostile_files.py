"""Files of strangers: what reading and checking them may cost, and what is no file at all."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import tremble
import tremble.judge.audit as auditing
from long_numbers import Unhashable, lengthened, seconds
from ordered_games import KuhnCards
from tremble import BehaviorStrategy, TreeBuilder
from tremble.check import judging, limits, lists
from tremble.check.limits import Limits, common_denominator
from tremble.check.tree import sequence_form
from tremble.errors import FormatError, LimitReached
from tremble.large.check_nature import key_of
from tremble.poker.ordered_arrays import packed, unpacked
from tremble.poker.strategy import OrderedStrategy
from tremble.run.clock import fits, nearly_full
from tremble.run.regular_file import read_bytes
from tremble.solvers import refine

OrderedPair = tuple[OrderedStrategy, OrderedStrategy]


def lines(work: Callable[[], object]) -> int:
    """How many lines of Python are run."""
    count, before = 0, sys.gettrace()

    def step(_frame: object, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return step

    sys.settrace(step)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


# -- long numbers --------------------------------------------------------------------------------


def test_arrays_with_long_weights_are_read_in_proportion_to_their_size() -> None:
    pair = lengthened(KuhnCards(), 2_000_000)
    data, denominators = packed(pair), (pair[0].denominator, pair[1].denominator)
    back = unpacked(data, denominators, file="x")
    for strategy, read in zip(pair, back, strict=True):
        assert all((w == r).all() for w, r in zip(strategy.weight, read.weight, strict=True))
    assert lines(lambda: unpacked(data, denominators, file="x")) < 4_000  # one shift per limb: 31,250 per number
    assert lines(lambda: packed(pair)) < 4_000


# -- archives that unfold ------------------------------------------------------------------------


RULES = "rhode_island:ranks=2,raises=1,suits=2"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("run") / "run.checkpoint"
    tremble.solve(tremble.load_rules(RULES), method="dcfr", gap=5, checkpoint=file)
    return file.read_bytes()


def entries(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def archive_of(members: dict[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def array_header(shape: str, descr: str = "<f8") -> bytes:
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


BOMBS = {
    "compressed": lambda members: archive_of(
        {**members, "regret 1 1.npy": array_header("(4000000,)") + bytes(32_000_000)}, zipfile.ZIP_DEFLATED
    ),
    "all compressed": lambda members: archive_of(members, zipfile.ZIP_DEFLATED),
    "a shape without bytes": lambda members: archive_of({
        **members, "regret 1 1.npy": array_header("(1000000000000,)")
    }),
    "a long header": lambda members: archive_of({
        **members, "header.npy": array_header("(4000000,)", "|u1") + b" " * 4_000_000
    }),
    "objects": lambda members: archive_of({**members, "regret 1 1.npy": array_header("(4,)", "|O") + bytes(32)}),
    "too few bytes": lambda members: archive_of({
        name: data[:-8] if name == "regret 1 1.npy" else data for name, data in members.items()
    }),
    "one array less": lambda members: archive_of({n: data for n, data in members.items() if n != "regret 1 1.npy"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", BOMBS)
def test_checkpoints_that_unfold_are_refused_before_they_do(tmp_path: Path, checkpoint: bytes, kind: str) -> None:
    file = tmp_path / "run.checkpoint"
    file.write_bytes(BOMBS[kind](entries(checkpoint)))
    game = tremble.load_rules(RULES)
    with pytest.MonkeyPatch.context() as patched:
        read = zipfile.ZipExtFile.read
        most: list[int] = [0]

        def counted(self: zipfile.ZipExtFile, size: int | None = -1) -> bytes:
            found = read(self, size)
            most[0] += len(found)
            return found

        patched.setattr(zipfile.ZipExtFile, "read", counted)
        with pytest.raises(FormatError, match="not a checkpoint, or it is damaged"):
            tremble.solve(game, method="dcfr", gap=5, checkpoint=file)
    assert most[0] < 2 * len(checkpoint)


def test_a_checkpoint_as_it_was_written_is_read(tmp_path: Path, checkpoint: bytes) -> None:
    file = tmp_path / "run.checkpoint"
    file.write_bytes(archive_of(entries(checkpoint)))
    assert tremble.solve(tremble.load_rules(RULES), method="dcfr", gap=5, checkpoint=file).bounds is not None


# -- no files ------------------------------------------------------------------------------------


pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")


@pipes
@pytest.mark.parametrize(
    ("game", "options"),
    [
        (RULES, {"method": "dcfr", "gap": 5}),
        ("kuhn", {"method": "double-oracle"}),
        ("kuhn", {"concept": "maxmin", "method": "branch-and-bound"}),
    ],
)
def test_a_pipe_is_no_checkpoint(tmp_path: Path, game: str, options: dict[str, object]) -> None:
    pipe = tmp_path / "run.checkpoint"
    os.mkfifo(pipe)
    loaded = tremble.load(game) if game == "kuhn" else tremble.load_rules(game)
    with pytest.raises(FormatError, match="a device or a pipe"):
        tremble.solve(loaded, checkpoint=pipe, **options)


@pipes
def test_a_pipe_is_no_file_of_arrays(tmp_path: Path) -> None:
    file = tmp_path / "sol.json"
    tremble.solve(tremble.load_rules(RULES), method="dcfr", gap=5).to_json(file)
    arrays = file.with_name(json.loads(file.read_text())["strategies"]["npz"])
    arrays.unlink()
    os.mkfifo(arrays)
    with pytest.raises(FormatError, match="a device or a pipe"):
        tremble.Solution.from_json(file)
    os.mkfifo(tmp_path / "other.json")  # and nobody looks into one for the names of arrays
    arrays.unlink()
    tremble.solve(tremble.load_rules(RULES), method="dcfr", gap=1).to_json(file)


@pipes
def test_what_is_read_as_bytes_is_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FormatError, match="a device or a pipe"):
        read_bytes(tmp_path / "pipe", most=100)
    with pytest.raises(FormatError, match="a device or a pipe"):
        read_bytes(os.devnull, most=100)
    with pytest.raises(FormatError, match="a directory"):
        read_bytes(tmp_path, most=100)
    with pytest.raises(FormatError, match="no such file"):
        read_bytes(tmp_path / "none", most=100)
    (tmp_path / "file").write_bytes(b"abc")
    assert read_bytes(tmp_path / "file", most=3) == b"abc"
    with pytest.raises(FormatError, match="more than"):
        read_bytes(tmp_path / "file", most=2)


@pytest.mark.sample(1)
@pipes
@pytest.mark.parametrize("command", ["audit", "certify", "verify"])
def test_a_time_limit_is_heard_while_a_pipe_says_nothing(tmp_path: Path, command: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    arguments = [sys.executable, "-m", "tremble", command, "kuhn", str(tmp_path / "pipe"), "--time-limit", "0.5"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (5, ""), done.stderr
    assert "time limit" in done.stderr


# -- several solutions in one file -----------------------------------------------------------------


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[Limits]:
    """The limits that files were given."""
    found: list[Limits] = []
    for_game = Limits.for_game

    def counted(*arguments: Any) -> Limits:
        found.append(for_game(*arguments))
        return found[-1]

    monkeypatch.setattr(Limits, "for_game", staticmethod(counted))
    return found


def spent(allowed: Limits) -> float:
    """Steps that were taken."""
    return allowed.allowed[0] - allowed.steps


def test_a_file_of_several_equilibria_has_one_limit(given: list[Limits]) -> None:
    game = tremble.matrix_game([[1, 0], [0, 1]], [[1, 0], [0, 1]])
    found = tremble.all_equilibria(game)
    given.clear()  # those of the search
    assert len(found) == 3
    assert tremble.verify(game, found).ok
    assert len(given) == 1
    assert 0 < spent(given[0]) < given[0].allowed[0] / 1000  # an honest list takes next to nothing


def test_an_honest_list_of_many_equilibria_takes_a_small_part_of_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """63 equilibria in a game of 6 x 6, with a thousandth of what is allowed."""
    same = [[int(i == j) for j in range(6)] for i in range(6)]
    game = tremble.matrix_game(same, same)
    found = tremble.all_equilibria(game)
    assert len(found) == 63
    monkeypatch.setattr(limits, "STEPS", limits.STEPS // 1_000)
    monkeypatch.setattr(limits, "STEPS_PER_NODE", 0)
    assert tremble.verify(game, found).ok


def test_what_members_of_a_list_cost_adds_up(given: list[Limits]) -> None:
    game = tremble.matrix_game([[0, 0], [0, 0]], [[0, 0], [0, 0]])
    long = Fraction(3**3000, 5**3000)
    mixed = [BehaviorStrategy.from_rows(game, player, [[long, 1 - long]]) for player in (0, 1)]
    found = tremble.certify(game, mixed)
    list_of = replace(tremble.all_equilibria(game), **dict.fromkeys(("pairs", "maximal_subsets", "components"), None))
    given.clear()
    for many in (1, 4):
        tremble.verify(game, replace(list_of, solutions=(found,) * many))
    assert len(given) == 2
    assert 3 * spent(given[0]) < spent(given[1])


# -- numbers with one hash ---------------------------------------------------------------------------


def alike(many: int) -> list[int]:
    """Different integers with the same hash."""
    return [1 + sys.hash_info.modulus * (i + 1) for i in range(many)]


def test_numbers_of_files_are_looked_up_by_keys_with_different_hashes() -> None:
    for numbers in (alike(100), [Fraction(1, n) for n in alike(100)], [Fraction(n, 3) for n in alike(100)]):
        assert len(set(map(hash, numbers))) <= 3
        assert len({hash(key_of(n)) for n in numbers}) > 90
    mixed = [0, 1, -1, -2, 16, Fraction(1, 16), Fraction(-1, 3), 2**61 - 1, 2**61 - 2, 2**61, -(2**61), Fraction(4, 2)]
    assert len({key_of(n) for n in mixed}) == len(mixed)
    assert key_of(Fraction(4, 2)) == key_of(2)


def test_denominators_are_compared_and_not_hashed() -> None:
    assert common_denominator((Unhashable(n) for n in (4, 6, 4)), Limits.for_game(1), "here") == 12


def test_trembles_with_one_hash_take_no_square_of_their_number() -> None:
    """Weights of 3,000 actions; one after the other of a table with as many would take seconds."""
    many = 3_000
    game = tremble.matrix_game([[0]] * many)
    read = tremble.results.StatedSolution.from_text(tremble.solve(game, concept="quasi-perfect").to_text())

    def stated(weights: list[int]) -> tremble.results.StatedSolution:
        trembles = [[list(map(str, weights))], [["1"]]]
        return replace(read, certificate={**read.certificate, "trembles": trembles})

    usual, same = stated([n + 7 * i for i, n in enumerate(alike(many))]), stated(alike(many))
    assert seconds(lambda: tremble.verify(game, same)) < 4 * seconds(lambda: tremble.verify(game, usual)) + 0.2


# -- games that are looked at once for each of many solutions -------------------------------------------


def listed(member: dict[str, object], many: int) -> tremble.results.Equilibria:
    parts = {"schema": "tremble/equilibria@1", "tremble": "0", "game": member["game"], "equilibria": [member] * many}
    return tremble.results.Equilibria.from_text(json.dumps(parts))


def test_each_further_solution_of_a_tree_pays_for_the_nodes(given: list[Limits]) -> None:
    game = tremble.load("kuhn")
    member = json.loads(tremble.solve(game).to_text())
    for many in (1, 2, 12):
        tremble.verify(game, listed(member, many))
    one, two, twelve = map(spent, given[-3:])  # the first one was the solver's
    assert two - one >= lists._STEPS_PER_NODE * game.num_nodes
    assert twelve - one >= 11 * lists._STEPS_PER_NODE * game.num_nodes


def test_a_list_that_is_too_long_is_refused_before_the_game_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STEPS", 10**6)
    monkeypatch.setattr(limits, "STEPS_PER_NODE", 10**3)
    looked = [0]
    outcome_of = judging.outcome_of

    def counted(*arguments: Any, **more: Any) -> Any:
        looked[0] += 1
        return outcome_of(*arguments, **more)

    game = tremble.load("kuhn")
    member = json.loads(tremble.solve(game).to_text())
    monkeypatch.setattr(judging, "outcome_of", counted)
    found = tremble.verify(game, listed(member, 100))
    assert not found.ok
    assert "too large to check" in found.problems[0]
    assert 1 <= looked[0] < 20


# -- many degrees ------------------------------------------------------------------------------------


def test_every_degree_of_a_plan_pays_for_the_cells_that_it_meets() -> None:
    """Two tables of 60 x 60 cells; a plan of as many degrees as the file likes."""
    many = 60
    game = tremble.matrix_game([[0] * many] * many)
    form = sequence_form(game, Limits.for_game(game.num_nodes))
    allowed, taken = Limits.for_game(game.num_nodes), []
    for weight in ([1] * (many + 1), [2**600] * (many + 1)):
        before = allowed.steps
        form.payoffs[0].against(weight, many + 1, allowed)
        taken.append(before - allowed.steps)
    assert taken[0] >= 2 * many**2
    assert taken[1] >= taken[0] + 20 * many**2  # each number has 21 digits


# -- deep games --------------------------------------------------------------------------------------


def chain(moves: int) -> tremble.GameTree:
    """Stop, or pass the move on."""
    builder = TreeBuilder()
    for k in range(moves):
        builder.decision(k % 2, f"move {k}", ("stop", "go"))
        builder.leaf(k % 3, -(k % 3))
    builder.leaf(1, -1)
    return builder.finish()


def test_an_audit_of_a_chain_is_complete() -> None:
    tree = chain(2000)
    going = [BehaviorStrategy.from_rows(tree, player, [[0, 1]] * 1000) for player in (0, 1)]
    found = tremble.audit(tree, going)
    assert found.stopped is None
    assert (found.unexamined, found.undecided) == (0, 0)
    assert {blunder.kind for blunder in found.blunders} >= {"regret"}


def test_an_audit_of_hidden_moves_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "_PATIENCE", 0.1)
    tree = tremble.load("leduc:ranks=6")
    uniform = [BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    began = time.process_time()
    found = tremble.audit(tree, uniform)
    assert time.process_time() - began < 20
    assert found.stopped is not None
    assert "seconds of processor time" in str(found.stopped)
    assert found.unexamined
    assert {blunder.kind for blunder in found.blunders} >= {"regret"}  # what is known by then is told
    assert tremble.audit(chain(6), [BehaviorStrategy.uniform(chain(6), player) for player in (0, 1)]).stopped is None


def test_perfect_equilibria_of_deep_games_take_no_table_of_all_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of as many rows as there are moves, each as long as the list of all sequences."""
    monkeypatch.setattr(refine, "_MOST_BYTES", 100)
    game = tremble.load("centipede:length=8")
    assert tremble.solve(game, concept="perfect").verification.proven == "perfect"
    with pytest.raises(LimitReached, match="along one path add up to"):
        tremble.solve(game, concept="quasi-perfect")


def test_tables_that_do_not_fit_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refine, "fits", lambda size: size < 100)
    with pytest.raises(LimitReached, match="would need"):
        tremble.solve(tremble.load("kuhn"), concept="quasi-perfect")


def test_what_fits_into_the_memory() -> None:
    assert fits(0)
    assert not fits(2**60) or not Path("/proc/meminfo").exists()
    assert nearly_full() is not fits(0)
