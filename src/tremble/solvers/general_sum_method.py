"""The method ``lemke``, which uses complementary pivots, for games whose payoffs have no constant sum."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from tremble.errors import GameError, SpecError
from tremble.exact.draws import draws
from tremble.game.tree import GameTree
from tremble.numbers import required_flag
from tremble.solution.claim import Claim
from tremble.solution.trembles import Trembles
from tremble.solvers.method import REFINED, Method, Run, Takes, perfect_recall
from tremble.words import for_reader

__all__ = ["Lemke"]

_BITS = 10  # greatest number of bits of a random weight; every number of bits has the same probability


@dataclass(frozen=True)
class Lemke(Method):
    """A method that computes exact equilibria of games of any sum, with Lemke's complementary pivots.

    A game may have many equilibria. The *prior* decides which equilibrium is found. Each player expects a mixture of
    the prior and the opponent's strategy. The pivots change the prior's weight in this mixture from 1 to 0. Players
    also tremble in proportion to the prior, unless other weights of trembles are given. A Nash equilibrium that this
    method finds agrees with a quasi-perfect equilibrium on the path of play, so it is normal-form perfect.

    Parameters
    ----------
    prior : str, path or Trembles
        ``"uniform"``, ``"random"`` (drawn from the seed), weights, or a file with a positive weight for each action.
    symmetric : bool
        Find an equilibrium that is unchanged by every symmetry that the game, the prior and the trembles share.
        Interchangeable players then play alike. A random prior is made symmetric first.

    Examples
    --------
    >>> import tremble
    >>> tremble.solve(tremble.load("kuhn"), method=tremble.methods.Lemke()).value
    Fraction(-1, 18)

    References
    ----------
    B. von Stengel, A. van den Elzen, D. Talman: Computing normal form perfect equilibria for extensive two-person
    games, Econometrica 70, 2002.
    """

    name: ClassVar[str] = "lemke"
    summary: ClassVar[str] = "complementary pivots, for games of any sum"
    takes: ClassVar[Takes] = {"tree": dict.fromkeys(("nash", *REFINED), perfect_recall)}

    decisive: ClassVar[Sequence[str]] = ("symmetric",)

    prior: str | os.PathLike[str] | Trembles = field(
        default="uniform",
        metadata={
            "help": "Play that players first expect (Lemke): uniform, random (from --seed), or a file of weights.",
            "metavar": "FILE",
        },
    )

    symmetric: bool = field(
        default=False,
        metadata={
            "help": "Find an equilibrium that every symmetry keeps: interchangeable players play alike (Lemke).",
            "is_flag": True, "default": None,
        },
    )  # fmt: skip

    def __post_init__(self) -> None:
        if not isinstance(self.prior, str | os.PathLike | Trembles) or not self.prior:
            raise SpecError(f"'prior' must be 'uniform', 'random', a file path or Trembles, not {self.prior!r:.80}")
        required_flag(self.symmetric, "symmetric")

    def recommended(self, game: GameTree, concept: str) -> str | None:
        """Return the reason to use this method by default if the sum of the payoffs is not constant, else None."""
        if game.constant_sum is not None:
            return None
        return "complementary pivots: the payoffs of this game have no constant sum"

    def run(self, game: GameTree, concept: str, run: Run) -> Claim:
        """Follow Lemke's path from the prior to an equilibrium, and return the equilibrium as a claim."""
        from tremble.solvers.general_sum import general_sum_claim, symmetrically

        prior = self._weights(game)
        if self.symmetric and self.prior == "random":
            prior = symmetrically(game, prior, run)
        return general_sum_claim(game, concept, prior, run, symmetric=self.symmetric)

    def _weights(self, tree: GameTree) -> Trembles:
        """Return the prior's weights; raise ``GameError`` if an order is not 1 or weights of a player are missing."""
        if isinstance(self.prior, Trembles):
            self.prior.require_of(tree)
            prior = self.prior
        elif self.prior == "uniform":
            prior = Trembles.uniform(tree)
        elif self.prior == "random":
            random = draws()
            rows = [
                [[random.randint(1, 1 << random.randint(1, _BITS)) for _ in labels] for labels in sets]
                for sets in tree.actions
            ]
            prior = Trembles.from_rows(tree, rows)
        else:
            prior = Trembles.read(self.prior, tree)
        if prior.ordered or prior.faultless is not None:
            trembles = for_reader("trembles=", "--trembles")
            raise GameError(f"a prior needs weights for both players, without orders; give orders with {trembles}")
        return prior
