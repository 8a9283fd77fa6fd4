"""Conversion of profiles to OpenSpiel's policies, Gambit's mixed profiles and NumPy's arrays.

The module :mod:`tremble.formats.given_profile` converts in the opposite direction.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import GameError, TrembleError
from tremble.formats.efg import format_efg
from tremble.formats.foreign import game_of
from tremble.formats.foreign_profile import require_same_moves
from tremble.formats.given_profile import ProfileLike, given_profile
from tremble.formats.openspiel import OpenSpielRules, require_same, rules_and_tree
from tremble.game.requirements import require_tree
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.numbers import required_flag
from tremble.run.alarm import interrupts_held_back

__all__ = ["to_arrays", "to_gambit_profile", "to_openspiel_policy"]


def to_arrays(tree: GameTree, profile: ProfileLike, *, exact: bool = False) -> tuple[NDArray[Any], NDArray[Any]]:
    """Convert a profile to two vectors of probabilities. In a one-shot game, the vectors are mixed strategies.

    Parameters
    ----------
    tree : GameTree
    profile : object
        Any form of profile: see :func:`tremble.nash_conv`.
    exact : bool
        Return fractions instead of floats.

    Returns
    -------
    pair of float64[slots], or of object[slots]
        Each vector contains one number for each action of the player, in the order of the information sets. Nashpy uses
        the same form for one-shot games. All functions accept the pair as a profile.

    Raises
    ------
    TrembleError
        The argument is not a profile for this game.

    Examples
    --------
    >>> import tremble
    >>> from tremble.io import to_arrays
    >>> game = tremble.matrix_game([[3, 1], [0, 2]])
    >>> solution = tremble.solve(game)
    >>> [vector.tolist() for vector in to_arrays(game, solution)]
    [[0.5, 0.5], [0.25, 0.75]]
    >>> tremble.nash_conv(game, to_arrays(game, solution))
    Fraction(0, 1)
    """
    required_flag(exact, "exact")
    strategies = given_profile(tree, profile, exact=exact).strategies
    if not exact:
        return pair(strategy.to_floats().copy() for strategy in strategies)
    return pair(np.array([*(p for row in strategy for p in row), None], dtype=object)[:-1] for strategy in strategies)


def to_gambit_profile(game: Any, profile: ProfileLike) -> Any:
    """Convert a profile to a mixed profile of Gambit, for Gambit's own functions.

    Parameters
    ----------
    game : pygambit.Game or GameTree
        A game of Gambit, or a tree, which is converted to a game of Gambit.
    profile : object
        Any form of profile: see :func:`tremble.nash_conv`.

    Returns
    -------
    pygambit.gambit.MixedBehaviorProfile or MixedStrategyProfile
        A mixed strategy profile if the game has no tree, and otherwise a mixed behavior profile. The attribute ``game``
        of the profile is Gambit's game. If a strategy contains floats, all numbers are floats. Otherwise all numbers
        are rational.

    Raises
    ------
    TrembleError
        The argument is not a profile for this game, or Gambit is not installed.

    Examples
    --------
    >>> import pygambit, tremble
    >>> from tremble.io import to_gambit_profile
    >>> kuhn = tremble.load("kuhn")
    >>> theirs = to_gambit_profile(kuhn, tremble.solve(kuhn))
    >>> [str(theirs.payoff(player)) for player in theirs.game.players], tremble.nash_conv(kuhn, theirs)
    (['-1/18', '1/18'], Fraction(0, 1))
    """
    try:
        import pygambit
    except ImportError as error:
        raise TrembleError("Gambit is not installed: pip install 'tremble[peers]'") from error
    if isinstance(game, GameTree):
        tree, game = game, None
    else:
        built = game_of(game)
        require_tree(built)
        assert isinstance(built, GameTree)
        tree = built
    strategies = given_profile(tree, profile).strategies
    if game is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            game = pygambit.read_efg(BytesIO(format_efg(tree).encode()))
        require_same_moves(tree, game)
    exact = all(strategy.exact for strategy in strategies)
    behavior = bool(game.is_tree)
    theirs = game.mixed_behavior_profile(rational=exact) if behavior else game.mixed_strategy_profile(rational=exact)
    for strategy, who in zip(strategies, game.players, strict=True):
        sets = [infoset.actions for infoset in who.infosets] if behavior else [who.strategies]
        for actions, row in zip(sets, strategy, strict=True):
            for action, p in zip(actions, row, strict=True):
                theirs[action] = pygambit.Rational(p.numerator, p.denominator) if exact else float(p)  # type: ignore[union-attr]
    return theirs


def to_openspiel_policy(tree_or_game: Any, profile: ProfileLike) -> Any:
    """Convert a profile to a policy of OpenSpiel, for OpenSpiel's own algorithms.

    Parameters
    ----------
    tree_or_game : GameTree, str or pyspiel.Game
        A tree that :func:`load_openspiel` returned, the name of a game, or the game itself.
    profile : object
        Any form of profile: see :func:`tremble.nash_conv`.

    Returns
    -------
    pyspiel.TabularPolicy
        A policy for ``pyspiel.exploitability`` and ``pyspiel.nash_conv`` in sequential games, and for
        ``open_spiel.python.algorithms.exploitability`` in sequential and simultaneous games.

    Raises
    ------
    GameError
        The tree was not built from OpenSpiel, or OpenSpiel gives both players the same information state string.
    TrembleError
        The argument is not a profile for this game.

    Examples
    --------
    >>> import pyspiel, tremble
    >>> from tremble.io import to_openspiel_policy
    >>> tree = tremble.load("openspiel:kuhn_poker")
    >>> policy = to_openspiel_policy(tree, tremble.solve(tree))
    >>> pyspiel.nash_conv(pyspiel.load_game("kuhn_poker"), policy) < 1e-9
    True
    """
    rules, tree = rules_and_tree(tree_or_game)
    strategies = given_profile(tree, profile).strategies
    tables: list[dict[str, dict[int, float]]] = []
    for player, numbers in enumerate(_action_numbers(rules, tree)):
        rows = zip(tree.infoset_labels[player], numbers, strategies[player], strict=True)
        tables.append({label: dict(zip(moves, map(float, row), strict=True)) for label, moves, row in rows})
    return _policy_class()(rules, tables)


def _action_numbers(rules: OpenSpielRules, tree: GameTree) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return OpenSpiel's action numbers at each information set. Replay a path to each set to find them."""
    # Mark the nodes on a path to the first node of each information set.
    own = np.flatnonzero(tree.player >= 0)
    _, first = np.unique(np.stack((tree.player[own], tree.infoset[own])), axis=1, return_index=True)
    on_path = np.zeros(tree.num_nodes, dtype=bool)
    for node in own[first].tolist():
        while not on_path[node]:
            on_path[node] = True
            node = max(int(tree.parent[node]), 0)
    # Replay these paths in the rules.
    numbers: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = (
        [()] * tree.num_infosets[0],
        [()] * tree.num_infosets[1],
    )
    stack = [(0, rules.root())]
    while stack:
        node, h = stack.pop()
        mover = rules.player(h)
        require_same(rules, h, tree, node)
        if mover >= 0:
            numbers[mover][int(tree.infoset[node])] = rules.moves(h)
        stack.extend((below, rules.child(h, i)) for i, below in enumerate(tree.children(node)) if on_path[below])
    return numbers


@cache
def _policy_class() -> Any:
    with interrupts_held_back():
        import pyspiel

    class JointPolicy(pyspiel.TabularPolicy):  # type: ignore[misc]  # a class of C++
        """A tabular policy that also returns the probabilities of each player if both players move at once."""

        def __init__(self, rules: OpenSpielRules, tables: Sequence[dict[str, dict[int, float]]]) -> None:
            player1, player2 = tables
            if rules.game.get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL:
                for key in player1.keys() & player2.keys():
                    raise GameError(f"OpenSpiel gives both players the same information state string: {key!r:.300}")
            super().__init__({key: list(row.items()) for table in (player2, player1) for key, row in table.items()})
            self._rules, self._tables = rules, tables

        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            """Return the probability of each action at a state or at an information state string."""
            if isinstance(state, str):
                return dict(super().action_probabilities(state))
            player = state.current_player() if player_id is None else player_id
            return dict(self._tables[player][self._rules.knowledge(state, player)])

    return JointPolicy
