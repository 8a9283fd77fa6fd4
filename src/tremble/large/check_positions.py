r"""Exact values and best responses in games that are written as positions (:mod:`tremble.large.position_rules`).

The check merges histories. It never trusts a merging that somebody states: positions *are* the game, and histories are
derived from them. The *table* lists all positions, and what each player hears of each move.

A strategy has rows at some information sets, and a default elsewhere. Its *state* after a history is the text that the
player has seen, as long as this text is the beginning of a row's text, and "off" afterwards. An off player always plays
the default. So a pair of a position and a state determines how the game goes on against this strategy. The default and
the labels of the moves are functions of the position. They must be functions of what the player has seen.

Theorem 1.  Let the rules state a view of each position for each player. Suppose that in the whole table the view after
a move is a function of the view before it and of what the player hears of the move (if this is nothing, the view stays
the same), and that at each position of the mover the labels and the default are functions of the mover's view. Then
they are functions of what the player has seen.

Proof.  By induction over the moves, two histories after which a player has seen the same text lead to the same view.

Theorem 2.  Let one player respond to a fixed strategy of the other player. For each pair of a position and a state, let
b be the payoff of a responder who sees everything. Then b is an upper bound on the payoff from there. The search
computes the largest payoff that the responder can earn.

Proof.  A *group* is a list of pairs with weights: the histories of positive weight in one information set of the
responder, where histories with equal pairs are merged. They go on in the same way, so their weights can be added. The
value of a group is the largest sum, over the actions, of the payoffs at leaves and of the values of the groups that
follow. The search skips an action if the bounds show that it is not better than an action that it has already valued.
Groups with proportional weights have proportional values, so the search values only one of them.

Weights are integers over one common denominator, if there is no chance move. A weight at an off state contains the
probability of the other player's moves. At other states, this probability is a function of the state, and the search
multiplies by it at the leaf, or when the player gets off.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from math import gcd, inf
from typing import Any, NamedTuple

from tremble.check.limits import SHORT, steps_of
from tremble.errors import CertificateError, GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.rules import UnbuiltStrategy
from tremble.games.parameters import Rules, is_built_in, rules_class
from tremble.large.check_nature import WHERE, Nature, Visits, least_common_multiple, no_player
from tremble.large.check_rows import Row
from tremble.large.position_rules import Move, PositionRules, heard, may_be_merged, shown
from tremble.numbers import exact_numbers

__all__ = ["Merged", "TooLong", "merged_check"]

Number = int | Fraction

_MOST = 1_000_000  # positions in a table
_LONGEST = 4096  # bits of weights; longer numbers are left to the check of histories, which needs fewer operations
_OFF = -1
_TOKEN = re.compile(r" (?:\\.|[^\\ ])*", re.DOTALL)  # a part of the text of what a player has seen


def merged_check(
    rules: Any, strategies: Sequence[UnbuiltStrategy], visits: Visits, most: float = inf
) -> Merged | None:  # fmt: skip
    """Return the check of two strategies by positions, or None if the rules do not allow to merge histories.

    Return None also if there are more than ``most`` positions, unless a table of them is at hand.

    Raises
    ------
    GameError
        The rules contradict themselves.
    """
    if not may_be_merged(rules):
        return None
    # Only the tables of built-in games are kept, because nothing else is sure not to change.
    built_in = isinstance(rules, Rules) and is_built_in(rules.name()) and rules_class(rules.name()) is type(rules)
    key = rules.identity() if built_in else None
    table = None if key is None else _TABLES.get(key)
    if table is not None:
        visits.pay(len(table.mover))
    else:
        try:
            table = _Table(rules, visits, min(most, _MOST))
        except TypeError as error:
            if "unhashable" not in str(error):
                raise
            raise GameError(f"positions and views must be hashable ({error})") from error
        if key is not None and table.complete:
            _TABLES.clear()
            _TABLES[key] = table
    return Merged(table, strategies, visits) if table.complete else None


# -- the table of positions ----------------------------------------------------------------------------


class _Table:
    """All positions of a game, numbered from the start.

    Attributes
    ----------
    complete : bool
        False if there are too many positions. Then the other attributes are of no use.
    mover : list of int
    children : list of tuple
        The positions after each move.
    tokens : pair of lists of tuples
        What each player hears of each move, as a number; 0 for nothing.
    labels : list of tuple of str
        The labels of the moves.
    odds : dict
        Position of chance -> the probabilities of the moves.
    default : list of int
        The index of the move that ``choice`` names, at positions at which a player moves.
    payoffs : dict
        Terminal position -> the payoffs of both players.
    token : pair of dicts
        Text of a token -> its number.
    total : Fraction or None
        The sum of the payoffs, if it is the same at all terminal positions.
    """

    def __init__(self, rules: PositionRules, visits: Visits, most: float) -> None:
        self.complete = True
        self.mover: list[int] = []
        self.children: list[tuple[int, ...]] = []
        self.tokens: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = ([], [])
        self.labels: list[tuple[str, ...]] = []
        self.odds: dict[int, tuple[Fraction, ...]] = {}
        self.default: list[int] = []
        self.payoffs: dict[int, tuple[Fraction, Fraction]] = {}
        self.token: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self.texts: tuple[list[str], list[str]] = ([""], [""])
        self._heard: dict[tuple[int, str, tuple[str, str]], tuple[int, int]] = {}
        nature, start = Nature(rules), rules.start()
        number: dict[Hashable, int] = {start: 0}
        self._views: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        positions, views = [start], [self._seen(rules, start)]
        defaults: tuple[dict[int, int], dict[int, int]] = ({}, {})
        # For each player: a view at which the player moves -> the labels; a view and a token -> the view afterwards.
        self.decided: tuple[dict[int, tuple[str, ...]], dict[int, tuple[str, ...]]] = ({}, {})
        self.after: tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]] = ({}, {})
        self.first_view = views[0]
        same: dict[Any, Any] = {}  # so that equal tuples are stored once
        for here, position in enumerate(positions):
            if here % Visits.every == 0:
                visits.pay(Visits.every)
            if len(positions) > most:
                self.complete = False
                return
            mover, default = rules.mover(position), -1
            if not isinstance(mover, int) or mover not in (0, 1, CHANCE, TERMINAL):
                raise no_player(mover)
            moves = () if mover == TERMINAL else rules.listed(position)
            labels = tuple([move.label for move in moves])
            if mover == TERMINAL:
                one, two = nature.payoff(rules.result(position))
                self.payoffs[here] = Fraction(*one), Fraction(*two)
            elif mover == CHANCE:
                self.odds[here] = _odds(position, moves)
            else:
                default = rules.choice(position)
                if not isinstance(default, int) or not 0 <= default < len(labels):
                    raise GameError(
                        f"choice(position) returned {shown(default)} at {shown(position)}, not an index of a move"
                    )
                view = views[here][mover]
                alike = self.decided[mover].setdefault(view, labels) == labels
                if not alike or defaults[mover].setdefault(view, default) != default:
                    raise _unlike_views(mover, position, "the labels or the default")
            children, told = [], []
            for move in moves:
                child = number.setdefault(move.then, len(positions))
                if child == len(positions):
                    positions.append(move.then)
                    views.append(self._seen(rules, move.then))
                children.append(child)
                told.append(self._heard.get((mover, move.label, move.words)) or self._hear(move, mover))
            self.mover.append(mover)
            self.children.append(tuple(children))
            for player, tokens in enumerate(zip(*told, strict=True) if told else ((), ())):
                self.tokens[player].append(same.setdefault(tokens, tokens))
            self.labels.append(same.setdefault(labels, labels))
            self.default.append(default)
        self.total, self.has_chance = nature.total, bool(self.odds)
        self._require_views(positions, views, visits)

    def _hear(self, move: Move, mover: int) -> tuple[int, int]:
        """Return the tokens of a move for both players."""
        found = []
        for player, (numbers, texts) in enumerate(zip(self.token, self.texts, strict=True)):
            text = heard(move, player, player == mover)
            token = numbers.setdefault(text, len(texts)) if text else 0
            if token == len(texts):
                texts.append(text)
            found.append(token)
        self._heard[mover, move.label, move.words] = found[0], found[1]
        return found[0], found[1]

    def _require_views(self, positions: list[Any], views: list[tuple[int, int]], visits: Visits) -> None:
        """Raise ``GameError`` if the view after a move does not follow from the view before it and the token."""
        for player in (0, 1):
            after = self.after[player]
            for here, tokens in enumerate(self.tokens[player]):
                if here % Visits.every == 0:
                    visits.limits.tick()
                before = views[here][player]
                for child, token in zip(self.children[here], tokens, strict=True):
                    if self.mover[child] == TERMINAL:
                        continue
                    then = views[child][player]
                    if (after.setdefault((before, token), then) if token else before) != then:
                        raise _unlike_views(player, positions[here], "the view after the move")

    def _seen(self, rules: PositionRules, position: Any) -> tuple[int, int]:
        """Return the number of each player's view of a position."""
        one, two = (numbers.setdefault(rules.view(position, k), len(numbers)) for k, numbers in enumerate(self._views))
        return one, two


