"""What certificates of several kinds have: fields that are written as values, and read from values or from text.

They are read with care: whatever is wrong is named by its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, ClassVar, Literal

from tremble.game.tree import GameTree
from tremble.numbers import parse_fraction, shorten
from tremble.verifier.budget import listening
from tremble.verifier.context import CheckContext, Problems

__all__ = [
    "ANY",
    "NO_MISTAKES",
    "Certificate",
    "Plans",
    "Rows",
    "brief",
    "by_action",
    "exact",
    "is_count",
    "is_object",
    "plain_coefficients",
    "read_coefficients",
    "read_denominators",
    "read_numbers",
    "read_orders",
    "read_rows",
    "read_trembles",
    "words",
]

Rows = Sequence[Any]
"""A value for each action: [player][information set][action]; ``ANY`` or ``NO_MISTAKES`` may stand for a player's."""


class Certificate:
    """How a claim is to be proven: methods state it as plain data, and the checker reads it from there.

    The fields are explained in ``docs/reference/file-formats.md``. Exact numbers are Fractions, in files text.
    """

    kind: ClassVar[str]

    @classmethod
    def is_kind_of(cls, stated: Mapping[str, Any]) -> bool:
        """Whether plain data name this kind."""
        return bool(stated.get("kind") == cls.kind)

    @classmethod
    def is_stated(cls, context: CheckContext, otherwise: str, *fields: str) -> bool:
        """Whether a certificate of this kind with these fields is stated; else problems say so, and ``otherwise``."""
        stated, problems = context.solution.certificate, context.problems
        if not cls.is_kind_of(stated):
            problems.add(f"certificate.kind: {brief(stated['kind']) if 'kind' in stated else 'missing'}; {otherwise}")
            return False
        return is_object(stated, ("kind", *fields), "certificate", problems)


def is_object(stated: Any, fields: tuple[str, ...], where: str, problems: Problems) -> bool:
    """Whether it is an object with these fields and no others."""
    before = len(problems)
    if not hasattr(stated, "keys"):
        problems.add(f"{where}: not an object with the fields {', '.join(fields)}")
        return False
    for key in stated:
        if key not in fields:
            problems.add(f"{where}.{str(key)[:60]}: there is no such field")
    for key in fields:
        if key not in stated:
            problems.add(f"{where}.{key}: missing")
    return len(problems) == before


def is_count(value: Any) -> bool:
    """Whether it is an integer, and no bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def brief(value: Any) -> str:
    """A wrong value, as messages show it."""
    try:
        return repr(value)[:40]
    except ValueError:  # more digits than Python writes
        return "a huge number"


def exact(given: Any) -> Fraction:
    """An exact number, a Fraction of Python's integers or text; else ``TypeError`` or ``ValueError``."""
    return given if type(given) is Fraction and _is_sound(given) else parse_fraction(given)


def _is_sound(given: Fraction) -> bool:
    return type(given.numerator) is type(given.denominator) is int and given.denominator > 0


def read_numbers(
    stated: Any,
    where: str,
    size: int,
    of_what: str,
    problems: Problems,
    known: dict[str, Fraction] | None = None,
) -> list[Fraction]:
    """Read exact numbers. Each that is none is a problem, and 1 stands in its place."""
    if not isinstance(stated, list | tuple):
        problems.add(f"{where}: not a list of exact numbers as text")
        return []
    if len(stated) != size:
        problems.add(f"{where}: a list of {len(stated):,}, but the number of {of_what} is {size:,}")
        return []
    if set(map(type, stated)) == {Fraction}:  # of methods; many are one object
        each = {id(given): given for given in listening(stated)}
        if all(map(_is_sound, listening(each.values()))):
            return list(stated)
    known = {} if known is None else known
    numbers = []
    for i, given in enumerate(listening(stated)):
        value = known.get(given) if isinstance(given, str) else None
        if value is None:
            try:
                value = exact(given)
            except (TypeError, ValueError) as error:
                reason = error if isinstance(given, str) else "not an exact number as text"
                problems.add(f"{where}[{i}]: {reason}")
                value = Fraction(1)
            else:
                if isinstance(given, str):
                    known[given] = value
        numbers.append(value)
    return numbers


def read_denominators(stated: Any, where: str, problems: Problems) -> tuple[int, int]:
    """A positive integer for each player."""
    values = read_numbers(stated, where, 2, "players", problems)
    for player, value in enumerate(values):
        if value <= 0 or value.denominator != 1:
            problems.add(f"{where}[{player}]: a positive integer, not {shorten(value)}")
    return (values[0].numerator, values[1].numerator) if values else (1, 1)


@dataclass(frozen=True, eq=False)
class Plans:
    """The fields ``X``, ``Y`` and ``denominator``: a plan of each player, in powers of an infinitesimal.

    Sequence 0 is the empty one, then come information sets by number and actions in tree order.
    """

    coefficient: tuple[list[list[int]], list[list[int]]]  # of each player, [degree][sequence]
    denominator: tuple[int, int]

    @classmethod
    def of(cls, plans: tuple[Any, Any]) -> Plans:
        """Those of solvers, such as :class:`tremble.game.strategy.TremblingPlan`."""
        plan1, plan2 = plans
        return cls((plan1.coefficient.tolist(), plan2.coefficient.tolist()), (plan1.denominator, plan2.denominator))

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        x, y = map(plain_coefficients, self.coefficient)
        return {"X": x, "Y": y, "denominator": list(map(Fraction, self.denominator))}

    @classmethod
    def read(cls, certificate: Mapping[str, Any], tree: GameTree, problems: Problems) -> Plans:
        """Those of a certificate that has these fields; what is wrong are problems."""
        rows1, rows2 = (read_coefficients(certificate["XY"[i]], tree, i, problems) for i in (0, 1))
        return cls((rows1, rows2), read_denominators(certificate["denominator"], "certificate.denominator", problems))


