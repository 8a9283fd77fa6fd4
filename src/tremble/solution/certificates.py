"""Certificates as plain data: the proofs that methods state with their claims.

Each function writes one kind. The kernel reads them (:mod:`tremble.check`). ``docs/reference/file-formats.md`` explains
their fields. Exact numbers are Fractions; files hold them as text.
"""

from __future__ import annotations

from typing import Any

__all__ = ["guarantee_certificate"]


def guarantee_certificate(player: int) -> dict[str, Any]:
    """Return a certificate of kind ``guarantee``: best responses prove what a player, 0 or 1, can guarantee.

    The bounds stand in the solution.

    Examples
    --------
    >>> guarantee_certificate(player=1)
    {'kind': 'guarantee', 'player': 2}
    """
    return {"kind": "guarantee", "player": player + 1}
