"""The general solution methods, applied to ordered games whose tree is not built."""

from __future__ import annotations

from typing import Any

from tremble.errors import NotZeroSumError, SpecError
from tremble.game.rules import UnbuiltGame
from tremble.solution.claim import Claim
from tremble.solvers.method import Run

__all__ = [
    "along_the_public_tree",
    "ordered_constant_sum",
    "regrets_settle",
    "run_linear_program",
    "run_regret_minimization",
    "small_when_shrunk",
]

_MOST_LEAVES = 50_000  # the largest number of leaves of a shrunk game that method auto solves by a linear program


def ordered_constant_sum(game: UnbuiltGame, _concept: str) -> None:
    """Raise ``GameError`` if an ordered game cannot be shrunk, or if the sum of its payoffs is not constant."""
    from tremble.poker.abstraction.shrink import ordered_game
    from tremble.poker.deals import Deals
    from tremble.poker.holdem.game import HoldemGame

    rules = ordered_game(game)
    if isinstance(rules, HoldemGame):
        if rules.rake:
            raise NotZeroSumError("with a rake, the sum of the payoffs is not constant; use the method dcfr")
    elif Deals.of(rules).constant_sum is None:
        raise NotZeroSumError("the sum of the payoffs is not constant; build the tree and use the method lemke")


def regrets_settle(game: UnbuiltGame, concept: str) -> None:
    """Raise ``GameError`` if the payoffs of an ordered game have no constant sum, except for a rake in Hold'em.

    With a rake, regret minimization may fail to reach the target gap. Its solution proves what each player can gain.
    """
    from tremble.poker.holdem.game import HoldemGame

    if not isinstance(game.rules, HoldemGame):
        ordered_constant_sum(game, concept)


def small_when_shrunk(_method: Any, game: UnbuiltGame) -> str | None:
    """Return the reason to recommend a linear program, or None if the shrunk game is too large."""
    from tremble.poker.abstraction.shrink import shrink_ordered
    from tremble.poker.game import OrderedGame

    if not isinstance(game.rules, OrderedGame) or any(getattr(game.rules, name, False) for name in ("lock", "rake")):
        return None
    small = shrink_ordered(game).filtered.num_leaves <= _MOST_LEAVES
    return "an ordered game that is small when shrunk without loss: an exact linear program" if small else None


def run_linear_program(method: Any, game: UnbuiltGame, _concept: str, run: Run) -> Claim:
    """Shrink an ordered game, solve the small game by a linear program, and lift the solution to the original game."""
    from tremble.poker.abstraction.shrink import shrink_ordered
    from tremble.poker.abstraction.shrunk import shrunk_nash_claim

    mode = "full" if method.abstraction == "full" else "lossless"
    return shrunk_nash_claim(shrink_ordered(game, mode), run, method.settings)


def along_the_public_tree(_method: Any, game: UnbuiltGame) -> str:
    """Return the reason to recommend regret minimization for an ordered game whose tree is not built."""
    from tremble.poker.games.rhode_island import RhodeIsland
    from tremble.poker.holdem.game import HoldemGame

    if isinstance(game.rules, HoldemGame):
        return "a flop, turn or river: regrets are minimized for all hands at once"
    if type(game.rules) is RhodeIsland:
        return "Rhode Island Hold'em: regrets are minimized for all hands at once"
    return "an ordered game that is not built: regrets are minimized along its public tree, shrunk without loss"


def run_regret_minimization(method: Any, game: UnbuiltGame, _concept: str, run: Run) -> Claim:
    """Minimize regrets until the gap between value bounds reaches the target.

    Rivers, turns and Rhode Island Hold'em are solved with vectors of hands, other games along their public tree. The
    layout of Rhode Island's hands relies on the rules of the library, so a subclass is solved along the public tree.
    """
    from tremble.poker.games.rhode_island import RhodeIsland
    from tremble.poker.holdem.flop import HoldemFlop
    from tremble.poker.holdem.game import HoldemGame
    from tremble.solvers.regret import VARIANTS

    variant, client = VARIANTS[method.name], getattr(method, "client", None)
    if client is not None and not isinstance(game.rules, HoldemFlop):
        raise SpecError("'client' divides the turn cards of a flop; give a flop of Texas Hold'em")
    if isinstance(game.rules, HoldemGame):
        from tremble.poker.holdem.solve import solve_holdem

        return solve_holdem(variant, game, run, method.iterations, client)
    if type(game.rules) is RhodeIsland and method.abstraction == "lossless":
        from tremble.poker.rhode_island.solve import solve_rhode_island

        return solve_rhode_island(variant, game, run, method.executor, method.iterations)
    from tremble.poker.regret.solve_public_tree import solve_public_tree

    return solve_public_tree(variant, game, method.abstraction, run, method.executor, method.iterations)
