"""Refutations of kind ``mistakes``: why no vanishing mistakes of a player support what the other one does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tremble.verifier.budget import listening
from tremble.verifier.certificates.fields import brief, exact, is_count, is_object
from tremble.verifier.context import CheckContext, Problems

__all__ = ["MistakesRefutation", "pairs", "read_multipliers", "read_player"]


@dataclass(frozen=True, eq=False)
class MistakesRefutation:
    """Multipliers that prove that some mistakes cannot be made: see :mod:`tremble.verifier.concepts.refutation`.

    Sequence 0 is the empty one, then come information sets by number and actions in tree order. Multipliers that are 0
    are left out.
    """

    kind: ClassVar[str] = "mistakes"

    player: int  # 0 or 1: whose mistakes; the strategy of the other one is judged
    blocked: list[int]  # sequences of the player that no mistakes reach
    tight: list[int]  # sequences of the other, for "quasi-perfect": unplayed, and their loss is never positive
    deviation: Mapping[int, int]  # w, by sequence of the other
    flow: Mapping[int, int]  # lambda, by information set of the player, from 0; documents count from 1
    ratio: Mapping[int, int]  # mu, by sequence of the player

    def plain(self, concept: str) -> dict[str, Any]:
        """As plain data: what it proves the strategies not to be."""
        return {
            "concept": concept,
            "kind": self.kind,
            "player": self.player + 1,
            "blocked": list(map(int, self.blocked)),
            "tight": list(map(int, self.tight)),
            "deviation": pairs(self.deviation),
            "flow": pairs(self.flow, first=1),
            "ratio": pairs(self.ratio),
        }

    @classmethod
    def read(cls, context: CheckContext, stated: Mapping[str, Any]) -> MistakesRefutation | None:
        """What is stated; None, and problems that name the field, if it is none of this kind."""
        tree, problems = context.tree, context.problems
        before = len(problems)
        names = ("concept", "kind", "player", "blocked", "tight", "deviation", "flow", "ratio")
        player = read_player(stated, problems) if is_object(stated, names, "refutation", problems) else None
        if player is None:
            return None
        own, others = tree.num_slots[player], tree.num_slots[1 - player]
        read = cls(
            player,
            _numbers(stated["blocked"], "refutation.blocked", range(own + 1), problems),
            _numbers(stated["tight"], "refutation.tight", range(1, others + 1), problems),
            read_multipliers(stated["deviation"], "refutation.deviation", range(1, others + 1), problems),
            read_multipliers(stated["flow"], "refutation.flow", range(tree.num_infosets[player]), problems, first=1),
            read_multipliers(stated["ratio"], "refutation.ratio", range(1, own + 1), problems),
        )
        return None if len(problems) > before else read


def read_player(stated: Mapping[str, Any], problems: Problems) -> int | None:
    """The field ``player``, from 0."""
    player = stated["player"]
    if is_count(player) and player in (1, 2):
        return int(player) - 1
    problems.add(f"refutation.player: 1 or 2, not {brief(player)}")
    return None


def pairs(multipliers: Mapping[int, int], *, first: int = 0) -> list[list[Any]]:
    """Multipliers as plain data, without those that are 0."""
    return [[int(place) + first, Fraction(m)] for place, m in sorted(multipliers.items()) if m]


def _numbers(stated: Any, where: str, allowed: range, problems: Problems, *, first: int = 0) -> list[int]:
    """Different numbers, ascending."""
    if not isinstance(stated, list | tuple):
        problems.add(f"{where}: not a list of numbers")
        return []
    last = first - 1
    for i, number in enumerate(listening(stated)):
        if not is_count(number) or number - first not in allowed or number <= last:
            low, high = allowed.start + first, allowed.stop - 1 + first
            problems.add(f"{where}[{i}]: not a number from {low} to {high} beyond those before, but {brief(number)}")
            return []
        last = number
    return [number - first for number in stated]


def read_multipliers(stated: Any, where: str, allowed: range, problems: Problems, *, first: int = 0) -> dict[int, int]:
    """Pairs of a number and an integer."""
    if not isinstance(stated, list | tuple) or any(not isinstance(p, list | tuple) or len(p) != 2 for p in stated):
        problems.add(f"{where}: not a list of pairs of a number and an integer as text")
        return {}
    places = _numbers([place for place, _ in stated], where, allowed, problems, first=first)
    read: dict[int, int] = {}
    for place, (_, given) in listening(zip(places, stated, strict=False)):
        try:
            value = exact(given)
        except (TypeError, ValueError):
            value = Fraction(1, 2)
        if value.denominator != 1:
            problems.add(f"{where}: beside {place + first} stands no integer as text, but {brief(given)}")
        read[place] = value.numerator
    return read
