"""Colors, fonts and styles of all terminal output, pictures and pages.

A *scheme* is light or dark. Players and lines have the colors of Okabe and Ito, which color-blind readers can
distinguish. Shapes, dashes and hatches show the same differences without color. Pictures and pages follow the light or
dark setting of the reader's system.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, Literal

__all__ = [
    "COLOURS",
    "DARK",
    "DASHES",
    "FAINT",
    "GREY",
    "HEADING",
    "INK",
    "LESS",
    "MORE",
    "NOTE",
    "OFF_PATH",
    "OK",
    "ON_ACTION",
    "PARAMETER",
    "PASSIVE",
    "PLOT",
    "PLOT_LINE",
    "SHAPES",
    "STYLE",
    "WARNING",
    "WRONG",
    "Scheme",
    "asset",
    "in_theme",
    "plot_in_the_dark",
    "plot_sheet",
    "ramp",
    "style",
]

_PALETTE = {
    "paper": ("#ffffff", "#16191d"),  # background
    "ink": ("#1f2933", "#e4e7eb"),  # text
    "faint": ("#5b6770", "#9aa5b1"),  # less important text
    "one_text": ("#0060a0", "#5cb3ec"),  # player 1 in text
    "two_text": ("#b84a00", "#ff9a52"),  # player 2 in text
    "one": ("#0072b2", "#3d9fe0"),  # player 1 in shapes
    "two": ("#c05400", "#ff8433"),  # player 2 in shapes
    "chance": ("#7b8794", "#7b8794"),  # chance, and reference lines
    "branch": ("#3e4c59", "#b8c2cc"),  # branches and leaves of a tree
    "wrong": ("#b3123a", "#ff7b90"),  # mistakes, and their cost
    "line": ("#d9dee3", "#323a43"),  # lines between the rows of a page
    "hit": ("#fff3c4", "#3d3520"),  # background of the row under the pointer
    "grid": ("#e1e5ea", "#2a3139"),  # lines in the background of a chart
    "axis": ("#9aa5b1", "#6b7783"),  # lines of a chart: at zero, and between two marks
    "first": ("#00805e", "#35c99b"),  # the first of two profiles
    "loss": ("#b3261e", "#ff8a80"),  # losses
    "good": ("#0b6e3c", "#4fc98a"),  # proven, better
    "open": ("#8a5a00", "#e3b45a"),  # undecided, or only bounds are proven
    "second": ("#a3407f", "#e58fc6"),  # the second of two profiles
}
"""Name of a use -> color in the light scheme and color in the dark scheme."""

_FONTS = {
    "picture_font": 'Helvetica,Arial,"Liberation Sans","DejaVu Sans",sans-serif',
    "page_font": 'Helvetica,Arial,"Liberation Sans",sans-serif',
}
_LIGHT, _DARK = ({name: pair[i] for name, pair in _PALETTE.items()} for i in (0, 1))
_WORDS = {**_LIGHT, **{f"dark_{name}": dark for name, dark in _DARK.items()}, **_FONTS}


@cache
def asset(name: str) -> str:
    """Return the text of a script or style sheet. In a style sheet, replace each ``$name`` by a color or font."""
    text = _read(name)
    return Template(text).substitute(_WORDS) if name.endswith(".css") else text


def _read(name: str) -> str:
    """Read a file of ``text/assets`` or ``show/assets``. Only pictures and pages need the files of ``show/assets``."""
    places = (files("tremble").joinpath(part, "assets", name) for part in ("text", "show"))
    return next(place for place in places if place.is_file()).read_text(encoding="utf-8")


Scheme = Literal["light", "dark"]


@cache
def style(kind: str) -> str:
    """Return the style sheet for one kind of picture: the rules of ``{kind}.css``, and colors for light and dark."""
    colours = _read(f"{kind}_colours.css")
    light, dark = (Template(colours).substitute(words) for words in (_LIGHT, _DARK))
    return f"{asset(f'{kind}.css')}{light}@media (prefers-color-scheme:dark){{\n{dark}}}\n"


STYLE = re.compile(r"<style>\n?(.*?)</style>\n?", re.DOTALL)
DARK = re.compile(r"@media \(prefers-color-scheme: ?dark\) ?\{((?:[^{}]+\{[^{}]*\})*)\s*\}")
"""Pattern of the rules for the dark scheme. In a style sheet, they follow the rules that they override."""


def in_theme(document: str, scheme: Scheme | None) -> str:
    """Return a picture or page with only the colors of ``scheme``. Without ``scheme``, change nothing."""
    if scheme is None:
        return document

    def chosen(found: re.Match[str]) -> str:
        return DARK.sub(r"\1" if scheme == "dark" else "", found[0]).replace("light dark", scheme)

    return STYLE.sub(chosen, document)


# -- pictures and pages ----------------------------------------------------------------------------

PASSIVE = {"fold": "#cbd2d9", "pass": "#cbd2d9", "check": "#b5dcf3", "call": "#5aa9dc"}
"""Action without a bet, such as fold or call -> its color in both schemes. Dark text is readable on this color."""

ON_ACTION = "#1f2933"
"""Color of text on the color of an action, in both schemes."""

_RAMP = ("#f7d070", "#f0a04b", "#e8805f", "#dd8fb3", "#b799d3")


def ramp(position: float) -> str:
    """Return the color at ``position`` on a scale from yellow (0) to violet (1). Larger bets get higher positions."""
    at = position * (len(_RAMP) - 1)
    low = min(int(at), len(_RAMP) - 2)
    ends = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in _RAMP[low : low + 2]]
    return "#" + "".join(f"{round(a + (b - a) * (at - low)):02x}" for a, b in zip(*ends, strict=True))


# -- the terminal ----------------------------------------------------------------------------------

HEADING = "bold"
FAINT = "dim"
OFF_PATH = "dim italic"
PARAMETER = "cyan"
OK, WARNING, WRONG = "bold green", "bold yellow", "bold red"
MORE, LESS = "green", "red"
NOTE = "yellow"


# -- plots, by matplotlib --------------------------------------------------------------------------

INK, GREY, PLOT_LINE = _WORDS["ink"], _WORDS["faint"], "#d3d9df"
COLOURS = ("#0072b2", "#d55e00", "#00926a", "#b65c90", "#000000", "#b07600", "#2a90cc", "#7b8794")
DASHES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), "-", (0, (4, 2)), (0, (1, 1)), (0, (8, 2, 1, 2, 1, 2)))
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "*")

PLOT: Any = {
    "font.family": "DejaVu Sans",  # matplotlib contains this font, so plots are equal on every computer
    "font.size": 9,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": PLOT_LINE,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "tremble",
    "svg.fonttype": "path",
}

_IN_THE_DARK = {
    **{_PALETTE[name][0]: _PALETTE[name][1] for name in ("paper", "ink", "faint")},
    PLOT_LINE: _PALETTE["grid"][1],
    **dict(
        zip(
            COLOURS,
            ("#3d9fe0", "#ff8433", "#35c99b", "#e58fc6", "#ffffff", "#e6a520", "#7cc4f2", "#9aa5b1"),
            strict=True,
        )
    ),
}
"""Color of a plot on a light background -> its color on a dark background."""


def plot_in_the_dark(colour: str) -> str:
    """Return the color that replaces ``colour`` (``#rrggbb``) on a dark background, or ``colour`` if none does."""
    return _IN_THE_DARK.get(colour, colour)


def plot_sheet() -> str:
    """Return a style sheet for SVG plots. It replaces all colors if the reader's system has a dark color scheme."""
    kinds = [(kind, light, dark) for light, dark in _IN_THE_DARK.items() for kind in ("fill", "stroke")]
    rules = "".join(f'[style*="{kind}: {light}"]{{{kind}:{dark}!important}}' for kind, light, dark in kinds)
    return f"@media (prefers-color-scheme:dark){{{rules}}}"
