"""The trees of the built-in games, grown a second time from their documented rules, without any code of tremble.

``grow("kuhn:cards=4")`` returns a start and a function that expands a state into a node. :mod:`benchmarks.counts`
walks both this tree and tremble's tree, and writes only numbers on which the two agree.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

__all__ = ["GENERATORS", "Chance", "Leaf", "Move", "Node", "Tree", "grow", "split_spec"]

State = Any
Number = int | Fraction


class Leaf(NamedTuple):
    """The end of a play, with the payoffs of both players."""

    one: Number
    two: Number


class Chance(NamedTuple):
    """A move of chance: label, probability and next state of each outcome."""

    outcomes: tuple[tuple[str, Fraction, State], ...]


class Move(NamedTuple):
    """A move of player 0 or 1, the key of its information set, and the label and next state of each action."""

    player: int
    key: Any
    actions: tuple[tuple[str, State], ...]


Node = Leaf | Chance | Move


class Tree(NamedTuple):
    """A game as its first state and a function that expands states into nodes."""

    start: State
    node: Callable[[State], Node]


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split the spec of a game into its name and its parameters; a part without ``=`` belongs to the part before it."""
    name, _, rest = spec.partition(":")
    parameters: dict[str, str] = {}
    last = ""
    for part in rest.split(",") if rest else ():
        key, equals, value = part.partition("=")
        if equals:
            last = key
            parameters[key] = value
        else:
            parameters[last] += f",{part}"
    return name, parameters


def grow(spec: str) -> Tree:
    """Return the tree of a built-in game, such as ``kuhn:cards=4``."""
    name, parameters = split_spec(spec)
    return GENERATORS[name](**parameters)


def _win(amount: Number, sign: int) -> Leaf:
    """Return the leaf at which player 1 wins (sign 1) or loses (sign -1) an amount, or nobody wins (sign 0)."""
    return Leaf(amount * sign, -amount * sign)


def _sign(a: Any, b: Any) -> int:
    return 1 if a > b else -1 if a < b else 0


# Cards


def _rank_names(count: int) -> list[str]:
    """Return names from low to high: J Q K for up to three ranks, then up to the ace, then numbers."""
    if count > 13:
        return [str(k) for k in range(1, count + 1)]
    names = "JQK" if count <= 3 else "23456789TJQKA"
    return list(names[len(names) - count :])


def _joined(a: str, b: str) -> str:
    return a + b if len(a + b) == 2 else f"{a}-{b}"


# Limit poker: one private card for each player, public cards between rounds of limit betting

Line = tuple[str, ...]
_WAGERS = ("bet", "raise")


def _menu(line: Line, most: int) -> tuple[str, ...]:
    """Return the legal actions of limit betting after a line of actions with at most ``most`` bets and raises."""
    left = sum(word in _WAGERS for word in line) < most
    if line and line[-1] in _WAGERS:
        return ("fold", "call", "raise") if left else ("fold", "call")
    return ("check", "bet") if left else ("check",)


def _limit_poker(
    deal: Callable[[tuple[int, ...]], Iterator[tuple[str, Fraction, tuple[int, ...]]]],
    sizes: tuple[int, ...],
    most: int,
    ante: int,
    compare: Callable[[tuple[int, ...]], int],
) -> Tree:
    """Return a poker game with ``len(sizes)`` rounds. Two cards precede the first round, and one each later round.

    ``deal`` lists the next cards after some cards; ``compare`` returns the sign of player 1's win at a showdown.
    """

    def node(state: tuple[tuple[int, ...], tuple[Line, ...]]) -> Node:
        cards, lines = state
        if len(cards) < 1 + len(lines):
            return Chance(tuple((label, p, (cards + new, lines)) for label, p, new in deal(cards)))
        line = lines[-1]
        stake = ante + sum(
            size * sum(word in _WAGERS for word in spoken) for size, spoken in zip(sizes, lines, strict=False)
        )
        if line and line[-1] == "fold":
            # The player who folds made the last move, and did not pay the last bet.
            return _win(stake - sizes[len(lines) - 1], 1 if len(line) % 2 == 0 else -1)
        if line[-1:] == ("call",) or line == ("check", "check"):
            return _win(stake, compare(cards))
        mover = len(line) % 2
        actions = []
        for word in _menu(line, most):
            after = (*line, word)
            goes_on = word == "call" or after == ("check", "check")
            more: tuple[Line, ...] = ((),) if goes_on and len(lines) < len(sizes) else ()
            actions.append((word, (cards, (*lines[:-1], after, *more))))
        return Move(mover, (cards[mover], cards[2:], lines), tuple(actions))

    return Tree(((), ((),)), node)


