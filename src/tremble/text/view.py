"""The view: what is shown of a thing, before it is a table on a terminal, JSON, CSV, a picture or a page.

Rows, names and words that more than one of these faces shows are made here, once. How a number is written is in
:mod:`tremble.text.numbers`, how things look in :mod:`tremble.text.theme`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tremble.errors import SpecError
from tremble.game.rules import UnbuiltGame
from tremble.printable import printable
from tremble.solution.heading import Status
from tremble.solution.strategies import InfosetRow
from tremble.text.numbers import Number, compact_text

if TYPE_CHECKING:
    from tremble.game.protocol import Game
    from tremble.game.strategy import BehaviorStrategy
    from tremble.game.tree import GameTree
    from tremble.solution.comparison import Comparison, Curve, Difference, Earning, Mistake
    from tremble.solution.heading import GameReference
    from tremble.solution.stated import StatedSolution

__all__ = [
    "DIFFERENCE",
    "EARNING_COLUMNS",
    "MISTAKE_COLUMNS",
    "PlayerComparison",
    "called",
    "comparison_title",
    "earning_payoffs",
    "headline",
    "nameless",
    "numbered_name",
    "player_name",
    "statement",
    "states_an_equilibrium",
    "tree_rows",
    "whose",
]


def player_name(game: GameTree | UnbuiltGame, player: int, written: Callable[[str], str] = str) -> str:
    """Name a player as it is written there, or by its number."""
    return written(game.players[player]) or f"Player {player + 1}"


def called(game: GameTree | UnbuiltGame, player: int, number: str = "player {}") -> str:
    """The player in a sentence of a terminal, by the name that tells it from the other; else by its number."""
    names = [printable(name).strip() for name in game.players]
    if not names[player] or names[0] == names[1] or names[player].casefold() in _NO_NAMES:
        return number.format(player + 1)
    return names[player]


_NO_NAMES = ("player 1", "player 2")


def nameless(stated: GameReference | None = None) -> UnbuiltGame:
    """Return a stand-in for the game of a value that does not hold it: its title, if that is stated."""
    nothing = cast("Game", None)
    if stated is None:
        return UnbuiltGame(nothing, "", None, None)
    return UnbuiltGame(nothing, stated.title, stated.spec, stated.digest)


def numbered_name(game: GameTree | UnbuiltGame, player: int) -> str:
    """Number and name of a player, if it has one, for a terminal."""
    number, name = f"Player {player + 1}", player_name(game, player, printable)
    return number if name == number else f"{number} ({name})"


def headline(solution: StatedSolution) -> str:
    """Say in two words what a solution states of itself."""
    return f"{solution.concept}, {solution.status}"


def statement(solution: StatedSolution | None) -> str:
    """Say in a line what a solution states: concept, status, and what is earned, of a constant sum by player 1."""
    from tremble.solution.concepts import CONCEPTS  # loads all certificates; `info` does not need it

    if solution is None:
        return ""
    if CONCEPTS[solution.concept].of_player:  # what bounds are of depends on whose strategy it is
        return headline(solution)
    one, two = map(compact_text, solution.values)
    low, high = solution.bounds or solution.values
    if solution.bounds is None:
        return f"{headline(solution)}, expected payoffs {one} and {two}"
    worth = f"value {one}" if low == high else f"value between {compact_text(low)} and {compact_text(high)}"
    return f"{headline(solution)}, {worth} to player 1"


def states_an_equilibrium(solution: StatedSolution) -> bool:
    """Return True if the strategies are stated to be an equilibrium: as proven, or by bounds that meet."""
    return solution.status == Status.CERTIFIED or solution.bounds == (solution.value, solution.value)


# -- strategies ------------------------------------------------------------------------------------


def tree_rows(tree: GameTree, player: int, strategy: BehaviorStrategy | None) -> Iterator[InfosetRow]:
    """Rows of a player's information sets, with or without a strategy."""
    for k, actions in enumerate(tree.actions[player]):
        shares: Sequence[Number | None] = [None] * len(actions) if strategy is None else strategy.row(k)
        off = strategy is not None and bool(strategy.off_path[k])
        yield InfosetRow(
            player + 1, k + 1, tree.infoset_labels[player][k], tuple(zip(actions, shares, strict=True)), off
        )


# -- comparisons -----------------------------------------------------------------------------------

DIFFERENCE = "second \N{MINUS SIGN} first"
EARNING_COLUMNS = ("d", "first", "second", DIFFERENCE, "best response", "first takes", "second takes")
MISTAKE_COLUMNS = ("label", "action", "first", "second", DIFFERENCE)


def comparison_title(tree: GameTree, comparison: Comparison) -> str:
    """Name what is compared."""
    one, two = comparison.names
    return f"{tree.title or 'Game'}: {one} and {two}"


def earning_payoffs(earning: Earning) -> tuple[Number | None, ...]:
    """Return the cells of the columns from ``first`` to ``best response``."""
    return earning.first, earning.second, earning.difference, earning.best


def whose(opponent: str) -> str:
    """Say which opponent it is, behind the word."""
    return "" if opponent == "both" else f" of the {opponent} profile"


@dataclass(frozen=True)
class PlayerComparison:
    """The part of a comparison that is about one player, 0 or 1."""

    player: int
    differing: int  # at how many of its information sets the player plays differently
    infosets: int
    differences: list[Difference]
    earnings: dict[str, list[Earning]]  # by opponent
    mistakes: list[Mistake]
    curves: list[Curve]

    @classmethod
    def of(cls, comparison: Comparison) -> list[PlayerComparison]:
        """Divide a comparison by players; raise ``SpecError`` for any other value."""
        from tremble.solution.comparison import Comparison

        if not isinstance(comparison, Comparison):
            raise SpecError(f"a comparison is what tremble.compare returns, not {comparison!r:.80}")
        earnings: tuple[dict[str, list[Earning]], ...] = ({}, {})
        for earning in comparison.earnings:
            earnings[earning.player].setdefault(earning.opponent, []).append(earning)
        differences = [[d for d in comparison.differences if d.player == player] for player in (0, 1)]
        return [
            cls(
                player,
                len(unlike),
                equal + len(unlike),
                unlike,
                earnings[player],
                [m for m in comparison.mistakes if m.player == player],
                [c for c in comparison.curves if c.player == player],
            )
            for player, (equal, unlike) in enumerate(zip(comparison.equal, differences, strict=True))
        ]
