"""Honest forgeries: claims in which every derived number is right, and only the concept may be false.

Mutations of single numbers are caught by redundancy. An honest forgery passes every check but the one that carries the
theorem: values, best-response values, bounds, marks, beliefs and plans follow from the profile. So a kernel that lacks
that check accepts it.

Everything is computed here from the arrays of the tree, with fractions and plain loops, by no function of the package.
Documents are plain data of the schema ``tremble/solution@1``, as ``json.loads`` returns it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction as F
from functools import cached_property
from itertools import chain
from math import lcm
from typing import Any

from tremble import CHANCE, TERMINAL, GameTree

__all__ = ["Document", "Forger", "Profile", "Rows", "forged_lists", "profile_of", "random_rows", "rows_of"]

Document = dict[str, Any]
Rows = list[list[F]]  # for each information set the probability of each action
Profile = tuple[Rows, Rows]
Table = list[list[F]]  # [degree of epsilon][sequence]
Leading = list[tuple[int, F]]  # for each sequence the order in epsilon and the coefficient there

BY_SUBGAMES = ("subgame-perfect", "quasi-perfect", "sequential", "perfect")
BY_MISTAKES = ("quasi-perfect", "one-sided-quasi-perfect", "sequential", "perfect")
BY_DOMINATION = ("normal-form-perfect", "proper")


def rows_of(profile: Sequence[Any]) -> Profile:
    """Return the rows of two behavior strategies."""
    rows1, rows2 = ([list(row) for row in strategy] for strategy in profile)
    return rows1, rows2


def random_rows(game: GameTree, player: int, rng: random.Random, kind: str = "mixed") -> Rows:
    """Draw a strategy: pure, sparse or mixed everywhere."""
    rows = []
    for labels in game.actions[player]:
        weights = [rng.choice((0, 0, 1, 1, 2)) for _ in labels]
        if kind == "inner":
            weights = [rng.randint(1, 3) for _ in labels]
        if kind == "pure" or not any(weights):
            weights = [0] * len(labels)
            weights[rng.randrange(len(weights))] = 1
        rows.append([F(weight, sum(weights)) for weight in weights])
    return rows


@dataclass
class Form:
    """The sequence form of a game with perfect recall, naively."""

    game: GameTree
    sets: tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]] = field(init=False)  # before, first, end
    at: tuple[list[int], list[int]] = field(init=False)  # own sequence at each node
    chance: list[F] = field(init=False)  # probability of chance at each node

    def __post_init__(self) -> None:
        game = self.game
        parent, action = game.parent.tolist(), game.action.tolist()
        mover, number = game.player.tolist(), game.infoset.tolist()
        starts = []
        for actions in game.actions:
            first = [1]
            for labels in actions:
                first.append(first[-1] + len(labels))
            starts.append(first)
        self.at, self.chance = ([0] * len(parent), [0] * len(parent)), [F(1)] * len(parent)
        before: list[list[int | None]] = [[None] * len(actions) for actions in game.actions]
        for node, above in enumerate(parent):
            if node:
                for player in (0, 1):
                    self.at[player][node] = self.at[player][above]
                self.chance[node] = self.chance[above]
                if mover[above] == CHANCE:
                    self.chance[node] *= game.chance_tables[number[above]].probabilities[action[node]]
                else:
                    self.at[mover[above]][node] = starts[mover[above]][number[above]] + action[node]
            if mover[node] in (0, 1):
                side = before[mover[node]]
                side[number[node]] = self.at[mover[node]][node]
        self.sets = tuple(  # type: ignore[assignment]
            [(prior or 0, *ends) for prior, *ends in zip(side, first, first[1:], strict=False)]
            for side, first in zip(before, starts, strict=True)
        )

    def count(self, player: int) -> int:
        """Return the number of sequences of a player."""
        return 1 + sum(map(len, self.game.actions[player]))

    @cached_property
    def payoffs(self) -> dict[tuple[int, int], tuple[F, F]]:
        """Chance times payoff, summed over the leaves with the same two sequences."""
        found: dict[tuple[int, int], tuple[F, F]] = {}
        number = self.game.infoset.tolist()
        for node, mover in enumerate(self.game.player.tolist()):
            if mover == TERMINAL:
                pair = self.at[0][node], self.at[1][node]
                one, two = found.get(pair, (F(0), F(0)))
                u, v = self.game.payoff_at(number[node])
                found[pair] = one + self.chance[node] * u, two + self.chance[node] * v
        return found

    @cached_property
    def constant_sum(self) -> F | None:
        """The sum of the payoffs, or None if it varies."""
        number = self.game.infoset.tolist()
        sums = {
            sum(self.game.payoff_at(number[node]), F(0))
            for node, mover in enumerate(self.game.player.tolist())
            if mover == TERMINAL
        }
        return sums.pop() if len(sums) == 1 else None

    @cached_property
    def nodes(self) -> tuple[list[list[int]], list[list[int]]]:
        """The nodes of each information set, in preorder."""
        found: tuple[list[list[int]], list[list[int]]] = tuple([[] for _ in side] for side in self.game.actions)  # type: ignore[assignment]
        for node in self.game.in_preorder.tolist():
            mover = int(self.game.player[node])
            if mover in (0, 1):
                found[mover][int(self.game.infoset[node])].append(node)
        return found

    def plan(self, player: int, rows: Rows) -> list[F]:
        """Multiply the probabilities of the moves of each sequence."""
        plan = [F(1)] * self.count(player)
        for (prior, first, end), row in zip(self.sets[player], rows, strict=True):
            plan[first:end] = [plan[prior] * p for p in row]
        return plan

    def worth(self, player: int, other: Sequence[F]) -> list[F]:
        """Return what each own sequence earns against a plan, best responses following; the empty one first."""
        worth = [F(0)] * self.count(player)
        for pair, amounts in self.payoffs.items():
            worth[pair[player]] += amounts[player] * other[pair[1 - player]]
        for prior, first, end in reversed(self.sets[player]):
            worth[prior] += max(worth[first:end])
        return worth

    def values(self, plans: Sequence[Sequence[F]]) -> tuple[F, F]:
        """Return the expected payoffs."""
        total1, total2 = F(0), F(0)
        for (q, r), (u, v) in self.payoffs.items():
            weight = plans[0][q] * plans[1][r]
            total1, total2 = total1 + weight * u, total2 + weight * v
        return total1, total2


class Forger:
    """Makes documents about one game."""

    def __init__(self, game: GameTree, rng: random.Random) -> None:
        self.game, self.rng, self.form = game, rng, Form(game)
        self.reference = {"spec": game.spec, "title": game.title, "digest": game.digest}

    # -- documents -----------------------------------------------------------------------------------------------

    def document(
        self,
        profile: Profile,
        concept: str,
        certificate: Document | None = None,
        *,
        status: str = "certified",
        beliefs: Any = None,
        refutation: Document | None = None,
        requested: str | None = None,
    ) -> Document:
        """Return a solution whose values, bounds and marks follow from the profile.

        Without a certificate, it is the one that states best responses.
        """
        form = self.form
        plans = [form.plan(player, profile[player]) for player in (0, 1)]
        values = form.values(plans)
        best = [form.worth(player, plans[1 - player])[0] for player in (0, 1)]
        if certificate is None:
            certificate = {
                "kind": "best-response",
                "nash_conv": str(sum(best) - sum(values)),
                "best_response_values": list(map(str, best)),
            }
        marks = concept in ("nash", *BY_DOMINATION)
        found = {
            "schema": "tremble/solution@1",
            "tremble": "0",
            "game": self.reference,
            "concept": concept,
            "requested": requested or concept,
            "method": {"name": "forged", "options": {}},
            "status": status,
            "values": list(map(str, values)),
            "strategies": [self._strategy(player, profile[player], plans[player], marks) for player in (0, 1)],
            "certificate": certificate,
            "stats": {},
        }
        if form.constant_sum is not None:
            bounds = (form.constant_sum - best[1], best[0]) if status != "certified" else (values[0], values[0])
            found["bounds"] = list(map(str, bounds))
        if beliefs is not None:
            found["beliefs"] = beliefs
        if refutation is not None:
            found["refutation"] = refutation
        return found

    def _strategy(self, player: int, rows: Rows, plan: list[F], marks: bool) -> list[Document]:
        labels, actions = self.game.infoset_labels[player], self.game.actions[player]
        stated: list[Document] = []
        for k, (row, (prior, _, _)) in enumerate(zip(rows, self.form.sets[player], strict=True)):
            pairs = [[label, str(p)] for label, p in zip(actions[k], row, strict=True)]
            stated.append({"infoset": k + 1, "label": labels[k], "actions": pairs})
            if marks and not plan[prior]:
                stated[-1]["off_path"] = True
        return stated

    # -- perturbed plans -----------------------------------------------------------------------------------------

    def towards(self, player: int, rows: Rows, target: Rows) -> Table:
        """Return the plan of (1 - epsilon) times the strategy and epsilon times another one, at each set."""
        plan: list[list[F]] = [[F(1)] for _ in range(self.form.count(player))]
        for (prior, first, _), row, aim in zip(self.form.sets[player], rows, target, strict=True):
            for j, (p, goal) in enumerate(zip(row, aim, strict=True)):
                plan[first + j] = _times(plan[prior], [p, goal - p])
        return _transposed(plan)

    def slipping(self, player: int, rows: Rows, weights: list[list[int]], orders: list[list[int]]) -> Table:
        """Return the plan that plays what is unplayed exactly as often as its tremble, and the rest in proportion."""
        plan: list[list[F]] = [[F(1)] for _ in range(self.form.count(player))]
        least: list[list[F]] = [[F(1)] for _ in range(self.form.count(player))]
        for k, (prior, first, end) in enumerate(self.form.sets[player]):
            rest = plan[prior]
            for j, q in enumerate(range(first, end)):
                least[q] = _times(least[prior], [F(0)] * orders[k][j] + [F(weights[k][j])])
                if not rows[k][j]:
                    rest = _minus(rest, least[q])
            for j, q in enumerate(range(first, end)):
                plan[q] = [rows[k][j] * c for c in rest] if rows[k][j] else least[q]
        return _transposed(plan)

    def trembles(self, player: int) -> tuple[list[list[int]], list[list[int]]]:
        """Draw weights and orders of mistakes, often equal ones."""
        widths = list(map(len, self.game.actions[player]))
        most_weight, most_order = self.rng.choice(((1, 1), (3, 1), (1, 2), (2, 3)))
        weights = [[self.rng.randint(1, most_weight) for _ in range(width)] for width in widths]
        orders = [[self.rng.randint(1, most_order) for _ in range(width)] for width in widths]
        return weights, orders

    def leading(self, player: int, rows: Rows, weights: list[list[int]], orders: list[list[int]]) -> Leading:
        """Return order and coefficient of each sequence where mistakes have these weights and orders."""
        found = [(0, F(1))] * self.form.count(player)
        for k, (prior, first, end) in enumerate(self.form.sets[player]):
            order, amount = found[prior]
            for j, q in enumerate(range(first, end)):
                p = rows[k][j]
                found[q] = (order, amount * p) if p else (order + orders[k][j], amount * weights[k][j])
        return found

    def beliefs(self, leading: Sequence[Leading]) -> list[list[Document]]:
        """Return the beliefs that follow from the leading orders of both plans."""
        sides = []
        for player in (0, 1):
            other, at = leading[1 - player], self.form.at[1 - player]
            side: list[Document] = []
            for k, nodes in enumerate(self.form.nodes[player]):
                terms = [(*other[at[node]], self.form.chance[node], node) for node in nodes]
                lowest = min((order for order, _, chance, _ in terms if chance), default=None)
                amounts = [chance * amount if order == lowest else F(0) for order, amount, chance, _ in terms]
                stated = [] if lowest is None else zip(nodes, amounts, strict=True)
                pairs = [[list(self.game.path(node)), str(amount / sum(amounts))] for node, amount in stated]
                side.append({"infoset": k + 1, "nodes": pairs})
            sides.append(side)
        return sides

    # -- forgeries by concept ------------------------------------------------------------------------------------

    def forgeries(self, profile: Profile) -> Iterator[Document]:
        """Yield a claim of every concept and kind of certificate about one profile."""
        yield from self.by_best_responses(profile)
        yield from self.by_polynomials(profile)
        yield from self.by_orders(profile)
        yield from self.by_domination(profile)
        yield from self.by_backward_induction(profile)
        yield from self.by_basis(profile)
        yield from self.refutations(profile)

    def by_best_responses(self, profile: Profile) -> Iterator[Document]:
        """Yield claims of `nash` and `subgame-perfect`, and of bounds."""
        yield self.document(profile, "nash")
        yield self.document(profile, "subgame-perfect")
        yield self.document(profile, "nash", status="bounded")

    def plans(self, profile: Profile) -> Iterator[tuple[list[Table], Document]]:
        """Yield perturbed plans of both players with their certificate."""
        inner = [random_rows(self.game, player, self.rng, "inner") for player in (0, 1)]
        uniform = [[[F(1, len(row))] * len(row) for row in rows] for rows in profile]
        for targets in (inner, uniform):
            tables = [self.towards(player, profile[player], targets[player]) for player in (0, 1)]
            yield tables, self.polynomials(tables, {"trembles": "any"})
        drawn = [self.trembles(player) for player in (0, 1)]
        tables = [self.slipping(player, profile[player], *drawn[player]) for player in (0, 1)]
        yield tables, self.polynomials(tables, _stated(drawn))
        mixed = [tables[0], self.towards(1, profile[1], inner[1])]
        sides = _stated(drawn)
        if sides["trembles"] is not None:
            sides["trembles"][1] = "any"
            if "orders" in sides:
                sides["orders"][1] = "any"
            yield mixed, self.polynomials(mixed, sides)

    def polynomials(self, tables: Sequence[Table], stated: Document) -> Document:
        """Return the certificate of kind `polynomials`."""
        x, y = map(_integers, tables)
        return {"kind": "polynomials", "X": x[0], "Y": y[0], "denominator": [x[1], y[1]], **stated}

    def by_polynomials(self, profile: Profile) -> Iterator[Document]:
        """Yield claims that perturbed plans of both players, or of one, prove."""
        for tables, certificate in self.plans(profile):
            yield self.document(profile, "quasi-perfect", certificate)
            yield self.document(profile, "normal-form-perfect", certificate)
            yield self.document(profile, "perfect", certificate)
            beliefs = self.beliefs([_leading(table) for table in tables])
            yield self.document(profile, "sequential", certificate, beliefs=beliefs)
        for faultless in (0, 1):
            weights, orders = drawn = self.trembles(1 - faultless)
            inner = random_rows(self.game, 1 - faultless, self.rng, "inner")
            exact = [self.form.plan(faultless, profile[faultless])]
            for table, trembles in (
                (self.slipping(1 - faultless, profile[1 - faultless], weights, orders), drawn),
                (self.towards(1 - faultless, profile[1 - faultless], inner), None),
            ):
                sides: list[Any] = [table, exact] if faultless else [exact, table]
                words: Document = {"trembles": ["any", "any"]}
                if trembles is not None:
                    words = {"trembles": [_text(weights)] * 2, "orders": [orders, orders]}
                for stated in words.values():
                    stated[faultless] = "none"
                yield self.document(profile, "one-sided-quasi-perfect", self.polynomials(sides, words))

    def by_orders(self, profile: Profile) -> Iterator[Document]:
        """Yield claims of `sequential` that state how rare mistakes are."""
        drawn = [self.trembles(player) for player in (0, 1)]
        ones = [([[1] * len(row) for row in rows], [[1] * len(row) for row in rows]) for rows in profile]
        for trembles in (drawn, ones):
            certificate = {"kind": "consistent-trembles", "trembles": None, "orders": None, **_stated(trembles)}
            leading = [self.leading(player, profile[player], *trembles[player]) for player in (0, 1)]
            yield self.document(profile, "sequential", certificate, beliefs=self.beliefs(leading))

    def by_domination(self, profile: Profile) -> Iterator[Document]:
        """Yield claims of `normal-form-perfect` by plans without epsilon, and of `proper`."""
        inner = [[self.form.plan(p, random_rows(self.game, p, self.rng, "inner"))] for p in (0, 1)]
        yield self.document(profile, "normal-form-perfect", self.polynomials(inner, {"trembles": "any"}))
        ranked = [self.ranked(player, profile) for player in (0, 1)]
        mixed = [plans[self.rng.randrange(len(plans)) :] for plans in ranked]  # some sequences may be missing
        for plans in (ranked, mixed):
            x, y = ([_whole(plan) for plan in side] for side in plans)
            yield self.document(profile, "proper", {"kind": "ranked-plans", "X": x, "Y": y})

    def ranked(self, player: int, profile: Profile) -> list[list[F]]:
        """Return plans of a player, each of which plays all that costs at most so much, the least cost first."""
        costs = self.costs(player, self.form.plan(1 - player, profile[1 - player]))
        plans = []
        for most in sorted(set(costs)):
            plan = [F(1)] * len(costs)
            for prior, first, end in self.form.sets[player]:
                weights = [self.rng.randint(1, 2) if costs[q] <= most else 0 for q in range(first, end)]
                total = sum(weights) or 1
                plan[first:end] = [plan[prior] * F(weight, total) for weight in weights]
            plans.append(plan)
        return plans

    def costs(self, player: int, other: Sequence[F]) -> list[F]:
        """Return what each own sequence costs against a plan of the other."""
        worth = self.form.worth(player, other)
        costs = [F(0)] * len(worth)
        for prior, first, end in self.form.sets[player]:
            best = max(worth[first:end])
            costs[first:end] = [costs[prior] + best - u for u in worth[first:end]]
        return costs

    def by_backward_induction(self, profile: Profile) -> Iterator[Document]:
        """Yield claims that weights of mistakes prove in games of perfect information."""
        if any(len(nodes) > 1 for nodes in chain(*self.form.nodes)):
            return
        drawn = [self.trembles(player)[0] for player in (0, 1)]
        for trembles in (None, list(map(_text, drawn))):
            certificate = {"kind": "backward-induction", "trembles": trembles}
            yield self.document(profile, "quasi-perfect", certificate)
            yield self.document(profile, "perfect", certificate)

    def by_basis(self, profile: Profile) -> Iterator[Document]:
        """Yield claims of `perfect` by a basis whose plans tend to the profile, if it is pure."""
        from forged_bases import basis_certificates

        for limit, certificate in basis_certificates(self, profile):
            yield self.document(limit, "perfect", certificate)

    def borrowed(self, profile: Profile, document: Document) -> Document:
        """Return another solution's concept, certificate and beliefs with the numbers of this profile."""
        return self.document(
            profile,
            document["concept"],
            None if document["certificate"].get("kind") == "best-response" else document["certificate"],
            status=document["status"],
            beliefs=document.get("beliefs"),
            refutation=document.get("refutation"),
            requested=document["requested"],
        )

    # -- refutations ---------------------------------------------------------------------------------------------

    def refutations(self, profile: Profile) -> Iterator[Document]:
        """Yield claims that state no more than that the profile is not of a concept."""
        for refutation in self._refutations(profile):
            found = self.document(profile, "nash", refutation=refutation, requested=refutation["concept"])
            fits = ["limit-reached", "limit-reached"]
            fits += ["bounded"] * (self.form.constant_sum is not None)
            fits += ["certified"] * 2 * (found["certificate"]["nash_conv"] == "0")
            status = self.rng.choice(fits)
            if status == "limit-reached" and self.rng.random() < 0.3:
                found["certificate"] = {}
                found.pop("bounds", None)
            elif status != "certified":
                found = self.document(
                    profile, "nash", status=status, refutation=refutation, requested=refutation["concept"]
                )
            found["status"] = status
            yield found

    def _refutations(self, profile: Profile) -> Iterator[Document]:
        rng, game = self.rng, self.game
        every = ("nash", "one-sided-quasi-perfect", *BY_SUBGAMES, *BY_DOMINATION)
        yield {"kind": "best-response", "concept": rng.choice(every)}
        for node in rng.sample(range(game.num_nodes), min(3, game.num_nodes)):
            player, concept = rng.randint(1, 2), rng.choice(BY_SUBGAMES)
            yield {"kind": "subgame", "concept": concept, "player": player, "path": list(game.path(node))}
        for player in (0, 1):
            seats: Document = {"player": player + 1}
            if game.actions[player]:
                k = 1 + rng.randrange(len(game.actions[player]))
                yield {"kind": "reply", "concept": "one-sided-quasi-perfect", **seats, "infoset": k}
            own = self.form.plan(player, profile[player])
            other = self.form.plan(player, random_rows(game, player, rng, rng.choice(("pure", "mixed"))))
            change = [b - a for a, b in zip(own, other, strict=True)]
            seats |= {"kind": "dominated", "deviation": _pairs(change)}
            yield {**seats, "concept": "normal-form-perfect"}
            costs = self.costs(1 - player, own)
            yield {**seats, "concept": "proper", "cost": str(rng.choice(costs))}
            yield {**seats, "concept": "proper"}
            for concept in BY_MISTAKES:
                yield self.mistakes(player, profile, concept)

    def mistakes(self, player: int, profile: Profile, concept: str) -> Document:
        r"""Return multipliers that satisfy every equation but, maybe, that of the empty sequence.

        The deviation of the other player has the right sums. Upwards from the last sets, :math:`\lambda` makes the
        least :math:`\alpha` at each set 0, and the greater ones are blocked.
        """
        rng, form, other = self.rng, self.form, 1 - player
        plan = form.plan(player, profile[player])
        silent = [
            all(not form.chance[node] or not plan[form.at[player][node]] for node in nodes)
            for nodes in form.nodes[other]
        ]
        allowed = silent if concept == "sequential" else [True] * len(silent)
        weight = self._weights(other, profile[other], allowed)
        unit = lcm(*(amounts[other].denominator for amounts in form.payoffs.values()))
        alpha = [F(0)] * form.count(player)
        for pair, amounts in form.payoffs.items():
            alpha[pair[player]] += unit * amounts[other] * weight[pair[other]]
        flow: list[list[Any]] = []
        blocked = []
        for k, (prior, first, end) in reversed(list(enumerate(form.sets[player]))):
            least = min(alpha[first:end])
            blocked += [q for q in range(first, end) if alpha[q] > least]
            alpha[prior] += least
            if least:
                flow.append([k + 1, -least / unit])
        if alpha[0] > 0 and rng.random() < 0.5:
            blocked.append(0)
        scale = lcm(*(value.denominator for _, value in flow))
        plays = list(chain(*profile[other]))
        tight = [q for q in range(1, len(weight)) if weight[q] > 0 and not plays[q - 1]]
        return {
            "kind": "mistakes",
            "concept": concept,
            "player": player + 1,
            "blocked": sorted(blocked),
            "tight": [] if concept == "sequential" else tight,
            "deviation": [[q, str(int(w * scale))] for q, w in enumerate(weight) if w],
            "flow": [[k, str(int(value * scale))] for k, value in reversed(flow)],
            "ratio": [],
        }

    def _weights(self, player: int, rows: Rows, allowed: list[bool]) -> list[int]:
        """Draw a change of a strategy whose actions sum to the move before, negative only where it plays.

        It begins at sets that are allowed only.
        """
        weight = [0] * self.form.count(player)
        for (prior, first, end), row, free in zip(self.form.sets[player], rows, allowed, strict=True):
            for q in range(first, end) if free else ():
                weight[q] = self.rng.choice((0, 0, 0, 1)) if self.rng.random() < 0.9 or not row[q - first] else -1
            played = [q for q in range(first, end) if row[q - first]]
            weight[self.rng.choice(played)] += weight[prior] - sum(weight[first:end])
        return weight


