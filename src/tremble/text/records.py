"""Convert results to data with documented keys, as printed by ``--format json``, ``csv`` and ``gambit``.

Exact numbers are text, as in solution files. The field ``NAME_float`` contains the number of the field ``NAME`` as a
float. ``docs/reference/cli.md`` lists the keys of every command.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from io import StringIO
from typing import TYPE_CHECKING, Any

from tremble.errors import GameError
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy
from tremble.game.strategy_rows import infoset_rows
from tremble.numbers import exact_text, finite
from tremble.solution.claim import Strategy
from tremble.solution.table_rows import COLUMNS, table_rows
from tremble.text.markup import no_formula
from tremble.value import Tabular

if TYPE_CHECKING:
    from tremble.check import Verification
    from tremble.game.adapter import Responses
    from tremble.game.tree import GameTree
    from tremble.solution.audit import Audit, Blunder
    from tremble.solution.certification import Certification
    from tremble.solution.comparison import Comparison
    from tremble.solution.explanation import Explanation, Explanations
    from tremble.solution.merging import Merging
    from tremble.text.view import Number

__all__ = [
    "audit_record",
    "certification_record",
    "comparison_csv",
    "comparison_record",
    "csv_text",
    "explanations_record",
    "fields_of",
    "gambit_text",
    "merging_record",
    "number_forms",
    "numbers_of",
    "pair_forms",
    "plain",
    "responses_record",
    "rows_csv",
    "strategy_table",
    "table_csv",
    "verification_record",
]

_TEXT = ("label", "action", "like_action", "better", "name", "file", "error")
"""CSV columns that may contain texts from games and files. Such a text must not become a spreadsheet formula."""

_FROM_ONE = ("player", "infoset", "proven_player", "disproven_player")
"""Fields whose numbers start at 0 in Python, and at 1 in output and files."""

_PROOF = ("proven", "proven_player", "disproven", "disproven_player")
"""Names of fields: the proven and the disproven concept, and the player to whom each applies."""


def responses_record(responses: Responses) -> dict[str, Any]:
    """Return the JSON object of ``tremble respond``."""
    return {
        **pair_forms("values", responses.values),
        **pair_forms("best_response_values", responses.best_values),
        **pair_forms("gains", responses.gains),
        **numbers_of(responses, "nash_conv", "exploitability"),
        "best_responses": [None if best is None else list(_pure_rows(best)) for best in responses.best],
        **fields_of(responses, "reasons"),
        **_not_stated(responses.not_stated),
    }


def _not_stated(left_open: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Return a dict with ``not_stated``: each player's information sets that the file omits, numbered from 1."""
    return {"not_stated": [[k + 1 for k in sets] for sets in left_open]}


def _pure_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[dict[str, Any]]:
    for row in infoset_rows(strategy):
        if row.number is None:
            yield {"key": row.label, "action": row.chosen}
        else:
            yield {"infoset": row.number, "label": row.label, "action": row.chosen}


def verification_record(verification: Verification) -> dict[str, Any]:
    """Return the JSON object of ``tremble verify``."""
    exact = ("nash_conv", "values", "best_response_values", "bounds")
    return {
        **fields_of(verification, "ok", "concept", "status", *_PROOF, *exact, "problems", "notes"),
        "fields": {field.name: {"proven": field.proven, "believed": field.believed} for field in verification.fields},
    }


def certification_record(certification: Certification) -> dict[str, Any]:
    """Return the JSON object of ``tremble certify``."""
    solution, verification = certification.solution, certification.solution.verification
    assert verification.best_response_values is not None
    return {
        "verdict": str(certification.verdict),
        "ok": certification.verdict == "proven",
        "concept": solution.requested,
        **fields_of(verification, *_PROOF),
        "status": str(solution.status),
        **fields_of(certification, "grounds", "reasons"),
        **pair_forms("values", solution.values),
        **pair_forms("best_response_values", verification.best_response_values),
        **pair_forms("gains", certification.gains),
        **number_forms("nash_conv", sum(certification.gains, Fraction(0))),
        **fields_of(solution, "bounds"),
        "better": [_blunder(b, "gain") for b in certification.blunders],
        **fields_of(certification, "subgame_perfect"),
        "subgames": [
            {**fields_of(g, "path", "player"), **number_forms("gain", g.gain)} for g in certification.subgames or ()
        ],
        **_not_stated(certification.not_stated),
    }


def _blunder(blunder: Blunder, measure: str) -> dict[str, Any]:
    """Return a blunder as data for JSON. ``measure`` is the attribute to include: ``gain`` or ``amount``."""
    return {
        **fields_of(blunder, "player", "infoset", "label", "kind", "action", "probability", "better", "loss"),
        **numbers_of(blunder, measure),
        **fields_of(blunder, "own_reach", "other_reach", "on_path"),
    }


