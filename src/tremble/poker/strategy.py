"""Strategies of ordered games. A strategy contains exact realization weights for each class of the player's hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb, lcm

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.game.kinds import kind_of
from tremble.game.rules import StrategyInArrays, UnbuiltGame
from tremble.game.tree import require_player
from tremble.games.loading import load_rules
from tremble.poker.definition import OrderedDefinition

__all__ = ["OrderedStrategy"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class OrderedStrategy(StrategyInArrays):
    """A realization plan for an ordered game of two players. All hands of a class have equal weights.

    The weight of a sequence is ``denominator`` times the probability that the player chooses all actions of the
    sequence. At each information set, the weights of the actions sum to the weight of the sequence that leads to the
    information set. If that sum is 0, the player chooses all actions with equal probability.

    Attributes
    ----------
    player : int
        The index of the player, 0 or 1.
    class_of : tuple of int arrays
        For each round, the class of each own node, numbered from 0. The class is -1 if the player is never dealt the
        node. An own node consists of the public signals and the player's private signals up to this round.
    weight : tuple of int arrays
        For each round, an array [C, S - 1, H] of weights, of type int64 or Python integers. The shape counts C classes,
        S sequences of the stage tree, and H histories of the earlier rounds. :meth:`StageTree.side` numbers sequences.
        The array does not contain the empty sequence, which has the weight of the player's last sequence in the
        previous stage. In the numbering of histories, the moves of the previous round vary fastest.
    denominator : int
        The weight that represents probability 1.
    game : UnbuiltGame, str or None
        The game, or its spec; None if the game is unknown. A solution sets this field.

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
    game: UnbuiltGame | str | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, place: tuple[str, str]) -> Mapping[str, Fraction | float]:
        """Return the probabilities of a hand's actions at a decision, in a flop, turn or river of Texas Hold'em.

        Parameters
        ----------
        place : pair of str
            The hand, such as ``"AhKd"``, and the moves before the decision. :meth:`tremble.Solution.hands` describes
            how to write the moves.

        Returns
        -------
        mapping
            Action -> probability. The probabilities are exact.

        Raises
        ------
        GameError
            The hand is not in the player's range, or the other player moves there. Or the game is no flop, turn or
            river, or is unknown because the strategy does not come from a solution.
        SpecError
            No decision follows the moves.

        Examples
        --------
        >>> import tremble
        >>> from tremble.poker import HoldemRiver
        >>> game = HoldemRiver("Kh9d7s4c2h", pot=20, stack=20, bets="100", range1="AA,QQ", range2="KK,JJ")
        >>> solution = tremble.solve(game, method="lp")
        >>> solution.strategies[0]["AsAh", ""]["check"]
        Fraction(1, 1)
        """
        game = load_rules(self.game) if isinstance(self.game, str) else self.game
        if game is None:
            raise GameError(
                "the game of this strategy is unknown; take the strategy from a solution: solution.strategies"
            )
        found: Mapping[str, Fraction | float] | None = kind_of(game).shares_of_hand(self, place)
        if found is None:
            raise GameError(
                "only strategies of flops, turns and rivers of Texas Hold'em are looked up by a hand and moves"
            )
        return found

    @property
    def num_classes(self) -> tuple[int, ...]:
        """The number of classes in each round."""
        return tuple(map(len, self.weight))

    @property
    def sizes_in_words(self) -> str:
        """A text that states the number of classes of hands in each round and the total number of sequences."""
        sequences = 1 + sum(weight.size for weight in self.weight)
        kinds = "class" if self.num_classes == (1,) else "classes"
        return f"{' / '.join(f'{count:,}' for count in self.num_classes)} {kinds} of hands, {sequences:,} sequences"

    @classmethod
    def uniform(cls, rules: OrderedDefinition, player: int) -> OrderedStrategy:
        """Create the uniform strategy, which has equal probabilities of all actions and one class in each round.

        Examples
        --------
        >>> import tremble
        >>> uniform = OrderedStrategy.uniform(tremble.load_rules("rhode_island").rules, 0)
        >>> uniform.denominator, [classes.size for classes in uniform.class_of]
        (1728, [52, 2652, 132600])
        """
        if not isinstance(rules, OrderedDefinition):
            raise GameError(f"expected an ordered game, not {rules!r:.80}")
        require_player(player)
        # Compute the probability of each sequence of a stage, given that play reaches the stage.
        shares = []
        for round_ in rules.rounds:
            side = round_.stage.side(player)
            share = [Fraction(1)] * side.num_sequences
            for k, parent in enumerate(side.parent):
                actions = range(side.start[k], side.start[k + 1])
                for s in actions:
                    share[s] = share[parent] / len(actions)
            shares.append(share)
        # Multiply the probabilities across the rounds, and write the products as integers over one denominator.
        units = [lcm(*(s.denominator for s in share)) for share in shares]
        remaining, nodes, whole = len(rules.signals), 1, 1
        for unit in units:
            whole *= unit
        classes, weights, lead = [], [], [whole]
        for round_, share in zip(rules.rounds, shares, strict=True):
            for size in (round_.public, round_.private):
                nodes *= comb(remaining, size)
                remaining -= size
            classes.append(np.zeros(nodes, dtype=np.int64))
            rows = [[int(s * before) for before in lead] for s in share]
            array = np.array(rows[1:], dtype=np.int64 if whole < 2**62 else object)
            weights.append(array.reshape(1, len(share) - 1, len(lead)))
            last = round_.stage.side(player).last
            lead = [rows[last[leaf]][h] for h in range(len(lead)) for leaf in round_.stage.going_on]
        return cls(player, tuple(classes), tuple(weights), whole)
