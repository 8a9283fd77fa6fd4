"""Profiles with their verdicts, which only the kernel issues."""

from __future__ import annotations

import hmac
import pickle
from dataclasses import dataclass
from secrets import token_bytes
from typing import Any
from weakref import WeakSet

from tremble.check.claim import TREE, Claim
from tremble.check.verdict import Verification

_KEY = token_bytes(32)  # forks inherit it


@dataclass(frozen=True, eq=False)
class JudgedProfile:
    """Strategies and the verdict on them."""

    strategies: tuple[Any, Any]
    verification: Verification
    digest: str | None  # of the game; None for rules without one, and for trees, where nobody needs it
    kind: str = TREE  # of the game, as in a claim

    @property
    def issued(self) -> bool:
        """Return whether the kernel made this object, in this process or in a fork of it."""
        return self in _ISSUED

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with a signature, so that a profile that a forked process has judged counts as issued here."""
        data = pickle.dumps((self.strategies, self.verification, self.digest, self.kind))
        return _unpickled, (data, hmac.digest(_KEY, data, "sha256") if self.issued else b"")


_ISSUED: WeakSet[JudgedProfile] = WeakSet()


def _unpickled(data: bytes, signature: bytes) -> JudgedProfile:
    """Return a profile, which counts as issued if the signature is right."""
    judged = JudgedProfile(*pickle.loads(data))
    if hmac.compare_digest(hmac.digest(_KEY, data, "sha256"), signature):
        _ISSUED.add(judged)
    return judged


def issue(game: Any, claim: Claim, verification: Verification) -> JudgedProfile:
    """Bind a verdict to the strategies that it is about."""
    judged = JudgedProfile(claim.strategies, verification, None if claim.kind == TREE else game.digest, claim.kind)
    _ISSUED.add(judged)
    return judged
