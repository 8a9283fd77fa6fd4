"""Use the kernel (:mod:`tremble.check`) to prove the statements in a list of equilibria."""

from __future__ import annotations

from dataclasses import fields
from pkgutil import resolve_name

from tremble import check
from tremble.capabilities import registered
from tremble.check.lists import ListClaim, Plans, check_list
from tremble.solution.claims import Game, Progress, limits_of, stated_claim, suppliers
from tremble.solution.equilibria import Equilibria

__all__ = ["verdict_on_list"]


def verdict_on_list(
    game: Game, equilibria: Equilibria, *, time_limit: float | None = None, progress: Progress | None = None
) -> check.Verification:
    """Let the kernel check each solution in a list, and all statements about the whole list, such as ``unique``."""
    names = {field.name for field in fields(ListClaim)} - {"members", "digest", "game"}
    claim = ListClaim(
        members=tuple(map(stated_claim, equilibria.solutions)),
        digest=equilibria.game.digest,
        game=equilibria.game.spec or equilibria.game.title,
        **{name: getattr(equilibria, name) for name in names},
    )
    return check_list(game, claim, limits_of(game, time_limit, progress), suppliers(), _plans)


def _plans(game: Game, claim: ListClaim, limits: check.Limits) -> Plans:
    """Number the realization plans in a list of equilibria, if the game has no tree. Equal plans get equal numbers."""
    if not claim.members:
        return Plans(((), ()), ((), ()))
    kind = claim.members[0].kind
    (place,) = (capability.plans[kind] for capability in registered() if kind in capability.plans)
    plans: Plans = resolve_name(place)(game, claim, limits)
    return plans
