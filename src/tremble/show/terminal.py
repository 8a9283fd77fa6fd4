"""What the commands show in a terminal: from data to rich tables and lines of text; nothing is printed here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tremble.clock import INTERRUPTED, MEMORY_IS_FULL, TIME_IS_UP
from tremble.games.counting import total_nodes
from tremble.kinds.kind import Responses
from tremble.model.ordered.game import OrderedGame
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.printable import printable
from tremble.model.rules import DEFAULT_RULES, UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import GameTree
from tremble.show.numbers import (
    Number,
    compact_text,
    decimal_text,
    exact_and_decimal,
    percent_text,
    probability_text,
    short_text,
)
from tremble.show.ordered import first_round_views
from tremble.show.theme import FAINT, HEADING, LESS, MORE, NOTE, OFF_PATH, OK, PARAMETER, WARNING, WRONG
from tremble.show.view import (
    EARNING_COLUMNS,
    MISTAKE_COLUMNS,
    BlunderRow,
    PlayerComparison,
    blunder_rows,
    changes,
    earning_payoffs,
    is_reached,
    lost,
    player_name,
    states_an_equilibrium,
    strategy_rows,
    whose,
)
from tremble.solution.claim import BeliefRow
from tremble.solution.equilibria import Equilibria
from tremble.solution.heading import Status
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.solution.verification import Verification
from tremble.verifier.concepts.table import CONCEPTS

if TYPE_CHECKING:
    from tremble.judging.abstraction import AbstractionReport
    from tremble.judging.audit import Audit, Blunder, WrongBelief
    from tremble.judging.certify import Certification
    from tremble.judging.compare import Comparison, Difference, Earning, Mistake
    from tremble.reductions.forgetting import Forgetting, Loss

__all__ = [
    "MAX_ROWS",
    "abstraction_view",
    "audit_view",
    "certification_view",
    "comparison_view",
    "equilibria_view",
    "forgetting_view",
    "games_view",
    "info_view",
    "ladder_view",
    "responses_view",
    "solution_view",
    "verification_view",
]

MAX_ROWS = 40  # of a strategy, about, that are shown per player

_STATUS_STYLE = {Status.CERTIFIED: OK, Status.BOUNDED: WARNING, Status.LIMIT_REACHED: WRONG}

Facts = list[tuple[str, Text | str]]  # names and what they are


def _table(*columns: str, right: Collection[str] = ("set",)) -> Table:
    """Make a plain table; the columns ``right`` are set to the right."""
    table = _plain_table(show_header=True)
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", header_style=FAINT, overflow="fold")
    return table


def _plain_table(*, show_header: bool = False) -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=show_header)


def _facts(rows: Facts, style: str = FAINT) -> Table:
    """Make a table of names and values."""
    table = _plain_table()
    table.add_column(style=style, no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value) if isinstance(value, str) else value)
    return table


def _heading(title: str) -> Text:
    return Text(printable(title) or "(untitled game)", style=HEADING)


def _who(game: GameTree | UnbuiltGame, player: int) -> str:
    """Number and name of a player, if it has one."""
    number, name = f"Player {player + 1}", player_name(game, player, printable)
    return number if name == number else f"{number} ({name})"


# -- games and info ------------------------------------------------------------------------------


def games_view(records: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Show the built-in games, their parameters and defaults."""
    rows: Facts = []
    for record in records:
        about = Text(record["description"])
        for parameter in record["parameters"]:
            about.append(f"\n{parameter['name']}={_plain(parameter['default'])}", style=PARAMETER)
            about.append(f"  {parameter['allowed']}", style=FAINT)
        rows.append((record["name"], about))
    return Group(_facts(rows, HEADING), Text("\nExample: tremble solve leduc:ranks=5,raises=1", style=FAINT))


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def info_view(record: Mapping[str, Any]) -> RenderableType:
    """Show sizes and class of a game; the record is that of ``--format json``."""

    def known(value: object) -> str:
        if value is None:
            return "not known without building the tree"
        return f"{value:,}" if isinstance(value, int) else str(value)

    def pair(values: Sequence[object] | None) -> str:
        return known(None) if values is None else " + ".join(known(v) for v in values)

    nodes = record["nodes"] or dict.fromkeys(("player", "chance", "terminal"))
    kind = "zero-sum" if record["zero_sum"] else "constant-sum" if record["constant_sum"] else "general-sum"
    witnesses = enumerate(record["recall_witness"] or (), start=1)
    recall = record["recall"] and list(dict.fromkeys(map(known, record["recall"])))
    rows: Facts = [
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
        ("digest", known(record["digest"])),
    ]
    return Group(_heading(record["title"]), _facts(rows))


