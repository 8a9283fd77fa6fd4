"""One hand: chance and the solution draw, the player at one seat chooses, and all of it is noted down."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, ClassVar, Self

from tremble.errors import GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.numbers import exact_numbers, exact_payoffs, over_one_denominator, shorten
from tremble.show.playing.protocol import Line, Playable
from tremble.tabular import Tabular, in_both_forms
from tremble.value import Value

__all__ = [
    "Decision",
    "Hand",
    "Hands",
    "Move",
    "Strategy",
    "Suspicion",
    "earned",
    "paid_for",
    "play_hand",
    "suspicions",
]


@dataclass(frozen=True, eq=False, repr=False)
class Move(Value):
    """An action that was taken, and what lay behind it.

    Examples
    --------
    >>> import tremble
    >>> (hand,) = tremble.play(tremble.load("kuhn"), None, lambda decision: "bet", seat=0, hands=1, seed=1)
    >>> move = hand.own[0]
    >>> move.label, move.action, move.loss, move.best
    ('Q:', 'bet', Fraction(1, 6), ('check',))
    """

    player: int  # 0, 1 or CHANCE
    label: str  # of the mover's information set; empty where chance moves
    actions: tuple[str, ...]
    chosen: int
    probabilities: tuple[Fraction, ...]  # of chance, or what the solution plays
    losses: tuple[Fraction, ...] | None = None  # of each action of the player at the seat, where they are computed

    @property
    def action(self) -> str:
        """What was done."""
        return self.actions[self.chosen]

    @property
    def probability(self) -> Fraction:
        """With which chance or the solution does it."""
        return self.probabilities[self.chosen]

    @property
    def loss(self) -> Fraction | None:
        """What it cost: 0 of a best action."""
        return None if self.losses is None else self.losses[self.chosen]

    @property
    def solution_loss(self) -> Fraction | None:
        """What the solution's own distribution costs here, on average: 0 where it plays best actions only."""
        if self.losses is None:
            return None
        return sum((p * loss for p, loss in zip(self.probabilities, self.losses, strict=True)), Fraction(0))

    @property
    def moves(self) -> tuple[tuple[str, Fraction], ...]:
        """Actions and their probabilities."""
        return tuple(zip(self.actions, self.probabilities, strict=True))

    @property
    def best(self) -> tuple[str, ...]:
        """The actions that cost nothing; empty where that is not computed."""
        return () if self.losses is None else tuple(a for a, x in zip(self.actions, self.losses, strict=True) if not x)


@dataclass(frozen=True, eq=False, repr=False)
class Hand(Value):
    """A hand, or the part of one that was played.

    Examples
    --------
    >>> import tremble
    >>> (hand,) = tremble.play(tremble.load("kuhn"), None, lambda decision: "bet", seat=0, hands=1, seed=1)
    >>> hand.payoffs, hand.loss
    ((Fraction(-2, 1), Fraction(2, 1)), Fraction(1, 6))
    """

    number: int  # from 1
    seat: int  # whose moves were chosen: 0 or 1
    moves: tuple[Move, ...]
    payoffs: tuple[Fraction, Fraction] | None  # of players 1 and 2; None before the end

    @property
    def own(self) -> tuple[Move, ...]:
        """The moves that were chosen."""
        return tuple(move for move in self.moves if move.player == self.seat)

    @property
    def loss(self) -> Fraction | None:
        """What these cost in all; None if that of one is not computed."""
        losses = [move.loss for move in self.own]
        return None if None in losses else sum((loss for loss in losses if loss is not None), Fraction(0))


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Value):
    """Where the player at the seat is to choose; what it tells is what that player knows.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> def cautious(decision):
    ...     return "fold" if decision.label == "J:b" else decision.actions[0]
    >>> hands = tremble.play(kuhn, None, cautious, seat=1, hands=10, seed=0)
    """

    game: Playable
    hand: Hand  # so far
    line: Line

    @property
    def seat(self) -> int:
        """Who chooses: player 0 or 1."""
        return self.hand.seat

    @property
    def label(self) -> str:
        """What the information set is called; may be empty."""
        return self.game.label(self.line)

    @property
    def actions(self) -> tuple[str, ...]:
        """What there is to choose from."""
        return tuple(self.game.rules.actions(self.line.here))

    @cached_property
    def options(self) -> Move:
        """The actions, what the solution plays and what each costs: the move with the first action chosen."""
        return replace(_move(self.game, self.line, 0), losses=self.game.losses(self.line))

    def __repr__(self) -> str:
        return f"<Decision of player {self.seat + 1} at {self.label!r:.80}: {', '.join(self.actions)!s:.120}>"

    def taken(self, chosen: int) -> Move:
        """The move with another action chosen."""
        return replace(self.options, chosen=chosen)


