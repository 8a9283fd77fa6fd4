r"""Find the blunders of a profile at all information sets, on and off the path, and measure their losses.

A *blunder* is a losing action at one information set. Let I be an information set of player i. Let r(I) be the
probability that play reaches I if player i makes all moves that lead to I. Suppose that player i plays the action a at
I and best responses after a. Let :math:`Q(I, a)` be the payoff of player i from I on, multiplied by r(I). There are
three kinds of blunders.

1. ``"regret"``: Suppose that r(I) > 0. The opponent's strategy then determines the belief at I. The action a loses

   .. math::  \frac{\max_b Q(I, b) - Q(I, a)}{r(I)}

   each time that it is played. A mistake after I counts at the information set where it is made. Multiply each loss by
   three probabilities: r(I), the probability of a, and the probability that player i's own moves lead to I. The sum of
   these products over all actions is the gain of a best response.
2. ``"unsupported"``: Suppose that r(I) = 0. The opponent then reaches I only by trembles, and any trembles are
   possible. The action a is unsupported if it is wrong (not a best action) against every plan of the opponent that
   reaches I (:func:`tremble.judge.audit.regret.best_case`). It loses at least the smallest regret over all these plans.
   If a single one of these plans makes the action right, the audit does not report the action. This plan may differ
   from the opponent's strategy even after I.
3. ``"dominated"``: A *continuation* is a plan for the moves at I and after I. Let x be the continuation that plays a at
   I and then follows player i's strategy, in which later mistakes have been corrected. The action a is *weakly
   dominated* from I on if another continuation is never worse than x and sometimes better. The action a may still be
   right against plans that avoid some of the opponent's moves. Its loss is the greatest gain of a dominating
   continuation against an opponent who plays uniformly (:mod:`tremble.judge.audit.regret`). The audit checks each
   played action at every information set. It also checks the profile's mixture of the actions that are not blunders.

A quasi-perfect equilibrium has no blunders, because every continuation is a best response to a completely mixed plan.
The converse is not proven: a profile without blunders may not be quasi-perfect.

References
----------
E. van Damme: A relation between perfect equilibria in extensive form games and proper equilibria in normal form
games, International Journal of Game Theory 13, 1984.

M. Zinkevich, M. Johanson, M. Bowling, C. Piccione: Regret minimization in games with incomplete information,
NIPS 2007 (counterfactual values).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

from tremble.errors import LimitReached
from tremble.formats.given_profile import ProfileLike, given_profile
from tremble.game.evaluation import expected_values
from tremble.game.requirements import require_perfect_recall
from tremble.game.rules import UnbuiltGame, not_built
from tremble.game.tree import GameTree
from tremble.judge.audit.beliefs import wrong_beliefs
from tremble.judge.audit.player import PlayerAudit
from tremble.judge.rules_given import rules_given, the_tree
from tremble.run.clock import Clock
from tremble.run.deadline import required_time_limit
from tremble.run.progress import Progress
from tremble.run.signals import stopped_by
from tremble.solution.audit import Audit
from tremble.solution.claim import Beliefs
from tremble.solution.reading import BELIEFS
from tremble.solvers.method import Run
from tremble.words import require_hooks

__all__ = ["audit"]


_PATIENCE = 60.0  # seconds of processor time for the steps after the regrets if there is no time limit


def audit(
    tree: GameTree | UnbuiltGame,
    strategies: ProfileLike,
    *,
    beliefs: Beliefs | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Find the blunders (losing actions) of a profile at all information sets, reached or not, and their losses.

    Parameters
    ----------
    tree : GameTree or UnbuiltGame
        A game with any payoffs and perfect recall. Games that are not built are not supported, except flops, turns and
        rivers of Texas Hold'em. Their audit finds the actions that lose against the other player's strategy, and lists
        at most 10,000 of them.
    strategies : object
        A profile. :func:`tremble.nash_conv` lists the accepted forms. Floats are replaced by nearby simple fractions.
    beliefs : pair of tuples of BeliefRow, optional
        Beliefs to check. By default, the function checks the beliefs of the solution or file in ``strategies``.
    time_limit : float, optional
        Seconds. When the limit is reached, or at Ctrl-C, the function returns the findings so far. Without a limit, the
        search for unsupported and dominated actions stops after one minute of processor time. In deep games, the search
        would take too long.
    progress : callable, optional
        A function that is called with the name of the step and the fraction done, which may be None.

    Returns
    -------
    Audit

    Raises
    ------
    GameError
        A player lacks perfect recall (``ImperfectRecallError``), or a strategy belongs to another game.

    Examples
    --------
    Player 1 never makes the offer, so player 2 loses nothing by planning to say yes. The profile is a Nash equilibrium.
    The audit finds that "yes" is wrong at a set that play never reaches.

    >>> import tremble
    >>> game = tremble.load("guess_the_ace")
    >>> stop = tremble.BehaviorStrategy.from_rows(game, 0, [[1, 0]])
    >>> yes = tremble.BehaviorStrategy.from_rows(game, 1, [[1, 0]])
    >>> tremble.nash_conv(game, (stop, yes))
    Fraction(0, 1)
    >>> worst = tremble.audit(game, (stop, yes)).blunders[0]
    >>> worst.kind, worst.action, worst.better, worst.amount
    ('unsupported', 'yes', 'no', Fraction(12500, 13))
    """
    time_limit = required_time_limit(time_limit)
    require_hooks(progress=progress)
    clock = Clock(time_limit)
    report: Progress = progress if progress is not None else lambda _step, _fraction: None
    rules = rules_given(tree, strategies)
    if rules is not None:
        kind, (pair,) = rules
        found: Audit | None = kind.audit(pair, lambda step: report(step, None))
        if found is None:
            raise not_built()
        return found
    tree = the_tree(tree)
    given = given_profile(tree, strategies, exact=True)
    profile = given.strategies
    if beliefs is None:
        beliefs = given.beliefs
    if beliefs is not None:
        BELIEFS.plain(beliefs, "beliefs")
    require_perfect_recall(tree)
    values = expected_values(tree, profile)
    report("regrets", None)
    players = tuple(PlayerAudit(tree, player, profile) for player in (0, 1))
    for examined in players:
        examined.regrets()
    wrong = tuple(
        belief
        for player, rows in enumerate(() if beliefs is None else beliefs)
        for belief in wrong_beliefs(tree, players[player].outlook, profile[1 - player], rows)
    )
    stopped: LimitReached | None = None
    if time_limit is None:
        clock.watch(_processor_limit())
    total = max(1, sum(tree.num_infosets))
    done = 0
    try:
        for examined in players:
            for _ in examined.continuations(Run(clock)):
                done += 1
                if done % 16 == 1:
                    report("continuations", min(1.0, done / (2 * total)))
        for examined in players:
            for _ in examined.measurements(Run(clock)):
                report("losses of long continuations", None)
    except LimitReached as limit:
        stopped = limit
    except KeyboardInterrupt as interrupt:
        stopped = LimitReached(stopped_by(interrupt), interrupted=True)
    blunders = [blunder for examined in players for blunder in examined.blunders]
    gains = [Fraction(players[i].best_value) - Fraction(values[i]) for i in (0, 1)]
    return Audit(
        blunders=tuple(sorted(blunders, key=lambda b: (-b.amount, b.player, b.infoset))),
        wrong_beliefs=wrong,
        values=(Fraction(values[0]), Fraction(values[1])),
        gains=(gains[0], gains[1]),
        off_path=(players[0].off_path, players[1].off_path),
        num_infosets=sum(tree.num_infosets),
        never_dealt=sum(len(examined.never_dealt) for examined in players),
        unexamined=sum(len(examined.unexamined) for examined in players),
        undecided=sum(examined.undecided for examined in players),
        stopped=stopped,
        strategies=profile,
        beliefs=beliefs,
        played=tree,
    )


def _processor_limit() -> Callable[[], None]:
    """Return a function that raises ``LimitReached`` after ``_PATIENCE`` seconds of processor time."""
    end = time.process_time() + _PATIENCE

    def watch() -> None:
        if time.process_time() > end:
            raise LimitReached(
                f"stopped after {_PATIENCE:.0f} seconds of processor time, the default limit; set a time limit instead"
            )

    return watch
