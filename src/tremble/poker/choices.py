"""Sequence weights and action probabilities of a single hand, read from a strategy for classes of hands."""

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
    """Return the number of the own node that the signals ``public`` and ``private`` form in round ``number``.

    An own node is a public state together with a player's hand.

    Raises
    ------
    GameError
        The signals cannot be dealt.
    """
    deals = Deals.of(game).rounds[number]
    if (deals.public.shape[1], deals.hands.shape[2]) == (len(public), len(private)):
        for state in np.flatnonzero((deals.public == np.array(public, dtype=np.int8)).all(axis=1)).tolist():
            hand = np.flatnonzero((deals.hands[state] == np.array(private, dtype=np.int8)).all(axis=1))
            if len(hand):
                return state * deals.num_hands + int(hand[0])
    raise GameError(
        f"{game.hand_text(public, private, ()) or 'nothing'} cannot be dealt to a player in round {number + 1}"
    )


def line_number(rounds: Iterable[Round | FilteredRound], nodes: Iterable[int]) -> int:
    """Return the number of a history of moves, given the leaf of each round's stage tree.

    The number is the position of the history on the last axis of a strategy's weights.
    """
    number = 0
    for round_, leaf in zip(rounds, nodes, strict=False):
        number = number * len(round_.stage.going_on) + round_.stage.going_on.index(leaf)
    return number


def weights_at(game: OrderedGame, strategy: OrderedStrategy, number: int, nodes: IntArray, lines: IntArray) -> Whole:
    """Return the weights that a strategy gives to the S sequences of round ``number``, of shape [nodes, S, lines].

    Sequence 0 is empty. ``nodes`` contains indices of pairs (public state, hand of the player). ``lines`` contains
    indices of histories. If the player is never dealt the hand of a node, the weights there have no meaning.
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
    last_sequence = np.array([stage.side(strategy.player).last[node] for node in stage.going_on])[leaf]
    earlier, inverse = np.unique(Deals.of(game).rounds[number].earlier[nodes], return_inverse=True)
    above, of_line = np.unique(before, return_inverse=True)
    weights = weights_at(game, strategy, number - 1, earlier, above)[:, last_sequence, of_line]
    return np.concatenate([weights[inverse][:, None, :], stated], axis=1)


def probabilities(
    game: OrderedGame, strategy: OrderedStrategy, public: Signals, private: Signals, nodes: tuple[int, ...]
) -> tuple[Fraction, ...]:
    """Return the action probabilities of a strategy at an information set, which the signals and ``nodes`` determine.

    Parameters
    ----------
    game : OrderedGame
    strategy : OrderedStrategy
    public, private : tuple of int
        The public signals and the player's own signals. Signals are positions in ``game.signals``, in the order of the
        rounds, ascending within a round.
    nodes : tuple of int
        The leaf that play reached in each earlier round's stage tree, then the current node in this round's tree.

    Returns
    -------
    tuple of Fraction
        The probability of each action. If the strategy never reaches the information set, all probabilities are equal.

    Raises
    ------
    GameError
        The signals cannot be dealt.

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
    reached, first, end = int(weights[side.parent[k]]), side.start[k], side.start[k + 1]
    if not reached:
        return (Fraction(1, end - first),) * (end - first)
    return tuple(Fraction(int(weight), reached) for weight in weights[first:end])
