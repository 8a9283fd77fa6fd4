r"""Honest forgeries of `basis` certificates: plans that solve the equations of a basis, with signs that may be wrong.

Any basis whose square system is regular determines two plans. Here the systems of docs/reference/file-formats.md are
solved at more values of epsilon than the degree of their determinants, and interpolated. The plan at one epsilon is
taken where it is an equilibrium of the perturbed game, if there is such a value: then only the signs of the leading
coefficients are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from math import gcd, lcm
from typing import Any

import flint

__all__ = ["basis_certificates"]

POINTS = (F(1, 2), F(1, 3), F(1, 5), F(1, 8), F(1, 20), F(1, 100), F(1, 1 << 10), F(1, 1 << 20), F(1, 1 << 60))
MOST_SEQUENCES = 24
MOST_DEGREE = 30

Entries = dict[tuple[int, int], dict[int, int]]  # (row, column): coefficient by degree
Polynomial = list[F]
Signs = list[tuple[Polynomial, bool]]  # must be positive over the determinant, or 0 if listed as a zero


@dataclass
class Solved:
    """What one system determines: polynomials over a determinant."""

    plan: list[Polynomial]  # of the first player
    short: dict[int, Polynomial]  # of the second player, by tight sequence
    determinant: Polynomial
    operations: list[dict[str, Any]]  # combinations of rows that vanish at 0
    degree: int  # a bound for all polynomials

    @property
    def order(self) -> int:
        """The order of the determinant at 0."""
        return next(d for d, value in enumerate(self.determinant) if value)

    @property
    def pole(self) -> int:
        """A bound on the pole of the inverse."""
        return self.order - max(len(self.operations) - 1, 0)


def basis_certificates(forger: Any, profile: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield profiles and certificates of bases near the support of a profile.

    For an equilibrium more trembles are tried, to find some that only the leading coefficients refuse.
    """
    plans = [forger.form.plan(player, profile[player]) for player in (0, 1)]
    best = [forger.form.worth(player, plans[1 - player])[0] for player in (0, 1)]
    tries = 4 if sum(best) == sum(forger.form.values(plans)) else 1
    for number in range(tries):
        found = _certificate(forger, profile)
        if found is not None and (number == 0 or found[2]):
            yield found[0], found[1]


def _certificate(forger: Any, profile: Any) -> tuple[Any, dict[str, Any], bool] | None:
    """Return the limit of the plans of a random basis, its certificate, and whether only leading signs are wrong."""
    form, rng = forger.form, forger.rng
    if sum(form.count(player) for player in (0, 1)) > MOST_SEQUENCES:
        return None
    drawn = [forger.trembles(player) for player in (0, 1)]
    if rng.random() < 0.5:  # heavy mistakes of high order outweigh others unless epsilon is small
        drawn = [_heavy(side, rng) for side in profile]
    classes = [list(range(form.count(player))) for player in (0, 1)]
    if rng.random() < 0.3:
        drawn = [([[1] * len(row) for row in side], [[1] * len(row) for row in side]) for side in profile]
        classes = [_classes(form, player, rng) for player in (0, 1)]
    slack = _slack(form, profile, classes, rng)
    flat = [
        [[0, *(value for row in part for value in row)] for part in side]
        for side in drawn
    ]  # fmt: skip
    weights, orders = [side[0] for side in flat], [side[1] for side in flat]
    solved = []
    for one in (0, 1):
        system = _system(form, one, slack, (weights, orders), classes, 1 - one)
        found = None if system is None else _solve(*system)
        if found is None:
            return None
        solved.append(found)
    signs = _signs(form, solved, slack, (weights, orders))
    limit = _limit(form, solved)
    if limit is None:
        return None
    single = form.constant_sum is not None and rng.random() < 0.6
    if single:  # the rows of the system of player 1's payoffs
        system = _system(form, 0, slack, (weights, orders), classes, 0)
        first = None if system is None else _solve(*system)
        if first is None:
            return None
        systems = [first]
    else:
        systems = solved
    zeros: dict[str, list[list[int]]] = {"weights": [[], []], "regrets": [[], []]}
    need = 0
    for (name, player, q), polynomial in signs.items():
        order = next((d for d, value in enumerate(polynomial) if value), None)
        if order is None:
            zeros[name][player].append(q)
        else:
            plan_of = player if name == "weights" else 1 - player
            need = max(need, order - solved[plan_of].order)
    listed = any(zeros["weights"]) or any(zeros["regrets"])
    pole = max(found.pole for found in systems)
    probabilistic = None
    top = need + pole + rng.choice((0, 0, 1, 3))
    if listed and rng.random() < 0.5:
        probabilistic = {"claims": ["weights and regrets listed in `zeros` vanish identically"], "k": 60}
    elif listed:
        top = pole + max(found.degree for found in systems) + max(1, *orders[0], *orders[1])
    series = [_series(found, top) for found in solved]
    if None in series:
        return None
    x, y = (_integers(side) for side in series)  # type: ignore[arg-type]
    value, fits = _point(solved, signs)
    wrong = any(next((c for c in polynomial if c), 0) < 0 for polynomial in signs.values())
    there = [_integers([[_at(p, value) / _at(found.determinant, value) for p in found.plan]]) for found in solved]
    own = [{"pivots": None, "row_operations": found.operations} for found in systems]
    certificate: dict[str, Any] = {
        "kind": "basis",
        "basis": [sorted(side) for side in slack],
        "X": x[0],
        "Y": y[0],
        "denominator": [x[1], y[1]],
        "epsilon": {
            "value": str(value),
            "X": there[0][0][0],
            "Y": there[1][0][0],
            "denominator": [there[0][1], there[1][1]],
        },
        "zeros": zeros,
        "trembles": [[list(map(str, row)) for row in side[0]] for side in drawn],
        "orders": [side[1] for side in drawn],
        "probabilistic": probabilistic,
        **(own[0] if single else {"systems": own}),
    }
    if rng.random() < 0.2 or any(side != list(range(len(side))) for side in classes):
        certificate["classes"] = classes
    return limit, certificate, fits and wrong


