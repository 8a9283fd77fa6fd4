"""Every form of a profile in every function that takes one, right and wrong; and there and back again."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from typing import Any

import numpy as np
import pytest

import tremble
from gambit import pygambit, read_by_gambit
from hand_made import random_game, random_profile
from tremble.errors import TrembleError, TrembleWarning
from tremble.formats.efg import format_efg
from tremble.formats.given_profile import given_profile
from tremble.formats.profile import read_profile
from tremble.game.strategy import BehaviorStrategy, Profile
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.io import to_arrays, to_gambit_profile, to_openspiel_policy
from tremble.show import draw_html, draw_svg
from tremble.show.playable import playable_game
from tremble.text.records import gambit_text

Rows = list[list[list[F]]]  # player -> information set -> probability of each action
Given = Callable[[GameTree, Rows], Any]  # what stands for a profile, of rows that may be wrong


@cache
def game() -> GameTree:
    """Kuhn poker with OpenSpiel's labels, "0", "0pb", ..., and rules that its policies can be asked by."""
    pytest.importorskip("pyspiel")
    return tremble.load("openspiel:kuhn_poker")


@cache
def right() -> Rows:
    """An equilibrium, of small denominators."""
    return [[[F(p) for p in row] for row in strategy] for strategy in tremble.solve(game()).strategies]


def by_label(tree: GameTree, rows: Rows, player: int, *, whole: bool = False) -> dict[str, dict[str, F]]:
    """Left out: sets without rows, and actions that are never played, unless all are wanted."""
    return {
        label: {action: p for action, p in zip(labels, row, strict=True) if p or whole}
        for label, labels, row in zip(tree.infoset_labels[player], tree.actions[player], rows[player], strict=True)
        if row
    }


def one_dict(tree: GameTree, rows: Rows) -> Any:
    return by_label(tree, rows, 0) | by_label(tree, rows, 1)


def by_number(tree: GameTree, rows: Rows) -> Any:
    return [{k: dict(enumerate(map(str, row))) for k, row in enumerate(side) if row} for side in rows]


def as_text(tree: GameTree, rows: Rows) -> str:
    """What a file of strategies holds."""
    sets = [
        [
            {"infoset": k + 1, "actions": [[a, str(p)] for a, p in zip(labels, row, strict=True)]}
            for k, (labels, row) in enumerate(zip(tree.actions[player], rows[player], strict=True))
            if row
        ]
        for player in (0, 1)
    ]
    return json.dumps({"strategies": sets})


def policy(tree: GameTree, rows: Rows) -> Callable[[Any], dict[int, float]]:
    """A function of a state of OpenSpiel; it says nothing where there is no row."""
    row_of = {
        label: row for player in (0, 1) for label, row in zip(tree.infoset_labels[player], rows[player], strict=True)
    }
    return lambda state: dict(enumerate(map(float, row_of[state.information_state_string()])))


class Answering:
    """A policy as OpenSpiel has them in Python."""

    def __init__(self, answer: Callable[[Any], dict[int, float]]) -> None:
        self.answer = answer

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        return self.answer(state)


def tabular(tree: GameTree, rows: Rows) -> Any:
    import pyspiel

    return pyspiel.TabularPolicy({
        label: [(a, float(p)) for a, p in enumerate(row)]
        for player in (0, 1)
        for label, row in zip(tree.infoset_labels[player], rows[player], strict=True)
        if row
    })  # fmt: skip


def tables(tree: GameTree, rows: Rows) -> Any:
    """The rows of a file, right or wrong."""
    stated = [StrategyTable.of(BehaviorStrategy.uniform(tree, player)) for player in (0, 1)]
    given = []
    for table, side in zip(stated, rows, strict=True):
        kept = [k for k, row in enumerate(side) if row]
        given.append(
            replace(
                table,
                infosets=tuple(kept),
                labels=tuple(table.labels[k] for k in kept),
                actions=tuple(table.actions[k] for k in kept),
                numerator=np.array([int(p * 60) for k in kept for p in side[k]], dtype=np.int64),
                denominator=np.full(len(kept), 60, dtype=np.int64),
                off_path=table.off_path[kept],
            )
        )
    return given


