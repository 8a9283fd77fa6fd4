"""Ordered games: what a user writes down.

Signals (cards, valuations) are dealt without replacement, in rounds: some to everybody, some to each player alone.
After the deal of a round the players move in a *stage tree*, which everybody sees and which does not depend on the
signals. At the end payoffs depend on the moves and on the order of the hands. This is the definition of the paper, with
any number of signals at a time, and weights.

References
----------
A. Gilpin and T. Sandholm, "Lossless abstraction of imperfect information games", JACM 54(5), 2007, Definition 2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.model.game import CHANCE, TERMINAL
from tremble.model.ordered.counting import counts_of
from tremble.model.ordered.stage import Line, StageTree

__all__ = ["OrderedGame", "Round", "Signals", "drawn_chance"]

Signals = tuple[int, ...]
"""Positions in ``signals``, in the order of the rounds, ascending within a round."""

Number = Fraction | int


class Round(NamedTuple):
    """A deal, and the moves that follow it."""

    stage: StageTree
    public: int = 0  # signals that everybody sees
    private: int = 0  # signals that each player gets


class History(NamedTuple):
    """What has happened: of the present round the public signals, then those of player 1, 2, ..., then the moves."""

    round: int
    public: Signals
    private: tuple[Signals, ...]
    dealt: int  # of this round: 0 nothing, 1 the public signals, then one more for each player
    nodes: tuple[int, ...]  # leaf of every earlier stage, and the present node


class OrderedGame(ABC):
    """Base of ordered games, which gives them the methods of :class:`tremble.Game` too.

    A subclass says what ``signals``, ``rounds``, ``strength`` and ``utility`` are; the rest has defaults.

    Attributes
    ----------
    signals : tuple of str
        Labels of everything that can be dealt, all different.
    rounds : tuple of Round
    num_players : int
        The solvers need two.
    weights : tuple of Fraction, or None
        How likely each signal is to be drawn first; among those that are left the chances are in proportion. All are
        equally likely by default.
    ranges : sequence of mappings, or None
        For each player the weight of what it is dealt in the first round, by its signals; what is not listed is never
        dealt. The chance of a deal is in proportion to the product, if no signal is in two hands.
    compares : bool
        Whether payoffs only depend on which hand is higher (the default), or on the strengths themselves.

    Examples
    --------
    The game with four cards of the paper: a jack and a king, each twice, and one bet.

    >>> from tremble.model.ordered.stage import GO_ON, OVER, Move
    >>> class JackKing(OrderedGame):
    ...     signals = ("J1", "J2", "K1", "K2")
    ...     def after(self, line):
    ...         if not line or line == ("check",):
    ...             return Move(len(line), ("check", "bet"))
    ...         if line[-1] == "bet":
    ...             return Move(len(line) % 2, ("fold", "call"))
    ...         return OVER if line[-1] == "fold" else GO_ON
    ...     @property
    ...     def rounds(self):
    ...         return (Round(StageTree.grow(self.after), private=1),)
    ...     def strength(self, public, private):
    ...         return private[0] // 2
    ...     def utility(self, lines, ranks):
    ...         (line,) = lines
    ...         stake = 2 if line[-1] == "call" else 1
    ...         if line[-1] == "fold":
    ...             return (1, -1) if len(line) == 2 else (-1, 1)
    ...         return (stake * (ranks[0] - ranks[1]), stake * (ranks[1] - ranks[0]))
    >>> import tremble
    >>> tremble.build(JackKing()).num_nodes
    113
    """

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
            within a round.
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
        found = np.empty(private.shape[:2], dtype=np.int64)
        for b, (seen, hands) in enumerate(zip(public.tolist(), private.tolist(), strict=True)):
            found[b] = [self.strength(tuple(seen), tuple(hand)) for hand in hands]
        return found

    def standing(self, strengths: Sequence[int]) -> tuple[int, ...]:
        """What ``utility`` is told of the hands."""
        if not self.compares:
            return tuple(strengths)
        return tuple(sum(other < own for other in strengths) for own in strengths)

    def counts(self) -> dict[str, Any]:
        """Sizes of the tree at the level of single signals, which is not built: see ``tremble info``."""
        return counts_of(self)

    def signal_text(self, signals: Signals) -> str:
        """Signals as text."""
        names = [self.signals[signal] for signal in signals]
        return "".join(names) if all(len(name) <= 2 for name in names) else " ".join(names)

    # -- the methods of tremble.Game, at the level of single signals -----------------------------------

    def root(self) -> History:
        """Nothing is dealt."""
        return self._dealing(History(0, (), ((),) * self.num_players, 0, (0,)))

    def player(self, h: History) -> int:
        """Chance deals before each round; then the stage tree tells."""
        if h.dealt <= self.num_players:
            return CHANCE
        mover = self.rounds[h.round].stage.mover[h.nodes[-1]]
        return TERMINAL if mover < 0 else mover

    def actions(self, h: History) -> tuple[str, ...]:
        """What can be dealt, or what the stage tree allows."""
        if h.dealt <= self.num_players:
            return tuple(self.signal_text(signals) for signals, _ in self._deals(h))
        return self.rounds[h.round].stage.actions[h.nodes[-1]]

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Chances of the deals."""
        return tuple(probability for _, probability in self._deals(h))

    def child(self, h: History, i: int) -> History:
        """Deal, or move."""
        if h.dealt <= self.num_players:
            signals = self._deals(h)[i][0]
            if h.dealt == 0:
                return self._dealing(h._replace(public=h.public + signals, dealt=1))
            player = h.dealt - 1
            hands = (*h.private[:player], h.private[player] + signals, *h.private[player + 1 :])
            return self._dealing(h._replace(private=hands, dealt=h.dealt + 1))
        stage = self.rounds[h.round].stage
        node = stage.child[h.nodes[-1]][i]
        nodes = (*h.nodes[:-1], node)
        if node in stage.going_on and h.round + 1 < len(self.rounds):
            return self._dealing(History(h.round + 1, h.public, h.private, 0, (*nodes, 0)))
        return h._replace(nodes=nodes)

    def infoset(self, h: History) -> str:
        """The mover's signals, the public ones and the moves, such as ``"Ah 7d xbc:b"``."""
        mover = self.rounds[h.round].stage.mover[h.nodes[-1]]
        return self.hand_text(h.public, h.private[mover], h.nodes)

    def hand_text(self, public: Signals, private: Signals, nodes: tuple[int, ...]) -> str:
        """What a player knows: its signals, the public ones, the moves of every round."""
        moves = ":".join(round_.stage.letters[node] for round_, node in zip(self.rounds, nodes, strict=False))
        return " ".join(filter(None, (self.signal_text(private), self.signal_text(public), moves)))

    def payoff(self, h: History) -> tuple[Number, Number]:
        """What ``utility`` says: payoffs of all players, of which the solvers take two."""
        lines = tuple(round_.stage.line[node] for round_, node in zip(self.rounds, h.nodes, strict=False))
        paid = tuple(self.utility(lines, self.standing([self.strength(h.public, hand) for hand in h.private])))
        return cast("tuple[Number, Number]", paid)

    def _dealing(self, h: History) -> History:
        """The history once deals of nothing are passed over."""
        round_ = self.rounds[h.round]
        dealt = h.dealt
        if dealt == 0 and round_.public == 0:
            dealt = 1
        if dealt >= 1 and round_.private == 0:
            dealt = self.num_players + 1
        return h._replace(dealt=dealt)

    def _deals(self, h: History) -> list[tuple[Signals, Fraction]]:
        """What can be dealt next, and how likely."""
        round_ = self.rounds[h.round]
        gone = frozenset(h.public).union(*h.private)
        if h.dealt and h.round == 0 and self.ranges is not None:
            return self._from_ranges(h.public, h.private[: h.dealt - 1])
        key = (gone, round_.private if h.dealt else round_.public)
        if key not in self._draws:
            self._draws[key] = _draws(len(self.signals), self.weights, *key)
        return self._draws[key]

    @cached_property
    def _draws(self) -> dict[tuple[frozenset[int], int], list[tuple[Signals, Fraction]]]:
        return {}

    def _from_ranges(self, public: Signals, hands: tuple[Signals, ...]) -> list[tuple[Signals, Fraction]]:
        """The first hand of the next player: in proportion to all deals in which it is held."""
        assert self.ranges is not None
        ranges = self.ranges
        found = {}
        for hand, weight in ranges[len(hands)].items():
            mass = Fraction(weight) * _completions(ranges, (*hands, hand), frozenset(public))
            if mass:
                found[tuple(hand)] = mass
        total = sum(found.values())
        return [(hand, mass / total) for hand, mass in sorted(found.items(), key=lambda item: item[0][::-1])]


