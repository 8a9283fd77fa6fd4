r"""Write games as LaTeX code for papers: bimatrix tables and trees. Use ``\input`` to include them in a document.

A table is a plain ``tabular`` and needs no package. A tree is a TikZ picture and needs ``\usepackage{tikz}``, but no
TikZ library. Labels are escaped, so LaTeX prints every label and never executes a label. Non-ASCII characters are
written in UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterator

from tremble.errors import TooLargeError
from tremble.formats.given_profile import ProfileLike
from tremble.game.normal_form import reduced_normal_form
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.tree import GameTree
from tremble.numbers import as_float, format_fraction, required_limit
from tremble.run.whole_file import write_text
from tremble.show.placement import RADIUS, Placement
from tremble.show.scene import Scene
from tremble.text.markup import clip
from tremble.text.view import player_name
from tremble.words import printable

__all__ = ["WRITERS", "draw_bimatrix_latex", "draw_tikz", "latex_text", "tree_tikz"]

_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "{''}",
    "`": "{`}",
    "'": "{'}",
    "-": "{-}",  # without braces, LaTeX prints two hyphens as a dash
    "[": "{[}",  # without braces, a bracket after the end of a row begins an option
    "]": "{]}",
    "*": "{*}",  # without braces, an asterisk after the end of a row is an option
    "?": "{?}",  # without braces, LaTeX prints "?`" as an inverted question mark
    "!": "{!}",  # without braces, LaTeX prints "!`" as an inverted exclamation mark
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{MINUS SIGN}": "$-$",
}


def latex_text(text: str) -> str:
    r"""Escape a label of a game, so that LaTeX prints the label and does not execute it.

    Examples
    --------
    >>> print(latex_text("50% & more_"), latex_text("all-in"))
    50\% \& more\_ all{-}in
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in printable(text))


def draw_bimatrix_latex(game: GameTree, *, max_cells: int = 1000) -> str:
    r"""Return a one-shot game, or the reduced normal form of a tree, as a LaTeX table.

    Parameters
    ----------
    game : GameTree
        The game. In the table, player 1 chooses rows, and player 2 chooses columns.
        The rows and columns of a tree are the strategies that :func:`tremble.strategies.reduced_normal_form` computes.
    max_cells : int
        The greatest number of cells in the table, one for each pair of strategies.

    Returns
    -------
    str
        A ``tabular``. The cells contain the exact payoffs of both players. In a zero-sum game, they contain only the
        payoff of player 1.

    Raises
    ------
    TooLargeError
        The table would have more than ``max_cells`` cells.
    ImperfectRecallError
        A player lacks perfect recall, so the tree has no reduced normal form.

    Examples
    --------
    >>> import tremble
    >>> prisoners = tremble.matrix_game(
    ...     [[3, 0], [5, 1]], [[3, 5], [0, 1]], rows=["silent", "talk"], columns=["silent", "talk"]
    ... )
    >>> print(draw_bimatrix_latex(prisoners), end="")
    % matrix game: payoffs of players 1 and 2
    \begin{tabular}{r|cc}
     & \multicolumn{2}{c}{Player 2} \\
    Player 1 & silent & talk \\
    \hline
    silent & $3,\ 3$ & $0,\ 5$ \\
    talk & $5,\ 0$ & $1,\ 1$ \\
    \end{tabular}
    """
    most = required_limit(max_cells, "max_cells", "cells")
    matrix = reduced_normal_form(game, max_cells=most)
    (rows,), (columns,) = matrix.actions
    if len(rows) * len(columns) > most:
        raise TooLargeError(f"a table of {len(rows):,} by {len(columns):,} strategies has more than {most:,} cells")
    alone = matrix.zero_sum
    names = [latex_text(player_name(matrix, player)) for player in (0, 1)]
    lines = [
        f"% {_comment(matrix.title)}: payoffs of {'player 1' if alone else 'players 1 and 2'}",
        rf"\begin{{tabular}}{{r|{'c' * len(columns)}}}",
        rf" & \multicolumn{{{len(columns)}}}{{c}}{{{names[1]}}} \\",
        f"{' & '.join([names[0], *map(latex_text, columns)])} \\\\",
        r"\hline",
    ]
    for i, label in enumerate(rows):
        cells = (matrix.payoff_at(i * len(columns) + j) for j in range(len(columns)))
        shown = (r",\ ".join(map(format_fraction, pays[:1] if alone else pays)) for pays in cells)
        lines.append(f"{' & '.join([latex_text(label), *(f'${pays}$' for pays in shown)])} \\\\")
    return "\n".join([*lines, r"\end{tabular}", ""])


