"""The base class of ordered games, which implements the methods of :class:`tremble.Game`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.numbers import exact_number, exact_numbers, over_one_denominator
from tremble.poker.counts import counts
from tremble.poker.definition import Number, OrderedDefinition, Round, Signals
from tremble.poker.soundness import require_sound
from tremble.poker.stage import Line

if TYPE_CHECKING:
    from tremble.poker.strategy import OrderedStrategy

__all__ = ["OrderedGame", "Round", "Signals", "drawn_chance"]

_MOST_CACHED = 64  # the largest number of lists of possible deals that a game with ranges caches


class History(NamedTuple):
    """A history of an ordered game.

    In each round, chance deals the public signals, then each player's private signals, from player 1 to the last
    player. After the deals, the players move.
    """

    round: int
    public: Signals
    private: tuple[Signals, ...]
    dealt: int  # the number of deals in this round so far: 1 for the public deal, and 1 for each player's deal
    nodes: tuple[int, ...]  # the leaf of every earlier round's stage tree, then the current node of this round's tree


class OrderedGame(OrderedDefinition):
    """The base class of ordered games.

    The class implements the methods of :class:`tremble.Game`. A subclass defines the attributes ``signals`` and
    ``rounds`` and the methods ``strength`` and ``utility``. All other attributes have defaults.

    Attributes
    ----------
    signals : tuple of str
        The labels of all signals. All labels must be different.
    rounds : tuple of Round
        The rounds of the game.
    num_players : int
        The number of players. The default is 2. Solvers support only two players.
    weights : tuple of Fraction, or None
        The probability of each signal in the first draw. In later draws, the probabilities of the remaining signals are
        proportional to these weights. By default all signals are equally likely.
    ranges : sequence of mappings, or None
        For each player, a mapping from hands of the first round to weights. Hands that are not in the mapping are never
        dealt. Hands that are dealt to different players never share a signal. The probability of a deal is proportional
        to the product of the weights of its hands.
    compares : bool
        True if payoffs depend only on which hand is higher. False if payoffs also depend on the strengths of the hands.
        The default is True.

    Examples
    --------
    The four-card game of Gilpin and Sandholm (EC 2006) has two jacks, two kings, and one bet:

    >>> from functools import cached_property
    >>> from tremble.poker import GO_ON, OVER, Move, StageTree
    >>> class JackKing(OrderedGame):
    ...     signals = ("J1", "J2", "K1", "K2")
    ...     def after(self, line):
    ...         if not line or line == ("check",):
    ...             return Move(len(line), ("check", "bet"))
    ...         if line[-1] == "bet":
    ...             return Move(len(line) % 2, ("fold", "call"))
    ...         return OVER if line[-1] == "fold" else GO_ON
    ...     @cached_property
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

    from_rules: ClassVar[bool] = True  # solvers use the rules and do not build a tree

    @property
    def strategy_type(self) -> type[OrderedStrategy]:
        """The Python class that represents strategies of ordered games."""
        from tremble.poker.strategy import OrderedStrategy

        return OrderedStrategy

    # -- the methods of tremble.Game -------------------------------------------------------------------

    def root(self) -> History:
        """Return the empty history; raise ``GameError`` if the attributes do not define an ordered game."""
        assert self._sound
        return self._dealing(History(0, (), ((),) * self.num_players, 0, (0,)))

    def player(self, h: History) -> int:
        """Return the player who moves. Chance moves until all signals of the round are dealt."""
        if h.dealt <= self.num_players:
            return CHANCE
        mover = self._rounds[h.round].stage.mover[h.nodes[-1]]
        return TERMINAL if mover < 0 else mover

    def actions(self, h: History) -> tuple[str, ...]:
        """Return the texts of the possible deals or, if a player moves, the labels of the player's actions."""
        if h.dealt <= self.num_players:
            return tuple(self.signal_text(signals) for signals, _ in self._deals(h))
        return self._rounds[h.round].stage.actions[h.nodes[-1]]

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Return the probabilities of the possible deals."""
        return tuple(probability for _, probability in self._deals(h))

    def child(self, h: History, i: int) -> History:
        """Return the history that follows ``h`` after the i-th of the possible deals or actions."""
        if h.dealt <= self.num_players:
            signals = self._deals(h)[i][0]
            if h.dealt == 0:
                return self._dealing(h._replace(public=h.public + signals, dealt=1))
            player = h.dealt - 1
            hands = (*h.private[:player], h.private[player] + signals, *h.private[player + 1 :])
            return self._dealing(h._replace(private=hands, dealt=h.dealt + 1))
        stage = self._rounds[h.round].stage
        node = stage.child[h.nodes[-1]][i]
        nodes = (*h.nodes[:-1], node)
        if node in stage.going_on and h.round + 1 < len(self._rounds):
            return self._dealing(History(h.round + 1, h.public, h.private, 0, (*nodes, 0)))
        return h._replace(nodes=nodes)

    def infoset(self, h: History) -> str:
        """Return the label of the mover's information set: hand, public signals, moves, such as ``"Ah 7d xbc:b"``."""
        mover = self._rounds[h.round].stage.mover[h.nodes[-1]]
        return self.hand_text(h.public, h.private[mover], h.nodes)

    def payoff(self, h: History) -> tuple[Number, Number]:
        """Return the payoffs of all players at a leaf, computed by ``utility``."""
        lines = tuple(round_.stage.line[node] for round_, node in zip(self._rounds, h.nodes, strict=False))
        paid = self._settled(lines)
        if paid is None:
            strengths = [self.strength(h.public, hand) for hand in h.private]
            if not all(isinstance(strength, int | np.integer) for strength in strengths):
                raise GameError(f"the strengths of hands must be integers, not {strengths!r:.80}")
            paid = self._paid(lines, self.standing(strengths))
        return cast("tuple[Number, Number]", paid)

    def counts(self) -> dict[str, Any]:
        """Return the sizes of the game tree, with the same keys as the JSON output of ``tremble info``.

        The tree is not built. If the sizes are unknown, the result is empty.
        """
        return counts(self)

    def _settled(self, lines: tuple[Line, ...]) -> tuple[Number, ...] | None:
        """Return the payoffs of a game that ends before the last round, if they do not depend on whose hand is higher.

        Otherwise the method returns None. ``lines`` contains the moves of each round up to the end of the game. The
        method does not call ``strength``, because some games define strengths only for the last round.
        """
        if not self.compares or len(lines) == len(self._rounds):
            return None
        if lines not in self._early:
            orders = {
                self.standing(strengths) for strengths in product(range(self.num_players), repeat=self.num_players)
            }
            paid = {self._paid(lines, ranks) for ranks in orders}
            self._early[lines] = paid.pop() if len(paid) == 1 else None
        return self._early[lines]

    def _paid(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[Number, ...]:
        paid = self.utility(lines, ranks)
        if not isinstance(paid, Iterable):
            raise GameError(f"'utility' must return a payoff for each player, not {paid!r:.80}")
        return exact_numbers(paid, "payoff")

    @cached_property
    def _early(self) -> dict[tuple[Line, ...], tuple[Number, ...] | None]:
        return {}

    def _dealing(self, h: History) -> History:
        """Return the history that results from ``h`` by skipping the deals that contain no signals."""
        round_ = self._rounds[h.round]
        dealt = h.dealt
        if dealt == 0 and round_.public == 0:
            dealt = 1
        if dealt >= 1 and round_.private == 0:
            dealt = self.num_players + 1
        return h._replace(dealt=dealt)

    def _deals(self, h: History) -> list[tuple[Signals, Fraction]]:
        """Return a list of all possible next deals, each with its probability."""
        round_ = self._rounds[h.round]
        gone = frozenset(h.public).union(*h.private)
        if h.round == 0 and self.ranges is not None:
            return self._from_ranges(h, gone)
        key = (gone, round_.private if h.dealt else round_.public)
        if key not in self._draws:
            self._draws[key] = _draws(len(self.signals), self.weights, *key)
        return self._draws[key]

    @cached_property
    def _sound(self) -> bool:
        require_sound(self)
        return True

    @cached_property
    def _draws(self) -> dict[tuple[frozenset[int], int], list[tuple[Signals, Fraction]]]:
        return {}

    def _from_ranges(self, h: History, gone: frozenset[int]) -> list[tuple[Signals, Fraction]]:
        """Return the next deals of the first round for a game with ranges, and their probabilities.

        The probability of a deal is proportional to the total weight of its completions. A completion consists of the
        deal and a hand for each later player. The weight of a completion is the product of its hands' weights.
        """
        cache = self._range_draws
        key = (gone, h.dealt)
        if key not in cache:
            player = h.dealt - 1
            if player < 0:
                listed = [(public, 1) for public, _ in _draws(len(self.signals), None, gone, self._rounds[0].public)]
            else:
                listed = [hand for hand in self._ranges.listed[player] if gone.isdisjoint(hand[0])]
            used = sum(1 << signal for signal in gone)
            masses = [
                weight * self._ranges.mass(player + 1, used | sum(1 << signal for signal in drawn))
                for drawn, weight in listed
            ]
            total = sum(masses)
            if len(cache) >= _MOST_CACHED:
                cache.clear()
            cache[key] = [
                (drawn, Fraction(mass, total)) for (drawn, _), mass in zip(listed, masses, strict=True) if mass
            ]
        return cache[key]

    @cached_property
    def _range_draws(self) -> dict[tuple[frozenset[int], int], list[tuple[Signals, Fraction]]]:
        return {}

    @cached_property
    def _ranges(self) -> _Ranges:
        assert self.ranges is not None
        return _Ranges.of(self.ranges)


@dataclass(frozen=True, eq=False)
class _Ranges:
    """The hands of each player's range, sorted in colexicographic order, and the integer weights of these hands."""

    listed: tuple[list[tuple[Signals, int]], ...]  # player -> hands and weights
    mask: tuple[NDArray[np.uint64], ...]  # player -> a bit mask of the signals of each hand
    weight: tuple[NDArray[np.object_], ...]  # player -> the weight of each hand

    @classmethod
    def of(cls, ranges: Sequence[Mapping[Signals, Number]]) -> _Ranges:
        listed = []
        for range_ in ranges:
            whole, _ = over_one_denominator([exact_number(weight, "weight") for weight in range_.values()])
            both = [(hand, weight) for hand, weight in zip(range_, whole, strict=True) if weight]
            listed.append(sorted(both, key=lambda item: item[0][::-1]))
        mask = (np.array([sum(1 << s for s in hand) for hand, _ in hands], dtype=np.uint64) for hands in listed)
        weight = (np.array([weight for _, weight in hands], dtype=object) for hands in listed)
        return cls(tuple(listed), tuple(mask), tuple(weight))

    def mass(self, player: int, used: int) -> int:
        """Sum the weights of deals to ``player`` and later players. Skip deals with a signal in the mask ``used``."""
        if player == len(self.listed):
            return 1
        free = (self.mask[player] & np.uint64(used)) == 0
        if player + 1 == len(self.listed):
            return int(self.weight[player][free].sum())
        masks, weights = self.mask[player][free].tolist(), self.weight[player][free]
        return sum(
            int(weight) * self.mass(player + 1, used | mask) for mask, weight in zip(masks, weights, strict=True)
        )


def _draws(
    count: int, weights: Sequence[Fraction] | None, gone: frozenset[int], size: int
) -> list[tuple[Signals, Fraction]]:
    """Return all sets of ``size`` signals outside of ``gone``, each with its probability, in colexicographic order."""
    left = [signal for signal in range(count) if signal not in gone]
    sets = sorted(combinations(left, size), key=lambda signals: signals[::-1])
    if not sets:
        raise GameError(f"{size} signals cannot be dealt: only {len(left)} of {count} remain")
    if weights is None:
        return [(signals, Fraction(1, len(sets))) for signals in sets]
    weights = [Fraction(exact_number(weight, "weight")) for weight in weights]
    rest = sum((weights[signal] for signal in left), Fraction(0))
    return [(signals, drawn_chance(weights, signals, rest)) for signals in sets]


def drawn_chance(weights: Sequence[Fraction], signals: Signals, rest: Fraction) -> Fraction:
    """Return the probability that draws without replacement give the set ``signals``, in any order.

    ``rest`` is the sum of the weights of all signals that can be drawn, including ``signals``.
    """
    if not signals:
        return Fraction(1)
    chance = Fraction(0)
    for i, signal in enumerate(signals):
        weight = weights[signal]
        chance += weight / rest * drawn_chance(weights, signals[:i] + signals[i + 1 :], rest - weight)
    return chance
