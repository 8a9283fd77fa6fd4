"""Solutions: a claim, and what the checker has proven of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, cast, overload

from tremble.check import Verification
from tremble.game.tree import GameTree
from tremble.solution.assessment import Assessment, not_explained
from tremble.solution.claim import Strategy
from tremble.solution.explanation import Explanation, Explanations
from tremble.solution.stated import StatedSolution
from tremble.solution.strategies import arrays
from tremble.value import KeptWith

__all__ = ["Solution"]

if TYPE_CHECKING:  # which know defaults, that typing has from Python 3.13 on: `Solution` is one of any kind of strategy
    from typing_extensions import TypeVar

    S_co = TypeVar("S_co", bound=Strategy, default=Strategy, covariant=True)
else:
    from typing import TypeVar

    S_co = TypeVar("S_co")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Solution(StatedSolution, Generic[S_co]):
    """A pair of strategies with what is proven of it: what :func:`tremble.solve` returns, and its file states.

    The status, the values and the bounds are those that the checker found, never what a method says.

    Attributes
    ----------
    strategies : pair of BehaviorStrategy, or of UnbuiltStrategy or OrderedStrategy where the game is not built
        For type checkers, a ``Solution[BehaviorStrategy]`` is one of a tree; a mere ``Solution`` is one of any game.
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
        """As of a :class:`~tremble.results.StatedSolution`; of an ordered game the rows of classes of hands."""
        rows = None if self.ordered is None else arrays().rows_of_classes(self.played, self.ordered)
        return super().to_rows() if rows is None else cast("list[dict[str, Any]]", rows)

    @overload
    def explain(self, infoset: str | int, *, player: int | None = None) -> Explanation: ...

    @overload
    def explain(self, infoset: None = None, *, player: int | None = None, most: int = 10) -> Explanations: ...

    def explain(
        self, infoset: str | int | None = None, *, player: int | None = None, most: int = 10
    ) -> Explanation | Explanations:
        """Why a player plays so at an information set: reach, belief, what every action is worth, what comes after.

        Parameters
        ----------
        infoset : str or int, optional
            The set, by its label, or by its index from 0, which needs the player. Without it, the sets that play
            reaches are explained, those first at which the choice matters most to the expected payoff.
        player : int, optional
            0 or 1; needed where both have a set of that label. Without a set: whose sets, by default of both.
        most : int
            How many sets are explained if none is named.

        Returns
        -------
        Explanation, or Explanations
            Printed, it is a few sentences; its attributes hold the exact numbers.

        Raises
        ------
        GameError
            There is no such set, or more than one; the game is not built.

        See Also
        --------
        tremble.explain : the same of strategies from anywhere.

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
        return known.most_at_stake(most, player) if infoset is None else known.explained(*known.place(infoset, player))

    def action_values(self, infoset: str | int, *, player: int | None = None) -> dict[str, Fraction | None]:
        """What the player at an information set earns by each action, each time that play comes there.

        Both go on as the solution says. None where it depends on a belief that is open. The set is named as in
        :meth:`explain`.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.load("kuhn")).action_values("K:b")
        {'fold': Fraction(-1, 1), 'call': Fraction(2, 1)}
        """
        known = self._assessment
        worth = known.explained(*known.place(infoset, player), replies=False).actions
        return {action.action: action.value for action in worth}

    def beliefs_at(self, infoset: str | int, *, player: int | None = None) -> dict[tuple[str, ...], Fraction | None]:
        """How likely each node of an information set is, given that play comes there, by its path from the root.

        None where the strategies leave it open and the solution states no beliefs. The set is named as in
        :meth:`explain`.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.load("kuhn")).beliefs_at("Q:c")
        {('JQ', 'check'): Fraction(1, 2), ('KQ', 'check'): Fraction(1, 2)}
        """
        known = self._assessment
        return {node.path: node.belief for node in known.explained(*known.place(infoset, player), replies=False).nodes}

    def node_values(
        self, infoset: str | int, *, player: int | None = None
    ) -> dict[tuple[str, ...], tuple[Fraction, Fraction]]:
        """What players 1 and 2 earn from each node of an information set on, by its path from the root.

        The set is named as in :meth:`explain`.

        Examples
        --------
        >>> import tremble
        >>> tremble.solve(tremble.load("kuhn")).node_values("K:b")[("JK", "bet")]
        (Fraction(-2, 1), Fraction(2, 1))
        """
        known = self._assessment
        return {node.path: node.values for node in known.explained(*known.place(infoset, player), replies=False).nodes}

    @property
    def _assessment(self) -> Assessment:
        if not isinstance(self.played, GameTree):
            raise not_explained()
        return _ASSESSMENTS(self)


def _assess(solution: Solution[Any]) -> Assessment:
    assert isinstance(solution.played, GameTree)
    return Assessment(solution.played, solution.profile(solution.played), solution.beliefs)


_ASSESSMENTS: KeptWith[Solution[Any], Assessment] = KeptWith(_assess)
