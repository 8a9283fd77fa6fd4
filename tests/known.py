"""Published or hand-checked facts about the built-in games, with where they come from.

``Counts`` are (chance nodes, terminal nodes, nodes of players 1 and 2, information sets of players 1 and 2,
sequences of players 1 and 2), sequences with the empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction as F
from typing import NamedTuple

from tremble import BehaviorStrategy


class Counts(NamedTuple):
    chance: int
    terminal: int
    nodes1: int
    nodes2: int
    infosets1: int
    infosets2: int
    sequences1: int
    sequences2: int


# Kuhn, Leduc and Goofspiel: Farina, Gatti & Sandholm, "Practical exact algorithm for trembling-hand equilibrium
# refinements in games" (NeurIPS 2018), Table 1, which calls them K, SL, L3, L5, L8, L9, G3, G4, G*3, G*4; ranks=13 by
# independent code. Liar's dice: OpenSpiel's own tree.
COUNTS: dict[str, Counts] = {
    "kuhn": Counts(1, 30, 12, 12, 6, 6, 13, 13),
    "leduc:raises=1,ranks=2": Counts(13, 98, 44, 44, 28, 28, 57, 57),
    "leduc": Counts(46, 1116, 387, 387, 144, 144, 337, 337),
    "leduc:ranks=5": Counts(126, 5500, 1875, 1875, 390, 390, 911, 911),
    "leduc:ranks=8": Counts(321, 22936, 7752, 7752, 984, 984, 2297, 2297),
    "leduc:ranks=9": Counts(406, 32724, 11043, 11043, 1242, 1242, 2899, 2899),
    "leduc:ranks=13": Counts(846, 98956, 33267, 33267, 2574, 2574, 6007, 6007),
    "goofspiel": Counts(28, 216, 273, 333, 273, 273, 334, 334),
    "goofspiel:cards=4": Counts(1793, 13824, 17476, 21328, 17476, 17476, 21329, 21329),
    "goofspiel:order=increasing": Counts(0, 36, 46, 57, 46, 46, 58, 58),
    "goofspiel:cards=4,order=increasing": Counts(0, 576, 737, 916, 737, 737, 917, 917),
    # nodes: OpenSpiel's own trees of dark_hex(board_size=2), gameversion cdh and adh; the rest by a second program
    "dark_hex:size=2": Counts(0, 216, 49, 176, 17, 53, 41, 93),
    "dark_hex:size=2,abrupt=true": Counts(0, 234, 143, 94, 59, 35, 89, 81),
    "liars_dice": Counts(7, 147420, 73728, 73728, 12288, 12288, 24571, 24571),
    # by hand, from the drawings in GAMES.md
    "guess_the_ace": Counts(1, 6, 2, 2, 1, 1, 3, 3),
    "guess_the_ace:gift=true": Counts(1, 10, 6, 2, 3, 1, 7, 3),
    "safe_or_risky": Counts(0, 3, 2, 0, 2, 0, 5, 1),
    "dare_or_decline": Counts(0, 9, 3, 5, 2, 2, 5, 5),
    "a_loss_counterexample": Counts(0, 6, 3, 2, 2, 2, 5, 5),
    "absentminded_driver": Counts(0, 3, 2, 0, 1, 0, 3, 1),
    "wichardt": Counts(0, 8, 3, 4, 2, 1, 5, 3),
    "double_oracle_example": Counts(0, 8, 5, 2, 4, 1, 9, 3),
    "matching_pennies": Counts(0, 4, 1, 2, 1, 1, 3, 3),
    # by hand, from the rules in their docstrings
    "entry_deterrence": Counts(0, 3, 1, 1, 1, 1, 3, 3),
    "beer_quiche": Counts(1, 8, 2, 4, 2, 2, 5, 5),
    "centipede": Counts(0, 11, 5, 5, 5, 5, 11, 11),
    "centipede:length=3": Counts(0, 4, 2, 1, 2, 1, 5, 3),
    "battle_outside": Counts(0, 5, 2, 2, 2, 1, 5, 3),
    "selten_horse_two": Counts(0, 5, 2, 2, 2, 1, 5, 3),
    "mertens": Counts(1, 9, 3, 4, 2, 2, 5, 5),
    "ordered_trembles": Counts(0, 5, 2, 2, 2, 2, 5, 5),
    "job_market": Counts(1, 8, 2, 4, 2, 2, 5, 5),
    "auction": Counts(9, 56 * 15, 56 * 4, 56 * 4, 8 * 4, 8 * 4, 1 + 8 * 11, 1 + 8 * 11),
    # the 113 nodes of Gilpin & Sandholm 2006, Figure 1
    "jk_four_cards": Counts(5, 60, 24, 24, 8, 8, 17, 17),
}

# Nodes in all, and sequences of each player. Miltersen & Sørensen 2006, section 1.1, for the nodes of kuhn_raise.
# Generic poker: Bošanský, Kiekintveld, Lisý & Pěchouček, "An exact double-oracle algorithm for zero-sum extensive-form
# games with imperfect information", JAIR 51 (2014), states the sequences of R4 and B4; those of the game of its Table 5
# (T5 here) follow from the percentages there. All nodes, and the other sequences, are by independent code.
NODES_AND_SEQUENCES: dict[str, tuple[int, int]] = {
    "kuhn_raise": (91, 22),
    "poker": (1_939, 337),
    "poker:bets=2,raises=2": (61_339, 11_353),
    "poker:bets=2,raises=4": (1_128_379, 210_937),
    "poker:bets=2,raises=5": (4_615_483, 864_121),
    "poker:bets=2,each=3,raises=4,types=4": (3_006_005, 374_749),
    "poker:bets=3,each=3,raises=2,types=4": (1_202_069, 149_625),
    "poker:bets=4,each=3,raises=2,types=4": (5_491_829, 685_125),
}

# Values for player 1: Kuhn 1950, or obvious. Of those in floats the 2014 paper (section 6.2) states the last two, as
# -0.09963 and -0.09828.
VALUES: dict[str, F] = {
    "kuhn": F(-1, 18),
    "matching_pennies": F(0),
    "goofspiel": F(0),
    "goofspiel:order=increasing": F(0),
    "guess_the_ace": F(0),
    "guess_the_ace:gift=true": F(0),
    "safe_or_risky": F(0),
    "dare_or_decline": F(0),
}

VALUES_FLOAT: dict[str, float] = {
    "leduc": -0.0856064241,
    "poker:bets=2,raises=2": -0.0970449613,
    "poker:bets=2,raises=4": -0.0970528346,
    "poker:bets=2,each=3,raises=4,types=4": -0.0996318284,
    "poker:bets=3,each=3,raises=2,types=4": -0.0982824026,
}

# All payoffs of player 1 in leaf order: the procedure of random_tree is public, so they must never change.
RANDOM_PAYOFFS: dict[str, list[int]] = {
    "random_tree:branching=2,depth=2,seed=7": [-4, 2, 1, -3],
    "random_tree:branching=2,chance=true,depth=3,seed=7": [-4, -3, -2, 2, -6, -9, 0, -2],
    "random_tree:branching=2,depth=2,seed=7,sum=general,utilities=iid": [0, -6, 2, -1],
}


# Information sets of both players' nodes in node order, and names of player 1's: that must never change either.
RANDOM_MERGED: dict[str, tuple[list[int], list[int], list[str]]] = {
    "random_imperfect_recall:branching=2,depth=5,merge=0.5,merge2=0.5,recall=a-loss,recall2=any,seed=7": (
        [0, 1, 1, 1, 1, 2, 2, 2, 3, 2, 2, 3, 3, 2, 2, 4, 4, 2, 2, 3, 4],
        [0, 0, 1, 2, 2, 2, 2, 1, 2, 2],
        ["start", "a0 o0 and 1 more", "a0 o0 a0 o1 and 4 more", "a0 o0 a1 o0 and 1 more", "a1 o0 a1 o1"],
    ),
}

# What both players remember, where it is not everything; by hand.
RECALL: dict[str, tuple[str, str]] = {
    "a_loss_counterexample": ("a-loss", "perfect"),
    "absentminded_driver": ("absentminded", "perfect"),
    "wichardt": ("a-loss", "perfect"),
    "random_imperfect_recall": ("a-loss", "perfect"),
}


class SearchGame(NamedTuple):
    nodes: int
    sequences1: int
    sequences2: int
    value: F | None = None


# Bošanský et al. 2014 (JAIR 51) too: the graphs G1, G2, G3 with and without slow moves. Of graph 1 with seven turns and
# slow moves, player 2's sequences are published, player 1's follow from Table 3, and -0.3333 is the value of a game
# that is not named; all nodes and the other rows are by independent code.
BORDER_PATROL: dict[str, SearchGame] = {
    "border_patrol:depth=5": SearchGame(160_838, 408, 10_283, F(-1, 3)),
    "border_patrol:depth=6": SearchGame(863_126, 797, 55_371),
    "border_patrol": SearchGame(4_392_198, 1_463, 273_099, F(-1, 3)),
    "border_patrol:depth=6,slow=false": SearchGame(268_615, 230, 44_011),
    "border_patrol:slow=false": SearchGame(1_080_471, 344, 191_067),
    "border_patrol:depth=6,graph=2": SearchGame(1_975_830, 1_068, 63_723),
    "border_patrol:graph=2": SearchGame(14_582_662, 2_200, 350_315),
    "border_patrol:depth=6,graph=2,slow=false": SearchGame(1_068_295, 407, 57_963),
    "border_patrol:graph=2,slow=false": SearchGame(7_748_119, 760, 297_963),
    "border_patrol:depth=6,graph=3": SearchGame(648_606, 717, 48_667),
    "border_patrol:graph=3": SearchGame(3_191_214, 1_293, 230_011),
    "border_patrol:depth=6,graph=3,slow=false": SearchGame(159_663, 184, 33_443),
    "border_patrol:graph=3,slow=false": SearchGame(607_007, 264, 137_075),
}

# The same paper ("about 1e9 nodes"), exact sizes by independent code.
PHANTOM_TTT: dict[str, SearchGame] = {
    "phantom_ttt": SearchGame(19_934_533_171, 6_384_802, 5_772_466, F(2, 3)),
    "phantom_ttt:forced_wins=true": SearchGame(1_005_187_783, 877_458, 1_615_906, F(2, 3)),
}


# -- general-sum classics --------------------------------------------------------------------------

Rows = Sequence[Sequence[F | int]]
Test = Callable[[BehaviorStrategy, BehaviorStrategy], bool]
Pair = tuple[F | int, F | int]

NASH = ("nash",)
SUBGAME = (*NASH, "subgame-perfect")
SEQUENTIAL = (*SUBGAME, "sequential")
QUASI = (*SEQUENTIAL, "quasi-perfect")
PERFECT = (*SEQUENTIAL, "perfect")
ALL = (*QUASI, "perfect")


class Equilibrium(NamedTuple):
    """A Nash equilibrium, and which concepts it belongs to.

    ``trembles`` makes completely mixed strategies of a small number that converge to it, and against which it is best
    in the way that the concept demands; unless given, every row errs with that probability, uniformly.
    """

    name: str
    one: Rows
    two: Rows
    values: Pair
    concepts: tuple[str, ...]
    trembles: Mapping[str, Callable[[F], tuple[Rows, Rows]]] = {}


class Classic(NamedTuple):
    """What is known of a general-sum game.

    ``allowed`` tells exactly the profiles of a concept, ``values`` all pairs of payoffs that they have. ``selected``
    tells what remains of a concept if all mistakes of a kind have weights in constant ratios, here equal ones.
    """

    source: str
    equilibria: tuple[Equilibrium, ...]
    allowed: Mapping[str, Test]
    values: Mapping[str, frozenset[Pair]]
    selected: Mapping[str, Test] = {}


def _among(test: Test, *concepts: str) -> dict[str, Test]:
    return dict.fromkeys(concepts, test)


def _paid(concepts: Sequence[str], *values: Pair) -> dict[str, frozenset[Pair]]:
    return dict.fromkeys(concepts, frozenset(values))


def _all(strategy: BehaviorStrategy, action: str) -> bool:
    """Whether an action is played at every information set."""
    return all(strategy.probability(k, action) == 1 for k in range(strategy.num_infosets))


def _passing_pays(strategy: BehaviorStrategy, length: int) -> F:
    """What player 1 earns at most after passing the first move of a centipede."""
    most = F(length - 2 if length % 2 else length)
    for k in range(length - 1, 0, -1):
        if k % 2:
            stop = F(strategy.probability(k // 2, "stop"))
            most = stop * (k - 2) + (1 - stop) * most
        else:
            most = max(F(k), most)
    return most


def centipede(length: int) -> Classic:
    """Rosenthal 1981. Nobody can afford to pass the last move that is reached, so player 1 stops at once.

    Nash: player 2 stops early enough for that. Subgame perfect, hence sequential; and, since payoffs of perfect
    information without ties leave one subgame perfect equilibrium, quasi-perfect and perfect: both stop everywhere.
    """
    first, second = (length + 1) // 2, length // 2
    stop, go = [1, 0], [0, 1]
    equilibria = [Equilibrium("all stop", [stop] * first, [stop] * second, (0, 0), ALL)]
    if length > 2:
        late = Equilibrium(
            "later moves are passed", [stop, *[go] * (first - 1)], [stop, *[go] * (second - 1)], (0, 0), NASH
        )
        equilibria.append(late)
    return Classic(
        "Rosenthal, Games of perfect information, predatory pricing and the chain-store paradox, JET 25, 1981",
        tuple(equilibria),
        {
            "nash": lambda one, two: one.probability(0, "stop") == 1 and _passing_pays(two, length) <= 0,
            **_among(lambda one, two: _all(one, "stop") and _all(two, "stop"), *ALL[1:]),
        },
        _paid(ALL, (0, 0)),
    )


def _entry(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    return one.probability(0, "enter") == 1 and two.probability(0, "accommodate") == 1


def _pooled(one: BehaviorStrategy, two: BehaviorStrategy, meal: str) -> bool:
    """Both types have this meal; the other is followed by a duel often enough."""
    seen, other = (0, 1) if meal == "beer" else (1, 0)
    return _all(one, meal) and two.probability(seen, "duel") == 0 and two.probability(other, "duel") >= F(1, 2)


def _breakfast(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    return _pooled(one, two, "beer") or _pooled(one, two, "quiche")


def _rarer(e: F) -> Rows:
    """The strong err much more rarely than the weak."""
    return [[e, 1 - e], [e**2, 1 - e**2]]


def _battle(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    planned = one.probability(1, "boxing"), two.probability(0, "boxing")
    goes = one.probability(0, "in")
    return (planned, goes) in (((1, 1), 1), ((0, 0), 0), ((F(3, 4), F(1, 4)), 0))


def _ridden(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    moves = one.probability(0, "across"), one.probability(1, "down"), two.probability(0, "left")
    return moves == (1, 1, 1)


def _thrown(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    return _all(one, "across") and two.probability(0, "left") <= F(1, 4)


def _no_vote_is_fumbled(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    return all(s.probability(0, "self") * s.probability(1, "fumble") == 0 for s in (one, two))


def _careful(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    return one.probability(1, "careful") == two.probability(1, "careful") == 1


def _votes(one: BehaviorStrategy, two: BehaviorStrategy) -> tuple[object, object]:
    return one.probability(0, "self"), two.probability(0, "self")


def _does_not_pay(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    """Nash in ordered_trembles."""
    if one.probability(0, "in"):
        return one.probability(1, "careful") == 1 and two.probability(0, "steady") == 1
    return two.probability(0, "slip") * two.probability(1, "slip") == 0


def _no_mistake(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    return one.probability(1, "careful") == 1 and _all(two, "steady")


def _separated(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    worker = one.probability(0, "study"), one.probability(1, "study")
    return (*worker, two.probability(0, "manager"), two.probability(1, "manager")) == (1, 0, 1, 0)


def _unschooled(one: BehaviorStrategy, two: BehaviorStrategy) -> bool:
    hired = two.probability(0, "manager"), two.probability(1, "manager")
    return _all(one, "skip") and hired[0] <= F(2, 3) and hired[1] == 0


CLASSICS: dict[str, Classic] = {
    # Nash: enter and accommodate, or stay out if a fight is at least as likely as not. In the subgame after entry only
    # to accommodate is right.
    "entry_deterrence": Classic(
        "Selten, The chain store paradox, Theory and Decision 9, 1978",
        (
            Equilibrium("enter", [[0, 1]], [[1, 0]], (2, 2), ALL),
            Equilibrium("empty threat", [[1, 0]], [[0, 1]], (1, 5), NASH),
            Equilibrium("empty threat, half", [[1, 0]], [[F(1, 2), F(1, 2)]], (1, 5), NASH),
        ),
        {
            "nash": lambda one, two: (
                _entry(one, two) or (one.probability(0, "out") == 1 and two.probability(0, "fight") >= F(1, 2))
            ),
            **_among(_entry, *ALL[1:]),
        },
        {**_paid(NASH, (2, 2), (1, 5)), **_paid(ALL[1:], (2, 2))},
    ),
    # Both types pool, on either meal: a type that mixed would have to be indifferent, and if one is, the other is not.
    # All of these are sequential: the belief that the weak are at least as likely supports a duel. They are perfect
    # and quasi-perfect if the mistakes are such. With equal weights the strong, nine times as many, err as often as
    # the weak, so that nobody duels who sees beer; and after quiche the weak err nine times as much, on purpose.
    "beer_quiche": Classic(
        "Cho & Kreps, Signaling games and stable equilibria, QJE 102, 1987",
        (
            Equilibrium(
                "beer",
                [[1, 0], [1, 0]],
                [[0, 1], [1, 0]],
                (F(29, 10), F(9, 10)),
                ALL,
                dict.fromkeys(
                    ("quasi-perfect", "perfect"),
                    lambda e: ([[1 - e, e], [1 - e**2, e**2]], [[e, 1 - e], [1 - e, e]]),
                ),
            ),
            Equilibrium(
                "beer, half a threat",
                [[1, 0], [1, 0]],
                [[0, 1], [F(1, 2), F(1, 2)]],
                (F(29, 10), F(9, 10)),
                ALL,
                dict.fromkeys(
                    ("quasi-perfect", "perfect"),
                    lambda e: ([[1 - 9 * e, 9 * e], [1 - e, e]], [[e, 1 - e], [F(1, 2) + e, F(1, 2) - e]]),
                ),
            ),
            Equilibrium(
                "quiche",
                [[0, 1], [0, 1]],
                [[1, 0], [0, 1]],
                (F(21, 10), F(9, 10)),
                ALL,
                dict.fromkeys(("quasi-perfect", "perfect"), lambda e: (_rarer(e), [[1 - e, e], [e, 1 - e]])),
            ),
        ),
        _among(_breakfast, *ALL),
        _paid(ALL, (F(29, 10), F(9, 10)), (F(21, 10), F(9, 10))),
        _among(
            lambda one, two: _pooled(one, two, "beer") and two.probability(1, "duel") == F(1, 2),
            "quasi-perfect",
            "sequential",
            "perfect",
        ),
    ),
    "centipede": centipede(10),
    "centipede:length=4": centipede(4),
    "centipede:length=3": centipede(3),
    # Nash: in and both box; or out, if player 2 boxes with probability at most 2/3, whatever player 1 had planned. In
    # the subgame after "in" there are three equilibria, worth 3, 1 and 3/4 to player 1; each of them makes one that is
    # sequential, perfect and quasi-perfect. Only forward induction and stable sets rule out the last two.
    "battle_outside": Classic(
        "Kohlberg & Mertens, On the strategic stability of equilibria, Econometrica 54, 1986; van Damme, JET 48, 1989",
        (
            Equilibrium("in", [[0, 1], [1, 0]], [[1, 0]], (3, 1), ALL),
            Equilibrium("out, for ballet", [[1, 0], [0, 1]], [[0, 1]], (2, 2), ALL),
            Equilibrium(
                "out, for a mixture",
                [[1, 0], [F(3, 4), F(1, 4)]],
                [[F(1, 4), F(3, 4)]],
                (2, 2),
                ALL,
                dict.fromkeys(
                    ("quasi-perfect", "perfect"),
                    lambda e: ([[1 - e, e], [F(3, 4), F(1, 4)]], [[F(1, 4), F(3, 4)]]),
                ),
            ),
            Equilibrium("out, and to miss each other", [[1, 0], [1, 0]], [[0, 1]], (2, 2), NASH),
            Equilibrium("out, but barely", [[1, 0], [1, 0]], [[F(2, 3), F(1, 3)]], (2, 2), NASH),
        ),
        {
            "nash": lambda one, two: (
                (one.probability(0, "out") == 1 and two.probability(0, "boxing") <= F(2, 3))
                or (one.probability(0, "in"), one.probability(1, "boxing"), two.probability(0, "boxing")) == (1, 1, 1)
            ),
            **_among(_battle, *ALL[1:]),
        },
        _paid(ALL, (3, 1), (2, 2)),
    ),
    # No node but the root begins a subgame: player 2's set has a node below "down" and one below "across". "right"
    # loses at both, hence for every belief and against all trembles.
    "selten_horse_two": Classic(
        "after Selten, Reexamination of the perfectness concept, IJGT 4, 1975, figure 1",
        (
            Equilibrium("across, down, left", [[1, 0], [0, 1]], [[1, 0]], (4, 1), ALL),
            Equilibrium("right", [[1, 0], [1, 0]], [[0, 1]], (1, 1), SUBGAME),
            Equilibrium("right, mostly", [[1, 0], [1, 0]], [[F(1, 4), F(3, 4)]], (1, 1), SUBGAME),
        ),
        {
            **_among(lambda one, two: _ridden(one, two) or _thrown(one, two), *SUBGAME),
            **_among(_ridden, "sequential", "quasi-perfect", "perfect"),
        },
        {**_paid(SUBGAME, (4, 1), (1, 1)), **_paid(("sequential", "quasi-perfect", "perfect"), (4, 1))},
    ),
    # Let r and s be the probabilities of votes for oneself, m and n those of a fumble. Player 1 gains by voting for
    # itself s/2 (n - m) - (1 - s) m, player 2 r/2 (m - n) - (1 - r) n. Quasi-perfect: own later mistakes do not count,
    # so both gain. Perfect: m, n > 0, and not both can gain; who does not votes for the other.
    "mertens": Classic(
        "Mertens, Two examples of strategic equilibrium, GEB 8, 1995",
        (
            Equilibrium("each for itself", [[1, 0], [1, 0]], [[1, 0], [1, 0]], (1, 1), QUASI),
            Equilibrium("each for the other", [[0, 1], [1, 0]], [[0, 1], [1, 0]], (1, 1), PERFECT),
            Equilibrium(
                "both for player 2",
                [[0, 1], [1, 0]],
                [[1, 0], [1, 0]],
                (1, 1),
                PERFECT,
                {"perfect": lambda e: ([[e, 1 - e], [1 - e, e]], [[1 - e, e], [1 - e**3, e**3]])},
            ),
            Equilibrium(
                "half for player 1", [[F(1, 2), F(1, 2)], [1, 0]], [[F(1, 2), F(1, 2)], [1, 0]], (1, 1), SEQUENTIAL
            ),
            Equilibrium("player 1 would fumble", [[0, 1], [0, 1]], [[1, 0], [1, 0]], (1, 1), SUBGAME),
        ),
        {
            **_among(_no_vote_is_fumbled, *SUBGAME),
            "sequential": _careful,
            "quasi-perfect": lambda one, two: _careful(one, two) and _votes(one, two) == (1, 1),
            "perfect": lambda one, two: _careful(one, two) and 0 in _votes(one, two),
        },
        _paid(ALL, (1, 1)),
        {"perfect": lambda one, two: _careful(one, two) and _votes(one, two) == (0, 0)},
    ),
    # With m the probability of one's own mistake and s, t those of the slips, "in" is worth (1 - m) s t - m.
    # Quasi-perfect: m does not count. Perfect: m against s t, of which either may be the smaller; in constant ratios
    # (weights times one infinitesimal) m is the greater.
    "ordered_trembles": Classic(
        "after van Damme, A relation between perfect equilibria and proper equilibria, IJGT 13, 1984",
        (
            Equilibrium(
                "in",
                [[0, 1], [1, 0]],
                [[1, 0], [1, 0]],
                (0, 0),
                ALL,
                {"perfect": lambda e: ([[e, 1 - e], [1 - e**3, e**3]], [[1 - e, e], [1 - e, e]])},
            ),
            Equilibrium("out", [[1, 0], [1, 0]], [[1, 0], [1, 0]], (0, 0), PERFECT),
            Equilibrium(
                "out, or in",
                [[F(1, 2), F(1, 2)], [1, 0]],
                [[1, 0], [1, 0]],
                (0, 0),
                PERFECT,
                {
                    "perfect": lambda e: (
                        [[F(1, 2), F(1, 2)], [1 / (1 + e**2), e**2 / (1 + e**2)]],
                        [[1 - e, e], [1 - e, e]],
                    )
                },
            ),
            Equilibrium("out, for fear of a mistake", [[1, 0], [0, 1]], [[1, 0], [1, 0]], (0, 0), NASH),
            Equilibrium("in, though a second slip would pay", [[0, 1], [1, 0]], [[1, 0], [0, 1]], (0, 0), NASH),
        ),
        {
            "nash": _does_not_pay,
            **_among(_no_mistake, "subgame-perfect", "sequential", "perfect"),
            "quasi-perfect": lambda one, two: _no_mistake(one, two) and one.probability(0, "in") == 1,
        },
        _paid(ALL, (0, 0)),
        {"perfect": lambda one, two: _no_mistake(one, two) and one.probability(0, "out") == 1},
    ),
    # A manager pays the firm if the worker is able with probability 2/5 or more. To study is worth it for the able if
    # it makes them managers instead of clerks (6 against 4), never for the others (3 against 4). Nobody studies if a
    # degree makes a manager with probability at most 2/3 (6 * 2/3 = 4), which a belief of 2/5 or less supports.
    "job_market": Classic(
        "Spence, Job market signaling, QJE 87, 1973; Watson, Strategy, chapter 29",
        (
            Equilibrium("the able study", [[1, 0], [0, 1]], [[1, 0], [0, 1]], (F(14, 3), 6), ALL),
            Equilibrium("nobody studies", [[0, 1], [0, 1]], [[0, 1], [0, 1]], (4, 4), ALL),
            Equilibrium(
                "nobody studies, nearly",
                [[0, 1], [0, 1]],
                [[F(2, 3), F(1, 3)], [0, 1]],
                (4, 4),
                ALL,
                {
                    "quasi-perfect": lambda e: (
                        [[4 * e, 1 - 4 * e], [3 * e, 1 - 3 * e]],
                        [[F(2, 3) + e, F(1, 3) - e], [e, 1 - e]],
                    ),
                    "perfect": lambda e: (
                        [[4 * e, 1 - 4 * e], [3 * e, 1 - 3 * e]],
                        [[F(2, 3) + e, F(1, 3) - e], [e, 1 - e]],
                    ),
                },
            ),
        ),
        _among(lambda one, two: _separated(one, two) or _unschooled(one, two), *ALL),
        _paid(ALL, (F(14, 3), 6), (4, 4)),
    ),
}
"""Spec of a game -> what each concept allows there, worked out by hand."""