def _heavy(rows: Any, rng: Any) -> tuple[list[list[int]], list[list[int]]]:
    """Draw weights that grow with the order of the mistake."""
    orders = [[rng.choice((1, 1, 2, 3)) for _ in row] for row in rows]
    return [[rng.choice((1, 8 ** (order - 1), 40 ** (order - 1))) for order in row] for row in orders], orders


def _classes(form: Any, player: int, rng: Any) -> list[int]:
    """Draw classes of the last actions at some sets, numbered by their first members."""
    follows = {prior for prior, _, _ in form.sets[player]}
    classes, count = [0], 1
    for _, first, end in form.sets[player]:
        merged: int | None = None
        for q in range(first, end):
            if q not in follows and rng.random() < 0.8:
                if merged is not None:
                    classes.append(merged)
                    continue
                merged = count
            classes.append(count)
            count += 1
    return classes


def _slack(form: Any, profile: Any, classes: list[list[int]], rng: Any) -> list[set[int]]:
    """Draw the sequences that may be played more than they must be: equally many classes beyond one for each set."""
    slack: list[set[int]] = [set(), set()]
    spare: list[list[int]] = [[], []]
    for player in (0, 1):
        for (_, first, end), row in zip(form.sets[player], profile[player], strict=True):
            kinds = list(dict.fromkeys(classes[player][first:end]))
            played = list(dict.fromkeys(classes[player][q] for q in range(first, end) if row[q - first]))
            chosen = rng.choice(played)
            slack[player].add(chosen)
            spare[player] += [kind for kind in (played if rng.random() < 0.8 else kinds) if kind != chosen]
    more = min(map(len, spare))
    for player in (0, 1):
        slack[player].update(rng.sample(spare[player], more))
    return [{q for q, kind in enumerate(classes[player]) if q and kind in slack[player]} for player in (0, 1)]


