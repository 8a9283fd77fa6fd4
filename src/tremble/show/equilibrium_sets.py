"""Draw all equilibria of a small game: the mixed strategies of each player, and the pairs that form an equilibrium.

The set of equilibria is a union of *maximal Nash subsets*. Each subset is the product of two convex sets: a set of
mixed strategies (*mixtures*) of player 1, and a set of mixtures of player 2. Every pair of mixtures from these two sets
is an equilibrium. Subsets that touch belong to the same component. With two strategies, a player's mixtures are the
points of a segment. With three strategies, they are the points of a triangle. With one strategy, there is one point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import atan2, sqrt
from typing import TYPE_CHECKING, Any

from tremble.numbers import as_float
from tremble.show.small_games import Mixture, SmallGame
from tremble.text.captions import number_text
from tremble.text.figures import File, drawn_on
from tremble.text.theme import COLOURS, GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["equilibrium_set"]

_MOST = 3  # greatest number of strategies of a player
_LONG = 14  # greatest number of characters in the name of a strategy beside a corner
_MOST_NUMBERS = 6  # greatest number of equilibria whose numbers are listed at a point
_CORNERS = {
    1: [(0.5, 0.3)],
    2: [(0.0, 0.3), (1.0, 0.3)],
    3: [(0.0, 0.0), (1.0, 0.0), (0.5, sqrt(3) / 2)],
}
"""Number of pure strategies -> the points that represent them."""

Point = tuple[float, float]


def equilibrium_set(
    game: object,
    path: File | None = None,
    *,
    ax: Sequence[Axes] | None = None,
    title: str = "",
    time_limit: float | None = None,
) -> tuple[Axes, Axes]:
    """Draw all equilibria of a game in which each player has at most three strategies.

    The left picture shows the mixed strategies (mixtures) of player 1, and the right picture shows the mixtures of
    player 2. The mixtures of a player form a segment or a triangle whose corners are the pure strategies. A set on the
    left and a set on the right with the same color and letter belong together: any mixture in the left set and any
    mixture in the right set form an equilibrium. Sets of the same component touch.

    Parameters
    ----------
    game : GameTree, Game, pyspiel.Game or pygambit.Game
        A game with perfect recall. For a tree, the function draws the reduced normal form.
    path : str or path, optional
        The picture's file. Its name ends in .svg or in another ending that matplotlib supports.
    ax : pair of matplotlib.axes.Axes, optional
        The axes to draw on. The default is the axes of a new figure.
    title : str
    time_limit : float, optional
        Limit on the seconds for finding all equilibria.

    Returns
    -------
    pair of matplotlib.axes.Axes
        The axes of the left and the right picture. Dots are the strategies of extreme equilibria. The numbers beside a
        dot are the positions of these equilibria in the result of :func:`tremble.all_equilibria`, counted from 1.

    Raises
    ------
    GameError
        A player has more than three strategies.
    LimitReached
        The search for equilibria reached the time limit.
    SpecError
        Both ``path`` and ``ax`` are given, or ``ax`` is not a pair.
    TrembleError
        matplotlib is not installed.

    Examples
    --------
    >>> import tremble
    >>> left, right = equilibrium_set(tremble.load("entry_deterrence"))
    >>> left.get_legend_handles_labels()[1]
    ['A: equilibria 1, 2 and all between', 'B: equilibrium 3']
    """
    requirement = f"the set of equilibria can be drawn only if each player has at most {_MOST} strategies"
    small = SmallGame.of(game, lambda m, n: max(m, n) <= _MOST, requirement, time_limit=time_limit)
    flat = max(map(len, small.actions)) < 3
    with drawn_on(ax, path, 7.4, 2.9 if flat else 4.6, count=2) as (left, right):
        for player, axes in enumerate((left, right)):
            _draw_simplex(axes, small, player)
            if flat:
                axes.set(ylim=(0, 0.6))
            _draw_sets(axes, small, player)
            _draw_points(axes, small, player)
            axes.set_title(small.names[player], loc="center")
        if title:
            left.figure.suptitle(title, fontweight="bold", fontsize="large")
    return left, right


def _place(mixture: Mixture) -> Point:
    corners = _CORNERS[len(mixture)]
    shares = list(map(as_float, mixture))
    x, y = (sum(share * corner[k] for share, corner in zip(shares, corners, strict=True)) for k in (0, 1))
    return x, y


def _draw_simplex(axes: Axes, small: SmallGame, player: int) -> None:
    """Draw the outline of all mixtures of a player, with a name at each corner."""
    corners = _CORNERS[len(small.actions[player])]
    x, y = zip(*corners, corners[0], strict=True)
    axes.plot(x, y, color=GREY, linewidth=1.2, zorder=1)
    for (left, up), action in zip(corners, small.actions[player], strict=True):
        above = up > 0.5
        name = action if len(action) <= _LONG else f"{action[: _LONG - 1]}\N{HORIZONTAL ELLIPSIS}"
        axes.annotate(
            f"plays {name}", (left, up), xytext=(0, 24 if above else -24), textcoords="offset points", ha="center",
            va="bottom" if above else "top",
        )  # fmt: skip
    axes.set(xlim=(-0.2, 1.2), ylim=(-0.26, 1.14), aspect="equal")
    axes.axis("off")


def _draw_sets(axes: Axes, small: SmallGame, player: int) -> None:
    """Draw one player's convex set of mixtures for each maximal Nash subset.

    A subset is the product of one set for each player. Both sets have the same color and letter.
    """
    pairs = small.equilibria.pairs or ()
    for k, subset in enumerate(small.equilibria.maximal_subsets or ()):
        colour, letter = COLOURS[k % 8], _letter(k)
        corners = _ordered_corners([_place(small.mixtures[player][i]) for i in subset[player]])
        members = [n for n, (i, j) in enumerate(pairs, 1) if i in subset[0] and j in subset[1]]
        more = " and all between" if len(members) > 1 else ""
        label = f"{letter}{_component(small, members)}: equilibri{'a' if more else 'um'} {_listed(members)}{more}"
        style: Any = {"color": colour, "label": label, "zorder": 2 + k / 100}
        x, y = zip(*corners, corners[0], strict=True)
        if len(corners) > 2:
            axes.fill(x, y, facecolor=f"{colour}40", edgecolor=colour, linewidth=2, label=label, zorder=2 + k / 100)
        elif len(corners) == 2:
            axes.plot(x[:2], y[:2], linewidth=9, alpha=0.75, solid_capstyle="round", **style)
        else:
            axes.plot(x[:1], y[:1], "o", markersize=14, markeredgecolor=INK, linestyle="none", **style)
    for at, letters in _letters(small, player).items():
        axes.annotate(
            ", ".join(letters), at, xytext=(0, 9), textcoords="offset points", ha="center", va="bottom", zorder=6,
            weight="bold", bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6},
        )  # fmt: skip


def _component(small: SmallGame, members: Sequence[int]) -> str:
    """Return the text ``", component C"`` for the component that contains the equilibria ``members``.

    Return an empty text if every component is a single maximal Nash subset.
    """
    components = small.equilibria.components or ()
    if len(components) == len(small.equilibria.maximal_subsets or ()):
        return ""
    return next(f", component {c}" for c, positions in enumerate(components, 1) if members[0] - 1 in positions)


def _letters(small: SmallGame, player: int) -> dict[Point, list[str]]:
    """Return {point: letters}. A letter names a maximal Nash subset. Its point is the center of a player's mixtures."""
    found: dict[Point, list[str]] = {}
    for k, subset in enumerate(small.equilibria.maximal_subsets or ()):
        places = [_place(small.mixtures[player][i]) for i in subset[player]]
        middle = tuple(round(sum(place[c] for place in places) / len(places), 6) for c in (0, 1))
        found.setdefault((middle[0], middle[1]), []).append(_letter(k))
    return found


