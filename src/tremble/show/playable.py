"""Games with strategies for both players, in the form that :mod:`tremble.show.playing` needs to play hands.

``Playable.rules`` contains the rules: who moves, the actions, chance and the payoffs. A :class:`Playable` adds the
probabilities of the strategies, the knowledge of the player who moves (the *mover*), and the cost of each action. The
base class finds the knowledge and the costs by a search of the game. A subclass for one kind of game can compute them
faster. A *history* is a position in the game, and a *line* is the sequence of histories and actions of a hand so far.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count, pairwise
from typing import Any, NamedTuple

import numpy as np

from tremble.errors import GameError
from tremble.formats.given_profile import NOT_OF_RULES, ProfileLike, given_profile
from tremble.game.hands import hands_kind
from tremble.game.kinds import kind_of
from tremble.game.protocol import CHANCE, TERMINAL, Game
from tremble.game.requirements import parent_sequence
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy, key_text
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_rules import RulesOfTree
from tremble.numbers import exact_numbers, exact_payoffs
from tremble.solution.assessment import Assessment
from tremble.solution.claim import Profile
from tremble.solution.claims import OfRules, of_rules

__all__ = ["BAR", "Event", "Line", "Playable", "PlayableOrdered", "PlayableRules", "PlayableTree", "playable_game"]

BAR = " | "  # separates the player's signals from the public signals in labels of ordered games

_MOST_HISTORIES = 300_000  # greatest number of histories in a search; this many take one or two seconds


class Line(NamedTuple):
    """The course of a hand so far: all histories from the root, and the actions between them."""

    histories: tuple[Any, ...]  # all histories from the root to the present history
    actions: tuple[int, ...] = ()  # positions of the chosen actions; action i leads from history i to history i + 1

    @property
    def here(self) -> Any:
        """The current history, the last entry of ``histories``."""
        return self.histories[-1]

    def then(self, action: int, history: Any) -> Line:
        """Return this line with one more action and the history after this action."""
        return Line((*self.histories, history), (*self.actions, action))

    def until(self, number: int) -> Line:
        """Return the line up to the history with index ``number``, without the action after this history."""
        return Line(self.histories[: number + 1], self.actions[:number])


class Event(NamedTuple):
    """A past move or deal, as a player knows it."""

    player: int | None  # 0, 1 or CHANCE; None if the mover is hidden
    action: str | None  # None if the action is hidden


Weighted = list[tuple[Line, Fraction]]


class _TooManyHistoriesError(Exception):
    """A search has visited too many histories."""


class Playable:
    """A game and the strategies of both players, for playing hands.

    A line is the course of a hand so far. The methods need a line after which a player, the *mover*, has to move.
    ``named`` is the game with its title and the players' names. A search visits at most ``most`` histories.
    """

    def __init__(self, rules: Game, named: GameTree | UnbuiltGame, most: int = _MOST_HISTORIES) -> None:
        self.rules, self.title, self.players = rules, named.title, named.players
        self._most = most

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """Return the probability of each action in the mover's strategy."""
        raise NotImplementedError

    def label(self, line: Line) -> str:
        """Return a text that names the mover's information set."""
        return key_text(self.rules, line.here)

    def seen(self, line: Line) -> tuple[Event, ...]:
        """Return past events that the mover knows, in order.

        The base class returns only the mover's own moves. The text from :meth:`label` may describe all other events.
        """
        rules, mover = self.rules, self.rules.player(line.here)
        before = zip(line.histories, line.actions, strict=False)
        return tuple(Event(mover, rules.actions(h)[i]) for h, i in before if rules.player(h) == mover)

    def overall(self, line: Line, number: int) -> Sequence[Fraction] | None:
        """Return the opponent's mean probability of each action at the past history ``line.histories[number]``.

        The mean is over the opponent's information sets that the mover at the end of the line considers possible.
        Return None if the mean is unknown.
        """
        return None

    def possible(self, line: Line) -> Weighted | None:
        """Return all lines that the mover cannot distinguish from ``line``, each with its likelihood.

        A line's likelihood is the product of the probabilities of its moves by chance and the opponent. It is positive.
        A subclass may scale all likelihoods by one factor. Return None if the search is too large.
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

        The cost of the action a is :math:`\max_b Q(b) - Q(a)`. Q(a) is the mover's expected payoff, given the mover's
        knowledge, if the mover plays a and then a best response to the opponent's strategy.
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
        """Return the mover's expected payoff for each action if the mover plays a best response afterwards.

        ``start`` lists the lines to one information set, each with its likelihood. Each payoff is a sum over these
        lines, weighted with the likelihoods. The likelihoods need not sum to 1.

        Return None if different moves of the mover lead to the same later information set (imperfect recall).
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
        """Extend each line by all moves of chance and the opponent, until ``me`` must move or the play ends.

        Return the extended lines with their likelihoods.
        """
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
    """A game that is given by its rules, without a tree.

    Each strategy has a row of probabilities for some information sets, and a default action for all other sets.
    """

    def __init__(
        self, game: UnbuiltGame, profile: tuple[UnbuiltStrategy, UnbuiltStrategy], most: int = _MOST_HISTORIES
    ) -> None:
        super().__init__(game.rules, game, most)
        self._sides = kind_of(game, profile).sides(profile)

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """Return the mover's row for the information set. Without a row, the default action has probability 1."""
        side, key = self._sides[self.rules.player(line.here)], self.rules.infoset(line.here)
        labels, _, moves, _ = side.decisions.get(key) or side.decide(line.here, key)
        row = [Fraction(0)] * len(labels)
        for i, top, bottom in moves:
            row[i] = Fraction(top, bottom)
        return row


