r"""Locked decisions of Hold'em: a player's hands that act with given frequencies.

At a locked decision, the hand's action is drawn like a card, with the given frequencies. Both players know them. So a
game with locks is a game with more chance moves, its payoffs have a constant sum if those of the game without locks
have one, and its equilibrium is the best that both players can do if the locked hands play as stated.

*Whole numbers.*  A strategy states plans as whole numbers (`plans`). At a locked decision, the plan must satisfy
:math:`D \, x_a = n_a \, x`, where x is the number of the own move before, and :math:`n_a / D` the frequency of action
a. So x must be a multiple of D. Let D be the common denominator of all frequencies at one node of the betting tree. The
*scale* of a node is the least number of which all plans before it must be multiples: the least common multiple of the
scales of the nodes after it, times D if the node is locked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.numbers import exact_number
from tremble.poker.games.hand_ranges import DECK, parse_range, short_text, with_commas
from tremble.poker.holdem.betting import BettingTree
from tremble.poker.holdem.deal import Deal
from tremble.poker.holdem.moves import decision_after, moves_before
from tremble.run.text_file import read_text
from tremble.solution.schema import Reader, named

__all__ = ["Locks", "lock_text", "shortest_lock"]

IntArray = NDArray[np.int64]

_Shares = tuple[Fraction, ...]  # the frequency of each action
_Tables = dict[tuple[int, int], dict[int, _Shares]]  # (node, state) -> hand -> frequencies

_LARGEST = 2**40  # common denominator of the frequencies at one node


class _Entry(NamedTuple):
    line: str
    hands: str
    shares: Mapping[str, Any]  # action -> frequency
    where: str  # for messages


@dataclass(frozen=True, eq=False)
class Locks:
    """The locked decisions of both players.

    Attributes
    ----------
    units : dict of int to int
        Node of the betting tree -> the common denominator of all frequencies at this node. Only locked nodes.
    shares : dict of (node, state) to int array [hands, actions]
        The frequencies of the hands of the player who moves, times the denominator; -1 for hands that are not locked.
        :mod:`tremble.poker.holdem.deal` describes the numbers of states.
    """

    units: dict[int, int] = field(default_factory=dict)
    shares: dict[tuple[int, int], IntArray] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, tree: BettingTree, deal: Deal) -> Locks:
        """Read the text of locks, as :func:`lock_text` and :func:`shortest_lock` write it.

        Raises
        ------
        SpecError
            A line or a hand does not exist, or the frequencies are not those of all actions.
        """
        found: _Tables = {}
        tables = _tables(text, tree, deal)
        for node, state in sorted(tables, key=lambda place: -place[1]):  # those of given cards first
            listed = tables[node, state]
            for each in deal.states(tree.nodes[node].street, state):
                found[node, each] = listed | found.get((node, each), {})
        units: dict[int, int] = {}
        for (node, _), listed in found.items():
            denominators = (share.denominator for shares in listed.values() for share in shares)
            units[node] = lcm(units.get(node, 1), *denominators)
            if units[node] > _LARGEST:
                raise SpecError("lock: the frequencies at one decision have too many digits; round them")
        arrays = {}
        for (node, state), listed in found.items():
            player, actions = tree.nodes[node].kind, tree.nodes[node].actions
            arrays[node, state] = table = np.full((len(deal.cards[player]), len(actions)), -1, dtype=np.int64)
            for hand, shares in listed.items():
                table[hand] = [int(share * units[node]) for share in shares]
        return cls(units, arrays)

    def at(self, node: int, state: int) -> IntArray | None:
        """Return the frequencies at a decision, times the denominator of the node, or None if no hand is locked."""
        return self.shares.get((node, state))

    def scales(self, tree: BettingTree, player: int) -> list[int]:
        """Return the scale of each node for a player's plans."""
        found = [1] * len(tree.nodes)
        for n in range(len(tree.nodes) - 1, -1, -1):
            node = tree.nodes[n]
            found[n] = lcm(*(found[child] for child in node.child))
            if node.kind == player:
                found[n] *= self.units.get(n, 1)
        return found


# -- texts and files -------------------------------------------------------------------------------------


def lock_text(given: object) -> str:
    """Return locks as one line of text: ``LINE | HANDS | ACTION SHARE + ACTION SHARE``, with ``;`` between entries.

    Parameters
    ----------
    given : str or mapping
        A text of this form, the path of a JSON file, or what such a file contains: a mapping from lines of moves to
        hands to actions to frequencies.

    Examples
    --------
    >>> lock_text({"check, bet 75": {"AA, KK": {"call": "1/2", "fold": "1/2"}, "random": {"fold": 1}}})
    'check, bet 75 | AA,KK | call 1/2 + fold 1/2; check, bet 75 | random | fold 1'
    """
    if isinstance(given, str) and (not given.strip() or "|" in given):
        return "; ".join(_text(entry) for entry in _entries(given))
    if isinstance(given, str | os.PathLike):
        source = read_text(given)
        reader = Reader(source.name)
        found = reader.parsed(source.text)
        return "; ".join(_text(entry) for entry in _listed(found, source.name))
    return "; ".join(_text(entry) for entry in _listed(given, "lock"))


