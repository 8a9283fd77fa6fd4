"""Changes of solutions with plans or mistakes, and of texts."""

from __future__ import annotations

import copy
import random
from fractions import Fraction as F
from typing import Any

WORDS = [
    "claim", "values", "leaf", "chance", "move", "play", "belief", "mistake", "root", "weight", "nash",
    "subgame-perfect", "quasi-perfect", "sequential", "normal-form-perfect", "one-sided-quasi-perfect", "perfect", "0",
    "1", "2", "3", "-1", "1/2", "1/3", "-1/2", "2/4", "0/5", "1/0", "1/-2", "-0", "01", "+1", "0.5", "1e3", "0x1",
    "1/2/3", "/", "-", "word",
]  # fmt: skip


def changed(rng: random.Random, document: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a changed copy of a solution, and what was changed."""
    document = copy.deepcopy(document)
    what = rng.choice(["row", "swap", "value", "number", "shift", "shift", "scale", "belief"])
    if what == "belief" and "beliefs" not in document:
        what = "shift"
    if what in ("number", "shift", "scale") and document["certificate"]["kind"] != "polynomials":
        what = "mistakes" if document["certificate"]["kind"] == "backward-induction" else "row"
    if what in ("row", "swap"):
        row = rng.choice(rng.choice([rows for rows in document["strategies"] if rows]))
        labels, numbers = [a for a, _ in row["actions"]], [p for _, p in row["actions"]]
        if what == "swap":
            rng.shuffle(numbers)
        else:
            weights = [rng.choice([0, 0, 1, 2]) for _ in numbers]
            weights[rng.randrange(len(weights))] += 1
            numbers = [str(F(w, sum(weights))) for w in weights]
        row["actions"] = [list(pair) for pair in zip(labels, numbers, strict=True)]
    elif what == "mistakes":
        numbers = ["1", "2", "1/3", "10"] + (["0"] if rng.random() < 0.3 else [])
        document["certificate"]["trembles"] = [
            [[rng.choice(numbers) for _ in row["actions"]] for row in rows] for rows in document["strategies"]
        ]
    elif what == "value":
        player = rng.randrange(2)
        document["values"][player] = str(F(document["values"][player]) + rng.choice([-1, 0, F(1, 7)]))
    elif what == "belief":
        row = rng.choice(rng.choice([rows for rows in document["beliefs"] if rows]))
        numbers = [p for _, p in row["nodes"]]
        rng.shuffle(numbers)
        row["nodes"] = [[path, p] for (path, _), p in zip(row["nodes"], numbers, strict=True)]
    else:
        player = rng.choice([i for i in (0, 1) if len(document["certificate"]["XY"[i]][0]) > 1])
        plan = document["certificate"]["XY"[player]]
        if what == "number":
            degree = rng.choice(plan)
            at = rng.randrange(1, len(degree))
            degree[at] = str(int(degree[at]) + rng.choice([-2, -1, 1]))
        elif what == "scale":
            factor = rng.choice([2, 3])
            document["certificate"]["denominator"][player] = str(
                int(document["certificate"]["denominator"][player]) * factor
            )
            plan[:] = [[str(int(v) * factor) for v in degree] for degree in plan]
        else:  # move a little weight from an action to the next action, at a set that may have later sets below it
            if rng.random() < 0.7:
                plan.append(["0"] * len(plan[0]))
            degree = plan[-1]
            at, amount = rng.randrange(1, len(degree) - 1), rng.choice([-2, -1, 1, 2])
            degree[at] = str(int(degree[at]) + amount)
            degree[at + 1] = str(int(degree[at + 1]) - amount)
    return what, document


def changed_text(rng: random.Random, text: str) -> str:
    """Return a text with one to three changes: of words, of numbers, or of whole lines."""
    lines = [line.split(" ") for line in text.splitlines()]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = rng.choice(sorted({line[0] for line in lines}))  # every kind of line is changed as often as the others
        places = [n for n, line in enumerate(lines) if line[0] == kind]
        n, m = rng.choice(places), rng.choice(places)
        line = lines[n]
        at = rng.randrange(len(line))
        match rng.randrange(12):
            case 0:
                del lines[n]
            case 1:
                lines.insert(n, list(line))
            case 2:
                lines[n], lines[m] = lines[m], lines[n]
            case 3:
                lines.insert(rng.randrange(len(lines) + 1), lines.pop(n))
            case 4:
                del line[at]
            case 5:
                line.insert(at, rng.choice([line[at], rng.choice(WORDS)]))
            case 6:
                line[at] = rng.choice(WORDS)
            case 7:
                line[1:] = rng.sample(line[1:], len(line) - 1)
            case 8:
                line[1:] = lines[m][1:]
            case _:
                line[-1 if rng.random() < 0.5 else at] = _near(rng, line[at])
        lines = [line for line in lines if line]
        if not lines:
            return "\n"
    return "\n".join(map(" ".join, lines)) + "\n"


def _near(rng: random.Random, word: str) -> str:
    try:
        value = F(word)
    except (ValueError, ZeroDivisionError):
        return rng.choice(WORDS)
    return str(rng.choice([value + 1, value - 1, -value, value * 2, value / 2, 1 - value, value + F(1, 10**9)]))
