"""The command line: arguments and printing only.

Standard output carries the result; progress, timings, warnings and errors go to standard error. What a
command costs is imported by the command, so that ``tremble --version`` answers at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import partial
from os.path import basename, splitext
from typing import TYPE_CHECKING, Any, TypeVar

import click

import tremble
from tremble.clock import grace, interrupts_held_back, limited, require_time_limit
from tremble.errors import (
    GameError,
    ImperfectRecallError,
    LimitReached,
    NotProvenError,
    SpecError,
    TooLargeError,
    TrembleError,
)
from tremble.show.console import (
    NOT_PROVEN,
    Commands,
    began,
    emit,
    ending_in_time,
    require_distinct,
    require_replaceable,
    require_writable,
    say,
    show,
)
from tremble.show.options import common, exact_number, reads_a_game, writes_a_file

if TYPE_CHECKING:
    from tremble.io.profile import NotStated, StatedProfile
    from tremble.judging.audit import Audit
    from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
    from tremble.model.strategy import BehaviorStrategy
    from tremble.model.tree import GameTree
    from tremble.show.progress import Progress
    from tremble.show.records import Responses
    from tremble.solution.heading import GameReference
    from tremble.solution.solution import Solution
    from tremble.solvers.double_oracle.settings import Policy

__all__ = ["main"]

_Result = TypeVar("_Result")

_METHOD_HELP = (
    "How: auto (says what it chose and why), lp, double-oracle, cfr, cfr+ or dcfr; to compare, the published "
    "halving, symbolic-simplex, npp."
)
_CONCEPT_HELP = "What to compute: nash, quasi-perfect, sequential or perfect."
_NO_TIME = 1e-9
"""Seconds that a solver gets where loading took them all."""

_LOADING, _SOLVING = 0.3, 0.75
"""Shares of the grace period after a time limit until which the game is loaded, and everything but writing is done."""

# -- shared steps --------------------------------------------------------------------------------


def _load(game: str, max_nodes: int | None, repair: Fraction | None, progress: Progress) -> GameTree:
    """Load a game that must be built."""
    from tremble.io.loading import load
    from tremble.model.tree import DEFAULT_MAX_NODES

    progress.step("loading the game")
    limit = DEFAULT_MAX_NODES if max_nodes is None else max_nodes
    return load(game, repair_tolerance=repair, max_nodes=limit, progress=progress.nodes)


def _load_any(
    game: str, max_nodes: int | None, repair: Fraction | None, progress: Progress, *, unbuilt: bool = False
) -> GameTree | UnbuiltGame:
    """Load a game that need not be built."""
    from tremble.io.loading import load_any
    from tremble.model.tree import DEFAULT_MAX_NODES

    progress.step("loading the game")
    limit = DEFAULT_MAX_NODES if max_nodes is None else max_nodes
    return load_any(game, from_rules=unbuilt, repair=repair, max_nodes=limit, progress=progress.nodes)


def _names_rules(named: GameReference | None) -> bool:
    """Whether a file is of a game that is not built: then verifying it must not build the game either."""
    return named is not None and named.digest is not None and named.digest.startswith("rules:")


def _only_one_standard_input(*paths: str | None) -> None:
    if paths.count("-") > 1:
        raise click.UsageError("only one argument can be standard input")


def _game_file(game: str) -> str | None:
    """The file that a game is read from, if it is."""
    from tremble.io.loading import is_named

    return None if is_named(game) else game


def _require_output(file: str, inputs: Mapping[str, str | None], *, force: bool) -> None:
    """Refuse a game or picture to write that would cost an input or a file of another kind."""
    require_distinct(inputs, {file: file})
    require_writable(file)
    require_replaceable(file, splitext(file)[1].lower(), force=force)


def _read_profile(path: str, repair: Fraction | None, *, unbuilt: bool = False) -> StatedProfile:
    """Read strategies from a file of any kind, of a game that is not built only where that will do."""
    from pathlib import Path

    from tremble.io.profile import read_profile

    stated = read_profile(Path(path), repair_tolerance=repair)
    if stated.unbuilt is not None and not unbuilt:
        from tremble.solution.stated import NOT_BUILT

        raise GameError(f"{stated.name}: {NOT_BUILT}")
    return stated


def _require_known(kind: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        allowed = f"choose from: {', '.join(known)}" if known else "there is none yet"
        raise SpecError(f"unknown {kind} {name!r:.80}; {allowed}")


def _warn_of_another_game(game: GameTree | UnbuiltGame, named: GameReference | None) -> None:
    """Strategies of another game may be meant; that they are is said."""
    if named is not None and named.digest is not None and named.digest != game.digest:
        other = named.spec or named.title
        say(f"warning: the file states strategies of another game ({other!r:.80}): the digests differ")


# -- commands ------------------------------------------------------------------------------------


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 proven, 1 not proven or wrong, 2 bad usage, 3 bad file, 4 game outside the class, "
    "5 limit reached, 130 interrupted.",
)
@click.version_option(tremble.__version__, prog_name="tremble", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Exact, certified equilibria of two-player games with hidden information.

    GAME is a built-in game (kuhn, leduc:ranks=5), a file (.efg, .nfg, .json), a game of OpenSpiel
    (openspiel:kuhn_poker), or - for an .efg on standard input.

    \b
    tremble games                        what is built in
    tremble solve kuhn                   an exact equilibrium, proven
    tremble solve my.efg -o my.json      the same, into a file
    tremble verify my.efg my.json        prove it again, from the game alone
    tremble draw kuhn my.json -o k.svg   a picture
    """  # noqa: D301 (click reads the backspace)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@main.command(short_help="List the built-in games.")
