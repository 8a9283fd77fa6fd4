"""Conversion of a profile in any form to two strategies, for all functions that accept profiles.

Some forms contain the strategies of both players: solutions, files, lines in Gambit's format, profiles of Gambit, and
policies of OpenSpiel. Every other profile is a pair with one strategy for each player. The two strategies may have
different forms:

* a strategy of tremble, or a policy of OpenSpiel
* a dict by information set, or a dict by action if the player has only one information set
* a list with one row of probabilities for each information set, or a vector with one probability for each action

A dict by information set can contain both players' strategies if every label belongs to only one player. A dict can
also have the two players' names as keys and their strategies as values.

*Floats.* Strategies of tremble keep their floats (:meth:`tremble.BehaviorStrategy.from_floats`), and results computed
from these strategies are floats. All other floats become the simplest fractions nearby
(:mod:`tremble.formats.rounding`). If exact numbers are required, floats in tremble's strategies become fractions too.

*Missing rows.* If a dict omits an action, the action has probability 0. An information set may have no row, or a row of
zeros, as in Gambit's output. If the player's own strategy never reaches the set, all actions get equal probabilities,
the set is marked ``off_path``, and a ``TrembleWarning`` reports this. Otherwise the missing row raises an error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import islice, pairwise
from numbers import Number
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tremble.arguments import raised
from tremble.errors import GameError, TrembleError
from tremble.formats.by_label import (
    DICT,
    as_list,
    is_list,
    numbers_for,
    some_labels,
    split_by_player,
    swap_hint,
    table_of_dict,
)
from tremble.formats.foreign_profile import OF_OPENSPIEL, is_gambit, is_policy, stated_by_gambit, tables_of_policies
from tremble.formats.openspiel import OpenSpielRules, rules_and_tree
from tremble.formats.profile import NotStated, StatedProfile, fitted_strategy, read_profile
from tremble.formats.rounding import Rounding, place
from tremble.formats.tables import table_of_rows
from tremble.game.requirements import require_tree
from tremble.game.rules import StrategyInArrays, UnbuiltStrategy, not_built
from tremble.game.strategy import BehaviorStrategy, Profile, RealizationPlan, StatesProfile, StatesStrategy
from tremble.game.table import StrategyTable
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.numbers import NumberLike
from tremble.solution.claim import Beliefs
from tremble.solution.stated import StatedSolution
from tremble.value import Value

__all__ = ["NOT_OF_RULES", "GivenProfile", "ProfileLike", "StrategyLike", "given_profile"]


class Policy(Protocol):
    """A policy of OpenSpiel, in C++ or Python."""

    def action_probabilities(self, state: Any, player_id: Any = None) -> Mapping[int, float]:
        """Return the probability of each action at a state."""


Row = Mapping[str, NumberLike] | Mapping[int, NumberLike] | Sequence[NumberLike] | NDArray[Any]
"""Probabilities at an information set: a list, or a dict from actions (label or index from 0) to probabilities."""

ByInfoset = Mapping[str, Row | str] | Mapping[int, Row | str]
"""A dict from information sets (label or index from 0) to rows, or to an action that is played with probability 1."""

StrategyLike = (
    BehaviorStrategy
    | UnbuiltStrategy
    | StrategyInArrays
    | RealizationPlan
    | StatesStrategy
    | ByInfoset
    | Row
    | Sequence[Sequence[NumberLike]]
    | NDArray[Any]
    | Policy
    | Callable[[Any], Mapping[int, float]]
)
"""Forms of a strategy for one player."""

ProfileLike = (
    Sequence[StrategyLike]
    | StatesProfile
    | Mapping[str, Row | str]
    | Mapping[str, StrategyLike]
    | str
    | os.PathLike[str]
    | NDArray[Any]
    | Policy
    | Callable[[Any], Mapping[int, float]]
)
"""Forms of a profile. Mixed profiles of pygambit are accepted too, but type checkers cannot see their types."""

NOT_OF_RULES = (
    "the tree of the game is not built; give a pair of tremble.strategies.UnbuiltStrategy or OrderedStrategy, or a "
    "solution that contains them; for any other profile, build the tree first: tremble.build(rules)"
)

_FORMS = (
    "a pair of strategies; a solution; for each player a dict {'label of a set': {'action': probability}}, rows or a "
    "vector of probabilities; a line NE,... or the path of a file; a mixed profile of pygambit; a policy of OpenSpiel"
)


@dataclass(frozen=True, eq=False, repr=False)
class GivenProfile(Value):
    """Two strategies for a game, with other data from the profile that a user gave.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy
    not_stated : pair of tuples of int
        Indices of the information sets that the profile omits. In ``strategies``, their actions are equally likely.
    beliefs : pair of tuples of BeliefRow, or None
    certificate : mapping or None
        The beliefs and the certificate of the given file or solution. The file may be an incomplete solution file.
    solution : StatedSolution or None
        The given solution, if it was complete.
    rounded : bool
        True if probabilities were given as floats or decimals.
    """

    strategies: Profile
    not_stated: NotStated = ((), ())
    beliefs: Beliefs | None = None
    certificate: Mapping[str, Any] | None = None
    solution: StatedSolution | None = None
    rounded: bool = False


def given_profile(
    tree: GameTree,
    profile: ProfileLike | GivenProfile,
    *,
    exact: bool = False,
    repair_tolerance: Fraction | None = None,
) -> GivenProfile:
    """Convert any form of profile to strategies for this game.

    Parameters
    ----------
    tree : GameTree
    profile : object
        A profile in one of the forms that the module's docstring lists.
    exact : bool
        Also convert strategies with floats to exact strategies.
    repair_tolerance : Fraction, optional
        Largest allowed change of a probability. The default is 1e-9.

    Raises
    ------
    TrembleError
        ``profile`` is not a profile for this game. The message names the recognized form and the place of the error.

    Examples
    --------
    >>> import tremble
    >>> pennies = tremble.load("matching_pennies")
    >>> for profile in (
    ...     "NE,1/3,2/3,1,0",
    ...     ([1 / 3, 2 / 3], [1, 0]),
    ...     [{"penny of player 1": {"heads": "1/3", "tails": "2/3"}}, {0: {"heads": 1}}],
    ... ):
    ...     print(*(strategy[0]["heads"] for strategy in given_profile(pennies, profile).strategies))
    1/3 1
    1/3 1
    1/3 1
    """
    require_tree(tree)
    rounding = Rounding(tolerance=repair_tolerance)
    try:
        given = _converted(tree, profile, rounding)
    except (TrembleError, Warning, MemoryError):  # Warning, because a filter can turn warnings into errors
        raise
    except Exception as error:  # a user's object may raise any exception
        raise GameError(f"a {type(profile).__name__} cannot be read as a profile ({raised(error)})") from error
    if exact and not all(strategy.exact for strategy in given.strategies):
        given = replace(given, strategies=pair(rounding.strategy(tree, strategy) for strategy in given.strategies))
    return replace(given, rounded=True) if rounding.rounded else given


def _converted(tree: GameTree, profile: Any, rounding: Rounding) -> GivenProfile:
    if isinstance(profile, GivenProfile):
        return profile
    if isinstance(profile, str | os.PathLike):
        profile = read_profile(profile, repair_tolerance=rounding.tolerance)
    if isinstance(profile, StatedProfile):
        profile.require_of(tree)
        strategies, not_stated = profile.fitted(tree)
        solution = profile.solution and replace(profile.solution, strategies=strategies)
        return GivenProfile(
            strategies, not_stated, profile.beliefs, profile.certificate, solution, rounded=profile.rounded
        )
    if isinstance(profile, StatedSolution):
        strategies = profile.profile(tree)
        return GivenProfile(strategies, ((), ()), profile.beliefs, profile.certificate, profile)
    if isinstance(profile, StatesProfile):
        profile = profile.profile(tree)
    if is_gambit(profile):
        return GivenProfile(*stated_by_gambit(tree, profile, rounding).fitted(tree))
    if is_policy(profile):
        profile = profile, profile
    elif isinstance(profile, Mapping):
        profile = split_by_player(tree, profile)
    elif not is_list(profile):
        raise GameError(f"a {type(profile).__name__} is no profile: give {_FORMS}")
    if len(profile) != 2:
        raise GameError(f"a profile must have two strategies, not {len(profile)}")
    policies = {player: item for player, item in enumerate(profile) if is_policy(item)}
    tables: Mapping[int, StrategyTable] = {}
    if policies:
        tables = tables_of_policies(_rules(tree), tree, policies, rounding)
    fitted = [
        fitted_strategy(tree, tables[player], OF_OPENSPIEL)
        if player in tables
        else _strategy(tree, player, item, rounding)
        for player, item in enumerate(profile)
    ]
    return GivenProfile(pair(strategy for strategy, _ in fitted), pair(open_sets for _, open_sets in fitted))


def _rules(tree: GameTree) -> OpenSpielRules:
    try:
        return rules_and_tree(tree)[0]
    except GameError as error:
        raise GameError(f"{OF_OPENSPIEL}: {error}; for this game, give a dict, rows or a BehaviorStrategy") from None


# -- one player --------------------------------------------------------------------------------------


def _strategy(tree: GameTree, player: int, given: Any, rounding: Rounding) -> tuple[BehaviorStrategy, tuple[int, ...]]:
    """Convert ``given`` to a strategy. Also return the indices of sets without a row, where the strategy is uniform."""
    if isinstance(given, UnbuiltStrategy | StrategyInArrays):
        raise not_built(f"strategy {player + 1}")
    if isinstance(given, RealizationPlan):
        _require_player(player, given.player, "a RealizationPlan")
        return given.to_behavior(tree), ()
    if isinstance(given, StatesStrategy):
        given = given.strategy(tree)
    if isinstance(given, BehaviorStrategy):
        _require_player(player, given.player, "a BehaviorStrategy")
        _require_actions(tree, given)
        return given, ()
    if isinstance(given, StatesProfile):
        raise GameError(
            f"the pair of strategies: strategy {player + 1} is a {type(given).__name__}, which contains the strategies "
            f"of both players; give it without a pair, or give its strategies[{player}]"
        )
    if isinstance(given, Mapping):
        return fitted_strategy(tree, table_of_dict(tree, player, given, rounding), DICT)
    if not isinstance(given, Sequence) and hasattr(given, "__array__"):
        given = np.asarray(given)  # for example a column of a data frame
    if not is_list(given):
        raise GameError(
            f"the pair of strategies: a {type(given).__name__} is no strategy of player {player + 1}: give a "
            "BehaviorStrategy, a dict {'label of a set': {'action': probability}}, rows or a vector of probabilities, "
            "or a policy of OpenSpiel"
        )
    if _is_vector(given, tree.num_slots[player]):
        rows, form = _rows_of_vector(tree, player, given), _VECTOR
    else:
        rows, form = _rows(tree, player, given), _ROWS
    exact = [rounding.row(row, f"{form}: {place(tree, player, k)}") for k, row in enumerate(rows)]
    return fitted_strategy(tree, table_of_rows(tree, player, exact), form)


def _require_player(player: int, whose: int, what: str) -> None:
    if whose != player:
        raise GameError(
            f"the pair of strategies: strategy {player + 1} is {what} of player {whose + 1}; are the players swapped?"
        )


def _require_actions(tree: GameTree, strategy: BehaviorStrategy) -> None:
    player = strategy.player
    expected = tree.actions[player]
    if strategy.actions == expected:
        return
    if len(strategy.actions) != len(expected):
        how = f"it has {len(strategy.actions)} information sets, but the game has {len(expected)}"
    else:
        k = next(k for k, labels in enumerate(expected) if strategy.actions[k] != labels)
        mine, games = some_labels(strategy.actions[k]), some_labels(expected[k])
        how = f"at {tree.set_name(player, k)} it has the actions {mine}, but the game has {games}"
    raise GameError(
        f"the pair of strategies: strategy {player + 1} does not have the information sets and actions of this game: "
        f"{how}"
    )


# -- rows and vectors --------------------------------------------------------------------------------

_ROWS = "the rows of probabilities"
_VECTOR = "the vector of probabilities"


def _is_vector(given: Any, size: int) -> bool:
    """Check that a list contains numbers, not rows. Read only ``size + 1`` items, because longer lists are invalid."""
    if isinstance(given, np.ndarray) and given.dtype != object:
        return given.ndim == 1
    return all(isinstance(p, Number | Decimal | str) for p in islice(given, size + 1))


def _rows_of_vector(tree: GameTree, player: int, given: Any) -> list[list[Any]]:
    """Split a vector with one number for each action of the player into one row for each information set."""
    size = tree.num_slots[player]
    if len(given) != size:
        actions = "1 action" if size == 1 else f"{size} actions"
        raise GameError(
            f"{_VECTOR}: player {player + 1} has {actions} at {tree.num_infosets[player]} information set(s), but "
            f"{len(given)} numbers are given{swap_hint(player, len(given) == tree.num_slots[1 - player])}"
        )
    start = tree.slot_start[player].tolist()
    numbers = as_list(given)
    return [numbers[a:b] for a, b in pairwise(start)]


def _rows(tree: GameTree, player: int, given: Any) -> list[list[Any]]:
    """Check that a list has one row of probabilities for each information set; return the rows."""
    count = tree.num_infosets[player]
    if len(given) != count:
        raise GameError(
            f"{_ROWS}: player {player + 1} has {count} information set(s), but {len(given)} rows are given"
            f"{swap_hint(player, len(given) == tree.num_infosets[1 - player])}"
        )
    rows = []
    for k, row in enumerate(given):
        if not is_list(row):
            raise GameError(f"{_ROWS}: {place(tree, player, k)}: expected a list of probabilities, found {row!r:.60}")
        rows.append(row)
    hint = swap_hint(player, [*map(len, rows)] == [*map(len, tree.actions[1 - player])])
    return [
        numbers_for(row, tree.actions[player][k], f"{_ROWS}: {place(tree, player, k)}", hint)
        for k, row in enumerate(rows)
    ]
