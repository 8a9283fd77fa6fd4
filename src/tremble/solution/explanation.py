"""Explanations of a player's choice at an information set, in numbers and words. :mod:`~.assessment` computes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from tremble.numbers import as_float
from tremble.value import Tabular, Value, from_one, in_both_forms, in_few_digits, numbered
from tremble.words import printable

__all__ = ["ActionWorth", "Explanation", "Explanations", "Ground", "NodeBelief", "Reply"]

Path = tuple[str, ...]
Ground = Literal["Bayes", "stated", "single node"]

_MOST_NODES = 8  # the largest number of nodes of a set in a sentence


@dataclass(frozen=True, eq=False, repr=False)
class Reply(Value):
    """The other player's mixture of actions at an information set where that player may move next.

    Attributes
    ----------
    infoset : int or None
        Index of the set, from 0. None in a game that is not built, whose sets have no numbers.
    label : str
    probability : Fraction or None
        Probability that this is the other player's next set; None if the belief is open (not determined).
    actions : tuple of (label, probability)

    Examples
    --------
    >>> import tremble
    >>> reply = tremble.solve(tremble.load("kuhn"), "quasi-perfect").explain("Q:").actions[0].replies[0]
    >>> reply.label, reply.probability
    ('K:c', Fraction(1, 2))
    """

    infoset: int | None
    label: str
    probability: Fraction | None
    actions: tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, eq=False, repr=False)
class ActionWorth(Value):
    """An action at an information set, and the payoffs that it earns each time that play reaches the set.

    Attributes
    ----------
    action : str
    probability : Fraction
        Probability with which the profile plays the action.
    value : Fraction or None
        Payoff if both players continue to follow the profile; None if the payoff depends on an undetermined belief.
    best : Fraction or None
        Payoff if the player continues with a best response. None if the player cannot reach the set, because of chance
        or the other player's strategy, or if the player lacks perfect recall.
    loss : Fraction or None
        The greatest ``best`` of all actions at the set, minus this action's ``best``. If ``best`` is unknown, ``value``
        replaces ``best``. The loss is then None if at least one action at the set has an unknown ``value``.
    between : pair of Fraction
        The least and the greatest value that the action can have under any belief.
    ends : Fraction or None
        Probability that the game ends before the other player moves again; None if the belief is undetermined.
    replies : tuple of Reply
        The other player's next moves, one for each information set.

    Examples
    --------
    >>> import tremble
    >>> worth = tremble.solve(tremble.load("kuhn"), "quasi-perfect").explain("Q:cb").actions[0]
    >>> worth.action, worth.probability, worth.value
    ('fold', Fraction(1, 3), Fraction(-1, 1))
    """

    action: str
    probability: Fraction
    value: Fraction | None
    best: Fraction | None
    loss: Fraction | None
    between: tuple[Fraction, Fraction]
    ends: Fraction | None
    replies: tuple[Reply, ...]


@dataclass(frozen=True, eq=False, repr=False)
class NodeBelief(Value):
    """A node of an information set, with its probability according to the player's belief.

    Attributes
    ----------
    path : tuple of str
        Action labels from the root.
    reach : Fraction
        Probability that play reaches the node.
    belief : Fraction or None
    values : pair of Fraction
        Expected payoffs of players 1 and 2 if play starts at this node and both follow the profile.

    Examples
    --------
    >>> import tremble
    >>> node = tremble.solve(tremble.load("kuhn"), "quasi-perfect").explain("Q:cb").nodes[0]
    >>> node.path, node.belief
    (('QJ', 'check', 'bet'), Fraction(1, 4))
    """

    path: Path
    reach: Fraction
    belief: Fraction | None
    values: tuple[Fraction, Fraction]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Value, Tabular):
    """An explanation of a player's choice at an information set. It prints as a few sentences.

    Attributes
    ----------
    player : int
        0 or 1.
    infoset : int or None
        Index of the set, from 0. None in a game that is not built, whose sets have no numbers.
    label : str
        Label of the set.
    names : pair of str
        Names of the players.
    reach : Fraction
        Probability that play reaches the set. For an absentminded player, the expected number of visits.
    own_reach : Fraction or None
        Probability of the player's own moves on the way to the set. None if the player lacks perfect recall and the
        probability differs between the nodes.
    other_reach : Fraction
        Probability of the moves of chance and the other player on the way to the set, summed over the set's nodes.
    dealt : bool
        True if chance can allow play to reach the set: on a path to it, all chance moves have positive probability.
    ground : {"Bayes", "stated", "single node"} or None
        Source of the belief; None if the belief is undetermined.
    nodes : tuple of NodeBelief
        Nodes of the set in depth-first order.
    actions : tuple of ActionWorth
    any_belief : bool
        True if each played action is best at every node that chance can reach. The choice is then best for every
        belief.
    revisited : bool
        True if one play can reach the set twice, because the player is absentminded. The set then has no beliefs.
    rounded : bool
        True if the profile was given in floats or decimals. The sentences then print decimals. Otherwise they print
        short numbers as fractions.
    locked : bool
        True if the rules of the game state how the player acts here, so that the player has no choice.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load("kuhn")
    >>> why = tremble.solve(kuhn).explain("Q:c")
    >>> print(why)
    Player 2 at information set 1 ('Q:c'): play comes here with probability 1/3.
    It believes, by Bayes' rule: after JQ / check 1/2; after KQ / check 1/2.
    It plays check, which earns 0. The next best is bet, which earns -1/2: 1/2 less.
    After bet, player 1 plays fold 1/2 and call 1/2.
    After check, player 1 moves no more.
    >>> why.actions[1].loss
    Fraction(1, 2)
    """

    columns: ClassVar[tuple[str, ...]] = (
        *("player", "infoset", "label", "reach", "reach_float", "action", "probability", "probability_float"),
        *("value", "value_float", "best", "best_float", "loss", "loss_float"),
    )

    player: int
    infoset: int | None
    label: str
    names: tuple[str, str]
    reach: Fraction
    own_reach: Fraction | None
    other_reach: Fraction
    dealt: bool
    ground: Ground | None
    nodes: tuple[NodeBelief, ...]
    actions: tuple[ActionWorth, ...]
    any_belief: bool
    revisited: bool
    rounded: bool = False
    locked: bool = False

    @property
    def value(self) -> Fraction | None:
        """The player's expected payoff if play reaches the set, or None if the payoff depends on an unknown belief."""
        worth = [(a.probability, a.value) for a in self.actions if a.probability]
        if any(value is None for _, value in worth):
            return None
        return sum((p * value for p, value in worth if value is not None), Fraction(0))

    @property
    def stake(self) -> Fraction:
        """Importance of the choice for the expected payoff: ``reach`` times the greatest loss of the set's actions."""
        losses = [a.loss for a in self.actions if a.loss is not None and not self.locked]
        return self.reach * max(losses, default=Fraction(0))

    @property
    def mistakes(self) -> tuple[ActionWorth, ...]:
        """Played actions that earn less than another action; none if the player has no choice."""
        return tuple(a for a in self.actions if a.probability and a.loss and not self.locked)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of CSV output, one for each action. Players and information sets count from 1."""
        place = {"player": self.player + 1, "infoset": from_one(self.infoset), "label": self.label}
        return [
            {**place, **in_both_forms("reach", self.reach), "action": a.action}
            | in_both_forms("probability", a.probability)
            | in_both_forms("value", a.value)
            | in_both_forms("best", a.best)
            | in_both_forms("loss", a.loss)
            for a in self.actions
        ]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The explanation in sentences of plain words."""
        candidates = [self._arrival(), self._believed(), self._choice(), self._indifference(), *self._afterwards()]
        return tuple(sentence for sentence in candidates if sentence)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def __repr__(self) -> str:
        label = f" {self.label!r}" if self.label else ""
        return f"<Explanation of information set{numbered(self.infoset)}{label} of player {self.player + 1}>"

    # -- sentences -------------------------------------------------------------------------------

    def _arrival(self) -> str:
        label = f" ({printable(self.label)!r})" if self.label else ""
        me, other = self.names[self.player], self.names[1 - self.player]
        named = repr(printable(self.label)) if self.infoset is None else f"information set {self.infoset + 1}{label}"
        place = f"{_capital(me)} at {named}"
        if self.revisited:
            often = self._number(self.reach)
            return f"{place}: play comes here {often} times on average, and may come here twice in one play."
        if self.reach:
            return f"{place}: play comes here with probability {self._number(self.reach)}."
        if not self.dealt:
            return f"{place}: play never comes here, as chance never leads here."
        never = [me] * (self.own_reach == 0) + [other] * (self.own_reach is not None and not self.other_reach)
        who = f", as {' and '.join(never)} never {'play' if len(never) > 1 else 'plays'} towards it" if never else ""
        return f"{place}: play never comes here{who}."

    def _believed(self) -> str:
        if self.ground is None:
            if self.revisited:
                return "The player does not know how often it has been here, so it has no belief to value actions with."
            if not self.dealt:
                return ""
            said = "Its belief is open: the strategies do not determine how likely its nodes are"
            return f"{said}. But for every belief, no other action earns more." if self.any_belief else f"{said}."
        if self.ground == "single node":
            return "It knows where it is."
        listed = [node for node in self.nodes if node.belief]
        listed.sort(key=lambda node: -(node.belief or 0))
        words = [_path(node.path) + (f" {self._number(node.belief)}" if node.belief != 1 else "") for node in listed]
        words = words[:_MOST_NODES]
        rest = len(listed) - _MOST_NODES
        words += [f"{rest} other nodes"] * (rest > 0)
        how = "by Bayes' rule" if self.ground == "Bayes" else "as the solution states, off the path"
        return f"It believes, {how}: {'; '.join(words)}."

    def _choice(self) -> str:
        played = [a for a in self.actions if a.probability]
        worth = {a.value for a in played}
        if self.locked:
            return self._lock(played)
        if len(played) == 1:
            (sole,) = played
            if len(self.actions) == 1:
                return f"It can only play {_named(sole)}{self._earning(sole)}."
            said = f"It plays {_named(sole)}{self._earning(sole)}."
            if sole.best is not None and sole.best != sole.value:
                said += f" If it played best replies later, it would earn {self._number(sole.best)}."
        elif len(worth) == 1 and not self.mistakes:
            each = "" if None in worth else f", each of which earns {self._number(played[0].value)}"
            said = f"It mixes {self._mixture(played)}{each}."
        else:
            said = f"It mixes {self._mixture(played)}."
            if None not in worth:
                said += f" It earns {', '.join(f'{self._number(a.value)} by {_named(a)}' for a in played)}."
        return said + self._alternatives(played)

    def _lock(self, played: Sequence[ActionWorth]) -> str:
        """State the probabilities of a player who has no choice, and the best action of a player who had one."""
        how = self._mixture(played) if len(played) > 1 else _named(played[0])
        said = f"It is locked here, so it has no choice: it plays {how}."
        if all(a.value is not None for a in played):
            said += f" It earns {' and '.join(f'{self._number(a.value)} by {_named(a)}' for a in played)}."
        if any(a.loss for a in played):
            best = [a for a in self.actions if a.loss == 0]
            most = self._number(best[0].value if best[0].best is None else best[0].best)
            said += f" Without the lock, {' or '.join(map(_named, best))} would earn {most}, the most."
        return said

    def _alternatives(self, played: Sequence[ActionWorth]) -> str:
        mistakes, others = self.mistakes, [a for a in self.actions if not a.probability]
        if mistakes:
            best = [a for a in self.actions if a.loss == 0]
            return "".join(
                f" Playing {_named(a)} is a mistake: it loses {self._number(a.loss)} against "
                f"{' or '.join(map(_named, best))}."
                for a in mistakes
            )
        known = [a for a in others if a.loss is not None]
        if known:
            losses = [(a.loss or Fraction(0), a) for a in known]
            loss, next_best = min(losses, key=lambda pair: pair[0])
            equal = [a for least, a in losses if least == loss]
            earned = next_best.value if next_best.best is None else next_best.best
            name = " or ".join(map(_named, equal))
            if not loss:
                return f" With {name} it would earn the same."
            return f" The next best is {name}, which earns {self._number(earned)}: {self._number(loss)} less."
        ranges = [
            f"{_named(a)} between {self._number(a.between[0])} and {self._number(a.between[1])}" for a in self.actions
        ]
        return f" The payoffs of actions depend on the belief: {', '.join(ranges)}." if self.dealt and others else ""

    def _indifference(self) -> str:
        played = [a for a in self.actions if a.probability]
        if self.locked or len(played) < 2 or self.mistakes or any(a.value is None for a in played):
            return ""
        return f"It is indifferent between them: how it mixes matters for what {self.names[1 - self.player]} does."

    def _afterwards(self) -> Iterator[str]:
        other = self.names[1 - self.player]
        for a in self.actions:
            if a.replies:
                yield f"After {_named(a)}, {other} plays {self._answer(a)}."
        silent = [_named(a) for a in self.actions if not a.replies]
        if silent:
            yield f"After {' or '.join(silent)}, {other} moves no more."

    def _number(self, number: Fraction | None) -> str:
        """Write a number as a fraction if the fraction is short and the profile is exact, else as a decimal."""
        if number is None:
            return ""
        return f"{as_float(number):.6g}" if self.rounded else in_few_digits(number)

    def _mixture(self, played: Sequence[ActionWorth]) -> str:
        return " and ".join(f"{_named(a)} {self._number(a.probability)}" for a in played)

    def _earning(self, action: ActionWorth) -> str:
        return "" if action.value is None else f", which earns {self._number(action.value)}"

    def _moves(self, moves: Iterable[tuple[str, Fraction]]) -> str:
        return " and ".join(printable(label) + (f" {self._number(p)}" if p != 1 else "") for label, p in moves if p)

    def _answer(self, action: ActionWorth) -> str:
        """Describe the opponent's reply to an action. Name the opponent's next sets if they offer different actions."""
        alike = len({tuple(label for label, _ in reply.actions) for reply in action.replies}) == 1
        if alike and action.ends is not None and action.ends < 1:
            share: dict[str, Fraction] = {}
            for reply in action.replies:
                for label, p in reply.actions:
                    share[label] = share.get(label, Fraction(0)) + p * (reply.probability or 0) / (1 - action.ends)
            rest = f", unless the game has ended ({self._number(action.ends)})" if action.ends else ""
            return f"{self._moves(share.items())}{rest}"
        labels = [reply.label for reply in action.replies]
        parts = []
        for reply in action.replies[:_MOST_NODES]:
            alone = reply.label and labels.count(reply.label) == 1
            place = printable(reply.label) if alone else f"information set{numbered(reply.infoset)}"
            parts.append(f"{self._moves(reply.actions)} at {place}")
        return "; ".join([*parts, *["..."] * (len(action.replies) > _MOST_NODES)])


class Explanations(tuple[Explanation, ...], Tabular):
    """Explanations of a list of information sets, the most important first.

    Examples
    --------
    >>> import tremble
    >>> found = tremble.solve(tremble.load("kuhn"), "quasi-perfect").explain()
    >>> len(found), found[0].label
    (10, 'J:b')
    """

    __slots__ = ()
    columns: ClassVar[tuple[str, ...]] = Explanation.columns

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of CSV output for all explanations."""
        return [row for each in self for row in each.to_rows()]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self)) or "Play reaches none of these information sets; explain one by its name."

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} information sets>"


# -- words -------------------------------------------------------------------------------------------


def _named(action: ActionWorth) -> str:
    return printable(action.action)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _path(path: Path) -> str:
    return f"after {' / '.join(map(printable, path))}" if path else "at the root"
