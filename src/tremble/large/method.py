"""The methods ``double-oracle`` and ``published-double-oracle``.

Both are for games that are too large for a tree, and for trees with an equilibrium that plays only few sequences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, ClassVar

from tremble.errors import GameError, SpecError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.large.settings import POLICIES, SIZES, Policy, Settings, Sizes, require_shallow
from tremble.solution.claim import Claim
from tremble.solvers.method import Method, Reasons, Run, Takes, any_rules, constant_sum, require_choice
from tremble.words import for_reader

if TYPE_CHECKING:
    from tremble.large.rules import RulesOracle
    from tremble.large.tree import TreeOracle

__all__ = ["DoubleOracle", "PublishedDoubleOracle"]

_GAP_SHARE = 1 - Fraction(1, 1000)  # floats must reach this share of the target gap; the rest covers rounding errors


@dataclass(frozen=True)
class _DoubleOracleMethod(Method):
    """The common base class of ``double-oracle`` and ``published-double-oracle``."""

    takes: ClassVar[Takes] = {"tree": {"nash": constant_sum}, "rules": {"nash": any_rules}}

    policy: Policy = field(
        default="both",
        metadata={
            "help": "Double oracle: players that respond in an iteration: both (default), alternating or worse.",
            "metavar": "P",
        },
    )

    def __post_init__(self) -> None:
        require_choice("policy", self.policy, POLICIES)

    def refusal(self, game: GameTree | UnbuiltGame) -> GameError:
        """Return the error for an ordered game (:mod:`tremble.poker`). The message names methods for such games."""
        return GameError(
            f"{self.name} does not support ordered games: use dcfr, lp or interior-point, or build the tree "
            f"({for_reader('tremble.load or tremble.build', '--max-nodes')})"
        )

    def run(self, game: GameTree | UnbuiltGame, concept: str, run: Run) -> Claim:
        """Iterate until the gap between the bounds on the game's value is 0 or at most the target ``run.gap``."""
        from tremble.large.solve import solve_double_oracle

        settings = self._settings(None if run.gap is None else run.gap * _GAP_SHARE)
        return solve_double_oracle(game, settings, run, self._oracles())

    def _settings(self, gap: Fraction | None) -> Settings:
        """Return the options of a run with the target gap ``gap``."""
        raise NotImplementedError

    def _oracles(self) -> tuple[type[TreeOracle], type[RulesOracle]]:
        """Return the classes that compute best responses on trees and from rules."""
        from tremble.large.rules import RulesOracle
        from tremble.large.tree import TreeOracle

        return TreeOracle, RulesOracle


@dataclass(frozen=True)
class DoubleOracle(_DoubleOracleMethod):
    """The double oracle. It adds best responses to a restricted game until its equilibrium solves the whole game.

    The algorithm is by Bošanský et al. (2014).

    Attributes
    ----------
    policy : str
        The players that respond in an iteration: ``"both"`` (both players), ``"alternating"`` (the players in turn) or
        ``"worse"`` (the player with the looser bound on the value).
    smoothing : float
        A number w, at least 0 and less than 1. Players respond to the opponent's new plan. They also respond to a
        mixture, which gives weight w to the opponent's best plan so far and weight 1 - w to its new plan. If w is 0,
        there is no mixture, as in the published algorithm.
    sizes : Sizes
        The sizes of games at which the double oracle switches between algorithms.

    Examples
    --------
    >>> import tremble
    >>> goofspiel = tremble.load("goofspiel")
    >>> tremble.solve(goofspiel, method=tremble.methods.DoubleOracle(policy="worse")).value
    Fraction(0, 1)
    """

    name: ClassVar[str] = "double-oracle"
    aliases: ClassVar[tuple[str, ...]] = ("do",)
    summary: ClassVar[str] = "for games too large to be built; nash only"
    reasons: ClassVar[Reasons] = {"rules": "the game is not built: best responses are searched for from its rules"}
    resumable: ClassVar[bool] = True

    smoothing: float = field(
        default=Settings.smoothing,
        metadata={
            "help": "Double oracle: weight of the opponent's best plan so far, from 0 (as published) to below 1 [0.8].",
            "metavar": "A",
        },
    )

    sizes: Sizes = SIZES

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.smoothing, Real) and 0 <= self.smoothing < 1):
            raise SpecError(f"'smoothing' must be at least 0 and less than 1, not {self.smoothing!r:.80}")
        if not isinstance(self.sizes, Sizes):
            raise SpecError(f"'sizes' must be a tremble.large.Sizes, not {self.sizes!r:.80}")

    def _settings(self, gap: Fraction | None) -> Settings:
        return Settings(self.policy, self.smoothing, gap=gap, sizes=self.sizes)


def _shallow(tree: GameTree, concept: str) -> None:
    """Raise an error if the sum of the payoffs is not constant, or if the tree is too deep for a recursive search."""
    constant_sum(tree, concept)
    require_shallow(tree.depth)


@dataclass(frozen=True)
class PublishedDoubleOracle(_DoubleOracleMethod):
    """The double oracle as published by Bošanský, Kiekintveld, Lisý & Pěchouček (2014), for comparisons.

    This is the algorithm of sections 4.1 to 4.3 of the paper. Linear programs compute equilibria of restricted games,
    and players respond only to these equilibria. Best responses are computed by the search of Figures 4 and 5. As in
    ``double-oracle``, the last steps and the proof are exact. The method ``double-oracle`` is faster.

    Attributes
    ----------
    policy : str
        The players that respond in an iteration: ``"both"`` (DO-B), ``"alternating"`` (DO-SA) or ``"worse"`` (DO-SWP).

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("border_patrol:depth=4")
    >>> tremble.solve(game, method=tremble.methods.PublishedDoubleOracle("worse")).value
    Fraction(-1, 3)
    """

    published: ClassVar[bool] = True

    name: ClassVar[str] = "published-double-oracle"
    summary: ClassVar[str] = "the double oracle as published, to compare: slower than double-oracle"
    takes: ClassVar[Takes] = {"tree": {"nash": _shallow}, "rules": {"nash": any_rules}}

    def _settings(self, gap: Fraction | None) -> Settings:
        return Settings(self.policy, 0.0, 0.0, published=True, gap=gap)

    def _oracles(self) -> tuple[type[TreeOracle], type[RulesOracle]]:
        from tremble.large.published import PublishedRulesOracle, PublishedTreeOracle

        return PublishedTreeOracle, PublishedRulesOracle
