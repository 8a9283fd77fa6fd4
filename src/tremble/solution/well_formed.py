"""Whether an object in memory is a solution at all: right types all the way down, so that the checks can rely on them.

What a file holds has been read with the same care (:mod:`tremble.solution.stated`). Whether what is stated is *true* is
not looked at here.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from tremble.errors import CertificateError
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.rules import DefaultRule, UnbuiltStrategy
from tremble.model.strategy import BehaviorStrategy
from tremble.model.table import StrategyTable
from tremble.solution.claim import BeliefRow
from tremble.solution.heading import GameReference, MethodReference, Status

__all__ = ["require_beliefs", "require_strategies", "require_well_formed", "require_well_formed_list"]

_MAX_DEPTH = 64


def require_well_formed(stated: Mapping[str, Any]) -> None:
    """Raise ``CertificateError`` that names the field unless all fields of a solution are of their types.

    Examples
    --------
    >>> require_well_formed({"game": "kuhn"})
    Traceback (most recent call last):
    tremble.errors.CertificateError: game: expected a GameReference, found the str 'kuhn'
    """
    _game(stated.get("game"))
    for name in ("concept", "requested", "version"):
        _text(stated.get(name), name)
    _expect(stated.get("status"), Status, "a Status", "status")
    method = _expect(stated.get("method"), MethodReference, "a MethodReference", "method")
    _text(method.name, "method.name")
    for what, path in ((method.options, "method.options"), (stated.get("certificate"), "certificate")):
        _plain(_expect(what, Mapping, "a mapping", path), path, 0)
    _expect(stated.get("stats"), Mapping, "a mapping", "stats")
    _numbers(stated.get("values"), "values")
    if stated.get("bounds") is not None:
        _numbers(stated["bounds"], "bounds")
    require_strategies(stated.get("strategies"))
    require_beliefs(stated.get("beliefs"))


def require_strategies(strategies: Any) -> None:
    """The same for the strategies of both players, of a game that is built or not."""
    pair = _pair(strategies, "strategies")
    for player, strategy in enumerate(pair):
        if isinstance(strategy, UnbuiltStrategy):
            _rows(strategy, f"strategies[{player}]")
        elif isinstance(strategy, OrderedStrategy):
            _arrays(strategy, f"strategies[{player}]")
        elif isinstance(strategy, BehaviorStrategy):
            StrategyTable.of(strategy)  # tables look after themselves
        elif not isinstance(strategy, StrategyTable):
            _refuse(f"strategies[{player}]", "a strategy", strategy)
    if len(set(map(type, pair))) > 1:
        raise CertificateError("strategies: one is of a tree, the other of a game that is not built")


def require_well_formed_list(listed: Mapping[str, Any], member: type) -> None:
    """The same for all fields of several equilibria, each a ``member``, which looks after itself.

    Examples
    --------
    >>> game = GameReference(None, "a game", None)
    >>> require_well_formed_list({"game": game, "version": "1", "solutions": "x"}, object)
    Traceback (most recent call last):
    tremble.errors.CertificateError: solutions: expected a tuple, found the str 'x'
    """
    _game(listed.get("game"))
    _text(listed.get("version"), "version")
    for k, solution in enumerate(_list(listed.get("solutions"), "solutions")):
        _expect(solution, member, "a solution", f"solutions[{k}]")
    for name, of_player in (("pairs", _position), ("maximal_subsets", _positions)):
        if listed.get(name) is not None:
            for k, pair in enumerate(_list(listed[name], name)):
                for player, given in enumerate(_pair(pair, f"{name}[{k}]")):
                    of_player(given, f"{name}[{k}][{player}]")
    if listed.get("components") is not None:
        for k, component in enumerate(_list(listed["components"], "components")):
            _positions(component, f"components[{k}]")
    if listed.get("unique") is not None:
        _truth(listed["unique"], "unique")
    if listed.get("unique_plans") is not None:
        for player, given in enumerate(_pair(listed["unique_plans"], "unique_plans")):
            _truth(given, f"unique_plans[{player}]")


def require_beliefs(beliefs: Any) -> None:
    """The same for the beliefs of both players; None is none."""
    if beliefs is not None:
        for player, rows in enumerate(_pair(beliefs, "beliefs")):
            for i, row in enumerate(_list(rows, f"beliefs[{player}]")):
                _belief(row, f"beliefs[{player}][{i}]")


def _game(value: Any) -> None:
    game = _expect(value, GameReference, "a GameReference", "game")
    _text(game.title, "game.title")
    for name in ("spec", "digest"):
        _expect(getattr(game, name), str | None, "text", f"game.{name}")


def _position(value: Any, path: str) -> None:
    if type(value) is not int or value < 0:
        _refuse(path, "an integer from 0", value)


def _positions(value: Any, path: str) -> None:
    for k, position in enumerate(_list(value, path)):
        _position(position, f"{path}[{k}]")


def _truth(value: Any, path: str) -> None:
    if not isinstance(value, bool):
        _refuse(path, "True or False", value)


def _refuse(path: str, expected: str, found: Any) -> NoReturn:
    kind = type(found).__name__
    simple = isinstance(found, str | float) or (isinstance(found, int) and abs(found) < 2**64)
    what = kind if found is None else f"the {kind} {found!r:.60}" if simple else f"a {kind}"
    raise CertificateError(f"{path}{': ' if path else ''}expected {expected}, found {what}")


def _expect(value: Any, kind: Any, expected: str, path: str) -> Any:
    """The value, which must be of the kind, a type or several; an integer is not meant by a bool."""
    if not isinstance(value, kind) or isinstance(value, bool):
        _refuse(path, expected, value)
    return value


def _text(value: Any, path: str) -> None:
    _expect(value, str, "text", path)


def _number(value: Any, path: str) -> None:
    _expect(value, int | Fraction, "a Fraction or an int", path)
    if not type(value.numerator) is type(value.denominator) is int:
        _refuse(path, "a Fraction of Python's integers, which cannot overflow", value.numerator)


def _list(value: Any, path: str) -> list[Any] | tuple[Any, ...]:
    found: list[Any] | tuple[Any, ...] = _expect(value, list | tuple, "a tuple", path)
    return found


def _pair(value: Any, path: str) -> list[Any] | tuple[Any, ...]:
    found = _list(value, path)
    if len(found) != 2:
        raise CertificateError(f"{path}: expected one for each of the two players, found {len(found):,}")
    return found


def _numbers(value: Any, path: str) -> None:
    for i, number in enumerate(_pair(value, path)):
        _number(number, f"{path}[{i}]")


def _plain(value: Any, path: str, depth: int) -> None:
    """Plain data: what a solution file can hold."""
    if isinstance(value, str):  # nearly all of it
        return
    if depth > _MAX_DEPTH:
        raise CertificateError(f"{path[:200]}: nested more than {_MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                _refuse(f"{path}: a field", "text as its name", key)
            _plain(item, f"{path}.{key:.60}", depth + 1)
    elif isinstance(value, list | tuple):
        if set(map(type, value)) == {int} and depth < _MAX_DEPTH:
            return
        for i, item in enumerate(value):
            if not isinstance(item, str):
                _plain(item, f"{path}[{i}]", depth + 1)
    elif value is not None and not isinstance(value, int | float | Fraction | np.bool_ | np.integer | np.floating):
        _refuse(path, "plain data", value)


def _rows(strategy: UnbuiltStrategy, path: str) -> None:
    if type(strategy.player) is not int or strategy.player not in (0, 1):
        _refuse(f"{path}.player", "0 or 1", strategy.player)
    if not isinstance(strategy.default, DefaultRule) or not isinstance(strategy.default.rule, str):
        _refuse(f"{path}.default", "a DefaultRule", strategy.default)
    _expect(strategy.rows, Mapping, "a mapping", f"{path}.rows")
    for key, row in strategy.rows.items():
        _text(key, f"{path}.rows: a key")
        where = f"{path}.rows[{key!r:.100}]"
        for entry in _list(row, where):
            if not isinstance(entry, list | tuple) or len(entry) != 2:
                _refuse(where, "pairs of an action and its probability", entry)
            _text(entry[0], where)
            if not isinstance(entry[1], float):  # which is no exact number, as the verifier says
                _number(entry[1], where)


def _arrays(strategy: OrderedStrategy, path: str) -> None:
    for name in ("player", "denominator"):
        _expect(getattr(strategy, name), int, "an integer", f"{path}.{name}")
    for number, classes in enumerate(_list(strategy.class_of, f"{path}.class_of")):
        where = f"{path}.class_of[{number}]"
        if not isinstance(classes, np.ndarray) or classes.dtype.kind != "i" or classes.ndim != 1:
            _refuse(where, "an array of integers with one dimension", classes)
    for number, weight in enumerate(_list(strategy.weight, f"{path}.weight")):
        where = f"{path}.weight[{number}]"
        if not isinstance(weight, np.ndarray) or weight.ndim != 3:
            _refuse(where, "an array with three dimensions", weight)
        if weight.dtype != np.int64 and not (weight.dtype == object and all(type(w) is int for w in weight.flat)):
            _refuse(where, "an array of int64 or of Python integers", weight)


def _belief(row: Any, path: str) -> None:
    _expect(row, BeliefRow, "a BeliefRow", path)
    _expect(row.infoset, int, "an integer", f"{path}.infoset")
    for j, node in enumerate(_list(row.nodes, f"{path}.nodes")):
        where = f"{path}.nodes[{j}]"
        if not isinstance(node, list | tuple) or len(node) != 2:
            _refuse(where, "a pair of a path and a probability", node)
        for step in _list(node[0], f"{where}[0]"):
            _text(step, f"{where}[0]")
        _number(node[1], f"{where}[1]")
