"""The adapter for game trees (:class:`tremble.game.adapter.Kind`)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tremble.errors import ImperfectRecallError, TooLargeError
from tremble.game.adapter import Kind, Listener, Responses
from tremble.game.evaluation import best_response, expected_values
from tremble.game.forgetting import recall_witness
from tremble.game.strategy import BehaviorStrategy, Number
from tremble.game.tree import GameTree
from tremble.game.tree_arrays import pair

__all__ = ["TreeKind"]


class TreeKind(Kind[GameTree, BehaviorStrategy]):
    """The adapter for a game tree."""

    name = "tree"
    strategy = BehaviorStrategy

    def first_profile(self) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """Return the uniform strategies; in very deep trees, the strategies that always play the first action."""
        tree = self.game
        if tree.depth <= _UNIFORM_DEPTH:
            return BehaviorStrategy.uniform(tree, 0), BehaviorStrategy.uniform(tree, 1)
        return pair(
            BehaviorStrategy.from_rows(tree, player, [[int(a == 0) for a in range(len(labels))] for labels in sets])
            for player, sets in enumerate(tree.actions)
        )

    def respond(
        self, profile: tuple[BehaviorStrategy, BehaviorStrategy], progress: Listener | None = None
    ) -> Responses:
        """Return values and best responses. If a player lacks perfect recall, return a reason, not a best response."""

        def response(player: int) -> tuple[Number | None, BehaviorStrategy | None, str | None]:
            try:
                return *best_response(self.game, profile, player), None
            except ImperfectRecallError as error:
                return None, None, str(error)

        (best1, strategy1, reason1), (best2, strategy2, reason2) = response(0), response(1)
        values = expected_values(self.game, profile)
        return Responses(values, (best1, best2), (strategy1, strategy2), (reason1, reason2))

    def payoff_range(self, player: int = 0) -> Fraction:
        """Return the difference between a player's largest and smallest payoffs at leaves."""
        payoffs = self.game.payoff[:, player]
        return Fraction(int(payoffs.max()) - int(payoffs.min()), self.game.payoff_denominator)

    def checking_seconds(self) -> float:
        """Use the size of the tree to estimate how many seconds it takes to check a profile."""
        return self._seconds(*_TO_CHECK)

    def writing_seconds(self) -> float:
        """Estimate the seconds needed to evaluate and write a profile, from the size of the tree."""
        return self._seconds(*_TO_WRITE)

    def _seconds(self, per_node: float, per_infoset: float) -> float:
        tree: GameTree = self.game
        return per_node * tree.num_nodes + per_infoset * sum(tree.num_infosets)

    def info(self) -> dict[str, Any]:
        """Return the sizes, the sum of the payoffs and the recall of the game."""
        tree = self.game
        chance, player1, player2, leaves = tree.nodes_by_kind.values()
        recalls, witnesses = zip(self._recall(0), self._recall(1), strict=True)
        return {
            "title": tree.title,
            "players": list(tree.players),
            "zero_sum": tree.zero_sum,
            "constant_sum": tree.constant_sum is not None,
            "nodes": {"chance": chance, "player": [player1, player2], "terminal": leaves},
            "information_sets": list(tree.num_infosets),
            "sequences": [slots + 1 for slots in tree.num_slots],
            "recall": list(recalls),
            "recall_witness": list(witnesses),
            "max_depth": tree.depth,
            "digest": tree.digest,
        }

    def _recall(self, player: int) -> tuple[str | None, dict[str, Any] | None]:
        """Return a player's class of recall and a witness of imperfect recall, or (None, None) in huge games."""
        try:
            witness = recall_witness(self.game, player)
        except TooLargeError:
            return None, None
        return ("perfect", None) if witness is None else (witness.recall, witness.plain())


_UNIFORM_DEPTH = 500  # in deeper trees, the weights of uniform play are astronomically small
_TO_CHECK = 0.7e-6, 6e-6  # seconds per node and per information set, measured
_TO_WRITE = 2.5e-6, 2e-5  # seconds per node and per information set, measured
