"""Whether a profile is a Nash equilibrium in every subgame, as the checker finds it."""

from __future__ import annotations

from collections.abc import Callable

from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.solution.certification import SubgameGain
from tremble.solution.claims import subgames_with_gains

__all__ = ["subgame_gains"]


def subgame_gains(tree: GameTree, profile: Profile, check: Callable[[], None]) -> tuple[SubgameGain, ...]:
    """The subgames in which somebody gains by deviating, those nearest the root first; none if it is subgame perfect.

    Both players need perfect recall; ``check`` is called now and then and may raise.
    """
    gains = subgames_with_gains(tree, profile, lambda _: check())
    return tuple(SubgameGain(tree.path(node), player, gain) for node, player, gain in gains)
