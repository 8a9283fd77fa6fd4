"""Small games that each teach one lesson."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tremble.games.drawn import DrawnGame
from tremble.games.parameters import Bounds

__all__ = [
    "ALossCounterexample",
    "AbsentmindedDriver",
    "DareOrDecline",
    "DoubleOracleExample",
    "GuessTheAce",
    "MatchingPennies",
    "SafeOrRisky",
    "Wichardt",
]


@dataclass(frozen=True)
class MatchingPennies(DrawnGame):
    """Both players secretly choose a side of a penny. Player 1 wins 1 if the sides match, and otherwise loses 1.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(MatchingPennies()).num_leaves
    4
    """


@dataclass(frozen=True)
class GuessTheAce(DrawnGame):
    """Player 2 guesses whether the top card of a shuffled deck is the ace of spades. Nobody has seen it.

    Chance puts the ace of spades on top with probability 1/52. Player 1 ends the game, or offers to pay 1000 for a
    correct guess. Player 2 then says yes or no. If player 1 ends the game, every planned answer of player 2 is optimal.
    So player 2 may plan to say yes in a Nash equilibrium. In every sequential equilibrium, player 2 says no.

    Parameters
    ----------
    gift : bool
        Add a last move of player 1. Player 1 knows the guess but not the card, and may give player 2 another 1000,
        whether the guess is right or wrong.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(GuessTheAce()).num_infosets
    (1, 1)

    References
    ----------
    P. B. Miltersen and T. B. Sørensen, "Computing sequential equilibria for two-player games", SODA 2006, section 1.1.
    """

    gift: bool = False

    @property
    def drawing(self) -> str:
        """Name, without the ending, of the game's file in the folder ``drawings``. The name depends on ``gift``."""
        return "guess_the_ace_with_a_gift" if self.gift else "guess_the_ace"


@dataclass(frozen=True)
class SafeOrRisky(DrawnGame):
    """The only player, player 1, plays safe or takes a risk. The risk hurts only if player 1 makes a mistake later.

    Both first moves are optimal and quasi-perfect, because player 1 trusts its own later move. In an extensive-form
    perfect equilibrium, player 1 plays safe, because it expects its own mistakes.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(SafeOrRisky()).num_infosets
    (2, 0)

    References
    ----------
    P. B. Miltersen and T. B. Sørensen, "Computing sequential equilibria for two-player games", SODA 2006, Figure 3.
    E. van Damme, "A relation between perfect equilibria in extensive form games and proper equilibria in
    normal form games", International Journal of Game Theory 13, 1984. This paper defines quasi-perfection.
    """


@dataclass(frozen=True)
class DareOrDecline(DrawnGame):
    r"""A game of two rivals in which no quasi-perfect equilibrium is extensive-form perfect.

    Both players secretly dare or decline. A player who dares must then do a simple task, and may fumble it. Neither
    player sees the moves of the other player. A player who fumbles pays its rival 1, or 2 if both players dared.

    *Quasi-perfect: both players dare.* A player who dares and is careful pays nothing. If its rival dares and fumbles,
    the player earns 2 by daring and 1 by declining. So declining is weakly dominated. If the rival might make mistakes,
    daring is better for a player who trusts its own later care. In every quasi-perfect equilibrium, and in every
    equilibrium without dominated strategies, both players dare with probability 1.

    *Extensive-form perfect: at least one player declines.* Take an equilibrium of a perturbed game, in which every
    action must have a positive probability. The trembles may be arbitrary. Let p and q be the probabilities that
    players 1 and 2 dare. Let d and f be the probabilities that players 1 and 2 fumble after they dare. The gains of
    players 1 and 2 from daring instead of declining are

    .. math:: q (f - 2 d) - (1 - q) d  \quad\text{and}\quad  p (d - 2 f) - (1 - p) f.

    If both gains were at least 0, then f >= 2 d and d >= 2 f, which contradicts d, f > 0. So at least one player loses
    by daring, and dares with the smallest allowed probability. In the limit, this probability is 0.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.build(DareOrDecline())
    >>> for concept in ("quasi-perfect", "perfect"):
    ...     solution = tremble.solve(game, concept)
    ...     print(concept, *(strategy.probability(0, "dare") for strategy in solution.strategies))
    quasi-perfect 1 1
    perfect 0 0

    References
    ----------
    The idea is from J.-F. Mertens, "Two examples of strategic equilibrium", Games and Economic Behavior 8, 1995. In
    this paper, two players with a common interest vote on who does a simple task.
    """


