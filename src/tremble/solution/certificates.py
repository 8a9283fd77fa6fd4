"""Names of the kinds of certificates and refutations, and functions that build the simple kinds as plain data.

Exact numbers are ``Fraction`` in plain data, and text in files. Sequence 0 is empty. The other sequences are sorted by
information set, then by action in tree order. ``docs/reference/file-formats.md`` explains the fields. The kernel
(:mod:`tremble.check`) shares no code with these functions, and proves or refuses all that they return.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from numpy.typing import NDArray

from tremble.solution.trembling_plan import Plain, Rows, coefficients

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
    "RANKED_PLANS",
    "REPLY",
    "SUBGAME",
    "backward_induction",
    "best_response",
    "consistent_trembles",
    "guarantee",
    "ranked_plans",
    "reply",
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
RANKED_PLANS = "ranked-plans"
REPLY = "reply"
SUBGAME = "subgame"


ANY: Literal["any"] = "any"
"""The value that replaces one player's trembles, or both players' trembles, if any vanishing trembles are allowed."""

NO_MISTAKES: Literal["none"] = "none"
"""The value that replaces the trembles of a player who makes no mistakes."""


Pair = tuple[Fraction, Fraction]


# -- certificates --------------------------------------------------------------------------------------


def best_response(values: Pair, best: Pair) -> Plain:
    """Return the certificate with ``best``, the players' best-response values, and NashConv: sum(best) - sum(values).

    Examples
    --------
    >>> v = Fraction(-1, 18)
    >>> best_response((v, -v), (v, -v))
    {'kind': 'best-response', 'nash_conv': Fraction(0, 1), 'best_response_values': [Fraction(-1, 18), Fraction(1, 18)]}
    """
    gains = Fraction(sum(best) - sum(values))
    return {"kind": BEST_RESPONSE, "nash_conv": gains, "best_response_values": list(map(Fraction, best))}


def consistent_trembles(trembles: Rows | None, orders: Rows | None) -> Plain:
    """Return the certificate with the weights (``trembles``) and ``orders`` of mistakes; None means that all are 1."""
    return {"kind": CONSISTENT_TREMBLES, "trembles": trembles, "orders": orders}


def ranked_plans(plans: Sequence[Sequence[NDArray[Any]]]) -> Plain:
    """Return the certificate of a proper equilibrium. ``plans`` contains a list of plans, int[S], for each player."""
    x, y = (coefficients([plan.tolist() for plan in own]) for own in plans)
    return {"kind": RANKED_PLANS, "X": x, "Y": y}


def backward_induction(trembles: Rows | None = None) -> Plain:
    """Return the certificate for a game of perfect information. Without ``trembles``, all weights are 1."""
    return {"kind": BACKWARD_INDUCTION, "trembles": trembles}


def guarantee(player: int) -> Plain:
    """Return the certificate for a guaranteed payoff of ``player`` (0 or 1), proven by the opponent's best response.

    Examples
    --------
    >>> guarantee(1)
    {'kind': 'guarantee', 'player': 2}
    """
    return {"kind": GUARANTEE, "player": player + 1}


# -- refutations ---------------------------------------------------------------------------------------


def subgame(concept: str, path: Sequence[str], player: int) -> Plain:
    """Return a refutation: after the action labels ``path``, ``player`` (0 or 1) gains by deviating in the subgame."""
    return {"concept": concept, "kind": SUBGAME, "path": list(path), "player": player + 1}


def reply(concept: str, player: int, infoset: int) -> Plain:
    """Return the refutation that says: this player does not play a best reply at the set with index ``infoset``."""
    return {"concept": concept, "kind": REPLY, "player": player + 1, "infoset": infoset + 1}
