"""The check that merges histories, compared with the check that visits every history."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any

import pytest
from test_position_rules import Drawn

import tremble
from rules_of_trees import TABULATED
from tremble.check.limits import Limits
from tremble.errors import GameError
from tremble.game.rules import DefaultRule, UnbuiltGame, UnbuiltStrategy
from tremble.large import DoubleOracleRun, Move, PositionRules, RulesOracle
from tremble.large.by_view import merged_by_view
from tremble.large.check import _outcome, _outcome_of_histories
from tremble.large.check_nature import Visits
from tremble.large.check_positions import merged_check
from tremble.large.position_rules import heard


class Blank(Drawn):
    """A random game in which the view says nothing."""

    def view(self, position: Any, player: int) -> int:
        return 0


class Memory(PositionRules):
    """A random game in which each player remembers a small number, which determines its default."""

    def __init__(self, seed: int, *, sum_zero: bool = True) -> None:
        self.game, self.numbers = Drawn(seed, sum_zero=sum_zero), random.Random(seed).randint(1, 3)

    def start(self) -> Any:
        return self.game.start(), 0, 0

    def mover(self, position: Any) -> int:
        return self.game.mover(position[0])

    def moves(self, position: Any) -> list[Move]:
        found = []
        for move in self.game.moves(position[0]):
            memory = list(position[1:])
            for player in (0, 1):
                text = heard(move, player, player == self.mover(position))
                if text:
                    memory[player] = (7 * memory[player] + sum(map(ord, text))) % self.numbers
            found.append(move._replace(then=(move.then, *memory)))
        return found

    def result(self, position: Any) -> tuple[int, int]:
        return self.game.result(position[0])

    def choice(self, position: Any) -> int:
        return position[1 + self.mover(position)] % len(self.game.moves(position[0]))

    def view(self, position: Any, player: int) -> int:
        number: int = position[1 + player]
        return number


class Alone(Drawn):
    """A random game in which players hear only of their own moves. Each remembers a part of what it has heard."""

    def __init__(self, seed: int, *, whole: bool) -> None:
        super().__init__(seed)
        self.whole = whole

    def start(self) -> Any:
        return super().start(), "", ""

    def mover(self, position: Any) -> int:
        return super().mover(position[0])

    def moves(self, position: Any) -> list[Move]:
        found, me = [], self.mover(position)
        for move in super().moves(position[0]):
            words = ["", ""]
            memory = list(position[1:])
            if me >= 0:
                words[me] = move.words[me]
                text = heard(move, me, own=True)
                memory[me] = memory[me] + text if self.whole else text[:2]
            found.append(move._replace(then=(move.then, *memory), words=(words[0], words[1])))
        return found

    def result(self, position: Any) -> tuple[int, int]:
        return super().result(position[0])

    def view(self, position: Any, player: int) -> str:
        text: str = position[1 + player]
        return text


@pytest.mark.sample(60)
@pytest.mark.parametrize("seed", range(1_000))
def test_solvers_merge_by_views_only_if_views_tell_all(seed: int) -> None:
    for rules in (Alone(seed, whole=True), Alone(seed, whole=False), Blank(seed), Memory(seed)):
        value = tremble.solve(tremble.build(rules)).value
        first = DefaultRule("rules")
        oracle = RulesOracle(rules, (first, first), lambda: None, TABULATED)
        assert DoubleOracleRun(oracle, 2.0).run()[1] == value
        if isinstance(rules, Alone) and rules.whole:
            assert merged_by_view(rules, (first, first), 10_000, lambda: None) is not None


def sets_of(rules: Any, most: int = 20_000) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the labels of the moves at each information set of both players that is met first."""
    found: tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]] = ({}, {})
    waiting = [rules.root()]
    while waiting and most:
        h, most = waiting.pop(), most - 1
        mover = rules.player(h)
        if mover != tremble.TERMINAL:
            if mover >= 0:
                found[mover][rules.infoset(h)] = rules.actions(h)
            waiting += [rules.child(h, i) for i in range(len(rules.actions(h)))]
    return found


def drawn_strategy(rng: random.Random, player: int, sets: dict[str, tuple[str, ...]], bits: int) -> UnbuiltStrategy:
    rows = {}
    some = rng.random()
    for key, labels in sets.items():
        if rng.random() < some:
            weights = [rng.choice((0, 0, 1, rng.randrange(1, 2**bits))) for _ in labels]
            weights[rng.randrange(len(weights))] += 1
            rows[key] = tuple((a, Fraction(w, sum(weights))) for a, w in zip(labels, weights, strict=True))
    if rng.random() < 0.2:
        rows["no such \\ set"] = (("a", Fraction(1)),)
    return UnbuiltStrategy(player, DefaultRule(rng.choice(("first", "rules"))), rows)


