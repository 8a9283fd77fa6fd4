"""What people type: concepts, methods, games, parameters, options and commands, nearly right; and games of three."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tremble
from command import run
from tremble import TERMINAL, PlayersError
from tremble.arguments import near_misses, plain
from tremble.errors import SpecError, TrembleWarning
from tremble.solution.concepts import CONCEPTS
from tremble.solvers.elsewhere import ELSEWHERE, Elsewhere
from tremble.solvers.table import METHODS, choose, concept_named, method_named

ALIASES = {
    "nash": ["NE", "Nash", "nash ", "nash equilibrium", "BNE", "bayes-nash", "Bayes-Nash equilibrium"],
    "quasi-perfect": ["qpe", "QPE", "quasiperfect", "Quasi_Perfect", "quasi perfect"],
    "sequential": ["SE", "Sequential"],
    "perfect": ["EFPE", "extensive-form perfect", "Perfect", "THPE"],
    "proper": ["myerson", "Myerson", "proper equilibrium"],
    "maxmin": ["MaxMin", "max-min"],
}
METHOD_WORDS = {
    "lp": ["LP", "Lp"],
    "double-oracle": ["double_oracle", "Double Oracle", "do"],
    "cfr+": ["CFR+", "cfr plus"],
    "branch-and-bound": ["Branch and Bound", "BnB"],
    "interior-point": ["IPM", "interior_point"],
    "auto": ["AUTO"],
}


def test_concepts_have_other_names() -> None:
    for name, others in ALIASES.items():
        for word in (name, *others):
            assert concept_named(word) == name
            assert choose(tremble.load("kuhn"), word) == choose(tremble.load("kuhn"), name)


def test_methods_have_other_names() -> None:
    for name, others in METHOD_WORDS.items():
        for word in (name, *others):
            assert method_named(word) == name


def test_no_word_means_two_things() -> None:
    rows = CONCEPTS.values()
    concepts = [word for row in rows for word in {plain(w) for w in (row.name, *row.aliases)}]
    elsewhere = [word for row in ELSEWHERE for word in {plain(w) for w in row.words}]
    concepts += elsewhere
    concepts += [
        plain(word)
        for row in rows
        for weaker in row.answers
        for word in weaker.words
        if weaker.words[0] not in CONCEPTS
    ]
    assert len(concepts) == len(set(concepts))
    methods = elsewhere + [word for row in METHODS.values() for word in {plain(w) for w in (row.name, *row.aliases)}]
    assert len(methods) == len(set(methods))


def test_files_hold_the_names_of_the_contract() -> None:
    kuhn = tremble.load("kuhn")
    solution = tremble.solve(kuhn, "QPE", "LP")
    assert (solution.concept, solution.requested, solution.method.name) == ("quasi-perfect", "quasi-perfect", "lp")
    assert tremble.certify(kuhn, solution, "Quasi Perfect").requested == "quasi-perfect"
    assert {s.requested for s in tremble.solve_several(kuhn, 1, "SE")} == {"sequential"}


@pytest.mark.parametrize("word", ["spe", "SPE", "SPNE", "subgame-perfect", "subgame perfect"])
def test_subgame_perfect_is_answered_by_sequential(word: str) -> None:
    game = tremble.load("battle_outside")
    with pytest.warns(TrembleWarning, match="subgame-perfect is answered by sequential: a sequential equilibrium is"):
        solution = tremble.solve(game, word)
    assert (solution.concept, solution.requested) == ("sequential", "sequential")
    assert tremble.certify(game, solution, word).concept == "subgame-perfect"  # which is judged by itself


@pytest.mark.parametrize("word", ["PBE", "perfect bayesian", "Perfect Bayesian equilibrium"])
def test_perfect_bayesian_is_answered_by_sequential(word: str) -> None:
    game = tremble.load("beer_quiche")
    with pytest.warns(TrembleWarning, match="perfect Bayesian is answered by sequential: a sequential equilibrium is"):
        solution = tremble.solve(game, word)
    assert solution.concept == "sequential"
    with pytest.raises(SpecError, match="a proof holds for perfect Bayesian equilibria too, but a refutation does not"):
        tremble.certify(game, solution, word)


@pytest.mark.parametrize("word", ["subgame-perfect", "spe", "pbe", "thpe", "myerson", "bne"])
def test_words_that_work_are_listed(word: str) -> None:
    with pytest.raises(SpecError, match=rf"choose from: .*\b{word}\b"):
        concept_named("best")
    assert word in " ".join(run("solve", "--help").stdout.split()).replace("- ", "-")  # lines break at hyphens


def test_help_of_certify_lists_the_words_that_it_takes() -> None:
    told = run("certify", "--help").stdout
    assert "myerson" in told
    assert "pbe" not in told


# -- what other programs compute -----------------------------------------------------------------


NAMED_ELSEWHERE = [
    "correlated", "cce", "qre", "logit", "stackelberg", "ess", "rationalizable", "support-enumeration",
    "fictitious-play",
]  # fmt: skip
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("word", NAMED_ELSEWHERE)
def test_what_tremble_does_not_compute_is_explained(word: str) -> None:
    (row,) = [row for row in ELSEWHERE if word in row.words]
    kuhn = tremble.load("kuhn")
    calls: list[Callable[[], Any]] = [
        lambda: tremble.solve(kuhn, word),
        lambda: tremble.solve(kuhn, method=word.upper().replace("-", " ")),
        lambda: tremble.certify(kuhn, tremble.solve(kuhn), word),
        lambda: tremble.all_equilibria(kuhn, word),
    ]
    for call in calls:
        with pytest.raises(SpecError, match="tremble does not compute") as caught:
            call()
        assert row.what in str(caught.value)
        assert row.where in str(caught.value)
    for arguments in (["solve", "kuhn", "--concept", word], ["solve", "kuhn", "--method", word]):
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (2, "")
        assert f"tremble does not compute '{word}'; {row.where}" in done.stderr
        assert "{" not in done.stderr


@pytest.mark.parametrize("row", ELSEWHERE, ids=lambda row: row.words[0])
def test_the_programs_named_have_what_is_named(row: Elsewhere) -> None:
    for program, function in row.programs:
        package = function.partition(".")[0]
        if program.startswith("the R package"):
            continue
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
        assert _exists(function), function


def _exists(dotted: str) -> bool:
    """Whether a module, or what stands in one, is there; a module is not imported, as it may need more packages."""
    parent, _, name = dotted.rpartition(".")
    try:
        if importlib.util.find_spec(dotted) is not None:
            return True
    except ModuleNotFoundError:  # the parent is no package
        pass
    try:
        module = importlib.util.find_spec(parent)
    except ModuleNotFoundError:
        module = None
    if module is not None and module.origin is not None:
        return bool(re.search(rf"^(def|class) {name}\b", Path(module.origin).read_text("utf-8"), re.MULTILINE))
    module_name, _, kind = parent.rpartition(".")
    return hasattr(getattr(importlib.import_module(module_name), kind), name)


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="needs the repository")
def test_the_page_lists_what_other_programs_compute() -> None:
    page = (ROOT / "docs" / "compared.md").read_text("utf-8")
    section = page.partition("## Words for what tremble does not compute\n")[2].partition("\n## ")[0]
    cells = [line.split("|") for line in section.splitlines() if line.startswith("|")]
    # Names in the other columns have code marks on the page, and none in messages.
    table = ["|".join((*row[:2], *(cell.replace("`", "") for cell in row[2:]))) for row in cells]
    rows = [
        f"| {', '.join(f'`{word}`' for word in row.words[:2])} | {row.what} | {row.where} "
        f"| {row.instead.format(lists='tremble.all_equilibria, or --all on the command line')} |"
        for row in ELSEWHERE
    ]
    assert table == ["| word | what it is | who computes it | in tremble |", "|---|---|---|---|", *rows]


NEARLY = [
    (
        lambda: concept_named("nahs"),
        r"unknown concept 'nahs'; did you mean nash\? Choose from: nash \(ne, bne\), quasi-perfect",
    ),
    (lambda: concept_named("quasi"), r"did you mean quasi-perfect\? Choose"),
    (lambda: concept_named("subgame"), r"did you mean subgame-perfect\? Choose"),
    (lambda: concept_named("best"), r"unknown concept 'best'; choose from: nash"),
    (lambda: concept_named(None), r"unknown concept None; choose from: nash"),
    (lambda: method_named("dobule-oracle"), r"did you mean double-oracle"),
    (lambda: tremble.load("kuhnn"), r"did you mean kuhn"),
    (lambda: tremble.load("Beer Quiche"), r"did you mean beer_quiche\?"),
    (lambda: tremble.load("leduc:rank=3"), r"no parameter 'rank'; did you mean ranks\? Its parameters: ranks, raises"),
    (lambda: tremble.solve(tremble.load("kuhn"), "nash", "double-oracle", polcy="worse"), r"did you mean policy\?"),
    (lambda: tremble.solve(tremble.load("kuhn"), time_limits=1), r"did you mean time_limit\?"),
    (lambda: tremble.solve(tremble.load("kuhn"), "nash", "double-oracle", policy="wors"), r"did you mean worse\?"),
]


@pytest.mark.parametrize(("call", "words"), NEARLY)
def test_near_misses_are_named(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        call()


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(AttributeError, match=r"module 'tremble' has no attribute 'slove'; did you mean solve"):
        tremble.slove  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(tremble, "__wrapped__")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["slove", "kuhn"], "No such command 'slove'; did you mean solve?"),
        (["kuhn"], "to solve this game, use: tremble solve kuhn"),
        (["leduc:ranks=4"], "to solve this game, use: tremble solve leduc:ranks=4"),
        (["my.efg"], "to solve this game, use: tremble solve my.efg"),
        (["xyz"], "the commands are audit, "),
        (["solve", "kuhn", "--concept", "nahs"], "did you mean nash?"),
        (["solve", "kuhn", "--methd", "lp"], "--method"),
        (["solve", "kuhn", "--method", "cfr++"], "did you mean cfr"),
        (["certify", "kuhn", "none.json", "--concept", "pbe"], "ask for sequential"),
    ],
)
def test_the_command_line_names_them(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_the_command_line_reads_words_and_writes_names() -> None:
    done = run("solve", "kuhn", "--concept", "QPE", "--method", "Lp", "--format", "json")
    assert done.exit_code == 0
    assert '"concept": "quasi-perfect"' in done.stdout
    assert '"requested": "quasi-perfect"' in done.stdout
    done = run("solve", "kuhn", "--concept", "spe", "--format", "json")
    assert "warning: subgame-perfect is answered by sequential" in done.stderr
    assert '"requested": "sequential"' in done.stdout


def test_long_words_and_many_cost_nothing() -> None:
    assert near_misses("x" * 10**7, ["x" * 10**6, "y"]) == ["x" * 10**6]
    assert near_misses("zzz", (f"label {k}" for k in range(10**6))) == []


# -- games of three ------------------------------------------------------------------------------


class OfThree:
    """Three players, by the payoffs or by who moves."""

    def __init__(self, mover: int, payoffs: tuple[int, ...]) -> None:
        self.mover, self.payoffs = mover, payoffs

    def root(self) -> int:
        return 0

    def player(self, h: int) -> int:
        return TERMINAL if h else self.mover

    def actions(self, h: int) -> tuple[str, ...]:
        return ("a", "b")

    def chance(self, h: int) -> Any:
        raise LookupError

    def child(self, h: int, i: int) -> int:
        return i + 1

    def infoset(self, h: int) -> str:
        return "k"

    def payoff(self, h: int) -> tuple[int, ...]:
        return self.payoffs


EFG = 'EFG 2 R "three" { "1" "2" "3" }\np "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1, 2, 3 }\nt "" 2 "" { 1, 2, 3 }\n'
NFG = 'NFG 1 R "three" { "1" "2" "3" } { 1 1 1 } 1 2 3\n'


@pytest.mark.parametrize(
    "call",
    [
        lambda: tremble.read_efg(EFG),
        lambda: tremble.read_nfg(NFG),
        lambda: tremble.build(OfThree(0, (1, 2, 3))),  # type: ignore[arg-type]
        lambda: tremble.build(OfThree(2, (1, 2))),  # type: ignore[arg-type]
        lambda: tremble.solve(OfThree(0, (1, 2, 3))),
        lambda: tremble.solve(OfThree(2, (1, 2))),
        lambda: tremble.TreeBuilder().decision(2, "k", ("a", "b")),
        lambda: tremble.TreeBuilder(players=("1", "2", "3")),  # type: ignore[arg-type]
        lambda: tremble.matrix_game([[1]], [[1]], [[1]]),
        lambda: tremble.matrix_game([[1]], players=("1", "2", "3")),  # type: ignore[arg-type]
    ],
)
def test_a_game_of_three_players_names_gambit(call: Callable[[], Any]) -> None:
    with pytest.raises(PlayersError, match="Gambit"):
        call()


def test_a_game_of_three_players_of_openspiel_names_gambit() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    for game in ("kuhn_poker(players=3)", pyspiel.load_game("kuhn_poker(players=3)")):
        with pytest.raises(PlayersError, match="3 players; tremble solves two-player games: for more, use Gambit"):
            tremble.load(f"openspiel:{game}") if isinstance(game, str) else tremble.build(game)


@pytest.mark.peers
def test_a_game_of_three_players_of_gambit_names_gambit() -> None:
    pygambit = pytest.importorskip("pygambit")
    for game in (pygambit.Game.new_tree(players=["1", "2", "3"]), pygambit.Game.new_table([1, 1, 1])):
        with pytest.raises(PlayersError, match="3 players; tremble solves two-player games: for more, use Gambit"):
            tremble.solve(game)


def test_one_player_is_told_what_to_do() -> None:
    with pytest.raises(PlayersError, match="1 player; tremble solves two-player games: add a player who never"):
        tremble.read_efg('EFG 2 R "alone" { "1" }\nt "" 1 "" { 1 }\n')
