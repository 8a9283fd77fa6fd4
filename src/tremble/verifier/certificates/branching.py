"""Certificates of kind ``branching``: bounds on what a player can guarantee, and how they are to be proven.

What is read here has the right types and its numbers are in range. Whether the trees that the certificate lists in
preorder (choice trees, the division of the strategies) are trees is found out on the way through them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tremble.numbers import shorten
from tremble.verifier.budget import budget, listening
from tremble.verifier.certificates.fields import Certificate, brief, is_count, is_object, read_numbers
from tremble.verifier.context import CheckContext, Problems

__all__ = ["MOST_BITS", "BranchingCertificate", "BranchingLeaf"]

MOST_BITS = 53  # of the denominator of a point that divides, and of weights


@dataclass(frozen=True)
class BranchingLeaf:
    """A cell that is not divided further, and what bounds the player's payoff in it."""

    mix: Sequence[tuple[int, int]]  # indices from 0 of replies of the opponent, none twice, and weights: below 2^53
    choices: Sequence[int]  # choice tree of the player, in preorder


@dataclass(frozen=True, eq=False)
class BranchingCertificate(Certificate):
    """Bounds on what a player can guarantee: from below by its strategy, from above by a division of all strategies.

    A *choice tree*, in preorder, says which information sets (numbers from 1) are fixed before the relaxed pass: the
    number of a set, followed by one subtree for each of its vertices, or 0 for the pass.

    Examples
    --------
    >>> leaf = BranchingLeaf(mix=[(0, 1), (1, 1)], choices=[0])
    >>> certificate = BranchingCertificate(
    ...     player=0, epsilon=Fraction(0), lower=Fraction(0), upper=Fraction(0), response=[0], replies=[[0], [1]],
    ...     splits=[()], leaves=[leaf],
    ... )  # of matching pennies
    >>> certificate.plain()["leaves"]
    [{'mix': [[0, 1], [1, 1]], 'choices': [0]}]
    """

    kind: ClassVar[str] = "branching"

    player: int  # 0 or 1
    epsilon: Fraction  # payoff units, at least 0: how far apart the bounds may be
    # On what the player can guarantee, in its own payoffs.
    lower: Fraction
    upper: Fraction
    response: Sequence[int]  # choice tree of the opponent against the player's strategy, its vertices the actions
    replies: (
        Sequence[Sequence[int] | NDArray[Any]] | NDArray[Any]
    )  # the opponent's, pure: an action (from 0) at each set
    # In preorder: (set from 1, vertices i and j from 0, numerator, bits) divides a cell at t v_i + (1 - t) v_j,
    # t = numerator / 2^bits, first the cell where this replaces v_i, then the one where it replaces v_j; () is a leaf.
    splits: Sequence[Sequence[int]]
    leaves: Sequence[BranchingLeaf]  # in preorder

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": self.kind,
            "player": self.player + 1,
            **{name: Fraction(getattr(self, name)) for name in ("epsilon", "lower", "upper")},
            "response": _integers(self.response),
            "replies": list(map(_integers, self.replies)),
            "splits": list(map(_integers, self.splits)),
            "leaves": [
                {"mix": list(map(_integers, leaf.mix)), "choices": _integers(leaf.choices)} for leaf in self.leaves
            ],
        }

    @classmethod
    def read(cls, context: CheckContext) -> BranchingCertificate | None:
        """What is stated, replies as int32[J]; None, and problems that name the field, if it is none of this kind."""
        certificate, problems, tree = context.solution.certificate, context.problems, context.tree
        before = len(problems)
        otherwise = (
            "the concept 'maxmin' is proven by 'branching', 'guarantee', or 'best-response' where nobody forgets"
        )
        bounds, proof = ("player", "epsilon", "lower", "upper"), ("response", "replies", "splits", "leaves")
        if not cls.is_stated(context, otherwise, *bounds, *proof):
            return None
        player = certificate["player"]
        if not is_count(player) or player not in (1, 2):
            problems.add(f"certificate.player: 1 or 2, not {brief(player)}")
            return None
        epsilon, lower, upper = (_number(certificate[name], name, problems) for name in ("epsilon", "lower", "upper"))
        if epsilon < 0:
            problems.add(f"certificate.epsilon: at least 0, not {shorten(epsilon)}")
        if not isinstance(certificate["response"], list | tuple):
            problems.add("certificate.response: not a list of integers")
        width, opposing = ([len(labels) for labels in tree.actions[i]] for i in (player - 1, 2 - player))
        replies = _read_replies(certificate["replies"], np.array(opposing, dtype=np.int64), problems)
        splits = _read_splits(certificate["splits"], width, problems)
        leaves = _read_leaves(certificate["leaves"], len(replies), problems) if len(problems) == before else []
        if len(problems) > before:
            return None
        return cls(player - 1, epsilon, lower, upper, certificate["response"], replies, splits, leaves)


