"""Pure realization plans: the reduced pure strategies of a player with perfect recall.

A reduced pure strategy chooses an action at each information set that its own earlier moves do not exclude. Pure
strategies that differ only at excluded sets have the same plan. Each plan is a row or column of the reduced normal
form.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.game.sequence_form import SequenceForm

__all__ = ["num_pure_plans", "pure_plans"]


def pure_plans(form: SequenceForm, player: int, most: int) -> NDArray[np.bool_]:
    """Return a mask bool[plans, S]. Each row marks the sequences that one reduced pure strategy plays.

    The function raises ``TooLargeError`` if there are more than ``most`` plans.

    Examples
    --------
    In Kuhn poker, player 1 has three choices for each of three cards: check and fold, check and call, or bet:

    >>> import tremble
    >>> form = tremble.strategies.SequenceForm.of(tremble.load("kuhn"))
    >>> len(pure_plans(form, 0, 100)), len(pure_plans(form, 1, 100))
    (27, 64)
    """
    if num_pure_plans(form, player, most) > most:
        raise TooLargeError(
            f"player {player + 1} has more than {most:,} reduced pure strategies, too many for this method to list"
        )
    own = form.sequences[player]
    # Loop from the last set to the first. The plans after a sequence combine one choice at each set after the sequence.
    steps, sequences = own.steps()[::-1], own.num_sequences
    plans: dict[int, NDArray[np.bool_]] = {}  # sequence -> plans for this sequence and all later sequences
    for before, first, end in steps:
        choices = np.concatenate([_after(plans, q, sequences) for q in range(first, end)])
        so_far = _after(plans, before, sequences)
        both = choices[:, np.newaxis] | so_far[np.newaxis]
        plans[before] = both.reshape(prod(both.shape[:2]), sequences)
    return _after(plans, 0, sequences)


def num_pure_plans(form: SequenceForm, player: int, enough: int | None = None) -> int:
    """Count a player's reduced pure strategies. If there are more than ``enough``, stop early with a lower bound."""
    own = form.sequences[player]
    count = [1] * own.num_sequences
    for before, first, end in own.steps()[::-1]:
        count[before] *= sum(count[first:end])
        if enough is not None and count[before] > enough:
            return count[before]
    return count[0]


def _after(plans: dict[int, NDArray[np.bool_]], sequence: int, sequences: int) -> NDArray[np.bool_]:
    """Remove and return ``plans[sequence]``. If it is missing, return one plan that contains only ``sequence``."""
    following = plans.pop(sequence, None)
    if following is None:
        following = np.zeros((1, sequences), dtype=np.bool_)
        following[0, sequence] = True
    return following
