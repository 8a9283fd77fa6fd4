"""Make claims about maxmin strategies: an exact strategy, its guarantee, and a proof of an upper bound.

The *guarantee* is the strategy's least payoff against any strategy of the opponent. The search divides the player's
strategies into cells (:mod:`tremble.recall.branching.cells`). In each cell, a mixture of the opponent's pure replies
bounds the player's payoff.

Before a search, :func:`first_claim` makes a claim from a given profile.

The search works in floats. This module rounds the player's strategy and all mixtures to exact numbers. The claimed
upper bound is slightly larger than the upper bound in floats. The checker verifies the claimed bound exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, isfinite, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.evaluation import refined_plan
from tremble.game.scale import Scale
from tremble.game.sequence_form import Sequences
from tremble.game.strategy import BehaviorStrategy
from tremble.game.tree_arrays import integer_array
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.cells import (
    GRID_BITS,
    Cell,
    Floats,
    Ints,
    Replies,
    leaves_with_vertices,
    vertices_of,
)
from tremble.recall.branching.kernels import best_choice
from tremble.recall.certificates import BranchingCertificate, BranchingLeaf
from tremble.solution.claim import Claim, Profile

__all__ = ["Proofs", "branching_claim", "first_claim", "margin"]

_MARGIN, _NOISE = Fraction(1, 10**7), Fraction(1, 10**9)  # largest and smallest margin, relative to the payoff range
_UNROUNDED, _STEP = 2**58, Fraction(1, 2**57)  # the checker rounds sums from 2^58 on, each by at most this share

_ROUNDED = 2e-9  # the rounding of weights may increase a bound by at most this amount
_SIMPLE, _PLACES = 1000, 10**9  # largest denominator of simple fractions, and denominator of other probabilities
_WEIGHT_BITS = 30
_MOST_PRODUCTS = 200_000  # limit on the number of products of fractions for an exact bound
_NOTHING_FIXED = (0,)  # the choice tree with a single relaxed pass


def branching_claim(
    replies: Replies, scale: Scale, mixed: Floats, root: Cell, epsilon: Fraction, diagnostics: Mapping[str, Any]
) -> Claim:
    """Return a claim: the strategy that a search found, and a certificate of bounds on the greatest guarantee.

    Parameters
    ----------
    replies : Replies
        The replies in the rescaled game, in which the player's payoffs are from 0 to 1.
    scale : Scale
        The map from rescaled payoffs to payoffs of the original game.
    mixed : float64[slots]
        The player's behavior strategy.
    root : Cell
        The cell of all strategies, the root of the search tree. At each leaf cell, a mixture of replies proves a bound.
    epsilon : Fraction
        The largest allowed gap between the bounds, in rescaled payoffs.
    """
    form, proofs = replies.form, Proofs(replies)
    strategy = _strategy(form, mixed)
    lower, response, reply = _guarantee(form, replies.game, strategy)
    leaves = list(leaves_with_vertices(form, root))
    mixes = [_weights(leaf, simple=len(leaves) == 1) for leaf, _ in leaves]
    known = [
        leaf.bound if isfinite(leaf.bound) else proofs.bound(vertices, *mix)
        for (leaf, vertices), mix in zip(leaves, mixes, strict=True)
    ]
    floor = max(*known, float(lower)) + (_ROUNDED if len(leaves) > 1 else 0.0)
    used = np.unique(np.concatenate([numbers for numbers, _ in mixes]))
    parts, floats = [], floor
    for (_, vertices), (numbers, weights) in zip(leaves, mixes, strict=True):
        choices, bound = proofs.choices(vertices, floor, numbers, weights)
        mix = zip(np.searchsorted(used, numbers).tolist(), weights.tolist(), strict=True)
        parts.append(BranchingLeaf(list(mix), choices))
        floats = max(floats, bound)
    upper = Fraction(ceil((Fraction(floats) + margin(form, scale, epsilon)) / _NOISE)) * _NOISE
    if len(parts) == 1:  # compute an exact bound; with more cells, the checker rounds anyway
        exact = proofs.exactly(parts[0], used.tolist(), scale)
        upper = upper if exact is None else exact
    upper = max(upper, lower)
    certificate = BranchingCertificate(
        player=form.player,
        epsilon=epsilon * scale.unit,  # in payoffs of the original game
        lower=scale.payoff(lower),
        upper=scale.payoff(upper),
        response=response,
        replies=_pure_replies(form, np.array([replies.answers[old] for old in used.tolist()])),
        splits=[_split(cell) for cell in root.preorder()],
        leaves=parts,
    )
    return Claim(_profile(form, strategy, reply), diagnostics, certificate.plain())


def first_claim(form: BilinearForm, profile: Profile, epsilon: Fraction) -> Claim:
    """Return a claim with bounds for the player's strategy in ``profile``.

    The lower bound is the guarantee of the strategy. The upper bound is the most that any strategy of the player
    earns against the opponent's best reply to the given strategy. Both players are treated as if they had perfect
    recall. The bounds are valid and quick to compute, but the gap between them is usually large.
    """
    own, other, strategy = form.own, form.other, profile[form.player]
    assert isinstance(strategy, BehaviorStrategy)
    lost, unit = _losses(form, strategy)
    value = other.best_values(lost)
    chosen = [max(range(first, end), key=value.__getitem__) - first for _, first, end in other.steps()]
    reply = _pure_replies(form, np.array([chosen], dtype=np.int16))
    gain = own.gains(_reached(other, reply[:, other.infoset])[:, 0].astype(np.int64)).tolist()
    lower = Fraction(-value[0], unit)
    steps = sum(map(abs, gain))
    rounding = 0 if steps < _UNROUNDED else steps * own.num_sequences * _STEP  # by the checker
    upper = max(lower, (own.best_values(gain)[0] + rounding) / Fraction(own.denominator))
    certificate = BranchingCertificate(
        player=form.player, epsilon=epsilon, lower=lower, upper=upper, response=_NOTHING_FIXED, replies=reply.tolist(),
        splits=[()], leaves=[BranchingLeaf([(0, 1)], _NOTHING_FIXED)],
    )  # fmt: skip
    return Claim(_profile(form, strategy, reply[0].tolist()), {}, certificate.plain())


def _profile(form: BilinearForm, strategy: BehaviorStrategy, reply: list[int]) -> Profile:
    """Return the profile in which the player uses ``strategy``, and the opponent plays the actions ``reply``.

    In both strategies, ``off_path`` marks no set as excluded by own moves, because the claim is about play at all sets.
    """
    pure = BehaviorStrategy.pure(form.tree, 1 - form.player, reply)
    own, other = (replace(given, off_path=np.zeros_like(given.off_path)) for given in (strategy, pure))
    return (own, other) if form.player == 0 else (other, own)


def margin(form: BilinearForm, scale: Scale, epsilon: Fraction) -> Fraction:
    """Return the margin to add to an upper bound that was computed in floats, so that the checker can prove the sum.

    The checker may compute a greater bound, because it rounds up at each sequence.
    """
    return min(_MARGIN, max(epsilon / 20, _NOISE)) + form.own.num_sequences * scale.magnitude * _STEP


# -- the strategy --------------------------------------------------------------------------------------


def _strategy(form: BilinearForm, mixed: Floats) -> BehaviorStrategy:
    """Round a strategy to exact probabilities.

    If all probabilities of a set are close to simple fractions, they are rounded to these fractions. Otherwise they are
    rounded to nine decimal places.
    """
    start = form.own.slot_start.tolist()
    rows = [_rounded(np.maximum(mixed[first:end], 0.0).tolist()) for first, end in pairwise(start)]
    return BehaviorStrategy.from_rows(form.tree, form.player, rows)


def _rounded(row: list[float]) -> list[Fraction]:
    simple = [Fraction(p).limit_denominator(_SIMPLE) for p in row]
    if sum(simple) == 1 and all(abs(p - q) < 1e-7 for p, q in zip(row, simple, strict=True)):
        return simple
    whole = [round(p * _PLACES) for p in row]
    return [Fraction(n, sum(whole)) for n in whole]


def _guarantee(form: BilinearForm, game: Any, strategy: BehaviorStrategy) -> tuple[Fraction, list[int], list[int]]:
    """Return the guarantee of a strategy, the choice tree that proves it, and a pure best reply of the opponent.

    The search for the tree uses floats. The guarantee that the tree proves is then computed exactly.
    """
    gain, unit = _losses(form, strategy)
    floats = np.array([value / unit for value in gain])
    best, reply = _best(game[1], game[2], floats)
    tree, _ = _traced(game[1], game[2], floats, best)
    bound = _exact_bound(form.other, gain, tree)
    return -bound / unit, tree, _pure_replies(form, reply[None])[0].tolist()


def _losses(form: BilinearForm, strategy: BehaviorStrategy) -> tuple[list[int], int]:
    """Return the opponent's payoffs against ``strategy``: an integer for each sequence, and a common denominator."""
    plan = refined_plan(form.own, strategy)
    assert plan.denominator is not None
    return form.other.gains(plan.weight).tolist(), plan.denominator * form.other.denominator


