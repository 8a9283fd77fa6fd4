"""What a verification may spend on long numbers, so that nobody's file can fill the memory or take hours.

A file of a few kilobytes can state numbers whose products or common denominators are a million times longer. So
whatever multiplies, divides or brings over one denominator numbers that a file states says what that costs *before*
it does it. Costs are counted, not timed, so that the same file is refused everywhere or nowhere:

* *work*, in steps of about a nanosecond: one for each pair of 30-bit digits in a quotient or a greatest common
  divisor; fewer in a long product, which Python forms by Karatsuba's method;
* *room*, in bits, of the numbers that are kept.

What is allowed does not depend on the numbers in the file, but grows with the game. Only numbers of more than
:data:`SHORT` bits are counted: shorter ones cost as much as Python itself.

Whatever takes long also says so now and then, to a listener who may end it: so a time limit ends the work in every
thread, where it is safe to stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from fractions import Fraction
from itertools import islice
from math import gcd, inf
from typing import ClassVar, TypeVar

from tremble.errors import LimitReached
from tremble.numbers import distinct
from tremble.run.clock import TIME_IS_UP

__all__ = [
    "AT_ONCE",
    "LONG",
    "ROOM",
    "ROOM_PER_NODE",
    "SHORT",
    "WORK",
    "WORK_PER_NODE",
    "WORK_PER_NODE_AGAIN",
    "Budget",
    "Listener",
    "TooCostly",
    "bits_of",
    "budget",
    "listening",
    "spending",
    "telling",
]

WORK = 10**10
"""Steps for any game: about ten seconds."""

WORK_PER_NODE = 10**5
"""Further steps for each node of a tree, or each history that is looked at: about ten times what it costs anyway."""

WORK_PER_NODE_AGAIN = 2_000
"""Steps that a node of a tree costs with each further solution of a file, whatever it states; a history, twice that."""

ROOM = 2**32
"""Bits for any game: 512 MiB."""

ROOM_PER_NODE = 2**10
"""Further bits for each node or history: 128 bytes."""

AT_ONCE = 10**9
"""Steps of one product or quotient, in which neither a time limit nor Ctrl-C can end it."""

SHORT = 512
"""Bits of numbers that are not counted."""

LONG = 2**14
"""Bits of two numbers from which on ten thousand products of such take seconds."""

_DIGIT = 30  # bits
_KARATSUBA = 0.585  # log2(3) - 1
_STEPS_PER_CALL = 10**7  # steps between two calls of the listener
_ITEMS_PER_CALL = 100  # things to look at between two calls of the listener

Item = TypeVar("Item")


class TooCostly(Exception):  # noqa: N818 (a finding about the file, turned into a problem by the verifier)
    """What a file states cannot be checked within the budget."""


class Listener:
    """Hears how far a verification has come: tells it a few times a second, and ends it at a time limit.

    Parameters
    ----------
    time_limit : float, optional
        Seconds from now after which a call raises ``LimitReached``.
    progress : callable, optional
        Called with a text now and then; it may end the work by raising.
    """

    seconds: ClassVar[float] = 0.2
    """Between two reports."""

    def __init__(self, time_limit: float | None = None, progress: Callable[[str], None] | None = None) -> None:
        now = time.monotonic()
        self._deadline = inf if time_limit is None else now + time_limit
        self._progress = progress
        self._next = now + self.seconds

    def __call__(self, text: str) -> None:
        """Hear where the work is."""
        now = time.monotonic()
        if now >= self._deadline:
            raise LimitReached(TIME_IS_UP)
        if self._progress is not None and now >= self._next:
            self._next = now + self.seconds
            self._progress(f"verification: {text}")


class Budget:
    """Counts what is spent, and has whoever listens hear of it.

    Parameters
    ----------
    work, room : float
        What is allowed; infinite by default.

    Attributes
    ----------
    about : str
        Which part of the file is being looked at, for messages.
    """

    def __init__(self, work: float = inf, room: float = inf, listener: Listener | None = None) -> None:
        self.work, self.room = work, room
        self._listener = listener
        self._unreported: float = 0
        self.worked: float = 0
        self.kept = 0
        self.about = "the file"
        self.solutions = 0

    def listen(self, text: str | None = None) -> None:
        """Have the listener hear where the work is: in words, or by the part of the file that is being looked at."""
        if self._listener is not None:
            self._listener(text or self.about)

    def _spend(self, steps: float, times: int = 1) -> None:
        if steps > AT_ONCE and self.work < inf:
            raise TooCostly(f"{self.about}: too large to check: a single step would take more than a second")
        self.worked += steps * times
        self._unreported += steps * times
        if self._unreported > _STEPS_PER_CALL:
            self._unreported = 0
            self.listen()
        if self.worked > self.work:
            raise TooCostly(
                f"{self.about}: too large to check: it would take more than the {self.work / 10**9:,.0f} billion steps "
                "that a game of this size is worth"
            )

    def keep(self, bits: int) -> None:
        """So many bits are about to be filled, or (negative) are free again."""
        self.kept += bits
        if self.kept > self.room:
            raise TooCostly(
                f"{self.about}: too large to check: the numbers that follow from it would take more than "
                f"{int(self.room) >> 23:,} MiB"
            )

    def work_through(self, many: int) -> None:
        """So many short numbers are about to be looked at, at about a tenth of a microsecond each."""
        self._spend(100, many)

    def meet(self, histories: int) -> None:
        """So many histories of rules are looked at: the first solution is allowed more for them, further ones pay.

        Else a list of solutions that state next to nothing would have the whole game looked at for each of them.
        """
        if self.solutions > 1:
            self.again(2 * histories)
        else:
            self.grant(histories)

    def again(self, nodes: int) -> None:
        """So many nodes are about to be looked at, which only further solutions pay for."""
        if self.solutions > 1:
            self._spend(WORK_PER_NODE_AGAIN, nodes)

    def grant(self, nodes: int) -> None:
        """Allow more: the game has so many further nodes."""
        self.work += WORK_PER_NODE * nodes
        self.room += ROOM_PER_NODE * nodes

    @classmethod
    def of(cls, nodes: int, listener: Listener | None = None) -> Budget:
        """What is allowed for a game of so many nodes."""
        allowed = cls(WORK, ROOM, listener)
        allowed.grant(nodes)
        return allowed

    def heard_by(self, listener: Listener) -> Budget:
        """The same, for one of several solutions: what was kept of those before is free again."""
        self._listener, self.kept = listener, 0
        self.solutions += 1
        return self

    def product(self, one: int, other: int, times: int = 1) -> None:
        """Numbers of so many bits are about to be multiplied, so many times."""
        if one + other > SHORT:
            a, b = (one, other) if one <= other else (other, one)
            a, b = 1 + a // _DIGIT, 1 + b // _DIGIT
            self._spend(min(a, 5 * a**_KARATSUBA) * b, times)

    def products(self, total: int, other: int) -> None:
        """Numbers of so many bits in all are about to be multiplied, each by one of so many bits."""
        a = 1 + other // _DIGIT
        self._spend(min(a, 5 * a**_KARATSUBA), 1 + total // _DIGIT)

    def passes(self, total: int, times: int) -> None:
        """Numbers of so many bits in all are about to be gone through so many times, as sums and shifts do."""
        self._spend(1 + total // _DIGIT, times)

    def quotient(self, one: int, other: int, times: int = 1) -> None:
        """Numbers of so many bits are about to be divided, or searched for a common divisor."""
        if one + other > SHORT:
            self._spend((1 + one // _DIGIT) * (1 + other // _DIGIT), times)

    def common_denominator(self, denominators: Iterable[int]) -> int:
        """The least common multiple, of pairs, of pairs of pairs, and so on: long numbers meet only at the end.

        Examples
        --------
        >>> Budget().common_denominator([4, 6, 10])
        60
        """
        level = distinct(denominators) or [1]
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            level = [*(self._least_common_multiple(a, b) for a, b in pairs), *level[len(level) & ~1 :]]
        return level[0]

    def _least_common_multiple(self, one: int, other: int) -> int:
        a, b = one.bit_length(), other.bit_length()
        self.quotient(a, b, 2)
        self.product(a, b)
        return one // gcd(one, other) * other


_UNLIMITED = Budget()
_CURRENT: ContextVar[Budget] = ContextVar("budget", default=_UNLIMITED)


def budget() -> Budget:
    """The budget of the verification that is going on; an infinite one outside of it."""
    return _CURRENT.get()


def listening(items: Iterable[Item]) -> Iterator[Item]:
    """The items, one after the other; in between, the listener is called often enough.

    Examples
    --------
    >>> sum(listening(range(10_000)))
    49995000
    """
    costs, rest = budget(), iter(items)
    while together := tuple(islice(rest, _ITEMS_PER_CALL)):
        yield from together
        costs.listen()


@contextmanager
def spending(allowed: Budget) -> Iterator[Budget]:
    """Spend from this budget.

    Examples
    --------
    >>> with spending(Budget(work=10**6)):
    ...     budget().quotient(10**5, 10**5)
    Traceback (most recent call last):
    tremble.verifier.budget.TooCostly: the file: too large to check: ...
    """
    token = _CURRENT.set(allowed)
    try:
        yield allowed
    finally:
        _CURRENT.reset(token)


def telling(progress: Callable[[str], None] | None) -> AbstractContextManager[Budget]:
    """Spend whatever it takes, and have ``progress`` called with a text now and then."""
    return spending(Budget(listener=Listener(progress=progress)))


def bits_of(value: Fraction | int) -> int:
    """The length of numerator and denominator together.

    Examples
    --------
    >>> bits_of(Fraction(-1, 4))
    4
    """
    return value.numerator.bit_length() + value.denominator.bit_length()
