"""A checker of Nash equilibria in the fewest lines, to time beside ``tremble verify``: the standard library alone.

``python benchmarks/naive_check.py GAME.json SOLUTION.json`` reads a game of schema ``tremble/game@1`` and a solution.
It computes what a best response to each strategy earns. Both players must have perfect recall.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from fractions import Fraction
from typing import Any

__all__ = ["gains"]


def gains(game: dict[str, Any], solution: dict[str, Any]) -> list[Fraction]:
    """Return how much each player gains by deviating from the strategies of a solution."""
    chance = [[Fraction(p) for p in table["probabilities"]] for table in game["chance"]]
    plays = [[[Fraction(p) for _, p in row["actions"]] for row in rows] for rows in solution["strategies"]]
    # A move is an information set and an action in it. The last own move leads to a leaf, or to an information set.
    values: list[dict[Any, Fraction]] = [defaultdict(Fraction), defaultdict(Fraction)]
    led_to: list[dict[int, Any]] = [{}, {}]
    expected = [Fraction(0), Fraction(0)]
    stack: list[tuple[list[Any], list[Fraction]]] = [([None, None], [Fraction(1)] * 3)]
    for kind, *rest in game["nodes"]:
        moves, weights = stack.pop()  # by player; the third weight is that of chance
        if kind == "t":
            for player in (0, 1):
                payoff = Fraction(rest[player]) * weights[2] * weights[1 - player]
                values[player][moves[player]] += payoff
                expected[player] += payoff * weights[player]
            continue
        k = rest[0] - 1
        mover = {"p1": 0, "p2": 1, "c": 2}[kind]
        if mover < 2:
            led_to[mover].setdefault(k, moves[mover])
        children = []
        for action, share in enumerate(chance[k] if mover == 2 else plays[mover][k]):
            after, scaled = list(moves), list(weights)
            scaled[mover] *= share
            if mover < 2:
                after[mover] = k, action
            children.append((after, scaled))
        stack += reversed(children)
    best = []
    for player in (0, 1):
        for k in reversed(led_to[player]):  # a set comes after the sets that lead to it
            actions = range(len(plays[player][k]))
            values[player][led_to[player][k]] += max(values[player][k, action] for action in actions)
        best.append(values[player][None])
    return [most - value for most, value in zip(best, expected, strict=True)]


def main() -> int:
    """Check the files that the command line names."""
    documents = []
    for path in sys.argv[1:3]:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    found = gains(*documents)
    print("OK" if not any(found) else "FAILED", *found)
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
