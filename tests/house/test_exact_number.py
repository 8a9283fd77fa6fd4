"""The gate: whatever way a number enters, it is exact and Python's own, or refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import tremble
from tremble.base.exact_numbers import exact_number
from tremble.errors import GameError
from tremble.model.game import CHANCE, TERMINAL
from tremble.model.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.solvers.double_oracle.positions import Positions
from tremble.verifier.profiles.rows import row_faults
from tremble.verifier.profiles.rules import evaluate_rules


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
    (0.5, r"0\.5 is a float, not an exact number; write fractions\.Fraction\('0\.5'\)"),
    (np.float64(0.5), r"is a float64, not an exact number; write fractions\.Fraction\('0\.5'\)"),
    (np.float32(0.1), r"is a float32, .* write fractions\.Fraction\('0\.1'\)"),
    (True, r"True is a bool, not an exact number; write 1"),
    (np.bool_(False), r"bool.*, not an exact number; write 0"),
    (Decimal("0.25"), r"is a Decimal, not an exact number; write fractions\.Fraction\('0\.25'\)"),
    (Decimal("1E+999999999"), r"is a Decimal, not an exact number; use int or fractions\.Fraction"),
    ("1/3", r"'1/3' is a str, not an exact number; write fractions\.Fraction\('1/3'\)"),
    (float("nan"), r"nan is a float, not an exact number; use int or fractions\.Fraction"),
    (1j, r"complex, not an exact number"),
    (None, r"NoneType, not an exact number"),
]


@pytest.mark.parametrize(("number", "words"), BAD_NUMBERS)
@pytest.mark.parametrize("read", PASSES)
def test_what_is_not_exact_is_refused_by_name(read: str, number: Any, words: str) -> None:
    with pytest.raises(GameError, match="payoff .*" + words):
        PASSES[read](coin(right=(number, -1), wrong=(3, -3)))
    with pytest.raises(GameError, match="chance probability .*" + words):
        PASSES[read](coin(odds=(1, number)))


@pytest.mark.parametrize(("number", "words"), BAD_NUMBERS)
def test_other_doors(number: Any, words: str) -> None:
    tree = tremble.load("safe_or_risky")
    builder = tremble.TreeBuilder()
    builder.decision(0, "a", ("x", "y"))
    builder.leaf(1, 0)  # equal to True and 1.0, which must not pass for it
    for wrong in (number, 1.0, True):
        with pytest.raises(GameError, match=r"payoff .*, not an exact number"):
            builder.leaf(wrong, 0)
        with pytest.raises(GameError, match=r"payoff .*, not an exact number"):
            builder.leaf(0, wrong)
    rows = [[1, 0] for _ in tree.actions[0]]
    rows[0] = [1, number]
    with pytest.raises(GameError, match="information set 1 of player 1 .*probability .*" + words):
        tremble.BehaviorStrategy.from_rows(tree, 0, rows)
    weights = [[[1] * len(labels) for labels in sets] for sets in tree.actions]
    weights[0][0][1] = number
    with pytest.raises(GameError, match="information set 1 of player 1: weight of .*" + words):
        tremble.Trembles.from_rows(tree, weights)
    assert any("not an exact number" in fault for fault in row_faults(one_row(0, number)))


@pytest.mark.parametrize("gap", [True, "1/10", Decimal("0.1"), np.float32(0.1)])
def test_a_gap_is_exact_or_a_float(gap: Any) -> None:
    with pytest.raises(GameError, match=r"gap .*, not an exact number"):
        tremble.solve(tremble.load("kuhn"), gap=gap)


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


def test_numbers_are_python_s_own() -> None:
    for make in EXACT.values():
        exact = exact_number(make(6), "number")
        assert exact == 6
        assert type(exact.numerator) is type(exact.denominator) is int


@pytest.mark.parametrize("read", PASSES)
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"right": 1, "wrong": -1}, "payoffs are a pair of exact numbers, one for each player, not -?1"),
        ({"right": None, "wrong": None}, "payoffs are a pair .* not None"),
        ({"right": {1, -1}, "wrong": {1, -1}}, "payoffs are a pair"),
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
    with pytest.raises(GameError, match=r"Coin\(\.\.\.\) makes a game"):
        use(Coin)
    with pytest.raises(GameError, match="has no method root"):
        use(7)


@pytest.mark.parametrize("wrong", [Coin, Coin(), None, 7])
@pytest.mark.parametrize("use", [tremble.load, tremble.load_rules])
def test_what_names_no_game(use: Callable[[Any], Any], wrong: Any) -> None:
    with pytest.raises(tremble.SpecError, match="takes the text that names a game, or a path"):
        use(wrong)


@pytest.mark.parametrize(
    ("infoset", "action", "words"),
    [
        (1, "raise", "has the actions 'check', 'bet', by position 0 to 1, not 'raise'"),
        (1, 2, "not 2"),
        (1, -1, "not -1"),
        (1, None, "not None"),
        (1, 0.0, r"not 0\.0"),
        (1, ["bet"], r"not \['bet'\]"),
        (0, "bet", "information sets 1 to 6, not 0"),
        (7, "bet", "information sets 1 to 6, not 7"),
        ("J:", "bet", "information sets 1 to 6, not 'J:'"),
        (1.5, "bet", r"information sets 1 to 6, not 1\.5"),
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
    with pytest.raises(GameError, match="no text"):
        tremble.build(coin(guesses=("heads", "\ud800")))


def test_an_identity_is_a_text() -> None:
    with pytest.raises(GameError, match=r"identity\(\) must be a text"):
        tremble.solve(coin(identity=lambda self: ["coin"]))


def test_actions_may_come_one_by_one() -> None:
    class Generated(Coin):
        def actions(self, h: tuple[int, ...]) -> Any:
            return (label for label in ("heads", "tails"))

    assert tremble.solve(Generated()).value == tremble.solve(tremble.build(Generated())).value == 0
