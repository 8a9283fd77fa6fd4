"""Refutations of kind `reply`: an action that is not best against an opponent who makes no mistakes.

Theorem.  Let a player's strategy play an action a at a set I with :math:`u_{Ia} < V_I` against the strategy of the
other player (see `best_response`). Then the profile is no one-sided quasi-perfect equilibrium in which the other player
makes no mistakes.

Proof.  There the strategy must earn the maximum from every set on that chance and the other's strategy lead to. They
lead to I, since otherwise all actions at I earn 0. From I on, the strategy earns at most the mean of u_Ia over the
actions that it plays, which is less than V_I.

Source: the definition in `one_sided`.
"""

from __future__ import annotations

from typing import Any

from tremble.check.case import Case
from tremble.check.claim import Wrong, fields, seat


def check_reply(case: Case, stated: Any) -> None:
    """Check that an action is played at the stated set that is not best there."""
    fields(stated, ("concept", "kind", "player", "infoset"), "refutation")
    player, infoset = seat(stated["player"], "refutation.player"), stated["infoset"]
    sets, worth = case.form.sequences[player].sets, case.outcome[player].worth
    if type(infoset) is not int or not 1 <= infoset <= len(sets):
        raise Wrong(f"refutation.infoset: {str(infoset)[:40]} is no information set of player {player + 1}")
    k, _, first, end = sets[infoset - 1]
    best, share = max(worth[first:end]), case.claim.strategies[player].numerator
    if all(worth[q] == best for q in range(first, end) if share[q - 1]):
        case.problems.add(f"refutation: {case.place(player, k)}: what is played there is best")
