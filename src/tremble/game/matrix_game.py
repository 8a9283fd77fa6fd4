"""Make game trees from payoff matrices. Player 1 chooses a row; player 2 chooses a column without seeing the row."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import require_lists
from tremble.errors import GameError, PlayersError, TooLargeError
from tremble.game.protocol import TERMINAL
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import IntArray, checked_names, integer_array, is_text
from tremble.game.tree_builder import DEFAULT_MAX_NODES, checked_labels, least_common_denominator
from tremble.integers import is_wide, narrowed
from tremble.numbers import exact_number, require_floats, required_max_nodes

__all__ = ["matrix_game", "one_shot_tree"]


def matrix_game(
    A: Any,
    B: Any = None,
    *others: Any,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str = "matrix game",
    players: tuple[str, str] = ("Player 1", "Player 2"),
    max_nodes: int = DEFAULT_MAX_NODES,
    floats: Literal["decimal"] | None = None,
) -> GameTree:
    """Make the one-shot game with these payoffs: player 1 chooses a row and player 2 a column, at the same time.

    Parameters
    ----------
    A : lists of lists, array or data frame [m, n]
        Payoffs of player 1, exact: ``int``, ``Fraction``, ``Decimal``, integers of NumPy, or text such as ``"-1/18"``
        and ``"0.5"``.
    B : lists of lists, array or data frame [m, n], optional
        Payoffs of player 2; by default, minus the payoffs of player 1 (a zero-sum game). A third matrix raises
        ``PlayersError``.
    rows, columns : sequences of m and of n str, optional
        Labels of the strategies; by default, the labels of the data frames if they have any, else ``"1"``, ``"2"``, ...
    title : str
    players : pair of str
        Names of the players.
    max_nodes : int
        Raise ``TooLargeError`` if the tree, with its 1 + m + m n nodes, is larger than this.
    floats : "decimal", optional
        Read a float as the shortest decimal that prints the same: 0.1 is 1/10. By default, floats are refused.

    Returns
    -------
    GameTree
        Each player has one information set.

    Raises
    ------
    GameError
        A payoff is not exact, for example a float or a bool. A matrix is empty, or its rows have different lengths. The
        two matrices have different shapes or different labels. The given labels do not fit the matrices.
    PlayersError
        More than two matrices or names are given.
    TooLargeError
        The tree would have too many nodes, or the common denominator of the payoffs would fill the memory.

    Examples
    --------
    >>> import tremble
    >>> rock_paper_scissors = tremble.matrix_game([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    >>> tremble.solve(rock_paper_scissors).strategies[0].row(0)
    [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)]
    >>> prisoners = tremble.matrix_game(
    ...     [[3, 0], [5, 1]], [[3, 5], [0, 1]], rows=["silent", "talk"], columns=["silent", "talk"]
    ... )
    >>> prisoners.num_nodes, prisoners.actions[0], prisoners.zero_sum
    (7, (('silent', 'talk'),), False)
    >>> tremble.matrix_game([[0.5, 1]])
    Traceback (most recent call last):
    tremble.errors.GameError: A[0][0]: payoff 0.5 is a float, not an exact number; write '0.5', or give ...
    >>> tremble.matrix_game([[0.5, 1]], floats="decimal").payoff_at(0)
    (Fraction(1, 2), Fraction(-1, 2))
    """
    if others:
        raise PlayersError.of(2 + len(others), "according to the number of matrices, the game")
    require_floats(floats)
    rows, columns = _named(A, B, "rows", "index", rows), _named(A, B, "columns", "columns", columns)
    A, B = _in_rows(A), _in_rows(B)
    m, n = shape = _shape(A, "A")
    if B is not None and (shape_b := _shape(B, "B")) != shape:
        raise GameError(f"A has {m} x {n} payoffs, but B has {shape_b[0]} x {shape_b[1]}: give both the same shape")
    nodes, most = 1 + m + m * n, required_max_nodes(max_nodes)
    if nodes > most:
        raise TooLargeError(
            f"{m:,} x {n:,} cells make a tree of {nodes:,} nodes, more than {most:,}; raise max_nodes= to build it"
        )
    labels = _labels(rows, m, "rows", "of A"), _labels(columns, n, "columns", "of A")
    names = checked_names(players)
    if not is_text(title):
        raise GameError(f"'title' must be text, not {title!r:.80}")
    payoff, denominator = _over_one_denominator(A, B, m, n, floats)
    return one_shot_tree(m, n, payoff, denominator, labels, title, names)


def _named(A: Any, B: Any, name: str, axis: str, given: Sequence[str] | None) -> Sequence[str] | None:
    """Return the given labels of the rows or columns, else the labels of the data frames, else None."""
    if given is not None:
        return given
    found = {}
    for which, matrix in (("A", A), ("B", B)):
        if hasattr(matrix, "index") and hasattr(matrix, "columns"):
            labels = tuple(getattr(matrix, axis))
            if labels and all(map(is_text, labels)):
                found[which] = labels
    if len(found) == 2 and found["A"] != found["B"]:
        one, two = (", ".join(labels) for labels in found.values())
        raise GameError(
            f"the {name} of A are called {one:.100}, but in B {two:.100}: give both the same labels in the same order"
        )
    return next(iter(found.values()), None)


def _in_rows(matrix: Any) -> Any:
    """Return the matrix; convert a data frame to an array of rows, because a data frame is a sequence of columns."""
    return matrix if isinstance(matrix, Sequence) or not hasattr(matrix, "__array__") else np.asarray(matrix)


def _shape(matrix: Any, name: str) -> tuple[int, int]:
    """Return the numbers of rows and columns. Raise ``GameError`` if ``matrix`` is empty or not a matrix."""
    if isinstance(matrix, np.ndarray) and matrix.ndim != 2:
        raise GameError(f"{name} is an array of {matrix.ndim} dimensions; a matrix of payoffs has 2: rows and columns")
    require_lists(matrix, 1, name)
    if not len(matrix):
        raise GameError(f"{name} has no rows: player 1 needs a strategy")
    if not isinstance(matrix, np.ndarray):
        for i in range(len(matrix)):
            require_lists(matrix[i], 1, f"{name}[{i}]")
            if len(matrix[i]) != len(matrix[0]):
                raise GameError(
                    f"{name} is ragged: {name}[{i}] has {len(matrix[i])} payoffs, {name}[0] has {len(matrix[0])}"
                )
    if not len(matrix[0]):
        raise GameError(f"{name} has no columns: player 2 needs a strategy")
    return len(matrix), len(matrix[0])


def _labels(given: Sequence[str] | None, count: int, name: str, where: str) -> tuple[str, ...]:
    if given is None:
        return tuple(str(i + 1) for i in range(count))
    if isinstance(given, str):
        raise GameError(f"'{name}' must be a sequence of labels, not the text {given!r:.80}")
    labels = checked_labels(given, name)
    if len(labels) != count:
        raise GameError(f"'{name}' has {len(labels)} labels for the {count} {name} {where}")
    return labels


def _over_one_denominator(A: Any, B: Any, m: int, n: int, floats: str | None) -> tuple[IntArray, int]:
    """Return the payoffs as integers over their least common denominator, shape [m * n, 2], and the denominator."""
    payoff1 = _exact(A, "A", m, n, floats)
    payoff2 = -payoff1 if B is None else _exact(B, "B", m, n, floats)
    if not is_wide(payoff1, payoff2):
        return np.stack((payoff1, payoff2), axis=1), 1
    pairs = np.stack((payoff1.astype(object), payoff2.astype(object)), axis=1)
    values = pairs.ravel().tolist()
    denominator = least_common_denominator({value.denominator for value in values}, m * n)
    scaled = [value.numerator * (denominator // value.denominator) for value in values]
    return integer_array(scaled).reshape(-1, 2), denominator


def _exact(matrix: Any, name: str, m: int, n: int, floats: str | None) -> NDArray[Any]:
    """Return the payoffs of a matrix, row after row: int64[m * n] if all are short integers, else object[m * n]."""
    if isinstance(matrix, np.ndarray) and np.issubdtype(matrix.dtype, np.integer):
        return narrowed(matrix.ravel().astype(object))
    flat = np.empty(m * n, dtype=object)
    whole = True
    for i in range(m):
        row = matrix[i].tolist() if isinstance(matrix, np.ndarray) and is_wide(matrix) else list(matrix[i])
        if set(map(type, row)) != {int}:
            row = [_payoff(value, f"{name}[{i}][{j}]", floats) for j, value in enumerate(row)]
            whole = whole and set(map(type, row)) == {int}
        flat[i * n : (i + 1) * n] = row
    return narrowed(flat) if whole else flat


def _payoff(value: Any, place: str, floats: str | None) -> int | Fraction:
    try:
        return exact_number(value, "payoff", floats)
    except ValueError as error:
        both = "; give the payoffs of player 2 in a separate matrix, B" if isinstance(value, tuple | list) else ""
        raise GameError(f"{place}: {error}{both}") from None


def one_shot_tree(
    m: int,
    n: int,
    payoff: IntArray,
    denominator: int,
    labels: tuple[tuple[str, ...], tuple[str, ...]],
    title: str,
    players: tuple[str, str],
) -> GameTree:
    """Make a tree of a root, its m children, and n leaves below each child.

    ``payoff`` has the shape [m * n, 2]. For each leaf in order, it contains the payoffs of both players, times
    ``denominator``, which is the least common denominator of all payoffs.
    """
    cells = m * n
    row, cell = np.arange(m, dtype=np.int32), np.arange(cells, dtype=np.int32)
    inner = 1 + m
    tree = GameTree(
        parent=np.concatenate(([GameTree.NO_PARENT], np.zeros(m), 1 + cell // n)).astype(np.int32),
        action=np.concatenate(([-1], row, cell % n)).astype(np.int32),
        player=np.concatenate(([0], np.ones(m), np.full(cells, TERMINAL))).astype(np.int8),
        infoset=np.concatenate((np.zeros(inner), cell)).astype(np.int32),
        first_child=np.concatenate(([1], inner + n * row, np.full(cells, -1))).astype(np.int32),
        num_children=np.concatenate(([m], np.full(m, n), np.zeros(cells))).astype(np.int32),
        preorder=np.concatenate(([0], 1 + (n + 1) * row, 2 + cell + cell // n)).astype(np.int32),
        level=np.array([0, 1, inner, inner + cells], dtype=np.int64),
        leaves=inner + cell,
        payoff=payoff,
        payoff_denominator=denominator,
        chance_tables=(),
        actions=((labels[0],), (labels[1],)),
        infoset_labels=(("",), ("",)),
        title=title,
        players=players,
    )
    for values in vars(tree).values():
        if isinstance(values, np.ndarray):
            values.setflags(write=False)
    return tree
