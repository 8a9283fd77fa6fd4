"""Convert games and strategies from and to Gambit, OpenSpiel and JSON.

The package ``tremble`` itself exports the readers and writers of Gambit files, such as :func:`tremble.read_efg`.
:mod:`tremble.formats` has one module for each format.
"""

from tremble.formats.foreign_profile import from_gambit_profile, from_openspiel_policy
from tremble.formats.game_json import read_json, write_json
from tremble.formats.given_profile import ProfileLike, StrategyLike
from tremble.formats.openspiel import load_openspiel, openspiel_rules
from tremble.formats.profile import StatedProfile
from tremble.formats.profile_of_others import to_arrays, to_gambit_profile, to_openspiel_policy

__all__ = [
    "ProfileLike",
    "StatedProfile",
    "StrategyLike",
    "from_gambit_profile",
    "from_openspiel_policy",
    "load_openspiel",
    "openspiel_rules",
    "read_json",
    "to_arrays",
    "to_gambit_profile",
    "to_openspiel_policy",
    "write_json",
]
