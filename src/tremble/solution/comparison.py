"""The result of comparing two profiles, as frozen dataclasses: differences in play and in payoffs."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tremble.game.rules import UnbuiltGame
from tremble.game.strategy import Number
from tremble.game.tree import GameTree
from tremble.numbers import finite
from tremble.value import Tabular, Value, from_one, in_both_forms

__all__ = ["TREMBLES", "Comparison", "Curve", "Difference", "Earning", "Mistake", "Whose"]

Whose = Literal["first", "second", "both"]

TREMBLES = (Fraction(0), Fraction(1, 100), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1))
"""The probabilities with which the trembling opponents of :attr:`Comparison.earnings` err."""


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Value):
    """An information set where the two profiles play differently.

    Attributes
    ----------
    player : int
        0 or 1.
    infoset : int or None
        Index of the information set, from 0. None in a game that is not built, whose sets have no numbers.
    label : str
    actions : tuple of str
    first, second : tuple of Fraction
        Probabilities of the actions in the first and the second profile; floats if the strategy has floats.
    distance : Fraction or float
        Total variation distance: half the sum of the absolute differences.
    own, others : pair of bool
        ``own``: for each profile, True if the player's own moves allow play to reach the set. ``others``: for each
        profile, True if the moves of chance and the opponent allow play to reach the set.
    on_path : pair of bool
        For each profile, True if play reaches the set.
    reach : pair of float
        For each profile, the probability that play reaches the set, rounded to a float.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> equilibria = tremble.all_equilibria(kuhn)
    >>> first = tremble.compare(kuhn, *equilibria).differences[0]
    >>> first.label, first.actions, first.changes
    ('K:', ('check', 'bet'), (('check', Fraction(1, 1), Fraction(0, 1)), ('bet', Fraction(0, 1), Fraction(1, 1))))
    """

    player: int
    infoset: int | None
    label: str
    actions: tuple[str, ...]
    first: tuple[Number, ...]
    second: tuple[Number, ...]
    distance: Number
    own: tuple[bool, bool]
    others: tuple[bool, bool]
    on_path: tuple[bool, bool]
    reach: tuple[float, float]

    @property
    def changes(self) -> tuple[tuple[str, Number, Number], ...]:
        """All actions of the set with their probabilities in both profiles, including unchanged actions."""
        return tuple(zip(self.actions, self.first, self.second, strict=True))

    @property
    def reached(self) -> bool:
        """True if play reaches the set in either profile."""
        return any(self.on_path)


@dataclass(frozen=True, eq=False, repr=False)
class Earning(Value):
    """The payoffs of a player's two strategies (one from each profile) against the same strategy of the opponent.

    Attributes
    ----------
    player : int
        The player who earns, 0 or 1.
    opponent : {"first", "second", "both"}
        The profile that contains the opponent's strategy; ``"both"`` if the strategy is equal in both profiles.
    tremble : Fraction
        Probability with which the opponent errs at every information set.
    first, second : Fraction or float
        Expected payoffs of the player's strategies in the first and the second profile.
    best : Fraction, float or None
        Payoff of a best response to the opponent; None if the player lacks perfect recall.
    gift : Fraction, float or None
        The part of ``best`` that comes from the errors: ``best`` minus the best payoff if the opponent does not err.
    shares : pair of Fraction, float or None
        Gain of each strategy from the errors, divided by ``gift``; None if ``gift`` is 0 or None.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> tremble.compare(kuhn, *tremble.all_equilibria(kuhn)).earnings[0].difference
    Fraction(0, 1)
    """

    player: int
    opponent: Whose
    tremble: Fraction
    first: Number
    second: Number
    best: Number | None
    gift: Number | None
    shares: tuple[Number | None, Number | None]

    @property
    def difference(self) -> Number:
        """Payoff of the second strategy minus payoff of the first strategy."""
        return self.second - self.first


@dataclass(frozen=True, eq=False, repr=False)
class Mistake(Value):
    """A single mistake of an opponent after which the player's two strategies earn different payoffs.

    Attributes
    ----------
    player : int
        The player whose two strategies are compared, 0 or 1.
    opponent : {"first", "second", "both"}
        The profile whose strategy the opponent follows, except for the mistake.
    infoset : int
        Index, from 0, of the information set where the opponent errs.
    label, action : str
    first, second : Fraction or float
        Expected payoff of each of the player's strategies if the opponent plays towards this mistake and makes it.
    cost : pair of Fraction or float
        For each strategy of the player, the opponent's payoff without the mistake minus its payoff with the mistake.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> len(tremble.compare(kuhn, *tremble.all_equilibria(kuhn)).mistakes)
    4
    """

    player: int
    opponent: Whose
    infoset: int
    label: str
    action: str
    first: Number
    second: Number
    cost: tuple[Number, Number]

    @property
    def difference(self) -> Number:
        """Payoff of the second strategy minus payoff of the first strategy."""
        return self.second - self.first


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Value):
    """The payoffs of a player's two strategies as functions of the opponent's error probability, for a picture.

    The arrays are float64[n]. ``best`` is the payoff of a best response; None if the player lacks perfect recall.
    """

    player: int
    opponent: Whose
    tremble: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    best: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Value, Tabular):
    """The result of :func:`tremble.compare`.

    Attributes
    ----------
    names : pair of str
        Names of the profiles.
    exact : bool
        True if the payoffs are exact; else they are floats.
    equal : pair of int
        For each player, the number of information sets where both profiles play the same.
    differences : tuple of Difference
        First the sets that at least one profile reaches, then the others. In each group, the largest distance is first.
    earnings : tuple of Earning
        Sorted by player, opponent and probability of an error.
    mistakes : tuple of Mistake
        Sorted by player, then by difference, the largest first. Empty unless both players have perfect recall.
    curves : tuple of Curve
    unlisted : pair of int
        For each player, the number of further sets that differ and are not in ``differences``.
    played : GameTree, UnbuiltGame or None
        The game.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> solution = tremble.solve(kuhn)
    >>> tremble.compare(kuhn, solution, solution).differences
    ()
    """

    columns: ClassVar[tuple[str, ...]] = (
        *("player", "infoset", "label", "action", "first", "second", "first_float", "second_float"),
        *("distance", "distance_float", "on_path_first", "on_path_second"),
    )

    names: tuple[str, str]
    exact: bool
    equal: tuple[int, int]
    differences: tuple[Difference, ...]
    earnings: tuple[Earning, ...]
    mistakes: tuple[Mistake, ...]
    curves: tuple[Curve, ...]
    unlisted: tuple[int, int] = (0, 0)
    played: GameTree | UnbuiltGame | None = field(default=None, compare=False, repr=False)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of CSV output: one for each action of the information sets where the profiles differ.

        Players and information sets count from 1. Exact numbers are ``Fraction``.
        """
        return [
            {
                "player": d.player + 1,
                "infoset": from_one(d.infoset),
                "label": d.label,
                "action": action,
                "first": first,
                "second": second,
                "first_float": finite(first),
                "second_float": finite(second),
                **in_both_forms("distance", d.distance),
                "on_path_first": d.on_path[0],
                "on_path_second": d.on_path[1],
            }
            for d in self.differences
            for action, first, second in d.changes
        ]
