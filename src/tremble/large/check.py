"""The part of the checking kernel for games with rules but no tree: values of a profile, and best responses to it.

A game is *not built* if it has rules but no tree. A strategy of such a game consists of rows and a default. A row lists
the probabilities of all actions at one information set. At a set without a row, the default names the action.

The check uses only the functions that define the game: root, player, actions, chance, child, infoset and payoff. It
calls ``default(h)`` only if a strategy uses the default of the rules. Rules may also have functions for state keys,
observations, bounds on payoffs, and numbers of nodes. These are hints for solvers. The check does not use them, so a
wrong hint cannot affect its result.

Theorem.  Expected payoffs are computed by a walk over all histories of positive probability. Best-response values are
computed by the search in :mod:`tremble.large.check_search`. Only the leaves and information sets that the walk or a
search visits affect the results.

Proof.  The walk reaches every leaf of positive probability. The search for a player visits every history that the other
player's strategy and chance allow. So the search covers every strategy of the player.

The check sees only the leaves that at least one of the two strategies allows. So it can establish that the payoffs have
a constant sum at these leaves, but not at other leaves. `Outcome.every_leaf` is therefore False.

For games that are written as positions, :mod:`tremble.large.check_positions` proves the same with fewer visits. Its
table contains all leaves, so `Outcome.every_leaf` is True.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
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
from tremble.large.check_nature import WHERE, Nature, Sums, TooManyVisits, Visits, add, key_of, no_player, shares, total
from tremble.large.check_positions import Merged, TooLong, merged_check
from tremble.large.check_rows import StatedPlay, row_faults
from tremble.large.check_search import best_response
from tremble.large.position_rules import may_be_merged

__all__ = ["Response", "evaluate_rules", "outcome_of_rules", "plans_of_rules", "played_differently"]

_FEW, _FEW_VISITS = 20_000, 500_000  # positions of a small table, which takes half a second; histories in 4 s

Strategies = Sequence[UnbuiltStrategy]
"""The strategies of players 1 and 2."""


@dataclass(frozen=True, eq=False)
class Response:
    """A best response of one player to the other player's strategy."""

    best: UnbuiltStrategy  # a pure strategy with a row at each information set that its own actions can reach
    num_infosets: int  # number of the player's information sets that the search has visited


# -- for the kernel ------------------------------------------------------------------------------------


def outcome_of_rules(game: UnbuiltGame, claim: Claim, limits: Limits, values_only: bool) -> Outcome:
    """Return the values of the two strategies in a claim, and best responses to these strategies.

    The function has the signature of ``tremble.check.judging.Supplier``. ``Outcome.details`` is a pair of
    :class:`Response`, for players 1 and 2. With ``values_only``, the function computes no best responses. If a strategy
    is malformed, ``Outcome.faults`` lists the errors, and the function computes nothing.

    Raises
    ------
    Wrong
        A strategy does not fit the rules, or a player does not have perfect recall.
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
    """Compare the realization plans of the equilibria in a list: find pairs of equal plans and pairs of unequal plans.

    Two plans of a player are equal if the strategies have the same default and the same rows. The function also
    compares each plan with the plan in the first equilibrium. These two plans are different if the strategies differ at
    an information set that is reached in one of the two equilibria. All other pairs of plans stay undecided.

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
    """Yield the errors in a pair of strategies that can be found without the rules of the game."""
    for player, strategy in enumerate(strategies):
        if not isinstance(strategy, UnbuiltStrategy):
            yield f"strategies[{player}]: expected a strategy with rows and a default, because the game is not built"
        elif strategy.player != player:
            yield f"strategies[{player}]: this is a strategy of player {strategy.player + 1}"
        else:
            yield from row_faults(strategy, limits)


# -- values and best responses -------------------------------------------------------------------------


