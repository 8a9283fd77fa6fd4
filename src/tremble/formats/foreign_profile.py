"""Conversion of OpenSpiel's policies and Gambit's mixed profiles to strategies.

Both libraries mostly use floats. By default, floats become the simplest fractions nearby
(:mod:`tremble.formats.rounding`). If ``exact`` is true, each float becomes the fraction that it represents exactly.
Fractions stay unchanged. The module :mod:`tremble.formats.profile_of_others` converts in the opposite direction.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tremble.arguments import raised
from tremble.errors import GameError
from tremble.formats.foreign import game_of
from tremble.formats.openspiel import OpenSpielRules, require_same, rules_and_tree
from tremble.formats.profile import StatedProfile
from tremble.formats.rounding import Rounding, place
from tremble.formats.tables import table_of_rows
from tremble.formats.tolerance import repair_limit
from tremble.game.requirements import require_tree
from tremble.game.strategy import Profile
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair

__all__ = [
    "from_gambit_profile",
    "from_openspiel_policy",
    "is_gambit",
    "is_policy",
    "require_same_moves",
    "stated_by_gambit",
    "tables_of_policies",
]


def from_openspiel_policy(
    game: Any, policy: Any, *, exact: bool = False, repair_tolerance: Fraction | int | str | None = None
) -> Profile:
    """Convert a policy of OpenSpiel to exact strategies.

    Parameters
    ----------
    game : GameTree, str or pyspiel.Game
        A tree that was built from OpenSpiel, a text such as ``"kuhn_poker"``, or the game itself.
    policy : policy, or pair of policies
        One policy for both players, or a pair with one policy for each player. A policy is either an object with
        OpenSpiel's method ``action_probabilities``, or a function that takes a state and returns ``{action:
        probability}``. tremble calls the policy at every state. The policy must return the same probabilities at all
        states of an information set.
    exact : bool
        Convert each float to the fraction that it represents exactly. The probabilities at each information set must
        then sum to exactly 1. By default, floats become the simplest fractions nearby.
    repair_tolerance : number, optional
        Largest allowed change of a probability: an exact number, or text such as ``"1e-6"``. The default is 1e-9.

    Returns
    -------
    pair of BehaviorStrategy
        The strategies of players 1 and 2 in the tree of the game.

    Raises
    ------
    GameError
        ``policy`` is not a policy, belongs to another game, or returns no probabilities at a state.
    CertificateError
        The probabilities at an information set do not sum to one.

    Examples
    --------
    >>> import pyspiel, tremble
    >>> kuhn = pyspiel.load_game("kuhn_poker")
    >>> strategies = from_openspiel_policy(kuhn, pyspiel.UniformRandomPolicy(kuhn))
    >>> tremble.nash_conv(tremble.build(kuhn), strategies)
    Fraction(11, 12)
    """
    rules, tree = rules_and_tree(game)
    both = isinstance(policy, Sequence) and len(policy) == 2 and all(map(is_policy, policy))
    if not both and not is_policy(policy):
        raise GameError(
            f"a {type(policy).__name__} is not a policy of OpenSpiel (an object with action_probabilities, or a "
            "function of a state), nor a pair of policies"
        )
    policies = dict(enumerate(policy if both else (policy, policy)))
    tables = tables_of_policies(rules, tree, policies, Rounding(exact, repair_limit(False, repair_tolerance)))
    return StatedProfile(OF_OPENSPIEL, pair(tables.values())).fitted(tree)[0]


def from_gambit_profile(
    game: Any, profile: Any, *, exact: bool = False, repair_tolerance: Fraction | int | str | None = None
) -> Profile:
    """Convert a mixed profile of Gambit to exact strategies.

    Parameters
    ----------
    game : GameTree or pygambit.Game
        The game of the profile, or a tree with the same moves and information sets.
    profile : pygambit.gambit.MixedBehaviorProfile or MixedStrategyProfile
        A profile with rational numbers or floats. If the game has a tree, Gambit converts mixed strategies to behavior
        strategies.
    exact, repair_tolerance
        See :func:`from_openspiel_policy`.

    Returns
    -------
    pair of BehaviorStrategy
        The strategies of players 1 and 2. At an information set that the player's own strategy never reaches, all
        probabilities may be 0. The actions then get equal probabilities, the set is marked ``off_path``, and a
        ``TrembleWarning`` reports this.

    Raises
    ------
    GameError
        The profile belongs to another game, or is not a mixed profile of Gambit.
    CertificateError
        The probabilities at an information set do not sum to one.

    Examples
    --------
    >>> import pygambit, tremble
    >>> game = pygambit.Game.from_arrays([[1, -1], [-1, 1]], [[-1, 1], [1, -1]])
    >>> one, two = from_gambit_profile(game, pygambit.nash.lcp_solve(game).equilibria[0])
    >>> one.row(0)
    [Fraction(1, 2), Fraction(1, 2)]
    """
    tree = game_of(game)
    require_tree(tree)
    assert isinstance(tree, GameTree)
    return stated_by_gambit(tree, profile, Rounding(exact, repair_limit(False, repair_tolerance))).fitted(tree)[0]


# -- Gambit ------------------------------------------------------------------------------------------

OF_GAMBIT = "the profile of Gambit"


def is_gambit(profile: object) -> bool:
    """Return True if an object is a mixed profile of Gambit. This function does not import Gambit."""
    module = getattr(sys.modules.get("pygambit"), "gambit", None)
    kinds = [getattr(module, f"Mixed{kind}Profile", None) for kind in ("Behavior", "Strategy")]
    return any(isinstance(kind, type) and isinstance(profile, kind) for kind in kinds)


def stated_by_gambit(tree: GameTree, profile: Any, rounding: Rounding) -> StatedProfile:
    """Convert a mixed profile of Gambit; raise ``GameError`` for other objects and for profiles of another game."""
    if not is_gambit(profile):
        raise GameError(f"a {type(profile).__name__} is not a mixed profile of Gambit")
    game = profile.game
    require_same_moves(tree, game)
    tables = []
    if game.is_tree and hasattr(profile, "as_behavior"):
        profile = profile.as_behavior()
    for player, who in enumerate(game.players):
        sets = [infoset.actions for infoset in who.infosets] if game.is_tree else [who.strategies]
        rows = [
            rounding.row([profile[action] for action in actions], f"{OF_GAMBIT}: {place(tree, player, k)}")
            for k, actions in enumerate(sets)
        ]
        tables.append(table_of_rows(tree, player, rows))
    return StatedProfile(OF_GAMBIT, (tables[0], tables[1]))


def require_same_moves(tree: GameTree, game: Any) -> None:
    """Raise ``GameError`` unless a tree and a game of Gambit have the same nodes, moves and information sets."""
    other = game_of(game)
    parts = ("parent", "player", "preorder")
    if isinstance(other, GameTree) and all(np.array_equal(getattr(tree, n), getattr(other, n)) for n in parts):
        moves = tree.player >= 0
        if np.array_equal(tree.infoset[moves], other.infoset[moves]):
            return
    raise GameError(f"{OF_GAMBIT} belongs to another game: the moves or the information sets differ")


# -- OpenSpiel ---------------------------------------------------------------------------------------

OF_OPENSPIEL = "the policy of OpenSpiel"


def is_policy(profile: object) -> bool:
    """Check that an object can be a policy of OpenSpiel: a function, or an object with ``action_probabilities``."""
    return callable(getattr(profile, "action_probabilities", None)) or (
        callable(profile) and not isinstance(profile, type)
    )


def tables_of_policies(
    rules: OpenSpielRules, tree: GameTree, policies: Mapping[int, Any], rounding: Rounding
) -> dict[int, StrategyTable]:
    """Convert policies of OpenSpiel to strategy tables. The keys of ``policies`` and of the result are players."""
    rows_of: dict[int, dict[int, list[Any]]] = {player: {} for player in policies}
    # Walk through the tree and the rules together, and call the policies at the players' nodes.
    stack = [(0, rules.root())]
    while stack:
        node, h = stack.pop()
        require_same(rules, h, tree, node)
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover in rows_of:
            where = f"{OF_OPENSPIEL}: {place(tree, mover, k)}"
            row = _row_of_policy(policies[mover], rules, h, where)
            if rows_of[mover].setdefault(k, row) != row:
                raise GameError(f"{where}: the probabilities differ between two states of this information set")
        stack.extend((below, rules.child(h, i)) for i, below in enumerate(tree.children(node)))
    return {
        player: table_of_rows(
            tree,
            player,
            [
                rounding.row(rows[k], f"{OF_OPENSPIEL}: {place(tree, player, k)}")
                for k in range(tree.num_infosets[player])
            ],
        )
        for player, rows in rows_of.items()
    }


def _row_of_policy(policy: Any, rules: OpenSpielRules, h: Any, where: str) -> list[Any]:
    """Call a policy at a history, and return the probability of each action of the player to move."""
    mover, state = rules.player(h), h.state
    ask: Callable[..., Any] = getattr(policy, "action_probabilities", policy)
    moves = rules.moves(h)
    try:
        if not state.is_simultaneous_node():
            stated = ask(state)
        else:
            try:
                stated = ask(state, mover)
            except TypeError:  # a policy in C++ takes the information state string, and a function takes the state
                stated = ask(state if ask is policy else rules.knowledge(state, mover))
        probability = dict(stated)
        played = [move for move, p in probability.items() if p]
    except Exception as error:  # a user's policy may raise any exception
        raise GameError(f"{where}: calling the policy fails ({raised(error)})") from error
    illegal = [move for move in played if move not in moves]
    if illegal:
        raise GameError(f"{where}: the policy plays the illegal action {illegal[0]!r:.40}; legal: {moves!s:.80}")
    if not played:
        raise GameError(f"{where}: the policy gives no probabilities")
    return [probability.get(move, Fraction(0)) for move in moves]
