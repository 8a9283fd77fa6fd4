"""From the text that names a game to its tree: built-in, of OpenSpiel, or a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tremble.errors import FormatError, SpecError, TooLargeError
from tremble.games import Rules, is_built_in, names, parse_spec, suggestions
from tremble.text_file import read_text
from tremble.tree import DEFAULT_MAX_NODES, GameTree, build

__all__ = ["load"]

_ENDINGS = (".efg", ".nfg", ".json")
_OPENSPIEL = "openspiel:"


def load(
    text: str | os.PathLike[str],
    *,
    repair: bool = False,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> GameTree:
    """Load a game.

    Parameters
    ----------
    text : str or path
        Tried in this order: ``"-"`` (standard input, .efg); ``"openspiel:..."``; a built-in game such as
        ``"leduc:ranks=5"``; else the path of a file that ends in .efg, .nfg or .json.
    repair : bool
        Mend chance probabilities in a file that do not sum to exactly one.
    max_nodes : int
        Larger trees raise ``TooLargeError``.
    progress : callable, optional
        Called with the number of nodes so far.

    Returns
    -------
    GameTree
        With ``spec`` set to the canonical form of ``text``.

    Raises
    ------
    SpecError
        Unknown game, parameter or value.
    FormatError
        The file is missing, unreadable or not of its format.
    GameError
        ``TooLargeError``, ``PlayersError`` and others.

    Examples
    --------
    >>> load("leduc:raises=2,ranks=5").spec
    'leduc:ranks=5'
    """
    if isinstance(text, os.PathLike):
        return _from_file(os.fspath(text), repair=repair, max_nodes=max_nodes)
    if text == "-":
        return _from_standard_input(repair=repair, max_nodes=max_nodes)
    if text.startswith(_OPENSPIEL):
        from tremble.io.openspiel import load_openspiel

        return load_openspiel(text.removeprefix(_OPENSPIEL), max_nodes=max_nodes, progress=progress)
    if is_built_in(text):
        rules, spec = parse_spec(text)
        _refuse_if_too_large(rules, spec, max_nodes)
        return build(rules, max_nodes=max_nodes, progress=progress, spec=spec)
    return _from_file(text, repair=repair, max_nodes=max_nodes)


def _refuse_if_too_large(rules: Rules, spec: str, max_nodes: int) -> None:
    """Say at once what building would find out after a while, where the rules can count their nodes."""
    counts = getattr(rules, "counts", None)
    if counts is None:
        return
    nodes = counts()["nodes"]
    total = nodes["chance"] + sum(nodes["player"]) + nodes["terminal"]
    if total > max_nodes:
        size = f"{total:,}" if total < 10**15 else f"about 10^{total.bit_length() * 30103 // 100000}"
        raise TooLargeError(f"{spec} has {size} nodes, more than {max_nodes:,}; raise --max-nodes to build it")


def _from_standard_input(*, repair: bool, max_nodes: int) -> GameTree:
    from tremble.io.efg import read_efg

    source = read_text("-")
    content = source.text + "\n"  # so that read_efg does not take a single line for a path
    return replace(read_efg(content, repair=repair, max_nodes=max_nodes, name=source.name), spec="-")


def _from_file(text: str, *, repair: bool, max_nodes: int) -> GameTree:
    path = Path(text)
    ending = path.suffix.lower()
    try:
        exists = bool(text) and path.exists()
    except (OSError, ValueError):  # a name too long, a null character
        exists = False
    if not exists:
        if ending in _ENDINGS or (len(path.parts) > 1 and not suggestions(text.partition(":")[0])):
            raise FormatError("no such file", file=text)
        head = text.partition(":")[0]
        raise SpecError(
            f"{text!r:.200} is neither a built-in game nor a file; "
            f"{suggestions(head) or 'built-in games: ' + ', '.join(names())}"
        )
    if path.is_dir():
        raise FormatError("this is a folder; expected a file that ends in .efg, .nfg or .json", file=text)
    if ending not in _ENDINGS:
        raise FormatError(f"the ending {ending!r} tells no format; tremble reads {', '.join(_ENDINGS)}", file=text)
    return replace(_read(path, ending, text, repair=repair, max_nodes=max_nodes), spec=text)


def _read(path: Path, ending: str, name: str, *, repair: bool, max_nodes: int) -> GameTree:
    """Read a file by its ending; only .efg files can have chance probabilities to repair."""
    if ending == ".efg":
        from tremble.io.efg import read_efg

        return read_efg(path, repair=repair, max_nodes=max_nodes, name=name)
    if ending == ".nfg":
        from tremble.io.nfg import read_nfg

        return read_nfg(path, max_nodes=max_nodes, name=name)
    from tremble.io.game_json import read_json

    return read_json(path, max_nodes=max_nodes, name=name)
