r"""Draw best replies and all equilibria of games in which a player has two strategies.

If both players have two strategies, a profile is a point of the unit square. Each player's best replies to all mixed
strategies (*mixtures*) of the opponent form a curve. The equilibria are the points where the two curves meet.

If only one player has two strategies, this player is called the *mixer*. The opponent has n strategies. The picture
follows von Stengel: the horizontal axis shows the mixtures of the mixer, and the opponent's payoff from each of the n
strategies is a straight line. Best replies are the *upper envelope* of these lines. On each piece of the envelope, an
arrow points toward the strategy that the mixer prefers against the opponent's best reply there. So equilibria are at
the ends and the kinks of the envelope, or on a piece without an arrow.

References
----------
B. von Stengel: Game Theory Basics, Cambridge University Press, 2021, chapters 6 and 9.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

from tremble.numbers import as_float
from tremble.show.small_games import Mixture, SmallGame
from tremble.text.captions import number_text
from tremble.text.figures import File, drawn_on
from tremble.text.theme import COLOURS, GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["best_replies"]

_MOST = 200  # greatest number of lines in a picture
_MOST_NAMES = 16  # with more lines in a picture, only the lines of best replies have names
_MOST_AT_A_PLACE = 4  # greatest number of equilibria at one point whose payoffs are written
_LONG = 48  # greatest number of characters in one line of an axis label
_LEAST_GAP = 0.06  # smallest distance between two numbers on an axis, relative to the length of the axis
_EVERY = "equilibria: all of these"
_ZERO, _HALF, _WIDE, _ONE = Fraction(0), Fraction(1, 2), Fraction(4, 5), Fraction(1)
Corner = tuple[Fraction, Fraction]


def best_replies(
    game: object,
    path: File | None = None,
    *,
    ax: Axes | None = None,
    title: str = "",
    time_limit: float | None = None,
) -> Axes:
    """Draw the best replies and all equilibria of a game in which a player has two strategies.

    If both players have two strategies, the picture is the unit square, and each player's best replies are a curve. If
    only one player has two strategies, this player is called the *mixer*. In this case, the picture shows the payoffs
    of the opponent's strategies as lines over the mixed strategies of the mixer. Best replies are the upper envelope of
    these lines. Arrows point toward the strategy that the mixer prefers.

    Parameters
    ----------
    game : GameTree, Game, pyspiel.Game or pygambit.Game
        A game with perfect recall. For a tree, the function draws the reduced normal form.
    path : str or path, optional
        A file for the picture. It ends in .svg or in another ending that matplotlib supports.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. The default is the axes of a new figure.
    title : str
    time_limit : float, optional
        Limit on the seconds for finding all equilibria.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the picture. Each extreme equilibrium is a dot, labeled with a number and the payoffs. Number k is
        the k-th equilibrium from :func:`tremble.all_equilibria`. Sets of infinitely many equilibria are gray.

    Raises
    ------
    GameError
        No player has two strategies, or a player has more than 200 strategies.
    LimitReached
        The search for equilibria reached the time limit.
    SpecError
        Both ``path`` and ``ax`` are given.
    TrembleError
        matplotlib is not installed.

    Examples
    --------
    >>> import tremble
    >>> moves = ["dare", "yield"]
    >>> chicken = tremble.matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]], rows=moves, columns=moves)
    >>> axes = best_replies(chicken)
    >>> axes.get_xlabel(), [text.get_text() for text in axes.texts]
    ('probability that player 1 plays dare', ['1: 7, 2', '2: 14/3, 14/3', '3: 2, 7'])
    """
    requirement = f"best replies can be drawn only if one player has 2 strategies and the other at most {_MOST}"
    small = SmallGame.of(game, lambda m, n: 2 in (m, n) and max(m, n) <= _MOST, requirement, time_limit=time_limit)
    sizes = [len(actions) for actions in small.actions]
    with drawn_on(ax, path, *((4.9, 5.4) if sizes == [2, 2] else (6.5, 4.8))) as (axes,):
        axes.set_title(title)
        if sizes == [2, 2]:
            _draw_square(axes, small)
        else:
            _draw_envelope(axes, small, mixer=sizes.index(2))
    return axes


# -- two by two --------------------------------------------------------------------------------------


def _draw_square(axes: Axes, small: SmallGame) -> None:
    ticks: list[list[Fraction]] = [[_ZERO, _ONE], [_ZERO, _ONE]]
    for player in (0, 1):
        first, second = small.payoffs[player]
        # The first strategy's payoff minus the second's, if the opponent plays its second or its first strategy.
        corners = _replies(first[1] - second[1], first[0] - second[0])
        name = f"best replies of {small.names[player]}"
        colour = COLOURS[player]
        if corners is None:
            axes.fill(
                [0, 1, 1, 0],
                [0, 0, 1, 1],
                facecolor="none",
                edgecolor=colour,
                hatch="/\\"[player] * 2,
                label=f"{name}: all",
            )
            continue
        ticks[1 - player] += [other for _, other in corners]
        own, other = ([as_float(corner[k]) for corner in corners] for k in (0, 1))
        x, y = (own, other) if player == 0 else (other, own)
        style: Any = {"linestyle": (0, (4, 2)), "linewidth": 2.2} if player else {"linestyle": "-", "linewidth": 3.4}
        axes.plot(x, y, color=colour, label=name, clip_on=False, zorder=3 + player / 10, **style)
    for subset in small.equilibria.maximal_subsets or ():
        _draw_area(axes, *(_span(mix[0] for mix in _mixtures(small, i, subset[i])) for i in (0, 1)))
    points = [(small.mixtures[0][i][0], small.mixtures[1][j][0]) for i, j in small.equilibria.pairs or ()]
    for k, at in enumerate(points):
        _mark(axes, small, [k], as_float(at[0]), as_float(at[1]), left=at[0] > _HALF, below=at[1] > _HALF)
    for k, axis in enumerate((axes.xaxis, axes.yaxis)):
        _number(axis, [*ticks[k], *(point[k] for point in points)])
    axes.set(
        xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal",
        xlabel=_probability(small, 0), ylabel=_probability(small, 1),
    )  # fmt: skip
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)


def _probability(small: SmallGame, player: int) -> str:
    text = f"probability that {small.names[player]} plays {small.actions[player][0]}"
    return text if len(text) <= _LONG else text.replace(" plays ", "\nplays ")


def _replies(ahead0: Fraction, ahead1: Fraction) -> list[Corner] | None:
    """Return the corners of the curve that a player's best replies form in the unit square.

    A corner is a pair: the probability of the player's first strategy, and the probability of the opponent's first
    strategy. ``ahead0`` is the payoff of the player's first strategy minus the payoff of the second, if the opponent
    plays its second strategy. ``ahead1`` is the same difference if the opponent plays its first strategy. If both
    differences are 0, every reply is best: return None.
    """
    if ahead0 == ahead1 == 0:
        return None
    start, end = (_ONE if (ahead or instead) > 0 else _ZERO for ahead, instead in ((ahead0, ahead1), (ahead1, ahead0)))
    if ahead0 == 0:
        return [(_ONE - start, _ZERO), (start, _ZERO), (end, _ONE)]
    if ahead1 == 0:
        return [(start, _ZERO), (end, _ONE), (_ONE - end, _ONE)]
    if start == end:
        return [(start, _ZERO), (end, _ONE)]
    turn = ahead0 / (ahead0 - ahead1)
    return [(start, _ZERO), (start, turn), (end, turn), (end, _ONE)]


def _span(numbers: Iterable[Fraction]) -> tuple[float, float]:
    every = list(numbers)
    return as_float(min(every)), as_float(max(every))


def _mixtures(small: SmallGame, player: int, numbers: Iterable[int]) -> Iterator[Mixture]:
    return (small.mixtures[player][number] for number in numbers)


def _draw_area(axes: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Draw the rectangle ``x`` times ``y`` of equilibria, or a line if it is a segment, or nothing if it is a point."""
    if x[0] < x[1] and y[0] < y[1]:
        corners = [x[0], x[1], x[1], x[0]], [y[0], y[0], y[1], y[1]]
        axes.fill(*corners, facecolor=f"{GREY}59", edgecolor=GREY, zorder=2, label=_once(axes, _EVERY))
    elif x[0] < x[1] or y[0] < y[1]:
        _draw_set(axes, x, y)


