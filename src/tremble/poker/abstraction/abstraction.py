"""An abstraction: an ordered game, a filter of its signals, and the smaller game that results from the filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from tremble.errors import GameError
from tremble.game.rules import UnbuiltGame
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.game.tree_builder import DEFAULT_MAX_NODES, build
from tremble.poker.abstraction.lifting import Lifting, Pair, complete, ordered_strategy, strategies_of_both
from tremble.poker.filter import Filter
from tremble.poker.filtered import FilteredGame, Sizes, sizes_of
from tremble.poker.filtered_rules import FilteredRules
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy
from tremble.solution.claim import Claim, MethodReference
from tremble.solution.solution import Solution
from tremble.solvers.recorder import proven_solution
from tremble.value import Value

__all__ = ["Abstraction"]


@dataclass(frozen=True, eq=False, repr=False)
class Abstraction(Value):
    """An ordered game of two players, together with a filter that reduces what the players see of the signals.

    The filter groups the signals into classes. In the *smaller game* the players see classes instead of signals.

    Attributes
    ----------
    game : OrderedGame
        The original game.
    filter : Filter
        The classes of both players' hands.
    mode : str
        The mode of :func:`tremble.shrink` that created the filter.
    threshold : float, optional
        The threshold, if the mode is ``"threshold"``.

    Examples
    --------
    Shrink a game, solve the smaller game, and *lift* the solution: give every hand the strategy of its class. Lifting
    also proves the solution in the original game:

    >>> import tremble
    >>> abstraction = tremble.shrink(tremble.load_rules("rhode_island:ranks=2,suits=3,raises=1"))
    >>> small = abstraction.apply()
    >>> lifted = abstraction.lift(tremble.solve(small))
    >>> small.num_nodes, lifted.value, str(lifted.status)
    (1371, Fraction(-1, 64), 'certified')
    """

    game: OrderedGame
    filter: Filter
    mode: str
    threshold: float | None = None

    @property
    def sizes(self) -> Sizes:
        """The sizes of the smaller game's sequence form. This property does not build the smaller game."""
        return sizes_of(self.game, self.filter)

    @cached_property
    def filtered(self) -> FilteredGame:
        """The smaller game, in which players see classes instead of signals."""
        return FilteredGame.of(self.game, self.filter)

    @cached_property
    def rules(self) -> FilteredRules:
        """The rules of the smaller game, which :func:`tremble.build` accepts."""
        return FilteredRules(self.filtered)

    def accepts(self, game: object) -> None:
        """Raise ``GameError`` if a game is not the original game.

        The game may be given as rules or as a tree. A tree must have the information sets of the original game.
        """
        if isinstance(game, GameTree):
            fits = all(dict(self.rules.hands(i)).keys() == set(game.infoset_labels[i]) for i in (0, 1))
        else:
            rules = game.rules if isinstance(game, UnbuiltGame) else game
            fits = isinstance(rules, OrderedGame) and rules == self.game
        if not fits:
            raise GameError(f"{getattr(game, 'title', game)!s:.80} is not the original game of this abstraction")

    def apply(self, *, max_nodes: int = DEFAULT_MAX_NODES, progress: Callable[[int], None] | None = None) -> GameTree:
        """Build the tree of the smaller game; :func:`tremble.build` explains the arguments."""
        return build(self.rules, title=self._title, max_nodes=max_nodes, progress=progress)

    def lift(self, solution: Solution, tree: GameTree | None = None) -> Solution:
        """Lift a solution of the smaller game's tree to the original game, and prove the solution there.

        Parameters
        ----------
        solution : Solution
            A solution of the tree that :meth:`apply` returns.
        tree : GameTree, optional
            The tree of the original game. By default the method builds this tree.

        Returns
        -------
        Solution
            A solution of the original game, with a status that is proven in the original game. If the abstraction is
            lossless and the equilibrium of the smaller game is certified, the certificate is lifted too, and the
            solution of the original game is also certified. If the abstraction is lossy, exact bounds show how much the
            strategies lose.

        Raises
        ------
        GameError
            The solution does not belong to the smaller game, or the tree does not belong to the original game.
        TooLargeError
            The original game is too large to be built. Use :meth:`lift_plans`, which needs no tree.
        """
        if not isinstance(solution, Solution):
            raise GameError(f"expected a solution, such as tremble.solve returns, not {solution!r:.80}")
        tree = build(self.game) if tree is None else tree
        given = Claim(solution.strategies, solution.stats, solution.certificate, solution.beliefs)
        claim = self.lifting(tree, complete(given.strategies)).claim(given)
        method = MethodReference(solution.method.name, {**solution.method.options, "abstraction": self.mode})
        return proven_solution(tree, claim, solution.requested, method)

    def lifting(self, tree: GameTree, small: GameTree | Pair) -> Lifting:
        """Return the object that lifts strategies of the smaller game to a tree of the original game.

        Parameters
        ----------
        tree : GameTree
            The tree of the original game.
        small : GameTree or pair of BehaviorStrategy
            The tree that :meth:`apply` returns, or a strategy of each player in this tree.
        """
        return Lifting.of(self.rules, tree, small)

    def lift_plans(
        self, strategies: tuple[BehaviorStrategy, BehaviorStrategy]
    ) -> tuple[OrderedStrategy, OrderedStrategy]:
        """Lift exact strategies of the smaller game's tree to the original game, without building the original tree."""
        return pair(ordered_strategy(self.rules, strategy) for strategy in strategies_of_both(strategies))

    @property
    def _title(self) -> str:
        return f"{getattr(self.game, 'title', type(self.game).__name__)}, shrunk ({self.mode})"