def solved(tree: GameTree, rows: Rows) -> Any:
    return replace(tremble.solve(tree), strategies=tuple(tables(tree, rows)))


FORMS: Mapping[str, tuple[Given, str]] = {
    "solution": (solved, r"player \d|strategies"),
    "tables": (tables, r"player \d"),
    "dicts by label": (lambda t, r: [by_label(t, r, 0), by_label(t, r, 1)], "the dict by information set"),
    "one dict": (one_dict, "the dict by information set"),
    "dicts by number": (by_number, "the dict by information set"),
    "rows": (lambda t, r: r, "the rows of probabilities"),
    "arrays of rows": (
        lambda t, r: [np.array([row for row in side if row], dtype=float) for side in r],
        "the rows of probabilities",
    ),
    "vectors": (lambda t, r: [np.array([p for row in side for p in row], dtype=float) for side in r], "the vector of"),
    "line": (lambda t, r: "NE," + ",".join(str(p) for side in r for row in side for p in row), "the line|<text>"),
    "file of strategies": (as_text, "<text>: player 2"),
    "tabular policy": (tabular, "the policy of OpenSpiel"),
    "Python policy": (lambda t, r: Answering(policy(t, r)), "the policy of OpenSpiel"),
    "function": (policy, "the policy of OpenSpiel"),
}
"""Form -> how it is made of rows, an empty one meaning that nothing is said; what errors call it."""

FUNCTIONS: Mapping[str, Callable[[GameTree, Any], Any]] = {
    "nash_conv": lambda tree, given: tremble.nash_conv(tree, given),
    "exploitability": lambda tree, given: tremble.exploitability(tree, given) * 2,
    "expected_values": lambda tree, given: tremble.expected_values(tree, given)[0],
    "best_response": lambda tree, given: tremble.best_response(tree, given, 0)[0],
    "audit": lambda tree, given: sum(tremble.audit(tree, given).gains),
    "compare": lambda tree, given: tremble.compare(tree, given, tremble.solve(tree)).earnings[0].first,
    "certify": lambda tree, given: tremble.certify(tree, given).value,
    "draw": lambda tree, given: (draw_svg(tree, given), draw_html(tree, given))[0].count(
        "Reached with probability 1/6"
    ),
    "play": lambda tree, given: len(playable_game(tree, given).players),
}


@cache
def answer(function: str) -> Any:
    """What a function says of the profile as a pair of strategies."""
    return FUNCTIONS[function](game(), pair_of(right()))


def pair_of(rows: Rows) -> Profile:
    one, two = (BehaviorStrategy.from_rows(game(), player, rows[player]) for player in (0, 1))
    return one, two


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("form", FORMS)
def test_every_function_takes_every_form(form: str, function: str) -> None:
    """And gives the same exact number, whatever it is given."""
    found = FUNCTIONS[function](game(), FORMS[form][0](game(), right()))
    assert found == answer(function)
    assert not isinstance(found, float)


def lacking(rows: Rows) -> Rows:
    """Player 2 says nothing where its first decision comes."""
    return [rows[0], [[], *rows[1][1:]]]


def unlike_one(rows: Rows) -> Rows:
    """The probabilities of player 2's first decision sum to 9/10."""
    return [rows[0], [[F(1, 2), F(2, 5)], *rows[1][1:]]]


def swapped(given: Any) -> Any:
    """The strategies of a pair exchanged; None of what is none."""
    return given[::-1] if isinstance(given, list | tuple) else None


def mislabelled(given: Any) -> Any:
    """One label of a dict of player 1 misspelled."""
    if isinstance(given, dict):
        return {f"{key} x" if key == "0" else key: row for key, row in given.items()}
    if isinstance(given, list) and isinstance(given[0], dict):
        label, row = next(iter(given[0].items()))
        wrong = f"{label} x" if isinstance(label, str) else 99
        return [{wrong: row} | {key: r for key, r in given[0].items() if key != label}, given[1]]
    return None


