"""Panels of Hold'em: the action probabilities of all hands at a decision (see :mod:`tremble.game.hands`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.game.hands import HandRow, Panel, Place, Spot
from tremble.integers import FloatArray
from tremble.poker.games.hand_ranges import DECK, cards_of
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.game import HoldemTurn
from tremble.poker.holdem.lines import walk
from tremble.poker.holdem.tables import weights_of
from tremble.poker.strategy import OrderedStrategy
from tremble.text.cards import cards_text

__all__ = ["turn_place", "turn_spot"]

IntArray = NDArray[np.int64]
Profile = tuple[OrderedStrategy, OrderedStrategy]


def turn_place(rules: HoldemTurn, board: str | None, line: str | None) -> Place:
    """Return the place with given cards and moves.

    ``board`` contains the cards that are dealt after the known board, alone or after the known board.

    Raises
    ------
    SpecError
        No place has these cards and moves.
    """
    if board is not None and not isinstance(board, str):
        raise SpecError(f"'board' must be a text, such as '2h', not {board!r:.60}")
    node, state = walk(rules, line or "")
    deal, nodes = rules.deal, rules.tree.nodes
    named = [DECK.index(card) for card in cards_of(board or "", "board")]
    left = [card for card in named if card not in deal.board]
    if len(left) > rules.streets - 1 or (len(left) < len(named) and not set(deal.board) <= set(named)):
        what, example = rules.tree.next_card(0), DECK[deal.rivers[0]]
        raise SpecError(f"board: {board!r:.60} is not possible; give the {what}, such as {example}")
    known = deal.cards_of(state)
    if left[: len(known)] != known[: len(left)]:
        raise SpecError(f"board: {''.join(DECK[card] for card in left)} differs from the cards of 'line'")
    for card in left[len(known) :]:
        if nodes[node].kind != End.DEAL:
            here, then = ("flop", "turn", "river")[nodes[node].street - rules.streets :][:2]
            raise SpecError(f"line: to show the {then}, give the moves of the {here}, such as 'check, check'")
        node, state = nodes[node].child[0], deal.with_cards(state, [card])
    if not nodes[node].actions:
        missing = f"add the {rules.tree.next_card(node)}" if nodes[node].kind == End.DEAL else "play is over"
        raise SpecError(f"line: no player moves after {line!r:.60}: {missing}")
    return Place(nodes[node].street, max(state, 0), 0, node)


def turn_spot(rules: HoldemTurn, profile: Profile, place: Place) -> Spot:
    """Return the action probabilities of all hands, at the decisions of a street from a place on."""
    state = place.state if place.round else -1
    lines = rules.tree.lines[place.node][: place.round]
    public = tuple(rules.deal.cards_of(state))
    return Spot(place.round, public, lines, tuple(_panels(rules, profile, place.node, state)), 0)


def _order(rules: HoldemTurn, player: int, state: int) -> IntArray:
    """Return a player's hands, sorted by equity: the chance to win a showdown against the other player's range."""
    deal = rules.deal
    won = deal.advantage(state)
    held = [weights / unit for weights, unit in zip(deal.weights, deal.unit, strict=True)]
    return np.argsort(won @ held[1] if player == 0 else -won.T @ held[0], kind="stable")


def _panels(rules: HoldemTurn, profile: Profile, top: int, state: int) -> Iterator[Panel]:
    """Yield a panel for each decision from a node to the end of its street, with the weakest hands first."""
    deal, nodes = rules.deal, rules.tree.nodes
    street = nodes[top].street
    free = [deal.free(i, state) for i in (0, 1)]
    held = [weights / unit * some for weights, unit, some in zip(deal.weights, deal.unit, free, strict=True)]
    orders = [_order(rules, player, state) for player in (0, 1)]
    reach = {top: [_reach_of(rules, profile[i], top, state) for i in (0, 1)]}
    start = float((held[0] * reach[top][0]) @ deal.apart @ (held[1] * reach[top][1]))
    for n in range(top, len(nodes)):
        node = nodes[n]
        if n not in reach or node.street != street or not node.actions:
            continue
        player, other = node.kind, 1 - node.kind
        own = weights_of(rules, profile[player], n, state) / profile[player].denominator
        for action, child in enumerate(node.child):
            reach[child] = list(reach[n])
            reach[child][player] = own[:, action]
        facing = deal.apart if player == 0 else deal.apart.T
        dealt = held[player] * (facing @ held[other])
        share = held[player] * reach[n][player] * (facing @ (held[other] * reach[n][other]))
        classes = profile[player].class_of[street][deal.numbers[player] + deal.place(state) * deal.num_hands]
        rows = partial(_rows, rules, player, own, reach[n][player], share, dealt, orders[player], classes)
        likely = float(share.sum()) / start if start else 0.0
        yield Panel(player, rules.tree.lines[n][-1], node.actions, likely, rows)


def _reach_of(rules: HoldemTurn, strategy: OrderedStrategy, node: int, state: int) -> FloatArray:
    """Return the probability of a player's own moves before a node, for each hand."""
    nodes = rules.tree.nodes
    while node > 0:
        above = nodes[node].parent
        if nodes[above].kind == strategy.player:
            weights = weights_of(rules, strategy, above, state)[:, nodes[above].child.index(node)]
            found: FloatArray = weights / strategy.denominator
            return found
        node = above
    return np.ones(len(rules.deal.cards[strategy.player]))


def _rows(
    rules: HoldemTurn, player: int, own: FloatArray, comes: FloatArray, share: FloatArray, dealt: FloatArray,
    order: IntArray, classes: IntArray,
) -> tuple[HandRow, ...]:  # fmt: skip
    """Return a row for each class of hands that can be dealt."""
    even = np.full_like(own, 1 / own.shape[1])
    played = np.divide(own, comes[:, None], out=even, where=comes[:, None] > 0)
    groups: dict[int, list[int]] = {}
    for hand in order[dealt[order] > 0].tolist():
        groups.setdefault(int(classes[hand]), []).append(hand)
    total = float(share.sum())
    return tuple(
        HandRow(
            cards_text(rules)(rules.name_of(player, group[0])) + " …" * (len(group) > 1),
            tuple((int(low), int(high)) for low, high in rules.deal.cards[player][sorted(group)]),
            number, tuple(played[group[0]].tolist()), float(share[group].sum()) / total if total else 0.0,
            float(comes[group[0]]), float(dealt[group].sum()),
        )
        for number, group in groups.items()
    )  # fmt: skip