def play_hand(game: Playable, seat: int, number: int, seed: int) -> Generator[Decision, int, Hand]:
    """Play a hand: yields each :class:`Decision`, is sent the position of the action, and returns the hand.

    Chance and the opponent draw from generators of their own, seeded with ``seed`` and the number of the hand: what is
    dealt does not depend on how many moves were drawn.

    Examples
    --------
    >>> import tremble
    >>> from tremble.show.playing import playable_game
    >>> tree = tremble.load("kuhn")
    >>> hand = play_hand(playable_game(tree, tremble.solve(tree).strategies), seat=0, number=1, seed=3)
    >>> decision = next(hand)
    >>> decision.game.label(decision.line), decision.options.actions
    ('K:', ('check', 'bet'))
    """
    draws = {CHANCE: Random(f"{seed} {number} chance"), 1 - seat: Random(f"{seed} {number} opponent")}
    line = Line((game.rules.root(),))
    moves: tuple[Move, ...] = ()
    while (player := game.rules.player(line.here)) != TERMINAL:
        if player == seat:
            decision = Decision(game, Hand(number, seat, moves, None), line)
            chosen = yield decision
            move = decision.taken(chosen)
        else:
            move = _move(game, line, 0)
            move = replace(move, chosen=_drawn(move.probabilities, draws[player]))
        moves = (*moves, move)
        line = line.then(move.chosen, game.rules.child(line.here, move.chosen))
    payoff1, payoff2 = exact_payoffs(game.rules.payoff(line.here))
    return Hand(number, seat, moves, (Fraction(payoff1), Fraction(payoff2)))


def _move(game: Playable, line: Line, chosen: int) -> Move:
    """An action at the end of a line, without costs."""
    h = line.here
    player, actions = game.rules.player(h), tuple(game.rules.actions(h))
    if player == CHANCE:
        odds = exact_numbers(game.rules.chance(h), "chance probability")
        return Move(player, "", actions, chosen, tuple(map(Fraction, odds)))
    return Move(player, game.label(line), actions, chosen, tuple(game.probabilities(line)))


def _drawn(probabilities: Sequence[Fraction], draws: Random) -> int:
    """The position of an action, drawn exactly."""
    shares, whole = over_one_denominator(probabilities)
    left = draws.randrange(whole)
    for i, share in enumerate(shares):
        left -= share
        if left < 0:
            return i
    raise GameError(f"the probabilities of chance sum to less than 1: {', '.join(map(shorten, probabilities))}")


# -- what the player at the seat may know of the other's moves ---------------------------------------


@dataclass(frozen=True)
class Strategy:
    """What the opponent's strategy does at one of the information sets in which it may have moved."""

    label: str
    belief: Fraction  # that it was in this one, given all that the player at the seat knows
    moves: tuple[tuple[str, Fraction], ...]  # actions and their probabilities


@dataclass(frozen=True)
class Suspicion:
    """A move of the opponent, as the player at the seat can judge it."""

    action: str | None  # None if it is hidden
    strategies: tuple[Strategy, ...]  # the likeliest set first
    overall: tuple[tuple[str, Fraction], ...] | None = None  # actions, how often it takes each in all; None if unknown


