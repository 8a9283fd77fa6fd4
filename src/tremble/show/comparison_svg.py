"""Draw a comparison of two profiles as an SVG picture: their payoffs against opponents who err, and their differences.

Each player has a band with two kinds of charts:

* Line charts show the payoffs of both strategies. The horizontal axis is the probability of the opponent's mistakes.
  The difference between the payoffs is below, on a separate scale.
* Dot charts show the actions whose probabilities differ most, and the payoffs of both strategies after single mistakes
  of the opponent.

The first profile has green, solid lines and round marks. The second profile has purple, dashed lines and square marks.
The picture is light or dark, according to the reader's system.

A *panel* is one chart. Two panels with similar heights are placed side by side. Other panels use the full width, so no
part of the picture is blank. The picture fits into a notebook cell in a window that is 700 pixels wide. At this width,
the smallest text has a height of 11 pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import floor, isfinite, log10

from tremble.game.requirements import require_tree
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import as_float, short_text
from tremble.solution.comparison import Comparison, Curve, Difference, Earning
from tremble.text.captions import number_text
from tremble.text.comparison import PlayerComparison, comparison_title
from tremble.text.markup import clip, element, escape, label, moved, picture, px, text_width, titled
from tremble.text.view import DIFFERENCE, Number, player_name, whose
from tremble.value import numbered

__all__ = ["draw_comparison_svg"]

_MARGIN, _GAP = 20.0, 24.0
_WIDTH = 648.0  # a notebook cell is 656 pixels wide if its page is 700 pixels wide
_INNER = _WIDTH - 2 * _MARGIN
_CHART = 318.0  # height of a line chart
_ALIKE = 80.0  # greatest difference in height between two panels that are side by side
_LETTER = 6.0  # width of a letter with a font size of 11 pixels
_ROWS = 10
_ROW = 22.0
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def draw_comparison_svg(tree: GameTree | UnbuiltGame, comparison: Comparison) -> str:
    """Return the text of an SVG document that shows a comparison. Save the text as UTF-8.

    Examples
    --------
    >>> import tremble
    >>> pennies = tremble.load("matching_pennies")
    >>> fair = [tremble.BehaviorStrategy.uniform(pennies, player) for player in (0, 1)]
    >>> draw_comparison_svg(pennies, tremble.compare(pennies, fair, fair))[:4]
    '<svg'
    """
    if not isinstance(tree, UnbuiltGame):
        require_tree(tree)
    players = PlayerComparison.of(comparison)
    parts, y = _header(tree, comparison)
    for side in players:
        panels = _panels(side)
        name = player_name(tree, side.player, lambda name: clip(name, 24))
        summary = f"plays differently at {side.differing:,} of {side.infosets:,} information sets"
        if not panels:
            summary = "plays and earns the same in both"
        summary = element("tspan", summary, kind="faint", font_size=12, font_weight="normal", dx=10)
        parts.append(element("text", escape(name) + summary, kind=f"who who{side.player + 1}", x=_MARGIN, y=y) + "\n")
        y += 14
        for row in _in_rows(panels):
            wide = (_INNER - (len(row) - 1) * _GAP) / len(row)
            for i, panel in enumerate(row):
                drawn = "".join(f"{part}\n" for part in panel.draw(wide))
                parts.append(moved(_MARGIN + i * (wide + _GAP), y, drawn))
            y += max(panel.high for panel in row) + 12
        y += 26
    return picture("compare", comparison_title(tree, comparison), _WIDTH, y - 16, parts, _description(players))


@dataclass(frozen=True)
class _Panel:
    """A chart in the picture that compares two strategies of one player."""

    high: float
    draw: Callable[[float], Iterator[str]]  # its argument is the width of the panel


def _in_rows(panels: Sequence[_Panel]) -> Iterator[Sequence[_Panel]]:
    """Yield rows of the picture. A row is a pair of adjacent panels with similar heights, or a single panel."""
    k = 0
    while k < len(panels):
        pair = panels[k : k + 2]
        fits = len(pair) == 2 and abs(pair[0].high - pair[1].high) <= _ALIKE
        yield pair if fits else pair[:1]
        k += 2 if fits else 1


def _panels(side: PlayerComparison) -> list[_Panel]:
    """Return one player's panels from top to bottom, or an empty list if the player's two strategies are equal."""
    if not side.differences:
        return []
    panels = [_Panel(_CHART, partial(_chart, curve, side.earnings.get(curve.opponent, []))) for curve in side.curves]
    rows = [_difference_row(d) for d in side.differences]
    panels.append(_dots("Largest differences in play", "probability of the action", rows, (0.0, 1.0)))
    if side.mistakes:
        rows = [
            _Row(f"{m.infoset + 1} {m.label}".strip(), m.action, m.first, m.second, True)
            for m in side.mistakes
            if isfinite(as_float(m.first)) and isfinite(as_float(m.second))
        ]
        panels.append(_dots("Payoffs against a single mistake of the opponent", "payoff", rows, None))
    return panels


def _description(players: Sequence[PlayerComparison]) -> str:
    """Describe the picture in words, for readers who cannot see it."""
    sentences = []
    for side in players:
        who = f"Player {side.player + 1}"
        if not side.differing:
            sentences.append(f"{who} plays the same strategy in both profiles.")
            continue
        sentences.append(f"{who} plays differently at {side.differing:,} of {side.infosets:,} information sets.")
        sentences += [
            f"If the opponent{whose(e.opponent)} errs with probability {e.tremble}, the first strategy earns "
            f"{number_text(e.first)} and the second strategy earns {number_text(e.second)}."
            for earnings in side.earnings.values()
            for e in earnings
            if e.tremble in (0, 1)
        ]
    return " ".join(sentences)


def _header(tree: GameTree | UnbuiltGame, comparison: Comparison) -> tuple[list[str], float]:
    """Return the title and the legend, and the vertical position of the first band."""
    subtitle = "Payoffs of two profiles against an opponent who errs, and differences in play"
    parts = [label(_MARGIN, 32, clip(tree.title or "Game", 60), "title") + "\n"]
    parts.append(label(_MARGIN, 51, subtitle, "faint") + "\n")
    first, second = (clip(name, 44) for name in comparison.names)
    entries = [
        ("first", '<circle class="dot1" cx="{}" cy="{}" r="3.6"/>', (17.0, 0.0), first),
        ("second", '<rect class="dot2" x="{}" y="{}" width="7.6" height="7.6"/>', (13.2, -3.8), second),
        ("best", "", (0.0, 0.0), "a best response"),
    ]
    x, y = _MARGIN, 72.0
    for line, mark, shift, name in entries:
        wide = 42 + text_width(name)
        if x > _MARGIN and x + wide > _WIDTH - _MARGIN:
            x, y = _MARGIN, y + 20
        drawn = element("path", kind=f"line {line}", d=f"M{px(x)} {px(y)}h34")
        parts.append(drawn + mark.format(px(x + shift[0]), px(y + shift[1])) + label(x + 42, y + 4, name) + "\n")
        x += wide + 22
    return parts, y + 38


# -- line charts ---------------------------------------------------------------------------------


def _tick_text(tick: float) -> str:
    """Return the text of the number at a tick."""
    return f"{tick:,.0f}".replace("-", "\N{MINUS SIGN}") if 1e4 <= abs(tick) < 1e10 else number_text(tick)


class _Scale:
    """A linear map from numbers to pixels, for an axis."""

    def __init__(self, values: Sequence[float], start: float, end: float, pad: float = 0.06) -> None:
        finite = [v for v in values if isfinite(v)] or [0.0]
        low, high = min(finite), max(finite)
        if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
            low, high = low - max(abs(low), 1.0) / 2, high + max(abs(high), 1.0) / 2
        room = (high - low) * pad
        self.low, self.high, self.start, self.end = low - room, high + room, start, end

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, about: int) -> list[float]:
        """Return approximately ``about`` round numbers within the range of the axis."""
        low, span = self.low, self.high - self.low
        if not span > 0 or not isfinite(span):
            return [low] if isfinite(low) else []
        step = 10.0 ** floor(log10(span / about))
        step *= next((m for m in (1, 2, 2.5, 5) if span / (step * m) <= about), 10)
        first = floor(low / step)
        ticks = (round(i * step, 12 - floor(log10(step))) for i in range(first, first + 4 * about))
        return [t + 0.0 for t in ticks if low - 1e-9 * span <= t <= self.high + 1e-9 * span]


def _chart(curve: Curve, marks: Sequence[Earning], wide: float) -> Iterator[str]:
    """Draw the payoffs of both strategies against one opponent as curves over the opponent's mistake probability."""
    first, second = curve.first.tolist(), curve.second.tolist()
    best = [] if curve.best is None else curve.best.tolist()
    heights = _Scale([*first, *second, *best], 196.0, 30.0)
    gap = [b - a for a, b in zip(first, second, strict=True)]
    large = max((abs(v) for v in (*first, *second) if isfinite(v)), default=0.0)
    same = all(abs(g) <= 1e-9 * large for g in gap if isfinite(g))
    depths = _Scale([0.0, *gap] if not same else [-1.0, 1.0], 276.0, 218.0, 0.12)
    ticks = heights.ticks(5), [] if same else depths.ticks(3)
    left = 13 + max((text_width(_tick_text(t), 10) for t in (*ticks[0], *ticks[1])), default=0)
    across = _Scale([0.0, 1.0], left, wide - 10, 0)
    yield label(0, 16, f"Payoff against the opponent{whose(curve.opponent)}", "small")
    for scale, numbers in ((heights, ticks[0]), (depths, ticks[1])):
        for tick in numbers:
            grid = element("path", kind="grid", d=f"M{px(left)} {px(scale(tick))}H{px(wide - 10)}")
            yield grid + label(left - 9, scale(tick) + 4, _tick_text(tick), "tick", "end")
    for tick in _TICKS:
        yield label(across(tick), 292, f"{tick:g}", "tick", "middle")
    yield label(across(0.5), 308, "probability d of a mistake", "tick", "middle")
    yield from _gap(curve, across, depths, gap, same)
    for kind, values in (("best", best), ("first", first), ("second", second)):
        yield element("path", kind=f"line {kind}", d=_path(across, heights, curve.tremble.tolist(), values))
    last = -99.0
    for e in marks:
        x, y1, y2 = across(float(e.tremble)), as_float(e.first), as_float(e.second)
        if x - last < 12 or not (isfinite(y1) and isfinite(y2)):
            continue
        last = x
        tooltip = f"d = {e.tremble}: {short_text(e.first, 40)} and {short_text(e.second, 40)}"
        if e.best is not None:
            tooltip += f"; a best response earns {short_text(e.best, 40)}"
        yield titled(tooltip, _pair(x, heights(y1), x, heights(y2)))


