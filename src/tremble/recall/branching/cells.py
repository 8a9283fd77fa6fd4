"""Cells: parts of the behavior strategies of a player that forgets; and the game as the kernels take it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.game.sequences import Sequences
from tremble.recall.bilinear_form import BilinearForm
from tremble.recall.branching.kernels import guarantee, multiply, plan_of

__all__ = [
    "GRID_BITS",
    "Answers",
    "Cell",
    "Floats",
    "Ints",
    "Piece",
    "Replies",
    "leaves_with_vertices",
    "pure_cell",
    "vertices_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Choices = NDArray[np.integer[Any]]

GRID_BITS = 4
"""Edges are split at multiples of 2^-GRID_BITS of their length."""


class Piece(NamedTuple):
    """How a cell came from its parent: vertex ``one`` of a set went towards vertex ``two``."""

    infoset: int
    one: int
    two: int
    kept: float  # part of the vertex that stays


@dataclass(eq=False)
class Cell:
    """A part of the behavior strategies, with what is known of it."""

    parent: Cell | None
    piece: Piece | None
    bound: float
    replies: Ints  # the opponent's, by number
    mixture: Floats  # of them, that proves the bound
    choices: NDArray[np.int16] | None = None  # of the player, to begin with in its parts
    split: Piece | None = None  # where it is, or is to be, split: the first of its parts
    parts: tuple[Cell, Cell] | None = None
    whole: bool = False  # nothing in it can be split: what is left is to look for more replies

    def pieces(self) -> tuple[Piece, Piece]:
        """What its parts are."""
        assert self.split is not None
        i, one, two, kept = self.split
        return self.split, Piece(i, two, one, 1.0 - kept)

    def preorder(self) -> Iterator[Cell]:
        """The cell and all its parts."""
        stack = [self]
        while stack:
            cell = stack.pop()
            yield cell
            stack += (cell.parts or ())[::-1]

    def leaves(self) -> Iterator[Cell]:
        """The cells that are not split, in preorder."""
        return (cell for cell in self.preorder() if cell.parts is None)

    def coarser(self, most: int) -> Cell:
        """The same with so many leaves at most: cells with the greatest bounds are split first, as in a search."""
        root = Cell(self.parent, self.piece, self.bound, self.replies, self.mixture)
        waiting = [(-self.bound, 0, self, root)]
        leaves = count = 1
        while waiting and leaves < most:
            _, _, cell, copy = heappop(waiting)
            if cell.parts is None:
                continue
            one, two = (Cell(p.parent, p.piece, p.bound, p.replies, p.mixture) for p in cell.parts)
            copy.split, copy.parts = cell.split, (one, two)
            leaves += 1
            for part, twin in zip(cell.parts, (one, two), strict=True):
                count += 1
                heappush(waiting, (-part.bound, count, part, twin))
        return root

    def path(self) -> Iterator[Piece]:
        """From the whole to this cell."""
        pieces = []
        cell: Cell | None = self
        while cell is not None and cell.piece is not None:
            pieces.append(cell.piece)
            cell = cell.parent
        return reversed(pieces)


def _side(own: Sequences) -> tuple[Any, ...]:
    offset = np.concatenate(([0], np.cumsum(np.diff(own.slot_start) ** 2)))
    arrays = (own.parent, own.start, own.infoset)
    return (*(np.array(values, dtype=np.int64) for values in arrays), own.forgetful.copy(), offset.astype(np.int64))


def pure_cell(widths: Ints) -> Floats:
    """The cell whose vertices are the actions."""
    return np.concatenate([np.eye(n).ravel() for n in widths.tolist()] or [np.zeros(0)])


def _compiled_game(form: BilinearForm) -> tuple[Any, ...]:
    """A game as the kernels take it."""
    own, other = form.own, form.other
    earned, lost = form.matrix, (-form.matrix).T.tocsr()
    sparse = [
        (m.indptr.astype(np.int64), m.indices.astype(np.int64), m.data.astype(np.float64)) for m in (earned, lost)
    ]
    payoff = form.tree.payoff_float[:, form.player]
    return (
        _side(own),
        _side(other),
        pure_cell(np.diff(other.slot_start)),
        *sparse,
        np.array([payoff.min(), payoff.max()]),
        _spans(form),
    )


def _spans(form: BilinearForm) -> Floats:
    """What the payoffs, chance included, under each refined set of the player range over."""
    own = form.own
    low, high = np.full(own.num_sequences, np.inf), np.full(own.num_sequences, -np.inf)
    np.minimum.at(low, own.row, own.payoff_float)
    np.maximum.at(high, own.row, own.payoff_float)
    span: Floats = np.maximum(own.most_behind(high) + own.most_behind(-low), 0.0)
    return span


def vertices_of(widths: Ints, cell: Cell) -> Floats:
    """The vertices of a cell, laid out as the kernels take them, given how many actions each set of the player has."""
    vertices, offset = pure_cell(widths), np.concatenate(([0], np.cumsum(widths**2)))
    for piece in cell.path():
        _move(vertices, offset, widths, piece)
    return vertices


def leaves_with_vertices(form: BilinearForm, root: Cell) -> Iterator[tuple[Cell, Floats]]:
    """The cells that are not split, in preorder, each with its vertices."""
    widths = np.diff(form.own.slot_start)
    offset = np.concatenate(([0], np.cumsum(widths**2)))
    stack = [(root, vertices_of(widths, root))]
    while stack:
        cell, vertices = stack.pop()
        if cell.parts is None:
            yield cell, vertices
            continue
        for part, place in zip(cell.parts[::-1], (vertices.copy(), vertices), strict=True):
            assert part.piece is not None
            _move(place, offset, widths, part.piece)
            stack.append((part, place))


def _move(vertices: Floats, offset: Ints, widths: Ints, piece: Piece) -> None:
    """Go from a cell to this part of it."""
    i, one, two, kept = piece
    n, at = int(widths[i]), int(offset[i])
    u, v = vertices[at + one * n : at + one * n + n], vertices[at + two * n : at + two * n + n]
    u[:] = kept * u + (1.0 - kept) * v


class Answers:
    """Choices of the opponent at its refined sets by number, and what each leaves each own sequence.

    Parameters
    ----------
    game : tuple
        As the kernels take it: plain arrays, that can be sent to others.
    """

    def __init__(self, game: tuple[Any, ...]) -> None:
        self.game = game
        self.widths: Ints = np.rint(np.sqrt(np.diff(game[0][4]))).astype(np.int64)  # actions at each set of the player
        self.answers: list[NDArray[np.int16]] = []
        self._numbers: dict[bytes, int] = {}
        self._gains = np.zeros((16, int(game[0][1][-1])))

    @property
    def gains(self) -> Floats:
        """What each leaves each own sequence."""
        return self._gains[: len(self.answers)]

    def number(self, answer: Choices, left: Floats | None = None) -> int:
        """The number of an answer, which may be new; what it leaves is computed where it is not known."""
        narrow = answer.astype(np.int16)
        number = self._numbers.setdefault(narrow.tobytes(), len(self.answers))
        if number == len(self.answers):
            self.answers.append(narrow)
            if number == len(self._gains):
                self._gains = np.concatenate((self._gains, np.zeros_like(self._gains)))
            if left is None:
                plan, left = np.empty(int(self.game[1][1][-1])), self._gains[number]
                plan_of(self.game[1], self.game[2], answer.astype(np.int64), plan)
                multiply(*self.game[3], plan, left)
            self._gains[number] = left
        return number


class Replies(Answers):
    """The same of a form, where strategies can be asked what they guarantee."""

    def __init__(self, form: BilinearForm) -> None:
        super().__init__(_compiled_game(form))
        self.form = form

    def guarantee(self, mixed: Floats) -> tuple[float, int]:
        """What a strategy guarantees, and the number of the best reply to it."""
        answer, left = np.empty(len(self.form.other.infoset), dtype=np.int64), np.empty(self.form.own.num_sequences)
        return float(guarantee(self.game, mixed, answer, left)), self.number(answer, left)

    def whole(self, answers: Choices, mixture: Floats) -> Cell:
        """The cell of all strategies, with a mixture of these replies, [M, R'], that bounds it."""
        return Cell(None, None, np.inf, np.array([self.number(answer) for answer in answers]), mixture)
