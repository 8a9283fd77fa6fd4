"""What a game and a solution, or strategies, from anywhere are worth: the checker's door for all kinds of games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from tremble import verifier
from tremble.clock import Clock, required_time_limit
from tremble.errors import GameError
from tremble.io.foreign import game_of
from tremble.model.ordered.strategy import OrderedStrategy
from tremble.model.rules import UnbuiltGame, UnbuiltStrategy
from tremble.model.strategy import GivenProfile, profile_of
from tremble.model.table import StrategyTable
from tremble.model.tree import GameTree
from tremble.solution.equilibria import Equilibria
from tremble.solution.heading import Status
from tremble.solution.stated import StatedSolution
from tremble.solution.verification import Verification

__all__ = ["evaluate", "verify"]


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
    * concept ``maxmin``: players may forget, but not be absentminded. The certificate proves two bounds on the most
      that a player can guarantee, the lower one by the stated strategy; with the status ``certified`` they are at most
      the stated ``epsilon`` apart, with ``bounded`` no more is said. Best responses are computed only if they are what
      the certificate states;
    * status ``bounded``, concept ``nash``: the stated bounds on player 1's value follow from the two strategies.
      Bounds prove nothing of a refinement, so a bounded solution that names one does not pass;
    * status ``limit-reached`` states nothing that could be proven, and does not pass.

    Names (title, spec, labels of information sets), ``method`` and ``stats`` play no part.

    The solution may come from anywhere: what checking its numbers would cost is bounded, and a
    solution that would cost more has the problem "too large to check".

    Of a game that is not built, ``certified`` and ``bounded`` Nash equilibria can be proven:
    the strategies are what their rows and defaults say wherever play can come, and nothing but the rules of play is
    used. Rows at information sets that the player's own strategy never lets happen are not looked for.

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
    >>> from tremble.solution.certificates import BestResponseCertificate
    >>> from tremble.solution.heading import GameReference, MethodReference, Status
    >>> pennies = tremble.load("matching_pennies")
    >>> uniform = tuple(tremble.BehaviorStrategy.uniform(pennies, player) for player in (0, 1))
    >>> solution = StatedSolution(
    ...     game=GameReference.of(pennies), concept="nash", requested="nash", method=MethodReference("by hand", {}),
    ...     status=Status.CERTIFIED, values=(0, 0), bounds=(0, 0), strategies=uniform,
    ...     certificate=BestResponseCertificate((0, 0), (0, 0)).plain(), stats={},
    ... )
    >>> verification = tremble.verify(pennies, solution)
    >>> verification.ok, verification.nash_conv
    (True, Fraction(0, 1))
    >>> for problem in tremble.verify(pennies, replace(solution, values=(1, -1))).problems[:1]:
    ...     print(problem)
    values[0]: the expected payoff of player 1 is stated as 1, but it is 0 (off by about 1)
    """
    if isinstance(solution, Equilibria):
        return _verify_several(game_of(game), solution, time_limit=time_limit, progress=progress)
    from_rules = isinstance(solution, StatedSolution) and solution.not_built
    return verifier.verify(game_of(game, from_rules=from_rules), solution, time_limit=time_limit, progress=progress)


_MOST_PROBLEMS = 20  # that are listed


def _verify_several(
    game: GameTree | UnbuiltGame,
    equilibria: Equilibria,
    *,
    time_limit: float | None,
    progress: Callable[[str], None] | None,
) -> Verification:
    """Each of several equilibria, and what is stated of how they hang together; but not that there are no others."""
    limit = required_time_limit(time_limit)
    clock = Clock(limit)
    problems = list(_disagreements(equilibria))
    if equilibria.game.digest != game.digest:
        problems.append("game.digest: the equilibria belong to another game")
    gains: list[Fraction | None] = []
    for k, solution in enumerate(equilibria.solutions):
        clock.check()
        found = verifier.verify(game, solution, time_limit=clock.left, progress=progress)
        gains.append(found.nash_conv)
        problems += [f"equilibria[{k}]: {problem}" for problem in found.problems]
        if found.ok and found.status != Status.CERTIFIED:
            problems.append(f"equilibria[{k}].status: {str(found.status)!r}, but every equilibrium is certified")
    ok = not problems
    if len(problems) > _MOST_PROBLEMS:
        problems = [*problems[:_MOST_PROBLEMS], f"and {len(problems) - _MOST_PROBLEMS:,} more problems"]
    known = [gain for gain in gains if gain is not None]
    return Verification(
        ok=ok,
        concept="nash",
        status=Status.CERTIFIED,
        proven="nash" if ok else None,
        nash_conv=max(known) if known and len(known) == len(gains) else None,
        problems=tuple(problems),
        notes=("each of these is proven to be an equilibrium; that there are no others is stated, not proven",),
    )


