"""The outcome of strategies by rows in a game that is not built, for the kernel.

Only the definition of the game is used: root, player, actions, chance, child, infoset, payoff, and ``default(h)`` where
a strategy says that it plays it. Rules may also offer state keys, observations, bounds and counts. These are hints for
solvers, and a wrong hint must not pass.

Theorem.  Expected payoffs come from a walk over all histories that both strategies let happen, and best responses from
the search in :mod:`tremble.large.check_search`. Leaves and information sets that neither meets play no part in the
outcome: whatever stands there, the strategies guarantee what the outcome says.

Proof.  The walk reaches every leaf of positive probability. The search for a player visits everything that the strategy
of the other player lets happen, whatever the player does.

So a constant sum is known only for the leaves that either strategy allows (`Outcome.every_leaf` is False).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from tremble.check.best_response import Outcome
from tremble.check.claim import Claim, Wrong
from tremble.check.limits import SHORT, Limits
from tremble.check.lists import ListClaim, Plans
from tremble.errors import CertificateError, GameError, ImperfectRecallError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import UnbuiltGame, UnbuiltStrategy
from tremble.large.check_nature import WHERE, Nature, Sums, Visits, add, no_player, shares, total
from tremble.large.check_rows import StatedPlay, row_faults
from tremble.large.check_search import best_response
from tremble.numbers import key_of

__all__ = ["Response", "evaluate_rules", "outcome_of_rules", "plans_of_rules", "played_differently"]

Strategies = Sequence[UnbuiltStrategy]
"""Of players 1 and 2."""


@dataclass(frozen=True, eq=False)
class Response:
    """A best response of one player to the other's strategy."""

    best: UnbuiltStrategy  # pure, with rows at the information sets that it reaches itself
    num_infosets: int  # information sets of the player that the other's strategy lets happen


# -- for the kernel ------------------------------------------------------------------------------------


def outcome_of_rules(game: UnbuiltGame, claim: Claim, limits: Limits, values_only: bool) -> Outcome:
    """Return what the strategies of a claim earn; see :class:`tremble.check.questions.Supplier`.

    ``Outcome.details`` is a pair of :class:`Response`. Faults of the strategies are in the outcome.

    Raises
    ------
    Wrong
        A strategy does not fit the rules, or a player forgets.
    TooLarge
        The check would exceed the limits.
    GameError
        The rules contradict themselves.
    """
    faults = tuple(_faults(claim.strategies, limits))
    if faults:
        return Outcome(None, faults=faults)
    try:
        return _outcome(game, claim.strategies, limits, values_only)
    except (CertificateError, ImperfectRecallError) as error:
        raise Wrong(str(error)) from error


def plans_of_rules(game: UnbuiltGame, claim: ListClaim, limits: Limits) -> Plans:
    """Compare the plans of the members of a list.

    Plans are equal if their rows are stated alike. Plans are different if play shows it: each member is compared with
    the first one, where the play of either of them comes. Other pairs may still be equal or different.

    Raises
    ------
    Wrong
        A strategy does not fit the rules.
    """
    pairs: list[tuple[UnbuiltStrategy, UnbuiltStrategy]] = [member.strategies for member in claim.members]
    same = _numbered([_as_stated(one) for one, _ in pairs]), _numbered([_as_stated(two) for _, two in pairs])
    apart = [0] * len(pairs), [0] * len(pairs)
    visits = Visits(limits)
    try:
        for k in range(1, len(pairs)):
            there = played_differently(game, pairs[0], pairs[k], visits)
            back = played_differently(game, pairs[k], pairs[0], visits)
            for player in (0, 1):
                apart[player][k] = int(there[player] or back[player])
    except CertificateError as error:
        raise Wrong(str(error)) from error
    return Plans(same, apart)


def _faults(strategies: Sequence[Any], limits: Limits) -> Iterator[str]:
    """Yield the reasons why strategies are not strategies by rows of both players."""
    for player, strategy in enumerate(strategies):
        if not isinstance(strategy, UnbuiltStrategy):
            yield f"strategies[{player}]: not a strategy by rows and a default, which a game that is not built needs"
        elif strategy.player != player:
            yield f"strategies[{player}]: here stands a strategy of player {strategy.player + 1}"
        else:
            yield from row_faults(strategy, limits)


# -- what strategies earn ------------------------------------------------------------------------------


def evaluate_rules(game: UnbuiltGame, strategies: Strategies, limits: Limits | None = None) -> Outcome:
    """Compute exact values and best responses of a profile in a game that is not built.

    Parameters
    ----------
    strategies : pair of UnbuiltStrategy
        Of players 1 and 2.
    limits : Limits, optional
        Without limits, the numbers may be of any length.

    Returns
    -------
    Outcome
        ``details`` is a pair of :class:`Response`.

    Raises
    ------
    CertificateError
        A strategy is of the other player; a row is no distribution or lists other actions than the rules; or a
        default does not fit the rules.
    ImperfectRecallError
        A player forgets.
    GameError
        The rules contradict themselves.

    Examples
    --------
    >>> from tremble.games.parameters import parse_spec
    >>> from tremble.game.rules import DefaultRule
    >>> rules, spec = parse_spec("kuhn")
    >>> always_first = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
    >>> outcome = evaluate_rules(UnbuiltGame.of(rules, spec=spec), always_first)
    >>> outcome.values, outcome.best_response_values
    ((Fraction(0, 1), Fraction(0, 1)), (Fraction(1, 1), Fraction(1, 1)))
    >>> outcome.details[0].best.rows["J:"]
    (('check', Fraction(0, 1)), ('bet', Fraction(1, 1)))
    """
    limits = limits or Limits(inf, inf)
    for fault in _faults(strategies, limits):
        raise CertificateError(fault)
    return _outcome(game, strategies, limits)


