"""Tables that show both players' strategies in the first round of an ordered game, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.game.hands import Panel, Place
from tremble.poker.game import OrderedGame
from tremble.poker.holdem.game import HoldemGame, HoldemTurn
from tremble.poker.holdem.locked import with_locks
from tremble.poker.holdem.panels import turn_spot
from tremble.poker.panels import OrderedProfile, spot_of
from tremble.text.comparison import percent_text
from tremble.text.hand_tables import LOCKED, LOCKED_NOTE
from tremble.text.theme import FAINT, PARAMETER
from tremble.text.view import add, indented, plain_table
from tremble.words import for_reader, printable

__all__ = ["first_round_views"]

_MOST_ACTIONS = 10  # the largest number of action columns in a table
_SHORT = 9  # moves above a column are abbreviated if their text has more characters


def first_round_views(rules: object, profile: OrderedProfile | None, most_rows: int) -> tuple[RenderableType, ...]:
    """Return a table for each player, with the probabilities of the player's actions in the first round.

    A table has a column for each action and up to ``most_rows`` rows. A row shows a class of hands with equal
    action probabilities. The result is empty if there is no profile or ``rules`` is not an ordered game.
    """
    if profile is None:
        return ()
    rest = for_reader("tremble.draw(game, solution) shows {}", "tremble draw shows {}")
    if isinstance(rules, HoldemTurn):
        spot, rounds = turn_spot(rules, profile, Place(0, 0, None)), rules.streets
        rest = for_reader("solution.hands(line) lists {}", "-o FILE stores {}")
    elif isinstance(rules, OrderedGame):
        spot, rounds = spot_of(rules, profile, Place(0, 0, None)), len(rules.rounds)
    else:
        return ()
    panels = (with_locks(rules, spot) if isinstance(rules, HoldemGame) else spot).panels
    return tuple(
        _first_round([panel for panel in panels if panel.player == player], rounds > 1, most_rows, rest)
        for player in (0, 1)
    )


def _first_round(panels: list[Panel], more_rounds: bool, most_rows: int, rest: str) -> RenderableType:
    shown: list[Panel] = []
    for panel in sorted(panels, key=lambda panel: -panel.likely):
        if shown and sum(len(p.actions) for p in (*shown, panel)) > _MOST_ACTIONS:
            break
        shown.append(panel)
    if not shown:
        return Text("  never moves in the first round", style=FAINT)
    shown.sort(key=panels.index)
    rows = plain_table()
    rows.add_column("hand", header_style=FAINT)
    after = _after([panel.line for panel in panels])
    for panel in shown:
        for k, action in enumerate(panel.actions):
            head = Text(printable(after[panel.line]) if k == 0 else "", style=FAINT, overflow="fold", no_wrap=False)
            rows.add_column(head.append("\n").append(printable(action), style=PARAMETER), justify="right")
    first = shown[0]
    step = -(-len(first.rows) // most_rows)
    by_number = [{row.number: row for row in panel.rows} for panel in shown]
    for row in first.rows[::-1][::step]:
        held = [of_class[row.number] for of_class in by_number]
        shares = (f"{LOCKED * each.locked}{percent_text(p)}" for each in held for p in each.probabilities)
        add(rows, printable(row.name), *shares)
    overall = (p for panel in shown for p in panel.overall)
    add(rows, Text("all", style=FAINT), *(Text(percent_text(p), style=FAINT) for p in overall))
    notes = []
    if step > 1:
        notes.append(f"1 of every {step} classes of hands is shown ({len(first.rows):,} in all), the strongest first")
    if len(shown) < len(panels):
        notes.append(f"{len(panels) - len(shown):,} decisions that play reaches less often are not shown")
    notes.append(rest.format("all" if notes else "the later rounds"))
    parts: list[RenderableType] = [indented(rows)]
    if any(row.locked for panel in shown for row in panel.rows):
        parts.append(Text(f"  {LOCKED_NOTE}", style=FAINT))
    if notes[1:] or more_rounds:
        parts.append(Text(f"  {'; '.join(notes)}", style=FAINT))
    return Group(*parts)


def _after(lines: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Return the moves of each line as text, such as "check-bet"; abbreviate a long text if this is unambiguous."""
    letters = {line: "".join(label[0] for label in line) for line in lines}
    if len(set(letters.values())) < len(letters):
        letters = {line: "-".join(line) for line in lines}
    texts = {line: "-".join(line) or "to open" for line in lines}
    return {line: text if len(text) <= _SHORT else letters[line] for line, text in texts.items()}
