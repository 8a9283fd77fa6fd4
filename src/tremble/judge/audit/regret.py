r"""Use linear programs to compute the least loss of a continuation over all plans of the opponent.

Let I be an information set of a player. A *continuation* is a plan for the player's moves at I and after I. Let x be
the continuation to judge. The matrix U contains the player's payoffs below I, multiplied by chance probabilities. Let
:math:`\rho' y` be the probability that chance and the opponent's plan y lead to I. Let C be the cone of the opponent's
plans and their nonnegative multiples: :math:`y \ge 0` and :math:`\sum_a y_{(k,a)} = y_{parent(k)}`. The best payoff
against y is

.. math::  V(y) = \max_z z^T U y ,

where z is any continuation of the player from I. Let y_0 be a completely mixed plan of the opponent. Two linear
programs judge x. The variables of both programs are y and the values :math:`v_J` of the player's information sets J
from I on:

.. math::  \text{I.}\quad \min_{y \in C,\ \rho' y = 1} V(y) - x^T U y,  \qquad
           \text{II.}\quad \min_{y \in C} V(y_0 + y) - x^T U (y_0 + y).

If the optimum of program I is positive, x is wrong (not a best response) against every plan that reaches I. By duality,
a single continuation z is then better than x against all these plans.

The optimum of program II is positive if and only if x is wrong against every *completely mixed* plan. This means that x
is weakly dominated from I on. The optimum of the dual of program II is the loss of x:

.. math::  \max_z\; (z - x)^T U y_0 \quad\text{s.t.}\quad (z - x)^T U y \ge 0 \;\text{ for all } y \in C .

Only the support of x (the set of played actions) decides if the optimum of program II is zero.

The function :func:`best_case` decides if any plan of the opponent makes an action right. It minimizes the regret over
all plans of the opponent and all continuations of the player after the action. For a fixed continuation, the minimum is
the optimum of program I. If the continuation varies, its payoff is a maximum of linear functions, and maximizing a sum
of such maxima is NP-hard. The function therefore uses branch and bound: it fixes the player's choices below the action
one after the other. At an information set without a fixed choice, it uses an upper bound: each node of the set counts
with the greatest payoff that any later moves can give the player. This bound is linear in the opponent's plan.

References
----------
D. G. Pearce: Rationalizable strategic behavior and the problem of perfection, Econometrica 52, 1984, appendix B.

E. van Damme: A relation between perfect equilibria in extensive form games and proper equilibria in normal form
games, International Journal of Game Theory 13, 1984.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.lexicographic import BasicSolution
from tremble.exact.program import IntegerMatrix, Program
from tremble.game.sequence_form import Side
from tremble.game.tree_arrays import IntArray, integer_array
from tremble.integers import exact_product, safe_to_add
from tremble.judge.audit.outlook import Outlook
from tremble.solvers.method import Run
from tremble.solvers.zero_sum import exact_optimum

__all__ = ["MOST_PROGRAMS", "Continuation", "Regret", "Subgame", "best_case"]

_UNIT_BITS = 30  # the float solver gets x rounded to a denominator of at most this number of bits
_UNSCALED_BITS = 12  # if the numbers in y_0 have at most this number of bits, program II is not scaled

_ZERO = Fraction(0)

Continuation = Mapping[int, Fraction]
"""A dict from the player's sequences to their probabilities, given that play reaches I. Zeros are omitted."""


@dataclass(frozen=True)
class Regret:
    """An optimal solution of the module's program I or II: the loss of x, a better continuation, and a plan y."""

    # The loss of x in payoff units, for each time that y (program I) or y_0 (program II) reaches I.
    amount: Fraction
    better: tuple[Fraction, ...]  # the probabilities of the actions at I in the better continuation z
    plan: IntArray | None = None  # y at the optimum, up to a positive factor: a weight for each column of the Subgame


