r"""Values of strategies in ordered games, computed without the game tree for the trusted checker `tremble.check`.

An *own node* is a public state together with a player's hand. A *line* is a history of moves. A strategy stores weights
for classes of own nodes. The functions of this module process every own node and every line, so their results are exact
for any classes.

Theorem (strategies by classes).  Assume that `ordered_faults` finds no fault in a strategy. Then the strategy is a
realization plan of a player who has perfect recall and an information set for each own node and each line.

Proof.  All hands of a class were in the same class in the previous round, and by induction in all earlier rounds. So
for each line, exactly one sequence leads to a class. At each information set the weights of the actions are not
negative, and their sum equals the weight of the sequence that leads to the information set. These are the conditions of
a realization plan.

Classes only save memory: all hands of a class have equal weights. `Responder` computes a best response over all own
nodes, so the value of a best response does not depend on the classes of the responding player.

Theorem (equal plans).  Two strategies have the same realization plan if and only if they have the same weights, as
fractions, at each own node that can be dealt. `plans_of_ordered` compares these fractions in lowest terms.

The trusted code consists of this file and the files `check_deals`, `check_responses` and `check_kernel`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from tremble.check.best_response import Outcome
from tremble.check.claim import Claim
from tremble.check.limits import SHORT, Limits, steps_of
from tremble.check.lists import ListClaim, Plans, number_equal
from tremble.errors import GameError
from tremble.game.rules import UnbuiltGame
from tremble.poker.check_deals import Deal, Dealt, Ends, Tick, Whole, deal_all, ends_of, no_tick, whole_array
from tremble.poker.check_responses import SAFE, WHERE, Plan, Responder
from tremble.poker.game import OrderedGame
from tremble.poker.holdem.check import is_short, outcome_of_holdem
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.stage import StageSide
from tremble.poker.strategy import OrderedStrategy

__all__ = ["can_be_dealt", "deal_all", "ordered_faults", "outcome_of_ordered", "plans_of_ordered"]

IntArray = NDArray[np.int64]


def outcome_of_ordered(game: UnbuiltGame, claim: Claim, limits: Limits, values_only: bool) -> Outcome:
    """Compute the expected payoffs and the best-response values of two strategies that are stored by classes of hands.

    Parameters
    ----------
    game : UnbuiltGame
        An ordered game of two players whose tree is not built.
    claim : Claim
        A claim that contains an :class:`OrderedStrategy` for player 1 and for player 2. The function reads only the
        strategies.
    limits : Limits
        The limits of the check. The function increases the limits in proportion to the size of the game.
    values_only : bool
        This argument is ignored. Best-response values are always computed because they result from the same passes and
        take little more time.

    Returns
    -------
    Outcome
        The payoffs and values. If the claimed strategies do not belong to this game, ``faults`` contains the reasons.

    Raises
    ------
    GameError
        The rules are contradictory, or the game is too large.
    TooLarge
        The strategies contain numbers that are too long.

    Examples
    --------
    >>> import tremble
    >>> from tremble.check import Claim, Limits
    >>> game = tremble.load_rules("rhode_island:ranks=2,suits=2")
    >>> strategies = tuple(OrderedStrategy.uniform(game.rules, player) for player in (0, 1))
    >>> claim = Claim("nash", "certified", strategies, None, {}, kind="ordered")
    >>> outcome_of_ordered(game, claim, Limits.for_game(0), values_only=False).nash_conv > 0
    True
    """
    rules, strategies = game.rules, claim.strategies
    if isinstance(rules, HoldemGame) and (is_short(strategies) or not rules.is_ordered):
        return outcome_of_holdem(game, claim, limits, values_only)
    if not isinstance(rules, OrderedGame):
        return _refused(["strategies: the strategies are for an ordered game, but these rules are not an ordered game"])
    swapped = [(i, strategy.player + 1) for i, strategy in enumerate(strategies) if strategy.player != i]
    if swapped:
        return _refused([f"strategies[{i}]: this is a strategy of player {other}" for i, other in swapped])
    # List the deals, and increase the limits in proportion to the size of the game.
    deal = deal_all(rules, limits.tick)
    for dealt in deal.rounds:
        limits.grant(2 * dealt.num_nodes * dealt.num_lines)
    # Check that the strategies are realization plans.
    leads: list[list[Whole]] = [[], []]
    faults = [
        fault
        for strategy, lead in zip(strategies, leads, strict=True)
        for fault in ordered_faults(deal, strategy, limits.tick, lead)
    ]
    if faults:
        return _refused(faults)
    plans = Plan.of(strategies[0], leads[0]), Plan.of(strategies[1], leads[1])
    # Compute the common denominator of the payoffs.
    ends = [ends_of(rules, number, dealt, limits.tick) for number, dealt in enumerate(deal.rounds)]
    payoffs = {u for end in ends if end is not None for pay in end.payoff for o in pay for e in o for u in e}
    unit = lcm(*{u.denominator for u in payoffs})
    most_paid = max([1, *(abs(int(u * unit)) for u in payoffs)])  # at least 1, so that it bounds the weights, too
    # Compute each player's expected payoff and best-response value.
    found: list[tuple[Fraction, Fraction]] = []
    kept = 0
    for me in (0, 1):
        whole = deal.total * unit * plans[1 - me].denominator
        both = whole * plans[me].denominator
        _charge_division(limits, WHERE, both.bit_length(), 2)  # for both fractions, before the long computation
        responder = Responder(deal, me, ends, unit, most_paid, plans, limits)
        value, best = responder.values()
        kept += responder.kept
        found.append((Fraction(value, both), Fraction(best, whole)))
    limits.keep(WHERE, -kept)
    (value1, best1), (value2, best2) = found
    return Outcome((value1, value2), (best1, best2), _constant_sum(deal, ends, limits.tick))


def plans_of_ordered(game: UnbuiltGame, claim: ListClaim, limits: Limits) -> Plans:
    """Number each player's plans in the profiles of ``claim``. Equal plans, and only these, have equal numbers.

    The caller must have checked that :func:`ordered_faults` finds no fault in the strategies.
    """
    if not isinstance(game.rules, OrderedGame):
        raise GameError(f"{game.title}: lists of equilibria are checked only for ordered games")
    deal = deal_all(game.rules, limits.tick)
    numbers1, numbers2 = (
        _number_plans(deal, player, [member.strategies[player] for member in claim.members], limits)
        for player in (0, 1)
    )
    numbers = numbers1, numbers2
    return Plans(numbers, numbers)


def _refused(faults: Sequence[str]) -> Outcome:
    """Return an outcome that contains only ``faults``, and no values."""
    return Outcome(None, faults=tuple(faults))


def _charge_division(limits: Limits, where: str, bits: int, times: int) -> None:
    """Charge ``limits`` for ``times`` divisions (or greatest common divisors) of numbers with ``bits`` bits.

    Operations on short numbers cost nothing.
    """
    if 2 * bits > SHORT:
        limits.spend(where, steps_of(bits, bits), times)


# -- given strategies ------------------------------------------------------------------------------------


def ordered_faults(
    deal: Deal, strategy: OrderedStrategy, tick: Tick = no_tick, leads: list[Whole] | None = None
) -> Iterator[str]:
    """Yield the reasons why a strategy is not a realization plan of the game whose deals are ``deal``.

    For each round without faults, the function appends an array of shape [classes, lines] to ``leads``: the weights of
    the empty sequence.
    """
    where = f"strategies[{strategy.player}]"
    rounds = len(deal.rounds)
    if len(strategy.class_of) != rounds or len(strategy.weight) != rounds:
        yield (
            f"{where}: there are classes for {len(strategy.class_of)} rounds and weights for {len(strategy.weight)} "
            f"rounds, but the game has {rounds} rounds"
        )
        return
    if strategy.denominator < 1:
        yield f"{where}: the denominator must be positive, not {strategy.denominator}"
        return
    lead: Whole = whole_array([strategy.denominator], (1, 1))  # weights of sequences before the round, [classes, lines]
    for number, dealt in enumerate(deal.rounds):
        tick()
        here = f"{where}, round {number + 1}"
        classes, weight = strategy.class_of[number], strategy.weight[number]
        # Check types and shapes.
        side = dealt.stage.side(strategy.player)
        if not _whole_numbers(weight) or classes.dtype.kind != "i":
            yield f"{here}: weights and classes must be integers, not of the types {weight.dtype} and {classes.dtype}"
            return
        count = len(weight)
        if count > dealt.num_nodes:
            yield f"{here}: there are {count:,} classes, but only {dealt.num_nodes:,} hands"
            return
        shape = (count, side.num_sequences - 1, dealt.num_lines)
        if weight.shape != shape:
            yield f"{here}: the weights have the shape {weight.shape}, not [classes, sequences, lines] = {shape}"
            return
        if classes.shape != (dealt.num_nodes,):
            yield f"{here}: classes have the shape {classes.shape}, but there are {dealt.num_nodes:,} hands"
            return
        if classes.min() < -1 or classes.max() >= count:
            yield (
                f"{here}: classes are numbered from {classes.min()} to {classes.max()}, but there are weights for "
                f"classes 0 to {count - 1}"
            )
            return
        # Check that every hand that can be dealt has a class, and that each class comes from one class of the previous
        # round.
        missed = np.flatnonzero((classes < 0) & can_be_dealt(dealt, strategy.player))
        if len(missed):
            yield f"{here}: hand {missed[0]} can be dealt, but has no class ({len(missed):,} such hands)"
            return
        before, earlier = _classes_before(strategy, number, dealt)
        if (earlier < 0).any():
            yield f"{here}: class {np.argmin(earlier)} has no hand, or a hand without a class in the previous round"
            return
        forgotten = np.flatnonzero((classes >= 0) & (earlier[classes] != before))
        if len(forgotten):
            yield (
                f"{here}: information is not preserved: hand {forgotten[0]} is in class {classes[forgotten[0]]} "
                f"together with hands that were in another class in round {number} ({len(forgotten):,} such hands)"
            )
            return
        # Check that the weights are a realization plan.
        lead = lead[earlier]
        wrong = list(_flow_faults(here, dealt, side, lead, weight))
        yield from wrong
        if wrong:
            return
        if leads is not None:
            leads.append(lead)
        lead = _leads(dealt, side, lead, weight)


def _whole_numbers(weight: Whole) -> bool:
    """Check that all entries of an array are int64 or Python integers."""
    return weight.dtype == np.int64 or (weight.dtype == object and all(type(w) is int for w in weight.flat))


def can_be_dealt(dealt: Dealt, player: int) -> NDArray[np.bool_]:
    """Return a mask [B * N] over pairs of a public state and a hand: True if chance can deal the hand to ``player``."""
    if dealt.ranges is None:
        return np.ones(dealt.num_nodes, dtype=np.bool_)  # the weights of signals are positive
    mine, others = dealt.ranges[player] > 0, dealt.ranges[1 - player] > 0
    dealt_to = np.zeros(dealt.mask.shape, dtype=np.bool_)
    for b, mask in enumerate(dealt.mask):
        against = mask[others[b]]
        for i in np.flatnonzero(mine[b]):
            dealt_to[b, i] = ((against & mask[i]) == 0).any()
    return dealt_to.ravel()


def _classes_before(strategy: OrderedStrategy, number: int, dealt: Dealt) -> tuple[IntArray, IntArray]:
    """Return two arrays: the previous-round class (-1 if none) of each hand, and of each class, in round ``number``."""
    classes = strategy.class_of[number]
    earlier = np.full(len(strategy.weight[number]), -1, dtype=np.int64)
    before = strategy.class_of[number - 1][dealt.earlier] if number else np.zeros(dealt.num_nodes, dtype=np.int64)
    earlier[classes[classes >= 0]] = before[classes >= 0]
    return before, earlier


def _flow_faults(here: str, dealt: Dealt, side: StageSide, lead: Whole, weight: Whole) -> Iterator[str]:
    """Yield an error if a weight is negative, or if a set's weights do not sum to the weight of the parent sequence."""
    if not weight.size:
        return
    most = max(int(lead.max()), -int(weight.min()), int(weight.max()))
    actions = max(after - first for first, after in zip(side.start, side.start[1:], strict=False))
    if (most * actions).bit_length() > SAFE:
        weight = weight.astype(object)
    negative = np.argwhere(weight < 0)
    if len(negative):
        c, s, h = negative[0].tolist()
        yield f"{here}, class {c}, line {h}: sequence {s + 1} has the negative weight {weight[c, s, h]}"
        return
    for k, parent in enumerate(side.parent):
        first, after = side.start[k] - 1, side.start[k + 1] - 1
        led = lead if parent == 0 else weight[:, parent - 1]
        total = weight[:, first:after].sum(axis=1)
        wrong = np.argwhere(total != led)
        if len(wrong):
            c, h = wrong[0].tolist()
            moves = "-".join(dealt.stage.line[side.nodes[k]]) or "the first move"
            yield (
                f"{here}, class {c}, line {h}, at {moves}: the weights of the actions sum to {total[c, h]}, but "
                f"the sequence before them has the weight {led[c, h]} ({len(wrong):,} such information sets)"
            )


