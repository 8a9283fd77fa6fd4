"""Play hands of any kind of game, and compute the cost of each move.

The player at the *seat* chooses its moves. The moves of chance and of the opponent are random.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, ClassVar, NamedTuple, Self

from tremble.errors import GameError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.numbers import exact_numbers, exact_payoffs, over_one_denominator
from tremble.show.playable import Line, Playable
from tremble.tabular import Tabular, in_both_forms
from tremble.value import Value, shorten

__all__ = [
    "Decision", "Hand", "Hands", "Move", "Strategy", "Suspicion",
    "chosen", "earned", "is_numbered", "paid_for", "play_hand", "suspicions",
]  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Move(Value):
    """A move: the action that was taken, and the strategy at this information set.

    Examples
    --------
    >>> import tremble
    >>> (hand,) = tremble.play(tremble.load("kuhn"), None, lambda decision: "bet", seat=0, hands=1, seed=1)
    >>> move = hand.own[0]
    >>> move.label, move.action, move.loss, move.best
    ('Q:', 'bet', Fraction(1, 6), ('check',))
    """

    player: int  # 0, 1 or CHANCE
    label: str  # label of the information set; empty for chance
    actions: tuple[str, ...]
    chosen: int  # position of the action that was taken
    probabilities: tuple[Fraction, ...]  # the probabilities of chance, or of the solution
    # The cost of each action, for moves of the player at the seat. None for other moves, or if the costs are unknown.
    losses: tuple[Fraction, ...] | None = None

    @property
    def action(self) -> str:
        """The action that was taken."""
        return self.actions[self.chosen]

    @property
    def probability(self) -> Fraction:
        """The probability that chance or the solution gives to this action."""
        return self.probabilities[self.chosen]

    @property
    def loss(self) -> Fraction | None:
        """The cost of the action. It is 0 for a best action."""
        return None if self.losses is None else self.losses[self.chosen]

    @property
    def solution_loss(self) -> Fraction | None:
        """The mean cost of the solution's strategy. It is 0 if the solution plays only best actions."""
        if self.losses is None:
            return None
        return sum((p * loss for p, loss in zip(self.probabilities, self.losses, strict=True)), Fraction(0))

    @property
    def moves(self) -> tuple[tuple[str, Fraction], ...]:
        """The actions and their probabilities."""
        return tuple(zip(self.actions, self.probabilities, strict=True))

    @property
    def best(self) -> tuple[str, ...]:
        """The actions with cost 0. The tuple is empty if the costs are not computed."""
        return () if self.losses is None else tuple(a for a, x in zip(self.actions, self.losses, strict=True) if not x)


@dataclass(frozen=True, eq=False, repr=False)
class Hand(Value):
    """A hand, or the part of a hand that was played.

    Examples
    --------
    >>> import tremble
    >>> (hand,) = tremble.play(tremble.load("kuhn"), None, lambda decision: "bet", seat=0, hands=1, seed=1)
    >>> hand.payoffs, hand.loss
    ((Fraction(-2, 1), Fraction(2, 1)), Fraction(1, 6))
    """

    number: int  # the number of the hand, counted from 1
    seat: int  # the player whose moves were chosen: 0 or 1
    moves: tuple[Move, ...]
    payoffs: tuple[Fraction, Fraction] | None  # payoffs of players 1 and 2; None before the end of the hand

    @property
    def own(self) -> tuple[Move, ...]:
        """The moves of the player at the seat."""
        return tuple(move for move in self.moves if move.player == self.seat)

    @property
    def loss(self) -> Fraction | None:
        """The total cost of the moves of the player at the seat, or None if the cost of a move is not computed."""
        total, unknown = paid_for([self])
        return None if unknown else total


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Value):
    """A decision of the player at the seat. Its properties reveal only the knowledge of this player.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> def cautious(decision):
    ...     return "fold" if decision.label == "J:b" else decision.actions[0]
    >>> hands = tremble.play(kuhn, None, cautious, seat=1, hands=10, seed=0)
    """

    game: Playable
    hand: Hand  # the hand so far
    line: Line

    @property
    def seat(self) -> int:
        """The player who chooses: 0 or 1."""
        return self.hand.seat

    @property
    def label(self) -> str:
        """The label of the information set. It may be empty."""
        return self.game.label(self.line)

    @property
    def actions(self) -> tuple[str, ...]:
        """The legal actions."""
        return tuple(self.game.rules.actions(self.line.here))

    @cached_property
    def options(self) -> Move:
        """The actions with their probabilities and costs, as a :class:`Move` that takes the first action."""
        return replace(_move(self.game, self.line), losses=self.game.losses(self.line))

    def __repr__(self) -> str:
        return f"<Decision of player {self.seat + 1} at {self.label!r:.80}: {', '.join(self.actions)!s:.120}>"


