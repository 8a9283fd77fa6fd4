"""Certificates of kind ``guarantee``: best responses prove what a player can be sure of, whatever the other earns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tremble.verifier.certificates.fields import Certificate, brief, is_count
from tremble.verifier.context import CheckContext

__all__ = ["GuaranteeCertificate"]


@dataclass(frozen=True)
class GuaranteeCertificate(Certificate):
    """Whose guarantee it is: see :mod:`tremble.verifier.concepts.maxmin`. The bounds are those of the solution.

    Examples
    --------
    >>> GuaranteeCertificate(1).plain()
    {'kind': 'guarantee', 'player': 2}
    """

    kind: ClassVar[str] = "guarantee"

    player: int  # 0 or 1

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": self.kind, "player": self.player + 1}

    @classmethod
    def read(cls, context: CheckContext) -> GuaranteeCertificate | None:
        """What is stated; None, and problems that name the field, if it is none of this kind."""
        if not cls.is_stated(context, f"here stands a certificate of kind {cls.kind!r}", "player"):
            return None
        player = context.solution.certificate["player"]
        if not is_count(player) or player not in (1, 2):
            context.problems.add(f"certificate.player: 1 or 2, not {brief(player)}")
            return None
        return cls(player - 1)
