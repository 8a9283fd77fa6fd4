"""Positions of a game that is given by rules, without a tree. Positions are expanded on demand.

A *position* is a history, or a group of histories that continue in the same way. To *expand* a position is to compute
its children, which are the positions after each move.

If the rules have ``state_key`` and ``observation``, histories with the same ``state_key`` are merged into one position.
A player's *view* is then its ``observation``. For example, phantom tic-tac-toe has 20 billion histories and
300 thousand positions. If the rules do not have both functions, every history is a position, and the view is the key of
the information set.

In both cases, the solver identifies a player's information set by the list of the player's views and actions that ends
with the current view. So the players have perfect recall by construction. The information sets that the rules define
must be the same sets. If every history is a position, this module checks this condition. It compares each new position
with the first position of its information set. The player's last moves before the two positions must be equal. If this
holds in every set, all earlier moves of the player are also equal, by induction over the depth.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

from tremble.errors import GameError, NotZeroSumError, PlayersError
from tremble.game.endless import PlayEnds
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import DefaultRule, OwnMove, key_text, no_perfect_recall
from tremble.game.tree import path_in_words
from tremble.game.tree_arrays import label_tuple
from tremble.game.tree_builder import DEFAULT_MAX_NODES
from tremble.large.position_rules import PositionRules
from tremble.numbers import exact_numbers, exact_payoffs
from tremble.value import shorten
from tremble.words import for_reader

__all__ = ["LARGEST_PAYOFF", "AllKnowing", "Number", "Positions"]

Number = int | Fraction

_Last = tuple[int, int] | None

_EXACT_FLOATS = 2**53  # floats represent all integers up to this size exactly
LARGEST_PAYOFF = 10**150
_DIFFERENT = "the rules' state_key and observation merge histories that continue differently"


class Positions:
    """The positions of a game that have been seen so far. The root is position 0.

    If ``merge`` is True, histories with the same ``state_key`` are one position. A player then sees the rules'
    ``observation``. If ``merge`` is False, a player sees the rules' ``infoset``.
    """

    def __init__(self, rules: Any, default: tuple[DefaultRule, DefaultRule], *, merge: bool) -> None:
        self.rules = rules
        self.merged = merge
        self.mover: list[int] = []
        self.children: list[tuple[int, ...] | None] = []  # None until the position is expanded
        self.chance: list[tuple[Fraction, ...]] = []  # probabilities of the children; empty unless chance moves
        self.view: list[int] = []  # index of the mover's view; -1 if no player moves
        self.default: list[int] = []  # index of the action that the mover's default chooses; -1 if no player moves
        self.payoff: list[Number] = []  # player 1's payoff at terminal positions, else 0
        self.history: list[Any] = []
        self.has_chance = False
        self.exact_floats = True  # True if every payoff so far is an integer that a float represents exactly
        self._total: Number | None = None
        self._rule = default
        self._number: dict[Hashable, int] = {}
        self._views: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        self._key: Callable[[Any], Hashable] | None = rules.state_key if merge else None
        self._see: Callable[[Any, int], Hashable] = rules.observation if merge else lambda h, _player: rules.infoset(h)
        # These attributes are used only without merging. For each player, _last contains the last own move before each
        # position, as (view, action) or None. _first maps each view to the first position of its information set.
        self._last: tuple[list[_Last], list[_Last]] = ([None], [None])
        self._first: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self._depth = [0]  # number of moves before each position when it was first seen
        self._ends = PlayEnds(rules, DEFAULT_MAX_NODES, "make the game shorter: no method solves a game of this length")
        self._may_have_cycles = False
        self._number_of(rules.root())
        self._require_perfect_recall(0)

    def __len__(self) -> int:
        return len(self.mover)

    @property
    def total(self) -> Number:
        """The constant sum of the payoffs of both players, or 0 before the first payoff is computed."""
        return 0 if self._total is None else self._total

    def _number_of(self, h: Any) -> int:
        """Return the index of the position that contains a history. Add the position if it is new."""
        number = len(self.mover)
        if self._key is not None:
            try:
                number = self._number.setdefault(self._key(h), number)
            except TypeError as error:
                raise GameError(f"state_key(h) of the rules must return a hashable value: {error}") from None
            if number < len(self.mover):
                if isinstance(self.rules, PositionRules):  # the key determines all that follows
                    return number
                mover = self.mover[number]
                if self.rules.player(h) != mover:
                    raise GameError(_DIFFERENT)
                if mover >= 0 and self._rule[mover].action(self.rules, h) != self.default[number]:
                    raise GameError(
                        f"default(h) names different actions at {key_text(self.rules, h)!r:.200} and at another "
                        "history with the same state_key"
                    )
                return number
        mover = self.rules.player(h)
        view, default = -1, -1
        payoff: Number = 0
        if mover == TERMINAL:
            payoff = self.exact_payoff(self.rules.payoff(h))
        elif mover in (0, 1) and hasattr(mover, "__index__"):
            view = self._view_of(h, mover)
            default = self._rule[mover].action(self.rules, h)
        elif mover == CHANCE:
            self.has_chance = True
        else:
            raise PlayersError.at("a position", mover)
        self.mover.append(mover)
        self.children.append(() if mover == TERMINAL else None)
        self.chance.append(())
        self.view.append(view)
        self.default.append(default)
        self.payoff.append(payoff)
        self.history.append(h)
        return number

    def _view_of(self, h: Any, mover: int) -> int:
        """Return the index of the view that player ``mover`` has at history ``h``. Give a new view the next index."""
        views = self._views[mover]
        try:
            return views.setdefault(self._see(h, mover), len(views))
        except TypeError as error:
            what = "observation(h, player)" if self.merged else "infoset(h)"
            raise GameError(f"{what} of the rules must return a hashable value: {error}") from None

    def exact_payoff(self, payoffs: Any) -> Number:
        """Return player 1's payoff at a leaf.

        Raises
        ------
        NotZeroSumError
            The sum of the payoffs differs from that of other leaves.
        """
        payoff1, payoff2 = exact_payoffs(payoffs)
        if self._total is None:
            self._total = payoff1 + payoff2
        elif payoff1 + payoff2 != self._total:
            total, other = shorten(Fraction(self._total)), shorten(Fraction(payoff1 + payoff2))
            raise NotZeroSumError(f"the payoffs sum to {total} at the first leaf that was reached, but to {other}")
        if not -LARGEST_PAYOFF < payoff1 < LARGEST_PAYOFF:
            raise GameError(
                "a payoff of 10^150 or more is too large for the double oracle: build the tree and use the method lp"
            )
        if payoff1.denominator == 1:
            payoff1 = int(payoff1)
            self.exact_floats = self.exact_floats and -_EXACT_FLOATS < payoff1 < _EXACT_FLOATS
        else:
            self.exact_floats = False
        return payoff1

    def expand(self, position: int, check: Callable[[], None] | None = None) -> tuple[int, ...]:
        """Return the children of a position. On the first call for this position, compute and store them.

        The method calls ``check`` before each new child, so that ``check`` can enforce a time limit. One call per
        position would not be enough, because the rules can be slow and a position can have a million children.
        """
        children = self.children[position]
        if children is not None:
            return children
        rules, h = self.rules, self.history[position]
        count = len(label_tuple(rules.actions(h)))
        if not count:
            raise GameError(f"a history where a player or chance moves has no actions: {h!r:.200}")
        if self.mover[position] == CHANCE:
            probabilities = exact_numbers(rules.chance(h), "chance probability")
            if len(probabilities) != count or sum(probabilities) != 1 or min(probabilities) < 0:
                raise GameError(
                    f"the chance probabilities {probabilities!r:.200} must be a distribution over {count} actions"
                )
            self.chance[position] = tuple(map(Fraction, probabilities))
        known = len(self.mover)
        if self._depth[position] >= self._ends.next_depth:
            self._ends.require(h, self._depth[position], known, check)
        below = []
        for i in range(count):
            if check is not None:
                check()
            try:
                below.append(self._number_of(rules.child(h, i)))
            except NotZeroSumError as error:
                leaf = path_in_words(self._follow([*self._path_to(position), i])[1])
                raise NotZeroSumError(
                    f"{error} at the leaf {leaf}; the double oracle needs a constant sum: build the tree "
                    f"({for_reader('tremble.build(rules)', '--max-nodes')}) and use a method for payoffs of any sum"
                ) from None
        children = self.children[position] = tuple(below)
        self._depth.extend([self._depth[position] + 1] * (len(self.mover) - known))
        if self.merged:
            self._refuse_cycles(position, children, known)
        else:
            for player in (0, 1):
                last, mine = self._last[player], self.mover[position] == player
                last.extend([(self.view[position], i) if mine else last[position] for i in range(count)])
            for child in children:
                self._require_perfect_recall(child)
        self.history[position] = None  # a history can be large, and this one is not needed again
        return children

    def _require_perfect_recall(self, position: int) -> None:
        """Raise ``ImperfectRecallError`` if a new position shows that the player to move lacks perfect recall.

        The player must have made the same moves before ``position`` and before the first position of its set.
        """
        player = self.mover[position]
        if self.merged or player not in (0, 1):
            return
        first = self._first[player].setdefault(self.view[position], position)
        if self._last[player][first] != self._last[player][position]:
            paths = self._path_to(first), self._path_to(position)
            key = key_text(self.rules, self._follow(paths[1])[0])
            raise no_perfect_recall(player, key, *(self.own_moves(path, player) for path in paths))

    def own_moves(self, path: Sequence[int], player: int) -> list[OwnMove]:
        """Return a player's moves on a path from the root, as pairs (key of the information set, action label)."""
        moves: list[OwnMove] = []
        h = self.rules.root()
        for i in path:
            if self.rules.player(h) == player:
                moves.append((key_text(self.rules, h), label_tuple(self.rules.actions(h))[i]))
            h = self.rules.child(h, i)
        return moves

    def _path_to(self, position: int) -> list[int]:
        """Return the indices of actions that lead from the root to a position."""
        above: dict[int, tuple[int, int]] = {}
        for p, children in enumerate(self.children):
            for i, child in enumerate(children or ()):
                above.setdefault(child, (p, i))
        steps = []
        while position:
            position, action = above[position]
            steps.append(action)
        return steps[::-1]

    def _follow(self, path: Sequence[int], check: Callable[[], None] | None = None) -> tuple[Any, tuple[str, ...]]:
        """Return the history at the end of a path of actions, and the labels of these actions.

        The function ``check`` is called before each action.
        """
        rules, labels = self.rules, []
        h = rules.root()
        for i in path:
            actions = () if rules.player(h) == TERMINAL else label_tuple(rules.actions(h))
            if i >= len(actions):
                raise GameError(_DIFFERENT)
            labels.append(actions[i])
            if check is not None:
                check()
            h = rules.child(h, i)
        return h, tuple(labels)

    def expand_all(self, limit: int, check: Callable[[], None]) -> bool:
        """Expand all positions and return True. If there are more positions than the limit, stop and return False."""
        children, expand = self.children, self.expand
        position = 0
        while position < len(children):
            if len(children) > limit:
                return False
            if children[position] is None:
                expand(position, check)
            position += 1
        return True

    def _refuse_cycles(self, position: int, children: tuple[int, ...], known: int) -> None:
        """Raise ``GameError`` if the moves of ``position`` complete a cycle.

        Only a move to a child that existed before (index below ``known``) can complete a cycle. Every cycle
        contains a move to a position of equal or smaller depth. Most games have no such move, so they need
        no search.
        """
        depth = self._depth
        before = [child for child in children if child < known]
        if any(depth[child] <= depth[position] for child in before):
            self._may_have_cycles = True
        if not self._may_have_cycles:
            return
        seen = set(before)
        stack = list(before)
        while stack:
            here = stack.pop()
            if here == position:
                raise GameError("some moves lead back to the same state_key: play could repeat itself forever")
            below = [child for child in self.children[here] or () if child not in seen]
            seen.update(below)
            stack.extend(below)

    def path(self, player: int, steps: list[tuple[int, int]], view: int) -> tuple[int, ...]:
        """Return the actions of all movers on one path from the root to an information set of ``player``.

        ``steps`` lists the player's views and actions on the path. ``view`` is the player's view at the set.
        """
        goals = [*steps, (view, -1)]
        dead: set[tuple[int, int]] = set()
        trail: list[tuple[int, int, int]] = [(0, 0, -1)]  # position, number of completed steps, action that is tried
        while trail:
            position, done, action = trail.pop()
            if (position, done) in dead:
                continue
            mover = self.mover[position]
            options, after = range(0), done
            if mover == player and self.view[position] == goals[done][0]:
                if done == len(steps):
                    return tuple(a for _, _, a in trail)
                options, after = range(goals[done][1], goals[done][1] + 1), done + 1
            elif mover not in (player, TERMINAL):
                options = range(len(self.expand(position)))
            following = [a for a in options if a > action]
            if not following:
                dead.add((position, done))
                continue
            trail.append((position, done, following[0]))
            trail.append((self.expand(position)[following[0]], after, -1))
        raise GameError("an information set of a best response cannot be reached: the rules contradict themselves")

    def name(
        self, path: tuple[int, ...], player: int, count: int, check: Callable[[], None] | None = None
    ) -> tuple[str, tuple[str, ...]]:
        """Return the key and the action labels of the information set at the end of a path of actions.

        Raises
        ------
        GameError
            At the end of the path, ``player`` does not move or does not have ``count`` actions.
        """
        rules, (h, _) = self.rules, self._follow(path, check)
        labels = label_tuple(rules.actions(h)) if rules.player(h) == player else ()
        if len(labels) != count:
            raise GameError(_DIFFERENT)
        return key_text(rules, h), labels