def _deal_pairs(names: list[str]) -> Callable[[tuple[int, ...]], Iterator[tuple[str, Fraction, tuple[int, ...]]]]:
    """Return a deal of two different cards at one node."""

    def deal(_cards: tuple[int, ...]) -> Iterator[tuple[str, Fraction, tuple[int, ...]]]:
        pairs = list(permutations(range(len(names)), 2))
        for a, b in pairs:
            yield _joined(names[a], names[b]), Fraction(1, len(pairs)), (a, b)

    return deal


def _deal_singly(names: list[str]) -> Callable[[tuple[int, ...]], Iterator[tuple[str, Fraction, tuple[int, ...]]]]:
    """Return a deal of one card at each node, without replacement."""

    def deal(cards: tuple[int, ...]) -> Iterator[tuple[str, Fraction, tuple[int, ...]]]:
        left = [card for card in range(len(names)) if card not in cards]
        for card in left:
            yield names[card], Fraction(1, len(left)), (card,)

    return deal


def _kuhn(cards: str = "3") -> Tree:
    return _limit_poker(_deal_pairs(_rank_names(int(cards))), (1,), 1, 1, lambda dealt: _sign(dealt[0], dealt[1]))


def _kuhn_raise() -> Tree:
    return _limit_poker(_deal_pairs(["Q", "K", "A"]), (1,), 2, 1, lambda dealt: _sign(dealt[0], dealt[1]))