# -- lists -------------------------------------------------------------------------------------------------------------


def profile_of(document: Document) -> Profile:
    """Return the rows of a solution."""
    rows1, rows2 = ([[F(p) for _, p in row["actions"]] for row in side] for side in document["strategies"])
    return rows1, rows2


def forged_lists(forger: Forger, members: Sequence[Document]) -> Iterator[Document]:
    """Yield lists of some of these solutions, and of others, in which every field follows from the members.

    What is false: an equilibrium is missing, a member is none, or one stands twice but for play that no one sees.
    """
    rng = forger.rng
    for size in {1, 2, len(members) - 1, len(members)}:
        if 0 < size <= len(members):
            yield _list(forger, rng.sample(list(members), size))
    profiles = [profile_of(document) for document in members]
    if len(profiles) > 1:
        one, two = rng.sample(profiles, 2)
        crossed = forger.document((one[0], two[1]), "nash")
        yield _list(forger, [*members[:2], crossed])
        middle = [[[(a + b) / 2 for a, b in zip(*rows, strict=True)] for rows in zip(*side, strict=True)]
                  for side in zip(one, two, strict=True)]  # fmt: skip
        yield _list(forger, [*members, forger.document((middle[0], middle[1]), "nash")])
    if profiles:
        elsewhere = []
        for player, rows in enumerate(profiles[0]):
            plan, other = forger.form.plan(player, rows), random_rows(forger.game, player, rng)
            sets = zip(rows, other, forger.form.sets[player], strict=True)
            elsewhere.append([old if plan[prior] else new for old, new, (prior, _, _) in sets])
        yield _list(forger, [*members, forger.document((elsewhere[0], elsewhere[1]), "nash")])


