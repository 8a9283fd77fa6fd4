"""Compute the coordinates and the texts of a drawn tree. Other modules choose colors and write SVG or TikZ.

A *mark* is a drawn node, or a stub in place of nodes that are not drawn. The tree hangs from its root, or grows to the
right. *Across* means along a level, from one mark to the next. A *link* joins two nodes of an information set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tremble.formats.given_profile import GivenProfile
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.tree import GameTree
from tremble.numbers import short_text
from tremble.show.annotations import Annotations
from tremble.show.layout import Excerpt, lanes, tidy
from tremble.text.captions import headline, number_text, share_text
from tremble.text.markup import clip, text_width
from tremble.text.view import Number, decimal_text, player_name, states_an_equilibrium
from tremble.words import printable

__all__ = ["LINE", "RADIUS", "TITLE", "Entry", "MarkText", "Placement", "Word", "line_width"]

RADIUS = 11.0  # radius of a node
LINE = 13.0  # height of a line of text
_LANE = 9.0  # greatest distance between the lanes of curved links
_SPACE = 5.0  # space between words
_ROW = 20.0  # height of a row in the legend
_MAX_LANES = 24  # if a level needs more lanes, its links are not drawn, because readers could not follow them
TITLE = 110  # greatest number of characters in a title
SHAPE_ROOM = {"": 0.0, "one": 18.0, "two": 18.0, "chance": 20.0, "leaf": 12.0, "number1": 20.0, "number2": 20.0}
SHAPE_ROOM |= {"set1": 31.0, "set2": 31.0, "wide": 30.0, "off": 52.0, "bad": 30.0, "stub": 26.0}
"""The width of each shape in the legend, including the space after the shape."""

# Greatest width of a tree that hangs from its root. A wider tree is drawn from left to right, so that the picture fits
# a slide and a notebook cell.
_WIDEST = 1250.0
_SMALL = 20  # a picture with fewer marks has room for long labels
# A label begins at least this share of the length of its branch below the upper end. Closer to the upper end, the
# labels of sibling branches would overlap.
_LABEL_ACROSS = 0.62


Word = tuple[str, str]
"""A text and its CSS class."""

Line = tuple[Word, ...]


@dataclass(frozen=True)
class MarkText:
    """The texts at a mark (a drawn node or stub). The widths of these texts determine the layout."""

    label: str  # on the branch to the mark: the action; for a stub, the number of nodes
    share: str  # on the branch: the probability of the action
    cost: str  # on the branch: the loss of the action if it is a blunder
    payoffs: tuple[str, str] | None  # at a leaf: the payoffs of both players
    beside: tuple[Line, ...]  # at an inner node: label of the information set, belief, expected payoffs

    @property
    def branch(self) -> tuple[str, ...]:
        """The lines of text on the branch to the mark, without empty lines."""
        return tuple(filter(None, (self.label, self.share, self.cost)))


@dataclass(frozen=True)
class Entry:
    """An entry of the legend: a shape and its explanation, at a position on the page."""

    shape: str
    words: Line
    x: float = 0.0
    y: float = 0.0


def line_width(line: Line, size: float = 11) -> float:
    """Return the width of a line of words, in pixels."""
    return sum(text_width(text, size) + _SPACE for text, _ in line) - _SPACE if line else 0.0


class Placement:
    """The coordinates and texts of a picture of a tree.

    Attributes
    ----------
    down : bool
        True if the root is at the top of the picture, False if it is on the left.
    x, y : list of float
        The coordinates of every mark on a page with size ``width`` by ``height``.
    text : list of MarkText
    links : list of (mark, mark, lane)
        The links between neighboring nodes of an information set. A link in lane 0 is a straight line. A link in any
        other lane is a curve at the distance ``bow(mark, lane)`` from its level.
    unlinked : bool
        True if a level has too many links to draw. On this level, only the numbers in the nodes show the information
        sets.
    stem : list of float
        For each level of a tree that grows to the right, the length of the common part of the branches after a node.
    legend : list of Entry
        The entries of the legend, one for each kind of mark in the picture.
    """

    def __init__(self, tree: GameTree, part: Excerpt, notes: Annotations, given: GivenProfile | None) -> None:
        self.tree, self.part, self.notes = tree, part, notes
        self.drawn, self.solution = given is not None, None if given is None else given.solution
        self.zero_sum = tree.zero_sum
        self.kind = [int(tree.player[n]) if n >= 0 else TERMINAL for n in part.node]
        self.down = max(part.depth) <= 7
        self.small = len(part) < _SMALL
        self.write()
        across = tidy(part.children, self.rooms())
        if self.down and max(across, default=0) > _WIDEST:
            self.down = False
            self.write()
            across = tidy(part.children, self.rooms())
        self.place(across)

    # -- measuring -------------------------------------------------------------------------------

    def write(self) -> None:
        """Set the texts of all marks, cut to lengths that depend on the direction of the tree."""
        self.text: list[MarkText] = []
        blunders = self.notes.blunder
        for mark, node in enumerate(self.part.node):
            if node < 0:
                self.text.append(MarkText(f"… {self.part.hidden[mark]:,} more", "", "", None, ()))
                continue
            above = self.part.node[self.part.parent[mark]] if mark else -1
            label = self.tree.labels(above)[int(self.tree.action[node])] if mark else ""
            move = self.notes.probability[mark]
            payoffs = None
            if self.kind[mark] == TERMINAL:
                payoff1, payoff2 = self.tree.payoff_at(int(self.tree.infoset[node]))
                payoffs = (number_text(payoff1), number_text(payoff2))
            share = "" if move is None else share_text(move)
            blunder = blunders[mark] if blunders else None
            cost = "" if blunder is None else f"loses {number_text(blunder.loss)}"
            shown = clip(printable(label), (20 if self.small else 14) if self.down else 30)
            self.text.append(MarkText(shown, share, cost, payoffs, self._beside(mark)))

    def _beside(self, mark: int) -> tuple[Line, ...]:
        """Return the texts beside an inner node: two lines, or one line if the tree grows to the right."""
        kind, notes = self.kind[mark], self.notes
        if kind == TERMINAL:
            return ()
        first: list[Word] = []
        if kind != CHANCE:
            label = self.tree.infoset_labels[kind][int(self.tree.infoset[self.part.node[mark]])]
            first += [(clip(printable(label), 16 if self.small else 12), f"name p{kind + 1}")] if label else []
            belief = notes.belief[mark] if notes.belief else None
            if belief is not None:
                first.append((f"[{number_text(belief.probability)}]", "belief bad" if belief.wrong else "belief"))
            mixture = notes.mixture[mark] if notes.mixture else None
            first += [] if mixture is None else [(f"loses {number_text(mixture.loss)}", "cost")]
        second: list[Word] = []
        if notes.value is not None:
            values = notes.value[mark][: 1 if self.zero_sum else 2]
            second = [(number_text(v), f"value p{i + 1}") for i, v in enumerate(values)]
        lines = (first, second) if self.down else (first + second, [])
        return tuple(tuple(line) for line in lines if line)

    def rooms(self) -> list[float]:
        """Return half of the space that each mark needs on its level."""
        rooms = []
        least = 36.0 if self.small else 20.0
        for mark, text in enumerate(self.text):
            leaf = self.kind[mark] == TERMINAL
            if not self.down:
                rooms.append(10.0 if leaf else 12.5)
                continue
            label = max((text_width(line, 12 if k == 0 else 11) for k, line in enumerate(text.branch)), default=0.0)
            if self.part.hidden[mark]:
                body = text_width(text.label, 11) / 2
            elif leaf:
                body = max(text_width(t, 11) for t in text.payoffs or ("",)) / 2
            else:
                body = RADIUS + 2 + max(map(line_width, text.beside), default=0.0)
            rooms.append(max(label / (2 * _LABEL_ACROSS), body, least) + 4.0)
        return rooms

    def raised(self, mark: int) -> float:
        """Return how far the branch label of a mark moves up if the text beside the mark has more than one line."""
        return LINE * max(0, len(self.text[mark].beside) - 1)

    # -- placing ---------------------------------------------------------------------------------

    def place(self, across: Sequence[float]) -> None:
        """Compute the links and all coordinates. ``across`` contains the position of each mark along its level."""
        # Find the links, and the room that curved links need beside each level.
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
        # Measure the largest text of each kind on every level.
        label, value, ends, spread = ([0.0] * depth for _ in range(4))
        lines, raised = [1] * depth, [0.0] * depth
        for mark, text in enumerate(self.text):
            d = part.depth[mark]
            width = text_width(text.label) + sum(text_width(t, 11) + 6 for t in (text.share, text.cost) if t)
            label[d] = max(label[d], width)
            lines[d], raised[d] = max(lines[d], len(text.branch)), max(raised[d], self.raised(mark))
            if self.kind[mark] != TERMINAL:
                value[d] = max(value[d], *map(line_width, text.beside), 0.0)
            elif text.payoffs:
                ends[d] = max(ends[d], sum(text_width(t, 11) + 8 for t in text.payoffs))
            if mark:
                spread[d] = max(spread[d], abs(across[mark] - across[part.parent[mark]]))
        # Compute the distances between levels.
        level = [0.0]
        # Payoffs at a leaf must not overlap the labels of the next level.
        self.stem = [max(12.0 + (v + 2 if v else 0.0), e - 22) for v, e in zip(value, ends, strict=True)]
        for d in range(1, depth):
            if self.down:
                gap = (
                    74.0
                    + (22.0 if lines[d] > 1 else 0.0)
                    + LINE * max(0, lines[d] - 2)
                    + raised[d]
                    + zone[d - 1]
                    + min(0.14 * spread[d], 90.0)
                )
            else:
                gap = RADIUS + self.stem[d - 1] + 28 + label[d] + zone[d] + RADIUS
            level.append(level[-1] + gap)
        self.level = level
        self._frame()

    def bow(self, mark: int, lane: int) -> float:
        """Return the distance between the level of node ``mark`` and a link of this node that runs in lane ``lane``."""
        depth = self.part.depth[mark]
        return self.clear[depth] + lane * self.lane_step[depth]

    def _links(self) -> list[tuple[int, int, int]]:
        """Return the links as triples: two neighboring nodes of an information set, and the lane of their link.

        A link in lane 0 is a straight line. It joins nodes on different levels, or adjacent nodes on the same level.
        """
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
        """Compute the legend, the size of the page, and the final coordinates of the marks."""
        margin = 24.0
        last = max(self.part.depth)
        broad = max(c + r for c, r in zip(self.across, self.rooms(), strict=True))
        ends = [
            text_width(t.label, 11) if self.part.hidden[m] else sum(text_width(v, 11) + 8 for v in t.payoffs or ())
            for m, t in enumerate(self.text)
            if self.part.depth[m] == last
        ]
        title = clip(self.tree.title, TITLE)
        head_width = max(text_width(title, 19), text_width(self.subtitle(), 11.4))  # the title is bold
        long = margin + RADIUS + self.level[last] + 12 + max(ends)
        across = broad if self.down else max(long, head_width)
        self.legend, head = self._legend(margin, 72.0, max(across, head_width, 480.0))
        if self.down:
            self.width = max(broad, head_width, 480.0) + 2 * margin
            shift = (self.width - broad) / 2
            self.x = [shift + c for c in self.across]
            self.y = [head + RADIUS + self.level[d] for d in self.part.depth]
            self.height = head + RADIUS + self.level[-1] + 38 + margin
        else:
            self.x = [margin + RADIUS + self.level[d] for d in self.part.depth]
            self.y = [head + c for c in self.across]
            self.width = max(long, head_width + margin, 480.0 + margin) + margin
            self.height = head + broad + margin

    def _legend(self, x: float, y: float, width: float) -> tuple[list[Entry], float]:
        """Return the entries of the legend and the vertical position below them. The first entry begins at (x, y)."""
        left, entries = x, []
        for entry in self._entries():
            wide = SHAPE_ROOM[entry.shape] + line_width(entry.words, 12)
            if left > x and left + wide > x + width:
                left, y = x, y + _ROW
            entries.append(replace(entry, x=left, y=y))
            left += wide + 20
        return entries, y + 26 + self.raised(0)

    def _entries(self) -> Iterator[Entry]:
        kinds = {k for k, hidden in zip(self.kind, self.part.hidden, strict=True) if not hidden}
        names = [clip(printable(player_name(self.tree, player)), 24) for player in (0, 1)]
        for player in sorted(kinds & {0, 1}):
            yield Entry(("one", "two")[player], ((names[player], ""),))
        if CHANCE in kinds:
            yield Entry("chance", (("chance", ""),))
        if TERMINAL in kinds:
            yield Entry("leaf", (("payoffs of", ""), (names[0], "p1"), ("and", ""), (names[1], "p2")))
        if kinds & {0, 1}:
            yield Entry(f"number{min(kinds & {0, 1}) + 1}", (("information set", ""),))
        if self.links:
            yield Entry(f"set{min(self.kind[a] for a, _, _ in self.links) + 1}", (("nodes of a set", ""),))
        if self.unlinked:
            yield Entry("", (("nodes on a level with the same number and color: one information set", ""),))
        beside = {kind for text in self.text for line in text.beside for _, kind in line}
        if named := sorted(kind for kind in beside if kind.startswith("name")):
            yield Entry("", (("name", named[0]), ("of the set", "")))
        if any(text.share for text in self.text):
            yield Entry("", (("1/2", "prob"), ("probability", "")))
        if self.notes.reach is not None and len(self.part) > 1:
            yield Entry("wide", (("wider: more likely", ""),))
        if not all(map(self.notes.played, range(len(self.part)))):
            yield Entry("off", (("never reached", ""),))
        if values := sorted(kind for kind in beside if kind.startswith("value")):
            meaning: Line = ((f"expected payoff{'s' * (len(values) > 1)} from here", ""),)
            yield Entry("", (*((text, kind) for text, kind in zip(("2", "1"), values, strict=False)), *meaning))
        if beside & {"belief", "belief bad"}:
            yield Entry("", (("[1/2]", "belief"), ("belief: probability of the node at its set", "")))
        if "belief bad" in beside:
            yield Entry("", (("[1/2]", "belief bad"), ("wrong belief: no mistakes of the opponent lead to it", "")))
        if any(text.cost for text in self.text):
            yield Entry("bad", (("loses 1", "cost"), ("blunder, and its loss each time", "")))
        if "cost" in beside:
            yield Entry("", (("loses 1", "cost"), ("beside a node: loss of the mixture", "")))
        if self.part.num_stubs:
            yield Entry("stub", (("…", "faint"), ("nodes that are not drawn", "")))

    def subtitle(self) -> str:
        """Return the line under the title: sizes of the tree, or the solution and its payoffs."""
        if not self.drawn:
            chance, player1, player2, leaves = (f"{n:,}" for n in self.tree.nodes_by_kind.values())
            text = f"{player1} + {player2} decision nodes, {chance} of chance, {leaves} leaves"
        else:
            text = "strategies"
            whole = self.part.node[0] == 0
            values: Sequence[Number] | None = None if self.notes.value is None or not whole else self.notes.value[0]
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
        if self.part.num_nodes < self.tree.num_nodes:
            text += f" ({self.part.num_nodes:,} of {self.tree.num_nodes:,} nodes are drawn)"
        return text
