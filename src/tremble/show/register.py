"""The rows of the capability `show`."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="show",
    commands={
        "draw": ("tremble.show.command_draw:draw", "Draw the tree, or a solution on it."),
        "play": ("tremble.show.command_play:play", "Play against the strategy in the terminal."),
        "plot": ("tremble.show.command_plot:plot", "Draw the error of runs against time, from their logs."),
    },
)