def _jk_four_cards() -> Tree:
    deal = _deal_singly(["J1", "J2", "K1", "K2"])
    return _limit_poker(deal, (1,), 1, 1, lambda dealt: _sign(dealt[0] // 2, dealt[1] // 2))


def _with_public(dealt: tuple[int, ...]) -> int:
    """Compare two ranks and a public rank: a pair wins, then the higher rank."""
    a, b, public = dealt
    return _sign((a == public, a), (b == public, b)) if a != b else 0


def _leduc(ranks: str = "3", raises: str = "2") -> Tree:
    n = int(ranks)
    names = _rank_names(n)

    def deal(dealt: tuple[int, ...]) -> Iterator[tuple[str, Fraction, tuple[int, ...]]]:
        if not dealt:
            for a, b in product(range(n), repeat=2):
                ways = 2 if a == b else 4
                yield _joined(names[a], names[b]), Fraction(ways, 2 * n * (2 * n - 1)), (a, b)
        else:
            for rank in range(n):
                if ways := 2 - dealt.count(rank):
                    yield names[rank], Fraction(ways, 2 * n - 2), (rank,)

    return _limit_poker(deal, (2, 4), int(raises), 1, _with_public)


def _rhode_island(ranks: str = "13", suits: str = "4", raises: str = "3") -> Tree:
    n, s = int(ranks), int(suits)
    names = [rank + suit for rank in _rank_names(n) for suit in "cdhsabefgijklmno"[:s]]

    def strength(cards: tuple[int, ...]) -> tuple[int, ...]:
        numbers = sorted(card // s for card in cards)
        low, middle, high = numbers
        flush = len({card % s for card in cards}) == 1
        wheel = numbers == [0, 1, n - 1]
        straight = numbers == [low, low + 1, low + 2] or wheel
        top = 1 if wheel and n > 3 else high
        if straight and flush:
            return 5, top
        if low == high:
            return 4, low
        if straight:
            return 3, top
        if flush:
            return 2, high, middle, low
        if middle in (low, high):
            return 1, middle, high if low == middle else low
        return 0, high, middle, low

    def compare(dealt: tuple[int, ...]) -> int:
        return _sign(strength((dealt[0], *dealt[2:])), strength((dealt[1], *dealt[2:])))

    return _limit_poker(_deal_singly(names), (10, 20, 20), int(raises), 5, compare)


# Generic poker


class _Bets(NamedTuple):
    """A state of generic poker."""

    cards: tuple[int, ...]
    lines: tuple[Line, ...]  # the actions of each round
    paid: tuple[int, int]
    owed: int
    raised: int
    folded: int  # the player who folded, or -1
    over: bool


def _poker(types: str = "3", each: str = "2", bets: str = "1", raises: str = "1") -> Tree:
    n, copies, sizes, most = int(types), int(each), int(bets), int(raises)
    names = _rank_names(n)

    def acted(at: _Bets, mover: int, word: str) -> _Bets:
        line = (*at.lines[-1], word)
        lines = (*at.lines[:-1], line)
        kind, _, size = word.partition(" ")
        paid = list(at.paid)
        if kind == "fold":
            return at._replace(lines=lines, folded=mover, over=True)
        if kind in ("bet", "raise"):
            paid[mover] += at.owed + int(size)
            return at._replace(
                lines=lines, paid=(paid[0], paid[1]), owed=int(size), raised=at.raised + (kind == "raise")
            )
        paid[mover] += at.owed
        if kind == "call" or line == ("check", "check"):
            last = len(at.lines) == 2
            return _Bets(at.cards, lines if last else (*lines, ()), (paid[0], paid[1]), 0, 0, -1, last)
        return at._replace(lines=lines)

    def node(at: _Bets) -> Node:
        if len(at.cards) < 1 + len(at.lines):
            left = [(card, copies - at.cards.count(card)) for card in range(n)]
            total = sum(count for _, count in left)
            return Chance(
                tuple(
                    (names[card], Fraction(count, total), at._replace(cards=(*at.cards, card)))
                    for card, count in left
                    if count
                )
            )
        if at.folded >= 0:
            return _win(at.paid[at.folded], 1 if at.folded == 1 else -1)
        if at.over:
            return _win(at.paid[0], _with_public(at.cards))
        line = at.lines[-1]
        mover = len(line) % 2
        amounts = [k * 2 * len(at.lines) for k in range(1, sizes + 1)]
        if at.owed:
            words = ["call", *(f"raise {v}" for v in amounts if at.raised < most), "fold"]
        else:
            words = [*(f"bet {v}" for v in amounts), "check"]
        key = (at.cards[mover], at.cards[2:], at.lines)
        return Move(mover, key, tuple((word, acted(at, mover, word)) for word in words))

    return Tree(_Bets((), ((),), (1, 1), 0, 0, -1, False), node)


# The river of Texas Hold'em

_DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def _five(cards: tuple[str, ...]) -> tuple[Any, ...]:
    """Return a tuple that orders hands of five cards."""
    numbers = sorted(("23456789TJQKA".index(card[0]) for card in cards), reverse=True)
    counts = sorted(((numbers.count(k), k) for k in set(numbers)), reverse=True)
    shape = tuple(count for count, _ in counts)
    flush = len({card[1] for card in cards}) == 1
    if numbers == [12, 3, 2, 1, 0]:
        numbers = [3, 2, 1, 0, -1]
    straight = len(counts) == 5 and numbers[0] - numbers[4] == 4
    if straight and flush:
        return 8, numbers[0]
    if straight:
        return 4, numbers[0]
    ranked = tuple(k for _, k in counts)
    if flush:
        return 5, ranked
    kinds = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}
    return kinds[shape], ranked


def _hands(text: str, free: list[str]) -> list[tuple[str, str]]:
    """Return the hands of a range of pairs and single hands, such as ``AA,KhQh``, among cards that are not dealt."""
    found = set()
    for part, hand in product(text.split(","), combinations(free, 2)):
        pair = part == hand[0][0] + hand[1][0]
        if pair or (len(part) == 4 and {part[:2], part[2:]} == set(hand)):
            found.add(hand)
    return sorted(found, key=lambda hand: (_DECK.index(hand[1]), _DECK.index(hand[0])))


def _holdem_river(
    board: str = "Qs9h7s4d2s", pot: str = "100", stack: str = "300", bets: str = "33,75,150", raises: str = "2",
    range1: str = "", range2: str = "",
) -> Tree:  # fmt: skip
    return _holdem(board, pot, stack, bets, raises, range1, range2)


def _holdem_turn(
    board: str = "Qs9h7s4d", pot: str = "100", stack: str = "300", bets: str = "50,100", raises: str = "2",
    range1: str = "", range2: str = "",
) -> Tree:  # fmt: skip
    return _holdem(board, pot, stack, bets, raises, range1, range2)


def _holdem(board: str, pot: str, stack: str, bets: str, raises: str, range1: str, range2: str) -> Tree:
    table = tuple(board[k : k + 2] for k in range(0, len(board), 2))
    free = [card for card in _DECK if card not in table]
    lists = [_hands(text, free) for text in (range1, range2)]
    half, chips, most = Fraction(int(pot), 2), int(stack), int(raises)
    percents = sorted(map(int, bets.split(",")))

    @cache
    def best(hand: tuple[str, str], river: str) -> Any:
        return max(map(_five, combinations((*table, *hand, *([river] if river else [])), 5)))

    def wagers(word: str, facing: int, before: int) -> dict[str, int]:
        """Return label -> the player's whole stake after the wager."""
        found: dict[int, str] = {}
        for percent in percents:
            exact = Fraction(percent * (int(pot) + 2 * facing), 100)
            amount = max(1, int(exact + Fraction(1, 2)))
            if facing + amount >= chips:
                found.setdefault(chips, "all-in")
            elif amount >= before:
                found.setdefault(facing + amount, f"{word} {percent}")
        return {label: whole for whole, label in found.items()}

    # A state: the hands, the river card, the moves before the river, the moves since, the stakes of both players, the
    # last wager and the number of wagers since the last card, and the way in which the betting has ended.
    def node(state: tuple[Any, ...]) -> Node:
        hands, river, earlier, line, stakes, last, made, end = state
        if len(hands) < 2:
            weights = []
            for hand in lists[len(hands)]:
                if hands and {*hand} & {*hands[0]}:
                    continue
                ways = 1 if hands else sum(not {*hand} & {*other} for other in lists[1])
                if ways:
                    weights.append((hand, ways))
            total = sum(ways for _, ways in weights)
            return Chance(
                tuple(
                    (hand[1] + hand[0], Fraction(ways, total), ((*hands, hand), *state[1:])) for hand, ways in weights
                )
            )
        mover = len(line) % 2
        if end == "fold":
            return _win(half + min(stakes), 1 if mover == 0 else -1)
        if end and len(table) == 4 and not river:
            cards = [card for card in free if card not in {*hands[0], *hands[1]}]
            after = (earlier, line, stakes, last, made, end) if min(stakes) == chips else (line, (), stakes, 0, 0, "")
            return Chance(tuple((card, Fraction(1, len(cards)), (hands, card, *after)) for card in cards))
        if end:
            return _win(half + min(stakes), _sign(best(hands[0], river), best(hands[1], river)))
        facing = max(stakes)
        actions = []

        def then(word: str, whole: int, end: str) -> None:
            after = (whole, stakes[1]) if mover == 0 else (stakes[0], whole)
            raised = whole > facing
            change = whole - facing if raised else last
            actions.append((word, (hands, river, earlier, (*line, word), after, change, made + raised, end)))

        if stakes[0] == stakes[1]:
            then("check", facing, "showdown" if line else "")
            for word, whole in wagers("bet", facing, 1).items():
                then(word, whole, "")
        else:
            then("fold", stakes[mover], "fold")
            then("call", facing, "showdown")
            if made - 1 < most and facing < chips:
                for word, whole in wagers("raise", facing, last).items():
                    then(word, whole, "")
        return Move(mover, (hands[mover], river, earlier, line), tuple(actions))

    return Tree(((), "", (), (), (0, 0), 0, 0, ""), node)


# Auction, goofspiel, liar's dice, centipede


def _auction(values: str = "4", copies: str = "2", top: str = "3", sum: str = "zero") -> Tree:
    letters = list("abcdefghijklmnopqrstuvwxyz"[: int(copies)]) if int(copies) > 1 else [""]
    slips = [(value, f"{value}{letter}") for value in range(1, int(values) + 1) for letter in letters]

    def node(state: tuple[tuple[int, ...], tuple[int, ...]]) -> Node:
        drawn, bids = state  # a pass is the bid 0
        if len(drawn) < 2:
            left = [k for k in range(len(slips)) if k not in drawn]
            return Chance(tuple((slips[k][1], Fraction(1, len(left)), ((*drawn, k), bids)) for k in left))
        price = max(bids, default=0)
        if price == int(top) or (bids and bids[-1] == 0 and (price or len(bids) == 2)):
            if price == 0:
                return Leaf(0, 0)
            buyer = bids.index(price) % 2
            gain = slips[drawn[buyer]][0] - price
            other = -gain if sum == "zero" else 0
            return Leaf(gain, other) if buyer == 0 else Leaf(other, gain)
        mover = len(bids) % 2
        words = [("pass", 0), *((str(bid), bid) for bid in range(price + 1, int(top) + 1))]
        return Move(mover, (drawn[mover], bids), tuple((word, (drawn, (*bids, bid))) for word, bid in words))

    return Tree(((), ()), node)


def _goofspiel(cards: str = "3", order: str = "random") -> Tree:
    n = int(cards)

    def node(state: tuple[tuple[tuple[int, int, int], ...], tuple[int, ...]]) -> Node:
        rounds, current = state  # the current round: the prize and perhaps the bid of player 1
        if not current:
            prizes = [k for k in range(1, n + 1) if k not in {prize for prize, _, _ in rounds}]
            if not prizes:
                score = sum(prize * _sign(one, two) for prize, one, two in rounds)
                return Leaf(score, -score)
            if len(prizes) > 1 and order == "random":
                return Chance(tuple((str(k), Fraction(1, len(prizes)), (rounds, (k,))) for k in prizes))
            current = (prizes[0],)
        mover = len(current) - 1
        hand = [k for k in range(1, n + 1) if k not in {played[1 + mover] for played in rounds}]
        actions: list[tuple[str, State]] = []
        for card in hand:
            now = (*current, card)
            actions.append((str(card), (rounds, now) if mover == 0 else ((*rounds, now), ())))
        return Move(mover, (rounds, current[0]), tuple(actions))

    return Tree(((), ()), node)


def _liars_dice(dice: str = "1", faces: str = "6") -> Tree:
    each, sides = int(dice), int(faces)
    claims = [(quantity, face) for quantity in range(1, 2 * each + 1) for face in range(1, sides + 1)]

    def node(state: tuple[tuple[int, ...], tuple[int, ...], bool]) -> Node:
        rolls, bids, called = state
        if len(rolls) < 2 * each:
            return Chance(
                tuple((f"Roll {k}", Fraction(1, sides), ((*rolls, k), bids, False)) for k in range(1, sides + 1))
            )
        if called:
            quantity, face = claims[bids[-1]]
            true = sum(die in (face, sides) for die in rolls) >= quantity
            bidder = (len(bids) - 1) % 2
            return _win(1, 1 if true == (bidder == 0) else -1)
        mover = len(bids) % 2
        actions: list[tuple[str, State]] = []
        for bid in range(bids[-1] + 1 if bids else 0, len(claims)):
            quantity, face = claims[bid]
            actions.append((f"{quantity}-{face}", (rolls, (*bids, bid), False)))
        if bids:
            actions.append(("Liar", (rolls, bids, True)))
        own = rolls[mover * each : (mover + 1) * each]
        return Move(mover, (tuple(sorted(own)), bids), tuple(actions))

    return Tree(((), (), False), node)


def _centipede(length: str = "10") -> Tree:
    def node(state: tuple[int, bool]) -> Node:
        k, stopped = state
        if stopped or k == int(length):
            return Leaf(k, k) if k % 2 == 0 else Leaf(k - 2, k + 2)
        return Move(k % 2, k, (("stop", (k, True)), ("pass", (k + 1, False))))

    return Tree((0, False), node)


# Border patrol

_ROADS = {
    0: "1 4 5 6",
    1: "4 5 6",
    17: "4 5 6",
    18: "10 11 12",
    4: "4 5 7",
    5: "4 5 6 8",
    6: "5 6 9",
    10: "10 11 16",
    11: "10 11 12 16",
    12: "11 12 16",
}
_INNER = {
    "1": {7: "7 8 10", 8: "8 11", 9: "8 9 12"},
    "2": {7: "7 8 10", 8: "7 8 9 11", 9: "8 9 12"},
    "3": {7: "10", 8: "11", 9: "12"},
}


def _border_patrol(graph: str = "1", depth: str = "7", slow: str = "true", p2_zone: str = "11,12") -> Tree:
    roads = {start: [int(end) for end in ends.split()] for start, ends in (_ROADS | _INNER[graph]).items()}
    second = [int(place) for place in p2_zone.split(",")]

    # A state: the turn, the evader's last place and place, whether it must wait, tracks, units, own moves, the end.
    def node(state: tuple[Any, ...]) -> Node:
        turn, before, place, waits, tracks, units, moves, seen, end = state
        if end is not None:
            return _win(1, end)
        actions: list[tuple[str, State]] = []
        if before is None:  # the evader moves
            if waits:
                options = [("wait", place, False, tracks)]
            else:
                ends = [end for end in roads[place] if end != place]
                options = [(str(end), end, False, tracks | ({end} & {4, 5, 6})) for end in ends]
                if slow == "true":
                    options += [(f"slow {end}", end, True, tracks) for end in ends if end in (4, 5, 6)]
            for word, to, waiting, left in options:
                won = 1 if to == 16 else None
                actions.append((word, (turn, place, to, waiting, left, units, (*moves, word), seen, won)))
            return Move(0, moves, tuple(actions))
        for one, two in product(roads[units[0]], roads[units[1]]):
            if one not in (4, 5, 6) or two not in second:
                continue
            met = place in (one, two)
            crossed = (before, place) in ((one, units[0]), (two, units[1]))
            over = -1 if met or crossed else 0 if turn == int(depth) else None
            word = f"{one},{two}"
            note = (word, bool(tracks & {one, two}))
            actions.append((word, (turn + 1, None, place, waits, tracks, (one, two), moves, (*seen, note), over)))
        return Move(1, seen, tuple(actions))

    return Tree((1, None, 0, False, frozenset(), (17, 18), (), (), None), node)


def _dark_hex(size: str = "3", abrupt: str = "false") -> Tree:
    n = int(size)
    cells = [(row, column) for row in range(n) for column in range(n)]

    def joined(player: int, stones: frozenset[tuple[int, int]]) -> bool:
        # Of the coordinates row and column, player 1 must get the first from 0 to n - 1, player 2 the second.
        group = {cell for cell in stones if cell[player] == 0}
        while True:
            near = {(r, c) for r, c in stones for s, d in group if (r - s, c - d) in _NEAR} - group
            if not near:
                return any(cell[player] == n - 1 for cell in group)
            group |= near

    # A state: the mover, the stones of both players, the tries of both players with their results.
    def node(state: tuple[Any, ...]) -> Node:
        me, stones, tries = state
        for player in (0, 1):
            if joined(player, stones[player]):
                return _win(1, 1 - 2 * player)
        actions: list[tuple[str, State]] = []
        for number, cell in enumerate(cells):
            if number in dict(tries[me]):
                continue
            free, then, known = cell not in stones[1 - me], [*stones], [*tries]
            known[me] = (*tries[me], (number, free))
            if free:
                then[me] = stones[me] | {cell}
            passes = free or abrupt == "true"
            actions.append((str(number), (1 - me if passes else me, tuple(then), tuple(known))))
        return Move(me, tries[me], tuple(actions))

    return Tree((0, (frozenset(), frozenset()), ((), ())), node)


_NEAR = {(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)}


# Random games


class _Drawn(NamedTuple):
    """A random tree. A node is its level and its place in the level."""

    movers: list[int]  # -1 for chance
    seen: dict[tuple[int, int], int]  # node -> observation of its mover
    weights: dict[tuple[int, int], list[int]]
    paid: list[tuple[int, int]]
    generator: random.Random


def _draw_tree(
    seed: int, depth: int, branching: int, observations: int, chance: bool, zero: bool, walk: bool
) -> _Drawn:
    generator = random.Random(seed)
    movers = [((-1, 0, 1)[t % 3] if chance else t % 2) for t in range(depth)]
    seen: dict[tuple[int, int], int] = {}
    weights: dict[tuple[int, int], list[int]] = {}
    sums = [(0, 0)]
    for t, mover in enumerate(movers):
        ends = t + 1 == depth
        most = 3 if walk else 3 * depth
        below = []
        for place, (one, two) in enumerate(sums):
            if mover == -1:
                weights[t, place] = [generator.randint(1, 5) for _ in range(branching)]
            for action in range(branching):
                steps = (0, 0)
                if walk or ends:
                    first = generator.randint(-most, most)
                    steps = (first, -first if zero else generator.randint(-most, most))
                below.append((one + steps[0], two + steps[1]))
                if not ends and movers[t + 1] != -1:
                    seen[t + 1, place * branching + action] = generator.randrange(observations)
        sums = below
    return _Drawn(movers, seen, weights, sums, generator)


def _known(drawn: _Drawn, branching: int, t: int, place: int) -> tuple[Any, ...]:
    """Return what the mover at a node has observed and done, in order."""
    mover = drawn.movers[t]
    path = [(level, place // branching ** (t - level)) for level in range(t + 1)]
    known: list[Any] = []
    for level, at in path:
        if drawn.movers[level] == mover:
            known.append(drawn.seen.get((level, at)))
            if level < t:
                known.append(path[level + 1][1] % branching)
    return tuple(known)


def _full_tree(drawn: _Drawn, branching: int, key: Callable[[int, int], Any]) -> Tree:
    def node(state: tuple[int, int]) -> Node:
        t, place = state
        if t == len(drawn.movers):
            return Leaf(*drawn.paid[place])
        below = [(f"a{i}", (t + 1, place * branching + i)) for i in range(branching)]
        if drawn.movers[t] == -1:
            weights = drawn.weights[state]
            return Chance(
                tuple((word, Fraction(w, sum(weights)), then) for (word, then), w in zip(below, weights, strict=True))
            )
        return Move(drawn.movers[t], key(t, place), tuple(below))

    return Tree((0, 0), node)


def _random_tree(
    seed: str = "0",
    depth: str = "6",
    branching: str = "3",
    observations: str = "2",
    chance: str = "false",
    sum: str = "zero",
    utilities: str = "walk",
) -> Tree:
    b = int(branching)
    drawn = _draw_tree(
        int(seed), int(depth), b, int(observations), chance == "true", sum == "zero", utilities == "walk"
    )
    return _full_tree(drawn, b, lambda t, place: _known(drawn, b, t, place))


def _random_imperfect_recall(
    seed: str = "0",
    depth: str = "6",
    branching: str = "3",
    merge: str = "1.0",
    recall: str = "any",
    merge2: str = "0.0",
    recall2: str = "a-loss",
    observations: str = "2",
    utilities: str = "walk",
) -> Tree:
    b = int(branching)
    drawn = _draw_tree(int(seed), int(depth), b, int(observations), False, True, utilities == "walk")
    group_of: dict[tuple[int, tuple[Any, ...]], int] = {}
    for player, chance, kind in ((0, float(merge), recall), (1, float(merge2), recall2)):
        groups: list[list[tuple[tuple[int, int], ...]]] = []  # the own sequences of the sets in each group
        for t in range(player, int(depth), 2):
            sets = list(dict.fromkeys(_known(drawn, b, t, place) for place in range(b**t)))
            drawn.generator.shuffle(sets)
            for known in sets:
                # The set after k own moves is the first 2k + 1 items of what the player knows.
                own = tuple((group_of[player, known[: 2 * k + 1]], known[2 * k + 1]) for k in range(len(known) // 2))
                for number, others in enumerate(groups):
                    if number in dict(own):
                        continue
                    if kind == "a-loss" and not all(_told_apart(own, other) for other in others):
                        continue
                    if drawn.generator.random() < chance:
                        others.append(own)
                        group_of[player, known] = number
                        break
                else:
                    group_of[player, known] = len(groups)
                    groups.append([own])
    return _full_tree(drawn, b, lambda t, place: group_of[drawn.movers[t], _known(drawn, b, t, place)])


def _told_apart(one: tuple[tuple[int, int], ...], two: tuple[tuple[int, int], ...]) -> bool:
    """Return True if two own sequences are equal, or contain different actions at a common group."""
    return one == two or any(a == b and i != j for (a, i), (b, j) in product(one, two))


# Small games, written out


def _written(start: State) -> Tree:
    """Return a game whose states are its nodes."""
    return Tree(start, lambda state: state)


def _one(key: str, /, **actions: Node) -> Move:
    return Move(0, key, tuple((word.replace("_", " "), then) for word, then in actions.items()))


def _two(key: str, /, **actions: Node) -> Move:
    return Move(1, key, tuple((word.replace("_", " "), then) for word, then in actions.items()))


def _chance(**outcomes: tuple[Fraction, Node]) -> Chance:
    return Chance(tuple((word.replace("_", " "), p, then) for word, (p, then) in outcomes.items()))


def _zero(payoff: int) -> Leaf:
    return Leaf(payoff, -payoff)


def _a_loss_counterexample(x: str = "3") -> Tree:
    def last(g: int, h: int) -> Move:
        return _one("forgotten", g=_zero(g), h=_zero(h))

    after_a = _two("after a", c=_zero(-1), d=last(-int(x), 0))
    after_b = _two("after b", e=last(0, -int(x)), f=_zero(-1))
    return _written(_one("first", a=after_a, b=after_b))


def _absentminded_driver() -> Tree:
    second = _one("exit?", exit=_zero(4), go_on=_zero(1))
    return _written(_one("exit?", exit=_zero(0), go_on=second))


def _battle_outside() -> Tree:
    def reply(boxing: Leaf, ballet: Leaf) -> Move:
        return _two("in", boxing=boxing, ballet=ballet)

    inside = _one("in", boxing=reply(Leaf(3, 1), Leaf(0, 0)), ballet=reply(Leaf(0, 0), Leaf(1, 3)))
    return _written(_one("start", out=Leaf(2, 2), **{"in": inside}))


def _beer_quiche() -> Tree:
    def breakfast(kind: str, likes: str) -> Move:
        def sees(meal: str) -> Move:
            good = int(meal == likes)
            duel = Leaf(good, int(kind == "weak"))
            return _two(meal, duel=duel, leave=Leaf(good + 2, int(kind == "strong")))

        return _one(kind, beer=sees("beer"), quiche=sees("quiche"))

    weak, strong = breakfast("weak", "quiche"), breakfast("strong", "beer")
    return _written(_chance(weak=(Fraction(1, 10), weak), strong=(Fraction(9, 10), strong)))


def _dare_or_decline() -> Tree:
    def task2(careful: int, fumble: int) -> Move:
        return _two("task", careful=_zero(careful), fumble=_zero(fumble))

    both = _one("task", careful=task2(0, 2), fumble=task2(-2, 0))
    alone = _one("task", careful=_zero(0), fumble=_zero(-1))
    dares = _two("dare?", dare=both, decline=alone)
    declines = _two("dare?", dare=task2(0, 1), decline=_zero(0))
    return _written(_one("dare?", dare=dares, decline=declines))


def _double_oracle_example(ayf: str = "-1") -> Tree:
    def last(g: int, h: int) -> Move:
        return _one("B", G=_zero(g), H=_zero(h))

    a = _two("A or B", x=_one("Ax", C=_zero(1), D=_zero(2)), y=_one("Ay", E=_zero(-2), F=_zero(int(ayf))))
    return _written(_one("start", A=a, B=_two("A or B", x=last(0, -1), y=last(0, 2))))


def _entry_deterrence() -> Tree:
    inside = _two("entered", accommodate=Leaf(2, 2), fight=Leaf(0, 0))
    return _written(_one("start", out=Leaf(1, 5), enter=inside))


def _guess_the_ace(gift: str = "false") -> Tree:
    def offer(ace: bool) -> Move:
        def guess(word: str) -> Node:
            paid = 1000 * ((word == "yes") == ace)
            if gift == "false":
                return _zero(-paid)
            return _one(f"heard {word}", give=_zero(-paid - 1000), keep=_zero(-paid))

        return _one("offer?", stop=_zero(0), offer=_two("guess", yes=guess("yes"), no=guess("no")))

    ace = (Fraction(1, 52), offer(True))
    return _written(_chance(ace_of_spades=ace, another_card=(Fraction(51, 52), offer(False))))


def _job_market() -> Tree:
    def worker(able: bool) -> Move:
        def sees(degree: bool) -> Move:
            cost = (4 if able else 7) if degree else 0
            manager = Leaf(10 - cost, 10 if able else 0)
            return _two("degree" if degree else "none", manager=manager, clerk=Leaf(4 - cost, 4))

        return _one(f"able {able}", study=sees(True), skip=sees(False))

    return _written(_chance(able=(Fraction(1, 3), worker(True)), other=(Fraction(2, 3), worker(False))))


def _matching_pennies() -> Tree:
    def guess(heads: int, tails: int) -> Move:
        return _two("guess", heads=_zero(heads), tails=_zero(tails))

    return _written(_one("hide", heads=guess(1, -1), tails=guess(-1, 1)))


def _mertens() -> Tree:
    one = _one("elected", careful=Leaf(1, 1), fumble=Leaf(0, 0))
    two = _two("elected", careful=Leaf(1, 1), fumble=Leaf(0, 0))
    coin = _chance(player_1=(Fraction(1, 2), one), player_2=(Fraction(1, 2), two))
    own, other = _two("vote", self=coin, other=one), _two("vote", self=two, other=Leaf(1, 1))
    return _written(_one("vote", self=own, other=other))


def _ordered_trembles() -> Tree:
    second = _two("slipped", steady=Leaf(0, -1), slip=Leaf(1, -2))
    first = _two("in", steady=Leaf(0, 0), slip=second)
    inside = _one("in", careful=first, mistake=Leaf(-1, 0))
    return _written(_one("start", out=Leaf(0, 0), **{"in": inside}))


def _safe_or_risky() -> Tree:
    return _written(_one("first", safe=_zero(0), risky=_one("second", careful=_zero(0), mistake=_zero(-1))))


def _selten_horse_two() -> Tree:
    def called(left: Leaf) -> Move:
        return _two("called", left=left, right=Leaf(0, 0))

    across = _one("second", across=Leaf(1, 1), down=called(Leaf(4, 1)))
    return _written(_one("first", across=across, down=called(Leaf(3, 2))))


def _wichardt() -> Tree:
    def guess(b: int, t: int) -> Move:
        return _two("guess", B=_zero(b), T=_zero(t))

    right = _one("second", r=guess(1, -1), l=guess(-5, -5))
    return _written(_one("first", R=right, L=_one("second", r=guess(-5, -5), l=guess(-1, 1))))


GENERATORS: Mapping[str, Callable[..., Tree]] = {
    "a_loss_counterexample": _a_loss_counterexample,
    "absentminded_driver": _absentminded_driver,
    "auction": _auction,
    "battle_outside": _battle_outside,
    "beer_quiche": _beer_quiche,
    "border_patrol": _border_patrol,
    "centipede": _centipede,
    "dare_or_decline": _dare_or_decline,
    "dark_hex": _dark_hex,
    "double_oracle_example": _double_oracle_example,
    "entry_deterrence": _entry_deterrence,
    "goofspiel": _goofspiel,
    "guess_the_ace": _guess_the_ace,
    "holdem_river": _holdem_river,
    "holdem_turn": _holdem_turn,
    "jk_four_cards": _jk_four_cards,
    "job_market": _job_market,
    "kuhn": _kuhn,
    "kuhn_raise": _kuhn_raise,
    "leduc": _leduc,
    "liars_dice": _liars_dice,
    "matching_pennies": _matching_pennies,
    "mertens": _mertens,
    "ordered_trembles": _ordered_trembles,
    "poker": _poker,
    "random_imperfect_recall": _random_imperfect_recall,
    "random_tree": _random_tree,
    "rhode_island": _rhode_island,
    "safe_or_risky": _safe_or_risky,
    "selten_horse_two": _selten_horse_two,
    "wichardt": _wichardt,
}
"""Name of a built-in game -> the function that grows its tree from the parameters of a spec, as texts."""
