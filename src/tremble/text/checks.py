"""Show on a terminal the results of ``certify`` (is a profile an equilibrium?) and ``audit`` (where does it lose?).

A *blunder* is an action, or a mixture of actions, that loses payoff for its player (:mod:`tremble.judge.audit`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import short_text
from tremble.solution.concepts import CONCEPTS
from tremble.status import Status
from tremble.text.solutions import value_facts
from tremble.text.theme import FAINT, HEADING, NOTE, OK, WARNING, WRONG
from tremble.text.verifications import marked, verdict
from tremble.text.view import MAX_ROWS, Fact, add, exact_and_decimal, facts_table, heading_of, indented, more, table
from tremble.value import numbered
from tremble.words import called, printable

if TYPE_CHECKING:
    from tremble.solution.audit import Audit, Blunder, WrongBelief
    from tremble.solution.certification import Certification

__all__ = ["audit_view", "certification_view"]

MAX_BLUNDERS = 20  # greatest number of shown blunders, wrong beliefs or reasons


_VERDICT_STYLE = {"proven": OK, "disproven": WRONG, "undecided": WARNING}


def certification_view(game: GameTree | UnbuiltGame, certified: Certification) -> RenderableType:
    """Show the verdict on a profile, the reasons for the verdict, and the players who could gain."""
    solution = certified.solution
    named = printable(game.title) or "the game"
    if certified.within is None:
        head = verdict(
            str(certified.verdict).upper(), _VERDICT_STYLE[certified.verdict], f"{certified.sentence} of {named}"
        )
    else:
        head = verdict(str(solution.status).upper(), WARNING, f"{named}: {certified.sentence}")
    parts: list[RenderableType] = [head]
    if certified.grounds:
        parts += marked("✓", (certified.grounds, *CONCEPTS[solution.concept].proofs))
    parts += marked("?" if certified.verdict == "undecided" else "✗", certified.reasons[:MAX_BLUNDERS])
    parts += more(len(certified.reasons) - MAX_BLUNDERS, " reasons", "  ", full=(".reasons", "--format json"))
    if certified.subgames == ():
        parts += marked("✓", ["The profile is an equilibrium of every subgame."])
    if solution.concept != solution.requested and solution.status == Status.CERTIFIED:
        parts += marked("✓", ["The profile is a Nash equilibrium."])
    for player, open_sets in enumerate(certified.not_stated):
        if open_sets:
            sets = ", ".join(str(k + 1) for k in open_sets[:10]) + (", ..." if len(open_sets) > 10 else "")
            parts += marked("?", [f"{called(game, player)} has no strategy at sets {sets}: uniform play assumed"], NOTE)
    facts: list[Fact] = [*value_facts(game, solution)]
    facts += [
        (f"{called(game, i)} could gain", exact_and_decimal(gain, 40)) for i, gain in enumerate(certified.gains) if gain
    ]
    parts += [Text(), facts_table(facts)]
    if any(certified.gains) and certified.blunders:
        parts += [Text(), *_blunder_table(game, certified.blunders, gains=True)]
    return Group(*parts)


_MEASURES = {
    "regret": "against the other player's strategy",
    "unsupported": "at least this, against every strategy",
    "dominated": "against uniform play",
}


def audit_view(
    tree: GameTree | UnbuiltGame, audit: Audit, not_stated: Sequence[Sequence[int]] = ((), ())
) -> RenderableType:
    """Show the blunders of a profile, the worst first. Mark sets in ``not_stated``: the file has no row for them."""
    names = [called(tree, player) for player in (0, 1)]
    gains = [(f"{name} could gain", gain) for name, gain in zip(names, audit.gains, strict=True)]
    gains += [(f"  off the path, {name}", gain) for name, gain in zip(names, audit.off_path, strict=True) if gain]
    facts = facts_table((name, exact_and_decimal(gain, 40)) for name, gain in gains)
    parts: list[RenderableType] = [*heading_of(tree), facts]
    if audit.blunders:
        parts += [Text(), *_blunder_table(tree, audit.blunders, not_stated)]
    for wrong in audit.wrong_beliefs[:MAX_BLUNDERS]:
        parts += _wrong_belief_table(tree, wrong)
    parts += more(len(audit.wrong_beliefs) - MAX_BLUNDERS, " wrong beliefs")
    return Group(*parts, *_coverage(audit))


def _blunder_table(
    game: GameTree | UnbuiltGame,
    blunders: Sequence[Blunder],
    not_stated: Sequence[Sequence[int]] = ((), ()),
    *,
    gains: bool = False,
) -> Iterator[RenderableType]:
    """Yield a table of blunders. For each, it shows the payoff lost each time that play reaches the information set.

    If ``gains`` is True, it shows instead how much the better action would raise the expected payoff.
    """
    shown = blunders[:MAX_BLUNDERS]
    completed = [b.infoset in not_stated[b.player] for b in shown]
    measures = ("gains",) if gains else ("loses", "measured")
    listed = table("player", "set", "label", "plays", "with", "better", *measures, right=("set",))
    for b, was_open in zip(shown, completed, strict=True):
        add(
            listed,
            called(game, b.player, "{}"),
            f"{numbered(b.infoset).strip()}{'' if b.on_path else '*'}{'?' if was_open else ''}",
            printable(b.label),
            "this mixture" if b.action is None else printable(b.action),
            short_text(b.probability, 11),
            f"{printable(b.better)}, then different play" if b.better == b.action else printable(b.better),
            Text(exact_and_decimal(b.gain if gains else b.amount, 17), style=HEADING),
            *([] if gains else [_MEASURES[b.kind]]),
        )
    yield listed
    full = (".blunders", "--format json") if gains else (".blunders", "--format csv or json")
    yield from more(len(blunders) - MAX_BLUNDERS, "", full=full)
    if not all(b.on_path for b in shown):
        yield Text("* off the path of play, so the loss is not part of NashConv", style=FAINT)
    if any(completed):
        yield Text("? the file has no strategy at this set, so uniform play is assumed", style=FAINT)
    unit = "gains: in expected payoff, with best play afterwards; they sum to the amount that the player could gain"
    yield Text(unit if gains else "loses: the payoff lost each time that play reaches the set", style=FAINT)


def _wrong_belief_table(tree: GameTree | UnbuiltGame, wrong: WrongBelief) -> Iterator[RenderableType]:
    label = f" ({printable(wrong.label)})" if wrong.label else ""
    yield Text()
    yield Text(
        f"{called(tree, wrong.player, 'Player {}')}, set {wrong.infoset + 1}{label}: the belief is wrong",
        style=HEADING,
    )
    rows = table("node", "stated", "right")
    for path, stated, right in wrong.nodes[:MAX_ROWS]:
        add(rows, printable(" ".join(path)), short_text(stated), "?" if right is None else short_text(right))
    yield indented(rows)


def _coverage(audit: Audit) -> Iterator[Text]:
    """Yield sentences that state how many information sets the audit examined, and how many it skipped."""
    looked = audit.num_infosets - audit.never_dealt - audit.unexamined
    if audit.clean:
        yield Text(f"No blunder in {looked or audit.unexamined:,} information sets, on or off the path.", style=OK)
    if audit.never_dealt:
        yield Text(f"{audit.never_dealt:,} information sets that chance never reaches were skipped.", style=FAINT)
    if audit.undecided:
        yield Text(f"{audit.undecided:,} dominated actions may lose against every strategy (undecided).", style=FAINT)
    yield from more(audit.unlisted, " blunders, with smaller losses, are not listed")
    if audit.unexamined:
        yield Text(f"{audit.unexamined:,} sets were checked only against the other player's strategy.", style=WARNING)
