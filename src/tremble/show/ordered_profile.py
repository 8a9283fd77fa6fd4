"""Check that the strategies in a file fit the ordered game that a command loads.

In an *ordered game*, players hold hands of private signals and bet in rounds.
"""

from __future__ import annotations

from typing import Any

from tremble.cli.command import Call
from tremble.cli.profiles import game_of
from tremble.errors import CertificateError, GameError
from tremble.formats.profile import StatedProfile
from tremble.game.hands import hands_kind, has_hands
from tremble.game.rules import UnbuiltGame

__all__ = ["ordered_profile"]


def ordered_profile(call: Call, stated: StatedProfile) -> tuple[UnbuiltGame, tuple[Any, Any]]:
    """Load the ordered game of a command call. Return the game and the strategies that the file ``stated`` contains.

    Raises
    ------
    GameError
        The game is not an ordered game.
    CertificateError
        The strategies do not fit the deals of the game.
    """
    assert stated.ordered is not None
    game = game_of(call, stated)
    if not isinstance(game, UnbuiltGame) or not has_hands(game):
        raise GameError(f"{stated.name} has strategies for an ordered game, and {call.game!r:.80} is not such a game")
    call.progress.step("the deals")
    for fault in hands_kind(game).faults(stated.ordered):
        raise CertificateError(f"{stated.name}: {fault}")
    return game, stated.ordered
