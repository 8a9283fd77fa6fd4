"""How much memory is left; known on Linux, where a process that takes too much is killed without a word."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["fits", "nearly_full"]

_MOST = 0.9  # of what there is may be this process's
_LEAST = 0.02  # of what there is should be left if this process has half of it
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def nearly_full() -> bool:
    """Whether this process is about to take the last of the memory; False where that is not known."""
    return not fits(0)


def fits(size: int) -> bool:
    """Whether this process may take so many bytes more; True where that is not known."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
        sizes = {words[0]: 1024 * int(words[1]) for words in lines}
        total, left = sizes["MemTotal:"], sizes["MemAvailable:"] - size
    except (OSError, ValueError, LookupError):
        return True
    own = pages * os.sysconf("SC_PAGE_SIZE") + size
    for file in _LIMITS:  # of a container
        with suppress(OSError, ValueError):  # "max" where there is none
            total = min(total, int(Path(file).read_text()))
    return left >= 0 and own <= _MOST * total and (left >= _LEAST * total or own <= total / 2)
