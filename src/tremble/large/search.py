r"""Best responses without a tree: a search over the responder's information sets.

The responder has perfect recall. So the histories of an information set follow from those of the responder's previous
information set: apply the action to every element, then play the opponent's plan and chance until the responder moves
again, and group the result by the responder's view. The search visits each information set once, and its memory is
depth times width. An *element* is a triple (position, opponent's last known sequence, weight). The sequence is -1 if
the opponent plays its default from there on. Equal elements are merged.

**Pruning.** Let u bound the payoff that the responder can still get from an element. If the opponent plays its default
there, u is the payoff of an all-knowing responder; otherwise it is the largest payoff within reach. The search drops an
action as soon as its evaluated part plus the bounds of the rest cannot exceed the best action so far, or the payoff
that the caller needs. Actions with the largest bound come first, and among equal bounds the allowed actions.

**Two implementations.** The search here runs in Python on any numbers. With integers and fractions it is exact. With
floats it is used for games too small or too large for a table. :mod:`.kernels` is the compiled search, for floats and
tables. Both use the same input (:class:`.positions.Positions` and bounds) and return the same output (*visits*), which
:meth:`.rules.RulesOracle.respond` evaluates. There are two because compiled code cannot use Python's exact numbers. A
Python loop that calls compiled code for each information set would be slow. Measured on goofspiel with four cards, the
compiled search takes 2.4 microseconds for an information set. One call from Python with its arrays takes at least as
long, and each information set needs several.

A *visit* is an information set that the response may reach: (number of the visit above, action there, position of one
of its histories, own action or -1). Each visit comes after the visit above it. The response reaches a visit if it
reaches the visit above and plays the action there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from operator import attrgetter, truediv
from typing import Any

from tremble.errors import GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.large.positions import Number, Positions
from tremble.large.sequences import Plan, Trie

__all__ = ["UNEQUAL", "Bounds", "Visit", "best_response"]

UNEQUAL = "a player has different numbers of actions at histories that it cannot tell apart"

Bounds = Callable[[int, int], Any]
"""Upper bound on the responder's payoff from (position, opponent's last sequence); -1 if the opponent defaults."""

Visit = tuple[int, int, int, int]

Elements = list[tuple[int, int, Any]]


@dataclass(slots=True, eq=False)
class _Option:
    """An action: the payoff already certain, and the groups of elements below it with their bounds, by view."""

    action: int
    certain: Any
    groups: list[tuple[Elements, Any]]
    bound: Any


@dataclass(slots=True, eq=False)
class _Frame:
    """The evaluation of one information set."""

    visit: int
    sequences: int  # number of its first sequence; -1 if the set is not known
    options: list[_Option]
    best: Any  # value of the best action so far, at first the value that the caller needs
    chosen: int = -1  # best action; -1 while no action exceeds the needed value
    option: int = -1  # index of the current option
    group: int = -1  # index of its current group; -1 to go on to the next option
    gained: Any = 0  # value of its evaluated groups
    rest: Any = 0  # sum of the bounds of its other groups
    mark: int = 0  # number of visits before the current option


def _quotient(a: Number, b: Number) -> Number:
    """Return the quotient, as an ``int`` if it is an integer."""
    quotient = Fraction(a) / b
    return int(quotient) if quotient.denominator == 1 else quotient


def best_response(
    positions: Positions,
    own: Trie,
    opponent: Trie,
    plan: Plan,
    bounds: Bounds | None,
    one: Any,
    check: Callable[[], None],
) -> tuple[Any, list[Visit]]:
    """Search for a best response to a plan.

    Parameters
    ----------
    own : Trie
        The responder's sequences. Among equally good actions, allowed ones are preferred.
    plan : Plan
        The opponent's plan.
    bounds : callable or None
        Bounds for pruning. None: no pruning.
    one : float or int
        The weight of the root: 1.0 for a float plan, its denominator for an exact plan.

    Returns
    -------
    value : number
        The responder's payoff, times ``one``.
    visits : list of Visit
    """
    player = own.player
    mover, view, default, payoff = positions.mover, positions.view, positions.default, positions.payoff
    chance, expand = positions.chance, positions.expand
    weight, decided = plan.weight.tolist(), plan.decided.tolist()
    known = len(decided)
    sign = 1 if player == 0 else -1
    divide = truediv if isinstance(one, float) else _quotient

    moves = 0

    def run(elements: Elements) -> tuple[Any, dict[int, dict[tuple[int, int], Any]]]:
        """Play chance and the opponent until the responder moves: the certain payoff, and weights by view."""
        nonlocal moves
        certain: Any = 0
        groups: dict[int, dict[tuple[int, int], Any]] = {}
        while elements:
            moves += 1
            if moves % 1024 == 0:
                check()
            position, q, w = elements.pop()
            while True:
                m = mover[position]
                if m == player:
                    group = groups.setdefault(view[position], {})
                    at = position, q
                    group[at] = group[at] + w if at in group else w
                    break
                if m == TERMINAL:
                    certain += w * payoff[position]
                    break
                children = expand(position, check)
                if m == CHANCE:
                    elements.extend((child, q, w * p) for child, p in zip(children, chance[position], strict=True) if p)
                    break
                if q >= 0:
                    k = opponent.find(q, view[position])
                    if 0 <= k < known and decided[k]:
                        first, above = opponent.first[k], weight[q]
                        if opponent.count[k] != len(children):
                            raise GameError(UNEQUAL)
                        for a, child in enumerate(children):
                            share = weight[first + a]
                            if share:
                                moved = share if w == above else divide(w * share, above)
                                elements.append((child, first + a, moved))
                        break
                    q = -1
                position = children[default[position]]
        return certain * sign, groups

    def option(action: int, elements: Elements) -> _Option:
        """Make the option of an action, given the elements right after it."""
        certain, groups = run(elements)
        listed = []
        bound = certain
        for group in groups.values():
            elements = [(position, q, w) for (position, q), w in group.items()]
            most = 0 if bounds is None else sum(w * bounds(position, q) for position, q, w in elements)
            listed.append((elements, most))
        if bounds is not None:
            bound = certain + sum(most for _, most in listed)
        return _Option(action, certain, listed, bound)

    def opened(visit: int, elements: Elements, sequence: int, need: Any) -> _Frame:
        """Make the frame of an information set, with options in the order of their bounds."""
        below = [expand(position, check) for position, _, _ in elements]
        count = len(below[0])
        if any(len(children) != count for children in below):
            raise GameError(UNEQUAL)
        options = [
            option(a, [(children[a], q, w) for children, (_, q, w) in zip(below, elements, strict=True)])
            for a in range(count)
        ]
        k = own.find(sequence, view[elements[0][0]]) if sequence >= 0 else -1
        first = own.first[k] if k >= 0 else -1
        if first >= 0:
            options.sort(key=lambda o: not own.allowed[first + o.action])
        if bounds is not None:
            options.sort(key=attrgetter("bound"), reverse=True)
        return _Frame(visit, first, options, need)

    visits: list[Visit] = []
    frames = [_Frame(-1, 0, [option(0, [(0, 0, one)])], -inf)]
    while True:
        frame = frames[-1]
        if frame.group < 0:  # start the next action, or end the frame
            frame.option += 1
            ended = frame.option == len(frame.options)
            if not ended and bounds is not None:
                ended = frame.options[frame.option].bound <= frame.best
            if ended:
                frames.pop()
                if not frames:
                    return frame.best, visits
                upper = frames[-1]
                if frame.chosen >= 0:
                    upper.gained += frame.best
                    visits[frame.visit] = *visits[frame.visit][:3], frame.chosen
                else:  # the action above cannot exceed the best one: drop it with its visits
                    upper.group = -1
                    del visits[upper.mark :]
                continue
            chosen = frame.options[frame.option]
            frame.group, frame.gained, frame.mark = 0, chosen.certain, len(visits)
            frame.rest = chosen.bound - chosen.certain
        chosen = frame.options[frame.option]
        if frame.group == len(chosen.groups):
            if frame.gained > frame.best:
                frame.best, frame.chosen = frame.gained, chosen.action
            else:
                del visits[frame.mark :]
            frame.group = -1
            continue
        elements, most = chosen.groups[frame.group]
        need = -inf
        if bounds is not None:
            if frame.gained + frame.rest <= frame.best:
                del visits[frame.mark :]
                frame.group = -1
                continue
            frame.rest -= most
            need = frame.best
            if need != -inf:  # -inf minus a huge integer would overflow
                need = need - frame.gained - frame.rest
        frame.group += 1
        visits.append((frame.visit, chosen.action, elements[0][0], -1))
        sequence = -1 if frame.sequences < 0 else frame.sequences + chosen.action
        frames.append(opened(len(visits) - 1, elements, sequence, need))
