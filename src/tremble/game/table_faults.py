"""Find the reasons why a table of probabilities is not a strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from tremble.game.tree import GameTree
from tremble.value import approximate, shorten

__all__ = ["faults"]


def faults(table: Any, tree: GameTree | None = None) -> Iterator[str]:
    """Iterate over the reasons why a ``StrategyTable`` is not a strategy, as messages that name the information set.

    Without a tree, the function checks only that rows are numbered in order and contain distributions.
    """
    who = f"player {table.player + 1}"
    count = len(table.infosets) if tree is None else tree.num_infosets[table.player]

    def place(k: int, row: int | None = None) -> str:
        if tree is not None and 0 <= k < count:
            return f"{who}, {tree.set_name(table.player, k)}"
        label = "" if row is None else table.labels[row]
        return f"{who}, information set {k + 1}{f' ({label!r})' if label else ''}"

    if table.infosets != tuple(range(count)):
        if tree is None:
            row = next(i for i, k in enumerate(table.infosets) if k != i)
            yield f"{who}: the rows are not numbered 1, 2, 3, ...; row {row + 1} has number {table.infosets[row] + 1}"
        else:
            yield from _numbering_faults(table, count, place)
    expected = tree.actions[table.player] if tree is not None else None
    for row, (k, labels, (numerator, whole)) in enumerate(
        zip(table.infosets, table.actions, table.integers(), strict=True)
    ):
        if expected is not None:
            if not 0 <= k < count:
                continue
            if labels != expected[k]:
                yield (
                    f"{place(k)}: the actions are {_list(labels)}, but the game has {_list(expected[k])} in this order"
                )
        if min(numerator) < 0:
            worst = numerator.index(min(numerator))
            yield (
                f"{place(k, row)}: the probability of {labels[worst]!r} is negative: "
                f"{shorten(Fraction(numerator[worst], whole))}"
            )
        if sum(numerator) != whole:
            total = Fraction(sum(numerator), whole)
            yield f"{place(k, row)}: the probabilities sum to {shorten(total)}, not 1{_distance(total - 1)}"


def _numbering_faults(table: Any, count: int, place: Callable[..., str]) -> Iterator[str]:
    if sorted(table.infosets) == list(range(count)):
        row = next(i for i, k in enumerate(table.infosets) if k != i)
        yield f"{place(table.infosets[row], row)}: the rows are not sorted by the number of the information set"
    seen: set[int] = set()
    for row, k in enumerate(table.infosets):
        if not 0 <= k < count:
            yield f"{place(k, row)}: there is no such information set; the player has {count}"
        elif k in seen:
            yield f"{place(k, row)}: the row is given more than once"
        seen.add(k)
    for k in range(count):
        if k not in seen:
            yield f"{place(k)}: the row is missing"


def _list(labels: Sequence[str]) -> str:
    shown = ", ".join(f"{label!r:.80}" for label in labels[:10])
    return f"{shown}, ... ({len(labels)} actions)" if len(labels) > 10 else shown


def _distance(difference: Fraction) -> str:
    return "" if difference.denominator < 10**6 else f" (off by {approximate(abs(difference))})"
