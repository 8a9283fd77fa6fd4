"""Ordered games at the edges: many outcomes, nothing to win, hands that never meet, numbers that are none."""

from __future__ import annotations

import json
import zipfile
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import tremble
from command import run
from tremble.game.rules import UnbuiltGame
from tremble.poker import GO_ON, OVER, Move, OrderedGame, Round, StageTree
from tremble.poker.abstraction.lossless import is_equitable
from tremble.poker.ordered_arrays import unpacked
from tremble.poker.strategy import OrderedStrategy
from tremble.show.playable import Line, PlayableOrdered

METHODS = ("auto", "lp", "dcfr", "cfr+", "interior-point")


class ManyOutcomes(OrderedGame):
    """392 outcomes, more than a byte can tell apart: the next number after the public one is a strength of its own."""

    compares = False
    title = "many outcomes"
    signals = tuple(f"c{v:02}" for v in range(42))

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        stage = StageTree.grow(lambda line: OVER if line else Move(0, ("buy", "pass")))
        return (Round(stage, public=1, private=1),)

    def strength(self, public, private) -> int:
        after = (private[0] - public[0]) % 42
        return 7 + public[0] if after == 1 else (after - 2) % 7

    def utility(self, lines, ranks):
        if lines[0] == ("pass",):
            return (0, 0)
        earned = 40 * ranks[0] - min(ranks[1], 7) - 1200
        return (earned, -earned)


class Talk(OrderedGame):
    """The last round pays nothing, whatever is said."""

    title = "talk"
    signals = ("a", "b", "c", "d")

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        one = StageTree.grow(
            lambda line: Move(0, ("stop", "go")) if not line else (OVER if line[0] == "stop" else GO_ON)
        )
        two = StageTree.grow(lambda line: Move(len(line), ("x", "y")) if len(line) < 2 else GO_ON)
        return Round(one, private=1), Round(two, public=1)

    def strength(self, public, private) -> int:
        return private[0]

    def utility(self, lines, ranks):
        if len(lines) == 2:
            return (0, 0)
        return (ranks[0] - ranks[1], ranks[1] - ranks[0])


class NoTies(OrderedGame):
    """Ten to share; ties would share nothing, but no two hands are alike."""

    title = "no ties"
    signals = ("a", "b", "c", "d")

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        stage = StageTree.grow(lambda line: Move(len(line), ("x", "y")) if len(line) < 2 else OVER)
        return (Round(stage, private=1),)

    def strength(self, public, private) -> int:
        return private[0]

    def utility(self, lines, ranks):
        return (10, 0) if lines[0][1] == "y" else (10 * ranks[0], 10 * ranks[1])


def test_more_outcomes_than_a_byte_has() -> None:
    game = ManyOutcomes()
    value = tremble.solve(tremble.build(game)).value
    abstraction = tremble.shrink(game)
    assert is_equitable(game, abstraction.filter)
    assert tremble.solve(abstraction.apply()).value == value == Fraction(1293, 328)
    assert tremble.solve(game, method="lp").bounds == (value, value)


@pytest.mark.parametrize(
    ("spec", "nonzeros"), [("auction", 159), ("auction:copies=2,top=1,values=3", 8), ("leduc", 966), ("kuhn", 30)]
)
def test_nonzeros_are_those_of_the_shrunk_tree(spec: str, nonzeros: int) -> None:
    abstraction = tremble.shrink(tremble.load_rules(spec))
    form = tremble.strategies.SequenceForm.of(abstraction.apply())
    assert abstraction.filtered.payoff_nonzeros == nonzeros == np.count_nonzero(form.zero_sum().side(0).payoff)


@pytest.mark.parametrize("method", METHODS)
def test_rounds_that_pay_nothing(method: str) -> None:
    game = Talk()
    solution = tremble.solve(game, method=method)
    value = tremble.solve(tremble.build(game)).value
    assert solution.bounds is not None
    assert solution.bounds[0] <= value <= solution.bounds[1]
    uniform = OrderedStrategy.uniform(game, 0), OrderedStrategy.uniform(game, 1)
    playable = PlayableOrdered(UnbuiltGame.of(game), uniform)
    line = Line((game.root(),))
    while game.player(line.here) < 0:
        line = line.then(0, game.child(line.here, 0))
    assert playable.losses(line) is not None


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_win(method: str) -> None:
    solution = tremble.solve(tremble.load_rules("auction:top=1,values=1"), method=method)
    assert (solution.value, str(solution.status)) == (0, "certified")


@pytest.mark.parametrize("method", METHODS)
def test_ties_that_never_come(method: str) -> None:
    game = NoTies()
    solution = tremble.solve(game, method=method)
    tree = tremble.build(game)
    assert solution.bounds is not None
    assert solution.bounds[0] <= tremble.solve(tree).value <= solution.bounds[1]
    assert tree.constant_sum == 10