class AllKnowing(dict[int, Number]):
    """A dict that maps a position to the exact payoff that a responder who sees everything gets from there on.

    Payoffs are computed on first use.

    Parameters
    ----------
    helping : bool
        If True, the opponent plays what is best for the responder. If False, the opponent plays ``positions.default``.
    most : Number, optional
        An upper bound on all payoffs of the responder. With this bound, a lookup that adds more than about
        ``look_ahead`` new positions stops and returns the bound.
    """

    def __init__(
        self,
        positions: Positions,
        responder: int,
        check: Callable[[], None],
        *,
        helping: bool = False,
        most: Number | None = None,
        look_ahead: int = 0,
    ) -> None:
        super().__init__()
        self._positions, self._responder, self._check = positions, responder, check
        self._defaulting = None if helping else 1 - responder
        self._most, self._look_ahead = most, look_ahead

    def __missing__(self, position: int) -> Number:
        positions, mover = self._positions, self._positions.mover
        sign = 1 if self._responder == 0 else -1
        budget = len(positions) + self._look_ahead
        stack = [position]
        steps = 0
        while stack:
            p = stack[-1]
            steps += 1
            if steps % 1024 == 0:
                self._check()
            if p in self:
                stack.pop()
                continue
            if mover[p] == TERMINAL:
                self[p] = positions.payoff[p] * sign
                stack.pop()
                continue
            if self._most is not None and len(positions) > budget:
                self[position] = self._most
                return self._most
            children = positions.expand(p, self._check)
            if mover[p] == self._defaulting:
                children = (children[positions.default[p]],)
            missing = [child for child in children if child not in self]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            values = [self[child] for child in children]
            if mover[p] == CHANCE:
                self[p] = sum((v * q for v, q in zip(values, positions.chance[p], strict=True)), start=Fraction(0))
            else:
                self[p] = max(values)
        return self[position]
