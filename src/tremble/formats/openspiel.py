"""Games of OpenSpiel as rules and as trees. This module needs the extra ``openspiel``.

**Information sets.** The key of an information set is OpenSpiel's ``information_state_string`` for the player to move.
This text is also the label of the set, and policies for OpenSpiel use it as a key. If a game of perfect information has
no such text, the keys are histories, which both players know. If both players move at once, player 1 moves first in the
tree, and player 2 does not see the move. Games that OpenSpiel implements in Python (``python_kuhn_poker``) are
registered on first use.

**Chance.** OpenSpiel gives probabilities as floats. Each float becomes the simplest fraction within 4 units in the last
place. If these fractions do not sum to one, the relative tolerance becomes 1e-12, and then 1e-9. If this fails too, the
exact values of the floats are repaired within 1e-9 (:func:`tremble.formats.chance_repair.mend_probabilities`). Outcomes
of probability zero are omitted.

**Payoffs.** A payoff becomes the simplest fraction within 4 units in the last place of the float. If OpenSpiel declares
that a game has a constant sum, player 2 gets the declared sum minus player 1's payoff.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache, lru_cache
from math import inf
from pathlib import Path
from sys import intern
from typing import Any

from tremble.arguments import did_you_mean
from tremble.errors import GameError, PlayersError, SpecError, TrembleError
from tremble.formats.chance_repair import mend_floats, simplest_near
from tremble.formats.gambit_labels import distinct_labels
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair
from tremble.game.tree_builder import DEFAULT_MAX_NODES, build
from tremble.game.tree_size import refuse_if_hopeless
from tremble.lazy import KeptWith
from tremble.run.alarm import interrupts_held_back

__all__ = [
    "OpenSpielMarkovRules",
    "OpenSpielRules",
    "load_openspiel",
    "openspiel_rules",
    "require_same",
    "rules_and_tree",
]

PREFIX = "openspiel:"


# -- exact numbers -----------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def exact_distribution(floats: tuple[float, ...]) -> tuple[Fraction, ...]:
    """Find exact positive probabilities that sum to one, each within 1e-9 of its float.

    Examples
    --------
    >>> exact_distribution((0.1666666666666667,) * 6)[0]
    Fraction(1, 6)
    """
    if not floats:
        raise GameError("a chance node has no outcomes")
    if not all(0 < p <= 1 + 1e-9 for p in floats) or abs(sum(floats) - 1) > 1e-9 * len(floats):
        raise GameError(f"the chance probabilities are not a distribution: {_some_floats(floats)}")
    mended = mend_floats(floats)
    if mended is None:
        raise GameError(
            f"cannot find exact probabilities that sum to one, each within 1e-9 of these chance probabilities: "
            f"{_some_floats(floats)}"
        )
    return mended


def _some_floats(floats: tuple[float, ...]) -> str:
    return ", ".join(map(repr, floats[:8])) + (", ..." if len(floats) > 8 else "")


def _payoffs(returns: Sequence[float], total: Fraction | None) -> tuple[Fraction, Fraction]:
    for value in returns:
        if not -inf < value < inf:
            raise GameError(f"OpenSpiel returns the payoff {value}; expected a finite number")
    player1 = simplest_near(returns[0])
    if total is None:
        return player1, simplest_near(returns[1])
    player2 = total - player1
    if abs(float(player2) - returns[1]) > 1e-9 * max(1.0, abs(returns[0]), abs(returns[1])):
        raise GameError(f"OpenSpiel declares the payoff sum {float(total)}, but returns {returns[0]}, {returns[1]}")
    return player1, player2


# -- the rules ---------------------------------------------------------------------------------------


class History:
    """A history in a game of OpenSpiel. The corresponding state of OpenSpiel is created on first use.

    If both players move at once and only player 1 has chosen, ``first_move`` is player 1's action. Histories are equal
    if their moves are equal.
    """

    __slots__ = ("_above", "_moves", "_state", "first_move", "key", "legal", "mover")

    def __init__(self, above: Any, moves: tuple[int, ...], first_move: int | None = None) -> None:
        self._above = above
        self._moves = moves
        self._state: Any = None
        self.first_move = first_move
        self.mover: int | None = None
        self.key = ""
        self.legal: tuple[int, ...] = ()

    @property
    def state(self) -> Any:
        """The state of OpenSpiel; callers must not change it."""
        if self._state is None:
            if not self._moves:
                self._state = self._above
            elif len(self._moves) == 1:
                self._state = self._above.child(self._moves[0])
            else:
                self._state = self._above.clone()
                self._state.apply_actions(list(self._moves))
            self._above = None
        return self._state

    def _identity(self) -> tuple[tuple[int, ...], int | None]:
        return tuple(self.state.history()), self.first_move

    def __eq__(self, other: object) -> bool:
        return isinstance(other, History) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())


_Actions = tuple[tuple[int, ...], tuple[str, ...]]
"""OpenSpiel's numbers for the legal actions, and their labels."""


