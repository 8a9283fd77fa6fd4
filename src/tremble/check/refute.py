r"""Refutations: proofs that a profile does *not* satisfy a concept.

`best-response`: a player gains by deviating. Every equilibrium concept in tremble refines Nash equilibrium, so the
profile satisfies none of them.

`subgame`: a player gains by deviating in a cut subgame (see `subgame_perfect`). Then the profile is not subgame
perfect. It is not quasi-perfect, sequential or perfect either, because these concepts induce Nash equilibria in every
subgame that chance reaches.

`reply`: the theorem below. `dominated` and `mistakes`: see the files with these names.

Theorem.  Let a player's strategy play an action a at a set I with :math:`u_{Ia} < V_I` against the strategy of the
other player (see `best_response`). Then the profile is not a one-sided quasi-perfect equilibrium in which the other
player makes no mistakes.

Proof.  In such an equilibrium, at every set that chance and the other player's strategy lead to, the strategy must earn
the maximum from this set on. Chance and the other player's strategy lead to I, because otherwise all actions at I earn
0. But from I on, the strategy earns at most the mean of u_Ia over the actions that it plays, which is less than V_I.

Source: the definitions in `nash`, `subgame_perfect` and `one_sided`.
"""

from collections.abc import Callable
from typing import Any

from tremble.check.case import Case, Paths
from tremble.check.claim import TREE, Wrong, brief, fields, seat
from tremble.check.dominated import check_dominated
from tremble.check.mistakes import check_mistakes
from tremble.check.subgame_perfect import subgame_gains


def check_refutation(case: Case) -> str | None:
    """Check the claimed refutation and return its concept. The concept is disproven if the check adds no problem."""
    stated = case.claim.refutation or {}
    case.checked.add("refutation")
    kind, concept = stated.get("kind"), stated.get("concept")
    able = [name for name, (concepts, _) in _KINDS.items() if concept in concepts]
    if not able:
        raise Wrong(f"refutation.concept: {brief(concept)} cannot be disproven")
    if kind not in able:
        kinds = " or ".join(map(repr, able))
        raise Wrong(f"refutation.kind: must be {kinds} to disprove {concept!r}, not {brief(kind)}")
    if kind != "best-response" and case.claim.kind != TREE:
        raise Wrong(f"refutation.kind: {kind!r} needs a tree, but this game is not built as a tree")
    if case.outcome.gains is None:
        raise Wrong("refutation: best responses are not computed, so nothing can be disproven")
    _KINDS[str(kind)][1](case, stated)
    return str(concept)


def disproven_player(refutation: Any) -> int | None:
    """Return the player who makes no mistakes in a refuted one-sided concept, or None for any other concept."""
    player = refutation.get("player") if refutation.get("concept") == "one-sided-quasi-perfect" else None
    return None if player is None else 1 - seat(player, "refutation.player")


def _best_response(case: Case, stated: Any) -> None:
    """Check that at least one player gains by deviating to a best response."""
    fields(stated, ("concept", "kind"), "refutation")
    if not case.outcome.nash_conv:
        case.problems.add("refutation: nobody can gain by deviating")


def _subgame(case: Case, stated: Any) -> None:
    """Check that the stated player gains in the stated subgame by a deviation that changes no play in smaller ones."""
    fields(stated, ("concept", "kind", "path", "player"), "refutation")
    path, player = stated["path"], seat(stated["player"], "refutation.player")
    if not isinstance(path, list | tuple) or not all(isinstance(label, str) for label in path):
        raise Wrong("refutation.path: not a list of action labels")
    paths = Paths(case.game)
    if not any(who == player and paths.leads_to(path, root) for root, who, _ in subgame_gains(case)):
        case.problems.add(f"refutation: player {player + 1} gains nothing in the cut subgame after this path")


def _reply(case: Case, stated: Any) -> None:
    """Check that, at the stated information set, the player's strategy plays an action that is not best."""
    fields(stated, ("concept", "kind", "player", "infoset"), "refutation")
    player, infoset = seat(stated["player"], "refutation.player"), stated["infoset"]
    sets, worth = case.form.sequences[player].sets, case.outcome[player].worth
    if type(infoset) is not int or not 1 <= infoset <= len(sets):
        raise Wrong(f"refutation.infoset: {str(infoset)[:40]} is no information set of player {player + 1}")
    k, _, first, end = sets[infoset - 1]
    best, share = max(worth[first:end]), case.claim.strategies[player].numerator
    if all(worth[q] == best for q in range(first, end) if share[q - 1]):
        case.problems.add(f"refutation: {case.place(player, k)}: every played action is best")


# For each kind of refutation: the concepts that it can disprove, and the function that checks it.
_SUBGAME_PERFECT = ("subgame-perfect", "quasi-perfect", "sequential", "perfect")
_EVERY = ("nash", *_SUBGAME_PERFECT, "one-sided-quasi-perfect", "normal-form-perfect", "proper")
_KINDS: dict[str, tuple[tuple[str, ...], Callable[[Case, Any], None]]] = {
    "best-response": (_EVERY, _best_response),
    "subgame": (_SUBGAME_PERFECT, _subgame),
    "reply": (("one-sided-quasi-perfect",), _reply),
    "dominated": (("normal-form-perfect", "proper"), check_dominated),
    "mistakes": (("quasi-perfect", "one-sided-quasi-perfect", "sequential", "perfect"), check_mistakes),
}
