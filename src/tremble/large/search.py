r"""Best responses without a tree: a search over the responder's information sets.

By perfect recall the histories that reach an information set, given the responder's own sequence, are a list that
is made from the list one own move earlier: apply the action to every element, run the opponent's plan
and chance on until the responder moves again, and split by what it sees. Each information set is so visited
once, and memory is depth times width. An element is (position, last known sequence of the opponent or -1 where it has
fallen back to its default for good, weight); equal ones are one.

**Pruning.** With bounds u on what the responder can still get from an element (all-knowing against a defaulting
opponent where it defaults; the greatest payoff in reach where it does not), an action is dropped as soon as what is
evaluated plus the bounds of the rest cannot exceed the best action so far, or what the caller needs. The most promising
actions come first, and among equals those that are allowed.

**Two drivers, one search.** Here it runs in Python over any numbers: over integers and fractions it is exact, and over
floats it serves games too small or too large for a table. :mod:`.kernels` runs it over a table, compiled, for floats
alone. What they look at (:class:`.positions.Positions`, the bounds), what they hand over (*visits*) and what becomes of
it (:meth:`.rules.RulesOracle.respond`) is the same. The loop itself is written down twice because the numbers differ:
exact ones are Python's, which no compiled code takes. One loop in Python that asks compiled code for each information
set would not do: measured on goofspiel with four cards, the compiled search takes 2.4 microseconds for an information
set, a call from Python with its arrays as much or more, and there are several calls for each.

A *visit* is an information set that the response may reach: (number of the visit above, action there, position of one
of its histories, action or -1). Visits come after those above them; one counts if its action is played and so is the
one above it.
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
"""What the responder gets at most from a position, given the opponent's last sequence (-1: it defaults)."""

Visit = tuple[int, int, int, int]

Elements = list[tuple[int, int, Any]]


@dataclass(slots=True, eq=False)
class _Option:
    """An action with what it leads to: what is certain, and groups of elements by view with their bounds."""

    action: int
    certain: Any
    groups: list[tuple[Elements, Any]]
    bound: Any


@dataclass(slots=True, eq=False)
class _Frame:
    """The evaluation of one information set."""

    visit: int
    sequences: int  # number of its first sequence, -1 if that is not known
    options: list[_Option]
    best: Any  # of the actions so far, or what is needed
    chosen: int = -1  # action; -1: none exceeds what is needed
    option: int = -1
    group: int = -1  # of the option; -1: on to the next one
    gained: Any = 0
    rest: Any = 0
    mark: int = 0  # visits before the option


def _quotient(a: Number, b: Number) -> Number:
    """The quotient, as an integer where it is one."""
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
    """The best response to a plan.

    Parameters
    ----------
    own : Trie
        Of the responder; where actions are equally good, allowed ones are preferred.
    plan : Plan
        Of the opponent.
    bounds : callable or None
        None: no pruning.
    one : float or int
        The weight of the root, in the numbers that the plan is in.

    Returns
    -------
    value : number
        What the responder earns, times ``one``.
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
        """A frame for an information set, its most promising actions first."""
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
        if frame.group < 0:  # on to the next action
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
                else:  # the action above cannot exceed what is needed
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
            if need != -inf:  # which huge integers cannot be taken from
                need = need - frame.gained - frame.rest
        frame.group += 1
        visits.append((frame.visit, chosen.action, elements[0][0], -1))
        sequence = -1 if frame.sequences < 0 else frame.sequences + chosen.action
        frames.append(opened(len(visits) - 1, elements, sequence, need))