def _outcome(game: UnbuiltGame, strategies: Strategies, limits: Limits, values_only: bool = False) -> Outcome:
    """Compute the outcome of strategies without faults."""
    rules, nature, visits = game.rules, Nature(game.rules), Visits(limits)
    sides = StatedPlay(rules, strategies[0]), StatedPlay(rules, strategies[1])
    most, responses = [], []
    with _unhashable_keys():
        values = _expected(rules, sides, nature, visits)
        if values_only:
            return Outcome(values, every_leaf=False)
        for me, own in enumerate(strategies):
            value, rows, count = best_response(rules, sides[me], sides[1 - me], nature, visits)
            most.append(value)
            responses.append(Response(UnbuiltStrategy(me, own.default, rows), count))
    unmet = [len(side.rows) - len(side.met_rows) for side in sides]
    return Outcome(
        values,
        (most[0], most[1]),
        nature.total,
        every_leaf=False,
        notes=tuple(
            f"strategies[{player}]: {count:,} rows stand at keys that no play leads to, and prove nothing"
            for player, count in enumerate(unmet)
            if count
        ),
        details=(responses[0], responses[1]),
    )


@contextmanager
def _unhashable_keys() -> Iterator[None]:
    """Raise ``GameError`` if ``infoset(h)`` returns lists, or the like."""
    try:
        yield
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        raise GameError(f"infoset(h) must give a hashable key, such as a text or a tuple ({error})") from error


def _expected(
    rules: Any, sides: tuple[StatedPlay, StatedPlay], nature: Nature, visits: Visits
) -> tuple[Fraction, Fraction]:
    """Compute expected payoffs by a walk over all histories that both players and chance let happen.

    The walk does not compare the histories of an information set with each other. The searches for best responses do,
    and they meet every history of this walk.
    """
    limits = visits.limits
    earned: tuple[Sums, Sums] = {}, {}
    stack = [(rules.root(), 1, 1)]
    seen = 0
    while stack:
        seen += 1
        if seen % Visits.every == 0:
            visits.pay(Visits.every)
        h, weight, unit = stack.pop()
        long = unit.bit_length()
        if long > SHORT:
            limits.keep(WHERE, -2 * long)
        mover = rules.player(h)
        if mover == TERMINAL:
            for sums, (top, bottom) in zip(earned, nature.payoff(rules.payoff(h)), strict=True):
                add(sums, weight * top, unit * bottom, limits)
            continue
        if mover == CHANCE:
            moves = nature.odds(h)
        elif mover in (0, 1):
            side, key = sides[mover == 1], rules.infoset(h)
            moves = (side.decisions.get(key) or side.decide(h, key))[2]
        else:
            raise no_player(mover)
        for i, top, bottom in shares(moves, weight, unit, limits):
            if (long := bottom.bit_length()) > SHORT:
                limits.keep(WHERE, 2 * long)
            stack.append((rules.child(h, i), top, bottom))
    visits.pay(seen % Visits.every)
    return total(earned[0], limits), total(earned[1], limits)


# -- plans in a list -----------------------------------------------------------------------------------


def _as_stated(strategy: UnbuiltStrategy) -> Hashable:
    """Return a key for the default and the rows of a strategy."""
    return strategy.default.rule, frozenset(
        (key, *((a, key_of(p)) for a, p in row)) for key, row in strategy.rows.items()
    )


def _numbered(keys: Sequence[Hashable]) -> list[int]:
    """Number keys from 0 in their order; equal keys get equal numbers."""
    number_of: dict[Hashable, int] = {}
    return [number_of.setdefault(key, len(number_of)) for key in keys]


def played_differently(
    game: UnbuiltGame, played: Strategies, compared: Strategies, visits: Visits
) -> tuple[bool, bool]:
    """Return for each player whether the play of ``played`` reaches a set where ``compared`` plays otherwise.

    The first such set on the way is reached by both strategies of the player, so their plans are different. If there is
    no such set, nothing follows: the plans may differ where the opponents do not let play come.

    Raises
    ------
    CertificateError
        A row of ``compared`` lists other actions than the rules, or its default does not fit the rules.
    """
    rules, nature = game.rules, Nature(game.rules)
    one = StatedPlay(rules, played[0]), StatedPlay(rules, played[1])
    two = StatedPlay(rules, compared[0]), StatedPlay(rules, compared[1])
    different = [False, False]
    stack, seen = [rules.root()], 0
    while stack and not all(different):
        seen += 1
        if seen % Visits.every == 0:
            visits.pay(Visits.every)
        h = stack.pop()
        mover = rules.player(h)
        if mover == TERMINAL:
            continue
        if mover == CHANCE:
            moves = nature.odds(h)
        else:
            key = rules.infoset(h)
            moves = (one[mover].decisions.get(key) or one[mover].decide(h, key))[2]
            if not different[mover]:
                other = two[mover].decisions.get(key) or two[mover].decide(h, key)
                default = two[mover].default
                if other[3] and default is not None and default(h) != other[1]:
                    raise two[mover].two_faced(key)
                different[mover] = moves != other[2]
        stack.extend(rules.child(h, i) for i, _, _ in moves)
    visits.pay(seen % Visits.every)
    return different[0], different[1]