def plain_coefficients(rows: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """The field ``X`` or ``Y`` as plain data; few of the many numbers are different, as a rule."""
    known = {value: Fraction(value) for row in rows for value in set(row)}
    return [[known[value] for value in row] for row in rows]


def read_coefficients(stated: Any, tree: GameTree, player: int, problems: Problems) -> list[list[int]]:
    """The field ``X`` or ``Y``: rows with an integer for each sequence."""
    name = "XY"[player]
    if not isinstance(stated, list | tuple) or not stated:
        problems.add(f"certificate.{name}: not a list of lists with an integer as text for each sequence")
        return []
    size = 1 + tree.num_slots[player]
    known: dict[str, Fraction] = {}  # most are zero
    rows = []
    for d, row in enumerate(listening(stated)):
        where = f"certificate.{name}[{d}]"
        values = read_numbers(row, where, size, f"sequences of player {player + 1}", problems, known)
        each = {id(value): value for value in values}
        whole = {key: value.numerator for key, value in each.items()}
        rows.append([whole[id(value)] for value in values])
        if any(value.denominator != 1 for value in each.values()):
            for q, value in enumerate(values):
                if value.denominator != 1:
                    problems.add(f"{where}[{q}]: an integer, not {shorten(value)}")
    return rows


def read_rows(
    context: CheckContext, name: str, read_row: Callable[[Any, int, str, Problems], list[Any]]
) -> Rows | None:
    """A field that is null or has a row for each information set, which is read with its width and place.

    It is null as well if it is left out. Where a word stands for those of a player, it is kept.
    """
    stated, problems = context.solution.certificate.get(name), context.problems
    if stated is None:
        return None
    sides: list[Any] = [[], []]
    for player, actions in enumerate(context.tree.actions):
        where = f"certificate.{name}[{player}]"
        if not isinstance(stated, list | tuple) or len(stated) != 2:
            problems.add(f"{where}: missing; {name} are null or a list for each of the two players")
        elif isinstance(stated[player], str) and stated[player] in (ANY, NO_MISTAKES):
            sides[player] = stated[player]
        elif not isinstance(stated[player], list | tuple) or len(stated[player]) != len(actions):
            problems.add(f"{where}: not a list of {len(actions)}, the number of information sets")
        else:
            for k, (row, labels) in enumerate(listening(zip(stated[player], actions, strict=True))):
                sides[player].append(read_row(row, len(labels), f"{where}[{k}]", problems))
    return sides


ANY: Literal["any"] = "any"
"""Stands for trembles of no given form, of both players or of one."""

NO_MISTAKES: Literal["none"] = "none"
"""Stands for the trembles of a player who makes no mistakes."""


_MOST = 10**18  # orders are below it, so that their sums stay short


def read_trembles(context: CheckContext) -> Rows | None:
    """The field ``trembles``: the weight of the tremble of each action; None if all are 1."""
    return read_rows(context, "trembles", _read_weights)


def read_orders(context: CheckContext, trembles: Rows | None) -> Rows | None:
    """The field ``orders``: the power of the infinitesimal of each tremble; None if all are 1.

    Where a word stands for the trembles of a player, it stands for its orders as well.
    """
    orders = read_rows(context, "orders", _read_orders)
    if orders is not None and words(orders) != words(trembles):
        context.problems.add(
            "certificate.orders: a word stands for both the trembles and the orders of a player, or for none"
        )
    return orders


def words(rows: Rows | None) -> dict[int, str]:
    """The players for whose rows a word stands, and the word."""
    return {player: side for player, side in enumerate(rows or ()) if isinstance(side, str)}


def _read_orders(stated: Any, width: int, where: str, problems: Problems) -> list[int]:
    """The orders of the trembles at one set."""
    if not isinstance(stated, list | tuple) or len(stated) != width:
        problems.add(f"{where}: not a list of {width}, the number of actions")
        return []
    for j, value in enumerate(stated):
        if not is_count(value) or not 1 <= value < _MOST:
            problems.add(f"{where}[{j}]: the order of a tremble is a positive integer, not {brief(value)}")
    return list(stated)


def _read_weights(stated: Any, width: int, where: str, problems: Problems) -> list[Fraction]:
    values = read_numbers(stated, where, width, "actions", problems)
    for j, value in enumerate(values):
        if value <= 0:
            problems.add(f"{where}[{j}]: the weight of a tremble is positive, not {shorten(value)}")
    return values


def by_action(rows: Rows | None, tree: GameTree, player: int) -> list[Any]:
    """The rows of a player one after the other; 1 for each action if there are none."""
    if rows is None or isinstance(rows[player], str):
        return [1] * tree.num_slots[player]
    return list(chain.from_iterable(rows[player]))
