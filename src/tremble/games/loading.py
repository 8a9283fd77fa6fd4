"""Loading of games by text: a built-in game, a game of OpenSpiel, or the path of a file, as a tree or as rules."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tremble.capabilities import require_installed
from tremble.errors import FormatError, GameError, SpecError, TooLargeError
from tremble.formats.formats import FORMATS, Format
from tremble.formats.tolerance import repair_limit
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES, build
from tremble.game.tree_size import refuse_if_hopeless, total_nodes
from tremble.games.parameters import Rules, is_built_in, names, parse_spec, suggestions
from tremble.numbers import required_max_nodes
from tremble.run.text_file import SourceText, read_text
from tremble.words import described, for_reader

__all__ = [
    "file_format",
    "has_positions",
    "is_from_rules",
    "is_named",
    "load",
    "load_any",
    "load_rules",
    "load_tree",
    "read_game",
]

_OPENSPIEL = "openspiel:"
_FEW_PROBES = 50  # random plays, which take some milliseconds


def load(
    text: str | os.PathLike[str],
    *,
    repair: bool = False,
    repair_tolerance: Fraction | int | str | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> GameTree:
    """Load a game.

    Parameters
    ----------
    text : str or path
        Read as the first of these that fits: ``"-"`` (standard input, .efg); ``"openspiel:..."``; a built-in game such
        as ``"leduc:ranks=5"``; the path of a file that ends in .efg, .nfg or .json.
    repair : bool
        Repair chance probabilities in a file that do not sum to exactly one because they were rounded.
    repair_tolerance : Fraction, int or str, optional
        Repair, and let each probability move by this much: see :func:`tremble.read_efg`.
    max_nodes : int
        Limit for the number of nodes.
    progress : callable, optional
        Called with the number of nodes so far.

    Returns
    -------
    GameTree
        ``spec`` is the canonical form of ``text``.

    Raises
    ------
    SpecError
        The game, parameter, value or ending of a file is unknown.
    FormatError
        The file is missing, unreadable or malformed.
    TooLargeError
        The tree has more than ``max_nodes`` nodes; :func:`load_rules` loads such a game without building it.
    GameError
        ``PlayersError`` and others.

    Examples
    --------
    >>> load("leduc:raises=2,ranks=5").spec
    'leduc:ranks=5'
    >>> load("leduc:ranks=1000")
    Traceback (most recent call last):
    tremble.errors.TooLargeError: leduc:ranks=1000 has 75,014,925,001 nodes, more than 20,000,000; raise \
max_nodes= to build it, or play it from its rules: tremble.load_rules
    """
    most = required_max_nodes(max_nodes)
    try:
        return load_tree(text, repair=repair_limit(repair, repair_tolerance), max_nodes=most, progress=progress)
    except TooLargeError as error:
        if _named_rules(text) is None:
            raise
        raise TooLargeError(f"{error}, or play it from its rules: tremble.load_rules") from None


def load_rules(text: str | os.PathLike[str]) -> UnbuiltGame:
    """Load a game as rules, without building its tree, however large it is.

    :func:`tremble.solve` and :func:`tremble.verify` accept rules and trees.

    Parameters
    ----------
    text : str
        A built-in game or a game of OpenSpiel, as for :func:`load`.

    Raises
    ------
    SpecError
        The game, parameter or value is unknown.
    GameError
        The text names a file; files hold trees.

    Examples
    --------
    >>> load_rules("leduc:ranks=1000")
    <UnbuiltGame 'Leduc poker, 1000 ranks, 2 raises a round'>
    """
    rules = _named_rules(text)
    if rules is None:
        if isinstance(text, str) and text != "-" and not Path(text).suffix:
            raise SpecError(_unknown(text))
        raise GameError(
            f"{os.fspath(text)!r:.200} is not the name of a game; a file holds a tree, which tremble.load reads"
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

    ``repair`` is the tolerance for repairing probabilities in a file. The other parameters are those of :func:`load`.
    """
    rules = _named_rules(text)
    if rules is not None and from_rules:
        return UnbuiltGame.of(rules[0], spec=rules[1])
    try:
        if rules is not None and hasattr(rules[0], "counts"):  # counting may take seconds
            refuse_if_hopeless(rules[0], max_nodes, rules[1], probes=_FEW_PROBES)
        return load_tree(text, repair=repair, max_nodes=max_nodes, progress=progress)
    except TooLargeError:
        if rules is None:
            raise
        return UnbuiltGame.of(rules[0], spec=rules[1])


