"""What ``--format json``, ``csv`` and ``gambit`` print: plain data with documented keys.

Exact numbers are text as in solution files; a field whose name ends in ``_float`` is a decimal beside one.
``docs/reference/cli.md`` lists the keys of every command.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from io import StringIO
from typing import TYPE_CHECKING, Any

from tremble.errors import GameError
from tremble.game.protocol import CHANCE
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.strategy import BehaviorStrategy
from tremble.poker.class_rows import class_rows
from tremble.poker.game import OrderedGame
from tremble.poker.strategy import OrderedStrategy
from tremble.printable import no_formula
from tremble.solution.strategies import COLUMNS, strategy_rows, table_rows
from tremble.text.numbers import exact_text, finite

if TYPE_CHECKING:
    from tremble.batch.parameter_sweep import Sweep
    from tremble.game.adapter import Responses
    from tremble.game.tree import GameTree
    from tremble.poker.abstraction.report import AbstractionReport
    from tremble.poker.filtered import Sizes
    from tremble.recall.forgetting import Forgetting, Loss
    from tremble.show.playing import Hand
    from tremble.solution.audit import Audit, Blunder
    from tremble.solution.certification import Certification
    from tremble.solution.comparison import Comparison
    from tremble.solution.equilibria import Equilibria
    from tremble.solution.explanation import Explanation, Explanations
    from tremble.solution.merging import Merging
    from tremble.solution.verification import Verification
    from tremble.text.numbers import Number

__all__ = [
    "ABSTRACTION_COLUMNS",
    "abstraction_record",
    "abstractions_csv",
    "audit_csv",
    "audit_record",
    "batch_csv",
    "certification_record",
    "comparison_csv",
    "comparison_record",
    "csv_text",
    "equilibria_csv",
    "explanations_csv",
    "explanations_record",
    "forgetting_record",
    "gambit_text",
    "merging_csv",
    "merging_record",
    "responses_record",
    "sitting_record",
    "strategy_table",
    "sweep_csv",
    "sweep_record",
    "verification_record",
]

_TEXT = ("label", "action", "like_action", "better", "name", "file", "error")
"""Columns of any table that hold what games call things; numbers stand in all others."""

_FROM_ONE = ("player", "infoset", "proven_player", "disproven_player")
"""What is counted from 0 in Python, and from 1 in all that is shown or written."""

_PROOF = ("proven", "proven_player", "disproven", "disproven_player")
"""What is proven or disproven, and for which player."""


def responses_record(responses: Responses) -> dict[str, Any]:
    """Fill the keys of ``tremble respond``."""
    return {
        **_pair("values", responses.values),
        **_pair("best_response_values", responses.best_values),
        **_pair("gains", responses.gains),
        **_numbers(responses, "nash_conv", "exploitability"),
        "best_responses": [None if best is None else list(_pure_rows(best)) for best in responses.best],
        **_fields(responses, "reasons"),
        **_not_stated(responses.not_stated),
    }


def _not_stated(left_open: Sequence[Sequence[int]]) -> dict[str, Any]:
    """The information sets of each player that a file does not state."""
    return {"not_stated": [[k + 1 for k in sets] for sets in left_open]}


def _pure_rows(strategy: BehaviorStrategy | UnbuiltStrategy) -> Iterator[dict[str, Any]]:
    for row in strategy_rows(strategy):
        if row.number is None:
            yield {"key": row.label, "action": row.chosen}
        else:
            yield {"infoset": row.number, "label": row.label, "action": row.chosen}


def verification_record(verification: Verification) -> dict[str, Any]:
    """Fill the keys of ``tremble verify``."""
    exact = ("nash_conv", "values", "best_response_values", "bounds")
    return {
        **_fields(verification, "ok", "concept", "status", *_PROOF, *exact, "problems", "notes"),
        "fields": {field.name: {"proven": field.proven, "believed": field.believed} for field in verification.fields},
    }


def sitting_record(
    game: GameTree | UnbuiltGame, against: str, seed: int, ended: str, hands: Sequence[Hand], unfinished: Hand | None
) -> dict[str, Any]:
    """Fill the keys of ``tremble play``."""
    from tremble.show.playing import earned, paid_for

    total, unknown = paid_for(hands)
    return {
        "game": {"spec": game.spec, "title": game.title, "digest": game.digest},
        "against": against,
        "seed": seed,
        "ended": ended,
        "hands": [_hand_record(hand) for hand in hands],
        "unfinished": None if unfinished is None else _hand_record(unfinished),
        **_pair("earned", earned(hands)),
        **_number("lost", total),
        "not_computed": unknown,
    }


def _hand_record(hand: Hand) -> dict[str, Any]:
    return {
        "hand": hand.number,
        "seat": hand.seat + 1,
        "moves": [
            {
                "player": None if move.player == CHANCE else move.player + 1,
                "label": move.label,
                "action": move.action,
                "probabilities": [[action, exact_text(p)] for action, p in move.moves],
                **(
                    {
                        "losses": None if move.losses is None else [exact_text(loss) for loss in move.losses],
                        **_numbers(move, "loss", "solution_loss"),
                    }
                    if move.player == hand.seat
                    else {}
                ),
            }
            for move in hand.moves
        ],
        **({} if hand.payoffs is None else _pair("payoffs", hand.payoffs)),
        **_number("loss", hand.loss),
    }


def certification_record(certification: Certification) -> dict[str, Any]:
    """Fill the keys of ``tremble certify``."""
    solution, verification = certification.solution, certification.solution.verification
    assert verification.best_response_values is not None
    return {
        "verdict": str(certification.verdict),
        "ok": certification.verdict == "proven",
        "concept": solution.requested,
        **_fields(verification, *_PROOF),
        "status": str(solution.status),
        **_fields(certification, "grounds", "reasons"),
        **_pair("values", solution.values),
        **_pair("best_response_values", verification.best_response_values),
        **_pair("gains", certification.gains),
        **_number("nash_conv", sum(certification.gains, Fraction(0))),
        **_fields(solution, "bounds"),
        "better": [_blunder(b, "gain") for b in certification.blunders],
        **_fields(certification, "subgame_perfect"),
        "subgames": [{**_fields(g, "path", "player"), **_number("gain", g.gain)} for g in certification.subgames or ()],
        **_not_stated(certification.not_stated),
    }


def _blunder(blunder: Blunder, measure: str) -> dict[str, Any]:
    """A blunder, with one of the numbers that measure it."""
    return {
        **_fields(blunder, "player", "infoset", "label", "kind", "action", "probability", "better", "loss"),
        **_numbers(blunder, measure),
        **_fields(blunder, "own_reach", "other_reach", "on_path"),
    }


def _fields(content: object, *names: str) -> dict[str, Any]:
    """Fields of what was found, under their names, as JSON has them."""
    values = {name: getattr(content, name) for name in names}
    return {
        name: value + 1 if name in _FROM_ONE and value is not None else _plain(value) for name, value in values.items()
    }


def _plain(content: Any) -> Any:
    """Exact numbers as text, tuples as lists."""
    if isinstance(content, tuple):
        return [_plain(part) for part in content]
    return exact_text(content) if isinstance(content, Fraction) else content


def _number(key: str, value: Number | None) -> dict[str, Any]:
    """Both forms of a number; the exact one is None for a float."""
    exact = None if value is None or isinstance(value, float) else exact_text(value)
    return {key: exact, f"{key}_float": None if value is None else finite(value)}


def _numbers(content: object, *names: str) -> dict[str, Any]:
    """Numbers under the names of their fields, in both forms."""
    return {key: form for name in names for key, form in _number(name, getattr(content, name)).items()}


def _pair(key: str, values: Sequence[Number | None]) -> dict[str, Any]:
    """The same of a pair of numbers, one for each player."""
    player1, player2 = (_number(key, value) for value in values)
    return {name: [player1[name], player2[name]] for name in player1}


def _csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows under their columns, in lines that end in LF; labels that hold LF are quoted, none is a formula."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")  # no cell holds CR: it is escaped
    writer.writerow(columns)
    writer.writerows([_csv_cell(row[column], column in _TEXT) for column in columns] for row in rows)
    return text.getvalue()


def _csv_cell(cell: Any, named: bool) -> Any:
    if isinstance(cell, Fraction):
        return exact_text(cell)
    return no_formula(cell) if named and isinstance(cell, str) else cell


def audit_record(audit: Audit, not_stated: Sequence[Sequence[int]] = ((), ())) -> dict[str, Any]:
    """Fill the keys of ``tremble audit``; at the information sets that are not stated, the file is not to blame."""
    return {
        **_pair("values", audit.values),
        **_pair("gains", audit.gains),
        **_pair("off_path", audit.off_path),
        "blunders": [_blunder(b, "amount") | {"stated": b.infoset not in not_stated[b.player]} for b in audit.blunders],
        "beliefs": [
            _fields(wrong, "player", "infoset", "label")
            | {"nodes": [dict(zip(("path", "stated", "right"), _plain(node), strict=True)) for node in wrong.nodes]}
            for wrong in audit.wrong_beliefs
        ],
        "information_sets": audit.num_infosets,
        **_fields(audit, "never_dealt", "unexamined", "undecided"),
        "complete": audit.stopped is None,
    }


def audit_csv(audit: Audit) -> str:
    """Write the findings of an audit; a belief has its path as action, and the right number as what is better."""
    return _csv_text(audit.columns, audit.to_rows())


def explanations_record(explanations: Explanations) -> dict[str, Any]:
    """Fill the keys of ``tremble explain``."""
    return {"sets": [_explanation(each) for each in explanations]}


def _explanation(each: Explanation) -> dict[str, Any]:
    worth = ("action", "probability", "value", "best", "loss", "between", "ends")
    return {
        **_fields(each, "player", "infoset", "label"),
        **_numbers(each, "reach", "own_reach", "other_reach", "value", "stake"),
        **_fields(each, "dealt", "ground", "any_belief"),
        "nodes": [_fields(node, "path", "reach", "belief", "values") for node in each.nodes],
        "actions": [
            _fields(action, *worth)
            | {"replies": [_fields(reply, "infoset", "label", "probability", "actions") for reply in action.replies]}
            for action in each.actions
        ],
        "sentences": list(each.sentences),
    }


def explanations_csv(explanations: Explanations) -> str:
    """Write a line for each action at the information sets that are explained."""
    return _csv_text(explanations.columns, explanations.to_rows())


def batch_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Write the rows of the results of a batch."""
    from tremble.batch.results import BatchResult

    return _csv_text(BatchResult.columns, rows)