@dataclass(frozen=True)
class ALossCounterexample(DrawnGame):
    """A game in which regret minimization fails, because player 1 forgets its own first move.

    Player 1 has A-loss recall: it forgets only its own earlier actions. Its first move is a or b. Player 2 then plays c
    or d after a, and e or f after b. Suppose that x >= 2, player 1 plays uniformly, and player 2 plays d and e. Then no
    player has counterfactual regret at any information set. But player 1 gets -x/2, and the maxmin value is -1.

    Parameters
    ----------
    x : int
        Amount that player 1 loses by a wrong last move.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(ALossCounterexample()).num_infosets
    (2, 2)

    References
    ----------
    B. Bošanský, J. Čermák, K. Horák and M. Pěchouček, "Computing maxmin strategies in extensive-form
    zero-sum games with imperfect recall", ICAART 2017 (Example 1).
    """

    x: Annotated[int, Bounds(1, 10**9)] = 3


@dataclass(frozen=True)
class DoubleOracleExample(DrawnGame):
    """The example game in the paper on the sequence-form double oracle.

    Parameters
    ----------
    ayf : int
        Payoff of player 1 after the moves A, y, F. With -3, the game is the modified example of the paper.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(DoubleOracleExample()).num_infosets
    (4, 1)

    References
    ----------
    B. Bošanský, C. Kiekintveld, V. Lisý and M. Pěchouček, "An exact double-oracle algorithm for zero-sum
    extensive-form games with imperfect information", JAIR 51, 2014.
    """

    ayf: Annotated[int, Bounds(-(10**9), 10**9)] = -1


@dataclass(frozen=True)
class Wichardt(DrawnGame):
    """A zero-sum game without an equilibrium in behavior strategies, because player 1 forgets its first move.

    Player 1 moves twice and has A-loss recall: at its second move, it does not know its first move. If the two moves do
    not match, player 1 loses 5. If the moves match, player 2 guesses the moves without seeing either. Player 2 wins 1
    if the guess is right, and otherwise loses 1.

    In behavior strategies, let player 1 play R with probability p and r with probability q. This strategy guarantees
    ``-|p + q - 1| - 5 (p + q - 2 p q)``. Let s = p + q. By symmetry, assume that s is at least 1. Then the guarantee is
    at most ``1 - 6 s + 2.5 s**2``. This function is convex, with the values -2.5 at s = 1 and -1 at s = 2. So the
    maxmin value is -1, and player 1 attains it by the plan (R, r) or by the plan (L, l). If player 2 guesses with equal
    probabilities, player 1 gets at most 0. Against every mixture of guesses, one of the two plans earns at least 0. So
    the minmax value is 0. The maxmin and minmax values differ, so no equilibrium exists. With mixed strategies, one
    coin can decide both moves of player 1, and the value is 0.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.build(Wichardt())
    >>> [tremble.classify_recall(game, player) for player in (0, 1)]
    ['a-loss', 'perfect']

    References
    ----------
    P. C. Wichardt, "Existence of Nash equilibria in finite extensive form games with imperfect recall: A
    counterexample", Games and Economic Behavior 63, 2008.
    """


@dataclass(frozen=True)
class AbsentmindedDriver(DrawnGame):
    """A driver reaches an exit and does not know whether it is the first exit or the second.

    The driver is player 1. He takes the exit or goes on. The first exit leads nowhere and pays 0. The second exit leads
    home and pays 4. After both exits, there is a motel, which pays 1. The driver cannot distinguish the exits, so they
    form one information set. If he passes the first exit, the path visits this set twice. If he goes on with
    probability p, he earns ``4p - 3p**2`` on average. The maximum is 4/3, at p = 2/3. So the optimal strategy is not
    pure, and the payoff is not linear in the plan. Player 2 never moves and gets the negative of the driver's payoff.

    Examples
    --------
    >>> import tremble
    >>> tremble.classify_recall(tremble.build(AbsentmindedDriver()), 0)
    'absentminded'

    References
    ----------
    M. Piccione and A. Rubinstein, "On the interpretation of decision problems with imperfect recall", Games and
    Economic Behavior 20, 1997.
    """
