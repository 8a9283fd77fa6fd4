"""The adapters for flops, turns and rivers of Texas Hold'em."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, ClassVar

import numpy as np

from tremble.check.limits import Limits
from tremble.errors import CertificateError, GameError
from tremble.game.adapter import KindName, Listener, Responses
from tremble.game.hands import HandsKind, HandValues, IntArray, Place, Spot
from tremble.game.tree import require_player
from tremble.integers import FloatArray
from tremble.poker.adapter import OrderedKind
from tremble.poker.holdem import explored
from tremble.poker.holdem.check import plan_faults
from tremble.poker.holdem.explored import TurnRound
from tremble.poker.holdem.game import HoldemGame, HoldemTurn
from tremble.poker.holdem.in_play import TurnInPlay
from tremble.poker.holdem.lines import walk
from tremble.poker.holdem.locked import with_locks
from tremble.poker.holdem.panels import turn_place, turn_spot
from tremble.poker.holdem.plans import own_classes, rounded_strategy, safe_bits
from tremble.poker.holdem.tables import shares_of_hand, strategy_rows
from tremble.poker.responses import responses
from tremble.poker.strategy import OrderedStrategy

__all__ = ["RiverKind", "TurnKind"]

Profile = tuple[OrderedStrategy, OrderedStrategy]

_SECONDS_PER_WEIGHT, _SECONDS_PER_BOARD = 5e-8, 1.5e-3  # the time of the checker: about the sum of both (measured)
_NOT_LISTED = "for a Hold'em game, only the value of a best response is computed here, not its actions"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:.2g} MB"


class _HoldemKind(HandsKind[OrderedStrategy]):
    """The methods of both adapters; the base classes describe them."""

    @property
    def _holdem(self) -> HoldemGame:
        assert isinstance(self.game.rules, HoldemGame)
        return self.game.rules

    def first_profile(self) -> Profile:
        """Return the strategies of both players that are uniform at all decisions that are not locked."""
        rules, found = self._holdem, []
        for player in (0, 1):
            hands, rows = len(rules.deal.cards[player]), rules.tree.rows[player].by_street
            tables = [(len(rules.deal.tables(street)),) if street else () for street in range(rules.streets)]
            one, shapes = np.float32(1), [(*count, row, hands) for count, row in zip(tables, rows, strict=True)]
            sums: list[Any] = [np.broadcast_to(one, shape) for shape in shapes]
            found.append(
                rounded_strategy(rules, player, own_classes(rules.deal, player, rules.streets), sums, safe_bits(rules))
            )
        return found[0], found[1]

    def checking_seconds(self) -> float:
        """Use the numbers of weights and of final boards to estimate how many seconds the checker needs."""
        rules = self._holdem
        boards = sum(1 for _ in rules.deal.states(rules.streets - 1))
        return _SECONDS_PER_WEIGHT * rules.table_bytes() / 8 + _SECONDS_PER_BOARD * boards

    def pot(self) -> Fraction:
        """Return the chips in the pot before the first bet."""
        return self._holdem.betting.pot

    def _require_fitting(self, *profiles: Profile) -> None:
        for profile in profiles:
            for fault in self.faults(profile):
                raise CertificateError(fault)

    def shares_of_hand(self, strategy: OrderedStrategy, place: Any) -> Mapping[str, Fraction | float]:
        """Return the probabilities of a hand's actions at a decision: the result of ``strategy[place]``."""
        return shares_of_hand(self._holdem, strategy, place)

    def rows(self, strategy: OrderedStrategy) -> Iterator[dict[str, Any]]:
        """Return a table row for each hand, line of moves and action."""
        return strategy_rows(self._holdem, strategy)

    def best_response(self, profile: Profile, player: int) -> tuple[Fraction, OrderedStrategy]:
        """Return the exact payoff of a player's best response and a pure best response."""
        from tremble.poker.holdem.best_response import best_response

        require_player(player)
        self._require_fitting(profile)
        value = self.respond(profile).best_values[player]
        assert isinstance(value, Fraction)
        return value, replace(best_response(self._holdem, profile, player), game=self.game)

    def assessment(self, profile: Profile) -> Any:
        """Return an object that explains the choices of hands."""
        from tremble.poker.holdem.assessment import HandAssessment

        self._require_fitting(profile)
        return HandAssessment(self.game, profile)

    def audit(self, profile: Profile, progress: Listener | None = None) -> Any:
        """Return an audit: the actions of hands that lose against the other player's strategy."""
        from tremble.poker.holdem.audit import audit

        self._require_fitting(profile)
        sets = sum(self.info()["information_sets"])
        return audit(self.game, profile, self.respond(profile, progress), sets, progress)

    def compare(self, first: Profile, second: Profile, names: tuple[str, str]) -> Any:
        """Return a comparison of two profiles."""
        if self._holdem.streets > 2:
            raise GameError("flops are not compared, because they have too many decisions; compare tables of hands")
        from tremble.poker.holdem.comparison import compare

        self._require_fitting(first, second)
        return compare(self.game, first, second, names)


