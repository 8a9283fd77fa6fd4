"""Checkpoints: all that the next iteration depends on, in a file that is replaced as a whole.

A run that goes on from a checkpoint takes the very steps that it would have taken had it never been stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import fields
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.clock import Clock
from tremble.errors import FormatError, GameError
from tremble.solvers.checkpoint_file import CheckpointFile
from tremble.solvers.double_oracle.loop import DoubleOracleRun
from tremble.solvers.double_oracle.restricted import Basis
from tremble.solvers.double_oracle.sequences import Plan, Sequences
from tremble.text_file import read_text

__all__ = ["Checkpoint"]

SCHEMA = "tremble/checkpoint@2"


class Checkpoint(CheckpointFile):
    """A checkpoint file of the double oracle.

    Parameters
    ----------
    game : mapping
        Plain data that tells the game and its default strategies from others.
    """

    def __init__(self, path: str | os.PathLike[str], game: dict[str, Any], clock: Clock) -> None:
        super().__init__(path, clock)
        self._game = game

    def save(self, run: DoubleOracleRun, *, always: bool = False) -> None:
        """Write the state of a run between two iterations, if it is time."""
        self.write(lambda stream: stream.write(self._text(run).encode()), always=always)

    def _text(self, run: DoubleOracleRun) -> str:
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
        return _encoded({**document, "sha256": _digest(document)}) + "\n"

    def restore(self, run: DoubleOracleRun) -> None:
        """Put a fresh run where the file says.

        Raises
        ------
        FormatError
            The file is no checkpoint, is damaged, or of another game.
        """
        source = read_text(self.path, regular=True)
        try:
            document = json.loads(source.text)
            schema = document["schema"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FormatError("this is no checkpoint of tremble", file=self.path) from None
        if schema != SCHEMA:
            raise FormatError(f"schema: expected {SCHEMA!r}, found {schema!r:.60}", file=self.path)
        try:
            if document.pop("sha256", None) != _digest(document):
                raise ValueError("its contents are not those that its field sha256 tells of")
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
                    bound.value = _number(stored["value"])
                    bound.plan = _plan(run.oracle.players[1 - player], stored["plan"])
            basis = document["basis"]
            if basis is not None:
                run.basis = Basis(**{name: np.array(values, dtype=np.int64) for name, values in basis.items()})
            run.oracle.restricted().start(run.basis)
            run.incumbents()
        except FormatError:
            raise
        except (ArithmeticError, AttributeError, GameError, LookupError, TypeError, ValueError) as error:
            reason = f"{error}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise FormatError(f"the checkpoint is damaged ({reason:.200}); remove it", file=self.path) from None


def _encoded(document: dict[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":"))


def _digest(document: dict[str, Any]) -> str:
    return hashlib.sha256(_encoded(document).encode()).hexdigest()


def _within(value: Any, end: int) -> int:
    if type(value) is not int or not 0 <= value < end:
        raise ValueError(f"{value!r:.40} is not in range({end})")
    return value


def _number(text: str) -> float:
    value = float.fromhex(text)
    if not isfinite(value):
        raise ValueError(f"{text!r:.40} is no number")
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
    sequences = _within(data["sequences"], known.num_sequences + 1)
    infosets = _within(data["infosets"], known.num_infosets + 1)
    weight = np.zeros(sequences)
    weight[_indices(data["played"], sequences)] = [_number(value) for value in data["weight"]]
    if not np.all((weight >= 0) & (weight <= 2)):
        raise ValueError("a weight that is no probability")
    decided = np.zeros(infosets, dtype=np.bool_)
    decided[_indices(data["decided"], infosets)] = True
    end = known.first[:infosets] + known.count[:infosets]
    if np.any(end[decided] > sequences):
        raise ValueError("a plan that decides more than it has sequences for")
    return Plan(known.player, weight, None, decided)


def _indices(values: Any, end: int) -> NDArray[np.int64]:
    return np.array([_within(value, end) for value in values], dtype=np.int64)
