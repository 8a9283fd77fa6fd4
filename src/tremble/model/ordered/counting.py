"""Sizes of the tree of an ordered game at the level of single signals, without building it."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tremble.model.ordered.game import OrderedGame

__all__ = ["counts_of"]


def counts_of(game: OrderedGame) -> dict[str, Any]:
    """Sizes of the tree, in the form of ``tremble info``; None is the value of what is not known.

    Every line of moves can follow every deal. So histories, information sets and sequences are products: of how many
    deals there are (for a player: how many that it can tell apart) and of the sizes of the stage trees.

    Examples
    --------
    >>> from tremble.games.rhode_island import RhodeIsland
    >>> counts_of(RhodeIsland())["sequences"]
    [65160161, 65160161]
    """
    players = range(game.num_players)
    chance, leaves, depth, most_depth, lines = 0, 0, 0, 0, 1
    moves, sequences = [0 for _ in players], [1 for _ in players]
    sets = [0 for _ in players]
    deals, left = 1, len(game.signals)
    ranged = _first_hands(game)
    seen: list[int] | None = [1 for _ in players]  # own nodes of each player
    hidden = [left for _ in players]  # signals that a player has not seen
    for number, round_ in enumerate(game.rounds):
        stage, first = round_.stage, number == 0
        if round_.public:
            chance, depth = chance + deals * lines, depth + 1
            deals = ranged[2] if ranged and first else deals * comb(left, round_.public)
            left -= round_.public
            seen = seen and [own * comb(n, round_.public) for own, n in zip(seen, hidden, strict=True)]
            hidden = [n - round_.public for n in hidden]
        for player in players if round_.private else ():
            chance, depth = chance + deals * lines, depth + 1
            deals = ranged[0][player] if ranged and first else deals * comb(left, round_.private)
            left -= round_.private
        if round_.private:
            seen = seen and [own * comb(n, round_.private) for own, n in zip(seen, hidden, strict=True)]
            hidden = [n - round_.private for n in hidden]
        if ranged and first:
            seen = ranged[1]
        elif ranged and (round_.public or round_.private):
            seen = None  # what the others can still hold would have to be looked at
        last = number + 1 == len(game.rounds)
        ending = stage.ending + stage.going_on if last else stage.ending
        for player in players:
            side = stage.side(player)
            moves[player] += deals * lines * len(side.nodes)
            if seen is not None:
                sets[player] += seen[player] * lines * len(side.nodes)
                sequences[player] += seen[player] * lines * (side.num_sequences - 1)
        leaves += deals * lines * len(ending)
        most_depth = max([most_depth, *(depth + len(stage.line[leaf]) for leaf in ending)])
        depth += max((len(stage.line[leaf]) for leaf in stage.going_on), default=0)
        lines *= len(stage.going_on)
    return {
        "nodes": {"chance": chance, "player": moves, "terminal": leaves},
        "information_sets": None if seen is None else sets,
        "sequences": None if seen is None else sequences,
        "recall": ["perfect" for _ in players],
        "max_depth": most_depth,
        **_sums(game),
    }


def _first_hands(game: OrderedGame) -> tuple[list[int], list[int], int] | None:
    """With ranges, in the first round: deals to players 1, 1 and 2, ...; own nodes of each; public states."""
    ranges, first = game.ranges, game.rounds[0]
    if ranges is None or not first.private:
        return None
    dealt, own, states = [0] * len(ranges), [0] * len(ranges), 0
    held = [[sum(1 << s for s in hand) for hand, weight in range_.items() if weight] for range_ in ranges]
    for public in combinations(range(len(game.signals)), first.public):
        shown = sum(1 << s for s in public)
        hands = [[hand for hand in masks if not hand & shown] for masks in held]
        full: list[tuple[tuple[int, ...], int]] = [((), 0)]
        for masks in hands:
            full = [((*deal, hand), used | hand) for deal, used in full for hand in masks if not used & hand]
        states += bool(full)
        for player in range(len(ranges)):
            dealt[player] += len({deal[: player + 1] for deal, _ in full})
            own[player] += len({deal[player] for deal, _ in full})
    return dealt, own, states


def _sums(game: OrderedGame) -> dict[str, Any]:
    """Whether the payoffs have a constant sum, as far as the ends tell whatever the hands."""
    if not game.compares or game.num_players != 2:
        return {"zero_sum": None, "constant_sum": None}
    before: list[tuple[tuple[str, ...], ...]] = [()]
    sums: set[Fraction] = set()
    certain: set[Fraction] = set()
    for number, round_ in enumerate(game.rounds):
        stage = round_.stage
        ending = stage.ending + stage.going_on if number + 1 == len(game.rounds) else stage.ending
        for lines in before:
            for leaf in ending:
                moves = (*lines, stage.line[leaf])
                paid = {sum(map(Fraction, game.utility(moves, rank)), Fraction(0)) for rank in ((0, 1), (0, 0), (1, 0))}
                sums |= paid
                if len(paid) == 1:
                    certain |= paid
        before = [(*lines, stage.line[leaf]) for lines in before for leaf in stage.going_on]
    if len(certain) > 1:
        return {"zero_sum": False, "constant_sum": False}
    constant = len(sums) == 1
    return {"zero_sum": sums == {0} if constant else None, "constant_sum": True if constant else None}
