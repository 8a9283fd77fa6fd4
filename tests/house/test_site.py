"""The site is built without a warning, and its notebooks are executed by a kernel, as a reader would."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = [page for page in sorted(DOCS.rglob("*.md")) if "{code-cell}" in page.read_text("utf-8")]


@pytest.mark.slow
def test_the_site(tmp_path: Path) -> None:
    pytest.importorskip("myst_nb", reason="needs the extra docs")
    site = tmp_path / "site"
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(site)]
    built = subprocess.run(build, capture_output=True, text=True, timeout=600)
    assert built.returncode == 0, built.stderr
    assert (site / "leduc.html").exists()  # the gallery opens it
    assert len(NOTEBOOKS) >= 5
    for page in NOTEBOOKS:
        place = page.relative_to(DOCS).with_suffix("")
        [executed] = site.rglob(f"{place.name}.ipynb")  # what readers download, with its outputs
        cells = [cell for cell in json.loads(executed.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
        assert cells
        for cell in cells:
            assert cell["execution_count"], f"{place}: {cell['source']}"
            streams = [output for output in cell["outputs"] if output.get("name") == "stderr"]
            assert not streams, f"{place}: {streams}"
        assert 'class="cell_output' in site.joinpath(place).with_suffix(".html").read_text("utf-8")
