"""The interface of ordered games. A user implements this interface to define a game.

*Signals*, such as cards or valuations, are dealt in rounds, without replacement. In each round chance deals some public
signals, which all players see, and some private signals to each player. After the deal of a round, the players move in
the *stage tree* of the round. All players see the moves, and the stage tree does not depend on the signals. The private
signals of a player are the player's *hand*. The hand and the public signals together have a *strength*. The payoffs
depend on all moves, and on either the order of the players' strengths or the strengths themselves.

Gilpin and Sandholm define ordered games in Definition 1 of the paper below. Their definition allows signals with
unequal probabilities, and any number of signals in a deal. This library adds ranges, which give each hand a weight.

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
"""Dealt signals, as positions in ``signals`` of the game, in the order of the rounds, ascending within a round."""

Number = Fraction | int


class Round(NamedTuple):
    """A round of an ordered game: a deal, and the stage tree of the moves that follow the deal.

    Examples
    --------
    In this round, each player gets one card, and one public card is dealt. There are no moves:

    >>> from tremble.poker import GO_ON
    >>> Round(StageTree.grow(lambda line: GO_ON), public=1, private=1).stage.going_on
    (0,)
    """

    stage: StageTree
    public: int = 0  # the number of signals that all players see
    private: int = 0  # the number of private signals that each player gets


class OrderedDefinition(Shown, ABC):
    """The interface of an ordered game.

    To define a game, derive a class from :class:`tremble.poker.OrderedGame`, which adds the methods of
    :class:`tremble.Game`.
    """

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
        """Return the strength of a hand. A higher strength wins, and equal strengths tie.

        This method is called for the signals of a round only if the game can end in that round with payoffs that depend
        on the hands. For example, the method is not called for a round in which the game ends only by folds.

        Parameters
        ----------
        public, private : tuple of int
            The public signals and the player's own signals from the first round to the current round. Signals are
            positions in ``signals``, in the order of the rounds, ascending within a round.
        """

    @abstractmethod
    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> Sequence[Number]:
        """Return the payoffs of all players at the end of the game.

        A player's payoff must not decrease when the player's hand gets stronger.

        Parameters
        ----------
        lines : tuple of tuple of str
            For each round up to the end of the game, the labels of the chosen actions.
        ranks : tuple of int
            For each player, the number of other players whose hands the player's hand beats. If ``compares`` is False,
            the tuple contains the strength of each player's hand instead.
        """

    def strengths(self, public: NDArray[Any], private: NDArray[Any]) -> NDArray[np.int64]:
        """Return the strengths of many hands at once. Override this method if you can compute strengths faster.

        Parameters
        ----------
        public : int array [B, K]
            The public signals of each public state. A public state is a possible set of public signals so far.
        private : int array [B, N, G]
            The private signals so far of each possible hand at each public state.

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
        """Compute the argument ``ranks`` of :meth:`utility` from the strengths of all players' hands."""
        if not self.compares:
            return tuple(map(int, strengths))
        return tuple(sum(other < own for other in strengths) for own in strengths)

    def signal_text(self, signals: Signals) -> str:
        """Return the text of a set of signals, such as ``"Ah7d"``. Distinct sets of equal size have distinct texts."""
        names, separator = self._signal_names
        return separator.join([names[signal] for signal in signals])

    @cached_property
    def _signal_names(self) -> tuple[tuple[str, ...], str]:
        """The names of the signals in texts, and the separator between two names.

        The separator is empty if all names have one character or all names have two characters.
        """
        if any(len(label.split()) != 1 or label.split()[0] != label for label in self.signals):
            return tuple(map(repr, self.signals)), " "
        lengths = {len(label) for label in self.signals}
        return tuple(self.signals), "" if len(lengths) == 1 and max(lengths) <= 2 else " "

    def hand_text(self, public: Signals, private: Signals, nodes: tuple[int, ...]) -> str:
        """Return a hand, the public signals and the moves as text; ``nodes[i]`` is the node in round i's stage tree."""
        moves = ":".join(round_.stage.letters[node] for round_, node in zip(self._rounds, nodes, strict=False))
        return " ".join(filter(None, (self.signal_text(private), self.signal_text(public), moves)))

    @cached_property
    def _rounds(self) -> tuple[Round, ...]:
        return tuple(self.rounds)  # cached, because a subclass may build its stage trees at each access
