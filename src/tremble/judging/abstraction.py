"""Sizes of an abstraction and whether it loses anything, as ``tremble shrink`` tells them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from tremble.errors import TooLargeError
from tremble.games.counting import total_nodes
from tremble.model.evaluation import nash_conv
from tremble.model.ordered.deals import Deals, signal_tree_size
from tremble.model.ordered.filter import Filter
from tremble.model.ordered.filtered import Sizes, sizes_of
from tremble.model.tree_builder import DEFAULT_MAX_NODES, build
from tremble.reductions.abstraction import Abstraction
from tremble.reductions.lossless import is_equitable
from tremble.solvers.solve import solve

__all__ = ["AbstractionReport", "certified_loss"]


def certified_loss(abstraction: Abstraction) -> Fraction:
    """NashConv, in the original game, of an exact equilibrium of what is left, lifted: 0 if nothing is lost.

    Raises
    ------
    TooLargeError
        The game or what is left cannot be built.
    GameError
        What is left cannot be solved.

    Examples
    --------
    >>> import tremble
    >>> leduc = tremble.load_rules("leduc")
    >>> certified_loss(tremble.shrink(leduc)), float(certified_loss(tremble.shrink(leduc, "published"))) > 0.01
    (Fraction(0, 1), True)
    """
    nodes = total_nodes(abstraction.game.counts())
    if nodes > DEFAULT_MAX_NODES:
        raise TooLargeError(f"what is lost is computed in the game itself, which has {nodes:,} nodes, more than "
                            f"{DEFAULT_MAX_NODES:,}")  # fmt: skip
    tree = build(abstraction.game)
    lifted = abstraction.lift(solve(abstraction.apply()), tree)
    loss = nash_conv(tree, lifted.profile(tree))
    assert isinstance(loss, Fraction)
    return loss


@dataclass(frozen=True)
class AbstractionReport:
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
    # NashConv, in the original game, of strategies that are optimal in what is left; None where it is not computed.
    certified_loss: Fraction | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)  # step -> what it took

    @classmethod
    def of(
        cls,
        abstraction: Abstraction,
        *,
        certified_loss: Fraction | None = None,
        seconds: Mapping[str, float] | None = None,
    ) -> AbstractionReport:
        """Count and check an abstraction; ``seconds`` are those of the steps that led to it."""
        game, sizes = abstraction.game, abstraction.sizes
        began = time.perf_counter()
        constraints = sum(sizes.sequences) + sum(sizes.information_sets)
        nonzeros = abstraction.filtered.payoff_nonzeros + constraints
        counted = time.perf_counter()
        lossless = is_equitable(game, abstraction.filter)
        checked = time.perf_counter()
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
            certified_loss=certified_loss,
            seconds={**(seconds or {}), "counting": counted - began, "checking": checked - counted},
        )
