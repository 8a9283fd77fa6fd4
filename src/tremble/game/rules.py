"""Games that are given by their rules, without a tree, and strategies for such games.

A strategy lists the probabilities at *some* information sets. At all other information sets it follows a *default*: a
rule that chooses one action from the history alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from tremble.errors import GameError, ImperfectRecallError
from tremble.game.protocol import Game
from tremble.game.tree_arrays import require_rules
from tremble.shown import Shown
from tremble.value import Value
from tremble.words import for_reader

__all__ = [
    "DEFAULT_RULES",
    "DefaultRule",
    "OwnMove",
    "StrategyInArrays",
    "UnbuiltGame",
    "UnbuiltStrategy",
    "key_text",
    "no_perfect_recall",
    "text_of_key",
]

OwnMove = tuple[str, str]
"""An own move of a player: the key of the information set as text, and the label of the action at this set."""

_OWN_MOVES_SHOWN = 5

DEFAULT_RULES: Mapping[str, str] = {
    "first": "the first action",
    "rules": "the action that the rules' own default(h) names",
}
"""Name of a default rule -> the action it plays."""


def key_text(rules: Game, h: Any) -> str:
    """Return the text that represents the key of the information set at ``h`` in files."""
    return text_of_key(rules.infoset(h))


def text_of_key(key: Any) -> str:
    """Return a key of ``infoset(h)`` as text that is equal in every run; raise ``GameError`` if this is impossible."""
    return key if isinstance(key, str) else _text(key)


def _text(value: Any) -> str:
    if value is None or isinstance(value, str | bytes | int | float | Fraction):
        return repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_text, value)))}}}"
    if isinstance(value, Enum):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        inside = ", ".join(f"{part.name}={_text(getattr(value, part.name))}" for part in fields(value))
        return f"{type(value).__name__}({inside})"
    raise GameError(
        f"infoset(h) is or contains a {type(value).__name__}, whose text may differ between runs; use text, numbers, "
        "tuples, frozensets, enumerations and frozen dataclasses"
    )


def no_perfect_recall(player: int, key: str, one: Sequence[OwnMove], two: Sequence[OwnMove]) -> ImperfectRecallError:
    """Return the error for an information set that a player reaches after two different own histories.

    Examples
    --------
    >>> print(no_perfect_recall(0, "any card", [], [("any card", "check")]))
    player 1 forgets: it reaches the information set 'any card' after no own move, and after 'check' at 'any card'; \
playing from rules needs perfect recall: infoset(h) must depend on all that the player knew and did before (the \
concept maxmin does not need perfect recall, but a tree)
    """
    return ImperfectRecallError(
        f"player {player + 1} forgets: it reaches the information set {key!r:.300} after {_own_history(one)}, and "
        f"after {_own_history(two)}; playing from rules needs perfect recall: infoset(h) must depend on all that "
        "the player knew and did before (the concept maxmin does not need perfect recall, but a tree)"
    )


def _own_history(moves: Sequence[OwnMove]) -> str:
    """Return the first five own moves in words."""
    shown = [f"{label!r:.80} at {key!r:.80}" for key, label in moves[:_OWN_MOVES_SHOWN]]
    more = len(moves) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "") or "no own move"


@dataclass(frozen=True, eq=False, repr=False)
class DefaultRule(Value):
    """A rule that chooses the actions at all information sets for which a strategy has no row.

    Attributes
    ----------
    rule : str
        A name in ``DEFAULT_RULES``.
    parameters : mapping
        Always empty, because no rule in ``DEFAULT_RULES`` has parameters.

    Examples
    --------
    >>> import tremble
    >>> rules = tremble.load_rules("matching_pennies").rules
    >>> DefaultRule("first").action(rules, rules.root())
    0
    """

    rule: str = "first"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, rules: Game) -> DefaultRule:
        """Return the default rule of a game: its own ``default(h)`` if it has this method, else the first action."""
        return cls("rules" if hasattr(rules, "default") else "first")

    def action(self, rules: Any, h: Any) -> int:
        """Return the position of the action that this default rule plays at ``h``.

        Raises
        ------
        GameError
            ``default(h)`` is not the position of an action.
        """
        if self.rule == "first":
            return 0
        index = rules.default(h)
        if not isinstance(index, int) or not 0 <= index < len(rules.actions(h)):
            raise GameError(
                f"default(h) must be the position of an action, not {index!r:.60} (at {key_text(rules, h)!r:.200})"
            )
        return index


class StrategyInArrays(Value):
    """Base class of strategies that are too long for JSON text, so a separate file stores them as arrays.

    A capability (:mod:`tremble.capabilities`) defines the subclasses, and the functions that read and write the arrays.
    Each subclass is a dataclass with a field ``game``: the game, its spec, or None if the game is unknown. A solution
    sets this field of its strategies.
    """

    player: int
    denominator: int
    game: UnbuiltGame | str | None

    @property
    def sizes_in_words(self) -> str:
        """The sizes of the strategy's arrays, as text."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class UnbuiltStrategy(Value):
    """A behavior strategy: a row of probabilities at some information sets, and a default rule at all others.

    Attributes
    ----------
    player : int
        0 or 1.
    default : DefaultRule
    rows : mapping
        Key of an information set (:func:`key_text`) -> pairs (action label, probability) of all its actions.

    Examples
    --------
    Bet with the king; with other cards play the first action, which is to check:

    >>> import tremble
    >>> king = UnbuiltStrategy(0, DefaultRule("first"), {"K:": (("check", Fraction(0)), ("bet", Fraction(1)))})
    >>> rules = tremble.load_rules("kuhn").rules
    >>> [king.probabilities(rules, rules.child(rules.root(), deal)) for deal in (0, 4)]
    [(Fraction(1, 1), Fraction(0, 1)), (Fraction(0, 1), Fraction(1, 1))]
    """

    player: int
    default: DefaultRule
    rows: Mapping[str, tuple[tuple[str, Fraction], ...]]

    def probabilities(self, rules: Any, h: Any) -> tuple[Fraction, ...]:
        """Return the probabilities of the actions at a history at which the player moves."""
        row = self.rows.get(key_text(rules, h))
        if row is not None:
            return tuple(p for _, p in row)
        played = self.default.action(rules, h)
        return tuple(Fraction(int(i == played)) for i in range(len(rules.actions(h))))


