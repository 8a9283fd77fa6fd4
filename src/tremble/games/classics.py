"""General-sum games from the textbooks; their payoffs need not sum to a constant.

``docs/explanation/classics.md`` derives the Nash, sequential, quasi-perfect and extensive-form perfect equilibria of
each game. ``tests/known.py`` states them for the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tremble.game.protocol import TERMINAL
from tremble.games.drawn import DrawnGame
from tremble.games.parameters import Bounds, Rules

__all__ = [
    "BattleOutside",
    "BeerQuiche",
    "Centipede",
    "EntryDeterrence",
    "JobMarket",
    "Mertens",
    "OrderedTrembles",
    "SeltenHorseTwo",
]


@dataclass(frozen=True)
class EntryDeterrence(DrawnGame):
    """An incumbent threatens to fight a firm that enters its market; the threat is not credible.

    Player 1, the entrant, stays out (payoffs 1 and 5) or enters. Then player 2, the incumbent, accommodates (2 and 2)
    or fights (0 and 0). In one Nash equilibrium the entrant stays out for fear of a fight. It is not subgame perfect.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.build(EntryDeterrence())
    >>> out = tremble.BehaviorStrategy.pure(game, 0, [0])
    >>> fight = tremble.BehaviorStrategy.pure(game, 1, [1])
    >>> tremble.nash_conv(game, (out, fight))
    Fraction(0, 1)

    References
    ----------
    R. Selten, "The chain store paradox", Theory and Decision 9, 1978. The game is one of the towns there.
    """


@dataclass(frozen=True)
class BeerQuiche(DrawnGame):
    """A signaling game: player 2 sees the breakfast of player 1 and decides on a duel.

    Player 1 is weak with probability 1/10, else strong, and has beer or quiche. Player 2 sees the breakfast, and duels
    or leaves. The strong type likes beer, the weak type quiche. Player 1 earns 1 for the breakfast that it likes, and 2
    if there is no duel. Player 2 earns 1 for a duel with the weak type and for no duel with the strong type.

    In equilibrium both types have beer, or both have quiche; the threat of a duel after the other breakfast supports
    it. Both are outcomes of sequential equilibria. With quiche, player 2 must believe after beer that the weak type
    deviated. This belief is odd, but trembles can support it.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.build(BeerQuiche())
    >>> game.num_infosets, game.zero_sum
    ((2, 2), False)

    References
    ----------
    I.-K. Cho and D. M. Kreps, "Signaling games and stable equilibria", Quarterly Journal of Economics 102, 1987.
    """


@dataclass(frozen=True)
class Centipede(Rules):
    """Two players take turns to stop or to pass: both would gain by passing, but backward induction says stop.

    Player 1 makes the moves with an even number k, counted from 0. A player who stops at move k ends the game with the
    payoffs (k, k) if k is even and (k - 2, k + 2) if k is odd. If both always pass, the next pair is paid. In every
    Nash equilibrium player 1 stops at once; in the subgame perfect equilibrium both stop wherever they move.

    Parameters
    ----------
    length : int
        Number of moves. Rosenthal's game has ten.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.build(Centipede(length=3))
    >>> [tuple(map(int, game.payoff_at(k))) for k in range(game.num_leaves)]
    [(0, 0), (-1, 3), (2, 2), (1, 5)]

    References
    ----------
    R. W. Rosenthal, "Games of perfect information, predatory pricing and the chain-store paradox", Journal of
    Economic Theory 25, 1981.
    """

    length: Annotated[int, Bounds(1, 100_000)] = 10

    @property
    def title(self) -> str:
        """Title of the game."""
        return f"Centipede of {self.length} {'move' if self.length == 1 else 'moves'}"

    def root(self) -> tuple[int, bool]:
        """Return the history without moves: the number of passes, and whether a player has stopped."""
        return 0, False

    def player(self, h: tuple[int, bool]) -> int:
        """Return the player to move; players take turns."""
        passed, stopped = h
        return TERMINAL if stopped or passed == self.length else passed % 2

    def actions(self, h: tuple[int, bool]) -> tuple[str, str]:
        """Return the two actions."""
        return "stop", "pass"

    def child(self, h: tuple[int, bool], i: int) -> tuple[int, bool]:
        """Stop the game, or add a pass."""
        return (h[0] + 1, False) if i else (h[0], True)

    def infoset(self, h: tuple[int, bool]) -> str:
        """Return the number of passes as text."""
        return f"passed {h[0]}"

    def payoff(self, h: tuple[int, bool]) -> tuple[int, int]:
        """Return the pair of payoffs after so many passes."""
        passed = h[0]
        return (passed - 2, passed + 2) if passed % 2 else (passed, passed)


@dataclass(frozen=True)
class BattleOutside(DrawnGame):
    """Battle of the sexes with an outside option for player 1: a case for forward induction.

    Player 1 takes an outside option (2 and 2) or goes in. Then both choose boxing or ballet, without seeing the choice
    of the other player: (3, 1) for boxing, (1, 3) for ballet, (0, 0) if they differ. By forward induction, player 2
    should conclude that player 1 went in for the payoff 3. No concept here requires this. To stay out, with ballet or a
    mixture planned, is also sequential, quasi-perfect and extensive-form perfect.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(BattleOutside()).num_infosets
    (2, 1)

    References
    ----------
    E. Kohlberg and J.-F. Mertens, "On the strategic stability of equilibria", Econometrica 54, 1986.

    E. van Damme, "Stable equilibria and forward induction", Journal of Economic Theory 48, 1989.
    """


@dataclass(frozen=True)
class SeltenHorseTwo(DrawnGame):
    """Selten's horse for two players: beliefs, not subgames, show that the threat is not credible.

    The tree is Selten's, for three players. Player 1 here makes the moves of his first two players, across or down at
    the first and at the second node. Player 2 here is his third player, who moves after either way down and does not
    know which it was. No other two of the three could be one person with perfect recall. The payoffs are those of
    Selten's players 1 and 3, except after the second way down. With his payoffs there, (4, 0) and (0, 1), no
    equilibrium would be ruled out, so the game pays (4, 1) and (0, 0).

    *Right* costs player 2 something at both nodes. Still, across, across and *right* is a Nash equilibrium. It is
    subgame perfect, since there is no subgame. It is not sequential, whatever player 2 believes.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.build(SeltenHorseTwo())
    >>> across, right = tremble.BehaviorStrategy.pure(game, 0, [0, 0]), tremble.BehaviorStrategy.pure(game, 1, [1])
    >>> tremble.nash_conv(game, (across, right))
    Fraction(0, 1)

    References
    ----------
    After R. Selten, "Reexamination of the perfectness concept for equilibrium points in extensive games",
    International Journal of Game Theory 4, 1975, figure 1.
    """


@dataclass(frozen=True)
class Mertens(DrawnGame):
    """Two players elect one of them for a simple task: extensive-form perfection demands a dominated vote.

    Both vote, in secret, for themselves or for the other player. The elected player does the task, carefully or not.
    Both get 1, or nothing if the task is fumbled. If both vote for themselves, a coin decides, and the elected player
    does not learn about the coin. If both vote for the other, a third person does it, and both get 1.

    A player who votes for itself must trust only itself. This vote is never worse, and better if the other might
    fumble. So both vote for themselves in every quasi-perfect equilibrium. In an extensive-form perfect equilibrium, at
    least one player is as likely to fumble as the other, and votes for the other.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(Mertens()).num_infosets
    (2, 2)

    References
    ----------
    J.-F. Mertens, "Two examples of strategic equilibrium", Games and Economic Behavior 8, 1995.
    """


@dataclass(frozen=True)
class OrderedTrembles(DrawnGame):
    """One mistake of player 1 against two of player 2: the order of the trembles decides.

    Player 1 stays out for 0, or goes in. After that, a mistake of player 1 costs it 1. Then player 2 can make two
    mistakes, which cost it 1 each. If it makes both, player 1 earns 1.

    A player 1 that trusts its own later moves goes in: only the mistakes of player 2 count, and they pay. So it does in
    every quasi-perfect equilibrium. Extensive-form perfect equilibria allow both moves. If all mistakes have the same
    order, two mistakes of player 2 are rarer than one of player 1, and player 1 stays out. If its own mistakes are
    rarer than two of player 2, it goes in.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(OrderedTrembles()).num_infosets
    (2, 2)

    References
    ----------
    After E. van Damme, "A relation between perfect equilibria in extensive form games and proper equilibria in normal
    form games", International Journal of Game Theory 13, 1984 (where quasi-perfection is defined).
    """


@dataclass(frozen=True)
class JobMarket(DrawnGame):
    """A signaling game: education that teaches nothing can show which worker is able.

    Player 1, the worker, is able with probability 1/3. It studies or does not; studying costs 4 if able and 7 if not.
    Player 2, the firm, sees this choice and makes the worker a manager, for a wage of 10, or a clerk, for a wage of 4.
    A clerk is worth 4 to the firm, an able manager 10, another manager 0.

    In one equilibrium the able study and become managers, and the others do not and become clerks. In another, nobody
    studies, since the firm would employ even a worker with a degree as a clerk. Both are sequential and perfect. The
    intuitive criterion rules out the second: only the able could ever gain by studying.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(JobMarket()).num_infosets
    (2, 2)

    References
    ----------
    M. Spence, "Job market signaling", Quarterly Journal of Economics 87, 1973. Numbers as in J. Watson, Strategy: An
    Introduction to Game Theory, chapter 29.
    """
