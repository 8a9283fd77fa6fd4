r"""Refutations: proofs that a profile is *not* of a concept.

`best-response`: a player gains by deviating. Every equilibrium concept here refines Nash equilibria, so the profile is
of none of them.

`subgame`: a player gains by deviating in a cut subgame (see `subgame_perfect`). Then the profile is not subgame
perfect, and neither quasi-perfect, sequential nor perfect, because these induce Nash equilibria in every subgame that
chance reaches.

Source: the definitions in `nash` and `subgame_perfect`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tremble.check.case import Case
from tremble.check.claim import Wrong, fields, seat
from tremble.check.mistakes import check_mistakes
from tremble.check.subgame_perfect import subgame_gains
from tremble.check.tree import Paths

_BELOW_SUBGAME_PERFECT = ("subgame-perfect", "quasi-perfect", "sequential", "perfect")


def check_refutation(case: Case) -> str | None:
    """Check the claimed refutation, and return the concept that it disproves unless there are problems."""
    stated = case.claim.refutation
    if stated is None:
        return None
    kind, concept = str(stated.get("kind")), str(stated.get("concept"))
    concepts, prove = _KINDS.get(kind, ((), None))
    if prove is None or concept not in concepts:
        raise Wrong(f"refutation: the kernel knows no refutation of kind {kind:.40} for the concept {concept:.40}")
    prove(case, stated)
    return concept


def _best_response(case: Case, stated: Any) -> None:
    fields(stated, ("concept", "kind"), "refutation")
    if not any(result.gain for result in case.outcome):
        case.problems.add("refutation: nobody gains by deviating")


def _subgame(case: Case, stated: Any) -> None:
    fields(stated, ("concept", "kind", "path", "player"), "refutation")
    path, player = stated["path"], seat(stated["player"], "refutation.player")
    if not isinstance(path, list | tuple):
        raise Wrong("refutation.path: not a list of action labels")
    paths = Paths(case.game)
    if not any(who == player and paths.leads_to(path, root) for root, who, _ in subgame_gains(case)):
        case.problems.add(f"refutation: player {player + 1} gains nothing in a subgame that begins at this path")


_EVERY = ("nash", "one-sided-quasi-perfect", "normal-form-perfect", "proper", *_BELOW_SUBGAME_PERFECT)
_KINDS: dict[str, tuple[tuple[str, ...], Callable[[Case, Any], None]]] = {
    "best-response": (_EVERY, _best_response),
    "subgame": (_BELOW_SUBGAME_PERFECT, _subgame),
    "mistakes": (("quasi-perfect", "sequential"), check_mistakes),
}
