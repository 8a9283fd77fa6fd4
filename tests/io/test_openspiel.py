from __future__ import annotations

import json
import random
import subprocess
import sys
import warnings
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tremble
from gambit import numbers_of_sets
from sizes import counts_of
from tremble.errors import GameError, PlayersError, SpecError, TooLargeError, TrembleError
from tremble.formats.openspiel import (
    OpenSpielRules,
    exact_distribution,
    load_openspiel,
    openspiel_rules,
    simplest_near,
)
from tremble.game.protocol import CHANCE, TERMINAL, Game
from tremble.game.tree_size import refuse_if_hopeless
from tremble.io import to_openspiel_policy

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import expected_game_score
    from open_spiel.python.algorithms import exploitability as python_exploitability

GOOFSPIEL = "goofspiel(imp_info=True,num_cards=3,points_order=random,returns_type=point_difference)"
BAD_DEAL = [*(12 - k // 4 for k in range(43)), 1, 1, 1, 0, 2, 1, 0, 0, 0]
SIMULTANEOUS = ["matrix_rps", "matrix_pd", GOOFSPIEL, "oshi_zumo(coins=3,horizon=3,size=1)"]
SEQUENTIAL = ["kuhn_poker", "leduc_poker", "tiny_hanabi", "dark_hex(board_size=2)"]


@cache
def load(text: str) -> tremble.GameTree:
    return load_openspiel(text)


def random_profile(tree: tremble.GameTree, seed: int) -> list[tremble.BehaviorStrategy]:
    rng = random.Random(seed)
    profile = []
    for player, sets in enumerate(tree.actions):
        rows = []
        for labels in sets:
            weights = [rng.randint(0, 3) for _ in labels]
            weights[rng.randrange(len(labels))] += 1
            rows.append([Fraction(w, sum(weights)) for w in weights])
        profile.append(tremble.BehaviorStrategy.from_rows(tree, player, rows))
    return profile


# -- loading -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("kuhn_poker", (4, 30, 12, 12, 6, 6, 13, 13)),
        ("leduc_poker", (157, 5520, 1890, 1890, 468, 468, 1093, 1093)),
        # OpenSpiel plays the last card for the players
        (GOOFSPIEL, (28, 216, 57, 117, 45, 45, 94, 94)),
        ("goofspiel(num_cards=3,points_order=descending)", (0, 36, 10, 21, 10, 10, 22, 22)),
        ("matrix_rps", (0, 9, 1, 3, 1, 1, 4, 4)),
        ("tiny_hanabi", (3, 36, 4, 12, 2, 6, 7, 19)),
        ("blotto(coins=4,fields=3)", (0, 225, 1, 15, 1, 1, 16, 16)),
    ],
)
def test_counts(text, counts):
    tree = load(text)
    assert counts_of(tree) == counts
    assert tree.spec == f"openspiel:{text}"
    assert tremble.load(tree.spec).digest == tree.digest


def test_rules_follow_the_protocol():
    rules = OpenSpielRules(GOOFSPIEL)
    assert isinstance(rules, Game)
    one, two = (rules.child(rules.child(rules.root(), 0), 1) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != rules.child(rules.child(rules.root(), 0), 2)
    assert one != rules.child(rules.root(), 0)


def test_common_payoffs_and_general_sums():
    assert not load("tiny_hanabi").zero_sum
    assert (load("tiny_hanabi").payoff[:, 0] == load("tiny_hanabi").payoff[:, 1]).all()
    prisoners = load("matrix_pd")
    assert [prisoners.payoff_at(leaf) for leaf in range(4)] == [(5, 5), (0, 10), (10, 0), (1, 1)]


def test_loaded_games_are_accepted_too():
    game = pyspiel.load_game("kuhn_poker")
    assert load_openspiel(game).digest == load("kuhn_poker").digest


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        pytest.param("liars_dice", "liars_dice", marks=pytest.mark.slow),
        ("liars_dice(dice_sides=3)", "liars_dice:faces=3"),
        ("liars_dice(dice_sides=2,numdice=2)", "liars_dice:dice=2,faces=2"),
    ],
)
def test_own_liars_dice_is_that_of_openspiel(text, spec):
    theirs, ours = load(text), tremble.load(spec)
    assert theirs.digest == ours.digest
    assert theirs.infoset_labels == ours.infoset_labels