@pytest.mark.sample(80)
@pytest.mark.parametrize("seed", range(2_000))
def test_values_and_best_responses_are_those_of_all_histories(seed: int) -> None:
    rng = random.Random(seed)
    rules = rng.choice((Blank, Memory))(seed, sum_zero=rng.random() < 0.6)
    sets = sets_of(rules)
    bits = rng.choice((2, 2, 30, 700))
    strategies = [drawn_strategy(rng, player, sets[player], bits) for player in (0, 1)]
    game, free = UnbuiltGame.of(rules), Limits(inf, inf)
    merged = _outcome(game, strategies, free)
    every = _outcome_of_histories(game, strategies, Visits(free), values_only=False)
    assert merged.values == every.values == _outcome(game, strategies, free, values_only=True).values
    assert merged.best_response_values == every.best_response_values
    for me in (0, 1):
        pair = [*strategies]
        pair[me] = merged.details[me].best
        earned = _outcome_of_histories(game, pair, Visits(free), values_only=True).values
        assert earned is not None
        assert merged.best_response_values is not None
        assert earned[me] == merged.best_response_values[me]


def test_the_sum_is_proven_at_all_positions() -> None:
    for seed in range(40):
        rules = Memory(seed, sum_zero=seed % 2 == 0)
        sums = {sum(rules.result((end, 0, 0))) for end in rules.game.paid}
        first = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
        outcome = _outcome(UnbuiltGame.of(rules), first, Limits(inf, inf))
        assert outcome.every_leaf
        if outcome.constant_sum is None:
            assert len(sums) > 1
        else:
            assert outcome.constant_sum in sums


class Peek(PositionRules):
    """Player 1 hides a coin, and player 2 guesses. The default of player 2 knows the coin."""

    def start(self) -> Any:
        return ()

    def mover(self, position: Any) -> int:
        return len(position) if len(position) < 2 else tremble.TERMINAL

    def moves(self, position: Any) -> list[Move]:
        return [Move(coin, (*position, coin)) for coin in ("heads", "tails")]

    def result(self, position: Any) -> tuple[int, int]:
        return (-1, 1) if position[0] == position[1] else (1, -1)

    def choice(self, position: Any) -> int:
        return int(position[-1:] == ("tails",))

    def view(self, position: Any, player: int) -> Any:
        return position if player == 1 else position[:1]


class Blind(Peek):
    """The same without views of the coin: the default does not follow from the view."""

    def view(self, position: Any, player: int) -> Any:
        return len(position)


class OtherLabels(Peek):
    """The labels of player 2 tell the coin."""

    def moves(self, position: Any) -> list[Move]:
        return [Move(coin + "".join(position), (*position, coin)) for coin in ("heads", "tails")]

    def choice(self, position: Any) -> int:
        return 0

    def view(self, position: Any, player: int) -> Any:
        return 0


@pytest.mark.parametrize("kind", [Peek, Blind, OtherLabels])
def test_a_player_cannot_act_on_what_it_does_not_see(kind: type[Peek]) -> None:
    strategies = [UnbuiltStrategy(player, DefaultRule("rules"), {}) for player in (0, 1)]
    with pytest.raises(GameError, match="must follow from what player 2 sees"):
        _outcome(UnbuiltGame.of(kind()), strategies, Limits(inf, inf))


class Circle(Peek):
    """Play comes back to the start."""

    def moves(self, position: Any) -> list[Move]:
        return [Move("on", ()), Move("out", (1, 2))]

    def choice(self, position: Any) -> int:
        return 0

    def view(self, position: Any, player: int) -> Any:
        return 0


def test_endless_play_is_refused() -> None:
    strategies = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
    with pytest.raises(GameError, match="forever"):
        _outcome(UnbuiltGame.of(Circle()), strategies, Limits(inf, inf))


def test_rows_must_list_the_moves() -> None:
    rules = Blank(3)
    sets = sets_of(rules)
    player = 0 if sets[0] else 1
    key = next(iter(sets[player]))
    wrong = UnbuiltStrategy(player, DefaultRule("first"), {key: (("no such move", Fraction(1)),)})
    pair = [UnbuiltStrategy(k, DefaultRule("first"), {}) for k in (0, 1)]
    pair[player] = wrong
    with pytest.raises(tremble.errors.CertificateError, match="the game has"):
        _outcome(UnbuiltGame.of(rules), pair, Limits(inf, inf))


