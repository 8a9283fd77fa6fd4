"""The rows of the capability `recall`."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="recall",
    views={"Forgetting": "tremble.recall.views:forgetting_view"},
    commands={
        "forget": ("tremble.recall.command_forget:forget", "Let a player forget, and certify what that costs."),
    },
)
