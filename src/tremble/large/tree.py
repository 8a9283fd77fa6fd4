"""The :class:`.oracle.Oracle` for trees. It computes restricted games and best responses by array operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.sequence_form import SequenceForm, Side, chance_reach, segments
from tremble.game.strategy import BehaviorStrategy, RealizationPlan
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import integer_array, pair
from tremble.integers import exact_product, safe_to_add
from tremble.large.oracle import Opened, Oracle, Response
from tremble.large.sequences import KnownSequences, Plan

__all__ = ["TreeOracle"]

_COMPILED_FROM = 20_000  # least number of payoff entries for which compiled code saves more time than loading takes
_TIE = 1e-11  # relative to the largest payoff: actions within this distance of the best count as equally good in floats


class TreeOracle(Oracle):
    """Restricted games and best responses on a tree.

    Parameters
    ----------
    form : SequenceForm
        The sequence form of the tree.
    default : pair of int64[J], optional
        The index of the default action at each information set. If it is not given, the first action is the default.
    check : callable
        A function that is called during long searches, for example to check a time limit. The searches of this class
        are short and do not call it. The searches of :mod:`.published` call it.

    Examples
    --------
    >>> import tremble
    >>> from tremble.strategies import SequenceForm
    >>> kuhn = tremble.load("kuhn")
    >>> game = TreeOracle(kuhn, SequenceForm.of(kuhn)).restricted()
    >>> [sequences.tolist() for sequences in game.sequences]
    [[0], [0]]
    """

    def __init__(
        self,
        tree: GameTree,
        form: SequenceForm,
        default: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
        *,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.tree = tree
        self._check = check
        self.form = form
        reach = chance_reach(tree)
        self._weight = exact_product(reach.numerator, tree.payoff[:, 0])  # [leaves]: integers over _unit
        self._unit = reach.denominator * tree.payoff_denominator
        default = default if default is not None else (np.zeros_like(form.parent[0]), np.zeros_like(form.parent[1]))
        self._players = pair(
            KnownSequences(
                player=own.player,
                parent=own.parent,
                start=own.start,
                infoset=own.infoset,
                default=own.start[:-1] + chosen,
                allowed=np.arange(own.num_sequences) == 0,
            )
            for own, chosen in zip(form.sequences, default, strict=True)
        )
        zero_sum = form.zero_sum()
        self._sides = zero_sum.side(0), zero_sum.side(1)
        self._tie = _TIE * max(1e-300, float(np.abs(self._sides[0].payoff_float).max(initial=0)))
        self._temporary = self._temporary_values(0), self._temporary_values(1)  # [nodes]: integers over _unit

    @property
    def players(self) -> tuple[KnownSequences, KnownSequences]:
        """The sequences of both players."""
        return self._players

    @property
    def total(self) -> Fraction:
        """The constant sum of the payoffs of both players."""
        assert self.tree.constant_sum is not None
        return self.tree.constant_sum

    # -- temporary leaves ------------------------------------------------------------------------

    def _temporary_values(self, player: int) -> NDArray[Any]:
        """Return, for each node, player 1's payoff if the node is a temporary leaf of ``player`` (see :mod:`.oracle`).

        After the node, ``player`` plays its default, and the opponent sees everything and plays a best response. The
        payoff is multiplied by the probability of chance's moves.
        """
        tree, known = self.tree, self.players[player]
        total = np.zeros(tree.num_nodes, dtype=safe_to_add(self._weight).dtype)
        total[tree.leaves] = self._weight
        position = known.default - known.first
        best = np.minimum if player == 0 else np.maximum
        for begin, end in zip(tree.level[-2::-1].tolist(), tree.level[:0:-1].tolist(), strict=True):
            mover = tree.player[begin:end]
            own = begin + np.flatnonzero(mover == player)
            total[own] = total[tree.first_child[own] + position[tree.infoset[own]]]
            for nodes, combine in (
                (begin + np.flatnonzero(mover == 1 - player), best),
                (begin + np.flatnonzero(mover == CHANCE), np.add),
            ):
                if len(nodes):
                    count = tree.num_children[nodes].astype(np.int64)
                    children = segments(tree.first_child[nodes].astype(np.int64), count)
                    total[nodes] = combine.reduceat(total[children], np.cumsum(count) - count)
        return total

    # -- the restricted game ---------------------------------------------------------------------

    def _opened(self, nodes: NDArray[np.int64]) -> Opened:
        tree, count = self.tree, self.tree.num_children[nodes].astype(np.int64)
        children = segments(tree.first_child[nodes].astype(np.int64), count)
        return Opened(tree.player[nodes], tree.infoset[nodes], count, children, None, 1)

    def _infosets(self, player: int, sequence: NDArray[np.int64], view: NDArray[Any]) -> NDArray[np.int64]:
        return view.astype(np.int64)

    def _payoffs(self, nodes: NDArray[np.int64], mover: NDArray[Any]) -> tuple[NDArray[Any], int]:
        ended = mover == TERMINAL
        if ended.all():
            return self._weight[self.tree.infoset[nodes]], self._unit
        weight = np.empty(len(nodes), dtype=np.result_type(self._weight, *self._temporary))
        weight[ended] = self._weight[self.tree.infoset[nodes[ended]]]
        for player, values in enumerate(self._temporary):
            weight[mover == player] = values[nodes[mover == player]]
        return weight, self._unit

    # -- best responses --------------------------------------------------------------------------

    def respond(self, player: int, plan: Plan) -> Response:
        """Return a best response of a player to the opponent's plan, computed in floats."""
        known, opponent = self.players[player], self.players[1 - player]
        weight = opponent.extended(plan)
        side = self._sides[player]
        if len(side.payoff) < _COMPILED_FROM:
            return self._backward(known, side.gains(weight), self._met(side, weight), self._tie)
        from tremble.large import kernels

        value, played = kernels.respond(
            side.parent, side.start, side.first, side.opponent, side.payoff_float, weight, known.allowed, self._tie
        )
        return Response(player, value, np.flatnonzero(played))

    def respond_exactly(self, player: int, plan: Plan) -> Response:
        """Return a best response of a player to the opponent's plan, computed in exact arithmetic."""
        known, opponent = self.players[player], self.players[1 - player]
        weight = opponent.extended(plan)
        side = self._sides[player]
        response = self._backward(known, side.gains(weight).astype(object), self._met(side, weight), 0)
        assert plan.denominator is not None
        return replace(response, value=Fraction(int(response.value), plan.denominator * side.denominator))

    @staticmethod
    def _met(side: Side, weight: NDArray[Any]) -> NDArray[np.bool_]:
        """Mark each sequence of the player with which play can end if the opponent plays the plan ``weight``."""
        return side.sums(np.asarray(weight[side.opponent] != 0, dtype=np.int64)) > 0

    @staticmethod
    def _backward(known: KnownSequences, gain: NDArray[Any], met: NDArray[np.bool_], tie: float) -> Response:
        """Compute a best response by backward induction over the responder's information sets.

        Among equally good actions, the function chooses the one that adds the fewest sequences to the restricted game.
        """
        choice = np.zeros(known.num_infosets, dtype=np.int64)
        met_set = np.zeros(known.num_infosets, dtype=np.bool_)
        met = met.copy()
        new = (~known.allowed).astype(np.int64)  # number of sequences that each one adds to the restricted game
        for level in reversed(known.levels):
            options = gain[level.sequences]
            best = np.maximum.reduceat(options, level.offset)
            count = level.width
            good = options >= np.repeat(best - tie, count) if tie else options == np.repeat(best, count)
            cost = np.where(good, new[level.sequences], known.num_sequences + 1)
            least = np.minimum.reduceat(cost, level.offset)
            position = np.flatnonzero(cost == np.repeat(least, count))
            owner = np.repeat(np.arange(len(count)), count)[position]
            _, firsts = np.unique(owner, return_index=True)
            choice[level.sets] = level.sequences[position[firsts]]
            np.add.at(gain, known.parent[level.sets], gain[choice[level.sets]])
            here = np.logical_or.reduceat(met[level.sequences], level.offset)
            met_set[level.sets] = here
            np.logical_or.at(met, known.parent[level.sets], here)
            np.add.at(new, known.parent[level.sets], np.where(here, least, 0))
        sequences = TreeOracle._reached(known, choice, met_set)
        return Response(known.player, gain[0], sequences)

    @staticmethod
    def _reached(known: KnownSequences, choice: NDArray[np.int64], met: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the sequences that the pure strategy ``choice`` plays; skip sets where ``met`` is False."""
        played = np.zeros(known.num_sequences, dtype=np.bool_)
        played[0] = True
        for level in known.levels:
            sets = level.sets[played[known.parent[level.sets]] & met[level.sets]]
            played[choice[sets]] = True
        played[0] = False
        return np.flatnonzero(played)

    def add(self, response: Response) -> int:
        """Add the sequences of a response to the restricted game, and return how many of them were new."""
        known = self.players[response.player]
        new = int(np.count_nonzero(~known.allowed[response.sequences]))
        known.allowed[response.sequences] = True
        return new

    def known(self) -> list[list[int]]:
        """Return, for each player, the sequences in the restricted game."""
        return [np.flatnonzero(known.allowed).tolist() for known in self.players]

    def restore(self, known: list[list[int]]) -> None:
        """Add the sequences in ``known``, an earlier result of :meth:`known`, to the restricted game."""
        for mine, allowed in zip(self.players, known, strict=True):
            mine.allowed[np.array(allowed, dtype=np.int64)] = True

    # -- results ---------------------------------------------------------------------------------

    def strategy(self, plan: Plan) -> BehaviorStrategy:
        """Convert an exact plan to a strategy of the whole tree."""
        weight = self.players[plan.player].extended(plan)
        return RealizationPlan(plan.player, integer_array(weight.tolist()), plan.denominator).to_behavior(self.tree)
