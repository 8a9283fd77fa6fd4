"""The definition of ordered games, which a user implements.

Signals (such as cards or valuations) are dealt in rounds, without replacement. In each round some signals are dealt in
public and some to each player in private. After the deal of a round the players move in a *stage tree*. All players see
the moves, and the tree does not depend on the signals. The payoffs depend on all moves and on the order of the hands.
This is Definition 1 of the paper, including weights of signals and any number of signals in one deal. Ranges, which
give a weight to each hand, are our addition.

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
    One card for each player and one on the table, without any moves before the cards are shown:

    >>> from tremble.poker import GO_ON
    >>> Round(StageTree.grow(lambda line: GO_ON), public=1, private=1).stage.going_on
    (0,)
    """

    stage: StageTree
    public: int = 0  # signals that everybody sees
    private: int = 0  # signals that each player gets


class OrderedDefinition(Shown, ABC):
    """The definition of an ordered game; derive games from :class:`tremble.poker.OrderedGame`, which adds its rules."""

    num_players: int = 2
    weights: Sequence[Fraction] | None = None
    ranges: Sequence[Mapping[Signals, Number]] | None = None
    compares: bool = True

    @property
    @abstractmethod
    def signals(self) -> tuple[str, ...]:
        """The labels of all signals."""

    @property
    @abstractmethod
    def rounds(self) -> tuple[Round, ...]:
        """The rounds, each with its deal and its stage tree."""

    @abstractmethod
    def strength(self, public: Signals, private: Signals) -> int:
        """Return the strength of a hand: a higher strength wins, equal strengths tie.

        It is called for a round only if the game can end in that round with payoffs that depend on the hands. So it is
        not called for a round in which the game ends only by folds.

        Parameters
        ----------
        public, private : tuple of int
            The public signals and the player's own signals up to a round: positions in ``signals``, in the order of the
            rounds, ascending within a round.
        """

    @abstractmethod
    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> Sequence[Number]:
        """Return the payoffs of all players; a player's payoff never falls as its hand gets stronger.

        Parameters
        ----------
        lines : tuple of tuple of str
            For each round that was played, the labels of its actions. The last action ends the game.
        ranks : tuple of int
            For each player, the number of other hands that its hand beats. With ``compares=False``, the strength of its
            hand instead.
        """

    def strengths(self, public: NDArray[Any], private: NDArray[Any]) -> NDArray[np.int64]:
        """Return the strengths of many hands at once; override this method if you can compute them faster.

        Parameters
        ----------
        public : int array [B, K]
            The public signals up to a round, for each public state.
        private : int array [B, N, G]
            The private signals up to that round, for each hand that is possible at the public state.

        Returns
        -------
        int64 array [B, N]
            The strength of each hand at each public state.
        """
        strengths = np.empty(private.shape[:2], dtype=np.int64)
        for b, (seen, hands) in enumerate(zip(public.tolist(), private.tolist(), strict=True)):
            for i, hand in enumerate(hands):
                strength = self.strength(tuple(seen), tuple(hand))
                if not isinstance(strength, int | np.integer):
                    text = self.hand_text(tuple(seen), tuple(hand), ())
                    raise GameError(f"the strength of {text} must be an integer, not {strength!r:.60}")
                strengths[b, i] = strength
        return strengths

    def standing(self, strengths: Sequence[int]) -> tuple[int, ...]:
        """Return the argument ``ranks`` of ``utility`` for the strengths of all hands."""
        if not self.compares:
            return tuple(map(int, strengths))
        return tuple(sum(other < own for other in strengths) for own in strengths)

    def signal_text(self, signals: Signals) -> str:
        """Return signals as text; different sets of the same size have different texts."""
        names, separator = self._signal_names
        return separator.join([names[signal] for signal in signals])

    @cached_property
    def _signal_names(self) -> tuple[tuple[str, ...], str]:
        """The names of the signals in texts, and their separator: empty if all names have one or all two letters."""
        if any(len(label.split()) != 1 or label.split()[0] != label for label in self.signals):
            return tuple(map(repr, self.signals)), " "
        lengths = {len(label) for label in self.signals}
        return tuple(self.signals), "" if len(lengths) == 1 and max(lengths) <= 2 else " "

    def hand_text(self, public: Signals, private: Signals, nodes: tuple[int, ...]) -> str:
        """Return a player's knowledge as text: its own signals, the public signals, and the moves of each round."""
        moves = ":".join(round_.stage.letters[node] for round_, node in zip(self._rounds, nodes, strict=False))
        return " ".join(filter(None, (self.signal_text(private), self.signal_text(public), moves)))

    @cached_property
    def _rounds(self) -> tuple[Round, ...]:
        return tuple(self.rounds)  # cached, because a subclass may build its trees at each access
