"""Draw a game tree as SVG, with or without a solution.

The root of a small tree is at the top, as in textbooks. A deep or broad tree grows from left to right, so that the text
is parallel to the branches. Nodes of player 1 are blue circles, nodes of player 2 are orange squares, and chance nodes
are gray diamonds. The colors are from the palette of Okabe and Ito, which color-blind readers can distinguish. The
number inside a node is the number of its information set. Dashed lines join the nodes of an information set and avoid
all other nodes.

With a solution, the branches show probabilities, and branches with a higher probability are thicker. Dashed branches
and hollow nodes have probability 0 under the solution. Nodes show expected payoffs, and beliefs in brackets. A legend
explains the marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tremble.formats.given_profile import GivenProfile, ProfileLike
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.tree import GameTree
from tremble.numbers import as_float, exact_text, short_text
from tremble.show.placement import LINE, RADIUS, SHAPE_ROOM, TITLE, Placement, Word
from tremble.show.scene import Scene
from tremble.solution.audit import Blunder
from tremble.text.markup import clip, element, escape, label, moved, picture, px, text_width, titled
from tremble.text.view import player_name
from tremble.words import printable

__all__ = ["draw_svg", "tree_svg"]


def draw_svg(tree: GameTree, solution: ProfileLike | GivenProfile | None = None, *, max_nodes: int = 3000) -> str:
    """Draw a game tree, or a solution on a tree, as a standalone SVG document.

    Parameters
    ----------
    tree : GameTree
    solution : object, optional
        A profile. :func:`tremble.nash_conv` lists the accepted forms. For a solution, the line below the title
        describes the solution.
    max_nodes : int
        An approximate limit on the number of nodes in the drawing. If the tree has more nodes, only its first levels
        are drawn. Stubs stand for the other nodes, and each stub shows the number of its nodes.

    Returns
    -------
    str
        XML text. Write it with the encoding UTF-8.

    Raises
    ------
    TrembleError
        The profile belongs to another game. For a solution, this is a ``CertificateError``.

    Examples
    --------
    >>> import tremble
    >>> from tremble.show import draw_svg
    >>> picture = draw_svg(tremble.load("kuhn"))
    >>> picture[:4], picture.count('class="end"')
    ('<svg', 30)
    """
    return tree_svg(Scene.of(tree, solution, max_nodes=max_nodes))


def tree_svg(scene: Scene) -> str:
    """Return the text of an SVG document that draws a scene (a part of a tree with its numbers)."""
    return _Drawing(scene.tree, scene.part, scene.notes, scene.given).draw()


class _Drawing(Placement):
    """An SVG picture of a tree. A *mark* is a node or a stub in the picture."""

    def draw(self) -> str:
        """Return the SVG document."""
        marks = range(1, len(self.part))
        parts = [
            *self._header(),
            '<g class="canvas">\n',
            # Later branches are drawn over earlier ones: first unreached branches, then blunders, then all others.
            *map(self._edge, sorted(marks, key=lambda m: (self.notes.played(m), not self.text[m].cost))),
            *(self._link(*link) for link in self.links),
            *map(self._label, marks),
            *map(self._mark, range(len(self.part))),
            "</g>\n",
        ]
        return picture("tree", self.tree.title or "Game tree", self.width, self.height, parts)

    def _header(self) -> Iterator[str]:
        yield label(24, 32, clip(printable(self.tree.title) or "Game tree", TITLE), "title") + "\n"
        yield label(24, 51, self.subtitle(), "faint") + "\n"
        for entry in self.legend:
            shape = moved(entry.x, entry.y, _SHAPES[entry.shape]) if entry.shape else ""
            yield shape + _words(entry.words, x=entry.x + SHAPE_ROOM[entry.shape], y=entry.y + 4) + "\n"

    def _edge(self, mark: int) -> str:
        above = self.part.parent[mark]
        x0, y0, x1, y1 = self.x[above], self.y[above], self.x[mark], self.y[mark]
        move = self.notes.probability[mark]
        thick = 1.1
        if self.notes.reach is not None and move is not None:
            thick = 1.0 + 3.0 * as_float(move)
        if self.down:
            path = f"M{px(x0)} {px(y0)}L{px(x1)} {px(y1)}"
        else:
            bend = x0 + RADIUS + self.stem[self.part.depth[above]]
            r = min(8.0, abs(y1 - y0) / 2)
            turn = r if y1 > y0 else -r
            corner = f"H{px(bend)}Q{px(bend + r)} {px(y0)} {px(bend + r)} {px(y0 + turn)}V{px(y1 - turn)}"
            corner += f"Q{px(bend + r)} {px(y1)} {px(bend + 2 * r)} {px(y1)}"
            path = f"M{px(x0)} {px(y0)}{corner if r > 0.4 else ''}H{px(x1)}"
        kind = "edge stub" if self.part.hidden[mark] else "edge"
        kind += "" if self.notes.played(mark) else " off"
        kind += " bad" if self.text[mark].cost else ""
        return element("path", kind=kind, d=path, stroke_width=thick) + "\n"

    def _at(self, across: float, along: float) -> str:
        return f"{px(across)} {px(along)}" if self.down else f"{px(along)} {px(across)}"

    def _link(self, a: int, b: int, lane: int) -> str:
        xa, ya, xb, yb = self.x[a], self.y[a], self.x[b], self.y[b]
        if lane == 0:
            path = f"M{px(xa)} {px(ya)}L{px(xb)} {px(yb)}"
        else:  # a curved link that runs parallel to the level, at a distance
            bow = self.bow(a, lane) if self.down else -self.bow(a, lane)
            (ca, la), (cb, lb) = ((xa, ya), (xb, yb)) if self.down else ((ya, xa), (yb, xb))
            r, off = min(26.0, (cb - ca) / 2), la + bow
            path = f"M{self._at(ca, la)}C{self._at(ca, off)} {self._at(ca, off)} {self._at(ca + r, off)}"
            path += f"{'H' if self.down else 'V'}{px(cb - r)}"
            path += f"C{self._at(cb, off)} {self._at(cb, off)} {self._at(cb, lb)}"
        kind = f"set set{self.kind[a] + 1}"
        return element("path", kind=kind, data_set=self._set(a), d=path) + "\n"

    def _set(self, mark: int) -> str:
        """Return a key for a mark's information set: the player and the number of the set, such as ``1-3``."""
        return f"{self.kind[mark] + 1}-{int(self.tree.infoset[self.part.node[mark]]) + 1}"

    def _label(self, mark: int) -> str:
        """Draw the texts on the branch to a mark: action, probability, and loss of a blunder."""
        text = self.text[mark]
        if self.part.hidden[mark] or not text.branch:
            return ""
        off = "" if self.notes.played(mark) else "off"
        move = self.notes.probability[mark]
        up = self.part.parent[mark]
        tooltip = self.tree.labels(self.part.node[up])[int(self.tree.action[self.part.node[mark]])]
        tooltip += "" if move is None else f": {exact_text(move)}"
        blunder = self.notes.blunder[mark] if text.cost else None
        tooltip += "" if blunder is None else f"\n{blunder_text(blunder)}"
        line: tuple[Word, ...] = tuple(
            (t, k) for t, k in ((text.label, ""), (text.share, "prob"), (text.cost, "cost")) if t
        )
        if not self.down:
            x = self.x[up] + RADIUS + self.stem[self.part.depth[mark] - 1] + 18
            return titled(tooltip, _words(line, x=x, y=self.y[mark] - 4), off) + "\n"
        high = LINE * len(line)
        rise = RADIUS + 7 + high / 2 + self.raised(mark)
        t = 1 - rise / (self.y[mark] - self.y[up])
        x = self.x[up] + t * (self.x[mark] - self.x[up])
        top = self.y[mark] - rise - high / 2
        wide = max(text_width(word, 12 if kind == "" else 11) for word, kind in line)
        body = element("rect", kind="paper", x=x - wide / 2 - 1, y=top, width=wide + 2, height=high)
        for k, (word, kind) in enumerate(line):
            body += label(x, top + 10 + LINE * k, word, kind, "middle")
        return titled(tooltip, body, off) + "\n"

    def _mark(self, mark: int) -> str:
        """Draw a node with its number, payoffs and tooltip. For hidden nodes, draw a stub."""
        x, y, kind = self.x[mark], self.y[mark], self.kind[mark]
        if self.part.hidden[mark]:
            shift, anchor = (6, "middle") if self.down else (4, "")
            return label(x, y + shift, self.text[mark].label, "faint stub", anchor) + "\n"
        off = "" if self.notes.reached(mark) else " off"
        tooltip = self.tip(mark)
        if kind == TERMINAL:
            payoff1, payoff2 = self.text[mark].payoffs or ("", "")
            body = element("circle", kind="leaf", cx=x, cy=y, r=3)
            if self.down:
                body += label(x, y + 16, payoff1, "pay p1", "middle") + label(x, y + 29, payoff2, "pay p2", "middle")
            else:
                pays = element("tspan", payoff1, kind="p1") + element("tspan", payoff2, kind="p2", dx=8)
                body += element("text", pays, kind="pay", x=x + 8, y=y + 4)
            return titled(tooltip, body, f"end{off}") + "\n"
        key, inside = None, ""
        if kind == CHANCE:
            path = f"M{px(x)} {px(y - 10)}L{px(x + 10)} {px(y)}L{px(x)} {px(y + 10)}L{px(x - 10)} {px(y)}Z"
            shape = element("path", kind="node0", d=path)
        else:
            key = self._set(mark)
            number = key[2:]
            size = {1: 11.0, 2: 11.0, 3: 9.0}.get(len(number), 27.0 / len(number))
            inside = element("text", number, kind="number", x=x, y=y + size * 0.36, font_size=size)
            if kind == 0:
                shape = element("circle", kind="node1", cx=x, cy=y, r=RADIUS)
            else:
                shape = element("rect", kind="node2", x=x - 10, y=y - 10, width=20, height=20, rx=4)
        return titled(tooltip, shape + inside + self._aside(mark), f"node{off}", data_set=key) + "\n"

    def _aside(self, mark: int) -> str:
        """Draw the texts beside an inner node: on the right, or on the left if the branch comes from the right."""
        lines = self.text[mark].beside
        x, anchor = self.x[mark] + RADIUS + 3, ""
        if self.down and mark and self.x[self.part.parent[mark]] > self.x[mark] + 1:
            x, anchor = self.x[mark] - RADIUS - 4, "end"
        first = self.y[mark] - 6 - LINE * (len(lines) - 1)
        return "".join(_words(line, "beside", anchor, x=x, y=first + LINE * k) for k, line in enumerate(lines))

    def tip(self, mark: int) -> str:
        """Return the text of a node's tooltip, with exact numbers."""
        node, kind = self.part.node[mark], self.kind[mark]
        tree = self.tree
        if kind == TERMINAL:
            payoff1, payoff2 = tree.payoff_at(int(tree.infoset[node]))
            rows = [f"Payoffs {short_text(payoff1, 60)} and {short_text(payoff2, 60)}"]
        elif kind == CHANCE:
            rows = ["Chance"]
        else:
            k = int(tree.infoset[node])
            named = tree.infoset_labels[kind][k]
            rows = [f"{player_name(tree, kind)}, information set {k + 1}"]
            rows += [f"“{clip(named, 60)}”"] if named else []
        if self.notes.reach is not None and self.notes.value is not None:
            rows.append(f"Reached with probability {short_text(self.notes.reach[mark], 60)}")
            if kind != TERMINAL:
                shown = [short_text(v, 60) for v in self.notes.value[mark]]
                rows.append(f"Expected payoffs {' and '.join(shown)}")
        belief = self.notes.belief[mark] if self.notes.belief else None
        if belief is not None:
            why = "as the solution states" if belief.stated else "by Bayes' rule"
            why += "; no mistakes of the opponent lead to this belief" if belief.wrong else ""
            rows.append(f"Believed with probability {short_text(belief.probability, 60)} ({why})")
        mixture = self.notes.mixture[mark] if self.notes.mixture else None
        rows += [] if mixture is None else [blunder_text(mixture)]
        if kind != TERMINAL:
            below = self.part.children[mark]
            for action, child in list(zip(tree.labels(node), below, strict=False))[:12]:
                move = self.notes.probability[child]
                rows += [] if move is None else [f"{clip(action, 40)}: {short_text(move, 60)}"]
        return "\n".join(rows)


