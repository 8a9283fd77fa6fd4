"""Strategies in other forms than :class:`tremble.BehaviorStrategy`.

This module has the sequence form and its realization plans, the weights of trembles, and strategies of games that are
not built as trees. The function :func:`evaluate` returns the values of all these strategies.
"""

from tremble.game.normal_form import reduced_normal_form
from tremble.game.rules import DEFAULT_RULES, DefaultRule, UnbuiltStrategy
from tremble.game.sequence_form import SequenceForm, Sequences, Side
from tremble.game.strategy import Distribution, RealizationPlan
from tremble.judge.verify import evaluate
from tremble.solution.trembles import Trembles

__all__ = [
    "DEFAULT_RULES",
    "DefaultRule",
    "Distribution",
    "RealizationPlan",
    "SequenceForm",
    "Sequences",
    "Side",
    "Trembles",
    "UnbuiltStrategy",
    "evaluate",
    "reduced_normal_form",
]
