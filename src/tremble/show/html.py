"""Show a drawing of a tree as a web page: an SVG with pan and zoom, exact numbers on hover, and a table of sets."""

from __future__ import annotations

from collections.abc import Iterator

from tremble.formats.given_profile import GivenProfile, ProfileLike
from tremble.game.strategy import BehaviorStrategy
from tremble.game.strategy_rows import InfosetRow
from tremble.game.tree import GameTree
from tremble.numbers import short_text
from tremble.show.scene import Scene
from tremble.show.svg import tree_svg
from tremble.text.captions import statement, tree_rows
from tremble.text.markup import element, escape, page
from tremble.text.theme import asset
from tremble.text.view import player_name, probability_text

__all__ = ["draw_html", "tree_html"]

_MAX_ROWS = 5000  # greatest number of rows in the table beside the picture

_BUTTONS = """\
<div id="zoom"><button id="in" title="zoom in (+)">+</button><button id="out" title="zoom out (-)">&minus;</button>
<button id="fit" title="whole picture (0)">fit</button></div>
"""


def draw_html(tree: GameTree, solution: ProfileLike | GivenProfile | None = None, *, max_nodes: int = 3000) -> str:
    """Return the HTML text of a self-contained web page that draws a game tree, or a solution on a tree.

    Save the text as UTF-8. The parameters and errors are the same as for :func:`tremble.show.draw_svg`.

    Examples
    --------
    >>> import tremble
    >>> from tremble.show import draw_html
    >>> draw_html(tremble.load("kuhn")).splitlines()[0]
    '<!doctype html>'
    """
    return tree_html(Scene.of(tree, solution, max_nodes=max_nodes))


def tree_html(scene: Scene) -> str:
    """Return the HTML text of a self-contained web page that draws a scene (a part of a tree with its numbers)."""
    tree, given = scene.tree, scene.given
    profile = (None, None) if given is None else given.strategies
    tables = "".join(line for player in (0, 1) for line in _table(tree, player, profile[player]))
    title = tree.title or "Game tree"
    stated = None if given is None else given.solution
    about = "" if stated is None else f"<p>{escape(statement(stated))}</p>\n"
    style = asset("tree_page.css")
    return page(
        title,
        f"<main>\n{tree_svg(scene)}<style>\n{style}</style>\n{_BUTTONS}</main>\n"
        f"<aside>\n<h1>{escape(title)}</h1>\n{about}{tables}</aside>\n"
        '<div id="tip"></div>\n',
        script="tree_page.js",
    )


def _table(tree: GameTree, player: int, strategy: BehaviorStrategy | None) -> Iterator[str]:
    """Yield the HTML lines of a table with the information sets and actions of a player."""
    count = tree.num_infosets[player]
    sets = "1 information set" if count == 1 else f"{count:,} information sets"
    yield f'<h2 class="{("one", "two")[player]}">{escape(player_name(tree, player))}: {sets}</h2>\n'
    if not count:
        return
    head = '<th class="n">probability</th><th class="n">decimal</th>' if strategy is not None else ""
    yield f"<table><thead><tr><th>set</th><th>label</th><th>action</th>{head}</tr></thead><tbody>\n"
    shown = 0
    for before, row in enumerate(tree_rows(tree, player, strategy)):
        if shown >= _MAX_ROWS:
            yield f"</tbody></table><p>… {count - before:,} more information sets\n<table><tbody>"
            break
        yield from _lines(row)
        shown += len(row.moves)
    yield "</tbody></table>\n"


def _lines(row: InfosetRow) -> Iterator[str]:
    hint = ' title="the player\'s own strategy never reaches this set"' if row.off_path else ""
    for j, (action, p) in enumerate(row.moves):
        style = " ".join(["first"] * (j == 0) + ["off"] * row.off_path)
        who = f"<td>{row.number}</td><td>{escape(row.label)}</td>" if j == 0 else "<td></td><td></td>"
        numbers = ""
        if p is not None:
            numbers = element("td", short_text(p, 17), kind="n", title=short_text(p, 200))
            numbers += element("td", probability_text(p), kind="n")
        key = f"{row.player}-{row.number}"
        yield f'<tr class="{style}" data-set="{key}"{hint}>{who}<td>{escape(action)}</td>{numbers}</tr>\n'