@common("table", "json")
def games(form: str, quiet: bool) -> int:
    """List the built-in games, their parameters and defaults.

    \b
    JSON: a list of {"name", "description", "parameters": [{"name", "default", "allowed"}]}.
    """  # noqa: D301 (click reads the backspace)
    from tremble.games import names, parameters, rules_class
    from tremble.show import records, terminal

    listed = []
    for name in names():
        rules = rules_class(name)
        about = (rules.__doc__ or "").strip().partition("\n")[0]
        settings = [{"name": p.name, "default": p.default, "allowed": p.allowed} for p in parameters(rules)]
        listed.append({"name": name, "description": about, "parameters": settings})
    if form == "json":
        emit(records.json_text(listed), "json")
    else:
        show(terminal.games_view(listed))
    return 0


@main.command(short_help="Show sizes and class of a game.")
@click.argument("game")
@reads_a_game
@common("table", "json")
def info(game: str, max_nodes: int | None, repair: Fraction | None, form: str, quiet: bool) -> int:
    """Show sizes and class of GAME: nodes, information sets, sequences, recall, kind of payoffs.

    Of a game of rules beyond --max-nodes, what these can count is shown; the rest is unknown (null).

    \b
    Example: tremble info leduc --format json
    JSON: {"title", "players", "zero_sum", "constant_sum", "nodes": {"chance", "player", "terminal"},
           "information_sets", "sequences", "recall", "max_depth", "digest"}
    """  # noqa: D301 (click reads the backspace)
    from tremble.show import records, terminal
    from tremble.show.progress import Progress

    with Progress(quiet=quiet) as progress:
        try:
            record = records.info_record(_load(game, max_nodes, repair, progress))
        except TooLargeError:
            counted = records.counted_record(game)
            if counted is None:
                raise
            record = counted
    if form == "json":
        emit(records.json_text(record), "json")
    else:
        show(terminal.info_view(record))
    return 0


