"""Games with strategies, for :mod:`tremble.show.playing`: a base class, and a subclass for each kind of game.

``Playable.rules`` contains the game: the players who move, the actions, chance and the payoffs. ``Playable`` adds the
probabilities of the strategies, the knowledge of the player who moves (the *mover*), and the cost of each action. The
base class finds the knowledge and the costs by a search. A subclass can override these methods with a faster
computation.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count, pairwise
from typing import Any, NamedTuple

import numpy as np

from tremble.errors import GameError
from tremble.formats.given_profile import NOT_OF_RULES, ProfileLike, given_profile
from tremble.game.kinds import hands_kind, kind_of
from tremble.game.protocol import CHANCE, TERMINAL, Game
from tremble.game.requirements import parent_sequence
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy, key_text
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_rules import RulesOfTree
from tremble.numbers import exact_numbers, exact_payoffs
from tremble.solution.assessment import Assessment
from tremble.solution.claim import Profile
from tremble.solution.parts import OfRules, of_rules

__all__ = ["BAR", "Event", "Line", "Playable", "PlayableOrdered", "PlayableRules", "PlayableTree", "playable_game"]

BAR = " | "  # separates the player's signals from the public signals in labels of ordered games

_MOST_HISTORIES = 300_000  # limit on the histories of a search; a search of this size takes one or two seconds


class Line(NamedTuple):
    """The course of a hand so far."""

    histories: tuple[Any, ...]  # all histories from the root to the present history
    actions: tuple[int, ...] = ()  # positions of the actions between these histories

    @property
    def here(self) -> Any:
        """The history at the end of the line."""
        return self.histories[-1]

    def then(self, action: int, history: Any) -> Line:
        """Return the line after one more action."""
        return Line((*self.histories, history), (*self.actions, action))

    def until(self, number: int) -> Line:
        """Return the line that ends before action ``number``."""
        return Line(self.histories[: number + 1], self.actions[:number])


class Event(NamedTuple):
    """A player's knowledge of a past move or deal."""

    player: int | None  # 0, 1 or CHANCE; None if the mover is hidden
    action: str | None  # None if the action is hidden


Weighted = list[tuple[Line, Fraction]]


class _TooManyHistoriesError(Exception):
    """A search has exceeded the limit on histories."""


