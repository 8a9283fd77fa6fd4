"""The row of the capability `large`."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="large",
    games={
        "border_patrol": "tremble.large.border_patrol:BorderPatrol",
        "phantom_ttt": "tremble.large.phantom_ttt:PhantomTTT",
    },
)
