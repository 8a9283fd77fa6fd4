"""Panels of a turn of Hold'em: the action probabilities of all hands at a decision (see :mod:`tremble.game.hands`)."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from tremble.game.hands import HandRow, Panel
from tremble.integers import FloatArray
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.tables import weights_of
from tremble.poker.strategy import OrderedStrategy
from tremble.text.cards import cards_text

__all__ = ["turn_panels"]

IntArray = NDArray[np.int64]


def turn_panels(rules: HoldemGame, profile: tuple[OrderedStrategy, OrderedStrategy]) -> list[Panel]:
    """Return a panel for each decision on the turn, with a row for each class of hands, weakest hands first.

    Hands are sorted by their equity: the chance to win a showdown against the other player's range.
    """
    deal, nodes = rules.deal, rules.tree.nodes
    held = [weights / unit for weights, unit in zip(deal.weights, deal.unit, strict=True)]
    orders = [np.argsort(deal.won @ held[1], kind="stable"), np.argsort(-deal.won.T @ held[0], kind="stable")]
    reach: dict[int, list[FloatArray]] = {0: [np.ones(len(each)) for each in held]}
    found = []
    for n, node in enumerate(nodes):
        if node.street or not node.actions:
            continue
        player, other = node.kind, 1 - node.kind
        own = weights_of(rules, profile[player], n, 0) / profile[player].denominator
        for action, child in enumerate(node.child):
            reach[child] = list(reach[n])
            reach[child][player] = own[:, action]
        facing = deal.apart if player == 0 else deal.apart.T
        dealt = held[player] * (facing @ held[other])
        share = held[player] * reach[n][player] * (facing @ (held[other] * reach[n][other]))
        whole = float(held[0] @ deal.apart @ held[1])
        rows = partial(_rows, rules, player, own, reach[n][player], share, dealt, orders[player])
        found.append(Panel(player, rules.tree.lines[n][0], node.actions, float(share.sum()) / whole, rows))
    return found


def _rows(
    rules: HoldemGame, player: int, own: FloatArray, comes: FloatArray, share: FloatArray, dealt: FloatArray,
    order: IntArray,
) -> tuple[HandRow, ...]:  # fmt: skip
    """Return a row for each class of hands that can be dealt."""
    even = np.full_like(own, 1 / own.shape[1])
    played = np.divide(own, comes[:, None], out=even, where=comes[:, None] > 0)
    groups: dict[int, list[int]] = {}
    for hand in order[dealt[order] > 0].tolist():
        groups.setdefault(int(rules.deal.class_of[player][hand]), []).append(hand)
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
