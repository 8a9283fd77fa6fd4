"""How each public value shows itself: as text and as a cell of a notebook, from one view.

:mod:`tremble.shown` asks here. A kind of value has a view, registered with :func:`view_of`, and may have a
picture, registered with :func:`picture_of`, which stands above it in a notebook. A value without a view of its own
shows its fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import singledispatch
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.batch import views as batches
from tremble.batch.parameter_sweep import Sweep
from tremble.batch.results import BatchResult
from tremble.batch.sweep_views import sweep_view
from tremble.errors import TrembleError
from tremble.game.normal_form import is_one_shot
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.report import AbstractionReport
from tremble.poker.definition import OrderedDefinition
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy
from tremble.printable import printable
from tremble.recall.forgetting import Forgetting
from tremble.show import hands
from tremble.show.comparison_svg import draw_comparison_svg
from tremble.show.draw import Picture, draw
from tremble.show.playing import Decision, Hand, Move
from tremble.show.ranges_svg import ranges_svg, states_ranges
from tremble.shown import Shown
from tremble.solution.audit import Audit
from tremble.solution.certification import Certification
from tremble.solution.claim import BeliefRow
from tremble.solution.comparison import Comparison
from tremble.solution.equilibria import Equilibria
from tremble.solution.explanation import Explanation, Explanations
from tremble.solution.merging import Merging
from tremble.solution.stated import StatedSolution
from tremble.solution.trembles import Trembles
from tremble.solution.verification import Verification
from tremble.tabular import Tabular
from tremble.text import checks, comparison, explanations, games, solutions
from tremble.text.cell import cell, folded, inline
from tremble.text.info import info
from tremble.text.merging import merging_view
from tremble.text.numbers import compact_text, exact_and_decimal
from tremble.text.tables import add, facts_table, more, table
from tremble.text.terminal import text_of as written
from tremble.text.theme import FAINT, HEADING
from tremble.text.view import nameless
from tremble.value import in_short

__all__ = ["html_of", "picture_of", "text_of", "view_of"]

MAX_NODES = 100  # of a tree that is drawn
_SEEN_FIRST = (UnbuiltGame, OrderedDefinition, Picture)  # before they are read
_MAX_PICTURE = 1_500_000  # characters
_MAX_FIELD = 300  # characters
MAX_ROWS = 40


def text_of(value: Shown) -> str:
    """A value as text."""
    try:
        return written(view_of(value)).rstrip("\n")
    except (TrembleError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return repr(value)  # of what is malformed, which must not hide what is wrong with it


def html_of(value: Shown) -> str:
    """A value as HTML, for a cell of a notebook."""
    try:
        if isinstance(value, GameTree):
            return cell(*_card(value))
        picture = picture_of(value)
        parts = [view_of(value), *([inline(picture)] if 0 < len(picture) < _MAX_PICTURE else [])]
        return cell(*(parts[::-1] if isinstance(value, _SEEN_FIRST) else parts))
    except (TrembleError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return cell(Text(repr(value)))


def _card(tree: GameTree) -> list[RenderableType | str]:
    """Show a small game by its payoffs or picture, with sizes and digest behind a click; a large one by its sizes."""
    shown: RenderableType | str
    if is_one_shot(tree) and tree.num_nodes <= games.MAX_CELLS:
        shown = games.bimatrix_view(tree)
    elif picture := picture_of(tree):
        shown = inline(picture)
    else:
        return [view_of(tree)]
    return [shown, folded("sizes and digest", games.info_view(info(tree), titled=False))]


@singledispatch
def view_of(value: object) -> RenderableType:
    """Show a value as a terminal does; by default its fields."""
    head = Text(type(value).__name__, style=HEADING)
    if isinstance(value, Tabular):
        return Group(head, *_rows(value))
    return Group(head, facts_table((name, printable(text)) for name, text in _fields(value)))


def _rows(value: Tabular) -> Iterator[RenderableType]:
    """The rows of its CSV output, numbers once."""
    rows = value.to_rows()
    names = [name for name in value.columns if not name.endswith("_float") or name[:-6] not in value.columns]
    listed = table(*(name.removesuffix("_float") for name in names), right=())
    for row in rows[:MAX_ROWS]:
        add(listed, *(_written_cell(row[name]) for name in names))
    yield listed
    yield from more(len(rows) - MAX_ROWS, " rows; to_rows() has all")


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
    """What a field holds; players and information sets count from 1, as in all that is shown."""
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


@singledispatch
def picture_of(value: object) -> str:
    """Draw a value as SVG; by default there is no picture."""
    return ""


# -- games -----------------------------------------------------------------------------------------


@view_of.register
def _(tree: GameTree) -> RenderableType:
    if is_one_shot(tree) and tree.num_nodes <= games.MAX_CELLS:
        return Group(games.bimatrix_view(tree), Text(), games.info_view(info(tree), titled=False))
    return games.info_view(info(tree))


@picture_of.register
def _(tree: GameTree) -> str:
    return "" if is_one_shot(tree) or tree.num_nodes > MAX_NODES else draw(tree).svg()


@view_of.register
def _(game: UnbuiltGame) -> RenderableType:
    return games.rules_view(game)


@view_of.register
def _(rules: OrderedDefinition) -> RenderableType:
    return games.rules_view(UnbuiltGame.of(rules))


@picture_of.register
def _(game: UnbuiltGame) -> str:
    rules = game.rules
    return ranges_svg(rules, game.title) if isinstance(rules, OrderedGame) and states_ranges(rules) else ""


@picture_of.register
def _(rules: OrderedDefinition) -> str:
    return picture_of(UnbuiltGame.of(rules))


@view_of.register
def _(abstraction: Abstraction) -> RenderableType:
    return games.abstraction_view(AbstractionReport.of(abstraction))


@view_of.register
def _(report: AbstractionReport) -> RenderableType:
    return games.abstraction_view(report)


@view_of.register
def _(merging: Merging) -> RenderableType:
    return merging_view(merging)


@view_of.register
def _(forgetting: Forgetting) -> RenderableType:
    return games.forgetting_view(forgetting, None)


# -- pictures --------------------------------------------------------------------------------------


@view_of.register
def _(picture: Picture) -> RenderableType:
    return Text(f"save(path) writes this picture as {', '.join(picture.forms)}", style=FAINT)


@picture_of.register
def _(picture: Picture) -> str:
    return picture.svg()


# -- hands -----------------------------------------------------------------------------------------


@view_of.register
def _(decision: Decision) -> RenderableType:
    where = hands.seat_view(decision.game, decision.hand)
    return Group(where, hands.decision_view(decision, numbered=False))


@view_of.register
def _(hand: Hand) -> RenderableType:
    return Group(hands.seat_view(None, hand), hands.hand_view(None, hand))


@view_of.register
def _(move: Move) -> RenderableType:
    return hands.move_view(move)


# -- strategies and solutions ----------------------------------------------------------------------


@view_of.register(BehaviorStrategy)
@view_of.register(UnbuiltStrategy)
@view_of.register(OrderedStrategy)
def _(strategy: Any) -> RenderableType:
    return solutions.strategy_view(strategy)


@view_of.register
def _(trembles: Trembles) -> RenderableType:
    facts = facts_table((f"player {player + 1}", trembles.told(player)) for player in (0, 1))
    return Group(Text("Trembles", style=HEADING), facts)


@view_of.register
def _(solution: StatedSolution) -> RenderableType:
    return solutions.solution_view(solution.played or nameless(solution.game), solution)


@picture_of.register
def _(solution: StatedSolution) -> str:
    if solution.ordered is None or not isinstance(solution.played, UnbuiltGame):
        return ""
    return draw(solution.played, solution).svg()


@view_of.register
def _(row: BeliefRow) -> RenderableType:
    return solutions.belief_view(row)


@view_of.register
def _(equilibria: Equilibria) -> RenderableType:
    played = next((solution.played for solution in equilibria if solution.played is not None), None)
    return solutions.equilibria_view(played or nameless(equilibria.game), equilibria)


@view_of.register
def _(sweep: Sweep) -> RenderableType:
    return sweep_view(sweep)


@view_of.register
def _(result: BatchResult) -> RenderableType:
    return batches.batch_view([result.plain()])


# -- checks ----------------------------------------------------------------------------------------


@view_of.register
def _(verification: Verification) -> RenderableType:
    return checks.proof_view(verification)


@view_of.register
def _(certified: Certification) -> RenderableType:
    solution = certified.solution
    return checks.certification_view(solution.played or nameless(solution.game), certified)


@view_of.register
def _(audited: Audit) -> RenderableType:
    return checks.audit_view(audited.played or nameless(), audited)


@view_of.register
def _(compared: Comparison) -> RenderableType:
    return comparison.comparison_view(compared.played or nameless(), compared)


@picture_of.register
def _(compared: Comparison) -> str:
    return draw_comparison_svg(compared.played, compared) if compared.played and compared.differences else ""


@view_of.register
def _(explanation: Explanation) -> RenderableType:
    return explanations.explanation_view(None, explanation)


@view_of.register
def _(several: Explanations) -> RenderableType:
    return Group(*(explanations.explanation_view(None, each) for each in several)) if several else Text(str(several))
