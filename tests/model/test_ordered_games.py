"""Ordered games: the same games as others, the same deals on both roads, what is refused, and more than two players."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction as F
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import tremble
from tremble import GameError, PlayersError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import UnbuiltGame
from tremble.game.tree_size import total_nodes
from tremble.games.parameters import parse_spec
from tremble.poker import GO_ON, OVER, Move, OrderedGame, Round, StageTree, ex_post
from tremble.poker.abstraction.lossless import lossless_filter
from tremble.poker.deals import Deals
from tremble.poker.filtered import sizes_of
from tremble.poker.games.auction import Auction
from tremble.poker.games.betting import limit_betting
from tremble.poker.games.jk_four_cards import JkFourCards
from tremble.poker.games.ordered_forms import ordered_form
from tremble.poker.games.rhode_island import RhodeIsland

Line = tuple[str, ...]


def bet_once(line: Line) -> Any:
    """Check or bet, fold or call."""
    if not line or line == ("check",):
        return Move(len(line), ("check", "bet"))
    if line[-1] == "bet":
        return Move(len(line) % 2, ("fold", "call"))
    return OVER if line[-1] == "fold" else GO_ON


class Plain(OrderedGame):
    """The higher position wins 1; what is to be wrong can be said."""

    signals: Any = ("a", "b", "c", "d")
    rounds: Any = (Round(StageTree.grow(bet_once), private=1),)

    def __init__(self, **wrong: Any) -> None:
        for name, value in wrong.items():
            setattr(self, name, value)

    def strength(self, public: Any, private: Any) -> Any:
        return sum(private)

    def utility(self, lines: Any, ranks: Any) -> Any:
        return ranks[0] - ranks[1], ranks[1] - ranks[0]


# -- the same games as others ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "sequences"),
    [
        ("kuhn", 13),
        ("kuhn:cards=5", 21),
        ("kuhn_raise", 22),
        ("leduc", 337),
        ("leduc:ranks=4,raises=1", 1 + 4 * 4 + 4 * 3 * 4 * 4),
    ],
)
def test_built_ins_as_ordered_games(spec: str, sequences: int) -> None:
    rules, _ = parse_spec(spec)
    ordered = ordered_form(rules)
    tree = tremble.build(rules)
    shrunk = lossless_filter(ordered)
    assert 1 + tree.num_slots[0] == sequences
    assert sizes_of(ordered, shrunk).sequences == (sequences, sequences)
    assert tremble.solve(tremble.build(ordered)).value == tremble.solve(tree).value
    assert ordered == ordered_form(parse_spec(spec)[0])
    assert UnbuiltGame.of(ordered).digest is None


def test_four_cards() -> None:
    tree = tremble.build(JkFourCards())
    assert tree.num_nodes == 113
    assert lossless_filter(JkFourCards()).num_classes(0) == (2,)


def test_rhode_island_is_built() -> None:
    tree = tremble.build(RhodeIsland(ranks=2, suits=2, raises=1))
    full = tremble.poker.Filter.full(RhodeIsland(ranks=2, suits=2, raises=1))
    sizes = sizes_of(RhodeIsland(ranks=2, suits=2, raises=1), full)
    assert [1 + slots for slots in tree.num_slots] == list(sizes.sequences)
    assert tree.num_infosets == sizes.information_sets
    labels = tree.infoset_labels
    assert len(set(labels[0])) == len(labels[0])


def test_a_users_game_has_no_digest() -> None:
    assert UnbuiltGame.of(Plain()).digest is None
    assert UnbuiltGame.of(JkFourCards()).digest is not None


# -- an auction --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "worth", "zero", "general"),
    [
        (("pass", "pass"), (3, 1), (0, 0), (0, 0)),
        (("1", "pass"), (3, 1), (2, -2), (2, 0)),
        (("1", "2", "pass"), (3, 1), (1, -1), (0, -1)),
        (("pass", "1", "3"), (3, 4), (0, 0), (0, 0)),
        (("pass", "3"), (1, 4), (-1, 1), (0, 1)),
    ],
)
def test_what_an_auction_pays(line: Line, worth: tuple[int, int], zero: Any, general: Any) -> None:
    game = Auction()
    assert line in game.rounds[0].stage.line
    assert game.utility((line,), worth) == zero
    assert Auction(sum_="general").utility((line,), worth) == general


def test_an_auction_shrinks_to_its_valuations() -> None:
    for values, copies in ((2, 2), (4, 3), (6, 1)):
        assert lossless_filter(Auction(values=values, copies=copies)).num_classes(0) == (values,)
    with pytest.raises(tremble.errors.SpecError, match="slips"):
        Auction(values=1, copies=1)


# -- the same deals on both roads --------------------------------------------------------------------


def chances_of_deals(game: OrderedGame) -> Iterator[dict[tuple[Any, ...], F]]:
    """How likely the protocol makes each deal up to each round."""
    reached = {game.root(): F(1)}
    for _ in game.rounds:
        dealt: dict[Any, F] = {}
        while reached:
            h, chance = reached.popitem()
            if game.player(h) != CHANCE:
                assert h not in dealt
                dealt[h] = chance
                continue
            assert sum(game.chance(h)) == 1
            for i, probability in enumerate(game.chance(h)):
                reached[game.child(h, i)] = chance * probability
        yield {(h.public, *h.private): chance for h, chance in dealt.items()}
        for h, chance in dealt.items():
            here = h
            while game.player(here) not in (CHANCE, TERMINAL) and here.round == h.round:
                here = game.child(here, 0)
            reached[here] = chance


def random_game(seed: int) -> OrderedGame:
    rng = random.Random(seed)
    shapes = [(0, 1), (1, 1), (0, 2), (1, 0), (2, 1)]
    rounds = [rng.choice(shapes) for _ in range(rng.choice((1, 2)))]
    rounds[0] = rounds[0] if rounds[0][1] else (1, 1)
    needed = sum(public + 2 * private for public, private in rounds)
    count = max(needed, rng.randrange(4, 7))
    stage = StageTree.grow(lambda line: Move(0, ("on",)) if not line else GO_ON)
    wrong: dict[str, Any] = {
        "signals": tuple("abcdefghij"[:count]),
        "rounds": tuple(Round(stage, *shape) for shape in rounds),
    }
    kind = seed % 3
    if kind == 1:
        parts = [rng.randrange(1, 6) for _ in range(count)]
        wrong["weights"] = [F(part, sum(parts)) for part in parts]
    if kind == 2:
        hands = list(combinations(range(count), rounds[0][1]))
        wrong["ranges"] = [
            {hand: F(rng.randrange(4), rng.randrange(1, 4)) for hand in rng.sample(hands, rng.randrange(2, len(hands)))}
            | {hands[-1 if player else 0]: F(1)}
            for player in (0, 1)
        ]
    return Plain(**wrong)


@pytest.mark.sample(14)
@pytest.mark.parametrize("seed", range(36))
def test_arrays_of_deals_are_those_of_the_rules(seed: int) -> None:
    game = random_game(seed)
    deals = Deals.of(game)
    for round_, chances in zip(deals.rounds, chances_of_deals(game), strict=True):
        found = {}
        for b, public in enumerate(map(tuple, round_.public.tolist())):
            hands = [tuple(hand) for hand in round_.hands[b].tolist()]
            mass = round_.masses(slice(b, b + 1))[0]
            for i, j in np.argwhere(mass).tolist():
                found[public, hands[i], hands[j]] = F(int(mass[i, j]) * round_.unit, deals.total)
        assert found == chances


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", [seed for seed in range(36) if seed not in (5, 7, 9, 12, 13, 24, 27)])  # not the large
def test_sizes_without_building(seed: int) -> None:
    game: Any = random_game(seed)
    game.rounds = tuple(round_._replace(stage=StageTree.grow(bet_once)) for round_ in game.rounds)
    counted = game.counts()
    assert counted.items() <= tremble.info(tremble.build(game)).items()
    assert bool(counted) == (game.ranges is None or (len(game.rounds) == 1 and not game.rounds[0].public))


def test_sizes_of_what_is_never_built() -> None:
    counted = tremble.info(tremble.load_rules("rhode_island"))
    assert counted["sequences"][1] + counted["information_sets"][0] + 1 == 91_224_226  # rows of the published program
    assert tremble.info(tremble.load_rules("holdem_river"))["nodes"]["chance"] == 1 + 1_081
    for spec in ("rhode_island", "holdem_river"):
        with pytest.raises(tremble.TooLargeError):
            tremble.load(spec)


def test_what_is_counted_in_rhode_island() -> None:
    """The table in docs/explanation/abstraction.md, and what of it comes to between 3.1 and 3.2 billion nodes."""

    def parts(bets: int, orders: tuple[int, int, int, int]) -> dict[str, int]:
        stage = limit_betting(bets)
        lines, found = 1, dict.fromkeys(("moves 1", "moves 2", "folds 1", "folds 2", "showdowns"), 0)
        found["deals"] = 1 + orders[0]  # the root, and the first private card where they come one by one
        found["chance"] = 0
        for number, deals in enumerate(orders[1:]):
            for node, children in enumerate(stage.child):
                line = stage.line[node]
                if children:
                    found[f"moves {stage.mover[node] + 1}"] += deals * lines
                elif line[-1] == "fold":
                    found[f"folds {2 - len(line) % 2}"] += deals * lines
                else:
                    found["chance" if number < 2 else "showdowns"] += deals * lines
            lines *= len(stage.going_on)
        return found

    one_by_one = (52, 52 * 51, 52 * 51 * 50, 52 * 51 * 50 * 49)
    found = parts(3, one_by_one)
    assert found["deals"] + found["chance"] == 6_516_017
    assert found["moves 1"] + found["moves 2"] == 2_554_427_616
    assert found["folds 1"] + found["folds 2"] == 1_915_820_712
    assert found["showdowns"] == 2_228_608_200
    assert sum(found.values()) == total_nodes(RhodeIsland().counts()) == 6_705_372_545
    assert sum(parts(2, one_by_one).values()) == 2_446_509_833
    orders = {
        one_by_one: 6_705_372_545,
        (*one_by_one[:3], one_by_one[3] // 2): 3_362_460_245,
        (0, *(deals // 2 for deals in one_by_one[1:])): 3_352_686_247,
        (0, 52 * 51 // 2, 52 * 51 * 25, 52 * 51 * 50 * 49 // 4): 1_681_230_097,
    }
    hits = set()
    for order, whole in orders.items():
        found = parts(3, order)
        assert sum(found.values()) == whole
        beside = ("moves 1", "moves 2", "folds 1", "folds 2", "showdowns")
        for size in range(1, 6):
            for some in combinations(beside, size):
                least = sum(found[part] for part in some)
                for nodes in (least, least + found["chance"], least + found["chance"] + found["deals"]):
                    if 3_100_000_000 <= nodes < 3_200_000_000:
                        hits.add((some, least))
    half, other = 3_186_518_556, 3_193_034_520
    assert hits == {
        *((("folds 1", "showdowns"), half), (("folds 2", "showdowns"), half)),
        *((("moves 1", "folds 1", "folds 2"), other), (("moves 2", "folds 1", "folds 2"), other)),
    }
    programs = {}  # rows without abstraction, by the limits of the three rounds
    for limits in product(range(1, 6), repeat=3):
        lines, rows = 1, 2
        for bets, nodes in zip(limits, (52, 52 * 51, 52 * 51 * 50), strict=True):
            one, two = (limit_betting(bets).side(player) for player in (0, 1))
            rows += nodes * lines * (two.num_sequences - 1 + len(one.nodes))
            lines *= len(limit_betting(bets).going_on)
        programs[limits] = rows
    assert [limits for limits, rows in programs.items() if rows == 91_224_226] == [(3, 3, 3)]


def test_ranges_of_three_players() -> None:
    """Each player's hand comes in proportion to all deals that it is a part of."""
    hands = [{(0,): 1, (1,): 2}, {(0,): 3, (2,): 1}, {(1,): 1, (2,): F(1, 2), (3,): 1}]
    game = Plain(num_players=3, ranges=hands, utility=lambda lines, ranks: (0, 0, 0))
    wanted = {
        ((), a, b, c): F(hands[0][a] * hands[1][b] * hands[2][c])
        for a, b, c in product(*hands)
        if len({*a, *b, *c}) == 3
    }
    total = sum(wanted.values())
    (found,) = chances_of_deals(game)
    assert found == {deal: weight / total for deal, weight in wanted.items()}


