"""Hand after hand against a strategy: asked and shown at a terminal or in a notebook, or played by a program."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from itertools import count
from numbers import Integral
from typing import TYPE_CHECKING, Any

from tremble.base.exact_numbers import required_flag, required_integer
from tremble.errors import SpecError, TooLargeError
from tremble.io.foreign import game_of
from tremble.judging.playable import playable_game
from tremble.judging.playing import Decision, Hand, Hands, Move, chosen, is_numbered, play_hand, suspicions
from tremble.model.printable import printable
from tremble.model.rules import UnbuiltGame
from tremble.model.tree import GameTree, require_player
from tremble.show import hands as views
from tremble.show.terminal import to_terminal
from tremble.show.view import headline
from tremble.solution.solution import Solution
from tremble.solution.stated import StatedSolution
from tremble.solvers.solve import solve

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tremble.judging.playable import Playable

__all__ = ["Face", "Sitting", "drawn_seed", "play", "solved_on_the_way"]

_SMALL = 5_000  # nodes of a tree that is solved on the way: some seconds
_SEEDS = 1_000_000


class _Left(Exception):  # noqa: N818 (which is no error)
    """The player has had enough."""


class Face:
    """Where it is asked and shown: here, the standard input and output."""

    def show(self, view: RenderableType) -> None:
        """Show a view."""
        to_terminal(view)

    def write(self, text: str) -> None:
        """Show text as it is."""
        print(text, end="", flush=True)

    def line(self, prompt: str) -> str | None:
        """Ask for a line; None if there is none any more."""
        try:
            return input(prompt).strip()
        except EOFError:
            return None

    def costs(self, decision: Decision) -> Move:
        """What the actions cost, which may take a moment."""
        return decision.options


class Sitting:
    """Hand after hand, until somebody or something ends it.

    Parameters
    ----------
    game : Playable
    seat : int or None
        Whom the player plays; None: both in turns, player 1 first.
    seed : int
    why : bool
        Whether the strategy behind the opponent's moves is shown after each hand.
    face : Face or None
        None where nobody looks on; then ``choose`` decides.
    choose : callable, optional
        From a decision to the position of an action. Unless given, the face asks.
    """

    def __init__(
        self, game: Playable, seat: int | None, seed: int, why: bool, face: Face | None,
        choose: Callable[[Decision], int] | None = None,
    ) -> None:  # fmt: skip
        self.hands: list[Hand] = []
        self.decision: Decision | None = None  # that is open
        self._game = game
        self._seat = seat
        self._seed = seed
        self._why = why
        self._face = face
        self._choose = choose or self._asked_for

    def open(self, against: str) -> None:
        """Say what is played, against whom, and how."""
        self._show(lambda: views.opening_view(self._game, printable(against), self._seed))

    def play(self, most: int | None) -> str:
        """Play so many hands, or until the player leaves; returns what ended it."""
        try:
            for number in count(1) if most is None else range(1, most + 1):
                self._hand(number)
                if most is None:
                    self._pause()
        except _Left as left:
            return str(left)
        except KeyboardInterrupt:
            if self._face is not None:
                self._face.write("\n")
            return "interrupted"
        return "hands"

    def _hand(self, number: int) -> None:
        seat = (number - 1) % 2 if self._seat is None else self._seat
        going = play_hand(self._game, seat, number, self._seed)
        self._show(lambda: views.seat_view(self._game, Hand(number, seat, (), None)))
        try:
            self.decision = next(going)
            while True:
                self.decision = going.send(self._choose(self.decision))
        except StopIteration as end:
            self.decision = None
            self.hands.append(end.value)
        self._show(lambda: views.hand_view(self._game, self.hands[-1]))
        if self._why:
            self._show(lambda: views.why_view(self._game, self.hands[-1]))
        self._show(lambda: views.running_view(self.hands))

    def _show(self, view: Callable[[], RenderableType]) -> None:
        if self._face is not None:
            self._face.show(view())

    # -- by asking -----------------------------------------------------------------------------------

    def _asked_for(self, decision: Decision) -> int:
        """Ask until one action is meant."""
        face = self._face
        assert face is not None
        actions = decision.actions
        face.show(views.decision_view(decision, is_numbered(actions)))
        while True:
            text = self._line("  your move: ")
            meant = chosen(text, actions) if text else ()
            if text == "?" and text not in actions:
                face.show(views.hint_view(face.costs(decision)))
            elif text == "why" and text not in actions:
                self._tell_why(decision)
            elif len(meant) == 1:
                face.costs(decision)
                return meant[0]
            elif meant:
                face.write(f"  {printable(text[:40])} may be {', '.join(printable(actions[i]) for i in meant[:10])}.\n")
            else:
                face.write(f"  {views.HELP}\n")

    def _tell_why(self, decision: Decision) -> None:
        suspected = suspicions(decision)
        if suspected or not self.hands:
            self._show(lambda: views.suspicions_view(self._game, decision.hand.seat, suspected))
        else:
            self._show(lambda: views.why_view(self._game, self.hands[-1]))

    def _pause(self) -> None:
        while text := self._line("  Enter deals the next hand, why, q: "):
            if text == "why":
                self._show(lambda: views.why_view(self._game, self.hands[-1]))
            else:
                assert self._face is not None
                self._face.write(
                    "  An empty line deals the next hand; why shows the strategy behind the moves; q ends.\n"
                )

    def _line(self, prompt: str) -> str:
        assert self._face is not None
        text = self._face.line(prompt)
        if text is None:
            raise _Left("input")
        if text in ("q", "quit") and not (self.decision and text in self.decision.actions):
            raise _Left("quit")
        return text


def drawn_seed() -> int:
    """One that nobody has chosen."""
    return secrets.randbelow(_SEEDS)


def solved_on_the_way(game: GameTree | UnbuiltGame, advice: str, **options: Any) -> Solution[Any]:
    """The equilibrium that is played against if there is no other; ``TooLargeError`` unless that takes seconds."""
    if isinstance(game, UnbuiltGame) or game.num_nodes > _SMALL:
        title = game.title or "this game"
        raise TooLargeError(f"{title} is too large to be solved on the way; solve it first: {advice}")
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
    """Play a game against strategies, by hand or by a program, and learn what each move costs.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    profile : object, optional
        The strategies of both seats: whatever stands for a profile, see :func:`tremble.nash_conv`. Of a game that is
        not built, a solution or a pair of its strategies. Unless given, a tree of a few thousand nodes is solved.
    choose : callable, optional
        Your player: it is given a :class:`tremble.results.Decision` and returns an action of its ``actions``, or the
        position of one, from 0. Unless given, moves are asked for (``input``), and what happens is shown.
    seat : int, optional
        Whom you play, 0 or 1; unless given, both in turns.
    hands : int, optional
        How many; needed with ``choose``. Unless given, until you answer ``q``.
    seed : int, optional
        Of what is dealt and of the opponent's draws; drawn unless given.
    why : bool
        Whether the strategy behind the opponent's moves is shown after each hand.

    Returns
    -------
    tremble.results.Hands
        The finished hands, and what they earned and cost.

    Raises
    ------
    GameError
        It is no profile of this game; the game is too large to be solved on the way.
    SpecError
        ``choose`` has returned no action; a seat or a number of hands that there is not.

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
        raise SpecError(f"hands is how many are played, at least 1, not {hands!r:.80}")
    if choose is not None and hands is None:
        raise SpecError("say how many hands choose is to play: hands=100")
    required_flag(why, "why")
    if choose is not None and not callable(choose):
        raise SpecError(f"choose is a function from a decision to an action, not {choose!r:.80}")
    if seed is not None:
        required_integer(seed, "seed")
    played = game_of(game)
    if profile is None:
        profile = solved_on_the_way(played, "tremble.play(game, tremble.solve(game))")
    opponent, dealt_by = playable_game(played, profile), drawn_seed() if seed is None else seed
    if choose is not None:
        sitting = Sitting(opponent, seat, dealt_by, why, None, _chosen_by(choose))
    else:
        sitting = Sitting(opponent, seat, dealt_by, why, Face())
        stated = isinstance(profile, StatedSolution)
        sitting.open(f"a solution ({headline(profile)})" if stated else "the strategies given")
    ended = sitting.play(hands)
    return Hands(sitting.hands, dealt_by, ended)


def _chosen_by(choose: Callable[[Decision], str | int]) -> Callable[[Decision], int]:
    """The same, as the position of an action."""

    def position(decision: Decision) -> int:
        answer, actions = choose(decision), decision.actions
        if isinstance(answer, str):
            if actions.count(answer) == 1:
                return actions.index(answer)
        elif isinstance(answer, Integral) and not isinstance(answer, bool) and 0 <= answer < len(actions):
            return int(answer)
        known = ", ".join(f"{action!r:.40}" for action in actions[:20])
        where = f"at {decision.label!r:.80} choose has returned {answer!r:.80}"
        raise SpecError(f"{where}, which is neither one action of {known}, nor the position of one, from 0")

    return position
