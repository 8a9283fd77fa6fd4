"""Refutations of kind ``reply``: where a player does not reply best to what the other plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tremble.verifier.certificates.fields import brief, is_count, is_object
from tremble.verifier.certificates.mistakes import read_player
from tremble.verifier.context import CheckContext

__all__ = ["ReplyRefutation"]


@dataclass(frozen=True, eq=False)
class ReplyRefutation:
    """The player plays at the information set what is not best there against the other's strategy."""

    kind: ClassVar[str] = "reply"

    player: int  # 0 or 1: who makes mistakes, the other none
    infoset: int  # from 0; documents count from 1

    def plain(self, concept: str) -> dict[str, Any]:
        """As plain data: what it proves the strategies not to be."""
        return {"concept": concept, "kind": self.kind, "player": self.player + 1, "infoset": self.infoset + 1}

    @classmethod
    def read(cls, context: CheckContext, stated: Mapping[str, Any]) -> ReplyRefutation | None:
        """What is stated; None, and problems that name the field, if it is none of this kind."""
        problems = context.problems
        if not is_object(stated, ("concept", "kind", "player", "infoset"), "refutation", problems):
            return None
        player, k = read_player(stated, problems), stated["infoset"]
        if player is None:
            return None
        if not is_count(k) or not 1 <= k <= context.tree.num_infosets[player]:
            problems.add(f"refutation.infoset: {brief(k)} is no information set of player {player + 1}")
            return None
        return cls(player, k - 1)
