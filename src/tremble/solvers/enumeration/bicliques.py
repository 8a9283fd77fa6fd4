"""Maximal bicliques and connected components of a bipartite graph.

A maximal biclique is a pair of sets of vertices, one of each side and neither empty, all of one joined with all of the
other, to which no vertex can be added. Its two sides determine each other: it is a *concept* of the graph, and concepts
are found one from the other, each once, by adding a vertex and closing (close-by-one).

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
    """All maximal bicliques.

    ``neighbours[i]`` has a bit for each of ``width`` right vertices that is joined with the left vertex i; every vertex
    is joined with another.

    Examples
    --------
    >>> maximal_bicliques([0b011, 0b111], 3, lambda: None)
    [((0, 1), (0, 1)), ((1,), (0, 1, 2))]
    """
    left_of = [sum(1 << i for i, right in enumerate(neighbours) if right >> j & 1) for j in range(width)]
    everything = (1 << len(neighbours)) - 1, (1 << width) - 1

    def closed(right: int) -> int:
        """The left vertices that are joined with all of these."""
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
            if wider & below == left & below:  # else it was, or will be, found from an earlier vertex
                todo.append((wider, narrower, i + 1))
    return sorted(bicliques)


def components(edges: Sequence[tuple[int, int]]) -> list[Members]:
    """The connected components, as positions of their edges (left, right), by their first ones.

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