class OpenSpielRules:
    """The rules of a two-player game of OpenSpiel, with the methods of :class:`tremble.Game`.

    The argument ``game`` is a game of OpenSpiel or its name. The constructor raises ``GameError`` for games that cannot
    be converted to an exact tree: mean-field games, games that sample chance moves without giving their probabilities,
    and games of hidden information without information states. The attribute ``declared_sum`` is the constant sum of
    payoffs that OpenSpiel declares, or None.

    Examples
    --------
    >>> rules = OpenSpielRules("kuhn_poker")
    >>> rules.player(rules.root()), rules.spec
    (-1, 'openspiel:kuhn_poker')
    """

    version = 1

    def __init__(self, game: Any) -> None:
        pyspiel = _pyspiel()
        self.game = _load_game(game) if isinstance(game, str) else game
        if not isinstance(self.game, pyspiel.Game):
            raise GameError(f"a {type(game).__name__} is not a game of OpenSpiel, nor the name of one")
        kind = self.game.get_type()
        name = self._name = kind.short_name
        if self.game.num_players() != 2:
            raise PlayersError.of(self.game.num_players(), f"OpenSpiel's {name}")
        dynamics = pyspiel.GameType.Dynamics
        if kind.dynamics not in (dynamics.SEQUENTIAL, dynamics.SIMULTANEOUS):
            raise GameError(f"OpenSpiel's {name} is a mean-field game; tremble needs two players who take moves")
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise GameError(f"OpenSpiel's {name} samples its chance moves and does not give their probabilities")
        self._has_information_states = bool(kind.provides_information_state_string)
        if not self._has_information_states and kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
            raise GameError(
                f"OpenSpiel's {name} hides information from the players but has no information_state_string, so the "
                "information sets are unknown"
            )
        self.title = f"{kind.long_name} (OpenSpiel)"
        self._text = game if isinstance(game, str) else None
        self._name_is_complete = _name_is_complete(self.game)
        self.spec = PREFIX + (str(self.game) if self._name_is_complete or not self._text else self._text).removesuffix(
            "()"
        )
        utility = pyspiel.GameType.Utility
        total = self.game.utility_sum() if kind.utility in (utility.ZERO_SUM, utility.CONSTANT_SUM) else None
        self.declared_sum = None if total is None else simplest_near(total)
        self._actions_of_set: tuple[dict[str, _Actions], dict[str, _Actions]] = ({}, {})
        self._shared_actions: dict[_Actions, _Actions] = {}
        self._payoff = cache(lambda one, two: _payoffs((one, two), self.declared_sum))

    def identity(self) -> str | None:
        """Return a text that identifies the game: OpenSpiel's name, all parameters, and the ``version`` of this class.

        For some games, OpenSpiel's name is incomplete. For these games, the text contains the name that the caller
        passed; if the caller passed a game object, return None. Hashes of game files replace paths in parameters.

        Examples
        --------
        >>> OpenSpielRules("kuhn_poker").identity()
        'openspiel:kuhn_poker(players=2) version 1'
        """
        if not self._name_is_complete:
            return self._text and f"{PREFIX}{self._text} version {self.version}"
        settings = ",".join(
            f"{key}={_parameter_identity(value)!r}" for key, value in sorted(self._parameters().items())
        )
        return f"{PREFIX}{self._name}({settings}) version {self.version}"

    def _parameters(self) -> dict[str, Any]:
        """Return all parameters of the game, also those with default values."""
        return {**self.game.get_type().parameter_specification, **self.game.get_parameters()}

    def root(self) -> History:
        """Return the history before the first move."""
        return History(self.game.new_initial_state(), ())

    def player(self, h: History) -> int:
        """Return the player to move. Simultaneous moves are taken in order: first player 1, then player 2."""
        if h.mover is None:
            try:
                h.mover = self._mover(h)
            except TrembleError:
                raise
            except _OPENSPIEL_ERRORS as error:
                raise GameError(f"OpenSpiel's {self._name} fails at a state: {_error_in_words(error)}") from error
        return h.mover

    def knowledge(self, state: Any, player: int) -> str:
        """Return the information state string of a player at a state of OpenSpiel.

        If a game of perfect information has no such string, return the history as text.

        Examples
        --------
        >>> breakthrough = OpenSpielRules("breakthrough(rows=3,columns=2)")
        >>> breakthrough.knowledge(breakthrough.game.new_initial_state().child(2), 1)
        '2'
        """
        text: str = state.information_state_string(player) if self._has_information_states else state.history_str()
        return text

    def _mover(self, h: History) -> int:
        """Return the player to move at a new history. Store legal actions and the information set's key in ``h``."""
        state = h.state
        mover: int = state.current_player()
        if mover >= 0:
            h.legal = tuple(state.legal_actions())
            h.key = self.knowledge(state, mover)
            return mover
        if state.is_terminal():
            return TERMINAL
        if state.is_chance_node():
            return CHANCE
        if not state.is_simultaneous_node():
            raise GameError(f"OpenSpiel's {self._name} reaches a state where no player moves")
        mover = 0 if h.first_move is None else 1
        h.legal = tuple(state.legal_actions(mover)) or (0,)  # OpenSpiel's convention for a player with no action
        h.key = self.knowledge(state, mover)
        return mover

    def actions(self, h: History) -> tuple[str, ...]:
        """Return OpenSpiel's names for the actions at a history; equal names are made distinct."""
        mover, state = self.player(h), h.state
        if mover == CHANCE:
            labels = distinct_labels([state.action_to_string(mover, move) for move in self.moves(h)])
            if not labels:
                self.chance(h)  # raises the error
            return labels
        known = self._actions_of_set[mover].get(h.key)
        if known is None:
            labels = distinct_labels([state.action_to_string(mover, move) for move in h.legal])
            known = h.legal, labels
            known = self._actions_of_set[mover][h.key] = self._shared_actions.setdefault(
                known, known
            )  # equal lists of actions are stored once, because many sets have few different lists
        elif known[0] != h.legal:
            raise GameError(
                f"OpenSpiel's {self._name} gives player {mover + 1} different actions at two states with the same "
                f"information state: {h.key!r:.300}"
            )
        return known[1]

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """Return OpenSpiel's probabilities of the chance actions at a history, as exact fractions."""
        try:
            return exact_distribution(tuple([p for _, p in h.state.chance_outcomes() if p > 0]))
        except GameError as error:
            where = f"after the moves {h.state.history_str()!r:.200}"
            raise GameError(f"OpenSpiel's {self._name} gives invalid rules: {where}, {error}") from None

    def moves(self, h: History) -> tuple[int, ...]:
        """Return OpenSpiel's numbers for the actions at a history, in the order of :meth:`actions`."""
        if self.player(h) == CHANCE:
            return tuple(move for move, p in h.state.chance_outcomes() if p > 0)
        return h.legal

    def child(self, h: History, i: int) -> History:
        """Return the history after action i. If both move at once, the state changes only after player 2's move."""
        move = self.moves(h)[i]
        if not h.state.is_simultaneous_node():
            return History(h.state, (move,))
        if h.first_move is None:
            return History(h.state, (), move)
        return History(h.state, (h.first_move, move))

    def infoset(self, h: History) -> Hashable:
        """Return the key of the information set at a history. It is the :meth:`knowledge` of the player to move."""
        self.player(h)
        return h.key

    def payoff(self, h: History) -> tuple[Fraction, Fraction]:
        """Return both players' payoffs at a terminal history, as exact fractions."""
        player1, player2 = h.state.returns()
        result: tuple[Fraction, Fraction] = self._payoff(player1, player2)
        return result

    def utility_bounds(self) -> tuple[Fraction | int, Fraction | int] | None:
        """Return OpenSpiel's bounds for player 1's payoffs; return None if a bound is infinite."""
        bounds = self.game.min_utility(), self.game.max_utility()
        if not all(-inf < bound < inf for bound in bounds):
            return None
        return pair(bound if bound.denominator != 1 else int(bound) for bound in map(simplest_near, bounds))


