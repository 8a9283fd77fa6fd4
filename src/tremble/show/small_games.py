"""The payoffs and equilibria of games that are small enough for a picture of all equilibria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tremble.errors import GameError
from tremble.formats.foreign import game_of
from tremble.game.normal_form import is_one_shot, reduced_normal_form
from tremble.game.pure_plans import num_pure_plans
from tremble.game.requirements import require_perfect_recall
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.judge.lists import all_equilibria
from tremble.solution.equilibria import Equilibria
from tremble.solvers.method import tree_of
from tremble.text.figures import named
from tremble.value import shorten
from tremble.words import called

__all__ = ["Mixture", "SmallGame"]

Mixture = tuple[Fraction, ...]

_MANY = 10**15


@dataclass(frozen=True)
class SmallGame:
    """The reduced normal form of a game, and all extreme equilibria of the game."""

    names: tuple[str, str]  # names of the players
    actions: tuple[tuple[str, ...], tuple[str, ...]]
    payoffs: tuple[tuple[Mixture, ...], tuple[Mixture, ...]]  # payoffs[player][own strategy][opponent's strategy]
    mixtures: tuple[tuple[Mixture, ...], tuple[Mixture, ...]]  # mixtures[player][strategy number in equilibria.pairs]
    equilibria: Equilibria

    @classmethod
    def of(
        cls, game: object, fits: Callable[[int, int], bool], requirement: str, *, time_limit: float | None = None
    ) -> SmallGame:
        """Compute the reduced normal form of a game and all its extreme equilibria.

        ``fits(m, n)`` returns True if a game with m strategies for player 1 and n strategies for player 2 is small
        enough. If the game is too large, raise a ``GameError`` with the text ``requirement``.
        """
        tree = tree_of(game_of(game))
        require_perfect_recall(tree)
        m, n = _sizes(tree)
        if not fits(m, n):
            counts = (f"{count:,}" if count < _MANY else shorten(count) for count in (m, n))
            raise GameError(f"{requirement}; in this game the players have {' and '.join(counts)} strategies")
        matrix = reduced_normal_form(tree)
        cells = [matrix.payoff_at(k) for k in range(m * n)]
        first = tuple(tuple(cells[i * n + j][0] for j in range(n)) for i in range(m))
        second = tuple(tuple(cells[i * n + j][1] for i in range(m)) for j in range(n))
        found = all_equilibria(matrix, time_limit=time_limit)
        mixtures: tuple[dict[int, Mixture], dict[int, Mixture]] = ({}, {})
        for solution, numbers in zip(found, found.pairs or (), strict=True):
            for player, number in enumerate(numbers):
                mixtures[player][number] = tuple(Fraction(p) for p in solution.strategies[player].row(0))
        mixtures1, mixtures2 = (tuple(each[number] for number in sorted(each)) for each in mixtures)
        names = pair(named(called(tree, i)) for i in (0, 1))
        actions = pair(tuple(map(named, matrix.actions[i][0])) for i in (0, 1))
        return cls(names, actions, (first, second), (mixtures1, mixtures2), found)

    def at(self, player: int) -> list[tuple[Mixture, list[int]]]:
        """Return each mixture of a player, with the numbers (counted from 1) of the equilibria that contain it."""
        numbered = list(enumerate(self.equilibria.pairs or (), 1))
        return [(mix, [k for k, both in numbered if both[player] == i]) for i, mix in enumerate(self.mixtures[player])]


def _sizes(tree: GameTree) -> tuple[int, int]:
    """Count the strategies of each player in the reduced normal form, without listing them."""
    if is_one_shot(tree):
        return len(tree.actions[0][0]), len(tree.actions[1][0])
    form = SequenceForm.of(tree)
    return num_pure_plans(form, 0), num_pure_plans(form, 1)