def draw_tikz(tree: GameTree, solution: ProfileLike | None = None, *, max_nodes: int = 300) -> str:
    r"""Return a drawing of a game tree, or of a solution on a tree, as a TikZ picture.

    The picture is similar to the drawing of :func:`tremble.show.draw_svg`. Nodes of player 1 are blue circles, nodes of
    player 2 are orange squares, and chance nodes are gray diamonds. The number inside a node is the number of its
    information set. Dashed lines join the nodes of an information set.

    With a solution, the branches show probabilities, and branches with a higher probability are thicker. Dashed
    branches and hollow nodes have probability 0 under the solution. Beliefs are in brackets. The losses that an audit
    found are red.

    The first lines of the code define the styles ``one``, ``two``, ``chance``, ``leaf``, ``move``, ``infoset``,
    ``off``, ``hollow`` and ``wrong``.

    Parameters
    ----------
    tree : GameTree
    solution : object, optional
        A profile. :func:`tremble.nash_conv` lists the accepted forms.
    max_nodes : int
        An approximate limit on the number of nodes in the drawing. If the tree has more nodes, only its first levels
        are drawn.

    Returns
    -------
    str
        A ``tikzpicture``. The document needs ``\usepackage{tikz}``.

    Raises
    ------
    TrembleError
        The profile belongs to another game. For a solution, this is a ``CertificateError``.

    Examples
    --------
    >>> import tremble
    >>> text = draw_tikz(tremble.load("entry_deterrence"))
    >>> text.splitlines()[1], text.count(r"\node[leaf]")
    ('\\begin{tikzpicture}[x=0.75pt, y=-0.75pt, font=\\footnotesize,', 3)
    """
    return tree_tikz(Scene.of(tree, solution, max_nodes=max_nodes))


def tree_tikz(scene: Scene) -> str:
    """Return the TikZ code for a scene (a part of a tree with its numbers)."""
    return _Picture(scene.tree, scene.part, scene.notes, scene.given).draw()


_BAD = r"\textcolor[RGB]{179,18,58}"
_BREAK = r" \\ "  # ends a line in a label

_STYLES = r"""
  one/.style={circle, draw={rgb,255:red,0;green,114;blue,178}, fill={rgb,255:red,0;green,114;blue,178}, text=white,
    inner sep=0pt, minimum size=14pt},
  two/.style={rectangle, rounded corners=2pt, draw={rgb,255:red,192;green,84;blue,0}, text=white,
    fill={rgb,255:red,192;green,84;blue,0}, inner sep=0pt, minimum size=13pt},
  chance/.style={rectangle, rotate=45, draw=gray, fill=gray, inner sep=0pt, minimum size=9pt},
  leaf/.style={circle, fill=black!75, inner sep=0pt, minimum size=3pt},
  move/.style={fill=white, inner sep=1pt, align=center},
  infoset/.style={dashed, semithick, rounded corners=6pt}, off/.style={dashed},
  hollow/.style={fill=white, text=black, thick}, wrong/.style={draw={rgb,255:red,179;green,18;blue,58}}]
""".strip("\n")


