"""Game trees as rules that are never built (histories are node numbers), and every form the double oracle knows."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tremble import CHANCE, TERMINAL, BehaviorStrategy, GameTree
from tremble.game.requirements import last_sequence
from tremble.game.rules import DefaultRule, UnbuiltStrategy
from tremble.game.sequence_form import SequenceForm
from tremble.large.published import PublishedRulesOracle, PublishedTreeOracle
from tremble.large.rules import RulesOracle
from tremble.large.sequences import Plan
from tremble.large.settings import Sizes
from tremble.large.tree import TreeOracle

SEARCHED = Sizes(table_to=0, histories_to=0)
"""No game is small enough for a table."""

TABULATED = Sizes(table_from=0)
"""No game is too small for a table."""


class RulesOfTree:
    """The rules that a tree was built from, as it were."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.title = tree.title
        self._first = tree.first_child.tolist()
        self._player = tree.player.tolist()
        self._index = tree.infoset.tolist()

    def root(self) -> int:
        return 0

    def player(self, h: int) -> int:
        return self._player[h]

    def actions(self, h: int) -> Sequence[str]:
        return self.tree.labels(h)

    def chance(self, h: int) -> Sequence[Fraction]:
        return self.tree.chance_tables[self._index[h]].probabilities

    def child(self, h: int, i: int) -> int:
        return self._first[h] + i

    def infoset(self, h: int) -> str:
        return f"{self._player[h] + 1}.{self._index[h] + 1}"

    def payoff(self, h: int) -> tuple[Fraction, Fraction]:
        return self.tree.payoff_at(self._index[h])


class RulesWithDefault(RulesOfTree):
    """The same with a default action at each information set: a random one, or the first if there is no seed."""

    def __init__(self, tree: GameTree, seed: int | None) -> None:
        super().__init__(tree)
        rng = random.Random(f"default {seed}")
        self.positions = [[0 if seed is None else rng.randrange(len(row)) for row in sets] for sets in tree.actions]

    def default(self, h: int) -> int:
        return self.positions[self._player[h]][self._index[h]]


class RulesWithKeys(RulesWithDefault):
    """The same with keys that merge as much as they may, and no more to observe than what is new.

    A player observes which it is of the information sets that its last own move can lead to. Histories with equal
    keys have the same mover, observation, default, actions, chance, payoffs, and children with equal keys.
    """

    def __init__(self, tree: GameTree, seed: int | None = None) -> None:
        super().__init__(tree, seed)
        last = last_sequence(tree, 0).tolist(), last_sequence(tree, 1).tolist()
        self._seen: tuple[dict[int, int], dict[int, int]] = ({}, {})
        following: dict[tuple[int, int], int] = {}  # how many sets are known to follow a sequence of a player
        for node, (mover, index) in enumerate(zip(self._player, self._index, strict=True)):
            if mover in (0, 1) and index not in self._seen[mover]:
                at = mover, last[mover][node]
                self._seen[mover][index] = following[at] = following.get(at, -1) + 1
        numbers: dict[Hashable, int] = {}
        self._key = [0] * tree.num_nodes
        for node in range(tree.num_nodes - 1, -1, -1):
            mover = self._player[node]
            here: Hashable
            if mover == TERMINAL:
                here = self.payoff(node)
            elif mover == CHANCE:
                here = tuple(self.chance(node))
            else:
                here = self.observation(node, mover), self.default(node)
            future = mover, here, self.actions(node), tuple(self._key[child] for child in tree.children(node))
            self._key[node] = numbers.setdefault(future, len(numbers))

    def observation(self, h: int, player: int) -> int:
        assert player == self._player[h]
        return self._seen[player][self._index[h]]

    def state_key(self, h: int) -> int:
        return self._key[h]

    @property
    def num_keys(self) -> int:
        return len(set(self._key))


class RulesWithBounds(RulesWithKeys):
    """The same with bounds on the payoffs: the tightest, or ``slack`` beyond them."""

    def __init__(self, tree: GameTree, seed: int | None = None, *, slack: Fraction | int = 0) -> None:
        super().__init__(tree, seed)
        payoffs = [tree.payoff_at(row)[0] for row in range(tree.num_leaves)]
        self._bounds = min(payoffs) - slack, max(payoffs) + slack

    def utility_bounds(self) -> tuple[Fraction, Fraction]:
        return self._bounds


def on_tree(rules: RulesOfTree, strategy: UnbuiltStrategy) -> BehaviorStrategy:
    """A strategy of the rules as one of the tree."""
    rows: dict[int, Any] = {}
    for node in range(rules.tree.num_nodes):
        if rules.player(node) == strategy.player:
            rows.setdefault(int(rules.tree.infoset[node]), strategy.probabilities(rules, node))
    return BehaviorStrategy.from_rows(rules.tree, strategy.player, [rows[k] for k in range(len(rows))])


# -- every way to hold a game for the double oracle -------------------------------------------------

FORMS: tuple[str, ...] = (
    "tree",
    "tree, any default",
    "tree, published",
    "table",
    "search",
    "table, any default",
    "search, any default",
    "table, keys",
    "search, keys",
    "table, keys, bounds",
    "search, keys, bounds",
    "search, keys, loose bounds",
    "table, published",
    "search, keys, published",
)


@dataclass(frozen=True)
class Held:
    """A game in one of these forms."""

    tree: GameTree
    rules: RulesOfTree | None  # None: held as a tree
    oracle: Any
    scale: float

    def strategies(self, plans: Sequence[Plan]) -> tuple[BehaviorStrategy, BehaviorStrategy]:
        """Exact plans as strategies of the tree."""
        one, two = (
            found if self.rules is None else on_tree(self.rules, found)
            for found in (self.oracle.strategy(plan) for plan in plans)
        )
        return one, two


def held(tree: GameTree, form: str, seed: int | None = 0, look_ahead: int = Sizes.look_ahead) -> Held:
    """A game for the double oracle; ``seed`` draws defaults, and without one they are the first actions."""
    kind, *options = form.split(", ")
    published = "published" in options
    options = [option for option in options if option != "published"]
    if kind == "tree":
        default = None
        if "any default" in options:
            one, two = RulesWithDefault(tree, seed).positions
            default = np.array(one, dtype=np.int64), np.array(two, dtype=np.int64)
        kind_of_tree = PublishedTreeOracle if published else TreeOracle
        built = kind_of_tree(tree, SequenceForm.of(tree), default)
        return Held(tree, None, built, float(np.abs(tree.payoff_float[:, 0]).max()))
    if options == ["any default"]:
        rules: RulesOfTree = RulesWithDefault(tree, seed)
    elif options == ["keys"]:
        rules = RulesWithKeys(tree, seed)
    elif options:
        rules = RulesWithBounds(tree, seed, slack=3 if "loose bounds" in options else 0)
    else:
        rules = RulesOfTree(tree)
    default_rule = DefaultRule.of(rules)
    sizes = TABULATED if kind == "table" else SEARCHED
    defaults, sizes = (default_rule, default_rule), replace(sizes, look_ahead=look_ahead)
    kind_of_rules = PublishedRulesOracle if published else RulesOracle
    oracle = kind_of_rules(rules, defaults, lambda: None, sizes)
    assert (oracle.compiled is not None) == (kind == "table")
    assert oracle.positions.merged == ("keys" in options)
    return Held(tree, rules, oracle, oracle.scale)
