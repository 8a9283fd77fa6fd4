"""Best replies and sets of equilibria: what is drawn is what replies that are tried one by one say."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tremble
from command import run
from tremble import GameError
from tremble.errors import SpecError
from tremble.show import best_replies, equilibrium_set
from tremble.show.replies import _envelope, _replies

pytest.importorskip("matplotlib")

Matrix = list[list[int]]
GRID = [F(k, 12) for k in range(13)]


def matrices(m: int, n: int, count: int, most: int = 2) -> Iterator[tuple[Matrix, Matrix]]:
    """Pairs of matrices with many ties."""
    chance = random.Random(f"{m} {n}")
    for _ in range(count):
        A, B = ([[chance.randint(0, most) for _ in range(n)] for _ in range(m)] for _ in range(2))
        yield A, B


def lines(axes: Any, label: str) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(line.get_xdata(), line.get_ydata()) for line in axes.lines if line.get_label() == label]


def gains(A: Matrix, B: Matrix, p: Sequence[float], q: Sequence[float]) -> float:
    """What both could gain: 0 at an equilibrium."""
    one, two = np.array(A, float) @ q, np.array(p) @ np.array(B, float)
    return float(max(one) - np.dot(p, one) + max(two) - np.dot(two, q))


# -- two by two --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead0", range(-2, 3))
@pytest.mark.parametrize("ahead1", range(-2, 3))
def test_the_curve_is_all_best_replies_and_no_other(ahead0: int, ahead1: int) -> None:
    corners = _replies(F(ahead0), F(ahead1))
    for own in GRID:
        for other in GRID:
            ahead = ahead0 + (ahead1 - ahead0) * other
            best = ahead == 0 or own == (1 if ahead > 0 else 0)
            assert best == (corners is None or any(_on(own, other, *ends) for ends in pairwise(corners)))


def _on(own: F, other: F, start: tuple[F, F], end: tuple[F, F]) -> bool:
    """On a horizontal or vertical segment."""
    return all(min(a, b) <= at <= max(a, b) for at, a, b in zip((own, other), start, end, strict=True))


def test_dots_and_grey_ground_are_equilibria() -> None:
    """And a grid finds no others."""
    for A, B in matrices(2, 2, 12):
        axes = best_replies(tremble.matrix_game(A, B))
        dots = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "o"]
        ground = [line for line in axes.lines if line.get_linewidth() == 10]
        areas = [patch.get_xy() for patch in axes.patches if patch.get_facecolor()[3] > 0]
        for p, q in dots:
            assert gains(A, B, (p, 1 - p), (q, 1 - q)) == pytest.approx(0)
        for own in map(float, GRID):
            for other in map(float, GRID):
                drawn = (own, other) in dots
                for line in ground:
                    x, y = line.get_xdata(), line.get_ydata()
                    drawn |= min(x) <= own <= max(x) and min(y) <= other <= max(y)
                for area in areas:
                    (x0, y0), (x1, y1) = area.min(axis=0), area.max(axis=0)
                    drawn |= x0 <= own <= x1 and y0 <= other <= y1
                if drawn or gains(A, B, (own, 1 - own), (other, 1 - other)) == 0:
                    near = any(abs(own - p) + abs(other - q) < 1e-9 for p, q in dots)
                    assert gains(A, B, (own, 1 - own), (other, 1 - other)) == pytest.approx(0), (A, B)
                    assert drawn or near, (A, B, own, other)


def test_curves_of_chicken() -> None:
    moves = ["dare", "yield"]
    chicken = tremble.matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]], rows=moves, columns=moves)
    axes = best_replies(chicken)
    ((x, y),) = lines(axes, "best replies of player 1")
    assert list(zip(x, y, strict=True)) == [(1, 0), (1, 1 / 3), (0, 1 / 3), (0, 1)]
    ((x, y),) = lines(axes, "best replies of player 2")
    assert list(zip(x, y, strict=True)) == [(0, 1), (1 / 3, 1), (1 / 3, 0), (1, 0)]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "1", "1/3"]
    assert axes.get_ylabel() == "probability that player 2 plays dare"


# -- two by n ----------------------------------------------------------------------------------------


def test_the_envelope_is_the_highest_of_all_lines() -> None:
    chance = random.Random(1)
    for _ in range(60):
        heights = [(F(chance.randint(0, 4)), F(chance.randint(0, 4))) for _ in range(chance.randint(1, 7))]
        pieces = _envelope(heights)
        ends = [at for at, _ in pieces] + [F(1)]
        assert ends[0] == 0
        assert ends == sorted(set(ends))
        for (low, high), (_, best) in zip(pairwise(ends), pieces, strict=True):
            for at in (low, (low + high) / 2, high):
                values = [a + (b - a) * at for a, b in heights]
                assert values[best[0]] == max(values)
            middle = [a + (b - a) * (low + high) / 2 for a, b in heights]
            assert best == [k for k, value in enumerate(middle) if value == max(middle)]


@pytest.mark.parametrize(("m", "n"), [(2, 4), (3, 2), (2, 1)])
def test_two_by_n(m: int, n: int) -> None:
    for A, B in matrices(m, n, 4, most=4):
        game = tremble.matrix_game(A, B)
        axes = best_replies(game)
        mixer = 0 if m == 2 else 1
        found = tremble.all_equilibria(game)
        dots = {(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "o"}
        assert dots == {
            (float(each.strategies[mixer].probability(0, 0)), float(each.values[1 - mixer])) for each in found
        }


def test_an_example_of_the_book() -> None:
    """Von Stengel's game of three by two: its envelope, and equilibria at its kinks."""
    game = tremble.matrix_game([[3, 3], [2, 5], [0, 6]], [[3, 2], [2, 6], [3, 1]])
    axes = best_replies(game)
    ((x, y),) = lines(axes, "best replies of player 1")
    assert list(zip(x, y, strict=True)) == [(0, 6), (1 / 3, 4), (2 / 3, 3), (1, 3)]
    assert [text.get_text() for text in axes.texts[:3]] == ["1: 3, 3", "2: 3, 14/5", "3: 4, 8/3"]
    arrows = [line.get_marker() for line in axes.lines if line.get_marker() in "<>"]
    assert arrows == [">", "<", ">"]  # what player 2 would rather do against its third, second and first row


