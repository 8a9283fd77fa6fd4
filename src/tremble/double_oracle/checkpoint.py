"""Checkpoints: all that the next iteration depends on, in a file that is replaced as a whole.

A run that goes on from a checkpoint takes the very steps that it would have taken had it never been stopped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from tremble.double_oracle.loop import DoubleOracle
from tremble.double_oracle.plans import Plan, Sequences
from tremble.double_oracle.restricted import Basis
from tremble.errors import FormatError
from tremble.text_file import read_text, write_text

__all__ = ["Checkpoint"]

SCHEMA = "tremble/checkpoint@1"

_INTERVAL = 5.0  # seconds between two checkpoints, unless writing them takes more than a tenth of the time


class Checkpoint:
    """A checkpoint file.

    Parameters
    ----------
    path : str or path
    game : mapping
        Plain data that tells the game and its default strategies from others.
    """

    def __init__(self, path: str | os.PathLike[str], game: dict[str, Any]) -> None:
        self.path = os.fspath(path)
        self._game = game
        self._next = 0.0

    def exists(self) -> bool:
        """Whether there is something to go on from."""
        return os.path.exists(self.path)

    def save(self, run: DoubleOracle, *, elapsed: Callable[[], float], always: bool = False) -> None:
        """Write the state of a run between two iterations; not each time, as that costs time.

        Raises
        ------
        FormatError
            The file cannot be written.
        """
        began = elapsed()
        if began < self._next and not always:
            return
        write_text(self.path, self._text(run))
        spent = elapsed() - began
        self._next = began + spent + max(_INTERVAL, 9 * spent)

    def _text(self, run: DoubleOracle) -> str:
        document = {
            "schema": SCHEMA,
            "game": self._game,
            "iteration": run.iteration,
            "turn": run.turn,
            "approximate": run.approximate,
            "simplex_iterations": run.simplex_iterations,
            "seconds_float": run.seconds,
            "bounds": [
                None if bound.plan is None else {"value": bound.value.hex(), "plan": _plan_data(bound.plan)}
                for bound in run.bounds
            ],
            "basis": None
            if run.basis is None
            else {field.name: getattr(run.basis, field.name).tolist() for field in fields(Basis)},
            "known": run.oracle.known(),
        }
        return json.dumps(document, separators=(",", ":")) + "\n"

    def restore(self, run: DoubleOracle) -> None:
        """Put a fresh run where the file says.

        Raises
        ------
        FormatError
            The file is no checkpoint, or of another game.
        """
        source = read_text(self.path)
        try:
            document = json.loads(source.text)
            schema = document["schema"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FormatError("this is no checkpoint of tremble", file=self.path) from None
        if schema != SCHEMA:
            raise FormatError(f"schema: expected {SCHEMA!r}, found {schema!r:.60}", file=self.path)
        try:
            found = document["game"]
            if found != self._game:
                other = "another game or default strategy"
                if {**found, "digest": None, "form": None} == {**self._game, "digest": None, "form": None}:
                    other = "a run on the tree" if found["form"] == "tree" else "a run on the rules"
                raise FormatError(
                    f"the checkpoint is of {other} ({found.get('title', '')!r:.80}); "
                    "name another file, or remove this one",
                    file=self.path,
                )
            run.oracle.restore(document["known"])
            run.iteration = _within(document["iteration"], 10**15)
            run.turn = _within(document["turn"], 2)
            run.approximate = run.approximate and bool(document["approximate"])
            run.simplex_iterations = _within(document["simplex_iterations"], 10**15)
            run.seconds.update({str(name): float(value) for name, value in document["seconds_float"].items()})
            for player, (bound, stored) in enumerate(zip(run.bounds, document["bounds"], strict=True)):
                if stored is not None and self._game["digest"] is not None:  # else it may be another game's
                    bound.value = float.fromhex(stored["value"])
                    bound.plan = _plan(run.oracle.players[1 - player], stored["plan"])
            basis = document["basis"]
            if basis is not None:
                run.basis = Basis(**{name: np.array(values, dtype=np.int64) for name, values in basis.items()})
        except FormatError:
            raise
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
            raise FormatError(f"the checkpoint is damaged ({error!r:.100}); remove it", file=self.path) from None


def _within(value: Any, end: int) -> int:
    if type(value) is not int or not 0 <= value < end:
        raise ValueError(f"{value!r:.40} is not in range({end})")
    return value


def _plan_data(plan: Plan) -> dict[str, Any]:
    played = np.flatnonzero(plan.weight)
    return {
        "sequences": len(plan.weight),
        "infosets": len(plan.decided),
        "played": played.tolist(),
        "weight": [value.hex() for value in plan.weight[played].tolist()],
        "decided": np.flatnonzero(plan.decided).tolist(),
    }


def _plan(known: Sequences, data: dict[str, Any]) -> Plan:
    sequences, infosets = data["sequences"], data["infosets"]
    if sequences > known.num_sequences or infosets > known.num_infosets:
        raise ValueError("a plan for more than is known")
    weight = np.zeros(sequences)
    weight[np.array(data["played"], dtype=np.int64)] = [float.fromhex(value) for value in data["weight"]]
    if not np.all((weight >= 0) & (weight <= 2)):
        raise ValueError("a weight that is no probability")
    decided = np.zeros(infosets, dtype=np.bool_)
    decided[np.array(data["decided"], dtype=np.int64)] = True
    return Plan(known.player, weight, None, decided)
