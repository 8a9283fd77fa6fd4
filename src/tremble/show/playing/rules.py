"""Hands by rules that are not built: what an information set lets happen is searched while it is small enough."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tremble.errors import CertificateError
from tremble.game.protocol import CHANCE, TERMINAL, Game
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy, key_text
from tremble.numbers import exact_numbers, exact_payoffs
from tremble.show.playing.protocol import Event, Line, own_moves
from tremble.verifier.profiles.rows import StatedPlay, row_faults

__all__ = ["PlayableRules"]

MANY_HISTORIES = 300_000  # a second or two of searching


@dataclass
class _Set:
    """An information set of the mover below the one that is asked about."""

    above: int  # number of the set that it follows, and the action there
    action: int
    histories: list[tuple[Any, Fraction]]
    earned: list[Fraction] = field(default_factory=list)  # by each action, weighed with how likely the histories are


class PlayableRules:
    """Rules with a profile by exception; ``most`` histories are searched for what moves cost."""

    def __init__(
        self, game: UnbuiltGame, profile: tuple[UnbuiltStrategy, UnbuiltStrategy], most: int = MANY_HISTORIES
    ) -> None:
        for fault in (fault for strategy in profile for fault in row_faults(strategy)):
            raise CertificateError(fault)
        self.rules: Game = game.rules
        self.title = game.title
        self.players = game.players
        self._sides = StatedPlay(game.rules, profile[0]), StatedPlay(game.rules, profile[1])
        self._most = most

    def label(self, line: Line) -> str:
        """The key of the set."""
        return key_text(self.rules, line.here)

    def seen(self, line: Line) -> tuple[Event, ...]:
        """The mover's own moves; what else it knows, the key tells."""
        return own_moves(self, line)

    def probabilities(self, line: Line) -> Sequence[Fraction]:
        """The row of the set, or the default."""
        played = dict(self._played(line.here))
        return [played.get(i, Fraction(0)) for i in range(len(self.rules.actions(line.here)))]

    def _played(self, h: Any) -> Iterator[tuple[int, Fraction]]:
        """What a strategy plays, without what it never does."""
        side, key = self._sides[self.rules.player(h) == 1], self.rules.infoset(h)
        moves = (side.decisions.get(key) or side.decide(h, key))[2]
        return ((i, Fraction(top, bottom)) for i, top, bottom in moves)

    def _onward(self, h: Any) -> Iterator[tuple[int, Fraction]]:
        """What chance or a strategy lets happen."""
        if self.rules.player(h) != CHANCE:
            return self._played(h)
        return ((i, Fraction(p)) for i, p in enumerate(exact_numbers(self.rules.chance(h), "chance probability")) if p)

    def possible(self, line: Line) -> Sequence[tuple[Line, Fraction]] | None:
        """All lines that chance and the other's strategy let happen, with the same information at each own move."""
        rules, me = self.rules, self.rules.player(line.here)
        own = [number for number, h in enumerate(line.histories) if rules.player(h) == me]
        keys = [rules.infoset(line.histories[number]) for number in own]
        moves = [line.actions[number] for number in own[:-1]]
        lines: list[tuple[Line, Fraction]] = []
        stack = [(Line((rules.root(),)), Fraction(1), 0)]
        looked = 0
        while stack:
            looked += 1
            if looked > self._most:
                return None
            past, weight, done = stack.pop()
            h = past.here
            player = rules.player(h)
            if player == me:
                if rules.infoset(h) != keys[done]:
                    continue
                if done == len(moves):
                    lines.append((past, weight))
                else:
                    stack.append((past.then(moves[done], rules.child(h, moves[done])), weight, done + 1))
            elif player != TERMINAL:
                stack.extend((past.then(i, rules.child(h, i)), weight * p, done) for i, p in self._onward(h))
        return lines

    def overall(self, line: Line, number: int) -> None:
        """Not computed: what the mover knew then need not be an information set of its own."""

    def losses(self, line: Line) -> tuple[Fraction, ...] | None:
        """By a search from the possible histories to the end; None if it is too long, or the mover forgets."""
        possible = self.possible(line)
        if possible is None:
            return None
        worth = self._worth([(past.here, weight) for past, weight in possible])
        if worth is None:
            return None
        total = sum(weight for _, weight in possible)
        return tuple((max(worth) - value) / total for value in worth)

    def _worth(self, start: list[tuple[Any, Fraction]]) -> list[Fraction] | None:
        """What each action earns at an information set if a best response follows, weighed with its histories.

        None if there are too many histories, or the mover comes to one set below by different moves of its own.
        """
        rules, me = self.rules, self.rules.player(start[0][0])
        sets = [_Set(-1, -1, start)]
        met: set[Hashable] = {rules.infoset(start[0][0])}
        looked = 0
        for number, here in enumerate(sets):  # which grows while it is read
            for action in range(len(rules.actions(here.histories[0][0]))):
                following: dict[Hashable, list[tuple[Any, Fraction]]] = {}
                earned = Fraction(0)
                stack = [(rules.child(h, action), weight) for h, weight in here.histories]
                while stack:
                    looked += 1
                    if looked > self._most:
                        return None
                    h, weight = stack.pop()
                    player = rules.player(h)
                    if player == TERMINAL:
                        earned += weight * exact_payoffs(rules.payoff(h))[me]
                    elif player == me:
                        following.setdefault(rules.infoset(h), []).append((h, weight))
                    else:
                        stack.extend((rules.child(h, i), weight * p) for i, p in self._onward(h))
                here.earned.append(earned)
                if met & following.keys():
                    return None
                met.update(following)
                sets.extend(_Set(number, action, histories) for histories in following.values())
        for below in reversed(sets[1:]):
            sets[below.above].earned[below.action] += max(below.earned)
        return sets[0].earned
