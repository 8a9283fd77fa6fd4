r"""Refutations: proofs that strategies are *not* of a concept.

``best-response``: somebody gains by deviating.

``subgame``: somebody gains by deviating in a subgame (:mod:`tremble.verifier.profiles.subgames`) that chance lets
happen, the smaller ones within it left as they are.

``dominated``: there is a *deviation* d of one player, with :math:`E d = 0` (at every set the actions sum to the move
before, 0 for the empty sequence) and :math:`d_q \ge 0` where the player's plan x has :math:`x_q = 0`. Then
:math:`x + t d` is a plan for small t > 0. It earns :math:`t\,d^T U y` more than x against a plan y of the other. Two
passes over the other's sets find the least and the greatest of these: if the least is not negative and the greatest is
positive, x is weakly dominated, and the profile is not normal-form perfect
(:mod:`tremble.verifier.concepts.normal_form_perfect`). If that holds among the plans y of sequences that cost the other
no more than a stated number, the profile is not proper (:mod:`tremble.verifier.concepts.proper`).

``mistakes``: whatever vanishing mistakes one player makes, the strategy of the other is not best. Let p be the player
who errs, :math:`\sigma` its strategy, y a plan of p, and o the other one. With

.. math::

   e_{(I,a)} = v_I - \sum_{\text{leaves after } (I,a)} c\,u_o\,y - \sum_{I' \text{ after } (I,a)} v_{I'}

(leaves and sets of o that no other own move separates from (I, a)), a profile is quasi-perfect exactly if for both
players there are completely mixed plans y whose behavior tends to :math:`\sigma`, with v such that e is 0 where o
plays, and elsewhere at least 0. Stated are

* *blocked* sequences of p; the *tight* actions are those that o does not play with w > 0;
* integers w by sequence of o, at least 0 where o does not play, 0 for the empty one; at every set I of o they sum to
  that of the move before I;
* integers :math:`\lambda` by set of p, and :math:`\mu` by sequence of p, 0 unless the move before is blocked,

and with :math:`A_q = \sum_{\text{leaves after } q} c\,u_o\,w`, for every sequence q of p

.. math::

   \alpha_q = A_q - \sum_{J \text{ after } q} \lambda_J + \lambda_{J(q)} - \mu_q
              + \sum_{J \text{ after } q,\,b} \sigma_b\,\mu_{(J,b)}

is positive if q is blocked, else 0. Let C be the vectors y, with v, that satisfy

1. the actions at each set of p sum to the move before;
2. :math:`y_q \ge 0` if q is blocked;
3. :math:`y_{(J,b)} = \sigma_b\,y_{before(J)}` if the move before J is blocked;
4. e is 0 where o plays, at least 0 at tight actions.

In C, :math:`0 \le \sum w\,e = -\sum_q A_q\,y_q = -\sum_{blocked} \alpha_q\,y_q \le 0`: by what w sums to, v cancels,
and by (1) and (3) :math:`\lambda` and :math:`\mu` change nothing. So **in C, y is 0 where it is blocked, and e at tight
actions**. If there are such mistakes at all, then some are polynomials :math:`\sum_k y_k\,\epsilon^k` (they solve a
linear program over the rational functions of :math:`\epsilon`). By induction each :math:`y_k` is in C: the terms before
are 0 where blocked, and so is e at tight actions, so that there the coefficient at k is the leading one, or 0 again,
which gives (2), (3) and (4). Hence all coefficients of a blocked sequence are 0, and the mistakes are not completely
mixed: there are none, if anything is blocked.

*Sequential* equilibria ask for (4) only at the leading order with which chance and y come to I. There the same holds if
w is 0 at all sets with a node that chance comes to and before which p made no blocked move: a set without such nodes is
not reached before order k, nor are the sets after it, so that (4) holds there. A profile that is not sequential is
neither quasi-perfect nor perfect. A *perfect* equilibrium in which nobody moves twice on a path is quasi-perfect, since
no own later mistakes are feared; there (4) may be asked everywhere. A *one-sided quasi-perfect* equilibrium
(:mod:`.one_sided`) asks for such mistakes of p alone, where o makes none.

``reply``: at an information set, p plays what is not best against the strategy of o, as worth that chance and o let it
have, own later choices being the best ones. (Where o and chance do not let p come, all is worth 0.) Then the profile is
no one-sided quasi-perfect equilibrium in which o makes no mistakes: if p's strategy were best from all sets on that
chance and o let it come to, it would earn what the best choices do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tremble.game.tree import GameTree
from tremble.verifier.budget import budget, listening
from tremble.verifier.certificates.best_response import BestResponseCertificate
from tremble.verifier.certificates.dominated import DominatedRefutation
from tremble.verifier.certificates.fields import brief, is_object
from tremble.verifier.certificates.mistakes import MistakesRefutation
from tremble.verifier.certificates.reply import ReplyRefutation
from tremble.verifier.certificates.subgame import SubgameRefutation
from tremble.verifier.concepts.proper import costs_of_mistakes
from tremble.verifier.concepts.table import CONCEPTS
from tremble.verifier.context import CheckContext
from tremble.verifier.profiles.outcome import Outcome
from tremble.verifier.profiles.subgames import subgame_gains
from tremble.verifier.profiles.tree import Sequences, against, chance_weights, respond, sequence_weights

__all__ = ["check_refutation"]


def check_refutation(context: CheckContext, stated: Mapping[str, Any]) -> str | None:
    """The concept that strategies are proven not to be of; None and problems if that is not proven."""
    problems, before = context.problems, len(context.problems)
    concept, kind = stated.get("concept"), stated.get("kind")
    row = CONCEPTS.get(concept) if isinstance(concept, str) else None
    able = () if row is None else row.refutations
    if not able:
        problems.add(f"refutation.concept: {brief(concept)} is nothing that can be disproven here")
    elif kind not in able:
        problems.add(f"refutation.kind: {brief(kind)}, but {concept!r} is disproven by {' or '.join(map(repr, able))}")
    elif kind != BestResponseCertificate.kind and not isinstance(context.game, GameTree):
        problems.add(f"refutation.kind: {kind!r} needs a tree, but this game is not built")
    elif not isinstance(context.earned, Outcome):
        problems.add("refutation: what best responses earn is not known, so that nothing can be disproven")
    else:
        _CHECKS[str(kind)](context, stated)
    return None if len(problems) > before else str(concept)


def _check_best_response(context: CheckContext, stated: Mapping[str, Any]) -> None:
    if is_object(stated, ("concept", "kind"), "refutation", context.problems) and not context.outcome.nash_conv:
        context.problems.add("refutation: nobody can gain by deviating")


def _check_subgame(context: CheckContext, stated: Mapping[str, Any]) -> None:
    refutation = SubgameRefutation.read(context, stated)
    if refutation is None:
        return
    tree, node = context.tree, 0
    for label in listening(refutation.path):
        labels = tree.labels(node)
        if label not in labels:
            context.problems.add("refutation.path: leads to no node of the game")
            return
        node = tree.children(node)[labels.index(label)]
    gains = subgame_gains(tree, context.solution.tables, context.evaluation.sequences)
    if not any((node, refutation.player) == (root, player) for root, player, _ in gains):
        context.problems.add(
            f"refutation: player {refutation.player + 1} cannot gain by deviating there alone, or no subgame that "
            "chance lets happen begins there"
        )


def _check_reply(context: CheckContext, stated: Mapping[str, Any]) -> None:
    """Something is played there that is not best."""
    refutation = ReplyRefutation.read(context, stated)
    if refutation is None:
        return
    player, tables = refutation.player, context.solution.tables
    own, other = context.evaluation.sequences[player], context.evaluation.sequences[1 - player]
    plan, _ = sequence_weights(other, tables[1 - player])
    budget().about = "refutation"
    worth, share = against(*context.evaluation.cells.seen_by(player), plan, own.num_sequences), tables[player].numerator
    for k, prior, first, end in listening(reversed(own.sets)):
        best = max(worth[first:end])
        if k == refutation.infoset:
            if all(worth[q] == best for q in range(first, end) if share[q - 1]):
                context.problems.add(f"refutation: {context.place(player, k)}: what is played there is best")
            return  # what comes before does not matter
        worth[prior] += best


def _check_mistakes(context: CheckContext, stated: Mapping[str, Any]) -> None:
    """The multipliers prove that something is blocked."""
    refutation = MistakesRefutation.read(context, stated)
    if refutation is None:
        return
    if not refutation.blocked:
        context.problems.add("refutation.blocked: empty, so that there may be mistakes that support the strategies")
    blocked = np.zeros(1 + context.tree.num_slots[refutation.player], dtype=np.bool_)
    blocked[refutation.blocked] = True
    weight = [0] * (1 + context.tree.num_slots[1 - refutation.player])
    for q, w in refutation.deviation.items():
        weight[q] = w
    budget().about = "refutation"
    reached = _reached(context, refutation.player, blocked)
    if CONCEPTS[stated["concept"]].beyond_leading(context):
        reached[:] = False  # at every set the plans themselves are compared
        tight = refutation.tight
    else:
        tight = None
        if refutation.tight:
            context.problems.add(
                f"refutation.tight: {stated['concept']!r} has no tight actions here; the list is empty"
            )
    _check_deviation(context, 1 - refutation.player, weight, tight, reached.tolist())
    _check_sums(context, refutation, blocked.tolist(), weight)


def _check_dominated(context: CheckContext, stated: Mapping[str, Any]) -> None:
    """The deviation never loses, and gains against something."""
    refutation = DominatedRefutation.read(context, stated)
    if refutation is None:
        return
    player, weight = refutation.player, [0] * (1 + context.tree.num_slots[refutation.player])
    for q, w in refutation.deviation.items():
        weight[q] = w
    budget().about = "refutation"
    comes = context.evaluation.players[player].reached
    _check_deviation(context, player, weight, None, [False] * len(comes), comes)
    other = context.evaluation.sequences[1 - player]
    gain = against(*context.evaluation.cells.seen_by(1 - player, player), weight, other.num_sequences)
    loss = [-amount for amount in gain]
    if refutation.cost is not None:
        if not CONCEPTS[stated["concept"]].ranked:
            context.problems.add(f"refutation.cost: stated, but {stated['concept']!r} is about all mistakes")
        costs, unit = costs_of_mistakes(context, player)
        top, bottom = refutation.cost.as_integer_ratio()
        budget().product(top.bit_length(), unit.bit_length())
        budget().quotient(top.bit_length() + unit.bit_length(), bottom.bit_length())
        most = top * unit // bottom  # costs are integers over the unit
        never = -1 - sum(map(abs, gain))  # so much worse than anything else that it is no best reply
        for q, cost in enumerate(costs):
            if cost > most:
                gain[q] = loss[q] = never
    if respond(other, loss) > 0:
        context.problems.add(
            f"refutation.deviation: against some strategy it loses, so that it dominates nothing of player {player + 1}"
        )
    elif respond(other, gain) <= 0:
        context.problems.add("refutation.deviation: it never gains anything")


def _reached(context: CheckContext, player: int, blocked: np.ndarray[Any, np.dtype[np.bool_]]) -> Any:
    """Whether each set of the other has a node that chance comes to, after a sequence that is not blocked: bool[J]."""
    tree = context.tree
    weight, of_node, _ = chance_weights(tree)
    possible = np.array([w > 0 for w in weight], dtype=np.bool_)[of_node]
    supported = ~blocked[context.evaluation.sequences[player].at_node]
    reached = np.zeros(tree.num_infosets[1 - player], dtype=np.bool_)
    reached[tree.infoset[(tree.player == 1 - player) & possible & supported]] = True
    return reached


def _check_deviation(
    context: CheckContext,
    judged: int,
    weight: list[int],
    tight: list[int] | None,
    reached: list[bool],
    comes: Sequence[bool] | None = None,
) -> None:
    """The weights w sum to that of the move before, are 0 where nothing is asked, not negative where o never plays.

    ``comes`` may say to which sets o comes at all.
    """
    share = context.solution.tables[judged].numerator.tolist()
    strict = []
    for k, prior, first, end in listening(context.evaluation.sequences[judged].sets):
        if sum(weight[first:end]) != weight[prior]:
            context.problems.add(
                f"refutation.deviation: {context.place(judged, k)}: the weights of the actions do not sum to that of "
                "the move before"
            )
        for q in range(first, end):
            if weight[q] and reached[k]:
                context.problems.add(
                    f"refutation.deviation: {context.move(judged, q)} has a weight, but the set is reached without "
                    "blocked mistakes"
                )
            if not share[q - 1] or not (comes is None or comes[k]):
                if weight[q] < 0:
                    context.problems.add(
                        f"refutation.deviation: {context.move(judged, q)} is not played, but has a negative weight"
                    )
                elif weight[q]:
                    strict.append(q)
    if tight is not None and strict != tight:
        context.problems.add("refutation.tight: not the actions that are never played and have a positive weight")


def _check_sums(context: CheckContext, refutation: MistakesRefutation, blocked: list[bool], weight: list[int]) -> None:
    """Of every sequence of p, alpha is positive if it is blocked, else 0."""
    player, costs = refutation.player, budget()
    own: Sequences = context.evaluation.sequences[player]
    cells = context.evaluation.cells
    alpha = against(*cells.seen_by(player, 1 - player), weight, own.num_sequences)  # over the denominator of the cells
    unit, table = cells.denominator, context.solution.tables[player]
    share, whole = table.numerator.tolist(), table.denominator.tolist()
    mixed: dict[int, list[tuple[int, int]]] = {}  # of each sequence, what the sets after it add, as fractions
    for k, prior, first, end in listening(own.sets):
        flow, sums = refutation.flow.get(k, 0), 0
        costs.product(unit.bit_length(), flow.bit_length(), 1 + end - first)
        alpha[prior] -= unit * flow
        for q in range(first, end):
            ratio = refutation.ratio.get(q, 0)
            alpha[q] += unit * (flow - ratio)
            if ratio:
                costs.product(share[q - 1].bit_length() + unit.bit_length(), ratio.bit_length(), 2)
                sums += share[q - 1] * ratio
                if not blocked[prior]:
                    context.problems.add(
                        f"refutation.ratio: {context.move(player, q)} has a multiplier, but the move before is not "
                        "blocked"
                    )
        if sums:
            mixed.setdefault(prior, []).append((sums, whole[k]))
    for q, total in enumerate(listening(alpha)):
        parts = mixed.get(q, [])
        common = costs.common_denominator(bottom for _, bottom in parts)
        long = common.bit_length()
        costs.product(total.bit_length(), long)
        total *= common
        for top, bottom in parts:
            costs.quotient(long, bottom.bit_length())
            costs.product(unit.bit_length() + top.bit_length(), long)
            total += unit * top * (common // bottom)
        if total <= 0 if blocked[q] else total != 0:
            where = context.move(player, q) if q else f"player {player + 1}, before any move"
            stands = "positive, though it is blocked" if blocked[q] else "zero, though it is not blocked"
            context.problems.add(f"refutation: {where}: what the multipliers sum to is not {stands}")


_CHECKS: Mapping[str, Callable[[CheckContext, Mapping[str, Any]], None]] = {
    BestResponseCertificate.kind: _check_best_response,
    SubgameRefutation.kind: _check_subgame,
    ReplyRefutation.kind: _check_reply,
    DominatedRefutation.kind: _check_dominated,
    MistakesRefutation.kind: _check_mistakes,
}
