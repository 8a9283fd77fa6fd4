"""Evaluate profiles from any source: expected payoffs, best responses, NashConv.

:mod:`tremble.game.evaluation` computes the numbers; :mod:`tremble.formats.given_profile` reads the profiles.
"""

from __future__ import annotations

from tremble.formats.given_profile import ProfileLike, given_profile
from tremble.game import evaluation
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.game.tree import GameTree

__all__ = ["best_response", "expected_values", "exploitability", "nash_conv"]


def expected_values(tree: GameTree, strategies: ProfileLike) -> tuple[Number, Number]:
    """Return the expected payoffs of both players under a profile.

    Parameters
    ----------
    tree : GameTree
    strategies : object
        A profile in any form: see :func:`nash_conv`.

    Returns
    -------
    pair of Fraction
        Floats if a ``BehaviorStrategy`` holds floats.

    Raises
    ------
    TrembleError
        ``strategies`` is no profile, or belongs to another game.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.expected_values(kuhn, uniform)
    (Fraction(1, 8), Fraction(-1, 8))
    """
    return evaluation.expected_values(tree, given_profile(tree, strategies).strategies)


def best_response(tree: GameTree, strategies: ProfileLike, player: int) -> tuple[Number, BehaviorStrategy]:
    """Return the greatest payoff of ``player`` against the other's strategy, and a pure strategy that earns it.

    Parameters
    ----------
    tree : GameTree
    strategies : object
        A profile in any form: see :func:`nash_conv`. The responder's own strategy is not used.
    player : int
        The responder: 0 or 1. It needs perfect recall; the other player does not.

    Returns
    -------
    value : Fraction or float
        Expected payoff of the responder; exact if the opponent's strategy is exact.
    strategy : BehaviorStrategy
        The first best action at every information set.

    Raises
    ------
    ImperfectRecallError
        The responder lacks perfect recall.
    TrembleError
        ``strategies`` is no profile, or belongs to another game.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> value, response = tremble.best_response(kuhn, uniform, player=0)
    >>> value, response["J:"]["bet"]
    (Fraction(1, 2), Fraction(1, 1))
    """
    return evaluation.best_response(tree, given_profile(tree, strategies).strategies, player)


def nash_conv(tree: GameTree, strategies: ProfileLike) -> Number:
    """Return NashConv, the sum of both players' gains from best responses: 0 exactly at a Nash equilibrium.

    Parameters
    ----------
    tree : GameTree
    strategies : object
        A profile. All functions that take a profile accept the same forms:

        * a solution;
        * a pair of strategies, one for each player: a ``BehaviorStrategy``; a dict by information set,
          ``{"Q:cb": {"call": 1}, ...}``; a list of rows, one for each information set; a vector, one number for each
          action (in a one-shot game, a mixed strategy, such as Nashpy's); a policy of OpenSpiel. One dict can hold
          both strategies if each label belongs to one player only;
        * a line ``"NE,1/2,1/2,..."`` as Gambit prints it, the path of a file with such a line or of a solution file, or
          the result of :func:`tremble.read_profile`;
        * a mixed profile of pygambit;
        * a policy of OpenSpiel for both players, in C++ or Python, or a function ``state -> {action: probability}``,
          if the tree came from OpenSpiel.

        Indices from 0 can replace labels. Actions that a dict leaves out have the probability 0. Information sets that
        the player's own play never reaches may be left out; they are completed uniformly.

    Returns
    -------
    Fraction
        A float if a ``BehaviorStrategy`` holds floats. All other floats are replaced by simple fractions that sum to
        one, at most 1e-9 away.

    Raises
    ------
    ImperfectRecallError
        A player lacks perfect recall, so this function cannot compute its best response.
    TrembleError
        ``strategies`` is no profile, or belongs to another game; the message says in which form it was read, and where
        the fault is.

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
    return evaluation.nash_conv(tree, given_profile(tree, strategies).strategies)


def exploitability(tree: GameTree, strategies: ProfileLike) -> Number:
    """Return exploitability: half of NashConv, the average gain of a player from a best response.

    Parameters, result and errors are those of :func:`nash_conv`.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.exploitability(kuhn, uniform)
    Fraction(11, 24)
    """
    return nash_conv(tree, strategies) / 2
