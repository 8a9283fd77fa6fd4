"""Exact strategies of ordered games from plans in floats: weights are rounded to multiples of a power of two."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.poker.deals import Deals
from tremble.poker.filter import Filter
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy

__all__ = ["BITS", "rounded_strategy", "short_bits"]

IntArray = NDArray[np.int64]
Shares = Callable[[slice], NDArray[Any]]

BITS, _FEWEST_BITS = 44, 36  # the default number of bits of weights, and the least number that is precise enough
_SHORT_BITS = 61  # the largest number of bits for which the checker's sums over hands fit into int64
_AT_ONCE = 2**18  # numbers that are rounded at the same time


def short_bits(game: OrderedGame) -> int:
    """Return the number of bits to which :func:`rounded_strategy` should round weights.

    The checker multiplies the weights of the opponent's hands by a payoff, and adds up the products. If the sums do not
    fit into int64, the check takes several times as long. So the function returns a number of bits for which the sums
    fit. If this number gives too little precision, the function returns the default number of bits.
    """
    most = 1
    for deals in Deals.of(game).rounds:
        hands = deals.num_hands if deals.mass is None else int(deals.mass.sum(axis=2).max())
        if deals.payoffs.leaves:
            most = max(most, deals.unit * hands * int(np.abs(deals.payoffs.utility).max()))
    bits = _SHORT_BITS - most.bit_length()
    return min(bits, BITS) if bits >= _FEWEST_BITS else BITS


def rounded_strategy(
    game: OrderedGame, filter_: Filter, player: int, shares: Iterable[Shares], bits: int = BITS
) -> OrderedStrategy:
    """Return the exact strategy in proportion to ``shares``. Its weights are multiples of 2^-bits.

    At each information set, the running sums of the action probabilities are multiplied by the weight that reaches the
    set, and then rounded. The weight of an action is the difference of two consecutive rounded sums. Its error is less
    than 2^-bits. No weight is negative, and 0 stays 0. At sets without positive shares, the strategy is uniform.

    Parameters
    ----------
    game : OrderedGame
    filter_ : Filter
        The classes of hands.
    player : int
    shares : iterable of callables
        For each round, a function that takes a slice of classes and returns an array [classes, S - 1, H] of numbers
        that are not negative. A function needs less memory than a copy of all shares in the order of the classes.
    bits : int
    """
    rounds: list[IntArray] = []
    lead: IntArray = np.full((1, 1), 1 << bits)  # the weights of the sequences that lead to the round, [C, H]
    for round_, earlier, shares_of in zip(game.rounds, filter_.earlier[player], shares, strict=True):
        side = round_.stage.side(player)
        lead = lead[earlier]
        whole = np.empty((len(earlier), side.num_sequences - 1, lead.shape[1]), dtype=np.int64)
        step = max(1, _AT_ONCE // max(1, whole[0].size))
        for first in range(0, len(whole), step):
            some = slice(first, first + step)
            floats = shares_of(some)
            for start, end, parent in zip(side.start[:-1], side.start[1:], side.parent, strict=True):
                before = whole[some, parent - 1] if parent else lead[some]
                running = np.cumsum(floats[:, start - 1 : end - 1], axis=1, dtype=np.float64)
                base = running[:, -1:]
                even = np.arange(1, end - start + 1)[None, :, None] / (end - start)
                share = np.where(base > 0, running / np.where(base > 0, base, 1.0), even)
                goal = np.rint(share * before[:, None, :]).astype(np.int64)
                whole[some, start - 1 : end - 1] = np.diff(goal, axis=1, prepend=0)
        rounds.append(whole)
        if len(rounds) < len(game.rounds):
            parts = [lead if s == 0 else whole[:, s - 1] for s in (side.last[leaf] for leaf in round_.stage.going_on)]
            lead = np.stack(parts, axis=2).reshape(len(whole), -1)
    return OrderedStrategy(player, filter_.class_of[player], tuple(rounds), 1 << bits)
