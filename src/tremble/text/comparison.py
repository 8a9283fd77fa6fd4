"""Show comparisons of two profiles on a terminal: the differences, and the payoffs against an opponent who errs.

An opponent errs in one of two ways: it deviates at random at every information set, or it makes one *mistake*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tremble.errors import SpecError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import as_float
from tremble.text.captions import compact_text
from tremble.text.theme import FAINT, HEADING, LESS, MORE, OK, WARNING
from tremble.text.view import (
    EARNING_COLUMNS,
    MISTAKE_COLUMNS,
    Fact,
    Number,
    add,
    decimal_text,
    facts_table,
    heading_of,
    indented,
    more,
    numbered_name,
    table,
    whose,
)
from tremble.value import numbered
from tremble.words import called, printable

if TYPE_CHECKING:
    from tremble.solution.comparison import Comparison, Curve, Difference, Earning, Mistake

__all__ = ["PlayerComparison", "comparison_title", "comparison_view", "earning_payoffs", "percent_text"]

MAX_DIFFERENCES = 20  # greatest number of shown information sets at which the profiles differ
MAX_MISTAKES = 8  # greatest number of shown single mistakes per player


def comparison_view(tree: GameTree | UnbuiltGame, comparison: Comparison) -> RenderableType:
    """Show the differences of two profiles, and their payoffs against an opponent who errs."""
    unlike = comparison.differences
    players = PlayerComparison.of(comparison)
    player1, player2 = (f"{played.differing:,} of {played.infosets:,}" for played in players)
    reached = sum(d.reached for d in unlike)
    facts: list[Fact] = [
        (order, Text(printable(name), style=HEADING))
        for order, name in zip(("first", "second"), comparison.names, strict=True)
        if name != order
    ]
    facts += [
        ("differ at", f"{player1} + {player2} information sets; the profiles reach {reached:,} of these sets"),
    ]
    parts: list[RenderableType] = [*heading_of(tree), facts_table(facts)]
    if not unlike:
        return Group(*parts, Text("Both profiles play the same everywhere.", style=OK))
    parts += [Text(), _difference_table(tree, unlike)]
    parts += more(len(unlike) - MAX_DIFFERENCES, " information sets", full=("to_rows()", "--format csv or json"))
    parts += more(sum(comparison.unlisted), " information sets with smaller differences, which are not listed")
    for played in players:
        who = numbered_name(tree, played.player)
        parts.append(Text())
        if not played.differences:
            parts.append(Text(who, style=HEADING).append(" plays and earns the same in both", style="default"))
            continue
        for opponent, earnings in played.earnings.items():
            parts += _earning_table(who, opponent, earnings)
        parts += _mistake_table(who, played.mistakes)
    if not comparison.exact:
        parts.append(Text("Payoffs are floats, because exact payoffs would take too long.", style=WARNING))
    return Group(*parts)


def _difference_table(tree: GameTree | UnbuiltGame, unlike: Sequence[Difference]) -> Table:
    rows = table("player", "set", "label", "action", "first", "second", "reached", "distance")
    for d in unlike[:MAX_DIFFERENCES]:
        for j, (action, first, second) in enumerate(change for change in d.changes if change[1] != change[2]):
            head, tail = ("", "", ""), ("", "")
            if j == 0:
                head = called(tree, d.player, "{}"), numbered(d.infoset).strip(), printable(d.label)
                tail = _comes(d), decimal_text(d.distance, 4)
            cells = (*head, printable(action), compact_text(first), compact_text(second), *tail)
            add(rows, *cells, style="" if d.reached else FAINT)
    return rows


def _comes(difference: Difference) -> str:
    """Return a text: which of the two profiles reach an information set or, if none does, whose moves prevent this."""
    first, second = difference.on_path
    if first and second:
        return "in both"
    if first or second:
        return "in the first" if first else "in the second"
    if not any(difference.others):
        return "never (opponent or chance)"
    return "never (own moves)" if not any(difference.own) else "never"


def _earning_table(who: str, opponent: str, earnings: Sequence[Earning]) -> Iterator[RenderableType]:
    yield Text(who, style=HEADING).append(f" earns against the opponent{whose(opponent)}, who errs with probability d:")
    rows = table(*EARNING_COLUMNS, right=(EARNING_COLUMNS[0], *EARNING_COLUMNS[-2:]))
    for e in earnings:
        shown = [Text(compact_text(v)) for v in earning_payoffs(e)]
        shown[2].style = MORE if e.difference > 0 else LESS if e.difference < 0 else FAINT
        add(rows, str(e.tremble), *shown, *map(percent_text, e.shares))
    yield indented(rows)


def _mistake_table(who: str, mistakes: Sequence[Mistake]) -> Iterator[RenderableType]:
    if not mistakes:
        return
    yield Text(who, style=HEADING).append(" earns if the opponent plays towards one mistake and then makes it:")
    rows = table("set", *MISTAKE_COLUMNS)
    for m in mistakes[:MAX_MISTAKES]:
        difference = Text(compact_text(m.difference), style=MORE if m.difference > 0 else LESS)
        names = (str(m.infoset + 1), printable(m.label), printable(m.action))
        add(rows, *names, compact_text(m.first), compact_text(m.second), difference)
    yield indented(rows)
    yield from more(len(mistakes) - MAX_MISTAKES, " mistakes", "  ", full=(".mistakes", "--format json"))


def comparison_title(tree: GameTree | UnbuiltGame, comparison: Comparison) -> str:
    """Return a title with the names of the compared profiles."""
    one, two = comparison.names
    return f"{tree.title or 'Game'}: {one} and {two}"


def earning_payoffs(earning: Earning) -> tuple[Number | None, ...]:
    """Return the payoffs of both strategies, their difference, and the payoff of a best response, for a table row."""
    return earning.first, earning.second, earning.difference, earning.best


@dataclass(frozen=True)
class PlayerComparison:
    """The results of a comparison for one player: changes in play, payoffs, and results of the opponent's mistakes."""

    player: int
    differing: int  # number of the player's information sets at which the profiles differ
    infosets: int  # number of the player's information sets
    differences: list[Difference]
    earnings: dict[str, list[Earning]]  # profile of the opponent's strategy (first, second, both) -> payoffs
    mistakes: list[Mistake]
    curves: list[Curve]  # payoffs as functions of the opponent's error probability

    @classmethod
    def of(cls, comparison: Comparison) -> list[PlayerComparison]:
        """Split a comparison into one part for each player. Raise ``SpecError`` for an argument of another type."""
        from tremble.solution.comparison import Comparison

        if not isinstance(comparison, Comparison):
            raise SpecError(f"expected a comparison from tremble.compare, not {comparison!r:.80}")
        earnings: tuple[dict[str, list[Earning]], ...] = ({}, {})
        for earning in comparison.earnings:
            earnings[earning.player].setdefault(earning.opponent, []).append(earning)
        differences = [[d for d in comparison.differences if d.player == player] for player in (0, 1)]
        return [
            cls(
                player,
                differing,
                equal + differing,
                unlike,
                earnings[player],
                [m for m in comparison.mistakes if m.player == player],
                [c for c in comparison.curves if c.player == player],
            )
            for player, (equal, unlike) in enumerate(zip(comparison.equal, differences, strict=True))
            for differing in [len(unlike) + comparison.unlisted[player]]
        ]


def percent_text(value: Number | None) -> str:
    """Return a number as a percentage with one decimal, so 0.5 as ``50.0%``. For None, return an empty text."""
    return "" if value is None else f"{as_float(value):.1%}"