def _system(
    form: Any,
    one: int,
    slack: list[set[int]],
    trembles: tuple[list[list[int]], list[list[int]]],
    classes: list[list[int]],
    payoffs_of: int,
) -> tuple[Entries, list[int], list[int], list[int], dict[int, int]] | None:
    """Return the entries of the square system of one player's plan, with the rows and the columns of its classes.

    Its payoffs are those of `payoffs_of`, negative if that is the other player, as integers without a common divisor.
    """
    two = 1 - one
    weights, orders = trembles
    s1, s2, j1, j2 = form.count(one), form.count(two), len(form.sets[one]), len(form.sets[two])
    sign = 1 if payoffs_of == one else -1
    whole = lcm(*(amounts[payoffs_of].denominator for amounts in form.payoffs.values()))
    amounts = {(pair[one], pair[two]): sign * int(amount[payoffs_of] * whole) for pair, amount in form.payoffs.items()}
    divisor = gcd(*amounts.values()) or 1
    column = {**{("x", q): q for q in range(s1)}, ("v", -1): s1, **{("v", k): s1 + 1 + k for k in range(j2)}}
    column |= {("g", q): s1 + j2 + q for q in range(1, s2) if q not in slack[two]}
    entries: Entries = {}

    def add(row: int, name: tuple[str, int], degree: int, value: int) -> None:
        cell = entries.setdefault((row, column[name]), {})
        cell[degree] = cell.get(degree, 0) + value

    add(0, ("x", 0), 0, 1)
    rows = [0]
    for k, (prior, first, end) in enumerate(form.sets[one], 1):
        rows.append(k)
        add(k, ("x", prior), 0, -1)
        for q in range(first, end):
            add(k, ("x", q), 0, 1)
            if q not in slack[one]:
                rows.append(j1 + q)
                add(j1 + q, ("x", prior), orders[one][q], weights[one][q])
                add(j1 + q, ("x", q), 0, -1)
    base = j1 + s1
    rows += range(base, base + s2)
    add(base, ("v", -1), 0, 1)
    for k, (prior, first, end) in enumerate(form.sets[two]):
        add(base + prior, ("v", k), 0, -1)
        for q in range(first, end):
            add(base + q, ("v", k), 0, 1)
            if q not in slack[two]:
                add(base + q, ("g", q), 0, 1)
                add(base + prior, ("g", q), orders[two][q], -weights[two][q])
    for (r, q), amount in amounts.items():
        add(base + q, ("x", r), 0, -amount // divisor)
    # One row and one column of each class; the column is the sum over the members.
    firsts = [{side.index(kind) for kind in side} for side in classes]
    model = {}
    for (kind, number), c in column.items():
        player = one if kind == "x" else two
        same = kind != "v"
        model[c] = column[kind, classes[player].index(classes[player][number])] if same else c
    kept_rows = [
        r for r in rows
        if r <= j1 or (r < base and r - j1 in firsts[one]) or (r >= base and r - base in firsts[two])
    ]  # fmt: skip
    kept = sorted(set(model.values()))
    if len(kept_rows) != len(kept):
        return None
    merged: Entries = {}
    for (r, c), cell in entries.items():
        target = merged.setdefault((r, model[c]), {})
        for degree, value in cell.items():
            target[degree] = target.get(degree, 0) + value
    plan = [model[column["x", q]] for q in range(s1)]
    short = {q: model[column["g", q]] for q in range(1, s2) if q not in slack[two]}
    return merged, sorted(kept_rows), kept, plan, short


def _solve(entries: Entries, rows: list[int], columns: list[int], plan: list[int], short: dict[int, int]) -> Any:
    """Solve the system for all epsilon, or return None if it is singular or too large."""
    size, row_at = len(rows), {r: i for i, r in enumerate(rows)}
    column_at = {c: i for i, c in enumerate(columns)}
    cells = [(row_at[r], column_at[c], cell) for (r, c), cell in entries.items() if r in row_at]
    tops = [0] * size
    for i, _, cell in cells:
        tops[i] = max(tops[i], *cell)
    degree = sum(tops)
    if degree > MOST_DEGREE:
        return None
    points: list[int] = []
    values: list[list[flint.fmpq]] = []
    point = 0
    right = flint.fmpq_mat(size, 1)
    right[0, 0] = 1
    singular = 0
    while len(points) <= degree:
        point += 1
        matrix = _matrix(cells, size, point)
        determinant = matrix.det()
        if not determinant:
            singular += 1
            if singular > degree:
                return None
            continue
        solution = matrix.solve(right)
        points.append(point)
        wanted = [*plan, *short.values()]
        values.append([determinant, *(solution[column_at[c], 0] * determinant for c in wanted)])
    vandermonde = flint.fmpq_mat(
        len(points), len(points), [flint.fmpq(p) ** d for p in points for d in range(len(points))]
    )
    found = vandermonde.solve(flint.fmpq_mat(len(points), len(values[0]), [v for row in values for v in row]))
    polynomials = [[_fraction(found[d, i]) for d in range(len(points))] for i in range(len(values[0]))]
    at_zero = _matrix(cells, size, 0)
    return Solved(
        polynomials[1 : 1 + len(plan)],
        dict(zip(short, polynomials[1 + len(plan) :], strict=True)),
        polynomials[0],
        _operations(at_zero, rows),
        degree,
    )


def _matrix(cells: Any, size: int, point: int) -> Any:
    matrix = flint.fmpq_mat(size, size)
    for i, j, cell in cells:
        matrix[i, j] = sum(value * point**d for d, value in cell.items())
    return matrix


def _operations(matrix: Any, rows: list[int]) -> list[dict[str, Any]]:
    """Return a basis of the combinations of rows that vanish."""
    reduced, rank = matrix.transpose().rref()
    size = len(rows)
    pivots = [next(j for j in range(size) if reduced[i, j]) for i in range(rank)]
    found = []
    for free in sorted(set(range(size)) - set(pivots)):
        factors = {free: F(1), **{j: -_fraction(reduced[i, free]) for i, j in enumerate(pivots) if reduced[i, free]}}
        whole = lcm(*(factor.denominator for factor in factors.values()))
        pairs = [[rows[j], str(int(factor * whole))] for j, factor in sorted(factors.items())]
        found.append({"row": rows[free], "combination": pairs})
    return found


def _fraction(value: Any) -> F:
    return F(int(value.p), int(value.q))


def _signs(
    form: Any, solved: list[Any], slack: list[set[int]], trembles: Any
) -> dict[tuple[str, int, int], Polynomial]:
    """Return the numerators that must be positive or zero: what is beyond each tremble, and each shortfall.

    They are over the determinant of the system that determines them, made positive.
    """
    weights, orders = trembles
    found = {}
    for player in (0, 1):
        plan, sign = solved[player].plan, _sign(solved[player])
        for prior, first, end in form.sets[player]:
            for q in range(first, end):
                if q in slack[player]:
                    least = [F(0)] * orders[player][q] + [F(weights[player][q]) * value for value in plan[prior]]
                    width = max(len(least), len(plan[q]))
                    beyond: Polynomial = [
                        sign * ((plan[q][d] if d < len(plan[q]) else F(0)) - (least[d] if d < len(least) else F(0)))
                        for d in range(width)
                    ]
                    found["weights", player, q] = beyond
        other = solved[1 - player]
        for q, polynomial in other.short.items():
            found["regrets", player, q] = [_sign(other) * value for value in polynomial]
    return found


def _sign(found: Any) -> int:
    return 1 if found.determinant[found.order] > 0 else -1


def _series(found: Any, top: int) -> list[list[F]] | None:
    """Return the coefficients of the plan from order 0 to `top`; None if there is a pole."""
    shift, determinant = found.order, found.determinant[found.order :]
    columns = []
    for polynomial in found.plan:
        if any(polynomial[:shift]):
            return None
        rest = [*polynomial[shift:], *[F(0)] * (top + 1)]
        values: list[F] = []
        for d in range(top + 1):
            known = sum((determinant[i] * values[d - i] for i in range(1, min(d, len(determinant) - 1) + 1)), F(0))
            values.append((rest[d] - known) / determinant[0])
        columns.append(values)
    return [list(row) for row in zip(*columns, strict=True)]


def _limit(form: Any, solved: list[Any]) -> Any:
    """Return the limits of the behavior of both plans, or None if they are no strategies."""
    sides = []
    for player in (0, 1):
        plan, rows = solved[player].plan, []
        for prior, first, end in form.sets[player]:
            order = next((d for d, value in enumerate(plan[prior]) if value), None)
            if order is None or any(any(plan[q][:order]) for q in range(first, end)):
                return None
            row = [plan[q][order] / plan[prior][order] for q in range(first, end)]
            if min(row) < 0 or sum(row) != 1:
                return None
            rows.append(row)
        sides.append(rows)
    return tuple(sides)


def _point(solved: list[Any], signs: dict[tuple[str, int, int], Polynomial]) -> tuple[F, bool]:
    """Return an epsilon and whether all signs are right there; the last one that is regular if there is none."""
    regular = [value for value in POINTS if all(_at(found.determinant, value) for found in solved)]
    for value in regular:
        flips = {player: _at(found.determinant, value) * _sign(found) > 0 for player, found in enumerate(solved)}
        if all(
            _at(polynomial, value) * (1 if flips[player if name == "weights" else 1 - player] else -1) >= 0
            for (name, player, _), polynomial in signs.items()
        ):
            return value, True
    return regular[-1], False


def _at(polynomial: Sequence[F], point: F) -> F:
    total = F(0)
    for value in reversed(polynomial):
        total = total * point + value
    return total


def _integers(table: Sequence[Sequence[F]]) -> tuple[list[list[str]], str]:
    whole = lcm(*(value.denominator for row in table for value in row))
    return [[str(int(value * whole)) for value in row] for row in table], str(whole)