def suspicions(decision: Decision) -> tuple[Suspicion, ...] | None:
    """The opponent's moves so far, and the strategy behind each at every set that it may have been in.

    Nothing is given away but what follows from the solution and from what the player at the seat knows. None if there
    are too many possibilities.
    """
    game, opponent = decision.game, 1 - decision.hand.seat
    lines = game.possible(decision.line)
    if lines is None:
        return None
    total = sum(weight for _, weight in lines)
    moved = [[n for n, h in enumerate(line.histories[:-1]) if game.rules.player(h) == opponent] for line, _ in lines]
    places = [n for n, h in enumerate(decision.line.histories[:-1]) if game.rules.player(h) == opponent]
    suspected = []
    for number in range(min(map(len, moved))):  # how many more there were, the player does not know
        beliefs: dict[Hashable, Fraction] = {}
        strategies: dict[Hashable, Move] = {}
        actions = set()
        for (line, weight), where in zip(lines, moved, strict=True):
            past = line.until(where[number])
            key = game.rules.infoset(past.here)
            if key not in strategies:
                strategies[key] = _move(game, past, 0)
            beliefs[key] = beliefs.get(key, Fraction(0)) + weight / total
            actions.add(strategies[key].actions[line.actions[where[number]]])
        rows = sorted(strategies, key=lambda key: -beliefs[key])
        shares = game.overall(decision.line, places[number])
        suspected.append(
            Suspicion(
                actions.pop() if len(actions) == 1 else None,
                tuple(Strategy(strategies[k].label, beliefs[k], strategies[k].moves) for k in rows),
                None if shares is None else tuple(zip(strategies[rows[0]].actions, shares, strict=True)),
            )
        )
    return tuple(suspected)


# -- several hands ---------------------------------------------------------------------------------


class Hands(tuple[Hand, ...], Tabular):
    """Finished hands, in the order in which they were played.

    Attributes
    ----------
    seed : int
        Of what was dealt and of the opponent's draws.
    ended : str
        What ended them: ``"hands"`` (so many were wanted), ``"quit"``, ``"input"`` (there was no more) or
        ``"interrupted"``.

    Examples
    --------
    >>> import tremble
    >>> hands = tremble.play(tremble.load("kuhn"), None, lambda decision: 0, seat=0, hands=2, seed=1)
    >>> hands.to_rows()[0]["moves"], hands.to_rows()[0]["payoff1"]
    ('QK / check / bet / fold', Fraction(-1, 1))
    """

    columns: ClassVar[tuple[str, ...]] = (
        *("hand", "seat", "moves", "payoff1", "payoff1_float", "payoff2", "payoff2_float", "loss", "loss_float"),
    )
    seed: int
    ended: str

    def __new__(cls, hands: Iterable[Hand], seed: int, ended: str) -> Self:
        """The hands, and how they came about."""
        made = super().__new__(cls, hands)
        made.seed, made.ended = seed, ended
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self), self.seed, self.ended)

    @property
    def earned(self) -> tuple[Fraction, Fraction]:
        """What the player at the seat and the opponent earned."""
        return earned(self)

    @property
    def lost(self) -> Fraction:
        """What the chosen moves cost in all, as far as that is computed."""
        return paid_for(self)[0]

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each hand. Hands and players count from 1."""
        return [
            {"hand": hand.number, "seat": hand.seat + 1, "moves": " / ".join(move.action for move in hand.moves)}
            | in_both_forms("payoff1", hand.payoffs and hand.payoffs[0])
            | in_both_forms("payoff2", hand.payoffs and hand.payoffs[1])
            | in_both_forms("loss", hand.loss)
            for hand in self
        ]

    def __repr__(self) -> str:
        return f"<Hands: {len(self)}, you {shorten(self.earned[0])}, your moves cost {shorten(self.lost)}>"


def earned(hands: Iterable[Hand]) -> tuple[Fraction, Fraction]:
    """What the player at the seat and the opponent earned in finished hands."""
    pairs = [(hand.payoffs[hand.seat], hand.payoffs[1 - hand.seat]) for hand in hands if hand.payoffs is not None]
    return sum((mine for mine, _ in pairs), Fraction(0)), sum((theirs for _, theirs in pairs), Fraction(0))


def paid_for(hands: Iterable[Hand]) -> tuple[Fraction, int]:
    """What the chosen moves cost, as far as that is computed, and of how many it is not."""
    losses = [move.loss for hand in hands for move in hand.own]
    return sum((loss for loss in losses if loss is not None), Fraction(0)), losses.count(None)
