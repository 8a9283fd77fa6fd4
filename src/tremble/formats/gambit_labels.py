r"""Labels in Gambit's files: quoting, decoding, and renaming of labels that must be distinct.

Inside a string, ``\"`` is a double quote and ``\\`` is a backslash. Any other backslash is an ordinary character.
Gambit 16.7 allows only printable ASCII characters in a label, without leading, trailing or double spaces. tremble
writes all other characters as character references, such as ``&#233;`` for é, and decodes the references when it reads
a file. So tremble reads the same label that it has written, even if Gambit reads and writes the file in between.

Within an information set, Gambit renames equal action labels ``l`` to ``l_1``, ``l_2``, and empty labels to ``_1``,
``_2``. Gambit skips names that already occur. tremble renames labels in the same way.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence

from tremble.errors import TrembleWarning
from tremble.game.tree import GameTree

__all__ = ["distinct_labels", "quote", "unquote", "warn_of_unwritable_labels"]

_ESCAPE = re.compile(r'\\(["\\])|&#([0-9]{1,7});')
_TO_ESCAPE = re.compile(r'"|[^ -~]|\A | \Z|(?<= ) |\\(?=[\\"]|\Z)|&(?=#)', re.DOTALL)


def unquote(token: str) -> str:
    r"""Decode a quoted string and return the label.

    Examples
    --------
    >>> unquote(r'"say \"hi\" \o/"'), unquote('"caf&#233;"')
    ('say "hi" \\o/', 'café')
    """
    body = token[1:-1]
    return _ESCAPE.sub(_unescaped, body) if "\\" in body or "&#" in body else body


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    code = int(match[2])
    return chr(code) if code < 0xD800 or 0xDFFF < code <= 0x10FFFF else match[0]


def quote(label: str) -> str:
    r"""Return a label as a quoted string that Gambit accepts and that :func:`unquote` decodes.

    Examples
    --------
    >>> print(quote('the "big"  café'), quote("\\"), quote("R&#38;D"))
    "the \"big\" &#32;caf&#233;" "&#92;" "R&#38;#38;D"
    """
    return f'"{_TO_ESCAPE.sub(_escaped, label)}"'


def _escaped(match: re.Match[str]) -> str:
    return '\\"' if match[0] == '"' else f"&#{ord(match[0])};"


def distinct_labels(labels: Sequence[str], *, empty_too: bool = True) -> tuple[str, ...]:
    """Rename equal labels as Gambit does, so that all are distinct. If ``empty_too`` is true, also rename empty labels.

    Examples
    --------
    >>> distinct_labels(["a", "a", "b", "", "a_1"])
    ('a_2', 'a_3', 'b', '_1', 'a_1')
    """
    taken = set(labels)
    if len(taken) == len(labels) and not (empty_too and "" in taken):
        return tuple(labels)
    repeated = {label for label, times in Counter(labels).items() if (times > 1 if label else empty_too)}
    count: dict[str, int] = {}
    result = []
    for label in labels:
        if label in repeated:
            stem = label
            while label in taken:
                count[stem] = count.get(stem, 0) + 1
                label = f"{stem}_{count[stem]}"
            taken.add(label)
        result.append(label)
    return tuple(result)


def warn_of_unwritable_labels(tree: GameTree, *, stacklevel: int) -> None:
    """Warn if action labels are empty or repeated at a node. Readers of Gambit files rename such labels."""
    groups = [*tree.actions[0], *tree.actions[1], *(table.labels for table in tree.chance_tables)]
    if any("" in group or len(set(group)) < len(group) for group in groups):
        message = "empty and repeated action labels will be renamed by all readers of the file, including Gambit"
        warnings.warn(message, TrembleWarning, stacklevel=stacklevel + 1)
