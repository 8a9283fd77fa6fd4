"""Read the strategies that a command takes, and the game that they belong to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tremble.cli.command import Call
from tremble.cli.console import say
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree

if TYPE_CHECKING:
    from tremble.formats.profile import StatedProfile

__all__ = ["game_of", "is_line", "profile_in"]


def is_line(argument: str) -> bool:
    """Return True if an argument is a text of strategies ``NE,p,p,...``, and False if it is the path of a file."""
    return argument.startswith("NE,") and not os.path.exists(argument)


def profile_in(call: Call, path: str, *, rules: bool = False, ordered: bool = False) -> StatedProfile:
    """Read strategies from a file in any supported format, or from a text ``NE,p,p,...`` in place of the path.

    By default, accept only strategies for trees. If ``ordered`` is true, also accept strategies for ordered games, such
    as poker. If ``rules`` is true, accept strategies for all games, including ordered games.
    """
    from tremble.formats.profile import read_profile
    from tremble.game.rules import not_built
    from tremble.solution.claims import of_rules

    stated = read_profile(path if is_line(path) else Path(path), repair_tolerance=call.repair_limit)
    if of_rules(stated) and not rules and not (ordered and stated.ordered is not None):
        raise not_built(stated.name)
    return stated


def game_of(call: Call, stated: StatedProfile) -> GameTree | UnbuiltGame:
    """Load the game in the form that the strategies need, a tree or rules. Warn if they belong to another game."""
    from tremble.solution.claims import of_rules

    game = call.tree_or_rules(from_rules=True) if of_rules(stated) else call.tree()
    named = stated.game
    if named is not None and named.digest is not None and named.digest != game.digest:
        other = named.spec or named.title
        say(f"warning: the strategies in the file belong to another game ({other!r:.500}): the digests differ")
    return game
