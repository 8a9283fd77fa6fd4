"""Compare the kernel with the old verifier: proper, normal-form perfect, backward induction, dominance and replies.

Run `python tests/check/side_by_side_k2.py SEED MUTATIONS`. It makes solutions, changes numbers in them, and forges
claims in which every derived number is right and only the concept may be false. It prints each difference of verdicts.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction as F
from math import lcm
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1])]
import tremble  # noqa: E402
from check.claims import claim_of, strategy_of  # noqa: E402
from check.side_by_side import FIELDS, extra_of  # noqa: E402
from hand_made import chain, random_game, random_profile  # noqa: E402
from tremble.check import Limits, check  # noqa: E402
from tremble.check import tree as trees  # noqa: E402
from tremble.check.best_response import evaluate  # noqa: E402
from tremble.results import certification  # noqa: E402
from tremble.solution.heading import Status  # noqa: E402
from tremble.solution.stated import StatedSolution  # noqa: E402

NAMES = {f.name for f in dataclasses.fields(StatedSolution)}


def stated(solution: Any, **changes: Any) -> StatedSolution:
    """Return the document of a solution with some fields replaced."""
    return StatedSolution(**{**{name: getattr(solution, name) for name in NAMES}, **changes})


# -- games -----------------------------------------------------------------------------------------------


def perfect_information(seed: int) -> Any:
    """Return a random tree whose information sets are single nodes, with many ties and some impossible moves."""
    rng, builder = random.Random(seed), tremble.TreeBuilder(title=f"perfect information {seed}")
    zero_sum = rng.random() < 0.5

    def grow(depth: int, place: str) -> None:
        if not depth or rng.random() < 0.15:
            pay = rng.randint(-1, 1)
            builder.leaf(pay, -pay if zero_sum else rng.randint(-1, 1))
            return
        mover, labels = rng.choice((0, 0, 1, 1, None)), "abc"[: rng.choice((1, 2, 2, 3))]
        if mover is None:
            shares = [rng.choice((0, 1, 1, 3)) for _ in labels]
            total = sum(shares)
            builder.chance(labels, [F(s, total) for s in shares] if total else [F(1), *[F(0)] * (len(labels) - 1)])
        else:
            builder.decision(mover, place, labels)
        for action in labels:
            grow(depth - 1, place + action)

    grow(rng.choice((3, 4, 5)), "at ")
    return builder.finish()


def games_of(seed: int) -> list[Any]:
    """Return named games, random trees and random matrix games."""
    rng = random.Random(seed)
    found = [tremble.load(n) for n in ("kuhn", "beer_quiche", "matching_pennies", "battle_outside", "guess_the_ace")]
    found += [chain(n) for n in (3, 9, 40)]
    found += [g for g in (perfect_information(seed * 100 + i) for i in range(14)) if g.num_nodes < 150]
    for i in range(24):
        g = random_game(seed * 1000 + i, rng.choice((3, 4, 5)), zero_sum=i % 3 > 0)
        if g.num_nodes < 250:
            if i % 2 and g.zero_sum:
                payoff = g.payoff % 3
                payoff[:, 1] = -payoff[:, 0]
                g = dataclasses.replace(g, payoff=payoff, payoff_denominator=1, spec=None)
            found.append(g)
    for i in range(12):
        m, n, most = rng.randint(1, 4), rng.randint(1, 4), rng.choice((1, 2, 3))
        one, two = ([[rng.randint(0, most) for _ in range(n)] for _ in range(m)] for _ in "ab")
        found.append(tremble.matrix_game(one) if i % 2 else tremble.matrix_game(one, two))
    return found


# -- honest forgeries --------------------------------------------------------------------------------------


class Honest:
    """Claims about a profile in which every derived number is right."""

    def __init__(self, game: Any, profile: Any, rng: random.Random) -> None:
        self.game, self.rng = game, rng
        self.base = certification(game, profile, "nash").solution
        self.limits = Limits.for_game(game.num_nodes)
        self.form = trees.sequence_form(game, self.limits)
        self.outcome = evaluate(self.form, tuple(map(strategy_of, self.base.tables)), self.limits)

    def claim(self, concept: str, certificate: Any, *, marked: bool = False) -> StatedSolution:
        tables = (
            self.base.tables
            if marked
            else [dataclasses.replace(t, off_path=t.off_path & False) for t in self.base.tables]
        )
        values = self.base.verification.values
        return stated(
            self.base, concept=concept, requested=concept, certificate=certificate, strategies=tuple(tables),
            status=Status.CERTIFIED, values=values, refutation=None,
            bounds=None if self.base.verification.bounds is None else (values[0], values[0]),
        )  # fmt: skip

    def costs(self, player: int) -> list[int]:
        """Return the cost of each sequence, worked out anew: the loss along it."""
        worth, cost = self.outcome[player].worth, [0] * self.form.sequences[player].count
        for _, prior, a, b in self.form.sequences[player].sets:
            best = max(w[0] for w in worth[a:b])
            for q in range(a, b):
                cost[q] = cost[prior] + best - worth[q][0]
        return cost

    def mixed(self, player: int, allowed: list[bool], *, random_shares: bool = False) -> list[int]:
        """Return a plan that plays all allowed sequences, times an integer."""
        sequences = self.form.sequences[player]
        plan = [F(1)] + [F(0)] * (sequences.count - 1)
        for _, prior, a, b in sequences.sets:
            share = [self.rng.randint(1, 4) if random_shares else 1 for _ in range(a, b)]
            share = [s if allowed[q] else 0 for q, s in zip(range(a, b), share, strict=True)]
            for q, s in zip(range(a, b), share, strict=True):
                if plan[prior]:
                    plan[q] = plan[prior] * s / sum(share)
        whole = lcm(*(p.denominator for p in plan))
        return [int(p * whole) for p in plan]

    def pure(self, player: int, allowed: list[bool]) -> list[int]:
        """Return a random pure plan of allowed sequences."""
        sequences = self.form.sequences[player]
        plan = [1] + [0] * (sequences.count - 1)
        for _, prior, a, b in sequences.sets:
            if plan[prior]:
                plan[self.rng.choice([q for q in range(a, b) if allowed[q]])] = 1
        return plan

    def normal_form_perfect(self) -> Iterator[StatedSolution]:
        for _ in range(3):
            plans = [self.mixed(i, [True] * self.form.sequences[i].count, random_shares=True) for i in (0, 1)]
            x, y = ([list(map(str, plan))] for plan in plans)
            certificate = {"kind": "polynomials", "X": x, "Y": y, "denominator": [x[0][0], y[0][0]], "trembles": "any"}
            yield self.claim("normal-form-perfect", certificate, marked=self.rng.random() < 0.5)
        plans = [self.near_equilibrium(i) for i in (0, 1)]
        x, y = ([list(map(str, row)) for row in plan] for plan in plans)
        certificate = {"kind": "polynomials", "X": x, "Y": y, "denominator": [x[0][0], y[0][0]], "trembles": "any"}
        yield self.claim("normal-form-perfect", certificate)

    def near_equilibrium(self, player: int) -> list[list[int]]:
        """Return a polynomial plan whose constant part is the player's, and whose next one is completely mixed."""
        own = self.outcome[player].plan
        other = self.mixed(player, [True] * self.form.sequences[player].count, random_shares=True)
        constant = [w * other[0] for w in own.weight]
        return [constant, [m * own.denominator - c for m, c in zip(other, constant, strict=True)]]

    def proper(self) -> Iterator[StatedSolution]:
        def levels(player: int, *, drop: bool = False) -> list[list[str]]:
            cost = self.costs(player)
            found = [self.mixed(player, [c <= t for c in cost]) for t in sorted(set(cost))]
            return [list(map(str, plan)) for plan in (found[: max(1, len(found) - 1)] if drop else found)]

        for drops in ((False, False), (True, False), (False, True)):
            x, y = (levels(i, drop=drops[i]) for i in (0, 1))
            yield self.claim("proper", {"kind": "ranked-plans", "X": x, "Y": y}, marked=self.rng.random() < 0.5)
        everything = [[list(map(str, self.mixed(i, [True] * self.form.sequences[i].count)))] for i in (0, 1)]
        yield self.claim("proper", {"kind": "ranked-plans", "X": everything[0], "Y": everything[1]})
        if all(len(s.sets) < 2 for s in self.form.sequences):  # one-shot: pure actions in a random order
            for _ in range(6):
                sides = []
                for i in (0, 1):
                    count = self.form.sequences[i].count
                    order = self.rng.sample(range(1, count), count - 1)
                    if self.rng.random() < 0.6:
                        worth = self.outcome[i].worth
                        order.sort(key=lambda q: -worth[q][0])
                    sides.append([[("1" if q in (0, r) else "0") for q in range(count)] for r in order] or [["1"]])
                yield self.claim("proper", {"kind": "ranked-plans", "X": sides[0], "Y": sides[1]})

    def dominated(self) -> Iterator[StatedSolution]:
        for _ in range(6):
            player = self.rng.randrange(2)
            own, sequences = self.outcome[player].plan, self.form.sequences[player]
            to = (
                self.pure(player, [True] * sequences.count)
                if self.rng.random() < 0.8
                else self.mixed(player, [True] * sequences.count)
            )
            change = [p * own.denominator - to[0] * w for p, w in zip(to, own.weight, strict=True)]
            cost = self.rng.choice([None, *sorted(set(self.costs(1 - player)))])
            refutation: dict[str, Any] = {
                "concept": self.rng.choice(("proper", "proper", "normal-form-perfect")),
                "kind": "dominated",
                "player": player + 1,
                "deviation": [[q, str(d)] for q, d in enumerate(change) if d],
            }
            if cost is not None:
                unit = self.form.denominator * own.denominator
                refutation["cost"] = str(F(cost, unit) + self.rng.choice((F(0), F(0), F(-1, 10**9), F(1, 10**9))))
            yield stated(self.base, refutation=refutation)

    def reply(self) -> Iterator[StatedSolution]:
        for player in (0, 1):
            for k in range(len(self.form.sequences[player].sets)):
                refutation = {
                    "concept": "one-sided-quasi-perfect",
                    "kind": "reply",
                    "player": player + 1,
                    "infoset": k + 1,
                }
                yield stated(self.base, refutation=refutation)

    def backward_induction(self) -> Iterator[StatedSolution]:
        for concept in ("perfect", "quasi-perfect"):
            for _ in range(2):
                weights: Any = None
                if self.rng.random() < 0.6:
                    draw = ("1", "2", "1/3", "5")
                    weights = [[[self.rng.choice(draw) for _ in row] for row in side] for side in self.game.actions]
                yield self.claim(concept, {"kind": "backward-induction", "trembles": weights})

    def __iter__(self) -> Iterator[StatedSolution]:
        yield from self.normal_form_perfect()
        yield from self.proper()
        yield from self.dominated()
        yield from self.reply()
        yield from self.backward_induction()


