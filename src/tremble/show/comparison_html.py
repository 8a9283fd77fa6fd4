"""A comparison of two profiles as a web page: the picture, and the tables with exact numbers below it.

One self-contained file: no network, no script. Light or dark follows the reader's system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from tremble.judging.compare import Comparison
from tremble.model.printable import escape
from tremble.model.tree import GameTree
from tremble.show.comparison_svg import comparison_svg
from tremble.show.numbers import Number, decimal_text, percent_text, short_text
from tremble.show.theme import COMPARISON_PAGE
from tremble.show.view import EARNING_COLUMNS, MISTAKE_COLUMNS, changes, comparison_title, earning_payoffs, is_reached

__all__ = ["comparison_html"]

_MAX_ROWS = 2000  # of each table


def comparison_html(tree: GameTree, comparison: Comparison) -> str:
    """Draw a comparison as a self-contained web page: HTML, to be written with UTF-8.

    Examples
    --------
    >>> import tremble
    >>> from tremble.show.comparison_html import comparison_html
    >>> pennies = tremble.load("matching_pennies")
    >>> fair = [tremble.BehaviorStrategy.uniform(pennies, player) for player in (0, 1)]
    >>> comparison_html(pennies, tremble.compare(pennies, fair, fair)).splitlines()[0]
    '<!doctype html>'
    """
    title = escape(comparison_title(tree, comparison))
    tables = "".join((*_differences(comparison), *_earnings(comparison), *_mistakes(comparison)))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>\n{COMPARISON_PAGE}</style>\n</head>\n<body>\n"
        f"{comparison_svg(tree, comparison)}{tables}</body>\n</html>\n"
    )


def _table(
    title: str, about: str, head: Sequence[str], rows: Sequence[Iterable[str]], pale: Sequence[bool] = ()
) -> Iterator[str]:
    """Write a table; rows that matter less are pale."""
    yield f'<h2>{title}</h2>\n<p>{about}</p>\n<div class="wide"><table><thead><tr>'
    yield "".join(f'<th scope="col">{name}</th>' for name in head) + "</tr></thead><tbody>\n"
    for cells, faint in zip_longest(rows[:_MAX_ROWS], pale[:_MAX_ROWS]):
        style = ' class="off"' if faint else ""
        yield f"<tr{style}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"
    yield "</tbody></table></div>\n"
    if len(rows) > _MAX_ROWS:
        yield f"<p>… {len(rows) - _MAX_ROWS:,} more rows\n"


def _exact(value: Number | None) -> str:
    """Write the exact number if it is short, else a decimal, with the other under the pointer."""
    if value is None:
        return ""
    exact, decimal = short_text(value, 60), decimal_text(value)
    shown, hidden = (exact, decimal) if len(exact) <= 11 else (decimal, exact)
    return f'<span title="{hidden}">{shown}</span>'


def _differences(comparison: Comparison) -> Iterator[str]:
    changed = [(d, c) for d in comparison.differences for c in changes(d) if c.first != c.second]
    rows = [
        (
            *(
                str(d.player + 1),
                str(d.infoset),
                escape(d.label),
                escape(c.action),
                _exact(c.first),
                _exact(c.second),
            ),
            *("yes" if on else "no" for on in d.on_path),
            _exact(d.distance),
        )
        for d, c in changed
    ]
    pale = [not is_reached(d) for d, _ in changed]
    head = ("player", "set", "label", "action", "first", "second", "first comes there", "second comes there")
    about = "Those where play comes are first; the distance is that of total variation."
    yield from _table("Where they play differently", about, (*head, "distance"), rows, pale)


def _earnings(comparison: Comparison) -> Iterator[str]:
    rows = [
        (str(e.player + 1), e.opponent, str(e.tremble), *map(_exact, earning_payoffs(e)), *map(percent_text, e.shares))
        for e in comparison.earnings
    ]
    about = (
        "The opponent errs with probability d at every information set, and then plays uniformly. “Takes” is the part "
        "of what the errors bring to a best response."
    )
    head = ("player", "opponent of", *EARNING_COLUMNS)
    yield from _table("What they earn against an opponent who errs", about, head, rows)


def _mistakes(comparison: Comparison) -> Iterator[str]:
    rows = [
        (
            *(str(m.player + 1), str(m.infoset), escape(m.label), escape(m.action)),
            *map(_exact, (m.first, m.second, m.difference)),
        )
        for m in comparison.mistakes
    ]
    if rows:
        head = ("player", "opponent&rsquo;s set", *MISTAKE_COLUMNS)
        about = (
            "The opponent makes straight for an action that neither profile plays, and otherwise follows its strategy."
        )
        yield from _table("What they earn from single mistakes", about, head, rows)
