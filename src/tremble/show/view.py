"""The view: what is shown of a thing, before it is a table on a terminal, JSON, CSV, a picture or a page.

Rows, names and words that more than one of these faces shows are made here, once. How a number is written is in
:mod:`tremble.show.numbers`, how things look in :mod:`tremble.show.theme`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import GameTree
from tremble.show.numbers import Number

if TYPE_CHECKING:
    from tremble.judging.compare import Comparison, Curve, Difference, Earning, Mistake

__all__ = [
    "DIFFERENCE",
    "EARNING_COLUMNS",
    "MISTAKE_COLUMNS",
    "Change",
    "InfosetRow",
    "PlayerComparison",
    "changes",
    "earning_payoffs",
    "is_reached",
    "player_name",
    "strategy_rows",
    "tree_rows",
    "whose",
]


def player_name(game: GameTree | UnbuiltGame, player: int, written: Callable[[str], str] = str) -> str:
    """Name a player as it is written there, or by its number."""
    return written(game.players[player]) or f"Player {player + 1}"


# -- strategies ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InfosetRow:
    """What a strategy does at one information set.

    Attributes
    ----------
    player : int
        1 or 2.
    number : int or None
        From 1; None in a game that is not built.
    label : str
        Of the information set; in a game that is not built, what the player knows.
    moves : tuple
        Pairs of an action and its probability, None where there is no strategy.
    off_path : bool
        Whether the player's own strategy never comes there.
    """

    player: int
    number: int | None
    label: str
    moves: tuple[tuple[str, Number | None], ...]
    off_path: bool = False

    @property
    def chosen(self) -> str:
        """The action of a pure strategy."""
        return next(action for action, p in self.moves if p)


def strategy_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[InfosetRow]:
    """Rows of a strategy, in its own order."""
    if isinstance(strategy, UnbuiltStrategy):
        for key, actions in strategy.rows.items():
            yield InfosetRow(strategy.player + 1, None, key, tuple(actions))
        return
    for k in range(strategy.num_infosets):
        row: Sequence[Number] = strategy.row(k)
        moves = tuple(zip(strategy.actions[k], row, strict=True))
        yield InfosetRow(strategy.player + 1, k + 1, strategy.infoset_labels[k], moves, bool(strategy.off_path[k]))


def tree_rows(tree: GameTree, player: int, strategy: BehaviorStrategy | None) -> Iterator[InfosetRow]:
    """Rows of a player's information sets, with or without a strategy."""
    for k, actions in enumerate(tree.actions[player]):
        shares: Sequence[Number | None] = [None] * len(actions) if strategy is None else strategy.row(k)
        off = strategy is not None and bool(strategy.off_path[k])
        yield InfosetRow(
            player + 1, k + 1, tree.infoset_labels[player][k], tuple(zip(actions, shares, strict=True)), off
        )


# -- best responses --------------------------------------------------------------------------------


# -- comparisons -----------------------------------------------------------------------------------

DIFFERENCE = "second \N{MINUS SIGN} first"
EARNING_COLUMNS = ("d", "first", "second", DIFFERENCE, "best response", "first takes", "second takes")
MISTAKE_COLUMNS = ("label", "action", "first", "second", DIFFERENCE)


@dataclass(frozen=True, slots=True)
class Change:
    """The probability of one action in two profiles."""

    action: str
    first: Number
    second: Number


def changes(difference: Difference) -> list[Change]:
    """The actions at an information set where two profiles differ, those included that do not change."""
    return [Change(*row) for row in zip(difference.actions, difference.first, difference.second, strict=True)]


def is_reached(difference: Difference) -> bool:
    """Whether play comes there in either profile."""
    return any(difference.on_path)


def earning_payoffs(earning: Earning) -> tuple[Number | None, ...]:
    """What stands in the columns from ``first`` to ``best response``."""
    return earning.first, earning.second, earning.difference, earning.best


def whose(opponent: str) -> str:
    """Say which opponent it is, behind the word."""
    return "" if opponent == "both" else f" of the {opponent} profile"


@dataclass(frozen=True)
class PlayerComparison:
    """What two profiles do and earn as one player.

    Attributes
    ----------
    player : int
        0 or 1.
    differing, infosets : int
        At how many of its information sets the player plays differently.
    differences, mistakes, curves : list
        Those of the player.
    earnings : dict
        Opponent -> what is earned against it.
    """

    player: int
    differing: int
    infosets: int
    differences: list[Difference]
    earnings: dict[str, list[Earning]]
    mistakes: list[Mistake]
    curves: list[Curve]

    @classmethod
    def of(cls, tree: GameTree, comparison: Comparison) -> tuple[PlayerComparison, PlayerComparison]:
        """Divide a comparison by players."""
        one, two = (cls._of_player(tree, comparison, player) for player in (0, 1))
        return one, two

    @classmethod
    def _of_player(cls, tree: GameTree, comparison: Comparison, player: int) -> PlayerComparison:
        earnings: dict[str, list[Earning]] = {}
        for earning in comparison.earnings:
            if earning.player == player:
                earnings.setdefault(earning.opponent, []).append(earning)
        size = tree.num_infosets[player]
        return cls(
            player,
            size - comparison.equal[player],
            size,
            [d for d in comparison.differences if d.player == player],
            earnings,
            [m for m in comparison.mistakes if m.player == player],
            [c for c in comparison.curves if c.player == player],
        )
