"""What ``--format json``, ``csv`` and ``gambit`` print: plain data with documented keys.

Exact numbers are text as in solution files; a field whose name ends in ``_float`` is a decimal beside one.
``docs/reference/cli.md`` lists the keys of every command.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tremble.errors import TooLargeError
from tremble.io.loading import is_named, load_rules
from tremble.judging.respond import Responses
from tremble.model.recall import classify_recall
from tremble.model.rules import UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import GameTree
from tremble.show.numbers import Number, exact_text, finite
from tremble.show.view import changes, strategy_rows
from tremble.solution.verification import Verification

if TYPE_CHECKING:
    from tremble.judging.audit import Audit
    from tremble.judging.compare import Comparison

__all__ = [
    "AUDIT_COLUMNS",
    "COLUMNS",
    "COMPARISON_COLUMNS",
    "audit_csv",
    "audit_record",
    "comparison_csv",
    "comparison_record",
    "counted_record",
    "csv_text",
    "gambit_text",
    "info_record",
    "responses_record",
    "verification_record",
]

COLUMNS = ("player", "infoset", "label", "action", "probability", "probability_float")
"""Of ``--format csv``."""


def info_record(tree: GameTree) -> dict[str, Any]:
    """Sizes and class of a game: the keys of ``tremble info``.

    Examples
    --------
    >>> import tremble
    >>> record = info_record(tremble.load("kuhn"))
    >>> record["sequences"], record["recall"], record["max_depth"]
    ([13, 13], ['perfect', 'perfect'], 4)
    """
    nodes = tree.nodes_by_kind
    return {
        "title": tree.title,
        "players": list(tree.players),
        "zero_sum": tree.zero_sum,
        "constant_sum": tree.constant_sum is not None,
        "nodes": {
            "chance": nodes["chance"],
            "player": [nodes["player 1"], nodes["player 2"]],
            "terminal": nodes["terminal"],
        },
        "information_sets": list(tree.num_infosets),
        "sequences": [slots + 1 for slots in tree.num_slots],
        "recall": [_recall(tree, player) for player in (0, 1)],
        "max_depth": tree.depth,
        "digest": tree.digest,
    }


def _recall(tree: GameTree, player: int) -> str | None:
    """How much a player remembers; None where telling would take too long."""
    try:
        return classify_recall(tree, player)
    except TooLargeError:
        return None


def counted_record(game: str) -> dict[str, Any] | None:
    """Fill the same keys without a tree, from what the rules of the game can count; None if it is a file.

    What they do not tell is None in the record.
    """
    if not is_named(game):
        return None
    unbuilt = load_rules(game)
    rules = unbuilt.rules
    known: dict[str, Any] = rules.counts() if hasattr(rules, "counts") else {}
    declared = getattr(rules, "declared_sum", None)
    if declared is not None:
        known = {"zero_sum": declared == 0, "constant_sum": True, **known}
    unknown = ("zero_sum", "constant_sum", "nodes", "information_sets", "sequences", "recall", "max_depth")
    named = {"title": unbuilt.title, "players": list(unbuilt.players)}
    return named | {key: known.get(key) for key in unknown} | {"digest": unbuilt.digest}


def responses_record(responses: Responses) -> dict[str, Any]:
    """Fill the keys of ``tremble respond``."""
    record: dict[str, Any] = {}
    pairs = {"values": responses.values, "best_response_values": responses.best_values, "gains": responses.gains}
    for key, pair in pairs.items():
        one, two = (_number(key, value) for value in pair)
        record |= {name: [one[name], two[name]] for name in one}
    return record | {
        **_number("nash_conv", responses.nash_conv),
        **_number("exploitability", responses.exploitability),
        "best_responses": [None if best is None else list(_pure_rows(best)) for best in responses.best],
        "reasons": list(responses.reasons),
        "not_stated": [list(numbers) for numbers in responses.not_stated],
    }


def _pure_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[dict[str, Any]]:
    for row in strategy_rows(strategy):
        if row.number is None:
            yield {"key": row.label, "action": row.chosen}
        else:
            yield {"infoset": row.number, "label": row.label, "action": row.chosen}


def verification_record(verification: Verification) -> dict[str, Any]:
    """Fill the keys of ``tremble verify``."""
    v = verification
    return {
        "ok": v.ok,
        "concept": v.concept,
        "status": str(v.status),
        "proven": v.proven,
        "nash_conv": None if v.nash_conv is None else exact_text(v.nash_conv),
        "values": _exact(v.values),
        "best_response_values": _exact(v.best_response_values),
        "bounds": _exact(v.bounds),
        "problems": list(v.problems),
        "notes": list(v.notes),
    }


def _exact(pair: Sequence[Number] | None) -> list[str] | None:
    return None if pair is None else [exact_text(x) for x in pair]


class _Lines:
    """Takes what ``csv.writer`` writes: lines that end in CR and LF, so that it quotes labels that hold either."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, line: str) -> None:
        self._lines.append(line.removesuffix("\r\n") + "\n")


