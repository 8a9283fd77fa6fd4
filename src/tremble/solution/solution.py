"""Solutions: a claim, and what the checker has proven of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tremble.errors import SolverError
from tremble.model.strategy import BehaviorStrategy
from tremble.solution.certificates import BestResponseCertificate
from tremble.solution.claim import Claim, Profile
from tremble.solution.heading import GameReference, MethodReference
from tremble.solution.stated import StatedSolution
from tremble.solution.strategies import pair_of
from tremble.solution.verification import Verification

__all__ = ["Solution"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Solution(StatedSolution):
    """A pair of strategies with what is proven of it: what :func:`tremble.solve` returns, and its file states.

    The status, the values and the bounds are those that the checker found, never what a method says.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy, or of UnbuiltStrategy or OrderedStrategy where the game is not built
    verification : Verification

    See Also
    --------
    tremble.solution.stated.StatedSolution : all other attributes, reading and writing.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"), concept="quasi-perfect")
    >>> solution.value, solution.verification.proven
    (Fraction(-1, 18), 'quasi-perfect')
    """

    strategies: Profile
    verification: Verification

    @classmethod
    def proven(
        cls,
        game: GameReference,
        requested: str,
        method: MethodReference,
        claim: Claim,
        certificate: Mapping[str, Any],
        verification: Verification,
    ) -> Solution:
        """A claim with what the checker found of it; ``SolverError`` if the strategies do not fit the game.

        The certificate is that of the claim as plain data, and stays if the concept that was requested is proven.
        """
        values, best = verification.values, verification.best_response_values
        if values is None:
            raise SolverError(f"the strategies do not fit the game: {'; '.join(verification.problems)}")
        # Bounds without best responses are what the certificate proves of the concept.
        reached = verification.proven == requested and bool(certificate)
        refined = reached or (verification.proven == "bounds" and best is None)
        strategies = claim.strategies
        if not refined:
            certificate = {} if best is None else BestResponseCertificate(values, best).plain()
            built = None if best is None else pair_of(BehaviorStrategy, strategies)
            if built is not None:
                strategies = built[0].marked(), built[1].marked()
        exact = verification.nash_conv == 0 and verification.bounds is not None
        return cls(
            game=game,
            concept=requested if refined else "nash",
            requested=requested,
            method=method,
            status=verification.status,
            values=values,
            bounds=(values[0], values[0]) if exact else verification.bounds,
            strategies=strategies,
            beliefs=claim.beliefs if refined else None,
            certificate=certificate,
            stats=claim.diagnostics,
            verification=verification,
        )