# -- texts -------------------------------------------------------------------------------------------


NASTY_SIGNALS = [
    ("12", "1", "21", "2"),
    ("a b", "a", "b", "b a"),
    ("a", "a ", " a", "A"),
    ("J", "Q", "K", "A"),
    ("'a'", "a", '"a"', "a b"),
]
NASTY_ACTIONS = [
    ("a-b", "c", "a", "b-c"),
    ("x:", "x", ":", "::"),
    ("check", "bet", "call", "fold"),
    (" ", "  ", "-", "--"),
]


@pytest.mark.parametrize("signals", NASTY_SIGNALS)
@pytest.mark.parametrize("actions", NASTY_ACTIONS)
def test_texts_of_information_sets_tell_them_apart(signals: tuple[str, ...], actions: tuple[str, ...]) -> None:
    def after(line: Line) -> Any:
        if len(line) < 2:
            return Move(len(line), actions)
        return GO_ON

    stage = StageTree.grow(after)
    for rounds in ((Round(stage, private=2),), (Round(stage, public=1), Round(stage, private=1))):
        game = Plain(signals=signals, rounds=rounds)
        seen: dict[tuple[int, str], tuple[Any, ...]] = {}
        histories = [game.root()]
        while histories:
            h = histories.pop()
            mover = game.player(h)
            if mover == TERMINAL:
                continue
            if mover != CHANCE:
                knows = h.round, h.public, h.private[mover], h.nodes
                assert seen.setdefault((mover, game.infoset(h)), knows) == knows
            histories += [game.child(h, i) for i in range(len(game.actions(h)))]
        assert seen