def shortest_lock(text: str, tree: BettingTree, deal: Deal) -> str:
    """Return the shortest text of the locks in ``text``: equal locks have equal texts.

    Each hand is listed once for each line, with the other hands that have its frequencies. ``random`` means all hands
    of the player that are left. The text of given cards comes before the text of all cards.
    """
    parts = []
    tables = _tables(text, tree, deal)
    for node, state in sorted(tables, key=lambda place: (place[0], place[1] < 0, place[1])):
        player, actions = tree.nodes[node].kind, tree.nodes[node].actions
        line = ", ".join(moves_before(tree, deal, node, state))
        groups: dict[_Shares, list[int]] = {}
        for hand, shares in sorted(tables[node, state].items()):
            groups.setdefault(shares, []).append(hand)
        # hand -> 1 if the text to be written contains it
        left = dict.fromkeys(np.flatnonzero(deal.free(player, state)).tolist(), 0)
        names = [DECK[high] + DECK[low] for low, high in deal.cards[player].tolist()]
        for shares, hands in sorted(groups.items(), key=lambda group: (len(group[1]), group[1])):
            named = left | dict.fromkeys(hands, 1)
            held = short_text({names[hand]: Fraction(inside) for hand, inside in named.items()})
            listed = " + ".join(f"{action} {share}" for action, share in zip(actions, shares, strict=True) if share)
            parts.append(f"{line} | {held} | {listed}")
            left = {hand: 0 for hand in left if not named[hand]}
    return "; ".join(parts)


def _tables(text: str, tree: BettingTree, deal: Deal) -> _Tables:
    """Return the frequencies of all locked hands; the first text that contains a hand counts.

    The keys are pairs of a node and the state of the board, which is -1 for a text that names no card. A hand is listed
    for a state only if it differs from the text without cards.
    """
    found: _Tables = {}
    for entry in _entries(text):
        node, state = decision_after(tree, deal, entry.line, f"{entry.where}: line")
        shares = _frequencies(entry, tree.nodes[node].actions)
        earlier, here = found.get((node, -1), {}), found.setdefault((node, state), {})
        for hand in _hands(entry, deal, tree.nodes[node].kind, state):
            if hand not in earlier:
                here.setdefault(hand, shares)
    for (node, state), listed in found.items():
        every = found.get((node, -1), {}) if state >= 0 else {}
        found[node, state] = {hand: shares for hand, shares in listed.items() if every.get(hand) != shares}
    return {place: listed for place, listed in found.items() if listed}


def _text(entry: _Entry) -> str:
    line = ", ".join(filter(None, (part.strip() for part in entry.line.split(","))))
    shares = " + ".join(
        f"{action} {exact_number(share, f'{entry.where}: {action}', 'decimal')}"
        for action, share in entry.shares.items()
    )
    return f"{line} | {with_commas(entry.hands)} | {shares}"


def _listed(given: Any, what: str) -> Iterator[_Entry]:
    """Yield the entries of a mapping from lines to hands to actions to frequencies."""

    def mapping(value: Any, where: str, example: str) -> Mapping[str, Any]:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise SpecError(f"{where}: expected {example}, found {named(value)}")
        return value

    for line, hands in mapping(given, what, 'lines of moves, such as {"check": {"AA": {"bet 75": 1}}}').items():
        where = f"{what}: {line!r:.60}"
        if not hands:
            raise SpecError(f"{where}: no hands are listed")
        for held, shares in mapping(hands, where, 'hands, such as {"AA,KK": {"bet 75": 1}}').items():
            place = f"{where}, {held!r:.40}"
            if "|" in line + held or ";" in line or not held.strip():
                raise SpecError(f"{place}: expected a line of moves, and hands separated by commas")
            yield _Entry(line, held, mapping(shares, place, 'actions, such as {"bet 75": 1}'), place)


def _entries(text: str) -> Iterator[_Entry]:
    """Yield the entries of the text that :func:`lock_text` returns."""
    for number, part in enumerate(filter(str.strip, text.split(";")), 1):
        pieces = [piece.strip() for piece in part.split("|")]
        where = f"lock, entry {number}"
        if len(pieces) != 3 or not pieces[1]:
            raise SpecError(f"{where}: expected LINE | HANDS | ACTION SHARE + ACTION SHARE, found {part.strip()!r:.80}")
        shares: dict[str, str] = {}
        for wanted in pieces[2].split("+"):
            action, _, share = wanted.strip().rpartition(" ")
            if not action or action in shares:
                raise SpecError(f"{where}: expected each action once, with its share, found {wanted.strip()!r:.60}")
            shares[action.strip()] = share
        yield _Entry(pieces[0], pieces[1], shares, where)


def _frequencies(entry: _Entry, actions: tuple[str, ...]) -> _Shares:
    for action in entry.shares:
        if action not in actions:
            raise SpecError(f"{entry.where}: no action {action!r:.40}; the actions are {', '.join(actions)}")
    found = []
    for action in actions:
        share = Fraction(exact_number(entry.shares.get(action, 0), f"{entry.where}: {action}", "decimal"))
        if not 0 <= share <= 1:
            raise SpecError(f"{entry.where}: {action} has the frequency {share}; expected a number from 0 to 1")
        found.append(share)
    if sum(found) != 1:
        raise SpecError(f"{entry.where}: the frequencies sum to {sum(found)}; expected 1 (fractions are exact: 1/3)")
    return tuple(found)


def _hands(entry: _Entry, deal: Deal, player: int, state: int) -> list[int]:
    """Return the numbers of the player's hands that an entry names, without those that contain a card of the state."""
    weights = parse_range(entry.hands, what=f"{entry.where}: hands")
    if set(weights.values()) - {1}:
        raise SpecError(f"{entry.where}: the hands of a lock have no weights")
    number = {card: k for k, card in enumerate(DECK)}
    cards = np.array([sorted((number[hand[:2]], number[hand[2:]])) for hand in weights], dtype=np.int64).reshape(-1, 2)
    found = sorted({*deal.index_of(player, cards).tolist()} & {*np.flatnonzero(deal.free(player, state)).tolist()})
    if not found:
        without = " without a card of the line" if deal.cards_of(state) else ""
        wanted = f"in the range of player {player + 1}{without}"
        raise SpecError(f"{entry.where}: no hand of {entry.hands!r:.40} is {wanted}")
    return found
