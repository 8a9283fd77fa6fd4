"""Explain why a player plays so, for strategies from anywhere; see :mod:`tremble.solution.assessment`."""

from __future__ import annotations

from typing import Any, overload

from tremble.formats.foreign import game_of
from tremble.formats.given_profile import GivenProfile, given_profile
from tremble.game.tree import GameTree
from tremble.solution.assessment import Assessment, not_explained
from tremble.solution.explanation import Explanation, Explanations
from tremble.solution.strategies import of_rules

__all__ = ["assessed", "explain"]


@overload
def explain(game: object, profile: Any, infoset: str | int, *, player: int | None = None) -> Explanation: ...


@overload
def explain(
    game: object, profile: Any, infoset: None = None, *, player: int | None = None, most: int = 10
) -> Explanations: ...


def explain(
    game: object, profile: Any, infoset: str | int | None = None, *, player: int | None = None, most: int = 10
) -> Explanation | Explanations:
    """Why a player plays so at an information set: reach, belief, what every action is worth, what comes after.

    Parameters
    ----------
    game : GameTree, Game, pyspiel.Game or pygambit.Game
    profile : object
        Whatever stands for a profile: see :func:`tremble.nash_conv`. The beliefs of a solution, if it states some,
        stand where its strategies say nothing.
    infoset : str or int, optional
        The set, by its label, or by its index from 0, which needs the player. Without it, the sets that play reaches
        are explained, those first at which the choice matters most to the expected payoff.
    player : int, optional
        0 or 1; needed where both have a set of that label. Without a set: whose sets, by default of both.
    most : int
        How many sets are explained if none is named.

    Returns
    -------
    tremble.results.Explanation, or tremble.results.Explanations
        Printed, it is a few sentences; its attributes hold the exact numbers.

    Raises
    ------
    GameError
        There is no such set, or more than one; the game is not built; the profile is of another one.

    See Also
    --------
    Solution.explain : the same, of what a solver hands out, which knows its game.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load("beer_quiche")
    >>> solution = tremble.solve(game, concept="sequential")
    >>> print(tremble.explain(game, solution, "sees quiche"))
    Player 2 at information set 2 ('sees quiche'): play never comes here, as player 1 never plays towards it.
    It believes, as the solution states, off the path: after weak / quiche 1/2; after strong / quiche 1/2.
    It mixes duel 1/2 and leave 1/2, each of which earns 1/2.
    It is indifferent between them: how it mixes matters for what player 1 does.
    After duel or leave, player 1 moves no more.
    """
    if of_rules(profile) is not None:
        raise not_explained()
    tree = game_of(game)
    if not isinstance(tree, GameTree):
        raise not_explained()
    known, _ = assessed(tree, profile)
    return known.most_at_stake(most, player) if infoset is None else known.explained(*known.place(infoset, player))


def assessed(tree: GameTree, profile: Any) -> tuple[Assessment, GivenProfile]:
    """Whatever stands for a profile of a tree, with all that can be asked of its sets, and as what it was read."""
    given = given_profile(tree, profile, exact=True)
    return Assessment(tree, given.strategies, given.beliefs, rounded=given.rounded), given
