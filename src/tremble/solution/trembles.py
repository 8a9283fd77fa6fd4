r"""Trembles: the relative probabilities of playing each action by mistake.

If play reaches an information set, the player plays action a by mistake with a probability of about
:math:`w_a \varepsilon^{k_a}`. Refinements are limits for :math:`\varepsilon \to 0`. The *weight* :math:`w_a > 0` and
the *order* :math:`k_a`, a positive integer, are 1 by default. If all orders are 1, only the ratios of the weights
matter. In general, the weights :math:`w_a c^{k_a}` define the same trembles for every :math:`c > 0`. The definitions in
the literature fix no weights: any vanishing mistakes may be chosen. Sometimes only one player makes mistakes.

A file of weights lists, for both players, the information sets where some weight or order is not 1. The order of an
action stands after the weight. ``"none"`` replaces the list of a player who makes no mistakes::

    {"schema": "tremble/trembles@1",
     "trembles": [[{"infoset": 1, "actions": [["fold", "1/10"], ["call", "2", 3]]}], "none"]}
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import FormatError, GameError, TooLargeError
from tremble.game.requirements import require_tree
from tremble.game.tree import GameTree, require_player
from tremble.game.tree_arrays import IntArray, pair
from tremble.numbers import format_fraction
from tremble.solution.certificates import NO_MISTAKES
from tremble.solution.tremble_rows import rows_of_file, weights_and_orders
from tremble.value import Value, shorten

__all__ = ["Trembles"]

_MAX_SHOWN, _MAX_LENGTH = 20, 80  # the largest numbers of actions and of characters in a message


@dataclass(frozen=True, eq=False, repr=False)
class Trembles(Value):
    """A weight and an order for every action of each player who makes mistakes.

    Attributes
    ----------
    weight : pair of int64[slots] or object[slots]
        One integer per (information set, action) of each player. If all orders are 1, the weights have no common
        divisor. For a player who makes no mistakes, all weights are 0.
    order : pair of int64[slots]
        The power of the infinitesimal in the probability of each mistake.
    start : pair of int64[J + 1]
        A slot is an action of a set. The slots of set k are ``start[k]:start[k + 1]``.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load("safe_or_risky")
    >>> Trembles.from_rows(game, ([[1, Fraction(1, 2)], [1, 3]], [])).rows()
    [[['2', '1'], ['2', '6']], []]
    >>> print(Trembles.uniform(game).rows())
    None
    >>> rare = Trembles.from_rows(game, ([[1, 1], [1, 1]], []), orders=([[1, 1], [1, 2]], []))
    >>> rare.rows(), rare.orders()
    (None, [[[1, 1], [1, 2]], []])
    >>> rare
    <Trembles: player 1 weights 1ε^1:1ε^1, 1ε^1:1ε^2; player 2 never moves>
    """

    weight: tuple[IntArray, IntArray]
    order: tuple[NDArray[np.int64], NDArray[np.int64]]
    start: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def uniform(cls, tree: GameTree) -> Trembles:
        """Return trembles whose weights and orders are all 1."""
        require_tree(tree)
        return cls(pair(map(_ones, tree.num_slots)), pair(map(_ones, tree.num_slots)), tree.slot_start)

    @classmethod
    def from_rows(
        cls,
        tree: GameTree,
        rows: Sequence[Sequence[Sequence[Fraction | int]] | str],
        *,
        orders: Sequence[Sequence[Sequence[int]] | str] | None = None,
    ) -> Trembles:
        """Make trembles from weights in ``rows`` and orders in ``orders``. Orders are 1 by default.

        Both are indexed by player, information set and action. For a player without mistakes, both contain ``"none"``.

        Raises
        ------
        GameError
            A row is missing or too long, a weight is not exact or not positive, an order is not an integer from 1 to
            1,000, or neither player makes mistakes.
        TooLargeError
            The weights need too much memory as integers over a common denominator.
        """
        require_tree(tree)
        weights, powers = weights_and_orders(tree, rows, orders)
        return cls(weights, powers, tree.slot_start)

    @classmethod
    def read(cls, path: str | os.PathLike[str], tree: GameTree) -> Trembles:
        """Read a file of weights. Information sets that the file does not list have weights and orders of 1.

        Raises
        ------
        FormatError
            The file is not a file of weights, or does not fit the game.
        """
        require_tree(tree)
        try:
            weights, orders = rows_of_file(path, tree)
            return cls.from_rows(tree, weights, orders=orders)
        except TooLargeError:
            raise
        except GameError as error:
            raise FormatError(str(error), file=os.fspath(path)) from None

    def require_of(self, tree: GameTree) -> None:
        """Raise ``GameError`` unless the trembles have one weight for each action of this tree."""
        require_tree(tree)
        for player, (own, start) in enumerate(zip(self.start, tree.slot_start, strict=True)):
            if not np.array_equal(own, start):
                raise GameError(
                    f"the weights of player {player + 1} belong to another game: {len(own) - 1} information sets with "
                    f"{int(own[-1])} actions, not {len(start) - 1} with {int(start[-1])}"
                    + ("; some set has another number of actions" if len(own) == len(start) else "")
                )

    @property
    def is_uniform(self) -> bool:
        """True if all weights are equal and all orders are 1."""
        return not self.ordered and self._equal

    @property
    def ordered(self) -> bool:
        """True if the tremble of some action has an order other than 1."""
        return not all(bool((side == 1).all()) for side in self.order)

    @property
    def top(self) -> int:
        """The greatest order of any action of either player."""
        return max(int(side.max(initial=1)) for side in self.order)

    @property
    def faultless(self) -> int | None:
        """The player who makes no mistakes, 0 or 1; None if both players make mistakes."""
        return next((player for player, side in enumerate(self.weight) if not side.all()), None)

    @property
    def of_both(self) -> Trembles:
        """A copy in which both players make mistakes: a player without mistakes gets weights of 1."""
        return replace(self, weight=pair(side if side.all() else _ones(len(side)) for side in self.weight))

    def rows(self) -> list[list[list[str]] | str] | None:
        """Return the weights as text, indexed by player, information set and action; None if all weights are 1.

        ``"none"`` replaces the weights of a player who makes no mistakes.
        """
        return None if self._equal else self._by_set(self.weight, format_fraction)

    @property
    def first_order(self) -> bool:
        """True if both players make mistakes and all orders are 1."""
        return self.faultless is None and not self.ordered

    def orders(self) -> list[list[list[int]] | str] | None:
        """Return the orders, indexed by player, information set and action; None if all orders are 1."""
        return self._by_set(self.order, int) if self.ordered else None

    def told(self, player: int) -> str:
        """Describe the trembles of a player, 0 or 1, for example ``weights 2:1, 2:6`` for two information sets."""
        require_player(player)
        weight, order, start = self.weight[player], self.order[player], self.start[player]
        if not len(weight) or player == self.faultless:
            return "makes no mistakes" if len(weight) else "never moves"
        if not self.ordered and (weight == weight[0]).all():
            return f"weights all {shorten(int(weight[0]))}"
        pairs = zip(weight[:_MAX_SHOWN].tolist(), order[:_MAX_SHOWN].tolist(), strict=True)
        words = [shorten(w) + (f"ε^{k}" if self.ordered else "") for w, k in pairs]
        sets = (
            ":".join(words[first:end]) for first, end in pairwise(start[:_MAX_SHOWN].tolist()) if first < len(words)
        )
        text = f"weights {', '.join(sets)}"
        return text if len(text) <= _MAX_LENGTH and len(weight) <= _MAX_SHOWN else f"{text[:_MAX_LENGTH]} …"

    def __repr__(self) -> str:
        try:
            sides = (f"player {player + 1} {self.told(player)}" for player in (0, 1))
            return f"<Trembles: {'; '.join(sides)}>"
        except (AttributeError, LookupError, TypeError, ValueError):
            return "<Trembles, malformed>"

    @property
    def _equal(self) -> bool:
        return all(bool((side == 1).all()) for side in self.weight)

    def _by_set(self, values: tuple[IntArray, IntArray], kind: Callable[[Any], Any]) -> list[Any]:
        return [
            NO_MISTAKES
            if player == self.faultless
            else [list(map(kind, side[first:end].tolist())) for first, end in pairwise(start.tolist())]
            for player, (side, start) in enumerate(zip(values, self.start, strict=True))
        ]


def _ones(size: int) -> NDArray[np.int64]:
    return np.ones(size, dtype=np.int64)
