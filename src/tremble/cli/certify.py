"""The command ``tremble certify``: prove that a given profile is an equilibrium, or show who gains by deviating."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import click

from tremble.arguments import with_others
from tremble.cli.command import Call
from tremble.cli.completion import words
from tremble.cli.console import NOT_PROVEN, present, say
from tremble.cli.options import TREMBLES, command, output, time_limit
from tremble.cli.outputs import Output
from tremble.cli.profiles import game_of, profile_in
from tremble.errors import LimitReached
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.judge.certify import certification, judged
from tremble.run.deadline import LOADING, SOLVING
from tremble.solution.certification import Certification, Verdict
from tremble.solution.concepts import CONCEPTS
from tremble.solution.solution import Solution
from tremble.solvers.table import concept_choices, concept_named
from tremble.text import checks, records

__all__ = ["certify"]


@command("table", "json", "csv", "gambit", writes=True)
@click.argument("profile_file", metavar="PROFILE")
@click.option(
    "--concept",
    shell_complete=words(judged()),
    default="nash",
    show_default=True,
    help=f"The concept to prove: {with_others(concept_choices(judged()))}.",
)
@output("Write the solution, as JSON, to FILE.")
@TREMBLES
@time_limit("Stop after this time, and write the facts proven so far.")
def certify(call: Call, profile_file: str, concept: str) -> int:
    """Prove that PROFILE is an equilibrium of GAME, or show which player gains by deviating, and where.

    PROFILE is a solution file, any JSON file with "strategies", or a file with a line NE,p,p,... as Gambit prints it.
    The payoffs need not sum to a constant. From the strategies alone, these concepts are always decided exactly: nash,
    subgame-perfect, quasi-perfect, one-sided-quasi-perfect, sequential and normal-form-perfect. proper is always
    decided if the payoffs have a constant sum, and in most one-shot games. perfect is always decided if no player moves
    twice on a path. In other games, proper may be undecided, and perfect may need a certificate in PROFILE.

    The exit code is 0 if the concept is proven, and 1 if not. -o writes a solution file with the proven facts. If the
    concept is disproven, the file also contains the refutation.

    \b
    Example: tremble certify my.efg gambit.txt --concept sequential -o proven.json
    JSON: {"verdict": "proven" | "disproven" | "undecided", "ok", "concept", "proven", "proven_player", "disproven",
           "disproven_player", "status", "grounds", "reasons", "values", "best_response_values", "gains",
           "nash_conv" (each also as *_float), "bounds", "better": [{"player", "infoset", "label", "kind", "action",
           "probability", "better", "loss", "gain", "gain_float", "own_reach", "other_reach", "on_path"}, ...],
           "subgame_perfect", "subgames": [{"path", "player", "gain", "gain_float"}, ...], "not_stated"}
    CSV:  player,infoset,label,action,probability,probability_float
    gambit: one line NE,p,p,... with a probability for each action of each information set, player 1 first
    """  # noqa: D301 (click reads the backspace)
    concept = concept_named(concept, judged())
    inputs = {"PROFILE": profile_file, "--trembles": call.trembles}
    call.require_files(inputs, Output("-o", call.output, "solution"))
    rules = CONCEPTS[concept].of_rules
    stated = call.deadline.allow(LOADING, lambda: profile_in(call, profile_file, rules=rules))

    def work() -> tuple[GameTree | UnbuiltGame, Certification]:
        played = game_of(call, stated)
        weights = call.weights(played) if isinstance(played, GameTree) else None
        profile = replace(stated, game=None)  # game_of has already compared the game of the file with GAME
        limit, step = call.deadline.left, call.progress.step
        return played, certification(played, profile, concept, trembles=weights, time_limit=limit, progress=step)

    stop: LimitReached | None = None
    with call:
        try:
            played, certified = call.deadline.allow(SOLVING, work)
        except LimitReached as limit:
            stop = limit
        best = stop.best if stop is not None else certified.solution
        solution = best if isinstance(best, Solution) else None
        call.write(solution)
    if call.lost and solution is not None:
        text = partial(solution.to_text, without_arrays=solution.ordered is not None)
        present("json", json=text, table=str)  # the result could not be written to a file, so print all of it
        raise call.failure or AssertionError
    if stop is not None:
        if solution is not None and call.output is not None and call.failure is None:
            say(f"the facts proven so far are in {call.output}")
        raise call.failure or stop
    call.present(
        json=lambda: records.certification_record(certified),
        csv=lambda: records.csv_text(certified.solution.strategies, played),
        gambit=lambda: records.gambit_text(certified.solution.strategies),
        table=lambda: checks.certification_view(played, certified),
    )
    if call.failure is not None:
        raise call.failure
    return 0 if certified.verdict is Verdict.PROVEN else NOT_PROVEN
