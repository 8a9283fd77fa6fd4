from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tremble
from known import CLASSICS, COUNTS, NODES_AND_SEQUENCES, RANDOM_PAYOFFS, RECALL, Counts
from sizes import counts_of
from tremble.errors import SpecError, TooLargeError
from tremble.game.protocol import CHANCE, TERMINAL, Game
from tremble.games import parameters as games
from tremble.games.parameters import Rules, parse_spec
from tremble.games.random_tree import RandomTree

SMALL = [
    *(spec for spec, counts in COUNTS.items() if counts.terminal < 2000),
    "kuhn:cards=14",
    "kuhn_raise",
    "poker",
    "poker:each=1",
    "liars_dice:faces=2",
    "liars_dice:dice=2,faces=2",
    "goofspiel:cards=1",
    "goofspiel:cards=2",
    "random_tree",
    "random_tree:chance=true,sum=general",
    "random_tree:branching=1,depth=40",
    "random_imperfect_recall",
]

BUILT_QUICKLY = [spec for spec, (nodes, _) in NODES_AND_SEQUENCES.items() if nodes < 300_000]


@cache
def build(spec: str) -> tremble.GameTree:
    return tremble.build(parse_spec(spec)[0])


def announced(rules: Rules) -> Counts:
    said = rules.counts()  # type: ignore[attr-defined]
    nodes = said["nodes"]
    return Counts(nodes["chance"], nodes["terminal"], *nodes["player"], *said["information_sets"], *said["sequences"])


def histories(rules: Game) -> list[object]:
    found, stack = [], [rules.root()]
    while stack:
        h = stack.pop()
        found.append(h)
        if rules.player(h) != TERMINAL:
            stack.extend(rules.child(h, i) for i in range(len(rules.actions(h))))
    return found


def node_at(tree: tremble.GameTree, *path: str) -> int:
    node = 0
    for label in path:
        node = tree.children(node)[tree.labels(node).index(label)]
    return node


def payoff(spec: str, *path: str) -> Fraction:
    tree = build(spec)
    node = node_at(tree, *path)
    assert tree.player[node] == TERMINAL
    return tree.payoff_at(int(tree.infoset[node]))[0]


# -- published sizes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", COUNTS)
def test_published_counts(spec):
    assert counts_of(build(spec)) == COUNTS[spec]


@pytest.mark.parametrize("spec", BUILT_QUICKLY)
def test_published_nodes_and_sequences(spec):
    tree = build(spec)
    nodes, sequences = NODES_AND_SEQUENCES[spec]
    assert tree.num_nodes == nodes
    assert [1 + slots for slots in tree.num_slots] == [sequences, sequences]


@pytest.mark.slow
@pytest.mark.parametrize("spec", [spec for spec in NODES_AND_SEQUENCES if spec not in BUILT_QUICKLY])
def test_published_nodes_and_sequences_of_large_games(spec):
    test_published_nodes_and_sequences(spec)


@pytest.mark.parametrize("spec", [spec for spec in NODES_AND_SEQUENCES if spec.startswith("poker")])
def test_published_sizes_without_building(spec):
    said = announced(parse_spec(spec)[0])
    nodes, sequences = NODES_AND_SEQUENCES[spec]
    assert sum(said[:4]) == nodes
    assert said[6:] == (sequences, sequences)


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    "spec",
    [
        *COUNTS,
        "leduc:raises=1",
        "leduc:raises=3,ranks=4",
        "goofspiel:cards=1",
        "liars_dice:faces=2",
        "liars_dice:dice=2,faces=2",
        "poker",
        "poker:each=1",
        "poker:each=3,types=2",
        "poker:raises=0,types=2",
        "poker:bets=2,each=4,raises=2,types=2",
        "poker:bets=3,raises=1",
    ],
)
def test_announced_counts_are_those_of_the_tree(spec):
    rules, _ = parse_spec(spec)
    if hasattr(rules, "counts"):
        assert announced(rules) == counts_of(build(spec))
        assert rules.counts().items() <= tremble.info(build(spec)).items()


@pytest.mark.parametrize("spec", [*SMALL, *COUNTS, "border_patrol:depth=3", "poker:bets=2,each=4,raises=2,types=2"])
def test_payoffs_are_within_the_announced_bounds(spec):
    rules, _ = parse_spec(spec)
    if hasattr(rules, "utility_bounds"):
        low, high = rules.utility_bounds()
        payoffs = build(spec).payoff_float[:, 0]
        assert low <= payoffs.min()
        assert payoffs.max() <= high


