r"""Why a player plays so: how often play comes to an information set, the belief there, what each action is worth.

Let I be an information set of player i, c(h) the probability that chance plays towards a node h of I, and x(h), y(h)
those of i and of the other player. With perfect recall x is the same at all nodes of I, and

.. math::  \mu(h) = \frac{c(h)\, y(h)}{\sum_{h' \in I} c(h')\, y(h')}

is the belief by Bayes' rule, also where only the player's own play never comes. A player who forgets has the belief
:math:`c\, x\, y` over its sum. Where the sum is 0 the strategies leave the belief open: then it is the one that a
solution states, such as a sequential equilibrium, if it states one. At a set of a single node it is 1.

With :math:`V_i(h)` what i earns from h on as both play, the value of an action a is :math:`\sum_h \mu(h)\, V_i(ha)`,
which is Gambit's, too: both go on as the profile says. What a best reply earns after a is
:math:`Q(I, a) / \sum_h c(h)\, y(h)`, with Q the values of sequences from
:func:`tremble.model.evaluation.values_against`. The loss of an action is what this falls short of that of the best
action; without Q, what its value falls short of the greatest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

from tremble.base.exact_numbers import required_integer, shorten
from tremble.base.shown import Shown
from tremble.base.tabular import Tabular, in_both_forms
from tremble.base.value import Value
from tremble.errors import GameError
from tremble.model.evaluation import move_probabilities, node_values, values_against
from tremble.model.game import CHANCE, TERMINAL
from tremble.model.printable import printable
from tremble.model.recall import first_revisit, parent_sequence
from tremble.model.strategy import BehaviorStrategy
from tremble.model.tree import GameTree, require_player
from tremble.solution.claim import Beliefs
from tremble.solution.places import find_set

__all__ = ["NOT_EXPLAINED", "ActionWorth", "Assessment", "Explanation", "Explanations", "NodeBelief", "Reply"]

NOT_EXPLAINED = (
    "only the strategies of a tree can be explained, and this game is not built: build it if it is small enough "
    "(tremble.build(rules), --max-nodes) and solve that; tremble play shows what single moves cost in the game as it is"
)

Path = tuple[str, ...]
Ground = Literal["Bayes", "stated", "single node"]

_MOST_NODES = 8  # of a set, in sentences
_ONE = Fraction(1)


@dataclass(frozen=True, eq=False, repr=False)
class Reply(Value):
    """What the other player does at the information set that it comes to next.

    Attributes
    ----------
    infoset : int
        Index of the set, from 0.
    label : str
    probability : Fraction or None
        That it is the next one of the other player; None where the belief is open.
    actions : tuple of (label, probability)

    Examples
    --------
    >>> import tremble
    >>> reply = tremble.solve(tremble.load("kuhn"), "quasi-perfect").explain("Q:").actions[0].replies[0]
    >>> reply.label, reply.probability
    ('K:c', Fraction(1, 2))
    """

    infoset: int
    label: str
    probability: Fraction | None
    actions: tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, eq=False, repr=False)
class ActionWorth(Value):
    """What an action is worth at an information set, in payoffs of the player each time that play comes there.

    Attributes
    ----------
    action : str
    probability : Fraction
        With which it is played.
    value : Fraction or None
        Earned if both go on as the profile says; None where it depends on an open belief.
    best : Fraction or None
        Earned if the player goes on with a best reply; None where chance and the other player never come, or the player
        forgets.
    loss : Fraction or None
        How much less that is than the best action earns; without ``best``, how much less the value is.
    between : pair of Fraction
        The least and the greatest value, whatever the player believes.
    ends : Fraction or None
        Probability that the game ends before the other player moves again; None where the belief is open.
    replies : tuple of Reply
        What the other player does next, set by set.

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
    """A node of an information set.

    Attributes
    ----------
    path : tuple of str
        Action labels from the root.
    reach : Fraction
        Probability that play comes here.
    belief : Fraction or None
    values : pair of Fraction
        What players 1 and 2 earn from here on, as both play.

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
    """Why a player plays as it does at an information set. Printed, it is a few sentences.

    Attributes
    ----------
    player, infoset : int
        Both from 0.
    label : str
        Of the set.
    names : pair of str
        What the players are called.
    reach : Fraction
        Probability that play comes here (of a player who comes twice in one play: how often).
    own_reach : Fraction or None
        Probability that the player plays towards the set; None if it forgets what it did, and that differs by node.
    other_reach : Fraction
        Probability that chance and the other player do (of a player who forgets: summed over the nodes).
    dealt : bool
        Whether chance ever comes here.
    ground : {"Bayes", "stated", "single node"} or None
        What the belief rests on; None where it is open.
    nodes : tuple of NodeBelief
        In depth-first order.
    actions : tuple of ActionWorth
    any_belief : bool
        Whether no action that is played is worse at any node that chance reaches than another one: then it is right
        whatever the player believes.
    revisited : bool
        Whether one play may come here twice, as the player is absentminded: then there are no beliefs.

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
    infoset: int
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

    @property
    def value(self) -> Fraction | None:
        """What the player earns from here on each time that play comes here; None where that is open."""
        worth = [(a.probability, a.value) for a in self.actions if a.probability]
        if any(value is None for _, value in worth):
            return None
        return sum((p * value for p, value in worth if value is not None), Fraction(0))

    @property
    def stake(self) -> Fraction:
        """How much the choice matters to the expected payoff: the reach, times best minus worst action."""
        losses = [a.loss for a in self.actions if a.loss is not None]
        return self.reach * max(losses, default=Fraction(0))

    @property
    def mistakes(self) -> tuple[ActionWorth, ...]:
        """Actions that are played though another one earns more."""
        return tuple(a for a in self.actions if a.probability and a.loss)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each action: those of CSV output. Players and information sets count from 1."""
        place = {"player": self.player + 1, "infoset": self.infoset + 1, "label": self.label}
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
        """The explanation in plain words."""
        said = [self._arrival(), self._believed(), self._choice(), self._indifference(), *self._afterwards()]
        return tuple(sentence for sentence in said if sentence)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def __repr__(self) -> str:
        label = f" {self.label!r}" if self.label else ""
        return f"<Explanation of information set {self.infoset + 1}{label} of player {self.player + 1}>"

    # -- sentences -------------------------------------------------------------------------------

    def _arrival(self) -> str:
        label = f" ({printable(self.label)!r})" if self.label else ""
        me, other = self.names[self.player], self.names[1 - self.player]
        place = f"{_capital(me)} at information set {self.infoset + 1}{label}"
        if self.revisited:
            return f"{place}: play comes here {_said(self.reach)} times on average, twice in one play if it happens so."
        if self.reach:
            return f"{place}: play comes here with probability {_said(self.reach)}."
        if not self.dealt:
            return f"{place}: play never comes here, as chance does not."
        never = [me] * (self.own_reach == 0) + [other] * (self.own_reach is not None and not self.other_reach)
        who = f", as {' and '.join(never)} never {'play' if len(never) > 1 else 'plays'} towards it" if never else ""
        return f"{place}: play never comes here{who}."

    def _believed(self) -> str:
        if self.ground is None:
            if self.revisited:
                return "The player does not know how often it has been here: it has no belief to weigh actions with."
            if not self.dealt:
                return ""
            said = "Its belief is open: the strategies say nothing of how likely its nodes are"
            return f"{said}, and whatever it believes, no other action earns more." if self.any_belief else f"{said}."
        if self.ground == "single node":
            return "It knows where it is."
        listed = [node for node in self.nodes if node.belief]
        listed.sort(key=lambda node: -(node.belief or 0))
        words = [_path(node.path) + (f" {_said(node.belief)}" if node.belief != 1 else "") for node in listed]
        words = words[:_MOST_NODES]
        rest = len(listed) - _MOST_NODES
        words += [f"{rest} other nodes"] * (rest > 0)
        how = "by Bayes' rule" if self.ground == "Bayes" else "as the solution states, off the path"
        return f"It believes, {how}: {'; '.join(words)}."

    def _choice(self) -> str:
        played = [a for a in self.actions if a.probability]
        worth = {a.value for a in played}
        if len(played) == 1:
            (sole,) = played
            if len(self.actions) == 1:
                return f"It can only play {_named(sole)}{_earning(sole)}."
            said = f"It plays {_named(sole)}{_earning(sole)}."
            if sole.best is not None and sole.best != sole.value:
                said += f" With best replies later on it could earn {_said(sole.best)}."
        elif len(worth) == 1 and not self.mistakes:
            each = "" if None in worth else f", each of which earns {_said(played[0].value)}"
            said = f"It mixes {_mixture(played)}{each}."
        else:
            said = f"It mixes {_mixture(played)}."
            if None not in worth:
                said += f" It earns {', '.join(f'{_said(a.value)} by {_named(a)}' for a in played)}."
        return said + self._alternatives(played)

    def _alternatives(self, played: Sequence[ActionWorth]) -> str:
        mistakes, others = self.mistakes, [a for a in self.actions if not a.probability]
        if mistakes:
            best = [a for a in self.actions if a.loss == 0]
            return "".join(
                f" By {_named(a)} it loses {_said(a.loss)} against {' or '.join(map(_named, best))}: a mistake."
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
                return f" By {name} it would earn the same."
            return f" The next best is {name}, which earns {_said(earned)}: {_said(loss)} less."
        ranges = [f"{_named(a)} between {_said(a.between[0])} and {_said(a.between[1])}" for a in self.actions]
        return f" It depends on the belief what actions earn: {', '.join(ranges)}." if self.dealt and others else ""

    def _indifference(self) -> str:
        played = [a for a in self.actions if a.probability]
        if len(played) < 2 or self.mistakes or any(a.value is None for a in played):
            return ""
        return f"It is indifferent between them: how it mixes matters for what {self.names[1 - self.player]} does."

    def _afterwards(self) -> Iterator[str]:
        other = self.names[1 - self.player]
        for a in self.actions:
            if a.replies:
                yield f"After {_named(a)}, {other} plays {_answer(a)}."
        silent = [_named(a) for a in self.actions if not a.replies]
        if silent:
            yield f"After {' or '.join(silent)}, {other} moves no more."


class Explanations(tuple[Explanation, ...], Tabular, Shown):
    """Explanations of several information sets, the one that matters most first.

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
        """The rows of all: those of CSV output."""
        return [row for each in self for row in each.to_rows()]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self)) or "Play reaches no such information set; name one to have it explained."

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} information sets>"


