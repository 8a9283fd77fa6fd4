r"""Maximal subsets and components: mixtures of the equilibria of a list, and connections between them.

Let :math:`x_i` and :math:`y_j` be the different plans of players 1 and 2 that occur in the list. The *graph* of the
list has an edge (i, j) for each member with the plans :math:`x_i, y_j`. With perfect recall, payoffs are linear in the
plan of each player.

Theorem (mixtures).  If all pairs of plans in U x V are equilibria, then every mixture of plans in U, together with
every mixture of plans in V, is an equilibrium.

Proof.  Each x_i with i in U is a best response to each y_j with j in V, so it is a best response to every mixture of
these y_j. A mixture of best responses is a best response. The proof for player 2 is the same.

Theorem (maximal subsets).  Let N(i) be the set of all j with an edge (i, j). Let S be a collection of nonempty sets V,
each of which is the set of common neighbors of some U. Let U(V) be the set of all common neighbors of V. Suppose that S
contains each N(i), and for each V in S also every nonempty :math:`V \cap N(i)`. Then the pairs U(V) x V with V in S are
all maximal complete subgraphs.

Proof.  If V is the set of common neighbors of U, then U(V) x V is complete, and no larger set is complete. Conversely,
the side of player 2 in a maximal complete subgraph is an intersection of sets N(i). By induction, S contains all such
intersections that are not empty.

Theorem (components).  Suppose that every pair of stated plans that is an equilibrium is an edge. Let M be the union of
all :math:`\operatorname{conv}(U) \times \operatorname{conv}(V)` over the maximal complete subgraphs U x V. Two edges
are in the same connected component of M exactly if they are in the same connected component of the graph.

Proof.  Edges with a common plan are connected by mixtures of their other plans. Conversely, let a point (x, y) be in
two of these products, for U x V and U' x V'. Write :math:`x = \sum \lambda_i x_i` with i in U, and
:math:`y = \sum \rho_j y_j` with j in V'. If x is a best response to a plan, so is each x_i with a
positive weight. So these x_i are best responses to all of V'. Each y_j with a positive weight is a best response to all
of U. So (x_i, y_j) is an equilibrium, hence an edge, and this edge connects both subgraphs.

Theorem (best responses).  A plan is a best response exactly if it plays no *losing* sequence. A sequence is losing if,
with best responses at later sets, it earns less than another sequence at its set.

Proof.  Multiply the weight of each sequence in the plan by the loss of the sequence. The sum of these products is the
difference between the payoff of a best response and the payoff of the plan.

Source: H. Jansen, Maximal Nash subsets for bimatrix games, Naval Research Logistics Quarterly 28 (1981); D. Avis,
G. Rosenberg, R. Savani, B. von Stengel, Enumeration of Nash equilibria for two-player games, Economic Theory 42 (2010).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import and_

from tremble.check.best_response import best_response, earnings, losing, probabilities, realization_plan
from tremble.check.claim import Claim, Problems
from tremble.check.limits import Limits
from tremble.check.tree import SequenceForm
from tremble.check.verdict import FieldProof

_STEPS = 100  # steps for an operation on a short number, or on 64 members of a set

Bits = int  # a set of numbers: it contains j if bit j is 1


class Graph:
    """The graph of a list of equilibria: the nodes are the plans of both players, and each equilibrium is an edge."""

    def __init__(self, pairs: Sequence[tuple[int, int]], limits: Limits) -> None:
        self.pairs, self.limits = pairs, limits
        self.sides = tuple(1 + max((pair[player] for pair in pairs), default=-1) for player in (0, 1))
        limits.keep("equilibria", 2 * self.sides[0] * self.sides[1])
        # For each plan of a player, the plans of the other player that share an edge with it.
        self.neighbors: tuple[list[Bits], list[Bits]] = ([0] * self.sides[0], [0] * self.sides[1])
        for i, j in pairs:
            self.neighbors[0][i] |= 1 << j
            self.neighbors[1][j] |= 1 << i

    def common(self, player: int, plans: Sequence[int]) -> Bits:
        """Return all plans of the other player that form an edge with each of the given plans of ``player``."""
        self.limits.spend("equilibria", _STEPS, 1 + len(plans) * (1 + self.sides[1 - player] // 64))
        return reduce(and_, (self.neighbors[player][i] for i in plans))


def refuse_missing(form: SequenceForm, members: Sequence[Claim], graph: Graph, problems: Problems) -> None:
    """Report each pair of stated plans that is an equilibrium but not an edge of ``graph``."""
    limits = graph.limits
    plays: tuple[list[Bits], list[Bits]] = ([], [])  # for each plan, the sequences that it plays
    losing: tuple[list[Bits], list[Bits]] = (
        [],
        [],
    )  # against each plan, the losing sequences of the other player
    for player in (0, 1):
        strategy_of = {
            pair[player]: member.strategies[player] for pair, member in zip(graph.pairs, members, strict=True)
        }
        for number in range(graph.sides[player]):
            factors = probabilities(strategy_of[number])
            plan = realization_plan(form.sequences[player], factors, limits, "equilibria")
            plays[player].append(_set_of(map(bool, plan.weight)))
            losing[player].append(_losing(form, 1 - player, plan.weight, limits))
    size = 1 + max(sequences.count for sequences in form.sequences) // 64
    for i, (played, lost) in enumerate(zip(plays[0], losing[0], strict=True)):
        limits.spend("equilibria", _STEPS, 2 * size * len(plays[1]))
        for j, other in enumerate(plays[1]):
            if not played & losing[1][j] and not other & lost and not graph.neighbors[0][i] >> j & 1:
                problems.add(f"pairs: [{i + 1}, {j + 1}] is an equilibrium, too, and is missing")
        if len(problems) == Problems.MOST:
            return


def _losing(form: SequenceForm, player: int, other: Sequence[int], limits: Limits) -> Bits:
    """Return bits: bit q is 1 if the last action of the player's sequence q is not best against the plan `other`."""
    sequences = form.sequences[player]
    worth = best_response(sequences, earnings(form.payoffs[player], sequences, [other], limits))
    lost = {q for _, q, _ in losing(sequences, worth)}
    return _set_of(q in lost for q in range(sequences.count))


