"""``tremble certify``: any profile in, a proof out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import click

from tremble.cli.console import NOT_PROVEN, began, present, say
from tremble.cli.deadline import LOADING, SOLVING, Deadline
from tremble.cli.inputs import GameArgument, require_one_standard_input, warn_of_another_game
from tremble.cli.options import common, reads_a_game, writes_a_file
from tremble.cli.outputs import Output, require_outputs, written
from tremble.cli.progress import Progress
from tremble.errors import LimitReached
from tremble.judging.certify import Certification, Verdict, certification, judged
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree
from tremble.show import records, terminal
from tremble.solution.solution import Solution
from tremble.solution.trembles import Trembles
from tremble.solvers.method import require_choice
from tremble.verifier.concepts.table import CONCEPTS

__all__ = ["certify"]


@click.command()
@click.argument("game")
@click.argument("profile_file", metavar="PROFILE")
@click.option("--concept", default="nash", show_default=True, help=f"What to prove of it: {', '.join(judged())}.")
@click.option("--output", "-o", metavar="FILE", help="Write the solution, as JSON, to FILE.")
@click.option("--trembles", metavar="FILE", help="Weights of the mistakes, for refinements; all equal by default.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then, with what is proven so far.")
@writes_a_file
@reads_a_game
@common("table", "json", "csv", "gambit")
def certify(
    game: GameArgument,
    profile_file: str,
    concept: str,
    output: str | None,
    trembles: str | None,
    time_limit: float | None,
    force: bool,
    form: str,
    quiet: bool,
) -> int:
    """Prove that PROFILE is an equilibrium of GAME, or say who gains and where.

    PROFILE is a solution file, any JSON file with "strategies", or one with a line NE,p,p,... as Gambit prints it;
    payoffs need not sum to a constant. Nash is decided exactly. Of a refinement, the certificate in PROFILE is tried,
    and mistakes of one kind: if they support the profile, it is proven; if nothing can, that is said; else it is
    undecided.

    Exit code 0 if it is proven, 1 if not. With -o, the solution file, whatever is proven.

    \b
    Example: tremble certify my.efg gambit.txt --concept sequential -o proven.json
    JSON: {"verdict": "proven" | "disproven" | "undecided", "ok", "concept", "proven", "status", "grounds", "reasons",
           "values", "best_response_values", "gains", "nash_conv" (each also as *_float), "bounds",
           "better": [{"player", "infoset", "label", "kind", "action", "probability", "better", "loss", "gain",
           "gain_float", "own_reach", "other_reach", "on_path"}, ...], "subgame_perfect",
           "subgames": [{"path", "player", "gain", "gain_float"}, ...], "not_stated"}
    CSV:  player,infoset,label,action,probability,probability_float
    gambit: one line NE,p,p,... in the order of the information sets, player 1 first
    """  # noqa: D301 (click reads the backspace)
    require_choice("concept", concept, judged())
    require_one_standard_input(game.text, profile_file)
    inputs = {"GAME": game.file, "PROFILE": profile_file, "--trembles": trembles}
    require_outputs(inputs, Output("-o", output, "solution"), force=force)
    deadline = Deadline(time_limit)
    stated = deadline.allow(
        LOADING, lambda: game.profile(profile_file, unbuilt=CONCEPTS[concept].check_rules is not None)
    )
    stop: LimitReached | None = None
    failure, refuge = None, None
    with Progress(quiet=quiet, began=began()) as progress, deadline:

        def work() -> tuple[GameTree | UnbuiltGame, Certification]:
            from_rules = stated.not_built
            played = game.tree_or_rules(progress, from_rules=True) if from_rules else game.tree(progress)
            warn_of_another_game(played, stated.game)
            weights = None
            if trembles is not None and isinstance(played, GameTree):
                weights = Trembles.read(trembles, played)
            profile = replace(stated, game=None)  # whose game has been looked at
            return played, certification(
                played, profile, concept, trembles=weights, time_limit=deadline.left, progress=progress.step
            )

        try:
            played, found = deadline.allow(SOLVING, work)
        except LimitReached as limit:
            stop = limit
        solution = stop.best if stop is not None else found.solution
        if isinstance(solution, Solution) and output is not None:
            failure, refuge = written(solution, output)
    if refuge is not None:
        say(f"the solution is in {refuge} instead")
    elif failure is not None and isinstance(solution, Solution):
        text = partial(solution.to_text, without_arrays=solution.ordered is not None)
        present("json", json=text, table=str)  # it stands nowhere else
        raise failure
    if stop is not None:
        if isinstance(solution, Solution) and output is not None and failure is None:
            say(f"what is proven so far is in {output}")
        raise failure or stop
    present(
        form,
        json=lambda: records.certification_record(found),
        csv=lambda: records.csv_text(found.solution.strategies, played),
        gambit=lambda: records.gambit_text(found.solution.strategies),
        table=lambda: terminal.certification_view(played, found),
    )
    if failure is not None:
        raise failure
    return 0 if found.verdict is Verdict.PROVEN else NOT_PROVEN