@main.command(short_help="Compute an exact equilibrium and prove it.")
@click.argument("game")
@click.option("--concept", default="nash", show_default=True, help=_CONCEPT_HELP)
@click.option("--method", default="auto", show_default=True, help=_METHOD_HELP)
@click.option("--output", "-o", metavar="FILE", help="Write the solution, as JSON, to FILE.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then, with the best result so far.")
@click.option(
    "--gap", callback=exact_number, metavar="G", help="Be content with bounds at most G apart (payoff units)."
)
@click.option("--policy", metavar="P", help="Double oracle: who responds: both (default), alternating or worse.")
@click.option("--smoothing", type=float, metavar="A", help="Double oracle: 0 as published, to less than 1 [0.8].")
@click.option("--checkpoint", metavar="FILE", help="Double oracle: go on from FILE, and keep it up to date.")
@click.option("--seed", type=int, metavar="N", help="Of random choices: decides between several equilibria [0].")
@click.option("--log", metavar="FILE", help="Write the progress to FILE as JSON lines.")
@click.option("--trembles", metavar="FILE", help="Weights of the mistakes, for refinements; all equal by default.")
@writes_a_file
@reads_a_game
@common("table", "json", "csv", "gambit")
def solve(
    game: str,
    concept: str,
    method: str,
    output: str | None,
    time_limit: float | None,
    gap: Fraction | None,
    policy: Policy | None,
    smoothing: float | None,
    checkpoint: str | None,
    seed: int | None,
    log: str | None,
    trembles: str | None,
    force: bool,
    max_nodes: int | None,
    repair: Fraction | None,
    form: str,
    quiet: bool,
) -> int:
    """Compute an exact equilibrium of GAME and prove it.

    \b
    Concepts: nash           nobody gains by deviating; off the path anything goes
              quasi-perfect  also best, off the path, against others who may err
              sequential     quasi-perfect, with the beliefs at every information set
              perfect        extensive-form perfect: as if one's own hand trembled as well
    \b
    Methods:  lp             one linear program, made exact
              double-oracle  for games too large to be built; nash only
              cfr cfr+ dcfr  regret minimisation: bounds at most --gap apart (default 0.001 of the range)
    \b
    Examples: tremble solve kuhn --concept quasi-perfect
              tremble solve leduc -o leduc.json --format csv > leduc.csv
              tremble solve my.efg --time-limit 60 --log my.log
              tremble solve phantom_ttt --checkpoint phantom.checkpoint -o phantom.json
    JSON:     the solution file (schema tremble/solution@1), see docs/reference/cli.md
    CSV:      player,infoset,label,action,probability,probability_float
    gambit:   one line NE,p,p,... in the order of the information sets, player 1 first
    """  # noqa: D301 (click reads the backspace)
    from tremble.io.loading import has_positions
    from tremble.show.progress import Progress
    from tremble.solution.trembles import Trembles
    from tremble.solvers.solve import solve as run
    from tremble.solvers.table import METHODS
    from tremble.verifier.concepts.table import CONCEPTS

    _require_known("concept", concept, CONCEPTS)
    _require_known("method", method, ("auto", *METHODS))
    require_time_limit(time_limit)
    require_distinct(
        {"GAME": _game_file(game), "--trembles": trembles}, {"-o": output, "--checkpoint": checkpoint, "--log": log}
    )
    if output is not None:
        require_writable(output)
        require_replaceable(output, "solution", force=force)
    if log is not None:
        require_replaceable(log, "log", force=force)
    stop: LimitReached | NotProvenError | None = None
    rules_will_do = concept == "nash" and method in ("auto", "double-oracle") and form != "gambit" and trembles is None

    def load_it(progress: Progress) -> tuple[GameTree | UnbuiltGame, Trembles | None]:
        if rules_will_do:
            # The double oracle goes through positions faster than a tree is built, unless one is asked for.
            unbuilt = method == "double-oracle" and max_nodes is None and has_positions(game)
            return _load_any(game, max_nodes, repair, progress, unbuilt=unbuilt), None
        tree = _load(game, max_nodes, repair, progress)
        return tree, None if trembles is None else Trembles.read(trembles, tree)

    with Progress(quiet=quiet, log=log, began=began()) as progress, ending_in_time(time_limit):
        played, weights = _in_time(
            time_limit, _LOADING, progress, lambda: load_it(progress), "while the game was loaded"
        )
        loaded = progress.elapsed
        solve_it = partial(
            run,
            played,
            concept,
            method,
            time_limit=None if time_limit is None else max(time_limit - loaded, _NO_TIME),
            gap=gap,
            seed=seed,
            progress=progress.step,
            trembles=weights,
            policy=policy,
            smoothing=smoothing,
            checkpoint=checkpoint,
            report=lambda row: progress.log("iteration", **row),
        )
        from tremble.solution.solution import Solution

        try:
            solution: Solution | None = _in_time(time_limit, _SOLVING, progress, solve_it, "")
        except (LimitReached, NotProvenError) as limit:
            stop = limit
            solution = limit.best if isinstance(limit.best, Solution) else None
        failure = None if solution is None or output is None else _written(solution, output)
        solved = progress.elapsed - loaded
        progress.log("end", **_summary(solution))
    if solution is not None:
        _deliver(played, solution, form, failure)
    if not quiet:
        end = "stopped after" if isinstance(stop, LimitReached) else "solved and verified in"
        say(f"loaded in {loaded:.2f} s, {end} {solved:.2f} s")
    if stop is not None:
        if solution is not None and output is not None:
            say(f"the best result so far is in {output}")
        raise stop
    return 0  # what is not proven to be what was asked for is an exception


