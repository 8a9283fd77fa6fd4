r"""The verifier's own passes over rules that are never built.

Of the rules only what defines the game is used: root, player, actions, chance, child, infoset, payoff, and
``default(h)`` where a strategy says that it plays it. What else rules may offer (state keys, observations,
bounds, counts) are hints for solvers, and a wrong hint must not pass.

**Best responses.** Against a fixed strategy, all histories of an information set that the other player and
chance let happen follow, by perfect recall, after one and the same own action. So the search carries lists
of histories with weights (of chance times the other player): for each own action it plays on until the
player moves again or the game ends, and sorts the histories by what the player then knows. Each such list
*is* the information set, as far as the other player's strategy ever comes there, and is met once; meeting a set a
second time proves that the player forgets. Sets are numbered as they are met, so a backward loop adds up

.. math::  v(q) = \sum_{z \in q} w_z\,u(z) + \sum_{I \text{ after } q} \max_{a} v(I, a) .

No bound cuts the search short: what is never looked at can only be what the other player never lets happen.
Weights are integers over the common denominator of their list, so that where the other player does not mix
there is nothing to multiply.

Leaves and information sets that neither search meets play no part in what is proven: whatever stands there,
the strategies guarantee what is said here.

References
----------
B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček, "An exact double-oracle algorithm for zero-sum
extensive-form games with imperfect information", JAIR 51, 2014, section 4.2 (there with pruning).
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from tremble.errors import CertificateError, GameError, ImperfectRecallError, PlayersError
from tremble.exact_number import exact_numbers, exact_payoffs
from tremble.fraction_text import shorten
from tremble.model.game import CHANCE, TERMINAL, label_tuple
from tremble.model.rules import UnbuiltGame, UnbuiltStrategy, text_of_key
from tremble.verifier.budget import SHORT, budget
from tremble.verifier.profiles.outcome import Earnings, Outcome

__all__ = ["Response", "RulesOutcome", "evaluate_rules", "expected_rules", "row_faults"]

_LOOKED_AT = 1_000  # histories between two looks at the clock
_REPORT_SECONDS = 0.2  # between two reports
_ODDS_KEPT = 4096
_SHORT = 1024  # bits of a denominator up to which looking for a common factor is cheap

_Move = tuple[int, int, int]  # position of an action, numerator and denominator of its probability, positive
_Decision = tuple[tuple[str, ...], int, tuple[_Move, ...], bool]  # labels; the action if it is one; moves; by default?
_Row = tuple[tuple[str, Fraction], ...]  # labels and probabilities of all actions
_Sums = dict[int, int]  # denominator -> numerators over it


@dataclass(frozen=True, eq=False)
class Response(Earnings):
    """How one player's strategy fares, and a best response to the other's.

    Attributes
    ----------
    best : UnbuiltStrategy
        A pure best response, with rows at the information sets that it meets.
    num_infosets : int
        How many information sets of the player the other's strategy lets happen.
    """

    best: UnbuiltStrategy
    num_infosets: int


@dataclass(frozen=True, eq=False)
class RulesOutcome(Outcome):
    """What a profile earns in a game that is not built.

    Attributes
    ----------
    players : pair of Response
    unmet_rows : pair of int
        Rows of each strategy at keys that no play against the other strategy leads to, whatever the player does.
    """

    players: tuple[Response, Response]
    unmet_rows: tuple[int, int] = (0, 0)


# -- strategies ----------------------------------------------------------------------------------


def row_faults(strategy: UnbuiltStrategy) -> list[str]:
    """What keeps rows from being distributions, in words that name the place."""
    found = []
    costs = budget()
    costs.about = f"strategies[{strategy.player}]"
    for key, row in strategy.rows.items():
        here = _place(strategy.player, key)
        if not row:
            found.append(f"{here}: there are no actions")
            continue
        try:
            exact = exact_numbers((p for _, p in row), "probability")
        except GameError as error:
            found.append(f"{here}: {error}")
            continue
        for (label, _), p in zip(row, exact, strict=True):
            if p < 0:
                found.append(f"{here}: the probability of {label!r:.80} is negative: {shorten(p)}")
        whole = costs.common_denominator(p.denominator for p in exact)
        costs.quotient(whole.bit_length(), whole.bit_length(), len(exact))
        total = Fraction(sum(p.numerator * (whole // p.denominator) for p in exact), whole)
        if total != 1:
            found.append(f"{here}: the probabilities sum to {shorten(total)}, not 1")
    return found


def _place(player: int, key: Hashable) -> str:
    return f"player {player + 1}, information set {text_of_key(key)!r:.300}"


def _labels(labels: Sequence[str], player: int, key: Hashable) -> tuple[str, ...]:
    """The actions of an information set; ``GameError`` unless they are different texts."""
    labels = label_tuple(labels)
    if not labels or not all(isinstance(label, str) for label in labels) or len(set(labels)) < len(labels):
        raise GameError(f"{_place(player, key)}: the actions are no list of different texts: {labels!r:.300}")
    return labels


def _unlike(player: int, key: Hashable, one: Sequence[str], two: Sequence[str]) -> GameError:
    return GameError(
        f"{_place(player, key)}: the rules allow {tuple(one)!r:.300} at one history and {tuple(two)!r:.300} at another"
    )


class _Side:
    """One player's strategy, found out set by set.

    ``known`` maps the keys of the sets met so far to what is played there. At each further history of a set
    the caller compares labels, and the default where the rules name it: both are part of being a set.
    """

    def __init__(self, rules: Any, strategy: UnbuiltStrategy) -> None:
        self.player = strategy.player
        self.known: dict[Hashable, _Decision] = {}
        self.rows = strategy.rows
        self.met_rows: set[str] = set()
        self._rules = rules
        self.default: Callable[[Any], int] | None = None
        if strategy.default.rule == "rules":
            self.default = getattr(rules, "default", None)
            if self.default is None:
                raise CertificateError(
                    f"strategies[{self.player}].default: the rules of this game name no default action"
                )
        elif strategy.default.rule != "first":
            raise CertificateError(f"strategies[{self.player}].default: there is no rule {strategy.default.rule!r:.80}")

    def decide(self, h: Any, key: Hashable) -> _Decision:
        """What is played at a set that is met for the first time."""
        labels = _labels(self._rules.actions(h), self.player, key)
        row = self.row(key, labels)
        if row is None:
            index = 0 if self.default is None else self.default(h)
            if index not in range(len(labels)):
                raise CertificateError(
                    f"{_place(self.player, key)}: default(h) names action {index!r:.80}; there are {len(labels)}"
                )
            decision: _Decision = labels, index, ((index, 1, 1),), self.default is not None
        else:
            exact = exact_numbers((p for _, p in row), "probability")
            moves = tuple((i, p.numerator, p.denominator) for i, p in enumerate(exact) if p)
            decision = labels, moves[0][0] if len(moves) == 1 else -1, moves, False
        self.known[key] = decision
        return decision

    def row(self, key: Hashable, labels: tuple[str, ...]) -> _Row | None:
        """The row of a set, if it has one; it must list the actions of the rules in their order."""
        text = text_of_key(key)
        row = self.rows.get(text)
        if row is not None:
            self.met_rows.add(text)
        if row is not None and tuple(label for label, _ in row) != labels:
            raise CertificateError(
                f"{_place(self.player, key)}: the actions are {[label for label, _ in row]!r:.300}, but the game has "
                f"{list(labels)!r:.300} in this order"
            )
        return row

    def two_faced(self, key: Hashable) -> CertificateError:
        """The default depends on more than what the player knows."""
        return CertificateError(
            f"{_place(self.player, key)}: default(h) names different actions at histories of this set"
        )


# -- chance and payoffs --------------------------------------------------------------------------


class _Nature:
    """Chance and the payoffs, read from the rules, checked and remembered.

    ``payoffs`` maps a pair of payoffs to numerator and denominator for players 1 and 2. ``total`` is what the
    pairs met so far sum to, None once two sums differ.
    """

    def __init__(self, rules: Any) -> None:
        self._rules = rules
        self._odds: dict[tuple[int, int], tuple[Any, Any, tuple[_Move, ...]]] = {}
        self.payoffs: dict[Any, tuple[tuple[int, int], tuple[int, int]]] = {}
        self.total: Fraction | None = None

    def odds(self, h: Any) -> tuple[_Move, ...]:
        """The outcomes of a chance history that have positive probability."""
        labels, probabilities = self._rules.actions(h), self._rules.chance(h)
        same = self._odds.get((id(labels), id(probabilities)))
        if same is not None:
            return same[2]
        exact = exact_numbers(probabilities, "chance probability")
        labels = label_tuple(labels)
        if len(labels) != len(exact):
            raise GameError(f"{len(labels)} chance actions have {len(exact)} probabilities")
        if len(set(labels)) < len(labels):
            raise GameError(f"a chance node repeats an action label: {labels!r:.300}")
        if any(p < 0 for p in exact) or sum(exact) != 1:
            raise GameError(f"the chance probabilities {probabilities!r:.300} are negative or do not sum to 1")
        moves = tuple((i, p.numerator, p.denominator) for i, p in enumerate(exact) if p)
        if isinstance(labels, tuple) and isinstance(probabilities, tuple):
            if len(self._odds) >= _ODDS_KEPT:
                self._odds.clear()
            self._odds[id(labels), id(probabilities)] = labels, probabilities, moves  # held, so that ids stay theirs
        return moves

    def payoff(self, pair: Any) -> tuple[tuple[int, int], tuple[int, int]]:
        """Numerators and denominators of payoffs, which are checked when first met."""
        with suppress(KeyError, TypeError):  # a list, or a fraction of NumPy's integers, cannot be looked up
            return self.payoffs[pair]
        one, two = exact_payoffs(pair)
        total = Fraction(one + two)
        if not self.payoffs:
            self.total = total
        elif total != self.total:
            self.total = None
        entry = (one.numerator, one.denominator), (two.numerator, two.denominator)
        self.payoffs[one, two] = entry
        return entry


def _no_player(mover: Any) -> PlayersError:
    return PlayersError(f"a history belongs to player index {mover!r}; only 0 and 1 (and CHANCE) can move")


def _split(moves: tuple[_Move, ...], weight: int, unit: int) -> list[tuple[int, int, int]]:
    """The share of each move in a weight, shortened crosswise: a gcd of two long numbers would take long."""
    parts = []
    length = unit.bit_length()  # weights are probabilities over it
    costs = budget() if length > SHORT else None
    for i, top, bottom in moves:
        if costs is not None:
            costs.quotient(length, bottom.bit_length(), 4)
        one, two = gcd(weight, bottom), gcd(top, unit)
        parts.append((i, weight // one * (top // two), unit // two * (bottom // one)))
    return parts


def _add(odd: dict[int, dict[int, _Sums]], number: int, sequence: int, top: int, bottom: int) -> None:
    """Add a fraction to what a sequence of a set earns over other denominators."""
    _add_to(odd.setdefault(number, {}).setdefault(sequence, {}), top, bottom)


def _add_to(sums: _Sums, top: int, bottom: int) -> None:
    """Add a fraction to a sum, among the parts over its denominator."""
    before = sums.get(bottom)
    if before is None:
        before = 0
        if bottom.bit_length() > SHORT:
            budget().keep(2 * bottom.bit_length())
    sums[bottom] = before + top


def _total(sums: _Sums) -> Fraction:
    """What the parts add up to: short denominators first, which often divide the next."""
    top, whole = 0, 1
    costs = budget()
    for unit, part in sorted(sums.items()):
        costs.quotient(whole.bit_length(), unit.bit_length(), 3)
        larger = lcm(whole, unit)
        long, growth = larger.bit_length(), larger.bit_length() - whole.bit_length()
        costs.quotient(long, growth + unit.bit_length(), 2)
        top = top * (larger // whole) + part * (larger // unit)
        whole = larger
    costs.quotient(whole.bit_length(), whole.bit_length())
    return Fraction(top, whole)


class _Reporter:
    """Tells how far a pass has come, a few times a second; whoever listens may end it by raising."""

    def __init__(self, progress: Callable[[str], None] | None, what: str) -> None:
        self._progress, self._what = progress, what
        self._next = time.monotonic()

    def __call__(self, count: int) -> None:
        budget().grant(_LOOKED_AT)
        now = time.monotonic()
        if self._progress is not None and now >= self._next:
            self._next = now + _REPORT_SECONDS
            self._progress(f"verification: {count:,} {self._what}")


# -- what strategies earn ------------------------------------------------------------------------


def _expected(
    rules: Any, sides: tuple[_Side, _Side], nature: _Nature, progress: Callable[[str], None] | None
) -> tuple[Fraction, Fraction]:
    """Expected payoffs of a profile: a walk over all that both players and chance let happen.

    Whether strategies and rules are sound at all histories of a set is left to the searches for best responses,
    which meet all that is met here.
    """
    earned: tuple[_Sums, _Sums] = {}, {}
    stack = [(rules.root(), 1, 1)]
    costs = budget()
    costs.about = "strategies"
    report = _Reporter(progress, "histories that the strategies let happen")
    seen = 0
    while stack:
        seen += 1
        if seen % _LOOKED_AT == 0:
            report(seen)
        h, weight, unit = stack.pop()
        long = unit.bit_length()
        if long > SHORT:
            costs.keep(-2 * long)
        mover = rules.player(h)
        if mover == TERMINAL:
            for sums, (top, bottom) in zip(earned, nature.payoff(rules.payoff(h)), strict=True):
                _add_to(sums, weight * top, unit * bottom)
            continue
        if mover == CHANCE:
            moves = nature.odds(h)
        elif mover in (0, 1):
            side, key = sides[mover == 1], rules.infoset(h)
            moves = (side.known.get(key) or side.decide(h, key))[2]
        else:
            raise _no_player(mover)
        for i, top, bottom in _split(moves, weight, unit):
            if (long := bottom.bit_length()) > SHORT:
                costs.keep(2 * long)
            stack.append((rules.child(h, i), top, bottom))
    return _total(earned[0]), _total(earned[1])


def _best_response(
    rules: Any,
    own: _Side,
    other: _Side,
    nature: _Nature,
    progress: Callable[[str], None] | None,
) -> tuple[Fraction, dict[str, _Row], int]:
    """Value of a best response, its rows where it comes, and how many information sets were met."""
    # This loop is what takes the time of a verification, so what it calls is kept in local names.
    player, actions, child, infoset, payoff = rules.player, rules.actions, rules.child, rules.infoset, rules.payoff
    me, you = own.player, other.player
    known, decide, default = other.known, other.decide, other.default
    payoffs, odds, rows = nature.payoffs, nature.odds, own.rows

    # Set 0 is no set: its one action leads to the root. Sequences are numbered by set and action.
    met: dict[Hashable, int] = {}  # key of a set -> its number, from 1
    labels_of: list[tuple[str, ...]] = [("",)]
    sound: set[tuple[str, ...]] = set()  # lists of labels that have been looked at
    before = array("q", [-1])  # sequence that leads to each set
    owner = array("q", [-1])  # and the set of that sequence
    start = array("q", [0])  # first sequence of each set
    units = [1]  # denominator of what the sequences of each set earn
    value = [0]  # of each sequence
    odd: dict[int, dict[int, _Sums]] = {}  # set -> sequence -> parts of it over other denominators

    number, sequence, unit = 0, 0, 1
    items: list[tuple[Any, int]] = [(rules.root(), 1)]
    step: Callable[[Any, int], Any] = lambda h, _: h  # noqa: E731 (child, but for set 0)
    stack: list[tuple[Hashable, list[tuple[Any, int]], int, int, int]] = []
    branches: list[tuple[Any, int, int]] = []
    report = _Reporter(progress, f"information sets of player {me + 1}")
    costs = budget()
    costs.about = "strategies"
    unheard = 0  # histories since the last look at the clock
    while True:
        for i in range(len(labels_of[number])):
            groups: dict[Hashable, list[Any]] = {}  # key -> [histories and weights, their denominator]
            total = 0
            for h, w in items:
                g, d = step(h, i), unit
                while True:
                    mover = player(g)
                    if mover == you:
                        key = infoset(g)
                        decision = known.get(key)
                        if decision is None:
                            report(len(start))
                            decision = decide(g, key)
                        else:
                            labels = actions(g)
                            if labels is not decision[0] and tuple(labels) != decision[0]:
                                raise _unlike(you, key, decision[0], labels)
                            if decision[3] and default is not None and default(g) != decision[1]:
                                raise other.two_faced(key)
                        index = decision[1]
                        if index >= 0:
                            g = child(g, index)
                            continue
                        branches.extend((child(g, j), n, m) for j, n, m in _split(decision[2], w, d))
                    elif mover == me:
                        key = infoset(g)
                        group = groups.get(key)
                        if group is None:
                            groups[key] = [[(g, w)], d]
                        elif group[1] == d:
                            group[0].append((g, w))
                        else:
                            long, other_long = group[1].bit_length(), d.bit_length()
                            costs.quotient(long, other_long, 4)
                            whole = lcm(group[1], d)
                            up = whole // group[1]
                            costs.product(long, up.bit_length(), len(group[0]))
                            group[0] = [(f, v * up) for f, v in group[0]]
                            group[0].append((g, w * (whole // d)))
                            group[1] = whole
                    elif mover == TERMINAL:
                        pair = payoff(g)
                        try:
                            entry = payoffs[pair]
                        except (KeyError, TypeError):
                            entry = nature.payoff(pair)
                        top, bottom = entry[me]
                        if bottom != 1:
                            d *= bottom
                        if d == unit:
                            total += w * top
                        elif top:
                            _add(odd, number, sequence + i, w * top, d)
                    elif mover == CHANCE:
                        branches.extend((child(g, j), n, m) for j, n, m in _split(odds(g), w, d))
                    else:
                        raise _no_player(mover)
                    if not branches:
                        break
                    g, w, d = branches.pop()
                    unheard += 1
                    if unheard > _LOOKED_AT:
                        report(len(start))
                        unheard = 0
            unheard += len(items)
            value[sequence + i] = total
            for key, (histories, whole) in groups.items():
                if (long := whole.bit_length()) > SHORT:
                    costs.keep(long * (len(histories) + 1))
                stack.append((key, histories, whole, sequence + i, number))
        if not stack:
            break
        key, items, unit, behind, above = stack.pop()
        if (long := unit.bit_length()) > SHORT:
            costs.keep(-long * (len(items) + 1))
        number = len(start)
        if met.setdefault(key, number) != number:
            raise ImperfectRecallError(
                f"{_place(me, key)}: the player forgets what it did before (no perfect recall), so best responses are "
                "not proven"
            )
        labels = tuple(actions(items[0][0]))
        if labels not in sound:
            sound.add(_labels(labels, me, key))
        if len(items) > 1:
            for f, _ in items:
                if (here := actions(f)) is not labels and tuple(here) != labels:
                    raise _unlike(me, key, labels, here)
        if (key if type(key) is str else text_of_key(key)) in rows:
            own.row(key, labels)
        sequence = len(value)
        labels_of.append(labels)
        before.append(behind)
        owner.append(above)
        start.append(sequence)
        if long > SHORT:
            costs.keep(long * (len(labels) + 1))
        units.append(unit)
        value.extend([0] * len(labels))
        step = child
        if unheard > _LOOKED_AT:
            report(number)
            unheard = 0
    best = _backward(before, owner, start, units, value, odd)
    reached = [True]
    chosen: dict[str, _Row] = {}
    for key, k in met.items():
        above = owner[k]
        reached.append(reached[above] and before[k] == start[above] + best[above])
        if reached[k]:
            chosen[text_of_key(key)] = tuple(
                (label, Fraction(int(i == best[k]))) for i, label in enumerate(labels_of[k])
            )
    sums = odd.get(0, {}).get(0, {})
    sums[1] = sums.get(1, 0) + value[0]
    return _total(sums), chosen, len(met)


def _backward(
    before: array[int],
    owner: array[int],
    start: array[int],
    units: list[int],
    value: list[int],
    odd: dict[int, dict[int, _Sums]],
) -> list[int]:
    """The best action at each set, the last first; what it earns is added to the sequence that leads there."""
    best = [0] * len(start)
    costs = budget()
    end = len(value)
    for k in range(len(start) - 1, 0, -1):
        first, unit = start[k], units[k]
        options = value[first:end]
        if k in odd:
            others = odd.pop(k)
            parts = [others.get(q, {}) for q in range(first, end)]
            whole = costs.common_denominator((unit, *(m for sums in parts for m in sums)))
            long = whole.bit_length()
            costs.quotient(long, long, 1 + sum(map(len, parts)))
            up = {m: whole // m for m in (unit, *(m for sums in parts for m in sums))}
            options = [
                v * up[unit] + sum(n * up[m] for m, n in sums.items()) for v, sums in zip(options, parts, strict=True)
            ]
            unit = whole
        most = max(options)
        best[k] = options.index(most)
        q = before[k]
        if unit == units[owner[k]]:
            value[q] += most
        elif most:
            common = gcd(most, unit) if unit.bit_length() < _SHORT else 1
            _add(odd, owner[k], q, most // common, unit // common)
        end = first
    return best


def evaluate_rules(
    game: UnbuiltGame,
    strategies: Sequence[UnbuiltStrategy],
    *,
    progress: Callable[[str], None] | None = None,
) -> RulesOutcome:
    """Exact values and best responses of a profile in a game that is not built.

    Parameters
    ----------
    game : UnbuiltGame
    strategies : pair of UnbuiltStrategy
        Of players 1 and 2.
    progress : callable, optional
        Called with a text now and then.

    Returns
    -------
    RulesOutcome

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
    >>> from tremble.model.rules import DefaultRule
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
        values = _expected(rules, sides, nature, progress)
        for me, own in enumerate(strategies):
            most, rows, count = _best_response(rules, sides[me], sides[1 - me], nature, progress)
            players.append(Response(values[me], most, UnbuiltStrategy(me, own.default, rows), count))
    unmet = [len(side.rows) - len(side.met_rows) for side in sides]
    return RulesOutcome((players[0], players[1]), nature.total, (unmet[0], unmet[1]))


