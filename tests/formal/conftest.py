"""The verified checker, built once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from verified_checker import Checker, copy_sources, make


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build everything."""
    folder = copy_sources(tmp_path_factory.mktemp("formal") / "sources")
    result = make(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture
def checker(built: Path, tmp_path: Path) -> Checker:
    return Checker(built / "checker", tmp_path)