def _leads(dealt: Dealt, side: StageSide, lead: Whole, weight: Whole) -> Whole:
    """Return an array of shape [classes, lines of the next round]: the weights of sequences that lead to that round."""
    last = [side.last[leaf] for leaf in dealt.stage.going_on]
    if not last:
        return lead
    parts = [lead if s == 0 else weight[:, s - 1] for s in last]
    return np.stack(parts, axis=2).reshape(len(weight), -1)


# -- payoffs ---------------------------------------------------------------------------------------------


def _constant_sum(deal: Deal, ends: list[Ends | None], tick: Tick) -> Fraction | None:
    """Return the sum of both players' payoffs if all leaves that can be reached have the same sum, otherwise None."""
    sums: set[Fraction] = set()
    for dealt, end in zip(deal.rounds, ends, strict=True):
        if end is None:
            continue
        of_player1, of_player2 = end.payoff
        of_outcome = [
            {u + v for e, f in zip(*leaves, strict=True) for u, v in zip(e, f, strict=True)}
            for leaves in zip(of_player1, of_player2, strict=True)
        ]
        if len(set.union(*of_outcome)) == 1:
            sums |= of_outcome[0]
        else:
            sums = sums.union(*(of_outcome[o] for o in _possible_outcomes(dealt, end, tick)))
        if len(sums) > 1:
            return None
    return sums.pop() if len(sums) == 1 else None


