"""The :class:`.oracle.Oracle` for rules. It stores sequences in prefix trees (tries) and searches positions.

The tree of the game is never built. If all positions fit into a table, the compiled search in :mod:`.kernels` uses this
table. Otherwise the search in :mod:`.search` visits only the positions that it needs. In both cases, exact arithmetic
computes the final best responses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, ImperfectRecallError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import DefaultRule, UnbuiltStrategy, no_perfect_recall
from tremble.game.sequence_form import segments
from tremble.game.tree_arrays import integer_array, pair
from tremble.large.by_view import merged_by_view
from tremble.large.oracle import Opened, Oracle, Response
from tremble.large.position_rules import PositionRules
from tremble.large.positions import AllKnowing, Number, Positions
from tremble.large.search import Bounds, Visit, best_response
from tremble.large.sequences import KnownSequences, Plan, Trie
from tremble.large.settings import SIZES, Sizes
from tremble.numbers import exact_numbers, over_one_denominator

__all__ = ["RulesOracle"]


def _positions(
    rules: Any, default: tuple[DefaultRule, DefaultRule], check: Callable[[], None], sizes: Sizes, *, merge: bool
) -> tuple[Positions, bool]:
    """Return the positions of a game, and whether all of them fit into a table."""
    if merge and isinstance(rules, PositionRules):
        found = merged_by_view(rules, default, sizes.table_to, check)
        if found is not None:
            return found, True
    positions = Positions(rules, default, merge=merge)
    return positions, positions.expand_all(sizes.table_to if merge else sizes.histories_to, check)


class RulesOracle(Oracle):
    """Restricted games and best responses, computed from the rules of a game.

    Parameters
    ----------
    check : callable
        A function that is called regularly during searches, for example to check a time limit.
    merge : bool, optional
        If True, histories with equal ``state_key`` are merged into one position. The default is True if the rules have
        ``state_key`` and ``observation``.

    Examples
    --------
    >>> import tremble
    >>> from tremble.large import DoubleOracleRun
    >>> from tremble.strategies import DefaultRule
    >>> rules, first = tremble.load_rules("kuhn").rules, DefaultRule("first")
    >>> DoubleOracleRun(RulesOracle(rules, (first, first), lambda: None), 2.0).run()[1]
    Fraction(-1, 18)
    """

    def __init__(
        self,
        rules: Any,
        default: tuple[DefaultRule, DefaultRule],
        check: Callable[[], None],
        sizes: Sizes = SIZES,
        *,
        merge: bool | None = None,
    ) -> None:
        if merge is None:
            merge = hasattr(rules, "state_key") and hasattr(rules, "observation")
        self.default = default
        self.tries = Trie(0), Trie(1)
        self._check = check
        self.positions, self._complete = _positions(rules, default, check, sizes, merge=merge)
        self._utilities = _stated_bounds(rules)
        # For each responder, a mapping from a position to the responder's payoff if it sees everything. In _worth, the
        # opponent plays its default. In _helped, the opponent plays what is best for the responder.
        self._worth = self._all_knowing(sizes.look_ahead, helping=False)
        self._helped = self._all_knowing(sizes.look_ahead, helping=True)
        self.compiled = None
        if self._complete and len(self.positions) > sizes.table_from:
            from tremble.large.tabulated import Tabulated

            self.compiled = Tabulated(self.positions)
            # Without chance moves and with integer payoffs, the floats in the table are exact.
            if self.positions.exact_floats and not self.positions.has_chance:
                for i in (0, 1):
                    self._worth[i].update(enumerate(self.compiled.alone[i].astype(np.int64).tolist()))
                    self._helped[i].update(enumerate(self.compiled.met[i].astype(np.int64).tolist()))
        self._paths: tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]] = ({}, {})
        # For each player, _names maps a known set to its key in the rules and the labels of its actions. _known maps
        # the key to the set.
        self._names: tuple[dict[int, tuple[str, tuple[str, ...]]], ...] = ({}, {})
        self._known: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def _all_knowing(self, look_ahead: int, *, helping: bool) -> tuple[AllKnowing, AllKnowing]:
        return pair(
            AllKnowing(self.positions, i, self._check, helping=helping, most=self._most(i), look_ahead=look_ahead)
            for i in (0, 1)
        )

    @property
    def players(self) -> tuple[KnownSequences, KnownSequences]:
        """A pair for player 1 and player 2: the sequences and information sets that searches have found so far."""
        return self.tries[0].sequences, self.tries[1].sequences

    @property
    def scale(self) -> float:
        """The unit of tolerances: the largest absolute payoff if known (``utility_bounds`` or a table), otherwise 1."""
        if self._utilities is not None:
            return max(abs(float(u)) for u in self._utilities)
        return 1.0 if self.compiled is None else max(abs(float(u)) for u in self.positions.payoff)

    @property
    def total(self) -> Number:
        """The constant sum of the payoffs of both players."""
        return self.positions.total

    # -- the restricted game ---------------------------------------------------------------------

    def _opened(self, nodes: NDArray[np.int64]) -> Opened:
        positions, odds, denominator = self.positions, None, 1
        if self.compiled is not None:
            table = self.compiled.table
            mover, count = table.mover[nodes], table.start[nodes + 1] - table.start[nodes]
            view, child = table.sees[nodes], table.child[segments(table.start[nodes], count)].astype(np.int64)
        else:
            below = [positions.expand(p, self._check) for p in nodes.tolist()]
            mover, view = (
                np.array([values[p] for p in nodes.tolist()]) for values in (positions.mover, positions.view)
            )
            count = np.array([len(children) for children in below], dtype=np.int64)
            child = np.array(list(chain.from_iterable(below)), dtype=np.int64)
        if positions.has_chance and (mover == CHANCE).any():
            drawn = nodes[mover == CHANCE].tolist()
            numbers, denominator = over_one_denominator([p for position in drawn for p in positions.chance[position]])
            played = integer_array([denominator, *numbers])
            odds = np.repeat(played[:1], len(child))
            odds[np.repeat(mover == CHANCE, count)] = played[1:]
        return Opened(mover, view, count, child, odds, denominator)

    def _infosets(self, player: int, sequence: NDArray[np.int64], view: NDArray[Any]) -> NDArray[np.int64]:
        find = self.tries[player].find
        return np.array([find(*pair) for pair in zip(sequence.tolist(), view.tolist(), strict=True)], dtype=np.int64)

    def _payoffs(self, nodes: NDArray[np.int64], mover: NDArray[Any]) -> tuple[NDArray[Any], int]:
        payoff = self.positions.payoff
        numbers = [
            payoff[p] if m == TERMINAL else self.worth(p, 1 - m) * (1 if m == 1 else -1)
            for p, m in zip(nodes.tolist(), mover.tolist(), strict=True)
        ]
        exact = np.array(numbers)
        if exact.dtype == np.int64:
            return exact, 1
        integers, denominator = over_one_denominator(numbers)
        return integer_array(integers), denominator

    def worth(self, position: int, responder: int) -> Number:
        """Return the payoff of a responder that sees everything, if play begins at ``position``.

        The opponent plays its default. If the payoff takes too long to compute, return an upper bound on the payoff.
        """
        return self._worth[responder][position]

    # -- best responses --------------------------------------------------------------------------

    def respond(self, player: int, plan: Plan) -> Response:
        """Return a best response of a player to the opponent's plan, computed in floats."""
        if self.compiled is not None:
            value, visits = self.compiled.search(self.tries, player, plan, self._check)
        else:
            value, visits = self._searched(player, plan, 1.0)
        return Response(player, float(value), self._learnt(player, visits))

    def respond_exactly(self, player: int, plan: Plan) -> Response:
        """Return a best response of a player to the opponent's plan, computed in exact arithmetic."""
        assert plan.denominator is not None
        value, visits = self._searched(player, plan, plan.denominator)
        return Response(player, Fraction(value) / plan.denominator, self._learnt(player, visits))

    def _searched(self, player: int, plan: Plan, one: float) -> tuple[Any, list[Visit]]:
        own, opponent = self.tries[player], self.tries[1 - player]
        return best_response(self.positions, own, opponent, plan, self._bounds(player), one, self._check)

    def _most(self, responder: int) -> Number | None:
        """Return the largest payoff of a responder, or None if the rules state no bounds on payoffs."""
        if self._utilities is None:
            return None
        least, greatest = self._utilities
        return greatest if responder == 0 else -least

    def _bounds(self, player: int) -> Bounds | None:
        """Return a function that maps (position, the opponent's sequence) to an upper bound on the responder's payoff.

        With a table of positions, the bound is the payoff of a responder that sees everything. Otherwise it is the
        responder's largest payoff in the game. If this payoff is unknown, return None.
        """
        if self.compiled is not None:
            alone, met = self._worth[player], self._helped[player]
            return lambda position, sequence: alone[position] if sequence < 0 else met[position]
        most = self._most(player)
        return None if most is None else lambda _position, _sequence: most

    def _learnt(self, player: int, visits: Iterable[Visit]) -> NDArray[np.int64]:
        """Extend the trie by all information sets that a best response reaches; return the response's sequences."""
        positions, trie = self.positions, self.tries[player]
        sequence, played = {-1: 0}, {-1: 0}
        for number, (above, action_above, position, action) in enumerate(visits):
            if action < 0 or played.get(above) != action_above:
                continue
            count = len(positions.expand(position))
            k = trie.learn(sequence[above], positions.view[position], count, positions.default[position])
            sequence[number], played[number] = trie.first[k] + action, action
        del sequence[-1]
        self._name_new(player)
        return np.array(list(sequence.values()), dtype=np.int64)

    def _name_new(self, player: int) -> None:
        """Look up the keys of new information sets in the rules, to detect imperfect recall early.

        This is needed only if histories are merged. Otherwise, positions are checked when they are created. On phantom
        tic-tac-toe the lookup takes 2 % of the time (measured). Most of the keys are needed later for the strategies.
        """
        if self.positions.merged:
            for k in range(len(self._names[player]), len(self.tries[player].parent)):
                self._name(player, k, self._check)

    def _name(self, player: int, k: int, check: Callable[[], None] | None = None) -> tuple[str, tuple[str, ...]]:
        """Return the rules' key of the known information set ``k``, and the action labels of this set.

        Raises
        ------
        ImperfectRecallError
            Another known set has the same key, but the player's earlier moves or observations differ.
        """
        positions, names = self.positions, self._names[player]
        if k in names:
            return names[k]
        key, labels = positions.name(self._path(player, k), player, self.tries[player].count[k], check)
        first = self._known[player].setdefault(key, k)
        if first != k:
            one, two = (positions.own_moves(self._path(player, same), player) for same in (first, k))
            if one != two:
                raise no_perfect_recall(player, key, one, two)
            cause = "observation reports more than infoset" if positions.merged else "two different keys have this text"
            raise ImperfectRecallError(
                f"player {player + 1} reaches the information set {key!r:.200} on two paths with different "
                f"observations: in the rules, {cause}"
            )
        names[k] = key, labels
        return key, labels

    def add(self, response: Response) -> int:
        """Allow the sequences of a response. Return the number of sequences that were not allowed before."""
        return sum(map(self.tries[response.player].allow, response.sequences.tolist()))

    def known(self) -> list[dict[str, Any]]:
        """Return the known information sets and the allowed sequences of each player.

        A known set is described by a path of actions from the root to one of its histories.
        """
        return [
            {"paths": [list(self._path(player, k)) for k in range(len(trie.parent))],
             "allowed": [q for q, allowed in enumerate(trie.allowed) if allowed]}
            for player, trie in enumerate(self.tries)
        ]  # fmt: skip

    def _path(self, player: int, infoset: int) -> tuple[int, ...]:
        """Return the actions on a path from the root to some history of an information set."""
        paths, trie = self._paths[player], self.tries[player]
        if infoset not in paths:
            paths[infoset] = self.positions.path(player, trie.own_history(infoset), trie.view[infoset])
        return paths[infoset]

    def restore(self, known: list[dict[str, Any]]) -> None:
        """Restore the known information sets and the allowed sequences from a value that :meth:`known` returned."""
        positions = self.positions
        for player, (trie, stored) in enumerate(zip(self.tries, known, strict=True)):
            for path in stored["paths"]:
                position, sequence = 0, 0
                for action in path:
                    if positions.mover[position] == player:
                        k = trie.find(sequence, positions.view[position])
                        sequence = trie.first[k] + action
                    position = positions.expand(position)[action]
                if positions.mover[position] != player:
                    raise ValueError("a path stored for a player does not end at an information set of this player")
                count = len(positions.expand(position))
                k = trie.learn(sequence, positions.view[position], count, positions.default[position])
                self._paths[player][k] = tuple(path)
            for sequence in stored["allowed"]:
                trie.allow(sequence)

    # -- results ---------------------------------------------------------------------------------

    def strategy(self, plan: Plan) -> UnbuiltStrategy:
        """Convert an exact plan to a strategy. A set that the plan reaches and decides (see ``Plan``) gets a row."""
        trie = self.tries[plan.player]
        weight = plan.weight.tolist()
        rows: dict[str, tuple[tuple[str, Fraction], ...]] = {}
        for k in np.flatnonzero(plan.decided).tolist():
            whole = weight[trie.parent[k]]
            if not whole:
                continue
            key, labels = self._name(plan.player, k)
            first = trie.first[k]
            rows[key] = tuple((label, Fraction(weight[first + a], whole)) for a, label in enumerate(labels))
        return UnbuiltStrategy(plan.player, self.default[plan.player], rows)


def _stated_bounds(rules: Any) -> tuple[Number, Number] | None:
    """Return the bounds on player 1's payoffs from ``utility_bounds`` of the rules, or None if there are no bounds."""
    stated = getattr(rules, "utility_bounds", None)
    bounds = None if stated is None else stated()
    if bounds is None:
        return None
    exact = exact_numbers(bounds, "utility bound")
    if len(exact) != 2 or exact[0] > exact[1]:
        raise GameError(f"utility_bounds() must return two numbers, the least and greatest payoff, not {bounds!r:.100}")
    return exact[0], exact[1]