def _odds(position: Any, moves: Sequence[Move]) -> tuple[Fraction, ...]:
    """Return the probabilities of the moves of chance."""
    found = exact_numbers((move.probability for move in moves), "chance probability")
    if any(p < 0 for p in found) or sum(found) != 1:
        raise GameError(f"the probabilities of the moves of chance at {shown(position)} must sum to 1")
    return tuple(map(Fraction, found))


def _unlike_views(player: int, position: Any, what: str) -> GameError:
    return GameError(
        f"{what} must follow from what player {player + 1} sees, but at the position {shown(position)} this is not so: "
        "view(position, player) must contain all that matters, and only what the player learns from labels and words"
    )


_TABLES: dict[str, _Table] = {}
"""The identity of a built-in game -> its table. Only one table is kept."""


# -- a strategy as an automaton --------------------------------------------------------------------------


class _Side:
    """A player's strategy, with the beginnings of its rows' texts as states. State 0 is the empty text."""

    def __init__(self, table: _Table, strategy: UnbuiltStrategy) -> None:
        self.player, self._table = strategy.player, table
        rule = strategy.default.rule
        if rule not in ("first", "rules"):
            raise CertificateError(
                f"strategies[{self.player}].default: unknown rule {rule!r:.80}; use 'first' or 'rules'"
            )
        self._first = rule == "first"
        self._next: dict[tuple[int, int], int] = {}
        self.num_unseen = 0  # rows with texts that the player can see nowhere
        self._row: dict[int, tuple[tuple[int, Fraction], ...]] = {}  # the moves of positive probability
        count = 1
        numbers = table.token[self.player]
        for key, row in strategy.rows.items():
            found = [numbers.get(part, 0) for part in _TOKEN.findall(f" {key}" if key else "")]
            labels = self._labels_after(found)
            if labels is None or "".join(table.texts[self.player][token] for token in found)[1:] != key:
                self.num_unseen += 1
                continue
            if tuple(label for label, _ in row) != labels:
                raise CertificateError(
                    f"player {self.player + 1}, information set {key!r:.300}: the actions are "
                    f"{[label for label, _ in row]!r:.300}, but the game has {list(labels)!r:.300} in this order"
                )
            state = 0
            for token in found:
                after = self._next.setdefault((state, token), count)
                count += after == count
                state = after
            exact = exact_numbers((p for _, p in row), "probability")
            self._row[state] = tuple((i, Fraction(p)) for i, p in enumerate(exact) if p)

    def _labels_after(self, tokens: list[int]) -> tuple[str, ...] | None:
        """Return the labels of the moves after what the player has heard, or None if no view fits (see Theorem 1)."""
        view: int | None = self._table.first_view[self.player]
        for token in tokens:
            view = self._table.after[self.player].get((view, token)) if view is not None else None
        return None if view is None else self._table.decided[self.player].get(view)

    def after(self, state: int, token: int) -> int:
        """Return the state after the player hears something."""
        return state if token == 0 or state == _OFF else self._next.get((state, token), _OFF)

    def moves(self, position: int, state: int) -> tuple[tuple[int, Fraction], ...]:
        """Return the index and the probability of each move that the strategy may choose."""
        row = self._row.get(state)
        if row is None:
            return ((0 if self._first else self._table.default[position], Fraction(1)),)
        return row