class PlayableTree(Playable):
    """A game to play, given by a tree and a profile. A history is a node of the tree."""

    def __init__(self, tree: GameTree, profile: tuple[BehaviorStrategy, BehaviorStrategy]) -> None:
        super().__init__(RulesOfTree(tree), tree)
        self._tree, self._assessment = tree, Assessment(tree, profile)

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """Return the probabilities of the actions at the information set."""
        mover, k = self._set(line)
        return [Fraction(p) for p in self._assessment.profile[mover].row(k)]

    def label(self, line: Line) -> str:
        """Return the label of the information set, or a text with its number if the label is empty."""
        mover, k = self._set(line)
        return self._tree.infoset_labels[mover][k] or f"information set {k + 1}"

    def seen(self, line: Line) -> tuple[Event, ...]:
        """Return the past events that are equal at all nodes of the information set.

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
        """Search the tree for all lines that the mover cannot distinguish from ``line``, each with its likelihood.

        Return None for a mover without perfect recall, because its own moves would affect the likelihoods.
        """
        forgets = parent_sequence(self._tree, self._set(line)[0]) is None
        return None if forgets else super().possible(line)

    def losses(self, line: Line) -> tuple[Fraction, ...] | None:
        """Compute the costs of the actions from values at all information sets. Without perfect recall, return None."""
        values = self._assessment.best_values_at(*self._set(line))
        return None if values is None else tuple(max(values) - value for value in values)

    def _set(self, line: Line) -> tuple[int, int]:
        return int(self._tree.player[line.here]), int(self._tree.infoset[line.here])


class PlayableOrdered(Playable):
    """A profile in an *ordered game*, in which players hold hands of private signals and bet in rounds.

    The class computes likelihoods of hands and costs of moves from arrays of all deals, without a search.
    """

    def __init__(self, game: UnbuiltGame, profile: tuple[Any, Any]) -> None:
        super().__init__(game.rules, game)
        self._play = hands_kind(game).in_play(profile)

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """Return the mover's probabilities, which are equal for all hands of the same class."""
        return self._play.probabilities(line.here)

    def label(self, line: Line) -> str:
        """Return the mover's signals and the public signals, separated by a bar."""
        return BAR.join(filter(None, map(" ".join, self._play.known(line.here))))

    def seen(self, line: Line) -> tuple[Event, ...]:
        """Return all past moves and deals, in order, with the opponent's signals hidden."""
        rules, me = self.rules, self.rules.player(line.here)
        events = []
        for h, action in zip(line.histories, line.actions, strict=False):
            mover = rules.player(h)
            hidden = mover == CHANCE and self._play.deals_to(h) == 1 - me
            events.append(Event(mover, None if hidden else rules.actions(h)[action]))
        return tuple(events)

    def overall(self, line: Line, number: int) -> Sequence[Fraction]:
        """Return action probabilities at history ``number`` of ``line``, averaged over the opponent's hands."""
        return self._play.overall(line.histories[number])

    def possible(self, line: Line) -> Weighted:
        """Return a pair for each possible hand of the opponent: ``line`` with this hand, and the hand's weight."""
        other = 1 - self.rules.player(line.here)
        return [(self._with_hand(line, other, hand), weight) for hand, weight in self._play.other_hands(line.here)]

    def losses(self, line: Line) -> tuple[Fraction, ...] | None:
        """Compute the costs of the actions as sums over all deals and moves that can follow.

        Return None if the opponent's strategy never reaches the present history.
        """
        return self._play.losses(line.here)

    def _with_hand(self, line: Line, player: int, hand: Any) -> Line:
        """Return ``line`` with ``hand`` in place of a player's hand.

        The positions of the chance actions change too, because the list of possible deals depends on the hands.
        """
        histories = [self._play.with_hand(h, player, hand) for h in line.histories]
        actions = [
            self._play.deal_between(h, then) if self.rules.player(h) == CHANCE else action
            for (h, then), action in zip(pairwise(histories), line.actions, strict=True)
        ]
        return Line(tuple(histories), tuple(actions))


_KINDS: Mapping[str, Any] = {"tree": PlayableTree, "rules": PlayableRules, "ordered": PlayableOrdered}
"""Kind of a game (tree, rules, ordered game) -> subclass of Playable."""


def playable_game(game: GameTree | UnbuiltGame, strategies: ProfileLike | OfRules) -> Playable:
    """Combine a game and the strategies of both players, for playing hands.

    For a tree, :func:`tremble.nash_conv` lists the accepted forms of ``strategies``. For a game without a tree, pass a
    pair of ``UnbuiltStrategy``, a pair of ``OrderedStrategy``, or a solution. The function raises ``GameError`` if the
    strategies belong to another game, and ``CertificateError`` if a row of an ``UnbuiltStrategy`` is not a probability
    distribution.
    """
    profile: Profile | None = of_rules(strategies)
    if profile is None:
        if not isinstance(game, GameTree):
            raise GameError(NOT_OF_RULES)
        profile = given_profile(game, strategies, exact=True).strategies
    playable: Playable = _KINDS[kind_of(game, profile).name](game, profile)
    return playable
