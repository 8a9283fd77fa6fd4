"""Show a comparison of two profiles as a web page: a picture, and tables with exact numbers below it."""

from __future__ import annotations

from collections.abc import Sequence

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import short_text
from tremble.show.comparison_svg import draw_comparison_svg
from tremble.solution.comparison import Comparison
from tremble.text.comparison import comparison_title, earning_payoffs, percent_text
from tremble.text.markup import clip, element, escape, page
from tremble.text.view import EARNING_COLUMNS, MISTAKE_COLUMNS, Number, decimal_text
from tremble.value import numbered

__all__ = ["PICTURES", "draw_comparison_html"]

_MAX_ROWS = 2000  # greatest number of rows in a table
_MANY = 40  # tables with more rows are collapsed until the reader clicks


def draw_comparison_html(tree: GameTree | UnbuiltGame, comparison: Comparison) -> str:
    """Return the HTML text of a web page that shows a comparison. Save the text as UTF-8.

    Examples
    --------
    >>> import tremble
    >>> from tremble.show import draw_comparison_html
    >>> pennies = tremble.load("matching_pennies")
    >>> fair = [tremble.BehaviorStrategy.uniform(pennies, player) for player in (0, 1)]
    >>> draw_comparison_html(pennies, tremble.compare(pennies, fair, fair)).splitlines()[0]
    '<!doctype html>'
    """
    pictures = draw_comparison_svg(tree, comparison)  # checks both arguments
    differences = [
        (
            [str(d.player + 1), numbered(d.infoset), escape(d.label), escape(action), _exact(first), _exact(second),
             *("yes" if on else "no" for on in d.on_path), _exact(d.distance)],
            d.reached,
        )
        for d in comparison.differences
        for action, first, second in d.changes
        if first != second
    ]  # fmt: skip
    earnings = [
        [str(e.player + 1), e.opponent, str(e.tremble), *map(_exact, earning_payoffs(e)), *map(percent_text, e.shares)]
        for e in comparison.earnings
    ]
    mistakes = [
        [str(m.player + 1), str(m.infoset + 1), escape(m.label), escape(m.action),
         *map(_exact, (m.first, m.second, m.difference))]
        for m in comparison.mistakes
    ]  # fmt: skip
    names = [escape(clip(name, 60)) for name in comparison.names]
    who = "" if names == ["first", "second"] else f"First is {names[0]}, second is {names[1]}. "
    tables = _table(
        "Differences in play",
        f"{who}Information sets that play reaches are listed first. The distance is the total variation distance.",
        ("player", "set", "label", "action", "first", "second", "first reaches it", "second reaches it", "distance"),
        differences,
    )
    tables += _table(
        "Payoffs against an opponent who makes mistakes",
        "At every information set, the opponent makes a mistake with probability d and then plays uniformly. A best "
        "response gains from these mistakes. “Takes” is the share of this gain that a strategy takes.",
        ("player", "opponent of", *EARNING_COLUMNS),
        [(cells, True) for cells in earnings],
    )
    if mistakes:
        tables += _table(
            "Payoffs against single mistakes",
            "The opponent plays an action that neither profile plays, and makes all moves that lead to it. Otherwise, "
            "the opponent follows its strategy.",
            ("player", "opponent&rsquo;s set", *MISTAKE_COLUMNS),
            [(cells, True) for cells in mistakes],
        )
    return page(comparison_title(tree, comparison), pictures + tables, "compare_page.css")


def _table(title: str, about: str, head: Sequence[str], rows: Sequence[tuple[Sequence[str], bool]]) -> str:
    """Return a table as HTML. A row is a pair (cells, reached); rows that are not reached are pale."""
    lines = [
        element("tr", "".join(element("td", cell) for cell in cells), kind="" if matters else "off") + "\n"
        for cells, matters in rows[:_MAX_ROWS]
    ]
    columns = "".join(element("th", name, scope="col") for name in head)
    more = f"<p>… {len(rows) - _MAX_ROWS:,} more rows\n" if len(rows) > _MAX_ROWS else ""
    table = f"<table><thead><tr>{columns}</tr></thead><tbody>\n{''.join(lines)}</tbody></table>"
    body = f'<div class="wide">{table}</div>\n{more}'
    if len(rows) > _MANY:
        body = f"<details><summary>all {len(rows):,} rows</summary>\n{body}</details>\n"
    return f"<h2>{title}</h2>\n<p>{about}</p>\n{body}"


def _exact(value: Number | None) -> str:
    """Return a table cell as HTML: the number as a fraction if it is short, else as a decimal. A tooltip has both."""
    if value is None:
        return ""
    exact, decimal = short_text(value, 60), decimal_text(value)
    shown, hidden = (exact, decimal) if len(exact) <= 11 else (decimal, exact)
    return element("span", shown, title=hidden)


PICTURES = {".svg": draw_comparison_svg, ".html": draw_comparison_html}
"""Ending of a file -> function that draws a comparison in this format."""