# -- the check -------------------------------------------------------------------------------------------


class Merged:
    """Values of two strategies, and best responses to them."""

    def __init__(self, table: _Table, strategies: Sequence[UnbuiltStrategy], visits: Visits) -> None:
        self.table, self._visits = table, visits
        self.sides = _Side(table, strategies[0]), _Side(table, strategies[1])

    def values(self) -> tuple[Fraction, Fraction]:
        """Return the expected payoffs of both players, by backward induction over positions and states."""
        table, (one, two) = self.table, self.sides
        known: dict[tuple[int, int, int], tuple[Fraction, Fraction] | None] = {}
        stack = [(0, 0, 0)]
        count = 0
        while stack:
            count += 1
            if count % Visits.every == 0:
                self._visits.pay(Visits.every)
            here = position, state1, state2 = stack[-1]
            if known.get(here) is not None:
                stack.pop()
                continue
            if table.mover[position] == TERMINAL:
                known[here] = table.payoffs[position]
                stack.pop()
                continue
            children, told1, told2 = table.children[position], table.tokens[0][position], table.tokens[1][position]
            moves = self._moves(position, state1 if table.mover[position] == 0 else state2)
            below = [(p, (children[i], one.after(state1, told1[i]), two.after(state2, told2[i]))) for i, p in moves]
            missing = [key for _, key in below if known.get(key) is None]
            if missing:
                if here in known:  # its children have been computed already
                    raise _endless()
                known[here] = None
                stack.extend(missing)
                continue
            found1 = found2 = Fraction(0)
            for p, key in below:
                value = known[key]
                assert value is not None
                self._visits.pay_long(p, *value)
                found1, found2 = found1 + p * value[0], found2 + p * value[1]
            known[here] = found1, found2
            stack.pop()
        found = known[0, 0, 0]
        assert found is not None
        return found

    def _moves(self, position: int, state: int) -> Sequence[tuple[int, Fraction]]:
        mover = self.table.mover[position]
        if mover == CHANCE:
            return [(i, p) for i, p in enumerate(self.table.odds[position]) if p]
        return self.sides[mover].moves(position, state)

    def best_response(self, me: int) -> tuple[Fraction, dict[str, Row], int]:
        """Return the value of a player's best response, its rows, and the number of information sets searched."""
        return _Response(self.table, self.sides[1 - me], me, self._visits).found()


