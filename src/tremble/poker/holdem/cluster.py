"""Regret minimization for flops on a Dask cluster: each worker holds the tables after some turn cards.

The boards after different turn cards do not depend on each other within an iteration. So the tables of the flop stay
here, and each worker has an *actor*, an object that stays on the worker, with the tables of some of the turn cards. In
each update of a player, this process sends the reaches of the leaves of the flop's betting, and each actor returns the
values after its turn cards: two small arrays for each of the turn cards. The result is the same as without a cluster,
because each actor does what a thread of :class:`~tremble.poker.holdem.engine.Engine` does.

Sometimes, and at the end, this process fetches the sums of plans from the actors, to make exact strategies.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tremble.arguments import described
from tremble.errors import SolverError, SpecError
from tremble.poker.holdem.engine import Engine, Step
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.holdem.vectors import Floats, Settings
from tremble.solvers.regret import Variant

__all__ = ["ClusterEngine", "TurnActor"]

_SHARE = 0.1  # greatest share of the time for fetching sums before the end


class TurnActor:
    """The tables of both players after some turn cards of a flop."""

    def __init__(self, rules: HoldemGame, variant: Variant, dtype: Any, turns: range) -> None:
        self._engine = Engine(rules, variant, dtype, turns=turns)

    def update(self, me: int, reach: Floats, settings: Settings, *, learning: bool) -> Floats:
        """Update a player, or compute a best response to the average plan; return the values after the turn cards.

        Parameters
        ----------
        reach : float array [leaves at which a card is dealt, hands of the other player]

        Returns
        -------
        float array [turn cards, leaves, hands]
        """
        return self._engine.update_turns(me, reach, settings, learning=learning)

    def sums(self, player: int, street: int) -> Floats:
        """Return the sums of a player's plans in a street."""
        return self._engine.sums[player][street]


class ClusterEngine(Engine):
    """The tables of the flop, and actors with all other tables.

    Parameters
    ----------
    client : distributed.Client
        The client of a cluster. Each worker gets one actor.

    Raises
    ------
    SpecError
        The client is no Dask client, or the cluster has no worker.
    """

    def __init__(self, rules: HoldemGame, variant: Variant, dtype: Any, client: Any) -> None:
        super().__init__(rules, variant, dtype, turns=range(0))
        addresses = sorted(_workers(client))
        cuts = np.linspace(0, len(rules.deal.leading), min(len(addresses), len(rules.deal.leading)) + 1).astype(int)
        parts = [range(first, last) for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]
        waiting = [
            client.submit(TurnActor, rules, variant, dtype, part, actor=True, workers=[address], pure=False)
            for part, address in zip(parts, addresses, strict=False)
        ]
        self._actors = [future.result() for future in waiting]
        self._next = 0.0

    def _after_first(self, step: Step) -> Floats:
        side = self._sides[step.me]
        first = side.streets[0]
        reach = side.rooms[0][0].reach[first.slot[first.deals]]
        waiting = [actor.update(step.me, reach, step.settings, learning=step.learning) for actor in self._actors]
        found = np.concatenate([_result(future) for future in waiting])
        self.traffic += reach.nbytes * len(self._actors) + found.nbytes
        return found

    def best_values(self) -> tuple[float, float]:
        """Return the value of each player's best response to the other player's average plan, in chips.

        Sometimes also fetch the sums of plans, so that a stopped run has a result.
        """
        found = super().best_values()
        began = time.monotonic()
        if began >= self._next:
            self._fetch()
            self._next = time.monotonic() + (time.monotonic() - began) / _SHARE
        return found

    def _fetch(self) -> None:
        """Copy the sums of plans from all actors into the tables of this process."""
        for player in (0, 1):
            for street in range(1, self.rules.streets):
                parts = [_result(actor.sums(player, street)) for actor in self._actors]
                self.sums[player][street] = np.concatenate(parts)

    def release(self) -> None:
        """Fetch the sums of plans, and free the memory of all other tables."""
        self._fetch()
        self._actors = []
        super().release()


def _workers(client: Any) -> list[str]:
    """Return the addresses of the workers of a Dask client."""
    if not hasattr(client, "scheduler_info"):
        raise SpecError(f"'client' must be a Dask client (distributed.Client), not {described(client)}")
    if getattr(client, "status", None) != "running":
        raise SpecError("'client' is closed or has lost its cluster; open a new client")
    found = list(client.scheduler_info(n_workers=-1)["workers"])
    if not found:
        raise SpecError("'client' has no worker; start a worker, or wait for one: client.wait_for_workers(1)")
    return found


def _result(future: Any) -> Any:
    """Return the result of an actor's method; raise ``SolverError`` if the worker is lost."""
    try:
        return future.result()
    except (OSError, ValueError) as error:  # Dask raises both if the worker of an actor is gone
        raise SolverError(f"a worker of the cluster is lost: {error}") from error
