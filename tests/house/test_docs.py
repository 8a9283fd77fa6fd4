"""The documentation is executed: Python blocks, commands, links, and the two commands of the README.

Per page, in order and in one folder and one namespace:

* a ```` ```python ```` block runs; one with ``>>>`` runs as a doctest;
* a ```` ```{code-cell} ```` of a notebook runs too, and what its last line gives is shown as a notebook shows it;
* in a ```` ```bash ```` block, every line that starts with ``tremble`` must exit with 0, or with n after ``# exit n``;
* in a ```` ```console ```` block, so must every ``$ tremble`` line, and the lines below it are what it prints (standard
  output and standard error, blanks and line ends not counted, ``...`` stands for anything);
* a command that ends in ``< NAME`` reads that file as its standard input;
* a ``.json`` file that the page links to lies in that folder from the start;
* ``<!-- file: NAME -->`` before a block of any kind makes it a file; ``<!-- not run -->`` leaves the block out;
* ``<!-- needs LiteEFG -->`` leaves it out where that is not installed, and gives it a home folder of its own;
* ``<!-- needs pygambit -->`` leaves it out where Gambit's live answers are not wanted (marker ``peers``): what the page
  goes on with, the block before it states, as it was recorded;
* ``<!-- needs cvxpy -->``, ``<!-- needs distributed -->`` and ``<!-- needs typst -->`` leave it out, unless the marker
  ``extras`` is asked for; the page then goes on with what the block before it states.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib.util
import re
import shlex
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from command import run

ROOT = Path(__file__).parents[2]
PAGES = [
    *(page for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if (page := ROOT / name).exists()),
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts),
]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
_FENCE = re.compile(
    r"^(?:<!-- (?P<mark>[^>]*) -->\n)?^```(?P<kind>[^\n`]*)\n(?P<body>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL
)
_OPENSPIEL = r"\bpyspiel\b|open_spiel|\bopenspiel:"
_CELL = "{code-cell} ipython3"
_PYTHON = ("python", _CELL)
_BY_HAND = {
    "architecture.svg": "drawn by docs/draw_architecture.py; test_one_road.py holds it to the parts",
    "threshold-ladder.svg": "its command takes a minute and a half; test_site.py runs it",
}
_OF_GAMBIT = "needs pygambit"
_OF_LITEEFG = "needs LiteEFG"
_OF_EXTRAS = {"needs cvxpy": "cvxpy", "needs distributed": "distributed", "needs typst": "typst"}
"""Mark of a block -> the package of an extra that the default tests do without."""


class Block(NamedTuple):
    kind: str
    body: str
    mark: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start("body")) + 1
        yield Block(match["kind"].strip(), match["body"], match["mark"] or "", line)


def runs(block: Block) -> bool:
    if block.mark == "not run":
        return False
    if block.kind in _PYTHON or block.mark.startswith("file: "):
        return True
    return any(line.startswith(("tremble ", "$ tremble ")) for line in block.body.splitlines())


def run_python(block: Block, namespace: dict[str, Any], page: str) -> None:
    if ">>>" not in block.body:
        code = compile("\n" * (block.line - 1) + block.body, page, "exec", dont_inherit=True)
        exec(code, namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.body, namespace, page, page, block.line - 1)
    test.globs = namespace  # one namespace for the page: a DocTest keeps a copy
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test, out=report.append, clear_globs=False).failed == 0, "".join(report)


def run_cell(block: Block, namespace: dict[str, Any], page: str) -> None:
    options = re.match(r"(?::.*\n)*", block.body)
    assert options is not None
    tree = ast.parse("\n" * (block.line - 1 + options[0].count("\n")) + block.body[options.end() :])
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, page, "exec", dont_inherit=True), namespace)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), page, "eval", dont_inherit=True), namespace)
        getattr(value, "_repr_html_", value.__repr__)()


def words(text: str) -> str:
    """The text without line ends, which depend on the width of the terminal."""
    return " ".join(text.split())


def run_command(command: str, output: str | None, place: str) -> None:
    wanted = re.search(r"#\s*exit (\d+)\s*$", command)
    arguments = shlex.split(command, comments=True)[1:]
    typed = None
    if "<" in arguments:
        *arguments, _, name = arguments
        typed = Path(name).read_text("utf-8")
    result = run(*arguments, stdin=typed)
    assert result.exit_code == (int(wanted[1]) if wanted else 0), f"{place}: {command}\n{result.output}"
    if output is not None:
        said = words(result.stderr), words(result.stdout)
        pattern = re.escape(words(output)).replace(re.escape("..."), ".*")
        patterns = pattern.removesuffix(r"\ .*") + ".*" if output.rstrip().endswith("...") else pattern
        both = [" ".join(filter(None, order)) for order in (said, said[::-1], ("", said[0]), ("", said[1]))]
        assert any(re.fullmatch(patterns, text) for text in both), f"{place}: {command}\nprints\n{result.output}"


def run_commands(block: Block, page: str) -> None:
    place = f"{page}:{block.line}"
    if block.kind == "console":
        for part in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            run_command(command, output if output.strip() else None, place)
    elif block.kind in ("bash", "sh"):
        for line in block.body.splitlines():
            if line.startswith("tremble "):
                run_command(line, None, place)


def executed(page: str) -> list[Block]:
    return [block for block in blocks((ROOT / page).read_text("utf-8")) if runs(block)]


def test_blocks_that_ask_gambit_say_so() -> None:
    asking = [block for page in NAMES for block in executed(page) if re.search(r"\bpygambit\.", block.body)]
    assert asking
    assert all(block.mark == _OF_GAMBIT for block in asking)


def test_blocks_that_need_an_extra_say_so() -> None:
    needs = {
        "needs cvxpy": r"\bsequence_form_lp\b",
        "needs distributed": r"\bfrom distributed\b|\bclient=client\b|\bcluster\.close",
        "needs typst": r"^tremble draw .*\.(pdf|png)\b",
    }
    assert set(needs) == set(_OF_EXTRAS)
    every = [block for page in NAMES for block in executed(page)]
    for mark, pattern in needs.items():
        needing = [block for block in every if re.search(pattern, block.body, re.MULTILINE)]
        assert needing
        assert needing == [block for block in every if block.mark == mark]


@pytest.mark.parametrize("page", [name for name in NAMES if executed(name)])
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left_out = (_OF_GAMBIT, *_OF_EXTRAS)
    run_page(page, [block for block in executed(page) if block.mark not in left_out], tmp_path, monkeypatch)


@pytest.mark.extras
@pytest.mark.parametrize("page", [name for name in NAMES if any(b.mark in _OF_EXTRAS for b in executed(name))])
def test_page_with_extras(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [block for block in executed(page) if block.mark != _OF_GAMBIT]
    for block in found:
        if block.mark in _OF_EXTRAS:
            pytest.importorskip(_OF_EXTRAS[block.mark])
    run_page(page, found, tmp_path, monkeypatch)


@pytest.mark.peers
@pytest.mark.parametrize("page", [name for name in NAMES if any(b.mark == _OF_GAMBIT for b in executed(name))])
def test_page_with_gambit(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygambit")
    run_page(page, executed(page), tmp_path, monkeypatch)


def run_page(page: str, found: list[Block], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if any(re.search(_OPENSPIEL, block.body) for block in found) and importlib.util.find_spec("pyspiel") is None:
        pytest.skip("pyspiel is not installed")
    monkeypatch.chdir(tmp_path)
    for linked in re.findall(r"\]\(([^)\s:]+\.json)\)", prose(ROOT / page)):
        shutil.copy((ROOT / page).parent / linked, tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with warnings.catch_warnings(), contextlib.suppress(SystemExit):
        warnings.simplefilter("ignore")
        for block in found:
            if block.mark == _OF_LITEEFG:
                if importlib.util.find_spec("LiteEFG") is None:
                    continue
                monkeypatch.setenv("HOME", str(tmp_path))
            if block.mark.startswith("file: "):
                Path(block.mark.removeprefix("file: ")).write_text(block.body, encoding="utf-8")
            elif block.kind == _CELL:
                run_cell(block, namespace, page)
            elif block.kind == "python":
                run_python(block, namespace, page)
            else:
                run_commands(block, page)
        missing = [picture.name for picture in pictures(page) if not (tmp_path / picture.name).exists()]
        assert not missing, f"{page} shows pictures that none of its blocks makes: {', '.join(missing)}"
        others = [f"cp {tmp_path / picture.name} {picture}" for picture in pictures(page) if not is_made(picture)]
        assert not others, "\n".join(
            [f"{page} shows other pictures than its blocks make; if theirs are right:", *others]
        )
        return
    pytest.fail(f"{page} ended the interpreter")


def is_made(picture: Path) -> bool:
    """Whether a stored picture is the one of its name that was made in the current folder."""
    stored = picture.read_bytes() if picture.exists() else b""
    return b'id="figure_1"' in stored or Path(picture.name).read_bytes() == stored


def pictures(page: str) -> Iterator[Path]:
    """The stored pictures that a page shows."""
    text = prose(ROOT / page) + "".join(block.kind + "\n" for block in blocks((ROOT / page).read_text("utf-8")))
    for name in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)|^\{(?:figure|image)\} (\S+)$", text, flags=re.MULTILINE):
        picture = (ROOT / page).parent / "".join(name)
        if picture.name not in _BY_HAND:
            yield picture


# -- links ---------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST name them."""
    text = _FENCE.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#{1,6} +(.+?) *$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", NAMES)