# -- words -------------------------------------------------------------------------------------------


def _said(number: Fraction | None) -> str:
    return "" if number is None else shorten(number)


def _named(action: ActionWorth) -> str:
    return printable(action.action)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _mixture(played: Sequence[ActionWorth]) -> str:
    return " and ".join(f"{_named(a)} {_said(a.probability)}" for a in played)


def _earning(action: ActionWorth) -> str:
    return "" if action.value is None else f", which earns {_said(action.value)}"


def _path(path: Path) -> str:
    return f"after {' / '.join(map(printable, path))}" if path else "at the root"


def _moves(moves: Iterable[tuple[str, Fraction]]) -> str:
    return " and ".join(printable(label) + (f" {_said(p)}" if p != 1 else "") for label, p in moves if p)


def _answer(action: ActionWorth) -> str:
    """What the other player does after an action: over all sets that look alike, or set by set."""
    alike = len({tuple(label for label, _ in reply.actions) for reply in action.replies}) == 1
    if alike and action.ends is not None and action.ends < 1:
        share: dict[str, Fraction] = {}
        for reply in action.replies:
            for label, p in reply.actions:
                share[label] = share.get(label, Fraction(0)) + p * (reply.probability or 0) / (1 - action.ends)
        rest = f", unless the game has ended ({_said(action.ends)})" if action.ends else ""
        return f"{_moves(share.items())}{rest}"
    labels = [reply.label for reply in action.replies]
    parts = []
    for reply in action.replies[:_MOST_NODES]:
        alone = reply.label and labels.count(reply.label) == 1
        place = printable(reply.label) if alone else f"information set {reply.infoset + 1}"
        parts.append(f"{_moves(reply.actions)} at {place}")
    return "; ".join([*parts, *["..."] * (len(action.replies) > _MOST_NODES)])