@given(depth=st.integers(1, 6), branching=st.integers(1, 3), chance=st.booleans(), seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_random_tree_announces_its_nodes(depth, branching, chance, seed):
    rules = RandomTree(seed=seed, depth=depth, branching=branching, chance_=chance)
    assert announced(rules)[:4] == counts_of(tremble.build(rules))[:4]


# -- the protocol ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SMALL)
def test_protocol(spec):
    rules, _ = parse_spec(spec)
    assert isinstance(rules, Game)
    assert rules.title
    seen = histories(rules)
    assert len(set(seen)) == len(seen)
    for h in seen:
        mover = rules.player(h)
        if mover == TERMINAL:
            assert all(isinstance(value, int | Fraction) for value in rules.payoff(h))
            continue
        labels = rules.actions(h)
        assert len(set(labels)) == len(labels) > 0
        if mover == CHANCE:
            probabilities = rules.chance(h)
            assert len(probabilities) == len(labels)
            assert sum(probabilities) == 1
            assert min(probabilities) > 0
        else:
            key = rules.infoset(h)
            assert isinstance(key, str)
            assert key or spec.startswith("dark_hex")  # at first, the text of what a player has seen is empty


@pytest.mark.parametrize("spec", SMALL)
def test_rules_are_values(spec):
    one, two = parse_spec(spec)[0], parse_spec(spec)[0]
    digest = tremble.build(one).digest
    assert one == two
    assert hash(one) == hash(two)
    copy = pickle.loads(pickle.dumps(one))
    assert copy == two
    assert tremble.build(copy).digest == digest == tremble.build(two).digest


@pytest.mark.parametrize("spec", SMALL)
def test_recall(spec):
    tree = build(spec)
    found = tuple(tremble.classify_recall(tree, player) for player in (0, 1))
    assert found == RECALL.get(spec, ("perfect", "perfect"))


@pytest.mark.parametrize("spec", SMALL)
def test_zero_sum_unless_said_otherwise(spec):
    assert build(spec).zero_sum == ("sum=general" not in spec and spec.partition(":")[0] not in CLASSICS)


# -- rules, checked by hand --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "wins"),
    [
        (("KQ", "check", "check"), 1),
        (("JQ", "check", "check"), -1),
        (("JQ", "check", "bet", "fold"), -1),
        (("JQ", "check", "bet", "call"), -2),
        (("JQ", "bet", "fold"), 1),
        (("KJ", "bet", "call"), 2),
    ],
)
def test_kuhn_payoffs(path, wins):
    assert payoff("kuhn", *path) == wins


@pytest.mark.parametrize(
    ("path", "wins"),
    [
        (("AQ", "check", "check"), 1),
        (("QA", "check", "bet", "raise", "fold"), 2),
        (("AQ", "check", "bet", "raise", "call"), 3),
        (("AQ", "check", "bet", "call"), 2),
        (("AQ", "check", "bet", "fold"), -1),
        (("QK", "bet", "raise", "call"), -3),
        (("AK", "bet", "raise", "fold"), -2),
        (("QK", "bet", "fold"), 1),
    ],
)
def test_kuhn_raise_payoffs(path, wins):
    assert payoff("kuhn_raise", *path) == wins


@pytest.mark.parametrize(
    ("path", "wins"),
    [
        (("JK", "bet", "fold"), 1),
        (("JK", "check", "bet", "raise", "fold"), 3),
        (("JK", "check", "check", "J", "check", "check"), 1),
        (("JK", "bet", "raise", "call", "K", "bet", "raise", "call"), -13),
        (("QQ", "bet", "call", "K", "bet", "call"), 0),
        (("QJ", "bet", "call", "K", "check", "bet", "fold"), -3),
        (("QJ", "bet", "call", "K", "bet", "raise", "fold"), -7),
        (("QJ", "check", "check", "K", "check", "check"), 1),
    ],
)
def test_leduc_payoffs(path, wins):
    assert payoff("leduc", *path) == wins


def test_leduc_menus_and_chance():
    tree = build("leduc")
    deal = tree.chance_tables[0]
    assert dict(zip(deal.labels, deal.probabilities, strict=True))["JJ"] == Fraction(1, 15)
    assert dict(zip(deal.labels, deal.probabilities, strict=True))["JQ"] == Fraction(2, 15)
    assert tree.labels(node_at(tree, "JQ")) == ("check", "bet")
    assert tree.labels(node_at(tree, "JQ", "bet")) == ("fold", "call", "raise")
    assert tree.labels(node_at(tree, "JQ", "bet", "raise")) == ("fold", "call")
    assert tree.labels(node_at(tree, "JJ", "check", "check")) == ("Q", "K")
    assert "Q:crc K:r" in tree.infoset_labels[1]


