"""The variants of regret minimisation, as members of one family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isinf

import numpy as np

from tremble.model.tree import FloatArray

__all__ = ["VARIANTS", "Variant", "kept"]


@dataclass(frozen=True)
class Variant:
    """A member of the family DCFR(alpha, beta, gamma), to which CFR and CFR+ belong too."""

    name: str
    alternating: bool  # Player 2 learns against what player 1 has just learnt
    # Before iteration t + 1 positive regrets are multiplied by t^alpha / (t^alpha + 1), others by t^beta / (t^beta +
    # 1); infinity leaves them as they are, minus infinity forgets them.
    alpha: float
    beta: float
    gamma: float  # the plans of iteration t weigh t^gamma in the average
    predictive: bool = False  # The last gains are expected to come again

    @property
    def floor(self) -> bool:
        """Whether negative regrets are forgotten at once."""
        return isinf(self.beta) and self.beta < 0


VARIANTS: Mapping[str, Variant] = {
    "cfr": Variant("CFR", alternating=False, alpha=inf, beta=inf, gamma=0.0),
    "cfr+": Variant("CFR+", alternating=True, alpha=inf, beta=-inf, gamma=1.0),
    "dcfr": Variant("DCFR", alternating=True, alpha=1.5, beta=0.0, gamma=2.0),
    "pcfr+": Variant("PCFR+", alternating=True, alpha=inf, beta=-inf, gamma=2.0, predictive=True),
}
"""Name of a method -> the algorithm."""


def kept(t: FloatArray, exponent: float) -> FloatArray:
    """What remains of a regret after iteration t."""
    if isinf(exponent):
        return np.full(len(t), float(exponent > 0))
    return t**exponent / (t**exponent + 1)
