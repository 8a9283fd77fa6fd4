"""What the tests share: figures that are closed, samples of cases, Gambit's answers, and which examples need Gambit."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from math import gcd
from typing import Any

import pytest

from gambit import Gambit

collect_ignore = [] if find_spec("mutmut") else ["benchmarks/mutants.py"]  # the extra mutants, see CONTRIBUTING.md


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
    """Examples of docstrings that import Gambit run with the marker ``peers``; cases beyond a sample are ``slow``."""
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("peers"):
            cases[item.nodeid.partition("[")[0]].append(item)
        examples: Any = getattr(item, "dtest", None)
        if examples is not None and "import pygambit" in examples.docstring:
            item.add_marker(pytest.mark.peers)
    for these in cases.values():
        n = len(these)
        step = next(k for k in range(round(n * 0.618), 2 * n) if gcd(k, n) == 1)  # spreads them over all parameters
        sample = {k * step % n for k in range(these[0].get_closest_marker("sample").args[0])}
        for k, item in enumerate(these):
            if k not in sample:
                item.add_marker(pytest.mark.slow)
