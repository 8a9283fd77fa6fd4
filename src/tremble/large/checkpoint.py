"""Checkpoints of the double oracle: files that store the state of a run between two iterations.

The file is replaced atomically. A resumed run takes exactly the same steps as an uninterrupted run.
"""

from __future__ import annotations

from dataclasses import fields
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.large.loop import DoubleOracleRun
from tremble.large.restricted import Basis
from tremble.large.sequences import KnownSequences, Plan
from tremble.run.checkpoint_file import CheckpointFile

__all__ = ["Checkpoint"]


class Checkpoint(CheckpointFile[DoubleOracleRun]):
    """A checkpoint file of a double oracle run. It identifies the game and the default strategies of the run."""

    schema = "tremble/checkpoint@2"

    def fields(self, run: DoubleOracleRun) -> dict[str, Any]:
        """Return the state of a run between two iterations, as plain data for the file."""
        return {
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

    def other(self, game: Any) -> str:
        """Describe the run that wrote the file, for an error message. ``game`` is the file's game.

        It is another game than the game of this run, or the same game in another form (as a tree or as rules).
        """
        other = "another game or default strategy"
        if {**game, "digest": None, "form": None} == {**self.game, "digest": None, "form": None}:
            other = "a run on the tree" if game["form"] == "tree" else "a run on the rules"
        return f"{other} ({game.get('title', '')!r:.80})"

    def restore(self, run: DoubleOracleRun) -> None:
        """Load the state in the checkpoint file into ``run``, which must be new."""
        with self.stated() as document:
            run.oracle.restore(document["known"])
            run.iteration = _within(document["iteration"], 10**15)
            run.turn = _within(document["turn"], 2)
            run.approximate = run.approximate and bool(document["approximate"])
            run.simplex_iterations = _within(document["simplex_iterations"], 10**15)
            run.seconds.update({str(name): float(value) for name, value in document["seconds_float"].items()})
            for player, (bound, stored) in enumerate(zip(run.bounds, document["bounds"], strict=True)):
                if stored is not None and self.game["digest"] is not None:  # without a digest, the game may differ
                    bound.value = _number(stored["value"])
                    bound.plan = _plan(run.oracle.players[1 - player], stored["plan"])
            basis = document["basis"]
            if basis is not None:
                run.basis = Basis(**{name: np.array(values, dtype=np.int64) for name, values in basis.items()})
            run.oracle.restricted().start(run.basis)
            run.incumbents()


def _within(value: Any, end: int) -> int:
    if type(value) is not int or not 0 <= value < end:
        raise ValueError(f"{value!r:.40} is not in range({end})")
    return value


def _number(text: str) -> float:
    value = float.fromhex(text)
    if not isfinite(value):
        raise ValueError(f"{text!r:.40} is not a finite number")
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


def _plan(known: KnownSequences, data: dict[str, Any]) -> Plan:
    sequences = _within(data["sequences"], known.num_sequences + 1)
    infosets = _within(data["infosets"], known.num_infosets + 1)
    weight = np.zeros(sequences)
    weight[_indices(data["played"], sequences)] = [_number(value) for value in data["weight"]]
    if not np.all((weight >= 0) & (weight <= 2)):
        raise ValueError("a weight is not a probability")
    decided = np.zeros(infosets, dtype=np.bool_)
    decided[_indices(data["decided"], infosets)] = True
    if np.any(known.start[1 : infosets + 1][decided] > sequences):
        raise ValueError("a plan decides at information sets, but does not contain the sequences of these sets")
    return Plan(known.player, weight, None, decided)


def _indices(values: Any, end: int) -> NDArray[np.int64]:
    return np.array([_within(value, end) for value in values], dtype=np.int64)