def abstraction_view(report: AbstractionReport) -> RenderableType:
    """Show what an abstraction leaves of a game, and whether anything is lost."""
    raw, sizes = report.raw, report.sizes
    table = _table("", "all hands", "left", right=("all hands", "left"))

    def row(name: str, before: object, after: object) -> None:
        table.add_row(name, *(f"{v:,}" if isinstance(v, int) else str(v) for v in (before, after)))

    for number, (one, two) in enumerate(zip(*sizes.classes, strict=True)):
        before = " + ".join(f"{counts[number]:,}" for counts in dict.fromkeys(raw.classes))
        row(
            f"hands, round {number + 1}",
            before,
            f"{one:,}" if sizes.classes[0] == sizes.classes[1] else f"{one:,} + {two:,}",
        )
    row("sequences", *(" + ".join(f"{v:,}" for v in found.sequences) for found in (raw, sizes)))
    row("information sets", *(" + ".join(f"{v:,}" for v in found.information_sets) for found in (raw, sizes)))
    row("rows of the linear program", raw.rows, sizes.rows)
    row("  nonzeros", "", report.nonzeros)
    if report.dominance is not None:
        rows, columns = report.dominance["rows"], report.dominance["columns"]
        row("  without dominated actions", "", f"{rows:,} and {columns:,} columns")
    facts: Facts = [
        ("signals", f"{report.signals:,}, dealt in a tree of {report.signal_tree:,} nodes"),
        ("mode", report.mode + ("" if report.threshold is None else f", threshold {report.threshold:.6g}")),
        ("status", _lossless(report)),
    ]
    if report.certified_loss is not None:
        facts.append(("loss", exact_and_decimal(report.certified_loss)))
    if report.bounds is not None:
        facts.append(("value", "  to  ".join(map(exact_and_decimal, report.bounds))))
    return Group(_heading(report.title), _facts(facts), Text(), table)


def _lossless(report: AbstractionReport) -> Text:
    if report.lossless:
        return Text("lossless", style=OK).append("  The classes are equitable: no equilibrium is lost.", style=FAINT)
    return Text("LOSSY", style=WRONG).append(
        "  The classes are not equitable: what is optimal here may not be in the game itself.", style=FAINT
    )


def forgetting_view(forgetting: Forgetting, loss: Loss | None) -> RenderableType:
    """Show what a player who forgets still tells apart, and what that costs."""
    table = _table("", "before", "forgetting", right=("before", "forgetting"))
    for name, sizes in (("information sets", forgetting.information_sets), ("sequences", forgetting.sequences)):
        table.add_row(name, *(f"{size:,}" for size in sizes))
    number = forgetting.player + 1
    facts: Facts = [("remembered", f"player {number}: {forgetting.rule}"), ("recall", forgetting.recall)]
    parts: list[RenderableType] = [_heading(forgetting.original.title), _facts(facts), Text(), table]
    if loss is not None:
        value = "  to  ".join(map(exact_and_decimal, dict.fromkeys(loss.value)))
        found = [
            ("value", value, "what it guarantees itself if it forgets nothing"),
            ("guarantee", exact_and_decimal(loss.guarantee), "of the strategy that is found"),
            ("loss", f"at most  {exact_and_decimal(loss.at_most)}", "of that strategy"),
            ("", f"at least {exact_and_decimal(loss.at_least)}", "of every strategy that forgets as much"),
        ]
        rows: Facts = [(name, Text(text).append(f"  {note}", style=FAINT)) for name, text, note in found]
        parts += [Text(), _facts(rows)]
    return Group(*parts)


def ladder_view(reports: Sequence[AbstractionReport]) -> RenderableType:
    """Show what several thresholds leave."""
    lost = any(report.certified_loss is not None for report in reports)
    columns = ("threshold", "hands, round by round", "sequences", "rows", "nonzeros", *["loss"] * lost, "")
    table = _table(*columns, right=columns[:-1])
    for report in reports:
        hands = [" / ".join(f"{count:,}" for count in rounds) for rounds in dict.fromkeys(report.sizes.classes)]
        sequences = " + ".join(f"{v:,}" for v in report.sizes.sequences)
        status = Text("lossless", style=OK) if report.lossless else Text("LOSSY", style=WRONG)
        table.add_row(
            f"{report.threshold:.6g}",
            " + ".join(hands),
            sequences,
            f"{report.sizes.rows:,}",
            f"{report.nonzeros:,}",
            *([] if report.certified_loss is None else [decimal_text(report.certified_loss)]),
            status,
        )
    return Group(_heading(reports[0].title), table)


# -- solutions -----------------------------------------------------------------------------------


