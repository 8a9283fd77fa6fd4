"""The payoffs of a round of an ordered game, for all moves that end the game in that round.

For given moves that end the game, the payoffs are a function of the *outcome* of the deal. The outcome is determined
by the order of the hands' strengths or, if ``game.compares`` is False, by both strengths. The functions for all
sequences of moves span a vector space with few dimensions. In poker, this space has two dimensions, one for folds and
one for showdowns. So to sum payoffs over deals, compute a sum for each basis vector, not for each sequence of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError
from tremble.numbers import exact_numbers
from tremble.poker.definition import OrderedDefinition
from tremble.poker.stage import Line

__all__ = ["RoundPayoffs", "histories", "round_payoffs"]

IntArray = NDArray[np.int64]

_MOST_OUTCOMES = 2**14
_MOST_FOR_BASIS = 64
_BOUND = 2**40  # limit for integer payoffs, so that sums of payoffs times weights of deals fit into 63 bits


@dataclass(frozen=True, eq=False)
class RoundPayoffs:
    """The payoffs at the leaves of a round. A leaf is a node of the round's stage tree where the game ends.

    In the shapes, H is the number of histories of moves in the earlier rounds, E is the number of leaves, O is
    the number of outcomes, and K is the number of rows of ``basis``.
    """

    leaves: tuple[int, ...]  # [E] the nodes of the stage tree where the game ends
    utility: IntArray  # [players, H, E, O] the payoffs in units of 1/denominator
    basis: IntArray  # [K, O] the basis of the payoffs as functions of the outcome
    coefficient: IntArray  # [players, H, E, K] the coefficients, such that utility = coefficient @ basis
    denominator: int
    # The number of each outcome, indexed by 1 + sign(strength of player 1 - strength of player 2). If `values` is set,
    # the index is the position of the first strength in `values` times S, plus the position of the second strength.
    outcome: NDArray[np.int16]
    values: IntArray | None  # [S] all strengths in ascending order, or None if payoffs depend only on their order

    @property
    def num_outcomes(self) -> int:
        """The number of outcomes. Different outcomes have different payoffs."""
        return int(self.basis.shape[1])

    def outcome_of(self, strength1: IntArray, strength2: IntArray) -> NDArray[np.int16]:
        """Return the index of the outcome of each showdown, given the strengths of both players' hands."""
        if self.values is None:
            less, equal, more = self.outcome
            outcomes: NDArray[np.int16] = np.where(
                strength1 < strength2, less, np.where(strength1 > strength2, more, equal)
            )
        else:
            code = np.searchsorted(self.values, strength1) * len(self.values) + np.searchsorted(self.values, strength2)
            outcomes = self.outcome[code]
        return outcomes


def histories(game: OrderedDefinition, number: int) -> list[tuple[Line, ...]]:
    """Return all histories of moves that lead to round ``number``. The moves of the previous round vary fastest."""
    stages = [round_.stage for round_ in game.rounds[:number]]
    return list(product(*([stage.line[leaf] for leaf in stage.going_on] for stage in stages)))


def round_payoffs(
    game: OrderedDefinition, number: int, strength: IntArray | None, hand: Callable[[int], str] = str
) -> RoundPayoffs | None:
    """Return the payoffs at the leaves of a round, or None if the payoffs depend on a missing ``strength``.

    Parameters
    ----------
    game : OrderedDefinition
    number : int
        The number of the round, from 0.
    strength : int array, optional
        The strengths of all hands of the round.
    hand : callable
        A function that returns the text of a hand of a given strength, for error messages.

    Raises
    ------
    GameError
        A payoff decreases when the player's hand gets stronger, or a payoff is not an exact number.
    """
    stage = game.rounds[number].stage
    last = number + 1 == len(game.rounds)
    leaves = tuple(sorted(stage.ending + stage.going_on)) if last else stage.ending
    values = None
    if game.compares or not leaves:
        ranks: Sequence[tuple[int, ...]] = [(0, 1), (0, 0), (1, 0)] if leaves else [(0, 0)]
    elif strength is None:
        return None
    else:
        values = np.unique(strength)
        if len(values) ** 2 > _MOST_OUTCOMES:
            raise GameError(
                f"payoffs depend on pairs of {len(values)} strengths, but at most {_MOST_OUTCOMES} pairs are "
                "supported; give equal strengths to hands with equal payoffs, or set compares=True"
            )
        ranks = [(int(a), int(b)) for a in values for b in values]
    # Compute the payoffs after all moves that end the game.
    lines = [(*before, stage.line[leaf]) for before in histories(game, number) for leaf in leaves]
    paid = []
    for line in lines:
        paid.append([_exact(game, line, rank) for rank in ranks])
        if strength is None and len(set(paid[-1])) > 1:
            return None
    # Merge outcomes whose payoffs are always equal.
    kinds: dict[tuple[Fraction, ...], int] = {}
    column = [tuple(u for pay in paid for u in pay[k]) for k in range(len(ranks))]
    outcome = np.array([kinds.setdefault(entry, len(kinds)) for entry in column], dtype=np.int16)
    if strength is not None and len(kinds) > 1:
        _require_monotone(lines, paid, np.unique(strength) if values is None else values, values is None, hand)
    # Write the payoffs as integers over one denominator, then as combinations of a basis.
    denominator = lcm(*(u.denominator for entry in kinds for u in entry))
    shape = (len(histories(game, number)), len(leaves), game.num_players, len(kinds))
    exact = [[int(u * denominator) for u in entry] for entry in kinds]
    if max((abs(u) for entry in exact for u in entry), default=0) >= _BOUND:
        raise GameError(
            f"payoffs over their common denominator {denominator} need more than 40 bits; use simpler fractions"
        )
    whole = np.array(exact, dtype=np.int64)
    utility = whole.T.reshape(*shape).transpose(2, 0, 1, 3) if leaves else np.zeros((2, shape[0], 0, 1), np.int64)
    basis, coefficient, factor = _factors(utility)
    return RoundPayoffs(leaves, utility * factor, basis, coefficient, denominator * factor, outcome, values)


