"""Sizes of an abstraction and whether it loses anything, as ``tremble shrink`` tells them."""

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
    """What can be said of an abstraction without solving it.

    Examples
    --------
    >>> import tremble
    >>> report = AbstractionReport.of(tremble.shrink(tremble.load_rules("rhode_island:ranks=3"), "published"))
    >>> report.raw.rows, report.sizes.rows, report.nonzeros, report.lossless
    (918626, 27876, 199668, False)
    """

    title: str
    mode: str
    threshold: float | None  # of mode threshold
    signals: int
    signal_tree: int  # nodes
    own_nodes: tuple[int, ...]  # of each player's own signal tree, round by round
    raw: Sizes  # without abstraction
    sizes: Sizes
    nonzeros: int  # of the linear program of either player: payoffs and constraints of both
    lossless: bool  # whether the classes are equitable, checked exactly
    # Of strategies that are optimal in what is left, where they are computed: NashConv in the original game, and the
    # bounds that they prove on player 1's value there.
    certified_loss: Fraction | None = None
    bounds: tuple[Fraction, Fraction] | None = None
    dominance: Mapping[str, Any] | None = None  # what is left without dominated actions too, where it is asked for
    seconds: Mapping[str, float] = field(default_factory=dict)  # step -> what it took

    @classmethod
    def of(
        cls,
        abstraction: Abstraction,
        *,
        played: Verification | None = None,
        dominance: bool = False,
        seconds: Mapping[str, float] | None = None,
    ) -> AbstractionReport:
        """Count and check an abstraction.

        Parameters
        ----------
        played : Verification, optional
            In the original game, of strategies that are optimal in what is left.
        dominance : bool
            Whether to eliminate dominated actions, and say what is left then.
        seconds : mapping, optional
            Of the steps that led to it.
        """
        if not isinstance(abstraction, Abstraction):
            raise GameError(f"an abstraction is what tremble.shrink returns, not {abstraction!r:.80}")
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
