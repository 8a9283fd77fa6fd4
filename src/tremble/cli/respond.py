"""The command ``tremble respond``: compute the best responses to a profile, and its exploitability."""

from __future__ import annotations

from dataclasses import replace

import click

from tremble.cli.command import Call
from tremble.cli.options import command
from tremble.cli.profiles import game_of, profile_in
from tremble.game.kinds import kind_of
from tremble.game.tree import GameTree
from tremble.solution.claims import of_rules
from tremble.text import records
from tremble.text.responses import responses_view
from tremble.text.view import part_of_pot

__all__ = ["respond"]


@command("table", "json", "csv")
@click.argument("solution_file", metavar="SOLUTION")
def respond(call: Call, solution_file: str) -> None:
    """Show the payoffs of the strategies in SOLUTION, the best responses to them, and the gains of these responses.

    SOLUTION is a solution file, any JSON file with "strategies", or a file with a line NE,p,p,... as Gambit prints it.
    The payoffs need not sum to a constant. NashConv is the sum of both gains, and exploitability is half of NashConv.
    All numbers are exact. For a player without perfect recall, no best response is computed (null, with the reason).
    For a game that is not built as a tree, best responses are listed at the information sets that they reach, and "key"
    describes what the player knows. For an ordered game, best responses are not listed (null, with the reason).

    \b
    Example: tremble respond kuhn mine.json
    JSON: {"values", "best_response_values", "gains", "nash_conv", "exploitability" (each also as *_float),
           "exploitability_of_pot_float" (null without a pot),
           "best_responses": [[{"infoset", "label", "action"} or {"key", "action"}, ...], [...]],
           "reasons", "not_stated": [[infoset, ...], [...]]}
    CSV:  the best responses: player,infoset,label,action,probability,probability_float
    """  # noqa: D301 (click reads the backspace)
    call.require_files({"SOLUTION": solution_file})
    stated = profile_in(call, solution_file, rules=True)
    with call:
        played = game_of(call, stated)
        pair = of_rules(stated)
        profile, not_stated = stated.fitted(played) if isinstance(played, GameTree) else (pair, ((), ()))
        assert profile is not None
        call.progress.step("best responses")
        responses = replace(kind_of(played, pair).respond(profile, call.progress.step), not_stated=not_stated)
    call.present(
        json=lambda: (
            records.responses_record(responses)
            | {"exploitability_of_pot_float": part_of_pot(played, responses.exploitability)}
        ),
        csv=lambda: records.csv_text([best for best in responses.best if best is not None]),
        table=lambda: responses_view(played, responses),
    )
