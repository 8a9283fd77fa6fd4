"""Every method on every concept on small games of many kinds: proven, or refused with a reason.

The grid is made from the tables; a new method or concept is in it without another line.
"""

from __future__ import annotations

import inspect
from fractions import Fraction
from functools import cache

import pytest

import tremble
from grid import GAMES, cells, check
from tremble import GameTree
from tremble.cli.solve import solve
from tremble.solvers.method import options_of
from tremble.solvers.table import METHODS


@cache
def value_of(game: str) -> Fraction:
    played = GAMES[game]()
    assert isinstance(played, GameTree)
    return tremble.solve(played).value


@pytest.mark.parametrize(("method", "concept", "game"), list(cells()))
def test_cell(method: str, concept: str, game: str) -> None:
    played = GAMES[game]()
    solution = check(method, concept, played)
    if solution is not None and isinstance(played, GameTree) and game != "forgetful":  # which has no value
        assert solution.bounds is not None
        assert solution.bounds[0] <= value_of(game) <= solution.bounds[1]


@pytest.mark.parametrize("name", [name for name, kind in METHODS.items() if "nash" in kind.concepts()])
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
    with pytest.raises(tremble.errors.SpecError, match="method"):
        tremble.solve(tremble.load("kuhn"), method=method)  # type: ignore[arg-type]


def test_options_have_one_owner_each() -> None:
    """A method's options are parameters of solve and of the command line: no name may mean two things."""
    fields = [field for kind in METHODS.values() for field in options_of(kind)]
    names = [name for name, _ in {(field.name, field.metadata["help"]) for field in fields}]
    assert len(names) == len(set(names))
    assert not set(names) & set(inspect.signature(tremble.solve).parameters)
    on_the_command_line = [parameter.name for parameter in solve.params]
    assert len(on_the_command_line) == len(set(on_the_command_line))
