r"""Maxmin strategies in trees where the kernel's best responses are no proof: the outcome of a claim, for the kernel.

Let no player be absentminded. A player guarantees m by a behavior strategy x if x earns at least m against every
strategy of the opponent. What the opponent earns does not matter: here it loses what the player earns. Pure strategies
of the opponent suffice, because the earnings are affine in the opponent's action at each of its sets. A maxmin strategy
guarantees the most. Certificates prove two bounds on that, which may leave a gap.

Theorem (guarantee).  Let x be the strategy of the player, and y that of the opponent. What the relaxed pass of the
opponent, who loses what the player earns, leaves of x is a lower bound. The relaxed pass of the player against y is an
upper bound. If both players have perfect recall, the lower bound is exactly what x guarantees, and the upper one what a
best response to y earns.

Proof.  The relaxed pass is an upper bound on what the opponent can take against x, and on what any strategy of the
player earns against y, hence on what it guarantees (`tremble.recall.check_refined`). With perfect recall each refined
set is an information set, so the pass is the backward induction for best responses.

Certificates of kind `branching` prove closer bounds for players without perfect recall:
:mod:`tremble.recall.check_branching`.

Bounds are stated in the payoffs of player 1, as in every solution. If the sum of payoffs is not constant, they are
stated in those of the player.

Source: M. Kaneko, J. J. Kline, Behavior strategies, mixed strategies and perfect recall, International Journal of Game
Theory 24 (1995).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tremble.check import Claim, Limits, Outcome
from tremble.check.best_response import Pair, evaluate
from tremble.check.claim import Wrong, fields, place, seat
from tremble.check.tree import Payoffs, SequenceForm, form_of
from tremble.recall.check_branching import check_lower, check_upper, read_branching
from tremble.recall.check_refined import refined_sequences, refined_strategy, relaxed_pass, repeated_node

__all__ = ["outcome_of_maxmin"]


def outcome_of_maxmin(game: Any, claim: Claim, limits: Limits, values_only: bool) -> Outcome:
    """Compute the expected payoffs of a claim about a tree, and the bounds that its certificate proves.

    Parameters
    ----------
    game : game tree
    claim : Claim
        Its strategies have no faults.
    limits : Limits
    values_only : bool
        True if the certificate is not read.
    """
    for player in (0, 1):
        node = repeated_node(game, player)
        if node is not None:
            return Outcome(None, faults=(_absentminded(game, player, node, values_only),))
    sequences = refined_sequences(game, 0), refined_sequences(game, 1)
    form = form_of(game, sequences, limits)
    refined1, refined2 = (refined_strategy(claim.strategies[i], sequences[i]) for i in (0, 1))
    outcome = evaluate(form, (refined1, refined2), limits)
    if values_only:
        return Outcome(outcome.values)
    faults: list[str] = []
    try:
        bounds, epsilon = _bounds(game, claim, form, outcome, limits, faults)
    except Wrong as error:
        faults.append(str(error))
    if faults:
        return Outcome(outcome.values, faults=tuple(faults))
    return Outcome(outcome.values, bounds=bounds, epsilon=epsilon)


def _absentminded(game: Any, player: int, node: int, values_only: bool) -> str:
    """Say that the path to a node reaches its information set twice."""
    where = place(game, player, int(game.infoset[node]))
    if values_only:
        return f"{where}: a play passes this set twice"
    path = " / ".join(map(repr, game.path(node)[:20]))
    return (
        f"{where}: the player is absentminded: the path {path:.200} comes to this set twice, and maxmin strategies are "
        "not proven of such games"
    )


def _bounds(
    game: Any, claim: Claim, form: SequenceForm, outcome: Outcome, limits: Limits, faults: list[str]
) -> tuple[Pair, Fraction]:
    """Return the bounds that the certificate proves, and the gap that it allows; add to the faults what is wrong."""
    certificate, epsilon = claim.certificate, Fraction(0)
    if certificate.get("kind") == "guarantee":
        player = seat(fields(certificate, ("kind", "player"), "certificate")["player"], "certificate.player")
        losses, unit = _losses(form, outcome, player, limits)
        low = -Fraction(relaxed_pass(form.sequences[1 - player], losses), unit)
        high = outcome[player].best_response_value
    else:
        stated = read_branching(game, certificate, limits)
        player, low, high, epsilon = stated.player, stated.lower, stated.upper, stated.epsilon
        losses, unit = _losses(form, outcome, player, limits)
        check_lower(game, stated, form, (losses, unit), limits, faults)
        check_upper(game, stated, form, limits, faults)
    constant = form.constant_sum
    return ((low, high) if player == 0 or constant is None else (constant - high, constant - low)), epsilon


def _losses(form: SequenceForm, outcome: Outcome, player: int, limits: Limits) -> tuple[list[int], int]:
    """Return what each sequence of the opponent takes from the player's strategy, as integers over a unit."""
    gains, plan = form.payoffs[player], outcome[player].plan
    order = np.argsort(gains.other, kind="stable")
    faced = gains.other[order]
    begin = np.flatnonzero(np.concatenate(([True], faced[1:] != faced[:-1])))
    losses = Payoffs(faced, gains.own[order], -gains.amount[order], begin)
    count = form.sequences[1 - player].count
    return losses.against(plan.weight, count, limits), plan.denominator * form.denominator
