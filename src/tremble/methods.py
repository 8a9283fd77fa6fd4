"""Methods as values: ``tremble.solve(game, method=tremble.methods.DoubleOracle(policy="worse"))``.

The fields of a method are its options, on the command line too.
"""

from tremble.solvers.double_oracle.method import DoubleOracle, PublishedDoubleOracle
from tremble.solvers.general_sum.method import Lemke
from tremble.solvers.interior_point.method import InteriorPoint
from tremble.solvers.lp.method import Lp
from tremble.solvers.maxmin.method import BranchAndBound
from tremble.solvers.published.maxmin_method import BnbDigits, Milp
from tremble.solvers.published.method import Halving, Npp, SymbolicSimplex
from tremble.solvers.regret.method import Cfr, CfrPlus, Dcfr, PcfrPlus

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
