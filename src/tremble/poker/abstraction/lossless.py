r"""Lossless abstraction of ordered games: color refinement of the deals.

A *node* consists of the signals that one player has seen up to a round. These are the public signals and the player's
own signals. At first, all nodes of a player in a round have the same color. Then the algorithm repeatedly replaces the
color c(v) of each node v by a finer color c'(v), until no color is split:

.. math::

   c'(v) = \bigl(c(v),\; c(\text{parent of } v),\; \{\!\{ (c(o), \ell(v, o)) : o \}\!\},\;
   \{\!\{ c(w) : w \text{ child of } v \}\!\}\bigr)

Here o iterates over the opponent's nodes that can be dealt together with v. The label :math:`\ell(v, o)` combines the
weight of this deal with all payoffs of the leaves where the game ends in this round. The last multiset contains the
colors of nodes of the next round.

**Why the abstraction is lossless.** The resulting classes of equal colors are *equitable*: let v and w be nodes of one
class. For each label and each class C of the opponent, the deals with this label and a node in C have the same total
weight for v and for w. Let both players' plans depend only on classes. Then a sequence of moves has the same payoff at
all nodes of a class, so these nodes have the same best responses. For every plan on classes, the opponent has a best
response that is a plan on classes. So an equilibrium of the filtered game is an equilibrium of the original game. (The
partition of sequences and information sets is an equitable partition of the linear program, [2]_.) The paper [1]_
merges only siblings. Color refinement may merge more nodes than the paper, but does not merge any ranks of Leduc poker.

During the refinement, a sum of random 64-bit numbers represents each multiset. At the end, an exact check compares the
multisets themselves and proves that the partition is equitable. If the check fails because two different multisets had
equal sums, the refinement continues with other random numbers.

References
----------
.. [1] A. Gilpin, T. Sandholm: Finding equilibria in large sequential games of imperfect information, EC 2006, section
   3.
.. [2] M. Grohe, K. Kersting, M. Mladenov, E. Selman: Dimension reduction via colour refinement, ESA 2014.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tremble.poker.abstraction.frequencies import child_rows
from tremble.poker.deals import Deals, RoundDeals
from tremble.poker.filter import NEVER, Filter
from tremble.poker.game import OrderedGame

__all__ = ["is_equitable", "lossless_filter"]

IntArray = NDArray[np.int64]
HashArray = NDArray[np.uint64]

_CHUNK = 2**19  # the number of pairs of hands that are processed together
_ROWS = 2**12  # the number of nodes that are processed together


_KEPT: WeakKeyDictionary[OrderedGame, Filter] = WeakKeyDictionary()


def lossless_filter(game: OrderedGame) -> Filter:
    """Return the filter with the coarsest *equitable* classes (see the module). Cache it for the game's lifetime.

    Examples
    --------
    >>> from tremble.poker.games.rhode_island import RhodeIsland
    >>> lossless_filter(RhodeIsland(ranks=5)).num_classes(0)
    (5, 45, 385)
    """
    if game not in _KEPT:
        _KEPT[game] = _lossless_filter(game)
    return _KEPT[game]


def _lossless_filter(game: OrderedGame) -> Filter:
    deals = Deals.of(game)
    rounds = [_Round.of(deal) for deal in deals.rounds]
    symmetric = all(round_.symmetric for round_ in rounds)
    color: list[list[IntArray]] = [[np.where(round_.dealt[player], 0, NEVER) for round_ in rounds] for player in (0, 1)]
    attempt = 0
    while True:
        _refine(rounds, color, symmetric, np.random.default_rng(attempt))
        if _is_equitable(rounds, color, symmetric):
            break
        attempt += 1  # two different multisets had equal sums (never observed), so draw other random numbers
    return Filter.of_classes(game, (tuple(color[0]), tuple(color[1])))


def is_equitable(game: OrderedGame, filter_: Filter) -> bool:
    """Check exactly that the classes of a filter are equitable. If the result is True, the abstraction is lossless."""
    rounds = [_Round.of(deal) for deal in Deals.of(game).rounds]
    return _is_equitable(rounds, [list(filter_.class_of[0]), list(filter_.class_of[1])], symmetric=False)


@dataclass(frozen=True, eq=False)
class _Round:
    """A round, with the data that the refinement reads. It has B public states with N hands each."""

    deals: RoundDeals
    # [B, N, N] a number for the outcome and weight of each pair of hands, or `num_labels` if the pair cannot be dealt
    label: NDArray[np.uint8] | NDArray[np.int64]
    num_labels: int  # the number of labels of pairs that can be dealt
    dealt: tuple[NDArray[np.bool_], NDArray[np.bool_]]  # player -> [nodes] True if the player can be dealt the node
    symmetric: bool  # True if the refinement splits both players' nodes in the same way

    @classmethod
    def of(cls, deals: RoundDeals) -> _Round:
        shape = (deals.num_states, deals.num_hands, deals.num_hands)
        dealt = deals.dealt(0), deals.dealt(1)
        if deals.mass is None:
            label = np.empty(shape, dtype=np.uint8 if deals.payoffs.num_outcomes < 2**8 else np.int64)
            for some in _chunks(deals):
                label[some] = np.where(deals.masses(some) != 0, deals.outcomes(some), deals.payoffs.num_outcomes)
            return cls(deals, label, deals.payoffs.num_outcomes, dealt, _roles_alike(deals))
        met = deals.mass != 0
        weight = np.unique(deals.mass[met], return_inverse=True)[1]
        code = weight * deals.payoffs.num_outcomes + deals.outcomes(slice(None))[met]
        kinds, code = np.unique(code, return_inverse=True)
        wide = np.full(shape, len(kinds))
        wide[met] = code
        return cls(deals, wide, len(kinds), dealt, symmetric=False)


def _roles_alike(deals: RoundDeals) -> bool:
    """Return True if the payoffs of a round ensure that both players' nodes are split into the same classes.

    The result is True if the payoffs depend only on the order of the hands, and one of these conditions holds:

    * A win, a tie and a loss of player 1 have the same outcome number.
    * The outcome number of a tie differs from the outcome numbers of a win and of a loss.
    """
    outcome = deals.payoffs.outcome.tolist()
    return deals.payoffs.values is None and (len(set(outcome)) != 2 or outcome[0] == outcome[-1])


def _chunks(deals: RoundDeals) -> list[slice]:
    """Split the public states into slices; the program processes the states of a slice together."""
    step = max(1, _CHUNK // deals.num_hands**2)
    return [slice(first, first + step) for first in range(0, deals.num_states, step)]


def _refine(rounds: list[_Round], color: list[list[IntArray]], symmetric: bool, rng: np.random.Generator) -> None:
    """Refine ``color``, the classes of nodes, in place, until a pass over all rounds splits no class."""
    counts = [[0] * len(rounds), [0] * len(rounds)]
    while True:
        before = [list(count) for count in counts]
        for player in (0,) if symmetric else (0, 1):
            for number in reversed(range(len(rounds))):
                own = color[player][number]
                signature = _signature(rounds, color, player, number, rng)
                dealt = slice(None) if own.min() != NEVER else own != NEVER
                values, inverse = np.unique(signature[dealt], return_inverse=True)
                color[player][number] = np.full(len(own), NEVER, dtype=np.int64)
                color[player][number][dealt] = inverse
                counts[player][number] = len(values)
        if symmetric:
            color[1] = list(color[0])
        if before == counts:
            break
    for player in (0,) if symmetric else (0, 1):
        color[player] = [_renumbered(classes) for classes in color[player]]
    if symmetric:
        color[1] = list(color[0])


def _renumbered(color: IntArray) -> IntArray:
    """Renumber colors from 0 without gaps, in the order of their first nodes."""
    dealt = color != NEVER
    _, first, inverse = np.unique(color[dealt], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    renumbered = np.full(len(color), NEVER, dtype=np.int64)
    renumbered[dealt] = rank[inverse.reshape(-1)]
    return renumbered


def _signature(
    rounds: list[_Round], color: list[list[IntArray]], player: int, number: int, rng: np.random.Generator
) -> HashArray:
    """Return a random hash of each node's new color, as an array [nodes]. Equal numbers stand for the same color."""
    round_, own = rounds[number], color[player][number]
    signature = _opponents(round_, color[1 - player][number], player, rng)
    signature += _drawn(int(own.max()) + 2, rng)[own]
    if number:
        above = color[player][number - 1]
        signature += _drawn(int(above.max()) + 2, rng)[above][round_.deals.earlier]
    if number + 1 < len(rounds):
        children = child_rows(rounds[number + 1].deals, color[player][number + 1])
        signature += _drawn(int(children.max()) + 2, rng)[children].sum(axis=1, dtype=np.uint64)
    return signature


