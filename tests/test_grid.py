"""Every method on every concept on small games of many kinds: proven, or refused with a reason.

The grid is made from the tables; a new method or concept is in it without another line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator

import pytest

import tremble
from hand_made import random_game
from hostile_games import forgetful_game, hostile_game
from tremble import GameError, GameTree, Solution, UnbuiltGame
from tremble.cli.solve import solve
from tremble.games import parse_spec
from tremble.solution.heading import Status
from tremble.solvers.method import options_of
from tremble.solvers.table import METHODS, solvable

AnyGame = GameTree | UnbuiltGame

GAMES: dict[str, Callable[[], AnyGame]] = {
    "kuhn": lambda: tremble.load("kuhn"),
    "guess_the_ace": lambda: tremble.load("guess_the_ace"),
    "goofspiel:cards=2": lambda: tremble.load("goofspiel:cards=2"),
    "constant sum": lambda: hostile_game("constant sum", 3, most=25),
    "degenerate": lambda: hostile_game("degenerate", 5, most=25),
    "impossible chance": lambda: hostile_game("impossible chance", 2, most=25),
    "one player": lambda: hostile_game("one player", 1, most=25),
    "root ends": lambda: hostile_game("root ends", 0),
    "general sum": lambda: random_game(8, 3, zero_sum=False),
    "forgetful": lambda: forgetful_game(3),
    "rules": lambda: UnbuiltGame.of(parse_spec("kuhn")[0]),
}


def cells() -> Iterator[tuple[str, str, str]]:
    """Method, concept, game: all there are."""
    return ((method, concept, game) for method in METHODS for concept in solvable() for game in GAMES)


def check(method: str, concept: str, game: AnyGame) -> Solution | None:
    """What a cell of the grid has to hold; None where the method says no."""
    kind = METHODS[method]
    refusal: GameError | None = None
    if concept in kind.concepts:
        try:
            kind().accepts(game, concept)
        except GameError as error:
            refusal = error
    if concept not in kind.concepts or refusal is not None:
        with pytest.raises(GameError) as caught:
            tremble.solve(game, concept, method)
        assert str(caught.value)
        if refusal is not None:
            assert (type(caught.value), str(caught.value)) == (type(refusal), str(refusal))
        return None
    solution = tremble.solve(game, concept, method)
    assert solution.requested == concept
    assert solution.method.name == method
    if kind.approximate and solution.status is not Status.CERTIFIED:
        assert (solution.status, solution.concept) == (Status.BOUNDED, "nash")
    else:
        assert (solution.status, solution.concept) == (Status.CERTIFIED, concept)
    again = tremble.verify(game, Solution.from_text(solution.to_text()))
    assert again.ok, again.problems
    assert again.proven == solution.verification.proven
    return solution


@pytest.mark.parametrize(("method", "concept", "game"), list(cells()))
def test_cell(method: str, concept: str, game: str) -> None:
    played = GAMES[game]()
    solution = check(method, concept, played)
    if solution is not None and isinstance(played, GameTree):
        value = tremble.solve(played).value
        assert solution.bounds is not None
        assert solution.bounds[0] <= value <= solution.bounds[1]


@pytest.mark.parametrize("name", [name for name, kind in METHODS.items() if "nash" in kind.concepts])
def test_a_method_is_a_name_or_a_value(name: str) -> None:
    if name == "interior-point":  # which takes ordered games alone
        game = tremble.load_rules("jk_four_cards")
        bounds = [tremble.solve(game, method=method).bounds for method in (name, METHODS[name]())]
        assert bounds[0] == bounds[1]
        return
    tree = tremble.load("kuhn")
    by_name, by_value = tremble.solve(tree, method=name), tremble.solve(tree, method=METHODS[name]())
    one, two = (solution.to_text().partition('"stats"')[0] for solution in (by_name, by_value))
    assert one == two


@pytest.mark.parametrize("method", [METHODS["lp"], 3, "simplex"])
def test_what_is_no_method(method: object) -> None:
    with pytest.raises(tremble.SpecError, match="method"):
        tremble.solve(tremble.load("kuhn"), method=method)  # type: ignore[arg-type]


def test_options_have_one_owner_each() -> None:
    """A method's options are parameters of solve and of the command line: no name may mean two things."""
    options = {option for kind in METHODS.values() for option in options_of(kind)}
    names = [option.name for option in options]
    assert len(names) == len(set(names))
    assert not set(names) & set(inspect.signature(tremble.solve).parameters)
    on_the_command_line = [parameter.name for parameter in solve.params]
    assert len(on_the_command_line) == len(set(on_the_command_line))
