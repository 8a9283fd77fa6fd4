"""The picture as a value: all forms of profiles, parts of trees, ordered games, files."""

from __future__ import annotations

import pickle
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tremble
from contrasts import contrast
from tremble.cli import main
from tremble.game.tree import GameTree
from tremble.show.draw import TreePicture
from tremble.show.layout import excerpt
from tremble.show.scene import start_of
from tremble.text.theme import _PALETTE, ON_ACTION, PASSIVE, in_theme, ramp, style

SVG = "{http://www.w3.org/2000/svg}"
KUHN = tremble.load("kuhn")
SOLVED = tremble.solve(KUHN, concept="quasi-perfect")


def texts(picture: Any) -> set[str]:
    return {"".join(element.itertext()) for element in ElementTree.fromstring(picture.svg()).iter() if element.text}


def test_a_picture_shows_and_saves_itself(tmp_path: Path) -> None:
    picture = tremble.draw(KUHN, SOLVED)
    for ending, begins in ((".svg", "<svg"), (".html", "<!doctype html>"), (".tex", "% Kuhn")):
        path = tmp_path / f"kuhn{ending}"
        picture.save(path)
        assert path.read_text("utf-8").startswith(begins)
    assert picture == tremble.draw(KUHN, SOLVED)
    assert pickle.loads(pickle.dumps(picture)).svg() == picture.svg()
    with pytest.raises(tremble.TrembleError, match="has no format with this ending"):
        picture.save(tmp_path / "kuhn.doc")


@pytest.mark.extras
def test_on_paper(tmp_path: Path) -> None:
    """PNG twice as large as on a screen, light or dark; equal pictures are equal bytes."""
    pytest.importorskip("typst")
    picture = tremble.draw(tremble.load("entry_deterrence"))
    svg = ElementTree.fromstring(picture.svg())
    for theme, paper in (("light", b"\xff\xff\xff"), ("dark", b"\x16\x19\x1d")):
        picture.save(tmp_path / "a.png", theme=theme)
        data = (tmp_path / "a.png").read_bytes()
        width, height = struct.unpack(">II", data[16:24])
        assert (width, height) == pytest.approx(
            (2 * float(svg.get("width", 0)), 2 * float(svg.get("height", 0))), abs=2
        )
        pixels = zlib.decompress(b"".join(re.findall(rb"IDAT(.*?)....(?=....IDAT|....IEND)", data, re.DOTALL)))
        assert pixels[1:4] == paper
        picture.save(tmp_path / f"{theme}.pdf", theme=theme)
        picture.save(tmp_path / "again.pdf", theme=theme)
        assert (tmp_path / f"{theme}.pdf").read_bytes() == (tmp_path / "again.pdf").read_bytes()
        assert (tmp_path / "again.pdf").read_bytes()[:5] == b"%PDF-"
    with pytest.raises(tremble.TrembleError, match="'light' or 'dark', not 'blue'"):
        picture.save(tmp_path / "a.pdf", theme="blue")  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["entry_deterrence", "kuhn"])  # a page with a picture, and an explorer
def test_pages_and_pictures_of_one_theme(spec: str, tmp_path: Path) -> None:
    tree = tremble.load(spec)
    solution = tremble.solve(tree)
    picture = tremble.draw(tree, solution)
    page = tremble.draw(tree, solution, against=solution) if spec == "kuhn" else picture
    for ending, theme, colour in [(e, t, c) for e in (".svg", ".html") for t, c in (("light", 0), ("dark", 1))]:
        (page if ending == ".html" else picture).save(tmp_path / f"a{ending}", theme=theme)  # type: ignore[arg-type]
        text = (tmp_path / f"a{ending}").read_text("utf-8")
        assert "prefers-color-scheme" not in text
        assert _PALETTE["ink"][colour] in text
        assert (_PALETTE["ink"][1] in text) == bool(colour)
        assert (f"color-scheme:{theme}" in text) == (ending == ".html")
    with pytest.raises(tremble.TrembleError, match=r"a \.tex file has the colors of its document"):
        picture.save(tmp_path / "a.tex", theme="dark")


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(tremble.TrembleError, match=r"\.pdf is written with typst.*pip install 'tremble\[pictures\]'"):
        tremble.draw(KUHN).save(tmp_path / "a.pdf")
    assert not (tmp_path / "a.pdf").exists()