def _possible_outcomes(dealt: Dealt, ends: Ends, tick: Tick) -> set[int]:
    """Return the outcomes of all pairs of hands that can be dealt together."""
    outcomes: set[int] = set()
    for b, (mask, strength) in enumerate(zip(dealt.mask, ends.strength, strict=True)):
        tick()
        fits = (mask[:, None] & mask) == 0
        if dealt.joint is not None:
            fits &= dealt.joint[b] > 0
        if dealt.ranges is not None:
            fits &= (dealt.ranges[0][b] > 0)[:, None] & (dealt.ranges[1][b] > 0)
        own, other = strength[:, None], strength[None, :]
        code = own * ends.span + other if ends.span else np.sign(own - other) + 1
        outcomes |= set(np.unique(ends.outcome[code[fits]]).tolist())
    return outcomes


# -- equal plans -----------------------------------------------------------------------------------------


def _number_plans(deal: Deal, player: int, strategies: Sequence[OrderedStrategy], limits: Limits) -> list[int]:
    """Return a number for each strategy of a player. Two numbers are equal if and only if the plans are equal."""
    keys: list[list[int]] = [[] for _ in strategies]
    for number, dealt in enumerate(deal.rounds):
        # Number the weight rows of all classes of all strategies, such that equal rows have equal numbers.
        rows: list[tuple[int, ...]] = []
        first: list[int] = []
        for strategy in strategies:
            weight = strategy.weight[number]
            limits.spend("equilibria", 100, weight.size)
            first.append(len(rows))
            rows.extend(_lowest_terms(row.ravel().tolist(), strategy.denominator, limits) for row in weight)
        number_of = np.array(number_equal(rows), dtype=np.int64)
        # Compare the strategies by the row numbers of the hands that can be dealt. The keys are bytes objects. Python
        # salts their hashes, so a malicious file cannot slow down the dictionary with equal hashes.
        possible = can_be_dealt(dealt, player)
        seen: dict[bytes, int] = {}
        for key, strategy, start in zip(keys, strategies, first, strict=True):
            by_hand = number_of[start + strategy.class_of[number][possible]].tobytes()
            key.append(seen.setdefault(by_hand, len(seen)))
    return number_equal([tuple(key) for key in keys])


def _lowest_terms(row: list[int], whole: int, limits: Limits) -> tuple[int, ...]:
    """Divide ``whole`` and all numbers of ``row`` by their greatest common divisor; return ``whole``, then the row."""
    _charge_division(limits, "equilibria", whole.bit_length(), 2 * (1 + len(row)))
    common = gcd(whole, *row)
    return whole // common, *(weight // common for weight in row)
