"""Strategies of ordered games: what a player does at each class of its own hands, as exact realization weights."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.game.rules import StrategyInArrays
from tremble.game.tree import require_player
from tremble.poker.definition import OrderedDefinition

__all__ = ["OrderedStrategy"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class OrderedStrategy(StrategyInArrays):
    """A plan for an ordered game of two players: C classes, S sequences of the stage, H lines of the rounds before.

    The weight of a sequence is its denominator times the probability that the player's own choices lead along it. The
    weights of the actions at an information set sum to that of the sequence that leads there; where that is 0, the
    player chooses uniformly. Sequences of a stage are numbered by :meth:`StageTree.side`; the empty one, which is left
    out here, is the last sequence of the stage before.

    Attributes
    ----------
    player : int
        0 or 1.
    class_of : tuple of int arrays
        Round -> class of each own node, from 0; -1 where the player is never dealt it. Own nodes are all that a player
        can have seen of the signals, in the order that the files of arrays have.
    weight : tuple of int arrays
        Round -> weights [C, S - 1, H], int64 or Python integers; lines of the rounds before in the order
        that the files of arrays have.
    denominator : int

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load_rules("jk_four_cards"))
    >>> solution.strategies[0].num_classes
    (2,)
    """

    player: int
    class_of: tuple[IntArray, ...]
    weight: tuple[NDArray[np.int64] | NDArray[np.object_], ...]
    denominator: int

    @property
    def num_classes(self) -> tuple[int, ...]:
        """In each round."""
        return tuple(map(len, self.weight))

    @property
    def sizes_in_words(self) -> str:
        """Say how many classes of hands the player tells apart in each round, and how many sequences it has."""
        sequences = 1 + sum(weight.size for weight in self.weight)
        kinds = "class" if self.num_classes == (1,) else "classes"
        return f"{' / '.join(f'{count:,}' for count in self.num_classes)} {kinds} of hands, {sequences:,} sequences"

    @classmethod
    def uniform(cls, rules: OrderedDefinition, player: int) -> OrderedStrategy:
        """Every action equally likely, whatever the hand: one class in each round.

        Examples
        --------
        >>> import tremble
        >>> uniform = OrderedStrategy.uniform(tremble.load_rules("rhode_island").rules, 0)
        >>> uniform.denominator, [classes.size for classes in uniform.class_of]
        (1728, [52, 2652, 132600])
        """
        if not isinstance(rules, OrderedDefinition):
            raise GameError(f"an ordered game has such strategies, not {rules!r:.80}")
        require_player(player)
        shares = []
        for round_ in rules.rounds:
            side = round_.stage.side(player)
            share = [Fraction(1)] * side.num_sequences
            for k, parent in enumerate(side.parent):
                actions = range(side.start[k], side.start[k + 1])
                for s in actions:
                    share[s] = share[parent] / len(actions)
            shares.append(share)
        units = [lcm(*(s.denominator for s in share)) for share in shares]
        left, nodes, whole = len(rules.signals), 1, 1
        for unit in units:
            whole *= unit
        classes, weights, lead = [], [], [whole]
        for round_, share in zip(rules.rounds, shares, strict=True):
            for size in (round_.public, round_.private):
                nodes *= comb(left, size)
                left -= size
            classes.append(np.zeros(nodes, dtype=np.int64))
            rows = [[int(s * before) for before in lead] for s in share]
            array = np.array(rows[1:], dtype=np.int64 if whole < 2**62 else object)
            weights.append(array.reshape(1, len(share) - 1, len(lead)))
            last = round_.stage.side(player).last
            lead = [rows[last[leaf]][h] for h in range(len(lead)) for leaf in round_.stage.going_on]
        return cls(player, tuple(classes), tuple(weights), whole)
