"""Methods as objects with options: ``tremble.solve(game, method=tremble.methods.DoubleOracle(policy="worse"))``.

The fields of a method are its options, also on the command line.
"""

from tremble.large.method import DoubleOracle, PublishedDoubleOracle
from tremble.poker.interior_point.method import InteriorPoint
from tremble.recall.maxmin.method import BranchAndBound
from tremble.recall.published.method import BnbDigits, Milp
from tremble.solvers.general_sum_method import Lemke
from tremble.solvers.lp.method import Lp
from tremble.solvers.published_method import Halving, Npp, SymbolicSimplex
from tremble.solvers.regret_method import Cfr, CfrPlus, Dcfr, PcfrPlus

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
