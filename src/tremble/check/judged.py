r"""Judge strategies: prove what can be proven about them, and join two judged profiles.

`check` proves or refuses what a file states. `judge` asks what strategies deserve: the claimed concept, else that they
are a Nash equilibrium, else bounds.

Theorem (join).  Let the verdicts on (x, y') and on (x', y) be known. Then the best-response value of player 1 at (x, y)
is the one at (x', y), and that of player 2 is the one at (x, y').

Proof.  What player 1 can earn depends on the strategy of player 2 alone, which is y in both profiles. The same holds
for player 2 and x.

Theorem (sum).  Let the payoffs sum to c at every leaf that x allows, and to d at every leaf that y allows. Then c = d,
and it is the sum of the expected payoffs of (x, y). So both values give the bounds of the theorem in `nash`.

Proof.  Some leaf is reached with a positive probability under x and y. Both allow it, so its sum is c and d. Every leaf
that is reached under x and y is such a leaf.

A search for best responses may take minutes in games that are not built. So `join` takes best-response values from the
verdicts, and computes only the expected payoffs of the joined profile. It trusts only profiles that `judge` made, in
this process or in a fork of it. For other profiles it judges the joined one from scratch.
"""

from __future__ import annotations

import hmac
import pickle
from dataclasses import dataclass, replace
from secrets import token_bytes
from typing import Any
from weakref import WeakSet

from tremble.check.best_response import Outcome
from tremble.check.claim import TREE, Claim
from tremble.check.verdict import Verification

_KEY = token_bytes(32)  # forks inherit it


@dataclass(frozen=True, eq=False)
class JudgedProfile:
    """Strategies and the verdict on them. Only the kernel makes one that `join` trusts."""

    strategies: tuple[Any, Any]
    verification: Verification
    digest: str | None  # of the game; None for rules without one, and for trees, where `join` does not need it
    kind: str = TREE  # of the game, as in a claim

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with a signature, so that a profile that a forked process has judged is trusted here."""
        data = pickle.dumps((self.strategies, self.verification, self.digest, self.kind))
        return _unpickled, (data, hmac.digest(_KEY, data, "sha256") if self in _ISSUED else b"")


_ISSUED: WeakSet[JudgedProfile] = WeakSet()


def _unpickled(data: bytes, signature: bytes) -> JudgedProfile:
    judged = JudgedProfile(*pickle.loads(data))
    if hmac.compare_digest(hmac.digest(_KEY, data, "sha256"), signature):
        _ISSUED.add(judged)
    return judged


def issue(game: Any, claim: Claim, verification: Verification) -> JudgedProfile:
    """Bind a verdict to the strategies that it is about; only `judge`, `judge_values` and `join` call it."""
    # The digest of a tree takes a pass over its nodes.
    judged = JudgedProfile(claim.strategies, verification, None if claim.kind == TREE else game.digest, claim.kind)
    _ISSUED.add(judged)
    return judged


def joined_outcome(game: Any, judged1: JudgedProfile, judged2: JudgedProfile, values: Any) -> Outcome | None:
    """Return the outcome of player 1's strategy of one profile with player 2's of another, by the theorems.

    Return None if the verdicts do not serve: they are not about this game, know no best responses, or contradict the
    expected payoffs `values`, since no strategy earns more than a best response.
    """
    best1, best2 = judged1.verification.best_response_values, judged2.verification.best_response_values
    if values is None or best1 is None or best2 is None or not serves(game, judged1, judged2):
        return None
    if best2[0] < values[0] or best1[1] < values[1]:
        return None
    known = judged1.verification.bounds is not None and judged2.verification.bounds is not None
    return Outcome(values, (best2[0], best1[1]), values[0] + values[1] if known else None, every_leaf=False)


def serves(game: Any, judged1: JudgedProfile, judged2: JudgedProfile) -> bool:
    """Return whether both profiles were judged here, with best responses, in this game, which is not built."""
    known = all(
        judged in _ISSUED and judged.kind != TREE and judged.verification.best_response_values is not None
        for judged in (judged1, judged2)
    )
    return known and judged1.kind == judged2.kind and judged1.digest == judged2.digest == game.digest


def profile_claim(claim: Claim, outcome: Outcome) -> Claim:
    """Return a certified claim of these strategies that states the true values and the bounds that it should."""
    values, bounds = outcome.values, outcome.bounds
    if bounds is None and outcome.constant_sum is not None and values is not None:
        bounds = values[0], values[0]
    return replace(claim, values=values, bounds=bounds)
