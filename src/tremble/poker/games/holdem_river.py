"""The river of Texas Hold'em, in which all five public cards are known and one round of no-limit betting follows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from math import comb
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from tremble.errors import SpecError
from tremble.games.parameters import Bounds, Rules
from tremble.poker.game import OrderedGame, Round, Signals
from tremble.poker.games.betting import no_limit_betting, no_limit_payoff
from tremble.poker.games.hand_ranges import DECK, cards_of, parse_range, with_commas
from tremble.poker.games.poker_hands import hand_scores
from tremble.poker.stage import Line
from tremble.value import Value

__all__ = ["HoldemRiver"]

_PERCENT = re.compile(r"[1-9][0-9]{0,4}")


@dataclass(frozen=True, eq=False, repr=False)
class HoldemRiver(OrderedGame, Rules, Value):
    """The last round of Texas Hold'em on a known board, with any ranges of hands.

    Each player has two cards. Player 1 checks or bets. After a bet, the other player folds, calls or raises. A bet is a
    percentage of the pot, and a raise is a percentage of the pot after calling. Amounts are rounded to whole chips. A
    bet or raise of the whole stack or more has the label ``all-in``. A raise must be at least as large as the last bet
    or raise, unless it is ``all-in``. Each player has paid half of the pot before this round. If no player folds, each
    player's hand is the best five of the player's two cards and the five public cards, and the better hand wins.

    Parameters
    ----------
    board : str or list of str
        Five cards, such as ``"Kh7s2d9cQc"``. Blanks and commas between the cards are ignored.
    pot : int
        The chips in the pot before the first bet.
    stack : int
        The chips that each player can still bet.
    bets : str, int or list of int
        The sizes of bets and raises in percent of the pot, such as ``"33,75,150"``, ``[33, 75, 150]`` or ``75``.
    raises : int
        The largest number of raises after a bet.
    range1, range2 : str, list of str or mapping of str to number
        The range of each player's possible hands, such as ``"TT+,AKs,76s-54s,QJo:0.5,AhKd"``, in the notation of
        :func:`parse_range`, or a mapping from hands to weights, such as ``{"AA": 1, "AhKd": "1/3"}``. An empty text
        means that all hands are possible and equally likely.

    Examples
    --------
    >>> game = HoldemRiver()
    >>> game.strength((), game.hand("AhAd")) > game.strength((), game.hand("KhKd"))
    True
    >>> game.rounds[0].stage.actions[0]
    ('check', 'bet 33', 'bet 75', 'bet 150')
    """

    board: str = "Qs9h7s4d2s"
    pot: Annotated[int, Bounds(2, 10**6)] = 100
    stack: Annotated[int, Bounds(1, 10**6)] = 300
    bets: str = "33,75,150"
    raises: Annotated[int, Bounds(0, 10)] = 2
    range1: str = ""
    range2: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        board = cards_of(self.board, "board")
        if len(board) != 5:
            raise SpecError(f"board={self.board:.40} is not allowed; expected five cards, such as Kh7s2d9cQc")
        object.__setattr__(self, "board", "".join(board))
        sizes = self.bets.split(",")
        wrong = [size for size in sizes if not _PERCENT.fullmatch(size.strip())]
        if wrong or len(set(self._sizes)) < len(sizes):
            raise SpecError(
                f"bets={self.bets:.60} is not allowed; expected different percentages of the pot from 1 to 99999, such "
                "as 33,75,150"
            )
        self._weights  # noqa: B018 (parse the ranges now, so that errors contain positions in the given texts)
        object.__setattr__(self, "range1", with_commas(self.range1))
        object.__setattr__(self, "range2", with_commas(self.range2))

    @property
    def title(self) -> str:
        """The title of the game."""
        ranges = ", given ranges" if self.ranges is not None else ""
        return f"Hold'em river {self.board}, pot {self.pot}, stacks {self.stack}{ranges}"

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(sorted(int(size) for size in self.bets.split(",") if _PERCENT.fullmatch(size.strip())))

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """The 47 cards that are not on the board, sorted by rank and then by suit."""
        board = cards_of(self.board, "board")
        return tuple(card for card in DECK if card not in board)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The only round, which deals two cards to each player and contains the betting."""
        return (Round(no_limit_betting(self.pot, self.stack, self._sizes, self.raises), private=2),)

    @cached_property
    def _weights(self) -> tuple[dict[str, Fraction], ...]:
        texts = {"range1": self.range1, "range2": self.range2}
        return tuple(parse_range(text, self.board, what=name) for name, text in texts.items())

    @cached_property
    def ranges(self) -> Sequence[Mapping[Signals, Fraction]] | None:  # type: ignore[override]
        """The weights of both players' hands, or None if all hands are equally likely."""
        if all(len(weights) == comb(47, 2) and len(set(weights.values())) == 1 for weights in self._weights):
            return None
        number = {card: k for k, card in enumerate(self.signals)}
        return tuple(
            {(number[hand[2:]], number[hand[:2]]): weight for hand, weight in weights.items()}
            for weights in self._weights
        )

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

    def utility(self, lines: tuple[Line, ...], ranks: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        """Return each player's gain in chips. The winner's gain includes the loser's half of the initial pot."""
        return no_limit_payoff(lines[0], ranks, self.pot, self.stack)


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
