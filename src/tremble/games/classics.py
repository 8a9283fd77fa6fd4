"""General-sum games from textbooks. Their payoffs need not sum to a constant.

``docs/explanation/classics.md`` derives the Nash, sequential, quasi-perfect and extensive-form perfect equilibria of
each game. ``tests/known.py`` contains these equilibria for the tests.
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

    Player 1, the entrant, stays out, with payoffs (1, 5), or enters. After entry, player 2, the incumbent,
    accommodates, with payoffs (2, 2), or fights, with payoffs (0, 0). In one Nash equilibrium, the entrant stays out
    because the incumbent would fight. This equilibrium is not subgame perfect.

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
    R. Selten, "The chain store paradox", Theory and Decision 9, 1978. The chain store plays this game in each town.
    """


@dataclass(frozen=True)
class BeerQuiche(DrawnGame):
    """A signaling game: player 2 sees the breakfast of player 1 and decides on a duel.

    Player 1 is weak with probability 1/10 and otherwise strong. It has beer or quiche for breakfast. Player 2 sees the
    breakfast but not the type, and duels or leaves. The strong type likes beer, and the weak type likes quiche. Player
    1 earns 1 for the breakfast that it likes, and 2 if player 2 leaves. Player 2 earns 1 if it duels with the weak type
    or leaves the strong type.

    In equilibrium, both types have beer or both types have quiche, because player 2 would duel after the other
    breakfast. Both outcomes occur in sequential equilibria. If both types have quiche, player 2 must believe that a
    player with beer is the weak type. This belief is odd, but trembles can support it.

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
    """Two players take turns to stop or to pass. Both would gain by passing, but by backward induction they stop.

    The moves are numbered from 0, and player 1 makes the moves with even numbers. If a player stops at move k, the
    payoffs are (k, k) for even k and (k - 2, k + 2) for odd k. If both always pass, the payoffs follow the same rule
    with k = ``length``. In every Nash equilibrium, player 1 stops at once. In the subgame perfect equilibrium, both
    players always stop.

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
        """Return the empty history. A history is a pair (number of passes, True if a player has stopped the game)."""
        return 0, False

    def player(self, h: tuple[int, bool]) -> int:
        """Return the player to move; players take turns."""
        passed, stopped = h
        return TERMINAL if stopped or passed == self.length else passed % 2

    def actions(self, h: tuple[int, bool]) -> tuple[str, str]:
        """Return the two actions."""
        return "stop", "pass"

    def child(self, h: tuple[int, bool], i: int) -> tuple[int, bool]:
        """Return the history after action i, which stops the game or adds a pass."""
        return (h[0] + 1, False) if i else (h[0], True)

    def infoset(self, h: tuple[int, bool]) -> str:
        """Return the number of passes as text."""
        return f"passed {h[0]}"

    def payoff(self, h: tuple[int, bool]) -> tuple[int, int]:
        """Return the payoffs, which depend on the number of passes."""
        passed = h[0]
        return (passed - 2, passed + 2) if passed % 2 else (passed, passed)


