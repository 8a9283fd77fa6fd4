"""The command ``tremble explain``: explain a player's choice at an information set."""

from __future__ import annotations

from shlex import quote

import click

from tremble.cli.command import Call
from tremble.cli.options import command, time_limit
from tremble.cli.profiles import game_of, profile_in
from tremble.game.places import find_set_in_words
from tremble.game.tree import GameTree
from tremble.run.deadline import LOADING, SOLVING
from tremble.solution.assessment import Assessment
from tremble.solution.explanation import Explanations
from tremble.text import records
from tremble.text.explanations import explanation_view, explanations_view

__all__ = ["explain"]


@command("table", "json", "csv")
@click.argument("solution_file", metavar="SOLUTION")
@click.argument("infoset", metavar="[SET]", required=False)
@click.option("--player", type=click.IntRange(1, 2), help="The player of SET. Without SET, list this player's sets.")
@click.option(
    "--most", type=click.IntRange(min=1), default=10, show_default=True, help="Without SET: the number of sets to list."
)
@time_limit("Stop after this time.")
def explain(call: Call, solution_file: str, infoset: str | None, player: int | None, most: int) -> None:
    """Explain why a player of GAME plays as in SOLUTION at the information set SET.

    SET is a label, or a number from 1. The explanation contains the probability that play reaches the set, the player's
    belief, the payoff of every action, its loss compared with the best action, and the next moves of the other player.
    Without SET, the command lists the sets that play reaches, the most important choice first.

    SOLUTION is a solution file, any JSON file with "strategies", or a file with a line NE,p,p,... as Gambit prints it.
    The payoffs need not sum to a constant.

    \b
    Example: tremble explain kuhn mine.json Q:cb
    JSON: {"sets": [{"player", "infoset", "label", "reach", "own_reach", "other_reach", "value", "stake" (each also as
           *_float), "dealt", "ground", "any_belief", "nodes": [{"path", "reach", "belief", "values"}, ...],
           "actions": [{"action", "probability", "value", "best", "loss", "between", "ends",
           "replies": [{"infoset", "label", "probability", "actions"}, ...]}, ...], "sentences": [text, ...]}, ...]}
    CSV:  player,infoset,label,reach,reach_float,action,probability,probability_float,value,value_float,
          best,best_float,loss,loss_float
    """  # noqa: D301 (click reads the backspace)
    call.require_files({"SOLUTION": solution_file})
    stated = call.deadline.allow(LOADING, lambda: profile_in(call, solution_file))

    def work() -> tuple[GameTree, Explanations]:
        tree = game_of(call, stated)
        assert isinstance(tree, GameTree)  # profile_in has already refused strategies for games without a tree
        profile, _ = stated.fitted(tree)
        call.progress.step("computing the values of all nodes")
        known = Assessment(tree, profile, stated.beliefs, rounded=stated.rounded)
        whose = None if player is None else player - 1
        if infoset is None:
            return tree, known.most_at_stake(most, whose)
        return tree, Explanations([known.explained(*find_set_in_words(tree, infoset, whose))])

    with call:
        tree, found = call.deadline.allow(SOLVING, work)
    example = f"tremble explain {quote(call.game)} {quote(solution_file)} SET"
    call.present(
        json=lambda: records.explanations_record(found),
        csv=lambda: records.table_csv(found),
        table=lambda: explanations_view(tree, found, example) if infoset is None else explanation_view(tree, found[0]),
    )
