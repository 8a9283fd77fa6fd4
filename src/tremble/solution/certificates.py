"""Certificates and refutations as plain data: methods write them here, and the kernel reads them.

Exact numbers are Fractions here, and text in files. Sequence 0 is the empty one; then come information sets by number
and actions in tree order. ``docs/reference/file-formats.md`` explains the fields. The kernel shares nothing with these
functions: whatever they write, it proves or refuses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tremble.game.strategy import TremblingPlan
from tremble.game.tree import GameTree

__all__ = [
    "ANY",
    "BACKWARD_INDUCTION",
    "BASIS",
    "BEST_RESPONSE",
    "BRANCHING",
    "CONSISTENT_TREMBLES",
    "DOMINATED",
    "GUARANTEE",
    "MISTAKES",
    "NO_MISTAKES",
    "POLYNOMIALS",
    "RANKED_PLANS",
    "REPLY",
    "SUBGAME",
    "DominatedRefutation",
    "MistakesRefutation",
    "Plans",
    "Rows",
    "SquareSystem",
    "backward_induction",
    "basis",
    "best_response",
    "consistent_trembles",
    "guarantee",
    "polynomials",
    "ranked_plans",
    "reply",
    "stated_plans",
    "subgame",
]

BACKWARD_INDUCTION = "backward-induction"
BASIS = "basis"
BEST_RESPONSE = "best-response"
BRANCHING = "branching"
CONSISTENT_TREMBLES = "consistent-trembles"
DOMINATED = "dominated"
GUARANTEE = "guarantee"
MISTAKES = "mistakes"
POLYNOMIALS = "polynomials"
RANKED_PLANS = "ranked-plans"
REPLY = "reply"
SUBGAME = "subgame"

_CLAIM = "weights and regrets listed in `zeros` vanish identically"

ANY: Literal["any"] = "any"
"""Stands for trembles of no given form, of both players or of one."""

NO_MISTAKES: Literal["none"] = "none"
"""Stands for the trembles of a player who makes no mistakes."""

Rows = Sequence[Any]
"""A value for each action: [player][information set][action]; ``ANY`` or ``NO_MISTAKES`` may stand for a player's."""

Pair = tuple[Fraction, Fraction]
Plain = dict[str, Any]
Plans = tuple[Any, Any]
"""A plan of each player in powers of an infinitesimal: see :class:`tremble.game.strategy.TremblingPlan`."""


# -- certificates --------------------------------------------------------------------------------------


def best_response(values: Pair, best: Pair) -> Plain:
    """State the expected payoffs and the best-response values of both players.

    Examples
    --------
    >>> v = Fraction(-1, 18)
    >>> best_response((v, -v), (v, -v))
    {'kind': 'best-response', 'nash_conv': Fraction(0, 1), 'best_response_values': [Fraction(-1, 18), Fraction(1, 18)]}
    """
    gains = Fraction(sum(best) - sum(values))
    return {"kind": BEST_RESPONSE, "nash_conv": gains, "best_response_values": list(map(Fraction, best))}


def polynomials(plans: Plans, trembles: Rows | Literal["any"] | None, orders: Rows | None = None) -> Plain:
    """State completely mixed plans, and the weights and orders of the trembles; None if all are 1."""
    return {
        "kind": POLYNOMIALS,
        **_plans(plans),
        "trembles": trembles,
        **({} if orders is None else {"orders": orders}),
    }


def consistent_trembles(trembles: Rows | None, orders: Rows | None) -> Plain:
    """State the weight and the order of each mistake; None if all are 1."""
    return {"kind": CONSISTENT_TREMBLES, "trembles": trembles, "orders": orders}


def ranked_plans(plans: Sequence[Sequence[NDArray[Any]]]) -> Plain:
    """State plans of each player, integer arrays [S], to all of which the strategy of the other is a best reply."""
    x, y = (_coefficients([plan.tolist() for plan in own]) for own in plans)
    return {"kind": RANKED_PLANS, "X": x, "Y": y}


def backward_induction(trembles: Rows | None = None) -> Plain:
    """State the weights of the mistakes in a game of perfect information; None if all are 1."""
    return {"kind": BACKWARD_INDUCTION, "trembles": trembles}


def guarantee(player: int) -> Plain:
    """State the player, 0 or 1, whose guarantee best responses prove.

    Examples
    --------
    >>> guarantee(1)
    {'kind': 'guarantee', 'player': 2}
    """
    return {"kind": GUARANTEE, "player": player + 1}


@dataclass(frozen=True, eq=False)
class SquareSystem:
    """A proof that the square system of a basis is regular."""

    pivots: NDArray[np.int64] | None  # int64[n, 2]: a row and a column of the program, by number; None: in any order
    # Factors of rows whose sum vanishes at 0. Each has a row that no other one has, so they are linearly independent.
    null_vectors: Sequence[tuple[int, Mapping[int, int]]]

    def plain(self) -> Plain:
        """Return the system as plain data."""
        return {
            "pivots": None if self.pivots is None else self.pivots.tolist(),
            "row_operations": [
                {"row": row, "combination": [[r, Fraction(factor)] for r, factor in factors.items()]}
                for row, factors in self.null_vectors
            ],
        }