def misplayed(given: Any) -> Any:
    """One action of a dict of player 1 misspelled."""
    if isinstance(given, list) and isinstance(given[0], dict):
        label = next(iter(given[0]))
        return [given[0] | {label: {"none such": 1}}, given[1]]
    return given | {"0": {"none such": 1}} if isinstance(given, dict) else None


def raised(function: str, given: Any) -> TrembleError:
    """The error of a function; all that it raises is ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrembleWarning)
        with pytest.raises(TrembleError) as caught:
            FUNCTIONS[function](game(), given)
    return caught.value


FAULTS: Mapping[str, Callable[[Given, GameTree, Rows], tuple[Any, str]]] = {
    "missing set": lambda make, tree, rows: (
        make(tree, lacking(rows)),
        "player 2|the line has 22",
    ),
    "sums off": lambda make, tree, rows: (make(tree, unlike_one(rows)), r"player 2, information set 1\b.*sum"),
    "players swapped": lambda make, tree, rows: (swapped(make(tree, rows)), r"player"),
    "wrong label": lambda make, tree, rows: (mislabelled(make(tree, rows)), r"information set"),
    "wrong action": lambda make, tree, rows: (misplayed(make(tree, rows)), r"information set 1 .*'none such'"),
    "three players": lambda make, tree, rows: ([make(tree, rows)] * 3, "two strategies, not 3"),
}
"""What is wrong -> a form with that fault, or None where there is none such, and what the error says of the place."""


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("form", FORMS)
def test_wrong_profiles_are_told_with_form_and_place(form: str, fault: str, function: str) -> None:
    make, called = FORMS[form]
    given, place = FAULTS[fault](make, game(), right())
    if given is None or (fault == "players swapped" and form in LOOKS_RIGHT):
        return
    said = str(raised(function, given))
    assert re.search(place, said, re.DOTALL), said
    if fault != "three players":
        assert re.search(called if fault != "players swapped" else SWAPPED.get(form, called), said), said


LOOKS_RIGHT = {"rows", "arrays of rows", "vectors", "dicts by number"}
"""What says nothing of whose it is, in a game where both players have as many information sets and actions."""

SWAPPED = {"tables": "the pair of strategies"}


def test_other_things_that_are_no_profiles() -> None:
    tree = game()
    uniform = [BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    for given, said in (
        (7, "a int is no profile: give a pair of strategies; a solution; .* a policy of OpenSpiel"),
        (None, "a NoneType is no profile"),
        (np.float64(0.5), "is no profile"),
        ({1, 2}, "a set is no profile"),
        (uniform[:1], "a profile must have two strategies, not 1"),
        (
            uniform[::-1],
            "the pair of strategies: strategy 1 is a BehaviorStrategy of player 2; are the players swapped",
        ),
        ([uniform[0], 7], "the pair of strategies: a int is no strategy of player 2: give a BehaviorStrategy, a dict"),
        ([uniform[0], "NE,1"], "a str is no strategy of player 2"),
        (
            [tremble.solve(tree)] * 2,
            "strategy 1 is a Solution, which contains .* of both players; give it without a pair, or give its strat",
        ),
        ([{"0": 0.5}, uniform[1]], r"information set 1 \('0'\): expected {action: probability}, found 0.5"),
        ([{"0": {"none": 1}}, uniform[1]], "has the actions 'Pass', 'Bet' at positions 0 to 1, not 'none'"),
        ([{"0": {"Pass": 1, 0: 0}}, uniform[1]], "the action 'Pass' is given twice, by label and by position"),
        ([{"0": [1, 0], 0: [1, 0]}, uniform[1]], "the dict contains this information set twice"),
        ([{"0": [1]}, uniform[1]], "1 probabilities are given for the actions 'Pass', 'Bet'"),
        ([{"0": {"Pass": "x"}}, uniform[1]], "information set 1 .'0'.: the probability: x is not a number"),
        ([{"0": {"Pass": float("nan")}}, uniform[1]], "are not probabilities"),
        ([{"0": {"Pass": -0.5, "Bet": 1.5}}, uniform[1]], "include a negative number"),
        ([{"0p": {"Pass": 1}}, uniform[1]], "no information set '0p'.*2 has this label: are the players swapped"),
        (
            [{"0": {"Pass": 1}}, uniform[1]],
            "no probabilities are given for player 1, information set .* and for .* more; the player's own ",
        ),
        ({"0": {"Pass": 1}, 3: [1, 0]}, "for both players: the key 3 is not a label, .*; give a pair"),
        ({"0": {"Pass": 1}, "1x": [1, 0]}, "no player has an information set '1x'; did you mean"),
        (
            [[1, 0], [1, 0]],
            r"the vector of probabilities: player 1 has 12 actions at 6 information set\(s\), but 2 numbers",
        ),
        ([[[1, 0]] * 5, uniform[1]], r"the rows of probabilities: player 1 has 6 information set\(s\), but 5 rows"),
        ([[[1, 0]] * 5 + [[1, 0, 0]], uniform[1]], r"the rows of probabilities: player 1, information set 6 .*3 prob"),
        (
            [[[1, 0]] * 5 + [7], uniform[1]],
            "the rows of probabilities: player 1, information set 6 .*: expected a list",
        ),
        ("NE,1,0", "the line has 2 probabilities, but the players of the game have 12 . 12 actions"),
        ("none.json", "none.json"),
        (lambda state: 7, "the policy of OpenSpiel: player ., information set .*: calling the policy fails"),
        (lambda state: {0: np.ones(2)}, "player ., information set .*: calling the policy fails"),
    ):
        with pytest.raises(TrembleError, match=said):
            tremble.nash_conv(tree, given)
    with pytest.raises(TrembleError, match=r"the policy of OpenSpiel: only a tree loaded from OpenSpiel.*give a dict"):
        tremble.nash_conv(tremble.load("kuhn"), lambda state: {0: 1.0})
    both = tremble.load("dare_or_decline")
    with pytest.raises(TrembleError, match=r"both players have an information set with the label 'dare.'; give a pair"):
        tremble.nash_conv(both, {"dare?": {"dare": 1}})


class Tensor:
    """A tensor that wants its gradient: it does not become an array."""

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray[Any, Any]:
        raise RuntimeError("detach it first")


class Holder:
    """Somebody's object that holds strategies, or does not."""

    def __init__(self, held: object) -> None:
        self.held = held

    def profile(self, tree: GameTree) -> Any:
        return self.held


