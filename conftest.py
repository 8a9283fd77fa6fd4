"""What the tests share: Gambit's answers, recorded and live, and which examples of docstrings need Gambit."""

from __future__ import annotations

from typing import Any

import pytest

from gambit import Gambit


@pytest.fixture(params=["recorded", pytest.param("live", marks=pytest.mark.peers)])
def gambit(request: pytest.FixtureRequest) -> Gambit:
    """Who answers for Gambit."""
    return Gambit(request.param == "live")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Examples of docstrings that import Gambit run with the marker ``peers``."""
    for item in items:
        examples: Any = getattr(item, "dtest", None)
        if examples is not None and "import pygambit" in examples.docstring:
            item.add_marker(pytest.mark.peers)
