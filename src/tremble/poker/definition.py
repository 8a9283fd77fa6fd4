"""Ordered games: what a user writes down.

Signals (cards, valuations) are dealt without replacement, in rounds: some to everybody, some to each player alone.
After the deal of a round the players move in a *stage tree*, which everybody sees and which does not depend on the
signals. At the end payoffs depend on the moves and on the order of the hands. This is the definition of the paper, with
any number of signals at a time, and weights, as there; ranges, a weight for each hand, are ours.

References
----------
A. Gilpin and T. Sandholm, "Finding equilibria in large sequential games of imperfect information", EC 2006,
Definition 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.poker.stage import Line, StageTree
from tremble.shown import Shown

__all__ = ["Number", "OrderedDefinition", "Round", "Signals"]

Signals = tuple[int, ...]
"""Positions in ``signals``, in the order of the rounds, ascending within a round."""

Number = Fraction | int


class Round(NamedTuple):
    """A deal, and the moves that follow it.

    Examples
    --------
    A card for each player, one on the table, and nothing to do but show them:

    >>> from tremble.poker import GO_ON
    >>> Round(StageTree.grow(lambda line: GO_ON), public=1, private=1).stage.going_on
    (0,)
    """

    stage: StageTree
    public: int = 0  # signals that everybody sees
    private: int = 0  # signals that each player gets


class OrderedDefinition(Shown, ABC):
    """What defines an ordered game; see :class:`tremble.poker.OrderedGame`, which can be played, too."""

    num_players: int = 2
    weights: Sequence[Fraction] | None = None
    ranges: Sequence[Mapping[Signals, Number]] | None = None
    compares: bool = True

    @property
    @abstractmethod
    def signals(self) -> tuple[str, ...]:
        """Labels of everything that can be dealt."""

    @property
    @abstractmethod
    def rounds(self) -> tuple[Round, ...]:
        """Deals and moves."""

    @abstractmethod
    def strength(self, public: Signals, private: Signals) -> int:
        """Where a hand stands in the order: higher is better, equal ties.

        Parameters
        ----------
        public, private : tuple of int
            What a player has seen up to a round: positions in ``signals``, in the order of the rounds, ascending
            within a round. Hands are compared where the game ends and pays differently for them: after an early fold
            they are not.
        """

    @abstractmethod
    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> Sequence[Number]:
        """Payoffs of all players, never falling in the strength of the own hand.

        Parameters
        ----------
        lines : tuple of tuple of str
            Of every round that was played, the labels of its actions; the last one ends the game.
        ranks : tuple of int
            Of each player: how many of the others its hand beats; with ``compares=False`` the strengths.
        """

    def strengths(self, public: NDArray[Any], private: NDArray[Any]) -> NDArray[np.int64]:
        """Strengths of many hands at once; to be written anew where that is faster.

        Parameters
        ----------
        public : int array [B, K]
            Public signals so far of each public state.
        private : int array [B, N, G]
            Private signals so far of each hand that is possible there.

        Returns
        -------
        int64 array [B, N]
        """
        strengths = np.empty(private.shape[:2], dtype=np.int64)
        for b, (seen, hands) in enumerate(zip(public.tolist(), private.tolist(), strict=True)):
            for i, hand in enumerate(hands):
                strength = self.strength(tuple(seen), tuple(hand))
                if not isinstance(strength, int | np.integer):
                    text = self.hand_text(tuple(seen), tuple(hand), ())
                    raise GameError(f"the strength of {text} is to be an integer, not {strength!r:.60}")
                strengths[b, i] = strength
        return strengths

    def standing(self, strengths: Sequence[int]) -> tuple[int, ...]:
        """What ``utility`` is told of the hands."""
        if not self.compares:
            return tuple(map(int, strengths))
        return tuple(sum(other < own for other in strengths) for own in strengths)

    def signal_text(self, signals: Signals) -> str:
        """Signals as text, different for different sets of equally many."""
        names, between = self._signal_names
        return between.join([names[signal] for signal in signals])

    @cached_property
    def _signal_names(self) -> tuple[tuple[str, ...], str]:
        """What signals are called in texts, and what stands between them: nothing where all names are equally short."""
        if any(len(label.split()) != 1 or label.split()[0] != label for label in self.signals):
            return tuple(map(repr, self.signals)), " "
        lengths = {len(label) for label in self.signals}
        return tuple(self.signals), "" if len(lengths) == 1 and max(lengths) <= 2 else " "

    def hand_text(self, public: Signals, private: Signals, nodes: tuple[int, ...]) -> str:
        """What a player knows: its signals, the public ones, the moves of every round."""
        moves = ":".join(round_.stage.letters[node] for round_, node in zip(self._rounds, nodes, strict=False))
        return " ".join(filter(None, (self.signal_text(private), self.signal_text(public), moves)))

    @cached_property
    def _rounds(self) -> tuple[Round, ...]:
        return tuple(self.rounds)  # which may be a property that grows its trees anew each time
