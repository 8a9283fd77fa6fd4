"""How large the tree of some rules is: by their counts; or far too large to be built, by a few random plays."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from tremble.errors import TooLargeError
from tremble.game.protocol import TERMINAL, Game

__all__ = ["refuse_if_hopeless", "total_nodes"]

_PROBES = 2_000
_PROBES_SHOWN = 20  # at least so many make the estimate in a message
_PROBE_STEPS = 20_000
_PROBE_SECONDS = 1.0
_STAKES = (0.5, 0.1, 0.02)
_DOUBT = 1e-12


def total_nodes(counted: Mapping[str, Any]) -> int:
    """All nodes of a game, of the sizes that its ``counts()`` gives."""
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
    """Raise ``TooLargeError`` if random probes prove beyond reasonable doubt that the tree is too large.

    A probe walks from the root to a leaf, choosing children uniformly; the sum over its nodes of the
    product of the numbers of children above is an unbiased estimate X of the size of the tree. If the
    size were at most ``max_nodes``, every factor 1 - s + s X / max_nodes of the running products below, one for
    each stake s, would have expectation at most 1, and by Ville's inequality the mean of the products would ever
    reach 10^12 with probability at most 10^-12. Truncated probes only make X smaller. So a tree that fits is
    refused with that probability at most; a tree that is too large may still get through, and is then refused
    when ``max_nodes`` are built. Small stakes prove sizes that a few rare long plays make, as in nim.

    The error calls the game by its name; ``width`` tells how many children a history has, if that is known without the
    labels of the actions. The plays are drawn from the seed, so that the same games are refused every time.

    References
    ----------
    D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975.
    J. Ville, "Étude critique de la notion de collectif", 1939.
    """
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
        ratio = sizes[-1] / max_nodes
        evidence = [min(e * (1 - stake + stake * ratio), 1e200) for e, stake in zip(evidence, _STAKES, strict=True)]
        proven = proven or sum(evidence) * _DOUBT >= len(_STAKES)
    if proven:
        mean = sum(sizes) // len(sizes)
        shown = f"{mean:,}" if mean < 10**9 else f"10^{len(str(mean)) - 1}"
        raise TooLargeError(
            f"{name} has more than {max_nodes:,} nodes: {'over' if cap in sizes else 'about'} {shown} by an "
            f"estimate from {len(sizes)} random plays"
        )