def test_own_leduc_and_poker_pay_as_openspiel():
    def uniform_values(tree):
        return tremble.expected_values(tree, [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)])

    theirs = uniform_values(load("leduc_poker"))
    assert theirs == uniform_values(tremble.load("leduc")) == uniform_values(tremble.load("poker"))
    assert uniform_values(load("kuhn_poker")) == uniform_values(tremble.load("kuhn"))


def test_own_goofspiel_pays_as_openspiel():
    # the same but for the forced last cards, which OpenSpiel plays itself
    ours = tremble.load("goofspiel")
    theirs = load(GOOFSPIEL)
    assert sorted(ours.payoff[:, 0].tolist()) == sorted(theirs.payoff[:, 0].tolist())


def test_chance_is_exact():
    for text in ("kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"):
        for table in load(text).chance_tables:
            assert sum(table.probabilities) == 1
            assert max(p.denominator for p in table.probabilities) <= 6


@pytest.mark.parametrize("text", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"])
def test_gambit_reads_what_openspiel_exports_through_us(text, tmp_path, gambit):
    tree = load(text)
    file = tmp_path / "game.efg"
    tremble.write_efg(tree, file)
    assert gambit.ask(numbers_of_sets, file.read_text("utf-8")) == list(tree.num_infosets)
    assert tremble.load(file).digest == tree.digest


@pytest.mark.parametrize("text", ["phantom_ttt", "dark_hex", "chess", "goofspiel", "go", "oshi_zumo", "nim", "pig"])
def test_hopeless_sizes_are_refused_at_once(text):
    with pytest.raises(TooLargeError, match=r"20,000,000 nodes: (about|over) [1-9].* as estimated from [1-9]"):
        tremble.load(f"openspiel:{text}")


def test_max_nodes():
    assert load_openspiel("leduc_poker", max_nodes=9457).num_nodes == 9457
    with pytest.raises(TooLargeError, match="9,456"):
        load_openspiel("leduc_poker", max_nodes=9456)
    with pytest.raises(TooLargeError, match="estimate"):
        load_openspiel("leduc_poker", max_nodes=500)
    with pytest.raises(TooLargeError):
        load_openspiel("tic_tac_toe", max_nodes=100_000)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("nope", SpecError, r"no game 'nope'; pyspiel\.registered_names\(\) lists its games"),
        ("kuhn", SpecError, r"no game 'kuhn'; did you mean kuhn_poker\?"),
        ("kuhn_pokr(players=2)", SpecError, "no game 'kuhn_pokr'; did you mean kuhn_poker or python_kuhn_poker"),
        ("", SpecError, "no game ''"),
        ("kuhn_poker(", SpecError, "closing bracket"),
        ("kuhn_poker(seats=2)", SpecError, "Unknown parameter 'seats'; parameters of kuhn_poker: players$"),
        ("kuhn_poker(players=two)", SpecError, "Wrong type"),
        ("nfg_game", SpecError, "cannot load .* parameters of nfg_game: filename"),
        ("efg_game(filename=none.efg)", SpecError, "it cannot open the file; parameters of efg_game: filename"),
        ("misere", SpecError, "Missing parameter game; parameters of misere: game"),
        ("kuhn_poker(players=3)", PlayersError, "3 players"),
        ("catch", PlayersError, "1 player;"),
        ("mfg_crowd_modelling", PlayersError, "1 player;"),
        ("negotiation", GameError, "samples"),
        ("gin_rummy", GameError, "hides information from the players .* no information_state_string"),
    ],
)
def test_refusals(text, error, words):
    with pytest.raises(error, match=words) as refused:
        tremble.load(f"openspiel:{text}")
    assert len(str(refused.value)) < 250
    assert "\n" not in str(refused.value)


def test_a_misspelled_name_prints_no_list_of_all_games(capfd):
    with pytest.raises(SpecError):
        tremble.load("openspiel:kuhn_pokr")
    assert capfd.readouterr().err == ""


