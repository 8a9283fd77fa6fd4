"""Hands by hand and by program: the same hands, the same costs, clear words where an answer is none."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import pytest

import tremble
from tremble import GameError
from tremble.errors import SpecError
from tremble.results import Decision


@pytest.fixture(scope="module")
def kuhn() -> tremble.GameTree:
    return tremble.load("kuhn")


@pytest.fixture(scope="module")
def solution(kuhn: tremble.GameTree) -> tremble.Solution[Any]:
    return tremble.solve(kuhn, "quasi-perfect")


def test_a_program_loses_on_average_what_its_strategy_gives_away(
    kuhn: tremble.GameTree, solution: tremble.Solution[Any]
) -> None:
    """The mean cost of a hand is the loss of the strategy, by exact values of the game."""
    bold = {label: {kuhn.actions[0][k][-1]: 1} for k, label in enumerate(kuhn.infoset_labels[0])}
    hands = tremble.play(kuhn, solution, lambda decision: decision.actions[-1], seat=0, hands=600, seed=2)
    given_away = solution.value - tremble.expected_values(kuhn, (bold, solution.strategies[1]))[0]
    assert abs(hands.lost / len(hands) - given_away) < F(1, 20)
    assert given_away > 0
    again = tremble.play(kuhn, solution, lambda decision: len(decision.actions) - 1, seat=0, hands=600, seed=2)
    assert again == hands
    assert hands.ended == "hands"
    assert sum(row["loss"] for row in hands.to_rows()) == hands.lost


def test_what_the_solution_plays_costs_nothing(kuhn: tremble.GameTree, solution: tremble.Solution[Any]) -> None:
    def likeliest(decision: Decision) -> int:
        shares = decision.options.probabilities
        return shares.index(max(shares))

    hands = tremble.play(kuhn, solution, likeliest, hands=50, seed=0)
    assert hands.lost == 0
    assert {hand.seat for hand in hands} == {0, 1}


def test_rules_and_any_profile(kuhn: tremble.GameTree, solution: tremble.Solution[Any]) -> None:
    given = [tremble.play(kuhn, form, lambda decision: 0, hands=3, seed=5) for form in (solution, solution.strategies)]
    assert given[0] == given[1]
    ordered = tremble.load_rules("rhode_island:ranks=3")
    hands = tremble.play(ordered, tremble.solve(ordered, gap=5), lambda decision: 0, hands=2, seed=1)
    assert len(hands) == 2
    assert hands.lost >= 0


@pytest.mark.parametrize(
    ("asked", "kind", "words"),
    [
        (
            {"choose": lambda _: "jump", "hands": 1},
            SpecError,
            r"at information set 'J:', 'choose' returned 'jump'.*'check'",
        ),
        ({"choose": lambda _: 2, "hands": 1}, SpecError, "position of an action, from 0"),
        ({"choose": lambda _: -1, "hands": 1}, SpecError, "returned -1"),
        ({"choose": lambda _: None, "hands": 1}, SpecError, "returned None"),
        ({"choose": lambda _: True, "hands": 1}, SpecError, "returned True"),
        ({"choose": lambda _: 0}, SpecError, "hands=100"),
        ({"choose": "check", "hands": 1}, SpecError, "'choose' must be a function"),
        ({"choose": lambda _: 0, "hands": 0}, SpecError, "at least 1"),
        ({"choose": lambda _: 0, "hands": 1, "seat": 2}, GameError, "player"),
        ({"choose": lambda _: 0, "hands": 1, "seed": "a"}, GameError, "seed must be an integer"),
        ({"choose": lambda _: 0, "hands": "many"}, GameError, "hands must be an integer"),
    ],
)
def test_what_is_no_answer_is_told(kuhn: tremble.GameTree, asked: dict[str, Any], kind: type, words: str) -> None:
    with pytest.raises(kind, match=words):
        tremble.play(kuhn, **{"seat": 0, "seed": 2, **asked})


def test_an_error_of_choose_is_raised(kuhn: tremble.GameTree) -> None:
    answers = iter([0])
    with pytest.raises(StopIteration):
        tremble.play(kuhn, None, lambda _: next(answers), seat=0, hands=9, seed=2)


def test_a_large_game_wants_a_solution() -> None:
    with pytest.raises(GameError, match=r"tremble\.play\(game, tremble\.solve\(game\)\)"):
        tremble.play(tremble.load_rules("phantom_ttt"), None, lambda _: 0, hands=1)


def answering(*lines: str) -> Callable[[str], str]:
    """The standard input, which ends with these lines."""
    left = iter(lines)

    def answer(_prompt: str = "") -> str:
        line = next(left, None)
        if line is None:
            raise EOFError
        if line == "^C":
            raise KeyboardInterrupt
        return line

    return answer


@pytest.mark.parametrize(
    ("lines", "ended", "finished"),
    [(("check", "", "q"), "quit", 1), (("?", "why", "nonsense", "1"), "input", 1), (("^C",), "interrupted", 0)],
)
def test_moves_are_asked_for(
    lines: tuple[str, ...], ended: str, finished: int,
    kuhn: tremble.GameTree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("builtins.input", answering(*lines))
    hands = tremble.play(kuhn, seat=0, seed=4)
    assert (hands.ended, len(hands)) == (ended, finished)
    assert "You play against a solution" in capsys.readouterr().out or finished == 0
