"""The result of certifying a profile: the verdict, its proof, and the places where the profile fails."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from tremble.game.tree_arrays import pair
from tremble.solution.audit import Blunder
from tremble.solution.claims import of_rules
from tremble.solution.concepts import CONCEPTS
from tremble.solution.solution import Solution
from tremble.value import Value, shorten
from tremble.words import one

__all__ = ["Certification", "SubgameGain", "Verdict"]


class Verdict(StrEnum):
    """The answer to the question whether a profile satisfies a concept.

    Examples
    --------
    >>> [str(verdict) for verdict in Verdict]
    ['proven', 'disproven', 'undecided']
    """

    PROVEN = "proven"
    DISPROVEN = "disproven"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False, repr=False)
class SubgameGain(Value):
    """A subgame in which a player gains by a deviation that changes no play in smaller subgames.

    Attributes
    ----------
    path : tuple of str
        Action labels from the root of the game to the root of the subgame.
    player : int
        0 or 1.
    gain : Fraction
        Gain in payoffs each time that play reaches the subgame.

    Examples
    --------
    >>> import tremble
    >>> from tremble.results import certification
    >>> entry = tremble.load("entry_deterrence")
    >>> certification(entry, "NE,1,0,0,1", "sequential").subgames
    (<SubgameGain: path ('enter'), player 1, gain 2>,)
    """

    path: tuple[str, ...]
    player: int
    gain: Fraction


@dataclass(frozen=True, eq=False, repr=False)
class Certification(Value):
    """The result of certifying a profile.

    Attributes
    ----------
    verdict : Verdict
        The answer for the requested concept.
    solution : Solution
        The profile, with the checker's verdict.
    grounds : str
        The proof in words; empty unless the verdict is ``proven``.
    reasons : tuple of str
        Reasons why the verdict is ``disproven`` or ``undecided``; empty if the verdict is ``proven``.
    blunders : tuple of Blunder
        Actions that lose payoff. If the profile is an equilibrium, these actions disprove the requested refinement.
        Otherwise, the actions are at sets that play reaches. A player's gain is the sum of ``gain`` over its blunders.
    subgames : tuple of SubgameGain, or None
        Subgames in which the profile is no equilibrium; empty if it is subgame perfect; None if they were not checked.
    not_stated : pair of tuples of int
        For each player, the indices, from 0, of the sets for which no probabilities were given. Play there is uniform.

    Examples
    --------
    >>> import tremble
    >>> from tremble.results import certification
    >>> entry = tremble.load("entry_deterrence")
    >>> found = certification(entry, "NE,1,0,0,1", "sequential")  # the threat to fight is not credible
    >>> str(found.verdict), found.gains, found.subgame_perfect
    ('disproven', (Fraction(0, 1), Fraction(0, 1)), False)
    """

    verdict: Verdict
    solution: Solution
    grounds: str = ""
    reasons: tuple[str, ...] = ()
    blunders: tuple[Blunder, ...] = ()
    subgames: tuple[SubgameGain, ...] | None = None
    not_stated: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    @property
    def gains(self) -> tuple[Fraction, Fraction]:
        """Gain of each player from a best response to the other player."""
        verification = self.solution.verification
        assert verification.best_response_values is not None
        return pair(
            best - value for best, value in zip(verification.best_response_values, self.solution.values, strict=True)
        )

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        row, verification = CONCEPTS[self.solution.requested], self.solution.verification
        player = verification.disproven_player if verification.proven_player is None else verification.proven_player
        words = row.words
        if player is not None:
            words = row.words_about(f"player {player + 1}")
        elif row.one_sided and self.verdict is Verdict.DISPROVEN:
            words = row.words_about("whoever")
        if self.within is not None:
            low, high = map(shorten, self.solution.bounds or ())
            return (
                f"this is no exact {words}: NashConv is {shorten(self.within)}, and player 1's value has bounds "
                f"{low} and {high}"
            )
        positive = f"this is {one(words)}"
        if self.verdict is Verdict.DISPROVEN:
            return f"this is no {words}"
        return positive if self.verdict is Verdict.PROVEN else f"it is undecided whether {positive}"

    @property
    def within(self) -> Fraction | None:
        """NashConv if (1) NashConv > 0, (2) no game tree is built, and (3) the solution has bounds. Otherwise None."""
        gain = sum(self.gains, Fraction(0))
        return gain if gain and of_rules(self.solution) and self.solution.bounds is not None else None

    @property
    def subgame_perfect(self) -> bool | None:
        """True if the profile is an equilibrium of every subgame; None if subgames were not checked."""
        return None if self.subgames is None else not self.subgames
