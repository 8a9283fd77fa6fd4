"""Import modules when their names are first used, and compute values when they are first needed.

A capability is a folder of tremble that may be missing. The error about a missing module names the capability.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import Any, Generic, TypeVar

__all__ = ["NAMES", "KeptWith", "attach_stub", "explained", "lazy_names"]


def lazy_names(module: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` that imports names on first use. ``places`` maps each name to ``"module:name"``."""

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        try:
            return resolve_name(places[name])
        except ModuleNotFoundError as error:
            raise explained(error, f"{module}.{name}") from None

    return get


def explained(error: ModuleNotFoundError, what: str) -> ModuleNotFoundError:
    """Return an error that names the missing capability that ``what`` needs. If none is missing, return ``error``."""
    for name in NAMES:
        if error.name == f"tremble.{name}":
            needs = "is" if what == error.name else f"needs {error.name}, which is"
            return ModuleNotFoundError(f"{what} {needs} not installed", name=error.name)
    return error


def attach_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, read from the stub (``.pyi``) next to ``file``.

    Without the library lazy_loader, the package has no public names. Its modules can still be imported, which is enough
    for ``python -m tremble.check``.
    """
    try:
        import lazy_loader  # type: ignore[import-untyped]
    except ModuleNotFoundError:

        def no_names(name: str) -> Any:
            raise AttributeError(f"{package}.{name}: the library lazy_loader, which loads this name, is not installed")

        return no_names, list, []
    found: tuple[Callable[[str], Any], Callable[[], list[str]], list[str]] = lazy_loader.attach_stub(package, file)
    return found


NAMES = ("poker", "large", "recall", "show", "batch")
"""Names of the folders that may contain a capability."""


Owner = TypeVar("Owner")
Kept = TypeVar("Kept")


class KeptWith(Generic[Owner, Kept]):
    """A cache with one entry for each object: a value computed from the object. Each entry is deleted with its object.

    Objects are compared by identity: equal objects have separate entries.

    Parameters
    ----------
    make : callable
        Computes the entry from the object. The entry must not refer to the object, because the object would then never
        be deleted.
    """

    def __init__(self, make: Callable[[Owner], Kept]) -> None:
        self._make = make
        self._kept: dict[int, tuple[weakref.ref[Owner], Kept]] = {}

    def __call__(self, owner: Owner) -> Kept:
        """Return the cached entry for ``owner``; compute the entry at the first call."""
        number = id(owner)
        entry = self._kept.get(number)
        if entry is None:
            reference = weakref.ref(owner, lambda _: self._kept.pop(number, None))
            entry = self._kept[number] = reference, self._make(owner)
        return entry[1]
