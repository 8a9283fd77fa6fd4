"""The data of an explorer page for an ordered game: the deals, and how each profile plays every hand.

In an *ordered game*, players hold hands of private signals, such as cards, and bet in rounds. A strategy plays all
hands of a *class* alike. The data contains a probability for each class and each action. The page computes the hands
that a player may hold, and their likelihoods, from these probabilities and from the deals. A strategy with few
probabilities is stored as exact fractions. Otherwise the probabilities are rounded to multiples of 1/10,000. Arrays are
compressed with gzip and encoded in base64.
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
from tremble.game.hands import HandsKind, HandValues, Place, hands_kind
from tremble.game.rules import UnbuiltGame
from tremble.show.explored_tree import MOST_NAME, NumberPool, label_text
from tremble.show.strategy_svg import action_colours
from tremble.text.cards import cards_text, has_cards
from tremble.text.view import player_name

__all__ = ["explored_hands"]

_MOST_EXACT = 30_000  # the probabilities of a strategy are stored as fractions if there are at most this many
_MOST_PAIRS = 4_000_000  # greatest number of pairs of hands if each pair has a separate weight
_LEAST_LOSS = 1e-6  # losses below this share of the pot are treated as rounding errors
_MOST_NUMBERS = 16_000_000  # greatest number of probabilities of single hands if a round has several trees
_STEPS = 10_000  # probabilities are rounded to multiples of 1 / _STEPS if they are not stored as fractions


def explored_hands(
    game: UnbuiltGame,
    profiles: Sequence[tuple[Any, Any]],
    names: Sequence[str],
    place: Place | None = None,
    about: Sequence[str] = ("", ""),
) -> dict[str, Any]:
    """Return an ordered game, its profiles, and the place where the page opens, as data for JSON.

    Raises
    ------
    TooLargeError
        The deals have more than four million different weights for pairs of hands. This is too much for a page.
    """
    kind, pool = hands_kind(game), NumberPool()
    rules: Any = game.rules
    hands: dict[tuple[int, ...], int] = {}
    numbers = range(kind.num_rounds)
    _require_small(kind, profiles)
    rounds = [_round(kind, number, hands, pool) for number in numbers]
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
                [actions for number in numbers for actions in kind.stage(number).actions]
            ).items()
        },
        "steps": _STEPS,
        "least": _LEAST_LOSS * _pot(kind),
        "start": "" if place is None else _start(kind, profiles[0], place),
        "profiles": [
            {
                "name": label_text(name, MOST_NAME),
                "about": label_text(line),
                "players": [_strategy(kind, strategy, pool) for strategy in profile],
                "losses": _losses(kind, profile),
                "values": _values(kind, profile),
            }
            for profile, name, line in zip(profiles, names, about[: len(profiles)], strict=True)
        ],
        "numbers": pool.record(),
    }


def _pot(kind: HandsKind[Any]) -> float:
    """Return the pot before any bet.

    The pot is twice the smallest nonzero payoff, because a player who loses this payoff has paid half of the pot.
    """
    payoffs = (deals.payoffs for deals in kind.deals)
    sizes = (abs(u) / each.denominator for each in payoffs for u in each.utility.ravel().tolist() if u)
    return 2.0 * min(sizes, default=0.0)


def _start(kind: HandsKind[Any], profile: tuple[Any, Any], place: Place) -> str:
    """Encode ``place`` as text for the page. Without ``place.line``, use the most likely moves of earlier rounds."""
    line = kind.spot(profile, place).line if place.line is None else place.line
    stage = kind.stage(place.round)
    node = stage.ids.index(place.node) if hasattr(stage, "ids") else place.node
    return f"{place.round + 1}.{line}.{node}@{place.state}"


def _packed(array: NDArray[Any], kind: str) -> str:
    """Convert an array to the dtype ``kind``, compress its bytes, and return them as base64 text."""
    return base64.b64encode(gzip.compress(array.astype(kind).tobytes(), 6, mtime=0)).decode()


def _round(kind: HandsKind[Any], number: int, hands: dict[tuple[int, ...], int], pool: NumberPool) -> dict[str, Any]:
    """Return the tree and deals of round ``number``. Add the round's hands to ``hands``, its payoffs to ``pool``."""
    rules: Any = kind.game.rules
    stage, deals = kind.stage(number), kind.deals[number]
    roots = getattr(stage, "roots", None)
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
        "before": 1 if roots else prod(len(kind.stage(earlier).going_on) for earlier in range(number)),
        "roots": roots,
        "boards": [label_text(text(" ".join(rules.signals[s] for s in public))) for public in deals.public.tolist()],
        "count": deals.num_hands,
        "held": _packed(np.array(held), "<i4"),
        "order": _packed(np.array(order), "<i4"),
        "earlier": _packed(deals.earlier, "<i4"),
        "strength": None if deals.strength is None else _packed(deals.strength, "<i4"),
        "weights": _weights(kind, number),
        "leaves": payoffs.leaves,
        "outcome": payoffs.outcome.tolist(),
        "values": None if payoffs.values is None else payoffs.values.tolist(),
        "outcomes": payoffs.num_outcomes,
        "pays": pool.all(Fraction(u, payoffs.denominator) for u in payoffs.utility.ravel().tolist()),
    }  # fmt: skip


