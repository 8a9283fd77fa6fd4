"""What ``--format json``, ``csv`` and ``gambit`` print: plain data with documented keys.

Exact numbers are text as in solution files; a field whose name ends in ``_float`` is a decimal beside one.
``docs/reference/cli.md`` lists the keys of every command.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.errors import TooLargeError
from tremble.games import is_built_in, parse_spec
from tremble.recall import classify_recall
from tremble.show.numbers import Number, as_float, exact_text
from tremble.strategy import BehaviorStrategy
from tremble.tree import GameTree
from tremble.verifier import Verification

__all__ = [
    "COLUMNS",
    "Responses",
    "counted_record",
    "csv_text",
    "gambit_text",
    "info_record",
    "json_text",
    "responses_record",
    "strategy_rows",
    "verification_record",
]

COLUMNS = ("player", "infoset", "label", "action", "probability", "probability_float")
"""Of ``--format csv``."""


def json_text(record: Any) -> str:
    """Write a record as text, with a final newline."""
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


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
    """Fill the same keys without a tree, from what the rules of a built-in game can count; else None.

    What they do not tell is None in the record.
    """
    if not is_built_in(game):
        return None
    rules = parse_spec(game)[0]
    counts = getattr(rules, "counts", None)
    if counts is None:
        return None
    unknown = ("players", "zero_sum", "constant_sum", "nodes", "information_sets", "sequences", "recall", "max_depth")
    known: dict[str, Any] = counts()
    return {"title": rules.title} | {key: known.get(key) for key in (*unknown, "digest")}


@dataclass(frozen=True)
class Responses:
    """What ``tremble respond`` finds out about a pair of strategies.

    Attributes
    ----------
    values : pair of Fraction
        Expected payoffs of players 1 and 2.
    best_values : pair of Fraction
        What each earns at most against the other's strategy.
    best : pair of BehaviorStrategy
        Pure strategies that earn it.
    """

    values: tuple[Number, Number]
    best_values: tuple[Number, Number]
    best: tuple[BehaviorStrategy, BehaviorStrategy]

    @property
    def gains(self) -> tuple[Number, Number]:
        """What each player gains by deviating."""
        return self.best_values[0] - self.values[0], self.best_values[1] - self.values[1]

    @property
    def nash_conv(self) -> Number:
        """What both together gain by deviating."""
        return sum(self.gains)

    @property
    def exploitability(self) -> Number:
        """Half of NashConv."""
        return Fraction(self.nash_conv) / 2


def responses_record(responses: Responses) -> dict[str, Any]:
    """Fill the keys of ``tremble respond``."""
    return {
        "values": [exact_text(v) for v in responses.values],
        "values_float": [_finite(v) for v in responses.values],
        "best_response_values": [exact_text(v) for v in responses.best_values],
        "best_response_values_float": [_finite(v) for v in responses.best_values],
        "gains": [exact_text(v) for v in responses.gains],
        "gains_float": [_finite(v) for v in responses.gains],
        "nash_conv": exact_text(responses.nash_conv),
        "nash_conv_float": _finite(responses.nash_conv),
        "exploitability": exact_text(responses.exploitability),
        "exploitability_float": _finite(responses.exploitability),
        "best_responses": [
            [
                {"infoset": k + 1, "label": s.infoset_labels[k], "action": s.actions[k][list(row).index(1)]}
                for k, row in enumerate(s)
            ]
            for s in responses.best
        ],
    }


def verification_record(verification: Verification) -> dict[str, Any]:
    """Fill the keys of ``tremble verify``."""
    v = verification
    return {
        "ok": v.ok,
        "concept": v.concept,
        "nash_conv": None if v.nash_conv is None else exact_text(v.nash_conv),
        "values": None if v.values is None else [exact_text(x) for x in v.values],
        "best_response_values": None
        if v.best_response_values is None
        else [exact_text(x) for x in v.best_response_values],
        "bounds": None if v.bounds is None else [exact_text(x) for x in v.bounds],
        "problems": list(v.problems),
    }


def strategy_rows(strategies: Sequence[BehaviorStrategy]) -> Iterator[tuple[int, int, str, str, str, float | None]]:
    """One row per player, information set and action, as in ``COLUMNS``."""
    for strategy in strategies:
        for k in range(strategy.num_infosets):
            row: Sequence[Number] = strategy.row(k)
            for action, p in zip(strategy.actions[k], row, strict=True):
                yield strategy.player + 1, k + 1, strategy.infoset_labels[k], action, exact_text(p), _finite(p)


def csv_text(strategies: Sequence[BehaviorStrategy]) -> str:
    """Write both strategies as comma-separated values.

    Examples
    --------
    >>> import tremble
    >>> pennies = tremble.load("matching_pennies")
    >>> uniform = [tremble.BehaviorStrategy.uniform(pennies, player) for player in (0, 1)]
    >>> print(csv_text(uniform).splitlines()[1])
    1,1,penny of player 1,heads,1/2,0.5
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(strategy_rows(strategies))
    return stream.getvalue()


def gambit_text(strategies: Sequence[BehaviorStrategy]) -> str:
    """Write both strategies as Gambit's command-line tools do: ``NE``, then player 1's probabilities, then 2's."""
    return ",".join(["NE", *(exact_text(p) for s in strategies for row in s for p in row)]) + "\n"


def _finite(value: Number) -> float | None:
    """Round to a float, or None beyond their range."""
    decimal = as_float(value)
    return decimal if abs(decimal) != float("inf") else None
