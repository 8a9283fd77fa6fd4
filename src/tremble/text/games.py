"""Games in a terminal: which there are, how large they are, and what an abstraction or forgetting leaves of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_size import total_nodes
from tremble.poker.game import OrderedGame
from tremble.printable import printable
from tremble.show.cards import cards_text
from tremble.text.numbers import compact_text, decimal_text, exact_and_decimal
from tremble.text.tables import Fact, add, facts_table, heading, plain_table, table
from tremble.text.theme import FAINT, HEADING, OK, PARAMETER, WRONG
from tremble.text.view import called

if TYPE_CHECKING:
    from tremble.poker.abstraction.report import AbstractionReport
    from tremble.recall.forgetting import Forgetting, Loss

__all__ = [
    "MAX_CELLS",
    "abstraction_view",
    "bimatrix_view",
    "forgetting_view",
    "games_view",
    "info_view",
    "ladder_view",
    "rules_view",
]

MAX_CELLS = 200  # of a bimatrix that is shown
_MOST_SIGNALS = 60  # that are named


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
    """Show sizes and class of a game; the record is that of ``--format json``."""

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
        ("digest", known(record["digest"])),
    ]
    return Group(*[heading(record["title"])] * titled, facts_table(facts))


def _merged(sizes: Mapping[str, Any]) -> str:
    """Say what merging would save."""
    if all(len(set(sizes[name])) == 1 for name in ("rows", "columns", "entries")):
        return "nothing to merge: no two information sets or actions are alike"
    before, after = sizes["rows"]
    whole, left = map(_sum, zip(*sizes["information_sets"], strict=True))
    return f"{after:,} of {before:,} rows of the linear program, {left} of {whole} information sets are left"


def bimatrix_view(game: GameTree) -> RenderableType:
    """Show a one-shot game as its bimatrix: a payoff is marked where it comes of a best reply."""
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
    about = Text("* the player's best reply to what the other one does", style=FAINT)
    return Group(heading(game.title), listed, about)


def _payoff(payoff: Fraction, best: bool) -> Text:
    return Text(compact_text(payoff) + "*" * best, style=HEADING if best else "")


def rules_view(game: UnbuiltGame) -> RenderableType:
    """Show what rules say of themselves; nothing is built or counted."""
    rules = game.rules
    facts: list[Fact] = [("players", printable(", ".join(game.players))), ("game", "played from its rules, not built")]
    if isinstance(rules, OrderedGame):
        names = cards_text(rules)(" ".join(rules.signals[:_MOST_SIGNALS])) + " …" * (len(rules.signals) > _MOST_SIGNALS)
        deals = (f"{each.public} to both, {each.private} to each" for each in rules.rounds)
        facts += [("dealt", f"{len(rules.signals):,}: {printable(names)}"), ("rounds", "; ".join(deals))]
    if game.spec is not None:
        facts.append(("spec", printable(game.spec)))
    return Group(heading(game.title), facts_table([*facts, ("digest", game.digest or "none: the rules have no name")]))


def abstraction_view(report: AbstractionReport) -> RenderableType:
    """Show what an abstraction leaves of a game, and whether anything is lost."""
    both = (report.raw, report.sizes)
    rows = table("", "all hands", "left", right=("all hands", "left"))
    for k in range(len(report.raw.classes[0])):
        add(rows, f"hands, round {k + 1}", *(_sum(c[k] for c in dict.fromkeys(sizes.classes)) for sizes in both))
    add(rows, "sequences", *(_sum(sizes.sequences) for sizes in both))
    add(rows, "information sets", *(_sum(sizes.information_sets) for sizes in both))
    add(rows, "rows of the linear program", *(f"{sizes.rows:,}" for sizes in both))
    add(rows, "  nonzeros", "", f"{report.nonzeros:,}")
    if report.dominance is not None:
        left = "{rows:,} and {columns:,} columns".format_map(report.dominance)
        add(rows, "  without dominated actions", "", left)
    equitable = "equitable: no equilibrium is lost."
    if not report.lossless:
        equitable = "not equitable: what is optimal here may not be in the game itself."
    facts: list[Fact] = [
        ("signals", f"{report.signals:,}, dealt in a tree of {report.signal_tree:,} nodes"),
        ("mode", report.mode + ("" if report.threshold is None else f", threshold {report.threshold:.6g}")),
        ("status", _lossless(report).append(f"  The classes are {equitable}", style=FAINT)),
    ]
    if report.certified_loss is not None:
        facts.append(("loss", exact_and_decimal(report.certified_loss)))
    if report.bounds is not None:
        facts.append(("value", "  to  ".join(map(exact_and_decimal, report.bounds))))
    return Group(heading(report.title), facts_table(facts), Text(), rows)


def ladder_view(reports: Sequence[AbstractionReport]) -> RenderableType:
    """Show what several thresholds leave."""
    lost = any(report.certified_loss is not None for report in reports)
    columns = ("threshold", "hands, round by round", "sequences", "rows", "nonzeros", *["loss"] * lost, "")
    rungs = table(*columns, right=columns[:-1])
    for report in reports:
        sizes = report.sizes
        add(
            rungs,
            f"{report.threshold:.6g}",
            " + ".join(_sum(rounds, " / ") for rounds in dict.fromkeys(sizes.classes)),
            _sum(sizes.sequences),
            *(f"{sizes.rows:,}", f"{report.nonzeros:,}"),
            *([] if report.certified_loss is None else [decimal_text(report.certified_loss)]),
            _lossless(report),
        )
    return Group(heading(reports[0].title), rungs)


def forgetting_view(forgetting: Forgetting, loss: Loss | None) -> RenderableType:
    """Show what a player who forgets still tells apart, and what that costs."""
    rows = table("", "before", "forgetting", right=("before", "forgetting"))
    add(rows, "information sets", *(f"{size:,}" for size in forgetting.information_sets))
    add(rows, "sequences", *(f"{size:,}" for size in forgetting.sequences))
    who = f"player {forgetting.player + 1}: {forgetting.rule}"
    about = facts_table([("remembered", who), ("recall", forgetting.recall)])
    parts: list[RenderableType] = [heading(forgetting.original.title), about, Text(), rows]
    if loss is not None:
        value = "  to  ".join(map(exact_and_decimal, dict.fromkeys(loss.value)))
        costs = [
            ("value", value, "what it guarantees itself if it forgets nothing"),
            ("guarantee", exact_and_decimal(loss.guarantee), "of the strategy that is found"),
            ("loss", f"at most  {exact_and_decimal(loss.at_most)}", "of that strategy"),
            ("", f"at least {exact_and_decimal(loss.at_least)}", "of every strategy that forgets as much"),
        ]
        facts: list[Fact] = [(name, Text(text).append(f"  {note}", style=FAINT)) for name, text, note in costs]
        parts += [Text(), facts_table(facts)]
    return Group(*parts)


def _lossless(report: AbstractionReport) -> Text:
    return Text("lossless", style=OK) if report.lossless else Text("LOSSY", style=WRONG)


def _sum(counts: Iterable[int], sign: str = " + ") -> str:
    return sign.join(f"{count:,}" for count in counts)
