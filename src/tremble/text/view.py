"""Parts of views that terminal, JSON, CSV, pictures and pages share.

This module makes the rows, names and words that several outputs show. :mod:`tremble.text.numbers` writes numbers, and
:mod:`tremble.text.theme` has colours and fonts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tremble.errors import SpecError
from tremble.game.rules import UnbuiltGame
from tremble.solution.heading import Status
from tremble.solution.strategy_rows import InfosetRow
from tremble.text.numbers import Number, compact_text
from tremble.words import printable

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
    "concept_words",
    "earning_payoffs",
    "headline",
    "infosets_words",
    "nameless",
    "numbered_name",
    "odds",
    "player_name",
    "statement",
    "states_an_equilibrium",
    "tree_rows",
    "whose",
]


def player_name(game: GameTree | UnbuiltGame, player: int, written: Callable[[str], str] = str) -> str:
    """Return the name of a player, or its number if it has none."""
    return written(game.players[player]) or f"Player {player + 1}"


def called(game: GameTree | UnbuiltGame, player: int, number: str = "player {}") -> str:
    """Return a player's name for a sentence, or its number if the players' names do not differ."""
    names = [printable(name).strip() for name in game.players]
    if not names[player] or names[0] == names[1] or names[player].casefold() in _NO_NAMES:
        return number.format(player + 1)
    return names[player]


_NO_NAMES = ("player 1", "player 2")


def nameless(stated: GameReference | None = None) -> UnbuiltGame:
    """Return a stand-in, with the stated title if any, for the game of a value that does not hold its game."""
    nothing = cast("Game", None)
    if stated is None:
        return UnbuiltGame(nothing, "", None, None)
    return UnbuiltGame(nothing, stated.title, stated.spec, stated.digest)


def numbered_name(game: GameTree | UnbuiltGame, player: int) -> str:
    """Return the number of a player, with its name if it has one, for a terminal."""
    number, name = f"Player {player + 1}", player_name(game, player, printable)
    return number if name == number else f"{number} ({name})"


def headline(solution: StatedSolution) -> str:
    """Return the stated concept and status of a solution in two words."""
    return f"{solution.concept}, {solution.status}"


def statement(solution: StatedSolution | None) -> str:
    """Summarize a stated solution in a line: concept, status and payoffs (player 1's if the sum is constant)."""
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


def concept_words(name: str) -> str:
    """Return the name of a concept for a sentence."""
    from tremble.solution.concepts import CONCEPTS  # loads all certificates; `info` does not need it

    return CONCEPTS[name].words if name in CONCEPTS else printable(name[:80])


def infosets_words(sizes: Sequence[int]) -> str:
    """Count the information sets of both players."""
    return f"{' + '.join(f'{n:,}' for n in sizes)} information sets"


def odds(solution: StatedSolution) -> str:
    """Write the bound on the probability of an error in a proof that uses random points; empty for other proofs."""
    chance = solution.certificate.get("probabilistic")
    return f"2^-{chance.get('k')}" if isinstance(chance, Mapping) else ""


# -- strategies ------------------------------------------------------------------------------------


def tree_rows(tree: GameTree, player: int, strategy: BehaviorStrategy | None) -> Iterator[InfosetRow]:
    """Yield the rows of a player's information sets, with or without a strategy."""
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
    """Name the compared profiles."""
    one, two = comparison.names
    return f"{tree.title or 'Game'}: {one} and {two}"


def earning_payoffs(earning: Earning) -> tuple[Number | None, ...]:
    """Return the cells of the columns from ``first`` to ``best response``."""
    return earning.first, earning.second, earning.difference, earning.best


def whose(opponent: str) -> str:
    """Return the words that identify an opponent, after the word ``opponent``."""
    return "" if opponent == "both" else f" of the {opponent} profile"


@dataclass(frozen=True)
class PlayerComparison:
    """A part of a comparison: everything about one player, 0 or 1."""

    player: int
    differing: int  # number of the player's information sets at which the profiles differ
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