def test_links_resolve(page: str) -> None:
    here = ROOT / page
    for target in re.findall(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)", prose(here)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (here.parent / path).resolve() if path else here
        assert there.exists(), f"{page} links to {target}, which does not exist"
        if anchor:
            assert anchor in anchors(there), f"{page} links to {target}: no such heading"


def prose(page: Path) -> str:
    """The page without its code blocks; code inside a link's text stays, so that its target is seen."""
    return _FENCE.sub("", page.read_text("utf-8"))


def test_every_page_is_in_the_contents() -> None:
    index = ROOT / "docs" / "index.md"
    if not index.exists():
        pytest.skip("needs the documentation")
    listed = {
        line.strip()
        for block in blocks(index.read_text("utf-8"))
        if block.kind == "{toctree}"
        for line in block.body.splitlines()
        if line.strip() and not line.startswith(":")
    }
    pages = {str(page.relative_to(index.parent).with_suffix("")) for page in PAGES if index.parent in page.parents}
    assert pages - {"index"} == listed - {"genindex"}  # which Sphinx writes


def test_the_sidebar_groups_guides_by_audience() -> None:
    index = ROOT / "docs" / "index.md"
    if not index.exists():
        pytest.skip("needs the documentation")
    groups = {}
    for block in blocks(index.read_text("utf-8")):
        if caption := re.search(r'^:caption: "?How to(?:: (\w+))?"?$', block.body, re.MULTILINE):
            groups[caption[1]] = re.findall(r"^how-to/(\S+)$", block.body, re.MULTILINE)
    assert list(groups) == [None, "teaching", "poker", "security", "research"]
    listed = sorted(name for group in groups.values() for name in group)
    assert listed == sorted(page.stem for page in PAGES if page.parent == index.parent / "how-to")  # each once


