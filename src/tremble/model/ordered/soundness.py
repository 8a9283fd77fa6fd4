"""Whether what a user wrote down is an ordered game; errors name the offending signals."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from tremble.errors import GameError
from tremble.exact_numbers import exact_number
from tremble.model.ordered.game import OrderedGame

__all__ = ["require_sound"]

_MOST_SIGNALS = 64


def require_sound(game: OrderedGame) -> None:
    """Raise ``GameError`` unless signals, weights, ranges and rounds are those of an ordered game."""
    signals = game.signals
    twice = [label for label, count in Counter(signals).items() if count > 1]
    if twice:
        raise GameError(f"the signal {', '.join(map(repr, twice[:5]))} is used twice; each needs a label of its own")
    if not 1 <= len(signals) <= _MOST_SIGNALS:
        raise GameError(f"an ordered game has from 1 to {_MOST_SIGNALS} signals, not {len(signals)}")
    if not game.rounds:
        raise GameError("an ordered game needs a round")
    for number, round_ in enumerate(game.rounds, 1):
        if round_.public < 0 or round_.private < 0:
            raise GameError(f"round {number} deals a negative number of signals")
        movers = set(round_.stage.mover) - {-1}
        if not movers <= set(range(game.num_players)):
            raise GameError(f"in the stage tree of round {number} player {max(movers) + 1} moves; there are "
                            f"{game.num_players}")  # fmt: skip
        if number < len(game.rounds) and not round_.stage.going_on:
            raise GameError(f"no line of moves leads on from round {number}")
    needed = sum(round_.public + game.num_players * round_.private for round_ in game.rounds)
    if needed > len(signals):
        raise GameError(f"{needed} signals are dealt in all, but there are only {len(signals)}")
    if game.weights is not None:
        _require_weights(game)
    if game.ranges is not None:
        _require_ranges(game)


def _require_weights(game: OrderedGame) -> None:
    assert game.weights is not None
    if len(game.weights) != len(game.signals):
        raise GameError(f"{len(game.weights)} weights are given for {len(game.signals)} signals")
    found = [exact_number(w, f"the weight of {label}") for w, label in zip(game.weights, game.signals, strict=True)]
    bad = [f"{label} has {weight}" for label, weight in zip(game.signals, found, strict=True) if weight <= 0]
    if bad:
        raise GameError(f"the weights of signals are probabilities above 0, but {', '.join(bad[:5])}")
    if sum(found) != 1:
        raise GameError(f"the weights of the signals are probabilities, but their sum is {sum(found)}, not 1")


def _require_ranges(game: OrderedGame) -> None:
    assert game.ranges is not None
    if game.weights is not None:
        raise GameError("weights of signals and ranges of hands exclude each other")
    if len(game.ranges) != game.num_players:
        raise GameError(f"{len(game.ranges)} ranges are given for {game.num_players} players")
    size = game.rounds[0].private
    for player, range_ in enumerate(game.ranges, 1):
        for hand, weight in range_.items():
            text = repr(hand)
            fits = isinstance(hand, tuple) and len(hand) == size and sorted(set(hand)) == list(hand)
            if not fits or not all(0 <= signal < len(game.signals) for signal in hand):
                raise GameError(
                    f"the range of player {player} lists {text:.60}, which is no hand: expected {size} different "
                    "positions of signals, ascending"
                )
            if exact_number(weight, f"the weight of {text:.60}") < 0:
                raise GameError(f"the range of player {player} gives {game.signal_text(hand)} the weight {weight}")
        if not any(Fraction(weight) > 0 for weight in range_.values()):
            raise GameError(f"the range of player {player} has no hand")
    one = [set(hand) for hand, weight in game.ranges[0].items() if weight]
    if game.num_players == 2 and not any(
        hand.isdisjoint(other) for other, weight in game.ranges[1].items() if weight for hand in one
    ):
        raise GameError("the ranges of the players have no two hands that can be dealt together")
