"""Tables of what functions return: rows of plain cells, which CSV output writes too, and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from math import isfinite
from typing import Any, ClassVar

from tremble.errors import SpecError, TrembleError
from tremble.numbers import format_fraction
from tremble.shown import Shown
from tremble.words import described

__all__ = ["Tabular", "as_float", "finite", "frame_of", "in_both_forms"]

_LIBRARIES = ("pandas", "polars")


class Tabular(Shown):
    """What can be shown as a table.

    Attributes
    ----------
    columns : tuple of str
        The keys of each row, in their order; CSV output has the same.
    """

    columns: ClassVar[tuple[str, ...]]

    def to_rows(self) -> list[dict[str, Any]]:
        """The rows of CSV output, as plain dicts.

        Exact numbers are ``Fraction``, with the nearest float beside them in a column ``..._float``. As everywhere
        where something is shown, players and information sets count from 1.
        """
        raise NotImplementedError

    def to_frame(self, library: str | None = None) -> Any:
        """The rows as a data frame of pandas or polars.

        Exact numbers are ``Fraction`` in pandas; in polars, which has no such numbers, text like ``"1/3"``.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            By default the first of them that is installed.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        TrembleError
            It is not installed, or neither is.
        """
        return frame_of(self.columns, self.to_rows(), library)


def frame_of(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:
    """Rows as a data frame; see :meth:`Tabular.to_frame`."""
    if library is not None and not (isinstance(library, str) and library in _LIBRARIES):
        raise SpecError(f"library is {' or '.join(map(repr, _LIBRARIES))}, not {described(library)}")
    for name in _LIBRARIES if library is None else (library,):
        try:
            module = import_module(name)
        except ImportError:
            continue
        cells = {column: [row[column] for row in rows] for column in columns}
        if name == "polars":
            texts = {column: list(map(_polars_cell, values)) for column, values in cells.items()}
            return module.DataFrame(texts, strict=False)
        return module.DataFrame(cells, columns=list(columns))
    wanted = "neither pandas nor polars is" if library is None else f"{library} is not"
    raise TrembleError(f"{wanted} installed: pip install 'tremble[frames]' installs pandas; to_rows() needs neither")


def _polars_cell(cell: Any) -> Any:
    return format_fraction(cell) if isinstance(cell, Fraction) else cell


def in_both_forms(name: str, value: Fraction | float | None) -> dict[str, Any]:
    """A number as it is, and as a float under its name with ``_float``."""
    return {name: value, f"{name}_float": None if value is None else finite(value)}


def as_float(value: Fraction | float) -> float:
    """Round to the nearest float; infinite where a float cannot reach."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def finite(value: Fraction | float) -> float | None:
    """Round to a float, or None beyond their range."""
    decimal = as_float(value)
    return decimal if isfinite(decimal) else None
