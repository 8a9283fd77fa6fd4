"""Draw architecture.svg: the parts of the package by layer, and the imports between them.

The script also writes the number of lines of each file into the table of files in architecture.md.

Run it from the root of the repository: ``python docs/draw_architecture.py``. The layers are those of the import
contract in pyproject.toml, which the tests check. The imports are those of the import graph that the contract is
checked on; imports for type checkers and in functions count.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tremble"
WIDTH, HEIGHT, GAP = 760, 34, 8
CELL, LABEL = 34, 84
CAPABILITIES = ("poker", "large", "recall", "show", "batch")
KERNEL, ALGORITHM, DATA, CAPABILITY, OTHER = "#dcefdc", "#dbe7f5", "#f7efcf", "#f0e0f0", "#f3f3f3"
COLOURS = {
    "check": KERNEL,
    "solvers": ALGORITHM,
    "exact": ALGORITHM,
    "solution": DATA,
    "game": DATA,
    **dict.fromkeys(CAPABILITIES, CAPABILITY),
}
LOOSE = "files"
"""The name of the last row of the table: the files that belong to no folder."""
FACADES = {"__main__", "methods", "results", "strategies", "io"}
"""Files that list names, or start the command: they import from every layer."""


def lines_of(part: str) -> int:
    """Count the lines of a folder or of a loose file."""
    folder = SOURCE / part
    files = folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]
    return sum(len(file.read_text("utf-8").splitlines()) for file in files)


def layers() -> list[list[str]]:
    """Read the layers, the top one first, from the import contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (rows,) = (contract["layers"] for contract in contracts if contract.get("containers") == ["tremble"])
    return [row.split(" | ") for row in rows]


def imports(parts: list[str]) -> Counter[tuple[str, str]]:
    """Count the modules that each part imports from each other part."""
    graph = grimp.build_graph("tremble", exclude_type_checking_imports=False, cache_dir=None)
    found: Counter[tuple[str, str]] = Counter()
    for importer in graph.modules - {"tremble"}:
        for imported in graph.find_modules_directly_imported_by(importer) - {"tremble"}:
            pair = [module.split(".")[1] for module in (importer, imported)]
            if pair[0] in FACADES:
                continue
            source, target = (name if name in parts else LOOSE for name in pair)
            if source != target:
                found[source, target] += 1
    return found


def text(x: float, y: float, words: str, size: int = 12, style: str = "") -> str:
    """Write a text, centred at x."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle" font-size="{size}"{style}>{words}</text>'


def box(x: float, y: float, width: float, height: float, fill: str) -> str:
    """Draw a rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="#999"/>'


def draw_layers(rows: list[list[str]]) -> list[str]:
    """Draw a box for each part: its name, and its number of lines below."""
    drawn = []
    for i, row in enumerate(rows):
        width = (WIDTH - GAP) / len(row) - GAP
        for j, part in enumerate(row):
            x, y = GAP + j * (width + GAP), GAP + i * (HEIGHT + GAP)
            drawn.append(box(x, y, width, HEIGHT, COLOURS.get(part, OTHER)))
            drawn.append(text(x + width / 2, y + 15, part, style=' font-weight="bold"'))
            drawn.append(text(x + width / 2, y + 28, f"{lines_of(part):,} lines", 10))
    return drawn


def draw_imports(parts: list[str], top: float) -> list[str]:
    """Draw a table: the part of a row imports that many modules of the part of a column."""
    counts = imports(parts)
    names = [*parts, LOOSE]
    drawn = [text(WIDTH / 2, top + 14, "Imports: a row imports so many modules from a column", 12)]
    top += 26 + CELL
    for i, name in enumerate(names):
        fill = COLOURS.get(name, OTHER)
        drawn.append(box(GAP, top + i * CELL, LABEL - GAP, CELL, fill))
        drawn.append(text((GAP + LABEL) / 2, top + i * CELL + 21, name))
        drawn.append(box(LABEL + i * CELL, top - CELL, CELL, CELL, fill))
        drawn.append(text(LABEL + (i + 0.5) * CELL, top - CELL + 21, name, 9))
    for i, source in enumerate(names):
        for j, target in enumerate(names):
            count = counts[source, target]
            fill = "#ddd" if i == j else "#f6c1b8" if count and j < i else "#fff"
            drawn.append(box(LABEL + j * CELL, top + i * CELL, CELL, CELL, fill))
            if count:
                drawn.append(text(LABEL + (j + 0.5) * CELL, top + i * CELL + 21, str(count), 11))
    return drawn


def count_lines() -> None:
    """Write the numbers of lines of the files to read first into the page."""
    page = ROOT / "docs" / "architecture.md"

    def counted(row: re.Match[str]) -> str:
        return f"| `{row[1]}` | {lines_of(row[1].removesuffix('.py'))} |"

    written = re.sub(r"^\| `([a-z_/]+\.py)` \| \d+ \|", counted, page.read_text("utf-8"), flags=re.MULTILINE)
    page.write_text(written, "utf-8")


def main() -> None:
    """Write the picture, and the numbers of lines in the page."""
    rows = layers()
    parts = [part for row in rows for part in row if (SOURCE / part).is_dir()]
    middle = len(rows) * (HEIGHT + GAP) + 2 * GAP
    height = middle + 26 + (len(parts) + 2) * CELL + GAP
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, '
        'sans-serif" role="img" aria-label="The parts of the package by layer, and the imports between them">',
        box(0, 0, WIDTH, height, "#fff"),
        *draw_layers(rows),
        *draw_imports(parts, middle),
        "</svg>",
    ]
    (ROOT / "docs" / "architecture.svg").write_text("\n".join(drawn) + "\n", "utf-8")
    count_lines()


if __name__ == "__main__":
    main()
