"""Base class of values that print as text, and show as HTML in a notebook.

A module of a higher layer makes the text and the HTML. The top of the package registers the name of that module with
:func:`show_by`. That module is loaded when a value is first shown, so this layer imports no higher layer.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

__all__ = ["Shown", "show_by"]


class Forms(Protocol):
    """The interface of the module that makes the text and the HTML of all values."""

    @staticmethod
    def html_of(value: object) -> str:
        """Return a value as HTML for a cell of a notebook."""

    @staticmethod
    def text_of(value: object) -> str:
        """Return a value as text for a terminal."""


_FORMS_MODULE: list[str] = []  # the name that `show_by` registered


def show_by(module: str) -> None:
    """Register the name of the module that shows all values; the module has the functions of :class:`Forms`."""
    _FORMS_MODULE[:] = [module]


class Shown:
    """Base class of values with a text form and an HTML form. The class does not change the short ``repr`` of a value.

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
