"""Show solutions and strategies on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from sys import maxsize
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.capabilities import extensions
from tremble.game.rules import DEFAULT_RULES, UnbuiltGame, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy
from tremble.game.strategy_rows import InfosetRow, infoset_rows
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.numbers import parse_fraction
from tremble.run.alarm import TIME_IS_UP
from tremble.run.clock import MEMORY_IS_FULL
from tremble.run.signals import INTERRUPTIONS
from tremble.solution.claim import Strategy
from tremble.solution.claims import of_rules
from tremble.solution.concepts import CONCEPTS
from tremble.solution.stated import StatedSolution
from tremble.status import Status
from tremble.text.beliefs import beliefs_view
from tremble.text.theme import FAINT, HEADING, OFF_PATH, OK, WARNING, WRONG
from tremble.text.view import (
    DECIMAL,
    EXACT,
    MAX_ROWS,
    Block,
    Fact,
    concept_words,
    exact_and_decimal,
    facts_table,
    fill,
    heading,
    indented,
    more,
    move,
    numbered_name,
    of_the_pot,
    states_an_equilibrium,
    table,
)
from tremble.words import called, for_reader, infosets_words, odds, printable

if TYPE_CHECKING:
    pass

__all__ = ["explained", "solution_view", "strategy_view", "to_its_player", "value_facts"]


_ROUNDED = 1e-6  # if floats make the gap smaller by less than this fraction, rounding is the cause
_STATUS_STYLE = {Status.CERTIFIED: OK, Status.BOUNDED: WARNING, Status.LIMIT_REACHED: WRONG}
_HELD = {  # status -> text that replaces the name of the concept if no concept is proven
    Status.BOUNDED: "not proven; only the bounds are proven",
    Status.LIMIT_REACHED: "not proven; nothing is proven about these strategies",
}


def solution_view(game: GameTree | UnbuiltGame, solution: StatedSolution, max_rows: int = MAX_ROWS) -> RenderableType:
    """Show a solution: facts about the game and the proof, then the strategy and the beliefs of each player."""
    reason = solution.stats.get("method_reason") or solution.method.options.get("reason")
    status = Text(str(solution.status), style=_STATUS_STYLE[solution.status])
    stopped = printable(str(solution.stats.get("stopped", "")))
    if stopped:
        status.append(f"  {stopped[0].upper()}{stopped[1:]}.")
    guarantees = "player" in solution.certificate
    explanation = explained(solution)
    if guarantees and solution.status == Status.BOUNDED:
        explanation = "Exact bounds enclose the largest payoff that the player can guarantee."
    status.append(f"  {explanation}{_advice(solution.status, stopped)}", style=FAINT)
    if error := odds(solution):
        status.append(f" The proof uses random points; it is wrong with a probability below {error}.", style=FAINT)
    reached = _HELD.get(solution.status) or _reached(game, solution)
    if solution.status == Status.BOUNDED and solution.bounds is None:
        reached = "not proven; what each player can gain is proven"
    if guarantees and solution.status == Status.BOUNDED:
        reached = "not proven; the strategy has a proven guarantee"
    if solution.status != Status.CERTIFIED or solution.requested != solution.concept:
        reached += f" (requested: {concept_words(solution.requested)})"
    size = "given by its rules, not built as a tree"
    if isinstance(game, GameTree):
        size = f"{game.num_nodes:,} nodes, {infosets_words(game.num_infosets)}"
    elif not of_rules(solution):
        size = infosets_words([len(table.infosets) for table in solution.tables])
    facts: list[Fact] = [
        ("game", size),
        ("concept", reached),
        ("method", printable(solution.method.name + (f" ({reason})" if reason else ""))),
        *_symmetry(solution),
        *_merged(solution),
        ("status", status),
        *(_guarantee(game, solution) if guarantees else value_facts(game, solution)),
        *_claimed(solution),
    ]
    tables = [] if isinstance(game, GameTree) else _tables(game, solution, max_rows // 2)
    if tables:
        facts += _exploitability(game, solution)
    parts: list[RenderableType] = [heading(game.title), facts_table(facts)]
    for player in (0, 1):
        strategy = solution.strategies[player]
        parts += [Text(), Text(numbered_name(game, player), style=HEADING), *_played_by(strategy, max_rows)]
        parts += tables[player : player + 1]
        if solution.beliefs is not None:
            parts += beliefs_view(solution.beliefs[player], max_rows)
    return Group(*parts)


def strategy_view(strategy: Strategy, max_rows: int = MAX_ROWS) -> RenderableType:
    """Show the strategy of a single player."""
    return Group(Text(f"Player {strategy.player + 1}", style=HEADING), *_played_by(strategy, max_rows))


def _played_by(strategy: Strategy | StrategyTable, max_rows: int) -> Iterator[RenderableType]:
    if isinstance(strategy, StrategyTable):
        verify = for_reader("tremble.verify", "tremble verify")
        yield Text(f"  The rows are not a valid strategy; {verify} lists the problems.", style=WRONG)
    elif isinstance(strategy, BehaviorStrategy | UnbuiltStrategy):
        yield from rows_view(strategy, max_rows)
    else:
        yield Text(f"  {strategy.sizes_in_words}", style=FAINT)
    if isinstance(strategy, UnbuiltStrategy):
        rule = DEFAULT_RULES.get(strategy.default.rule, strategy.default.rule)
        where = "elsewhere" if strategy.rows else "everywhere"
        yield Text(f"  {where} {printable(rule)}", style=FAINT)


def _tables(game: UnbuiltGame, solution: StatedSolution, max_rows: int) -> Sequence[RenderableType]:
    """Return a table of each player's strategy in an ordered game, such as poker.

    An installed part of tremble, such as ``tremble.poker``, makes the tables. If no part can, return ``()``.
    """
    shown = (tables(game.rules, solution.ordered, max_rows) for tables in extensions("solution view"))
    return next((each for each in shown if each), ())


def _claimed(solution: StatedSolution) -> Iterator[Fact]:
    """Yield the solver's floating-point bounds, which are not proven, if they are tighter than the exact bounds."""
    claimed = solution.stats.get("claimed_float")
    if not isinstance(claimed, list) or len(claimed) != 2 or not all(isinstance(end, int | float) for end in claimed):
        return
    low, high = map(float, claimed)
    if solution.bounds is None or high - low < float(solution.bounds[1] - solution.bounds[0]) * (1 - _ROUNDED):
        yield "bounds in floats", Text(f"{low:.7g}  to  {high:.7g}, not proven", style=FAINT)