def _in_time(
    time_limit: float | None, share: float, progress: Progress, work: Callable[[], _Result], when: str
) -> _Result:
    """What ``work`` returns, if it does so within a share of the grace period after the time limit."""
    if time_limit is None:
        return work()
    ended = False

    def heard() -> _Result:
        nonlocal ended
        try:
            return work()
        except LimitReached:  # with what it has
            ended = True
            raise

    try:
        return limited(time_limit + share * grace(time_limit) - progress.elapsed, heard)
    except LimitReached as limit:
        if ended:
            raise
        raise LimitReached(f"{limit}{when and f' {when}'}; there is no result yet") from None


def _summary(solution: Solution | None) -> dict[str, Any]:
    """The last line of a log."""
    if solution is None:
        return {"status": None, "bounds": None}
    from tremble.show.numbers import exact_text

    bounds = None if solution.bounds is None else [exact_text(b) for b in solution.bounds]
    return {"status": str(solution.status), "bounds": bounds}


def _written(solution: Solution, output: str) -> TrembleError | None:
    """Write the solution file, whatever comes; a failure is returned, to be reported when the result has been shown."""
    try:
        with interrupts_held_back():
            solution.to_json(output)
    except TrembleError as error:
        return error
    return None


def _deliver(game: GameTree | UnbuiltGame, solution: Solution, form: str, failure: TrembleError | None) -> None:
    """Print the solution; then raise what went wrong with its file."""
    from tremble.show import records, terminal

    if form == "json":
        emit(solution.to_text(), "json")
    elif form == "csv":
        emit(records.csv_text(solution.strategies), "csv")
    elif form == "gambit":
        emit(records.gambit_text(solution.strategies))
    else:
        show(terminal.solution_view(game, solution))
    if failure is not None:
        raise failure


