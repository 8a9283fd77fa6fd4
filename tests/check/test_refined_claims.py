"""The verifier's proofs of refinements: certificates made by hand, all ways to spoil them, a naive second opinion."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tremble
from hand_made import chain, kuhn, random_game, solution_of
from mutations import slots
from second_opinions import (
    TINY,
    F,
    Plans,
    Table,
    Weights,
    beliefs_of,
    chance_to,
    follow,
    is_quasi_perfect,
    is_rational,
    last_sequence,
    moves,
    nodes_of,
    order,
    parsed,
    plan_at,
    pure,
    pure_plan,
    stated,
    take_it,
    trembles,
)
from tremble import CHANCE, TERMINAL, BehaviorStrategy, GameTree, Solution, TreeBuilder, verify
from tremble.solution import certificates
from tremble.solution.claim import BeliefRow
from tremble.solution.claims import GameReference
from tremble.status import Status

# -- perturbed plans, their limits, and the solution that states them -------------------------------


# -- a second opinion, by the definition, at one tiny epsilon ---------------------------------------


# -- games --------------------------------------------------------------------------------------


def invitation() -> GameTree:
    """General sum: player 2 sees only that 1 did not stay out, and would rather be met at the bar."""
    builder = TreeBuilder(title="invitation")
    builder.decision(0, "out?", ("out", "bar", "zoo"))
    builder.leaf(2, 2)
    builder.decision(1, "where?", ("bar", "zoo"))
    builder.leaf(3, 4)
    builder.leaf(0, 1)
    builder.decision(1, "where?", ("bar", "zoo"))
    builder.leaf(1, 0)
    builder.leaf(1, 3)
    return builder.finish()


def all_pure(tree: GameTree) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    choices = [list(itertools.product(*(range(len(a)) for a in tree.actions[player]))) for player in (0, 1)]
    yield from itertools.product(*choices)


def problems(tree: GameTree, solution: Solution) -> tuple[str, ...]:
    found = verify(tree, solution)
    assert found.ok == (not found.problems)
    if solution.status == Status.CERTIFIED:
        assert verify(tree, Solution.from_text(solution.to_text())).problems == found.problems
    return found.problems


def with_payoffs(tree: GameTree, payoff: Callable[[], tuple[F | int, F | int]]) -> GameTree:
    """The same tree with other payoffs."""
    builder = TreeBuilder(title=tree.title)
    for node in tree.in_preorder.tolist():
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == CHANCE:
            builder.chance(tree.chance_tables[k].labels, tree.chance_tables[k].probabilities)
        elif mover == TERMINAL:
            builder.leaf(*payoff())
        else:
            builder.decision(mover, k, tree.actions[mover][k], tree.infoset_labels[mover][k])
    return builder.finish()


def small_game(seed: int, rng: random.Random, *, zero_sum: bool) -> GameTree:
    """A random game with many ties, few enough that much is an equilibrium."""

    def payoff() -> tuple[int, int]:
        u = rng.choice((0, 0, 1, 2))
        return u, -u if zero_sum else rng.choice((0, 0, 1, 2))

    return with_payoffs(random_game(seed, depth=5), payoff)


def random_weights(tree: GameTree, rng: random.Random) -> Weights:
    if rng.random() < 0.5:
        return None
    return [[[F(rng.randint(1, 5), rng.randint(1, 3)) for _ in labels] for labels in sets] for sets in tree.actions]


def settle(tree: GameTree, rng: random.Random, weights: Weights) -> tuple[list[int], list[int]] | None:
    """Pure best replies to the trembling other in turn; None if they go on for long."""
    choice = [[rng.randrange(len(a)) for a in sets] for sets in tree.actions]
    for _ in range(12):
        old = deepcopy(choice)
        for player in (0, 1):
            table, whole = pure_plan(tree, 1 - player, choice[1 - player], weights)
            worth: dict[int, list[F]] = {}
            follow(tree, player, plan_at(table, whole, TINY), [(0, F(1))], worth)
            for k, amounts in worth.items():
                if amounts[choice[player][k]] < max(amounts):
                    choice[player][k] = amounts.index(max(amounts))
        if choice == old:
            return choice[0], choice[1]
    return None


def random_plan(tree: GameTree, player: int, rng: random.Random, weights: Weights = None) -> tuple[Table, int]:
    """A plan with random coefficients that never plays less than its trembles."""
    least = trembles(tree, player, weights)
    size = 2 + max(degree for degree, _ in least)
    plan = [[F(0)] * size for _ in least]
    plan[0][0] = F(1)
    for _, prior, sequences in moves(tree, player):
        rest = list(plan[prior])
        for q in sequences:
            degree, weight = least[q]
            plan[q][degree] += weight
            rest[degree] -= weight
        shares = [rng.choice((0, 0, 1, 2)) for _ in sequences]
        shares[rng.randrange(len(shares))] = 1
        for q, share in zip(sequences, shares, strict=True):
            plan[q] = [c + r * F(share, sum(shares)) for c, r in zip(plan[q], rest, strict=True)]
        played = [q for q, share in zip(sequences, shares, strict=True) if share]
        lowest = next(degree for degree, c in enumerate(rest) if c)
        if len(played) > 1 and lowest + 1 < size and rng.random() < 0.5:  # more at a higher order
            degree, amount = rng.randrange(lowest + 1, size), F(rng.randint(-5, 5), 3)
            plan[played[0]][degree] += amount
            plan[played[1]][degree] -= amount
    whole = 1
    for c in itertools.chain.from_iterable(plan):
        whole *= c.denominator // F(whole, c.denominator).denominator if whole % c.denominator else 1
    for c in itertools.chain.from_iterable(plan):
        whole *= F(c * whole).denominator
    return [[int(c[degree] * whole) for c in plan] for degree in range(size)], whole


# -- what is true passes ----------------------------------------------------------------------------


GUESS, GIFT, SAFE = (tremble.load(spec) for spec in ("guess_the_ace", "guess_the_ace:gift=true", "safe_or_risky"))
CONCEPTS = pytest.mark.parametrize("concept", ["quasi-perfect", "sequential"])


@CONCEPTS
@pytest.mark.parametrize(
    ("tree", "passing"),
    [
        (GUESS, [((0,), (1,))]),
        (GIFT, [((0, 1, 1), (1,))]),
        (SAFE, [((0, 0), ()), ((1, 0), ())]),
        (take_it(), [((0,), (1,))]),
        (invitation(), [((0,), (1,)), ((1,), (0,))]),
    ],
)
def test_pure_profiles(tree: GameTree, passing: list[Any], concept: str) -> None:
    """Of all pure profiles exactly these."""
    for one, two in all_pure(tree):
        found = problems(tree, pure(tree, one, two, concept=concept))
        assert (not found) == ((one, two) in passing), (one, two, found)


@CONCEPTS
def test_pennies(concept: str) -> None:
    """Mixed, with nothing left to tremble: degree 0 is enough, and another degree changes nothing."""
    tree = tremble.load("matching_pennies")
    for x in ([[2, 1, 1]], [[2, 1, 1], [0, 0, 0]], [[4, 2, 2], [0, 0, 0], [0, 0, 0]]):
        assert problems(tree, stated(tree, (x, [[2, 1, 1]]), (x[0][0], 2), concept=concept)) == ()
    shifted = [[2, 1, 1], [0, 0, 0], [0, 1, -1]]
    found = problems(tree, stated(tree, (shifted, [[2, 1, 1]]), (2, 2), concept=concept))
    assert found == (
        "player 2, information set 1 ('penny of player 2'): 'heads' is played beyond its tremble, "
        "but 'tails' earns more at order e^2",
    )


@CONCEPTS
@pytest.mark.parametrize("weight", [F(1), F(3), F(1, 3), F(10**40, 7)])
def test_weights_of_trembles(concept: str, weight: F) -> None:
    weights: Weights = [[[F(2), F(5, 2)], [F(1), F(9)], [weight, F(1)]], [[F(1), weight]]]
    assert problems(GIFT, pure(GIFT, (0, 1, 1), (1,), weights, concept)) == ()
    other = pure(GIFT, (0, 1, 1), (0,), weights, concept)
    assert "'yes' is played beyond its tremble, but 'no' earns more at order e^1" in problems(GIFT, other)[0]


def test_weights_decide() -> None:
    """Who errs more towards the zoo is met there: the belief, and with it the best reply, follows the weights."""
    tree = invitation()
    for weights, zoo in (([1, 1, 1], True), ([1, 2, 1], False), ([1, 1, 2], True), ([7, 1, 1], True)):
        table: Weights = [[[F(w) for w in weights]], [[F(1), F(1)]]]
        solution = pure(tree, (0,), (int(zoo),), table, "sequential")
        if zoo:
            assert problems(tree, solution) == ()
        assert solution.beliefs is not None
        assert solution.beliefs[1][0].nodes[0][1] == F(weights[1], weights[1] + weights[2])


def test_a_root_that_is_a_leaf() -> None:
    builder = TreeBuilder()
    builder.leaf(F(1, 3), 2)
    for concept in ("quasi-perfect", "sequential"):
        tree = builder.finish()
        assert problems(tree, stated(tree, ([[1]], [[5], [0]]), (1, 5), concept=concept)) == ()


def test_where_chance_never_comes() -> None:
    """No belief, and any play is good there."""
    builder = TreeBuilder()
    builder.chance(("never", "always"), (0, 1))
    for name in "ny":
        builder.decision(0, name, ("a", "b"))
        builder.decision(1, name, ("c", "d"))
        builder.leaf(1, -1)
        builder.leaf(2, -2)
        builder.leaf(0, 0)
    tree = builder.finish()
    for one, two in all_pure(tree):
        solution = pure(tree, one, two, concept="sequential")
        assert (not problems(tree, solution)) == (one[1] == 0 and two[1] == 0)
        assert solution.beliefs is not None
        assert solution.beliefs[0][0].nodes == ()
        row = BeliefRow(0, ((("never",), F(1)),))
        forged = replace(solution, beliefs=((row, solution.beliefs[0][1]), solution.beliefs[1]))
        assert any("chance never reaches this set" in problem for problem in problems(tree, forged))


def test_long_games() -> None:
    tree = chain(40)
    solution = pure(tree, [1] * 20, [1] * 20, concept="sequential")
    assert problems(tree, solution) == ()
    assert len(solution.certificate["X"]) == 21
    last = pure(tree, [1] * 19 + [0], [1] * 20)
    assert "player 1, information set 20: 'stop' is played beyond its tremble" in problems(tree, last)[1]
    cut = tampered(solution, lambda c: c["X"].pop())
    assert any("beyond the plan's last order" in problem for problem in problems(tree, cut))


# -- what is wrong fails, with the place ------------------------------------------------------------


def tampered(solution: Solution, change: Callable[[dict[str, Any]], object]) -> Solution:
    certificate = deepcopy(dict(solution.certificate))
    change(certificate)
    return replace(solution, certificate=certificate)


@pytest.mark.parametrize("delta", [1, -1, 10**60])
def test_every_coefficient_counts(delta: int) -> None:
    """A single one breaks the flow at the set of its action, at its degree."""
    for tree, one, two in ((GUESS, (0,), (1,)), (GIFT, (0, 1, 1), (1,)), (invitation(), (0,), (1,))):
        solution = pure(tree, one, two, concept="sequential")
        for player, name in enumerate("XY"):
            for d, row in enumerate(solution.certificate[name]):
                for q in range(len(row)):

                    def change(c: dict[str, Any], name: str = name, d: int = d, q: int = q) -> None:
                        c[name][d][q] = str(int(c[name][d][q]) + delta)

                    first = problems(tree, tampered(solution, change))[0]
                    if q == 0:
                        assert first.startswith(f"certificate.{name}[{d}][0]: the empty sequence"), first
                    else:
                        assert re.match(rf"player {player + 1}, information set \d.*: at order e\^{d} the act", first)


def test_what_is_moved_between_actions() -> None:
    """The flow stays whole: a proof passes exactly if it still is one."""
    verdicts = set()
    for tree, one, two in ((GUESS, (0,), (1,)), (GIFT, (0, 1, 1), (1,)), (SAFE, (0, 0), ()), (SAFE, (1, 0), ())):
        (x, p), (y, r) = pure_plan(tree, 0, one), pure_plan(tree, 1, two)
        y.append([0] * len(y[0]))  # a degree more than needed
        for player, table in enumerate((x, y)):
            for (_, _, sequences), d, delta in itertools.product(moves(tree, player), range(len(table)), (1, -1)):
                changed = deepcopy((x, y))
                changed[player][d][sequences[0]] += delta
                changed[player][d][sequences[1]] -= delta
                for k, prior, below in moves(tree, player):  # pass the difference on, to no mere tremble
                    if prior in sequences:
                        changed[player][d][below[(one, two)[player][k]]] += delta if prior == sequences[0] else -delta
                truth = is_quasi_perfect(tree, changed, (p, r))
                try:
                    solution = stated(tree, changed, (p, r))
                except (tremble.TrembleError, StopIteration):  # no limits, or no strategies
                    assert not truth
                    continue
                assert (not problems(tree, solution)) == truth, (tree.title, player, sequences, d, delta)
                verdicts.add(truth)
    assert verdicts == {True, False}


def test_the_unrefined_equilibrium() -> None:
    """Yes is a best reply to a player 1 who stops, but not to one who trembles."""
    yes = pure(GUESS, (0,), (0,), concept="sequential")
    assert verify(GUESS, solution_of(GUESS, yes.strategies)).nash_conv == 0
    assert problems(GUESS, yes) == (
        "player 2, information set 1 ('ace of spades?'): 'yes' is played beyond its tremble, "
        "but 'no' earns more at order e^1",
        "player 2, information set 1 ('ace of spades?'): 'yes' is played with probability 1, "
        "but given the belief 'no' earns more",
    )
    # The plans of the refined one do not have this limit ...
    no = pure(GUESS, (0,), (1,))
    assert problems(GUESS, replace(yes, certificate=no.certificate, beliefs=None, concept="quasi-perfect")) == (
        "player 2, information set 1 ('ace of spades?'): the limit of the probability of 'yes' is "
        "stated as 1, but it is 0 (off by about 1)",
        "player 2, information set 1 ('ace of spades?'): the limit of the probability of 'no' is "
        "stated as 0, but it is 1 (off by about 1)",
    )
    # ... and plans without trembles prove nothing.
    bare = replace(yes, certificate=yes.certificate | {"X": [["1", "1", "0"]], "Y": [["1", "1", "0"]]})
    assert "'offer' is played less than its tremble: 0 at order e^1, beyond" in problems(GUESS, bare)[0]


def test_a_dominated_action_off_the_path() -> None:
    gives = pure(GIFT, (0, 0, 1), (1,))
    assert verify(GIFT, gives).nash_conv == 0
    assert (
        "player 1, information set 2 ('heard yes'): 'give' is played beyond its tremble, "
        "but 'keep' earns more at order e^1"
    ) in problems(GIFT, gives)
    trusting = pure(SAFE, (0, 1), ())
    assert problems(SAFE, trusting) == (
        "player 1, information set 2 ('second move'): 'mistake' is played beyond its tremble, "
        "but 'careful' earns more at order e^0",
    )


def set_at(*keys: Any) -> Callable[[dict[str, Any]], object]:
    """Put the last argument where the others lead to."""

    def change(certificate: dict[str, Any]) -> None:
        holder: Any = certificate
        for key in keys[:-2]:
            holder = holder[key]
        holder[keys[-2]] = keys[-1]

    return change


ONES = [[["1", "1"], ["1", "1"], ["1", "1"]], [["1", "1"]]]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda c: c.clear(), r"certificate\.kind: "),
        (set_at("kind", "best-response"), r"certificate\.kind: 'best-response'; the concept"),
        (set_at("kind", ["x" * 10**6]), r"certificate\.kind: \['xxx"),
        (set_at("more", 1), r"certificate\.more: there is no such field"),
        *((lambda c, key=key: c.pop(key), rf"certificate\.{key}: missing") for key in ("X", "Y", "trembles")),
        (lambda c: c.pop("denominator"), r"certificate\.denominator: missing"),
        *(
            (set_at("X", value), r"certificate\.X: must be a list that contains, for each degree, a list of integers")
            for value in (None, [], "1", 1, {}, 1.5)
        ),
        *((set_at("Y", 1, value), r"certificate\.Y\[1\]: not a list of 3") for value in (None, "111", 1, {"0": 1})),
        (set_at("Y", 1, ["0"]), r"certificate\.Y\[1\]: not a list of 3"),
        (lambda c: c["X"][2].append("0"), r"certificate\.X\[2\]: not a list of 7"),
        *(
            (set_at("X", 2, 3, value), r"certificate\.X\[2\]\[3\]: not an exact number as text")
            for value in (None, 1, 1.5, True, [], ["0"], {}, F(np.int64(1)))
        ),
        (set_at("X", 2, 3, "1.5"), r"certificate\.X\[2\]\[3\]: not an exact number as text, but '1\.5'"),
        (set_at("X", 2, 3, ""), r"certificate\.X\[2\]\[3\]: not an exact number as text, but ''"),
        (set_at("X", 2, 3, "1/2"), r"certificate\.X\[2\]\[3\]: must be an integer, not 1/2"),
        (set_at("X", 2, 3, "2/1"), r"certificate\.X\[2\]\[3\]: '2/1' is not in lowest terms"),
        (set_at("X", 2, 3, "9" * 5000), r"certificate\.X\[2\]\[3\]: not an exact number as text, but '9{39}"),
        (
            set_at("X", 2, 3, "0x" + "9" * 10**6),
            r"certificate\.X\[2\]\[3\]: the number has 1,000,002 characters, but at most 200,000 are allowed",
        ),
        (set_at("X", 2, 3, "0x" + "9" * 10**5), r"player 1, information set 2 .*: at order e\^2 the actions sum to"),
        (set_at("X", 0, 0, "2"), r"certificate\.X\[0\]\[0\]: .* its coefficient must be the denominator, not 2"),
        (set_at("Y", 1, 0, "-1"), r"certificate\.Y\[1\]\[0\]: .* its coefficient must be 0, not -1"),
        *((set_at("denominator", value), r"certificate\.denominator: not a list of 2") for value in (None, "1", 1)),
        (set_at("denominator", ["1"]), r"certificate\.denominator: not a list of 2"),
        (set_at("denominator", 1, 1), r"certificate\.denominator\[1\]: not an exact number as text"),
        *(
            (
                set_at("denominator", 1, value),
                rf"certificate\.denominator\[1\]: must be a positive integer, not {value}",
            )
            for value in ("0", "-1")
        ),
        (set_at("denominator", 1, "1/2"), r"certificate\.denominator\[1\]: must be an integer, not 1/2"),
        (set_at("denominator", 1, "2"), r"certificate\.Y\[0\]\[0\]: .* its coefficient must be the denominator, not 1"),
        *((set_at("trembles", v), r"certificate\.trembles: not a list of 2") for v in (1, "1", [], {})),
        (
            set_at("trembles", [None, None]),
            r"certificate\.trembles\[0\]: must be a list for each information set, not ",
        ),
        (set_at("trembles", [ONES[0], ONES[0]]), r"certificate\.trembles\[1\]: not a list of 1"),
        (set_at("trembles", [[*ONES[0][:2], "11"], ONES[1]]), r"certificate\.trembles\[0\]\[2\]: not a list of 2"),
        (set_at("trembles", [[*ONES[0][:2], ["1"]], ONES[1]]), r"certificate\.trembles\[0\]\[2\]: not a list of 2"),
        *(
            (
                set_at("trembles", [ONES[0], [["1", value]]]),
                rf"certificate\.trembles\[1\]\[0\]\[1\]: the weight of a tremble must be positive, not {value}",
            )
            for value in ("0", "-1/3")
        ),
        (set_at("trembles", [ONES[0], [["1", 1]]]), r"certificate\.trembles\[1\]\[0\]\[1\]: not an exact number as t"),
        (
            set_at("trembles", [ONES[0], [["2", "1"]]]),
            r"player 2, information set 1 .*: 'yes' is played less than its tremble: 1 at order e\^1, not 2",
        ),
        (
            set_at("trembles", [ONES[0], [["1/2", "1"]]]),
            r"player 2, information set 1 .*: 'yes' is played beyond its tremble, but 'no' earns more at order e\^1",
        ),
    ],
)
def test_malformed_certificates(change: Any, place: str) -> None:
    found = verify(GIFT, tampered(pure(GIFT, (0, 1, 1), (1,)), change)).problems
    assert found, place
    assert re.match(place, found[0]), found


def test_equal_trembles_may_be_written_out() -> None:
    assert problems(GIFT, tampered(pure(GIFT, (0, 1, 1), (1,)), set_at("trembles", ONES))) == ()


def test_negative_play_of_high_order() -> None:
    """-e^2 is negative however small, and so is a plan that is zero."""
    below = stated(GUESS, ([[1, 1, 0], [0, 0, 0], [0, 1, -1]], [[1, 0, 1], [0, 1, -1]]), (1, 1))
    assert problems(GUESS, below)[0] == (
        "player 1, information set 1 ('offer?'): 'offer' is played less than its tremble: 0 at order e^1, not 1"
    )
    short = stated(GUESS, ([[1, 1, 0], [0, -1, 1], [0, 1, -1]], [[1, 0, 1], [0, 1, -1]]), (1, 1))
    assert "'offer' is played less than its tremble: -1 at order e^2, not 0" in problems(GUESS, short)[0]
    more = stated(GUESS, ([[1, 1, 0], [0, -1, 1], [0, -1, 1]], [[1, 0, 1], [0, 1, -1]]), (1, 1))
    assert "'offer' is played beyond its tremble, but 'stop' earns more at order e^0" in problems(GUESS, more)[0]


@CONCEPTS
def test_every_probability_counts(concept: str) -> None:
    """On the path or off it: 1e-12 more for one action, and it is not the limit."""
    solution = pure(GIFT, (0, 1, 1), (1,), concept=concept)
    for player, k in ((0, 0), (0, 1), (0, 2), (1, 0)):
        rows = [list(row) for row in solution.strategies[player]]
        better = rows[k].index(1)
        rows[k] = [p + (F(-1) if j == better else F(1)) / 10**12 for j, p in enumerate(rows[k])]
        changed = BehaviorStrategy.from_rows(GIFT, player, rows)
        pair = list(solution.strategies)
        pair[player] = replace(changed, off_path=changed.off_path & False)
        found = problems(GIFT, replace(solution, strategies=(pair[0], pair[1])))
        label = GIFT.infoset_labels[player][k]
        where = f"player {player + 1}, information set {k + 1} ({label!r}): the limit of the probability of "
        assert sum(problem.startswith(where) and "1e-12" in problem for problem in found) == 2, found


def test_marks_and_bounds_and_values() -> None:
    solution = pure(GIFT, (0, 1, 1), (1,))
    marked = replace(solution.strategies[0], off_path=solution.strategies[0].off_path | [False, True, False])
    found = problems(GIFT, replace(solution, strategies=(marked, solution.strategies[1])))
    assert found == (
        "player 1, information set 2 ('heard yes'): marked off_path, but the concept 'quasi-perfect' defines play "
        "everywhere",
    )
    assert "bounds" in problems(GIFT, replace(solution, bounds=(F(0), F(1))))[0]
    assert "bounds: missing" in problems(GIFT, replace(solution, bounds=None))[0]
    assert "values[0]" in problems(GIFT, replace(solution, values=(F(1), F(-1))))[0]
    assert "game.digest" in problems(GIFT, replace(solution, game=GameReference.of(GUESS)))[0]
    assert "limit-reached" in problems(GIFT, replace(solution, status=Status.LIMIT_REACHED))[0]


@CONCEPTS
def test_bounded(concept: str) -> None:
    """What was not reached states bounds and best responses only."""
    tree = kuhn()
    uniform = BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
    bounded = replace(solution_of(tree, uniform, Status.BOUNDED), requested=concept)
    assert problems(tree, bounded) == ()
    assert problems(tree, replace(bounded, concept=concept))[0].startswith(f"concept: '{concept}' is not proven")
    assert "certificate.kind" in problems(tree, replace(bounded, certificate={"kind": "polynomials"}))[0]
    assert "lower bound" in problems(tree, replace(bounded, bounds=(F(0), F(1))))[0]
    assert problems(tree, replace(bounded, beliefs=((), ())))[0].startswith("beliefs: ")
    certified = problems(tree, replace(bounded, concept=concept, status=Status.CERTIFIED))
    assert any("can gain" in problem for problem in certified)
    assert any("certificate.kind: 'best-response'" in problem for problem in certified)
    wrong = certificates.best_response((F(0), F(0)), (F(0), F(0)))
    assert "certificate.best_response_values[0]" in " ".join(problems(tree, replace(bounded, certificate=wrong)))


# -- beliefs ------------------------------------------------------------------------------------


def believing(solution: Solution, player: int, rows: Sequence[BeliefRow]) -> Solution:
    assert solution.beliefs is not None
    pair = list(solution.beliefs)
    pair[player] = tuple(rows)
    return replace(solution, beliefs=(pair[0], pair[1]))


def test_beliefs_are_what_the_trembles_leave() -> None:
    solution = pure(GIFT, (0, 1, 1), (1,), concept="sequential")
    assert solution.beliefs is not None
    (row,) = solution.beliefs[1]
    assert row.nodes == ((("ace of spades", "offer"), F(1, 52)), (("another card", "offer"), F(51, 52)))
    assert problems(GIFT, replace(solution, beliefs=None)) == (
        "beliefs: missing; the concept 'sequential' needs beliefs",
    )
    assert problems(GIFT, replace(solution, concept="quasi-perfect")) == (
        "beliefs: the concept 'quasi-perfect' defines no beliefs",
    )
    half = BeliefRow(0, ((row.nodes[0][0], F(1, 2)), (row.nodes[1][0], F(1, 2))))
    where = "player 2, information set 1 ('ace of spades?')"
    assert problems(GIFT, believing(solution, 1, [half]))[0] == (
        f"{where}: the belief in 'ace of spades / offer' is stated as 1/2, but it is 1/52 (off by about 0.480769)"
    )
    for nodes, problem in (
        (row.nodes[:1], "the belief names 1 nodes, but the set has 2"),
        ((), "the belief names 0 nodes, but the set has 2"),
        (row.nodes[::-1], "node 1 of the belief is not"),
        (((("ace of spades",), F(1, 52)), row.nodes[1]), "node 1 of the belief is not"),
        ((((), F(1, 52)), row.nodes[1]), "node 1 of the belief is not"),
        (((("ace of spades", "offer", "yes"), F(1, 52)), row.nodes[1]), "node 1 of the belief is not"),
        (((("", "ace of spades", "offer"), F(1, 52)), row.nodes[1]), "node 1 of the belief is not"),
        ((row.nodes[0], ((*row.nodes[1][0][:1], "stop"), F(51, 52))), "node 2 of the belief is not"),
        ((row.nodes[0], (row.nodes[1][0], F(52, 52))), "the belief in 'another card / offer' is stated as 1"),
        ((row.nodes[0], (row.nodes[1][0], F(-51, 52))), "the belief in 'another card / offer' is stated as -51/52"),
    ):
        assert f"{where}: {problem}" in problems(GIFT, believing(solution, 1, [BeliefRow(0, nodes)]))[0]
    for rows in ([], [row, row], [BeliefRow(1, row.nodes)], [BeliefRow(-1, row.nodes)]):
        assert problems(GIFT, believing(solution, 1, rows)) == (
            "beliefs[1]: must have one row for each of the 1 information sets, in order",
        )
    first = solution.beliefs[0]
    assert "beliefs[0]: must have one row" in problems(GIFT, believing(solution, 0, [first[0], first[2], first[1]]))[0]


# -- the second opinion -----------------------------------------------------------------------------


def spoil(tree: GameTree, plans: Plans, rng: random.Random) -> None:
    """Move a coefficient between two actions, and on from there."""
    player = rng.choice([p for p in (0, 1) if tree.num_infosets[p]])
    table = plans[player]
    _, _, sequences = rng.choice(list(moves(tree, player)))
    degree, amount = rng.randrange(len(table)), rng.choice((1, -1, 2, 10**30))
    shift = {rng.choice(sequences): amount}
    other = rng.choice(sequences)
    shift[other] = shift.get(other, 0) - amount
    for _, prior, below in moves(tree, player):
        if shift.get(prior):
            shift[rng.choice(below)] = shift[prior]
    for q, value in shift.items():
        table[degree][q] += value


def agree(tree: GameTree, plans: Plans, wholes: tuple[int, int], weights: Weights) -> bool:
    truth = is_quasi_perfect(tree, plans, wholes, weights)
    try:
        solution = stated(tree, plans, wholes, weights, "sequential")
    except (tremble.TrembleError, StopIteration, ZeroDivisionError):  # no limits, or no strategies
        assert not truth
        return False
    found = problems(tree, replace(solution, concept="quasi-perfect", beliefs=None))
    assert (not found) == truth, found
    assert (not problems(tree, solution)) == truth
    if truth:  # what follows from it
        assert verify(tree, solution).nash_conv == 0
        assert is_rational(tree, solution)
    return truth


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**9), zero_sum=st.booleans())
def test_often_agrees_with_the_definition(seed: int, zero_sum: bool) -> None:
    require_agreement(seed, zero_sum=zero_sum)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**9), zero_sum=st.booleans())
def test_agrees_with_the_definition(seed: int, zero_sum: bool) -> None:
    require_agreement(seed, zero_sum=zero_sum)


def require_agreement(seed: int, *, zero_sum: bool) -> None:
    rng = random.Random(seed)
    tree = small_game(seed, rng, zero_sum=zero_sum)
    if tree.num_nodes > 150 or not sum(tree.num_infosets):
        return
    weights = random_weights(tree, rng)
    plans = [random_plan(tree, player, rng, weights) for player in (0, 1)]
    agree(tree, (plans[0][0], plans[1][0]), (plans[0][1], plans[1][1]), weights)
    choice = settle(tree, rng, weights)
    if choice is None:
        return
    (x, p), (y, r) = (pure_plan(tree, player, choice[player], weights) for player in (0, 1))
    assert agree(tree, (x, y), (p, r), weights)
    for _ in range(3):
        changed = deepcopy((x, y))
        spoil(tree, changed, rng)
        agree(tree, changed, (p, r), weights)


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**9))
def test_limits_and_beliefs(seed: int) -> None:
    """Where all payoffs are equal, all plans prove something; the limits are what they come close to."""
    rng = random.Random(seed)
    tree = with_payoffs(random_game(seed, depth=5), lambda: (1, 2))
    if tree.num_nodes > 150:
        return
    weights = random_weights(tree, rng)
    plans = [random_plan(tree, player, rng, weights) for player in (0, 1)]
    solution = stated(tree, (plans[0][0], plans[1][0]), (plans[0][1], plans[1][1]), weights, "sequential")
    assert problems(tree, solution) == ()
    assert solution.beliefs is not None
    at = [plan_at(*plan, TINY) for plan in plans]
    for player in (0, 1):
        for k, prior, sequences in moves(tree, player):
            for share, q in zip(solution.strategies[player].row(k), sequences, strict=True):
                assert abs(share - at[player][q] / at[player][prior]) < TINY * 10**50
            row = solution.beliefs[player][k]
            reach = [
                chance_to(tree, v) * at[1 - player][last_sequence(tree, 1 - player, v)]
                for v in nodes_of(tree, player, k)
            ]
            for (_, share), amount in zip(row.nodes, reach, strict=bool(row.nodes)):
                assert abs(share - amount / sum(reach)) < TINY * 10**50
            if len(row.nodes) > 1:  # and no other
                path, share = row.nodes[0]
                wrong = BeliefRow(k, ((path, share + F(1, 10**30)), *row.nodes[1:]))
                rows = [wrong if r is row else r for r in solution.beliefs[player]]
                assert "the belief in" in problems(tree, believing(solution, player, rows))[0]


@pytest.mark.parametrize(
    "spec",
    [
        "kuhn",
        "kuhn:cards=4",
        "matching_pennies",
        pytest.param("goofspiel:cards=3", marks=pytest.mark.slow),
        "leduc:ranks=2",
        *(f"random_tree:branching=2,chance={c},depth=5,seed={n}" for n in (1, 2) for c in ("true", "false")),
    ],
)
def test_what_is_solved(spec: str) -> None:
    """Mixed equilibria: proven, true to the definition, and no more once they are spoilt."""
    tree = tremble.load(spec)
    solution = tremble.solve(tree, "sequential")
    assert problems(tree, solution) == ()
    assert solution.beliefs == beliefs_of(tree, parsed(solution)[0])
    assert is_quasi_perfect(tree, *parsed(solution))
    assert is_rational(tree, solution)
    rng = random.Random(spec)
    for _ in range(10):
        plans, wholes = parsed(solution)
        spoil(tree, plans, rng)
        agree(tree, plans, wholes, None)


def test_off_the_path_of_kuhn() -> None:
    """A Nash equilibrium that exchanges two actions where its own play never leads is no longer quasi-perfect."""
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree, "quasi-perfect")
    (x, _), (p, _) = parsed(solution)
    for k, prior, sequences in moves(tree, 0):
        if order(x, prior):  # off the path; fold and call change places
            fold, call = sequences
            for row in x:
                row[fold], row[call] = row[call], row[fold]
            wrong = stated(tree, (x, parsed(solution)[0][1]), (p, parsed(solution)[1][1]))
            assert verify(tree, wrong).nash_conv == 0
            assert f"player 1, information set {k + 1} " in problems(tree, wrong)[0]
            assert "is played beyond its tremble, but" in problems(tree, wrong)[0]
            return
    raise AssertionError("the own play of player 1 leads everywhere")


def test_random_certificates_never_raise() -> None:
    """Pieces of a certificate replaced by others, at random."""
    rng = random.Random(5)
    solution = pure(GIFT, (0, 1, 1), (1,), concept="sequential")
    pieces: list[Any] = [None, 0, -1, 1.5, True, "", "0", "1", "-1", "1/2", "x", [], {}, [[]], ["1"] * 7, F(1), ("1",)]

    for _ in range(400):
        certificate = deepcopy(dict(solution.certificate))
        if rng.random() < 0.3:
            certificate["trembles"] = deepcopy(ONES)
        for _ in range(rng.choice((1, 1, 2))):
            holder, key = rng.choice(list(slots(certificate)))
            old, holder[key] = holder[key], rng.choice(pieces)
            if (
                old == holder[key]
                or (isinstance(holder[key], F) and old == "1")
                or (key == "trembles" and holder[key] is None)
            ):
                holder[key] = "spoilt"
        found = verify(GIFT, replace(solution, certificate=certificate))
        # Other weights may be as good: an action that gets what is left over does not need its tremble.
        assert not found.ok or certificate | {"trembles": None} == solution.certificate
        assert all(isinstance(problem, str) for problem in found.problems)