class Hands(tuple[Hand, ...], Tabular):
    """Finished hands, in the order of play.

    Attributes
    ----------
    seed : int
        Seed of the deals and of the opponent's random choices.
    ended : str
        The reason for the end: ``"hands"`` (all hands were played), ``"quit"``, ``"input"`` (the input ended) or
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
        """Create a tuple of hands."""
        made = super().__new__(cls, hands)
        made.seed, made.ended = seed, ended
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self), self.seed, self.ended)

    @property
    def earned(self) -> tuple[Fraction, Fraction]:
        """The total payoffs of the player at the seat and of the opponent."""
        return earned(self)

    @property
    def lost(self) -> Fraction:
        """The total cost of the moves of the player at the seat. Moves whose cost is not computed are omitted."""
        return paid_for(self)[0]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each hand. Hands and players count from 1."""
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
    """Return the total payoffs of the player at the seat and of the opponent in finished hands."""
    pairs = [(hand.payoffs[hand.seat], hand.payoffs[1 - hand.seat]) for hand in hands if hand.payoffs is not None]
    return sum((mine for mine, _ in pairs), Fraction(0)), sum((theirs for _, theirs in pairs), Fraction(0))


def paid_for(hands: Iterable[Hand]) -> tuple[Fraction, int]:
    """Return the total cost of the moves of the player at the seat, and the number of moves without a computed cost."""
    losses = [move.loss for hand in hands for move in hand.own]
    return sum((loss for loss in losses if loss is not None), Fraction(0)), losses.count(None)


def play_hand(game: Playable, seat: int, number: int, seed: int) -> Generator[Decision, int, Hand]:
    """Play a hand: yield each :class:`Decision`, receive the position of an action, and return the finished hand.

    Chance and the opponent have separate random generators. Their seeds are ``seed`` and the number of the hand, so the
    deals do not depend on the number of earlier random choices.

    Examples
    --------
    >>> import tremble
    >>> from tremble.show.playable import playable_game
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
            move = replace(decision.options, chosen=chosen)
        else:
            move = _move(game, line)
            move = replace(move, chosen=_drawn(move.probabilities, draws[player]))
        moves = (*moves, move)
        line = line.then(move.chosen, game.rules.child(line.here, move.chosen))
    payoff1, payoff2 = exact_payoffs(game.rules.payoff(line.here))
    return Hand(number, seat, moves, (Fraction(payoff1), Fraction(payoff2)))


def _move(game: Playable, line: Line) -> Move:
    """Return the move at the end of a line. The move takes the first action and has no costs."""
    h = line.here
    player, actions = game.rules.player(h), tuple(game.rules.actions(h))
    if player == CHANCE:
        odds = exact_numbers(game.rules.chance(h), "chance probability")
        return Move(player, "", actions, 0, tuple(map(Fraction, odds)))
    return Move(player, game.label(line), actions, 0, tuple(game.probabilities(line)))


def _drawn(probabilities: Sequence[Fraction], draws: Random) -> int:
    """Return the position of a random action, drawn with exact probabilities."""
    shares, whole = over_one_denominator(probabilities)
    left = draws.randrange(whole)
    for i, share in enumerate(shares):
        left -= share
        if left < 0:
            return i
    raise GameError(f"the probabilities of chance sum to less than 1: {', '.join(map(shorten, probabilities))}")


# -- inference of the player at the seat about the opponent's moves -------------------------------


class Strategy(NamedTuple):
    """The opponent's strategy at an information set where it may have moved."""

    label: str
    belief: Fraction  # probability of this set, given the knowledge of the player at the seat
    moves: tuple[tuple[str, Fraction], ...]  # actions and their probabilities


