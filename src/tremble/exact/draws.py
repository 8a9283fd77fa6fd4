"""The seed of all random choices of solvers.

HiGHS perturbs programs at random. A pivot rule chooses columns at random while the objective stalls. In a game with
multiple equilibria, these choices decide which equilibrium is found. Random numbers in *proofs* have no seed. They come
from the operating system, because they must be unpredictable.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from random import Random

__all__ = ["LARGEST_SEED", "SEED", "draws", "seeded"]

LARGEST_SEED = 2**31 - 1
"""The largest seed that HiGHS accepts."""

SEED: ContextVar[int] = ContextVar("seed", default=0)
"""The seed of the innermost :func:`seeded` block, or 0 outside of all blocks."""


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Use a seed from 0 to ``LARGEST_SEED`` for all random choices within the block.

    Examples
    --------
    >>> with seeded(7):
    ...     SEED.get()
    7
    """
    token = SEED.set(seed)
    try:
        yield
    finally:
        SEED.reset(token)


def draws() -> Random:
    """Return a new random generator with the current seed."""
    return Random(SEED.get())