class _Picture(Placement):
    """A TikZ picture of a tree."""

    def draw(self) -> str:
        """Return the code of the picture."""
        marks = range(1, len(self.part))
        lines = [
            f"% {_comment(self.tree.title)}; needs \\usepackage{{tikz}}",
            r"\begin{tikzpicture}[x=0.75pt, y=-0.75pt, font=\footnotesize,",
            _STYLES,
            *(self._link(*link) for link in self.links),
            *map(self._edge, marks),
            *(line for mark in range(len(self.part)) for line in self._mark(mark)),
            r"\end{tikzpicture}",
        ]
        return "\n".join([*lines, ""])

    def _edge(self, mark: int) -> str:
        above, text = self.part.parent[mark], self.text[mark]
        x0, y0, x1, y1 = self.x[above], self.y[above], self.x[mark], self.y[mark]
        move, options = self.notes.probability[mark], [] if self.notes.played(mark) else ["off"]
        if self.notes.reach is not None and move is not None:
            options.append(f"line width={0.4 + 1.8 * as_float(move):.2f}pt")
        if self.part.hidden[mark]:
            options.append("dotted")
        words = [latex_text(text.label)] if text.label and not self.part.hidden[mark] else []
        words += [f"${_math(text.share)}$"] if text.share else []
        if text.cost:
            options.append("wrong")
            words.append(rf"{_BAD}{{{latex_text(text.cost)}}}")
        option = f"[{', '.join(options)}]" if options else ""
        if self.down:
            label = f" node[move, pos=0.55] {{{_BREAK.join(words)}}}" if words else ""
            return rf"\draw{option} {_at(x0, y0)} --{label} {_at(x1, y1)};"
        bend = x0 + RADIUS + self.stem[self.part.depth[above]]
        label = f" node[pos=0, above right, inner sep=1pt] {{{' '.join(words)}}}" if words else ""
        path = f"{_at(x0, y0)} -- {_at(bend, y0)} -- {_at(bend, y1)} --{label} {_at(x1, y1)}"
        return rf"\draw{option} {path};"

    def _link(self, a: int, b: int, lane: int) -> str:
        xa, ya, xb, yb = self.x[a], self.y[a], self.x[b], self.y[b]
        colour = "{rgb,255:red,0;green,114;blue,178}" if self.kind[a] == 0 else "{rgb,255:red,192;green,84;blue,0}"
        between = ""
        if lane:
            bow = self.bow(a, lane) if self.down else -self.bow(a, lane)
            corners = ((xa, ya + bow), (xb, yb + bow)) if self.down else ((xa + bow, ya), (xb + bow, yb))
            between = "".join(f" -- {_at(*corner)}" for corner in corners)
        return rf"\draw[infoset, draw={colour}] {_at(xa, ya)}{between} -- {_at(xb, yb)};"

    def _mark(self, mark: int) -> Iterator[str]:
        x, y, kind, text = self.x[mark], self.y[mark], self.kind[mark], self.text[mark]
        off = "" if self.notes.reached(mark) else ", hollow"
        if self.part.hidden[mark]:
            yield rf"\node[{'below' if self.down else 'right'}, gray] at {_at(x, y)} {{{latex_text(text.label)}}};"
        elif kind == TERMINAL:
            pays = [f"${_math(payoff)}$" for payoff in text.payoffs or ()]
            where = "below, align=center" if self.down else "right"
            yield rf"\node[leaf{off}] at {_at(x, y)} {{}};"
            yield rf"\node[{where}] at {_at(x, y)} {{{(_BREAK if self.down else ', ').join(pays)}}};"
        else:
            style = "chance" if kind == CHANCE else ("one", "two")[kind]
            number = "" if kind == CHANCE else str(int(self.tree.infoset[self.part.node[mark]]) + 1)
            yield rf"\node[{style}{off}] at {_at(x, y)} {{{number}}};"
            if text.beside:
                lines = (" ".join(rf"{_LOOKS.get(kind.split()[0], '')}{{{latex_text(word)}}}" for word, kind in line)
                         for line in text.beside)  # fmt: skip
                style = "above right, inner sep=1pt, align=left"
                yield rf"\node[{style}] at {_at(x + 8, y - 4)} {{{_BREAK.join(lines)}}};"


_LOOKS = {"name": r"\textit", "belief": r"\textbf", "cost": _BAD}


def _at(x: float, y: float) -> str:
    return f"({x:.1f}, {y:.1f})"


def _math(number: str) -> str:
    """Convert the text of a number to LaTeX math mode."""
    exact, _, power = number.replace("\N{MINUS SIGN}", "-").partition("e")
    return exact + (rf"\cdot 10^{{{int(power)}}}" if power else "")


def _comment(title: str) -> str:
    """Return a game's title as one line of at most 100 characters, for a LaTeX comment."""
    return clip(printable(title) or "a game", 100)


def _write_bimatrix(tree: GameTree, file: str) -> None:
    write_text(file, draw_bimatrix_latex(tree))


WRITERS = {".tex": _write_bimatrix}
"""File extension -> function that writes a game as a bimatrix table to a file."""
