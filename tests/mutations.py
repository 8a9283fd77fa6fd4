"""Change one thing that a solution file states: a number, a word that says something, a truth, or a whole part."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

from tremble.solution.concepts import CONCEPTS

__all__ = [
    "Document", "Path", "damaged_values", "damages", "moved_values", "mutations", "new_values", "slots", "with_change"
]  # fmt: skip

Document = dict[str, Any]
Path = tuple[str | int, ...]

_NUMBER = re.compile(r"-?\d+(/\d+)?")

_REMARKS = ("stats", "method", "tremble", "schema", "spec", "title", "label", "degeneracy", "indices_unknown")
"""Fields that say nothing about the strategies: who wrote the file and how, and what things are called."""

_KINDS = (
    *("best-response", "polynomials", "consistent-trembles", "ranked-plans", "backward-induction", "basis"),
    *("branching", "guarantee", "subgame", "dominated", "reply", "mistakes"),
)
_WORDS = {
    "concept": tuple(CONCEPTS),
    "requested": tuple(CONCEPTS),
    "kind": _KINDS,
    "status": ("certified", "bounded", "limit-reached"),
    "rule": ("first", "rules"),
}


def mutations(document: Document) -> Iterator[tuple[Path, Any, Document]]:
    """Yield each changed place, what stands there now, and the document with this one change."""
    for path, changed in new_values(document):
        yield path, changed, with_change(document, path, changed)


def new_values(document: Document) -> Iterator[tuple[Path, Any]]:
    """Yield the places and new values of :func:`mutations`, without the documents."""
    for path, value in _places(document, ()):
        for changed in _changes(path, value):
            yield path, changed


def _places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield all places that say something, and what stands there."""
    if isinstance(value, dict | list):
        if path:
            yield path, value
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in _REMARKS:
                yield from _places(item, (*path, key))
    else:
        yield path, value


def _changes(path: Path, value: Any) -> Iterator[Any]:
    """Yield other values of the same type."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from {value + 1, value - 1, value + 7, 0, 1, -value} - {value}
    elif isinstance(value, str) and _NUMBER.fullmatch(value) and not _is_label(path):
        number = F(value)
        others = {number + 1, number - 1, -number, 2 * number, number / 3, number + F(1, 7), F(0), F(1)} - {number}
        yield from map(str, others)
    elif isinstance(value, str):
        words = _WORDS.get(str(path[-1]))
        if words is not None:
            yield from (word for word in words if word != value)
        elif path[-1] == "digest":
            yield from (value[:-1] + ("0" if value[-1] != "0" else "1"), None)
        else:
            yield from {value + "x", "", "none", "any", "1"} - {value}
    elif value is None:
        yield from ("any", "none", [], "1")
    elif path[-1] in ("trembles", "orders", "pivots", "classes", "probabilistic"):
        yield None


def _is_label(path: Path) -> bool:
    """Return whether this is the name of an action: the first of a pair in ``actions``, or a step of a path."""
    of_action = len(path) > 2 and path[-3] == "actions" and path[-1] == 0
    return of_action or "path" in path or ("nodes" in path[:-1] and path[-2] == 0)


def damages(document: Document) -> Iterator[tuple[Path, str, Any]]:
    """Yield places, words for it, and documents in which a part is missing, empty, shorter or of another type."""
    for path, what, place, changed in damaged_values(document):
        yield path, what, with_change(document, place, changed)


def damaged_values(document: Document) -> Iterator[tuple[Path, str, Path, Any]]:
    """Yield the places and words of :func:`damages`, and where the document has which new value."""
    for path, value in _all_places(document, ()):
        for what, changed in (
            ("null", None), ("an empty list", []), ("an empty object", {}), ("the text 0", "0"), ("empty text", ""),
            ("0", 0), ("-1", -1), ("true", True), ("a list of lists", [[]]), ("a long integer", 10**17),
        ):  # fmt: skip
            yield path, what, path, changed
        if isinstance(value, list) and value:
            yield path, "its first element", path, value[:1]
            yield path, "its first element alone", path, value[0]
            yield path, "twice", path, value + value
            yield path, "reversed", path, value[::-1]
        if isinstance(value, dict):
            for key in value:
                yield (*path, key), "dropped", path, {k: v for k, v in value.items() if k != key}


def moved_values(document: Document) -> Iterator[tuple[Path, str, Path, Any]]:
    """Yield changes as :func:`damaged_values` does, in which weight moves between two actions of a set.

    The weights at each set keep their sum, so a checker has to test more than that. The weights are those of a
    strategy in a game tree, or of a plan in the certificate.
    """
    for player, rows in enumerate(document["strategies"]):
        first = 1  # the sequence of the set's first action
        for k, row in enumerate(rows):
            actions = row["actions"]
            place: Path = ("strategies", player, k, "actions")
            for a, b in itertools.permutations(range(len(actions)), 2):
                p = F(actions[a][1])
                for part in {p, p / 2} - {0}:
                    yield place, f"{part} moves from {a} to {b}", place, _moved(actions, a, b, part)
                for d, degree in enumerate(document["certificate"].get("XY"[player], ())):
                    pairs = [["", number] for number in degree]
                    plan: Path = ("certificate", "XY"[player], d)
                    changed = [number for _, number in _moved(pairs, first + a, first + b, F(1))]
                    yield plan, f"1 moves from {first + a} to {first + b}", plan, changed
            first += len(actions)


def _moved(pairs: list[list[str]], a: int, b: int, amount: F) -> list[list[str]]:
    """Return pairs of a label and a number, in which the amount moves from number a to number b."""
    changes = {a: -amount, b: amount}
    return [[label, str(F(number) + changes.get(k, 0))] for k, (label, number) in enumerate(pairs)]


def _all_places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _all_places(item, (*path, key))


def with_change(document: Any, path: Path, changed: Any) -> Any:
    """Return the document with something else at a place; what is not on the way there is shared."""
    if not path:
        return changed
    shallow = copy.copy(document)
    shallow[path[0]] = with_change(document[path[0]], path[1:], changed)
    return shallow


def slots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each list or object inside a value with each of its positions or names."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from slots(value[key])
