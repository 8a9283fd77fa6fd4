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

from tremble.model.game import CHANCE, TERMINAL
from tremble.model.printable import escape
from tremble.model.strategy import GivenProfile
from tremble.model.tree import GameTree, require_tree
from tremble.show.annotations import annotate
from tremble.show.layout import excerpt
from tremble.show.markup import clip, px, text_width
from tremble.show.numbers import as_float, exact_text, short_text
from tremble.show.placement import LINE, RADIUS, Placement
from tremble.show.theme import TREE
from tremble.show.view import player_name

__all__ = ["draw_svg"]


def draw_svg(tree: GameTree, solution: GivenProfile | None = None, *, max_nodes: int = 3000) -> str:
    """Draw a game tree, or a solution on it, as a standalone SVG document.

    Parameters
    ----------
    tree : GameTree
    solution : Solution or pair of BehaviorStrategy, optional
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
    >>> from tremble.show.svg import draw_svg
    >>> picture = draw_svg(tremble.load("kuhn"))
    >>> picture[:4], picture.count('class="leaf"')
    ('<svg', 30)
    """
    require_tree(tree)
    part = excerpt(tree, max_nodes)
    notes = annotate(tree, part, solution)
    return "".join(_Drawing(tree, part, notes, solution).lines())


class _Drawing(Placement):
    """One picture, written line by line."""

    def lines(self) -> Iterator[str]:
        """Write the document, piece by piece."""
        w, h = px(self.width), px(self.height)
        title = escape(self.tree.title or "Game tree")
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" '
            f'class="tree" role="img">\n<title>{title}</title>\n<style>\n{TREE}</style>\n'
            f'<rect class="paper" width="{w}" height="{h}"/>\n'
        )
        yield from self._header()
        yield '<g class="canvas">\n'
        marks = range(1, len(self.part))
        for pale in (True, False):
            yield from (self._edge(m) for m in marks if self.notes.unplayed(m) == pale)
        yield from (self._link(*link) for link in self.links)
        yield from (self._label(m) for m in marks)
        yield from (self._mark(m) for m in range(len(self.part)))
        yield "</g>\n</svg>\n"

    def _header(self) -> Iterator[str]:
        title = escape(clip(self.tree.title or "Game tree", 120))
        yield f'<text class="title" x="24" y="32">{title}</text>\n'
        yield f'<text class="faint" x="24" y="51">{escape(self.subtitle())}</text>\n'
        x, y = 24.0, 70.0
        names = [player_name(self.tree, player, lambda name: clip(name, 24)) for player in (0, 1)]
        entries = [
            (f'<circle class="node1" cx="{{}}" cy="{y}" r="6"/>', names[0]),
            (f'<rect class="node2" x="{{}}" y="{y - 5.5}" width="11" height="11" rx="2"/>', names[1]),
        ]
        if CHANCE in self.kind:
            entries.append((f'<path class="node0" d="M{{}} {y}l6.5 -6.5 6.5 6.5 -6.5 6.5z"/>', "Chance"))
        if self.links:
            entries.append((f'<path class="set set1" d="M{{}} {y}h26"/>', "same information set"))
        if self.unlinked:
            entries.append(("", "the same number and colour on a level: also the same information set"))
        if self.notes.reach is not None and not all(self.notes.reached(m) for m in range(len(self.part))):
            entries.append((f'<path class="edge pale" d="M{{}} {y}h20" stroke-width="1"/>', "never reached"))
        for shape, name in entries:
            start = x + 6 if "circle" in shape else x
            wide = 0.0 if not shape else 31.0 if "set" in shape else 25.0 if "edge" in shape else 18.0
            yield shape.format(px(start)) + f'<text x="{px(x + wide)}" y="{y + 4}">{escape(name)}</text>\n'
            x += wide + text_width(name) + 20

    def _edge(self, mark: int) -> str:
        above = self.part.parent[mark]
        x0, y0, x1, y1 = self.x[above], self.y[above], self.x[mark], self.y[mark]
        move = self.notes.probability[mark]
        pale = ' class="pale"' if self.notes.unplayed(mark) else ""
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
        dotted = ' stroke-dasharray="2 4"' if self.part.hidden[mark] else ""
        body = f'<path class="edge" d="{path}" stroke-width="{px(thick)}"{dotted}/>'
        return f"<g{pale}>{body}</g>\n" if pale else body + "\n"

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
        faint = " pale" if pale else ""
        key = f"{self.kind[a] + 1}-{int(self.tree.infoset[self.part.node[a]]) + 1}"
        return f'<path class="set set{self.kind[a] + 1}{faint}" data-set="{key}" d="{path}"/>\n'

    def _label(self, mark: int) -> str:
        """Write action and probability on the branch to a mark."""
        text = self.text[mark]
        if self.part.hidden[mark] or not (text.label or text.share):
            return ""
        pale = ' class="pale"' if self.notes.unplayed(mark) else ""
        move = self.notes.probability[mark]
        above = self.part.node[self.part.parent[mark]]
        full = self.tree.labels(above)[int(self.tree.action[self.part.node[mark]])]
        tip = f"<title>{escape(full)}{'' if move is None else ': ' + exact_text(move)}</title>"
        label, share = escape(text.label), text.share
        if self.down:
            up = self.part.parent[mark]
            rows = (1 if label else 0) + (1 if share else 0)
            rise = RADIUS + 7 + rows * LINE / 2
            t = 1 - rise / (self.y[mark] - self.y[up])
            x, y = self.x[up] + t * (self.x[mark] - self.x[up]), self.y[mark] - rise
            wide = max(text_width(text.label, 11), text_width(share, 10.4))
            top = y - rows * LINE / 2
            box = f'<rect class="paper" x="{px(x - wide / 2 - 1)}" y="{px(top)}" width="{px(wide + 2)}" '
            box += f'height="{px(rows * LINE)}"/>'
            words = f'<text text-anchor="middle" x="{px(x)}" y="{px(top + 10)}">{label}</text>' if label else ""
            if share:
                y = top + 10 + (LINE if label else 0)
                words += f'<text class="prob" text-anchor="middle" x="{px(x)}" y="{px(y)}">{share}</text>'
            return f"<g{pale}>{tip}{box}{words}</g>\n"
        x = self.x[self.part.parent[mark]] + RADIUS + self.stem[self.part.depth[mark] - 1] + 18
        words = label + (f'<tspan class="prob" dx="6">{share}</tspan>' if share else "")
        return f'<text{pale} x="{px(x)}" y="{px(self.y[mark] - 4)}">{tip}{words}</text>\n'

    def _mark(self, mark: int) -> str:
        """Write a node with its number, payoffs and tooltip; or a stub."""
        x, y, kind, node = self.x[mark], self.y[mark], self.kind[mark], self.part.node[mark]
        text = self.text[mark]
        if self.part.hidden[mark]:
            place = f'text-anchor="middle" x="{px(x)}" y="{px(y + 6)}"' if self.down else f'x="{px(x)}" y="{px(y + 4)}"'
            return f'<text class="faint stub" {place}>{text.label}</text>\n'
        pale = "" if self.notes.reached(mark) else " pale"
        tip = f"<title>{escape(self.tip(mark))}</title>"
        if kind == TERMINAL:
            one, two = text.payoffs or ("", "")
            dot = f'<circle class="leaf" cx="{px(x)}" cy="{px(y)}" r="3"/>'
            if self.down:
                pay = f'<text class="pay p1" text-anchor="middle" x="{px(x)}" y="{px(y + 16)}">{one}</text>'
                pay += f'<text class="pay p2" text-anchor="middle" x="{px(x)}" y="{px(y + 29)}">{two}</text>'
            else:
                pay = f'<text class="pay" x="{px(x + 8)}" y="{px(y + 4)}"><tspan class="p1">{one}</tspan>'
                pay += f'<tspan class="p2" dx="8">{two}</tspan></text>'
            return f'<g class="end{pale}">{tip}{dot}{pay}</g>\n'
        key, inside, back = "", "", ""
        if pale:  # what is pale still hides the branches behind it
            back = f'<circle class="paper" cx="{px(x)}" cy="{px(y)}" r="9.5"/>'
        if kind == CHANCE:
            shape = f'<path class="node0" d="M{px(x)} {px(y - 10)}L{px(x + 10)} {px(y)}L{px(x)} {px(y + 10)}'
            shape += f'L{px(x - 10)} {px(y)}Z"/>'
        else:
            number = str(int(self.tree.infoset[node]) + 1)
            key = f' data-set="{kind + 1}-{number}"'
            size = {1: 11.0, 2: 11.0, 3: 9.0}.get(len(number), 27.0 / len(number))
            inside = (
                f'<text class="number" x="{px(x)}" y="{px(y + size * 0.36)}" font-size="{px(size)}">{number}</text>'
            )
            if kind == 0:
                shape = f'<circle class="node1" cx="{px(x)}" cy="{px(y)}" r="{px(RADIUS)}"/>'
            else:
                shape = f'<rect class="node2" x="{px(x - 10)}" y="{px(y - 10)}" width="20" height="20" rx="4"/>'
        return f'{back}<g class="node{pale}"{key}>{tip}{shape}{inside}{self._aside(mark)}</g>\n'

    def _aside(self, mark: int) -> str:
        """Write what stands beside an inner node, away from the branch that leads to it."""
        beside = self.text[mark].beside
        if not beside:
            return ""
        if self.notes.value is None:
            body, style = escape(beside[0]), f"name p{self.kind[mark] + 1}"
        else:
            spans = (f'<tspan class="p{i + 1}">{text}</tspan>' for i, text in enumerate(beside))
            body, style = ", ".join(spans), "value"
        x, y, anchor = self.x[mark] + RADIUS + 3, self.y[mark] - 6, ""
        if self.down and mark and self.x[self.part.parent[mark]] > self.x[mark] + 1:
            x, anchor = self.x[mark] - RADIUS - 2, ' text-anchor="end"'
        return f'<text class="{style}"{anchor} x="{px(x)}" y="{px(y)}">{body}</text>'

    def tip(self, mark: int) -> str:
        """Write the tooltip of a node, with exact numbers."""
        node, kind = self.part.node[mark], self.kind[mark]
        tree = self.tree
        if kind == TERMINAL:
            one, two = tree.payoff_at(int(tree.infoset[node]))
            rows = [f"Payoffs {short_text(one, 60)} and {short_text(two, 60)}"]
        elif kind == CHANCE:
            rows = ["Chance"]
        else:
            k = int(tree.infoset[node])
            label = tree.infoset_labels[kind][k]
            rows = [f"{player_name(tree, kind)}, information set {k + 1}"]
            rows += [f"“{clip(label, 60)}”"] if label else []
        if self.notes.reach is not None and self.notes.value is not None:
            rows.append(f"Reached with probability {short_text(self.notes.reach[mark], 60)}")
            if kind != TERMINAL:
                shown = [short_text(v, 60) for v in self.notes.value[mark]]
                rows.append(f"Expected payoffs {' and '.join(shown)}")
        if kind != TERMINAL:
            below = self.part.children[mark]
            for label, child in list(zip(tree.labels(node), below, strict=False))[:12]:
                move = self.notes.probability[child]
                rows += [] if move is None else [f"{clip(label, 40)}: {short_text(move, 60)}"]
        return "\n".join(rows)
