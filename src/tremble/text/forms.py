"""Show the objects that tremble returns, as text and as notebook cells.

Text and cell show the same *view*, a table or styled text. A cell converts the view to HTML. :mod:`tremble.shown` calls
these functions. This module has the views of the core's types. Parts such as ``tremble.poker`` register views and
pictures for their types in ``register.py``. An object without a view is shown as its table rows or its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.capabilities import listed_for, type_names
from tremble.errors import TrembleError
from tremble.game.normal_form import is_one_shot
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.shown import Shown
from tremble.solution.comparison import Comparison
from tremble.solution.equilibria import Equilibria
from tremble.solution.explanation import Explanations
from tremble.solution.stated import StatedSolution
from tremble.solution.trembles import Trembles
from tremble.text import checks, comparison, explanations, games, lists, proofs, solutions
from tremble.text.beliefs import belief_view
from tremble.text.captions import compact_text, nameless
from tremble.text.cell import cell, folded, inline
from tremble.text.info import info
from tremble.text.merging import merging_view
from tremble.text.theme import HEADING
from tremble.text.view import add, exact_and_decimal, facts_table, more, table
from tremble.value import Tabular, in_short
from tremble.words import printable
from tremble.words import text_of as written

__all__ = ["html_of", "picture_of", "text_of", "view_of"]

_READ_FIRST = (StatedSolution, Comparison)  # types whose notebook cell has the text above the picture
_MAX_PICTURE = 1_500_000  # a picture with more characters is omitted from a cell
_MAX_FIELD = 300  # greatest number of shown characters of a field
MAX_ROWS = 40


def text_of(value: Shown) -> str:
    """Return the text that ``print`` shows for a value."""
    try:
        return written(view_of(value)).rstrip("\n")
    except (TrembleError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return repr(value)  # the view of a malformed value fails; show its fields instead of the error


def html_of(value: Shown) -> str:
    """Return the HTML that a notebook cell shows for a value."""
    try:
        if isinstance(value, GameTree):
            return cell(*_card(value))
        picture = picture_of(value)
        parts = [view_of(value), *([inline(picture)] if 0 < len(picture) < _MAX_PICTURE else [])]
        return cell(*(parts if isinstance(value, _READ_FIRST) else parts[::-1]))
    except (TrembleError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return cell(Text(repr(value)))


def _card(tree: GameTree) -> list[RenderableType | str]:
    """Return the parts of a notebook cell for a game.

    A small game has a payoff table or a picture, and sizes that appear after a click. A large game has only the sizes.
    """
    shown: RenderableType | str
    if is_one_shot(tree) and tree.num_nodes <= games.MAX_CELLS:
        shown = games.bimatrix_view(tree)
    elif picture := picture_of(tree):
        shown = inline(picture)
    else:
        return [view_of(tree)]
    return [shown, folded("sizes and digest", games.info_view(info(tree), titled=False))]


def view_of(value: object) -> RenderableType:
    """Return the view of a value. If no view is registered for its type, return its table rows or its fields."""
    view = next((_VIEWS[name] for name in type_names(value) if name in _VIEWS), None) or listed_for(value, "views")
    if view is not None:
        shown: RenderableType = view(value)
        return shown
    head = Text(type(value).__name__, style=HEADING)
    if isinstance(value, Tabular):
        return Group(head, *_rows(value))
    return Group(head, facts_table((name, printable(text)) for name, text in _fields(value)))


def _rows(value: Tabular) -> Iterator[RenderableType]:
    """Yield a table of ``value.to_rows()``. If a number has an exact and a float column, show only the exact one."""
    rows = value.to_rows()
    names = [name for name in value.columns if not name.endswith("_float") or name[:-6] not in value.columns]
    listed = table(*(name.removesuffix("_float") for name in names), right=())
    for row in rows[:MAX_ROWS]:
        add(listed, *(_written_cell(row[name]) for name in names))
    yield listed
    yield from more(len(rows) - MAX_ROWS, " rows; to_rows() returns all")


def _written_cell(content: Any) -> str:
    if content is None or isinstance(content, bool):
        return "" if content is None else "yes" if content else "no"
    return compact_text(content) if isinstance(content, Fraction | float) else printable(str(content))


def _fields(value: object) -> Iterator[tuple[str, str]]:
    if not is_dataclass(value):
        yield "", repr(value)[:_MAX_FIELD]
        return
    for field in fields(value):
        if field.repr and not field.name.startswith("_"):
            yield field.name, _said(field.name, getattr(value, field.name))


def _said(name: str, content: Any) -> str:
    """Return the content of the field ``name`` as text. Players and information sets are numbered from 1 in output."""
    if name in ("player", "infoset") and isinstance(content, int):
        return str(content + 1)
    if name == "infosets":
        return in_short(tuple(k + 1 for k in content), _MAX_FIELD)
    if isinstance(content, str):
        return content
    numbers = content if isinstance(content, tuple) and len(content) == 2 else (content,)
    if all(isinstance(number, Fraction) for number in numbers):
        return " and ".join(map(exact_and_decimal, numbers))
    return in_short(content, _MAX_FIELD)


def picture_of(value: object) -> str:
    """Return a picture of a value as SVG text, or an empty text if there is no picture."""
    draw = listed_for(value, "pictures")
    return "" if draw is None else str(draw(value))


# -- views of types in the core of tremble ---------------------------------------------------------


def _tree_view(tree: GameTree) -> RenderableType:
    if is_one_shot(tree) and tree.num_nodes <= games.MAX_CELLS:
        return Group(games.bimatrix_view(tree), Text(), games.info_view(info(tree), titled=False))
    return games.info_view(info(tree))


def _trembles_view(trembles: Trembles) -> RenderableType:
    facts = facts_table((f"player {player + 1}", trembles.told(player)) for player in (0, 1))
    return Group(Text("Trembles", style=HEADING), facts)


def _equilibria_view(equilibria: Equilibria) -> RenderableType:
    played = next((solution.played for solution in equilibria if solution.played is not None), None)
    return lists.equilibria_view(played or nameless(equilibria.game), equilibria)


def _explanations_view(several: Explanations) -> RenderableType:
    return Group(*(explanations.explanation_view(None, each) for each in several)) if several else Text(str(several))


def _game_of(solution: StatedSolution) -> GameTree | UnbuiltGame:
    """Return the game of a solution if it is in memory, else a placeholder with the title of the game."""
    return solution.played or nameless(solution.game)


_VIEWS: Mapping[str, Callable[[Any], RenderableType]] = {
    "GameTree": _tree_view,
    "UnbuiltGame": games.rules_view,
    "Merging": merging_view,
    "BehaviorStrategy": solutions.strategy_view,
    "UnbuiltStrategy": solutions.strategy_view,
    "Trembles": _trembles_view,
    "BeliefRow": belief_view,
    "StatedSolution": lambda solution: solutions.solution_view(_game_of(solution), solution),
    "Equilibria": _equilibria_view,
    "Verification": proofs.proof_view,
    "Certification": lambda found: checks.certification_view(_game_of(found.solution), found),
    "Audit": lambda found: checks.audit_view(found.played or nameless(), found),
    "Comparison": lambda found: comparison.comparison_view(found.played or nameless(), found),
    "Explanation": lambda found: explanations.explanation_view(None, found),
    "Explanations": _explanations_view,
}
"""Name of a type -> function that makes the view of a value of this type."""
