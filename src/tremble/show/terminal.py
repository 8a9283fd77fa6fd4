"""What the commands show in a terminal: from data to rich tables and lines of text; nothing is printed here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tremble.clock import INTERRUPTED, MEMORY_IS_FULL, TIME_IS_UP
from tremble.games.counting import total_nodes
from tremble.judging.respond import Responses
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
from tremble.show.printable import printable
from tremble.show.theme import FAINT, HEADING, LESS, MORE, NOTE, OFF_PATH, OK, PARAMETER, WARNING, WRONG
from tremble.show.view import (
    EARNING_COLUMNS,
    MISTAKE_COLUMNS,
    PlayerComparison,
    changes,
    earning_payoffs,
    is_reached,
    player_name,
    strategy_rows,
    whose,
)
from tremble.solution.claim import BeliefRow
from tremble.solution.heading import Status
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.solution.verification import Verification
from tremble.verifier.concepts.table import CONCEPTS

if TYPE_CHECKING:
    from tremble.judging.audit import Audit, Blunder, WrongBelief
    from tremble.judging.compare import Comparison, Difference, Earning, Mistake

__all__ = [
    "MAX_ROWS",
    "audit_view",
    "comparison_view",
    "games_view",
    "info_view",
    "records_view",
    "responses_view",
    "solution_view",
    "verification_view",
]

MAX_ROWS = 40
"""About how many rows of a strategy are shown per player."""

_STATUS_STYLE = {Status.CERTIFIED: OK, Status.BOUNDED: WARNING, Status.LIMIT_REACHED: WRONG}


def _table(*columns: tuple[str, str]) -> Table:
    """Make a plain table; ``columns`` are (name, "left" or "right")."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, justify in columns:
        table.add_column(name, justify="right" if justify == "right" else "left", header_style=FAINT, overflow="fold")
    return table


