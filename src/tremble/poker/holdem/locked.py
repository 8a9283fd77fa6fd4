"""Locked hands at a decision of Hold'em, for tables: which hands act with given frequencies."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tremble.game.hands import HandRow, Panel, Spot
from tremble.poker.holdem.game import HoldemGame
from tremble.text.cards import cards_text

__all__ = ["locked_hands", "with_locks"]


def locked_hands(rules: HoldemGame, node: int, state: int) -> NDArray[np.bool_]:
    """Return True for the hands of the player who moves that are locked, in a state of the board."""
    shares = rules.locks.at(node, state)
    free: NDArray[np.bool_] = np.zeros(len(rules.deal.cards[rules.tree.nodes[node].kind]), dtype=np.bool_)
    return free if shares is None else shares[:, 0] >= 0


def with_locks(rules: HoldemGame, spot: Spot) -> Spot:
    """Mark the rows of locked hands in all panels, and show the frequencies of the lock in these rows."""
    if not rules.lock:
        return spot
    state = rules.deal.with_cards(-1, spot.public)
    nodes = {lines: node for node, lines in enumerate(rules.tree.lines) if rules.tree.nodes[node].actions}

    def marked(panel: Panel) -> Panel:
        node = nodes[(*spot.lines, panel.line)]
        return replace(panel, make_rows=partial(_rows, rules, panel, node, state))

    return replace(spot, panels=tuple(map(marked, spot.panels)))


def _rows(rules: HoldemGame, panel: Panel, node: int, state: int) -> tuple[HandRow, ...]:
    drawn = {}
    for hand in np.flatnonzero(locked_hands(rules, node, state)).tolist():
        shares = rules.drawn(panel.player, hand, node, state) or ()
        drawn[cards_text(rules)(rules.name_of(panel.player, hand))] = tuple(map(float, shares))
    return tuple(
        replace(row, probabilities=drawn[row.name], locked=True) if row.name in drawn else row for row in panel.rows
    )
