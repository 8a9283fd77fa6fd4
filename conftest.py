"""What the tests share: figures that are closed, and Gambit: its answers, and which examples need it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from gambit import Gambit


@pytest.fixture(params=["recorded", pytest.param("live", marks=pytest.mark.peers)])
def gambit(request: pytest.FixtureRequest) -> Gambit:
    """Who answers for Gambit."""
    return Gambit(request.param == "live")


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    """Those of pyplot are kept until somebody closes them."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Examples of docstrings that import Gambit run with the marker ``peers``."""
    for item in items:
        examples: Any = getattr(item, "dtest", None)
        if examples is not None and "import pygambit" in examples.docstring:
            item.add_marker(pytest.mark.peers)
