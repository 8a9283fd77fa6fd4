"""Draw architecture.svg: the parts of the package by layer, with the number of lines of each.

Run it from the root of the repository: ``python docs/draw_architecture.py``. The layers are those of the import
contract in pyproject.toml, which the tests hold true.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tremble"
WIDTH, HEIGHT, GAP = 680, 34, 8
COLOURS = {
    "check": "#dcefdc",
    "verifier": "#dcefdc",
    "solvers": "#dbe7f5",
    "exact": "#dbe7f5",
    "solution": "#f7efcf",
    "game": "#f7efcf",
}
CAPABILITY = "#f0e0f0"


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


def box(x: float, y: float, width: float, part: str, fill: str) -> str:
    """Draw one part: its name, and its number of lines below."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{HEIGHT}" rx="4" fill="{fill}" stroke="#888"/>\n'
        f'<text x="{x + width / 2:g}" y="{y + 15:g}" text-anchor="middle" font-weight="bold">{part}</text>\n'
        f'<text x="{x + width / 2:g}" y="{y + 28:g}" text-anchor="middle" font-size="10" fill="#444">'
        f"{lines_of(part):,} lines</text>"
    )


def main() -> None:
    """Write the picture."""
    rows = layers()
    height = len(rows) * (HEIGHT + GAP) + GAP
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, '
        'sans-serif" font-size="12" role="img" aria-label="The parts of the package, by layer">'
    ]
    for i, row in enumerate(rows):
        width = (WIDTH - GAP) / len(row) - GAP
        for j, part in enumerate(row):
            fill = CAPABILITY if i == 1 else COLOURS.get(part, "#f3f3f3")
            drawn.append(box(GAP + j * (width + GAP), GAP + i * (HEIGHT + GAP), width, part, fill))
    (ROOT / "docs" / "architecture.svg").write_text("\n".join([*drawn, "</svg>"]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
