"""The betting of a Hold'em game from the flop, the turn or the river on, as one flat tree of all streets.

Nodes are numbered street by street. A *segment* contains the nodes of one street that follow one line of moves of the
earlier streets. Its nodes are numbered in preorder, so that each node has a greater number than its parent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.poker.holdem.sizes import ALL_IN, Size, Spot, rounded

__all__ = ["Betting", "BettingTree", "End", "Node", "Rows"]

MOST_NODES = 200_000


class End(IntEnum):
    """The ways in which a line of moves of one street ends."""

    FOLD = 2
    SHOWDOWN = 3
    DEAL = 4  # the next card is dealt, and a street with betting follows
    RUN_OUT = 5  # all chips are bet, and the missing cards are dealt


@dataclass(frozen=True)
class Betting:
    """The rules of the betting: stakes, sizes and limits.

    Attributes
    ----------
    streets : int
        The number of streets with betting.
    pot, stack, chip : Fraction
        The pot before the first bet, the chips that each player can bet, and the smallest chip.
    bets, raise_sizes : tuple
        The sizes of each player in each street, indexed by player and street.
    donks : tuple
        The sizes of player 1's bet, in each street, if player 2 has made the last wager of the street before. Or None,
        if ``bets`` apply.
    raises : int
        The largest number of raises in a street.
    add_all_in : Fraction
        All-in is also a bet if it is at most this part of the pot; 0 means never.
    force_all_in : Fraction
        A wager becomes all-in if a call would leave at most this part of the pot in the stacks.
    """

    streets: int
    pot: Fraction
    stack: Fraction
    chip: Fraction
    bets: tuple[tuple[tuple[Size, ...], ...], ...]
    raise_sizes: tuple[tuple[tuple[Size, ...], ...], ...]
    donks: tuple[tuple[Size, ...] | None, ...]
    raises: int
    add_all_in: Fraction = Fraction(0)
    force_all_in: Fraction = Fraction(0)


@dataclass(frozen=True)
class Node:
    """A node of the betting tree.

    Attributes
    ----------
    kind : int
        The index of the player who moves, or an :class:`End`.
    street : int
        The street, from 0.
    parent : int
        The number of the node before, or -1. The parent of a segment's root is the leaf of the street before.
    paid : pair of Fraction
        The chips that each player has bet so far, in all streets.
    actions : tuple of str
        The labels of the actions; empty at a leaf.
    child : tuple of int
        The number of the node after each action. At a leaf of the kind DEAL, the root of the next street.
    """

    kind: int
    street: int
    parent: int
    paid: tuple[Fraction, Fraction]
    actions: tuple[str, ...] = ()
    child: tuple[int, ...] = ()


class Rows(NamedTuple):
    """The rows of a player's tables. The action number k at a node has the row ``first[node] + k``."""

    first: NDArray[np.int64]  # the first row of each node at which the player moves; 0 at other nodes
    by_street: list[int]  # the number of rows of each street


@dataclass
class _Growing:
    """A node whose children may still be missing, and what the rules need to know about the street so far."""

    parent: int
    street: int
    paid: tuple[Fraction, Fraction]
    kind: int
    before: Fraction = Fraction(0)  # chips of each player at the start of the street
    last: Fraction = Fraction(0)  # the last wager of the street, beyond the call
    wagers: int = 0
    checked: bool = False
    led: int = -1  # the player who made the last wager of the street before, or -1
    actions: list[str] = field(default_factory=list)
    child: list[int] = field(default_factory=list)


