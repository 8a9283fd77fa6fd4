"""The rows of the capability `batch`."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="batch",
    views={
        "BatchResult": "tremble.batch.views:result_view",
        "Sweep": "tremble.batch.sweep_views:sweep_view",
    },
    extensions={"sweep_plot": "tremble.batch.sweep_views:sweep_plot"},
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