@dataclass(frozen=True)
class BattleOutside(DrawnGame):
    """Battle of the sexes with an outside option for player 1: an example of forward induction.

    Player 1 takes an outside option, with payoffs (2, 2), or goes in. Then both players choose boxing or ballet without
    seeing each other's choice. The payoffs are (3, 1) if both choose boxing, (1, 3) if both choose ballet, and (0, 0)
    if the choices differ. By forward induction, player 2 should conclude that player 1 went in to get 3. No equilibrium
    concept in tremble requires forward induction. In some equilibria, even in some sequential, quasi-perfect and
    extensive-form perfect ones, player 1 takes the outside option and plans ballet or a mixture for its second move.

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
    """Selten's horse for two players: without proper subgames, only beliefs show that a threat is not credible.

    Selten's tree has three players. In this game, player 1 makes the moves of Selten's first two players: across or
    down at the first node, and across or down at the second node. Player 2 is Selten's third player, who moves after
    *down* and does not know which *down* was played. (Merging any other two of Selten's players gives a player without
    perfect recall.) The payoffs are those of Selten's players 1 and 3, except after the second *down*: this game pays
    (4, 1) and (0, 0) there. Selten's payoffs (4, 0) and (0, 1) would not exclude any equilibrium.

    At both of its nodes, player 2 earns less by *right*. Still, the profile (across, across; *right*) is a Nash
    equilibrium. It is subgame perfect, because the game has no proper subgame. It is not sequential, because no belief
    supports *right*.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.build(SeltenHorseTwo())
    >>> across, right = tremble.BehaviorStrategy.pure(game, 0, [0, 0]), tremble.BehaviorStrategy.pure(game, 1, [1])
    >>> tremble.nash_conv(game, (across, right))
    Fraction(0, 1)

    References
    ----------
    Based on R. Selten, "Reexamination of the perfectness concept for equilibrium points in extensive games",
    International Journal of Game Theory 4, 1975, figure 1.
    """


@dataclass(frozen=True)
class Mertens(DrawnGame):
    """Two players vote on who does a simple task. Extensive-form perfect equilibria contain a dominated vote.

    Each player votes in secret for itself or for the other player. The elected player does the task carefully or
    fumbles it. Both players get 1 if the task is done, and 0 if it is fumbled. If each player votes for itself, a coin
    decides, and the elected player does not learn about the coin. If each player votes for the other player, a third
    person does the task, and both players get 1.

    For a player who will do the task carefully, the vote for itself is never worse than the vote for the other player,
    and is better if the other player might fumble. So players vote for themselves in every quasi-perfect equilibrium.
    In an extensive-form perfect equilibrium, each player expects small probabilities of fumbling for both players. The
    player with the greater probability votes for the other player. If the probabilities are equal, both do so.

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
    """A game in which the best move depends on how rare the trembles of each player are.

    Player 1 stays out and gets 0, or goes in. After going in, player 1 can make a mistake and lose 1. If player 1 makes
    no mistake, player 2 can make up to two mistakes, and loses 1 by each. If player 2 makes both mistakes, player 1
    earns 1.

    In every quasi-perfect equilibrium, player 1 goes in, because it trusts its own later move and can only gain from
    mistakes of player 2. In extensive-form perfect equilibria, both first moves are possible. The *order* of a
    mistake is the exponent of epsilon in its probability. If all mistakes have the same order, two mistakes of player 2
    are rarer than one mistake of player 1, and player 1 stays out. If one mistake of player 1 is rarer than two
    mistakes of player 2, player 1 goes in.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(OrderedTrembles()).num_infosets
    (2, 2)

    References
    ----------
    Based on E. van Damme, "A relation between perfect equilibria in extensive form games and proper equilibria in
    normal form games", International Journal of Game Theory 13, 1984. This paper defines quasi-perfection.
    """


@dataclass(frozen=True)
class JobMarket(DrawnGame):
    """A signaling game: education that teaches nothing can show which worker is able.

    Player 1, the worker, is able with probability 1/3. Studying costs 4 for an able worker and 7 for any other worker.
    Player 2, the firm, sees whether the worker has studied. It makes the worker a manager, for a wage of 10, or a
    clerk, for a wage of 4. The firm gets 4 from a clerk, 10 from an able manager, and 0 from any other manager.

    In one equilibrium, able workers study and become managers, and other workers do not study and become clerks. In
    another, nobody studies, because the firm would make every worker a clerk, even after studying. Both equilibria are
    sequential and perfect. The intuitive criterion of Cho and Kreps excludes the second equilibrium, because only able
    workers could gain by studying.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(JobMarket()).num_infosets
    (2, 2)

    References
    ----------
    M. Spence, "Job market signaling", Quarterly Journal of Economics 87, 1973. The numbers are from J. Watson,
    Strategy: An Introduction to Game Theory, chapter 29.
    """