def _drawn(count: int, rng: np.random.Generator) -> HashArray:
    """Return ``count`` random numbers, but replace the last by 0. The color -1 (never dealt) selects the last entry."""
    drawn = rng.integers(0, 2**64, count, dtype=np.uint64)
    drawn[-1] = 0
    return drawn


def _opponents(round_: _Round, other: IntArray, player: int, rng: np.random.Generator) -> HashArray:
    """Return a hash for each node: a sum of random numbers, one for each (color, label) pair of an opponent's hand."""
    deals = round_.deals
    labels = round_.num_labels + 1
    drawn = rng.integers(0, 2**64, (int(other.max()) + 2, labels), dtype=np.uint64)
    drawn[:, -1] = 0
    shape = (deals.num_states, deals.num_hands)
    there = other.reshape(shape)
    sums = np.empty(shape, dtype=np.uint64)
    flat = drawn.ravel()
    for some in _chunks(deals):
        label = round_.label[some] if player == 0 else round_.label[some].transpose(0, 2, 1)
        sums[some] = flat[there[some][:, None, :] * labels + label].sum(axis=2, dtype=np.uint64)
    return sums.ravel()


def _is_equitable(rounds: list[_Round], color: list[list[IntArray]], symmetric: bool) -> bool:
    """Check exactly that nodes of one color have equal multisets of opponent nodes' colors and child nodes' colors."""
    for player in (0,) if symmetric else (0, 1):
        for number, round_ in enumerate(rounds):
            own = color[player][number]
            if number and not _constant(own, color[player][number - 1][round_.deals.earlier][:, None]):
                return False
            deals, other = round_.deals, color[1 - player][number].reshape(round_.deals.num_states, -1)
            never = (int(other.max()) + 1) * round_.num_labels
            rows = np.empty((deals.num_states, deals.num_hands, deals.num_hands), dtype=np.min_scalar_type(never))
            for some in _chunks(deals):
                label = round_.label[some] if player == 0 else round_.label[some].transpose(0, 2, 1)
                code = other[some][:, None, :] * round_.num_labels + label
                rows[some] = np.where(label == round_.num_labels, never, code)
                rows[some].sort(axis=2)
            if not _constant(own, rows.reshape(deals.num_nodes, -1)):
                return False
            if number + 1 < len(rounds):
                children = child_rows(rounds[number + 1].deals, color[player][number + 1])
                if not _constant(own, np.sort(children, axis=1)):
                    return False
    return True


def _constant(color: IntArray, rows: NDArray[Any]) -> bool:
    """Return True if rows with the same color are equal. Rows with the color ``NEVER`` are ignored."""
    if color.min() == NEVER:
        color, rows = color[color != NEVER], rows[color != NEVER]
    _, first, inverse = np.unique(color, return_index=True, return_inverse=True)
    return all(
        bool((rows[some] == rows[first[inverse[some]]]).all())
        for some in (slice(start, start + _ROWS) for start in range(0, len(rows), _ROWS))
    )