def solution_view(game: GameTree | UnbuiltGame, solution: Solution, max_rows: int = MAX_ROWS) -> RenderableType:
    """Show a solution: what was solved and proven, then the strategy of each player."""
    reason = solution.stats.get("method_reason") or solution.method.options.get("reason")
    status = Text(str(solution.status), style=_STATUS_STYLE[solution.status])
    stopped = printable(str(solution.stats.get("stopped", "")))
    if stopped:
        status.append(f"  {stopped[0].upper()}{stopped[1:]}.")
    guarantees = solution.certificate.get("kind") == "branching"
    explanation = solution.status.explanation
    if guarantees and solution.status == Status.BOUNDED:
        explanation = "Exact bounds enclose the most that the player can guarantee."
    status.append(f"  {explanation}{_advice(solution.status, stopped)}", style=FAINT)
    if odds := _odds(solution):
        status.append(f" Zeros by random points: wrong with a probability below {odds}.", style=FAINT)
    reached = _HELD.get(solution.status) or _concept(solution.concept)
    if guarantees and solution.status == Status.BOUNDED:
        reached = "none yet; a strategy with a proven guarantee"
    if solution.status != Status.CERTIFIED or solution.requested != solution.concept:
        reached += f" (asked for: {_concept(solution.requested)})"
    size = "played from its rules, not built"
    if isinstance(game, GameTree):
        size = f"{game.num_nodes:,} nodes, {_infosets(game.num_infosets)}"
    facts: Facts = [
        ("game", size),
        ("concept", reached),
        ("method", printable(solution.method.name + (f" ({reason})" if reason else ""))),
        ("status", status),
        *(_guarantee(game, solution) if guarantees else _values(game, solution)),
        *_claimed(solution),
    ]
    first = None
    if solution.ordered is not None and isinstance(game, UnbuiltGame) and isinstance(game.rules, OrderedGame):
        facts += _exploitability(solution)
        first = first_round_views(game.rules, solution.ordered, max_rows // 2)
    parts: list[RenderableType] = [_heading(game.title), _facts(facts)]
    for player in (0, 1):
        strategy = solution.strategies[player]
        parts += [Text(), Text(_who(game, player), style=HEADING)]
        if isinstance(strategy, UnbuiltStrategy):
            parts += _rows_view(strategy, max_rows)
            elsewhere = DEFAULT_RULES.get(strategy.default.rule, strategy.default.rule)
            parts.append(
                Text(f"  {'elsewhere' if strategy.rows else 'everywhere'} {printable(elsewhere)}", style=FAINT)
            )
        elif isinstance(strategy, OrderedStrategy):
            parts.append(Text(f"  {_classes(strategy)}", style=FAINT))
            if first is not None:
                parts.append(first[player])
        else:
            parts += _strategy_view(strategy, max_rows)
        if solution.beliefs is not None:
            parts += _beliefs_view(solution.beliefs[player], max_rows)
    return Group(*parts)


def _claimed(solution: StatedSolution) -> Iterator[tuple[str, Text | str]]:
    """What floats say beyond the bounds of a run that was stopped."""
    claimed = solution.stats.get("claimed_float")
    if not isinstance(claimed, list) or len(claimed) != 2 or not all(isinstance(end, int | float) for end in claimed):
        return
    low, high = map(float, claimed)
    if solution.bounds is None or high - low < float(solution.bounds[1] - solution.bounds[0]) * (1 - _ROUNDED):
        yield "floats say", Text(f"{low:.7g}  to  {high:.7g}, which is not proven", style=FAINT)


def _exploitability(solution: StatedSolution) -> Iterator[tuple[str, Text | str]]:
    """How far strategies are from an equilibrium, as far as bounds tell."""
    if solution.bounds is not None and solution.values[0] == -solution.values[1]:
        conv = solution.bounds[1] - solution.bounds[0]
        if conv:
            yield "NashConv", exact_and_decimal(conv)
            yield "exploitability", exact_and_decimal(conv / 2)


def _odds(solution: StatedSolution) -> str:
    """Bound on the probability of an error, of a proof that draws at random."""
    chance = solution.certificate.get("probabilistic")
    return f"2^-{chance.get('k')}" if isinstance(chance, Mapping) else ""


_ROUNDED = 1e-6  # part of a gap that floats and exact numbers may differ by


_HELD = {
    Status.BOUNDED: "none; strategies with proven bounds",
    Status.LIMIT_REACHED: "none; strategies of which nothing is proven",
}
"""What stands where the concept does, if none is proven."""


def _advice(status: Status, stopped: str) -> str:
    """What can be done about a solution that is less than certified."""
    if status == Status.LIMIT_REACHED:
        return " `tremble respond` computes the bounds of these strategies."
    if status == Status.BOUNDED:
        return f" For a smaller gap, {_NEEDS.get(stopped, 'ask for one with --gap')}."
    return ""


_NEEDS = {TIME_IS_UP: "raise --time-limit", INTERRUPTED: "let it work longer", MEMORY_IS_FULL: "it needs more memory"}
"""What made a run stop -> what would have kept it going."""


def _concept(name: str) -> str:
    return CONCEPTS[name].words if name in CONCEPTS else printable(name[:80])


def _infosets(sizes: Sequence[int]) -> str:
    return f"{' + '.join(f'{n:,}' for n in sizes)} information sets"


def _beliefs_view(beliefs: Sequence[BeliefRow], max_rows: int) -> Iterator[RenderableType]:
    """Make a table of what one player believes where more than one node is possible."""
    open_sets = [row for row in beliefs if len(row.nodes) != 1]
    if not open_sets:
        return
    yield Text("  beliefs, at information sets of more than one node", style=FAINT)
    table = _table("set", "after", "probability", "decimal", right=("set", "probability"))
    shown = sets = 0
    for row in open_sets:
        if shown >= max_rows:
            break
        sets += 1
        if not row.nodes:
            table.add_row(str(row.infoset), Text("chance never comes here", style=FAINT), "", "")
            shown += 1
        for j, (path, p) in enumerate(row.nodes[:max_rows]):
            after = printable(", ".join(path)) or "(the root)"
            style = FAINT if p == 0 else ""
            number = str(row.infoset) if j == 0 else ""
            table.add_row(number, Text(after), Text(short_text(p)), Text(probability_text(p)), style=style)
            shown += 1
        if len(row.nodes) > max_rows:
            table.add_row("", *_more(len(row.nodes) - max_rows, " nodes"))
    yield _indented(table)
    yield from _more(len(open_sets) - sets, " information sets; -o FILE gives all", "  ")


def _values(game: GameTree | UnbuiltGame, solution: StatedSolution) -> Iterator[tuple[str, Text | str]]:
    one, two = (exact_and_decimal(value) for value in solution.values)
    opposite = solution.values[0] == -solution.values[1]
    if not states_an_equilibrium(solution):
        yield "these strategies earn", Text(f"{one} to player 1", style=HEADING)
        if not opposite:
            yield "", Text(f"{two} to player 2", style=HEADING)
    elif game.constant_sum is None if isinstance(game, GameTree) else not solution.ordered or solution.bounds is None:
        yield "equilibrium pays", Text(f"{one} to player 1", style=HEADING)  # others may pay something else
        yield "", Text(f"{two} to player 2", style=HEADING)
    elif game.zero_sum if isinstance(game, GameTree) else opposite:
        yield "value", Text(f"{one} to player 1", style=HEADING)
    else:
        yield "value to player 1", Text(one, style=HEADING)
        yield "value to player 2", Text(two, style=HEADING)
    if solution.bounds is not None and solution.bounds[0] != solution.bounds[1]:
        yield "proven bounds", "  to  ".join(map(exact_and_decimal, solution.bounds))


def _guarantee(game: GameTree | UnbuiltGame, solution: StatedSolution) -> Iterator[tuple[str, Text | str]]:
    """Whose strategy it is, what it guarantees that player, and what none does."""
    player = 1 if solution.certificate.get("player") == 2 else 0
    yield "whose", _who(game, player)
    if solution.bounds is None:
        return
    low, high = _to_its_player(solution, solution.bounds)
    yield "guarantees", Text(f"{exact_and_decimal(low)} to player {player + 1}", style=HEADING)
    if low == high:
        yield "", "No strategy of this player guarantees more."
    else:
        yield "no strategy", f"of this player guarantees more than {exact_and_decimal(high)}"


def _to_its_player(solution: StatedSolution, bounds: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """Bounds on what player 1 earns, as bounds on what the player of a maxmin strategy does."""
    if solution.certificate.get("player") != 2:
        return bounds
    total = sum(solution.values, Fraction(0))
    return total - bounds[1], total - bounds[0]


def _strategy_view(strategy: BehaviorStrategy, max_rows: int) -> Iterator[RenderableType]:
    """Make a table of one player's strategy, and how to see what it leaves out."""
    if not strategy.num_infosets:
        yield Text("never moves", style=FAINT)
        return
    label = "label" if any(strategy.infoset_labels) else ""
    table = _table("set", label, "action", "probability", "decimal", right=("set", "probability"))
    marked = False
    shown = sets = 0
    for row in strategy_rows(strategy):
        if shown >= max_rows:
            break
        marked |= row.off_path
        sets += 1
        head = f"{row.number}{'*' if row.off_path else ''}", printable(row.label)
        for action, p in row.moves[:max_rows]:
            style = OFF_PATH if row.off_path else FAINT if p == 0 else ""
            table.add_row(*map(Text, (*head, *_move(action, p))), style=style)
            head = "", ""
            shown += 1
        if len(row.moves) > max_rows:
            table.add_row("", "", *_more(len(row.moves) - max_rows, " actions"))
    yield _indented(table)
    yield from _more_sets(strategy.num_infosets - sets)
    if marked:
        yield Text("  * off the path of the player's own strategy: it never comes there", style=FAINT)


def _move(action: str, p: Number | None) -> tuple[str, str, str]:
    """An action and its probability, exact and decimal."""
    assert p is not None
    return printable(action), short_text(p), probability_text(p)


def _indented(table: Table) -> Padding:
    return Padding(table, (0, 0, 0, 2), expand=False)


def _more(left: int, what: str, indent: str = "") -> Iterator[Text]:
    """Say how many of something are left out, if any."""
    if left > 0:
        yield Text(f"{indent}… {left:,} more{what}", style=FAINT)


def _more_sets(left: int, where: str = "csv or -o FILE") -> Iterator[Text]:
    return _more(left, f" information sets; --format {where} gives all", "  ")


def _rows_view(strategy: UnbuiltStrategy, max_rows: int) -> Iterator[RenderableType]:
    """Make a table of the rows, the shortest keys first."""
    table = _table("knows", "action", "probability", "decimal", right=("probability",))
    rows = sorted(strategy_rows(strategy), key=lambda row: (len(row.label), row.label))
    for row in rows[:max_rows]:
        known = printable(row.label) or "(nothing yet)"
        for action, p in row.moves:
            if p:
                table.add_row(*map(Text, (known, *_move(action, p))))
                known = ""
    if rows[:max_rows]:
        yield _indented(table)
    yield from _more_sets(len(rows) - max_rows)


# -- several equilibria --------------------------------------------------------------------------

MAX_EQUILIBRIA = 25  # and maximal subsets, that are shown


def equilibria_view(game: GameTree | UnbuiltGame, equilibria: Equilibria) -> RenderableType:
    """Show several equilibria, what they earn, and how they hang together."""
    count = f"{len(equilibria):,}{' extreme' if equilibria.pairs is not None else ''}, each proven to be one"
    facts: Facts = [("equilibria", count)]
    if equilibria.unique is not None:
        facts.append(("unique", "yes" if equilibria.unique else "no"))
    if equilibria.unique_plans is not None:
        known = zip(("player 1", "player 2"), equilibria.unique_plans, strict=True)
        facts += [(f"  plan of {who}", "unique" if unique else "not unique") for who, unique in known]
    if equilibria.components is not None:
        facts.append(("components", f"{len(equilibria.components):,}"))
    table = _table("", "strategies", "1 earns", "2 earns", "player 1 plays", "player 2 plays", right=("",))
    for k, solution in enumerate(equilibria.solutions[:MAX_EQUILIBRIA]):
        numbers = ""
        if equilibria.pairs is not None:
            numbers = "x{} y{}".format(*(number + 1 for number in equilibria.pairs[k]))
        earned = (compact_text(value) for value in solution.values)
        table.add_row(*map(Text, (str(k + 1), numbers, *earned, *map(_played, solution.strategies))))
    parts: list[RenderableType] = [_heading(game.title), _facts(facts), Text(), table]
    parts += _more(len(equilibria) - MAX_EQUILIBRIA, " equilibria; --format csv or -o FILE gives all")
    mixed = [subset for subset in equilibria.maximal_subsets or () if len(subset[0]) * len(subset[1]) > 1]
    if mixed:
        parts += [Text(), Text("Equilibria too: any mixture of the strategies x, and any of the strategies y, of")]
    for ones, twos in mixed[:MAX_EQUILIBRIA]:
        parts.append(Text(f"  {_numbered('x', ones)}  and  {_numbered('y', twos)}"))
    parts += _more(len(mixed) - MAX_EQUILIBRIA, " such sets; -o FILE gives all", "  ")
    return Group(*parts)


def _played(strategy: object) -> str:
    """What a strategy plays where it comes, in a line."""
    if not isinstance(strategy, BehaviorStrategy):
        return "(see -o FILE)"
    several = strategy.num_infosets > 1
    said = []
    for row in strategy_rows(strategy):
        if not row.off_path:
            moves = ", ".join(f"{printable(action)} {compact_text(p)}" for action, p in row.moves if p)
            said.append(f"{row.number}: {moves}" if several else moves)
    return "; ".join(said)


def _numbered(letter: str, numbers: Sequence[int]) -> str:
    shown = ", ".join(f"{letter}{number + 1}" for number in numbers[:MAX_ROWS])
    return shown if len(numbers) <= MAX_ROWS else f"{shown}, … ({len(numbers):,} in all)"


def _equilibria_verification_view(
    game: GameTree | UnbuiltGame, equilibria: Equilibria, verification: Verification
) -> RenderableType:
    """Say OK or FAILED, and what was proven or is wrong, of several equilibria."""
    title = printable(game.title) or "the game"
    if not verification.ok:
        head = Text("FAILED", style=WRONG).append(f"  these are not proven equilibria of {title}", style="default")
        return Group(head, *(Text(f"  ✗ {printable(problem)}") for problem in verification.problems))
    concept = CONCEPTS[verification.concept]
    head = Text("OK", style=OK)
    head.append(f"  equilibria of {title}, each a {concept.words}, proven from the game alone", style="default")
    facts = [f"Each of the {len(equilibria):,} is an equilibrium: nobody gains anything by deviating, exactly."]
    facts += concept.proofs
    if odds := max(map(_odds, equilibria), key=len):
        facts.append(f"Zeros were decided at random points, drawn anew; each wrong with a probability below {odds}.")
    facts += [f"{field.name}: {field.proven}." for field in verification.fields if field.proven]
    trusted = (Text(f"  ! {printable(note)}", style=NOTE) for note in verification.notes)
    return Group(head, *(Text(f"  ✓ {fact}") for fact in facts), *trusted)


# -- checks --------------------------------------------------------------------------------------


def _proven_guarantee(
    solution: StatedSolution, verification: Verification
) -> tuple[Fraction, Fraction] | tuple[None, None]:
    """What a maxmin strategy guarantees its player, and what none does."""
    if solution.certificate.get("kind") != "branching" or verification.bounds is None:
        return None, None
    return _to_its_player(solution, verification.bounds)


def verification_view(
    game: GameTree | UnbuiltGame, solution: StatedSolution | Equilibria, verification: Verification
) -> RenderableType:
    """Say OK or FAILED, and what was proven or is wrong, in plain words."""
    if isinstance(solution, Equilibria):
        return _equilibria_verification_view(game, solution, verification)
    concept = _concept(verification.concept)
    title = printable(game.title) or "the game"
    if not verification.ok:
        head = Text("FAILED", style=WRONG).append(f"  this is not a proven {concept} of {title}", style="default")
        lines = [Text(f"  ✗ {printable(problem)}") for problem in verification.problems]
        return Group(head, *lines)
    bounded = solution.status == Status.BOUNDED
    article = "an" if concept[:1] in "aeiou" else "a"
    claim = "the stated bounds hold in" if bounded else f"{article} {concept} of"
    low, high = _proven_guarantee(solution, verification)
    if low is not None and high is not None and not bounded:
        whose, within = solution.certificate["player"], short_text(high - low, 40)
        claim = f"{article} {concept} of player {whose}, within {within}, of"
    head = Text("OK", style=OK).append(f"  {claim} {title}, proven from the game alone", style="default")
    facts = [] if game.digest is None else [f"The solution belongs to this game: {game.digest}."]
    facts.append(
        f"Both strategies are complete: {_sizes(game, solution)}, no negative probability, every sum exactly 1."
    )
    if verification.values is not None:
        one, two = (short_text(v, 40) for v in verification.values)
        facts.append(f"The expected payoffs are {one} to player 1 and {two} to player 2.")
    if verification.bounds is not None and (bounded or verification.best_response_values is None):
        if low is not None and high is not None:
            facts.append(
                f"The strategy of player {solution.certificate['player']} guarantees it {short_text(low, 40)}; no "
                f"behavior strategy of that player guarantees more than {short_text(high, 40)}."
            )
        else:
            least, most = (short_text(v, 40) for v in verification.bounds)
            # Of rules, a constant sum is known only where the strategies let play come.
            what = "the most that player 1 can guarantee" if solution.unbuilt else "the value to player 1"
            facts.append(f"The two strategies prove that {what} is between {least} and {most}.")
    if not bounded:
        if verification.nash_conv == 0:
            facts.append("Neither player can gain anything by deviating: the exact NashConv is 0.")
        facts += CONCEPTS[verification.concept].proofs
        if odds := _odds(solution):
            facts.append(f"Zeros were decided at random points, drawn anew; wrong with a probability below {odds}.")
    trusted = (Text(f"  ! {printable(note)}", style=NOTE) for note in verification.notes)
    return Group(head, *(Text(f"  ✓ {fact}") for fact in facts), *trusted)


_VERDICT_STYLE = {"proven": OK, "disproven": WRONG, "undecided": WARNING}


def certification_view(game: GameTree | UnbuiltGame, found: Certification) -> RenderableType:
    """Say what is proven of a profile and by what, or who gains and where."""
    solution = found.solution
    named = printable(game.title) or "the game"
    if found.within is None:
        head = Text(str(found.verdict).upper(), style=_VERDICT_STYLE[found.verdict])
        head.append(f"  {found.sentence} of {named}", style="default")
    else:
        head = Text(str(solution.status).upper(), style=WARNING).append(f"  {named}: {found.sentence}", style="default")
    parts: list[RenderableType] = [head]
    if found.grounds:
        parts.append(Text(f"  ✓ {printable(found.grounds)}"))
        parts += [Text(f"  ✓ {fact}") for fact in CONCEPTS[solution.concept].proofs]
    mark = "?" if found.verdict == "undecided" else "✗"
    parts += [Text(f"  {mark} {printable(reason)}") for reason in found.reasons[:MAX_BLUNDERS]]
    parts += _more(len(found.reasons) - MAX_BLUNDERS, " reasons; --format json gives all", "  ")
    if found.subgames == ():
        parts.append(Text("  ✓ It is an equilibrium of every subgame."))
    if solution.concept != solution.requested and solution.status == Status.CERTIFIED:
        parts.append(Text("  ✓ It is a Nash equilibrium."))
    for player, numbers in enumerate(found.not_stated):
        if numbers:
            sets = ", ".join(map(str, numbers[:10])) + (", ..." if len(numbers) > 10 else "")
            parts.append(Text(f"  ? player {player + 1} says nothing at {sets}: completed uniformly", style=NOTE))
    facts: Facts = [*_values(game, solution)]
    facts += [(f"player {i + 1} could gain", exact_and_decimal(gain, 40)) for i, gain in enumerate(found.gains) if gain]
    parts += [Text(), _facts(facts)]
    if any(found.gains) and found.blunders:
        parts += [Text(), *_better_table(found.blunders)]
    return Group(*parts)


def _better_table(blunders: Sequence[Blunder]) -> Iterator[RenderableType]:
    table = _table("player", "set", "label", "plays", "with", "better", "gains", right=("player", "set"))
    for b in blunders[:MAX_BLUNDERS]:
        table.add_row(
            *(str(b.player + 1), str(b.infoset), Text(printable(b.label)), Text(printable(b.action or ""))),
            *(short_text(b.probability, 11), Text(printable(b.better))),
            Text(exact_and_decimal(lost(b), 17), style=HEADING),
        )
    yield table
    yield from _more(len(blunders) - MAX_BLUNDERS, "; --format json gives all")
    yield Text("Gains in expected payoff, best play following: they sum to what the player could gain.", style=FAINT)


def _sizes(game: GameTree | UnbuiltGame, solution: StatedSolution) -> str:
    """At how many information sets the two strategies say what they do."""
    if isinstance(game, GameTree):
        return _infosets(game.num_infosets)
    if solution.ordered is not None:
        return " and ".join(map(_classes, solution.ordered))
    return f"{_infosets([len(strategy.rows) for strategy in solution.unbuilt or ()])} and a default elsewhere"


def _classes(strategy: OrderedStrategy) -> str:
    """How many classes of hands a strategy tells apart, and how many sequences it has."""
    sequences = 1 + sum(weight.size for weight in strategy.weight)
    kinds = "class" if strategy.num_classes == (1,) else "classes"
    return f"{' / '.join(f'{count:,}' for count in strategy.num_classes)} {kinds} of hands, {sequences:,} sequences"


def responses_view(game: GameTree | UnbuiltGame, responses: Responses, max_rows: int = MAX_ROWS) -> RenderableType:
    """Show values, best responses and what they gain."""

    def known(value: Number | None, width: int = 60) -> str:
        return "?" if value is None else exact_and_decimal(value, width)

    table = _table("", "earns", "best response earns", "gain")
    for i in (0, 1):
        numbers = (responses.values[i], responses.best_values[i], responses.gains[i])
        table.add_row(*map(Text, (_who(game, i), *(known(v, 30) for v in numbers))))
    conv = Text(known(responses.nash_conv), style=HEADING)
    half = known(responses.exploitability)
    if isinstance(game, GameTree) and game.constant_sum is None:
        half += "  (half of NashConv: without a constant sum there is no value to fall short of)"
    sums = _facts([("NashConv", conv), ("exploitability", half)])
    parts: list[RenderableType] = [_heading(game.title), table, sums]
    parts += [Text(f"? {printable(reason)}", style=NOTE) for reason in responses.reasons if reason is not None]
    for i in (0, 1):
        gain, best = responses.gains[i], responses.best[i]
        if best is not None and gain is not None and gain > 0:
            parts += [Text(), Text(f"Best response of p{_who(game, i)[1:]}", style=HEADING)]
            parts += _pure_view(best, max_rows)
    return Group(*parts)


def _pure_view(strategy: BehaviorStrategy | UnbuiltStrategy, max_rows: int) -> Iterator[RenderableType]:
    if isinstance(strategy, UnbuiltStrategy):
        yield from _rows_view(strategy, max_rows)
        return
    table = _table("set", "label", "action")
    for row in islice(strategy_rows(strategy), max_rows):
        cells = (str(row.number), printable(row.label), printable(row.chosen))
        table.add_row(*map(Text, cells), style=OFF_PATH if row.off_path else "")
    yield _indented(table)
    yield from _more_sets(strategy.num_infosets - max_rows, "csv or json")


MAX_BLUNDERS = 20  # findings of an audit that are shown

_MEASURES = {
    "regret": "against the other's strategy",
    "unsupported": "at least, whatever the other plays",
    "dominated": "against uniform play",
}


def audit_view(tree: GameTree, audit: Audit, not_stated: Sequence[Sequence[int]] = ((), ())) -> RenderableType:
    """Show where a profile blunders, the worst first; information sets that the file does not state are marked."""
    gains: Facts = [(f"player {i + 1} could gain", exact_and_decimal(audit.gains[i], 40)) for i in (0, 1)]
    gains += [
        (f"and, off the path, player {i + 1}", exact_and_decimal(audit.off_path[i], 40))
        for i in (0, 1)
        if audit.off_path[i]
    ]
    parts: list[RenderableType] = [_heading(tree.title), _facts(gains)]
    if audit.blunders:
        parts += [Text(), *_blunder_table(blunder_rows(audit, not_stated))]
    for wrong in audit.wrong_beliefs[:MAX_BLUNDERS]:
        parts += _wrong_belief_table(wrong)
    parts += _more(len(audit.wrong_beliefs) - MAX_BLUNDERS, " wrong beliefs")
    return Group(*parts, *_coverage(audit))


def _blunder_table(rows: Sequence[BlunderRow]) -> Iterator[RenderableType]:
    columns = ("player", "set", "label", "plays", "with", "better", "loses", "measured")
    table = _table(*columns, right=("player", "set"))
    for b, stated in rows[:MAX_BLUNDERS]:
        table.add_row(
            str(b.player + 1),
            f"{b.infoset}{'' if b.on_path else '*'}{'' if stated else '?'}",
            Text(printable(b.label)),
            Text("this mixture" if b.action is None else printable(b.action)),
            short_text(b.probability, 11),
            Text(f"{printable(b.better)}, then otherwise" if b.better == b.action else printable(b.better)),
            Text(exact_and_decimal(b.amount, 17), style=HEADING),
            _MEASURES[b.kind],
        )
    yield table
    yield from _more(len(rows) - MAX_BLUNDERS, "; --format csv or json gives all")
    if not all(b.on_path for b, _ in rows[:MAX_BLUNDERS]):
        yield Text("* off the path: NashConv does not show it", style=FAINT)
    if not all(stated for _, stated in rows[:MAX_BLUNDERS]):
        yield Text("? not stated by the file: completed uniformly", style=FAINT)
    yield Text("Amounts are payoffs per time that the set is reached.", style=FAINT)


def _wrong_belief_table(wrong: WrongBelief) -> Iterator[RenderableType]:
    label = f" ({printable(wrong.label)})" if wrong.label else ""
    yield Text()
    yield Text(f"Player {wrong.player + 1}, set {wrong.infoset}{label}: the belief is wrong", style=HEADING)
    table = _table("node", "stated", "right", right=())
    for path, stated, right in wrong.nodes[:MAX_ROWS]:
        table.add_row(Text(printable(" ".join(path))), short_text(stated), "?" if right is None else short_text(right))
    yield _indented(table)


def _coverage(audit: Audit) -> Iterator[Text]:
    """Say what was looked at, and what was not."""
    looked = audit.num_infosets - audit.never_dealt - audit.unexamined
    if audit.clean:
        yield Text(f"No blunder in {looked:,} information sets, on or off the path.", style=OK)
    if audit.never_dealt:
        yield Text(f"{audit.never_dealt:,} information sets that chance never deals were skipped.", style=FAINT)
    if audit.undecided:
        yield Text(f"Of {audit.undecided:,} dominated actions it is open whether anything supports them.", style=FAINT)
    if audit.unexamined:
        yield Text(f"{audit.unexamined:,} sets were examined for regret only.", style=WARNING)


# -- comparisons ---------------------------------------------------------------------------------

MAX_DIFFERENCES = 20  # differing information sets that are shown
MAX_MISTAKES = 8  # single mistakes that are shown per player


def comparison_view(tree: GameTree, comparison: Comparison) -> RenderableType:
    """Show where two profiles differ, and what either earns against an opponent who errs."""
    unlike = comparison.differences
    players = PlayerComparison.of(tree, comparison)
    one, two = (f"{played.differing:,} of {played.infosets:,}" for played in players)
    reached = sum(map(is_reached, unlike))
    facts: Facts = [
        ("first", Text(printable(comparison.names[0]), style=HEADING)),
        ("second", Text(printable(comparison.names[1]), style=HEADING)),
        ("differ at", f"{one} + {two} information sets, {reached:,} of them on the path of either"),
    ]
    parts: list[RenderableType] = [_heading(tree.title), _facts(facts)]
    if not unlike:
        return Group(*parts, Text("Both play the same everywhere.", style=OK))
    parts += [Text(), _difference_table(unlike)]
    parts += _more(len(unlike) - MAX_DIFFERENCES, " information sets; --format csv or json gives all")
    for played in players:
        who = _who(tree, played.player)
        parts.append(Text())
        if not played.differences:
            parts.append(Text(who, style=HEADING).append(" plays and earns the same in both", style="default"))
            continue
        for opponent, earnings in played.earnings.items():
            parts += _earning_table(who, opponent, earnings)
        parts += _mistake_table(who, played.mistakes)
    if not comparison.exact:
        parts.append(Text("Payoffs are floats: exact ones would cost too much here.", style=WARNING))
    return Group(*parts)


def _difference_table(unlike: Sequence[Difference]) -> Table:
    table = _table("player", "set", "label", "action", "first", "second", "comes there", "distance")
    for d in unlike[:MAX_DIFFERENCES]:
        for j, c in enumerate(c for c in changes(d) if c.first != c.second):
            head, tail = ("", "", ""), ("", "")
            if j == 0:
                head = str(d.player + 1), str(d.infoset), printable(d.label)
                tail = _comes(d), decimal_text(d.distance, 4)
            cells = (*head, printable(c.action), compact_text(c.first), compact_text(c.second), *tail)
            table.add_row(*map(Text, cells), style="" if is_reached(d) else FAINT)
    return table


def _comes(difference: Difference) -> str:
    """Say in which profile play comes to an information set, and if in neither, who avoids it."""
    first, second = difference.on_path
    if first and second:
        return "in both"
    if first or second:
        return "in the first" if first else "in the second"
    if not any(difference.others):
        return "never: the others"
    return "never: itself" if not any(difference.own) else "never"


def _earning_table(who: str, opponent: str, earnings: Sequence[Earning]) -> Iterator[RenderableType]:
    yield Text(who, style=HEADING).append(f" earns against the opponent{whose(opponent)}, who errs with probability d:")
    table = _table(*EARNING_COLUMNS, right=(EARNING_COLUMNS[0], *EARNING_COLUMNS[-2:]))
    for e in earnings:
        shown = [Text(compact_text(v)) for v in earning_payoffs(e)]
        shown[2].style = MORE if e.difference > 0 else LESS if e.difference < 0 else FAINT
        table.add_row(str(e.tremble), *shown, *map(percent_text, e.shares))
    yield _indented(table)


def _mistake_table(who: str, mistakes: Sequence[Mistake]) -> Iterator[RenderableType]:
    if not mistakes:
        return
    yield Text(who, style=HEADING).append(" earns when the opponent makes straight for one mistake:")
    table = _table("set", *MISTAKE_COLUMNS)
    for m in mistakes[:MAX_MISTAKES]:
        payoffs = (Text(compact_text(v)) for v in (m.first, m.second))
        difference = Text(compact_text(m.difference), style=MORE if m.difference > 0 else LESS)
        names = (Text(printable(text)) for text in (m.label, m.action))
        table.add_row(str(m.infoset), *names, *payoffs, difference)
    yield _indented(table)
    yield from _more(len(mistakes) - MAX_MISTAKES, " mistakes; --format json gives all", "  ")