def _weights(kind: HandsKind[Any], number: int) -> dict[str, Any] | None:
    """Return weights that determine the probability of each pair of hands, or None if all pairs are equally likely.

    If the rules have ranges (weights for each player's hands), return these weights. Otherwise return one weight for
    each pair of hands.
    """
    own = kind.range_weights(number)
    if own is not None:
        return {"own": [_packed(weights / weights.max(), "<f4") for weights in own]}
    deals = kind.deals[number]
    if deals.mass is None:
        return None
    if deals.mass.size > _MOST_PAIRS:
        raise TooLargeError(f"the deals have {deals.mass.size:,} weights of pairs of hands, too many for a page")
    return {"pairs": _packed(deals.mass / deals.mass.max(), "<f4")}


def _square(rules: Any, hands: dict[tuple[int, ...], int]) -> dict[str, Any] | None:
    """Return the cell of each hand in a square with a row and a column for each rank.

    The ranks are ordered from the highest to the lowest. Suited hands are above the diagonal. Return None if some hand
    does not consist of two cards.
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


def _strategy(kind: HandsKind[Any], strategy: Any, pool: NumberPool) -> list[dict[str, Any]]:
    """Return a record for each round: the class of each hand, and the probabilities of the actions.

    The array of probabilities has three axes: the class of hands, the player's action, and the moves in earlier rounds.
    """
    exact = sum(weight.size for weight in strategy.weight) <= _MOST_EXACT
    rounds = []
    for number, weight in enumerate(strategy.weight):
        side = kind.stage(number).side(strategy.player)
        spans = [(side.start[k] - 1, side.start[k + 1] - 1) for k in range(len(side.nodes))]
        record: dict[str, Any] = {"classes": _packed(kind.classes(strategy, number), "<i4")}
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
    """Round probabilities to multiples of 1 / _STEPS. Only 0 becomes 0, and only 1 becomes 1."""
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
    """Return two packed arrays for each player and round. ``rows`` maps each hand to a row of costs in ``losses``."""
    play = kind.in_play(profile)
    players = []
    for player in (0, 1):
        rounds = play.every_loss(player)
        players.append(
            [{"rows": _packed(rows, "<i4"), "losses": _packed(_short(losses), "<u2")} for rows, losses in rounds]
        )
    return players


def _values(kind: HandsKind[Any], profile: tuple[Any, Any]) -> list[list[dict[str, Any]]] | None:
    """Return packed EVs and equities for each player and round, or None if the game has none.

    The numbers are rounded to 65,534 steps between the least and the greatest; the number 65,535 means NaN.
    """
    players = [kind.hand_values(profile, player) for player in (0, 1)]
    return [[_values_of(each) for each in rounds] for rounds in players if rounds is not None] or None


def _values_of(values: HandValues) -> dict[str, Any]:
    low, high = (float(pick(values.evs, initial=0, where=~np.isnan(values.evs))) for pick in (np.min, np.max))
    step = (high - low) / 65_534 or 1.0
    return {
        "rows": _packed(values.rows, "<i4"), "low": low, "step": step,
        "evs": _packed(_in_steps((values.evs - low) / step), "<u2"),
        "equities": _packed(_in_steps(values.equities * 65_534), "<u2"),
    }  # fmt: skip


def _in_steps(numbers: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.isnan(numbers), 65_535, np.rint(np.nan_to_num(numbers)))


def _require_small(kind: HandsKind[Any], profiles: Sequence[tuple[Any, Any]]) -> None:
    """Raise ``TooLargeError`` if the tables of numbers for single hands are too large for a page."""
    if hasattr(kind.stage(kind.num_rounds - 1), "roots"):
        deals = kind.deals[-1]
        rows = [kind.stage(kind.num_rounds - 1).side(player).start[-1] for player in (0, 1)]
        count = deals.num_states * deals.num_hands * sum(rows) * len(profiles)
        if count > _MOST_NUMBERS:
            raise TooLargeError(
                f"the page would contain {count:,} probabilities of single hands, more than the limit of "
                f"{_MOST_NUMBERS:,}; draw an .svg of one decision, or solve the game with fewer sizes or hands"
            )


def _short(numbers: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Convert numbers to 32-bit floats, and return the upper 16 bits of each float, rounded."""
    whole = numbers.astype("<f4").view("<u4").astype(np.uint64)
    upper: NDArray[np.uint16] = np.where(np.isnan(numbers), 0x7FC0, (whole + 0x8000) >> 16).astype(np.uint16)
    return upper
