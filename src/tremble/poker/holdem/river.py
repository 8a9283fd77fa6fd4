"""The river of Texas Hold'em, in which all five public cards are known and one round of no-limit betting follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.game.protocol import CHANCE
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.games.hand_ranges import DECK, cards_of
from tremble.poker.games.poker_hands import hand_scores
from tremble.poker.holdem.betting import End
from tremble.poker.holdem.game import HoldemGame
from tremble.poker.stage import GO_ON, OVER, Leaf, Line, Move, StageTree

__all__ = ["HoldemRiver"]


@dataclass(frozen=True, eq=False, repr=False)
class HoldemRiver(OrderedGame, HoldemGame):
    """The last round of Texas Hold'em on a known board: one round of no-limit betting.

    The parameters are those of :class:`~tremble.poker.HoldemTurn`, for one street.

    Examples
    --------
    >>> game = HoldemRiver()
    >>> game.strength((), game.hand("AhAd")) > game.strength((), game.hand("KhKd"))
    True
    >>> game.rounds[0].stage.actions[0]
    ('check', 'bet 33', 'bet 75', 'bet 150')
    """

    board: str = "Qs9h7s4d2s"
    bets: str = "33,75,150"

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """The 47 cards that are not on the board, sorted by rank and then by suit."""
        board = cards_of(self.board, "board")
        return tuple(card for card in DECK if card not in board)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The only round, which deals two cards to each player and contains the betting."""
        tree, leaf = self.tree, {End.FOLD: OVER, End.SHOWDOWN: GO_ON}

        def after(line: Line) -> Move | Leaf:
            node = tree.nodes[self._node[line]]
            return Move(node.kind, node.actions) if node.kind < End.FOLD else leaf[End(node.kind)]

        return (Round(StageTree.grow(after), private=2),)

    @cached_property
    def _node(self) -> dict[Line, int]:
        return {lines[0]: node for node, lines in enumerate(self.tree.lines)}

    @cached_property
    def ranges(self) -> Sequence[Mapping[Signals, Fraction]] | None:  # type: ignore[override]
        """The weights of both players' hands, or None if all hands are equally likely."""
        deal = self.deal
        if self.all_hands:
            return None
        return tuple(
            {
                tuple(map(self._signal.__getitem__, pair)): Fraction(weight, unit)
                for pair, weight in zip(cards.tolist(), weights.tolist(), strict=True)
            }
            for cards, weights, unit in zip(deal.cards, deal.weights, deal.unit, strict=True)
        )

    @cached_property
    def _signal(self) -> dict[int, int]:
        return {DECK.index(card): k for k, card in enumerate(self.signals)}

    def hand(self, text: str) -> Signals:
        """Return the signals of a hand, such as ``"AhKd"``. The cards may be in any order.

        Raises
        ------
        SpecError
            The text is not a list of cards, or a card is on the board.
        """
        cards = cards_of(text, "hand")
        for card in cards:
            if card not in self.signals:
                raise SpecError(f"hand: the card {card} of {text} is on the board")
        return tuple(sorted(map(self.signals.index, cards)))

    def signal_text(self, signals: Signals) -> str:
        """Return the text of the cards, with the higher card first."""
        return super().signal_text(signals[::-1])

    @cached_property
    def _strength(self) -> dict[Signals, int]:
        return _dense_strengths(self.board)

    def strength(self, public: Signals, private: Signals) -> int:
        """Return the strength of a hand: how many different lower scores are possible on this board."""
        return self._strength[tuple(private)]

    def strengths(self, public: NDArray[Any], private: NDArray[Any]) -> NDArray[np.int64]:
        """Return the strength of each hand, a row of cards along the last axis of ``private``."""
        strength = [[self._strength[hand] for hand in map(tuple, hands)] for hands in private.tolist()]
        return np.array(strength, dtype=np.int64)

    # -- locked hands --------------------------------------------------------------------------------

    def player(self, h: Any) -> int:
        """Return the player who moves; a locked hand acts like chance."""
        mover = super().player(h)
        return mover if mover < 0 or self._frequencies(h, mover) is None else CHANCE

    def chance(self, h: Any) -> tuple[Fraction, ...]:
        """Return the probabilities of the hands that can be dealt, or of the actions of a locked hand."""
        mover = super().player(h)
        return super().chance(h) if mover < 0 else tuple(self._frequencies(h, mover) or ())

    def _frequencies(self, h: Any, mover: int) -> Sequence[Fraction] | None:
        if not self.lock:
            return None
        cards = [[DECK.index(self.signals[signal]) for signal in h.private[mover]]]
        hand = int(self.deal.index_of(mover, np.array(cards))[0])
        return self.drawn(mover, hand, self._node[self.rounds[0].stage.line[h.nodes[-1]]], -1)

    def label(self, player: int, hand: int, node: int, state: int) -> str:
        """Return the text of an information set: the hand and the letters of the moves."""
        stage = self.rounds[0].stage
        return f"{self.name_of(player, hand)} {stage.letters[stage.line.index(self.tree.lines[node][0])]}".strip()

    def counts(self) -> dict[str, Any]:
        """Return the sizes of the game tree, with the keys of the JSON output of ``tremble info``."""
        return HoldemGame.counts(self)

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        """Return each player's gain in chips. The winner's gain includes the loser's half of the initial pot."""
        return self.gains(self._node[lines[0]], ranks[0] - ranks[1])


@cache
def _dense_strengths(board: str) -> dict[Signals, int]:
    """Map each hand to its strength. Strengths are numbered from 0 without gaps.

    A hand is a pair of indices in the list of the 47 cards that are not on the board.
    """
    known = [DECK.index(card) for card in cards_of(board, "board")]
    remaining = [card for card in range(52) if card not in known]
    hands = list(combinations(range(47), 2))
    cards = np.array([[*known, remaining[a], remaining[b]] for a, b in hands])
    strength = np.unique(hand_scores(cards), return_inverse=True)[1].reshape(-1)
    return dict(zip(hands, strength.tolist(), strict=True))
