"""Solutions: strategies with the verdict of the checker."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, cast, overload

from tremble.check import Verification
from tremble.errors import GameError
from tremble.game.tree import GameTree
from tremble.lazy import KeptWith
from tremble.solution.assessment import Assessment, not_explained
from tremble.solution.claim import Strategy
from tremble.solution.claims import of_rules
from tremble.solution.explanation import Explanation, Explanations
from tremble.solution.stated import StatedSolution
from tremble.solution.strategy_documents import arrays

__all__ = ["Solution", "no_hands"]

Place = str | int | tuple[str, str]

if TYPE_CHECKING:  # defaults of type variables are in `typing` from Python 3.13 on
    from typing_extensions import TypeVar

    S_co = TypeVar("S_co", bound=Strategy, default=Strategy, covariant=True)
else:
    from typing import TypeVar

    S_co = TypeVar("S_co")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Solution(StatedSolution, Generic[S_co]):
    """A result of :func:`tremble.solve`: a pair of strategies with the checker's verdict.

    The checker, not the solver, computes the status, the values and the bounds.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy, or of UnbuiltStrategy or OrderedStrategy if the game is not built
        For type checkers, a ``Solution[BehaviorStrategy]`` belongs to a tree, and a plain ``Solution`` to any game.
    verification : Verification

    See Also
    --------
    tremble.results.StatedSolution : all other attributes, reading and writing.

    Examples
    --------
    >>> import tremble
    >>> solution = tremble.solve(tremble.load("kuhn"), concept="quasi-perfect")
    >>> solution.value, solution.verification.proven
    (Fraction(-1, 18), 'quasi-perfect')
    """

    strategies: tuple[S_co, S_co]
    verification: Verification = field(compare=False)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of :meth:`StatedSolution.to_rows`.

        In an ordered game, each class of hands has rows; in a flop, turn or river of Texas Hold'em, each hand.
        """
        rows = None if self.ordered is None else arrays().rows_of_classes(self.played, self.ordered)
        return super().to_rows() if rows is None else cast("list[dict[str, Any]]", rows)

    def hands(self, line: str = "") -> list[dict[str, Any]]:
        """Return a row for each hand of the player to move, on a flop, turn or river of Texas Hold'em.

        Parameters
        ----------
        line : str
            The moves before the decision, separated by commas, with the river card of a turn between them, such as
            ``"check, bet 75"`` or ``"check, check, 2h, bet 50"``.

        Returns
        -------
        list of dict
            Each row has the keys ``hand``, ``weight`` (in the range, times the probability of the own moves so far),
            ``equity`` (chance to win a showdown; a tie is half), ``ev`` (expected chips from the pot, minus the chips
            that the player still adds), and for each action its probability and, after the word ``ev``, its EV. If
            the opponent's strategy never leads to the decision, these entries contain None. All numbers are floats.

        Raises
        ------
        GameError
            The game is not a flop, turn or river of Texas Hold'em.
        SpecError
            No decision follows the moves.

        Examples
        --------
        >>> import tremble
        >>> from tremble.poker import HoldemRiver
        >>> game = HoldemRiver("Kh9d7s4c2h", pot=20, stack=20, bets="100", range1="AA,QQ", range2="KK,JJ")
        >>> solution = tremble.solve(game, method="dcfr", gap="0.01")
        >>> row = solution.hands()[0]
        >>> row["hand"], row["weight"], row["equity"]
        ('QdQc', 1.0, 0.6666666666666666)
        """
        if self.ordered is None:
            raise no_hands()
        return cast("list[dict[str, Any]]", arrays().table_of_hands(self.played, self.ordered, line)[1])

    @overload
    def explain(self, infoset: Place, *, player: int | None = None) -> Explanation: ...

    @overload
    def explain(self, infoset: None = None, *, player: int | None = None, most: int = 10) -> Explanations: ...

    def explain(
        self, infoset: Place | None = None, *, player: int | None = None, most: int = 10
    ) -> Explanation | Explanations:
        """Explain a player's choice at an information set: reach, belief, value of each action, and the next moves.

        Parameters
        ----------
        infoset : str, int or pair of str, optional
            The label of the set, or its index from 0. An index needs ``player``. By default, the method explains the
            sets that play reaches, starting with the choice that has the greatest effect on the expected payoff. On a
            river or a turn of Texas Hold'em, a hand and the moves before the decision: ``"AhKd check, bet 75"`` or
            ``("AhKd", "check, bet 75")``. The replies are then means over the opponent's hands and the river cards.
        player : int, optional
            The player who moves: 0 or 1. Needed if both players have a set with this label. Without ``infoset``, the
            method explains only this player's sets. With neither argument, it explains sets of both players.
        most : int
            The greatest number of sets to explain if ``infoset`` is not given.

        Returns
        -------
        Explanation, or Explanations
            The result prints as a few sentences. Its attributes contain the exact numbers.

        Raises
        ------
        GameError
            ``infoset`` matches no set or more than one set, or the game is not built.

        See Also
        --------
        tremble.explain : explains strategies from any source.

        Examples
        --------
        >>> import tremble
        >>> solution = tremble.solve(tremble.load("entry_deterrence"), concept="sequential")
        >>> print(solution.explain("incumbent"))
        Incumbent at information set 1 ('incumbent'): play comes here with probability 1.
        It knows where it is.
        It plays accommodate, which earns 2. The next best is fight, which earns 0: 2 less.
        After accommodate or fight, Entrant moves no more.
        """
        known = self._assessment
        found: Explanation | Explanations
        found = known.most_at_stake(most, player) if infoset is None else known.explained(*known.place(infoset, player))
        return found

    def action_values(self, infoset: Place, *, player: int | None = None) -> dict[str, Fraction | None]:
        """Return the player's expected payoff for each action at an information set, given that play reaches the set.

        Both players then continue as in the solution. The result contains None for a payoff that depends on a belief
        that the strategies do not determine. :meth:`explain` describes the parameters.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.load("kuhn")).action_values("K:b")
        {'fold': Fraction(-1, 1), 'call': Fraction(2, 1)}
        """
        known = self._assessment
        worth = known.explained(*known.place(infoset, player), replies=False).actions
        return {action.action: action.value for action in worth}

    def beliefs_at(self, infoset: Place, *, player: int | None = None) -> dict[tuple[str, ...], Fraction | None]:
        """Return the belief at an information set as a dict. The keys are the paths from the root to the nodes.

        The values are the nodes' probabilities, or None if neither the strategies nor the beliefs of the solution
        determine the probabilities. :meth:`explain` describes the parameters.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.load("kuhn")).beliefs_at("Q:c")
        {('JQ', 'check'): Fraction(1, 2), ('KQ', 'check'): Fraction(1, 2)}
        """
        known = self._assessment
        return {node.path: node.belief for node in known.explained(*known.place(infoset, player), replies=False).nodes}

    def node_values(
        self, infoset: Place, *, player: int | None = None
    ) -> dict[tuple[str, ...], tuple[Fraction, Fraction]]:
        """Return the payoffs of players 1 and 2 if play starts at a node, for each node of an information set.

        The keys of the dict are the paths of the nodes. :meth:`explain` describes the parameters.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.load("kuhn")).node_values("K:b")[("JK", "bet")]
        (Fraction(-2, 1), Fraction(2, 1))
        """
        known = self._assessment
        return {node.path: node.values for node in known.explained(*known.place(infoset, player), replies=False).nodes}

    @property
    def _assessment(self) -> Any:
        return _ASSESSMENTS(self)


def no_hands() -> GameError:
    """Return the error for a table of hands of a game that is a tree, or that is no poker game."""
    return GameError("tables of hands exist for flops, turns and rivers of Texas Hold'em that are not built as a tree")


def _assess(solution: Solution[Any]) -> Any:
    if isinstance(solution.played, GameTree):
        return Assessment(solution.played, solution.profile(solution.played), solution.beliefs)
    pair = of_rules(solution)
    found = None
    if solution.played is not None and pair is not None:
        from tremble.game.kinds import kind_of  # imported late, because `tremble verify` must not load its modules

        found = kind_of(solution.played, pair).assessment(pair)
    if found is None:
        raise not_explained()
    return found


_ASSESSMENTS: KeptWith[Solution[Any], Any] = KeptWith(_assess)