def test_a_game_written_in_python():
    command = [sys.executable, "-m", "tremble", "info", "openspiel:python_kuhn_poker", "--format", "json"]
    fresh = subprocess.run(command, capture_output=True, text=True, check=False)  # nothing has imported these games yet
    assert json.loads(fresh.stdout)["title"] == "Python Kuhn Poker (OpenSpiel)"
    tree = tremble.load("openspiel:python_kuhn_poker")
    assert tree.spec == "openspiel:python_kuhn_poker"
    assert counts_of(tree) == counts_of(load("kuhn_poker"))
    solution = tremble.solve(tree)
    assert solution.value == Fraction(-1, 18)
    game = pyspiel.load_game("python_kuhn_poker")
    policy = to_openspiel_policy(tree, solution.strategies)
    assert python_exploitability.nash_conv(game, policy) == pytest.approx(0, abs=1e-12)


PERFECT_INFORMATION = [
    "backgammon", "banqi", "breakthrough", "capture_the_flag", "chinese_checkers", "einstein_wurfelt_nicht",
    "laser_tag", "lines_of_action", "maedn", "mancala", "markov_soccer", "oware", "pig", "snake", "yacht",
]  # fmt: skip
"""Games that OpenSpiel calls games of perfect information, and for which it has no information state string."""


@pytest.mark.parametrize("text", PERFECT_INFORMATION)
def test_perfect_information_is_the_history(text):
    rules = tremble.load_rules(f"openspiel:{text}").rules
    rng = random.Random(0)
    h, steps = rules.root(), 0
    sets = set()
    while (mover := rules.player(h)) != TERMINAL and steps < 40:
        steps += 1
        if mover == CHANCE:
            assert sum(rules.chance(h)) == 1
        elif h.first_move is None:
            assert rules.infoset(h) == h.state.history_str()
            assert rules.infoset(h) not in sets
            sets.add(rules.infoset(h))
        else:  # both move at once: the second knows no more than the first
            assert rules.infoset(h) in sets
        h = rules.child(h, rng.randrange(len(rules.actions(h))))
    assert sets


def test_a_game_of_perfect_information_is_solved():
    """Breakthrough on 3 by 2: whoever moves first wins; every information set is one node."""
    tree = tremble.load("openspiel:breakthrough(rows=3,columns=2)")
    assert sum(tree.num_infosets) == sum(int((tree.player == player).sum()) for player in (0, 1))
    assert [tremble.classify_recall(tree, player) for player in (0, 1)] == ["perfect", "perfect"]
    solution = tremble.solve(tree)
    assert solution.status == "certified"
    game = pyspiel.load_game("breakthrough(rows=3,columns=2)")
    assert solution.value == backward_induction(game.new_initial_state())
    unbuilt = tremble.solve(openspiel_rules("breakthrough(rows=3,columns=2)"))
    assert (unbuilt.value, unbuilt.status) == (solution.value, "certified")
    policy = to_openspiel_policy(tree, solution.strategies)
    values = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert values == pytest.approx([float(solution.value), -float(solution.value)])


def backward_induction(state):
    if state.is_terminal():
        return state.returns()[0]
    best = max if state.current_player() == 0 else min
    return best(backward_induction(state.child(action)) for action in state.legal_actions())


def test_rules_that_openspiel_states_badly_are_named():
    """Go Fish comes to a chance node that has no outcomes left."""
    rules = OpenSpielRules("go_fish")
    h = rules.root()
    for move in BAD_DEAL:
        h = rules.child(h, rules.moves(h).index(move))
    with pytest.raises(
        GameError, match=r"OpenSpiel's go_fish gives invalid rules: after the moves .*, \S+.*no outcome"
    ):
        rules.chance(h)
    with pytest.raises(GameError, match=r"OpenSpiel's go_fish gives invalid rules: after the moves .*no outcome"):
        rules.actions(h)  # which is what the double oracle asks for first


def test_what_openspiel_complains_of_while_it_is_played(monkeypatch):
    rules = OpenSpielRules("kuhn_poker")

    def fail(state, player):
        raise RuntimeError("cannot\n tell")

    monkeypatch.setattr(rules, "knowledge", fail)
    with pytest.raises(GameError, match="OpenSpiel's kuhn_poker fails at a state: cannot tell"):
        tremble.solve(rules)


def test_no_tree_that_fits_is_refused_by_an_estimate():
    """A tree with few long plays: most random plays end at once, and one that does not makes a large estimate."""
    for text in ("leduc_poker", "liars_dice(dice_sides=3)"):
        size = load(text).num_nodes
        for seed in range(50):
            refuse_if_hopeless(OpenSpielRules(text), size, text, seed=seed)


