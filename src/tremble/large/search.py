r"""Best responses without a tree, by a search over the responder's information sets.

An *element* is a triple (position, opponent's last known sequence, weight). It represents all histories in one
information set that have this *position* (:mod:`.positions`) and this sequence. The weight is the sum of the histories'
probabilities, without the responder's moves. The sequence is -1 if the opponent plays its default from here on.

The responder has perfect recall. So the elements of an information set follow from the elements of the responder's
previous information set in three steps:

1. Apply the responder's action to every element.
2. Play the opponent's plan and chance until the responder moves again.
3. Group the results by the responder's view.

The search visits each information set once. Its memory is proportional to the depth times the width of the game.

**Pruning.** Let u be an upper bound on the payoff that the responder can still get from an element. If the opponent
plays its default from this element on, u is the payoff of a responder that sees everything. Otherwise u is the largest
payoff within reach. For each action, the search sums the values of the evaluated elements and the bounds u of the other
elements. It drops the action as soon as this sum is too small for a new best action at this set or at the previous set.
It tries actions in descending order of bounds, and actions of the restricted game first in ties.

**Two implementations.** The search in this module runs in Python on any numbers. With integers and fractions, it is
exact. With floats, it serves games that need no table of positions, and games that are too large for a table. The
compiled search in :mod:`.kernels` is for floats and tables. Both searches have the same input (bounds and
:class:`.positions.Positions`) and the same output (*visits*), which :meth:`.rules.RulesOracle.respond` evaluates.

Two implementations are needed because compiled code cannot use Python's exact numbers. A Python loop that calls
compiled code for each information set would be slow. On goofspiel with four cards, the compiled search takes 2.4
microseconds for an information set (measured). A single call from Python that passes the arrays takes at least this
long, and each information set would need more than one call.

A *visit* describes an information set that the response may reach. It is a tuple of four numbers:

- the number of the *previous visit*, which describes the responder's previous information set
- the action at the previous visit
- the position of one of the histories of the set
- the response's action, or -1 as long as none is chosen

Each visit comes after its previous visit in the list. The response reaches a visit if it reaches the previous visit and
plays the given action there.
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
"""A function from a position and the opponent's last sequence to an upper bound on the responder's payoff.

The sequence is -1 if the opponent plays its default.
"""

Visit = tuple[int, int, int, int]

Elements = list[tuple[int, int, Any]]


@dataclass(slots=True, eq=False)
class _Option:
    """An action at an information set, with bounds on its value."""

    action: int
    certain: Any  # sum of payoff times weight over the leaves that are reached before the responder moves again
    groups: list[tuple[Elements, Any]]  # for each next view, the elements and an upper bound on their value
    bound: Any  # upper bound on the value of the action


@dataclass(slots=True, eq=False)
class _Frame:
    """The evaluation of one information set: its options, and how far the search has evaluated them."""

    visit: int
    sequences: int  # number of the first sequence of the set; -1 if the set is not known
    options: list[_Option]
    best: Any  # value of the best action so far; at the start, the value that an action must exceed
    chosen: int = -1  # best action; -1 if no action has exceeded that value yet
    option: int = -1  # index of the current option
    group: int = -1  # index of the current group of this option; -1 if the next option must be started
    gained: Any = 0  # value of the evaluated groups of the current option
    rest: Any = 0  # sum of the bounds of the other groups of the current option
    mark: int = 0  # number of visits before the current option


def _quotient(a: Number, b: Number) -> Number:
    """Return a / b, as an ``int`` if it is an integer."""
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
    """Search for a best response to a plan of the opponent.

    Parameters
    ----------
    own : Trie
        The responder's sequences. Among equally good actions, the search prefers actions of the restricted game.
    plan : Plan
        The opponent's plan.
    bounds : callable or None
        A function that gives upper bounds for pruning. With None, the search does not prune.
    one : float or int
        The weight of the root. It is 1.0 for a float plan, and the denominator of the plan for an exact plan.

    Returns
    -------
    value : number
        The responder's payoff times ``one``.
    visits : list of Visit
        The information sets that the best response may reach.
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
        """Follow the moves of chance and of the opponent from each element until the responder moves.

        Returns
        -------
        certain : number
            Sum of the responder's payoff times the weight, over all leaves that are reached before the responder moves.
        groups : dict
            Maps each view of the responder to a dict that maps (position, opponent's sequence) to a weight.
        """
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
        """Return the option for an action. ``elements`` are the weighted positions directly after the action."""
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
        """Start to evaluate the information set of ``elements``. Sort the actions by upper bounds, highest first."""
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
                else:  # the action of the frame above cannot become the best: drop it and its visits
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
