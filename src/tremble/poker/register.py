"""The rows of the capability `poker`."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="poker",
    views={
        "Abstraction": "tremble.poker.views:abstraction_view",
        "AbstractionReport": "tremble.poker.views:report_view",
        "OrderedDefinition": "tremble.poker.views:definition_view",
        "OrderedStrategy": "tremble.text.solutions:strategy_view",
    },
    extensions={
        "shrink": "tremble.poker.abstraction.shrink:shrunk_if_ordered",
        "shrink command": "tremble.poker.command_shrink:shrink_hands",
    },
    games={
        "auction": "tremble.poker.games.auction:Auction",
        "holdem_river": "tremble.poker.games.holdem_river:HoldemRiver",
        "jk_four_cards": "tremble.poker.games.jk_four_cards:JkFourCards",
        "rhode_island": "tremble.poker.games.rhode_island:RhodeIsland",
    },
)
