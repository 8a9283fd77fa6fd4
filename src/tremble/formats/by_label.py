"""Strategies as dicts by information set, by the labels of a game; a file of JSON may hold them, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tremble.errors import GameError
from tremble.formats.rounding import Rounding, place
from tremble.game.labels import action_index, by_label, is_whole, meant, set_index
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree

__all__ = ["DICT", "divided", "fitting", "is_list", "listed", "members", "other_fits", "table_of_dict"]

DICT = "the dict by information set"


def divided(tree: GameTree, given: Mapping[Any, Any]) -> tuple[Any, Any]:
    """A dict that speaks of both players, by their names or by information set, as a strategy for each."""
    indices = [by_label(tree.infoset_labels[player]) for player in (0, 1)]
    one, two = tree.players
    if one != two and set(given) == {one, two} and not any(name in index for name in given for index in indices):
        return given[one], given[two]
    halves: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    for label, row in given.items():
        owners = [player for player in (0, 1) if isinstance(label, str) and label in indices[player]]
        if len(owners) == 1:
            halves[owners[0]][label] = row
            continue
        if not isinstance(label, str):
            fault = f"{label!r:.60} does not say of which player"
        elif owners:
            fault = f"{label!r:.60} is the label of information sets of both players"
        else:
            if one != two and label in (one, two):
                raise GameError(f"{DICT}: {label!r:.60} is a player's name: by names, give both players, and no sets")
            known = [name for name in (*indices[0], *indices[1], *tree.players) if name]
            fault = f"no player has an information set {label!r:.60}; {meant(label, known)}"
        raise GameError(f"{DICT}, of both players: {fault}; give a pair, a dict for each player")
    return halves


def _by_infoset(tree: GameTree, player: int, given: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The dict, one by action as that of the only information set: of a one-shot game a mixed strategy."""
    if tree.num_infosets[player] != 1 or not given or tree.infoset_labels[player][0] in given:
        return given
    by_set = given.get(0) if is_whole(next(iter(given))) and len(given) == 1 else None
    if isinstance(by_set, str) and by_set in tree.actions[player][0]:
        return given
    return given if any(isinstance(row, Mapping) or is_list(row) for row in given.values()) else {0: given}


def table_of_dict(tree: GameTree, player: int, given: Mapping[Any, Any], rounding: Rounding) -> StrategyTable:
    """The rows that a dict by information set states, by labels or numbers from 0; ``GameError`` where it is wrong."""
    given = _by_infoset(tree, player, given)
    actions, indices = tree.actions[player], by_label(tree.infoset_labels[player])
    rows: list[list[Fraction]] = [[Fraction(0)] * len(labels) for labels in actions]
    said: set[int] = set()
    for key, row in given.items():
        try:
            k = set_index(indices, len(actions), player, key)
        except GameError as error:
            of_other = isinstance(key, str) and key in tree.infoset_labels[1 - player]
            hint = f"; it is one of player {2 - player}: are the players swapped?" if of_other else ""
            raise GameError(f"{DICT}: {error}{hint}") from None
        where = f"{DICT}: {place(tree, player, k)}"
        if k in said:
            raise GameError(f"{where}: given twice, by label and by number")
        said.add(k)
        rows[k] = rounding.row(_row_of_dict(tree, player, k, row, where), where)
    table = StrategyTable.of_rows(tree, player, rows)
    silent = [k for k in np.flatnonzero(table.own_reach(tree)).tolist() if not any(rows[k])]
    if silent:
        more = f" and of {len(silent) - 1} more" if len(silent) > 1 else ""
        raise GameError(
            f"{DICT}: nothing is said of {place(tree, player, silent[0])}{more}, where the player's own play comes; "
            "say what it plays there"
        )
    return table


def _row_of_dict(tree: GameTree, player: int, k: int, row: Any, where: str) -> Sequence[Any]:
    labels = tree.actions[player][k]
    if isinstance(row, str) and row in labels:
        row = {row: 1}
    if not isinstance(row, Mapping):
        if not is_list(row):
            one = f"; one action alone may be named: {listed(labels)}" if isinstance(row, str) else ""
            raise GameError(f"{where}: expected {{action: probability}}, found {row!r:.60}{one}")
        return fitting(row, labels, where)
    numbers: list[Any] = [0] * len(labels)
    named: set[int] = set()
    for action, p in row.items():
        try:
            i = action_index(player, k, labels, action)
        except GameError as error:
            swapped = other_fits(player, any(action in others for others in tree.actions[1 - player]))
            raise GameError(f"{DICT}: {error}{swapped}") from None
        if i in named:
            raise GameError(f"{where}: the action {labels[i]!r:.60} is given twice, by label and by position")
        named.add(i)
        numbers[i] = p
    return numbers


def listed(labels: Sequence[str]) -> str:
    """The first labels, for a message."""
    return ", ".join(f"{label!r:.40}" for label in labels[:6]) + (", ..." if len(labels) > 6 else "")


def is_list(given: object) -> bool:
    """Whether this has members in order, and is no text."""
    if isinstance(given, np.ndarray):
        return given.ndim > 0
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def members(given: Any) -> list[Any]:
    """What a list or an array holds, as Python's numbers."""
    return given.tolist() if isinstance(given, np.ndarray) else list(given)


def fitting(row: Any, labels: Sequence[str], where: str, hint: str = "") -> list[Any]:
    """A row, required to have a number for each of these actions."""
    if len(row) != len(labels):
        raise GameError(f"{where}: {len(row)} probabilities are given for the actions {listed(labels)}{hint}")
    return members(row)


def other_fits(player: int, fits: bool) -> str:
    """A hint where what is given would fit the other player."""
    return f", as player {2 - player} has: are the players swapped?" if fits else ""
