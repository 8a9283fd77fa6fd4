r"""Certificates of kind `basis`, as plain data. Only this file of the folder reads plain data.

Weights of trembles may be fractions. Let W be their least common denominator, and let :math:`e = \epsilon / W`. A
weight w of order k becomes the integer :math:`W^k w`, because :math:`w\,\epsilon^k = (W^k w)\,e^k`. The functions
return all numbers in terms of e, so they multiply the coefficients of :math:`\epsilon^d` by :math:`W^d`.

Source: "The square system of a basis" in docs/reference/file-formats.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.check.case import Case, ascending
from tremble.check.claim import Wrong, exact, fields, integer, list_of, read_orders, read_weights, rows
from tremble.check.limits import Limits, common_denominator, length_of

CLAIMS = ["weights and regrets listed in `zeros` vanish identically"]
LEAST_BITS, MOST_BITS = 60, 200  # bits of certainty, if the kernel checks zeros at a random point
MOST_ORDER = 1_000  # the greatest order of a tremble
OWN_ORDER = 300  # rows; the certificate of a larger system must state an order of elimination

Pair = tuple[list[int], list[int]]  # a list for each player


@dataclass(frozen=True)
class Classes:
    """Classes of alike sequences, and classes of alike information sets (see the module `system`)."""

    stated: bool  # False if each sequence is a class
    first: Pair  # the first member of the class of each sequence
    first_set: Pair  # the first member of the class of each set, from 0


@dataclass(frozen=True)
class Point:
    """The plans that a certificate states for both players at one value of the infinitesimal e."""

    value: Fraction
    plan: Pair
    denominator: tuple[int, int]


@dataclass(frozen=True)
class Basis:
    """A certificate of kind `basis`: S plan weights as series to order N in e = epsilon / W. The module defines W."""

    slack: tuple[list[bool], list[bool]]  # [S]: may have more than its least weight; False for the empty sequence
    series: tuple[list[list[int]], list[list[int]]]  # [N + 1][S]: the first coefficients of the plan
    denominator: tuple[int, int]  # of the coefficients
    weight: Pair  # [S]: the weight w of the tremble of each sequence; 0 for the empty sequence
    order: Pair  # [S]: the order k of the tremble of each sequence
    zero_weights: tuple[set[int], set[int]]  # slack sequences claimed to have their least weights for all e
    zero_regrets: tuple[set[int], set[int]]  # tight sequences claimed to lose nothing for all e
    certainty: int | None  # in bits, if zeros are checked at a random point
    point: Point
    classes: Classes
    systems: list[tuple[str, Any]]  # for each system, the name and the plain data of its help (see `read_help`)


@dataclass(frozen=True)
class Help:
    """The parts of a certificate that help to prove that a system is regular (has an inverse)."""

    pivots: list[tuple[int, int]] | None  # places of rows and columns, in the order of elimination
    # Combinations of rows: factors by the place of the row. Each combination has a row that no other combination has.
    null_vectors: list[Mapping[int, int]]


def read_basis(case: Case) -> Basis:
    """Read a certificate, except the plain data in `Basis.systems`, which `read_help` reads later."""
    names = ("basis", "X", "Y", "denominator", "epsilon", "trembles", "zeros", "probabilistic", "orders?", "classes?")
    separate = "systems" in case.claim.certificate
    own = ("systems",) if separate else ("pivots", "row_operations")
    stated = fields(case.claim.certificate, ("kind", *names, *own), "certificate")
    if not separate and case.form.constant_sum is None:
        raise Wrong(
            "certificate.systems: missing; the payoffs have no constant sum, so each plan needs a separate system"
        )
    zeros = fields(stated["zeros"], ("weights", "regrets"), "certificate.zeros")
    classes = _read_classes(case, stated.get("classes"))
    weight, order, whole = _read_trembles(case, stated["trembles"], stated.get("orders"))
    series1, series2 = (_read_series(case, player, stated["XY"[player]], whole) for player in (0, 1))
    slack1, slack2 = _read_sequences(case, stated["basis"], "certificate.basis")
    systems = [("certificate", {name: stated[name] for name in own})]
    if separate:
        listed = _both(stated["systems"], "certificate.systems")
        systems = [(f"certificate.systems[{i}]", system) for i, system in enumerate(listed)]
    basis = Basis(
        slack=([q in slack1 for q in range(len(weight[0]))], [q in slack2 for q in range(len(weight[1]))]),
        series=(series1, series2),
        denominator=_read_denominators(stated["denominator"], "certificate.denominator"),
        weight=weight,
        order=order,
        zero_weights=_read_sequences(case, zeros["weights"], "certificate.zeros.weights"),
        zero_regrets=_read_sequences(case, zeros["regrets"], "certificate.zeros.regrets"),
        certainty=_read_certainty(stated["probabilistic"]),
        point=_read_point(case, stated["epsilon"], whole),
        classes=classes,
        systems=systems,
    )
    _check_shape(case, basis)
    return basis


def _read_trembles(case: Case, trembles: Any, orders: Any) -> tuple[Pair, Pair, int]:
    """Read trembles. Return integer weights for the unit e = epsilon / W, the orders, and the integer W."""
    game, where, there = case.game, "certificate.trembles", "certificate.orders"
    given = [read_weights(game, i, _side(trembles, i, where), f"{where}[{i}]") for i in (0, 1)]
    powers = [[0, *read_orders(game, i, _side(orders, i, there), MOST_ORDER, f"{there}[{i}]")] for i in (0, 1)]
    whole = common_denominator((weight.denominator for side in given for weight in side), case.limits, where)
    scaled = []
    for weight, order in zip(given, powers, strict=True):
        for w, k in zip(weight, order[1:], strict=True):
            half = k * whole.bit_length() // 2
            case.limits.charge(where, half, half)  # the last multiplication of the power
            case.limits.charge(where, k * whole.bit_length(), length_of(w))
        scaled.append([0, *(w.numerator * (whole**k // w.denominator) for w, k in zip(weight, order[1:], strict=True))])
    return (scaled[0], scaled[1]), (powers[0], powers[1]), whole


def _read_series(case: Case, player: int, stated: Any, whole: int) -> list[list[int]]:
    """Read the coefficients of a plan, and multiply the coefficients of degree d by whole^d."""
    where, count = f"certificate.{'XY'[player]}", case.form.sequences[player].count
    if not isinstance(stated, list | tuple) or not stated:
        raise Wrong(f"{where}: must be a list that contains a list for each degree")
    numbers = _integers(stated, count, where)
    series = [numbers[i : i + count] for i in range(0, len(numbers), count)]
    power = 1
    for values in series[1:] if whole > 1 else ():
        case.limits.charge(where, power.bit_length(), whole.bit_length())
        power *= whole
        case.limits.charge(where, sum(map(int.bit_length, values)), power.bit_length())
        values[:] = [value * power if value else 0 for value in values]
    return series


def _side(stated: Any, player: int, where: str) -> Any:
    """Return a player's entry in ``stated``, a pair of weights or orders; return None if ``stated`` is missing."""
    if stated is None:
        return None
    side = _both(stated, where)[player]
    if side is None:
        raise Wrong(f"{where}[{player}]: null; state lists for both players, or null for the whole field")
    return side


