"""The rows of the capability `recall`."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="recall",
    commands={
        "forget": ("tremble.recall.command_forget:forget", "Let a player forget, and certify what that costs."),
    },
    checks={"maxmin": "tremble.recall.check:outcome_of_maxmin"},
)
