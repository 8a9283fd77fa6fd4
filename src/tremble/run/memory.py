"""Check the free memory. This works on Linux only, where the system kills a process that takes too much."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["fits", "nearly_full"]

_MAX_SHARE = 0.9  # greatest share of the memory for this process
_MIN_FREE = 0.02  # least free share of the memory if this process has more than half of it
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def nearly_full() -> bool:
    """Return whether this process has nearly filled the memory; False if unknown."""
    return not fits(0)


def fits(size: int) -> bool:
    """Return whether this process may allocate so many more bytes; True if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
        sizes = {words[0]: 1024 * int(words[1]) for words in lines}
        total, left = sizes["MemTotal:"], sizes["MemAvailable:"] - size
    except (OSError, ValueError, LookupError):
        return True
    own = pages * os.sysconf("SC_PAGE_SIZE") + size
    for file in _LIMITS:  # limits of a container
        with suppress(OSError, ValueError):  # the file holds "max" if there is no limit
            total = min(total, int(Path(file).read_text()))
    return left >= 0 and own <= _MAX_SHARE * total and (left >= _MIN_FREE * total or own <= total / 2)