@pytest.mark.parametrize("kind", ["fractions", "floats", "unsigned"])
def test_weights_that_are_no_integers_prove_nothing(kind: str) -> None:
    """As halves over the denominator 1 they would once have been taken for zeros."""
    game = tremble.load_rules("jk_four_cards")

    def half(player: int) -> OrderedStrategy:
        uniform = OrderedStrategy.uniform(game.rules, player)
        weights = {
            "fractions": lambda w: w.astype(object) * Fraction(1, uniform.denominator),
            "floats": lambda w: w / uniform.denominator,
            "unsigned": lambda w: w.astype(np.uint64),
        }[kind]
        return OrderedStrategy(player, uniform.class_of, tuple(map(weights, uniform.weight)), 1)

    profile = half(0), half(1)
    with pytest.raises(tremble.CertificateError, match="integers"):
        tremble.certify(game, profile)


def test_limbs_of_nothing_are_refused(tmp_path: Path) -> None:
    game = tremble.load_rules("jk_four_cards")
    file = tmp_path / "jk.json"
    tremble.solve(game).to_json(file)
    (archive,) = tmp_path.glob("*.npz")
    forged = tmp_path / "forged.npz"
    with zipfile.ZipFile(archive) as before, zipfile.ZipFile(forged, "w") as after:
        for entry in before.infolist():
            data = before.read(entry)
            if entry.filename == "weight_1_1.npy":
                header = b"{'descr': '<u8', 'fortran_order': False, 'shape': (1, 0, 1, 999999999999), }"
                header += b" " * (-(len(header) + 11) % 64) + b"\n"
                data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
            after.writestr(entry.filename, data)
    with pytest.raises(tremble.FormatError, match="unexpected shape"):
        unpacked(forged.read_bytes(), (1, 1), file="forged.npz")


def test_play_with_a_denominator_of_64_bits(tmp_path: Path) -> None:
    game = tremble.load_rules("jk_four_cards")
    solution = tremble.solve(game)
    strategies = tuple(
        OrderedStrategy(
            s.player, s.class_of, tuple(w.astype(object) * (2**63 // s.denominator) for w in s.weight), 2**63
        )
        for s in (OrderedStrategy.uniform(game.rules, player) for player in (0, 1))
    )
    playable = PlayableOrdered(game, strategies)
    line = Line((game.rules.root(),))
    while game.rules.player(line.here) < 0:
        line = line.then(0, game.rules.child(line.here, 0))
    assert sum(playable.probabilities(line)) == 1
    file = tmp_path / "jk.json"
    solution.to_json(file)
    assert run("verify", "jk_four_cards", file).exit_code == 0


def test_arrays_that_a_copy_names_stay(tmp_path: Path) -> None:
    game = tremble.load_rules("jk_four_cards")
    file, copy = tmp_path / "a.json", tmp_path / "copy.json"
    exact = tremble.solve(game)
    exact.to_json(file)
    copy.write_bytes(file.read_bytes())
    near = tremble.solve(game, method="dcfr", gap=0.1)
    near.to_json(file)
    assert tremble.verify(game, tremble.Solution.from_json(copy)).ok
    assert len(list(tmp_path.glob("*.npz"))) == 2
    copy.unlink()
    exact.to_json(file)
    assert len(list(tmp_path.glob("*.npz"))) == 1


def test_json_of_an_ordered_game(tmp_path: Path) -> None:
    file = tmp_path / "jk.json"
    asked = ["solve", "jk_four_cards", "--format", "json"]
    alone = run(*asked)
    assert (alone.exit_code, json.loads(alone.stdout)["strategies"]) == (0, None)
    assert "use -o FILE" in alone.stderr
    beside = run(*asked, "-o", file)
    assert (beside.exit_code, beside.stdout) == (0, file.read_text())


@pytest.mark.parametrize(
    "asked",
    [
        ("shrink", "rhode_island:ranks=2", "--mode", "threshold", "--threshold=1e400"),
        ("solve", "jk_four_cards", "--method", "dcfr", "--gap", "1e400"),
        ("shrink", "jk_four_cards", "--mode", "published", "--loss=1e400"),
    ],
)
def test_numbers_beyond_floats(asked: tuple[str, ...]) -> None:
    done = run(*asked)
    assert done.exit_code == 0, done.stderr


def test_sizes_are_shown_where_time_is_too_short_to_solve() -> None:
    done = run("shrink", "leduc", "--loss", "0", "--time-limit", "0.001")
    assert done.exit_code == 5
    assert "so the loss is unknown" in done.stderr
    assert "337" in done.stdout


def test_boards_too_large_for_interior_points() -> None:
    with pytest.raises(tremble.TooLargeError, match="use the method dcfr"):
        tremble.solve(tremble.load_rules("holdem_river"), method="interior-point", gap=1)
