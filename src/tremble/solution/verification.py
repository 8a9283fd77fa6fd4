"""What a verification proved."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tremble.solution.heading import Status
from tremble.value import Value

__all__ = ["FieldProof", "Verification"]


@dataclass(frozen=True, repr=False)
class FieldProof(Value):
    """What is proven of a field of a list of equilibria, and what of it is only stated.

    Attributes
    ----------
    name : str
        The field, as in the file: ``"unique"``; ``"unique_plans[0]"`` is what it says of player 1.
    proven, believed : str or None
        In words; None if there is nothing of the kind.

    Examples
    --------
    >>> import tremble
    >>> pennies = tremble.load("matching_pennies")
    >>> fields = tremble.verify(pennies, tremble.all_equilibria(pennies)).fields
    >>> fields[0].name, fields[0].proven
    ('equilibria', 'each is a proven Nash equilibrium')
    """

    name: str
    proven: str | None = None
    believed: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Value):
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
        guarantees the most (``"maxmin"``; without a constant sum: about what that player earns); else None unless the
        payoffs have a constant sum. Of rules that are not built (but for ordered games), that is known only of the
        plays that either strategy allows, and the bounds are of the most that player 1 can guarantee, as a note says.
    notes : tuple of str
        What was taken on trust.
    disproven : str or None
        The concept that the strategies are proven not to be of, if the file states a refutation that holds.
    proven_player, disproven_player : int or None
        The player, 0 or 1, whom ``proven`` and ``disproven`` are about: who makes no mistakes in a one-sided
        quasi-perfect equilibrium, or whose maxmin strategy it is. A profile may be proven for one player and disproven
        for the other. None of concepts of both players. None also if the proof holds for either player: who gains by
        deviating is in no equilibrium, whoever makes no mistakes.
    fields : tuple of FieldProof
        Of a list of equilibria (``tremble/equilibria@1``) that is ``ok``: what of each field that it states is proven,
        and what is believed. Else empty.

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
    disproven: str | None = None
    proven_player: int | None = None
    disproven_player: int | None = None
    fields: tuple[FieldProof, ...] = ()