def _facts(rows: Sequence[tuple[str, RenderableType | str]]) -> Table:
    """Make a table of names and values."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style=FAINT, no_wrap=True)
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
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for record in records:
        about = Text(record["description"])
        for parameter in record["parameters"]:
            about.append(f"\n{parameter['name']}={_plain(parameter['default'])}", style=PARAMETER)
            about.append(f"  {parameter['allowed']}", style=FAINT)
        table.add_row(Text(record["name"], style=HEADING), about)
    return Group(table, Text("\nExample: tremble solve leduc:ranks=5,raises=1", style=FAINT))


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def info_view(record: Mapping[str, Any]) -> RenderableType:
    """Show sizes and class of a game; the record is that of ``--format json``."""

    def known(value: object) -> str:
        return (
            "not known without building the tree"
            if value is None
            else f"{value:,}"
            if isinstance(value, int)
            else str(value)
        )

    def pair(values: Sequence[object] | None) -> str:
        return known(None) if values is None else " + ".join(known(v) for v in values)

    nodes = record["nodes"]
    kind = "zero-sum" if record["zero_sum"] else "constant-sum" if record["constant_sum"] else "general-sum"
    if record["constant_sum"] is None:
        kind = known(None)
    total = None if nodes is None else total_nodes(record)
    recall = record["recall"] and [known(recall) for recall in record["recall"]]
    rows: list[tuple[str, RenderableType | str]] = [
        ("players", known(None) if record["players"] is None else printable(", ".join(record["players"]))),
        ("payoffs", known(None) if record["zero_sum"] is None else kind),
        ("nodes", known(total)),
        ("  of players", pair(None if nodes is None else nodes["player"])),
        ("  of chance", known(None if nodes is None else nodes["chance"])),
        ("  leaves", known(None if nodes is None else nodes["terminal"])),
        ("information sets", pair(record["information_sets"])),
        ("sequences", pair(record["sequences"])),
        ("depth", known(record["max_depth"])),
        ("recall", known(None) if recall is None else recall[0] if recall[0] == recall[1] else ", ".join(recall)),
        ("digest", known(record["digest"])),
    ]
    return Group(_heading(record["title"]), _facts(rows))


# -- solutions -----------------------------------------------------------------------------------


def solution_view(game: GameTree | UnbuiltGame, solution: Solution, max_rows: int = MAX_ROWS) -> RenderableType:
    """Show a solution: what was solved and proven, then the strategy of each player."""
    reason = solution.stats.get("method_reason") or solution.method.options.get("reason")
    status = Text(str(solution.status), style=_STATUS_STYLE[solution.status])
    stopped = printable(str(solution.stats.get("stopped", "")))
    if stopped:
        status.append(f"  {stopped[0].upper()}{stopped[1:]}.")
    status.append(f"  {solution.status.explanation}{_advice(solution.status, stopped)}", style=FAINT)
    if isinstance(chance := solution.certificate.get("probabilistic"), Mapping):
        status.append(f" Zeros by random points: wrong with a probability below 2^-{chance.get('k')}.", style=FAINT)
    reached = _HELD.get(solution.status) or _concept(solution.concept)
    if solution.status != Status.CERTIFIED or solution.requested != solution.concept:
        reached += f" (asked for: {_concept(solution.requested)})"
    rows: list[tuple[str, RenderableType | str]] = [
        ("game", _size(game)),
        ("concept", reached),
        ("method", printable(solution.method.name + (f" ({reason})" if reason else ""))),
        ("status", status),
    ]
    rows += _values(game, solution)
    parts: list[RenderableType] = [_heading(game.title), _facts(rows)]
    for player in (0, 1):
        parts += [Text(), Text(_who(game, player), style=HEADING)]
        strategy = solution.strategies[player]
        if isinstance(strategy, UnbuiltStrategy):
            parts += _unbuilt_strategy_view(strategy, max_rows)
        else:
            parts += _strategy_view(strategy, max_rows)
        if solution.beliefs is not None:
            parts += _beliefs_view(solution.beliefs[player], max_rows)
    return Group(*parts)


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


_NEEDS = {
    TIME_IS_UP: "raise --time-limit",
    INTERRUPTED: "let it work longer",
    MEMORY_IS_FULL: "it needs more memory",
}
"""What made a run stop -> what would have kept it going."""


def _concept(name: str) -> str:
    return CONCEPTS[name].words if name in CONCEPTS else printable(name)


def _size(game: GameTree | UnbuiltGame) -> str:
    if isinstance(game, UnbuiltGame):
        return "played from its rules, not built"
    sizes = game.num_infosets
    return f"{game.num_nodes:,} nodes, {sizes[0]:,} + {sizes[1]:,} information sets"


def _beliefs_view(beliefs: Sequence[BeliefRow], max_rows: int) -> Iterator[RenderableType]:
    """Make a table of what one player believes where more than one node is possible."""
    open_sets = [row for row in beliefs if len(row.nodes) != 1]
    if not open_sets:
        return
    yield Text("  beliefs, at information sets of more than one node", style=FAINT)
    table = _table(("set", "right"), ("after", "left"), ("probability", "right"), ("decimal", "left"))
    shown = 0
    for count, row in enumerate(open_sets):
        if shown >= max_rows:
            yield _indented(table)
            yield Text(f"  … {len(open_sets) - count:,} more information sets; -o FILE gives all", style=FAINT)
            return
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
            table.add_row("", Text(f"… {len(row.nodes) - max_rows:,} more nodes", style=FAINT), "", "")
    yield _indented(table)


def _values(game: GameTree | UnbuiltGame, solution: StatedSolution) -> list[tuple[str, RenderableType | str]]:
    one, two = solution.values
    rows: list[tuple[str, RenderableType | str]] = []
    if solution.status != Status.CERTIFIED and solution.bounds != (one, one):  # no value of the game
        rows.append(("these strategies earn", Text(exact_and_decimal(one) + " to player 1", style=HEADING)))
        if one != -two:
            rows.append(("", Text(exact_and_decimal(two) + " to player 2", style=HEADING)))
    elif game.zero_sum if isinstance(game, GameTree) else solution.bounds is not None and one == -two:
        rows.append(("value", Text(exact_and_decimal(one) + " to player 1", style=HEADING)))
    else:
        rows += [("value to player 1", Text(exact_and_decimal(one), style=HEADING))]
        rows += [("value to player 2", Text(exact_and_decimal(two), style=HEADING))]
    if solution.bounds is not None and solution.bounds[0] != solution.bounds[1]:
        low, high = solution.bounds
        rows.append(("proven bounds", f"{exact_and_decimal(low)}  to  {exact_and_decimal(high)}"))
    return rows


def _strategy_view(strategy: BehaviorStrategy, max_rows: int) -> Iterator[RenderableType]:
    """Make a table of one player's strategy, and how to see what it leaves out."""
    if not strategy.num_infosets:
        yield Text("never moves", style=FAINT)
        return
    label = "label" if any(strategy.infoset_labels) else ""
    table = _table(("set", "right"), (label, "left"), ("action", "left"), ("probability", "right"), ("decimal", "left"))
    marked = False
    shown = sets = 0
    for row in strategy_rows(strategy):
        if shown >= max_rows:
            break
        marked |= row.off_path
        sets += 1
        for j, (action, p) in enumerate(row.moves):
            if j >= max_rows:
                table.add_row("", "", Text(f"… {len(row.moves) - j:,} more actions", style=FAINT))
                break
            head = (f"{row.number}{'*' if row.off_path else ''}", printable(row.label)) if j == 0 else ("", "")
            style = OFF_PATH if row.off_path else FAINT if p == 0 else ""
            table.add_row(*map(Text, (*head, *_move(action, p))), style=style)
            shown += 1
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


