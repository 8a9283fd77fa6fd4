"""Draw strategies of an ordered game as an SVG picture: how each hand is played at each decision of a round.

In an *ordered game*, players hold hands of private signals, such as cards, and bet in rounds. A decision has a *panel*
with a bar for each hand. The weakest hand is on the left. The height of a colored part is the probability of an action.
The gray bar below shows how often play reaches the decision with the hand. A bar is pale if the player's own strategy
never reaches the decision with the hand. A panel for more than 60 two-card hands is a square with a row and a column
for each rank. Suited hands are above the diagonal. The picture is light or dark, like the reader's system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from tremble.game.hands import HandRow, Panel, Place, Spot, hands_kind
from tremble.game.rules import UnbuiltGame
from tremble.text.cards import cards_text, has_cards
from tremble.text.comparison import percent_text
from tremble.text.markup import clip, element, escape, label, moved, picture, px, text_width, titled
from tremble.text.theme import PASSIVE, ramp
from tremble.words import for_reader

__all__ = ["StrategyPicture", "action_colours", "strategy_svg"]

_MARGIN, _GAP = 24.0, 36.0
_WIDE = 494.0  # width of a panel: thirteen cells of a square
_BARS, _SHARES = 92.0, 20.0
_CELL = 38.0
_MOST_PANELS, _MOST_SQUARES = 12, 6
_MARKS = {
    "share": "how often play reaches the decision with the hand",
    "pale": "the player's strategy never reaches it with the hand",
    "never": "no such hand",
}
"""CSS class of a mark -> its explanation in the legend."""

_FEW_HANDS = 60  # greatest number of two-card hands that are drawn as bars


def strategy_svg(
    game: UnbuiltGame, profiles: Sequence[tuple[Any, Any]], place: Place | None = None, about: Sequence[str] = ("",)
) -> str:
    """Draw how both players play each hand at one place of an ordered game. Return an SVG document.

    Parameters
    ----------
    game : UnbuiltGame
        An ordered game.
    profiles : sequence of pairs of OrderedStrategy
        The profiles. They are drawn from top to bottom. An action has the same color in all profiles.
    place : Place, optional
        The place to draw (see :meth:`tremble.game.hands.HandsKind.place`). The default is the first round.
    about : sequence of str
        A description of each profile.

    Returns
    -------
    str
        XML text. Write it with the encoding UTF-8.
    """
    kind, place = hands_kind(game), place or Place(0, 0, None)
    spots = [kind.spot(profiles[0], place)]
    # If the place has no line of moves, use the first profile's likeliest line for all profiles.
    spots += [kind.spot(profile, replace(place, line=spots[0].line)) for profile in profiles[1:]]
    return StrategyPicture(game, game.rules, spots, about).draw()


@dataclass(frozen=True)
class StrategyPicture:
    """A picture of strategies in an ordered game."""

    game: UnbuiltGame
    rules: Any  # the rules of the game, with its signals and rounds
    spots: Sequence[Spot]  # for each profile: its decisions at the place
    about: Sequence[str]  # a description of each profile

    def draw(self) -> str:
        """Return the SVG document."""
        every = [panel for spot in self.spots for panel in spot.panels]
        squares = any(map(self._needs_square, every))
        colours = action_colours(panel.actions for panel in every)
        width = 2 * _MARGIN + 2 * _WIDE + _GAP
        shown = [_shown(spot.panels, _MOST_SQUARES if squares else _MOST_PANELS) for spot in self.spots]
        drawn = [[(self._square if squares else self._bars)(panel, colours) for panel in panels] for panels in shown]
        bodies = [
            ["".join((*self._heading(panel, colours), *body)) for panel, (body, _) in zip(panels, pieces, strict=True)]
            for panels, pieces in zip(shown, drawn, strict=True)
        ]
        marks = [mark for mark in _MARKS if any(f'class="{mark}"' in body for each in bodies for body in each)]
        parts, bottom = self._header(colours, marks, width)
        for spot, panels, pieces, each, about in zip(self.spots, shown, drawn, bodies, self.about, strict=True):
            if len(self.spots) > 1:
                parts.append(label(_MARGIN, bottom + 6, clip(about, 110), "profile") + "\n")
                bottom += 36
            ends = [bottom, bottom]
            for panel, (_, high), body in zip(panels, pieces, each, strict=True):
                parts.append(moved(_MARGIN + panel.player * (_WIDE + _GAP), ends[panel.player], body))
                ends[panel.player] += 38 + high + 24
            bottom = max(ends)
            if left_out := len(spot.panels) - len(panels):
                more = f"… {left_out:,} more decisions, which play reaches less often; "
                more += f"to show them, use {for_reader('line=', '--line')}"
                parts.append(label(_MARGIN, bottom, more, "small") + "\n")
                bottom += 20
        return picture("plan", f"{self.game.title}: {self.where()}", width, bottom, parts)

    def where(self) -> str:
        """Describe where the drawn decisions occur: the round, the public signals and the moves of earlier rounds."""
        spot = self.spots[0]
        lines = "; ".join(", ".join(line) for line in spot.lines)
        board = cards_text(self.rules)(" ".join(self.rules.signals[s] for s in spot.public))
        number = f"round {spot.round + 1}" if hands_kind(self.game).num_rounds > 1 else ""
        parts = [number, board, f"after {lines}" if lines else ""]
        return ", ".join(filter(None, parts)) or "the play of each hand"

    def _header(self, colours: Mapping[str, str], marks: Sequence[str], width: float) -> tuple[list[str], float]:
        parts = [label(_MARGIN, 34, clip(self.game.title, 110), "title") + "\n"]
        x, top = _MARGIN, 0
        if len(self.spots) == 1 and self.about[0]:
            parts.append(label(_MARGIN, 54, clip(self.about[0], 130), "faint") + "\n")
            top = 20
        for signal in self.spots[0].public if has_cards(self.rules) else ():
            card = cards_text(self.rules)(self.rules.signals[signal])
            sheet = element("rect", kind="sheet", x=x, y=46 + top, width=36, height=26, rx=4)
            parts.append(sheet + label(x + 18, 64.5 + top, card, "card red" if card[-1] in "♥♦" else "card") + "\n")
            x += 42
        y = (64.0 if x > _MARGIN else 54.0) + top
        parts.append(label(x + (6 if x > _MARGIN else 0), y, clip(self.where(), 130), "faint") + "\n")
        y += 30
        x = _MARGIN
        named: dict[str, list[str]] = {}
        for action, colour in colours.items():
            named.setdefault(colour, []).append(action)
        entries: list[tuple[str, str, str | None]] = [
            (clip(" / ".join(actions), 40), "", colour) for colour, actions in named.items()
        ]
        entries += [(_MARKS[mark], mark, next(iter(named), None) if mark == "pale" else None) for mark in marks]
        for text, mark, fill in entries:
            wide = 18 + text_width(text, 11) + 16
            if x + wide > width - _MARGIN:
                x, y = _MARGIN, y + 20
            box = element("rect", kind=mark, x=x, y=y - 10, width=12, height=12, rx=2, fill=fill)
            parts.append(box + label(x + 18, y, text) + "\n")
            x += wide
        return parts, y + 34

    # -- panels ----------------------------------------------------------------------------------------

    def _needs_square(self, panel: Panel) -> bool:
        """Return True if the panel is drawn as a square: its hands have two cards, and are too many for bars."""
        hands = [hand for row in panel.rows for hand in row.hands]
        return has_cards(self.rules) and len(hands) > _FEW_HANDS and len(hands[0]) == 2

    def _heading(self, panel: Panel, colours: Mapping[str, str]) -> Iterator[str]:
        after = escape(clip(f"after {', '.join(panel.line)}" if panel.line else "to open", 60))
        comes = f"{percent_text(panel.likely)} of the time" if panel.line else ""
        named = escape(clip(self.game.players[panel.player], 30))
        named += element("tspan", after, kind="faint", font_weight="normal", font_size=12, dx=8)
        yield element("text", named, kind=f"who who{panel.player + 1}", y=0)
        yield label(_WIDE, 0, comes, "small", "end") + "\n"
        x = 0.0
        for action, share in zip(panel.actions, panel.overall, strict=True):
            wide = share * _WIDE
            if wide < 0.05:
                continue
            text = f"{action} {percent_text(share)}"
            body = element("rect", x=x, y=9, width=f"{wide:.2f}", height=15, fill=colours[action])
            if text_width(text, 11) < wide:
                body += label(x + wide / 2, 20, text, "inside")
            yield titled(text, body) + "\n"
            x += wide

    def _bars(self, panel: Panel, colours: Mapping[str, str]) -> tuple[list[str], float]:
        """Draw a bar for each row of the panel's hands. Return the SVG elements and their total height."""
        top, drawn = 38.0, []
        wide = _WIDE / max(1, len(panel.rows))
        gap = 2.0 if wide > 12 else 0.6 if wide > 4 else 0.0
        most = max((row.share for row in panel.rows), default=0.0) or 1.0
        step = max(1, ceil((max((text_width(row.name, 10.5) for row in panel.rows), default=0.0) + 3) / wide))
        for k, row in enumerate(panel.rows):
            left, y = k * wide, top + _BARS
            at, size = left + gap / 2, wide - gap
            body = ""
            for action, p in zip(panel.actions, row.probabilities, strict=True):
                if p * _BARS >= 0.05:
                    y -= p * _BARS
                    body += _bar(at, f"{y:.2f}", size, p * _BARS, "" if row.comes else "pale", colours[action])
            share = row.share / most * _SHARES
            if share > 0.05:
                body += _bar(at, px(top + _BARS + 3), size, share, "share")
            if k % step == 0:
                body += label(left + wide / 2, top + _BARS + _SHARES + 15, row.name, "hand")
            drawn.append(titled(self._tooltip(panel, row), body) + "\n")
        drawn.append(element("path", kind="base", d=f"M0 {px(top + _BARS + 1.5)}H{px(_WIDE)}") + "\n")
        return drawn, _BARS + _SHARES + 18

    def _tooltip(self, panel: Panel, row: HandRow) -> str:
        """Return a row's tooltip: hands, probabilities of actions, and how often the player reaches the decision."""
        names = [cards_text(self.rules)(self.rules.signal_text(hand)) for hand in row.hands]
        play = ", ".join(f"{a} {percent_text(p)}" for a, p in zip(panel.actions, row.probabilities, strict=True))
        comes = f"the player's strategy reaches this decision {percent_text(row.comes)} of the time"
        return f"{clip(' '.join(names), 80)}: {play}; {comes}"

    def _square(self, panel: Panel, colours: Mapping[str, str]) -> tuple[list[str], float]:
        """Draw a square with a cell for each pair of ranks, highest rank first; return SVG texts and the height."""
        ranks = list(dict.fromkeys(signal[0] for signal in reversed(self.rules.signals)))
        shape = (len(ranks), len(ranks))
        total, comes, count = np.zeros((*shape, len(panel.actions))), np.zeros(shape), np.zeros(shape, dtype=np.int64)
        for row in panel.rows:
            for hand in row.hands:
                (a, s), (b, t) = (tuple(self.rules.signals[signal]) for signal in hand)
                high, low = sorted((ranks.index(a), ranks.index(b)))
                at = (high, low) if s == t else (low, high)
                weight = row.share / len(row.hands)
                total[at] += np.array(row.probabilities) * max(weight, 1e-12)
                comes[at] += row.comes
                count[at] += 1
        cell = min(_CELL, _WIDE / len(ranks))
        drawn = []
        for i, rank1 in enumerate(ranks):
            for j, rank2 in enumerate(ranks):
                name = rank1 + rank2 + "s" if i < j else rank1 + rank2 if i == j else rank2 + rank1 + "o"
                often = comes[i, j] / max(1, count[i, j])
                drawn.append(_cell(panel, name, j * cell, 36 + i * cell, cell, total[i, j].tolist(), often, colours))
        return drawn, len(ranks) * cell + 4