def _both(stated: Any, where: str) -> Sequence[Any]:
    """Return ``stated`` after a check that it is a list of two values, one for each player."""
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        raise Wrong(f"{where}: must be a list of two values, one for each player")
    return stated


def _integers(stated: Sequence[Any], count: int, where: str) -> list[int]:
    """Read lists of `count` integers each, and return one list. An integer may be a text; convert equal texts once."""
    known: dict[Any, int] = {}
    numbers = rows(stated, [count] * len(stated), where)
    for i, value in enumerate(numbers):
        if type(value) is not str or value not in known:
            known[value] = integer(value, f"{where}[{i // count}][{i % count}]")
    return [known[value] for value in numbers]


def _read_denominators(stated: Any, where: str) -> tuple[int, int]:
    """Read the denominator of each player's plan, a positive integer."""
    player1, player2 = (integer(value, f"{where}[{i}]") for i, value in enumerate(_both(stated, where)))
    if min(player1, player2) <= 0:
        raise Wrong(f"{where}[{int(player1 > 0)}]: must be positive")
    return player1, player2


def _read_point(case: Case, stated: Any, whole: int) -> Point:
    """Read one value of epsilon and the players' plans for it. Return the plans and e = epsilon / `whole`."""
    where, plans = "certificate.epsilon", []
    fields(stated, ("value", "X", "Y", "denominator"), where)
    value = exact(stated["value"], f"{where}.value")
    if value <= 0:
        raise Wrong(f"{where}.value: must be positive")
    case.limits.charge(where, length_of(value), whole.bit_length())
    for player, name in enumerate("XY"):
        numbers = list_of(stated[name], case.form.sequences[player].count, f"{where}.{name}")
        plans.append([integer(value, f"{where}.{name}[{q}]") for q, value in enumerate(numbers)])
    return Point(value / whole, (plans[0], plans[1]), _read_denominators(stated["denominator"], f"{where}.denominator"))