def fields_of(content: object, *names: str) -> dict[str, Any]:
    """Return a dict of attributes of ``content``, converted for JSON. The other arguments name the attributes."""
    values = {name: getattr(content, name) for name in names}
    return {
        name: value + 1 if name in _FROM_ONE and value is not None else plain(value) for name, value in values.items()
    }


def plain(content: Any) -> Any:
    """Convert a value for JSON: exact numbers become text, and tuples become lists."""
    if isinstance(content, tuple):
        return [plain(part) for part in content]
    return exact_text(content) if isinstance(content, Fraction) else content


def number_forms(key: str, value: Number | None) -> dict[str, Any]:
    """Return two fields for a number: its exact text (None for a float) as ``key``, and a float as ``key_float``."""
    exact = None if value is None or isinstance(value, float) else exact_text(value)
    return {key: exact, f"{key}_float": None if value is None else finite(value)}


def numbers_of(content: object, *names: str) -> dict[str, Any]:
    """Return two fields for each attribute of ``content`` that is named in the arguments: exact text, and a float."""
    return {key: form for name in names for key, form in number_forms(name, getattr(content, name)).items()}


def pair_forms(key: str, values: Sequence[Number | None]) -> dict[str, Any]:
    """Return two fields for the players' numbers: ``key`` with both exact texts, and ``key_float`` with both floats."""
    player1, player2 = (number_forms(key, value) for value in values)
    return {name: [player1[name], player2[name]] for name in player1}


def table_csv(found: Tabular) -> str:
    """Return ``found.to_rows()`` as CSV text."""
    return rows_csv(found.columns, found.to_rows())


def rows_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV text whose lines end in LF. Cells with LF are quoted, and formulas are escaped."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")  # no cell contains CR, because CR is escaped
    writer.writerow(columns)
    writer.writerows([_csv_cell(row[column], column in _TEXT) for column in columns] for row in rows)
    return text.getvalue()


def _csv_cell(cell: Any, named: bool) -> Any:
    if isinstance(cell, Fraction):
        return exact_text(cell)
    return no_formula(cell) if named and isinstance(cell, str) else cell


def audit_record(audit: Audit, not_stated: Sequence[Sequence[int]] = ((), ())) -> dict[str, Any]:
    """Return the JSON object of ``tremble audit``.

    ``not_stated`` lists each player's information sets for which the file has no strategy.
    """
    return {
        **pair_forms("values", audit.values),
        **pair_forms("gains", audit.gains),
        **pair_forms("off_path", audit.off_path),
        "blunders": [_blunder(b, "amount") | {"stated": b.infoset not in not_stated[b.player]} for b in audit.blunders],
        "beliefs": [
            fields_of(wrong, "player", "infoset", "label")
            | {"nodes": [dict(zip(("path", "stated", "right"), plain(node), strict=True)) for node in wrong.nodes]}
            for wrong in audit.wrong_beliefs
        ],
        "information_sets": audit.num_infosets,
        **fields_of(audit, "never_dealt", "unexamined", "undecided", "unlisted"),
        "complete": audit.stopped is None,
    }


def explanations_record(explanations: Explanations) -> dict[str, Any]:
    """Return the JSON object of ``tremble explain``."""
    return {"sets": [_explanation(each) for each in explanations]}


def _explanation(each: Explanation) -> dict[str, Any]:
    worth = ("action", "probability", "value", "best", "loss", "between", "ends")
    return {
        **fields_of(each, "player", "infoset", "label"),
        **numbers_of(each, "reach", "own_reach", "other_reach", "value", "stake"),
        **fields_of(each, "dealt", "ground", "any_belief"),
        "nodes": [fields_of(node, "path", "reach", "belief", "values") for node in each.nodes],
        "actions": [
            fields_of(action, *worth)
            | {"replies": [fields_of(reply, "infoset", "label", "probability", "actions") for reply in action.replies]}
            for action in each.actions
        ],
        "sentences": list(each.sentences),
        **({"locked": True} if each.locked else {}),
    }


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    """Return the JSON object of ``tremble compare``."""
    unlike = [sum(d.player == player for d in comparison.differences) for player in (0, 1)]
    sets = [sum(counts) for counts in zip(comparison.equal, unlike, comparison.unlisted, strict=True)]
    return {
        **fields_of(comparison, "names", "exact"),
        "information_sets": sets,
        **fields_of(comparison, "equal", "unlisted"),
        "differences": [
            {
                **fields_of(d, "player", "infoset", "label"),
                "actions": [[action, exact_text(first), exact_text(second)] for action, first, second in d.changes],
                **numbers_of(d, "distance"),
                **fields_of(d, "own", "others", "on_path"),
                "reach_float": list(d.reach),
            }
            for d in comparison.differences
        ],
        "earnings": [
            {
                **fields_of(e, "player", "opponent"),
                **numbers_of(e, "tremble", "first", "second", "difference"),
                **number_forms("best_response", e.best),
                **numbers_of(e, "gift"),
                "shares_float": [None if share is None else finite(share) for share in e.shares],
            }
            for e in comparison.earnings
        ],
        "mistakes": [
            {
                **fields_of(m, "player", "opponent", "infoset", "label", "action"),
                **numbers_of(m, "first", "second", "difference"),
                "cost_float": [finite(cost) for cost in m.cost],
            }
            for m in comparison.mistakes
        ],
    }


