"""Certificates by a basis: bases found by enumeration pass, spoilt ones are refused, in words."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from exact_bases import (
    CLAIM,
    Functions,
    Program,
    Weights,
    bases,
    clumsy,
    draw,
    false_zeros,
    functions,
    integers,
    put,
    small_value,
    spoilt,
    stable_bases,
    stated,
    tampered,
)

import tremble
from hand_made import kuhn, solution_of
from hostile_games import hostile_game
from mutations import slots
from second_opinions import chance_to, last_sequence, moves, take_it
from tremble import CHANCE, TERMINAL, BehaviorStrategy, GameTree, Solution, TreeBuilder, verify
from tremble.numbers import format_fraction
from tremble.status import Status


def problems(tree: GameTree, solution: Solution) -> tuple[str, ...]:
    found = verify(tree, solution)
    assert found.ok == (not found.problems)
    return found.problems


# -- a second opinion, by the definition, at one value ------------------------------------------------


def is_equilibrium_at(tree: GameTree, plans: Sequence[Sequence[F]], epsilon: F, weights: Weights = None) -> bool:
    """Whether neither player has a better plan among those that tremble, by going through the tree."""
    for player in (0, 1):
        plan = plans[player]
        for k, prior, sequences in moves(tree, player):
            if sum(plan[q] for q in sequences) != plan[prior]:
                return False
            for j, q in enumerate(sequences):
                if plan[q] < (1 if weights is None else weights[player][k][j]) * epsilon * plan[prior]:
                    return False
        earned = sum(
            (
                chance_to(tree, leaf)
                * plan[last_sequence(tree, player, leaf)]
                * plans[1 - player][last_sequence(tree, 1 - player, leaf)]
                * tree.payoff_at(int(tree.infoset[leaf]))[player]
                for leaf in tree.leaves.tolist()
            ),
            F(0),
        )
        if plan[0] != 1 or earned != best_trembling(tree, player, plans[1 - player], epsilon, weights):
            return False
    return True


def best_trembling(
    tree: GameTree, player: int, other: Sequence[F], epsilon: F, weights: Weights, reached: Any = None
) -> F:
    """The most a player can earn who must play each action with a small probability."""
    total, sets = F(0), dict[int, list[tuple[int, F]]]()
    stack = [(0, F(1))] if reached is None else list(reached)
    while stack:
        node, weight = stack.pop()
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover == TERMINAL:
            total += weight * other[last_sequence(tree, 1 - player, node)] * tree.payoff_at(k)[player]
        elif mover == player:
            sets.setdefault(k, []).append((node, weight))
        else:
            for i, child in enumerate(tree.children(node)):
                chance = tree.chance_tables[k].probabilities[i] if mover == CHANCE else F(1)
                stack.append((child, weight * chance))
    for k, nodes in sets.items():
        worth = [
            best_trembling(tree, player, other, epsilon, weights, [(tree.children(v)[j], w) for v, w in nodes])
            for j in range(len(tree.actions[player][k]))
        ]
        least = [epsilon * (1 if weights is None else weights[player][k][j]) for j in range(len(worth))]
        rest = 1 - sum(least)
        total += sum((a * b for a, b in zip(least, worth, strict=True)), F(0)) + rest * max(worth)
    return total


# -- games and their bases --------------------------------------------------------------------------

SAFE, GUESS, GIFT, PENNIES = (
    tremble.load(spec) for spec in ("safe_or_risky", "guess_the_ace", "guess_the_ace:gift=true", "matching_pennies")
)


def stable_solution(tree: GameTree, extra: int | None = None, seed: int = 0) -> tuple[Functions, Solution]:
    exact = next(stable_bases(Program(tree), random.Random(seed)))
    return exact, stated(exact, None, extra)


# -- what is true passes ----------------------------------------------------------------------------


@pytest.mark.sample(7)
@pytest.mark.parametrize("tree", [SAFE, GUESS, GIFT, PENNIES, take_it(), clumsy()])
@pytest.mark.parametrize("extra", [None, 0, 2])
def test_stable_bases(tree: GameTree, extra: int | None) -> None:
    """What enumeration finds passes, and is an equilibrium of games that tremble little, by the definition."""
    found = list(itertools.islice(stable_bases(Program(tree), random.Random(1)), 3))
    assert found
    for exact in found:
        assert problems(tree, stated(exact, None, extra)) == ()
        for epsilon in (small_value(exact), F(1, 10**9), F(1, 10**30)):
            _, plans, _ = exact.program.at(exact.high, epsilon)
            assert is_equilibrium_at(tree, plans, epsilon)


@pytest.mark.parametrize("weight", [F(1), F(3), F(1, 3), F(10**6, 7)])
def test_weights_of_trembles(weight: F) -> None:
    weights: Weights = [[[F(2), F(5, 2)], [F(1), F(9)], [weight, F(1)]], [[F(1), weight]]]
    exact = next(stable_bases(Program(GIFT, weights), random.Random(1), 1e-3 / float(max(1, weight))))
    solution = stated(exact, weights)
    assert problems(GIFT, solution) == ()
    _, plans, _ = exact.program.at(exact.high, F(1, 10**50))
    assert is_equilibrium_at(GIFT, plans, F(1, 10**50), weights)
    if weight != 1:
        assert problems(GIFT, tampered(solution, put(None, "trembles"))) != ()


def test_later_mistakes_count() -> None:
    """A quasi-perfect player may take the risk that a safe player avoids."""
    (exact,) = stable_bases(Program(SAFE), random.Random(1))
    solution = stated(exact)
    assert list(solution.strategies[0].row(0)) == [1, 0]
    quasi = tremble.solve(SAFE, "quasi-perfect")
    program = Program(SAFE)
    for high in bases(SAFE):
        other = functions(program, high)
        if other is not None and not other.stable:
            assert not verify(SAFE, spoilt(other, solution)).ok
    assert problems(SAFE, replace(quasi, concept="perfect"))[0].startswith("certificate.kind: 'polynomials' proves")
    risky = BehaviorStrategy.from_rows(SAFE, 0, [[0, 1], [1, 0]])
    risky = replace(risky, off_path=risky.off_path & False)
    found = problems(SAFE, replace(solution, strategies=(risky, solution.strategies[1])))
    assert re.match("player 1, information set 1 .*: the limit of the probability of ", found[0]), found


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_exact_functions(seed: int) -> None:
    """Of random bases exactly the stable ones pass; zeros are what they are."""
    drawn = draw(seed)
    if drawn is None:
        return
    program, every, weights, rng = drawn
    tree = program.tree
    good = next(stable_bases(program, rng))
    reference = stated(good, weights)
    for high in every[:25]:
        exact = functions(program, high)
        if exact is None or not exact.has_limits:
            assert not verify(tree, tampered(reference, put([list(side) for side in high], "basis"))).ok
        elif not exact.stable:
            assert not verify(tree, spoilt(exact, reference)).ok
        else:
            for extra in (None, 0, 1):
                assert problems(tree, stated(exact, weights, extra)) == ()
            assert not any(verify(tree, false).ok for false in false_zeros(exact, weights))


def test_false_zeros() -> None:
    """Where signs are told only at second order, a plan cut after the first passes for 0 at no random point."""
    said = set()
    for seed in range(200):
        if (drawn := draw(seed)) is None:
            continue
        program, _, weights, rng = drawn
        exact = next(stable_bases(program, rng), None)
        for solution in () if exact is None else false_zeros(exact, weights):
            found = problems(program.tree, solution)
            assert found
            said.add(
                re.sub(r".*(never leads here|as a random point shows|not proven with certainty).*", r"\1", found[0])
            )
        if len(said) == 3:
            break
    assert said == {"never leads here", "as a random point shows", "not proven with certainty"}


def test_optimal_at_a_tenth_only() -> None:
    """A basis that is right for trembles of 1/10 and wrong for all small ones."""
    tree = clumsy()
    program = Program(tree)
    (stable,) = stable_bases(program, random.Random(1))
    assert stable.high == ((2, 3), ())
    exact = functions(program, ((1, 3), ()))
    assert exact is not None
    _, plans, short = program.at(exact.high, F(1, 10))
    assert is_equilibrium_at(tree, plans, F(1, 10))
    assert min(map(min, short)) >= 0
    (u, s), (v, t) = (integers([plan]) for plan in plans)
    point = {"value": "1/10", "X": u[0], "Y": v[0], "denominator": [s, t]}
    assert problems(tree, tampered(stated(stable), put(point, "epsilon"))) == ()
    found = problems(tree, tampered(spoilt(exact, stated(stable)), put(point, "epsilon")))
    assert found[0].startswith("player 1 can gain 1 by deviating")
    assert found[1:] == (
        "player 1, information set 1 ('go?'): 'go' earns more than the actions in the basis, at order e^0",
    )


def test_other_concepts_do_not_pass() -> None:
    """Nash and quasi-perfect solutions, whatever they call themselves."""
    tree = tremble.load("kuhn")
    for concept in ("nash", "quasi-perfect"):
        solution = tremble.solve(tree, concept)
        assert "certificate.kind: " in " ".join(problems(tree, replace(solution, concept="perfect")))
    refined = tremble.solve(tree, "perfect")
    assert problems(tree, refined) == ()
    nash = tremble.solve(tree).strategies
    plain = tuple(replace(strategy, off_path=strategy.off_path & False) for strategy in nash)
    found = problems(tree, replace(refined, strategies=plain))
    assert any("the limit of the probability" in problem for problem in found)
    marked = replace(refined.strategies[0], off_path=refined.strategies[0].off_path | True)
    found = problems(tree, replace(refined, strategies=(marked, refined.strategies[1])))
    assert len(found) == 6
    assert all("marked off_path, but the concept 'perfect' defines play everywhere" in problem for problem in found)


def test_one_system_is_for_constant_sums() -> None:
    builder = TreeBuilder(title="general sum")
    builder.decision(0, "k", ("a", "b"))
    builder.leaf(1, 1)
    builder.leaf(0, 0)
    tree = builder.finish()
    one = BehaviorStrategy.from_rows(tree, 0, [[1, 0]])
    claimed = replace(solution_of(tree, (one, BehaviorStrategy.from_rows(tree, 1, []))), concept="perfect")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    certificate = dict(solution.certificate)
    system = certificate.pop("systems")[0]
    assert problems(tree, replace(claimed, certificate={**certificate, **system})) == (
        "certificate.systems: missing; the payoffs have no constant sum, so each plan needs a separate system",
    )


def test_bounded() -> None:
    """What was not reached states bounds and best responses only."""
    tree = kuhn()
    uniform = BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
    bounded = replace(solution_of(tree, uniform, Status.BOUNDED), requested="perfect")
    assert problems(tree, bounded) == ()
    assert problems(tree, replace(bounded, concept="perfect"))[0].startswith("concept: 'perfect' is not proven")
    assert "certificate.kind" in problems(tree, replace(bounded, certificate={"kind": "basis"}))[0]
    assert problems(tree, replace(bounded, beliefs=((), ())))[0].startswith("beliefs: ")


# -- every number of a certificate counts -------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("tree", [GIFT, SAFE, clumsy(), tremble.load("kuhn")])
def test_every_coefficient(tree: GameTree) -> None:
    """Corrupted in turn, in the series and in the plans for one value."""
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    for name in "XY":
        for d, row in enumerate(solution.certificate[name]):
            for q, text in enumerate(row):
                for shift in (1, -1, 10**40):
                    value = format_fraction(F(text) + shift)
                    assert problems(tree, tampered(solution, put(value, name, d, q))), (name, d, q)
        for q, text in enumerate(solution.certificate["epsilon"][name]):
            for shift in (1, -1):
                value = format_fraction(F(text) + shift)
                assert problems(tree, tampered(solution, put(value, "epsilon", name, q))), (name, q)
    for player in (0, 1):
        for field in (("denominator",), ("epsilon", "denominator")):
            assert problems(tree, tampered(solution, put("977", *field, player)))


@pytest.mark.parametrize("value", ["1/2", "1", "3", "1/1000000007"])
def test_wrong_values_of_epsilon(value: str) -> None:
    """At another value the same plans are none, or no equilibrium."""
    solution = tremble.solve(GUESS, "perfect")
    found = problems(GUESS, tampered(solution, put(value, "epsilon", "value")))
    assert found
    assert all("certificate.epsilon." in problem for problem in found)


def test_plans_that_shift() -> None:
    """Plans that are plans, no more: moved between two actions at one order."""
    tree = tremble.load("kuhn")
    solution = tremble.solve(tree, "perfect")
    for player, name in enumerate("XY"):
        for _, _, sequences in moves(tree, player):
            one, two = sequences
            for d, row in enumerate(solution.certificate[name]):
                changed = tampered(solution, put(str(int(row[one]) + 1), name, d, one))
                changed = tampered(changed, put(str(int(row[two]) - 1), name, d, two))
                assert problems(tree, changed)
            row = solution.certificate["epsilon"][name]
            changed = tampered(solution, put(str(int(row[one]) + 1), "epsilon", name, one))
            changed = tampered(changed, put(str(int(row[two]) - 1), "epsilon", name, two))
            assert "certificate.epsilon." in problems(tree, changed)[0]


BROAD = tremble.load("kuhn:cards=4")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda c: c.pop("kind"), r"certificate\.kind: the concept 'perfect' needs 'basis', "),
        (put("consistent-trembles", "kind"), r"certificate\.kind: the concept 'perfect' needs 'basis', "),
        (put(1, "more"), r"certificate\.more: there is no such field"),
        *(
            (lambda c, name=name: c.pop(name), rf"certificate\.{name}: missing")
            for name in (
                "basis",
                "X",
                "Y",
                "denominator",
                "epsilon",
                "pivots",
                "row_operations",
                "trembles",
                "zeros",
                "probabilistic",
            )
        ),
        *((put(value, "basis"), r"certificate\.basis: must be a list of two") for value in (None, 5, [], [[1]], "12")),
        (put([[1], 2], "basis"), r"certificate\.basis\[1\]: not a list of numbers"),
        *(
            (
                put([[value], [1]], "basis"),
                r"certificate\.basis\[0\]\[0\]: not a number from 1 to 2 beyond those before, but ",
            )
            for value in (0, 3, -1, 10**5000, "1", 1.0, True, None, [])
        ),
        (
            put([[2, 1], [1]], "basis"),
            r"certificate\.basis\[0\]\[1\]: not a number from 1 to 2 beyond those before, but 1",
        ),
        (
            put([[1, 1], [1]], "basis"),
            r"certificate\.basis\[0\]\[1\]: not a number from 1 to 2 beyond those before, but 1",
        ),
        (put([[], [1]], "basis"), r"player 1, information set 1 .*: certificate\.basis\[0\] must name an action"),
        (put([[1, 2], [1]], "basis"), r"certificate\.basis: the system is not square; .* 1 sequences .* and 0 of"),
        (put([], "X"), r"certificate\.X: must be a list"),
        (put(["1", "1", "0"], "X"), r"certificate\.X\[0\]: not a list"),
        (put([["1", "1"]], "X"), r"certificate\.X\[0\]: not a list of 3"),
        (put("1/2", "Y", 1, 1), r"certificate\.Y\[1\]\[1\]: must be an integer, not 1/2"),
        (put(1, "Y", 1, 1), r"certificate\.Y\[1\]\[1\]: not an exact number as text"),
        (put("0", "denominator", 0), r"certificate\.denominator\[0\]: must be positive"),
        (
            put(["1"], "denominator"),
            r"certificate\.denominator: must be a list of two values, one for each player",
        ),
        (put("1/2", "epsilon"), r"certificate\.epsilon: not an object with the fields value, X, Y, denominator"),
        (put(0.1, "epsilon", "value"), r"certificate\.epsilon\.value: not an exact number as text"),
        (put("0.1", "epsilon", "value"), r"certificate\.epsilon\.value: not an exact number as text, but '0.1'"),
        (put("-1/2", "epsilon", "value"), r"certificate\.epsilon\.value: must be positive"),
        (put("0", "epsilon", "value"), r"certificate\.epsilon\.value: must be positive"),
        (put(["1", "0"], "epsilon", "X"), r"certificate\.epsilon\.X: not a list of 3"),
        (put("1/3", "epsilon", "Y", 1), r"certificate\.epsilon\.Y\[1\]: must be an integer, not 1/3"),
        (put("-3", "epsilon", "denominator", 1), r"certificate\.epsilon\.denominator\[1\]: must be positive"),
        (lambda c: c["epsilon"].pop("X"), r"certificate\.epsilon\.X: missing"),
        (put(1, "epsilon", "x"), r"certificate\.epsilon\.x: there is no such field"),
        (put("none", "pivots"), r"certificate\.pivots: not a list of 6"),
        (put([[0, 0]], "pivots"), r"certificate\.pivots: not a list of 6"),
        (put([[0, 0]] * 6, "pivots"), r"certificate\.pivots: must name each row of the system once; row 1 is missing"),
        (
            put([[0, 0], [1, 99]] * 3, "pivots"),
            r"certificate\.pivots: must name each row of the system once; row 3 is missing",
        ),
        (
            put([[0, 0], [-1, 1]] * 3, "pivots"),
            r"certificate\.pivots: must name each row of the system once; row 1 is missing",
        ),
        (put([[0, 0], [1]] * 3, "pivots"), r"certificate\.pivots\[1\]: not a list of 2"),
        (put([[0, 0], [1, True]] * 3, "pivots"), r"certificate\.pivots: must be pairs of a row and a column"),
        (
            put([[["1", "0"]], [["1", "1"]]], "trembles"),
            r"certificate\.trembles\[0\]\[0\]\[1\]: the weight .* positive",
        ),
        *(
            (put(value, "row_operations"), rf"certificate\.row_operations{where}")
            for value, where in (
                (None, ": not a list"),
                ([1], r"\[0\]: not an object"),
                ([{"row": 0}], r"\[0\]\.combination: missing"),
                ([{"row": 0, "combination": None}], r"\[0\]\.combination: not a list"),
                (
                    [{"row": 0, "combination": [[99, "1"]]}],
                    r"\[0\]\.combination: must name rows of",
                ),
                (
                    [{"row": 0, "combination": [[0, "1"], [0, "1"]]}],
                    r"\[0\]\.combination: must name rows of",
                ),
                ([{"row": 0, "combination": [[0, "0"]]}], r"\[0\]\.combination\[0\]\[1\]: the factor must not be 0"),
                ([{"row": 0, "combination": [[0, 1]]}], r"\[0\]\.combination\[0\]\[1\]: not an exact number"),
                ([{"row": 1, "combination": [[0, "1"]]}], r"\[0\]\.row: must be one of the rows in this combination"),
                ([{"row": 0, "combination": [[0, "1"]]}] * 2, r"\[0\]\.row: another combination contains this row"),
                ([{"row": 0, "combination": [[0, "1"]]}], r"\[0\]: this combination of rows does not vanish at e = 0"),
            )
        ),
        (put([], "trembles"), r"certificate\.trembles: must be a list of two values, one for each player"),
        (put([[], []], "zeros"), r"certificate\.zeros: not an object with the fields weights, regrets"),
        (
            put([[0], []], "zeros", "regrets"),
            r"certificate\.zeros\.regrets\[0\]\[0\]: not a number from 1 to 2 beyond those before, but 0",
        ),
        (
            put(None, "zeros", "weights"),
            r"certificate\.zeros\.weights: must be a list of two values, one for each player",
        ),
        (put(60, "probabilistic"), r"certificate\.probabilistic: not an object with the fields claims, k"),
        (put({"claims": [], "k": 60}, "probabilistic"), r"certificate\.probabilistic\.claims: must be "),
        (
            put({"claims": "all", "k": 60}, "probabilistic"),
            r"certificate\.probabilistic\.claims: must be ",
        ),
        *(
            (
                put({"claims": [CLAIM], "k": k}, "probabilistic"),
                r"certificate\.probabilistic\.k: must be an integer from 60 to 200",
            )
            for k in (59, 10**9, 60.0, "60", None, True)
        ),
        *(
            (put(value, "classes"), r"certificate\.classes: must be a list of two values, one for each player")
            for value in (5, [], [[0, 1, 2]], "01", {"0": 0}, [[[[[]]]]])
        ),
        *(
            (put([value, [0, 1, 2]], "classes"), r"certificate\.classes\[0\]: not a list of 3")
            for value in ([0, 1], [0, 1, 2, 3], [], "012", None, 7)
        ),
        *(
            (
                put([[0, 1, 2], row], "classes"),
                rf"certificate\.classes\[1\]\[{place}\]: must number classes by first appearance",
            )
            for row, place in (
                ([1, 2, 3], 0),
                ([0, 0, 1], 1),
                ([0, 1, 0], 2),
                ([0, 2, 1], 1),
                ([0, 1, 3], 2),
                ([0, 1, -1], 2),
                ([0, 1, 10**5000], 2),
                ([0, 1, -(10**5000)], 2),
                *(([0, 1, value], 2) for value in (True, 1.0, "1", None, [1], [[[1]]], {})),
                ([False, 1, 2], 0),
            )
        ),
    ],
)
def test_malformed_certificates(change: Any, place: str) -> None:
    _, solution = stable_solution(GUESS)
    found = problems(GUESS, tampered(solution, change))
    assert found, place
    assert re.match(place, found[0]), found


def test_zeros_are_listed_and_nothing_else() -> None:
    """A zero left out, one too many, and one on the wrong side."""
    tree = tremble.load("kuhn:cards=4")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    high = [set(side) for side in solution.certificate["basis"]]
    seen = set()
    for kind, player in itertools.product(("weights", "regrets"), (0, 1)):
        listed = solution.certificate["zeros"][kind][player]
        for q in range(1, 1 + tree.num_slots[player]):
            row = sorted(set(listed) ^ {q})
            found = problems(tree, tampered(solution, put(row, "zeros", kind, player)))
            assert len(found) == 1
            field = rf"certificate\.zeros\.{kind}\[{player}\]"
            if q in listed:
                assert re.search(rf"has an undecided sign up to order e\^\d+, and {field} does not list it", found[0])
            elif (q in high[player]) == (kind == "weights"):
                assert re.search(rf"is listed in {field}, but it is not 0 at order e\^\d+", found[0])
            else:
                where = "outside" if kind == "weights" else "in"
                assert re.search(rf"is {where} the basis, but {field} lists it", found[0])
            seen.add((kind, q in listed))
    assert len(seen) >= 2


def test_random_certificates_never_raise() -> None:
    """Pieces of a certificate replaced by others, at random."""
    rng = random.Random(5)
    _, solution = stable_solution(GIFT, 0)
    pieces: list[Any] = [None, 0, -1, 1.5, True, "", "0", "1", "-1", "1/2", "x", [], {}, [[]], ["1"] * 7, F(1), [1], 3]

    for _ in range(400):
        certificate = deepcopy(dict(solution.certificate))
        for _ in range(rng.choice((1, 1, 2))):
            holder, key = rng.choice(list(slots(certificate)))
            old, holder[key] = holder[key], rng.choice(pieces)
            if isinstance(holder[key], F) and old == "1":  # a Fraction says the same as its text
                holder[key] = old
        found = verify(GIFT, replace(solution, certificate=certificate))
        same = certificate | {"probabilistic": solution.certificate["probabilistic"]} == solution.certificate
        assert not found.ok or same or certificate["trembles"] != solution.certificate["trembles"], certificate
        assert all(isinstance(problem, str) for problem in found.problems)


# -- what is solved ---------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", [GIFT, BROAD, hostile_game("plain", 46, most=60)])
def test_any_order_of_elimination(tree: GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Good or bad, the order changes nothing but the time, if small systems are eliminated like large ones."""
    solution = tremble.solve(tree, "perfect", "lp", merge=False)
    monkeypatch.setattr("tremble.check.basis.certificate.OWN_ORDER", 0)
    rows, columns = Program(tree).numbers(tuple(map(tuple, solution.certificate["basis"])))  # type: ignore[arg-type]
    rng = random.Random(1)
    claims = {"claims": [CLAIM], "k": 100}
    for _ in range(5):
        pivots = [list(pair) for pair in zip(rng.sample(rows, len(rows)), rng.sample(columns, len(rows)), strict=True)]
        certificate = dict(solution.certificate) | {"pivots": pivots, "probabilistic": claims}
        assert problems(tree, replace(solution, certificate=certificate)) == ()
    assert problems(tree, replace(solution, certificate=certificate | {"pivots": None}))[0].startswith(
        "certificate.pivots: null, but systems of more than 0 rows need an order of elimination"
    )


