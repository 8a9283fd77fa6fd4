"""Reader and writer for games as JSON, in the lossless schema ``tremble/game@1``.

A file contains a flat list of nodes, so deep trees need no recursion::

    {
      "schema": "tremble/game@1",
      "title": "a coin and a guess",
      "players": ["Ann", "Bob"],
      "infosets": [[], [{"label": "unseen", "actions": ["heads", "tails"]}]],     sets of player 1, of player 2
      "chance": [{"actions": ["heads", "tails"], "probabilities": ["1/2", "1/2"]}],
      "nodes": [
        ["c", 1],                   chance moves with the probabilities in table 1 of "chance"
        ["p2", 1],                  player 2 moves in information set 1
        ["t", "-1", "1"],           a leaf: payoffs of players 1 and 2
        ["t", "1", "-1"],
        ...
      ]
    }

Nodes are listed in depth-first preorder: a node, then the subtree of its first action, then the subtree of its second
action, and so on. Information sets and chance tables are numbered from 1 by first appearance in this order. Exact
numbers are strings with fractions in lowest terms (:mod:`tremble.numbers`). The reader raises an error for all other
contents: text that is not JSON; missing, unknown or repeated keys; ``NaN``; numbers instead of strings; information
sets that never occur in the tree.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tremble.errors import FormatError, GameError, TooLargeError
from tremble.formats.chance_repair import exact_sum, mend_probabilities, repair_advice
from tremble.formats.gambit_text import REPAIRED, Notes, read_game_source, shown, shown_list
from tremble.formats.origin import with_origin
from tremble.formats.tolerance import repair_limit
from tremble.game.requirements import require_tree
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES, TreeBuilder
from tremble.notation import integral
from tremble.numbers import format_fraction, parse_fraction
from tremble.run.whole_file import write_text
from tremble.solution.schema import TEXT, Document, Reader, Shape, named, pair, record, several

__all__ = ["SCHEMA", "format_json", "read_json", "write_json"]

SCHEMA = "tremble/game@1"

_BEGINS = re.compile(r"\s*\{", re.ASCII)
_MAX_LENGTH = 40_000  # greatest number of characters of a number, because reducing longer fractions is slow


def read_json(
    source: str | os.PathLike[str],
    *,
    repair: bool = False,
    repair_tolerance: Fraction | int | str | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    name: str | None = None,
) -> GameTree:
    """Read a game in the schema ``tremble/game@1`` from a path, or from a text that begins with a brace.

    :func:`tremble.read_efg` describes the parameters. A repair changes a probability by at most the tolerance. The
    unit of the last digit does not matter, because all numbers in the file are fractions, not decimals.

    Examples
    --------
    >>> read_json('{"schema": "tremble/game@1", "title": "Over", "players": ["Ann", "Bob"], "infosets": [[], []],'
    ...           ' "chance": [], "nodes": [["t", "1/2", "-1/2"]]}').num_nodes
    1
    """
    expected = "a file name, or a text that begins with {"
    text = read_game_source(source, begins=_BEGINS, expected=expected, name=name)
    try:
        notes = Notes(text.name)
        reader = Reader(text.name)
        stated = _GAME.read(reader, reader.parsed(text.text))
        tree = _tree(stated, max_nodes, repair_limit(repair, repair_tolerance), notes)
    except (TooLargeError, FormatError):
        raise
    except GameError as error:
        raise FormatError(str(error), file=text.name) from None
    notes.warn(stacklevel=2)
    return with_origin(tree, text.name, lambda leaf: f"{text.name}: nodes[{int(tree.preorder[leaf])}]")


_TEXTS = several(TEXT)

_GAME: Document[dict[str, Any]] = Document(
    dict,
    SCHEMA,
    "a game",
    {
        "title": TEXT,
        "players": pair(TEXT),
        "infosets": pair(several(record(dict, label=TEXT, actions=_TEXTS))),
        "chance": several(record(dict, actions=_TEXTS, probabilities=_TEXTS)),
        "nodes": Shape(Reader.items, lambda value, _: value),  # read one by one
    },
)


def _tree(stated: dict[str, Any], max_nodes: int, repair: Fraction | None, notes: Notes) -> GameTree:
    sets = stated["infosets"]
    tables = [_table(entry, f"chance[{k}].probabilities", repair, notes) for k, entry in enumerate(stated["chance"])]
    builder = TreeBuilder(title=stated["title"], players=stated["players"], max_nodes=max_nodes)
    used = {"p1": 0, "p2": 0, "c": 0}
    available = {"p1": len(sets[0]), "p2": len(sets[1]), "c": len(tables)}
    payoffs: dict[str, Fraction | int] = {}
    for place, entry in enumerate(stated["nodes"]):
        if builder.complete:
            raise GameError(f"nodes[{place}]: the tree is complete before this node; remove all nodes from here on")
        match entry:
            case ["t", str(first), str(second)]:
                for text in (first, second):
                    if text not in payoffs:
                        payoffs[text] = _number(text, f"nodes[{place}]")
                builder.leaf(payoffs[first], payoffs[second])
            case ["p1" | "p2" | "c" as kind, int(number)] if type(number) is int:
                if not 1 <= number <= min(used[kind] + 1, available[kind]):
                    reason = "is not defined, or a smaller number must appear before it"
                    raise GameError(f"nodes[{place}]: number {number} {reason}")
                used[kind] = max(used[kind], number)
                if kind == "c":
                    builder.chance(*tables[number - 1])
                else:
                    own = sets[kind == "p2"][number - 1]
                    builder.decision(int(kind == "p2"), number, own["actions"], own["label"])
            case ["t", _, _]:
                raise GameError(f'nodes[{place}]: expected two payoffs as text, exact numbers such as "-1" or "1/2"')
            case _:
                raise GameError(
                    f'nodes[{place}]: expected ["p1", set], ["p2", set], ["c", table] or '
                    f'["t", "payoff", "payoff"], found {named(entry)}'
                )
    if not builder.complete:
        raise GameError("nodes: the list ends before the tree is complete: some actions lead to no node")
    for kind, what in (("p1", "infosets[0]"), ("p2", "infosets[1]"), ("c", "chance")):
        if used[kind] < available[kind]:
            raise GameError(f"{what}: no node uses entry {used[kind] + 1} (counted from 1); remove this entry")
    return builder.finish()


def _table(
    entry: dict[str, Any], where: str, repair: Fraction | None, notes: Notes
) -> tuple[tuple[str, ...], tuple[Fraction | int, ...]]:
    actions, probabilities = entry["actions"], tuple(_number(text, where) for text in entry["probabilities"])
    total = exact_sum(probabilities)
    if total == 1:
        return actions, probabilities
    mended = None if repair is None else mend_probabilities(probabilities, tolerance=repair)
    if mended is None:
        advice = repair_advice(probabilities, [Fraction(0)] * len(probabilities), repair)
        raise GameError(f"{where}: the numbers sum to {shown(total)}, not to one; {advice}")
    became = f"{shown_list(map(shown, probabilities))} became {shown_list(map(shown, mended))}"
    notes.add(REPAIRED, lambda: f"{became} at {where.removesuffix('.probabilities')}")
    return actions, mended


def _number(text: str, where: str) -> Fraction | int:
    if len(text) > _MAX_LENGTH:
        raise GameError(f"{where}: the number has more than {_MAX_LENGTH:,} characters")
    try:
        value = parse_fraction(text)
    except ValueError as error:
        raise GameError(f"{where}: {error}") from None
    return integral(value)


# -- writing -------------------------------------------------------------------------------------------


def format_json(tree: GameTree) -> str:
    """Return a game as the text of a JSON file, with one line for each information set, chance table and node.

    Equal games have equal texts. The function raises ``GameError`` if a number has more than 40,000 characters.
    """
    require_tree(tree)
    dump: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False).encode
    sets = [
        [
            dump({"label": label, "actions": actions})
            for label, actions in zip(tree.infoset_labels[i], tree.actions[i], strict=True)
        ]
        for i in range(2)
    ]
    tables = [
        dump({"actions": table.labels, "probabilities": list(map(_number_text, table.probabilities))})
        for table in tree.chance_tables
    ]
    nodes = tree.in_words(
        [[f'["p{i + 1}", {k + 1}]' for k in range(number)] for i, number in enumerate(tree.num_infosets)],
        [f'["c", {k + 1}]' for k in range(len(tables))],
        lambda one, two: f'["t", "{_number_text(one)}", "{_number_text(two)}"]',
    )
    return "\n".join(
        [
            "{",
            f'"schema": "{SCHEMA}",',
            f'"title": {dump(tree.title)},',
            f'"players": {dump(tree.players)},',
            f'"infosets": [\n{_lines(sets[0])},\n{_lines(sets[1])}\n],',
            f'"chance": {_lines(tables)},',
            f'"nodes": {_lines(nodes)}',
            "}",
            "",
        ]
    )


def _number_text(value: Fraction) -> str:
    text = format_fraction(value)
    if len(text) > _MAX_LENGTH:
        raise GameError(f"a number in the game has more than {_MAX_LENGTH:,} characters")
    return text


def _lines(items: list[str]) -> str:
    return "[\n" + ",\n".join(items) + "\n]" if items else "[]"


def write_json(tree: GameTree, path: str | os.PathLike[str]) -> None:
    """Write a game to a JSON file; an error leaves the file unchanged.

    Examples
    --------
    >>> import tempfile, tremble
    >>> kuhn = tremble.load("kuhn")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_json(kuhn, f"{folder}/kuhn.json")
    ...     tremble.load(f"{folder}/kuhn.json").digest == kuhn.digest
    True
    """
    write_text(path, format_json(tree))