# -- what is behind it -------------------------------------------------------------------------------


class Assessment:
    """A profile on its tree, with the beliefs that a solution states; explains one information set after the other.

    Parameters
    ----------
    tree : GameTree
    profile : pair of BehaviorStrategy
        Floats are taken to the last bit.
    beliefs : pair of tuples of BeliefRow, optional
        Used where the strategies leave the belief open.
    """

    def __init__(
        self, tree: GameTree, profile: tuple[BehaviorStrategy, BehaviorStrategy], beliefs: Beliefs | None = None
    ) -> None:
        self.tree, self.profile = tree, profile
        self._stated = [{row.infoset: row.nodes for row in rows} for rows in beliefs or ((), ())]
        self._rows = tuple([[Fraction(p) for p in row] for row in strategy] for strategy in profile)
        self._against: dict[int, tuple[list[Any], Fraction]] = {}
        self._absentminded: dict[int, bool] = {}

    # -- passes over the tree --------------------------------------------------------------------

    @cached_property
    def _share(self) -> list[Fraction]:
        return move_probabilities(self.tree, self.profile)

    @cached_property
    def _values(self) -> tuple[list[Fraction], list[Fraction]]:
        one, two = (node_values(self.tree, player, self._share) for player in (0, 1))
        return one, two

    @cached_property
    def _towards(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """Probability that chance, player 1 and player 2 play towards each node."""
        tree, share = self.tree, self._share
        towards = [(_ONE, _ONE, _ONE)] * tree.num_nodes
        movers, parent = tree.player.tolist(), tree.parent.tolist()
        for node in range(1, tree.num_nodes):
            chance, one, two = towards[parent[node]]
            mover, p = movers[parent[node]], share[node]
            if p != 1:
                towards[node] = (
                    (chance * p, one, two)
                    if mover == CHANCE
                    else (chance, one * p, two)
                    if mover == 0
                    else (chance, one, two * p)
                )
            else:
                towards[node] = chance, one, two
        return towards

    @cached_property
    def _nodes(self) -> tuple[list[list[int]], list[list[int]]]:
        """The nodes of each information set of both players, in depth-first order."""
        tree = self.tree
        own: tuple[list[list[int]], list[list[int]]] = ([], [])
        for player in (0, 1):
            own[player].extend([] for _ in range(tree.num_infosets[player]))
        for node in tree.in_preorder.tolist():
            if tree.player[node] >= 0:
                own[int(tree.player[node])][int(tree.infoset[node])].append(node)
        return own

    def _best(self, player: int) -> tuple[list[Any], Fraction]:
        """What each sequence earns if a best response follows, and the unit of these numbers."""
        if player not in self._against:
            values, unit = values_against(self.tree, self.profile[1 - player])
            self._against[player] = values, Fraction(unit)
        return self._against[player]

    def place(self, infoset: str | int, player: int | None = None) -> tuple[int, int]:
        """Player and index of an information set: see :func:`~tremble.solution.places.find_set`."""
        return find_set(self.tree, infoset, player)

    # -- explanations ----------------------------------------------------------------------------

    def most_at_stake(self, most: int, player: int | None = None) -> Explanations:
        """The sets, of one player or both, that play reaches at which most is at stake: the greatest stake first."""
        if required_integer(most, "most, the number of sets,") < 1:
            raise GameError(f"at least one set is explained, not {most}")
        stakes = []
        if player is not None:
            require_player(player)
        for i in (0, 1) if player is None else (player,):
            for k in range(self.tree.num_infosets[i]):
                reach = self._reach(i, k)
                if reach:
                    losses = [a.loss for a in self._actions(i, k, replies=False) if a.loss is not None]
                    stakes.append((-reach * max(losses, default=Fraction(0)), -reach, i, k))
        return Explanations(self.explained(i, k) for *_, i, k in sorted(stakes)[:most])

    def every(self) -> Iterator[Explanation]:
        """All sets, player 1's first, without replies."""
        for player in (0, 1):
            for k in range(self.tree.num_infosets[player]):
                yield self.explained(player, k, replies=False)

    @property
    def values(self) -> tuple[Fraction, Fraction]:
        """Expected payoffs of both players."""
        return self._values[0][0], self._values[1][0]

    def _reach(self, player: int, k: int) -> Fraction:
        return sum(map(self._reached, self._nodes[player][k]), Fraction(0))

    def _reached(self, node: int) -> Fraction:
        chance, one, two = self._towards[node]
        return chance * one * two

    def explained(self, player: int, k: int, *, replies: bool = True) -> Explanation:
        """One information set; without ``replies``, which take longest, if they are not wanted."""
        tree, (nodes, chance, own, other) = self.tree, self._arrivals(player, k)
        belief, ground = self._belief(player, k)
        actions, twice = self._actions(player, k, replies=replies), self._comes_twice(player, nodes)
        played = [a for a, action in enumerate(actions) if action.probability]
        worth = [[self._values[player][child] for child in tree.children(node)] for node in self._dealt(player, k)]
        return Explanation(
            player=player,
            infoset=k,
            label=tree.infoset_labels[player][k],
            names=(_player(tree, 0), _player(tree, 1)),
            reach=self._reach(player, k),
            own_reach=own[0] if len(set(own)) == 1 else None,
            other_reach=sum((c * y for c, y in zip(chance, other, strict=True)), Fraction(0)),
            dealt=any(chance),
            ground=ground,
            nodes=tuple(
                NodeBelief(
                    tree.path(node),
                    self._reached(node),
                    None if belief is None else belief[i],
                    (self._values[0][node], self._values[1][node]),
                )
                for i, node in enumerate(nodes)
            ),
            actions=actions,
            revisited=twice,
            any_belief=not twice and all(row[a] == max(row) for row in worth for a in played),
        )

    def _arrivals(self, player: int, k: int) -> tuple[list[int], list[Fraction], list[Fraction], list[Fraction]]:
        """The nodes of a set, and the probabilities that chance, its player and the other one play towards each."""
        nodes = self._nodes[player][k]
        chance, own, other = ([self._towards[node][who] for node in nodes] for who in (0, 1 + player, 2 - player))
        return nodes, chance, own, other

    def _dealt(self, player: int, k: int) -> list[int]:
        """The nodes of a set that chance reaches; all if it reaches none."""
        nodes, chance, _, _ = self._arrivals(player, k)
        return [node for node, c in zip(nodes, chance, strict=True) if c] or nodes

    def _comes_twice(self, player: int, nodes: list[int]) -> bool:
        """Whether a path comes to the set twice."""
        if player not in self._absentminded:
            self._absentminded[player] = first_revisit(self.tree, player) is not None
        own = set(nodes)
        for node in nodes if self._absentminded[player] else ():
            while node:
                node = int(self.tree.parent[node])
                if node in own:
                    return True
        return False

    def _weights(self, player: int, k: int) -> list[Fraction]:
        """What Bayes' rule weighs the nodes of a set with."""
        _, chance, own, other = self._arrivals(player, k)
        if parent_sequence(self.tree, player) is None:
            return [c * x * y for c, x, y in zip(chance, own, other, strict=True)]
        return [c * y for c, y in zip(chance, other, strict=True)]

    def _belief(self, player: int, k: int) -> tuple[list[Fraction] | None, Ground | None]:
        nodes = self._nodes[player][k]
        if self._comes_twice(player, nodes):
            return None, None
        if len(nodes) == 1:
            return [_ONE], "single node"
        weights = self._weights(player, k)
        whole = sum(weights)
        if whole:
            return [w / whole for w in weights], "Bayes"
        stated = dict(self._stated[player].get(k, ()))
        said = [stated.get(self.tree.path(node), Fraction(0)) for node in nodes] if stated else []
        if len(stated) == len(nodes) and sum(said) == 1 and min(said) >= 0:
            return said, "stated"
        return None, None

    @property
    def values_by_node(self) -> tuple[list[Fraction], list[Fraction]]:
        """What both players earn from each node on."""
        return self._values

    def beliefs_at(self, player: int, k: int) -> tuple[dict[int, Fraction], bool]:
        """The belief at an information set, node by node, and whether it is stated; empty where it is open."""
        belief, ground = self._belief(player, k)
        return dict(zip(self._nodes[player][k], belief or (), strict=False)), ground == "stated"

    def _actions(self, player: int, k: int, *, replies: bool) -> tuple[ActionWorth, ...]:
        tree, values, row = self.tree, self._values[player], self._rows[player][k]
        nodes, (belief, _) = self._nodes[player][k], self._belief(player, k)
        twice, dealt = self._comes_twice(player, nodes), self._dealt(player, k)
        value: list[Fraction | None] = []
        between = []
        for a in range(len(row)):
            after = [values[tree.children(node)[a]] for node in dealt]
            between.append((min(after), max(after)))
            if belief is not None:
                mixed = (mu * values[tree.children(node)[a]] for node, mu in zip(nodes, belief, strict=True) if mu)
                value.append(sum(mixed, Fraction(0)))
            else:
                value.append(after[0] if len(set(after)) == 1 and not twice else None)
        best: list[Fraction | None] = [None] * len(row)
        remembers = parent_sequence(tree, player) is not None
        arrival = sum(self._weights(player, k), Fraction(0)) if remembers else Fraction(0)
        if arrival:
            known, unit = self._best(player)
            first = int(tree.slot_start[player][k]) + 1
            best = [Fraction(known[first + a]) * unit / arrival for a in range(len(row))]
        measure = best if arrival else value
        most = None if None in measure else max(m for m in measure if m is not None)
        result = []
        for a, label in enumerate(tree.actions[player][k]):
            ends, after_it = self._replies(player, k, a, belief) if replies else (None, ())
            worth = measure[a]
            loss = None if most is None or worth is None else most - worth
            result.append(ActionWorth(label, row[a], value[a], best[a], loss, between[a], ends, after_it))
        return tuple(result)

    def _replies(
        self, player: int, k: int, a: int, belief: list[Fraction] | None
    ) -> tuple[Fraction | None, tuple[Reply, ...]]:
        """Where the other player moves next after an action, and how."""
        tree, ends = self.tree, Fraction(0)
        next_sets: dict[int, Fraction] = {}
        nodes = self._dealt(player, k) if belief is None else self._nodes[player][k]
        weights = belief or [_ONE] * len(nodes)
        stack = [(tree.children(node)[a], mu) for node, mu in zip(nodes, weights, strict=True) if mu]
        while stack:
            node, p = stack.pop()
            mover = int(tree.player[node])
            if mover == TERMINAL:
                ends += p
            elif mover == 1 - player:
                met = int(tree.infoset[node])
                next_sets[met] = next_sets.get(met, Fraction(0)) + p
            else:
                stack += [(child, p * self._share[child]) for child in tree.children(node) if self._share[child]]
        there = tree.actions[1 - player]
        found = tuple(
            Reply(
                met,
                tree.infoset_labels[1 - player][met],
                None if belief is None else p,
                tuple(zip(there[met], self._rows[1 - player][met], strict=True)),
            )
            for met, p in sorted(next_sets.items())
        )
        return (None if belief is None else ends), found


def _player(tree: GameTree, player: int) -> str:
    """What a sentence calls a player: by its name if it has one."""
    name = printable(tree.players[player])
    return f"player {player + 1}" if name in ("", str(player + 1), f"Player {player + 1}") else name