class Unreadable(dict[str, object]):
    def items(self) -> Any:
        raise KeyError(Mute())


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


def test_whatever_an_object_raises_becomes_our_error() -> None:
    tree = game()
    uniform = [BehaviorStrategy.uniform(tree, player) for player in (0, 1)]
    for given, said in (
        ([Tensor(), uniform[1]], r"a list cannot be read as a profile \(RuntimeError: detach it first\)"),
        ([Unreadable(), uniform[1]], r"a list cannot be read as a profile \(KeyError: \.\.\.\)"),
        (Unreadable(), "a Unreadable cannot be read as a profile"),
        (Holder(None), "a NoneType is no profile"),
        (Holder([uniform[0], 3]), "a int is no strategy of player 2"),
        (Holder(uniform[::-1]), "strategy 1 is a BehaviorStrategy of player 2"),
    ):
        for judge in (tremble.nash_conv, tremble.expected_values, tremble.audit, tremble.certify, tremble.explain):
            with pytest.raises(TrembleError, match=said):
                judge(tree, given)  # type: ignore[operator]
    assert tremble.nash_conv(tree, Holder(uniform)) == tremble.nash_conv(tree, uniform)


def test_more_numbers_than_fit_are_not_looked_at() -> None:
    tree = game()
    uniform = BehaviorStrategy.uniform(tree, 1)
    endless = range(10**15)
    for given, said in (
        (endless, "two strategies, not 1000000000000000|pair"),
        ([endless, uniform], "but 1000000000000000 numbers are given"),
        ([[endless] * 6, uniform], "1000000000000000 probabilities are given"),
        ([{"0": endless}, uniform], "1000000000000000 probabilities are given"),
    ):
        for judge in (tremble.nash_conv, tremble.certify, tremble.explain):
            with pytest.raises(TrembleError, match=said):
                judge(tree, given)  # type: ignore[operator]


