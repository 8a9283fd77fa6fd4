# The public names of tremble.poker. tremble/__init__.pyi lists the names of the package in the same form.

from .abstraction.abstraction import Abstraction as Abstraction
from .abstraction.dominance import dominance_report as dominance_report
from .abstraction.dominance import undominated as undominated
from .abstraction.report import AbstractionReport as AbstractionReport
from .abstraction.shrink import ladder as ladder
from .any_players import ExPost as ExPost
from .any_players import ex_post as ex_post
from .filter import Filter as Filter
from .game import OrderedGame as OrderedGame
from .game import Round as Round
from .games.hand_ranges import parse_range as parse_range
from .games.hand_ranges import range_text as range_text
from .holdem.flop import HoldemFlop as HoldemFlop
from .holdem.game import HoldemTurn as HoldemTurn
from .holdem.report import board_report as board_report
from .holdem.river import HoldemRiver as HoldemRiver
from .stage import GO_ON as GO_ON
from .stage import Leaf as Leaf
from .stage import Move as Move
from .stage import OVER as OVER
from .stage import StageTree as StageTree
from .strategy import OrderedStrategy as OrderedStrategy
