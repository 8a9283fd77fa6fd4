# This file lists the names at the top of the package, for people, editors and type checkers. lazy_loader reads the file
# to find the module of a name when the name is first used. Write one line for each name, `from .module import name as
# name`, in ASCII. A rarely used name belongs in a public module instead, such as results.py. docs/reference describes
# all names.

__version__: str

# -- public modules
from . import batch as batch
from . import check as check
from . import errors as errors
from . import io as io
from . import large as large
from . import methods as methods
from . import poker as poker
from . import recall as recall
from . import results as results
from . import show as show
from . import strategies as strategies

# -- games
from .games.loading import load as load
from .games.loading import load_rules as load_rules
from .formats.efg import read_efg as read_efg
from .formats.efg import write_efg as write_efg
from .formats.foreign import build as build
from .formats.nfg import read_nfg as read_nfg
from .formats.nfg import write_nfg as write_nfg
from .game.protocol import CHANCE as CHANCE
from .game.protocol import TERMINAL as TERMINAL
from .game.protocol import Game as Game
from .game.matrix_game import matrix_game as matrix_game
from .game.rules import UnbuiltGame as UnbuiltGame
from .game.tree import GameTree as GameTree
from .game.tree_builder import TreeBuilder as TreeBuilder
from .text.info import info as info
from .game.forgetting import classify_recall as classify_recall
from .judge.shrink import shrink as shrink

# -- solving and proving
from .solvers.door import solve as solve
from .batch.many_games import solve_many as solve_many
from .batch.parameter_sweep import sweep as sweep
from .solvers.trembling_program import TremblingProgram as TremblingProgram
from .solvers.trembling_program import solve_trembling as solve_trembling
from .solvers.lists import solve_several as solve_several
from .solvers.lists import uniqueness as uniqueness
from .solution.solution import Solution as Solution
from .judge.verify import reopen as reopen
from .judge.verify import verify as verify
from .check import Verification as Verification

# -- strategies from any source
from .game.strategy import BehaviorStrategy as BehaviorStrategy
from .formats.profile import read_profile as read_profile
from .judge.evaluation import best_response as best_response
from .judge.evaluation import expected_values as expected_values
from .judge.evaluation import exploitability as exploitability
from .judge.evaluation import nash_conv as nash_conv
from .judge.audit import audit as audit
from .judge.certify import certify as certify
from .judge.lists import all_equilibria as all_equilibria
from .judge.compare import compare as compare
from .judge.explain import explain as explain
from .show.sitting import play as play

# -- pictures
from .show.draw import draw as draw

# -- errors (all of them: tremble.errors)
from .errors import CertificateError as CertificateError
from .errors import FormatError as FormatError
from .errors import GameError as GameError
from .errors import ImperfectRecallError as ImperfectRecallError
from .errors import LimitReached as LimitReached
from .errors import NotProvenError as NotProvenError
from .errors import NotZeroSumError as NotZeroSumError
from .errors import PlayersError as PlayersError
from .errors import SolverError as SolverError
from .errors import TooLargeError as TooLargeError
from .errors import TrembleError as TrembleError
