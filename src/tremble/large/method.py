"""The double oracle: for games too large to be built, and for trees in which few sequences matter."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import ClassVar

from tremble.errors import GameError, SpecError
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.large.settings import POLICIES, SIZES, Policy, Settings, Sizes, require_shallow
from tremble.solution.claim import Claim
from tremble.solvers.method import Method, Reasons, Takes, any_rules, constant_sum, require_choice
from tremble.solvers.run import Run
from tremble.words import for_reader

__all__ = ["DoubleOracle", "PublishedDoubleOracle"]

_MARGIN = 1 - Fraction(1, 1000)  # of a gap is what is asked of floats, so that rounding cannot spoil it


@dataclass(frozen=True)
class _Oracles(Method):
    """What ours and the published one have in common."""

    takes: ClassVar[Takes] = {"tree": {"nash": constant_sum}, "rules": {"nash": any_rules}}

    policy: Policy = field(
        default="both",
        metadata={"help": "Double oracle: who responds: both (default), alternating or worse.", "metavar": "P"},
    )

    def __post_init__(self) -> None:
        require_choice("policy", self.policy, POLICIES)

    def refusal(self, game: GameTree | UnbuiltGame) -> GameError:
        """Which methods take ordered games."""
        return GameError(
            f"an ordered game that is not built is for dcfr, lp or interior-point; {self.name} takes its tree "
            f"({for_reader('tremble.load or tremble.build', '--max-nodes')})"
        )

    def run(self, game: GameTree | UnbuiltGame, concept: str, run: Run) -> Claim:
        """Iterate until the bounds meet, or are as close as the gap allows."""
        from tremble.large.solve import solve_double_oracle

        return solve_double_oracle(game, self._settings(None if run.gap is None else run.gap * _MARGIN), run)

    def _settings(self, gap: Fraction | None) -> Settings:
        """How to run until the bounds are that close."""
        raise NotImplementedError


@dataclass(frozen=True)
class DoubleOracle(_Oracles):
    """Restricted games that grow by best responses until none improves (Bosansky et al. 2014).

    Attributes
    ----------
    policy : str
        Who responds in an iteration: ``"both"``, ``"alternating"`` or ``"worse"`` (whose bound is further away).
    smoothing : float
        From 0 to less than 1: the weight of the incumbent in what is responded to; 0 as published.
    sizes : Sizes
        At which one way of working gives way to another.

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
        metadata={"help": "Double oracle: 0 as published, to less than 1 [0.8].", "metavar": "A"},
    )

    sizes: Sizes = SIZES

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.smoothing, Real) and 0 <= self.smoothing < 1):
            raise SpecError(f"smoothing must be at least 0 and less than 1, not {self.smoothing!r:.80}")
        if not isinstance(self.sizes, Sizes):
            raise SpecError(f"sizes are tremble.large.Sizes, not {self.sizes!r:.80}")

    def _settings(self, gap: Fraction | None) -> Settings:
        return Settings(self.policy, self.smoothing, gap=gap, sizes=self.sizes)


def _shallow(tree: GameTree, concept: str) -> None:
    """The same, of trees that are not too deep for a search that calls itself; of rules it finds that out itself."""
    constant_sum(tree, concept)
    require_shallow(tree.depth)


@dataclass(frozen=True)
class PublishedDoubleOracle(_Oracles):
    """Bošanský, Kiekintveld, Lisý & Pěchouček (2014): the same as it was published, to compare with.

    Sections 4.1 to 4.3: responses to equilibria of restricted games alone, by the search of Figures 4 and 5, and linear
    programs alone. The end is exact here too, and so is the proof.

    Attributes
    ----------
    policy : str
        Who responds in an iteration: ``"both"`` (DO-B), ``"alternating"`` (DO-SA) or ``"worse"`` (DO-SWP).

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("border_patrol:depth=4")
    >>> tremble.solve(game, method=tremble.methods.PublishedDoubleOracle("worse")).value
    Fraction(-1, 3)
    """

    published: ClassVar[bool] = True

    name: ClassVar[str] = "published-double-oracle"
    summary: ClassVar[str] = "the double oracle as published: without what makes ours fast"
    takes: ClassVar[Takes] = {"tree": {"nash": _shallow}, "rules": {"nash": any_rules}}

    def _settings(self, gap: Fraction | None) -> Settings:
        return Settings(self.policy, 0.0, 0.0, published=True, gap=gap)
