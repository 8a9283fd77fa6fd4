"""Convert results to tables: rows of plain cells, as in CSV output, and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any, ClassVar

from tremble.arguments import described
from tremble.errors import SpecError, TrembleError
from tremble.numbers import finite, format_fraction
from tremble.shown import Shown

__all__ = ["Tabular", "frame_of", "in_both_forms"]

_LIBRARIES = ("pandas", "polars")


class Tabular(Shown):
    """A result that can be shown as a table.

    Attributes
    ----------
    columns : tuple of str
        The keys of each row in order, which are also the columns of CSV output.
    """

    columns: ClassVar[tuple[str, ...]]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of CSV output as plain dicts.

        Exact numbers are ``Fraction``, and a column ``..._float`` has the nearest float. Players and information sets
        count from 1, as in all output.
        """
        raise NotImplementedError

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame of pandas or polars.

        In pandas, exact numbers are ``Fraction``. Polars has no such type, so they are text like ``"1/3"``.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            By default, pandas if it is installed, else polars.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        TrembleError
            The library is not installed. Without ``library``, neither pandas nor polars is installed.
        """
        return frame_of(self.columns, self.to_rows(), library)


def frame_of(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:
    """Return rows as a data frame; see :meth:`Tabular.to_frame`."""
    if library is not None and not (isinstance(library, str) and library in _LIBRARIES):
        raise SpecError(f"library must be {' or '.join(map(repr, _LIBRARIES))}, not {described(library)}")
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
    missing = "neither pandas nor polars is" if library is None else f"{library} is not"
    raise TrembleError(f"{missing} installed: pip install 'tremble[frames]' installs pandas; to_rows() needs neither")


def _polars_cell(cell: Any) -> Any:
    return format_fraction(cell) if isinstance(cell, Fraction) else cell


def in_both_forms(name: str, value: Fraction | float | None) -> dict[str, Any]:
    """Return a dict with a number under its name, and the nearest float under the name with ``_float``."""
    return {name: value, f"{name}_float": None if value is None else finite(value)}
