# The public names of tremble.io, as in tremble/__init__.pyi.

from .foreign_profile import from_gambit_profile as from_gambit_profile
from .foreign_profile import from_openspiel_policy as from_openspiel_policy
from .game_json import read_json as read_json
from .game_json import write_json as write_json
from .openspiel import load_openspiel as load_openspiel
from .openspiel import openspiel_rules as openspiel_rules
from .given_profile import ProfileLike as ProfileLike
from .given_profile import StrategyLike as StrategyLike
from .profile import StatedProfile as StatedProfile
from .profile_of_others import to_arrays as to_arrays
from .profile_of_others import to_gambit_profile as to_gambit_profile
from .profile_of_others import to_openspiel_policy as to_openspiel_policy