def _csv_writer(lines: list[str]) -> Any:
    return csv.writer(_Lines(lines), lineterminator="\r\n")


AUDIT_COLUMNS = (
    *("player", "infoset", "label", "kind", "action", "probability", "better"),
    *("loss", "amount", "amount_float", "on_path"),
)
"""Of ``tremble audit --format csv``."""


def audit_record(audit: Audit, not_stated: Sequence[Sequence[int]] = ((), ())) -> dict[str, Any]:
    """Fill the keys of ``tremble audit``; at the information sets that are not stated, the file is not to blame."""
    pairs = {"values": audit.values, "gains": audit.gains, "off_path": audit.off_path}
    record: dict[str, Any] = {}
    for key, pair in pairs.items():
        record[key] = [exact_text(v) for v in pair]
        record[f"{key}_float"] = [finite(v) for v in pair]
    record["blunders"] = [
        {
            "player": b.player + 1,
            "infoset": b.infoset,
            "label": b.label,
            "kind": b.kind,
            "action": b.action,
            "probability": exact_text(b.probability),
            "better": b.better,
            "loss": exact_text(b.loss),
            "amount": exact_text(b.amount),
            "amount_float": finite(b.amount),
            "own_reach": exact_text(b.own_reach),
            "other_reach": exact_text(b.other_reach),
            "on_path": b.on_path,
            "stated": b.infoset not in not_stated[b.player],
        }
        for b in audit.blunders
    ]
    record["beliefs"] = [
        {
            "player": w.player + 1,
            "infoset": w.infoset,
            "label": w.label,
            "nodes": [
                {"path": list(path), "stated": exact_text(p), "right": None if q is None else exact_text(q)}
                for path, p, q in w.nodes
            ],
        }
        for w in audit.wrong_beliefs
    ]
    return record | {
        "information_sets": audit.num_infosets,
        "never_dealt": audit.never_dealt,
        "unexamined": audit.unexamined,
        "undecided": audit.undecided,
        "complete": audit.stopped is None,
    }


def audit_csv(audit: Audit) -> str:
    """Write the findings of an audit; a belief has its path as action, and the right number as what is better."""
    lines: list[str] = []
    writer = _csv_writer(lines)
    writer.writerow(AUDIT_COLUMNS)
    record = audit_record(audit)
    for row in record["blunders"]:
        writer.writerow([row[key] for key in AUDIT_COLUMNS])
    for belief in record["beliefs"]:
        for node in belief["nodes"]:
            found = {**belief, "kind": "belief", "action": " ".join(node["path"]), "probability": node["stated"]}
            writer.writerow([{**found, "better": node["right"]}.get(key) for key in AUDIT_COLUMNS])
    return "".join(lines)


COMPARISON_COLUMNS = (
    *("player", "infoset", "label", "action", "first", "second", "first_float", "second_float"),
    *("distance", "distance_float", "on_path_first", "on_path_second"),
)
"""Of ``tremble compare --format csv``."""


