"""The seed of what solvers draw at random.

These are the perturbations of HiGHS and, when a pivot rule stalls, the column to go on with: where a game has several
equilibria, they decide which one is found. What *proofs* draw comes from the operating system instead and has no seed:
nobody may know it beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from random import Random

__all__ = ["LARGEST_SEED", "current_seed", "draws", "seeded"]

LARGEST_SEED = 2**31 - 1
"""What HiGHS takes."""

_SEED: ContextVar[int] = ContextVar("seed", default=0)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Let everything that is drawn within the block depend on a seed from 0 to ``LARGEST_SEED``.

    Examples
    --------
    >>> with seeded(7):
    ...     current_seed()
    7
    """
    token = _SEED.set(seed)
    try:
        yield
    finally:
        _SEED.reset(token)


def current_seed() -> int:
    """The seed of the block; 0 outside of any."""
    return _SEED.get()


def draws() -> Random:
    """A new generator from the seed of the block."""
    return Random(current_seed())
