"""The sizes of the game tree of an ordered game with two players, computed without building the tree.

In this tree, each public deal and each deal to one player is a separate move of chance.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from tremble.numbers import exact_number, exact_numbers
from tremble.poker.definition import OrderedDefinition
from tremble.poker.payoffs import histories
from tremble.poker.soundness import require_sound

__all__ = ["counts"]


def counts(game: OrderedDefinition) -> dict[str, Any]:
    """Return the sizes of a game's tree, with the same keys as the JSON output of ``tremble info``.

    The result is empty if the sizes are unknown. The sizes are unknown in three cases:

    * The number of players is not two.
    * The game has ranges and more than one round.
    * The game has ranges and a public signal in the first round.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> counts(RhodeIsland())["sequences"]
    [65160161, 65160161]
    """
    require_sound(game)
    rounds = game.rounds
    if game.num_players != 2 or (game.ranges is not None and (len(rounds) > 1 or rounds[0].public)):
        return {}
    chance, terminal, player, sets, sequences = 0, 0, [0, 0], [0, 0], [1, 1]
    lines, ways, left, depth, deepest = 1, 1, len(game.signals), 0, 0
    own, own_left = [1, 1], len(game.signals)
    dealt = None if game.ranges is None else _dealt(game)
    for number, round_ in enumerate(rounds):
        stage = round_.stage
        for who, size in enumerate((round_.public, round_.private, round_.private)):
            if not size:
                continue
            chance += lines * ways
            ways *= comb(left, size)
            left -= size
            depth += 1
            if who and dealt is not None:
                ways = dealt[who - 1]
        own_ways = comb(own_left, round_.public) * comb(own_left - round_.public, round_.private)
        own_left -= round_.public + round_.private
        own = [count * own_ways for count in own] if dealt is None else [*dealt[2:]]
        ends = stage.ending + (stage.going_on if number + 1 == len(rounds) else ())
        terminal += lines * ways * len(ends)
        for mover in (0, 1):
            side = stage.side(mover)
            player[mover] += lines * ways * len(side.nodes)
            sets[mover] += lines * own[mover] * len(side.nodes)
            sequences[mover] += lines * own[mover] * (side.num_sequences - 1)
        deepest = max([deepest, *(depth + len(stage.line[leaf]) for leaf in ends)])
        depth += max((len(stage.line[leaf]) for leaf in stage.going_on), default=0)
        lines *= len(stage.going_on)
    sizes = {
        "recall": ["perfect", "perfect"],
        "nodes": {"chance": chance, "player": player, "terminal": terminal},
        "information_sets": sets,
        "sequences": sequences,
        "max_depth": deepest,
    }
    sums = _sums(game)
    # If there are multiple sums, the sum may still be constant, because some sums may belong to impossible deals.
    if sums is not None and len(sums) == 1:
        sizes |= {"zero_sum": sums == {0}, "constant_sum": True}
    return sizes


def _dealt(game: OrderedDefinition) -> tuple[int, int, int, int]:
    """Count the possible deals and the hands that can be dealt, for a game with ranges.

    Returns
    -------
    tuple of 4 int
        The number of deals to player 1, the number of deals to both players, the number of player 1's hands that can be
        dealt, and the number of player 2's hands that can be dealt. The first and the third number are equal.
    """
    assert game.ranges is not None
    hands1, hands2 = (
        [frozenset(hand) for hand, weight in range_.items() if exact_number(weight, "weight")] for range_ in game.ranges
    )
    meets = [sum(hand.isdisjoint(other) for other in hands2) for hand in hands1]
    held = sum(any(hand.isdisjoint(other) for other in hands1) for hand in hands2)
    dealt = sum(count > 0 for count in meets)
    return dealt, sum(meets), dealt, held


def _sums(game: OrderedDefinition) -> set[Fraction | int] | None:
    """Return all sums of the two players' payoffs at leaves, or None if too many pairs of strengths are possible."""
    if not game.compares:
        if len(game.rounds) > 1 or game.rounds[0].public or game.rounds[0].private != 1:
            return None
        values = sorted({game.strength((), (signal,)) for signal in range(len(game.signals))})
        orders = list(product(values, repeat=2))
    else:
        orders = [(0, 0), (0, 1), (1, 0)]
    sums: set[Fraction | int] = set()
    for number, round_ in enumerate(game.rounds):
        ends = round_.stage.ending + (round_.stage.going_on if number + 1 == len(game.rounds) else ())
        for before in histories(game, number):
            for leaf in ends:
                lines = (*before, round_.stage.line[leaf])
                sums |= {sum(exact_numbers(game.utility(lines, ranks), "payoff")) for ranks in orders}
    return sums