def _shown(panels: Sequence[Panel], most: int) -> list[Panel]:
    """Return the decisions to draw, in order: all decisions, or the ``most`` likeliest decisions."""
    if len(panels) <= most:
        return list(panels)
    likeliest = sorted(range(len(panels)), key=lambda k: -panels[k].likely)
    met = sum(panel.likely > 0 for panel in panels) or most
    return [panels[k] for k in sorted(likeliest[: min(most, met)])]


def _bar(x: float, y: str, width: float, height: float, kind: str, colour: str | None = None) -> str:
    return element("rect", kind=kind, x=x, y=y, width=width, height=f"{height:.2f}", fill=colour)


def _cell(
    panel: Panel, name: str, x: float, y: float, size: float, weights: Sequence[float], comes: float,
    colours: Mapping[str, str],
) -> str:  # fmt: skip
    """Draw the hands with two given ranks as one cell, divided in proportion to the probabilities of the actions."""
    whole, side = sum(weights), size - 1
    named = label(x + size / 2, y + size / 2 + 4, name, "cell")
    if not whole:
        return element("rect", kind="never", x=x, y=y, width=side, height=side) + named + "\n"
    play, body, left = [], "", x
    for action, weight in zip(panel.actions, weights, strict=True):
        share = weight / whole
        play.append(f"{action} {percent_text(share)}")
        if share * side > 0.05:
            kind, wide = "" if comes > 0.005 else "pale", f"{share * side:.2f}"
            body += element("rect", kind=kind, x=f"{left:.2f}", y=y, width=wide, height=side, fill=colours[action])
        left += share * side
    tooltip = (
        f"{name}: {', '.join(play)}; the player's strategy reaches this decision {percent_text(comes)} of the time"
    )
    return titled(tooltip, body + named) + "\n"


def action_colours(menus: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return a color for each action. Bets and raises of the same size have the same color."""
    actions = dict.fromkeys(action for menu in menus for action in menu)
    sizes = list(
        dict.fromkeys(action.split()[-1:][0] for action in actions if action.split() and action not in PASSIVE)
    )
    sizes.sort(key=lambda size: (0, int(size)) if size.isdecimal() else (1, 0))
    place = {size: ramp(0.25 + 0.3 * k if len(sizes) < 3 else k / (len(sizes) - 1)) for k, size in enumerate(sizes)}
    return {
        action: PASSIVE[action] if action in PASSIVE else place[action.split()[-1]] if action.split() else ramp(0)
        for action in actions
    }
