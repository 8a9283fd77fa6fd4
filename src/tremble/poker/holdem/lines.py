"""Texts of decisions in a flop, turn or river of Hold'em: the moves before a decision, and a player's hand.

The moves are separated by commas or blanks, with the river card of a turn between them: ``"check, check, 2h, bet 50"``.
A hand is two cards, such as ``"AhKd"``. Letters may be small or capital, and cards may be in any order.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import numpy as np

from tremble.errors import GameError, SpecError
from tremble.poker.games.hand_ranges import DECK, cards_of
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.moves import moves_before, node_after

__all__ = ["At", "at", "decision", "label_of", "split", "walk"]

_HAND = re.compile(r"\s*([2-9tjqka][cdhs])[\s,]*([2-9tjqka][cdhs])(?=[\s,:]|$)[\s,:]*", re.IGNORECASE)


class At(NamedTuple):
    """A player's decision with a hand: a node, the state of the board, and the hand."""

    node: int
    state: int
    hand: int


def walk(rules: HoldemGame, line: str) -> tuple[int, int]:
    """Return the node after moves, and the state of the board.

    Raises
    ------
    SpecError
        A move is not possible.
    """
    return node_after(rules.tree, rules.deal, line)


def decision(rules: HoldemGame, line: str) -> tuple[int, int]:
    """Find the decision after moves, and the state of the board.

    Raises
    ------
    SpecError
        No decision follows the moves.
    """
    node, state = walk(rules, line)
    here = rules.tree.nodes[node]
    if not here.actions:
        missing = f"add the {rules.tree.next_card(node)}" if here.kind == End.DEAL else "play is over"
        raise SpecError(f"line: no player moves after {line!r:.60}: {missing}")
    return node, state


def hand_number(rules: HoldemGame, player: int, text: str) -> int:
    """Return the number of a hand in a player's range.

    Raises
    ------
    GameError
        The text is not a hand, or the hand is not in the range. The message names similar hands.
    """
    try:
        cards = cards_of(text, "hand") if isinstance(text, str) else ()
    except SpecError as error:
        raise GameError(str(error)) from error
    if len(cards) != 2:
        raise GameError(f"hand: {text!r:.40} is not a hand; expected two cards, such as 'AhKd'")
    for card in cards:
        if DECK.index(card) in rules.deal.board:
            raise GameError(f"hand: the card {card} of {text} is on the board")
    pair = np.array([sorted(map(DECK.index, cards))])
    found = int(rules.deal.index_of(player, pair)[0])
    if found < 0:
        known = [rules.name_of(player, k) for k in range(len(rules.deal.cards[player]))]
        name = DECK[pair[0, 1]] + DECK[pair[0, 0]]
        near = sorted(known, key=lambda other: _likeness(name, other), reverse=True)[:3]
        raise GameError(f"hand: {name} is not in the range of player {player + 1}; similar hands are {', '.join(near)}")
    return found


def _likeness(one: str, two: str) -> tuple[int, int]:
    """Return the numbers of common ranks and of common cards of two hands."""
    ranks = Counter(one[::2]) & Counter(two[::2])
    return ranks.total(), len({one[:2], one[2:]} & {two[:2], two[2:]})


def at(rules: HoldemGame, hand: str, line: str, player: int | None = None) -> tuple[int, At]:
    """Find a player's decision with a hand after moves; return the player, and the decision.

    Raises
    ------
    GameError
        The hand is not in the range, or ``player`` does not move there.
    SpecError
        No decision follows the moves.
    """
    node, state = decision(rules, line)
    mover = rules.tree.nodes[node].kind
    after = f"after {line}" if line.strip() else "first"
    if player not in (None, mover):
        raise GameError(f"line: player {mover + 1} moves {after}, not player {2 - mover}")
    number = hand_number(rules, mover, hand)
    if not rules.deal.free(mover, state)[number]:
        raise GameError(f"hand: {rules.name_of(mover, number)} contains a card of the line")
    return mover, At(node, state, number)


def split(text: str) -> tuple[str, str]:
    """Split a text such as ``"AhKd check, bet 75"`` into the hand and the moves.

    Raises
    ------
    GameError
        The text does not begin with a hand.
    """
    found = _HAND.match(text)
    if found is None:
        example = "expected a hand and moves, such as 'AhKd check, bet 75'"
        raise GameError(f"{text!r:.60} does not begin with a hand; {example}")
    return found[1] + found[2], text[found.end() :]


def label_of(rules: HoldemGame, player: int, place: At) -> str:
    """Return a text that names a player's decision with a hand: the hand, and the moves before the decision."""
    moves = ", ".join(moves_before(rules.tree, rules.deal, place.node, place.state))
    return f"{rules.name_of(player, place.hand)} {moves}".strip()