def _draw_set(axes: Axes, x: Sequence[float], y: Sequence[float]) -> None:
    """Draw a thick gray line for a segment of equilibria."""
    style: Any = {"linewidth": 10, "alpha": 0.75, "solid_capstyle": "round", "clip_on": False}
    axes.plot(x, y, color=GREY, zorder=2, label=_once(axes, _EVERY), **style)


def _once(axes: Axes, label: str) -> str | None:
    """Return ``label``, or None if the legend already contains it, so that the legend shows it only once."""
    return None if label in axes.get_legend_handles_labels()[1] else label


def _mark(axes: Axes, small: SmallGame, numbers: Sequence[int], x: float, y: float, *, left: bool, below: bool) -> None:
    """Draw a dot for the equilibria at one point, with their numbers (counted from 1) and payoffs."""
    label = None if 0 not in numbers else "equilibria: number, payoffs"
    axes.plot([x], [y], "o", color=INK, markersize=7.5, clip_on=False, zorder=5, label=label)
    pays = [", ".join(map(number_text, small.equilibria[k].values)) for k in numbers[:_MOST_AT_A_PLACE]]
    text = "\n".join(f"{k + 1}: {each}" for k, each in zip(numbers, pays, strict=False))
    text += f"\n… {len(numbers) - len(pays)} more" * (len(numbers) > len(pays))
    axes.annotate(
        text, (x, y), xytext=(-9 if left else 9, -9 if below else 9), textcoords="offset points", zorder=6,
        ha="right" if left else "left", va="top" if below else "bottom",
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0},
    )  # fmt: skip


