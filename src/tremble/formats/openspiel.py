"""Games of OpenSpiel as trees.

Needs the extra ``openspiel``. An information set is what OpenSpiel's ``information_state_string`` says to
the mover; that text becomes the label of the set, which is the way back. Games of perfect information that have no
such text are played with their history, which then is what everybody knows. Where both players move at once,
player 1 comes first in the tree and player 2 does not see the move. Games that OpenSpiel writes in Python
(``python_kuhn_poker``) are registered when one is asked for.

**Chance** is given by OpenSpiel in floats. Each probability becomes the simplest fraction within 4 units
in the last place; if those do not sum to one, within a relative 1e-12, then 1e-9; failing that, the last
outcome takes the rest, if that moves it by at most 1e-9. Outcomes of probability zero are left out.

**Payoffs** become the simplest fraction within 4 units in the last place of the float. In games that
OpenSpiel declares to be of constant sum, player 2 gets that sum less player 1's payoff.
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

from tremble.errors import GameError, PlayersError, SpecError, TrembleError
from tremble.formats.chance_repair import mend_floats, simplest_near
from tremble.formats.gambit_labels import distinct_labels
from tremble.game.protocol import CHANCE, TERMINAL
from tremble.game.tree import GameTree
from tremble.game.tree_builder import DEFAULT_MAX_NODES, build
from tremble.game.tree_size import refuse_if_hopeless
from tremble.pairs import pair
from tremble.run.clock import interrupts_held_back
from tremble.value import KeptWith
from tremble.words import did_you_mean

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
    """Find exact positive probabilities that sum to one and round to the given floats, none off by more than 1e-9.

    Examples
    --------
    >>> exact_distribution((0.1666666666666667,) * 6)[0]
    Fraction(1, 6)
    """
    if not floats:
        raise GameError("chance has no outcome, which is no distribution")
    if not all(0 < p <= 1 + 1e-9 for p in floats) or abs(sum(floats) - 1) > 1e-9 * len(floats):
        raise GameError(f"the chance probabilities are no distribution: {_shown(floats)}")
    mended = mend_floats(floats)
    if mended is None:
        raise GameError(f"the chance probabilities are not within 1e-9 of any that sum to one: {_shown(floats)}")
    return mended


def _shown(floats: tuple[float, ...]) -> str:
    return ", ".join(map(repr, floats[:8])) + (", ..." if len(floats) > 8 else "")


def _payoffs(returns: Sequence[float], total: Fraction | None) -> tuple[Fraction, Fraction]:
    for value in returns:
        if not -inf < value < inf:
            raise GameError(f"OpenSpiel gives the payoff {value}")
    player1 = simplest_near(returns[0])
    if total is None:
        return player1, simplest_near(returns[1])
    player2 = total - player1
    if abs(float(player2) - returns[1]) > 1e-9 * max(1.0, abs(returns[0]), abs(returns[1])):
        raise GameError(f"OpenSpiel says that payoffs sum to {float(total)}, but gives {returns[0]} and {returns[1]}")
    return player1, player2


# -- the rules ---------------------------------------------------------------------------------------


class History:
    """A state of OpenSpiel, made when first looked at.

    ``first_move`` is player 1's choice where both move at once and player 2's is still missing.
    Equal if what has happened is equal.
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
        """The state of OpenSpiel; never change it."""
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


_Menu = tuple[tuple[int, ...], tuple[str, ...]]
"""OpenSpiel's numbers of the legal actions, and their labels."""