@dataclass(frozen=True, eq=False)
class UnbuiltGame(Shown):
    """A game given by its rules, without a tree.

    Attributes
    ----------
    rules : Game
        The rules have the methods of :class:`tremble.Game`. If they also have the following methods, tremble uses them:

        ``default(h) -> int``
            The position of a sensible action, equal at all histories of an information set.
        ``observation(h, player) -> hashable``
            What the mover ``player`` sees at ``h``. The player's earlier observations and actions at its own moves, in
            order, and this observation together determine the information set.
        ``state_key(h) -> hashable``
            Histories with equal keys have equal futures: mover, actions, chance, payoffs, observations and defaults are
            equal at these histories and remain equal after equal actions. It is ignored without ``observation``.
        ``utility_bounds() -> (low, high)``
            Bounds for the payoffs of player 1; None if unknown.
        ``counts()``
            Sizes of the game, in the form of ``tremble info``.
        ``identity() -> str``
            A text that identifies the game; None if no such text is known.
    title : str
    spec : str or None
        The text that :func:`tremble.load` loads the game from.
    digest : str or None
        ``"rules:"`` and the hash of ``identity()``; None if ``identity()`` is missing or returns None.
    players : pair of str

    Examples
    --------
    >>> import tremble
    >>> game = tremble.load_rules("leduc:ranks=1000")
    >>> game.title, game.digest[:6]
    ('Leduc poker, 1000 ranks, 2 raises a round', 'rules:')
    """

    rules: Game
    title: str
    spec: str | None
    digest: str | None
    players: tuple[str, str] = ("Player 1", "Player 2")

    def __eq__(self, other: object) -> bool:
        """Compare the digests. Games without a digest are equal only if their ``rules`` are the same object."""
        if not isinstance(other, UnbuiltGame):
            return NotImplemented
        return self.digest == other.digest and (self.digest is not None or self.rules is other.rules)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<UnbuiltGame {self.title!r:.60}>"

    @classmethod
    def of(cls, rules: object, *, spec: str | None = None) -> UnbuiltGame:
        """Make a game from rules. Copy the title and the players from the rules, and compute the rules' digest.

        Raises
        ------
        GameError
            The object does not have the methods of rules.
        """
        known = require_rules(rules)
        said = getattr(rules, "identity", lambda: None)()
        if not isinstance(said, str | None):
            raise GameError(f"identity() must be None, or a text that identifies the game, not {said!r:.100}")
        digest = None if said is None else "rules:" + hashlib.sha256(said.encode()).hexdigest()
        return cls(
            rules=known,
            title=str(getattr(rules, "title", type(rules).__name__)),
            spec=spec,
            digest=digest,
            players=getattr(rules, "players", ("Player 1", "Player 2")),
        )


def not_built(whose: str = "") -> GameError:
    """Return the error for strategies that do not belong to a tree; ``whose`` names the strategies in the message."""
    takers = for_reader("tremble.verify and tremble.nash_conv", "verify and respond")
    build = for_reader("tremble.build(rules)", "--max-nodes")
    return GameError(
        f"{whose and f'{whose}: '}the strategies belong to a game that is not built: they do not list the information "
        f"sets of a tree; {takers} accept them; to get strategies of the tree, build it ({build})"
    )
