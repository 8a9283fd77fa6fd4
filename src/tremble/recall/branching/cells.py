"""Cells of behavior strategies of a player without perfect recall, and pure replies of the opponent.

A *cell* stores a simplex of mixed actions for each information set, as a list of vertices. The cell contains all
behavior strategies whose mixed actions are in these simplices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.game.sequence_form import Sequences
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
"""An edge between two vertices is split at a multiple of 2^-GRID_BITS of its length."""


class Piece(NamedTuple):
    """The difference between a cell and its parent: at one set, vertex ``one`` was moved towards vertex ``two``."""

    infoset: int
    one: int
    two: int
    kept: float  # the new vertex is kept * one + (1 - kept) * two


@dataclass(eq=False)
class Cell:
    """A set of behavior strategies, with an upper bound on the payoffs that they can guarantee."""

    parent: Cell | None
    piece: Piece | None
    bound: float
    replies: Ints  # numbers of the opponent's replies
    mixture: Floats  # probabilities of the replies; the mixture proves the bound
    choices: NDArray[np.int16] | None = None  # the player's choices with which the examination of the two parts starts
    split: Piece | None = None  # the piece of the first part; it is set before the cell is split
    parts: tuple[Cell, Cell] | None = None
    whole: bool = False  # True if no edge can be split; only further replies can then lower the bound

    def pieces(self) -> tuple[Piece, Piece]:
        """Return a piece for each of the two parts of this cell. A piece describes how a part differs from the cell."""
        assert self.split is not None
        i, one, two, kept = self.split
        return self.split, Piece(i, two, one, 1.0 - kept)

    def preorder(self) -> Iterator[Cell]:
        """Yield the cell and all cells below it, in preorder."""
        stack = [self]
        while stack:
            cell = stack.pop()
            yield cell
            stack += (cell.parts or ())[::-1]

    def leaves(self) -> Iterator[Cell]:
        """Yield, in preorder, the unsplit cells in the tree below this cell."""
        return (cell for cell in self.preorder() if cell.parts is None)

    def coarser(self, most: int) -> Cell:
        """Return a copy of the tree of cells below this cell, with at most ``most`` leaves.

        The copy repeats the splits of the cells with the largest bounds, because a search splits these cells first.
        """
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
        """Return the ``piece`` of each cell on the path from the root (which has none) to this cell."""
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
    """Return the vertices of the cell that contains all strategies. ``widths`` counts the actions at each set.

    Each vertex plays one action.
    """
    return np.concatenate([np.eye(n).ravel() for n in widths.tolist()] or [np.zeros(0)])


def _compiled_game(form: BilinearForm) -> tuple[Any, ...]:
    """Convert a game to the arrays that :mod:`.kernels` uses."""
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
    """Return, for each refined set, the greatest minus the least chance-weighted payoff at leaves after the set."""
    own = form.own
    low, high = np.full(own.num_sequences, np.inf), np.full(own.num_sequences, -np.inf)
    np.minimum.at(low, own.row, own.payoff_float)
    np.maximum.at(high, own.row, own.payoff_float)
    span: Floats = np.maximum(own.most_behind(high) + own.most_behind(-low), 0.0)
    return span


def vertices_of(widths: Ints, cell: Cell) -> Floats:
    """Return the vertices of a cell as an array for :mod:`.kernels`, given the number of actions at each set."""
    vertices, offset = pure_cell(widths), np.concatenate(([0], np.cumsum(widths**2)))
    for piece in cell.path():
        _move(vertices, offset, widths, piece)
    return vertices


def leaves_with_vertices(form: BilinearForm, root: Cell) -> Iterator[tuple[Cell, Floats]]:
    """Yield the undivided cells, each with its vertices, in preorder."""
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
    """Replace a cell by one of its parts: in ``vertices``, move vertex ``piece.one`` toward vertex ``piece.two``."""
    i, one, two, kept = piece
    n, at = int(widths[i]), int(offset[i])
    u, v = vertices[at + one * n : at + one * n + n], vertices[at + two * n : at + two * n + n]
    u[:] = kept * u + (1.0 - kept) * v


class Answers:
    """The numbered pure replies of the opponent, and the *gains* of the player's sequences against each reply.

    The gain of a sequence is the player's payoff at the leaves that follow it without another move of the player.

    Parameters
    ----------
    game : tuple
        The arrays of :mod:`.kernels`. They can be sent to other processes.
    """

    def __init__(self, game: tuple[Any, ...]) -> None:
        self.game = game
        self.widths: Ints = np.rint(np.sqrt(np.diff(game[0][4]))).astype(np.int64)  # actions at each own set
        self.answers: list[NDArray[np.int16]] = []
        self._numbers: dict[bytes, int] = {}
        self._gains = np.zeros((16, int(game[0][1][-1])))

    @property
    def gains(self) -> Floats:
        """The gains against all replies, with a row for each reply and a column for each own sequence."""
        return self._gains[: len(self.answers)]

    def number(self, answer: Choices, left: Floats | None = None) -> int:
        """Return the index of a reply. Add the reply if it is new.

        ``left`` contains the gains of the player's sequences against the reply. Without ``left``, compute the gains.
        """
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
    """The opponent's replies in a game in bilinear form. This class also computes the guarantees of strategies."""

    def __init__(self, form: BilinearForm) -> None:
        super().__init__(_compiled_game(form))
        self.form = form

    def guarantee(self, mixed: Floats) -> tuple[float, int]:
        """Return the payoff that a strategy guarantees, and the index of the opponent's best reply."""
        answer, left = np.empty(len(self.form.other.infoset), dtype=np.int64), np.empty(self.form.own.num_sequences)
        return float(guarantee(self.game, mixed, answer, left)), self.number(answer, left)

    def whole(self, answers: Choices, mixture: Floats) -> Cell:
        """Return the cell of all strategies. The cell's replies are ``answers``, and their weights are ``mixture``."""
        return Cell(None, None, np.inf, np.array([self.number(answer) for answer in answers]), mixture)