def load_tree(
    text: str | os.PathLike[str],
    *,
    repair: Fraction | None,
    max_nodes: int,
    progress: Callable[[int], None] | None,
) -> GameTree:
    """Load a game as a tree; a ``TooLargeError`` names the argument ``max_nodes=`` or the option."""
    found = _named_rules(text)
    if found is None:
        return _read_file(os.fspath(text), repair=repair, max_nodes=max_nodes)
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
    """Check that a text names a built-in game or a game of OpenSpiel, not a file."""
    return text.startswith(_OPENSPIEL) or is_built_in(text)


def is_from_rules(text: str | os.PathLike[str]) -> bool:
    """Return whether a text names a game that is better solved from its rules than as a tree."""
    named = _named_rules(text)
    return named is not None and bool(getattr(named[0], "from_rules", False))


def has_positions(text: str | os.PathLike[str]) -> bool:
    """Check that a text names rules with ``state_key`` and ``observation``, which tell equal positions."""
    found = _named_rules(text)
    return found is not None and hasattr(found[0], "state_key") and hasattr(found[0], "observation")


def _named_rules(text: str | os.PathLike[str]) -> tuple[Any, str] | None:
    """Return the rules that a text names, and its canonical form; None if the text is the path of a file."""
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
    """Raise ``TooLargeError`` at once if the rules can count their nodes and the count is above the limit."""
    counts = getattr(rules, "counts", None)
    if counts is None:
        return
    total = total_nodes(counts())
    if total > max_nodes:
        size = f"{total:,}" if total < 10**15 else f"about 10^{total.bit_length() * 30103 // 100000}"
        raise TooLargeError(f"{spec} has {size} nodes, more than {max_nodes:,}")


def _read_file(text: str, *, repair: Fraction | None, max_nodes: int) -> GameTree:
    """Read a tree from a file, whose ending names the format, or from standard input."""
    if text == "-":
        return read_game(text, FORMATS[".efg"], read_text(text), repair=repair, max_nodes=max_nodes)
    chosen = file_format(text)
    return replace(chosen.read(Path(text), repair=repair, max_nodes=max_nodes, name=text), spec=text)


def read_game(text: str, chosen: Format, source: SourceText, *, repair: Fraction | None, max_nodes: int) -> GameTree:
    """Read a tree from the text of a file; ``text`` is the name of the file as the user gave it."""
    content = source.text + "\n"  # a line break keeps the reader from treating a single line as a path
    return replace(chosen.read(content, repair=repair, max_nodes=max_nodes, name=source.name), spec=text)


_MATRICES = "; convert matrices of payoffs in Python by tremble.matrix_game(A, B)"
_CONVERSION_ADVICE = {
    ".py": "; convert rules in Python by tremble.write_efg(tremble.build(rules), 'game.efg')",
    ".csv": _MATRICES,
    ".xlsx": _MATRICES,
}
"""Ending of a file that may hold a game but has no supported format -> advice."""


def file_format(text: str) -> Format:
    """Return the format of a file by the ending of its name; raise an error with advice if it is unknown."""
    path = Path(text)
    try:
        exists = bool(text) and path.exists()
    except (OSError, ValueError):  # a name too long, a null character
        exists = False
    chosen = FORMATS.get(path.suffix.lower())
    if not exists:
        if chosen or (len(path.parts) > 1 and not suggestions(text.partition(":")[0])):
            raise FormatError("no such file", file=text)
        raise SpecError(_unknown(text))
    if path.is_dir():
        *most, last = FORMATS
        raise FormatError(f"this is a folder; expected a file that ends in {', '.join(most)} or {last}", file=text)
    if path.suffix.lower() == ".gbt":
        from tremble.formats.gambit_text import WORKBOOK

        raise FormatError(WORKBOOK, file=text)
    if chosen is None:
        advice = _CONVERSION_ADVICE.get(path.suffix.lower(), "")
        raise SpecError(f"{text!r:.200} tells no format; tremble reads files that end in {', '.join(FORMATS)}{advice}")
    return chosen


def _unknown(text: str) -> str:
    """Say that a text names no game; raise ``SpecError`` if it names a game that is not installed."""
    require_installed(text.partition(":")[0])
    advice = suggestions(text.partition(":")[0]) or "built-in games: " + ", ".join(names())
    return f"{text!r:.200} is neither a built-in game nor a file; {advice}"