def sweep_record(sweep: Sweep, infoset: str | int | None = None, player: int | None = None) -> dict[str, Any]:
    """Fill the keys of ``tremble sweep``; with an information set, what its player does there at each point."""
    chosen = {} if infoset is None else sweep.strategy_at(infoset, player)
    points = zip(sweep.points, sweep.results, *chosen.values(), strict=True)
    return {
        "parameter": sweep.parameter,
        "points": [
            {
                **_number("x", x),
                **result.plain(),
                "actions": [[a, None if p is None else exact_text(p)] for a, p in zip(chosen, moves, strict=True)],
            }
            for x, result, *moves in points
        ],
        "changes": [list(map(exact_text, pair)) for pair in sweep.changes],
    }


def sweep_csv(sweep: Sweep, infoset: str | int | None = None, player: int | None = None) -> str:
    """Write the rows of a sweep."""
    columns = sweep.columns if infoset is None else (*sweep.columns, *COLUMNS)
    return _csv_text(columns, sweep.to_rows(infoset, player))


def comparison_record(comparison: Comparison, tree: GameTree) -> dict[str, Any]:
    """Fill the keys of ``tremble compare``."""
    return {
        **_fields(comparison, "names", "exact"),
        "information_sets": list(tree.num_infosets),
        **_fields(comparison, "equal"),
        "differences": [
            {
                **_fields(d, "player", "infoset", "label"),
                "actions": [[action, exact_text(first), exact_text(second)] for action, first, second in d.changes],
                **_numbers(d, "distance"),
                **_fields(d, "own", "others", "on_path"),
                "reach_float": list(d.reach),
            }
            for d in comparison.differences
        ],
        "earnings": [
            {
                **_fields(e, "player", "opponent"),
                **_numbers(e, "tremble", "first", "second", "difference"),
                **_number("best_response", e.best),
                **_numbers(e, "gift"),
                "shares_float": [None if share is None else finite(share) for share in e.shares],
            }
            for e in comparison.earnings
        ],
        "mistakes": [
            {
                **_fields(m, "player", "opponent", "infoset", "label", "action"),
                **_numbers(m, "first", "second", "difference"),
                "cost_float": [finite(cost) for cost in m.cost],
            }
            for m in comparison.mistakes
        ],
    }


