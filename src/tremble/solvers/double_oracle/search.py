r"""Best responses without a tree: a search over the responder's information sets.

By perfect recall the histories that reach an information set, given the responder's own sequence, are a list that
is made from the list one own move earlier: apply the action to every element, run the other player's plan
and chance on until the responder moves again, and split by what it sees. Each information set is so visited
once, and memory is depth times width. An element is (position, last known sequence of the other or -1 where it has
fallen back to its default for good, weight); equal ones are one.

**Pruning.** With bounds u on what the responder can still get from an element (all-knowing against a defaulting other
where it defaults; the greatest payoff in reach where it does not), an action is dropped as soon as what is
evaluated plus the bounds of the rest cannot exceed the best action so far, or what the caller needs.

This is the search in Python, for any numbers: floats, or integers and fractions, with which it is exact.
:mod:`.kernels` has the same for floats, compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import truediv
from typing import Any

from tremble.errors import GameError
from tremble.model.game import CHANCE, TERMINAL
from tremble.solvers.double_oracle.positions import Number, Positions
from tremble.solvers.double_oracle.trie import Trie

__all__ = ["UNEQUAL", "Bounds", "Opponent", "Visit", "best_response"]

UNEQUAL = "a player has different numbers of actions at histories that it cannot tell apart"

Bounds = Callable[[int, int], Any]
"""What the responder gets at most from a position, given the other's last sequence (-1: it defaults)."""


@dataclass(frozen=True, eq=False)
class Opponent:
    """The other player's plan: weights of its known sequences, and where it is decided."""

    trie: Trie
    weight: Sequence[Any]
    decided: Sequence[bool]


@dataclass(eq=False)
class Visit:
    """An information set of the responder that its best response reaches."""

    view: int
    above: Visit | None
    action_above: int
    count: int = 0
    default: int = 0
    action: int = -1
    below: list[Visit] = field(default_factory=list)


Elements = list[tuple[int, int, Any]]


@dataclass(eq=False)
class _Option:
    """An action with what it leads to: what is certain, and groups of elements by view with their bounds."""

    action: int
    certain: Any
    groups: list[tuple[int, Elements, Any]]
    bound: Any


def _quotient(a: Number, b: Number) -> Number:
    """The quotient, as an integer where it is one."""
    quotient = Fraction(a) / b
    return int(quotient) if quotient.denominator == 1 else quotient


class _Frame:
    """The evaluation of one information set."""

    __slots__ = ("below", "best", "found", "gained", "group", "option", "options", "rest", "visit")

    def __init__(self, visit: Visit, options: list[_Option], need: Any) -> None:
        self.visit = visit
        self.options = options
        self.best = need  # to be exceeded; None: anything does
        self.found = False
        self.option = -1
        self.group = 0
        self.gained: Any = 0
        self.rest: Any = 0
        self.below: list[Visit] = []


def best_response(
    positions: Positions,
    own: Trie,
    opponent: Opponent,
    bounds: Bounds | None,
    one: Any,
    check: Callable[[], None],
) -> tuple[Any, list[Visit]]:
    """The best response to a plan.

    Parameters
    ----------
    own : Trie
        Of the responder; where actions are equally good, allowed ones are preferred.
    bounds : callable or None
        None: no pruning.
    one : float or int
        The weight of the root, in the numbers that the plan is in.

    Returns
    -------
    value : number
        What the responder earns, times ``one``.
    visits : list of Visit
        The first information sets that the best response reaches, the others below them.
    """
    player = own.player
    mover, view, default, payoff = positions.mover, positions.view, positions.default, positions.payoff
    chance, expand = positions.chance, positions.expand
    trie, weight, decided = opponent.trie, opponent.weight, opponent.decided
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
                    k = trie.find(q, view[position])
                    if 0 <= k < known and decided[k]:
                        first, above = trie.first[k], weight[q]
                        if trie.count[k] != len(children):
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

    def grouped(groups: dict[int, dict[tuple[int, int], Any]]) -> list[tuple[int, Elements, Any]]:
        result = []
        for seen, group in groups.items():
            elements = [(position, q, w) for (position, q), w in group.items()]
            most = None if bounds is None else sum(w * bounds(position, q) for position, q, w in elements)
            result.append((seen, elements, most))
        return result

    def option(action: int, elements: Elements) -> _Option:
        certain, groups = run(elements)
        listed = grouped(groups)
        return _Option(action, certain, listed, None if bounds is None else certain + sum(b for _, _, b in listed))

    def opened(visit: Visit, elements: Elements, sequence: int, need: Any) -> _Frame:
        """A frame for an information set, its most promising actions first."""
        below = [expand(position, check) for position, _, _ in elements]
        count = len(below[0])
        if any(len(children) != count for children in below):
            raise GameError(UNEQUAL)
        visit.count, visit.default = count, default[elements[0][0]]
        options = [
            option(a, [(children[a], q, w) for children, (_, q, w) in zip(below, elements, strict=True)])
            for a in range(count)
        ]
        k = own.find(sequence, visit.view) if sequence >= 0 else -1
        if k >= 0:
            first = own.first[k]
            options.sort(key=lambda o: not own.allowed[first + o.action])
        if bounds is not None:
            options.sort(key=lambda o: -o.bound)
        return _Frame(visit, options, need)

    top = Visit(-1, None, -1)
    frames = [_Frame(top, [option(0, [(0, 0, one)])], None)]
    sequences = [0]  # the responder's own sequence at each frame, -1 where it is not known
    while True:
        frame = frames[-1]
        if frame.option < 0 or frame.group < 0:  # on to the next action
            frame.option += 1
            frame.group = 0
            ended = frame.option == len(frame.options)
            if not ended and bounds is not None and frame.best is not None:
                ended = frame.options[frame.option].bound <= frame.best
            if ended:
                frames.pop()
                if not frames:
                    return frame.best, top.below
                sequences.pop()
                upper = frames[-1]
                if frame.found:
                    upper.gained += frame.best
                    upper.below.append(frame.visit)
                else:
                    upper.group = -1
                continue
            chosen = frame.options[frame.option]
            frame.gained = chosen.certain
            frame.below = []
            if bounds is not None:
                frame.rest = chosen.bound - chosen.certain
        chosen = frame.options[frame.option]
        if frame.group == len(chosen.groups):
            if frame.best is None or frame.gained > frame.best:
                frame.best, frame.found = frame.gained, True
                frame.visit.action, frame.visit.below = chosen.action, frame.below
            frame.group = -1
            continue
        seen, elements, most = chosen.groups[frame.group]
        need = None
        if bounds is not None:
            if frame.best is not None and frame.gained + frame.rest <= frame.best:
                frame.group = -1
                continue
            frame.rest -= most
            if frame.best is not None:
                need = frame.best - frame.gained - frame.rest
        frame.group += 1
        sequence = sequences[-1]
        if sequence >= 0 and frame.visit.view >= 0:
            k = own.find(sequence, frame.visit.view)
            sequence = own.first[k] + chosen.action if k >= 0 else -1
        visit = Visit(seen, frame.visit, chosen.action)
        frames.append(opened(visit, elements, sequence, need))
        sequences.append(sequence)
