"""The double oracle's view of a game that is not built: tries of sequences, and searches through positions.

If all positions fit into a table, the searches are compiled (:mod:`.kernels`); else they look only where they must
(:mod:`.search`). The last steps are exact in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, ImperfectRecallError
from tremble.exact_numbers import exact_numbers
from tremble.model.game import CHANCE, TERMINAL
from tremble.model.rules import DefaultRule, UnbuiltStrategy
from tremble.model.tree import integer_array
from tremble.solvers.double_oracle.oracle import Response
from tremble.solvers.double_oracle.plans import Plan, Sequences
from tremble.solvers.double_oracle.positions import LARGEST_PAYOFF, Number, Positions
from tremble.solvers.double_oracle.published import RulesHistories, published_response
from tremble.solvers.double_oracle.restricted import Leaves, RestrictedGame
from tremble.solvers.double_oracle.search import UNEQUAL, Bounds, Opponent, Visit, best_response
from tremble.solvers.double_oracle.settings import SIZES, Sizes
from tremble.solvers.double_oracle.trie import Trie

__all__ = ["UnbuiltOracle"]


class UnbuiltOracle:
    """Restricted games and best responses from rules.

    Parameters
    ----------
    check : callable
        Called now and then while positions are looked at.
    merge : bool, optional
        Whether to use the rules' ``state_key`` and ``observation``; by default if they have both.
    published : bool
        Whether best responses in floats are those of :mod:`.published`.
    """

    def __init__(
        self,
        rules: Any,
        default: tuple[DefaultRule, DefaultRule],
        check: Callable[[], None],
        sizes: Sizes = SIZES,
        *,
        merge: bool | None = None,
        published: bool = False,
    ) -> None:
        if merge is None:
            merge = hasattr(rules, "state_key") and hasattr(rules, "observation")
        self.rules = rules
        self.default = default
        self.positions = Positions(rules, default, merge=merge)
        self.tries = Trie(0), Trie(1)
        self._check = check
        self._look_ahead = sizes.look_ahead
        self._published = published
        self._complete = self.positions.expand_all(sizes.table_to if merge else sizes.histories_to, check)
        self.compiled = None
        if self._complete and len(self.positions) > sizes.table_from:
            from tremble.solvers.double_oracle.tabulated import Tabulated

            self.compiled = Tabulated(self.positions)
        self._utilities = _stated_bounds(rules)
        self._worth: tuple[dict[int, Number], dict[int, Number]] = ({}, {})
        self._witnesses = _Witnesses(self.positions, 0), _Witnesses(self.positions, 1)
        self._paths: tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]] = ({}, {})

    @property
    def players(self) -> tuple[Sequences, Sequences]:
        """What is known of both players."""
        return self.tries[0].sequences, self.tries[1].sequences

    @property
    def scale(self) -> float:
        """The largest payoff, for tolerances."""
        if self._utilities is not None:
            return max(abs(float(u)) for u in self._utilities)
        return 1.0 if self.compiled is None else max(abs(float(u)) for u in self.positions.payoff)

    @property
    def total(self) -> Number:
        """What the payoffs of both players sum to."""
        return self.positions.total

    @property
    def _exact_floats(self) -> bool:
        """Whether floats hold all that a pass through the game can meet."""
        return self.positions.exact_floats and not self.positions.has_chance

    # -- the restricted game ---------------------------------------------------------------------

    def restricted(self) -> RestrictedGame:
        """The game of the allowed sequences."""
        if self.compiled is not None and self._exact_floats:
            return RestrictedGame.of(self.players, self.compiled.leaves(self.tries))
        return RestrictedGame.of(self.players, self._leaves())

    def _leaves(self) -> Leaves:
        """One pass through both tries, in exact numbers."""
        positions, tries = self.positions, self.tries
        ends: list[tuple[int, int]] = []
        weights: list[Number] = []
        reached: tuple[set[int], set[int]] = (set(), set())
        temporary = 0
        stack: list[tuple[int, int, int, Number]] = [(0, 0, 0, 1)]
        steps = 0
        while stack:
            steps += 1
            if steps % 1024 == 0:
                self._check()
            position, q1, q2, chance = stack.pop()
            m = positions.mover[position]
            if m == TERMINAL:
                ends.append((q1, q2))
                weights.append(chance * positions.payoff[position])
                continue
            children = positions.expand(position, self._check)
            if m == CHANCE:
                stack.extend(
                    (child, q1, q2, chance * p)
                    for child, p in zip(children, positions.chance[position], strict=True)
                    if p
                )
                continue
            trie = tries[m]
            k = trie.find(q1 if m == 0 else q2, positions.view[position])
            going = False
            if k >= 0:
                first = trie.first[k]
                if trie.count[k] != len(children):
                    raise GameError(UNEQUAL)
                for a, child in enumerate(children):
                    if trie.allowed[first + a]:
                        going = True
                        stack.append((child, first + a, q2, chance) if m == 0 else (child, q1, first + a, chance))
            if going:
                reached[m].add(k)
            else:
                temporary += 1
                ends.append((q1, q2))
                weights.append(chance * (self.worth(position, 1 - m) * (1 if m == 1 else -1)))
        denominator = lcm(*{w.denominator for w in weights})
        pairs = np.array(ends, dtype=np.int64)
        sets = [np.array(sorted(found), dtype=np.int64) for found in reached]
        return Leaves(
            sequence=(pairs[:, 0], pairs[:, 1]),
            weight=integer_array([w.numerator * (denominator // w.denominator) for w in weights]),
            denominator=denominator,
            temporary=temporary,
            reached=(sets[0], sets[1]),
        )

    def _most(self, responder: int) -> Number | None:
        """The greatest payoff of a responder, where the rules tell bounds; player 2's are player 1's negated."""
        if self._utilities is None:
            return None
        least, greatest = self._utilities
        return greatest if responder == 0 else -least

    def worth(self, position: int, responder: int) -> Number:
        """What an all-knowing responder gets from a position if the other plays its default, or a bound on it."""
        known = self._worth[responder]
        found = known.get(position)
        if found is not None:
            return found
        positions = self.positions
        sign = 1 if responder == 0 else -1
        most = self._most(responder)
        budget = len(positions) + self._look_ahead
        stack = [position]
        steps = 0
        while stack:
            p = stack[-1]
            steps += 1
            if steps % 1024 == 0:
                self._check()
            if p in known:
                stack.pop()
                continue
            m = positions.mover[p]
            if m == TERMINAL:
                known[p] = positions.payoff[p] * sign
                stack.pop()
                continue
            if most is not None and len(positions) > budget:
                known[position] = most
                return most
            children = positions.expand(p, self._check)
            if m == 1 - responder:
                children = (children[positions.default[p]],)
            missing = [child for child in children if child not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            values = [known[child] for child in children]
            if m == CHANCE:
                known[p] = sum((v * q for v, q in zip(values, positions.chance[p], strict=True)), start=Fraction(0))
            else:
                known[p] = max(values)
        return known[position]

    # -- best responses --------------------------------------------------------------------------

    def respond(self, player: int, plan: Plan, check: Callable[[], None]) -> Response:
        """The best response of a player to the other's plan, in floats."""
        if self._published:
            return self._as_published(player, plan, check)
        if self.compiled is not None:
            value, sequences = self.compiled.search(self.tries, player, plan, check)
            return Response(player, value, sequences)
        value, visits = best_response(
            self.positions, self.tries[player], self._opponent(plan), self._bounds(player, exact=False), 1.0, check
        )
        return Response(player, float(value), self._learnt(player, visits))

    def _as_published(self, player: int, plan: Plan, check: Callable[[], None]) -> Response:
        histories = RulesHistories(
            self.positions,
            self.tries[player],
            self.tries[1 - player],
            plan,
            self._least_and_greatest(player),
            lambda position: float(self.worth(position, player)),
            check,
        )
        value, choice = published_response(histories, check)
        return Response(player, value, histories.learnt(choice))

    def respond_exactly(self, player: int, plan: Plan, check: Callable[[], None]) -> Response:
        """The same in exact arithmetic."""
        assert plan.denominator is not None
        value, visits = best_response(
            self.positions,
            self.tries[player],
            self._opponent(plan),
            self._bounds(player, exact=True),
            plan.denominator,
            check,
        )
        return Response(player, Fraction(value) / plan.denominator, self._learnt(player, visits))

    def _opponent(self, plan: Plan) -> Opponent:
        return Opponent(self.tries[plan.player], plan.weight.tolist(), plan.decided.tolist())

    def _bounds(self, player: int, *, exact: bool) -> Bounds | None:
        """What the responder gets at most: from the table where there is one, else from the bounds of the payoffs."""
        if self.compiled is not None:
            whole = self._exact_floats
            alone, met = self.compiled.bounds_as_lists(player, exact=exact and not whole, whole=whole)
            return lambda position, q: alone[position] if q < 0 else met[position]
        most = self._most(player)
        return None if most is None else partial(_constant, most)

    def _least_and_greatest(self, player: int) -> tuple[float, float]:
        """Bounds of a player's payoffs: as the rules state them, as seen if all is, else what none may exceed."""
        if self._utilities is not None:
            one = self._utilities
        elif self._complete:
            one = min(self.positions.payoff), max(self.positions.payoff)
        else:
            one = -LARGEST_PAYOFF, LARGEST_PAYOFF
        return (float(one[0]), float(one[1])) if player == 0 else (-float(one[1]), -float(one[0]))

    def _learnt(self, player: int, visits: Sequence[Visit]) -> NDArray[np.int64]:
        """The sequences of the information sets that a best response reaches, made known."""
        trie = self.tries[player]
        found: list[int] = []
        stack = [(visit, 0) for visit in reversed(visits)]
        while stack:
            visit, above = stack.pop()
            k = trie.learn(above, visit.view, visit.count, visit.default)
            sequence = trie.first[k] + visit.action
            found.append(sequence)
            stack.extend((below, sequence) for below in reversed(visit.below))
        return np.array(found, dtype=np.int64)

    def add(self, response: Response) -> int:
        """Allow the sequences of a response; how many of them are new."""
        return sum(map(self.tries[response.player].allow, response.sequences.tolist()))

    def known(self) -> list[dict[str, Any]]:
        """For both players, a history of each information set as actions from the root, and what is allowed."""
        return [
            {"paths": [list(self._path(player, k)) for k in range(len(trie.parent))],
             "allowed": [q for q, allowed in enumerate(trie.allowed) if allowed]}
            for player, trie in enumerate(self.tries)
        ]  # fmt: skip

    def _path(self, player: int, infoset: int) -> tuple[int, ...]:
        """Actions from the root to some history of an information set."""
        found = self._paths[player].get(infoset)
        if found is None:
            trie = self.tries[player]
            found = self._witnesses[player].path(trie.own_history(infoset), trie.view[infoset])
            self._paths[player][infoset] = found
        return found

    def restore(self, known: list[dict[str, Any]]) -> None:
        """Know and allow again what :meth:`known` has told."""
        positions = self.positions
        for player, (trie, told) in enumerate(zip(self.tries, known, strict=True)):
            for path in told["paths"]:
                position, sequence = 0, 0
                for action in path:
                    if positions.mover[position] == player:
                        k = trie.find(sequence, positions.view[position])
                        sequence = trie.first[k] + action
                    position = positions.expand(position)[action]
                if positions.mover[position] != player:
                    raise ValueError("a path leads elsewhere")
                count = len(positions.expand(position))
                k = trie.learn(sequence, positions.view[position], count, positions.default[position])
                self._paths[player][k] = tuple(path)
            for sequence in told["allowed"]:
                trie.allow(sequence)

    # -- results ---------------------------------------------------------------------------------

    def strategy(self, plan: Plan) -> UnbuiltStrategy:
        """An exact plan as a strategy: a row for each information set that it reaches and decides.

        Raises
        ------
        ImperfectRecallError
            Two different own histories end in one information set of the rules.
        """
        trie = self.tries[plan.player]
        weight = plan.weight.tolist()
        rows: dict[str, tuple[tuple[str, Fraction], ...]] = {}
        for k in np.flatnonzero(plan.decided).tolist():
            whole = weight[trie.parent[k]]
            if not whole:
                continue
            key, labels = self.positions.name(self._path(plan.player, k), plan.player, trie.count[k])
            if key in rows:
                forgotten = "what their observation tells" if self.positions.merged else "an earlier set or action"
                raise ImperfectRecallError(
                    f"player {plan.player + 1} comes to the information set {key!r:.200} in two ways that its own "
                    f"moves and observations tell apart: the rules' infoset forgets {forgotten}"
                )
            first = trie.first[k]
            rows[key] = tuple((label, Fraction(weight[first + a], whole)) for a, label in enumerate(labels))
        return UnbuiltStrategy(plan.player, self.default[plan.player], rows)