def comparison_csv(comparison: Comparison) -> str:
    """Write the differing information sets, one row per action; true and false in small letters."""
    rows = comparison.to_rows()
    for row in rows:
        row.update({name: str(cell).lower() for name, cell in row.items() if isinstance(cell, bool)})
    return _csv_text(comparison.columns, rows)


ABSTRACTION_COLUMNS = (
    *("mode", "threshold_float", "classes_1", "classes_2", "sequences_1", "sequences_2", "information_sets_1"),
    *("information_sets_2", "rows", "nonzeros", "lossless", "certified_loss"),
    *("undominated_rows", "undominated_columns"),
)
"""Of ``tremble shrink --format csv``."""


def abstraction_record(report: AbstractionReport) -> dict[str, Any]:
    """Fill the keys of ``tremble shrink``."""
    return {
        **_fields(report, "title", "mode"),
        "threshold_float": report.threshold,
        **_fields(report, "signals", "signal_tree", "own_nodes"),
        **_sizes(report.sizes),
        "nonzeros": report.nonzeros,
        "raw": _sizes(report.raw),
        "lossless": report.lossless,
        **_numbers(report, "certified_loss"),
        **_fields(report, "bounds", "dominance", "seconds"),
    }


def _sizes(sizes: Sizes) -> dict[str, Any]:
    return _fields(sizes, "classes", "sequences", "information_sets", "rows")


