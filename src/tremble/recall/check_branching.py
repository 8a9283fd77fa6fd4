r"""Check certificates of kind `branching`, which prove bounds on what a player without perfect recall can guarantee.

The opponent is assumed to lose what the player earns. :mod:`tremble.recall.check_refined` defines relaxed passes and
choice trees.

Theorem (lower bound).  Take a choice tree of the opponent. If each of its relaxed passes against the strategy x is at
most -m, then x guarantees m.

Proof.  No strategy of the opponent earns more against x than the greatest of these relaxed passes. The passes are
computed in exact integers. If the opponent has perfect recall or A-loss recall, one pass is enough.

A *cell* is a set of strategies of the player: a product of simplices, one simplex for each information set. At a set
with n actions, the simplex has n vertices, and each vertex is a mixed action. In the cell of all strategies, the
vertices are the actions. A *split* of a cell takes a point m = t v_i + (1 - t) v_j with 0 < t < 1 between two vertices
v_i and v_j of one simplex. It produces two cells: m replaces v_i in the first cell, and v_j in the second cell.

Theorem (upper bound).  The two cells of a split cover the cell that is split. For each cell that is not split, take a
mixture of pure strategies of the opponent and a choice tree of the player. Suppose that in each of these cells, every
relaxed pass of the choice tree against the mixture is at most M. Then the player cannot guarantee more than M.

Proof.  Take a point :math:`\alpha v_i + \beta v_j + \dots` of the cell that is split. If
:math:`\alpha (1-t) \le \beta t`, the point is equal to
:math:`(\alpha / t)\, m + (\beta - \alpha (1-t)/t)\, v_j + \dots`, which is in the first cell. Otherwise the point is in
the second cell, for the same reason with i and j exchanged. So every strategy is in a cell that is not split. The
strategy guarantees at most its payoff against the mixture of this cell. This payoff is at most the greatest relaxed
pass.

Upper bounds are computed in int64 numbers that are rounded up (:mod:`tremble.recall.check_kernel`):

- The player's least payoff is subtracted from all payoffs, and added to the bound. Otherwise payoffs that are large and
  close together would be rounded to equal numbers.
- The unit of the gains is :math:`2^{-s}` divided by the common denominator of the game and by the sum of the weights.
  The integer s is the largest number for which the gains fit into int64.
- Vertices are integers with the denominator :math:`2^{30}`. A new vertex is computed from two vertices, which may have
  been rounded up, and is rounded up again.
- If the split points have few bits, nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.check import Limits
from tremble.check.claim import Problems, Wrong, approximate, brief, exact, fields, seat, short
from tremble.check.limits import DIGIT
from tremble.check.tree import SAFE, SequenceForm
from tremble.recall.check_refined import greatest_pass, vertex_choices

__all__ = ["Branching", "check_lower", "check_upper", "read_branching"]

_MOST_BITS = 53  # the denominators of split points are at most 2 to this power, and weights are smaller than this
_NODES_PER_LEAF = 100  # a leaf raises the limits as much as this number of nodes, for about 10 milliseconds of work


@dataclass(frozen=True)
class Leaf:
    """The proof of an upper bound on the player's payoff in a cell that is not split."""

    mix: list[tuple[int, int]]  # pairs (reply, weight); each reply appears once
    choices: Sequence[Any]  # a choice tree of the player, not checked yet


@dataclass(frozen=True)
class Branching:
    """A certificate whose numbers have valid types and ranges. The trees in it have not been checked yet."""

    player: int  # 0 or 1
    epsilon: Fraction
    lower: Fraction  # in the player's own payoffs
    upper: Fraction  # in the player's own payoffs
    response: Sequence[Any]  # a choice tree of the opponent, not checked yet
    replies: list[NDArray[np.int32]]  # each reply is [K]: an action for each information set of the opponent
    splits: Sequence[Sequence[int]]
    leaves: list[Leaf]


# -- read ----------------------------------------------------------------------------------------------