def _symmetry(solution: StatedSolution) -> Iterator[Fact]:
    """Yield a fact about the symmetry of the solution, if a symmetric equilibrium was requested."""
    told: Any = solution.stats.get("symmetric")
    sizes = _before_and_after(told, "sequences")
    if sizes is None:
        return
    actions, classes = sizes
    if actions == classes:
        yield "symmetry", "none: no two actions are alike for the chosen prior and trembles"
    else:
        who = "both players play alike" if told.get("players_alike") is True else "alike actions are played alike"
        yield "symmetry", f"{who}: {actions:,} actions, {classes:,} {'class' if classes == 1 else 'classes'}"


def _merged(solution: StatedSolution) -> Iterator[Fact]:
    """Yield the number of rows of the linear program before and after merging alike information sets."""
    rows = _before_and_after(solution.stats.get("merged"), "rows")
    if rows is not None:
        yield "merged", f"from {rows[0]:,} to {rows[1]:,} rows of the linear program"


def _before_and_after(told: object, what: str) -> tuple[int, int] | None:
    """Return ``told[what]``, the counts before and after merging, or None if it is not a pair of integers."""
    sizes = told.get(what) if isinstance(told, Mapping) else None
    return (sizes[0], sizes[1]) if isinstance(sizes, list | tuple) and [*map(type, sizes)] == [int, int] else None


def _exploitability(game: GameTree | UnbuiltGame, solution: StatedSolution) -> Iterator[Fact]:
    """Yield NashConv (the gap between the bounds) and exploitability, if payoffs sum to 0 and the gap is positive."""
    if solution.bounds is not None and solution.values[0] == -solution.values[1]:
        conv = solution.bounds[1] - solution.bounds[0]
        if conv:
            yield "NashConv", exact_and_decimal(conv)
            yield "exploitability", exact_and_decimal(conv / 2) + of_the_pot(game, conv / 2)


def _advice(status: Status, stopped: str) -> str:
    """Return a sentence of advice about a solution that is not certified. Without advice, return an empty text."""
    if status == Status.LIMIT_REACHED:
        return f" `{for_reader('tremble.nash_conv', 'tremble respond')}` computes the NashConv of these strategies."
    if status == Status.BOUNDED:
        needs = {  # reason why the solver stopped -> advice
            TIME_IS_UP: f"raise {for_reader('time_limit=', '--time-limit')}",
            **dict.fromkeys(INTERRUPTIONS, "do not stop the work so early"),
            MEMORY_IS_FULL: "use a machine with more memory",
        }
        ask = f"set {for_reader('gap=', '--gap')}"
        return f" For a smaller gap, {needs.get(stopped, ask)}."
    return ""


def _reached(game: GameTree | UnbuiltGame, solution: StatedSolution) -> str:
    """Name the concept of a certified solution. For a one-sided concept, name the player who makes no mistakes."""
    row = CONCEPTS.get(solution.concept)
    player = None if row is None or not row.one_sided else row.proven_player(solution.certificate)
    words = concept_words(solution.concept)
    return words if row is None or player is None else row.words_about(called(game, player))


