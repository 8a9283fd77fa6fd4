"""What tremble and its peers do, asked of the installed packages: the table of docs/compared.md.

``python -m benchmarks.compared`` asks every package that is installed and prints the table; with ``--record`` it
writes the answers, with date and versions, to ``results/compared.json``, and the table into the page. A cell is what a
probe has found, never what somebody remembers: a number that a solver returned, or "no" where the package refuses, or
where none of its modules and names has a word that such a thing is called by.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib
import importlib.metadata
import importlib.util
import json
import os
import pkgutil
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

__all__ = ["PAGE", "PEERS", "QUESTIONS", "RECORD", "answers", "main", "on_the_page", "table"]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "compared.md"
RECORD = ROOT / "benchmarks" / "results" / "compared.json"
_TABLE = re.compile(r"(<!-- begins: python -m benchmarks.compared --record -->\n).*?(<!-- ends -->)", re.DOTALL)

PEERS = {
    "tremble": "tremble",
    "Gambit": "pygambit",
    "OpenSpiel": "open_spiel",
    "Nashpy": "nashpy",
    "LiteEFG": "LiteEFG",
}
"""What a column is called -> its package on PyPI."""

_PURE = ([[2, 0], [0, 1]], [[1, 0], [0, 2]])  # the battle of the sexes has three equilibria
_ITERATIONS = 100


# -- what probes share -----------------------------------------------------------------------------


def _none_named(package: str, *words: str) -> str:
    """ "no" if none of the modules and public names of a package has one of these words; else those that have."""
    module = importlib.import_module(package)
    modules = [row.name for row in pkgutil.walk_packages(module.__path__, f"{package}.", onerror=lambda _: None)]
    names = [name for name in (*modules, *dir(module)) if not name.startswith("_") and not name.endswith("_test")]
    found = [name for name in names if any(word in name.lower() for word in words)]
    return f"see {', '.join(sorted(found)[:3])}" if found else "no"


def _refused(ask: Callable[[], object]) -> str:
    """ "no" if the package refuses what it is asked for."""
    try:
        ask()
    except Exception:
        return "no"
    return "yes"


def _number(value: Any) -> str:
    """A number as the package gives it: exact, or a float."""
    if isinstance(value, Fraction | int):
        return f"{value}, exact"
    return f"{float(value):.3g}, float"


def _file(game: str) -> str:
    """The name of a file with a game."""
    import tremble

    name = f"{game}.efg"
    if not Path(name).exists():
        tremble.write_efg(tremble.load(game), name)
    return name


def _lite(game: Any) -> tuple[Any, Any]:
    """An environment of LiteEFG after some iterations of CFR+, and what it has iterated."""
    import LiteEFG

    graph = importlib.import_module("LiteEFG.baselines.CFRplus").graph()
    environment = LiteEFG.OpenSpielEnv(game)
    environment.set_graph(graph)
    environment.update_strategy(graph.current_strategy())
    for _ in range(_ITERATIONS):
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())
    return environment, graph.current_strategy()


# -- three players ---------------------------------------------------------------------------------

_THREE = 'NFG 1 R "" { "1" "2" "3" } { 2 2 2 } 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1\n'


def _three_tremble() -> str:
    import tremble

    return _refused(lambda: tremble.read_nfg(_THREE))


def _three_gambit() -> str:
    import pygambit

    Path("three.nfg").write_text(_THREE, "utf-8")
    found = pygambit.nash.enumpoly_solve(pygambit.read_nfg("three.nfg")).equilibria
    return f"{len(found)} equilibria found"


def _three_openspiel() -> str:
    import pyspiel
    from open_spiel.python.algorithms import cfr, exploitability

    game = pyspiel.load_game("kuhn_poker(players=3)")
    solver = cfr.CFRSolver(game)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    exploitability.nash_conv(game, solver.average_policy())
    return "learning"


def _three_nashpy() -> str:
    import nashpy

    def ask() -> None:
        list(nashpy.Game(*([[1, 0], [0, 1]],) * 3).support_enumeration())

    return _refused(ask)


def _three_liteefg() -> str:
    import pyspiel

    environment, strategy = _lite(pyspiel.load_game("kuhn_poker(players=3)"))
    environment.exploitability(strategy, "linear-avg-iterate")
    return "learning"


# -- a value -----------------------------------------------------------------------------------------


def _value_tremble() -> str:
    import tremble

    return _number(tremble.solve(tremble.load("kuhn")).value)


def _value_gambit() -> str:
    import pygambit

    game = pygambit.read_efg(_file("kuhn"))
    (profile,) = pygambit.nash.lp_solve(game, rational=True).equilibria
    return _number(Fraction(str(profile.payoff(next(iter(game.players))))))


def _value_openspiel() -> str:
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    return _number(sequence_form_lp.solve_zero_sum_game(pyspiel.load_game("kuhn_poker"))[0])


def _value_nashpy() -> str:
    return "no trees" if _none_named("nashpy", "efg", "extensive", "tree", "infoset") == "no" else "yes"


def _value_liteefg() -> str:
    import pyspiel

    environment, strategy = _lite(pyspiel.load_game("kuhn_poker"))
    return _number(environment.utility(strategy, "linear-avg-iterate")[0])


# -- off the path ------------------------------------------------------------------------------------


def _ace_tremble() -> str:
    import tremble

    solution = tremble.solve(tremble.load("guess_the_ace"), "quasi-perfect")
    return f"{_number(solution.strategies[1][0]['no'])}, proven"


def _ace_gambit() -> str:
    import pygambit

    game = pygambit.read_efg(_file("guess_the_ace"))
    strict = pygambit.nash.lp_solve(game, rational=True).equilibria[0]
    close = pygambit.nash.logit_solve(game).equilibria[0]
    wrong, right = (profile["Player 2"]["ace of spades?"]["no"] for profile in (strict, close))
    return f"{wrong} (`lp_solve`); 1 - {1 - float(right):.0e} (`logit_solve`)"


def _ace_openspiel() -> str:
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    game = pyspiel.load_game(f"efg_game(filename={_file('guess_the_ace')})")

    def no(policy: Any) -> float:
        (row,) = [policy.policy_for_key(key) for key in policy.state_lookup if key.startswith("1-")]
        return float(row[-1])

    plain = no(sequence_form_lp.solve_zero_sum_game(game)[3])
    perturbed = no(sequence_form_lp.solve_perturbed_zero_sum_game(game, eps=1e-8)[3])
    return f"{plain:.2g}; {perturbed:.2g} (perturbed)"


def _ace_liteefg() -> str:
    import LiteEFG
    import pyspiel

    environment, strategy = _lite(pyspiel.load_game(f"efg_game(filename={_file('guess_the_ace')})"))
    ((_, row),) = LiteEFG.FileEnv.get_strategy(environment, 2, strategy, "linear-avg-iterate")
    return f"{row[-1]:.2g}"


# -- is it an equilibrium? ---------------------------------------------------------------------------


def _proof_tremble() -> str:
    import tremble

    kuhn = tremble.load("kuhn")
    found = tremble.verify(kuhn, tremble.solve(kuhn, "sequential"))
    assert found.ok
    return f"{_number(found.nash_conv)}; refinements proven, too"


def _proof_gambit() -> str:
    import pygambit

    (profile,) = pygambit.nash.lp_solve(pygambit.read_efg(_file("kuhn")), rational=True).equilibria
    return _number(Fraction(str(profile.max_regret())))


def _proof_openspiel() -> str:
    import pyspiel
    from open_spiel.python.algorithms import exploitability, sequence_form_lp
    from open_spiel.python.policy import merge_tabular_policies

    game = pyspiel.load_game("kuhn_poker")
    pair = sequence_form_lp.solve_zero_sum_game(game)[2:]
    return _number(abs(exploitability.nash_conv(game, merge_tabular_policies(pair, game))))


def _proof_nashpy() -> str:
    import nashpy
    import numpy as np

    right = nashpy.Game(*map(np.array, _PURE)).is_best_response(np.array([1, 0]), np.array([1, 0]))
    return "only a test for best responses, in floats" if all(right) else "no"


def _proof_liteefg() -> str:
    import pyspiel

    environment, strategy = _lite(pyspiel.load_game("kuhn_poker"))
    return _number(sum(environment.exploitability(strategy, "linear-avg-iterate")))


# -- all equilibria of a bimatrix game ---------------------------------------------------------------


def _all_tremble() -> str:
    import tremble

    found = tremble.all_equilibria(tremble.matrix_game(*_PURE))
    return f"{len(found)}, exact"


def _all_gambit() -> str:
    import numpy as np
    import pygambit

    found = pygambit.nash.enummixed_solve(pygambit.Game.from_arrays(*map(np.array, _PURE)), rational=True).equilibria
    return f"{len(found)}, exact"


def _all_openspiel() -> str:
    import numpy as np
    from open_spiel.python.algorithms import matrix_nash

    found = matrix_nash.lemke_howson_solve(*(np.array(one, float) for one in _PURE))
    count = len({tuple(np.concatenate(pair).round(6)) for pair in found})
    return f"{count}, floats (all: with lrs)"


def _all_nashpy() -> str:
    import nashpy
    import numpy as np

    return f"{len(list(nashpy.Game(*map(np.array, _PURE)).support_enumeration()))}, floats"


# -- rules without a tree; learning; games; pictures ------------------------------------------------


def _rules_tremble() -> str:
    import tremble

    return f"exact value, {tremble.solve(tremble.load_rules('kuhn')).status.value}"


def _rules_openspiel() -> str:
    import pyspiel
    from open_spiel.python.algorithms import outcome_sampling_mccfr

    outcome_sampling_mccfr.OutcomeSamplingSolver(pyspiel.load_game("phantom_ttt")).iteration()
    return "sampling, no bound"


def _learning_tremble() -> str:
    import tremble

    bounds = tremble.solve(tremble.load("kuhn"), method="cfr", iterations=_ITERATIONS).bounds
    return "regret minimisation, gap proven" if bounds else "no"


def _learning_openspiel() -> str:
    import open_spiel.python.algorithms as algorithms

    known = {row.name for row in pkgutil.iter_modules(algorithms.__path__)}
    assert {"cfr", "mccfr", "psro_v2", "alpha_zero"} <= known
    return "regret, sampling, PSRO, neural"


def _learning_nashpy() -> str:
    import nashpy

    assert {"fictitious_play", "replicator_dynamics"} <= set(dir(nashpy.Game))
    return "fictitious play, evolution"


def _learning_liteefg() -> str:
    import LiteEFG.baselines

    count = sum(1 for row in pkgutil.iter_modules(LiteEFG.baselines.__path__) if row.name[0].isupper())
    return f"{count} algorithms"


def _games_tremble() -> str:
    from tremble.games import parameters as games

    return f"{len(games.names())}, and OpenSpiel's"


def _games_gambit() -> str:
    import pygambit.catalog

    return f"{len(pygambit.catalog.games())}"


def _games_openspiel() -> str:
    import pyspiel

    return str(len(pyspiel.registered_names()))


def _games_liteefg() -> str:
    import pyspiel

    _lite(pyspiel.load_game("kuhn_poker"))
    return "OpenSpiel's"


QUESTIONS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "value of Kuhn poker: -1/18": {
        "tremble": _value_tremble,
        "Gambit": _value_gambit,
        "OpenSpiel": _value_openspiel,
        "Nashpy": _value_nashpy,
        "LiteEFG": _value_liteefg,
    },
    "Kuhn poker: gain by deviating from the computed strategies": {
        "tremble": _proof_tremble,
        "Gambit": _proof_gambit,
        "OpenSpiel": _proof_openspiel,
        "Nashpy": _proof_nashpy,
        "LiteEFG": _proof_liteefg,
    },
    "[guess the ace](#guess-the-ace): probability of the right answer, off the path": {
        "tremble": _ace_tremble,
        "Gambit": _ace_gambit,
        "OpenSpiel": _ace_openspiel,
        "Nashpy": _value_nashpy,
        "LiteEFG": _ace_liteefg,
    },
    "battle of the sexes: equilibria found, of three": {
        "tremble": _all_tremble,
        "Gambit": _all_gambit,
        "OpenSpiel": _all_openspiel,
        "Nashpy": _all_nashpy,
        "LiteEFG": lambda: _none_named("LiteEFG", "lemke", "enum", "bimatrix"),
    },
    "from rules, without a tree": {
        "tremble": _rules_tremble,
        "Gambit": lambda: _none_named("pygambit", "rules", "oracle", "mccfr"),
        "OpenSpiel": _rules_openspiel,
        "Nashpy": _value_nashpy,
        "LiteEFG": lambda: _none_named("LiteEFG", "oracle", "implicit"),
    },
    "learning": {
        "tremble": _learning_tremble,
        "Gambit": lambda: _none_named("pygambit", "cfr", "regret_min", "fictitious"),
        "OpenSpiel": _learning_openspiel,
        "Nashpy": _learning_nashpy,
        "LiteEFG": _learning_liteefg,
    },
    "a game of three players": {
        "tremble": _three_tremble,
        "Gambit": _three_gambit,
        "OpenSpiel": _three_openspiel,
        "Nashpy": _three_nashpy,
        "LiteEFG": _three_liteefg,
    },
    "games included": {
        "tremble": _games_tremble,
        "Gambit": _games_gambit,
        "OpenSpiel": _games_openspiel,
        "Nashpy": lambda: _none_named("nashpy", "catalog", "library"),
        "LiteEFG": _games_liteefg,
    },
}
"""What is asked -> column -> the probe that answers."""


# -- asking, recording, writing ----------------------------------------------------------------------


@contextlib.contextmanager
def _a_folder_of_its_own() -> Iterator[None]:
    """Probes write files, and LiteEFG into the home folder."""
    here, home = os.getcwd(), os.environ.get("HOME")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        os.environ["HOME"] = folder
        try:
            yield
        finally:
            os.chdir(here)
            os.environ.pop("HOME")
            if home is not None:
                os.environ["HOME"] = home


def answers(column: str) -> dict[str, str]:
    """What each probe of a column finds; by the question."""
    with _a_folder_of_its_own():
        return {question: probes[column]() for question, probes in QUESTIONS.items()}


def table(record: Mapping[str, Any]) -> str:
    """The table of the page, in Markdown."""
    date = datetime.date.fromisoformat(record["date"])
    rows = [
        ["", *(f"{column} {record['versions'][column]}" for column in PEERS)],
        ["---"] * (len(PEERS) + 1),
        *([question, *(record["answers"][column][question] for column in PEERS)] for question in QUESTIONS),
    ]
    lines = [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows]
    return "\n".join([f"Asked on {date:%-d %B %Y}.", "", *lines, ""])


def on_the_page(text: str, record: Mapping[str, Any]) -> str:
    """The text of the page with the table of a record in its place."""
    new, count = _TABLE.subn(lambda found: f"{found[1]}\n{table(record)}\n{found[2]}", text)
    assert count == 1
    return new


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compared", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the answers and the page; needs all packages")
    given = parser.parse_args()
    columns = [name for name, package in PEERS.items() if given.record or importlib.util.find_spec(package)]
    found = {column: answers(column) for column in columns}
    if not given.record:
        for question in QUESTIONS:
            print(question, *(f"    {column}: {found[column][question]}" for column in columns), sep="\n")
        return
    record = {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "versions": {column: importlib.metadata.version(package) for column, package in PEERS.items()},
        "answers": found,
    }
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(on_the_page(PAGE.read_text("utf-8"), record), "utf-8")


if __name__ == "__main__":
    main()
