"""The rows of the capability `poker`."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="poker",
    games={
        "auction": "tremble.poker.games.auction:Auction",
        "holdem_river": "tremble.poker.games.holdem_river:HoldemRiver",
        "jk_four_cards": "tremble.poker.games.jk_four_cards:JkFourCards",
        "rhode_island": "tremble.poker.games.rhode_island:RhodeIsland",
    },
    checks={"ordered": "tremble.poker.check:outcome_of_ordered"},
    plans={"ordered": "tremble.poker.check:plans_of_ordered"},
)
