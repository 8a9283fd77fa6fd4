"""Published or hand-checked facts about the built-in games, with where they come from.

``Counts`` are (chance nodes, terminal nodes, nodes of players 1 and 2, information sets of players 1 and 2,
sequences of players 1 and 2), sequences with the empty one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Counts(NamedTuple):
    chance: int
    terminal: int
    nodes1: int
    nodes2: int
    infosets1: int
    infosets2: int
    sequences1: int
    sequences2: int


# Kuhn 1950. Leduc and Goofspiel: Farina, Gatti & Sandholm, "Practical exact algorithm for trembling-hand equilibrium
# refinements in games" (NeurIPS 2018), which calls them K, SL, L3, L5, L8, L9, G3, G4, G*3, G*4; ranks=13 by
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
    "liars_dice": Counts(7, 147420, 73728, 73728, 12288, 12288, 24571, 24571),
    # by hand, from the drawings in GAMES.md
    "guess_the_ace": Counts(1, 6, 2, 2, 1, 1, 3, 3),
    "guess_the_ace:gift=true": Counts(1, 10, 6, 2, 3, 1, 7, 3),
    "safe_or_risky": Counts(0, 3, 2, 0, 2, 0, 5, 1),
    "dare_or_decline": Counts(0, 9, 3, 5, 2, 2, 5, 5),
    "a_loss_counterexample": Counts(0, 6, 3, 2, 2, 2, 5, 5),
    "double_oracle_example": Counts(0, 8, 5, 2, 4, 1, 9, 3),
    "matching_pennies": Counts(0, 4, 1, 2, 1, 1, 3, 3),
}

# Nodes in all, and sequences of each player. Miltersen & Sørensen 2006 for kuhn_raise. Generic poker: Bošanský,
# Kiekintveld, Lisý & Pěchouček, "An exact double-oracle algorithm for zero-sum extensive-form games with imperfect
# information", JAIR 51 (2014): R4, T5 and B4 there; the others by independent code.
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

# Values for player 1. Kuhn 1950; the rest published in the papers above to the digits shown, or obvious.
VALUES: dict[str, Fraction] = {
    "kuhn": Fraction(-1, 18),
    "matching_pennies": Fraction(0),
    "goofspiel": Fraction(0),
    "goofspiel:order=increasing": Fraction(0),
    "guess_the_ace": Fraction(0),
    "guess_the_ace:gift=true": Fraction(0),
    "safe_or_risky": Fraction(0),
    "dare_or_decline": Fraction(0),
}

VALUES_FLOAT: dict[str, float] = {
    "leduc": -0.0856064241,
    "poker": -0.0856064241,
    "poker:bets=2,raises=2": -0.0970449613,
    "poker:bets=2,raises=4": -0.0970528346,
    "poker:bets=2,each=3,raises=4,types=4": -0.0996318284,
}

# All payoffs of player 1 in leaf order: the procedure of random_tree is public, so they must never change.
RANDOM_PAYOFFS: dict[str, list[int]] = {
    "random_tree:branching=2,depth=2,seed=7": [-4, 2, 1, -3],
    "random_tree:branching=2,chance=true,depth=3,seed=7": [-4, -3, -2, 2, -6, -9, 0, -2],
    "random_tree:branching=2,depth=2,seed=7,sum=general,utilities=iid": [0, -6, 2, -1],
}


class SearchGame(NamedTuple):
    nodes: int
    sequences1: int
    sequences2: int
    value: Fraction | None = None


# Bošanský et al. 2014 (JAIR 51) too: the graphs G1, G2, G3 with and without slow moves; graph 1 with seven turns is
# published in full, the other rows by independent code.
BORDER_PATROL: dict[str, SearchGame] = {
    "border_patrol:depth=5": SearchGame(160_838, 408, 10_283, Fraction(-1, 3)),
    "border_patrol:depth=6": SearchGame(863_126, 797, 55_371),
    "border_patrol": SearchGame(4_392_198, 1_463, 273_099, Fraction(-1, 3)),
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
    "phantom_ttt": SearchGame(19_934_533_171, 6_384_802, 5_772_466, Fraction(2, 3)),
    "phantom_ttt:forced_wins=true": SearchGame(1_005_187_783, 877_458, 1_615_906, Fraction(2, 3)),
}
