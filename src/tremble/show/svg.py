"""Our own drawing of a game tree as SVG, with or without a solution on it.

Small trees hang from their root, as in textbooks; deep or broad ones grow from left to right, where text
reads along the branches. Player 1 is a blue circle, player 2 an orange square (colours of Okabe and Ito,
told apart by the colour-blind), chance a grey diamond; a number inside is the information set. Dashed
lines join the nodes of an information set and pass beside all others. With a solution, branches carry
probabilities and are as thick as they are likely, what is never reached is pale, and nodes carry expected
payoffs.
"""

from __future__ import annotations

from collections.abc import Iterator

from tremble.io.given_profile import GivenProfile, ProfileLike
from tremble.model.game import CHANCE, TERMINAL
from tremble.model.printable import escape
from tremble.model.tree import GameTree
from tremble.show.markup import clip, element, label, picture, px, text_width, titled
from tremble.show.numbers import as_float, exact_text, short_text
from tremble.show.placement import LINE, RADIUS, Placement
from tremble.show.scene import Scene
from tremble.show.view import player_name

__all__ = ["draw_svg", "tree_svg"]


def draw_svg(tree: GameTree, solution: ProfileLike | GivenProfile | None = None, *, max_nodes: int = 3000) -> str:
    """Draw a game tree, or a solution on it, as a standalone SVG document.

    Parameters
    ----------
    tree : GameTree
    solution : object, optional
        Whatever stands for a profile: see :func:`tremble.nash_conv`; a solution is named in the head.
    max_nodes : int
        About how many nodes to draw at most; of a larger tree the first levels are drawn, and stubs say
        how many nodes they stand for.

    Returns
    -------
    str
        XML text; write it with UTF-8.

    Raises
    ------
    TrembleError
        The solution is of another game (``CertificateError``), or the strategies are.

    Examples
    --------
    >>> import tremble
    >>> from tremble.show import draw_svg
    >>> picture = draw_svg(tremble.load("kuhn"))
    >>> picture[:4], picture.count('class="leaf"')
    ('<svg', 30)
    """
    return tree_svg(Scene.of(tree, solution, max_nodes=max_nodes))


def tree_svg(scene: Scene) -> str:
    """Draw what is chosen as a standalone SVG document."""
    return _Drawing(scene.tree, scene.part, scene.notes, scene.given).draw()


