"""General-sum games from the textbooks, with payoffs that need not sum to a constant.

What Nash, sequential, quasi-perfect and extensive-form perfect equilibria of each play is worked out in
``docs/explanation/classics.md``, and stated for tests in ``tests/known.py``.
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

    Player 1, the entrant, stays out (1 and 5) or enters; then player 2, the incumbent, accommodates (2 and 2) or
    fights (0 and 0). That the entrant stays out, for fear of a fight, is a Nash equilibrium, but not subgame perfect.

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
    R. Selten, "The chain store paradox", Theory and Decision 9, 1978: one of the towns there.
    """


@dataclass(frozen=True)
class BeerQuiche(DrawnGame):
    """A signalling game: player 2 sees what player 1 has for breakfast, and decides on a duel.

    Player 1 is weak with probability 1/10, else strong, and has beer or quiche. Player 2 sees which, and duels or
    leaves. The strong like beer, the weak quiche: the right breakfast is worth 1 to player 1, and no duel 2. Player 2
    earns 1 for a duel with the weak and for none with the strong.

    Both types have beer, or both have quiche; what the other breakfast would lead to supports it. Sequential
    equilibria do both; that only the weak would ever have strayed to beer is an odd belief, but no tremble forbids it.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.build(BeerQuiche())
    >>> game.num_infosets, game.constant_sum is None
    ((2, 2), True)

    References
    ----------
    I.-K. Cho and D. M. Kreps, "Signaling games and stable equilibria", Quarterly Journal of Economics 102, 1987.
    """


@dataclass(frozen=True)
class Centipede(Rules):
    """Two players take turns to stop or to pass: both would gain by passing, but backward induction says stop.

    Move number k, counted from 0, is player 1's if k is even. Who stops there ends the game with (k, k) if k is even
    and with (k - 2, k + 2) if it is odd; if all moves are passed, the next pair is paid. In every Nash equilibrium
    player 1 stops at once; in a subgame perfect one both stop wherever they move.

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
        """What the game is called."""
        return f"Centipede of {self.length} {'move' if self.length == 1 else 'moves'}"

    def root(self) -> tuple[int, bool]:
        """Nothing was passed, nobody has stopped."""
        return 0, False

    def player(self, h: tuple[int, bool]) -> int:
        """Who moves: they take turns."""
        passed, stopped = h
        return TERMINAL if stopped or passed == self.length else passed % 2

    def actions(self, h: tuple[int, bool]) -> tuple[str, str]:
        """Stop or pass."""
        return "stop", "pass"

    def child(self, h: tuple[int, bool], i: int) -> tuple[int, bool]:
        """Stop, or one more pass."""
        return (h[0] + 1, False) if i else (h[0], True)

    def infoset(self, h: tuple[int, bool]) -> str:
        """How often it was passed."""
        return f"passed {h[0]}"

    def payoff(self, h: tuple[int, bool]) -> tuple[int, int]:
        """What is there after so many passes."""
        passed = h[0]
        return (passed - 2, passed + 2) if passed % 2 else (passed, passed)


@dataclass(frozen=True)
class BattleOutside(DrawnGame):
    """Battle of the sexes with an outside option for player 1: a case for forward induction.

    Player 1 takes an outside option (2 and 2) or goes in. Then both choose boxing or ballet, without seeing the
    other's choice: (3, 1) if both box, (1, 3) if both dance, else (0, 0). By forward induction player 2 should take
    player 1, who has gone in, to be after the 3. No concept here demands that: staying out, with ballet or with a
    mixture planned, is sequential, quasi-perfect and extensive-form perfect as well.

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

    Selten's tree, in which player 1 makes the moves of his first two players, across or down at the first and at the
    second node, and player 2 those of his third, who is asked after either way down and cannot tell which it was. No
    other two of the three could be one person with perfect recall. Payoffs are those of Selten's players 1 and 3,
    but for the second way down: there his, (4, 0) and (0, 1), would leave nothing to rule out, and (4, 1) and (0, 0)
    are paid instead.

    *Right* costs player 2 something at both nodes. Across, across and *right* is a Nash equilibrium all the same,
    and subgame perfect, since there is no subgame; it is not sequential, whatever player 2 believes.

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
    """Two players elect who does a simple task: extensive-form perfection demands a dominated vote.

    Both vote, in secret, for themselves or for the other. Who is elected does the task, carefully or not: both get 1,
    or nothing if it is fumbled. If both vote for themselves, a coin decides, and who is elected is not told that it
    was the coin. If both vote for the other, somebody else does it, and both get 1.

    Who votes for itself need only trust itself: that is never worse, and better if the other might fumble. So both do
    in every quasi-perfect equilibrium. In an extensive-form perfect one, somebody is as likely to fumble as the
    other, and votes for the other.

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

    Player 1 stays out for 0, or goes in. Then a mistake of its own costs it 1; player 2, who comes next, slips at its
    own expense (1 each time), and pays player 1 a 1 if it slips twice.

    Who takes its own care for granted goes in: only slips of the other count, and they pay. So does every
    quasi-perfect equilibrium. Extensive-form perfect ones do either: where all mistakes are of one order, two slips
    are rarer than one mistake, and player 1 stays out; where its own are rarer than two slips, it goes in.

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
    """A signalling game: education that teaches nothing may still show who is able.

    Player 1, the worker, is able with probability 1/3, studies or does not, at a cost of 4 if able and of 7 if not.
    Player 2, the firm, sees that, and makes the worker a manager, for a wage of 10, or a clerk, for 4. A clerk is
    worth 4 to the firm, an able manager 10, another 0.

    Either the able study and become managers, the others do not and become clerks; or nobody studies, since the firm
    would make a clerk of a worker with a degree, too. Both are sequential, and perfect, equilibria. The intuitive
    criterion forbids the second: only the able could ever gain by studying.

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
