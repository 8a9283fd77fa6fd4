"""Show results in notebook cells, as HTML without a script. The style sheet in the HTML affects only the cell.

A *view* is the table or text that a terminal shows for a result (:mod:`tremble.text.view`). A cell converts the view to
HTML, so both have the same rows. A cell shows a probability as a short fraction or as a decimal. A click shows the
other form. The notebook chooses light or dark colors. If the notebook declares neither, the reader's system chooses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from tremble.text.markup import element, escape
from tremble.text.theme import DARK, STYLE, asset
from tremble.text.view import DECIMAL, EXACT

__all__ = ["cell", "folded", "inline"]

_MOST_IN_NAME, _MOST_IN_CELL, _MOST_IN_LINE, _MOST_IN_HINT = 60, 120, 1000, 300  # shown characters
_SHORT = 11  # a fraction with more characters is shown as a decimal
_COLOURS = {"green": "good", "yellow": "open", "red": "loss", "cyan": "name"}

_SAYS_LIGHT = (
    *('[data-jp-theme-light="true"]', '[data-vscode-theme-kind$="light"]', '[data-theme="light"]'),
    *('[data-mode="light"]', '[theme="light"]'),
)
_SAYS_DARK = (
    *('[data-jp-theme-light="false"]', '[data-vscode-theme-kind$="dark"]', '[data-vscode-theme-kind$="contrast"]'),
    *('[data-theme="dark"]', '[data-mode="dark"]', '[theme="dark"]'),
)  # fmt: skip
"""CSS selectors of pages that declare light or dark colors: JupyterLab, VS Code, Sphinx sites and Colab."""

_LONG = re.compile(r"([-\d/…]{13,}) ≈ (\S+)")
"""Pattern of a long exact number, followed by its decimal. A cell shows the decimal. A click shows the exact number."""

_ENDLESS = re.compile(r"(\S{80})\S{2,}")
"""Pattern of a long text without spaces. The text is cut, because it would stretch a table and hide other columns."""

_LEAST = 0.7  # a wide picture shrinks down to this scale; if it is still too wide, it scrolls
_ROOM = ".tremble-cell"
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_NAMED = re.compile(r' (?:id="[\w-]+-(?:title|desc)"|aria-labelledby="[^"]*")')


def cell(*parts: RenderableType | str) -> str:
    """Return the HTML of a notebook cell that shows ``parts``, which are views or strings of HTML."""
    body = "\n".join(line for part in parts for line in ([part] if isinstance(part, str) else _lines(part)))
    summary = "<summary>exact numbers and decimals</summary>"
    forms = f'<details class="forms">{summary}</details>\n' if 'class="exact' in body else ""
    return f'<div class="tremble-cell">\n<style>\n{_scoped(asset("cell.css"))}</style>\n{forms}{body}\n</div>\n'


def folded(summary: str, view: RenderableType) -> str:
    """Return HTML that shows ``summary``. A click on ``summary`` shows ``view`` too."""
    body = "\n".join(_lines(view))
    return f"<details><summary>{escape(summary)}</summary>\n{body}\n</details>"


def inline(picture: str) -> str:
    """Convert tremble's SVG picture to HTML for a cell. Restrict the picture's style sheet to pictures in cells.

    Examples
    --------
    >>> import tremble
    >>> from tremble.show import draw_svg
    >>> inline(draw_svg(tremble.load("kuhn")))[:25]
    '<div class="picture"><svg'
    """
    width = re.search(r'<svg [^>]*?width="([\d.]+)"', picture)
    least = f' style="min-width:{float(width[1]) * _LEAST:.0f}px"' if width else ""
    styled = STYLE.sub(lambda style: f"<style>\n{_scoped(style[1])}</style>\n", picture)
    shrinking = _NAMED.sub("", styled).replace("<svg ", f"<svg{least} ", 1)
    return f'<div class="picture">{shrinking}</div>'


@cache
def _scoped(sheet: str) -> str:
    """Limit a style sheet to notebook cells. Its dark colors apply only if the notebook or the system is dark."""
    dark = "".join(DARK.findall(sheet))
    unless = f":where(:root:not({','.join(_SAYS_LIGHT)}) body:not({','.join(_SAYS_LIGHT)}))"
    light = _within(DARK.sub("", sheet), "")
    system = f"@media (prefers-color-scheme:dark){{\n{_within(dark, f'{unless} ')}}}\n" if dark else ""
    return light + system + _within(dark, f":where({','.join(_SAYS_DARK)}) ")


def _within(rules: str, where: str) -> str:
    """Put the prefix ``where`` and a cell's CSS class before each CSS selector. The rules then apply only in cells."""
    return "".join(
        f"{','.join(f'{where}{_inside(selector.strip())}' for selector in found[1].split(','))}{{{found[2].strip()}}}\n"
        for found in _RULE.finditer(rules)
    )


