"""What a game and a solution, or strategies, from anywhere are worth: the checker's door for all kinds of games."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tremble.check import Verification
from tremble.errors import CertificateError, GameError
from tremble.formats.foreign import game_of
from tremble.game.tree import GameTree
from tremble.run.clock import limited, required_time_limit
from tremble.solution.claims import prove, verdict, verdict_on_list
from tremble.solution.equilibria import Equilibria
from tremble.solution.stated import SOLUTION, StatedSolution
from tremble.solution.strategies import STRATEGIES, of_rules
from tremble.words import require_hooks

if TYPE_CHECKING:
    from tremble.formats.given_profile import ProfileLike
    from tremble.solution.strategies import OfRules

__all__ = ["evaluate", "verify"]

_STOP = 0.1  # seconds


def verify(
    game: object,
    solution: StatedSolution | Equilibria,
    *,
    time_limit: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Prove a solution again, from the game alone, in exact arithmetic.

    Always proven: the solution belongs to this game (digest), its strategies are complete and proper, the
    game is of a kind in which best responses can be computed (perfect recall, but for ``maxmin``), the stated
    values are the expected payoffs. Further:

    * status ``certified``, concept ``nash``: neither player can gain anything by deviating; the bounds (of
      a constant-sum game) equal the value; the certificate states the true numbers; sets are marked
      ``off_path`` exactly where the player's own strategy never comes;
    * status ``certified``, concept ``quasi-perfect``: the same, and the strategies are the limits of the
      certificate's perturbed plans, in which at every information set, reached or not, whatever is played
      beyond its tremble is a best reply to the trembling other;
    * status ``certified``, concept ``perfect``: an equilibrium, and the strategies are the limits of
      equilibria of the games in which every action must be played with at least a small probability, in the
      constant ratios of the stated weights;
    * status ``certified``, concept ``sequential``: the strategies are limits of completely mixed ones, stated by
      the plans of ``quasi-perfect``, of which all that is said there is proven as well, or by weights and orders of
      mistakes; the beliefs are the limits of those that follow from them, and at every set, given the belief, no played
      action can be bettered;
    * status ``certified``, concept ``normal-form-perfect``: an equilibrium, and each strategy is a best reply to the
      certificate's completely mixed plan of the other, so that no strategy weakly dominates it;
    * status ``certified``, concept ``proper``: an equilibrium, and each strategy is a best reply to the certificate's
      plans of the other, which make each mistake and none costlier, where the payoffs have a constant sum; in one-shot
      games of any sum, the plans are mistakes as the definition has them;
    * concept ``maxmin``: payoffs of any sum; players may forget, but not be absentminded. The certificate proves two
      bounds on the most that a player can guarantee, the lower one by the stated strategy; with the status
      ``certified`` they are at most the stated ``epsilon`` apart, with ``bounded`` no more is said. Best responses are
      computed only if they are what the certificate states;
    * status ``bounded``, concept ``nash``: the stated bounds on player 1's value follow from the two strategies.
      Bounds prove nothing of a refinement, so a bounded solution that names one does not pass;
    * status ``limit-reached``: the refutation holds. Without one there is nothing to prove, and the solution does not
      pass.

    Every number is checked in every status. A field that the concept and the status have no use for is a problem.
    Names (title, spec, labels of information sets), ``method`` and ``stats`` are remarks, which are not checked.

    The solution may come from anywhere: what checking its numbers would cost is bounded, and a
    solution that would cost more has the problem "too large to check".

    Of a game that is not built, ``certified`` and ``bounded`` Nash equilibria can be proven:
    the strategies are what their rows and defaults say wherever play can come, and nothing but the rules of play is
    used. Rows at information sets that the player's own strategy never lets happen are not looked for. Unless it is an
    ordered game, the payoffs of plays that neither strategy allows are not looked at either: then the bounds are of the
    most that player 1 can guarantee, which is the value if all payoffs have a constant sum. A note says so.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    solution : StatedSolution or Equilibria
        Of several equilibria each is proven, and that all pairs of strategies in each stated maximal subset are among
        them, so that their mixtures are equilibria too. That there are no others is not proven, as a note says.
    time_limit : float, optional
        Seconds after which nothing has been proven.
    progress : callable, optional
        Called with a text now and then; for games that are not built, whose verification may take minutes.

    Returns
    -------
    Verification
        ``ok``, or ``problems`` that say what is wrong and where.

    Raises
    ------
    CertificateError
        This is no solution: a field is of the wrong type.
    LimitReached
        The time limit has passed.
    GameError
        The rules of a game that is not built contradict themselves.

    Examples
    --------
    >>> import tremble
    >>> from dataclasses import replace
    >>> pennies = tremble.load("matching_pennies")
    >>> solution = tremble.solve(pennies)
    >>> verification = tremble.verify(pennies, solution)
    >>> verification.ok, verification.nash_conv
    (True, Fraction(0, 1))
    >>> for problem in tremble.verify(pennies, replace(solution, values=(1, -1))).problems[:1]:
    ...     print(problem)
    values[0]: the expected payoff of player 1 is stated as 1, but it is 0 (off by about 1)
    """
    require_hooks(progress=progress)
    limit = required_time_limit(time_limit)
    if isinstance(solution, Equilibria):
        played = game_of(game, from_rules=any(map(of_rules, solution)))
        work = partial(verdict_on_list, played, solution, time_limit=limit, progress=progress)
    elif isinstance(solution, StatedSolution):
        SOLUTION.require(solution)
        played = game_of(game, from_rules=of_rules(solution) is not None)
        work = partial(verdict, played, solution, time_limit=limit, progress=progress)
    else:
        raise CertificateError(
            f"expected a Solution, found a {type(solution).__name__}: strategies alone state nothing that could be "
            "proven; tremble.nash_conv(game, strategies) tells how far they are from an equilibrium"
        )
    # Rules that never end do not look at the clock: they are stopped a little later, wherever they are.
    return limited(None if limit is None else limit + _STOP, work)


def evaluate(
    game: object, strategies: ProfileLike | OfRules, *, progress: Callable[[str], None] | None = None
) -> Verification:
    """What strategies earn, what best responses would, and what that proves, exactly, in a tree or from the rules.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    strategies : object
        Whatever stands for a profile: see :func:`tremble.nash_conv`. Of a game that is not built, a pair of
        ``UnbuiltStrategy`` or of ``OrderedStrategy``, or a solution.
    progress : callable, optional
        Called with a text now and then.

    Returns
    -------
    Verification
        With ``values``, ``best_response_values``, ``nash_conv`` and ``bounds``; ``problems`` say why there are none.

    Raises
    ------
    CertificateError, GameError
        These are no strategies of this game; in rules that are not built, a player forgets
        (``ImperfectRecallError``).

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1)]
    >>> found = tremble.strategies.evaluate(kuhn, uniform)
    >>> found.values, found.nash_conv
    ((Fraction(1, 8), Fraction(-1, 8)), Fraction(11, 12))
    """
    from tremble.formats.given_profile import NOT_OF_RULES, given_profile

    require_hooks(progress=progress)
    pair = of_rules(strategies)
    played = game_of(game, from_rules=pair is not None)
    if isinstance(played, GameTree):
        return prove(played, given_profile(played, strategies, exact=True).strategies, progress=progress)
    if pair is None:
        raise GameError(NOT_OF_RULES)
    STRATEGIES.plain(pair, "strategies")
    return prove(played, pair, progress=progress)