class _Drawing(Placement):
    """One picture, drawn piece by piece."""

    def draw(self) -> str:
        """Write the document."""
        marks = range(1, len(self.part))
        parts = [
            *self._header(),
            '<g class="canvas">\n',
            *(self._edge(m) for pale in (True, False) for m in marks if self.notes.unplayed(m) == pale),
            *(self._link(*link) for link in self.links),
            *map(self._label, marks),
            *map(self._mark, range(len(self.part))),
            "</g>\n",
        ]
        return picture("tree", self.tree.title or "Game tree", self.width, self.height, parts)

    def _header(self) -> Iterator[str]:
        yield label(24, 32, clip(self.tree.title or "Game tree", 120), "title") + "\n"
        yield label(24, 51, self.subtitle(), "faint") + "\n"
        names = [player_name(self.tree, player, lambda name: clip(name, 24)) for player in (0, 1)]
        entries = [
            ('<circle class="node1" cx="{}" cy="70.0" r="6"/>', 6, 18, names[0]),
            ('<rect class="node2" x="{}" y="64.5" width="11" height="11" rx="2"/>', 0, 18, names[1]),
        ]
        if CHANCE in self.kind:
            entries.append(('<path class="node0" d="M{} 70.0l6.5 -6.5 6.5 6.5 -6.5 6.5z"/>', 0, 18, "Chance"))
        if self.links:
            entries.append(('<path class="set set1" d="M{} 70.0h26"/>', 0, 31, "same information set"))
        if self.unlinked:
            entries.append(("", 0, 0, "the same number and colour on a level: also the same information set"))
        if self.notes.reach is not None and not all(self.notes.reached(m) for m in range(len(self.part))):
            entries.append(('<path class="edge pale" d="M{} 70.0h20" stroke-width="1"/>', 0, 25, "never reached"))
        x = 24.0
        for shape, shift, wide, name in entries:
            yield shape.format(px(x + shift)) + element("text", escape(name), x=x + wide, y="74.0") + "\n"
            x += wide + text_width(name) + 20

    def _edge(self, mark: int) -> str:
        above = self.part.parent[mark]
        x0, y0, x1, y1 = self.x[above], self.y[above], self.x[mark], self.y[mark]
        move = self.notes.probability[mark]
        pale = self.notes.unplayed(mark)
        thick = 1.1
        if self.notes.reach is not None and move is not None:
            thick = 1.0 if pale else 1.0 + 2.6 * as_float(move)
        if self.down:
            path = f"M{px(x0)} {px(y0)}L{px(x1)} {px(y1)}"
        else:
            bend = x0 + RADIUS + self.stem[self.part.depth[above]]
            r = min(8.0, abs(y1 - y0) / 2)
            turn = r if y1 > y0 else -r
            corner = f"H{px(bend)}Q{px(bend + r)} {px(y0)} {px(bend + r)} {px(y0 + turn)}V{px(y1 - turn)}"
            corner += f"Q{px(bend + r)} {px(y1)} {px(bend + 2 * r)} {px(y1)}"
            path = f"M{px(x0)} {px(y0)}{corner if r > 0.4 else ''}H{px(x1)}"
        dotted = "2 4" if self.part.hidden[mark] else None
        body = element("path", kind="edge", d=path, stroke_width=thick, stroke_dasharray=dotted)
        return (element("g", body, kind="pale") if pale else body) + "\n"

    def _at(self, across: float, along: float) -> str:
        return f"{px(across)} {px(along)}" if self.down else f"{px(along)} {px(across)}"

    def _link(self, a: int, b: int, lane: int) -> str:
        xa, ya, xb, yb = self.x[a], self.y[a], self.x[b], self.y[b]
        pale = not (self.notes.reached(a) or self.notes.reached(b))
        if lane == 0:
            path = f"M{px(xa)} {px(ya)}L{px(xb)} {px(yb)}"
        else:  # along the level, at a distance from it
            bow = self.bow(a, lane) if self.down else -self.bow(a, lane)
            (ca, la), (cb, lb) = ((xa, ya), (xb, yb)) if self.down else ((ya, xa), (yb, xb))
            r, off = min(26.0, (cb - ca) / 2), la + bow
            path = f"M{self._at(ca, la)}C{self._at(ca, off)} {self._at(ca, off)} {self._at(ca + r, off)}"
            path += f"{'H' if self.down else 'V'}{px(cb - r)}"
            path += f"C{self._at(cb, off)} {self._at(cb, off)} {self._at(cb, lb)}"
        kind = f"set set{self.kind[a] + 1}{' pale' if pale else ''}"
        return element("path", kind=kind, data_set=self._set(a), d=path) + "\n"

    def _set(self, mark: int) -> str:
        """Player and number of the information set of a mark."""
        return f"{self.kind[mark] + 1}-{int(self.tree.infoset[self.part.node[mark]]) + 1}"

    def _label(self, mark: int) -> str:
        """Write action and probability on the branch to a mark."""
        text = self.text[mark]
        if self.part.hidden[mark] or not (text.label or text.share):
            return ""
        pale = "pale" if self.notes.unplayed(mark) else ""
        move = self.notes.probability[mark]
        up = self.part.parent[mark]
        told = self.tree.labels(self.part.node[up])[int(self.tree.action[self.part.node[mark]])]
        told += "" if move is None else f": {exact_text(move)}"
        if not self.down:
            words = f"<title>{escape(told)}</title>{escape(text.label)}"
            words += element("tspan", text.share, kind="prob", dx=6) if text.share else ""
            x = self.x[up] + RADIUS + self.stem[self.part.depth[mark] - 1] + 18
            return element("text", words, kind=pale, x=x, y=self.y[mark] - 4) + "\n"
        high = LINE * (bool(text.label) + bool(text.share))
        rise = RADIUS + 7 + high / 2
        t = 1 - rise / (self.y[mark] - self.y[up])
        x = self.x[up] + t * (self.x[mark] - self.x[up])
        top = self.y[mark] - rise - high / 2
        wide = max(text_width(text.label, 11), text_width(text.share, 10.4))
        body = element("rect", kind="paper", x=x - wide / 2 - 1, y=top, width=wide + 2, height=high)
        if text.label:
            body += label(x, top + 10, text.label, anchor="middle")
        if text.share:
            body += label(x, top + 10 + (LINE if text.label else 0), text.share, "prob", "middle")
        return titled(told, body, pale) + "\n"

    def _mark(self, mark: int) -> str:
        """Write a node with its number, payoffs and tooltip; or a stub."""
        x, y, kind = self.x[mark], self.y[mark], self.kind[mark]
        if self.part.hidden[mark]:
            shift, anchor = (6, "middle") if self.down else (4, "")
            return label(x, y + shift, self.text[mark].label, "faint stub", anchor) + "\n"
        pale = "" if self.notes.reached(mark) else " pale"
        told = self.tip(mark)
        if kind == TERMINAL:
            payoff1, payoff2 = self.text[mark].payoffs or ("", "")
            body = element("circle", kind="leaf", cx=x, cy=y, r=3)
            if self.down:
                body += label(x, y + 16, payoff1, "pay p1", "middle") + label(x, y + 29, payoff2, "pay p2", "middle")
            else:
                pays = element("tspan", payoff1, kind="p1") + element("tspan", payoff2, kind="p2", dx=8)
                body += element("text", pays, kind="pay", x=x + 8, y=y + 4)
            return titled(told, body, f"end{pale}") + "\n"
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
        # What is pale still hides the branches behind it.
        back = element("circle", kind="paper", cx=x, cy=y, r="9.5") if pale else ""
        return back + titled(told, shape + inside + self._aside(mark), f"node{pale}", data_set=key) + "\n"

    def _aside(self, mark: int) -> str:
        """Write what stands beside an inner node, away from the branch that leads to it."""
        beside = self.text[mark].beside
        if not beside:
            return ""
        if self.notes.value is None:
            body, kind = escape(beside[0]), f"name p{self.kind[mark] + 1}"
        else:
            body, kind = ", ".join(element("tspan", text, kind=f"p{i + 1}") for i, text in enumerate(beside)), "value"
        x, anchor = self.x[mark] + RADIUS + 3, ""
        if self.down and mark and self.x[self.part.parent[mark]] > self.x[mark] + 1:
            x, anchor = self.x[mark] - RADIUS - 2, "end"
        return element("text", body, kind=kind, text_anchor=anchor, x=x, y=self.y[mark] - 6)

    def tip(self, mark: int) -> str:
        """Write the tooltip of a node, with exact numbers."""
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
        if kind != TERMINAL:
            below = self.part.children[mark]
            for action, child in list(zip(tree.labels(node), below, strict=False))[:12]:
                move = self.notes.probability[child]
                rows += [] if move is None else [f"{clip(action, 40)}: {short_text(move, 60)}"]
        return "\n".join(rows)
