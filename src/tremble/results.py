"""The classes of results, for annotations and for reading results from files.

:class:`tremble.Solution` is at the top of the package, because it is used most. This module also has the function
:func:`certification`, which returns a verdict with all findings where :func:`tremble.certify` raises an exception.
"""

from typing import TYPE_CHECKING

from tremble.check import FieldProof, Verification
from tremble.judge.certify import certification
from tremble.lazy import lazy_names
from tremble.solution.audit import Audit, Blunder, WrongBelief
from tremble.solution.certification import Certification, SubgameGain, Verdict
from tremble.solution.claim import BeliefRow, MethodReference
from tremble.solution.claims import GameReference
from tremble.solution.comparison import Comparison, Difference, Earning, Mistake
from tremble.solution.equilibria import Equilibria
from tremble.solution.explanation import ActionWorth, Explanation, Explanations, NodeBelief, Reply
from tremble.solution.merging import AlikeSets, MergedSizes, Merging
from tremble.solution.stated import StatedSolution
from tremble.solvers.lists import Uniqueness
from tremble.solvers.trembling_program import TremblingSolution
from tremble.status import Status

if TYPE_CHECKING:
    from tremble.batch.parameter_sweep import Sweep
    from tremble.batch.results import BatchResult
    from tremble.show.playing import Decision, Hand, Hands, Move

__all__ = [
    "ActionWorth",
    "AlikeSets",
    "Audit",
    "BatchResult",
    "BeliefRow",
    "Blunder",
    "Certification",
    "Comparison",
    "Decision",
    "Difference",
    "Earning",
    "Equilibria",
    "Explanation",
    "Explanations",
    "FieldProof",
    "GameReference",
    "Hand",
    "Hands",
    "MergedSizes",
    "Merging",
    "MethodReference",
    "Mistake",
    "Move",
    "NodeBelief",
    "Reply",
    "StatedSolution",
    "Status",
    "SubgameGain",
    "Sweep",
    "TremblingSolution",
    "Uniqueness",
    "Verdict",
    "Verification",
    "WrongBelief",
    "certification",
]

__getattr__ = lazy_names(
    __name__,
    {
        "BatchResult": "tremble.batch.results:BatchResult",
        "Decision": "tremble.show.playing:Decision",
        "Hand": "tremble.show.playing:Hand",
        "Hands": "tremble.show.playing:Hands",
        "Move": "tremble.show.playing:Move",
        "Sweep": "tremble.batch.parameter_sweep:Sweep",
    },
)
