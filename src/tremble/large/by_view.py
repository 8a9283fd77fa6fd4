"""Tables of games that are written as positions, in which the views of the players tell information sets apart.

A solver identifies a player's information set by the player's earlier views and actions and the current view. For games
written as positions, the set is a text: the labels and words that the player has heard. Both are the same if a player
hears nothing of the moves of others, and if the view after an own move tells the words of this move apart. Many board
games are of this kind. Then positions need not contain what the players have heard since their last moves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from tremble.errors import GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import DefaultRule
from tremble.large.position_rules import Move, PositionRules, may_be_merged, shown
from tremble.large.positions import Positions
from tremble.numbers import exact_numbers

__all__ = ["ByView", "merged_by_view"]


@dataclass(frozen=True)
class ByView:
    """A game in which views tell information sets apart, with positions as histories and views as observations."""

    rules: PositionRules

    def root(self) -> Any:
        """Return the first position."""
        return self.rules.start()

    def player(self, position: Any) -> int:
        """Return the player to move."""
        return self.rules.mover(position)

    def actions(self, position: Any) -> tuple[str, ...]:
        """Return the labels of the moves."""
        return tuple([move.label for move in self._moves(position)])

    def chance(self, position: Any) -> list[Fraction]:
        """Return the probabilities of the moves of chance."""
        return [Fraction(move.probability) for move in self._moves(position)]

    def child(self, position: Any, i: int) -> Any:
        """Return the position after a move."""
        return self._moves(position)[i].then

    def payoff(self, position: Any) -> Any:
        """Return the payoffs at the end."""
        return self.rules.result(position)

    def infoset(self, position: Any) -> Hashable:
        """Return the mover's view, which is not the whole key of an information set."""
        return self.observation(position, self.player(position))

    def observation(self, position: Any, player: int) -> Hashable:
        """Return a player's view."""
        return self.rules.view(position, player)

    def state_key(self, position: Any) -> Hashable:
        """Return the position."""
        key: Hashable = position
        return key

    def _moves(self, position: Any) -> tuple[Move, ...]:
        if self._last[:1] != [position]:
            self._last[:] = [position, self.rules.listed(position)]
        moves: tuple[Move, ...] = self._last[1]
        return moves

    @cached_property
    def _last(self) -> list[Any]:
        """The last position whose moves were asked for, and these moves. Callers ask for one move after another."""
        return []


def merged_by_view(
    rules: PositionRules, default: tuple[DefaultRule, DefaultRule], limit: int, check: Callable[[], None]
) -> Positions | None:
    """Return the positions of a game, all expanded, or None if there are more than ``limit``, or if views tell less.

    The function calls ``check`` for each position.
    """
    if not may_be_merged(rules):
        return None
    start = rules.start()
    found = Positions(rules, default, merge=True)
    table: tuple[list[Any], ...] = (
        found.mover, found.children, found.chance, found.view, found.default, found.payoff, found.history
    )  # fmt: skip
    for each in table:
        each.clear()
    by_rules = [rule.rule == "rules" for rule in default]
    number: dict[Hashable, int] = {start: 0}
    positions, views = [start], ({}, {})  # type: ignore[var-annotated]
    words: dict[tuple[int, Hashable, str, Hashable], str] = {}  # player, view, label, view after -> the player's word
    for position in positions:
        check()
        if len(positions) > limit:
            return None
        mover = rules.mover(position)
        view = choice = -1
        payoff: Any = 0
        odds: tuple[Fraction, ...] = ()
        children = []
        moves = () if mover == TERMINAL else rules.listed(position)
        if mover == TERMINAL:
            payoff = found.exact_payoff(rules.result(position))
        elif mover == CHANCE:
            odds = tuple(map(Fraction, exact_numbers((move.probability for move in moves), "chance probability")))
            found.has_chance = True
        else:
            seen = rules.view(position, mover)
            view, choice = views[mover].setdefault(seen, len(views[mover])), 0
            if by_rules[mover]:
                choice = rules.choice(position)
        for label, then, both, _ in moves:
            child = number.setdefault(then, len(positions))
            if child == len(positions):
                positions.append(then)
            children.append(child)
            if both[1 - mover] if mover >= 0 else both[0] or both[1]:
                return None
            if mover >= 0 and rules.mover(then) != TERMINAL:
                word = both[mover]
                if words.setdefault((mover, seen, label, rules.view(then, mover)), word) != word:
                    return None
        if (not children and mover != TERMINAL) or choice >= len(children) > 0 or (mover == CHANCE and sum(odds) != 1):
            raise GameError(f"the moves, their probabilities or the default do not fit at {shown(position)}")
        for values, value in zip(table, (mover, tuple(children), odds, view, choice, payoff, None), strict=True):
            values.append(value)
    _refuse_cycles(found.children)
    return found


def _refuse_cycles(children: list[tuple[int, ...] | None]) -> None:
    """Raise ``GameError`` if some moves lead back to the same position."""
    arriving = [0] * len(children)
    for below in children:
        for child in below or ():
            arriving[child] += 1
    waiting = [position for position, count in enumerate(arriving) if not count]
    for position in waiting:  # the list grows during the loop
        for child in children[position] or ():
            arriving[child] -= 1
            if not arriving[child]:
                waiting.append(child)
    if len(waiting) < len(children):
        raise GameError("some moves lead back to the same position: play could repeat itself forever")