def test_one_shot_games_take_mixed_strategies() -> None:
    tree = tremble.matrix_game([[3, 1, 0], [0, 2, 2]])
    for pair in (
        ([F(1, 2), F(1, 2)], [F(1, 4), F(3, 4), 0]),
        (np.array([0.5, 0.5]), np.array([0.25, 0.75, 0.0])),
        (["1/2", "0.5"], ["1/4", "3/4", "0"]),
        ([[0.5, 0.5]], np.array([[0.25, 0.75, 0.0]])),
        ({0: [0.5, 0.5]}, [0.25, 0.75, 0]),
    ):
        assert tremble.expected_values(tree, pair)[0] == F(3, 2)
        for wrong, said in ((pair[::-1], "are the players swapped"), (pair[:1], "two strategies, not 1")):
            if not isinstance(pair[0], dict):
                with pytest.raises(TrembleError, match=said):
                    tremble.nash_conv(tree, wrong)
    assert tremble.nash_conv(tremble.matrix_game([[1, -1], [-1, 1]]), np.array([[0.5, 0.5], [0.5, 0.5]])) == 0


def sexes() -> GameTree:
    moves = ["opera", "football"]
    return tremble.matrix_game([[2, 0], [0, 1]], [[1, 0], [0, 2]], rows=moves, columns=moves, players=("Ann", "Bob"))


@pytest.mark.parametrize(
    "profile",
    [
        [{"opera": "2/3", "football": "1/3"}, {"opera": 1 / 3, "football": 2 / 3}],
        [{0: "2/3", 1: "1/3"}, {0: {"opera": "1/3", "football": "2/3"}}],
        {"Bob": {"opera": "1/3", "football": "2/3"}, "Ann": {"opera": "2/3", "football": "1/3"}},
        {"Ann": ["2/3", "1/3"], "Bob": {0: ["1/3", "2/3"]}},
    ],
)
def test_dicts_by_action_and_by_name(profile: Any) -> None:
    assert tremble.nash_conv(sexes(), profile) == 0


def test_one_action_stands_for_itself() -> None:
    entry = tremble.load("entry_deterrence")
    threat: Any
    for threat in (
        [{"entrant": "out"}, {"incumbent": "fight"}],
        {"entrant": "out", "incumbent": {"fight": 1}},
        {"Entrant": {"out": 1}, "Incumbent": {"incumbent": "fight"}},
    ):
        assert tremble.expected_values(entry, threat) == (1, 5)
    numbered = tremble.matrix_game([[3, 1], [0, 2]])  # whose actions are called 1 and 2
    assert tremble.expected_values(numbered, [{"1": "1"}, {"1": "0", "2": "1"}]) == (1, -1)


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ([{"opra": 1}, {"opera": 1}], "player 1 has the actions 'opera', 'football' at positions 0 to 1, not 'opra'"),
        ({"Ann": {"opera": 1}}, "'Ann' is a player's name; use both names and no other keys"),
        ({"Ann": {"opera": 1}, "Bbo": {"opera": 1}}, "'Ann' is a player's name"),
        ({"An": {"opera": 1}, "Bob": {"opera": 1}}, "no player has an information set 'An'; did you mean 'Ann'?"),
        ([{"opera": "1/2"}, {"opera": 1}], "player 1, information set 1: the probabilities sum to 1/2, not 1"),
        ([{0: "oper"}, {"opera": 1}], "player 1 has the actions|information set 1: "),
    ],
)
def test_slips_in_dicts_by_action_and_by_name(profile: Any, said: str) -> None:
    with pytest.raises(TrembleError, match=said):
        tremble.nash_conv(sexes(), profile)


