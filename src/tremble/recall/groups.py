"""Text files that list groups of information sets of one player. Each group is merged into one set.

Each line contains one group. Information sets are given by number, from 1, or by label in double quotes. A label can
contain the escapes of JSON. Blanks or commas separate the sets. Text after a ``#`` is a comment. Sets that the file
does not name are not merged::

    # after a check and a bet, the player forgets its card
    2 4 6
    "J:", "Q:"
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass

from tremble.errors import FormatError
from tremble.game.requirements import require_tree
from tremble.game.tree import GameTree, require_player
from tremble.run.text_file import SourceText, read_text
from tremble.words import on_one_line

__all__ = ["Groups", "read_groups"]

_SPACE = re.compile(r"(?:[ \t\r\f\v,]|#[^\n]*)*")
_LABEL = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_NUMBER = re.compile(r"[0-9]+", re.ASCII)
_MAX_DIGITS = 9


@dataclass(frozen=True, eq=False)
class Groups:
    """The contents of a file of groups."""

    source: SourceText
    members: tuple[tuple[int, ...], ...]  # the indices of the information sets of each group
    offset: dict[int, int]  # index of a set -> offset of its number or label in the file

    def error(self, message: str, k: int) -> FormatError:
        """Return a ``FormatError`` that points to the number or label of set ``k`` in the file."""
        return self.source.error(message, self.offset[k])


def read_groups(path: str | os.PathLike[str], tree: GameTree, player: int) -> Groups:
    """Read groups of the information sets of a player.

    Raises
    ------
    FormatError
        The file is missing or has another format. Or it names an unknown set, names a set twice, or has a group of sets
        with different actions. The error contains the line and the column.
    """
    require_tree(tree)
    require_player(player)
    source = read_text(path)
    groups: list[tuple[int, ...]] = []
    offsets: dict[int, int] = {}
    begin = 0
    for line in source.text.split("\n"):
        place, end, group = begin, begin + len(line), list[int]()
        while (place := _blanks_end(source, place, end)) < end:
            k, after = _member(source, place, end, tree, player)
            _require_fitting(source, place, tree, player, k, group, offsets)
            offsets[k] = place
            group.append(k)
            place = after
        if group:
            groups.append(tuple(group))
        begin = end + 1
    return Groups(source, tuple(groups), offsets)


def _blanks_end(source: SourceText, place: int, end: int) -> int:
    blanks = _SPACE.match(source.text, place, end)
    assert blanks is not None  # the pattern also matches the empty string
    return blanks.end()


def _member(source: SourceText, place: int, end: int, tree: GameTree, player: int) -> tuple[int, int]:
    """Read the name of an information set at offset ``place``. Return the set's index and the offset after the name."""
    count, labels = tree.num_infosets[player], tree.infoset_labels[player]
    number = _NUMBER.match(source.text, place, end)
    if number is not None:
        digits = number[0].lstrip("0")
        if not digits or len(digits) > _MAX_DIGITS or int(digits) > count:
            raise source.error(
                f"player {player + 1} has information sets 1 to {count:,}, not {on_one_line(number[0])}", place
            )
        return int(digits) - 1, number.end()
    quoted = _LABEL.match(source.text, place, end)
    if quoted is None:
        raise source.error(
            f"expected the number of an information set, or its label in double quotes, found {source.found(place)}",
            place,
        )
    try:
        label = json.loads(quoted[0], strict=False)
    except ValueError as error:
        raise source.error(f"{on_one_line(quoted[0])} is not valid JSON text: {error}", place) from None
    named = [k for k, known in enumerate(labels) if known == label]
    if len(named) == 1:
        return named[0], quoted.end()
    if not named:
        raise source.error(f"player {player + 1} has no information set {on_one_line(label)!r}", place)
    numbers = ", ".join(str(k + 1) for k in named[:10]) + (", ..." if len(named) > 10 else "")
    raise source.error(
        f"{len(named):,} information sets have the label {on_one_line(label)!r}; use their numbers: {numbers}", place
    )


def _require_fitting(
    source: SourceText, place: int, tree: GameTree, player: int, k: int, group: list[int], offsets: dict[int, int]
) -> None:
    """Raise an error if set ``k`` is named twice, or if its actions differ from those of set ``group[0]``."""
    name = tree.set_name(player, k)
    if k in offsets:
        raise source.error(f"{name} is named twice, first at {source.place(offsets[k])}", place)
    known = tree.actions[player]
    if group and known[k] != known[group[0]]:
        raise source.error(
            f"{name} has the actions {_listed(known[k])}, but {tree.set_name(player, group[0])}, the first set of this "
            f"line, has the actions {_listed(known[group[0]])}; only sets with equal actions can be merged",
            place,
        )


def _listed(actions: tuple[str, ...]) -> str:
    return ", ".join((*(repr(on_one_line(label)) for label in actions[:10]), *["..."] * (len(actions) > 10)))