def _completions(
    ranges: Sequence[Mapping[Signals, Number]], hands: tuple[Signals, ...], public: frozenset[int]
) -> Fraction:
    """The weight of all deals to the players who have no hand yet; 0 if a signal is used twice."""
    used = public.union(*hands)
    if len(used) < len(public) + sum(map(len, hands)):
        return Fraction(0)
    if len(hands) == len(ranges):
        return Fraction(1)
    return sum(
        (
            Fraction(weight) * _completions(ranges, (*hands, hand), public)
            for hand, weight in ranges[len(hands)].items()
        ),
        Fraction(0),
    )


def _draws(
    count: int, weights: Sequence[Fraction] | None, gone: frozenset[int], size: int
) -> list[tuple[Signals, Fraction]]:
    """All sets of so many signals that are left, in colexicographic order, and their chances."""
    left = [signal for signal in range(count) if signal not in gone]
    sets = sorted(combinations(left, size), key=lambda signals: signals[::-1])
    if not sets:
        raise GameError(f"{size} signals are to be dealt, but only {len(left)} of {count} are left")
    if weights is None:
        return [(signals, Fraction(1, len(sets))) for signals in sets]
    rest = sum((Fraction(weights[signal]) for signal in left), Fraction(0))
    return [(signals, drawn_chance(weights, signals, rest)) for signals in sets]


def drawn_chance(weights: Sequence[Fraction], signals: Signals, rest: Fraction) -> Fraction:
    """The chance to draw a set, one after the other in any order, from signals that weigh so much together."""
    if not signals:
        return Fraction(1)
    found = Fraction(0)
    for i, signal in enumerate(signals):
        weight = Fraction(weights[signal])
        found += weight / rest * drawn_chance(weights, signals[:i] + signals[i + 1 :], rest - weight)
    return found
