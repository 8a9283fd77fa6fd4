"""Read a profile of a game that is not built as a tree, and find the adapter for the game."""

from __future__ import annotations

import os
from typing import Any

from tremble.errors import CertificateError
from tremble.formats.foreign import game_of
from tremble.game.adapter import Kind
from tremble.game.kinds import kind_of
from tremble.game.requirements import require_tree
from tremble.game.tree import GameTree
from tremble.solution.claims import GameReference, OfRules, of_rules

__all__ = ["rules_given", "the_tree"]


def rules_given(game: object, *profiles: Any) -> tuple[Kind[Any, Any], list[OfRules]] | None:
    """Return the adapter and the strategies of a game that is not built, or None if the game or a profile is a tree's.

    A profile is a solution, a pair of strategies, or the path of a solution file.

    Raises
    ------
    CertificateError
        A solution belongs to another game.
    """
    if isinstance(game, GameTree):
        return None
    pairs = []
    for profile in profiles:
        if isinstance(profile, str | os.PathLike) and os.path.exists(profile):
            from tremble.formats.profile import read_profile

            profile = read_profile(profile)
        pairs.append((of_rules(profile), getattr(profile, "game", None)))
    found = [pair for pair, _ in pairs if pair is not None]
    if len(found) < len(profiles):
        return None
    played = game_of(game, from_rules=True)
    if isinstance(played, GameTree):
        return None
    for _, named in pairs:
        if isinstance(named, GameReference) and named.digest not in (None, played.digest):
            other = named.spec or named.title
            raise CertificateError(f"the strategies are for another game ({other!r:.80}): the digests differ")
    return kind_of(played, found[0]), found


def the_tree(game: object) -> GameTree:
    """Return ``game``; raise ``GameError`` with advice if it is not a tree."""
    require_tree(game)
    assert isinstance(game, GameTree)
    return game
