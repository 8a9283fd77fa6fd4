"""Texas Hold'em from the flop, the turn or the river on: two players, any ranges, no-limit betting, and any rake."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.games.parameters import Bounds, Rules
from tremble.numbers import exact_number
from tremble.poker.games.hand_ranges import DECK, cards_of, parse_range, with_commas
from tremble.poker.games.poker_hands import hand_scores
from tremble.poker.holdem.betting import Betting, BettingTree, End
from tremble.poker.holdem.deal import Deal
from tremble.poker.holdem.locks import Locks, lock_text, shortest_lock
from tremble.poker.holdem.moves import moves_before
from tremble.poker.holdem.sizes import by_street, plain
from tremble.value import Value

__all__ = ["History", "HoldemGame", "HoldemTurn"]


class History(NamedTuple):
    """The hand of each player (its number, or -1 before the deal), the state of the board, and a node.

    :mod:`tremble.poker.holdem.deal` describes the numbers of states.
    """

    hand1: int
    hand2: int
    state: int
    node: int


@dataclass(frozen=True, eq=False, repr=False)
class HoldemGame(Rules, Value):
    """The rules that all Hold'em games have in common. The parameters are those of :class:`HoldemTurn`."""

    board: str = ""
    pot: Annotated[float, Bounds(0, 10**6)] = 100.0
    stack: Annotated[float, Bounds(0, 10**6)] = 300.0
    bets: str = ""
    raises: Annotated[int, Bounds(0, 10)] = 2
    range1: str = ""
    range2: str = ""
    raise_sizes: str = ""
    bets1: str = ""
    bets2: str = ""
    raise_sizes1: str = ""
    raise_sizes2: str = ""
    donk: str = ""
    add_all_in: Annotated[float, Bounds(0, 10**6)] = 0.0
    force_all_in: Annotated[float, Bounds(0, 10**6)] = 0.0
    rake: Annotated[float, Bounds(0, 100)] = 0.0
    cap: Annotated[float, Bounds(0, 10**6)] = 0.0
    lock: str = ""

    streets: ClassVar[int] = 1
    """The number of rounds of betting."""

    def __post_init__(self) -> None:
        for name in ("range1", "range2"):
            given: Any = getattr(self, name)
            if isinstance(given, Mapping):
                text = ",".join(f"{hand}:{weight}" for hand, weight in given.items())
                object.__setattr__(self, name, text or "random:0")
        if isinstance(self.lock, Mapping | os.PathLike):
            object.__setattr__(self, "lock", lock_text(self.lock))
        super().__post_init__()
        object.__setattr__(self, "lock", lock_text(self.lock))
        board = cards_of(self.board, "board")
        count = 6 - self.streets
        if len(board) != count:
            words, example = ("three", "four", "five")[count - 3], "Kh7s2d9cQc"[: 2 * count]
            raise SpecError(f"board={self.board:.40} is not allowed; expected {words} cards, such as {example}")
        object.__setattr__(self, "board", "".join(board))
        for name in ("pot", "stack"):
            if not getattr(self, name) > 0:
                raise SpecError(f"{name}={getattr(self, name)} is not allowed; expected a positive number")
        self.betting, self.deal  # noqa: B018 (read the sizes and ranges now, so that errors show positions in the texts)
        for player, hands in enumerate(self.deal.cards, 1):
            if not len(hands):
                raise SpecError(f"range{player}: the range of player {player} has no hand")
        if not self.deal.mass:
            names = " and ".join(self.name_of(player, 0) for player in (0, 1))
            raise SpecError(f"no hands of the players' ranges can be dealt together; for example, {names} share a card")
        object.__setattr__(self, "lock", shortest_lock(self.lock, self.tree, self.deal))
        self.locks  # noqa: B018 (read the locks now, so that errors are raised now)
        for name in ("range1", "range2"):
            object.__setattr__(self, name, with_commas(getattr(self, name)))

    @classmethod
    def alternatives(cls, key: str, value: str) -> Sequence[str]:
        """Return the values for which a value in a list of games stands. In a board, ``*`` means each other card."""
        found = [value] if key == "lock" else super().alternatives(key, value)
        if key != "board":
            return found
        return [
            each.replace("*", card)
            for each in found
            for card in (DECK if each.count("*") == 1 else [""])
            if "*" not in each or card not in cards_of(each.replace("*", ""), "board")
        ]

    def stated(self, key: str, value: int | float | bool | str) -> int | float | bool | str:
        """Return the value of a parameter in the canonical spec: of a lock, its text and not the name of its file."""
        return self.lock if key == "lock" else super().stated(key, value)

    @property
    def is_ordered(self) -> bool:
        """True if the game is also an ordered game."""
        return self.streets == 1 and not self.lock

    @property
    def signals(self) -> tuple[str, ...]:
        """The cards, so that texts show their suits as symbols."""
        return DECK

    @cached_property
    def betting(self) -> Betting:
        """The rules of the betting."""

        def amount(name: str) -> Fraction:
            return Fraction(exact_number(getattr(self, name), name, "decimal"))

        streets = self.streets
        bets = tuple(by_street(own or self.bets, streets, "bets") for own in (self.bets1, self.bets2))
        raises = tuple(
            by_street(own or self.raise_sizes, streets, "raise_sizes") if own or self.raise_sizes else side
            for own, side in zip((self.raise_sizes1, self.raise_sizes2), bets, strict=True)
        )
        for name, sizes in zip(("bets1", "bets2"), bets, strict=True):
            for street in sizes:
                if street and all(size.kind == "x" for size in street):
                    name = name if getattr(self, name) else "bets"
                    raise SpecError(f"{name} has only multiples of a bet, so no bet is possible; add a size, or none")
        if self.donk and streets == 1:
            raise SpecError("donk is a parameter of flops and turns: on a river, nobody has bet in an earlier round")
        if self.cap and not self.rake:
            raise SpecError("cap limits a rake, but there is none; give the rake in percent, such as rake=5")
        donks = by_street(self.donk, streets, "donk") if self.donk else (None,) * streets
        pot, stack = amount("pot"), amount("stack")
        chip = Fraction(1)
        while pot % chip or stack % chip:
            chip /= 10
        percent = Fraction(1, 100)
        return Betting(
            streets, pot, stack, chip, bets, raises, donks, self.raises,
            amount("add_all_in") * percent, amount("force_all_in") * percent,
        )  # fmt: skip

    @cached_property
    def tree(self) -> BettingTree:
        """All lines of moves."""
        return BettingTree(self.betting)

    @cached_property
    def deal(self) -> Deal:
        """The hands of both players and the possible final boards."""
        range1, range2 = (parse_range(getattr(self, name), self.board, what=name) for name in ("range1", "range2"))
        return Deal.of(cards_of(self.board, "board"), (range1, range2), merged=not self.lock)

    @cached_property
    def locks(self) -> Locks:
        """The decisions at which hands act with given frequencies."""
        return Locks.of(self.lock, self.tree, self.deal)

    def drawn(self, player: int, hand: int, node: int, state: int) -> Sequence[Fraction] | None:
        """Return the frequencies of a hand at a decision, or None if the hand is not locked there."""
        shares = self.locks.at(node, state)
        if shares is None or shares[hand, 0] < 0:
            return None
        return [Fraction(share, self.locks.units[node]) for share in shares[hand].tolist()]

    @property
    def title(self) -> str:
        """The title of the game."""
        street = ("river", "turn", "flop")[self.streets - 1]
        ranges = "" if self.all_hands else ", given ranges"
        if self.lock:
            ranges += f", locked at {len(self.locks.units)} {'node' if len(self.locks.units) == 1 else 'nodes'}"
        betting = self.betting
        return f"Hold'em {street} {self.board}, pot {plain(betting.pot)}, stacks {plain(betting.stack)}{ranges}"

    @property
    def all_hands(self) -> bool:
        """True if all hands of both players are equally likely."""
        deal = self.deal
        return all(len(w) == deal.num_hands and (w == w[0]).all() for w in deal.weights)

    def table_bytes(self) -> int:
        """Return the bytes of the tables of both players' strategies in a solution."""
        entries = 0
        for player in (0, 1):
            for street, rows in enumerate(self.tree.rows[player].by_street):
                entries += rows * len(self.deal.tables(street)) * len(self.deal.cards[player])
        return 8 * entries

    def search_bytes(self) -> int:
        """Return the bytes that regret minimization needs at most, with a proof in another process (measured)."""
        return 7 * self.table_bytes()

    def seconds_per_iteration(self) -> float:
        """Return about how many seconds one processor needs for an iteration of regret minimization (measured)."""
        return 1.3e-9 * self.table_bytes()

    def raked(self, paid: Fraction) -> Fraction:
        """Return the rake of a pot to which each player has added ``paid`` chips."""
        rake, cap = self._rake_and_cap
        whole = rake * (self.betting.pot + 2 * paid)
        return min(whole, cap) if cap else whole

    @cached_property
    def _rake_and_cap(self) -> tuple[Fraction, Fraction]:
        """The rake as a fraction of the pot, and its largest number of chips (0: no limit)."""
        rake, cap = (Fraction(exact_number(value, "rake", "decimal")) for value in (self.rake, self.cap))
        return rake / 100, cap

    def name_of(self, player: int, hand: int) -> str:
        """Return the two cards of a hand, with the higher card first."""
        low, high = map(int, self.deal.cards[player][hand])
        return DECK[high] + DECK[low]

    def label(self, player: int, hand: int, node: int, state: int) -> str:
        """Return the text of an information set: the hand, the moves, and the cards that are dealt between rounds."""
        return " ".join((self.name_of(player, hand), *moves_before(self.tree, self.deal, node, state)))

    def gains(self, leaf: int, better: int) -> tuple[Fraction, Fraction]:
        """Return each player's gain in chips, with the half of the first pot that each player has paid.

        At a showdown, player 1 has the better hand if ``better`` is positive, and the worse hand if it is negative.
        """
        node = self.tree.nodes[leaf]
        paid = min(node.paid)
        lost, rake = self.betting.pot / 2 + paid, self.raked(paid)
        if node.kind == End.FOLD:
            better = 1 if self.tree.nodes[node.parent].kind == 1 else -1
        if not better:
            return -rake / 2, -rake / 2
        return (lost - rake, -lost) if better > 0 else (-lost, lost - rake)

    def counts(self) -> dict[str, Any]:
        """Return the sizes of the game tree, with the keys of the JSON output of ``tremble info``."""
        deal, pairs = self.deal, len(self._pairs)
        chance, terminal, moves, sets, sequences = 1 + len(np.unique(self._pairs[:, 0])), 0, [0, 0], [0, 0], [1, 1]
        held = [self._held(street) for street in range(self.streets)]
        locked: dict[int, list[int]] = {}  # node -> histories and information sets of locked hands
        for (n, state), shares in self.locks.shares.items():
            one, two = (deal.free(player, state)[self._pairs[:, player]] for player in (0, 1))
            mover = self._pairs[one & two][:, self.tree.nodes[n].kind]
            fixed = mover[shares[mover, 0] >= 0]
            before = locked.get(n, [0, 0])
            locked[n] = [before[0] + len(fixed), before[1] + len(np.unique(fixed))]
        for n, node in enumerate(self.tree.nodes):
            times = pairs * deal.run_outs(most=len(deal.board) + node.street)
            if node.kind in (End.DEAL, End.RUN_OUT):
                after = range(node.street + 1, self.streets if node.kind == End.RUN_OUT else node.street + 2)
                chance += sum(pairs * deal.run_outs(most=len(deal.board) + street - 1) for street in after)
                terminal += pairs * deal.run_outs() * (node.kind == End.RUN_OUT)
            elif node.kind >= End.FOLD:
                terminal += times
            else:
                own = held[node.street][node.kind]
                fixed_here, hands_here = locked.get(n, (0, 0))
                chance += fixed_here
                moves[node.kind] += times - fixed_here
                sets[node.kind] += own - hands_here
                sequences[node.kind] += (own - hands_here) * len(node.actions)
        deepest = max(
            1 + sum(map(len, lines)) + (self.streets if node.kind == End.RUN_OUT else len(lines))
            for node, lines in zip(self.tree.nodes, self.tree.lines, strict=True)
        )
        return {
            "recall": ["perfect", "perfect"],
            "nodes": {"chance": chance, "player": moves, "terminal": terminal},
            "information_sets": sets,
            "sequences": sequences,
            "max_depth": deepest,
            "zero_sum": not self.rake,
            "constant_sum": not self.rake,
        }

    def _held(self, street: int) -> list[int]:
        """Return the number of pairs of a state and a hand that can be dealt together, for each player."""
        deal = self.deal
        free = [
            np.stack([deal.free(player, state) for state in deal.states(street)], axis=1).astype(np.float32)
            for player in (0, 1)
        ]
        met = deal.apart.astype(np.float32)
        return [
            int((free[0] * (met @ free[1])).astype(bool).sum()),
            int((free[1] * (met.T @ free[0])).astype(bool).sum()),
        ]

    @cached_property
    def _pairs(self) -> NDArray[np.int64]:
        """The numbers of the hands that can be dealt together, [pairs, 2]."""
        return np.argwhere(self.deal.apart)


