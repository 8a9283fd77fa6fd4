"""Tables and trees for LaTeX: escaped, balanced, with every number; no LaTeX is needed to test that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tremble
from command import run
from hand_made import random_game, random_profile
from tremble import TreeBuilder
from tremble.errors import TooLargeError
from tremble.show import draw_bimatrix_latex, draw_tikz
from tremble.show.latex import latex_text

HOSTILE = (
    r"\input{/etc/passwd}",
    "50% & $x_1^2$ #~",
    "}{",
    "a\nb\x1b[31m",
    "\\\\[1em]",
    "[",
    "*",
    "<b>|",
    "\"`'",
    "--",
    "…",
)


def unescaped(text: str) -> str:
    """What is left when escapes and commands are taken out: nothing that LaTeX would act on."""
    text = re.sub(r"\\text(backslash|asciicircum|asciitilde|less|greater|bar)\{\}|\\ldots\{\}", "", text)
    return re.sub(r"\\[{}$&#%_]", "", text)


@pytest.mark.parametrize("text", HOSTILE)
def test_labels_are_escaped(text: str) -> None:
    left = unescaped(latex_text(text)).replace("$-$", "")
    assert not set(left) & set("\\$&#%_^~<>|\n\x1b")
    assert re.sub(r"\{[-\[\]*?!'`]+\}", "", left).count("{") == 0
    assert not latex_text(text).startswith(("[", "*"))


def balanced(text: str) -> None:
    depth = 0
    for sign in re.sub(r"\\[{}]", "", text):
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    environments = re.findall(r"\\(begin|end)\{(\w+)\}", text)
    assert [what for what, _ in environments] == ["begin", "end"]
    assert environments[0][1] == environments[1][1]


def test_a_table() -> None:
    text = draw_bimatrix_latex(tremble.load("beer_quiche"))
    balanced(text)
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert [line.count("&") for line in rows] == [1, 4, 4, 4, 4, 4]
    assert r"beer{-}quiche & $0,\ 1/10$ & $9/5,\ 1$ & $1/5,\ 0$ & $2,\ 9/10$ \\" in rows
    assert "$-1$" in draw_bimatrix_latex(tremble.load("matching_pennies"))
    labels = [*HOSTILE]
    wild = tremble.matrix_game(
        [[1] * len(labels)] * 2, rows=["[x]", "*"], columns=labels, title="a\n% b", players=HOSTILE[:2]
    )
    text = draw_bimatrix_latex(wild)
    balanced(text)
    assert len(text.splitlines()) == 8
    assert all(re.match(r"([^\[*]|$)", line) for line in text.splitlines())
    with pytest.raises(TooLargeError, match="27 by 64"):
        draw_bimatrix_latex(tremble.load("kuhn"))
    with pytest.raises(TooLargeError, match="40 by 40"):
        draw_bimatrix_latex(tremble.matrix_game([[0] * 40] * 40))


@pytest.mark.parametrize("seed", range(12))
def test_trees(seed: int) -> None:
    tree = random_game(seed, 4 if seed % 2 else 9, zero_sum=bool(seed % 3))
    for solution in (None, random_profile(tree, seed)):
        text = draw_tikz(tree, solution)
        balanced(text)
        body = text.splitlines()[
            text.splitlines().index(r"\begin{tikzpicture}[x=0.75pt, y=-0.75pt, font=\footnotesize,") :
        ]
        drawn = [line for line in body if line.startswith("\\")][1:-1]
        assert all(line.endswith(";") for line in drawn)
        if tree.num_nodes <= 300:
            assert text.count(r"\node[leaf") == tree.num_leaves
            assert len(re.findall(r"\\node\[(one|two|chance)", text)) == tree.num_nodes - tree.num_leaves
            assert sum(line.startswith((r"\draw (", r"\draw[l", r"\draw[o")) for line in drawn) == tree.num_nodes - 1


def test_hostile_labels_in_a_tree() -> None:
    builder = TreeBuilder(title="evil \\input{x}\n\\input{y}")
    builder.decision(0, "k", HOSTILE, "label } \\x")
    for k in range(len(HOSTILE)):
        builder.leaf(k, -k)
    text = draw_tikz(builder.finish())
    assert "\\input" not in "\n".join(text.splitlines()[1:])
    assert text.splitlines()[1].startswith(r"\begin{tikzpicture}")
    assert text.count(r"\node[leaf") == len(HOSTILE)


def test_the_commands(tmp_path: Path) -> None:
    tree, matrix, solution = tmp_path / "tree.tex", tmp_path / "matrix.tex", tmp_path / "s.json"
    assert run("solve", "entry_deterrence", "--concept", "sequential", "-o", solution, "-q").exit_code == 0
    for _ in range(2):  # over its own kind
        assert run("draw", "entry_deterrence", solution, "-o", tree).exit_code == 0
        shown = run("convert", "entry_deterrence", matrix)
        assert (shown.exit_code, "2 by 2 strategies" in shown.output) == (0, True)
    stated = tremble.Solution.from_json(solution)
    assert tree.read_text() == draw_tikz(tremble.load("entry_deterrence"), stated)
    assert matrix.read_text() == draw_bimatrix_latex(tremble.load("entry_deterrence"))
    (tmp_path / "paper.tex").write_text("\\documentclass{article}")
    assert run("convert", "entry_deterrence", tmp_path / "paper.tex").exit_code == 3
    assert run("convert", "kuhn", matrix).exit_code == 4
    assert run("convert", "kuhn", tmp_path / "kuhn.nfg", "-q").output.count("\n") == 1
    assert tremble.load(str(tmp_path / "kuhn.nfg")).num_nodes == 1 + 27 + 27 * 64
