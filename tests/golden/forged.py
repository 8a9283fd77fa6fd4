"""Verdicts on forged files: honest files with one change each, in a fixed sample.

Changes come in three kinds. *Lies* change a number, a word or a truth into another of its type. *Damages* put another
type there, drop a field, or spell a number in another way. *Grafts* take a whole field from another file of the same
game, or change two fields together.

Per file one letter per change is recorded. The letters stand for verdicts, and :data:`KEY` of the record says for
which. The changes follow from the file and its name alone, so no text of a forged file is recorded.
"""

from __future__ import annotations

import hashlib
import random
import re
import string
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from typing import Any, NamedTuple

from tests.golden.access import judged
from tests.golden.games import honest_game, honest_record
from tests.mutations import with_change

__all__ = ["Change", "Forged", "changes", "compare", "record"]

Document = Any
Place = tuple[str | int, ...]

PER_FILE = {"lie": 84, "damage": 30, "graft": 14}
"""How many changes of each kind are tried on a file."""

_NUMBER = re.compile(r"-?\d+(/\d+)?")
_REMARKS = ("stats", "method", "tremble", "spec", "title", "label", "degeneracy", "indices_unknown")
_CONCEPTS = (
    *("nash", "subgame-perfect", "quasi-perfect", "one-sided-quasi-perfect", "sequential", "perfect"),
    *("normal-form-perfect", "proper", "maxmin", "bounds", "correlated"),
)
_KINDS = (
    *("best-response", "polynomials", "consistent-trembles", "ranked-plans", "backward-induction", "basis"),
    *("branching", "guarantee", "subgame", "dominated", "reply", "mistakes"),
)
_WORDS: dict[str, Sequence[str]] = {
    "concept": _CONCEPTS,
    "requested": _CONCEPTS,
    "kind": _KINDS,
    "status": ("certified", "bounded", "limit-reached", "proven"),
    "rule": ("first", "rules", "last"),
    "schema": ("tremble/solution@1", "tremble/solution@2", "tremble/equilibria@1"),
}
_LETTERS = string.ascii_lowercase + string.ascii_uppercase + string.digits + "!#$%&()*+-/:;<=>?@[]^_{|}~"


class Change(NamedTuple):
    """One change of a document: its kind, its place, what is done there, and the result."""

    kind: str
    place: Place
    what: str
    document: Document

    @property
    def name(self) -> str:
        return f"{self.kind} at {'.'.join(map(str, self.place)) or 'the top'}: {self.what}"

    @property
    def form(self) -> tuple[str, str, str]:
        """What changes have in common that differ only by positions in lists."""
        return self.kind, ".".join("*" if isinstance(step, int) else step for step in self.place), self.what


# -- changes -------------------------------------------------------------------------------------------


def changes(name: str, document: Document, others: Sequence[Document]) -> list[Change]:
    """Return the sample of changes of a file; ``others`` are documents of files of the same game."""
    forms: dict[tuple[str, str, str], list[Change]] = defaultdict(list)
    for change in (*_lies(document), *_damages(document), *_grafts(document, others)):
        forms[change.form].append(change)
    chosen: list[Change] = []
    for kind, most in PER_FILE.items():
        rng = random.Random(f"{name} {kind}")
        of_kind = [form for form in forms if form[0] == kind]
        rng.shuffle(of_kind)
        rounds = 0
        picked: list[Change] = []
        # First one change of each form, then a second one of each, while there is room.
        while len(picked) < most and any(len(forms[form]) > rounds for form in of_kind):
            for form in of_kind:
                if rounds == 0:
                    rng.shuffle(forms[form])
                if len(picked) < most and len(forms[form]) > rounds:
                    picked.append(forms[form][rounds])
            rounds += 1
        chosen += picked
    return chosen