def expected_rules(
    game: UnbuiltGame,
    strategies: Sequence[UnbuiltStrategy],
    *,
    progress: Callable[[str], None] | None = None,
) -> tuple[Fraction, Fraction]:
    """Expected payoffs alone: only what the strategies let happen is looked at. See :func:`evaluate_rules`.

    Examples
    --------
    >>> from tremble.games import parse_spec
    >>> from tremble.model.rules import DefaultRule
    >>> rules, spec = parse_spec("kuhn")
    >>> always_first = [UnbuiltStrategy(player, DefaultRule("first"), {}) for player in (0, 1)]
    >>> expected_rules(UnbuiltGame.of(rules, spec=spec), always_first)
    (Fraction(0, 1), Fraction(0, 1))
    """
    with _keys_that_are_none():
        return _expected(*_ready(game, strategies), progress)


@contextmanager
def _keys_that_are_none() -> Iterator[None]:
    """Rules whose ``infoset(h)`` gives lists, or the like, are told so."""
    try:
        yield
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        raise GameError(f"infoset(h) must give a hashable key, such as a text or a tuple ({error})") from error


def _ready(game: UnbuiltGame, strategies: Sequence[UnbuiltStrategy]) -> tuple[Any, tuple[_Side, _Side], _Nature]:
    """What a pass over the game starts with; ``CertificateError`` if a row is no distribution."""
    for strategy in strategies:
        for fault in row_faults(strategy):
            raise CertificateError(fault)
    rules = game.rules
    return rules, (_Side(rules, strategies[0]), _Side(rules, strategies[1])), _Nature(rules)
