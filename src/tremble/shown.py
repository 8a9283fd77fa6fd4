"""Values that show themselves: as text when printed, and as HTML in a notebook.

A module of a higher layer makes both. The top of the package registers its name (:func:`show_by`). The module is loaded
when a value is first shown, so that this layer imports nothing above itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

__all__ = ["Shown", "show_by"]


class Forms(Protocol):
    """A module that makes the text and the HTML of all values."""

    @staticmethod
    def html_of(value: object) -> str:
        """Return a value as HTML for a cell of a notebook."""

    @staticmethod
    def text_of(value: object) -> str:
        """Return a value as text for a terminal."""


_FORMS_MODULE: list[str] = []  # holds one name after show_by


def show_by(module: str) -> None:
    """Register the name of the module (a :class:`Forms`) that shows all values."""
    _FORMS_MODULE[:] = [module]


class Shown:
    """A value with a text and an HTML form. The class leaves its short ``repr`` alone.

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
    return cast("Forms", import_module(_FORMS_MODULE[0]))