@pytest.mark.parametrize(
    ("path", "wins"),
    [
        (("J", "K", "bet 2", "fold"), 1),
        (("J", "K", "bet 4", "raise 2", "raise 4", "fold"), 7),
        (("J", "K", "bet 4", "raise 2", "raise 4", "call", "J", "check", "check"), 11),
        (("J", "K", "check", "bet 2", "call", "Q", "bet 8", "raise 4", "call"), -15),
        (("Q", "Q", "check", "check", "K", "bet 4", "call"), 0),
        (("Q", "K", "check", "check", "J", "bet 4", "raise 8", "fold"), -5),
    ],
)
def test_poker_payoffs(path, wins):
    assert payoff("poker:bets=2,raises=2", *path) == wins


def test_poker_menus():
    tree = build("poker:bets=2,raises=2")
    assert tree.labels(node_at(tree, "J", "K")) == ("bet 2", "bet 4", "check")
    assert tree.labels(node_at(tree, "J", "K", "check")) == ("bet 2", "bet 4", "check")
    assert tree.labels(node_at(tree, "J", "K", "bet 4")) == ("call", "raise 2", "raise 4", "fold")
    assert tree.labels(node_at(tree, "J", "K", "bet 4", "raise 2", "raise 2")) == ("call", "fold")
    assert tree.labels(node_at(tree, "J", "K", "check", "check", "J")) == ("bet 4", "bet 8", "check")


def test_goofspiel_rules():
    assert payoff("goofspiel", "3", "1", "2", "2", "3", "1", "2", "3") == -3 + 2 - 1
    assert payoff("goofspiel:order=increasing", "2", "2", "1", "3", "3", "1") == 0 - 2 + 3
    tree = build("goofspiel")
    assert "3:1-2 2:3-1 1:" in tree.infoset_labels[1]


@pytest.mark.parametrize(
    ("path", "wins"),
    [
        (("Roll 1", "Roll 2", "1-2", "Liar"), 1),
        (("Roll 1", "Roll 2", "1-3", "Liar"), -1),
        (("Roll 1", "Roll 6", "2-1", "Liar"), 1),
        (("Roll 1", "Roll 2", "1-1", "1-2", "Liar"), -1),
        (("Roll 1", "Roll 2", "1-1", "2-2", "Liar"), 1),
    ],
)
def test_liars_dice_payoffs(path, wins):
    assert payoff("liars_dice", *path) == wins


def test_guess_the_ace_rules():
    assert payoff("guess_the_ace", "ace of spades", "offer", "yes") == -1000
    assert payoff("guess_the_ace", "ace of spades", "offer", "no") == 0
    assert payoff("guess_the_ace", "another card", "offer", "no") == -1000
    assert payoff("guess_the_ace:gift=true", "another card", "offer", "no", "give") == -2000
    assert payoff("guess_the_ace:gift=true", "another card", "offer", "yes", "give") == -1000
    assert payoff("guess_the_ace:gift=true", "another card", "offer", "yes", "keep") == 0
    tree = build("guess_the_ace")
    assert tree.player[0] == CHANCE
    assert tree.chance_tables[0].probabilities == (Fraction(1, 52), Fraction(51, 52))
    assert tree.actions == ((("stop", "offer"),), (("yes", "no"),))


def test_other_small_games():
    assert payoff("safe_or_risky", "risky", "mistake") == -1
    assert payoff("safe_or_risky", "safe") == payoff("safe_or_risky", "risky", "careful") == 0
    spec = "a_loss_counterexample:x=100"
    assert payoff(spec, "a", "c") == payoff(spec, "b", "f") == -1
    assert payoff(spec, "a", "d", "g") == payoff(spec, "b", "e", "h") == -100
    assert payoff(spec, "a", "d", "h") == payoff(spec, "b", "e", "g") == 0
    expected = {"AxC": 1, "AxD": 2, "AyE": -2, "AyF": -1, "BxG": 0, "BxH": -1, "ByG": 0, "ByH": 2}
    assert {path: payoff("double_oracle_example", *path) for path in expected} == expected
    assert payoff("double_oracle_example:ayf=-3", *"AyF") == -3
    assert payoff("matching_pennies", "heads", "heads") == 1
    spec = "dare_or_decline"
    assert payoff(spec, "decline", "decline") == payoff(spec, "dare", "dare", "fumble", "fumble") == 0
    assert payoff(spec, "dare", "decline", "fumble") == -payoff(spec, "decline", "dare", "fumble") == -1
    assert payoff(spec, "dare", "dare", "fumble", "careful") == -payoff(spec, "dare", "dare", "careful", "fumble") == -2