class OpenSpielMarkovRules(OpenSpielRules):
    """Rules of a game whose future depends only on both players' current observations and the number of moves.

    :func:`openspiel_rules` returns these rules for the games that are known to have this property. For such a game, the
    double oracle can merge histories with equal futures into one position (see
    :class:`tremble.game.rules.UnbuiltGame`).
    """

    def observation(self, h: History, player: int) -> str:
        """Return OpenSpiel's observation string, which omits the player's earlier observations and actions."""
        text: str = h.state.observation_string(player)
        return intern(text)

    def state_key(self, h: History) -> Hashable:
        """Return a tuple: mover, player 1's choice if player 2 must still choose, move number, both observations."""
        state = h.state
        return (
            state.current_player(),
            h.first_move,
            state.move_number(),
            intern(state.observation_string(0)),
            intern(state.observation_string(1)),
        )


_MARKOV: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "dark_hex": lambda given: given["gameversion"] == "adh" or given["obstype"] == "reveal-numturns",
    "goofspiel": lambda given: bool(given["imp_info"]),
    "latent_ttt": lambda given: True,
    "oshi_zumo": lambda given: True,
    "phantom_ttt": lambda given: True,
}
"""A dict from names of games to functions that check if the game has the property of :class:`OpenSpielMarkovRules`.

Each function gets the parameters of the game. Tests check the property by random play. Other games do not have the
property. In ``dark_hex`` and ``goofspiel`` with other parameters, and in the games ``..._ir``, OpenSpiel's information
state strings give players information and later omit it. In ``battleship``, the strings say more than observations.
"""


