"""Make the text of pictures (SVG) and pages (HTML): elements, clipped texts, and whole documents.

A page is one self-contained file. It needs no network access and no libraries. Its colors follow the light or dark
setting of the reader's system.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable

from tremble.text.theme import asset, style
from tremble.words import printable_lines

__all__ = ["clip", "element", "escape", "label", "moved", "no_formula", "page", "picture", "px", "text_width", "titled"]


def px(value: float) -> str:
    """Return a coordinate in pixels as text, rounded to a tenth."""
    return f"{value:.1f}".removesuffix(".0")


def text_width(text: str, size: float = 12) -> float:
    """Estimate the width of a text in pixels, at the font size ``size``."""
    return sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.6 for c in text) * size


def clip(text: str, width: int) -> str:
    """Return ``text`` without line breaks, cut to at most ``width`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def element(name: str, body: str | None = None, **attributes: str | float | None) -> str:
    """Return the text of an SVG or HTML element. The attribute ``kind`` becomes ``class``.

    Numbers are written as coordinates in pixels. Attributes with None or an empty text are omitted.

    Examples
    --------
    >>> element("circle", kind="leaf", cx=1.04), element("text", "a", kind="", text_anchor="end", y=2.0)
    ('<circle class="leaf" cx="1"/>', '<text text-anchor="end" y="2">a</text>')
    """
    head = name
    for key, value in attributes.items():
        if value is not None and value != "":
            shown = value if isinstance(value, str) else px(value)
            head += f' {"class" if key == "kind" else key.replace("_", "-")}="{shown}"'
    return f"<{head}/>" if body is None else f"<{head}>{body}</{name}>"


def label(x: float | None, y: float, text: str, kind: str = "", anchor: str = "") -> str:
    """Return an SVG text element at the coordinates ``x`` and ``y``."""
    return element("text", escape(text), kind=kind, text_anchor=anchor, x=x, y=y)


def titled(told: str, body: str, kind: str = "", **attributes: str | None) -> str:
    """Return an SVG group that contains ``body`` and has the tooltip ``told``."""
    return element("g", f"<title>{escape(told)}</title>{body}", kind=kind, **attributes)


def moved(x: float, y: float, body: str) -> str:
    """Return an SVG group that moves ``body`` by ``x`` and ``y``."""
    return f'<g transform="translate({px(x)} {px(y)})">\n{body}</g>\n'


def picture(kind: str, title: str, width: float, height: float, parts: Iterable[str], told: str = "") -> str:
    """Return an SVG document that contains ``parts``. ``told`` describes the picture to screen readers."""
    title_id, about = "", ""
    if told:
        title_id, about = f' id="{kind}-title"', f'<desc id="{kind}-desc">{escape(told)}</desc>\n'
    body = (
        f"\n<title{title_id}>{escape(title)}</title>\n{about}<style>\n{style(kind)}</style>\n"
        f"{element('rect', kind='paper', width=width, height=height)}\n{''.join(parts)}"
    )
    named = f"{kind}-title {kind}-desc" if told else None
    return element(
        "svg", body, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {px(width)} {px(height)}", width=width,
        height=height, kind=f"drawing {kind}", role="img", aria_labelledby=named,
    ) + "\n"  # fmt: skip


def page(title: str, body: str, sheet: str = "", script: str = "") -> str:
    """Return an HTML document. ``sheet`` and ``script`` name a style sheet and a script in the folder ``assets``."""
    styled = f"<style>\n{asset(sheet)}</style>\n" if sheet else ""
    active = f"<script>\n{asset(script)}</script>\n" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"{styled}</head>\n<body>\n{body}{active}</body>\n</html>\n"
    )


_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # first signs of formulas, also in full width


def escape(text: str) -> str:
    r"""Escape the special characters of HTML and XML, and control characters except line breaks.

    Examples
    --------
    >>> print(escape('<b>\x1b[2J & "\u202e"'))
    &lt;b&gt;\x1b[2J &amp; &quot;\u202e&quot;
    """
    return html.escape(printable_lines(text))


def no_formula(text: str) -> str:
    r"""Make a text safe for a spreadsheet: escape control characters, and put an apostrophe before a formula.

    Examples
    --------
    >>> print(no_formula("=1+1"), no_formula("-call"), no_formula("all-in"), no_formula("a\tb"))
    '=1+1 '-call all-in a\tb
    """
    shown = printable_lines(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown
