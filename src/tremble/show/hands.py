"""Show played hands in a terminal or as JSON: decisions, the solution's strategy at each decision, and costs of moves.

The *seat* is the player whose moves the user chooses. The other player, the *opponent*, follows the solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tremble.game.protocol import CHANCE
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.numbers import exact_text
from tremble.show.playable import BAR, Playable
from tremble.show.playing import Decision, Hand, Move, Strategy, Suspicion, earned, paid_for
from tremble.text.captions import compact_text
from tremble.text.cards import cards_text
from tremble.text.comparison import percent_text
from tremble.text.records import number_forms, numbers_of, pair_forms
from tremble.text.theme import FAINT, HEADING, LESS, MORE, NOTE, PARAMETER
from tremble.text.view import Cell, add, heading, table
from tremble.words import printable, printable_lines

__all__ = [
    "HELP", "PAUSE_HELP",
    "decision_in_short", "decision_view", "hand_in_short", "hand_view", "hint_view", "move_view", "opening_view",
    "running_view", "seat_view", "sitting_record", "suspicions_view", "why_view",
]  # fmt: skip

HELP = (
    "Type an action, its number or its first letters; ? shows the solution's strategy, why the opponent's; q ends play."
)
PAUSE_HELP = "Press Enter to deal the next hand; type why to see the opponent's strategy, or q to end play."

_TOO_MANY = "Too many hidden moves are possible, or you lack perfect recall. Type why again after the hand."

_FEW_SETS = 6  # with more information sets than this, sets with equal strategies share a row of the table
_MAX_SETS = 13  # greatest number of rows for the information sets where the opponent may have moved
_MAX_EVENTS = 30  # greatest number of past events that a decision shows


def opening_view(game: Playable, against: str, seed: int) -> RenderableType:
    """Return the first text of a session: the game, the opponent ``against``, the seed, and the possible answers."""
    about = Text(f"You play against {against}. The seed is {seed}.")
    return Group(heading(game.title), about, Text(HELP, style=FAINT))


def seat_view(game: Playable | None, hand: Hand) -> RenderableType:
    """Return a heading that states the hand's number and the player that the user plays."""
    return Group(Text(), Text(f"Hand {hand.number}: you are {_name(game, hand.seat)}", style=HEADING))


def decision_view(decision: Decision, numbered: bool) -> RenderableType:
    """Show what the player at the seat knows at a decision, and the legal actions."""
    game = decision.game
    known = printable_lines(cards_text(game.rules)(decision.label)).splitlines()
    parts = [Text.assemble(("            " if i else "  you know  ", FAINT), line) for i, line in enumerate(known)]
    events = []
    for player, action in game.seen(decision.line):
        who = "you" if player == decision.seat else "" if player is None else _name(game, player)
        done = "hidden" if action is None or player is None else _action(game, player, action)
        events.append(f"{who}: {done}" if who else "...")
    if len(events) > _MAX_EVENTS:
        events[:-_MAX_EVENTS] = ["..."]
    if events:
        parts.append(Text.assemble(("  so far    ", FAINT), ", ".join(events)))
    choices = Text("  ")
    for number, action in enumerate(decision.actions, 1):
        choices.append(f"  {number} " if numbered else "  ", style=FAINT).append(printable(action), style=PARAMETER)
    return Group(*parts, choices)


def decision_in_short(decision: Decision) -> RenderableType:
    """Show one decision by itself, with a heading that describes the hand."""
    return Group(seat_view(decision.game, decision.hand), decision_view(decision, numbered=False))


def hand_in_short(hand: Hand) -> RenderableType:
    """Show a hand alone, outside a session, with a heading."""
    return Group(seat_view(None, hand), hand_view(None, hand))


def hint_view(options: Move) -> RenderableType:
    """Show the probability that the solution gives to each action of the player, and the cost of each action."""
    return Padding(_options(options, "solution plays", costs=True), (0, 0, 0, 4))


def move_view(move: Move) -> RenderableType:
    """Show a single move: the player, the information set, the actions' probabilities, and their costs if known."""
    who = "Chance" if move.player == CHANCE else f"Player {move.player + 1}"
    where = move.label and f" at {_short(None, move.label)}"
    head = Text(f"{who}{where}: {_short(None, move.action)}", style=HEADING)
    return Group(head, _options(move, "probability", costs=move.losses is not None))


