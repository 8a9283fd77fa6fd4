"""Solutions of ordered games in files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import tremble
from small_ordered_games import random_strategy
from tremble.solution.claim import Claim, MethodReference
from tremble.solution.solution import Solution
from tremble.solvers.recorder import proven_solution

SPEC = "rhode_island:raises=1,ranks=2,suits=2"


GAME = tremble.load_rules(SPEC)


def solution_of(seed: int = 0, bits: int = 4) -> Solution:
    rng = random.Random(seed)
    one, two = (random_strategy(GAME.rules, player, rng, blur=2, bits=bits) for player in (0, 1))
    return proven_solution(GAME, Claim((one, two), {}), "nash", MethodReference("by hand", {}))


def arrays_beside(file: Path) -> Path:
    return file.with_name(json.loads(file.read_text())["strategies"]["npz"])