def abstractions_csv(reports: Sequence[AbstractionReport]) -> str:
    """Write a row for each abstraction; classes of the rounds with a slash between them."""
    lines = []
    for report in reports:
        record = abstraction_record(report)
        for k in (0, 1):
            record[f"classes_{k + 1}"] = "/".join(map(str, report.sizes.classes[k]))
            record[f"sequences_{k + 1}"] = report.sizes.sequences[k]
            record[f"information_sets_{k + 1}"] = report.sizes.information_sets[k]
        for size in ("rows", "columns"):
            record[f"undominated_{size}"] = None if report.dominance is None else report.dominance[size]
        lines.append(record)
    return _csv_text(ABSTRACTION_COLUMNS, lines)


def merging_record(merging: Merging) -> dict[str, Any]:
    """Fill the keys of ``tremble shrink`` of a tree."""
    return {
        "title": merging.game.title,
        "mode": "merged",
        **asdict(merging.sizes),
        "raw": asdict(merging.raw),
        "lossless": True,
        **_fields(merging, "players_alike", "rounds"),
        "classes": [
            {
                **_fields(alike, "player"),
                "infosets": [k + 1 for k in alike.infosets],
                **_fields(alike, "labels", "actions", "like_actions"),
            }
            for alike in merging.classes
        ],
        "seconds": {"merging": merging.seconds},
    }