def _more_sets(count: int, where: str = "csv or -o FILE") -> Iterator[Text]:
    """Say how many information sets are left out, and how to see them."""
    if count > 0:
        yield Text(f"  … {count:,} more information sets; --format {where} gives all", style=FAINT)


def _unbuilt_strategy_view(strategy: UnbuiltStrategy, max_rows: int) -> Iterator[RenderableType]:
    """Make a table of one player's rows in a game that is not built, and name its default."""
    yield from _rows_view(strategy, max_rows)
    elsewhere = DEFAULT_RULES.get(strategy.default.rule, strategy.default.rule)
    yield Text(f"  {'elsewhere' if strategy.rows else 'everywhere'} {printable(elsewhere)}", style=FAINT)


def _rows_view(strategy: UnbuiltStrategy, max_rows: int) -> Iterator[RenderableType]:
    """Make a table of the rows, the shortest keys first."""
    table = _table(("knows", "left"), ("action", "left"), ("probability", "right"), ("decimal", "left"))
    rows = sorted(strategy_rows(strategy), key=lambda row: (len(row.label), row.label))
    for row in rows[:max_rows]:
        for j, (action, p) in enumerate(move for move in row.moves if move[1]):
            known = printable(row.label) or "(nothing yet)"
            table.add_row(*map(Text, (known if j == 0 else "", *_move(action, p))))
    if rows[:max_rows]:
        yield _indented(table)
    yield from _more_sets(len(rows) - max_rows)


# -- checks --------------------------------------------------------------------------------------


def verification_view(
    game: GameTree | UnbuiltGame, solution: StatedSolution, verification: Verification
) -> RenderableType:
    """Say OK or FAILED, and what was proven or is wrong, in plain words."""
    concept = _concept(verification.concept)
    title = printable(game.title) or "the game"
    if not verification.ok:
        head = Text("FAILED", style=WRONG).append(f"  this is not a proven {concept} of {title}", style="default")
        lines = [Text(f"  ✗ {printable(problem)}") for problem in verification.problems]
        return Group(head, *lines)
    bounded = solution.status == Status.BOUNDED
    claim = "the stated bounds hold in" if bounded else f"{_with_article(concept)} of"
    head = Text("OK", style=OK).append(f"  {claim} {title}, proven from the game alone", style="default")
    facts = [*_belonging(game), f"{_complete(game, solution)}, no negative probability, every sum exactly 1."]
    if verification.values is not None:
        one, two = (short_text(v, 40) for v in verification.values)
        facts.append(f"The expected payoffs are {one} to player 1 and {two} to player 2.")
    if bounded and verification.bounds is not None:
        low, high = (short_text(v, 40) for v in verification.bounds)
        facts.append(f"The two strategies prove that the value to player 1 is between {low} and {high}.")
    else:
        if verification.nash_conv == 0:
            facts.append("Neither player can gain anything by deviating: the exact NashConv is 0.")
        facts += CONCEPTS[verification.concept].proofs
        chance = solution.certificate.get("probabilistic")
        if isinstance(chance, Mapping):
            chance_of_error = f"2^-{chance.get('k')}"
            facts.append(
                f"Zeros were decided at random points, drawn anew; wrong with a probability below {chance_of_error}."
            )
    trusted = (Text(f"  ! {printable(note)}", style=NOTE) for note in verification.notes)
    return Group(head, *(Text(f"  ✓ {fact}") for fact in facts), *trusted)


