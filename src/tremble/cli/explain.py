"""The command ``tremble explain``: explain a player's choice, or list all hands at a decision of poker."""

from __future__ import annotations

from shlex import quote
from typing import Any

import click

from tremble.cli.command import Call
from tremble.cli.options import command, time_limit
from tremble.cli.profiles import game_of, profile_in
from tremble.errors import CertificateError
from tremble.formats.profile import StatedProfile
from tremble.game.hands import HandsKind
from tremble.game.kinds import kind_of
from tremble.game.places import find_set_in_words
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.judge.rules_given import rules_given
from tremble.run.deadline import LOADING, SOLVING
from tremble.solution.assessment import Assessment, not_explained
from tremble.solution.explanation import Explanations
from tremble.solution.solution import no_hands
from tremble.solution.strategy_documents import arrays
from tremble.text import hand_tables, records
from tremble.text.explanations import explanation_view, explanations_view

__all__ = ["explain"]


@command("table", "json", "csv")
@click.argument("solution_file", metavar="SOLUTION")
@click.argument("infoset", metavar="[SET]", required=False)
@click.option("--player", type=click.IntRange(1, 2), help="The player of SET. Without SET, list this player's sets.")
@click.option(
    "--line",
    metavar="MOVES",
    help='For a flop, turn or river: list every hand at the decision after MOVES, such as "check, bet 75" or "".',
)
@click.option(
    "--most", type=click.IntRange(min=1), default=10, show_default=True, help="Without SET: the number of sets to list."
)
@time_limit("Stop after this time.")
def explain(
    call: Call, solution_file: str, infoset: str | None, player: int | None, line: str | None, most: int
) -> None:
    """Explain why a player of GAME plays as in SOLUTION at the information set SET.

    SET is a label, or a number from 1. The explanation contains the probability that play reaches the set, the player's
    belief, the payoff of every action, its loss compared with the best action, and the next moves of the other player.
    Without SET, the command lists the sets that play reaches, the most important choice first.

    SOLUTION is a solution file, any JSON file with "strategies", or a file with a line NE,p,p,... as Gambit prints it.
    The payoffs need not sum to a constant.

    If the game is not built as a tree, only flops, turns and rivers of Texas Hold'em are supported. For them, SET is a
    hand and the moves before the decision, with the dealt cards between them: "AhKd check, check, 2h, bet 75". A flop
    needs SET or --line. With --line, the command lists the weight, equity, and expected value (EV) of every hand at a
    decision, and the probability and the EV of each action.

    \b
    Examples: tremble explain kuhn mine.json Q:cb
              tremble explain holdem_river:range1=AA mine.json --line "check, bet 75" --format csv
    JSON: {"sets": [{"player", "infoset", "label", "reach", "own_reach", "other_reach", "value", "stake" (each also as
           *_float), "dealt", "ground", "any_belief", "nodes": [{"path", "reach", "belief", "values"}, ...],
           "actions": [{"action", "probability", "value", "best", "loss", "between", "ends",
           "replies": [{"infoset", "label", "probability", "actions"}, ...]}, ...], "sentences": [text, ...]}, ...]},
           and "locked": true for a locked hand
          With --line: {"player", "line", "actions", "hands": [{"hand", "weight_float", "equity_float", "ev_float",
          "actions": [{"action", "probability_float", "ev_float"}, ...]}, ...]}, and "locked" if the game has locks
    CSV:  player,infoset,label,reach,reach_float,action,probability,probability_float,value,value_float,
          best,best_float,loss,loss_float
          With --line: hand,weight,equity,ev, and for each action its probability and ev; locked
    """  # noqa: D301 (click reads the backspace)
    if line is not None and (infoset is not None or player is not None):
        raise click.UsageError("--line lists all hands at a decision: omit SET and --player")
    call.require_files({"SOLUTION": solution_file})
    stated = call.deadline.allow(LOADING, lambda: profile_in(call, solution_file, ordered=True))
    if line is not None:
        _list_hands(call, stated, line)
        return

    def work() -> tuple[GameTree | UnbuiltGame, Explanations]:
        game, whose = game_of(call, stated), None if player is None else player - 1
        call.progress.step("computing the values of all nodes")
        if not isinstance(game, GameTree):
            given = rules_given(game, stated)
            known = None if given is None else given[0].assessment(given[1][0])
            if known is None:
                raise not_explained()
        else:
            known = Assessment(game, stated.fitted(game)[0], stated.beliefs, rounded=stated.rounded)
        if infoset is None:
            return game, known.most_at_stake(most, whose)
        place = find_set_in_words(game, infoset, whose) if isinstance(game, GameTree) else known.place(infoset, whose)
        return game, Explanations([known.explained(*place)])

    with call:
        game, found = call.deadline.allow(SOLVING, work)
    example = f"tremble explain {quote(call.game)} {quote(solution_file)} SET"
    call.present(
        json=lambda: records.explanations_record(found),
        csv=lambda: records.table_csv(found),
        table=lambda: explanations_view(game, found, example) if infoset is None else explanation_view(game, found[0]),
    )


def _list_hands(call: Call, stated: StatedProfile, line: str) -> None:
    """Show the table of all hands at a decision."""

    def work() -> tuple[Any, int, list[dict[str, Any]]]:
        game = game_of(call, stated)
        if stated.ordered is None:
            raise no_hands()
        kind = kind_of(game)
        for fault in kind.faults(stated.ordered) if isinstance(kind, HandsKind) else ():
            raise CertificateError(fault)
        call.progress.step("computing the expected values of all hands")
        return game, *arrays().table_of_hands(game, stated.ordered, line)

    with call:
        game, player, rows = call.deadline.allow(SOLVING, work)
    call.present(
        json=lambda: hand_tables.hands_record(player, line, rows),
        csv=lambda: hand_tables.hands_csv(rows),
        table=lambda: hand_tables.hands_view(game, player, line, rows),
    )