def _read_sequences(case: Case, stated: Any, where: str) -> tuple[set[int], set[int]]:
    """Return a set of sequence numbers for each player; check that the stated lists are ascending and omit 0."""
    sides = []
    for player, side in enumerate(_both(stated, where)):
        sides.append({*ascending(side, f"{where}[{player}]", range(1, case.form.sequences[player].count))})
    return sides[0], sides[1]


def _read_certainty(stated: Any) -> int | None:
    """Return k if zeros are checked with an error probability of 2^-k, or None if zeros need a full proof."""
    where = "certificate.probabilistic"
    if stated is None:
        return None
    fields(stated, ("claims", "k"), where)
    bits = stated["k"]
    if not isinstance(stated["claims"], list | tuple) or list(stated["claims"]) != CLAIMS:
        raise Wrong(f"{where}.claims: must be {CLAIMS}, the only claims that random points can show")
    if type(bits) is not int or not LEAST_BITS <= bits <= MOST_BITS:
        raise Wrong(f"{where}.k: must be an integer from {LEAST_BITS} to {MOST_BITS}")
    return bits


def _read_classes(case: Case, stated: Any) -> Classes:
    """Return each sequence's class. The certificate must number the classes in the order of their first members."""
    first, first_set = [], []
    for player, sequences in enumerate(case.form.sequences):
        where = f"certificate.classes[{player}]"
        members: list[int] = [] if stated is not None else list(range(sequences.count))  # first members
        side = members or list_of(_both(stated, "certificate.classes")[player], sequences.count, where)
        for q, number in enumerate(side if stated is not None else ()):
            if type(number) is not int or not min(q, 1) <= number <= len(members):
                raise Wrong(f"{where}[{q}]: must number classes by first appearance; only the empty sequence has 0")
            members += [q] if number == len(members) else []
        first.append([members[number] for number in side])
        known: dict[int, int] = {}
        # In equitable classes, actions of one class belong to sets of one class. So the least class of the actions at a
        # set identifies the class of the set.
        first_set.append([known.setdefault(min(first[-1][begin:end]), k) for k, _, begin, end in sequences.sets])
    return Classes(stated is not None, (first[0], first[1]), (first_set[0], first_set[1]))


