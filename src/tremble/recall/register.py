"""The entry of `recall` in the table of capabilities: the methods and the command of this package."""

from tremble.capabilities import Capability, MethodExtension

CAPABILITY = Capability(
    name="recall",
    methods=(
        "tremble.recall.maxmin.method:BranchAndBound",
        "tremble.recall.published.method:Milp",
        "tremble.recall.published.method:BnbDigits",
    ),
    method_extensions=(
        MethodExtension(
            "cfr", "tree", "maxmin", "tremble.solvers.method:forgetful", "tremble.recall.forgetful:run_cfr"
        ),
    ),
    first_claims={"maxmin": "tremble.recall.first_claim:first_claim_of"},
    views={"Forgetting": "tremble.recall.views:forgetting_view"},
    commands={
        "forget": ("tremble.recall.command_forget:forget", "Let a player forget, and certify its loss."),
    },
    checks={"maxmin": "tremble.recall.check:outcome_of_maxmin"},
)
