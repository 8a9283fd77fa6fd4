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
    """Both players show a side of a penny, unseen; player 1 wins 1 if they match, else loses 1.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(MatchingPennies()).num_leaves
    4
    """


@dataclass(frozen=True)
class GuessTheAce(DrawnGame):
    """Player 2 guesses whether the top card of a shuffled deck is the ace of spades. Nobody has seen it.

    Chance puts the ace of spades on top with probability 1/52. Player 1 ends the game, or offers player 2 1000 for a
    correct guess. Player 2 says yes or no. Any answer is optimal against a player 1 who ends the game. So in a Nash
    equilibrium player 2 may say yes; in every sequential equilibrium it says no.

    Parameters
    ----------
    gift : bool
        Add a last move: player 1, who has heard the guess but not seen the card, may give away another 1000, whether
        the guess is right or wrong.

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
        """Name of the file: each of the two games has one."""
        return "guess_the_ace_with_a_gift" if self.gift else "guess_the_ace"


@dataclass(frozen=True)
class SafeOrRisky(DrawnGame):
    """Player 1, alone, plays safe, or takes a risk that hurts only if it makes a mistake later.

    Both first moves are optimal, and both are quasi-perfect, because the player trusts its own later move. In an
    extensive-form perfect equilibrium it plays safe, because it fears its own mistake.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(SafeOrRisky()).num_infosets
    (2, 0)

    References
    ----------
    P. B. Miltersen and T. B. Sørensen, "Computing sequential equilibria for two-player games", SODA 2006, Figure 3.
    E. van Damme, "A relation between perfect equilibria in extensive form games and proper equilibria in
    normal form games", International Journal of Game Theory 13, 1984 (where quasi-perfection is defined).
    """


@dataclass(frozen=True)
class DareOrDecline(DrawnGame):
    r"""Two rivals: no quasi-perfect equilibrium is extensive-form perfect.

    Both secretly dare or decline. A player who dares must then do a simple task, and may fumble it. Neither player sees
    the moves of the other. A fumble costs 1, or 2 if both dared.

    *Quasi-perfect: both dare.* A player who dares and is careful pays nothing. It earns 2 from a fumble of its rival,
    and a player who declines earns 1. So declining is weakly dominated: if the rival might make mistakes, daring is
    better for a player who trusts its own later care. In every quasi-perfect equilibrium, and in every equilibrium
    without dominated strategies, both dare with probability 1.

    *Extensive-form perfect: at least one player declines.* Take an equilibrium of a game in which every action must
    have a positive probability, whatever the trembles. Let p and q be the probabilities that players 1 and 2 dare, and
    d and f the probabilities that they fumble after that. The gain from daring instead of declining is

    .. math:: q (f - 2 d) - (1 - q) d  \quad\text{and}\quad  p (d - 2 f) - (1 - p) f.

    If both gains are at least 0, then f >= 2 d and d >= 2 f, although d, f > 0. So one of the players loses by daring,
    and dares as rarely as allowed: in the limit, not at all.

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
    The idea is from J.-F. Mertens, "Two examples of strategic equilibrium", Games and Economic Behavior 8, 1995: two
    players with a common interest vote on who does a simple task.
    """


@dataclass(frozen=True)
class ALossCounterexample(DrawnGame):
    """A game in which regret minimization fails: player 1 forgets its own first move.

    Player 1 has A-loss recall. If it plays uniformly, and player 2 plays d and e, no player has counterfactual regret
    at any set (for x of 2 or more). Player 1 then gets -x/2, while the maxmin value is -1.

    Parameters
    ----------
    x : int
        The cost of a wrong last move.

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
    """The worked example of the sequence-form double oracle.

    Parameters
    ----------
    ayf : int
        Payoff of player 1 after A, y, F; the value -3 gives the paper's modified example.

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
    """A zero-sum game without an equilibrium in behavior strategies: player 1 forgets its first move.

    Player 1 moves twice, and has A-loss recall: at the second move it does not know the first. If the moves do not
    match, it loses 5. If they match, player 2, who has seen nothing, wins 1 by guessing them, else loses 1.

    In behavior strategies, let player 1 play R with probability p and r with probability q. This guarantees ``-|p + q -
    1| - 5 (p + q - 2 p q)``. With s = p + q, by symmetry at least 1, the guarantee is at most ``1 - 6 s + 2.5 s**2``.
    This is convex, -2.5 at s = 1 and -1 at s = 2. So the maxmin is -1, with R, r (or L, l). Player 2 limits player 1 to
    0 with equal probabilities, and not to less, as player 1 could match in both ways. So the minmax is 0, and there is
    no equilibrium. With mixed strategies, where one coin decides both moves, the value is 0.

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
    """A driver reaches an exit and does not know whether he has passed it before.

    Player 1, alone, takes the exit or goes on. The first exit leads nowhere (0), the second home (4), and after both
    there is a motel (1). He cannot tell the exits apart: they are one information set, and the path through the first
    exit visits it twice. If he goes on with probability p, he earns ``4p - 3p**2``, at most 4/3, at p = 2/3. So the
    optimum is not a pure strategy, and the payoff is not a linear function of the plan. Player 2 gets the negative, and
    never moves.

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