def _lies(document: Document) -> Iterator[Change]:
    for place, value in _places(document, ()):
        if any(step in _REMARKS for step in place):
            continue
        for what, changed in _other_values(place, value):
            if changed != value or type(changed) is not type(value):
                yield Change("lie", place, what, with_change(document, place, changed))
        if isinstance(value, list) and len(value) > 1 and value[0] != value[-1]:
            yield Change(
                "lie", place, "ends swapped", with_change(document, place, [value[-1], *value[1:-1], value[0]])
            )


def _other_values(place: Place, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield words for other values of the same type, and the values."""
    if isinstance(value, bool):
        yield "the contrary", not value
    elif isinstance(value, int):
        yield from (("+1", value + 1), ("-1", value - 1), ("+7", value + 7), ("zero", 0), ("negated", -value))
    elif isinstance(value, str) and _NUMBER.fullmatch(value) and not _is_label(place):
        n = F(value)
        others = (
            ("+1", n + 1), ("-1", n - 1), ("negated", -n), ("doubled", 2 * n), ("a third", n / 3),
            ("+1/7", n + F(1, 7)), ("zero", F(0)), ("one", F(1)), ("+1e-30", n + F(1, 10**30)),
        )  # fmt: skip
        yield from ((what, str(other)) for what, other in others)
    elif isinstance(value, str) and place and place[-1] in _WORDS:
        yield from ((f"{word!r}", word) for word in _WORDS[str(place[-1])])
    elif isinstance(value, str) and place and place[-1] == "digest":
        yield "another", value[:-1] + ("0" if value[-1:] != "0" else "1")
        yield "null", None
    elif isinstance(value, str):
        yield from ((f"{word!r}", word) for word in (value + "x", "", "none", "any", "1"))
    elif value is None:
        yield from ((f"{other!r}", other) for other in ("any", "none", "1"))
    elif place and place[-1] in ("trembles", "orders", "pivots", "classes", "probabilistic"):
        yield "null", None


def _is_label(place: Place) -> bool:
    """Return whether a text is the name of an action: the first of a pair, or a step of a path."""
    of_action = len(place) > 2 and place[-3] == "actions" and place[-1] == 0
    return of_action or "path" in place or ("nodes" in place[:-1] and place[-2] == 0)


def _damages(document: Document) -> Iterator[Change]:
    for place, value in _places(document, ()):
        others: list[tuple[str, Any]] = [
            ("null", None), ("[]", []), ("{}", {}), ("'0'", "0"), ("''", ""), ("0", 0), ("-1", -1), ("true", True),
            ("[[]]", [[]]), ("10**17", 10**17),
        ]  # fmt: skip
        if isinstance(value, list) and value:
            others += [("first only", value[:1]), ("unwrapped", value[0]), ("twice", value + value)]
            others += [("without the last", value[:-1]), ("reversed", value[::-1])]
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            n = F(value)
            others += [("unreduced", f"{2 * n.numerator}/{2 * n.denominator}"), ("decimal", f"{float(n)!r}")]
            others += [("blank before", f" {value}"), ("zero before", f"0{value}"), ("long", "9" * 5000)]
            others += [("over zero", f"{n.numerator}/0"), ("exponent", "1e999999999"), ("a number", n.numerator)]
        for what, other in others:
            if other != value or type(other) is not type(value):
                yield Change("damage", place, what, with_change(document, place, other))
        if isinstance(value, dict):
            for key in value:
                rest = {k: v for k, v in value.items() if k != key}
                yield Change("damage", (*place, key), "dropped", with_change(document, place, rest))
            yield Change("damage", place, "a further field", with_change(document, place, {**value, "further": "1"}))


def _grafts(document: Document, others: Sequence[Document]) -> Iterator[Change]:
    for number, other in enumerate(others):
        for key, value in other.items():
            if key not in _REMARKS and document.get(key) != value:
                yield Change("graft", (key,), f"from file {number}", {**document, key: value})
        if "equilibria" not in document and "equilibria" not in other:
            for keys in (("concept", "requested"), ("concept", "certificate"), ("certificate", "strategies"),
                         ("strategies", "values", "bounds"), ("status", "certificate", "bounds")):  # fmt: skip
                taken = {key: other[key] for key in keys if key in other}
                left = {key: value for key, value in document.items() if key not in keys}
                yield Change("graft", keys, f"from file {number}", {**left, **taken})
    if document.get("bounds"):
        low, high = (F(bound) for bound in document["bounds"])
        wide = {**document, "bounds": [str(low - 1), str(high + 1)]}
        yield Change("graft", ("bounds",), "wider", wide)
        yield Change("graft", ("bounds", "status"), "wider, bounded", {**wide, "status": "bounded"})
    for concept in _CONCEPTS if "concept" in document else ():
        changed = {**document, "concept": concept, "requested": concept}
        yield Change("graft", ("concept", "requested"), concept, changed)


def _places(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    """Yield all places of a document, and what stands there."""
    yield place, value
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in ("stats", "method", "tremble"):
                yield from _places(item, (*place, key))


# -- the record ----------------------------------------------------------------------------------------


class Forged(NamedTuple):
    """An honest file and its changes."""

    name: str
    game: Any
    document: Document
    changes: list[Change]

    @property
    def sum(self) -> str:
        """Return a digest of the names of all changes: it differs if other changes are tried."""
        text = repr(self.document) + "\n".join(change.name for change in self.changes)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def files(only: set[str] | None = None) -> Iterator[Forged]:
    """Yield the honest files that are named, by default all, each with its changes."""
    record = honest_record()["files"]
    of_game: dict[str, list[Document]] = defaultdict(list)
    for each in record:
        of_game[each["game"]].append(each["document"])
    for each in record:
        if only is None or each["name"] in only:
            name, document = each["name"], each["document"]
            rng = random.Random(f"{name} others")
            others = [other for other in of_game[each["game"]] if other is not document]
            others = rng.sample(others, min(4, len(others)))
            yield Forged(name, honest_game(each["game"]), document, changes(name, document, others))


def verdicts(forged: Forged) -> list[str]:
    """Return what the checker says about a file and about each change."""
    documents = [forged.document, *(change.document for change in forged.changes)]
    return [judged(forged.game, document) for document in documents]


def record(only: set[str] | None = None) -> dict[str, Any]:
    """Return the verdicts on all forged files, one letter each."""
    key: dict[str, str] = {}
    rows = {}
    for forged in files(only):
        letters = "".join(key.setdefault(said, _LETTERS[len(key)]) for said in verdicts(forged))
        rows[forged.name] = [forged.sum, letters]
    return {"key": {letter: said for said, letter in key.items()}, "files": rows}


def compare(recorded: dict[str, Any], only: set[str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield each difference: its class, and words that say where it is."""
    key = recorded["key"]
    found = set()
    for forged in files(only):
        found.add(forged.name)
        if forged.name not in recorded["files"]:
            yield "not recorded", forged.name
            continue
        total, letters = recorded["files"][forged.name]
        if total != forged.sum:
            yield "other changes are tried", f"{forged.name}: write the record again from the state before"
            continue
        names = ["the honest file", *(change.name for change in forged.changes)]
        for name, letter, now in zip(names, letters, verdicts(forged), strict=True):
            if key[letter] != now:
                yield _class_of(key[letter], now), f"{forged.name}: {name}: {key[letter]} -> {now}"
    for name in set(recorded["files"] if only is None else only & set(recorded["files"])) - found:
        yield "missing", name


def _class_of(before: str, now: str) -> str:
    """Return what kind of difference lies between two verdicts, the gravest first in the alphabet."""
    if now.startswith("defect"):
        return "a defect of the checker"
    if now.startswith("ok") and not before.startswith("ok"):
        return "accepted now"
    if before.startswith("ok") and not now.startswith("ok"):
        return "no longer accepted"
    return "another verdict" if before.startswith("ok") else "refused in another way"