def _disagreements(equilibria: Equilibria) -> Iterator[str]:
    """What is stated of several equilibria together, and is not so."""
    count, pairs = len(equilibria), equilibria.pairs
    if not count:
        yield "equilibria: there is none"
        return
    if any(solution.not_built for solution in equilibria.solutions):
        return  # which are no equilibria of a tree, as each of them is told
    plays = [[_rows(table) for table in solution.tables] for solution in equilibria.solutions]
    different = [not all(play[player] == plays[0][player] for play in plays) for player in (0, 1)]
    if equilibria.unique is not None and equilibria.unique != (count == 1):
        yield f"unique: {str(equilibria.unique).lower()}, but the number of equilibria is {count:,}"
    for player, unique in enumerate(equilibria.unique_plans or ()):
        if unique == different[player]:
            are = "are" if unique else "are not"
            yield f"unique_plans[{player}]: {str(unique).lower()}, but the plans {are} different"
    if pairs is None:
        for name in ("maximal_subsets", "components"):
            if getattr(equilibria, name) is not None:
                yield f"{name}: there are no pairs that say which strategies the equilibria have"
        return
    if len(pairs) != count or len(set(pairs)) != count:
        yield f"pairs: there are {len(set(pairs)):,} different ones for {count:,} equilibria"
        return
    for player in (0, 1):
        seen: dict[int, object] = {}
        number_of: dict[object, int] = {}
        for k, (pair, play) in enumerate(zip(pairs, plays, strict=True)):
            number, rows = pair[player], play[player]
            if seen.setdefault(number, rows) != rows:
                yield f"pairs[{k}]: player {player + 1} plays another strategy of the number {number + 1}"
            elif number_of.setdefault(rows, number) != number:
                yield f"pairs[{k}]: the strategy {number + 1} of player {player + 1} has another number, too"
        if sorted(seen) != list(range(len(seen))):
            yield f"pairs: the strategies of player {player + 1} are not numbered from 1 to {len(seen)}"
    yield from _disagreements_on_sets(equilibria, pairs)


def _rows(table: StrategyTable) -> object:
    """What tells one stated strategy from another."""
    return table.actions, tuple(tuple(Fraction(p, whole) for p in row) for row, whole in table.integers())


def _disagreements_on_sets(equilibria: Equilibria, pairs: tuple[tuple[int, int], ...]) -> Iterator[str]:
    """What of maximal subsets and components is not so, given the strategies of each equilibrium."""
    listed = set(pairs)
    replies: tuple[dict[int, set[int]], dict[int, set[int]]] = ({}, {})
    for i, j in pairs:
        replies[0].setdefault(i, set()).add(j)
        replies[1].setdefault(j, set()).add(i)
    if equilibria.maximal_subsets is not None:
        covered: set[tuple[int, int]] = set()
        for k, subset in enumerate(equilibria.maximal_subsets):
            ones, twos = map(set, subset)
            if not ones or not twos or list(map(len, subset)) != [len(ones), len(twos)]:
                yield f"maximal_subsets[{k}]: not two lists of different strategies"
                continue
            missing = next(((i, j) for i in sorted(ones) for j in sorted(twos) if (i, j) not in listed), None)
            if missing is not None:
                yield f"maximal_subsets[{k}]: the pair [{missing[0] + 1}, {missing[1] + 1}] is not among the equilibria"
                continue
            largest = set.intersection(*(replies[1][j] for j in twos)), set.intersection(*(replies[0][i] for i in ones))
            if largest != (ones, twos):
                yield f"maximal_subsets[{k}]: it is part of a larger one"
            covered |= {(i, j) for i in ones for j in twos}
        if covered != listed:
            yield "maximal_subsets: they do not contain every equilibrium"
    if equilibria.components is not None:
        group = list(range(len(pairs)))  # the first equilibrium that each hangs together with
        for player in (0, 1):
            first: dict[int, int] = {}
            for k, pair in enumerate(pairs):
                old, new = sorted((group[k], group[first.setdefault(pair[player], k)]), reverse=True)
                group = [new if g == old else g for g in group]
        true = {tuple(k for k, g in enumerate(group) if g == new) for new in set(group)}
        if sorted(map(tuple, equilibria.components)) != sorted(true):
            yield "components: these are not the connected components that the pairs have"


def evaluate(
    game: object, strategies: GivenProfile | StatedSolution, *, progress: Callable[[str], None] | None = None
) -> Verification:
    """What strategies earn, what best responses would, and what that proves, exactly, in a tree or from the rules.

    Parameters
    ----------
    game : GameTree, UnbuiltGame, Game, pyspiel.Game or pygambit.Game
    strategies : pair of BehaviorStrategy, of UnbuiltStrategy or of OrderedStrategy, or a solution
        Exact ones.
    progress : callable, optional
        Called with a text now and then.

    Returns
    -------
    Verification
        With ``values``, ``best_response_values``, ``nash_conv`` and ``bounds``; ``problems`` say why there are none.

    Raises
    ------
    CertificateError, GameError
        These are no strategies of this game.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> uniform = [tremble.BehaviorStrategy.uniform(kuhn, player) for player in (0, 1)]
    >>> found = tremble.evaluate(kuhn, uniform)
    >>> found.values, found.nash_conv
    ((Fraction(1, 8), Fraction(-1, 8)), Fraction(11, 12))
    """
    if isinstance(strategies, StatedSolution):
        strategies = strategies.ordered or strategies.unbuilt or strategies
    kinds = UnbuiltStrategy | OrderedStrategy
    from_rules = isinstance(strategies, Sequence) and any(isinstance(s, kinds) for s in strategies)
    played = game_of(game, from_rules=from_rules)
    if isinstance(played, GameTree):
        return verifier.prove(played, profile_of(played, strategies), progress=progress)
    if isinstance(strategies, Sequence) and len(strategies) == 2:
        one, two = strategies
        if isinstance(one, UnbuiltStrategy) and isinstance(two, UnbuiltStrategy):
            return verifier.prove(played, (one, two), progress=progress)
        if isinstance(one, OrderedStrategy) and isinstance(two, OrderedStrategy):
            return verifier.prove(played, (one, two), progress=progress)
    raise GameError("strategies of a game that is not built are a pair of tremble.UnbuiltStrategy or OrderedStrategy")
