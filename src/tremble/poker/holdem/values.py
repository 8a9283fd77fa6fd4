r"""Weight, equity and expected value (EV) of each hand at each decision of a Hold'em game.

At a decision, let y_j be the weight of the opponent's hand j: its weight in the range times the probability of the
opponent's moves so far. For a player's hand i, let m_i be the sum of y_j over the hands without a card of hand i.

* The *weight* of i is its weight in the range times the probability of the player's own moves so far.
* The *equity* of i is the probability to win a showdown against a hand j that is drawn with the probabilities
  :math:`y_j / m_i`, on a random final board. A tie counts as half.
* The *EV* of an action is the expected number of chips that the player takes from the pot, minus the chips
  that the player adds from the action on, if both players follow their strategies afterwards. So folding has the EV 0.
  The EV of a hand is the mean of the EVs of its actions, weighted by their probabilities.

A payoff of the game also counts the half of the first pot and the player's earlier bets as paid. So the EV is the
expected payoff, plus half of the first pot, plus the chips that the player has bet before the decision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tremble.integers import FloatArray
from tremble.poker.holdem.decisions import Against, Profile
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.lines import decision
from tremble.poker.holdem.locked import locked_hands
from tremble.poker.holdem.tables import mixed_weights, probabilities_of

__all__ = ["HandValues", "hand_rows", "values_at"]


class HandValues(NamedTuple):
    """Arrays with an entry for each hand of the player at a decision; NaN where the opponent never gets there."""

    weight: FloatArray
    met: FloatArray  # the sum of the opponent's weights over the hands that each hand can meet
    equity: FloatArray
    ev: FloatArray
    frequencies: FloatArray  # [hands, actions]
    evs: FloatArray  # of each action, [hands, actions]


def values_at(rules: HoldemGame, profile: Profile, node: int, state: int = -1) -> HandValues:
    """Return weight, equity and EV of each hand at a decision, in a state of the board."""
    here, deal = rules.tree.nodes[node], rules.deal
    player, other = here.kind, 1 - here.kind
    against = Against(rules, profile, player)
    missing = deal.run_outs(len(deal.cards_of(state)))
    plan = against.own.plan([node], state)[0] / profile[player].denominator
    met = against.reaches([node], state)[0].astype(np.float64) / (
        missing * profile[other].denominator * deal.unit[other]
    )
    shares = probabilities_of(mixed_weights(rules, profile[player], node, state))
    worth = next(worth for n, _, worth in against.continued(profile[player], node, state) if n == node)
    evs = worth + float(rules.betting.pot / 2 + here.paid[player])
    own = plan * deal.weights[player] / deal.unit[player]
    return HandValues(own, met, against.equity([node], state)[0], (evs * shares).sum(axis=1), shares, evs)


def hand_rows(rules: HoldemGame, profile: Profile, line: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the player who moves after a line, and the rows of :meth:`tremble.Solution.hands`."""
    node, state = decision(rules, line)
    player, actions = rules.tree.nodes[node].kind, rules.tree.nodes[node].actions
    found, locked = values_at(rules, profile, node, state), locked_hands(rules, node, state)
    rows = []
    for hand in np.flatnonzero(rules.deal.free(player, state)).tolist():
        row: dict[str, Any] = {"hand": rules.name_of(player, hand), "weight": float(found.weight[hand])}
        row |= {"equity": _number(found.equity[hand]), "ev": _number(found.ev[hand])}
        for k, action in enumerate(actions):
            row |= {action: float(found.frequencies[hand, k]), f"ev {action}": _number(found.evs[hand, k])}
        if rules.lock:
            row["locked"] = bool(locked[hand])
        rows.append(row)
    return player, rows


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