class RiverKind(_HoldemKind, OrderedKind):
    """The adapter for rivers; its base classes describe the methods."""

    def place(self, board: str | None, line: str | None) -> Place:
        """Convert a text of moves to a place: letters such as ``"cb"``, or moves separated by commas."""
        if isinstance(line, str):
            line = "-".join(self._holdem.tree.lines[walk(self._holdem, line)[0]][0])
        return super().place(board, line)

    def spot(self, profile: Profile, place: Place) -> Spot:
        """Return the decisions from ``place`` on, with the action probabilities of both players' hands."""
        return with_locks(self._holdem, super().spot(profile, place))

    def hand_values(self, profile: Profile, player: int) -> list[HandValues]:
        """Return the EVs and equities of a player's hands."""
        (evs,), (equities,) = explored.hand_values(self._holdem, profile, player)
        rows = np.zeros(self._holdem.deal.num_hands, dtype=np.int64)
        numbers = self._holdem.deal.numbers[player]
        rows[numbers] = np.arange(len(numbers))
        return [HandValues(rows, evs[0], equities[0])]


class TurnKind(_HoldemKind):
    """The adapter for turns and flops; its base classes describe the methods."""

    name: ClassVar[KindName] = "ordered"
    strategy = OrderedStrategy

    @property
    def rules(self) -> HoldemTurn:
        """The rules of the game."""
        assert isinstance(self.game.rules, HoldemTurn)
        return self.game.rules

    def respond(self, profile: Profile, progress: Listener | None = None) -> Responses:
        """Compute the values of both players' best responses to a profile, but not the actions of the responses."""
        return responses(self.game, profile, _NOT_LISTED, progress)

    def payoff_range(self, player: int = 0) -> Fraction:
        """Return the largest payoff of a player minus the smallest."""
        gains = [
            self.rules.gains(leaf, better)[player]
            for leaf, node in enumerate(self.rules.tree.nodes)
            if not node.child
            for better in (-1, 0, 1)
        ]
        return max(gains) - min(gains)

    def facts(self) -> list[tuple[str, str]]:
        """Return the numbers of hands and of dealt cards, and the memory and time that a solution needs."""
        rules, deal = self.rules, self.rules.deal
        hands = [len(cards) for cards in deal.cards]
        facts = [("hands", f"{hands[0]:,} of player 1, {hands[1]:,} of player 2")]
        for street, name in enumerate(("turn cards", "rivers") if rules.streets > 2 else ("river cards",), 1):
            all_of_them, own = sum(1 for _ in deal.states(street)), len(deal.tables(street))
            alike = f", {own:,} of them with tables of their own" if own < all_of_them else ""
            facts.append((name, f"{all_of_them:,}{alike}"))
        return [
            *facts,
            (
                "memory",
                f"{_megabytes(rules.table_bytes())} for the tables of a solution, "
                f"{_megabytes(rules.search_bytes())} to find it",
            ),
            ("time", f"about {rules.seconds_per_iteration():.2g} s for an iteration, with one processor"),
        ]

    # -- hands: tremble.game.hands -------------------------------------------------------------------

    @property
    def num_rounds(self) -> int:
        """The number of streets."""
        return self.rules.streets

    @cached_property
    def deals(self) -> list[TurnRound]:
        """The deals of each street as arrays."""
        if self.rules.streets > 2:
            raise GameError(
                f"{self.game.title} has too many boards for a page; draw one decision: give 'line', such as "
                "'check, check, 2h, bet 50', and a picture, such as 'decision.svg'"
            )
        return [TurnRound(self.rules, street) for street in range(self.rules.streets)]

    def stage(self, number: int) -> explored.Stage:
        """Return the moves of a street."""
        return self.deals[number].stage

    def classes(self, strategy: OrderedStrategy, number: int) -> IntArray:
        """Return the class of each own node of a street."""
        return self.deals[number].classes(strategy)

    def range_weights(self, number: int) -> tuple[FloatArray, FloatArray]:
        """Return the weights of both players' hands."""
        return self.deals[number].own_weights

    def hand_order(self, number: int, state: int) -> IntArray:
        """Return the hands at a public state, in ascending order of their strength, on average over river cards."""
        return self.deals[number].order(state)

    def hand_values(self, profile: Profile, player: int) -> list[HandValues]:
        """Return the EVs and equities of a player's hands."""
        found = zip(self.deals, *explored.hand_values(self.rules, profile, player), strict=True)
        return [
            HandValues(each.rows(player), evs.reshape(-1, evs.shape[2]), equities.reshape(-1, equities.shape[2]))
            for each, evs, equities in found
        ]

    def faults(self, profile: Profile) -> Iterator[str]:
        """Yield the reasons why the strategies of a profile are not strategies of this game."""
        for player, strategy in enumerate(profile):
            if strategy.player != player:
                yield f"strategies[{player}]: this is a strategy of player {strategy.player + 1}"
                return
            yield from plan_faults(self.rules, strategy, Limits(inf, inf))

    def place(self, board: str | None, line: str | None) -> Place:
        """Convert a text of public cards and a text of moves to a street, a river card and a node."""
        return turn_place(self.rules, board, line)

    def spot(self, profile: Profile, place: Place) -> Spot:
        """Return the decisions of the street from ``place`` on, with the probabilities of both players' hands."""
        return with_locks(self.rules, turn_spot(self.rules, profile, place))

    def in_play(self, profile: Profile) -> TurnInPlay:
        """Return an object that plays the strategies of a profile and evaluates single moves."""
        return TurnInPlay(self.rules, profile, self.deals if self.rules.streets == 2 else ())