@pytest.mark.parametrize(
    ("root", "nodes", "depth"),
    [(["KQ", "check"], 5, None), ("Q:cb", 11, None), ((0, 3), 11, None), ([0], 9, None), ([], 7, 1), ("K:", 7, 1)],
)
def test_parts_of_a_tree(root: Any, nodes: int, depth: int | None) -> None:
    picture = tremble.draw(KUHN, SOLVED, root, depth)
    assert isinstance(picture, TreePicture)
    part = picture.scene().part
    assert part.num_nodes == nodes
    size = KUHN.num_nodes if part.node[0] == 0 else nodes
    assert sum(part.hidden) == size - nodes
    ElementTree.fromstring(picture.svg())


def test_two_profiles_are_compared_in_every_form(tmp_path: Path) -> None:
    uniform = [tremble.BehaviorStrategy.uniform(KUHN, player) for player in (0, 1)]
    picture = tremble.draw(KUHN, SOLVED, against=uniform)
    compared = tremble.show.draw_comparison_svg(KUHN, tremble.compare(KUHN, SOLVED, uniform))
    assert picture.svg() == compared
    assert "Largest differences in play" in picture._repr_html_()
    picture.save(tmp_path / "both.svg")
    assert (tmp_path / "both.svg").read_text("utf-8") == compared
    picture.save(tmp_path / "both.html")
    assert '"profiles":[{"name":"first"' in (tmp_path / "both.html").read_text("utf-8")
    for text in (str(picture), picture._repr_html_()):
        assert ".svg, .html, .pdf, .png" in text
        assert ".tex" not in text
    assert "against" in repr(picture)
    with pytest.raises(tremble.TrembleError, match=r"has no format with this ending; use .*\.pdf or \.png$"):
        picture.save(tmp_path / "both.tex")
    assert pickle.loads(pickle.dumps(picture)) == picture != tremble.draw(KUHN, SOLVED)


def test_two_profiles_on_paper(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    picture = tremble.draw(KUHN, SOLVED, against=tremble.solve(KUHN))
    for ending, begins in ((".png", b"\x89PNG"), (".pdf", b"%PDF-")):
        picture.save(tmp_path / f"both{ending}")
        tremble.draw(KUHN, SOLVED).save(tmp_path / f"one{ending}")
        both, one = ((tmp_path / f"{name}{ending}").read_bytes() for name in ("both", "one"))
        assert both.startswith(begins)
        assert both != one


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"root": "K:"}, "on the whole tree: omit 'root' and 'depth'"),
        ({"depth": 2}, "on the whole tree: omit 'root' and 'depth'"),
        ({"profile": None}, "also give the first, as 'profile'"),
        ({"profile": tremble.audit(KUHN, SOLVED)}, "pass the audited profile instead of the audit"),
        ({"against": tremble.audit(KUHN, SOLVED)}, "pass the audited profile instead of the audit"),
    ],
)
def test_what_cannot_be_compared_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(tremble.TrembleError, match=said):
        tremble.draw(KUHN, **{"profile": SOLVED, "against": SOLVED, **given})


