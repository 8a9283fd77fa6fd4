"""The workflow files run the commands of the README and of CONTRIBUTING, on the versions that the project promises."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "workflows"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="needs the repository")


def workflow(name: str) -> dict[str, Any]:
    return yaml.safe_load((FOLDER / f"{name}.yml").read_text("utf-8"))


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def steps() -> Iterator[dict[str, Any]]:
    for file in FOLDER.glob("*.yml"):
        for job in workflow(file.stem)["jobs"].values():
            assert job["timeout-minutes"] <= 180
            yield from job["steps"]


def commands() -> list[str]:
    return [step["run"] for step in steps() if "run" in step]


def test_the_readme_is_obeyed_on_linux() -> None:
    job = workflow("tests")["jobs"]["readme"]
    assert job["runs-on"] == "ubuntu-latest"
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]


def test_commands_stand_in_contributing() -> None:
    """What runs in an environment of the clone is what CONTRIBUTING says to type; extras may be installed at once."""
    pages = "".join((ROOT / name).read_text("utf-8") for name in ("README.md", "CONTRIBUTING.md"))
    ours = [command for command in commands() if command.startswith((".venv/bin/", "python3 -m venv"))]
    assert len(ours) >= 5
    for command in ours:
        if "pip install" not in command:
            assert command.replace("python -m venv", "python3 -m venv") in pages, command


def test_extras_and_scripts_exist() -> None:
    extras = project()["project"]["optional-dependencies"]
    for command in commands():
        for names in re.findall(r"'\.\[([\w,]+)\]'", command):
            assert set(names.split(",")) <= set(extras), command
        for script in re.findall(r"\.ci/[\w.]+", command):
            assert (ROOT / script).exists(), command
    documentation = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text("utf-8"))
    (install,) = documentation["python"]["install"]
    assert set(install["extra_requirements"]) <= set(extras)
    assert (ROOT / documentation["sphinx"]["configuration"]).exists()


def test_the_wheel_is_tried_on_every_system_and_version_that_is_promised() -> None:
    matrix = workflow("tests")["jobs"]["wheel"]["strategy"]["matrix"]
    assert [name.removesuffix("-latest") for name in matrix["os"]] == ["ubuntu", "macos", "windows"]
    metadata = project()["project"]
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(metadata["classifiers"]))
    assert matrix["python"] == promised
    assert metadata["requires-python"] == f">={promised[0]}"
    assert "Operating System :: OS Independent" in metadata["classifiers"]


def test_actions_are_pinned_and_nothing_is_allowed_that_is_not_needed() -> None:
    for file in FOLDER.glob("*.yml"):
        text = file.read_text("utf-8")
        for use in re.findall(r"uses: (.*)", text):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use), use
        assert workflow(file.stem)["permissions"] == {"contents": "read"}
        assert not re.search(r"secrets\.|password:", text)
    publish = workflow("release")["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}  # trusted publishing
    assert publish["environment"] == {"name": "pypi"}


def test_the_address_of_the_repository_stands_in_all_four_places_or_a_clone_is_explained() -> None:
    address = project()["project"].get("urls", {}).get("Repository")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation.get("repository-code") == address
    for page in ("README.md", "docs/install.md"):
        text = (ROOT / page).read_text("utf-8")
        if address is None:
            assert "clone" in text
            assert "folder with" in text
            assert "`pyproject.toml` in it" in text
        else:
            assert address in text
    if address is None:
        section = (
            (ROOT / "docs" / "install.md").read_text("utf-8").partition("## From a clone")[2].partition("\n## ")[0]
        )
        assert all(way in section for way in ("no public\naddress", "git clone ADDRESS", "tar -xzf", "cd tremble"))


def packages(extra: str) -> set[str]:
    """What an extra installs, with the extras that it names."""
    found = set[str]()
    for row in project()["project"]["optional-dependencies"][extra]:
        name, _, extras = row.partition("[")
        if name == "tremble":
            found.update(*(packages(each) for each in extras.rstrip("]").split(",")))
        else:
            found.add(re.split(r"[\[<>=]", row)[0])
    return found


def test_the_default_tests_do_without_large_packages() -> None:
    """Tests of these have the marker ``extras``; the weekly workflow installs all of them and runs it."""
    large = {"bench", "dask", "editors", "mutants", "pictures"}
    for extra in large:
        assert not packages("test") & packages(extra) - packages("openspiel"), extra
    assert packages("test") >= {"pandas", "open_spiel", "matplotlib", "mypy", "pytest"}
    weekly = [step["run"] for step in workflow("tests")["jobs"]["weekly"]["steps"] if "run" in step]
    (installation,) = (command for command in weekly if "pip install" in command)
    assert large | {"test"} <= set(re.findall(r"\w+", installation.partition("'.[")[2]))
    assert ".venv/bin/pytest -m 'extras and not slow'" in weekly


def test_the_install_page_has_every_extra_with_its_packages() -> None:
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    stated = {
        row[1]: set(row[2].split(", ")) for row in re.finditer(r"^\| `(\w+)` \|.*\| (.*) \|$", page, re.MULTILINE)
    }
    extras = project()["project"]["optional-dependencies"]
    packages = {name: {re.split(r"[\[<>=]", row)[0] for row in rows} - {"tremble"} for name, rows in extras.items()}
    assert stated == packages
    assert f"Python {project()['project']['requires-python'].removeprefix('>=')} or later" in page
