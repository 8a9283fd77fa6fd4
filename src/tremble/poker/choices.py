"""What a strategy of an ordered game does with the hands themselves, which it states by their classes."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.poker.deals import Deals
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.strategy import OrderedStrategy

if TYPE_CHECKING:
    from tremble.poker.filtered import FilteredRound  # needs SciPy

__all__ = ["line_number", "own_node", "probabilities", "weights_at"]

IntArray = NDArray[np.int64]
Whole = NDArray[np.int64] | NDArray[np.object_]


def own_node(game: OrderedGame, number: int, public: Signals, private: Signals) -> int:
    """The number of the own node of a player who has been dealt just this up to a round.

    Raises
    ------
    GameError
        It cannot be dealt.
    """
    deals = Deals.of(game).rounds[number]
    if (deals.public.shape[1], deals.hands.shape[2]) == (len(public), len(private)):
        for state in np.flatnonzero((deals.public == np.array(public, dtype=np.int8)).all(axis=1)).tolist():
            hand = np.flatnonzero((deals.hands[state] == np.array(private, dtype=np.int8)).all(axis=1))
            if len(hand):
                return state * deals.num_hands + int(hand[0])
    raise GameError(
        f"{game.hand_text(public, private, ()) or 'nothing'} is not dealt to a player in round {number + 1}"
    )


def line_number(rounds: Iterable[Round | FilteredRound], nodes: Iterable[int]) -> int:
    """The number of a line of the rounds before: the leaf of every stage, as weights have it."""
    number = 0
    for round_, leaf in zip(rounds, nodes, strict=False):
        number = number * len(round_.stage.going_on) + round_.stage.going_on.index(leaf)
    return number


def weights_at(game: OrderedGame, strategy: OrderedStrategy, number: int, nodes: IntArray, lines: IntArray) -> Whole:
    """Weights of all sequences of a stage, the empty one first: own nodes and lines of the rounds before, [n, S, L].

    Of hands that the player is never dealt they mean nothing.
    """
    stated: Any = strategy.weight[number][strategy.class_of[number][nodes]]
    if not np.array_equal(lines, np.arange(stated.shape[2])):
        stated = stated[:, :, lines]
    if strategy.denominator >= 2**63:
        stated = stated.astype(object)
    if number == 0:
        first: Any = np.full((len(nodes), 1, len(lines)), strategy.denominator, dtype=stated.dtype)
        return np.concatenate([first, stated], axis=1)
    stage = game.rounds[number - 1].stage
    before, leaf = np.divmod(lines, len(stage.going_on))
    came = np.array([stage.side(strategy.player).last[node] for node in stage.going_on])[leaf]
    earlier, inverse = np.unique(Deals.of(game).rounds[number].earlier[nodes], return_inverse=True)
    above, of_line = np.unique(before, return_inverse=True)
    weights = weights_at(game, strategy, number - 1, earlier, above)[:, came, of_line]
    return np.concatenate([weights[inverse][:, None, :], stated], axis=1)


def probabilities(
    game: OrderedGame, strategy: OrderedStrategy, public: Signals, private: Signals, nodes: tuple[int, ...]
) -> tuple[Fraction, ...]:
    """What a player does at one of its information sets.

    Parameters
    ----------
    game : OrderedGame
    strategy : OrderedStrategy
    public, private : tuple of int
        What it has seen: positions in ``signals``, in the order of the rounds, ascending within a round.
    nodes : tuple of int
        The leaf of every earlier stage, and the present node of this one.

    Returns
    -------
    tuple of Fraction
        Of each action; equal ones where the strategy never comes.

    Raises
    ------
    GameError
        This cannot be dealt.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> from tremble.poker.filter import Filter
    >>> game = RhodeIsland(ranks=2, suits=2)
    >>> classes = Filter.of(game, lambda public, private: 0).class_of[0]
    >>> check = [np.zeros((1, 10, 7**number), dtype=np.int64) for number in range(3)]
    >>> check[0][0, [0, 2]] = 1  # then fold to a bet
    >>> strategy = OrderedStrategy(0, classes, tuple(check), 1)
    >>> probabilities(game, strategy, (), (3,), (0,)), probabilities(game, strategy, (), (3,), (9,))
    ((Fraction(1, 1), Fraction(0, 1)), (Fraction(1, 2), Fraction(1, 2)))
    """
    *before, stage_node = nodes
    number = len(before)
    side = game.rounds[number].stage.side(strategy.player)
    k = side.nodes.index(stage_node)
    node, line = own_node(game, number, public, private), line_number(game.rounds, before)
    weights = weights_at(game, strategy, number, np.array([node]), np.array([line]))[0, :, 0]
    comes, first, end = int(weights[side.parent[k]]), side.start[k], side.start[k + 1]
    if not comes:
        return (Fraction(1, end - first),) * (end - first)
    return tuple(Fraction(int(weight), comes) for weight in weights[first:end])