class OpenSpielRules:
    """A two-player game of OpenSpiel, loaded or by its name, with the :class:`tremble.Game` protocol.

    Mean-field games, sampled chance, and hidden information without information states have no finite exact tree.
    ``declared_sum`` is what the payoffs of both players sum to, if OpenSpiel declares that they always do.

    Examples
    --------
    >>> rules = OpenSpielRules("kuhn_poker")
    >>> rules.player(rules.root()), rules.spec
    (-1, 'openspiel:kuhn_poker')
    """

    version = 1

    def __init__(self, game: Any) -> None:
        pyspiel = _pyspiel()
        self.game = _loaded(game) if isinstance(game, str) else game
        if not isinstance(self.game, pyspiel.Game):
            raise GameError(f"a {type(game).__name__} is no game of OpenSpiel, nor the text that names one")
        kind = self.game.get_type()
        name = self._name = kind.short_name
        if self.game.num_players() != 2:
            raise PlayersError.of(self.game.num_players(), f"OpenSpiel's {name}")
        dynamics = pyspiel.GameType.Dynamics
        if kind.dynamics not in (dynamics.SEQUENTIAL, dynamics.SIMULTANEOUS):
            raise GameError(f"OpenSpiel's {name} is a mean-field game; tremble needs two players who take moves")
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise GameError(f"OpenSpiel's {name} samples its chance moves and does not tell their probabilities")
        self._told = bool(kind.provides_information_state_string)
        if not self._told and kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
            raise GameError(
                f"OpenSpiel's {name} hides something from the players and does not say what a player knows (it has no "
                "information_state_string)"
            )
        self.title = f"{kind.long_name} (OpenSpiel)"
        self._text = game if isinstance(game, str) else None
        self._named = _named(self.game)
        self.spec = PREFIX + (str(self.game) if self._named or not self._text else self._text).removesuffix("()")
        utility = pyspiel.GameType.Utility
        total = self.game.utility_sum() if kind.utility in (utility.ZERO_SUM, utility.CONSTANT_SUM) else None
        self.declared_sum = None if total is None else simplest_near(total)
        self._menus: tuple[dict[str, _Menu], dict[str, _Menu]] = ({}, {})
        self._same: dict[_Menu, _Menu] = {}
        self._payoff = cache(lambda one, two: _payoffs((one, two), self.declared_sum))

    def identity(self) -> str | None:
        """What tells the game from others: OpenSpiel's name with all parameters, and the version of these rules.

        Of games whose name does not tell all, it is the text that they were loaded by, or None; a file that a game is
        read from is a parameter by its content.

        Examples
        --------
        >>> OpenSpielRules("kuhn_poker").identity()
        'openspiel:kuhn_poker(players=2) version 1'
        """
        if not self._named:
            return self._text and f"{PREFIX}{self._text} version {self.version}"
        settings = ",".join(f"{key}={_content(value)!r}" for key, value in sorted(self._parameters().items()))
        return f"{PREFIX}{self._name}({settings}) version {self.version}"

    def _parameters(self) -> dict[str, Any]:
        """All parameters, those with default values too."""
        return {**self.game.get_type().parameter_specification, **self.game.get_parameters()}

    def root(self) -> History:
        """OpenSpiel's initial state."""
        return History(self.game.new_initial_state(), ())

    def player(self, h: History) -> int:
        """Who moves; where both do, player 1 and then player 2."""
        if h.mover is None:
            try:
                h.mover = self._look(h)
            except TrembleError:
                raise
            except _COMPLAINTS as error:
                raise GameError(f"OpenSpiel's {self._name} cannot go on: {_said(error)}") from error
        return h.mover

    def knowledge(self, state: Any, player: int) -> str:
        """What a player knows at a state of OpenSpiel: the information state string.

        In games of perfect information that have none it is the history.

        Examples
        --------
        >>> breakthrough = OpenSpielRules("breakthrough(rows=3,columns=2)")
        >>> breakthrough.knowledge(breakthrough.game.new_initial_state().child(2), 1)
        '2'
        """
        text: str = state.information_state_string(player) if self._told else state.history_str()
        return text

    def _look(self, h: History) -> int:
        """Find out who moves at a new history and what is legal."""
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
            raise GameError(f"OpenSpiel's {self._name} reaches a state where nobody moves")
        mover = 0 if h.first_move is None else 1
        h.legal = tuple(state.legal_actions(mover)) or (0,)  # OpenSpiel's convention for a player with no action
        h.key = self.knowledge(state, mover)
        return mover

    def actions(self, h: History) -> tuple[str, ...]:
        """OpenSpiel's names of the actions, made unique."""
        mover, state = self.player(h), h.state
        if mover == CHANCE:
            labels = distinct_labels([state.action_to_string(mover, move) for move in self.moves(h)])
            if not labels:
                self.chance(h)  # says so
            return labels
        menu = self._menus[mover].get(h.key)
        if menu is None:
            labels = distinct_labels([state.action_to_string(mover, move) for move in h.legal])
            menu = h.legal, labels
            menu = self._menus[mover][h.key] = self._same.setdefault(menu, menu)  # few menus serve many sets
        elif menu[0] != h.legal:
            raise GameError(
                f"OpenSpiel's {self._name} allows player {mover + 1} different actions at states that it does not tell "
                f"apart: {h.key!r:.300}"
            )
        return menu[1]

    def chance(self, h: History) -> tuple[Fraction, ...]:
        """OpenSpiel's probabilities, made exact."""
        try:
            return exact_distribution(tuple([p for _, p in h.state.chance_outcomes() if p > 0]))
        except GameError as error:
            where = f"after the moves {h.state.history_str()!r:.200}"
            raise GameError(f"OpenSpiel's {self._name} states its rules badly: {where}, {error}") from None

    def moves(self, h: History) -> tuple[int, ...]:
        """OpenSpiel's numbers of the actions."""
        if self.player(h) == CHANCE:
            return tuple(move for move, p in h.state.chance_outcomes() if p > 0)
        return h.legal

    def child(self, h: History, i: int) -> History:
        """One more action; of both players at once where they move at once."""
        move = self.moves(h)[i]
        if not h.state.is_simultaneous_node():
            return History(h.state, (move,))
        if h.first_move is None:
            return History(h.state, (), move)
        return History(h.state, (h.first_move, move))

    def infoset(self, h: History) -> Hashable:
        """OpenSpiel's information state string."""
        self.player(h)
        return h.key

    def payoff(self, h: History) -> tuple[Fraction, Fraction]:
        """OpenSpiel's returns, made exact."""
        player1, player2 = h.state.returns()
        result: tuple[Fraction, Fraction] = self._payoff(player1, player2)
        return result

    def utility_bounds(self) -> tuple[Fraction | int, Fraction | int] | None:
        """Bounds on player 1's payoffs, as OpenSpiel states them; None where they are infinite."""
        bounds = self.game.min_utility(), self.game.max_utility()
        if not all(-inf < bound < inf for bound in bounds):
            return None
        return pair(bound if bound.denominator != 1 else int(bound) for bound in map(simplest_near, bounds))


