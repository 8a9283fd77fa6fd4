"""The row of the capability `recall`."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="recall",
    commands={
        "forget": ("tremble.recall.command_forget:forget", "Let a player forget, and certify its loss."),
    },
)