# -- random trees ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", RANDOM_PAYOFFS)
def test_random_payoffs_never_change(spec):
    rules, canonical = parse_spec(spec)
    assert canonical == spec
    tree = tremble.build(rules)
    assert [tree.payoff_at(leaf)[0] for leaf in range(tree.num_leaves)] == RANDOM_PAYOFFS[spec]


@given(
    seed=st.integers(0, 10**6),
    depth=st.integers(1, 5),
    branching=st.integers(1, 3),
    observations=st.integers(1, 3),
    chance=st.booleans(),
    total=st.sampled_from(["zero", "general"]),
    utilities=st.sampled_from(["walk", "iid"]),
)
@settings(max_examples=60, deadline=None)
def test_random_trees(seed, depth, branching, observations, chance, total, utilities):
    rules = RandomTree(seed, depth, branching, observations, chance, total, utilities)
    tree = tremble.build(rules)
    assert tree.depth == depth
    assert tree.payoff_denominator == 1
    assert abs(tree.payoff).max() <= 3 * depth
    assert total == "general" or tree.zero_sum
    assert {tremble.classify_recall(tree, player) for player in (0, 1)} == {"perfect"}
    assert (
        tremble.build(RandomTree(seed, depth, branching, observations, chance, total, utilities)).digest == tree.digest
    )


def test_seeds_differ():
    assert len({build(f"random_tree:seed={seed}").digest for seed in range(10)}) == 10


# -- specs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("kuhn", "kuhn"),
        ("kuhn:", "kuhn"),
        ("kuhn:cards=3", "kuhn"),
        ("leduc:raises=1,ranks=+2", "leduc:raises=1,ranks=2"),
        ("leduc: ranks = 5 , raises = 2", "leduc:ranks=5"),
        ('goofspiel:order="increasing"', "goofspiel:order=increasing"),
        ("guess_the_ace:gift=true", "guess_the_ace:gift=true"),
        ("guess_the_ace:gift=false", "guess_the_ace"),
        ("random_tree:seed=3,chance=true,sum=general", "random_tree:chance=true,seed=3,sum=general"),
        ("random_imperfect_recall:merge=1,merge2=0", "random_imperfect_recall"),
        ("random_imperfect_recall:merge=.50,merge2=1.0", "random_imperfect_recall:merge=0.5,merge2=1"),
    ],
)
def test_canonical_specs(text, canonical):
    rules, found = parse_spec(text)
    assert found == canonical
    assert parse_spec(canonical) == (rules, canonical)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kuhnn", ["kuhnn", "did you mean", "kuhn"]),
        ("nothing_like_it", ["known:", "leduc"]),
        ("leduc:rank=3", ["'rank'", "ranks, raises"]),
        ("kuhn_raise:cards=3", ["'cards'", "none"]),
        ("leduc:ranks=3,ranks=4", ["twice"]),
        ("leduc:ranks=1", ["ranks=1", "2 to 1000"]),
        ("leduc:ranks=99999999999999999999", ["2 to 1000"]),
        ("leduc:ranks=3.0", ["3.0", "integer"]),
        ("leduc:ranks=3,4", ["3,4", "integer"]),
        ("leduc:ranks=", ["integer"]),
        ("leduc:ranks", ["KEY=VALUE"]),
        ("leduc:,", ["KEY=VALUE"]),
        ('leduc:ranks="3', ["quote"]),
        ("guess_the_ace:gift=yes", ["true or false"]),
        ("goofspiel:order=descending", ["random or increasing"]),
        ("random_tree:sum=other", ["zero or general"]),
        ("random_imperfect_recall:merge=1.5", ["merge=1.5", "a number from 0 to 1"]),
        ("random_imperfect_recall:merge=half", ["merge=half", "a number from 0 to 1"]),
        ("random_imperfect_recall:merge=nan", ["merge=nan", "a number from 0 to 1"]),
        ("random_imperfect_recall:merge=1e999", ["merge=inf", "a number from 0 to 1"]),
        ("random_imperfect_recall:recall=all", ["any or a-loss"]),
        ("poker:types=2,each=1", ["at least 3 cards"]),
    ],
)
def test_bad_specs(text, words):
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("text", ["leduc:" + "x" * 5000 + "=3", "y" * 5000, "leduc:ranks=" + "1," * 5000, "z:" * 3000])
def test_messages_about_specs_are_a_sentence(text):
    for read in (parse_spec, tremble.load):
        with pytest.raises(SpecError) as caught:
            read(text)
        assert len(str(caught.value)) < 300 + len(", ".join(games.names()))