def _gap(curve: Curve, across: _Scale, depths: _Scale, gap: Sequence[float], same: bool) -> Iterator[str]:
    left, right = across(0.0), across(1.0)
    zero = depths(0.0)
    if same:
        yield label(left, zero + 4, "no difference", "tick")
        return
    trembles = curve.tremble.tolist()
    for kind, values in (("area2", [max(g, 0.0) for g in gap]), ("area1", [min(g, 0.0) for g in gap])):
        if any(values):
            body = _path(across, depths, trembles, values)
            yield element("path", kind=kind, d=f"{body}L{px(right)} {px(zero)}L{px(left)} {px(zero)}Z")
    yield element("path", kind="zero", d=f"M{px(left)} {px(zero)}H{px(right)}")
    yield label(left + 1, 213, DIFFERENCE, "tick")


def _path(across: _Scale, heights: _Scale, xs: Sequence[float], ys: Sequence[float]) -> str:
    points = [f"{px(across(x))} {heights(y):.2f}" for x, y in zip(xs, ys, strict=False) if isfinite(y)]
    return "M" + "L".join(points) if points else "M0 0"


def _pair(x1: float, y1: float, x2: float, y2: float) -> str:
    """Draw the circle of the first profile at (x1, y1), over the larger square of the second profile at (x2, y2).

    Both marks remain visible if their positions are equal.
    """
    square = element("rect", kind="dot2", x=x2 - 4.5, y=y2 - 4.5, width=9, height=9)
    return square + element("circle", kind="dot1", cx=x1, cy=y1, r=3.2)


