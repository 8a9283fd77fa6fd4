"""Find the maximal bicliques and the connected components of a bipartite graph.

A biclique is a pair of nonempty sets of vertices, one from each side, such that every vertex of one set is joined to
every vertex of the other. It is maximal if no vertex can be added. Each of the two sets determines the other, so the
pair is a *concept* of the graph. Close-by-one finds each concept once: it adds a vertex to a concept and closes it.

References
----------
S. O. Kuznetsov: A fast algorithm for computing all intersections of objects in a finite semi-lattice, Automatic
Documentation and Mathematical Linguistics 27, 1993.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

__all__ = ["components", "maximal_bicliques"]

Members = tuple[int, ...]


def maximal_bicliques(
    neighbours: Sequence[int], width: int, check: Callable[[], None]
) -> list[tuple[Members, Members]]:
    """Return all maximal bicliques.

    Bit j of ``neighbours[i]`` is set if the left vertex i is joined to the right vertex j, of ``width``. Every vertex
    needs a neighbour.

    Examples
    --------
    >>> maximal_bicliques([0b011, 0b111], 3, lambda: None)
    [((0, 1), (0, 1)), ((1,), (0, 1, 2))]
    """
    left_of = [sum(1 << i for i, right in enumerate(neighbours) if right >> j & 1) for j in range(width)]
    everything = (1 << len(neighbours)) - 1, (1 << width) - 1

    def closed(right: int) -> int:
        """Return the left vertices that are joined to all these right vertices."""
        left = everything[0]
        for j in _members(right):
            left &= left_of[j]
        return left

    bicliques = []
    todo = [(closed(everything[1]), everything[1], 0)]
    while todo:
        check()
        left, right, first = todo.pop()
        if left and right:
            bicliques.append((tuple(_members(left)), tuple(_members(right))))
        for i in range(first, len(neighbours)):
            if left >> i & 1:
                continue
            narrower = right & neighbours[i]
            if not narrower:
                continue
            wider = closed(narrower)
            below = (1 << i) - 1
            if wider & below == left & below:  # otherwise an earlier vertex leads to this concept
                todo.append((wider, narrower, i + 1))
    return sorted(bicliques)


def components(edges: Sequence[tuple[int, int]]) -> list[Members]:
    """Return the connected components as positions of their edges (left, right), ordered by the first edge.

    Examples
    --------
    >>> components([(0, 0), (1, 1), (1, 2), (2, 2)])
    [(0,), (1, 2, 3)]
    """
    root: dict[tuple[int, int], tuple[int, int]] = {}

    def top(vertex: tuple[int, int]) -> tuple[int, int]:
        while (above := root.setdefault(vertex, vertex)) != vertex:
            root[vertex] = root[above]
            vertex = root[vertex]
        return vertex

    for i, j in edges:
        root[top((0, i))] = top((1, j))
    groups: dict[tuple[int, int], list[int]] = {}
    for k, (i, _) in enumerate(edges):
        groups.setdefault(top((0, i)), []).append(k)
    return [tuple(group) for group in groups.values()]


def _members(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
