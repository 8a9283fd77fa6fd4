"""Whatever stands for a profile: policies of OpenSpiel, mixed profiles of Gambit, what files state, strategies.

Both libraries mostly hold floats. Each row of floats becomes the simplest fractions within a few units in the last
place that sum to one, at most 1e-9 away (:func:`tremble.io.chance_repair.mend_floats`); ``repair_tolerance`` allows
more, and prefers the simplest fractions within it; ``exact`` takes floats to the last bit. Fractions stay as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from numbers import Rational
from typing import Any

import numpy as np

from tremble.base.pairs import pair
from tremble.errors import GameError
from tremble.io.chance_repair import TOLERANCE, mend_floats, mend_probabilities, repair_limit
from tremble.io.foreign import game_of
from tremble.io.gambit_text import shown_list
from tremble.io.openspiel import OpenSpielRules, require_same, rules_and_tree
from tremble.io.profile import NotStated, StatedProfile, table_of_rows
from tremble.model.strategy import BehaviorStrategy, StatesProfile, profile_of
from tremble.model.tree import GameTree, require_tree
from tremble.solution.stated import StatedSolution

__all__ = ["from_gambit_profile", "from_openspiel_policy", "given_profile"]

Profile = tuple[BehaviorStrategy, BehaviorStrategy]


def from_openspiel_policy(
    game: Any, policy: Any, *, exact: bool = False, repair_tolerance: Fraction | int | str | None = None
) -> Profile:
    """The exact strategies of a policy of OpenSpiel.

    Parameters
    ----------
    game : GameTree, str or pyspiel.Game
        A tree that came from OpenSpiel, a text such as ``"kuhn_poker"``, or the game itself.
    policy : policy, or pair of policies
        Anything with OpenSpiel's ``action_probabilities``, in C++ or Python: of both players, or one for each. It is
        asked at every state, and must say the same wherever a player cannot tell states apart.
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
    return _of_policy(rules, tree, policy, _Rounding(exact, repair_limit(False, repair_tolerance))).fitted(tree)[0]


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
    return _of_gambit(tree, profile, _Rounding(exact, repair_limit(False, repair_tolerance))).fitted(tree)[0]


def given_profile(
    tree: GameTree, profile: Any, *, game: object = None, repair_tolerance: Fraction | None = None
) -> tuple[Profile, NotStated, StatedSolution | None]:
    """The exact strategies of whatever stands for a profile, the sets that it leaves open, and the solution that it is.

    ``game`` is what the tree was built from, if that is a game of OpenSpiel.
    """
    rounding = _Rounding(False, repair_tolerance)
    if isinstance(profile, StatedProfile):
        profile.require_of(tree)
        return *profile.fitted(tree), profile.solution
    if isinstance(profile, StatesProfile):
        solution = profile if isinstance(profile, StatedSolution) else None
        return profile.profile(tree), ((), ()), solution
    if _is_gambit(profile):
        return *_of_gambit(tree, profile, rounding).fitted(tree), None
    if _is_policy(profile):
        rules = rules_and_tree(tree)[0] if game is None else OpenSpielRules(game)
        return *_of_policy(rules, tree, profile, rounding).fitted(tree), None
    if not isinstance(profile, Sequence):
        raise GameError(
            f"a {type(profile).__name__} is no profile: give a pair of strategies, a solution, a file, a mixed profile "
            "of pygambit or a policy of OpenSpiel"
        )
    rounded = pair(given if given.exact else _rounded(tree, given, rounding) for given in profile_of(tree, profile))
    return rounded, ((), ()), None


class _Rounding:
    """How floats become exact."""

    def __init__(self, exact: bool, tolerance: Fraction | None) -> None:
        self.exact = exact
        self.tolerance = tolerance

    def row(self, numbers: Sequence[Any], place: str) -> list[Fraction]:
        """A row of exact numbers; those of rational numbers stay as they are."""
        if all(isinstance(p, Rational) for p in numbers):
            return [Fraction(p.numerator, p.denominator) for p in numbers]
        try:
            floats = [float(p) for p in numbers]
        except (TypeError, ValueError, OverflowError):
            floats = []
        if not floats or not all(map(isfinite, floats)):
            raise GameError(f"{place}: {shown_list(map(str, numbers))} are no probabilities")
        least = -(TOLERANCE if self.tolerance is None else self.tolerance)
        if self.exact or not any(floats):
            return [Fraction(p) for p in floats]
        floats = [0.0 if least <= p < 0 else p for p in floats]
        if min(floats) < 0:
            mended = None
        elif self.tolerance is None:
            mended = mend_floats(floats)
        else:
            mended = mend_probabilities([Fraction(p) for p in floats], tolerance=self.tolerance)
        if mended is None:
            raise GameError(
                f"{place}: {shown_list(map(str, numbers))} are not within {float(-least):g} of probabilities that sum "
                "to one; repair_tolerance allows more"
            )
        return list(mended)


