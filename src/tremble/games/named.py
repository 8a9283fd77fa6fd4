"""Build the tree of a game that a text names: a built-in game, a game of OpenSpiel, or the path of a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tremble.arguments import described
from tremble.errors import SpecError, TooLargeError
from tremble.game.tree import GameTree
from tremble.game.tree_builder import build
from tremble.game.tree_size import total_nodes
from tremble.games.files import read_file
from tremble.games.parameters import Rules, is_built_in, parse_spec
from tremble.words import for_reader

__all__ = ["is_named", "load_tree", "named_rules"]


_OPENSPIEL = "openspiel:"


def load_tree(
    text: str | os.PathLike[str],
    *,
    repair: Fraction | None,
    max_nodes: int,
    progress: Callable[[int], None] | None,
) -> GameTree:
    """Load the game ``text`` as a tree. If the game is too large, the message recommends a larger ``max_nodes``."""
    found = named_rules(text)
    if found is None:
        return read_file(os.fspath(text), repair=repair, max_nodes=max_nodes)
    rules, spec = found
    try:
        if spec.startswith(_OPENSPIEL):
            from tremble.formats.openspiel import load_openspiel

            return load_openspiel(rules, max_nodes=max_nodes, progress=progress)
        _refuse_if_too_large(rules, spec, max_nodes)
        return build(rules, max_nodes=max_nodes, progress=progress, spec=spec)
    except TooLargeError as error:
        larger = for_reader("max_nodes=", "--max-nodes")
        advice = "" if larger in str(error) else f"; raise {larger} to build it"
        raise TooLargeError(f"{error}{advice}") from None


def is_named(text: str) -> bool:
    """Return True if a text names a built-in game or an OpenSpiel game, and False if it is the path of a file."""
    return text.startswith(_OPENSPIEL) or is_built_in(text)


def named_rules(text: str | os.PathLike[str]) -> tuple[Any, str] | None:
    """Return the rules and the canonical name of the game that ``text`` names; return None for the path of a file."""
    if not isinstance(text, str):
        if not isinstance(text, os.PathLike):
            raise SpecError(
                f"load takes the name of a game or a path, not {described(text)}; for your own rules call "
                "tremble.build(rules), or pass them to tremble.solve"
            )
        return None
    if text.startswith(_OPENSPIEL):
        from tremble.formats.openspiel import openspiel_rules

        rules = openspiel_rules(text.removeprefix(_OPENSPIEL))
        return rules, rules.spec
    return parse_spec(text) if is_built_in(text) else None


def _refuse_if_too_large(rules: Rules, spec: str, max_nodes: int) -> None:
    """Raise ``TooLargeError`` if the rules have a method ``counts`` and it reports more than ``max_nodes`` nodes."""
    counts = getattr(rules, "counts", None)
    if counts is None:
        return
    total = total_nodes(counts())
    if total > max_nodes:
        size = f"{total:,}" if total < 10**15 else f"about 10^{total.bit_length() * 30103 // 100000}"
        raise TooLargeError(f"{spec} has {size} nodes, more than {max_nodes:,}")