class BettingTree:
    """All lines of moves of a betting.

    Attributes
    ----------
    nodes : list of Node
    segments : list of tuple (first, last, street)
        The nodes ``first`` to ``last - 1`` form a segment. The segments of a street are contiguous.

    Examples
    --------
    >>> from tremble.poker.holdem.sizes import by_street
    >>> half = by_street("50", 1, "bets")
    >>> betting = Betting(1, Fraction(10), Fraction(5), Fraction(1), (half, half), (half, half), (None,), 1)
    >>> [(int(node.kind), node.actions) for node in BettingTree(betting).nodes][:4]
    [(0, ('check', 'all-in')), (1, ('check', 'all-in')), (3, ()), (0, ('fold', 'call'))]
    """

    def __init__(self, betting: Betting) -> None:
        self.betting = betting
        self._growing: list[_Growing] = []
        self.segments: list[tuple[int, int, int]] = []
        nothing = (Fraction(0), Fraction(0))
        roots = deque([_Growing(-1, 0, nothing, 0)])
        while roots:
            first = len(self._growing)
            roots.extend(self._segment(roots.popleft()))
            self.segments.append((first, len(self._growing), self._growing[first].street))
        self.nodes = [
            Node(node.kind, node.street, node.parent, node.paid, tuple(node.actions), tuple(node.child))
            for node in self._growing
        ]
        del self._growing

    def _segment(self, root: _Growing) -> list[_Growing]:
        """Append the nodes of a segment, in preorder. Return the roots of the segments that follow it."""
        following = []
        stack = [root]
        while stack:
            node = stack.pop()
            number = len(self._growing)
            if number == MOST_NODES:
                raise TooLargeError(f"the betting has more than {MOST_NODES:,} nodes; use fewer sizes or fewer raises")
            self._growing.append(node)
            if node.parent >= 0:
                self._growing[node.parent].child.append(number)
            if node.kind == End.DEAL:
                following.append(_Growing(number, node.street + 1, node.paid, 0, before=node.paid[0], led=node.led))
            elif node.kind <= 1:
                below = list(self._moves(number, node))
                node.actions = [label for label, _ in below]
                stack.extend(reversed([child for _, child in below]))
        return following

    def _moves(self, number: int, node: _Growing) -> Iterator[tuple[str, _Growing]]:
        """Yield the label of each action at a decision, with the node after the action."""
        rules, mover = self.betting, node.kind
        paid, most = node.paid, max(node.paid)
        call = most - paid[mover]
        if call > 0:
            yield "fold", _Growing(number, node.street, paid, End.FOLD)
        matched = (most, most)
        if call == 0 and not node.checked:
            after = _Growing(number, node.street, paid, 1 - mover, node.before, checked=True, led=node.led)
        elif node.street == rules.streets - 1:
            after = _Growing(number, node.street, matched, End.SHOWDOWN)
        elif most == rules.stack:
            after = _Growing(number, node.street, matched, End.RUN_OUT)
        else:
            last = 1 - mover if call > 0 else -1  # the player whose wager was called
            after = _Growing(number, node.street, matched, End.DEAL, led=last)
        yield ("call" if call > 0 else "check"), after
        if most == rules.stack or (call > 0 and node.wagers > rules.raises):
            return
        for label, amount in self._wagers(node, call, most):
            stakes = (most + amount, paid[1]) if mover == 0 else (paid[0], most + amount)
            yield label, _Growing(number, node.street, stakes, 1 - mover, node.before, amount, node.wagers + 1)

    def _wagers(self, node: _Growing, call: Fraction, most: Fraction) -> list[tuple[str, Fraction]]:
        """Return the labels of bets or raises and their chips beyond the call, in ascending order."""
        rules, mover, street = self.betting, node.kind, node.street
        spot = Spot(rules.pot + 2 * most, most - node.before, rules.stack - most, rules.streets - street)
        sizes = (rules.raise_sizes if call > 0 else rules.bets)[mover][street]
        donk = rules.donks[street]
        if call == 0 and mover == 0 and node.led == 1 and donk is not None:
            sizes = donk
        word = "raise" if call > 0 else "bet"
        found: dict[Fraction, str] = {}
        for size in sizes:
            if size.kind == "x" and not call:
                continue  # a multiple of a bet is no size of a bet
            amount = rounded(size.chips(spot), rules.chip)
            after = spot.left - amount
            if after <= 0 or after <= rules.force_all_in * (spot.pot + 2 * amount):
                found.setdefault(spot.left, ALL_IN)
            elif amount >= node.last:
                found.setdefault(amount, f"{word} {size.text}")
        if rules.add_all_in and spot.left <= rules.add_all_in * spot.pot:
            found.setdefault(spot.left, ALL_IN)
        return sorted(((label, amount) for amount, label in found.items()), key=lambda pair: pair[1])

    @cached_property
    def rows(self) -> tuple[Rows, Rows]:
        """The rows of each player's tables: one for each action, numbered in each street."""
        one, two = (self._rows_of(player) for player in (0, 1))
        return one, two

    def _rows_of(self, player: int) -> Rows:
        first, count = np.zeros(len(self.nodes), dtype=np.int64), [0] * self.betting.streets
        for n, node in enumerate(self.nodes):
            if node.kind == player:
                first[n] = count[node.street]
                count[node.street] += len(node.actions)
        return Rows(first, count)

    def own_before(self, node: int) -> tuple[int, int]:
        """Return the last earlier decision of the player who moves at a node, and the number of the action taken there.

        Both numbers are -1 if it is the player's first decision.
        """
        player, last, above = self.nodes[node].kind, node, self.nodes[node].parent
        while above >= 0 and self.nodes[above].kind != player:
            last, above = above, self.nodes[above].parent
        return above, self.nodes[above].child.index(last) if above >= 0 else -1

    def next_card(self, node: int) -> str:
        """Return the name of the card that is dealt after a node."""
        return ("river card", "turn card")[self.betting.streets - self.nodes[node].street - 2]

    def span(self, street: int) -> tuple[int, int]:
        """Return the number of a street's first node, and the number after its last node."""
        spans = [(first, last) for first, last, here in self.segments if here == street]
        return spans[0][0], spans[-1][1]

    @cached_property
    def lines(self) -> list[tuple[tuple[str, ...], ...]]:
        """The labels of the moves before each node, in a tuple for each street so far."""
        found: list[tuple[tuple[str, ...], ...]] = []
        for number, node in enumerate(self.nodes):
            if node.parent < 0:
                found.append(((),))
                continue
            above, before = self.nodes[node.parent], found[node.parent]
            if above.kind == End.DEAL:
                found.append((*before, ()))
            else:
                label = above.actions[above.child.index(number)]
                found.append((*before[:-1], (*before[-1], label)))
        return found
