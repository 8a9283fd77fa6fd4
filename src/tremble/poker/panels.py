"""Panels of an ordered game: the action probabilities of all hands at a decision (see :mod:`tremble.game.hands`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.game.hands import HandRow, Panel, Place, Spot
from tremble.integers import FloatArray
from tremble.poker.choices import line_number, weights_at
from tremble.poker.deals import Deals
from tremble.poker.filter import NEVER
from tremble.poker.game import OrderedGame, Signals
from tremble.poker.payoffs import histories
from tremble.poker.strategy import OrderedStrategy
from tremble.text.cards import cards_text

__all__ = ["hand_order", "place_of", "spot_of"]

OrderedProfile = tuple[OrderedStrategy, OrderedStrategy]
IntArray = NDArray[np.int64]


def place_of(game: OrderedGame, board: str | None, line: str | None) -> Place:
    """Return the place in the game that has the public signals ``board`` and the moves ``line``, two texts.

    A place is a round, a public state and a history of moves. The moves are written as in labels of information sets.

    Raises
    ------
    SpecError
        No place in the game has these signals and moves.
    """
    for what, said, example in (("board", board, "Qd"), ("line", line, "cbc:cb")):
        if said is not None and not isinstance(said, str):
            raise SpecError(f"'{what}' must be a text, such as {example!r}, not {said!r:.60}")
    public = _public(game, board or "")
    sizes = np.cumsum([round_.public for round_ in game.rounds]).tolist()
    fits = [number for number, size in enumerate(sizes) if size == len(public)]
    if not fits:
        allowed = ", ".join(map(str, sorted(set(sizes))))
        raise SpecError(f"board: {board!r:.60} has {len(public)} signals; possible numbers are {allowed}")
    parts = [] if line is None else line.split(":")
    number = min(max(fits[0], len(parts) - 1), fits[-1])
    deals = Deals.of(game).rounds[number]
    states = np.flatnonzero((deals.public == np.array(public, dtype=np.int8)).all(axis=1)).tolist()
    if not states:
        raise SpecError(f"board: {board!r:.60} cannot be dealt")
    if line is None:
        return Place(number, states[0], None)
    if not number <= len(parts) <= number + 1:
        raise SpecError(
            f"line: {line!r:.60} has the moves of {len(parts)} rounds; expected the moves of the {number} earlier "
            "rounds and, optionally, moves of this round"
        )
    before = [_node(game, k, text, game.rounds[k].stage.going_on) for k, text in enumerate(parts[:number])]
    inside = [k for k, mover in enumerate(game.rounds[number].stage.mover) if mover >= 0]
    node = _node(game, number, parts[number], inside) if len(parts) > number else 0
    return Place(number, states[0], line_number(game.rounds, before), node)


def _public(game: OrderedGame, board: str) -> Signals:
    """Parse the names of signals, with or without spaces between them. Sort the signals within each round."""
    left, signals_named = board.replace(",", " ").strip(), []
    names = sorted(game.signals, key=len, reverse=True)
    while left:
        name = next((name for name in names if left.startswith(name)), None)
        if name is None:
            raise SpecError(f"board: {left!r:.40} is not a signal; the signals are {', '.join(game.signals[:60])}")
        signals_named.append(game.signals.index(name))
        left = left[len(name) :].strip()
    signals: list[int] = []
    for round_ in game.rounds:
        signals += sorted(signals_named[len(signals) : len(signals) + round_.public])
    return tuple(signals + signals_named[len(signals) :])


def _node(game: OrderedGame, number: int, text: str, allowed: Sequence[int]) -> int:
    """Find the node of a stage tree to which the moves in ``text`` lead."""
    stage = game.rounds[number].stage
    for node in allowed:
        if text in (stage.letters[node], "-".join(stage.line[node])):
            return node
    known = ", ".join(repr(stage.letters[node]) for node in list(allowed)[:20])
    raise SpecError(f"line: {text!r:.40} is not possible in round {number + 1}; possible moves are {known}")


def spot_of(game: OrderedGame, profile: OrderedProfile, place: Place) -> Spot:
    """Return the action probabilities of all hands of both players at a place that :func:`place_of` returns."""
    number, state = place.round, place.state
    deals = Deals.of(game).rounds[number]
    nodes = state * deals.num_hands + np.arange(deals.num_hands)
    lines = histories(game, number)
    wanted = np.arange(len(lines)) if place.line is None else np.array([place.line])
    mass = deals.masses(slice(state, state + 1))[0].astype(np.float64)
    plans: list[FloatArray] = []
    for strategy in profile:
        weights: Any = weights_at(game, strategy, number, nodes, wanted)
        weights[strategy.class_of[number][nodes] == NEVER] = 0
        plans.append((weights / strategy.denominator).astype(np.float64))  # [N, S, L]
    start = np.einsum("ij,il,jl->l", mass, plans[0][:, 0], plans[1][:, 0])
    best = int(start.argmax())
    plan = plans[0][:, :, best], plans[1][:, :, best]
    order = hand_order(game, number, state)
    panels = tuple(_panels(game, profile, place, plan, mass, order, float(start[best])))
    line = int(wanted[best])
    return Spot(number, tuple(deals.public[state].tolist()), lines[line], panels, line)


def _panels(
    game: OrderedGame, profile: OrderedProfile, place: Place, plan: tuple[FloatArray, FloatArray], mass: FloatArray,
    order: IntArray, start: float,
) -> Iterator[Panel]:  # fmt: skip
    stage, deals = game.rounds[place.round].stage, Deals.of(game).rounds[place.round]
    sides = stage.side(0), stage.side(1)
    base = place.state * deals.num_hands
    hands = [tuple(hand) for hand in deals.hands[place.state].tolist()]
    name_of = cache(_namer(game, hands))
    reach = mass @ plan[1], mass.T @ plan[0]  # [own hand, the other's sequence] sums over the other's hands
    met = [np.asarray(mass.any(axis=1 - player)) for player in (0, 1)]
    dealt = [order[own[order]].tolist() for own in met]
    below = {place.node}
    for node, player in enumerate(stage.mover):
        if node in below:
            below.update(stage.child[node])
        if node not in below or player < 0:
            continue
        side, other = sides[player], 1 - player
        k = side.nodes.index(node)
        comes = plan[player][:, side.parent[k]]
        share = comes * reach[player][:, sides[other].last[node]]
        own: FloatArray = plan[player][:, side.start[k] : side.start[k + 1]]
        classes = profile[player].class_of[place.round][base + np.arange(len(hands))]
        rows = partial(_rows, own, comes, share, mass.sum(axis=other), classes, dealt[player], hands, name_of)
        yield Panel(player, stage.line[node], stage.actions[node], float(share.sum()) / start if start else 0.0, rows)


def _rows(
    own: FloatArray, comes: FloatArray, share: FloatArray, dealt: FloatArray, classes: IntArray,
    order: Sequence[int], hands: Sequence[Signals], name_of: Callable[[tuple[int, ...]], str],
) -> tuple[HandRow, ...]:  # fmt: skip
    """Create a row of a panel for each class that contains at least one hand that can be dealt."""
    even = np.full_like(own, 1 / own.shape[1])
    played = np.divide(own, comes[:, None], out=even, where=comes[:, None] > 0)
    groups: dict[int, list[int]] = {}
    for i in order:
        groups.setdefault(int(classes[i]), []).append(i)
    total = float(share.sum())
    return tuple(
        HandRow(
            name_of(tuple(group)), tuple(hands[i] for i in sorted(group)), number, tuple(played[group[0]].tolist()),
            float(share[group].sum()) / total if total else 0.0, float(comes[group[0]]),
            float(dealt[group].sum()),
        )
        for number, group in groups.items()
    )  # fmt: skip


def _namer(game: OrderedGame, hands: Sequence[Signals]) -> Callable[[tuple[int, ...]], str]:
    """Return a function that names a group of hands.

    The name of a group is the common rank if each hand is one card and all cards have the same rank. Otherwise the name
    of the group is its first hand.
    """
    text = cards_text(game)

    def name(group: tuple[int, ...]) -> str:
        first = text(game.signal_text(hands[group[0]]))
        if len(group) == 1:
            return first
        if len(hands[group[0]]) == 1 and len(first) > 1:
            ranks = {text(game.signal_text(hands[i]))[:-1] for i in group}
            if len(ranks) == 1:
                return ranks.pop()
        return f"{first} …"

    return name


def hand_order(game: OrderedGame, number: int, state: int) -> IntArray:
    """Return the positions of a public state's hands, in ascending order of their chance to win a showdown."""
    return np.argsort(_chance_to_win(game, number, state), kind="stable")


def _chance_to_win(game: OrderedGame, number: int, state: int) -> FloatArray:
    """Compute the chance of each hand to win a showdown against a random hand. A tie counts as half a win."""
    first, *later = Deals.of(game).rounds[number:]
    hand = np.full((first.num_states, first.num_hands), -1)  # own node -> the hand at `state` that it comes from, or -1
    hand[state] = np.arange(first.num_hands)
    for deals in later:
        hand = hand.ravel()[deals.earlier].reshape(deals.num_states, deals.num_hands)
    last = (first, *later)[-1]
    won, met = np.zeros(first.num_hands), np.zeros(first.num_hands)
    if last.strength is None:
        return won
    for final in np.flatnonzero(hand[:, 0] >= 0):
        mass, strength = last.masses(slice(final, final + 1))[0], last.strength[final]
        both = mass + mass.T
        np.add.at(won, hand[final], (both * (1 + np.sign(strength[:, None] - strength))).sum(axis=1))
        np.add.at(met, hand[final], 2 * both.sum(axis=1))
    return np.divide(won, met, out=np.zeros(len(won)), where=met > 0)