def read_branching(game: Any, certificate: Any, limits: Limits) -> Branching:
    """Read a certificate of kind `branching`. Raise `Wrong` if it has another kind or invalid fields."""
    if certificate.get("kind") != "branching":
        kind = brief(certificate["kind"]) if "kind" in certificate else "missing"
        raise Wrong(
            f"certificate.kind: {kind}; the concept 'maxmin' needs the kind 'branching' or 'guarantee', or "
            "'best-response' if both players have perfect recall"
        )
    names = ("kind", "player", "epsilon", "lower", "upper", "response", "replies", "splits", "leaves")
    stated = fields(certificate, names, "certificate")
    player = seat(stated["player"], "certificate.player")
    epsilon, lower, upper = (exact(stated[name], f"certificate.{name}") for name in ("epsilon", "lower", "upper"))
    if epsilon < 0:
        raise Wrong(f"certificate.epsilon: must be at least 0, not {short(epsilon)}")
    if not isinstance(stated["response"], list | tuple):
        raise Wrong("certificate.response: not a list of integers")
    replies = _read_replies(stated["replies"], _widths(game, 1 - player), limits)
    splits = _read_splits(stated["splits"], _widths(game, player), limits)
    leaves = _read_leaves(stated["leaves"], len(replies), limits)
    return Branching(player, epsilon, lower, upper, stated["response"], replies, splits, leaves)


def _widths(game: Any, player: int) -> list[int]:
    """Return the number of actions at each information set."""
    return [len(labels) for labels in game.actions[player]]


def _list(stated: Any, where: str, member: str) -> Sequence[Any]:
    """Return ``stated`` after checking that it is a list and not empty."""
    if isinstance(stated, list | tuple) and stated:
        return stated
    raise Wrong(f"{where}: not a list with at least one {member}")