def test_a_missing_openspiel_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(TrembleError, match=r"pip install 'tremble\[openspiel\]'"):
        tremble.load("openspiel:kuhn_poker")


def test_progress():
    seen = []
    load_openspiel("liars_dice(dice_sides=5)", progress=seen.append)
    assert seen[:2] == [10_000, 20_000]


# -- numbers -----------------------------------------------------------------------------------------


@given(st.fractions(min_value=-1000, max_value=1000, max_denominator=10**4))
def test_simplest_near_finds_the_fraction_behind_a_float(value):
    assert simplest_near(float(value)) == value


@given(st.lists(st.integers(1, 52), min_size=1, max_size=30))
def test_distributions_are_recovered(weights):
    total = sum(weights)
    assert exact_distribution(tuple(w / total for w in weights)) == tuple(Fraction(w, total) for w in weights)


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=12))
def test_any_distribution_becomes_exact(weights):
    floats = tuple(w / sum(weights) for w in weights)
    exact = exact_distribution(floats)
    assert sum(exact) == 1
    assert all(p > 0 and abs(p - Fraction(x)) <= Fraction(11, 10**10) for p, x in zip(exact, floats, strict=True))


@pytest.mark.parametrize("floats", [(0.5, 0.4), (0.5, 0.6), (1.5, -0.5), (float("nan"), 1.0), ()])
def test_what_is_no_distribution_is_refused(floats):
    with pytest.raises(GameError, match=r"not a distribution|no outcomes"):
        exact_distribution(floats)


# -- and back ----------------------------------------------------------------------------------------


def kuhn_equilibrium(tree, alpha):
    """Kuhn's equilibria: bet the jack with alpha, call with the queen alpha + 1/3, bet the king 3 alpha."""
    third = Fraction(1, 3)
    bets = (
        {"0": alpha, "0pb": Fraction(0), "1": Fraction(0), "1pb": alpha + third, "2": 3 * alpha, "2pb": Fraction(1)},
        {"0p": third, "0b": Fraction(0), "1p": Fraction(0), "1b": third, "2p": Fraction(1), "2b": Fraction(1)},
    )
    return [
        tremble.BehaviorStrategy.from_rows(
            tree, player, [[1 - bets[player][label], bets[player][label]] for label in tree.infoset_labels[player]]
        )
        for player in (0, 1)
    ]


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 7), Fraction(1, 3)])
def test_a_known_equilibrium_of_kuhn_poker(alpha):
    tree, game = load("kuhn_poker"), pyspiel.load_game("kuhn_poker")
    profile = kuhn_equilibrium(tree, alpha)
    assert tremble.nash_conv(tree, profile) == 0
    policy = to_openspiel_policy(tree, profile)
    assert pyspiel.exploitability(game, policy) == pytest.approx(0, abs=1e-12)
    assert python_exploitability.nash_conv(game, policy) == pytest.approx(0, abs=1e-12)
    values = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert values == pytest.approx([-1 / 18, 1 / 18])


@pytest.mark.parametrize("text", [*SEQUENTIAL, *SIMULTANEOUS])
def test_nash_conv_agrees_on_random_profiles(text):
    tree, game = load(text), pyspiel.load_game(text)
    for seed in range(2):
        profile = random_profile(tree, seed)
        ours = float(tremble.nash_conv(tree, profile))
        policy = to_openspiel_policy(tree, profile)
        assert python_exploitability.nash_conv(game, policy) == pytest.approx(ours, abs=1e-9)
        if text in SEQUENTIAL:
            assert pyspiel.nash_conv(game, policy) == pytest.approx(ours, abs=1e-9)


def test_the_game_itself_will_do_for_the_way_back():
    profile = kuhn_equilibrium(load("kuhn_poker"), Fraction(0))
    for game in ("kuhn_poker", pyspiel.load_game("kuhn_poker")):
        policy = to_openspiel_policy(game, profile)
        assert policy.action_probabilities("0pb") == {0: 1.0, 1: 0.0}


def test_only_trees_of_openspiel_go_back():
    tree = tremble.load("kuhn")
    with pytest.raises(GameError, match="openspiel"):
        to_openspiel_policy(tree, [tremble.BehaviorStrategy.uniform(tree, player) for player in (0, 1)])
