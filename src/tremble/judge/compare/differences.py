"""Find the information sets where two profiles differ, and check which players' strategies can reach each set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.protocol import CHANCE
from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import starts
from tremble.solution.comparison import Difference

__all__ = ["Visits", "differences", "moves"]


@dataclass(frozen=True, eq=False)
class Visits:
    """Three masks of the information sets that a profile reaches, and the probability of reaching each set.

    ``own`` considers only the player's own moves, ``others`` all other moves, and ``both`` all moves. Each field is
    a pair of arrays, one for each player. An array has one entry for each information set of its player.
    """

    own: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # True if the player's own strategy can reach the set
    others: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # True if the moves of chance and the opponent reach the set
    both: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # True if play reaches the set with positive probability
    reach: tuple[NDArray[np.float64], NDArray[np.float64]]  # probability that play reaches the set

    @classmethod
    def of(cls, tree: GameTree, profile: Profile) -> Visits:
        """Compute which sets a profile reaches. Go from the root level by level, without recursion."""
        share = np.ones(tree.num_nodes)
        played = np.ones((3, tree.num_nodes), dtype=np.bool_)  # by player 1, player 2, chance
        for mover, (below, probability, made) in enumerate(moves(tree, profile)):
            share[below] = probability
            played[mover, below] = made
        for low, high in zip(tree.level[1:-1].tolist(), tree.level[2:].tolist(), strict=True):
            before = tree.parent[low:high]
            share[low:high] *= share[before]
            played[:, low:high] &= played[:, before]
        rows: list[tuple[NDArray[Any], ...]] = []
        for player in (0, 1):
            node = np.flatnonzero(tree.player == player)
            count, index = tree.num_infosets[player], tree.infoset[node]
            here = played[:, node]
            reached = here[player], here[1 - player] & here[2], here.all(axis=0)
            some = (np.bincount(index[by], minlength=count) > 0 for by in reached)
            rows.append((*some, np.bincount(index, share[node], count)))
        return cls(*zip(*rows, strict=True))


def moves(
    tree: GameTree, profile: Profile
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.bool_]]]:
    """Yield three arrays for player 1, then for player 2, and then for chance.

    The arrays have one entry for each move of the player: the node after the move, the probability of the move, and
    True if the probability is not zero.
    """
    above = tree.parent[1:]
    mover, index, action = tree.player[above], tree.infoset[above], tree.action[1:]
    for player, strategy in enumerate(profile):
        edge = np.flatnonzero(mover == player)
        slot = tree.slot_start[player][index[edge]] + action[edge]
        yield edge + 1, strategy.to_floats()[slot], (strategy.numerator != 0)[slot]
    if tree.chance_tables:
        begin = starts([t.labels for t in tree.chance_tables])
        odds = [p for t in tree.chance_tables for p in t.probabilities]
        edge = np.flatnonzero(mover == CHANCE)
        entry = begin[index[edge]] + action[edge]
        yield edge + 1, np.array([float(p) for p in odds])[entry], np.array([p > 0 for p in odds])[entry]


def differences(
    tree: GameTree, profiles: tuple[Profile, Profile], visits: tuple[Visits, Visits]
) -> tuple[tuple[Difference, ...], tuple[int, int]]:
    """Return the differences between two profiles, and for each player the number of sets where the profiles agree.

    Sets that play reaches in at least one profile come first. Then all other sets follow. In both groups, greater
    differences come first.
    """
    unlike: list[Difference] = []
    equal = [0, 0]
    for player in (0, 1):
        for k, (one, two) in enumerate(zip(profiles[0][player], profiles[1][player], strict=True)):
            if one == two:
                equal[player] += 1
                continue
            sides = [
                (bool(v.own[player][k]), bool(v.others[player][k]), bool(v.both[player][k]), float(v.reach[player][k]))
                for v in visits
            ]
            own, others, on_path, reach = zip(*sides, strict=True)
            unlike.append(
                Difference(
                    player=player,
                    infoset=k,
                    label=tree.infoset_labels[player][k],
                    actions=tree.actions[player][k],
                    first=tuple(one),
                    second=tuple(two),
                    distance=sum(map(abs, map(sub, one, two))) / 2,
                    own=own,
                    others=others,
                    on_path=on_path,
                    reach=reach,
                )
            )
    unlike.sort(key=lambda d: (not any(d.on_path), -d.distance, d.player, d.infoset))
    return tuple(unlike), (equal[0], equal[1])