@pytest.mark.peers
@pytest.mark.parametrize(("m", "n"), [(2, 2), (2, 5), (4, 2)])
def test_dots_are_those_of_nashpy(m: int, n: int) -> None:
    """By its enumeration of vertices, of games without ties."""
    nashpy = pytest.importorskip("nashpy")
    chance = random.Random(m + n)
    for _ in range(8):
        A, B = ([chance.sample(range(1000), n) for _ in range(m)] for _ in range(2))
        axes = best_replies(tremble.matrix_game(A, B))
        dots = sorted(line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o")
        found = list(nashpy.Game(np.array(A), np.array(B)).vertex_enumeration())
        assert dots == pytest.approx(sorted({float(pair[0 if m == 2 else 1][0]) for pair in found}))


# -- sets of equilibria ------------------------------------------------------------------------------


def test_projections() -> None:
    """The component of battles in which player 2 does not care: a segment of one player with a point of the other."""
    left, right = equilibrium_set(tremble.matrix_game([[1, 0], [1, 0]], [[2, 1], [0, 0]]))
    assert left.get_legend_handles_labels()[1] == [
        "A, component 1: equilibria 1, 2 and all between",
        "B, component 1: equilibria 2, 3 and all between",
    ]
    thick = [[line.get_xdata().tolist() for line in axes.lines if line.get_linewidth() == 9] for axes in (left, right)]
    assert [list(map(sorted, each)) for each in thick] == [[[0, 1]], [[0, 1]]]


def test_triangles() -> None:
    rock = tremble.matrix_game([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], rows=["rock", "paper", "scissors"])
    left, _ = equilibrium_set(rock)
    dots = [line for line in left.lines if line.get_marker() == "o" and line.get_markersize() == 6]
    ((x, y),) = [(line.get_xdata()[0], line.get_ydata()[0]) for line in dots]
    assert (x, y) == pytest.approx((0.5, sqrt(3) / 6))
    assert {"plays rock", "plays paper", "1 (1/3, 1/3, 1/3)"} <= {text.get_text() for text in left.texts}
    everything, _ = equilibrium_set(tremble.matrix_game([[0] * 3] * 3))
    (patch,) = everything.patches
    assert np.ptp(patch.get_xy(), axis=0) == pytest.approx((1, sqrt(3) / 2))


def test_trees() -> None:
    left, right = equilibrium_set(tremble.load("entry_deterrence"))
    assert (left.get_title(), right.get_title()) == ("Entrant", "Incumbent")
    assert best_replies(tremble.load("entry_deterrence")).get_xlabel() == "probability that Entrant plays out"


# -- both --------------------------------------------------------------------------------------------


def test_what_is_too_large() -> None:
    three = tremble.matrix_game([[0] * 3] * 3)
    with pytest.raises(GameError, match="the players have 3 and 3 strategies"):
        best_replies(three)
    with pytest.raises(GameError, match="the players have 4 and 4 strategies"):
        equilibrium_set(tremble.load("beer_quiche"))
    with pytest.raises(GameError, match="104,653,580,078,125"):
        best_replies(tremble.load("leduc"))


def test_axes_of_ones_own() -> None:
    from matplotlib.figure import Figure

    pair: Any = Figure().subplots(1, 2)
    pennies = tremble.load("matching_pennies")
    assert best_replies(pennies, ax=pair[0]) is pair[0]
    assert equilibrium_set(pennies, ax=pair)[1] is pair[1]
    for wrong in (pair[0], 3, [1, 2], pair[:1]):
        with pytest.raises(SpecError, match="2 axes"):
            equilibrium_set(pennies, ax=wrong)
    with pytest.raises(SpecError, match="exclude each other"):
        best_replies(pennies, "a.svg", ax=pair[0])
    with pytest.raises(SpecError, match="path of a file, not 5"):
        best_replies(pennies, 5)  # type: ignore[arg-type]


def test_labels_are_no_mathematics(tmp_path: Path) -> None:
    rows = [r"$\frac$", "_hidden<script>"]
    columns = ["א" * 10_000, "𓀀"]  # whose letters the font has not
    game = tremble.matrix_game([[2, 0], [0, 1]], rows=rows, columns=columns, players=("$", "$$"))
    best_replies(game, tmp_path / "a.svg")
    equilibrium_set(game, tmp_path / "b.pdf")
    best_replies(tremble.matrix_game([[1, 2, 3], [3, 2, 1]], rows=rows, columns=["$x_", "_", ""]), tmp_path / "c.png")
    found = tremble.sweep(lambda x: game, [0, 1])
    tremble.show.sweep_plot(found, tmp_path / "d.svg", infoset=0, player=0)
    assert "<script" not in (tmp_path / "a.svg").read_text("utf-8")
    best_replies(game, tmp_path / "again.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()


def test_formulas_that_are_none(tmp_path: Path) -> None:
    """Titles may be formulas; one that cannot be read is an error that quotes it, and leaves no file."""
    game = tremble.matrix_game([[2, 0], [0, 1]])
    best_replies(game, tmp_path / "a.svg", title=r"$\frac{1}{2}$")
    with pytest.raises(tremble.TrembleError, match=r"cannot read a formula in the picture: .*frac"):
        best_replies(game, tmp_path / "b.svg", title=r"$\frac$")
    assert not (tmp_path / "b.svg").exists()


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "entry.svg"
    drawn = run("plot", "entry_deterrence", "--best-replies", "-o", file, "--format", "json")
    assert drawn.exit_code == 0
    assert "Entry deterrence" in drawn.stdout
    assert file.read_text("utf-8").startswith("<?xml")
    assert run("plot", "entry_deterrence", "--equilibria", "-o", tmp_path / "a.PNG").exit_code == 0
    assert run("plot", "kuhn", "--equilibria", "-o", file).exit_code == 4
    assert run("plot", "a", "b", "--equilibria", "-o", file).exit_code == 2
    assert run("plot", "entry_deterrence", "--equilibria", "--name", "a", "-o", file).exit_code == 2
    assert run("plot", "kuhn", "--equilibria", "--best-replies", "-o", file).exit_code == 2