class OpenSpielMarkovRules(OpenSpielRules):
    """Rules of a game in which what both players perceive, and the number of moves, decide the future.

    :func:`openspiel_rules` makes them of the games of which that is known, so that the double oracle can merge
    histories into positions (see :class:`tremble.game.rules.UnbuiltGame`).
    """

    def observation(self, h: History, player: int) -> str:
        """OpenSpiel's observation string; with own earlier ones and own actions, the information state."""
        text: str = h.state.observation_string(player)
        return intern(text)

    def state_key(self, h: History) -> Hashable:
        """Who moves, what else both have chosen at once, the number of moves, and the observations of both."""
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
"""Games of :class:`OpenSpielMarkovRules`, and for which parameters they are.

What must hold is tested by random play. Others fail: OpenSpiel's information state strings of ``dark_hex`` and
``goofspiel`` with other parameters, and of the games ``..._ir``, tell players things and forget them again; those of
``battleship`` tell more than its observations.
"""


def openspiel_rules(game: Any) -> OpenSpielRules:
    """Rules of a game of OpenSpiel, with all that is known of it.

    Parameters
    ----------
    game : str or pyspiel.Game

    Returns
    -------
    OpenSpielRules
        With ``observation`` and ``state_key`` where histories can be merged.

    Raises
    ------
    SpecError, PlayersError, GameError
        As :class:`OpenSpielRules`.

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


def _named(game: Any) -> bool:
    """Whether OpenSpiel's own name for a game makes the same game: some that are made of others do not name these."""
    name = game.get_type().short_name
    return name in _pyspiel().registered_names() and name != "normal_form_extensive_game"


def _content(value: Any) -> Any:
    """The value of a parameter; of the name of a file, what is in it."""
    if isinstance(value, str) and value.endswith((".efg", ".nfg")):
        with suppress(OSError):
            return hashlib.sha256(Path(value).read_bytes()).hexdigest()
    return value


def _loaded(text: str) -> Any:
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
    except _COMPLAINTS as error:
        kind = next(kind for kind in pyspiel.registered_games() if kind.short_name == name)
        listed = ", ".join(kind.parameter_specification) or "none"
        raise SpecError(
            f"OpenSpiel cannot load {text!r:.200}: {_said(error)}; parameters of {name}: {listed}"
        ) from None


_COMPLAINTS = (RuntimeError, LookupError, TypeError, ValueError, AttributeError, AssertionError)
"""What C++ exceptions become (a ``SpielError`` is a ``RuntimeError``), and what games written in Python raise."""


def _said(error: Exception) -> str:
    """What OpenSpiel says went wrong, in a line; its assertions name a line of its own code."""
    said = " ".join(str(error).split()).partition(" Available parameters are:")[0].removesuffix(".")
    if "file.cc" in said:
        return "it cannot open the file"
    if not said or "CHECK_" in said or isinstance(error, LookupError | AssertionError):
        return f"an internal check fails ({type(error).__name__}: {said.rpartition('/')[2]:.200})"
    return said


# -- loading -----------------------------------------------------------------------------------------


_GAMES: KeptWith[GameTree, list[Any]] = KeptWith(lambda _tree: [])
"""The game of OpenSpiel that a tree was built from, in this process: not all can be loaded again by a name."""


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
        Such as ``"kuhn_poker"`` or ``"goofspiel(num_cards=3,imp_info=True)"``, or a loaded game.
    max_nodes : int
        Larger trees raise ``TooLargeError``; hopelessly larger ones at once, by an estimate of their size.
    progress : callable, optional
        Called with the number of nodes so far.

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
    except _COMPLAINTS as error:
        raise GameError(f"OpenSpiel failed while {rules.spec} was built: {_said(error)}") from error


# -- policies of a game ----------------------------------------------------------------------------


def rules_and_tree(tree_or_game: Any) -> tuple[OpenSpielRules, GameTree]:
    """Both forms of a game of OpenSpiel, given as a tree that came from there, by its name or as it is.

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
        raise GameError('only a tree loaded from OpenSpiel ("openspiel:...") has policies in OpenSpiel')
    return OpenSpielRules(tree.spec.removeprefix(PREFIX)), tree


def require_same(rules: OpenSpielRules, h: History, tree: GameTree, node: int) -> None:
    """Raise ``GameError`` unless a history and a node have the same mover and as many actions."""
    mover = rules.player(h)
    if mover != tree.player[node] or (mover != TERMINAL and len(rules.moves(h)) != tree.num_children[node]):
        raise GameError(f"the tree is not that of {rules.spec}")