def _number(axis: Any, numbers: Iterable[Fraction]) -> None:
    """Put a tick with an exact number at each of ``numbers``. Omit a number that is too close to an earlier one."""
    kept: list[Fraction] = []
    for number in numbers:
        if all(abs(as_float(number - other)) >= _LEAST_GAP for other in kept):
            kept.append(number)
    axis.set_ticks(list(map(as_float, kept)), list(map(number_text, kept)))


# -- two by n ----------------------------------------------------------------------------------------


def _envelope(lines: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, list[int]]]:
    """Return the pieces of the upper envelope of lines. A piece is a pair: its left end, and the indices of its lines.

    A line is the pair of its heights at 0 and at 1.

    Examples
    --------
    >>> _envelope([(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)), (Fraction(0), Fraction(0))])
    [(Fraction(0, 1), [0]), (Fraction(1, 2), [1])]
    """
    at, pieces = _ZERO, []
    best = max(lines, key=lambda line: (line[0], line[1]))
    while True:
        pieces.append((at, [k for k, line in enumerate(lines) if line == best]))
        steeper = [line for line in lines if line[1] - line[0] > best[1] - best[0]]
        meets = {line: (best[0] - line[0]) / (line[1] - line[0] - best[1] + best[0]) for line in steeper}
        ahead = [(x, line[0] - line[1], line) for line, x in meets.items() if x < 1]
        if not ahead:
            return pieces
        at, _, best = min(ahead)


