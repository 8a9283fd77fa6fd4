"""What a verification proved."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tremble.solution.heading import Status

__all__ = ["Verification"]


@dataclass(frozen=True)
class Verification:
    """What the checker found: of what a file states (:func:`tremble.verify`), or of what a method claims.

    Attributes
    ----------
    ok : bool
        Whether everything that is stated, or claimed, is proven.
    concept : str
        The concept that is stated or claimed.
    status : Status
        The status that is stated; of a claim, the status that it deserves.
    proven : str or None
        What is proven: a concept, ``"bounds"``, or None. Of what a file states that is all or nothing; of a claim to
        a refinement it may be ``"nash"``.
    nash_conv : Fraction or None
        What both players together could gain by deviating; None if the strategies do not fit the game, or the proof
        needs no best responses (``"maxmin"``).
    problems : tuple of str
        What is wrong and where, at most 20 and a count of the rest; empty exactly if ``ok``.
    values : pair of Fraction, or None
        Recomputed expected payoffs of players 1 and 2.
    best_response_values : pair of Fraction, or None
        Recomputed: what each player earns at most against the other's strategy.
    bounds : pair of Fraction, or None
        What the two strategies prove about player 1's value, or the certificate about what player 1 earns if a player
        guarantees the most (``"maxmin"``); None unless the payoffs have a constant sum.
    notes : tuple of str
        What was taken on trust.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> verification = tremble.verify(kuhn, tremble.solve(kuhn))
    >>> verification.ok, verification.proven, verification.values, verification.problems
    (True, 'nash', (Fraction(-1, 18), Fraction(1, 18)), ())
    """

    ok: bool
    concept: str
    status: Status
    proven: str | None
    nash_conv: Fraction | None
    problems: tuple[str, ...]
    values: tuple[Fraction, Fraction] | None = None
    best_response_values: tuple[Fraction, Fraction] | None = None
    bounds: tuple[Fraction, Fraction] | None = None
    notes: tuple[str, ...] = ()
