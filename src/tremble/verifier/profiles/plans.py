"""Whether stated strategies are one realization plan or different ones: exact, whatever stands where they never come.

A realization plan says how likely each sequence of own moves is. It is what a strategy amounts to, whatever the other
players and chance do: two strategies are one plan if and only if they play alike at every information set that the one
(then also the other) lets happen. Players have perfect recall here.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import gcd

import numpy as np

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.game.table import StrategyTable
from tremble.numbers import key_of
from tremble.poker.strategy import OrderedStrategy
from tremble.verifier.budget import budget, listening
from tremble.verifier.profiles.nature import Nature
from tremble.verifier.profiles.ordered import can_be_dealt
from tremble.verifier.profiles.ordered_deals import Deal
from tremble.verifier.profiles.rows import StatedPlay
from tremble.verifier.profiles.search import Reporter
from tremble.verifier.profiles.tree import Sequences

__all__ = ["played_differently", "rows_as_stated", "rows_where_it_comes", "weights_by_hand"]


def rows_where_it_comes(own: Sequences, table: StrategyTable) -> Hashable:
    """What determines the plan of a strategy of a tree, without faults: its rows at the sets that it lets happen.

    Examples
    --------
    >>> import tremble
    >>> from tremble.verifier.profiles.tree import sequences_of
    >>> tree = tremble.load("safe_or_risky")  # player 1 may stop before its second set
    >>> own = sequences_of(tree, 0)
    >>> def of(*rows):
    ...     return StrategyTable.of(tremble.BehaviorStrategy.from_rows(tree, 0, rows))
    >>> stops = [rows_where_it_comes(own, of((1, 0), later)) for later in ((1, 0), (0, 1))]
    >>> goes_on = [rows_where_it_comes(own, of((0, 1), later)) for later in ((1, 0), (0, 1))]
    >>> stops[0] == stops[1], goes_on[0] == goes_on[1]
    (True, False)
    """
    share, whole = table.numerator.tolist(), table.denominator.tolist()
    comes = [False] * own.num_sequences
    comes[0] = True
    rows = []
    for k, prior, first, end in listening(own.sets):
        if comes[prior]:
            row = share[first - 1 : end - 1]
            comes[first:end] = [p != 0 for p in row]
            rows.append((k, *_lowest(row, whole[k])))
    return tuple(rows)


def rows_as_stated(table: StrategyTable) -> Hashable:
    """All rows, also where the strategy never comes."""
    return tuple(_lowest(row, whole) for row, whole in listening(table.integers()))


def _lowest(row: list[int], whole: int) -> tuple[int | str, ...]:
    """A distribution in lowest terms, to be looked up: its denominator, then its numerators."""
    long = whole.bit_length()
    budget().quotient(long, long, 2 * (1 + len(row)))
    common = gcd(whole, *row)
    return key_of(whole // common), *(key_of(p // common) for p in row)


def played_differently(
    game: UnbuiltGame,
    played: tuple[UnbuiltStrategy, UnbuiltStrategy],
    compared: tuple[UnbuiltStrategy, UnbuiltStrategy],
) -> tuple[bool, bool]:
    """Whether the play of ``played`` comes to a set of each player at which the strategies ``compared`` do otherwise.

    The first such set on the way is one that both strategies of the player let happen, so that their plans are
    different. That there is none proves nothing: they may differ where the opponents do not let play come.

    Raises
    ------
    CertificateError
        ``compared`` states a row that lists other actions than the rules, or has no default.
    """
    rules, nature = game.rules, Nature(game.rules)
    one = StatedPlay(rules, played[0]), StatedPlay(rules, played[1])
    two = StatedPlay(rules, compared[0]), StatedPlay(rules, compared[1])
    different = [False, False]
    report = Reporter("histories of two strategies that are compared")
    stack, seen = [rules.root()], 0
    while stack and not all(different):
        seen += 1
        if seen % Reporter.every == 0:
            report(seen)
        h = stack.pop()
        mover = rules.player(h)
        if mover == TERMINAL:
            continue
        if mover == CHANCE:
            moves = nature.odds(h)
        else:
            key = rules.infoset(h)
            moves = (one[mover].decisions.get(key) or one[mover].decide(h, key))[2]
            if not different[mover]:
                other = two[mover].decisions.get(key) or two[mover].decide(h, key)
                default = two[mover].default
                if other[3] and default is not None and default(h) != other[1]:
                    raise two[mover].two_faced(key)
                different[mover] = moves != other[2]
        stack.extend(rules.child(h, i) for i, _, _ in moves)
    return different[0], different[1]


def weights_by_hand(deal: Deal, strategy: OrderedStrategy) -> Hashable:
    """What determines the plan of a strategy by classes, without faults: the weights of each hand that can be dealt.

    Different weights, numbered by the first hand that has them, and the number of each hand.
    """
    rounds = []
    for dealt, classes, weight in zip(deal.rounds, strategy.class_of, strategy.weight, strict=True):
        budget().work_through(weight.size)
        rows = [_lowest(row.ravel().tolist(), strategy.denominator) for row in listening(weight)]
        of_hand = np.array(plan_numbers(rows))[classes[can_be_dealt(dealt, strategy.player)]]
        different = list(dict.fromkeys(rows))
        present, first, of_hand = np.unique(of_hand, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rounds.append((tuple(different[n] for n in present[order].tolist()), np.argsort(order)[of_hand].tobytes()))
    return tuple(rounds)


def plan_numbers(plans: Sequence[Hashable]) -> list[int]:
    """Number plans from 0 in the order in which they come: equal ones get equal numbers.

    Examples
    --------
    >>> plan_numbers(["a", "b", "a"])
    [0, 1, 0]
    """
    number_of: dict[Hashable, int] = {}
    return [number_of.setdefault(plan, len(number_of)) for plan in plans]