# -- choices ---------------------------------------------------------------------------------------------


def _reached(own: Sequences, choices: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Return a mask, bool[S, C], for C choices: entry [q, c] is True if choice c plays sequence q.

    ``choices[c]`` contains an action for each refined set.
    """
    chosen = np.zeros((own.num_sequences, len(choices)), dtype=np.bool_)
    chosen[0] = True
    chosen[own.start[:-1] + choices, np.arange(len(choices))[:, np.newaxis]] = True
    return own.weights(chosen)


def _pure_replies(form: BilinearForm, choices: NDArray[np.integer[Any]]) -> NDArray[np.int16]:
    """Convert each row of ``choices`` to a pure strategy. A row contains the opponent's action at each refined set.

    At a set, the strategy plays the row's action at the last of the set's refined sets that the row's actions lead to.
    """
    other, reached = form.other, _reached(form.other, choices)
    action = np.zeros((form.tree.num_infosets[1 - form.player], len(choices)), dtype=np.int16)
    for infoset, before, chosen in zip(other.infoset.tolist(), other.parent.tolist(), choices.T, strict=True):
        np.copyto(action[infoset], chosen, where=reached[before], casting="same_kind")
    return action.T


def _exact_bound(own: Sequences, gain: Sequence[int], tree: Sequence[int]) -> Fraction:
    """Return the upper bound that a choice tree proves for all strategies of player ``own.player``.

    The tree is a list of integers in preorder. An entry k + 1 fixes set k to each of its actions in turn. An entry 0 is
    a leaf: its bound is the best payoff if actions at unfixed sets may depend on the player's earlier moves.
    """
    sets, infoset, widths = own.steps(), own.infoset.tolist(), np.diff(own.slot_start).tolist()
    fixed: dict[int, int] = {}  # set -> fixed action, in the order in which the sets were fixed
    bounds: list[int] = []
    for entry in tree:
        if entry:
            fixed[entry - 1] = 0
            continue
        value = list(gain)
        for i, (before, first, end) in zip(reversed(infoset), reversed(sets), strict=True):
            value[before] += value[first + fixed[i]] if i in fixed else max(value[first:end])
        bounds.append(value[0])
        while fixed:  # continue with the next action of the last set that has one
            i, action = fixed.popitem()
            if action + 1 < widths[i]:
                fixed[i] = action + 1
                break
    return Fraction(max(bounds))


# -- cells -----------------------------------------------------------------------------------------------


def _split(cell: Cell) -> tuple[int, ...]:
    """Return the integers that describe the split of a cell in a certificate, or ``()`` if the cell is not split."""
    if cell.parts is None:
        return ()
    assert cell.split is not None
    i, one, two, kept = cell.split
    return i + 1, one, two, round(kept * 2**GRID_BITS), GRID_BITS


def _weights(leaf: Cell, *, simple: bool = False) -> tuple[Ints, Ints]:
    """Return the replies that the leaf's mixture contains, as indices, and the integer weight of each reply.

    If ``simple`` is True, try small weights, so that the exact bound has a small denominator. This is slow. It helps
    only for the cell of all strategies, because only the bound of this cell can be claimed exactly.
    """
    played = leaf.mixture > 0.0
    numbers, place = np.unique(leaf.replies[played], return_inverse=True)
    shares = np.bincount(place, leaf.mixture[played])
    weights = np.rint(shares * 2**_WEIGHT_BITS).astype(np.int64)
    if simple:
        near = [Fraction(share).limit_denominator(_SIMPLE) for share in shares.tolist()]
        common = lcm(*(share.denominator for share in near))
        if common < 2**_WEIGHT_BITS and all(abs(p - q) < 1e-9 for p, q in zip(shares.tolist(), near, strict=True)):
            weights = np.array([int(share * common) for share in near])
    return numbers[weights > 0], weights[weights > 0]


def _best(side: Any, cell: Floats, gain: Floats) -> tuple[float, Ints]:
    """Choose vertices of a cell such that the payoff is largest. Return the payoff and the choice."""
    choice = np.zeros(len(side[0]), dtype=np.int64)
    best, _, _ = best_choice(side, cell, gain, -np.inf, 0.0, choice, np.empty(0, np.int32))
    return float(best), choice


def _traced(side: Any, cell: Floats, gain: Floats, floor: float) -> tuple[list[int], float]:
    """Return a choice tree for a cell and the upper bound that this tree proves. The bound is at least ``floor``."""
    room = 1000
    while True:
        trace, choice = np.zeros(room, dtype=np.int32), np.zeros(len(side[0]), dtype=np.int64)
        best, _, length = best_choice(side, cell, gain, floor, 0.0, choice, trace)
        if length <= room:
            numbers: list[int] = trace[:length].tolist()
            return numbers, float(best)
        room = int(length)


class Proofs:
    """Upper bounds of cells, and the choice trees that prove these bounds."""

    def __init__(self, replies: Replies) -> None:
        self._replies, self._side = replies, replies.game[0]

    def _gain(self, numbers: Ints, weights: Ints) -> Floats:
        gain: Floats = (weights / weights.sum()) @ self._replies.gains[numbers]
        return gain

    def bound(self, vertices: Floats, numbers: Ints, weights: Ints) -> float:
        """Return an upper bound on a cell's payoffs if the opponent mixes the replies ``numbers`` with ``weights``."""
        return _best(self._side, vertices, self._gain(numbers, weights))[0]

    def proven(self, cell: Cell, floor: float) -> float:
        """Return the upper bound that a choice tree proves for a cell. The bound is at least ``floor``."""
        return self.choices(vertices_of(self._replies.widths, cell), floor, *_weights(cell))[1]

    def choices(self, vertices: Floats, floor: float, numbers: Ints, weights: Ints) -> tuple[list[int], float]:
        """Return a choice tree for a cell, and the upper bound that it proves. The bound is at least ``floor``.

        ``vertices`` define the cell. The opponent mixes the replies ``numbers`` with the integer ``weights``.
        """
        return _traced(self._side, vertices, self._gain(numbers, weights), floor)

    def exactly(self, part: BranchingLeaf, used: list[int], scale: Scale) -> Fraction | None:
        """Return the exact upper bound that ``part`` proves for all strategies, or None if this takes too long."""
        form, mass = self._replies.form, sum(weight for _, weight in part.mix)
        products = int((form.own.width**2).sum())
        if products * len(part.choices) > _MOST_PRODUCTS or scale.steps * mass >= _UNROUNDED:
            return None
        shares = [share for _, share in part.mix]
        played = _reached(form.other, np.array([self._replies.answers[used[number]] for number, _ in part.mix]))
        gain = form.own.gains(integer_array((played @ np.array(shares, dtype=object)).tolist())).tolist()
        return _exact_bound(form.own, gain, list(part.choices)) / (form.own.denominator * mass)
