"""What a player means by what it types: the name of an action, its number, or how the name begins."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["chosen", "is_numbered"]


def is_numbered(actions: Sequence[str]) -> bool:
    """Whether actions may be chosen by number: not where their own names look like numbers, as those of cards do."""
    return len(set(actions)) < len(actions) or not any(action.strip().isdecimal() for action in actions)


def chosen(text: str, actions: Sequence[str]) -> tuple[int, ...]:
    """Positions of the actions that a text may mean: one if it is clear, none if it means nothing.

    A whole name goes before a number, and that before the beginning of a name; in these, capitals do not count.

    Examples
    --------
    >>> chosen("2", ("fold", "call")), chosen("call", ("fold", "call")), chosen("FO", ("fold", "call"))
    ((1,), (1,), (0,))
    >>> chosen("c", ("check", "call")), chosen("3", ("2", "3", "4")), chosen("3", ("fold", "call"))
    ((0, 1), (1,), ())
    """
    text = text.strip()
    whole = [i for i, action in enumerate(actions) if action.strip() == text]
    if len(whole) == 1:
        return (whole[0],)
    if is_numbered(actions) and text.isdecimal():
        number = int(text[:9])
        if 1 <= number <= len(actions):
            return (number - 1,)
    small = text.casefold()
    names = [action.strip().casefold() for action in actions]
    alike = [i for i, name in enumerate(names) if name == small]
    return tuple(alike or [i for i, name in enumerate(names) if small and name.startswith(small)])
