"""Border patrol and phantom tic-tac-toe, games far larger than their rules let on, and how they are counted."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import tremble
from known import BORDER_PATROL, PHANTOM_TTT, SearchGame
from tremble.errors import SpecError
from tremble.game.protocol import TERMINAL
from tremble.games import counting
from tremble.games import parameters as games
from tremble.games.counting import counts
from tremble.games.parameters import parse_spec
from tremble.large.border_patrol import BorderPatrol
from tremble.large.by_view import ByView
from tremble.large.phantom_ttt import PhantomTTT

PATROLS = [
    BorderPatrol(graph=graph, depth=3, slow=slow, p2_zone=zone, evader_may_stay=stay, swap_captures=swap)
    for graph, slow, zone, stay, swap in product(
        (1, 2, 3), (True, False), ("11,12", "10,11,12", "10"), (True, False), (True, False)
    )
]
PHANTOMS = [PhantomTTT(), PhantomTTT(forced_wins=True), PhantomTTT(win_first=True, order="8,7,6,5,4,3,2,1,0")]
RULES = [BorderPatrol(depth=4), BorderPatrol(graph=2, p2_zone="12,10", evader_may_stay=True), *PHANTOMS]


def sizes(said: dict[str, Any]) -> SearchGame:
    nodes = said["nodes"]
    return SearchGame(nodes["chance"] + sum(nodes["player"]) + nodes["terminal"], *said["sequences"])


def announced_and_built(rules: Any, tree: tremble.GameTree | None = None) -> tuple[dict[str, Any], dict[str, Any]]:

    said = rules.counts() if hasattr(rules, "counts") else counts(rules)
    record = tremble.info(tree or tremble.build(rules))
    return said, {key: record[key] for key in said}


def play(rules: Any, *labels: str) -> Any:
    h = rules.root()
    for label in labels:
        h = rules.child(h, rules.actions(h).index(label))
    return h


def playouts(rules: Any, number: int, seed: int = 0) -> Iterator[list[tuple[Any, int]]]:
    """Histories of plays at random, each with the action that is chosen (-1 at the end)."""
    rng = random.Random(seed)
    for _ in range(number):
        h, line = rules.root(), []
        while rules.player(h) != TERMINAL:
            line.append((h, rng.randrange(len(rules.actions(h)))))
            h = rules.child(*line[-1])
        yield [*line, (h, -1)]


# -- border patrol ----------------------------------------------------------------------------------


EDGES = {0: [1, 4, 5, 6], 1: [4, 5, 6], 17: [4, 5, 6], 18: [10, 11, 12], 4: [4, 5, 7], 5: [4, 5, 6, 8], 6: [5, 6, 9]}
EDGES |= {10: [10, 11, 16], 11: [10, 11, 12, 16], 12: [11, 12, 16]}
MIDDLE = {
    1: {7: [7, 8, 10], 8: [8, 11], 9: [8, 9, 12]},
    2: {7: [7, 8, 10], 8: [7, 8, 9, 11], 9: [8, 9, 12]},
    3: {7: [10], 8: [11], 9: [12]},
}


class SlowPatrol:
    """Border patrol once more, from the lists of all moves: the position is worked out anew for every question."""

    def __init__(self, like: BorderPatrol) -> None:
        self.like = like
        self.edges = EDGES | MIDDLE[like.graph]
        self.zone = [int(node) for node in like.p2_zone.split(",")]

    def root(self) -> tuple[str, ...]:
        return ()

    def places(self, evader: tuple[str, ...]) -> list[int]:
        nodes = [0]
        for move in evader:
            nodes.append(nodes[-1] if move == "wait" else int(move.removeprefix("slow ")))
        return nodes

    def units(self, patroller: tuple[str, ...]) -> list[list[int]]:
        return [[17, 18], *([int(node) for node in move.split(",")] for move in patroller)]

    def result(self, h: tuple[str, ...]) -> int | None:
        evader, patroller = self.places(h[::2]), self.units(h[1::2])
        if evader[-1] == 16:
            return 1
        if len(h) % 2 or not h:
            return None
        if evader[-1] in patroller[-1]:
            return -1
        for unit in (0, 1):
            swapped = patroller[-1][unit] == evader[-2] and patroller[-2][unit] == evader[-1]
            if self.like.swap_captures and swapped:
                return -1
        return 0 if len(h) == 2 * self.like.depth else None

    def player(self, h: tuple[str, ...]) -> int:
        return TERMINAL if self.result(h) is not None else len(h) % 2

    def actions(self, h: tuple[str, ...]) -> list[str]:
        if len(h) % 2:
            one, two = self.units(h[1::2])[-1]
            return [f"{a},{b}" for a in self.edges[one] if a < 7 for b in self.edges[two] if b in self.zone]
        if h and h[-2].startswith("slow"):
            return ["wait"]
        at = self.places(h[::2])[-1]
        to = [node for node in self.edges[at] if self.like.evader_may_stay or node != at]
        slow = [f"slow {node}" for node in to if node in (4, 5, 6) and self.like.slow]
        return [*map(str, to), *slow]

    def chance(self, h: tuple[str, ...]) -> None:
        raise LookupError

    def child(self, h: tuple[str, ...], i: int) -> tuple[str, ...]:
        return (*h, self.actions(h)[i])

    def infoset(self, h: tuple[str, ...]) -> Any:
        if len(h) % 2 == 0:
            return h[::2]
        seen = []
        for turn, units in enumerate(self.units(h[1::2])):
            tracks = {move for move in h[: 2 * turn : 2] if move in ("4", "5", "6")}
            seen.append([(unit, str(unit) in tracks) for unit in units])
        return str(seen)

    def payoff(self, h: tuple[str, ...]) -> tuple[int, int]:
        result = self.result(h)
        assert result is not None
        return result, -result


@pytest.mark.sample(14)
@pytest.mark.parametrize("rules", PATROLS, ids=repr)
def test_border_patrol_is_what_its_rules_say(rules):
    tree = tremble.build(rules)
    assert tree.digest == tremble.build(SlowPatrol(rules)).digest
    said, built = announced_and_built(rules, tree)
    assert said == built
    assert built["recall"] == ["perfect", "perfect"]


def test_all_parameters_of_border_patrol_make_a_difference():
    assert len({str(rules.counts()) for rules in PATROLS if rules.p2_zone != "10"}) == 48
    default = BorderPatrol().counts()
    for other in (
        {"graph": 2},
        {"depth": 6},
        {"slow": False},
        {"p2_zone": "10,11,12"},
        {"evader_may_stay": True},
        {"swap_captures": False},
    ):
        assert BorderPatrol(**other).counts() != default


@pytest.mark.parametrize("spec", BORDER_PATROL)
def test_published_sizes_of_border_patrol(spec):
    assert sizes(parse_spec(spec)[0].counts()) == BORDER_PATROL[spec]._replace(value=None)


@pytest.mark.parametrize("depth", [1, 2, 4, 5])
def test_border_patrol_announces_the_sizes_of_its_tree(depth):
    said, built = announced_and_built(BorderPatrol(depth=depth))
    assert said == built


@pytest.mark.slow
@pytest.mark.parametrize("spec", [spec for spec, known in BORDER_PATROL.items() if known.nodes < 1_000_000])
def test_published_sizes_of_border_patrol_as_built(spec):
    said, built = announced_and_built(parse_spec(spec)[0])
    assert said == built


def test_the_evader_of_five_turns_loses_a_third():
    solution = tremble.solve(tremble.load("border_patrol:depth=5"))
    assert solution.value == BORDER_PATROL["border_patrol:depth=5"].value
    assert solution.status == "certified"


def test_border_patrol_move_by_move():
    rules = BorderPatrol()
    h = play(rules, "slow 4")
    assert (rules.player(h), rules.infoset(h)) == (1, "")
    assert rules.actions(h) == ("4,11", "4,12", "5,11", "5,12", "6,11", "6,12")
    assert rules.player(play(rules, "slow 4", "4,11")) == TERMINAL
    h = play(rules, "slow 4", "6,11")
    assert (rules.infoset(h), rules.actions(h)) == ("slow 4", ("wait",))
    h = play(rules, "slow 4", "6,11", "wait", "5,11")
    assert (rules.infoset(h), rules.actions(h)) == ("slow 4 wait", ("5", "7", "slow 5"))
    h = play(rules, "4", "5,11", "7", "4,11", "8")
    assert rules.infoset(h) == "5,11 4,11*"  # the tracks are found where the evader has been
    assert rules.infoset(play(rules, "slow 4", "5,11", "wait", "5,11", "7", "4,11", "8")) == "5,11 5,11 4,11"
    swapped = ("5", "4,12", "4", "5,12")
    assert rules.payoff(play(rules, *swapped)) == (-1, 1)
    assert BorderPatrol(swap_captures=False).player(play(BorderPatrol(swap_captures=False), *swapped)) == 0
    home = play(rules, "4", "5,11", "7", "5,11", "10", "5,11", "16")
    assert (rules.player(home), rules.payoff(home)) == (TERMINAL, (1, -1))
    with pytest.raises(LookupError):
        rules.chance(home)


def test_a_zone_in_any_order_is_the_same_zone():
    assert parse_spec("border_patrol:p2_zone=12,11")[0] == BorderPatrol()
    assert BorderPatrol(p2_zone="12,10").identity() == BorderPatrol(p2_zone="10,12").identity()


def test_many_turns_can_be_counted():
    said = BorderPatrol(depth=20).counts()
    assert said["nodes"]["terminal"] > 10**15
    assert said["max_depth"] == 40


# -- phantom tic-tac-toe ----------------------------------------------------------------------------


@pytest.mark.parametrize("forced", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_published_sizes_of_phantom_tic_tac_toe(forced):
    spec = "phantom_ttt:forced_wins=true" if forced else "phantom_ttt"
    said = parse_spec(spec)[0].counts()
    assert sizes(said) == PHANTOM_TTT[spec]._replace(value=None)
    if not forced:
        assert said["information_sets"] == [3_683_314, 2_307_355]
        assert round(said["nodes"]["terminal"], -7) == 9_830_000_000


@pytest.mark.slow
def test_phantom_tic_tac_toe_has_few_boards():
    states = counting._explore(ByView(PhantomTTT()))
    assert sum(mover != TERMINAL for mover in states.mover) == 284_627


class Endgame:
    """Phantom tic-tac-toe from a position on that both players know."""

    def __init__(self, rules: PhantomTTT, *tries: str) -> None:
        self.rules, self.start = rules, play(rules, *tries)

    def root(self) -> Any:
        return self.start

    def __getattr__(self, name: str) -> Any:
        if name == "counts":
            raise AttributeError(name)
        return getattr(self.rules, name)


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("rules", "tries"),
    [
        *product(PHANTOMS, [("4", "1", "8", "3", "2", "5"), ("0", "4", "5", "8", "7", "2")]),
        (PhantomTTT(forced_wins=True), ("4", "0", "8", "1", "3")),
        (PhantomTTT(forced_wins=True, order="0,1,2,3,4,5,6,7,8"), ("4", "0", "8", "7", "3")),
    ],
)
def test_sizes_of_endgames(rules, tries):
    said, built = announced_and_built(Endgame(rules, *tries))
    assert said == built
    assert said["recall"] == ["perfect", "perfect"]


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@pytest.mark.parametrize("rules", PHANTOMS)
def test_phantom_tic_tac_toe_on_a_board_of_its_own(rules):
    results = defaultdict(int)
    for line in playouts(rules, 1000):
        board, mover = ["."] * 9, 0
        tries: tuple[list[str], list[str]] = [], []
        for h, i in line[:-1]:
            assert rules.player(h) == mover
            assert rules.infoset(h) == " ".join(tries[mover])
            mine = {int(t[0]) for t in tries[mover] if t[1] == "+"}
            untried = [str(cell) for cell in range(9) if str(cell) not in {t[0] for t in tries[mover]}]
            forced = [
                cell
                for cell in rules.order.split(",")
                if cell in untried and any(int(cell) in s and len(mine & {*s}) == 2 for s in LINES[:6])
            ]
            assert list(rules.actions(h)) == (forced[:1] if forced and rules.forced_wins else untried)
            cell = rules.actions(h)[i]
            free = board[int(cell)] == "."
            tries[mover].append(cell + ("+" if free else "-"))
            if free:
                board[int(cell)] = "XO"[mover]
                mover = 1 - mover
        end = line[-1][0]
        won = [{board[cell] for cell in s} for s in LINES]
        expected = ({"X"} in won) - ({"O"} in won)
        assert expected or "." not in board
        assert rules.payoff(end) == (expected, -expected)
        results[expected] += 1
    assert len(results) == 3  # wins, losses and draws have all been seen


def test_forced_wins():
    rules = PhantomTTT(forced_wins=True)
    assert rules.actions(play(rules, "4", "0", "3", "1")) == ("5",)
    h = play(rules, "4", "5", "3", "0", "5")  # it fails: the opponent is there
    assert (rules.player(h), rules.actions(h)) == (0, ("0", "1", "2", "6", "7", "8"))
    assert len(rules.actions(play(rules, "4", "1", "0", "2"))) == 7  # diagonals do not count
    rules = PhantomTTT(forced_wins=True, order="0,1,2,3,4,5,6,7,8")
    assert rules.actions(play(rules, "0", "4", "1", "7")) == ("2",)


def test_the_default_follows_the_order_and_wins_where_it_is_told_to():
    def line(rules: PhantomTTT, h: Any, player: int) -> str:
        while rules.player(h) == player:
            h = rules.child(h, rules.default(h))
        return "".join(h[1 + player]).strip()

    rules = PhantomTTT()
    assert line(rules, rules.root(), 0) == "4+"
    assert line(rules, play(rules, "4"), 1) == "4- 0+"
    assert line(rules, play(rules, "4", "0"), 0) == "4+ 0- 8+"
    start = "4", "0", "1", "2"  # 7 would win, 0 comes first
    assert line(rules, play(rules, *start), 0) == "4+ 1+ 0- 8+"
    assert line(PhantomTTT(win_first=True), play(rules, *start), 0) == "4+ 1+ 7+"
    diagonal = "4", "1", "2", "3"  # 6 would win
    assert line(PhantomTTT(win_first=True), play(rules, *diagonal), 0) == "4+ 2+ 6+"
    backwards = PhantomTTT(order="8,7,6,5,4,3,2,1,0")
    assert line(backwards, play(backwards, "8"), 1) == "8- 7+"


def test_chance_has_no_part_in_phantom_tic_tac_toe():
    with pytest.raises(LookupError):
        PhantomTTT().chance(PhantomTTT().root())


# -- what solvers may rely on ------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES, ids=repr)
def test_observations_and_actions_make_the_information_sets(rules):
    by_text: tuple[dict[Any, Any], ...] = {}, {}
    by_memory: tuple[dict[Any, Any], ...] = {}, {}
    for line in playouts(rules, 3000):
        memory: tuple[list[Any], list[Any]] = [], []
        for h, i in line[:-1]:
            mover, text = rules.player(h), rules.infoset(h)
            assert isinstance(text, str)
            memory[mover].append(rules.observation(h, mover))
            remembered = tuple(memory[mover])
            assert by_text[mover].setdefault(text, remembered) == remembered
            assert by_memory[mover].setdefault(remembered, text) == text
            memory[mover].append(i)
    assert min(map(len, by_text)) > 50


@pytest.mark.sample(3)
@pytest.mark.parametrize("rules", RULES, ids=repr)
def test_equal_states_have_equal_futures(rules):
    futures: dict[Any, Any] = {}
    different: dict[Any, set[Any]] = defaultdict(set)
    for line in playouts(rules, 3000):
        for h, _ in line:
            mover = rules.player(h)
            if mover == TERMINAL:
                future: Any = rules.payoff(h)
            else:
                after = [rules.state_key(rules.child(h, i)) for i in range(len(rules.actions(h)))]
                future = mover, rules.actions(h), rules.observation(h, mover), after
            assert futures.setdefault(rules.state_key(h), future) == future
            different[rules.state_key(h)].add(h)
    assert sum(len(found) > 1 for found in different.values()) > 100


@pytest.mark.parametrize("rules", RULES, ids=repr)
def test_actions_and_defaults_are_constant_on_information_sets(rules):
    found: dict[Any, Any] = {}
    reached: dict[Any, set[Any]] = defaultdict(set)
    for line in playouts(rules, 3000):
        for h, _ in line[:-1]:
            key = rules.player(h), rules.infoset(h)
            default = rules.default(h) if hasattr(rules, "default") else 0
            assert found.setdefault(key, (rules.actions(h), default)) == (rules.actions(h), default)
            assert 0 <= default < len(rules.actions(h))
            reached[key].add(h)
    assert sum(len(histories) > 1 for histories in reached.values()) > 100


@pytest.mark.parametrize("rules", RULES, ids=repr)
def test_payoffs_lie_within_their_bounds(rules):
    payoffs = {rules.payoff(line[-1][0])[0] for line in playouts(rules, 1000)}
    assert (min(payoffs), max(payoffs)) == rules.utility_bounds()


# -- counting ----------------------------------------------------------------------------------------


class Explicit:
    """Any rules, every history a state of its own."""

    def __init__(self, spec: str) -> None:
        self.rules = parse_spec(spec)[0]

    def __getattr__(self, name: str) -> Any:
        if name == "counts":
            raise AttributeError(name)
        return getattr(self.rules, name)

    def state_key(self, h: Any) -> Any:
        return h

    def observation(self, h: Any, player: int) -> Any:
        return self.rules.infoset(h)


@pytest.mark.parametrize(
    "spec",
    [
        "kuhn",
        "leduc",
        "poker:each=1",
        "goofspiel",
        "liars_dice:faces=2",
        "safe_or_risky",
        "matching_pennies",
        *(f"random_tree:chance=true,depth=7,seed={seed}" for seed in range(5)),
        *(f"random_tree:depth=8,seed={seed},sum=general,observations=3" for seed in range(5)),
    ],
)
def test_counting_agrees_with_building(spec):
    said, built = announced_and_built(Explicit(spec))
    assert said == built


def test_what_was_counted_cannot_be_spoilt():
    rules = BorderPatrol(depth=2)
    rules.counts()["nodes"]["player"].append(5)
    rules.counts().clear()
    assert len(rules.counts()["nodes"]["player"]) == 2


# -- parameters --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("border_patrol:p2_zone=", ["one or more of 10, 11, 12"]),
        ("border_patrol:p2_zone=11,11", ["p2_zone=11,11"]),
        ("border_patrol:p2_zone=11,16", ["10, 11, 12"]),
        ("border_patrol:p2_zone=11,", ["10, 11, 12"]),
        ("border_patrol:graph=4", ["1 to 3"]),
        ("border_patrol:depth=0", ["1 to 50"]),
        ("border_patrol:slow=1", ["true or false"]),
        ("phantom_ttt:order=0,1,2,3,4,5,6,7", ["each of the cells 0 to 8 once"]),
        ("phantom_ttt:order=0,1,2,3,4,5,6,7,7", ["each of the cells 0 to 8 once"]),
        ("phantom_ttt:order=0,1,2,3,4,5,6,7,9", ["each of the cells 0 to 8 once"]),
        ("phantom_ttt:order=012345678", ["separated by commas"]),
        ("phantom_ttt:win_first=yes", ["true or false"]),
    ],
)
def test_bad_parameters(spec, words):
    with pytest.raises(SpecError) as caught:
        parse_spec(spec)
    for word in words:
        assert word in str(caught.value)


def test_canonical_specs():
    text = 'phantom_ttt:win_first=true,order="8,7,6,5,4,3,2,1,0"'
    assert parse_spec(text)[1] == "phantom_ttt:order=8,7,6,5,4,3,2,1,0,win_first=true"
    assert parse_spec("phantom_ttt:order=4,0,8,6,2,1,3,7,5,win_first=false")[1] == "phantom_ttt"
    assert parse_spec("border_patrol:p2_zone=11,12,slow=false")[1] == "border_patrol:slow=false"


@pytest.mark.parametrize("name", games.names())
def test_identity_tells_all(name):
    rules = parse_spec(name)[0]
    text = rules.identity()
    assert text.startswith(f"{name}:")
    assert text.endswith(f" version {rules.version}")
    assert "\n" not in text
    for parameter in games.parameters(type(rules)):
        if parameter.name != "abrupt" or name != "phantom_ttt":  # the parameter is younger than solution files
            assert f"{parameter.name}={parameter.format(parameter.default)}" in text


def test_identities_differ_with_parameters():
    assert len({PhantomTTT(abrupt=a, win_first=w).identity() for a in (False, True) for w in (False, True)}) == 4
    assert (
        BorderPatrol(graph=2).identity() == "border_patrol:depth=7,evader_may_stay=false,"
        "graph=2,p2_zone=11,12,slow=true,swap_captures=true version 1"
    )