@main.command(short_help="Prove a solution again, from the game alone.")
@click.argument("game")
@click.argument("solution_file", metavar="SOLUTION")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then, with nothing proven (exit code 5).")
@reads_a_game
@common("table", "json")
def verify(
    game: str,
    solution_file: str,
    time_limit: float | None,
    max_nodes: int | None,
    repair: Fraction | None,
    form: str,
    quiet: bool,
) -> int:
    """Prove SOLUTION again from GAME alone, with code that no solver uses.

    Exit code 0 if everything the file states is proven, 1 if not; every problem is listed. A file of a game that
    was not built is verified from the rules: exactly, by a search for best responses without shortcuts. What a
    file can cost is bounded; numbers that would cost more are refused as too large to check.

    \b
    Example: tremble verify kuhn kuhn.json
    JSON: {"ok", "status", "proven", "concept", "nash_conv", "values", "best_response_values", "bounds",
           "problems", "notes"}; "proven" is a concept, "bounds" or null
    """  # noqa: D301 (click reads the backspace)
    from tremble.show import records, terminal
    from tremble.show.progress import Progress
    from tremble.solution.stated import StatedSolution
    from tremble.solution.verification import Verification
    from tremble.verifier import verify as prove

    _only_one_standard_input(game, solution_file)
    require_time_limit(time_limit)

    def work() -> tuple[GameTree | UnbuiltGame, StatedSolution, Verification]:
        solution = StatedSolution.from_json(solution_file)
        unbuilt = solution.unbuilt is not None or _names_rules(solution.game)
        played: GameTree | UnbuiltGame
        if unbuilt:
            played = _load_any(game, max_nodes, repair, progress, unbuilt=True)
        else:
            played = _load(game, max_nodes, repair, progress)
        progress.step("verification")
        return played, solution, prove(played, solution, progress=progress.step)

    with Progress(quiet=quiet, began=began()) as progress, ending_in_time(time_limit):
        left = None if time_limit is None else max(time_limit - progress.elapsed, _NO_TIME)
        try:
            played, solution, verification = limited(left, work)
        except LimitReached as limit:
            raise LimitReached(f"{limit}; nothing is proven", interrupted=limit.interrupted) from limit
    if form == "json":
        emit(records.json_text(records.verification_record(verification)), "json")
    else:
        show(terminal.verification_view(played, solution, verification))
    return 0 if verification.ok else NOT_PROVEN


@main.command(short_help="Best responses and exploitability of any strategies.")
@click.argument("game")
@click.argument("solution_file", metavar="SOLUTION")
@reads_a_game
@common("table", "json", "csv")
def respond(
    game: str, solution_file: str, max_nodes: int | None, repair: Fraction | None, form: str, quiet: bool
) -> int:
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
    from tremble.model.evaluation import expected_values
    from tremble.show import records, terminal
    from tremble.show.progress import Progress

    _only_one_standard_input(game, solution_file)
    stated = _read_profile(solution_file, repair, unbuilt=True)
    played: GameTree | UnbuiltGame
    with Progress(quiet=quiet) as progress:
        if stated.unbuilt is not None:
            played = _load_any(game, max_nodes, repair, progress, unbuilt=True)
            _warn_of_another_game(played, stated.game)
            progress.step("best responses")
            responses = _unbuilt_responses(played, stated.unbuilt, progress)
        else:
            played = tree = _load(game, max_nodes, repair, progress)
            _warn_of_another_game(tree, stated.game)
            profile, not_stated = stated.fitted(tree)
            progress.step("best responses")
            one, two = (_best_response(tree, profile, player) for player in (0, 1))
            responses = records.Responses(
                expected_values(tree, profile), (one[0], two[0]), (one[1], two[1]), (one[2], two[2]), not_stated
            )
    if form == "json":
        emit(records.json_text(records.responses_record(responses)), "json")
    elif form == "csv":
        emit(records.csv_text([best for best in responses.best if best is not None]), "csv")
    else:
        show(terminal.responses_view(played, responses))
    return 0


def _best_response(
    tree: GameTree, profile: Sequence[BehaviorStrategy], player: int
) -> tuple[Fraction | float | None, BehaviorStrategy | None, str | None]:
    """What a best response earns, and one; or, of a player who forgets, why there is none."""
    from tremble.model.evaluation import best_response

    try:
        return *best_response(tree, profile, player), None
    except ImperfectRecallError as error:
        return None, None, str(error)


def _unbuilt_responses(
    game: GameTree | UnbuiltGame, strategies: Sequence[UnbuiltStrategy], progress: Progress
) -> Responses:
    """Best responses in a game that is not built; the verifier's search is the one that takes no shortcuts."""
    from tremble.model.rules import UnbuiltGame
    from tremble.show.records import Responses
    from tremble.solution.stated import NOT_BUILT
    from tremble.verifier.profiles.rules import evaluate_rules

    if not isinstance(game, UnbuiltGame):
        raise GameError(NOT_BUILT)
    outcome = evaluate_rules(game, strategies, progress=progress.step)
    one, two = outcome.players
    return Responses(outcome.values, outcome.best_response_values, (one.best, two.best))


