"""Refutations of kind ``subgame``: where somebody gains by deviating."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tremble.verifier.certificates.fields import is_object
from tremble.verifier.certificates.mistakes import read_player
from tremble.verifier.context import CheckContext

__all__ = ["SubgameRefutation"]


@dataclass(frozen=True, eq=False)
class SubgameRefutation:
    """Somebody gains by deviating in a subgame, the smaller ones within it left as they are."""

    kind: ClassVar[str] = "subgame"

    path: tuple[str, ...]  # action labels from the root to where it begins
    player: int  # 0 or 1

    def plain(self, concept: str) -> dict[str, Any]:
        """As plain data: what it proves the strategies not to be."""
        return {"concept": concept, "kind": self.kind, "path": list(self.path), "player": self.player + 1}

    @classmethod
    def read(cls, context: CheckContext, stated: Mapping[str, Any]) -> SubgameRefutation | None:
        """What is stated; None, and problems that name the field, if it is none of this kind."""
        problems = context.problems
        if not is_object(stated, ("concept", "kind", "path", "player"), "refutation", problems):
            return None
        path, player = stated["path"], read_player(stated, problems)
        if not isinstance(path, list | tuple) or any(not isinstance(label, str) for label in path):
            problems.add("refutation.path: not a list of action labels")
        elif player is not None:
            return cls(tuple(path), player)
        return None
