"""The rows of the capability `batch`."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="batch",
    commands={
        "batch": (
            "tremble.batch.command_batch:batch",
            "Solve many games, on all processors; go on where it was stopped.",
        ),
        "sweep": (
            "tremble.batch.command_sweep:sweep",
            "Solve a game for every value of a parameter, and plot the value against it.",
        ),
    },
)
