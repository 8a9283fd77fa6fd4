"""Find the actions that strategies play, and find errors in strategies. A strategy consists of rows and a default.

A row lists the probabilities of all actions at one information set. The default chooses the action at all other sets.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from math import inf
from typing import Any

from tremble.check.limits import SHORT, Limits, steps_of
from tremble.errors import CertificateError, GameError
from tremble.game.rules import UnbuiltStrategy, text_of_key
from tremble.game.tree_arrays import label_tuple
from tremble.large.check_nature import Move, least_common_multiple
from tremble.numbers import exact_numbers
from tremble.value import shorten

__all__ = ["Row", "StatedPlay", "place_of_key", "require_labels", "row_faults", "unlike"]

Row = tuple[tuple[str, Fraction], ...]
"""The labels and probabilities of all actions at an information set."""

Decision = tuple[tuple[str, ...], int, tuple[Move, ...], bool]
"""The play of a strategy at an information set, as four items:

- the labels of the actions
- the index of the action if the play is pure, else -1
- the moves of positive probability
- True if the default of the rules chose the action
"""


def row_faults(strategy: UnbuiltStrategy, limits: Limits | None = None) -> list[str]:
    """Return error messages for the rows of a strategy that are not probability distributions.

    Without ``limits``, the numbers may have any length.
    """
    limits = limits or Limits(inf, inf)
    faults = []
    where = f"strategies[{strategy.player}]"
    for key, row in strategy.rows.items():
        here = place_of_key(strategy.player, key)
        if not row:
            faults.append(f"{here}: the row has no actions")
            continue
        try:
            exact = exact_numbers((p for _, p in row), "probability")
        except GameError as error:
            faults.append(f"{here}: {error}")
            continue
        for (label, _), p in zip(row, exact, strict=True):
            if p < 0:
                faults.append(f"{here}: the probability of {label!r:.80} is negative: {shorten(p)}")
        whole = least_common_multiple((p.denominator for p in exact), limits, where)
        length = whole.bit_length()
        if 2 * length > SHORT:
            limits.spend(where, steps_of(length, length), len(exact))
        total = Fraction(sum(p.numerator * (whole // p.denominator) for p in exact), whole)
        if total != 1:
            faults.append(f"{here}: the probabilities sum to {shorten(total)}, not 1")
    return faults


def place_of_key(player: int, key: Hashable) -> str:
    """Return words for messages that name a player and the player's information set with the key ``key``."""
    return f"player {player + 1}, information set {text_of_key(key)!r:.300}"


def require_labels(labels: Sequence[str], player: int, key: Hashable) -> tuple[str, ...]:
    """Return the labels as a tuple. Raise ``GameError`` unless the tuple has one or more strings, all different."""
    labels = label_tuple(labels)
    if not labels or not all(isinstance(label, str) for label in labels) or len(set(labels)) < len(labels):
        raise GameError(
            f"{place_of_key(player, key)}: actions(h) must return one or more distinct strings, not {labels!r:.300}"
        )
    return labels


def unlike(player: int, key: Hashable, one: Sequence[str], two: Sequence[str]) -> GameError:
    """Return the error for an information set whose histories have different actions, ``one`` and ``two``."""
    return GameError(
        f"{place_of_key(player, key)}: the rules allow {tuple(one)!r:.300} at one history "
        f"and {tuple(two)!r:.300} at another"
    )


class StatedPlay:
    """The action probabilities of one player's strategy, computed for each information set on its first visit.

    All histories of an information set must have the same action labels. If the rules define the default, all histories
    must also have the same default action. This class checks only the first history. The caller must check the others.

    Parameters
    ----------
    rules : Game
    strategy : UnbuiltStrategy
        A strategy for which `row_faults` finds no error.

    Attributes
    ----------
    decisions : dict
        Key of a visited information set -> the play at this set.
    met_rows : set of str
        The keys of the rows that have been used.

    Raises
    ------
    CertificateError
        The default rule of the strategy is unknown. Or the strategy uses ``default(h)``, which the rules do not have.
    """

    def __init__(self, rules: Any, strategy: UnbuiltStrategy) -> None:
        self.player = strategy.player
        self.decisions: dict[Hashable, Decision] = {}
        self.rows = strategy.rows
        self.met_rows: set[str] = set()
        self._rules = rules
        self.default: Callable[[Any], int] | None = None
        if strategy.default.rule == "rules":
            self.default = getattr(rules, "default", None)
            if self.default is None:
                raise CertificateError(
                    f"strategies[{self.player}].default: the rules of this game have no function default(h)"
                )
        elif strategy.default.rule != "first":
            raise CertificateError(
                f"strategies[{self.player}].default: unknown rule {strategy.default.rule!r:.80}; use 'first' or 'rules'"
            )

    def decide(self, h: Any, key: Hashable) -> Decision:
        """Compute, store and return the decision at a new information set, given its history and its key."""
        labels = require_labels(self._rules.actions(h), self.player, key)
        row = self.row(key, labels)
        if row is None:
            index = 0 if self.default is None else self.default(h)
            if index not in range(len(labels)):
                raise CertificateError(
                    f"{place_of_key(self.player, key)}: default(h) returned {index!r:.80}, "
                    f"but must return an index less than {len(labels)}, the number of actions"
                )
            decision: Decision = labels, index, ((index, 1, 1),), self.default is not None
        else:
            exact = exact_numbers((p for _, p in row), "probability")
            moves = tuple((i, p.numerator, p.denominator) for i, p in enumerate(exact) if p)
            decision = labels, moves[0][0] if len(moves) == 1 else -1, moves, False
        self.decisions[key] = decision
        return decision

    def row(self, key: Hashable, labels: tuple[str, ...]) -> Row | None:
        """Return the row of an information set, or None if there is no row.

        Raises
        ------
        CertificateError
            The row and the rules do not list the same actions in the same order.
        """
        text = text_of_key(key)
        row = self.rows.get(text)
        if row is not None:
            self.met_rows.add(text)
        if row is not None and tuple(label for label, _ in row) != labels:
            raise CertificateError(
                f"{place_of_key(self.player, key)}: the actions are {[label for label, _ in row]!r:.300}, "
                f"but the game has {list(labels)!r:.300} in this order"
            )
        return row

    def two_faced(self, key: Hashable) -> CertificateError:
        """Return the error to raise if ``default`` names different actions at histories of one information set."""
        return CertificateError(
            f"{place_of_key(self.player, key)}: default(h) names different actions at histories of this set"
        )