# -- dot charts ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    """A row of a dot chart: two profiles' numbers for an action at an information set. Italic if not ``strong``."""

    name: str
    action: str
    first: Number
    second: Number
    strong: bool


def _difference_row(difference: Difference) -> _Row:
    """Return a row for an information set. It shows the action whose probabilities in the two profiles differ most."""
    d = difference
    greatest = max(d.changes, key=lambda change: abs(as_float(change[1] - change[2])))
    return _Row(f"{numbered(d.infoset)} {d.label}".strip(), *greatest, d.reached)


def _dots(title: str, axis: str, all_rows: Sequence[_Row], bounds: tuple[float, float] | None) -> _Panel:
    """Return a panel in which each row shows two numbers as dots that are joined by a line."""
    rows, notes = all_rows[:_ROWS], []
    if len(all_rows) > _ROWS:
        notes.append(f"… {len(all_rows) - _ROWS:,} more")
    if any(not row.strong for row in rows):
        notes.append("italic: neither profile reaches it")
    high = 34 + _ROW * len(rows) + 36 + 16 * bool(notes)
    return _Panel(high, partial(_drawn_dots, title, axis, rows, bounds, "; ".join(notes)))


def _drawn_dots(
    title: str, axis: str, rows: Sequence[_Row], bounds: tuple[float, float] | None, notes: str, wide: float
) -> Iterator[str]:
    values = [as_float(v) for row in rows for v in (row.first, row.second)]
    letters = min(36, int(wide * 0.52 / _LETTER))
    names = [_label(row, letters) for row in rows]
    left = max(60.0, *(text_width(name, 10) for name in names)) + 12 if names else 72.0
    across = _Scale(bounds or values, left, wide - 14, 0.0 if bounds else 0.06)
    bottom = 34 + _ROW * len(rows)
    yield label(0, 16, title, "small")
    for tick in _spaced(list(_TICKS) if bounds else across.ticks(4), across):
        grid = element("path", kind="grid", d=f"M{px(across(tick))} 28V{px(bottom)}")
        yield grid + label(across(tick), bottom + 15, _tick_text(tick), "tick", "middle")
    yield label((left + wide - 14) / 2, bottom + 31, axis, "tick", "middle")
    for i, row in enumerate(rows):
        y = 34 + _ROW * (i + 0.5)
        x1, x2 = across(as_float(row.first)), across(as_float(row.second))
        named = label(0, y + 4, names[i], "small" if row.strong else "small off")
        gap = element("path", kind="gap", d=f"M{px(x1)} {px(y)}H{px(x2)}")
        tooltip = f"{row.name}, {row.action}: {short_text(row.first, 40)} and {short_text(row.second, 40)}"
        yield titled(tooltip, named + gap + _pair(x1, y, x2, y))
    if notes:
        yield label(0, bottom + 31 + 16, notes, "tick")


def _label(row: _Row, letters: int) -> str:
    action = clip(row.action, 14)
    return f"{clip(row.name.rstrip(':'), letters - len(action))}: {action}"


def _spaced(ticks: list[float], across: _Scale) -> list[float]:
    """Return the ticks that fit on an axis: remove every second tick until the labels no longer touch."""
    wide = max((text_width(_tick_text(t), 11) for t in ticks), default=0.0)
    tight = any(across(b) - across(a) < wide + 4 for a, b in pairwise(ticks))
    return _spaced(ticks[::2], across) if tight and len(ticks) > 1 else ticks