def _read_replies(stated: Any, widths: list[int], limits: Limits) -> list[NDArray[np.int32]]:
    """Read the opponent's pure strategies, each with an action at every information set."""
    where, most, width = "certificate.replies", max(widths, default=0), np.array(widths, dtype=np.int64)
    replies = []
    for r, reply in enumerate(_list(stated, where, "reply")):
        if not isinstance(reply, list | tuple) or len(reply) != len(widths):
            raise Wrong(f"{where}[{r}]: not a list of {len(widths):,} actions, one for each information set")
        limits.spend(where, 100, 1 + len(reply) // 2)
        limits.keep(where, 64 * (4 + len(reply)))
        if set(map(type, reply)) <= {int} and min(reply, default=0) >= 0 and max(reply, default=-1) < most:
            actions = np.array(reply, dtype=np.int32)
            if (actions < width).all():
                replies.append(actions)
                continue
        for k, (action, count) in enumerate(zip(reply, widths, strict=True)):  # find the invalid action
            if type(action) is not int or not 0 <= action < count:
                raise Wrong(f"{where}[{r}][{k}]: {brief(action)} is not an action; the indices are 0 to {count - 1}")
        replies.append(np.array(reply, dtype=np.int32))
    return replies


def _read_splits(stated: Any, widths: list[int], limits: Limits) -> Sequence[Sequence[int]]:
    """Check and return the list of splits. Each cell, in preorder, has an entry, which is empty without a split."""
    where = "certificate.splits"
    for s, split in enumerate(_list(stated, where, "entry")):
        limits.tick()
        if not isinstance(split, list | tuple) or len(split) not in (0, 5) or not {*map(type, split)} <= {int}:
            raise Wrong(f"{where}[{s}]: must be empty or a list of five integers")
        if not split:
            continue
        number, i, j, numerator, bits = split
        if not 1 <= number <= len(widths):
            raise Wrong(
                f"{where}[{s}][0]: {brief(number)} is not an information set; the numbers are 1 to {len(widths):,}"
            )
        if not (0 <= i < widths[number - 1] and 0 <= j < widths[number - 1]) or i == j:
            raise Wrong(
                f"{where}[{s}]: {brief(i)} and {brief(j)} are not two different vertices from 0 to "
                f"{widths[number - 1] - 1}"
            )
        if not 1 <= bits <= _MOST_BITS or not 0 < numerator < 1 << bits:
            raise Wrong(
                f"{where}[{s}]: numerator and bits are {brief(numerator)} and {brief(bits)}, but numerator / 2^bits "
                f"must be strictly between 0 and 1, with at most {_MOST_BITS} bits"
            )
    splits: Sequence[Sequence[int]] = stated
    return splits


def _read_leaves(stated: Any, num_replies: int, limits: Limits) -> list[Leaf]:
    """Read each leaf: a mixture of replies and a list of integers. Do not check that the integers are a choice tree."""
    leaves = []
    for i, leaf in enumerate(_list(stated, "certificate.leaves", "leaf")):
        where = f"certificate.leaves[{i}]"
        leaf = fields(leaf, ("mix", "choices"), where)
        if not isinstance(leaf["choices"], list | tuple):
            raise Wrong(f"{where}.choices: not a list of integers")
        weights: dict[int, int] = {}
        for j, pair in enumerate(_list(leaf["mix"], f"{where}.mix", "pair of a reply and a weight")):
            limits.tick()
            if not isinstance(pair, list | tuple) or len(pair) != 2 or not {*map(type, pair)} <= {int}:
                raise Wrong(f"{where}.mix[{j}]: not a pair of two integers, a reply and a weight")
            reply, weight = pair
            if not 0 <= reply < num_replies or reply in weights:
                raise Wrong(
                    f"{where}.mix[{j}][0]: {brief(reply)} is not a reply from 0 to {num_replies - 1:,}, or it appears "
                    "twice"
                )
            if not 0 < weight < 1 << _MOST_BITS:
                raise Wrong(f"{where}.mix[{j}][1]: {brief(weight)} is not a positive integer below 2^{_MOST_BITS}")
            weights[reply] = weight
        leaves.append(Leaf(list(weights.items()), leaf["choices"]))
    return leaves


# -- the lower bound -----------------------------------------------------------------------------------


def check_lower(
    game: Any, stated: Branching, form: SequenceForm, losses: tuple[list[int], int], limits: Limits, faults: list[str]
) -> None:
    """Check that the player's strategy earns at least the lower bound against every pure strategy of the opponent.

    `losses` is a pair: the opponent's payoffs by sequence, as integers, and the common denominator of these payoffs.
    """
    opponent, (taken, unit) = 1 - stated.player, losses
    most = greatest_pass(form.sequences[opponent], taken, stated.response, _widths(game, opponent), limits)
    guaranteed = -Fraction(most, unit)
    if guaranteed < stated.lower:
        faults.append(
            f"certificate.lower: {short(stated.lower)}, but the strategy of player {stated.player + 1} is proven to "
            f"guarantee only {short(guaranteed)} (off by {approximate(stated.lower - guaranteed)})"
        )


# -- the upper bound -----------------------------------------------------------------------------------


def check_upper(game: Any, stated: Branching, form: SequenceForm, limits: Limits, faults: list[str]) -> None:
    """Check that each unsplit cell has an entry in ``leaves`` that proves a bound of at most ``stated.upper``."""
    where, leaves, number = "certificate.leaves", stated.leaves, 0
    limits.grant(_NODES_PER_LEAF * len(leaves))
    cells = _Cells(game, stated, form, limits)
    for _ in cells.unsplit():
        if number < len(leaves) and len(faults) < Problems.MOST:
            bound = cells.bound(leaves[number], f"{where}[{number}]")
            if bound > stated.upper:
                faults.append(
                    f"{where}[{number}]: the leaf bounds the payoff in this cell by "
                    f"{approximate(bound)}, which exceeds the upper bound by {approximate(bound - stated.upper)}"
                )
        number += 1
    if number != len(leaves):
        raise Wrong(f"{where}: {len(leaves):,} entries, but the splits need {number:,}, one for each cell")


class _Cells:
    """A walk through the cells of a certificate.

    Shapes: the player has K information sets, J refined sets and S refined sequences.
    """

    def __init__(self, game: Any, stated: Branching, form: SequenceForm, limits: Limits) -> None:
        from tremble.recall import check_kernel as kernel  # this imports Numba, which takes half a second

        self.kernel, self.stated, self.limits, self.denominator = kernel, stated, limits, form.denominator
        self.widths = _widths(game, stated.player)
        # The vertices of the current cell. For set k there are widths[k] vertices, stored one after the other from
        # offset[k] on. Their entries are integers with the denominator kernel.ONE.
        self.offset = np.cumsum([0, *(n * n for n in self.widths)])  # [K + 1]
        limits.keep("certificate.leaves", 64 * int(self.offset[-1]))
        self.vertex = np.zeros(int(self.offset[-1]), dtype=np.int64)
        for k, n in enumerate(self.widths):
            self.vertex[self.offset[k] : self.offset[k + 1] : n + 1] = kernel.ONE
        self.fixed = np.full(len(self.widths), -1, dtype=np.int64)  # [K]: the vertex that the choice tree fixes, or -1
        # The refined sets of both players, as arrays for the compiled functions.
        player, opponent = form.sequences[stated.player], form.sequences[1 - stated.player]
        infoset, before, first, _ = np.array(player.sets, dtype=np.int64).reshape(-1, 4).T.copy()  # each [J]
        self.sets = before, np.append(first, player.count), infoset
        self.amount = np.zeros(player.count, dtype=np.int64)  # [S]
        # The cost of a relaxed pass in hundreds of steps: a constant, and three steps for each entry of a vertex.
        self.pass_steps = 50 + 3 * sum(self.widths[k] ** 2 for k in infoset.tolist()) // 100
        # The payoffs of the player, grouped by its own sequence.
        payoffs = form.payoffs[stated.player]
        self.faced, self.begin, self.own = payoffs.other, payoffs.begin, payoffs.own[payoffs.begin]
        least = int(game.payoff[:, stated.player].min())
        self.least = Fraction(least, game.payoff_denominator)
        earned = payoffs.amount - least * _reach(game, stated.player, form, max(abs(least), 1))
        amounts = earned.tolist()
        self.size = max(sum(amounts), 1)
        self.digits = 1 + sum(map(int.bit_length, amounts)) // DIGIT
        self.payoff: dict[Any, NDArray[Any]] = {np.object_: earned.astype(object)}
        if self.size < SAFE:
            self.payoff[np.int64] = earned.astype(np.int64)
        infoset, before, first, _ = np.array(opponent.sets, dtype=np.int64).reshape(-1, 4).T.copy()
        self.num_faced = opponent.count
        faced_sets = before, np.append(first, opponent.count), infoset
        self.played = [self._played(reply, faced_sets) for reply in stated.replies]

    def _played(self, reply: NDArray[np.int32], sets: tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
        """Return the sequences that ``reply``, a pure strategy of the opponent, plays."""
        num_sets = len(sets[0])
        self.limits.spend("certificate.replies", 100, 20 + num_sets // 50)
        played = np.empty(1 + num_sets, dtype=np.int64)
        count = self.kernel.support(*sets, reply, played)
        self.limits.keep("certificate.replies", 64 * count)
        return played[:count].copy()

    def unsplit(self) -> Iterator[None]:
        """Walk through the cells. At each cell that is not split, store the cell's vertices in `vertex` and yield."""
        where, vertex, splits, limits = "certificate.splits", self.vertex, self.stated.splits, self.limits
        # For each split that produced the current cell: the slices of v_i and v_j, the split point, the vertex that it
        # now replaces, and True if this vertex is v_j.
        path: list[tuple[slice, slice, NDArray[np.int64], NDArray[np.int64], bool]] = []
        for s, split in enumerate(splits):
            if split:
                number, i, j, numerator, bits = split
                n, first = self.widths[number - 1], int(self.offset[number - 1])
                vertex1, vertex2 = (slice(first + v * n, first + (v + 1) * n) for v in (i, j))
                limits.spend(where, 100, 2 + n)
                limits.keep(where, 2 * 64 * n)
                point = _point(vertex[vertex1], vertex[vertex2], numerator, bits)
                if int(point.sum()) > self.kernel.LARGEST_VERTEX:
                    raise Wrong(f"{where}[{s}]: rounding in nested splits makes the vertex too large")
                path.append((vertex1, vertex2, point, vertex[vertex1].copy(), False))
                vertex[vertex1] = point
                continue
            yield
            while path:
                vertex1, vertex2, point, replaced, second = path.pop()
                if not second:
                    vertex[vertex1] = replaced
                    path.append((vertex1, vertex2, point, vertex[vertex2].copy(), True))
                    vertex[vertex2] = point
                    break
                vertex[vertex2] = replaced
                limits.keep(where, -2 * 64 * len(point))
            if not path:
                if s + 1 < len(splits):
                    raise Wrong(f"{where}[{s + 1}]: the tree of splits is complete; remove all entries from here on")
                return
        raise Wrong(f"{where}: the list ends before the tree of splits is complete")

    def bound(self, leaf: Leaf, where: str) -> Fraction:
        """Return an upper bound on the payoffs that strategies in the current cell earn against ``leaf.mix``."""
        gain, unit = self._gains(leaf)
        before, start, infoset = self.sets
        top = -self.kernel.LARGEST_GAINS
        for _ in vertex_choices(leaf.choices, self.widths, self.fixed, f"{where}.choices"):
            self.limits.spend("certificate.leaves", 100, self.pass_steps)
            bound = self.kernel.rounded_pass(
                gain, before, start, infoset, self.vertex, self.offset, self.fixed, self.amount
            )
            top = max(top, int(bound))
        return self.least + top * unit

    def _gains(self, leaf: Leaf) -> tuple[NDArray[np.int64], Fraction]:
        """Return each sequence's payoff against ``leaf.mix`` as an integer, rounded up; and the unit of these integers.

        The payoff of a sequence is a sum over the end nodes of the game at which this is the player's last sequence.
        """
        where, limits = "certificate.leaves", self.limits
        whole = sum(weight for _, weight in leaf.mix)
        kind = np.int64 if np.int64 in self.payoff and whole * self.size < SAFE else np.object_
        limits.spend(where, 100, (50 if kind == np.object_ else 1) * (1 + len(self.faced) // 50))
        limits.spend(where, 1 + whole.bit_length() // DIGIT, self.digits)
        weight: NDArray[Any] = np.zeros(self.num_faced, dtype=kind)  # weights of the opponent's sequences
        for reply, share in leaf.mix:
            weight[self.played[reply]] += share
        gain: NDArray[Any] = np.zeros(len(self.amount), dtype=kind)
        gain[self.own] = np.add.reduceat(self.payoff[kind] * weight[self.faced], self.begin)
        shift = self.kernel.LARGEST_GAINS.bit_length() - 2 - int(gain.sum()).bit_length()
        # The gains are at least 0. After the shift, they sum to at most half of the limit. Rounding adds at most 1 per
        # sequence.
        gain = gain << shift if shift >= 0 else -(-gain >> -shift)
        return gain.astype(np.int64), Fraction(1, self.denominator * whole) / Fraction(2) ** shift


def _reach(game: Any, player: int, form: SequenceForm, factor: int) -> NDArray[Any]:
    """Sum the chance probabilities of the leaves of each entry of the payoff matrix, times their common denominator.

    If the result has the type int64, it may be multiplied by ``factor`` and added to an entry of the matrix.
    """
    own, other = (form.sequences[i].at_node[game.leaves] for i in (player, 1 - player))
    order = np.lexsort((other, own))  # the order of the entries
    pair = np.stack((own, other))[:, order]
    begin = np.flatnonzero(np.concatenate(([True], (pair[:, 1:] != pair[:, :-1]).any(axis=0))))
    safe = max(form.chance.weight) * len(order) * factor < SAFE
    weight = np.array(form.chance.weight, dtype=np.int64 if safe else object)[form.chance.number[game.leaves]]
    reach: NDArray[Any] = np.add.reduceat(weight[order], begin)
    return reach


def _point(vertex1: NDArray[np.int64], vertex2: NDArray[np.int64], numerator: int, bits: int) -> NDArray[np.int64]:
    """Return a weighted mean of two vertices, rounded up. The weight of the first vertex is numerator / 2^bits."""
    rest = (1 << bits) - numerator
    pairs = zip(vertex1.tolist(), vertex2.tolist(), strict=True)
    return np.array([-(-(numerator * a + rest * b) >> bits) for a, b in pairs], dtype=np.int64)
