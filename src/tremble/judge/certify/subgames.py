"""Find the subgames in which a profile is no Nash equilibrium, with the checker."""

from __future__ import annotations

from collections.abc import Callable

from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.solution.certification import SubgameGain
from tremble.solution.claims import subgames_with_gains

__all__ = ["subgame_gains"]


def subgame_gains(tree: GameTree, profile: Profile, check: Callable[[], None]) -> tuple[SubgameGain, ...]:
    """Return the subgames in which a player gains by deviating, nearest to the root first; none if subgame perfect.

    Both players need perfect recall; ``check`` is called now and then and may raise.
    """
    gains = subgames_with_gains(tree, profile, lambda _: check())
    return tuple(SubgameGain(tree.path(node), player, gain) for node, player, gain in gains)