def test_one_action_of_the_set_with_index_0() -> None:
    """The action's label may look like a position."""
    game = tremble.matrix_game([[1, 0], [0, 2]], rows=["0", "1"], columns=["0", "1"])
    assert tremble.expected_values(game, ({0: "1"}, {0: "1"})) == (2, -2)
    pennies = tremble.load("matching_pennies")
    assert tremble.expected_values(pennies, ({0: "heads"}, {0: "heads"})) == (1, -1)
    assert tremble.expected_values(pennies, ({0: 1}, {0: "1"})) == (1, -1)  # position 0


def test_swapped_players_are_told_by_their_actions() -> None:
    entry = tremble.load("entry_deterrence")
    with pytest.raises(TrembleError, match="not 'fight'; it fits player 2: are the players swapped"):
        tremble.nash_conv(entry, [{"fight": 1}, {"enter": 1}])
    with pytest.raises(TrembleError, match=r"found 'uot'; a single action must be one of 'out', 'enter'"):
        tremble.nash_conv(entry, [{"entrant": "uot"}, {"incumbent": "fight"}])


def test_floats_stay_floats_in_strategies_of_tremble_only() -> None:
    tree = tremble.load("kuhn")
    exact = [list(map(list, strategy)) for strategy in tremble.solve(tree).strategies]
    floats = [
        BehaviorStrategy.from_floats(tree, i, np.array([float(p) for row in exact[i] for p in row])) for i in (0, 1)
    ]
    assert isinstance(tremble.nash_conv(tree, floats), float)
    assert isinstance(tremble.nash_conv(tree, [floats[0], exact[1]]), float)
    assert tremble.nash_conv(tree, to_arrays(tree, floats)) == 0
    assert isinstance(tremble.nash_conv(tree, to_arrays(tree, floats)), F)
    assert tremble.certify(tree, floats).value == F(-1, 18)
    assert tremble.audit(tree, floats).gains == (0, 0)
    assert list(given_profile(tree, floats, exact=True).strategies[0]) == exact[0]


def test_what_is_never_reached_may_be_left_out() -> None:
    tree = tremble.load("kuhn")
    bold = {"J:": {"bet": 1}, "Q:": {"bet": 1}, "K:": {"bet": 1}}  # so that no bet is ever faced
    with pytest.warns(TrembleWarning, match=r"the dict by information set: 3 row.s. of zeros .* completed uniformly"):
        given = given_profile(tree, [bold, BehaviorStrategy.uniform(tree, 1)])
    with warnings.catch_warnings(action="error"), pytest.raises(TrembleWarning):
        given_profile(tree, [bold, BehaviorStrategy.uniform(tree, 1)])
    assert given.not_stated == ((1, 3, 5), ())
    assert given.strategies[0].off_path.tolist() == [False, True] * 3
    assert given.strategies[0]["Q:cb"] == {"fold": F(1, 2), "call": F(1, 2)}
    plan = given.strategies[0].to_realization_plan(tree)
    assert list(given_profile(tree, [plan, given.strategies[1]]).strategies[0]) == list(given.strategies[0])


def test_labels_of_several_sets_are_told_with_numbers() -> None:
    tree = tremble.read_efg("""EFG 2 R "" { "A" "B" } "" p "" 1 1 "S" {"a" "b"} 0 p "" 1 2 "S" {"c" "d"} 0
    t "" 1 "" {1 2} t "" 2 "" {0 0} t "" 3 "" {3 1}""")
    with pytest.raises(TrembleError, match=r"2 information sets with the label 'S'.*counted from 0: 0, 1"):
        tremble.nash_conv(tree, [{"S": {"a": 1}}, []])
    assert tremble.expected_values(tree, [{0: {"a": 1}, 1: {"d": 1}}, []]) == (0, 0)
    assert tremble.expected_values(tree, [{0: {"a": 1}, 1: {"d": 1}}, {}]) == (0, 0)


# -- there and back ----------------------------------------------------------------------------------


@cache
def played(seed: int) -> tuple[GameTree, Profile, F]:
    """A random game of any sum and a random profile of it, with its NashConv."""
    tree = random_game(seed, 4, zero_sum=seed % 2 == 0)
    profile = random_profile(tree, seed)
    return tree, profile, F(tremble.nash_conv(tree, profile))


