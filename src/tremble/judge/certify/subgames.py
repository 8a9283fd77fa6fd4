"""Whether a profile is a Nash equilibrium in every subgame, as the checker finds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.solution.claims import subgames_with_gains
from tremble.value import Value

__all__ = ["SubgameGain", "subgame_gains"]


@dataclass(frozen=True, eq=False, repr=False)
class SubgameGain(Value):
    """A subgame in which somebody gains by deviating, the smaller ones within it left as they are.

    Attributes
    ----------
    path : tuple of str
        Action labels from the root to where it begins.
    player : int
        0 or 1.
    gain : Fraction
        In payoffs, once play is there.

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


def subgame_gains(tree: GameTree, profile: Profile, check: Callable[[], None]) -> tuple[SubgameGain, ...]:
    """The subgames in which somebody gains by deviating, those nearest the root first; none if it is subgame perfect.

    Both players need perfect recall; ``check`` is called now and then and may raise.
    """
    gains = subgames_with_gains(tree, profile, lambda _: check())
    return tuple(SubgameGain(tree.path(node), player, gain) for node, player, gain in gains)
