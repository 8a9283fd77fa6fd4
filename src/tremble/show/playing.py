"""Play hands (single plays) of any kind of game, and compute the cost of each move.

The caller chooses the moves of one player, the *seat*. The moves of chance and of the other player, the *opponent*, are
drawn at random, from the probabilities of the game and of a solution. The *cost* (loss) of an action is the payoff that
a best action would earn against the opponent's strategy, minus the payoff of the action.
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
from tremble.value import Tabular, Value, in_both_forms, shorten

__all__ = [
    "Decision", "Hand", "Hands", "Move", "Strategy", "Suspicion",
    "chosen", "earned", "is_numbered", "paid_for", "play_hand", "suspicions",
]  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Move(Value):
    """A move of a player or of chance: the chosen action, and the probabilities of all actions.

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
    chosen: int  # position of the chosen action in ``actions``
    probabilities: tuple[Fraction, ...]  # probability of each action, under chance or the solution
    # The cost of each action, for a move of the player at the seat. None for other moves, or if the costs are unknown.
    losses: tuple[Fraction, ...] | None = None

    @property
    def action(self) -> str:
        """The chosen action."""
        return self.actions[self.chosen]

    @property
    def probability(self) -> Fraction:
        """The probability that chance or the solution gives to the chosen action."""
        return self.probabilities[self.chosen]

    @property
    def loss(self) -> Fraction | None:
        """The cost of the chosen action, which is 0 for a best action. None if the costs are unknown."""
        return None if self.losses is None else self.losses[self.chosen]

    @property
    def solution_loss(self) -> Fraction | None:
        """The mean cost of the solution's mixture of actions. It is 0 if the solution plays only best actions."""
        if self.losses is None:
            return None
        return sum((p * loss for p, loss in zip(self.probabilities, self.losses, strict=True)), Fraction(0))

    @property
    def moves(self) -> tuple[tuple[str, Fraction], ...]:
        """All actions with their probabilities."""
        return tuple(zip(self.actions, self.probabilities, strict=True))

    @property
    def best(self) -> tuple[str, ...]:
        """The actions with cost 0. The tuple is empty if the costs are not computed."""
        return () if self.losses is None else tuple(a for a, x in zip(self.actions, self.losses, strict=True) if not x)


@dataclass(frozen=True, eq=False, repr=False)
class Hand(Value):
    """A finished hand, or the played part of an unfinished hand.

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
        """The moves of the player at the seat, in order."""
        return tuple(move for move in self.moves if move.player == self.seat)

    @property
    def loss(self) -> Fraction | None:
        """The total cost of the moves of the player at the seat, or None if the cost of a move is not computed."""
        total, unknown = paid_for([self])
        return None if unknown else total


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Value):
    """A point at which the player at the seat must choose an action.

    ``seat``, ``label``, ``actions`` and ``options`` reveal only what this player knows.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> def cautious(decision):
    ...     return "fold" if decision.label == "J:b" else decision.actions[0]
    >>> hands = tremble.play(kuhn, None, cautious, seat=1, hands=10, seed=0)
    """

    game: Playable
    hand: Hand  # the hand so far, including hidden moves
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
        """The probabilities and costs of all actions, in a :class:`Move` whose chosen action is a placeholder."""
        return replace(_move(self.game, self.line), losses=self.game.losses(self.line))

    def __repr__(self) -> str:
        return f"<Decision of player {self.seat + 1} at {self.label!r:.80}: {', '.join(self.actions)!s:.120}>"


class Hands(tuple[Hand, ...], Tabular):
    """Finished hands, in the order of play.

    Attributes
    ----------
    seed : int
        Seed of the random deals and of the opponent's random moves.
    ended : str
        The reason why play ended: ``"hands"`` (all hands were played), ``"quit"``, ``"input"`` (the input ended) or
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
        """Create a tuple of hands with a seed and the reason why play ended."""
        made = super().__new__(cls, hands)
        made.seed, made.ended = seed, ended
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self), self.seed, self.ended)

    @property
    def earned(self) -> tuple[Fraction, Fraction]:
        """The total payoffs over all hands: of the player at the seat, then of the opponent."""
        return earned(self)

    @property
    def lost(self) -> Fraction:
        """The total cost of the moves of the player at the seat, without moves whose cost is unknown."""
        return paid_for(self)[0]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each hand. Hands and players are numbered from 1."""
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
    """Return the total payoffs of the finished hands: of the user's player (the seat), and of the opponent."""
    pairs = [(hand.payoffs[hand.seat], hand.payoffs[1 - hand.seat]) for hand in hands if hand.payoffs is not None]
    return sum((mine for mine, _ in pairs), Fraction(0)), sum((theirs for _, theirs in pairs), Fraction(0))