# -- what is refused ---------------------------------------------------------------------------------


FLAT = StageTree.grow(lambda line: GO_ON)
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"signals": ("a", "b", "a", "c")}, "'a' is used twice"),
    ({"signals": ()}, "from 1 to 64 signals, not 0"),
    ({"signals": tuple(map(str, range(65)))}, "not 65"),
    ({"signals": "abcd"}, "'signals' must be a tuple of nonempty strings"),
    ({"signals": ("a", "", "c")}, "nonempty strings, not"),
    ({"signals": (1, 2, 3)}, "'signals' must be a tuple of nonempty strings"),
    ({"signals": ("a",)}, "the rounds deal 2 signals in total, but there are only 1"),
    ({"rounds": ()}, "must be a tuple of at least one Round"),
    ({"rounds": (Round(FLAT, private=-1),)}, "-1 private"),
    ({"rounds": (Round(FLAT, public=F(1)),)}, "expected integers"),
    ({"rounds": (FLAT,)}, "round 1 must be Round"),
    ({"rounds": (Round(bet_once, private=1),)}, "round 1 must be Round"),
    ({"rounds": (Round(FLAT, private=1), Round(FLAT, public=3))}, "the rounds deal 5 signals in total"),
    ({"rounds": (Round(StageTree.grow(lambda line: OVER), private=1), Round(FLAT))}, "no moves lead from round 1"),
    ({"rounds": (Round(StageTree.grow(lambda line: OVER if line else Move(2, ("x",))), private=1),)}, "player 3 moves"),
    ({"num_players": 0}, "from 1 to 64 players"),
    ({"weights": [F(1, 4)] * 3}, "3 weights are given for 4 signals"),
    ({"weights": [F(1, 2), F(1, 2), F(1, 2), F(-1, 2)]}, "d has -1/2"),
    ({"weights": [F(1, 2), F(1, 2), F(0), F(0)]}, "c has 0, d has 0"),
    ({"weights": [F(1, 3)] * 4}, "sum is 4/3"),
    ({"weights": [0.25] * 4}, "weight of a 0.25 is a float"),
    ({"weights": [F(1, 4)] * 4, "ranges": [{(0,): 1}] * 2}, "not both"),
    ({"ranges": [{(0,): 1}]}, "1 ranges are given for 2 players"),
    ({"ranges": [{(0,): 1}, {}]}, "range of player 2 has no hand"),
    ({"ranges": [{(0,): 1}, {(1,): 0}]}, "range of player 2 has no hand"),
    ({"ranges": [{(0,): 1}, {(0,): 1}]}, "a and a share a signal"),
    ({"ranges": [{(0,): 1}, {(4,): 1}]}, r"player 2 lists \(4,\)"),
    ({"ranges": [{(0, 1): 1}, {(2,): 1}]}, r"player 1 lists \(0, 1\)"),
    ({"ranges": [{"a": 1}, {(2,): 1}]}, "player 1 lists 'a'"),
    ({"ranges": [{(0,): -1}, {(2,): 1}]}, "player 1 gives a the negative weight -1"),
    ({"ranges": [{(0,): 0.5}, {(2,): 1}]}, "float"),
    (
        {"rounds": (Round(FLAT, private=2),), "ranges": [{(1, 0): 1}, {(2, 3): 1}]},
        r"player 1 lists \(1, 0\), which is not a hand: expected 2 different positions of signals in ascending order",
    ),
    ({"rounds": (Round(FLAT, private=2),), "ranges": [{(0, 0): 1}, {(2, 3): 1}]}, "which is not a hand"),
]