def test_singular_at_zero() -> None:
    """Where the determinant vanishes at 0, as many orders of the series are lost as it vanishes to."""
    tree = hostile_game("plain", 46, most=60)
    solution = tremble.solve(tree, "perfect", "lp", merge=False)
    high = tuple(tuple(side) for side in solution.certificate["basis"])
    exact = functions(Program(tree), high)  # type: ignore[arg-type]
    assert exact is not None
    assert exact.order == 1
    assert exact.stable
    for extra in (None, 0, 1):
        complete = stated(exact, None, extra)
        assert problems(tree, complete) == ()
    (operation,) = solution.certificate["row_operations"]
    for j, (row, factor) in enumerate(operation["combination"]):
        wrong = {"row": row, "combination": deepcopy(operation["combination"])}
        assert problems(tree, tampered(complete, put([wrong], "row_operations"))) == ()
        wrong["combination"][j][1] = format_fraction(F(factor) * 2)
        if len(operation["combination"]) > 1:
            assert problems(tree, tampered(complete, put([wrong], "row_operations"))) == (
                "certificate.row_operations[0]: this combination of rows does not vanish at e = 0",
            )
    short = stated(exact, None, 0)
    orders = len(short.certificate["X"])
    for left in range(1, orders):
        cut = tampered(short, lambda c, left=left: c.update({name: c[name][:left] for name in "XY"}))  # type: ignore[misc]
        found = problems(tree, cut)
        assert found
        if left == 1:
            assert found[0].startswith(
                "certificate.basis: the system is singular, or its inverse has a pole of a greater"
            )