def paid_for(hands: Iterable[Hand]) -> tuple[Fraction, int]:
    """Add up the known costs of the user's moves in all hands. Return the sum, and the count of unknown costs."""
    losses = [move.loss for hand in hands for move in hand.own]
    return sum((loss for loss in losses if loss is not None), Fraction(0)), losses.count(None)


def play_hand(game: Playable, seat: int, number: int, seed: int) -> Generator[Decision, int, Hand]:
    """Play a hand as a generator: yield each :class:`Decision`, receive the position of an action, return the hand.

    Chance and the opponent have separate random generators, seeded from ``seed`` and the number of the hand. So other
    random choices do not change the deals of a hand.

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
    """Return the next move after a line of play, with placeholders in two fields: ``chosen=0`` and ``losses=None``."""
    h = line.here
    player, actions = game.rules.player(h), tuple(game.rules.actions(h))
    if player == CHANCE:
        odds = exact_numbers(game.rules.chance(h), "chance probability")
        return Move(player, "", actions, 0, tuple(map(Fraction, odds)))
    return Move(player, game.label(line), actions, 0, tuple(game.probabilities(line)))


def _drawn(probabilities: Sequence[Fraction], draws: Random) -> int:
    """Draw the position of a random action. The draw uses integers, so the probabilities are exact."""
    shares, whole = over_one_denominator(probabilities)
    left = draws.randrange(whole)
    for i, share in enumerate(shares):
        left -= share
        if left < 0:
            return i
    raise GameError(f"the probabilities of chance moves sum to less than 1: {', '.join(map(shorten, probabilities))}")


# -- what the player at the seat can infer about the opponent's moves ------------------------------


class Strategy(NamedTuple):
    """The opponent's strategy at one of the information sets where the opponent may have made a past move."""

    label: str
    belief: Fraction  # probability of this set, given the knowledge of the player at the seat
    moves: tuple[tuple[str, Fraction], ...]  # actions and their probabilities


class Suspicion(NamedTuple):
    """A past move of the opponent, as far as the player at the seat knows it."""

    action: str | None  # None if the action is hidden
    strategies: tuple[Strategy, ...]  # the opponent's strategy at each possible set, starting with the likeliest set
    overall: tuple[tuple[str, Fraction], ...] | None  # actions and their mean probabilities; None if unknown


def suspicions(decision: Decision) -> tuple[Suspicion, ...] | None:
    """Return the opponent's moves so far and, for each move, all information sets where it may have been made.

    The result contains the opponent's strategy at these sets. It uses only the solution and the knowledge of player
    ``decision.seat``, so it reveals no hidden cards or moves. Return None if there are too many possible lines of play.
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
    for number in range(min(len(where) for *_, where in moved)):  # the player may not know of further moves
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
    """Return True if the user can type the number of an action.

    Return False if all actions have different names and some name is itself a number, such as the name of a card.
    """
    return len(set(actions)) < len(actions) or not any(action.strip().isdecimal() for action in actions)


def chosen(text: str, actions: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the actions that a typed text can mean.

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
