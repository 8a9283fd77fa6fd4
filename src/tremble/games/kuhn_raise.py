"""Kuhn poker with a raise, from the paper on trembling linear programs."""

from __future__ import annotations

from dataclasses import dataclass

from tremble.games.kuhn import SHOWDOWN, OneCardPoker

__all__ = ["KuhnRaise"]


@dataclass(frozen=True)
class KuhnRaise(OneCardPoker):
    """Three-card poker in which a bet may be raised once.

    Both players ante 1, and a bet is 1. After a bet, the other player folds, calls, or raises by 1. After a raise, the
    other player folds or calls. The cards are Q, K, A.

    Examples
    --------
    >>> import tremble
    >>> tremble.build(KuhnRaise()).num_nodes
    91

    References
    ----------
    P. B. Miltersen and T. B. Sørensen, SODA 2006, section 1.1.
    """

    MOVES = {  # noqa: RUF012
        "": (0, ("check", "bet")),
        "c": (1, ("check", "bet")),
        "cb": (0, ("fold", "call", "raise")),
        "cbr": (1, ("fold", "call")),
        "b": (1, ("fold", "call", "raise")),
        "br": (0, ("fold", "call")),
    }
    ENDS = {  # noqa: RUF012
        "cc": (1, SHOWDOWN),
        "cbf": (1, 1),
        "cbc": (2, SHOWDOWN),
        "cbrf": (2, 0),
        "cbrc": (3, SHOWDOWN),
        "bf": (1, 0),
        "bc": (2, SHOWDOWN),
        "brf": (2, 1),
        "brc": (3, SHOWDOWN),
    }

    title = "Three-card poker with a raise"
    card_names = ("Q", "K", "A")