def _stated_bounds(rules: Any) -> tuple[Number, Number] | None:
    """Bounds of player 1's payoffs as the rules state them."""
    stated = getattr(rules, "utility_bounds", None)
    bounds = None if stated is None else stated()
    if bounds is None:
        return None
    exact = exact_numbers(bounds, "utility bound")
    if len(exact) != 2 or exact[0] > exact[1]:
        raise GameError(f"utility_bounds() must be the least and the greatest payoff, exact, not {bounds!r:.100}")
    return exact[0], exact[1]


def _constant(most: Number, _position: int, _sequence: int) -> Number:
    return most


class _Witnesses:
    """Finds histories in which a player sees and does given things."""

    def __init__(self, positions: Positions, player: int) -> None:
        self._positions = positions
        self._player = player

    def path(self, steps: list[tuple[int, int]], view: int) -> tuple[int, ...]:
        """Actions (of everybody) from the root to where the player has seen and done ``steps`` and sees ``view``."""
        positions, player = self._positions, self._player
        wanted = [*steps, (view, -1)]
        dead: set[tuple[int, int]] = set()
        trail: list[tuple[int, int, int]] = [(0, 0, -1)]  # position, steps done, action being tried
        while trail:
            position, done, action = trail.pop()
            if (position, done) in dead:
                continue
            mover = positions.mover[position]
            if mover == player and positions.view[position] == wanted[done][0]:
                if done == len(steps):
                    return tuple(a for _, _, a in trail)
                options = range(wanted[done][1], wanted[done][1] + 1)
                after = done + 1
            elif mover in (player, TERMINAL):
                options, after = range(0), done
            else:
                options, after = range(len(positions.expand(position))), done
            following = [a for a in options if a > action]
            if not following:
                dead.add((position, done))
                continue
            child = positions.expand(position)[following[0]]
            trail.append((position, done, following[0]))
            trail.append((child, after, -1))
        raise GameError("an information set of a best response cannot be reached: the rules contradict themselves")
