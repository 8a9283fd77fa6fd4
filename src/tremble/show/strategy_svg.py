"""Strategies of an ordered game as one SVG picture: at each decision of a round, which hands do what.

The weakest hand is on the left. A bar is as high as a probability, and the grey one below it says how often play comes
here with that hand; bars of hands with which the own strategy never comes are pale. Hands of two cards fill a square by
ranks instead, suited ones above the diagonal. Light or dark follows the reader's system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tremble.model.ordered.game import OrderedGame
from tremble.model.printable import escape
from tremble.model.rules import UnbuiltGame
from tremble.show.cards import cards_text, has_cards
from tremble.show.markup import clip, px, text_width
from tremble.show.numbers import percent_text
from tremble.show.panels import HandRow, OrderedProfile, Panel, Place, Spot, spot_of
from tremble.show.theme import PASSIVE, STRATEGY, ramp

__all__ = ["StrategyPicture", "strategy_svg"]

_MARGIN, _GAP = 24.0, 36.0
_WIDE = 500.0  # of a panel
_BARS, _SHARES = 92.0, 20.0
_CELL = 38.0
_MOST_PANELS, _MOST_SQUARES = 12, 6
_FEW_HANDS = 60  # up to which there is a bar for each


def strategy_svg(game: UnbuiltGame, profile: OrderedProfile, place: Place | None = None) -> str:
    """Draw what both players do at a place of an ordered game as a standalone SVG document.

    Parameters
    ----------
    game : UnbuiltGame
        Of an ordered game.
    profile : pair of OrderedStrategy
    place : Place, optional
        Where (see :func:`tremble.show.panels.place_of`); by default in the first round.

    Returns
    -------
    str
        XML text; write it with UTF-8.
    """
    return "".join(StrategyPicture.of(game, profile, place or Place(0, 0, None)).lines())


@dataclass(frozen=True)
class StrategyPicture:
    """One picture, written line by line."""

    game: UnbuiltGame
    rules: OrderedGame
    spot: Spot

    @classmethod
    def of(cls, game: UnbuiltGame, profile: OrderedProfile, place: Place) -> StrategyPicture:
        """The picture of a place."""
        assert isinstance(game.rules, OrderedGame)
        return cls(game, game.rules, spot_of(game.rules, profile, place))

    def lines(self) -> Iterator[str]:
        """Write the document, piece by piece."""
        panels = self.spot.panels
        squares = any(map(self._needs_square, panels))
        most = _MOST_SQUARES if squares else _MOST_PANELS
        likeliest = sorted(range(len(panels)), key=lambda k: -panels[k].likely)
        met = sum(panel.likely > 0 for panel in panels) or most
        shown = sorted(likeliest if len(panels) <= most else likeliest[: min(most, met)])
        left_out = len(panels) - len(shown)
        colours = _colours(panels)
        width = 2 * _MARGIN + 2 * _WIDE + _GAP
        head, top = self._header(colours, width)
        ends = [top, top]
        body = []
        for k in shown:
            panel = panels[k]
            drawn, height = self._panel(panel, colours, squares)
            x = _MARGIN + panel.player * (_WIDE + _GAP)
            body.append(f'<g transform="translate({px(x)} {px(ends[panel.player])})">\n{drawn}</g>\n')
            ends[panel.player] += height + 24
        bottom = max(ends)
        if left_out:
            body.append(
                f'<text class="small" x="{px(_MARGIN)}" y="{px(bottom)}">'
                f"… {left_out:,} more decisions, which play comes to less often; --line shows them</text>\n"
            )
            bottom += 20
        title = escape(f"{self.game.title}: {self.where()}")
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {px(width)} {px(bottom)}" width="{px(width)}" '
            f'height="{px(bottom)}" class="plan" role="img">\n<title>{title}</title>\n<style>\n{STRATEGY}</style>\n'
            f'<rect class="paper" width="{px(width)}" height="{px(bottom)}"/>\n'
        )
        yield head
        yield from body
        yield "</svg>\n"

    def where(self) -> str:
        """The round and what led there, in words."""
        lines = "; ".join(", ".join(line) for line in self.spot.lines)
        board = cards_text(self.rules)(" ".join(self.rules.signals[s] for s in self.spot.public))
        parts = [f"round {self.spot.round + 1}", board, f"after {lines}" if lines else ""]
        return ", ".join(filter(None, parts))

    def _header(self, colours: Mapping[str, str], width: float) -> tuple[str, float]:
        parts = [f'<text class="title" x="{px(_MARGIN)}" y="34">{escape(clip(self.game.title, 110))}</text>\n']
        x = _MARGIN
        for signal in self.spot.public if has_cards(self.rules) else ():
            card = cards_text(self.rules)(self.rules.signals[signal])
            red = " red" if card[-1] in "♥♦" else ""
            parts.append(
                f'<rect class="sheet" x="{px(x)}" y="46" width="36" height="26" rx="4"/>'
                f'<text class="card{red}" x="{px(x + 18)}" y="64.5">{card}</text>\n'
            )
            x += 42
        y = 64.0 if x > _MARGIN else 54.0
        where = escape(clip(self.where(), 130))
        parts.append(f'<text class="faint" x="{px(x + (6 if x > _MARGIN else 0))}" y="{px(y)}">{where}</text>\n')
        y += 30
        x = _MARGIN
        named: dict[str, list[str]] = {}
        for action, colour in colours.items():
            named.setdefault(colour, []).append(action)
        for colour, actions in named.items():
            text = clip(" / ".join(actions), 40)
            wide = 18 + text_width(text, 11) + 16
            if x + wide > width - _MARGIN:
                x, y = _MARGIN, y + 20
            parts.append(
                f'<rect x="{px(x)}" y="{px(y - 10)}" width="12" height="12" rx="2" fill="{colour}"/>'
                f'<text x="{px(x + 18)}" y="{px(y)}">{escape(text)}</text>\n'
            )
            x += wide
        return "".join(parts), y + 34

    # -- panels ----------------------------------------------------------------------------------------

    def _panel(self, panel: Panel, colours: Mapping[str, str], square: bool) -> tuple[str, float]:
        """A decision, and how high it is."""
        drawn, height = self._square(panel, colours) if square else self._bars(panel, colours)
        return "".join((*self._heading(panel, colours), *drawn)), 38 + height

    def _needs_square(self, panel: Panel) -> bool:
        """Whether hands are two cards, and too many for bars."""
        hands = [hand for row in panel.rows for hand in row.hands]
        return has_cards(self.rules) and len(hands) > _FEW_HANDS and len(hands[0]) == 2

    def _heading(self, panel: Panel, colours: Mapping[str, str]) -> Iterator[str]:
        after = f"after {', '.join(panel.line)}" if panel.line else "to open"
        comes = f"{percent_text(panel.likely)} of the time" if panel.line else ""
        yield (
            f'<text class="who who{panel.player + 1}" y="0">{escape(clip(self.game.players[panel.player], 30))}'
            f'<tspan class="faint" font-weight="normal" font-size="12" dx="8">{escape(clip(after, 60))}</tspan></text>'
            f'<text class="small" text-anchor="end" x="{px(_WIDE)}" y="0">{comes}</text>\n'
        )
        x = 0.0
        for action, share in zip(panel.actions, panel.overall, strict=True):
            wide = share * _WIDE
            if wide < 0.05:
                continue
            text = f"{action} {percent_text(share)}"
            yield f'<g><title>{escape(text)}</title><rect x="{px(x)}" y="9" width="{wide:.2f}" height="15" '
            yield f'fill="{colours[action]}"/>'
            if text_width(text, 9) < wide:
                yield f'<text class="inside" x="{px(x + wide / 2)}" y="20">{escape(text)}</text>'
            yield "</g>\n"
            x += wide

    def _bars(self, panel: Panel, colours: Mapping[str, str]) -> tuple[list[str], float]:
        """A bar for each row."""
        top, found = 38.0, []
        wide = _WIDE / max(1, len(panel.rows))
        gap = 2.0 if wide > 12 else 0.6 if wide > 4 else 0.0
        most = max((row.share for row in panel.rows), default=0.0) or 1.0
        step = max(1, round(0.5 + max((text_width(row.name, 10.5) for row in panel.rows), default=0.0) / wide - 0.35))
        for k, row in enumerate(panel.rows):
            x, y = k * wide, top + _BARS
            style = "" if row.comes else ' class="pale"'
            found.append(f"<g><title>{escape(self._told(panel, row))}</title>")
            for action, p in zip(panel.actions, row.probabilities, strict=True):
                if p * _BARS < 0.05:
                    continue
                y -= p * _BARS
                found.append(
                    f'<rect{style} x="{px(x + gap / 2)}" y="{y:.2f}" width="{px(wide - gap)}" '
                    f'height="{p * _BARS:.2f}" fill="{colours[action]}"/>'
                )
            share = row.share / most * _SHARES
            if share > 0.05:
                found.append(
                    f'<rect class="share" x="{px(x + gap / 2)}" y="{px(top + _BARS + 3)}" '
                    f'width="{px(wide - gap)}" height="{share:.2f}"/>'
                )
            if k % step == 0:
                y = top + _BARS + _SHARES + 15
                found.append(f'<text class="hand" x="{px(x + wide / 2)}" y="{px(y)}">{escape(row.name)}</text>')
            found.append("</g>\n")
        found.append(f'<path class="base" d="M0 {px(top + _BARS + 1.5)}H{px(_WIDE)}"/>\n')
        return found, _BARS + _SHARES + 18

    def _told(self, panel: Panel, row: HandRow) -> str:
        """What is said under the pointer."""
        names = [cards_text(self.rules)(self.rules.signal_text(hand)) for hand in row.hands]
        said = ", ".join(f"{a} {percent_text(p)}" for a, p in zip(panel.actions, row.probabilities, strict=True))
        comes = f"its own strategy comes here {percent_text(row.comes)} of the time"
        return f"{clip(' '.join(names), 80)}: {said}; {comes}"

    def _square(self, panel: Panel, colours: Mapping[str, str]) -> tuple[list[str], float]:
        """A square of pairs of ranks, the highest first; suited hands above the diagonal."""
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
        found: list[str] = []
        top = 36.0
        for i, one in enumerate(ranks):
            for j, two in enumerate(ranks):
                name = one + two + "s" if i < j else one + two if i == j else two + one + "o"
                found += self._cell(
                    panel,
                    name,
                    (j * cell, top + i * cell, cell),
                    total[i, j],
                    comes[i, j] / max(1, count[i, j]),
                    colours,
                )
        return found, len(ranks) * cell + 4

    @staticmethod
    def _cell(
        panel: Panel, name: str, at: tuple[float, float, float], total: Sequence[float], comes: float,
        colours: Mapping[str, str],
    ) -> Iterator[str]:  # fmt: skip
        x, y, size = at
        whole = float(sum(total))
        if not whole:
            yield f'<rect class="never" x="{px(x)}" y="{px(y)}" width="{px(size - 1)}" height="{px(size - 1)}"/>'
        else:
            shares = [float(part) / whole for part in total]
            said = ", ".join(f"{a} {percent_text(p)}" for a, p in zip(panel.actions, shares, strict=True))
            yield f"<g><title>{name}: {escape(said)}; its own strategy comes here {percent_text(comes)} of the time"
            yield "</title>"
            style, left = "" if comes > 0.005 else ' class="pale"', x
            for action, share in zip(panel.actions, shares, strict=True):
                wide = share * (size - 1)
                if wide > 0.05:
                    yield f'<rect{style} x="{left:.2f}" y="{px(y)}" width="{wide:.2f}" height="{px(size - 1)}" '
                    yield f'fill="{colours[action]}"/>'
                left += wide
        yield f'<text class="cell" x="{px(x + size / 2)}" y="{px(y + size / 2 + 3)}">{name}</text>'
        yield "</g>\n" if whole else "\n"


def _colours(panels: Sequence[Panel]) -> dict[str, str]:
    """Action -> colour: bets and raises of one size share one."""
    actions = dict.fromkeys(action for panel in panels for action in panel.actions)
    sizes = list(
        dict.fromkeys(action.split()[-1:][0] for action in actions if action.split() and action not in PASSIVE)
    )
    sizes.sort(key=lambda size: (0, int(size)) if size.isdecimal() else (1, 0))
    place = {size: ramp(0.25 + 0.3 * k if len(sizes) < 3 else k / (len(sizes) - 1)) for k, size in enumerate(sizes)}
    return {
        action: PASSIVE[action] if action in PASSIVE else place[action.split()[-1]] if action.split() else ramp(0)
        for action in actions
    }
