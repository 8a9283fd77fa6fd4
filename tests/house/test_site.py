"""What takes a minute: the site is built without a warning, its notebooks by a kernel, and the ladder is drawn anew."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from base64 import b64decode
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
    assert_thumbnails(site.joinpath("gallery.html").read_text("utf-8"))
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


def assert_thumbnails(page: str) -> None:
    """The gallery begins with a small picture of each section, linked to it; pictures bring their own style."""
    links = re.findall(r'<a href="#([^"]+)"><div class="thumbnail">(.*?)</div><div class="name">', page, re.DOTALL)
    sections = re.findall(r'<section id="([^"]+)">\n<h2>', page)
    assert [anchor for anchor, _ in links] == sections
    assert len(sections) >= 12
    for anchor, shown in links:
        data = re.search(r'src="data:image/(svg\+xml|png);base64,([^"]+)"', shown)
        assert data or "<table" in shown or anchor == "a-page-to-look-around-in", anchor
        if data and data[1] == "svg+xml":
            assert b"<style>" in (drawn := b64decode(data[2])), anchor
            assert b".tremble" not in drawn, anchor  # rules for a cell do not reach a picture


@pytest.mark.slow
def test_the_ladder_is_that_of_the_command_beside_it(tmp_path: Path) -> None:
    """The picture's command runs, draws, and loses on each rung what the table says."""
    page = (DOCS / "explanation" / "abstraction.md").read_text("utf-8")
    [said] = re.findall(r"^tremble (shrink rhode_island --ladder .*)$", page, re.MULTILINE)
    command = [sys.executable, "-m", "tremble", *shlex.split(said), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "<svg" in (tmp_path / "threshold-ladder.svg").read_text("utf-8")
    rows = re.findall(r"^\| ([\d.]+)(?: \(lossless\))? \| ([\d,/ ]+) \| ([\d,]+) \| ([\d.]+) \|", page, re.MULTILINE)
    table = {float(threshold): (classes, size, float(loss)) for threshold, classes, size, loss in rows}
    rungs = json.loads(done.stdout)
    rungs = rungs["rungs"] if isinstance(rungs, dict) else rungs
    assert {rung["threshold_float"] for rung in rungs} == set(table)
    for rung in rungs:
        classes, size, loss = table[rung["threshold_float"]]
        assert classes == " / ".join(f"{count:,}" for count in rung["classes"][0])
        assert size == f"{rung['rows']:,}"
        assert rung["certified_loss_float"] == pytest.approx(loss, abs=0.03)  # each is solved to 0.02
