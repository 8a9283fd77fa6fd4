"""Cells in a real browser: they follow the theme of the notebook, open exact numbers, and change nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_explorer_in_browser import chromium  # noqa: F401

import tremble
from tremble.text.theme import asset

pytestmark = pytest.mark.browser

TABLE = '<table class="faint strong number"><tr><th>a</th><td class="exact paper">b</td></tr></table>'
AROUND = f'<div id="around">{TABLE}</div>'
STYLES = """[...document.querySelectorAll('#around *')].map(element => {
    const style = getComputedStyle(element);
    return Array.from(style).map(name => name + ':' + style.getPropertyValue(name)).join(';');
})"""


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[k : k + 2], 16)) for k in (1, 3, 5))})"


LIGHT, DARK = (rgb(part.split("background:")[1][:7]) for part in asset("cell.css").split("@media"))


@pytest.mark.parametrize(
    ("attribute", "light", "dark"),
    [
        ("", LIGHT, DARK),
        ('data-jp-theme-light="true"', LIGHT, LIGHT),
        ('data-jp-theme-light="false"', DARK, DARK),
        ('data-vscode-theme-kind="vscode-dark"', DARK, DARK),
        ('data-vscode-theme-kind="vscode-high-contrast-light"', LIGHT, LIGHT),
        ('data-theme="auto"', LIGHT, DARK),
        ('data-theme="light"', LIGHT, LIGHT),
    ],
)
def test_the_notebook_says_whether_it_is_dark(
    chromium: Any,  # noqa: F811
    tmp_path: Path,
    attribute: str,
    light: str,
    dark: str,
) -> None:
    kuhn = tremble.load("kuhn")
    cells = kuhn._repr_html_() + tremble.solve(kuhn)._repr_html_()
    (tmp_path / "bare.html").write_text(f"<!doctype html><body {attribute}>{AROUND}", "utf-8")
    (tmp_path / "full.html").write_text(f"<!doctype html><body {attribute}>{AROUND}{cells}", "utf-8")
    for scheme, wanted in (("light", light), ("dark", dark)):
        page = chromium.new_page(color_scheme=scheme, viewport={"width": 700, "height": 900})
        page.goto((tmp_path / "bare.html").as_uri())
        bare = page.evaluate(STYLES)
        assert "padding-top:" in bare[-1]
        page.goto((tmp_path / "full.html").as_uri())
        assert page.evaluate(STYLES) == bare
        assert page.evaluate("getComputedStyle(document.querySelector('.tremble-cell')).backgroundColor") == wanted
        assert page.evaluate("getComputedStyle(document.querySelector('svg .paper')).fill") == wanted
        assert page.evaluate("document.documentElement.scrollWidth") <= 700
        assert page.locator("td.number", has_text="1/3").first.is_visible()
        assert not page.locator("td.exact", has_text="≈ 0.333333").first.is_visible()
        page.locator(".forms summary").click()
        assert page.locator("td.exact", has_text="≈ 0.333333").first.is_visible()
        assert not page.get_by_text("sha256:").is_visible()
        page.get_by_text("sizes and digest").click()
        assert page.get_by_text("sha256:").is_visible()
        page.close()


OLD_SHEET = "div.cell_output table{color:black} div.cell_output tbody tr:nth-child(odd){background:#f5f5f5}"
"""What the site's other style sheets may say of tables."""


def test_tables_of_pandas_can_be_read_on_the_site(chromium: Any, tmp_path: Path) -> None:  # noqa: F811
    """In the light and in the dark a cell of a data frame stands out, whatever the sheet before ours says."""
    sheet = (Path(__file__).parents[2] / "docs" / "_static" / "notebooks.css").read_text("utf-8")
    frame = '<div class="cell_output"><table class="dataframe"><tbody><tr><th>0</th><td>1/2</td></tr></tbody></table>'
    for ink, paper in (("#cfd0d0", "#131416"), ("#000000", "#ffffff")):
        names = f":root{{--color-foreground-primary:{ink};--color-background-hover:{paper}}}body{{background:{paper}}}"
        file = tmp_path / "frame.html"
        file.write_text(f"<!doctype html><style>{OLD_SHEET}{names}{sheet}</style>{frame}", "utf-8")
        page = chromium.new_page()
        page.goto(file.as_uri())
        for name in ("td", "th"):
            colour = page.evaluate(f"getComputedStyle(document.querySelector('{name}')).color")
            assert colour == rgb(ink)
        for name in ("td", "tr", "table"):
            ground = page.evaluate(f"getComputedStyle(document.querySelector('{name}')).backgroundColor")
            assert ground == "rgba(0, 0, 0, 0)"
        page.close()
