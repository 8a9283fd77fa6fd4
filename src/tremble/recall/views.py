"""Views of a game with merged information sets: a table for the terminal, and JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.recall.forgetting import Forgetting, Loss
from tremble.text.records import fields_of, number_forms, plain
from tremble.text.theme import FAINT
from tremble.text.view import Fact, add, exact_and_decimal, facts_table, heading, table

__all__ = ["forgetting_record", "forgetting_view"]


def forgetting_view(forgetting: Forgetting, loss: Loss | None = None) -> RenderableType:
    """Return tables with the sizes of the game before and after the merge, and with the loss if it is given."""
    rows = table("", "before", "forgetting", right=("before", "forgetting"))
    add(rows, "information sets", *(f"{size:,}" for size in forgetting.information_sets))
    add(rows, "sequences", *(f"{size:,}" for size in forgetting.sequences))
    who = f"player {forgetting.player + 1}: {forgetting.rule}"
    about = facts_table([("remembered", who), ("recall", forgetting.recall)])
    parts: list[RenderableType] = [heading(forgetting.original.title), about, Text(), rows]
    if loss is not None:
        value = "  to  ".join(map(exact_and_decimal, dict.fromkeys(loss.value)))
        costs = [
            ("value", value, "what the player can guarantee if it forgets nothing"),
            ("guarantee", exact_and_decimal(loss.guarantee), "of the strategy that is found"),
            ("loss", f"at most  {exact_and_decimal(loss.at_most)}", "of that strategy"),
            ("", f"at least {exact_and_decimal(loss.at_least)}", "of every strategy of the merged game"),
        ]
        facts: list[Fact] = [(name, Text(text).append(f"  {note}", style=FAINT)) for name, text, note in costs]
        parts += [Text(), facts_table(facts)]
    return Group(*parts)


def forgetting_record(forgetting: Forgetting, loss: Loss | None) -> dict[str, Any]:
    """Return the JSON object that ``tremble forget`` prints."""
    known = {"guarantee": "guarantee", "most": "most", "loss_at_most": "at_most", "loss_at_least": "at_least"}
    numbers = (number_forms(key, None if loss is None else getattr(loss, name)) for key, name in known.items())
    return {
        "title": forgetting.original.title,
        "player": forgetting.player + 1,
        "remembers": forgetting.rule,
        **fields_of(forgetting, "recall", "information_sets", "sequences"),
        "value": None if loss is None else plain(loss.value),
        **{key: form for number in numbers for key, form in number.items()},
        "digest": forgetting.tree.digest,
    }
