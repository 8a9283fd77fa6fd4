"""Compute the size of a tree from the ``counts()`` of its rules, or show by random plays that the tree is too large."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from tremble.errors import TooLargeError
from tremble.game.protocol import TERMINAL, Game

__all__ = ["refuse_if_hopeless", "total_nodes"]

_PROBES = 2_000
_PROBES_SHOWN = 20  # the estimate in a message uses at least this many probes
_PROBE_STEPS = 20_000
_PROBE_SECONDS = 1.0
_STAKES = (0.5, 0.1, 0.02)
_DOUBT = 1e-12


def total_nodes(counted: Mapping[str, Any]) -> int:
    """Return the number of all nodes of a game, given the result of its ``counts()``."""
    nodes = counted["nodes"]
    total: int = nodes["chance"] + sum(nodes["player"]) + nodes["terminal"]
    return total


def refuse_if_hopeless(
    rules: Game,
    max_nodes: int,
    name: str,
    *,
    width: Callable[[Any], int] | None = None,
    probes: int = _PROBES,
    seed: int = 0,
) -> None:
    """Raise ``TooLargeError`` if random probes show that the tree is almost certainly too large.

    A probe walks from the root to a leaf and chooses children uniformly. For each node on the walk, multiply the
    numbers of children of all nodes before it. The sum of these products over the walk is an unbiased estimate X of the
    size of the tree (Knuth 1975).

    Suppose that the size is at most ``max_nodes``. For each number s in ``_STAKES``, the factor 1 - s + s X / max_nodes
    then has an expectation of at most 1. For each s, multiply the factors of all probes; then take the mean over all s.
    By Ville's inequality, the probability that this mean ever reaches 10^12 is at most 10^-12. So the function refuses
    a tree of at most ``max_nodes`` nodes with probability at most 10^-12. This holds also if a probe stops early,
    because X is then smaller. If the function misses a larger tree, ``build`` refuses it after ``max_nodes`` nodes.
    The small numbers s detect trees whose size depends on a few rare long plays, as in nim.

    The error calls the game ``name``. ``width`` returns the number of children of a history without listing the labels
    of its actions. The seed is fixed, so the function refuses the same games in every run.

    References
    ----------
    D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975.
    J. Ville, "Étude critique de la notion de collectif", 1939.
    """
    # Walk until the proof is complete, or until the probes, steps or seconds run out.
    rng = random.Random(seed)
    children = width if width is not None else lambda h: len(rules.actions(h))
    sizes: list[int] = []
    evidence, proven, steps = [1.0] * len(_STAKES), False, 0
    cap = max_nodes * 10**15
    end = time.monotonic() + _PROBE_SECONDS
    while len(sizes) < probes and steps < _PROBE_STEPS and not (proven and len(sizes) >= _PROBES_SHOWN):
        if time.monotonic() > end:  # some games take milliseconds for a step
            break
        h, weight, size = rules.root(), 1, 1
        while rules.player(h) != TERMINAL and steps < _PROBE_STEPS and size < cap:
            count = children(h)
            weight *= count
            size += weight
            steps += 1
            h = rules.child(h, rng.randrange(count))
        sizes.append(min(size, cap))
        # Multiply the running product of each stake by its factor for this probe.
        ratio = sizes[-1] / max_nodes
        evidence = [min(e * (1 - stake + stake * ratio), 1e200) for e, stake in zip(evidence, _STAKES, strict=True)]
        proven = proven or sum(evidence) * _DOUBT >= len(_STAKES)
    if proven:
        mean = sum(sizes) // len(sizes)
        shown = f"{mean:,}" if mean < 10**9 else f"10^{len(str(mean)) - 1}"
        raise TooLargeError(
            f"{name} has more than {max_nodes:,} nodes: {'over' if cap in sizes else 'about'} {shown}, as "
            f"estimated from {len(sizes)} random plays"
        )