def evaluate_rules(game: UnbuiltGame, strategies: Strategies, limits: Limits | None = None) -> Outcome:
    """Compute the exact values of a profile, and best responses to it, in a game that is not built.

    Parameters
    ----------
    strategies : pair of UnbuiltStrategy
        The strategies of players 1 and 2.
    limits : Limits, optional
        The limits on work and memory. Without them, work and memory are unlimited, and numbers may have any length.

    Returns
    -------
    Outcome
        The field ``details`` is a pair of :class:`Response`, for players 1 and 2.

    Raises
    ------
    CertificateError
        One of these errors:

        - A strategy belongs to the other player.
        - The numbers in a row are not a probability distribution.
        - A row and the rules list different actions.
        - A strategy's default rule for sets without a row is unknown, or contradicts the rules of the game.
    ImperfectRecallError
        A player does not have perfect recall.
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
    """Compute the values of well-formed strategies and, unless ``values_only`` is True, best responses to them."""
    # A table takes seconds if the game is large. So positions come first if they are few, and last if they are many.
    roads = (_FEW, Visits(limits, most=_FEW_VISITS)), (inf, Visits(limits))
    for most, visits in roads if may_be_merged(game.rules) else ():
        with suppress(RecursionError, TooLong, TooManyVisits):  # the search calls itself for each own move
            merged = merged_check(game.rules, strategies, Visits(limits), most)
            if merged is not None:
                return _outcome_of_positions(merged, strategies, values_only)
            return _outcome_of_histories(game, strategies, visits, values_only)
    return _outcome_of_histories(game, strategies, Visits(limits), values_only)


def _outcome_of_positions(merged: Merged, strategies: Strategies, values_only: bool) -> Outcome:
    """Compute what :func:`_outcome` returns, with all histories merged that lead to the same position."""
    values = merged.values()
    if values_only:
        return Outcome(values, constant_sum=merged.table.total)
    found = []
    for me, own in enumerate(strategies):
        value, rows, count = merged.best_response(me)
        found.append((value, Response(UnbuiltStrategy(me, own.default, rows), count)))
    (best1, response1), (best2, response2) = found
    return Outcome(
        values, (best1, best2), merged.table.total, notes=_notes([side.num_unseen for side in merged.sides]),
        details=(response1, response2),
    )  # fmt: skip


def _notes(unmet: Sequence[int]) -> tuple[str, ...]:
    return tuple(
        f"strategies[{player}]: {count:,} rows have no effect, because play cannot reach their information sets"
        for player, count in enumerate(unmet)
        if count
    )


def _outcome_of_histories(game: UnbuiltGame, strategies: Strategies, visits: Visits, values_only: bool) -> Outcome:
    """Compute what :func:`_outcome` returns, by visiting histories."""
    rules, nature = game.rules, Nature(game.rules)
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
        notes=_notes(unmet),
        details=(responses[0], responses[1]),
    )


@contextmanager
def _unhashable_keys() -> Iterator[None]:
    """Raise ``GameError`` if ``infoset(h)`` returns a value that is not hashable, such as a list."""
    try:
        yield
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        raise GameError(f"infoset(h) must return a hashable key, such as a string or a tuple ({error})") from error


def _expected(
    rules: Any, sides: tuple[StatedPlay, StatedPlay], nature: Nature, visits: Visits
) -> tuple[Fraction, Fraction]:
    """Compute expected payoffs by a walk over all histories of positive probability.

    The walk does not check that all histories of an information set have the same actions. The searches for best
    responses check this later, because they also visit every history that the walk visits.
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
    """Return a key that is equal for two strategies if their defaults and rows are equal."""
    return strategy.default.rule, frozenset(
        (key, *((a, key_of(p)) for a, p in row)) for key, row in strategy.rows.items()
    )


def _numbered(keys: Sequence[Hashable]) -> list[int]:
    """Number keys from 0 in order of first appearance. Equal keys get equal numbers."""
    number_of: dict[Hashable, int] = {}
    return [number_of.setdefault(key, len(number_of)) for key in keys]


def played_differently(
    game: UnbuiltGame, played: Strategies, compared: Strategies, visits: Visits
) -> tuple[bool, bool]:
    """Return, for each player, True if its two strategies differ at an information set that ``played`` reaches.

    If the result is True, the player's two realization plans are different. Proof: consider the first such set on a
    path of play. Both strategies of the player reach this set, because they agree at all earlier sets.

    If the result is False, the two plans can still differ, at sets that ``played`` does not reach because of the
    opponent's strategy.

    Raises
    ------
    CertificateError
        A row of ``compared`` and the rules list different actions, or a default does not fit the rules.
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