@pytest.mark.parametrize(("wrong", "named"), WRONG)
def test_what_is_no_ordered_game(wrong: dict[str, Any], named: str) -> None:
    for use in (Deals.of, tremble.build, lossless_filter):
        with pytest.raises(GameError, match=named):
            use(Plain(**wrong))  # type: ignore[operator]


STRENGTHS: list[tuple[dict[str, Any], str]] = [
    ({"strength": lambda public, private: private[0] / 2}, "strength of a must be an integer, not 0.0"),
    ({"strength": lambda public, private: (1, private[0])}, "strength of a must be an integer"),
    ({"strengths": lambda public, private: private[:, :, 0] / 2}, "expected integers"),
    ({"strengths": lambda public, private: private[:, 0, 0]}, "shape"),
    ({"strengths": lambda public, private: -private[:, :, 0]}, "give 1 and -1 for b"),
    ({"strength": lambda public, private: private[0] * 2**61}, "62 bits"),
    ({"utility": lambda lines, ranks: (0, 0.5)}, "payoff after check-check 0.5 is a float"),
    ({"utility": lambda lines, ranks: (0, 0, 0)}, "one number for each of 2 players, not 3"),
    ({"utility": lambda lines, ranks: 0}, "not a sequence"),
    ({"utility": lambda lines, ranks: (ranks[0] * 2**41, 0)}, "40 bits"),
    ({"utility": lambda lines, ranks: (-ranks[0], 0)}, r"player 1 earns -1 with a higher hand and 0 .*such as d and a"),
    ({"utility": lambda lines, ranks: (0, -ranks[1])}, "player 2 earns -1 with a higher hand"),
    (
        {"compares": False, "utility": lambda lines, worth: (-int(worth[0] == 2), 0)},
        "player 1 earns -1 with a higher hand and 0 with a lower one .such as c and b",
    ),
]


