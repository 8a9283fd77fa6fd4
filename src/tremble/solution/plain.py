"""Convert free-form data, such as a certificate, to JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from tremble.errors import CertificateError
from tremble.numbers import format_fraction

__all__ = ["INTEGER_DIGITS", "MAX_DEPTH", "plain"]

INTEGER_DIGITS = 18
MAX_DEPTH = 64


def plain(value: Any, path: str, *, decimal: bool = False, depth: int = 0) -> Any:
    """Convert data of any form to JSON values. Allow floats only in fields named ``*_float``.

    ``decimal`` is true if ``value`` itself is in such a field. Raise ``CertificateError`` for values that are not
    allowed. The error shows a bug in the solution method that made the value.
    """
    if value is None or isinstance(value, bool | np.bool_):
        return value if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Fraction):
        if not type(value.numerator) is type(value.denominator) is int:
            raise CertificateError(f"{path} is a Fraction that does not consist of Python's integers")
        return format_fraction(value)
    if isinstance(value, int | np.integer):
        if abs(int(value)) >= 10**INTEGER_DIGITS:
            raise CertificateError(f"{path} is an integer of more than {INTEGER_DIGITS} digits; write it as text")
        return int(value)
    if isinstance(value, float | np.floating):
        if not decimal:
            raise CertificateError(f"{path} is a float; only fields whose name ends in '_float' can contain floats")
        return float(value) if isfinite(value) else None
    if depth == MAX_DEPTH:
        raise CertificateError(f"{path} is nested more than {MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise CertificateError(f"{path} has a key that is not text: {key!r}")
        return {
            str(key): plain(item, f"{path}.{key}", decimal=key.endswith("_float"), depth=depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        kinds = set(map(type, value))  # long certificates are lists of one kind
        if kinds == {str} or (kinds == {int} and max(map(abs, value)) < 10**INTEGER_DIGITS):
            return list(value)
        if kinds == {Fraction}:
            texts = {id(number): format_fraction(number) for number in {id(n): n for n in value}.values()}
            return [texts[id(number)] for number in value]
        return [plain(item, f"{path}[{i}]", decimal=decimal, depth=depth + 1) for i, item in enumerate(value)]
    raise CertificateError(f"{path} is a {type(value).__name__}, which a solution file cannot contain")
