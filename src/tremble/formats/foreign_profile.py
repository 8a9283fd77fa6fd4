"""Profiles of others: policies of OpenSpiel, mixed profiles of Gambit.

Both libraries mostly hold floats, which become simple fractions nearby (:mod:`tremble.formats.rounding`). ``exact``
takes them to the last bit. Fractions stay as they are. The way back is in :mod:`tremble.formats.profile_of_others`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tremble.errors import GameError
from tremble.formats.chance_repair import repair_limit
from tremble.formats.foreign import game_of
from tremble.formats.openspiel import OpenSpielRules, require_same, rules_and_tree
from tremble.formats.profile import StatedProfile
from tremble.formats.rounding import Rounding, place
from tremble.game.requirements import require_tree
from tremble.game.strategy import Profile
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.pairs import pair
from tremble.words import raised

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
    """The exact strategies of a policy of OpenSpiel.

    Parameters
    ----------
    game : GameTree, str or pyspiel.Game
        A tree that came from OpenSpiel, a text such as ``"kuhn_poker"``, or the game itself.
    policy : policy, or pair of policies
        Anything with OpenSpiel's ``action_probabilities``, in C++ or Python, or a function of a state that returns
        ``{action: probability}``: of both players, or one for each. It is asked at every state, and must say the same
        wherever a player cannot tell states apart.
    exact : bool
        Take floats to the last bit; then rows must sum to exactly 1. Otherwise they become simple fractions nearby.
    repair_tolerance : number, optional
        How far a probability may be moved at most, instead of 1e-9: an exact number, or text such as ``"1e-6"``.

    Returns
    -------
    pair of BehaviorStrategy
        For players 1 and 2, by the information sets of the tree.

    Raises
    ------
    GameError
        The policy is of another game, says nothing somewhere, or is no policy.
    CertificateError
        Probabilities do not sum to one.

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
            f"a {type(policy).__name__} is no policy of OpenSpiel, which has action_probabilities or is a function of "
            "a state, nor a pair of such"
        )
    policies = dict(enumerate(policy if both else (policy, policy)))
    tables = tables_of_policies(rules, tree, policies, Rounding(exact, repair_limit(False, repair_tolerance)))
    return StatedProfile(OF_OPENSPIEL, pair(tables.values())).fitted(tree)[0]


def from_gambit_profile(
    game: Any, profile: Any, *, exact: bool = False, repair_tolerance: Fraction | int | str | None = None
) -> Profile:
    """The exact strategies of a mixed profile of Gambit.

    Parameters
    ----------
    game : GameTree or pygambit.Game
        The game that the profile is of; a tree must have the same moves and information sets.
    profile : pygambit.gambit.MixedBehaviorProfile or MixedStrategyProfile
        With rational numbers or floats. Mixed strategies of a tree become the behavior that Gambit finds equivalent.
    exact, repair_tolerance
        As of :func:`from_openspiel_policy`.

    Returns
    -------
    pair of BehaviorStrategy
        For players 1 and 2. Rows of zeros, where the player's own play never comes, are completed uniformly and marked
        ``off_path``, which a ``TrembleWarning`` tells.

    Raises
    ------
    GameError
        The profile is of another game, or is no profile.
    CertificateError
        Probabilities do not sum to one.

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
    """Whether this is a mixed profile of Gambit; which is not imported for the question."""
    module = getattr(sys.modules.get("pygambit"), "gambit", None)
    kinds = [getattr(module, f"Mixed{kind}Profile", None) for kind in ("Behavior", "Strategy")]
    return any(isinstance(kind, type) and isinstance(profile, kind) for kind in kinds)


def stated_by_gambit(tree: GameTree, profile: Any, rounding: Rounding) -> StatedProfile:
    """What a mixed profile of Gambit says; ``GameError`` if it is none, or of a game with other moves."""
    if not is_gambit(profile):
        raise GameError(f"a {type(profile).__name__} is no mixed profile of Gambit")
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
        tables.append(StrategyTable.of_rows(tree, player, rows))
    return StatedProfile(OF_GAMBIT, (tables[0], tables[1]))


def require_same_moves(tree: GameTree, game: Any) -> None:
    """Raise ``GameError`` unless a game of Gambit has the nodes, movers and information sets of a tree."""
    other = game_of(game)
    parts = ("parent", "player", "preorder")
    if isinstance(other, GameTree) and all(np.array_equal(getattr(tree, n), getattr(other, n)) for n in parts):
        moves = tree.player >= 0
        if np.array_equal(tree.infoset[moves], other.infoset[moves]):
            return
    raise GameError(f"{OF_GAMBIT} is of another game: it has other moves or information sets")


# -- OpenSpiel ---------------------------------------------------------------------------------------

OF_OPENSPIEL = "the policy of OpenSpiel"


def is_policy(profile: object) -> bool:
    """Whether this answers as a policy of OpenSpiel does, or may: a function."""
    return callable(getattr(profile, "action_probabilities", None)) or (
        callable(profile) and not isinstance(profile, type)
    )


def tables_of_policies(
    rules: OpenSpielRules, tree: GameTree, policies: Mapping[int, Any], rounding: Rounding
) -> dict[int, StrategyTable]:
    """What policies of OpenSpiel say, a table for each player that has one."""
    said: dict[int, dict[int, list[Any]]] = {player: {} for player in policies}
    stack = [(0, rules.root())]
    while stack:
        node, h = stack.pop()
        require_same(rules, h, tree, node)
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover in said:
            where = f"{OF_OPENSPIEL}: {place(tree, mover, k)}"
            row = _asked(policies[mover], rules, h, where)
            if said[mover].setdefault(k, row) != row:
                raise GameError(f"{where}: it says different things at states that the player cannot tell apart")
        stack.extend((below, rules.child(h, i)) for i, below in enumerate(tree.children(node)))
    return {
        player: StrategyTable.of_rows(
            tree,
            player,
            [
                rounding.row(rows[k], f"{OF_OPENSPIEL}: {place(tree, player, k)}")
                for k in range(tree.num_infosets[player])
            ],
        )
        for player, rows in said.items()
    }


def _asked(policy: Any, rules: OpenSpielRules, h: Any, where: str) -> list[Any]:
    """What a policy says where a player moves: a probability for each of its actions."""
    mover, state = rules.player(h), h.state
    ask: Callable[..., Any] = getattr(policy, "action_probabilities", policy)
    moves = rules.moves(h)
    try:
        if not state.is_simultaneous_node():
            stated = ask(state)
        else:
            try:
                stated = ask(state, mover)
            except TypeError:  # a policy of C++ is asked by what the player knows, a function of its own by the state
                stated = ask(state if ask is policy else rules.knowledge(state, mover))
        probability = dict(stated)
        played = [move for move, p in probability.items() if p]
    except Exception as error:  # whatever a policy of somebody raises
        raise GameError(f"{where}: it cannot be asked ({raised(error)})") from error
    strange = [move for move in played if move not in moves]
    if strange:
        raise GameError(f"{where}: it plays {strange[0]!r:.40}, which is not legal there; legal are {moves!s:.80}")
    if not played:
        raise GameError(f"{where}: it says nothing")
    return [probability.get(move, Fraction(0)) for move in moves]
