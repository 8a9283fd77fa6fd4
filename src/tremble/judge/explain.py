"""Explain a player's choices in a profile. :mod:`tremble.solution.assessment` computes the explanations."""

from __future__ import annotations

from typing import Any, overload

from tremble.formats.foreign import game_of
from tremble.formats.given_profile import GivenProfile, given_profile
from tremble.game.tree import GameTree
from tremble.judge.rules_given import rules_given
from tremble.solution.assessment import Assessment, not_explained
from tremble.solution.claims import of_rules
from tremble.solution.explanation import Explanation, Explanations

__all__ = ["assessed", "explain"]

Place = str | int | tuple[str, str]


@overload
def explain(game: object, profile: Any, infoset: Place, *, player: int | None = None) -> Explanation: ...


@overload
def explain(
    game: object, profile: Any, infoset: None = None, *, player: int | None = None, most: int = 10
) -> Explanations: ...


def explain(
    game: object, profile: Any, infoset: Place | None = None, *, player: int | None = None, most: int = 10
) -> Explanation | Explanations:
    """Explain a player's choice at an information set: reach, belief, value of each action, and the next moves.

    Parameters
    ----------
    game : GameTree, Game, pyspiel.Game or pygambit.Game
    profile : object
        A profile. :func:`tremble.nash_conv` lists the accepted forms. If the strategies of a solution do not determine
        a belief, the function uses the belief that the solution states.
    infoset : str, int or pair of str, optional
        The label of the information set, or its index from 0. An index needs ``player``. On a flop, turn or river of
        Texas Hold'em, a hand and the moves before the decision: :meth:`Solution.explain`. By default, the function
        explains the information sets that play reaches (not for flops). The first set is the one where the choice has
        the greatest effect on the expected payoff.
    player : int, optional
        The player who moves at the information set: 0 or 1. It is needed if both players have a set with this label.
        If ``player`` is given without ``infoset``, the function explains only this player's sets.
    most : int
        The greatest number of sets to explain if no ``infoset`` is given.

    Returns
    -------
    tremble.results.Explanation, or tremble.results.Explanations
        The result prints as a few sentences. Its attributes contain the exact numbers.

    Raises
    ------
    GameError
        No information set has this label, or both players have a set with this label. Or the game's tree is not built,
        or the profile belongs to another game.

    See Also
    --------
    Solution.explain : explain a choice in a solution that a solver returned. This method needs no game.

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
    rules = rules_given(game, profile)
    known: Any = None
    if rules is not None:
        kind, (pair,) = rules
        known = kind.assessment(pair)
    elif of_rules(profile) is None and isinstance(tree := game_of(game), GameTree):
        known, _ = assessed(tree, profile)
    if known is None:
        raise not_explained()
    found: Explanation | Explanations
    found = known.most_at_stake(most, player) if infoset is None else known.explained(*known.place(infoset, player))
    return found


def assessed(tree: GameTree, profile: Any) -> tuple[Assessment, GivenProfile]:
    """Read a profile in any form. Return its assessment (strategies, beliefs, values) and a ``GivenProfile``."""
    given = given_profile(tree, profile, exact=True)
    return Assessment(tree, given.strategies, given.beliefs, rounded=given.rounded), given
