"""``tremble respond``: best responses and exploitability of any strategies."""

from __future__ import annotations

from dataclasses import replace

import click

from tremble.cli.console import present
from tremble.cli.inputs import GameArgument, require_one_standard_input, warn_of_another_game
from tremble.cli.options import common, reads_a_game
from tremble.cli.progress import Progress
from tremble.kinds import kind_of
from tremble.show import records, terminal

__all__ = ["respond"]


@click.command()
@click.argument("game")
@click.argument("solution_file", metavar="SOLUTION")
@reads_a_game
@common("table", "json", "csv")
def respond(game: GameArgument, solution_file: str, form: str, quiet: bool) -> int:
    """Show what the strategies in SOLUTION earn in GAME, best responses to them, and what these gain.

    SOLUTION is a solution file, any JSON file with "strategies", or one with a line NE,p,p,... as
    Gambit prints it; payoffs need not sum to a constant. NashConv is the sum of both gains, exploitability half of it;
    all numbers are exact. Of a player who forgets, the best response is not computed (null, with the reason). Of
    strategies for a game that is not built, best responses are listed where they lead to: by "key", what the player
    knows; of an ordered one it is only told what they earn (null, with the reason).

    \b
    Example: tremble respond kuhn mine.json
    JSON: {"values", "best_response_values", "gains", "nash_conv", "exploitability" (each also as *_float),
           "best_responses": [[{"infoset", "label", "action"} or {"key", "action"}, ...], [...]],
           "reasons", "not_stated": [[infoset, ...], [...]]}
    CSV:  the best responses: player,infoset,label,action,probability,probability_float
    """  # noqa: D301 (click reads the backspace)
    require_one_standard_input(game.text, solution_file)
    stated = game.profile(solution_file, unbuilt=True)
    with Progress(quiet=quiet) as progress:
        not_built = stated.ordered or stated.unbuilt
        if not_built is not None:
            played = game.tree_or_rules(progress, from_rules=True)
            warn_of_another_game(played, stated.game)
            progress.step("best responses")
            responses = kind_of(played, not_built).respond(not_built, progress.step)
        else:
            played = tree = game.tree(progress)
            warn_of_another_game(tree, stated.game)
            profile, not_stated = stated.fitted(tree)
            progress.step("best responses")
            responses = replace(kind_of(tree).respond(profile), not_stated=not_stated)
    present(
        form,
        json=lambda: records.responses_record(responses),
        csv=lambda: records.csv_text([best for best in responses.best if best is not None]),
        table=lambda: terminal.responses_view(played, responses),
    )
    return 0
