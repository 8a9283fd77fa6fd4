"""Show explanations of a player's choices on a terminal: at one information set, or at the most important sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.text.captions import compact_text, decimals_text
from tremble.text.theme import FAINT, HEADING, WRONG
from tremble.text.view import Number, add, heading, heading_of, indented, table
from tremble.value import numbered
from tremble.words import called, printable

if TYPE_CHECKING:
    from tremble.solution.explanation import ActionWorth, Explanation, Explanations

__all__ = ["explanation_view", "explanations_view"]


def explanation_view(tree: GameTree | UnbuiltGame | None, explanation: Explanation) -> RenderableType:
    """Show the choice at one information set: sentences, and a table with probability, value and loss per action."""
    first, *others = explanation.sentences
    parts: list[RenderableType] = [*heading_of(tree), Text(first, style=HEADING)]
    parts += [Text(f"  {sentence}") for sentence in others]
    written = decimals_text if explanation.rounded else compact_text
    better = any(a.best is not None and a.best != a.value for a in explanation.actions)
    unknown = any(a.value is None for a in explanation.actions)
    columns = ("action", "played", "earns", *["at best"] * better, "loses", *["between"] * unknown)
    rows = table(*columns, right=columns[1:])
    for a in explanation.actions:
        best = [written(a.best)] * better
        between = ["" if a.value is not None else " and ".join(map(written, a.between))] * unknown
        cells = (printable(a.action), written(a.probability), written(a.value), *best, written(a.loss))
        add(rows, *cells, *between, style=_style(a, a in explanation.mistakes))
    parts += [Text(""), indented(rows)]
    return Group(*parts)


def explanations_view(tree: GameTree | UnbuiltGame, explanations: Explanations, command: str) -> RenderableType:
    """Show a list of information sets, one per line, and the text ``command``: the command that explains one set."""
    if not explanations:
        return Group(heading(tree.title), Text(str(explanations), style=FAINT))
    rows = table("player", "set", "label", "reached", "plays", "earns", "at stake", right=("set", "reached", "earns"))
    for each in explanations:
        written = decimals_text if each.rounded else compact_text
        plays = Text(", ").join(_played(each, written))
        numbers = written(each.reach), plays, written(each.value), written(each.stake)
        add(rows, called(tree, each.player, "{}"), numbered(each.infoset).strip(), printable(each.label), *numbers)
    about = "at stake: the probability of reaching the set, times the value of the best action minus that of the worst"
    notes = Text(about, style=FAINT), Text(f"to explain one set: {command}", style=FAINT)
    return Group(heading(tree.title), indented(rows), *notes)


def _played(explanation: Explanation, written: Callable[[Number | None], str]) -> Iterator[Text]:
    for action in explanation.actions:
        if action.probability:
            share = "" if action.probability == 1 else f" {written(action.probability)}"
            yield Text(printable(action.action) + share, style=_style(action, action in explanation.mistakes))


def _style(action: ActionWorth, wrong: bool) -> str:
    return (WRONG if wrong else "") if action.probability else FAINT