@main.command(short_help="Where a profile blunders, and how much it gives away.")
@click.argument("game")
@click.argument("solution_file", metavar="SOLUTION")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop then, with what was found so far.")
@reads_a_game
@common("table", "json", "csv")
def audit(
    game: str,
    solution_file: str,
    time_limit: float | None,
    max_nodes: int | None,
    repair: Fraction | None,
    form: str,
    quiet: bool,
) -> int:
    """Show where the strategies in SOLUTION blunder in GAME, on and off the path, and what they give away there.

    SOLUTION is a solution file, any file with the same "schema" and "strategies", or one with a line NE,p,p,... as
    Gambit prints it; payoffs need not sum to a constant.

    "regret" loses against the other's strategy; "unsupported" against whatever the other plays
    (at least so much); "dominated" against a uniform opponent, and is never better than what replaces it.
    Beliefs in a solution file are checked too. Exit code 0 whatever is found.

    \b
    Example: tremble audit kuhn mine.json
    JSON: {"values", "gains", "off_path" (each also as *_float), "blunders": [{"player", "infoset", "label",
           "kind", "action", "probability", "better", "loss", "amount", "amount_float", "own_reach",
           "other_reach", "on_path", "stated"}, ...], "beliefs": [{"player", "infoset", "label", "nodes"}, ...],
           "information_sets", "never_dealt", "unexamined", "undecided", "complete"}
    CSV:  player,infoset,label,kind,action,probability,better,loss,amount,amount_float,on_path
    """  # noqa: D301 (click reads the backspace)
    from tremble.judging.audit import audit as run
    from tremble.show import records, terminal
    from tremble.show.progress import Progress

    _only_one_standard_input(game, solution_file)
    require_time_limit(time_limit)
    stated = _read_profile(solution_file, repair)
    with Progress(quiet=quiet, began=began()) as progress, ending_in_time(time_limit):

        def work() -> tuple[GameTree, Audit, NotStated]:
            tree = _load(game, max_nodes, repair, progress)
            _warn_of_another_game(tree, stated.game)
            profile, not_stated = stated.fitted(tree)
            left = None if time_limit is None else max(time_limit - progress.elapsed, _NO_TIME)
            found = run(tree, profile, beliefs=stated.beliefs, time_limit=left, progress=progress.step)
            return tree, found, not_stated

        tree, found, not_stated = _in_time(time_limit, _SOLVING, progress, work, "")
    if form == "json":
        emit(records.json_text(records.audit_record(found, not_stated)), "json")
    elif form == "csv":
        emit(records.audit_csv(found), "csv")
    else:
        show(terminal.audit_view(tree, found, not_stated))
    if found.stopped is not None:
        raise found.stopped
    return 0


