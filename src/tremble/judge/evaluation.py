"""What profiles from anywhere are worth: expected payoffs, best responses, NashConv.

The passes are in :mod:`tremble.game.evaluation`, what stands for a profile in :mod:`tremble.formats.given_profile`.
"""

from __future__ import annotations

from tremble.formats.given_profile import ProfileLike, given_profile
from tremble.game import evaluation
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.game.tree import GameTree

__all__ = ["best_response", "expected_values", "exploitability", "nash_conv"]


def expected_values(tree: GameTree, strategies: ProfileLike) -> tuple[Number, Number]:
    """Expected payoffs of both players under a profile.

    Parameters
    ----------
    tree : GameTree
    strategies : object
        Whatever stands for a profile: see :func:`nash_conv`.

    Returns
    -------
    pair of Fraction
        Floats if a ``BehaviorStrategy`` holds floats.

    Raises
    ------
    TrembleError
        It is no profile, or of another game.

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
    """What ``player`` can earn at most against the other's strategy, and a pure strategy that earns it.

    Parameters
    ----------
    tree : GameTree
    strategies : object
        Whatever stands for a profile: see :func:`nash_conv`. The responder's own entry is not used.
    player : int
        Who responds: 0 or 1. It must have perfect recall; the other need not.

    Returns
    -------
    value : Fraction or float
        Expected payoff of the responder; exact when the opponent's strategy is.
    strategy : BehaviorStrategy
        The first best action at every information set.

    Raises
    ------
    ImperfectRecallError
    TrembleError
        It is no profile, or of another game.

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
    """What both players together could gain by deviating: 0 exactly at a Nash equilibrium.

    Parameters
    ----------
    tree : GameTree
    strategies : object
        Whatever stands for a profile; all functions that take one take the same:

        * a solution;
        * a pair of strategies, one for each player: a ``BehaviorStrategy``; a dict by information set,
          ``{"Q:cb": {"call": 1}, ...}``; a list of rows, one for each information set; a vector, one number for each
          action (of a one-shot game: a mixed strategy, such as Nashpy's); a policy of OpenSpiel. One dict will do
          for both players if it has labels whose player is clear;
        * a line ``"NE,1/2,1/2,..."`` as Gambit prints it, the path of a file that holds one or is a solution file, and
          what :func:`tremble.read_profile` returns;
        * a mixed profile of pygambit;
        * a policy of OpenSpiel for both players, in C++ or Python, or a function ``state -> {action: probability}``,
          where the tree came from OpenSpiel.

        Labels may be replaced by indices from 0. Actions that a dict leaves out have the probability 0. Information
        sets may be left out where the player's own play never comes; they are completed uniformly.

    Returns
    -------
    Fraction
        A float if a ``BehaviorStrategy`` holds floats. All other floats become the simple fractions nearby that sum to
        one, at most 1e-9 away.

    Raises
    ------
    ImperfectRecallError
        A player forgets, so that its best response is out of reach here.
    TrembleError
        It is no profile, or of another game; the message says as what it was read, and where it breaks.

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
    """Half of NashConv: what an average player could gain by deviating.

    Takes, returns and raises what :func:`nash_conv` does.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]
    >>> tremble.exploitability(kuhn, uniform)
    Fraction(11, 24)
    """
    return nash_conv(tree, strategies) / 2