def test_a_piece_without_equality_sign_continues_the_value(monkeypatch):
    from dataclasses import dataclass

    from tremble.games.teaching import MatchingPennies

    @dataclass(frozen=True)
    class Ordered(MatchingPennies):
        order: str = "4,0"
        flag: bool = False

    Ordered.__annotations__.update(order=str, flag=bool)
    monkeypatch.setattr(games, "_classes", lambda: {"ordered": ""})
    monkeypatch.setattr(games, "rules_class", lambda name: Ordered)
    for text in ("ordered:order=1,2,3,flag=true", 'ordered:flag=true,order="1,2,3"', 'ordered:order="1",2,3,flag=true'):
        rules, canonical = parse_spec(text)
        assert rules == Ordered("1,2,3", True)
        assert canonical == "ordered:flag=true,order=1,2,3"
    assert parse_spec('ordered:order="a=b,c"')[1] == 'ordered:order="a=b,c"'
    assert parse_spec('ordered:order="a=b,c"')[0] == Ordered("a=b,c")
    assert parse_spec("ordered:order=4,0")[1] == "ordered"


@pytest.mark.parametrize("name", games.names())
def test_every_game_describes_itself(name):
    cls = games.rules_class(name)
    assert cls.__doc__
    rules, canonical = parse_spec(name)
    assert canonical == name
    assert type(rules) is cls
    for parameter in games.parameters(cls):
        assert parameter.allowed
        assert getattr(rules, parameter.field) == parameter.default
        assert parse_spec(f"{name}:{parameter.name}={parameter.format(parameter.default)}")[1] == name


@pytest.mark.parametrize(
    "wrong", [True, "three", 3.5, "3.5", None, [3], 3j, float("nan"), np.bool_(True), 1, 10**6, "1e4300"]
)
def test_parameters_are_checked_in_python_too(wrong):
    with pytest.raises(SpecError, match=r"^ranks=.* is .*; expected an integer from 2 to"):
        games.rules_class("leduc")(ranks=wrong)


def written(parameter):
    """A value of a parameter as people write it in Python, beside the value itself."""
    value = parameter.default
    if parameter.kind is bool:
        return [str(value), str(value).lower(), np.bool_(value)]
    if parameter.kind is int:
        return [
            str(value),
            f" {value} ",
            float(value),
            np.int32(value),
            np.float64(value),
            Fraction(value),
            Decimal(value),
        ]
    if parameter.kind is float:
        return [str(value), np.float64(value), Fraction(str(value)), Decimal(str(value))]
    pieces = value.split(",")
    lists = [pieces, tuple(pieces), np.array(pieces)]
    return [*lists, [int(piece) for piece in pieces]] if all(map(str.isdecimal, pieces)) else lists


def mistyped(parameter):
    """What is no value of a parameter, whatever it says."""
    kinds = [None, 1j, object(), {"a": 1}, b"1", {1}]
    if parameter.name in ("range1", "range2", "lock"):  # a mapping of hands to weights is a range
        kinds.remove({"a": 1})
    if parameter.kind is str:
        return [*kinds, True, [True], [None], [[1]], 0.5, float("nan")]
    return [*kinds, [parameter.default], "" if parameter.kind is not bool else 1, "x", float("inf")]


@pytest.mark.parametrize("name", games.names())
def test_parameters_are_taken_as_people_write_them_in_python(name):
    cls = games.rules_class(name)
    rules = cls()
    for parameter in games.parameters(cls):
        for value in written(parameter):
            again = cls(**{parameter.field: value})
            assert (again, again.identity()) == (rules, rules.identity())
            assert type(getattr(again, parameter.field)) is type(parameter.default)
        for value in mistyped(parameter):
            with pytest.raises(
                SpecError, match=rf"^{parameter.name}=(?s:.*) is (text|a list|of the type \w+); expected"
            ):
                cls(**{parameter.field: value})


@pytest.mark.parametrize(
    "spec", ["poker:bets=1000,raises=100", "goofspiel:cards=50", "liars_dice:dice=10,faces=20", "leduc:raises=100"]
)
def test_absurd_sizes_are_refused_while_building(spec):
    with pytest.raises(TooLargeError):
        tremble.build(parse_spec(spec)[0], max_nodes=10_000)


def test_absurd_random_trees_are_not_drawn():
    with pytest.raises(TooLargeError, match="random tree of depth 1000"):
        tremble.build(RandomTree(depth=1000, branching=1000), max_nodes=10_000)
