"""Rules that end, or slow down, the process that plays by them; a module, so that other processes can import it."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

from tremble.games.kuhn import Kuhn


class Deadly(Kuhn):
    """Kuhn poker, whose root kills the process, as often as there are files ``life1``, ``life2``, ... to delete."""

    def __init__(self, folder: Path) -> None:
        object.__setattr__(self, "cards", 3)
        object.__setattr__(self, "folder", folder)

    def identity(self) -> str:
        return f"deadly {self.folder}"  # type: ignore[attr-defined]

    def root(self) -> Any:
        for life in self.folder.glob("life*"):  # type: ignore[attr-defined]
            life.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().root()


class Endless(Kuhn):
    """Kuhn poker, at whose root one may wait for ever; who begins to leaves his number in a file."""

    def __init__(self, file: Path, seconds: float = 600.0) -> None:
        object.__setattr__(self, "cards", 3)
        object.__setattr__(self, "file", file)
        object.__setattr__(self, "seconds", seconds)

    def identity(self) -> str:
        return f"endless {self.file}"  # type: ignore[attr-defined]

    def root(self) -> Any:
        self.file.write_text(str(os.getpid()))  # type: ignore[attr-defined]
        end = time.monotonic() + self.seconds  # type: ignore[attr-defined]
        while time.monotonic() < end:
            time.sleep(0.02)
        return super().root()


class Lingering(Endless):
    """The same, in a process that does not end by itself when it has no more to do."""

    def root(self) -> Any:
        threading.Thread(target=time.sleep, args=(self.seconds,)).start()  # type: ignore[attr-defined]
        return super().root()


class Failing(Kuhn):
    """Kuhn poker with a fault."""

    def child(self, h: Any, i: int) -> Any:
        raise ZeroDivisionError("a fault of the rules")