def _inside(selector: str) -> str:
    return selector if selector.startswith(_ROOM) else f"{_ROOM} {selector}"


# -- views -----------------------------------------------------------------------------------------


def _lines(view: RenderableType, console: Console | None = None) -> Iterator[str]:
    console = Console(width=10_000) if console is None else console
    if isinstance(view, Group):
        for part in view.renderables:
            yield from _lines(part, console)
    elif isinstance(view, Padding):
        yield element("div", "\n".join(_lines(view.renderable, console)), kind="inner")
    elif isinstance(view, Table):
        yield _table(view, console)
    elif text := _written(view, console, _MOST_IN_LINE):
        kind = "inner" if str(view).startswith("  ") else None
        yield element("p", text, kind=kind)


@dataclass
class _Column:
    """A column of a table in a notebook cell."""

    header: RenderableType
    kind: str  # CSS class
    cells: list[RenderableType]


def _table(table: Table, console: Console) -> str:
    """Return a table as HTML. In a table without a header, the first column contains row headers."""
    columns = list(_columns(table))
    head = ""
    if table.show_header:
        cells = (
            element("th", _written(column.header, console, _MOST_IN_CELL), kind=column.kind, scope="col")
            for column in columns
        )
        head = f"<thead>{element('tr', ''.join(cells))}</thead>"
    rows = zip(*(column.cells for column in columns), strict=True)
    body = "\n".join(
        element(
            "tr",
            "".join(
                _cell(text, column, console, name=k == 0 and not head)
                for k, (text, column) in enumerate(zip(cells, columns, strict=True))
            ),
            kind=_classes(console.get_style(row.style or "")),
        )
        for cells, row in zip(rows, table.rows, strict=True)
    )
    kind = "" if head else ' class="facts"'
    return f'<div class="wide"><table{kind}>{head}<tbody>\n{body}\n</tbody></table></div>'


def _columns(table: Table) -> Iterator[_Column]:
    """Yield the columns. Replace a pair (exact, decimal) by a visible column and a column that a click shows."""
    exact: _Column | None = None
    for column in table.columns:
        cells = list(column.cells)
        if exact is not None and column.header == DECIMAL:
            pairs = [_forms(*pair) for pair in zip(exact.cells, cells, strict=True)]
            exact.cells = [read for read, _ in pairs]
            yield exact
            if any(str(other) for _, other in pairs):
                yield _Column("", "exact", [other for _, other in pairs])
            exact = None
            continue
        shown = _Column(column.header, "number" if column.justify == "right" else "", cells)
        if column.header == EXACT:
            exact = shown
        else:
            yield shown
    if exact is not None:
        yield exact


def _forms(exact: RenderableType, decimal: RenderableType) -> tuple[RenderableType, RenderableType]:
    """Return two texts for a number: a visible one (a fraction if short, else a decimal), and one shown on a click."""
    number = str(exact)
    if not str(decimal):
        return exact, ""
    if len(number) <= _SHORT:
        return exact, f"≈ {decimal}" if "/" in number else ""
    return decimal, f"= {number}"


def _cell(text: RenderableType, column: _Column, console: Console, *, name: bool) -> str:
    most, whole = _MOST_IN_NAME if name else _MOST_IN_CELL if column.header else _MOST_IN_LINE, str(text)
    hint = escape(whole[:_MOST_IN_HINT]) if len(whole) > min(most, 80) and column.header else None
    shown = _written(text, console, most)
    return element("th", shown, scope="row") if name else element("td", shown, kind=column.kind, title=hint)


def _written(view: RenderableType, console: Console, most: int) -> str:
    """Return a styled text as HTML, cut to ``most`` characters."""
    text = view if isinstance(view, Text) else Text(str(view))
    if len(text) > most:
        text = text[: most - 1].append("…")
    parts = []
    for piece, style, _ in text.render(console) if text.spans else ((text.plain, text.style, None),):
        words = escape(_ENDLESS.sub(r"\1…", piece)).replace("\n", "<br/>").replace(" …", "&#160;…")
        words = _LONG.sub(r'≈ \2 <span class="exact">= \1</span>', words)
        kind = _classes(console.get_style(style) if isinstance(style, str) else style)
        parts.append(element("span", words, kind=kind) if kind and piece.strip() else words)
    return "".join(parts).strip()


def _classes(style: Style | None) -> str:
    """Return the CSS classes for a terminal style. The result is "" for None and for a style with the default color."""
    if style is None or (style.color and style.color.is_default):
        return ""
    colour = _COLOURS.get(style.color.name, "") if style.color else ""
    kinds = ["strong"] * bool(style.bold) + ["faint"] * bool(style.dim) + ["aside"] * bool(style.italic) + [colour]
    return " ".join(filter(None, kinds))
