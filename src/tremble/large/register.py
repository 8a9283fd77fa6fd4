"""The entry of `large` in the table of capabilities: the games, methods and checks of this package."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="large",
    games={
        "border_patrol": "tremble.large.border_patrol:BorderPatrol",
        "dark_hex": "tremble.large.dark_hex:DarkHex",
        "phantom_ttt": "tremble.large.phantom_ttt:PhantomTTT",
    },
    adapters=("tremble.large.kind:rules_kind",),
    methods=("tremble.large.method:DoubleOracle", "tremble.large.method:PublishedDoubleOracle"),
    checks={"rules": "tremble.large.check:outcome_of_rules"},
    plans={"rules": "tremble.large.check:plans_of_rules"},
)
