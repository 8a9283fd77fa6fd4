"""The verifier's own passes over rules that are never built.

Of the rules only what defines the game is used: root, player, actions, chance, child, infoset, payoff, and
``default(h)`` where a strategy says that it plays it. What else rules may offer (state keys, observations,
bounds, counts) are hints for solvers, and a wrong hint must not pass.

Expected payoffs come from a walk over all that both strategies let happen, best responses from :mod:`.search`.
Leaves and information sets that neither meets play no part in what is proven: whatever stands there, the strategies
guarantee what is said here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.errors import CertificateError, GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.verifier.budget import SHORT, budget
from tremble.verifier.profiles.nature import Nature, Sums, add, no_player, shares, total
from tremble.verifier.profiles.outcome import Earnings, Outcome
from tremble.verifier.profiles.rows import StatedPlay, row_faults
from tremble.verifier.profiles.search import Reporter, best_response

__all__ = ["Response", "RulesOutcome", "evaluate_rules", "expected_rules"]


@dataclass(frozen=True, eq=False)
class Response(Earnings):
    """How one player's strategy fares, and a best response to the other's."""

    best: UnbuiltStrategy  # a pure best response, with rows at the information sets that it meets
    num_infosets: int  # how many information sets of the player the other's strategy lets happen


@dataclass(frozen=True, eq=False)
class RulesOutcome(Outcome):
    """What a profile earns in a game that is not built. Leaves that both strategies avoid are not looked at."""

    every_leaf = False

    players: tuple[Response, Response]
    # Rows of each strategy at keys that no play against the other strategy leads to, whatever the player does.
    unmet_rows: tuple[int, int] = (0, 0)


def _expected(rules: Any, sides: tuple[StatedPlay, StatedPlay], nature: Nature) -> tuple[Fraction, Fraction]:
    """Expected payoffs of a profile: a walk over all that both players and chance let happen.

    Whether strategies and rules are sound at all histories of a set is left to the searches for best responses,
    which meet all that is met here.
    """
    earned: tuple[Sums, Sums] = {}, {}
    stack = [(rules.root(), 1, 1)]
    costs = budget()
    costs.about = "strategies"
    report = Reporter("histories that the strategies let happen")
    seen = 0
    while stack:
        seen += 1
        if seen % Reporter.every == 0:
            report(seen)
        h, weight, unit = stack.pop()
        long = unit.bit_length()
        if long > SHORT:
            costs.keep(-2 * long)
        mover = rules.player(h)
        if mover == TERMINAL:
            for sums, (top, bottom) in zip(earned, nature.payoff(rules.payoff(h)), strict=True):
                add(sums, weight * top, unit * bottom)
            continue
        if mover == CHANCE:
            moves = nature.odds(h)
        elif mover in (0, 1):
            side, key = sides[mover == 1], rules.infoset(h)
            moves = (side.decisions.get(key) or side.decide(h, key))[2]
        else:
            raise no_player(mover)
        for i, top, bottom in shares(moves, weight, unit):
            if (long := bottom.bit_length()) > SHORT:
                costs.keep(2 * long)
            stack.append((rules.child(h, i), top, bottom))
    report(seen, seen % Reporter.every)
    return total(earned[0]), total(earned[1])


def evaluate_rules(game: UnbuiltGame, strategies: Sequence[UnbuiltStrategy]) -> RulesOutcome:
    """Exact values and best responses of a profile in a game that is not built.

    Parameters
    ----------
    strategies : pair of UnbuiltStrategy
        Of players 1 and 2.

    Raises
    ------
    CertificateError
        A row is no distribution or lists other actions than the rules, or a default is none.
    ImperfectRecallError
    GameError
        The rules contradict themselves.

    Examples
    --------
    >>> from tremble.games import parse_spec
    >>> from tremble.game.rules import DefaultRule
    >>> rules, spec = parse_spec("kuhn")
    >>> always_first = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
    >>> outcome = evaluate_rules(UnbuiltGame.of(rules, spec=spec), always_first)
    >>> outcome.values, outcome.best_response_values
    ((Fraction(0, 1), Fraction(0, 1)), (Fraction(1, 1), Fraction(1, 1)))
    >>> outcome.players[0].best.rows["J:"]
    (('check', Fraction(0, 1)), ('bet', Fraction(1, 1)))
    """
    rules, sides, nature = _ready(game, strategies)
    players = []
    with _keys_that_are_none():
        values = _expected(rules, sides, nature)
        for me, own in enumerate(strategies):
            most, rows, count = best_response(rules, sides[me], sides[1 - me], nature)
            players.append(Response(values[me], most, UnbuiltStrategy(me, own.default, rows), count))
    unmet = [len(side.rows) - len(side.met_rows) for side in sides]
    return RulesOutcome((players[0], players[1]), nature.total, (unmet[0], unmet[1]))


def expected_rules(game: UnbuiltGame, strategies: Sequence[UnbuiltStrategy]) -> tuple[Fraction, Fraction]:
    """Expected payoffs alone: only what the strategies let happen is looked at. See :func:`evaluate_rules`.

    Examples
    --------
    >>> from tremble.games import parse_spec
    >>> from tremble.game.rules import DefaultRule
    >>> rules, spec = parse_spec("kuhn")
    >>> always_first = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
    >>> expected_rules(UnbuiltGame.of(rules, spec=spec), always_first)
    (Fraction(0, 1), Fraction(0, 1))
    """
    with _keys_that_are_none():
        return _expected(*_ready(game, strategies))


@contextmanager
def _keys_that_are_none() -> Iterator[None]:
    """Raise ``GameError`` where ``infoset(h)`` gives lists, or the like."""
    try:
        yield
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        raise GameError(f"infoset(h) must give a hashable key, such as a text or a tuple ({error})") from error


def _ready(
    game: UnbuiltGame, strategies: Sequence[UnbuiltStrategy]
) -> tuple[Any, tuple[StatedPlay, StatedPlay], Nature]:
    """What a pass over the game starts with; ``CertificateError`` if a row is no distribution."""
    for strategy in strategies:
        for fault in row_faults(strategy):
            raise CertificateError(fault)
    rules = game.rules
    return rules, (StatedPlay(rules, strategies[0]), StatedPlay(rules, strategies[1])), Nature(rules)
