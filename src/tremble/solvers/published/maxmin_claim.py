"""What the published algorithms claim of a maxmin strategy: its exact guarantee, and a bound that is weak but true.

Their upper bounds come from floats and stay with the diagnostics. The certificate has one cell, all strategies, and the
mixture of the opponent's replies that the multipliers of the first relaxation are: what a player that does not forget
earns against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.model.own_sequences import OwnSequences
from tremble.model.strategy import BehaviorStrategy
from tremble.solution.certificates import BranchingCertificate, BranchingLeaf
from tremble.solution.claim import Claim, Profile
from tremble.solvers.published.bilinear_program import BilinearProgram, pure_parts

__all__ = ["claim_of", "profile_of"]

_WHOLE = 10**9  # denominator of probabilities
_WEIGHTS = 2**20  # sum of the weights of replies, about
_PASS = (0,)  # the choice tree that fixes nothing


def claim_of(
    program: BilinearProgram,
    behavior: NDArray[np.float64],
    multiplier: NDArray[np.float64],
    epsilon: Fraction,
    diagnostics: Mapping[str, Any],
) -> Claim:
    """The claim of a behavior, float64[slots], with the multipliers of the opponent's sequences, float64[S']."""
    form, (own, other) = program.form, (program.form.own, program.form.other)
    rows = _exact_rows(program, behavior)
    payoff, bottom = form.payoff.tolist(), form.denominator
    share = [p for row in rows for p in row]
    plan = [Fraction(1)] * own.num_sequences
    for s in range(1, own.num_sequences):
        plan[s] = plan[own.parent[own.set_of[s]]] * share[own.slot[s]]
    lost = [Fraction(0)] * other.num_sequences
    for s, t, u in zip(form.row.tolist(), form.column.tolist(), payoff, strict=True):
        lost[t] -= plan[s] * u
    lower = -_best(other, lost) / bottom

    choices, weights = pure_parts(other, multiplier)
    parts = np.round(weights * _WEIGHTS).astype(np.int64)
    parts[parts.argmax()] += not parts.any()
    mixed = np.zeros(other.num_sequences, dtype=np.int64)
    replies: list[list[int]] = []
    mix: list[tuple[int, int]] = []
    for choice, weight in zip(choices[parts > 0], parts[parts > 0].tolist(), strict=True):
        played = np.zeros(other.num_sequences, dtype=np.bool_)
        played[0] = True
        reply = np.zeros(len(form.opponent_forgetful), dtype=np.int64)
        for k, before in enumerate(other.parent.tolist()):
            if played[before]:  # at most one refinement of each set
                played[other.start[k] + choice[k]] = True
                reply[other.infoset[k]] = choice[k]
        mixed[played] += weight
        mix.append((len(replies), weight))
        replies.append(reply.tolist())
    gain = [Fraction(0)] * own.num_sequences
    for s, t, u in zip(form.row.tolist(), form.column.tolist(), payoff, strict=True):
        gain[s] += int(mixed[t]) * u
    upper = _best(own, gain) / (bottom * int(mixed[0]))
    certificate = BranchingCertificate(
        player=form.player, epsilon=epsilon, lower=lower, upper=max(upper, lower), response=_PASS,
        replies=replies, splits=[()], leaves=[BranchingLeaf(mix, _PASS)],
    )  # fmt: skip
    return Claim(profile_of(program, behavior), diagnostics, certificate)


def profile_of(program: BilinearProgram, behavior: NDArray[np.float64]) -> Profile:
    """A behavior, float64[slots], in exact numbers, and an opponent that plays uniformly."""
    tree, player = program.form.tree, program.form.player
    strategy = BehaviorStrategy.from_rows(tree, player, _exact_rows(program, behavior))
    strategy = replace(strategy, off_path=np.zeros_like(strategy.off_path))  # a guarantee needs play everywhere
    uniform = BehaviorStrategy.uniform(tree, 1 - player)
    return (strategy, uniform) if player == 0 else (uniform, strategy)


def _exact_rows(program: BilinearProgram, behavior: NDArray[np.float64]) -> list[list[Fraction]]:
    start = program.form.tree.slot_start[program.form.player]
    rows = []
    for first, end in zip(start[:-1].tolist(), start[1:].tolist(), strict=True):
        parts = np.round(behavior[first:end] * _WHOLE).astype(np.int64)
        parts[parts.argmax()] += _WHOLE - parts.sum()
        rows.append([Fraction(part, _WHOLE) for part in parts.tolist()])
    return rows


def _best(own: OwnSequences, gain: list[Fraction]) -> Fraction:
    """What a best plan earns, from the gain of each sequence, which is changed."""
    for k in range(len(own.parent) - 1, -1, -1):
        gain[own.parent[k]] += max(gain[own.start[k] : own.start[k + 1]])
    return gain[0]
