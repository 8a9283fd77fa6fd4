"""Moves written as letters, as above the columns of a table: ``cb`` for a check and a bet, in one round of betting."""

from __future__ import annotations

import re

from tremble.errors import SpecError
from tremble.poker.holdem.betting import BettingTree

__all__ = ["node_by_letters", "words_of"]

_HYPHEN = re.compile("(?<!all)-|-(?!in)")  # every hyphen outside of "all-in"


def words_of(line: str) -> list[str]:
    """Return the words of a line of moves, in small letters. Commas, blanks and hyphens separate them."""
    return _HYPHEN.sub(" ", line.replace(",", " ").lower()).split()


def node_by_letters(tree: BettingTree, node: int, word: str, what: str) -> int | None:
    """Return the node to which the first letters of moves lead, or None if no moves have these letters.

    Raises
    ------
    SpecError
        Several lines of moves have these letters. The message begins with ``what``.
    """
    found = [node]
    for letter in word:
        here = [tree.nodes[n] for n in found]
        found = [
            child for each in here for move, child in zip(each.actions, each.child, strict=False) if move[0] == letter
        ]
    if len(found) > 1:
        start = len(tree.lines[node][-1])
        named = [", ".join(tree.lines[n][-1][start:]) for n in found]
        listed = "; ".join(named[:4]) + "; ..." * (len(named) > 4)
        raise SpecError(f"{what}: {word!r:.40} can mean several lines: {listed}; write the moves")
    return found[0] if found else None
