"""What the kernel charges to the limits: the exact cost of one fixed document of each kind, and the limits themselves.

The documents contain numbers of more than 512 bits, because shorter numbers are free. A change of the costs in `COSTS`
must be deliberate: a lower cost may let a small file keep the kernel busy for long, or fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import exact_bases as exact
import pytest
from claims import claim_of, honest, strategies_of
from small_trees import ALONE

import tremble
from tremble.check import Limits, check
from tremble.check.basis import elimination
from tremble.check.limits import TooLarge, common_denominator, length_of, steps_of
from tremble.check.lists import ListClaim, check_list

LONG, OTHER = 3**400, 5**300  # 634 and 697 bits
RARE = F(1, LONG)


def hidden() -> tremble.GameTree:
    """Player 2 sees neither chance nor whether player 1 can move again. All payoffs are equal."""
    builder = tremble.TreeBuilder(title="hidden")
    builder.chance(("rare", "usual"), (RARE, 1 - RARE))
    for _ in range(2):
        builder.decision(0, "first", ("out", "in", "try"))
        builder.leaf(5, 7)
        for again in (True, False):
            builder.decision(1, "answer", ("a", "b"))
            if again:
                builder.decision(0, "second", ("c", "d"))
                builder.chance(("x", "y"), (F(2, OTHER), 1 - F(2, OTHER)))
                builder.leaf(5, 7)
                builder.leaf(5, 7)
            builder.leaf(5, 7)
            builder.leaf(5, 7)
    return builder.finish()


def seen() -> tremble.GameTree:
    """A game of perfect information in which all payoffs are equal."""
    builder = tremble.TreeBuilder(title="seen")
    builder.chance(("rare", "usual"), (RARE, 1 - RARE))
    for k in range(2):
        builder.decision(0, f"first {k}", ("a", "b"))
        for j in range(2):
            builder.decision(1, f"second {k} {j}", ("c", "d", "e"))
            for _ in range(3):
                builder.leaf(5, 7)
    return builder.finish()


def decided() -> tremble.GameTree:
    """A game of perfect information in which one action is best at every set without mistakes."""
    builder = tremble.TreeBuilder(title="decided")
    for player, payoff in enumerate((F(3, 7), F(5, 11), 2)):
        builder.decision(player % 2, f"move {player}", ("stop", "go"))
        builder.leaf(*((payoff, 0) if player % 2 == 0 else (0, payoff)))
    builder.leaf(0, 0)
    return builder.finish()


def errors() -> tremble.GameTree:
    """Player 1's first move and player 2's answer matter only if player 1 errs then. The payoffs sum to 0."""
    builder = tremble.TreeBuilder(title="errors")
    builder.decision(0, "first", ("a", "b"))
    for i in range(2):
        builder.decision(1, "answer", ("l", "r"))
        for j in range(2):
            builder.decision(0, f"then {i}", ("good", "bad"))
            builder.leaf(0, 0)
            builder.leaf(*((-4, 4) if i == j else (-6, 6)))
    return builder.finish()


def gift() -> tremble.GameTree:
    """Both players earn 1 if both choose the first action and a rare move of chance does not occur."""
    builder = tremble.TreeBuilder(title="gift")
    builder.chance(("rare", "usual"), (RARE, 1 - RARE))
    builder.leaf(0, 0)
    builder.decision(0, "one", ("a", "b"))
    for u in (1, 0):
        builder.decision(1, "two", ("c", "d", "e"))
        builder.leaf(u, u)
        builder.leaf(0, 0)
        builder.leaf(0, 0)
    return builder.finish()


def visit() -> tremble.GameTree:
    """If player 1 goes in, player 2 earns 1 by the first action, whatever player 1 does then."""
    builder = tremble.TreeBuilder(title="visit")
    builder.decision(0, "go", ("in", "out"))
    builder.decision(1, "answer", ("l", "r"))
    for u in (1, 0):
        builder.decision(0, "then", ("up", "down"))
        builder.leaf(0, u)
        builder.leaf(0, u)
    builder.leaf(0, 0)
    return builder.finish()


def careful() -> tremble.GameTree:
    """Player 1 stays, or goes and must then be careful. The payoffs sum to 0."""
    builder = tremble.TreeBuilder(title="careful")
    builder.decision(0, "go", ("stay", "go"))
    builder.leaf(1, -1)
    builder.decision(1, "answer", ("l", "r"))
    builder.decision(0, "then", ("right", "wrong"))
    builder.leaf(2, -2)
    builder.leaf(-20, 20)
    builder.leaf(3, -3)
    return builder.finish()


HIDDEN, SEEN, DECIDED, GIFT, VISIT = hidden(), seen(), decided(), gift(), visit()
CAREFUL, ERRORS = careful(), errors()
MIXED = strategies_of(HIDDEN, [[1, LONG - 3, 2], [7, OTHER - 7]], [[LONG + 2, OTHER]])
IN, ROW = OTHER * (LONG - 3), [7 * (LONG - 3), (OTHER - 7) * (LONG - 3)]
PLANS = [[LONG * OTHER, OTHER, IN, 2 * OTHER, *ROW], [LONG + OTHER + 2, LONG + 2, OTHER]]


def text(numbers: list[int]) -> list[str]:
    """Return integers as a certificate states them."""
    return list(map(hex, numbers))


# The second set of player 1 follows an action with a long weight. The second tremble of player 2 has the order 3.
WEIGHTS = [[["1", hex(LONG), "7"], ["1", "2/3"]], [["1", hex(OTHER)]]]
ORDERS = [[[1, 1, 1], [1, 1]], [[1, 3]]]


def polynomials(trembles: Any = WEIGHTS, orders: Any = ORDERS) -> dict[str, Any]:
    """Return a certificate with the plans of MIXED for every epsilon, as polynomials of degree 2."""
    x, y = ([text(plan), ["0"] * len(plan), ["0"] * len(plan)] for plan in PLANS)
    denominator = [x[0][0], y[0][0]]
    return {
        "kind": "polynomials", "X": x, "Y": y, "denominator": denominator, "trembles": trembles, "orders": orders
    }  # fmt: skip


def beliefs() -> Any:
    """Return the beliefs of MIXED, where play reaches each node by the weights of chance and the other player."""
    chance = {"rare": RARE, "usual": 1 - RARE}
    a, share = F(LONG + 2, LONG + OTHER + 2), {"in": F(LONG - 3, LONG), "try": F(2, LONG)}
    first = [((c,), p) for c, p in chance.items()]
    second = [((c, "in", "a"), p * a) for c, p in chance.items()]
    answer = [((c, move), p * s) for c, p in chance.items() for move, s in share.items()]
    sides = ([first, second], [answer])
    return [
        [(k, [(path, p / sum(q for _, q in nodes)) for path, p in nodes]) for k, nodes in enumerate(side)]
        for side in sides
    ]


Document = tuple[Any, Any, bool]  # a game, a claim or a list of claims, and True if the kernel accepts it


def trembling(concept: str, certificate: dict[str, Any], **more: Any) -> Document:
    """Return a claim that MIXED satisfies a concept."""
    return HIDDEN, honest(HIDDEN, MIXED, concept, certificate, **more), True


def one_sided() -> Document:
    """Return a claim in which player 1 makes no mistakes."""
    return trembling("one-sided-quasi-perfect", polynomials(["none", WEIGHTS[1]], ["none", ORDERS[1]]))


def ranked() -> Document:
    return trembling("proper", {"kind": "ranked-plans", "X": [text(PLANS[0])], "Y": [text(PLANS[1])] * 2})


def believed() -> Document:
    certificate = {"kind": "consistent-trembles", "trembles": WEIGHTS, "orders": ORDERS}
    return trembling("sequential", certificate, beliefs=beliefs())


def induced() -> Document:
    weights = [[["1", f"{hex(OTHER)}/{hex(LONG)}"]] * 2, [["1", "2/3", "5"]] * 4]
    strategies = strategies_of(SEEN, [[1, 0]] * 2, [[1, 0, 0]] * 4)
    return SEEN, honest(SEEN, strategies, "quasi-perfect", {"kind": "backward-induction", "trembles": weights}), True


def stopped() -> Document:
    weights = [[["1", f"{hex(OTHER)}/{hex(LONG)}"], ["7", hex(LONG)]], [["1", hex(OTHER)]]]
    strategies = strategies_of(DECIDED, [[1, 0]] * 2, [[1, 0]])
    return DECIDED, honest(DECIDED, strategies, "perfect", {"kind": "backward-induction", "trembles": weights}), True


def dominated() -> Document:
    """Return a refutation: player 2 earns more with the first action if player 1 errs."""
    refutation = {
        "concept": "proper", "kind": "dominated", "player": 2, "deviation": [[1, hex(OTHER)], [3, hex(-OTHER)]],
        "cost": "0",
    }  # fmt: skip
    return GIFT, honest(GIFT, strategies_of(GIFT, [[0, 1]], [[0, 1, LONG]], marked=True), refutation=refutation), True


def mistakes() -> Document:
    """Return a refutation: player 2 does not play the action that is best if player 1 goes in."""
    refutation = {
        "concept": "quasi-perfect", "kind": "mistakes", "player": 1, "blocked": [1, 3, 4], "tight": [1],
        "deviation": [[1, hex(2 * LONG)], [2, hex(-2 * LONG)]], "flow": [[2, "1"]],
        "ratio": [[3, hex(LONG)], [4, hex(LONG - 1)]],
    }  # fmt: skip
    strategies = strategies_of(VISIT, [[0, 1], [3, OTHER]], [[0, 1]], marked=True)
    return VISIT, honest(VISIT, strategies, refutation=refutation), True


def mistakes_of_nobody() -> Document:
    """Return a refutation by mistakes of a player without moves: player 2 does not play the best action."""
    refutation = {
        "concept": "quasi-perfect", "kind": "mistakes", "player": 1, "blocked": [0], "tight": [1],
        "deviation": [[1, hex(LONG)], [2, hex(-LONG)]], "flow": [], "ratio": [],
    }  # fmt: skip
    claim = honest(ALONE, strategies_of(ALONE, [], [[0, 1]], marked=True), refutation=refutation)
    return ALONE, replace(claim, status="limit-reached"), True


def with_a_gain() -> Document:
    """Return a claim that is refused, with the place of the greatest loss."""
    return GIFT, honest(GIFT, strategies_of(GIFT, [[1, LONG]], [[1, 0, OTHER]], marked=True)), False


def by_basis(spread: int) -> Document:
    """Return the claim of a basis. With `spread` 2, all orders are 2, and the point is wrong."""
    weights = [[[F(LONG + 2, LONG), F(5)], [F(1), F(OTHER + 1, OTHER)]], [[F(OTHER - 1, OTHER), F(7, 2)]]]
    functions = exact.functions(exact.Program(CAREFUL, weights), ((2, 3), (1,)))
    assert functions is not None
    claim = claim_of(exact.stated(functions, weights))
    if spread == 1:
        return CAREFUL, claim, True
    certificate = {**claim.certificate, "orders": [[[2, 2]] * 2, [[2, 2]]]}
    for name in "XY":
        series = certificate[name]
        certificate[name] = [row for values in series for row in (values, ["0"] * len(values))]
    return CAREFUL, replace(claim, certificate=certificate), False


def with_a_pole(rows: Any = None, **changes: Any) -> Document:
    """Return the claim of a basis whose system is singular for epsilon = 0, or a false claim with some changes."""
    weights = [[[F(1), F(1)], [F(1), F(LONG + 1, LONG)], [F(1), F(LONG + 1, LONG)]], [[F(OTHER + 1, OTHER), F(7, 2)]]]
    functions = exact.functions(exact.Program(ERRORS, weights), ((1, 2, 3, 5), (1, 2)))
    assert functions is not None
    claim = claim_of(exact.stated(functions, weights))
    certificate = {**claim.certificate, "Y": claim.certificate["Y"][:-1], **changes}  # one order less than X
    strategies = claim.strategies if rows is None else strategies_of(ERRORS, *rows)
    return ERRORS, replace(claim, strategies=strategies, certificate=certificate), rows is None and not changes


def listed() -> Document:
    """Return a list of all pairs of two plans of each player."""
    plans = MIXED, strategies_of(HIDDEN, [[1, 2, 1], [1, 1]], [[1, 1]])
    pairs = ((0, 0), (0, 1), (1, 0), (1, 1))
    members = tuple(honest(HIDDEN, (plans[i][0], plans[j][1])) for i, j in pairs)
    more = {"maximal_subsets": (((0, 1), (0, 1)),), "components": ((0, 1, 2, 3),)}
    return HIDDEN, ListClaim(members, HIDDEN.digest, pairs=pairs, **more), True


def long_list(payoffs: list[list[int]]) -> Document:
    """Return a list of 64 plans of the player who has 63 actions; the other player has one action."""
    game, moves = tremble.matrix_game(payoffs), range(64)
    plans = [[[int(i == k) for i in range(63)]] for k in range(63)] + [[[1] * 63]]
    sides = [(plan, [[1]]) if len(payoffs) > 1 else ([[1]], plan) for plan in plans]
    pairs = tuple((k, 0) if len(payoffs) > 1 else (0, k) for k in moves)
    all_plans = (tuple(moves), (0,)) if len(payoffs) > 1 else ((0,), tuple(moves))
    members = tuple(honest(game, strategies_of(game, *rows)) for rows in sides)
    return game, ListClaim(members, game.digest, pairs=pairs, maximal_subsets=(all_plans,)), True


FALSE_ROW = [{"row": 1, "combination": [[1, hex(LONG)], [2, hex(OTHER)]]}]
FIFTY = tremble.matrix_game([[0] * 10] * 5)  # the payoff matrix has 50 entries
COSTS: dict[str, tuple[Callable[[], Document], int, int, int]] = {
    "nash": (lambda: (HIDDEN, honest(HIDDEN, MIXED), True), 72, 110_139, 129_857),
    "nash, 50 payoffs": (
        lambda: (FIFTY, honest(FIFTY, strategies_of(FIFTY, [[1] * 5], [[1] * 10])), True),
        37,
        2717,
        0,
    ),
    "nash, refused": (with_a_gain, 44, 17_127, 37_245),
    "subgame-perfect": (lambda: (HIDDEN, honest(HIDDEN, MIXED, "subgame-perfect"), True), 527, 283_762, 548_026),
    "quasi-perfect": (lambda: trembling("quasi-perfect", polynomials()), 108, 162_663, 184_994),
    "any trembles": (lambda: trembling("quasi-perfect", polynomials("any", None)), 100, 140_913, 174_448),
    "one-sided-quasi-perfect": (one_sided, 101, 142_641, 174_448),
    "normal-form-perfect": (lambda: trembling("normal-form-perfect", polynomials()), 102, 150_099, 159_516),
    "proper": (ranked, 97, 175_787, 207_681),
    "sequential": (believed, 141, 213_240, 277_942),
    "backward induction": (induced, 69, 170_957, 290_251),
    "backward induction, decided": (stopped, 22, 91_300, 121_628),
    "basis": (lambda: by_basis(1), 193, 276_601, 343_815),
    "basis, higher orders": (lambda: by_basis(2), 231, 790_856, 660_391),
    "basis, pole": (with_a_pole, 201, 191_080, 281_245),
    "basis, wrong limits": (lambda: with_a_pole(([[1, LONG], [1, 0], [1, 0]], [[1, 1]])), 216, 195_823, 300_923),
    "basis, false row": (lambda: with_a_pole(row_operations=FALSE_ROW), 165, 169_924, 234_247),
    "dominated": (dominated, 38, 11_006, 37_876),
    "mistakes": (mistakes, 23, 11_180, 28_879),
    "mistakes of nobody": (mistakes_of_nobody, 13, 1074, 3807),
    "list": (listed, 292, -9_603_613, 265_920),
    "list, 64 plans of player 1": (lambda: long_list([[0]] * 63), 8837, -795_881_882, -8_322_944),
    "list, 64 plans of player 2": (lambda: long_list([[0] * 63]), 8774, -406_900_082, -4_259_712),
}
"""For each kind of document: the calls of `tick`, the steps, and the bits. Lists also increase the limits."""


@pytest.mark.parametrize("kind", COSTS)
def test_the_check_of_a_document_costs_exactly(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, *expected = COSTS[kind]
    game, claim, accepted = make()
    monkeypatch.setattr(elimination, "TOGETHER", 0)  # so that short eliminations are charged, too
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    limits = Limits.for_game(game.num_nodes, tick)
    before = limits.steps, limits.bits
    found = (check_list if isinstance(claim, ListClaim) else check)(game, claim, limits)
    assert found.ok == accepted, found.problems
    assert [ticks, before[0] - limits.steps, before[1] - limits.bits] == expected


# -- the limits ----------------------------------------------------------------------------------------


def test_limits_grow_with_the_game() -> None:
    limits = Limits.for_game(3)
    assert (limits.steps, limits.bits) == limits.allowed == (10**10 + 3 * 10**5, 2**32 + 3 * 2**10)
    limits.spend("here", 7)
    limits.keep("here", 5)
    limits.grant(2)
    assert limits.allowed == (10**10 + 5 * 10**5, 2**32 + 5 * 2**10)
    assert (limits.steps, limits.bits) == (limits.allowed[0] - 7, limits.allowed[1] - 5)


def test_short_numbers_are_free() -> None:
    limits = Limits(1000, 10_000)
    limits.charge("here", 256, 256, 10**9)
    assert (limits.steps, limits.bits) == (1000, 10_000)
    limits.charge("here", 257, 256)
    assert (limits.steps, limits.bits) == (1000 - 9 * 9, 10_000 - 513)
    limits.charge("here", 30, 600, 3)
    assert (limits.steps, limits.bits) == (1000 - 9 * 9 - 3 * 2 * 21, 10_000 - 513 - 3 * 630)
    assert (steps_of(29, 29), steps_of(30, 29), steps_of(59, 90)) == (1, 2, 8)
    assert (length_of(F(-3, 4)), length_of(7)) == (5, 4)


def test_limits_may_be_used_up_and_not_exceeded() -> None:
    Limits(2 * 10**9, 0).spend("here", 10**9, 2)
    Limits(0, 513).keep("here", 513)
    used = Limits(0, 0)
    used.keep("here", -5)
    used.keep("here", 5)
    used.spend("here", 0)
    for exceed in (lambda: used.spend("here", 1), lambda: used.keep("here", 1)):
        with pytest.raises(TooLarge, match="here: too large to check: the"):
            exceed()
    with pytest.raises(TooLarge, match="a single operation"):
        Limits(10**12, 0).spend("here", 10**9 + 1)


def test_a_common_denominator_costs_three_operations_for_each_pair() -> None:
    limits = Limits(10**6, 10**6)
    assert common_denominator((LONG, 7, LONG, 4, OTHER), limits, "here") == LONG * OTHER * 28
    # The function combines neighbors in ascending order: 4 and 7, LONG and OTHER, then both products.
    pairs = ((4, 7), (LONG, OTHER), (28, LONG * OTHER))
    lengths = [(a.bit_length(), b.bit_length()) for a, b in pairs if a.bit_length() + b.bit_length() > 512]
    assert 10**6 - limits.steps == sum(3 * steps_of(*both) for both in lengths)
    assert 10**6 - limits.bits == sum(3 * sum(both) for both in lengths)
    assert common_denominator([], limits, "here") == 1