def test_the_command_compares_as_draw_does(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    SOLVED.to_json(one)
    tremble.solve(KUHN).to_json(two)
    asked = ["draw", "kuhn", str(one), "--against", str(two), "-o"]
    done = CliRunner().invoke(main, [*asked, str(tmp_path / "a.svg")])
    assert done.exit_code == 0, done.output
    assert "Kuhn poker: one and two" in (tmp_path / "a.svg").read_text("utf-8")
    for more in (["a.tex"], ["a.svg", "--depth", "2"], ["a.svg", "--root", "K:"], ["a.svg", "--audit"]):
        done = CliRunner().invoke(main, [*asked, str(tmp_path / more[0]), "--force", *more[1:]])
        assert done.exit_code == 2
        assert "--against compares" in done.output


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "guess_the_ace"])
def test_what_is_left_out_is_counted_everywhere(spec: str) -> None:
    tree = tremble.load(spec)
    for player in (0, 1):
        for k in range(tree.num_infosets[player])[:12]:
            start = start_of(tree, (player, k))
            part = excerpt(tree, 60, start=start, depth=2)
            top = part.node[0]
            below = sum(top in above(tree, node) for node in range(tree.num_nodes))
            assert part.num_nodes + sum(part.hidden) == below
            assert {*start} <= {*part.node}


def above(tree: GameTree, node: int) -> list[int]:
    nodes = [node]
    while nodes[-1]:
        nodes.append(int(tree.parent[nodes[-1]]))
    return nodes


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"root": "zz"}, "no information set is called 'zz'"),
        ({"root": ["KQ", "x"]}, "there is no move 'x'; there are 'check', 'bet'"),
        ({"root": 5}, "is no place"),
        ({"root": (3, 4)}, "no player with index 3"),
        ({"depth": 0}, "must be at least 1, not"),
        ({"board": "Qd"}, "'board' and 'line' are for ordered games"),
    ],
)
def test_places_that_there_are_not(given: dict[str, Any], said: str) -> None:
    with pytest.raises(tremble.TrembleError, match=said):
        tremble.draw(KUHN, SOLVED, **given)


def test_rules_that_are_not_built() -> None:
    with pytest.raises(tremble.TrembleError, match="this game is not built"):
        tremble.draw(tremble.load_rules("phantom_ttt"))
    with pytest.raises(tremble.TrembleError, match="an ordered game that is not built needs a solution"):
        tremble.draw(tremble.load_rules("rhode_island"))


def test_places_on_the_command_line(tmp_path: Path) -> None:
    solution = tmp_path / "kuhn.json"
    SOLVED.to_json(solution)

    def run(*options: object) -> str:
        done = CliRunner().invoke(main, ["draw", "kuhn", str(solution), "-o", f"{tmp_path}/x.svg", *map(str, options)])
        return done.output.replace(f"{tmp_path}/", "")

    assert run("--root", "KQ / check") == "x.svg: 5 of 55 nodes\n"
    assert run("--root", "Q:cb") == run("--root", 4, "--player", 1) == "x.svg: 11 of 55 nodes\n"
    assert "choose one by --player 1 or --player 2" in run("--root", 4)
    assert "no information set is called 'KQ / fold'" in run("--root", "KQ / fold")
    assert "give --root as well" in run("--player", 1)
    assert "for trees" not in run("--audit", "--depth", 2)


# -- what a picture shows of a refinement -----------------------------------------------------------


def marks(picture: Any, kind: str) -> list[str]:
    """The texts of a class in the tree itself."""
    (canvas,) = ElementTree.fromstring(picture.svg()).findall(f"{SVG}g[@class='canvas']")
    return ["".join(e.itertext()) for e in canvas.iter() if kind in (e.get("class") or "").split()]


def test_beliefs_are_those_of_the_solution() -> None:
    tree = tremble.load("beer_quiche")
    solution = tremble.solve(tree, concept="sequential")
    picture = tremble.draw(tree, solution)
    shown = marks(picture, "belief")
    stated = [p for rows in solution.beliefs for row in rows for _, p in row.nodes if len(row.nodes) > 1]
    assert sorted(shown) == sorted(f"[{p}]" for p in stated)
    assert "as the solution states" in picture.svg()
    assert not marks(tremble.draw(tree, solution.strategies), "belief")[2:]  # off the path they say nothing of beliefs
    assert len(marks(picture, "name")) == 6  # labels of sets stay


