"""Certificates of kind ``best-response``: what both players earn at most, and what they could gain together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tremble.verifier.certificates.fields import Certificate, exact
from tremble.verifier.context import CheckContext, unequal

__all__ = ["BestResponseCertificate"]


@dataclass(frozen=True)
class BestResponseCertificate(Certificate):
    """Nobody gains by deviating, or how much both do.

    Examples
    --------
    >>> v = Fraction(-1, 18)
    >>> BestResponseCertificate((v, -v), (v, -v)).plain()
    {'kind': 'best-response', 'nash_conv': Fraction(0, 1), 'best_response_values': [Fraction(-1, 18), Fraction(1, 18)]}
    """

    kind: ClassVar[str] = "best-response"

    values: tuple[Fraction, Fraction]  # expected payoffs of players 1 and 2
    best_response_values: tuple[Fraction, Fraction]  # what each earns at most against the other's strategy

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": self.kind,
            "nash_conv": Fraction(sum(self.best_response_values) - sum(self.values)),
            "best_response_values": list(map(Fraction, self.best_response_values)),
        }

    @classmethod
    def check(cls, context: CheckContext) -> None:
        """What is stated is of this kind and its numbers are the true ones."""
        otherwise = f"here stands a certificate of kind {cls.kind!r}"
        if not cls.is_stated(context, otherwise, "nash_conv", "best_response_values"):
            return
        certificate = context.solution.certificate
        _compare(context, certificate["nash_conv"], context.outcome.nash_conv, "certificate.nash_conv")
        stated = certificate["best_response_values"]
        if not isinstance(stated, list | tuple) or len(stated) != 2:
            context.problems.add("certificate.best_response_values: not a list of two exact numbers")
            return
        for i, true in enumerate(context.outcome.best_response_values):
            _compare(context, stated[i], true, f"certificate.best_response_values[{i}]")


def _compare(context: CheckContext, stated: Any, true: Fraction, where: str) -> None:
    try:
        value = exact(stated)
    except (TypeError, ValueError):
        context.problems.add(f"{where}: not an exact number as text")
        return
    if value != true:
        context.problems.add(f"{where}: {unequal(value, true)}")