def comparison_csv(comparison: Comparison) -> str:
    """Return CSV text: a row for each action at each set where the profiles differ. Booleans are in lower case."""
    rows = comparison.to_rows()
    for row in rows:
        row.update({name: str(cell).lower() for name, cell in row.items() if isinstance(cell, bool)})
    return rows_csv(comparison.columns, rows)


def merging_record(merging: Merging) -> dict[str, Any]:
    """Return the JSON object of ``tremble shrink`` for a tree."""
    return {
        "title": merging.game.title,
        "mode": "merged",
        **asdict(merging.sizes),
        "raw": asdict(merging.raw),
        "lossless": True,
        **fields_of(merging, "players_alike", "rounds"),
        "classes": [
            {
                **fields_of(alike, "player"),
                "infosets": [k + 1 for k in alike.infosets],
                **fields_of(alike, "labels", "actions", "like_actions"),
            }
            for alike in merging.classes
        ],
        "seconds": {"merging": merging.seconds},
    }


def strategy_table(strategies: Sequence[Strategy], game: GameTree | UnbuiltGame | None = None) -> list[dict[str, Any]]:
    """Return a row for each player, information set and action, with the probability of the action.

    Parameters
    ----------
    strategies : sequence of BehaviorStrategy, UnbuiltStrategy or OrderedStrategy
        The strategies, usually one for each player. If their game is not built as a tree, information sets have no
        numbers, and the label describes what the player knows. In an ordered game, such as poker, a strategy treats
        hands of one class alike. The rows show one hand of each class, with the label of its information set.
    game : GameTree or UnbuiltGame, optional
        The game of the strategies. Required only for an ordered game.

    Returns
    -------
    list of dict
        Each row has the keys ``player``, ``infoset``, ``label``, ``action``, ``probability`` and
        ``probability_float``, as in ``--format csv``. Players and information sets are numbered from 1. Without a tree,
        ``infoset`` has the value None. ``probability`` is a ``Fraction`` if the strategy is exact.

    Raises
    ------
    GameError
        The strategies belong to an ordered game, and ``game`` is not given.
    TooLargeError
        The strategies have too many rows.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("jk_four_cards")
    >>> solution = tremble.solve(game, method="dcfr")
    >>> rows = strategy_table(solution.strategies, game)
    >>> len(rows), rows[0]["label"], rows[0]["action"]
    (16, 'J1', 'check')
    """
    if not isinstance(strategies, Sequence) or not all(isinstance(one, Strategy) for one in strategies):
        raise GameError(f"expected a sequence of strategies, such as solution.strategies, not {strategies!r:.80}")
    return [row for strategy in strategies for row in _strategy_rows(strategy, game)]


def csv_text(strategies: Sequence[Strategy], game: GameTree | UnbuiltGame | None = None) -> str:
    """Return the rows of :func:`strategy_table` as CSV text."""
    return rows_csv(COLUMNS, strategy_table(strategies, game))


def _strategy_rows(strategy: Strategy, game: GameTree | UnbuiltGame | None) -> Iterable[dict[str, Any]]:
    if isinstance(strategy, BehaviorStrategy | UnbuiltStrategy):
        return table_rows(strategy)
    from tremble.game.kinds import kind_of  # imported late, because `tremble verify` must not load its modules

    kind = None if game is None else kind_of(game)
    if kind is None or not isinstance(strategy, kind.strategy):
        raise GameError("strategies of an ordered game need their game: pass the game as the second argument")
    return kind.rows(strategy)


def gambit_text(strategies: Sequence[Strategy]) -> str:
    """Return both strategies in the format of Gambit's command-line tools: ``NE``, then all probabilities."""
    rows = (row for strategy in strategies if isinstance(strategy, BehaviorStrategy) for row in strategy)
    return ",".join(["NE", *(exact_text(p) for row in rows for p in row)]) + "\n"
