"""SVG pictures that notebook cells show for objects. Each function returns an empty string if there is no picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tremble.game.normal_form import is_one_shot
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree
from tremble.show.comparison_svg import draw_comparison_svg
from tremble.show.draw import Picture, draw
from tremble.show.ranges_svg import ranges_svg, states_ranges
from tremble.solution.comparison import Comparison
from tremble.solution.stated import StatedSolution

if TYPE_CHECKING:
    from tremble.game.protocol import Game

__all__ = ["comparison_picture", "picture_itself", "rules_picture", "solution_picture", "tree_picture"]

MAX_NODES = 100  # a notebook cell does not draw a tree with more nodes


def tree_picture(tree: GameTree) -> str:
    """Draw a tree of at most 100 nodes. A one-shot game gets no picture, because notebooks show its payoff table."""
    return "" if is_one_shot(tree) or tree.num_nodes > MAX_NODES else draw(tree).svg()


def rules_picture(game: UnbuiltGame | Game) -> str:
    """Draw the weights of both players' two-card hands (their *ranges*), if the rules give ranges."""
    game = game if isinstance(game, UnbuiltGame) else UnbuiltGame.of(game)
    return ranges_svg(game.rules, game.title) if states_ranges(game) else ""


def solution_picture(solution: StatedSolution) -> str:
    """Draw each hand's actions in the first round, if the game is an ordered game (such as poker) without a built tree.

    Return an empty string for solutions of other games.
    """
    if solution.ordered is None or not isinstance(solution.played, UnbuiltGame):
        return ""
    return draw(solution.played, solution).svg()


def comparison_picture(compared: Comparison) -> str:
    """Draw a comparison of two profiles, unless the profiles are equal."""
    return draw_comparison_svg(compared.played, compared) if compared.played and compared.differences else ""


def picture_itself(picture: Picture) -> str:
    """Return the SVG text of a picture that :func:`tremble.draw` returned."""
    return picture.svg()
