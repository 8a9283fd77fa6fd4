"""Certificates of kind ``best-response``: what both players earn at most, and what they could gain together."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tremble.exact_numbers import parse_fraction
from tremble.verifier.certificates.fields import brief
from tremble.verifier.context import OutcomeContext, unequal

__all__ = ["check_best_response_certificate"]


def check_best_response_certificate(context: OutcomeContext) -> None:
    """The certificate is of kind ``best-response`` and its numbers are the true ones."""
    certificate = context.solution.certificate
    kind = certificate.get("kind")
    if kind != "best-response":
        found = brief(kind) if "kind" in certificate else "missing"
        context.problems.add(f"certificate.kind: {found}; here stands a certificate of kind 'best-response'")
        return
    for key in certificate:
        if key not in ("kind", "nash_conv", "best_response_values"):
            context.problems.add(f"certificate.{key[:60]}: a certificate of kind 'best-response' has no such field")
    _compare(context, certificate.get("nash_conv"), context.evaluation.nash_conv, "certificate.nash_conv")
    stated = certificate.get("best_response_values")
    if not isinstance(stated, list | tuple) or len(stated) != 2:
        context.problems.add("certificate.best_response_values: not a list of two exact numbers")
        return
    for i, true in enumerate(context.evaluation.best_response_values):
        _compare(context, stated[i], true, f"certificate.best_response_values[{i}]")


def _compare(context: OutcomeContext, stated: Any, true: Fraction, where: str) -> None:
    value = stated if isinstance(stated, Fraction) else None
    if isinstance(stated, str):
        try:
            value = parse_fraction(stated)
        except ValueError:
            value = None
    if value is None:
        context.problems.add(f"{where}: not an exact number as text")
    elif value != true:
        context.problems.add(f"{where}: {unequal(value, true)}")
