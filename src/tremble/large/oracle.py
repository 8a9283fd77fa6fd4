"""What the double oracle asks of a game, however it is held, and the restricted game, which is put together in one way.

The restricted game is built anew in every iteration, in one pass from the root, level by level, that follows allowed
sequences of both players (Bošanský et al. 2014 maintain it; measured, the pass is a small part of the time). A history
whose mover has no allowed action there is a *temporary leaf*: the mover plays its default on, the opponent responds at
its best.
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
from tremble.game.arrays import integer_array
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.integers import exact_product, narrowed
from tremble.large.restricted import Leaves, RestrictedGame
from tremble.large.search import UNEQUAL
from tremble.large.sequences import KnownSequences, Plan

__all__ = ["Opened", "Oracle", "Response"]


@dataclass(frozen=True, eq=False)
class Response:
    """A best response.

    Attributes
    ----------
    player : int
        Who responds.
    value : float or Fraction
        What it earns, in payoffs of a zero-sum game in which player 1 has its own.
    sequences : int64 array
        The sequences that it plays and the opponent's plan lets happen, without the empty one.

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
    """Some nodes of a game, n of them, with their moves, e of them, one node's after the other's."""

    mover: NDArray[Any]  # [n]
    view: NDArray[Any]  # [n]: what the mover sees
    width: NDArray[np.int64]  # [n]: how many moves
    child: NDArray[np.int64]  # [e]
    odds: NDArray[Any] | None  # [e]: chance's probabilities, as integers; None if payoffs have them in already
    denominator: int  # of these; it stands for 1 where chance does not move


class Oracle(ABC):
    """A game as the double oracle sees it: sequences, restricted games, best responses.

    Player 2's payoffs are player 1's with the other sign, whatever constant they sum to. *Nodes* are nodes of a tree or
    positions of rules, by number; 0 is the root.

    Examples
    --------
    >>> from tremble.large import RulesOracle, TreeOracle
    >>> issubclass(TreeOracle, Oracle), issubclass(RulesOracle, Oracle)
    (True, True)
    """

    @property
    @abstractmethod
    def players(self) -> tuple[KnownSequences, KnownSequences]:
        """The sequences of both players."""

    @property
    @abstractmethod
    def total(self) -> Fraction | int:
        """What the payoffs of both players sum to."""

    @abstractmethod
    def respond(self, player: int, plan: Plan) -> Response:
        """The best response to the opponent's plan in the whole game, in floats."""

    @abstractmethod
    def respond_exactly(self, player: int, plan: Plan) -> Response:
        """The same in exact arithmetic, without pruning by floats."""

    @abstractmethod
    def add(self, response: Response) -> int:
        """Allow the sequences of a response; how many of them are new."""

    @abstractmethod
    def strategy(self, plan: Plan) -> Any:
        """An exact plan as a strategy of the whole game."""

    @abstractmethod
    def known(self) -> Any:
        """What is known and allowed, as plain data."""

    @abstractmethod
    def restore(self, known: Any) -> None:
        """Know and allow again what :meth:`known` has told of the same game; nothing must be known yet."""

    # -- the restricted game ---------------------------------------------------------------------

    @abstractmethod
    def _opened(self, nodes: NDArray[np.int64]) -> Opened:
        """What can be done at nodes."""

    @abstractmethod
    def _infosets(self, player: int, sequence: NDArray[np.int64], view: NDArray[Any]) -> NDArray[np.int64]:
        """The information sets where sequences of a player lead and it sees this; -1 where none is known."""

    @abstractmethod
    def _payoffs(self, nodes: NDArray[np.int64], mover: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Player 1's payoffs at leaves, and where a player moves, at temporary ones: integers over a denominator."""

    def _weights(
        self, nodes: NDArray[np.int64], mover: NDArray[Any], chance: NDArray[Any] | None, whole: int
    ) -> tuple[NDArray[Any], int]:
        """Player 1's payoffs times what chance has played, integers over ``whole``: as integers over a denominator."""
        payoff, denominator = self._payoffs(nodes, mover)
        return payoff if chance is None else exact_product(payoff, chance), denominator * whole

    def restricted(self) -> RestrictedGame:
        """The game of the allowed sequences."""
        players = self.players
        nodes, sequences = np.zeros(1, dtype=np.int64), [np.zeros(1, dtype=np.int64) for _ in players]
        chance: NDArray[Any] | None = None  # what it has played so far, over whole; None if the payoffs have it in
        whole = 1
        ends: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any], int]] = []
        reached = [np.zeros(known.num_infosets, dtype=np.bool_) for known in players]
        temporary = 0
        while len(nodes):
            mover, view, width, child, odds, denominator = self._opened(nodes)
            if not len(child):  # all of them ended
                ends.append((sequences[0], sequences[1], *self._weights(nodes, mover, chance, whole)))
                break
            above = np.arange(len(nodes)).repeat(width)  # of each move
            action = np.arange(len(above)) - (width.cumsum() - width)[above]
            below = [sequence[above] for sequence in sequences]
            kept = mover[above] == CHANCE
            if odds is not None:
                kept &= odds.astype(np.bool_)
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
        denominator = lcm(*(part[3] for part in ends))
        player1, player2 = (np.concatenate([part[i] for part in ends]) for i in (0, 1))
        scaled = [w if d == denominator else exact_product(w, integer_array([denominator // d])) for *_, w, d in ends]
        weight = narrowed(np.concatenate(scaled))
        sets1, sets2 = map(np.flatnonzero, reached)
        return RestrictedGame.of(players, Leaves((player1, player2), weight, denominator, temporary, (sets1, sets2)))
