"""Evaluation of strategy profiles in ordered games with any number of players.

For games with more than two players, the library computes no equilibria, but it can evaluate a given profile (*ex
post*). If the other players' strategies are fixed, a player has a decision problem. One backward pass through the tree
solves this decision problem exactly. The gain of each player's best response shows how far the profile is from an
equilibrium.

References
----------
A. Gilpin and T. Sandholm, "Finding equilibria in large sequential games of imperfect information", EC 2006, section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tremble.arguments import require_callable, require_lists, required_integer
from tremble.errors import GameError, TooLargeError
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.numbers import exact_numbers, required_max_nodes
from tremble.poker.game import OrderedGame
from tremble.poker.soundness import require_sound
from tremble.value import Value

__all__ = ["BehaviorRule", "ExPost", "ex_post"]

Number = Fraction | int
BehaviorRule = Mapping[str, Sequence[Number]] | Callable[[str, tuple[str, ...]], Sequence[Number]]
"""A behavior strategy: a mapping from labels of information sets to probabilities, or a function.

The function receives the label and the actions of an information set, and returns the probabilities of the actions.
"""


@dataclass(frozen=True, eq=False, repr=False)
class ExPost(Value):
    """The payoffs of a profile, and one player's best response to this profile.

    Attributes
    ----------
    player : int
        The index of the player who may deviate.
    payoffs : tuple of Fraction
        The expected payoffs of all players.
    best_value : Fraction
        The player's payoff if the player uses a best response to the other players.
    best : mapping
        A best response, which maps labels of information sets to labels of actions. The mapping contains every
        information set that the player can reach against the other players' strategies.

    Examples
    --------
    In this profile of the four-card game, both players always bet and call:

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
        """The payoff that the player gains by deviating to a best response."""
        return self.best_value - self.payoffs[self.player]


def ex_post(game: OrderedGame, profile: Sequence[BehaviorRule], player: int, *, max_nodes: int = 2_000_000) -> ExPost:
    """Compute the exact payoffs of a profile, and a best response of one player, for any number of players.

    Parameters
    ----------
    game : OrderedGame
    profile : sequence
        A strategy for each player. A strategy is a mapping from the labels of information sets to the probabilities of
        the actions. Labels are the results of ``game.infoset``. Instead of a mapping, a strategy can be a function that
        receives the label and the labels of the actions, and returns the probabilities. Probabilities are ``int`` or
        ``Fraction``.
    player : int
        The index of the player who may deviate.
    max_nodes : int
        The largest allowed number of visited histories.

    Raises
    ------
    GameError
        ``game`` is not an ordered game, the profile has a wrong number of strategies, or a strategy does not give a
        probability distribution. In the last case, the message names the information set.
    TooLargeError
        The computation would visit more than ``max_nodes`` histories.

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
        raise GameError(f"a profile needs {game.num_players} strategies, one for each player, not {len(profile)}")
    if not 0 <= player < game.num_players:
        raise GameError(f"players are numbered from 0 to {game.num_players - 1}; there is no player {player!r:.20}")
    walk = _Walk(game, profile, player, most)
    best_value, best = walk.best_response()
    return ExPost(player, walk.payoffs, best_value, best)


class _Walk:
    """The histories, by depth, that chance and the opponents of ``player`` reach with positive probability."""

    def __init__(self, game: OrderedGame, profile: Sequence[BehaviorRule], player: int, max_nodes: int) -> None:
        self.levels: list[list[_Node]] = [[_Node(0, 0, Fraction(1), Fraction(1), game.root())]]
        earned = [Fraction(0)] * game.num_players
        rows: dict[tuple[int, str], tuple[Fraction, ...]] = {}
        count = 0
        while self.levels[-1]:
            count += len(self.levels[-1])
            if count > max_nodes:
                raise TooLargeError(f"the game has more than {max_nodes:,} histories; increase max_nodes=")
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
    parent: int  # the position of the parent in the previous level
    action: int
    others: Fraction  # the product of the probabilities of all moves to this node by chance and the other players
    own: Fraction  # the product of the probabilities of the player's own moves to this node
    history: Any
    value: Fraction = Fraction(0)  # the player's best payoff from this node on, times `others`
    infoset: str | None = None  # the player's information set, if the player moves here
    actions: tuple[str, ...] = ()


def _row(rule: BehaviorRule, player: int, infoset: str, actions: tuple[str, ...]) -> tuple[Fraction, ...]:
    """Return the exact probabilities that a player's strategy ``rule`` assigns to the actions of an information set.

    Raises
    ------
    GameError
        The strategy has no probabilities for the information set, or the probabilities are not a distribution.
    """
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
            f"{where} needs {len(actions)} probabilities that sum to 1, for actions {', '.join(actions)}, not {text}"
        )
    return row
