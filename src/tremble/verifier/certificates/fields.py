"""The fields that several kinds of certificates have, read with care: whatever is wrong is named by its place."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tremble.exact_numbers import parse_fraction, shorten
from tremble.verifier.budget import listening
from tremble.verifier.context import CheckContext, Problems

__all__ = ["brief", "is_count", "is_object", "read_coefficients", "read_denominators", "read_numbers", "read_weights"]


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


def read_numbers(
    stated: Any,
    where: str,
    size: int,
    of_what: str,
    problems: Problems,
    known: dict[str, Fraction] | None = None,
) -> list[Fraction]:
    """Read exact numbers as text. Each that is none is a problem, and 1 stands in its place."""
    if not isinstance(stated, list | tuple):
        problems.add(f"{where}: not a list of exact numbers as text")
        return []
    if len(stated) != size:
        problems.add(f"{where}: a list of {len(stated):,}, but the number of {of_what} is {size:,}")
        return []
    known = {} if known is None else known
    numbers = []
    for i, text in enumerate(listening(stated)):
        value = known.get(text) if isinstance(text, str) else None
        if value is None:
            try:
                value = known[text] = parse_fraction(text)
            except (TypeError, ValueError) as error:
                reason = error if isinstance(text, str) else "not an exact number as text"
                problems.add(f"{where}[{i}]: {reason}")
                value = Fraction(1)
        numbers.append(value)
    return numbers


def read_denominators(stated: Any, where: str, problems: Problems) -> tuple[int, int]:
    """A positive integer for each player."""
    values = read_numbers(stated, where, 2, "players", problems)
    for player, value in enumerate(values):
        if value <= 0 or value.denominator != 1:
            problems.add(f"{where}[{player}]: a positive integer, not {shorten(value)}")
    return (values[0].numerator, values[1].numerator) if values else (1, 1)


def read_coefficients(context: CheckContext, player: int) -> list[list[int]]:
    """The field ``X`` or ``Y``, by degree and sequence."""
    name = "XY"[player]
    stated, problems = context.solution.certificate[name], context.problems
    if not isinstance(stated, list | tuple) or not stated:
        problems.add(f"certificate.{name}: not a list with a list of integers as text for each degree")
        return []
    size = context.evaluation.sequences[player].num_sequences
    known: dict[str, Fraction] = {}  # most are zero
    rows = []
    for d, row in enumerate(listening(stated)):
        where = f"certificate.{name}[{d}]"
        values = read_numbers(row, where, size, f"sequences of player {player + 1}", problems, known)
        rows.append([value.numerator for value in values])
        for q, value in enumerate(values):
            if value.denominator != 1:
                problems.add(f"{where}[{q}]: an integer, not {shorten(value)}")
    return rows


def read_weights(context: CheckContext, player: int) -> list[Fraction | int]:
    """The weight of the tremble of each action of a player, set by set."""
    stated, problems = context.solution.certificate["trembles"], context.problems
    actions = context.tree.actions[player]
    if stated is None:
        return [1] * sum(map(len, actions))
    where = f"certificate.trembles[{player}]"
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        problems.add(f"{where}: missing; trembles are null or a list for each of the two players")
        return []
    if not isinstance(stated[player], list | tuple) or len(stated[player]) != len(actions):
        problems.add(f"{where}: not a list of {len(actions)}, the number of information sets")
        return []
    weight: list[Fraction | int] = []
    for k, (row, labels) in enumerate(listening(zip(stated[player], actions, strict=True))):
        values = read_numbers(row, f"{where}[{k}]", len(labels), "actions", problems)
        weight.extend(values)
        for j, value in enumerate(values):
            if value <= 0:
                problems.add(f"{where}[{k}][{j}]: the weight of a tremble is positive, not {shorten(value)}")
    return weight
