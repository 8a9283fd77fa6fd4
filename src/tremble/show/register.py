"""Register the features of ``tremble.show``: text views and pictures of objects, plots, and commands."""

from tremble.capabilities import Capability

CAPABILITY = Capability(
    name="show",
    views={
        "Decision": "tremble.show.hands:decision_in_short",
        "Hand": "tremble.show.hands:hand_in_short",
        "Move": "tremble.show.hands:move_view",
        "Picture": "tremble.show.draw:picture_view",
    },
    pictures={
        "Comparison": "tremble.show.pictures:comparison_picture",
        "GameTree": "tremble.show.pictures:tree_picture",
        "OrderedDefinition": "tremble.show.pictures:rules_picture",
        "Picture": "tremble.show.pictures:picture_itself",
        "StatedSolution": "tremble.show.pictures:solution_picture",
        "UnbuiltGame": "tremble.show.pictures:rules_picture",
    },
    extensions={
        "compare": "tremble.show.comparison_html:PICTURES",
        "convert": "tremble.show.latex:WRITERS",
        "plot of losses": "tremble.show.plots:losses",
    },
    commands={
        "draw": ("tremble.show.command_draw:draw", "Draw a game tree, or a solution on it."),
        "play": ("tremble.show.command_play:play", "Play against a strategy in the terminal."),
        "plot": ("tremble.show.command_plot:plot", "Plot the error of runs over time, from their logs."),
    },
)
