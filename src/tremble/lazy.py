"""Public names of a package, imported when they are first used; a stub file lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["attach_stub"]


def attach_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, read from the stub beside its file.

    Without the library lazy_loader the package has no public names. Its modules can still be imported, and
    ``python -m tremble.check`` needs no more.
    """
    try:
        import lazy_loader  # type: ignore[import-untyped]
    except ModuleNotFoundError:

        def no_names(name: str) -> Any:
            raise AttributeError(f"{package}.{name}: the library lazy_loader, which finds it, is not installed")

        return no_names, list, []
    found: tuple[Callable[[str], Any], Callable[[], list[str]], list[str]] = lazy_loader.attach_stub(package, file)
    return found
