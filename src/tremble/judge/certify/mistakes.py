r"""Find vanishing mistakes of a player that support the opponent's strategy, or prove that none exist.

One player, the *erring* player, makes mistakes. The opponent is the *judged* player: its strategy must be a best
response to the erring player's plan :math:`y(\delta) = \sum_k \delta^k y_k`. The algorithm finds the terms
:math:`y_k` in the order of k. The possible terms of order k depend only on a *state* with two parts:

* the *supported* sequences of the erring player, which have a positive coefficient at a lower order;
* the *strict* actions of the judged player: unplayed actions that earn less than the played actions at a lower order.
  Only quasi-perfect equilibria need this part.

For a given state, the possible next terms :math:`y_k` form a cone, which these conditions define:

* :math:`y_k` satisfies the flow equations. The weights of unsupported sequences are :math:`\ge 0`. After an unsupported
  sequence, the plan plays the erring player's strategy.
* For quasi-perfect equilibria: at every information set of the judged player, all actions that its strategy plays have
  the same payoff. Unplayed actions that are not strict do not have a greater payoff.
* For sequential equilibria: the conditions are the same, but they apply only at information sets that no term of lower
  order reaches.

In each step, a linear program finds the point of the cone that makes as many sequences as possible positive. These
sequences become supported. A larger state has a larger cone, so adding all these sequences at once loses no solutions.
If some sequences are unsupported and the program adds none of them, then no supporting mistakes exist. The multipliers
of the program prove this (``docs/explanation/deciding.md``).

References
----------
N. Gatti, F. Panozzo: Verification of Nash refinements in extensive form: games with two players, perfect recall.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact.program import Blocks, IntegerMatrix, Program
from tremble.game.requirements import last_sequence
from tremble.game.sequence_form import SequenceForm, Sequences, Side, chance_reach
from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.integers import common_divisor
from tremble.solution.basis_certificate import MistakesRefutation
from tremble.solution.claim import BeliefRow
from tremble.solution.trembling_plan import TremblingPlan
from tremble.solvers.method import Run
from tremble.solvers.zero_sum import exact_optimum, payoff_exponent

__all__ = ["supporting_mistakes"]


def supporting_mistakes(
    tree: GameTree,
    profile: Profile,
    player: int,
    sequential: bool,
    run: Run,
    beliefs: Iterable[BeliefRow] = (),
) -> TremblingPlan | MistakesRefutation:
    """Find completely mixed plans that converge to a player's strategy and support the opponent's strategy.

    Parameters
    ----------
    player : int
        The player who makes mistakes: 0 or 1.
    sequential : bool
        True if the opponent's strategy must be best given its beliefs, as in a sequential equilibrium. False if it must
        be best against the plans themselves, as in a quasi-perfect equilibrium.
    beliefs : iterable of BeliefRow
        Beliefs that the mistakes must give the opponent. At sets without a given belief, any belief is allowed.
        If beliefs are given, a returned refutation refutes only these beliefs. Other beliefs may support the
        strategies.
    """
    state = _State.of(tree, profile, player, sequential)
    if beliefs:
        state = replace(state, beliefs=_shares(tree, player, beliefs))
    terms: list[list[int]] = []
    while state.blocked.any():
        run.clock.check()
        step = _Step.of(state)
        vertex, _ = exact_optimum(step.program, run)
        rises = vertex.value[step.program.columns["rise"]] != 0
        if not rises.any():
            multipliers = -vertex.reduced[step.program.num_columns :]
            return state.closed(step, [Fraction(int(m), vertex.reduced_denominator) for m in multipliers])
        terms.append(step.term(vertex.value))
        state = state.grown(step, terms[-1], rises)
    return TremblingPlan(player, np.array(terms, dtype=object), terms[0][0])


@dataclass(frozen=True, eq=False)
class _State:
    """The state of the computation before its next term. The module's docstring defines the terms.

    The erring player has S sequences. The judged player has S' sequences and J' information sets.
    """

    own: Sequences  # sequences of the erring player
    side: Side  # side of the judged player in the sequence form
    share: list[Fraction]  # [S], probability of each action in the erring player's strategy; 1 for the empty sequence
    played: NDArray[np.bool_]  # [S'], True if the judged player's strategy plays the action
    # For sequential equilibria: for each node of the judged player, its set and the erring player's last sequence.
    nodes: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    blocked: NDArray[np.bool_]  # [S], True for unsupported sequences, called blocked sequences below
    tight: NDArray[np.bool_]  # [S'], True for unplayed actions that are not strict
    # For nodes of the judged player: set, the erring player's last sequence, chance weight, and given belief.
    beliefs: tuple[tuple[int, int, int, Fraction], ...] = ()

    @classmethod
    def of(cls, tree: GameTree, profile: Profile, player: int, sequential: bool) -> _State:
        """Return the initial state. The mistakes have no terms yet, so no sequence has a positive coefficient."""
        form, judged = SequenceForm.of(tree), 1 - player
        own, side = form.sequences[player], form.side(judged)
        share = [Fraction(1), *(Fraction(p) for row in profile[player] for p in row)]
        played = np.array([True, *(p != 0 for row in profile[judged] for p in row)], dtype=np.bool_)
        at = np.flatnonzero(tree.player == judged)
        at = at[chance_reach(tree, at).numerator != 0]
        nodes = (tree.infoset[at].astype(np.int64), last_sequence(tree, player)[at]) if sequential else None
        return cls(own, side, share, played, nodes, np.ones(own.num_sequences, dtype=np.bool_), ~played)

    @property
    def judged_sets(self) -> NDArray[np.bool_]:
        """Mask bool[J']: True if the judged player's set restricts y_k in the erring player's plan sum delta^k y_k."""
        where = np.ones(self.side.num_infosets, dtype=np.bool_)
        if self.nodes is not None:
            sets, sequence = self.nodes
            where[sets[~self.blocked[sequence]]] = False
        return where

    @cached_property
    def tails(self) -> tuple[NDArray[np.int64], list[Fraction]]:
        """The first unsupported sequence h on the path to each sequence q, and q's weight divided by h's weight.

        Both results have S entries. The path includes q. If q is supported, the two entries for q are -1 and 0.
        """
        head, weight = np.full(len(self.share), -1), [Fraction(0)] * len(self.share)
        blocked = self.blocked.tolist()
        if blocked[0]:
            head[0], weight[0] = 0, Fraction(1)
        for before, first, end in self.own.steps():
            for q in range(first, end):
                if blocked[q] and blocked[before]:
                    head[q], weight[q] = head[before], weight[before] * self.share[q]
                elif blocked[q]:
                    head[q], weight[q] = q, Fraction(1)
        return head, weight

    def grown(self, step: _Step, term: list[int], rises: NDArray[np.bool_]) -> _State:
        """Return the state after ``term``. ``rises`` marks positive variables in block "rise" of ``step.program``."""
        still, tight = np.array([not weight for weight in term], dtype=np.bool_), self.tight.copy()
        tight[step.losing[rises[len(step.heads) :]]] = False
        return replace(self, blocked=self.blocked & still, tight=tight)

    def closed(self, step: _Step, multipliers: list[Fraction]) -> MistakesRefutation:
        """Convert the row multipliers of ``step`` to a proof that no mistakes support the judged player's strategy."""
        rows, side, blocked = step.program.rows, self.side, self.blocked.tolist()
        flow = dict(zip(step.flow.tolist(), multipliers[rows["flow"]], strict=True))
        unit = Fraction(side.denominator, step.content)  # units of the program in one unit of payoff
        deviation = {
            s: m * unit for s, m in zip(step.conditions.tolist(), multipliers[rows["conditions"]], strict=True) if m
        }
        gain = [Fraction(0)] * len(self.share)  # for each sequence of the erring player
        for s, amount in deviation.items():
            for t in range(int(side.first[s]), int(side.first[s + 1])):
                gain[int(side.opponent[t])] += amount * Fraction(int(side.payoff[t]), side.denominator)
        for q, k in enumerate(self.own.set_of.tolist()):
            gain[q] += flow.get(k, 0)
        # The program proves a bound on a sum over all sequences of a tail. Distribute the sum evenly among them.
        head, weight = self.tails
        whole, total = [Fraction(0)] * len(head), [Fraction(0)] * len(head)
        for q, first in enumerate(head.tolist()):
            if first >= 0:
                whole[first] += weight[q]
                total[first] += weight[q] * gain[q]
        ratio: dict[int, Fraction] = {}
        for before, start, end in reversed(self.own.steps()):
            if blocked[before]:
                for q in range(start, end):
                    ratio[q] = gain[q] - total[head[q]] / whole[head[q]]
                    gain[before] += self.share[q] * ratio[q]
        common = lcm(*(value.denominator for part in (deviation, flow, ratio) for value in part.values()))
        parts = [
            {key: int(value * common) for key, value in part.items() if value} for part in (deviation, flow, ratio)
        ]
        tight = step.losing.tolist()
        return MistakesRefutation(self.own.player, np.flatnonzero(self.blocked).tolist(), tight, *parts)


@dataclass(frozen=True, eq=False)
class _Step:
    """The linear program for the next term y_k of the mistakes, and the meaning of the program's rows and columns."""

    program: Program
    supported: NDArray[np.int64]  # supported sequences of the erring player, without the empty sequence
    heads: NDArray[np.int64]  # blocked sequences of the erring player whose parent sequence is supported
    tail: list[tuple[int, int, int]]  # blocked sequences: sequence, index of its head, weight relative to the head
    flow: NDArray[np.int64]  # information sets of the erring player after supported sequences
    conditions: NDArray[np.int64]  # sequences of the judged player whose payoff has a condition
    losing: NDArray[np.int64]  # the tight sequences in `conditions`, which may become strict
    num_sequences: int  # number of sequences of the erring player
    content: int  # greatest common divisor of the payoffs; the program divides all payoffs by it

    @classmethod
    def of(cls, state: _State) -> _Step:
        """Build the linear program that finds the next term y_k of the erring player's plan sum_k delta^k y_k."""
        own, side, (head, weight) = state.own, state.side, state.tails
        heads, supported = np.flatnonzero(head == np.arange(len(head))), np.flatnonzero(head < 0)[1:]
        common = dict.fromkeys(heads.tolist(), 1)
        for f, w in zip(head.tolist(), weight, strict=True):
            if f >= 0:
                common[f] = lcm(common[f], w.denominator)
        position = {f: i for i, f in enumerate(heads.tolist())}
        tail = [(q, position[f], int(weight[q] * common[f])) for q, f in enumerate(head.tolist()) if weight[q]]
        judged = state.judged_sets
        under = np.append(False, judged[side.set_of[1:]]) & (state.played | state.tight)
        conditions, sets, flow = np.flatnonzero(under), np.flatnonzero(judged), np.flatnonzero(head[own.parent] < 0)
        losing = np.flatnonzero(under & state.tight & (state.nodes is None))

        # The columns of the plan are the supported sequences, followed by the heads. A head's column includes its tail.
        column, factor = np.full(len(head), -1), np.ones(len(head), dtype=object)
        column[supported] = np.arange(len(supported))
        for q, i, times in tail:
            column[q], factor[q] = len(supported) + i, times
        kept = under[side.row] & (column[side.opponent] >= 0)
        content = common_divisor(side.payoff)
        row, against = _places(under)[side.row[kept]], side.opponent[kept]
        row, plan, payoff = _summed(row, column[against], side.payoff[kept] // content * factor[against])
        exponent = payoff_exponent(side.payoff // content)

        # Beliefs: chance and the plan give each node a weight, which equals its given belief times the set's column.
        held = [row for row in state.beliefs if judged[row[0]]]
        weighed = [
            (i, int(column[q]), b.denominator * c * int(factor[q]))
            for i, (_, q, c, b) in enumerate(held)
            if c and column[q] >= 0
        ]
        weigh, node_plan, node_weight = np.array(weighed, dtype=object).reshape(-1, 3).T
        weigh, node_plan = weigh.astype(np.int64), node_plan.astype(np.int64)

        # Each head has two equal columns. The column in "rise" has a bound, and the program maximizes it. The column in
        # "plan" has no bound.
        size = np.array([common[f] for f in heads.tolist()], dtype=object)
        bits = np.array([n.bit_length() - 1 for n in size.tolist()], dtype=np.int64)
        rising = len(heads) + len(losing)
        columns = Blocks.of(
            {"plan": len(supported) + len(heads), "values": len(sets), "rise": rising, "shares": len(sets) * bool(held)}
        )
        rows = Blocks.of({"flow": len(flow), "conditions": len(conditions), "bounds": rising, "beliefs": len(held)})
        into = own.set_of[np.concatenate((supported, heads))]
        arrives = np.flatnonzero(into >= 0)
        amount = np.concatenate((np.ones(len(supported), dtype=object), size))[arrives]
        at_set, at_condition, value_of = _places(head[own.parent] < 0), _places(under), _places(judged)
        own_value = value_of[side.set_of[conditions]]
        leaves = flow[own.parent[flow] > 0]
        after = np.flatnonzero(judged & under[side.parent])
        believed = value_of[[k for k, *_ in held]] if held else value_of[:0]
        shares = np.array([-b.numerator for *_, b in held], dtype=object)
        some = np.flatnonzero(shares != 0)
        rise, lose = np.arange(rising), np.arange(len(losing))
        ones = np.ones(len(columns) + len(rows), dtype=object)
        above = np.concatenate((np.array([2**b for b in bits.tolist()], dtype=object), ones[: len(losing)]))
        matrix = IntegerMatrix.from_blocks(
            rows,
            columns,
            [
                *_twice("flow", at_set[into[arrives]], arrives, amount, len(supported)),
                ("flow", "plan", at_set[leaves], column[own.parent[leaves]], -ones[: len(leaves)]),
                *_twice("conditions", row, plan, payoff, len(supported)),
                ("conditions", "values", np.arange(len(conditions)), own_value, -ones[: len(conditions)]),
                ("conditions", "values", at_condition[side.parent[after]], value_of[after], ones[: len(after)]),
                ("conditions", "rise", at_condition[losing], len(heads) + lose, ones[: len(losing)] * 2**exponent),
                ("bounds", "rise", rise, rise, above),
                *_twice("beliefs", weigh, node_plan, node_weight, len(supported)),
                ("beliefs", "shares", some, believed[some], shares[some]),
            ],
        )  # fmt: skip
        rhs, cost = np.zeros((1, len(rows)), dtype=np.int64), np.zeros((1, len(columns)), dtype=object)
        rhs[0, rows["bounds"]], cost[0, columns["rise"]] = 1, above
        equality = rows.mask("flow", "beliefs")
        equality[rows["conditions"]] = state.played[conditions]
        free = columns.mask("values", "shares")
        free[: len(supported)] = True
        column_exponent = np.where(columns.mask("values"), exponent, 0)
        column_exponent[columns["plan"]][len(supported) :] = -bits
        column_exponent[columns["rise"]][: len(heads)] = -bits
        program = Program(
            matrices=(matrix,),
            rhs=rhs,
            cost=cost,
            equality=equality,
            free=free,
            row_exponent=np.where(rows.mask("conditions"), -exponent, 0),
            column_exponent=column_exponent,
            rows=rows,
            columns=columns,
        )
        return cls(program, supported, heads, tail, flow, conditions, losing, own.num_sequences, content)

    def term(self, value: NDArray[Any]) -> list[int]:
        """Return the plan's next term: coprime integer weights of all sequences. ``value[j]`` belongs to column j."""
        plan, rise = (value[self.program.columns[name]].tolist() for name in ("plan", "rise"))
        known = len(self.supported)
        weights = dict(zip(self.supported.tolist(), plan, strict=False))
        weights |= {q: weight * (plan[known + i] + rise[i]) for q, i, weight in self.tail}
        common = gcd(*weights.values())
        return [weights.get(q, 0) // common for q in range(self.num_sequences)]


def _shares(tree: GameTree, player: int, beliefs: Iterable[BeliefRow]) -> tuple[tuple[int, int, int, Fraction], ...]:
    """Return (set, sequence, chance weight, belief) for each node of the sets in ``beliefs``; unlisted nodes get 0."""
    believed = {path: share for row in beliefs for path, share in row.nodes}
    known = {row.infoset for row in beliefs}
    at = np.flatnonzero((tree.player == 1 - player) & np.isin(tree.infoset, list(known)))
    chance, sequence = chance_reach(tree, at).numerator, last_sequence(tree, player)[at]
    return tuple(
        (int(tree.infoset[node]), int(sequence[i]), int(chance[i]), Fraction(believed.get(tree.path(node), 0)))
        for i, node in enumerate(at.tolist())
    )


def _places(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, for each True entry, how many True entries precede it. For False entries, the result has no meaning."""
    return np.cumsum(marked) - 1


def _twice(
    block: str, row: NDArray[np.int64], plan: NDArray[np.int64], value: NDArray[Any], first: int
) -> list[tuple[str, str, NDArray[np.int64], NDArray[np.int64], NDArray[Any]]]:
    """Return two blocks: the given entries in the columns "plan", and copies of some entries in the columns "rise".

    Only the entries in the columns from ``first`` on are copied. These columns belong to the *heads* (see ``_Step``).
    """
    of_head = plan >= first
    return [(block, "plan", row, plan, value), (block, "rise", row[of_head], plan[of_head] - first, value[of_head])]


def _summed(
    row: NDArray[np.int64], column: NDArray[np.int64], value: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Sum the entries of a matrix that have the same row and column, and omit zeros."""
    if not len(row):
        return row, column, value
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    begin = np.flatnonzero(np.concatenate(([True], (np.diff(row) != 0) | (np.diff(column) != 0))))
    total = np.add.reduceat(value[order], begin)
    kept = total != 0
    return row[begin][kept], column[begin][kept], total[kept]