@pytest.mark.parametrize(("wrong", "named"), STRENGTHS)
def test_what_is_wrong_with_strengths_and_payoffs(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(GameError, match=named):
        Deals.of(Plain(**wrong))


@pytest.mark.parametrize("seed", range(60))
def test_orders_are_refused_just_if_a_higher_hand_pays_less(seed: int) -> None:
    rng = random.Random(seed)
    steps = (0, 1, 1, -1) if seed % 2 else (0, 1)
    table: dict[tuple[int, int], tuple[int, int]] = {}
    for a, b in product(range(3), repeat=2):
        one = table[a - 1, b][0] if a else rng.randrange(3)
        two = table[a, b - 1][1] if b else rng.randrange(3)
        table[a, b] = one + rng.choice(steps), two + rng.choice(steps)
    monotone = all(
        table[a, b][0] <= table[c, b][0] and table[b, a][1] <= table[b, c][1]
        for a, b, c in product(range(3), repeat=3)
        if a < c
    )
    game = Plain(
        compares=False,
        signals=tuple("abcdef"),
        rounds=(Round(FLAT, private=1),),
        strength=lambda public, private: 10 * (private[0] // 2),
        utility=lambda lines, worth: table[worth[0] // 10, worth[1] // 10],
    )
    if monotone:
        assert Deals.of(game).total == 30
    else:
        with pytest.raises(GameError, match="higher hand"):
            Deals.of(game)


def endless(line: Line) -> Any:
    return Move(0, ("on",))


@pytest.mark.parametrize(
    ("after", "named"),
    [
        (endless, "more than 256 moves"),
        (lambda line: Move(0, ("on", "off")), "256 moves|100,000 nodes"),
        (lambda line: Move(-1, ("on",)), "the index of a player"),
        (lambda line: ("0", "on"), "the function 'after' must return Move"),
        (lambda line: None, "the function 'after' must return Move"),
        (lambda line: Move(0, ()), "the actions must be different labels"),
        (lambda line: Move(0, ("a", "a")), "the actions must be different labels"),
        (lambda line: Move(0, "ab"), "the actions must be different labels"),
        (lambda line: Move(0, ("", "b")), "the actions must be different labels"),
        (lambda line: Move(0, 3), "sequence of labels"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_stage_tree(after: Callable[[Line], Any], named: str) -> None:
    with pytest.raises(GameError, match=named):
        StageTree.grow(after)


def test_games_that_cannot_be_hashed() -> None:
    game = Plain()
    Plain.__hash__, kept = None, Plain.__hash__  # type: ignore[assignment]
    try:
        with pytest.raises(GameError, match="frozen=True"):
            Deals.of(game)
    finally:
        Plain.__hash__ = kept  # type: ignore[method-assign]


def test_payoffs_that_do_not_depend_on_hands_ask_for_no_strength() -> None:
    """After a fold before the last card a hand may have no strength yet."""

    def strength(public: Sequence[int], private: Sequence[int]) -> int:
        return private[0] + 10 * public[0]

    stage = StageTree.grow(bet_once)

    def utility(lines: Sequence[Line], ranks: Sequence[int]) -> tuple[int, int]:
        fold = lines[-1][-1] == "fold"
        won = (1 if len(lines[-1]) == 2 else -1) if fold else ranks[0] - ranks[1]
        return won, -won

    rounds = (Round(stage, private=1), Round(stage, public=1))
    tree = tremble.build(Plain(rounds=rounds, strength=strength, utility=utility))
    assert tremble.solve(tree).status == "certified"


# -- any number of players ---------------------------------------------------------------------------


class ThreeKuhn(OrderedGame):
    """Kuhn poker for three with four cards: ante 1, one bet of 1, which the others call or fold to."""

    num_players = 3
    signals = ("J", "Q", "K", "A")

    def after(self, line: Line) -> Any:
        if "bet" in line:
            if len(line) < line.index("bet") + 3:
                return Move(len(line) % 3, ("fold", "call"))
            return OVER if line.count("fold") == 2 else GO_ON
        return Move(len(line), ("check", "bet")) if len(line) < 3 else GO_ON

    @property
    def rounds(self) -> tuple[Round, ...]:
        return (Round(StageTree.grow(self.after), private=1),)

    def strength(self, public: Any, private: Any) -> int:
        return int(private[0])

    def utility(self, lines: Any, ranks: Any) -> tuple[int, ...]:
        (line,) = lines
        paid, out = [1, 1, 1], set()
        for k, label in enumerate(line):
            paid[k % 3] += label in ("bet", "call")
            out |= {k % 3} if label == "fold" else set()
        winner = max((player for player in range(3) if player not in out), key=lambda player: ranks[player])
        return tuple((sum(paid) if player == winner else 0) - paid[player] for player in range(3))


def published(b11: F, b21: F, b32: F, c33: F, c34: F) -> list[Any]:
    """The equilibria with c11 = 0 of Szafron, Gibson & Sturtevant (AAMAS 2013): how often each card bets or calls."""
    half = F(1, 2)
    situations = [
        {"": 0, "ccb": 1, "cbf": 2, "cbc": 3},
        {"c": 0, "b": 1, "ccbf": 2, "ccbc": 3},
        {"cc": 0, "cb": 1, "bf": 2, "bc": 3},
    ]
    tables = [
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, half, 0], [0, 1, 1, 1]],
        [[b11, 0, 0, 0], [b21, 0, 0, 0], [0, b32, (1 + b11 + 2 * b21) / 2, 0], [2 * b11 + 2 * b21, 1, 1, 1]],
        [[0, 0, 0, 0], [half, 0, 0, 0], [0, 0, c33, c34], [1, 1, 1, 1]],
    ]

    def rule(table: Any, of_line: Any) -> Any:
        def row(text: str, actions: Any) -> Any:
            card, _, line = text.partition(" ")
            p = table["JQKA".index(card)][of_line[line]]
            return 1 - p, p

        return row

    return [rule(table, of_line) for table, of_line in zip(tables, situations, strict=True)]


@pytest.mark.parametrize(
    "parameters",
    [
        (F(0), F(0), F(0), F(1, 2), F(0)),
        (F(0), F(1, 8), F(1, 4), F(1, 4), F(1, 2)),
        (F(1, 4), F(1, 4), F(15, 16), F(0), F(1)),
    ],
)
def test_published_equilibria_of_kuhn_poker_for_three(parameters: tuple[F, ...]) -> None:
    game, profile = ThreeKuhn(), published(*parameters)
    beta = parameters[1]
    for player in range(3):
        found = ex_post(game, profile, player)
        assert found.gain == 0
        assert found.payoffs == (F(-1, 48) - beta / 24, F(-1, 48), F(1, 24) + beta / 24)


def random_profile(game: OrderedGame, seed: int) -> list[dict[str, tuple[F, ...]]]:
    rng = random.Random(seed)
    profile: list[dict[str, tuple[F, ...]]] = [{} for _ in range(game.num_players)]
    histories = [game.root()]
    while histories:
        h = histories.pop()
        mover = game.player(h)
        if mover == TERMINAL:
            continue
        if mover != CHANCE and game.infoset(h) not in profile[mover]:
            parts = [rng.choice((0, 0, 1, 2, 3)) for _ in game.actions(h)]
            parts[rng.randrange(len(parts))] += 1
            profile[mover][game.infoset(h)] = tuple(F(part, sum(parts)) for part in parts)
        histories += [game.child(h, i) for i in range(len(game.actions(h)))]
    return profile


@pytest.mark.sample(1)
@pytest.mark.parametrize("player", range(3))
def test_best_responses_of_three_card_by_card(player: int) -> None:
    """A player's card is all it knows: the best of its 16 plans with each card, one after the other."""
    game = ThreeKuhn()
    profile = random_profile(game, player)

    def earned(own: dict[str, tuple[F, ...]]) -> F:
        return ex_post(game, [*profile[:player], own, *profile[player + 1 :]], player).payoffs[player]

    found = ex_post(game, profile, player)
    assert found.payoffs[player] == earned(profile[player]) <= found.best_value
    first, second = (F(1), F(0)), (F(0), F(1))
    best = dict.fromkeys(profile[player], first)
    for card in game.signals:
        own = [name for name in profile[player] if name.startswith(card)]
        plans = [dict(zip(own, plan, strict=True)) for plan in product((first, second), repeat=4)]
        best |= max(plans, key=lambda plan: earned(best | plan))
    assert earned(best) == found.best_value
    assert (
        earned({name: second if found.best.get(name) in ("bet", "call") else first for name in best})
        == found.best_value
    )


@pytest.mark.parametrize("spec", ["jk_four_cards", "auction:copies=2,sum=general,values=2", "auction:values=3"])
def test_two_players_are_judged_as_on_the_tree(spec: str) -> None:
    game: Any = parse_spec(spec)[0]
    tree = tremble.build(game)
    for seed in range(3):
        profile = random_profile(game, seed)
        strategies = [
            tremble.BehaviorStrategy.from_rows(
                tree, player, [profile[player][name] for name in tree.infoset_labels[player]]
            )
            for player in (0, 1)
        ]
        for player in (0, 1):
            found = ex_post(game, profile, player)
            assert found.payoffs == tremble.expected_values(tree, tuple(strategies))
            assert found.best_value == tremble.best_response(tree, strategies, player)[0]


@pytest.mark.parametrize(
    ("profile", "player", "named"),
    [
        ([{}, {}], 0, "a profile needs 3 strategies, one for each player, not 2"),
        ([{}, {}, {}], 3, "no player 3"),
        ([{}, {}, {}], 0, "no probabilities for player 1 at 'J'"),
        ([lambda name, actions: (1,)] * 3, 0, "player 1 at 'J' needs 2 probabilities"),
        ([lambda name, actions: (F(3, 2), F(-1, 2))] * 3, 0, "3/2, -1/2"),
        ([lambda name, actions: (F(1, 2), F(1, 3))] * 3, 0, "sum to 1"),
        ([lambda name, actions: (0.5, 0.5)] * 3, 0, "player 1 at 'J': 0.5 is a float"),
    ],
)
def test_profiles_that_are_none(profile: Any, player: int, named: str) -> None:
    with pytest.raises(GameError, match=named):
        ex_post(ThreeKuhn(), profile, player)


def test_solvers_take_two_players() -> None:
    for use in (Deals.of, lossless_filter, tremble.poker.Filter.full, tremble.build):
        with pytest.raises(PlayersError):
            use(ThreeKuhn())  # type: ignore[operator]
    with pytest.raises(tremble.TooLargeError):
        ex_post(ThreeKuhn(), [{}, {}, {}], 0, max_nodes=3)


def test_integers_of_numpy_do_not_wrap_around() -> None:
    big = np.int64(2**62)
    game = Plain(ranges=[{(0,): big, (1,): big}, {(2,): big, (3,): big}])
    assert Deals.of(game).total == 4
    assert game.chance(game.root()) == (F(1, 2), F(1, 2))
    worth = Plain(compares=False, strength=lambda public, private: np.int64(private[0]) << 31)
    worth.utility = lambda lines, ranks: (ranks[0] * ranks[0] % 7, 0)  # type: ignore[method-assign]
    h = worth.root()
    while worth.player(h) != TERMINAL:
        h = worth.child(h, len(worth.actions(h)) - 1)
    assert worth.payoff(h)[0] == (3 << 31) ** 2 % 7