def _letter(k: int) -> str:
    return chr(ord("A") + k) if k < 26 else f"Z{k - 24}"


def _ordered_corners(points: Sequence[Point]) -> list[Point]:
    """Return the distinct points, which are corners of a convex set, in the order of their angles around the center."""
    distinct = list(dict.fromkeys(points))
    x, y = (sum(point[k] for point in distinct) / len(distinct) for k in (0, 1))
    return sorted(distinct, key=lambda point: atan2(point[1] - y, point[0] - x))


def _draw_points(axes: Axes, small: SmallGame, player: int) -> None:
    """Draw a dot for each strategy of a player in extreme equilibria. The label lists equilibria with this strategy."""
    for mixture, numbers in small.at(player):
        at = _place(mixture)
        axes.plot(*([c] for c in at), "o", color=INK, markersize=6, zorder=5)
        mixed = sum(p > 0 for p in mixture) > 1
        text = _listed(numbers) + (f" ({', '.join(map(number_text, mixture))})" if mixed else "")
        axes.annotate(
            text, at, xytext=(0, -8), textcoords="offset points", ha="center", va="top", zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6},
        )  # fmt: skip


def _listed(numbers: Iterable[int]) -> str:
    every = list(map(str, numbers))
    return ", ".join(every[:_MOST_NUMBERS]) + ", …" * (len(every) > _MOST_NUMBERS)
