"""Where every part of a drawn tree goes, and every text that stands there; no colours and no SVG yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tremble.io.given_profile import GivenProfile
from tremble.model.game import CHANCE, TERMINAL
from tremble.model.tree import GameTree
from tremble.show.annotations import Annotations
from tremble.show.layout import Excerpt, lanes, tidy
from tremble.show.markup import clip, text_width
from tremble.show.numbers import Number, decimal_text, number_text, share_text, short_text
from tremble.show.view import headline, states_an_equilibrium

__all__ = ["LINE", "RADIUS", "MarkText", "Placement"]

RADIUS = 11.0  # of a node
LINE = 13.0  # height of a line of text
_LANE = 9.0
_MAX_LANES = 24  # more links than this side by side could not be followed
_LABEL_ACROSS = 0.62  # a label sits at least this far down its branch, where siblings have spread


@dataclass(frozen=True)
class MarkText:
    """What is written at a mark, ready for measuring."""

    label: str
    share: str
    payoffs: tuple[str, str] | None  # at a leaf
    beside: tuple[str, ...]  # at an inner node: expected payoffs, or what its information set is called


class Placement:
    """Where everything of one picture goes.

    Attributes
    ----------
    down : bool
        Whether the tree hangs from its root; else it grows to the right.
    x, y : list of float
        Place of every mark on a page of ``width`` by ``height``.
    text : list of MarkText
    links : list of (mark, mark, lane)
        Neighbours within an information set; lane 0 is a straight line, others bow out by ``bow(mark, lane)``.
    unlinked : bool
        Whether some level has so many links that they are left out; the numbers in the nodes must do.
    stem : list of float
        Length of the trunk to the right of the nodes of every level.
    """

    def __init__(self, tree: GameTree, part: Excerpt, notes: Annotations, given: GivenProfile | None) -> None:
        self.tree, self.part, self.notes = tree, part, notes
        self.drawn, self.solution = given is not None, None if given is None else given.solution
        self.zero_sum = tree.zero_sum
        self.kind = [int(tree.player[n]) if n >= 0 else TERMINAL for n in part.node]
        self.down = max(part.depth) <= 7
        self.write()
        across = tidy(part.children, self.rooms())
        if self.down and max(across, default=0) > 1750:
            self.down = False
            self.write()
            across = tidy(part.children, self.rooms())
        self.place(across)

    # -- measuring -------------------------------------------------------------------------------

    def write(self) -> None:
        """Every text of the picture, clipped to what the direction has room for."""
        self.text: list[MarkText] = []
        for mark, node in enumerate(self.part.node):
            if node < 0:
                self.text.append(MarkText(f"… {self.part.hidden[mark]:,} more", "", None, ()))
                continue
            above = self.part.node[self.part.parent[mark]] if mark else -1
            label = self.tree.labels(above)[int(self.tree.action[node])] if mark else ""
            move = self.notes.probability[mark]
            payoffs, beside = None, self._beside(mark)
            if self.kind[mark] == TERMINAL:
                payoff1, payoff2 = self.tree.payoff_at(int(self.tree.infoset[node]))
                payoffs = (number_text(payoff1), number_text(payoff2))
            share = "" if move is None else share_text(move)
            self.text.append(MarkText(clip(label, 14 if self.down else 30), share, payoffs, beside))

    def _beside(self, mark: int) -> tuple[str, ...]:
        """Tell what stands beside an inner node."""
        if self.kind[mark] == TERMINAL:
            return ()
        if self.notes.value is not None:
            return tuple(number_text(v) for v in self.notes.value[mark][: 1 if self.zero_sum else 2])
        if self.kind[mark] == CHANCE:
            return ()
        label = self.tree.infoset_labels[self.kind[mark]][int(self.tree.infoset[self.part.node[mark]])]
        return (clip(label, 12),) if label else ()

    def rooms(self) -> list[float]:
        """Half of the room that each mark needs across the levels."""
        rooms = []
        least = 36.0 if len(self.part) < 20 else 20.0
        for mark, text in enumerate(self.text):
            leaf = self.kind[mark] == TERMINAL
            if not self.down:
                rooms.append(10.0 if leaf else 12.5)
                continue
            label = max(text_width(text.label), text_width(text.share, 11)) / (2 * _LABEL_ACROSS)
            if self.part.hidden[mark]:
                body = text_width(text.label, 11) / 2
            elif leaf:
                body = max(text_width(t, 11) for t in text.payoffs or ("",)) / 2
            else:
                body = RADIUS + 2 + text_width(", ".join(text.beside), 11)
            rooms.append(max(label, body, least) + 4.0)
        return rooms

    # -- placing ---------------------------------------------------------------------------------

    def place(self, across: Sequence[float]) -> None:
        """Coordinates of every mark, every level and the links of every information set."""
        part = self.part
        depth = max(part.depth) + 1
        self.across = list(across)
        self.unlinked = False
        self.links = self._links()
        count = [0] * depth
        for mark, _, lane in self.links:
            count[part.depth[mark]] = max(count[part.depth[mark]], lane)
        payoffs = {part.depth[m] for m, text in enumerate(self.text) if text.payoffs}
        self.clear = [32.0 if self.down and d in payoffs else RADIUS + 2 for d in range(depth)]
        self.lane_step = [min(_LANE, 120.0 / max(c, 1)) for c in count]
        zone = [
            c * step + (clear - 8 if self.down else 6) if c else 0.0
            for c, step, clear in zip(count, self.lane_step, self.clear, strict=True)
        ]
        label, value, ends, spread = ([0.0] * depth for _ in range(4))
        shares = [False] * depth
        for mark, text in enumerate(self.text):
            d = part.depth[mark]
            width = text_width(text.label) + (text_width(text.share, 11) + 6 if text.share else 0)
            label[d] = max(label[d], width)
            shares[d] = shares[d] or bool(text.share)
            if self.kind[mark] != TERMINAL:
                value[d] = max(value[d], text_width(", ".join(text.beside), 11))
            elif text.payoffs:
                ends[d] = max(ends[d], sum(text_width(t, 11) + 8 for t in text.payoffs))
            if mark:
                spread[d] = max(spread[d], abs(across[mark] - across[part.parent[mark]]))
        level = [0.0]
        # Payoffs at a leaf must not run into the labels of the next level.
        self.stem = [max(12.0 + (v + 2 if v else 0.0), e - 22) for v, e in zip(value, ends, strict=True)]
        for d in range(1, depth):
            if self.down:
                gap = (96.0 if shares[d] else 74.0) + zone[d - 1] + min(0.14 * spread[d], 90.0)
            else:
                gap = RADIUS + self.stem[d - 1] + 22 + label[d] + zone[d] + RADIUS
            level.append(level[-1] + gap)
        self.level = level
        self._frame()

    def bow(self, mark: int, lane: int) -> float:
        """Tell how far a link of this lane stands off from the nodes it joins."""
        depth = self.part.depth[mark]
        return self.clear[depth] + lane * self.lane_step[depth]

    def _links(self) -> list[tuple[int, int, int]]:
        """Pairs of neighbouring nodes of one information set, with a lane (0: straight, nothing lies between)."""
        part = self.part
        members: dict[tuple[int, int], list[int]] = {}
        rank: dict[int, int] = {}
        level_size: dict[int, int] = {}
        for mark, node in enumerate(part.node):
            rank[mark] = level_size.get(part.depth[mark], 0)
            level_size[part.depth[mark]] = rank[mark] + 1
            if self.kind[mark] >= 0:
                members.setdefault((self.kind[mark], int(self.tree.infoset[node])), []).append(mark)
        straight, bowed = [], []
        for marks in members.values():
            for a, b in pairwise(marks):
                if part.depth[a] != part.depth[b] or rank[b] == rank[a] + 1:
                    straight.append((a, b, 0))
                else:
                    bowed.append((a, b))
        links = straight
        for d in sorted({part.depth[a] for a, _ in bowed}):
            here = [(a, b) for a, b in bowed if part.depth[a] == d]
            spans = [(self.across[a], self.across[b]) for a, b in here]
            lane_of = lanes(spans)
            if max(lane_of) > _MAX_LANES:
                self.unlinked = True
            else:
                links += [(a, b, lane) for (a, b), lane in zip(here, lane_of, strict=True)]
        return links

    def _frame(self) -> None:
        """Size of the page and the coordinates of the marks on it."""
        margin, head = 24.0, 96.0
        last = max(self.part.depth)
        broad = max(c + r for c, r in zip(self.across, self.rooms(), strict=True))
        ends = [
            text_width(t.label, 11) if self.part.hidden[m] else sum(text_width(v, 11) + 8 for v in t.payoffs or ())
            for m, t in enumerate(self.text)
            if self.part.depth[m] == last
        ]
        head_width = max(text_width(t, s) for t, s in ((self.tree.title, 17), (self.subtitle(), 12))) * 0.95
        if self.down:
            self.width = max(broad, head_width, 430.0) + 2 * margin
            shift = (self.width - broad) / 2
            self.x = [shift + c for c in self.across]
            self.y = [head + RADIUS + self.level[d] for d in self.part.depth]
            self.height = head + RADIUS + self.level[-1] + 38 + margin
        else:
            self.x = [margin + RADIUS + self.level[d] for d in self.part.depth]
            self.y = [head + c for c in self.across]
            tail = self.level[last] + 12 + max(ends)
            self.width = max(margin + RADIUS + tail, head_width + margin, 430.0) + margin
            self.height = head + broad + margin

    def subtitle(self) -> str:
        """Tell what stands under the title."""
        if not self.drawn:
            chance, player1, player2, leaves = (f"{n:,}" for n in self.tree.nodes_by_kind.values())
            text = f"{player1} + {player2} decision nodes, {chance} of chance, {leaves} leaves"
        else:
            text = "strategies"
            values: Sequence[Number] | None = None if self.notes.value is None else self.notes.value[0]
            if self.solution is not None:
                values, text = self.solution.values, headline(self.solution)
            if values is not None and self.zero_sum:
                number = short_text(values[0])
                if values[0] != int(values[0]):
                    number += f" ≈ {decimal_text(values[0], 6)}"
                solved = self.solution is not None and states_an_equilibrium(self.solution)
                number = number.replace("-", "\N{MINUS SIGN}")
                text += f", value {number}" if solved else f", earning {number}"
            elif values is not None:
                text += f", payoffs {number_text(values[0], 16)} and {number_text(values[1], 16)}"
        if self.part.num_stubs:
            text += f" (the first {self.part.num_nodes:,} of {self.tree.num_nodes:,} nodes are drawn)"
        return text
