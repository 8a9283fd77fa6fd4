"""The data of an explorer page for an ordered game: the deals, and the play of each profile with every hand.

Arrays are compressed with gzip and encoded in base 64. The data contains a probability for each class of hands and each
action of the player. The page computes ranges and likelihoods from these probabilities and from the deals. If there are
few probabilities, they are stored exactly in a pool of numbers. Otherwise they are rounded to four digits.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import TooLargeError
from tremble.game.hands import HandsKind, Place
from tremble.game.kinds import hands_kind
from tremble.game.rules import UnbuiltGame
from tremble.show.explored_tree import MOST_NAME, NumberPool, label_text
from tremble.show.strategy_svg import action_colours
from tremble.text.cards import cards_text, has_cards
from tremble.text.view import player_name

__all__ = ["explored_hands"]

_MOST_EXACT = 30_000  # if a strategy has at most this number of probabilities, they are stored as fractions
_MOST_PAIRS = 4_000_000  # greatest number of weights if each pair of hands has a separate weight
_LEAST_LOSS = 1e-6  # as a share of the pot; smaller losses are rounding errors
_STEPS = 10_000  # probabilities that are not stored as fractions are rounded to multiples of 1 / _STEPS


def explored_hands(
    game: UnbuiltGame,
    profiles: Sequence[tuple[Any, Any]],
    names: Sequence[str],
    place: Place | None = None,
    about: Sequence[str] = ("", ""),
) -> dict[str, Any]:
    """Return an ordered game, the play of profiles, and the first place of the page, as plain data.

    Raises
    ------
    TooLargeError
        The deals have too many weights for a page.
    """
    kind, pool = hands_kind(game), NumberPool()
    rules: Any = game.rules
    hands: dict[tuple[int, ...], int] = {}
    rounds = [_round(kind, number, hands, pool) for number in range(len(rules.rounds))]
    text = cards_text(rules)
    return {
        "kind": "hands",
        "title": label_text(game.title),
        "players": [label_text(player_name(game, player), MOST_NAME) for player in (0, 1)],
        "rounds": rounds,
        "hands": [label_text(text(rules.signal_text(hand))) for hand in hands],
        "held": list(hands),
        "square": _square(rules, hands),
        "colours": {
            label_text(action): colour
            for action, colour in action_colours(
                [actions for round_ in rules.rounds for actions in round_.stage.actions]
            ).items()
        },
        "steps": _STEPS,
        "least": _LEAST_LOSS * _pot(kind),
        "start": "" if place is None else _start(kind, profiles[0], place),
        "profiles": [
            {
                "name": label_text(name, MOST_NAME),
                "about": label_text(line),
                "players": [_strategy(strategy, rules, pool) for strategy in profile],
                "losses": _losses(kind, profile),
            }
            for profile, name, line in zip(profiles, names, about[: len(profiles)], strict=True)
        ],
        "numbers": pool.record(),
    }


def _pot(kind: HandsKind[Any]) -> float:
    """Return the pot before any bet.

    It is twice the smallest payoff, because the loser of this payoff has paid half of the pot.
    """
    payoffs = (deals.payoffs for deals in kind.deals)
    sizes = (abs(u) / each.denominator for each in payoffs for u in each.utility.ravel().tolist() if u)
    return 2.0 * min(sizes, default=0.0)


def _start(kind: HandsKind[Any], profile: tuple[Any, Any], place: Place) -> str:
    """Return the place where the page opens. The default is the place after the likeliest moves of earlier rounds."""
    line = kind.spot(profile, place).line if place.line is None else place.line
    return f"{place.round + 1}.{line}.{place.node}@{place.state}"


def _packed(array: NDArray[Any], kind: str) -> str:
    """Compress an array and encode it in base 64. Equal arrays have equal texts."""
    return base64.b64encode(gzip.compress(array.astype(kind).tobytes(), 6, mtime=0)).decode()


def _round(kind: HandsKind[Any], number: int, hands: dict[tuple[int, ...], int], pool: NumberPool) -> dict[str, Any]:
    """Return the stage and the deals of a round."""
    rules: Any = kind.game.rules
    stage, deals = rules.rounds[number].stage, kind.deals[number]
    text = cards_text(rules)
    held = [[hands.setdefault(tuple(hand), len(hands)) for hand in state] for state in deals.hands.tolist()]
    order = [kind.hand_order(number, state) for state in range(deals.num_states)]
    payoffs = deals.payoffs
    return {
        "mover": stage.mover,
        "actions": [[label_text(action) for action in actions] for actions in stage.actions],
        "child": stage.child,
        "goesOn": stage.going_on,
        "letters": [label_text(letters) for letters in stage.letters],
        "lines": [[label_text(step) for step in line] for line in stage.line],
        "sides": [{"nodes": side.nodes, "start": side.start, "parent": side.parent, "last": side.last}
                  for side in (stage.side(0), stage.side(1))],
        "before": prod(len(round_.stage.going_on) for round_ in rules.rounds[:number]),
        "boards": [label_text(text(" ".join(rules.signals[s] for s in public))) for public in deals.public.tolist()],
        "count": deals.num_hands,
        "held": _packed(np.array(held), "<i4"),
        "order": _packed(np.array(order), "<i4"),
        "earlier": _packed(deals.earlier, "<i4"),
        "strength": None if deals.strength is None else _packed(deals.strength, "<i4"),
        "weights": _weights(rules, deals),
        "leaves": payoffs.leaves,
        "outcome": payoffs.outcome.tolist(),
        "values": None if payoffs.values is None else payoffs.values.tolist(),
        "outcomes": payoffs.num_outcomes,
        "pays": pool.all(Fraction(u, payoffs.denominator) for u in payoffs.utility.ravel().tolist()),
    }  # fmt: skip


def _weights(rules: Any, deals: Any) -> dict[str, Any] | None:
    """Return the weights of pairs of hands that share no signal, or None if all weights are equal.

    If the rules have ranges, the result has a weight for each hand. Otherwise it has a weight for each pair.
    """
    if deals.mass is None:
        return None
    if rules.ranges is not None:
        size = rules.rounds[0].private
        first = [[tuple(hand[:size]) for hand in state] for state in deals.hands.tolist()]
        own = [[[float(range_.get(hand, 0)) for hand in state] for state in first] for range_ in rules.ranges]
        return {"own": [_packed(np.array(weights) / np.max(weights), "<f4") for weights in own]}
    if deals.mass.size > _MOST_PAIRS:
        raise TooLargeError(f"the deals have {deals.mass.size:,} weights of pairs of hands, too many for a page")
    return {"pairs": _packed(deals.mass / deals.mass.max(), "<f4")}


def _square(rules: Any, hands: dict[tuple[int, ...], int]) -> dict[str, Any] | None:
    """Return the cell of each two-card hand in a square of ranks, or None if the hands are of another kind.

    The ranks are ordered from the highest to the lowest. Suited hands are above the diagonal.
    """
    if not has_cards(rules) or any(len(hand) != 2 for hand in hands):
        return None
    ranks = list(dict.fromkeys(signal[0] for signal in reversed(rules.signals)))
    cells = []
    for hand in hands:
        (a, s), (b, t) = (tuple(rules.signals[signal]) for signal in hand)
        high, low = sorted((ranks.index(a), ranks.index(b)))
        cells.append(high * len(ranks) + low if s == t else low * len(ranks) + high)
    return {"ranks": ranks, "cells": cells}


def _strategy(strategy: Any, rules: Any, pool: NumberPool) -> list[dict[str, Any]]:
    """Return a record for each round: the classes of hands, and the probabilities of the actions.

    There is a probability for each class, each sequence of the player and each line of moves in earlier rounds.
    """
    exact = sum(weight.size for weight in strategy.weight) <= _MOST_EXACT
    rounds = []
    for round_, classes, weight in zip(rules.rounds, strategy.class_of, strategy.weight, strict=True):
        side = round_.stage.side(strategy.player)
        spans = [(side.start[k] - 1, side.start[k + 1] - 1) for k in range(len(side.nodes))]
        record: dict[str, Any] = {"classes": _packed(classes, "<i4")}
        if exact:
            record["places"] = _exact_shares(weight, spans, pool)
        else:
            record["rounded"] = _packed(_rounded_shares(weight, spans), "<u2")
        rounds.append(record)
    return rounds


def _exact_shares(weight: NDArray[Any], spans: Sequence[tuple[int, int]], pool: NumberPool) -> list[int]:
    places = np.zeros(weight.shape, dtype=np.int64)
    for start, end in spans:
        for c in range(len(weight)):
            for line in range(weight.shape[2]):
                row = [int(w) for w in weight[c, start:end, line].tolist()]
                whole = sum(row)
                shares = [Fraction(w, whole) if whole else Fraction(1, end - start) for w in row]
                places[c, start:end, line] = pool.all(shares)
    flat: list[int] = places.ravel().tolist()
    return flat


def _rounded_shares(weight: NDArray[Any], spans: Sequence[tuple[int, int]]) -> NDArray[np.uint16]:
    """Round probabilities to whole steps. Only the probabilities 0 and 1 are rounded to 0 and 1."""
    parts = []
    for start, end in spans:
        part = weight[:, start:end].astype(np.float64)
        whole = part.sum(axis=1, keepdims=True)
        share = np.divide(part, whole, out=np.full_like(part, 1 / (end - start)), where=whole > 0)
        inside = np.clip(np.rint(share * _STEPS), 1, _STEPS - 1)
        parts.append(np.where(share == 0, 0, np.where(share == 1, _STEPS, inside)))
    shape = (len(weight), 0, weight.shape[2])
    return np.concatenate(parts, axis=1).astype(np.uint16) if parts else np.zeros(shape, dtype=np.uint16)


def _losses(kind: HandsKind[Any], profile: tuple[Any, Any]) -> list[list[dict[str, str]]]:
    """Return the costs of all actions with three digits, and the row of each node, for each player and each round."""
    play = kind.in_play(profile)
    players = []
    for player in (0, 1):
        rounds = play.every_loss(player)
        players.append(
            [{"rows": _packed(rows, "<i4"), "losses": _packed(_short(losses), "<u2")} for rows, losses in rounds]
        )
    return players


def _short(numbers: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Return the upper 16 bits of 32-bit floats, rounded."""
    whole = numbers.astype("<f4").view("<u4").astype(np.uint64)
    upper: NDArray[np.uint16] = np.where(np.isnan(numbers), 0x7FC0, (whole + 0x8000) >> 16).astype(np.uint16)
    return upper
