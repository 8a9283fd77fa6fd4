"""The findings of an audit: blunders, wrong beliefs, and how much was examined.

:mod:`tremble.judge.audit` makes them, and says what each kind of blunder means.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal

from tremble.errors import LimitReached
from tremble.game.strategy import Profile
from tremble.game.tree import GameTree
from tremble.solution.claim import Beliefs
from tremble.tabular import Tabular, in_both_forms
from tremble.value import Value

__all__ = ["Audit", "Blunder", "Kind", "WrongBelief"]

Kind = Literal["regret", "unsupported", "dominated"]

_Path = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Blunder(Value):
    """An action (or a mixture) at one information set that loses something.

    Attributes
    ----------
    player : int
        0 or 1.
    infoset : int
        Its index, from 0.
    label : str
        Of the information set.
    kind : {"regret", "unsupported", "dominated"}
        What ``loss`` measures: the loss against the opponent's strategy; the least loss against any plan of the
        opponent that comes here; or the loss against a opponent who plays uniformly.
    action : str or None
        None stands for the mixture of the actions that pass alone.
    probability : Fraction
        With which the profile plays it.
    better : str
        What to play instead; the action itself where only what follows must change.
    loss : Fraction
        Lost each time that the action is played, in the payoffs of the player.
    own_reach : Fraction
        Probability that the player plays towards the set.
    other_reach : Fraction
        Probability that chance and the opponent do.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> blunder = tremble.audit(kuhn, [tremble.BehaviorStrategy.uniform(kuhn, i) for i in (0, 1)]).blunders[0]
    >>> blunder.label, blunder.action, blunder.better, blunder.loss
    ('K:cb', 'fold', 'call', Fraction(3, 1))
    """

    player: int
    infoset: int
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
        """Lost per time that the set is reached: probability times loss."""
        return self.probability * self.loss

    @property
    def gain(self) -> Fraction:
        """Loss in the player's expected payoff: 0 off the path."""
        return self.amount * self.own_reach * self.other_reach

    @property
    def on_path(self) -> bool:
        """True if the profile comes here; NashConv shows a ``"regret"`` on the path, and nothing else."""
        return bool(self.own_reach and self.other_reach)


@dataclass(frozen=True, eq=False, repr=False)
class WrongBelief(Value):
    """A belief that no tremble of the opponent leaves behind.

    Attributes
    ----------
    player, infoset, label
        As of a :class:`tremble.results.Blunder`.
    nodes : tuple of (path, stated, right)
        Action labels from the root, the stated probability and the nearest right one: the masses of groups of
        nodes that trembles leave open are kept as far as they are stated. ``right`` is None where nothing was
        stated that could be kept.

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
    """The findings of an audit.

    Attributes
    ----------
    blunders : tuple of Blunder
        The greatest ``amount`` first.
    wrong_beliefs : tuple of WrongBelief
        Of the beliefs that were stated.
    values, gains : pair of Fraction
        What both players earn, and what a best response to the other would earn more.
    off_path : pair of Fraction
        Sum over the sets that a player's own strategy never reaches of the loss there, weighed with how often
        chance and the opponent come: invisible to NashConv.
    num_infosets : int
        Of both players.
    never_dealt : int
        Sets that chance never reaches; skipped.
    unexamined : int
        Sets that were looked at for ``"regret"`` only, because a limit was reached.
    undecided : int
        Actions found ``"dominated"`` that may be ``"unsupported"``: too many own choices follow.
    stopped : LimitReached or None
        Why the audit is not complete.
    strategies : pair of BehaviorStrategy
        The profile, exact: an audit stands for it wherever one is asked for, as in :func:`tremble.draw`.
    beliefs : pair of tuples of BeliefRow, or None
        Those that were checked.
    played : GameTree or None
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
    strategies: Profile
    beliefs: Beliefs | None

    def profile(self, tree: GameTree) -> Profile:
        """The strategies that were audited; whether they are of this game is for the caller to see."""
        return self.strategies

    played: GameTree | None = field(default=None, compare=False, repr=False)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each blunder, then for each node of a wrong belief: those of CSV output.

        A belief has the path of the node as ``action``, and the right number, if any could be kept, as ``better``.
        Players and information sets count from 1, exact numbers are ``Fraction``.
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
        """True if everything was examined and nothing found."""
        return not self.blunders and not self.wrong_beliefs and self.stopped is None


def _place(finding: Blunder | WrongBelief) -> dict[str, Any]:
    """Player and information set as they are shown."""
    return {"player": finding.player + 1, "infoset": finding.infoset + 1}
