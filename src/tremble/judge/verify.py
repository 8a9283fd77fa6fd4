"""Verify solutions, and evaluate strategies, with the checker. All kinds of games and profiles are supported."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tremble.check import Verification
from tremble.errors import CertificateError, GameError
from tremble.formats.foreign import game_of
from tremble.game.tree import GameTree
from tremble.run.clock import limited, required_time_limit
from tremble.solution.claims import prove, verdict
from tremble.solution.equilibria import Equilibria
from tremble.solution.list_claims import verdict_on_list
from tremble.solution.parts import of_rules
from tremble.solution.stated import SOLUTION, StatedSolution
from tremble.solution.strategies import STRATEGIES
from tremble.words import require_hooks

if TYPE_CHECKING:
    from tremble.formats.given_profile import ProfileLike
    from tremble.solution.parts import OfRules

__all__ = ["evaluate", "verify"]

_STOP = 0.1  # seconds between the time limit and the interruption of rules that never return


def verify(
    game: object,
    solution: StatedSolution | Equilibria,
    *,
    time_limit: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Check in exact arithmetic that a solution of a game is correct.

    The function always proves four facts:

    * The solution belongs to this game: the digests of the game are equal.
    * The strategies are complete, and their probabilities sum to one.
    * Both players have perfect recall, so best responses can be computed. The concept ``maxmin`` does not need this.
    * The stated values are the expected payoffs.

    The status and the concept of the solution determine which other facts the function proves.

    * Status ``certified``, concept ``nash``: neither player can gain by deviating. In a constant-sum game, the bounds
      equal the value. The numbers in the certificate are right. An information set is marked ``off_path`` if and only
      if the player's own strategy never reaches it.
    * Status ``certified``, concept ``quasi-perfect``: the facts for ``nash`` are proven too. The strategies are the
      limits of the perturbed plans in the certificate. Suppose that a player's perturbed plan plays an action at an
      information set, reached or not, more often than the action's tremble. The action is then a best response to the
      opponent's perturbed plan.
    * Status ``certified``, concept ``perfect``: the strategies are an equilibrium and the limits of equilibria of
      perturbed games. In these games every action must be played with at least a small probability. The small
      probabilities have constant ratios, which the stated weights give.
    * Status ``certified``, concept ``sequential``: the strategies are limits of completely mixed strategies. The
      certificate gives the mixed strategies as plans or as weights and orders of mistakes. Plans are proven in the same
      way as for ``quasi-perfect``. The beliefs are the limits of the beliefs that follow from the mixed strategies by
      Bayes' rule. At every information set, every played action is a best action given the belief.
    * Status ``certified``, concept ``normal-form-perfect``: the strategies are an equilibrium. Each strategy is a best
      response to a completely mixed plan of the opponent, which the certificate gives. So no strategy weakly dominates
      it.
    * Status ``certified``, concept ``proper``: the strategies are an equilibrium. If the payoffs have a constant sum,
      each strategy is a best response to each of the opponent's plans in the certificate. For every mistake, one plan
      makes this mistake and no costlier mistake. In one-shot games of any sum, the plans are mistakes according to
      Myerson's definition.
    * Status ``certified`` or ``bounded``, concept ``maxmin``: payoffs may have any sum. Players may lack perfect
      recall, but may not be absentminded. The certificate proves a lower and an upper bound on the payoff that a player
      can guarantee. The stated strategy guarantees the lower bound. If the status is ``certified``, the gap between the
      bounds is at most the stated ``epsilon``. If it is ``bounded``, the gap may be larger. Best responses are computed
      only if the certificate states them.
    * Status ``bounded``, concept ``nash``: the stated bounds on player 1's value follow from the two strategies.
      Bounds prove nothing about a refinement, so a bounded solution that names a refinement does not pass.
    * Status ``limit-reached``: the refutation in the solution is right. A solution without a refutation contains
      nothing to prove and does not pass.

    Every number is checked in every status. A field that the concept and the status do not use is a problem. The
    function does not check the title and the spec of the game, the labels of information sets, ``method`` and
    ``stats``.

    A solution may come from an untrusted source, because the cost of checking is limited. If checking a solution would
    exceed the limit, the verification reports the problem "too large to check".

    For a game that is not built, the function can prove ``certified`` and ``bounded`` Nash equilibria:

    * The strategies need a row or a default for each information set that play can reach.
    * The proof uses only the rules of play. It does not read rows at information sets that the player's own strategy
      never reaches.
    * The proof does not read the payoffs of plays that neither strategy allows, except in ordered games.
    * The bounds are bounds on the payoff that player 1 can guarantee. This payoff is the value if all payoffs have a
      constant sum. A note in the result reports this.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    solution : StatedSolution or Equilibria
        A solution, or a list of equilibria. For a list, the function proves each member. It also proves that all pairs
        of strategies in each stated maximal subset are members, so their mixtures are equilibria too. It does not prove
        that the list contains all equilibria, and a note in the result reports this.
    time_limit : float, optional
        Seconds. When the limit is reached, the function raises an error and proves nothing.
    progress : callable, optional
        A function that is called with a text from time to time if the game is not built. Verification can then take
        minutes.

    Returns
    -------
    Verification
        If the proof fails, ``ok`` is False, and ``problems`` describes each error and its place.

    Raises
    ------
    CertificateError
        ``solution`` is not a solution, or a field has the wrong type.
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
            "proven; use tremble.nash_conv(game, strategies) to compute their distance from an equilibrium"
        )
    # Rules that never return do not check the clock. `limited` interrupts them at any line, a little after the limit.
    return limited(None if limit is None else limit + _STOP, work)


def evaluate(
    game: object, strategies: ProfileLike | OfRules, *, progress: Callable[[str], None] | None = None
) -> Verification:
    """Compute the exact payoffs of two strategies and of best responses, and the bounds that these payoffs prove.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    strategies : object
        A profile. :func:`tremble.nash_conv` lists the accepted forms. For a game that is not built, the profile must be
        a solution, a pair of ``UnbuiltStrategy`` or a pair of ``OrderedStrategy``.
    progress : callable, optional
        A function that is called with a text from time to time.

    Returns
    -------
    Verification
        The fields ``values``, ``best_response_values``, ``nash_conv`` and ``bounds`` contain the results. If a result
        is missing, ``problems`` gives the reason.

    Raises
    ------
    CertificateError, GameError
        The strategies do not belong to this game. ``ImperfectRecallError`` is raised if the game is not built and a
        player lacks perfect recall.

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
