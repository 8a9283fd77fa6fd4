"""Verify solutions and evaluate strategies in exact arithmetic. All kinds of games and profiles are supported."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

from tremble.check import Verification
from tremble.errors import CertificateError, GameError
from tremble.formats.foreign import game_of
from tremble.game.tree import GameTree
from tremble.run.deadline import limited, required_time_limit
from tremble.solution.claims import of_rules, verdict
from tremble.solution.equilibria import Equilibria
from tremble.solution.judgements import prove
from tremble.solution.list_claims import verdict_on_list
from tremble.solution.memory import require_document
from tremble.solution.reading import SOLUTION, STRATEGIES
from tremble.solution.stated import StatedSolution
from tremble.words import require_hooks

if TYPE_CHECKING:
    from tremble.formats.given_profile import ProfileLike
    from tremble.solution.claims import OfRules
    from tremble.solution.solution import Solution

__all__ = ["evaluate", "reopen", "verify"]

_STOP = 0.1  # seconds after the time limit at which game rules that never return are interrupted


def verify(
    game: object,
    solution: StatedSolution | Equilibria,
    *,
    time_limit: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Check in exact arithmetic that a solution of a game is correct.

    The function always proves four facts:

    * The solution belongs to this game: the digest in the solution equals the digest of the game.
    * The strategies are complete, and their probabilities sum to one.
    * Both players have perfect recall, so best responses can be computed. The concept ``maxmin`` does not need this.
    * The stated values are the expected payoffs.

    The status and the concept of the solution determine which other facts the function proves.

    * Status ``certified``, concept ``nash``: neither player can gain by deviating. In a constant-sum game, the stated
      bounds equal the value. The numbers in the certificate are right. An information set is marked ``off_path`` if and
      only if the strategy of the player who moves there never reaches it.
    * Status ``certified``, concept ``quasi-perfect``: the facts for ``nash`` are proven too. The strategies are the
      limits of the perturbed plans in the certificate. In these plans, each sequence has at least a small *least
      weight*. If a player's perturbed plan gives an action more than its least weight, the action is a best response
      to the opponent's perturbed plan. This is proven at every information set, reached or not.
    * Status ``certified``, concept ``perfect``: the strategies are an equilibrium and the limits of equilibria of
      perturbed games. In a perturbed game, every action must be played with at least a small probability. The stated
      weights and orders (exponents of epsilon) determine these small probabilities.
    * Status ``certified``, concept ``sequential``: the strategies are limits of completely mixed strategies. The
      certificate gives the mixed strategies as plans, or as weights and orders (exponents) of mistakes. Plans are
      proven in the same way as for ``quasi-perfect``. The stated beliefs are the limits of the beliefs that follow from
      the mixed strategies by Bayes' rule. At every information set, every played action is best given the belief.
    * Status ``certified``, concept ``normal-form-perfect``: the strategies are an equilibrium. Each strategy is a best
      response to a completely mixed plan of the opponent in the certificate. So neither strategy is weakly dominated.
    * Status ``certified``, concept ``proper``: the strategies are an equilibrium. If the payoffs have a constant sum,
      each strategy is a best response to each of the opponent's plans in the certificate. For every mistake, one of
      these plans makes this mistake but no costlier one. In one-shot games with any payoffs, the plans are trembles
      as in Myerson's definition of proper equilibria.
    * Status ``certified`` or ``bounded``, concept ``maxmin``: payoffs may have any sum. Players may lack perfect
      recall, but must not be absentminded. The certificate proves lower and upper bounds on the payoff that a player
      can guarantee. The stated strategy guarantees the lower bound. With the status ``certified``, the gap between the
      bounds is at most the stated ``epsilon``. With the status ``bounded``, the gap may be larger. Best responses are
      computed only if the certificate states their payoffs.
    * Status ``bounded``, concept ``nash``: the stated bounds on player 1's value follow from the two strategies.
      Bounds prove nothing about a refinement, so verification fails if a bounded solution names a refinement. If the
      tree is not built and the payoffs have no constant sum, there are no bounds; the stated gains are proven.
    * Status ``limit-reached``: the solution claims no equilibrium and no bounds. But the solution may contain a
      *refutation*, a proof that the strategies do not satisfy a concept. The function proves that the refutation is
      right. Without a refutation, the solution contains nothing to prove, so verification fails.

    For every status, all numbers are checked. A field that the concept and the status do not use is reported as a
    problem. Only the following fields are not checked: the title and the spec of the game, the labels of information
    sets, ``method`` and ``stats``.

    The function limits the work of checking, so a solution may come from an untrusted source. If checking a solution
    would take too much work, the result contains the problem "too large to check".

    For a game whose tree is not built, the function can prove ``certified`` and ``bounded`` Nash equilibria:

    * Each strategy needs a row of probabilities, or a default rule, for each information set that play can reach.
    * The proof uses only the rules of the game. It does not read the row of an information set that the player's own
      strategy never reaches.
    * Except in ordered games, the proof does not read payoffs that play can reach only if both players deviate.
    * The stated bounds are bounds on the payoff that player 1 can guarantee. A note in the result says
      that this payoff is the value of the game if all payoffs have a constant sum.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    solution : StatedSolution or Equilibria
        A solution, or a list of equilibria. For a list, the function proves each equilibrium in it. A list may
        state *maximal subsets*. A subset has a set U of player 1's strategies and a set V of player 2's strategies.
        The function proves that each strategy in U and each strategy in V form an equilibrium. So a mixture of U and a
        mixture of V form an equilibrium. The function does not prove that the list is complete. A note reports this.
    time_limit : float, optional
        Seconds. When the limit is reached, the function raises an error and proves nothing.
    progress : callable, optional
        A function that is called from time to time with a short text about the progress. It is called only if the
        game's tree is not built, because verification can then take minutes.

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
        The rules of a game whose tree is not built contradict themselves.

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
        require_document(SOLUTION, solution)
        played = game_of(game, from_rules=of_rules(solution) is not None)
        work = partial(verdict, played, solution, time_limit=limit, progress=progress)
    else:
        raise CertificateError(
            f"expected a Solution, found a {type(solution).__name__}: strategies alone contain no claim that can be "
            "proven; use tremble.nash_conv(game, strategies) to compute their distance from an equilibrium"
        )
    # Game rules that never return do not check the clock. `limited` interrupts them shortly after the time limit.
    return limited(None if limit is None else limit + _STOP, work)


def reopen(game: object, path: str | os.PathLike[str]) -> Solution[Any]:
    """Read a solution file, prove the solution again, and return it as :func:`tremble.solve` returned it.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    path : str or path
        The file. ``"FILE#K"`` means equilibrium K (from 1) of a list.

    Raises
    ------
    FormatError
        The file cannot be read or is not a solution file.
    CertificateError
        A claim of the solution is not proven. The message contains the first problem.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> tremble.solve(kuhn).to_json("kuhn.json")
    >>> [action.action for action in tremble.reopen(kuhn, "kuhn.json").explain("J:").actions]
    ['check', 'bet']
    """
    from tremble.solution.solution import Solution

    stated = StatedSolution.from_json(path)
    played = game_of(game, from_rules=of_rules(stated) is not None)
    found = verify(played, stated)
    if not found.ok:
        raise CertificateError(f"{os.fspath(path)}: the solution is not proven: {found.problems[0]:.300}")
    known = {each.name: getattr(stated, each.name) for each in fields(stated)}
    return Solution(**known | {"played": played}, verification=found)


def evaluate(
    game: object, strategies: ProfileLike | OfRules, *, progress: Callable[[str], None] | None = None
) -> Verification:
    """Compute the exact payoffs of a profile and of best responses to it, and derive bounds on the value.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    strategies : object
        A profile. :func:`tremble.nash_conv` lists the accepted forms. If the game's tree is not built, the profile must
        be a solution, a pair of ``UnbuiltStrategy`` or a pair of ``OrderedStrategy``.
    progress : callable, optional
        A function that is called from time to time with a short text about the progress.

    Returns
    -------
    Verification
        The fields ``values``, ``best_response_values``, ``nash_conv`` and ``bounds`` contain the results. If a result
        is missing, ``problems`` gives the reason.

    Raises
    ------
    CertificateError, GameError
        The strategies do not belong to this game. ``ImperfectRecallError`` is raised if the game's tree is not built
        and a player lacks perfect recall.

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
