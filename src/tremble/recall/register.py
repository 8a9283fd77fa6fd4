"""The entry of the capability `recall` in the table of capabilities, which lists its methods and its command."""

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
