"""Bounds in exact numbers, and what can be claimed before any search: the guarantee of uniform play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.exact_numbers import over_one_denominator
from tremble.model.bilinear_form import BilinearForm
from tremble.model.own_sequences import OwnSequences
from tremble.model.strategy import BehaviorStrategy
from tremble.solution.certificates import BranchingCertificate, BranchingLeaf
from tremble.solution.claim import Claim, Profile

__all__ = ["exact_bound", "first_claim", "pure_replies", "reached_by", "sets_of", "unmarked"]

_PASS = (0,)  # the choice tree that fixes nothing


def sets_of(own: OwnSequences) -> list[tuple[int, int, int]]:
    """Of each refined set: the sequence before it, its first, and the end of its sequences."""
    start = own.start.tolist()
    return [(before, first, end) for before, (first, end) in zip(own.parent.tolist(), pairwise(start), strict=True)]


def pure_replies(form: BilinearForm, answers: NDArray[np.integer[Any]]) -> NDArray[np.int16]:
    """The opponent's pure strategies, by original sets, that are played where choices (rows of ``answers``) come."""
    other, column = form.other, np.arange(len(answers))
    action = np.zeros((form.tree.num_infosets[1 - form.player], len(answers)), dtype=np.int16)
    reached = np.zeros((other.num_sequences, len(answers)), dtype=np.bool_)
    reached[0] = True
    for k, (before, first, _) in enumerate(sets_of(other)):
        here, chosen = reached[before], answers[:, k]
        reached[first + chosen, column] = here
        np.copyto(action[int(other.infoset[k])], chosen, where=here, casting="same_kind")
    return action.T


def reached_by(other: OwnSequences, answer: NDArray[np.int16]) -> list[bool]:
    """The opponent's sequences that a reply plays."""
    reached = [False] * other.num_sequences
    reached[0] = True
    for k, (before, first, _) in enumerate(sets_of(other)):
        if reached[before]:
            reached[first + int(answer[k])] = True
    return reached


def exact_bound(
    own: OwnSequences, gain: Sequence[int], vertices: Sequence[Sequence[Sequence[Fraction]]], tree: Sequence[int]
) -> Fraction:
    """What a choice tree proves that nobody earns more than."""
    sets, infoset = sets_of(own), own.infoset.tolist()
    fixed: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []  # sets that are fixed on the way, and at which vertex
    bounds: list[Fraction] = []
    for entry in tree:
        if entry:
            waiting.append((entry - 1, 0))
            fixed[entry - 1] = 0
            continue
        value: list[Fraction | int] = list(gain)
        for k in range(len(sets) - 1, -1, -1):
            before, first, end = sets[k]
            options, i = value[first:end], infoset[k]
            tried = [vertices[i][fixed[i]]] if i in fixed else vertices[i]
            value[before] += max(sum(p * q for p, q in zip(vertex, options, strict=True) if p) for vertex in tried)
        bounds.append(Fraction(value[0]))
        while waiting:  # the next vertex of the last set that has one
            i, v = waiting.pop()
            if v + 1 < len(vertices[i]):
                waiting.append((i, v + 1))
                fixed[i] = v + 1
                break
            del fixed[i]
    return max(bounds)


def first_claim(form: BilinearForm, profile: Profile, epsilon: Fraction) -> Claim:
    """What a player's strategy in a profile guarantees, and what it earns at most against the best reply to that.

    Of players that forget, the bounds are those of players that do not: found at once, and true, but seldom close.
    """
    strategy = profile[form.player]
    assert isinstance(strategy, BehaviorStrategy)
    own, other = form.own, form.other
    row = [Fraction(p) for probabilities in strategy for p in probabilities]
    start = form.tree.slot_start[form.player].tolist()
    plan = [Fraction(1)] * own.num_sequences
    for k, (before, first, end) in enumerate(sets_of(own)):
        for a in range(end - first):
            plan[first + a] = plan[before] * row[start[int(own.infoset[k])] + a]
    weight, whole = over_one_denominator(plan)
    lost, gain = [0] * other.num_sequences, [0] * own.num_sequences
    cells = list(zip(form.row.tolist(), form.column.tolist(), form.payoff.tolist(), strict=True))
    for s, t, payoff in cells:
        lost[t] -= payoff * weight[s]
    answer, worst = _best(other, lost)
    reply = pure_replies(form, answer[None])[0].tolist()
    played = reached_by(other, np.array(reply, dtype=np.int16)[other.infoset])
    for s, t, payoff in cells:
        gain[s] += payoff if played[t] else 0
    lower = Fraction(-worst, whole * form.denominator)
    steps = sum(map(abs, gain))
    rounding = 0 if steps < 2**58 else Fraction(steps * own.num_sequences, 2**57)  # the checker's
    upper = max(lower, (_best(own, gain)[1] + rounding) / Fraction(form.denominator))
    certificate = BranchingCertificate(
        player=form.player, epsilon=epsilon, lower=lower, upper=upper, response=_PASS, replies=[reply],
        splits=[()], leaves=[BranchingLeaf([(0, 1)], _PASS)],
    )  # fmt: skip
    pure = BehaviorStrategy.pure(form.tree, 1 - form.player, reply)
    pair = unmarked(strategy), unmarked(pure)
    return Claim(pair if form.player == 0 else pair[::-1], {}, certificate)


def unmarked(strategy: BehaviorStrategy) -> BehaviorStrategy:
    """The same without marks: what is stated of it holds everywhere."""
    return replace(strategy, off_path=np.zeros_like(strategy.off_path))


def _best(own: OwnSequences, gain: list[int]) -> tuple[NDArray[np.int16], int]:
    """The best choice at each refined set, and what that earns; ``gain`` is changed."""
    chosen = np.zeros(len(own.infoset), dtype=np.int16)
    sets = sets_of(own)
    for k in range(len(sets) - 1, -1, -1):
        before, first, end = sets[k]
        best = max(gain[first:end])
        chosen[k] = gain.index(best, first) - first
        gain[before] += best
    return chosen, gain[0]
