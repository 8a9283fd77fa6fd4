"""What strategies of any number of players earn in an ordered game, and what one player could earn against the others.

An equilibrium of more than two players is not computed here. But a profile from anywhere can be judged after the fact:
with the others fixed, a player has a decision problem, whose best answer is exact and found by going up the tree once.
What each player would gain by it says how far the profile is from an equilibrium.

References
----------
A. Gilpin and T. Sandholm, "Finding equilibria in large sequential games of imperfect information", EC 2006, section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.errors import GameError, TooLargeError
from tremble.game.protocol import CHANCE, TERMINAL, require_callable
from tremble.numbers import exact_numbers, require_lists, required_integer, required_max_nodes
from tremble.poker.game import OrderedGame
from tremble.poker.soundness import require_sound
from tremble.value import Value

__all__ = ["BehaviorRule", "ExPost", "ex_post"]

Number = Fraction | int
BehaviorRule = Mapping[str, Sequence[Number]] | Callable[[str, tuple[str, ...]], Sequence[Number]]
"""Probabilities of the actions at an information set: by its text, or a function of the text and the actions."""


@dataclass(frozen=True, eq=False, repr=False)
class ExPost(Value):
    """A profile, judged with all players but one fixed.

    Attributes
    ----------
    player : int
        Who is free to deviate, from 0.
    payoffs : tuple of Fraction
        Expected payoffs of all players.
    best_value : Fraction
        What the player earns with its best response to the others.
    best : mapping
        Text of each information set that can be reached against the others -> action of a best response.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("jk_four_cards").rules
    >>> ex_post(game, [lambda infoset, actions: [0, 1]] * 2, 0).gain  # jacks should not bet and call
    Fraction(1, 6)
    """

    player: int
    payoffs: tuple[Fraction, ...]
    best_value: Fraction
    best: Mapping[str, str]

    @property
    def gain(self) -> Fraction:
        """By deviating."""
        return self.best_value - self.payoffs[self.player]


def ex_post(game: OrderedGame, profile: Sequence[BehaviorRule], player: int, *, max_nodes: int = 2_000_000) -> ExPost:
    """What a profile earns, and what one player could earn against the others; exact, for any number of players.

    Parameters
    ----------
    game : OrderedGame
    profile : sequence
        For each player a mapping from information sets, as ``game.infoset`` calls them, to probabilities of the
        actions; or a function of the text and the labels of the actions. Probabilities are ``int`` or ``Fraction``.
    player : int
        Who is free to deviate, from 0.
    max_nodes : int
        More histories than this raise ``TooLargeError``.

    Raises
    ------
    GameError
        It is no ordered game, there is a player too many or too few, or what a rule says is no probability
        distribution; names the information set.

    Examples
    --------
    >>> import tremble
    >>> kuhn = tremble.load_rules("kuhn").rules.ordered()
    >>> def timid(infoset, actions):
    ...     return [1, 0]
    >>> found = ex_post(kuhn, [timid, timid], 0)
    >>> found.payoffs, found.gain, found.best
    ((Fraction(0, 1), Fraction(0, 1)), Fraction(1, 1), {'J': 'bet', 'Q': 'bet', 'K': 'check'})
    """
    require_sound(game)
    require_lists(profile, 1, "a profile")
    for k, rule in enumerate(profile, 1):
        if not isinstance(rule, Mapping):
            require_callable(rule, f"a strategy that is no mapping (that of player {k})")
    player, most = required_integer(player, "a player"), required_max_nodes(max_nodes)
    if len(profile) != game.num_players:
        raise GameError(f"a profile has a strategy for each of {game.num_players} players, not {len(profile)}")
    if not 0 <= player < game.num_players:
        raise GameError(f"players are numbered from 0 to {game.num_players - 1}; there is no player {player!r:.20}")
    walk = _Walk(game, profile, player, most)
    best_value, best = walk.best_response()
    return ExPost(player, walk.payoffs, best_value, best)


class _Walk:
    """All histories that the others and chance let happen, level by level."""

    def __init__(self, game: OrderedGame, profile: Sequence[BehaviorRule], player: int, max_nodes: int) -> None:
        self.levels: list[list[_Node]] = [[_Node(0, 0, Fraction(1), Fraction(1), game.root())]]
        earned = [Fraction(0)] * game.num_players
        rows: dict[tuple[int, str], tuple[Fraction, ...]] = {}
        count = 0
        while self.levels[-1]:
            count += len(self.levels[-1])
            if count > max_nodes:
                raise TooLargeError(f"the game has more than {max_nodes:,} histories; max_nodes allows more")
            below: list[_Node] = []
            for place, node in enumerate(self.levels[-1]):
                h, mover = node.history, game.player(node.history)
                if mover == TERMINAL:
                    paid = exact_numbers(game.payoff(h), "the payoff")
                    if len(paid) != game.num_players:
                        raise GameError(f"a leaf has {len(paid)} payoffs, but there are {game.num_players} players")
                    for k, payoff in enumerate(paid):
                        earned[k] += node.others * node.own * payoff
                    node.value = node.others * paid[player]
                    continue
                if mover == CHANCE:
                    row: Sequence[Fraction] = game.chance(h)
                else:
                    key = mover, game.infoset(h)
                    if key not in rows:
                        rows[key] = _row(profile[mover], *key, game.actions(h))
                    row = rows[key]
                own = mover == player
                if own:
                    node.infoset, node.actions = game.infoset(h), game.actions(h)
                for i, probability in enumerate(row):
                    others = node.others if own else node.others * probability
                    if others:
                        reached = node.own * probability if own else node.own
                        below.append(_Node(place, i, others, reached, game.child(h, i)))
            self.levels.append(below)
        self.payoffs = tuple(earned)

    def best_response(self) -> tuple[Fraction, dict[str, str]]:
        """Its value and its actions; information sets are chosen for from the ends of the game upwards."""
        best: dict[str, str] = {}
        for above, level in zip(reversed(self.levels[:-1]), reversed(self.levels[1:]), strict=True):
            totals = {node.infoset: [Fraction(0)] * len(node.actions) for node in above if node.infoset is not None}
            for node in level:
                infoset = above[node.parent].infoset
                if infoset is not None:
                    totals[infoset][node.action] += node.value
            chosen = {infoset: total.index(max(total)) for infoset, total in totals.items()}
            for node in level:
                infoset = above[node.parent].infoset
                if infoset is None or chosen[infoset] == node.action:
                    above[node.parent].value += node.value
            actions = {node.infoset: node.actions for node in above}
            best = {infoset: actions[infoset][choice] for infoset, choice in chosen.items()} | best
        return self.levels[0][0].value, best


@dataclass
class _Node:
    parent: int  # in the level above
    action: int
    others: Fraction  # chance and the other players lead here with this probability
    own: Fraction  # the player does
    history: Any
    value: Fraction = Fraction(0)  # what the player earns here at best, times others
    infoset: str | None = None  # of the player
    actions: tuple[str, ...] = ()


def _row(rule: BehaviorRule, player: int, infoset: str, actions: tuple[str, ...]) -> tuple[Fraction, ...]:
    """What a player does at an information set."""
    where = f"player {player + 1} at {infoset!r}"
    if isinstance(rule, Mapping):
        if infoset not in rule:
            raise GameError(f"the profile does not say what {where} does")
        said = rule[infoset]
    else:
        said = rule(infoset, actions)
    row = tuple(map(Fraction, exact_numbers(said, f"a probability of {where}:")))
    if len(row) != len(actions) or min(row) < 0 or sum(row) != 1:
        text = ", ".join(map(str, row))
        raise GameError(
            f"{where} needs {len(actions)} probabilities that sum to 1 for {', '.join(actions)}, not {text}"
        )
    return row
