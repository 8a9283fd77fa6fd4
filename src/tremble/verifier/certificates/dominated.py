"""Refutations of kind ``dominated``: a change of a strategy that never costs anything, and sometimes pays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tremble.verifier.certificates.fields import brief, exact, is_object
from tremble.verifier.certificates.mistakes import pairs, read_multipliers, read_player
from tremble.verifier.context import CheckContext

__all__ = ["DominatedRefutation"]


@dataclass(frozen=True, eq=False)
class DominatedRefutation:
    """In which direction a player's plan is to change: see :mod:`tremble.verifier.concepts.refutation`.

    Sequence 0 is the empty one, then come information sets by number and actions in tree order.
    """

    kind: ClassVar[str] = "dominated"

    player: int  # 0 or 1: whose strategy is dominated
    deviation: Mapping[int, int]  # by sequence of the player; those that are 0 are left out
    cost: Fraction | None = None  # of the other's mistakes that are looked at: at most so much; None: of all

    def plain(self, concept: str) -> dict[str, Any]:
        """As plain data: what it proves the strategies not to be."""
        stated = {"player": self.player + 1, "deviation": pairs(self.deviation)}
        return {"concept": concept, "kind": self.kind, **stated, **({} if self.cost is None else {"cost": self.cost})}

    @classmethod
    def read(cls, context: CheckContext, stated: Mapping[str, Any]) -> DominatedRefutation | None:
        """What is stated; None, and problems that name the field, if it is none of this kind."""
        problems, before = context.problems, len(context.problems)
        limited = ("cost",) if "cost" in stated else ()
        if not is_object(stated, ("concept", "kind", "player", "deviation", *limited), "refutation", problems):
            return None
        player = read_player(stated, problems)
        if player is None:
            return None
        sequences = range(1, 1 + context.tree.num_slots[player])
        deviation = read_multipliers(stated["deviation"], "refutation.deviation", sequences, problems)
        cost = None
        if limited:
            try:
                cost = exact(stated["cost"])
            except (TypeError, ValueError):
                problems.add(f"refutation.cost: an exact number as text, not {brief(stated['cost'])}")
        return None if len(problems) > before else cls(player, deviation, cost)