def widths(picture: Any) -> dict[tuple[bool, str], set[str]]:
    (canvas,) = ElementTree.fromstring(picture.svg()).findall(f"{SVG}g[@class='canvas']")
    found: dict[tuple[bool, str], set[str]] = {}
    for edge in canvas.iter(f"{SVG}path"):
        kind = (edge.get("class") or "").split()
        if "edge" in kind:
            found.setdefault(("off" in kind, edge.get("stroke-width") or ""), set()).add(edge.get("class") or "")
    return found


def test_off_the_path_branches_are_as_wide_as_they_are_likely() -> None:
    tree = tremble.load("guess_the_ace")
    no = tremble.solve(tree, concept="quasi-perfect")
    assert {width for off, width in widths(tremble.draw(tree, no)) if off} == {"1", "4"}


def test_blunders_are_red_and_say_what_they_cost() -> None:
    tree = tremble.load("entry_deterrence")
    threat = [{"entrant": "out"}, {"incumbent": "fight"}]
    audit = tremble.audit(tree, threat)
    picture = tremble.draw(tree, audit)
    assert marks(picture, "cost") == ["loses 2"]
    assert "“fight” loses 2 each time" in picture.svg()
    assert "blunder, and its loss" in picture.svg()
    assert "blunder" not in tremble.draw(tree, threat).svg()
    for scheme, red in zip(("light", "dark"), _PALETTE["wrong"], strict=True):  # off the path, too
        drawn = colours_of(picture.svg(), scheme)
        assert {colour for what, colour, _ in drawn if "'cost'" in what or "'bad'" in what} == {red}
    assert "loses 2" in picture.tikz()  # type: ignore[attr-defined]


def test_wrong_beliefs_are_red() -> None:
    solution = tremble.solve(KUHN, concept="sequential")
    first, *others = solution.beliefs[1]
    even = replace(first, nodes=tuple((path, Fraction(1, 2)) for path, _ in first.nodes))
    audit = tremble.audit(KUHN, replace(solution, beliefs=(solution.beliefs[0], (even, *others))))
    assert audit.wrong_beliefs
    bad = [text for text in marks(tremble.draw(KUHN, audit), "belief") if text]
    assert len(bad) == 24
    assert len(marks(tremble.draw(KUHN, audit), "bad")) == 2


def names(element: ElementTree.Element) -> set[str]:
    """The classes of an element and of all in it."""
    return {name for e in element.iter() for name in (e.get("class") or "").split()}


@pytest.mark.parametrize("profile", [None, "solution", "audit"])
@pytest.mark.parametrize("spec", ["kuhn", "entry_deterrence", "matching_pennies", "beer_quiche"])
def test_the_legend_explains_the_marks_that_there_are(spec: str, profile: str | None) -> None:
    tree = tremble.load(spec)
    given: Any = None
    if profile == "solution":
        given = tremble.solve(tree, concept="sequential")
    elif profile == "audit":
        given = tremble.audit(tree, [tremble.BehaviorStrategy.uniform(tree, i) for i in (0, 1)])
    root = ElementTree.fromstring(tremble.draw(tree, given).svg())
    (canvas,) = root.findall(f"{SVG}g[@class='canvas']")
    drawn, legend = names(canvas), set().union(*(names(child) for child in root if child is not canvas))
    own = {"canvas", "end", "node", "pay", "beside", "paper", "title", "faint", "drawing", "tree", "edge", "set2"}
    assert drawn - own <= legend
    assert legend - own <= drawn | {"p1", "p2", "node1", "number", "set1"}


# -- contrast ----------------------------------------------------------------------------------------


def looks(sheet: str, path: list[set[str]], tag: str) -> dict[str, str]:
    """What a style sheet says of an element, by the classes on the way to it: as browsers read it."""
    found: dict[str, tuple[tuple[int, int], str]] = {}
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", sheet)
    for order, (selectors, body) in enumerate(rules):
        for selector in selectors.split(","):
            parts = [(set(part.split(".")[1:]), part.split(".")[0].strip()) for part in selector.split()]
            if not _matches(parts, path, tag):
                continue
            weight = sum(len(names) for names, _ in parts) * 10 + sum(bool(name) for _, name in parts), order
            for declaration in filter(None, body.split(";")):
                key, _, value = declaration.partition(":")
                found[key] = max(found.get(key, ((-1, -1), "")), (weight, value))
    return {key: value for key, (_, value) in found.items()}