def test_every_citation_is_in_the_bibliography() -> None:
    bibliography = ROOT / "docs" / "references.bib"
    if not bibliography.exists():
        pytest.skip("needs the documentation")
    known = set(re.findall(r"^@\w+\{(\w+),", bibliography.read_text("utf-8"), flags=re.MULTILINE))
    for page in PAGES:
        for keys in re.findall(r"\{cite\}`([^`]+)`", page.read_text("utf-8")):
            assert set(keys.split(",")) <= known, f"{page.name} cites {keys}"


# -- the README's two commands -------------------------------------------------------------------


def test_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = [block.body for block in blocks(readme) if block.kind == "bash" and ".venv" in block.body][:2]
    install, test = commands
    for command in commands:
        assert command.count("\n") == 1, "one line"
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install --quiet ")
    assert re.search(r"install --quiet \. && \.venv/bin/tremble solve \S+ --concept quasi-perfect\n$", install)
    assert re.search(r"'\.\[test\]' && \.venv/bin/pytest\b.*\n$", test)


def test_continuous_integration_runs_the_second_command() -> None:
    script = ROOT / ".ci" / "run"
    if not script.exists():
        pytest.skip("needs the repository")
    assert 'grep -m1 -F "pytest" README.md' in script.read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    first = next(line for line in readme.splitlines() if "pytest" in line)
    assert any(block.body == first + "\n" for block in blocks(readme) if block.kind == "bash")


def test_versions_agree() -> None:
    import tremble

    for name, pattern in (("CITATION.cff", r"^version: (\S+)$"), ("CHANGELOG.md", r"^## \[([0-9][^\]]*)\]")):
        page = ROOT / name
        if not page.exists():
            pytest.skip(f"needs {name}")
        found = re.search(pattern, page.read_text("utf-8"), flags=re.MULTILINE)
        assert found is not None
        assert found[1] == tremble.__version__