def _rounded(tree: GameTree, strategy: BehaviorStrategy, rounding: _Rounding) -> BehaviorStrategy:
    rows = [rounding.row(row, _place(tree, strategy.player, k)) for k, row in enumerate(strategy)]
    return BehaviorStrategy.from_rows(tree, strategy.player, rows)


def _place(tree: GameTree, player: int, k: int) -> str:
    return f"player {player + 1}, {tree.set_name(player, k)}"


# -- Gambit ------------------------------------------------------------------------------------------


def _is_gambit(profile: object) -> bool:
    """Whether this is a mixed profile of Gambit; which is not imported for the question."""
    module = getattr(sys.modules.get("pygambit"), "gambit", None)
    kinds = [getattr(module, f"Mixed{kind}Profile", None) for kind in ("Behavior", "Strategy")]
    return any(isinstance(kind, type) and isinstance(profile, kind) for kind in kinds)


def _of_gambit(tree: GameTree, profile: Any, rounding: _Rounding) -> StatedProfile:
    if not _is_gambit(profile):
        raise GameError(f"a {type(profile).__name__} is no mixed profile of Gambit")
    game = profile.game
    _require_same_moves(tree, game_of(game))
    tables = []
    if game.is_tree and hasattr(profile, "as_behavior"):
        profile = profile.as_behavior()
    for player, who in enumerate(game.players):
        sets = [infoset.actions for infoset in who.infosets] if game.is_tree else [who.strategies]
        rows = [
            rounding.row([profile[action] for action in actions], _place(tree, player, k))
            for k, actions in enumerate(sets)
        ]
        tables.append(table_of_rows(tree, player, rows))
    return StatedProfile("the profile of Gambit", (tables[0], tables[1]))


def _require_same_moves(tree: GameTree, other: Any) -> None:
    """Raise ``GameError`` unless both trees have the same nodes, movers and information sets."""
    parts = ("parent", "player", "preorder")
    same = isinstance(other, GameTree) and all(np.array_equal(getattr(tree, n), getattr(other, n)) for n in parts)
    if not same or not np.array_equal(tree.infoset[tree.player >= 0], other.infoset[tree.player >= 0]):
        raise GameError("the profile of Gambit is of another game: it has other moves or information sets")


# -- OpenSpiel ---------------------------------------------------------------------------------------


def _is_policy(profile: object) -> bool:
    if isinstance(profile, Sequence):
        return len(profile) == 2 and all(map(_is_policy, profile))
    return callable(getattr(profile, "action_probabilities", None))


def _of_policy(rules: OpenSpielRules, tree: GameTree, policy: Any, rounding: _Rounding) -> StatedProfile:
    if not _is_policy(policy):
        raise GameError(
            f"a {type(policy).__name__} is no policy of OpenSpiel, which has action_probabilities, nor a pair of such"
        )
    policy1, policy2 = policy if isinstance(policy, Sequence) else (policy, policy)
    said: tuple[dict[int, list[Any]], dict[int, list[Any]]] = ({}, {})
    stack = [(0, rules.root())]
    while stack:
        node, h = stack.pop()
        require_same(rules, h, tree, node)
        mover, k = int(tree.player[node]), int(tree.infoset[node])
        if mover >= 0:
            row = _asked((policy1, policy2)[mover], rules, h, _place(tree, mover, k))
            if said[mover].setdefault(k, row) != row:
                raise GameError(
                    f"{_place(tree, mover, k)}: the policy says different things at states that the player cannot tell "
                    "apart"
                )
        stack.extend((below, rules.child(h, i)) for i, below in enumerate(tree.children(node)))
    tables = [
        table_of_rows(
            tree,
            player,
            [rounding.row(said[player][k], _place(tree, player, k)) for k in range(tree.num_infosets[player])],
        )
        for player in (0, 1)
    ]
    return StatedProfile("the policy of OpenSpiel", (tables[0], tables[1]))


def _asked(policy: Any, rules: OpenSpielRules, h: Any, place: str) -> list[Any]:
    """What a policy says where a player moves: a probability for each of its actions."""
    mover, state = rules.player(h), h.state
    try:
        if not state.is_simultaneous_node():
            stated = policy.action_probabilities(state)
        else:
            try:
                stated = policy.action_probabilities(state, mover)
            except TypeError:  # a policy of C++ is asked by what the player knows
                stated = policy.action_probabilities(rules.knowledge(state, mover))
        probability = dict(stated)
    except Exception as error:  # whatever a policy of somebody raises
        said = " ".join(str(error).split())[:200]
        raise GameError(f"{place}: the policy cannot be asked ({type(error).__name__}: {said})") from error
    moves = rules.moves(h)
    strange = [move for move, p in probability.items() if p and move not in moves]
    if strange:
        raise GameError(f"{place}: the policy plays {strange[0]!r:.40}, which is not legal there")
    if not any(probability.values()):
        raise GameError(f"{place}: the policy says nothing")
    return [probability.get(move, Fraction(0)) for move in moves]