def value_facts(game: GameTree | UnbuiltGame, solution: StatedSolution) -> Iterator[Fact]:
    """Yield the value of the game, if the solution proves it. Otherwise yield the payoffs of the strategies."""
    value1, value2 = (exact_and_decimal(value) for value in solution.values)
    one, two = (called(game, player) for player in (0, 1))
    opposite = solution.values[0] == -solution.values[1]
    if not states_an_equilibrium(solution):
        yield "these strategies earn", Text(f"{value1} to {one}", style=HEADING)
        if not opposite:
            yield "", Text(f"{value2} to {two}", style=HEADING)
    elif game.constant_sum is None if isinstance(game, GameTree) else solution.unbuilt or solution.bounds is None:
        yield "equilibrium pays", Text(f"{value1} to {one}", style=HEADING)  # other equilibria may pay differently
        yield "", Text(f"{value2} to {two}", style=HEADING)
    elif game.zero_sum if isinstance(game, GameTree) else opposite:
        yield "value", Text(f"{value1} to {one}", style=HEADING)
    else:
        yield f"value to {one}", Text(value1, style=HEADING)
        yield f"value to {two}", Text(value2, style=HEADING)
    if solution.bounds is not None and solution.bounds[0] != solution.bounds[1]:
        yield "proven bounds", "  to  ".join(map(exact_and_decimal, solution.bounds))
    best = solution.certificate.get("best_response_values")
    if solution.status == Status.BOUNDED and solution.bounds is None and isinstance(best, list | tuple):
        gains = [parse_fraction(str(most)) - value for most, value in zip(best, solution.values, strict=False)]
        for player, (name, gain) in enumerate(zip((one, two), gains, strict=False)):
            yield "" if player else "gain by deviating", f"at most {exact_and_decimal(gain)} by {name}"
        conv = sum(gains, Fraction(0))
        yield "NashConv", f"{exact_and_decimal(conv)}{of_the_pot(game, conv)}: the sum of both gains"


def _guarantee(game: GameTree | UnbuiltGame, solution: StatedSolution) -> Iterator[Fact]:
    """Yield the maxmin player, the payoff that its strategy guarantees, and a bound that no strategy can exceed."""
    player = 1 if solution.certificate.get("player") == 2 else 0
    yield "player", numbered_name(game, player)
    if solution.bounds is None:
        return
    low, high = to_its_player(game, solution, solution.bounds)
    yield "guarantees", Text(f"{exact_and_decimal(low)} to {called(game, player)}", style=HEADING)
    if low == high:
        yield "", "No strategy of this player guarantees more."
    else:
        yield "no strategy", f"of this player guarantees more than {exact_and_decimal(high)}"


def to_its_player(
    game: GameTree | UnbuiltGame, solution: StatedSolution, bounds: tuple[Fraction, Fraction]
) -> tuple[Fraction, Fraction]:
    """Convert bounds on player 1's payoff to bounds on the payoff of the player who has the maxmin strategy."""
    total = game.constant_sum if isinstance(game, GameTree) else None
    if solution.certificate.get("player") != 2 or total is None:
        return bounds
    return total - bounds[1], total - bounds[0]


def rows_view(
    strategy: BehaviorStrategy | UnbuiltStrategy, max_rows: int, *, pure: bool = False
) -> Iterator[RenderableType]:
    """Yield a table of one player's strategy, and a line that says how to see omitted rows."""
    if isinstance(strategy, UnbuiltStrategy):
        rows = table("knows", "action", EXACT, DECIMAL, right=(EXACT,))
        shortest = sorted(infoset_rows(strategy), key=lambda row: (len(row.label), row.label))
        sets, all_sets = fill(rows, map(_known_block, shortest[:max_rows]), maxsize), len(shortest)
    else:
        label = "label" if pure or any(strategy.infoset_labels) else ""
        rows = table("set", label, "action", *([] if pure else [EXACT, DECIMAL]), right=("set", EXACT))
        blocks = (_set_block(row, pure=pure) for row in infoset_rows(strategy))
        sets, all_sets = fill(rows, blocks, max_rows, " actions"), strategy.num_infosets
        if not all_sets:
            yield Text("never moves", style=FAINT)
    if sets:
        yield indented(rows)
    listed = pure and isinstance(strategy, BehaviorStrategy)
    full = ("to_rows()", "--format csv or json") if listed else ("to_rows()", "--format csv or -o FILE")
    yield from more(all_sets - sets, " information sets", "  ", full=full)
    if isinstance(strategy, BehaviorStrategy) and not pure and any(strategy.off_path[:sets]):
        yield Text("  * the player's own strategy never reaches this information set", style=FAINT)


def _set_block(row: InfosetRow, *, pure: bool) -> Block:
    style = OFF_PATH if row.off_path else ""
    if pure:
        return (str(row.number), printable(row.label)), [((printable(row.chosen),), style)]
    head = f"{row.number}{'*' if row.off_path else ''}", printable(row.label)
    return head, [(move(action, p), style or (FAINT if p == 0 else "")) for action, p in row.moves]


def _known_block(row: InfosetRow) -> Block:
    return (printable(row.label) or "(nothing yet)",), [(move(action, p), "") for action, p in row.moves if p]


def explained(solution: StatedSolution) -> str:
    """Return the meaning of a solution's status as a sentence."""
    if solution.status is Status.CERTIFIED:
        verify = for_reader("tremble.verify", "tremble verify")
        return f"Proven exactly, in rational arithmetic; `{verify}` proves it again from the game alone."
    if solution.status is not Status.BOUNDED:
        return "Nothing is proven yet."
    if solution.bounds is None:
        return "The payoffs have no constant sum, so nothing bounds the value. The gains by deviating are exact."
    return "Exact bounds enclose the value."