def _draw_envelope(axes: Axes, small: SmallGame, mixer: int) -> None:
    """Draw the opponent's payoff lines over the mixtures of player ``mixer``. Add envelope, arrows and equilibria."""
    other = 1 - mixer
    # The heights of each line for the probabilities 0 and 1 of the mixer's first strategy.
    lines = [(line[1], line[0]) for line in small.payoffs[other]]
    # The lines and the envelope.
    pieces = _envelope(lines)
    best = {k for _, ks in pieces for k in ks}
    colour = COLOURS[other]
    for k, line in enumerate(lines):
        axes.plot([0, 1], list(map(as_float, line)), color=colour if k in best else GREY, linewidth=0.9, zorder=2)
    corners = [*(at for at, _ in pieces), _ONE]
    x, y = list(map(as_float, corners)), [as_float(_top(lines, at)) for at in corners]
    axes.plot(x, y, color=colour, linewidth=3.2, zorder=3, label=f"best replies of {small.names[other]}")
    _draw_arrows(axes, small, mixer, pieces, x, y)
    # Sets of infinitely many equilibria.
    for sets in small.equilibria.maximal_subsets or ():
        low, high = (end(mix[0] for mix in _mixtures(small, mixer, sets[mixer])) for end in (min, max))
        if low < high:  # more than one mixture of the mixer: a segment of the envelope
            along = [low, *(at for at in corners if low < at < high), high]
            _draw_set(axes, list(map(as_float, along)), [as_float(_top(lines, at)) for at in along])
    # Extreme equilibria. Equilibria at the same point share a dot.
    places: dict[Fraction, list[int]] = {}
    for k, pair in enumerate(small.equilibria.pairs or ()):
        places.setdefault(small.mixtures[mixer][pair[mixer]][0], []).append(k)
    for at, numbers in places.items():
        height = _top(lines, at)
        after = min((corner for corner in corners if corner > at), default=at)
        rises = _top(lines, after) > height  # the envelope rises to the right, so the left side has room
        left = at > _WIDE or (rises and at > _ONE - _WIDE)
        _mark(axes, small, numbers, as_float(at), as_float(height), left=left, below=False)
    # Axes and names.
    _number(axes.xaxis, [_ZERO, _ONE, *places, *corners])
    axes.set(xlim=(0, 1), xlabel=_probability(small, mixer), ylabel=f"what {small.names[other]} earns")
    axes.margins(y=0.16)
    bottom, top = axes.get_ylim()
    stacked = max(min(len(numbers), _MOST_AT_A_PLACE + 1) for numbers in places.values())
    axes.set_ylim(bottom, top + 0.05 * (stacked - 1) * (top - bottom))
    _name_lines(axes, small.actions[other], lines, best)


def _top(lines: Sequence[tuple[Fraction, Fraction]], x: Fraction) -> Fraction:
    return max(line[0] + (line[1] - line[0]) * x for line in lines)


def _draw_arrows(
    axes: Axes,
    small: SmallGame,
    mixer: int,
    pieces: Sequence[tuple[Fraction, list[int]]],
    x: Sequence[float],
    y: Sequence[float],
) -> None:
    """Draw an arrow on each piece of the envelope, toward the strategy that the mixing player prefers there, if any."""
    first, second = small.payoffs[mixer]
    label: str | None = f"what {small.names[mixer]} prefers there"
    for k, (_, replies) in enumerate(pieces):
        ways = {(first[j] > second[j]) - (first[j] < second[j]) for j in replies} - {0}
        for way in ways:
            along = 0.5 if len(ways) == 1 else 0.5 + way * 0.12
            at = [ends[k] + (ends[k + 1] - ends[k]) * along for ends in (x, y)]
            marker = ">" if way > 0 else "<"
            axes.plot(
                at[:1], at[1:], marker, color=COLOURS[mixer], markersize=11, markeredgecolor="white", zorder=4,
                label=label, linestyle="none",
            )  # fmt: skip
            label = None


def _name_lines(
    axes: Axes, names: Sequence[str], lines: Sequence[tuple[Fraction, Fraction]], best: Collection[int]
) -> None:
    """Write the name of each strategy beside the right end of its line. Move overlapping names apart."""
    kept = list(best) if len(lines) > _MOST_NAMES else range(len(lines))
    bottom, top = axes.get_ylim()
    gap, floor = 0.055 * (top - bottom), -inf
    for k in sorted(kept, key=lambda k: (lines[k][1], lines[k][0])):
        floor = max(as_float(lines[k][1]), floor + gap)
        axes.annotate(
            names[k], (1, floor), xytext=(7, 0), textcoords="offset points", va="center", annotation_clip=False,
            weight="bold" if k in best else "normal",
        )  # fmt: skip