@pytest.mark.parametrize(
    "spec",
    [
        "kuhn",
        "kuhn:cards=4",
        "matching_pennies",
        "leduc:raises=1,ranks=2",
        "goofspiel:order=increasing",
        *(f"random_tree:branching=2,chance={c},depth=5,seed={n}" for n in (1, 2) for c in ("true", "false")),
    ],
)
def test_what_is_solved(spec: str) -> None:
    tree = tremble.load(spec)
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    assert problems(tree, Solution.from_text(solution.to_text())) == ()
    point = solution.certificate["epsilon"]
    plans = [[F(int(v), int(d)) for v in point[name]] for name, d in zip("XY", point["denominator"], strict=True)]
    assert is_equilibrium_at(tree, plans, F(point["value"]))


@pytest.mark.parametrize("name", ["huge payoffs", "mixed payoffs", "one player", "the other player", "root ends"])
def test_hostile_games(name: str) -> None:
    for seed in range(4):
        tree = hostile_game(name, seed)
        assert problems(tree, tremble.solve(tree, "perfect")) == ()


def test_large_systems_need_an_order() -> None:
    """As Leduc hold'em does; pivots that vanish only by a bad order are dealt with, too many are refused."""
    tree = tremble.load("leduc")
    solution = tremble.solve(tree, "perfect")
    assert problems(tree, solution) == ()
    assert problems(tree, tampered(solution, put(None, "pivots")))[0].startswith("certificate.pivots: null, but")
    pivots = solution.certificate["pivots"]
    rows, columns = zip(*pivots, strict=True)
    turned = [list(pair) for pair in zip(rows, columns[1:] + columns[:1], strict=True)]
    found = problems(tree, tampered(solution, put(turned, "pivots")))
    assert found == () or found[0].startswith("certificate.pivots: more than 200 of these pivots vanish")


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["leduc:ranks=8", "leduc:ranks=9", "goofspiel:cards=4"])
def test_large_games(spec: str) -> None:
    """Proven, and not without the last order: what looks like zero there is none."""
    tree = tremble.load(spec)
    solution = tremble.solve(tree, "perfect", merge=False)  # merged, goofspiel has no such zeros left
    assert problems(tree, solution) == ()
    assert solution.certificate["probabilistic"]
    assert "null, but the zeros are not proven" in problems(tree, tampered(solution, put(None, "probabilistic")))[0]
    for name in "XY":
        found = problems(tree, tampered(solution, lambda c, name=name: c[name].pop()))  # type: ignore[misc]
        assert "has an undecided sign up to order e^" in found[0]
