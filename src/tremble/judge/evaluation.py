"""Evaluate profiles from any source: expected payoffs, best responses, NashConv.

:mod:`tremble.formats.given_profile` reads the profiles, and :mod:`tremble.game.evaluation` computes the numbers.
"""

from __future__ import annotations

from typing import Any, overload

from tremble.errors import GameError
from tremble.formats.given_profile import ProfileLike, given_profile
from tremble.game import evaluation
from tremble.game.adapter import Responses
from tremble.game.rules import UnbuiltGame, not_built
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.game.tree import GameTree
from tremble.judge.rules_given import rules_given, the_tree

__all__ = ["best_response", "expected_values", "exploitability", "nash_conv"]


def _responses(game: GameTree | UnbuiltGame, strategies: ProfileLike) -> Responses | None:
    """Return the values of a profile of a game that is not built, or None if the game is a tree."""
    given = rules_given(game, strategies)
    return None if given is None else given[0].respond(given[1][0])


def expected_values(tree: GameTree | UnbuiltGame, strategies: ProfileLike) -> tuple[Number, Number]:
    """Return the expected payoffs of both players under a profile.

    Parameters
    ----------
    tree : GameTree or UnbuiltGame
    strategies : object
        A profile. :func:`nash_conv` lists the accepted forms.

    Returns
    -------
    pair of Fraction
        The payoffs are floats if a ``BehaviorStrategy`` contains floats.

    Raises
    ------
    TrembleError
        ``strategies`` is not a profile, or the profile belongs to another game.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.expected_values(kuhn, uniform)
    (Fraction(1, 8), Fraction(-1, 8))
    """
    found = _responses(tree, strategies)
    if found is not None:
        return found.values
    tree = the_tree(tree)
    return evaluation.expected_values(tree, given_profile(tree, strategies).strategies)


@overload
def best_response(tree: GameTree, strategies: ProfileLike, player: int) -> tuple[Number, BehaviorStrategy]: ...


@overload
def best_response(tree: UnbuiltGame, strategies: ProfileLike, player: int) -> tuple[Number, Any]: ...


def best_response(tree: GameTree | UnbuiltGame, strategies: ProfileLike, player: int) -> tuple[Number, Any]:
    """Return the greatest expected payoff of ``player`` against the opponent's strategy, and a best response.

    Parameters
    ----------
    tree : GameTree or UnbuiltGame
    strategies : object
        A profile. :func:`nash_conv` lists the accepted forms. The function ignores the responder's own strategy.
    player : int
        The responder: 0 or 1. Only the responder needs perfect recall.

    Returns
    -------
    value : Fraction or float
        The expected payoff of the responder. The value is exact if the opponent's strategy is exact.
    strategy : BehaviorStrategy, or OrderedStrategy for a flop, turn or river of Texas Hold'em that is not built
        A pure best response. If multiple actions are best at an information set, it plays the first of them.

    Raises
    ------
    ImperfectRecallError
        The responder lacks perfect recall.
    TrembleError
        ``strategies`` is not a profile, or the profile belongs to another game.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> value, response = tremble.best_response(kuhn, uniform, player=0)
    >>> value, response["J:"]["bet"]
    (Fraction(1, 2), Fraction(1, 1))
    """
    given = rules_given(tree, strategies)
    if given is not None:
        kind, (pair,) = given
        found: tuple[Number, Any] | None = kind.best_response(pair, player)
        if found is None:
            raise not_built()
        return found
    tree = the_tree(tree)
    return evaluation.best_response(tree, given_profile(tree, strategies).strategies, player)


def nash_conv(tree: GameTree | UnbuiltGame, strategies: ProfileLike) -> Number:
    """Return NashConv, the sum of both players' gains from best responses.

    NashConv is 0 if the profile is a Nash equilibrium, and positive otherwise.

    Parameters
    ----------
    tree : GameTree or UnbuiltGame
        The game. If it is not built as a tree, the profile is a solution, a pair of its strategies, or the path of a
        solution file.
    strategies : object
        A profile. All functions that take a profile accept the same forms:

        * a solution;
        * a pair with one strategy for each player;
        * a dict with the strategies of both players, if each label belongs to only one player;
        * a line ``"NE,1/2,1/2,..."`` in the format of Gambit;
        * the path of a solution file, or of a file with a line in the format of Gambit;
        * the result of :func:`tremble.read_profile`;
        * a mixed profile of pygambit;
        * a policy of OpenSpiel for both players, in C++ or Python, if the tree was converted from OpenSpiel;
        * a function ``state -> {action: probability}``, if the tree was converted from OpenSpiel.

        Each strategy in a pair can have one of these forms:

        * a ``BehaviorStrategy``;
        * a dict by information set, ``{"Q:cb": {"call": 1}, ...}``;
        * a list with one list of probabilities for each information set;
        * a vector with one probability for each action; in a one-shot game this is a mixed strategy, as in Nashpy;
        * a policy of OpenSpiel.

        Indices from 0 can replace labels. Actions that a dict omits have the probability 0. A dict can omit an
        information set that the player's own strategy never reaches. All actions at this set get equal probabilities.

    Returns
    -------
    Fraction
        The result is a float if a ``BehaviorStrategy`` contains floats. In all other forms, floats are replaced by
        simple fractions that sum to one. Each fraction differs from its float by at most 1e-9.

    Raises
    ------
    ImperfectRecallError
        A player lacks perfect recall, so this function cannot compute the player's best response.
    TrembleError
        ``strategies`` is not a profile, or the profile belongs to another game. The message names the recognized form
        of the profile and the place of the error.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.nash_conv(kuhn, uniform)
    Fraction(11, 12)
    >>> tremble.nash_conv(kuhn, ([0.5, 0.5] * 6, [0.5, 0.5] * 6))
    Fraction(11, 12)
    >>> meek = {"J:": {"check": 1}, "Q:": {"check": 1}, "K:": {"check": 1}, "J:cb": {"fold": 1}, "Q:cb": {"fold": 1},
    ...         "K:cb": {"call": 1}}
    >>> tremble.nash_conv(kuhn, [meek, uniform[1]])
    Fraction(2, 3)
    >>> tremble.nash_conv(kuhn, [{"J:": {"bet": 1}, "Q:": {"check": 1}, "K:": {"bet": 1}}, uniform[1]])
    Traceback (most recent call last):
    tremble.errors.GameError: the dict by information set: no probabilities are given for player 1, ...
    """
    found = _responses(tree, strategies)
    if found is not None:
        if found.nash_conv is None:
            raise GameError("; ".join(reason for reason in found.reasons if reason))
        return found.nash_conv
    tree = the_tree(tree)
    return evaluation.nash_conv(tree, given_profile(tree, strategies).strategies)


def exploitability(tree: GameTree | UnbuiltGame, strategies: ProfileLike) -> Number:
    """Return the exploitability of a profile, which is half of NashConv.

    Exploitability is the average of both players' gains from best responses. :func:`nash_conv` describes the
    parameters, the type of the result and the errors.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.exploitability(kuhn, uniform)
    Fraction(11, 24)
    """
    return nash_conv(tree, strategies) / 2
