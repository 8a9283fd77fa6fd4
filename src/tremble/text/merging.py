"""Show on a terminal how merging shrinks the *program* of a game: its linear program or complementarity problem.

Information sets and actions are *alike* if the program cannot distinguish them (see :func:`tremble.shrink`). Alike sets
form a class. The view contains the sizes before and after merging, and the classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.solution.merging import AlikeSets, Merging
from tremble.text.markup import clip
from tremble.text.theme import FAINT, OK
from tremble.text.view import Block, Cell, add, facts_table, fill, heading, more, table
from tremble.words import for_reader, printable

__all__ = ["merging_view"]

_MOST_ROWS = 24  # greatest number of shown rows in the list of classes
_MOST_SETS = 4  # greatest number of shown information sets of a class
_WIDEST = 120  # greatest number of characters in a cell


def merging_view(merging: Merging) -> RenderableType:
    """Show the sizes of a tree's program before and after merging, and the classes of alike information sets."""
    both = merging.raw, merging.sizes
    rows = table("", "game", "merged", right=("game", "merged"))
    for name in ("information_sets", "sequences"):
        add(rows, name.replace("_", " "), *(" + ".join(f"{count:,}" for count in getattr(each, name)) for each in both))
    problem = "linear program" if merging.players_alike is None else "complementarity problem"
    for name, shown in (("rows", f"rows of the {problem}"), ("columns", "  columns"), ("nonzeros", "  nonzeros")):
        add(rows, shown, *(f"{getattr(each, name):,}" for each in both))
    players = [("players", "interchangeable")] * bool(merging.players_alike)
    facts = facts_table([("mode", "merged"), ("status", _status(merging)), *players])
    return Group(heading(merging.game.title), facts, Text(), rows, *_classes(merging))


def _status(merging: Merging) -> Text:
    if merging.rounds is None:
        about = "  The search for alike sets was abandoned, because the game is too deep. Nothing is merged."
        return Text("not known").append(about, style=FAINT)
    if not merging.classes and not merging.players_alike:
        return Text("nothing to merge").append("  No two information sets or actions are alike.", style=FAINT)
    solve = for_reader("tremble.solve(game, symmetric=True)", "tremble solve --symmetric")
    symmetric = "" if merging.players_alike is None else f" {solve} finds such an equilibrium."
    about = f"  Every equilibrium of the merged problem is an equilibrium of the game.{symmetric}"
    return Text("lossless", style=OK).append(about, style=FAINT)


def _classes(merging: Merging) -> Iterator[RenderableType]:
    """Yield a table of the classes of alike information sets, with the largest class first."""
    if not merging.classes:
        return
    listed = table("player", "alike", "set", "label", "actions that are alike", right=("player", "alike", "set"))
    count = fill(listed, map(_block, merging.classes), _MOST_ROWS)
    yield Text()
    yield listed
    yield from more(len(merging.classes) - count, " classes", full=("to_rows()", "--format csv"))


def _block(alike: AlikeSets) -> Block:
    """Return the table rows for one class: the number of information sets in the class, and the first few of them."""
    lines: list[tuple[Sequence[Cell], str]] = [
        ((str(k + 1), clip(printable(alike.labels[at]), _WIDEST), clip(printable(_actions(alike, at)), _WIDEST)), "")
        for at, k in enumerate(alike.infosets[:_MOST_SETS])
    ]
    if len(alike.infosets) > _MOST_SETS:
        lines.append((("", f"… {len(alike.infosets) - _MOST_SETS:,} more", ""), FAINT))
    return [str(alike.player + 1), f"{len(alike.infosets):,}"], lines


def _actions(alike: AlikeSets, at: int) -> str:
    """Describe the alike actions of the information set at position ``at`` in a class of alike sets.

    Alike actions a and b of this set give the text ``a = b``. Let c be the first action of the class's first set that
    is alike to a and b. If neither a nor b has the name c, the text is ``a = b like c``.
    """
    groups: dict[str, list[str]] = {}
    for action, like in zip(alike.actions[at], alike.like_actions[at], strict=True):
        groups.setdefault(like, []).append(action)
    return ", ".join(
        " = ".join(group) + ("" if like in group else f" like {like}")
        for like, group in groups.items()
        if len(group) > 1 or like not in group
    )
