r"""Find the blunders of a profile at all information sets, on and off the path, and measure their losses.

Let I be an information set of player i. Let r(I) be the probability that chance and the opponent reach I if i plays
towards it. Let :math:`Q(I, a)` be the payoff of i from I on, weighted with r(I), if i plays a and best responses
afterwards.

1. If r(I) > 0, the opponent's strategy determines the belief. An action loses

   .. math::  \frac{\max_b Q(I, b) - Q(I, a)}{r(I)}

   each time that it is played (``"regret"``). A mistake further down counts at the set where it is made. Weighted with
   the player's own reach, r(I) and the probability of a, these losses sum to the gain of a best response.
2. If r(I) = 0, any trembles of the opponent may explain I. An action is ``"unsupported"`` if it is wrong against every
   plan of the opponent that reaches I (:func:`tremble.judge.audit.regret.best_case`). It loses at least the least
   regret. The plan may differ from the opponent's strategy after I as well, so an action passes if only such a
   difference makes it right.
3. An action that is right only against plans that avoid some of the opponent's moves is *weakly dominated* from I on:
   another continuation is never worse and sometimes better (``"dominated"``). Its loss is the gain of the best such
   continuation against an opponent who plays uniformly (:mod:`tremble.judge.audit.regret`). The audit checks each
   action at every set, followed by the profile's own continuation with later mistakes corrected. If every action
   passes, the audit also checks the mixture.

A quasi-perfect equilibrium has none of the three, because every continuation is a best response to a completely mixed
plan. A profile without blunders is not proven to be quasi-perfect.

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
from tremble.game.tree import GameTree
from tremble.judge.audit.beliefs import wrong_beliefs
from tremble.judge.audit.player import PlayerAudit
from tremble.run.clock import Clock, required_time_limit, stopped_by
from tremble.run.progress import Progress
from tremble.solution.audit import Audit
from tremble.solution.claim import Beliefs
from tremble.solution.stated import BELIEFS
from tremble.solvers.method import Run
from tremble.words import require_hooks

__all__ = ["audit"]


_PATIENCE = 60.0  # processor seconds for continuations without a time limit


def audit(
    tree: GameTree,
    strategies: ProfileLike,
    *,
    beliefs: Beliefs | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Find the blunders of a profile at all information sets, on and off the path, and measure their losses.

    Parameters
    ----------
    tree : GameTree
        A game with any payoffs and perfect recall.
    strategies : object
        A profile in any form: see :func:`tremble.nash_conv`. Floats are replaced by simple fractions nearby.
    beliefs : pair of tuples of BeliefRow, optional
        Beliefs to check too, by default those of the solution or file.
    time_limit : float, optional
        Seconds. At the limit, or at Ctrl-C, the findings so far are returned. Without a limit, the steps after the
        regrets take at most a minute of processor time, because they would not end in deep games.
    progress : callable, optional
        Called with (name of the step, fraction done or None).

    Returns
    -------
    Audit

    Raises
    ------
    GameError
        A player lacks perfect recall (``ImperfectRecallError``), or a strategy belongs to another game.

    Examples
    --------
    The ace is never offered, so it costs nothing to plan to say yes. A Nash equilibrium may do so.

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
    """Return a function that raises ``LimitReached`` once the processor time is used up."""
    end = time.process_time() + _PATIENCE

    def watch() -> None:
        if time.process_time() > end:
            raise LimitReached(f"stopped after {_PATIENCE:.0f} seconds of the processor; a time limit allows more")

    return watch