class Playable:
    """A game and the strategies of both players.

    The methods accept only lines that end at a move of a player. ``named`` has the title and the names of the players.
    ``most`` is the greatest number of histories in a search.
    """

    def __init__(self, rules: Game, named: GameTree | UnbuiltGame, most: int = _MOST_HISTORIES) -> None:
        self.rules, self.title, self.players = rules, named.title, named.players
        self._most = most

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """Return the probabilities of the mover's strategy, one for each action."""
        raise NotImplementedError

    def label(self, line: Line) -> str:
        """Return the name of the mover's information set."""
        return key_text(self.rules, line.here)

    def seen(self, line: Line) -> tuple[Event, ...]:
        """Return the past events that the mover knows, in order. Events that the label describes may be missing."""
        rules, mover = self.rules, self.rules.player(line.here)
        before = zip(line.histories, line.actions, strict=False)
        return tuple(Event(mover, rules.actions(h)[i]) for h, i in before if rules.player(h) == mover)

    def overall(self, line: Line, number: int) -> Sequence[Fraction] | None:
        """Return the opponent's mean play at history ``number``, over all information sets where it may have been.

        Return None if the mean play is unknown.
        """
        return None

    def possible(self, line: Line) -> Weighted | None:
        """Return all lines that the mover cannot distinguish from this line, with their likelihoods.

        The likelihoods are positive and have a common scale. They do not include the probabilities of the mover's own
        moves. Return None if there are too many lines.
        """
        rules, me, steps = self.rules, self.rules.player(line.here), count(1)
        lines: Weighted = [(Line((rules.root(),)), Fraction(1))]
        try:
            for number, h in enumerate(line.histories):
                if rules.player(h) != me:
                    continue
                key = rules.infoset(h)
                ends = [(past, p) for past, p in self._onward(lines, me, steps) if rules.player(past.here) == me]
                lines = [(past, p) for past, p in ends if rules.infoset(past.here) == key]
                if number < len(line.actions):
                    action = line.actions[number]
                    lines = [(past.then(action, rules.child(past.here, action)), p) for past, p in lines]
        except _TooManyHistoriesError:
            return None
        return lines

    def losses(self, line: Line) -> tuple[Fraction, ...] | None:
        r"""Return the exact cost of each action in payoff units of the mover, or None if the costs are not computed.

        The cost of the action a is :math:`\max_b Q(b) - Q(a)`. Q is the expected payoff of the mover against the
        opponent's strategy, given the mover's knowledge, if the mover plays a best response afterwards.
        """
        possible = self.possible(line)
        try:
            values = None if possible is None else self._values(possible)
        except _TooManyHistoriesError:
            return None
        if possible is None or values is None:
            return None
        total = sum(p for _, p in possible)
        return tuple((max(values) - value) / total for value in values)

    def _values(self, start: Weighted) -> list[Fraction] | None:
        """Return the value of each action at an information set, times the likelihood of the set.

        Return None if the mover lacks perfect recall, because it can then reach a later set by different moves.
        """
        rules, me, steps = self.rules, self.rules.player(start[0][0].here), count(1)
        sets: list[tuple[int, int, Weighted]] = [(-1, -1, start)]  # the previous set, the action there, the histories
        values: list[list[Fraction]] = []
        met: set[Hashable] = {rules.infoset(start[0][0].here)}
        for number, (_, _, lines) in enumerate(sets):  # the loop appends to the list
            values.append([])
            for action in range(len(rules.actions(lines[0][0].here))):
                earned, later = Fraction(0), dict[Hashable, Weighted]()
                after = ((Line((rules.child(past.here, action),)), p) for past, p in lines)
                for past, p in self._onward(after, me, steps):
                    if rules.player(past.here) == me:
                        later.setdefault(rules.infoset(past.here), []).append((past, p))
                    else:
                        earned += p * exact_payoffs(rules.payoff(past.here))[me]
                if met & later.keys():
                    return None
                met.update(later)
                sets.extend((number, action, following) for following in later.values())
                values[number].append(earned)
        for number in range(len(sets) - 1, 0, -1):
            before, action, _ = sets[number]
            values[before][action] += max(values[number])
        return values[0]

    def _onward(self, lines: Iterable[tuple[Line, Fraction]], me: int, steps: Iterator[int]) -> Weighted:
        """Follow lines through chance and the opponent's strategy to the next move of player ``me`` or to the end."""
        rules, ends, stack = self.rules, [], list(lines)
        while stack:
            if next(steps) > self._most:
                raise _TooManyHistoriesError
            past, weight = stack.pop()
            h, player = past.here, rules.player(past.here)
            if player in (me, TERMINAL):
                ends.append((past, weight))
                continue
            chance = player == CHANCE
            shares = exact_numbers(rules.chance(h), "chance probability") if chance else self.probabilities(past)
            stack.extend((past.then(i, rules.child(h, i)), weight * p) for i, p in enumerate(shares) if p)
        return ends


class PlayableRules(Playable):
    """Rules of a game that is not built. Each strategy has a row for some information sets, and a default."""

    def __init__(
        self, game: UnbuiltGame, profile: tuple[UnbuiltStrategy, UnbuiltStrategy], most: int = _MOST_HISTORIES
    ) -> None:
        super().__init__(game.rules, game, most)
        self._sides = kind_of(game, profile).sides(profile)

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """Return the probabilities in the row of the information set, or in the default."""
        side, key = self._sides[self.rules.player(line.here)], self.rules.infoset(line.here)
        labels, _, moves, _ = side.decisions.get(key) or side.decide(line.here, key)
        row = [Fraction(0)] * len(labels)
        for i, top, bottom in moves:
            row[i] = Fraction(top, bottom)
        return row


class PlayableTree(Playable):
    """A tree with a profile. A history is a node."""

    def __init__(self, tree: GameTree, profile: tuple[BehaviorStrategy, BehaviorStrategy]) -> None:
        super().__init__(RulesOfTree(tree), tree)
        self._tree, self._assessment = tree, Assessment(tree, profile)

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """Return the probabilities of the actions at the information set."""
        mover, k = self._set(line)
        return [Fraction(p) for p in self._assessment.profile[mover].row(k)]

    def label(self, line: Line) -> str:
        """Return the label of the information set. If the label is empty, return a text with the number of the set."""
        mover, k = self._set(line)
        return self._tree.infoset_labels[mover][k] or f"information set {k + 1}"

    def seen(self, line: Line) -> tuple[Event, ...]:
        """Return the events that are common to all nodes of the information set.

        If the nodes have different depths, return only the mover's own moves.
        """
        tree, (mover, k) = self._tree, self._set(line)
        nodes = np.flatnonzero((tree.player == mover) & (tree.infoset == k))
        depth = np.searchsorted(tree.level, nodes, side="right") - 1
        if depth.max() > depth.min():
            return super().seen(line)
        events = []
        while nodes[0]:
            above = tree.parent[nodes]
            movers = set(tree.player[above].tolist())
            actions = zip(above.tolist(), tree.action[nodes].tolist(), strict=True)
            labels = {tree.labels(node)[i] for node, i in actions}
            known = len(movers) == 1
            events.append(Event(movers.pop() if known else None, labels.pop() if known and len(labels) == 1 else None))
            nodes = np.unique(above)
        return tuple(reversed(events))

    def possible(self, line: Line) -> Weighted | None:
        """Search the tree for lines that the mover cannot distinguish.

        Return None if the mover lacks perfect recall, because its own moves then affect the likelihoods.
        """
        forgets = parent_sequence(self._tree, self._set(line)[0]) is None
        return None if forgets else super().possible(line)

    def losses(self, line: Line) -> tuple[Fraction, ...] | None:
        """Compute the costs from the values of all sequences. Return None if the mover lacks perfect recall."""
        values = self._assessment.best_values_at(*self._set(line))
        return None if values is None else tuple(max(values) - value for value in values)

    def _set(self, line: Line) -> tuple[int, int]:
        return int(self._tree.player[line.here]), int(self._tree.infoset[line.here])


