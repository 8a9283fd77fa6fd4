"""Convert refutations and basis certificates (:mod:`tremble.check.basis`) to plain data, and read stated plans."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.tree import GameTree
from tremble.solution.certificates import BASIS, DOMINATED, MISTAKES
from tremble.solution.trembling_plan import Plain, Plans, Rows, TremblingPlan, coefficients, plan_entries

__all__ = ["DominatedRefutation", "MistakesRefutation", "SquareSystem", "basis_of_program", "stated_plans"]


@dataclass(frozen=True, eq=False)
class SquareSystem:
    """A proof that the square matrix of a basis is nonsingular for every small epsilon > 0."""

    pivots: NDArray[np.int64] | None  # int64[n, 2]: (row, column) in the order of elimination; None: the kernel chooses
    # Linear combinations of rows (row -> factor) that are 0 at epsilon = 0, each with a row that no other combination
    # has. So the combinations are linearly independent.
    null_vectors: Sequence[tuple[int, Mapping[int, int]]]

    def plain(self) -> Plain:
        """Return the proof as plain data."""
        return {
            "pivots": None if self.pivots is None else self.pivots.tolist(),
            "row_operations": [
                {"row": row, "combination": [[r, Fraction(factor)] for r, factor in factors.items()]}
                for row, factors in self.null_vectors
            ],
        }


def basis_of_program(
    slack: Sequence[NDArray[np.bool_]],
    plans: Plans,
    point: tuple[Fraction, Sequence[Sequence[int]], Sequence[int]],
    systems: Sequence[SquareSystem],
    zeros: Mapping[str, Sequence[Collection[int]]],
    trembles: tuple[Rows | None, Rows | None],
    error_bits: int | None,
    classes: Sequence[NDArray[np.int64]] | None,
) -> Plain:
    """Return the certificate of a basis that is optimal in all perturbed games with small values of the infinitesimal.

    In a perturbed game, every action has a least probability, its tremble.

    Parameters
    ----------
    slack : pair of bool[S]
        For each player, the basis: True for each sequence that may have more than its least weight.
    plans : pair of TremblingPlan
        The first coefficients of both players' plans as power series of the infinitesimal.
    point : (Fraction, pair of lists of int, pair of int)
        A value of the infinitesimal, both plans at this value as integers, and the denominators of both plans.
    systems : list of SquareSystem
        One proof for both plans, or one proof for each player's plan.
    zeros : mapping
        ``"weights"`` and ``"regrets"`` -> for each player, the sorted sequences whose weight, or regret, is always 0.
    trembles : (rows or None, rows or None)
        The weights of the trembles, and the orders of the trembles. None means that all weights, or all orders, are 1.
    error_bits : int or None
        The zeros were tested, and are wrong with a probability below 2^-error_bits. None: the zeros are proven.
    classes : pair of int64[S], or None
        Class of each sequence, numbered by first appearance. Merged sequences share a class. None: no merging.
    """
    value, there, denominators = point
    stated = [system.plain() for system in systems]
    weights, orders = trembles
    return {
        "kind": BASIS,
        "basis": [np.flatnonzero(side).tolist() for side in slack],
        **plan_entries(plans),
        "epsilon": {
            "value": value,
            **dict(zip("XY", coefficients(there), strict=True)),
            "denominator": list(map(Fraction, denominators)),
        },
        **(stated[0] if len(stated) == 1 else {"systems": stated}),
        "zeros": {name: list(map(list, sides)) for name, sides in zeros.items()},
        "trembles": weights,
        "probabilistic": None if error_bits is None else {"claims": [_CLAIM], "k": error_bits},
        **({} if classes is None else {"classes": [side.tolist() for side in classes]}),
        **({} if orders is None else {"orders": orders}),
    }


def stated_plans(tree: GameTree, certificate: Mapping[str, Any]) -> tuple[TremblingPlan, TremblingPlan] | None:
    """Return the plans ``X`` and ``Y`` of an unchecked certificate, or None if they are not completely mixed plans."""
    if not {"X", "Y", "denominator"} <= certificate.keys():
        return None
    from tremble.check.claim import Wrong, integer, rows  # loads the kernel, which `tremble info` does not need

    try:
        denominators = rows([certificate["denominator"]], [2], "certificate.denominator")
        plans = []
        for player, name in enumerate("XY"):
            size, degrees = 1 + tree.num_slots[player], len(certificate[name])
            numbers = [integer(value, name) for value in rows(certificate[name], [size] * degrees, name)]
            coefficient = np.array(numbers, dtype=object).reshape(degrees, size)
            plans.append(TremblingPlan(player, coefficient, integer(denominators[player], "denominator")))
    except (TypeError, Wrong):
        return None
    if any(plan.denominator <= 0 or not (plan.coefficient != 0).any(axis=0).all() for plan in plans):
        return None  # not completely mixed
    return plans[0], plans[1]


@dataclass(frozen=True, eq=False)
class DominatedRefutation:
    """A proof that a strategy is weakly dominated: a deviation that never lowers the payoff and sometimes raises it."""

    player: int  # 0 or 1: the player whose strategy is dominated
    deviation: Mapping[int, int]  # sequence of the player -> change of its weight; zeros may be left out
    cost: Fraction | None = None  # the proof covers mistakes of the opponent that cost at most this; None: all

    def plain(self, concept: str) -> Plain:
        """Return the refutation of a concept as plain data."""
        stated = {"player": self.player + 1, "deviation": _pairs(self.deviation)}
        return {"concept": concept, "kind": DOMINATED, **stated, **({} if self.cost is None else {"cost": self.cost})}


@dataclass(frozen=True, eq=False)
class MistakesRefutation:
    """A proof that no mistakes of a player make the other player's strategy optimal. See ``check/mistakes.py``."""

    player: int  # 0 or 1: the player who makes mistakes; the refutation is about the strategy of the other player
    blocked: list[int]  # sequences of the player: the proof shows that mistakes give them no weight
    tight: list[int]  # for "quasi-perfect": unplayed sequences of the other player with a positive deviation
    deviation: Mapping[int, int]  # multipliers w, by sequence of the other player
    flow: Mapping[int, int]  # multipliers lambda, by information set of the player, from 0 (from 1 in documents)
    ratio: Mapping[int, int]  # multipliers mu, by sequence of the player

    def plain(self, concept: str) -> Plain:
        """Return the refutation of a concept as plain data."""
        return {
            "concept": concept,
            "kind": MISTAKES,
            "player": self.player + 1,
            "blocked": list(map(int, self.blocked)),
            "tight": list(map(int, self.tight)),
            "deviation": _pairs(self.deviation),
            "flow": _pairs(self.flow, first=1),
            "ratio": _pairs(self.ratio),
        }


_CLAIM = "weights and regrets listed in `zeros` vanish identically"


def _pairs(multipliers: Mapping[int, int], *, first: int = 0) -> list[list[Any]]:
    """Return the nonzero multipliers as sorted pairs [index, multiplier]. Indices count from ``first``."""
    return [[int(place) + first, Fraction(m)] for place, m in sorted(multipliers.items()) if m]
