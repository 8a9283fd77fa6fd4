"""Pure best responses in Hold'em, for every hand and every deal of the public cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tremble.poker.holdem.decisions import Against, Profile
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.plans import strategy_by_hand
from tremble.poker.strategy import OrderedStrategy

__all__ = ["best_response"]

IntArray = NDArray[np.int64]


def best_response(rules: HoldemGame, profile: Profile, player: int) -> OrderedStrategy:
    """Return a player's pure best response. If several actions of a hand are best, it plays the first of them.

    Examples
    --------
    >>> import tremble
    >>> from tremble.poker import HoldemRiver
    >>> game = HoldemRiver("Kh9d7s4c2h", pot=20, stack=20, bets="100", range1="AA,QQ", range2="KK,JJ")
    >>> solution = tremble.solve(game, method="lp")
    >>> best_response(game, solution.strategies, 1).denominator
    1
    """
    decisions = Against(rules, profile, player).decisions()
    chosen = {(each.node, each.state): np.argmax(each.best, axis=1) for each in decisions}

    def split(node: int, state: int, before: IntArray) -> IntArray:
        found = np.zeros((len(before), len(rules.tree.nodes[node].actions)), dtype=np.int64)
        found[np.arange(len(before)), chosen[node, state]] = before
        return found

    return strategy_by_hand(rules, player, 1, split)