def _endless() -> GameError:
    return GameError("some moves lead back to the same position: play could repeat itself forever")


class TooLong(Exception):  # noqa: N818 (a reason to check histories instead)
    """The weights of a strategy are too long for a search that merges."""


class _Found(NamedTuple):
    """A fact about a group: its value or an upper bound, and the index of the best action."""

    value: Number
    exact: bool
    action: int


Group = dict[int, Number]  # node -> weight
Heard = tuple[int, ...]  # the tokens that the responder hears from its own move to its next decision


class _Response:
    """The search for a best response of the player ``me``.

    A node is a pair of a position and a state of the other player.
    """

    def __init__(self, table: _Table, other: _Side, me: int, visits: Visits) -> None:
        self._table, self._other, self._me, self._visits = table, other, me, visits
        self._count = self._sets = self._long = 0
        self._expand()
        self._bound()
        self._memo: dict[Hashable, _Found] = {}

    # -- the product of positions and states ---------------------------------------------------------

    def _expand(self) -> None:
        """Find all nodes, with their moves of positive probability."""
        table, other, me = self._table, self._other, self._me
        number: dict[tuple[int, int], int] = {(0, 0): 0}
        self._nodes = nodes = [(0, 0)]
        self._kids: list[tuple[int, ...]] = []
        self._told: list[tuple[int, ...]] = []  # what the responder hears of each move
        share: dict[int, Fraction] = {0: Fraction(1)}  # state -> the probability of the other player's own moves
        leaving: dict[tuple[int, int], Fraction] = {}  # node, position of a move -> the same, at a move that leads off
        for here, (position, state) in enumerate(nodes):
            self._tick()
            mover, children = table.mover[position], table.children[position]
            mine, theirs = table.tokens[me][position], table.tokens[1 - me][position]
            if mover == TERMINAL:
                moves: Sequence[tuple[int, Fraction]] = ()
            elif mover == me:
                moves = [(i, Fraction(1)) for i in range(len(children))]
            elif mover == CHANCE:
                moves = [(i, Fraction(1)) for i, p in enumerate(table.odds[position]) if p]
            else:
                moves = other.moves(position, state)
            kids = []
            for k, (i, p) in enumerate(moves):
                then = other.after(state, theirs[i])
                if state != _OFF:
                    self._visits.pay_long(share[state], p)
                    weight = share[state] * p
                    if then == _OFF:
                        leaving[here, k] = weight
                    else:
                        share[then] = weight
                kid = number.setdefault((children[i], then), len(nodes))
                if kid == len(nodes):
                    nodes.append((children[i], then))
                kids.append(kid)
            self._kids.append(tuple(kids))
            self._told.append(tuple(mine[i] for i, _ in moves))
        limits = self._visits.limits
        used = [share[state] for _, state in nodes if state != _OFF]
        self._unit = least_common_multiple((p.denominator for p in (*used, *leaving.values())), limits)
        if self._unit.bit_length() > _LONGEST:
            raise TooLong
        self._share = {state: self._whole(p) for state, p in share.items()}
        self._leaving = {place: self._whole(p) for place, p in leaving.items()}
        self._long = self._unit.bit_length()
        if self._long > SHORT:
            limits.keep(WHERE, self._long * len(nodes))

    def _whole(self, p: Fraction) -> int:
        return p.numerator * (self._unit // p.denominator)

    def _steps(self, node: int) -> Iterator[tuple[int, int, Number]]:
        """Yield each next node, what the responder hears, and the factor of the weight."""
        odds = self._table.odds.get(self._nodes[node][0])
        chances = [p for p in odds if p] if odds else ()
        for k, (kid, token) in enumerate(zip(self._kids[node], self._told[node], strict=True)):
            factor: Number = self._leaving.get((node, k), 1)
            if chances:
                factor = chances[k] * factor
            yield kid, token, factor

    def _payoff(self, node: int) -> Number:
        """Return the responder's payoff at a leaf, times the weight of its state."""
        position, state = self._nodes[node]
        payoff: Number = self._table.payoffs[position][self._me]
        if payoff.denominator == 1:
            payoff = payoff.numerator
        return payoff if state == _OFF else payoff * self._share[state]

    def _bound(self) -> None:
        """Compute the payoff of a responder who sees everything, at each node."""
        mover, me = self._table.mover, self._me
        bound: list[Number | None] = [None] * len(self._nodes)
        begun = bytearray(len(self._nodes))
        stack = [0]
        while stack:
            node = stack[-1]
            if bound[node] is not None:
                stack.pop()
                continue
            missing = [kid for kid in self._kids[node] if bound[kid] is None]
            if missing:
                if begun[node]:
                    raise _endless()
                begun[node] = 1
                stack.extend(missing)
                continue
            self._tick()
            stack.pop()
            here = mover[self._nodes[node][0]]
            if here == TERMINAL:
                bound[node] = self._payoff(node)
                continue
            values: list[Number] = [factor * (bound[kid] or 0) for kid, _, factor in self._steps(node)]
            bound[node] = max(values) if here == me else sum(values)
        self._bounds: list[Number] = [value or 0 for value in bound]

    def _tick(self) -> None:
        self._count += 1
        if self._count % Visits.every == 0:
            self._visits.pay(Visits.every)
        if self._long > SHORT:
            self._visits.limits.spend(WHERE, steps_of(self._long, self._long), 1 + 3 * self._table.has_chance)

    # -- the search ----------------------------------------------------------------------------------

    def _follow(self, waiting: list[tuple[int, Number, Heard]]) -> tuple[Number, dict[Heard, Group]]:
        """Follow nodes to the responder's next decisions; return what is earned before, and the groups there."""
        mover, me = self._table.mover, self._me
        earned: Number = 0
        groups: dict[Heard, Group] = {}
        while waiting:
            self._tick()
            node, weight, told = waiting.pop()
            here = mover[self._nodes[node][0]]
            if here == TERMINAL:
                earned += weight * self._payoff(node)
            elif here == me:
                group = groups.setdefault(told, {})
                group[node] = group.get(node, 0) + weight
            else:
                for kid, token, factor in self._steps(node):
                    waiting.append((kid, weight * factor, (*told, token) if token else told))
        return earned, groups

    def _after(self, group: Group, action: int) -> tuple[Number, dict[Heard, Group]]:
        """Return what a group earns at once with an action, and the groups that follow."""
        waiting: list[tuple[int, Number, Heard]] = []
        for node, weight in group.items():
            token, factor = self._told[node][action], self._leaving.get((node, action), 1)
            waiting.append((self._kids[node][action], weight * factor, (token,)))
        return self._follow(waiting)

    def _key(self, group: Group) -> tuple[Hashable, Number]:
        """Return a key that groups with proportional weights share, and the factor of this group's weights."""
        items = sorted(group.items())
        if self._table.has_chance:
            unit: Number = items[0][1]
            return tuple((node, Fraction(weight) / unit) for node, weight in items), unit
        whole = gcd(*(int(weight) for _, weight in items))
        return tuple((node, int(weight) // whole) for node, weight in items), whole

    def _value(self, group: Group, need: Number | None) -> Number | None:
        """Return the value of a group, or None if it is not greater than ``need``."""
        if len(group) == 1 and not self._table.has_chance:
            ((node, weight),) = group.items()
            if self._nodes[node][1] == _OFF:  # nothing is hidden: the other player's moves are known
                value = self._bounds[node] * weight
                return None if need is not None and value <= need else value
        key, unit = self._key(group)
        known = self._memo.get(key)
        if known is not None:
            value = known.value * unit
            if need is not None and value <= need:
                return None
            if known.exact:
                return value
        self._sets += 1
        first = next(iter(group))
        options = []
        for action in range(len(self._kids[first])):
            earned, groups = self._after(group, action)
            bounds = [sum(self._bounds[node] * weight for node, weight in each.items()) for each in groups.values()]
            options.append((earned + sum(bounds), action, earned, list(groups.values()), bounds))
        options.sort(key=lambda option: -option[0])
        best, chosen, found = need, -1, None
        for bound, action, earned, groups_after, bounds in options:
            if best is not None and bound <= best:
                break
            got, rest = earned, bound - earned
            for each, limit in zip(groups_after, bounds, strict=True):
                rest -= limit
                value_of_group = self._value(each, None if best is None else best - got - rest)
                if value_of_group is None:
                    break
                got += value_of_group
            else:
                if best is None or got > best:
                    best = found = got
                    chosen = action
        if found is not None:
            self._memo[key] = _Found(Fraction(found) / unit if unit != 1 else found, True, chosen)
        elif need is not None:
            self._memo[key] = _Found(Fraction(need) / unit, False, -1)
        return found

    def found(self) -> tuple[Fraction, dict[str, Row], int]:
        """Return the value of a best response, its rows, and the number of groups that were searched."""
        earned, groups = self._follow([(0, 1, ())])
        total = earned
        for group in groups.values():
            value = self._value(group, None)
            assert value is not None
            total += value
        rows: dict[str, Row] = {}
        texts = self._table.texts[self._me]
        waiting = [("".join(texts[token] for token in told), group) for told, group in groups.items()]
        while waiting:
            self._tick()
            text, group = waiting.pop()
            action = self._best_action(group)
            first = next(iter(group))
            labels = self._table.labels[self._nodes[first][0]]
            rows[text[1:]] = tuple((label, Fraction(int(i == action))) for i, label in enumerate(labels))
            _, groups = self._after(group, action)
            waiting += [(text + "".join(texts[token] for token in told), each) for told, each in groups.items()]
        return Fraction(total) / self._unit, rows, self._sets

    def _best_action(self, group: Group) -> int:
        """Return the best action of a group whose value is known."""
        if len(group) == 1 and not self._table.has_chance:
            (node,) = group
            if self._nodes[node][1] == _OFF:
                return max(range(len(self._kids[node])), key=lambda k: self._bounds[self._kids[node][k]])
        key, _ = self._key(group)
        known = self._memo.get(key)
        if known is None or not known.exact:
            self._value(group, None)
            known = self._memo[key]
        return known.action