def _belonging(game: GameTree | UnbuiltGame) -> Iterator[str]:
    if game.digest is not None:
        yield f"The solution belongs to this game: {game.digest}."


def _complete(game: GameTree | UnbuiltGame, solution: StatedSolution) -> str:
    """What makes the two strategies complete."""
    if isinstance(game, GameTree):
        sizes = game.num_infosets
        return f"Both strategies are complete: {sizes[0]:,} + {sizes[1]:,} information sets"
    rows = [len(strategy.rows) for strategy in solution.unbuilt or ()]
    return (
        f"Both strategies are complete: {' + '.join(f'{n:,}' for n in rows)} information sets and a default elsewhere"
    )


def _with_article(concept: str) -> str:
    return f"{'an' if concept[:1] in 'aeiou' else 'a'} {concept}"


def responses_view(game: GameTree | UnbuiltGame, responses: Responses, max_rows: int = MAX_ROWS) -> RenderableType:
    """Show values, best responses and what they gain."""
    table = _table(("", "left"), ("value", "left"), ("best response earns", "left"), ("gain", "left"))
    for i in (0, 1):
        numbers = (responses.values[i], responses.best_values[i], responses.gains[i])
        table.add_row(Text(_who(game, i)), *(Text("?" if v is None else exact_and_decimal(v, 30)) for v in numbers))
    conv, half = responses.nash_conv, responses.exploitability
    sums = _facts(
        [
            ("NashConv", Text("?" if conv is None else exact_and_decimal(conv), style=HEADING)),
            ("exploitability", "?" if half is None else exact_and_decimal(half)),
        ]
    )
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
    table = _table(("set", "right"), ("label", "left"), ("action", "left"))
    for row in islice(strategy_rows(strategy), max_rows):
        cells = (str(row.number), printable(row.label), printable(row.chosen))
        table.add_row(*map(Text, cells), style=OFF_PATH if row.off_path else "")
    yield _indented(table)
    yield from _more_sets(strategy.num_infosets - max_rows, "csv or json")


MAX_BLUNDERS = 20
"""How many findings of an audit are shown."""

_MEASURES = {
    "regret": "against the other's strategy",
    "unsupported": "at least, whatever the other plays",
    "dominated": "against uniform play",
}


def audit_view(tree: GameTree, audit: Audit, not_stated: Sequence[Sequence[int]] = ((), ())) -> RenderableType:
    """Show where a profile blunders, the worst first; information sets that the file does not state are marked."""
    gains = [(f"player {i + 1} could gain", exact_and_decimal(audit.gains[i], 40)) for i in (0, 1)]
    hidden = [(f"and, off the path, player {i + 1}", exact_and_decimal(audit.off_path[i], 40)) for i in (0, 1)]
    facts = _facts([*gains, *((n, v) for n, v in hidden if v != "0")])
    parts: list[RenderableType] = [_heading(tree.title), facts]
    if audit.blunders:
        parts += [Text(), *_blunder_table(audit.blunders, not_stated)]
    for wrong in audit.wrong_beliefs[:MAX_BLUNDERS]:
        parts += _wrong_belief_table(wrong)
    if len(audit.wrong_beliefs) > MAX_BLUNDERS:
        parts.append(Text(f"… {len(audit.wrong_beliefs) - MAX_BLUNDERS:,} more wrong beliefs", style=FAINT))
    return Group(*parts, *_coverage(audit))


def _blunder_table(blunders: Sequence[Blunder], not_stated: Sequence[Sequence[int]]) -> Iterator[RenderableType]:
    table = _table(
        ("player", "right"), ("set", "right"), ("label", "left"), ("plays", "left"), ("with", "left"),
        ("better", "left"), ("gives away", "left"), ("measured", "left"),
    )  # fmt: skip
    off_path = completed = False
    for b in blunders[:MAX_BLUNDERS]:
        unstated = b.infoset in not_stated[b.player]
        off_path |= not b.on_path
        completed |= unstated
        table.add_row(
            str(b.player + 1),
            f"{b.infoset}{'' if b.on_path else '*'}{'?' if unstated else ''}",
            Text(printable(b.label)),
            Text("this mixture" if b.action is None else printable(b.action)),
            short_text(b.probability, 11),
            Text(f"{printable(b.better)}, then otherwise" if b.better == b.action else printable(b.better)),
            Text(exact_and_decimal(b.amount, 17), style=HEADING),
            _MEASURES[b.kind],
        )
    yield table
    if len(blunders) > MAX_BLUNDERS:
        yield Text(f"… {len(blunders) - MAX_BLUNDERS:,} more; --format csv or json gives all", style=FAINT)
    if off_path:
        yield Text("* off the path: exploitability does not show it", style=FAINT)
    if completed:
        yield Text("? not stated by the file: completed uniformly", style=FAINT)
    yield Text("Amounts are payoffs per time that the set is reached.", style=FAINT)


