"""Solution methods as objects: ``tremble.solve(game, method=tremble.methods.DoubleOracle(policy="worse"))``.

The fields of a method object are the options of the method. The command line has the same options.
"""

from typing import TYPE_CHECKING

from tremble.lazy import lazy_names
from tremble.solvers.general_sum_method import Lemke
from tremble.solvers.lp import Lp
from tremble.solvers.published_method import Halving, Npp, SymbolicSimplex
from tremble.solvers.regret_method import Cfr, CfrPlus, Dcfr, PcfrPlus

if TYPE_CHECKING:
    from tremble.large.method import DoubleOracle, PublishedDoubleOracle
    from tremble.poker.interior_point.method import InteriorPoint
    from tremble.recall.maxmin.method import BranchAndBound
    from tremble.recall.published.method import BnbDigits, Milp

__all__ = [
    "BnbDigits",
    "BranchAndBound",
    "Cfr",
    "CfrPlus",
    "Dcfr",
    "DoubleOracle",
    "Halving",
    "InteriorPoint",
    "Lemke",
    "Lp",
    "Milp",
    "Npp",
    "PcfrPlus",
    "PublishedDoubleOracle",
    "SymbolicSimplex",
]

__getattr__ = lazy_names(
    __name__,
    {
        "BnbDigits": "tremble.recall.published.method:BnbDigits",
        "BranchAndBound": "tremble.recall.maxmin.method:BranchAndBound",
        "DoubleOracle": "tremble.large.method:DoubleOracle",
        "InteriorPoint": "tremble.poker.interior_point.method:InteriorPoint",
        "Milp": "tremble.recall.published.method:Milp",
        "PublishedDoubleOracle": "tremble.large.method:PublishedDoubleOracle",
    },
)
