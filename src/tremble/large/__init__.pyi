# The public names of tremble.large, as in tremble/__init__.pyi.

from .loop import DoubleOracleRun as DoubleOracleRun
from .oracle import Oracle as Oracle
from .oracle import Response as Response
from .position_rules import Move as Move
from .position_rules import PositionRules as PositionRules
from .rules import RulesOracle as RulesOracle
from .settings import Settings as Settings
from .settings import Sizes as Sizes
from .tree import TreeOracle as TreeOracle