def _wrong_belief_table(wrong: WrongBelief) -> Iterator[RenderableType]:
    label = f" ({printable(wrong.label)})" if wrong.label else ""
    yield Text()
    yield Text(f"Player {wrong.player + 1}, set {wrong.infoset}{label}: the belief is wrong", style=HEADING)
    table = _table(("node", "left"), ("stated", "left"), ("right", "left"))
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


def records_view(records: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Show flat records with equal keys as a table."""
    if not records:
        return Text("nothing to show", style=FAINT)
    numeric = {key: isinstance(value, int | float) for key, value in records[0].items()}
    table = _table(*((key, "right" if numeric[key] else "left") for key in records[0]))
    for record in records:
        table.add_row(*(Text(f"{v:.4g}" if isinstance(v, float) else printable(str(v))) for v in record.values()))
    return table


# -- comparisons ---------------------------------------------------------------------------------

MAX_DIFFERENCES = 20
"""How many differing information sets are shown."""

MAX_MISTAKES = 8
"""How many single mistakes are shown per player."""


def comparison_view(tree: GameTree, comparison: Comparison) -> RenderableType:
    """Show where two profiles differ, and what either earns against an opponent who errs."""
    unlike = comparison.differences
    players = PlayerComparison.of(tree, comparison)
    count = [f"{played.differing:,} of {played.infosets:,}" for played in players]
    reached = sum(map(is_reached, unlike))
    facts: list[tuple[str, RenderableType | str]] = [
        ("first", Text(printable(comparison.names[0]), style=HEADING)),
        ("second", Text(printable(comparison.names[1]), style=HEADING)),
        ("differ at", f"{count[0]} + {count[1]} information sets, {reached:,} of them on the path of either"),
    ]
    parts: list[RenderableType] = [_heading(tree.title), _facts(facts)]
    if not unlike:
        return Group(*parts, Text("Both play the same everywhere.", style=OK))
    parts += [Text(), _difference_table(unlike)]
    if len(unlike) > MAX_DIFFERENCES:
        more = f"… {len(unlike) - MAX_DIFFERENCES:,} more information sets; --format csv or json gives all"
        parts.append(Text(more, style=FAINT))
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
    table = _table(
        *(("player", "left"), ("set", "right"), ("label", "left"), ("action", "left"), ("first", "left")),
        *(("second", "left"), ("comes there", "left"), ("distance", "left")),
    )
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
    table = _table(*zip(EARNING_COLUMNS, ("right", *["left"] * 4, "right", "right"), strict=True))
    for e in earnings:
        shown = [Text(compact_text(v)) for v in earning_payoffs(e)]
        shown[2].style = MORE if e.difference > 0 else LESS if e.difference < 0 else FAINT
        table.add_row(str(e.tremble), *shown, *map(percent_text, e.shares))
    yield _indented(table)


def _mistake_table(who: str, mistakes: Sequence[Mistake]) -> Iterator[RenderableType]:
    if not mistakes:
        return
    yield Text(who, style=HEADING).append(" earns when the opponent makes straight for one mistake:")
    table = _table(("set", "right"), *((name, "left") for name in MISTAKE_COLUMNS))
    for m in mistakes[:MAX_MISTAKES]:
        payoffs = (Text(compact_text(v)) for v in (m.first, m.second))
        difference = Text(compact_text(m.difference), style=MORE if m.difference > 0 else LESS)
        names = (Text(printable(text)) for text in (m.label, m.action))
        table.add_row(str(m.infoset), *names, *payoffs, difference)
    yield _indented(table)
    if len(mistakes) > MAX_MISTAKES:
        yield Text(f"  … {len(mistakes) - MAX_MISTAKES:,} more mistakes; --format json gives all", style=FAINT)
