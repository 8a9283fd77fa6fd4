"""Asks Gambit anew whatever the tests ask it, and records the answers: ``python tests/record_gambit.py``."""

from __future__ import annotations

import json
import sys

import pytest

from gambit import ANSWERS, Gambit, pygambit

if __name__ == "__main__":
    failed = pytest.main(["-q", "-m", "peers and not slow", "-p", "no:xdist", "tests"])
    if failed:
        sys.exit("nothing is recorded")
    answers = {question: dict(sorted(known.items())) for question, known in sorted(Gambit.newly_asked.items())}
    record = {"pygambit": pygambit().__version__, "answers": answers}
    ANSWERS.write_text(json.dumps(record, indent=0, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")
