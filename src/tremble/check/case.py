"""A case: the game, the claim, the numbers that the kernel has computed, and the problems that it has found.

A claim is proven if and only if all checks run to the end without finding a problem. Checks add problems, and never
remove any. If a part of the claim is malformed, a check raises `Wrong`, which ends all checks and becomes a problem.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import itemgetter
from typing import Any

from tremble.check.best_response import Outcome, losing
from tremble.check.claim import Claim, Problems, Wrong, brief, integer, place, unequal
from tremble.check.limits import Limits, steps_of
from tremble.check.tree import SequenceForm


@dataclass(frozen=True)
class Case:
    """The input of every check."""

    game: Any  # a game tree (read-only arrays), or a game of another kind
    claim: Claim  # its strategies have passed the function `faults`
    form: SequenceForm  # None if the game is not a tree or the proof needs no best responses; then no check reads it
    outcome: Outcome
    limits: Limits
    problems: Problems = field(default_factory=Problems)
    checked: set[str] = field(default_factory=set)  # the claim's fields that a check has compared with the game

    def place(self, player: int, k: int) -> str:
        """Return the name of information set k for a message; k counts from 0, but messages count from 1."""
        return place(self.game, player, k)

    def action(self, player: int, k: int, q: int) -> str:
        """Return, for a message, the label of the action at information set k that ends sequence q."""
        return f"{self.game.actions[player][k][q - self.form.sequences[player].sets[k][2]]!r:.60}"

    def add(self, player: int, k: int, text: str, part: str = "") -> None:
        """Record a problem at information set k; `part` names the field of the claim that has the problem."""
        self.problems.add(f"{part}{': ' if part else ''}{self.place(player, k)}: {text}")

    def compare(self, where: str, stated: Fraction, true: Fraction) -> None:
        """Record a problem if the stated number differs from the true number."""
        if stated != true:
            self.problems.add(f"{where}: {unequal(stated, true)}")


def moves_to_nodes(game: Any, tables: Sequence[Any], root: Any) -> list[Any]:
    """Return a list with the table entry for the move to each node, and with `root` for the root.

    The entry is `tables[mover][information set][action]`. The table of chance is the last one, because CHANCE is -1.
    """
    mover, number = game.player.tolist(), game.infoset.tolist()
    moves = zip(game.parent[1:].tolist(), game.action[1:].tolist(), strict=True)
    return [root, *(tables[mover[above]][number[above]][action] for above, action in moves)]


class Paths:
    """The paths of action labels from the root to the nodes."""

    def __init__(self, game: Any) -> None:
        self._parent = game.parent.tolist()
        self._label = moves_to_nodes(game, (*game.actions, [table.labels for table in game.chance_tables]), "")

    def leads_to(self, path: Sequence[str], node: int) -> bool:
        """Return True if the action labels in `path` lead from the root to the node."""
        for label in reversed(path):
            if node == 0 or self._label[node] != label:
                return False
            node = self._parent[node]
        return node == 0

    def name(self, node: int) -> str:
        """Name a node in a message by the labels of the moves on its path, at most the last ten."""
        steps: list[str] = []
        while node and len(steps) < 10:
            steps.append(self._label[node][:60])
            node = self._parent[node]
        return repr(" / ".join([*(["..."] if node else []), *reversed(steps)]))


def pairs(stated: Any, where: str) -> list[tuple[Any, Any]]:
    """Return `stated` as a list of pairs. Raise `Wrong` if `stated` is not a list of pairs."""
    if not isinstance(stated, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in stated):
        raise Wrong(f"{where}: not a list of pairs")
    return [(one, two) for one, two in stated]


def ascending(stated: Any, where: str, numbers: range) -> list[int]:
    """Return `stated` if it is a list of strictly ascending integers in `numbers`; otherwise raise `Wrong`."""
    if not isinstance(stated, list | tuple):
        raise Wrong(f"{where}: not a list of numbers")
    last = numbers.start - 1
    for i, number in enumerate(stated):
        if type(number) is not int or number not in numbers or number <= last:
            raise Wrong(
                f"{where}[{i}]: not a number from {numbers.start} to {numbers.stop - 1} beyond those before, but "
                f"{brief(number)}"
            )
        last = number
    return list(stated)


def multipliers(stated: Any, end: int, where: str) -> list[int]:
    """Convert pairs [index, integer] to a list of `end` integers, 0 by default. Indices must ascend and be positive."""
    stated, result = pairs(stated, where), [0] * end
    for index, (_, value) in zip(ascending([i for i, _ in stated], where, range(1, end)), stated, strict=True):
        result[index] = integer(value, f"{where}: value at index {index}")
    return result


@dataclass(frozen=True)
class Deviation:
    """The action that costs a player the most, among all actions that the player's strategy plays."""

    infoset: int
    played: int  # the sequence that ends with this action
    better: int  # the sequence that ends with a best action at the same set
    probability: Fraction  # probability with which the strategy plays the action at the set
    cost: Fraction  # the loss of expected payoff by this action, if best responses follow at later sets


def worst_deviation(form: SequenceForm, outcome: Outcome, player: int, limits: Limits) -> Deviation | None:
    """Find the played action with the highest cost; return None if the player's strategy is a best response.

    The cost of an action is the weight of its sequence, multiplied by the payoff that the action loses compared with
    the best action at the same set. The costs of all actions sum to the loss of the strategy.
    """
    own, other = outcome[player], outcome[1 - player]
    plan, worth = own.plan.weight, own.worth
    longest = max(c.bit_length() for (c,) in worth)
    limits.spend("strategies", steps_of(own.plan.denominator.bit_length(), longest), len(plan) - plan.count(0))
    sequences, unit = form.sequences[player], form.denominator * own.plan.denominator * other.plan.denominator
    losses = ((plan[q] * (worth[better][0] - worth[q][0]), k, q, better) for k, q, better in losing(sequences, worth))
    cost, k, q, better = max(losses, key=itemgetter(0), default=(0, 0, 0, 0))
    if not cost:
        return None
    return Deviation(k, q, better, Fraction(plan[q], plan[sequences.sets[k][1]]), Fraction(cost, unit))
