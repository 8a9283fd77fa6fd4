r"""Check claims about maxmin strategies in trees in which a player may not have perfect recall.

In such trees, best responses do not prove these claims, so the checking kernel uses this module.

The players must not be absentminded, which means that no path reaches an information set twice. A behavior strategy x
of a player *guarantees* m if x earns at least m against every strategy of the opponent. The opponent's own payoffs do
not matter, so this module assumes that the opponent loses what the player earns. It is enough to consider pure
strategies of the opponent, because the player's payoff is affine in the opponent's mixed action at each set. A *maxmin
strategy* guarantees the most. A certificate proves a lower and an upper bound on this largest guarantee. The two bounds
can be different.

Theorem (guarantee).  Let x be the strategy of the player, and let y be the strategy of the opponent. The negative of
the opponent's *relaxed pass* against x (see `tremble.recall.check_refined`) is a lower bound on the payoff that x
guarantees. The player's relaxed pass against y is an upper bound on the payoff that any strategy of the player
guarantees. If both players have perfect recall, the lower bound is exactly the guarantee of x, and the upper bound is
the payoff of a best response to y.

Proof.  The opponent's relaxed pass is an upper bound on what the opponent can earn against x. The player's relaxed pass
is an upper bound on what any strategy of the player earns against y. No strategy guarantees more than it earns. If a
player has perfect recall, each refined set is an information set. The relaxed pass is then backward induction.

Certificates of kind `branching` prove better bounds for players without perfect recall. See
:mod:`tremble.recall.check_branching`.

If the sum of payoffs is constant, bounds are payoffs of player 1, as in other claims. Otherwise they are payoffs of
the player whose strategy is claimed to be a maxmin strategy.

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
    """Return the expected payoffs of the strategies in a claim, and the bounds that the claim's certificate proves.

    Parameters
    ----------
    game : game tree
    claim : Claim
        A claim whose strategies are well-formed.
    limits : Limits
    values_only : bool
        If True, compute only the expected payoffs and do not read the certificate.
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
    """Return the error message for the path to ``node``, which visits the node's information set twice."""
    where = place(game, player, int(game.infoset[node]))
    if values_only:
        return f"{where}: a path reaches this set twice"
    path = " / ".join(map(repr, game.path(node)[:20]))
    return (
        f"{where}: the player is absentminded: the path {path:.200} reaches this set twice; in such games maxmin "
        "strategies cannot be proven"
    )


def _bounds(
    game: Any, claim: Claim, form: SequenceForm, outcome: Outcome, limits: Limits, faults: list[str]
) -> tuple[Pair, Fraction]:
    """Return the bounds and the target gap of the certificate. Add errors in the certificate's proof to ``faults``."""
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
    """Return the payoff that each sequence of the opponent earns against the player's strategy.

    Returns
    -------
    losses : list of int
        The payoffs as integers. They are losses of the player.
    unit : int
        The denominator of the payoffs.
    """
    gains, plan = form.payoffs[player], outcome[player].plan
    order = np.argsort(gains.other, kind="stable")
    faced = gains.other[order]
    begin = np.flatnonzero(np.concatenate(([True], faced[1:] != faced[:-1])))
    losses = Payoffs(faced, gains.own[order], -gains.amount[order], begin)
    count = form.sequences[1 - player].count
    return losses.against(plan.weight, count, limits), plan.denominator * form.denominator
