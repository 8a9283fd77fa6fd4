"""Pure realization plans: the reduced pure strategies of a player with perfect recall.

A reduced pure strategy says what the player does at the information sets that its own earlier moves do not exclude.
Pure strategies that differ only elsewhere have the same plan, and are one row or column of the reduced strategic form.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.model.sequence_form import SequenceForm

__all__ = ["pure_plans"]


def pure_plans(form: SequenceForm, player: int, most: int) -> NDArray[np.bool_]:
    """Which sequences each reduced pure strategy plays, bool[plans, S]; ``TooLargeError`` if there are more than most.

    Examples
    --------
    In Kuhn poker player 1 checks and folds, checks and calls, or bets, with each of three cards:

    >>> import tremble
    >>> form = tremble.SequenceForm.of(tremble.load("kuhn"))
    >>> len(pure_plans(form, 0, 100)), len(pure_plans(form, 1, 100))
    (27, 64)
    """
    before, sequences = form.parent[player].tolist(), form.num_sequences[player]
    own = [form.side(player).sequences(k) for k in range(len(before))]
    count = [1] * sequences
    for k in range(len(before) - 1, -1, -1):
        count[before[k]] *= sum(count[q] for q in own[k])
        if count[before[k]] > most:
            raise TooLargeError(
                f"player {player + 1} has more than {most:,} pure strategies, also when those that differ only where "
                "its own play never comes count as one; this goes through all of them"
            )
    plans: dict[int, NDArray[np.bool_]] = {}  # of what follows a sequence, itself included
    for k in range(len(before) - 1, -1, -1):
        choices = np.concatenate([_after(plans, q, sequences) for q in own[k]])
        so_far = _after(plans, before[k], sequences)
        both = choices[:, np.newaxis] | so_far[np.newaxis]
        plans[before[k]] = both.reshape(prod(both.shape[:2]), sequences)
    return _after(plans, 0, sequences)


def _after(plans: dict[int, NDArray[np.bool_]], sequence: int, sequences: int) -> NDArray[np.bool_]:
    """The plans of what follows a sequence; taken out of the table, as they are needed once."""
    found = plans.pop(sequence, None)
    if found is None:
        found = np.zeros((1, sequences), dtype=np.bool_)
        found[0, sequence] = True
    return found