def induced(game: Any, rng: random.Random) -> Any:
    """Return a subgame perfect profile of a game of perfect information, with ties broken at random."""
    worth: list[Any] = [None] * game.num_nodes
    rows: list[list[Any]] = [[None] * n for n in game.num_infosets]
    for node in reversed(range(game.num_nodes)):
        mover, k, below = int(game.player[node]), int(game.infoset[node]), [worth[c] for c in game.children(node)]
        if not below:
            worth[node] = tuple(F(int(u)) for u in game.payoff[k])
        elif mover < 0:
            shares = game.chance_tables[k].probabilities
            worth[node] = tuple(sum(p * u[i] for p, u in zip(shares, below, strict=True)) for i in (0, 1))
        else:
            best = max(u[mover] for u in below)
            a = rng.choice([a for a, u in enumerate(below) if u[mover] == best])
            worth[node], rows[mover][k] = below[a], [F(a == b) for b in range(len(below))]
    return tuple(tremble.BehaviorStrategy.from_rows(game, i, rows[i]) for i in (0, 1))


# -- mutations -------------------------------------------------------------------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list) and value:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    else:
        yield path


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def mutated(document: dict[str, Any], rng: random.Random) -> dict[str, Any] | None:
    """Return a copy with one change in the certificate, the refutation, a row or a field; None if nothing changes."""
    d = copy.deepcopy(document)
    part = rng.choice(
        ("certificate", "certificate", "refutation", "refutation", "strategies", "values", "flow", "swap", "field")
    )
    if part == "swap":
        kinds = ("normal-form-perfect", "proper", "perfect", "quasi-perfect", "one-sided-quasi-perfect", "nash")
        (d["refutation"] if d.get("refutation") and rng.random() < 0.5 else d)["concept"] = rng.choice(kinds)
    elif part == "field":
        target = d.get("refutation") if d.get("refutation") and rng.random() < 0.5 else d["certificate"]
        key = rng.choice([*target, "extra"])
        if rng.random() < 0.5:
            target.pop(key, None)
        else:
            target[key] = rng.choice((None, [], {}, 7, "x", "any", [[]], [None, None], True, 1.5))
    elif part == "strategies":
        rows = [row for side in d["strategies"] for row in side]
        if not rows:
            return None
        row = rng.choice(rows)
        if rng.random() < 0.2:
            row["off_path"] = not row.pop("off_path", False)
            if not row["off_path"]:
                del row["off_path"]
        else:
            weights = [rng.choice((0, 0, 1, 1, 2)) for _ in row["actions"]]
            weights[rng.randrange(len(weights))] += 1
            for action, w in zip(row["actions"], weights, strict=True):
                action[1] = str(F(w, sum(weights)))
    elif part == "flow":  # move weight between two actions of a set in one plan
        plans = d["certificate"].get(rng.choice("XY"))
        if not plans or not isinstance(plans, list):
            return None
        plan = rng.choice(plans)
        i, j = rng.randrange(len(plan)), rng.randrange(len(plan))
        plan[i], plan[j] = str(int(plan[i]) + 1), str(int(plan[j]) - 1)
    else:
        if not d.get(part):
            return None
        path = rng.choice(list(leaves(d[part])))
        if not path:
            return None
        value, holder = at(d[part], path), at(d[part], path[:-1])
        if isinstance(value, str) and path[-1] not in ("kind", "concept"):
            try:
                x = F(value)
            except ValueError:
                return None
            holder[path[-1]] = str(rng.choice((x + 1, x - 1, -x, 2 * x, x / 2, F(0), F(1), x + F(1, 7))))
            if rng.random() < 0.05:
                holder[path[-1]] = rng.choice(("1.0", "2/4", "", "-0", "0x10", "1e5", " 1"))
        elif isinstance(value, int):
            holder[path[-1]] = rng.choice((value + 1, value - 1, 0, str(value)))
        elif isinstance(holder, list) and rng.random() < 0.5:
            holder.pop()
    return d if d != document else None