def _exact(game: OrderedDefinition, line: tuple[Line, ...], rank: tuple[int, ...]) -> tuple[Fraction, ...]:
    where = "the payoff after " + ", ".join("-".join(moves) for moves in line)
    paid = exact_numbers(game.utility(line, rank), where)
    if len(paid) != game.num_players:
        raise GameError(f"{where} needs one number for each of {game.num_players} players, not {len(paid)}")
    return tuple(map(Fraction, paid))


def _require_monotone(
    lines: list[tuple[Line, ...]],
    paid: list[list[tuple[Fraction, ...]]],
    values: IntArray,
    compares: bool,
    hand: Callable[[int], str],
) -> None:
    """Raise ``GameError`` if a player earns less with a stronger hand."""
    size = 3 if compares else len(values)
    for line, pays in zip(lines, paid, strict=True):
        for k in range(size if compares else size * size):
            for player in (0, 1):
                if compares:  # find the next better outcome for `player`
                    better = k + 1 if player == 0 else k - 1
                    rises = 0 <= better < 3
                    low, high = int(values[0]), int(values[-1])
                else:
                    own = k // size if player == 0 else k % size
                    better, rises = k + (size if player == 0 else 1), own + 1 < size
                    low, high = int(values[own]), int(values[min(own + 1, size - 1)])
                if rises and pays[better][player] < pays[k][player]:
                    moves = ", ".join("-".join(part) for part in line)
                    raise GameError(
                        f"the payoffs do not follow the order of the hands: after {moves} player {player + 1} earns "
                        f"{pays[better][player]} with a higher hand and {pays[k][player]} with a lower one (such as "
                        f"{hand(high)} and {hand(low)}); change 'strength' or 'utility'"
                    )


def _factors(utility: IntArray) -> tuple[IntArray, IntArray, int]:
    """Return a basis, integer coefficients and a factor such that ``utility * factor`` is ``coefficients @ basis``."""
    outcomes = utility.shape[-1]
    rows = np.unique(utility.reshape(-1, outcomes), axis=0)
    if outcomes > _MOST_FOR_BASIS:
        return np.eye(outcomes, dtype=np.int64), utility, 1
    basis: list[list[int]] = []
    reduced: list[tuple[int, list[Fraction], list[Fraction]]] = []  # pivot, row, coefficients of the row in the basis
    for row in rows.tolist():
        rest, combination = _reduce([Fraction(u) for u in row], reduced, len(basis))
        pivot = next((k for k, u in enumerate(rest) if u), None)
        if pivot is not None:
            content = gcd(*row)
            basis.append([u // content for u in row])
            combination = [-c / content for c in combination] + [Fraction(1)]
            rest = [u / content for u in rest]
            scale = rest[pivot]
            reduced.append((pivot, [u / scale for u in rest], [c / scale for c in combination]))
    if len(basis) == outcomes:
        return np.eye(outcomes, dtype=np.int64), utility, 1
    combinations = {tuple(row): _reduce([Fraction(u) for u in row], reduced, len(basis))[1] for row in rows.tolist()}
    factor = lcm(*(c.denominator for combination in combinations.values() for c in combination))
    flat = [[int(c * factor) for c in combinations[tuple(row)]] for row in utility.reshape(-1, outcomes).tolist()]
    if max([factor * int(np.abs(utility).max(initial=0)), *(abs(c) for row in flat for c in row)]) >= _BOUND:
        return np.eye(outcomes, dtype=np.int64), utility, 1
    coefficient = np.array(flat, dtype=np.int64).reshape(*utility.shape[:-1], len(basis))
    return np.array(basis, dtype=np.int64).reshape(len(basis), outcomes), coefficient, factor


def _reduce(
    row: list[Fraction], reduced: list[tuple[int, list[Fraction], list[Fraction]]], size: int
) -> tuple[list[Fraction], list[Fraction]]:
    """Subtract basis vectors from ``row`` until its entries at all pivots are 0; return the row and the factors."""
    combination = [Fraction(0)] * size
    for pivot, other, made_of in reduced:
        share = row[pivot]
        if share:
            row = [u - share * v for u, v in zip(row, other, strict=True)]
            for k, c in enumerate(made_of):
                combination[k] += share * c
    return row, combination