class PlayableOrdered(Playable):
    """An ordered game with a profile. The adapter of the game computes ranges and costs from the deals."""

    def __init__(self, game: UnbuiltGame, profile: tuple[Any, Any]) -> None:
        super().__init__(game.rules, game)
        self._game: Any = game.rules
        self._play = hands_kind(game).in_play(profile)

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """Return the probabilities for the class of the mover's hand."""
        return self._play.probabilities(line.here)

    def label(self, line: Line) -> str:
        """Return the mover's signals and the public signals, separated by a bar."""
        hands = (line.here.private[self._game.player(line.here)], line.here.public)
        return BAR.join(" ".join(self._game.signals[s] for s in signals) for signals in hands if signals)

    def seen(self, line: Line) -> tuple[Event, ...]:
        """Return all moves and deals. The opponent's signals are hidden."""
        me = self._game.player(line.here)
        events = []
        for h, action in zip(line.histories, line.actions, strict=False):
            mover = self._game.player(h)
            hidden = mover == CHANCE and h.dealt == 2 - me
            events.append(Event(mover, None if hidden else self._game.actions(h)[action]))
        return tuple(events)

    def overall(self, line: Line, number: int) -> Sequence[Fraction]:
        """Return the opponent's mean play. It follows from the weights of its range before and after the move."""
        return self._play.overall(line.histories[number])

    def possible(self, line: Line) -> Weighted:
        """Return a line for each possible hand of the opponent, with its likelihood."""
        other = 1 - self._game.player(line.here)
        return [(self._with_hand(line, other, hand), weight) for hand, weight in self._play.other_hands(line.here)]

    def losses(self, line: Line) -> tuple[Fraction, ...] | None:
        """Compute the costs as sums over all deals and lines that can follow.

        Return None if the opponent's strategy never reaches the present history.
        """
        return self._play.losses(line.here)

    def _with_hand(self, line: Line, player: int, hand: tuple[int, ...]) -> Line:
        """Return the line with another hand of a player.

        The positions of the deals change, because they depend on the remaining signals.
        """
        histories = [
            h._replace(private=tuple(hand[: len(s)] if p == player else s for p, s in enumerate(h.private)))
            for h in line.histories
        ]
        actions = list(line.actions)
        for number, (h, then) in enumerate(pairwise(histories)):
            if self._game.player(h) == CHANCE:
                seen, now = (g.public if h.dealt == 0 else g.private[h.dealt - 1] for g in (h, then))
                text = self._game.signal_text(now[len(seen) :])
                named = (i for i, action in enumerate(self._game.actions(h)) if action == text)
                actions[number] = next(i for i in named if self._game.child(h, i) == then)
        return Line(tuple(histories), tuple(actions))


_KINDS: Mapping[str, Any] = {"tree": PlayableTree, "rules": PlayableRules, "ordered": PlayableOrdered}
"""Kind of a game -> subclass for this kind."""


def playable_game(game: GameTree | UnbuiltGame, strategies: ProfileLike | OfRules) -> Playable:
    """Return a :class:`Playable` for a game and the strategies of both players.

    For a tree, :func:`tremble.nash_conv` lists the accepted forms of a profile. For a game that is not built, the
    profile must be a pair of ``UnbuiltStrategy``, a pair of ``OrderedStrategy``, or a solution. The function raises
    ``GameError`` if the strategies belong to another game, and ``CertificateError`` if a row of an ``UnbuiltStrategy``
    is not a probability distribution.
    """
    profile: Profile | None = of_rules(strategies)
    if profile is None:
        if not isinstance(game, GameTree):
            raise GameError(NOT_OF_RULES)
        profile = given_profile(game, strategies, exact=True).strategies
    playable: Playable = _KINDS[kind_of(game, profile).name](game, profile)
    return playable
