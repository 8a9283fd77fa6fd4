"""Register the features of ``tremble.batch``: text views of its results, a plot, and commands."""

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
            "Solve many games on all processors, or continue a stopped batch.",
        ),
        "sweep": (
            "tremble.batch.command_sweep:sweep",
            "Solve a game for many values of a parameter, and plot the value of the game.",
        ),
    },
)