def _check_shape(case: Case, basis: Basis) -> None:
    """Check that the system is square, each set has a sequence in the basis, and no class is partly in the basis."""
    spare = []
    for player, (slack, sequences) in enumerate(zip(basis.slack, case.form.sequences, strict=True)):
        for k, _, begin, end in sequences.sets:
            if True not in slack[begin:end]:
                raise Wrong(f"{case.place(player, k)}: certificate.basis[{player}] must name an action of this set")
        for q, model in enumerate(basis.classes.first[player]):
            if slack[q] != slack[model]:
                raise Wrong(
                    f"certificate.classes[{player}]: sequences {model} and {q} are alike, but only one is in the basis"
                )
        first = {basis.classes.first[player][q] for q in range(len(slack)) if slack[q]}
        spare.append(len(first) - len(set(basis.classes.first_set[player])))
    if spare[0] != spare[1]:
        raise Wrong(
            "certificate.basis: the system is not square; besides one sequence for each information set, the basis "
            f"names {spare[0]} sequences of player 1 and {spare[1]} of player 2; both numbers must be equal"
        )


def read_help(
    where: str, stated: Any, place_of_row: Mapping[int, int], place_of_column: Mapping[int, int], limits: Limits
) -> Help:
    """Read the elimination order and the combinations of rows that help to prove that a system is regular."""
    fields(stated, ("pivots", "row_operations"), where)
    pivots = _read_pivots(stated["pivots"], place_of_row, place_of_column, f"{where}.pivots")
    return Help(pivots, _read_null_vectors(stated["row_operations"], place_of_row, f"{where}.row_operations", limits))


def _read_pivots(
    stated: Any, place_of_row: Mapping[int, int], place_of_column: Mapping[int, int], where: str
) -> list[tuple[int, int]] | None:
    """Read an order of elimination, a list of pairs (row, column). Each row and each column must occur once."""
    size = len(place_of_row)
    if stated is None:
        if size > OWN_ORDER:
            raise Wrong(f"{where}: null, but systems of more than {OWN_ORDER} rows need an order of elimination")
        return None
    numbers = rows(stated, [2] * size, where)
    if not {*map(type, numbers)} <= {int}:
        raise Wrong(f"{where}: must be pairs of a row and a column")
    for what, side, places in (("row", numbers[::2], place_of_row), ("column", numbers[1::2], place_of_column)):
        if missing := {*places} - {*side}:
            raise Wrong(f"{where}: must name each {what} of the system once; {what} {min(missing)} is missing")
    return [(place_of_row[r], place_of_column[c]) for r, c in zip(numbers[::2], numbers[1::2], strict=True)]


def _read_null_vectors(
    stated: Any, place_of_row: Mapping[int, int], where: str, limits: Limits
) -> list[Mapping[int, int]]:
    """Read combinations of rows. Field `row` of a combination must name a row that only this combination contains."""
    if not isinstance(stated, list | tuple):
        raise Wrong(f"{where}: not a list")
    vectors: list[Mapping[int, int]] = []
    own = []
    for i, operation in enumerate(stated):
        here = f"{where}[{i}]"
        limits.tick()
        fields(operation, ("row", "combination"), here)
        if not isinstance(operation["combination"], list | tuple):
            raise Wrong(f"{here}.combination: not a list of pairs of a row and a factor")
        pairs = rows(operation["combination"], [2] * len(operation["combination"]), f"{here}.combination")
        if not all(type(r) is int and r in place_of_row for r in pairs[::2]) or len({*pairs[::2]}) < len(pairs) // 2:
            raise Wrong(f"{here}.combination: must name rows of the system, each at most once")
        factors = [integer(value, f"{here}.combination[{j}][1]") for j, value in enumerate(pairs[1::2])]
        if 0 in factors:
            raise Wrong(f"{here}.combination[{factors.index(0)}][1]: the factor must not be 0")
        if type(operation["row"]) is not int or operation["row"] not in pairs[::2]:
            raise Wrong(f"{here}.row: must be one of the rows in this combination")
        own.append(place_of_row[operation["row"]])
        vectors.append(dict(zip((place_of_row[r] for r in pairs[::2]), factors, strict=True)))
    times = Counter(row for vector in vectors for row in vector)
    for i, row in enumerate(own):
        if times[row] > 1:
            raise Wrong(f"{where}[{i}].row: another combination contains this row, too")
    return vectors
