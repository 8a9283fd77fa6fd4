"""Evaluation of strategy profiles in ordered games with any number of players.

Equilibria of more than two players are not computed here, but any given profile can be evaluated (*ex post*). If the
other players' strategies are fixed, a player faces a decision problem. One backward pass through the tree solves it
exactly. The gain of each player's best response shows how far the profile is from an equilibrium.

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
from tremble.game.labels import require_callable
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.numbers import exact_numbers, require_lists, required_integer, required_max_nodes
from tremble.poker.game import OrderedGame
from tremble.poker.soundness import require_sound
from tremble.value import Value

__all__ = ["BehaviorRule", "ExPost", "ex_post"]

Number = Fraction | int
BehaviorRule = Mapping[str, Sequence[Number]] | Callable[[str, tuple[str, ...]], Sequence[Number]]
"""A behavior strategy: a mapping from texts of information sets to probabilities, or a function (text, actions) ->
probabilities."""


@dataclass(frozen=True, eq=False, repr=False)
class ExPost(Value):
    """The payoffs of a profile, and one player's best response to it.

    Attributes
    ----------
    player : int
        The player who may deviate, from 0.
    payoffs : tuple of Fraction
        The expected payoffs of all players.
    best_value : Fraction
        The player's payoff with its best response to the others.
    best : mapping
        The action of a best response for each information set (by its text) that can be reached against the others.

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
        """The player's gain by deviating to its best response."""
        return self.best_value - self.payoffs[self.player]


def ex_post(game: OrderedGame, profile: Sequence[BehaviorRule], player: int, *, max_nodes: int = 2_000_000) -> ExPost:
    """Compute the exact payoffs of a profile and one player's best response, for any number of players.

    Parameters
    ----------
    game : OrderedGame
    profile : sequence
        For each player a mapping from information sets, as texts of ``game.infoset``, to the probabilities of the
        actions. Or a function that receives this text and the labels of the actions, and returns the probabilities.
        Probabilities are ``int`` or ``Fraction``.
    player : int
        The player who may deviate, from 0.
    max_nodes : int
        The largest number of histories that are visited.

    Raises
    ------
    GameError
        ``game`` is not an ordered game, the profile has too many or too few players, or a rule does not return a
        probability distribution. The message names the information set.
    TooLargeError
        The game has more than ``max_nodes`` histories.

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("jk_four_cards").rules
    >>> def timid(infoset, actions):
    ...     return [1, *[0] * (len(actions) - 1)]
    >>> found = ex_post(game, [timid, timid], 0)
    >>> found.payoffs, found.gain, found.best
    ((Fraction(0, 1), Fraction(0, 1)), Fraction(1, 1), {'J1': 'bet', 'J2': 'bet', 'K1': 'bet', 'K2': 'bet'})
    """
    require_sound(game)
    require_lists(profile, 1, "a profile")
    for k, rule in enumerate(profile, 1):
        if not isinstance(rule, Mapping):
            require_callable(rule, f"the strategy of player {k}, which is not a mapping,")
    player, most = required_integer(player, "a player"), required_max_nodes(max_nodes)
    if len(profile) != game.num_players:
        raise GameError(f"a profile has a strategy for each of {game.num_players} players, not {len(profile)}")
    if not 0 <= player < game.num_players:
        raise GameError(f"players are numbered from 0 to {game.num_players - 1}; there is no player {player!r:.20}")
    walk = _Walk(game, profile, player, most)
    best_value, best = walk.best_response()
    return ExPost(player, walk.payoffs, best_value, best)


class _Walk:
    """All histories that are possible against chance and the other players' strategies, level by level."""

    def __init__(self, game: OrderedGame, profile: Sequence[BehaviorRule], player: int, max_nodes: int) -> None:
        self.levels: list[list[_Node]] = [[_Node(0, 0, Fraction(1), Fraction(1), game.root())]]
        earned = [Fraction(0)] * game.num_players
        rows: dict[tuple[int, str], tuple[Fraction, ...]] = {}
        count = 0
        while self.levels[-1]:
            count += len(self.levels[-1])
            if count > max_nodes:
                raise TooLargeError(f"the game has more than {max_nodes:,} histories; raise max_nodes")
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
        """Compute the value and the actions of a best response, by backward induction."""
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
    parent: int  # position in the level above
    action: int
    others: Fraction  # probability that chance and the other players lead here
    own: Fraction  # probability that the player leads here
    history: Any
    value: Fraction = Fraction(0)  # the player's best payoff from here on, times `others`
    infoset: str | None = None  # the player's information set, if the player moves here
    actions: tuple[str, ...] = ()


def _row(rule: BehaviorRule, player: int, infoset: str, actions: tuple[str, ...]) -> tuple[Fraction, ...]:
    """Return a player's probabilities at an information set; raise ``GameError`` unless they are a distribution."""
    where = f"player {player + 1} at {infoset!r}"
    if isinstance(rule, Mapping):
        if infoset not in rule:
            raise GameError(f"the profile has no probabilities for {where}")
        given = rule[infoset]
    else:
        given = rule(infoset, actions)
    row = tuple(map(Fraction, exact_numbers(given, f"a probability of {where}:")))
    if len(row) != len(actions) or min(row) < 0 or sum(row) != 1:
        text = ", ".join(map(str, row))
        raise GameError(
            f"{where} needs {len(actions)} probabilities that sum to 1 for {', '.join(actions)}, not {text}"
        )
    return row
