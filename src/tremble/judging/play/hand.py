"""One hand: chance and the solution draw, the player at one seat chooses, and all of it is noted down."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random

from tremble.base.exact_numbers import exact_numbers, exact_payoffs, over_one_denominator, shorten
from tremble.errors import GameError
from tremble.judging.play.playable import Line, Playable
from tremble.model.game import CHANCE, TERMINAL

__all__ = ["Decision", "Hand", "Move", "Strategy", "Suspicion", "earned", "paid_for", "play_hand", "suspicions"]


@dataclass(frozen=True)
class Move:
    """An action that was taken, and what lay behind it."""

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


@dataclass(frozen=True)
class Hand:
    """A hand, or the part of one that was played."""

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


@dataclass(frozen=True)
class Decision:
    """Where the player at the seat is to choose."""

    game: Playable
    hand: Hand  # so far
    line: Line

    @property
    def actions(self) -> tuple[str, ...]:
        """What there is to choose from."""
        return tuple(self.game.rules.actions(self.line.here))

    @cached_property
    def options(self) -> Move:
        """The actions, what the solution plays and what each costs: the move with the first action chosen."""
        return replace(_move(self.game, self.line, 0), losses=self.game.losses(self.line))

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
    >>> from tremble.judging.play import playable
    >>> tree = tremble.load("kuhn")
    >>> hand = play_hand(playable(tree, tremble.solve(tree).strategies), seat=0, number=1, seed=3)
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


def earned(hands: Iterable[Hand]) -> tuple[Fraction, Fraction]:
    """What the player at the seat and the opponent earned in finished hands."""
    pairs = [(hand.payoffs[hand.seat], hand.payoffs[1 - hand.seat]) for hand in hands if hand.payoffs is not None]
    return sum((mine for mine, _ in pairs), Fraction(0)), sum((theirs for _, theirs in pairs), Fraction(0))


def paid_for(hands: Iterable[Hand]) -> tuple[Fraction, int]:
    """What the chosen moves cost, as far as that is computed, and of how many it is not."""
    losses = [move.loss for hand in hands for move in hand.own]
    return sum((loss for loss in losses if loss is not None), Fraction(0)), losses.count(None)
