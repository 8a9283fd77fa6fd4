"""The data of an explorer page for a tree: its nodes, and each profile's play and values at every information set.

The nodes of a :class:`~tremble.game.tree.GameTree` are ordered by level, and siblings are adjacent. For each node, the
page stores one integer that identifies the chance table, the information set or the payoffs of the node. This integer
determines the number of children, so the list of integers encodes the whole tree. A pool stores each different payoff
or probability once. All other data refer to payoffs and probabilities by their positions in the pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tremble.errors import TooLargeError
from tremble.formats.given_profile import GivenProfile
from tremble.game.tree import GameTree
from tremble.judge.explain import assessed
from tremble.numbers import as_float, short_text
from tremble.solution.assessment import Assessment
from tremble.text.captions import compact_text, headline
from tremble.text.markup import clip
from tremble.text.view import player_name
from tremble.words import for_reader, printable

__all__ = ["MOST_NAME", "MOST_NODES", "NumberPool", "explored_tree", "label_text"]

MOST_NODES = 1_000_000
_MOST_DIGITS = 400  # greatest number of digits of a number; a longer number is shown without its middle digits
MOST_NAME = 40  # greatest number of characters in the name of a player or a profile
_GROUNDS = {None: 0, "Bayes": 1, "stated": 2, "single node": 3}


class NumberPool:
    """The distinct numbers of a page, and their positions in a list.

    The page gets the nearest float and a text for each number. The text is exact up to ``_MOST_DIGITS`` digits.
    """

    def __init__(self) -> None:
        self._place: dict[Fraction, int] = {}

    def __call__(self, number: Fraction | int | None) -> int:
        """Return the position of a number in the pool, or -1 for None. A new number is added to the pool."""
        return -1 if number is None else self._place.setdefault(Fraction(number), len(self._place))

    def all(self, numbers: Iterable[Fraction | int | None]) -> list[int]:
        """Add new numbers to the pool. Return the position of each number, or -1 for None."""
        return [self(number) for number in numbers]

    def record(self) -> dict[str, list[Any]]:
        """Return the floats and the texts of all numbers, as data for JSON."""
        return {
            "exact": [short_text(number, _MOST_DIGITS) for number in self._place],
            "float": [as_float(number) for number in self._place],
        }


def label_text(text: str, most: int = 300) -> str:
    """Return ``text`` without control characters, cut to at most ``most`` characters."""
    return clip(printable(text), most)


def explored_tree(tree: GameTree, profiles: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    """Return a tree and profiles on it, as data for JSON.

    Raises
    ------
    TooLargeError
        The tree has more than a million nodes, which are too many for a page.
    TrembleError
        A profile does not belong to this tree.
    """
    if tree.num_nodes > MOST_NODES:
        advice = f"draw a part of it ({for_reader('root=', '--root')}), or an .svg of its first levels"
        raise TooLargeError(f"the game has {tree.num_nodes:,} nodes, but a page can show {MOST_NODES:,}; {advice}")
    pool = NumberPool()
    menus: dict[tuple[str, ...], int] = {}
    payoffs: dict[tuple[int, int], int] = {}
    leaf = [payoffs.setdefault((payoff1, payoff2), len(payoffs)) for payoff1, payoff2 in tree.payoff.tolist()]
    record: dict[str, Any] = {
        "kind": "tree",
        "title": label_text(tree.title or "Game tree"),
        "players": [label_text(player_name(tree, player), MOST_NAME) for player in (0, 1)],
        "chance": [
            [[label_text(label) for label in table.labels], pool.all(table.probabilities)]
            for table in tree.chance_tables
        ],
        "sets": [
            [[label_text(label) for label in labels], [menus.setdefault(actions, len(menus)) for actions in sets]]
            for labels, sets in zip(tree.infoset_labels, tree.actions, strict=True)
        ],
        "nodes": _codes(tree, leaf),
        "payoffs": [pool.all(Fraction(int(u), tree.payoff_denominator) for u in pair) for pair in payoffs],
        "profiles": [
            _profile(*assessed(tree, profile), name, pool) for profile, name in zip(profiles, names, strict=True)
        ],
    }
    record["menus"] = [[label_text(action) for action in actions] for actions in menus]
    return record | {"numbers": pool.record()}


def _codes(tree: GameTree, payoff: Sequence[int]) -> list[int]:
    """Return, for each node, the number of its chance table, information set or pair of payoffs.

    All are numbered together from 0: first the chance tables, then the information sets of player 1, those of
    player 2, and the pairs of payoffs.
    """
    tables, (sets1, sets2) = len(tree.chance_tables), tree.num_infosets
    first = np.array([tables + sets1 + sets2, 0, tables, tables + sets1])  # leaves, chance, both players
    kind = tree.player.astype(np.int64) + 2
    code = first[kind] + tree.infoset
    code[tree.leaves] = first[0] + np.array(payoff)
    codes: list[int] = code.tolist()
    return codes


def _profile(assessment: Assessment, given: GivenProfile, name: str, pool: NumberPool) -> dict[str, Any]:
    """Return a profile's name, and its probabilities and values at all information sets, player 1's sets first."""
    sets = list(assessment.every())
    actions = [action for each in sets for action in each.actions]
    nodes = [node for each in sets for node in each.nodes]
    stated = "" if given.solution is None else f"{headline(given.solution)}, "
    return {
        "name": label_text(name, MOST_NAME),
        "about": f"{stated}expected payoffs {' and '.join(map(compact_text, assessment.values))}",
        "values": pool.all(assessment.values),
        "p": pool.all(action.probability for action in actions),
        "value": pool.all(action.value for action in actions),
        "best": pool.all(action.best for action in actions),
        "loss": pool.all(action.loss for action in actions),
        "reach": pool.all(each.reach for each in sets),
        "own": pool.all(each.own_reach for each in sets),
        "others": pool.all(each.other_reach for each in sets),
        "ground": [_GROUNDS[each.ground] for each in sets],
        "belief": pool.all(node.belief for node in nodes),
        "arrival": pool.all(node.reach for node in nodes),
        "worth": pool.all(node.values[each.player] for each in sets for node in each.nodes),
    }