class Suspicion(NamedTuple):
    """A move of the opponent, and the knowledge of the player at the seat about this move."""

    action: str | None  # None if the action is hidden
    strategies: tuple[Strategy, ...]  # the opponent's strategy at each possible set, starting with the likeliest set
    overall: tuple[tuple[str, Fraction], ...] | None  # actions and their mean probabilities; None if unknown


def suspicions(decision: Decision) -> tuple[Suspicion, ...] | None:
    """Return the opponent's moves so far, with its strategy at every information set where it may have been.

    The function uses only the solution and the knowledge of the player at the seat, so the result reveals no hidden
    cards or moves. Return None if there are too many possibilities.
    """
    game, opponent = decision.game, 1 - decision.seat
    lines = game.possible(decision.line)
    if lines is None:
        return None

    def places(line: Line) -> list[int]:
        return [n for n, h in enumerate(line.histories[:-1]) if game.rules.player(h) == opponent]

    total = sum(weight for _, weight in lines)
    moved = [(line, weight / total, places(line)) for line, weight in lines]
    suspected = []
    for number in range(min(len(where) for *_, where in moved)):  # the player may be unaware of further moves
        sets: dict[Any, tuple[Move, Fraction]] = {}
        actions = set()
        for line, belief, where in moved:
            past = line.until(where[number])
            key = game.rules.infoset(past.here)
            move, before = sets.get(key) or (_move(game, past), Fraction(0))
            sets[key] = move, before + belief
            actions.add(move.actions[line.actions[where[number]]])
        rows = sorted(sets.values(), key=lambda row: -row[1])
        shares = game.overall(decision.line, places(decision.line)[number])
        suspected.append(
            Suspicion(
                actions.pop() if len(actions) == 1 else None,
                tuple(Strategy(move.label, belief, move.moves) for move, belief in rows),
                None if shares is None else tuple(zip(rows[0][0].actions, shares, strict=True)),
            )
        )
    return tuple(suspected)


# -- answers that a player types ------------------------------------------------------------------


def is_numbered(actions: Sequence[str]) -> bool:
    """Return True if actions can be chosen by number.

    Return False if the names are distinct and a name is itself a number, such as the name of a card.
    """
    return len(set(actions)) < len(actions) or not any(action.strip().isdecimal() for action in actions)


def chosen(text: str, actions: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the actions that a text can mean.

    The text is the name of an action, the number of an action, or the beginning of one or more names.

    Examples
    --------
    >>> chosen("2", ("fold", "call")), chosen("call", ("fold", "call")), chosen("FO", ("fold", "call"))
    ((1,), (1,), (0,))
    >>> chosen("c", ("check", "call")), chosen("3", ("2", "3", "4")), chosen("3", ("fold", "call"))
    ((0, 1), (1,), ())
    """
    text, names = text.strip(), [action.strip() for action in actions]
    if names.count(text) == 1:
        return (names.index(text),)
    if is_numbered(actions) and text.isdecimal():
        number = int(text[:9])
        if 1 <= number <= len(actions):
            return (number - 1,)
    text, names = text.casefold(), [name.casefold() for name in names]
    alike = [i for i, name in enumerate(names) if name == text]
    return tuple(alike or [i for i, name in enumerate(names) if text and name.startswith(text)])
