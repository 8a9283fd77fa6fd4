"""Two functions of :mod:`tremble.show` that other parts of tremble define: ``strategy_table`` and ``sweep_plot``.

``elsewhere.pyi`` declares the types of these functions.
"""

from typing import Any

from tremble.capabilities import extension
from tremble.text.records import strategy_table as strategy_table


def __getattr__(name: str) -> Any:
    if name == "sweep_plot":
        return extension(name, "batch")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
