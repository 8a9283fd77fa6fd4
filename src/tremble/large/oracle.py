"""The interface between the double oracle and a game, and the construction of the restricted game.

Every iteration builds the restricted game again. One pass from the root, level by level, follows the allowed sequences
of both players. Bošanský et al. (2014) update the restricted game instead. According to measurements, the pass takes
only a small part of the time.

A *temporary leaf* is a node of the restricted game where the mover has no allowed action. The payoff of the leaf
assumes that the mover continues with its default and that the opponent plays a best response.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.tree_arrays import integer_array
from tremble.integers import exact_product, narrowed
from tremble.large.restricted import Leaves, RestrictedGame
from tremble.large.search import UNEQUAL
from tremble.large.sequences import KnownSequences, Plan

__all__ = ["Opened", "Oracle", "Response"]


@dataclass(frozen=True, eq=False)
class Response:
    """A best response of one player to a plan of the opponent.

    Attributes
    ----------
    player : int
        The player that responds.
    value : float or Fraction
        The responder's payoff. The payoffs of player 2 are defined as the negative of player 1's payoffs.
    sequences : int64 array
        The responder's nonempty sequences that have positive probability if the response is played against the plan
        of the opponent.

    Examples
    --------
    >>> import numpy as np
    >>> Response(0, 1.5, np.array([1, 4])).sequences.tolist()
    [1, 4]
    """

    player: int
    value: float | Fraction
    sequences: NDArray[np.int64]


class Opened(NamedTuple):
    """The moves at n nodes of a game. There are e moves in total, listed node by node."""

    mover: NDArray[Any]  # [n]
    view: NDArray[Any]  # [n]: a number for what the mover sees; on a tree, the mover's information set
    width: NDArray[np.int64]  # [n]: number of moves
    child: NDArray[np.int64]  # [e]: the node after the move
    odds: NDArray[Any] | None  # [e]: numerators of chance's probabilities; None if the payoffs include them
    denominator: int  # denominator of the odds; a move of a player has the odds denominator / denominator = 1


class Oracle(ABC):
    """The interface by which the double oracle uses a game: sequences, restricted games and best responses.

    Player 2's payoffs are defined as the negative of player 1's payoffs, even if the payoffs of the game sum to another
    constant. A *node* is a node of a tree or a position of rules. Methods take and return node numbers; the root is 0.

    Examples
    --------
    >>> from tremble.large import RulesOracle, TreeOracle
    >>> issubclass(TreeOracle, Oracle), issubclass(RulesOracle, Oracle)
    (True, True)
    """

    @property
    @abstractmethod
    def players(self) -> tuple[KnownSequences, KnownSequences]:
        """The known sequences of both players."""

    @property
    @abstractmethod
    def total(self) -> Fraction | int:
        """The constant sum of the payoffs of both players."""

    @abstractmethod
    def respond(self, player: int, plan: Plan) -> Response:
        """Return a best response to the opponent's plan in the whole game, computed in floats."""

    @abstractmethod
    def respond_exactly(self, player: int, plan: Plan) -> Response:
        """Return a best response to the opponent's plan, computed exactly and without pruning by float bounds."""

    @abstractmethod
    def add(self, response: Response) -> int:
        """Add the sequences of a response to the restricted game, and return the number of newly added sequences."""

    @abstractmethod
    def strategy(self, plan: Plan) -> Any:
        """Convert an exact plan to a strategy of the whole game."""

    @abstractmethod
    def known(self) -> Any:
        """Return the known and the allowed sequences as plain data for a checkpoint."""

    @abstractmethod
    def restore(self, known: Any) -> None:
        """Restore the known sequences from ``known``, a value that :meth:`known` returned for the same game.

        Call this method only on a new oracle, to which no response has been added.
        """

    # -- the restricted game ---------------------------------------------------------------------

    @abstractmethod
    def _opened(self, nodes: NDArray[np.int64]) -> Opened:
        """Return the moves at the given nodes."""

    @abstractmethod
    def _infosets(self, player: int, sequence: NDArray[np.int64], view: NDArray[Any]) -> NDArray[np.int64]:
        """Return the information set of each pair (sequence, view), or -1 if unknown (see :class:`Opened`)."""

    @abstractmethod
    def _payoffs(self, nodes: NDArray[np.int64], mover: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Return player 1's payoffs at leaves and temporary leaves, as integers with a common denominator."""

    def _weights(
        self, nodes: NDArray[np.int64], mover: NDArray[Any], chance: NDArray[Any] | None, whole: int
    ) -> tuple[NDArray[Any], int]:
        """Return player 1's payoff at each node times ``chance / whole``, as integers over a common denominator."""
        payoff, denominator = self._payoffs(nodes, mover)
        return payoff if chance is None else exact_product(payoff, chance), denominator * whole

    def restricted(self) -> RestrictedGame:
        """Build the restricted game, in which players may use only allowed sequences."""
        players = self.players
        nodes, sequences = np.zeros(1, dtype=np.int64), [np.zeros(1, dtype=np.int64) for _ in players]
        chance: NDArray[Any] | None = None  # numerators of chance's probabilities; None if the payoffs include them
        whole = 1  # the denominator of these probabilities
        ends: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any], int]] = []
        reached = [np.zeros(known.num_infosets, dtype=np.bool_) for known in players]
        temporary = 0
        while len(nodes):
            mover, view, width, child, odds, denominator = self._opened(nodes)
            if not len(child):  # all nodes of this level are leaves
                ends.append((sequences[0], sequences[1], *self._weights(nodes, mover, chance, whole)))
                break
            # For each move, compute the node before it, the index of its action, both players' sequences after it, and
            # `kept`, which is True if the restricted game contains the move.
            above = np.arange(len(nodes)).repeat(width)
            action = np.arange(len(above)) - (width.cumsum() - width)[above]
            below = [sequence[above] for sequence in sequences]
            kept = mover[above] == CHANCE
            if odds is not None:
                kept &= odds.astype(np.bool_)
            # Keep a player's move if it leads to an allowed sequence.
            going = np.zeros(len(nodes), dtype=np.bool_)
            for i, known in enumerate(players):
                own = (mover == i).nonzero()[0]
                if not len(own):
                    continue
                sets = self._infosets(i, sequences[i][own], view[own])
                own, sets = own[sets >= 0], sets[sets >= 0]
                if (width[own] != known.width[sets]).any():
                    raise GameError(UNEQUAL)
                first = np.full(len(nodes), -1)
                first[own] = known.first[sets]
                first = first[above]
                moves = (first >= 0).nonzero()[0]
                played = first[moves] + action[moves]
                below[i][moves], kept[moves] = played, known.allowed[played]
                going[above[moves[kept[moves]]]] = True
                reached[i][sets[going[own]]] = True
            # Nodes without a kept move are leaves. If a player moves at such a node, it is a temporary leaf.
            ended = (~going & (mover != CHANCE)).nonzero()[0]
            if len(ended):
                drawn = None if chance is None else chance[ended]
                weights = self._weights(nodes[ended], mover[ended], drawn, whole)
                ends.append((sequences[0][ended], sequences[1][ended], *weights))
                temporary += int(np.count_nonzero(mover[ended] != TERMINAL))
            if odds is not None:
                chance, whole = odds if chance is None else exact_product(chance[above], odds), whole * denominator
            elif chance is not None:
                chance = chance[above]
            nodes, sequences = child[kept], [sequence[kept] for sequence in below]
            chance = None if chance is None else chance[kept]
        # Convert the weights of all leaves to a common denominator.
        denominator = lcm(*(part[3] for part in ends))
        player1, player2 = (np.concatenate([part[i] for part in ends]) for i in (0, 1))
        scaled = [w if d == denominator else exact_product(w, integer_array([denominator // d])) for *_, w, d in ends]
        weight = narrowed(np.concatenate(scaled))
        sets1, sets2 = map(np.flatnonzero, reached)
        return RestrictedGame.of(players, Leaves((player1, player2), weight, denominator, temporary, (sets1, sets2)))
