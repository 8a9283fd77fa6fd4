"""Load a game as a tree or as rules: a built-in game or a game of OpenSpiel by its name, or a file by its path."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from tremble.errors import GameError, SpecError, TooLargeError
from tremble.formats.tolerance import repair_limit
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.game.tree_size import refuse_if_hopeless
from tremble.games.files import unknown_game
from tremble.games.named import load_tree, named_rules
from tremble.numbers import required_max_nodes

__all__ = ["has_positions", "is_from_rules", "load", "load_any", "load_rules"]

_FEW_PROBES = 50  # number of random plays for a quick estimate of the size, which takes some milliseconds


def load(
    text: str | os.PathLike[str],
    *,
    repair: bool = False,
    repair_tolerance: Fraction | int | str | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> GameTree:
    """Load a built-in game, a game of OpenSpiel or a game file as a tree.

    Parameters
    ----------
    text : str or path
        ``"-"`` for standard input in the .efg format, a text ``"openspiel:..."``, a built-in game such as
        ``"leduc:ranks=5"``, or the path of a file that ends in .efg, .nfg or .json. If multiple forms fit, the first
        in this list is used.
    repair : bool
        Repair chance probabilities in a file if, because of rounding, they do not sum to exactly one.
    repair_tolerance : Fraction, int or str, optional
        Like ``repair``, but a probability may change by up to this number, not 1e-9 (see :func:`tremble.read_efg`).
    max_nodes : int
        The greatest allowed number of nodes.
    progress : callable, optional
        A function that is called with the number of nodes so far.

    Returns
    -------
    GameTree
        The tree. Its attribute ``spec`` is the canonical form of ``text``.

    Raises
    ------
    SpecError
        The game, a parameter, a value or the ending of the file name is unknown.
    FormatError
        The file is missing, unreadable or malformed.
    TooLargeError
        The tree has more than ``max_nodes`` nodes. :func:`load_rules` loads the game without building its tree.
    GameError
        The game is invalid. The error is a ``PlayersError`` if the game does not have two players.

    Examples
    --------
    >>> load("leduc:raises=2,ranks=5").spec
    'leduc:ranks=5'
    >>> load("leduc:ranks=1000")
    Traceback (most recent call last):
    tremble.errors.TooLargeError: leduc:ranks=1000 has 75,014,925,001 nodes, more than 20,000,000; raise \
max_nodes= to build it, or load it without its tree: tremble.load_rules
    """
    most = required_max_nodes(max_nodes)
    try:
        return load_tree(text, repair=repair_limit(repair, repair_tolerance), max_nodes=most, progress=progress)
    except TooLargeError as error:
        if named_rules(text) is None:
            raise
        raise TooLargeError(f"{error}, or load it without its tree: tremble.load_rules") from None


def load_rules(text: str | os.PathLike[str]) -> UnbuiltGame:
    """Load a game of any size as rules, without building its tree.

    :func:`tremble.solve` and :func:`tremble.verify` accept the result in place of a tree.

    Parameters
    ----------
    text : str
        A built-in game or a game of OpenSpiel, in the form that :func:`load` reads.

    Raises
    ------
    SpecError
        The game, a parameter or a value is unknown.
    GameError
        The text is the path of a file. Files contain trees, not rules.

    Examples
    --------
    >>> load_rules("leduc:ranks=1000")
    <UnbuiltGame 'Leduc poker, 1000 ranks, 2 raises a round'>
    """
    rules = named_rules(text)
    if rules is None:
        if isinstance(text, str) and text != "-" and not Path(text).suffix:
            raise SpecError(unknown_game(text))
        raise GameError(
            f"{os.fspath(text)!r:.200} is not the name of a game; to read a tree from a file, call tremble.load"
        )
    return UnbuiltGame.of(rules[0], spec=rules[1])


def load_any(
    text: str,
    *,
    from_rules: bool = False,
    repair: Fraction | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> GameTree | UnbuiltGame:
    """Load a game as a tree, or as rules if ``from_rules`` is true or the tree is too large.

    If the rules prefer to be solved without a tree (:func:`is_from_rules`), a tree is built only for a given limit.

    ``repair`` is the tolerance for repairing probabilities in a file. :func:`load` describes the other parameters.
    """
    rules = named_rules(text)
    prefers_rules = getattr(rules[0], "from_rules", False) if rules is not None else False
    if rules is not None and (from_rules or (prefers_rules and max_nodes == DEFAULT_MAX_NODES)):
        return UnbuiltGame.of(rules[0], spec=rules[1])
    try:
        if rules is not None and hasattr(rules[0], "counts"):  # estimate first, because counts may take seconds
            refuse_if_hopeless(rules[0], max_nodes, rules[1], probes=_FEW_PROBES)
        return load_tree(text, repair=repair, max_nodes=max_nodes, progress=progress)
    except TooLargeError:
        if rules is None:
            raise
        return UnbuiltGame.of(rules[0], spec=rules[1])


def is_from_rules(text: str | os.PathLike[str]) -> bool:
    """Return True if ``text`` names a game that is, by default, solved from its rules without building a tree."""
    named = named_rules(text)
    return named is not None and bool(getattr(named[0], "from_rules", False))


def has_positions(text: str | os.PathLike[str]) -> bool:
    """Return True if ``text`` names a game whose rules have both methods ``state_key`` and ``observation``."""
    found = named_rules(text)
    return found is not None and hasattr(found[0], "state_key") and hasattr(found[0], "observation")
