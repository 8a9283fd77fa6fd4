"""The report of ``tremble shrink``: the sizes of an abstraction, and whether the abstraction is lossless."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tremble.check import Verification
from tremble.errors import GameError
from tremble.numbers import required_flag
from tremble.poker.abstraction.abstraction import Abstraction
from tremble.poker.abstraction.dominance import dominance_report
from tremble.poker.abstraction.lossless import is_equitable
from tremble.poker.deals import Deals, signal_tree_size
from tremble.poker.filter import Filter
from tremble.poker.filtered import Sizes, sizes_of
from tremble.value import Value

__all__ = ["AbstractionReport"]


@dataclass(frozen=True, eq=False, repr=False)
class AbstractionReport(Value):
    """The sizes of an abstraction, and the result of the check whether the abstraction is lossless.

    The report is computed without solving a game.

    Examples
    --------
    >>> import tremble
    >>> report = AbstractionReport.of(tremble.shrink(tremble.load_rules("rhode_island:ranks=3"), "published"))
    >>> report.raw.rows, report.sizes.rows, report.nonzeros, report.lossless
    (918626, 27876, 199668, False)
    """

    title: str
    mode: str
    threshold: float | None  # the threshold of the mode threshold; None in other modes
    signals: int
    signal_tree: int  # the number of nodes of the signal tree
    own_nodes: tuple[int, ...]  # for each round, the number of pairs of a public state and a player's hand
    raw: Sizes  # the sizes of the original game
    sizes: Sizes  # the sizes of the filtered game
    nonzeros: int  # the number of nonzeros in a player's linear program, in payoffs and both players' constraints
    lossless: bool  # True if an exact check finds that the classes are equitable
    # The NashConv, in the original game, of optimal strategies of the filtered game. The strategies also prove bounds
    # on player 1's value in the original game. Both fields are None if no strategies were given.
    certified_loss: Fraction | None = None
    bounds: tuple[Fraction, Fraction] | None = None
    dominance: Mapping[str, Any] | None = None  # the sizes without dominated actions; None if not requested
    seconds: Mapping[str, float] = field(default_factory=dict)  # step -> the seconds that the step took

    @classmethod
    def of(
        cls,
        abstraction: Abstraction,
        *,
        played: Verification | None = None,
        dominance: bool = False,
        seconds: Mapping[str, float] | None = None,
    ) -> AbstractionReport:
        """Compute the sizes of an abstraction, and check whether the abstraction is lossless.

        Parameters
        ----------
        abstraction : Abstraction
        played : Verification, optional
            The verification of the abstraction's optimal strategies in the original game.
        dominance : bool
            If True, also eliminate dominated actions and report the remaining sizes.
        seconds : mapping, optional
            A dict from the names of earlier steps to the seconds that they took.
        """
        if not isinstance(abstraction, Abstraction):
            raise GameError(f"expected an abstraction, such as tremble.shrink returns, not {abstraction!r:.80}")
        required_flag(dominance, "dominance")
        game, sizes = abstraction.game, abstraction.sizes
        began = time.perf_counter()
        constraints = sum(sizes.sequences) + sum(sizes.information_sets)
        nonzeros = abstraction.filtered.payoff_nonzeros + constraints
        counted = time.perf_counter()
        lossless = is_equitable(game, abstraction.filter)
        checked = time.perf_counter()
        steps = {"counting": counted - began, "checking": checked - counted}
        eliminated = None
        if dominance:
            eliminated = dominance_report(abstraction.filtered)
            steps["eliminating"] = time.perf_counter() - checked
        return cls(
            title=getattr(game, "title", type(game).__name__),
            mode=abstraction.mode,
            threshold=abstraction.threshold,
            signals=len(game.signals),
            signal_tree=signal_tree_size(game),
            own_nodes=tuple(deals.num_nodes for deals in Deals.of(game).rounds),
            raw=sizes_of(game, Filter.full(game)),
            sizes=sizes,
            nonzeros=nonzeros,
            lossless=lossless,
            certified_loss=None if played is None else played.nash_conv,
            bounds=None if played is None else played.bounds,
            dominance=eliminated,
            seconds={**(seconds or {}), **steps},
        )
