"""Ordered games that are equivalent to built-in games whose rules have another form, such as Kuhn and Leduc poker."""

from __future__ import annotations

from tremble.games.kuhn import OneCardPoker
from tremble.games.leduc import Leduc
from tremble.poker.game import OrderedGame
from tremble.poker.games.leduc_cards import LeducCards
from tremble.poker.games.one_card import OneCardOrdered

__all__ = ["ordered_form"]


def ordered_form(rules: object) -> OrderedGame | None:
    """Return the ordered game that is equivalent to built-in rules, or None if no such ordered game is known.

    Examples
    --------
    >>> from tremble.games.kuhn import Kuhn
    >>> ordered_form(Kuhn()).title
    'Kuhn poker, as an ordered game'
    """
    if isinstance(rules, Leduc):
        return LeducCards(rules)
    return OneCardOrdered(rules) if isinstance(rules, OneCardPoker) else None