def basis(
    slack: Sequence[NDArray[np.bool_]],
    plans: Plans,
    point: tuple[Fraction, Sequence[Sequence[int]], Sequence[int]],
    systems: Sequence[SquareSystem],
    zeros: Mapping[str, Sequence[Collection[int]]],
    trembles: tuple[Rows | None, Rows | None],
    error_bits: int | None,
    classes: Sequence[NDArray[np.int64]] | None,
) -> Plain:
    """State a basis of the games in which every action trembles, optimal for every small value of the infinitesimal.

    Parameters
    ----------
    slack : pair of bool[S]
        For each player, the sequences that may rise above their least weight.
    plans : pair of TremblingPlan
        The first coefficients of both plans.
    point : (Fraction, pair of lists of int, pair of int)
        A value of the infinitesimal, and the exact plans there with their denominators.
    systems : list of SquareSystem
        One, or one for each player's plan where the payoffs have no constant sum.
    zeros : mapping
        ``"weights"`` and ``"regrets"`` that are 0 altogether: sequences of each player, ascending.
    trembles : (rows or None, rows or None)
        Weights and orders of the trembles; None if all are 1.
    error_bits : int or None
        The zeros may be wrong with a probability below 2^-error_bits; None says that they are proven.
    classes : pair of int64[S], or None
        The class of each sequence, numbered by first members; None if nothing is merged.
    """
    value, there, denominators = point
    stated = [system.plain() for system in systems]
    weights, orders = trembles
    return {
        "kind": BASIS,
        "basis": [np.flatnonzero(side).tolist() for side in slack],
        **_plans(plans),
        "epsilon": {
            "value": value,
            **dict(zip("XY", _coefficients(there), strict=True)),
            "denominator": list(map(Fraction, denominators)),
        },
        **(stated[0] if len(stated) == 1 else {"systems": stated}),
        "zeros": {name: list(map(list, sides)) for name, sides in zeros.items()},
        "trembles": weights,
        "probabilistic": None if error_bits is None else {"claims": [_CLAIM], "k": error_bits},
        **({} if classes is None else {"classes": [side.tolist() for side in classes]}),
        **({} if orders is None else {"orders": orders}),
    }


def _plans(plans: Plans) -> Plain:
    """Return the fields ``X``, ``Y`` and ``denominator``."""
    x, y = (_coefficients(plan.coefficient.tolist()) for plan in plans)
    return {"X": x, "Y": y, "denominator": [Fraction(plan.denominator) for plan in plans]}


def _coefficients(rows: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """Return integers as Fractions; equal ones are one object, because few of the many numbers differ."""
    known = {value: Fraction(value) for row in rows for value in set(row)}
    return [[known[value] for value in row] for row in rows]


def stated_plans(tree: GameTree, certificate: Mapping[str, Any]) -> tuple[TremblingPlan, TremblingPlan] | None:
    """Read the plans ``X`` and ``Y`` of a certificate from anywhere; return None if it states none of this game."""
    if not {"X", "Y", "denominator"} <= certificate.keys():
        return None
    from tremble.check.claim import Wrong, integer, rows  # loads the kernel; `tremble info` does not need it

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


# -- refutations ---------------------------------------------------------------------------------------


def subgame(concept: str, path: Sequence[str], player: int) -> Plain:
    """State that a player, 0 or 1, gains by deviating in the subgame that begins at a path of action labels."""
    return {"concept": concept, "kind": SUBGAME, "path": list(path), "player": player + 1}


def reply(concept: str, player: int, infoset: int) -> Plain:
    """State that the player does not reply best at an information set, which counts from 0."""
    return {"concept": concept, "kind": REPLY, "player": player + 1, "infoset": infoset + 1}


@dataclass(frozen=True, eq=False)
class DominatedRefutation:
    """A change of a player's plan that never costs anything and sometimes pays."""

    player: int  # 0 or 1: whose strategy is dominated
    deviation: Mapping[int, int]  # by sequence of the player; sequences may be left out where it is 0
    cost: Fraction | None = None  # only the other's mistakes of at most this cost are considered; None: all

    def plain(self, concept: str) -> Plain:
        """Return the refutation of a concept as plain data."""
        stated = {"player": self.player + 1, "deviation": _pairs(self.deviation)}
        return {"concept": concept, "kind": DOMINATED, **stated, **({} if self.cost is None else {"cost": self.cost})}


@dataclass(frozen=True, eq=False)
class MistakesRefutation:
    """Multipliers that prove that some mistakes of a player cannot be made: see ``check/mistakes.py``."""

    player: int  # 0 or 1: whose mistakes; the strategy of the other one is judged
    blocked: list[int]  # sequences of the player that no mistakes reach
    tight: list[int]  # sequences of the other, for "quasi-perfect": unplayed, and their loss is never positive
    deviation: Mapping[int, int]  # w, by sequence of the other
    flow: Mapping[int, int]  # lambda, by information set of the player, from 0; documents count from 1
    ratio: Mapping[int, int]  # mu, by sequence of the player

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


def _pairs(multipliers: Mapping[int, int], *, first: int = 0) -> list[list[Any]]:
    """Return multipliers as pairs of a number and an integer, without those that are 0."""
    return [[int(place) + first, Fraction(m)] for place, m in sorted(multipliers.items()) if m]
