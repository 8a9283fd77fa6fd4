"""Write what tremble answers for 200 games, to compare two versions: python benchmarks/same_results.py FOLDER.

Every method computes every concept that it knows, for small random games of many kinds and for built-in ones; and the
commands print what they print as JSON and CSV. Run it at two commits and compare the folders with ``diff -r``: where
nothing was meant to change, they are equal byte by byte. What depends on the clock, and the version, are left out.
About ten minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import tremble
from hand_made import random_game
from hostile_games import RECIPES, hostile_game
from tremble import TrembleError
from tremble.games import parse_spec

SHARE = Fraction(1, 20)  # of the range of the payoffs is the gap of methods that come near
REFINED = ("quasi-perfect", "sequential", "perfect")
WAYS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("nash", "auto", {}),
    ("nash", "lp", {}),
    *(("nash", "double-oracle", {"policy": policy}) for policy in ("both", "alternating", "worse")),
    *(("nash", method, {"gap": SHARE}) for method in ("cfr", "cfr+", "dcfr")),
    *((concept, method, {}) for concept in REFINED for method in ("lp", "halving", "npp", "symbolic-simplex")),
)
"""Concept, method, options."""

BUILT_IN = (
    "kuhn", "kuhn:cards=5", "leduc:ranks=2,raises=1", "goofspiel", "goofspiel:order=increasing", "guess_the_ace",
    "safe_or_risky", "dare_or_decline",
)  # fmt: skip
RULES = (
    "kuhn",
    "leduc:ranks=2,raises=1",
    "goofspiel",
    "goofspiel:cards=4,order=increasing",
    "poker:bets=1,raises=1,types=2",
)
COMMANDS = ("kuhn", "goofspiel", "guess_the_ace", "dare_or_decline")
UNSTEADY = ("stats", "tremble", "seconds", "total_seconds_float")


def games() -> dict[str, Any]:
    """Name -> tree."""
    found: dict[str, Any] = {}
    for name in RECIPES:
        for seed in range(8):
            found[f"{name} {seed}".replace(" ", "-")] = hostile_game(name, seed, most=30)
    for seed in range(47):
        found[f"random-{seed}"] = random_game(seed, 4, zero_sum=seed % 8 != 0)
    for spec in BUILT_IN:
        try:
            found[spec] = tremble.load(spec)
        except TrembleError as error:
            print(f"left out: {spec} ({error})", file=sys.stderr)
    return found


def steady(text: str) -> str:
    """A JSON text without what differs from run to run."""
    document = json.loads(text)
    for key in UNSTEADY:
        document.pop(key, None)
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def answer(game: Any, concept: str, method: str, options: dict[str, Any], scratch: Path) -> str:
    """The solution file, or the error."""
    payoffs = game.payoff[:, 0] if isinstance(game, tremble.GameTree) else [0]
    spread = Fraction(int(max(payoffs)) - int(min(payoffs)), getattr(game, "payoff_denominator", 1))
    given = {name: value * spread if name == "gap" else value for name, value in options.items()}
    try:
        solution = tremble.solve(game, concept=concept, method=method, **given)
    except TrembleError as error:
        return f"{type(error).__name__}: {error}\n"
    solution.to_json(scratch)
    checked = tremble.verify(game, solution)
    return steady(scratch.read_text()) + f"verify: {checked.ok} {checked.status} {checked.proven} {checked.problems}\n"


def spoken(*arguments: str) -> str:
    """What a command prints, and its exit code."""
    command = [sys.executable, "-m", "tremble", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = done.stdout
    if "json" in arguments:
        with suppress(ValueError):
            text = steady(text)
    return f"exit {done.returncode}\n{text}{done.stderr if done.returncode else ''}"


def commands(game: str, folder: Path) -> dict[str, str]:
    """Name -> what a command prints of a game."""
    one, two = str(folder / "one.json"), str(folder / "two.json")
    printed = {}
    for kind in ("json", "csv", "gambit", "table"):
        for concept in ("nash", *REFINED):
            printed[f"solve-{concept}-{kind}"] = spoken(
                "solve", game, "--concept", concept, "--format", kind, "--quiet"
            )
    spoken("solve", game, "--quiet", "--force", "-o", one)
    spoken("solve", game, "--concept", "perfect", "--quiet", "--force", "-o", two)
    for kind in ("json", "csv", "table"):
        printed[f"info-{kind}"] = spoken("info", game, "--format", kind)
        for command in ("verify", "respond", "audit"):
            printed[f"{command}-{kind}"] = spoken(command, game, one, "--format", kind)
        printed[f"compare-{kind}"] = spoken("compare", game, one, two, "--format", kind)
    printed["draw"] = spoken("draw", game, one, "--force", "-o", str(folder / f"{game}.svg"))
    printed["page"] = spoken("draw", game, one, "--force", "-o", str(folder / f"{game}.html"))
    return printed


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True)
    scratch = folder / "scratch.json"
    for name, tree in games().items():
        texts = [
            f"== {concept} {method} {options}\n{answer(tree, concept, method, options, scratch)}"
            for concept, method, options in WAYS
        ]
        (folder / f"{name}.txt").write_text("".join(texts))
    for spec in RULES:
        rules = parse_spec(spec)[0]
        texts = [
            f"== {policy}\n{answer(rules, 'nash', 'double-oracle', {'policy': policy}, scratch)}"
            for policy in ("both", "alternating", "worse")
        ]
        (folder / f"rules-{spec}.txt").write_text("".join(texts))
    for spec in COMMANDS:
        for name, text in commands(spec, folder).items():
            (folder / f"command-{spec}-{name}.txt").write_text(text)
    for left in ("scratch.json", "one.json", "two.json"):
        (folder / left).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