@main.command(short_help="Where two solutions differ, and what each earns against errors.")
@click.argument("game")
@click.argument("first_file", metavar="SOLUTION")
@click.argument("second_file", metavar="SOLUTION")
@click.option("--output", "-o", metavar="FILE", help="Draw the comparison: .svg or .html.")
@writes_a_file
@reads_a_game
@common("table", "json", "csv")
def compare(
    game: str,
    first_file: str,
    second_file: str,
    output: str | None,
    force: bool,
    max_nodes: int | None,
    repair: Fraction | None,
    form: str,
    quiet: bool,
) -> int:
    """Show where two solutions of GAME differ, and how much each earns against an opponent who errs.

    A SOLUTION is a solution file, any file with the same "schema" and "strategies", or one with a line NE,p,p,... as
    Gambit prints it; payoffs need not sum to a constant.

    The opponent plays its strategy of either file, but at every information set errs with
    probability d and then plays uniformly; or it makes straight for a single mistake. Payoffs are exact.

    \b
    Example: tremble compare kuhn first.json second.json -o kuhn.svg
    JSON: {"names", "exact", "information_sets", "equal",
           "differences": [{"player", "infoset", "label", "actions": [[label, first, second], ...],
                            "distance", "own", "others", "on_path", "reach_float"}, ...],
           "earnings": [{"player", "opponent", "tremble", "first", "second", "difference", "best_response",
                         "gift", "shares_float"}, ...],
           "mistakes": [{"player", "opponent", "infoset", "label", "action", "first", "second", "difference",
                         "cost_float"}, ...]} (numbers also as *_float)
    CSV:  the differences: player,infoset,label,action,first,second,first_float,second_float,distance,
          distance_float,on_path_first,on_path_second
    """  # noqa: D301 (click reads the backspace)
    from tremble.judging.compare import compare as run
    from tremble.show import records, terminal
    from tremble.show.comparison_html import comparison_html
    from tremble.show.comparison_svg import comparison_svg
    from tremble.show.progress import Progress
    from tremble.text_file import write_text

    picture = {".svg": comparison_svg, ".html": comparison_html}.get(splitext(output or "")[1].lower())
    if output is not None and picture is None:
        raise SpecError(f"{output!r:.200} tells no format; give the picture the ending .svg or .html")
    _only_one_standard_input(game, first_file, second_file)
    if output is not None:
        _require_output(
            output, {"GAME": _game_file(game), "SOLUTION": first_file, "the other one": second_file}, force=force
        )
    first, second = (_read_profile(path, repair) for path in (first_file, second_file))
    with Progress(quiet=quiet) as progress:
        tree = _load(game, max_nodes, repair, progress)
        progress.step("comparison")
        found = run(tree, first, second, names=_names_of(first_file, second_file))
        if output is not None and picture is not None:
            write_text(output, picture(tree, found))
    if form == "json":
        emit(records.json_text(records.comparison_record(found, tree)), "json")
    elif form == "csv":
        emit(records.comparison_csv(found), "csv")
    else:
        show(terminal.comparison_view(tree, found))
    return 0


def _names_of(first: str, second: str) -> tuple[str, str]:
    """What two files are called beside each other."""
    one, two = ("standard input" if path == "-" else splitext(basename(path))[0] for path in (first, second))
    return (one, two) if one != two else (first, second)


@main.command(short_help="Write a game as .efg, .nfg or .json.")
@click.argument("game")
@click.argument("file")
@writes_a_file
@reads_a_game
@common("table", "json")
def convert(
    game: str, file: str, force: bool, max_nodes: int | None, repair: Fraction | None, form: str, quiet: bool
) -> int:
    """Write GAME to FILE: .efg (Gambit), .nfg (one-shot games) or .json, by its ending.

    \b
    Example: tremble convert openspiel:kuhn_poker kuhn.efg
    JSON: {"file", "nodes", "digest"}
    """  # noqa: D301 (click reads the backspace)
    from tremble.show import records
    from tremble.show.progress import Progress

    write = _writer(file)
    _require_output(file, {"GAME": _game_file(game)}, force=force)
    with Progress(quiet=quiet) as progress:
        tree = _load(game, max_nodes, repair, progress)
        progress.step("writing")
        write(tree, file)
    if form == "json":
        emit(records.json_text({"file": file, "nodes": tree.num_nodes, "digest": tree.digest}), "json")
    else:
        emit(f"{file}: {tree.num_nodes:,} nodes, {tree.digest}\n")
    return 0


def _writer(file: str) -> Callable[[GameTree, str], None]:
    """What writes a game in the format of a file's ending."""
    ending = splitext(file)[1].lower()
    if ending == ".efg":
        from tremble.io.efg import write_efg

        return write_efg
    if ending == ".nfg":
        from tremble.io.nfg import write_nfg

        return write_nfg
    if ending == ".json":
        from tremble.io.game_json import write_json

        return write_json
    raise SpecError(f"{file!r:.200} tells no format; give it the ending .efg, .nfg or .json")