# -- comparison ------------------------------------------------------------------------------------------


def main(seed: int, mutations: int) -> int:
    """Return the number of unexplained differences."""
    warnings.simplefilter("ignore")
    rng, count, differences = random.Random(seed), Counter[Any](), 0
    pool: list[tuple[Any, StatedSolution]] = []

    def compare(game: Any, solution: StatedSolution, what: str) -> None:
        nonlocal differences
        if solution.certificate.get("kind") == "basis":
            count["left out", "basis"] += 1
            return
        old = tremble.verify(game, solution)
        try:
            new = check(game, claim_of(solution), None, extra_of(solution))
        except Exception as error:  # the script reports crashes
            print("CRASH", game.title, type(error), error, solution.certificate, solution.refutation)
            differences += 1
            return
        kind = str((solution.refutation or solution.certificate).get("kind"))
        count[what, solution.concept, kind, "accepted" if old.ok else "refused"] += 1
        if any(getattr(old, field) != getattr(new, field) for field in FIELDS):
            differences += 1
            print("DIFFERENCE", what, game.title, solution.concept, kind)
            print("  old", old.ok, old.disproven, old.problems[:2])
            print("  new", new.ok, new.disproven, new.problems[:2])
            print(" ", str(solution.certificate)[:300], str(solution.refutation)[:300])

    for game in games_of(seed):
        profiles = [random_profile(game, rng.randrange(10**6), limit=2) for _ in range(2)]
        if sum(game.num_infosets) == (game.player >= 0).sum():
            profiles += [induced(game, rng) for _ in range(6)]
        with contextlib.suppress(tremble.TrembleError):
            profiles += [m.strategies for m in list(tremble.all_equilibria(game, time_limit=1))[:5]]
        for concept in ("normal-form-perfect", "proper", "perfect", "quasi-perfect"):
            try:
                solution = tremble.solve(game, concept, time_limit=3)
            except tremble.TrembleError:
                continue
            pool.append((game, solution))
            profiles.append(solution.strategies)
        for profile in profiles:
            for concept in ("normal-form-perfect", "proper", "perfect"):
                try:
                    pool.append((game, certification(game, profile, concept, time_limit=2).solution))
                except tremble.TrembleError:
                    continue
            for solution in Honest(game, profile, rng):
                compare(game, solution, "honest")
                if rng.random() < 0.1:
                    pool.append((game, solution))
    for game, solution in pool:
        compare(game, solution, "own")
    done = 0
    documents = [(game, json.loads(solution.to_text())) for game, solution in pool]
    while done < mutations:
        game, document = rng.choice(documents)
        changed = mutated(document, rng)
        if changed is None:
            continue
        try:
            solution = StatedSolution.from_text(json.dumps(changed))
        except tremble.TrembleError:
            count["refused by the reader"] += 1
            continue
        done += 1
        compare(game, solution, "mutated")
    for key, n in sorted(count.items(), key=str):
        print(n, key)
    print(sum(count.values()), "claims,", differences, "differences")
    return differences


if __name__ == "__main__":
    sys.exit(min(1, main(int(sys.argv[1]), int(sys.argv[2]))))
