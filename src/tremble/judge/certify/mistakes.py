r"""Find vanishing mistakes of a player that support the other's strategy, order by order, or prove that none do.

The *erring* player's plan is :math:`y(\delta) = \sum_k \delta^k y_k`. The strategy of the other, the *judged* player,
must be best against it. The terms that are possible at order k depend on a *state* alone:

* the sequences of the erring player that are *supported*: they have a positive coefficient at a lower order;
* for quasi-perfection, the unplayed actions of the judged player that are *strict*: they are worse at a lower order.

Given the state, the possible next terms :math:`y_k` are a cone:

* :math:`y_k` satisfies the equations of flow. The weights of sequences without support are :math:`\ge 0`, and after
  such a sequence the plan plays as the strategy says;
* quasi-perfect: at every set of the judged player, the actions that its strategy plays earn the same. The unplayed
  actions that are not strict yet earn no more;
* sequential: the conditions of quasi-perfection, but only at sets that no lower order has reached.

One linear program finds a point of the cone with the greatest support, and the state grows by that support. A greater
state gives a greater cone, so it is right to add all possible support at once. If no support can be added while
sequences without support remain, there are no such mistakes, and the multipliers of the program prove it
(``docs/explanation/deciding.md``).

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
    """Find completely mixed plans of a player whose limit is its strategy, and against which the other plays best.

    Parameters
    ----------
    player : int
        The player who errs: 0 or 1.
    sequential : bool
        True if the other must play best given its beliefs (sequential), False if exactly (quasi-perfect).
    beliefs : iterable of BeliefRow
        Beliefs of the other that the mistakes must lead to; at other sets any belief is allowed. With beliefs, the
        result without such mistakes is no refutation, because other beliefs may support the strategies.
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
    """The result of the lower orders. S sequences of the erring player; S' sequences and J' sets of the judged one."""

    own: Sequences  # of the erring player
    side: Side  # of the judged player
    share: list[Fraction]  # [S], probability of each action in the erring player's strategy; 1 for the empty sequence
    played: NDArray[np.bool_]  # [S'], True if the judged player's strategy plays the action
    nodes: tuple[NDArray[np.int64], NDArray[np.int64]] | None  # sequential: set and erring sequence of judged nodes
    blocked: NDArray[np.bool_]  # [S], sequences without support
    tight: NDArray[np.bool_]  # [S'], unplayed actions that are not strict
    # For nodes of the judged player: set, sequence of the erring player, weight of chance, and given belief.
    beliefs: tuple[tuple[int, int, int, Fraction], ...] = ()

    @classmethod
    def of(cls, tree: GameTree, profile: Profile, player: int, sequential: bool) -> _State:
        """Make the state before the first term, in which no sequence has support."""
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
        """True for each set at which the next term has conditions, bool[J']."""
        where = np.ones(self.side.num_infosets, dtype=np.bool_)
        if self.nodes is not None:
            sets, sequence = self.nodes
            where[sets[~self.blocked[sequence]]] = False
        return where

    @cached_property
    def tails(self) -> tuple[NDArray[np.int64], list[Fraction]]:
        """First blocked sequence on the path of each blocked sequence, int64[S], and the weight relative to it.

        The first blocked sequence on a path has itself; sequences with support have -1.
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
        """Return the state after a term, for which these columns of the program rose."""
        still, tight = np.array([not weight for weight in term], dtype=np.bool_), self.tight.copy()
        tight[step.losing[rises[len(step.heads) :]]] = False
        return replace(self, blocked=self.blocked & still, tight=tight)

    def closed(self, step: _Step, multipliers: list[Fraction]) -> MistakesRefutation:
        """Return the proof that no term adds support, from the multipliers of the rows of the program."""
        rows, side, blocked = step.program.rows, self.side, self.blocked.tolist()
        flow = dict(zip(step.flow.tolist(), multipliers[rows["flow"]], strict=True))
        unit = Fraction(side.denominator, step.content)  # of the program per payoff
        deviation = {
            s: m * unit for s, m in zip(step.conditions.tolist(), multipliers[rows["conditions"]], strict=True) if m
        }
        gain = [Fraction(0)] * len(self.share)  # by sequence: loss of the deviation
        for s, amount in deviation.items():
            for t in range(int(side.first[s]), int(side.first[s + 1])):
                gain[int(side.opponent[t])] += amount * Fraction(int(side.payoff[t]), side.denominator)
        for q, k in enumerate(self.own.set_of.tolist()):
            gain[q] += flow.get(k, 0)
        # The program proves a sum over each whole tail; distribute it evenly among the tail's sequences.
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
    """The linear program for the next term, with the sequences and sets that its rows and columns stand for."""

    program: Program
    supported: NDArray[np.int64]  # sequences of the erring player, without the empty one
    heads: NDArray[np.int64]  # its blocked sequences without a blocked one before them
    tail: list[tuple[int, int, int]]  # blocked sequences that are played after a head: itself, index of head, weight
    flow: NDArray[np.int64]  # sets of the erring player after supported sequences
    conditions: NDArray[np.int64]  # sequences of the judged player
    losing: NDArray[np.int64]  # tight sequences among them, which may become strict
    num_sequences: int  # of the erring player
    content: int  # common divisor of the payoffs of the side, by which the program divides them

    @classmethod
    def of(cls, state: _State) -> _Step:
        """Make the program for the next term after a state."""
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

        # Columns of the plan: supported sequences, then heads, each with its tail.
        column, factor = np.full(len(head), -1), np.ones(len(head), dtype=object)
        column[supported] = np.arange(len(supported))
        for q, i, times in tail:
            column[q], factor[q] = len(supported) + i, times
        kept = under[side.row] & (column[side.opponent] >= 0)
        content = int(np.gcd.reduce(side.payoff)) or 1
        row, against = _places(under)[side.row[kept]], side.opponent[kept]
        row, plan, payoff = _summed(row, column[against], side.payoff[kept] // content * factor[against])
        exponent = payoff_exponent(side.payoff // content)

        # Beliefs: the weight of a node by chance and the plan equals its belief times a column of the set.
        held = [row for row in state.beliefs if judged[row[0]]]
        weighed = [
            (i, int(column[q]), b.denominator * c * int(factor[q]))
            for i, (_, q, c, b) in enumerate(held)
            if c and column[q] >= 0
        ]
        weigh, node_plan, node_weight = np.array(weighed, dtype=object).reshape(-1, 3).T
        weigh, node_plan = weigh.astype(np.int64), node_plan.astype(np.int64)

        # Each head has two equal columns in the plan: one up to a bound, whose sum is maximized, and one beyond it.
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
        """Return the weights of all sequences at this order, up to one positive factor."""
        plan, rise = (value[self.program.columns[name]].tolist() for name in ("plan", "rise"))
        known = len(self.supported)
        weights = dict(zip(self.supported.tolist(), plan, strict=False))
        weights |= {q: weight * (plan[known + i] + rise[i]) for q, i, weight in self.tail}
        common = gcd(*weights.values())
        return [weights.get(q, 0) // common for q in range(self.num_sequences)]


def _shares(tree: GameTree, player: int, beliefs: Iterable[BeliefRow]) -> tuple[tuple[int, int, int, Fraction], ...]:
    """Return the given beliefs by node in the form of :class:`_State`, 0 for nodes that they do not name."""
    believed = {path: share for row in beliefs for path, share in row.nodes}
    known = {row.infoset for row in beliefs}
    at = np.flatnonzero((tree.player == 1 - player) & np.isin(tree.infoset, list(known)))
    chance, sequence = chance_reach(tree, at).numerator, last_sequence(tree, player)[at]
    return tuple(
        (int(tree.infoset[node]), int(sequence[i]), int(chance[i]), Fraction(believed.get(tree.path(node), 0)))
        for i, node in enumerate(at.tolist())
    )


def _places(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the position of each marked entry among the marked ones."""
    return np.cumsum(marked) - 1


def _twice(
    block: str, row: NDArray[np.int64], plan: NDArray[np.int64], value: NDArray[Any], first: int
) -> list[tuple[str, str, NDArray[np.int64], NDArray[np.int64], NDArray[Any]]]:
    """Return entries of columns of the plan; repeat those of heads, from ``first`` on, in the columns that rise."""
    of_head = plan >= first
    return [(block, "plan", row, plan, value), (block, "rise", row[of_head], plan[of_head] - first, value[of_head])]


def _summed(
    row: NDArray[np.int64], column: NDArray[np.int64], value: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Sum the entries of a matrix that have the same place, and leave out zeros."""
    if not len(row):
        return row, column, value
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    begin = np.flatnonzero(np.concatenate(([True], (np.diff(row) != 0) | (np.diff(column) != 0))))
    total = np.add.reduceat(value[order], begin)
    kept = total != 0
    return row[begin][kept], column[begin][kept], total[kept]