def openspiel_rules(game: Any) -> OpenSpielRules:
    """Return the rules of a game of OpenSpiel, with ``observation`` and ``state_key`` if histories can be merged.

    Parameters
    ----------
    game : str or pyspiel.Game

    Returns
    -------
    OpenSpielRules
        An :class:`OpenSpielMarkovRules` if histories can be merged.

    Raises
    ------
    SpecError, PlayersError, GameError
        See :class:`OpenSpielRules`.

    Examples
    --------
    >>> [hasattr(openspiel_rules(text), "state_key") for text in ("phantom_ttt", "liars_dice")]
    [True, False]
    """
    rules = OpenSpielRules(game)
    fits = _MARKOV.get(rules._name)
    if fits is None or not fits(rules._parameters()):
        return rules
    return OpenSpielMarkovRules(rules.game)


def _pyspiel() -> Any:
    try:
        with interrupts_held_back():
            import pyspiel
    except ImportError as error:
        raise TrembleError("OpenSpiel is not installed: pip install 'tremble[openspiel]'") from error
    return pyspiel


def _name_is_complete(game: Any) -> bool:
    """Check that OpenSpiel can load the game again from its name. Names of some transformed games are incomplete."""
    name = game.get_type().short_name
    return name in _pyspiel().registered_names() and name != "normal_form_extensive_game"


def _parameter_identity(value: Any) -> Any:
    """Return the value of a parameter, or a hash of the file if the value is the path of a game file."""
    if isinstance(value, str) and value.endswith((".efg", ".nfg")):
        with suppress(OSError):
            return hashlib.sha256(Path(value).read_bytes()).hexdigest()
    return value


def _load_game(text: str) -> Any:
    pyspiel = _pyspiel()
    name = text.partition("(")[0].strip()
    if name not in pyspiel.registered_names() or "python_" in text:
        with interrupts_held_back():
            import open_spiel.python.games  # noqa: F401 (registers the games that are written in Python)
    known = pyspiel.registered_names()
    if name not in known:
        raise SpecError(
            f"OpenSpiel has no game {name!r:.80}; "
            + (did_you_mean(name, known) or "pyspiel.registered_names() lists its games")
        )
    try:
        return pyspiel.load_game(text)
    except _OPENSPIEL_ERRORS as error:
        kind = next(kind for kind in pyspiel.registered_games() if kind.short_name == name)
        listed = ", ".join(kind.parameter_specification) or "none"
        raise SpecError(
            f"OpenSpiel cannot load {text!r:.200}: {_error_in_words(error)}; parameters of {name}: {listed}"
        ) from None


