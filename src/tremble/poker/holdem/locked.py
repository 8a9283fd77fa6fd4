"""Locked hands at a decision of a river or a turn of Hold'em, for tables: which hands act with given frequencies."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tremble.game.hands import HandRow, Panel, Spot
from tremble.poker.holdem.game import HoldemGame
from tremble.text.cards import cards_text

__all__ = ["locked_hands", "with_locks"]


def locked_hands(rules: HoldemGame, node: int, river: int) -> NDArray[np.bool_]:
    """Return True for the hands of the player who moves that are locked, after the river card number ``river``."""
    here = rules.tree.nodes[node]
    shares = rules.locks.at(node, river if here.street == rules.streets - 1 else -1)
    free: NDArray[np.bool_] = np.zeros(len(rules.deal.cards[here.kind]), dtype=np.bool_)
    return free if shares is None else shares[:, 0] >= 0


def with_locks(rules: HoldemGame, spot: Spot) -> Spot:
    """Mark the rows of locked hands in all panels, and show the frequencies of the lock in these rows."""
    if not rules.lock:
        return spot
    river = rules.deal.rivers.tolist().index(spot.public[0]) if spot.public else 0
    nodes = {lines: node for node, lines in enumerate(rules.tree.lines) if rules.tree.nodes[node].actions}

    def marked(panel: Panel) -> Panel:
        node = nodes[(*spot.lines, panel.line)]
        return replace(panel, make_rows=partial(_rows, rules, panel, node, river))

    return replace(spot, panels=tuple(map(marked, spot.panels)))


def _rows(rules: HoldemGame, panel: Panel, node: int, river: int) -> tuple[HandRow, ...]:
    drawn = {}
    for hand in np.flatnonzero(locked_hands(rules, node, river)).tolist():
        shares = rules.drawn(panel.player, hand, node, river) or ()
        drawn[cards_text(rules)(rules.name_of(panel.player, hand))] = tuple(map(float, shares))
    return tuple(
        replace(row, probabilities=drawn[row.name], locked=True) if row.name in drawn else row for row in panel.rows
    )
