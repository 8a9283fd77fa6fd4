"""Checks that a user's rules define an ordered game. If a signal is at fault, the error message names the signal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import require_callable, require_lists
from tremble.errors import GameError
from tremble.game.tree_arrays import is_text
from tremble.numbers import exact_number
from tremble.poker.definition import OrderedDefinition, Round
from tremble.poker.stage import StageTree

__all__ = ["require_sound", "sound_strengths"]

_MOST_SIGNALS = 64
_SAMPLES = 30  # the number of hands for which the results of strength and strengths are compared


def require_sound(game: OrderedDefinition) -> None:
    """Raise ``GameError`` if the signals, weights, ranges and rounds do not define an ordered game."""
    if not isinstance(game, OrderedDefinition):
        raise GameError(f"a {type(game).__name__} is not an ordered game; its class must be derived from OrderedGame")
    signals = game.signals
    if not isinstance(signals, tuple | list) or not all(is_text(label) and label for label in signals):
        raise GameError(f"the attribute 'signals' must be a tuple of nonempty strings, not {signals!r:.100}")
    twice = [label for label, count in Counter(signals).items() if count > 1]
    if twice:
        raise GameError(f"the signal {', '.join(map(repr, twice[:5]))} is used twice; give each signal its own label")
    if not 1 <= len(signals) <= _MOST_SIGNALS:
        raise GameError(f"an ordered game must have from 1 to {_MOST_SIGNALS} signals, not {len(signals)}")
    if not _is_count(game.num_players) or not 1 <= game.num_players <= _MOST_SIGNALS:
        raise GameError(f"an ordered game must have from 1 to {_MOST_SIGNALS} players, not {game.num_players!r:.60}")
    if not isinstance(game.compares, bool):
        raise GameError(f"the attribute 'compares' must be True or False, not {game.compares!r:.60}")
    for name in ("strength", "strengths", "utility"):
        require_callable(getattr(game, name), f"the method '{name}' of an ordered game")
    if not isinstance(game.rounds, tuple | list) or not game.rounds:
        raise GameError(f"the attribute 'rounds' must be a tuple of at least one Round, not {game.rounds!r:.80}")
    for number, round_ in enumerate(game.rounds, 1):
        _require_round(game, number, round_)
    needed = sum(round_.public + game.num_players * round_.private for round_ in game.rounds)
    if needed > len(signals):
        raise GameError(f"the rounds deal {needed} signals in total, but there are only {len(signals)}")
    if game.weights is not None:
        _require_weights(game)
    if game.ranges is not None:
        _require_ranges(game)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _require_round(game: OrderedDefinition, number: int, round_: object) -> None:
    if not isinstance(round_, Round) or not isinstance(round_.stage, StageTree):
        raise GameError(f"round {number} must be Round(stage, public=..., private=...), not {round_!r:.80}")
    if not all(_is_count(count) for count in (round_.public, round_.private)):
        counts = f"{round_.public!r:.20} public and {round_.private!r:.20} private signals"
        raise GameError(f"round {number} deals {counts}; expected integers of at least 0")
    movers = set(round_.stage.mover) - {-1}
    if not movers <= set(range(game.num_players)):
        node = round_.stage.mover.index(max(movers))
        raise GameError(f"in the stage tree of round {number} player {max(movers) + 1} moves (after "
                        f"{round_.stage.line[node]}), but there are {game.num_players} players")  # fmt: skip
    if number < len(game.rounds) and not round_.stage.going_on:
        raise GameError(f"no moves lead from round {number} to the next round; return GO_ON after some of the moves")


def sound_strengths(game: OrderedDefinition, public: NDArray[Any], private: NDArray[Any]) -> NDArray[np.int64]:
    """Return the strengths of all hands, as an array with one row for each board in ``public``.

    Raises
    ------
    GameError
        The strengths are not integers, or the methods ``strengths`` and ``strength`` differ. The function compares
        these two methods for a sample of hands.
    """
    strengths = np.asarray(game.strengths(public, private))
    where = f"strengths of {type(game).__name__}"
    if strengths.shape != private.shape[:2]:
        raise GameError(f"{where}: expected an array of shape {private.shape[:2]}, not {strengths.shape}")
    if strengths.dtype.kind not in "iu" or any(
        abs(int(end(strengths, initial=0))) >= 2**62 for end in (np.min, np.max)
    ):
        raise GameError(f"{where}: expected integers of at most 62 bits, but the array has the type {strengths.dtype}")
    for place in range(0, strengths.size, max(1, strengths.size // _SAMPLES)):
        b, i = divmod(place, strengths.shape[1])
        seen, hand = tuple(public[b].tolist()), tuple(private[b, i].tolist())
        if game.strength(seen, hand) != strengths[b, i]:
            raise GameError(f"'strength' and 'strengths' of {type(game).__name__} give {game.strength(seen, hand)} and "
                            f"{strengths[b, i]} for {game.hand_text(seen, hand, ())}")  # fmt: skip
    return strengths.astype(np.int64)


def _require_weights(game: OrderedDefinition) -> None:
    assert game.weights is not None
    require_lists(game.weights, 1, "weights of signals")
    if len(game.weights) != len(game.signals):
        raise GameError(f"{len(game.weights)} weights are given for {len(game.signals)} signals")
    weights = [exact_number(w, f"the weight of {label}") for w, label in zip(game.weights, game.signals, strict=True)]
    bad = [f"{label} has {weight}" for label, weight in zip(game.signals, weights, strict=True) if weight <= 0]
    if bad:
        raise GameError(f"the weights of signals must be probabilities above 0, but {', '.join(bad[:5])}")
    if sum(weights) != 1:
        raise GameError(f"the weights of the signals must be probabilities, but their sum is {sum(weights)}, not 1")


def _require_ranges(game: OrderedDefinition) -> None:
    assert game.ranges is not None
    if game.weights is not None:
        raise GameError("give either 'weights' of signals or 'ranges' of hands, not both")
    require_lists(game.ranges, 1, "ranges of the players")
    if len(game.ranges) != game.num_players:
        raise GameError(f"{len(game.ranges)} ranges are given for {game.num_players} players")
    size = game.rounds[0].private
    held: list[list[int]] = []
    first: list[tuple[int, ...]] = []
    for player, range_ in enumerate(game.ranges, 1):
        if not isinstance(range_, Mapping):
            raise GameError(f"the range of player {player} must map hands to weights; it is a {type(range_).__name__}")
        listed: list[tuple[int, ...]] = []
        for hand, weight in range_.items():
            text = repr(hand)
            fits = isinstance(hand, tuple) and len(hand) == size and all(isinstance(signal, int) for signal in hand)
            if not fits or sorted(set(hand)) != list(hand) or not all(0 <= s < len(game.signals) for s in hand):
                raise GameError(
                    f"the range of player {player} lists {text:.60}, which is not a hand: expected {size} different "
                    "positions of signals in ascending order"
                )
            exact = exact_number(weight, f"the weight of {text:.60}")
            if exact < 0:
                raise GameError(
                    f"the range of player {player} gives {game.signal_text(hand)} the negative weight {weight}"
                )
            listed += [hand] * (exact > 0)
        if not listed:
            raise GameError(f"the range of player {player} has no hand")
        held.append([sum(1 << signal for signal in hand) for hand in listed])
        first.append(listed[0])
    if not _can_be_dealt(held, 0):
        names = " and ".join(map(game.signal_text, first))
        raise GameError(f"no hands of the players' ranges can be dealt together; for example, {names} share a signal")


def _can_be_dealt(held: list[list[int]], used: int) -> bool:
    """Check that the players can be dealt one hand from each range in ``held``.

    No signal may be in two of these hands, or in one hand and in ``used``, which is a bit mask of signals.
    """
    if not held:
        return True
    return any(_can_be_dealt(held[1:], used | hand) for hand in held[0] if not hand & used)
