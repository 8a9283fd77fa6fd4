"""By doing: a method, a concept and a game are one file and one row each; and the arrows between modules."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest

import grid
import tremble
from command import run
from hostile_games import forgetful_game
from tremble import GameError, LimitReached, methods
from tremble.check import CONCEPTS as CHECKS
from tremble.check import Case
from tremble.check.claim import brief
from tremble.errors import SpecError
from tremble.solution.claim import Claim, MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.concepts import CONCEPTS, Concept
from tremble.solution.stated import StatedSolution
from tremble.solvers.table import METHODS, solvable
from tremble.status import Status

ROOT = Path(__file__).parents[2]
in_a_checkout = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="needs the repository")

# -- a method ----------------------------------------------------------------------------------------

TOY = '''
"""A toy: waits a while, then does what lp does."""

from dataclasses import dataclass, field
from typing import ClassVar

from tremble.errors import GameError
from tremble.solvers.method import Method, constant_sum


def small(tree, concept):
    constant_sum(tree, concept)
    if tree.num_nodes > 100:
        raise GameError("a toy refines small games only")


@dataclass(frozen=True)
class Toy(Method):
    name: ClassVar[str] = "toy"
    summary: ClassVar[str] = "waits, then solves"
    takes: ClassVar = {"tree": {"nash": constant_sum, "quasi-perfect": small}}

    rounds: int = field(default=3, metadata={"help": "How often the toy waits.", "metavar": "N"})
    toy_mood: str = field(default="calm", metadata={"help": "Its mood."})

    def run(self, game, concept, run):
        from tremble.solvers.lp import Lp

        for _ in range(self.rounds):
            run.clock.check()
        return Lp().run(game, concept, run)
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The one file and the one row."""
    (tmp_path / "toy_method.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    import toy_method  # type: ignore[import-not-found]

    monkeypatch.setitem(METHODS, "toy", toy_method.Toy)
    yield toy_method.Toy
    sys.modules.pop("toy_method")


def test_a_toy_method_is_covered_by_the_grid(toy: Any) -> None:
    cells = [cell for cell in grid.cells() if cell[0] == "toy"]
    assert len(cells) == len(solvable()) * len(grid.GAMES)
    solved = [cell for cell in cells if grid.check(cell[0], cell[1], grid.GAMES[cell[2]]()) is not None]
    assert {concept for _, concept, _ in solved} == {"nash", "quasi-perfect"}


def test_a_toy_method_is_refused_where_it_does_not_accept(toy: Any) -> None:
    leduc = tremble.load("leduc:ranks=2,raises=1")
    assert tremble.solve(leduc, method="toy").status is Status.CERTIFIED
    with pytest.raises(GameError, match="small games only"):
        tremble.solve(leduc, "quasi-perfect", "toy")
    with pytest.raises(GameError, match="method toy computes nash, quasi-perfect, not perfect"):
        tremble.solve(leduc, "perfect", toy())


def test_a_toy_method_has_its_options(toy: Any) -> None:
    kuhn = tremble.load("kuhn")
    solution = tremble.solve(kuhn, method="toy", rounds=7, toy_mood="bold")
    assert solution.method == MethodReference("toy", {"rounds": 7, "toy_mood": "bold"})
    assert tremble.solve(kuhn, method=toy(rounds=7, toy_mood="bold")).method == solution.method
    with pytest.raises(SpecError, match="'rounds' is an option of the method toy, not of lp"):
        tremble.solve(kuhn, method="lp", rounds=7)
    with pytest.raises(SpecError, match="unknown option 'depth' of the method toy"):
        tremble.solve(kuhn, method="toy", depth=7)
    with pytest.raises(
        SpecError, match=r"'checkpoint' is an option of the methods double-oracle, branch-and-bound, .*, not of toy"
    ):
        tremble.solve(kuhn, method="toy", checkpoint="never")


def test_a_toy_method_stops_at_a_limit(toy: Any) -> None:
    leduc = tremble.load("leduc")
    with pytest.raises(LimitReached) as caught:
        tremble.solve(leduc, method=toy(rounds=10**12), time_limit=0.2)
    best = caught.value.best
    assert best is not None
    assert best.status is Status.BOUNDED
    assert tremble.verify(leduc, best).ok


def test_a_toy_method_is_on_the_command_line(toy: Any, tmp_path: Path) -> None:
    program = (
        "import sys, toy_method; from tremble.solvers.table import METHODS; METHODS['toy'] = toy_method.Toy; "
        "from tremble.cli import main; main(sys.argv[1:])"
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    shown = " ".join(run("solve", "--help").stdout.split())
    for words in ("toy waits, then solves", "--rounds N How often the toy waits.", "--toy-mood", "Its mood."):
        assert words in shown
    done = run("solve", "kuhn", "--method", "toy", "--rounds", "5", "--format", "json", "-q")
    assert done.returncode == 0
    assert '"options": {"rounds": 5, "toy_mood": "calm"}' in done.stdout
    assert run("solve", "kuhn", "--method", "lp", "--rounds", "5").returncode == 2
    assert run("solve", "leduc", "--method", "toy", "--concept", "quasi-perfect").returncode == 4


# -- a concept ---------------------------------------------------------------------------------------


def check_uniform(case: Case) -> None:
    kind = case.claim.certificate.get("kind")
    case.checked.add("certificate")
    if kind != "coins":
        case.problems.add(f"certificate.kind: {brief(kind)}")
    for player, strategy in enumerate(case.claim.strategies):
        for k, _, first, end in case.form.sequences[player].sets:
            if len(set(strategy.numerator[first - 1 : end - 1])) > 1:
                case.problems.add(f"player {player + 1}, row {k + 1}: not uniform")


UNIFORM = Concept(
    name="uniform",
    words="tossed profile",
    summary="everybody tosses coins",
    proofs=("Everybody tosses coins.",),
    certificate="coins",
)


def test_a_toy_concept_is_one_row_and_one_check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    game = tremble.load("kuhn")
    one, two = (tremble.BehaviorStrategy.uniform(game, player) for player in (0, 1))
    value = Fraction(1, 8)
    stated = StatedSolution(
        game=GameReference.of(game), concept="uniform", requested="uniform", method=MethodReference("by hand", {}),
        status=Status.CERTIFIED, values=(value, -value), bounds=None, strategies=(one, two),
        certificate={"kind": "coins"}, stats={},
    )  # fmt: skip
    assert any("this version cannot check 'uniform'" in problem for problem in tremble.verify(game, stated).problems)
    monkeypatch.setitem(CONCEPTS, "uniform", UNIFORM)
    monkeypatch.setitem(CHECKS, "uniform", check_uniform)
    found = tremble.verify(game, stated)
    assert found.proven == "uniform"
    assert not tremble.verify(game, replace(stated, values=(value, value))).ok
    assert not tremble.verify(game, replace(stated, certificate={"kind": "nonsense"})).ok
    assert "a huge number" in tremble.verify(game, replace(stated, certificate={"kind": 10**5000})).problems[0]
    sure = tremble.BehaviorStrategy.from_rows(game, 0, [[1, *[0] * (len(row) - 1)] for row in game.actions[0]])
    found = tremble.verify(game, replace(stated, strategies=(sure, two)))
    assert not found.ok
    assert any("not uniform" in problem for problem in found.problems)
    forgetful = forgetful_game(3)
    assert "perfect" not in [tremble.classify_recall(forgetful, player) for player in (0, 1)]
    played = tuple(tremble.BehaviorStrategy.uniform(forgetful, player) for player in (0, 1))
    found = tremble.verify(forgetful, replace(stated, game=GameReference.of(forgetful), strategies=played))
    assert "the player forgets" in found.problems[0]  # a row without ``evaluate`` needs best responses
    tremble.write_efg(game, tmp_path / "game.efg")
    stated.to_json(tmp_path / "stated.json")
    done = run("verify", tmp_path / "game.efg", tmp_path / "stated.json")
    assert "a tossed profile of" in done.stdout
    assert "Everybody tosses coins." in done.stdout
    with pytest.raises(SpecError, match="unknown concept 'uniform'"):  # no method computes it
        tremble.solve(tremble.load("kuhn"), "uniform")


def test_a_method_for_a_toy_concept(monkeypatch: pytest.MonkeyPatch) -> None:
    from tremble.solvers.method import Method, Reasons, Takes, perfect_recall

    @dataclass(frozen=True)
    class Tosser(Method):
        name: ClassVar[str] = "tosser"
        summary: ClassVar[str] = "tosses coins"
        takes: ClassVar[Takes] = {"tree": {"uniform": perfect_recall}}
        reasons: ClassVar[Reasons] = {"tree": "nothing else tosses coins"}

        def run(self, game: Any, concept: str, run: Any) -> Claim:
            one, two = (tremble.BehaviorStrategy.uniform(game, player) for player in (0, 1))
            return Claim((one, two), {}, {"kind": "coins"})

    monkeypatch.setitem(CONCEPTS, "uniform", UNIFORM)
    monkeypatch.setitem(CHECKS, "uniform", check_uniform)
    monkeypatch.setitem(METHODS, "tosser", Tosser)
    kuhn = tremble.load("kuhn")
    solution = tremble.solve(kuhn, "uniform")
    assert (solution.concept, solution.status, solution.method.name) == ("uniform", Status.CERTIFIED, "tosser")
    assert solution.values == (Fraction(1, 8), Fraction(-1, 8))
    assert tremble.verify(kuhn, solution).proven == "uniform"
    assert not tremble.verify(kuhn, replace(solution, values=(Fraction(99), Fraction(-7)))).ok


# -- a game ------------------------------------------------------------------------------------------

COIN = '''
"""A toy game."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from tremble.games.parameters import Bounds, Rules
from tremble.game.protocol import TERMINAL


@dataclass(frozen=True)
class ToyCoins(Rules):
    """Player 2 guesses which of some coins player 1 hides."""

    coins: Annotated[int, Bounds(2, 9)] = 2

    @property
    def title(self):
        return f"{self.coins} coins"

    def root(self):
        return ()

    def player(self, h):
        return len(h) if len(h) < 2 else TERMINAL

    def actions(self, h):
        return tuple(map(str, range(self.coins)))

    def chance(self, h):
        return ()

    def child(self, h, i):
        return (*h, i)

    def infoset(self, h):
        return "hide" if not h else "guess"

    def payoff(self, h):
        return (0, 0) if h[0] != h[1] else (-1, 1)
'''


def test_a_toy_game_is_one_file_and_one_row(tmp_path: Path) -> None:
    program = (
        "import sys, tremble.games as games; games.__path__.append('.'); "
        "games.IN_THIS_FOLDER = {**games.IN_THIS_FOLDER, 'toy_coins': 'toy_coins:ToyCoins'}; "
        "from tremble.cli import main; main(sys.argv[1:])"
    )
    (tmp_path / "toy_coins.py").write_text(COIN)

    def run(*arguments: str) -> str:
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "toy_coins" in run("games")
    assert "Player 2 guesses which of some coins player 1 hides." in " ".join(run("games").split())
    assert json.loads(run("info", "toy_coins:coins=3", "--format", "json"))["nodes"]["terminal"] == 9
    assert "-1/3" in run("solve", "toy_coins:coins=3", "--concept", "perfect", "-q")


# -- arrows ------------------------------------------------------------------------------------------


@in_a_checkout
def test_no_circle_among_modules() -> None:
    """Typing imports and imports in functions counted."""
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph("tremble", exclude_type_checking_imports=False, cache_dir=None)
    reach = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    left = dict(reach)
    while left:  # what imports nothing that is left is in no circle
        free = {module for module, imported in left.items() if not imported & left.keys()}
        assert free, f"in circles: {sorted(left)}"
        for module in free:
            del left[module]


@in_a_checkout
def test_the_contracts_say_the_same_everywhere() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert configuration["exclude_type_checking_imports"] is False
    (layers,) = (
        contract["layers"] for contract in configuration["contracts"] if contract.get("containers") == ["tremble"]
    )
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    (drawn,) = re.findall(r"^    (methods .*?)\n\n", contributing, flags=re.MULTILINE | re.DOTALL)
    assert [" | ".join(sorted(layer.split(" | "))) for layer in layers] == [
        " | ".join(sorted(layer.strip().split(" | "))) for layer in " ".join(drawn.split()).split(" > ")
    ]
    source = ROOT / "src" / "tremble"
    named = {name for layer in layers for name in layer.split(" | ")}
    present = {path.stem for path in source.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert named == present - {"__init__", "__main__", "capabilities", "lazy"}
    assert len([path for path in source.iterdir() if path.suffix == ".py"]) <= 17


@in_a_checkout
def test_the_page_on_the_house_names_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    picture = (ROOT / "docs" / "architecture.svg").read_text("utf-8")
    rooms = {path.parent.name for path in (ROOT / "src" / "tremble").glob("*/__init__.py")}
    assert set(re.findall(r"^\| `([a-z]+)` \| ", page, flags=re.MULTILINE)) == rooms
    assert {room for room in rooms if f">{room}</text>" not in picture} == set()


@in_a_checkout
def test_no_concept_and_no_kind_of_certificate_is_compared_with_text() -> None:
    """Differences between concepts stand in rows or in a class. Only checks compare names."""
    names = {kind for row in CONCEPTS.values() for kind in (row.name, row.certificate, *row.other_certificates)}
    compared = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        trusted = "check" in path.parts or path.name.startswith("check")
        for node in () if trusted else ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
                texts = {c.value for part in parts for c in ast.walk(part) if isinstance(c, ast.Constant)}
                if (
                    "recall" not in ast.unparse(node)
                    and texts & names
                    and not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
                ):
                    compared.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert compared == []


@in_a_checkout
def test_families_and_public_methods_are_named() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (named,) = (contract["modules"] for contract in contracts if "tremble.solvers.lp" in contract.get("modules", ()))
    present = {path.stem for path in (ROOT / "src/tremble/solvers").glob("*.py")}
    assert {name.rpartition(".")[2] for name in named} <= present
    assert {kind.__name__ for kind in METHODS.values()} <= set(methods.__all__)