def _integers(values: Sequence[int] | NDArray[Any]) -> list[int]:
    """A list of Python integers, also of an array's."""
    return values.tolist() if isinstance(values, np.ndarray) else list(map(int, values))


def _number(stated: Any, name: str, problems: Problems) -> Fraction:
    values = read_numbers([stated], f"certificate.{name}", 1, "numbers", problems)
    return values[0]


def _list(stated: Any, where: str, of_what: str, problems: Problems) -> Sequence[Any]:
    """A list that is not empty."""
    if isinstance(stated, list | tuple) and stated:
        return stated
    problems.add(f"{where}: not a list of one {of_what} or more")
    return ()


def _read_replies(stated: Any, width: NDArray[np.int64], problems: Problems) -> list[NDArray[np.int32]]:
    """Complete pure strategies."""
    replies = []
    where, most = "certificate.replies", max(width.tolist(), default=0)
    for r, reply in enumerate(listening(_list(stated, where, "reply", problems))):
        if not isinstance(reply, list | tuple) or len(reply) != len(width):
            problems.add(f"{where}[{r}]: not a list of {len(width):,} actions, one for each information set")
            return []
        budget().work_through(1 + len(reply) // 2)
        budget().keep(64 * (4 + len(reply)))
        if set(map(type, reply)) == {int} and min(reply) >= 0 and max(reply) < most:
            actions = np.array(reply, dtype=np.int32)
            if (actions < width).all():
                replies.append(actions)
                continue
        for k, (action, many) in enumerate(zip(reply, width.tolist(), strict=True)):  # finds which is none
            if not is_count(action) or not 0 <= action < many:
                problems.add(f"{where}[{r}][{k}]: {brief(action)} is no action; the positions are 0 to {many - 1}")
                return []
        replies.append(np.array(reply, dtype=np.int32))
    return replies


def _read_splits(stated: Any, width: Sequence[int], problems: Problems) -> Sequence[Sequence[int]]:
    """Where cells are divided."""
    where = "certificate.splits"
    for s, split in enumerate(listening(_list(stated, where, "entry", problems))):
        if not isinstance(split, list | tuple) or len(split) not in (0, 5) or not all(map(is_count, split)):
            problems.add(f"{where}[{s}]: neither empty nor five integers")
            return ()
        if not split:
            continue
        number, i, j, numerator, bits = split
        if not 1 <= number <= len(width):
            problems.add(f"{where}[{s}][0]: {brief(number)} is no information set; the numbers are 1 to {len(width):,}")
            return ()
        if not (0 <= i < width[number - 1] and 0 <= j < width[number - 1]) or i == j:
            problems.add(
                f"{where}[{s}]: {brief(i)} and {brief(j)} are not two of the vertices 0 to {width[number - 1] - 1}"
            )
            return ()
        if not 1 <= bits <= MOST_BITS or not 0 < numerator < 1 << bits:
            problems.add(
                f"{where}[{s}]: numerator and bits are {brief(numerator)} and {brief(bits)}, but the share is strictly "
                f"between 0 and 1, over a power of 2 of at most {MOST_BITS} bits"
            )
            return ()
    return stated if isinstance(stated, list | tuple) else ()


def _read_leaves(stated: Any, replies: int, problems: Problems) -> list[BranchingLeaf]:
    """Mixtures of replies, and choice trees."""
    leaves = []
    for i, leaf in enumerate(listening(_list(stated, "certificate.leaves", "leaf", problems))):
        where = f"certificate.leaves[{i}]"
        if not is_object(leaf, ("mix", "choices"), where, problems):
            return []
        if not isinstance(leaf["choices"], list | tuple):
            problems.add(f"{where}.choices: not a list of integers")
            return []
        mix = _list(leaf["mix"], f"{where}.mix", "pair of a reply and a weight", problems)
        weights: dict[int, int] = {}
        for j, pair in enumerate(mix):
            if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(is_count, pair)):
                problems.add(f"{where}.mix[{j}]: not a pair of a reply and a weight, both integers")
                return []
            reply, weight = pair
            if not 0 <= reply < replies or reply in weights:
                problems.add(
                    f"{where}.mix[{j}][0]: {brief(reply)} is not a reply, 0 to {replies - 1:,}, that is named once"
                )
                return []
            if not 0 < weight < 1 << MOST_BITS:
                problems.add(f"{where}.mix[{j}][1]: {brief(weight)} is no positive integer below 2^{MOST_BITS}")
                return []
            weights[reply] = weight
        leaves.append(BranchingLeaf(list(weights.items()), leaf["choices"]))
    return leaves
