"""Strategies by rows: what they play at each information set of rules, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from math import inf
from typing import Any

from tremble.check.limits import SHORT, Limits, steps_of
from tremble.errors import CertificateError, GameError
from tremble.game.labels import label_tuple
from tremble.game.rules import UnbuiltStrategy, text_of_key
from tremble.large.check_nature import Move, least_common_multiple
from tremble.numbers import exact_numbers
from tremble.value import shorten

__all__ = ["Row", "StatedPlay", "place_of_key", "require_labels", "row_faults", "unlike"]

Row = tuple[tuple[str, Fraction], ...]
"""Labels and probabilities of all actions."""

Decision = tuple[tuple[str, ...], int, tuple[Move, ...], bool]
"""Labels; the action if only one is played, else -1; the moves with positive probability; True if by default."""


def row_faults(strategy: UnbuiltStrategy, limits: Limits | None = None) -> list[str]:
    """Return the reasons why rows are no distributions. Without limits, their numbers may be of any length."""
    limits = limits or Limits(inf, inf)
    faults = []
    where = f"strategies[{strategy.player}]"
    for key, row in strategy.rows.items():
        here = place_of_key(strategy.player, key)
        if not row:
            faults.append(f"{here}: there are no actions")
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
    """Name an information set of rules."""
    return f"player {player + 1}, information set {text_of_key(key)!r:.300}"


def require_labels(labels: Sequence[str], player: int, key: Hashable) -> tuple[str, ...]:
    """Return the actions of an information set; raise ``GameError`` unless they are different texts."""
    labels = label_tuple(labels)
    if not labels or not all(isinstance(label, str) for label in labels) or len(set(labels)) < len(labels):
        raise GameError(f"{place_of_key(player, key)}: the actions are no list of different texts: {labels!r:.300}")
    return labels


def unlike(player: int, key: Hashable, one: Sequence[str], two: Sequence[str]) -> GameError:
    """Return the error for two histories of one set that have different actions."""
    return GameError(
        f"{place_of_key(player, key)}: the rules allow {tuple(one)!r:.300} at one history "
        f"and {tuple(two)!r:.300} at another"
    )


class StatedPlay:
    """The play of one player's strategy, looked up set by set.

    The caller compares labels at each further history of a set, and the default if the rules name it: all histories of
    an information set must agree on both.

    Parameters
    ----------
    rules : Game
    strategy : UnbuiltStrategy
        Without faults (see `row_faults`).

    Attributes
    ----------
    decisions : dict
        Keys of the sets met so far -> the play there.
    met_rows : set of str
        Keys of the rows that were used.

    Raises
    ------
    CertificateError
        The strategy needs a default that the rules do not name.
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
                    f"strategies[{self.player}].default: the rules of this game name no default action"
                )
        elif strategy.default.rule != "first":
            raise CertificateError(f"strategies[{self.player}].default: there is no rule {strategy.default.rule!r:.80}")

    def decide(self, h: Any, key: Hashable) -> Decision:
        """Return the play at a set that is met for the first time."""
        labels = require_labels(self._rules.actions(h), self.player, key)
        row = self.row(key, labels)
        if row is None:
            index = 0 if self.default is None else self.default(h)
            if index not in range(len(labels)):
                raise CertificateError(
                    f"{place_of_key(self.player, key)}: default(h) names action {index!r:.80}; there are {len(labels)}"
                )
            decision: Decision = labels, index, ((index, 1, 1),), self.default is not None
        else:
            exact = exact_numbers((p for _, p in row), "probability")
            moves = tuple((i, p.numerator, p.denominator) for i, p in enumerate(exact) if p)
            decision = labels, moves[0][0] if len(moves) == 1 else -1, moves, False
        self.decisions[key] = decision
        return decision

    def row(self, key: Hashable, labels: tuple[str, ...]) -> Row | None:
        """Return the row of a set, or None. A row must list the actions of the rules in their order."""
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
        """Return the error for a default that depends on more than what the player knows."""
        return CertificateError(
            f"{place_of_key(self.player, key)}: default(h) names different actions at histories of this set"
        )
