"""The picture of a comparison: it fits into a window of 700 pixels, can be read there, and no part of it is blank."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from test_explorer_in_browser import chromium  # noqa: F401

import tremble
from tremble.show import draw_comparison_html, draw_comparison_svg

CELL = 656  # pixels in a cell of a notebook, in a window of 700


NAMES = ("one player", "both", "many", "mistakes", "names")


@cache
def pictures() -> dict[str, tuple[tremble.GameTree, Any]]:
    """One player alone and both; few differences and many; one chart and two for each player."""
    kuhn, leduc = tremble.load("kuhn"), tremble.load("leduc")
    uniform = {
        tree.title: [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)] for tree in (kuhn, leduc)
    }
    nash, refined = tremble.solve(kuhn), tremble.solve(kuhn, "quasi-perfect")
    return {
        "one player": (kuhn, tremble.compare(kuhn, nash, refined)),
        "both": (kuhn, tremble.compare(kuhn, nash, uniform[kuhn.title])),
        "many": (leduc, tremble.compare(leduc, tremble.solve(leduc), uniform[leduc.title])),
        "mistakes": (leduc, tremble.compare(leduc, tremble.solve(leduc), tremble.solve(leduc, "quasi-perfect"))),
        "names": (
            kuhn,
            tremble.compare(kuhn, nash, refined, names=("a long name of a file " * 3, "another name of a file " * 3)),
        ),
    }


def ink(element: ElementTree.Element, x: float = 0.0, y: float = 0.0) -> Iterator[tuple[float, float, float]]:
    """From where to where, across, something is drawn, and at which height."""
    moved = re.match(r"translate\(([\d.]+) ([\d.]+)\)", element.get("transform", ""))
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    kind = element.tag.rpartition("}")[2]
    if kind == "text" or (kind in ("rect", "circle") and element.get("class") != "paper"):
        left = x + float(element.get("x") or element.get("cx") or 0)
        wide = 5.5 * len("".join(element.itertext())) if kind == "text" else 8.0
        left -= {"end": wide, "middle": wide / 2}.get(element.get("text-anchor", ""), 0.0)
        yield left, left + wide, y + float(element.get("y") or element.get("cy") or 0)
    for place in re.finditer(r"M([\d.]+) (-?[\d.]+)[Hh]([\d.]+)", element.get("d", "")):
        start, end = float(place[1]), float(place[3]) + (float(place[1]) if "h" in place[0] else 0.0)
        yield x + start, x + end, y + float(place[2])
    for child in element:
        yield from ink(child, x, y)


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_and_can_be_read(name: str) -> None:
    root = ElementTree.fromstring(draw_comparison_svg(*pictures()[name]))
    width = float(root.get("width", 0))
    assert width <= CELL
    sheet = "".join(element.text or "" for element in root.iter() if element.tag.endswith("style"))
    sizes = [float(size) for size in re.findall(r"font-size:([\d.]+)px", sheet)]
    sizes += [float(element.get("font-size", 12)) for element in root.iter()]
    assert min(sizes) >= 11
    for left, right, _ in ink(root):
        assert left >= 0
        assert right <= width, name


@pytest.mark.parametrize("name", NAMES)
def test_no_part_is_blank(name: str) -> None:
    """In each half of the picture, no stretch of 160 pixels or more is without a line or a text."""
    root = ElementTree.fromstring(draw_comparison_svg(*pictures()[name]))
    middle, height = float(root.get("width", 0)) / 2, float(root.get("height", 0))
    drawn = list(ink(root))
    for half in ([y for left, _, y in drawn if left < middle], [y for _, right, y in drawn if right > middle]):
        heights = sorted([0.0, *half, height])
        assert max(b - a for a, b in pairwise(heights)) < 160, name
    assert height - max(y for *_, y in drawn) < 50


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_read_in_a_window_of_700_pixels(chromium: Any, tmp_path: Path, name: str) -> None:  # noqa: F811
    tree, comparison = pictures()[name]
    cell = f"<!doctype html><meta charset='utf-8'><body>{comparison._repr_html_()}"
    for k, html in enumerate((cell, draw_comparison_html(tree, comparison))):
        (tmp_path / f"{k}.html").write_text(html, "utf-8")
        page = chromium.new_page(viewport={"width": 700, "height": 900})
        page.goto((tmp_path / f"{k}.html").as_uri())
        scale, wide, room = page.evaluate("""() => {
            const svg = document.querySelector('svg.compare'), box = svg.getBoundingClientRect();
            return [box.width / svg.viewBox.baseVal.width, box.right, document.documentElement.clientWidth];
        }""")
        sizes = page.evaluate("""[...document.querySelectorAll('svg.compare text, svg.compare tspan')]
            .map(text => parseFloat(getComputedStyle(text).fontSize))""")
        assert min(sizes) * scale >= 11
        assert wide <= room
        overlapping = page.evaluate("""() => {
            const boxes = [...document.querySelectorAll('svg.compare text')].map(text => text.getBoundingClientRect());
            const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 3 ||
                b.bottom <= a.top + 3;
            return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => !apart(a, b))).length;
        }""")
        assert overlapping == 0
        page.close()
