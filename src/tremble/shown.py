"""Values that show themselves: printed as a text, and in a notebook as HTML, both made by rooms far above.

Nothing here knows how. The top of the package says which module does; it is loaded when a value is first shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

__all__ = ["Shown", "show_by"]


class Forms(Protocol):
    """The module that makes the forms of all values."""

    @staticmethod
    def html_of(value: object) -> str:
        """A value as HTML, for a cell of a notebook."""

    @staticmethod
    def text_of(value: object) -> str:
        """A value as text, for a terminal."""


_NAMED: list[str] = []


def show_by(module: str) -> None:
    """Say which module, a :class:`Forms`, shows all values from now on."""
    _NAMED[:] = [module]


class Shown:
    """A value that shows itself. Its ``repr`` stays as short as it is.

    Examples
    --------
    >>> import tremble
    >>> print(tremble.load("matching_pennies"))  # doctest: +ELLIPSIS
    Matching pennies
    ...
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _forms().html_of(self)

    def __str__(self) -> str:
        return _forms().text_of(self)


def _forms() -> Forms:
    return cast("Forms", import_module(_NAMED[0]))