def merging_csv(merging: Merging) -> str:
    """Write a line for each action of each information set, and which one it is like."""
    return _csv_text(merging.columns, merging.to_rows())


def forgetting_record(forgetting: Forgetting, loss: Loss | None) -> dict[str, Any]:
    """Fill the keys of ``tremble forget``."""
    known = {"guarantee": "guarantee", "most": "most", "loss_at_most": "at_most", "loss_at_least": "at_least"}
    numbers = (_number(key, None if loss is None else getattr(loss, name)) for key, name in known.items())
    return {
        "title": forgetting.original.title,
        "player": forgetting.player + 1,
        "remembers": forgetting.rule,
        **_fields(forgetting, "recall", "information_sets", "sequences"),
        "value": None if loss is None else _plain(loss.value),
        **{key: form for number in numbers for key, form in number.items()},
        "digest": forgetting.tree.digest,
    }


Strategy = BehaviorStrategy | UnbuiltStrategy | OrderedStrategy


def strategy_table(strategies: Sequence[Strategy], game: GameTree | UnbuiltGame | None = None) -> list[dict[str, Any]]:
    """The rows of strategies, one per player, information set and action, as ``--format csv`` has them.

    Parameters
    ----------
    strategies : sequence of BehaviorStrategy, UnbuiltStrategy or OrderedStrategy
        In a game that is not built information sets have no numbers; the label is what the player knows. In an ordered
        game it is an information set of one hand of each class.
    game : GameTree or UnbuiltGame, optional
        The ordered game that they are of.

    Returns
    -------
    list of dict
        Keys ``player`` and ``infoset`` (from 1; None where sets have no numbers), ``label``, ``action``,
        ``probability`` (a ``Fraction`` where the strategy is exact) and ``probability_float``.

    Raises
    ------
    GameError
        Strategies of an ordered game without it.
    TooLargeError
        They have too many rows.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("jk_four_cards")
    >>> solution = tremble.solve(game, method="dcfr")
    >>> rows = strategy_table(solution.strategies, game)
    >>> len(rows), rows[0]["label"], rows[0]["action"]
    (16, 'J1', 'check')
    """
    if not isinstance(strategies, Sequence) or not all(
        isinstance(one, BehaviorStrategy | UnbuiltStrategy | OrderedStrategy) for one in strategies
    ):
        raise GameError(f"strategies are a sequence of strategies, such as solution.strategies, not {strategies!r:.80}")
    return [row for strategy in strategies for row in _strategy_rows(strategy, game)]


def csv_text(strategies: Sequence[Strategy], game: GameTree | UnbuiltGame | None = None) -> str:
    """Write strategies as comma-separated values: the rows of :func:`strategy_table`."""
    return _csv_text(COLUMNS, strategy_table(strategies, game))


def _strategy_rows(strategy: Strategy, game: GameTree | UnbuiltGame | None) -> Iterable[dict[str, Any]]:
    if not isinstance(strategy, OrderedStrategy):
        return table_rows(strategy)
    if not isinstance(game, UnbuiltGame) or not isinstance(game.rules, OrderedGame):
        raise GameError("strategies of an ordered game are written as rows where the game is known")
    return class_rows(game.rules, strategy)


def equilibria_csv(equilibria: Equilibria) -> str:
    """Write several equilibria as :func:`csv_text` does, between the number and the verdict of each."""
    return _csv_text(equilibria.columns, equilibria.to_rows())


def gambit_text(strategies: Sequence[Strategy]) -> str:
    """Write both strategies as Gambit's command-line tools do: ``NE``, then player 1's probabilities, then 2's."""
    rows = (row for strategy in strategies if isinstance(strategy, BehaviorStrategy) for row in strategy)
    return ",".join(["NE", *(exact_text(p) for row in rows for p in row)]) + "\n"