@dataclass(frozen=True, eq=False, repr=False)
class HoldemTurn(HoldemGame):
    """The last two rounds of Texas Hold'em on a known turn: betting, the river card, betting.

    If a player is all-in on the turn, the river card is dealt, and the hands are compared.

    Player 1 acts first in each round. Each player has paid half of the pot before. Without a fold, each player's hand
    is the best five of the player's two cards and the five public cards, and the better hand wins.

    Parameters
    ----------
    board : str or list of str
        The public cards, such as ``"Qs9h7s4d"``. Blanks and commas between the cards are ignored.
    pot, stack : number
        The chips in the pot before the first bet, and the chips that each player can still bet. The smallest chip is
        1, or the smallest decimal of these two numbers. All amounts are rounded to it.
    bets : str, number or list
        The sizes of bets: percent of the pot (``75`` or ``75%``), chips (``40c``), ``e`` for geometric (the equal part
        of the pot that bets the stack in the rounds that are left), or ``a`` for all-in. A ``/`` separates the sizes
        of the turn and of the river.
    raise_sizes : str, number or list
        The sizes of raises: percent of the pot after calling, or ``2.5x`` for 2.5 times the opponent's bet. The sizes
        of bets if empty. A raise must be at least as large as the last bet or raise, unless it is ``all-in``.
    raises : int
        The largest number of raises in a round.
    bets1, bets2, raise_sizes1, raise_sizes2 : str, number or list
        The sizes of one player, instead of ``bets`` and ``raise_sizes``.
    donk : str, number or list
        The sizes of player 1's bets if player 2 has made the last bet or raise of the round before, instead of
        ``bets``.
    add_all_in, force_all_in : number
        Percent of the pot. A player may also go all-in if this bets at most ``add_all_in`` percent. A wager becomes
        all-in if a call would leave at most ``force_all_in`` percent of the pot in the stacks. 0 switches this off.
    range1, range2 : str, list or mapping
        The range of each player's hands, such as ``"TT+,AKs,QJo:0.5,AhKd"``. See the reference page on ranges. An
        empty text means all hands.
    rake, cap : number
        The percentage of the final pot that nobody wins, and its largest number of chips (0: no limit). With a rake,
        the sum of the payoffs is not constant.
    lock : str or mapping
        Decisions at which hands act with given frequencies: a mapping from a line of moves to hands to actions to
        frequencies, such as ``{"check, bet 50": {"AA,KQs": {"call": "3/4", "fold": "1/4"}}}``, or the path of a JSON
        file with such a mapping. A line of the river without a river card means all river cards. The first text that
        contains a hand counts.

    Examples
    --------
    >>> game = HoldemTurn("Kh9d7s4c", pot=20, stack=100, range1="AA,KQs", range2="TT+,AKs:0.5")
    >>> len(game.tree.nodes), [len(cards) for cards in game.deal.cards], len(game.deal.rivers)
    (384, [9, 30], 48)
    """

    board: str = "Qs9h7s4d"
    bets: str = "50,100"

    streets = 2
    from_rules: ClassVar[bool] = True
    """A turn is solved from its rules, even if its tree could be built, because the engine is much faster."""

    def signal_text(self, signals: Sequence[int]) -> str:
        """Return the text of cards, given as positions in ``signals``, with the higher card first."""
        return "".join(self.signals[signal] for signal in signals[::-1])

    # -- tremble.Game --------------------------------------------------------------------------------

    def root(self) -> History:
        """Return the history before the deal."""
        return History(-1, -1, -1, 0)

    def player(self, h: History) -> int:
        """Return the player to move, ``CHANCE`` or ``TERMINAL``."""
        kind = self.tree.nodes[h.node].kind
        if self._dealing(h):
            return CHANCE
        if kind >= End.FOLD:
            return TERMINAL
        return kind if self.drawn(kind, h[kind], h.node, h.state) is None else CHANCE

    def _dealing(self, h: History) -> bool:
        """Return True if cards are dealt at a history."""
        kind = self.tree.nodes[h.node].kind
        missing = len(self.deal.positions(h.state)) < self.streets - 1
        return h.hand2 < 0 or kind == End.DEAL or (kind == End.RUN_OUT and missing)

    def actions(self, h: History) -> Sequence[str]:
        """Return the labels of the actions, or the names of the cards that can be dealt."""
        if not self._dealing(h):
            return self.tree.nodes[h.node].actions
        if h.hand2 >= 0:
            return [DECK[card] for _, card in self._cards_left(h)]
        side = 0 if h.hand1 < 0 else 1
        return [self.name_of(side, hand) for hand, _ in self._hands_left(h)]

    def chance(self, h: History) -> Sequence[Fraction]:
        """Return the probabilities of the cards that can be dealt, or of the actions of a locked hand."""
        if not self._dealing(h):
            kind = self.tree.nodes[h.node].kind
            return self.drawn(kind, h[kind], h.node, h.state) or ()
        if h.hand2 >= 0:
            left = len(self._cards_left(h))
            return [Fraction(1, left)] * left
        weights = [weight for _, weight in self._hands_left(h)]
        return [Fraction(weight, sum(weights)) for weight in weights]

    @cached_property
    def _first_hands(self) -> list[tuple[int, int]]:
        """The hands of player 1 that can be dealt, each with its weight times the weight of player 2's hands."""
        met = self.deal.apart @ self.deal.weights[1]
        return [(k, int(w) * int(m)) for k, (w, m) in enumerate(zip(self.deal.weights[0], met, strict=True)) if m]

    def _hands_left(self, h: History) -> list[tuple[int, int]]:
        """Return the hands that can be dealt next, each with its weight."""
        if h.hand1 < 0:
            return self._first_hands
        return [(k, int(self.deal.weights[1][k])) for k in self.deal.apart[h.hand1].nonzero()[0].tolist()]

    def _cards_left(self, h: History) -> list[tuple[int, int]]:
        hands = (self.deal.cards[player][h[player]].tolist() for player in (0, 1))
        used = {*self.deal.cards_of(h.state), *(card for hand in hands for card in hand)}
        return [(k, card) for k, card in enumerate(self.deal.rivers.tolist()) if card not in used]

    def child(self, h: History, i: int) -> History:
        """Return the history after an action or a deal."""
        if not self._dealing(h):
            return h._replace(node=self.tree.nodes[h.node].child[i])
        if h.hand1 < 0:
            return h._replace(hand1=self._hands_left(h)[i][0])
        if h.hand2 < 0:
            return h._replace(hand2=self._hands_left(h)[i][0])
        node = self.tree.nodes[h.node]
        state = self.deal.with_cards(h.state, [self._cards_left(h)[i][1]])
        return h._replace(state=state, node=node.child[0] if node.kind == End.DEAL else h.node)

    def deal_between(self, h: History, then: History) -> int:
        """Return the position of the move of chance that leads from a history to the next history."""
        left = self._cards_left(h) if h.hand2 >= 0 else self._hands_left(h)
        dealt = then.hand1 if h.hand1 < 0 else then.hand2 if h.hand2 < 0 else self.deal.positions(then.state)[-1]
        return [number for number, _ in left].index(dealt)

    def infoset(self, h: History) -> str:
        """Return the hand of the player to move, the moves, and the cards that are dealt between rounds."""
        player = self.player(h)
        return self.label(player, h[player], h.node, h.state)

    def payoff(self, h: History) -> tuple[Fraction, Fraction]:
        """Return each player's gain in chips."""
        if self.tree.nodes[h.node].kind == End.FOLD:
            return self.gains(h.node, 0)
        known = [*self.deal.board, *self.deal.cards_of(h.state)]
        cards = [[*self.deal.cards[player][h[player]].tolist(), *known] for player in (0, 1)]
        score1, score2 = hand_scores(np.array(cards)).tolist()
        return self.gains(h.node, score1 - score2)