@dataclass(frozen=True)
class Long(PositionRules):
    """One player moves many times; the search calls itself for each own move."""

    length: int

    def start(self) -> int:
        return 0

    def mover(self, position: int) -> int:
        return 0 if position < self.length else tremble.TERMINAL

    def moves(self, position: int) -> list[Move]:
        return [Move("on", position + 1), Move("out", self.length + position + 1)]

    def result(self, position: int) -> tuple[int, int]:
        return (position, -position)

    def view(self, position: int, player: int) -> int:
        return position if player == 0 else 0


def test_long_play_is_checked_by_histories() -> None:
    strategies = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
    outcome = _outcome(UnbuiltGame.of(Long(3_000)), strategies, Limits(inf, inf))
    assert outcome.values == (3_000, -3_000)
    assert outcome.best_response_values == (5_999 + 1, -3_000)


def test_without_views_histories_are_not_merged() -> None:
    strategies = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
    assert merged_check(Drawn(1), strategies, Visits(Limits(inf, inf))) is None
    assert merged_check(Blank(1), strategies, Visits(Limits(inf, inf))) is not None


@dataclass
class Prize(PositionRules):
    """Player 1 hides a coin, player 2 guesses; the prize can change, and equal games can have different prizes."""

    name: str = "x"
    prize: int = field(default=1, compare=False)

    def __hash__(self) -> int:
        return hash(self.name)

    def start(self) -> Any:
        return ()

    def mover(self, position: Any) -> int:
        return len(position) if len(position) < 2 else tremble.TERMINAL

    def moves(self, position: Any) -> Any:
        return [Move(coin, (*position, coin)) for coin in "HT"]

    def result(self, position: Any) -> tuple[int, int]:
        won = -self.prize if position[0] == position[1] else self.prize
        return won, -won

    def view(self, position: Any, player: int) -> Any:
        return position[:1] if player == 0 else len(position) == 2


def responses_to_first(rules: Any) -> Any:
    strategies = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
    return _outcome(UnbuiltGame.of(rules), strategies, Limits(inf, inf)).best_response_values


def test_games_that_change_are_checked_anew() -> None:
    rules = Prize()
    assert responses_to_first(rules) == (1, 1)
    rules.prize = 10
    assert responses_to_first(rules) == (10, 10)
    assert responses_to_first(Prize("x", 3)) == (3, 3)


def test_an_overridden_method_counts() -> None:
    class Double(Prize):
        def payoff(self, h: Any) -> Any:
            return tuple(2 * amount for amount in super().payoff(h))

    assert responses_to_first(Double()) == (2, 2)


class Lying:
    """A view that denies all differences."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __ne__(self, other: object) -> bool:
        return False


def test_views_cannot_lie_about_being_equal() -> None:
    class Sly(Prize):
        def view(self, position: Any, player: int) -> Any:
            return Lying(position)

        def choice(self, position: Any) -> int:
            return int(position == ("T",))

    with pytest.raises(GameError, match="must follow"):
        responses_to_first(Sly())


@pytest.mark.parametrize(
    "moves",
    [
        None, [], [("H", (1,))], [Move("H", (1, 2)), Move("H", (1, 3))], [Move("", (1, 2))],
        [Move("H", (1, 2), ("a",))],
        [Move("H", (1, 2), ["", ""])], [Move("H", (1, 2), None)], [Move(["H"], (1, 2))], [Move("H", [1, 2])],
    ],
)  # fmt: skip
def test_wrong_moves_are_refused(moves: Any) -> None:
    class Wrong(Prize):
        def moves(self, position: Any) -> Any:
            return moves

    with pytest.raises(GameError):
        responses_to_first(Wrong())


def test_positions_may_be_huge_numbers() -> None:
    class Huge(Prize):
        def start(self) -> Any:
            return 1 << 20_000

        def mover(self, position: Any) -> int:
            return position & 3 if position & 3 < 2 else tremble.TERMINAL

        def moves(self, position: Any) -> Any:
            return [Move("on", position + 1), Move("over", (position | 3) - 1)]

        def result(self, position: Any) -> tuple[int, int]:
            return 1, -1

        def view(self, position: Any, player: int) -> Any:
            return 0

    assert responses_to_first(Huge()) == (1, -1)


def test_rows_at_sets_that_play_avoids_must_fit_too() -> None:
    rows = {"1+": (("no such move", Fraction(1)),)}
    strategies = [UnbuiltStrategy(0, DefaultRule("first"), rows), UnbuiltStrategy(1, DefaultRule("first"), {})]
    with pytest.raises(tremble.errors.CertificateError, match="the game has"):
        _outcome(tremble.load_rules("dark_hex:size=2,abrupt=true"), strategies, Limits(inf, inf))
