# The public names of tremble.io, as in tremble/__init__.pyi.

from .foreign_profile import from_gambit_profile as from_gambit_profile
from .foreign_profile import from_openspiel_policy as from_openspiel_policy
from .game_json import read_json as read_json
from .game_json import write_json as write_json
from .openspiel import load_openspiel as load_openspiel
from .openspiel import openspiel_rules as openspiel_rules
from .openspiel import to_openspiel_policy as to_openspiel_policy
from .profile import StatedProfile as StatedProfile