def _options(move: Move, probability: str, *, costs: bool) -> Table:
    rows = table("action", probability, "", *["costs"] * costs)
    for (action, p), loss in zip(move.moves, move.losses or [None] * len(move.actions), strict=True):
        add(rows, _short(None, action), *_share(p), *[_cost(loss)] * costs)
    return rows


def suspicions_view(game: Playable, seat: int, suspicions: Sequence[Suspicion] | None) -> RenderableType:
    """Show each past move of the opponent, and the opponent's strategy at all sets where the move may have occurred."""
    who = _name(game, 1 - seat)
    if suspicions is None:
        return Text(f"    {_TOO_MANY}", style=NOTE)
    if not suspicions:
        return Text(f"    As far as you know, {who} has not moved in this hand.", style=FAINT)
    parts: list[RenderableType] = []
    for number, suspicion in enumerate(suspicions, 1):
        action = "hidden" if suspicion.action is None else printable(suspicion.action)
        parts.append(Text.assemble(f"    move {number} of {who}: ", (action, PARAMETER)))
        rows = table("where it knew", "likely", "it plays")
        merged = _merged(suspicion.strategies)
        for strategy in merged[:_MAX_SETS]:
            add(rows, _short(game, strategy.label), percent_text(strategy.belief), _mixture(strategy.moves))
        parts.append(Padding(rows, (0, 0, 0, 6)))
        if suspicion.overall is not None and len(suspicion.strategies) > 1:
            add(rows, Text("in all, when it moved", style=FAINT), "", _mixture(suspicion.overall))
        if len(merged) > _MAX_SETS:
            parts.append(Text(f"      and {len(merged) - _MAX_SETS:,} more", style=FAINT))
    return Group(*parts)


def _merged(strategies: Sequence[Strategy]) -> Sequence[Strategy]:
    """Merge strategies with equal actions and probabilities if there are more than ``_FEW_SETS`` strategies."""
    if len(strategies) <= _FEW_SETS:
        return strategies
    alike: dict[tuple[tuple[str, Fraction], ...], list[Strategy]] = {}
    for strategy in strategies:
        alike.setdefault(strategy.moves, []).append(strategy)
    rows = []
    for moves, group in alike.items():
        first, bar, public = group[0].label.partition(BAR)
        labels = [first, *(strategy.label.removesuffix(bar + public) for strategy in group[1:])]
        belief = sum((strategy.belief for strategy in group), Fraction(0))
        rows.append(Strategy(f"{', '.join(labels)}{bar}{public}", belief, moves))
    return sorted(rows, key=lambda row: -row.belief)


def why_view(game: Playable, hand: Hand) -> RenderableType:
    """Show each move of the opponent in a finished hand, and the opponent's strategy at the move's information set."""
    rows, who = table("move", "where it knew", "it plays"), _name(game, 1 - hand.seat)
    for move in hand.moves:
        if move.player == 1 - hand.seat:
            add(rows, printable(move.action), _short(game, move.label), _mixture(move.moves))
    if not rows.rows:
        return Text(f"    {who} did not move in hand {hand.number}.", style=FAINT)
    return Group(Text(f"    {who} in hand {hand.number}", style=HEADING), Padding(rows, (0, 0, 0, 4)))


def hand_view(game: Playable | None, hand: Hand) -> RenderableType:
    """Show a hand with all hidden cards and moves, the payoffs, and the cost of each move by player ``hand.seat``.

    Without ``game``, numbers replace the names of the players.
    """
    blunders = any(move.loss for move in hand.own)
    lapses = any(move.solution_loss for move in hand.own)
    columns = ["", "move", "knowing", "solution plays it", "", "costs you"]
    rows = table(*columns, *["better"] * blunders, *["costs the solution"] * lapses)
    for move in hand.moves:
        own = move.player == hand.seat
        cells: list[Cell] = [
            Text("you", style=HEADING) if own else Text(_name(game, move.player), style=FAINT),
            _action(game, move.player, move.action),
            _short(game, move.label),
            *_share(move.probability),
            _cost(move.loss) if own else "",
        ]
        if blunders:
            cells.append(printable(", ".join(move.best)) if own and move.loss else "")
        if lapses:
            cells.append(compact_text(move.solution_loss) if own else "")
        add(rows, *cells)
    if hand.payoffs is None:
        return Padding(rows, (0, 0, 0, 2))
    mine, theirs = earned([hand])
    result = Text("  You get ").append(_signed(mine), style=MORE if mine > 0 else LESS if mine < 0 else HEADING)
    result.append(f", {_name(game, 1 - hand.seat)} gets {_signed(theirs)}.")
    if hand.own:
        result.append(f" {_cost_in_words([hand])}")
    return Group(Padding(rows, (0, 0, 0, 2)), result)


