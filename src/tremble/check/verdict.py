"""Verdicts: results of checks, which say what is proven. Only this module and `lists` create a `Verification`.

Theorem.  If a verdict says `proven`, every check of the proven concept has run to its end without finding a problem.

Proof.  `conclude` sets `proven` only if the checks have returned an outcome and the list of problems is empty. Only
under these two conditions does `deserved` report the claimed concept as proven. In all other cases, `deserved` reports
"nash" only if neither player gains by a best response, and "bounds" only if the outcome proves bounds (see `nash`).
Checks only add problems. A check that stops early raises `Wrong` or `TooLarge`, and then `check` adds a problem.
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
    """The facts that the kernel has proven, or believes without a proof, about one field of a list of equilibria.

    Attributes
    ----------
    name : str
        The field, as in the file, for example ``"unique"``. ``"unique_plans[0]"`` is about player 1.
    proven, believed : str or None
        What is proven, and what is believed, in words. None if there is nothing to report.

    Examples
    --------
    >>> print(FieldProof("unique", believed="true, as stated").proven)
    None
    """

    name: str
    proven: str | None = None
    believed: str | None = None


@dataclass(frozen=True)
class Verification(Shown):
    """The result of a check: what is proven about a claim or a file, and the problems that were found.

    Attributes
    ----------
    ok : bool
        True if everything that is claimed is proven.
    concept : str
        The claimed concept.
    status : str
        The claimed status; for a judged profile, the status that it deserves.
    proven : str or None
        The proven concept, ``"bounds"``, or None. For a file, this is the claim of the file, or None. For a judged
        profile, it may be ``"nash"`` although a refinement is claimed.
    nash_conv : Fraction or None
        The sum of the gains of both players by deviating. None if the strategies do not fit the game, or if the proof
        needs no best responses (``"maxmin"``).
    problems : tuple of str
        At most 20 problems, each with its place, and the number of further problems. Empty exactly if ``ok``.
    values, best_response_values : pair of Fraction, or None
        Expected payoffs, and the most that each player can earn against the other's strategy, both recomputed.
    bounds : pair of Fraction, or None
        Proven bounds on the value of the game for player 1, or None. For games that are not built as trees (except
        ordered games), bounds on the most that player 1 can guarantee. None if the sum of the payoffs is not constant.
        Exception: if a ``"maxmin"`` certificate names a player, bounds on the most that this player can guarantee, for
        any sum. If the certificate names player 2 and the sum is a constant c, the pair is (c - upper, c - lower).
    notes : tuple of str
        Assumptions that the kernel has not checked.
    disproven : str or None
        The concept that the strategies are proven not to satisfy, if a refutation is valid.
    proven_player, disproven_player : int or None
        The player, 0 or 1, if ``proven`` or ``disproven`` is a fact about only this player's strategy.
        None if it is a fact about both players.
    fields : tuple of FieldProof
        For a list of equilibria (``tremble/equilibria@1``) that is ``ok``: what is proven and what is believed about
        each field. Otherwise empty.

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
    """Create the verdict on a claim from the results of all checks. ``disproven`` is the concept that was disproven."""
    if claim.status == Status.LIMIT_REACHED and disproven is None and outcome is not None:
        problems.add("status: 'limit-reached' states neither an equilibrium nor bounds, so there is nothing to prove")
    if outcome is None and not problems:
        problems.add("the checks have not run")
    named: dict[str, str] = {Status.CERTIFIED: claim.concept, Status.BOUNDED: "bounds"}
    proven = named.get(claim.status) if not problems else None
    notes = tuple(_notes(game, claim, outcome)) if outcome is not None else ()
    return _verdict(claim, outcome, problems, (claim.status, proven, None if problems else disproven), notes)


def deserved(claim: Claim, outcome: Outcome | None, problems: Problems, disproven: str | None) -> Verdict:
    """Create a verdict that states the strongest proven claim: the concept, else ``nash``, else bounds, else nothing.

    `disproven` is the concept that a valid refutation disproves. It is reported even if there are problems.
    """
    if outcome is None and not problems:
        problems.add("the checks have not run")
    status: Status = Status.CERTIFIED
    proven: str | None = claim.concept
    if problems and outcome is not None and outcome.nash_conv == 0:
        proven = "nash"
    elif problems and outcome is not None and (outcome.proven_bounds or outcome.only_gains):
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
    """Create a verdict; `found` is the triple (status, proven concept, disproven concept)."""
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
    """Return the player, 0 or 1, whom a valid certificate is about, or None if it is about both players."""
    if concept == "maxmin":
        player = certificate.get("player")
        return player - 1 if type(player) is int and player in (1, 2) else None
    sides = certificate.get("trembles") if concept == "one-sided-quasi-perfect" else None
    if not isinstance(sides, list | tuple):
        return None
    return next((i for i, side in enumerate(sides) if isinstance(side, str) and side == "none"), None)


def _notes(game: Any, claim: Claim, outcome: Outcome) -> Iterator[str]:
    """Yield notes for a verdict: the assumptions that the check of the claim has not proven."""
    if claim.kind != TREE and game.digest is None:
        yield "these rules have no digest, so it is not proven that the solution belongs to this game"
    if not outcome.every_leaf and outcome.proven_bounds is not None:
        yield (
            "bounds: a constant sum of the payoffs is known only for the plays that either strategy allows, so these "
            "are bounds on the most that player 1 can guarantee"
        )
    yield from outcome.notes


# -- profiles with their verdicts, which only the kernel issues ---------------------------------------

_KEY = token_bytes(32)  # forked processes inherit this key


@dataclass(frozen=True, eq=False)
class JudgedProfile:
    """Strategies and the verdict on them."""

    strategies: tuple[Any, Any]
    verification: Verification
    digest: str | None  # the digest of the game; None for rules without a digest, and for trees, which do not need it
    kind: str = TREE  # the kind of the game, as in `Claim`

    @property
    def issued(self) -> bool:
        """Return whether the kernel made this object, in this process or in a process forked from it."""
        return self in _ISSUED

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the profile. If the kernel issued it, add a signature that parent and forked processes recognize."""
        data = pickle.dumps((self.strategies, self.verification, self.digest, self.kind))
        return _unpickled, (data, hmac.digest(_KEY, data, "sha256") if self.issued else b"")


_ISSUED: WeakSet[JudgedProfile] = WeakSet()


def _unpickled(data: bytes, signature: bytes) -> JudgedProfile:
    """Unpickle a judged profile. If the signature is right, mark the profile as issued, so that `join` trusts it."""
    judged = JudgedProfile(*pickle.loads(data))
    if hmac.compare_digest(hmac.digest(_KEY, data, "sha256"), signature):
        _ISSUED.add(judged)
    return judged


def issue(game: Any, claim: Claim, verification: Verification) -> JudgedProfile:
    """Create a judged profile, and mark the profile as issued, so that `join` trusts the verdict."""
    judged = JudgedProfile(claim.strategies, verification, None if claim.kind == TREE else game.digest, claim.kind)
    _ISSUED.add(judged)
    return judged