def _list(forger: Forger, members: Sequence[Document]) -> Document:
    """Return a list whose fields follow from its members; some are left out."""
    rng, profiles = forger.rng, [profile_of(document) for document in members]
    plans = [[tuple(forger.form.plan(player, profile[player])) for profile in profiles] for player in (0, 1)]
    names = [list(dict.fromkeys(side)) for side in plans]
    pairs = [[1 + names[player].index(plans[player][k]) for player in (0, 1)] for k in range(len(members))]
    group = list(range(len(members)))
    for k, pair in enumerate(pairs):
        for n, other in enumerate(pairs[:k]):
            if pair[0] == other[0] or pair[1] == other[1]:
                group = [group[k] if number == group[n] else number for number in group]
    components = [[k + 1 for k, number in enumerate(group) if number == name] for name in dict.fromkeys(group)]
    near = {i: {j for one, j in pairs if one == i} for i, _ in pairs}
    subsets = {frozenset(side) for side in near.values()}
    for side in near.values():
        subsets |= {both for other in subsets if (both := other & side)}
    maximal = [[sorted(i for i in near if side <= near[i]), sorted(side)] for side in subsets]
    pure = all({0, 1}.issuperset(plan) for side in plans for plan in side)
    found: Document = {
        "pairs": pairs,
        "components": components,
        "maximal_subsets": sorted(maximal),
        "unique": len(pairs) == 1,
        "unique_plans": [len(side) == 1 for side in names],
        "indices": [1, *[0] * (len(components) - 1)],
        "degenerate": rng.random() < 0.5,
    }
    for name in rng.sample(sorted(found), rng.choice((0, 0, 1, 3))):
        found.pop(name)
    if "components" not in found:
        found.pop("indices", None)
    if rng.random() < 0.5:
        found["pure"] = pure
        if pure:
            found["complete"] = rng.random() < 0.5
            concepts = {document["requested"] for document in members}
            if len(concepts) == 1 and rng.random() < 0.7:
                found["requested"] = concepts.pop()
    head = {"schema": "tremble/equilibria@1", "tremble": "0", "game": forger.reference}
    return {**head, "equilibria": list(members), **found}


