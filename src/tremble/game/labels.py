"""Look up information sets by label, or by index from 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from tremble.arguments import did_you_mean
from tremble.errors import GameError

__all__ = ["LabelIndex", "by_label", "is_whole", "meant", "set_index"]

LabelIndex = Mapping[str, Sequence[int]]
"""Label -> indices of the information sets of a player with this label."""


def by_label(labels: Sequence[str]) -> LabelIndex:
    """Index the information sets of a player by their labels."""
    indices: dict[str, list[int]] = {}
    for k, label in enumerate(labels):
        indices.setdefault(label, []).append(k)
    return indices


def set_index(indices: LabelIndex, count: int, player: int, infoset: Any) -> int:
    """Return the index of an information set of a player; ``infoset`` is its label or its index.

    Parameters
    ----------
    indices : mapping
        The result of :func:`by_label`.
    count : int
        Number of information sets of the player.

    Raises
    ------
    GameError
        No set has the label or index, or multiple sets have the label. The message lists possible sets.

    Examples
    --------
    >>> import tremble
    >>> labels = tremble.load("kuhn").infoset_labels[0]
    >>> set_index(by_label(labels), len(labels), 0, "Q:cb")
    3
    """
    who = f"player {player + 1}"
    if not isinstance(infoset, str):
        if is_whole(infoset) and 0 <= infoset < count:
            return int(infoset)
        there = f"{count} information sets: give a label, or a number from 0 to {count - 1}" if count else "none"
        raise GameError(f"no information set of {who} has the number {infoset!r:.80}; there are {there}")
    found = indices.get(infoset, ())
    if len(found) == 1:
        return found[0]
    by_number = "give its number, counted from 0"
    if found:
        listed = ", ".join(map(str, found[:10])) + (", ..." if len(found) > 10 else "")
        raise GameError(
            f"{who} has {len(found)} information sets with the label {infoset!r:.80}; {by_number}: {listed}"
        )
    if not any(indices):
        raise GameError(f"{who} has no information set {infoset!r:.80}: none has a label; {by_number}")
    raise GameError(f"{who} has no information set {infoset!r:.80}; {meant(infoset, list(indices))}")


def meant(label: str, known: Sequence[str]) -> str:
    """Return advice for an unknown label: similar known labels, or a list of the known labels."""
    listed = f"there are {', '.join(map(repr, known[:8]))}{', ...' if len(known) > 8 else ''}"
    return did_you_mean(label, known, quoted=True) or listed


def is_whole(value: object) -> bool:
    """Return True if a value is an integer of Python or NumPy, and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)