class Subgame:
    r"""The part of the game below the information set I = ``k``, as rows and columns of the module's two programs.

    The programs have these rows:

    * the player's sequences from the set ``k`` on;
    * the opponent's information sets whose choices affect payoffs below ``k``;
    * in program I, the equation :math:`\rho' y = 1`.

    The columns are the opponent's sequences that affect these payoffs, followed by the values of the player's sets.
    """

    def __init__(self, outlook: Outlook, k: int) -> None:
        self.outlook = outlook
        self.k = k
        self.sets = [k]
        self.sequences: list[int] = []
        for j in self.sets:  # the loop appends to the list while it runs
            mine = outlook.side.sequences(j)
            self.sequences += mine
            for s in mine:
                self.sets += outlook.followers[s]
        self.arrival = outlook.arrival[k]
        row, pair = outlook.side.pairs(np.array(self.sequences))
        paying = np.flatnonzero(outlook.side.payoff[pair])
        self._row, self._pair = row[paying], pair[paying]

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """The opponent's sequences that lead to set I or affect payoffs below I, and all prefixes of such sequences."""
        opponent = self.outlook.opponent
        needed = np.zeros(opponent.num_sequences, dtype=np.bool_)
        needed[self.outlook.side.opponent[self._pair]] = True
        needed[[t for t, c in self.arrival.items() if c]] = True
        last = np.flatnonzero(needed)
        while len(last := last[last > 0]):
            last = opponent.before[last]
            last = np.unique(last[~needed[last]])
            needed[last] = True
        return np.flatnonzero(needed)

    @cached_property
    def side(self) -> Side:
        """The player's sequences and payoffs at and below the information set I, in the sequence form.

        Sequence 0 is the sequence that leads to I. The opponent's sequences are numbered by position in ``columns``.
        """
        whole, n = self.outlook.side, len(self.sequences)
        number = np.zeros(whole.num_sequences, dtype=np.int64)
        number[self.sequences] = np.arange(1, n + 1)
        return Side(
            player=whole.player,
            parent=number[whole.parent[self.sets]],
            start=np.concatenate(([1], 1 + np.cumsum(whole.width[self.sets]))),
            infoset=np.array(self.sets),
            first=np.searchsorted(self._row, np.arange(-1, n + 1)),
            opponent=np.searchsorted(self.columns, whole.opponent[self._pair]),
            payoff=whole.payoff[self._pair],
            denominator=whole.denominator,
        )

    @cached_property
    def _base(self) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64], IntArray], NDArray[np.bool_]]:
        """Entries (row, column, value) that programs I and II have in common, and a mask of the rows with equations."""
        side, opponent, columns = self.side, self.outlook.opponent, self.columns
        n = len(self.sequences)
        value = len(columns) + np.arange(len(self.sets))
        moves = np.flatnonzero(columns > 0)
        sets, number, count = np.unique(opponent.set_of[columns[moves]], return_inverse=True, return_counts=True)
        before = np.searchsorted(columns, opponent.parent[sets])
        blocks: list[tuple[NDArray[np.int64], NDArray[np.int64], Any]] = [
            (self._row, side.opponent, side.payoff),
            (side.parent[1:] - 1, value[1:], 1),
            (np.arange(n), value[side.set_of[1:]], -1),
            (n + number, moves, 1),
            (n + np.arange(len(sets)), before, -1),
        ]
        entries = (
            np.concatenate([row for row, _, _ in blocks]),
            np.concatenate([column for _, column, _ in blocks]),
            np.concatenate([np.broadcast_to(entry, len(row)) for row, _, entry in blocks]),
        )
        whole = count == opponent.width[sets]
        return entries, np.concatenate((np.zeros(n, dtype=np.bool_), whole))

    @cached_property
    def _exponents(self) -> NDArray[np.int64]:
        """An array with an entry for each information set: the number of bits of the greatest payoff after the set.

        The float solver scales the value of each set by 2 to the power of this number.
        """
        bits = np.zeros(self.side.num_sequences, dtype=np.int64)
        np.maximum.at(bits, self.side.row, [int(payoff).bit_length() for payoff in self.side.payoff.tolist()])
        return self.side.most_behind(bits)

    def worth(self, x: Continuation, hoped: Sequence[int] = ()) -> tuple[IntArray, int]:
        """Return the product x'U as one integer for each column, and the denominator of these integers.

        The denominator does not include the factor ``payoff_unit``. At the sets in ``hoped``, use the upper bound
        :attr:`Outlook.hope` instead of the payoff of x.
        """
        unit = lcm(*(p.denominator for p in x.values()))
        played = [x.get(s, _ZERO) for s in self.sequences]
        share = integer_array([p.numerator * (unit // p.denominator) for p in played])
        paid = safe_to_add(exact_product(self.side.payoff, share[self._row]))
        total = np.zeros(len(self.columns), dtype=paid.dtype if not hoped else object)
        np.add.at(total, self.side.opponent, paid)
        for j in hoped:
            for t, w in self.outlook.hope[j].items():
                if w:
                    total[np.searchsorted(self.columns, t)] += unit * w
        return total, unit

    def least(self, worth: IntArray, unit: int, run: Run) -> Regret:
        """Solve program I of the module's docstring for the continuation x with x'U = ``worth`` / ``unit``."""
        vertex, program = self._solve(worth, unit, None, run)
        return self._regret(vertex, program, unit, Fraction(0), Fraction(1, self.outlook.payoff_unit))

    def dominated(self, worth: IntArray, unit: int, mixed: IntArray, run: Run) -> Regret:
        """Solve the module's program II, given x'U = ``worth`` / ``unit`` and the mixed plan y_0 = ``mixed``."""
        vertex, program = self._solve(worth, unit, mixed, run)
        earned = Fraction(sum((worth.astype(object) * mixed[self.columns]).tolist()), unit)
        outlook = self.outlook
        scale = Fraction(outlook.chance_unit, outlook.payoff_unit * outlook.reach(self.k, mixed))
        return self._regret(vertex, program, unit, earned, scale)

    def _regret(self, vertex: BasicSolution, program: Program, unit: int, earned: Fraction, scale: Fraction) -> Regret:
        first = program.num_columns
        width = int(self.side.width[0])
        better = tuple(
            Fraction(-int(d), vertex.reduced_denominator * unit) for d in vertex.reduced[first : first + width].tolist()
        )
        return Regret((-vertex.objective / unit - earned) * scale, better, vertex.value[: len(self.columns)])

    def gains(self, weight: IntArray) -> list[int]:
        """Return each own sequence's payoff from the leaves directly after it, if the opponent's plan is ``weight``."""
        gains: list[int] = self.side.gains(weight).tolist()[1:]
        return gains

    def _solve(self, worth: IntArray, unit: int, mixed: IntArray | None, run: Run) -> tuple[BasicSolution, Program]:
        (rows, columns, values), equality = self._base
        chance_unit = self.outlook.chance_unit
        rhs = [0] * len(equality)
        if mixed is None:
            come = {t: c for t, c in self.arrival.items() if c}
            rows = np.concatenate((rows, np.full(len(come), len(equality))))
            columns = np.concatenate((columns, np.searchsorted(self.columns, list(come))))
            values = np.concatenate((values, integer_array(list(come.values()))))
            equality, rhs = np.concatenate((equality, [True])), [*rhs, chance_unit]
        else:
            rhs[: len(self.sequences)] = [-gain for gain in self.gains(mixed[self.columns])]
        n = len(self.columns) + len(self.sets)
        cost = [*worth.tolist(), -unit, *[0] * (len(self.sets) - 1)]
        unit_of = self._exponents
        size = 0 if mixed is None else max(0, _bits(mixed[self.columns].tolist()) - _UNSCALED_BITS)
        row_exponent = np.full(len(equality), -size)
        row_exponent[: len(self.sequences)] -= np.repeat(unit_of, self.side.width)
        if mixed is None:
            row_exponent[-1] = -chance_unit.bit_length()
        program = Program(
            matrices=(IntegerMatrix.from_entries((len(equality), n), rows, columns, values),),
            rhs=integer_array(rhs)[np.newaxis],
            cost=integer_array(cost)[np.newaxis],
            equality=equality,
            free=np.arange(n) >= len(self.columns),
            row_exponent=row_exponent,
            column_exponent=np.concatenate((np.zeros(len(self.columns), dtype=np.int64), unit_of)) + size,
        )
        return _optimum(program, run), program


def _bits(values: Sequence[int]) -> int:
    return max((abs(v) for v in values), default=0).bit_length()


def _optimum(program: Program, run: Run) -> BasicSolution:
    """Solve a program exactly. A float solver first solves it with rounded costs."""
    cost = program.cost[0].tolist()
    surplus = max(0, _bits([c for c, free in zip(cost, program.free.tolist(), strict=True) if free]) - _UNIT_BITS)
    rounded = integer_array([c >> surplus for c in cost])[np.newaxis]
    return exact_optimum(program, run, in_floats=[dataclasses.replace(program, cost=rounded)])[0]


# -- actions that are right against some plan --------------------------------------------------------

MOST_PROGRAMS = 200  # greatest number of linear programs that are solved for one action


def best_case(
    subgame: Subgame,
    action: int,
    continuation: Continuation,
    run: Run,
    most_programs: int = MOST_PROGRAMS,
) -> Regret | None:
    """Return the minimum of an action's regret over all plans of the opponent.

    ``action`` is a sequence of the player at the information set of the subgame. The function first tries
    ``continuation``, which plays the action. In the result, ``amount`` is the minimum; 0 means that the action is
    best against some plan. If ``most_programs`` linear programs are too few to find the minimum, ``amount`` is a
    positive lower bound on the minimum. If no positive bound is proven either, the function returns None.
    """
    least = subgame.least(*subgame.worth(continuation), run)
    if not least.amount or not subgame.outlook.followers[action]:
        return least
    open_choices: list[tuple[Fraction, dict[int, int]]] = [(Fraction(0), {})]
    solved = 1
    while open_choices and least.amount:
        if solved >= most_programs:
            bound = min(least.amount, *(bound for bound, _ in open_choices))
            return dataclasses.replace(least, amount=bound) if bound > 0 else None
        bound, choice = open_choices.pop()
        if bound >= least.amount:
            continue
        worth, unfixed = _worth(subgame, action, choice)
        regret = subgame.least(worth, 1, run)
        solved += 1
        if regret.amount >= least.amount:
            continue
        if unfixed is None:
            least = regret
            continue
        assert regret.plan is not None
        value = _values(subgame, regret.plan)
        order = sorted(subgame.outlook.side.sequences(unfixed), key=value.__getitem__)  # pop() takes the last
        open_choices += [(regret.amount, {**choice, unfixed: s}) for s in order]
    return least


def _worth(subgame: Subgame, action: int, choice: dict[int, int]) -> tuple[IntArray, int | None]:
    """Return an action's payoff for each column of the subgame. Also return a set without a choice, or None.

    After the action, the player makes the choices in ``choice``: a dict from information sets to sequences. At a set
    without a choice, the payoff is an upper bound.
    """
    x: dict[int, Fraction] = {}
    unfixed: list[int] = []
    pending = [action]
    while pending:
        s = pending.pop()
        x[s] = Fraction(1)
        for follower in subgame.outlook.followers[s]:
            if follower in choice:
                pending.append(choice[follower])
            else:
                unfixed.append(follower)
    return subgame.worth(x, unfixed)[0], unfixed[-1] if unfixed else None


def _values(subgame: Subgame, plan: IntArray) -> dict[int, int]:
    """Map each sequence to the payoff against ``plan`` if the player plays the sequence and then a best response."""
    value = subgame.side.best_values([0, *subgame.gains(plan)])
    return dict(zip(subgame.sequences, value[1:], strict=True))
