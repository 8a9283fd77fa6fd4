"""Verify solutions and evaluate strategies from any source, for all kinds of games, with the checker."""

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
from tremble.solution.parts import of_rules
from tremble.solution.stated import SOLUTION, StatedSolution
from tremble.solution.strategies import STRATEGIES
from tremble.words import require_hooks

if TYPE_CHECKING:
    from tremble.formats.given_profile import ProfileLike
    from tremble.solution.parts import OfRules

__all__ = ["evaluate", "verify"]

_STOP = 0.1  # seconds after the time limit at which rules that never end are interrupted


def verify(
    game: object,
    solution: StatedSolution | Equilibria,
    *,
    time_limit: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Prove a solution again, from the game alone, in exact arithmetic.

    Four statements are always proven. The solution belongs to this game (digest). Its strategies are complete, and
    their probabilities sum to one. Best responses can be computed in this game (perfect recall, except for
    ``maxmin``). The stated values are the expected payoffs. The status and the concept decide what else is proven:

    * status ``certified``, concept ``nash``: neither player can gain anything by deviating; the bounds (in a
      constant-sum game) equal the value; the numbers in the certificate are right; sets are marked ``off_path``
      exactly where the player's own strategy never reaches them;
    * status ``certified``, concept ``quasi-perfect``: as for ``nash``, and the strategies are the limits of the
      certificate's perturbed plans. At every information set, reached or not, each action that these plans play more
      often than its tremble is a best response to the other's perturbed plan;
    * status ``certified``, concept ``perfect``: an equilibrium, and the strategies are the limits of
      equilibria of the games in which every action must be played with at least a small probability, in the
      constant ratios of the stated weights;
    * status ``certified``, concept ``sequential``: the strategies are limits of completely mixed strategies. The
      certificate states these by plans, which are proven as for ``quasi-perfect``, or by weights and orders of
      mistakes. The beliefs are the limits of the beliefs that follow from them by Bayes' rule. At every set, given the
      belief, no action is better than a played one;
    * status ``certified``, concept ``normal-form-perfect``: an equilibrium, and each strategy is a best response to the
      certificate's completely mixed plan of the other, so no strategy weakly dominates it;
    * status ``certified``, concept ``proper``: an equilibrium. If the payoffs have a constant sum, each strategy is a
      best response to each of the certificate's plans of the other; every mistake is made by a plan without costlier
      mistakes. In one-shot games of any sum, the plans are mistakes as in Myerson's definition;
    * concept ``maxmin``: payoffs may have any sum, and players may lack perfect recall, but not be absentminded. The
      certificate proves two bounds on the most that a player can guarantee; the stated strategy guarantees the lower
      one. With the status ``certified``, the gap is at most the stated ``epsilon``; with ``bounded`` it may be
      larger. Best responses are computed only if the certificate states them;
    * status ``bounded``, concept ``nash``: the stated bounds on player 1's value follow from the two strategies.
      Bounds prove nothing about a refinement, so a bounded solution that names one does not pass;
    * status ``limit-reached``: the refutation holds. Without a refutation there is nothing to prove, and the solution
      does not pass.

    Every number is checked in every status. A field that the concept and the status do not use is a problem.
    Names (title, spec, labels of information sets), ``method`` and ``stats`` are remarks, which are not checked.

    Solutions need not be trusted: the cost of checking is limited, and a solution that would exceed the limit has the
    problem "too large to check".

    For a game that is not built, ``certified`` and ``bounded`` Nash equilibria can be proven. The strategies are given
    by their rows and defaults wherever play can reach, and the proof uses only the rules of play. Rows at information
    sets that the player's own strategy never reaches are not read. Except in ordered games, payoffs of plays that
    neither strategy allows are not read either. The bounds are then bounds on the most that player 1 can guarantee,
    which is the value if all payoffs have a constant sum. A note says so.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    solution : StatedSolution or Equilibria
        For a list, each member is proven. It is also proven that all pairs of strategies in each stated maximal subset
        are members, so their mixtures are equilibria too. It is not proven that there are no others; a note says so.
    time_limit : float, optional
        Seconds. At the limit an error is raised, and nothing is proven.
    progress : callable, optional
        Called with a text now and then, if the game is not built; its verification may take minutes.

    Returns
    -------
    Verification
        ``ok``, or ``problems`` that say what is wrong and where.

    Raises
    ------
    CertificateError
        The object is no solution: a field is of the wrong type.
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
    # Rules that never end do not check the clock. They are interrupted a little later, at any line.
    return limited(None if limit is None else limit + _STOP, work)


def evaluate(
    game: object, strategies: ProfileLike | OfRules, *, progress: Callable[[str], None] | None = None
) -> Verification:
    """Return the exact payoffs of strategies and of best responses, and what these prove, for a tree or for rules.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    strategies : object
        A profile in any form: see :func:`tremble.nash_conv`. For a game that is not built, a pair of
        ``UnbuiltStrategy`` or of ``OrderedStrategy``, or a solution.
    progress : callable, optional
        Called with a text now and then.

    Returns
    -------
    Verification
        With ``values``, ``best_response_values``, ``nash_conv`` and ``bounds``; ``problems`` say why they are missing.

    Raises
    ------
    CertificateError, GameError
        The strategies do not belong to this game, or, in rules that are not built, a player lacks perfect recall
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
