"""Show a list of equilibria on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tremble.game.rules import UnbuiltGame
from tremble.game.strategy import BehaviorStrategy
from tremble.game.strategy_rows import infoset_rows
from tremble.game.tree import GameTree
from tremble.solution.concepts import CONCEPTS
from tremble.solution.equilibria import Equilibria, verdict
from tremble.solution.stated import StatedSolution
from tremble.text.captions import compact_text
from tremble.text.theme import NOTE
from tremble.text.view import MAX_ROWS, Fact, add, facts_table, heading, more, table
from tremble.words import called, for_reader, one, printable

__all__ = ["equilibria_view"]


MAX_EQUILIBRIA = 25  # greatest number of shown equilibria, and of shown maximal Nash subsets


def equilibria_view(game: GameTree | UnbuiltGame, equilibria: Equilibria) -> RenderableType:
    """Show equilibria, their payoffs, and maximal Nash subsets (sets of strategies whose mixtures are equilibria)."""
    kind = "pure" if equilibria.pure else "extreme" if equilibria.pairs is not None else ""
    count = f"{len(equilibria):,} {kind}".strip() + (", each proven" if len(equilibria) else "")
    names = [called(game, player) for player in (0, 1)]
    facts: list[Fact] = [("equilibria", count)]
    faultless = next((player for player in map(_faultless, equilibria) if player is not None), None)
    if faultless is not None:
        facts.append(("mistakes", f"{names[faultless]} makes none"))
    if equilibria.complete is not None:
        undecided = sum(solution.concept != solution.requested for solution in equilibria)
        less = f"no: {undecided:,} undecided, and there may be more" if undecided else "no, there may be more"
        facts.append(("complete", "yes, the search ended" if equilibria.complete else less))
    if equilibria.unique is not None:
        facts.append(("unique", "yes" if equilibria.unique else "no"))
    if equilibria.unique_plans is not None:
        known = zip(names, equilibria.unique_plans, strict=True)
        facts += [(f"  plan of {who}", "unique" if unique else "not unique") for who, unique in known]
    if equilibria.components is not None:
        facts.append(("components", f"{len(equilibria.components):,}{_indices(equilibria.indices or ())}"))
    if equilibria.degenerate is not None:
        why = printable(equilibria.degeneracy or "")
        facts.append(("degenerate", f"yes: {why}" if equilibria.degenerate else "no"))
    asked = {solution.requested for solution in equilibria}
    judged = next(iter(asked)) if len(asked) == 1 and all(c in CONCEPTS and CONCEPTS[c].proofs for c in asked) else None
    earns = (f"{called(game, player, '{}')} earns" for player in (0, 1))
    also = [] if judged is None else [judged]
    numbered = [] if equilibria.pairs is None else ["strategies"]
    rows = table("", *numbered, *also, *earns, *(f"{name} plays" for name in names), right=("",))
    # For a concept with conditions off the path, show all information sets: two equilibria may differ only there.
    everywhere = equilibria.requested in CONCEPTS and CONCEPTS[equilibria.requested].defined_off_path
    for k, solution in enumerate(equilibria.solutions[:MAX_EQUILIBRIA]):
        numbers = []
        if equilibria.pairs is not None:
            numbers = ["x{} y{}".format(*(number + 1 for number in equilibria.pairs[k]))]
        said = [] if judged is None else [verdict(solution)]
        earned = map(compact_text, solution.values)
        plays = [_played(strategy, everywhere=everywhere) for strategy in solution.strategies]
        add(rows, str(k + 1), *numbers, *said, *earned, *plays)
    parts: list[RenderableType] = [heading(game.title), facts_table(facts)]
    parts += [Text(), rows] if len(equilibria) else []
    parts += more(len(equilibria) - MAX_EQUILIBRIA, " equilibria", full=("to_rows()", "--format csv or -o FILE"))
    if judged is not None and equilibria.maximal_subsets is not None:
        parts += _unproven(judged, [verdict(solution) for solution in equilibria])
    mixed = [subset for subset in equilibria.maximal_subsets or () if len(subset[0]) * len(subset[1]) > 1]
    if mixed:
        parts += [
            Text(),
            Text("In each line, any mixture of strategies x and any mixture of strategies y form an equilibrium:"),
        ]
    for ones, twos in mixed[:MAX_EQUILIBRIA]:
        parts.append(Text(f"  {_numbered('x', ones)}  and  {_numbered('y', twos)}"))
    parts += more(len(mixed) - MAX_EQUILIBRIA, " lines", "  ", full=(".maximal_subsets", "-o FILE"))
    return Group(*parts)


def _unproven(concept: str, verdicts: Sequence[str]) -> Iterator[RenderableType]:
    """Yield a note that other profiles may satisfy ``concept``, if no listed profile is proven to satisfy it."""
    if "proven" in verdicts:
        return
    row = CONCEPTS[concept]
    others = ["an undecided member of the list"] if "undecided" in verdicts else []
    others.append("a mixture of members")
    if row.defined_off_path:
        pure = for_reader("pure=True", "--pure")
        completed = "a member with different play at information sets that a player's own strategy never reaches"
        others.append(f"{completed} ({pure} lists all pure ones)")
    yield Text()
    yield Text(
        f"No member of this list is proven to be {one(row.words)}, but every finite game has one. "
        f"It may be {', or '.join(others)}.",
        style=NOTE,
    )


def _faultless(member: StatedSolution) -> int | None:
    """Return the player, 0 or 1, who never trembles, or None if the concept is not one-sided.

    The proof or the refutation of ``member`` names this player.
    """
    row = CONCEPTS.get(member.requested)
    if row is None or not row.one_sided:
        return None
    player = row.proven_player(member.certificate)
    return row.disproven_player(member.refutation or {}) if player is None else player


def _indices(index: Sequence[int | None]) -> str:
    """Return the first few topological indices of components as text."""
    shown = ["?" if each is None else str(each) for each in index[:MAX_ROWS]]
    return f", of index {', '.join(shown)}{', …' * (len(index) > MAX_ROWS)}" if shown else ""


def _played(strategy: object, *, everywhere: bool) -> str:
    """Return a strategy as one line of text. Omit sets that the strategy never reaches if ``everywhere`` is False."""
    if not isinstance(strategy, BehaviorStrategy):
        return for_reader("(see .strategies)", "(see -o FILE)")
    several = strategy.num_infosets > 1
    labels = Counter(strategy.infoset_labels)
    said = []
    for row in infoset_rows(strategy):
        if everywhere or not row.off_path:
            moves = ", ".join(f"{printable(action)} {compact_text(p)}" for action, p in row.moves if p)
            where = printable(row.label) if row.label and labels[row.label] == 1 else str(row.number)
            said.append(f"{where}: {moves}" if several else moves)
    return "; ".join(said)


def _numbered(letter: str, numbers: Sequence[int]) -> str:
    shown = ", ".join(f"{letter}{number + 1}" for number in numbers[:MAX_ROWS])
    return shown if len(numbers) <= MAX_ROWS else f"{shown}, … ({len(numbers):,} in all)"
