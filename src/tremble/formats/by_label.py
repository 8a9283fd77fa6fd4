"""Conversion of dicts to strategies. The keys of a dict are information sets. Dicts come from Python or from JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tremble.errors import GameError
from tremble.formats.rounding import Rounding, place
from tremble.formats.tables import own_reach, table_of_rows
from tremble.game.labels import by_label, is_whole, meant, set_index
from tremble.game.strategy import action_index
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree

__all__ = ["DICT", "as_list", "is_list", "numbers_for", "some_labels", "split_by_player", "swap_hint", "table_of_dict"]

DICT = "the dict by information set"


def split_by_player(tree: GameTree, given: Mapping[Any, Any]) -> tuple[Any, Any]:
    """Split ``given``, whose keys are labels of information sets or names of players, into a dict for each player."""
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
            fault = f"the key {label!r:.60} is not a label, so its player is unknown"
        elif owners:
            fault = f"both players have an information set with the label {label!r:.60}"
        else:
            if one != two and label in (one, two):
                raise GameError(f"{DICT}: {label!r:.60} is a player's name; use both names and no other keys")
            known = [name for name in (*indices[0], *indices[1], *tree.players) if name]
            fault = f"no player has an information set {label!r:.60}; {meant(label, known)}"
        raise GameError(f"{DICT} for both players: {fault}; give a pair with one dict for each player")
    return halves


def _by_infoset(tree: GameTree, player: int, given: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a dict with information sets as keys. If the player has only one, the keys of ``given`` can be actions."""
    if tree.num_infosets[player] != 1 or not given or tree.infoset_labels[player][0] in given:
        return given
    by_set = given.get(0) if is_whole(next(iter(given))) and len(given) == 1 else None
    if isinstance(by_set, str) and by_set in tree.actions[player][0]:
        return given
    return given if any(isinstance(row, Mapping) or is_list(row) for row in given.values()) else {0: given}


def table_of_dict(tree: GameTree, player: int, given: Mapping[Any, Any], rounding: Rounding) -> StrategyTable:
    """Convert a dict to a strategy table. The keys of the dict are labels of information sets, or indices from 0."""
    given = _by_infoset(tree, player, given)
    actions, indices = tree.actions[player], by_label(tree.infoset_labels[player])
    rows: list[list[Fraction]] = [[Fraction(0)] * len(labels) for labels in actions]
    given_sets: set[int] = set()
    for key, row in given.items():
        try:
            k = set_index(indices, len(actions), player, key)
        except GameError as error:
            of_other = isinstance(key, str) and key in tree.infoset_labels[1 - player]
            hint = f"; player {2 - player} has this label: are the players swapped?" if of_other else ""
            raise GameError(f"{DICT}: {error}{hint}") from None
        where = f"{DICT}: {place(tree, player, k)}"
        if k in given_sets:
            raise GameError(f"{where}: the dict contains this information set twice, by label and by index")
        given_sets.add(k)
        rows[k] = rounding.row(_row_of_dict(tree, player, k, row, where), where)
    table = table_of_rows(tree, player, rows)
    missing = [k for k in np.flatnonzero(own_reach(table, tree)).tolist() if not any(rows[k])]
    if missing:
        more = f" and for {len(missing) - 1} more" if len(missing) > 1 else ""
        raise GameError(
            f"{DICT}: no probabilities are given for {place(tree, player, missing[0])}{more}; the player's own "
            "strategy reaches this set, so add probabilities"
        )
    return table


def _row_of_dict(tree: GameTree, player: int, k: int, row: Any, where: str) -> Sequence[Any]:
    labels = tree.actions[player][k]
    if isinstance(row, str) and row in labels:
        row = {row: 1}
    if not isinstance(row, Mapping):
        if not is_list(row):
            one = f"; a single action must be one of {some_labels(labels)}" if isinstance(row, str) else ""
            raise GameError(f"{where}: expected {{action: probability}}, found {row!r:.60}{one}")
        return numbers_for(row, labels, where)
    numbers: list[Any] = [0] * len(labels)
    named: set[int] = set()
    for action, p in row.items():
        try:
            i = action_index(player, k, labels, action)
        except GameError as error:
            swapped = swap_hint(player, any(action in others for others in tree.actions[1 - player]))
            raise GameError(f"{DICT}: {error}{swapped}") from None
        if i in named:
            raise GameError(f"{where}: the action {labels[i]!r:.60} is given twice, by label and by position")
        named.add(i)
        numbers[i] = p
    return numbers


def some_labels(labels: Sequence[str]) -> str:
    """Return the first six labels as text for a message."""
    return ", ".join(f"{label!r:.40}" for label in labels[:6]) + (", ..." if len(labels) > 6 else "")


def is_list(given: object) -> bool:
    """Return True if an object is an array with at least one dimension, or a sequence other than text."""
    if isinstance(given, np.ndarray):
        return given.ndim > 0
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def as_list(given: Any) -> list[Any]:
    """Return a list of the elements of a list or an array; numbers in an array become Python numbers."""
    return given.tolist() if isinstance(given, np.ndarray) else list(given)


def numbers_for(row: Any, labels: Sequence[str], where: str, hint: str = "") -> list[Any]:
    """Return a row of probabilities as a list; raise ``GameError`` unless it has one number for each action."""
    if len(row) != len(labels):
        raise GameError(f"{where}: {len(row)} probabilities are given for the actions {some_labels(labels)}{hint}")
    return as_list(row)


def swap_hint(player: int, fits: bool) -> str:
    """Return the hint "are the players swapped?" for an error message if ``fits`` is true, and ``""`` otherwise."""
    return f"; it fits player {2 - player}: are the players swapped?" if fits else ""
