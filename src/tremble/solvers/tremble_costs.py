r"""Estimate the cost of exact arithmetic with given mistakes before the work begins.

Mistakes with high orders and long weights fit in a small file, but they lead to long numbers:

* For ``perfect``, the matrix contains the mistakes, and an exact basis is computed at
  :math:`\varepsilon = 2^{-16}` or less. There, a mistake of order k with a weight of b bits has 16 k + b bits. The
  determinant has as many bits as all mistakes together.
* For the other concepts, the matrix contains no mistakes, and the solution is a polynomial. Its coefficient of order k
  has about as many bits as the longest product of weights along a path whose orders sum to k.

In both cases, the *volume* is the sum of these bits times the number n of sequences in the game. The volume is the size
of one exact solution, and it predicts the time. Complementary pivots for games without a constant sum take longer. The
table has processor seconds for random orders and weights:

=====================================  ===============  ===========  =======
game, concept                          mistakes              volume  seconds
=====================================  ===============  ===========  =======
kuhn, perfect                          orders to 1,000    9,135,984        2
kuhn:cards=12, perfect                 orders to 1,000  150,085,824        9
kuhn:cards=20, perfect                 orders to 300    124,441,920       22
leduc, perfect                         orders to 15     109,155,648        6
leduc, perfect                         orders to 20     145,389,888        7
leduc, perfect                         orders to 30     217,858,368       29
goofspiel:cards=3, quasi-perfect       1,000 bits         8,016,000        4
leduc, quasi-perfect                   1,000 bits        13,478,652        5
leduc, quasi-perfect                   2,000 bits        26,959,326       11
leduc, quasi-perfect                   3,000 bits        40,439,326       17
centipede:length=20, perfect           orders to 100      2,600,000        3
centipede:length=20, perfect           orders to 300      7,800,000       10
centipede:length=20, perfect           orders to 1,000   26,021,520      >32
=====================================  ===============  ===========  =======

For ``perfect``, one long weight among short ones takes longer than its bits suggest. Trembles are at most 1, so all
actions tremble with :math:`\varepsilon \le 2^{-b}`, where the heaviest weight has b bits. If k is the highest order,
the time grows with the square of :math:`k b n^{3/2}`. The table has processor seconds for one heavy weight:

============  ============  =================  =========
game          weight        k b n^(3/2)        seconds
============  ============  =================  =========
kuhn:cards=6  3^10,000              5,600,000        1.4
kuhn          3^50,000             10,500,000        6.4
leduc         3^600                16,600,000        7.9
kuhn          3^100,000            21,000,000       23
leduc         3^900                25,000,000  above 100
============  ============  =================  =========
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.game.sequence_form import SequenceForm
from tremble.game.tree import GameTree
from tremble.solution.concepts import CONCEPTS
from tremble.solution.trembles import Trembles
from tremble.words import for_reader

__all__ = ["require_affordable"]

_MOST_IN_MATRIX = 220_000_000  # bits; 218,000,000 bits take 29 s, and the time grows faster than the volume
_MOST_GENERAL_SUM = 20_000_000  # bits without a constant sum; 7,800,000 took 10 s, and 26,000,000 more than 32 s
_MOST_IN_PLANS = 60_000_000  # bits; 40,000,000 took 17 s, and the time is about linear
_MOST_HEAVY = 17_000_000  # greatest k b n^(3/2)
_BITS = 16  # an exact basis is computed at a tremble of 2^-16
_DIGITS = 0.30103  # decimal digits per bit


def require_affordable(tree: GameTree, trembles: Trembles, concept: str) -> None:
    """Raise ``TooLargeError`` if exact arithmetic with ``trembles`` would take much longer than 20 seconds.

    Examples
    --------
    >>> import tremble
    >>> leduc = tremble.load("leduc")
    >>> rows = [[[1] * len(row) for row in side] for side in leduc.actions]
    >>> orders = [[[1000] * len(row) for row in side] for side in leduc.actions]
    >>> require_affordable(leduc, Trembles.from_rows(leduc, rows, orders=orders), "perfect")
    Traceback (most recent call last):
    tremble.errors.TooLargeError: mistakes of orders up to 1,000, with weights of up to 1 digits, make exact solutions \
of about 2,181,654,999 digits in this game. Solutions of more than 66,226,601 digits take minutes or hours: choose \
lower orders or shorter weights, or try for some seconds with time_limit=
    """
    if trembles.is_uniform:
        return
    form = SequenceForm.of(tree)
    bits = [np.array([int(w).bit_length() for w in side.tolist()], dtype=np.int64) for side in trembles.weight]
    if CONCEPTS[concept].own_mistakes:
        most = _MOST_GENERAL_SUM if tree.constant_sum is None else _MOST_IN_MATRIX
        total = sum(int(side.sum()) + _BITS * trembles.top * len(side) for side in bits)
    else:
        most = _MOST_IN_PLANS
        total = sum(
            _bits_of_levels(own.totals(trembles.order[own.player]), own.totals(bits[own.player]))
            for own in form.sequences
        )
    n = sum(form.num_sequences)
    volume, longest = total * n, max(int(side.max(initial=1)) for side in bits)
    if CONCEPTS[concept].own_mistakes and longest > _BITS and trembles.top * longest * n**1.5 > _MOST_HEAVY:
        raise TooLargeError(
            f"a mistake with a weight of {_digits(longest)} digits makes exact arithmetic in this game take minutes or "
            f"hours; weights of up to {_digits(int(_MOST_HEAVY / n**1.5 / trembles.top))} digits do not. Choose "
            f"shorter weights or lower orders, or try for some seconds with {for_reader('time_limit=', '--time-limit')}"
        )
    if volume > most:
        raise TooLargeError(
            f"mistakes of orders up to {trembles.top:,}, with weights of up to {_digits(longest)} digits, make exact "
            f"solutions of about {_digits(volume)} digits in this game. Solutions of more than {_digits(most)} digits "
            "take minutes or hours: choose lower orders or shorter weights, or try for some seconds with "
            f"{for_reader('time_limit=', '--time-limit')}"
        )


def _bits_of_levels(order: NDArray[np.int64], bits: NDArray[np.int64]) -> int:
    """Return the sum, over all orders, of the number of bits of the longest weight with this order."""
    longest: dict[int, int] = {}
    for level, size in zip(order.tolist(), bits.tolist(), strict=True):
        longest[level] = max(size, longest.get(level, 0))
    return sum(longest.values())


def _digits(bits: int) -> str:
    return f"{int(bits * _DIGITS) + 1:,}"