_OPENSPIEL_ERRORS = (RuntimeError, LookupError, TypeError, ValueError, AttributeError, AssertionError)
"""Exceptions that OpenSpiel raises: ``RuntimeError`` for errors in C++, and the other types for games in Python."""


def _error_in_words(error: Exception) -> str:
    """Return an OpenSpiel error in one line: for a failed internal check, only the type and the end of the text."""
    text = " ".join(str(error).split()).partition(" Available parameters are:")[0].removesuffix(".")
    if "file.cc" in text:
        return "it cannot open the file"
    if not text or "CHECK_" in text or isinstance(error, LookupError | AssertionError):
        return f"an internal check fails ({type(error).__name__}: {text.rpartition('/')[2]:.200})"
    return text


# -- loading -----------------------------------------------------------------------------------------


_GAMES: KeptWith[GameTree, list[Any]] = KeptWith(lambda _tree: [])
"""A dict from each tree built in this process to its OpenSpiel game, because some games cannot be loaded by name."""


def load_openspiel(
    text_or_game: Any,
    *,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> GameTree:
    """Build the tree of a two-player game of OpenSpiel.

    Parameters
    ----------
    text_or_game : str, pyspiel.Game or OpenSpielRules
        A game, or its name, such as ``"kuhn_poker"`` or ``"goofspiel(num_cards=3,imp_info=True)"``.
    max_nodes : int
        Raise ``TooLargeError`` if the tree has more nodes, or at once if an estimate shows that it has many more.
    progress : callable, optional
        A function that is called with the number of nodes so far.

    Returns
    -------
    GameTree
        ``infoset_labels`` are OpenSpiel's information state strings.

    Raises
    ------
    SpecError, PlayersError, TooLargeError, GameError
    TrembleError
        OpenSpiel is not installed.

    Examples
    --------
    >>> load_openspiel("kuhn_poker").num_nodes
    58
    """
    rules = text_or_game if isinstance(text_or_game, OpenSpielRules) else OpenSpielRules(text_or_game)
    try:
        refuse_if_hopeless(rules, max_nodes, rules.spec, width=lambda h: len(rules.moves(h)))
        tree = build(rules, max_nodes=max_nodes, progress=progress, spec=rules.spec)
        _GAMES(tree).append(rules.game)
        return tree
    except TrembleError:
        raise
    except _OPENSPIEL_ERRORS as error:
        raise GameError(f"OpenSpiel failed while {rules.spec} was built: {_error_in_words(error)}") from error


# -- policies of a game ----------------------------------------------------------------------------


def rules_and_tree(tree_or_game: Any) -> tuple[OpenSpielRules, GameTree]:
    """Return the rules and the tree of a game of OpenSpiel.

    ``tree_or_game`` is a tree that was built from OpenSpiel, a game of OpenSpiel, or the name of such a game.

    Examples
    --------
    >>> rules, tree = rules_and_tree(load_openspiel("kuhn_poker"))
    >>> rules.spec == tree.spec
    True
    """
    if not isinstance(tree_or_game, GameTree):
        rules = OpenSpielRules(tree_or_game)
        return rules, load_openspiel(rules)
    tree = tree_or_game
    for game in _GAMES(tree):
        return OpenSpielRules(game), tree
    if tree.spec is None or not tree.spec.startswith(PREFIX):
        raise GameError('only a tree loaded from OpenSpiel ("openspiel:...") can be used with policies of OpenSpiel')
    return OpenSpielRules(tree.spec.removeprefix(PREFIX)), tree


def require_same(rules: OpenSpielRules, h: History, tree: GameTree, node: int) -> None:
    """Raise ``GameError`` unless a history and a node of the tree have the same mover and number of actions."""
    mover = rules.player(h)
    if mover != tree.player[node] or (mover != TERMINAL and len(rules.moves(h)) != tree.num_children[node]):
        raise GameError(f"the tree does not belong to the game {rules.spec}")