@main.command(short_help="Draw the tree, or a solution on it.")
@click.argument("game")
@click.argument("solution_file", metavar="[SOLUTION]", required=False)
@click.option("--output", "-o", metavar="FILE", required=True, help="The picture: .svg or .html.")
@writes_a_file
@reads_a_game
@common("table", "json")
def draw(
    game: str,
    solution_file: str | None,
    output: str,
    force: bool,
    max_nodes: int | None,
    repair: Fraction | None,
    form: str,
    quiet: bool,
) -> int:
    """Draw the tree of GAME, or the tree with SOLUTION on it, as .svg or as an .html page.

    SOLUTION is a solution file, any file with the same "schema" and "strategies", or one with a line NE,p,p,... as
    Gambit prints it.

    The page can be moved and zoomed and shows exact numbers under the pointer. Of a tree beyond 3,000 nodes
    the first levels are drawn.

    \b
    Example: tremble draw kuhn kuhn.json -o kuhn.html
    JSON: {"file", "nodes", "drawn"}
    """  # noqa: D301 (click reads the backspace)
    from tremble.show import records
    from tremble.show.html import draw_html
    from tremble.show.layout import excerpt
    from tremble.show.progress import Progress
    from tremble.show.svg import draw_svg
    from tremble.text_file import write_text

    picture = {".svg": draw_svg, ".html": draw_html}.get(splitext(output)[1].lower())
    if picture is None:
        raise SpecError(f"{output!r:.200} tells no format; give the picture the ending .svg or .html")
    _only_one_standard_input(game, solution_file)
    _require_output(output, {"GAME": _game_file(game), "SOLUTION": solution_file}, force=force)
    stated = None if solution_file is None else _read_profile(solution_file, repair)
    with Progress(quiet=quiet) as progress:
        tree = _load(game, max_nodes, repair, progress)
        progress.step("drawing")
        write_text(output, picture(tree, None if stated is None else stated.on(tree)))
        drawn = excerpt(tree).num_nodes
    if form == "json":
        emit(records.json_text({"file": output, "nodes": tree.num_nodes, "drawn": drawn}), "json")
    else:
        part = f"the first {drawn:,} of " if drawn < tree.num_nodes else ""
        emit(f"{output}: {part}{tree.num_nodes:,} nodes\n")
    return 0


@main.command(short_help="Run our benchmarks.")
@click.argument("suite", required=False)
@click.option("--game", "games", multiple=True, metavar="GAME", help="Play this instead; can be repeated.")
@click.option("--repeat", type=click.IntRange(min=1), default=5, show_default=True, help="Timed runs of each.")
@click.option("--time-box", type=float, metavar="SECONDS", help="Give a run up then (default: the suite's own).")
@common("table", "json")
def bench(
    suite: str | None, games: tuple[str, ...], repeat: int, time_box: float | None, form: str, quiet: bool
) -> int:
    """Run a benchmark SUITE, peers beside us where they are installed; without SUITE, list what there is.

    \b
    Example: tremble bench startup
    JSON:    {"suite", "environment", "rows": [{"task", "program", "status", "seconds", "ratio", "runs",
             "peak_mib", "value", "note"}], "goals": [{"text", "measured", "limit", "at_least", "bound", "met"}]};
             without SUITE a list of {"suite", "about"}
    """  # noqa: D301 (click reads the backspace)
    from tremble.bench import SUITES
    from tremble.bench import run as race
    from tremble.show import records, terminal
    from tremble.show.progress import Progress

    if suite is None:
        listed = [{"suite": name, "about": entry.about} for name, entry in SUITES.items()]
        if form == "json":
            emit(records.json_text(listed), "json")
        else:
            show(terminal.records_view(listed))
        return 0
    _require_known("suite", suite, SUITES)
    with Progress(quiet=quiet) as progress:
        report = race(suite, games=games or None, repeat=repeat, time_box=time_box, progress=progress.step)
    emit(report.to_json() if form == "json" else report.to_table() + "\n", form)
    return 0