def _matches(parts: list[tuple[set[str], str]], path: list[set[str]], tag: str) -> bool:
    (names, element), *_ = parts[::-1]
    if not names <= path[-1] or element not in ("", tag):
        return False
    above = path[:-1]
    for names, _ in parts[-2::-1]:
        while above and not names <= above[-1]:
            above = above[:-1]
        if not above:
            return False
        above = above[:-1]
    return True


def colours_of(picture: str, scheme: Any) -> Iterator[tuple[str, str, str]]:
    """The class and colour of what is drawn, and the colour behind it: of a number that of its node, else the paper."""
    sheet = in_theme(f"<style>{style('tree')}</style>", scheme)
    root = ElementTree.fromstring(picture)
    paper = looks(sheet, [set((root.get("class") or "").split()), {"paper"}], "rect")["fill"]
    stack: list[tuple[ElementTree.Element, list[set[str]], str, str]] = [(root, [], "", paper)]
    while stack:
        element, path, fill, behind = stack.pop()
        tag = element.tag.removeprefix(SVG)
        path = [*path, set((element.get("class") or "").split())]
        own = looks(sheet, path, tag)
        if tag in ("text", "tspan"):
            fill = own.get("fill", fill)
            if (element.text or "").strip():
                yield f"text {path[-1]}", fill, behind if "number" in path[-1] else paper
        elif "stroke" in own:
            yield f"shape {path[-1]}", own["stroke"], paper
        for child in element:
            kinds = set((child.get("class") or "").split())
            if kinds & {"node1", "node2"}:
                behind = looks(sheet, [*path, kinds], child.tag.removeprefix(SVG))["fill"]
            stack.append((child, path, fill, behind))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(scheme: str) -> None:
    """Of every text 4.5 against what is behind it, of every shape and line 3."""
    beer = tremble.load("beer_quiche")
    uniform = [tremble.BehaviorStrategy.uniform(KUHN, i) for i in (0, 1)]
    pictures = [
        tremble.draw(beer),
        tremble.draw(beer, tremble.solve(beer, concept="sequential")),
        tremble.draw(KUHN, tremble.audit(KUHN, uniform), "Q:cb"),
        tremble.draw(KUHN, tremble.audit(KUHN, "NE,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0")),
    ]
    seen = set()
    for picture in pictures:
        for what, colour, behind in colours_of(picture.svg(), scheme):
            seen.add(what.split()[0])
            assert contrast(colour, behind) >= (4.5 if what.startswith("text") else 3), (what, colour, behind)
    assert seen == {"text", "shape"}


@pytest.mark.parametrize("i", [0, 1])
def test_contrast_of_the_theme(i: int) -> None:
    """Also of what other pictures and pages use; what hands do is written in dark on each colour of an action."""
    colour = {name: pair[i] for name, pair in _PALETTE.items()}
    for name in ("ink", "faint", "one_text", "two_text", "wrong"):
        assert contrast(colour[name], colour["paper"]) >= 4.5, name
    assert contrast(colour["ink"], colour["hit"]) >= 4.5
    for name in ("one", "two", "chance", "branch", "first", "second"):
        assert contrast(colour[name], colour["paper"]) >= 3, name
    for fill in (*PASSIVE.values(), *(ramp(k / 40) for k in range(41))):
        assert contrast(ON_ACTION, fill) >= 4.5, fill
        mixed = [round(0.3 * int(fill[k : k + 2], 16) + 0.7 * int(colour["paper"][k : k + 2], 16)) for k in (1, 3, 5)]
        assert contrast(colour["ink"], "#" + "".join(f"{c:02x}" for c in mixed)) >= 4.5, fill
