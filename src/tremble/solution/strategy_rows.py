"""Rows of strategies for tables: one for each information set, or one for each action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tremble.errors import CertificateError
from tremble.game.rules import StrategyInArrays, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.game.table import StrategyTable
from tremble.tabular import in_both_forms

__all__ = [
    "COLUMNS",
    "HoldsStrategies",
    "InfosetRow",
    "OfRules",
    "Rows",
    "of_rules",
    "pair_of",
    "rows_of",
    "strategy_rows",
    "table_row",
    "table_rows",
]


@dataclass(frozen=True, slots=True)
class InfosetRow:
    """A row of a strategy: the play at one information set."""

    player: int  # from 1
    number: int | None  # from 1; None in a game that is not built
    label: str  # in a game that is not built, a description of what the player knows
    moves: tuple[tuple[str, Number | None], ...]  # actions and their probabilities, None without a strategy
    off_path: bool = False  # True if the player's own strategy never reaches the set

    @property
    def chosen(self) -> str:
        """The action of a pure strategy."""
        return next(action for action, p in self.moves if p)


def strategy_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[InfosetRow]:
    """Yield the rows of a strategy, in its own order."""
    if isinstance(strategy, UnbuiltStrategy):
        for key, actions in strategy.rows.items():
            yield InfosetRow(strategy.player + 1, None, key, tuple(actions))
        return
    for k in range(strategy.num_infosets):
        row: Sequence[Number] = strategy.row(k)
        moves = tuple(zip(strategy.actions[k], row, strict=True))
        yield InfosetRow(strategy.player + 1, k + 1, strategy.infoset_labels[k], moves, bool(strategy.off_path[k]))


COLUMNS = ("player", "infoset", "label", "action", "probability", "probability_float")
"""Columns of a table of strategies."""


def table_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[dict[str, Any]]:
    """Yield a table row for each information set and action; for rules that are not built, sorted by label."""
    rows = strategy_rows(strategy)
    for row in sorted(rows, key=lambda row: row.label) if isinstance(strategy, UnbuiltStrategy) else rows:
        for action, p in row.moves:
            yield table_row(row.player, row.number, row.label, action, p)


def table_row(player: int, infoset: int | None, label: str, action: str, p: Number | None) -> dict[str, Any]:
    """Return a table row with the columns :data:`COLUMNS`."""
    cells = {"player": player, "infoset": infoset, "label": label, "action": action}
    return {**cells, **in_both_forms("probability", p)}


_KINDS = (BehaviorStrategy, UnbuiltStrategy, StrategyTable, StrategyInArrays)

Kind = TypeVar("Kind")

OfRules = tuple[UnbuiltStrategy, UnbuiltStrategy] | tuple[StrategyInArrays, StrategyInArrays]
Rows = tuple[StrategyTable, StrategyTable] | OfRules
"""Unchecked rows of players 1 and 2: by information set, by what the player knows, or by class."""


def pair_of(kind: type[Kind], strategies: Sequence[object]) -> tuple[Kind, Kind] | None:
    """Return the strategies as a pair if there are two, both of this kind; else None."""
    if len(strategies) != 2:
        return None
    first, second = strategies
    return (first, second) if isinstance(first, kind) and isinstance(second, kind) else None


def rows_of(strategies: Any) -> Rows:
    """Return the unchecked rows of two strategies; ``CertificateError`` unless they are exact and of one kind."""
    if not isinstance(strategies, tuple | list) or len(strategies) != 2:
        raise CertificateError("strategies: expected one for each of the two players")
    kinds = {next((kind for kind in _KINDS if isinstance(item, kind)), None) for item in strategies}
    if None in kinds or len(kinds) > 1:
        given = " and ".join(f"a {type(item).__name__}" for item in strategies)
        raise CertificateError(f"strategies: expected two of the same kind (BehaviorStrategy, ...), found {given}")
    rows1, rows2 = (StrategyTable.of(item) if isinstance(item, BehaviorStrategy) else item for item in strategies)
    return rows1, rows2


class HoldsStrategies:
    """A base class of objects that hold the strategies of both players, of any kind."""

    strategies: Any

    @property
    def ordered(self) -> tuple[Any, Any] | None:
        """The unchecked strategies if they belong to an ordered game that is not built, else None."""
        return pair_of(StrategyInArrays, self.strategies)

    @property
    def unbuilt(self) -> tuple[UnbuiltStrategy, UnbuiltStrategy] | None:
        """The unchecked strategies if they are rows keyed by what a player knows, else None."""
        return pair_of(UnbuiltStrategy, self.strategies)


def of_rules(profile: object) -> OfRules | None:
    """Return the strategies of a profile, or of an object that holds one, if they are for rules that are not built."""
    strategies = profile.strategies if isinstance(profile, HoldsStrategies) else profile
    if not isinstance(strategies, Sequence):
        return None
    return pair_of(StrategyInArrays, strategies) or pair_of(UnbuiltStrategy, strategies)