def comparison_record(comparison: Comparison, tree: GameTree) -> dict[str, Any]:
    """Fill the keys of ``tremble compare``."""
    c = comparison
    return {
        "names": list(c.names),
        "exact": c.exact,
        "information_sets": list(tree.num_infosets),
        "equal": list(c.equal),
        "differences": [
            {
                "player": d.player + 1,
                "infoset": d.infoset,
                "label": d.label,
                "actions": [[c.action, exact_text(c.first), exact_text(c.second)] for c in changes(d)],
                **_number("distance", d.distance),
                "own": list(d.own),
                "others": list(d.others),
                "on_path": list(d.on_path),
                "reach_float": list(d.reach),
            }
            for d in c.differences
        ],
        "earnings": [
            {
                "player": e.player + 1,
                "opponent": e.opponent,
                **_number("tremble", e.tremble),
                **_number("first", e.first),
                **_number("second", e.second),
                **_number("difference", e.difference),
                **_number("best_response", e.best),
                **_number("gift", e.gift),
                "shares_float": [None if share is None else finite(share) for share in e.shares],
            }
            for e in c.earnings
        ],
        "mistakes": [
            {
                "player": m.player + 1,
                "opponent": m.opponent,
                "infoset": m.infoset,
                "label": m.label,
                "action": m.action,
                **_number("first", m.first),
                **_number("second", m.second),
                **_number("difference", m.difference),
                "cost_float": [finite(cost) for cost in m.cost],
            }
            for m in c.mistakes
        ],
    }


def _number(key: str, value: Number | None) -> dict[str, Any]:
    """Both forms of a number; the exact one is None for a float."""
    exact = None if value is None or isinstance(value, float) else exact_text(value)
    return {key: exact, f"{key}_float": None if value is None else finite(value)}


def comparison_csv(comparison: Comparison) -> str:
    """Write the differing information sets, one row per action."""
    lines: list[str] = []
    writer = _csv_writer(lines)
    writer.writerow(COMPARISON_COLUMNS)
    for d in comparison.differences:
        rest = (exact_text(d.distance), finite(d.distance), *(str(on).lower() for on in d.on_path))
        for c in changes(d):
            shares = (exact_text(c.first), exact_text(c.second), finite(c.first), finite(c.second))
            writer.writerow((d.player + 1, d.infoset, d.label, c.action, *shares, *rest))
    return "".join(lines)


def csv_text(strategies: Sequence[BehaviorStrategy | UnbuiltStrategy]) -> str:
    """Write strategies as comma-separated values, one row per player, information set and action.

    In a game that is not built information sets have no numbers; the label is what the player knows.

    Examples
    --------
    >>> import tremble
    >>> pennies = tremble.load("matching_pennies")
    >>> uniform = [tremble.BehaviorStrategy.uniform(pennies, player) for player in (0, 1)]
    >>> print(csv_text(uniform).splitlines()[1])
    1,1,penny of player 1,heads,1/2,0.5
    """
    lines: list[str] = []
    writer = _csv_writer(lines)
    writer.writerow(COLUMNS)
    for strategy in strategies:
        rows = strategy_rows(strategy)
        if isinstance(strategy, UnbuiltStrategy):
            rows = iter(sorted(rows, key=lambda row: row.label))
        for row in rows:
            for action, p in row.moves:
                assert p is not None
                writer.writerow((row.player, row.number, row.label, action, exact_text(p), finite(p)))
    return "".join(lines)


def gambit_text(strategies: Sequence[BehaviorStrategy | UnbuiltStrategy]) -> str:
    """Write both strategies as Gambit's command-line tools do: ``NE``, then player 1's probabilities, then 2's."""
    rows = (row for strategy in strategies if isinstance(strategy, BehaviorStrategy) for row in strategy)
    return ",".join(["NE", *(exact_text(p) for row in rows for p in row)]) + "\n"
