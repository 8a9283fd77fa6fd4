"""The grid of all methods, concepts and small games of many kinds, made from the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import tremble
from hand_made import random_game
from hostile_games import forgetful_game, hostile_game
from tremble import GameError, GameTree, Solution, UnbuiltGame
from tremble.games.parameters import parse_spec
from tremble.solution.concepts import CONCEPTS
from tremble.solution.trembles import Trembles
from tremble.solvers.table import METHODS, solvable
from tremble.status import Status

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
    trembles = None
    if CONCEPTS[concept].one_sided:
        faultless = next((i for i in (0, 1) if isinstance(game, GameTree) and game.num_slots[i]), None)
        if faultless is None or not isinstance(game, GameTree):
            return None  # nobody could make a mistake, or be said to make none
        ones = [[[1] * len(labels) for labels in sets] for sets in game.actions]
        trembles = Trembles.from_rows(game, ["none" if i == faultless else ones[i] for i in (0, 1)])
    if concept in kind.concepts():
        try:
            kind().accepts(game, concept)
        except GameError as error:
            refusal = error
    if concept not in kind.concepts() or refusal is not None:
        with pytest.raises(GameError) as caught:
            tremble.solve(game, concept, method, trembles=trembles)
        assert str(caught.value)
        if refusal is not None:
            assert (type(caught.value), str(caught.value)) == (type(refusal), str(refusal))
        return None
    try:
        solution = tremble.solve(game, concept, method, trembles=trembles)
    except GameError as error:  # what programs for who forgets need of the opponent, they say themselves
        if CONCEPTS[concept].of_player and "recall" in str(error):
            return None
        raise
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