def running_view(hands: Sequence[Hand], unfinished: Hand | None = None, *, end: bool = False) -> RenderableType:
    """Show the payoffs of all hands so far. If ``unfinished`` is given, say that this hand does not count."""
    if not hands:
        line = Text("The end, before a hand was finished.", style=HEADING)
    else:
        mine, theirs = earned(hands)
        number = "1 hand" if len(hands) == 1 else f"{len(hands):,} hands"
        line = Text(f"{'The end, after' if end else '  After'} {number}: you ", style=HEADING if end else FAINT)
        line.append(f"{_signed(mine)}, the opponent {_signed(theirs)}.{f' {_cost_in_words(hands)}' if end else ''}")
    if unfinished is None:
        return line
    return Group(line, Text(f"Hand {unfinished.number} was not finished and does not count.", style=FAINT))


def _cost_in_words(hands: Sequence[Hand]) -> str:
    total, unknown = paid_for(hands)
    if unknown == sum(len(hand.own) for hand in hands):
        return "The cost of your moves is not computed." if unknown else "You had no choices."
    words = f"Your moves cost {compact_text(total)}"
    return f"{words}. Moves whose cost is not computed: {unknown:,}." if unknown else f"{words}."


def _name(game: Playable | None, player: int) -> str:
    if player == CHANCE:
        return "chance"
    number, name = f"Player {player + 1}", "" if game is None else printable(game.players[player])
    return number if name in ("", number) else f"{name} (player {player + 1})"


def _action(game: Playable | None, player: int, action: str) -> str:
    """Return the text of an action. If the action is a move of chance, its cards have suit symbols."""
    return printable(cards_text(game.rules)(action) if game is not None and player == CHANCE else action)


def _short(game: Playable | None, label: str, width: int = 60) -> str:
    label = printable(label if game is None else cards_text(game.rules)(label))
    return label if len(label) <= width else f"{label[: width // 2]} … {label[-width // 2 + 3 :]}"


def _share(p: Fraction) -> tuple[str, str]:
    """Return a probability as two texts: a number and a percentage."""
    return compact_text(p), "" if p in (0, 1) else percent_text(p)


def _mixture(moves: Sequence[tuple[str, Fraction]]) -> Text:
    """Return a text with the actions that have a positive probability, and their probabilities."""
    return Text(", ".join(f"{printable(a)} {compact_text(p)}" if p != 1 else printable(a) for a, p in moves if p))


def _cost(loss: Fraction | None) -> Text:
    return Text("not computed", style=FAINT) if loss is None else Text(compact_text(loss), style=LESS if loss else MORE)


def _signed(value: Fraction) -> str:
    return f"{'+' if value > 0 else ''}{compact_text(value)}"


def sitting_record(
    game: GameTree | UnbuiltGame, against: str, seed: int, ended: str, hands: Sequence[Hand], unfinished: Hand | None
) -> dict[str, Any]:
    """Return the data that ``tremble play --format json`` prints about a session."""
    total, unknown = paid_for(hands)
    return {
        "game": {"spec": game.spec, "title": game.title, "digest": game.digest},
        "against": against,
        "seed": seed,
        "ended": ended,
        "hands": [_hand_record(hand) for hand in hands],
        "unfinished": None if unfinished is None else _hand_record(unfinished),
        **pair_forms("earned", earned(hands)),
        **number_forms("lost", total),
        "not_computed": unknown,
    }


def _hand_record(hand: Hand) -> dict[str, Any]:
    return {
        "hand": hand.number,
        "seat": hand.seat + 1,
        "moves": [
            {
                "player": None if move.player == CHANCE else move.player + 1,
                "label": move.label,
                "action": move.action,
                "probabilities": [[action, exact_text(p)] for action, p in move.moves],
                **(
                    {
                        "losses": None if move.losses is None else [exact_text(loss) for loss in move.losses],
                        **numbers_of(move, "loss", "solution_loss"),
                    }
                    if move.player == hand.seat
                    else {}
                ),
            }
            for move in hand.moves
        ],
        **({} if hand.payoffs is None else pair_forms("payoffs", hand.payoffs)),
        **number_forms("loss", hand.loss),
    }
