"""``tremble respond``: best responses and exploitability of any strategies."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import click

from tremble.cli.console import present
from tremble.cli.inputs import GameArgument, require_one_standard_input, warn_of_another_game
from tremble.cli.options import common, reads_a_game
from tremble.cli.progress import Progress
from tremble.errors import GameError, ImperfectRecallError
from tremble.io.profile import StatedProfile
from tremble.model.evaluation import best_response, expected_values
from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import GameTree
from tremble.show import records, terminal
from tremble.show.view import Responses
from tremble.solution.solution import NOT_BUILT
from tremble.verifier.implicit import evaluate_unbuilt

__all__ = ["respond"]


@click.command()
@click.argument("game")
@click.argument("solution_file", metavar="SOLUTION")
@reads_a_game
@common("table", "json", "csv")
def respond(game: GameArgument, solution_file: str, form: str, quiet: bool) -> int:
    """Show what the strategies in SOLUTION earn in GAME, best responses to them, and what these gain.

    SOLUTION is a solution file, any file with the same "schema" and "strategies", or one with a line NE,p,p,... as
    Gambit prints it; payoffs need not sum to a constant. NashConv is the sum of both gains, exploitability half of it;
    all numbers are exact. Of a player who forgets, the best response is not computed (null, with the reason). Of
    strategies for a game that is not built, best responses are listed where they lead to: by "key", what the player
    knows.

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
        if stated.unbuilt is not None:
            played, responses = _unbuilt_responses(game, stated, stated.unbuilt, progress)
        else:
            played, responses = _responses(game, stated, progress)
    present(
        form,
        json=lambda: records.responses_record(responses),
        csv=lambda: records.csv_text([best for best in responses.best if best is not None]),
        table=lambda: terminal.responses_view(played, responses),
    )
    return 0


def _responses(
    game: GameArgument, stated: StatedProfile, progress: Progress
) -> tuple[GameTree | UnbuiltGame, Responses]:
    """Best responses in a tree."""
    tree = game.tree(progress)
    warn_of_another_game(tree, stated.game)
    profile, not_stated = stated.fitted(tree)
    progress.step("best responses")
    one, two = (_best_response(tree, profile, player) for player in (0, 1))
    values = expected_values(tree, profile)
    return tree, Responses(values, (one[0], two[0]), (one[1], two[1]), (one[2], two[2]), not_stated)


def _best_response(
    tree: GameTree, profile: Sequence[BehaviorStrategy], player: int
) -> tuple[Fraction | float | None, BehaviorStrategy | None, str | None]:
    """What a best response earns, and one; or, of a player who forgets, why there is none."""
    try:
        return *best_response(tree, profile, player), None
    except ImperfectRecallError as error:
        return None, None, str(error)


def _unbuilt_responses(
    game: GameArgument, stated: StatedProfile, strategies: Sequence[UnbuiltStrategy], progress: Progress
) -> tuple[GameTree | UnbuiltGame, Responses]:
    """Best responses in a game that is not built; the verifier's search is the one that takes no shortcuts."""
    played = game.tree_or_rules(progress, unbuilt=True)
    warn_of_another_game(played, stated.game)
    progress.step("best responses")
    if not isinstance(played, UnbuiltGame):
        raise GameError(NOT_BUILT)
    outcome = evaluate_unbuilt(played, strategies, progress=progress.step)
    one, two = outcome.players
    return played, Responses(outcome.values, outcome.best_response_values, (one.best, two.best))
