"""What the door is asked for, and whether that goes together: with itself, and with the method that is chosen."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from numbers import Integral
from typing import Any

from tremble.errors import GameError, SpecError
from tremble.exact.draws import LARGEST_SEED
from tremble.game.kinds import kind_of
from tremble.game.tree import require_player
from tremble.numbers import exact_number, format_fraction
from tremble.run.progress import Progress
from tremble.run.whole_file import require_writable
from tremble.solution.concepts import CONCEPTS
from tremble.solution.heading import MethodReference
from tremble.solution.trembles import Trembles
from tremble.solvers.method import AnyGame, Method, recorded
from tremble.solvers.run import Log, nobody_listens
from tremble.solvers.table import METHODS, require_trembles_fit
from tremble.words import described

__all__ = ["Gap", "Request", "checked_gap", "checked_seed", "payoff_gap"]

Gap = Fraction | float | None

_DEFAULT_GAP = Fraction(1, 1000)  # of the range of the payoffs, for methods that only ever come near


@dataclass(frozen=True, eq=False)
class Request:
    """What :func:`tremble.solve` is asked for; its parameters have the same names.

    Attributes
    ----------
    gap : Fraction or float, or None
        In units of payoff, however it was asked for.
    epsilon : Fraction or float, or None
        As a part of the range of the payoffs.
    """

    game: AnyGame
    concept: str = "nash"
    time_limit: float | None = None
    gap: Gap = None
    epsilon: Gap = None
    progress: Progress = nobody_listens
    report: Log = nobody_listens
    seed: int | None = None
    trembles: Trembles | None = None
    checkpoint: str | os.PathLike[str] | None = None
    player: int | None = None

    def require_fitting(self, method: Method) -> None:
        """Raise unless what is asked for goes together."""
        concept, checkpoint = self.concept, self.checkpoint
        if concept not in method.concepts():
            raise GameError(f"method {method.name} computes {', '.join(method.concepts())}, not {concept}")
        if checkpoint is not None and not method.resumable:
            able = ", ".join(name for name, other in METHODS.items() if other.resumable)
            raise SpecError(f"checkpoint is an option of the method {able}, not of {method.name}: ask for that method")
        if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
            raise SpecError(f"checkpoint is the path of a file, not {described(checkpoint)}")
        if checkpoint is not None:
            require_writable(os.fspath(checkpoint), again=True)
        require_trembles_fit(self.trembles, concept)
        if method.approximate and self.gap == 0 and self.time_limit is None and method.iterations is None:
            exact = " and ".join(name for name, m in METHODS.items() if not m.approximate and concept in m.concepts())
            raise SpecError(
                f"a gap of 0 is out of reach of {method.name}, which only comes near: ask for a positive gap, or give "
                f"a time limit; {exact} are exact"
            )

    def wanted_gap(self, method: Method) -> Fraction | None:
        """The gap to stop at: what is asked for, or the default of methods and concepts that need one."""
        of_player, whose = CONCEPTS[self.concept].of_player, int(self.player or 0)
        if self.gap is not None:
            gap = Fraction(self.gap)
            return (min(gap, kind_of(self.game).payoff_range(whose)) or gap) if of_player else gap
        if not (of_player or (method.approximate and method.iterations is None)):
            return None
        part = _DEFAULT_GAP if self.epsilon is None else min(Fraction(self.epsilon), Fraction(1))
        return part * kind_of(self.game).payoff_range(whose)

    def reference(self, method: Method, reason: str | None, gap: Fraction | None = None) -> MethodReference:
        """The method as a solution file names it, with the reason if it was not asked for."""
        options: dict[str, Any] = {} if reason is None else {"reason": reason}
        options |= recorded(method)
        if self.player is not None:
            options["player"] = self.player + 1
        if self.seed is not None:
            options["seed"] = self.seed
        if gap is not None:
            options["gap"] = format_fraction(gap)
        return MethodReference(method.name, options)


def payoff_gap(concept: str, player: int | None, epsilon: Gap, epsilon_abs: Gap, gap: Gap) -> Gap:
    """The gap that is asked for in payoff units; ``SpecError`` unless what says so fits together."""
    of_player = isinstance(concept, str) and concept in CONCEPTS and CONCEPTS[concept].of_player
    if not of_player and any(given is not None for given in (player, epsilon, epsilon_abs)):
        able = " or ".join(name for name, row in CONCEPTS.items() if row.of_player)
        raise SpecError(f"player, epsilon and epsilon_abs are for the concept {able}: ask for that")
    if player is not None:
        require_player(player)
    given = [value for value in (epsilon, epsilon_abs, gap) if value is not None]
    if len(given) > 1:
        raise SpecError("epsilon, epsilon_abs and gap say the same in two ways: give one of them")
    if of_player and given and not checked_gap(given[0]):
        raise SpecError("epsilon must be positive: bounds that meet are out of reach where a player forgets")
    return checked_gap(gap if epsilon_abs is None else epsilon_abs)


def checked_gap(gap: Gap) -> Gap:
    """A number that is not negative, exact unless it is a float; ``SpecError`` if it is none."""
    if gap is not None and not isinstance(gap, float):
        gap = exact_number(gap, "gap")
    if gap is not None and not 0 <= gap < inf:
        raise SpecError(f"the gap must be a number and not negative, but it is {described(gap)}")
    return gap


def checked_seed(seed: int | None) -> int | None:
    """The seed; ``SpecError`` unless it is one or None."""
    if seed is None:
        return None
    if not isinstance(seed, Integral) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED:
        raise SpecError(f"the seed must be an integer from 0 to {LARGEST_SEED}, not {described(seed, 40)}")
    return int(seed)
