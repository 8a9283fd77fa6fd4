"""The findings of an audit of a profile: blunders (losing actions), wrong beliefs, and how much was examined.

:mod:`tremble.judge.audit` computes the findings, and defines each kind of blunder.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal

from tremble.errors import LimitReached
from tremble.game.rules import UnbuiltGame
from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.solution.claim import Beliefs
from tremble.value import Tabular, Value, from_one, in_both_forms

__all__ = ["Audit", "Blunder", "Kind", "WrongBelief"]

Kind = Literal["regret", "unsupported", "dominated"]

_Path = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Blunder(Value):
    """An action or a mixture of actions that loses payoff for its player, at one information set.

    Attributes
    ----------
    player : int
        0 or 1.
    infoset : int or None
        Index of the information set, from 0. None in a game that is not built, whose sets have no numbers.
    label : str
        Label of the information set.
    kind : {"regret", "unsupported", "dominated"}
        The meaning of ``loss``. ``"regret"``: the loss against the opponent's strategy. ``"unsupported"``: the least
        loss over all plans of the opponent that reach the set. ``"dominated"``: the loss against an opponent who
        plays uniformly.
    action : str or None
        Label of the action. None if the mixture is a blunder, but each of its actions alone is not.
    probability : Fraction
        Probability with which the profile plays the action.
    better : str
        The action to play instead. This is ``action`` itself if only later moves of the player must change.
    loss : Fraction
        Loss of payoff each time that the player plays the action.
    own_reach : Fraction
        Probability that the player makes all own moves on the way to the set.
    other_reach : Fraction
        Probability that chance and the opponent make all their moves on the way to the set.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> blunder = tremble.audit(kuhn, [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]).blunders[0]
    >>> blunder.label, blunder.action, blunder.better, blunder.loss
    ('K:cb', 'fold', 'call', Fraction(3, 1))
    """

    player: int
    infoset: int | None
    label: str
    kind: Kind
    action: str | None
    probability: Fraction
    better: str
    loss: Fraction
    own_reach: Fraction
    other_reach: Fraction

    @property
    def amount(self) -> Fraction:
        """Expected loss of payoff once play has reached the set: ``loss`` times the ``probability`` of the action."""
        return self.probability * self.loss

    @property
    def gain(self) -> Fraction:
        """Expected payoff, over the whole game, that the blunder costs the player; 0 if play never reaches the set."""
        return self.amount * self.own_reach * self.other_reach

    @property
    def on_path(self) -> bool:
        """True if play reaches the set. Only blunders of kind ``"regret"`` on the path contribute to NashConv."""
        return bool(self.own_reach and self.other_reach)


@dataclass(frozen=True, eq=False, repr=False)
class WrongBelief(Value):
    """A wrong belief in a solution: no vanishing trembles of the opponent lead to it in the limit.

    Attributes
    ----------
    player, infoset, label
        These fields have the same meaning as in :class:`tremble.results.Blunder`.
    nodes : tuple of (path, stated, right)
        Action labels from the root, the solution's probability, and the nearest right probability. A *group* is the set
        of nodes after the same unplayed moves of the opponent. If trembles do not determine the groups' probabilities,
        these have the same ratios in ``right`` as in ``stated``. If all are 0 in ``stated``, ``right`` contains None.

    Examples
    --------
    >>> import tremble
    >>> from dataclasses import replace
    >>> from fractions import Fraction
    >>> kuhn = tremble.load("kuhn")
    >>> solution = tremble.solve(kuhn, "sequential")
    >>> first, *others = solution.beliefs[1]
    >>> even = replace(first, nodes=tuple((path, Fraction(1, 2)) for path, _ in first.nodes))
    >>> wrong = replace(solution, beliefs=(solution.beliefs[0], (even, *others)))
    >>> tremble.audit(kuhn, wrong).wrong_beliefs[0].nodes
    ((('JQ', 'check'), Fraction(1, 2), Fraction(1, 1)), (('KQ', 'check'), Fraction(1, 2), Fraction(0, 1)))
    """

    player: int
    infoset: int
    label: str
    nodes: tuple[tuple[_Path, Fraction, Fraction | None], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Value, Tabular):
    """The result of :func:`tremble.audit`: blunders, wrong beliefs, and how much was examined.

    Attributes
    ----------
    blunders : tuple of Blunder
        The blunders, in descending order of ``amount``.
    wrong_beliefs : tuple of WrongBelief
        Beliefs of the solution that are wrong.
    values, gains : pair of Fraction
        Expected payoffs of both players, and the gain of each player from a best response to the other player.
    off_path : pair of Fraction
        For each player, the sum of the losses at the sets that its own strategy never reaches. Each loss is weighted by
        the probability that chance and the opponent play towards the set. NashConv does not show these losses.
    num_infosets : int
        Number of information sets of both players.
    never_dealt : int
        Number of sets to which the moves of chance never lead. The audit skips these sets.
    unexamined : int
        Number of sets that were checked for ``"regret"`` only, because a limit was reached.
    undecided : int
        Number of actions reported as ``"dominated"`` for which ``"unsupported"`` may be true. The audit does not
        decide this if the player has too many choices after the action.
    stopped : LimitReached or None
        The reason why the audit is not complete.
    unlisted : int
        Number of blunders that ``blunders`` does not list. It lists the blunders with the greatest amounts.
    strategies : pair of BehaviorStrategy, or of OrderedStrategy
        The exact profile. Functions that accept a profile, such as :func:`tremble.draw`, also accept an audit.
    beliefs : pair of tuples of BeliefRow, or None
        The beliefs that were checked.
    played : GameTree, UnbuiltGame or None
        The game.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> found = tremble.audit(kuhn, [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)])
    >>> found.clean, len(found.blunders)
    (False, 11)
    """

    columns: ClassVar[tuple[str, ...]] = (
        *("player", "infoset", "label", "kind", "action", "probability", "better"),
        *("loss", "amount", "amount_float", "on_path"),
    )

    blunders: tuple[Blunder, ...]
    wrong_beliefs: tuple[WrongBelief, ...]
    values: tuple[Fraction, Fraction]
    gains: tuple[Fraction, Fraction]
    off_path: tuple[Fraction, Fraction]
    num_infosets: int
    never_dealt: int
    unexamined: int
    undecided: int
    stopped: LimitReached | None
    strategies: Any
    beliefs: Beliefs | None
    unlisted: int = 0

    def profile(self, tree: GameTree) -> Profile:
        """Return the audited strategies. The caller checks that ``tree`` is the audited game; ``tree`` is not used."""
        strategies: Profile = self.strategies
        return strategies

    played: GameTree | UnbuiltGame | None = field(default=None, compare=False, repr=False)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of CSV output: one for each blunder, then one for each node of a wrong belief.

        In the row of a belief, ``action`` is the path of the node, and ``better`` is the right probability, if known.
        Players and information sets count from 1. Exact numbers are ``Fraction``.
        """
        rows = []
        for b in self.blunders:
            cells = {name: getattr(b, name) for name in ("label", "kind", "action", "probability", "better", "loss")}
            rows.append(_place(b) | cells | in_both_forms("amount", b.amount) | {"on_path": b.on_path})
        for wrong in self.wrong_beliefs:
            for path, stated, right in wrong.nodes:
                cells = {"kind": "belief", "action": " ".join(path), "probability": stated, "better": right}
                rows.append({**dict.fromkeys(self.columns), **_place(wrong), "label": wrong.label, **cells})
        return rows

    @property
    def clean(self) -> bool:
        """True if the audit is complete and found neither blunders nor wrong beliefs."""
        return not self.blunders and not self.wrong_beliefs and self.stopped is None


def _place(finding: Blunder | WrongBelief) -> dict[str, Any]:
    """Return the columns ``player`` and ``infoset`` of a finding's row. Both numbers count from 1."""
    return {"player": finding.player + 1, "infoset": from_one(finding.infoset)}
