"""The gate: whatever way a number enters, it is exact and Python's own, or refused in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import tremble
from small_ordered_games import SmallGame
from tremble.errors import GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.large.check import evaluate_rules
from tremble.large.check_rows import row_faults
from tremble.large.positions import Positions
from tremble.numbers import exact_number


class Coin:
    """Chance turns a coin; player 1 guesses without having seen it."""

    odds: Any = (F(1, 2), F(1, 2))
    right: Any = (1, -1)
    wrong: Any = (-1, 1)
    key: Any = "guess"
    guesses: Any = ("heads", "tails")

    def root(self) -> tuple[int, ...]:
        return ()

    def player(self, h: tuple[int, ...]) -> int:
        return (CHANCE, 0, TERMINAL)[len(h)]

    def actions(self, h: tuple[int, ...]) -> Any:
        return self.guesses if h else ("heads", "tails")

    def chance(self, h: tuple[int, ...]) -> Any:
        return self.odds

    def child(self, h: tuple[int, ...], i: int) -> tuple[int, ...]:
        return (*h, i)

    def infoset(self, h: tuple[int, ...]) -> Any:
        return self.key

    def payoff(self, h: tuple[int, ...]) -> Any:
        return self.right if h[0] == h[1] else self.wrong


def coin(**changed: Any) -> Coin:
    return type("Changed", (Coin,), changed)()


def default_profile() -> list[UnbuiltStrategy]:
    return [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]


PASSES: dict[str, Callable[[Coin], Any]] = {
    "build": tremble.build,
    "the double oracle": tremble.solve,
    "positions": lambda rules: Positions(rules, (DefaultRule(), DefaultRule()), merge=False).expand_all(
        99, lambda: None
    ),
    "the checker": lambda rules: evaluate_rules(UnbuiltGame.of(rules), default_profile()),
}
"""Everything that reads numbers from rules."""

BAD_NUMBERS = [
    (0.5, r"0\.5 is a float, not an exact number; write '0\.5'"),
    (np.float64(0.5), r"is a float64, not an exact number; write '0\.5'"),
    (np.float32(0.1), r"is a float32, .* write '0\.1'"),
    (True, r"True is a bool, not an exact number; write 1"),
    (np.bool_(False), r"bool.*, not an exact number; write 0"),
    (Decimal("1E+999999999"), r"the exponent of 1E\+999999999 is beyond 4,300"),
    ("a third", r"a third is not a number such as 3, 0\.25, 1e-3 or -1/18"),
    ("1/0", r"1/0 has a zero denominator"),
    ("", r"nothing is not a number"),
    (float("nan"), r"nan is not a finite number"),
    (np.float32("inf"), r"inf is not a finite number"),
    (Decimal("-Infinity"), r"-Infinity is not a finite number"),
    ("NaN", r"NaN is not a finite number"),
    (1j, r"complex, not an exact number"),
    (None, r"NoneType, not an exact number"),
]


@pytest.mark.parametrize(("number", "words"), BAD_NUMBERS)
@pytest.mark.parametrize("read", PASSES)
def test_what_is_not_exact_is_refused_by_name(read: str, number: Any, words: str) -> None:
    with pytest.raises(GameError, match="payoff.* " + words):
        PASSES[read](coin(right=(number, -1), wrong=(3, -3)))
    with pytest.raises(GameError, match="chance probability.* " + words):
        PASSES[read](coin(odds=(1, number)))


@pytest.mark.parametrize(("number", "words"), BAD_NUMBERS)
def test_other_doors(number: Any, words: str) -> None:
    tree = tremble.load("safe_or_risky")
    builder = tremble.TreeBuilder()
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(1, 0)  # equal to True and 1.0, which must not pass for it
    for wrong, why in ((number, words), (1.0, "1.0 is a float"), (True, "True is a bool")):
        with pytest.raises(GameError, match=f"payoff.* {why}"):
            builder.leaf(wrong, 0)
        with pytest.raises(GameError, match=f"payoff.* {why}"):
            builder.leaf(0, wrong)
    rows = [[1, 0] for _ in tree.actions[0]]
    rows[0] = [1, number]
    with pytest.raises(GameError, match="information set 1 of player 1 .*probability.* " + words):
        tremble.BehaviorStrategy.from_rows(tree, 0, rows)
    weights = [[[1] * len(labels) for labels in sets] for sets in tree.actions]
    weights[0][0][1] = number
    with pytest.raises(GameError, match="information set 1 of player 1: weight of .* " + words):
        tremble.strategies.Trembles.from_rows(tree, weights)
    assert any(re.search(words, fault) for fault in row_faults(one_row(0, number)))


@pytest.mark.parametrize("gap", [True, "a tenth", np.float32(0.1)])
def test_a_gap_is_exact_or_a_float(gap: Any) -> None:
    with pytest.raises(GameError, match=r"gap.* is (a bool|not a number|a float32)"):
        tremble.solve(tremble.load("kuhn"), gap=gap)
    for exact in ("1/10", Decimal("0.1"), 0.1):
        assert tremble.solve(tremble.load("kuhn"), gap=exact).value == F(-1, 18)


def one_row(*probabilities: Any) -> UnbuiltStrategy:
    row = tuple(zip(("heads", "tails"), probabilities, strict=True))
    return UnbuiltStrategy(0, DefaultRule("first"), {"guess": row})


def test_a_bound_of_the_payoffs_is_exact() -> None:
    rules = type("Bounded", (Coin,), {"utility_bounds": lambda _: (-1.0, 1.0)})()
    with pytest.raises(GameError, match=r"utility bound -1\.0 is a float"):
        tremble.solve(rules)


BILLION = 10**9
EXACT: dict[str, Callable[[int], Any]] = {
    "int": int,
    "numpy int32": np.int32,
    "numpy int64": np.int64,
    "numpy uint64": np.uint64,
    "Fraction": F,
    "text": str,
    "text with a point": lambda n: f" {n}.0 ",
    "text with an exponent": lambda n: f"{n}0e-1",
    "Decimal": Decimal,
    "Fraction of numpy": lambda n: F(np.int64(n), np.int64(1)),
    "Fraction of numpy bits": lambda n: F(np.int64(n * 2), np.int32(2)),
}


@pytest.mark.parametrize("kind", EXACT)
def test_integers_of_numpy_do_not_wrap_around(kind: str) -> None:
    """A payoff of 10^9 beside one with the denominator 7 * 10^12: their product leaves 64 bits."""
    make = EXACT[kind]
    small = F(1, 7 * 10**12)
    one = make(BILLION)
    zero = make(0)
    builder = tremble.TreeBuilder()
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(one, zero)
    builder.leaf(small, -small)
    tree = builder.finish()
    assert tree.payoff_at(0) == (BILLION, 0)
    assert {type(value) for value in tree.payoff.ravel().tolist()} == {int}

    rules = coin(right=(one, zero), wrong=(BILLION - small, small), odds=[make(1), make(0)])
    solution = tremble.solve(rules)
    assert solution.value == BILLION
    assert tremble.verify(rules, solution).ok
    assert tremble.solve(tremble.build(rules)).value == BILLION
    mixed = [one_row(make(1), make(0)), default_profile()[1]]
    assert evaluate_rules(UnbuiltGame.of(rules), mixed).values == (BILLION, 0)


def test_floats_are_taken_where_somebody_says_how() -> None:
    """One rule at every door: the shortest decimal that prints the same, of float32 by its own digits."""
    floats = [0.1, np.float64(0.1), np.float32(0.1), np.float16(0.1), "0.1", "1/10", Decimal("0.1"), F(1, 10)]
    for tenth in floats:
        assert tremble.matrix_game([[tenth]], floats="decimal").payoff_at(0) == (F(1, 10), F(-1, 10))
        builder = tremble.TreeBuilder(floats="decimal")
        builder.chance(("a", "b"), (tenth, 0.9))
        builder.leaf(tenth, 1e-7)
        builder.leaf(1e22, -0.0)
        tree = builder.finish()
        assert tree.payoff_at(0) == (F(1, 10), F(1, 10**7))
        assert tree.payoff_at(1) == (10**22, 0)
        assert tree.chance_tables[0].probabilities == (F(1, 10), F(9, 10))
        rows = [[tenth, 0.9]] * 6
        strategy = tremble.BehaviorStrategy.from_rows(tremble.load("kuhn"), 0, rows, floats="decimal")
        assert strategy.row(0) == [F(1, 10), F(9, 10)]
        built = tremble.build(coin(right=(tenth, -0.1), wrong=(0, 0), odds=(tenth, 0.9)), floats="decimal")
        assert built.payoff_at(0) == (F(1, 10), F(-1, 10))
    array = np.array([[0.1, 0.5], [1e300, -2.5]])
    assert tremble.matrix_game(array, floats="decimal").payoff_at(2) == (10**300, -(10**300))
    assert tremble.matrix_game(array[:1].astype(np.float32), floats="decimal").payoff_at(0) == (F(1, 10), F(-1, 10))


def test_who_refuses_floats_names_what_takes_them() -> None:
    rows = [[0.5, 0.5]] * 6
    builder = tremble.TreeBuilder()
    doors: list[Callable[[], Any]] = [
        lambda: tremble.matrix_game([[0.5]]),
        lambda: builder.leaf(0.5, 0),
        lambda: builder.chance(("a", "b"), (0.5, 0.5)),
        lambda: tremble.BehaviorStrategy.from_rows(tremble.load("kuhn"), 0, rows),
        lambda: tremble.build(coin(right=(0.5, 0))),
    ]
    for door in doors:
        with pytest.raises(GameError, match=r"0\.5 is a float, .* write '0\.5', or give floats='decimal'"):
            door()
    with pytest.raises(GameError, match=r"write '0\.5'$"):  # no such choice there
        tremble.solve(coin(right=(0.5, 0)))
    takes: list[Callable[..., Any]] = [
        lambda floats: tremble.matrix_game([[1]], floats=floats),
        lambda floats: tremble.TreeBuilder(floats=floats),
        lambda floats: tremble.BehaviorStrategy.from_rows(tremble.load("kuhn"), 0, [[0, 1]] * 6, floats=floats),
        lambda floats: tremble.build(coin(), floats=floats),
    ]
    for take in takes:
        with pytest.raises(GameError, match="'floats' must be 'decimal'"):
            take("binary")


@pytest.mark.parametrize("number", [float("nan"), np.float32("inf"), Decimal("sNaN"), "-inf"])
def test_what_is_not_finite_is_refused_by_name(number: Any) -> None:
    with pytest.raises(GameError, match="is not a finite number"):
        tremble.matrix_game([[number]], floats="decimal")


def test_hands_of_rules_with_texts_are_played() -> None:
    rules = coin(right=("1/2", "-0.5"), wrong=(0, "0"), odds=("0.5", Decimal("0.5")))
    solution = tremble.solve(rules)
    assert solution.value == tremble.solve(tremble.build(rules)).value == F(1, 4)


def test_ordered_games_read_texts() -> None:
    """Weights, ranges and payoffs: the same game as with fractions, for the tree, the public tree and the checker."""

    class Texts(SmallGame):
        def __init__(self, seed: int, **kinds: bool) -> None:
            super().__init__(seed, 4, [(0, 1)], **kinds)
            if self.weights is not None:
                self.weights = tuple(map(str, self.weights))
            if self.ranges is not None:
                self.ranges = tuple({hand: str(weight) for hand, weight in held.items()} for held in self.ranges)

        def utility(self, *given: Any) -> Any:
            return tuple(map(str, super().utility(*given)))

    for seed, kinds in enumerate(({}, {"weighted": True}, {"ranged": True})):
        plain, texts = SmallGame(seed, 4, [(0, 1)], **kinds), Texts(seed, **kinds)
        assert tremble.build(plain).digest == tremble.build(texts).digest
        solution = tremble.solve(texts)
        assert solution.values == tremble.solve(plain).values
        assert tremble.verify(texts, solution).ok
        assert tremble.info(texts)["nodes"] == tremble.info(plain)["nodes"]


def test_numbers_are_python_s_own() -> None:
    for make in EXACT.values():
        exact = exact_number(make(6), "number")
        assert exact == 6
        assert type(exact.numerator) is type(exact.denominator) is int


@pytest.mark.parametrize("read", PASSES)
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"right": 1, "wrong": -1}, "payoffs must be a pair of exact numbers, one for each player, not -?1"),
        ({"right": None, "wrong": None}, "payoffs must be a pair .* not None"),
        ({"right": {1, -1}, "wrong": {1, -1}}, "payoffs must be a pair"),
        ({"key": ["guess"]}, "hashable"),
        ({"key": {"guess": 1}}, "hashable"),
        ({"odds": 1}, "1 is a int, not a sequence of exact numbers, each a chance probability"),
        ({"odds": None}, "not a sequence of exact numbers"),
        ({"guesses": 2}, "actions must be a sequence of labels, not 2"),
        ({"guesses": None}, "actions must be a sequence of labels, not None"),
    ],
)
def test_what_rules_return_by_mistake(read: str, changed: dict[str, Any], words: str) -> None:
    with pytest.raises(GameError, match=words):
        PASSES[read](coin(**changed))


@pytest.mark.parametrize("use", [tremble.build, tremble.solve, UnbuiltGame.of])
def test_a_class_is_no_game(use: Callable[[Any], Any]) -> None:
    with pytest.raises(GameError, match=r"Coin\(\.\.\.\) makes an object"):
        use(Coin)
    with pytest.raises(GameError, match="has no method root"):
        use(7)


@pytest.mark.parametrize("wrong", [Coin, Coin(), None, 7])
@pytest.mark.parametrize("use", [tremble.load, tremble.load_rules])
def test_what_names_no_game(use: Callable[[Any], Any], wrong: Any) -> None:
    with pytest.raises(tremble.errors.SpecError, match="takes the name of a game or a path"):
        use(wrong)


@pytest.mark.parametrize(
    ("infoset", "action", "words"),
    [
        (0, "raise", "has the actions 'check', 'bet' at positions 0 to 1, not 'raise'"),
        (0, 2, "not 2"),
        (0, -1, "not -1"),
        (0, None, "not None"),
        (0, 0.0, r"not 0\.0"),
        (0, ["bet"], r"not \['bet'\]"),
        (-1, "bet", "player 1 has the number -1; there are 6 .*: give a label, or a number from 0 to 5"),
        (6, "bet", "player 1 has the number 6; there are 6"),
        ("J", "bet", "no information set 'J'; did you mean 'J:'"),
        (1.5, "bet", r"player 1 has the number 1\.5; there are"),
        (None, "bet", "player 1 has the number None; there are"),
    ],
)
def test_a_probability_of_what_does_not_exist(infoset: Any, action: Any, words: str) -> None:
    strategy = tremble.BehaviorStrategy.uniform(tremble.load("kuhn"), player=0)
    with pytest.raises(GameError, match=words):
        strategy.probability(infoset, action)


@pytest.mark.parametrize("build", [tremble.build, lambda rules: tremble.solve(rules, method="double-oracle")])
@pytest.mark.parametrize(
    ("method", "gives", "message"),
    [
        ("player", lambda self, h: float(Coin.player(self, h)), r"belongs to player index 0\.0"),
        ("player", lambda self, h: "1", "belongs to player index '1'"),
        ("player", lambda self, h: None, "belongs to player index None"),
        ("actions", lambda self, h: 3, "must be a sequence of labels, not 3"),
    ],
)
def test_what_else_rules_get_wrong(
    method: str, gives: Callable[..., Any], message: str, build: Callable[[Any], Any]
) -> None:
    with pytest.raises(GameError, match=message):
        build(coin(**{method: gives}))


def test_half_of_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(GameError, match="not text"):
        tremble.build(coin(guesses=("heads", "\ud800")))


def test_an_identity_is_a_text() -> None:
    with pytest.raises(GameError, match=r"identity\(\) must be None, or a text"):
        tremble.solve(coin(identity=lambda self: ["coin"]))


def test_actions_may_come_one_by_one() -> None:
    class Generated(Coin):
        def actions(self, h: tuple[int, ...]) -> Any:
            return (label for label in ("heads", "tails"))

    assert tremble.solve(Generated()).value == tremble.solve(tremble.build(Generated())).value == 0
