# The names at the top of the package: for people, editors, type checkers, and for lazy_loader, which reads here where
# to load them from when they are first used. One line each, `from .module import name as name`; ASCII. A name that is
# not used every day belongs in a public module instead, such as results.py. Each is described in docs/reference.

__version__: str

# -- public modules
from . import errors as errors
from . import io as io
from . import methods as methods
from . import poker as poker
from . import recall as recall
from . import results as results
from . import show as show
from . import strategies as strategies

# -- games
from .games.loading import load as load
from .games.loading import load_rules as load_rules
from .io.efg import read_efg as read_efg
from .io.efg import write_efg as write_efg
from .io.foreign import build as build
from .io.nfg import read_nfg as read_nfg
from .io.nfg import write_nfg as write_nfg
from .model.game import CHANCE as CHANCE
from .model.game import TERMINAL as TERMINAL
from .model.game import Game as Game
from .model.matrix_game import matrix_game as matrix_game
from .model.rules import UnbuiltGame as UnbuiltGame
from .model.tree import GameTree as GameTree
from .model.tree_builder import TreeBuilder as TreeBuilder
from .judging.info import info as info
from .model.forgetting import classify_recall as classify_recall
from .judging.shrink import shrink as shrink

# -- solving and proving
from .solvers.solve import solve as solve
from .solvers.batch.solve_many import solve_many as solve_many
from .solvers.batch.sweep import sweep as sweep
from .solvers.trembling_program import TremblingProgram as TremblingProgram
from .solvers.trembling_program import solve_trembling as solve_trembling
from .solvers.several import solve_several as solve_several
from .solvers.several import uniqueness as uniqueness
from .solution.solution import Solution as Solution
from .judging.verify import verify as verify
from .solution.verification import Verification as Verification

# -- strategies, wherever they come from
from .model.strategy import BehaviorStrategy as BehaviorStrategy
from .io.profile import read_profile as read_profile
from .judging.evaluation import best_response as best_response
from .judging.evaluation import expected_values as expected_values
from .judging.evaluation import exploitability as exploitability
from .judging.evaluation import nash_conv as nash_conv
from .judging.audit import audit as audit
from .judging.certify import certify as certify
from .judging.lists import all_equilibria as all_equilibria
from .judging.compare import compare as compare
from .judging.explain import explain as explain
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
