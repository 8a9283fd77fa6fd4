"""Players who forget: what they forget (a witness), games made smaller by forgetting, and what that costs.

:func:`tremble.classify_recall` says how much a player remembers.
"""

from tremble.model.forgetting import RecallWitness, recall_witness
from tremble.model.regrouping import perfect_recall_refinement
from tremble.reductions.forgetting import Forgetting, InfosetView, Loss, forget

__all__ = [
    "Forgetting",
    "InfosetView",
    "Loss",
    "RecallWitness",
    "forget",
    "perfect_recall_refinement",
    "recall_witness",
]
