"""Show games on a terminal: the list of built-in games, the sizes of a game, and a payoff table (bimatrix)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_size import total_nodes
from tremble.text.captions import compact_text
from tremble.text.theme import FAINT, HEADING, PARAMETER
from tremble.text.view import Fact, add, facts_table, heading, plain_table
from tremble.words import called, printable

__all__ = [
    "MAX_CELLS",
    "bimatrix_view",
    "counts_text",
    "games_view",
    "info_view",
    "rules_view",
]

MAX_CELLS = 200  # a one-shot game with more nodes is not shown as a bimatrix


def games_view(records: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Show the built-in games, their parameters and defaults."""
    rows: list[Fact] = []
    for record in records:
        about = Text(record["description"])
        for parameter in record["parameters"]:
            default = parameter["default"]
            plain = str(default).lower() if isinstance(default, bool) else default
            about.append(f"\n{parameter['name']}={plain}", style=PARAMETER)
            about.append(f"  {parameter['allowed']}", style=FAINT)
        rows.append((record["name"], about))
    return Group(facts_table(rows, HEADING), Text("\nExample: tremble solve leduc:ranks=5,raises=1", style=FAINT))


def info_view(record: Mapping[str, Any], *, titled: bool = True) -> RenderableType:
    """Show the sizes, the payoffs and the recall of a game, from the result of :func:`~tremble.text.info.info`.

    If ``titled`` is False, omit the title.
    """

    def known(value: object) -> str:
        if value is None:
            return "not known without building the tree"
        return f"{value:,}" if isinstance(value, int) else str(value)

    def pair(values: Sequence[object] | None) -> str:
        return known(None) if values is None else " + ".join(map(known, values))

    nodes = record["nodes"] or dict.fromkeys(("player", "chance", "terminal"))
    kind = "zero-sum" if record["zero_sum"] else "constant-sum" if record["constant_sum"] else "general-sum"
    witnesses = enumerate(record["recall_witness"] or (), start=1)
    recall = record["recall"] and list(dict.fromkeys(map(known, record["recall"])))
    facts: list[Fact] = [
        ("players", known(record["players"] and printable(", ".join(record["players"])))),
        ("payoffs", known(None) if None in (record["zero_sum"], record["constant_sum"]) else kind),
        ("nodes", known(record["nodes"] and total_nodes(record))),
        ("  of players", pair(nodes["player"])),
        ("  of chance", known(nodes["chance"])),
        ("  leaves", known(nodes["terminal"])),
        ("information sets", pair(record["information_sets"])),
        ("sequences", pair(record["sequences"])),
        ("depth", known(record["max_depth"])),
        ("recall", known(recall and ", ".join(recall))),
        *((f"  of player {i}", printable(shown["words"])) for i, shown in witnesses if shown is not None),
        *([] if record.get("merged") is None else [("merged", _merged(record["merged"]))]),
        *((name, printable(words)) for name, words in record.get("facts", {}).items()),
        ("digest", known(record["digest"])),
    ]
    return Group(*[heading(record["title"])] * titled, facts_table(facts))


def _merged(sizes: Mapping[str, Any]) -> str:
    """Describe how much smaller the linear program becomes if alike information sets and actions are merged."""
    if all(len(set(sizes[name])) == 1 for name in ("rows", "columns", "entries")):
        return "nothing to merge: no two information sets or actions are alike"
    before, after = sizes["rows"]
    whole, left = map(counts_text, zip(*sizes["information_sets"], strict=True))
    return f"{after:,} of {before:,} rows of the linear program and {left} of {whole} information sets remain"


def bimatrix_view(game: GameTree) -> RenderableType:
    """Show a one-shot game as a table of payoffs, in which an asterisk marks the payoffs of best responses."""
    (rows,), (columns,) = game.actions
    shape = len(rows), len(columns)
    payoffs = [game.payoff_at(cell) for cell in range(shape[0] * shape[1])]
    best1 = [max(payoffs[i * shape[1] + j][0] for i in range(shape[0])) for j in range(shape[1])]
    best2 = [max(payoffs[i * shape[1] + j][1] for j in range(shape[1])) for i in range(shape[0])]
    listed = plain_table()
    listed.add_column(Text(f"{called(game, 0, 'Player {}')} \\ {called(game, 1, 'Player {}')}"), header_style=FAINT)
    for column in columns:
        listed.add_column(Text(printable(column)), header_style=FAINT, justify="right")
    for i, row in enumerate(rows):
        cells = []
        for j in range(shape[1]):
            first, second = payoffs[i * shape[1] + j]
            cells.append(_payoff(first, first == best1[j]).append(", ").append(_payoff(second, second == best2[i])))
        add(listed, printable(row), *cells)
    about = Text("* the player's best response to the action of the other player", style=FAINT)
    return Group(heading(game.title), listed, about)


def _payoff(payoff: Fraction, best: bool) -> Text:
    return Text(compact_text(payoff) + "*" * best, style=HEADING if best else "")


def rules_view(game: UnbuiltGame) -> RenderableType:
    """Show all facts about a game that are known from its rules, without building the tree."""
    from tremble.game.kinds import kind_of  # imported late, because `tremble games` does not need this module

    facts: list[Fact] = [
        ("players", printable(", ".join(game.players))),
        ("game", "given by its rules, not built as a tree"),
    ]
    facts += [(name, printable(words)) for name, words in kind_of(game).facts()]
    if game.spec is not None:
        facts.append(("spec", printable(game.spec)))
    return Group(heading(game.title), facts_table([*facts, ("digest", game.digest or "none: no identity() in rules")]))


def counts_text(counts: Iterable[int], sign: str = " + ") -> str:
    """Return counts as text, joined by ``sign``."""
    return sign.join(f"{count:,}" for count in counts)
