"""Play hands of a game against a strategy until the player leaves. :func:`tremble.play` is the public function.

A *sitting* is a sequence of hands. A *hand* is one play of the game. The *seat* is the player, 0 or 1, whose moves the
user chooses. The opponent follows its strategy.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from itertools import count
from numbers import Integral
from typing import TYPE_CHECKING, Any

from tremble.arguments import required_integer
from tremble.errors import SpecError, TooLargeError
from tremble.formats.foreign import game_of
from tremble.game.rules import UnbuiltGame
from tremble.game.tree import GameTree, require_player
from tremble.numbers import required_flag
from tremble.show import hands as views
from tremble.show.playable import playable_game
from tremble.show.playing import Decision, Hand, Hands, Move, chosen, is_numbered, play_hand, suspicions
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.solvers.door import solve
from tremble.text.captions import headline
from tremble.text.view import to_terminal
from tremble.words import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tremble.show.playable import Playable

__all__ = ["Sitting", "play", "quick_solution"]

_MOST_NODES = 5_000  # without a profile, a tree with at most this many nodes is solved first, in a few seconds
_SEEDS = 1_000_000  # random seeds are smaller than this number


class _LeftError(Exception):
    """The exception for a player who has left. The text of the exception becomes ``Hands.ended``."""


class Sitting:
    """A loop that plays hands until the player leaves, using ``input`` and ``print``.

    A subclass can replace the methods that read answers and show text.

    Parameters
    ----------
    game : Playable
    seat : int or None
        The player whose moves the user chooses: 0 or 1. If None, the seat alternates, starting with player 1 (0).
    seed : int or None
        Seed of the random deals and of the opponent's random moves. If None, the seed is random.
    why : bool
        If True, after each hand, show the opponent's strategy at each of the opponent's moves.
    choose : callable, optional
        A function that receives a decision and returns the position of an action. With this function, the loop asks
        no questions and shows no text.
    """

    def __init__(
        self, game: Playable, seat: int | None, seed: int | None, why: bool,
        choose: Callable[[Decision], int] | None = None,
    ) -> None:  # fmt: skip
        self.hands: list[Hand] = []
        self.seed = secrets.randbelow(_SEEDS) if seed is None else seed
        self.decision: Decision | None = None  # the decision that the user must make now
        self._game, self._seat, self._why, self._choose = game, seat, why, choose

    def show(self, view: RenderableType) -> None:
        """Show a table or another text with styles."""
        to_terminal(view)

    def write(self, text: str) -> None:
        """Write plain text."""
        print(text, end="", flush=True)

    def read(self, prompt: str) -> str | None:
        """Ask for a line of text. Return None at the end of the input."""
        try:
            return input(prompt).strip()
        except EOFError:
            return None

    def options(self, decision: Decision) -> Move:
        """Return the actions of a decision, with probabilities and costs. This may take a few seconds."""
        return decision.options

    def play(self, most: int | None, against: str = "") -> str:
        """Play hands until the player leaves or ``most`` hands are finished. Return the reason why play ended.

        ``against`` is a description of the opponent, which the opening text shows.
        """
        self._show(views.opening_view, self._game, printable(against), self.seed)
        try:
            for number in count(1) if most is None else range(1, most + 1):
                self._hand(number)
                while most is None and (text := self._line("  Enter deals the next hand, why, q: ")):
                    if text == "why":
                        self._show(views.why_view, self._game, self.hands[-1])
                    else:
                        self.write(f"  {views.PAUSE_HELP}\n")
        except _LeftError as left:
            return str(left)
        except KeyboardInterrupt:
            if self._choose is None:
                self.write("\n")
            return "interrupted"
        return "hands"

    def _hand(self, number: int) -> None:
        seat = (number - 1) % 2 if self._seat is None else self._seat
        self._show(views.seat_view, self._game, Hand(number, seat, (), None))
        hand = play_hand(self._game, seat, number, self.seed)
        answer: Any = None
        while True:
            try:
                self.decision = hand.send(answer)
            except StopIteration as end:
                self.hands.append(end.value)
                break
            answer = (self._choose or self._ask)(self.decision)
        self.decision = None
        self._show(views.hand_view, self._game, self.hands[-1])
        if self._why:
            self._show(views.why_view, self._game, self.hands[-1])
        self._show(views.running_view, self.hands)

    def _show(self, view: Callable[..., RenderableType], *args: Any) -> None:
        if self._choose is None:
            self.show(view(*args))

    def _ask(self, decision: Decision) -> int:
        """Ask the user until the answer identifies one action. Return the position of this action."""
        actions = decision.actions
        self.show(views.decision_view(decision, is_numbered(actions)))
        while True:
            text = self._line("  your move: ")
            meant = chosen(text, actions) if text else ()
            if text == "?" and text not in actions:
                self.show(views.hint_view(self.options(decision)))
            elif text == "why" and text not in actions:
                suspected = suspicions(decision)
                if suspected or not self.hands:
                    self.show(views.suspicions_view(self._game, decision.seat, suspected))
                else:
                    self.show(views.why_view(self._game, self.hands[-1]))
            elif len(meant) == 1:
                self.options(decision)
                return meant[0]
            elif meant:
                self.write(f"  {printable(text[:40])} may be {', '.join(printable(actions[i]) for i in meant[:10])}.\n")
            else:
                self.write(f"  {views.HELP}\n")

    def _line(self, prompt: str) -> str:
        text = self.read(prompt)
        if text is None:
            raise _LeftError("input")
        if text in ("q", "quit") and not (self.decision and text in self.decision.actions):
            raise _LeftError("quit")
        return text


def quick_solution(game: GameTree | UnbuiltGame, advice: str, **options: Any) -> Solution[Any]:
    """Solve a small game, to get strategies for an opponent.

    Raise ``TooLargeError``, with ``advice``, if solving may take more than a few seconds.
    """
    if isinstance(game, UnbuiltGame) or game.num_nodes > _MOST_NODES:
        title = game.title or "this game"
        raise TooLargeError(f"{title} is too large to be solved automatically; solve it first: {advice}")
    return solve(game, "quasi-perfect", **options)


def play(
    game: object,
    profile: Any = None,
    choose: Callable[[Decision], str | int] | None = None,
    *,
    seat: int | None = None,
    hands: int | None = None,
    seed: int | None = None,
    why: bool = False,
) -> Hands:
    """Play hands of a game against the strategies of a profile, and compute the cost of each of your moves.

    You can type your moves, or pass a function that chooses them. The opponent follows the profile.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    profile : object, optional
        The strategies of both players. :func:`tremble.nash_conv` lists the accepted forms. For a game that is not
        built, the profile is a solution or a pair of strategies for this game. If no profile is given, a tree of up to
        5,000 nodes is solved first.
    choose : callable, optional
        A function that chooses your moves. It receives a :class:`tremble.results.Decision` and returns one of
        ``decision.actions``, or the position of an action, from 0. By default, ``input`` asks you for moves, and the
        hands are shown.
    seat : int, optional
        Your player: 0 or 1. By default, you are player 0 in the first hand, and change players after each hand.
    hands : int, optional
        The number of hands. It is required with ``choose``. By default, play continues until you answer ``q``.
    seed : int, optional
        Seed of the random deals and of the opponent's random moves. The default is a random seed.
    why : bool
        If True, after each hand, show the opponent's strategy at each of the opponent's moves.

    Returns
    -------
    tremble.results.Hands
        The finished hands, with payoffs and costs.

    Raises
    ------
    GameError
        The profile does not belong to the game, or no profile is given and the game is too large to be solved first.
    SpecError
        ``choose`` did not return an action, or the seat or the number of hands is invalid.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> solution = tremble.solve(kuhn, "quasi-perfect")
    >>> def timid(decision):
    ...     return decision.actions[0]  # check, or fold
    >>> hands = tremble.play(kuhn, solution, timid, seat=0, hands=3, seed=1)
    >>> hands.earned, hands.lost
    ((Fraction(1, 1), Fraction(-1, 1)), Fraction(0, 1))
    >>> hands[0].own[0].label, hands[0].own[0].action
    ('Q:', 'check')
    """
    if seat is not None:
        require_player(seat)
    if hands is not None and required_integer(hands, "hands") < 1:
        raise SpecError(f"'hands', the number of hands, must be at least 1, not {hands!r:.80}")
    if choose is not None and hands is None:
        raise SpecError("'choose' needs a number of hands: also pass 'hands', for example hands=100")
    required_flag(why, "why")
    if choose is not None and not callable(choose):
        raise SpecError(f"'choose' must be a function that returns an action for a decision, not {choose!r:.80}")
    if seed is not None:
        required_integer(seed, "seed")
    known = game_of(game)
    if profile is None:
        profile = quick_solution(known, "tremble.play(game, tremble.solve(game))")
    position = None if choose is None else lambda decision: _position(choose(decision), decision)
    sitting = Sitting(playable_game(known, profile), seat, seed, why, position)
    stated = isinstance(profile, StatedSolution)
    ended = sitting.play(hands, f"a solution ({headline(profile)})" if stated else "the strategies given")
    return Hands(sitting.hands, sitting.seed, ended)


def _position(answer: str | int, decision: Decision) -> int:
    """Return the position of the action that ``choose`` returned; raise ``SpecError`` if it is not an action."""
    actions = decision.actions
    if isinstance(answer, str):
        if actions.count(answer) == 1:
            return actions.index(answer)
    elif isinstance(answer, Integral) and not isinstance(answer, bool) and 0 <= answer < len(actions):
        return int(answer)
    known = ", ".join(f"{action!r:.40}" for action in actions[:20])
    where = f"at information set {decision.label!r:.80}, 'choose' returned {answer!r:.80}"
    raise SpecError(f"{where}; it must return one of {known}, or the position of an action, from 0")