def _set_of(truths: Iterable[bool]) -> Bits:
    """Return an integer in which bit i is 1 if and only if the truth value with index i is true."""
    return int("".join("01"[truth] for truth in truths)[::-1], 2)


def check_subsets(
    subsets: Sequence[tuple[Sequence[int], Sequence[int]]], graph: Graph, problems: Problems
) -> Iterator[FieldProof]:
    """Use the module's theorem to check that ``subsets`` lists each maximal complete subgraph of ``graph`` once."""
    before = len(problems)
    sides_of_player2: set[Bits] = set()
    for k, (plans1, plans2) in enumerate(subsets):
        where, sides = f"maximal_subsets[{k}]", zip((plans1, plans2), graph.sides, strict=True)
        if not all(
            plans and min(plans) >= 0 and max(plans) < most and len({*plans}) == len(plans) for plans, most in sides
        ):
            problems.add(f"{where}: must be two lists of numbers of different strategies")
            continue
        right = graph.common(0, plans1)
        apart = next((j for j in sorted(plans2) if not right >> j & 1), None)
        if apart is not None:
            i = next(i for i in sorted(plans1) if not graph.neighbors[0][i] >> apart & 1)
            problems.add(f"{where}: the pair [{i + 1}, {apart + 1}] is not among the equilibria")
        elif right.bit_count() > len(plans2) or graph.common(1, plans2).bit_count() > len(plans1):
            problems.add(f"{where}: this subset is part of a larger one")
        elif right in sides_of_player2:
            problems.add(f"{where}: this subset is stated twice")
        sides_of_player2.add(right)
    if len(problems) > before:
        return
    if not {*graph.neighbors[0]} <= sides_of_player2:
        problems.add("maximal_subsets: they do not contain every equilibrium")
        return
    for right in sides_of_player2:
        graph.limits.spend("equilibria", _STEPS, graph.sides[0] * (1 + graph.sides[1] // 64))
        if any(right & near and right & near not in sides_of_player2 for near in graph.neighbors[0]):
            problems.add("maximal_subsets: a subset is missing; its mixtures are equilibria, too")
            return
    yield FieldProof(
        "maximal_subsets",
        proven="all mixtures of the plans of a subset are equilibria; no subset can be enlarged by these plans",
        believed="there are no others",
    )


def check_components(components: Sequence[Sequence[int]], graph: Graph, problems: Problems) -> Iterator[FieldProof]:
    """Check that `components` are the graph's connected components. Equilibria with a common plan are connected."""
    pairs = graph.pairs
    graph.limits.spend("equilibria", _STEPS, 10 * len(pairs))
    holders: dict[tuple[int, int], list[int]] = {}  # for each player and plan, the members with this plan
    for k, pair in enumerate(pairs):
        for player in (0, 1):
            holders.setdefault((player, pair[player]), []).append(k)
    left, true = set(range(len(pairs))), []
    while left:
        group, todo = [], [left.pop()]
        while todo:
            k = todo.pop()
            group.append(k)
            for player in (0, 1):
                near = [n for n in holders.pop((player, pairs[k][player]), ()) if n in left]
                left.difference_update(near)
                todo += near
        true.append(sorted(group))
    if sorted(map(sorted, components)) != sorted(true):
        problems.add("components: these are not the connected components of the graph of the pairs")
    yield FieldProof(
        "components", proven="the pairs and their mixtures form these components", believed="there are no others"
    )
