r"""The best response as it was published, a baseline for comparison: a search through the histories of a tree.

At histories of the other player and of chance, actions are searched in descending probability, and the search ends
where even the greatest payoff on all that is left cannot reach what is needed (the bound :math:`\lambda`). At an
information set of the responder all its histories are searched together, most probable first; an action is not
searched any more once it cannot catch up with the best one, and the values under the best action are stored.

References
----------
B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček: An exact double-oracle algorithm for zero-sum
extensive-form games with imperfect information, Journal of Artificial Intelligence Research 51, 2014, Figures 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.model.game import CHANCE, TERMINAL
from tremble.model.tree import GameTree

__all__ = ["PublishedSearch"]

_DEEPEST = 300  # the search calls itself
_SLACK = 1e-12  # relative to the greatest payoff


class PublishedSearch:
    """Best responses of one player on a tree.

    Parameters
    ----------
    chance : float64[N]
        Probability of chance's moves on the way to each node.
    last : int64[N]
        The other player's last sequence at each node.

    Raises
    ------
    TooLargeError
        The tree is too deep for a search that calls itself.
    """

    def __init__(self, tree: GameTree, player: int, chance: NDArray[np.float64], last: NDArray[np.int64]) -> None:
        if tree.depth > _DEEPEST:
            raise TooLargeError(f"the published best response is for trees of at most {_DEEPEST} moves in a row")
        self._player = player
        self._chance, self._last = chance, last
        self._mover, self._infoset = tree.player.tolist(), tree.infoset.tolist()
        self._first, self._count = tree.first_child.tolist(), tree.num_children.tolist()
        payoff = tree.payoff_float[:, 0] if player == 0 else -tree.payoff_float[:, 0]
        self._payoff = payoff.tolist()
        self._least, self._greatest = float(payoff.min()), float(payoff.max())
        self._slack = _SLACK * max(abs(self._least), abs(self._greatest))
        mine = np.flatnonzero(tree.player == player)
        order = mine[np.argsort(tree.infoset[mine], kind="stable")]
        cuts = np.cumsum(np.bincount(tree.infoset[mine], minlength=tree.num_infosets[player]))
        self._nodes = [nodes.tolist() for nodes in np.split(order, cuts[:-1])] if len(order) else []
        self.visited = 0

    def run(self, weight: NDArray[np.float64], check: Callable[[], None]) -> tuple[float, dict[int, int]]:
        """Search.

        Parameters
        ----------
        weight : float64[S]
            The other player's realization plan in the whole game.

        Returns
        -------
        value : float
            What the responder earns in the zero-sum game in which player 1 has its own payoffs.
        choice : dict
            Information set -> position of the best action, where the search came.
        """
        reach = (self._chance * weight[self._last]).tolist()
        mover, infoset, first, count = self._mover, self._infoset, self._first, self._count
        least, greatest, slack, me = self._least, self._greatest, self._slack, self._player
        stored: dict[int, float] = {}
        choice: dict[int, int] = {}
        fails = float("-inf")

        def value(h: int, need: float) -> float:
            self.visited += 1
            if self.visited % 4096 == 0:
                check()
            m = mover[h]
            if m == TERMINAL:
                return float(reach[h] * self._payoff[infoset[h]])
            if m == me:
                if h not in stored:
                    choose(h)
                return stored[h]
            children = range(first[h], first[h] + count[h])
            left = reach[h] if m != CHANCE else sum(reach[c] for c in children)
            total = 0.0
            for c in sorted(children, key=lambda c: -reach[c]):
                share = reach[c]
                if share <= 0.0:
                    break
                left -= share
                lacking = need - (total + left * greatest)
                if lacking > share * greatest + slack:
                    return fails
                gained = value(c, lacking)
                if gained == fails:
                    return fails
                total += gained
            return total

        def choose(h: int) -> None:
            k = infoset[h]
            nodes = sorted((n for n in self._nodes[k] if reach[n] > 0.0), key=lambda n: -reach[n])
            left = sum(reach[n] for n in nodes)
            actions = range(count[h])
            totals = [0.0] * count[h]
            values: list[dict[int, float]] = [{} for _ in actions]
            best = -1
            for n in nodes:
                share = reach[n]
                left -= share
                for a in actions if best < 0 else sorted(actions, key=lambda a: a != best):
                    if totals[a] == fails:
                        continue
                    if best < 0 or a == best:
                        need = fails
                    else:
                        need = totals[best] + left * least - (totals[a] + left * greatest)
                    if best >= 0 and a != best and need > share * greatest + slack:
                        totals[a] = fails
                        continue
                    gained = value(first[n] + a, need)
                    values[a][n] = gained
                    totals[a] += gained
                best = max(actions, key=lambda a: totals[a])
            choice[k] = best
            stored.update(values[best])

        return value(0, fails), choice