@pytest.mark.sample(60)
@pytest.mark.parametrize("seed", range(300))
def test_to_arrays_lines_and_dicts_and_back(seed: int) -> None:
    tree, profile, conv = played(seed)
    dicts = [dict(enumerate(dict(zip(a, r, strict=True)) for a, r in zip(s.actions, s, strict=True))) for s in profile]
    for form in (
        to_arrays(tree, profile),
        to_arrays(tree, profile, exact=True),
        [list(map(list, strategy)) for strategy in profile],
        gambit_text(profile),
        dicts,
        read_profile(gambit_text(profile)),
        [BehaviorStrategy.from_floats(tree, i, v).to_floats() for i, v in enumerate(to_arrays(tree, profile))],
    ):
        assert [list(strategy) for strategy in given_profile(tree, form).strategies] == [list(s) for s in profile]
        assert tremble.nash_conv(tree, form) == conv


@pytest.mark.parametrize("games", [40, pytest.param(300, marks=pytest.mark.slow)])
def test_to_openspiel_and_back(games: int) -> None:
    """OpenSpiel computes the same NashConv of what it is given."""
    pyspiel = pytest.importorskip("pyspiel")
    compared = 0
    for seed in range(games):
        tree, profile, conv = played(seed)
        game = pyspiel.load_efg_game(format_efg(tree))
        theirs = tremble.build(game)
        same = theirs.actions == tree.actions
        if same:
            assert tremble.nash_conv(theirs, profile) == conv
        else:  # there are moves of chance with the probability 0, which are left out
            profile = random_profile(theirs, seed)
            conv = F(tremble.nash_conv(theirs, profile))
        policy = to_openspiel_policy(game, profile)
        assert tremble.nash_conv(theirs, policy) == conv
        if same and tree.zero_sum and all(tree.num_infosets):
            assert pyspiel.nash_conv(game, policy) == pytest.approx(float(conv), abs=1e-9)
            compared += 1
    assert compared > games / 20


@pytest.mark.peers
def test_to_gambit_and_back() -> None:
    """300 games; Gambit computes the same payoffs, and the same greatest gain where that is quick."""
    compared = 0
    for seed in range(300):
        tree, profile, conv = played(seed)
        for game in (tree, read_by_gambit(format_efg(tree))):
            theirs = to_gambit_profile(game, profile)
            assert tremble.nash_conv(tree, theirs) == conv
        values = tremble.expected_values(tree, profile)
        assert [F(str(theirs.payoff(player))) for player in theirs.game.players] == list(values)
        if max(tree.num_infosets) <= 6:
            gains = [tremble.best_response(tree, profile, player)[0] - values[player] for player in (0, 1)]
            assert F(str(theirs.max_regret())) == max(gains)
            compared += 1
        floats = to_gambit_profile(tree, [strategy.as_float() for strategy in profile])
        assert tremble.nash_conv(tree, floats) == conv
    assert compared > 50


@pytest.mark.peers
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_takes_profiles_of_gambit(function: str) -> None:
    theirs = to_gambit_profile(game(), pair_of(right()))
    assert FUNCTIONS[function](game(), theirs) == answer(function)
    raised_once = tremble.load("kuhn_raise")
    other = to_gambit_profile(raised_once, [BehaviorStrategy.uniform(raised_once, player) for player in (0, 1)])
    assert "the profile of Gambit belongs to another game" in str(raised(function, other))


@pytest.mark.peers
def test_mixed_profiles_of_gambit() -> None:
    table = pygambit().Game.from_arrays([[3, 1], [0, 2]], [[1, 0], [0, 3]])
    mixed = to_gambit_profile(table, ([F(1, 3), F(2, 3)], [1, 0]))
    assert "Strategy" in type(mixed).__name__
    assert tremble.expected_values(tremble.build(table), mixed) == (1, F(1, 3))
    with pytest.raises(TrembleError, match="the profile of Gambit belongs to another game"):
        tremble.nash_conv(tremble.load("kuhn"), mixed)
    with pytest.raises(TrembleError, match="the vector of probabilities: player 1 has 2 actions"):
        to_gambit_profile(table, ([1, 0, 0], [1, 0]))