# -- polynomials and text ----------------------------------------------------------------------------------------------


def _times(one: Sequence[F], other: Sequence[F]) -> list[F]:
    result = [F(0)] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            result[i + j] += a * b
    return result


def _minus(one: Sequence[F], other: Sequence[F]) -> list[F]:
    width = max(len(one), len(other))
    padded = [[*values, *[F(0)] * (width - len(values))] for values in (one, other)]
    return [a - b for a, b in zip(*padded, strict=True)]


def _transposed(plan: Sequence[Sequence[F]]) -> Table:
    """Return polynomials by degree, without leading zeros."""
    degree = max(d for values in plan for d, value in enumerate(values) if value)
    return [[values[d] if d < len(values) else F(0) for values in plan] for d in range(degree + 1)]


def _leading(table: Table) -> Leading:
    """Return order and coefficient of the first term of each sequence."""
    return [next((d, row[q]) for d, row in enumerate(table) if row[q]) for q in range(len(table[0]))]


def _integers(table: Sequence[Sequence[F]]) -> tuple[list[list[str]], str]:
    """Return the coefficients as integers over one denominator."""
    whole = lcm(*(value.denominator for row in table for value in row))
    return [[str(int(value * whole)) for value in row] for row in table], str(whole)


def _whole(plan: Sequence[F]) -> list[str]:
    """Return a plan times the least integer that makes it integers."""
    return _integers([plan])[0][0]


def _pairs(values: Sequence[F]) -> list[list[Any]]:
    """Return what is not 0 as pairs of an index and an integer, up to a common factor."""
    return [[q, text] for q, text in enumerate(_whole(values)) if q and text != "0"]


def _text(weights: list[list[int]]) -> list[list[str]]:
    return [list(map(str, row)) for row in weights]


def _stated(drawn: Sequence[tuple[list[list[int]], list[list[int]]]]) -> Document:
    """Return the fields `trembles` and `orders`; null and absent where all are 1."""
    values = [set(chain(*chain(*(side[part] for side in drawn)))) for part in (0, 1)]
    found: Document = {"trembles": None if values[0] <= {1} else [_text(side[0]) for side in drawn]}
    if not values[1] <= {1}:
        found["orders"] = [side[1] for side in drawn]
    return found
