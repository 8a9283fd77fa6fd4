"""SVG pictures of objects in notebook cells. The functions return an empty string for an object without a picture."""

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

MAX_NODES = 100  # greatest number of nodes of a tree that is drawn in a cell


def tree_picture(tree: GameTree) -> str:
    """Draw a small tree. One-shot games have no picture, because a notebook shows their payoffs."""
    return "" if is_one_shot(tree) or tree.num_nodes > MAX_NODES else draw(tree).svg()


def rules_picture(game: UnbuiltGame | Game) -> str:
    """Draw the ranges of hands of both players, if the rules of the game have ranges."""
    game = game if isinstance(game, UnbuiltGame) else UnbuiltGame.of(game)
    return ranges_svg(game.rules, game.title) if states_ranges(game) else ""


def solution_picture(solution: StatedSolution) -> str:
    """Draw the play of each hand in a solution of an ordered game."""
    if solution.ordered is None or not isinstance(solution.played, UnbuiltGame):
        return ""
    return draw(solution.played, solution).svg()


def comparison_picture(compared: Comparison) -> str:
    """Draw a comparison if it contains a difference."""
    return draw_comparison_svg(compared.played, compared) if compared.played and compared.differences else ""


def picture_itself(picture: Picture) -> str:
    """Return the SVG of a picture."""
    return picture.svg()