def _words(words: Sequence[Word], kind: str = "", anchor: str = "", **place: float) -> str:
    """Draw a line of words, each with its own CSS class."""
    spans = "\N{NO-BREAK SPACE} ".join(element("tspan", escape(text), kind=looks) for text, looks in words)
    return element("text", spans, kind=kind, text_anchor=anchor, **place)


def blunder_text(blunder: Blunder) -> str:
    """Describe a blunder in a sentence."""
    what = "This mixture" if blunder.action is None else f"“{clip(blunder.action, 40)}”"
    against = {
        "regret": "against the other player's strategy",
        "unsupported": "at least, whatever the other player does",
        "dominated": "against an opponent who plays uniformly",
    }[blunder.kind]
    better = "" if blunder.better == blunder.action else f"; better: {clip(blunder.better, 40)}"
    return f"{what} loses {short_text(blunder.loss, 60)} each time, {against}{better}"


_LINE = '<path class="edge{}" d="M0 0h{}" stroke-width="{}"/>'
_NUMBER = '<text class="number" x="7" y="3.6" font-size="10">1</text>'
_SHAPES = {
    "one": '<circle class="node1" cx="6" cy="0" r="5"/>',
    "two": '<rect class="node2" x="1" y="-5" width="10" height="10" rx="2"/>',
    "chance": '<path class="node0" d="M0 0l6 -6 6 6 -6 6z"/>',
    "leaf": '<circle class="leaf" cx="4" cy="0" r="2"/>',
    "number1": f'<circle class="node1" cx="7" cy="0" r="7"/>{_NUMBER}',
    "number2": f'<rect class="node2" x="1" y="-6" width="12" height="12" rx="2"/>{_NUMBER}',
    "set1": '<path class="set set1" d="M0 0h26"/>',
    "set2": '<path class="set set2" d="M0 0h26"/>',
    "wide": _LINE.format("", 11, 4) + '<path class="edge" d="M14 0h11" stroke-width="1.2"/>',
    "off": f'{_LINE.format(" off", 25, 2)}<g class="off"><circle class="node1" cx="40" cy="0" r="5"/></g>',
    "bad": _LINE.format(" bad", 25, 2),
    "stub": _LINE.format(" stub", 20, 1.1),
}
"""The shapes of the legend, vertically centered on a line."""
