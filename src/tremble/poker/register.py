"""The entry for `poker` in the table of capabilities. It names poker's games, methods, views and checks."""

from tremble.capabilities import Capability, MethodExtension


def _on_ordered_games(
    method: str, run: str, recommended: str = "", requirement: str = "regrets_settle"
) -> MethodExtension:
    """Return the entry that lets a general method, such as `lp`, solve ordered games by the function named `run`."""
    return MethodExtension(method, "ordered", "nash", f"tremble.poker.methods:{requirement}", run, recommended)


_REGRET = "tremble.poker.methods:run_regret_minimization"

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
        "solution view": "tremble.poker.first_round:first_round_views",
    },
    commands={
        "report": ("tremble.poker.command_report:report", "Show how a decision is played on many boards of Hold'em."),
    },
    games={
        "auction": "tremble.poker.games.auction:Auction",
        "holdem_flop": "tremble.poker.holdem.flop:HoldemFlop",
        "holdem_river": "tremble.poker.holdem.river:HoldemRiver",
        "holdem_turn": "tremble.poker.holdem.game:HoldemTurn",
        "jk_four_cards": "tremble.poker.games.jk_four_cards:JkFourCards",
        "rhode_island": "tremble.poker.games.rhode_island:RhodeIsland",
    },
    adapters=("tremble.poker.kind:ordered_kind",),
    methods=("tremble.poker.interior_point.method:InteriorPoint",),
    method_extensions=(
        _on_ordered_games(
            "lp",
            "tremble.poker.methods:run_linear_program",
            "tremble.poker.methods:small_when_shrunk",
            "ordered_constant_sum",
        ),
        _on_ordered_games("cfr", _REGRET),
        _on_ordered_games("cfr+", _REGRET),
        _on_ordered_games("pcfr+", _REGRET),
        _on_ordered_games("dcfr", _REGRET, "tremble.poker.methods:along_the_public_tree"),
    ),
    arrays="tremble.poker.ordered_arrays",
    checks={"ordered": "tremble.poker.check:outcome_of_ordered"},
    plans={"ordered": "tremble.poker.check:plans_of_ordered"},
)
