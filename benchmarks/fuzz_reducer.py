"""Reduce a game that shows a fault to a small game that still shows it.

The reducer is greedy. It tries changes, the largest first, and keeps each change after which the game is smaller and
still shows the fault. It ends when no change is left (a local minimum), or at a time limit. :func:`size` defines what
is smaller. Each change leads to a well-formed game, but may change who remembers what and the sum of the payoffs. The
caller decides if such a game still shows the fault.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from benchmarks.fuzz_games import Chance, Decision, FuzzGame, Leaf, Node, Place, constant_of, members

__all__ = ["Reduced", "changes", "reduced", "size"]


@dataclass(frozen=True)
class Reduced:
    """A reduced game, the number of games that were tried, and True if no further change makes the game smaller."""

    game: FuzzGame
    tried: int
    minimal: bool


def size(game: FuzzGame) -> tuple[int, int, int, int]:
    """Return nodes, chance nodes and actions that chance never takes, information sets, and the length of numbers."""
    chance = [node for node in game.values() if isinstance(node, Chance)]
    numbers = [u for node in game.values() if isinstance(node, Leaf) for u in node.payoffs]
    numbers += [w for node in chance for w in node.weights]
    impossible = sum(w == 0 for node in chance for w in node.weights)
    return len(game), len(chance) + impossible, len(members(game)), sum(map(_length, numbers))


def _length(number: Fraction) -> int:
    return 0 if number == 0 else len(str(number)) + (number != 1)


def reduced(game: FuzzGame, shows: Callable[[FuzzGame], bool], *, seconds: float = 60.0) -> Reduced:
    """Reduce a game for which ``shows`` returns True. ``shows`` is never called twice with the same game."""
    end, seen = time.monotonic() + seconds, {_key(game)}
    smaller = True
    while smaller:
        smaller = False
        for other in changes(game):
            key = _key(other)
            if key in seen or size(other) >= size(game):
                continue
            if time.monotonic() > end:
                return Reduced(game, len(seen) - 1, False)
            seen.add(key)
            if shows(other):
                game, smaller = other, True
                break
    return Reduced(game, len(seen) - 1, True)


def _key(game: FuzzGame) -> tuple[tuple[Place, Node], ...]:
    return tuple(sorted(game.items(), key=lambda item: item[0]))


def changes(game: FuzzGame) -> Iterator[FuzzGame]:
    """Yield games that differ from a game by one change, those with the fewest nodes first in each group."""
    inner = [place for place, node in game.items() if not isinstance(node, Leaf)]
    for place in inner:  # shallow nodes have large subtrees
        node = game[place]
        for k in range(_width(node)):
            yield _replaced(game, place, _below(game, (*place, k)))
    for place in inner:
        ends = [node for path, node in game.items() if path[: len(place)] == place and isinstance(node, Leaf)]
        for leaf in dict.fromkeys((ends[0], ends[-1], Leaf((Fraction(0), constant_of(game) or Fraction(0))))):
            yield _replaced(game, place, {(): leaf})
    sets = members(game)
    for places in sets.values():
        width = _width(game[places[0]])
        if width > 1:
            for k in range(width):
                yield _without(game, places, k)
    for place, node in game.items():
        if isinstance(node, Chance):
            if len(node.weights) > 1:
                for k in range(len(node.weights)):
                    yield _without(game, [place], k)
            yield from _joined_chance(game, place)
        elif isinstance(node, Decision) and len(sets[node.player, node.infoset]) > 1:
            alone = {**game, place: Decision(node.player, f"{node.infoset}'", node.width)}
            for k in range(node.width if node.width > 1 else 0):  # split the set, and remove an action of the new set
                yield _without(alone, [place], k)
    yield from _other_movers(game)
    yield from _merged_sets(game)
    yield from _shorter_numbers(game)


def _width(node: Node) -> int:
    return len(node.weights) if isinstance(node, Chance) else node.width if isinstance(node, Decision) else 0


def _below(game: FuzzGame, place: Place) -> FuzzGame:
    """Return the subtree at a place."""
    return {path[len(place) :]: node for path, node in game.items() if path[: len(place)] == place}


def _replaced(game: FuzzGame, place: Place, subtree: FuzzGame) -> FuzzGame:
    """Return the game with another subtree at a place."""
    rest = {path: node for path, node in game.items() if path[: len(place)] != place}
    return {**rest, **{place + path: node for path, node in subtree.items()}}


def _without(game: FuzzGame, places: list[Place], action: int) -> FuzzGame:
    """Return the game without an action at these nodes, the deepest node first."""
    for place in sorted(places, key=len, reverse=True):
        if place not in game:  # removed, because a player comes to the set twice
            continue
        node, kept = game[place], [k for k in range(_width(game[place])) if k != action]
        if isinstance(node, Chance):
            weights = tuple(node.weights[k] for k in kept)
            node = Chance(weights if any(weights) else (Fraction(1),) * len(weights))
        elif isinstance(node, Decision):
            node = Decision(node.player, node.infoset, node.width - 1)
        subtree: FuzzGame = {(): node}
        for new, k in enumerate(kept):
            subtree |= {(new, *path): other for path, other in _below(game, (*place, k)).items()}
        game = _replaced(game, place, subtree)
    return game


def _joined_chance(game: FuzzGame, place: Place) -> Iterator[FuzzGame]:
    """Yield games in which a chance node takes over the branches of a chance node directly below it."""
    node = game[place]
    assert isinstance(node, Chance)
    for k, weight in enumerate(node.weights):
        child = game[(*place, k)]
        if not isinstance(child, Chance):
            continue
        total = sum(child.weights, Fraction(0))
        branches: list[tuple[Fraction, Place]] = []
        for j, other in enumerate(node.weights):
            if j == k:
                branches += [(weight * w / total, (*place, k, i)) for i, w in enumerate(child.weights)]
            else:
                branches.append((other, (*place, j)))
        subtree: FuzzGame = {(): Chance(tuple(w for w, _ in branches))}
        for new, (_, old) in enumerate(branches):
            subtree |= {(new, *path): below for path, below in _below(game, old).items()}
        yield _replaced(game, place, subtree)


def _other_movers(game: FuzzGame) -> Iterator[FuzzGame]:
    """Yield games in which a player moves instead of chance."""
    for place, node in game.items():
        if isinstance(node, Chance):
            for player in (0, 1):
                yield {**game, place: Decision(player, f"chance {place}", len(node.weights))}


def _merged_sets(game: FuzzGame) -> Iterator[FuzzGame]:
    """Yield games in which two sets of a player are one set."""
    sets = members(game)
    for first, kept in sets.items():
        for second, gone in sets.items():
            width = _width(game[kept[0]])
            if first < second and first[0] == second[0] and width == _width(game[gone[0]]):
                yield {**game, **{place: Decision(first[0], first[1], width) for place in gone}}


def _shorter_numbers(game: FuzzGame) -> Iterator[FuzzGame]:
    """Yield games with shorter weights of chance and shorter payoffs: all numbers at once, then one by one."""
    leaves = [(place, node.payoffs) for place, node in game.items() if isinstance(node, Leaf)]
    constant = constant_of(game)
    ranks = [{u: Fraction(k) for k, u in enumerate(sorted({pair[i] for _, pair in leaves}))} for i in (0, 1)]
    whole: list[Callable[[int, Fraction], Fraction]] = [
        lambda _, _u: Fraction(0),
        lambda _, u: Fraction((u > 0) - (u < 0)),
        lambda i, u: ranks[i][u],
        lambda _, u: Fraction(round(u)),
        *((lambda _, u, k=k: u / 10**k) for k in (40, 30, 12, 9, 3, 1)),
        *((lambda _, u, k=k: u * k) for k in (10**40, 10**30 + 57, 10**9)),
    ]
    for shorter in whole:
        one = {place: shorter(0, pair[0]) for place, pair in leaves}
        yield {**game, **{place: Leaf((u, -u)) for place, u in one.items()}}
        yield {**game, **{place: Leaf((one[place], shorter(1, pair[1]))) for place, pair in leaves}}
    yield {**game, **{place: Leaf((pair[0], Fraction(0))) for place, pair in leaves}}
    yield {**game, **{place: Leaf((Fraction(0), pair[1])) for place, pair in leaves}}
    for place, pair in leaves:
        for u in _simpler(pair[0]):
            yield {**game, place: Leaf((u, pair[1] if constant is None else constant - u))}
        for u in _simpler(pair[1]) if constant is None else ():
            yield {**game, place: Leaf((pair[0], u))}
    for place, node in game.items():
        if not isinstance(node, Chance):
            continue
        yield {**game, place: Chance((Fraction(1),) * len(node.weights))}
        yield {**game, place: Chance(tuple(Fraction(w > 0) for w in node.weights))}
        for k, weight in enumerate(node.weights):
            for w in _simpler(weight):
                weights = (*node.weights[:k], w, *node.weights[k + 1 :])
                if w >= 0 and any(weights):
                    yield {**game, place: Chance(weights)}


def _simpler(number: Fraction) -> Iterator[Fraction]:
    """Yield other numbers, the simplest first."""
    yield from map(Fraction, (0, 1, -1, 2))
    yield Fraction(round(number))
    for digits in (1, 3):
        yield Fraction(f"{float(number):.{digits}g}") if abs(number) < 10**300 else Fraction(0)
    yield number.limit_denominator(10)
