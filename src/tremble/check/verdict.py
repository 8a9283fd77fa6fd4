"""Verdicts: what the kernel has proven about a claim. Only this module and `lists` make a `Verification`.

Theorem.  If a verdict says `proven`, every check of the proven concept has run to its end and has found no problem.

Proof.  `conclude` says `proven` only for an empty list of problems and a known outcome. Checks only add problems. A
check that stops early does so with `Wrong` or `TooLarge`, and `check` adds a problem for either. `deserved` says that
the concept is proven under the same conditions. Else it says "nash" only if neither player gains by a best response,
and "bounds" only if the outcome proves bounds (see `nash`).
"""

import hmac
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from secrets import token_bytes
from typing import Any, cast
from weakref import WeakSet

from tremble.check.best_response import Outcome, Pair
from tremble.check.claim import TREE, Claim, Problems
from tremble.check.refute import disproven_player
from tremble.shown import Shown
from tremble.status import Status


@dataclass(frozen=True, repr=False)
class FieldProof(Shown):
    """A field of a list of equilibria: what is proven about it, and what is only stated.

    Attributes
    ----------
    name : str
        The field, as in the file: ``"unique"``; ``"unique_plans[0]"`` is about player 1.
    proven, believed : str or None
        In words; None if nothing is proven, or believed without a proof.

    Examples
    --------
    >>> print(FieldProof("unique", believed="true, as stated").proven)
    None
    """

    name: str
    proven: str | None = None
    believed: str | None = None


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """The result of a check: what is proven about a claim or a file, and what is wrong with it.

    Attributes
    ----------
    ok : bool
        True if everything that is claimed is proven.
    concept : str
        The concept that is claimed.
    status : str
        The status that is claimed; for a judged profile, the status that it deserves.
    proven : str or None
        The proven concept, ``"bounds"``, or None. For a file it is what the file claims, or None. For a judged profile
        it may be ``"nash"`` where a refinement is claimed.
    nash_conv : Fraction or None
        The sum of the gains of both players by deviating; None if the strategies do not fit the game, or the proof
        needs no best responses (``"maxmin"``).
    problems : tuple of str
        What is wrong and where: at most 20 problems, and a count of the rest. Empty exactly if ``ok``.
    values, best_response_values : pair of Fraction, or None
        Recomputed: expected payoffs, and the most that each player can earn against the other's strategy.
    bounds : pair of Fraction, or None
        Proven bounds on the value of player 1, or on what player 1 earns if a player guarantees the most
        (``"maxmin"``; without a constant sum: on what that player earns). None unless the payoffs have a constant sum.
        For games that are not built (except ordered ones), the bounds are on the most that player 1 can guarantee.
    notes : tuple of str
        What was taken on trust.
    disproven : str or None
        The concept that the strategies are proven not to be of, if a refutation holds.
    proven_player, disproven_player : int or None
        The player, 0 or 1, whom ``proven`` and ``disproven`` are about, for concepts of one player. None if the proof
        holds for either player.
    fields : tuple of FieldProof
        For a list of equilibria (``tremble/equilibria@1``) that is ``ok``: what is proven about each field, and what
        is only stated. Else empty.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> verification = tremble.verify(kuhn, tremble.solve(kuhn))
    >>> verification.proven, verification.nash_conv
    ('nash', Fraction(0, 1))
    """

    ok: bool
    concept: str
    status: Status
    proven: str | None
    nash_conv: Fraction | None
    problems: tuple[str, ...]
    values: Pair | None = None
    best_response_values: Pair | None = None
    bounds: Pair | None = None
    notes: tuple[str, ...] = ()
    disproven: str | None = None
    proven_player: int | None = None
    disproven_player: int | None = None
    fields: tuple[FieldProof, ...] = ()

    def __repr__(self) -> str:
        found = f"ok {self.ok}, concept {self.concept!r:.40}, proven {self.proven!r:.40}"
        return f"<Verification: {found}, problems {self.problems!r:.60}>"


Verdict = Verification  # the short name, in the kernel


def conclude(game: Any, claim: Claim, outcome: Outcome | None, problems: Problems, disproven: str | None) -> Verdict:
    """Make the verdict on a claim whose checks have ended."""
    if claim.status == Status.LIMIT_REACHED and disproven is None and outcome is not None:
        problems.add("status: 'limit-reached' states neither an equilibrium nor bounds, so there is nothing to prove")
    if outcome is None and not problems:
        problems.add("the checks have not run")
    named: dict[str, str] = {Status.CERTIFIED: claim.concept, Status.BOUNDED: "bounds"}
    proven = named.get(claim.status) if not problems else None
    notes = tuple(_notes(game, claim, outcome)) if outcome is not None else ()
    return _verdict(claim, outcome, problems, (claim.status, proven, None if problems else disproven), notes)


def deserved(claim: Claim, outcome: Outcome | None, problems: Problems, disproven: str | None) -> Verdict:
    """Make the verdict on strategies whose checks have ended: the status is the one that they deserve.

    The caller has checked the refutation by itself, so that it may hold although the claim fails.
    """
    if outcome is None and not problems:
        problems.add("the checks have not run")
    status: Status = Status.CERTIFIED
    proven: str | None = claim.concept
    if problems and outcome is not None and outcome.nash_conv == 0:
        proven = "nash"
    elif problems and outcome is not None and outcome.proven_bounds is not None:
        status, proven = Status.BOUNDED, "bounds"
    elif problems:
        status, proven = Status.LIMIT_REACHED, None
    return _verdict(claim, outcome, problems, (status, proven, disproven))


def _verdict(
    claim: Claim,
    outcome: Outcome | None,
    problems: Problems,
    found: tuple[str, str | None, str | None],
    notes: tuple[str, ...] = (),
) -> Verdict:
    """Make a verdict; `found` has its status, the proven concept and the disproven one."""
    status, proven, disproven = found
    known = outcome or Outcome(None)
    return Verification(
        ok=not problems,
        concept=claim.concept,
        status=cast(Status, Status(status) if status in set(Status) else status),
        proven=proven,
        nash_conv=known.nash_conv,
        problems=problems.listed(),
        values=known.values,
        best_response_values=known.best_response_values,
        bounds=known.proven_bounds,
        notes=notes,
        disproven=disproven,
        proven_player=proven_player(claim.concept if proven == "bounds" else proven, claim.certificate),
        disproven_player=None if disproven is None else disproven_player(claim.refutation),
    )


def proven_player(concept: str | None, certificate: Mapping[str, Any]) -> int | None:
    """Return the player whom a certificate that holds is about."""
    if concept == "maxmin":
        player = certificate.get("player")
        return player - 1 if type(player) is int and player in (1, 2) else None
    sides = certificate.get("trembles") if concept == "one-sided-quasi-perfect" else None
    if not isinstance(sides, list | tuple):
        return None
    return next((i for i, side in enumerate(sides) if isinstance(side, str) and side == "none"), None)


def _notes(game: Any, claim: Claim, outcome: Outcome) -> Iterator[str]:
    """Yield what was taken on trust."""
    if claim.kind != TREE and game.digest is None:
        yield "these rules have no digest, so that the solution belongs to this game is not proven"
    if not outcome.every_leaf and outcome.proven_bounds is not None:
        yield (
            "bounds: that the payoffs have a constant sum is known only for the plays that either strategy allows, so "
            "these are bounds on the most that player 1 can guarantee"
        )
    yield from outcome.notes


# -- profiles with their verdicts, which only the kernel issues ---------------------------------------

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
